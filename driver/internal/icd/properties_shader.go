package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// subgroupSize is the number of invocations that a subgroup has room for, unless a shader asks for others.
const subgroupSize = core.DefaultSubgroupSize

// subgroupOperations are those that shaders have with every
// type.
const subgroupOperations = vk.SubgroupFeatureBasicBit | vk.SubgroupFeatureVoteBit | vk.SubgroupFeatureArithmeticBit | vk.SubgroupFeatureBallotBit |
	vk.SubgroupFeatureShuffleBit | vk.SubgroupFeatureShuffleRelativeBit | vk.SubgroupFeatureClusteredBit | vk.SubgroupFeatureQuadBit |
	vk.SubgroupFeatureRotateBit | vk.SubgroupFeatureRotateClusteredBit | vk.SubgroupFeaturePartitionedBitNV

// subgroupStages are the stages that have them.
const subgroupStages = vk.ShaderStageAllGraphics | vk.ShaderStageComputeBit | vk.ShaderStageTaskBitEXT | vk.ShaderStageMeshBitEXT

// shaderProperties fills in the properties of shaders and their numbers.
func shaderProperties(v11 *abi.PhysicalDeviceVulkan11Properties, v12 *abi.PhysicalDeviceVulkan12Properties, v13 *abi.PhysicalDeviceVulkan13Properties) {
	v11.SubgroupSize = subgroupSize
	v11.SubgroupSupportedStages = subgroupStages
	v11.SubgroupSupportedOperations = subgroupOperations
	v11.SubgroupQuadOperationsInAllStages = 1 // four invocations in a row
	v13.MinSubgroupSize, v13.MaxSubgroupSize, v13.RequiredSubgroupSizeStages = core.MinSubgroupSize, core.MaxSubgroupSize, vk.ShaderStageComputeBit|vk.ShaderStageTaskBitEXT|vk.ShaderStageMeshBitEXT
	v13.MaxComputeWorkgroupSubgroups = engine.Limits().MaxComputeWorkGroupInvocations / core.MinSubgroupSize

	v12.DenormBehaviorIndependence, v12.RoundingModeIndependence = vk.ShaderFloatControlsIndependenceAll, vk.ShaderFloatControlsIndependenceAll
	v12.ShaderSignedZeroInfNanPreserveFloat16, v12.ShaderSignedZeroInfNanPreserveFloat32, v12.ShaderSignedZeroInfNanPreserveFloat64 = 1, 1, 1
	v12.ShaderDenormPreserveFloat32, v12.ShaderDenormPreserveFloat64 = 1, 1
	v12.ShaderDenormPreserveFloat16 = 1
	v12.ShaderDenormFlushToZeroFloat16, v12.ShaderDenormFlushToZeroFloat32, v12.ShaderDenormFlushToZeroFloat64 = 1, 1, 1
	v12.ShaderRoundingModeRTZFloat16, v12.ShaderRoundingModeRTZFloat32, v12.ShaderRoundingModeRTZFloat64 = 1, 1, 1
	v12.ShaderRoundingModeRTEFloat16, v12.ShaderRoundingModeRTEFloat32, v12.ShaderRoundingModeRTEFloat64 = 1, 1, 1
}

// shaderMasters are the properties of shaders that no version has.
func shaderMasters() []master {
	robust := &abi.PhysicalDeviceRobustness2PropertiesKHR{RobustStorageBufferAccessSizeAlignment: 1, RobustUniformBufferAccessSizeAlignment: 1}
	pipeline := &abi.PhysicalDevicePipelineRobustnessProperties{
		DefaultRobustnessStorageBuffers: vk.PipelineRobustnessBufferBehaviorRobustBufferAccess2,
		DefaultRobustnessUniformBuffers: vk.PipelineRobustnessBufferBehaviorRobustBufferAccess2,
		DefaultRobustnessVertexInputs:   vk.PipelineRobustnessBufferBehaviorRobustBufferAccess2,
		DefaultRobustnessImages:         vk.PipelineRobustnessImageBehaviorRobustImageAccess2,
	}
	subgroup := &abi.PhysicalDeviceSubgroupProperties{ // other names than in version 1.1
		SubgroupSize:    subgroupSize,
		SupportedStages: subgroupStages, SupportedOperations: subgroupOperations, QuadOperationsInAllStages: 1,
	}
	derivatives := &abi.PhysicalDeviceComputeShaderDerivativesPropertiesKHR{MeshAndTaskShaderDerivatives: 1} // IMG-405
	vectors := &abi.PhysicalDeviceShaderLongVectorPropertiesEXT{MaxVectorComponents: core.MaxVectorComponents}
	matrices := &abi.PhysicalDeviceCooperativeMatrixPropertiesKHR{CooperativeMatrixSupportedStages: vk.ShaderStageComputeBit}
	flexible := &abi.PhysicalDeviceCooperativeMatrix2PropertiesNV{
		CooperativeMatrixWorkgroupScopeMaxWorkgroupSize: core.MaxCooperativeWorkgroup,
		CooperativeMatrixFlexibleDimensionsMaxDimension: core.MaxCooperativeDimension,
	}
	products := &abi.PhysicalDeviceCooperativeVectorPropertiesNV{
		CooperativeVectorSupportedStages:             core.CooperativeVectorStages,
		CooperativeVectorTrainingFloat16Accumulation: 1, CooperativeVectorTrainingFloat32Accumulation: 1,
		MaxCooperativeVectorComponents: core.MaxVectorComponents,
	}
	older := &abi.PhysicalDeviceCooperativeMatrixPropertiesNV{
		CooperativeMatrixSupportedStages: vk.ShaderStageComputeBit,
	}
	return []master{
		{older.StructureType(), unsafe.Pointer(older)},
		{products.StructureType(), unsafe.Pointer(products)},
		{flexible.StructureType(), unsafe.Pointer(flexible)},
		{matrices.StructureType(), unsafe.Pointer(matrices)},
		{vectors.StructureType(), unsafe.Pointer(vectors)},
		{derivatives.StructureType(), unsafe.Pointer(derivatives)},
		{subgroup.StructureType(), unsafe.Pointer(subgroup)},
		{robust.StructureType(), unsafe.Pointer(robust)},
		{pipeline.StructureType(), unsafe.Pointer(pipeline)},
	}
}
