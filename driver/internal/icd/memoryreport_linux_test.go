package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
	"golang.org/x/sys/unix"
)

// Listeners hear of each allocation and each import, of their ends, and of failures;
// what shares a file has one number.
func TestMemoryReport(t *testing.T) {
	f := newTest(t)
	type event = abi.DeviceMemoryReportCallbackDataEXT
	var heard [2][]event
	f.driver.cfg.MemoryReport = func(function uintptr, data, user unsafe.Pointer) {
		if user != unsafe.Pointer(&heard) {
			t.Error("another pointer than the listener's")
		}
		heard[function-7] = append(heard[function-7], *(*event)(data))
	}
	on := &abi.PhysicalDeviceDeviceMemoryReportFeaturesEXT{DeviceMemoryReport: 1}
	first := &abi.DeviceDeviceMemoryReportCreateInfoEXT{PfnUserCallback: 7, PUserData: unsafe.Pointer(&heard), PNext: unsafe.Pointer(on)}
	second := &abi.DeviceDeviceMemoryReportCreateInfoEXT{PfnUserCallback: 8, PUserData: unsafe.Pointer(&heard), PNext: unsafe.Pointer(first)}
	on.SType, first.SType, second.SType = on.StructureType(), first.StructureType(), first.StructureType()
	old := f.device
	priority := float32(1)
	queue := abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority}
	create := abi.CreateDeviceArgs{PhysicalDevice: f.physical, PCreateInfo: &abi.DeviceCreateInfo{PNext: unsafe.Pointer(second), QueueCreateInfoCount: 1, PQueueCreateInfos: &queue}, PDevice: &f.device}
	call(f, abi.OpCreateDevice, &create)
	want(t, "vkCreateDevice", create.Ret, vk.Success)
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: old})

	free := func(m abi.DeviceMemory) {
		call(f, abi.OpFreeMemory, &abi.FreeMemoryArgs{Device: f.device, Memory: m})
	}
	const allocated, freed, imported, unimported, failed = vk.DeviceMemoryReportEventTypeAllocateEXT, vk.DeviceMemoryReportEventTypeFreeEXT,
		vk.DeviceMemoryReportEventTypeImportEXT, vk.DeviceMemoryReportEventTypeUnimportEXT, vk.DeviceMemoryReportEventTypeAllocationFailedEXT
	// next is the one event since the last call.
	seen := 0
	next := func(what string, kind vk.DeviceMemoryReportEventTypeEXT, of abi.DeviceMemory, size uint64) uint64 {
		t.Helper()
		if len(heard[0]) != seen+1 || len(heard[1]) != seen+1 {
			t.Fatalf("%s: %d and %d events, want %d", what, len(heard[0]), len(heard[1]), seen+1)
		}
		e := heard[0][seen]
		if seen++; e != heard[1][seen-1] || e.SType != e.StructureType() || e.Type != kind || e.ObjectType != vk.ObjectTypeDeviceMemory || e.ObjectHandle != uint64(of) || e.Size != size || e.HeapIndex != hostHeap {
			t.Errorf("%s: %+v and %+v", what, e, heard[1][seen-1])
		}
		return e.MemoryObjectId
	}
	a, _ := f.memory(4096)
	idA := next("allocated", allocated, a, 4096)
	b, _ := f.memory(8192)
	idB := next("another", allocated, b, 8192)
	free(a)
	if id := next("freed", freed, a, 4096); id != idA || idA == idB || idA == 0 {
		t.Errorf("numbers %d, %d, freed %d", idA, idB, id)
	}
	x := &abi.ExportMemoryAllocateInfo{HandleTypes: opaqueMemoryFD}
	shared, _, r := f.allocateWith(chained(f, x, x.StructureType()), 4096)
	want(t, "vkAllocateMemory", r, vk.Success)
	id := next("shared", allocated, shared, 4096)
	var fd int32
	get := abi.GetMemoryFdKHRArgs{Device: f.device, PGetFdInfo: &abi.MemoryGetFdInfoKHR{Memory: shared, HandleType: opaqueMemoryFD}, PFd: &fd}
	call(f, abi.OpGetMemoryFdKHR, &get)
	want(t, "vkGetMemoryFdKHR", get.Ret, vk.Success)
	other, err := unix.Dup(int(fd))
	if err != nil {
		t.Fatal(err)
	}
	c, _, r := f.importMemory(fd, 4096)
	want(t, "import", r, vk.Success)
	if got := next("imported", imported, c, 4096); got != id || id == idA || id == idB {
		t.Errorf("imported %d of %d", got, id)
	}
	free(c)
	if got := next("unimported", unimported, c, 4096); got != id {
		t.Errorf("unimported %d of %d", got, id)
	}
	if _, _, r := f.importMemory(int32(other), 1<<20); r == vk.Success {
		t.Error("more was imported than there is")
	}
	unix.Close(other)
	var none abi.DeviceMemory
	huge := abi.AllocateMemoryArgs{Device: f.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 1 << 60}, PMemory: &none}
	call(f, abi.OpAllocateMemory, &huge)
	next("failed", failed, 0, 1<<60)
	free(shared)
	next("shared freed", freed, shared, 4096)
	free(b)
	next("the other freed", freed, b, 8192)
	free(b) // does not exist
	if len(heard[0]) != seen {
		t.Errorf("told of memory that is not there: %+v", heard[0][seen:])
	}

	// The images of a swapchain.
	surface := f.headless()
	chain := f.swapchain(surface, 2, vk.PresentModeFifoKHR)
	n := uint32(2)
	var images [2]abi.Image
	call(f, abi.OpGetSwapchainImagesKHR, &abi.GetSwapchainImagesKHRArgs{Device: f.device, Swapchain: chain, PSwapchainImageCount: &n, PSwapchainImages: &images[0]})
	call(f, abi.OpDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: f.device, Swapchain: chain})
	more := heard[0][seen:]
	if len(more) != 4 {
		t.Fatalf("%d events of a swapchain of two images", len(more))
	}
	for i := range images {
		made, gone := more[i], more[2+i]
		if made.Type != allocated || gone.Type != freed || made.ObjectType != vk.ObjectTypeImage || made.ObjectHandle != uint64(images[i]) ||
			gone.ObjectHandle != made.ObjectHandle || gone.MemoryObjectId != made.MemoryObjectId || made.Size < 8*8*4 {
			t.Errorf("image %d: %+v, %+v", i, made, gone)
		}
	}
}
