package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// MapMemory2 is vkMapMemory2.
func (d *Device) MapMemory2(a *abi.MapMemory2Args) (r vk.Result) {
	i := a.PMemoryMapInfo
	*a.PpData, r = d.mapMemory(i.Memory, i.Offset, i.Size)
	return r
}

// UnmapMemory2 is vkUnmapMemory2: memory stays where it is.
func (d *Device) UnmapMemory2(*abi.UnmapMemory2Args) vk.Result { return vk.Success }

// SetDeviceMemoryPriorityEXT is vkSetDeviceMemoryPriorityEXT. Memory never moves
// to a slower place, so that priorities, which are hints, make no difference.
func (d *Device) SetDeviceMemoryPriorityEXT(*abi.SetDeviceMemoryPriorityEXTArgs) {}

// memoryBudget fills in VkPhysicalDeviceMemoryBudgetPropertiesEXT: the heap may be
// used up, and what all devices of the process have of it is in use.
func (p *PhysicalDevice) memoryBudget(b *abi.PhysicalDeviceMemoryBudgetPropertiesEXT) {
	clear(b.HeapBudget[:])
	clear(b.HeapUsage[:])
	driver := p.instance.driver
	b.HeapBudget[0] = uint64(driver.cfg.MemoryLimit)
	for _, d := range driver.devices.All() {
		used, _ := d.core.Memory()
		b.HeapUsage[0] += uint64(used)
	}
}

// fillMemoryProperties answers the structs in the chain of
// VkPhysicalDeviceMemoryProperties2.
func (p *PhysicalDevice) fillMemoryProperties(next unsafe.Pointer) {
	if b := abi.Find[abi.PhysicalDeviceMemoryBudgetPropertiesEXT](next); b != nil {
		p.memoryBudget(b)
	}
}
