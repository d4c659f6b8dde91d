package core

import (
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/vk"
)

// DescriptorSet holds descriptors. Its contents are copied on write: a recorded
// command keeps the contents of its time.
type DescriptorSet struct {
	object
	layout *DescriptorSetLayout

	mu     sync.Mutex
	state  *setState
	shared bool // a command holds state
}

// setState is the contents of a set; immutable once shared.
type setState struct {
	layout *DescriptorSetLayout
	slots  []slot // parallel to layout.bindings
}

// slot is the contents of one binding.
type slot struct {
	descriptors []exec.Descriptor
	owners      []owner
}

// owner names the objects behind a descriptor.
type owner struct {
	written bool // with a resource or as the null descriptor
	buffer  *Buffer
	offset  uint64 // of the range in buffer
	whole   bool   // the range ends with the buffer
	texel   *BufferView
	view    *ImageView
	sampler *Sampler
}

// at returns descriptor k moved by a dynamic offset; false if that takes it
// beyond its buffer.
func (s *slot) at(k int, dynamic uint32) (exec.Descriptor, bool) {
	d, o := s.descriptors[k], &s.owners[k]
	if o.buffer == nil {
		return d, true
	}
	from, size := o.offset+uint64(dynamic), uint64(len(d.Data))
	if from > o.buffer.Size() {
		return d, false
	}
	if o.whole {
		size = o.buffer.Size() - from
	}
	if size > o.buffer.Size()-from {
		return d, false
	}
	d.Data = o.buffer.data[from : from+size : from+size]
	return d, true
}

// NewDescriptorSet makes a set with nothing written.
func (d *Device) NewDescriptorSet(l *DescriptorSetLayout, name string) (*DescriptorSet, error) {
	const op = "Device.NewDescriptorSet"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if l == nil {
		return nil, d.misuse(op, "VkDescriptorSetAllocateInfo-pSetLayouts-parameter", "the pipeline may not use this set number", "the layout is nil")
	}
	if err := l.use(d, op); err != nil {
		return nil, err
	}
	s := &DescriptorSet{layout: l, state: &setState{layout: l, slots: make([]slot, len(l.bindings))}}
	s.dev, s.kind, s.name = d, "descriptor set", name
	for i, b := range l.bindings {
		s.state.slots[i] = slot{descriptors: make([]exec.Descriptor, b.Count), owners: make([]owner, b.Count)}
	}
	return s, nil
}

// Close gives the set up.
func (s *DescriptorSet) Close() error {
	if s != nil {
		s.closed.Store(true)
	}
	return nil
}

// Descriptor is what one element of a binding is set to. All nil is the null
// descriptor.
type Descriptor struct {
	Buffer        *Buffer
	Offset, Range uint64 // of Buffer; Range vk.WholeSize means to the end
	Texel         *BufferView
	View          *ImageView
	Sampler       *Sampler
}

// Write sets elements of a binding from first on.
func (s *DescriptorSet) Write(binding, first uint32, with []Descriptor) error {
	const op = "DescriptorSet.Bind"
	if s == nil {
		return nilObject(op, "descriptor set")
	}
	d := s.dev
	if err := d.usable(op); err != nil {
		return err
	}
	if err := s.use(d, op); err != nil {
		return err
	}
	i := s.layout.find(binding)
	if i < 0 {
		return d.misuse(op, "VkWriteDescriptorSet-dstBinding-00315", "the layout comes from what the shaders use", "the layout has no binding %d", binding)
	}
	b := s.layout.bindings[i]
	if uint64(first)+uint64(len(with)) > uint64(b.Count) {
		return d.misuse(op, "VkWriteDescriptorSet-dstArrayElement-00321", "", "elements %d+%d of binding %d, which has %d", first, len(with), binding, b.Count)
	}
	descriptors := make([]exec.Descriptor, len(with))
	owners := make([]owner, len(with))
	for k := range with {
		var err error
		if descriptors[k], owners[k], err = d.descriptor(op, b, &with[k]); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared {
		s.state, s.shared = &setState{layout: s.layout, slots: slices.Clone(s.state.slots)}, false
		for k := range s.state.slots {
			t := &s.state.slots[k]
			t.descriptors, t.owners = slices.Clone(t.descriptors), slices.Clone(t.owners)
		}
	}
	copy(s.state.slots[i].descriptors[first:], descriptors)
	copy(s.state.slots[i].owners[first:], owners)
	return nil
}

// snapshot returns the contents as they are now.
func (s *DescriptorSet) snapshot() *setState {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared = true
	return s.state
}

// descriptor checks with against a binding's type and resolves it.
func (d *Device) descriptor(op string, b Binding, with *Descriptor) (exec.Descriptor, owner, error) {
	if *with == (Descriptor{}) {
		return exec.Descriptor{}, owner{written: true}, nil
	}
	o := owner{written: true}
	wrong := func(rule, need string) (exec.Descriptor, owner, error) {
		return exec.Descriptor{}, owner{}, d.misuse(op, rule, "bind "+need, "binding %d is a %v", b.Binding, b.Type)
	}
	view := func(usage vk.ImageUsageFlags, rule string) error {
		o.view = with.View
		if err := with.View.use(d, op); err != nil {
			return err
		}
		return with.View.image.need(d, op, rule, usage)
	}
	switch b.Type {
	case vk.DescriptorTypeUniformBuffer, vk.DescriptorTypeUniformBufferDynamic, vk.DescriptorTypeStorageBuffer, vk.DescriptorTypeStorageBufferDynamic:
		if with.Buffer == nil {
			return wrong("VkWriteDescriptorSet-descriptorType-02997", "a buffer")
		}
		usage, rule := vk.BufferUsageFlags(vk.BufferUsageStorageBufferBit), "VkWriteDescriptorSet-descriptorType-00331"
		if b.Type == vk.DescriptorTypeUniformBuffer || b.Type == vk.DescriptorTypeUniformBufferDynamic {
			usage, rule = vk.BufferUsageUniformBufferBit, "VkWriteDescriptorSet-descriptorType-00330"
		}
		if err := with.Buffer.need(d, op, rule, usage); err != nil {
			return exec.Descriptor{}, owner{}, err
		}
		if with.Offset%4 != 0 {
			return exec.Descriptor{}, owner{}, d.misuse(op, "VkWriteDescriptorSet-descriptorType-00327", "", "offset %d is no multiple of 4", with.Offset)
		}
		data, err := with.Buffer.slice(op, "VkDescriptorBufferInfo-range-00342", with.Offset, with.Range)
		o.buffer, o.offset, o.whole = with.Buffer, with.Offset, with.Range == 0 || with.Range == vk.WholeSize
		return exec.Descriptor{Data: data}, o, err
	case vk.DescriptorTypeSampledImage:
		if with.View == nil {
			return wrong("VkWriteDescriptorSet-descriptorType-02996", "an image or view")
		}
		err := view(vk.ImageUsageSampledBit, "VkWriteDescriptorSet-descriptorType-00337")
		return exec.Descriptor{View: with.View.view}, o, err
	case vk.DescriptorTypeStorageImage:
		if with.View == nil {
			return wrong("VkWriteDescriptorSet-descriptorType-02996", "an image or view")
		}
		err := view(vk.ImageUsageStorageBit, "VkWriteDescriptorSet-descriptorType-00339")
		return exec.Descriptor{View: with.View.view}, o, err
	case vk.DescriptorTypeCombinedImageSampler:
		if with.View == nil || with.Sampler == nil {
			return wrong("VkWriteDescriptorSet-descriptorType-02996", "an image together with a sampler (Texture)")
		}
		if err := view(vk.ImageUsageSampledBit, "VkWriteDescriptorSet-descriptorType-00337"); err != nil {
			return exec.Descriptor{}, owner{}, err
		}
		o.sampler = with.Sampler
		err := with.Sampler.use(d, op)
		return exec.Descriptor{View: with.View.view, Sampler: with.Sampler.state}, o, err
	case vk.DescriptorTypeSampler:
		if with.Sampler == nil {
			return wrong("VkWriteDescriptorSet-descriptorType-00325", "a sampler")
		}
		o.sampler = with.Sampler
		err := with.Sampler.use(d, op)
		return exec.Descriptor{Sampler: with.Sampler.state}, o, err
	case vk.DescriptorTypeUniformTexelBuffer, vk.DescriptorTypeStorageTexelBuffer:
		if with.Texel == nil {
			return wrong("VkWriteDescriptorSet-descriptorType-02995", "a buffer view")
		}
		o.texel = with.Texel
		err := with.Texel.use(d, op)
		if err == nil {
			err = with.Texel.buffer.use(d, op)
		}
		return exec.Descriptor{Texel: with.Texel.view}, o, err
	default:
		return exec.Descriptor{}, owner{}, d.unsupported(op, "VkWriteDescriptorSet-descriptorType-parameter", "", "%v", b.Type)
	}
}

// slice returns a range of the buffer; size vk.WholeSize or 0 means to the end.
func (b *Buffer) slice(op, rule string, offset, size uint64) ([]byte, error) {
	if err := b.inRange(op, rule, offset, 0); err != nil {
		return nil, err
	}
	if size == vk.WholeSize || size == 0 {
		size = b.Size() - offset
	}
	if err := b.inRange(op, rule, offset, size); err != nil {
		return nil, err
	}
	return b.data[offset : offset+size : offset+size], nil
}

// eachUse calls f for the state of each object that the set names.
func (s *setState) eachUse(f func(*owner) error) error {
	for i := range s.slots {
		for k := range s.slots[i].owners {
			if o := &s.slots[i].owners[k]; o.written {
				if err := f(o); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
