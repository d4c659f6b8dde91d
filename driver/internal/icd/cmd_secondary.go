package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// maxNesting is how deep secondary command buffers may execute others: far from
// what the stack could take.
const maxNesting = 1 << 10

// inheritance says what a secondary command buffer will be executed in. Open
// queries and conditional rendering hold inside it without being told.
func (d *Device) inheritance(begin *abi.CommandBufferBeginInfo) (in core.Inheritance) {
	i := begin.PInheritanceInfo
	if i != nil {
		in.Heaps = inheritedHeaps(i.PNext)
	}
	if i == nil || begin.Flags&vk.CommandBufferUsageRenderPassContinueBit == 0 {
		return in
	}
	in.InPass = true
	if p := lookup(&d.renderPasses, i.RenderPass); p != nil {
		in.Pass, in.Subpass = p.core, int(min(i.Subpass, 1<<30))
		return in
	}
	if f := abi.Find[abi.CommandBufferInheritanceRenderingInfo](i.PNext); f != nil {
		in.Samples = f.RasterizationSamples
		in.Formats = vk.PipelineRenderingCreateInfo{
			ViewMask:               f.ViewMask,
			ColorAttachmentFormats: append([]vk.Format(nil), abi.Slice(f.PColorAttachmentFormats, f.ColorAttachmentCount)...),
			DepthAttachmentFormat:  f.DepthAttachmentFormat, StencilAttachmentFormat: f.StencilAttachmentFormat,
		}
		customFormats(&in.Formats, i.PNext)
		in.Locations = locations(abi.Find[abi.RenderingAttachmentLocationInfo](i.PNext))
	}
	return in
}

// inheritedHeaps are the heaps that a secondary command buffer begins with.
func inheritedHeaps(next unsafe.Pointer) (out []core.InheritedHeap) {
	h := abi.Find[abi.CommandBufferInheritanceDescriptorHeapInfoEXT](next)
	if h == nil {
		return nil
	}
	for kind, i := range [...]*abi.BindHeapInfoEXT{core.SamplerHeap: h.PSamplerHeapBindInfo, core.ResourceHeap: h.PResourceHeapBindInfo} {
		if i != nil {
			out = append(out, core.InheritedHeap{Kind: core.HeapKind(kind), Address: i.HeapRange.Address, Size: i.HeapRange.Size, Offset: i.ReservedRangeOffset, Reserved: i.ReservedRangeSize})
		}
	}
	return out
}

// CmdExecuteCommands is vkCmdExecuteCommands.
func (r *Recorder) CmdExecuteCommands(c *abi.CmdExecuteCommands) {
	for _, h := range abi.Slice(c.PCommandBuffers, c.CommandBufferCount) {
		s := resolve(&r.device.driver.commandBuffers, unsafe.Pointer(h), abi.LevelCommandBuffer)
		if s == nil || s.commands == nil {
			r.misuse("vkCmdExecuteCommands", "vkCmdExecuteCommands-pCommandBuffers-00089", "a command buffer that is not executable")
		} else {
			r.core.ExecuteCommands([]*core.CommandBuffer{s.commands})
		}
		r.core.Drop()
	}
}
