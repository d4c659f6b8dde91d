package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Memory is a VkDeviceMemory.
type Memory struct {
	core   *core.Memory
	heap   uint32
	placed []byte // where else it is mapped for the application; nil: where it is

	id       uint64 // in reports
	imported bool
}

// AllocateMemory is vkAllocateMemory.
func (d *Device) AllocateMemory(a *abi.AllocateMemoryArgs) vk.Result {
	info := a.PAllocateInfo
	m := &Memory{}
	err := error(vk.ErrorValidationFailed)
	if info.MemoryTypeIndex < uint32(len(memoryTypes)) {
		m.heap = memoryTypes[info.MemoryTypeIndex].HeapIndex
		if m.core, err = d.allocate(info); err == nil && m.heap == hostHeap {
			m.core.Count(&d.hostBytes)
		}
	}
	r := created(&d.memories, a.PMemory, m, err)
	d.reportAllocation(info, m, *a.PMemory, r)
	return r
}

// FreeMemory is vkFreeMemory. Resources bound to the memory keep it until they
// are gone too.
func (d *Device) FreeMemory(a *abi.FreeMemoryArgs) {
	if m := d.memories.Take(uint64(a.Memory)); m != nil {
		d.reportFree(m, a.Memory)
		_ = m.displace(false) // the addresses are the application's, and go with the memory if they can
		_ = m.core.Close()
	}
}

// mapMemory returns where offset lies in the memory of a handle.
func (d *Device) mapMemory(h abi.DeviceMemory, offset, size uint64) (unsafe.Pointer, vk.Result) {
	m := d.memories.Get(uint64(h))
	if m == nil {
		return nil, vk.ErrorMemoryMapFailed
	}
	data := m.core.Bytes()
	if m.core.Lazy() { // VUID-vkMapMemory-memory-00682
		return nil, vk.ErrorMemoryMapFailed
	}
	if offset >= uint64(len(data)) || size != vk.WholeSize && size > uint64(len(data))-offset {
		return nil, vk.ErrorMemoryMapFailed
	}
	// Who may keep the addresses of what it unmaps gets some that the engine does not use.
	if d.enabled["memoryUnmapReserve"] && m.placed == nil && m.core.Placeable() {
		var err error
		if m.placed, err = m.core.Show(); err != nil {
			return nil, vk.ErrorMemoryMapFailed // why has been told
		}
		data = m.placed
	}
	return unsafe.Pointer(&data[offset]), vk.Success
}

// MapMemory is vkMapMemory.
func (d *Device) MapMemory(a *abi.MapMemoryArgs) (r vk.Result) {
	*a.PpData, r = d.mapMemory(a.Memory, a.Offset, a.Size)
	return r
}

// UnmapMemory is vkUnmapMemory: memory stays where it is, unless it was placed.
func (d *Device) UnmapMemory(a *abi.UnmapMemoryArgs) {
	if m := d.memories.Get(uint64(a.Memory)); m != nil {
		_ = m.displace(false) // there is nothing to return it by
	}
}

// FlushMappedMemoryRanges is vkFlushMappedMemoryRanges: all memory is coherent.
func (d *Device) FlushMappedMemoryRanges(*abi.FlushMappedMemoryRangesArgs) vk.Result {
	return vk.Success
}

// InvalidateMappedMemoryRanges is vkInvalidateMappedMemoryRanges.
func (d *Device) InvalidateMappedMemoryRanges(*abi.InvalidateMappedMemoryRangesArgs) vk.Result {
	return vk.Success
}

// GetDeviceMemoryCommitment is vkGetDeviceMemoryCommitment.
func (d *Device) GetDeviceMemoryCommitment(a *abi.GetDeviceMemoryCommitmentArgs) {
	*a.PCommittedMemoryInBytes = 0
	if m := d.memories.Get(uint64(a.Memory)); m != nil {
		*a.PCommittedMemoryInBytes = m.core.Commitment()
	}
}
