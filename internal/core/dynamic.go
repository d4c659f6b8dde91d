package core

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// dynState is a dynamic state: its place in dynStates.
type dynState uint8

const (
	dynViewport dynState = iota
	dynScissor
	dynLineWidth
	dynDepthBias
	dynBlendConstants
	dynDepthBounds
	dynStencilCompareMask
	dynStencilWriteMask
	dynStencilReference
	dynCullMode
	dynFrontFace
	dynTopology
	dynDepthTest
	dynDepthWrite
	dynDepthCompare
	dynDepthBoundsTest
	dynStencilTest
	dynStencilOp
	dynDiscard
	dynDepthBiasEnable
	dynRestart
	dynStride      // belongs to vertex buffers
	dynVertexInput // belongs to the pipeline
	dynSamples     // belongs to the pass
	dynDepthClamp
	dynDepthClip
	dynNegativeOneToOne
	dynPolygonMode
	dynSampleMask
	dynAlphaToCoverage
	dynAlphaToOne
	dynLogicOpEnable
	dynLogicOp
	dynColorWriteEnable
	dynBlendEnable
	dynBlendEquation
	dynColorWriteMask
	dynProvokingVertex
	dynLineMode
	dynStippleEnable
	dynStipple
	dynConservative
	dynExtraSize
	dynSampleLocations
	dynSampleLocationsEnable
	dynShadingRate
	dynBlendAdvanced
	dynDiscardRectangles
	dynDiscardEnable
	dynDiscardMode
	dynExclusiveScissor
	dynExclusiveEnable
	dynSwizzle
	dynWScaling
	dynWScalingEnable
	dynPatchControlPoints
	dynDomainOrigin
	dynDepthClampRange
	dynStream // belongs to the pipeline
	dynCoverageReduction
	dynCoverageModulation
	dynCoverageTableEnable
	dynCoverageTable
	dynCoverageToColor
	dynCoverageToColorLocation
	dynRepresentative
	dynRateImageEnable
	dynPalettes
	dynSampleOrder
)

// dynSet is a set of dynamic states.
type dynSet [2]uint64

// dynSetOf is the set of some states.
func dynSetOf(list ...dynState) (m dynSet) {
	for _, s := range list {
		m.add(s)
	}
	return m
}

func (m *dynSet) add(s dynState) { m[s/64] |= 1 << (s % 64) }

func (m *dynSet) remove(list ...dynState) {
	for _, s := range list {
		m[s/64] &^= 1 << (s % 64)
	}
}

func (m *dynSet) has(s dynState) bool { return m[s/64]>>(s%64)&1 != 0 }

// hasAny says that one of the states is in m.
func (m *dynSet) hasAny(list ...dynState) bool {
	for _, s := range list {
		if m.has(s) {
			return true
		}
	}
	return false
}

// and is the states that are in both sets.
func (m dynSet) and(n dynSet) dynSet { return dynSet{m[0] & n[0], m[1] & n[1]} }

// without is the states of m that are not in n.
func (m dynSet) without(n dynSet) dynSet { return dynSet{m[0] &^ n[0], m[1] &^ n[1]} }

// first is the state of lowest number; m is not empty.
func (m dynSet) first() dynState {
	if m[0] != 0 {
		return dynState(bits.TrailingZeros64(m[0]))
	}
	return dynState(64 + bits.TrailingZeros64(m[1]))
}

// dynElsewhere are the states that are no part of render.DynamicState.
var dynElsewhere = dynSetOf(dynStride, dynVertexInput, dynSamples)

// dynDefaults are the states that need not be set: some have neutral values, and
// whether others matter depends on state that may be dynamic itself.
var dynDefaults = dynSetOf(dynStride, dynDepthClamp, dynDepthClip, dynNegativeOneToOne, dynPolygonMode, dynSampleMask, dynAlphaToCoverage,
	dynAlphaToOne, dynLogicOpEnable, dynLogicOp, dynColorWriteEnable, dynBlendEnable, dynBlendEquation, dynColorWriteMask,
	dynProvokingVertex, dynLineMode, dynStippleEnable, dynStipple, dynConservative, dynExtraSize, dynSampleLocations, dynSampleLocationsEnable, dynShadingRate, dynBlendAdvanced,
	dynDiscardRectangles, dynDiscardEnable, dynDiscardMode, dynExclusiveScissor, dynExclusiveEnable, dynSwizzle, dynWScaling, dynWScalingEnable,
	dynPatchControlPoints, dynDomainOrigin, dynDepthClampRange, dynStream,
	dynCoverageReduction, dynCoverageModulation, dynCoverageTableEnable, dynCoverageTable, dynCoverageToColor, dynCoverageToColorLocation, dynRepresentative,
	dynRateImageEnable, dynPalettes, dynSampleOrder)

// dynVital are the states without which a draw means nothing. Where a program does
// not set others, the driver draws with neutral values (CommandBuffer.Tolerate).
var dynVital = dynSetOf(dynViewport, dynScissor, dynTopology, dynVertexInput, dynSamples)

// dynDiscarding are the states that matter where rasterizer discard is on.
var dynDiscarding = dynSetOf(dynTopology, dynRestart, dynVertexInput)

// dynRules are the rules of draws, VUID-vkCmdDraw-None-…, which ask that a state is set: of those that needed can return.
var dynRules = [...]string{
	dynViewport: "07831", dynScissor: "07832", dynLineWidth: "08617", dynDepthBias: "07834", dynBlendConstants: "07835",
	dynDepthBounds: "07836", dynStencilCompareMask: "07837", dynStencilWriteMask: "07838", dynStencilReference: "07839",
	dynCullMode: "07840", dynFrontFace: "07841", dynTopology: "07842", dynDepthTest: "07843", dynDepthWrite: "07844",
	dynDepthCompare: "07845", dynDepthBoundsTest: "07846", dynStencilTest: "07847", dynStencilOp: "07848",
	dynDiscard: "04876", dynDepthBiasEnable: "04877", dynRestart: "04879", dynVertexInput: "04914", dynSamples: "07622",
}

// dynStates names the states.
var dynStates = [...]vk.DynamicState{
	vk.DynamicStateViewport, vk.DynamicStateScissor, vk.DynamicStateLineWidth, vk.DynamicStateDepthBias,
	vk.DynamicStateBlendConstants, vk.DynamicStateDepthBounds, vk.DynamicStateStencilCompareMask,
	vk.DynamicStateStencilWriteMask, vk.DynamicStateStencilReference, vk.DynamicStateCullMode, vk.DynamicStateFrontFace,
	vk.DynamicStatePrimitiveTopology, vk.DynamicStateDepthTestEnable, vk.DynamicStateDepthWriteEnable,
	vk.DynamicStateDepthCompareOp, vk.DynamicStateDepthBoundsTestEnable, vk.DynamicStateStencilTestEnable,
	vk.DynamicStateStencilOp, vk.DynamicStateRasterizerDiscardEnable, vk.DynamicStateDepthBiasEnable,
	vk.DynamicStatePrimitiveRestartEnable, vk.DynamicStateVertexInputBindingStride,
	vk.DynamicStateVertexInputEXT, vk.DynamicStateRasterizationSamplesEXT, vk.DynamicStateDepthClampEnableEXT, vk.DynamicStateDepthClipEnableEXT,
	vk.DynamicStateDepthClipNegativeOneToOneEXT, vk.DynamicStatePolygonModeEXT, vk.DynamicStateSampleMaskEXT,
	vk.DynamicStateAlphaToCoverageEnableEXT, vk.DynamicStateAlphaToOneEnableEXT, vk.DynamicStateLogicOpEnableEXT, vk.DynamicStateLogicOpEXT,
	vk.DynamicStateColorWriteEnableEXT, vk.DynamicStateColorBlendEnableEXT, vk.DynamicStateColorBlendEquationEXT,
	vk.DynamicStateColorWriteMaskEXT, vk.DynamicStateProvokingVertexModeEXT, vk.DynamicStateLineRasterizationModeEXT,
	vk.DynamicStateLineStippleEnableEXT, vk.DynamicStateLineStipple,
	vk.DynamicStateConservativeRasterizationModeEXT, vk.DynamicStateExtraPrimitiveOverestimationSizeEXT,
	vk.DynamicStateSampleLocationsEXT, vk.DynamicStateSampleLocationsEnableEXT,
	vk.DynamicStateFragmentShadingRateKHR, vk.DynamicStateColorBlendAdvancedEXT,
	vk.DynamicStateDiscardRectangleEXT, vk.DynamicStateDiscardRectangleEnableEXT, vk.DynamicStateDiscardRectangleModeEXT,
	vk.DynamicStateExclusiveScissorNV, vk.DynamicStateExclusiveScissorEnableNV,
	vk.DynamicStateViewportSwizzleNV, vk.DynamicStateViewportWScalingNV, vk.DynamicStateViewportWScalingEnableNV,
	vk.DynamicStatePatchControlPointsEXT, vk.DynamicStateTessellationDomainOriginEXT,
	vk.DynamicStateDepthClampRangeEXT,
	vk.DynamicStateRasterizationStreamEXT,
	vk.DynamicStateCoverageReductionModeNV, vk.DynamicStateCoverageModulationModeNV,
	vk.DynamicStateCoverageModulationTableEnableNV, vk.DynamicStateCoverageModulationTableNV,
	vk.DynamicStateCoverageToColorEnableNV, vk.DynamicStateCoverageToColorLocationNV,
	vk.DynamicStateRepresentativeFragmentTestEnableNV,
	vk.DynamicStateShadingRateImageEnableNV, vk.DynamicStateViewportShadingRatePaletteNV, vk.DynamicStateViewportCoarseSampleOrderNV,
}

// drawsLines says that a topology and polygon mode make lines.
//
// RAS-058
func drawsLines(t vk.PrimitiveTopology, m vk.PolygonMode) bool {
	switch t {
	case vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyLineStrip, vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyLineStripWithAdjacency:
		return true
	case vk.PrimitiveTopologyPointList:
		return false
	default:
		return m == vk.PolygonModeLine
	}
}

// needed are the states that commands have to set before a draw: not those that
// make no difference, as far as the pipeline knows.
func (p *Pipeline) needed() dynSet {
	m, s := p.dynamic.without(dynDefaults), &p.static
	if s.RasterizerDiscard && !m.has(dynDiscard) {
		m = m.and(dynDiscarding)
	}
	// The states matter only if something is on, which is known if no state of
	// the conditions is dynamic.
	depends := func(on bool, conditions []dynState, states ...dynState) {
		if p.dynamic.hasAny(conditions...) || !on {
			m.remove(states...)
		}
	}
	depends(drawsLines(s.Topology, s.PolygonMode), []dynState{dynTopology, dynPolygonMode}, dynLineWidth)
	depends(s.DepthBiasEnable, []dynState{dynDepthBiasEnable}, dynDepthBias)
	depends(s.DepthBoundsTestEnable, []dynState{dynDepthBoundsTest}, dynDepthBounds)
	// VUID-vkCmdDraw-None-07835
	depends(blendsConstants(s), []dynState{dynBlendEnable, dynBlendEquation}, dynBlendConstants)
	depends(s.DepthTestEnable, []dynState{dynDepthTest}, dynDepthWrite, dynDepthCompare)
	depends(s.StencilTestEnable, []dynState{dynStencilTest}, dynStencilCompareMask, dynStencilWriteMask, dynStencilReference, dynStencilOp)
	return m
}

// blendsConstants says that blending has a factor made from the constants.
func blendsConstants(s *render.DynamicState) bool {
	constant := func(f vk.BlendFactor) bool {
		return f >= vk.BlendFactorConstantColor && f <= vk.BlendFactorOneMinusConstantAlpha
	}
	return slices.ContainsFunc(s.Blend[:], func(b vk.PipelineColorBlendAttachmentState) bool {
		return b.BlendEnable && (constant(b.SrcColorBlendFactor) || constant(b.DstColorBlendFactor) || constant(b.SrcAlphaBlendFactor) || constant(b.DstAlphaBlendFactor))
	})
}

// dynOf returns a dynamic state; false for those that are not supported.
func dynOf(s vk.DynamicState) (dynState, bool) {
	switch s {
	case vk.DynamicStateViewportWithCount:
		s = vk.DynamicStateViewport
	case vk.DynamicStateScissorWithCount:
		s = vk.DynamicStateScissor
	}
	i := slices.Index(dynStates[:], s)
	return dynState(max(i, 0)), i >= 0
}

// apply sets one dynamic state of s from the words of an opDynamic command.
func (m dynState) apply(s *render.DynamicState, w []uint32) {
	f := math.Float32frombits
	switch m {
	case dynViewport: // RAS-040
		n := len(w) / 6
		for i := range n {
			v := w[6*i:]
			s.Viewports[i] = vk.Viewport{X: f(v[0]), Y: f(v[1]), Width: f(v[2]), Height: f(v[3]), MinDepth: f(v[4]), MaxDepth: f(v[5])}
		}
		s.ViewportCount = n
	case dynScissor: // RAS-040
		for i := range len(w) / 4 {
			v := w[4*i:]
			s.Scissors[i] = vk.Rect2D{Offset: vk.Offset2D{X: int32(v[0]), Y: int32(v[1])}, Extent: vk.Extent2D{Width: v[2], Height: v[3]}}
		}
	case dynLineWidth: // RAS-029
		s.LineWidth = f(w[0])
	case dynDepthBias: // RAS-035
		s.DepthBiasConstant, s.DepthBiasClamp, s.DepthBiasSlope = f(w[0]), f(w[1]), f(w[2])
		s.DepthBiasUnit, s.DepthBiasExact = vk.DepthBiasRepresentationEXT(w[3]), w[4] != 0
	case dynBlendConstants: // RAS-043
		s.BlendConstants = [4]float32{f(w[0]), f(w[1]), f(w[2]), f(w[3])}
	case dynDepthBounds: // RAS-042
		s.MinDepthBounds, s.MaxDepthBounds = f(w[0]), f(w[1])
	case dynStencilCompareMask: // RAS-042
		eachFace(s, w[0], func(o *vk.StencilOpState) { o.CompareMask = w[1] })
	case dynStencilWriteMask: // RAS-042
		eachFace(s, w[0], func(o *vk.StencilOpState) { o.WriteMask = w[1] })
	case dynStencilReference: // RAS-042
		eachFace(s, w[0], func(o *vk.StencilOpState) { o.Reference = w[1] })
	case dynStencilOp: // RAS-042
		eachFace(s, w[0], func(o *vk.StencilOpState) {
			o.FailOp, o.PassOp, o.DepthFailOp, o.CompareOp = vk.StencilOp(w[1]), vk.StencilOp(w[2]), vk.StencilOp(w[3]), vk.CompareOp(w[4])
		})
	case dynCullMode: // RAS-032
		s.CullMode = vk.CullModeFlags(w[0])
	case dynFrontFace: // RAS-031
		s.FrontFace = vk.FrontFace(w[0])
	case dynTopology: // RAS-039
		s.Topology = vk.PrimitiveTopology(w[0])
	case dynDepthTest: // RAS-042
		s.DepthTestEnable = w[0] != 0
	case dynDepthWrite: // RAS-042
		s.DepthWriteEnable = w[0] != 0
	case dynDepthCompare: // RAS-042
		s.DepthCompareOp = vk.CompareOp(w[0])
	case dynDepthBoundsTest: // RAS-042
		s.DepthBoundsTestEnable = w[0] != 0
	case dynStencilTest: // RAS-042
		s.StencilTestEnable = w[0] != 0
	case dynDiscard: // RAS-021
		s.RasterizerDiscard = w[0] != 0
	case dynDepthBiasEnable: // RAS-034
		s.DepthBiasEnable = w[0] != 0
	case dynRestart: // RAS-039
		s.PrimitiveRestart = w[0] != 0
	default:
		m.applyMore(s, w)
	}
}

func eachFace(s *render.DynamicState, faces uint32, f func(*vk.StencilOpState)) {
	if vk.StencilFaceFlags(faces)&vk.StencilFaceFrontBit != 0 {
		f(&s.Front)
	}
	if vk.StencilFaceFlags(faces)&vk.StencilFaceBackBit != 0 {
		f(&s.Back)
	}
}

// merge copies the states in m from src to dst.
//
// RAS-020
func (m dynSet) merge(dst, src *render.DynamicState) {
	for m != (dynSet{}) {
		s := m.first()
		s.merge(dst, src)
		m.remove(s)
	}
}

// merge copies one state from src to dst.
func (m dynState) merge(dst, src *render.DynamicState) {
	switch m {
	case dynViewport: // RAS-040
		dst.Viewports, dst.ViewportCount = src.Viewports, src.ViewportCount
	case dynScissor: // RAS-040
		dst.Scissors = src.Scissors
	case dynLineWidth: // RAS-029
		dst.LineWidth = src.LineWidth
	case dynDepthBias: // RAS-035
		dst.DepthBiasConstant, dst.DepthBiasClamp, dst.DepthBiasSlope = src.DepthBiasConstant, src.DepthBiasClamp, src.DepthBiasSlope
		dst.DepthBiasUnit, dst.DepthBiasExact = src.DepthBiasUnit, src.DepthBiasExact
	case dynBlendConstants: // RAS-043
		dst.BlendConstants = src.BlendConstants
	case dynDepthBounds: // RAS-042
		dst.MinDepthBounds, dst.MaxDepthBounds = src.MinDepthBounds, src.MaxDepthBounds
	case dynStencilCompareMask: // RAS-042
		dst.Front.CompareMask, dst.Back.CompareMask = src.Front.CompareMask, src.Back.CompareMask
	case dynStencilWriteMask: // RAS-042
		dst.Front.WriteMask, dst.Back.WriteMask = src.Front.WriteMask, src.Back.WriteMask
	case dynStencilReference: // RAS-042
		dst.Front.Reference, dst.Back.Reference = src.Front.Reference, src.Back.Reference
	case dynStencilOp: // RAS-042
		mergeOps(&dst.Front, &src.Front)
		mergeOps(&dst.Back, &src.Back)
	case dynCullMode: // RAS-032
		dst.CullMode = src.CullMode
	case dynFrontFace: // RAS-031
		dst.FrontFace = src.FrontFace
	case dynTopology: // RAS-039
		dst.Topology = src.Topology
	case dynDepthTest: // RAS-042
		dst.DepthTestEnable = src.DepthTestEnable
	case dynDepthWrite: // RAS-042
		dst.DepthWriteEnable = src.DepthWriteEnable
	case dynDepthCompare: // RAS-042
		dst.DepthCompareOp = src.DepthCompareOp
	case dynDepthBoundsTest: // RAS-042
		dst.DepthBoundsTestEnable = src.DepthBoundsTestEnable
	case dynStencilTest: // RAS-042
		dst.StencilTestEnable = src.StencilTestEnable
	case dynDiscard: // RAS-021
		dst.RasterizerDiscard = src.RasterizerDiscard
	case dynDepthBiasEnable: // RAS-034
		dst.DepthBiasEnable = src.DepthBiasEnable
	case dynRestart: // RAS-039
		dst.PrimitiveRestart = src.PrimitiveRestart
	default:
		m.mergeMore(dst, src)
	}
}

func mergeOps(dst, src *vk.StencilOpState) {
	dst.FailOp, dst.PassOp, dst.DepthFailOp, dst.CompareOp = src.FailOp, src.PassOp, src.DepthFailOp, src.CompareOp
}
