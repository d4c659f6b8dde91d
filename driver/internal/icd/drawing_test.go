package icd

import (
	_ "embed"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/unfed.vert.spv testdata/unfed.vert
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/mask.vert.spv testdata/mask.vert
//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/white.frag.spv testdata/white.frag

var (
	//go:embed testdata/unfed.vert.spv
	unfedShader []byte
	//go:embed testdata/mask.vert.spv
	maskShader []byte
	//go:embed testdata/white.frag.spv
	whiteShader []byte
)

// stage is a stage of a pipeline whose code has one entry point, main.
func (f *fixture) stage(of vk.ShaderStageFlags, code []byte) abi.PipelineShaderStageCreateInfo {
	f.t.Helper()
	var m abi.ShaderModule
	s := abi.CreateShaderModuleArgs{Device: f.device, PShaderModule: &m,
		PCreateInfo: &abi.ShaderModuleCreateInfo{CodeSize: uint64(len(code)), PCode: (*uint32)(unsafe.Pointer(&code[0]))}}
	call(f, abi.OpCreateShaderModule, &s)
	want(f.t, "vkCreateShaderModule", s.Ret, vk.Success)
	return abi.PipelineShaderStageCreateInfo{Stage: of, Module: m, PName: &append([]byte("main"), 0)[0]}
}

// graphics makes a pipeline that draws triangles to images as (*fixture).image makes
// them; change may be nil.
func (f *fixture) graphics(change func(*abi.GraphicsPipelineCreateInfo), stages ...abi.PipelineShaderStageCreateInfo) (h abi.Pipeline, r vk.Result) {
	f.t.Helper()
	var layout abi.PipelineLayout
	l := abi.CreatePipelineLayoutArgs{Device: f.device, PCreateInfo: &abi.PipelineLayoutCreateInfo{}, PPipelineLayout: &layout}
	call(f, abi.OpCreatePipelineLayout, &l)
	want(f.t, "vkCreatePipelineLayout", l.Ret, vk.Success)
	format := vk.FormatR8G8B8A8Unorm
	rendering := abi.PipelineRenderingCreateInfo{ColorAttachmentCount: 1, PColorAttachmentFormats: &format}
	rendering.SType = rendering.StructureType()
	viewport := vk.Viewport{Width: 8, Height: 8, MaxDepth: 1}
	scissor := abi.Rect2D{Extent: vk.Extent2D{Width: 8, Height: 8}}
	blend := abi.PipelineColorBlendAttachmentState{ColorWriteMask: 15}
	info := abi.GraphicsPipelineCreateInfo{
		PNext: unsafe.Pointer(&rendering), StageCount: uint32(len(stages)), PStages: &stages[0], Layout: layout,
		PVertexInputState:   &abi.PipelineVertexInputStateCreateInfo{},
		PInputAssemblyState: &abi.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
		PViewportState:      &abi.PipelineViewportStateCreateInfo{ViewportCount: 1, PViewports: &viewport, ScissorCount: 1, PScissors: &scissor},
		PRasterizationState: &abi.PipelineRasterizationStateCreateInfo{LineWidth: 1},
		PMultisampleState:   &abi.PipelineMultisampleStateCreateInfo{RasterizationSamples: vk.SampleCount1Bit},
		PColorBlendState:    &abi.PipelineColorBlendStateCreateInfo{AttachmentCount: 1, PAttachments: &blend},
	}
	if change != nil {
		change(&info)
	}
	a := abi.CreateGraphicsPipelinesArgs{Device: f.device, CreateInfoCount: 1, PPipelines: &h, PCreateInfos: &info}
	call(f, abi.OpCreateGraphicsPipelines, &a)
	return h, a.Ret
}

// drawn runs commands in a pass and counts the texels that they have drawn.
func (f *fixture) drawn(commands func(cb abi.CommandBuffer)) (n int) {
	f.t.Helper()
	im, v := f.image()
	b, words := f.buffer(64)
	cb := f.begin()
	a := abi.RenderingAttachmentInfo{ImageView: v, LoadOp: vk.AttachmentLoadOpClear}
	record(f, cb, abi.OpCmdBeginRendering, &abi.CmdBeginRendering{PRenderingInfo: &abi.RenderingInfo{
		RenderArea: vk.Rect2D{Extent: vk.Extent2D{Width: 8, Height: 8}}, LayerCount: 1, ColorAttachmentCount: 1, PColorAttachments: &a,
	}})
	commands(cb)
	record(f, cb, abi.OpCmdEndRendering, &abi.CmdEndRendering{})
	g := vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}, ImageExtent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}}
	record(f, cb, abi.OpCmdCopyImageToBuffer, &abi.CmdCopyImageToBuffer{SrcImage: im, DstBuffer: b, RegionCount: 1, PRegions: &g})
	f.run(cb)
	for _, w := range words {
		if w != 0 {
			n++
		}
	}
	return n
}

// with opens the device anew, with features that structures of the chain turn on.
func (f *fixture) with(chain unsafe.Pointer) {
	f.t.Helper()
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	priority := float32(1)
	queue := abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority}
	create := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PDevice: &f.device,
		PCreateInfo: &abi.DeviceCreateInfo{PNext: chain, QueueCreateInfoCount: 1, PQueueCreateInfos: &queue}}
	call(f, abi.OpCreateDevice, &create)
	want(f.t, "vkCreateDevice", create.Ret, vk.Success)
}

// With maintenance 9 or vertexAttributeRobustness, inputs that no attribute feeds are 0, 0, 0, 0: a
// fourth component of 1 would halve the triangle.
func TestUnfedInputsAreZero(t *testing.T) {
	maintenance := abi.PhysicalDeviceMaintenance9FeaturesKHR{Maintenance9: 1}
	maintenance.SType = maintenance.StructureType()
	robust := abi.PhysicalDeviceVertexAttributeRobustnessFeaturesEXT{VertexAttributeRobustness: 1}
	robust.SType = robust.StructureType()
	for name, on := range map[string]unsafe.Pointer{"neither": nil, "maintenance9": unsafe.Pointer(&maintenance), "vertexAttributeRobustness": unsafe.Pointer(&robust)} {
		f := newTest(t)
		if on != nil {
			f.with(on)
		}
		p, r := f.graphics(nil, f.stage(vk.ShaderStageVertexBit, unfedShader), f.stage(vk.ShaderStageFragmentBit, whiteShader))
		if on == nil {
			if r == vk.Success {
				t.Error("a pipeline without the attribute is made where neither feature is on")
			}
			continue
		}
		want(t, name+": vkCreateGraphicsPipelines", r, vk.Success)
		if n := f.drawn(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: p})
			record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1})
		}); n != 64 {
			t.Errorf("%s: %d texels are drawn, want 64", name, n)
		}
	}
}

// A restart index of one's own, by vkCmdSetPrimitiveRestartIndexEXT.
func TestPrimitiveRestartIndex_RAS054(t *testing.T) {
	rules.Covers(t, "RAS-054")
	f := newTest(t)
	on := abi.PhysicalDeviceMaintenance9FeaturesKHR{Maintenance9: 1}
	on.SType = on.StructureType()
	restart := abi.PhysicalDevicePrimitiveRestartIndexFeaturesEXT{PrimitiveRestartIndex: 1, PNext: unsafe.Pointer(&on)}
	restart.SType = restart.StructureType()
	f.with(unsafe.Pointer(&restart))
	p, r := f.graphics(func(i *abi.GraphicsPipelineCreateInfo) {
		i.PInputAssemblyState = &abi.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleStrip, PrimitiveRestartEnable: 1}
	}, f.stage(vk.ShaderStageVertexBit, unfedShader), f.stage(vk.ShaderStageFragmentBit, whiteShader))
	want(t, "vkCreateGraphicsPipelines", r, vk.Success)
	b := f.bound(16, vk.BufferUsageIndexBufferBit|vk.BufferUsageTransferDstBit)
	data := []uint32{0, 1, 2}
	cb := f.begin()
	record(f, cb, abi.OpCmdUpdateBuffer, &abi.CmdUpdateBuffer{DstBuffer: b, DataSize: 12, PData: unsafe.Pointer(&data[0])})
	f.run(cb)
	var got []int
	for _, index := range []uint32{1, 7} {
		got = append(got, f.drawn(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: p})
			record(f, cb, abi.OpCmdBindIndexBuffer, &abi.CmdBindIndexBuffer{Buffer: b, IndexType: vk.IndexTypeUint32})
			record(f, cb, abi.OpCmdSetPrimitiveRestartIndexEXT, &abi.CmdSetPrimitiveRestartIndexEXT{PrimitiveRestartIndex: index})
			record(f, cb, abi.OpCmdDrawIndexed, &abi.CmdDrawIndexed{IndexCount: 3, InstanceCount: 1})
		}))
	}
	if !slices.Equal(got, []int{0, 64}) {
		t.Errorf("restarted at 1 and at 7: %d texels, want 0 and 64", got)
	}
}

// What else maintenance 9 promises: devices without queues, pools whose queries start
// reset, events that tell no dependency, and families that share images as they are.
func TestMaintenance9_QueuesQueriesEvents(t *testing.T) {
	f := newTest(t)
	on := abi.PhysicalDeviceMaintenance9FeaturesKHR{Maintenance9: 1}
	on.SType = on.StructureType()
	f.with(unsafe.Pointer(&on))

	var h abi.QueryPool
	pool := abi.CreateQueryPoolArgs{Device: f.device, PQueryPool: &h,
		PCreateInfo: &abi.QueryPoolCreateInfo{Flags: vk.QueryPoolCreateResetBitKHR, QueryType: vk.QueryTypeOcclusion, QueryCount: 1}}
	call(f, abi.OpCreateQueryPool, &pool)
	want(t, "vkCreateQueryPool", pool.Ret, vk.Success)
	out := [2]uint64{9, 9}
	get := abi.GetQueryPoolResultsArgs{Device: f.device, QueryPool: h, QueryCount: 1, DataSize: 16, PData: unsafe.Pointer(&out), Stride: 16,
		Flags: vk.QueryResult64Bit | vk.QueryResultWithAvailabilityBit}
	call(f, abi.OpGetQueryPoolResults, &get)
	if get.Ret != vk.NotReady || out != [2]uint64{9, 0} {
		t.Errorf("a query that nothing has reset: %v, %v", get.Ret, out)
	}
	told := f.heard()
	cb := f.begin()
	record(f, cb, abi.OpCmdBeginQuery, &abi.CmdBeginQuery{QueryPool: h})
	record(f, cb, abi.OpCmdEndQuery, &abi.CmdEndQuery{QueryPool: h})
	e := f.event()
	asymmetric := func(dst vk.PipelineStageFlags2) *abi.DependencyInfo {
		return &abi.DependencyInfo{DependencyFlags: vk.DependencyAsymmetricEventBitKHR, MemoryBarrierCount: 1,
			PMemoryBarriers: &abi.MemoryBarrier2{SrcStageMask: vk.PipelineStage2AllCommandsBit, DstStageMask: dst}}
	}
	record(f, cb, abi.OpCmdSetEvent2, &abi.CmdSetEvent2{Event: e, PDependencyInfo: asymmetric(0)})
	record(f, cb, abi.OpCmdWaitEvents2, &abi.CmdWaitEvents2{EventCount: 1, PEvents: &e, PDependencyInfos: asymmetric(vk.PipelineStage2AllCommandsBit)})
	f.run(cb)
	call(f, abi.OpGetQueryPoolResults, &get)
	if get.Ret != vk.Success || out != [2]uint64{0, 1} || len(*told) != 0 {
		t.Errorf("a query that was never reset: %v, %v, told %v", get.Ret, out, *told)
	}

	transfer := make([]abi.QueueFamilyOwnershipTransferPropertiesKHR, len(queueFamilies))
	list := make([]abi.QueueFamilyProperties2, len(queueFamilies))
	for i := range list {
		transfer[i].SType = transfer[i].StructureType()
		list[i].PNext = unsafe.Pointer(&transfer[i])
	}
	n := uint32(len(list))
	call(f, abi.OpGetPhysicalDeviceQueueFamilyProperties2, &abi.GetPhysicalDeviceQueueFamilyProperties2Args{PhysicalDevice: f.physical, PQueueFamilyPropertyCount: &n, PQueueFamilyProperties: &list[0]})
	for i := range transfer {
		if transfer[i].OptimalImageTransferToQueueFamilies != 0b1111 {
			t.Errorf("family %d needs transfers to others than %#b", i, transfer[i].OptimalImageTransferToQueueFamilies)
		}
	}

	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	create := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PDevice: &f.device, PCreateInfo: &abi.DeviceCreateInfo{PNext: unsafe.Pointer(&on)}}
	call(f, abi.OpCreateDevice, &create)
	want(t, "a device without queues", create.Ret, vk.Success)
	_, r := f.graphics(nil, f.stage(vk.ShaderStageVertexBit, unfedShader), f.stage(vk.ShaderStageFragmentBit, whiteShader))
	want(t, "a pipeline of a device without queues", r, vk.Success)
}

// A mask of viewports draws in each of them, and views may have attributes of their own.
func TestViewportArray2_RAS070(t *testing.T) {
	rules.Covers(t, "RAS-070")
	f := newTest(t)
	viewports := []vk.Viewport{{Width: 2, Height: 8, MaxDepth: 1}, {X: 4, Width: 4, Height: 8, MaxDepth: 1}}
	scissors := slices.Repeat([]abi.Rect2D{{Extent: vk.Extent2D{Width: 8, Height: 8}}}, 2)
	p, r := f.graphics(func(i *abi.GraphicsPipelineCreateInfo) {
		i.PViewportState = &abi.PipelineViewportStateCreateInfo{ViewportCount: 2, PViewports: &viewports[0], ScissorCount: 2, PScissors: &scissors[0]}
	}, f.stage(vk.ShaderStageVertexBit, maskShader), f.stage(vk.ShaderStageFragmentBit, whiteShader))
	want(t, "vkCreateGraphicsPipelines", r, vk.Success)
	for mask, want := range []int{0, 16, 32, 48} {
		if n := f.drawn(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdBindPipeline, &abi.CmdBindPipeline{Pipeline: p})
			record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1, FirstInstance: uint32(mask)})
		}); n != want {
			t.Errorf("mask %#b: %d texels are drawn, want %d", mask, n, want)
		}
	}
	if !property[abi.PhysicalDeviceMultiviewPerViewAttributesPropertiesNVX]().PerViewPositionAllComponents.True() {
		t.Error("views may have a position of their own, not all of its components")
	}
}

// Promises that tests of what they promise stand behind elsewhere: images that differ in
// a quad, attributes at any offset.
func TestProperties_QuadsAndAttributes(t *testing.T) {
	newTest(t)
	if !property[abi.PhysicalDeviceVulkan12Properties]().QuadDivergentImplicitLod.True() || !property[abi.PhysicalDeviceDescriptorIndexingProperties]().QuadDivergentImplicitLod.True() {
		t.Error("quadDivergentImplicitLod is off")
	}
	if !property[abi.PhysicalDeviceLegacyVertexAttributesPropertiesEXT]().NativeUnalignedPerformance.True() || !supported("legacyVertexAttributes") {
		t.Error("legacyVertexAttributes is off, or nativeUnalignedPerformance")
	}
}
