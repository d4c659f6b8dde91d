package core

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// The states of VK_EXT_extended_dynamic_state3, VK_EXT_color_write_enable and
// their like.

// applyMore sets one of these states from the words of its command.
func (m dynState) applyMore(s *render.DynamicState, w []uint32) {
	if m.applyRare(s, w) {
		return
	}
	on := w[0] != 0
	switch m {
	case dynDepthClamp: // RAS-036
		s.DepthClampEnable = on
	case dynDepthClip: // RAS-036
		s.DepthClipEnable = on
	case dynNegativeOneToOne: // RAS-036
		s.DepthNegativeOneToOne = on
	case dynPolygonMode: // RAS-033
		s.PolygonMode = vk.PolygonMode(w[0])
	case dynSampleMask: // RAS-024
		s.SampleMask = w[0]
	case dynAlphaToCoverage: // RAS-025
		s.AlphaToCoverageEnable = on
	case dynAlphaToOne: // RAS-025
		s.AlphaToOneEnable = on
	case dynLogicOpEnable: // RAS-043
		s.LogicOpEnable = on
	case dynLogicOp: // RAS-043
		s.LogicOp = vk.LogicOp(w[0])
	case dynColorWriteEnable: // RAS-043
		s.ColorWrite = w[0]
	case dynProvokingVertex: // RAS-038
		s.ProvokingVertexMode = vk.ProvokingVertexModeEXT(w[0])
	case dynLineMode: // RAS-030
		s.LineMode = vk.LineRasterizationMode(w[0])
	case dynStippleEnable: // RAS-030
		s.LineStippleEnable = on
	case dynStipple: // RAS-030
		s.LineStippleFactor, s.LineStipplePattern = w[0], uint16(w[1])
	// The rest has the first attachment in front.
	case dynBlendEnable: // RAS-043
		for i, v := range w[1:] {
			s.Blend[int(w[0])+i].BlendEnable = v != 0
		}
	case dynColorWriteMask: // RAS-043
		for i, v := range w[1:] {
			s.Blend[int(w[0])+i].ColorWriteMask = vk.ColorComponentFlags(v)
		}
	case dynBlendEquation: // RAS-043
		for i := range len(w) / 6 {
			b, v := &s.Blend[int(w[0])+i], w[1+6*i:]
			b.SrcColorBlendFactor, b.DstColorBlendFactor, b.ColorBlendOp = vk.BlendFactor(v[0]), vk.BlendFactor(v[1]), vk.BlendOp(v[2])
			b.SrcAlphaBlendFactor, b.DstAlphaBlendFactor, b.AlphaBlendOp = vk.BlendFactor(v[3]), vk.BlendFactor(v[4]), vk.BlendOp(v[5])
		}
	}
}

// mergeMore copies one of these states.
func (m dynState) mergeMore(dst, src *render.DynamicState) {
	if m.mergeRare(dst, src) {
		return
	}
	switch m {
	case dynDepthClamp: // RAS-036
		dst.DepthClampEnable = src.DepthClampEnable
	case dynDepthClip: // RAS-036
		dst.DepthClipEnable = src.DepthClipEnable
	case dynNegativeOneToOne: // RAS-036
		dst.DepthNegativeOneToOne = src.DepthNegativeOneToOne
	case dynPolygonMode: // RAS-033
		dst.PolygonMode = src.PolygonMode
	case dynSampleMask: // RAS-024
		dst.SampleMask = src.SampleMask
	case dynAlphaToCoverage: // RAS-025
		dst.AlphaToCoverageEnable = src.AlphaToCoverageEnable
	case dynAlphaToOne: // RAS-025
		dst.AlphaToOneEnable = src.AlphaToOneEnable
	case dynLogicOpEnable: // RAS-043
		dst.LogicOpEnable = src.LogicOpEnable
	case dynLogicOp: // RAS-043
		dst.LogicOp = src.LogicOp
	case dynColorWriteEnable: // RAS-043
		dst.ColorWrite = src.ColorWrite
	case dynProvokingVertex: // RAS-038
		dst.ProvokingVertexMode = src.ProvokingVertexMode
	case dynLineMode: // RAS-030
		dst.LineMode = src.LineMode
	case dynStippleEnable: // RAS-030
		dst.LineStippleEnable = src.LineStippleEnable
	case dynStipple: // RAS-030
		dst.LineStippleFactor, dst.LineStipplePattern = src.LineStippleFactor, src.LineStipplePattern
	case dynBlendEnable: // RAS-043
		for i := range dst.Blend {
			dst.Blend[i].BlendEnable = src.Blend[i].BlendEnable
		}
	case dynColorWriteMask: // RAS-043
		for i := range dst.Blend {
			dst.Blend[i].ColorWriteMask = src.Blend[i].ColorWriteMask
		}
	case dynBlendEquation: // RAS-043
		for i := range dst.Blend {
			d, s := &dst.Blend[i], &src.Blend[i]
			d.SrcColorBlendFactor, d.DstColorBlendFactor, d.ColorBlendOp = s.SrcColorBlendFactor, s.DstColorBlendFactor, s.ColorBlendOp
			d.SrcAlphaBlendFactor, d.DstAlphaBlendFactor, d.AlphaBlendOp = s.SrcAlphaBlendFactor, s.DstAlphaBlendFactor, s.AlphaBlendOp
		}
	}
}

// SetDepthClampEnable switches depth clamping.
func (c *CommandBuffer) SetDepthClampEnable(on bool) {
	c.toggle("Pass.SetDepthClampEnable", dynDepthClamp, on)
}

// SetDepthClipEnable switches clipping at the near and far planes.
func (c *CommandBuffer) SetDepthClipEnable(on bool) {
	c.toggle("Pass.SetDepthClipEnable", dynDepthClip, on)
}

// SetDepthClipNegativeOneToOne selects clip space z from -w to w.
func (c *CommandBuffer) SetDepthClipNegativeOneToOne(on bool) {
	c.toggle("Pass.SetDepthClipNegativeOneToOne", dynNegativeOneToOne, on)
}

// SetPolygonMode sets how polygons are rasterized.
func (c *CommandBuffer) SetPolygonMode(v vk.PolygonMode) {
	const op, rule = "Pass.SetPolygonMode", "vkCmdSetPolygonModeEXT-polygonMode-parameter"
	if v == vk.PolygonModeFillRectangleNV {
		c.set(op, dynPolygonMode, uint32(v))
		return
	}
	c.enum(op, rule, dynPolygonMode, int64(v), 0, int64(vk.PolygonModePoint))
}

// SetRasterizationSamples sets the number of samples of pipelines.
//
// RAS-023
func (c *CommandBuffer) SetRasterizationSamples(n vk.SampleCountFlags) {
	const op = "Pass.SetRasterizationSamples"
	if n&sampleCounts == 0 || bits.OnesCount32(uint32(n)) != 1 {
		c.misuse(op, "vkCmdSetRasterizationSamplesEXT-rasterizationSamples-parameter", "use 1, 2, 4, 8 or 16", "%v", n)
		return
	}
	if c.ok(op, 0) {
		c.samples = Samples(n)
		c.set(op, dynSamples, uint32(n))
	}
}

// SetSampleMask sets the sample mask; bit i belongs to sample i.
func (c *CommandBuffer) SetSampleMask(mask uint32) {
	c.set("Pass.SetSampleMask", dynSampleMask, mask)
}

// SetAlphaToCoverageEnable switches alpha to coverage.
func (c *CommandBuffer) SetAlphaToCoverageEnable(on bool) {
	c.toggle("Pass.SetAlphaToCoverageEnable", dynAlphaToCoverage, on)
}

// SetAlphaToOneEnable switches alpha to one.
func (c *CommandBuffer) SetAlphaToOneEnable(on bool) {
	c.toggle("Pass.SetAlphaToOneEnable", dynAlphaToOne, on)
}

// SetLogicOpEnable switches logical operations.
func (c *CommandBuffer) SetLogicOpEnable(on bool) {
	c.toggle("Pass.SetLogicOpEnable", dynLogicOpEnable, on)
}

// SetLogicOp sets the logical operation.
func (c *CommandBuffer) SetLogicOp(v vk.LogicOp) {
	c.enum("Pass.SetLogicOp", "vkCmdSetLogicOpEXT-logicOp-parameter", dynLogicOp, int64(v), 0, int64(vk.LogicOpSet))
}

// SetColorWriteEnable switches writes to colour attachments, from 0 on; others
// stay on.
func (c *CommandBuffer) SetColorWriteEnable(on []bool) {
	c.set("Pass.SetColorWriteEnable", dynColorWriteEnable, colorWrites(on))
}

// colorWrites is a mask of attachments, in which those beyond the list are on.
func colorWrites(on []bool) uint32 {
	mask := ^uint32(0)
	for i, v := range on[:min(len(on), 32)] {
		if !v {
			mask &^= 1 << i
		}
	}
	return mask
}

// attachments checks a range of colour attachments.
func (c *CommandBuffer) attachments(op, rule string, first uint32, n int) bool {
	if n == 0 || uint64(first)+uint64(n) > render.MaxColorAttachments {
		c.misuse(op, rule, "", "attachments %d+%d; %d is the limit", first, n, render.MaxColorAttachments)
		return false
	}
	return true
}

// SetColorBlendEnable switches blending of attachments from first on.
func (c *CommandBuffer) SetColorBlendEnable(first uint32, on []bool) {
	const op = "Pass.SetColorBlendEnable"
	if !c.attachments(op, "vkCmdSetColorBlendEnableEXT-attachmentCount-arraylength", first, len(on)) {
		return
	}
	words := []uint32{first}
	for _, v := range on {
		w := uint32(0)
		if v {
			w = 1
		}
		words = append(words, w)
	}
	c.set(op, dynBlendEnable, words...)
}

// SetColorBlendEquation sets factors and operations of attachments from first on.
func (c *CommandBuffer) SetColorBlendEquation(first uint32, equations []vk.ColorBlendEquationEXT) {
	const op = "Pass.SetColorBlendEquation"
	if !c.attachments(op, "vkCmdSetColorBlendEquationEXT-attachmentCount-arraylength", first, len(equations)) {
		return
	}
	words := []uint32{first}
	for _, e := range equations {
		for _, o := range [2]vk.BlendOp{e.ColorBlendOp, e.AlphaBlendOp} {
			if o < vk.BlendOpAdd || o > vk.BlendOpMax {
				c.misuse(op, "VkColorBlendEquationEXT-colorBlendOp-07361", "", "blend operation %v", o)
				return
			}
		}
		words = append(words, uint32(e.SrcColorBlendFactor), uint32(e.DstColorBlendFactor), uint32(e.ColorBlendOp),
			uint32(e.SrcAlphaBlendFactor), uint32(e.DstAlphaBlendFactor), uint32(e.AlphaBlendOp))
	}
	c.set(op, dynBlendEquation, words...)
}

// SetColorWriteMask sets the components written of attachments from first on.
func (c *CommandBuffer) SetColorWriteMask(first uint32, masks []vk.ColorComponentFlags) {
	const op = "Pass.SetColorWriteMask"
	if !c.attachments(op, "vkCmdSetColorWriteMaskEXT-attachmentCount-arraylength", first, len(masks)) {
		return
	}
	words := []uint32{first}
	for _, m := range masks {
		words = append(words, uint32(m))
	}
	c.set(op, dynColorWriteMask, words...)
}

// SetProvokingVertexMode sets which vertex provides flat values.
func (c *CommandBuffer) SetProvokingVertexMode(v vk.ProvokingVertexModeEXT) {
	c.enum("Pass.SetProvokingVertexMode", "vkCmdSetProvokingVertexModeEXT-provokingVertexMode-parameter", dynProvokingVertex, int64(v), 0, 1)
}

// SetLineRasterizationMode sets how lines are rasterized.
func (c *CommandBuffer) SetLineRasterizationMode(v vk.LineRasterizationMode) {
	c.enum("Pass.SetLineRasterizationMode", "vkCmdSetLineRasterizationModeEXT-lineRasterizationMode-parameter", dynLineMode, int64(v), 0, int64(vk.LineRasterizationModeRectangularSmooth))
}

// SetLineStippleEnable switches stippled lines.
func (c *CommandBuffer) SetLineStippleEnable(on bool) {
	c.toggle("Pass.SetLineStippleEnable", dynStippleEnable, on)
}

// SetLineStipple sets factor and pattern of stippled lines.
func (c *CommandBuffer) SetLineStipple(factor uint32, pattern uint16) {
	const op = "Pass.SetLineStipple"
	if factor < 1 || factor > 256 {
		c.misuse(op, "vkCmdSetLineStipple-lineStippleFactor-02776", "", "factor %d", factor)
		return
	}
	c.set(op, dynStipple, factor, uint32(pattern))
}
