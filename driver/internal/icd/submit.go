package icd

import (
	"context"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// A submission is one batch of a queue: it waits for semaphores, runs command
// buffers, signals semaphores and a fence.
type submission struct {
	waits, signals []semaphoreValue
	commands       []*core.CommandBuffer
	pages          []core.PageBind // of sparse resources
	blocks         []core.BlockBind
	run            func() // other work, such as presenting; may be nil
	fence          *payload
}

// semaphoreValue is the payload of a semaphore to wait for or to signal, as it is
// when the batch is submitted; value counts for timeline semaphores only.
type semaphoreValue struct {
	*payload
	value uint64
}

// QueueSubmit is vkQueueSubmit.
func (q *Queue) QueueSubmit(a *abi.QueueSubmitArgs) vk.Result {
	if r, ok := q.admit(a.Wait); !ok {
		return r
	}
	var list []submission
	infos := abi.Slice(a.PSubmits, a.SubmitCount)
	for n := range infos {
		i := &infos[n]
		s := q.device.synchronization(i.PNext, abi.Slice(i.PWaitSemaphores, i.WaitSemaphoreCount), abi.Slice(i.PSignalSemaphores, i.SignalSemaphoreCount))
		for _, h := range abi.Slice(i.PCommandBuffers, i.CommandBufferCount) {
			s.commands = q.device.appendCommands(s.commands, h)
		}
		list = append(list, s)
	}
	return q.enqueue(list, a.Fence)
}

// QueueSubmit2 is vkQueueSubmit2.
func (q *Queue) QueueSubmit2(a *abi.QueueSubmit2Args) vk.Result {
	if r, ok := q.admit(a.Wait); !ok {
		return r
	}
	var list []submission
	infos := abi.Slice(a.PSubmits, a.SubmitCount)
	for n := range infos {
		i := &infos[n]
		s := submission{
			waits:   q.device.submitInfos(abi.Slice(i.PWaitSemaphoreInfos, i.WaitSemaphoreInfoCount), true),
			signals: q.device.submitInfos(abi.Slice(i.PSignalSemaphoreInfos, i.SignalSemaphoreInfoCount), false),
		}
		for _, c := range abi.Slice(i.PCommandBufferInfos, i.CommandBufferInfoCount) {
			s.commands = q.device.appendCommands(s.commands, c.CommandBuffer)
		}
		list = append(list, s)
	}
	return q.enqueue(list, a.Fence)
}

// synchronization is a submission that only waits and signals. next is the chain
// that may hold the values of timeline semaphores.
func (d *Device) synchronization(next unsafe.Pointer, waits, signals []abi.Semaphore) submission {
	var waitValues, signalValues []uint64
	if t := abi.Find[abi.TimelineSemaphoreSubmitInfo](next); t != nil {
		waitValues = abi.Slice(t.PWaitSemaphoreValues, t.WaitSemaphoreValueCount)
		signalValues = abi.Slice(t.PSignalSemaphoreValues, t.SignalSemaphoreValueCount)
	}
	return submission{waits: d.semaphoreValues(waits, waitValues, true), signals: d.semaphoreValues(signals, signalValues, false)}
}

// operand is the payload for a wait, or for a signal.
func (s *Semaphore) operand(wait bool) *payload {
	if wait {
		return s.take()
	}
	return s.current()
}

// semaphoreValues pairs payloads with values; values may be fewer.
func (d *Device) semaphoreValues(handles []abi.Semaphore, values []uint64, wait bool) []semaphoreValue {
	var out []semaphoreValue
	for n, h := range handles {
		if s := d.semaphores.Get(uint64(h)); s != nil {
			v := semaphoreValue{payload: s.operand(wait)}
			if n < len(values) {
				v.value = values[n]
			}
			out = append(out, v)
		}
	}
	return out
}

func (d *Device) submitInfos(infos []abi.SemaphoreSubmitInfo, wait bool) []semaphoreValue {
	var out []semaphoreValue
	for _, i := range infos {
		if s := d.semaphores.Get(uint64(i.Semaphore)); s != nil {
			out = append(out, semaphoreValue{s.operand(wait), i.Value})
		}
	}
	return out
}

// appendCommands adds what a command buffer has recorded; nothing for one that
// is not executable.
func (d *Device) appendCommands(list []*core.CommandBuffer, h abi.CommandBuffer) []*core.CommandBuffer {
	c := resolve(&d.driver.commandBuffers, unsafe.Pointer(h), abi.LevelCommandBuffer)
	if c == nil || c.commands == nil || c.commands.Err() != nil {
		return list
	}
	return append(list, c.commands)
}

// maxPending is how many batches of a queue, and fences behind them, may wait to be carried out before submitting waits for some to
// be done: what a program has asked for is then never seconds ahead of what it sees. maxAdmission is how long it waits at most.
const (
	maxPending   = 64
	maxAdmission = 10 * time.Second
)

// admit waits while too much is pending, and is false where the call is to be made again or the device is lost. It does not wait
// for what may wait for the caller itself: a semaphore, an event, a window.
func (q *Queue) admit(w *abi.Wait) (vk.Result, bool) {
	most := maxPending
	if w != nil && w.Begun != 0 {
		most /= 2 // not for each one
	}
	room := func() bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return len(q.pending) <= most || q.awaits.Load() || q.device.core.AwaitsEvent()
	}
	if room() {
		return vk.Success, true
	}
	r := vk.Timeout
	if w == nil {
		for until := time.Now().Add(maxAdmission); r == vk.Timeout && time.Now().Before(until); {
			r = q.device.await(nil, uint64(pollPeriod), room) // nobody tells of events
		}
	} else if r = q.device.try(w, uint64(maxAdmission), room, true); r == vk.Timeout && w.Word != nil {
		return r, false
	}
	return r, r != vk.ErrorDeviceLost
}

// enqueue gives the queue batches, and a fence that they signal.
func (q *Queue) enqueue(list []submission, fence abi.Fence) vk.Result {
	if q.device.lost.Load() {
		return vk.ErrorDeviceLost
	}
	if f := q.device.fences.Get(uint64(fence)); f != nil {
		list = append(list, submission{fence: f.current()})
	}
	if len(list) == 0 {
		return vk.Success
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.running {
		q.running = true
		q.mu.Unlock()
		list = q.here(list)
		q.mu.Lock()
		list, q.pending, q.running = append(list, q.pending...), nil, false
	}
	switch q.pending = append(q.pending, list...); {
	case len(q.pending) == 0:
		q.device.sync.broadcast()
	case !q.running:
		q.running = true
		go q.loop()
	}
	return vk.Success
}

// here carries out batches that have nothing before them, on the thread of the caller, who would
// wait longer for a goroutine than that takes. It returns those that are left, from the first one
// that waits or is not brief.
func (q *Queue) here(list []submission) []submission {
	left := core.NewBrief()
	for i := range list {
		if !q.brief(&list[i], &left) {
			return list[i:]
		}
	}
	return nil
}

// brief carries out a batch that is brief and has nothing to wait for. Where it returns false, the
// batch is to be carried out as it is now: what is reached already is not waited for again.
func (q *Queue) brief(s *submission, left *core.Brief) bool {
	s.waits = slices.DeleteFunc(s.waits, func(w semaphoreValue) bool {
		return w.passed(w.value)
	})
	if len(s.waits)+len(s.pages)+len(s.blocks) > 0 || s.run != nil {
		return false
	}
	if len(s.commands) > 0 && !q.device.lost.Load() {
		explain := q.device.driver.frames.explain
		if explain.look(q.device); explain == nil { // explanations number command buffers as the program does
			s.commands = slices.DeleteFunc(s.commands, q.core.Empty)
		}
	}
	if len(s.commands) > 0 && !q.device.lost.Load() {
		done, err := q.core.SubmitBrief("vkQueueSubmit", s.commands, left)
		if !done {
			return false
		}
		if s.commands = nil; err != nil {
			q.device.lose(err)
		}
	}
	q.execute(s)
	return true
}

// loop runs batches until none is left: a queue without work costs no
// goroutine.
func (q *Queue) loop() {
	for {
		q.mu.Lock()
		if len(q.pending) == 0 {
			q.pending, q.running = nil, false
			q.mu.Unlock()
			q.device.sync.broadcast()
			return
		}
		s := q.pending[0]
		q.pending[0] = submission{}
		q.pending = q.pending[1:]
		q.mu.Unlock()
		q.execute(&s)
	}
}

// execute runs one batch. After the device is lost it only signals, so that
// nobody waits for ever: not those either who share a fence or semaphore and do not
// know that the device is lost.
func (q *Queue) execute(s *submission) {
	d := q.device
	if len(s.waits) > 0 {
		q.awaits.Store(true)
		d.sync.broadcast() // who submits may have to signal
	}
	for _, w := range s.waits {
		_ = d.await(nil, math.MaxUint64, func() bool { return w.passed(w.value) }, w.payload) // a lost device ends the wait, too
	}
	q.awaits.Store(false)
	if len(s.commands) > 0 && !d.lost.Load() {
		d.driver.frames.explain.look(d)
		if err := q.core.SubmitAndWait(context.Background(), "vkQueueSubmit", s.commands); err != nil {
			d.lose(err)
		}
	}
	if len(s.pages)+len(s.blocks) > 0 && !d.lost.Load() {
		if err := q.core.BindSparseAndWait(context.Background(), "vkQueueBindSparse", s.pages, s.blocks); err != nil {
			d.lose(err)
		}
	}
	if s.run != nil {
		q.awaits.Store(true) // a window, perhaps, which the program looks after
		s.run()
		q.awaits.Store(false)
	}
	for _, g := range s.signals {
		g.signal(g.value)
	}
	if s.fence != nil {
		s.fence.signal(0)
	}
	d.sync.broadcast()
}

// busy says that the queue has work.
func (q *Queue) busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running
}

// idle waits until the queue has no work; see Device.await for w.
func (q *Queue) idle(w *abi.Wait) vk.Result {
	return q.device.await(w, math.MaxUint64, func() bool { return !q.busy() })
}

// stopQueues ends all work: an application that destroys a device has waited for
// it, so that only what waits in vain is left.
func (d *Device) stopQueues() {
	for _, q := range d.queues {
		if q.busy() {
			d.lose(nil)
			q.settle()
		}
	}
}

// settle waits until loop has ended, whether the device is lost or not.
func (q *Queue) settle() {
	for {
		changed := q.device.sync.changed()
		if !q.busy() {
			return
		}
		<-changed
	}
}

// QueueWaitIdle is vkQueueWaitIdle.
func (q *Queue) QueueWaitIdle(a *abi.QueueWaitIdleArgs) vk.Result { return q.idle(a.Wait) }

// DeviceWaitIdle is vkDeviceWaitIdle.
func (d *Device) DeviceWaitIdle(a *abi.DeviceWaitIdleArgs) vk.Result {
	for _, q := range d.queues {
		if r := q.idle(a.Wait); r != vk.Success {
			return r
		}
	}
	return vk.Success
}
