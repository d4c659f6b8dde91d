package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// locationGrid is the grid of custom sample locations.
const locationGrid = raster.GridSize

// rasterMasters are the properties of rasterization that no version has.
//
// RAS-007
func rasterMasters() []master {
	conservative := &abi.PhysicalDeviceConservativeRasterizationPropertiesEXT{
		MaxExtraPrimitiveOverestimationSize:         raster.MaxExtraOverestimation,
		ExtraPrimitiveOverestimationSizeGranularity: 1.0 / raster.Subpixels,
		PrimitiveUnderestimation:                    1, ConservativePointAndLineRasterization: 1,
		DegenerateTrianglesRasterized: 1, DegenerateLinesRasterized: 1,
		FullyCoveredFragmentShaderInputVariable: 1, ConservativeRasterizationPostDepthCoverage: 1,
	}
	locations := &abi.PhysicalDeviceSampleLocationsPropertiesEXT{
		SampleLocationSampleCounts:    core.LocationSamples,
		MaxSampleLocationGridSize:     vk.Extent2D{Width: locationGrid, Height: locationGrid},
		SampleLocationCoordinateRange: [2]float32{0, (raster.Subpixels - 1.0) / raster.Subpixels},
		// The least that is allowed, though locations keep 8 bits (RAS-117):
		// programs draw triangles as wide as a step of the locations, which must
		// survive snapping, and the conformance tests ones of 1/16 pixel.
		SampleLocationSubPixelBits: 4, VariableSampleLocations: 1, // RAS-121
	}
	feedback := &abi.PhysicalDeviceTransformFeedbackPropertiesEXT{
		MaxTransformFeedbackStreams: ir.MaxStreams, MaxTransformFeedbackBuffers: ir.MaxFeedbackBuffers,
		MaxTransformFeedbackBufferSize: 1 << 31, MaxTransformFeedbackStreamDataSize: 8192,
		MaxTransformFeedbackBufferDataSize: 8192, MaxTransformFeedbackBufferDataStride: 8192,
		TransformFeedbackQueries: 1, TransformFeedbackStreamsLinesTriangles: 1,
		TransformFeedbackRasterizationStreamSelect: 1, TransformFeedbackDraw: 1,
	}
	barycentric := &abi.PhysicalDeviceFragmentShaderBarycentricPropertiesKHR{TriStripVertexOrderIndependentOfProvokingVertex: 0}
	rates := &abi.PhysicalDeviceFragmentShadingRatePropertiesKHR{
		// One size, as GPUs have it: the finest. Passes may have texels of up to core.MaxRateTexel
		// all the same; programs that read these limits draw once for each size, and 110,443
		// conformance tests nine times.
		MinFragmentShadingRateAttachmentTexelSize:            vk.Extent2D{Width: core.MinRateTexel, Height: core.MinRateTexel},
		MaxFragmentShadingRateAttachmentTexelSize:            vk.Extent2D{Width: core.MinRateTexel, Height: core.MinRateTexel},
		MaxFragmentShadingRateAttachmentTexelSizeAspectRatio: 1,
		PrimitiveFragmentShadingRateWithMultipleViewports:    1, LayeredShadingRateAttachments: 1,
		FragmentShadingRateNonTrivialCombinerOps: 1,
		MaxFragmentSize:                          vk.Extent2D{Width: core.MaxFragmentSize, Height: core.MaxFragmentSize}, MaxFragmentSizeAspectRatio: core.MaxFragmentSize,
		MaxFragmentShadingRateCoverageSamples:           core.MaxCoverageSamples,
		MaxFragmentShadingRateRasterizationSamples:      core.MaxRateSamples,
		FragmentShadingRateWithShaderDepthStencilWrites: 1, FragmentShadingRateWithSampleMask: 1, FragmentShadingRateWithShaderSampleMask: 1,
		FragmentShadingRateWithConservativeRasterization: 1, FragmentShadingRateWithCustomSampleLocations: 1,
		FragmentShadingRateWithFragmentShaderInterlock: 1, FragmentShadingRateStrictMultiplyCombiner: 1,
	}
	enums := &abi.PhysicalDeviceFragmentShadingRateEnumsPropertiesNV{MaxFragmentShadingRateInvocationCount: core.MaxRateInvocations}
	rateImage := &abi.PhysicalDeviceShadingRateImagePropertiesNV{
		ShadingRateTexelSize:   vk.Extent2D{Width: core.RateImageTexel, Height: core.RateImageTexel},
		ShadingRatePaletteSize: core.PaletteSize, ShadingRateMaxCoarseSamples: core.MaxCoverageSamples,
	}
	tile := &abi.PhysicalDeviceShaderTileImagePropertiesEXT{
		ShaderTileImageCoherentReadAccelerated: 1, ShaderTileImageReadSampleFromPixelRateInvocation: 1, ShaderTileImageReadFromHelperInvocation: 1,
	}
	advanced := &abi.PhysicalDeviceBlendOperationAdvancedPropertiesEXT{
		AdvancedBlendMaxColorAttachments: engine.Limits().MaxColorAttachments, AdvancedBlendIndependentBlend: 1,
		AdvancedBlendNonPremultipliedSrcColor: 1, AdvancedBlendNonPremultipliedDstColor: 1,
		AdvancedBlendCorrelatedOverlap: 1, AdvancedBlendAllOperations: 1,
	}
	topologies := &abi.PhysicalDeviceExtendedDynamicState3PropertiesEXT{DynamicPrimitiveTopologyUnrestricted: 1} // RAS-039
	perView := &abi.PhysicalDeviceMultiviewPerViewAttributesPropertiesNVX{PerViewPositionAllComponents: 1}
	discard := &abi.PhysicalDeviceDiscardRectanglePropertiesEXT{MaxDiscardRectangles: core.MaxDiscardRectangles}
	return []master{
		{discard.StructureType(), unsafe.Pointer(discard)},
		{topologies.StructureType(), unsafe.Pointer(topologies)},
		{perView.StructureType(), unsafe.Pointer(perView)},
		{advanced.StructureType(), unsafe.Pointer(advanced)},
		{tile.StructureType(), unsafe.Pointer(tile)},
		{rates.StructureType(), unsafe.Pointer(rates)},
		{enums.StructureType(), unsafe.Pointer(enums)},
		{rateImage.StructureType(), unsafe.Pointer(rateImage)},
		{barycentric.StructureType(), unsafe.Pointer(barycentric)},
		{feedback.StructureType(), unsafe.Pointer(feedback)},
		{conservative.StructureType(), unsafe.Pointer(conservative)},
		{locations.StructureType(), unsafe.Pointer(locations)},
	}
}
