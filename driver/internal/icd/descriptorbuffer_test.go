package icd

import (
	"slices"
	"testing"
	"unsafe"

	_ "embed"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/embedded.comp.spv testdata/embedded.comp

//go:embed testdata/embedded.comp.spv
var embeddedShader []byte

// addressed is a buffer for all that takes addresses, and its words.
func (f *fixture) addressed(words int) (h abi.Buffer, address uint64, data []uint32) {
	f.t.Helper()
	a := abi.CreateBufferArgs{Device: f.device, PBuffer: &h, PCreateInfo: &abi.BufferCreateInfo{Size: uint64(4 * words),
		Usage: vk.BufferUsageStorageBufferBit | vk.BufferUsageShaderDeviceAddressBit | vk.BufferUsageResourceDescriptorBufferBitEXT |
			vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit | vk.BufferUsageIndirectBufferBit | vk.BufferUsageVertexBufferBit |
			vk.BufferUsageIndexBufferBit | vk.BufferUsageConditionalRenderingBitEXT | vk.BufferUsageTransformFeedbackBufferBitEXT |
			vk.BufferUsageTransformFeedbackCounterBufferBitEXT}}
	call(f, abi.OpCreateBuffer, &a)
	want(f.t, "vkCreateBuffer", a.Ret, vk.Success)
	m, p := f.memory(uint64(4 * words))
	b := abi.BindBufferMemoryArgs{Device: f.device, Buffer: h, Memory: m}
	call(f, abi.OpBindBufferMemory, &b)
	want(f.t, "vkBindBufferMemory", b.Ret, vk.Success)
	return h, f.address(h), unsafe.Slice((*uint32)(p), words)
}

// descriptor is vkGetDescriptorEXT; of is what the union points to.
func (f *fixture) descriptor(t vk.DescriptorType, of unsafe.Pointer) []byte {
	f.t.Helper()
	out := make([]byte, core.DescriptorBytes)
	i := &abi.DescriptorGetInfoEXT{Type: t}
	*(*unsafe.Pointer)(unsafe.Pointer(&i.Data)) = of
	call(f, abi.OpGetDescriptorEXT, &abi.GetDescriptorEXTArgs{Device: f.device, PDescriptorInfo: i, DataSize: uint64(len(out)), PDescriptor: unsafe.Pointer(&out[0])})
	return out
}

// whiteBorder makes a sampler that is white beside the image.
func (f *fixture) whiteBorder(flags vk.SamplerCreateFlags, next unsafe.Pointer) (h abi.Sampler, r vk.Result) {
	const clamp = vk.SamplerAddressModeClampToBorder
	a := abi.CreateSamplerArgs{Device: f.device, PSampler: &h, PCreateInfo: &abi.SamplerCreateInfo{PNext: next, Flags: flags,
		AddressModeU: clamp, AddressModeV: clamp, AddressModeW: clamp, BorderColor: vk.BorderColorFloatOpaqueWhite}}
	call(f, abi.OpCreateSampler, &a)
	return h, a.Ret
}

// flagged makes a set layout with flags.
func (f *fixture) flagged(flags vk.DescriptorSetLayoutCreateFlags, bindings ...abi.DescriptorSetLayoutBinding) (h abi.DescriptorSetLayout) {
	f.t.Helper()
	a := abi.CreateDescriptorSetLayoutArgs{Device: f.device, PSetLayout: &h,
		PCreateInfo: &abi.DescriptorSetLayoutCreateInfo{Flags: flags, BindingCount: uint32(len(bindings)), PBindings: &bindings[0]}}
	call(f, abi.OpCreateDescriptorSetLayout, &a)
	want(f.t, "vkCreateDescriptorSetLayout", a.Ret, vk.Success)
	return h
}

// TestDescriptorBuffer_SetsSamplersAndPushes: a set in memory or pushed, beside embedded samplers or a
// sampler in memory, by the commands of the extension and by those of maintenance6.
func TestDescriptorBuffer_SetsSamplersAndPushes(t *testing.T) {
	f := newTest(t)
	const inMemory = vk.DescriptorSetLayoutCreateDescriptorBufferBitEXT
	sampler, r := f.whiteBorder(0, nil)
	want(t, "vkCreateSampler", r, vk.Success)
	_, view := f.imageOf(vk.ImageUsageSampledBit)
	_, out, seen := f.addressed(1)
	_, at, memory := f.addressed(64)
	bindings := []abi.DescriptorSetLayoutBinding{
		{Binding: 0, DescriptorType: vk.DescriptorTypeStorageBuffer, DescriptorCount: 1, StageFlags: vk.ShaderStageComputeBit},
		{Binding: 3, DescriptorType: vk.DescriptorTypeSampledImage, DescriptorCount: 1, StageFlags: vk.ShaderStageComputeBit},
	}
	one := abi.DescriptorSetLayoutBinding{DescriptorType: vk.DescriptorTypeSampler, DescriptorCount: 1, StageFlags: vk.ShaderStageComputeBit}
	set, pushed, outside := f.flagged(inMemory, bindings...), f.flagged(inMemory|vk.DescriptorSetLayoutCreatePushDescriptorBit, bindings...), f.flagged(inMemory, one)
	one.PImmutableSamplers = &sampler
	embedded := f.flagged(inMemory|vk.DescriptorSetLayoutCreateEmbeddedImmutableSamplersBitEXT, one)

	var size, offset, none uint64
	call(f, abi.OpGetDescriptorSetLayoutSizeEXT, &abi.GetDescriptorSetLayoutSizeEXTArgs{Device: f.device, Layout: set, PLayoutSizeInBytes: &size})
	call(f, abi.OpGetDescriptorSetLayoutBindingOffsetEXT, &abi.GetDescriptorSetLayoutBindingOffsetEXTArgs{Device: f.device, Layout: set, Binding: 3, POffset: &offset})
	call(f, abi.OpGetDescriptorSetLayoutBindingOffsetEXT, &abi.GetDescriptorSetLayoutBindingOffsetEXTArgs{Device: f.device, Layout: set, Binding: 1, POffset: &none})
	if size != 64 || offset != 32 || none != 0 {
		t.Errorf("a set of %d bytes, the second binding at %d, none at %d", size, offset, none)
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 256)
	storage := f.descriptor(vk.DescriptorTypeStorageBuffer, unsafe.Pointer(&abi.DescriptorAddressInfoEXT{Address: out, Range: 4}))
	image := f.descriptor(vk.DescriptorTypeSampledImage, unsafe.Pointer(&abi.DescriptorImageInfo{ImageView: view}))
	copy(bytes[32:], storage)
	copy(bytes[64:], image)
	copy(bytes[128:], f.descriptor(vk.DescriptorTypeSampler, unsafe.Pointer(&sampler)))
	null := make([]byte, 32)
	for what, d := range map[string][]byte{
		"address 0": f.descriptor(vk.DescriptorTypeStorageBuffer, unsafe.Pointer(&abi.DescriptorAddressInfoEXT{Range: 4})),
		"no buffer": f.descriptor(vk.DescriptorTypeUniformTexelBuffer, nil), "no image": f.descriptor(vk.DescriptorTypeStorageImage, nil),
		"no view": f.descriptor(vk.DescriptorTypeCombinedImageSampler, unsafe.Pointer(&abi.DescriptorImageInfo{Sampler: sampler})),
	} {
		if !slices.Equal(d, null) {
			t.Errorf("%s is % x", what, d)
		}
	}

	for _, c := range []struct {
		name   string
		layout [2]abi.DescriptorSetLayout
		second bool // the commands with structs
	}{
		{"memory", [2]abi.DescriptorSetLayout{set, outside}, false}, {"memory", [2]abi.DescriptorSetLayout{set, outside}, true},
		{"embedded", [2]abi.DescriptorSetLayout{set, embedded}, false}, {"embedded", [2]abi.DescriptorSetLayout{set, embedded}, true},
		{"pushed", [2]abi.DescriptorSetLayout{pushed, embedded}, false},
	} {
		var layout abi.PipelineLayout
		l := abi.CreatePipelineLayoutArgs{Device: f.device, PCreateInfo: &abi.PipelineLayoutCreateInfo{SetLayoutCount: 2, PSetLayouts: &c.layout[0]}, PPipelineLayout: &layout}
		call(f, abi.OpCreatePipelineLayout, &l)
		want(t, "vkCreatePipelineLayout", l.Ret, vk.Success)
		var p abi.Pipeline
		create := abi.CreateComputePipelinesArgs{Device: f.device, CreateInfoCount: 1, PPipelines: &p, PCreateInfos: &abi.ComputePipelineCreateInfo{
			Flags: vk.PipelineCreateDescriptorBufferBitEXT, Layout: layout, Stage: f.stage(vk.ShaderStageComputeBit, embeddedShader)}}
		call(f, abi.OpCreateComputePipelines, &create)
		want(t, "vkCreateComputePipelines", create.Ret, vk.Success)

		const compute, stage = vk.PipelineBindPointCompute, vk.ShaderStageComputeBit
		infos, indices, offsets := []abi.DescriptorBufferBindingInfoEXT{{Address: 0}, {Address: at}}, []uint32{1, 1}, []uint64{32, 128}
		f.pin.Pin(&infos[0])
		f.pin.Pin(&indices[0])
		f.pin.Pin(&offsets[0])
		cb := f.begin()
		record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{PipelineBindPoint: compute, Pipeline: p})
		record(f, cb, abi.OpCmdBindDescriptorBuffersEXT, &abi.CmdBindDescriptorBuffersEXT{BufferCount: 2, PBindingInfos: &infos[0]})
		count := uint32(2)
		if c.layout[1] == embedded {
			if count = 1; c.second {
				i := &abi.BindDescriptorBufferEmbeddedSamplersInfoEXT{StageFlags: stage, Layout: layout, Set: 1}
				f.pin.Pin(i)
				record(f, cb, abi.OpCmdBindDescriptorBufferEmbeddedSamplers2EXT, &abi.CmdBindDescriptorBufferEmbeddedSamplers2EXT{PBindDescriptorBufferEmbeddedSamplersInfo: i})
			} else {
				record(f, cb, abi.OpCmdBindDescriptorBufferEmbeddedSamplersEXT, &abi.CmdBindDescriptorBufferEmbeddedSamplersEXT{PipelineBindPoint: compute, Layout: layout, Set: 1})
			}
		}
		switch {
		case c.name == "pushed":
			writes := []abi.WriteDescriptorSet{
				{DescriptorCount: 1, DescriptorType: vk.DescriptorTypeStorageBuffer, PBufferInfo: &abi.DescriptorBufferInfo{Buffer: f.bufferAt(out), Range: vk.WholeSize}},
				{DstBinding: 3, DescriptorCount: 1, DescriptorType: vk.DescriptorTypeSampledImage, PImageInfo: &abi.DescriptorImageInfo{ImageView: view}},
			}
			f.pin.Pin(&writes[0])
			f.pin.Pin(writes[0].PBufferInfo)
			f.pin.Pin(writes[1].PImageInfo)
			record(f, cb, abi.OpCmdPushDescriptorSet, &abi.CmdPushDescriptorSet{PipelineBindPoint: compute, Layout: layout, DescriptorWriteCount: 2, PDescriptorWrites: &writes[0]})
		case c.second:
			i := &abi.SetDescriptorBufferOffsetsInfoEXT{StageFlags: stage, Layout: layout, SetCount: count, PBufferIndices: &indices[0], POffsets: &offsets[0]}
			f.pin.Pin(i)
			record(f, cb, abi.OpCmdSetDescriptorBufferOffsets2EXT, &abi.CmdSetDescriptorBufferOffsets2EXT{PSetDescriptorBufferOffsetsInfo: i})
		default:
			record(f, cb, abi.OpCmdSetDescriptorBufferOffsetsEXT, &abi.CmdSetDescriptorBufferOffsetsEXT{PipelineBindPoint: compute, Layout: layout, SetCount: count,
				PBufferIndices: &indices[0], POffsets: &offsets[0]})
		}
		record(f, cb, abi.OpCmdDispatch, &abi.CmdDispatch{GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
		seen[0] = 0
		f.run(cb)
		if seen[0] != 256 { // 1, and white
			t.Errorf("%s, structs %v: the shader has written %d", c.name, c.second, seen[0])
		}
	}
}

// bufferAt is the buffer that has an address.
func (f *fixture) bufferAt(address uint64) abi.Buffer {
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	for h := abi.Buffer(1); h < 100; h++ {
		if lookup(&d.buffers, h) != nil && f.address(h) == address {
			return h
		}
	}
	return 0
}

// TestDescriptorBuffer_CaptureAndReplay: objects made again with what was captured have the descriptors that
// they had, and what is not free is refused.
func TestDescriptorBuffer_CaptureAndReplay(t *testing.T) {
	f := newTest(t)
	replay := func(data *[captureBytes]byte) unsafe.Pointer {
		if data == nil {
			return nil
		}
		o := &abi.OpaqueCaptureDescriptorDataCreateInfoEXT{OpaqueCaptureDescriptorData: unsafe.Pointer(data)}
		o.SType = o.StructureType()
		f.pin.Pin(o)
		return unsafe.Pointer(o)
	}
	image, _ := f.imageOf(vk.ImageUsageSampledBit)
	var of [captureBytes]byte
	pictures := abi.GetImageOpaqueCaptureDescriptorDataEXTArgs{Device: f.device, PInfo: &abi.ImageCaptureDescriptorDataInfoEXT{Image: image}, PData: unsafe.Pointer(&of)}
	call(f, abi.OpGetImageOpaqueCaptureDescriptorDataEXT, &pictures)
	want(t, "of an image", pictures.Ret, vk.Success)

	type object struct {
		create  func(data *[captureBytes]byte) (uint64, vk.Result)
		get     func(h uint64) ([captureBytes]byte, vk.Result)
		destroy func(h uint64)
		shown   func(h uint64) []byte
	}
	for name, o := range map[string]object{
		"view": {
			func(data *[captureBytes]byte) (uint64, vk.Result) {
				var h abi.ImageView
				a := abi.CreateImageViewArgs{Device: f.device, PView: &h, PCreateInfo: &abi.ImageViewCreateInfo{PNext: replay(data), Flags: vk.ImageViewCreateDescriptorBufferCaptureReplayBitEXT,
					Image: image, ViewType: vk.ImageViewType2D, Format: vk.FormatR8G8B8A8Unorm, SubresourceRange: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}}}
				call(f, abi.OpCreateImageView, &a)
				return uint64(h), a.Ret
			},
			func(h uint64) (b [captureBytes]byte, r vk.Result) {
				a := abi.GetImageViewOpaqueCaptureDescriptorDataEXTArgs{Device: f.device, PInfo: &abi.ImageViewCaptureDescriptorDataInfoEXT{ImageView: abi.ImageView(h)}, PData: unsafe.Pointer(&b)}
				call(f, abi.OpGetImageViewOpaqueCaptureDescriptorDataEXT, &a)
				return b, a.Ret
			},
			func(h uint64) {
				call(f, abi.OpDestroyImageView, &abi.DestroyImageViewArgs{Device: f.device, ImageView: abi.ImageView(h)})
			},
			func(h uint64) []byte {
				return f.descriptor(vk.DescriptorTypeSampledImage, unsafe.Pointer(&abi.DescriptorImageInfo{ImageView: abi.ImageView(h)}))
			},
		},
		"sampler": {
			func(data *[captureBytes]byte) (uint64, vk.Result) {
				h, r := f.whiteBorder(vk.SamplerCreateDescriptorBufferCaptureReplayBitEXT, replay(data))
				return uint64(h), r
			},
			func(h uint64) (b [captureBytes]byte, r vk.Result) {
				a := abi.GetSamplerOpaqueCaptureDescriptorDataEXTArgs{Device: f.device, PInfo: &abi.SamplerCaptureDescriptorDataInfoEXT{Sampler: abi.Sampler(h)}, PData: unsafe.Pointer(&b)}
				call(f, abi.OpGetSamplerOpaqueCaptureDescriptorDataEXT, &a)
				return b, a.Ret
			},
			func(h uint64) {
				call(f, abi.OpDestroySampler, &abi.DestroySamplerArgs{Device: f.device, Sampler: abi.Sampler(h)})
			},
			func(h uint64) []byte {
				s := abi.Sampler(h)
				return f.descriptor(vk.DescriptorTypeSampler, unsafe.Pointer(&s))
			},
		},
		"buffer": {
			func(data *[captureBytes]byte) (uint64, vk.Result) {
				var h abi.Buffer
				a := abi.CreateBufferArgs{Device: f.device, PBuffer: &h, PCreateInfo: &abi.BufferCreateInfo{PNext: replay(data), Flags: vk.BufferCreateDescriptorBufferCaptureReplayBitEXT,
					Size: 64, Usage: vk.BufferUsageStorageBufferBit | vk.BufferUsageShaderDeviceAddressBit}}
				call(f, abi.OpCreateBuffer, &a)
				if a.Ret == vk.Success {
					m, _ := f.memory(256)
					b := abi.BindBufferMemoryArgs{Device: f.device, Buffer: h, Memory: m}
					call(f, abi.OpBindBufferMemory, &b)
					want(t, "vkBindBufferMemory", b.Ret, vk.Success)
				}
				return uint64(h), a.Ret
			},
			func(h uint64) (b [captureBytes]byte, r vk.Result) {
				a := abi.GetBufferOpaqueCaptureDescriptorDataEXTArgs{Device: f.device, PInfo: &abi.BufferCaptureDescriptorDataInfoEXT{Buffer: abi.Buffer(h)}, PData: unsafe.Pointer(&b)}
				call(f, abi.OpGetBufferOpaqueCaptureDescriptorDataEXT, &a)
				return b, a.Ret
			},
			func(h uint64) {
				call(f, abi.OpDestroyBuffer, &abi.DestroyBufferArgs{Device: f.device, Buffer: abi.Buffer(h)})
			},
			func(h uint64) []byte {
				return f.descriptor(vk.DescriptorTypeStorageBuffer, unsafe.Pointer(&abi.DescriptorAddressInfoEXT{Address: f.address(abi.Buffer(h)), Range: 64}))
			},
		},
	} {
		first, r := o.create(nil)
		want(t, name+": another one", r, vk.Success)
		h, r := o.create(nil)
		want(t, name, r, vk.Success)
		data, r := o.get(h)
		want(t, name+": its data", r, vk.Success)
		before := o.shown(h)
		_, r = o.create(&data)
		want(t, name+": replayed beside itself", r, vk.ErrorInvalidOpaqueCaptureAddress)
		o.destroy(h)
		o.destroy(first)
		h, r = o.create(&data)
		want(t, name+": replayed", r, vk.Success)
		if after := o.shown(h); !slices.Equal(before, after) || slices.Equal(after, make([]byte, len(after))) {
			t.Errorf("%s: descriptor % x, then % x", name, before, after)
		}
		if _, r := o.get(0xDEAD); r == vk.Success {
			t.Errorf("%s: data of nothing", name)
		}
	}
}
