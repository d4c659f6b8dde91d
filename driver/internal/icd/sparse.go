package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

const (
	imageSparse  = vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit | vk.ImageCreateSparseAliasedBit
	bufferSparse = vk.BufferCreateSparseBindingBit | vk.BufferCreateSparseResidencyBit | vk.BufferCreateSparseAliasedBit
)

// sparseImage says whether images can be sparse in the way that flags ask for.
func sparseImage(f vk.Format, t vk.ImageType, tiling vk.ImageTiling, flags vk.ImageCreateFlags) bool {
	blocks := len(engine.SparseFormatProperties(f, t, 1)) != 0
	switch {
	case flags&imageSparse == 0:
		return true
	case !hasSparse || flags&vk.ImageCreateSparseBindingBit == 0 || tiling != vk.ImageTilingOptimal:
		return false
	case flags&vk.ImageCreateSparseResidencyBit == 0: // bound page by page, whatever the texels
		return blocks || !engine.NeedsConversion(f)
	}
	return blocks && t != vk.ImageType1D
}

// sparseFormat tells how images are bound block by block; nothing where they cannot
// be.
func (d *Driver) sparseFormat(f vk.Format, t vk.ImageType, samples vk.SampleCountFlags, usage vk.ImageUsageFlags, tiling vk.ImageTiling) []vk.SparseImageFormatProperties {
	p, r := d.imageFormatProperties(f, t, tiling, usage, vk.ImageCreateSparseBindingBit|vk.ImageCreateSparseResidencyBit)
	if r != vk.Success || p.SampleCounts&samples == 0 {
		return nil
	}
	return engine.SparseFormatProperties(f, t, core.Samples(samples))
}

// GetPhysicalDeviceSparseImageFormatProperties is
// vkGetPhysicalDeviceSparseImageFormatProperties.
func (p *PhysicalDevice) GetPhysicalDeviceSparseImageFormatProperties(a *abi.GetPhysicalDeviceSparseImageFormatPropertiesArgs) {
	_ = abi.Enumerate(a.PPropertyCount, a.PProperties, p.instance.driver.sparseFormat(a.Format, a.Type, a.Samples, a.Usage, a.Tiling))
}

// GetPhysicalDeviceSparseImageFormatProperties2 is
// vkGetPhysicalDeviceSparseImageFormatProperties2.
func (p *PhysicalDevice) GetPhysicalDeviceSparseImageFormatProperties2(a *abi.GetPhysicalDeviceSparseImageFormatProperties2Args) {
	i := a.PFormatInfo
	usage, supported := imageUsage(i.Usage, i.PNext)
	var list []vk.SparseImageFormatProperties
	if supported {
		list = p.instance.driver.sparseFormat(i.Format, i.Type, i.Samples, usage, i.Tiling)
	}
	out := room(a.PPropertyCount, a.PProperties, len(list))
	for n := range out {
		out[n].Properties = list[n]
	}
}

// room is abi.Enumerate for structs that are filled in where they lie: what of them
// there is room for.
func room[T any](count *uint32, first *T, n int) []T {
	if first == nil {
		*count = uint32(n)
		return nil
	}
	*count = min(*count, uint32(n))
	return abi.Slice(first, *count)
}

// GetImageSparseMemoryRequirements is vkGetImageSparseMemoryRequirements.
func (d *Device) GetImageSparseMemoryRequirements(a *abi.GetImageSparseMemoryRequirementsArgs) {
	_ = abi.Enumerate(a.PSparseMemoryRequirementCount, a.PSparseMemoryRequirements, d.sparseRequirements(a.Image))
}

// GetImageSparseMemoryRequirements2 is vkGetImageSparseMemoryRequirements2.
func (d *Device) GetImageSparseMemoryRequirements2(a *abi.GetImageSparseMemoryRequirements2Args) {
	fillSparse(a.PSparseMemoryRequirementCount, a.PSparseMemoryRequirements, d.sparseRequirements(a.PInfo.Image))
}

// GetDeviceImageSparseMemoryRequirements is
// vkGetDeviceImageSparseMemoryRequirements.
func (d *Device) GetDeviceImageSparseMemoryRequirements(a *abi.GetDeviceImageSparseMemoryRequirementsArgs) {
	list, err := d.core.ImageSparseRequirements(imageInfo(a.PInfo.PCreateInfo))
	if err != nil {
		list = nil // an image that cannot be made
	}
	fillSparse(a.PSparseMemoryRequirementCount, a.PSparseMemoryRequirements, list)
}

func (d *Device) sparseRequirements(h abi.Image) []vk.SparseImageMemoryRequirements {
	im := lookup(&d.images, h)
	if im == nil {
		return nil
	}
	return im.core.SparseRequirements()
}

func fillSparse(count *uint32, first *abi.SparseImageMemoryRequirements2, list []vk.SparseImageMemoryRequirements) {
	out := room(count, first, len(list))
	for n := range out {
		out[n].MemoryRequirements = list[n]
	}
}

// QueueBindSparse is vkQueueBindSparse.
func (q *Queue) QueueBindSparse(a *abi.QueueBindSparseArgs) vk.Result {
	d := q.device
	idle, waits := !q.busy(), 0
	var list []submission
	infos := abi.Slice(a.PBindInfo, a.BindInfoCount)
	for n := range infos {
		i := &infos[n]
		s := d.synchronization(i.PNext, abi.Slice(i.PWaitSemaphores, i.WaitSemaphoreCount), abi.Slice(i.PSignalSemaphores, i.SignalSemaphoreCount))
		for _, b := range abi.Slice(i.PBufferBinds, i.BufferBindCount) {
			if x := lookup(&d.buffers, b.Buffer); x != nil {
				s.pages = d.pageBinds(s.pages, core.PageBind{Buffer: x.core}, abi.Slice(b.PBinds, b.BindCount))
			}
		}
		for _, b := range abi.Slice(i.PImageOpaqueBinds, i.ImageOpaqueBindCount) {
			if x := lookup(&d.images, b.Image); x != nil {
				s.pages = d.pageBinds(s.pages, core.PageBind{Image: x.core}, abi.Slice(b.PBinds, b.BindCount))
			}
		}
		for _, b := range abi.Slice(i.PImageBinds, i.ImageBindCount) {
			if x := lookup(&d.images, b.Image); x != nil {
				s.blocks = d.blockBinds(s.blocks, x.core, abi.Slice(b.PBinds, b.BindCount))
			}
		}
		waits += len(s.waits)
		list = append(list, s)
	}
	r := q.enqueue(list, a.Fence)
	if idle && waits == 0 && r == vk.Success {
		// Nothing is in the way, and programs that copy on the host at once, which
		// they should not, find their memory.
		_ = q.idle(nil)
	}
	return r
}

// pageBinds adds binds of the resource that of names. Binding metadata does nothing:
// there is none.
func (d *Device) pageBinds(list []core.PageBind, of core.PageBind, binds []abi.SparseMemoryBind) []core.PageBind {
	for _, b := range binds {
		m, ok := d.bound(b.Memory)
		if !ok || b.Flags&vk.SparseMemoryBindMetadataBit != 0 {
			continue
		}
		of.Offset, of.Size, of.Memory, of.MemoryOffset = b.ResourceOffset, b.Size, m, b.MemoryOffset
		list = append(list, of)
	}
	return list
}

func (d *Device) blockBinds(list []core.BlockBind, im *core.Image, binds []abi.SparseImageMemoryBind) []core.BlockBind {
	for _, b := range binds {
		m, ok := d.bound(b.Memory)
		if !ok {
			continue
		}
		s := b.Subresource
		list = append(list, core.BlockBind{Image: im, Sub: core.Subresource{Level: int(s.MipLevel), Layer: int(s.ArrayLayer), Aspect: s.AspectMask},
			Offset: b.Offset, Extent: b.Extent, Memory: m, MemoryOffset: b.MemoryOffset})
	}
	return list
}

// bound is the memory of a handle, nil for VK_NULL_HANDLE; false for a handle that
// leads nowhere.
func (d *Device) bound(h abi.DeviceMemory) (*core.Memory, bool) {
	if h == 0 {
		return nil, true
	}
	m := lookup(&d.memories, h)
	if m == nil {
		return nil, false
	}
	return m.core, true
}
