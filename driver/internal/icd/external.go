package icd

import (
	"math"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// Memory, semaphores and fences are shared with other devices and processes by file
// descriptors of our own (OPAQUE_FD: shared memory), semaphores and fences also by
// files that become readable (SYNC_FD). Memory of the host can be imported.

const (
	opaqueMemoryFD    = vk.ExternalMemoryHandleTypeOpaqueFdBit
	hostAllocation    = vk.ExternalMemoryHandleTypeHostAllocationBitEXT
	opaqueSemaphoreFD = vk.ExternalSemaphoreHandleTypeOpaqueFdBit
	syncSemaphoreFD   = vk.ExternalSemaphoreHandleTypeSyncFdBit
	opaqueFenceFD     = vk.ExternalFenceHandleTypeOpaqueFdBit
	syncFenceFD       = vk.ExternalFenceHandleTypeSyncFdBit
)

// hostPointerAlignment is minImportedHostPointerAlignment.
const hostPointerAlignment = 4096

// externalMemory tells what can be done with resources in memory of a handle type.
// A type is compatible with itself at least.
func (d *Driver) externalMemory(t vk.ExternalMemoryHandleTypeFlags) abi.ExternalMemoryProperties {
	p := abi.ExternalMemoryProperties{CompatibleHandleTypes: t}
	switch {
	case t == opaqueMemoryFD && hasDescriptors:
		p.ExternalMemoryFeatures = vk.ExternalMemoryFeatureExportableBit | vk.ExternalMemoryFeatureImportableBit
		p.ExportFromImportedHandleTypes = t
	case t == hostAllocation && !d.isolated():
		p.ExternalMemoryFeatures = vk.ExternalMemoryFeatureImportableBit
	}
	return p
}

// GetPhysicalDeviceExternalBufferProperties is
// vkGetPhysicalDeviceExternalBufferProperties.
func (p *PhysicalDevice) GetPhysicalDeviceExternalBufferProperties(a *abi.GetPhysicalDeviceExternalBufferPropertiesArgs) {
	i := a.PExternalBufferInfo
	a.PExternalBufferProperties.ExternalMemoryProperties = p.instance.driver.externalMemory(i.HandleType)
	if i.Flags&(bufferSparse|vk.BufferCreateProtectedBit) != 0 {
		a.PExternalBufferProperties.ExternalMemoryProperties = abi.ExternalMemoryProperties{CompatibleHandleTypes: i.HandleType}
	}
}

// GetPhysicalDeviceExternalFenceProperties is
// vkGetPhysicalDeviceExternalFenceProperties.
func (p *PhysicalDevice) GetPhysicalDeviceExternalFenceProperties(a *abi.GetPhysicalDeviceExternalFencePropertiesArgs) {
	o, t := a.PExternalFenceProperties, a.PExternalFenceInfo.HandleType
	o.ExportFromImportedHandleTypes, o.CompatibleHandleTypes, o.ExternalFenceFeatures = 0, 0, 0
	if hasDescriptors && (t == opaqueFenceFD || t == syncFenceFD) {
		o.ExportFromImportedHandleTypes, o.CompatibleHandleTypes = t, t
		o.ExternalFenceFeatures = vk.ExternalFenceFeatureExportableBit | vk.ExternalFenceFeatureImportableBit
	}
}

// GetPhysicalDeviceExternalSemaphoreProperties is
// vkGetPhysicalDeviceExternalSemaphoreProperties. Timeline semaphores have no sync
// files.
func (p *PhysicalDevice) GetPhysicalDeviceExternalSemaphoreProperties(a *abi.GetPhysicalDeviceExternalSemaphorePropertiesArgs) {
	o, t := a.PExternalSemaphoreProperties, a.PExternalSemaphoreInfo.HandleType
	o.ExportFromImportedHandleTypes, o.CompatibleHandleTypes, o.ExternalSemaphoreFeatures = 0, 0, 0
	x := abi.Find[abi.SemaphoreTypeCreateInfo](a.PExternalSemaphoreInfo.PNext)
	timeline := x != nil && x.SemaphoreType == vk.SemaphoreTypeTimeline
	if hasDescriptors && (t == opaqueSemaphoreFD || t == syncSemaphoreFD && !timeline) {
		o.ExportFromImportedHandleTypes, o.CompatibleHandleTypes = t, t
		o.ExternalSemaphoreFeatures = vk.ExternalSemaphoreFeatureExportableBit | vk.ExternalSemaphoreFeatureImportableBit
	}
}

// allocate makes the memory that a VkMemoryAllocateInfo asks for: of its own, to be
// exported, imported from a descriptor, or the host's.
func (d *Device) allocate(info *abi.MemoryAllocateInfo) (*core.Memory, error) {
	lazy := lazyTypeBits>>info.MemoryTypeIndex&1 != 0
	if lazy && imports(info) {
		return nil, vk.ErrorInvalidExternalHandle
	}
	if f := abi.Find[abi.ImportMemoryFdInfoKHR](info.PNext); f != nil && f.HandleType != 0 {
		if f.HandleType != opaqueMemoryFD {
			return nil, vk.ErrorInvalidExternalHandle
		}
		return d.core.ImportShared(int(f.Fd), info.AllocationSize)
	}
	if h := abi.Find[abi.ImportMemoryHostPointerInfoEXT](info.PNext); h != nil && h.HandleType != 0 {
		return d.importHost(h, info.AllocationSize)
	}
	if x := abi.Find[abi.ExportMemoryAllocateInfo](info.PNext); x != nil && x.HandleTypes&opaqueMemoryFD != 0 {
		if lazy {
			return nil, vk.ErrorValidationFailed // no image could be bound to it, see Image.requirements
		}
		return d.core.NewSharedMemory(info.AllocationSize)
	}
	if lazy {
		return d.core.NewLazyMemory(info.AllocationSize)
	}
	// Pages that can be shown in a second place cost a fifth more when they are first
	// touched. Mesa's zink binds memory of whatever type to sparse resources.
	if d.enabled["sparseBinding"] || d.enabled["memoryMapPlaced"] {
		return d.core.NewPagedMemory(info.AllocationSize)
	}
	return d.core.NewMemory(info.AllocationSize)
}

// importHost makes memory of the application's own bytes.
func (d *Device) importHost(h *abi.ImportMemoryHostPointerInfoEXT, size uint64) (*core.Memory, error) {
	at := uint64(uintptr(h.PHostPointer))
	if h.HandleType != hostAllocation || at == 0 || at%hostPointerAlignment != 0 || size%hostPointerAlignment != 0 || size > math.MaxInt || size > math.MaxUint64-at {
		return nil, vk.ErrorInvalidExternalHandle
	}
	data := unsafe.Slice((*byte)(h.PHostPointer), int(size))
	if !memory.Mapped(data) {
		return nil, vk.ErrorInvalidExternalHandle
	}
	return d.core.ImportMemory(data, nil)
}

// GetMemoryFdKHR is vkGetMemoryFdKHR.
func (d *Device) GetMemoryFdKHR(a *abi.GetMemoryFdKHRArgs) vk.Result {
	*a.PFd = -1
	m := lookup(&d.memories, a.PGetFdInfo.Memory)
	if m == nil || a.PGetFdInfo.HandleType != opaqueMemoryFD {
		return vk.ErrorValidationFailed
	}
	fd, err := m.core.Export()
	*a.PFd = int32(fd)
	return result(err)
}

// GetMemoryFdPropertiesKHR is vkGetMemoryFdPropertiesKHR, which is not for opaque
// descriptors; others cannot be imported.
func (d *Device) GetMemoryFdPropertiesKHR(a *abi.GetMemoryFdPropertiesKHRArgs) vk.Result {
	a.PMemoryFdProperties.MemoryTypeBits = 0
	return vk.ErrorInvalidExternalHandle
}

// GetMemoryHostPointerPropertiesEXT is vkGetMemoryHostPointerPropertiesEXT.
func (d *Device) GetMemoryHostPointerPropertiesEXT(a *abi.GetMemoryHostPointerPropertiesEXTArgs) vk.Result {
	a.PMemoryHostPointerProperties.MemoryTypeBits = 0
	if a.HandleType != hostAllocation {
		return vk.ErrorInvalidExternalHandle
	}
	a.PMemoryHostPointerProperties.MemoryTypeBits = memoryTypeBits
	return vk.Success
}

// exportPayload returns a descriptor of the payload that h holds: of itself, or of
// a file that becomes readable when it is signaled, which takes it out.
func (d *Device) exportPayload(h *holder, sync bool, out *int32) vk.Result {
	*out = -1
	if !sync {
		fd, ok := h.current().block.Export()
		if !ok {
			return vk.ErrorValidationFailed // not made to be exported
		}
		*out = int32(fd)
		return vk.Success
	}
	fd, err := memory.NewSignal()
	if err != nil {
		return vk.ErrorTooManyObjects
	}
	own, err := memory.DuplicateFD(fd) // the application may close its own
	if err != nil {
		memory.CloseFD(fd)
		return vk.ErrorTooManyObjects
	}
	h.hand().export(d, own)
	*out = int32(fd)
	return vk.Success
}

// importTo puts the payload behind a descriptor into h.
func (d *Device) importTo(h *holder, kind payloadKind, fd int32, sync, temporary bool) vk.Result {
	var p *payload
	var err error
	if sync {
		p, err = importSyncFile(int(fd), kind)
	} else {
		p, err = importPayload(int(fd), kind)
	}
	if err != nil {
		return result(err)
	}
	h.put(p, temporary || sync)
	d.sync.broadcast()
	return vk.Success
}

// GetSemaphoreFdKHR is vkGetSemaphoreFdKHR.
func (d *Device) GetSemaphoreFdKHR(a *abi.GetSemaphoreFdKHRArgs) vk.Result {
	*a.PFd = -1
	i := a.PGetFdInfo
	s := lookup(&d.semaphores, i.Semaphore)
	if s == nil || i.HandleType != opaqueSemaphoreFD && (i.HandleType != syncSemaphoreFD || s.timeline) {
		return vk.ErrorValidationFailed
	}
	return d.exportPayload(&s.holder, i.HandleType == syncSemaphoreFD, a.PFd)
}

// ImportSemaphoreFdKHR is vkImportSemaphoreFdKHR.
func (d *Device) ImportSemaphoreFdKHR(a *abi.ImportSemaphoreFdKHRArgs) vk.Result {
	i := a.PImportSemaphoreFdInfo
	s := lookup(&d.semaphores, i.Semaphore)
	if s == nil || i.HandleType != opaqueSemaphoreFD && (i.HandleType != syncSemaphoreFD || s.timeline) {
		return vk.ErrorInvalidExternalHandle
	}
	return d.importTo(&s.holder, s.kind(), i.Fd, i.HandleType == syncSemaphoreFD, i.Flags&vk.SemaphoreImportTemporaryBit != 0)
}

// GetFenceFdKHR is vkGetFenceFdKHR.
func (d *Device) GetFenceFdKHR(a *abi.GetFenceFdKHRArgs) vk.Result {
	*a.PFd = -1
	i := a.PGetFdInfo
	f := lookup(&d.fences, i.Fence)
	if f == nil || i.HandleType != opaqueFenceFD && i.HandleType != syncFenceFD {
		return vk.ErrorValidationFailed
	}
	return d.exportPayload(&f.holder, i.HandleType == syncFenceFD, a.PFd)
}

// ImportFenceFdKHR is vkImportFenceFdKHR.
func (d *Device) ImportFenceFdKHR(a *abi.ImportFenceFdKHRArgs) vk.Result {
	i := a.PImportFenceFdInfo
	f := lookup(&d.fences, i.Fence)
	if f == nil || i.HandleType != opaqueFenceFD && i.HandleType != syncFenceFD {
		return vk.ErrorInvalidExternalHandle
	}
	return d.importTo(&f.holder, payloadFence, i.Fd, i.HandleType == syncFenceFD, i.Flags&vk.FenceImportTemporaryBit != 0)
}

// GetDeviceGroupPeerMemoryFeatures is vkGetDeviceGroupPeerMemoryFeatures. Groups
// have one device, which is no peer of its own; should it ask all the same, it
// may do everything.
func (d *Device) GetDeviceGroupPeerMemoryFeatures(a *abi.GetDeviceGroupPeerMemoryFeaturesArgs) {
	*a.PPeerMemoryFeatures = vk.PeerMemoryFeatureCopySrcBit | vk.PeerMemoryFeatureCopyDstBit |
		vk.PeerMemoryFeatureGenericSrcBit | vk.PeerMemoryFeatureGenericDstBit
}
