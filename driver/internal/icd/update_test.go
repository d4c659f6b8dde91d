package icd

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Updates that run past the last binding are told of and left out, whatever their
// count: written, copied or by a template. No more is read of what they point to than
// one element beyond what the set holds, and the device goes on.
func TestUpdateDescriptorSets_PastTheLastBinding(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	told := f.heard()
	b := f.bound(1024, vk.BufferUsageUniformBufferBit)
	const uniform, inline = vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeInlineUniformBlock
	layout := f.setLayout(nil, abi.DescriptorSetLayoutBinding{Binding: 0, DescriptorType: uniform, DescriptorCount: 2},
		abi.DescriptorSetLayoutBinding{Binding: 1, DescriptorType: inline, DescriptorCount: 16})
	sets, r := f.sets(f.pool(2, abi.DescriptorPoolSize{Type: uniform, DescriptorCount: 4}, abi.DescriptorPoolSize{Type: inline, DescriptorCount: 32}), layout, layout)
	want(t, "vkAllocateDescriptorSets", r, vk.Success)

	// As long as what a set holds and one element more, which is all that may be read.
	infos := make([]abi.DescriptorBufferInfo, 2+16+1)
	for i := range infos {
		infos[i] = abi.DescriptorBufferInfo{Buffer: b, Range: 16}
	}
	bytes := make([]byte, 16+1)
	block := &abi.WriteDescriptorSetInlineUniformBlock{DataSize: math.MaxUint32, PData: unsafe.Pointer(&bytes[0])}
	block.SType = block.StructureType()
	writes := []abi.WriteDescriptorSet{
		{DstSet: sets[0], DescriptorCount: math.MaxUint32, DescriptorType: uniform, PBufferInfo: &infos[0]},
		{DstSet: sets[0], DstArrayElement: math.MaxUint32, DescriptorCount: math.MaxUint32, DescriptorType: uniform, PBufferInfo: &infos[0]},
		{DstSet: sets[0], DstBinding: 1, DescriptorCount: math.MaxUint32, DescriptorType: inline, PNext: unsafe.Pointer(block)},
		{DstSet: sets[0], DescriptorCount: 2, DescriptorType: uniform, PBufferInfo: &infos[0]}, // which is fine
	}
	copies := []abi.CopyDescriptorSet{
		{SrcSet: sets[0], DstSet: sets[1], DescriptorCount: math.MaxUint32},
		{SrcSet: sets[0], SrcArrayElement: 1, DstSet: sets[1], DescriptorCount: 2},
		{SrcSet: sets[0], SrcBinding: 1, SrcArrayElement: 16, DstSet: sets[1], DstBinding: 1, DescriptorCount: 4},
		{SrcSet: sets[0], SrcBinding: 1, DstSet: sets[1], DstBinding: 1, DstArrayElement: 16, DescriptorCount: 4},
	}
	call(f, abi.OpUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: f.device, DescriptorWriteCount: uint32(len(writes)), PDescriptorWrites: &writes[0],
		DescriptorCopyCount: uint32(len(copies)), PDescriptorCopies: &copies[0]})
	entries := []abi.DescriptorUpdateTemplateEntry{
		{DescriptorCount: math.MaxUint32, DescriptorType: uniform, Stride: uint64(unsafe.Sizeof(infos[0]))},
		{DstBinding: 1, DstArrayElement: 4, DescriptorCount: math.MaxUint32, DescriptorType: inline},
	}
	for i := range entries {
		var h abi.DescriptorUpdateTemplate
		create := abi.CreateDescriptorUpdateTemplateArgs{Device: f.device, PDescriptorUpdateTemplate: &h,
			PCreateInfo: &abi.DescriptorUpdateTemplateCreateInfo{DescriptorUpdateEntryCount: 1, PDescriptorUpdateEntries: &entries[i]}}
		call(f, abi.OpCreateDescriptorUpdateTemplate, &create)
		want(t, "vkCreateDescriptorUpdateTemplate", create.Ret, vk.Success)
		call(f, abi.OpUpdateDescriptorSetWithTemplate, &abi.UpdateDescriptorSetWithTemplateArgs{Device: f.device, DescriptorSet: sets[1], DescriptorUpdateTemplate: h, PData: unsafe.Pointer(&infos[0])})
		if n := len(d.templateWrites(lookup(&d.updateTemplates, h), lookup(&d.descriptorSets, sets[1]).layout, unsafe.Pointer(&infos[0]))[0].Descriptors); n > len(infos) {
			t.Errorf("%d descriptors are read", n)
		}
	}
	const element, source, target = "VUID-VkWriteDescriptorSet-dstArrayElement-00321", "VUID-VkCopyDescriptorSet-srcArrayElement-00346", "VUID-VkCopyDescriptorSet-dstArrayElement-00348"
	if wanted := []string{element, element, element, source, source, source, target, element, element}; !slices.Equal(*told, wanted) {
		t.Errorf("told of %q, want %q", *told, wanted)
	}
	idle := abi.DeviceWaitIdleArgs{Device: f.device}
	call(f, abi.OpDeviceWaitIdle, &idle)
	want(t, "vkDeviceWaitIdle", idle.Ret, vk.Success)
}
