package texel

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
)

// filter is texel filtering and comparison: what the texels of a lane come to.
type filter struct {
	*lod
	*decoder
	delta ir.Value // weight of the second level in 1/256; may be NoValue
}

// nearest is IMG-530 of one level: one texel, or the border.
func (e *filter) nearest() [4]ir.Value {
	if e.k.MipLinear {
		return e.linear()
	}
	if e.k.Levels {
		n, _ := e.choose()
		e.lv = e.each(n)
	}
	return e.texel(e.nearestTexel())
}

// nearestTexel is the offset of the NEAREST texel, and whether it is the border.
//
// IMG-043
func (e *coordinates) nearestTexel() (p location) {
	if e.k.Columns {
		return e.columnsTexel()
	}
	at, out := e.layer(), ir.NoValue
	p.in = e.int(0)
	if e.k.Cube {
		at = e.sum(at, e.mul(e.cube.face, e.param(ir.I32, wordLayer)))
	}
	for d := range int(e.k.Dims) {
		i, o := e.wrap(d, e.floor(d), magicBits)
		at, out = e.sum(at, e.along(d, i[0])), e.or(out, o[0])
		p.in = e.sum(p.in, e.inBlock(d, i[0]))
	}
	p.at, p.out = at, out
	return p
}

// texel is the texel at an offset, or the border, compared.
//
// IMG-297
func (e *filter) texel(p location) [4]ir.Value {
	t := e.decoded(p)
	if e.k.Compare {
		return e.compared(e.b.Op(ir.OpSelect, ir.F32, e.compare(t[0]), e.float(1), e.float(0)))
	}
	return t
}

// compared is a texel whose comparison gave x.
func (e *filter) compared(x ir.Value) [4]ir.Value {
	return [4]ir.Value{x, e.float(0), e.float(0), e.float(1)}
}

// compare says whether the reference passes against depth x.
//
// IMG-297, IMG-310, IMG-311, IMG-313
func (e *filter) compare(x ir.Value) ir.Value {
	r := e.rows[Dref]
	if e.k.RefUnit { // NaN stays: IMG-312, IMG-314
		r = e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpFLt, r, e.float(0)), e.float(0), r)
		r = e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpFLt, e.float(1), r), e.float(1), r)
	}
	return pack.Compare(e.b, e.k.CompareOp, r, x)
}

// gather is §24 textures-gather: the texels of the LINEAR footprint in the order of
// IMG-516.
//
// IMG-515, IMG-519, IMG-521, IMG-523
func (e *filter) gather() (out [4]ir.Value) {
	p := e.footprint()
	for c, t := range [4]int{2, 3, 1, 0} {
		out[c] = e.pick(e.texel(e.tap(&p, t)), e.k.Swizzle[0])
	}
	return out
}

// or joins two conditions of which either may be NoValue.
func (e *builder) or(a, b ir.Value) ir.Value {
	switch {
	case a == ir.NoValue:
		return b
	case b == ir.NoValue:
		return a
	}
	return e.is(ir.OpOr, a, b)
}

// bordered is IMG-505: the border colour where out says so.
//
// IMG-073, IMG-294, IMG-295, IMG-296, IMG-297, IMG-328
func (e *decoder) bordered(t [4]ir.Value, out ir.Value) [4]ir.Value {
	if out == ir.NoValue {
		return t
	}
	for c := range t {
		if e.info.Components[c].Kind != format.KindNone {
			typ := e.b.P.Insts[t[c]].Type
			t[c] = e.b.Op(ir.OpSelect, typ, out, e.param(typ, wordBorder+c), t[c])
		}
	}
	return t
}

// footprint is what LINEAR filtering reads of one level.
type footprint struct {
	start ir.Value
	at    [3][2]ir.Value // what texel t of dimension d adds to the offset
	out   [3][2]ir.Value // whether it is the border; may be NoValue
	in    [3][2]ir.Value // what it adds to its location in the block
	f     [3]ir.Value    // weight of the second one in 1/256
	taps  []location     // of taps that have locations of their own
}

// footprint finds the texels of LINEAR filtering of one level, and their weights.
//
// IMG-043, IMG-204, IMG-503
func (e *coordinates) footprint() footprint {
	if e.k.Columns {
		return e.columnsFootprint()
	}
	p := footprint{start: e.layer()}
	if e.k.Cube && e.k.Seams {
		var first [2]ir.Value
		for d := range first {
			if first[d], p.f[d] = e.split(d); !e.k.far() {
				first[d] = e.i(ir.OpISub, first[d], e.int(magicBits>>8))
			}
			p.out[d] = [2]ir.Value{ir.NoValue, ir.NoValue}
		}
		e.seams(&p, first)
		return p
	}
	if e.k.Cube {
		p.start = e.sum(p.start, e.mul(e.cube.face, e.param(ir.I32, wordLayer)))
	}
	for d := range int(e.k.Dims) {
		i0, f := e.split(d)
		at, out := e.wrap(d, i0, magicBits>>8)
		for t := range 2 {
			p.at[d][t], p.out[d][t], p.in[d][t] = e.along(d, at[t]), out[t], e.inBlock(d, at[t])
		}
		p.f[d] = f
	}
	return p
}

// tap is the location of tap t, whose bit d says which texel of dimension d it is.
func (e *coordinates) tap(p *footprint, t int) location {
	if p.taps != nil {
		return p.taps[t]
	}
	x := location{at: p.start, out: ir.NoValue, in: e.int(0)}
	for d := int(e.k.Dims) - 1; d >= 0; d-- { // sums that taps share come first
		x.at, x.out, x.in = e.sum(x.at, p.at[d][t>>d&1]), e.or(x.out, p.out[d][t>>d&1]),
			e.sum(x.in, p.in[d][t>>d&1])
	}
	return x
}

// location is the offset of a texel or of its block, whether it is the border, and which of its
// block it is.
type location struct{ at, out, in ir.Value }

// locations are those of all taps, of which two in a row mostly lie side by side: engines load
// such at once if both offsets are known before.
func (e *coordinates) locations(p *footprint) []location {
	all := make([]location, 1<<e.k.Dims)
	for t := range all {
		all[t] = e.tap(p, t)
	}
	return all
}

// codes are what a format is filtered by where its components are UNORM or SNORM
// of 8 or 16 bits: the largest one, 0 for other formats.
func codes(info *format.Info) (most uint32, signed bool) {
	if info.Compressed {
		return 0, false
	}
	first := &info.Components[0]
	for _, c := range info.Components {
		switch {
		case c.Kind == format.KindNone:
			continue
		case first.Kind == format.KindNone:
			first = &c
		case c.Bits != first.Bits || c.Numeric != first.Numeric:
			return 0, false
		}
		if c.Bits != 8 && c.Bits != 16 ||
			c.Numeric != format.NumericUnorm && c.Numeric != format.NumericSnorm {
			return 0, false
		}
	}
	if first.Numeric == format.NumericSnorm {
		return 1<<(first.Bits-1) - 1, true
	}
	return 1<<first.Bits - 1, false
}

// words says whether the weighted sums of a level's texels are integers that fit a word.
func (k *Key) words() bool {
	info, _ := format.Lookup(k.Format)
	most, signed := codes(info)
	return k.Sum == SumCodes && uint64(most)<<k.levelBits() < 1<<(32-btoi(signed))
}

// Wide says that a routine computes in binary64 what machines without instructions for it do
// better elsewhere.
func (k *Key) Wide() bool {
	sums := (k.Kind == Linear || k.MipLinear) && !k.Compare && !k.Sum.lerps()
	return k.far() || sums && !k.words()
}

// weightBits is the logarithm of the sum of all weights, and levelBits that of a level's.
func (k *Key) weightBits() int { return k.levelBits() + 8*btoi(k.MipLinear) }

func (k *Key) levelBits() int {
	if k.Kind == Linear {
		return 8 * int(k.Dims)
	}
	return 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shadow is depth comparison with levels or filters: the sum of the weights of texels that
// pass, an integer.
func (e *filter) shadow() [4]ir.Value {
	s := e.levels(e.levelWords, e.weigh)
	return e.compared(e.f(ir.OpFMul, e.f(ir.OpS2F, s[0]),
		e.float(1/float32(uint32(1)<<e.k.weightBits()))))
}

// levelShadow compares each texel of a level before it weighs it.
//
// IMG-316
func (e *filter) levelShadow() ir.Value {
	pass := func(p location, weight ir.Value) ir.Value {
		x := e.decoded(p)
		return e.b.Op(ir.OpSelect, ir.I32, e.compare(x[0]), weight, e.int(0))
	}
	if e.k.Kind == Nearest {
		return pass(e.nearestTexel(), e.int(1))
	}
	p := e.footprint()
	sums := make([]ir.Value, 1<<e.k.Dims)
	for t, x := range e.locations(&p) {
		w := p.f[0]
		if t&1 == 0 {
			w = e.i(ir.OpISub, e.int(256), w)
		}
		sums[t] = pass(x, w)
	}
	for d := range int(e.k.Dims) {
		for t := range len(sums) / 2 {
			if x, y := sums[2*t], sums[2*t+1]; d == 0 {
				sums[t] = e.sum(x, y)
			} else {
				sums[t] = e.weigh(x, y, p.f[d])
			}
		}
		sums = sums[:len(sums)/2]
	}
	return sums[0]
}

// linear adds up weighted texels, of one level or two: in integers, where they are codes, whose
// levels it interpolates, or what passes a comparison.
func (e *filter) linear() [4]ir.Value {
	if e.k.Aniso {
		return e.probes()
	}
	if e.k.Compare && e.k.Cubic {
		return e.compared(e.quotientReal(e.levelsReal().sums[0], float64(uint64(1)<<e.k.weightBits())))
	}
	if e.k.Compare {
		return e.shadow()
	}
	if e.k.Sum.reduces() {
		return e.linearBest()
	}
	if e.k.Sum.lerps() {
		return e.listed(e.levels(e.levelLerps, e.mix))
	}
	if !e.k.words() {
		return e.linearReal()
	}
	s := e.levels(e.levelMeans, e.lerp)
	return e.stored(func(c *format.Component) ir.Value { return s[c.Shift/c.Bits] })
}

// levelMeans is the mean of each code of a level.
func (e *filter) levelMeans() (s []ir.Value) {
	most, signed := codes(e.info)
	bits := e.k.levelBits()
	for _, x := range e.levelWords() {
		s = append(s, e.mean(e.sum(x, e.int(e.k.lacks(bits))), most, bits, signed))
	}
	return s
}

// bytes says that levelWords adds up texels of 1, 2 or 4 UNORM codes of 8 bits, in planes.
func (k *Key) bytes() bool {
	info, _ := format.Lookup(k.Format)
	most, signed := codes(info)
	return !k.Compare && most == 255 && !signed && info.BlockBytes != 3
}

// lacks is what levelWords's sums have too little where all weights together are 2^bits: halves of
// planes are words with signs behind the first dimension, 2^15 less than what they stand for.
func (k *Key) lacks(bits int) uint32 {
	if k.bytes() && k.Kind == Linear && k.Dims > 1 {
		return 1 << (15 - 8 + bits)
	}
	return 0
}

// levelWords is the sum of each component of a level, an integer, less what Key.lacks says.
func (e *filter) levelWords() []ir.Value {
	switch {
	case e.k.Compare:
		return []ir.Value{e.levelShadow()}
	case e.k.bytes():
		return e.levelBytes()
	}
	return e.level(e.codesAt, e.weigh)
}

// levelBytes is level of texels that Key.bytes says: along the first dimension both halves of a
// plane's word at once, along the second by products of halves.
func (e *filter) levelBytes() []ir.Value {
	if e.k.Kind == Nearest {
		return e.unpack(e.planes(e.code(e.nearestTexel())))
	}
	p := e.footprint()
	locations := e.locations(&p)
	var rows [][]ir.Value
	for t := 0; t < len(locations); t += 2 {
		rows = append(rows, e.mixPlanes(e.code(locations[t]), e.code(locations[t+1]), p.f[0]))
	}
	if e.k.Dims == 1 {
		return e.unpack(rows[0])
	}
	up := e.int(16)
	first, second := e.i(ir.OpISub, e.int(256), p.f[1]), p.f[1]
	var slices [][]ir.Value
	for t := 0; t < len(rows); t += 2 {
		var sums []ir.Value
		for half := range e.info.BlockBytes/4 + 1 {
			w := [2]ir.Value{first, second}
			if half > 0 {
				w[0], w[1] = e.i(ir.OpShl, first, up), e.i(ir.OpShl, second, up)
			}
			for plane, x := range rows[t] {
				sums = append(sums, e.sum(e.i(ir.OpIDot16, x, w[0]),
					e.i(ir.OpIDot16, rows[t+1][plane], w[1])))
			}
		}
		slices = append(slices, sums)
	}
	for c := range slices[0] {
		if e.k.Dims == 3 {
			slices[0][c] = e.weigh(slices[0][c], slices[1][c], p.f[2])
		}
	}
	return slices[0]
}

// mixPlanes is a·(256−weight) + b·weight of the planes of two texels; halves are below 2^16, so
// that none reaches into the other, and become words with signs for more dimensions.
func (e *filter) mixPlanes(a, b, weight ir.Value) []ir.Value {
	x, y := e.planes(a), e.planes(b)
	for n := range x {
		whole := e.i(ir.OpShl, x[n], e.int(8))
		if n > 0 {
			whole = e.i(ir.OpAnd, a, e.int(e.planeMask()<<8))
		}
		x[n] = e.sum(whole, e.mul(e.i(ir.OpISub, y[n], x[n]), weight))
		if e.k.Dims > 1 {
			x[n] = e.i(ir.OpXor, x[n], e.int(0x80008000))
		}
	}
	return x
}

// levels mixes what level gives of the levels that a lane chooses, with the weight of the second in
// 1/256.
//
// IMG-556
func (e *filter) levels(level func() []ir.Value,
	mix func(a, b, weight ir.Value) ir.Value) []ir.Value {
	if !e.k.Levels {
		return level()
	}
	n, delta := e.choose()
	e.lv = e.each(n)
	s := level()
	if e.k.MipLinear { // IMG-466, IMG-555
		e.lv = e.second(n, delta)
		for c, x := range level() {
			s[c] = mix(s[c], x, delta)
		}
	}
	return s
}

// weigh is a·(256−weight) + b·weight.
func (e *filter) weigh(a, b, weight ir.Value) ir.Value {
	return e.sum(e.i(ir.OpShl, a, e.int(8)), e.mul(e.i(ir.OpISub, b, a), weight))
}

// lerp is a and weight/256 of the way to b, rounded as the reference does it.
func (e *filter) lerp(a, b, weight ir.Value) ir.Value {
	return e.f(ir.OpFma, e.share(weight), e.f(ir.OpFSub, b, a), a)
}

// share is weight/256.
func (e *filter) share(weight ir.Value) ir.Value {
	return e.f(ir.OpFMul, e.f(ir.OpS2F, weight), e.float(1.0/256))
}

// mix is lerp, or a·(256−weight)/256 + b·weight/256, without b where it has none.
func (e *filter) mix(a, b, weight ir.Value) ir.Value {
	if e.k.Sum != SumShares {
		return e.lerp(a, b, weight)
	}
	rest := e.f(ir.OpFMul, e.share(e.i(ir.OpISub, e.int(256), weight)), a)
	b = e.without(b, e.is(ir.OpIEq, weight, e.int(0)))
	return e.f(ir.OpFma, e.share(weight), b, rest)
}

// levelLerps is a level whose texels are interpolated.
func (e *filter) levelLerps() []ir.Value { return e.level(e.reals, e.mix) }

// level is IMG-531 and IMG-532: each component of a level, as load gives them, mixed one dimension
// after the other; of codes the exact sums.
func (e *filter) level(load func(location) []ir.Value,
	mix func(a, b, weight ir.Value) ir.Value) []ir.Value {
	if e.k.Kind == Nearest {
		return load(e.nearestTexel())
	}
	p := e.footprint()
	dims := int(e.k.Dims)
	taps := make([][]ir.Value, 1<<dims)
	for t, x := range e.locations(&p) {
		taps[t] = load(x)
	}
	for d := range dims {
		for t := range len(taps) / 2 {
			for c, x := range taps[2*t] {
				taps[2*t][c] = mix(x, taps[2*t+1][c], p.f[d])
			}
			taps[t] = taps[2*t]
		}
		taps = taps[:len(taps)/2]
	}
	return taps[0]
}

// codesAt is the codes of a texel, in the order of memory, or those of the border, which is
// 0 or 1 in each component.
func (e *decoder) codesAt(p location) (s []ir.Value) {
	words, out := e.load(p.at), p.out
	most, signed := codes(e.info)
	bits := e.codeBits()
	for i := range 8 * e.info.BlockBytes / bits {
		w, shift := words[i*bits/32], i*bits%32
		if signed { // IMG-242: the lowest code is the one above it
			s = append(s, e.i(ir.OpSMax, e.signed(w, shift, bits), e.int(-most)))
		} else {
			s = append(s, e.field(w, shift, bits, 0))
		}
	}
	for c, x := range e.info.Components {
		if out != ir.NoValue && x.Kind != format.KindNone {
			i := x.Shift / bits
			s[i] = e.b.Op(ir.OpSelect, ir.I32, out, e.i(ir.OpAnd, e.borderBit(c), e.int(most)), s[i])
		}
	}
	return s
}

// codeBits is the width of the format's codes.
func (e *decoder) codeBits() int {
	for _, c := range e.info.Components {
		if c.Kind != format.KindNone {
			return c.Bits
		}
	}
	return 8
}

// borderBit is all ones where component c of the border is 1, and else 0.
//
// IMG-290
func (e *decoder) borderBit(c int) ir.Value {
	return e.i(ir.OpShrS, e.i(ir.OpShl, e.param(ir.I32, wordBorder+c), e.int(2)), e.int(31))
}

// code is the texel at an offset, or the border, as it is in memory.
func (e *decoder) code(p location) ir.Value {
	w := e.load(p.at)[0]
	if p.out != ir.NoValue {
		w = e.b.Op(ir.OpSelect, ir.I32, p.out, e.borderCodes(), w)
	}
	return w
}

// planeMask is where the first plane's bytes are in a texel's word.
func (e *decoder) planeMask() uint32 {
	if e.info.BlockBytes == 4 {
		return 0x00FF00FF
	}
	return 0xFF
}

// planes splits a texel's word: bytes 0 and 2, then 1 and 3, of a texel of four bytes,
// or single ones.
func (e *decoder) planes(w ir.Value) []ir.Value {
	mask := e.int(e.planeMask())
	x := []ir.Value{e.i(ir.OpAnd, w, mask)}
	if e.info.BlockBytes > 1 {
		x = append(x, e.i(ir.OpAnd, e.i(ir.OpShrU, w, e.int(8)), mask))
	}
	return x
}

// unpack splits pairs of sums below 2^16 into the bytes' order.
func (e *decoder) unpack(x []ir.Value) []ir.Value {
	if e.info.BlockBytes < 4 {
		return x
	}
	low, up := e.int(0xFFFF), e.int(16)
	return []ir.Value{e.i(ir.OpAnd, x[0], low), e.i(ir.OpAnd, x[1], low), e.i(ir.OpShrU, x[0], up),
		e.i(ir.OpShrU, x[1], up)}
}

// borderCodes is the border colour, 0 or 1 in each component, as a texel's word.
func (e *decoder) borderCodes() ir.Value {
	w := e.int(0)
	for c, x := range e.info.Components {
		if x.Kind != format.KindNone {
			code := e.i(ir.OpAnd, e.borderBit(c), e.int(0xFF<<x.Shift))
			w = e.i(ir.OpOr, w, code)
		}
	}
	return w
}

// mean is s/(n·2^bits), correctly rounded, for the weighted sum s of codes up to n, which is
// below 2^16 and odd. 1/n is taken as the sum of two numbers, and s as that of its
// binary32 number and the rest, which is at most 2^-24 of it: what rounding leaves before the
// last FMA is below 2^-46 of the result. But s/n is no nearer than 2^-41 of itself to the middle
// of two numbers, and is none: n times a number of 25 bits, the last of them 1, is no integer
// where that bit stands for less than 1, and where not, it is above every s.
//
// IMG-003, IMG-535, IMG-700, IMG-701
func (e *builder) mean(s ir.Value, n uint32, bits int, signed bool) ir.Value {
	unit := 1 / float64(uint64(n)<<bits)
	hi := float32(unit)
	lo := e.float(float32(unit - float64(hi)))
	if uint64(n)<<bits <= 1<<24 { // no rest
		x := e.f(ir.OpS2F, s)
		return e.f(ir.OpFma, x, e.float(hi), e.f(ir.OpFMul, x, lo))
	}
	to, from := ir.OpU2F, ir.OpF2U
	if signed {
		to, from = ir.OpS2F, ir.OpF2S
	}
	x := e.f(to, s)
	rest := e.f(ir.OpS2F, e.i(ir.OpISub, s, e.i(from, x)))
	return e.f(ir.OpFma, x, e.float(hi), e.f(ir.OpFma, x, lo, e.f(ir.OpFMul, rest, e.float(hi))))
}
