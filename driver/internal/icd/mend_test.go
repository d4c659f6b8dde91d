package icd

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// wantTold wants the rules that a messenger was told of, and forgets them.
func wantTold(t *testing.T, name string, told *[]string, want ...string) {
	t.Helper()
	if !slices.Equal(*told, want) {
		t.Errorf("%s: told of %q, want %q", name, *told, want)
	}
	*told = nil
}

// Objects that ask for more than there is are made of what there is, and told.
func TestMend_Objects(t *testing.T) {
	f := newTest(t)
	told := f.heard()
	texels := f.bound(64, vk.BufferUsageUniformTexelBufferBit)
	for _, c := range []struct {
		name          string
		offset, bytes uint64
		r             vk.Result
		rule          []string
	}{
		{"a view of all", 0, 64, vk.Success, nil},
		{"a view past the end", 0, 100, vk.Success, []string{"VUID-VkBufferViewCreateInfo-offset-00931"}},
		{"a view past the end, from inside", 48, 1 << 40, vk.Success, []string{"VUID-VkBufferViewCreateInfo-offset-00931"}},
		{"a view of what is behind", 80, 16, vk.Success, []string{"VUID-VkBufferViewCreateInfo-offset-00925", "VUID-VkBufferViewCreateInfo-offset-00931"}},
		{"a view at half a texel", 2, 16, vk.ErrorValidationFailed, []string{"VUID-VkBufferViewCreateInfo-buffer-02751"}},
	} {
		var v abi.BufferView
		a := abi.CreateBufferViewArgs{Device: f.device, PView: &v, PCreateInfo: &abi.BufferViewCreateInfo{Buffer: texels, Format: vk.FormatR32Uint, Offset: c.offset, Range: c.bytes}}
		call(f, abi.OpCreateBufferView, &a)
		if a.Ret != c.r {
			t.Errorf("%s: %v, want %v", c.name, a.Ret, c.r)
		}
		wantTold(t, c.name, told, c.rule...)
	}
	for _, c := range []struct {
		name string
		info abi.SamplerCreateInfo
		r    vk.Result
		rule []string
	}{
		{"limits", abi.SamplerCreateInfo{AnisotropyEnable: 1, MaxAnisotropy: 16, MipLodBias: -16}, vk.Success, nil},
		{"anisotropy", abi.SamplerCreateInfo{AnisotropyEnable: 1, MaxAnisotropy: 64}, vk.Success, []string{"VUID-VkSamplerCreateInfo-anisotropyEnable-01071"}},
		{"no anisotropy", abi.SamplerCreateInfo{AnisotropyEnable: 1}, vk.Success, []string{"VUID-VkSamplerCreateInfo-anisotropyEnable-01071"}},
		{"bias", abi.SamplerCreateInfo{MipLodBias: 100}, vk.Success, []string{"VUID-VkSamplerCreateInfo-mipLodBias-01069"}},
		{"levels", abi.SamplerCreateInfo{MinLod: 3, MaxLod: 2}, vk.Success, []string{"VUID-VkSamplerCreateInfo-maxLod-01973"}},
		{"levels of unnormalized coordinates", abi.SamplerCreateInfo{MaxLod: 1000, UnnormalizedCoordinates: 1, AddressModeU: vk.SamplerAddressModeClampToEdge, AddressModeV: vk.SamplerAddressModeClampToEdge}, vk.Success,
			[]string{"VUID-VkSamplerCreateInfo-unnormalizedCoordinates-01074"}},
		{"a filter that is none", abi.SamplerCreateInfo{MagFilter: 77}, vk.ErrorValidationFailed, []string{"VUID-VkSamplerCreateInfo-magFilter-parameter"}},
	} {
		var s abi.Sampler
		a := abi.CreateSamplerArgs{Device: f.device, PSampler: &s, PCreateInfo: &c.info}
		call(f, abi.OpCreateSampler, &a)
		if a.Ret != c.r {
			t.Errorf("%s: %v, want %v", c.name, a.Ret, c.r)
		}
		wantTold(t, c.name, told, c.rule...)
	}
	im, _ := f.image() // of one level and one layer
	for _, c := range []struct {
		name string
		r    vk.ImageSubresourceRange
		want vk.Result
		rule []string
	}{
		{"levels", vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 5, LayerCount: 1}, vk.Success, []string{"VUID-VkImageViewCreateInfo-subresourceRange-01718"}},
		{"layers", vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 6}, vk.Success, []string{"VUID-VkImageViewCreateInfo-subresourceRange-06725"}},
		{"a level that is not there", vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, BaseMipLevel: 3, LevelCount: 1, LayerCount: 1}, vk.ErrorValidationFailed, []string{"VUID-VkImageViewCreateInfo-subresourceRange-01478"}},
	} {
		var v abi.ImageView
		a := abi.CreateImageViewArgs{Device: f.device, PView: &v, PCreateInfo: &abi.ImageViewCreateInfo{Image: im, ViewType: vk.ImageViewType2D, Format: vk.FormatR8G8B8A8Unorm, SubresourceRange: c.r}}
		call(f, abi.OpCreateImageView, &a)
		if a.Ret != c.want {
			t.Errorf("%s: %v, want %v", c.name, a.Ret, c.want)
		}
		wantTold(t, c.name, told, c.rule...)
	}
}

// Transfers past the end of a buffer end with it.
func TestMend_Transfers(t *testing.T) {
	f := newTest(t)
	told := f.heard()
	src, from := f.buffer(4)
	dst, to := f.buffer(4)
	copy(from, []uint32{1, 2, 3, 4})
	cb := f.begin()
	regions := [3]vk.BufferCopy{{SrcOffset: 8, Size: 64}, {SrcOffset: 4, DstOffset: 12, Size: 8}, {Size: 0}}
	record(f, cb, abi.OpCmdCopyBuffer, &abi.CmdCopyBuffer{SrcBuffer: src, DstBuffer: dst, RegionCount: 3, PRegions: &regions[0]})
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: src, Size: 7, Data: 8})
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: src, DstOffset: 12, Size: 400, Data: 9})
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: src, Size: 0, Data: 10})
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: src, DstOffset: 400, Size: 4, Data: 11})
	f.run(cb)
	if !slices.Equal(to, []uint32{3, 4, 0, 2}) || !slices.Equal(from, []uint32{8, 2, 3, 9}) {
		t.Errorf("%d, %d", to, from)
	}
	wantTold(t, "transfers", told, "VUID-vkCmdCopyBuffer-size-00115", "VUID-vkCmdCopyBuffer-size-00116", "VUID-vkCmdFillBuffer-size-00028", "VUID-vkCmdFillBuffer-size-00027",
		"VUID-vkCmdFillBuffer-size-00028", "VUID-vkCmdFillBuffer-dstOffset-00024")
}

// A region that breaks a rule does not take the others of its command with it.
func TestMend_Regions(t *testing.T) {
	f := newTest(t)
	told := f.heard()
	im, _ := f.image()
	b, words := f.buffer(64)
	for i := range words {
		words[i] = uint32(i + 1)
	}
	region := func(x, y int32, w, h uint32, offset uint64) vk.BufferImageCopy {
		return vk.BufferImageCopy{BufferOffset: offset, ImageSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1},
			ImageOffset: vk.Offset3D{X: x, Y: y}, ImageExtent: vk.Extent3D{Width: w, Height: h, Depth: 1}}
	}
	black, all := abi.ClearColorValue{}, vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}
	regions := [5]vk.BufferImageCopy{region(0, 0, 2, 1, 0), region(2, 0, 0, 1, 0), region(4, 4, 8, 1, 0), region(7, 7, 1, 1, 16), region(0, 1, 1, 1, 4096)}
	back := [2]vk.BufferImageCopy{region(0, 0, 8, 8, 0), region(0, 0, 9, 9, 0)}
	cb := f.begin()
	record(f, cb, abi.OpCmdClearColorImage, &abi.CmdClearColorImage{Image: im, PColor: &black, RangeCount: 1, PRanges: &all})
	record(f, cb, abi.OpCmdCopyBufferToImage, &abi.CmdCopyBufferToImage{SrcBuffer: b, DstImage: im, RegionCount: 5, PRegions: &regions[0]})
	record(f, cb, abi.OpCmdCopyImageToBuffer, &abi.CmdCopyImageToBuffer{SrcImage: im, DstBuffer: b, RegionCount: 2, PRegions: &back[0]})
	f.run(cb)
	for i, w := range words {
		if want := map[int]uint32{0: 1, 1: 2, 63: 5}[i]; w != want {
			t.Errorf("texel %d is %d, want %d", i, w, want)
		}
	}
	wantTold(t, "regions", told, "VUID-vkCmdCopyBufferToImage-imageSubresource-07971", "VUID-vkCmdCopyBufferToImage-imageSubresource-07971", "VUID-vkCmdCopyBufferToImage-pRegions-00171",
		"VUID-vkCmdCopyImageToBuffer-imageSubresource-07971")
}

// Descriptors and their dynamic offsets show what there is of their range, and what is not there is told when it is accessed.
func TestMend_Descriptors(t *testing.T) {
	f := newTest(t)
	told := f.heard()
	f.with(nil) // without robustBufferAccess, which allows it
	b, data := f.storage(64)
	p, r := f.program(subgroupShader, 0, nil, nil, b)
	want(t, "vkCreateComputePipelines", r, vk.Success)
	write := func(bytes uint64) {
		call(f, abi.OpUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: f.device, DescriptorWriteCount: 1,
			PDescriptorWrites: &abi.WriteDescriptorSet{DstSet: p.set, DescriptorCount: 1, DescriptorType: vk.DescriptorTypeStorageBuffer,
				PBufferInfo: &abi.DescriptorBufferInfo{Buffer: b, Range: bytes}}})
	}
	written := func() (n int) {
		for _, w := range data {
			if w != 0 {
				n++
			}
		}
		clear(data)
		return n
	}
	write(4096)
	wantTold(t, "a range past the end", told, "VUID-VkDescriptorBufferInfo-range-00342")
	f.dispatch(p)
	wantTold(t, "all of it", told)
	if n := written(); n != 64 {
		t.Errorf("%d of 64 words are written", n)
	}
	write(128)
	f.dispatch(p)
	wantTold(t, "half of it", told, "VUID-vkCmdDispatch-storageBuffers-06936")
	if n := written(); n != 32 {
		t.Errorf("%d of 32 words are written", n)
	}

	// A buffer without the usage, with a dynamic offset past the end.
	plain, words := f.buffer(64)
	set := f.setLayout(nil, abi.DescriptorSetLayoutBinding{DescriptorType: vk.DescriptorTypeStorageBufferDynamic, DescriptorCount: 1, StageFlags: vk.ShaderStageComputeBit})
	var layout abi.PipelineLayout
	l := abi.CreatePipelineLayoutArgs{Device: f.device, PCreateInfo: &abi.PipelineLayoutCreateInfo{SetLayoutCount: 1, PSetLayouts: &set}, PPipelineLayout: &layout}
	call(f, abi.OpCreatePipelineLayout, &l)
	sets, r := f.sets(f.pool(1, abi.DescriptorPoolSize{Type: vk.DescriptorTypeStorageBufferDynamic, DescriptorCount: 1}), set)
	want(t, "vkAllocateDescriptorSets", r, vk.Success)
	call(f, abi.OpUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: f.device, DescriptorWriteCount: 1,
		PDescriptorWrites: &abi.WriteDescriptorSet{DstSet: sets[0], DescriptorCount: 1, DescriptorType: vk.DescriptorTypeStorageBufferDynamic,
			PBufferInfo: &abi.DescriptorBufferInfo{Buffer: plain, Range: 256}}})
	wantTold(t, "a buffer without the usage", told, "VUID-VkWriteDescriptorSet-descriptorType-00331")
	var pipeline abi.Pipeline
	stage := f.stage(vk.ShaderStageComputeBit, subgroupShader)
	c := abi.CreateComputePipelinesArgs{Device: f.device, CreateInfoCount: 1, PPipelines: &pipeline, PCreateInfos: &abi.ComputePipelineCreateInfo{Layout: layout, Stage: stage}}
	call(f, abi.OpCreateComputePipelines, &c)
	want(t, "vkCreateComputePipelines", c.Ret, vk.Success)
	cb, offset := f.begin(), uint32(192)
	f.pin.Pin(&sets[0])
	f.pin.Pin(&offset)
	record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{PipelineBindPoint: vk.PipelineBindPointCompute, Pipeline: pipeline})
	record(f, cb, abi.OpCmdBindDescriptorSets, &abi.CmdBindDescriptorSets{PipelineBindPoint: vk.PipelineBindPointCompute, Layout: layout, DescriptorSetCount: 1, PDescriptorSets: &sets[0], DynamicOffsetCount: 1, PDynamicOffsets: &offset})
	record(f, cb, abi.OpCmdDispatch, &abi.CmdDispatch{GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
	f.run(cb)
	wantTold(t, "a dynamic offset", told, "VUID-vkCmdDispatch-storageBuffers-06936")
	for i, w := range words {
		if (w != 0) != (i >= 48) {
			t.Errorf("word %d is %#x", i, w)
			break
		}
	}
}

// Scissors, viewports, areas and rectangles are cut to what there is.
func TestMend_Windows(t *testing.T) {
	robust := abi.PhysicalDeviceVertexAttributeRobustnessFeaturesEXT{VertexAttributeRobustness: 1}
	robust.SType = robust.StructureType()
	f := newTest(t)
	f.with(unsafe.Pointer(&robust))
	told := f.heard()
	dynamic := [2]vk.DynamicState{vk.DynamicStateScissor, vk.DynamicStateViewport}
	p, r := f.graphics(func(i *abi.GraphicsPipelineCreateInfo) {
		i.PDynamicState = &abi.PipelineDynamicStateCreateInfo{DynamicStateCount: 2, PDynamicStates: &dynamic[0]}
	}, f.stage(vk.ShaderStageVertexBit, unfedShader), f.stage(vk.ShaderStageFragmentBit, whiteShader))
	want(t, "vkCreateGraphicsPipelines", r, vk.Success)
	all := vk.Viewport{Width: 8, Height: 8, MaxDepth: 1}
	scissor := func(x, y int32, w, h uint32) vk.Rect2D {
		return vk.Rect2D{Offset: vk.Offset2D{X: x, Y: y}, Extent: vk.Extent2D{Width: w, Height: h}}
	}
	for _, c := range []struct {
		name     string
		viewport vk.Viewport
		scissor  vk.Rect2D
		texels   int
		rule     []string
	}{
		{"as it should be", all, scissor(0, 0, 8, 8), 64, nil},
		{"from left of it", all, scissor(-4, 0, 8, 8), 32, []string{"VUID-vkCmdSetScissor-x-00595"}},
		{"from above", all, scissor(2, -1, 2, 4), 6, []string{"VUID-vkCmdSetScissor-x-00595"}},
		{"all of it left", all, scissor(-20, 0, 8, 8), 0, []string{"VUID-vkCmdSetScissor-x-00595"}},
		{"as wide as a number", all, scissor(2, 0, 1<<32-1, 8), 48, []string{"VUID-vkCmdSetScissor-offset-00596"}},
		{"as high as a number", all, scissor(0, 6, 8, 1<<31-1), 16, []string{"VUID-vkCmdSetScissor-offset-00597"}},
		{"depth", vk.Viewport{Width: 8, Height: 8, MinDepth: -1, MaxDepth: 2}, scissor(0, 0, 8, 8), 64, []string{"VUID-VkViewport-minDepth-01234", "VUID-VkViewport-minDepth-01234"}},
	} {
		n := f.drawn(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: p})
			record(f, cb, abi.OpCmdSetViewport, &abi.CmdSetViewport{ViewportCount: 1, PViewports: &c.viewport})
			record(f, cb, abi.OpCmdSetScissor, &abi.CmdSetScissor{ScissorCount: 1, PScissors: &c.scissor})
			record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1})
		})
		if n != c.texels {
			t.Errorf("%s: %d texels are drawn, want %d", c.name, n, c.texels)
		}
		wantTold(t, c.name, told, c.rule...)
	}
	white := abi.ClearAttachment{AspectMask: vk.ImageAspectColorBit}
	*white.ClearValue.Color().Float32() = [4]float32{1, 1, 1, 1}
	for _, c := range []struct {
		name   string
		rect   vk.ClearRect
		texels int
		rule   string
	}{
		{"a rectangle past the corner", vk.ClearRect{Rect: scissor(4, 4, 8, 8), LayerCount: 1}, 16, "VUID-vkCmdClearAttachments-pRects-00016"},
		{"a rectangle from the left", vk.ClearRect{Rect: scissor(-2, 0, 4, 1), LayerCount: 1}, 2, "VUID-vkCmdClearAttachments-pRects-00016"},
		{"a rectangle elsewhere", vk.ClearRect{Rect: scissor(9, 9, 2, 2), LayerCount: 1}, 0, "VUID-vkCmdClearAttachments-pRects-00016"},
		{"layers", vk.ClearRect{Rect: scissor(0, 0, 1, 8), LayerCount: 7}, 8, "VUID-vkCmdClearAttachments-pRects-06937"},
	} {
		n := f.drawn(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdClearAttachments, &abi.CmdClearAttachments{AttachmentCount: 1, PAttachments: &white, RectCount: 1, PRects: &c.rect})
		})
		if n != c.texels {
			t.Errorf("%s: %d texels are cleared, want %d", c.name, n, c.texels)
		}
		wantTold(t, c.name, told, c.rule)
	}
	// What a program gets wrong in each frame is told ten times.
	for range 20 {
		f.drawn(func(cb abi.CommandBuffer) {
			s := scissor(-1, 0, 8, 8)
			record(f, cb, abi.OpCmdSetScissor, &abi.CmdSetScissor{ScissorCount: 1, PScissors: &s})
		})
	}
	wantTold(t, "each frame", told, slices.Repeat([]string{"VUID-vkCmdSetScissor-x-00595"}, 10-3)...) // three above
	// A render area larger than the image is all of it.
	im, v := f.image()
	b, words := f.buffer(64)
	cb := f.begin()
	a := abi.RenderingAttachmentInfo{ImageView: v, LoadOp: vk.AttachmentLoadOpClear}
	*a.ClearValue.Color().Float32() = [4]float32{1, 1, 1, 1}
	record(f, cb, abi.OpCmdBeginRendering, &abi.CmdBeginRendering{PRenderingInfo: &abi.RenderingInfo{RenderArea: scissor(0, 2, 100, 100), LayerCount: 1, ColorAttachmentCount: 1, PColorAttachments: &a}})
	record(f, cb, abi.OpCmdEndRendering, &abi.CmdEndRendering{})
	g := vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}, ImageExtent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}}
	record(f, cb, abi.OpCmdCopyImageToBuffer, &abi.CmdCopyImageToBuffer{SrcImage: im, DstBuffer: b, RegionCount: 1, PRegions: &g})
	f.run(cb)
	if n := len(slices.DeleteFunc(slices.Clone(words), func(w uint32) bool { return w == 0 })); n != 48 {
		t.Errorf("%d texels are cleared, want 48", n)
	}
	wantTold(t, "a render area", told, "VUID-VkRenderingInfo-pNext-06079")
}
