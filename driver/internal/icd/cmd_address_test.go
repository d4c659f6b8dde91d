package icd

import (
	_ "embed"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/capture.vert.spv testdata/capture.vert

//go:embed testdata/capture.vert.spv
var captureShader []byte

// filled makes a buffer of 64 words that has an address. Its words are something that none of the commands means.
func (f *fixture) filled() (words []uint32, address uint64) {
	f.t.Helper()
	_, address, words = f.addressed(64)
	for i := range words {
		words[i] = 0x42000000 // 32.0
	}
	return words, address
}

// span is a range of words of a buffer at address.
func span(address uint64, first, n int) abi.DeviceAddressRangeKHR {
	return abi.DeviceAddressRangeKHR{Address: address + uint64(4*first), Size: uint64(4 * n)}
}

// steps is a range of words with a stride.
func steps(address uint64, first, n, stride int) abi.StridedDeviceAddressRangeKHR {
	return abi.StridedDeviceAddressRangeKHR{Address: address + uint64(4*first), Size: uint64(4 * n), Stride: uint64(4 * stride)}
}

// Copies, fills and updates of ranges reach the words that the addresses name.
func TestAddressCommands_Transfers(t *testing.T) {
	f := newTest(t)
	a, at := f.filled()
	b, to := f.filled()
	im, _ := f.image()
	clear(b)
	part := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	two := vk.Extent3D{Width: 2, Height: 1, Depth: 1}
	image := func(base uint64, first int) *abi.CopyDeviceMemoryImageInfoKHR {
		return &abi.CopyDeviceMemoryImageInfoKHR{Image: im, RegionCount: 1, PRegions: &abi.DeviceMemoryImageCopyKHR{AddressRange: span(base, first, 2), ImageSubresource: part, ImageExtent: two}}
	}
	var pool abi.QueryPool
	q := abi.CreateQueryPoolArgs{Device: f.device, PQueryPool: &pool, PCreateInfo: &abi.QueryPoolCreateInfo{QueryType: vk.QueryTypeOcclusion, QueryCount: 2}}
	call(f, abi.OpCreateQueryPool, &q)
	want(t, "vkCreateQueryPool", q.Ret, vk.Success)
	data := [2]uint32{5, 6}
	fill, update, results := span(at, 1, 2), span(at, 4, 2), steps(to, 12, 4, 2)
	cb := f.begin()
	record(f, cb, abi.OpCmdFillMemoryKHR, &abi.CmdFillMemoryKHR{PDstRange: &fill, Data: 3})
	record(f, cb, abi.OpCmdUpdateMemoryKHR, &abi.CmdUpdateMemoryKHR{PDstRange: &update, DataSize: 8, PData: unsafe.Pointer(&data)})
	record(f, cb, abi.OpCmdWriteMarkerToMemoryAMD, &abi.CmdWriteMarkerToMemoryAMD{PInfo: &abi.MemoryMarkerInfoAMD{DstRange: span(at, 7, 1), Marker: 9}})
	regions := []abi.DeviceMemoryCopyKHR{{SrcRange: span(at, 1, 2), DstRange: span(to, 2, 2)}, {SrcRange: span(at, 4, 2), DstRange: span(to, 5, 3)}}
	record(f, cb, abi.OpCmdCopyMemoryKHR, &abi.CmdCopyMemoryKHR{PCopyMemoryInfo: &abi.CopyDeviceMemoryInfoKHR{RegionCount: 2, PRegions: &regions[0]}})
	record(f, cb, abi.OpCmdCopyMemoryToImageKHR, &abi.CmdCopyMemoryToImageKHR{PCopyMemoryInfo: image(at, 4)})
	record(f, cb, abi.OpCmdCopyImageToMemoryKHR, &abi.CmdCopyImageToMemoryKHR{PCopyMemoryInfo: image(to, 9)})
	record(f, cb, abi.OpCmdResetQueryPool, &abi.CmdResetQueryPool{QueryPool: pool, QueryCount: 2})
	for n := range uint32(2) {
		record(f, cb, abi.OpCmdBeginQuery, &abi.CmdBeginQuery{QueryPool: pool, Query: n})
		record(f, cb, abi.OpCmdEndQuery, &abi.CmdEndQuery{QueryPool: pool, Query: n})
	}
	record(f, cb, abi.OpCmdCopyQueryPoolResultsToMemoryKHR, &abi.CmdCopyQueryPoolResultsToMemoryKHR{QueryPool: pool, QueryCount: 2, PDstRange: &results, QueryResultFlags: vk.QueryResultWithAvailabilityBit})
	f.run(cb)
	const old = 0x42000000
	if got := a[:9]; !slices.Equal(got, []uint32{old, 3, 3, old, 5, 6, old, 9, old}) {
		t.Errorf("the first buffer holds %#x", got)
	}
	// Of two bytes more than are copied, nothing changes; 0 samples, available, twice.
	if got := b[:17]; !slices.Equal(got, []uint32{0, 0, 3, 3, 0, 5, 6, 0, 0, 5, 6, 0, 0, 1, 0, 1, 0}) {
		t.Errorf("the second buffer holds %#x", got)
	}
}

// Draws take vertices, indices, parameters and their number from addresses.
func TestAddressCommands_Draws(t *testing.T) {
	f := newTest(t)
	w, at := f.filled()
	copy(w[16:], []uint32{3, 1, 0, 0})          // a draw
	copy(w[20:], []uint32{3, 1, 0, 0, 0})       // an indexed one
	w[26], w[27], w[32], w[33] = 1, 0, 1<<16, 2 // counts; the indices 0, 1, 2
	copy(w[40:], []uint32{0, 0, 0, 0, 1 << 30}) // the vertex (0, 0, 0, 0), and no more
	attribute := abi.VertexInputAttributeDescription{Format: vk.FormatR32G32B32A32Sfloat}
	binding := abi.VertexInputBindingDescription{Stride: 64}
	stride := vk.DynamicStateVertexInputBindingStride
	p, r := f.graphics(func(i *abi.GraphicsPipelineCreateInfo) {
		i.PVertexInputState = &abi.PipelineVertexInputStateCreateInfo{VertexBindingDescriptionCount: 1, PVertexBindingDescriptions: &binding, VertexAttributeDescriptionCount: 1, PVertexAttributeDescriptions: &attribute}
		i.PDynamicState = &abi.PipelineDynamicStateCreateInfo{DynamicStateCount: 1, PDynamicStates: &stride}
	}, f.stage(vk.ShaderStageVertexBit, unfedShader), f.stage(vk.ShaderStageFragmentBit, whiteShader))
	want(t, "vkCreateGraphicsPipelines", r, vk.Success)
	vertices := abi.BindVertexBuffer3InfoKHR{SetStride: 1, AddressRange: steps(at, 40, 4, 4)} // of the first vertex; what others read outside is 0
	draw := &abi.DrawIndirect2InfoKHR{AddressRange: steps(at, 16, 4, 4), DrawCount: 1}
	indexed := &abi.DrawIndirect2InfoKHR{AddressRange: steps(at, 20, 5, 5), DrawCount: 1}
	counted := func(i *abi.DrawIndirect2InfoKHR, count int) *abi.DrawIndirectCount2InfoKHR {
		return &abi.DrawIndirectCount2InfoKHR{AddressRange: i.AddressRange, CountAddressRange: span(at, count, 1), MaxDrawCount: 1}
	}
	for name, c := range map[string]struct {
		record func(cb abi.CommandBuffer)
		want   int
	}{
		"vkCmdDraw": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1})
		}, 64},
		"vkCmdDrawIndexed": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdDrawIndexed, &abi.CmdDrawIndexed{IndexCount: 3, InstanceCount: 1})
		}, 64},
		"vkCmdDrawIndirect2KHR": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdDrawIndirect2KHR, &abi.CmdDrawIndirect2KHR{PInfo: draw})
		}, 64},
		"vkCmdDrawIndexedIndirect2KHR": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdDrawIndexedIndirect2KHR, &abi.CmdDrawIndexedIndirect2KHR{PInfo: indexed})
		}, 64},
		"vkCmdDrawIndirectCount2KHR": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdDrawIndirectCount2KHR, &abi.CmdDrawIndirectCount2KHR{PInfo: counted(draw, 26)})
		}, 64},
		"vkCmdDrawIndirectCount2KHR of 0": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdDrawIndirectCount2KHR, &abi.CmdDrawIndirectCount2KHR{PInfo: counted(draw, 27)})
		}, 0},
		"vkCmdDrawIndexedIndirectCount2KHR": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdDrawIndexedIndirectCount2KHR, &abi.CmdDrawIndexedIndirectCount2KHR{PInfo: counted(indexed, 26)})
		}, 64},
		"vkCmdDrawIndexedIndirectCount2KHR, 0": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdDrawIndexedIndirectCount2KHR, &abi.CmdDrawIndexedIndirectCount2KHR{PInfo: counted(indexed, 27)})
		}, 0},
		"a condition that holds": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdBeginConditionalRendering2EXT, &abi.CmdBeginConditionalRendering2EXT{PConditionalRenderingBegin: &abi.ConditionalRenderingBeginInfo2EXT{AddressRange: span(at, 26, 1)}})
			record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1})
			record(f, cb, abi.OpCmdEndConditionalRenderingEXT, &abi.CmdEndConditionalRenderingEXT{})
		}, 64},
		"a condition that does not": {func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdBeginConditionalRendering2EXT, &abi.CmdBeginConditionalRendering2EXT{PConditionalRenderingBegin: &abi.ConditionalRenderingBeginInfo2EXT{AddressRange: span(at, 27, 1)}})
			record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1})
			record(f, cb, abi.OpCmdEndConditionalRenderingEXT, &abi.CmdEndConditionalRenderingEXT{})
		}, 0},
	} {
		if n := f.drawn(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: p})
			record(f, cb, abi.OpCmdBindVertexBuffers3KHR, &abi.CmdBindVertexBuffers3KHR{BindingCount: 1, PBindingInfos: &vertices})
			record(f, cb, abi.OpCmdBindIndexBuffer3KHR, &abi.CmdBindIndexBuffer3KHR{PInfo: &abi.BindIndexBuffer3InfoKHR{AddressRange: span(at, 32, 2), IndexType: vk.IndexTypeUint16}})
			c.record(cb)
		}); n != c.want {
			t.Errorf("%s: %d texels are drawn, want %d", name, n, c.want)
		}
	}
}

// The number of workgroups lies at an address.
func TestAddressCommands_Dispatch(t *testing.T) {
	f := newTest(t)
	w, at := f.filled()
	copy(w[48:], []uint32{1, 1, 1})
	b, data := f.storage(64)
	p, r := f.program(subgroupShader, 0, nil, nil, b)
	want(t, "vkCreateComputePipelines", r, vk.Success)
	cb := f.begin()
	record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{PipelineBindPoint: vk.PipelineBindPointCompute, Pipeline: p.pipeline})
	f.pin.Pin(&p.set)
	record(f, cb, abi.OpCmdBindDescriptorSets, &abi.CmdBindDescriptorSets{PipelineBindPoint: vk.PipelineBindPointCompute, Layout: p.layout, DescriptorSetCount: 1, PDescriptorSets: &p.set})
	record(f, cb, abi.OpCmdDispatchIndirect2KHR, &abi.CmdDispatchIndirect2KHR{PInfo: &abi.DispatchIndirect2InfoKHR{AddressRange: span(at, 48, 3)}})
	f.run(cb)
	if data[0] == 0 || data[63] == 0 {
		t.Errorf("the workgroup has written %x", data)
	}
}

// Outputs are captured to addresses, and counted there; a draw takes their number.
func TestAddressCommands_TransformFeedback(t *testing.T) {
	f := newTest(t)
	w, at := f.filled()
	p, r := f.graphics(nil, f.stage(vk.ShaderStageVertexBit, captureShader), f.stage(vk.ShaderStageFragmentBit, whiteShader))
	want(t, "vkCreateGraphicsPipelines", r, vk.Success)
	buffer, counter := abi.BindTransformFeedbackBuffer2InfoEXT{AddressRange: span(at, 8, 6)}, abi.BindTransformFeedbackBuffer2InfoEXT{AddressRange: span(at, 20, 1)}
	none := abi.BindTransformFeedbackBuffer2InfoEXT{}
	n := f.drawn(func(cb abi.CommandBuffer) {
		record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: p})
		record(f, cb, abi.OpCmdBindTransformFeedbackBuffers2EXT, &abi.CmdBindTransformFeedbackBuffers2EXT{BindingCount: 1, PBindingInfos: &buffer})
		record(f, cb, abi.OpCmdBeginTransformFeedback2EXT, &abi.CmdBeginTransformFeedback2EXT{CounterRangeCount: 1, PCounterInfos: &none})
		record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1, FirstVertex: 100})
		record(f, cb, abi.OpCmdEndTransformFeedback2EXT, &abi.CmdEndTransformFeedback2EXT{CounterRangeCount: 1, PCounterInfos: &counter})
		record(f, cb, abi.OpCmdBeginTransformFeedback2EXT, &abi.CmdBeginTransformFeedback2EXT{CounterRangeCount: 1, PCounterInfos: &counter})
		record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1, FirstVertex: 200})
		record(f, cb, abi.OpCmdEndTransformFeedback2EXT, &abi.CmdEndTransformFeedback2EXT{})
		record(f, cb, abi.OpCmdDrawIndirectByteCount2EXT, &abi.CmdDrawIndirectByteCount2EXT{InstanceCount: 1, PCounterInfo: &counter, VertexStride: 4})
	})
	const old = 0x42000000
	if got := w[7:15]; n != 64 || !slices.Equal(got, []uint32{old, 107, 108, 109, 207, 208, 209, old}) || w[20] != 12 {
		t.Errorf("captured %v, %d bytes; %d texels are drawn", got, w[20], n)
	}
}

// Addresses that are no buffer's are told, and their command is left out; of those that leave it, what lies in it counts.
func TestAddressCommands_OutsideOfBuffers(t *testing.T) {
	f := newTest(t)
	w, at := f.filled()
	told := f.heard()
	cb := f.begin()
	ranges := []abi.DeviceAddressRangeKHR{{Address: at - 4, Size: 4}, {Address: 4096, Size: 4}, span(at, 64, 1), {Address: 1<<64 - 4, Size: 4}, span(at, 62, 3), {Address: at + 4*61, Size: 1<<64 - 4}}
	for n := range ranges {
		record(f, cb, abi.OpCmdFillMemoryKHR, &abi.CmdFillMemoryKHR{PDstRange: &ranges[n], Data: 1})
	}
	last := span(at, 63, 1)
	record(f, cb, abi.OpCmdFillMemoryKHR, &abi.CmdFillMemoryKHR{PDstRange: &last, Data: 2})
	f.run(cb)
	if w[0] != 0x42000000 || w[60] != 0x42000000 || w[61] != 1 || w[62] != 1 || w[63] != 2 {
		t.Errorf("the buffer holds %#x", w)
	}
	if !slices.Equal(*told, slices.Repeat([]string{"VUID-VkDeviceAddressRangeKHR-address-11365"}, len(ranges))) {
		t.Errorf("told of %q", *told)
	}
}

// Memory says what is copied. A copy that cannot be is left out, and the others stay.
func TestAddressCommands_IndirectCopies(t *testing.T) {
	f := newTest(t)
	a, at := f.filled()
	b, to := f.filled()
	for i := range a[:8] {
		a[i] = uint32(i + 1)
	}
	put := func(first int, words ...uint32) { copy(b[first:], words) }
	address := func(base uint64, word int) (uint32, uint32) {
		n := base + uint64(4*word)
		return uint32(n), uint32(n >> 32)
	}
	command := func(first int, src, dst uint64, n uint32) {
		put(first, uint32(src), uint32(src>>32), uint32(dst), uint32(dst>>32), n, 0)
	}
	command(0, at, at+4*16, 8)       // words 0 and 1 to 16 and 17
	command(7, at, 4096, 8)          // to nowhere
	command(14, at+4*63, at+4*20, 8) // of which one word lies outside
	command(21, at+4*3, at+4*19, 4)  // word 3 to 19
	told := f.heard()
	im, _ := f.image()
	layer := abi.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	// Texels 2 and 3 of row 1 become words 4 and 5; another subresource than was recorded.
	lo, hi := address(at, 4)
	put(32, lo, hi, 0, 0, 1, 0, 0, 1, 2, 1, 0, 2, 1, 1)
	put(46, lo, hi, 0, 0, 1, 1, 0, 1, 0, 0, 0, 2, 1, 1)
	layers := []abi.ImageSubresourceLayers{layer, layer}
	cb := f.begin()
	record(f, cb, abi.OpCmdCopyMemoryIndirectKHR, &abi.CmdCopyMemoryIndirectKHR{PCopyMemoryIndirectInfo: &abi.CopyMemoryIndirectInfoKHR{CopyCount: 4, CopyAddressRange: steps(to, 0, 28, 7)}})
	record(f, cb, abi.OpCmdCopyMemoryToImageIndirectKHR, &abi.CmdCopyMemoryToImageIndirectKHR{PCopyMemoryToImageIndirectInfo: &abi.CopyMemoryToImageIndirectInfoKHR{
		CopyCount: 2, CopyAddressRange: steps(to, 32, 28, 14), DstImage: im, PImageSubresources: &layers[0]}})
	record(f, cb, abi.OpCmdCopyImageToMemoryKHR, &abi.CmdCopyImageToMemoryKHR{PCopyMemoryInfo: &abi.CopyDeviceMemoryImageInfoKHR{Image: im, RegionCount: 1,
		PRegions: &abi.DeviceMemoryImageCopyKHR{AddressRange: span(at, 32, 3), ImageSubresource: layer, ImageOffset: vk.Offset3D{X: 2, Y: 1}, ImageExtent: vk.Extent3D{Width: 3, Height: 1, Depth: 1}}}})
	f.run(cb)
	const old = 0x42000000
	if got := a[15:23]; !slices.Equal(got, []uint32{old, 1, 2, old, 4, old, old, old}) {
		t.Errorf("copied %#x", got)
	}
	if got := a[32:35]; !slices.Equal(got, []uint32{5, 6, 0}) {
		t.Errorf("the image holds %#x", got)
	}
	if want := []string{"VUID-VkCopyMemoryIndirectCommandKHR-dstAddress-12212", "VUID-VkCopyMemoryIndirectCommandKHR-srcAddress-12211",
		"VUID-VkCopyMemoryToImageIndirectCommandKHR-imageSubresource-12284"}; !slices.Equal(*told, want) {
		t.Errorf("told of %q", *told)
	}
}

// Where the commands of an indirect copy lie is checked when it is recorded.
func TestAddressCommands_IndirectCopies_Refused(t *testing.T) {
	f := newTest(t)
	w, at := f.filled()
	clear(w)
	told := f.heard()
	cb := f.begin()
	for _, a := range []abi.StridedDeviceAddressRangeKHR{steps(at, 0, 12, 5), {Address: at + 2, Size: 48, Stride: 24}, {Address: at, Size: 54, Stride: 26}, steps(at, 40, 24, 24)} {
		record(f, cb, abi.OpCmdCopyMemoryIndirectKHR, &abi.CmdCopyMemoryIndirectKHR{PCopyMemoryIndirectInfo: &abi.CopyMemoryIndirectInfoKHR{CopyCount: 2, CopyAddressRange: a}})
	}
	record(f, cb, abi.OpCmdCopyMemoryIndirectKHR, &abi.CmdCopyMemoryIndirectKHR{PCopyMemoryIndirectInfo: &abi.CopyMemoryIndirectInfoKHR{CopyCount: 2, CopyAddressRange: steps(at, 0, 12, 6)}}) // of no bytes
	f.run(cb)
	if want := slices.Repeat([]string{"VUID-VkCopyMemoryIndirectInfoKHR-copyAddressRange-12210"}, 4); !slices.Equal(*told, want) {
		t.Errorf("told of %q", *told)
	}
}
