package core

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/pumice-gpu/pumice/vk"
)

// Event is set and reset by the host and by commands, which can wait for it.
type Event struct {
	object
	mu   sync.Mutex
	set  bool
	wake chan struct{} // closed when it is set
}

// NewEvent makes an event that is not set.
func (d *Device) NewEvent() (*Event, error) {
	const op Op = "vkCreateEvent"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	e := &Event{wake: make(chan struct{})}
	e.dev, e.kind = d, "event"
	return e, nil
}

// Set sets the event, at once.
func (e *Event) Set() { e.put(true) }

// Reset resets the event, at once.
func (e *Event) Reset() { e.put(false) }

func (e *Event) put(set bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case set && !e.set:
		close(e.wake)
	case !set && e.set:
		e.wake = make(chan struct{})
	}
	e.set = set
}

// IsSet says whether the event is set.
func (e *Event) IsSet() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.set
}

// Close gives the event up.
func (e *Event) Close() error {
	if e != nil {
		e.closed.Store(true)
	}
	return nil
}

// wait waits until the event is set; false if ctx ends. The device's other queues have
// their turn meanwhile, and the clock of the submission stands still.
func (e *Event) wait(ctx context.Context, clock *stopwatch) bool {
	e.mu.Lock()
	wake := e.wake
	e.mu.Unlock()
	select {
	case <-wake:
		return true
	default:
	}
	set := false
	e.dev.turn.rest(clock, func() {
		e.dev.awaiting.Add(1)
		defer e.dev.awaiting.Add(-1)
		select {
		case <-wake:
			set = true
		case <-ctx.Done():
		}
	})
	return set
}

// AwaitsEvent says that a queue of the device waits for an event.
func (d *Device) AwaitsEvent() bool { return d.awaiting.Load() > 0 }

func (c *CommandBuffer) needEvent(op Op, where int, e *Event) bool {
	if !c.ok(op, where) {
		return false
	}
	if e == nil {
		c.misuse(op, "vkCmdSetEvent-event-parameter", "", "the event is nil")
		return false
	}
	return c.try(e.use(c.dev, op))
}

// SetEvent sets an event when all commands before are done.
func (c *CommandBuffer) SetEvent(e *Event) { c.putEvent("vkCmdSetEvent", e, true) }

// ResetEvent resets an event when all commands before are done.
func (c *CommandBuffer) ResetEvent(e *Event) { c.putEvent("vkCmdResetEvent", e, false) }

func (c *CommandBuffer) putEvent(op Op, e *Event, set bool) {
	if c.needEvent(op, -1, e) {
		c.transfer(func(context.Context, *runner) error { e.put(set); return nil }, e)
	}
}

// WaitEvents waits until all events are set. The host may set them meanwhile.
func (c *CommandBuffer) WaitEvents(events []*Event) {
	op := c.op("vkCmdWaitEvents")
	for _, e := range events {
		if !c.needEvent(op, 0, e) {
			return
		}
		c.transfer(func(ctx context.Context, r *runner) error {
			r.barrier = true
			if !e.wait(ctx, r.clock) {
				return c.dev.report(&Error{Op: string(op), Rule: "context", Detail: "stopped while waiting for " + e.label(), Err: context.Canceled})
			}
			return nil
		}, e)
	}
}

// BeginConditionalRendering leaves out draws, dispatches and clears of
// attachments until EndConditionalRendering if the word at offset of b is zero
// when the command is carried out; or, inverted, if it is not.
func (c *CommandBuffer) BeginConditionalRendering(b *Buffer, offset uint64, inverted bool) {
	op := c.op("vkCmdBeginConditionalRenderingEXT")
	if !c.ok(op, 0) || !c.try(b.need(c.dev, op, "VkConditionalRenderingBeginInfoEXT-buffer-01982", vk.BufferUsageConditionalRenderingBitEXT)) {
		return
	}
	if offset%4 != 0 {
		c.misuse(op, "VkConditionalRenderingBeginInfoEXT-offset-01984", "", "offset %d is no multiple of 4", offset)
		return
	}
	if !c.try(b.inRange(op, "VkConditionalRenderingBeginInfoEXT-offset-01983", offset, 4)) {
		return
	}
	if c.conditional {
		c.misuse(op, "vkCmdBeginConditionalRenderingEXT-None-01980", "", "conditional rendering is active")
		return
	}
	c.conditional = true
	c.transfer(func(_ context.Context, r *runner) error {
		r.skip = (binary.LittleEndian.Uint32(b.data[offset:]) == 0) != inverted
		return nil
	}, b)
}

// EndConditionalRendering lets commands through again.
func (c *CommandBuffer) EndConditionalRendering() {
	op := c.op("vkCmdEndConditionalRenderingEXT")
	if !c.ok(op, 0) {
		return
	}
	if !c.conditional {
		c.misuse(op, "vkCmdEndConditionalRenderingEXT-None-01985", "", "conditional rendering is not active")
		return
	}
	c.conditional = false
	c.transfer(func(_ context.Context, r *runner) error { r.skip = false; return nil })
}
