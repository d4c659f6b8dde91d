package icd

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// queueAt is a queue of family 0.
func (f *fixture) queueAt(index uint32) (q abi.Queue) {
	f.t.Helper()
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, QueueIndex: index, PQueue: &q})
	if q == nil {
		f.t.Fatalf("no queue %d", index)
	}
	return q
}

func (f *fixture) newSemaphore(kind vk.SemaphoreType) (h abi.Semaphore) {
	f.t.Helper()
	x := &abi.SemaphoreTypeCreateInfo{SemaphoreType: kind}
	a := abi.CreateSemaphoreArgs{Device: f.device, PCreateInfo: &abi.SemaphoreCreateInfo{PNext: chained(f, x, x.StructureType())}, PSemaphore: &h}
	call(f, abi.OpCreateSemaphore, &a)
	want(f.t, "vkCreateSemaphore", a.Ret, vk.Success)
	return h
}

// step is a submission of a random program: it copies a cell to another, sets a third to the step's number, and writes
// what the other holds then into a log.
type step struct {
	queue          int
	from, to, mark int
	// after are earlier steps of the other queue that have to be done.
	after []int
	// bits are binary semaphores to wait for and to signal.
	waits, signals []abi.SemaphoreSubmitInfo
}

// randomSteps makes a program for two queues. Steps that share a cell and are on two queues wait for each other, half of
// them by a timeline semaphore, the others by binary ones of f.
func randomSteps(f *fixture, r *rand.Rand, n, cells int, timelines [2]abi.Semaphore) []step {
	steps := make([]step, n)
	last := make([][2]int, cells) // 1 + the last step of each queue that has used a cell
	for i := range steps {
		s := &steps[i]
		s.queue = r.IntN(2)
		p := r.Perm(cells)
		s.from, s.to, s.mark = p[0], p[1], p[2]
		for _, cell := range p[:3] {
			if before := last[cell][1-s.queue]; before != 0 {
				s.after = append(s.after, before-1)
			}
			last[cell][s.queue] = i + 1
		}
		for k, before := range s.after {
			switch other := &steps[before]; {
			case k == 0 && r.IntN(4) != 0:
				x := f.newSemaphore(vk.SemaphoreTypeBinary)
				other.signals = append(other.signals, abi.SemaphoreSubmitInfo{Semaphore: x, StageMask: vk.PipelineStage2AllCommandsBit})
				s.waits = append(s.waits, abi.SemaphoreSubmitInfo{Semaphore: x, StageMask: vk.PipelineStage2AllCommandsBit})
			default:
				s.waits = append(s.waits, abi.SemaphoreSubmitInfo{Semaphore: timelines[1-s.queue], Value: uint64(before + 1), StageMask: vk.PipelineStage2AllCommandsBit})
			}
		}
		s.signals = append(s.signals, abi.SemaphoreSubmitInfo{Semaphore: timelines[s.queue], Value: uint64(i + 1), StageMask: vk.PipelineStage2AllCommandsBit})
	}
	return steps
}

// Two queues with thousands of random submissions, ordered by binary and timeline semaphores where they have to be, give the
// bits of one queue.
func TestQueues_TwoGiveTheBitsOfOne(t *testing.T) {
	f := newTest(t)
	const cells = 8
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	r := rand.New(rand.NewPCG(7, 7))
	queues := [2]abi.Queue{f.queueAt(0), f.queueAt(1)}
	if queues[0] == queues[1] {
		t.Fatal("two queues are one")
	}
	timelines := [2]abi.Semaphore{f.newSemaphore(vk.SemaphoreTypeTimeline), f.newSemaphore(vk.SemaphoreTypeTimeline)}
	steps := randomSteps(f, r, n, cells, timelines)

	b, words := f.buffer(cells + n)
	commands := make([]abi.CommandBuffer, n)
	var pool abi.CommandPool
	create := abi.CreateCommandPoolArgs{Device: f.device, PCreateInfo: &abi.CommandPoolCreateInfo{}, PCommandPool: &pool}
	call(f, abi.OpCreateCommandPool, &create)
	allocate := abi.AllocateCommandBuffersArgs{Device: f.device, PCommandBuffers: &commands[0], PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, CommandBufferCount: uint32(n)}}
	call(f, abi.OpAllocateCommandBuffers, &allocate)
	want(t, "vkAllocateCommandBuffers", allocate.Ret, vk.Success)
	const all, access = vk.PipelineStage2AllCommandsBit, vk.Access2MemoryReadBit | vk.Access2MemoryWriteBit
	everything := &abi.DependencyInfo{MemoryBarrierCount: 1, PMemoryBarriers: &abi.MemoryBarrier2{SrcStageMask: all, SrcAccessMask: access, DstStageMask: all, DstAccessMask: access}}
	f.pin.Pin(everything)
	f.pin.Pin(everything.PMemoryBarriers)
	for i, cb := range commands {
		s := &steps[i]
		begin := abi.BeginCommandBufferArgs{CommandBuffer: cb, PBeginInfo: &abi.CommandBufferBeginInfo{}}
		call(f, abi.OpBeginCommandBuffer, &begin)
		barrier := func() {
			record(f, cb, abi.OpCmdPipelineBarrier2, &abi.CmdPipelineBarrier2{PDependencyInfo: everything})
		}
		copyCell := func(from, to int) {
			region := &vk.BufferCopy{SrcOffset: uint64(4 * from), DstOffset: uint64(4 * to), Size: 4}
			f.pin.Pin(region)
			record(f, cb, abi.OpCmdCopyBuffer, &abi.CmdCopyBuffer{SrcBuffer: b, DstBuffer: b, RegionCount: 1, PRegions: region})
		}
		barrier()
		copyCell(s.from, s.to)
		barrier()
		record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, DstOffset: uint64(4 * s.mark), Size: 4, Data: uint32(i + 1)})
		barrier()
		copyCell(s.to, cells+i)
		want(t, "vkEndCommandBuffer", f.end(cb), vk.Success)
	}

	wanted := make([]uint32, cells+n)
	for i := range steps {
		s := &steps[i]
		wanted[s.to] = wanted[s.from]
		wanted[s.mark] = uint32(i + 1)
		wanted[cells+i] = wanted[s.to]
	}

	var batch []abi.SubmitInfo2
	flush := func(queue int) {
		if len(batch) == 0 {
			return
		}
		a := abi.QueueSubmit2Args{Queue: queues[queue], SubmitCount: uint32(len(batch)), PSubmits: &batch[0]}
		call(f, abi.OpQueueSubmit2, &a)
		want(t, "vkQueueSubmit2", a.Ret, vk.Success)
		batch = batch[:0]
	}
	for i := range steps {
		s := &steps[i]
		info := abi.SubmitInfo2{CommandBufferInfoCount: 1, PCommandBufferInfos: &abi.CommandBufferSubmitInfo{CommandBuffer: commands[i]},
			WaitSemaphoreInfoCount: uint32(len(s.waits)), SignalSemaphoreInfoCount: uint32(len(s.signals)), PSignalSemaphoreInfos: &s.signals[0]}
		if len(s.waits) > 0 {
			info.PWaitSemaphoreInfos = &s.waits[0]
		}
		batch = append(batch, info)
		if i+1 == n || steps[i+1].queue != s.queue || r.IntN(3) != 0 {
			flush(s.queue)
		}
	}
	idle := abi.DeviceWaitIdleArgs{Device: f.device}
	call(f, abi.OpDeviceWaitIdle, &idle)
	want(t, "vkDeviceWaitIdle", idle.Ret, vk.Success)
	for i, w := range wanted {
		if words[i] != w {
			t.Fatalf("word %d is %d, want %d (%d cells, then a word for each step)", i, words[i], w, cells)
		}
	}
}

// What one queue waits for does not keep another from ending its work.
func TestQueues_OneWaitsWhileTheOtherWorks(t *testing.T) {
	f := newTest(t)
	b, words := f.buffer(2)
	fill := func(at uint64, data uint32) abi.CommandBuffer {
		cb := f.begin()
		record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, DstOffset: at, Size: 4, Data: data})
		want(t, "vkEndCommandBuffer", f.end(cb), vk.Success)
		return cb
	}
	gate := f.newSemaphore(vk.SemaphoreTypeTimeline)
	first, second := f.queueAt(0), f.queueAt(1)
	held, free := fill(0, 3), fill(4, 5)
	heldFence, freeFence := f.fence(), f.fence()
	a := abi.QueueSubmit2Args{Queue: first, Fence: heldFence, SubmitCount: 1, PSubmits: &abi.SubmitInfo2{CommandBufferInfoCount: 1, PCommandBufferInfos: &abi.CommandBufferSubmitInfo{CommandBuffer: held},
		WaitSemaphoreInfoCount: 1, PWaitSemaphoreInfos: &abi.SemaphoreSubmitInfo{Semaphore: gate, Value: 4, StageMask: vk.PipelineStage2AllCommandsBit}}}
	call(f, abi.OpQueueSubmit2, &a)
	want(t, "vkQueueSubmit2", a.Ret, vk.Success)
	a = abi.QueueSubmit2Args{Queue: second, Fence: freeFence, SubmitCount: 1, PSubmits: &abi.SubmitInfo2{CommandBufferInfoCount: 1, PCommandBufferInfos: &abi.CommandBufferSubmitInfo{CommandBuffer: free}}}
	call(f, abi.OpQueueSubmit2, &a)
	want(t, "vkQueueSubmit2", a.Ret, vk.Success)
	want(t, "the free queue's fence", f.wait(freeFence, 60e9), vk.Success)
	idle := abi.QueueWaitIdleArgs{Queue: second}
	call(f, abi.OpQueueWaitIdle, &idle)
	want(t, "vkQueueWaitIdle", idle.Ret, vk.Success)
	if words[1] != 5 {
		t.Errorf("the free queue has written %d", words[1])
	}
	want(t, "the held queue's fence", f.wait(heldFence, 1e6), vk.Timeout)
	signal := abi.SignalSemaphoreArgs{Device: f.device, PSignalInfo: &abi.SemaphoreSignalInfo{Semaphore: gate, Value: 4}}
	call(f, abi.OpSignalSemaphore, &signal)
	want(t, "vkSignalSemaphore", signal.Ret, vk.Success)
	want(t, "the held queue's fence", f.wait(heldFence, 60e9), vk.Success)
	if words[0] != 3 {
		t.Errorf("the held queue has written %d", words[0])
	}
}

// A device has the queues that it was asked for, and no more.
func TestQueues_AreThoseAskedFor(t *testing.T) {
	f := newTest(t)
	priorities := [3]float32{1, 0.5, 0}
	for count, wanted := range map[uint32]vk.Result{1: vk.Success, 2: vk.Success, 3: vk.ErrorInitializationFailed} {
		var h abi.Device
		a := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PDevice: &h, PCreateInfo: &abi.DeviceCreateInfo{QueueCreateInfoCount: 1, PQueueCreateInfos: &abi.DeviceQueueCreateInfo{QueueCount: count, PQueuePriorities: &priorities[0]}}}
		call(f, abi.OpCreateDevice, &a)
		want(t, "vkCreateDevice", a.Ret, wanted)
		if wanted != vk.Success {
			continue
		}
		seen := map[unsafe.Pointer]bool{}
		for i := range uint32(2) {
			var q abi.Queue
			call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: h, QueueIndex: i, PQueue: &q})
			if (q != nil) != (i < count) || seen[unsafe.Pointer(q)] {
				t.Errorf("queue %d of %d: %v", i, count, q)
			}
			seen[unsafe.Pointer(q)] = true
		}
		call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: h})
	}
}

// Programs that want two families of a kind, to move resources from one to the other, find them.
func TestQueueFamilies_TwoOfEachKind(t *testing.T) {
	for _, kind := range []vk.QueueFlags{vk.QueueGraphicsBit, vk.QueueComputeBit, vk.QueueTransferBit} {
		n := 0
		for _, q := range queueFamilies {
			if q.QueueFlags&kind != 0 {
				n++
			}
		}
		if n < 2 {
			t.Errorf("%d families with %#x", n, kind)
		}
	}
}

// A tool that asks for a queue of the first family gets the device's own, if the program made the
// device with a queue of another that does as much, and is told.
func TestGetDeviceQueue_OfAFamilyWithoutQueues(t *testing.T) {
	f := newTest(t)
	priority := float32(1)
	last := uint32(len(queueFamilies) - 1)
	for family, wanted := range map[uint32]bool{last: true, 1: false} {
		var h abi.Device
		queues := abi.DeviceQueueCreateInfo{QueueFamilyIndex: family, QueueCount: 1, PQueuePriorities: &priority}
		info := abi.DeviceCreateInfo{QueueCreateInfoCount: 1, PQueueCreateInfos: &queues}
		a := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PDevice: &h, PCreateInfo: &info}
		call(f, abi.OpCreateDevice, &a)
		want(t, "vkCreateDevice", a.Ret, vk.Success)
		get := func(family, index uint32) (q abi.Queue) {
			get := abi.GetDeviceQueueArgs{Device: h, QueueFamilyIndex: family, QueueIndex: index, PQueue: &q}
			call(f, abi.OpGetDeviceQueue, &get)
			return q
		}
		own := get(family, 0)
		if other := get(0, 0); own == nil || (other == own) != wanted || (other != nil) != wanted {
			t.Errorf("family 0 of a device of family %d: %v, its own %v", family, other, own)
		}
		if get(family, 1) != nil || get(last+1, 0) != nil {
			t.Error("queues that do not exist")
		}
		call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: h})
	}
}
