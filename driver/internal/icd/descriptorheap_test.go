package icd

import (
	"encoding/binary"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// samplerInfoOf describes a sampler with a border.
func samplerInfoOf(border vk.BorderColor) *abi.SamplerCreateInfo {
	const clamp = vk.SamplerAddressModeClampToBorder
	return &abi.SamplerCreateInfo{AddressModeU: clamp, AddressModeV: clamp, AddressModeW: clamp, BorderColor: border}
}

// writeResource is vkWriteResourceDescriptorsEXT of one descriptor; of is what the union points to.
func (f *fixture) writeResource(to []uint32, t vk.DescriptorType, of unsafe.Pointer) vk.Result {
	i := &abi.ResourceDescriptorInfoEXT{Type: t}
	*(*unsafe.Pointer)(unsafe.Pointer(&i.Data)) = of
	a := abi.WriteResourceDescriptorsEXTArgs{Device: f.device, ResourceCount: 1, PResources: i,
		PDescriptors: &abi.HostAddressRangeEXT{Address: unsafe.Pointer(&to[0]), Size: uint64(4 * len(to))}}
	call(f, abi.OpWriteResourceDescriptorsEXT, &a)
	return a.Ret
}

func (f *fixture) writeSampler(to []uint32, i *abi.SamplerCreateInfo) vk.Result {
	a := abi.WriteSamplerDescriptorsEXTArgs{Device: f.device, SamplerCount: 1, PSamplers: i,
		PDescriptors: &abi.HostAddressRangeEXT{Address: unsafe.Pointer(&to[0]), Size: uint64(4 * len(to))}}
	call(f, abi.OpWriteSamplerDescriptorsEXT, &a)
	return a.Ret
}

// picture describes a view of an image as (*fixture).imageOf makes them.
func picture(image abi.Image) *abi.ImageDescriptorInfoEXT {
	return &abi.ImageDescriptorInfoEXT{Layout: vk.ImageLayoutGeneral, PView: &abi.ImageViewCreateInfo{Image: image, ViewType: vk.ImageViewType2D,
		Format: vk.FormatR8G8B8A8Unorm, SubresourceRange: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}}}
}

// heapMappings map the resources of embedded.comp: set 0 by an index from push data, the sampler by a constant offset, or as
// an embedded one.
func (f *fixture) heapMappings(embedded *abi.SamplerCreateInfo) unsafe.Pointer {
	m := make([]abi.DescriptorSetAndBindingMappingEXT, 2)
	m[0] = abi.DescriptorSetAndBindingMappingEXT{BindingCount: 4, ResourceMask: vk.SpirvResourceTypeAllEXT, Source: vk.DescriptorMappingSourceHeapWithPushIndexEXT}
	*m[0].SourceData.PushIndex() = abi.DescriptorMappingSourcePushIndexEXT{PushOffset: 8, HeapIndexStride: 32, HeapArrayStride: 32}
	m[1] = abi.DescriptorSetAndBindingMappingEXT{DescriptorSet: 1, BindingCount: 1, ResourceMask: vk.SpirvResourceTypeSamplerBitEXT, Source: vk.DescriptorMappingSourceHeapWithConstantOffsetEXT}
	*m[1].SourceData.ConstantOffset() = abi.DescriptorMappingSourceConstantOffsetEXT{HeapOffset: 64, PEmbeddedSampler: embedded}
	i := &abi.ShaderDescriptorSetAndBindingMappingInfoEXT{MappingCount: 2, PMappings: &m[0]}
	i.SType = i.StructureType()
	return unsafe.Pointer(i)
}

// heapShader makes a shader object of embedded.comp, or of a binary of it.
func (f *fixture) heapShader(code []byte, kind vk.ShaderCodeTypeEXT, next unsafe.Pointer) (h abi.ShaderEXT, r vk.Result) {
	a := abi.CreateShadersEXTArgs{Device: f.device, CreateInfoCount: 1, PShaders: &h, PCreateInfos: &abi.ShaderCreateInfoEXT{PNext: next,
		Flags: vk.ShaderCreateDescriptorHeapBitEXT, Stage: vk.ShaderStageComputeBit, CodeType: kind, CodeSize: uint64(len(code)), PCode: unsafe.Pointer(&code[0]),
		PName: &append([]byte("main"), 0)[0]}}
	call(f, abi.OpCreateShadersEXT, &a)
	return h, a.Ret
}

func (f *fixture) shaderBinaryOf(h abi.ShaderEXT) []byte {
	f.t.Helper()
	var n uint64
	a := abi.GetShaderBinaryDataEXTArgs{Device: f.device, Shader: h, PDataSize: &n}
	call(f, abi.OpGetShaderBinaryDataEXT, &a)
	out := make([]byte, n)
	a.PData = unsafe.Pointer(&out[0])
	call(f, abi.OpGetShaderBinaryDataEXT, &a)
	want(f.t, "vkGetShaderBinaryDataEXT", a.Ret, vk.Success)
	return out
}

// TestDescriptorHeap_PipelinesShadersAndCommands: a shader reads descriptors of heaps that commands bind, in a pipeline or as an object,
// in a secondary command buffer or by commands in memory.
func TestDescriptorHeap_PipelinesShadersAndCommands(t *testing.T) {
	f := newTest(t)
	const compute = vk.ShaderStageComputeBit
	image, _ := f.imageOf(vk.ImageUsageSampledBit)
	_, out, seen := f.addressed(1)
	_, at64, resources := f.addressed(64)
	_, from, samplers := f.addressed(32)
	_, sequence, words := f.addressed(8)
	want(t, "a buffer", f.writeResource(resources[8:16], vk.DescriptorTypeStorageBuffer, unsafe.Pointer(&vk.DeviceAddressRangeKHR{Address: out, Size: 4})), vk.Success)
	want(t, "an image", f.writeResource(resources[32:40], vk.DescriptorTypeSampledImage, unsafe.Pointer(picture(image))), vk.Success)
	want(t, "a sampler", f.writeSampler(samplers[16:24], samplerInfoOf(vk.BorderColorFloatOpaqueWhite)), vk.Success)

	pipeline := func(next unsafe.Pointer) (p abi.Pipeline) {
		t.Helper()
		flags := &abi.PipelineCreateFlags2CreateInfo{Flags: vk.PipelineCreate2DescriptorHeapBitEXT}
		flags.SType = flags.StructureType()
		s := f.stage(compute, embeddedShader)
		s.PNext = next
		a := abi.CreateComputePipelinesArgs{Device: f.device, CreateInfoCount: 1, PPipelines: &p, PCreateInfos: &abi.ComputePipelineCreateInfo{PNext: unsafe.Pointer(flags), Stage: s}}
		call(f, abi.OpCreateComputePipelines, &a)
		want(t, "vkCreateComputePipelines", a.Ret, vk.Success)
		return p
	}
	white, black := f.heapMappings(samplerInfoOf(vk.BorderColorFloatOpaqueWhite)), f.heapMappings(samplerInfoOf(vk.BorderColorFloatOpaqueBlack))
	object, r := f.heapShader(embeddedShader, vk.ShaderCodeTypeSpirvEXT, white)
	want(t, "vkCreateShadersEXT", r, vk.Success)
	binary1 := f.shaderBinaryOf(object)
	again, r := f.heapShader(binary1, vk.ShaderCodeTypeBinaryEXT, black) // whose mappings do not count
	want(t, "a shader of a binary", r, vk.Success)
	if !slices.Equal(f.shaderBinaryOf(again), binary1) {
		t.Error("the binary of a shader that was made of a binary is another one")
	}
	if other, r := f.heapShader(embeddedShader, vk.ShaderCodeTypeSpirvEXT, black); r != vk.Success || slices.Equal(f.shaderBinaryOf(other), binary1) {
		t.Errorf("shaders with other samplers have the same binary (%v)", r)
	}

	heaps := [2]*abi.BindHeapInfoEXT{
		{HeapRange: vk.DeviceAddressRangeKHR{Address: at64, Size: 256}}, {HeapRange: vk.DeviceAddressRangeKHR{Address: from, Size: 128}},
	}
	push := []uint32{1}
	data := &abi.PushDataInfoEXT{Offset: 8, Data: abi.HostAddressRangeConstEXT{Address: unsafe.Pointer(&push[0]), Size: 4}}
	for _, p := range []any{heaps[0], heaps[1], data, &push[0]} {
		f.pin.Pin(p)
	}
	bindHeaps := func(cb abi.CommandBuffer) {
		record(f, cb, abi.OpCmdBindResourceHeapEXT, &abi.CmdBindResourceHeapEXT{PBindInfo: heaps[0]})
		record(f, cb, abi.OpCmdBindSamplerHeapEXT, &abi.CmdBindSamplerHeapEXT{PBindInfo: heaps[1]})
	}
	dispatch := func(cb abi.CommandBuffer, p abi.Pipeline) {
		record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{PipelineBindPoint: vk.PipelineBindPointCompute, Pipeline: p})
		record(f, cb, abi.OpCmdPushDataEXT, &abi.CmdPushDataEXT{PPushDataInfo: data})
		record(f, cb, abi.OpCmdDispatch, &abi.CmdDispatch{GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
	}
	inHeap, embedded, dark := pipeline(f.heapMappings(nil)), pipeline(white), pipeline(black)
	bindObject := func(cb abi.CommandBuffer, h abi.ShaderEXT) {
		stage, shader := []vk.ShaderStageFlags{compute}, []abi.ShaderEXT{h}
		f.pin.Pin(&stage[0])
		f.pin.Pin(&shader[0])
		record(f, cb, abi.OpCmdBindShadersEXT, &abi.CmdBindShadersEXT{StageCount: 1, PStages: &stage[0], PShaders: &shader[0]})
		record(f, cb, abi.OpCmdPushDataEXT, &abi.CmdPushDataEXT{PPushDataInfo: data})
		record(f, cb, abi.OpCmdDispatch, &abi.CmdDispatch{GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
	}
	for name, c := range map[string]struct {
		want     uint32
		commands func(cb abi.CommandBuffer)
	}{
		"a sampler of the heap": {256, func(cb abi.CommandBuffer) { bindHeaps(cb); dispatch(cb, inHeap) }},
		"an embedded sampler":   {256, func(cb abi.CommandBuffer) { bindHeaps(cb); dispatch(cb, embedded) }},
		"another one":           {1, func(cb abi.CommandBuffer) { bindHeaps(cb); dispatch(cb, dark) }},
		"a shader object":       {256, func(cb abi.CommandBuffer) { bindHeaps(cb); bindObject(cb, object) }},
		"one of a binary":       {256, func(cb abi.CommandBuffer) { bindHeaps(cb); bindObject(cb, again) }},
		"a secondary one": {256, func(cb abi.CommandBuffer) {
			inner := f.allocate(vk.CommandBufferLevelSecondary)
			inherit := &abi.CommandBufferInheritanceDescriptorHeapInfoEXT{PResourceHeapBindInfo: heaps[0], PSamplerHeapBindInfo: heaps[1]}
			inherit.SType = inherit.StructureType()
			begin := abi.BeginCommandBufferArgs{CommandBuffer: inner, PBeginInfo: &abi.CommandBufferBeginInfo{PInheritanceInfo: &abi.CommandBufferInheritanceInfo{PNext: unsafe.Pointer(inherit)}}}
			call(f, abi.OpBeginCommandBuffer, &begin)
			want(t, "vkBeginCommandBuffer", begin.Ret, vk.Success)
			dispatch(inner, inHeap)
			want(t, "vkEndCommandBuffer", f.end(inner), vk.Success)
			bindHeaps(cb)
			list := []abi.CommandBuffer{inner}
			f.pin.Pin(&list[0])
			record(f, cb, abi.OpCmdExecuteCommands, &abi.CmdExecuteCommands{CommandBufferCount: 1, PCommandBuffers: &list[0]})
		}},
		"commands in memory": {256, func(cb abi.CommandBuffer) {
			copy(words, []uint32{1, 1, 1, 1})
			layout, r := f.tokens(compute, 16, pushing(0, vk.IndirectCommandsTokenTypePushDataEXT, 8, 4), pushing(0, vk.IndirectCommandsTokenTypePushDataSequenceIndexEXT, 12, 4),
				at(4, vk.IndirectCommandsTokenTypeDispatchEXT))
			want(t, "vkCreateIndirectCommandsLayoutEXT", r, vk.Success)
			info := &abi.GeneratedCommandsInfoEXT{ShaderStages: compute, IndirectCommandsLayout: layout, IndirectAddress: sequence, IndirectAddressSize: 16, MaxSequenceCount: 1}
			f.pin.Pin(info)
			bindHeaps(cb)
			record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{PipelineBindPoint: vk.PipelineBindPointCompute, Pipeline: inHeap})
			record(f, cb, abi.OpCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXT{PGeneratedCommandsInfo: info})
		}},
	} {
		cb := f.begin()
		c.commands(cb)
		seen[0] = 0
		f.run(cb)
		if seen[0] != c.want { // 1, and white
			t.Errorf("%s: the shader has written %d, want %d", name, seen[0], c.want)
		}
	}
}

// TestDescriptorHeap_Descriptors: what is written, with which result, and that equal descriptions give equal descriptors.
func TestDescriptorHeap_Descriptors(t *testing.T) {
	f := newTest(t)
	image, _ := f.imageOf(vk.ImageUsageSampledBit)
	null, a, b := make([]uint32, 8), make([]uint32, 8), make([]uint32, 8)
	dirty := func() {
		for i := range a {
			a[i] = 0x5a5a5a5a
		}
	}
	for name, c := range map[string]struct {
		t      vk.DescriptorType
		of     unsafe.Pointer
		result vk.Result
	}{
		"no image":                     {vk.DescriptorTypeSampledImage, nil, vk.Success},
		"no buffer":                    {vk.DescriptorTypeUniformBuffer, nil, vk.Success},
		"no texels":                    {vk.DescriptorTypeStorageTexelBuffer, nil, vk.Success},
		"an image that does not exist": {vk.DescriptorTypeSampledImage, unsafe.Pointer(picture(0xDEAD)), vk.ErrorValidationFailed},
		"an image for other use":       {vk.DescriptorTypeStorageImage, unsafe.Pointer(picture(image)), vk.ErrorValidationFailed},
		"a set's type":                 {vk.DescriptorTypeUniformBufferDynamic, unsafe.Pointer(&vk.DeviceAddressRangeKHR{Address: 1 << 32}), vk.ErrorValidationFailed},
	} {
		dirty()
		want(t, name, f.writeResource(a, c.t, c.of), c.result)
		if !slices.Equal(a, null) {
			t.Errorf("%s: descriptor %x", name, a)
		}
	}
	want(t, "too little room", f.writeResource(a[:4], vk.DescriptorTypeSampledImage, unsafe.Pointer(picture(image))), vk.ErrorValidationFailed)
	for name, write := range map[string]func(to []uint32) vk.Result{
		"view": func(to []uint32) vk.Result {
			return f.writeResource(to, vk.DescriptorTypeSampledImage, unsafe.Pointer(picture(image)))
		},
		"sampler": func(to []uint32) vk.Result { return f.writeSampler(to, samplerInfoOf(vk.BorderColorIntOpaqueWhite)) },
		"texels": func(to []uint32) vk.Result {
			return f.writeResource(to, vk.DescriptorTypeUniformTexelBuffer, unsafe.Pointer(&abi.TexelBufferDescriptorInfoEXT{Format: vk.FormatR32Uint,
				AddressRange: vk.DeviceAddressRangeKHR{Address: 1 << 40, Size: 8}}))
		},
	} {
		want(t, name, write(a), vk.Success)
		want(t, name, write(b), vk.Success)
		if !slices.Equal(a, b) || slices.Equal(a, null) {
			t.Errorf("%s: descriptors %x and %x", name, a, b)
		}
	}
	if size := f.descriptorSize(vk.DescriptorTypeSampler); size != core.DescriptorBytes {
		t.Errorf("descriptors of %d bytes", size)
	}
}

func (f *fixture) descriptorSize(t vk.DescriptorType) uint64 {
	a := abi.GetPhysicalDeviceDescriptorSizeEXTArgs{DescriptorType: t}
	return (&PhysicalDevice{}).GetPhysicalDeviceDescriptorSizeEXT(&a)
}

// TestDescriptorHeap_CaptureAndReplay: an image made with what was captured has the descriptors that it had.
func TestDescriptorHeap_CaptureAndReplay(t *testing.T) {
	f := newTest(t)
	make1 := func(data []byte) (h abi.Image, r vk.Result) {
		a := abi.CreateImageArgs{Device: f.device, PImage: &h, PCreateInfo: &abi.ImageCreateInfo{Flags: vk.ImageCreateDescriptorHeapCaptureReplayBitEXT,
			ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}, MipLevels: 1, ArrayLayers: 1,
			Samples: vk.SampleCount1Bit, Usage: vk.ImageUsageSampledBit}}
		if data != nil {
			o := &abi.OpaqueCaptureDataCreateInfoEXT{PData: &abi.HostAddressRangeConstEXT{Address: unsafe.Pointer(&data[0]), Size: uint64(len(data))}}
			o.SType = o.StructureType()
			a.PCreateInfo.PNext = unsafe.Pointer(o)
		}
		call(f, abi.OpCreateImage, &a)
		if a.Ret == vk.Success {
			m, _ := f.memory(1 << 16)
			bind := abi.BindImageMemoryArgs{Device: f.device, Image: h, Memory: m}
			call(f, abi.OpBindImageMemory, &bind)
			want(t, "vkBindImageMemory", bind.Ret, vk.Success)
		}
		return h, a.Ret
	}
	h, r := make1(nil)
	want(t, "an image to be captured", r, vk.Success)
	plain, _ := f.imageOf(vk.ImageUsageSampledBit)
	data := make([]byte, captureBytes)
	get := func(h abi.Image, size uint64) vk.Result {
		a := abi.GetImageOpaqueCaptureDataEXTArgs{Device: f.device, ImageCount: 1, PImages: &h, PDatas: &abi.HostAddressRangeEXT{Address: unsafe.Pointer(&data[0]), Size: size}}
		call(f, abi.OpGetImageOpaqueCaptureDataEXT, &a)
		return a.Ret
	}
	for name, r := range map[string]vk.Result{"of an image that is not captured": get(plain, 8), "of none": get(0xDEAD, 8), "too little room": get(h, 4)} {
		want(t, name, r, vk.ErrorValidationFailed)
	}
	want(t, "vkGetImageOpaqueCaptureDataEXT", get(h, 8), vk.Success)
	before, after := make([]uint32, 8), make([]uint32, 8)
	want(t, "a descriptor", f.writeResource(before, vk.DescriptorTypeSampledImage, unsafe.Pointer(picture(h))), vk.Success)
	_, r = make1(data)
	want(t, "replayed beside itself", r, vk.ErrorInvalidOpaqueCaptureAddress)
	call(f, abi.OpDestroyImage, &abi.DestroyImageArgs{Device: f.device, Image: h})
	h, r = make1(data)
	want(t, "replayed", r, vk.Success)
	want(t, "a descriptor", f.writeResource(after, vk.DescriptorTypeSampledImage, unsafe.Pointer(picture(h))), vk.Success)
	if !slices.Equal(before, after) {
		t.Errorf("descriptor %x, then %x", before, after)
	}
}

// TestDescriptorHeap_BorderColors: indices are given once, those asked for too, until they are given back.
func TestDescriptorHeap_BorderColors(t *testing.T) {
	f := newTest(t)
	register := func(index uint32, ask abi.Bool32) (uint32, vk.Result) {
		a := abi.RegisterCustomBorderColorEXTArgs{Device: f.device, PBorderColor: &abi.SamplerCustomBorderColorCreateInfoEXT{}, RequestIndex: ask, PIndex: &index}
		call(f, abi.OpRegisterCustomBorderColorEXT, &a)
		return index, a.Ret
	}
	unregister := func(index uint32) {
		call(f, abi.OpUnregisterCustomBorderColorEXT, &abi.UnregisterCustomBorderColorEXTArgs{Device: f.device, Index: index})
	}
	for i, c := range []struct {
		index  uint32
		ask    abi.Bool32
		want   uint32
		result vk.Result
	}{
		{1, 1, 1, vk.Success}, {9, 0, 0, vk.Success}, {9, 0, 2, vk.Success}, {2, 1, 2, vk.ErrorInvalidOpaqueCaptureAddress},
		{1 << 20, 1, 1 << 20, vk.ErrorInvalidOpaqueCaptureAddress}, {1<<20 - 1, 1, 1<<20 - 1, vk.Success},
	} {
		if got, r := register(c.index, c.ask); got != c.want || r != c.result {
			t.Errorf("step %d: index %d, %v; want %d, %v", i, got, r, c.want, c.result)
		}
	}
	unregister(1)
	if got, r := register(0, 0); got != 1 || r != vk.Success {
		t.Errorf("after 1 was given back: index %d, %v", got, r)
	}
}

// Binaries whose mappings are cut or lie about their number are refused.
func TestShaderBinary_MappingsThatLie(t *testing.T) {
	f := newTest(t)
	h, r := f.heapShader(embeddedShader, vk.ShaderCodeTypeSpirvEXT, f.heapMappings(samplerInfoOf(vk.BorderColorFloatOpaqueWhite)))
	want(t, "vkCreateShadersEXT", r, vk.Success)
	rest := f.shaderBinaryOf(h)[shaderBinaryHeaderBytes:]
	many := slices.Clone(rest)
	binary.LittleEndian.PutUint32(many, 1<<31)
	for name, data := range map[string][]byte{"too many": many, "cut": rest[:40], "nothing": nil} {
		data = append(shaderBinaryHeader(vk.ShaderStageComputeBit, data), data...)
		if _, r := f.heapShader(data, vk.ShaderCodeTypeBinaryEXT, nil); r != vk.IncompatibleShaderBinaryEXT {
			t.Errorf("%s: %v", name, r)
		}
	}
}
