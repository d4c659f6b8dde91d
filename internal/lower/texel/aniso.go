package texel

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// # Anisotropy
//
// The footprint is that of the reference, step by step in binary32, and so are the spots of probes;
// of the level of detail choose decides which rounding counts. A loop goes on while a lane has
// probes.

// ellipse is what IMG-431…433 and IMG-560 say of a pixel.
type ellipse struct {
	probes ir.Value
	length ir.Value    // of the line of probes, as a part of the footprint
	axis   [3]ir.Value // normalized coordinates, one footprint long
	rho2   ir.Value
}

// anisotropic finds the footprint of each lane; those of unusual ones are left to the reference.
//
// IMG-431, IMG-432, IMG-433, IMG-434, IMG-560, IMG-564
func (e *lod) anisotropic() (f ellipse) {
	var gx, gy, px, py, n [3]ir.Value
	dims := int(e.k.Dims)
	if e.k.Cube {
		x, y := e.faceGradient(ir.OpDdxFine, GradXX), e.faceGradient(ir.OpDdyFine, GradYX)
		for d := range dims {
			gx[d], gy[d] = e.single(x[d]), e.single(y[d])
		}
	}
	for d := range dims {
		if !e.k.Cube {
			gx[d], gy[d] = e.gradient(ir.OpDdxFine, GradXX, d), e.gradient(ir.OpDdyFine, GradYX, d)
		}
		n[d] = e.f(ir.OpS2F, e.base(d))
		px[d], py[d] = e.f(ir.OpFMul, gx[d], n[d]), e.f(ir.OpFMul, gy[d], n[d])
	}
	dot := func(x, y *[3]ir.Value) ir.Value {
		s := e.f(ir.OpFMul, x[0], y[0])
		for d := 1; d < dims; d++ {
			s = e.f(ir.OpFma, x[d], y[d], s)
		}
		return s
	}
	a, c, b := dot(&px, &px), dot(&py, &py), dot(&px, &py)
	diff, b2, one := e.f(ir.OpFSub, a, c), e.f(ir.OpFAdd, b, b), e.float(1)
	r := e.f(ir.OpFSqrt, e.f(ir.OpFma, diff, diff, e.f(ir.OpFMul, b2, b2)))
	max2 := e.f(ir.OpFMul, e.f(ir.OpFAdd, e.f(ir.OpFAdd, a, c), r), e.float(0.5))
	e.leave(e.is(ir.OpNot, e.is(ir.OpAnd, e.is(ir.OpFLt, e.float(0x1p-60), max2), e.is(ir.OpFLt, max2, e.float(0x1p40)))))
	quotient := e.f(ir.OpFDiv, max2, e.area(&gx, &gy, &n))
	eta := e.f(ir.OpFMax, e.f(ir.OpFMin, quotient, e.param(ir.F32, wordAniso)), one)
	f.probes = e.i(ir.OpF2S, e.f(ir.OpFCeil, e.f(ir.OpFSub, eta, e.float(anisoSlack))))
	several := e.is(ir.OpSLt, e.int(1), f.probes)
	f.length = e.b.Op(ir.OpSelect, ir.F32, several,
		e.f(ir.OpFSub, one, e.f(ir.OpFDiv, one, eta)), e.float(0))
	ex, ey := e.axisOf(diff, b2, r)
	for d := range dims {
		f.axis[d] = e.f(ir.OpFma, ex, gx[d], e.f(ir.OpFMul, ey, gy[d]))
	}
	f.rho2 = e.f(ir.OpFDiv, max2, e.f(ir.OpFMul, eta, eta))
	return f
}

// anisoSlack is the reference's.
const anisoSlack = 0x1p-15

// area is √(AC−B²) of IMG-432, as the reference computes it.
func (e *lod) area(x, y, n *[3]ir.Value) ir.Value {
	cross := func(i, j int) ir.Value {
		w := e.f(ir.OpFMul, x[j], y[i])
		rest := e.f(ir.OpFma, e.f(ir.OpFNeg, x[j]), y[i], w)
		difference := e.f(ir.OpFma, x[i], y[j], e.f(ir.OpFNeg, w))
		return e.f(ir.OpFMul, e.f(ir.OpFAdd, difference, rest), e.f(ir.OpFMul, n[i], n[j]))
	}
	z := cross(0, 1)
	if e.k.Dims < 3 {
		return e.f(ir.OpFAbs, z)
	}
	p, q := cross(1, 2), cross(2, 0)
	return e.f(ir.OpFSqrt, e.f(ir.OpFma, q, q, e.f(ir.OpFma, p, p, e.f(ir.OpFMul, z, z))))
}

// axisOf is IMG-560, of A−C, 2B and √((A−C)²+4B²).
func (e *lod) axisOf(diff, b2, r ir.Value) (ex, ey ir.Value) {
	zero := e.float(0)
	long := e.f(ir.OpFAdd, e.f(ir.OpFAbs, diff), r)
	short := e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpFEq, long, zero), zero, e.f(ir.OpFDiv, b2, long))
	k := e.f(ir.OpFInvSqrt, e.f(ir.OpFma, short, short, e.float(1)))
	other := e.f(ir.OpFMul, k, short)
	wide := e.is(ir.OpFLe, zero, diff)
	return e.b.Op(ir.OpSelect, ir.F32, wide, k, other), e.b.Op(ir.OpSelect, ir.F32, wide, other, k)
}

// base is what a derivative is multiplied with for one texel of the base level to be unit.
//
// IMG-426
func (e *lod) base(d int) ir.Value {
	n := e.param(ir.I32, wordSize+d)
	if e.k.Corner {
		n = e.i(ir.OpSMax, e.i(ir.OpISub, n, e.int(1)), e.int(1))
	}
	return n
}

// centre is the middle of a lane's probes, or its only spot; where coordinates are binary64 numbers,
// those far away are left to the reference.
func (e *coordinates) centre() (c [3]ir.Value) {
	for d := range int(e.k.Dims) {
		if e.k.Cube {
			c[d] = e.cube.at[d]
			continue
		}
		c[d] = e.rows[CoordX+Operand(d)]
		if !e.k.far() {
			continue
		}
		u := c[d]
		if !e.k.Unnormalized {
			u = e.f(ir.OpFMul, u, e.f(ir.OpS2F, e.param(ir.I32, wordSize+d)))
		}
		e.leave(e.is(ir.OpNot, e.is(ir.OpFLt, e.f(ir.OpFAbs, u), e.float(farTexels))))
	}
	return c
}

// move goes to a spot.
func (e *coordinates) move(d int, s ir.Value) {
	if e.at[d] = s; e.k.far() {
		e.spot[d] = e.widen(s)
	}
}

// probe moves the spot to probe i of a lane: IMG-561…563.
//
// IMG-568
func (e *filter) probe(c *[3]ir.Value, f *ellipse, i, inverse ir.Value) {
	t := e.f(ir.OpFMul, f.length, e.f(ir.OpFma, e.f(ir.OpS2F, i), inverse, e.float(-0.5)))
	for d := range int(e.k.Dims) {
		e.move(d, e.f(ir.OpFma, t, f.axis[d], c[d]))
	}
}

// probes is linear of keys with anisotropy.
//
// IMG-565, IMG-567
func (e *filter) probes() [4]ir.Value {
	f := e.anisotropic()
	// IMG-566: bias and bounds come after the number of probes.
	e.rho2 = f.rho2
	n, delta := e.choose()
	e.delta = delta
	c := e.centre()
	if e.k.Cube {
		e.stays(&c, &f)
	}
	last := e.i(ir.OpSMax, e.i(ir.OpISub, f.probes, e.int(1)), e.int(1))
	inverse := e.f(ir.OpFDiv, e.float(1), e.f(ir.OpS2F, last))
	total := e.newTotals(n)
	i := e.b.NewVar(ir.I32, "probe")
	e.b.Set(i, e.int(0))
	left := e.b.NewVar(ir.Bool, "left")
	e.b.Set(left, e.left)
	e.leaving = &left
	e.b.Loop(false, func(l *ir.Loop) {
		at := e.b.Get(i)
		e.probe(&c, &f, at, inverse)
		total.probe(e)
		next := e.sum(at, e.int(1))
		e.b.Set(i, next)
		e.b.If(e.is(ir.OpSLe, f.probes, next), func() { e.b.Break(l) }, nil)
	}, nil)
	e.left, e.leaving = e.b.Get(left), nil
	return total.result(e, f.probes)
}

// totals are the sums of all probes.
type totals struct {
	lv     []*level // one or two
	weight [2]wide  // theirs
	// vars are, of each component, the integer sums of the levels, or the words of a wide sum of both.
	vars [][2]ir.VarID
	// lower are the words of wide sums of codes of the second level.
	lower [][2]ir.VarID
	raw   []ir.VarID // the components of a single texel, where they count
	mean  []ir.VarID // those of a probe whose texels are interpolated
}

// mostProbes is the largest number of probes.
const mostProbes = 16

// separate says that levels of all probes are added up for themselves, in words.
func (k *Key) separate() bool {
	info, _ := format.Lookup(k.Format)
	most, signed := codes(info)
	if k.Compare {
		most, signed = 1, false
	}
	return (k.Compare || k.Sum == SumCodes) &&
		uint64(most)*mostProbes<<(8*k.Dims) < 1<<(32-btoi(signed))
}

func (e *filter) newTotals(n ir.Value) *totals {
	t := &totals{lv: []*level{e.each(n)}, weight: [2]wide{e.double(256)}}
	if e.k.MipLinear {
		t.lv = append(t.lv, e.each(e.sum(n, e.int(1))))
		t.weight = [2]wide{e.widen(e.i(ir.OpISub, e.int(256), e.delta)), e.widen(e.delta)}
	}
	start := e.double(negativeZero)
	switch {
	case e.k.separate():
		start = wide{e.int(0), e.int(0)}
	case e.k.Sum.reduces():
		start = wide{e.int(fp.CanonicalNaN), e.int(0)}
	}
	for c := range 4 {
		var v [2]ir.VarID
		for i := range v {
			v[i] = e.b.NewVar(ir.I32, "total")
			e.b.Set(v[i], start[i])
		}
		t.vars = append(t.vars, v)
		if len(t.lv) > 1 && e.k.Sum == SumCodes && !e.k.separate() {
			w := [2]ir.VarID{e.b.NewVar(ir.I32, "lower"), e.b.NewVar(ir.I32, "lower")}
			e.b.Set(w[0], start[0])
			e.b.Set(w[1], start[1])
			t.lower = append(t.lower, w)
		}
		if e.k.Sum.lerps() && e.info.Components[c].Kind != format.KindNone {
			t.mean = append(t.mean, e.b.NewVar(ir.F32, "mean"))
		}
		if e.k.Sum >= SumFloat && e.k.split() {
			t.raw = append(t.raw, e.b.NewVar(ir.I32, "texel"))
			e.b.Set(t.raw[c], e.int(0))
		}
	}
	return t
}

// probe adds the levels of the spot, the second where it counts (IMG-466).
func (t *totals) probe(e *filter) {
	if e.k.Sum.lerps() {
		t.lerps(e)
		return
	}
	t.level(e, 0)
	if len(t.lv) > 1 {
		e.b.If(e.is(ir.OpINe, e.delta, e.int(0)), func() { t.level(e, 1) }, nil)
	}
}

// lerps is probe of texels that are interpolated.
func (t *totals) lerps(e *filter) {
	e.lv = t.lv[0]
	for c, x := range e.levelLerps() {
		e.b.Set(t.mean[c], x)
	}
	if len(t.lv) > 1 {
		e.b.If(e.is(ir.OpINe, e.delta, e.int(0)), func() {
			e.lv = t.lv[1]
			for c, x := range e.levelLerps() {
				e.b.Set(t.mean[c], e.mix(e.b.Get(t.mean[c]), x, e.delta))
			}
		}, nil)
	}
	for c, v := range t.mean {
		sum := e.add(e.wideVar(t.vars[c]), e.widen(e.b.Get(v)))
		e.b.Set(t.vars[c][0], sum[0])
		e.b.Set(t.vars[c][1], sum[1])
	}
}

// level adds level i of the spot.
func (t *totals) level(e *filter, i int) {
	e.lv = t.lv[i]
	if e.k.separate() {
		for c, x := range e.levelWords() {
			e.b.Set(t.vars[c][i], e.sum(e.b.Get(t.vars[c][i]), x))
		}
		return
	}
	if e.k.Sum.reduces() {
		for c, x := range e.levelBest() {
			e.b.Set(t.vars[c][0], e.bits(e.best(e.f(ir.OpBitcast, e.b.Get(t.vars[c][0])), x)))
			if i == 0 && t.raw != nil {
				e.b.Set(t.raw[c], e.bits(x))
			}
		}
		return
	}
	r := e.levelReal(ir.NoValue)
	for c, x := range r.sums {
		at := t.vars[c]
		switch {
		case e.k.Sum != SumCodes:
			x = e.times(x, t.weight[i])
		case i > 0:
			at = t.lower[c]
		}
		sum := e.add(e.wideVar(at), x)
		e.b.Set(at[0], sum[0])
		e.b.Set(at[1], sum[1])
		if i == 0 && t.raw != nil {
			e.b.Set(t.raw[c], e.bits(r.raw[c]))
		}
	}
}

func (e *filter) wideVar(v [2]ir.VarID) wide { return wide{e.b.Get(v[0]), e.b.Get(v[1])} }

// result divides by all weights, of codes for each level. Those take a product instead, see
// quotientReal: the number of probes makes the divisor at most 2^4 larger.
//
// IMG-562
func (t *totals) result(e *filter, probes ir.Value) [4]ir.Value {
	unit := float64(uint64(1) << (8*e.k.Dims + 8))
	switch most, _ := codes(e.info); {
	case e.k.Compare:
	case e.k.Sum == SumCodes:
		unit = float64(uint64(most) << (8 * e.k.Dims))
	case e.k.Sum.lerps():
		unit = 1
	}
	weights := e.times(e.widen(probes), e.double(unit))
	inverse := e.over(e.double(1), weights)
	n := 0
	lacks := e.mul(probes, e.int(e.k.lacks(8*int(e.k.Dims))))
	one := func(c int) ir.Value {
		words := func(i int) wide { return e.widen(e.sum(e.b.Get(t.vars[c][i]), lacks)) }
		switch {
		case e.k.Compare:
			sum := e.times(words(0), t.weight[0])
			if len(t.lv) > 1 { // of weight 0 where nothing was added up
				sum = e.fma(words(1), t.weight[1], sum)
			}
			return e.single(e.times(sum, inverse))
		case e.k.Sum != SumCodes:
			return e.single(e.over(e.wideVar(t.vars[c]), weights))
		case !e.k.separate():
			words = func(i int) wide { return e.wideVar([][][2]ir.VarID{t.vars, t.lower}[i][c]) }
		}
		x := e.single(e.times(words(0), inverse))
		if len(t.lv) > 1 {
			x = e.lerp(x, e.single(e.times(words(1), inverse)), e.delta)
		}
		return x
	}
	if e.k.Compare {
		return e.compared(one(0))
	}
	raw := e.untouched()
	if raw != ir.NoValue {
		raw = e.is(ir.OpAnd, raw, e.is(ir.OpIEq, probes, e.int(1)))
	}
	if e.k.Sum.reduces() {
		var best, texel []ir.Value
		for c, x := range t.vars {
			if best = append(best, e.f(ir.OpBitcast, e.b.Get(x[0]))); t.raw != nil {
				texel = append(texel, e.b.Get(t.raw[c]))
			}
		}
		return e.listed(e.visible(best, texel, raw))
	}
	return e.stored(func(c *format.Component) ir.Value {
		if e.k.separate() {
			return one(c.Shift / c.Bits)
		}
		x := one(n)
		if raw != ir.NoValue {
			x = e.b.Op(ir.OpSelect, ir.I32, raw, e.b.Get(t.raw[n]), e.bits(x))
		}
		n++
		return x
	})
}
