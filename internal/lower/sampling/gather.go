package sampling

import (
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// gather is §24 textures-gather: a component, or the comparison, of the four
// texels of the LINEAR footprint at the view's base level, in the order of
// IMG-516.
//
// IMG-515, IMG-521, IMG-523
func (u *Unit) gather(p *plan, a *ref.Args, n int) {
	comp := int(p.op.GatherComp & 3)
	if p.key.Compare {
		comp = 0 // IMG-518
	}
	none := p.v.MinLod >= float32(p.v.BaseLevel+1) // IMG-520
	for base := 0; base < n; base += chunk {
		b := &u.whole
		b.load(p, a, base, min(chunk, n-base), u.simd)
		if b.n == 0 {
			continue
		}
		if none {
			for _, out := range a.Out {
				if out != nil {
					b.fill(out, 0)
				}
			}
			continue
		}
		if p.st.Cube {
			for k := range b.n {
				b.toFace(k, nil)
			}
		}
		u.gatherTaps(p, a, b, comp)
		for _, lane := range u.onCorner {
			u.laneOnReference(p, a, int(lane), n)
		}
	}
}

// gatherTaps reads the four texels of a batch, each wrapped for itself.
//
// IMG-519
func (u *Unit) gatherTaps(p *plan, a *ref.Args, b *batch, comp int) {
	l := &p.levels[0]
	u.onCorner = u.onCorner[:0]
	if p.key.Seams {
		u.findSeams(p, b, l)
	} else {
		for d := range p.st.Dims {
			u.linear(p, b, l, d)
		}
	}
	u.place(p, b, l)
	// IMG-329
	from := p.st.Swizzle[comp]
	if from >= 0 {
		u.only = int(from)
	}
	for c, t := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		out := a.Out[c]
		switch {
		case out == nil:
		case from == resource.FromOne:
			b.fill(out, p.st.One)
		case from == resource.FromZero, p.key.Compare && from != 0 && from != 3:
			b.fill(out, 0)
		case p.key.Compare && from == 3:
			b.fill(out, oneFloat)
		case !p.stored[from&3]:
			b.fill(out, p.missing(int(from)))
		default:
			u.tap(p, b, l, t[0], t[1], 0)
			u.readTexels(p, b, t[0], t[1], 0, false)
			if p.key.Compare {
				u.compare(p, b)
			}
			b.scatter(out, u.texels[from&3][:b.n])
		}
	}
	u.seams, u.only = u.seams[:0], -1
}

// fill gives all lanes of the batch the same word.
func (b *batch) fill(out []uint32, x uint32) {
	if b.base >= 0 {
		d := out[b.base : b.base+b.n]
		for k := range d {
			d[k] = x
		}
		return
	}
	for _, l := range b.lane[:b.n] {
		out[l] = x
	}
}

// scatter gives each lane its word.
func (b *batch) scatter(out, t []uint32) {
	if b.base >= 0 {
		copy(out[b.base:b.base+b.n], t)
		return
	}
	for k, l := range b.lane[:b.n] {
		out[l] = t[k]
	}
}
