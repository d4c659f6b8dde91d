package icd

import (
	_ "embed"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/picture.comp.spv testdata/picture.comp

//go:embed testdata/picture.comp.spv
var pictureShader []byte

// A messenger that is there before the device hears where image instructions do not fit
// what they are used on; the shader runs in any case.
func TestImageRules_IMG002_ReachMessengers(t *testing.T) {
	rules.Covers(t, "IMG-002")
	f := newTest(t)
	var told *[]string
	for _, hears := range []bool{false, true} {
		call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
		if hears {
			told = f.heard()
		}
		f.device = f.open()
		b, data := f.storage(1)
		set := f.setLayout(nil, abi.DescriptorSetLayoutBinding{DescriptorType: vk.DescriptorTypeStorageBuffer, DescriptorCount: 1, StageFlags: vk.ShaderStageComputeBit},
			abi.DescriptorSetLayoutBinding{Binding: 1, DescriptorType: vk.DescriptorTypeCombinedImageSampler, DescriptorCount: 1, StageFlags: vk.ShaderStageComputeBit})
		var p program
		l := abi.CreatePipelineLayoutArgs{Device: f.device, PCreateInfo: &abi.PipelineLayoutCreateInfo{SetLayoutCount: 1, PSetLayouts: &set}, PPipelineLayout: &p.layout}
		call(f, abi.OpCreatePipelineLayout, &l)
		want(t, "vkCreatePipelineLayout", l.Ret, vk.Success)
		sets, r := f.sets(f.pool(1, abi.DescriptorPoolSize{Type: vk.DescriptorTypeStorageBuffer, DescriptorCount: 1}, abi.DescriptorPoolSize{Type: vk.DescriptorTypeCombinedImageSampler, DescriptorCount: 1}), set)
		want(t, "vkAllocateDescriptorSets", r, vk.Success)
		p.set = sets[0]
		var sampler abi.Sampler
		s := abi.CreateSamplerArgs{Device: f.device, PCreateInfo: &abi.SamplerCreateInfo{}, PSampler: &sampler}
		call(f, abi.OpCreateSampler, &s)
		want(t, "vkCreateSampler", s.Ret, vk.Success)
		_, view := f.imageOf(vk.ImageUsageSampledBit)
		writes := []abi.WriteDescriptorSet{
			{DstSet: p.set, DescriptorCount: 1, DescriptorType: vk.DescriptorTypeStorageBuffer, PBufferInfo: &abi.DescriptorBufferInfo{Buffer: b, Range: vk.WholeSize}},
			{DstSet: p.set, DstBinding: 1, DescriptorCount: 1, DescriptorType: vk.DescriptorTypeCombinedImageSampler,
				PImageInfo: &abi.DescriptorImageInfo{Sampler: sampler, ImageView: view, ImageLayout: vk.ImageLayoutGeneral}},
		}
		call(f, abi.OpUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: f.device, DescriptorWriteCount: 2, PDescriptorWrites: &writes[0]})
		stage := f.stage(vk.ShaderStageComputeBit, pictureShader)
		c := abi.CreateComputePipelinesArgs{Device: f.device, CreateInfoCount: 1, PPipelines: &p.pipeline, PCreateInfos: &abi.ComputePipelineCreateInfo{Layout: p.layout, Stage: stage}}
		call(f, abi.OpCreateComputePipelines, &c)
		want(t, "vkCreateComputePipelines", c.Ret, vk.Success)
		f.dispatch(p)
		if data[0] != 1 {
			t.Errorf("the shader has written %d", data[0])
		}
	}
	if !slices.Equal(*told, []string{"VUID-vkCmdDraw-None-09600", "IMG-141"}) { // an image without a transition, a 2D view and an arrayed variable
		t.Errorf("told of %q", *told)
	}
}
