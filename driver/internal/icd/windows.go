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

// CmdSetDiscardRectangleEXT is vkCmdSetDiscardRectangleEXT.
func (r *Recorder) CmdSetDiscardRectangleEXT(c *abi.CmdSetDiscardRectangleEXT) {
	r.core.SetDiscardRectangles(c.FirstDiscardRectangle, abi.Slice(c.PDiscardRectangles, c.DiscardRectangleCount))
}

// CmdSetDiscardRectangleEnableEXT is vkCmdSetDiscardRectangleEnableEXT.
func (r *Recorder) CmdSetDiscardRectangleEnableEXT(c *abi.CmdSetDiscardRectangleEnableEXT) {
	r.core.SetDiscardRectangleEnable(c.DiscardRectangleEnable.True())
}

// CmdSetDiscardRectangleModeEXT is vkCmdSetDiscardRectangleModeEXT.
func (r *Recorder) CmdSetDiscardRectangleModeEXT(c *abi.CmdSetDiscardRectangleModeEXT) {
	r.core.SetDiscardRectangleMode(c.DiscardRectangleMode)
}

// CmdSetExclusiveScissorNV is vkCmdSetExclusiveScissorNV.
func (r *Recorder) CmdSetExclusiveScissorNV(c *abi.CmdSetExclusiveScissorNV) {
	r.core.SetExclusiveScissor(c.FirstExclusiveScissor, abi.Slice(c.PExclusiveScissors, c.ExclusiveScissorCount))
}

// CmdSetExclusiveScissorEnableNV is vkCmdSetExclusiveScissorEnableNV.
func (r *Recorder) CmdSetExclusiveScissorEnableNV(c *abi.CmdSetExclusiveScissorEnableNV) {
	r.core.SetExclusiveScissorEnable(c.FirstExclusiveScissor, each(c.PExclusiveScissorEnables, c.ExclusiveScissorCount, truth))
}

// CmdSetViewportSwizzleNV is vkCmdSetViewportSwizzleNV.
func (r *Recorder) CmdSetViewportSwizzleNV(c *abi.CmdSetViewportSwizzleNV) {
	r.core.SetViewportSwizzle(c.FirstViewport, abi.Slice(c.PViewportSwizzles, c.ViewportCount))
}

// CmdSetViewportWScalingNV is vkCmdSetViewportWScalingNV.
func (r *Recorder) CmdSetViewportWScalingNV(c *abi.CmdSetViewportWScalingNV) {
	r.core.SetViewportWScaling(c.FirstViewport, abi.Slice(c.PViewportWScalings, c.ViewportCount))
}

// CmdSetViewportWScalingEnableNV is vkCmdSetViewportWScalingEnableNV.
func (r *Recorder) CmdSetViewportWScalingEnableNV(c *abi.CmdSetViewportWScalingEnableNV) {
	r.core.SetViewportWScalingEnable(c.ViewportWScalingEnable.True())
}
