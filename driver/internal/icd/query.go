package icd

import (
	"context"
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
	if q == nil || a.PData == nil || a.DataSize > 1<<40 {
		return vk.ErrorValidationFailed
	}
	data := unsafe.Slice((*byte)(a.PData), a.DataSize)
	ready, err := q.core.Get(context.Background(), int(a.FirstQuery), int(a.QueryCount), data, a.Stride, a.Flags)
	if err == nil && !ready {
		return vk.NotReady
	}
	return result(err)
}

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
