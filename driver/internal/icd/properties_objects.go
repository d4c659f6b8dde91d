package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// objectProperties fills in the properties of descriptors, buffers and pipeline
// state that the versions have.
func objectProperties(v12 *abi.PhysicalDeviceVulkan12Properties, v13 *abi.PhysicalDeviceVulkan13Properties, v14 *abi.PhysicalDeviceVulkan14Properties) {
	// Descriptors are read when commands are carried out, so that sets updated
	// after binding are like all others; their limits must be larger.
	const many, blocks = maxSetDescriptors, 64
	v12.MaxUpdateAfterBindDescriptorsInAllPools = 1<<32 - 1
	v12.ShaderUniformBufferArrayNonUniformIndexingNative = 1
	v12.ShaderSampledImageArrayNonUniformIndexingNative = 1
	v12.QuadDivergentImplicitLod = 1 // IMG-402
	v12.ShaderStorageBufferArrayNonUniformIndexingNative = 1
	v12.ShaderStorageImageArrayNonUniformIndexingNative = 1
	v12.ShaderInputAttachmentArrayNonUniformIndexingNative = 1
	v12.RobustBufferAccessUpdateAfterBind = 1
	v12.MaxPerStageDescriptorUpdateAfterBindSamplers = many
	v12.MaxPerStageDescriptorUpdateAfterBindUniformBuffers = many
	v12.MaxPerStageDescriptorUpdateAfterBindStorageBuffers = many
	v12.MaxPerStageDescriptorUpdateAfterBindSampledImages = many
	v12.MaxPerStageDescriptorUpdateAfterBindStorageImages = many
	v12.MaxPerStageDescriptorUpdateAfterBindInputAttachments = many
	v12.MaxPerStageUpdateAfterBindResources = many
	v12.MaxDescriptorSetUpdateAfterBindSamplers = many
	v12.MaxDescriptorSetUpdateAfterBindUniformBuffers = many
	v12.MaxDescriptorSetUpdateAfterBindUniformBuffersDynamic = engine.Limits().MaxDescriptorSetUniformBuffersDynamic
	v12.MaxDescriptorSetUpdateAfterBindStorageBuffers = many
	v12.MaxDescriptorSetUpdateAfterBindStorageBuffersDynamic = engine.Limits().MaxDescriptorSetStorageBuffersDynamic
	v12.MaxDescriptorSetUpdateAfterBindSampledImages = many
	v12.MaxDescriptorSetUpdateAfterBindStorageImages = many
	v12.MaxDescriptorSetUpdateAfterBindInputAttachments = many
	v12.FilterMinmaxSingleComponentFormats, v12.FilterMinmaxImageComponentMapping = 1, 1

	v13.MaxInlineUniformBlockSize = maxInlineBytes
	v13.MaxPerStageDescriptorInlineUniformBlocks = blocks
	v13.MaxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = blocks
	v13.MaxDescriptorSetInlineUniformBlocks = blocks
	v13.MaxDescriptorSetUpdateAfterBindInlineUniformBlocks = blocks
	v13.MaxInlineUniformTotalSize = blocks * maxInlineBytes
	v13.MaxBufferSize = core.MaxBufferSize
	v13.StorageTexelBufferOffsetAlignmentBytes, v13.UniformTexelBufferOffsetAlignmentBytes = 4, 4
	v13.StorageTexelBufferOffsetSingleTexelAlignment, v13.UniformTexelBufferOffsetSingleTexelAlignment = 1, 1

	v14.LineSubPixelPrecisionBits = engine.Limits().SubPixelPrecisionBits
	v14.MaxVertexAttribDivisor, v14.SupportsNonZeroFirstInstance = 1<<32-1, 1
}

// objectMasters are the properties of objects that no version has.
func objectMasters() []master {
	border := &abi.PhysicalDeviceCustomBorderColorPropertiesEXT{MaxCustomBorderColorSamplers: engine.Limits().MaxSamplerAllocationCount}
	provoking := &abi.PhysicalDeviceProvokingVertexPropertiesEXT{ProvokingVertexModePerPipeline: 1, TransformFeedbackPreservesTriangleFanProvokingVertex: 1}
	libraries := &abi.PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT{GraphicsPipelineLibraryFastLinking: 1, GraphicsPipelineLibraryIndependentInterpolationDecoration: 1}
	host := &abi.PhysicalDeviceExternalMemoryHostPropertiesEXT{MinImportedHostPointerAlignment: hostPointerAlignment}
	placed := &abi.PhysicalDeviceMapMemoryPlacedPropertiesEXT{MinPlacedMemoryMapAlignment: memory.PageBytes}
	const block = resource.MaxBlock
	process := &abi.PhysicalDeviceImageProcessingPropertiesQCOM{
		MaxWeightFilterPhases: resource.MaxWeightPhases, MaxWeightFilterDimension: vk.Extent2D{Width: block, Height: block},
		MaxBlockMatchRegion: vk.Extent2D{Width: block, Height: block}, MaxBoxFilterBlockSize: vk.Extent2D{Width: block, Height: block},
	}
	window := &abi.PhysicalDeviceImageProcessing2PropertiesQCOM{MaxBlockMatchWindow: vk.Extent2D{Width: block, Height: block}}
	shaders := &abi.PhysicalDeviceShaderObjectPropertiesEXT{ShaderBinaryUUID: uuid, ShaderBinaryVersion: shaderBinaryVersion}
	legacy := &abi.PhysicalDeviceLegacyVertexAttributesPropertiesEXT{NativeUnalignedPerformance: 1}
	indirect := &abi.PhysicalDeviceCopyMemoryIndirectPropertiesKHR{SupportedQueues: vk.QueueGraphicsBit | vk.QueueComputeBit | vk.QueueTransferBit}
	const inMemory, space, buffers = core.DescriptorBytes, 1 << 40, core.MaxDescriptorBuffers
	memories := &abi.PhysicalDeviceDescriptorBufferPropertiesEXT{
		CombinedImageSamplerDescriptorSingleArray: 1, BufferlessPushDescriptors: 1, AllowSamplerImageViewPostSubmitCreation: 1,
		DescriptorBufferOffsetAlignment: core.DescriptorAlignment,
		MaxDescriptorBufferBindings:     buffers, MaxResourceDescriptorBufferBindings: buffers, MaxSamplerDescriptorBufferBindings: buffers,
		MaxEmbeddedImmutableSamplerBindings: core.MaxDescriptorSets, MaxEmbeddedImmutableSamplers: maxSetDescriptors,
		BufferCaptureReplayDescriptorDataSize: captureBytes, ImageCaptureReplayDescriptorDataSize: captureBytes,
		ImageViewCaptureReplayDescriptorDataSize: captureBytes, SamplerCaptureReplayDescriptorDataSize: captureBytes,
		SamplerDescriptorSize: inMemory, CombinedImageSamplerDescriptorSize: inMemory, SampledImageDescriptorSize: inMemory,
		StorageImageDescriptorSize: inMemory, InputAttachmentDescriptorSize: inMemory,
		UniformTexelBufferDescriptorSize: inMemory, RobustUniformTexelBufferDescriptorSize: inMemory,
		StorageTexelBufferDescriptorSize: inMemory, RobustStorageTexelBufferDescriptorSize: inMemory,
		UniformBufferDescriptorSize: inMemory, RobustUniformBufferDescriptorSize: inMemory,
		StorageBufferDescriptorSize: inMemory, RobustStorageBufferDescriptorSize: inMemory,
		MaxSamplerDescriptorBufferRange: 1 << 31, MaxResourceDescriptorBufferRange: 1 << 31,
		SamplerDescriptorBufferAddressSpaceSize: space, ResourceDescriptorBufferAddressSpaceSize: space, DescriptorBufferAddressSpaceSize: space,
	}
	dense := &abi.PhysicalDeviceDescriptorBufferDensityMapPropertiesEXT{CombinedImageSamplerDensityMapDescriptorSize: inMemory}
	heaps := &abi.PhysicalDeviceDescriptorHeapPropertiesEXT{
		SamplerHeapAlignment: core.HeapAlignment, ResourceHeapAlignment: core.HeapAlignment,
		MaxSamplerHeapSize: core.MaxSamplerHeapBytes, MaxResourceHeapSize: core.MaxResourceHeapBytes,
		SamplerDescriptorSize: inMemory, ImageDescriptorSize: inMemory, BufferDescriptorSize: inMemory,
		SamplerDescriptorAlignment: core.DescriptorAlignment, ImageDescriptorAlignment: core.DescriptorAlignment, BufferDescriptorAlignment: core.DescriptorAlignment,
		MaxPushDataSize: core.MaxPushBytes, ImageCaptureReplayOpaqueDataSize: captureBytes,
		MaxDescriptorHeapEmbeddedSamplers: engine.Limits().MaxSamplerAllocationCount, SamplerYcbcrConversionCount: 1, SparseDescriptorHeaps: 1,
	}
	binaries := &abi.PhysicalDevicePipelineBinaryPropertiesKHR{PipelineBinaryInternalCache: 1}
	const generating = vk.ShaderStageAllGraphics | vk.ShaderStageComputeBit | vk.ShaderStageTaskBitEXT | vk.ShaderStageMeshBitEXT
	generated := &abi.PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT{
		MaxIndirectPipelineCount: core.MaxExecutionSet, MaxIndirectShaderObjectCount: core.MaxExecutionSet, MaxIndirectSequenceCount: core.MaxGeneratedSequences,
		MaxIndirectCommandsTokenCount: core.MaxGeneratedTokens, MaxIndirectCommandsTokenOffset: core.MaxGeneratedOffset, MaxIndirectCommandsIndirectStride: core.MaxGeneratedStride,
		SupportedIndirectCommandsInputModes:   vk.IndirectCommandsInputModeVulkanIndexBufferEXT | vk.IndirectCommandsInputModeDxgiIndexBufferEXT,
		SupportedIndirectCommandsShaderStages: generating, SupportedIndirectCommandsShaderStagesPipelineBinding: generating, SupportedIndirectCommandsShaderStagesShaderBinding: generating,
		DeviceGeneratedCommandsTransformFeedback: 1, DeviceGeneratedCommandsMultiDrawIndirectCount: 1,
	}
	return []master{
		{generated.StructureType(), unsafe.Pointer(generated)},
		{binaries.StructureType(), unsafe.Pointer(binaries)},
		{memories.StructureType(), unsafe.Pointer(memories)},
		{heaps.StructureType(), unsafe.Pointer(heaps)},
		{dense.StructureType(), unsafe.Pointer(dense)},
		{indirect.StructureType(), unsafe.Pointer(indirect)},
		{legacy.StructureType(), unsafe.Pointer(legacy)},
		{placed.StructureType(), unsafe.Pointer(placed)},
		{process.StructureType(), unsafe.Pointer(process)},
		{window.StructureType(), unsafe.Pointer(window)},
		{shaders.StructureType(), unsafe.Pointer(shaders)},
		{host.StructureType(), unsafe.Pointer(host)},
		{border.StructureType(), unsafe.Pointer(border)},
		{provoking.StructureType(), unsafe.Pointer(provoking)},
		{libraries.StructureType(), unsafe.Pointer(libraries)},
	}
}
