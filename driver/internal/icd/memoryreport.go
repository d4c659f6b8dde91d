package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// A MemoryReportFunc calls a PFN_vkDeviceMemoryReportCallbackEXT. data is a
// VkDeviceMemoryReportCallbackDataEXT.
type MemoryReportFunc func(function uintptr, data, user unsafe.Pointer)

// memoryListener is a VkDeviceDeviceMemoryReportCreateInfoEXT.
type memoryListener struct {
	function uintptr
	user     unsafe.Pointer
}

// listen collects the listeners of a new device.
func (d *Device) listen(info *abi.DeviceCreateInfo) {
	if !d.enabled["deviceMemoryReport"] || d.driver.cfg.MemoryReport == nil {
		return
	}
	for s := range abi.Chain(info.PNext) {
		if s.SType != vk.StructureTypeDeviceDeviceMemoryReportCreateInfoEXT {
			continue
		}
		if r := (*abi.DeviceDeviceMemoryReportCreateInfoEXT)(unsafe.Pointer(s)); r.PfnUserCallback != 0 {
			d.listeners = append(d.listeners, memoryListener{r.PfnUserCallback, r.PUserData})
		}
	}
}

// memoryID is the number of a new memory object. Objects that share a file have the
// file's, in all processes; the highest bit tells the two kinds apart.
func (d *Device) memoryID(m *Memory) uint64 {
	if file, ok := m.core.FileID(); ok {
		return file | 1<<63
	}
	return d.memoryIDs.Add(1)
}

// report tells the listeners of an event of memory of a heap.
//
// VkDeviceMemoryReportCallbackDataEXT
func (d *Device) report(event vk.DeviceMemoryReportEventTypeEXT, heap uint32, id, size uint64, of vk.ObjectType, handle uint64) {
	for _, l := range d.listeners {
		data := &abi.DeviceMemoryReportCallbackDataEXT{Type: event, MemoryObjectId: id, Size: size, HeapIndex: heap, ObjectType: of, ObjectHandle: handle}
		data.SType = data.StructureType()
		d.driver.cfg.MemoryReport(l.function, unsafe.Pointer(data), l.user)
	}
}

// reportAllocation tells of a vkAllocateMemory and its result.
func (d *Device) reportAllocation(info *abi.MemoryAllocateInfo, m *Memory, handle abi.DeviceMemory, r vk.Result) {
	if len(d.listeners) == 0 {
		return
	}
	switch {
	case r == vk.Success:
		m.id, m.imported = d.memoryID(m), imports(info)
		event := vk.DeviceMemoryReportEventTypeAllocateEXT
		if m.imported {
			event = vk.DeviceMemoryReportEventTypeImportEXT
		}
		d.report(event, m.heap, m.id, m.core.Size(), vk.ObjectTypeDeviceMemory, uint64(handle))
	case !imports(info) && r != vk.ErrorValidationFailed:
		d.report(vk.DeviceMemoryReportEventTypeAllocationFailedEXT, m.heap, 0, info.AllocationSize, vk.ObjectTypeDeviceMemory, 0)
	}
}

// reportFree tells of a vkFreeMemory.
func (d *Device) reportFree(m *Memory, handle abi.DeviceMemory) {
	event := vk.DeviceMemoryReportEventTypeFreeEXT
	if m.imported {
		event = vk.DeviceMemoryReportEventTypeUnimportEXT
	}
	d.report(event, m.heap, m.id, m.core.Size(), vk.ObjectTypeDeviceMemory, uint64(handle))
}

// imports says that an allocation is an import.
func imports(info *abi.MemoryAllocateInfo) bool {
	f, h := abi.Find[abi.ImportMemoryFdInfoKHR](info.PNext), abi.Find[abi.ImportMemoryHostPointerInfoEXT](info.PNext)
	return f != nil && f.HandleType != 0 || h != nil && h.HandleType != 0
}
