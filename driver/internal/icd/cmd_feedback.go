package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// CmdBindTransformFeedbackBuffersEXT is vkCmdBindTransformFeedbackBuffersEXT.
func (r *Recorder) CmdBindTransformFeedbackBuffersEXT(c *abi.CmdBindTransformFeedbackBuffersEXT) {
	offsets, sizes := abi.Slice(c.POffsets, c.BindingCount), []uint64(nil)
	if c.PSizes != nil {
		sizes = abi.Slice(c.PSizes, c.BindingCount)
	}
	var list []core.FeedbackBuffer
	for i, b := range abi.Slice(c.PBuffers, c.BindingCount) {
		f := core.FeedbackBuffer{Buffer: r.buffer(b), Offset: offsets[i], Size: vk.WholeSize}
		if sizes != nil {
			f.Size = sizes[i]
		}
		list = append(list, f)
	}
	r.core.BindTransformFeedbackBuffers(c.FirstBinding, list)
}

// counters are counter buffers, some of which may be null.
func (r *Recorder) counters(buffers *abi.Buffer, offsets *uint64, n uint32) (list []core.FeedbackBuffer) {
	if buffers == nil {
		return nil
	}
	for i, b := range abi.Slice(buffers, n) {
		f := core.FeedbackBuffer{Size: 4}
		if b != 0 {
			f.Buffer = r.buffer(b)
		}
		if offsets != nil {
			f.Offset = abi.Slice(offsets, n)[i]
		}
		list = append(list, f)
	}
	return list
}

// CmdBeginTransformFeedbackEXT is vkCmdBeginTransformFeedbackEXT.
func (r *Recorder) CmdBeginTransformFeedbackEXT(c *abi.CmdBeginTransformFeedbackEXT) {
	r.core.BeginTransformFeedback(c.FirstCounterBuffer, r.counters(c.PCounterBuffers, c.PCounterBufferOffsets, c.CounterBufferCount))
}

// CmdEndTransformFeedbackEXT is vkCmdEndTransformFeedbackEXT.
func (r *Recorder) CmdEndTransformFeedbackEXT(c *abi.CmdEndTransformFeedbackEXT) {
	r.core.EndTransformFeedback(c.FirstCounterBuffer, r.counters(c.PCounterBuffers, c.PCounterBufferOffsets, c.CounterBufferCount))
}

// CmdDrawIndirectByteCountEXT is vkCmdDrawIndirectByteCountEXT.
func (r *Recorder) CmdDrawIndirectByteCountEXT(c *abi.CmdDrawIndirectByteCountEXT) {
	counter := core.FeedbackBuffer{Buffer: r.buffer(c.CounterBuffer), Offset: c.CounterBufferOffset, Size: 4}
	r.core.DrawIndirectByteCount(c.InstanceCount, c.FirstInstance, counter, c.CounterOffset, c.VertexStride)
}

// CmdBeginQueryIndexedEXT is vkCmdBeginQueryIndexedEXT.
func (r *Recorder) CmdBeginQueryIndexedEXT(c *abi.CmdBeginQueryIndexedEXT) {
	r.core.BeginQueryIndexed(r.queryPool(c.QueryPool), int(c.Query), c.Index)
}

// CmdEndQueryIndexedEXT is vkCmdEndQueryIndexedEXT.
func (r *Recorder) CmdEndQueryIndexedEXT(c *abi.CmdEndQueryIndexedEXT) {
	r.core.EndQueryIndexed(r.queryPool(c.QueryPool), int(c.Query), c.Index)
}
