package icd

import (
	"context"
	"errors"
	"slices"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// CreateQueryPool is vkCreateQueryPool.
func (d *Device) CreateQueryPool(a *abi.CreateQueryPoolArgs) vk.Result {
	i := a.PCreateInfo
	q := &QueryPool{kind: i.QueryType, count: i.QueryCount}
	info := vk.QueryPoolCreateInfo{Flags: i.Flags, QueryType: i.QueryType, QueryCount: i.QueryCount}
	if i.QueryType == vk.QueryTypePipelineStatistics {
		info.PipelineStatistics = i.PipelineStatistics
	}
	var err error
	q.core, err = d.core.NewQueries(info)
	return created(&d.queryPools, a.PQueryPool, q, err)
}

// DestroyQueryPool is vkDestroyQueryPool.
func (d *Device) DestroyQueryPool(a *abi.DestroyQueryPoolArgs) {
	destroy(&d.queryPools, a.QueryPool, func(q *QueryPool) object { return q.core })
}

// ResetQueryPool is vkResetQueryPool.
func (d *Device) ResetQueryPool(a *abi.ResetQueryPoolArgs) {
	if q := lookup(&d.queryPools, a.QueryPool); q != nil {
		_ = q.core.Reset(int(a.FirstQuery), int(a.QueryCount)) // package core tells the debug messenger
	}
}

// GetQueryPoolResults is vkGetQueryPoolResults.
func (d *Device) GetQueryPoolResults(a *abi.GetQueryPoolResultsArgs) vk.Result {
	q := lookup(&d.queryPools, a.QueryPool)
	switch {
	case q == nil || a.PData == nil || a.DataSize > 1<<40:
		return vk.ErrorValidationFailed
	case d.lost.Load():
		return vk.ErrorDeviceLost
	}
	data := unsafe.Slice((*byte)(a.PData), a.DataSize)
	if a.Wait != nil && a.Flags&vk.QueryResultWaitBit != 0 {
		return d.tryQueries(q, a, data)
	}
	for {
		busy := d.busy()
		ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
		ready, err := q.core.Get(ctx, int(a.FirstQuery), int(a.QueryCount), data, a.Stride, a.Flags)
		cancel()
		switch {
		case ready && err == nil:
			return vk.Success
		case err == nil:
			return vk.NotReady
		case !errors.Is(err, context.DeadlineExceeded):
			return result(err)
		case d.lost.Load():
			return vk.ErrorDeviceLost
		case !busy && !d.busy():
			return vk.NotReady
		}
	}
}

// tryQueries is the wait of a thread of the host, which sleeps in C.
func (d *Device) tryQueries(q *QueryPool, a *abi.GetQueryPoolResultsArgs, data []byte) vk.Result {
	for {
		var err error
		r := d.try(a.Wait, uint64(queryPatience), func() (ready bool) {
			ready, err = q.core.Get(context.Background(), int(a.FirstQuery), int(a.QueryCount), data, a.Stride, a.Flags&^vk.QueryResultWaitBit)
			return ready || err != nil
		}, true)
		switch {
		case err != nil:
			return result(err)
		case r != vk.Timeout || a.Wait.Word != nil:
			return r
		case !d.busy():
			return vk.NotReady
		}
		a.Wait.Begun = 0 // somebody is at work
	}
}

// queryPatience is how long a host that waits for a query waits for somebody to
// submit it: with the queues idle, nothing else will make it available.
const queryPatience = 2 * time.Second

// busy says that a queue has work.
func (d *Device) busy() bool { return slices.ContainsFunc(d.queues, (*Queue).busy) }

// CreateEvent is vkCreateEvent.
func (d *Device) CreateEvent(a *abi.CreateEventArgs) vk.Result {
	e := &Event{}
	var err error
	e.core, err = d.core.NewEvent()
	return created(&d.events, a.PEvent, e, err)
}

// DestroyEvent is vkDestroyEvent.
func (d *Device) DestroyEvent(a *abi.DestroyEventArgs) {
	destroy(&d.events, a.Event, func(e *Event) object { return e.core })
}

// GetEventStatus is vkGetEventStatus.
func (d *Device) GetEventStatus(a *abi.GetEventStatusArgs) vk.Result {
	switch e := lookup(&d.events, a.Event); {
	case e == nil:
		return vk.ErrorValidationFailed
	case d.lost.Load():
		return vk.ErrorDeviceLost
	case e.core.IsSet():
		return vk.EventSet
	}
	return vk.EventReset
}

// SetEvent is vkSetEvent.
func (d *Device) SetEvent(a *abi.SetEventArgs) vk.Result {
	e := lookup(&d.events, a.Event)
	if e == nil {
		return vk.ErrorValidationFailed
	}
	e.core.Set()
	return vk.Success
}

// ResetEvent is vkResetEvent.
func (d *Device) ResetEvent(a *abi.ResetEventArgs) vk.Result {
	e := lookup(&d.events, a.Event)
	if e == nil {
		return vk.ErrorValidationFailed
	}
	e.core.Reset()
	return vk.Success
}
