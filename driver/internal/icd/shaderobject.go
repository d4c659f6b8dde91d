package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Shader is a VkShaderEXT. Its binary form is its SPIR-V behind a header and mappings.
type Shader struct {
	core   *core.ShaderObject
	bit    vk.ShaderStageFlags
	binary []byte // without the header
}

// CreateShadersEXT is vkCreateShadersEXT. Linking changes nothing: shaders meet
// when they are drawn with. The first failure ends it, so that the first null
// handle is the one it is about.
func (d *Device) CreateShadersEXT(a *abi.CreateShadersEXTArgs) vk.Result {
	infos, out := abi.Slice(a.PCreateInfos, a.CreateInfoCount), abi.Slice(a.PShaders, a.CreateInfoCount)
	clear(out)
	for n := range out {
		s, err := d.newShader(&infos[n])
		if r := created(&d.shaders, &out[n], s, err); r != vk.Success {
			return r
		}
	}
	return vk.Success
}

func (d *Device) newShader(i *abi.ShaderCreateInfoEXT) (*Shader, error) {
	code, err := shaderCode(i)
	if err != nil {
		return nil, err
	}
	of := core.Stage{Entry: abi.String(i.PName), Constants: constants(i.PSpecializationInfo),
		SubgroupSize: requiredSubgroupSize(i.PNext),
		Indices64:    i.Flags&vk.ShaderCreate64BitIndexingBitEXT != 0,
		Heap:         i.Flags&vk.ShaderCreateDescriptorHeapBitEXT != 0}
	var embedded map[*core.Sampler]*embeddedSampler
	if i.CodeType == vk.ShaderCodeTypeBinaryEXT {
		of.Mappings, embedded, code, err = d.parseShaderBinary(code)
	} else if of.Heap {
		of.Mappings, embedded, err = d.mappings(i.PNext)
	}
	if err != nil {
		return nil, err
	}
	s := &Shader{bit: i.Stage}
	if of.Module, err = d.core.NewShaderModule(code, ""); err != nil {
		return nil, err
	}
	var sets []*core.DescriptorSetLayout
	for _, h := range abi.Slice(i.PSetLayouts, i.SetLayoutCount) {
		var set *core.DescriptorSetLayout
		if l := lookup(&d.descriptorSetLayouts, h); l != nil {
			set = l.core
		}
		sets = append(sets, set)
	}
	if s.core, err = d.core.NewShaderObject(i.Stage, of, sets); err != nil {
		return nil, err
	}
	s.binary, err = shaderBinary(s.core.Mappings(), embedded, code)
	return s, err
}

// DestroyShaderEXT is vkDestroyShaderEXT.
func (d *Device) DestroyShaderEXT(a *abi.DestroyShaderEXTArgs) {
	destroy(&d.shaders, a.Shader, func(s *Shader) object { return s.core })
}

// GetShaderBinaryDataEXT is vkGetShaderBinaryDataEXT. A binary is written as a
// whole or not at all.
func (d *Device) GetShaderBinaryDataEXT(a *abi.GetShaderBinaryDataEXTArgs) vk.Result {
	s := lookup(&d.shaders, a.Shader)
	if s == nil {
		*a.PDataSize = 0
		return vk.ErrorValidationFailed
	}
	room, size := *a.PDataSize, uint64(shaderBinaryHeaderBytes+len(s.binary))
	*a.PDataSize = size
	if a.PData == nil {
		return vk.Success
	}
	if room < size {
		*a.PDataSize = 0
		return vk.Incomplete
	}
	out := unsafe.Slice((*byte)(a.PData), size)
	copy(out[copy(out, shaderBinaryHeader(s.bit, s.binary)):], s.binary)
	return vk.Success
}

// CmdBindShadersEXT is vkCmdBindShadersEXT. Without pShaders it unbinds.
func (r *Recorder) CmdBindShadersEXT(c *abi.CmdBindShadersEXT) {
	shaders := abi.Slice(c.PShaders, c.StageCount)
	for n, bit := range abi.Slice(c.PStages, c.StageCount) {
		var o *core.ShaderObject
		if n < len(shaders) {
			if s := lookup(&r.device.shaders, shaders[n]); s != nil {
				o = s.core
			} else if shaders[n] != 0 {
				r.misuse("vkCmdBindShadersEXT", "vkCmdBindShadersEXT-pShaders-parameter", "a shader that does not exist")
				continue
			}
		}
		r.core.BindShader("vkCmdBindShadersEXT", bit, o)
	}
}
