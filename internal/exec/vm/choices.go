package vm

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/sampling"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// Lanes that name different descriptors mostly name images and samplers of one kind, whose instruction is one routine: they
// run together, each with parameters of its own (lowered.Unit.RunEach).

// chosen are the descriptors that the lanes of an image instruction name.
type chosen struct {
	run   bool // the present call is for all of them
	list  []lowered.Choice
	which []uint32 // by lane, its place in list
	want  []uint32 // lanes that run together
	// slots find a pair of elements among those of list: a hash table with places in list plus 1.
	slots    []uint16
	elements [][2]uint32
}

// choices runs the lanes of todo that can run together, and clears them there; active is the execution mask, nil if all.
// Lanes that have no elements of their own have those of element.
func (t *thread) choices(op *ir.ImageOp, a *sampling.Args, active, todo []uint32, lanes [2][]uint32, element [2]uint32) {
	if op.Residency || op.Kind.Takes2() || t.images.unit.Engine == nil {
		return
	}
	c := &t.images.chosen
	if c.which == nil {
		n := len(t.images.group)
		c.which, c.want, c.slots = make([]uint32, n), make([]uint32, n), make([]uint16, 4*n)
	}
	which, want := c.which[:t.n], c.want[:t.n]
	clear(c.slots)
	c.list, c.elements = c.list[:0], c.elements[:0]
	last := -1
	for i, on := range todo {
		if which[i] = 0; on == 0 {
			continue
		}
		for k := range lanes {
			if lanes[k] != nil {
				element[k] = lanes[k][i]
			}
		}
		if last < 0 || c.elements[last] != element {
			last = t.choice(op, element)
		}
		which[i] = uint32(last)
	}
	if len(c.list) < 2 || !t.images.unit.Choose(t.images.site, op, c.list, which, todo, want) {
		return
	}
	c.run = true
	t.imageGroup(op, a, active, want, element)
	c.run = false
}

// choice is the place of the descriptors of a pair of elements in the list, to whose end it adds them.
func (t *thread) choice(op *ir.ImageOp, element [2]uint32) int {
	c := &t.images.chosen
	at := (element[0]*0x9E3779B1 ^ element[1]*0x85EBCA77) >> 8 % uint32(len(c.slots))
	for ; c.slots[at] != 0; at = (at + 1) % uint32(len(c.slots)) {
		if k := int(c.slots[at]) - 1; c.elements[k] == element {
			return k
		}
	}
	d := t.descriptor(int64(op.Image), element[0])
	c.list = append(c.list, lowered.Choice{View: d.View, Sampler: t.sampler(op, &d, element)})
	c.elements = append(c.elements, element)
	c.slots[at] = uint16(len(c.list))
	return len(c.list) - 1
}

// texelBuffers runs an instruction on texel buffers for the lanes of a mask, whose elements stand in a row of lanes: those
// that follow with one run together.
//
// IMG-032
func (t *thread) texelBuffers(op *ir.ImageOp, a *sampling.Args, mask, element []uint32) {
	a.Mask, a.Sparse = mask, t.ctx.Sparse
	for lo, hi := 0, 0; lo < t.n; lo = hi {
		for hi = lo + 1; hi < t.n && element[hi] == element[lo]; hi++ {
		}
		sampling.RunBuffer(a, t.descriptor(int64(op.Image), element[lo]).Texel, lo, hi)
	}
}
