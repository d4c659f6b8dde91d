package icd

import (
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// windows takes over discard rectangles, exclusive scissors, viewport swizzles and
// W scaling. Lists that are dynamic are not there, only their length counts.
func (g *graphics) windows(v *abi.PipelineViewportStateCreateInfo) {
	w := &core.Windows{}
	rects := func(p *abi.Rect2D, n uint32, state vk.DynamicState) []vk.Rect2D {
		n = min(n, 16)
		if p == nil || g.dynamic(state) {
			return make([]vk.Rect2D, n)
		}
		return slices.Clone(abi.Slice(p, n))
	}
	if d := abi.Find[abi.PipelineDiscardRectangleStateCreateInfoEXT](g.in.PNext); d != nil {
		w.DiscardMode = d.DiscardRectangleMode
		w.DiscardRectangles = rects(d.PDiscardRectangles, min(d.DiscardRectangleCount, core.MaxDiscardRectangles), vk.DynamicStateDiscardRectangleEXT)
	}
	for s := range abi.Chain(v.PNext) {
		switch s.SType {
		case vk.StructureTypePipelineViewportExclusiveScissorStateCreateInfoNV:
			e := (*abi.PipelineViewportExclusiveScissorStateCreateInfoNV)(unsafe.Pointer(s))
			w.ExclusiveScissors = rects(e.PExclusiveScissors, e.ExclusiveScissorCount, vk.DynamicStateExclusiveScissorNV)
		case vk.StructureTypePipelineViewportSwizzleStateCreateInfoNV:
			z := (*abi.PipelineViewportSwizzleStateCreateInfoNV)(unsafe.Pointer(s))
			if z.PViewportSwizzles != nil && !g.dynamic(vk.DynamicStateViewportSwizzleNV) {
				w.Swizzles = slices.Clone(abi.Slice(z.PViewportSwizzles, min(z.ViewportCount, 16)))
			}
		case vk.StructureTypePipelineViewportWScalingStateCreateInfoNV:
			z := (*abi.PipelineViewportWScalingStateCreateInfoNV)(unsafe.Pointer(s))
			w.WScalingEnable = z.ViewportWScalingEnable.True()
			if z.PViewportWScalings != nil && !g.dynamic(vk.DynamicStateViewportWScalingNV) {
				w.WScalings = slices.Clone(abi.Slice(z.PViewportWScalings, min(z.ViewportCount, 16)))
			}
		}
	}
	g.out.Windows = w
}
