package texel

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// maxPlans bounds the plans that a Unit keeps: some 1,500 bytes each, where views have a level.
const maxPlans = 4096

// plans are the plans of a Unit, by what they are made from. From maxPlans on, the oldest is forgotten.
type plans struct {
	found map[planOf]*plan
	ring  []planOf
	next  int
}

// planOf is what a plan is made from.
type planOf struct {
	op *ir.ImageOp
	v  *resource.ImageView
	s  *resource.Sampler
}

// plan returns the plan of an instruction at a site for a view, as v.As has it, and a sampler.
func (u *Unit) plan(site int, op *ir.ImageOp, v *resource.ImageView, s *resource.Sampler) *plan {
	p, of := u.plans[site], planOf{op, v, s}
	switch {
	case p.op == op && p.v == v && p.s == s:
		return p
	case p.op != nil: // the site has met another view
		known := u.known.found[of]
		if u.plans[site] = known; known != nil {
			return known
		}
		p = new(plan) // others may hold on to the one before
		u.plans[site] = p
	}
	if p.make(op, v, s); u.Engine != nil {
		u.routines.plan(u.Engine, p)
	}
	u.known.add(of, p)
	return p
}

func (x *plans) add(of planOf, p *plan) {
	if len(x.ring) < maxPlans {
		x.ring = append(x.ring, of)
	} else {
		delete(x.found, x.ring[x.next])
		x.ring[x.next] = of
		x.next = (x.next + 1) % maxPlans
	}
	x.found[of] = p
}
