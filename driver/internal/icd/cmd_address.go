package icd

import (
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// The commands of VK_KHR_device_address_commands name ranges of addresses in place of
// buffers with offsets. Each is the older command on the buffer that has the
// addresses. Flags of addresses are hints, but for protected memory, of which there is
// none; barriers for ranges order nothing that the queue does not.

// at is the buffer of a range, the range's offset in it, and its size. A range that leaves the buffer ends with it; one
// that begins in no buffer is not ok. Both are reported. An empty range at 0 is the null buffer.
func (r *Recorder) at(op core.Op, a vk.DeviceAddressRangeKHR) (b *core.Buffer, offset, size uint64, ok bool) {
	const rule = "VkDeviceAddressRangeKHR-address-11365"
	if a == (vk.DeviceAddressRangeKHR{}) {
		return nil, 0, 0, true
	}
	b, offset, size = r.device.core.BufferFrom(a.Address, a.Size)
	switch {
	case b == nil || size == 0 && a.Size > 0:
		r.misuse(op, rule, "the addresses are no buffer's")
		return nil, 0, 0, false
	case size < a.Size:
		r.misuse(op, rule, fmt.Sprintf("%d of %d bytes are behind the buffer's end, and are left out", a.Size-size, a.Size))
		r.core.Drop() // the command stays
	}
	return b, offset, size, true
}

// unstrided is a range without its stride.
func unstrided(a vk.StridedDeviceAddressRangeKHR) vk.DeviceAddressRangeKHR {
	return vk.DeviceAddressRangeKHR{Address: a.Address, Size: a.Size}
}

// CmdBindVertexBuffers3KHR is vkCmdBindVertexBuffers3KHR.
func (r *Recorder) CmdBindVertexBuffers3KHR(c *abi.CmdBindVertexBuffers3KHR) {
	for n, i := range abi.Slice(c.PBindingInfos, c.BindingCount) {
		if b, offset, size, ok := r.at("vkCmdBindVertexBuffers3KHR", unstrided(i.AddressRange)); ok {
			var stride *uint32
			if i.SetStride.True() {
				s := uint32(min(i.AddressRange.Stride, 1<<31))
				stride = &s
			}
			r.core.BindVertexBuffer(c.FirstBinding+uint32(n), b, offset, size, stride)
		}
	}
}

// CmdBindIndexBuffer3KHR is vkCmdBindIndexBuffer3KHR.
func (r *Recorder) CmdBindIndexBuffer3KHR(c *abi.CmdBindIndexBuffer3KHR) {
	i := c.PInfo
	if b, offset, size, ok := r.at("vkCmdBindIndexBuffer3KHR", i.AddressRange); ok {
		r.core.BindIndexBuffer(b, offset, size, i.IndexType)
	}
}

// indirect hands on what a draw with parameters in memory takes; counts is nil without
// a number of draws in memory.
func (r *Recorder) indirect(op core.Op, a vk.StridedDeviceAddressRangeKHR, counts *vk.DeviceAddressRangeKHR, draw func(b *core.Buffer, offset uint64, stride uint32, counts *core.Buffer, countOffset uint64)) {
	b, offset, _, ok := r.at(op, unstrided(a))
	var n *core.Buffer
	var at uint64
	if ok && counts != nil {
		n, at, _, ok = r.at(op, *counts)
	}
	if ok {
		draw(b, offset, uint32(min(a.Stride, 1<<31)), n, at)
	}
}

// CmdDrawIndirect2KHR is vkCmdDrawIndirect2KHR.
func (r *Recorder) CmdDrawIndirect2KHR(c *abi.CmdDrawIndirect2KHR) {
	const op = "vkCmdDrawIndirect2KHR"
	r.indirect(op, c.PInfo.AddressRange, nil, func(b *core.Buffer, offset uint64, stride uint32, _ *core.Buffer, _ uint64) {
		r.core.DrawIndirect(op, false, b, offset, c.PInfo.DrawCount, stride, nil, 0)
	})
}

// CmdDrawIndexedIndirect2KHR is vkCmdDrawIndexedIndirect2KHR.
func (r *Recorder) CmdDrawIndexedIndirect2KHR(c *abi.CmdDrawIndexedIndirect2KHR) {
	const op = "vkCmdDrawIndexedIndirect2KHR"
	r.indirect(op, c.PInfo.AddressRange, nil, func(b *core.Buffer, offset uint64, stride uint32, _ *core.Buffer, _ uint64) {
		r.core.DrawIndirect(op, true, b, offset, c.PInfo.DrawCount, stride, nil, 0)
	})
}

// CmdDrawIndirectCount2KHR is vkCmdDrawIndirectCount2KHR.
func (r *Recorder) CmdDrawIndirectCount2KHR(c *abi.CmdDrawIndirectCount2KHR) {
	const op = "vkCmdDrawIndirectCount2KHR"
	r.indirect(op, c.PInfo.AddressRange, &c.PInfo.CountAddressRange, func(b *core.Buffer, offset uint64, stride uint32, counts *core.Buffer, at uint64) {
		r.core.DrawIndirectCount(op, false, b, offset, counts, at, c.PInfo.MaxDrawCount, stride)
	})
}

// CmdDrawIndexedIndirectCount2KHR is vkCmdDrawIndexedIndirectCount2KHR.
func (r *Recorder) CmdDrawIndexedIndirectCount2KHR(c *abi.CmdDrawIndexedIndirectCount2KHR) {
	const op = "vkCmdDrawIndexedIndirectCount2KHR"
	r.indirect(op, c.PInfo.AddressRange, &c.PInfo.CountAddressRange, func(b *core.Buffer, offset uint64, stride uint32, counts *core.Buffer, at uint64) {
		r.core.DrawIndirectCount(op, true, b, offset, counts, at, c.PInfo.MaxDrawCount, stride)
	})
}

// CmdDrawMeshTasksIndirect2EXT is vkCmdDrawMeshTasksIndirect2EXT.
func (r *Recorder) CmdDrawMeshTasksIndirect2EXT(c *abi.CmdDrawMeshTasksIndirect2EXT) {
	const op = "vkCmdDrawMeshTasksIndirect2EXT"
	r.indirect(op, c.PInfo.AddressRange, nil, func(b *core.Buffer, offset uint64, stride uint32, _ *core.Buffer, _ uint64) {
		r.core.DrawMeshTasksIndirect(op, b, offset, c.PInfo.DrawCount, stride, nil, 0)
	})
}

// CmdDrawMeshTasksIndirectCount2EXT is vkCmdDrawMeshTasksIndirectCount2EXT.
func (r *Recorder) CmdDrawMeshTasksIndirectCount2EXT(c *abi.CmdDrawMeshTasksIndirectCount2EXT) {
	const op = "vkCmdDrawMeshTasksIndirectCount2EXT"
	r.indirect(op, c.PInfo.AddressRange, &c.PInfo.CountAddressRange, func(b *core.Buffer, offset uint64, stride uint32, counts *core.Buffer, at uint64) {
		if counts == nil {
			r.misuse(op, "VkDeviceAddressRangeKHR-address-11365", "no address of a count")
			return
		}
		r.core.DrawMeshTasksIndirect(op, b, offset, c.PInfo.MaxDrawCount, stride, counts, at)
	})
}

// CmdDispatchIndirect2KHR is vkCmdDispatchIndirect2KHR.
func (r *Recorder) CmdDispatchIndirect2KHR(c *abi.CmdDispatchIndirect2KHR) {
	const op = "vkCmdDispatchIndirect2KHR"
	if b, offset, _, ok := r.at(op, c.PInfo.AddressRange); ok {
		r.core.DispatchIndirect(op, b, offset)
	}
}

// CmdCopyMemoryKHR is vkCmdCopyMemoryKHR.
func (r *Recorder) CmdCopyMemoryKHR(c *abi.CmdCopyMemoryKHR) {
	const op = "vkCmdCopyMemoryKHR"
	i := c.PCopyMemoryInfo
	for _, g := range abi.Slice(i.PRegions, i.RegionCount) {
		src, from, size, ok := r.at(op, g.SrcRange)
		dst, to, room, there := r.at(op, g.DstRange)
		if ok && there {
			r.core.CopyBuffer(src, dst, []vk.BufferCopy{{SrcOffset: from, DstOffset: to, Size: min(size, room)}})
		}
	}
}

// imageRegions hands on each region between memory and an image.
func (r *Recorder) imageRegions(op core.Op, i *abi.CopyDeviceMemoryImageInfoKHR, f func(*core.Buffer, *core.Image, []vk.BufferImageCopy)) {
	for _, g := range abi.Slice(i.PRegions, i.RegionCount) {
		if b, offset, _, ok := r.at(op, g.AddressRange); ok {
			r.layers(i.Image, &g.ImageSubresource)
			f(b, r.image(i.Image), []vk.BufferImageCopy{{BufferOffset: offset, BufferRowLength: g.AddressRowLength, BufferImageHeight: g.AddressImageHeight,
				ImageSubresource: g.ImageSubresource, ImageOffset: g.ImageOffset, ImageExtent: g.ImageExtent}})
		}
	}
}

// CmdCopyMemoryToImageKHR is vkCmdCopyMemoryToImageKHR.
func (r *Recorder) CmdCopyMemoryToImageKHR(c *abi.CmdCopyMemoryToImageKHR) {
	r.imageRegions("vkCmdCopyMemoryToImageKHR", c.PCopyMemoryInfo, r.core.CopyBufferToImage)
}

// CmdCopyImageToMemoryKHR is vkCmdCopyImageToMemoryKHR.
func (r *Recorder) CmdCopyImageToMemoryKHR(c *abi.CmdCopyImageToMemoryKHR) {
	r.imageRegions("vkCmdCopyImageToMemoryKHR", c.PCopyMemoryInfo, func(b *core.Buffer, im *core.Image, regions []vk.BufferImageCopy) {
		r.core.CopyImageToBuffer(im, b, regions)
	})
}

// CmdUpdateMemoryKHR is vkCmdUpdateMemoryKHR.
func (r *Recorder) CmdUpdateMemoryKHR(c *abi.CmdUpdateMemoryKHR) {
	if b, offset, size, ok := r.at("vkCmdUpdateMemoryKHR", *c.PDstRange); ok {
		r.core.UpdateBuffer(b, offset, bytes(c.PData, min(c.DataSize, size)))
	}
}

// CmdFillMemoryKHR is vkCmdFillMemoryKHR.
func (r *Recorder) CmdFillMemoryKHR(c *abi.CmdFillMemoryKHR) {
	if b, offset, size, ok := r.at("vkCmdFillMemoryKHR", *c.PDstRange); ok {
		r.core.FillBuffer(b, offset, size, c.Data)
	}
}

// CmdCopyQueryPoolResultsToMemoryKHR is vkCmdCopyQueryPoolResultsToMemoryKHR.
func (r *Recorder) CmdCopyQueryPoolResultsToMemoryKHR(c *abi.CmdCopyQueryPoolResultsToMemoryKHR) {
	if b, offset, _, ok := r.at("vkCmdCopyQueryPoolResultsToMemoryKHR", unstrided(*c.PDstRange)); ok {
		r.core.CopyQueryResults(r.queryPool(c.QueryPool), int(c.FirstQuery), int(c.QueryCount), b, offset, c.PDstRange.Stride, c.QueryResultFlags)
	}
}

// CmdBeginConditionalRendering2EXT is vkCmdBeginConditionalRendering2EXT.
func (r *Recorder) CmdBeginConditionalRendering2EXT(c *abi.CmdBeginConditionalRendering2EXT) {
	i := c.PConditionalRenderingBegin
	if b, offset, _, ok := r.at("vkCmdBeginConditionalRendering2EXT", i.AddressRange); ok {
		r.core.BeginConditionalRendering(b, offset, i.Flags&vk.ConditionalRenderingInvertedBitEXT != 0)
	}
}

// feedback are ranges as buffers of transform feedback; none of counters may be null.
func (r *Recorder) feedback(op core.Op, infos []abi.BindTransformFeedbackBuffer2InfoEXT) (list []core.FeedbackBuffer, ok bool) {
	for _, i := range infos {
		f := core.FeedbackBuffer{Size: i.AddressRange.Size}
		if f.Size != 0 {
			if f.Buffer, f.Offset, f.Size, ok = r.at(op, i.AddressRange); !ok {
				return nil, false
			}
		}
		list = append(list, f)
	}
	return list, true
}

// CmdBindTransformFeedbackBuffers2EXT is vkCmdBindTransformFeedbackBuffers2EXT.
func (r *Recorder) CmdBindTransformFeedbackBuffers2EXT(c *abi.CmdBindTransformFeedbackBuffers2EXT) {
	if list, ok := r.feedback("vkCmdBindTransformFeedbackBuffers2EXT", abi.Slice(c.PBindingInfos, c.BindingCount)); ok {
		r.core.BindTransformFeedbackBuffers(c.FirstBinding, list)
	}
}

// CmdBeginTransformFeedback2EXT is vkCmdBeginTransformFeedback2EXT.
func (r *Recorder) CmdBeginTransformFeedback2EXT(c *abi.CmdBeginTransformFeedback2EXT) {
	if list, ok := r.feedback("vkCmdBeginTransformFeedback2EXT", abi.Slice(c.PCounterInfos, c.CounterRangeCount)); ok {
		r.core.BeginTransformFeedback(c.FirstCounterRange, list)
	}
}

// CmdEndTransformFeedback2EXT is vkCmdEndTransformFeedback2EXT.
func (r *Recorder) CmdEndTransformFeedback2EXT(c *abi.CmdEndTransformFeedback2EXT) {
	if list, ok := r.feedback("vkCmdEndTransformFeedback2EXT", abi.Slice(c.PCounterInfos, c.CounterRangeCount)); ok {
		r.core.EndTransformFeedback(c.FirstCounterRange, list)
	}
}

// CmdDrawIndirectByteCount2EXT is vkCmdDrawIndirectByteCount2EXT.
func (r *Recorder) CmdDrawIndirectByteCount2EXT(c *abi.CmdDrawIndirectByteCount2EXT) {
	if list, ok := r.feedback("vkCmdDrawIndirectByteCount2EXT", abi.Slice(c.PCounterInfo, 1)); ok && len(list) == 1 {
		r.core.DrawIndirectByteCount(c.InstanceCount, c.FirstInstance, list[0], c.CounterOffset, c.VertexStride)
	}
}

// CmdWriteMarkerToMemoryAMD is vkCmdWriteMarkerToMemoryAMD.
func (r *Recorder) CmdWriteMarkerToMemoryAMD(c *abi.CmdWriteMarkerToMemoryAMD) {
	if b, offset, _, ok := r.at("vkCmdWriteMarkerToMemoryAMD", c.PInfo.DstRange); ok {
		r.core.WriteMarker(b, offset, c.PInfo.Marker)
	}
}

// CmdCopyMemoryIndirectKHR is vkCmdCopyMemoryIndirectKHR.
func (r *Recorder) CmdCopyMemoryIndirectKHR(c *abi.CmdCopyMemoryIndirectKHR) {
	i := c.PCopyMemoryIndirectInfo
	if b, offset, _, ok := r.at("vkCmdCopyMemoryIndirectKHR", unstrided(i.CopyAddressRange)); ok && i.CopyCount > 0 {
		r.core.CopyMemoryIndirect(b, offset, i.CopyCount, i.CopyAddressRange.Stride)
	}
}

// CmdCopyMemoryToImageIndirectKHR is vkCmdCopyMemoryToImageIndirectKHR.
func (r *Recorder) CmdCopyMemoryToImageIndirectKHR(c *abi.CmdCopyMemoryToImageIndirectKHR) {
	i := c.PCopyMemoryToImageIndirectInfo
	if b, offset, _, ok := r.at("vkCmdCopyMemoryToImageIndirectKHR", unstrided(i.CopyAddressRange)); ok && i.CopyCount > 0 {
		r.core.CopyMemoryToImageIndirect(b, offset, i.CopyAddressRange.Stride, r.image(i.DstImage), slices.Clone(abi.Slice(i.PImageSubresources, i.CopyCount)))
	}
}
