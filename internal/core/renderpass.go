package core

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// A render pass with subpasses is carried out as a sequence of renderings, one a
// subpass. Load operations stand at the first subpass that uses an attachment
// (per view, where there are several), resolves at the end of each subpass.
// Storing and preserving need no work: attachments live in their image's memory.
// Layouts and dependencies make no difference, because subpasses run in order.

// RenderPassInfo is VkRenderPassCreateInfo2.
type RenderPassInfo struct {
	Attachments []vk.AttachmentDescription2
	Subpasses   []Subpass
	// Density is the fragment density map attachment of all subpasses, nil for
	// none.
	Density *vk.AttachmentReference2
	// Flags: PER_LAYER_FRAGMENT_DENSITY counts.
	Flags vk.RenderPassCreateFlags
}

// Subpass is VkSubpassDescription2 with
// VkSubpassDescriptionDepthStencilResolve. References of vk.AttachmentUnused, or
// nil, are unused.
type Subpass struct {
	vk.SubpassDescription2
	DepthStencilResolve                  *vk.AttachmentReference2
	DepthResolveMode, StencilResolveMode vk.ResolveModeFlags
	// Rate is the fragment shading rate attachment, RateTexel the region of one
	// of its texels.
	Rate      *vk.AttachmentReference2
	RateTexel vk.Extent2D
	// Samples: see RenderingInfo.
	Samples vk.SampleCountFlags
}

// RenderPass is a checked RenderPassInfo; immutable.
type RenderPass struct {
	object
	attachments []vk.AttachmentDescription2
	subpasses   []subpass
	density     int // attachment, -1: none
	perLayer    bool
}

// subpass is a Subpass with attachments by index, -1 for unused ones.
type subpass struct {
	viewMask            uint32
	color, resolve      []int
	depth, depthResolve int
	rate                int
	rateTexel           vk.Extent2D
	samples             int                    // of attachments of one sample, 0: one
	modes               [2]vk.ResolveModeFlags // of depth and stencil
	// first has the views for which this subpass is the first to use an
	// attachment, by attachment; bit 0 without multiview.
	first []uint32
	clear []int // attachments to clear before, because no draw attachment does
}

// NewRenderPass checks a description. Its slices are not kept.
func (d *Device) NewRenderPass(info RenderPassInfo) (*RenderPass, error) {
	const op Op = "vkCreateRenderPass2"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if len(info.Subpasses) == 0 {
		return nil, d.misuse(op, "VkRenderPassCreateInfo2-subpassCount-arraylength", "", "no subpass")
	}
	p := &RenderPass{attachments: slices.Clone(info.Attachments)}
	p.dev, p.kind = d, "render pass"
	for i, a := range p.attachments {
		if _, ok := format.Lookup(a.Format); !ok {
			return nil, d.unsupported(op, "VkAttachmentDescription2-format-parameter", "", "attachment %d of %v", i, a.Format)
		}
	}
	used := make([]uint32, len(p.attachments))
	for i := range info.Subpasses {
		s, err := p.newSubpass(op, &info.Subpasses[i], used)
		if err != nil {
			return nil, err
		}
		p.subpasses = append(p.subpasses, s)
	}
	p.density, p.perLayer = -1, info.Flags&vk.RenderPassCreatePerLayerFragmentDensityBitVALVE != 0
	if r := info.Density; r != nil && r.Attachment != vk.AttachmentUnused {
		if err := p.addDensity(op, r, used); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// addDensity checks the density map attachment of all subpasses.
//
// renderpass-fragmentdensitymapattachment
func (p *RenderPass) addDensity(op Op, r *vk.AttachmentReference2, used []uint32) error {
	const rule = "VkRenderPassFragmentDensityMapCreateInfoEXT-fragmentDensityMapAttachment-"
	if uint64(r.Attachment) >= uint64(len(used)) {
		return p.dev.misuse(op, "VkRenderPassCreateInfo2-fragmentDensityMapAttachment-06472", "", "attachment %d of %d", r.Attachment, len(used))
	}
	a := &p.attachments[r.Attachment]
	switch {
	case used[r.Attachment] != 0:
		return p.dev.misuse(op, rule+"02548", "", "attachment %d is the density map, and a subpass draws to it or reads it", r.Attachment)
	case a.LoadOp == vk.AttachmentLoadOpClear:
		return p.dev.misuse(op, rule+"02550", "", "the density map is cleared")
	case a.StoreOp == vk.AttachmentStoreOpStore:
		return p.dev.misuse(op, rule+"02551", "use DONT_CARE: the pass does not change it", "the density map is stored")
	}
	p.density = int(r.Attachment)
	return nil
}

// newSubpass resolves the references of a subpass. used holds the views in which
// earlier subpasses have used each attachment.
func (p *RenderPass) newSubpass(op Op, in *Subpass, used []uint32) (subpass, error) {
	s := subpass{viewMask: in.ViewMask, modes: [2]vk.ResolveModeFlags{in.DepthResolveMode, in.StencilResolveMode}, first: make([]uint32, len(used))}
	if len(in.ColorAttachments) > render.MaxColorAttachments {
		return s, p.dev.misuse(op, "VkSubpassDescription2-colorAttachmentCount-00845", "", "%d colour attachments; %d is the limit", len(in.ColorAttachments), render.MaxColorAttachments)
	}
	if len(in.ResolveAttachments) != 0 && len(in.ResolveAttachments) != len(in.ColorAttachments) {
		return s, p.dev.misuse(op, "VkSubpassDescription2-pResolveAttachments-parameter", "", "%d resolve attachments for %d colour attachments", len(in.ResolveAttachments), len(in.ColorAttachments))
	}
	views := max(in.ViewMask, 1)
	var bad error
	reference := func(r vk.AttachmentReference2, drawn bool) int {
		if r.Attachment == vk.AttachmentUnused {
			return -1
		}
		at := int(r.Attachment)
		if r.Attachment >= uint32(len(used)) {
			bad = p.dev.misuse(op, "VkRenderPassCreateInfo2-attachment-03051", "", "attachment %d of %d", r.Attachment, len(used))
			return -1
		}
		if news := views &^ used[at]; news != 0 {
			s.first[at] = news
			used[at] |= news
			if !drawn {
				s.clear = append(s.clear, at)
			}
		}
		return at
	}
	pointer := func(r *vk.AttachmentReference2, drawn bool) int {
		if r == nil {
			return -1
		}
		return reference(*r, drawn)
	}
	for _, r := range in.ColorAttachments {
		s.color = append(s.color, reference(r, true))
	}
	s.depth = pointer(in.DepthStencilAttachment, true)
	for _, r := range in.ResolveAttachments {
		s.resolve = append(s.resolve, reference(r, false))
	}
	s.depthResolve = pointer(in.DepthStencilResolve, false)
	s.rate, s.rateTexel = pointer(in.Rate, false), in.RateTexel
	if in.Samples != 0 {
		s.samples = Samples(in.Samples)
	}
	for _, r := range in.InputAttachments {
		reference(r, false)
	}
	return s, bad
}

// Close gives the render pass up.
func (p *RenderPass) Close() error {
	if p != nil {
		p.closed.Store(true)
	}
	return nil
}

// Subpasses returns the number of subpasses.
func (p *RenderPass) Subpasses() int { return len(p.subpasses) }

// Rendering returns the formats and view mask that pipelines of a subpass are
// made with; the zero value for a subpass that does not exist.
func (p *RenderPass) Rendering(subpass int) (r vk.PipelineRenderingCreateInfo) {
	if subpass < 0 || subpass >= len(p.subpasses) {
		return r
	}
	s := &p.subpasses[subpass]
	r.ViewMask = s.viewMask
	for _, at := range s.color {
		f := vk.FormatUndefined
		if at >= 0 {
			f = p.attachments[at].Format
		}
		r.ColorAttachmentFormats = append(r.ColorAttachmentFormats, f)
	}
	if s.depth >= 0 {
		f := p.attachments[s.depth].Format
		aspects := FormatAspects(f)
		if aspects&vk.ImageAspectDepthBit != 0 {
			r.DepthAttachmentFormat = f
		}
		if aspects&vk.ImageAspectStencilBit != 0 {
			r.StencilAttachmentFormat = f
		}
	}
	return r
}

// Samples returns the samples of a subpass's attachments, 0 without any.
func (p *RenderPass) Samples(subpass int) int {
	if subpass < 0 || subpass >= len(p.subpasses) {
		return 0
	}
	s := &p.subpasses[subpass]
	if s.samples != 0 {
		return s.samples
	}
	n := 0
	for _, at := range append(slices.Clone(s.color), s.depth) {
		if at >= 0 {
			n = max(n, Samples(p.attachments[at].Samples))
		}
	}
	return n
}

// RenderPassBegin is VkRenderPassBeginInfo.
type RenderPassBegin struct {
	Pass   *RenderPass
	Views  []*ImageView // by attachment; those that no subpass uses may be nil
	Area   vk.Rect2D
	Layers int             // of the framebuffer; 0 means 1
	Extent vk.Extent2D     // of the framebuffer; zero: to the far corner of Area
	Clear  []vk.ClearValue // by attachment
}

// subpassState is a render pass that has begun.
type subpassState struct {
	RenderPassBegin
	at int // the subpass
	// renderings are what the subpasses have begun so far.
	renderings []*RenderingInfo
}

// BeginRenderPass begins a render pass with its first subpass.
func (c *CommandBuffer) BeginRenderPass(b RenderPassBegin) {
	op := c.op("vkCmdBeginRenderPass")
	if !c.ok(op, -1) {
		return
	}
	if b.Pass == nil {
		c.misuse(op, "VkRenderPassBeginInfo-renderPass-parameter", "", "the render pass is nil")
		return
	}
	if !c.try(b.Pass.use(c.dev, op)) {
		return
	}
	n := len(b.Pass.attachments)
	if len(b.Views) < n {
		c.misuse(op, "VkFramebufferCreateInfo-attachmentCount-00876", "", "%d views for %d attachments", len(b.Views), n)
		return
	}
	for i, a := range b.Pass.attachments {
		v := b.Views[i]
		if v == nil && i == b.Pass.density {
			c.misuse(op, "VkFramebufferCreateInfo-pAttachments-02552", "", "the density map has no view")
			return
		}
		if v == nil {
			continue
		}
		if !c.try(v.use(c.dev, op)) {
			return
		}
		if v.view.Format != a.Format || v.view.Image.Samples != Samples(a.Samples) {
			c.misuse(op, "VkFramebufferCreateInfo-pAttachments-00880", "", "attachment %d is %v with %d samples, its view %v with %d", i, a.Format, Samples(a.Samples), v.view.Format, v.view.Image.Samples)
			return
		}
	}
	b.Views, b.Clear = slices.Clone(b.Views[:n]), slices.Clone(b.Clear)
	b.Clear = append(b.Clear, make([]vk.ClearValue, max(n-len(b.Clear), 0))...)
	c.transitionViews(op, &b, false)
	c.subpasses = &subpassState{RenderPassBegin: b}
	c.beginSubpass(op)
}

// NextSubpass ends a subpass and begins the next.
func (c *CommandBuffer) NextSubpass() {
	op := c.op("vkCmdNextSubpass")
	if !c.inSubpass(op) {
		return
	}
	if c.subpasses.at+1 >= len(c.subpasses.Pass.subpasses) {
		c.misuse(op, "vkCmdNextSubpass2-None-03102", "", "subpass %d is the last", c.subpasses.at)
		return
	}
	c.endRendering(op)
	if c.err == nil {
		c.subpasses.at++
		c.beginSubpass(op)
	}
}

// EndRenderPass ends the last subpass and the render pass.
func (c *CommandBuffer) EndRenderPass() {
	op := c.op("vkCmdEndRenderPass")
	if !c.inSubpass(op) {
		return
	}
	if c.subpasses.at+1 < len(c.subpasses.Pass.subpasses) {
		c.misuse(op, "vkCmdEndRenderPass2-None-03103", "", "subpass %d of %d", c.subpasses.at, len(c.subpasses.Pass.subpasses))
		return
	}
	c.endRendering(op)
	if c.err == nil {
		c.transitionViews(op, &c.subpasses.RenderPassBegin, true)
	}
	c.subpasses = nil
}

func (c *CommandBuffer) inSubpass(op Op) bool {
	if c.ok(op, 1) && c.subpasses == nil {
		c.misuse(op, "renderpass", "", "no render pass with subpasses has begun")
	}
	return c.err == nil
}

// beginSubpass begins the rendering of the current subpass.
func (c *CommandBuffer) beginSubpass(op Op) {
	b := c.subpasses
	s := &b.Pass.subpasses[b.at]
	for _, at := range s.clear {
		c.clearBefore(op, s, at)
	}
	info := RenderingInfo{Area: b.Area, LayerCount: b.Layers, ViewMask: s.viewMask, Color: make([]RenderingAttachment, len(s.color))}
	for i, at := range s.color {
		if at < 0 {
			continue
		}
		info.Color[i] = b.attachment(s, at, vk.ImageAspectColorBit)
		if i < len(s.resolve) && s.resolve[i] >= 0 {
			info.Color[i].Resolve, info.Color[i].SkipTransfer = b.Views[s.resolve[i]], b.skipsTransfer(s.resolve[i])
		}
	}
	if s.depth >= 0 {
		info.Depth = b.depthStencil(s, vk.ImageAspectDepthBit, s.modes[0])
		info.Stencil = b.depthStencil(s, vk.ImageAspectStencilBit, s.modes[1])
	}
	info.Samples = s.samples
	if s.rate >= 0 {
		info.Rate, info.RateTexel = b.Views[s.rate], s.rateTexel
	}
	if b.Pass.density >= 0 {
		info.Density, info.framebuffer = b.Views[b.Pass.density], b.Extent
		if b.Pass.perLayer {
			info.Flags |= vk.RenderingPerLayerFragmentDensityBitVALVE
		}
	}
	if c.err == nil {
		c.beginRendering(op, info)
	}
}

// attachment places the operations of an attachment in a subpass. A second aspect
// of an attachment has them at the same place.
func (b *subpassState) attachment(s *subpass, at int, aspect vk.ImageAspectFlags) RenderingAttachment {
	d := &b.Pass.attachments[at]
	a := RenderingAttachment{View: b.Views[at], Load: d.LoadOp, Store: d.StoreOp, Clear: b.Clear[at], loadMask: s.first[at], SkipTransfer: b.skipsTransfer(at)}
	if aspect == vk.ImageAspectStencilBit {
		a.Load, a.Store = d.StencilLoadOp, d.StencilStoreOp
	}
	if s.first[at] == 0 {
		a.Load = vk.AttachmentLoadOpLoad
	}
	return a
}

// skipsTransfer says that resolves to an attachment average the codes of sRGB formats.
//
// RAS-353
func (b *subpassState) skipsTransfer(at int) bool {
	return b.Pass.attachments[at].Flags&vk.AttachmentDescriptionResolveSkipTransferFunctionBitKHR != 0
}

// depthStencil is an aspect of the depth/stencil attachment, nil if the format
// does not have it.
func (b *subpassState) depthStencil(s *subpass, aspect vk.ImageAspectFlags, mode vk.ResolveModeFlags) *RenderingAttachment {
	if FormatAspects(b.Pass.attachments[s.depth].Format)&aspect == 0 {
		return nil
	}
	a := b.attachment(s, s.depth, aspect)
	a.ResolveMode = 0
	if s.samples != 0 {
		a.ResolveMode = mode
	}
	// A target without the aspect takes the other one only.
	if s.depthResolve >= 0 && mode != vk.ResolveModeNone && FormatAspects(b.Pass.attachments[s.depthResolve].Format)&aspect != 0 {
		a.Resolve, a.ResolveMode = b.Views[s.depthResolve], mode
	}
	return &a
}

// clearBefore clears an attachment that a subpass is the first to use, as an
// input attachment or resolve target: a rendering without draws.
func (c *CommandBuffer) clearBefore(op Op, s *subpass, at int) {
	b := c.subpasses
	d := &b.Pass.attachments[at]
	aspects := FormatAspects(d.Format)
	clears := d.LoadOp == vk.AttachmentLoadOpClear && aspects != vk.ImageAspectStencilBit ||
		d.StencilLoadOp == vk.AttachmentLoadOpClear && aspects&vk.ImageAspectStencilBit != 0
	if !clears || c.err != nil {
		return
	}
	a := RenderingAttachment{View: b.Views[at], Load: d.LoadOp, Clear: b.Clear[at]}
	info := RenderingInfo{Area: b.Area, LayerCount: b.Layers, loading: true}
	if s.viewMask != 0 {
		info.ViewMask = s.first[at]
	}
	if aspects&vk.ImageAspectColorBit != 0 {
		info.Color = []RenderingAttachment{a}
	}
	if aspects&vk.ImageAspectDepthBit != 0 {
		depth := a
		info.Depth = &depth
	}
	if aspects&vk.ImageAspectStencilBit != 0 {
		a.Load = d.StencilLoadOp
		info.Stencil = &a
	}
	c.beginRendering(op, info)
	if c.err == nil {
		c.endRendering(op)
	}
}
