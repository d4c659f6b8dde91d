package texel

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// # Levels of detail in binary32
//
// λ is a binary64 number in the reference, but all that becomes of it is 256·d rounded to an
// integer n, and in NEAREST mipmapping whether 256·d is more than n. So λ is an integer and a rest
// t here: 256·½·log2(ρ²) = 128·e + 128·log2(m), where m of [√½, √2) makes the rest at most 64, plus
// the bias in two parts, too. The error of t is below 2^-13.3, most of it from ρ², whose roundings
// are within 2^-22 of it, or, as the six of a footprint or of a cube's face, within 2^-21.4. Lanes
// whose t lies within lodGuard of where the result changes are left to the reference: one of some
// thousands.
//
// Clamps are monotonic, so they commute with what follows: bounds go through it
// once, in binary64 (Bounds).
const lodGuard = 0x1p-13

// lod is the level-of-detail operation.
type lod struct {
	*coordinates
	rho2 ir.Value // of keys with anisotropy
}

// choose is §21 textures-image-level-selection: the level of each lane and, where the
// key mixes levels, the weight of the next in 1/256.
func (e *lod) choose() (level, delta ir.Value) {
	n, t := e.lambda()
	if e.k.Biased {
		n, t = e.sum(n, e.param(ir.I32, wordWhole)), e.f(ir.OpFAdd, t, e.param(ir.F32, wordBias))
	}
	q := e.f(ir.OpFAdd, t, e.float(magic))
	rest := e.f(ir.OpFSub, t, e.f(ir.OpFSub, q, e.float(magic)))
	n = e.sum(n, e.i(ir.OpISub, e.bits(q), e.int(magicBits)))
	exact := e.k.Lod == ir.LodZero || e.k.Lod == ir.LodExplicit && !e.k.Biased
	distance := e.f(ir.OpFAbs, rest)
	if e.k.split() { // IMG-451
		zero := e.is(ir.OpIEq, n, e.int(0))
		positive := e.is(ir.OpOr, e.is(ir.OpSLt, e.int(0), n),
			e.is(ir.OpAnd, zero, e.is(ir.OpFLt, e.float(0), rest)))
		if e.k.MinLod {
			positive = e.is(ir.OpOr, positive, e.is(ir.OpFLt, e.float(0), e.rows[MinLod]))
		}
		e.magnified = e.is(ir.OpNot, positive)
		if !exact {
			e.leave(e.is(ir.OpAnd, zero, e.is(ir.OpFLt, distance, e.float(lodGuard))))
		}
	}
	if e.k.MipLinear {
		if !exact {
			e.leave(e.is(ir.OpFLt, e.float(0.5-lodGuard), distance))
		}
		// IMG-461, IMG-465
		n = e.clampLod(n)
		return e.i(ir.OpShrU, n, e.int(8)), e.i(ir.OpAnd, n, e.int(255))
	}
	// IMG-462: ceil(d+½)−1 is (n+127)>>8, or (n+128)>>8 if 256·d is more than n. The two
	// differ in the middle of two levels; n and n+1 give the same level for what lies between.
	n = e.halves(n, rest)

	if !exact {
		middle := e.is(ir.OpIEq, e.i(ir.OpAnd, n, e.int(510)), e.int(256))
		e.leave(e.is(ir.OpAnd, middle, e.is(ir.OpFLt, distance, e.float(lodGuard))))
	}
	return e.i(ir.OpShrU, e.sum(e.clampLod(n), e.int(255)), e.int(9)), ir.NoValue // IMG-462
}

// Bounds returns an end of the range of 256·d as choose clamps it.
//
// IMG-450, IMG-464
func (k *Key) Bounds(d float64) int32 {
	n := math.RoundToEven(256 * d)
	if k.MipLinear {
		return int32(n)
	}
	if 256*d > n {
		return int32(2*n) + 1
	}
	return int32(2 * n)
}

// halves is 2·n, and 1 more where the rest says that the number is above n.
func (e *lod) halves(n, rest ir.Value) ir.Value {
	more := e.b.Op(ir.OpSelect, ir.I32, e.is(ir.OpFLt, e.float(0), rest), e.int(1), e.int(0))
	return e.sum(e.i(ir.OpShl, n, e.int(1)), more)
}

// clampLod brings a level into the range of the sampler and the view.
func (e *lod) clampLod(n ir.Value) ir.Value {
	if e.k.MinLod { // IMG-447; a NaN takes λ with it
		lo := e.rows[MinLod]
		e.leave(e.is(ir.OpFUnord, lo, lo))
		m, rest := e.operand(lo)
		if !e.k.MipLinear {
			m = e.halves(m, rest)
		}
		n = e.i(ir.OpSMax, n, m)
	}
	// IMG-448, IMG-449, IMG-460, IMG-463, IMG-464
	return e.i(ir.OpSMin, e.i(ir.OpSMax, n, e.param(ir.I32, wordLow)), e.param(ir.I32, wordHigh))
}

// lambda is 256·λ_base as an integer and a rest.
//
// IMG-445
func (e *lod) lambda() (n, t ir.Value) {
	if e.k.Lod == ir.LodExplicit { // IMG-400
		return e.operand(e.rows[Lod])
	}
	if e.k.Lod == ir.LodZero {
		return e.int(0), e.float(0)
	}
	if e.k.Aniso {
		n, t = e.log2(e.rho2)
	} else { // IMG-425, IMG-429, IMG-430
		length2 := e.length2
		if e.k.Cube {
			length2 = e.faceLength2
		}
		x, y := length2(ir.OpDdxFine, GradXX), length2(ir.OpDdyFine, GradYX)
		e.leave(e.is(ir.OpFUnord, x, y))
		n, t = e.log2(e.f(ir.OpFMax, x, y))
	}
	if e.k.Lod == ir.LodBias {
		// Together with the sampler's, a bias is clamped: IMG-446. Few come near that.
		const most = resource.MaxSamplerLodBias - 0x1p-10
		bias := e.rows[Lod]
		if all := e.f(ir.OpFAdd, bias, e.param(ir.F32, wordShift)); e.k.Biased {
			e.leave(e.is(ir.OpNot, e.is(ir.OpFLt, e.f(ir.OpFAbs, all), e.float(most))))
		} else {
			e.leave(e.is(ir.OpNot, e.is(ir.OpFLt, e.f(ir.OpFAbs, bias), e.float(most))))
		}
		bn, bt := e.operand(bias)
		n, t = e.sum(n, bn), e.f(ir.OpFAdd, t, bt)
	}
	return n, t
}

// operand is parts of an operand, of which what lies beyond all levels and biases does not matter,
// and a NaN is the lowest.
//
// IMG-008
func (e *lod) operand(x ir.Value) (n, t ir.Value) {
	return e.parts(e.f(ir.OpFMin, e.f(ir.OpFMax, x, e.float(-64)), e.float(64)))
}

// parts is 256·x as an integer and a rest, exactly.
func (e *lod) parts(x ir.Value) (n, t ir.Value) {
	x = e.f(ir.OpFMul, x, e.float(256))
	q := e.f(ir.OpFAdd, x, e.float(magic))
	return e.i(ir.OpISub, e.bits(q), e.int(magicBits)), e.f(ir.OpFSub, x,
		e.f(ir.OpFSub, q, e.float(magic)))
}

// pointLength2 is added to ρ², so that a footprint that is a point is not taken for one whose level
// rounding decides: λ of 0 would be −∞, and what log2 makes of it lies in the middle of two levels.
// It is far below the lowest level that a bias reaches, and changes nothing in the ρ² of others.
const pointLength2 = 1.2 * 0x1p-100

// length2 is ρ² of a derivative, of the quad (IMG-397, IMG-398) or of operands.
//
// IMG-396, IMG-426, IMG-428
func (e *lod) length2(derivative ir.Op, operand Operand) ir.Value {
	sum := ir.NoValue
	for d := range int(e.k.Dims) {
		m := e.f(ir.OpFMul, e.gradient(derivative, operand, d), e.f(ir.OpS2F, e.base(d)))
		if sum == ir.NoValue {
			sum = e.f(ir.OpFma, m, m, e.float(pointLength2))
		} else {
			sum = e.f(ir.OpFma, m, m, sum)
		}
	}
	return sum
}

// gradient is component d of a derivative.
//
// IMG-396, IMG-399, IMG-404
func (e *lod) gradient(derivative ir.Op, operand Operand, d int) ir.Value {
	if e.k.Lod == ir.LodGrad {
		return e.rows[operand+Operand(d)]
	}
	return e.f(derivative, e.rows[CoordX+Operand(d)])
}

// log2 is 128·log2(x) as an integer and a rest. 0 is as small, and infinity as large,
// as any level asks for.
//
// IMG-445, IMG-452
func (e *lod) log2(x ir.Value) (n, t ir.Value) {
	const sqrtHalf = 0x3F3504F3
	b := e.bits(x)
	exponent := e.i(ir.OpShrS, e.i(ir.OpISub, b, e.int(sqrtHalf)), e.int(23))
	m := e.f(ir.OpBitcast, e.i(ir.OpISub, b, e.i(ir.OpShl, exponent, e.int(23))))
	// 2/ln 2 · (z + z³/3 + z⁵/5 + z⁷/7) of z = (m−1)/(m+1), which is at most 0.1716.
	z := e.f(ir.OpFDiv, e.f(ir.OpFSub, m, e.float(1)), e.f(ir.OpFAdd, m, e.float(1)))
	q := e.f(ir.OpFMul, z, z)
	c := func(k float64) ir.Value { return e.float(float32(128 * 2 / math.Ln2 / k)) }
	p := e.f(ir.OpFma, e.f(ir.OpFma, e.f(ir.OpFma, c(7), q, c(5)), q, c(3)), q, c(1))
	return e.i(ir.OpShl, exponent, e.int(7)), e.f(ir.OpFMul, p, z)
}

// leave leaves the lanes to the reference in which cond holds.
func (e *inputs) leave(cond ir.Value) {
	if e.leaving != nil {
		e.b.Set(*e.leaving, e.is(ir.OpOr, e.b.Get(*e.leaving), cond))
		return
	}
	e.left = e.or(e.left, cond)
}

// level is where a level lies: numbers of the program, or of each lane.
type level struct {
	size, pitch [3]ir.Value
	start       ir.Value
	rows        ir.Value // the logarithm of a row's bytes, which are a power of two, or NoValue
}

// only is the level of Params.
func (e *lod) only() *level {
	l := &level{start: e.param(ir.I32, wordStart), rows: ir.NoValue}
	for d := range l.size {
		l.size[d], l.pitch[d] = e.param(ir.I32, wordSize+d), e.param(ir.I32, wordPitch+d)
	}
	return l
}

// each is level n of each lane, counted from that of Params: IMG-040, and texels without gaps.
//
// IMG-042, IMG-463
func (e *lod) each(n ir.Value) *level {
	first := e.only()
	if e.k.Single {
		return first
	}
	at := e.i(ir.OpShl, n, e.int(2))
	l := &level{start: e.paramAt(ir.I32, e.sum(at, e.int(4*wordStarts))), rows: ir.NoValue}
	l.pitch[0] = e.int(uint32(e.info.BlockBytes))
	by := e.i(ir.OpAnd, n, e.int(31)) // which it is anyway, as shifts should know
	bytes := uint(e.info.BlockBytes)
	if e.k.PowerOfTwo[0] && e.blockSize(0) == 1 && e.blockSize(1) == 1 && bytes&(bytes-1) == 0 {
		wide := e.i(ir.OpISub, e.i(ir.OpFindUMSB, first.size[0]), by)
		wide = e.sum(e.i(ir.OpSMax, wide, e.int(0)), e.int(uint32(bits.TrailingZeros(bytes))))
		l.rows = e.i(ir.OpAnd, wide, e.int(31))
	}
	for d := range int(e.k.Dims) {
		l.size[d] = e.i(ir.OpSMax, e.i(ir.OpShrU, first.size[d], by), e.int(1))
		if d > 0 {
			n := l.size[d-1]
			if size := e.blockSize(d - 1); size > 1 {
				n = e.blocksBefore(d-1, e.sum(n, e.int(uint32(size-1))))
			}
			l.pitch[d] = e.mul(l.pitch[d-1], n)
		}
	}
	return l
}

// second is the level behind n. Where its weight is 0 it lies beyond all memory and gives zeros
// (IMG-466), for which engines load nothing if that is so in all lanes, as in magnified images and
// those as large as their level.
//
// IMG-465
func (e *lod) second(n, weight ir.Value) *level {
	l := e.each(e.sum(n, e.int(1)))
	l.start = e.b.Op(ir.OpSelect, ir.I32, e.is(ir.OpIEq, weight, e.int(0)), e.int(1<<31), l.start)
	return l
}
