package core

import (
	"bytes"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// Sets in memory are read when a draw or a dispatch needs them, on the queue, and again by the next dispatch or
// pass: shaders, commands and the host may have changed memory before it. What is read is a copy: descriptors are made of it, and only of what
// differs from the copy are they made anew.

// memorySet is a set that lies in memory.
type memorySet struct {
	layout *DescriptorSetLayout
	buffer uint32 // number of the descriptor buffer
	offset uint64 // in it
	slots  []memorySlot
}

// memorySlot is what has been read of one binding.
type memorySlot struct {
	read     uint64 // runner.changes then, plus 1
	elements int    // that were asked for
	copy     []byte
}

// changedBytes is the unit in which copies are compared: so many bytes are read anew together.
const changedBytes = 128 * DescriptorBytes

// BindDescriptorBuffers binds descriptor buffers by their addresses, as the first ones; there are no
// others then (vkCmdBindDescriptorBuffersEXT).
func (c *CommandBuffer) BindDescriptorBuffers(op Op, addresses []uint64) {
	if !c.ok(op, 0) {
		return
	}
	if len(addresses) > MaxDescriptorBuffers {
		c.misuse(op, "vkCmdBindDescriptorBuffersEXT-maxResourceDescriptorBufferBindings-08049", "", "%d descriptor buffers; %d is the limit", len(addresses), MaxDescriptorBuffers)
		return
	}
	var args []uint32
	for _, a := range addresses {
		args = append(args, lo(a), hi(a))
	}
	c.emit(opBindBuffers, args...)
}

// SetDescriptorBufferOffset binds the set at an offset of a descriptor buffer, which has layout l
// (vkCmdSetDescriptorBufferOffsetsEXT).
func (c *CommandBuffer) SetDescriptorBufferOffset(op Op, point vk.PipelineBindPoint, number int, l *DescriptorSetLayout, buffer uint32, offset uint64) {
	switch {
	case !c.canSet(op, "vkCmdSetDescriptorBufferOffsetsEXT-firstSet-08066", point, number, l):
	case buffer >= MaxDescriptorBuffers:
		c.misuse(op, "vkCmdSetDescriptorBufferOffsetsEXT-pBufferIndices-08064", "", "descriptor buffer %d; %d is the limit", buffer, MaxDescriptorBuffers)
	case offset%DescriptorAlignment != 0:
		c.misuse(op, "vkCmdSetDescriptorBufferOffsetsEXT-pOffsets-08061", "", "offset %d is no multiple of %d", offset, DescriptorAlignment)
	case l.dynamic > 0:
		c.misuse(op, "VkDescriptorSetLayoutCreateInfo-flags-08000", "", "a set in memory has no dynamic offsets")
	default:
		c.sets[point][number], c.checked[point] = boundLayout{layout: l}, false
		c.emit(opSetOffset, uint32(point), uint32(number), c.object(l), buffer, lo(offset), hi(offset))
	}
}

// BindEmbeddedSamplers binds the set of the immutable samplers of a layout that has nothing else
// (vkCmdBindDescriptorBufferEmbeddedSamplersEXT).
func (c *CommandBuffer) BindEmbeddedSamplers(op Op, point vk.PipelineBindPoint, number int, l *DescriptorSetLayout) {
	if !c.canSet(op, "vkCmdBindDescriptorBufferEmbeddedSamplersEXT-set-08071", point, number, l) {
		return
	}
	for i := range l.bindings {
		if b := &l.bindings[i]; b.Type != vk.DescriptorTypeSampler || b.Immutable == nil {
			c.misuse(op, "vkCmdBindDescriptorBufferEmbeddedSamplersEXT-set-08070", "", "binding %d is no immutable sampler", b.Binding)
			return
		}
	}
	state := newState(l, maxDescriptors)
	c.bindSet(point, number, boundLayout{layout: l, state: state}, state, nil)
}

// canSet checks the arguments of commands that bind a set by its layout.
func (c *CommandBuffer) canSet(op Op, rule string, point vk.PipelineBindPoint, number int, l *DescriptorSetLayout) bool {
	switch {
	case !c.ok(op, 0):
	case point != vk.PipelineBindPointGraphics && point != vk.PipelineBindPointCompute:
		c.misuse(op, "vkCmdBindDescriptorSets-pipelineBindPoint-parameter", "", "bind point %v", point)
	case number < 0 || number >= MaxDescriptorSets || l == nil || l.dev != c.dev:
		c.misuse(op, rule, "", "set number %d, layout %v", number, l != nil)
	default:
		return true
	}
	return false
}

// bindDescriptorBuffers carries out opBindBuffers.
func (r *runner) bindDescriptorBuffers(a []uint32) {
	r.buffers = make([]uint64, len(a)/2)
	for i := range r.buffers {
		r.buffers[i] = wide(a[2*i], a[2*i+1])
	}
	r.changes++
}

// setOffset carries out opSetOffset.
func (r *runner) setOffset(a []uint32) {
	b := &r.points[a[0]]
	l := r.table[a[2]].(*DescriptorSetLayout)
	if m := b.sets[a[1]].memory; m != nil && m.layout == l && m.buffer == a[3] && m.offset == wide(a[4], a[5]) {
		return
	}
	b.sets[a[1]] = boundSet{
		state:  &setState{layout: l, slots: make([]slot, len(l.bindings))},
		memory: &memorySet{layout: l, buffer: a[3], offset: wide(a[4], a[5]), slots: make([]memorySlot, len(l.bindings))},
	}
	b.inMemory = true
	b.forget(a[1])
}

// readSets reads what the pipeline uses of sets that lie in memory, where memory may have changed.
func (r *runner) readSets(b *bindPoint) {
	r.pin() // before objects are looked for: those that are there keep their memory
	for _, p := range b.pipeline.programs {
		for i := range p.Resources {
			res := &p.Resources[i]
			if set := &b.sets[res.Set]; res.Kind != ir.TileImage && set.memory != nil && r.readBinding(set, res) {
				b.forget(res.Set)
			}
		}
	}
}

// readBinding reads a binding; false if nothing has changed.
func (r *runner) readBinding(set *boundSet, res *ir.Resource) bool {
	m := set.memory
	at := m.layout.find(res.Binding)
	b, s, have := &m.layout.bindings[at], &m.slots[at], &set.state.slots[at]
	n := int(b.elements())
	if res.Count != 0 && b.Type != vk.DescriptorTypeInlineUniformBlock {
		n = min(n, int(res.Count))
	}
	if n = max(n, s.elements); s.read == r.changes+1 && s.elements == n {
		return false
	}
	first := s.elements == 0
	s.read, s.elements = r.changes+1, n
	from := r.setBytes(m, at)
	if b.Type == vk.DescriptorTypeInlineUniformBlock {
		if same := len(have.descriptors) > 0 && len(have.descriptors[0].Data) == len(from) && (len(from) == 0 || &have.descriptors[0].Data[0] == &from[0]); same {
			return false
		}
		*have = slot{descriptors: []exec.Descriptor{{Data: from}}, owners: []owner{{written: true}}}
		return true
	}
	if res.Count == 0 {
		n = min(n, len(from)/DescriptorBytes) // what is behind the end are no elements
	}
	from = from[:min(len(from), n*DescriptorBytes)]
	if !first || n < keptElements {
		return r.dev.readDescriptors(have, s, b, from, n)
	}
	r.dev.readKept(have, s, m.layout, at, from, n)
	return true
}

// Large arrays are kept from one command buffer to the next, with what descriptors were made of: programs put all
// that they have into one, and change little of it.

const (
	keptElements    = 1 << 10 // the least that is kept
	maxKeptElements = 1 << 22 // of all arrays together: four kinds of descriptors of the largest heap
)

// keptArrays are kept arrays. The queue that carries out commands has them.
type keptArrays struct {
	of       map[keptKey]keptArray
	elements int
}

// keptKey is a binding. Where sets of the same layout lie at several places, the last one counts.
type keptKey struct {
	layout *DescriptorSetLayout
	at     int
}

type keptArray struct {
	have    slot
	copy    []byte
	changes uint64 // objectNumbers.changes then
}

// readKept is readDescriptors for the first time in a command buffer.
func (d *Device) readKept(have *slot, s *memorySlot, l *DescriptorSetLayout, at int, from []byte, n int) {
	k, key, changes := &d.arrays, keptKey{l, at}, d.numbered.changes.Load()
	a := k.of[key]
	if a.changes == changes {
		*have, s.copy = a.have, a.copy
	}
	d.readDescriptors(have, s, &l.bindings[at], from, n)
	if k.elements += n - len(a.have.descriptors); k.of == nil || k.elements > maxKeptElements {
		k.of, k.elements = map[keptKey]keptArray{}, n
	}
	k.of[key] = keptArray{*have, s.copy, changes}
}

// setBytes is the memory of a binding, as much as there is.
func (r *runner) setBytes(m *memorySet, at int) []byte {
	if uint64(m.buffer) >= uint64(len(r.buffers)) {
		return nil
	}
	address := r.buffers[m.buffer]
	base, data := r.dev.addresses.Find(address)
	b, left := &m.layout.bindings[at], uint64(len(data))
	size := uint64(b.Count)
	if b.Type != vk.DescriptorTypeInlineUniformBlock {
		size *= DescriptorBytes
	}
	for _, skip := range [...]uint64{address - base, m.offset, m.layout.offsets[at]} {
		if skip >= left {
			return nil
		}
		left -= skip
	}
	data = data[uint64(len(data))-left:]
	size = min(size, left)
	return data[:size:size]
}

// readDescriptors brings n elements of a slot to what memory holds of them now; false if nothing
// has changed. Draws before keep the descriptors that they have.
func (d *Device) readDescriptors(have *slot, s *memorySlot, b *Binding, from []byte, n int) bool {
	all := len(have.descriptors) != n || len(s.copy) != len(from)
	if !all && bytes.Equal(s.copy, from) {
		return false
	}
	next := slot{descriptors: make([]exec.Descriptor, n)}
	if !all {
		copy(next.descriptors, have.descriptors)
	}
	old := s.copy
	s.copy = slices.Clone(from)
	d.numbered.mu.RLock()
	defer d.numbered.mu.RUnlock()
	for k := 0; k < n; {
		end := min(k+changedBytes/DescriptorBytes, n)
		part := s.copy[min(k*DescriptorBytes, len(s.copy)):min(end*DescriptorBytes, len(s.copy))]
		if !all && bytes.Equal(part, old[min(k*DescriptorBytes, len(old)):min(end*DescriptorBytes, len(old))]) {
			k = end
			continue
		}
		for ; k < end; k++ {
			var o owner
			next.descriptors[k], o = d.fromMemory(part[:min(DescriptorBytes, len(part))], b, k)
			if n == 1 { // nobody asks for those of arrays
				next.owners = []owner{o}
			}
			part = part[min(DescriptorBytes, len(part)):]
		}
	}
	*have = next
	return true
}
