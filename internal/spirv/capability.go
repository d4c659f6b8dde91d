package spirv

// Supported reports whether modules that declare the capability are accepted:
// exactly those whose instructions package lower can compile. A module that
// declares more than it uses is rejected for it all the same, since Vulkan lets
// a module declare only what the device offers.
func (c Capability) Supported() bool {
	switch c {
	// Vulkan 1.0 with its optional features.
	case CapabilityMatrix, CapabilityShader, CapabilityClipDistance, CapabilityCullDistance,
		CapabilitySampledImageArrayDynamicIndexing, CapabilityUniformBufferArrayDynamicIndexing,
		CapabilityStorageBufferArrayDynamicIndexing, CapabilityStorageImageArrayDynamicIndexing,
		CapabilityImageCubeArray, CapabilityImageMSArray, CapabilityImageGatherExtended, CapabilityImageQuery,
		CapabilityImage1D, CapabilitySampled1D, CapabilityImageBuffer, CapabilitySampledBuffer,
		CapabilitySampledCubeArray, CapabilityStorageImageMultisample,
		CapabilityStorageImageExtendedFormats, CapabilityStorageImageReadWithoutFormat,
		CapabilityStorageImageWriteWithoutFormat, CapabilitySampleRateShading, CapabilityInterpolationFunction,
		CapabilityDerivativeControl, CapabilityMinLod, CapabilitySparseResidency, CapabilityMultiViewport,
		CapabilityMeshShadingEXT, CapabilityTessellation, CapabilityTessellationPointSize, CapabilityGeometry, CapabilityGeometryPointSize, CapabilityGeometryStreams,
		CapabilityInputAttachment,
		CapabilityTextureSampleWeightedQCOM, CapabilityTextureBoxFilterQCOM, CapabilityTextureBlockMatchQCOM, CapabilityTextureBlockMatch2QCOM,
		CapabilityImageFootprintNV, CapabilityImageGatherLinearQCOM, CapabilityImageGatherExtendedModesQCOM, CapabilityImageReadWriteLodAMD, CapabilityImageGatherBiasLodAMD, CapabilityFragmentMaskAMD,
		CapabilitySampleMaskOverrideCoverageNV:
		return true
	// Stages' built-ins.
	case CapabilityDrawParameters, CapabilityMultiView, CapabilityDeviceGroup, CapabilityShaderLayer, CapabilityShaderViewportIndex,
		CapabilityShaderViewportIndexLayerEXT, CapabilityShaderViewportMaskNV, CapabilityPerViewAttributesNV, CapabilityStencilExportEXT, CapabilityDemoteToHelperInvocation:
		return true
	// Transform feedback and rasterization.
	case CapabilityTransformFeedback, CapabilityFragmentFullyCoveredEXT, CapabilityFragmentBarycentricKHR, CapabilityFragmentShadingRateKHR, CapabilityFragmentDensityEXT,
		CapabilityFragmentShaderPixelInterlockEXT, CapabilityFragmentShaderSampleInterlockEXT, CapabilityFragmentShaderShadingRateInterlockEXT,
		CapabilitySampleMaskPostDepthCoverage, CapabilityTileImageColorReadAccessEXT, CapabilityTileImageDepthReadAccessEXT,
		CapabilityTileImageStencilReadAccessEXT:
		return true
	// Descriptor indexing.
	case CapabilityShaderNonUniform, CapabilityRuntimeDescriptorArray,
		CapabilityUniformBufferArrayNonUniformIndexing, CapabilitySampledImageArrayNonUniformIndexing,
		CapabilityStorageBufferArrayNonUniformIndexing, CapabilityStorageImageArrayNonUniformIndexing,
		CapabilityInputAttachmentArrayDynamicIndexing, CapabilityInputAttachmentArrayNonUniformIndexing,
		CapabilityUniformTexelBufferArrayDynamicIndexing, CapabilityStorageTexelBufferArrayDynamicIndexing,
		CapabilityUniformTexelBufferArrayNonUniformIndexing, CapabilityStorageTexelBufferArrayNonUniformIndexing:
		return true
	// Memory.
	case CapabilityVulkanMemoryModel, CapabilityVulkanMemoryModelDeviceScope, CapabilityPhysicalStorageBufferAddresses,
		CapabilityVariablePointers, CapabilityVariablePointersStorageBuffer, CapabilityUntypedPointersKHR, CapabilityDescriptorHeapEXT, CapabilityRawAccessChainsNV, CapabilityShader64BitIndexingEXT, CapabilityWorkgroupMemoryExplicitLayoutKHR,
		CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR, CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR,
		CapabilityStorageInputOutput16, CapabilityStorageBuffer16BitAccess, CapabilityUniformAndStorageBuffer16BitAccess, CapabilityStoragePushConstant16,
		CapabilityStorageBuffer8BitAccess, CapabilityUniformAndStorageBuffer8BitAccess, CapabilityStoragePushConstant8,
		CapabilityInt64Atomics, CapabilityInt64ImageEXT, CapabilityAtomicFloat16AddEXT, CapabilityAtomicFloat16MinMaxEXT,
		CapabilityAtomicFloat32AddEXT, CapabilityAtomicFloat32MinMaxEXT,
		CapabilityAtomicFloat64AddEXT, CapabilityAtomicFloat64MinMaxEXT:
		return true
	// Arithmetic.
	case CapabilityInt8, CapabilityInt16, CapabilityInt64, CapabilityFloat16, CapabilityFloat64,
		CapabilityDenormPreserve, CapabilityDenormFlushToZero, CapabilityRoundingModeRTZ, CapabilitySignedZeroInfNanPreserve, CapabilityRoundingModeRTE, CapabilityFloatControls2, CapabilityFMAKHR, CapabilityExpectAssumeKHR,
		CapabilityReplicatedCompositesEXT, CapabilityLongVectorEXT, CapabilityComputeDerivativeGroupQuadsKHR, CapabilityComputeDerivativeGroupLinearKHR, CapabilityUniformDecoration,
		CapabilityBFloat16TypeKHR, CapabilityBFloat16DotProductKHR, CapabilityFloat8EXT,
		CapabilityCooperativeMatrixKHR, CapabilityBFloat16CooperativeMatrixKHR,
		CapabilityFloat8CooperativeMatrixEXT, CapabilityCooperativeMatrixNV,
		CapabilityCooperativeMatrixConversionsNV, CapabilityCooperativeMatrixReductionsEXT,
		CapabilityCooperativeMatrixPerElementOperationsEXT, CapabilityCooperativeMatrixTensorAddressingNV,
		CapabilityCooperativeMatrixBlockLoadsNV, CapabilityTensorAddressingNV,
		CapabilityCooperativeVectorNV, CapabilityCooperativeVectorTrainingNV,
		CapabilityDotProduct, CapabilityDotProductInputAll, CapabilityDotProductInput4x8Bit, CapabilityDotProductInput4x8BitPacked:
		return true
	default:
		return c.Subgroups()
	}
}

// Subgroups says that a module needs the capability for instructions that invocations of a
// subgroup or quad run together.
func (c Capability) Subgroups() bool {
	switch c {
	case CapabilityGroupNonUniform, CapabilityGroupNonUniformVote, CapabilityGroupNonUniformArithmetic, CapabilityGroupNonUniformBallot,
		CapabilityGroupNonUniformShuffle, CapabilityGroupNonUniformShuffleRelative, CapabilityGroupNonUniformClustered,
		CapabilityGroupNonUniformQuad, CapabilityGroupNonUniformRotateKHR, CapabilitySubgroupBallotKHR, CapabilitySubgroupVoteKHR,
		CapabilityGroupNonUniformPartitionedEXT, CapabilityQuadControlKHR, CapabilityShaderClockKHR:
		return true
	default:
		return false
	}
}

// impliesShader says that a module with the capability has the capability Shader,
// as those of the stages between vertices and fragments do.
func (c Capability) impliesShader() bool {
	switch c {
	case CapabilityShader, CapabilityGeometry, CapabilityGeometryPointSize, CapabilityGeometryStreams, CapabilityMultiViewport,
		CapabilityTessellation, CapabilityTessellationPointSize, CapabilityMeshShadingEXT:
		return true
	}
	return false
}
