package icd

import (
	"math"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// MapMemory2 is vkMapMemory2.
func (d *Device) MapMemory2(a *abi.MapMemory2Args) (r vk.Result) {
	i := a.PMemoryMapInfo
	if i.Flags&vk.MemoryMapPlacedBitEXT != 0 {
		*a.PpData, r = d.placeMemory(i)
		return r
	}
	*a.PpData, r = d.mapMemory(i.Memory, i.Offset, i.Size)
	return r
}

// placeMemory maps memory where the application wants it.
//
// VkMemoryMapPlacedInfoEXT
func (d *Device) placeMemory(i *abi.MemoryMapInfo) (unsafe.Pointer, vk.Result) {
	m, p := d.memories.Get(uint64(i.Memory)), abi.Find[abi.MemoryMapPlacedInfoEXT](i.PNext)
	if m == nil || p == nil || p.PPlacedAddress == nil || m.placed != nil || m.core.Lazy() {
		return nil, vk.ErrorMemoryMapFailed
	}
	size, n := m.core.Size(), i.Size
	if n == vk.WholeSize {
		n = size - min(i.Offset, size)
	}
	if n > size || uint64(uintptr(p.PPlacedAddress)) > math.MaxInt64-n {
		return nil, vk.ErrorMemoryMapFailed
	}
	dst := unsafe.Slice((*byte)(p.PPlacedAddress), int(n))
	if m.core.Place(dst, i.Offset) != nil {
		return nil, vk.ErrorMemoryMapFailed // why has been told
	}
	m.placed = dst
	return p.PPlacedAddress, vk.Success
}

// displace takes memory away from where it was placed.
func (m *Memory) displace(reserve bool) error {
	if m.placed == nil {
		return nil
	}
	if err := memory.Displace(m.placed, reserve); err != nil {
		return err
	}
	m.placed = nil
	return nil
}

// UnmapMemory2 is vkUnmapMemory2: memory stays where it is, unless it was mapped elsewhere, too. The
// addresses of memory that was not, such as what was imported from a host, are never left to the application, because
// the engine uses them.
func (d *Device) UnmapMemory2(a *abi.UnmapMemory2Args) vk.Result {
	i := a.PMemoryUnmapInfo
	m := d.memories.Get(uint64(i.Memory))
	reserve := i.Flags&vk.MemoryUnmapReserveBitEXT != 0
	if m == nil || reserve && m.placed == nil || m.displace(reserve) != nil {
		return vk.ErrorMemoryMapFailed
	}
	return vk.Success
}

// SetDeviceMemoryPriorityEXT is vkSetDeviceMemoryPriorityEXT. Memory never moves
// to a slower place, so that priorities, which are hints, make no difference.
func (d *Device) SetDeviceMemoryPriorityEXT(*abi.SetDeviceMemoryPriorityEXTArgs) {}

// memoryBudget fills in VkPhysicalDeviceMemoryBudgetPropertiesEXT: a heap may be used up
// to what the other leaves, as far as the host has memory for it; what all devices of the process
// have of it is in use.
func (p *PhysicalDevice) memoryBudget(b *abi.PhysicalDeviceMemoryBudgetPropertiesEXT) {
	clear(b.HeapBudget[:])
	clear(b.HeapUsage[:])
	driver := p.instance.driver
	for _, d := range driver.devices.All() {
		used, _ := d.core.Memory()
		host := min(d.hostBytes.Load(), used) // the two are read one after the other
		b.HeapUsage[hostHeap] += uint64(host)
		b.HeapUsage[deviceHeap] += uint64(used - host)
	}
	limit := uint64(driver.cfg.MemoryLimit)
	used := b.HeapUsage[hostHeap] + b.HeapUsage[deviceHeap]
	left := limit - min(used, limit)
	left = min(left, uint64(driver.gate.Room(int64(left))))
	for i := range heapCount {
		b.HeapBudget[i] = max(min(b.HeapUsage[i]+left, limit), 1) // 0 is not allowed
	}
}

// fillMemoryProperties answers the structs in the chain of
// VkPhysicalDeviceMemoryProperties2.
func (p *PhysicalDevice) fillMemoryProperties(next unsafe.Pointer) {
	if b := abi.Find[abi.PhysicalDeviceMemoryBudgetPropertiesEXT](next); b != nil {
		p.memoryBudget(b)
	}
}
