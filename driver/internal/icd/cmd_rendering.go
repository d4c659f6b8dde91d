package icd

import (
	"slices"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// CmdBeginRendering is vkCmdBeginRendering.
func (r *Recorder) CmdBeginRendering(c *abi.CmdBeginRendering) {
	i := c.PRenderingInfo
	info := core.RenderingInfo{Area: i.RenderArea, LayerCount: int(min(i.LayerCount, 1<<30)), ViewMask: i.ViewMask, Flags: i.Flags}
	for n, a := range abi.Slice(i.PColorAttachments, i.ColorAttachmentCount) {
		if n == 0 {
			info.Color = make([]core.RenderingAttachment, 0, i.ColorAttachmentCount)
		}
		info.Color = append(info.Color, r.attachment(&a))
	}
	if a := i.PDepthAttachment; a != nil && a.ImageView != 0 {
		d := r.attachment(a)
		info.Depth = &d
	}
	if a := i.PStencilAttachment; a != nil && a.ImageView != 0 {
		s := r.attachment(a)
		info.Stencil = &s
	}
	if m := abi.Find[abi.MultisampledRenderToSingleSampledInfoEXT](i.PNext); m != nil && m.MultisampledRenderToSingleSampledEnable.True() {
		info.Samples = core.Samples(m.RasterizationSamples)
	}
	if a := abi.Find[abi.RenderingFragmentShadingRateAttachmentInfoKHR](i.PNext); a != nil && a.ImageView != 0 {
		info.Rate, info.RateTexel = r.view(a.ImageView), a.ShadingRateAttachmentTexelSize
	}
	if a := abi.Find[abi.RenderingFragmentDensityMapAttachmentInfoEXT](i.PNext); a != nil && a.ImageView != 0 {
		info.Density = r.view(a.ImageView)
	}
	r.core.BeginRendering(info)
}

func (r *Recorder) attachment(a *abi.RenderingAttachmentInfo) core.RenderingAttachment {
	out := core.RenderingAttachment{View: r.view(a.ImageView), Load: a.LoadOp, Store: a.StoreOp, Clear: clearValue(&a.ClearValue)}
	if a.ResolveMode != vk.ResolveModeNone && out.View != nil {
		out.Resolve, out.ResolveMode = r.view(a.ResolveImageView), a.ResolveMode
	}
	if f := abi.Find[abi.RenderingAttachmentFlagsInfoKHR](a.PNext); f != nil {
		out.SkipTransfer = f.Flags&vk.RenderingAttachmentResolveSkipTransferFunctionBitKHR != 0
	}
	return out
}

// CmdEndRendering is vkCmdEndRendering.
func (r *Recorder) CmdEndRendering(*abi.CmdEndRendering) { r.core.EndRendering("vkCmdEndRendering") }

// CmdBeginCustomResolveEXT is vkCmdBeginCustomResolveEXT.
func (r *Recorder) CmdBeginCustomResolveEXT(*abi.CmdBeginCustomResolveEXT) {
	r.core.BeginCustomResolve()
}

// CmdBeginRenderPass is vkCmdBeginRenderPass.
func (r *Recorder) CmdBeginRenderPass(c *abi.CmdBeginRenderPass) {
	r.beginRenderPass("vkCmdBeginRenderPass", c.PRenderPassBegin)
}

// CmdBeginRenderPass2 is vkCmdBeginRenderPass2.
func (r *Recorder) CmdBeginRenderPass2(c *abi.CmdBeginRenderPass2) {
	r.beginRenderPass("vkCmdBeginRenderPass2", c.PRenderPassBegin)
}

func (r *Recorder) beginRenderPass(op core.Op, i *abi.RenderPassBeginInfo) {
	p, f := lookup(&r.device.renderPasses, i.RenderPass), lookup(&r.device.framebuffers, i.Framebuffer)
	if p == nil || f == nil {
		r.misuse(op, "VkRenderPassBeginInfo-framebuffer-parameter", "a render pass or framebuffer that does not exist")
		return
	}
	b := core.RenderPassBegin{Pass: p.core, Area: i.RenderArea, Layers: int(min(f.layers, 1<<30)), Extent: vk.Extent2D{Width: f.width, Height: f.height}}
	if f.imageless {
		if a := abi.Find[abi.RenderPassAttachmentBeginInfo](i.PNext); a != nil {
			for _, h := range abi.Slice(a.PAttachments, a.AttachmentCount) {
				b.Views = append(b.Views, r.view(h))
			}
		}
	} else {
		b.Views = make([]*core.ImageView, len(f.views))
		for n, v := range f.views {
			if v != nil {
				b.Views[n] = v.core
			}
		}
	}
	b.Clear = each(i.PClearValues, i.ClearValueCount, clearValue)
	r.core.BeginRenderPass(b)
}

// CmdNextSubpass is vkCmdNextSubpass.
func (r *Recorder) CmdNextSubpass(*abi.CmdNextSubpass) { r.core.NextSubpass() }

// CmdNextSubpass2 is vkCmdNextSubpass2.
func (r *Recorder) CmdNextSubpass2(*abi.CmdNextSubpass2) { r.core.NextSubpass() }

// CmdEndRenderPass is vkCmdEndRenderPass.
func (r *Recorder) CmdEndRenderPass(*abi.CmdEndRenderPass) { r.core.EndRenderPass() }

// CmdEndRenderPass2 is vkCmdEndRenderPass2.
func (r *Recorder) CmdEndRenderPass2(c *abi.CmdEndRenderPass2) {
	if c.PSubpassEndInfo != nil {
		r.densityOffsets("vkCmdEndRenderPass2", c.PSubpassEndInfo.PNext)
	}
	r.core.EndRenderPass()
}

// CmdSetRenderingAttachmentLocations is vkCmdSetRenderingAttachmentLocations.
func (r *Recorder) CmdSetRenderingAttachmentLocations(c *abi.CmdSetRenderingAttachmentLocations) {
	r.core.SetAttachmentLocations(locations(c.PLocationInfo))
}

// locations are those of fragment outputs that go to each colour attachment; nil: their own numbers.
func locations(l *abi.RenderingAttachmentLocationInfo) []uint32 {
	if l == nil || l.PColorAttachmentLocations == nil {
		return nil
	}
	return slices.Clone(abi.Slice(l.PColorAttachmentLocations, l.ColorAttachmentCount))
}

// CmdSetRenderingInputAttachmentIndices is
// vkCmdSetRenderingInputAttachmentIndices: input attachments are read through
// their descriptors.
func (r *Recorder) CmdSetRenderingInputAttachmentIndices(*abi.CmdSetRenderingInputAttachmentIndices) {
}
