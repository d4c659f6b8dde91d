package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// maxBufferBytes is more than could be bound, for buffers beyond maxBufferSize, which package core
// permits where no shader looks: sizes that are rounded up must not wrap.
const maxBufferBytes = 1 << 40

// bufferInfo is a VkBufferCreateInfo in package vk's terms; usage may come in 64
// bits, of which nothing here needs the upper half.
func bufferInfo(i *abi.BufferCreateInfo) (vk.BufferCreateInfo, error) {
	info := vk.BufferCreateInfo{Flags: i.Flags, Size: i.Size, Usage: i.Usage}
	if u := abi.Find[abi.BufferUsageFlags2CreateInfo](i.PNext); u != nil {
		info.Usage = vk.BufferUsageFlags(u.Usage)
	}
	if i.Size > maxBufferBytes {
		return info, vk.ErrorOutOfDeviceMemory
	}
	return info, nil
}

// CreateBuffer is vkCreateBuffer.
func (d *Device) CreateBuffer(a *abi.CreateBufferArgs) vk.Result {
	info, err := bufferInfo(a.PCreateInfo)
	b := &Buffer{}
	if err == nil {
		b.core, err = d.core.NewUnboundBuffer(info, "")
	}
	if at := replayAddress(a.PCreateInfo); err == nil && at != 0 {
		if err = b.core.ReplayAddress(at); err != nil {
			_ = b.core.Close()
		}
	}
	r := created(&d.buffers, a.PBuffer, b, err)
	if r == vk.Success {
		d.addressBound(b, *a.PBuffer, vk.DeviceAddressBindingInternalObjectBitEXT)
	}
	return r
}

// DestroyBuffer is vkDestroyBuffer.
func (d *Device) DestroyBuffer(a *abi.DestroyBufferArgs) {
	destroy(&d.buffers, a.Buffer, func(b *Buffer) object {
		d.addressUnbound(b, a.Buffer)
		return b.core
	})
}

// GetBufferMemoryRequirements is vkGetBufferMemoryRequirements.
func (d *Device) GetBufferMemoryRequirements(a *abi.GetBufferMemoryRequirementsArgs) {
	*a.PMemoryRequirements = d.bufferRequirements(a.Buffer)
}

// GetBufferMemoryRequirements2 is vkGetBufferMemoryRequirements2.
func (d *Device) GetBufferMemoryRequirements2(a *abi.GetBufferMemoryRequirements2Args) {
	fillRequirements(a.PMemoryRequirements, d.bufferRequirements(a.PInfo.Buffer))
}

// GetDeviceBufferMemoryRequirements is vkGetDeviceBufferMemoryRequirements.
func (d *Device) GetDeviceBufferMemoryRequirements(a *abi.GetDeviceBufferMemoryRequirementsArgs) {
	info := a.PInfo.PCreateInfo
	fillRequirements(a.PMemoryRequirements, deviceRequirements(core.BufferRequirements(min(info.Size, maxBufferBytes), info.Flags)))
}

func (d *Device) bufferRequirements(h abi.Buffer) vk.MemoryRequirements {
	b := lookup(&d.buffers, h)
	if b == nil {
		return vk.MemoryRequirements{}
	}
	return deviceRequirements(b.core.Requirements())
}

// deviceRequirements puts the driver's memory types in place of package core's kinds
// of memory: of a device with sparse resources, all memory can be bound to them, but for what is lazily allocated.
func deviceRequirements(r vk.MemoryRequirements) vk.MemoryRequirements {
	lazy := r.MemoryTypeBits&core.LazyMemoryTypeBits != 0
	if r.MemoryTypeBits = memoryTypeBits; lazy {
		r.MemoryTypeBits |= lazyTypeBits
	}
	return r
}

// fillRequirements answers the …2 queries. No resource wants memory of its own.
func fillRequirements(out *abi.MemoryRequirements2, r vk.MemoryRequirements) {
	out.MemoryRequirements = r
	if o := abi.Find[abi.MemoryDedicatedRequirements](out.PNext); o != nil {
		o.PrefersDedicatedAllocation, o.RequiresDedicatedAllocation = 0, 0
	}
}

// BindBufferMemory is vkBindBufferMemory.
func (d *Device) BindBufferMemory(a *abi.BindBufferMemoryArgs) vk.Result {
	return d.bindBuffer(a.Buffer, a.Memory, a.MemoryOffset)
}

// BindBufferMemory2 is vkBindBufferMemory2. Bindings that can be made are made,
// whatever happens to others.
func (d *Device) BindBufferMemory2(a *abi.BindBufferMemory2Args) vk.Result {
	all := vk.Success
	for _, i := range abi.Slice(a.PBindInfos, a.BindInfoCount) {
		bindStatus(i.PNext, d.bindBuffer(i.Buffer, i.Memory, i.MemoryOffset), &all)
	}
	return all
}

func (d *Device) bindBuffer(buffer abi.Buffer, memory abi.DeviceMemory, offset uint64) vk.Result {
	b, m := lookup(&d.buffers, buffer), lookup(&d.memories, memory)
	if b == nil || m == nil {
		return vk.ErrorValidationFailed
	}
	err := b.core.Bind(m.core, offset)
	if err == nil {
		d.addressBound(b, buffer, 0)
	}
	return result(err)
}

// CreateBufferView is vkCreateBufferView.
func (d *Device) CreateBufferView(a *abi.CreateBufferViewArgs) vk.Result {
	i := a.PCreateInfo
	v, err := &BufferView{}, error(vk.ErrorValidationFailed)
	if b := lookup(&d.buffers, i.Buffer); b != nil {
		v.core, err = d.core.NewBufferView(b.core, i.Format, i.Offset, i.Range)
	}
	return created(&d.bufferViews, a.PView, v, err)
}

// DestroyBufferView is vkDestroyBufferView.
func (d *Device) DestroyBufferView(a *abi.DestroyBufferViewArgs) {
	destroy(&d.bufferViews, a.BufferView, func(v *BufferView) object { return v.core })
}
