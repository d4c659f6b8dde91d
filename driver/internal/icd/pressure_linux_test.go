package icd

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// pending is how many batches of a queue have not been begun.
func (f *fixture) pending(family int) int {
	d := resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice)
	for _, q := range d.queues {
		if int(q.family) == family {
			q.mu.Lock()
			defer q.mu.Unlock()
			return len(q.pending)
		}
	}
	f.t.Fatal("no such queue")
	return 0
}

// A program that submits faster than its work is done waits, so that no more than some batches are ahead of it.
func TestSubmit_BackPressure(t *testing.T) {
	f := newTest(t)
	b := f.bound(4<<20, vk.BufferUsageTransferDstBit)
	cb := f.begin()
	for range 4 {
		record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, Size: 4 << 20, Data: 1}) // a millisecond or so
	}
	want(t, "vkEndCommandBuffer", f.end(cb), vk.Success)
	most := 0
	for range 4 * maxPending {
		f.submitTo(0, cb, 0)
		most = max(most, f.pending(0))
	}
	if most > maxPending+1 {
		t.Errorf("%d batches are ahead of the program, want %d at most", most, maxPending+1)
	}
	last := f.fence()
	f.submitTo(0, cb, last)
	want(t, "vkWaitForFences", f.wait(last, 120e9), vk.Success)
}

// What waits for the program itself does not make it wait: a semaphore that it signals later, an event that it sets later.
func TestSubmit_PressureIsNoDeadlock(t *testing.T) {
	for _, by := range []string{"semaphore", "event"} {
		t.Run(by, func(t *testing.T) {
			f := newTest(t)
			start := time.Now()
			b, words := f.buffer(1)
			cb := f.begin()
			e, s := f.event(), f.semaphore(vk.SemaphoreTypeTimeline, 0)
			if by == "event" {
				record(f, cb, abi.OpCmdWaitEvents, &abi.CmdWaitEvents{EventCount: 1, PEvents: &e, SrcStageMask: vk.PipelineStageHostBit, DstStageMask: vk.PipelineStageTransferBit})
			}
			record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, Size: 4, Data: 7})
			want(t, "vkEndCommandBuffer", f.end(cb), vk.Success)
			var q abi.Queue
			call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &q})
			value := uint64(1)
			for range 4 * maxPending {
				i := abi.SubmitInfo2{CommandBufferInfoCount: 1, PCommandBufferInfos: &abi.CommandBufferSubmitInfo{CommandBuffer: cb}}
				if by == "semaphore" {
					i.WaitSemaphoreInfoCount, i.PWaitSemaphoreInfos = 1, &abi.SemaphoreSubmitInfo{Semaphore: s, Value: value}
				}
				a := abi.QueueSubmit2Args{Queue: q, SubmitCount: 1, PSubmits: &i}
				call(f, abi.OpQueueSubmit2, &a)
				want(t, "vkQueueSubmit2", a.Ret, vk.Success)
			}
			last := f.fence()
			f.submitTo(0, cb, last)
			if by == "semaphore" {
				a := abi.SignalSemaphoreArgs{Device: f.device, PSignalInfo: &abi.SemaphoreSignalInfo{Semaphore: s, Value: value}}
				call(f, abi.OpSignalSemaphore, &a)
				want(t, "vkSignalSemaphore", a.Ret, vk.Success)
			} else {
				a := abi.SetEventArgs{Device: f.device, Event: e}
				call(f, abi.OpSetEvent, &a)
				want(t, "vkSetEvent", a.Ret, vk.Success)
			}
			want(t, "vkWaitForFences", f.wait(last, 120e9), vk.Success)
			if words[0] != 7 {
				t.Error("the commands were left out")
			}
			if d := time.Since(start); d > maxAdmission/2 {
				t.Errorf("took %v: the program waited for itself", d)
			}
		})
	}
}

// Threads that wait without end when the device is destroyed find it lost.
func TestDestroyDevice_EndsWaits(t *testing.T) {
	f := newTest(t)
	fence, s := f.fence(), f.semaphore(vk.SemaphoreTypeTimeline, 0)
	results := make(chan vk.Result)
	value := uint64(3)
	waits := map[string]func() vk.Result{
		"vkWaitForFences": func() vk.Result { return f.wait(fence, math.MaxUint64) },
		"vkWaitSemaphores": func() vk.Result {
			a := abi.WaitSemaphoresArgs{Device: f.device, PWaitInfo: &abi.SemaphoreWaitInfo{SemaphoreCount: 1, PSemaphores: &s, PValues: &value}, Timeout: math.MaxUint64}
			call(f, abi.OpWaitSemaphores, &a)
			return a.Ret
		},
	}
	for _, wait := range waits {
		go func() { results <- wait() }()
	}
	time.Sleep(20 * time.Millisecond)
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	for range waits {
		select {
		case r := <-results:
			want(t, "a wait", r, vk.ErrorDeviceLost)
		case <-time.After(20 * time.Second):
			t.Fatal("a wait has not ended")
		}
	}
}
