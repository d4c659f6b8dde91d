package texel

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// # Sums in binary64
//
// Texels that are neither codes nor interpolated are weighted and added up in binary64, in the order
// of the reference: a weight is an integer of at most 24 bits and a texel a binary32 number, so
// their product is exact, and one FMA rounds as product and sum do. Codes whose sums
// need more than a word go the same way, where all sums are exact.
//
// A texel of weight 0 is left out (IMG-533): −0 takes its place, which changes no sum,
// not even one that is −0.

// Sum says how weighted texels add up.
type Sum uint8

// Sums.
const (
	SumCodes  Sum = iota // exactly: UNORM and SNORM codes of 8 or 16 bits
	SumLerps             // none: texels are interpolated in binary32, being finite and never −0
	SumShares            // others with a product for each
	SumFloat             // in binary64
	SumMin               // no sum: the least
	SumMax               // the greatest
)

// lerps says that texels are interpolated.
func (s Sum) lerps() bool { return s == SumLerps || s == SumShares }

// real is what mean adds up in binary64.
type real struct {
	sums []wide     // of each component that the format has
	raw  []ir.Value // those of the first texel of the first level
}

// linearReal is linear in binary64.
func (e *filter) linearReal() (t [4]ir.Value) {
	if e.k.Sum == SumCodes {
		return e.listed(e.levels(e.levelQuotients, e.lerp))
	}
	r := e.levelsReal()
	scale := float64(uint64(1) << e.k.weightBits())
	raw := e.untouched()
	var list []ir.Value
	for n, s := range r.sums {
		x := e.quotientReal(s, scale)
		if raw != ir.NoValue {
			x = e.b.Op(ir.OpSelect, ir.I32, raw, e.bits(r.raw[n]), e.bits(x))
		}
		list = append(list, x)
	}
	return e.listed(list)
}

// levelQuotients is the mean of each code of a level whose sums need more than a word.
func (e *filter) levelQuotients() (s []ir.Value) {
	most, _ := codes(e.info)
	for _, x := range e.levelReal(ir.NoValue).sums {
		s = append(s, e.quotientReal(x, float64(uint64(most)<<e.k.levelBits())))
	}
	return s
}

// quotientReal is s/scale, rounded to binary64 and then to binary32. The product with 1/scale, of
// which 2^-52 of it may be wrong, gives the same: no quotient of codes is as near to the middle of
// two binary32 numbers (see mean), but those that are the middle, and these are binary64 numbers,
// to which the product rounds.
//
// IMG-003, IMG-700, IMG-701
func (e *builder) quotientReal(s wide, scale float64) ir.Value {
	return e.single(e.times(s, e.double(1/scale)))
}

// untouched says in which lanes a texel keeps its bits (IMG-530), where sums might change them:
// those of NaNs, of memory or of a border.
func (e *filter) untouched() ir.Value {
	if e.k.Sum < SumFloat || e.k.Kind == Linear && !e.k.split() {
		return ir.NoValue
	}
	near := ir.NoValue
	switch {
	case e.k.NearestMag:
		near = e.magnified
	case e.k.NearestMin:
		near = e.is(ir.OpNot, e.magnified)
	}
	if e.delta == ir.NoValue {
		return near
	}
	one := e.is(ir.OpIEq, e.delta, e.int(0))
	if near == ir.NoValue {
		return one
	}
	return e.is(ir.OpAnd, near, one)
}

// levelsReal adds up the levels that a lane chooses.
func (e *filter) levelsReal() real {
	e.delta = ir.NoValue
	if !e.k.Levels {
		return e.levelReal(ir.NoValue)
	}
	n, delta := e.choose()
	e.delta = delta
	e.lv = e.each(n)
	r := e.levelReal(ir.NoValue)
	if e.k.MipLinear { // IMG-555
		e.lv = e.second(n, delta)
		none := ir.NoValue
		if e.k.Sum == SumFloat { // IMG-466
			none = e.is(ir.OpIEq, delta, e.int(0))
		}
		first, second := e.widen(e.i(ir.OpISub, e.int(256), delta)), e.widen(delta)
		for c, x := range e.levelReal(none).sums {
			r.sums[c] = e.add(e.times(r.sums[c], first), e.times(x, second))
		}
	}
	return r
}

// levelReal is IMG-531 and IMG-532 of a level, all of whose weights are 0 where none says so.
func (e *filter) levelReal(none ir.Value) (r real) {
	if e.k.Cubic {
		return e.closedCubic(none)
	}
	if e.k.Kind == Nearest {
		r.raw = e.reals(e.nearestTexel())
		for _, x := range r.raw {
			r.sums = append(r.sums, e.widen(e.without(x, none)))
		}
		return r
	}
	p := e.footprint()
	dims := int(e.k.Dims)
	zero := [3]ir.Value{ir.NoValue, ir.NoValue, ir.NoValue}
	for d := range dims {
		if e.k.Sum == SumFloat {
			zero[d] = e.is(ir.OpIEq, p.f[d], e.int(0))
		}
	}
	for t, location := range e.locations(&p) {
		weight, skip := ir.NoValue, none
		for d := range dims {
			w := p.f[d]
			if t>>d&1 == 0 {
				w = e.i(ir.OpISub, e.int(256), w)
			} else {
				skip = e.or(skip, zero[d])
			}
			if weight == ir.NoValue {
				weight = w
			} else {
				weight = e.mul(weight, w)
			}
		}
		by := e.widen(weight)
		texel := e.reals(location)
		if t == 0 {
			r.raw = texel
		}
		for c, x := range texel {
			x := e.widen(e.without(x, skip))
			if t == 0 {
				r.sums = append(r.sums, e.times(by, x))
			} else {
				r.sums[c] = e.fma(by, x, r.sums[c])
			}
		}
	}
	return r
}

// without is x, and −0 where skip says so.
func (e *filter) without(x, skip ir.Value) ir.Value {
	if skip == ir.NoValue {
		return x
	}
	return e.b.Op(ir.OpSelect, ir.F32, skip, e.float(float32(negativeZero)), x)
}

// reals are the components of the texel at an offset, or of the border: numbers, or codes.
func (e *decoder) reals(p location) (v []ir.Value) {
	var of func(c int) ir.Value
	if e.k.Sum == SumCodes {
		s, bits := e.codesAt(p), e.codeBits()
		of = func(c int) ir.Value { return s[e.info.Components[c].Shift/bits] }
	} else {
		t := e.decoded(p)
		of = func(c int) ir.Value { return t[c] }
	}
	for c, x := range e.info.Components {
		if x.Kind != format.KindNone {
			v = append(v, of(c))
		}
	}
	return v
}

var negativeZero = math.Copysign(0, -1)
