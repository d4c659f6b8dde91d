package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// CmdBindPipeline is vkCmdBindPipeline.
func (r *Recorder) CmdBindPipeline(c *abi.CmdBindPipeline) {
	var p *core.Pipeline
	if v := lookup(&r.device.pipelines, c.Pipeline); v != nil {
		p = v.core
	}
	r.core.BindPipeline("vkCmdBindPipeline", c.PipelineBindPoint, p)
}

// CmdBindDescriptorSets is vkCmdBindDescriptorSets.
func (r *Recorder) CmdBindDescriptorSets(c *abi.CmdBindDescriptorSets) {
	r.bindSets("vkCmdBindDescriptorSets", c.PipelineBindPoint, c.Layout, c.FirstSet,
		abi.Slice(c.PDescriptorSets, c.DescriptorSetCount), abi.Slice(c.PDynamicOffsets, c.DynamicOffsetCount))
}

// CmdBindDescriptorSets2 is vkCmdBindDescriptorSets2.
func (r *Recorder) CmdBindDescriptorSets2(c *abi.CmdBindDescriptorSets2) {
	i := c.PBindDescriptorSetsInfo
	for _, p := range bindPoints(i.StageFlags) {
		r.bindSets("vkCmdBindDescriptorSets2", p, i.Layout, i.FirstSet,
			abi.Slice(i.PDescriptorSets, i.DescriptorSetCount), abi.Slice(i.PDynamicOffsets, i.DynamicOffsetCount))
	}
}

// bindPoints are the bind points of shader stages.
func bindPoints(s vk.ShaderStageFlags) (out []vk.PipelineBindPoint) {
	if s&vk.ShaderStageAllGraphics != 0 {
		out = append(out, vk.PipelineBindPointGraphics)
	}
	if s&vk.ShaderStageComputeBit != 0 {
		out = append(out, vk.PipelineBindPointCompute)
	}
	return out
}

// bindSets binds sets from first on; each takes the dynamic offsets of its
// layout from offsets. VK_NULL_HANDLE leaves a set as it is.
func (r *Recorder) bindSets(op core.Op, point vk.PipelineBindPoint, layout abi.PipelineLayout, first uint32, sets []abi.DescriptorSet, offsets []uint32) {
	l := lookup(&r.device.pipelineLayouts, layout)
	for n, h := range sets {
		number := first + uint32(n)
		s := lookup(&r.device.descriptorSets, h)
		if s == nil {
			if h != 0 {
				r.misuse(op, "vkCmdBindDescriptorSets-pDescriptorSets-parameter", "a descriptor set that does not exist")
			}
			if l != nil && uint64(number) < uint64(len(l.sets)) && l.sets[number] != nil {
				offsets = offsets[min(l.sets[number].dynamic, len(offsets)):]
			}
			continue
		}
		own := offsets[:min(s.layout.dynamic, len(offsets))]
		offsets = offsets[len(own):]
		r.core.BindDescriptorSetLate(op, point, int(number), s.core, own)
	}
}

// CmdPushConstants is vkCmdPushConstants.
func (r *Recorder) CmdPushConstants(c *abi.CmdPushConstants) {
	r.core.PushConstants("vkCmdPushConstants", c.Offset, bytes(c.PValues, uint64(c.Size)))
}

// CmdPushConstants2 is vkCmdPushConstants2.
func (r *Recorder) CmdPushConstants2(c *abi.CmdPushConstants2) {
	i := c.PPushConstantsInfo
	r.core.PushConstants("vkCmdPushConstants2", i.Offset, bytes(i.PValues, uint64(i.Size)))
}

// CmdBindVertexBuffers is vkCmdBindVertexBuffers.
func (r *Recorder) CmdBindVertexBuffers(c *abi.CmdBindVertexBuffers) {
	offsets := abi.Slice(c.POffsets, c.BindingCount)
	for n, h := range abi.Slice(c.PBuffers, c.BindingCount) {
		if n < len(offsets) {
			r.core.BindVertexBuffer(c.FirstBinding+uint32(n), r.buffer(h), offsets[n], vk.WholeSize, nil)
		}
	}
}

// CmdBindVertexBuffers2 is vkCmdBindVertexBuffers2.
func (r *Recorder) CmdBindVertexBuffers2(c *abi.CmdBindVertexBuffers2) {
	offsets, sizes, strides := abi.Slice(c.POffsets, c.BindingCount), abi.Slice(c.PSizes, c.BindingCount), abi.Slice(c.PStrides, c.BindingCount)
	for n, h := range abi.Slice(c.PBuffers, c.BindingCount) {
		if n >= len(offsets) {
			break
		}
		size := uint64(vk.WholeSize)
		if sizes != nil {
			size = sizes[n]
		}
		var stride *uint32
		if strides != nil {
			s := uint32(min(strides[n], 1<<31))
			stride = &s
		}
		r.core.BindVertexBuffer(c.FirstBinding+uint32(n), r.buffer(h), offsets[n], size, stride)
	}
}

// CmdBindIndexBuffer is vkCmdBindIndexBuffer.
func (r *Recorder) CmdBindIndexBuffer(c *abi.CmdBindIndexBuffer) {
	r.core.BindIndexBuffer(r.buffer(c.Buffer), c.Offset, vk.WholeSize, c.IndexType)
}

// CmdBindIndexBuffer2 is vkCmdBindIndexBuffer2.
func (r *Recorder) CmdBindIndexBuffer2(c *abi.CmdBindIndexBuffer2) {
	r.core.BindIndexBuffer(r.buffer(c.Buffer), c.Offset, c.Size, c.IndexType)
}

// CmdSetDeviceMask is vkCmdSetDeviceMask: there is one device.
func (r *Recorder) CmdSetDeviceMask(*abi.CmdSetDeviceMask) {}

// CmdBeginDebugUtilsLabelEXT is vkCmdBeginDebugUtilsLabelEXT: messages about work that
// does not end tell labels.
func (r *Recorder) CmdBeginDebugUtilsLabelEXT(c *abi.CmdBeginDebugUtilsLabelEXT) {
	r.core.BeginLabel(abi.String(c.PLabelInfo.PLabelName))
}

// CmdEndDebugUtilsLabelEXT is vkCmdEndDebugUtilsLabelEXT.
func (r *Recorder) CmdEndDebugUtilsLabelEXT(*abi.CmdEndDebugUtilsLabelEXT) { r.core.EndLabel() }

// CmdInsertDebugUtilsLabelEXT is vkCmdInsertDebugUtilsLabelEXT: for layers and tools.
func (r *Recorder) CmdInsertDebugUtilsLabelEXT(*abi.CmdInsertDebugUtilsLabelEXT) {}
