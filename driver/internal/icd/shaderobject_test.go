package icd

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Binaries of the same driver, stage and version are taken, whole ones only.
func TestShaderCode_Binaries(t *testing.T) {
	code := []byte("some SPIR-V words")
	good := append(shaderBinaryHeader(vk.ShaderStageVertexBit, code), code...)
	changed := func(at int) []byte {
		b := slices.Clone(good)
		b[at] ^= 1
		return b
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"good":           {good, nil},
		"other driver":   {changed(0), vk.IncompatibleShaderBinaryEXT},
		"other version":  {changed(len(uuid)), vk.IncompatibleShaderBinaryEXT},
		"other stage":    {changed(len(uuid) + 4), vk.IncompatibleShaderBinaryEXT},
		"other size":     {changed(len(uuid) + 8), vk.IncompatibleShaderBinaryEXT},
		"other code":     {changed(len(good) - 1), vk.IncompatibleShaderBinaryEXT},
		"cut in code":    {good[:len(good)-1], vk.IncompatibleShaderBinaryEXT},
		"cut in header":  {good[:40], vk.IncompatibleShaderBinaryEXT},
		"more than code": {append(slices.Clone(good), 0), vk.IncompatibleShaderBinaryEXT},
	} {
		got, err := shaderCode(&abi.ShaderCreateInfoEXT{
			Stage: vk.ShaderStageVertexBit, CodeType: vk.ShaderCodeTypeBinaryEXT, CodeSize: uint64(len(c.data)), PCode: unsafe.Pointer(unsafe.SliceData(c.data)),
		})
		if err != c.want || err == nil && !slices.Equal(got, code) {
			t.Errorf("%s: %v, %q", name, err, got)
		}
	}
}

// A shader object has subgroups of the size that it demands, and so has one of its binary.
func TestShaderObject_SubgroupSizeIsRequired(t *testing.T) {
	f := newTest(t)
	b, data := f.storage(64)
	p, r := f.program(subgroupShader, 0, nil, nil, b)
	want(t, "vkCreateComputePipelines", r, vk.Success)
	set := f.setLayout(nil, abi.DescriptorSetLayoutBinding{DescriptorCount: 1,
		DescriptorType: vk.DescriptorTypeStorageBuffer, StageFlags: vk.ShaderStageComputeBit})
	for _, size := range []uint32{0, 4, 16, 128, 12} {
		next := &abi.PipelineShaderStageRequiredSubgroupSizeCreateInfo{RequiredSubgroupSize: size}
		next.SType = next.StructureType()
		object := func(code []byte, kind vk.ShaderCodeTypeEXT) (h abi.ShaderEXT, r vk.Result) {
			i := &abi.ShaderCreateInfoEXT{PNext: unsafe.Pointer(next), Stage: vk.ShaderStageComputeBit,
				CodeType: kind, CodeSize: uint64(len(code)), PCode: unsafe.Pointer(&code[0]),
				PName: &append([]byte("main"), 0)[0], SetLayoutCount: 1, PSetLayouts: &set}
			if size == 0 {
				i.PNext = nil
			}
			a := abi.CreateShadersEXTArgs{Device: f.device, CreateInfoCount: 1, PCreateInfos: i,
				PShaders: &h}
			call(f, abi.OpCreateShadersEXT, &a)
			return h, a.Ret
		}
		first, r := object(subgroupShader, vk.ShaderCodeTypeSpirvEXT)
		if size == 12 {
			if r == vk.Success {
				t.Error("subgroups of 12")
			}
			continue
		}
		want(t, "vkCreateShadersEXT", r, vk.Success)
		second, r := object(f.shaderBinaryOf(first), vk.ShaderCodeTypeBinaryEXT)
		want(t, "vkCreateShadersEXT", r, vk.Success)
		each := size
		if size == 0 {
			each = subgroupSize
		}
		for n, h := range []abi.ShaderEXT{first, second} {
			clear(data)
			cb, bit := f.begin(), vk.ShaderStageFlags(vk.ShaderStageComputeBit)
			f.pin.Pin(&bit)
			f.pin.Pin(&h)
			f.pin.Pin(&p.set)
			record(f, cb, abi.OpCmdBindShadersEXT, &abi.CmdBindShadersEXT{StageCount: 1, PStages: &bit,
				PShaders: &h})
			record(f, cb, abi.OpCmdBindDescriptorSets, &abi.CmdBindDescriptorSets{Layout: p.layout,
				PipelineBindPoint: vk.PipelineBindPointCompute, DescriptorSetCount: 1, PDescriptorSets: &p.set})
			record(f, cb, abi.OpCmdDispatch, &abi.CmdDispatch{GroupCountX: 1, GroupCountY: 1,
				GroupCountZ: 1})
			f.run(cb)
			for i, got := range data {
				if w := each<<16 | max(64/each, 1)<<8 | uint32(i)/each; got != w {
					t.Errorf("size %d, shader %d: invocation %d has %#x, not %#x", size, n, i, got, w)
					break
				}
			}
		}
	}
}
