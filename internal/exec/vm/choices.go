package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// Lanes that name different descriptors mostly name images and samplers of one kind, whose
// instruction is one routine: they run together, each with parameters of its own
// (texel.Unit.RunEach).

// chosen are the descriptors that the lanes of an image instruction name. What a loop's instruction
// names is often what it named a turn before, so it is kept until the batch ends.
type chosen struct {
	each texel.Each
	some bool // lanes run together
	// What this is of: the batch, pairs of elements by lane, and the lanes.
	batch    uint64
	n        int
	elements [2][]uint32
	varies   [2]bool
	of       [2]uint32 // where they do not vary
	todo     []uint32
	left     []uint32 // lanes that do not run together
	want     []uint32 // those that do
	// slots find a pair of elements among those that were met: a hash table with numbers in
	// each.Choices plus 1.
	slots []uint16
	met   [][2]uint32
}

// choices runs the lanes of todo that can run together, and clears them there; active is the
// execution mask, nil if all. Lanes that have no elements of their own have those of element.
func (t *thread) choices(a *sampling.Args, active, todo []uint32, lanes [2][]uint32,
	element [2]uint32) {
	if a.Op.Residency || a.Op.Kind.Takes2() || t.images.unit.Engine == nil {
		return
	}
	if t.images.chosen == nil {
		t.images.chosen = make([]*chosen, len(t.r.program.ImageOps))
	}
	c := t.images.chosen[t.images.site]
	if c == nil {
		n := len(t.images.group)
		row := func() []uint32 { return make([]uint32, n) }
		c = &chosen{elements: [2][]uint32{row(), row()}, todo: row(), left: row(), want: row(),
			slots: make([]uint16, 4*n)}
		c.each.Which = row()
		t.images.chosen[t.images.site] = c
	}
	if !c.are(t.images.batch, todo, lanes, element) {
		t.choose(c, a, todo, lanes, element)
	}
	if !c.some {
		return
	}
	copy(todo, c.left)
	t.images.each = &c.each
	t.imageGroup(a, active, c.want[:t.n], element)
	t.images.each = nil
}

// are says that the choices are those of lanes with such elements.
func (c *chosen) are(batch uint64, todo []uint32, lanes [2][]uint32, element [2]uint32) bool {
	if c.batch != batch || c.n != len(todo) || c.of != element ||
		!slices.Equal(c.todo[:len(todo)], todo) {
		return false
	}
	for k, l := range lanes {
		if c.varies[k] != (l != nil) || l != nil && !slices.Equal(c.elements[k][:len(todo)], l) {
			return false
		}
	}
	return true
}

// choose finds the choices of lanes.
func (t *thread) choose(c *chosen, a *sampling.Args, todo []uint32,
	lanes [2][]uint32, element [2]uint32) {
	c.batch, c.n, c.of = t.images.batch, t.n, element
	copy(c.todo, todo)
	for k, l := range lanes {
		copy(c.elements[k], l)
		c.varies[k] = l != nil
	}
	clear(c.slots)
	c.each.Choices, c.met = c.each.Choices[:0], c.met[:0]
	last, which := -1, c.each.Which
	for i, on := range todo {
		if which[i] = 0; on == 0 {
			continue
		}
		for k := range lanes {
			if lanes[k] != nil {
				element[k] = lanes[k][i]
			}
		}
		if last < 0 || c.met[last] != element {
			last = t.choice(c, a.Op, element)
		}
		which[i] = uint32(last)
	}
	left := c.left[:copy(c.left, todo)]
	c.some = len(c.met) > 1 && t.images.unit.Choose(&c.each, t.images.site, a, left, c.want)
}

// choice is the number of the descriptors of a pair of elements.
func (t *thread) choice(c *chosen, op *ir.ImageOp, element [2]uint32) int {
	at := (element[0]*0x9E3779B1 ^ element[1]*0x85EBCA77) >> 8 % uint32(len(c.slots))
	for ; c.slots[at] != 0; at = (at + 1) % uint32(len(c.slots)) {
		if k := int(c.slots[at]) - 1; c.met[k] == element {
			return k
		}
	}
	t.learn(element)
	d := t.descriptor(int64(op.Image), element[0])
	c.each.Choices = append(c.each.Choices,
		texel.Choice{View: d.View, Sampler: t.sampler(op, &d, element)})
	c.met = append(c.met, element)
	c.slots[at] = uint16(len(c.met))
	return len(c.met) - 1
}

// learn tells of elements that lanes of the present instruction name.
func (t *thread) learn(element [2]uint32) {
	if s := t.images.learns; s != nil {
		s.learn(t, t.images.site, element)
	}
}

// inRow runs an instruction on texel buffers, or a query of levels or samples, for the lanes of a mask, whose elements
// stand in a row of lanes: those that follow with one run together.
//
// IMG-032
func (t *thread) inRow(a *sampling.Args, mask, element []uint32) {
	a.Mask, a.Sparse = mask, t.ctx.Sparse
	for lo, hi := 0, 0; lo < t.n; lo = hi {
		for hi = lo + 1; hi < t.n && element[hi] == element[lo]; hi++ {
		}
		t.learn([2]uint32{element[lo]})
		if d := t.descriptor(int64(a.Op.Image), element[lo]); a.Op.Dim == ir.DimBuffer {
			sampling.RunBuffer(a, d.Texel, lo, hi)
		} else {
			sampling.RunCount(a, d.View, lo, hi)
		}
	}
}
