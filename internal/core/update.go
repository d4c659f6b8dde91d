package core

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/vk"
)

// DescriptorWrite changes elements of a binding from First on; what is left over
// at its end goes to the next bindings of the layout, as in Vulkan. First and
// Inline count bytes in inline uniform blocks.
type DescriptorWrite struct {
	Binding, First uint32
	Type           vk.DescriptorType // for bindings of type MUTABLE
	Descriptors    []Descriptor
	Inline         []byte // in place of Descriptors
}

// DescriptorCopy copies Count elements (bytes, of inline uniform blocks); both
// sides go on into the next bindings.
type DescriptorCopy struct {
	From                   *DescriptorSet
	FromBinding, FromFirst uint32
	Binding, First, Count  uint32
}

// Update carries out writes (vkUpdateDescriptorSets). After an error the writes
// before it have been made.
func (s *DescriptorSet) Update(writes ...DescriptorWrite) error {
	const op = "DescriptorSet.Update"
	return s.change(op, func(state *setState) error {
		for _, w := range writes {
			if err := state.write(op, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// Copy copies descriptors of another set, or of s, as they are now.
func (s *DescriptorSet) Copy(c DescriptorCopy) error {
	const op = "DescriptorSet.Copy"
	if c.From == nil {
		return nilObject(op, "descriptor set")
	}
	from := c.From.snapshot()
	return s.change(op, func(state *setState) error {
		src, err := from.place(op, c.FromBinding, c.FromFirst, "VkCopyDescriptorSet-srcBinding-00345")
		if err != nil {
			return err
		}
		dst, err := state.place(op, c.Binding, c.First, "VkCopyDescriptorSet-dstBinding-00347")
		if err != nil {
			return err
		}
		if dst.bytes() != nil {
			if !copies(dst.bytes(), src.bytes(), c.Count) {
				return s.dev.misuse(op, "VkCopyDescriptorSet-srcArrayElement-00346", "", "%d bytes", c.Count)
			}
			return nil
		}
		for range c.Count {
			if !src.ok() || !dst.ok() {
				return s.dev.misuse(op, "VkCopyDescriptorSet-srcArrayElement-00346", "", "more descriptors than the bindings have")
			}
			if a, b := from.layout.bindings[src.i].Type, state.layout.bindings[dst.i].Type; a != b && a != vk.DescriptorTypeMutableEXT && b != vk.DescriptorTypeMutableEXT {
				return s.dev.misuse(op, "VkCopyDescriptorSet-dstBinding-02632", "", "a %v copied to a %v", a, b)
			}
			*dst.descriptor(), *dst.owner() = *src.descriptor(), *src.owner()
			if im := state.layout.bindings[dst.i].Immutable; im != nil {
				dst.descriptor().Sampler, dst.owner().sampler = im[dst.k].state, im[dst.k]
			}
			src.next()
			dst.next()
		}
		return nil
	})
}

// copies copies n bytes; false if one side is shorter.
func copies(dst, src []byte, n uint32) bool {
	return uint64(n) <= uint64(len(dst)) && uint64(n) <= uint64(len(src)) && copy(dst[:n], src) == int(n)
}

// place is an element of a set: slot i, element (or byte) k.
type place struct {
	s    *setState
	i, k int
}

// place finds an element; one past a binding's end is in the next binding.
func (s *setState) place(op string, binding, first uint32, rule string) (place, error) {
	p := place{s: s, i: s.layout.find(binding), k: int(first)}
	if p.i < 0 || int(first) < 0 {
		return p, s.layout.dev.misuse(op, rule, "", "the layout has no binding %d", binding)
	}
	if s.layout.bindings[p.i].Type != vk.DescriptorTypeInlineUniformBlock {
		p.settle()
	}
	return p, nil
}

// settle moves on to the binding that holds the element.
func (p *place) settle() {
	for p.i < len(p.s.slots) && p.k >= len(p.s.slots[p.i].owners) {
		p.k -= len(p.s.slots[p.i].owners)
		p.i++
	}
}

func (p *place) next() {
	p.k++
	p.settle()
}

func (p *place) ok() bool { return p.i < len(p.s.slots) }

func (p *place) descriptor() *exec.Descriptor { return &p.s.slots[p.i].descriptors[p.k] }
func (p *place) owner() *owner                { return &p.s.slots[p.i].owners[p.k] }

// bytes returns the rest of an inline uniform block, nil for other bindings.
func (p *place) bytes() []byte {
	if p.s.layout.bindings[p.i].Type != vk.DescriptorTypeInlineUniformBlock || len(p.s.slots[p.i].descriptors) == 0 {
		return nil
	}
	b := p.s.slots[p.i].descriptors[0].Data
	return b[min(p.k, len(b)):]
}

// write carries out one write on contents that nobody else sees.
func (s *setState) write(op string, w DescriptorWrite) error {
	d := s.layout.dev
	at, err := s.place(op, w.Binding, w.First, "VkWriteDescriptorSet-dstBinding-00315")
	if err != nil {
		return err
	}
	if w.Inline != nil {
		if !copies(at.bytes(), w.Inline, uint32(len(w.Inline))) {
			return d.misuse(op, "VkWriteDescriptorSet-descriptorType-02219", "", "%d bytes at %d of binding %d", len(w.Inline), w.First, w.Binding)
		}
		return nil
	}
	for k := range w.Descriptors {
		if !at.ok() {
			return d.misuse(op, "VkWriteDescriptorSet-dstArrayElement-00321", "", "elements %d+%d of binding %d are more than there are", w.First, len(w.Descriptors), w.Binding)
		}
		e, o, err := d.descriptor(op, s.layout.bindings[at.i].as(w.Type), at.k, &w.Descriptors[k])
		if err != nil {
			return err
		}
		*at.descriptor(), *at.owner() = e, o
		at.next()
	}
	return nil
}

// compatible says that two layouts are identically defined.
//
// descriptorsets-compatibility
func (l *DescriptorSetLayout) compatible(m *DescriptorSetLayout) bool {
	return l == m || slices.EqualFunc(l.bindings, m.bindings, func(a, b Binding) bool {
		return a.Binding == b.Binding && a.Type == b.Type && a.Count == b.Count && a.Flags == b.Flags && slices.Equal(a.Immutable, b.Immutable) && slices.Equal(a.Mutable, b.Mutable)
	})
}

// BindDescriptorSetLate binds a set whose contents count as they are when the
// command buffer is submitted, not as they are now. Vulkan forbids changes in
// between unless the binding has UPDATE_AFTER_BIND, so this serves both.
func (c *CommandBuffer) BindDescriptorSetLate(op string, point vk.PipelineBindPoint, number int, s *DescriptorSet, dynamicOffsets []uint32) {
	if c.checkSet(op, point, number, s, dynamicOffsets) {
		c.bindSet(point, number, boundLayout{layout: s.layout}, s, dynamicOffsets)
	}
}

// PushDescriptors changes descriptors of a set that belongs to the command
// buffer (vkCmdPushDescriptorSet); elements that were pushed before for an
// identical layout stay.
func (c *CommandBuffer) PushDescriptors(op string, point vk.PipelineBindPoint, number int, l *DescriptorSetLayout, writes []DescriptorWrite) {
	if !c.ok(op, 0) {
		return
	}
	if number < 0 || number >= MaxDescriptorSets || l == nil || l.dev != c.dev {
		c.misuse(op, "vkCmdPushDescriptorSet-set-00364", "", "set number %d, layout %v", number, l != nil)
		return
	}
	b := &c.sets[point][number]
	var state *setState
	if b.pushed && b.layout.compatible(l) {
		state = b.state.clone()
	} else {
		state = newState(l, maxDescriptors)
	}
	for _, w := range writes {
		if !c.try(state.write(op, w)) {
			return
		}
	}
	c.bindSet(point, number, boundLayout{layout: l, state: state, pushed: true}, state, nil)
}
