package core

import (
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// Fragment density maps. They are read when the pass is executed, which views of
// every kind allow: plain ones, DYNAMIC and DEFERRED ones (RAS-136).

// Limits of fragment density maps, pixels.
const (
	MinDensityTexel = render.MinDensityTexel
	MaxDensityTexel = render.MaxDensityTexel
	// DensityOffsetGranularity is fragmentDensityOffsetGranularity, pixels.
	DensityOffsetGranularity = 8
)

// densityFormats are the formats that a density map may have: two components or
// more, all of them numbers that have no sign or may have one.
var densityFormats = [...]vk.Format{
	vk.FormatR8G8Unorm, vk.FormatR8G8B8A8Unorm, vk.FormatR16G16Unorm, vk.FormatR16G16Sfloat, vk.FormatR32G32Sfloat,
}

func densityFormat(f vk.Format) bool { return slices.Contains(densityFormats[:], f) }

// checkDensity checks the fragment density map attachment of a pass, whose area is
// known.
func (c *CommandBuffer) checkDensity(op Op, info *RenderingInfo) {
	v := info.Density
	if !c.try(v.use(c.dev, op)) {
		return
	}
	if info.framebuffer == (vk.Extent2D{}) {
		a := info.Area
		info.framebuffer = vk.Extent2D{Width: uint32(a.Offset.X) + a.Extent.Width, Height: uint32(a.Offset.Y) + a.Extent.Height}
	}
	im, l := v.view.Image, v.view.Level(0, 0)
	texels := func(n uint32) int { return int(n+MaxDensityTexel-1) / MaxDensityTexel }
	perLayer := info.Flags&vk.RenderingPerLayerFragmentDensityBitVALVE != 0
	switch {
	case im.Usage&vk.ImageUsageFragmentDensityMapBitEXT == 0 || !densityFormat(v.view.Format):
		c.misuse(op, "VkRenderingFragmentDensityMapAttachmentInfoEXT-imageView-06158", "", "%s of format %v is no density map", v.label(), v.view.Format)
	case im.Flags&vk.ImageCreateSubsampledBitEXT != 0:
		c.misuse(op, "VkRenderingFragmentDensityMapAttachmentInfoEXT-imageView-06159", "", "the density map is a subsampled image")
	case int64(len(im.Data)) < im.Layout.Size:
		c.misuse(op, "VkImageViewCreateInfo-image-01020", "", "%s has no memory", v.label())
	case info.ViewMask != 0 && v.view.Layers > 1 && v.view.Layers < bits.Len32(info.ViewMask):
		c.misuse(op, "VkRenderingInfo-imageView-06108", "", "a density map of %d layers for view %d", v.view.Layers, bits.Len32(info.ViewMask)-1)
	case l.Width < texels(info.framebuffer.Width):
		c.misuse(op, "VkRenderingInfo-pNext-06112", "a texel is 32 pixels at most", "a density map %d texels wide for %d pixels", l.Width, info.framebuffer.Width)
	case l.Height < texels(info.framebuffer.Height):
		c.misuse(op, "VkRenderingInfo-pNext-06114", "a texel is 32 pixels at most", "a density map %d texels high for %d pixels", l.Height, info.framebuffer.Height)
	}
	if c.err == nil && info.ViewMask == 0 && v.view.Layers != 1 && !perLayer {
		_ = c.dev.misuse(op, "VkRenderingInfo-imageView-06109", "", "a density map of %d layers without multiview: its first one is taken", v.view.Layers)
	}
}

// DensityOffsets moves the density map of the pass that is about to end, of all its
// subpasses, by layer of the map (VkRenderPassFragmentDensityMapOffsetEndInfoEXT).
//
// renderpass-fragmentdensitymapoffsets
func (c *CommandBuffer) DensityOffsets(op Op, offsets []vk.Offset2D) {
	if len(offsets) == 0 || !c.ok(op, 1) {
		return
	}
	const rule = "VkRenderPassFragmentDensityMapOffsetEndInfoEXT-"
	p := c.pass
	want := 1
	layered := p.Density != nil && p.ViewMask == 0 && p.Flags&vk.RenderingPerLayerFragmentDensityBitVALVE != 0
	if p.Density != nil && p.ViewMask != 0 || layered {
		want = p.Density.view.Layers
	}
	if layered && len(offsets) == 1 {
		// VUID 06511 knows one offset without multiview; it is older than maps by layer, and moves all of them.
		offsets = slices.Repeat(offsets, want)
	}
	switch {
	case p.Density == nil:
		c.misuse(op, rule+"fragmentDensityMapAttachment-06504", "", "%d offsets of a density map, and there is none", len(offsets))
		return
	case len(offsets) > want:
		_ = c.dev.misuse(op, rule+"fragmentDensityOffsetCount-06510", "", "%d offsets for %d layers of the density map: the first ones are taken", len(offsets), want)
		offsets = offsets[:want]
	case len(offsets) < want:
		c.misuse(op, rule+"fragmentDensityOffsetCount-06510", "", "%d offsets for %d layers of the density map", len(offsets), want)
		return
	}
	for _, o := range offsets {
		if o.X%DensityOffsetGranularity != 0 || o.Y%DensityOffsetGranularity != 0 {
			c.misuse(op, rule+"x-06512", "", "offset %d,%d is no multiple of %d", o.X, o.Y, DensityOffsetGranularity)
			return
		}
	}
	passes := []*RenderingInfo{p}
	if p.before != nil {
		passes = append(passes, p.before)
	}
	if c.subpasses != nil {
		passes = c.subpasses.renderings
	}
	for _, p := range passes {
		p.densityOffsets = slices.Clone(offsets)
	}
}

// density is the density map of a pass for package render.
func (info *RenderingInfo) density() *render.DensityMap {
	if info.Density == nil {
		return nil
	}
	return &render.DensityMap{
		View: info.Density.view, Framebuffer: info.framebuffer, Offsets: info.densityOffsets,
		PerLayer: info.Flags&vk.RenderingPerLayerFragmentDensityBitVALVE != 0,
	}
}
