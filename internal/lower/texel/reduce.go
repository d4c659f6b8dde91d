package texel

import (
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// # Minimum and maximum
//
// Texels of weight 0 are not among those that a reduction looks at. A NaN gives way to every
// number, so that one stands for none.

// reduces says that samples are the least or the greatest of their texels, by component.
func (s Sum) reduces() bool { return s == SumMin || s == SumMax }

// best is the lesser or the greater of two numbers.
//
// IMG-550, IMG-551, IMG-552
func (e *filter) best(x, y ir.Value) ir.Value {
	if e.k.Sum == SumMin {
		return e.f(ir.OpFMin, x, y)
	}
	return e.f(ir.OpFMax, x, y)
}

// levelBest is the best of a level's texels.
func (e *filter) levelBest() (best []ir.Value) {
	if e.k.Kind == Nearest {
		return e.reals(e.nearestTexel())
	}
	if e.k.Cubic {
		return e.bestCubic()
	}
	p := e.footprint()
	for t, location := range e.locations(&p) {
		none := ir.NoValue
		for d := range int(e.k.Dims) {
			if t>>d&1 != 0 {
				none = e.or(none, e.is(ir.OpIEq, p.f[d], e.int(0)))
			}
		}
		texel := e.reals(location)
		if t == 0 {
			best = texel
			continue
		}
		for c, x := range texel {
			best[c] = e.b.Op(ir.OpSelect, ir.F32, none, best[c], e.best(best[c], x))
		}
	}
	return best
}

// linearBest is linear of reductions.
func (e *filter) linearBest() [4]ir.Value {
	e.delta = ir.NoValue
	if !e.k.Levels {
		return e.listed(e.visible(e.levelBest(), nil, ir.NoValue))
	}
	n, delta := e.choose()
	e.delta = delta
	e.lv = e.each(n)
	first := e.levelBest()
	best := first
	if e.k.MipLinear { // IMG-466
		e.lv = e.second(n, delta)
		one := e.is(ir.OpIEq, delta, e.int(0))
		best = nil
		for c, x := range e.levelBest() {
			best = append(best, e.b.Op(ir.OpSelect, ir.F32, one, first[c], e.best(first[c], x)))
		}
	}
	return e.listed(e.visible(best, first, e.untouched()))
}

// visible makes NaNs canonical but in lanes of untouched texels, which are those of raw.
//
// IMG-009
func (e *filter) visible(v, raw []ir.Value, untouched ir.Value) (out []ir.Value) {
	for c, x := range v {
		x = e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpFEq, x, x), x, e.b.Const(ir.F32, fp.CanonicalNaN))
		if untouched != ir.NoValue {
			x = e.b.Op(ir.OpSelect, ir.I32, untouched, e.bits(raw[c]), e.bits(x))
		}
		out = append(out, x)
	}
	return out
}
