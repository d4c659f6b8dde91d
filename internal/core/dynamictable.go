package core

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/vk"
)

// A dynamicRow is all that is known of a dynamic state: recording, pipelines, shader objects,
// messages and the driver's entry points follow from it.
type dynamicRow struct {
	state   vk.DynamicState
	command Op // that sets it; of several, the one that the others are told as
	part    pipelinePart
	unset   unset
	value   stateValue
}

// pipelinePart is which libraries of pipelines a state belongs to: in others it means nothing.
type pipelinePart = vk.GraphicsPipelineLibraryFlagsEXT

const (
	inVertexInput pipelinePart = vk.GraphicsPipelineLibraryVertexInputInterfaceBitEXT
	inRaster      pipelinePart = vk.GraphicsPipelineLibraryPreRasterizationShadersBitEXT
	inFragment    pipelinePart = vk.GraphicsPipelineLibraryFragmentShaderBitEXT
	inOutput      pipelinePart = vk.GraphicsPipelineLibraryFragmentOutputInterfaceBitEXT
)

// unset says what a draw means without the state.
type unset struct {
	rule string // VUID-vkCmdDraw-None-…, of draws that ask for it; "" if none does
	role unsetRole
}

// neutral is the role of states that need not be set: some have neutral values
// (render.DefaultState), and whether others matter depends on state that may be dynamic itself.
var neutral unset

type unsetRole uint8

const (
	// vital: a draw means nothing without it. Where a program does not set others, the driver
	// draws with neutral values (CommandBuffer.Tolerate).
	vital unsetRole = 1 << iota
	// discarding: it matters where rasterizer discard is on, too.
	discarding
)

// dynamicStates are the states.
//
// RAS-020
var dynamicStates = [dynCount]dynamicRow{
	// RAS-040
	dynViewport: {vk.DynamicStateViewport, "vkCmdSetViewport", inRaster, unset{"07831", vital},
		viewportValue},
	// RAS-040
	dynScissor: {vk.DynamicStateScissor, "vkCmdSetScissor", inRaster, unset{"07832", vital},
		scissorValue},
	// RAS-029
	dynLineWidth: {vk.DynamicStateLineWidth, "vkCmdSetLineWidth", inRaster, unset{"08617", 0},
		float(func(s *state) *float32 { return &s.LineWidth }).checked(checkLineWidth)},
	// RAS-035
	dynDepthBias: {vk.DynamicStateDepthBias, "vkCmdSetDepthBias", inRaster, unset{"07834", 0},
		join(
			float(func(s *state) *float32 { return &s.DepthBiasConstant }),
			float(func(s *state) *float32 { return &s.DepthBiasClamp }),
			float(func(s *state) *float32 { return &s.DepthBiasSlope }),
			enum("VkDepthBiasRepresentationInfoEXT-depthBiasRepresentation-parameter",
				0, vk.DepthBiasRepresentationFloatEXT,
				func(s *state) *vk.DepthBiasRepresentationEXT { return &s.DepthBiasUnit }),
			toggle(func(s *state) *bool { return &s.DepthBiasExact }))},
	// RAS-043
	dynBlendConstants: {vk.DynamicStateBlendConstants,
		"vkCmdSetBlendConstants", inOutput, unset{"07835", 0},
		floats(4, func(s *state) []float32 { return s.BlendConstants[:] })},
	// RAS-042
	dynDepthBounds: {vk.DynamicStateDepthBounds, "vkCmdSetDepthBounds", inFragment, unset{"07836", 0},
		join(
			float(func(s *state) *float32 { return &s.MinDepthBounds }),
			float(func(s *state) *float32 { return &s.MaxDepthBounds })).checked(checkDepthBounds)},
	// RAS-042
	dynStencilCompareMask: {vk.DynamicStateStencilCompareMask,
		"vkCmdSetStencilCompareMask", inFragment, unset{"07837", 0},
		faceMask(func(o *vk.StencilOpState) *uint32 { return &o.CompareMask })},
	// RAS-042
	dynStencilWriteMask: {vk.DynamicStateStencilWriteMask,
		"vkCmdSetStencilWriteMask", inFragment, unset{"07838", 0},
		faceMask(func(o *vk.StencilOpState) *uint32 { return &o.WriteMask })},
	// RAS-042
	dynStencilReference: {vk.DynamicStateStencilReference,
		"vkCmdSetStencilReference", inFragment, unset{"07839", 0},
		faceMask(func(o *vk.StencilOpState) *uint32 { return &o.Reference })},
	// RAS-032
	dynCullMode: {vk.DynamicStateCullMode, "vkCmdSetCullMode", inRaster, unset{"07840", 0},
		enum("vkCmdSetCullMode-cullMode-parameter",
			0, vk.CullModeFrontAndBack, func(s *state) *vk.CullModeFlags { return &s.CullMode })},
	// RAS-031
	dynFrontFace: {vk.DynamicStateFrontFace, "vkCmdSetFrontFace", inRaster, unset{"07841", 0},
		enum("vkCmdSetFrontFace-frontFace-parameter",
			0, vk.FrontFaceClockwise, func(s *state) *vk.FrontFace { return &s.FrontFace })},
	// RAS-039
	dynTopology: {vk.DynamicStatePrimitiveTopology,
		"vkCmdSetPrimitiveTopology", inVertexInput, unset{"07842", vital | discarding},
		enum("vkCmdSetPrimitiveTopology-primitiveTopology-parameter",
			0, vk.PrimitiveTopologyPatchList,
			func(s *state) *vk.PrimitiveTopology { return &s.Topology })},
	// RAS-042
	dynDepthTest: {vk.DynamicStateDepthTestEnable,
		"vkCmdSetDepthTestEnable", inFragment, unset{"07843", 0},
		toggle(func(s *state) *bool { return &s.DepthTestEnable })},
	// RAS-042
	dynDepthWrite: {vk.DynamicStateDepthWriteEnable,
		"vkCmdSetDepthWriteEnable", inFragment, unset{"07844", 0},
		toggle(func(s *state) *bool { return &s.DepthWriteEnable })},
	// RAS-042
	dynDepthCompare: {vk.DynamicStateDepthCompareOp,
		"vkCmdSetDepthCompareOp", inFragment, unset{"07845", 0},
		enum("vkCmdSetDepthCompareOp-depthCompareOp-parameter",
			0, vk.CompareOpAlways, func(s *state) *vk.CompareOp { return &s.DepthCompareOp })},
	// RAS-042
	dynDepthBoundsTest: {vk.DynamicStateDepthBoundsTestEnable,
		"vkCmdSetDepthBoundsTestEnable", inFragment, unset{"07846", 0},
		toggle(func(s *state) *bool { return &s.DepthBoundsTestEnable })},
	// RAS-042
	dynStencilTest: {vk.DynamicStateStencilTestEnable,
		"vkCmdSetStencilTestEnable", inFragment, unset{"07847", 0},
		toggle(func(s *state) *bool { return &s.StencilTestEnable })},
	// RAS-042
	dynStencilOp: {vk.DynamicStateStencilOp, "vkCmdSetStencilOp", inFragment, unset{"07848", 0},
		stencilOpValue},
	// RAS-021
	dynDiscard: {vk.DynamicStateRasterizerDiscardEnable,
		"vkCmdSetRasterizerDiscardEnable", inRaster, unset{"04876", 0},
		toggle(func(s *state) *bool { return &s.RasterizerDiscard }).checked(noteDiscard)},
	// RAS-034
	dynDepthBiasEnable: {vk.DynamicStateDepthBiasEnable,
		"vkCmdSetDepthBiasEnable", inRaster, unset{"04877", 0},
		toggle(func(s *state) *bool { return &s.DepthBiasEnable })},
	// RAS-039
	dynRestart: {vk.DynamicStatePrimitiveRestartEnable,
		"vkCmdSetPrimitiveRestartEnable", inVertexInput, unset{"04879", discarding},
		toggle(func(s *state) *bool { return &s.PrimitiveRestart })},
	// What images can be used for tells enough.
	dynFeedbackLoop: {vk.DynamicStateAttachmentFeedbackLoopEnableEXT,
		"vkCmdSetAttachmentFeedbackLoopEnableEXT", inRaster, neutral,
		stateValue{words: 1}},
	dynStride: {vk.DynamicStateVertexInputBindingStride,
		"vkCmdBindVertexBuffers2", inVertexInput, neutral,
		stateValue{}},
	dynVertexInput: {vk.DynamicStateVertexInputEXT,
		"vkCmdSetVertexInputEXT", inVertexInput, unset{"04914", vital | discarding},
		stateValue{}},
	// RAS-023
	dynSamples: {vk.DynamicStateRasterizationSamplesEXT,
		"vkCmdSetRasterizationSamplesEXT", inFragment | inOutput, unset{"07622", vital},
		stateValue{words: 1, check: checkSamples}},
	// RAS-036
	dynDepthClamp: {vk.DynamicStateDepthClampEnableEXT,
		"vkCmdSetDepthClampEnableEXT", inRaster, neutral,
		toggle(func(s *state) *bool { return &s.DepthClampEnable })},
	// RAS-036
	dynDepthClip: {vk.DynamicStateDepthClipEnableEXT, "vkCmdSetDepthClipEnableEXT", inRaster, neutral,
		toggle(func(s *state) *bool { return &s.DepthClipEnable })},
	// RAS-036
	dynNegativeOneToOne: {vk.DynamicStateDepthClipNegativeOneToOneEXT,
		"vkCmdSetDepthClipNegativeOneToOneEXT", inRaster, neutral,
		toggle(func(s *state) *bool { return &s.DepthNegativeOneToOne })},
	// RAS-033
	dynPolygonMode: {vk.DynamicStatePolygonModeEXT, "vkCmdSetPolygonModeEXT", inRaster, neutral,
		number(func(s *state) *vk.PolygonMode { return &s.PolygonMode }).checked(checkPolygonMode)},
	// RAS-024
	dynSampleMask: {vk.DynamicStateSampleMaskEXT,
		"vkCmdSetSampleMaskEXT", inFragment | inOutput, neutral,
		sampleMaskValue},
	// RAS-025
	dynAlphaToCoverage: {vk.DynamicStateAlphaToCoverageEnableEXT,
		"vkCmdSetAlphaToCoverageEnableEXT", inFragment | inOutput, neutral,
		toggle(func(s *state) *bool { return &s.AlphaToCoverageEnable })},
	// RAS-025
	dynAlphaToOne: {vk.DynamicStateAlphaToOneEnableEXT,
		"vkCmdSetAlphaToOneEnableEXT", inFragment | inOutput, neutral,
		toggle(func(s *state) *bool { return &s.AlphaToOneEnable })},
	// RAS-043
	dynLogicOpEnable: {vk.DynamicStateLogicOpEnableEXT, "vkCmdSetLogicOpEnableEXT", inOutput, neutral,
		toggle(func(s *state) *bool { return &s.LogicOpEnable })},
	// RAS-043
	dynLogicOp: {vk.DynamicStateLogicOpEXT, "vkCmdSetLogicOpEXT", inOutput, neutral,
		enum("vkCmdSetLogicOpEXT-logicOp-parameter",
			0, vk.LogicOpSet, func(s *state) *vk.LogicOp { return &s.LogicOp })},
	// RAS-043
	dynColorWriteEnable: {vk.DynamicStateColorWriteEnableEXT,
		"vkCmdSetColorWriteEnableEXT", inOutput, neutral,
		number(func(s *state) *uint32 { return &s.ColorWrite })},
	// RAS-043
	dynBlendEnable: {vk.DynamicStateColorBlendEnableEXT,
		"vkCmdSetColorBlendEnableEXT", inOutput, neutral,
		attachments(1, "vkCmdSetColorBlendEnableEXT-attachmentCount-arraylength",
			func(b *blendState, w []uint32) { b.BlendEnable = w[0] != 0 },
			func(dst, src *blendState) { dst.BlendEnable = src.BlendEnable })},
	// RAS-043
	dynBlendEquation: {vk.DynamicStateColorBlendEquationEXT,
		"vkCmdSetColorBlendEquationEXT", inOutput, neutral,
		blendEquation},
	// RAS-043
	dynColorWriteMask: {vk.DynamicStateColorWriteMaskEXT,
		"vkCmdSetColorWriteMaskEXT", inOutput, neutral,
		attachments(1, "vkCmdSetColorWriteMaskEXT-attachmentCount-arraylength",
			func(b *blendState, w []uint32) { b.ColorWriteMask = vk.ColorComponentFlags(w[0]) },
			func(dst, src *blendState) { dst.ColorWriteMask = src.ColorWriteMask })},
	// RAS-038
	dynProvokingVertex: {vk.DynamicStateProvokingVertexModeEXT,
		"vkCmdSetProvokingVertexModeEXT", inRaster, neutral,
		enum("vkCmdSetProvokingVertexModeEXT-provokingVertexMode-parameter",
			0, vk.ProvokingVertexModeLastVertexEXT,
			func(s *state) *vk.ProvokingVertexModeEXT { return &s.ProvokingVertexMode })},
	// RAS-030
	dynLineMode: {vk.DynamicStateLineRasterizationModeEXT,
		"vkCmdSetLineRasterizationModeEXT", inRaster, neutral,
		enum("vkCmdSetLineRasterizationModeEXT-lineRasterizationMode-parameter",
			0, vk.LineRasterizationModeRectangularSmooth,
			func(s *state) *vk.LineRasterizationMode { return &s.LineMode })},
	// RAS-030
	dynStippleEnable: {vk.DynamicStateLineStippleEnableEXT,
		"vkCmdSetLineStippleEnableEXT", inRaster, neutral,
		toggle(func(s *state) *bool { return &s.LineStippleEnable })},
	// RAS-030
	dynStipple: {vk.DynamicStateLineStipple, "vkCmdSetLineStipple", inRaster, neutral,
		join(
			enum("vkCmdSetLineStipple-lineStippleFactor-02776",
				1, 256, func(s *state) *uint32 { return &s.LineStippleFactor }),
			number(func(s *state) *uint16 { return &s.LineStipplePattern }))},
	// RAS-037
	dynConservative: {vk.DynamicStateConservativeRasterizationModeEXT,
		"vkCmdSetConservativeRasterizationModeEXT", inRaster, neutral,
		enum("vkCmdSetConservativeRasterizationModeEXT-conservativeRasterizationMode-parameter",
			0, vk.ConservativeRasterizationModeUnderestimateEXT,
			func(s *state) *vk.ConservativeRasterizationModeEXT { return &s.ConservativeMode })},
	// RAS-037
	dynExtraSize: {vk.DynamicStateExtraPrimitiveOverestimationSizeEXT,
		"vkCmdSetExtraPrimitiveOverestimationSizeEXT", inRaster, neutral,
		float(func(s *state) *float32 { return &s.ExtraOverestimation }).checked(checkExtraSize)},
	// RAS-026
	dynSampleLocations: {vk.DynamicStateSampleLocationsEXT,
		"vkCmdSetSampleLocationsEXT", inFragment | inOutput, neutral,
		sampleLocationsValue},
	// RAS-026
	dynSampleLocationsEnable: {vk.DynamicStateSampleLocationsEnableEXT,
		"vkCmdSetSampleLocationsEnableEXT", inFragment | inOutput, neutral,
		toggle(func(s *state) *bool { return &s.SampleLocationsEnable })},
	// RAS-027
	dynShadingRate: {vk.DynamicStateFragmentShadingRateKHR,
		"vkCmdSetFragmentShadingRateKHR", inRaster, neutral,
		shadingRateValue},
	// RAS-043
	dynBlendAdvanced: {vk.DynamicStateColorBlendAdvancedEXT,
		"vkCmdSetColorBlendAdvancedEXT", inOutput, neutral,
		blendAdvanced},
	// RAS-041
	dynDiscardRectangles: {vk.DynamicStateDiscardRectangleEXT,
		"vkCmdSetDiscardRectangleEXT", inRaster, neutral,
		discardRectangles},
	// RAS-041
	dynDiscardEnable: {vk.DynamicStateDiscardRectangleEnableEXT,
		"vkCmdSetDiscardRectangleEnableEXT", inRaster, neutral,
		toggle(func(s *state) *bool { return &s.DiscardEnable })},
	// RAS-041
	dynDiscardMode: {vk.DynamicStateDiscardRectangleModeEXT,
		"vkCmdSetDiscardRectangleModeEXT", inRaster, neutral,
		enum("vkCmdSetDiscardRectangleModeEXT-discardRectangleMode-parameter",
			0, vk.DiscardRectangleModeExclusiveEXT,
			func(s *state) *vk.DiscardRectangleModeEXT { return &s.DiscardMode })},
	// RAS-041
	dynExclusiveScissor: {vk.DynamicStateExclusiveScissorNV,
		"vkCmdSetExclusiveScissorNV", inRaster, neutral,
		exclusiveScissors},
	// RAS-041
	dynExclusiveEnable: {vk.DynamicStateExclusiveScissorEnableNV,
		"vkCmdSetExclusiveScissorEnableNV", inRaster, neutral,
		exclusiveEnable},
	// RAS-040
	dynSwizzle: {vk.DynamicStateViewportSwizzleNV, "vkCmdSetViewportSwizzleNV", inRaster, neutral,
		viewportSwizzles},
	// RAS-040
	dynWScaling: {vk.DynamicStateViewportWScalingNV, "vkCmdSetViewportWScalingNV", inRaster, neutral,
		wScalings},
	// RAS-040
	dynWScalingEnable: {vk.DynamicStateViewportWScalingEnableNV,
		"vkCmdSetViewportWScalingEnableNV", inRaster, neutral,
		toggle(func(s *state) *bool { return &s.WScalingEnable })},
	// RAS-039
	dynPatchControlPoints: {vk.DynamicStatePatchControlPointsEXT,
		"vkCmdSetPatchControlPointsEXT", inRaster, neutral,
		enum("vkCmdSetPatchControlPointsEXT-patchControlPoints-04874",
			1, lower.MaxPatchVertices, func(s *state) *uint32 { return &s.PatchControlPoints })},
	dynDomainOrigin: {vk.DynamicStateTessellationDomainOriginEXT,
		"vkCmdSetTessellationDomainOriginEXT", inRaster, neutral,
		enum("vkCmdSetTessellationDomainOriginEXT-domainOrigin-parameter",
			0, vk.TessellationDomainOriginLowerLeft,
			func(s *state) *vk.TessellationDomainOrigin { return &s.DomainOrigin })},
	// RAS-036
	dynDepthClampRange: {vk.DynamicStateDepthClampRangeEXT,
		"vkCmdSetDepthClampRangeEXT", inRaster, neutral,
		join(
			toggle(func(s *state) *bool { return &s.DepthClampUser }),
			floats(2, func(s *state) []float32 { return s.DepthClampRange[:] }),
		).checked(checkDepthClampRange)},
	// RAS-022
	dynStream: {vk.DynamicStateRasterizationStreamEXT,
		"vkCmdSetRasterizationStreamEXT", inRaster, neutral,
		enum("vkCmdSetRasterizationStreamEXT-rasterizationStream-07412",
			0, ir.MaxStreams-1, func(s *state) *uint32 { return &s.RasterizationStream })},
	// RAS-044
	dynCoverageReduction: {vk.DynamicStateCoverageReductionModeNV,
		"vkCmdSetCoverageReductionModeNV", inFragment | inOutput, neutral,
		enum("vkCmdSetCoverageReductionModeNV-coverageReductionMode-parameter",
			0, vk.CoverageReductionModeTruncateNV,
			func(s *state) *vk.CoverageReductionModeNV { return &s.CoverageReduction })},
	// RAS-044
	dynCoverageModulation: {vk.DynamicStateCoverageModulationModeNV,
		"vkCmdSetCoverageModulationModeNV", inFragment | inOutput, neutral,
		enum("vkCmdSetCoverageModulationModeNV-coverageModulationMode-parameter",
			0, vk.CoverageModulationModeRgbaNV,
			func(s *state) *vk.CoverageModulationModeNV { return &s.CoverageModulation })},
	// RAS-044
	dynCoverageTableEnable: {vk.DynamicStateCoverageModulationTableEnableNV,
		"vkCmdSetCoverageModulationTableEnableNV", inFragment | inOutput, neutral,
		toggle(func(s *state) *bool { return &s.CoverageTableEnable })},
	// RAS-044
	dynCoverageTable: {vk.DynamicStateCoverageModulationTableNV,
		"vkCmdSetCoverageModulationTableNV", inFragment | inOutput, neutral,
		coverageTable},
	// RAS-044
	dynCoverageToColor: {vk.DynamicStateCoverageToColorEnableNV,
		"vkCmdSetCoverageToColorEnableNV", inFragment | inOutput, neutral,
		toggle(func(s *state) *bool { return &s.CoverageToColor })},
	// RAS-044
	dynCoverageToColorLocation: {vk.DynamicStateCoverageToColorLocationNV,
		"vkCmdSetCoverageToColorLocationNV", inFragment | inOutput, neutral,
		number(func(s *state) *uint32 { return &s.CoverageToColorLocation })},
	// RAS-044
	dynRepresentative: {vk.DynamicStateRepresentativeFragmentTestEnableNV,
		"vkCmdSetRepresentativeFragmentTestEnableNV", inFragment, neutral,
		toggle(func(s *state) *bool { return &s.RepresentativeFragmentTest })},
	// RAS-028
	dynRateImageEnable: {vk.DynamicStateShadingRateImageEnableNV,
		"vkCmdSetShadingRateImageEnableNV", inRaster, neutral,
		toggle(func(s *state) *bool { return &s.RateImageEnable })},
	// RAS-028
	dynPalettes: {vk.DynamicStateViewportShadingRatePaletteNV,
		"vkCmdSetViewportShadingRatePaletteNV", inRaster, neutral,
		paletteValue},
	// RAS-028
	dynSampleOrder: {vk.DynamicStateViewportCoarseSampleOrderNV,
		"vkCmdSetCoarseSampleOrderNV", inRaster, neutral,
		sampleOrderValue},
}
