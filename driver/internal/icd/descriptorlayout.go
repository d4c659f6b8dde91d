package icd

import (
	"slices"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// DescriptorSetLayout is a VkDescriptorSetLayout.
type DescriptorSetLayout struct {
	core     *core.DescriptorSetLayout
	flags    vk.DescriptorSetLayoutCreateFlags
	bindings []core.Binding // in ascending order, without those of no descriptor
	dynamic  int            // descriptors that take a dynamic offset
}

const (
	maxSetDescriptors = 1 << 20 // maxPerSetDescriptors
	maxInlineBytes    = 1 << 16 // maxInlineUniformBlockSize
)

// bindings turns a VkDescriptorSetLayoutCreateInfo into package core's bindings.
func (d *Device) bindings(i *abi.DescriptorSetLayoutCreateInfo) ([]core.Binding, error) {
	var flags []vk.DescriptorBindingFlags
	if f := abi.Find[abi.DescriptorSetLayoutBindingFlagsCreateInfo](i.PNext); f != nil {
		flags = abi.Slice(f.PBindingFlags, f.BindingCount)
	}
	mutable := abi.Find[abi.MutableDescriptorTypeCreateInfoEXT](i.PNext)
	var out []core.Binding
	for n, b := range abi.Slice(i.PBindings, i.BindingCount) {
		if b.DescriptorCount == 0 {
			continue // a reserved number
		}
		if b.DescriptorCount > maxSetDescriptors {
			return nil, vk.ErrorOutOfHostMemory
		}
		c := core.Binding{Binding: b.Binding, Type: b.DescriptorType, Count: b.DescriptorCount}
		if b.DescriptorType == vk.DescriptorTypeMutableEXT && mutable != nil {
			if lists := abi.Slice(mutable.PMutableDescriptorTypeLists, mutable.MutableDescriptorTypeListCount); n < len(lists) {
				c.Mutable = slices.Clone(abi.Slice(lists[n].PDescriptorTypes, lists[n].DescriptorTypeCount))
			}
		}
		if n < len(flags) {
			c.Flags = flags[n]
		}
		if b.DescriptorType == vk.DescriptorTypeSampler || b.DescriptorType == vk.DescriptorTypeCombinedImageSampler {
			for _, h := range abi.Slice(b.PImmutableSamplers, b.DescriptorCount) {
				s := lookup(&d.samplers, h)
				if s == nil {
					return nil, vk.ErrorValidationFailed
				}
				c.Immutable = append(c.Immutable, s.core)
			}
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b core.Binding) int { return int(int64(a.Binding) - int64(b.Binding)) })
	return out, nil
}

// CreateDescriptorSetLayout is vkCreateDescriptorSetLayout.
func (d *Device) CreateDescriptorSetLayout(a *abi.CreateDescriptorSetLayoutArgs) vk.Result {
	l, err := d.newSetLayout(a.PCreateInfo)
	return created(&d.descriptorSetLayouts, a.PSetLayout, l, err)
}

func (d *Device) newSetLayout(i *abi.DescriptorSetLayoutCreateInfo) (*DescriptorSetLayout, error) {
	bindings, err := d.bindings(i)
	if err != nil {
		return nil, err
	}
	l := &DescriptorSetLayout{flags: i.Flags, bindings: bindings}
	for _, b := range bindings {
		if b.Type == vk.DescriptorTypeUniformBufferDynamic || b.Type == vk.DescriptorTypeStorageBufferDynamic {
			l.dynamic += int(b.Count)
		}
	}
	l.core, err = d.core.NewDescriptorSetLayout(bindings)
	return l, err
}

// DestroyDescriptorSetLayout is vkDestroyDescriptorSetLayout. Sets and pipeline
// layouts made with it live on.
func (d *Device) DestroyDescriptorSetLayout(a *abi.DestroyDescriptorSetLayoutArgs) {
	d.descriptorSetLayouts.Take(uint64(a.DescriptorSetLayout))
}

// GetDescriptorSetLayoutSupport is vkGetDescriptorSetLayoutSupport.
func (d *Device) GetDescriptorSetLayoutSupport(a *abi.GetDescriptorSetLayoutSupportArgs) {
	l, err := d.newSetLayout(a.PCreateInfo)
	a.PSupport.Supported = abi.Bool(err == nil)
	v := abi.Find[abi.DescriptorSetVariableDescriptorCountLayoutSupport](a.PSupport.PNext)
	if v == nil {
		return
	}
	v.MaxVariableDescriptorCount = 0
	if err == nil {
		v.MaxVariableDescriptorCount = maxVariable(a.PCreateInfo, l.bindings)
	}
}

// maxVariable is the most descriptors (bytes, of an inline uniform block) that the
// last binding can have if its size is variable, else 0. Its own count says
// nothing.
func maxVariable(i *abi.DescriptorSetLayoutCreateInfo, bindings []core.Binding) uint32 {
	f := abi.Find[abi.DescriptorSetLayoutBindingFlagsCreateInfo](i.PNext)
	if f == nil {
		return 0
	}
	raw, flags := abi.Slice(i.PBindings, i.BindingCount), abi.Slice(f.PBindingFlags, f.BindingCount)
	for n := range min(len(raw), len(flags)) {
		switch {
		case flags[n]&vk.DescriptorBindingVariableDescriptorCountBit == 0:
			continue
		case raw[n].DescriptorType == vk.DescriptorTypeInlineUniformBlock:
			return maxInlineBytes
		}
		left := uint32(maxSetDescriptors)
		for _, b := range bindings {
			switch {
			case b.Binding == raw[n].Binding:
			case b.Type == vk.DescriptorTypeInlineUniformBlock:
				left--
			default:
				left -= b.Count
			}
		}
		return left
	}
	return 0
}

// CreatePipelineLayout is vkCreatePipelineLayout. Ranges of push constants need
// nothing: all have the same memory.
func (d *Device) CreatePipelineLayout(a *abi.CreatePipelineLayoutArgs) vk.Result {
	i := a.PCreateInfo
	l := &PipelineLayout{}
	var inner []*core.DescriptorSetLayout
	var err error
	if i.SetLayoutCount > core.MaxDescriptorSets {
		err = vk.ErrorValidationFailed
	} else {
		for _, h := range abi.Slice(i.PSetLayouts, i.SetLayoutCount) {
			s := lookup(&d.descriptorSetLayouts, h)
			if s == nil {
				s = &DescriptorSetLayout{} // allowed, and of no use
			}
			l.sets, inner = append(l.sets, s), append(inner, s.core)
		}
		l.core, err = d.core.NewPipelineLayout(inner)
	}
	return created(&d.pipelineLayouts, a.PPipelineLayout, l, err)
}

// DestroyPipelineLayout is vkDestroyPipelineLayout. Pipelines live on.
func (d *Device) DestroyPipelineLayout(a *abi.DestroyPipelineLayoutArgs) {
	d.pipelineLayouts.Take(uint64(a.PipelineLayout))
}
