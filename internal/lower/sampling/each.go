package sampling

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// Choice is a view and a sampler that lanes name.
type Choice struct {
	View    *resource.ImageView
	Sampler *resource.Sampler
}

// eachPlan is a batch whose lanes name different views and samplers.
type eachPlan struct {
	choices []Choice
	plans   []*plan
	which   []uint32 // by lane, the choice
	params  []byte
	memory  [][]byte
	left    []uint32 // lanes to be run
	mask    []uint32 // lanes of one key
}

// Choose prepares RunEach for the instruction at a site and lanes that name choices: which has the number of each lane's.
// Both stay the caller's, and stay as they are until RunEach is done. It leaves in the mask todo the lanes that RunEach does not
// do, in want those that it does, and says whether there are any.
func (u *Unit) Choose(site int, op *ir.ImageOp, choices []Choice, which, todo, want []uint32) bool {
	x := &u.each
	x.choices, x.which, x.plans = choices, which, x.plans[:0]
	if u.Engine == nil || len(choices) > texel.MaxEach || op.Kind != ir.ImageSample && op.Kind != ir.ImageGather && op.Kind != ir.ImageFetch && op.Kind != ir.ImageRead {
		return false
	}
	for i := range choices {
		c := &choices[i]
		p := u.plan(site, op, c.View.As(op.Result != ir.ClassFloat, false), c.Sampler)
		if !p.ok || u.routines.each(u.Engine, p) == nil {
			p = nil
		}
		x.plans = append(x.plans, p)
	}
	some := false
	for lane, t := range todo {
		if want[lane] = 0; t != 0 && x.plans[which[lane]] != nil {
			want[lane], todo[lane], some = t, 0, true
		}
	}
	return some
}

// RunEach is Run for the lanes of a.Mask, which are of those that Choose has found: lanes of one key run together.
//
// IMG-002, IMG-402
func (u *Unit) RunEach(site int, a *ref.Args, n int) {
	x, want := &u.each, a.Mask
	if len(x.mask) < n {
		x.left, x.mask = make([]uint32, n), make([]uint32, n)
	}
	left := x.left[:n]
	copy(left, want)
	for lane := range left {
		if left[lane] == 0 {
			continue
		}
		p := x.plans[x.which[lane]]
		t := p.route.each
		if !p.runs(a) {
			t = nil
		}
		a.Mask = x.mask[:n]
		for i := lane; i < n; i++ {
			if a.Mask[i] = 0; left[i] == 0 {
				continue
			}
			if q := x.plans[x.which[i]]; q == p || t != nil && q.route.each == t && q.runs(a) {
				a.Mask[i], left[i] = left[i], 0
			}
		}
		clear(a.Mask[:lane])
		switch {
		case t == nil || !u.routines.run(p, a, n, x):
			u.alone(site, a, n)
		case len(u.routines.left) > 0:
			clear(a.Mask)
			for _, l := range u.routines.left {
				a.Mask[l] = ^uint32(0)
			}
			u.alone(site, a, n)
		}
	}
	a.Mask = want
}

// images are the parameters and the memory of the choices that thread t runs, for a level that all lanes read.
func (x *eachPlan) images(t texel.Thread, level uint32) ([]byte, [][]byte) {
	x.params, x.memory = x.params[:0], x.memory[:0]
	var none params
	for _, p := range x.plans {
		if p == nil || p.route.each != t || int64(len(p.v.Image.Data)) < p.v.Image.Layout.Size {
			x.params, x.memory = append(x.params, none[:]...), append(x.memory, nil)
			continue
		}
		x.params, x.memory = append(x.params, p.paramsOf(level)[:]...), append(x.memory, p.memory())
	}
	return x.params, x.memory
}

// alone runs the lanes of a.Mask a quad and a choice at a time.
func (u *Unit) alone(site int, a *ref.Args, n int) {
	x, whole := &u.each, *a
	var mask [4]uint32
	for lo := 0; lo < n; lo += 4 {
		hi := min(lo+4, n)
		for lane := lo; lane < hi; lane++ {
			if whole.Mask[lane] == 0 {
				continue
			}
			c := &x.choices[x.which[lane]]
			for i := lo; i < hi; i++ {
				if mask[i-lo] = 0; whole.Mask[i] != 0 && x.which[i] == x.which[lane] {
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
