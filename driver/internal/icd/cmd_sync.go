package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Commands run in order and see what earlier ones wrote, whatever queue they are
// on; layouts make no difference, and images belong to no queue. So outside of render
// passes barriers have nothing to do but tell layouts to who listens, inside they order
// draws.

// CmdPipelineBarrier is vkCmdPipelineBarrier.
func (r *Recorder) CmdPipelineBarrier(c *abi.CmdPipelineBarrier) {
	const op = "vkCmdPipelineBarrier"
	for _, b := range abi.Slice(c.PBufferMemoryBarriers, c.BufferMemoryBarrierCount) {
		r.checkBarrier(op, b.Buffer, 0)
	}
	for _, b := range abi.Slice(c.PImageMemoryBarriers, c.ImageMemoryBarrierCount) {
		r.checkBarrier(op, 0, b.Image)
		r.transition(op, b.Image, b.SubresourceRange, b.OldLayout, b.NewLayout)
	}
	r.core.PipelineBarrier(op, nil)
}

// CmdPipelineBarrier2 is vkCmdPipelineBarrier2.
func (r *Recorder) CmdPipelineBarrier2(c *abi.CmdPipelineBarrier2) {
	const op = "vkCmdPipelineBarrier2"
	r.dependency(op, c.PDependencyInfo)
	r.transitions(op, c.PDependencyInfo)
	r.core.PipelineBarrier(op, nil)
}

// dependency checks what a VkDependencyInfo names.
func (r *Recorder) dependency(op core.Op, i *abi.DependencyInfo) {
	for _, b := range abi.Slice(i.PBufferMemoryBarriers, i.BufferMemoryBarrierCount) {
		r.checkBarrier(op, b.Buffer, 0)
	}
	for _, b := range abi.Slice(i.PImageMemoryBarriers, i.ImageMemoryBarrierCount) {
		r.checkBarrier(op, 0, b.Image)
	}
}

// transitions records the layout transitions of a VkDependencyInfo.
func (r *Recorder) transitions(op core.Op, i *abi.DependencyInfo) {
	for _, b := range abi.Slice(i.PImageMemoryBarriers, i.ImageMemoryBarrierCount) {
		r.transition(op, b.Image, b.SubresourceRange, b.OldLayout, b.NewLayout)
	}
}

func (r *Recorder) transition(op core.Op, h abi.Image, s vk.ImageSubresourceRange, from, to vk.ImageLayout) {
	if im := lookup(&r.device.images, h); im != nil {
		r.core.TransitionImage(op, im.core, s, from, to)
	}
}

// checkBarrier reports a barrier for a resource that is not there. The barrier
// stays.
func (r *Recorder) checkBarrier(op core.Op, b abi.Buffer, im abi.Image) {
	switch {
	case b != 0 && lookup(&r.device.buffers, b) == nil:
		r.misuse(op, "VkBufferMemoryBarrier-buffer-parameter", "a barrier for a buffer that does not exist")
	case im != 0 && lookup(&r.device.images, im) == nil:
		r.misuse(op, "VkImageMemoryBarrier-image-parameter", "a barrier for an image that does not exist")
	default:
		return
	}
	r.core.Drop()
}

func (r *Recorder) event(h abi.Event) *core.Event {
	if e := lookup(&r.device.events, h); e != nil {
		return e.core
	}
	return nil
}

// CmdSetEvent is vkCmdSetEvent.
func (r *Recorder) CmdSetEvent(c *abi.CmdSetEvent) { r.core.SetEvent(r.event(c.Event)) }

// CmdSetEvent2 is vkCmdSetEvent2.
func (r *Recorder) CmdSetEvent2(c *abi.CmdSetEvent2) {
	r.dependency("vkCmdSetEvent2", c.PDependencyInfo)
	r.core.SetEvent(r.event(c.Event))
}

// CmdResetEvent is vkCmdResetEvent.
func (r *Recorder) CmdResetEvent(c *abi.CmdResetEvent) { r.core.ResetEvent(r.event(c.Event)) }

// CmdResetEvent2 is vkCmdResetEvent2.
func (r *Recorder) CmdResetEvent2(c *abi.CmdResetEvent2) { r.core.ResetEvent(r.event(c.Event)) }

// CmdWaitEvents is vkCmdWaitEvents.
func (r *Recorder) CmdWaitEvents(c *abi.CmdWaitEvents) {
	for _, b := range abi.Slice(c.PImageMemoryBarriers, c.ImageMemoryBarrierCount) {
		r.transition("vkCmdWaitEvents", b.Image, b.SubresourceRange, b.OldLayout, b.NewLayout)
	}
	r.waitEvents(abi.Slice(c.PEvents, c.EventCount))
}

// CmdWaitEvents2 is vkCmdWaitEvents2.
func (r *Recorder) CmdWaitEvents2(c *abi.CmdWaitEvents2) {
	infos := abi.Slice(c.PDependencyInfos, c.EventCount)
	for n := range infos {
		r.dependency("vkCmdWaitEvents2", &infos[n])
		r.transitions("vkCmdWaitEvents2", &infos[n])
	}
	r.waitEvents(abi.Slice(c.PEvents, c.EventCount))
}

func (r *Recorder) waitEvents(handles []abi.Event) {
	events := make([]*core.Event, len(handles))
	for n, h := range handles {
		events[n] = r.event(h)
	}
	r.core.WaitEvents(events)
}

// CmdBeginConditionalRenderingEXT is vkCmdBeginConditionalRenderingEXT.
func (r *Recorder) CmdBeginConditionalRenderingEXT(c *abi.CmdBeginConditionalRenderingEXT) {
	i := c.PConditionalRenderingBegin
	r.core.BeginConditionalRendering(r.buffer(i.Buffer), i.Offset, i.Flags&vk.ConditionalRenderingInvertedBitEXT != 0)
}

// CmdEndConditionalRenderingEXT is vkCmdEndConditionalRenderingEXT.
func (r *Recorder) CmdEndConditionalRenderingEXT(*abi.CmdEndConditionalRenderingEXT) {
	r.core.EndConditionalRendering()
}
