package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Version 1.1's struct and the extension's have other names for the same.
func TestProperties_SubgroupsByBothNames(t *testing.T) {
	newTest(t)
	one := abi.PhysicalDeviceSubgroupProperties{}
	all := abi.PhysicalDeviceVulkan11Properties{}
	one.SType, all.SType = one.StructureType(), all.StructureType()
	fillProperties((*abi.Structure)(unsafe.Pointer(&one)))
	fillProperties((*abi.Structure)(unsafe.Pointer(&all)))
	if one.SubgroupSize != subgroupSize || one.SupportedStages&vk.ShaderStageComputeBit == 0 || one.SupportedOperations&vk.SubgroupFeatureBasicBit == 0 {
		t.Errorf("subgroups: %+v", one)
	}
	if all.SubgroupSize != one.SubgroupSize || all.SubgroupSupportedStages != one.SupportedStages || all.SubgroupSupportedOperations != one.SupportedOperations {
		t.Errorf("version 1.1 says %d, %v, %v", all.SubgroupSize, all.SubgroupSupportedStages, all.SubgroupSupportedOperations)
	}
}

// Mesh and task shaders have derivatives, as compute shaders do: conformance.TestQuads_IMG405_OfWorkgroups runs them.
func TestProperties_MeshAndTaskShaderDerivatives(t *testing.T) {
	newTest(t)
	p := abi.PhysicalDeviceComputeShaderDerivativesPropertiesKHR{}
	p.SType = p.StructureType()
	fillProperties((*abi.Structure)(unsafe.Pointer(&p)))
	if p.MeshAndTaskShaderDerivatives != 1 {
		t.Error("meshAndTaskShaderDerivatives is not set")
	}
}
