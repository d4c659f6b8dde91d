package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// GetBufferDeviceAddress is vkGetBufferDeviceAddress; 0 for a buffer that cannot
// have one.
func (d *Device) GetBufferDeviceAddress(a *abi.GetBufferDeviceAddressArgs) uint64 {
	b := lookup(&d.buffers, a.PInfo.Buffer)
	if b == nil {
		return 0
	}
	address, _ := b.core.DeviceAddress() // core has told what is wrong
	return address
}

// GetBufferOpaqueCaptureAddress is vkGetBufferOpaqueCaptureAddress: all that a
// replay needs is the address itself.
func (d *Device) GetBufferOpaqueCaptureAddress(a *abi.GetBufferOpaqueCaptureAddressArgs) uint64 {
	b := lookup(&d.buffers, a.PInfo.Buffer)
	if b == nil {
		return 0
	}
	address, _ := b.core.CaptureAddress() // core has told what is wrong
	return address
}

// GetDeviceMemoryOpaqueCaptureAddress is vkGetDeviceMemoryOpaqueCaptureAddress.
// Addresses belong to buffers, so that nothing about memory is worth keeping.
func (d *Device) GetDeviceMemoryOpaqueCaptureAddress(a *abi.GetDeviceMemoryOpaqueCaptureAddressArgs) uint64 {
	if lookup(&d.memories, a.PInfo.Memory) == nil {
		return 0
	}
	return opaqueMemory
}

// opaqueMemory stands for any memory; 0 would mean that it is no replay.
const opaqueMemory = 1 << 12

// replayAddress is the address that a buffer has to have again, 0 for none.
func replayAddress(i *abi.BufferCreateInfo) uint64 {
	if o := abi.Find[abi.BufferOpaqueCaptureAddressCreateInfo](i.PNext); o != nil && o.OpaqueCaptureAddress != 0 {
		return o.OpaqueCaptureAddress
	}
	if o := abi.Find[abi.BufferDeviceAddressCreateInfoEXT](i.PNext); o != nil {
		return o.DeviceAddress
	}
	if i.Flags&vk.BufferCreateDescriptorBufferCaptureReplayBitEXT != 0 {
		return replayedNumber(i.PNext)
	}
	return 0
}
