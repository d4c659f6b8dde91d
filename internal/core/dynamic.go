package core

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// dynState is a dynamic state: its place in dynamicStates.
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
	dynFeedbackLoop // means nothing: images tell enough
	dynStride       // belongs to vertex buffers
	dynVertexInput  // belongs to the pipeline
	dynSamples      // belongs to the pass
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

	dynCount
)

// drawsLines says that a topology and polygon mode make lines.
//
// RAS-058
func drawsLines(t vk.PrimitiveTopology, m vk.PolygonMode) bool {
	switch t {
	case vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyLineStrip,
		vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyLineStripWithAdjacency:
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
	depends(drawsLines(s.Topology, s.PolygonMode), []dynState{dynTopology, dynPolygonMode},
		dynLineWidth)
	depends(s.DepthBiasEnable, []dynState{dynDepthBiasEnable}, dynDepthBias)
	depends(s.DepthBoundsTestEnable, []dynState{dynDepthBoundsTest}, dynDepthBounds)
	// VUID-vkCmdDraw-None-07835
	depends(blendsConstants(s), []dynState{dynBlendEnable, dynBlendEquation}, dynBlendConstants)
	depends(s.DepthTestEnable, []dynState{dynDepthTest}, dynDepthWrite, dynDepthCompare)
	depends(s.StencilTestEnable, []dynState{dynStencilTest},
		dynStencilCompareMask, dynStencilWriteMask, dynStencilReference, dynStencilOp)
	return m
}

// blendsConstants says that blending has a factor made from the constants.
func blendsConstants(s *render.DynamicState) bool {
	constant := func(f vk.BlendFactor) bool {
		return f >= vk.BlendFactorConstantColor && f <= vk.BlendFactorOneMinusConstantAlpha
	}
	return slices.ContainsFunc(s.Blend[:], func(b vk.PipelineColorBlendAttachmentState) bool {
		return b.BlendEnable && (constant(b.SrcColorBlendFactor) || constant(b.DstColorBlendFactor) ||
			constant(b.SrcAlphaBlendFactor) || constant(b.DstAlphaBlendFactor))
	})
}
