package core

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// A StateCommand is a command that sets a dynamic state and has nothing but words: Words of them
// or, with Limit, elements of Words words each, the first one's number and their count in front.
type StateCommand struct {
	Command Op
	State   vk.DynamicState
	Words   int
	Limit   int
}

// StateCommands lists them.
func StateCommands() (list []StateCommand) {
	for i := range dynamicStates {
		if r := &dynamicStates[i]; r.value.words > 0 {
			list = append(list, StateCommand{r.command, r.state, r.value.words, r.value.limit})
		}
	}
	return list
}

// DynamicPart is the part of a pipeline that a dynamic state belongs to: in libraries of other parts
// it means nothing.
func DynamicPart(s vk.DynamicState) vk.GraphicsPipelineLibraryFlagsEXT {
	if m, ok := dynOf(s); ok {
		return dynamicStates[m].part
	}
	return inRaster // where it is refused
}

// SetState sets a dynamic state from the words of its command: numbers as they are, floats as their
// bits, booleans as 0 or another number; those left out are 0. A list has the number of its first
// element in front.
func (c *CommandBuffer) SetState(s vk.DynamicState, words ...uint32) {
	m, ok := dynOf(s)
	if !ok {
		c.misuse("recording", "VkPipelineDynamicStateCreateInfo-pDynamicStates-parameter",
			"", "dynamic state %v", s)
		return
	}
	op, v := c.setter(m), &dynamicStates[m].value
	if !c.ok(op, 0) {
		return
	}
	if v.limit > 0 {
		switch n := (len(words) - 1) / v.words; {
		case n <= 0: // Mesa's zink sets the states of no attachment in passes that have none
			c.try(c.dev.harmless(op, v.limitRule, "", "no element"))
			return
		case uint64(words[0])+uint64(n) > uint64(v.limit):
			c.misuse(op, v.limitRule, "", "elements %d+%d; %d are supported", words[0], n, v.limit)
			return
		default:
			words = words[:1+n*v.words]
		}
	}
	at := c.emitState(m, words)
	for v.limit == 0 && len(c.words)-at < v.words {
		c.words = append(c.words, 0)
		c.words[at-2]++
	}
	if v.check != nil && !v.check(c, op, c.words[at:]) {
		c.words = c.words[:at-2]
		return
	}
	c.dynamic.add(m)
}

// emitState records a state and returns where its words begin.
func (c *CommandBuffer) emitState(m dynState, words []uint32) int {
	c.words = append(c.words, uint32(opDynamic)<<24|uint32(1+len(words)), uint32(m))
	at := len(c.words)
	c.words = append(c.words, words...)
	return at
}

// set records a state whose words have been checked.
func (c *CommandBuffer) set(m dynState, words ...uint32) {
	if c.ok(c.setter(m), 0) {
		c.emitState(m, words)
		c.dynamic.add(m)
	}
}

// setter is the command that sets a state, as its caller knows it.
func (c *CommandBuffer) setter(m dynState) Op { return c.op(dynamicStates[m].command) }

// Word is a boolean among words of SetState.
func Word(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}

// Viewports and scissors: commands set all from 0 on, and how many there are.

// RAS-040
var viewportValue = stateValue{
	read: func(s *state, w []uint32) {
		s.ViewportCount = len(w) / 6
		for i := range s.ViewportCount {
			v := w[6*i:]
			s.Viewports[i] = vk.Viewport{
				X: asFloat(v[0]), Y: asFloat(v[1]), Width: asFloat(v[2]), Height: asFloat(v[3]),
				MinDepth: asFloat(v[4]), MaxDepth: asFloat(v[5]),
			}
		}
	},
	take: func(dst, src *state) {
		dst.Viewports, dst.ViewportCount = src.Viewports, src.ViewportCount
	},
}

// RAS-040
var scissorValue = stateValue{
	read: func(s *state, w []uint32) {
		for i := range len(w) / 4 {
			s.Scissors[i] = asRect(w[4*i:])
		}
	},
	take: func(dst, src *state) { dst.Scissors = src.Scissors },
}

// SetViewport sets viewports from 0 on, and their count.
func (c *CommandBuffer) SetViewport(viewports []vk.Viewport) {
	op := c.setter(dynViewport)
	if !c.ok(op, 0) {
		return
	}
	if len(viewports) == 0 || len(viewports) > render.MaxViewports {
		c.misuse(op, "vkCmdSetViewportWithCount-viewportCount-03394", "", "%d viewports", len(viewports))
		return
	}
	var words []uint32
	for _, v := range viewports {
		if !c.try(c.dev.checkViewport(op, &v)) {
			return
		}
		for _, f := range [6]float32{v.X, v.Y, v.Width, v.Height, v.MinDepth, v.MaxDepth} {
			words = append(words, math.Float32bits(f))
		}
	}
	c.viewports = len(viewports)
	c.set(dynViewport, words...)
}

// checkViewport holds a viewport, of a command or a pipeline, against its rules; its depth may be
// mended.
func (d *Device) checkViewport(op Op, v *vk.Viewport) error {
	if !(v.Width > 0 && v.Width <= 32768) || !(v.Height >= -32768 && v.Height <= 32768) {
		return d.misuse(op, "VkViewport-width-01770", "", "viewport of %v×%v", v.Width, v.Height)
	}
	if !inBounds(v.X) || !inBounds(v.Y) || !inBounds(v.X+v.Width) || !inBounds(v.Y+v.Height) {
		return d.misuse(op, "VkViewport-x-01774", "", "viewport at %v,%v", v.X, v.Y)
	}
	return d.mendDepth(op, "VkViewport-minDepth-01234", "a viewport's depth of",
		&v.MinDepth, &v.MaxDepth)
}

// inBounds checks viewportBoundsRange (RAS-007).
func inBounds(v float32) bool { return v >= -65536 && v <= 65535 }

// SetScissor sets scissors from 0 on, and their count.
func (c *CommandBuffer) SetScissor(scissors []vk.Rect2D) {
	op := c.setter(dynScissor)
	if !c.ok(op, 0) {
		return
	}
	if len(scissors) == 0 || len(scissors) > render.MaxViewports {
		c.misuse(op, "vkCmdSetScissorWithCount-scissorCount-03397", "", "%d scissors", len(scissors))
		return
	}
	var words []uint32
	for _, s := range scissors {
		if !c.try(c.dev.mendScissor(op, &commandScissor, &s)) {
			return
		}
		words = append(words, uint32(s.Offset.X), uint32(s.Offset.Y), s.Extent.Width, s.Extent.Height)
	}
	c.scissors = len(scissors)
	c.set(dynScissor, words...)
}

// Numbers with limits that are not those of an enum.

func checkLineWidth(c *CommandBuffer, op Op, w []uint32) bool {
	width := asFloat(w[0])
	if !(width >= minLineWidth && width <= maxLineWidth) {
		err := c.dev.harmless(op, "vkCmdSetLineWidth-lineWidth-00788",
			"see VkPhysicalDeviceLimits::lineWidthRange", "line width %v", width)
		if !c.try(err) {
			return false
		}
		if width = min(max(width, minLineWidth), maxLineWidth); width != width {
			width = 1
		}
		w[0] = math.Float32bits(width)
	}
	return true
}

// depth says whether a depth may be asked for: between 0 and 1, or with
// Config.DepthUnrestricted any number.
func (d *Device) depth(z float32) bool {
	return z >= 0 && z <= 1 || z == z && d.cfg.DepthUnrestricted
}

func checkDepthBounds(c *CommandBuffer, op Op, w []uint32) bool {
	low, high := asFloat(w[0]), asFloat(w[1])
	err := c.dev.mendDepth(op, "vkCmdSetDepthBounds-minDepthBounds-00600", "a depth bound of",
		&low, &high)
	if !c.try(err) {
		return false
	}
	w[0], w[1] = math.Float32bits(low), math.Float32bits(high)
	return true
}

func checkExtraSize(c *CommandBuffer, op Op, w []uint32) bool {
	if pixels := asFloat(w[0]); !(pixels >= 0 && pixels <= raster.MaxExtraOverestimation) {
		c.misuse(op, "vkCmdSetExtraPrimitiveOverestimationSizeEXT-extraPrimitiveOverestimationSize-07428",
			"", "%v pixels", pixels)
		return false
	}
	return true
}

// The first word of a depth clamp range says that there is one; else depth is clamped to the
// viewport's.
func checkDepthClampRange(c *CommandBuffer, op Op, w []uint32) bool {
	low, high := asFloat(w[1]), asFloat(w[2])
	if w[0] != 0 && (!c.dev.depth(low) || !c.dev.depth(high) || low > high) {
		c.misuse(op, "VkDepthClampRangeEXT-pDepthClampRange-00999", "",
			"depth clamp range %v…%v", low, high)
		return false
	}
	return true
}

func checkPolygonMode(c *CommandBuffer, op Op, w []uint32) bool {
	v := vk.PolygonMode(w[0])
	if v != vk.PolygonModeFillRectangleNV && (v < 0 || v > vk.PolygonModePoint) {
		c.misuse(op, "vkCmdSetPolygonModeEXT-polygonMode-parameter", "", "value %d", v)
		return false
	}
	return true
}

// RAS-023
func checkSamples(c *CommandBuffer, op Op, w []uint32) bool {
	n := vk.SampleCountFlags(w[0])
	if n&sampleCounts == 0 || bits.OnesCount32(uint32(n)) != 1 {
		c.misuse(op, "vkCmdSetRasterizationSamplesEXT-rasterizationSamples-parameter",
			"use a power of two up to 64", "%v", n)
		return false
	}
	c.samples = Samples(n)
	return true
}

// RAS-021
func noteDiscard(c *CommandBuffer, _ Op, w []uint32) bool {
	c.discards = w[0] != 0
	return true
}

// RAS-042
var stencilOpValue = faces(4,
	func(o *vk.StencilOpState, w []uint32) {
		o.FailOp, o.PassOp, o.DepthFailOp = vk.StencilOp(w[0]), vk.StencilOp(w[1]), vk.StencilOp(w[2])
		o.CompareOp = vk.CompareOp(w[3])
	},
	func(dst, src *vk.StencilOpState) {
		dst.FailOp, dst.PassOp, dst.DepthFailOp = src.FailOp, src.PassOp, src.DepthFailOp
		dst.CompareOp = src.CompareOp
	},
).checked(func(c *CommandBuffer, op Op, w []uint32) bool {
	for _, o := range w[1:4] {
		if o > uint32(vk.StencilOpDecrementAndWrap) {
			c.misuse(op, "vkCmdSetStencilOp-failOp-parameter", "", "stencil operation %d", int32(o))
			return false
		}
	}
	if w[4] > uint32(vk.CompareOpAlways) {
		c.misuse(op, "vkCmdSetStencilOp-compareOp-parameter", "", "compare operator %d", int32(w[4]))
		return false
	}
	return true
})

// Attachments.

// SetColorWriteEnable switches writes to colour attachments, from 0 on; others
// stay on.
func (c *CommandBuffer) SetColorWriteEnable(on []bool) {
	c.set(dynColorWriteEnable, colorWrites(on))
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

// RAS-043
var blendEquation = attachments(6, "vkCmdSetColorBlendEquationEXT-attachmentCount-arraylength",
	func(b *blendState, w []uint32) {
		b.SrcColorBlendFactor, b.DstColorBlendFactor = vk.BlendFactor(w[0]), vk.BlendFactor(w[1])
		b.SrcAlphaBlendFactor, b.DstAlphaBlendFactor = vk.BlendFactor(w[3]), vk.BlendFactor(w[4])
		b.ColorBlendOp, b.AlphaBlendOp = vk.BlendOp(w[2]), vk.BlendOp(w[5])
	},
	func(dst, src *blendState) {
		enable, mask := dst.BlendEnable, dst.ColorWriteMask // of other states
		*dst = *src
		dst.BlendEnable, dst.ColorWriteMask = enable, mask
	},
).checked(func(c *CommandBuffer, op Op, w []uint32) bool {
	for e := w[1:]; len(e) > 0; e = e[6:] {
		for _, o := range [2]uint32{e[2], e[5]} {
			if o > uint32(vk.BlendOpMax) {
				c.misuse(op, "VkColorBlendEquationEXT-colorBlendOp-07361", "",
					"blend operation %v", vk.BlendOp(o))
				return false
			}
		}
	}
	return true
})

// Operation, premultiplied source and destination, overlap, clamp.
//
// RAS-043
var blendAdvanced = elements(5, render.MaxColorAttachments,
	"vkCmdSetColorBlendAdvancedEXT-attachmentCount-arraylength",
	func(s *state, at int, w []uint32) {
		s.Blend[at].ColorBlendOp, s.Blend[at].AlphaBlendOp = vk.BlendOp(w[0]), vk.BlendOp(w[0])
		s.Advanced[at] = fragops.AdvancedBlend{
			SrcStraight: w[1] == 0, DstStraight: w[2] == 0,
			Overlap: vk.BlendOverlapEXT(w[3]), ClampResults: w[4] != 0,
		}
	},
	func(dst, src *state) {
		dst.Advanced = src.Advanced
		for i := range dst.Blend {
			d, s := &dst.Blend[i], &src.Blend[i]
			d.ColorBlendOp, d.AlphaBlendOp = s.ColorBlendOp, s.AlphaBlendOp
		}
	},
).checked(func(c *CommandBuffer, op Op, w []uint32) bool {
	for e := w[1:]; len(e) > 0; e = e[5:] {
		o, overlap := vk.BlendOp(e[0]), vk.BlendOverlapEXT(e[3])
		if o < vk.BlendOpZeroEXT || o > vk.BlendOpBlueEXT ||
			overlap < 0 || overlap > vk.BlendOverlapConjointEXT {
			c.misuse(op, "VkColorBlendAdvancedEXT-advancedBlendOp-parameter", "",
				"operation %v, overlap %v", o, overlap)
			return false
		}
	}
	return true
})

// RAS-044
var coverageTable = stateValue{
	read: func(s *state, w []uint32) {
		s.CoverageTable, s.CoverageTableCount = [fragops.MaxSamples]float32{}, uint8(len(w))
		for i, v := range w {
			s.CoverageTable[i] = asFloat(v)
		}
	},
	take: func(dst, src *state) {
		dst.CoverageTable, dst.CoverageTableCount = src.CoverageTable, src.CoverageTableCount
	},
	check: func(c *CommandBuffer, op Op, w []uint32) bool {
		if len(w) < 1 || len(w) > fragops.MaxSamples {
			c.misuse(op, "vkCmdSetCoverageModulationTableNV-coverageModulationTableCount-arraylength",
				"", "a table of %d factors; 1 to %d are supported", len(w), fragops.MaxSamples)
			return false
		}
		return true
	},
}

// Rectangles, and what viewports do besides: VK_EXT_discard_rectangles, VK_NV_scissor_exclusive,
// VK_NV_viewport_swizzle, VK_NV_clip_space_w_scaling.

// RAS-041
var discardRectangles = elements(4, render.MaxDiscardRectangles,
	"vkCmdSetDiscardRectangleEXT-firstDiscardRectangle-00585",
	func(s *state, at int, w []uint32) {
		s.DiscardRectangles[at] = asRect(w)
		s.DiscardCount = max(s.DiscardCount, at+1)
	},
	func(dst, src *state) {
		dst.DiscardRectangles = src.DiscardRectangles
		if dst.DiscardCount == 0 { // else the pipeline says how many
			dst.DiscardCount = src.DiscardCount
		}
	})

// Exclusive scissors switch none on: the pipeline's count does, or a state of its own.
//
// RAS-041
var exclusiveScissors = elements(4, render.MaxViewports,
	"vkCmdSetExclusiveScissorNV-firstExclusiveScissor-02034",
	func(s *state, at int, w []uint32) { s.ExclusiveScissors[at] = asRect(w) },
	func(dst, src *state) { dst.ExclusiveScissors = src.ExclusiveScissors })

// RAS-041
var exclusiveEnable = elements(1, render.MaxViewports,
	"vkCmdSetExclusiveScissorEnableNV-exclusiveScissorCount-arraylength",
	func(s *state, at int, w []uint32) {
		if s.ExclusiveEnable &^= 1 << at; w[0] != 0 {
			s.ExclusiveEnable |= 1 << at
		}
	},
	func(dst, src *state) { dst.ExclusiveEnable = src.ExclusiveEnable })

// RAS-040
var viewportSwizzles = elements(4, render.MaxViewports,
	"vkCmdSetViewportSwizzleNV-viewportCount-arraylength",
	func(s *state, at int, w []uint32) {
		of := func(i int) vk.ViewportCoordinateSwizzleNV { return vk.ViewportCoordinateSwizzleNV(w[i]) }
		s.ViewportSwizzle[at] = vk.ViewportSwizzleNV{X: of(0), Y: of(1), Z: of(2), W: of(3)}
	},
	func(dst, src *state) { dst.ViewportSwizzle = src.ViewportSwizzle },
).checked(func(c *CommandBuffer, op Op, w []uint32) bool {
	for _, v := range w[1:] {
		if v > uint32(vk.ViewportCoordinateSwizzleNegativeWNV) {
			c.misuse(op, "VkViewportSwizzleNV-x-parameter", "", "swizzle %d", int32(v))
			return false
		}
	}
	return true
})

// RAS-040
var wScalings = elements(2, render.MaxViewports, "vkCmdSetViewportWScalingNV-firstViewport-01324",
	func(s *state, at int, w []uint32) {
		s.WScaling[at] = vk.ViewportWScalingNV{Xcoeff: asFloat(w[0]), Ycoeff: asFloat(w[1])}
	},
	func(dst, src *state) { dst.WScaling = src.WScaling })

// Sample locations.

// sampleLocationsValue has samples and extent of the grid in front of the locations.
//
// RAS-026
var sampleLocationsValue = stateValue{
	read: func(s *state, w []uint32) {
		list := make([][2]float32, (len(w)-3)/2)
		for i := range list {
			list[i] = [2]float32{asFloat(w[3+2*i]), asFloat(w[4+2*i])}
		}
		s.SampleLocations = raster.CustomSamples(int(w[0]), int(w[1]), int(w[2]), list)
	},
	take: func(dst, src *state) { dst.SampleLocations = src.SampleLocations },
}

// sampleMaskValue has a word for each 32 samples.
//
// RAS-024
var sampleMaskValue = stateValue{
	words: 1,
	read:  func(s *state, w []uint32) { s.SampleMask = sampleMask(w) },
	take:  func(dst, src *state) { dst.SampleMask = src.SampleMask },
}

// sampleMask has the bits of the words of pSampleMask; words that are not there are all ones.
//
// RAS-018
func sampleMask(words []uint32) (mask uint64) {
	mask = math.MaxUint64
	for i, w := range words[:min(len(words), MaxSamples/32)] {
		mask &^= uint64(^w) << (32 * i)
	}
	return mask
}

// SampleLocations are custom sample locations (VkSampleLocationsInfoEXT).
type SampleLocations struct {
	Samples   vk.SampleCountFlags
	Grid      vk.Extent2D
	Locations []vk.SampleLocationEXT
}

// check returns the number of samples, 0 after an error.
func (l *SampleLocations) check(d *Device, op Op) (int, error) {
	n := Samples(l.Samples)
	power := func(v uint32) bool { return v >= 1 && v <= raster.GridSize && v&(v-1) == 0 }
	if l.Samples&LocationSamples == 0 || bits.OnesCount32(uint32(l.Samples)) != 1 {
		return 0, d.misuse(op, "VkSampleLocationsInfoEXT-sampleLocationsPerPixel-01526", "",
			"%v samples", l.Samples)
	}
	if !power(l.Grid.Width) || !power(l.Grid.Height) ||
		len(l.Locations) != n*int(l.Grid.Width*l.Grid.Height) {
		return 0, d.misuse(op, "VkSampleLocationsInfoEXT-sampleLocationsCount-01527", "",
			"%d locations for %d samples and a grid of %d×%d",
			len(l.Locations), n, l.Grid.Width, l.Grid.Height)
	}
	return n, nil
}

// set makes the locations as package raster has them.
func (l *SampleLocations) set(n int) *raster.SampleSet {
	list := make([][2]float32, len(l.Locations))
	for i, p := range l.Locations {
		list[i] = [2]float32{p.X, p.Y}
	}
	return raster.CustomSamples(n, int(l.Grid.Width), int(l.Grid.Height), list)
}

// SetSampleLocations sets custom sample locations.
func (c *CommandBuffer) SetSampleLocations(l SampleLocations) {
	op := c.setter(dynSampleLocations)
	if !c.ok(op, 0) {
		return
	}
	n, err := l.check(c.dev, op)
	if !c.try(err) {
		return
	}
	words := []uint32{uint32(n), l.Grid.Width, l.Grid.Height}
	for _, p := range l.Locations {
		words = append(words, math.Float32bits(p.X), math.Float32bits(p.Y))
	}
	c.set(dynSampleLocations, words...)
}
