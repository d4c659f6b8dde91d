package texel

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// # CUBIC filters
//
// Weights are binary64 numbers of a table, by fraction and tap, so products with texels round, and
// every sum is in the reference's order: a loop over rows and slices, whose four taps stand in its
// body. Lanes whose footprint leaves the face of a seamless cube are left to the reference.

// cubicSum is what a component's taps come to.
type cubicSum struct {
	sum       [2]ir.VarID // the words of a wide number; of reductions, the first is the best one
	low, high ir.VarID    // range of the texels with weight, which NaN closes
}

// cubicTable makes the weights of the key's set a part of the program's table; it returns its
// offset.
//
// IMG-540, IMG-541, IMG-543, IMG-545
func (e *filter) cubicTable() uint32 {
	return e.table(&e.cubicAt[e.k.Weights&3], func(t []byte) []byte {
		for f := range uint32(256) {
			for _, w := range ref.CubicWeights(e.k.Weights, f) {
				t = binary.LittleEndian.AppendUint64(t, math.Float64bits(w))
			}
		}
		return t
	})
}

// cubicWeight is the weight of a tap where the table's row begins at row.
func (e *filter) cubicWeight(row, tap ir.Value) wide {
	at := e.sum(row, e.i(ir.OpShl, tap, e.int(3)))
	word := func(more uint32) ir.Value {
		return e.b.Op(ir.OpLoadTable, ir.I32, e.sum(at, e.int(more)))
	}
	return wide{word(0), word(4)}
}

// either64 is x where cond holds, else y.
func (e *builder) either64(cond ir.Value, x, y wide) wide {
	pick := func(a, b ir.Value) ir.Value { return e.b.Op(ir.OpSelect, ir.I32, cond, a, b) }
	return wide{pick(x[0], y[0]), pick(x[1], y[1])}
}

// levelCubic is IMG-542: the weighted taps of one level, in the order k, j, i ascending.
//
// IMG-482
func (e *filter) levelCubic() (sums []cubicSum) {
	dims := int(e.k.Dims)
	var first, row [3]ir.Value
	for d := range dims {
		i, f := e.farSplit(d)
		first[d] = e.i(ir.OpISub, i, e.int(1))
		row[d] = e.sum(e.i(ir.OpShl, f, e.int(5)), e.int(e.cubicTable()))
		if e.k.Seams {
			e.leave(e.is(ir.OpSLt, first[d], e.int(0)))
			e.leave(e.is(ir.OpSLe, e.lv.size[d], e.sum(first[d], e.int(3))))
		}
	}
	start := e.layer()
	if e.k.Cube {
		start = e.sum(start, e.mul(e.cube.face, e.param(ir.I32, wordLayer)))
	}
	var x [4]location
	var weights [4]wide
	for t := range x {
		at, out := e.wrap(0, e.sum(first[0], e.int(uint32(t&2))), 0)
		i := at[t&1]
		x[t] = location{at: e.sum(start, e.along(0, i)), out: out[t&1], in: e.inBlock(0, i)}
		weights[t] = e.cubicWeight(row[0], e.int(uint32(t)))
	}
	sums = e.newCubicSums()
	body := func(t ir.Value) {
		line, w := location{at: e.int(0), out: ir.NoValue, in: e.int(0)}, [3]wide{}
		for d := 1; d < dims; d++ {
			tap := e.i(ir.OpAnd, e.i(ir.OpShrU, t, e.int(uint32(2*d-2))), e.int(3))
			at, out := e.wrap(d, e.sum(first[d], tap), 0)
			line.at, line.out = e.sum(line.at, e.along(d, at[0])), e.or(line.out, out[0])
			line.in = e.sum(line.in, e.inBlock(d, at[0]))
			w[d] = e.cubicWeight(row[d], tap)
		}
		for i := range x {
			weight := weights[i]
			for d := 1; d < dims; d++ {
				weight = e.times(weight, w[d])
			}
			at, out, in := e.sum(x[i].at, line.at), e.or(x[i].out, line.out), e.sum(x[i].in, line.in)
			e.cubicTap(sums, location{at: at, out: out, in: in}, weight)
		}
	}
	if dims == 1 {
		body(e.int(0))
		return sums
	}
	turn := e.b.NewVar(ir.I32, "row")
	e.b.Set(turn, e.int(0))
	e.b.Loop(false, func(l *ir.Loop) {
		t := e.b.Get(turn)
		body(t)
		next := e.sum(t, e.int(1))
		e.b.Set(turn, next)
		e.b.If(e.is(ir.OpSLe, e.int(1<<(2*dims-2)), next), func() { e.b.Break(l) }, nil)
	}, nil)
	return sums
}

// newCubicSums makes empty sums of what is filtered: the components that the format has, or a
// comparison. They start at −0, so that sums of −0 alone stay −0, and reductions at NaN.
func (e *filter) newCubicSums() (sums []cubicSum) {
	start := e.double(negativeZero)
	if e.k.Sum.reduces() {
		start = wide{e.int(fp.CanonicalNaN), e.int(0)}
	}
	for c, x := range e.info.Components {
		if e.k.Compare && c > 0 || !e.k.Compare && x.Kind == format.KindNone {
			continue
		}
		s := cubicSum{low: e.b.NewVar(ir.F32, "low"), high: e.b.NewVar(ir.F32, "high")}
		for i := range s.sum {
			s.sum[i] = e.b.NewVar(ir.I32, "sum")
			e.b.Set(s.sum[i], start[i])
		}
		e.b.Set(s.low, e.float(float32(math.Inf(1))))
		e.b.Set(s.high, e.float(float32(math.Inf(-1))))
		sums = append(sums, s)
	}
	return sums
}

// cubicTap adds the texel at a location, but where its weight is 0 (IMG-533).
func (e *filter) cubicTap(sums []cubicSum, p location, weight wide) {
	skip := e.test(ir.WideFEq, weight, e.double(0))
	var texel []ir.Value
	if e.k.Compare {
		all := e.texel(p)
		texel = all[:1]
	} else {
		texel = e.reals(p)
	}
	for c, x := range texel {
		s := sums[c]
		old := wide{e.b.Get(s.sum[0]), e.b.Get(s.sum[1])}
		if e.k.Sum.reduces() {
			best := e.bits(e.best(e.f(ir.OpBitcast, old[0]), x))
			e.b.Set(s.sum[0], e.b.Op(ir.OpSelect, ir.I32, skip, old[0], best))
			continue
		}
		sum := e.either64(skip, old, e.add(old, e.times(weight, e.widen(x))))
		e.b.Set(s.sum[0], sum[0])
		e.b.Set(s.sum[1], sum[1])
		low, high := e.b.Get(s.low), e.b.Get(s.high)
		less := e.is(ir.OpOr, e.is(ir.OpFLt, x, low), e.is(ir.OpFUnord, x, x))
		counts := e.is(ir.OpNot, skip)
		e.b.Set(s.low, e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpAnd, counts, less), x, low))
		more := e.is(ir.OpAnd, counts, e.is(ir.OpFLt, high, x))
		e.b.Set(s.high, e.b.Op(ir.OpSelect, ir.F32, more, x, high))
	}
}

// closedCubic is levelCubic where equal texels give their own value, comparisons stay in [0, 1]
// and sums are clamped to the texels' range; −0 where none says that the level does not count.
//
// IMG-316, IMG-534, IMG-546, IMG-547
func (e *filter) closedCubic(none ir.Value) (r real) {
	one := e.double(float64(uint64(1) << (8 * e.k.Dims)))
	for _, v := range e.levelCubic() {
		s, low, high := wide{e.b.Get(v.sum[0]), e.b.Get(v.sum[1])}, e.b.Get(v.low), e.b.Get(v.high)
		least, most := e.times(one, e.widen(low)), e.times(one, e.widen(high))
		switch {
		case e.k.Compare:
			s = e.two(ir.WideFMin, e.two(ir.WideFMax, s, e.double(0)), one)
		case e.k.Clamp:
			some := e.is(ir.OpAnd, e.is(ir.OpFLe, low, high), e.test(ir.WideFEq, s, s))
			s = e.either64(some, e.two(ir.WideFMin, e.two(ir.WideFMax, s, least), most), s)
		}
		s = e.either64(e.is(ir.OpFEq, low, high), least, s)
		if none != ir.NoValue {
			s = e.either64(none, e.double(negativeZero), s)
		}
		r.sums = append(r.sums, s)
	}
	return r
}

// bestCubic is levelBest of a CUBIC filter.
func (e *filter) bestCubic() (best []ir.Value) {
	for _, v := range e.levelCubic() {
		best = append(best, e.f(ir.OpBitcast, e.b.Get(v.sum[0])))
	}
	return best
}

// cubicKey makes the key of a sample that of a CUBIC filter.
func (p *access) cubicKey() {
	k := &p.key
	k.Cubic, k.Weights = true, p.s.CubicWeights
	k.Clamp = p.st.Reduction == vk.SamplerReductionModeWeightedAverageRangeclampQCOM
	if !k.Sum.reduces() {
		k.Sum = SumFloat
	}
}
