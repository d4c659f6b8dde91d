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
	// blank is how many of the last elements nobody has written. Programs make sets of a million of
	// which they write a few, and most of what is done with a set is done for each that is not blank.
	blank int
}

// used is how many elements there are before the blank ones.
func (s *slot) used() int { return len(s.owners) - s.blank }

// clone copies the contents.
func (s *slot) clone() slot {
	c := slot{make([]exec.Descriptor, len(s.descriptors)), make([]owner, len(s.owners)), s.blank}
	copy(c.descriptors, s.descriptors[:s.used()])
	copy(c.owners, s.owners[:s.used()])
	return c
}

// owner names the objects behind a descriptor.
type owner struct {
	written bool // with a resource or as the null descriptor
	buffer  *Buffer
	offset  uint64 // of the range in buffer
	whole   bool   // the range ends with the buffer
	texel   *BufferView
	view    *ImageView
	layout  vk.ImageLayout
	sampler *Sampler
}

// at returns descriptor k moved by a dynamic offset, cut at the end of its
// buffer; false if it had to be cut.
func (s *slot) at(k int, dynamic uint32) (exec.Descriptor, bool) {
	d, o := s.descriptors[k], &s.owners[k]
	if o.buffer == nil {
		return d, true
	}
	end := o.buffer.Size()
	from, size, fits := o.offset+uint64(dynamic), uint64(len(d.Data)), true
	if from > end {
		from, fits = end, false
	}
	if o.whole || size > end-from {
		fits = fits && o.whole
		size = end - from
	}
	d.Data = o.buffer.data[from : from+size : from+size]
	return d, fits
}

// NewDescriptorSet makes a set with nothing written but immutable samplers.
func (d *Device) NewDescriptorSet(l *DescriptorSetLayout, name string) (*DescriptorSet, error) {
	return d.newSet("vkAllocateDescriptorSets", l, maxDescriptors, name)
}

// NewVariableDescriptorSet is NewDescriptorSet for layouts whose last binding has
// VARIABLE_DESCRIPTOR_COUNT; it gets count elements (bytes, of an inline uniform
// block).
func (d *Device) NewVariableDescriptorSet(l *DescriptorSetLayout, count uint32, name string) (*DescriptorSet, error) {
	return d.newSet("vkAllocateDescriptorSets", l, count, name)
}

func (d *Device) newSet(op Op, l *DescriptorSetLayout, variable uint32, name string) (*DescriptorSet, error) {
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if l == nil {
		return nil, d.misuse(op, "VkDescriptorSetAllocateInfo-pSetLayouts-parameter", "the pipeline may not use this set number", "the layout is nil")
	}
	if err := l.use(d, op); err != nil {
		return nil, err
	}
	s := &DescriptorSet{layout: l, state: newState(l, variable)}
	s.dev, s.kind, s.name = d, "descriptor set", name
	return s, nil
}

// newState makes contents with nothing but immutable samplers. A binding of
// variable count has at most variable elements.
func newState(l *DescriptorSetLayout, variable uint32) *setState {
	s := &setState{layout: l, slots: make([]slot, len(l.bindings))}
	for i := range l.bindings {
		b := &l.bindings[i]
		n, bytes := b.elements(), b.Count
		if b.Flags&vk.DescriptorBindingVariableDescriptorCountBit != 0 {
			n, bytes = min(n, variable), min(bytes, variable&^3)
		}
		s.slots[i] = slot{make([]exec.Descriptor, n), make([]owner, n), int(n)}
		if b.Type == vk.DescriptorTypeInlineUniformBlock && n > 0 {
			s.slots[i].descriptors[0].Data = make([]byte, bytes)
			s.slots[i].owners[0].written = true
			s.slots[i].blank = 0
		}
		if b.Immutable != nil {
			s.slots[i].blank = 0
			for k := range s.slots[i].owners {
				s.slots[i].descriptors[k].Sampler = b.Immutable[k].state
				s.slots[i].owners[k] = owner{written: b.Type == vk.DescriptorTypeSampler, sampler: b.Immutable[k]}
			}
		}
	}
	return s
}

// clone copies the contents.
func (s *setState) clone() *setState {
	c := &setState{layout: s.layout, slots: make([]slot, len(s.slots))}
	for i := range c.slots {
		t := &c.slots[i]
		*t = s.slots[i].clone()
		if s.layout.bindings[i].Type == vk.DescriptorTypeInlineUniformBlock && len(t.descriptors) > 0 {
			t.descriptors[0].Data = slices.Clone(t.descriptors[0].Data)
		}
	}
	return c
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
	Layout        vk.ImageLayout // of View's image, where layouts are tracked; UNDEFINED is not looked at
	Sampler       *Sampler
}

// Write sets elements of a binding from first on.
func (s *DescriptorSet) Write(binding, first uint32, with []Descriptor) error {
	const op Op = "vkUpdateDescriptorSets"
	return s.change(op, func(state *setState) error {
		i := s.layout.find(binding)
		if i < 0 {
			return s.dev.misuse(op, "VkWriteDescriptorSet-dstBinding-00315", "the layout comes from what the shaders use", "the layout has no binding %d", binding)
		}
		if n := len(state.slots[i].owners); uint64(first)+uint64(len(with)) > uint64(n) {
			return s.dev.misuse(op, "VkWriteDescriptorSet-dstArrayElement-00321", "", "elements %d+%d of binding %d, which has %d", first, len(with), binding, n)
		}
		return state.write(op, DescriptorWrite{Binding: binding, First: first, Descriptors: with})
	})
}

// change calls f with contents that nobody else sees; after an error they are as
// they were.
func (s *DescriptorSet) change(op Op, f func(*setState) error) error {
	if s == nil {
		return nilObject(op, "descriptor set")
	}
	if err := s.dev.usable(op); err != nil {
		return err
	}
	if err := s.use(s.dev, op); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unshare()
	return f(s.state)
}

// unshare makes state safe to change; the caller holds mu.
func (s *DescriptorSet) unshare() {
	if s.shared {
		s.state, s.shared = s.state.clone(), false
	}
}

// snapshot returns the contents as they are now.
func (s *DescriptorSet) snapshot() *setState {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared = true
	return s.state
}

// descriptor checks with against element k of a binding and resolves it.
func (d *Device) descriptor(op Op, b *Binding, k int, with *Descriptor) (exec.Descriptor, owner, error) {
	if *with == (Descriptor{}) {
		var null exec.Descriptor
		o := owner{written: true}
		if k < len(b.Immutable) {
			null.Sampler, o.sampler = b.Immutable[k].state, b.Immutable[k]
		}
		return null, o, nil
	}
	o := owner{written: true, layout: with.Layout}
	if k < len(b.Immutable) { // what is written to an immutable sampler is ignored
		sampled := *with
		sampled.Sampler, with = b.Immutable[k], &sampled
	}
	wrong := func(rule, need string) (exec.Descriptor, owner, error) {
		return exec.Descriptor{}, owner{}, d.misuse(op, rule, "bind "+need, "binding %d is a %v", b.Binding, b.Type)
	}
	view := func() error {
		o.view = with.View
		usage, rule := imageUsage(b.Type)
		if err := with.View.use(d, op); err != nil {
			return err
		}
		if err := with.View.image.viewable(d, op); err != nil {
			return err
		}
		err := with.View.image.need(d, op, rule, usage)
		if b.Type == vk.DescriptorTypeStorageImage && d.cfg.StoreAnywhere && d.imageUsage(with.View.Format())&usage != 0 {
			return nil
		}
		return err
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
	case vk.DescriptorTypeSampledImage, vk.DescriptorTypeStorageImage, vk.DescriptorTypeInputAttachment,
		vk.DescriptorTypeSampleWeightImageQCOM, vk.DescriptorTypeBlockMatchImageQCOM:
		if with.View == nil {
			return wrong("VkWriteDescriptorSet-descriptorType-02996", "an image or view")
		}
		err := view()
		e := exec.Descriptor{View: with.View.view}
		if b.Type == vk.DescriptorTypeStorageImage {
			e.View = with.View.storage
		}
		return e, o, err
	case vk.DescriptorTypeCombinedImageSampler:
		if with.View == nil || with.Sampler == nil {
			return wrong("VkWriteDescriptorSet-descriptorType-02996", "an image together with a sampler (Texture)")
		}
		if err := view(); err != nil {
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

// imageUsage is what images of a descriptor type must have been made for, and the rule that says so.
func imageUsage(t vk.DescriptorType) (usage vk.ImageUsageFlags, rule string) {
	switch t {
	case vk.DescriptorTypeStorageImage:
		return vk.ImageUsageStorageBit, "VkWriteDescriptorSet-descriptorType-00339"
	case vk.DescriptorTypeInputAttachment:
		return vk.ImageUsageInputAttachmentBit, "VkWriteDescriptorSet-descriptorType-00338"
	case vk.DescriptorTypeSampleWeightImageQCOM:
		return vk.ImageUsageSampleWeightBitQCOM, "VkWriteDescriptorSet-descriptorType-06942"
	case vk.DescriptorTypeBlockMatchImageQCOM:
		return vk.ImageUsageSampleBlockMatchBitQCOM, "VkWriteDescriptorSet-descriptorType-06943"
	}
	return vk.ImageUsageSampledBit, "VkWriteDescriptorSet-descriptorType-00337"
}

// gone says that an object behind the descriptor is closed.
func (o *owner) gone() bool {
	switch {
	case o.buffer != nil && o.buffer.closed.Load(),
		o.texel != nil && (o.texel.closed.Load() || o.texel.buffer.closed.Load()),
		o.view != nil && (o.view.closed.Load() || o.view.image.closed.Load()),
		o.sampler != nil && o.sampler.closed.Load():
		return true
	}
	return false
}

// resolve returns the contents for a submission. Descriptors whose objects are
// closed become null: a set may hold some that no command uses.
func (s *DescriptorSet) resolve() *setState {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.slots {
		for k := range s.state.slots[i].used() {
			if s.state.slots[i].owners[k].gone() {
				s.unshare()
				s.state.slots[i].descriptors[k], s.state.slots[i].owners[k] = exec.Descriptor{}, owner{written: true}
			}
		}
	}
	s.shared = true
	return s.state
}

// slice returns a range of the buffer; size vk.WholeSize or 0 means to the end.
func (b *Buffer) slice(op Op, rule string, offset, size uint64) ([]byte, error) {
	offset, size, err := b.part(op, rule, rule, offset, size)
	if err != nil {
		return nil, err
	}
	return b.data[offset : offset+size : offset+size], nil
}

// eachUse calls f for the state of each object that the set names.
func (s *setState) eachUse(f func(*owner) error) error {
	for i := range s.slots {
		for k := range s.slots[i].used() {
			if o := &s.slots[i].owners[k]; o.written {
				if err := f(o); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
