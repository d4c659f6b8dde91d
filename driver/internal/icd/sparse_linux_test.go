package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// TestSparse_TakesAnyMemory: memory of each type that there is can be bound to sparse
// resources, in which Mesa's zink trusts without a look at memoryTypeBits, and what was
// written before the binding is seen.
func TestSparse_TakesAnyMemory(t *testing.T) {
	f := newTest(t)
	features := coreFeatures()
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	f.device = f.openWith(&features)
	var types abi.PhysicalDeviceMemoryProperties
	call(f, abi.OpGetPhysicalDeviceMemoryProperties, &abi.GetPhysicalDeviceMemoryPropertiesArgs{PhysicalDevice: f.physical, PMemoryProperties: &types})
	for kind := range types.MemoryTypeCount {
		var h abi.Buffer
		create := abi.CreateBufferArgs{Device: f.device, PBuffer: &h, PCreateInfo: &abi.BufferCreateInfo{
			Flags: vk.BufferCreateSparseBindingBit | vk.BufferCreateSparseResidencyBit, Size: 4 * core.SparseAlignment, Usage: vk.BufferUsageTransferSrcBit}}
		call(f, abi.OpCreateBuffer, &create)
		want(t, "vkCreateBuffer", create.Ret, vk.Success)
		var need vk.MemoryRequirements
		call(f, abi.OpGetBufferMemoryRequirements, &abi.GetBufferMemoryRequirementsArgs{Device: f.device, Buffer: h, PMemoryRequirements: &need})
		var ahead abi.MemoryRequirements2
		call(f, abi.OpGetDeviceBufferMemoryRequirements, &abi.GetDeviceBufferMemoryRequirementsArgs{
			Device: f.device, PInfo: &abi.DeviceBufferMemoryRequirements{PCreateInfo: create.PCreateInfo}, PMemoryRequirements: &ahead})
		if ahead.MemoryRequirements != need {
			t.Errorf("before there is a buffer it needs %+v, then %+v", ahead.MemoryRequirements, need)
		}
		if types.MemoryTypes[kind].PropertyFlags&vk.MemoryPropertyLazilyAllocatedBit != 0 {
			if need.MemoryTypeBits>>kind&1 != 0 {
				t.Errorf("lazily allocated memory, of type %d, can be bound", kind)
			}
			continue
		}
		if need.MemoryTypeBits>>kind&1 == 0 {
			t.Errorf("memory of type %d cannot be bound", kind)
		}
		var m abi.DeviceMemory
		allocate := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 2 * core.SparseAlignment, MemoryTypeIndex: kind}, PMemory: &m}
		call(f, abi.OpAllocateMemory, &allocate)
		want(t, "vkAllocateMemory", allocate.Ret, vk.Success)
		var p unsafe.Pointer
		mapped := abi.MapMemoryArgs{Device: f.device, Memory: m, Offset: core.SparseAlignment, Size: vk.WholeSize, PpData: &p}
		call(f, abi.OpMapMemory, &mapped)
		want(t, "vkMapMemory", mapped.Ret, vk.Success)
		*(*uint32)(p) = 0xC0FFEE

		var queue abi.Queue
		call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &queue})
		pages := abi.SparseMemoryBind{ResourceOffset: 2 * core.SparseAlignment, Size: core.SparseAlignment, Memory: m, MemoryOffset: core.SparseAlignment}
		buffers := abi.SparseBufferMemoryBindInfo{Buffer: h, BindCount: 1, PBinds: &pages}
		bind := abi.QueueBindSparseArgs{Queue: queue, BindInfoCount: 1, PBindInfo: &abi.BindSparseInfo{BufferBindCount: 1, PBufferBinds: &buffers}}
		call(f, abi.OpQueueBindSparse, &bind)
		want(t, "vkQueueBindSparse", bind.Ret, vk.Success)

		to, words, r := f.allocateWith(nil, 4096)
		want(t, "vkAllocateMemory", r, vk.Success)
		var out abi.Buffer
		plain := abi.CreateBufferArgs{Device: f.device, PBuffer: &out, PCreateInfo: &abi.BufferCreateInfo{Size: 16, Usage: vk.BufferUsageTransferDstBit}}
		call(f, abi.OpCreateBuffer, &plain)
		want(t, "vkCreateBuffer", plain.Ret, vk.Success)
		bound := abi.BindBufferMemoryArgs{Device: f.device, Buffer: out, Memory: to}
		call(f, abi.OpBindBufferMemory, &bound)
		want(t, "vkBindBufferMemory", bound.Ret, vk.Success)
		cb := f.begin()
		record(f, cb, abi.OpCmdCopyBuffer, &abi.CmdCopyBuffer{SrcBuffer: h, DstBuffer: out, RegionCount: 1, PRegions: &vk.BufferCopy{SrcOffset: 2 * core.SparseAlignment, Size: 4}})
		f.run(cb)
		if words[0] != 0xC0FFEE {
			t.Errorf("memory of type %d: %#x was read", kind, words[0])
		}
	}
}
