package icd

import (
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// UpdateDescriptorSets is vkUpdateDescriptorSets. What cannot be carried out is
// left out: the call has no result.
func (d *Device) UpdateDescriptorSets(a *abi.UpdateDescriptorSetsArgs) {
	writes := abi.Slice(a.PDescriptorWrites, a.DescriptorWriteCount)
	for n := range writes {
		if s := lookup(&d.descriptorSets, writes[n].DstSet); s != nil {
			_ = s.core.Update(d.descriptorWrite(s.layout, &writes[n])) // package core tells the debug messenger
		}
	}
	for _, c := range abi.Slice(a.PDescriptorCopies, a.DescriptorCopyCount) {
		from, to := lookup(&d.descriptorSets, c.SrcSet), lookup(&d.descriptorSets, c.DstSet)
		if from != nil && to != nil {
			_ = to.core.Copy(core.DescriptorCopy{From: from.core, FromBinding: c.SrcBinding, FromFirst: c.SrcArrayElement,
				Binding: c.DstBinding, First: c.DstArrayElement, Count: c.DescriptorCount})
		}
	}
}

// fits cuts a count to one element more than there is room for: enough for package
// core to refuse it. The rest need not be where a program says that they are.
func (l *DescriptorSetLayout) fits(binding, first, count uint32) uint32 {
	if l == nil || count <= 1 {
		return min(count, maxSetDescriptors)
	}
	return uint32(min(uint64(count), l.core.Room(binding, first)+1))
}

// descriptorWrite turns a VkWriteDescriptorSet into package core's terms. What
// it points to is copied.
func (d *Device) descriptorWrite(l *DescriptorSetLayout, w *abi.WriteDescriptorSet) core.DescriptorWrite {
	out := core.DescriptorWrite{Binding: w.DstBinding, First: w.DstArrayElement, Type: w.DescriptorType}
	count := l.fits(w.DstBinding, w.DstArrayElement, w.DescriptorCount)
	if w.DescriptorType == vk.DescriptorTypeInlineUniformBlock {
		if b := abi.Find[abi.WriteDescriptorSetInlineUniformBlock](w.PNext); b != nil {
			out.Inline = slices.Clone(abi.Slice((*byte)(b.PData), l.fits(w.DstBinding, w.DstArrayElement, b.DataSize)))
		}
		return out
	}
	out.Descriptors = make([]core.Descriptor, count)
	base, stride := descriptorSource(w)
	if base == nil {
		out.Descriptors = nil
		return out
	}
	d.readDescriptors(out.Descriptors, w.DescriptorType, base, stride)
	return out
}

// descriptorSource is the array of a write that its type makes valid.
func descriptorSource(w *abi.WriteDescriptorSet) (unsafe.Pointer, uint64) {
	switch descriptorKind(w.DescriptorType) {
	case imageDescriptor:
		return unsafe.Pointer(w.PImageInfo), uint64(unsafe.Sizeof(*w.PImageInfo))
	case bufferDescriptor:
		return unsafe.Pointer(w.PBufferInfo), uint64(unsafe.Sizeof(*w.PBufferInfo))
	case texelDescriptor:
		return unsafe.Pointer(w.PTexelBufferView), uint64(unsafe.Sizeof(*w.PTexelBufferView))
	case otherDescriptor:
	}
	return nil, 0
}

// The structs that descriptors are described with.
const (
	otherDescriptor = iota
	imageDescriptor
	bufferDescriptor
	texelDescriptor
)

func descriptorKind(t vk.DescriptorType) int {
	switch t {
	case vk.DescriptorTypeSampler, vk.DescriptorTypeCombinedImageSampler, vk.DescriptorTypeSampledImage,
		vk.DescriptorTypeStorageImage, vk.DescriptorTypeInputAttachment,
		vk.DescriptorTypeSampleWeightImageQCOM, vk.DescriptorTypeBlockMatchImageQCOM:
		return imageDescriptor
	case vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeUniformBufferDynamic,
		vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeStorageBufferDynamic:
		return bufferDescriptor
	case vk.DescriptorTypeUniformTexelBuffer, vk.DescriptorTypeStorageTexelBuffer:
		return texelDescriptor
	default:
		return otherDescriptor
	}
}

// readDescriptors reads the descriptors of out from base on, stride bytes apart.
// Handles that lead nowhere, VK_NULL_HANDLE among them, make null descriptors.
func (d *Device) readDescriptors(out []core.Descriptor, t vk.DescriptorType, base unsafe.Pointer, stride uint64) {
	for n := range out {
		at := unsafe.Add(base, uintptr(n)*uintptr(stride))
		switch descriptorKind(t) {
		case imageDescriptor:
			out[n] = d.imageDescriptor(t, (*abi.DescriptorImageInfo)(at))
		case bufferDescriptor:
			i := (*abi.DescriptorBufferInfo)(at)
			if b := lookup(&d.buffers, i.Buffer); b != nil {
				out[n] = core.Descriptor{Buffer: b.core, Offset: i.Offset, Range: i.Range}
			}
		case texelDescriptor:
			if v := lookup(&d.bufferViews, *(*abi.BufferView)(at)); v != nil {
				out[n] = core.Descriptor{Texel: v.core}
			}
		}
	}
}

// imageDescriptor reads the members that the type makes valid. A sampler without
// a view is a null descriptor as a whole: sampling it gives what a null view
// gives.
func (d *Device) imageDescriptor(t vk.DescriptorType, i *abi.DescriptorImageInfo) (out core.Descriptor) {
	if t != vk.DescriptorTypeSampler {
		v := lookup(&d.imageViews, i.ImageView)
		if v == nil {
			return out
		}
		out.View, out.Layout = v.core, i.ImageLayout
	}
	if t == vk.DescriptorTypeSampler || t == vk.DescriptorTypeCombinedImageSampler {
		// With an immutable sampler the member may be anything.
		if s := lookup(&d.samplers, i.Sampler); s != nil {
			out.Sampler = s.core
		}
	}
	return out
}

// UpdateTemplate is a VkDescriptorUpdateTemplate.
type UpdateTemplate struct {
	kind    vk.DescriptorUpdateTemplateType
	layout  *PipelineLayout // of push descriptors
	set     uint32          // likewise
	point   vk.PipelineBindPoint
	entries []vk.DescriptorUpdateTemplateEntry
}

// CreateDescriptorUpdateTemplate is vkCreateDescriptorUpdateTemplate.
func (d *Device) CreateDescriptorUpdateTemplate(a *abi.CreateDescriptorUpdateTemplateArgs) vk.Result {
	i := a.PCreateInfo
	t := &UpdateTemplate{kind: i.TemplateType, entries: slices.Clone(abi.Slice(i.PDescriptorUpdateEntries, i.DescriptorUpdateEntryCount))}
	if t.kind == vk.DescriptorUpdateTemplateTypePushDescriptors {
		t.layout, t.set, t.point = lookup(&d.pipelineLayouts, i.PipelineLayout), i.Set, i.PipelineBindPoint
	}
	return created(&d.updateTemplates, a.PDescriptorUpdateTemplate, t, nil)
}

// DestroyDescriptorUpdateTemplate is vkDestroyDescriptorUpdateTemplate.
func (d *Device) DestroyDescriptorUpdateTemplate(a *abi.DestroyDescriptorUpdateTemplateArgs) {
	d.updateTemplates.Take(uint64(a.DescriptorUpdateTemplate))
}

// templateWrites reads the data of a template for a set of layout l.
func (d *Device) templateWrites(t *UpdateTemplate, l *DescriptorSetLayout, data unsafe.Pointer) []core.DescriptorWrite {
	if data == nil {
		return nil
	}
	out := make([]core.DescriptorWrite, 0, len(t.entries))
	for _, e := range t.entries {
		w := core.DescriptorWrite{Binding: e.DstBinding, First: e.DstArrayElement, Type: e.DescriptorType}
		at := unsafe.Add(data, uintptr(e.Offset))
		n := l.fits(e.DstBinding, e.DstArrayElement, e.DescriptorCount)
		if e.DescriptorType == vk.DescriptorTypeInlineUniformBlock {
			w.Inline = slices.Clone(abi.Slice((*byte)(at), n))
		} else {
			w.Descriptors = make([]core.Descriptor, n)
			d.readDescriptors(w.Descriptors, e.DescriptorType, at, uint64(e.Stride))
		}
		out = append(out, w)
	}
	return out
}

// UpdateDescriptorSetWithTemplate is vkUpdateDescriptorSetWithTemplate.
func (d *Device) UpdateDescriptorSetWithTemplate(a *abi.UpdateDescriptorSetWithTemplateArgs) {
	s, t := lookup(&d.descriptorSets, a.DescriptorSet), lookup(&d.updateTemplates, a.DescriptorUpdateTemplate)
	if s != nil && t != nil {
		_ = s.core.Update(d.templateWrites(t, s.layout, a.PData)...) // package core tells the debug messenger
	}
}
