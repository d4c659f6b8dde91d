package icd

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// maxShaderBytes bounds the SPIR-V of a module.
const maxShaderBytes = 1 << 28

// newShaderModule parses the code of a VkShaderModuleCreateInfo.
func (d *Device) newShaderModule(i *abi.ShaderModuleCreateInfo) (*ShaderModule, error) {
	if i.PCode == nil || i.CodeSize > maxShaderBytes {
		return nil, vk.ErrorValidationFailed
	}
	code, m := unsafe.Slice((*byte)(unsafe.Pointer(i.PCode)), i.CodeSize), &ShaderModule{}
	var err error
	if m.core, err = d.core.NewShaderModule(code, ""); err == nil && d.enabled["pipelineBinaries"] {
		m.code = slices.Clone(code)
	}
	return m, err
}

// CreateShaderModule is vkCreateShaderModule.
func (d *Device) CreateShaderModule(a *abi.CreateShaderModuleArgs) vk.Result {
	m, err := d.newShaderModule(a.PCreateInfo)
	if err == nil {
		d.known.add(m)
	}
	return created(&d.shaderModules, a.PShaderModule, m, err)
}

// DestroyShaderModule is vkDestroyShaderModule. Pipelines live on, and libraries
// that have yet to be linked.
func (d *Device) DestroyShaderModule(a *abi.DestroyShaderModuleArgs) {
	d.shaderModules.Take(uint64(a.ShaderModule))
}

// stage turns a VkPipelineShaderStageCreateInfo into package core's terms. The
// code comes from a module, or with the stage; it is returned where it is kept.
func (d *Device) stage(i *abi.PipelineShaderStageCreateInfo) (core.Stage, []byte, error) {
	s := core.Stage{Entry: abi.String(i.PName), Constants: constants(i.PSpecializationInfo),
		SubgroupSize: requiredSubgroupSize(i.PNext)}
	m := lookup(&d.shaderModules, i.Module)
	if m == nil {
		var err error
		if inline := abi.Find[abi.ShaderModuleCreateInfo](i.PNext); inline == nil {
			m, err = d.identified(i)
		} else {
			m, err = d.newShaderModule(inline)
		}
		if err != nil {
			return s, nil, err
		}
	}
	s.Module = m.core
	return s, m.code, nil
}

// requiredSubgroupSize is the size in invocations that a pipeline's stage demands in its chain, or a
// shader object, whose VkShaderRequiredSubgroupSizeCreateInfoEXT is the same structure. 0: any.
func requiredSubgroupSize(next unsafe.Pointer) uint32 {
	if n := abi.Find[abi.PipelineShaderStageRequiredSubgroupSizeCreateInfo](next); n != nil {
		return n.RequiredSubgroupSize
	}
	return 0
}

// constants reads specialization constants. Entries that lie outside the data
// are left out.
func constants(i *abi.SpecializationInfo) map[uint32][]byte {
	if i == nil || i.MapEntryCount == 0 {
		return nil
	}
	data := abi.Slice((*byte)(i.PData), uint32(min(i.DataSize, 1<<30)))
	out := map[uint32][]byte{}
	for _, e := range abi.Slice(i.PMapEntries, i.MapEntryCount) {
		from, n := uint64(e.Offset), uint64(e.Size)
		if from <= uint64(len(data)) && n <= uint64(len(data))-from {
			out[e.ConstantID] = slices.Clone(data[from : from+n])
		}
	}
	return out
}

// pipelineCacheHeader begins the data of a pipeline cache
// (VkPipelineCacheHeaderVersionOne).
func pipelineCacheHeader() []byte {
	var b []byte
	for _, v := range []uint32{pipelineCacheHeaderBytes, uint32(vk.PipelineCacheHeaderVersionOne), vendorID, deviceID} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return append(b, uuid[:]...)
}

const pipelineCacheHeaderBytes = 32
