package icd

import (
	"strings"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// Objects and recorded commands live on the Go heap. Where the process's memory is
// limited, a heap that cannot grow would end the process, so calls that make it grow
// are refused first: VK_ERROR_OUT_OF_HOST_MEMORY.

const (
	// callHeap is what a call may take of the Go heap, compiling a common shader
	// included.
	callHeap = 12 << 20
	// codeHeap is what a byte of SPIR-V takes while it is read and compiled: 40 to 53, measured.
	codeHeap = 64
	// descriptorHeap is what a descriptor in a set takes at most.
	descriptorHeap = 128
	// decodedRecords is how many commands are decoded between looks at the heap: with
	// 64 KiB each of vkCmdUpdateBuffer they take half of callHeap.
	decodedRecords = 96
)

// growing are the entry points that may fail for want of host memory before they do
// anything.
var growing = func() (g [abi.OpCount]bool) {
	for op := range g {
		name := abi.Op(op).String()
		g[op] = abi.Op(op).ResultOffset() >= 0 &&
			(strings.HasPrefix(name, "vkCreate") || strings.HasPrefix(name, "vkAllocate") || strings.HasPrefix(name, "vkQueue")) &&
			name != "vkQueueWaitIdle"
	}
	return g
}()

// refused says that there is no memory for a call, which then has failed.
func refused(op abi.Op, p unsafe.Pointer) bool {
	if !memory.HeapBounded() || !growing[op] || !memory.HeapShort(heapOf(op, p)) {
		return false
	}
	clearHandles(op, p)
	setResult(op, p, vk.ErrorOutOfHostMemory)
	return true
}

// heapOf is what a call may take of the Go heap.
func heapOf(op abi.Op, p unsafe.Pointer) int64 {
	if op == abi.OpCreateShaderModule {
		return callHeap + int64(min((*abi.CreateShaderModuleArgs)(p).PCreateInfo.CodeSize, maxShaderBytes))*codeHeap
	}
	return callHeap
}

// clearHandles makes the handles VK_NULL_HANDLE that calls for several objects leave
// behind when they fail.
func clearHandles(op abi.Op, p unsafe.Pointer) {
	switch op {
	case abi.OpAllocateCommandBuffers:
		a := (*abi.AllocateCommandBuffersArgs)(p)
		clear(abi.Slice(a.PCommandBuffers, a.PAllocateInfo.CommandBufferCount))
	case abi.OpAllocateDescriptorSets:
		a := (*abi.AllocateDescriptorSetsArgs)(p)
		clear(abi.Slice(a.PDescriptorSets, a.PAllocateInfo.DescriptorSetCount))
	case abi.OpCreateGraphicsPipelines:
		a := (*abi.CreateGraphicsPipelinesArgs)(p)
		clear(abi.Slice(a.PPipelines, a.CreateInfoCount))
	case abi.OpCreateComputePipelines:
		a := (*abi.CreateComputePipelinesArgs)(p)
		clear(abi.Slice(a.PPipelines, a.CreateInfoCount))
	case abi.OpCreateShadersEXT:
		a := (*abi.CreateShadersEXTArgs)(p)
		clear(abi.Slice(a.PShaders, a.CreateInfoCount))
	case abi.OpCreatePipelineBinariesKHR:
		b := (*abi.CreatePipelineBinariesKHRArgs)(p).PBinaries
		clear(abi.Slice(b.PPipelineBinaries, b.PipelineBinaryCount))
	}
}
