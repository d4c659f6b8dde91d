package icd

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// bound makes a buffer with memory.
func (f *fixture) bound(size uint64, usage vk.BufferUsageFlags) (h abi.Buffer) {
	f.t.Helper()
	a := abi.CreateBufferArgs{Device: f.device, PCreateInfo: &abi.BufferCreateInfo{Size: size, Usage: usage}, PBuffer: &h}
	call(f, abi.OpCreateBuffer, &a)
	want(f.t, "vkCreateBuffer", a.Ret, vk.Success)
	var r vk.MemoryRequirements
	call(f, abi.OpGetBufferMemoryRequirements, &abi.GetBufferMemoryRequirementsArgs{Device: f.device, Buffer: h, PMemoryRequirements: &r})
	m, _ := f.memory(r.Size)
	b := abi.BindBufferMemoryArgs{Device: f.device, Buffer: h, Memory: m}
	call(f, abi.OpBindBufferMemory, &b)
	want(f.t, "vkBindBufferMemory", b.Ret, vk.Success)
	return h
}

// setLayout makes a descriptor set layout; flags may be nil.
func (f *fixture) setLayout(flags []vk.DescriptorBindingFlags, bindings ...abi.DescriptorSetLayoutBinding) (h abi.DescriptorSetLayout) {
	f.t.Helper()
	i := &abi.DescriptorSetLayoutCreateInfo{BindingCount: uint32(len(bindings)), PBindings: &bindings[0]}
	if flags != nil {
		x := &abi.DescriptorSetLayoutBindingFlagsCreateInfo{BindingCount: uint32(len(flags)), PBindingFlags: &flags[0]}
		x.SType = x.StructureType()
		i.PNext = unsafe.Pointer(x)
	}
	a := abi.CreateDescriptorSetLayoutArgs{Device: f.device, PCreateInfo: i, PSetLayout: &h}
	call(f, abi.OpCreateDescriptorSetLayout, &a)
	want(f.t, "vkCreateDescriptorSetLayout", a.Ret, vk.Success)
	return h
}

// pool makes a descriptor pool.
func (f *fixture) pool(sets uint32, sizes ...abi.DescriptorPoolSize) (h abi.DescriptorPool) {
	f.t.Helper()
	a := abi.CreateDescriptorPoolArgs{Device: f.device, PDescriptorPool: &h,
		PCreateInfo: &abi.DescriptorPoolCreateInfo{MaxSets: sets, PoolSizeCount: uint32(len(sizes)), PPoolSizes: &sizes[0]}}
	call(f, abi.OpCreateDescriptorPool, &a)
	want(f.t, "vkCreateDescriptorPool", a.Ret, vk.Success)
	return h
}

// sets allocates a set for each layout.
func (f *fixture) sets(pool abi.DescriptorPool, layouts ...abi.DescriptorSetLayout) ([]abi.DescriptorSet, vk.Result) {
	out := make([]abi.DescriptorSet, len(layouts))
	a := abi.AllocateDescriptorSetsArgs{Device: f.device, PDescriptorSets: &out[0],
		PAllocateInfo: &abi.DescriptorSetAllocateInfo{DescriptorPool: pool, DescriptorSetCount: uint32(len(layouts)), PSetLayouts: &layouts[0]}}
	call(f, abi.OpAllocateDescriptorSets, &a)
	return out, a.Ret
}

func TestBuffer_BindsOnceAndOutlivesFreedMemory(t *testing.T) {
	f := newTest(t)
	h := f.bound(100, vk.BufferUsageTransferDstBit)
	m, _ := f.memory(256)
	again := abi.BindBufferMemoryArgs{Device: f.device, Buffer: h, Memory: m}
	call(f, abi.OpBindBufferMemory, &again)
	want(t, "a second binding", again.Ret, vk.ErrorValidationFailed)
	again.Memory = 0
	call(f, abi.OpBindBufferMemory, &again)
	want(t, "no memory", again.Ret, vk.ErrorValidationFailed)

	call(f, abi.OpDestroyBuffer, &abi.DestroyBufferArgs{Device: f.device, Buffer: h})
	r := vk.MemoryRequirements{Size: 7}
	call(f, abi.OpGetBufferMemoryRequirements, &abi.GetBufferMemoryRequirementsArgs{Device: f.device, Buffer: h, PMemoryRequirements: &r})
	if r != (vk.MemoryRequirements{}) {
		t.Errorf("requirements of a destroyed buffer: %+v", r)
	}
	call(f, abi.OpDestroyBuffer, &abi.DestroyBufferArgs{Device: f.device, Buffer: h})

	a := abi.CreateBufferArgs{Device: f.device, PCreateInfo: &abi.BufferCreateInfo{Size: math.MaxUint64, Usage: vk.BufferUsageTransferDstBit}, PBuffer: &h}
	call(f, abi.OpCreateBuffer, &a)
	want(t, "all the memory there can be", a.Ret, vk.ErrorOutOfDeviceMemory)
	if h != 0 {
		t.Error("a handle for nothing")
	}
}

func TestBindMemory2_TellsEachStatus(t *testing.T) {
	f := newTest(t)
	var free abi.Buffer
	a := abi.CreateBufferArgs{Device: f.device, PCreateInfo: &abi.BufferCreateInfo{Size: 64, Usage: vk.BufferUsageTransferDstBit}, PBuffer: &free}
	call(f, abi.OpCreateBuffer, &a)
	var results [2]vk.Result
	var status [2]abi.BindMemoryStatus
	for i := range status {
		results[i] = vk.ErrorUnknown
		status[i] = abi.BindMemoryStatus{SType: status[i].StructureType(), PResult: &results[i]}
	}
	m, _ := f.memory(256)
	infos := []abi.BindBufferMemoryInfo{
		{PNext: unsafe.Pointer(&status[0]), Buffer: f.bound(64, vk.BufferUsageTransferDstBit), Memory: m},
		{PNext: unsafe.Pointer(&status[1]), Buffer: free, Memory: m},
	}
	b := abi.BindBufferMemory2Args{Device: f.device, BindInfoCount: 2, PBindInfos: &infos[0]}
	call(f, abi.OpBindBufferMemory2, &b)
	want(t, "one of two fails", b.Ret, vk.ErrorValidationFailed)
	want(t, "the first", results[0], vk.ErrorValidationFailed)
	want(t, "the second", results[1], vk.Success)
}

func TestImage_RequirementsBeforeAndAfterCreation(t *testing.T) {
	f := newTest(t)
	info := &abi.ImageCreateInfo{
		ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: 33, Height: 17, Depth: 1},
		MipLevels: 3, ArrayLayers: 2, Samples: vk.SampleCount1Bit, Usage: vk.ImageUsageSampledBit,
	}
	var h abi.Image
	a := abi.CreateImageArgs{Device: f.device, PCreateInfo: info, PImage: &h}
	call(f, abi.OpCreateImage, &a)
	want(t, "vkCreateImage", a.Ret, vk.Success)
	var with vk.MemoryRequirements
	call(f, abi.OpGetImageMemoryRequirements, &abi.GetImageMemoryRequirementsArgs{Device: f.device, Image: h, PMemoryRequirements: &with})
	dedicated := &abi.MemoryDedicatedRequirements{PrefersDedicatedAllocation: 7, RequiresDedicatedAllocation: 7}
	dedicated.SType = dedicated.StructureType()
	without := abi.MemoryRequirements2{PNext: unsafe.Pointer(dedicated)}
	call(f, abi.OpGetDeviceImageMemoryRequirements, &abi.GetDeviceImageMemoryRequirementsArgs{
		Device: f.device, PInfo: &abi.DeviceImageMemoryRequirements{PCreateInfo: info}, PMemoryRequirements: &without})
	if with != without.MemoryRequirements || with.Size < 33*17*4*2 || with.MemoryTypeBits == 0 {
		t.Errorf("%+v and %+v", with, without.MemoryRequirements)
	}
	if dedicated.PrefersDedicatedAllocation != 0 || dedicated.RequiresDedicatedAllocation != 0 {
		t.Error("memory of its own is asked for")
	}
	var l [2]vk.SubresourceLayout
	for layer := range l {
		call(f, abi.OpGetImageSubresourceLayout, &abi.GetImageSubresourceLayoutArgs{Device: f.device, Image: h,
			PSubresource: &abi.ImageSubresource{AspectMask: vk.ImageAspectColorBit, MipLevel: 1, ArrayLayer: uint32(layer)}, PLayout: &l[layer]})
	}
	if l[1].Offset-l[0].Offset != l[0].ArrayPitch || l[0].RowPitch < 16*4 {
		t.Errorf("layouts %+v and %+v", l[0], l[1])
	}
	view := abi.CreateImageViewArgs{Device: f.device, PView: new(abi.ImageView), PCreateInfo: &abi.ImageViewCreateInfo{Image: h,
		ViewType: vk.ImageViewType2D, Format: info.Format, SubresourceRange: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}}}
	call(f, abi.OpCreateImageView, &view)
	want(t, "a view of an image without memory", view.Ret, vk.ErrorValidationFailed)
}

func TestDescriptorPool_SizesAreHonoured(t *testing.T) {
	f := newTest(t)
	two := f.setLayout(nil, abi.DescriptorSetLayoutBinding{DescriptorType: vk.DescriptorTypeUniformBuffer, DescriptorCount: 4})
	pool := f.pool(3, abi.DescriptorPoolSize{Type: vk.DescriptorTypeUniformBuffer, DescriptorCount: 5})
	sets, r := f.sets(pool, two, two, two)
	want(t, "12 of 10 descriptors", r, vk.ErrorOutOfPoolMemory)
	if sets[0]|sets[1]|sets[2] != 0 {
		t.Error("handles for nothing")
	}
	sets, r = f.sets(pool, two, two)
	want(t, "8 of 10, after a failure", r, vk.Success)
	_, r = f.sets(pool, two)
	want(t, "12 of 10", r, vk.ErrorOutOfPoolMemory)
	free := abi.FreeDescriptorSetsArgs{Device: f.device, DescriptorPool: pool, DescriptorSetCount: 2, PDescriptorSets: &[]abi.DescriptorSet{0, sets[1]}[0]}
	call(f, abi.OpFreeDescriptorSets, &free)
	call(f, abi.OpFreeDescriptorSets, &free) // stale
	_, r = f.sets(pool, two)
	want(t, "after a set was freed", r, vk.Success)
	call(f, abi.OpResetDescriptorPool, &abi.ResetDescriptorPoolArgs{Device: f.device, DescriptorPool: pool})
	_, r = f.sets(pool, two, two)
	want(t, "after a reset", r, vk.Success)
	call(f, abi.OpUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: f.device, DescriptorWriteCount: 1,
		PDescriptorWrites: &abi.WriteDescriptorSet{DstSet: sets[0], DescriptorCount: math.MaxUint32, DescriptorType: vk.DescriptorTypeUniformBuffer}})
	call(f, abi.OpDestroyDescriptorPool, &abi.DestroyDescriptorPoolArgs{Device: f.device, DescriptorPool: pool})
	_, r = f.sets(pool, two)
	want(t, "a destroyed pool", r, vk.ErrorValidationFailed)
}

// Descriptors of one type may take the room of another's, but no more than all types have, twice what was asked for; bytes of inline uniform blocks are apart.
func TestDescriptorPool_TypesShareRoom(t *testing.T) {
	f := newTest(t)
	inline := abi.DescriptorSetLayoutBinding{Binding: 2, DescriptorType: vk.DescriptorTypeInlineUniformBlock, DescriptorCount: 16}
	texels := abi.DescriptorSetLayoutBinding{DescriptorType: vk.DescriptorTypeUniformTexelBuffer, DescriptorCount: 2}
	storage := abi.DescriptorSetLayoutBinding{Binding: 1, DescriptorType: vk.DescriptorTypeStorageBuffer, DescriptorCount: 2}
	pool := f.pool(9, abi.DescriptorPoolSize{Type: vk.DescriptorTypeStorageTexelBuffer, DescriptorCount: 2}, abi.DescriptorPoolSize{Type: vk.DescriptorTypeStorageBuffer, DescriptorCount: 3},
		abi.DescriptorPoolSize{Type: vk.DescriptorTypeInlineUniformBlock, DescriptorCount: 12})
	both, block := f.setLayout(nil, texels, storage), f.setLayout(nil, inline)
	_, r := f.sets(pool, both, both)
	want(t, "8 of 10", r, vk.Success)
	_, r = f.sets(pool, both)
	want(t, "12 of 10", r, vk.ErrorOutOfPoolMemory)
	_, r = f.sets(pool, block)
	want(t, "16 of 24 bytes", r, vk.Success)
	_, r = f.sets(pool, block)
	want(t, "32 of 24 bytes", r, vk.ErrorOutOfPoolMemory)
	_, r = f.sets(pool, f.setLayout(nil, texels))
	want(t, "10 of 10", r, vk.Success)
	call(f, abi.OpResetDescriptorPool, &abi.ResetDescriptorPoolArgs{Device: f.device, DescriptorPool: pool})
	_, r = f.sets(pool, both, both, block)
	want(t, "after a reset", r, vk.Success)
}

func TestDescriptorSetLayoutSupport_VariableCount(t *testing.T) {
	f := newTest(t)
	bindings := []abi.DescriptorSetLayoutBinding{
		{Binding: 0, DescriptorType: vk.DescriptorTypeSampler, DescriptorCount: 10},
		{Binding: 4, DescriptorType: vk.DescriptorTypeSampledImage, DescriptorCount: 0},
	}
	flags := []vk.DescriptorBindingFlags{0, vk.DescriptorBindingVariableDescriptorCountBit}
	x := &abi.DescriptorSetLayoutBindingFlagsCreateInfo{BindingCount: 2, PBindingFlags: &flags[0]}
	x.SType = x.StructureType()
	v := &abi.DescriptorSetVariableDescriptorCountLayoutSupport{}
	v.SType = v.StructureType()
	s := abi.DescriptorSetLayoutSupport{PNext: unsafe.Pointer(v)}
	ask := abi.GetDescriptorSetLayoutSupportArgs{Device: f.device, PSupport: &s,
		PCreateInfo: &abi.DescriptorSetLayoutCreateInfo{PNext: unsafe.Pointer(x), BindingCount: 2, PBindings: &bindings[0]}}
	call(f, abi.OpGetDescriptorSetLayoutSupport, &ask)
	if !s.Supported.True() || v.MaxVariableDescriptorCount != maxSetDescriptors-10 {
		t.Errorf("supported %v, %d", s.Supported, v.MaxVariableDescriptorCount)
	}
	bindings[0].DescriptorCount = maxSetDescriptors + 1
	call(f, abi.OpGetDescriptorSetLayoutSupport, &ask)
	if s.Supported.True() || v.MaxVariableDescriptorCount != 0 {
		t.Errorf("too many: supported %v, %d", s.Supported, v.MaxVariableDescriptorCount)
	}
}

// TestUpdateTemplate_SameAsWrites holds what a template reads to the writes that
// it stands for.
func TestUpdateTemplate_SameAsWrites(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	b := f.bound(1024, vk.BufferUsageUniformBufferBit)
	type entry struct {
		info abi.DescriptorBufferInfo
		_    uint64
	}
	data := []entry{{info: abi.DescriptorBufferInfo{Buffer: b, Range: 16}}, {info: abi.DescriptorBufferInfo{Buffer: b, Offset: 256, Range: vk.WholeSize}}}
	entries := []abi.DescriptorUpdateTemplateEntry{{DstBinding: 3, DescriptorCount: 2, DescriptorType: vk.DescriptorTypeUniformBuffer, Stride: uint64(unsafe.Sizeof(entry{}))}}
	var h abi.DescriptorUpdateTemplate
	a := abi.CreateDescriptorUpdateTemplateArgs{Device: f.device, PDescriptorUpdateTemplate: &h,
		PCreateInfo: &abi.DescriptorUpdateTemplateCreateInfo{DescriptorUpdateEntryCount: 1, PDescriptorUpdateEntries: &entries[0]}}
	call(f, abi.OpCreateDescriptorUpdateTemplate, &a)
	want(t, "vkCreateDescriptorUpdateTemplate", a.Ret, vk.Success)
	got := d.templateWrites(lookup(&d.updateTemplates, h), nil, unsafe.Pointer(&data[0]))
	infos := []abi.DescriptorBufferInfo{data[0].info, data[1].info}
	wanted := d.descriptorWrite(nil, &abi.WriteDescriptorSet{DstBinding: 3, DescriptorCount: 2, DescriptorType: vk.DescriptorTypeUniformBuffer, PBufferInfo: &infos[0]})
	if len(got) != 1 || got[0].Binding != 3 || len(got[0].Descriptors) != 2 {
		t.Fatalf("%+v", got)
	}
	for i, g := range got[0].Descriptors {
		if g != wanted.Descriptors[i] || g.Buffer == nil {
			t.Errorf("descriptor %d: %+v, want %+v", i, g, wanted.Descriptors[i])
		}
	}
}

func TestPipelineCache_DataRoundTrip(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	create := func(data []byte) abi.PipelineCache {
		var h abi.PipelineCache
		i := &abi.PipelineCacheCreateInfo{InitialDataSize: uint64(len(data))}
		if len(data) > 0 {
			i.PInitialData = unsafe.Pointer(&data[0])
		}
		a := abi.CreatePipelineCacheArgs{Device: f.device, PCreateInfo: i, PPipelineCache: &h}
		call(f, abi.OpCreatePipelineCache, &a)
		want(t, "vkCreatePipelineCache", a.Ret, vk.Success)
		return h
	}
	get := func(h abi.PipelineCache, room uint64) ([]byte, vk.Result) {
		data := make([]byte, room+1)
		a := abi.GetPipelineCacheDataArgs{Device: f.device, PipelineCache: h, PDataSize: &room, PData: unsafe.Pointer(&data[0])}
		call(f, abi.OpGetPipelineCacheData, &a)
		return data[:room], a.Ret
	}
	a, b := create(nil), create(nil)
	lookup(&d.pipelineCaches, a).add([]shaderKey{{1}, {2}})
	lookup(&d.pipelineCaches, b).add([]shaderKey{{2}, {3}})
	merge := abi.MergePipelineCachesArgs{Device: f.device, DstCache: a, SrcCacheCount: 1, PSrcCaches: &b}
	call(f, abi.OpMergePipelineCaches, &merge)
	want(t, "vkMergePipelineCaches", merge.Ret, vk.Success)
	data, r := get(a, 1000)
	want(t, "vkGetPipelineCacheData", r, vk.Success)
	if len(data) != 32+3*32 || data[0] != 32 || data[4] != 1 || !slices.Equal(data[16:32], uuid[:]) {
		t.Errorf("%d bytes: % x", len(data), data[:32])
	}
	if again, _ := get(create(data), 1000); !slices.Equal(again, data) {
		t.Error("data that was read back is other data")
	}
	if some, r := get(a, 32+40); r != vk.Incomplete || len(some) != 64 || !slices.Equal(some, data[:64]) {
		t.Errorf("room for one and a quarter: %v, %d bytes", r, len(some))
	}
	if none, r := get(a, 20); r != vk.Incomplete || len(none) != 0 {
		t.Errorf("room for less than the header: %v, %d bytes", r, len(none))
	}
	for _, broken := range [][]byte{{1, 2, 3}, data[:40], append([]byte{32, 0, 0, 0, 2}, data[5:]...)} {
		if some, _ := get(create(broken), 1000); len(some) != 32 {
			t.Errorf("broken data gave %d bytes", len(some))
		}
	}
}

func TestPrivateData_IsOfOneObject(t *testing.T) {
	f := newTest(t)
	var slot abi.PrivateDataSlot
	call(f, abi.OpCreatePrivateDataSlot, &abi.CreatePrivateDataSlotArgs{Device: f.device, PCreateInfo: &abi.PrivateDataSlotCreateInfo{}, PPrivateDataSlot: &slot})
	get := func(kind vk.ObjectType, h uint64) (v uint64) {
		call(f, abi.OpGetPrivateData, &abi.GetPrivateDataArgs{Device: f.device, ObjectType: kind, ObjectHandle: h, PrivateDataSlot: slot, PData: &v})
		return v
	}
	other := f.open()
	device := func(d abi.Device) uint64 { return uint64(uintptr(unsafe.Pointer(d))) }
	call(f, abi.OpSetPrivateData, &abi.SetPrivateDataArgs{Device: f.device, ObjectType: vk.ObjectTypeDevice, ObjectHandle: device(other), PrivateDataSlot: slot, Data: 77})
	call(f, abi.OpSetPrivateData, &abi.SetPrivateDataArgs{Device: f.device, ObjectType: vk.ObjectTypeBuffer, ObjectHandle: 1, PrivateDataSlot: slot, Data: 5})
	if get(vk.ObjectTypeDevice, device(other)) != 77 || get(vk.ObjectTypeDevice, device(f.device)) != 0 ||
		get(vk.ObjectTypeBuffer, 1) != 5 || get(vk.ObjectTypeImage, 1) != 0 {
		t.Error("data of one object is seen at another, or lost")
	}
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: other})
	again := f.open() // takes the memory of the handles
	if get(vk.ObjectTypeDevice, device(other)) != 0 {
		t.Error("data outlives its object")
	}
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: again})
}

func TestQueryPool_HostResetAndAvailability(t *testing.T) {
	f := newTest(t)
	var h abi.QueryPool
	a := abi.CreateQueryPoolArgs{Device: f.device, PCreateInfo: &abi.QueryPoolCreateInfo{QueryType: vk.QueryTypeOcclusion, QueryCount: 4}, PQueryPool: &h}
	call(f, abi.OpCreateQueryPool, &a)
	want(t, "vkCreateQueryPool", a.Ret, vk.Success)
	call(f, abi.OpResetQueryPool, &abi.ResetQueryPoolArgs{Device: f.device, QueryPool: h, FirstQuery: 2, QueryCount: math.MaxUint32})
	out := [2]uint64{9, 9}
	get := abi.GetQueryPoolResultsArgs{Device: f.device, QueryPool: h, QueryCount: 1, DataSize: 16, PData: unsafe.Pointer(&out), Stride: 16,
		Flags: vk.QueryResult64Bit | vk.QueryResultWithAvailabilityBit}
	call(f, abi.OpGetQueryPoolResults, &get)
	if get.Ret != vk.NotReady || out[0] != 9 || out[1] != 0 {
		t.Errorf("%v: %v", get.Ret, out)
	}
	get.FirstQuery = 4
	call(f, abi.OpGetQueryPoolResults, &get)
	want(t, "query 4 of 4", get.Ret, vk.ErrorValidationFailed)
}

func TestPipelines_FailuresLeaveNullHandles(t *testing.T) {
	f := newTest(t)
	out := [2]abi.Pipeline{7, 7}
	infos := []abi.GraphicsPipelineCreateInfo{{}, {}}
	a := abi.CreateGraphicsPipelinesArgs{Device: f.device, CreateInfoCount: 2, PCreateInfos: &infos[0], PPipelines: &out[0]}
	call(f, abi.OpCreateGraphicsPipelines, &a)
	want(t, "no layout", a.Ret, vk.ErrorValidationFailed)
	if out != [2]abi.Pipeline{} {
		t.Errorf("%v", out)
	}
	compute := abi.ComputePipelineCreateInfo{Flags: vk.PipelineCreateLibraryBitKHR}
	c := abi.CreateComputePipelinesArgs{Device: f.device, CreateInfoCount: 1, PCreateInfos: &compute, PPipelines: &out[0]}
	call(f, abi.OpCreateComputePipelines, &c)
	want(t, "a library of compute pipelines", c.Ret, vk.ErrorFeatureNotPresent)
	code := []uint32{1, 2, 3}
	m := abi.CreateShaderModuleArgs{Device: f.device, PShaderModule: new(abi.ShaderModule), PCreateInfo: &abi.ShaderModuleCreateInfo{CodeSize: 12, PCode: &code[0]}}
	call(f, abi.OpCreateShaderModule, &m)
	want(t, "no SPIR-V", m.Ret, vk.ErrorValidationFailed)
}

func TestConstants_OutsideTheDataAreLeftOut(t *testing.T) {
	data := [2]uint32{0x01020304, 5}
	entries := []vk.SpecializationMapEntry{{ConstantID: 1, Offset: 4, Size: 4}, {ConstantID: 2, Offset: 5, Size: 4}, {ConstantID: 3, Offset: math.MaxUint32, Size: 4}}
	got := constants(&abi.SpecializationInfo{MapEntryCount: 3, PMapEntries: &entries[0], DataSize: 8, PData: unsafe.Pointer(&data)})
	if len(got) != 1 || !slices.Equal(got[1], []byte{5, 0, 0, 0}) {
		t.Errorf("%v", got)
	}
}

// TestPipelineLibrary_DynamicStatesOfOtherParts: each library counts the dynamic
// states of its own parts only.
func TestPipelineLibrary_DynamicStatesOfOtherParts(t *testing.T) {
	f := newTest(t)
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	states := []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateBlendConstants, vk.DynamicStatePrimitiveTopology}
	part := func(flags vk.GraphicsPipelineLibraryFlagsEXT) *library {
		x := &abi.GraphicsPipelineLibraryCreateInfoEXT{Flags: flags}
		x.SType = x.StructureType()
		var h abi.Pipeline
		a := abi.CreateGraphicsPipelinesArgs{Device: f.device, CreateInfoCount: 1, PPipelines: &h, PCreateInfos: &abi.GraphicsPipelineCreateInfo{
			PNext: unsafe.Pointer(x), Flags: vk.PipelineCreateLibraryBitKHR,
			PInputAssemblyState: &abi.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyLineList},
			PDynamicState:       &abi.PipelineDynamicStateCreateInfo{DynamicStateCount: 3, PDynamicStates: &states[0]},
		}}
		call(f, abi.OpCreateGraphicsPipelines, &a)
		want(t, "a library", a.Ret, vk.Success)
		return lookup(&d.pipelines, h).library
	}
	input, output := part(vertexInput), part(fragmentOutput)
	if !slices.Equal(input.info.DynamicStates, states[2:]) || !slices.Equal(output.info.DynamicStates, states[1:2]) {
		t.Errorf("%v and %v", input.info.DynamicStates, output.info.DynamicStates)
	}
	g := &graphics{}
	g.link(input)
	g.link(output)
	if g.out.InputAssembly.Topology != vk.PrimitiveTopologyLineList || len(g.out.DynamicStates) != 2 || g.parts != vertexInput|fragmentOutput {
		t.Errorf("linked: %+v, parts %v", g.out.InputAssembly, g.parts)
	}
}
