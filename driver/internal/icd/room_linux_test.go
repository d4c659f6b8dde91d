//go:build !race

package icd

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// With the Go heap full under a limit of addresses, calls that would make it grow say
// that there is no host memory, and leave null handles; afterwards they work. The test
// runs itself with a limit.
func TestRoom_FullHeap(t *testing.T) {
	if os.Getenv("PUMICE_TEST_CONFINED") != "" {
		fullHeap(t)
		return
	}
	cmd := exec.Command("sh", "-c", `ulimit -v 2500000; exec "$0" -test.run TestRoom_FullHeap`, os.Args[0])
	cmd.Env = append(os.Environ(), "PUMICE_TEST_CONFINED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func fullHeap(t *testing.T) {
	f := newTest(t)
	buffer, _ := f.buffer(4)
	begun := f.begin()
	var pool abi.CommandPool
	createPool := abi.CreateCommandPoolArgs{Device: f.device, PCreateInfo: &abi.CommandPoolCreateInfo{}, PCommandPool: &pool}
	call(f, abi.OpCreateCommandPool, &createPool)
	for range 2 * decodedRecords {
		record(f, begun, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: buffer, Size: 4, Data: 6})
	}
	memory.ReadLimits()
	memory.ReserveHeap()
	if !memory.HeapBounded() {
		t.Fatal("there is no limit")
	}
	var live [][]byte
	for !memory.HeapShort(callHeap) {
		live = append(live, make([]byte, 1<<20))
	}
	check := func(wanted vk.Result) {
		t.Helper()
		fence := abi.Fence(7)
		createFence := abi.CreateFenceArgs{Device: f.device, PCreateInfo: &abi.FenceCreateInfo{}, PFence: &fence}
		call(f, abi.OpCreateFence, &createFence)
		want(t, "vkCreateFence", createFence.Ret, wanted)
		handles := [2]abi.CommandBuffer{begun, begun}
		allocate := abi.AllocateCommandBuffersArgs{Device: f.device, PCommandBuffers: &handles[0],
			PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, CommandBufferCount: 2}}
		call(f, abi.OpAllocateCommandBuffers, &allocate)
		want(t, "vkAllocateCommandBuffers", allocate.Ret, wanted)
		if wanted != vk.Success && (handles[0] != nil || handles[1] != nil) {
			t.Error("handles of command buffers that were not made")
		}
		want(t, "vkEndCommandBuffer", f.end(begun), wanted)
	}
	check(vk.ErrorOutOfHostMemory)
	pipeline := abi.Pipeline(7)
	create := abi.CreateComputePipelinesArgs{Device: f.device, CreateInfoCount: 1, PCreateInfos: &abi.ComputePipelineCreateInfo{}, PPipelines: &pipeline}
	call(f, abi.OpCreateComputePipelines, &create)
	if create.Ret != vk.ErrorOutOfHostMemory || pipeline != 0 {
		t.Errorf("vkCreateComputePipelines: %v, %v", create.Ret, pipeline)
	}
	runtime.KeepAlive(live)
	live = nil

	begin := abi.BeginCommandBufferArgs{CommandBuffer: begun, PBeginInfo: &abi.CommandBufferBeginInfo{}}
	call(f, abi.OpBeginCommandBuffer, &begin)
	check(vk.Success)
}
