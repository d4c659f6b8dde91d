package icd

import (
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// PhysicalDevice is the VkPhysicalDevice of an instance.
type PhysicalDevice struct {
	instance *Instance
}

// engine answers what is the same for every device of package core: limits,
// features, formats.
var engine *core.Device

// queueFamilies: one that does everything, one for compute, one for copies. Whoever wants a second
// family of any kind finds one: compute and copies in the families before, and the last does all.
var queueFamilies = [...]abi.QueueFamilyProperties{
	queueFamily(vk.QueueGraphicsBit|vk.QueueComputeBit|vk.QueueTransferBit, 2),
	queueFamily(vk.QueueComputeBit|vk.QueueTransferBit, 1),
	queueFamily(vk.QueueTransferBit, 1),
	queueFamily(vk.QueueGraphicsBit|vk.QueueComputeBit|vk.QueueTransferBit, 1),
}

func queueFamily(does vk.QueueFlags, queues uint32) abi.QueueFamilyProperties {
	if hasSparse {
		does |= vk.QueueSparseBindingBit
	}
	return abi.QueueFamilyProperties{
		QueueFlags: does, QueueCount: queues, TimestampValidBits: 64,
		MinImageTransferGranularity: vk.Extent3D{Width: 1, Height: 1, Depth: 1},
	}
}

// globalPriorities are those that queues can have. They make no difference, which
// they need not: queues get what the operating system gives the process.
var globalPriorities = [...]vk.QueueGlobalPriority{vk.QueueGlobalPriorityLow, vk.QueueGlobalPriorityMedium}

// The heaps of memory. It is the same memory, and one limit holds for both: see RATIONALE.md.
const (
	deviceHeap = iota
	hostHeap
	heapCount
)

// visible memory is what the host sees as it is.
const visible = vk.MemoryPropertyHostVisibleBit | vk.MemoryPropertyHostCoherentBit | vk.MemoryPropertyHostCachedBit

// memoryTypes are in an order that vkGetPhysicalDeviceMemoryProperties allows: a type comes before those that have
// all of its properties and more.
//
// memory-device-bitmask-list
var memoryTypes = [...]vk.MemoryType{
	{PropertyFlags: visible, HeapIndex: hostHeap},
	{PropertyFlags: visible | vk.MemoryPropertyDeviceLocalBit, HeapIndex: deviceHeap},
	{PropertyFlags: vk.MemoryPropertyLazilyAllocatedBit | vk.MemoryPropertyDeviceLocalBit, HeapIndex: deviceHeap},
}

// memoryTypeBits are the types for all resources, lazyTypeBits those for transient attachments only.
const (
	memoryTypeBits = 0b011
	lazyTypeBits   = 0b100
)

// memoryProperties tells of the memory types. Each heap may have all of the memory.
func (p *PhysicalDevice) memoryProperties() (m abi.PhysicalDeviceMemoryProperties) {
	m.MemoryTypeCount, m.MemoryHeapCount = uint32(copy(m.MemoryTypes[:], memoryTypes[:])), heapCount
	size := uint64(p.instance.driver.cfg.MemoryLimit)
	m.MemoryHeaps[deviceHeap] = vk.MemoryHeap{Size: size, Flags: vk.MemoryHeapDeviceLocalBit}
	m.MemoryHeaps[hostHeap] = vk.MemoryHeap{Size: size}
	return m
}

// GetPhysicalDeviceFeatures is vkGetPhysicalDeviceFeatures.
func (p *PhysicalDevice) GetPhysicalDeviceFeatures(a *abi.GetPhysicalDeviceFeaturesArgs) {
	*a.PFeatures = coreFeatures()
}

// GetPhysicalDeviceFeatures2 is vkGetPhysicalDeviceFeatures2.
func (p *PhysicalDevice) GetPhysicalDeviceFeatures2(a *abi.GetPhysicalDeviceFeatures2Args) {
	a.PFeatures.Features = coreFeatures()
	for s := range abi.Chain(a.PFeatures.PNext) {
		p.instance.driver.fillFeatures(s)
	}
}

// GetPhysicalDeviceProperties is vkGetPhysicalDeviceProperties.
func (p *PhysicalDevice) GetPhysicalDeviceProperties(a *abi.GetPhysicalDevicePropertiesArgs) {
	*a.PProperties = p.properties()
}

// GetPhysicalDeviceProperties2 is vkGetPhysicalDeviceProperties2.
func (p *PhysicalDevice) GetPhysicalDeviceProperties2(a *abi.GetPhysicalDeviceProperties2Args) {
	a.PProperties.Properties = p.properties()
	for s := range abi.Chain(a.PProperties.PNext) {
		fillProperties(s)
		cfg := &p.instance.driver.cfg
		switch s.SType {
		case vk.StructureTypePhysicalDeviceFragmentShadingRatePropertiesKHR:
			rates := (*abi.PhysicalDeviceFragmentShadingRatePropertiesKHR)(unsafe.Pointer(s))
			rates.MaxFragmentShadingRateCoverageSamples = cfg.CoverageSamples
			masks := abi.Bool(p.instance.driver.masksRates())
			rates.FragmentShadingRateWithShaderSampleMask = masks
			rates.FragmentShadingRateWithFragmentShaderInterlock = masks
		case vk.StructureTypePhysicalDeviceVulkan1_2Properties:
			(*abi.PhysicalDeviceVulkan12Properties)(unsafe.Pointer(s)).ConformanceVersion = cfg.Conformance
		case vk.StructureTypePhysicalDeviceVulkan1_1Properties:
			v11 := (*abi.PhysicalDeviceVulkan11Properties)(unsafe.Pointer(s))
			v11.MaxMemoryAllocationSize = p.instance.driver.maxAllocation()
		case vk.StructureTypePhysicalDeviceMaintenance3Properties:
			m3 := (*abi.PhysicalDeviceMaintenance3Properties)(unsafe.Pointer(s))
			m3.MaxMemoryAllocationSize = p.instance.driver.maxAllocation()
		case vk.StructureTypePhysicalDeviceDriverProperties:
			(*abi.PhysicalDeviceDriverProperties)(unsafe.Pointer(s)).ConformanceVersion = cfg.Conformance
		}
	}
}

// GetPhysicalDeviceQueueFamilyProperties is vkGetPhysicalDeviceQueueFamilyProperties.
func (p *PhysicalDevice) GetPhysicalDeviceQueueFamilyProperties(a *abi.GetPhysicalDeviceQueueFamilyPropertiesArgs) {
	abi.Enumerate(a.PQueueFamilyPropertyCount, a.PQueueFamilyProperties, queueFamilies[:])
}

// GetPhysicalDeviceQueueFamilyProperties2 is vkGetPhysicalDeviceQueueFamilyProperties2.
func (p *PhysicalDevice) GetPhysicalDeviceQueueFamilyProperties2(a *abi.GetPhysicalDeviceQueueFamilyProperties2Args) {
	if a.PQueueFamilyProperties == nil {
		*a.PQueueFamilyPropertyCount = uint32(len(queueFamilies))
		return
	}
	out := abi.Slice(a.PQueueFamilyProperties, min(*a.PQueueFamilyPropertyCount, uint32(len(queueFamilies))))
	for i := range out {
		out[i].QueueFamilyProperties = queueFamilies[i]
		if g := abi.Find[abi.QueueFamilyGlobalPriorityProperties](out[i].PNext); g != nil {
			g.PriorityCount = uint32(copy(g.Priorities[:], globalPriorities[:]))
		}
		if o := abi.Find[abi.QueueFamilyOwnershipTransferPropertiesKHR](out[i].PNext); o != nil {
			o.OptimalImageTransferToQueueFamilies = 1<<len(queueFamilies) - 1 // all families are the same memory
		}
		if o := abi.Find[abi.QueueFamilyOptimalImageTransferGranularityPropertiesKHR](out[i].PNext); o != nil {
			o.OptimalImageTransferGranularity = abi.Extent3D(queueFamilies[i].MinImageTransferGranularity)
		}
	}
	*a.PQueueFamilyPropertyCount = uint32(len(out))
}

// GetPhysicalDeviceMemoryProperties is vkGetPhysicalDeviceMemoryProperties.
func (p *PhysicalDevice) GetPhysicalDeviceMemoryProperties(a *abi.GetPhysicalDeviceMemoryPropertiesArgs) {
	*a.PMemoryProperties = p.memoryProperties()
}

// GetPhysicalDeviceMemoryProperties2 is vkGetPhysicalDeviceMemoryProperties2.
func (p *PhysicalDevice) GetPhysicalDeviceMemoryProperties2(a *abi.GetPhysicalDeviceMemoryProperties2Args) {
	a.PMemoryProperties.MemoryProperties = p.memoryProperties()
	p.fillMemoryProperties(a.PMemoryProperties.PNext)
}

// GetPhysicalDeviceFormatProperties is vkGetPhysicalDeviceFormatProperties.
func (p *PhysicalDevice) GetPhysicalDeviceFormatProperties(a *abi.GetPhysicalDeviceFormatPropertiesArgs) {
	*a.PFormatProperties = core.NarrowFormatProperties(p.instance.driver.formatProperties3(a.Format))
}

// GetPhysicalDeviceFormatProperties2 is vkGetPhysicalDeviceFormatProperties2.
func (p *PhysicalDevice) GetPhysicalDeviceFormatProperties2(a *abi.GetPhysicalDeviceFormatProperties2Args) {
	all := p.instance.driver.formatProperties3(a.Format)
	a.PFormatProperties.FormatProperties = core.NarrowFormatProperties(all)
	for s := range abi.Chain(a.PFormatProperties.PNext) {
		if s.SType == vk.StructureTypeSubpassResolvePerformanceQueryEXT {
			(*abi.SubpassResolvePerformanceQueryEXT)(unsafe.Pointer(s)).Optimal = 1
		}
		if s.SType == vk.StructureTypeFormatProperties4KHR { // whose flags have no bits yet
			out := (*abi.FormatProperties4KHR)(unsafe.Pointer(s))
			out.LinearTilingFeatures, out.OptimalTilingFeatures, out.BufferFeatures = 0, 0, 0
		}
		if s.SType == vk.StructureTypeFormatProperties3 {
			out := (*abi.FormatProperties3)(unsafe.Pointer(s))
			out.LinearTilingFeatures, out.OptimalTilingFeatures, out.BufferFeatures = all.LinearTilingFeatures, all.OptimalTilingFeatures, all.BufferFeatures
		}
		fillModifiers(s, a.Format, all.LinearTilingFeatures)
	}
}

// EnumerateDeviceExtensionProperties is vkEnumerateDeviceExtensionProperties.
func (p *PhysicalDevice) EnumerateDeviceExtensionProperties(a *abi.EnumerateDeviceExtensionPropertiesArgs) vk.Result {
	if a.PLayerName != nil {
		return vk.ErrorLayerNotPresent
	}
	return abi.Enumerate(a.PPropertyCount, a.PProperties, extensionProperties(p.deviceExtensions()))
}

// deviceExtensions are those that are listed: without those that stand on an extension of the instance that is not
// enabled, since loaders older than that one hide it from programs, and all that is listed must have what it depends on.
func (p *PhysicalDevice) deviceExtensions() []extension {
	return slices.DeleteFunc(slices.Clone(p.instance.driver.deviceExtensions), func(e extension) bool {
		needs := map[string]string{
			"VK_EXT_swapchain_maintenance1": "VK_EXT_surface_maintenance1",
			"VK_KHR_swapchain_maintenance1": "VK_KHR_surface_maintenance1",
		}[e.name]
		return needs != "" && !p.instance.extensions[needs]
	})
}

// EnumerateDeviceLayerProperties is vkEnumerateDeviceLayerProperties.
func (p *PhysicalDevice) EnumerateDeviceLayerProperties(a *abi.EnumerateDeviceLayerPropertiesArgs) vk.Result {
	return abi.Enumerate(a.PPropertyCount, a.PProperties, nil)
}
