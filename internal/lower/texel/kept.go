package texel

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// maxAccesses bounds what a Unit keeps: some 1,500 bytes each, where views have a level.
const maxAccesses = 4096

// accesses are those of a Unit, by what they are made from. From maxAccesses on, the oldest goes.
type accesses struct {
	found map[accessOf]*access
	ring  []accessOf
	next  int
}

// accessOf is what an access is made from.
type accessOf struct {
	op *ir.ImageOp
	v  *resource.ImageView
	s  *resource.Sampler
}

// access returns the access of an instruction at a site for a view, as v.As has it, and a sampler.
func (u *Unit) access(site int, op *ir.ImageOp, v *resource.ImageView,
	s *resource.Sampler) *access {
	p, of := u.accesses[site], accessOf{op, v, s}
	switch {
	case p.op == op && p.v == v && p.s == s:
		return p
	case p.op != nil: // the site has met another view
		known := u.known.found[of]
		if u.accesses[site] = known; known != nil {
			return known
		}
		p = new(access) // others may hold on to the one before
		u.accesses[site] = p
	}
	if p.make(op, v, s); u.Engine != nil {
		u.routines.access(u.Engine, p)
	}
	u.known.add(of, p)
	return p
}

func (x *accesses) add(of accessOf, p *access) {
	if len(x.ring) < maxAccesses {
		x.ring = append(x.ring, of)
	} else {
		delete(x.found, x.ring[x.next])
		x.ring[x.next] = of
		x.next = (x.next + 1) % maxAccesses
	}
	x.found[of] = p
}
