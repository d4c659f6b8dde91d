package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// The memory types are in an allowed order, and those that must be there are: programs look from the first on.
func TestMemoryTypes_Order(t *testing.T) {
	f := newTest(t)
	var m abi.PhysicalDeviceMemoryProperties
	call(f, abi.OpGetPhysicalDeviceMemoryProperties, &abi.GetPhysicalDeviceMemoryPropertiesArgs{PhysicalDevice: f.physical, PMemoryProperties: &m})
	types := m.MemoryTypes[:m.MemoryTypeCount]
	first := func(want vk.MemoryPropertyFlags) int {
		for i, y := range types {
			if y.PropertyFlags&want == want {
				return i
			}
		}
		return -1
	}
	for i, y := range types {
		for j, x := range types[i+1:] {
			if x.PropertyFlags&y.PropertyFlags == x.PropertyFlags {
				t.Errorf("type %d, %v, comes before type %d, %v", i, y.PropertyFlags, i+1+j, x.PropertyFlags)
			}
		}
		local := y.PropertyFlags&vk.MemoryPropertyDeviceLocalBit != 0
		if y.HeapIndex >= m.MemoryHeapCount || local != (m.MemoryHeaps[y.HeapIndex].Flags&vk.MemoryHeapDeviceLocalBit != 0) {
			t.Errorf("type %d, %v, is of heap %d", i, y.PropertyFlags, y.HeapIndex)
		}
		if y.PropertyFlags&vk.MemoryPropertyLazilyAllocatedBit != 0 && y.PropertyFlags&vk.MemoryPropertyHostVisibleBit != 0 {
			t.Errorf("type %d: %v", i, y.PropertyFlags)
		}
	}
	const coherent = vk.MemoryPropertyHostVisibleBit | vk.MemoryPropertyHostCoherentBit
	for _, c := range []struct {
		want vk.MemoryPropertyFlags
		is   int
	}{{coherent, 0}, {vk.MemoryPropertyDeviceLocalBit, 1}, {vk.MemoryPropertyDeviceLocalBit | visible, 1}, {vk.MemoryPropertyLazilyAllocatedBit, 2}} {
		if got := first(c.want); got != c.is {
			t.Errorf("the first type with %v is %d, want %d", c.want, got, c.is)
		}
	}
	for i := range m.MemoryHeapCount {
		if m.MemoryHeaps[i].Size != uint64(f.driver.cfg.MemoryLimit) {
			t.Errorf("heap %d has %d bytes", i, m.MemoryHeaps[i].Size)
		}
	}
}

// Lazily allocated memory is for transient attachments that nobody shares, and is never mapped.
func TestMemory_Lazy(t *testing.T) {
	f := newTest(t)
	const lazy = 2
	info := abi.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: vk.SampleCount1Bit,
		Usage: vk.ImageUsageColorAttachmentBit}
	image := func(usage vk.ImageUsageFlags, next unsafe.Pointer) (h abi.Image, bits uint32) {
		t.Helper()
		i := info
		i.Usage |= usage
		i.PNext = next
		create := abi.CreateImageArgs{Device: f.device, PCreateInfo: &i, PImage: &h}
		call(f, abi.OpCreateImage, &create)
		want(t, "vkCreateImage", create.Ret, vk.Success)
		var need vk.MemoryRequirements
		call(f, abi.OpGetImageMemoryRequirements, &abi.GetImageMemoryRequirementsArgs{Device: f.device, Image: h, PMemoryRequirements: &need})
		var before abi.MemoryRequirements2
		call(f, abi.OpGetDeviceImageMemoryRequirements, &abi.GetDeviceImageMemoryRequirementsArgs{Device: f.device, PInfo: &abi.DeviceImageMemoryRequirements{PCreateInfo: &i}, PMemoryRequirements: &before})
		if before.MemoryRequirements != need {
			t.Errorf("requirements %v, before %v", need, before.MemoryRequirements)
		}
		return h, need.MemoryTypeBits
	}
	external := &abi.ExternalMemoryImageCreateInfo{HandleTypes: opaqueMemoryFD}
	plain, bits := image(0, nil)
	if bits != 0b011 {
		t.Errorf("types %b of an image", bits)
	}
	transient, bits := image(vk.ImageUsageTransientAttachmentBit, nil)
	if bits != 0b111 {
		t.Errorf("types %b of a transient attachment", bits)
	}
	if _, bits = image(vk.ImageUsageTransientAttachmentBit, chained(f, external, external.StructureType())); bits != 0b011 {
		t.Errorf("types %b of a transient attachment that is shared", bits)
	}
	var m abi.DeviceMemory
	a := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 4096, MemoryTypeIndex: lazy}, PMemory: &m}
	call(f, abi.OpAllocateMemory, &a)
	want(t, "vkAllocateMemory", a.Ret, vk.Success)
	committed := uint64(1 << 40)
	call(f, abi.OpGetDeviceMemoryCommitment, &abi.GetDeviceMemoryCommitmentArgs{Device: f.device, Memory: m, PCommittedMemoryInBytes: &committed})
	if committed > 4096 {
		t.Errorf("%d bytes committed of 4096", committed)
	}
	var p unsafe.Pointer
	mapped := abi.MapMemoryArgs{Device: f.device, Memory: m, Size: vk.WholeSize, PpData: &p}
	call(f, abi.OpMapMemory, &mapped)
	want(t, "vkMapMemory", mapped.Ret, vk.ErrorMemoryMapFailed)
	bind := abi.BindImageMemoryArgs{Device: f.device, Image: transient, Memory: m}
	call(f, abi.OpBindImageMemory, &bind)
	want(t, "a transient attachment", bind.Ret, vk.Success)
	bind.Image = plain
	call(f, abi.OpBindImageMemory, &bind)
	want(t, "another image", bind.Ret, vk.ErrorValidationFailed)

	export := &abi.ExportMemoryAllocateInfo{HandleTypes: opaqueMemoryFD}
	a.PAllocateInfo.PNext = chained(f, export, export.StructureType())
	call(f, abi.OpAllocateMemory, &a)
	want(t, "exported", a.Ret, vk.ErrorValidationFailed)
	pages := make([]byte, 4*hostPointerAlignment)
	at := &abi.ImportMemoryHostPointerInfoEXT{HandleType: hostAllocation, PHostPointer: unsafe.Pointer(&pages[hostPointerAlignment-uintptr(unsafe.Pointer(&pages[0]))%hostPointerAlignment])}
	a.PAllocateInfo.PNext = chained(f, at, at.StructureType())
	call(f, abi.OpAllocateMemory, &a)
	want(t, "imported", a.Ret, vk.ErrorInvalidExternalHandle)
}

// What is in memory that is not device-local works as elsewhere, and counts in its heap.
func TestMemory_HeapsAreCountedApart(t *testing.T) {
	f := newTest(t)
	usage := func() [2]uint64 {
		b := &abi.PhysicalDeviceMemoryBudgetPropertiesEXT{}
		call(f, abi.OpGetPhysicalDeviceMemoryProperties2, &abi.GetPhysicalDeviceMemoryProperties2Args{PhysicalDevice: f.physical, PMemoryProperties: &abi.PhysicalDeviceMemoryProperties2{PNext: chained(f, b, b.StructureType())}})
		return [2]uint64(b.HeapUsage[:2])
	}
	start := usage()
	for kind, heap := range []int{hostHeap, deviceHeap, deviceHeap} {
		var m abi.DeviceMemory
		a := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 1 << 20, MemoryTypeIndex: uint32(kind)}, PMemory: &m}
		call(f, abi.OpAllocateMemory, &a)
		want(t, "vkAllocateMemory", a.Ret, vk.Success)
		wanted := start
		wanted[heap] += 1 << 20
		if got := usage(); got != wanted {
			t.Errorf("type %d: usage %v, want %v", kind, got, wanted)
		}
		call(f, abi.OpFreeMemory, &abi.FreeMemoryArgs{Device: f.device, Memory: m})
	}
	if got := usage(); got != start {
		t.Errorf("usage %v in the end, %v at the start", got, start)
	}
}
