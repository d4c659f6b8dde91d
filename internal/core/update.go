package core

import (
	"math"
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
	const op Op = "vkUpdateDescriptorSets"
	return s.change(op, func(state *setState) error {
		for _, w := range writes {
			if err := state.write(op, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// Copy copies descriptors of another set, or of s, as they are now; after an error,
// none.
func (s *DescriptorSet) Copy(c DescriptorCopy) error {
	const op Op = "vkUpdateDescriptorSets"
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
		switch n := uint64(c.Count); {
		case n > src.leftOf(n):
			return s.dev.misuse(op, "VkCopyDescriptorSet-srcArrayElement-00346", "", "elements %d+%d of binding %d of the source, where %d are left", c.FromFirst, n, c.FromBinding, src.left())
		case n > dst.leftOf(n):
			return s.dev.misuse(op, "VkCopyDescriptorSet-dstArrayElement-00348", "", "elements %d+%d of binding %d of the target, where %d are left", c.First, n, c.Binding, dst.left())
		}
		if err := s.dev.copyable(op, src, dst, c.Count); err != nil {
			return err
		}
		for left := int(c.Count); left > 0; {
			n := 1
			if dst.inline() {
				n = copy(dst.bytes()[:min(left, len(dst.bytes()))], src.bytes())
			} else {
				dst.set(*src.descriptor(), *src.owner())
				if im := state.layout.bindings[dst.i].Immutable; im != nil {
					dst.descriptor().Sampler, dst.owner().sampler = im[dst.k].state, im[dst.k]
				}
			}
			src.next(n)
			dst.next(n)
			left -= n
		}
		return nil
	})
}

// copyable says that count elements have the same types on both sides.
func (d *Device) copyable(op Op, src, dst boundElement, count uint32) error {
	for range count {
		a, b := src.s.layout.bindings[src.i].Type, dst.s.layout.bindings[dst.i].Type
		mutable := (a == vk.DescriptorTypeMutableEXT || b == vk.DescriptorTypeMutableEXT) && !src.inline() && !dst.inline()
		if a != b && !mutable {
			return d.misuse(op, "VkCopyDescriptorSet-dstBinding-02632", "", "a %v copied to a %v", a, b)
		}
		if src.inline() {
			return nil // and so are all others
		}
		src.next(1)
		dst.next(1)
	}
	return nil
}

// boundElement is an element of a set: of slot i, element k, or byte k of an inline uniform
// block.
type boundElement struct {
	s    *setState
	i, k int
}

// place finds an element; one past a binding's end is in the next binding, one past
// all of them nowhere, where nothing is left.
//
// descriptorsets-updates-consecutive
func (s *setState) place(op Op, binding, first uint32, rule string) (boundElement, error) {
	p := boundElement{s: s, i: s.layout.find(binding)}
	if p.i < 0 {
		return p, s.layout.dev.misuse(op, rule, "", "the layout has no binding %d", binding)
	}
	p.next(int(min(first, 1<<30))) // sets are smaller
	return p, nil
}

// next goes on by n elements.
func (p *boundElement) next(n int) {
	for p.k += n; p.i < len(p.s.slots) && p.k >= p.s.size(p.i); p.i++ {
		p.k -= p.s.size(p.i)
	}
}

// size is the number of elements of a slot.
func (s *setState) size(i int) int {
	if slot := &s.slots[i]; s.inline(i) && len(slot.descriptors) > 0 {
		return len(slot.descriptors[0].Data)
	}
	return len(s.slots[i].owners)
}

// inline says that a slot is an inline uniform block.
func (s *setState) inline(i int) bool {
	return s.layout.bindings[i].Type == vk.DescriptorTypeInlineUniformBlock
}

// left counts the elements from here to the end of the set, or to where bytes follow
// on descriptors, or the reverse.
func (p boundElement) left() uint64 { return p.leftOf(math.MaxUint64) }

// leftOf is left, or some number that is no less than enough: sets may have many bindings.
func (p boundElement) leftOf(enough uint64) (n uint64) {
	skip := uint64(p.k)
	for i := p.i; i < len(p.s.slots) && p.s.inline(i) == p.s.inline(p.i) && n < enough; i++ {
		size := uint64(p.s.size(i))
		n += size - min(size, skip)
		skip -= min(size, skip)
	}
	return n
}

func (p *boundElement) inline() bool                 { return p.s.inline(p.i) }
func (p *boundElement) descriptor() *exec.Descriptor { return &p.s.slots[p.i].descriptors[p.k] }
func (p *boundElement) owner() *owner                { return &p.s.slots[p.i].owners[p.k] }
func (p *boundElement) bytes() []byte                { return p.s.slots[p.i].descriptors[0].Data[p.k:] }

// set writes the element.
func (p *boundElement) set(d exec.Descriptor, o owner) {
	s := &p.s.slots[p.i]
	s.descriptors[p.k], s.owners[p.k] = d, o
	s.blank = min(s.blank, len(s.owners)-p.k-1)
}

// write carries out one write on contents that nobody else sees.
func (s *setState) write(op Op, w DescriptorWrite) error {
	d := s.layout.dev
	at, err := s.place(op, w.Binding, w.First, "VkWriteDescriptorSet-dstBinding-00315")
	if err != nil {
		return err
	}
	n := len(w.Descriptors)
	if w.Inline != nil {
		n = len(w.Inline)
	}
	if uint64(n) > at.leftOf(uint64(n)) {
		return d.misuse(op, "VkWriteDescriptorSet-dstArrayElement-00321", "", "elements %d+%d of binding %d, where %d are left", w.First, n, w.Binding, at.left())
	}
	if n > 0 && at.inline() != (w.Inline != nil) {
		return d.misuse(op, "VkWriteDescriptorSet-descriptorType-00319", "", "binding %d is a %v", s.layout.bindings[at.i].Binding, s.layout.bindings[at.i].Type)
	}
	if w.Inline != nil {
		for from := w.Inline; len(from) > 0; {
			n := copy(at.bytes(), from)
			from = from[n:]
			at.next(n)
		}
		return nil
	}
	for k := range w.Descriptors {
		e, o, err := d.descriptor(op, s.layout.bindings[at.i].as(w.Type), at.k, &w.Descriptors[k])
		if err != nil {
			return err
		}
		at.set(e, o)
		at.next(1)
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
func (c *CommandBuffer) BindDescriptorSetLate(op Op, point vk.PipelineBindPoint, number int, s *DescriptorSet, dynamicOffsets []uint32) {
	if c.checkSet(op, point, number, s, dynamicOffsets) {
		c.bindSet(point, number, boundLayout{layout: s.layout}, s, dynamicOffsets)
	}
}

// PushDescriptors changes descriptors of a set that belongs to the command
// buffer (vkCmdPushDescriptorSet); elements that were pushed before for an
// identical layout stay.
func (c *CommandBuffer) PushDescriptors(op Op, point vk.PipelineBindPoint, number int, l *DescriptorSetLayout, writes []DescriptorWrite) {
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
