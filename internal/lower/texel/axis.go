package texel

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// # Texel coordinates in binary32
//
// A coordinate s has 24 bits and a size n at most 17, so their product is not a binary32
// number; but one FMA rounds s·n + M once. With M in a binade whose numbers are
// integers, |s·n| below 2^22, that is the nearest integer, ties to even, and stands
// in the low bits. LINEAR needs just that of 256·u − 128 (M − 128 is an integer too).
// NEAREST needs the floor: the integer q nearest to u is the floor or one more, and
// the sign of u − q, which a second FMA gives exactly, decides.
//
// Coordinates first come near the image in binary32, where that changes no texel and
// no weight that counts: wrapping modes subtract whole periods, s − trunc(s), which is
// exact; clamping modes clamp. Maximum and minimum with a number turn NaNs into it
// (IMG-005): −1 is a whole period, 0 the first texel. Infinities behave as
// IMG-006 and IMG-007 say: they wrap as NaN does, and clamp.
const magic = 3 << 22

// magicBits are the bits of magic, of which an integer is a texel more.
const magicBits = 0x4B400000

// maxOffset is the largest texel offset of samples, either way: more than Vulkan asks for.
const maxOffset = 31

// farthest is how many texels from 0 coordinates keep their weights where those count.
const farthest = 1<<14 - 2

// rounds says that sums round, so that it shows how the weight of a texel beyond an edge divides
// into those of two taps that read the same texel: clamped coordinates would have others.
func (k *Key) rounds() bool {
	return (k.Kind == Linear || k.split()) && !k.Cube && !k.far() && k.Sum == SumFloat && k.Dims > 1
}

// coordinates find texels: coordinates to integers, wrapping, and where that is in memory.
type coordinates struct {
	*inputs
	lv *level // that is read
	// magnified says of keys with two filters which one a lane takes.
	magnified ir.Value
	at        [3]ir.Value // coordinates of the sample or of a probe, or on the face
	spot      [3]wide     // the same of keys with coordinates in binary64
	cube      *cube
}

// near is coordinate s of dimension d, brought near the image.
//
// IMG-005, IMG-006, IMG-007
func (e *coordinates) near(d int) ir.Value {
	s, mode := e.at[d], e.k.Modes[d]
	if e.k.Cube && mode == vk.SamplerAddressModeClampToEdge && e.k.Kind != Nearest {
		return s // of [0, 1]
	}
	if e.k.Offset { // IMG-029
		if mode == vk.SamplerAddressModeRepeat || mode == vk.SamplerAddressModeMirroredRepeat { // IMG-195
			// The reference adds an offset before it wraps, and loses it in huge numbers.
			e.leave(e.is(ir.OpNot, e.is(ir.OpFLt, e.f(ir.OpFAbs, s), e.float(1<<30))))
		} else {
			mode = vk.SamplerAddressModeMirrorClampToEdge // which stays away from the edges
		}
	}
	if mode != vk.SamplerAddressModeRepeat && mode != vk.SamplerAddressModeMirroredRepeat &&
		e.k.rounds() {
		end := e.float(farthest)
		if !e.k.Unnormalized {
			end = e.f(ir.OpFDiv, end, e.size(d))
		}
		s = e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpFOrd, s, s), s, e.float(0))
		e.leave(e.is(ir.OpFLt, end, e.f(ir.OpFAbs, s)))
		return e.f(ir.OpFMin, e.f(ir.OpFMax, s, e.f(ir.OpFNeg, end)), end)
	}
	switch mode {
	case vk.SamplerAddressModeRepeat:
		return e.f(ir.OpFMax, e.f(ir.OpFSub, s, e.f(ir.OpFTrunc, s)), e.float(-1))
	case vk.SamplerAddressModeMirroredRepeat:
		// a denormal's half is 0 or rounded: all the same
		half := e.f(ir.OpFTrunc, e.f(ir.OpFMul, s, e.float(0.5)))
		return e.f(ir.OpFMax, e.f(ir.OpFma, half, e.float(-2), s), e.float(-2))
	case vk.SamplerAddressModeClampToEdge:
		end := e.float(1)
		switch {
		case e.k.Unnormalized: // IMG-477
			end = e.size(d)
		case e.k.Kind == Nearest:
			end = e.float(1 - 0x1p-24) // in the last texel
		}
		return e.f(ir.OpFMin, e.f(ir.OpFMax, s, e.float(0)), end)
	default: // NaN is in the image (IMG-005), infinities are not
		s = e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpFOrd, s, s), s, e.float(0))
		lo, hi := e.float(-1), e.float(2)
		switch n := e.size(d); {
		case e.k.Offset && e.k.Unnormalized: // IMG-477
			lo, hi = e.f(ir.OpFSub, e.float(-2*maxOffset), n), e.f(ir.OpFAdd, n, e.float(2*maxOffset))
		case e.k.Offset:
			some := e.f(ir.OpFDiv, e.float(2*maxOffset), n)
			lo, hi = e.f(ir.OpFSub, e.float(-1), some), e.f(ir.OpFAdd, e.float(1), some)
		case e.k.Unnormalized: // IMG-477
			lo, hi = e.f(ir.OpFNeg, n), e.f(ir.OpFAdd, n, n)
		}
		return e.f(ir.OpFMin, e.f(ir.OpFMax, s, lo), hi)
	}
}

// size is that of dimension d as a number.
func (e *coordinates) size(d int) ir.Value { return e.f(ir.OpS2F, e.lv.size[d]) }

// scale is what a coordinate of dimension d is multiplied with for one texel to be unit.
//
// IMG-004, IMG-477
func (e *coordinates) scale(d int, unit float32) ir.Value {
	if e.k.Unnormalized {
		return e.float(unit)
	}
	return e.f(ir.OpFMul, e.size(d), e.float(unit))
}

// floor is IMG-480 for dimension d: floor(u), plus magicBits in binary32.
//
// IMG-004, IMG-028
func (e *coordinates) floor(d int) ir.Value {
	if e.k.far() {
		return e.whole(e.down(e.farTexel(d, 0)))
	}
	s, n := e.near(d), e.scale(d, 1)
	q := e.f(ir.OpFma, s, n, e.float(magic))
	above := e.f(ir.OpFma, s, n, e.f(ir.OpFSub, e.float(magic), q)) // u − q in [−½, ½]
	if e.k.Offset {                                                 // of u just below 0 the reference loses the sign
		tiny := e.is(ir.OpAnd, e.is(ir.OpFLt, above, e.float(0)), e.is(ir.OpFLt, e.float(-0x1p-20), above))
		e.leave(e.is(ir.OpAnd, tiny, e.is(ir.OpFEq, q, e.float(magic))))
	}
	return e.bits(e.f(ir.OpFAdd, q, e.f(ir.OpFFloor, above)))
}

// split is IMG-481 and IMG-011 for dimension d: the first texel, plus magicBits>>8 in binary32, and
// the weight of the second in 1/256. That is 0 where a lane's filter is NEAREST.
//
// IMG-004, IMG-486, IMG-702, IMG-704
func (e *coordinates) split(d int) (i0, f ir.Value) {
	if e.k.far() {
		return e.farSplit(d)
	}
	x := e.bits(e.f(ir.OpFma, e.near(d), e.scale(d, 256), e.float(magic-128)))
	if e.k.split() {
		one := e.floor(d)
		if e.k.Seams { // NEAREST stays on the face
			one = e.i(ir.OpSMin, one, e.sum(e.lv.size[d], e.int(magicBits-1)))
		}
		one = e.i(ir.OpShl, e.i(ir.OpISub, one, e.int(magicBits-magicBits>>8)), e.int(8))
		if e.k.NearestMin {
			x, one = one, x
		}
		x = e.b.Op(ir.OpSelect, ir.I32, e.magnified, one, x)
	}
	return e.i(ir.OpShrU, x, e.int(8)), e.i(ir.OpAnd, x, e.int(255))
}

// wrap is IMG-500 for the texels i: i of NEAREST, or i and i+1 of LINEAR. They are any, or those
// that near leaves, plus bias, a multiple of 2^14. out, where it is not NoValue, says that the
// texel is the border.
//
// IMG-195, IMG-204, IMG-307, IMG-501, IMG-502, IMG-519, IMG-557
func (e *coordinates) wrap(d int, i ir.Value, bias uint32) (at, out []ir.Value) {
	n := e.lv.size[d]
	last := e.i(ir.OpISub, n, e.int(1))
	out = []ir.Value{ir.NoValue, ir.NoValue}
	mode := e.k.Modes[d]
	if e.k.Offset && !e.k.far() {
		o := e.rows[OffsetX+Operand(d)]
		e.leave(e.is(ir.OpULt, e.int(2*maxOffset), e.sum(o, e.int(maxOffset))))
		i = e.sum(i, o)
	}
	switch mode {
	case vk.SamplerAddressModeRepeat:
		return e.period(i, n, bias, e.k.PowerOfTwo[d]), out
	case vk.SamplerAddressModeMirroredRepeat:
		end := e.i(ir.OpISub, e.sum(n, n), e.int(1))
		for _, m := range e.period(i, e.sum(n, n), bias, e.k.PowerOfTwo[d]) {
			at = append(at, e.i(ir.OpSMin, m, e.i(ir.OpISub, end, m)))
		}
		return at, out
	default:
	}
	for t := range e.taps() {
		var j ir.Value
		if e.k.far() {
			j = e.sum(i, e.int(uint32(t)))
		} else {
			j = e.i(ir.OpISub, i, e.int(bias-uint32(t)))
		}
		switch {
		case mode == vk.SamplerAddressModeMirrorClampToEdge:
			j = e.i(ir.OpSMin, e.i(ir.OpXor, j, e.i(ir.OpShrS, j, e.int(31))), last)
		case mode == vk.SamplerAddressModeClampToBorder:
			out[t] = e.is(ir.OpULe, n, j)
		case e.k.Offset, e.k.rounds(), e.k.far():
			j = e.i(ir.OpSMin, e.i(ir.OpSMax, j, e.int(0)), last)
		case t == 0 && e.taps() > 1:
			if j = e.i(ir.OpSMax, j, e.int(0)); e.k.split() { // 1 is in the texel beyond the last
				j = e.i(ir.OpSMin, j, last)
			}
		case t == 1 || e.k.Unnormalized:
			j = e.i(ir.OpSMin, j, last)
		}
		at = append(at, j)
	}
	return at, out
}

// taps is how many texels of a dimension are read.
func (e *coordinates) taps() int {
	if e.k.Kind == Fetch || e.k.Kind == Nearest {
		return 1
	}
	return 2
}

// period brings i of [−n−1, n), plus bias, and i+1 into [0, n). Of the numbers that
// differ by a multiple of n from one, that is the least without a sign.
//
// IMG-501, IMG-506
func (e *coordinates) period(i, n ir.Value, bias uint32, powerOfTwo bool) []ir.Value {
	if e.k.far() {
		return e.remainders(i, n, powerOfTwo)
	}
	if powerOfTwo {
		mask := e.i(ir.OpISub, n, e.int(1))
		at := []ir.Value{e.i(ir.OpAnd, i, mask)}
		if e.taps() > 1 {
			at = append(at, e.i(ir.OpAnd, e.sum(i, e.int(1)), mask))
		}
		return at
	}
	i = e.i(ir.OpISub, i, e.int(bias))
	first := e.i(ir.OpUMin, i, e.sum(i, n))
	if e.k.Offset { // of [−2n, 2n)
		first = e.i(ir.OpUMin, e.i(ir.OpUMin, first, e.sum(i, e.sum(n, n))), e.i(ir.OpISub, i, n))
	}
	if e.taps() == 1 { // of [−n, n)
		return []ir.Value{first}
	}
	first = e.i(ir.OpUMin, first, e.sum(i, e.sum(n, n)))
	second := e.sum(first, e.int(1))
	return []ir.Value{first, e.i(ir.OpUMin, second, e.i(ir.OpISub, second, n))}
}

// layer is where the layer of a lane begins.
func (e *coordinates) layer() ir.Value {
	start := e.lv.start
	if !e.k.Layered {
		return start
	}
	n := e.layerIndex()
	if e.k.Cube { // of six faces
		n = e.mul(n, e.int(6))
	}
	return e.sum(start, e.mul(n, e.param(ir.I32, wordLayer)))
}

// layerIndex is IMG-484: the nearest layer, ties to even, in the view.
//
// IMG-025
func (e *coordinates) layerIndex() ir.Value {
	last := e.f(ir.OpS2F, e.i(ir.OpISub, e.param(ir.I32, wordLayers), e.int(1)))
	x := e.f(ir.OpFMin, e.f(ir.OpFMax, e.rows[Layer], e.float(0)), last)
	return e.i(ir.OpISub, e.bits(e.f(ir.OpFAdd, x, e.float(magic))), e.int(magicBits))
}

// along is what texel i of dimension d adds to an offset.
func (e *coordinates) along(d int, i ir.Value) ir.Value {
	if d == 1 && e.lv.rows != ir.NoValue {
		return e.i(ir.OpShl, i, e.lv.rows)
	}
	return e.mul(e.blocksBefore(d, i), e.lv.pitch[d])
}

// blockSize is how many texels a block has along dimension d.
func (e *coordinates) blockSize(d int) int {
	return [3]int{e.info.BlockWidth, e.info.BlockHeight, e.info.BlockDepth}[d]
}

// blocksBefore is how many blocks lie before that of texel i of dimension d: (i+½)/n is 1/24 from
// an integer or more, and binary32 is exact to 2^-7 of what is below 2^16.
func (e *coordinates) blocksBefore(d int, i ir.Value) ir.Value {
	switch n := e.blockSize(d); n {
	case 1:
		return i
	case 4, 8:
		return e.i(ir.OpShrU, i, e.int(uint32(bits.TrailingZeros(uint(n)))))
	default:
		share := float32(1 / float64(n))
		return e.i(ir.OpF2S, e.f(ir.OpFma, e.f(ir.OpS2F, i), e.float(share), e.float(share/2)))
	}
}

// inBlock is what texel i of dimension d adds to its location in a block.
func (e *coordinates) inBlock(d int, i ir.Value) ir.Value {
	n := e.blockSize(d)
	if n == 1 {
		return e.int(0)
	}
	at := e.i(ir.OpISub, i, e.mul(e.blocksBefore(d, i), e.int(uint32(n))))
	if n&(n-1) == 0 {
		at = e.i(ir.OpAnd, i, e.int(uint32(n-1)))
	}
	row := 1
	for smaller := range d {
		row *= e.blockSize(smaller)
	}
	if row&(row-1) == 0 {
		return e.i(ir.OpShl, at, e.int(uint32(bits.TrailingZeros(uint(row)))))
	}
	return e.mul(at, e.int(uint32(row)))
}

// address is integer coordinate validation (§6): the location of the texel, or one beyond
// all memory where it is invalid (IMG-200…203), so that it reads as zero (IMG-300).
//
// IMG-030, IMG-205, IMG-301, IMG-306, IMG-576
func (e *coordinates) address() location {
	at, valid := e.lv.start, ir.NoValue
	in := e.int(0)
	step := func(i, count, bytes ir.Value) {
		at = e.sum(at, bytes)
		if in := e.is(ir.OpULt, i, count); valid == ir.NoValue {
			valid = in
		} else {
			valid = e.is(ir.OpAnd, valid, in)
		}
	}
	for d := range int(e.k.Dims) {
		i := e.rows[CoordX+Operand(d)]
		if e.k.Offset {
			o := e.rows[OffsetX+Operand(d)]
			// A sum that leaves 32 bits is in the image only if both are negative.
			both := e.is(ir.OpSLt, e.i(ir.OpAnd, i, o), e.int(0))
			i = e.b.Op(ir.OpSelect, ir.I32, both, e.int(^uint32(0)), e.sum(i, o))
		}
		step(i, e.lv.size[d], e.along(d, i))
		in = e.sum(in, e.inBlock(d, i))
	}
	if e.k.Layered {
		step(e.rows[Layer], e.param(ir.I32, wordLayers), e.mul(e.rows[Layer], e.param(ir.I32, wordLayer)))
	}
	if e.k.Sampled {
		step(e.rows[Sample], e.param(ir.I32, wordSamples),
			e.mul(e.rows[Sample], e.int(uint32(e.info.BlockBytes))))
	}
	at = e.b.Op(ir.OpSelect, ir.I32, valid, at, e.int(^uint32(15)))
	return location{at: at, out: e.is(ir.OpNot, valid), in: in}
}
