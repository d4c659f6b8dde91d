package icd

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// within fails the test if f takes as long as a hang would.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: hangs", what)
	}
}

// Objects destroyed between recording and submission go on while their memory
// lasts; after that, the command buffer is left out. The device stays.
func TestLifetime_DestroyedBetweenRecordingAndSubmission(t *testing.T) {
	f := newTest(t)
	b, _ := f.buffer(4)
	m, data := f.memory(256)
	view := unsafe.Slice((*uint32)(data), 4)
	create := abi.CreateBufferArgs{Device: f.device, PBuffer: &b, PCreateInfo: &abi.BufferCreateInfo{Size: 16, Usage: vk.BufferUsageTransferDstBit}}
	call(f, abi.OpCreateBuffer, &create)
	bind := abi.BindBufferMemoryArgs{Device: f.device, Buffer: b, Memory: m}
	call(f, abi.OpBindBufferMemory, &bind)
	want(t, "vkBindBufferMemory", bind.Ret, vk.Success)
	cb := f.begin()
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, Size: 16, Data: 5})
	want(t, "vkEndCommandBuffer", f.end(cb), vk.Success)
	call(f, abi.OpDestroyBuffer, &abi.DestroyBufferArgs{Device: f.device, Buffer: b})
	f.submit(cb)
	if view[3] != 5 {
		t.Error("a command whose buffer has lost its handle was left out")
	}
	call(f, abi.OpFreeMemory, &abi.FreeMemoryArgs{Device: f.device, Memory: m})
	f.submit(cb) // there is nothing to write to

	b, words := f.buffer(4)
	cb = f.begin()
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, Size: 16, Data: 6})
	f.run(cb)
	if words[0] != 6 {
		t.Error("the device does not work any more")
	}
}

// queueOf is the queue of a family, submitted to without waiting.
func (f *fixture) submitTo(family uint32, cb abi.CommandBuffer, fence abi.Fence) {
	f.t.Helper()
	var q abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, QueueFamilyIndex: family, PQueue: &q})
	s := abi.QueueSubmitArgs{Queue: q, SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 1, PCommandBuffers: &cb}, Fence: fence}
	call(f, abi.OpQueueSubmit, &s)
	want(f.t, "vkQueueSubmit", s.Ret, vk.Success)
}

func (f *fixture) fence() (h abi.Fence) {
	f.t.Helper()
	a := abi.CreateFenceArgs{Device: f.device, PCreateInfo: &abi.FenceCreateInfo{}, PFence: &h}
	call(f, abi.OpCreateFence, &a)
	want(f.t, "vkCreateFence", a.Ret, vk.Success)
	return h
}

func (f *fixture) wait(h abi.Fence, timeout uint64) vk.Result {
	a := abi.WaitForFencesArgs{Device: f.device, FenceCount: 1, PFences: &h, WaitAll: 1, Timeout: timeout}
	call(f, abi.OpWaitForFences, &a)
	return a.Ret
}

func (f *fixture) event() (h abi.Event) {
	f.t.Helper()
	a := abi.CreateEventArgs{Device: f.device, PCreateInfo: &abi.EventCreateInfo{}, PEvent: &h}
	call(f, abi.OpCreateEvent, &a)
	want(f.t, "vkCreateEvent", a.Ret, vk.Success)
	return h
}

// A queue that waits for the host holds no other queue up.
func TestEvents_OneQueueWaits_OthersGoOn(t *testing.T) {
	f := newTest(t)
	e, first, second := f.event(), f.fence(), f.fence()
	b, words := f.buffer(2)
	waiting := f.begin()
	record(f, waiting, abi.OpCmdWaitEvents, &abi.CmdWaitEvents{EventCount: 1, PEvents: &e, SrcStageMask: vk.PipelineStageHostBit, DstStageMask: vk.PipelineStageTransferBit})
	record(f, waiting, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, Size: 4, Data: 1})
	want(t, "vkEndCommandBuffer", f.end(waiting), vk.Success)
	other := f.begin()
	record(f, other, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, DstOffset: 4, Size: 4, Data: 2})
	want(t, "vkEndCommandBuffer", f.end(other), vk.Success)
	f.submitTo(0, waiting, first)
	want(t, "the queue that waits", f.wait(first, 20e6), vk.Timeout)
	f.submitTo(1, other, second)
	want(t, "another queue", f.wait(second, 120e9), vk.Success)
	if words[0] != 0 || words[1] != 2 {
		t.Errorf("the buffer holds %v", words)
	}
	set := abi.SetEventArgs{Device: f.device, Event: e}
	call(f, abi.OpSetEvent, &set)
	want(t, "vkSetEvent", set.Ret, vk.Success)
	want(t, "the queue that waited", f.wait(first, 120e9), vk.Success)
	if words[0] != 1 {
		t.Error("the command after the event was left out")
	}
}

// A device can be destroyed while its queue waits for what never comes.
func TestLifetime_DestroyDeviceWhileAQueueWaits(t *testing.T) {
	f := newTest(t)
	old := f.device
	f.device = f.open()
	e, fence := f.event(), f.fence()
	cb := f.begin()
	record(f, cb, abi.OpCmdWaitEvents, &abi.CmdWaitEvents{EventCount: 1, PEvents: &e, SrcStageMask: vk.PipelineStageHostBit, DstStageMask: vk.PipelineStageTransferBit})
	want(t, "vkEndCommandBuffer", f.end(cb), vk.Success)
	f.driver.cfg.Log = nil // the device is lost, which it says
	f.submitTo(0, cb, fence)
	want(t, "the queue that waits", f.wait(fence, 20e6), vk.Timeout)
	within(t, "vkDestroyDevice", func() { call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device}) })
	f.device = old
}

// Waiting for a query that nothing will end gives up.
func TestQueryPool_WaitForWhatNeverComes(t *testing.T) {
	f := newTest(t)
	var h abi.QueryPool
	a := abi.CreateQueryPoolArgs{Device: f.device, PCreateInfo: &abi.QueryPoolCreateInfo{QueryType: vk.QueryTypeOcclusion, QueryCount: 1}, PQueryPool: &h}
	call(f, abi.OpCreateQueryPool, &a)
	want(t, "vkCreateQueryPool", a.Ret, vk.Success)
	var result uint64
	get := abi.GetQueryPoolResultsArgs{Device: f.device, QueryPool: h, QueryCount: 1, DataSize: 8, PData: unsafe.Pointer(&result), Stride: 8, Flags: vk.QueryResult64Bit | vk.QueryResultWaitBit}
	within(t, "vkGetQueryPoolResults", func() { call(f, abi.OpGetQueryPoolResults, &get) })
	want(t, "vkGetQueryPoolResults", get.Ret, vk.NotReady)
}

func TestMemory_AbsurdSizes(t *testing.T) {
	f := newTest(t)
	for _, size := range []uint64{0, 1 << 45, 1 << 62, 1 << 63, math.MaxUint64} {
		var h abi.DeviceMemory
		a := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: size}, PMemory: &h}
		call(f, abi.OpAllocateMemory, &a)
		if a.Ret >= 0 || h != 0 || size != 0 && a.Ret != vk.ErrorOutOfDeviceMemory {
			t.Errorf("%d bytes: %v, handle %#x", size, a.Ret, h)
		}
	}
	for _, extent := range []vk.Extent3D{{}, {Width: 1 << 31, Height: 1 << 31, Depth: 1 << 31}, {Width: math.MaxUint32, Height: 1, Depth: 1}} {
		var h abi.Image
		a := abi.CreateImageArgs{Device: f.device, PImage: &h, PCreateInfo: &abi.ImageCreateInfo{
			ImageType: vk.ImageType3D, Format: vk.FormatR32G32B32A32Sfloat, Extent: extent, MipLevels: 1, ArrayLayers: 1, Samples: vk.SampleCount1Bit, Usage: vk.ImageUsageSampledBit}}
		call(f, abi.OpCreateImage, &a)
		if a.Ret >= 0 || h != 0 {
			t.Errorf("image of %v: %v, handle %#x", extent, a.Ret, h)
		}
	}
}

// blank makes an argument struct as careless programs pass them: every pointer to a
// struct leads to zeros, every other pointer to room, every handle is handle.
func blank(f *fixture, v reflect.Value, handle uint64, depth int) {
	for i := range v.NumField() {
		x := v.Field(i)
		switch name := v.Type().Field(i).Name; {
		case !x.CanSet() || name == "PNext" || name == "PAllocator" || name == "SType":
		case x.Kind() == reflect.Pointer && depth < 3:
			room := reflect.MakeSlice(reflect.SliceOf(x.Type().Elem()), 4, 4)
			f.pin.Pin(room.UnsafePointer())
			for k := range room.Len() {
				if e := room.Index(k); e.Kind() == reflect.Struct {
					blank(f, e, handle, depth+1)
				}
			}
			x.Set(reflect.NewAt(x.Type().Elem(), room.UnsafePointer()))
		case x.Kind() == reflect.Struct:
			blank(f, x, handle, depth)
		case x.Kind() == reflect.UnsafePointer && x.Type() == reflect.TypeFor[unsafe.Pointer](): // no dispatchable handle
			room := make([]uint64, 512)
			f.pin.Pin(&room[0])
			x.SetPointer(unsafe.Pointer(&room[0]))
		case strings.HasSuffix(name, "Count") && x.CanUint():
			x.SetUint(1)
		case x.Kind() == reflect.Uint64 && x.Type() != reflect.TypeFor[uint64](): // non-dispatchable
			x.SetUint(handle)
		}
	}
}

// TestCall_HandlesThatLeadNowhere_Everywhere calls every entry point of a device
// with handles that were never given: each answers, and none panics.
func TestCall_HandlesThatLeadNowhere_Everywhere(t *testing.T) {
	f := newTest(t)
	f.driver.cfg.Message = nil
	typ := reflect.TypeFor[*Device]()
	ops := map[string]abi.Op{}
	for op := abi.Op(1); op < abi.OpCount; op++ {
		ops[strings.TrimPrefix(op.String(), "vk")] = op
	}
	for _, handle := range []uint64{0, 77, math.MaxUint64} {
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			op := ops[m.Name]
			switch m.Name {
			case "DestroyDevice", "WaitForFences", "WaitSemaphores":
				continue // end the test, or may wait
			}
			a := reflect.New(m.Type.In(1).Elem())
			blank(f, a.Elem(), handle, 0)
			a.Elem().Field(0).Set(reflect.ValueOf(f.device))
			t.Run(m.Name, func(t *testing.T) {
				f.driver.cfg.Log = logger{t}
				within(t, m.Name, func() { f.driver.Call(op, a.UnsafePointer()) })
			})
		}
	}
	f.driver.cfg.Log = logger{t}
	typ = reflect.TypeFor[*Recorder]()
	for _, handle := range []uint64{0, 77} {
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			op := ops[m.Name]
			if m.Type.NumIn() != 2 {
				continue
			}
			c := reflect.New(m.Type.In(1).Elem())
			blank(f, c.Elem(), handle, 0)
			t.Run(m.Name, func(t *testing.T) {
				f.driver.cfg.Log = logger{t}
				cb := f.begin()
				recordBytes(f, cb, op, c.UnsafePointer(), c.Type().Elem().Size())
				if r := f.end(cb); r == vk.Success {
					within(t, m.Name, func() { f.submit(cb) })
				}
			})
		}
	}
}

// recordBytes is record for commands known by their op only.
func recordBytes(f *fixture, cb abi.CommandBuffer, op abi.Op, p unsafe.Pointer, n uintptr) {
	s := (*abi.Stream)(cb)
	size := (n + 7) &^ 7
	if uintptr(s.End)-uintptr(s.At) < size && f.driver.Grow(s, false, uint64(size)) == nil {
		return
	}
	at := s.At
	s.At = unsafe.Add(at, size)
	s.Records++
	copy(unsafe.Slice((*byte)(at), n), unsafe.Slice((*byte)(p), n))
	*(*abi.CommandHeader)(at) = abi.CommandHeader{Op: op, Size: uint32(size)}
}
