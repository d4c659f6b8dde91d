package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// TestLimits_Required: limits-required, with the values of Vulkan 1.4 where it asks
// for more than 1.0.
func TestLimits_Required(t *testing.T) {
	newTest(t)
	l := coreProperties().Limits
	least := func(name string, got, min uint64) {
		if got < min {
			t.Errorf("%s is %d, at least %d is needed", name, got, min)
		}
	}
	most := func(name string, got, max uint64) {
		if got == 0 || got > max {
			t.Errorf("%s is %d, at most %d is allowed", name, got, max)
		}
	}
	for _, c := range []struct {
		name string
		got  uint32
		min  uint64
	}{
		{"maxImageDimension1D", l.MaxImageDimension1D, 8192}, {"maxImageDimension2D", l.MaxImageDimension2D, 8192},
		{"maxImageDimension3D", l.MaxImageDimension3D, 512}, {"maxImageDimensionCube", l.MaxImageDimensionCube, 8192},
		{"maxImageArrayLayers", l.MaxImageArrayLayers, 2048}, {"maxTexelBufferElements", l.MaxTexelBufferElements, 65536},
		{"maxUniformBufferRange", l.MaxUniformBufferRange, 65536}, {"maxStorageBufferRange", l.MaxStorageBufferRange, 1 << 27},
		{"maxPushConstantsSize", l.MaxPushConstantsSize, 256}, {"maxMemoryAllocationCount", l.MaxMemoryAllocationCount, 4096},
		{"maxSamplerAllocationCount", l.MaxSamplerAllocationCount, 4000}, {"maxBoundDescriptorSets", l.MaxBoundDescriptorSets, 7},
		{"maxPerStageDescriptorSamplers", l.MaxPerStageDescriptorSamplers, 64}, {"maxPerStageDescriptorUniformBuffers", l.MaxPerStageDescriptorUniformBuffers, 15},
		{"maxPerStageDescriptorStorageBuffers", l.MaxPerStageDescriptorStorageBuffers, 30}, {"maxPerStageDescriptorSampledImages", l.MaxPerStageDescriptorSampledImages, 200},
		{"maxPerStageDescriptorStorageImages", l.MaxPerStageDescriptorStorageImages, 16}, {"maxPerStageDescriptorInputAttachments", l.MaxPerStageDescriptorInputAttachments, 8},
		{"maxPerStageResources", l.MaxPerStageResources, 200}, {"maxDescriptorSetSamplers", l.MaxDescriptorSetSamplers, 576},
		{"maxDescriptorSetUniformBuffers", l.MaxDescriptorSetUniformBuffers, 90}, {"maxDescriptorSetUniformBuffersDynamic", l.MaxDescriptorSetUniformBuffersDynamic, 8},
		{"maxDescriptorSetStorageBuffers", l.MaxDescriptorSetStorageBuffers, 96}, {"maxDescriptorSetStorageBuffersDynamic", l.MaxDescriptorSetStorageBuffersDynamic, 4},
		{"maxDescriptorSetSampledImages", l.MaxDescriptorSetSampledImages, 1800}, {"maxDescriptorSetStorageImages", l.MaxDescriptorSetStorageImages, 144},
		{"maxDescriptorSetInputAttachments", l.MaxDescriptorSetInputAttachments, 8}, {"maxVertexInputAttributes", l.MaxVertexInputAttributes, 16},
		{"maxVertexInputBindings", l.MaxVertexInputBindings, 16}, {"maxVertexInputAttributeOffset", l.MaxVertexInputAttributeOffset, 2047},
		{"maxVertexInputBindingStride", l.MaxVertexInputBindingStride, 2048}, {"maxVertexOutputComponents", l.MaxVertexOutputComponents, 64},
		{"maxFragmentInputComponents", l.MaxFragmentInputComponents, 64}, {"maxFragmentOutputAttachments", l.MaxFragmentOutputAttachments, 8},
		{"maxFragmentDualSrcAttachments", l.MaxFragmentDualSrcAttachments, 1}, {"maxFragmentCombinedOutputResources", l.MaxFragmentCombinedOutputResources, 16},
		{"maxComputeSharedMemorySize", l.MaxComputeSharedMemorySize, 16384}, {"maxComputeWorkGroupInvocations", l.MaxComputeWorkGroupInvocations, 256},
		{"subPixelPrecisionBits", l.SubPixelPrecisionBits, 4}, {"subTexelPrecisionBits", l.SubTexelPrecisionBits, 8}, {"mipmapPrecisionBits", l.MipmapPrecisionBits, 6},
		{"maxDrawIndexedIndexValue", l.MaxDrawIndexedIndexValue, 1<<32 - 1}, {"maxDrawIndirectCount", l.MaxDrawIndirectCount, 1<<16 - 1},
		{"maxViewports", l.MaxViewports, 16}, {"maxTexelOffset", l.MaxTexelOffset, 7}, {"maxTexelGatherOffset", l.MaxTexelGatherOffset, 7},
		{"subPixelInterpolationOffsetBits", l.SubPixelInterpolationOffsetBits, 4}, {"maxFramebufferWidth", l.MaxFramebufferWidth, 7680},
		{"maxFramebufferHeight", l.MaxFramebufferHeight, 7680}, {"maxFramebufferLayers", l.MaxFramebufferLayers, 256}, {"maxColorAttachments", l.MaxColorAttachments, 8},
		{"maxSampleMaskWords", l.MaxSampleMaskWords, 1}, {"maxClipDistances", l.MaxClipDistances, 8}, {"maxCullDistances", l.MaxCullDistances, 8},
		{"maxCombinedClipAndCullDistances", l.MaxCombinedClipAndCullDistances, 8}, {"discreteQueuePriorities", l.DiscreteQueuePriorities, 2},
		{"maxViewportDimensions", min(l.MaxViewportDimensions[0], l.MaxViewportDimensions[1]), 7680},
		{"maxComputeWorkGroupCount", min(l.MaxComputeWorkGroupCount[0], l.MaxComputeWorkGroupCount[1], l.MaxComputeWorkGroupCount[2]), 65535},
		{"maxComputeWorkGroupSize x, y", min(l.MaxComputeWorkGroupSize[0], l.MaxComputeWorkGroupSize[1]), 256}, {"maxComputeWorkGroupSize z", l.MaxComputeWorkGroupSize[2], 64},
	} {
		least(c.name, uint64(c.got), c.min)
	}
	least("minMemoryMapAlignment", uint64(l.MinMemoryMapAlignment), 64)
	most("bufferImageGranularity", uint64(l.BufferImageGranularity), 4096)
	most("minTexelBufferOffsetAlignment", uint64(l.MinTexelBufferOffsetAlignment), 256)
	most("minUniformBufferOffsetAlignment", uint64(l.MinUniformBufferOffsetAlignment), 256)
	most("minStorageBufferOffsetAlignment", uint64(l.MinStorageBufferOffsetAlignment), 256)
	most("nonCoherentAtomSize", uint64(l.NonCoherentAtomSize), 256)
	if coreFeature("sparseBinding") {
		least("sparseAddressSpaceSize", l.SparseAddressSpaceSize, 1<<31)
	}
	const two = vk.SampleCount1Bit | vk.SampleCount4Bit
	for name, got := range map[string]vk.SampleCountFlags{
		"framebufferColor": l.FramebufferColorSampleCounts, "framebufferDepth": l.FramebufferDepthSampleCounts, "framebufferStencil": l.FramebufferStencilSampleCounts,
		"framebufferNoAttachments": l.FramebufferNoAttachmentsSampleCounts, "sampledImageColor": l.SampledImageColorSampleCounts,
		"sampledImageDepth": l.SampledImageDepthSampleCounts, "sampledImageStencil": l.SampledImageStencilSampleCounts, "storageImage": l.StorageImageSampleCounts,
	} {
		if got&two != two {
			t.Errorf("%sSampleCounts is %v", name, got)
		}
	}
	for name, ok := range map[string]bool{
		"minTexelOffset": l.MinTexelOffset <= -8, "minTexelGatherOffset": l.MinTexelGatherOffset <= -8,
		"minInterpolationOffset": l.MinInterpolationOffset <= -0.5, "maxInterpolationOffset": l.MaxInterpolationOffset >= 0.5-1/float32(uint(1)<<l.SubPixelInterpolationOffsetBits),
		"viewportBoundsRange": l.ViewportBoundsRange[0] <= -15360 && l.ViewportBoundsRange[1] >= 15359,
		"pointSizeRange":      l.PointSizeRange[0] <= 1 && l.PointSizeRange[1] >= 256-l.PointSizeGranularity, "pointSizeGranularity": l.PointSizeGranularity <= 0.125,
		"lineWidthRange": l.LineWidthRange[0] <= 1 && l.LineWidthRange[1] >= 8-l.LineWidthGranularity, "lineWidthGranularity": l.LineWidthGranularity <= 0.5,
		"maxSamplerLodBias": l.MaxSamplerLodBias >= 14, "maxSamplerAnisotropy": l.MaxSamplerAnisotropy >= 16,
		"timestampComputeAndGraphics": l.TimestampComputeAndGraphics.True(), "standardSampleLocations": l.StandardSampleLocations.True(),
	} {
		if !ok {
			t.Errorf("%s falls short: %+v", name, l)
		}
	}
}

// TestLimits_RequiredOfVersions: the same of the structs of later versions.
func TestLimits_RequiredOfVersions(t *testing.T) {
	newTest(t)
	v11, v12, v13, v14 := abi.PhysicalDeviceVulkan11Properties{}, abi.PhysicalDeviceVulkan12Properties{}, abi.PhysicalDeviceVulkan13Properties{}, abi.PhysicalDeviceVulkan14Properties{}
	v11.SType, v12.SType, v13.SType, v14.SType = v11.StructureType(), v12.StructureType(), v13.StructureType(), v14.StructureType()
	for _, p := range []unsafe.Pointer{unsafe.Pointer(&v11), unsafe.Pointer(&v12), unsafe.Pointer(&v13), unsafe.Pointer(&v14)} {
		fillProperties((*abi.Structure)(p))
	}
	const many = 500000
	for _, c := range []struct {
		name     string
		got, min uint64
	}{
		{"maxMultiviewViewCount", uint64(v11.MaxMultiviewViewCount), 6}, {"maxMultiviewInstanceIndex", uint64(v11.MaxMultiviewInstanceIndex), 1<<27 - 1},
		{"maxPerSetDescriptors", uint64(v11.MaxPerSetDescriptors), 1024}, {"maxMemoryAllocationSize", v11.MaxMemoryAllocationSize, 1 << 30},
		{"subgroupSize", uint64(v11.SubgroupSize), 4}, {"maxTimelineSemaphoreValueDifference", v12.MaxTimelineSemaphoreValueDifference, 1<<31 - 1},
		{"maxUpdateAfterBindDescriptorsInAllPools", uint64(v12.MaxUpdateAfterBindDescriptorsInAllPools), many},
		{"maxPerStageDescriptorUpdateAfterBindSamplers", uint64(v12.MaxPerStageDescriptorUpdateAfterBindSamplers), many},
		{"maxPerStageDescriptorUpdateAfterBindUniformBuffers", uint64(v12.MaxPerStageDescriptorUpdateAfterBindUniformBuffers), 15},
		{"maxPerStageDescriptorUpdateAfterBindStorageBuffers", uint64(v12.MaxPerStageDescriptorUpdateAfterBindStorageBuffers), many},
		{"maxPerStageDescriptorUpdateAfterBindSampledImages", uint64(v12.MaxPerStageDescriptorUpdateAfterBindSampledImages), many},
		{"maxPerStageDescriptorUpdateAfterBindStorageImages", uint64(v12.MaxPerStageDescriptorUpdateAfterBindStorageImages), many},
		{"maxPerStageDescriptorUpdateAfterBindInputAttachments", uint64(v12.MaxPerStageDescriptorUpdateAfterBindInputAttachments), 7},
		{"maxPerStageUpdateAfterBindResources", uint64(v12.MaxPerStageUpdateAfterBindResources), many},
		{"maxDescriptorSetUpdateAfterBindSamplers", uint64(v12.MaxDescriptorSetUpdateAfterBindSamplers), many},
		{"maxDescriptorSetUpdateAfterBindSampledImages", uint64(v12.MaxDescriptorSetUpdateAfterBindSampledImages), many},
		{"maxInlineUniformBlockSize", uint64(v13.MaxInlineUniformBlockSize), 256}, {"maxInlineUniformTotalSize", uint64(v13.MaxInlineUniformTotalSize), 256},
		{"maxPerStageDescriptorInlineUniformBlocks", uint64(v13.MaxPerStageDescriptorInlineUniformBlocks), 4}, {"maxBufferSize", v13.MaxBufferSize, 1 << 30},
		{"maxSubgroupSize", uint64(v13.MaxSubgroupSize), 4}, {"lineSubPixelPrecisionBits", uint64(v14.LineSubPixelPrecisionBits), 4},
		{"maxVertexAttribDivisor", uint64(v14.MaxVertexAttribDivisor), 1<<16 - 1}, {"maxPushDescriptors", uint64(v14.MaxPushDescriptors), 32},
		{"maxCombinedImageSamplerDescriptorCount", uint64(v14.MaxCombinedImageSamplerDescriptorCount), 1},
		{"shaderSignedZeroInfNanPreserveFloat16", uint64(v12.ShaderSignedZeroInfNanPreserveFloat16), 1},
		{"shaderSignedZeroInfNanPreserveFloat32", uint64(v12.ShaderSignedZeroInfNanPreserveFloat32), 1},
	} {
		if c.got < c.min {
			t.Errorf("%s is %d, at least %d is needed", c.name, c.got, c.min)
		}
	}
	const operations = vk.SubgroupFeatureBasicBit | vk.SubgroupFeatureClusteredBit | vk.SubgroupFeatureRotateClusteredBit // versions-1.4-new-features
	if v11.SubgroupSupportedStages&vk.ShaderStageComputeBit == 0 || v11.SubgroupSupportedOperations&operations != operations {
		t.Errorf("subgroups: %v, %v", v11.SubgroupSupportedStages, v11.SubgroupSupportedOperations)
	}
	if v12.FramebufferIntegerColorSampleCounts&vk.SampleCount1Bit == 0 || v12.SupportedDepthResolveModes&vk.ResolveModeSampleZeroBit == 0 {
		t.Errorf("%v, %v", v12.FramebufferIntegerColorSampleCounts, v12.SupportedDepthResolveModes)
	}
}
