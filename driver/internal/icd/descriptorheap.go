package icd

import (
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// GetPhysicalDeviceDescriptorSizeEXT is vkGetPhysicalDeviceDescriptorSizeEXT.
func (p *PhysicalDevice) GetPhysicalDeviceDescriptorSizeEXT(*abi.GetPhysicalDeviceDescriptorSizeEXTArgs) uint64 {
	return core.DescriptorBytes
}

// WriteSamplerDescriptorsEXT is vkWriteSamplerDescriptorsEXT.
func (d *Device) WriteSamplerDescriptorsEXT(a *abi.WriteSamplerDescriptorsEXTArgs) vk.Result {
	infos := abi.Slice(a.PSamplers, a.SamplerCount)
	return d.writeDescriptors(abi.Slice(a.PDescriptors, a.SamplerCount), func(n int) (out core.MemoryDescriptor, err error) {
		out.Type = vk.DescriptorTypeSampler
		out.Sampler, err = d.describedSampler(&infos[n])
		return out, err
	})
}

// WriteResourceDescriptorsEXT is vkWriteResourceDescriptorsEXT.
func (d *Device) WriteResourceDescriptorsEXT(a *abi.WriteResourceDescriptorsEXTArgs) vk.Result {
	infos := abi.Slice(a.PResources, a.ResourceCount)
	return d.writeDescriptors(abi.Slice(a.PDescriptors, a.ResourceCount), func(n int) (core.MemoryDescriptor, error) { return d.describedResource(&infos[n]) })
}

// writeDescriptors writes all descriptors that can be written; the others are null descriptors. It returns the first failure.
func (d *Device) writeDescriptors(to []abi.HostAddressRangeEXT, describe func(int) (core.MemoryDescriptor, error)) vk.Result {
	all := vk.Success
	for n := range to {
		out := bytes(to[n].Address, min(to[n].Size, core.DescriptorBytes))
		from, err := describe(n)
		if err == nil {
			err = d.core.PutDescriptor(out, from)
		} else {
			clear(out)
		}
		if r := result(err); all == vk.Success {
			all = r
		}
	}
	return all
}

func (d *Device) describedSampler(i *abi.SamplerCreateInfo) (*core.Sampler, error) {
	info, extra, err := d.samplerParts(i)
	if err != nil {
		return nil, err
	}
	return d.core.DescribedSampler(info, extra)
}

// describedResource reads the member of the union that the type makes valid. Null pointers make null descriptors.
func (d *Device) describedResource(i *abi.ResourceDescriptorInfoEXT) (core.MemoryDescriptor, error) {
	out := core.MemoryDescriptor{Type: i.Type}
	switch descriptorKind(i.Type) {
	case imageDescriptor:
		x := *i.Data.PImage()
		if x == nil || x.PView == nil || i.Type == vk.DescriptorTypeSampler || i.Type == vk.DescriptorTypeCombinedImageSampler {
			return out, nil
		}
		im := lookup(&d.images, x.PView.Image)
		if im == nil {
			return out, vk.ErrorValidationFailed
		}
		var err error
		out.View, err = d.core.DescribedView(im.core, d.viewDesc(x.PView))
		return out, err
	case texelDescriptor:
		if x := *i.Data.PTexelBuffer(); x != nil {
			out.Address, out.Range, out.Format = x.AddressRange.Address, x.AddressRange.Size, x.Format
		}
	case bufferDescriptor:
		if x := *i.Data.PAddressRange(); x != nil {
			out.Address, out.Range = x.Address, x.Size
		}
	}
	return out, nil
}

// GetImageOpaqueCaptureDataEXT is vkGetImageOpaqueCaptureDataEXT: numbers of captureBytes.
func (d *Device) GetImageOpaqueCaptureDataEXT(a *abi.GetImageOpaqueCaptureDataEXTArgs) vk.Result {
	to, all := abi.Slice(a.PDatas, a.ImageCount), vk.Success
	for n, h := range abi.Slice(a.PImages, a.ImageCount) {
		r := vk.ErrorValidationFailed
		if im := lookup(&d.images, h); im != nil && to[n].Size >= captureBytes {
			r = captured(to[n].Address, im.core.CapturedNumber())
		}
		if all == vk.Success {
			all = r
		}
	}
	return all
}

// replayedImage is the number that an image was captured with, 0 where it is none that is replayed.
func replayedImage(next unsafe.Pointer) uint64 {
	if o := abi.Find[abi.OpaqueCaptureDataCreateInfoEXT](next); o != nil && o.PData != nil && o.PData.Size >= captureBytes {
		return capturedNumber(o.PData.Address)
	}
	return 0
}

// borderColors are the indices of custom border colours that are registered. Samplers bring their colours along, so that
// indices name nothing here.
type borderColors struct {
	mu    sync.Mutex
	taken map[uint32]struct{}
	next  uint32 // no lower one is free
}

// RegisterCustomBorderColorEXT is vkRegisterCustomBorderColorEXT.
func (d *Device) RegisterCustomBorderColorEXT(a *abi.RegisterCustomBorderColorEXTArgs) vk.Result {
	b := &d.borderColors
	b.mu.Lock()
	defer b.mu.Unlock()
	limit := engine.Limits().MaxSamplerAllocationCount
	index := b.next
	if a.RequestIndex.True() {
		index = *a.PIndex
		if _, taken := b.taken[index]; taken || index >= limit {
			return vk.ErrorInvalidOpaqueCaptureAddress
		}
	} else {
		for ; index < limit; index++ {
			if _, taken := b.taken[index]; !taken {
				break
			}
		}
		if b.next = index; index == limit {
			return vk.ErrorTooManyObjects
		}
	}
	if b.taken == nil {
		b.taken = map[uint32]struct{}{}
	}
	b.taken[index] = struct{}{}
	*a.PIndex = index
	return vk.Success
}

// UnregisterCustomBorderColorEXT is vkUnregisterCustomBorderColorEXT.
func (d *Device) UnregisterCustomBorderColorEXT(a *abi.UnregisterCustomBorderColorEXTArgs) {
	b := &d.borderColors
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.taken, a.Index)
	b.next = min(b.next, a.Index)
}

// CmdBindSamplerHeapEXT is vkCmdBindSamplerHeapEXT.
func (r *Recorder) CmdBindSamplerHeapEXT(c *abi.CmdBindSamplerHeapEXT) {
	r.bindHeap("vkCmdBindSamplerHeapEXT", core.SamplerHeap, c.PBindInfo)
}

// CmdBindResourceHeapEXT is vkCmdBindResourceHeapEXT.
func (r *Recorder) CmdBindResourceHeapEXT(c *abi.CmdBindResourceHeapEXT) {
	r.bindHeap("vkCmdBindResourceHeapEXT", core.ResourceHeap, c.PBindInfo)
}

func (r *Recorder) bindHeap(op core.Op, kind core.HeapKind, i *abi.BindHeapInfoEXT) {
	if i != nil {
		r.core.BindHeap(op, kind, i.HeapRange.Address, i.HeapRange.Size, i.ReservedRangeOffset, i.ReservedRangeSize)
	}
}

// CmdPushDataEXT is vkCmdPushDataEXT.
func (r *Recorder) CmdPushDataEXT(c *abi.CmdPushDataEXT) {
	if i := c.PPushDataInfo; i != nil && i.Data.Size <= core.MaxPushBytes {
		r.core.PushData("vkCmdPushDataEXT", i.Offset, bytes(i.Data.Address, i.Data.Size))
	} else {
		r.misuse("vkCmdPushDataEXT", "VkPushDataInfoEXT-offset-11243", "more push data than there is")
	}
}

// mappings reads what backs the resources of a shader that is made for heaps, and what its embedded samplers are.
func (d *Device) mappings(next unsafe.Pointer) (out []core.HeapMapping, embedded map[*core.Sampler]*embeddedSampler, err error) {
	info := abi.Find[abi.ShaderDescriptorSetAndBindingMappingInfoEXT](next)
	if info == nil {
		return nil, nil, nil
	}
	embedded = map[*core.Sampler]*embeddedSampler{}
	list := abi.Slice(info.PMappings, info.MappingCount)
	for n := range list {
		m, sampler := mapping(&list[n])
		if sampler != nil {
			s := &embeddedSampler{}
			if s.info, s.extra, err = d.samplerParts(sampler); err != nil {
				return nil, nil, err
			}
			if m.Embedded, err = d.core.NewSamplerWith(s.info, s.extra); err != nil {
				return nil, nil, err
			}
			embedded[m.Embedded] = s
		}
		out = append(out, m)
	}
	return out, embedded, nil
}

// mapping translates a mapping, but for its embedded sampler.
func mapping(m *abi.DescriptorSetAndBindingMappingEXT) (core.HeapMapping, *abi.SamplerCreateInfo) {
	out := core.HeapMapping{Set: m.DescriptorSet, First: m.FirstBinding, Count: m.BindingCount, Types: m.ResourceMask, Source: m.Source}
	switch m.Source {
	case vk.DescriptorMappingSourceHeapWithConstantOffsetEXT:
		x := m.SourceData.ConstantOffset()
		out.Resource = core.HeapPlace{Offset: x.HeapOffset, ArrayStride: x.HeapArrayStride}
		out.Sampler = core.HeapPlace{Offset: x.SamplerHeapOffset, ArrayStride: x.SamplerHeapArrayStride}
		return out, x.PEmbeddedSampler
	case vk.DescriptorMappingSourceHeapWithPushIndexEXT:
		x := m.SourceData.PushIndex()
		out.Packed = x.UseCombinedImageSamplerIndex.True()
		out.Resource = core.HeapPlace{Offset: x.HeapOffset, Push: x.PushOffset, IndexStride: x.HeapIndexStride, ArrayStride: x.HeapArrayStride}
		out.Sampler = core.HeapPlace{Offset: x.SamplerHeapOffset, Push: x.SamplerPushOffset, IndexStride: x.SamplerHeapIndexStride, ArrayStride: x.SamplerHeapArrayStride}
		return out, x.PEmbeddedSampler
	case vk.DescriptorMappingSourceHeapWithIndirectIndexEXT:
		x := m.SourceData.IndirectIndex()
		out.Packed = x.UseCombinedImageSamplerIndex.True()
		out.Resource = core.HeapPlace{Offset: x.HeapOffset, Push: x.PushOffset, Address: x.AddressOffset, IndexStride: x.HeapIndexStride, ArrayStride: x.HeapArrayStride}
		out.Sampler = core.HeapPlace{Offset: x.SamplerHeapOffset, Push: x.SamplerPushOffset, Address: x.SamplerAddressOffset, IndexStride: x.SamplerHeapIndexStride, ArrayStride: x.SamplerHeapArrayStride}
		return out, x.PEmbeddedSampler
	case vk.DescriptorMappingSourceHeapWithIndirectIndexArrayEXT:
		x := m.SourceData.IndirectIndexArray()
		out.Packed = x.UseCombinedImageSamplerIndex.True()
		out.Resource = core.HeapPlace{Offset: x.HeapOffset, Push: x.PushOffset, Address: x.AddressOffset, IndexStride: x.HeapIndexStride}
		out.Sampler = core.HeapPlace{Offset: x.SamplerHeapOffset, Push: x.SamplerPushOffset, Address: x.SamplerAddressOffset, IndexStride: x.SamplerHeapIndexStride}
		return out, x.PEmbeddedSampler
	case vk.DescriptorMappingSourceResourceHeapDataEXT:
		x := m.SourceData.HeapData()
		out.Resource = core.HeapPlace{Offset: x.HeapOffset, Push: x.PushOffset}
	case vk.DescriptorMappingSourcePushDataEXT:
		out.Resource.Push = *m.SourceData.PushDataOffset()
	case vk.DescriptorMappingSourcePushAddressEXT:
		out.Resource.Push = *m.SourceData.PushAddressOffset()
	case vk.DescriptorMappingSourceIndirectAddressEXT:
		x := m.SourceData.IndirectAddress()
		out.Resource = core.HeapPlace{Push: x.PushOffset, Address: x.AddressOffset}
	}
	return out, nil
}
