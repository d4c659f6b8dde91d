package core

import (
	"context"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// FeedbackBuffer is a range of a buffer that takes captured outputs, or a counter
// buffer, whose size is 4.
type FeedbackBuffer struct {
	Buffer       *Buffer // nil: none
	Offset, Size uint64
}

// feedbackRanges checks ranges of feedback or counter buffers and returns where
// their bytes are.
func (c *CommandBuffer) feedbackRanges(op Op, rule string, first uint32, list []FeedbackBuffer, usage vk.BufferUsageFlags) (out [render.MaxFeedbackBuffers][]byte, ok bool) {
	if uint64(first)+uint64(len(list)) > render.MaxFeedbackBuffers {
		c.misuse(op, rule+"-firstBinding-02356", "", "buffers %d+%d; %d are supported", first, len(list), render.MaxFeedbackBuffers)
		return out, false
	}
	for i, b := range list {
		if b.Buffer == nil {
			continue
		}
		if b.Offset%4 != 0 {
			c.misuse(op, rule+"-pOffsets-02359", "", "offset %d is no multiple of 4", b.Offset)
			return out, false
		}
		if !c.try(b.Buffer.need(c.dev, op, rule+"-pBuffers-02360", usage)) {
			return out, false
		}
		data, err := b.Buffer.slice(op, rule+"-pOffsets-02363", b.Offset, b.Size)
		if !c.try(err) {
			return out, false
		}
		out[int(first)+i] = data
	}
	return out, true
}

// feedbackObjects lists the buffers that a command holds on to.
func feedbackObjects(list []FeedbackBuffer) (out []any) {
	for _, b := range list {
		if b.Buffer != nil {
			out = append(out, b.Buffer)
		}
	}
	return out
}

// BindTransformFeedbackBuffers binds buffers from number first on. A size of
// vk.WholeSize goes to the end.
func (c *CommandBuffer) BindTransformFeedbackBuffers(first uint32, list []FeedbackBuffer) {
	op := c.op("vkCmdBindTransformFeedbackBuffersEXT")
	if !c.ok(op, 0) {
		return
	}
	data, ok := c.feedbackRanges(op, "vkCmdBindTransformFeedbackBuffersEXT", first, list, vk.BufferUsageTransformFeedbackBufferBitEXT)
	if !ok {
		return
	}
	c.transfer(func(_ context.Context, r *runner) error {
		copy(r.feedback[first:], data[first:int(first)+len(list)])
		return nil
	}, feedbackObjects(list)...)
}

// BeginTransformFeedback starts to capture outputs; where counter buffers are
// given, behind what they count.
func (c *CommandBuffer) BeginTransformFeedback(first uint32, counters []FeedbackBuffer) {
	op := c.op("vkCmdBeginTransformFeedbackEXT")
	if !c.ok(op, 1) {
		return
	}
	if c.capturing {
		c.misuse(op, "vkCmdBeginTransformFeedbackEXT-None-02367", "end it before", "transform feedback is active")
		return
	}
	data, ok := c.feedbackRanges(op, "vkCmdBeginTransformFeedbackEXT", first, counters, vk.BufferUsageTransformFeedbackCounterBufferBitEXT)
	if !ok {
		return
	}
	c.capturing = true
	c.transfer(func(_ context.Context, r *runner) error {
		f := &render.Feedback{Buffers: r.feedback}
		r.capturing = f
		r.pass.Draws = append(r.pass.Draws, render.Draw{Event: func() { f.Load(data) }})
		return nil
	}, feedbackObjects(counters)...)
}

// EndTransformFeedback ends it and stores in the counter buffers how far it got.
func (c *CommandBuffer) EndTransformFeedback(first uint32, counters []FeedbackBuffer) {
	op := c.op("vkCmdEndTransformFeedbackEXT")
	if !c.ok(op, 1) {
		return
	}
	if !c.capturing {
		c.misuse(op, "vkCmdEndTransformFeedbackEXT-None-02375", "begin it before", "transform feedback is not active")
		return
	}
	data, ok := c.feedbackRanges(op, "vkCmdEndTransformFeedbackEXT", first, counters, vk.BufferUsageTransformFeedbackCounterBufferBitEXT)
	if !ok {
		return
	}
	c.capturing = false
	c.transfer(func(_ context.Context, r *runner) error {
		if f := r.capturing; f != nil {
			r.pass.Draws = append(r.pass.Draws, render.Draw{Event: func() { f.Store(data) }})
		}
		r.capturing = nil
		return nil
	}, feedbackObjects(counters)...)
}

// DrawIndirectByteCount draws as many vertices of stride bytes as the counter
// buffer counts, less offset bytes.
func (c *CommandBuffer) DrawIndirectByteCount(instances, firstInstance uint32, counter FeedbackBuffer, offset, stride uint32) {
	op := c.op("vkCmdDrawIndirectByteCountEXT")
	if !c.ok(op, 1) || !c.checkDraw(op) {
		return
	}
	if counter.Buffer == nil || stride == 0 {
		c.misuse(op, "vkCmdDrawIndirectByteCountEXT-vertexStride-02289", "", "a stride of %d bytes", stride)
		return
	}
	data, ok := c.feedbackRanges(op, "vkCmdDrawIndirectByteCountEXT", 0, []FeedbackBuffer{counter}, vk.BufferUsageIndirectBufferBit)
	if !ok {
		return
	}
	c.transfer(func(ctx context.Context, r *runner) error {
		return r.draw(ctx, func(d *render.Draw) {
			d.Instances, d.FirstInstance = instances, firstInstance
			d.ByteCount = &render.ByteCount{Counter: data[0], Offset: offset, Stride: stride}
		})
	}, counter.Buffer)
}
