package icd

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// status is vkGetFenceStatus.
func (f *fixture) status(h abi.Fence) vk.Result {
	a := abi.GetFenceStatusArgs{Device: f.device, Fence: h}
	call(f, abi.OpGetFenceStatus, &a)
	return a.Ret
}

// Batches with nothing to do have done it when vkQueueSubmit returns, in order behind those that have: their fence is signaled
// after all that was submitted before (devsandqueues, fences-signaling).
func TestSubmit_NothingToDo(t *testing.T) {
	f := newTest(t)
	empty := f.begin()
	want(t, "vkEndCommandBuffer", f.end(empty), vk.Success)
	e := f.event()
	waiting := f.begin()
	record(f, waiting, abi.OpCmdWaitEvents, &abi.CmdWaitEvents{EventCount: 1, PEvents: &e, SrcStageMask: vk.PipelineStageHostBit, DstStageMask: vk.PipelineStageTransferBit})
	want(t, "vkEndCommandBuffer", f.end(waiting), vk.Success)

	timeline := &abi.SemaphoreTypeCreateInfo{SemaphoreType: vk.SemaphoreTypeTimeline, InitialValue: 3}
	timeline.SType = timeline.StructureType()
	var s abi.Semaphore
	create := abi.CreateSemaphoreArgs{Device: f.device, PCreateInfo: &abi.SemaphoreCreateInfo{PNext: unsafe.Pointer(timeline)}, PSemaphore: &s}
	call(f, abi.OpCreateSemaphore, &create)
	want(t, "vkCreateSemaphore", create.Ret, vk.Success)
	value := func() (v uint64) {
		a := abi.GetSemaphoreCounterValueArgs{Device: f.device, Semaphore: s, PValue: &v}
		call(f, abi.OpGetSemaphoreCounterValue, &a)
		want(t, "vkGetSemaphoreCounterValue", a.Ret, vk.Success)
		return v
	}
	var q abi.Queue
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &q})
	signal := func(to uint64, fence abi.Fence, buffers ...abi.CommandBuffer) {
		values := &abi.TimelineSemaphoreSubmitInfo{SignalSemaphoreValueCount: 1, PSignalSemaphoreValues: &to}
		values.SType = values.StructureType()
		i := abi.SubmitInfo{PNext: unsafe.Pointer(values), SignalSemaphoreCount: 1, PSignalSemaphores: &s, CommandBufferCount: uint32(len(buffers)), PCommandBuffers: unsafe.SliceData(buffers)}
		a := abi.QueueSubmitArgs{Queue: q, SubmitCount: 1, PSubmits: &i, Fence: fence}
		call(f, abi.OpQueueSubmit, &a)
		want(t, "vkQueueSubmit", a.Ret, vk.Success)
	}

	// An idle queue: at once.
	bare, first, second := f.fence(), f.fence(), f.fence()
	a := abi.QueueSubmitArgs{Queue: q, Fence: bare}
	call(f, abi.OpQueueSubmit, &a)
	want(t, "a fence alone", f.status(bare), vk.Success)
	signal(5, first, empty, empty)
	want(t, "empty command buffers", f.status(first), vk.Success)
	signal(6, 0)
	if v := value(); v != 6 {
		t.Errorf("the semaphore is at %d, want 6", v)
	}
	idle := abi.QueueWaitIdleArgs{Queue: q}
	call(f, abi.OpQueueWaitIdle, &idle)
	want(t, "vkQueueWaitIdle", idle.Ret, vk.Success)

	// One that waits: behind it.
	f.submitTo(0, waiting, 0)
	signal(8, second, empty)
	want(t, "behind what waits", f.wait(second, 20e6), vk.Timeout)
	if v := value(); v != 6 {
		t.Errorf("the semaphore is at %d while the batch before its signal waits, want 6", v)
	}
	set := abi.SetEventArgs{Device: f.device, Event: e}
	call(f, abi.OpSetEvent, &set)
	want(t, "behind what waited", f.wait(second, 120e9), vk.Success)
	if v := value(); v != 8 {
		t.Errorf("the semaphore is at %d, want 8", v)
	}

	// With a command in one of the buffers, it is carried out before the fence is signaled.
	b, words := f.buffer(1)
	fill, third := f.begin(), f.fence()
	record(f, fill, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, Size: 4, Data: 7})
	want(t, "vkEndCommandBuffer", f.end(fill), vk.Success)
	signal(9, third, empty, fill)
	want(t, "a command", f.wait(third, 120e9), vk.Success)
	if words[0] != 7 {
		t.Error("the fence is signaled, and the command was left out")
	}
}

// Brief batches are done when vkQueueSubmit2 returns, in their order, up to the first that waits;
// what comes behind it waits, too, and vkQueueSubmit2 does not.
func TestSubmit_BriefWorkAtOnce(t *testing.T) {
	f := newTest(t)
	b, words := f.buffer(4)
	gate := f.newSemaphore(vk.SemaphoreTypeTimeline)
	at := func(value uint64) *abi.SemaphoreSubmitInfo {
		return &abi.SemaphoreSubmitInfo{Semaphore: gate, Value: value, StageMask: vk.PipelineStage2AllCommandsBit}
	}
	fill := func(word int) abi.SubmitInfo2 {
		cb := f.begin()
		record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, DstOffset: uint64(4 * word), Size: 4, Data: 7})
		want(t, "vkEndCommandBuffer", f.end(cb), vk.Success)
		return abi.SubmitInfo2{CommandBufferInfoCount: 1, PCommandBufferInfos: &abi.CommandBufferSubmitInfo{CommandBuffer: cb}}
	}
	submit := func(list ...abi.SubmitInfo2) abi.Fence {
		fence := f.fence()
		a := abi.QueueSubmit2Args{Queue: f.queueAt(0), SubmitCount: uint32(len(list)), PSubmits: &list[0], Fence: fence}
		call(f, abi.OpQueueSubmit2, &a)
		want(t, "vkQueueSubmit2", a.Ret, vk.Success)
		return fence
	}
	holds := func(wanted ...uint32) {
		t.Helper()
		if !slices.Equal(words[:4], wanted) {
			t.Errorf("the buffer holds %v, want %v", words[:4], wanted)
		}
	}
	list := []abi.SubmitInfo2{fill(0), fill(1), fill(2)}
	list[0].SignalSemaphoreInfoCount, list[0].PSignalSemaphoreInfos = 1, at(1)
	list[1].WaitSemaphoreInfoCount, list[1].PWaitSemaphoreInfos = 1, at(1)
	list[2].WaitSemaphoreInfoCount, list[2].PWaitSemaphoreInfos = 1, at(5)
	first := submit(list...)
	holds(7, 7, 0, 0)
	second := submit(fill(3))
	want(t, "behind a batch that waits", f.wait(second, 1e6), vk.Timeout)
	want(t, "a batch that waits", f.status(first), vk.NotReady)
	holds(7, 7, 0, 0)
	signal := abi.SignalSemaphoreArgs{Device: f.device, PSignalInfo: &abi.SemaphoreSignalInfo{Semaphore: gate, Value: 5}}
	call(f, abi.OpSignalSemaphore, &signal)
	want(t, "behind a batch that waited", f.wait(second, 60e9), vk.Success)
	want(t, "a batch that waited", f.status(first), vk.Success)
	holds(7, 7, 7, 7)
	idle := abi.QueueWaitIdleArgs{Queue: f.queueAt(0)}
	call(f, abi.OpQueueWaitIdle, &idle)
	want(t, "once idle, at once again", f.status(submit(fill(0))), vk.Success)
}
