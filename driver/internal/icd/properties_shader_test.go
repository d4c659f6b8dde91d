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
