package core

import (
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Each dynamic state of rasterization and what its command changes: exactly the
// fields that stand beside it, and only in pipelines that made it dynamic.
func TestDynamicStates_RAS020_WhatEachChanges(t *testing.T) {
	rules.Covers(t, "RAS-020", "RAS-021", "RAS-022", "RAS-024", "RAS-025", "RAS-026", "RAS-027", "RAS-029", "RAS-030", "RAS-031",
		"RAS-032", "RAS-033", "RAS-034", "RAS-035", "RAS-036", "RAS-037", "RAS-038", "RAS-039", "RAS-040", "RAS-041", "RAS-042", "RAS-043", "RAS-044")
	const one, two, three = 0x3f800000, 0x40000000, 0x40400000 // as floats
	type state = render.DynamicState
	tested := dynSetOf(dynSampleLocations, dynSampleOrder) // in tests of their own
	for _, c := range []struct {
		s     vk.DynamicState
		words []uint32
		want  func(*state)
	}{
		{vk.DynamicStateRasterizerDiscardEnable, []uint32{1}, func(s *state) { s.RasterizerDiscard = true }},
		{vk.DynamicStateRasterizationStreamEXT, []uint32{2}, func(s *state) { s.RasterizationStream = 2 }},
		{vk.DynamicStateSampleMaskEXT, []uint32{5, 9}, func(s *state) { s.SampleMask = 9<<32 | 5 }},
		{vk.DynamicStateAlphaToCoverageEnableEXT, []uint32{1}, func(s *state) { s.AlphaToCoverageEnable = true }},
		{vk.DynamicStateAlphaToOneEnableEXT, []uint32{1}, func(s *state) { s.AlphaToOneEnable = true }},
		{vk.DynamicStateSampleLocationsEnableEXT, []uint32{1}, func(s *state) { s.SampleLocationsEnable = true }},
		{vk.DynamicStateFragmentShadingRateKHR, []uint32{1<<24 | 3<<16 | 2<<8 | 1, 3, 4}, func(s *state) {
			s.ShadingRate, s.RateCombiners = rates.Shading{W: 1, H: 2, Invocations: 3}, [2]vk.FragmentShadingRateCombinerOpKHR{3, 4}
		}},
		{vk.DynamicStateFragmentShadingRateKHR, []uint32{3<<16 | 2<<8 | 1, 0, 1}, func(s *state) {
			s.ShadingRate, s.RateCombiners = rates.Shading{W: 1, H: 2, Invocations: 3}, [2]vk.FragmentShadingRateCombinerOpKHR{0, 1}
		}},
		{vk.DynamicStatePatchControlPointsEXT, []uint32{7}, func(s *state) { s.PatchControlPoints = 7 }},
		{vk.DynamicStateTessellationDomainOriginEXT, []uint32{1}, func(s *state) { s.DomainOrigin = vk.TessellationDomainOriginLowerLeft }},
		{vk.DynamicStateDepthClampRangeEXT, []uint32{1, two, three}, func(s *state) { s.DepthClampUser, s.DepthClampRange = true, [2]float32{2, 3} }},
		{vk.DynamicStateDepthClampRangeEXT, []uint32{0, two, three}, func(s *state) { s.DepthClampRange = [2]float32{2, 3} }},
		{vk.DynamicStateShadingRateImageEnableNV, []uint32{1}, func(s *state) { s.RateImageEnable = true }},
		{vk.DynamicStateViewportShadingRatePaletteNV, []uint32{1, 2, 8, 9, 1, 3}, func(s *state) {
			s.Palettes[1], s.Palettes[2] = rates.Palette{N: 2, Entries: [16]uint8{8, 9}}, rates.Palette{N: 1, Entries: [16]uint8{3}}
		}},
		{vk.DynamicStateLineWidth, []uint32{one}, func(s *state) { s.LineWidth = 1 }},
		{vk.DynamicStateLineRasterizationModeEXT, []uint32{2}, func(s *state) { s.LineMode = vk.LineRasterizationModeBresenham }},
		{vk.DynamicStateLineStippleEnableEXT, []uint32{1}, func(s *state) { s.LineStippleEnable = true }},
		{vk.DynamicStateLineStipple, []uint32{7, 9}, func(s *state) { s.LineStippleFactor, s.LineStipplePattern = 7, 9 }},
		{vk.DynamicStateFrontFace, []uint32{1}, func(s *state) { s.FrontFace = vk.FrontFaceClockwise }},
		{vk.DynamicStateCullMode, []uint32{2}, func(s *state) { s.CullMode = vk.CullModeBackBit }},
		{vk.DynamicStatePolygonModeEXT, []uint32{1}, func(s *state) { s.PolygonMode = vk.PolygonModeLine }},
		{vk.DynamicStateDepthBiasEnable, []uint32{1}, func(s *state) { s.DepthBiasEnable = true }},
		{vk.DynamicStateDepthBias, []uint32{one, two, three, 2, 1}, func(s *state) {
			s.DepthBiasConstant, s.DepthBiasClamp, s.DepthBiasSlope = 1, 2, 3
			s.DepthBiasUnit, s.DepthBiasExact = vk.DepthBiasRepresentationFloatEXT, true
		}},
		{vk.DynamicStateDepthBias, []uint32{one, 0, 0, 0, 0}, func(s *state) { s.DepthBiasConstant = 1 }},
		{vk.DynamicStateDepthBias, []uint32{one, 0, 0, 2, 0}, func(s *state) {
			s.DepthBiasConstant, s.DepthBiasUnit = 1, vk.DepthBiasRepresentationFloatEXT
		}},
		{vk.DynamicStateDepthClampEnableEXT, []uint32{1}, func(s *state) { s.DepthClampEnable = true }},
		{vk.DynamicStateDepthClipEnableEXT, []uint32{1}, func(s *state) { s.DepthClipEnable = true }},
		{vk.DynamicStateDepthClipNegativeOneToOneEXT, []uint32{1}, func(s *state) { s.DepthNegativeOneToOne = true }},
		{vk.DynamicStateConservativeRasterizationModeEXT, []uint32{1}, func(s *state) { s.ConservativeMode = vk.ConservativeRasterizationModeOverestimateEXT }},
		{vk.DynamicStateExtraPrimitiveOverestimationSizeEXT, []uint32{one}, func(s *state) { s.ExtraOverestimation = 1 }},
		{vk.DynamicStateProvokingVertexModeEXT, []uint32{1}, func(s *state) { s.ProvokingVertexMode = vk.ProvokingVertexModeLastVertexEXT }},
		{vk.DynamicStatePrimitiveTopology, []uint32{2}, func(s *state) { s.Topology = vk.PrimitiveTopologyLineStrip }},
		{vk.DynamicStatePrimitiveRestartEnable, []uint32{1}, func(s *state) { s.PrimitiveRestart = true }},
		{vk.DynamicStateViewport, []uint32{0, 0, one, one, 0, one, one, two, three, two, one, three}, func(s *state) {
			s.ViewportCount, s.Viewports[0] = 2, vk.Viewport{Width: 1, Height: 1, MaxDepth: 1}
			s.Viewports[1] = vk.Viewport{X: 1, Y: 2, Width: 3, Height: 2, MinDepth: 1, MaxDepth: 3}
		}},
		{vk.DynamicStateScissor, []uint32{1, 2, 3, 4, 5, 6, 7, 8}, func(s *state) {
			s.Scissors[0] = vk.Rect2D{Offset: vk.Offset2D{X: 1, Y: 2}, Extent: vk.Extent2D{Width: 3, Height: 4}}
			s.Scissors[1] = vk.Rect2D{Offset: vk.Offset2D{X: 5, Y: 6}, Extent: vk.Extent2D{Width: 7, Height: 8}}
		}},
		{vk.DynamicStateViewportSwizzleNV, []uint32{1, 3, 1, 0, 0, 7, 2, 6, 5}, func(s *state) {
			s.ViewportSwizzle[1], s.ViewportSwizzle[2] = vk.ViewportSwizzleNV{X: 3, Y: 1}, vk.ViewportSwizzleNV{X: 7, Y: 2, Z: 6, W: 5}
		}},
		{vk.DynamicStateViewportWScalingNV, []uint32{1, one, 0, two, three}, func(s *state) {
			s.WScaling[1].Xcoeff, s.WScaling[2] = 1, vk.ViewportWScalingNV{Xcoeff: 2, Ycoeff: 3}
		}},
		{vk.DynamicStateViewportWScalingEnableNV, []uint32{1}, func(s *state) { s.WScalingEnable = true }},
		{vk.DynamicStateDiscardRectangleEXT, []uint32{1, 1, 2, 3, 4, 5, 6, 7, 8}, func(s *state) {
			s.DiscardCount, s.DiscardRectangles[1] = 3, vk.Rect2D{Offset: vk.Offset2D{X: 1, Y: 2}, Extent: vk.Extent2D{Width: 3, Height: 4}}
			s.DiscardRectangles[2] = vk.Rect2D{Offset: vk.Offset2D{X: 5, Y: 6}, Extent: vk.Extent2D{Width: 7, Height: 8}}
		}},
		{vk.DynamicStateDiscardRectangleEnableEXT, []uint32{1}, func(s *state) { s.DiscardEnable = true }},
		{vk.DynamicStateDiscardRectangleModeEXT, []uint32{1}, func(s *state) { s.DiscardMode = vk.DiscardRectangleModeExclusiveEXT }},
		{vk.DynamicStateExclusiveScissorNV, []uint32{1, 1, 2, 3, 4}, func(s *state) { // which switches none on
			s.ExclusiveScissors[1] = vk.Rect2D{Offset: vk.Offset2D{X: 1, Y: 2}, Extent: vk.Extent2D{Width: 3, Height: 4}}
		}},
		{vk.DynamicStateExclusiveScissorEnableNV, []uint32{1, 1, 0, 1}, func(s *state) { s.ExclusiveEnable = 0b1010 }},
		{vk.DynamicStateDepthTestEnable, []uint32{1}, func(s *state) { s.DepthTestEnable = true }},
		{vk.DynamicStateDepthWriteEnable, []uint32{1}, func(s *state) { s.DepthWriteEnable = true }},
		{vk.DynamicStateDepthCompareOp, []uint32{3}, func(s *state) { s.DepthCompareOp = vk.CompareOpLessOrEqual }},
		{vk.DynamicStateDepthBoundsTestEnable, []uint32{1}, func(s *state) { s.DepthBoundsTestEnable = true }},
		{vk.DynamicStateDepthBounds, []uint32{two, one}, func(s *state) { s.MinDepthBounds, s.MaxDepthBounds = 2, 1 }},
		{vk.DynamicStateStencilTestEnable, []uint32{1}, func(s *state) { s.StencilTestEnable = true }},
		{vk.DynamicStateStencilOp, []uint32{2, 1, 2, 3, 4}, func(s *state) {
			s.Back = vk.StencilOpState{FailOp: 1, PassOp: 2, DepthFailOp: 3, CompareOp: 4}
		}},
		{vk.DynamicStateStencilCompareMask, []uint32{1, 6}, func(s *state) { s.Front.CompareMask = 6 }},
		{vk.DynamicStateStencilCompareMask, []uint32{2, 6}, func(s *state) { s.Back.CompareMask = 6 }},
		{vk.DynamicStateStencilWriteMask, []uint32{3, 6}, func(s *state) { s.Front.WriteMask, s.Back.WriteMask = 6, 6 }},
		{vk.DynamicStateStencilReference, []uint32{2, 6}, func(s *state) { s.Back.Reference = 6 }},
		{vk.DynamicStateBlendConstants, []uint32{one, two, three, 0}, func(s *state) { s.BlendConstants = [4]float32{1, 2, 3, 0} }},
		{vk.DynamicStateBlendConstants, []uint32{0, 0, 0, one}, func(s *state) { s.BlendConstants[3] = 1 }},
		{vk.DynamicStateColorBlendEnableEXT, []uint32{2, 1, 0, 1}, func(s *state) { s.Blend[2].BlendEnable, s.Blend[4].BlendEnable = true, true }},
		{vk.DynamicStateColorWriteMaskEXT, []uint32{2, 9, 6}, func(s *state) { s.Blend[2].ColorWriteMask, s.Blend[3].ColorWriteMask = 9, 6 }},
		{vk.DynamicStateColorBlendEquationEXT, []uint32{1, 1, 2, 3, 4, 0, 1}, func(s *state) {
			s.Blend[1] = vk.PipelineColorBlendAttachmentState{SrcColorBlendFactor: 1, DstColorBlendFactor: 2, ColorBlendOp: 3, SrcAlphaBlendFactor: 4, AlphaBlendOp: 1}
		}},
		{vk.DynamicStateColorBlendAdvancedEXT, []uint32{1, uint32(vk.BlendOpScreenEXT), 1, 0, 2, 1}, func(s *state) {
			s.Blend[1].ColorBlendOp, s.Blend[1].AlphaBlendOp = vk.BlendOpScreenEXT, vk.BlendOpScreenEXT
			s.Advanced[1].DstStraight, s.Advanced[1].Overlap, s.Advanced[1].ClampResults = true, vk.BlendOverlapConjointEXT, true
		}},
		{vk.DynamicStateCoverageReductionModeNV, []uint32{1}, func(s *state) { s.CoverageReduction = vk.CoverageReductionModeTruncateNV }},
		{vk.DynamicStateCoverageModulationModeNV, []uint32{2}, func(s *state) { s.CoverageModulation = vk.CoverageModulationModeAlphaNV }},
		{vk.DynamicStateCoverageModulationTableEnableNV, []uint32{1}, func(s *state) { s.CoverageTableEnable = true }},
		{vk.DynamicStateCoverageModulationTableNV, []uint32{one, 0, one}, func(s *state) {
			s.CoverageTableCount, s.CoverageTable[0], s.CoverageTable[2] = 3, 1, 1
		}},
		{vk.DynamicStateCoverageToColorEnableNV, []uint32{1}, func(s *state) { s.CoverageToColor = true }},
		{vk.DynamicStateCoverageToColorLocationNV, []uint32{5}, func(s *state) { s.CoverageToColorLocation = 5 }},
		{vk.DynamicStateRepresentativeFragmentTestEnableNV, []uint32{1}, func(s *state) { s.RepresentativeFragmentTest = true }},
		{vk.DynamicStateLogicOpEnableEXT, []uint32{1}, func(s *state) { s.LogicOpEnable = true }},
		{vk.DynamicStateLogicOpEXT, []uint32{6}, func(s *state) { s.LogicOp = vk.LogicOpXor }},
		{vk.DynamicStateColorWriteEnableEXT, []uint32{3}, func(s *state) { s.ColorWrite = 3 }},
	} {
		m, ok := dynOf(c.s)
		if !ok {
			t.Errorf("%v is unknown", c.s)
			continue
		}
		tested.add(m)
		var want, set, merged, other state
		c.want(&want)
		if m.apply(&set, c.words); set != want {
			t.Errorf("%v: its command gives %+v, want %+v", c.s, set, want)
		}
		if m.merge(&merged, &set); merged != want {
			t.Errorf("%v: in a pipeline it gives %+v, want %+v", c.s, merged, want)
		}
		// A switch goes off again, an enum back to its first value.
		if len(c.words) == 1 && c.words[0] == 1 {
			if m.apply(&set, []uint32{0}); set != (state{}) {
				t.Errorf("%v, first 1 and then 0: %+v", c.s, set)
			}
		}
		// With all others dynamic, nothing comes of it.
		others := dynSet{}
		for o := range dynamicStates {
			if o := dynState(o); o != m && !dynElsewhere.has(o) {
				others.add(o)
			}
		}
		if others.merge(&other, &set); other != (state{}) && !sharesFields(c.s) {
			t.Errorf("%v: without it being dynamic, something comes of it", c.s)
		}
	}
	for m := range dynCount {
		if !tested.has(m) && !dynElsewhere.has(m) {
			t.Errorf("nothing tests what %v changes", dynamicStates[m].state)
		}
	}
}

// Each state that is numbers is recorded by its command, and carried out.
func TestDynamicStates_EachIsRecorded(t *testing.T) {
	d := open(t)
	const one = 0x3f800000 // as a float
	for _, s := range StateCommands() {
		recorded := false
		for _, words := range [][]uint32{
			{1, 1, 1, 1, 1, 1}, {one, one, one, one, one}, {one, one, one, 1, 1}, {1, one, one},
			{uint32(vk.BlendOpZeroEXT), 0, 0, 0, 0},
		} {
			if len(words) < s.Words {
				continue
			}
			words = words[:s.Words]
			if s.Limit > 0 {
				words = append([]uint32{0}, words...)
			}
			c := d.NewCommandBuffer()
			if c.SetState(s.State, words...); c.Err() != nil {
				continue
			}
			m, _ := dynOf(s.State)
			recorded = recorded || c.dynamic == dynSetOf(m)
			r := &runner{dev: &Device{}, bindings: newBindings(nil)}
			if err := r.run(ctx, c.words); err != nil {
				t.Errorf("%s: %v", s.Command, err)
			}
		}
		if !recorded {
			t.Errorf("%s is not recorded", s.Command)
		}
	}
	// A state that commands leave out words of has zeros there; more elements than there are, and none, are wrong.
	c := d.NewCommandBuffer()
	c.SetState(vk.DynamicStateDepthBias, one, one, one)
	if want := []uint32{uint32(opDynamic)<<24 | 6, uint32(dynDepthBias), one, one, one, 0, 0}; !slices.Equal(c.words, want) {
		t.Errorf("three words of a depth bias: %#x, want %#x", c.words, want)
	}
	for _, words := range [][]uint32{{}, {0}, {15, 1, 1}, {16, 1}, {math.MaxUint32, 1}} {
		c := d.NewCommandBuffer()
		if c.SetState(vk.DynamicStateColorWriteMaskEXT, words...); rule(c.Err()) != "VUID-vkCmdSetColorWriteMaskEXT-attachmentCount-arraylength" || len(c.words) > 0 {
			t.Errorf("elements %v: %v", words, c.Err())
		}
	}
	c = d.NewCommandBuffer()
	if c.SetState(vk.DynamicStateRayTracingPipelineStackSizeKHR, 1); c.Err() == nil {
		t.Error("a state that there is not is set")
	}
}

// Sample locations: how many samples, the grid, and places of each pixel's samples, row by row; how
// many discard rectangles there are is the pipeline's, if that says it.
func TestDynamicStates_RAS026_LocationsAndCounts(t *testing.T) {
	rules.Covers(t, "RAS-026", "RAS-041")
	bits := func(list ...float32) (out []uint32) {
		for _, f := range list {
			out = append(out, math.Float32bits(f))
		}
		return out
	}
	var s, dst render.DynamicState
	m, _ := dynOf(vk.DynamicStateSampleLocationsEXT)
	m.apply(&s, append([]uint32{2, 2, 1}, bits(0, .25, .5, .75, .125, .375, .625, .875)...))
	m.merge(&dst, &s)
	for _, set := range []*raster.SampleSet{s.SampleLocations, dst.SampleLocations} {
		for x, want := range [3][2][2]int32{{{0, 64}, {128, 192}}, {{32, 96}, {160, 224}}, {{0, 64}, {128, 192}}} {
			at := set.Of(int32(x), 5)
			if at.N != 2 || [2]int32{at.X[0], at.Y[0]} != want[0] || [2]int32{at.X[1], at.Y[1]} != want[1] {
				t.Errorf("pixel %d: %d samples at %v, %v; want %v", x, at.N, at.X[:2], at.Y[:2], want)
			}
		}
	}
	s.DiscardCount = 5
	rectangles, _ := dynOf(vk.DynamicStateDiscardRectangleEXT)
	for own, want := range map[int]int{0: 5, 3: 3} {
		dst = render.DynamicState{DiscardCount: own}
		rectangles.merge(&dst, &s)
		if dst.DiscardCount != want {
			t.Errorf("a pipeline of %d rectangles, five set: %d", own, dst.DiscardCount)
		}
	}
}

// sharesFields: blend operations are set by two states, and rectangles enable
// themselves.
func sharesFields(s vk.DynamicState) bool {
	switch s {
	case vk.DynamicStateColorBlendEquationEXT, vk.DynamicStateColorBlendAdvancedEXT, vk.DynamicStateExclusiveScissorEnableNV:
		return true
	}
	return false
}
