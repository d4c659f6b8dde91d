package core

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// RenderingInfo describes a render pass (VkRenderingInfo).
type RenderingInfo struct {
	Area           vk.Rect2D // zero extent: as large as the attachments
	LayerCount     int       // 0 means 1
	ViewMask       uint32
	Color          []RenderingAttachment // a nil View: unused
	Depth, Stencil *RenderingAttachment
	// Flags: a pass that is RESUMING loads nothing, one that is SUSPENDING
	// resolves nothing.
	Flags vk.RenderingFlags
	// Rate is the fragment shading rate attachment, nil for none; RateTexel is
	// the region of one of its texels.
	Rate      *ImageView
	RateTexel vk.Extent2D
	// Density is the fragment density map attachment, nil for none.
	Density *ImageView
	// Samples, if not 0, is the number of samples that attachments of one sample
	// are drawn with (VkMultisampledRenderToSingleSampledInfoEXT).
	Samples int

	passFormats
	loading bool // only carries out load operations, which need no usage

	framebuffer    vk.Extent2D // of a render pass object: what a density map is stretched over
	densityOffsets []vk.Offset2D

	locations []uint32 // of outputs of shader objects, for each colour attachment; nil: their own numbers

	custom *RenderingInfo // the part of the pass that draws its resolves; nil: none
	before *RenderingInfo // of such a part: the part before it
}

// passFormats is what pipelines have to agree with.
type passFormats struct {
	colors         []vk.Format // FormatUndefined: unused
	depth, stencil vk.Format
	samples        int  // 0: there are no attachments
	colorSamples   int  // the most of the colour attachments, 0: there are none or they are not known
	inherited      bool // of a secondary command buffer: the area is not known
}

// RenderingAttachment is VkRenderingAttachmentInfo.
type RenderingAttachment struct {
	View        *ImageView
	Resolve     *ImageView
	ResolveMode vk.ResolveModeFlags
	// SkipTransfer is VK_RENDERING_ATTACHMENT_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR.
	SkipTransfer bool
	Load         vk.AttachmentLoadOp
	Store        vk.AttachmentStoreOp
	Clear        vk.ClearValue

	loadMask uint32 // views that Load applies to; 0: all
	single   bool   // of one sample, drawn with several
}

// BeginRendering begins a render pass and returns the render area.
func (c *CommandBuffer) BeginRendering(info RenderingInfo) vk.Rect2D {
	op := c.op("vkCmdBeginRendering")
	if !c.ok(op, -1) {
		return vk.Rect2D{}
	}
	return c.beginRendering(op, info)
}

func (c *CommandBuffer) beginRendering(op Op, info RenderingInfo) vk.Rect2D {
	if info.LayerCount < 0 || info.LayerCount > 2048 {
		c.misuse(op, "VkRenderingInfo-layerCount-07817", "", "%d layers", info.LayerCount)
		return vk.Rect2D{}
	}
	if len(info.Color) > render.MaxColorAttachments {
		c.misuse(op, "VkRenderingInfo-colorAttachmentCount-06106", "", "%d colour attachments; %d is the limit", len(info.Color), render.MaxColorAttachments)
		return vk.Rect2D{}
	}
	info.copyAttachments()
	info.custom = info.customResolve()
	if !c.checkPass(op, &info) {
		return vk.Rect2D{}
	}
	if x := info.custom; x != nil {
		if x.Area = info.Area; !c.checkPass(op, x) {
			return vk.Rect2D{}
		}
	}
	info.suspend()
	c.pass = &info
	if c.subpasses != nil {
		c.subpasses.renderings = append(c.subpasses.renderings, &info)
	}
	c.emit(opBeginRendering, c.payload(&info))
	return info.Area
}

// checkPass checks the attachments and the area of a pass, and fills in what follows from them.
func (c *CommandBuffer) checkPass(op Op, info *RenderingInfo) bool {
	width, height := math.MaxInt, math.MaxInt
	for i := range info.Color {
		c.checkAttachment(op, info, &info.Color[i], vk.ImageAspectColorBit, &width, &height)
	}
	if info.Depth != nil {
		c.checkAttachment(op, info, info.Depth, vk.ImageAspectDepthBit, &width, &height)
	}
	if info.Stencil != nil {
		c.checkAttachment(op, info, info.Stencil, vk.ImageAspectStencilBit, &width, &height)
	}
	if info.Rate != nil {
		c.checkRate(op, info)
	}
	if c.err == nil {
		c.checkArea(op, info, width, height)
	}
	if c.err == nil && info.Density != nil {
		c.checkDensity(op, info)
	}
	info.listFormats()
	return c.err == nil
}

// SetAttachmentLocations says which locations of fragment outputs go to each colour attachment, for the rest of the pass.
// Pipelines have the same ones, and theirs count.
//
// vkCmdSetRenderingAttachmentLocations
func (c *CommandBuffer) SetAttachmentLocations(locations []uint32) {
	op := c.op("vkCmdSetRenderingAttachmentLocations")
	if !c.ok(op, 1) {
		return
	}
	if len(locations) > render.MaxColorAttachments {
		c.misuse(op, "VkRenderingAttachmentLocationInfo-colorAttachmentCount-09514", "", "locations of %d colour attachments; %d is the limit", len(locations), render.MaxColorAttachments)
		return
	}
	c.pass.locations = slices.Clone(locations)
}

// checkRate checks the fragment shading rate attachment.
func (c *CommandBuffer) checkRate(op Op, info *RenderingInfo) {
	v := info.Rate
	if !c.try(v.use(c.dev, op)) {
		return
	}
	ok := func(n uint32) bool { return n >= MinRateTexel && n <= MaxRateTexel && n&(n-1) == 0 }
	switch {
	case !ok(info.RateTexel.Width) || !ok(info.RateTexel.Height):
		c.misuse(op, "VkRenderingFragmentShadingRateAttachmentInfoKHR-imageView-06149", "", "texels of %d×%d pixels", info.RateTexel.Width, info.RateTexel.Height)
	case v.view.Image.Usage&vk.ImageUsageFragmentShadingRateAttachmentBitKHR == 0 || !rateFormat(v.view.Format):
		c.misuse(op, "VkRenderingFragmentShadingRateAttachmentInfoKHR-imageView-06148", "", "%s of format %v is no shading rate attachment", v.label(), v.view.Format)
	case int64(len(v.view.Image.Data)) < v.view.Image.Layout.Size:
		c.misuse(op, "VkImageViewCreateInfo-image-01020", "", "%s has no memory", v.label())
	}
}

// MinRateTexel and MaxRateTexel bound the extent of a texel of a fragment shading
// rate attachment, pixels.
const (
	MinRateTexel = 8
	MaxRateTexel = 32
)

// copyAttachments makes the attachments the pass's own.
func (info *RenderingInfo) copyAttachments() {
	info.Color = slices.Clone(info.Color)
	for _, a := range []**RenderingAttachment{&info.Depth, &info.Stencil} {
		if *a != nil {
			own := **a
			*a = &own
		}
	}
}

// listFormats fills in the formats of the attachments.
func (info *RenderingInfo) listFormats() {
	format := func(a *RenderingAttachment) vk.Format {
		if a == nil || a.View == nil {
			return vk.FormatUndefined
		}
		return a.View.view.Format
	}
	info.colors = make([]vk.Format, len(info.Color))
	for i := range info.Color {
		info.colors[i] = format(&info.Color[i])
	}
	info.depth, info.stencil = format(info.Depth), format(info.Stencil)
}

// suspend applies Flags: load operations belong to the first part of a suspended
// pass, resolves to its last.
//
// renderpass-suspension
func (info *RenderingInfo) suspend() {
	info.each(func(a *RenderingAttachment) {
		if info.Flags&vk.RenderingResumingBit != 0 {
			a.Load = vk.AttachmentLoadOpLoad
		}
		if info.Flags&vk.RenderingSuspendingBit != 0 {
			a.Resolve, a.ResolveMode = nil, 0
		}
	})
}

// each calls f for all attachments.
func (info *RenderingInfo) each(f func(*RenderingAttachment)) {
	for i := range info.Color {
		f(&info.Color[i])
	}
	if info.Depth != nil {
		f(info.Depth)
	}
	if info.Stencil != nil {
		f(info.Stencil)
	}
}

// checkArea fills in and checks the render area.
func (c *CommandBuffer) checkArea(op Op, info *RenderingInfo, width, height int) {
	a := &info.Area
	if a.Extent == (vk.Extent2D{}) {
		if width == math.MaxInt {
			c.misuse(op, "VkRenderingInfo-None-08994", "a pass without attachments needs an Area", "the render area is empty")
			return
		}
		if a.Offset != (vk.Offset2D{}) {
			c.misuse(op, "VkRenderingInfo-None-08994", "", "the render area is empty")
			return
		}
		a.Extent = vk.Extent2D{Width: uint32(width), Height: uint32(height)}
	}
	if width == math.MaxInt { // no attachments: maxFramebufferWidth and -Height
		width, height = 32768, 32768
	}
	if a.Offset.X < 0 || a.Offset.Y < 0 || a.Extent.Width == 0 || a.Extent.Height == 0 ||
		uint64(a.Offset.X)+uint64(a.Extent.Width) > uint64(width) || uint64(a.Offset.Y)+uint64(a.Extent.Height) > uint64(height) {
		shared := intersect(*a, vk.Rect2D{Extent: vk.Extent2D{Width: uint32(width), Height: uint32(height)}})
		const rule, outside = "VkRenderingInfo-pNext-06079", "render area %d,%d %d×%d outside the attachments' %d×%d"
		if shared.Extent.Width == 0 || shared.Extent.Height == 0 {
			c.misuse(op, rule, "", outside, a.Offset.X, a.Offset.Y, a.Extent.Width, a.Extent.Height, width, height)
			return
		}
		if c.try(c.dev.harmless(op, rule, "", outside, a.Offset.X, a.Offset.Y, a.Extent.Width, a.Extent.Height, width, height)) {
			*a = shared
		}
	}
}

// checkAttachment checks one attachment and narrows width and height to it.
func (c *CommandBuffer) checkAttachment(op Op, info *RenderingInfo, a *RenderingAttachment, aspect vk.ImageAspectFlags, width, height *int) {
	if a.View == nil || c.err != nil {
		return
	}
	usage, rule := vk.ImageUsageFlags(vk.ImageUsageColorAttachmentBit), "VkRenderingInfo-colorAttachmentCount-06087"
	if aspect != vk.ImageAspectColorBit {
		usage, rule = vk.ImageUsageDepthStencilAttachmentBit, "VkRenderingInfo-pDepthAttachment-06547"
	}
	if info.loading {
		usage = ^vk.ImageUsageFlags(0)
	}
	if !c.try(a.View.use(c.dev, op)) || !c.try(a.View.image.need(c.dev, op, rule, usage)) {
		return
	}
	v := a.View.view
	// The aspects of a depth/stencil view make no difference to attachments.
	if v.Image.Info.Aspects&aspect == 0 {
		c.misuse(op, rule, "", "%s is %v, which has no %v", a.View.label(), v.Format, aspect)
		return
	}
	if v.Levels != 1 {
		c.misuse(op, "VkRenderingAttachmentInfo-imageView-06861", "make a view of one level", "%s has %d levels", a.View.label(), v.Levels)
		return
	}
	if n := max(info.LayerCount, 1); info.ViewMask == 0 && n > v.Layers {
		c.misuse(op, "VkRenderingInfo-viewMask-06069", "", "%d layers of %s, which has %d", n, a.View.label(), v.Layers)
		return
	}
	if info.ViewMask>>uint(min(v.Layers, 32)) != 0 {
		c.misuse(op, "VkRenderingInfo-viewMask-06128", "", "view mask %#x and %d layers", info.ViewMask, v.Layers)
		return
	}
	samples := v.Image.Samples
	if a.single = info.Samples > 1 && samples == 1; a.single {
		samples = info.Samples
	}
	// VK_AMD_mixed_attachment_samples: colour may have fewer samples than depth;
	// colour attachments come first here, depth and stencil last.
	if info.samples != 0 && samples < info.samples && aspect != vk.ImageAspectColorBit && !c.dev.mixes(info) {
		c.misuse(op, "VkRenderingInfo-multisampledRenderToSingleSampled-06857", "", "attachments of %d and %d samples", info.samples, samples)
		return
	}
	info.samples = max(info.samples, samples)
	if aspect == vk.ImageAspectColorBit {
		info.colorSamples = max(info.colorSamples, samples)
	}
	w, h, _ := v.Extent(0)
	*width, *height = min(*width, w), min(*height, h)
	if a.single {
		c.singleResolve(a, aspect)
		return
	}
	c.checkResolve(op, info, a, aspect, width, height)
}

// singleResolve makes the attachment the resolve target of what is drawn.
//
// renderpass-multisampled-render-to-single-sampled
func (c *CommandBuffer) singleResolve(a *RenderingAttachment, aspect vk.ImageAspectFlags) {
	a.Resolve = a.View
	switch {
	case aspect == vk.ImageAspectColorBit && a.View.view.Info.Class == format.ClassFloat:
		a.ResolveMode = vk.ResolveModeAverageBit
	case aspect == vk.ImageAspectColorBit || a.ResolveMode == 0:
		a.ResolveMode = vk.ResolveModeSampleZeroBit
	}
}

// checkResolve checks a resolve target and narrows width and height to it.
func (c *CommandBuffer) checkResolve(op Op, info *RenderingInfo, a *RenderingAttachment, aspect vk.ImageAspectFlags, width, height *int) {
	if a.Resolve == nil {
		if info.Samples != 0 {
			a.ResolveMode = 0 // of attachments of one sample
		}
		if a.ResolveMode != 0 {
			c.misuse(op, "VkRenderingAttachmentInfo-imageView-06862", "", "resolve mode %v without a target", a.ResolveMode)
		}
		return
	}
	if a.ResolveMode&vk.ResolveModeCustomBitEXT != 0 {
		c.misuse(op, "VkRenderingInfo-pColorAttachments-11515", "begin the pass with VK_RENDERING_CUSTOM_RESOLVE_BIT_EXT", "a custom resolve in a pass that has none")
		return
	}
	if !c.try(a.Resolve.use(c.dev, op)) {
		return
	}
	v, r := a.View.view, a.Resolve.view
	if a.ResolveMode == 0 {
		a.ResolveMode = vk.ResolveModeSampleZeroBit
		if aspect == vk.ImageAspectColorBit && v.Info.Class == format.ClassFloat {
			a.ResolveMode = vk.ResolveModeAverageBit
		}
	}
	layers := max(info.LayerCount, 1)
	if info.ViewMask != 0 {
		layers = bits.Len32(info.ViewMask)
	}
	switch {
	case v.Image.Samples == 1:
		c.misuse(op, "VkRenderingAttachmentInfo-imageView-06861", "leave the resolve target out", "resolving %s, which has one sample", a.View.label())
	case r.Image.Samples != 1:
		c.misuse(op, "VkRenderingAttachmentInfo-imageView-06864", "", "resolving to %s, which has %d samples", a.Resolve.label(), r.Image.Samples)
	case !sameAspect(v, r, aspect):
		c.misuse(op, "VkRenderingAttachmentInfo-imageView-06865", "", "resolving %v to %v", v.Format, r.Format)
	case r.Layers < layers:
		c.misuse(op, "VkRenderingInfo-pNext-06079", "", "resolving %d layers to %d", layers, r.Layers)
	}
	w, h, _ := r.Extent(0)
	*width, *height = min(*width, w), min(*height, h)
}

// sameAspect says whether an aspect of two views has one format.
func sameAspect(v, r *resource.ImageView, aspect vk.ImageAspectFlags) bool {
	if aspect == vk.ImageAspectColorBit || v.Format == r.Format {
		return v.Format == r.Format
	}
	a, hasA := v.Image.Info.ForAspect(aspect)
	b, hasB := r.Image.Info.ForAspect(aspect)
	return hasA && hasB && a.Format == b.Format
}

// EndRendering ends the render pass.
func (c *CommandBuffer) EndRendering(op Op) {
	if !c.ok(op, 1) {
		return
	}
	if c.subpasses != nil || c.pass.inherited {
		c.misuse(op, "vkCmdEndRendering-None-06161", "", "the pass was not begun by vkCmdBeginRendering")
		return
	}
	c.endRendering(op)
}

func (c *CommandBuffer) endRendering(op Op) {
	if c.openInside() {
		c.misuse(op, "vkCmdEndRendering-None-06999", "call vkCmdEndQuery before", "a query is still open")
		return
	}
	c.pass = nil
	c.emit(opEndRendering)
}

// clearInfo is the payload of opClearAttachments.
type clearInfo struct {
	attachments []vk.ClearAttachment
	rects       []vk.ClearRect
}

// ClearAttachments clears rectangles of attachments.
func (c *CommandBuffer) ClearAttachments(attachments []vk.ClearAttachment, rects []vk.ClearRect) {
	op := c.op("vkCmdClearAttachments")
	if !c.ok(op, 1) {
		return
	}
	p := c.pass
	if len(rects) == 0 {
		rects = []vk.ClearRect{{Rect: p.Area, LayerCount: uint32(max(p.LayerCount, 1))}}
	}
	info := &clearInfo{append([]vk.ClearAttachment(nil), attachments...), append([]vk.ClearRect(nil), rects...)}
	for i, a := range attachments {
		switch {
		case a.AspectMask == vk.ImageAspectColorBit:
			if uint64(a.ColorAttachment) >= uint64(len(p.colors)) {
				c.misuse(op, "vkCmdClearAttachments-aspectMask-07271", "", "colour attachment %d of %d", a.ColorAttachment, len(p.colors))
				return
			}
		case a.AspectMask == 0 || a.AspectMask&^(vk.ImageAspectDepthBit|vk.ImageAspectStencilBit) != 0:
			c.misuse(op, "VkClearAttachment-aspectMask-00019", "", "aspect %v", a.AspectMask)
			return
		}
		if a.AspectMask&vk.ImageAspectDepthBit != 0 && !c.try(c.dev.mendDepth(op, "VkClearDepthStencilValue-depth-00022", "depth", &info.attachments[i].ClearValue.DepthStencil.Depth)) {
			return
		}
	}
	for i := range info.rects {
		r := &info.rects[i]
		if r.LayerCount == 0 {
			r.LayerCount = 1
		}
		if p.inherited {
			continue // package render cuts at the area
		}
		a, b := p.Area, r.Rect
		if b.Offset.X < a.Offset.X || b.Offset.Y < a.Offset.Y || b.Extent.Width == 0 || b.Extent.Height == 0 ||
			int64(b.Offset.X)+int64(b.Extent.Width) > int64(a.Offset.X)+int64(a.Extent.Width) ||
			int64(b.Offset.Y)+int64(b.Extent.Height) > int64(a.Offset.Y)+int64(a.Extent.Height) {
			if !c.try(c.dev.harmless(op, "vkCmdClearAttachments-pRects-00016", "", "a rectangle outside the render area, or empty")) {
				return
			}
			r.Rect = intersect(a, b)
		}
		if layers := uint32(max(p.LayerCount, 1)); uint64(r.BaseArrayLayer)+uint64(r.LayerCount) > uint64(layers) {
			if !c.try(c.dev.harmless(op, "vkCmdClearAttachments-pRects-06937", "", "layers %d+%d of %d", r.BaseArrayLayer, r.LayerCount, layers)) {
				return
			}
			r.LayerCount = layers - min(r.BaseArrayLayer, layers)
		}
	}
	info.rects = slices.DeleteFunc(info.rects, func(r vk.ClearRect) bool {
		return r.Rect.Extent.Width == 0 || r.Rect.Extent.Height == 0 || r.LayerCount == 0
	})
	if len(info.rects) == 0 {
		return
	}
	c.emit(opClearAttachments, c.payload(info))
}
