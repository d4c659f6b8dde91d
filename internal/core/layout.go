package core

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// Binding is one binding of a descriptor set layout.
type Binding struct {
	Binding uint32
	Type    vk.DescriptorType
	// Count is the number of elements, 0 means 1; of inline uniform blocks, the
	// number of bytes. Where Flags has VARIABLE_DESCRIPTOR_COUNT it is the most
	// that a set may have.
	Count uint32
	// Immutable are the samplers of a sampler or combined binding, one an
	// element, or nil. They must outlive the sets.
	Immutable []*Sampler
	// Flags: PARTIALLY_BOUND allows elements that are never written, which are
	// null descriptors. UPDATE_AFTER_BIND makes no difference: see
	// CommandBuffer.BindDescriptorSetLate.
	Flags vk.DescriptorBindingFlags
	// Mutable are the types that elements can be written as, where Type is MUTABLE.
	Mutable []vk.DescriptorType
}

// kinds are what shaders may use the binding as.
func (b *Binding) kinds() (out []ir.ResourceKind) {
	if b.Type != vk.DescriptorTypeMutableEXT {
		return kinds(b.Type)
	}
	for _, t := range b.Mutable {
		out = append(out, kinds(t)...)
	}
	return out
}

// as is the binding with the type that an element is written as; for types that it
// cannot take the binding itself.
func (b *Binding) as(t vk.DescriptorType) *Binding {
	if b.Type != vk.DescriptorTypeMutableEXT || !slices.Contains(b.Mutable, t) {
		return b
	}
	other := *b
	other.Type = t
	return &other
}

// elements is the number of descriptors of a binding.
func (b *Binding) elements() uint32 {
	if b.Type == vk.DescriptorTypeInlineUniformBlock {
		return 1
	}
	return b.Count
}

// samples says whether a type holds a sampler.
func samples(t vk.DescriptorType) bool {
	return t == vk.DescriptorTypeSampler || t == vk.DescriptorTypeCombinedImageSampler
}

// maxInlineBytes bounds an inline uniform block.
const maxInlineBytes = 1 << 16

// DescriptorSetLayout lists bindings in ascending order.
type DescriptorSetLayout struct {
	object
	bindings []Binding
	dynamic  int      // descriptors with dynamic offsets
	offsets  []uint64 // of the bindings, in sets that lie in memory
	bytes    uint64   // of such a set
}

// kinds maps descriptor types to what shaders may use them as.
func kinds(t vk.DescriptorType) []ir.ResourceKind {
	switch t {
	case vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeUniformBufferDynamic:
		return []ir.ResourceKind{ir.UniformBuffer}
	case vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeStorageBufferDynamic:
		return []ir.ResourceKind{ir.StorageBuffer}
	case vk.DescriptorTypeSampledImage, vk.DescriptorTypeSampleWeightImageQCOM, vk.DescriptorTypeBlockMatchImageQCOM:
		return []ir.ResourceKind{ir.SampledImage}
	case vk.DescriptorTypeCombinedImageSampler:
		return []ir.ResourceKind{ir.CombinedImageSampler, ir.SampledImage, ir.Sampler}
	case vk.DescriptorTypeStorageImage:
		return []ir.ResourceKind{ir.StorageImage}
	case vk.DescriptorTypeSampler:
		return []ir.ResourceKind{ir.Sampler}
	case vk.DescriptorTypeUniformTexelBuffer:
		return []ir.ResourceKind{ir.UniformTexelBuffer}
	case vk.DescriptorTypeStorageTexelBuffer:
		return []ir.ResourceKind{ir.StorageTexelBuffer}
	case vk.DescriptorTypeInputAttachment:
		return []ir.ResourceKind{ir.InputAttachment}
	case vk.DescriptorTypeInlineUniformBlock:
		return []ir.ResourceKind{ir.UniformBuffer}
	default:
		return nil
	}
}

// typeOf is the descriptor type that a layout made from a shader has.
func typeOf(k ir.ResourceKind) (vk.DescriptorType, bool) {
	switch k {
	case ir.UniformBuffer:
		return vk.DescriptorTypeUniformBuffer, true
	case ir.StorageBuffer:
		return vk.DescriptorTypeStorageBuffer, true
	case ir.SampledImage:
		return vk.DescriptorTypeSampledImage, true
	case ir.CombinedImageSampler:
		return vk.DescriptorTypeCombinedImageSampler, true
	case ir.StorageImage:
		return vk.DescriptorTypeStorageImage, true
	case ir.Sampler:
		return vk.DescriptorTypeSampler, true
	case ir.UniformTexelBuffer:
		return vk.DescriptorTypeUniformTexelBuffer, true
	case ir.StorageTexelBuffer:
		return vk.DescriptorTypeStorageTexelBuffer, true
	case ir.InputAttachment:
		return vk.DescriptorTypeInputAttachment, true
	default:
		return 0, false
	}
}

func isDynamic(t vk.DescriptorType) bool {
	return t == vk.DescriptorTypeUniformBufferDynamic || t == vk.DescriptorTypeStorageBufferDynamic
}

// NewDescriptorSetLayout makes a layout.
func (d *Device) NewDescriptorSetLayout(bindings []Binding) (*DescriptorSetLayout, error) {
	const op Op = "vkCreateDescriptorSetLayout"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	return d.setLayout(op, bindings)
}

func (d *Device) setLayout(op Op, bindings []Binding) (*DescriptorSetLayout, error) {
	l := &DescriptorSetLayout{bindings: slices.Clone(bindings)}
	l.dev, l.kind = d, "descriptor set layout"
	slices.SortFunc(l.bindings, func(a, b Binding) int { return int(int64(a.Binding) - int64(b.Binding)) })
	total := uint64(0)
	for i := range l.bindings {
		b := &l.bindings[i]
		if i > 0 && l.bindings[i-1].Binding == b.Binding {
			return nil, d.misuse(op, "VkDescriptorSetLayoutCreateInfo-binding-00279", "", "binding %d appears twice", b.Binding)
		}
		b.Mutable = slices.Sorted(slices.Values(b.Mutable))
		if b.kinds() == nil {
			return nil, d.unsupported(op, "VkDescriptorSetLayoutBinding-descriptorType-parameter", "", "binding %d of type %v", b.Binding, b.Type)
		}
		if b.Count == 0 {
			b.Count = 1
		}
		if b.Type == vk.DescriptorTypeInlineUniformBlock && (b.Count%4 != 0 || b.Count > maxInlineBytes) {
			return nil, d.misuse(op, "VkDescriptorSetLayoutBinding-descriptorType-02209", "", "an inline uniform block of %d bytes", b.Count)
		}
		if err := d.checkImmutable(op, b); err != nil {
			return nil, err
		}
		if total += uint64(b.elements()); total > maxDescriptors {
			return nil, d.unsupported(op, "VkPipelineLayoutCreateInfo-descriptorType-03016", "", "more than %d descriptors in a set", maxDescriptors)
		}
		if isDynamic(b.Type) {
			l.dynamic += int(b.Count)
		}
	}
	l.layOut()
	return l, nil
}

// checkImmutable checks the immutable samplers of a binding.
func (d *Device) checkImmutable(op Op, b *Binding) error {
	if b.Immutable == nil {
		return nil
	}
	if !samples(b.Type) || len(b.Immutable) != int(b.Count) {
		return d.misuse(op, "VkDescriptorSetLayoutBinding-descriptorType-00282", "", "%d immutable samplers for binding %d, %d × %v", len(b.Immutable), b.Binding, b.Count, b.Type)
	}
	b.Immutable = slices.Clone(b.Immutable)
	for _, s := range b.Immutable {
		if s == nil {
			return d.misuse(op, "VkDescriptorSetLayoutBinding-descriptorType-00282", "", "an immutable sampler of binding %d is nil", b.Binding)
		}
		if err := s.use(d, op); err != nil {
			return err
		}
	}
	return nil
}

// Room bounds how many elements (bytes, of inline uniform blocks) an update may have
// that begins at an element of a binding.
func (l *DescriptorSetLayout) Room(binding, first uint32) uint64 {
	i, n := l.find(binding), uint64(0)
	for i >= 0 && i < len(l.bindings) {
		n += uint64(l.bindings[i].Count)
		i++
	}
	return n - min(n, uint64(first))
}

// find returns the index of a binding, or -1. Mostly they are numbered from 0 on, and each draw asks
// for those of its shaders.
func (l *DescriptorSetLayout) find(binding uint32) int {
	if n := int64(binding); n < int64(len(l.bindings)) && l.bindings[n].Binding == binding {
		return int(n)
	}
	i, ok := slices.BinarySearchFunc(l.bindings, binding, func(b Binding, n uint32) int { return int(int64(b.Binding) - int64(n)) })
	if !ok {
		return -1
	}
	return i
}

// Bindings returns the bindings in ascending order.
func (l *DescriptorSetLayout) Bindings() []Binding { return slices.Clone(l.bindings) }

// PipelineLayout lists set layouts by set number; unused ones are nil.
type PipelineLayout struct {
	object
	sets []*DescriptorSetLayout
}

// NewPipelineLayout makes a layout; elements may be nil.
func (d *Device) NewPipelineLayout(sets []*DescriptorSetLayout) (*PipelineLayout, error) {
	const op Op = "vkCreatePipelineLayout"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if len(sets) > MaxDescriptorSets {
		return nil, d.misuse(op, "VkPipelineLayoutCreateInfo-setLayoutCount-00286", "", "%d sets; %d is the limit", len(sets), MaxDescriptorSets)
	}
	for _, s := range sets {
		if s != nil {
			if err := s.use(d, op); err != nil {
				return nil, err
			}
		}
	}
	l := &PipelineLayout{sets: slices.Clone(sets)}
	l.dev, l.kind = d, "pipeline layout"
	return l, nil
}

// Set returns the layout of a set, or nil.
func (l *PipelineLayout) Set(i int) *DescriptorSetLayout {
	if l == nil || i < 0 || i >= len(l.sets) {
		return nil
	}
	return l.sets[i]
}

// layoutFor makes the layout that programs need.
func (d *Device) layoutFor(op Op, programs []*ir.Program) (*PipelineLayout, error) {
	var sets [MaxDescriptorSets][]Binding
	used := 0
	for _, p := range programs {
		for _, r := range p.Resources {
			if r.Kind == ir.TileImage {
				continue
			}
			if r.Set >= MaxDescriptorSets {
				return nil, d.unsupported(op, "VkPipelineLayoutCreateInfo-setLayoutCount-00286", "", "%s is in set %d; %d sets is the limit", r.Name, r.Set, MaxDescriptorSets)
			}
			t, ok := typeOf(r.Kind)
			if !ok {
				return nil, d.unsupported(op, "VkDescriptorSetLayoutBinding-descriptorType-parameter", "", "%s (set %d, binding %d) is of type %v", r.Name, r.Set, r.Binding, t)
			}
			if r.Count == 0 {
				return nil, d.misuse(op, "VkGraphicsPipelineCreateInfo-layout-07991", "give the pipeline a layout that says how many", "%s (set %d, binding %d) is an array without a size", r.Name, r.Set, r.Binding)
			}
			used = max(used, int(r.Set)+1)
			set := sets[r.Set]
			if i := slices.IndexFunc(set, func(b Binding) bool { return b.Binding == r.Binding }); i >= 0 {
				b := &set[i]
				b.Count = max(b.Count, r.Count)
				if b.Type == t {
					continue
				}
				if !slices.Contains(kinds(b.Type), r.Kind) {
					// An image and a sampler that share a binding make a combined one.
					b.Type = vk.DescriptorTypeCombinedImageSampler
					if !slices.Contains(kinds(b.Type), r.Kind) {
						return nil, d.misuse(op, "VkGraphicsPipelineCreateInfo-layout-07990", "", "set %d, binding %d has two types in the shaders", r.Set, r.Binding)
					}
				}
				continue
			}
			sets[r.Set] = append(set, Binding{Binding: r.Binding, Type: t, Count: r.Count})
		}
	}
	l := &PipelineLayout{sets: make([]*DescriptorSetLayout, used)}
	l.dev, l.kind = d, "pipeline layout"
	for i := range l.sets {
		if len(sets[i]) > 0 {
			s, err := d.setLayout(op, sets[i])
			if err != nil {
				return nil, err
			}
			l.sets[i] = s
		}
	}
	return l, nil
}

// covers checks that the layout has what a program uses.
func (l *PipelineLayout) covers(op Op, p *ir.Program) error {
	for _, r := range p.Resources {
		if r.Kind == ir.TileImage {
			continue
		}
		s := l.Set(int(r.Set))
		i := -1
		if s != nil {
			i = s.find(r.Binding)
		}
		if i < 0 {
			return l.dev.misuse(op, "VkGraphicsPipelineCreateInfo-layout-07988", "add it to the layout", "%s (set %d, binding %d) is not in the layout", r.Name, r.Set, r.Binding)
		}
		b := s.bindings[i]
		if !slices.Contains(b.kinds(), r.Kind) {
			return l.dev.misuse(op, "VkGraphicsPipelineCreateInfo-layout-07990", "", "%s (set %d, binding %d) is a %v in the layout", r.Name, r.Set, r.Binding, b.Type)
		}
		if r.Count > b.Count {
			return l.dev.misuse(op, "VkGraphicsPipelineCreateInfo-layout-07991", "", "%s (set %d, binding %d) has %d elements, the layout %d", r.Name, r.Set, r.Binding, r.Count, b.Count)
		}
	}
	return nil
}
