package core

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/tess"
	"github.com/pumice-gpu/pumice/internal/version"
	"github.com/pumice-gpu/pumice/vk"
)

// Limits of package core.
const (
	MaxDescriptorSets = 32
	MaxPushBytes      = 256
	// MaxDiscardRectangles is maxDiscardRectangles.
	MaxDiscardRectangles = render.MaxDiscardRectangles
	// MaxAllocations is maxMemoryAllocationCount. It holds if each is a mapping of its
	// own, with 16,381 of memory.MaxMappings left to sparse bindings, recorded commands,
	// swapchains and other devices.
	MaxAllocations     = 1 << 14
	maxDescriptors     = 1 << 20 // in a set
	maxComponents      = 512     // of a vertex behind the vertex, evaluation and geometry stage
	maxUpdateBytes     = 65536
	maxWorkgroupShared = 1 << 15
	minLineWidth       = 0.0078125 // pixels, RAS-007
	maxLineWidth       = 1024
	driverVersion      = 1
)

// Properties tells what the device is.
func (d *Device) Properties() vk.PhysicalDeviceProperties {
	return vk.PhysicalDeviceProperties{
		ApiVersion:    version.Vulkan,
		DriverVersion: driverVersion,
		DeviceType:    vk.PhysicalDeviceTypeCpu,
		DeviceName:    "Pumice (" + d.EngineName() + ")",
		Limits:        d.Limits(),
		// Blocks have shapes of our own.
		SparseProperties: vk.PhysicalDeviceSparseProperties{ResidencyStandard2DBlockShape: true, ResidencyStandard2DMultisampleBlockShape: true,
			ResidencyStandard3DBlockShape: true, ResidencyNonResidentStrict: true},
	}
}

// Limits fills in what image operations and rasterization are told with what works today.
func (d *Device) Limits() vk.PhysicalDeviceLimits {
	const (
		extent = 32768
		many   = 1 << 16 // of each type in a set; update-after-bind sets take maxDescriptors
		bytes  = 1<<31 - 1
	)
	return vk.PhysicalDeviceLimits{
		MaxImageDimension1D: resource.MaxExtent, MaxImageDimension2D: resource.MaxExtent,
		MaxImageDimension3D: resource.MaxExtent, MaxImageDimensionCube: resource.MaxExtent,
		MaxImageArrayLayers: resource.MaxExtent, MaxTexelBufferElements: 1 << 27,
		MaxUniformBufferRange: bytes, MaxStorageBufferRange: bytes, MaxPushConstantsSize: MaxPushBytes,
		MaxMemoryAllocationCount: MaxAllocations, MaxSamplerAllocationCount: 1 << 20,
		BufferImageGranularity:        1,
		SparseAddressSpaceSize:        uint64(d.sparseLimit()),
		MaxBoundDescriptorSets:        MaxDescriptorSets,
		MaxPerStageDescriptorSamplers: many, MaxPerStageDescriptorUniformBuffers: many,
		MaxPerStageDescriptorStorageBuffers: many, MaxPerStageDescriptorSampledImages: many,
		MaxPerStageDescriptorStorageImages: many, MaxPerStageDescriptorInputAttachments: many, MaxPerStageResources: many,
		MaxDescriptorSetSamplers: many, MaxDescriptorSetUniformBuffers: many, MaxDescriptorSetUniformBuffersDynamic: many,
		MaxDescriptorSetStorageBuffers: many, MaxDescriptorSetStorageBuffersDynamic: many,
		MaxDescriptorSetSampledImages: many, MaxDescriptorSetStorageImages: many, MaxDescriptorSetInputAttachments: many,
		MaxVertexInputAttributes: render.MaxVertexAttributes, MaxVertexInputBindings: render.MaxVertexBindings,
		MaxVertexInputAttributeOffset: 1<<16 - 1, MaxVertexInputBindingStride: 1 << 16, MaxVertexOutputComponents: maxComponents,
		MaxTessellationGenerationLevel: tess.MaxLevel, MaxTessellationPatchSize: lower.MaxPatchVertices,
		MaxTessellationControlPerVertexInputComponents: 128, MaxTessellationControlPerVertexOutputComponents: 128,
		MaxTessellationControlPerPatchOutputComponents: 120, MaxTessellationControlTotalOutputComponents: 4096,
		MaxTessellationEvaluationInputComponents: 128, MaxTessellationEvaluationOutputComponents: maxComponents,
		MaxGeometryShaderInvocations: lower.MaxGeometryInvocations, MaxGeometryInputComponents: maxComponents, MaxGeometryOutputComponents: maxComponents,
		MaxGeometryOutputVertices: lower.MaxGeometryVertices, MaxGeometryTotalOutputComponents: lower.MaxGeometryComponents,
		MaxFragmentInputComponents: maxComponents, MaxFragmentOutputAttachments: render.MaxColorAttachments,
		MaxFragmentDualSrcAttachments: render.MaxDualSourceAttachments, MaxFragmentCombinedOutputResources: many,
		MaxComputeSharedMemorySize: maxWorkgroupShared, MaxComputeWorkGroupInvocations: exec.MaxLanes,
		MaxComputeWorkGroupCount: [3]uint32{render.MaxGroups(0), render.MaxGroups(1), render.MaxGroups(2)},
		MaxComputeWorkGroupSize:  [3]uint32{exec.MaxLanes, exec.MaxLanes, exec.MaxLanes},
		SubPixelPrecisionBits:    8,
		SubTexelPrecisionBits:    8, // IMG-012, IMG-703
		MipmapPrecisionBits:      8, // IMG-012, IMG-703
		MaxDrawIndexedIndexValue: 1<<32 - 1, MaxDrawIndirectCount: 1<<32 - 1,
		MaxSamplerLodBias: resource.MaxSamplerLodBias, MaxSamplerAnisotropy: resource.MaxSamplerAnisotropy, // IMG-012
		MaxViewports: render.MaxViewports, MaxViewportDimensions: [2]uint32{extent, extent}, // RAS-007
		ViewportBoundsRange: [2]float32{-65536, 65535}, ViewportSubPixelBits: 8, // RAS-007
		MinMemoryMapAlignment: 64, MinTexelBufferOffsetAlignment: 4,
		MinUniformBufferOffsetAlignment: 4, MinStorageBufferOffsetAlignment: 4,
		MinTexelOffset: resource.MinTexelOffset, MaxTexelOffset: resource.MaxTexelOffset,
		MinTexelGatherOffset: resource.MinTexelGatherOffset, MaxTexelGatherOffset: resource.MaxTexelGatherOffset, // IMG-012
		MinInterpolationOffset: -0.5, MaxInterpolationOffset: 0.49609375, SubPixelInterpolationOffsetBits: 8, // RAS-007
		MaxFramebufferWidth: extent, MaxFramebufferHeight: extent, MaxFramebufferLayers: 2048, // RAS-007
		FramebufferColorSampleCounts: sampleCounts, FramebufferDepthSampleCounts: sampleCounts,
		FramebufferStencilSampleCounts: sampleCounts, FramebufferNoAttachmentsSampleCounts: sampleCounts,
		MaxColorAttachments:           render.MaxColorAttachments,
		SampledImageColorSampleCounts: sampleCounts, SampledImageIntegerSampleCounts: sampleCounts,
		SampledImageDepthSampleCounts: sampleCounts, SampledImageStencilSampleCounts: sampleCounts,
		StorageImageSampleCounts: sampleCounts, MaxSampleMaskWords: 8,
		TimestampComputeAndGraphics: true, TimestampPeriod: 1,
		MaxClipDistances: 8, MaxCullDistances: 8, MaxCombinedClipAndCullDistances: 8, // RAS-007
		DiscreteQueuePriorities: 2,
		PointSizeRange:          [2]float32{0.0078125, 8192}, PointSizeGranularity: 0.0078125, // RAS-007
		LineWidthRange: [2]float32{minLineWidth, maxLineWidth}, LineWidthGranularity: minLineWidth, // RAS-007
		StrictLines: true, StandardSampleLocations: true,
		OptimalBufferCopyOffsetAlignment: 1, OptimalBufferCopyRowPitchAlignment: 1, NonCoherentAtomSize: 1,
	}
}

// Features tells which features work.
func (d *Device) Features() vk.PhysicalDeviceFeatures {
	return vk.PhysicalDeviceFeatures{
		VariableMultisampleRate: true, RobustBufferAccess: true, FullDrawIndexUint32: true, ImageCubeArray: true, IndependentBlend: true,
		TextureCompressionBC: true, TextureCompressionETC2: true, TextureCompressionASTC_LDR: true,
		SampleRateShading: true, DualSrcBlend: true, LogicOp: true, MultiDrawIndirect: true, DrawIndirectFirstInstance: true,
		DepthClamp: true, DepthBiasClamp: true, DepthBounds: true, FillModeNonSolid: true, WideLines: true, LargePoints: true, AlphaToOne: true,
		MultiViewport: true, SamplerAnisotropy: true, OcclusionQueryPrecise: true, PipelineStatisticsQuery: true, InheritedQueries: true,
		VertexPipelineStoresAndAtomics: true, FragmentStoresAndAtomics: true, ShaderImageGatherExtended: true,
		ShaderStorageImageExtendedFormats: true, ShaderStorageImageReadWithoutFormat: true, ShaderStorageImageWriteWithoutFormat: true,
		ShaderUniformBufferArrayDynamicIndexing: true, ShaderSampledImageArrayDynamicIndexing: true,
		ShaderStorageBufferArrayDynamicIndexing: true, ShaderStorageImageArrayDynamicIndexing: true,
		GeometryShader: true, TessellationShader: true, ShaderTessellationAndGeometryPointSize: true,
		SparseBinding: true, SparseResidencyBuffer: true, SparseResidencyImage2D: true, SparseResidencyImage3D: true,
		SparseResidency2Samples: true, SparseResidency4Samples: true, SparseResidency8Samples: true, SparseResidency16Samples: true,
		SparseResidencyAliased: true, ShaderResourceResidency: true,
		ShaderClipDistance: true, ShaderCullDistance: true, ShaderResourceMinLod: true,
		ShaderInt16: true, ShaderInt64: true, ShaderFloat64: true, ShaderStorageImageMultisample: true,
	}
}
