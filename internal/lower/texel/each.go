package texel

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// Choice is a view and a sampler that lanes name.
type Choice struct {
	View    *resource.ImageView
	Sampler *resource.Sampler
}

// Each is what lanes of an instruction have, each of its own: Choices by number, and Which has the
// number of each lane's. Both belong to the caller. Choose makes it ready for RunEach, which may be
// called as often as both stay as they are.
type Each struct {
	Choices  []Choice
	Which    []uint32
	group    []int // by choice: in groups, or none
	groups   []eachGroup
	accesses []*access // by choice
}

// none is the group of a choice that has no other beside it.
const none = -1

// eachGroup are choices that one routine does.
type eachGroup struct {
	thread Thread
	access *access // of one of them
	// params and memory are those of all choices, without what others have, for a level.
	params []byte
	memory [][]byte
	level  uint32
	made   bool
}

// Choose prepares RunEach for an instruction at a site. It leaves in the mask todo the lanes that
// RunEach does not do, in want those that it does, and says whether there are any.
func (u *Unit) Choose(e *Each, site int, a *ref.Args, todo, want []uint32) bool {
	op := a.Op
	e.group, e.groups, e.accesses = e.group[:0], e.groups[:0], e.accesses[:0]
	if u.Engine == nil || len(e.Choices) > MaxEach ||
		op.Kind != ir.ImageSample && op.Kind != ir.ImageGather && op.Kind != ir.ImageFetch &&
			op.Kind != ir.ImageRead {
		return false
	}
	for i := range e.Choices {
		c := &e.Choices[i]
		p := u.access(site, op, c.View.As(op.Result != ir.ClassFloat, false), c.Sampler)
		e.accesses, e.group = append(e.accesses, p), append(e.group, none)
		if !p.ok || !p.bound() {
			continue
		}
		t := u.routines.each(u.Engine, p)
		for k := range e.groups {
			if e.groups[k].thread == t {
				e.group[i] = k
			}
		}
		if e.group[i] < 0 && t != nil {
			e.group[i] = len(e.groups)
			if len(e.groups) < cap(e.groups) {
				e.groups = e.groups[:len(e.groups)+1] // with the room of its parameters
			} else {
				e.groups = append(e.groups, eachGroup{})
			}
			g := &e.groups[e.group[i]]
			g.thread, g.access, g.made = t, p, false
		}
	}
	some := false
	for lane, t := range todo {
		if want[lane] = 0; t != 0 && e.group[e.Which[lane]] >= 0 {
			want[lane], todo[lane], some = t, 0, true
		}
	}
	return some
}

// RunEach is Run for the lanes of a.Mask, which are of those that Choose has found: lanes of one
// key run together.
//
// IMG-002, IMG-402
func (u *Unit) RunEach(e *Each, site int, a *ref.Args, n int) {
	want := a.Mask
	if len(u.eachMask) < n {
		u.eachMask = make([]uint32, n)
	}
	for k := range e.groups {
		g := &e.groups[k]
		if len(e.groups) > 1 {
			a.Mask = u.eachMask[:n]
			some := uint32(0)
			for lane, m := range want[:n] {
				if a.Mask[lane] = 0; m != 0 && e.group[e.Which[lane]] == k {
					a.Mask[lane] = m
				}
				some |= a.Mask[lane]
			}
			if some == 0 {
				continue
			}
		}
		u.routines.left = u.routines.left[:0]
		switch ran := u.routines.run(g.access, a, n, e, g); {
		case ran && len(u.routines.left) == 0:
		case ran:
			a.Mask = u.eachMask[:n]
			clear(a.Mask)
			for _, l := range u.routines.left {
				a.Mask[l] = ^uint32(0)
			}
			u.alone(e, site, a, n)
		default:
			copy(u.eachMask, a.Mask)
			a.Mask = u.eachMask[:n]
			u.alone(e, site, a, n)
		}
		a.Mask = want
	}
}

// images are the parameters and the memory of a group's choices, for a level that all lanes read.
func (e *Each) images(g *eachGroup, level uint32) ([]byte, [][]byte) {
	if g.made && g.level == level {
		return g.params, g.memory
	}
	g.params, g.memory, g.level, g.made = g.params[:0], g.memory[:0], level, true
	var nothing params
	for i, p := range e.accesses {
		if k := e.group[i]; k < 0 || e.groups[k].thread != g.thread {
			g.params, g.memory = append(g.params, nothing[:]...), append(g.memory, nil)
			continue
		}
		g.params, g.memory = append(g.params, p.paramsOf(level)[:]...), append(g.memory, p.memory())
	}
	return g.params, g.memory
}

// alone runs the lanes of a.Mask a quad and a choice at a time, and clears them.
func (u *Unit) alone(e *Each, site int, a *ref.Args, n int) {
	whole := *a
	var mask [4]uint32
	for lo := 0; lo < n; lo += 4 {
		hi := min(lo+4, n)
		for lane := lo; lane < hi; lane++ {
			if whole.Mask[lane] == 0 {
				continue
			}
			c := &e.Choices[e.Which[lane]]
			for i := lo; i < hi; i++ {
				if mask[i-lo] = 0; whole.Mask[i] != 0 && e.Which[i] == e.Which[lane] {
					mask[i-lo], whole.Mask[i] = whole.Mask[i], 0
				}
			}
			a.Window(lo, hi)
			a.Mask = mask[:hi-lo]
			u.Run(site, a, c.View, c.Sampler, hi-lo)
			whole.Blocks = a.Blocks
			*a = whole
		}
	}
}
