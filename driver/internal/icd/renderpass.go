package icd

import (
	"slices"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// CreateRenderPass2 is vkCreateRenderPass2. Dependencies and layouts need nothing:
// subpasses run in order.
func (d *Device) CreateRenderPass2(a *abi.CreateRenderPass2Args) vk.Result {
	i := a.PCreateInfo
	info := core.RenderPassInfo{Flags: i.Flags, Density: densityOf(i.PNext)}
	for _, x := range abi.Slice(i.PAttachments, i.AttachmentCount) {
		info.Attachments = append(info.Attachments, vk.AttachmentDescription2{
			Flags: x.Flags, Format: x.Format, Samples: x.Samples, LoadOp: x.LoadOp, StoreOp: x.StoreOp,
			StencilLoadOp: x.StencilLoadOp, StencilStoreOp: x.StencilStoreOp, InitialLayout: x.InitialLayout, FinalLayout: x.FinalLayout,
		})
	}
	for _, x := range abi.Slice(i.PSubpasses, i.SubpassCount) {
		s := core.Subpass{SubpassDescription2: vk.SubpassDescription2{
			Flags: x.Flags, PipelineBindPoint: x.PipelineBindPoint, ViewMask: x.ViewMask,
			InputAttachments:       references2(x.PInputAttachments, x.InputAttachmentCount),
			ColorAttachments:       references2(x.PColorAttachments, x.ColorAttachmentCount),
			ResolveAttachments:     references2(x.PResolveAttachments, x.ColorAttachmentCount),
			DepthStencilAttachment: reference2(x.PDepthStencilAttachment),
			PreserveAttachments:    slices.Clone(abi.Slice(x.PPreserveAttachments, x.PreserveAttachmentCount)),
		}}
		if r := abi.Find[abi.FragmentShadingRateAttachmentInfoKHR](x.PNext); r != nil {
			s.Rate, s.RateTexel = reference2(r.PFragmentShadingRateAttachment), r.ShadingRateAttachmentTexelSize
		}
		if r := abi.Find[abi.SubpassDescriptionDepthStencilResolve](x.PNext); r != nil {
			s.DepthStencilResolve = reference2(r.PDepthStencilResolveAttachment)
			s.DepthResolveMode, s.StencilResolveMode = r.DepthResolveMode, r.StencilResolveMode
		}
		if m := abi.Find[abi.MultisampledRenderToSingleSampledInfoEXT](x.PNext); m != nil && m.MultisampledRenderToSingleSampledEnable.True() {
			s.Samples = m.RasterizationSamples
		}
		info.Subpasses = append(info.Subpasses, s)
	}
	mergeFeedback(i)
	return d.newRenderPass(a.PRenderPass, info)
}

func (d *Device) newRenderPass(out *abi.RenderPass, info core.RenderPassInfo) vk.Result {
	p := &RenderPass{}
	var err error
	p.core, err = d.core.NewRenderPass(info)
	return created(&d.renderPasses, out, p, err)
}

func references2(p *abi.AttachmentReference2, n uint32) []vk.AttachmentReference2 {
	var out []vk.AttachmentReference2
	for _, r := range abi.Slice(p, n) {
		out = append(out, vk.AttachmentReference2{Attachment: r.Attachment, Layout: r.Layout, AspectMask: r.AspectMask})
	}
	return out
}

func reference2(p *abi.AttachmentReference2) *vk.AttachmentReference2 {
	if p == nil {
		return nil
	}
	return &references2(p, 1)[0]
}

// CreateRenderPass is vkCreateRenderPass: the second version in fewer words, with
// VkRenderPassMultiviewCreateInfo for view masks. Aspects of input attachments
// make no difference, because their views choose one.
func (d *Device) CreateRenderPass(a *abi.CreateRenderPassArgs) vk.Result {
	i := a.PCreateInfo
	var masks []uint32
	if m := abi.Find[abi.RenderPassMultiviewCreateInfo](i.PNext); m != nil {
		masks = abi.Slice(m.PViewMasks, m.SubpassCount)
	}
	info := core.RenderPassInfo{Flags: i.Flags, Density: densityOf(i.PNext)}
	for _, x := range abi.Slice(i.PAttachments, i.AttachmentCount) {
		info.Attachments = append(info.Attachments, vk.AttachmentDescription2(x))
	}
	for n, x := range abi.Slice(i.PSubpasses, i.SubpassCount) {
		s := core.Subpass{SubpassDescription2: vk.SubpassDescription2{
			Flags: x.Flags, PipelineBindPoint: x.PipelineBindPoint,
			InputAttachments:    references(x.PInputAttachments, x.InputAttachmentCount),
			ColorAttachments:    references(x.PColorAttachments, x.ColorAttachmentCount),
			ResolveAttachments:  references(x.PResolveAttachments, x.ColorAttachmentCount),
			PreserveAttachments: slices.Clone(abi.Slice(x.PPreserveAttachments, x.PreserveAttachmentCount)),
		}}
		if n < len(masks) {
			s.ViewMask = masks[n]
		}
		if x.PDepthStencilAttachment != nil {
			s.DepthStencilAttachment = &references(x.PDepthStencilAttachment, 1)[0]
		}
		info.Subpasses = append(info.Subpasses, s)
	}
	return d.newRenderPass(a.PRenderPass, info)
}

func references(p *abi.AttachmentReference, n uint32) []vk.AttachmentReference2 {
	var out []vk.AttachmentReference2
	for _, r := range abi.Slice(p, n) {
		out = append(out, vk.AttachmentReference2{Attachment: r.Attachment, Layout: r.Layout})
	}
	return out
}

// DestroyRenderPass is vkDestroyRenderPass.
func (d *Device) DestroyRenderPass(a *abi.DestroyRenderPassArgs) {
	destroy(&d.renderPasses, a.RenderPass, func(p *RenderPass) object { return p.core })
}

// GetRenderAreaGranularity is vkGetRenderAreaGranularity: any area is as good as
// another.
func (d *Device) GetRenderAreaGranularity(a *abi.GetRenderAreaGranularityArgs) {
	*a.PGranularity = vk.Extent2D{Width: 1, Height: 1}
}

// GetRenderingAreaGranularity is vkGetRenderingAreaGranularity.
func (d *Device) GetRenderingAreaGranularity(a *abi.GetRenderingAreaGranularityArgs) {
	*a.PGranularity = vk.Extent2D{Width: 1, Height: 1}
}

// CreateFramebuffer is vkCreateFramebuffer.
func (d *Device) CreateFramebuffer(a *abi.CreateFramebufferArgs) vk.Result {
	i := a.PCreateInfo
	f := &Framebuffer{width: i.Width, height: i.Height, layers: i.Layers, imageless: i.Flags&vk.FramebufferCreateImagelessBit != 0}
	var err error
	limits := engine.Limits()
	switch {
	case i.Width > limits.MaxFramebufferWidth || i.Height > limits.MaxFramebufferHeight || i.Layers > limits.MaxFramebufferLayers:
		err = vk.ErrorValidationFailed
	case !f.imageless:
		f.views = make([]*ImageView, 0, min(i.AttachmentCount, 64))
		for _, h := range abi.Slice(i.PAttachments, i.AttachmentCount) {
			v := lookup(&d.imageViews, h)
			if v == nil {
				err = vk.ErrorValidationFailed
				break
			}
			f.views = append(f.views, v)
		}
	}
	return created(&d.framebuffers, a.PFramebuffer, f, err)
}

// DestroyFramebuffer is vkDestroyFramebuffer.
func (d *Device) DestroyFramebuffer(a *abi.DestroyFramebufferArgs) {
	d.framebuffers.Take(uint64(a.Framebuffer))
}
