package icd

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

const pageSize = memory.PageBytes

// placing opens a device that can place memory, and reserves some pages.
func placing(t *testing.T) (f *fixture, at []byte) {
	t.Helper()
	f = newTest(t)
	old := f.device
	on := &abi.PhysicalDeviceMapMemoryPlacedFeaturesEXT{MemoryMapPlaced: 1, MemoryMapRangePlaced: 1, MemoryUnmapReserve: 1}
	on.SType = on.StructureType()
	priority := float32(1)
	queue := abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority}
	create := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PCreateInfo: &abi.DeviceCreateInfo{PNext: unsafe.Pointer(on), QueueCreateInfoCount: 1, PQueueCreateInfos: &queue}, PDevice: &f.device}
	call(f, abi.OpCreateDevice, &create)
	want(t, "vkCreateDevice", create.Ret, vk.Success)
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: old})
	at, err := syscall.Mmap(-1, 0, 8*pageSize, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	return f, at // it stays: what the test gives back may be somebody else's by its end
}

func (f *fixture) place(m abi.DeviceMemory, at unsafe.Pointer, offset, size uint64) (unsafe.Pointer, vk.Result) {
	p := &abi.MemoryMapPlacedInfoEXT{PPlacedAddress: at}
	p.SType = p.StructureType()
	var data unsafe.Pointer
	a := abi.MapMemory2Args{Device: f.device, PMemoryMapInfo: &abi.MemoryMapInfo{PNext: unsafe.Pointer(p), Flags: vk.MemoryMapPlacedBitEXT, Memory: m, Offset: offset, Size: size}, PpData: &data}
	call(f, abi.OpMapMemory2, &a)
	return data, a.Ret
}

func (f *fixture) unmap(m abi.DeviceMemory, flags vk.MemoryUnmapFlags) vk.Result {
	a := abi.UnmapMemory2Args{Device: f.device, PMemoryUnmapInfo: &abi.MemoryUnmapInfo{Memory: m, Flags: flags}}
	call(f, abi.OpUnmapMemory2, &a)
	return a.Ret
}

// Memory shows where it is placed: what commands write there is seen, and the other
// way round, also of a part. Unmapping gives the addresses back, or keeps them.
func TestMemory_Placed(t *testing.T) {
	f, at := placing(t)
	var b abi.Buffer
	create := abi.CreateBufferArgs{Device: f.device, PBuffer: &b, PCreateInfo: &abi.BufferCreateInfo{Size: 4 * pageSize, Usage: vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit}}
	call(f, abi.OpCreateBuffer, &create)
	var m abi.DeviceMemory
	allocate := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 4 * pageSize}, PMemory: &m}
	call(f, abi.OpAllocateMemory, &allocate)
	want(t, "vkAllocateMemory", allocate.Ret, vk.Success)
	bind := abi.BindBufferMemoryArgs{Device: f.device, Buffer: b, Memory: m}
	call(f, abi.OpBindBufferMemory, &bind)
	want(t, "vkBindBufferMemory", bind.Ret, vk.Success)

	p, r := f.place(m, unsafe.Pointer(&at[2*pageSize]), 0, vk.WholeSize)
	want(t, "placed", r, vk.Success)
	if p != unsafe.Pointer(&at[2*pageSize]) {
		t.Fatal("placed elsewhere")
	}
	shown := at[2*pageSize : 6*pageSize]
	shown[pageSize] = 7
	cb := f.begin()
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, DstOffset: 3 * pageSize, Size: pageSize, Data: 0x05050505})
	region := vk.BufferCopy{SrcOffset: pageSize, DstOffset: 2 * pageSize, Size: 4}
	record(f, cb, abi.OpCmdCopyBuffer, &abi.CmdCopyBuffer{SrcBuffer: b, DstBuffer: b, RegionCount: 1, PRegions: &region})
	f.run(cb)
	if shown[2*pageSize] != 7 || shown[3*pageSize] != 5 || shown[4*pageSize-1] != 5 {
		t.Errorf("the device has read %d and written %d", shown[2*pageSize], shown[3*pageSize])
	}
	if _, r := f.place(m, unsafe.Pointer(&at[0]), 0, pageSize); r != vk.ErrorMemoryMapFailed {
		t.Errorf("placed twice: %v", r)
	}
	want(t, "reserved", f.unmap(m, vk.MemoryUnmapReserveBitEXT), vk.Success)
	if !memory.Mapped(shown) {
		t.Error("a reserved range was given back")
	}
	_, r = f.place(m, unsafe.Pointer(&at[pageSize]), 2*pageSize, 2*pageSize)
	want(t, "a part", r, vk.Success)
	if at[pageSize] != 7 || at[2*pageSize] != 5 {
		t.Errorf("the part shows %d and %d", at[pageSize], at[2*pageSize])
	}
	want(t, "unmapped", f.unmap(m, 0), vk.Success)
	if memory.Mapped(at[pageSize:3*pageSize]) || !memory.Mapped(at[:pageSize]) {
		t.Error("the part is still mapped, or more is gone")
	}

	for what, c := range map[string]struct {
		at           unsafe.Pointer
		offset, size uint64
	}{
		"beyond the end":   {unsafe.Pointer(&at[0]), 4 * pageSize, pageSize},
		"too much":         {unsafe.Pointer(&at[0]), pageSize, 4 * pageSize},
		"an odd offset":    {unsafe.Pointer(&at[0]), 64, pageSize},
		"an odd size":      {unsafe.Pointer(&at[0]), 0, 100},
		"an odd address":   {unsafe.Pointer(&at[64]), 0, pageSize},
		"nothing":          {unsafe.Pointer(&at[0]), 0, 0},
		"no address":       {nil, 0, pageSize},
		"a size past 2^63": {unsafe.Pointer(&at[0]), 0, 1 << 63},
	} {
		if p, r := f.place(m, c.at, c.offset, c.size); r != vk.ErrorMemoryMapFailed || p != nil {
			t.Errorf("%s: %v", what, r)
		}
	}
	var data unsafe.Pointer
	mapped := abi.MapMemoryArgs{Device: f.device, Memory: m, Offset: pageSize, Size: vk.WholeSize, PpData: &data}
	call(f, abi.OpMapMemory, &mapped)
	want(t, "mapped", mapped.Ret, vk.Success)
	anywhere := unsafe.Slice((*byte)(unsafe.Add(data, -pageSize)), 4*pageSize)
	if anywhere[2*pageSize] != 7 || anywhere[3*pageSize] != 5 {
		t.Errorf("mapped as it is, it shows %d and %d", anywhere[2*pageSize], anywhere[3*pageSize])
	}
	want(t, "reserved where it was mapped", f.unmap(m, vk.MemoryUnmapReserveBitEXT), vk.Success)
	if !memory.Mapped(anywhere) {
		t.Error("a range that is to be kept was given back")
	}
	_, r = f.place(m, unsafe.Pointer(&anywhere[0]), 2*pageSize, pageSize)
	want(t, "placed in what was kept", r, vk.Success)
	if anywhere[0] != 7 {
		t.Errorf("there it shows %d", anywhere[0])
	}
	want(t, "unmapped", f.unmap(m, 0), vk.Success)
	if r := f.unmap(m, vk.MemoryUnmapReserveBitEXT); r != vk.ErrorMemoryMapFailed {
		t.Errorf("reserving where nothing was mapped: %v", r)
	}
	_, r = f.place(m, unsafe.Pointer(&at[4*pageSize]), 0, pageSize)
	want(t, "once more", r, vk.Success)
	call(f, abi.OpFreeMemory, &abi.FreeMemoryArgs{Device: f.device, Memory: m})
	if memory.Mapped(at[4*pageSize : 5*pageSize]) {
		t.Error("freed memory is still mapped")
	}
	call(f, abi.OpDestroyBuffer, &abi.DestroyBufferArgs{Device: f.device, Buffer: b})
}
