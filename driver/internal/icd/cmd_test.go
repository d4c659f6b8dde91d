package icd

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// buffer makes a buffer of words that the host sees.
func (f *fixture) buffer(words int) (abi.Buffer, []uint32) {
	f.t.Helper()
	var h abi.Buffer
	create := abi.CreateBufferArgs{Device: f.device, PBuffer: &h, PCreateInfo: &abi.BufferCreateInfo{
		Size:  uint64(4 * words),
		Usage: vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit | vk.BufferUsageIndirectBufferBit | vk.BufferUsageConditionalRenderingBitEXT,
	}}
	call(f, abi.OpCreateBuffer, &create)
	want(f.t, "vkCreateBuffer", create.Ret, vk.Success)
	m, data := f.memory(1 << 16)
	bind := abi.BindBufferMemoryArgs{Device: f.device, Buffer: h, Memory: m}
	call(f, abi.OpBindBufferMemory, &bind)
	want(f.t, "vkBindBufferMemory", bind.Ret, vk.Success)
	return h, unsafe.Slice((*uint32)(data), words)
}

func (f *fixture) memory(bytes uint64) (abi.DeviceMemory, unsafe.Pointer) {
	f.t.Helper()
	var m abi.DeviceMemory
	allocate := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: bytes}, PMemory: &m}
	call(f, abi.OpAllocateMemory, &allocate)
	want(f.t, "vkAllocateMemory", allocate.Ret, vk.Success)
	var p unsafe.Pointer
	mapped := abi.MapMemoryArgs{Device: f.device, Memory: m, Size: vk.WholeSize, PpData: &p}
	call(f, abi.OpMapMemory, &mapped)
	want(f.t, "vkMapMemory", mapped.Ret, vk.Success)
	return m, p
}

// image makes an 8×8 colour image and a view.
func (f *fixture) image() (abi.Image, abi.ImageView) {
	f.t.Helper()
	return f.imageOf(vk.ImageUsageTransferSrcBit | vk.ImageUsageTransferDstBit | vk.ImageUsageColorAttachmentBit)
}

// imageOf is image for other uses.
func (f *fixture) imageOf(usage vk.ImageUsageFlags) (abi.Image, abi.ImageView) {
	f.t.Helper()
	return f.imageSized(vk.FormatR8G8B8A8Unorm, vk.Extent3D{Width: 8, Height: 8, Depth: 1}, vk.ImageAspectColorBit, usage)
}

// imageSized is one of any format and size, with a view of an aspect.
func (f *fixture) imageSized(format vk.Format, size vk.Extent3D, aspect vk.ImageAspectFlags, usage vk.ImageUsageFlags) (abi.Image, abi.ImageView) {
	f.t.Helper()
	var h abi.Image
	create := abi.CreateImageArgs{Device: f.device, PImage: &h, PCreateInfo: &abi.ImageCreateInfo{
		ImageType: vk.ImageType2D, Format: format, Extent: size,
		MipLevels: 1, ArrayLayers: 1, Samples: vk.SampleCount1Bit,
		Usage: usage,
	}}
	call(f, abi.OpCreateImage, &create)
	want(f.t, "vkCreateImage", create.Ret, vk.Success)
	m, _ := f.memory(1 << 16)
	bind := abi.BindImageMemoryArgs{Device: f.device, Image: h, Memory: m}
	call(f, abi.OpBindImageMemory, &bind)
	want(f.t, "vkBindImageMemory", bind.Ret, vk.Success)
	var v abi.ImageView
	view := abi.CreateImageViewArgs{Device: f.device, PView: &v, PCreateInfo: &abi.ImageViewCreateInfo{
		Image: h, ViewType: vk.ImageViewType2D, Format: format,
		SubresourceRange: vk.ImageSubresourceRange{AspectMask: aspect, LevelCount: 1, LayerCount: 1},
	}}
	call(f, abi.OpCreateImageView, &view)
	want(f.t, "vkCreateImageView", view.Ret, vk.Success)
	return h, v
}

// run ends and submits a command buffer and waits.
func (f *fixture) run(cb abi.CommandBuffer) {
	f.t.Helper()
	want(f.t, "vkEndCommandBuffer", f.end(cb), vk.Success)
	f.submit(cb)
}

func (f *fixture) submit(cb abi.CommandBuffer) {
	f.t.Helper()
	var q abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &q})
	s := abi.QueueSubmitArgs{Queue: q, SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 1, PCommandBuffers: &cb}}
	call(f, abi.OpQueueSubmit, &s)
	want(f.t, "vkQueueSubmit", s.Ret, vk.Success)
	idle := abi.QueueWaitIdleArgs{Queue: q}
	call(f, abi.OpQueueWaitIdle, &idle)
	want(f.t, "vkQueueWaitIdle", idle.Ret, vk.Success)
}

// heard collects what a messenger is told.
func (f *fixture) heard() *[]string {
	var told []string
	f.driver.cfg.Message = func(function uintptr, _ vk.DebugUtilsMessageSeverityFlagsEXT, _ vk.DebugUtilsMessageTypeFlagsEXT, data, _ unsafe.Pointer) {
		if function == 7 {
			told = append(told, abi.String((*abi.DebugUtilsMessengerCallbackDataEXT)(data).PMessageIdName))
		}
	}
	var m abi.DebugUtilsMessengerEXT
	create := abi.CreateDebugUtilsMessengerEXTArgs{Instance: f.instance, PMessenger: &m, PCreateInfo: &abi.DebugUtilsMessengerCreateInfoEXT{
		MessageSeverity: vk.DebugUtilsMessageSeverityErrorBitEXT, MessageType: vk.DebugUtilsMessageTypeValidationBitEXT, PfnUserCallback: 7,
	}}
	call(f, abi.OpCreateDebugUtilsMessengerEXT, &create)
	want(f.t, "vkCreateDebugUtilsMessengerEXT", create.Ret, vk.Success)
	return &told
}

func TestCommands_BrokenOnes_AreLeftOutAndTold(t *testing.T) {
	f := newTest(t)
	b, words := f.buffer(4)
	told := f.heard()
	cb := f.begin()
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: 12345, Size: 16, Data: 1})
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, DstOffset: 2, Size: 4, Data: 2})
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, Size: vk.WholeSize, Data: 3})
	record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3, InstanceCount: 1})
	record(f, cb, abi.OpCmdExecuteCommands, &abi.CmdExecuteCommands{CommandBufferCount: 1, PCommandBuffers: &cb})
	record(f, cb, abi.OpCmdSetViewport, &abi.CmdSetViewport{FirstViewport: 1 << 31, ViewportCount: 1 << 31})
	f.run(cb)
	if !slices.Equal(words, []uint32{3, 3, 3, 3}) {
		t.Errorf("the buffer holds %v", words)
	}
	wanted := []string{"VUID-vkCmdFillBuffer-dstBuffer-00029", "VUID-vkCmdFillBuffer-dstOffset-00025", "renderpass", "VUID-vkCmdExecuteCommands-pCommandBuffers-00089", "VUID-vkCmdSetViewport-firstViewport-01223"}
	if !slices.Equal(*told, wanted) {
		t.Errorf("told of %q", *told)
	}
}

func TestCommands_OpenPass_IsNotExecutable(t *testing.T) {
	f := newTest(t)
	_, v := f.image()
	cb := f.begin()
	a := abi.RenderingAttachmentInfo{ImageView: v}
	record(f, cb, abi.OpCmdBeginRendering, &abi.CmdBeginRendering{PRenderingInfo: &abi.RenderingInfo{
		RenderArea: vk.Rect2D{Extent: vk.Extent2D{Width: 8, Height: 8}}, LayerCount: 1, ColorAttachmentCount: 1, PColorAttachments: &a,
	}})
	want(t, "vkEndCommandBuffer inside a pass", f.end(cb), vk.ErrorValidationFailed)
	f.submit(cb) // leaves it out
}

func TestCommands_ClearThroughPass_CopyToBuffer(t *testing.T) {
	f := newTest(t)
	im, v := f.image()
	b, words := f.buffer(64)
	cb := f.begin()
	a := abi.RenderingAttachmentInfo{ImageView: v, LoadOp: vk.AttachmentLoadOpClear}
	*a.ClearValue.Color().Float32() = [4]float32{1, 0, 0, 1}
	record(f, cb, abi.OpCmdBeginRendering, &abi.CmdBeginRendering{PRenderingInfo: &abi.RenderingInfo{
		RenderArea: vk.Rect2D{Extent: vk.Extent2D{Width: 8, Height: 8}}, LayerCount: 1, ColorAttachmentCount: 1, PColorAttachments: &a,
	}})
	clear := abi.ClearAttachment{AspectMask: vk.ImageAspectColorBit}
	*clear.ClearValue.Color().Float32() = [4]float32{0, 1, 0, 1}
	record(f, cb, abi.OpCmdClearAttachments, &abi.CmdClearAttachments{AttachmentCount: 1, PAttachments: &clear, RectCount: 1,
		PRects: &vk.ClearRect{Rect: vk.Rect2D{Extent: vk.Extent2D{Width: 8, Height: 1}}, LayerCount: 1}})
	record(f, cb, abi.OpCmdEndRendering, &abi.CmdEndRendering{})
	g := vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: vk.RemainingArrayLayers}, ImageExtent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}}
	record(f, cb, abi.OpCmdCopyImageToBuffer, &abi.CmdCopyImageToBuffer{SrcImage: im, DstBuffer: b, RegionCount: 1, PRegions: &g})
	f.run(cb)
	if words[0] != 0xff00ff00 || words[7] != 0xff00ff00 || words[8] != 0xff0000ff || words[63] != 0xff0000ff {
		t.Errorf("texels %x", words)
	}
}

func TestCommands_Secondary_RunsEachTime(t *testing.T) {
	f := newTest(t)
	b, words := f.buffer(4)
	inner := f.allocate(vk.CommandBufferLevelSecondary)
	begin := abi.BeginCommandBufferArgs{CommandBuffer: inner, PBeginInfo: &abi.CommandBufferBeginInfo{PInheritanceInfo: &abi.CommandBufferInheritanceInfo{}}}
	call(f, abi.OpBeginCommandBuffer, &begin)
	want(t, "vkBeginCommandBuffer", begin.Ret, vk.Success)
	record(f, inner, abi.OpCmdCopyBuffer, &abi.CmdCopyBuffer{SrcBuffer: b, DstBuffer: b, RegionCount: 1, PRegions: &vk.BufferCopy{SrcOffset: 0, DstOffset: 8, Size: 4}})
	want(t, "vkEndCommandBuffer", f.end(inner), vk.Success)
	cb := f.begin()
	twice := [2]abi.CommandBuffer{inner, inner}
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, Size: 4, Data: 9})
	record(f, cb, abi.OpCmdExecuteCommands, &abi.CmdExecuteCommands{CommandBufferCount: 2, PCommandBuffers: &twice[0]})
	f.run(cb)
	if !slices.Equal(words, []uint32{9, 0, 9, 0}) {
		t.Errorf("the buffer holds %v", words)
	}
	words[2] = 0
	f.submit(cb)
	if words[2] != 9 {
		t.Error("not executed when submitted again")
	}
	call(f, abi.OpResetCommandBuffer, &abi.ResetCommandBufferArgs{CommandBuffer: cb})
	words[2] = 0
	f.submit(cb)
	if words[2] != 0 {
		t.Error("a reset command buffer ran")
	}
}

// allocate makes a command buffer of a pool of its own.
func (f *fixture) allocate(level vk.CommandBufferLevel) abi.CommandBuffer {
	f.t.Helper()
	var pool abi.CommandPool
	create := abi.CreateCommandPoolArgs{Device: f.device, PCreateInfo: &abi.CommandPoolCreateInfo{}, PCommandPool: &pool}
	call(f, abi.OpCreateCommandPool, &create)
	want(f.t, "vkCreateCommandPool", create.Ret, vk.Success)
	var cb abi.CommandBuffer
	allocate := abi.AllocateCommandBuffersArgs{Device: f.device, PCommandBuffers: &cb,
		PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, Level: level, CommandBufferCount: 1}}
	call(f, abi.OpAllocateCommandBuffers, &allocate)
	want(f.t, "vkAllocateCommandBuffers", allocate.Ret, vk.Success)
	return cb
}

func TestCommands_Events(t *testing.T) {
	f := newTest(t)
	var e abi.Event
	create := abi.CreateEventArgs{Device: f.device, PCreateInfo: &abi.EventCreateInfo{}, PEvent: &e}
	call(f, abi.OpCreateEvent, &create)
	want(t, "vkCreateEvent", create.Ret, vk.Success)
	cb := f.begin()
	record(f, cb, abi.OpCmdSetEvent, &abi.CmdSetEvent{Event: e})
	record(f, cb, abi.OpCmdWaitEvents, &abi.CmdWaitEvents{EventCount: 1, PEvents: &e})
	f.run(cb)
	status := abi.GetEventStatusArgs{Device: f.device, Event: e}
	call(f, abi.OpGetEventStatus, &status)
	want(t, "an event that a command has set", status.Ret, vk.EventSet)
	cb = f.begin()
	record(f, cb, abi.OpCmdResetEvent2, &abi.CmdResetEvent2{Event: e})
	f.run(cb)
	call(f, abi.OpGetEventStatus, &status)
	want(t, "an event that a command has reset", status.Ret, vk.EventReset)
}

// TestCommands_All_SurviveGarbage: records full of wild handles and numbers, with
// null pointers, neither panic nor end recording.
func TestCommands_All_SurviveGarbage(t *testing.T) {
	f := newTest(t)
	var log strings.Builder
	f.driver.cfg.Log = &log
	for op := abi.Op(1); op < abi.OpCount; op++ {
		if op.Level() != abi.LevelRecorder || !has(op) {
			continue
		}
		for _, fill := range []byte{0, 0x5a} {
			cb := f.begin()
			words := [64]uint64{}
			if fill != 0 && !pointers(op) {
				for i := range words {
					words[i] = 0x5a5a5a5a5a5a5a5a
				}
			}
			record(f, cb, op, &words)
			f.end(cb)
		}
	}
	if s := log.String(); s != "" && !strings.Contains(s, "nil pointer") {
		t.Error(s)
	}
}

// pointers says that a command's record has pointers, which a wild number must
// not stand in for: C has put them there.
func pointers(op abi.Op) bool {
	name := op.String()
	for _, free := range []string{"vkCmdDraw", "vkCmdDrawIndexed", "vkCmdDispatch", "vkCmdSetLineWidth", "vkCmdBindPipeline", "vkCmdBindIndexBuffer",
		"vkCmdFillBuffer", "vkCmdDrawIndirect", "vkCmdDispatchIndirect", "vkCmdCopyQueryPoolResults", "vkCmdResetQueryPool", "vkCmdBeginQuery", "vkCmdSetStencilOp"} {
		if name == free {
			return false
		}
	}
	return true
}

// BenchmarkDecode measures vkEndCommandBuffer, a record.
func BenchmarkDecode(b *testing.B) {
	r := &Recorder{}
	words := abi.CmdSetDeviceMask{CommandHeader: abi.CommandHeader{Op: abi.OpCmdSetDeviceMask}}
	for b.Loop() {
		callRecorder(r, words.Op, unsafe.Pointer(&words))
	}
}
