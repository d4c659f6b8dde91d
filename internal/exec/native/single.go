package native

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// The functions that package fp computes, step by step, in all lanes at once.

// single returns the steps of an operation that is computed in binary32, or nil.
func single(op ir.Op) func(*function, ir.Op) {
	switch op {
	case ir.OpFExp2, ir.OpFExp:
		return (*function).exponential
	case ir.OpFLog2, ir.OpFLog:
		return (*function).logarithm
	case ir.OpFPow:
		return (*function).power
	case ir.OpFSin, ir.OpFCos:
		return (*function).sine
	case ir.OpFTan:
		return (*function).tangent
	case ir.OpFAtan, ir.OpFAtan2:
		return (*function).angle
	case ir.OpFAsin, ir.OpFAcos:
		return (*function).arcOfChord
	case ir.OpFSinh, ir.OpFCosh, ir.OpFTanh:
		return (*function).hyperbolic
	case ir.OpFAsinh, ir.OpFAcosh:
		return (*function).area
	case ir.OpFAtanh:
		return (*function).areaTangent
	case ir.OpFLdexp:
		return (*function).scaleNumber
	}
	return nil
}

// f32 is a constant of binary32.
func f32(x float32) stepArg { return word(math.Float32bits(x)) }

// round sets t to Magic and z, and u to the integer that this is.
func (f *function) round(z, t, u mir.Number) {
	f.step(stepAdd, t, z, f32(fp.Magic))
	f.step(stepSub, u, t, f32(fp.Magic))
}

// scalePower sets z to p·2^k, where t has k in its low bits: see fp.scale. All but z are lost.
func (f *function) scalePower(z, p, k, t, x mir.Number) {
	if f.scaled(z, p, k) {
		return
	}
	f.step(stepCopy, x, 0, f32(fp.Magic)) // half of the exponent
	f.adds(x, k, f32(0.5))
	f.step(stepISub, t, t, reg(x))
	for _, n := range [2]mir.Number{x, t} {
		f.step(stepIAdd, n, n, word(bias32))
		f.up(n, fraction32)
		f.step(stepMul, p, p, reg(n))
	}
	f.step(stepCopy, z, 0, reg(p))
}

// scaleNumber adds to exponents; unusual has those where that goes wrong.
func (f *function) scaleNumber(ir.Op) {
	z, t := f.z, f.t
	f.load(z, rowA)
	f.load(t, rowB)
	f.up(t, fraction32)
	f.step(stepIAdd, z, z, reg(t))
}

// mostScale is the largest difference between exponents of normal numbers, and one more.
const mostScale = 254

func (f *function) exponential(op ir.Op) {
	z, t, u, p, x := f.z, f.t, f.u, f.v, f.x
	f.load(z, rowA)
	if op == ir.OpFExp2 {
		f.step(stepMin, z, z, f32(fp.MostExp2))
		f.step(stepMax, z, z, f32(fp.LeastExp2))
		f.round(z, t, u)
		f.step(stepSub, z, z, reg(u))
		f.series(p, z, fp.Exp2Series[:])
	} else {
		f.step(stepMin, z, z, f32(fp.MostExp))
		f.step(stepMax, z, z, f32(fp.LeastExp))
		f.step(stepCopy, t, 0, f32(fp.Magic))
		f.adds(t, z, f32(fp.Log2E))
		f.step(stepSub, u, t, f32(fp.Magic))
		f.adds(z, u, f32(fp.ExpHigh))
		f.adds(z, u, f32(fp.ExpLow))
		f.series(p, z, fp.ExpSeries[:])
	}
	f.scalePower(z, p, u, t, x)
}

// split sets z to its fraction and e to its exponent, and loses s: see fp.split32 and fp.pow.
func (f *function) split(z, e, s mir.Number) {
	f.step(stepISub, e, z, word(fp.SqrtHalf))
	f.exponent(e, s)
	f.step(stepISub, z, z, reg(s))
}

func (f *function) logarithm(op ir.Op) {
	z, t, e, p, x := f.z, f.t, f.u, f.v, f.x
	f.load(z, rowA)
	f.compare(0, isBelow, z, f32(0x1p-126), anyLane)
	f.step(stepMul, x, z, f32(1<<room32))
	f.merge(0, stepCopy, z, 0, reg(x))
	f.split(z, e, x)
	f.step(stepCopy, x, 0, f32(0))
	f.merge(0, stepCopy, x, 0, f32(room32))
	f.step(stepSub, e, e, reg(x))
	f.step(stepAdd, z, z, f32(-1))
	if op == ir.OpFLog {
		f.natural(false)
		return
	}
	f.series(p, z, fp.Log2Series[:])
	f.step(stepMul, x, z, f32(-fp.Log2E))
	f.step(stepCopy, t, 0, reg(x))
	f.adds(t, z, f32(fp.Log2E))
	f.adds(t, p, reg(z))
	f.step(stepSub, p, e, reg(x))
	f.step(stepSub, e, e, reg(p))
	f.step(stepSub, e, e, reg(x))
	f.step(stepAdd, e, e, reg(t))
	f.step(stepAdd, z, p, reg(e))
}

// natural is fp.logOf of z, u and, where there is any, what is in rowX.
func (f *function) natural(rest bool) {
	z, t, e, p, x := f.z, f.t, f.u, f.v, f.x
	f.series(p, z, fp.LogSeries[:])
	f.step(stepMul, t, e, f32(fp.Ln2High))
	f.step(stepAdd, x, t, reg(z))
	f.step(stepSub, t, x, reg(t))
	f.step(stepSub, t, z, reg(t))
	f.adds(t, e, f32(fp.Ln2Low))
	if rest {
		f.load(e, rowX)
		f.step(stepAdd, t, t, reg(e))
	}
	f.step(stepMul, e, z, reg(z))
	f.adds(t, e, reg(p))
	f.step(stepAdd, z, x, reg(t))
}

func (f *function) power(ir.Op) {
	z, t, u, v, x := f.z, f.t, f.u, f.v, f.x
	f.load(z, rowA)
	f.split(z, t, u)
	// One of three numbers, and its logarithm.
	f.step(stepCopy, u, 0, f32(1))
	f.step(stepCopy, v, 0, f32(0))
	f.compare(0, isBelow, z, f32(fp.PowDown), anyLane)
	f.compare(1, isAbove, z, f32(fp.PowUp), anyLane)
	f.merge(0, stepCopy, u, 0, f32(fp.PowBelow))
	f.merge(0, stepCopy, v, 0, f32(fp.Log2Below))
	f.merge(1, stepCopy, u, 0, f32(fp.PowAbove))
	f.merge(1, stepCopy, v, 0, f32(fp.Log2Above))
	f.step(stepAdd, t, t, reg(v))
	f.store(t, rowY)
	// s, and what is missing to it.
	f.step(stepSub, v, z, reg(u))
	f.step(stepAdd, x, z, reg(u))
	f.step(stepSub, u, x, reg(u))
	f.step(stepSub, z, z, reg(u))
	f.step(stepCopy, u, 0, f32(-1))
	f.step(stepDiv, u, u, reg(x))
	f.step(stepMul, t, v, reg(u))
	f.adds(v, t, reg(x))
	f.adds(v, t, reg(z))
	f.step(stepMul, v, v, reg(u))
	f.step(stepAdd, x, t, reg(v))
	f.step(stepSub, t, x, reg(t))
	f.step(stepSub, v, v, reg(t))
	// The logarithm: high and low.
	f.step(stepMul, z, x, reg(x))
	f.series(u, z, fp.AtanhSeries[:])
	f.step(stepMul, u, u, reg(z))
	f.step(stepMul, z, x, f32(fp.PowHigh))
	f.step(stepCopy, t, 0, reg(z))
	f.adds(t, x, f32(-fp.PowHigh))
	f.adds(t, v, f32(-fp.PowHigh))
	f.adds(t, x, f32(-fp.PowLow))
	f.adds(t, u, reg(z))
	f.load(v, rowY)
	f.step(stepSub, x, v, reg(z))
	f.step(stepSub, v, v, reg(x))
	f.step(stepSub, v, v, reg(z))
	f.step(stepAdd, t, t, reg(v))
	// Its product, turned, and the rest of that.
	f.load(u, rowB)
	f.step(stepXor, z, u, word(sign32))
	f.step(stepMul, z, z, reg(x))
	f.step(stepCopy, v, 0, reg(z))
	f.adds(v, u, reg(x))
	f.adds(v, u, reg(t))
	f.step(stepMin, z, z, f32(-fp.LeastExp2))
	f.step(stepMax, z, z, f32(-fp.MostExp2))
	f.step(stepMin, v, v, f32(1))
	f.step(stepMax, v, v, f32(-1))
	f.step(stepSub, t, v, reg(z))
	f.round(t, t, u)
	f.step(stepAdd, z, z, reg(u))
	f.step(stepSub, z, v, reg(z))
	f.series(v, z, fp.Exp2Series[:])
	f.scalePower(z, v, u, t, x)
}

// quarter is fp.quarter: it sets u to the remainder, x to what is missing to it, and stores a number
// whose low bits are the right angles in rowY.
func (f *function) quarter() {
	z, t, r, v, rest := f.z, f.t, f.u, f.v, f.x
	f.load(z, rowA)
	f.step(stepCopy, t, 0, f32(fp.Magic))
	f.adds(t, z, f32(fp.TwoOverPi))
	f.store(t, rowY)
	f.step(stepSub, r, t, f32(fp.Magic))
	f.adds(z, r, f32(fp.PiHigh))
	f.step(stepMul, v, r, f32(fp.PiMid))
	f.step(stepCopy, rest, 0, reg(v))
	f.adds(rest, r, f32(-fp.PiMid))
	f.adds(rest, r, f32(-fp.PiLow))
	f.step(stepAdd, r, z, reg(v))
	f.step(stepSub, t, r, reg(z))
	f.step(stepSub, v, v, reg(t))
	f.step(stepSub, t, r, reg(t))
	f.step(stepSub, z, z, reg(t))
	f.step(stepAdd, z, z, reg(v))
	f.step(stepSub, rest, rest, reg(z))
}

// cosine sets t and v to fp.cosine of u and x; z is the square of u. It loses x and z.
func (f *function) cosine() {
	z, t, r, v, rest := f.z, f.t, f.u, f.v, f.x
	f.step(stepCopy, t, 0, f32(1))
	f.adds(t, z, f32(-0.5))
	f.step(stepCopy, v, 0, f32(1))
	f.step(stepSub, v, v, reg(t))
	f.adds(v, z, f32(-0.5))
	f.adds(v, r, reg(rest))
	f.series(rest, z, fp.CosSeries[:])
	f.step(stepMul, z, z, reg(z))
	f.adds(v, z, reg(rest))
}

// tangent is fp.tangent.
func (f *function) tangent(ir.Op) {
	z, t, u, v, x := f.z, f.t, f.u, f.v, f.x
	f.quarter()
	f.store(u, rowX)
	f.store(x, rowB)
	f.step(stepMul, z, u, reg(u))
	f.cosine()
	f.step(stepAdd, x, t, reg(v))
	f.step(stepSub, t, t, reg(x))
	f.step(stepAdd, t, t, reg(v))
	f.load(u, rowX)
	f.load(v, rowB)
	f.store(x, rowX) // the cosine and what is missing to it, and to the square
	f.step(stepMul, z, u, reg(u))
	f.step(stepXor, x, z, word(sign32))
	f.adds(x, u, reg(u))
	f.adds(t, x, f32(-0.5))
	f.store(t, rowB)
	f.step(stepMul, t, v, reg(z))
	f.series(x, z, fp.SinSeries[:])
	f.step(stepMul, x, x, reg(z))
	f.adds(v, x, reg(u))
	f.step(stepSub, x, u, reg(v)) // the sine and what is missing to it
	f.step(stepSub, u, u, reg(x))
	f.step(stepSub, u, u, reg(v))
	f.adds(u, t, f32(0.5))
	f.load(z, rowX)
	f.load(t, rowB)
	f.load(v, rowY)
	f.step(stepAnd, v, v, word(1))
	f.compare(0, isEqualWord, v, word(1), anyLane)
	f.step(stepCopy, v, 0, reg(x))
	f.merge(0, stepCopy, x, 0, reg(z))
	f.merge(0, stepCopy, z, 0, reg(v))
	f.step(stepCopy, v, 0, reg(u))
	f.merge(0, stepCopy, u, 0, reg(t))
	f.merge(0, stepCopy, t, 0, reg(v))
	f.store(u, rowX)
	f.step(stepXor, v, z, word(sign32))
	f.step(stepDiv, u, x, reg(v))
	f.adds(x, u, reg(z))
	f.adds(x, u, reg(t))
	f.load(t, rowX)
	f.step(stepAdd, x, x, reg(t))
	f.step(stepDiv, x, x, reg(v))
	f.step(stepAdd, z, u, reg(x))
	f.load(t, rowY)
	f.up(t, 31)
	f.step(stepXor, t, t, word(sign32))
	f.step(stepXor, z, z, reg(t))
}

func (f *function) sine(op ir.Op) {
	z, t, r, v, rest := f.z, f.t, f.u, f.v, f.x
	f.quarter()
	// The sine.
	f.step(stepMul, z, r, reg(r))
	f.series(v, z, fp.SinSeries[:])
	f.step(stepMul, v, v, reg(z))
	f.step(stepCopy, t, 0, reg(rest))
	f.adds(t, v, reg(r))
	f.step(stepSub, v, r, reg(t))
	f.store(v, rowX)
	f.cosine()
	f.step(stepAdd, t, t, reg(v))
	// One of them, and its sign.
	f.load(v, rowY)
	if op == ir.OpFCos {
		f.step(stepIAdd, v, v, word(1))
	}
	f.load(z, rowX)
	f.step(stepAnd, r, v, word(1))
	f.compare(0, isEqualWord, r, word(1), anyLane)
	f.merge(0, stepCopy, z, 0, reg(t))
	f.up(v, 30)
	f.step(stepAnd, v, v, word(sign32))
	f.step(stepXor, z, z, reg(v))
}

const sign32, abs32 = 1 << 31, 1<<31 - 1

// angle is fp.Atan and fp.Atan2.
func (f *function) angle(op ir.Op) {
	z, t, u, v, x := f.z, f.t, f.u, f.v, f.x
	most := f32(math.MaxFloat32)
	f.load(z, rowA)
	f.step(stepAnd, z, z, word(abs32))
	// t is the smaller number, x the larger one, u the right angles, and v the sign that turns.
	if op == ir.OpFAtan {
		f.step(stepMin, z, z, most)
		f.step(stepMin, t, z, f32(1))
		f.step(stepMax, x, z, f32(1))
		f.compare(0, isAbove, z, f32(1), anyLane)
		f.step(stepCopy, v, 0, word(sign32))
		f.merge(0, stepCopy, v, 0, word(0))
		f.step(stepCopy, u, 0, f32(0))
	} else {
		f.load(v, rowB)
		f.step(stepAnd, x, v, word(abs32))
		f.step(stepMin, t, z, reg(x))
		f.step(stepMax, u, z, reg(x))
		f.compare(0, isAbove, u, most, anyLane)
		f.compare(1, isAbove, t, most, anyLane)
		f.merge(0, stepCopy, t, 0, word(0))
		f.merge(1, stepCopy, t, 0, most)
		f.compare(0, isAbove, z, reg(x), anyLane)
		f.step(stepMin, x, u, most)
		f.step(stepMax, x, x, word(1))
		f.compare(1, isAbove, x, f32(fp.HugeArc), anyLane)
		f.step(stepCopy, z, 0, f32(1))
		f.merge(1, stepCopy, z, 0, f32(0.25))
		f.step(stepMul, t, t, reg(z))
		f.step(stepMul, x, x, reg(z))
		f.step(stepAnd, v, v, word(sign32))
		f.step(stepXor, v, v, word(sign32))
		f.compare(1, isEqualWord, v, word(0), anyLane)
		f.step(stepCopy, u, 0, f32(0))
		f.merge(1, stepCopy, u, 0, f32(2))
		f.step(stepCopy, z, 0, word(0))
		f.merge(0, stepCopy, z, 0, word(sign32))
		f.step(stepXor, v, v, reg(z))
	}
	f.merge(0, stepCopy, u, 0, f32(1))
	// fp.arc: t over x, and u what is missing to x.
	f.step(stepAdd, z, t, reg(t))
	f.compare(0, isAbove, z, reg(x), anyLane)
	f.step(stepXor, z, v, f32(-0.5))
	f.step(stepAdd, z, z, reg(u))
	f.merge(0, stepCopy, u, 0, reg(z))
	f.store(u, rowY)
	f.store(v, rowX)
	f.step(stepSub, z, t, reg(x))
	f.step(stepAdd, u, t, reg(x))
	f.step(stepSub, v, u, reg(x))
	f.step(stepSub, v, t, reg(v))
	f.merge(0, stepCopy, t, 0, reg(z))
	f.merge(0, stepCopy, x, 0, reg(u))
	f.step(stepCopy, u, 0, word(0))
	f.merge(0, stepCopy, u, 0, reg(v))
	f.step(stepXor, v, x, word(sign32))
	f.step(stepDiv, z, t, reg(v))
	f.adds(t, z, reg(x))
	f.adds(t, z, reg(u))
	f.step(stepDiv, t, t, reg(v))
	f.load(v, rowX)
	f.step(stepXor, z, z, reg(v))
	f.step(stepXor, t, t, reg(v))
	f.load(u, rowY)
	f.fromQuarter(z, u, v, x)
	f.step(stepMul, u, z, reg(z))
	f.step(stepCopy, x, 0, f32(1))
	f.step(stepSub, x, x, reg(u))
	f.adds(v, x, reg(t))
	f.series(x, u, fp.AtanSeries[:])
	f.step(stepMul, x, x, reg(u))
	f.adds(v, x, reg(z))
	f.load(u, rowX)
	f.step(stepAdd, z, u, reg(v))
	f.step(stepAnd, z, z, word(abs32))
	f.signOf(z, u)
}

// signOf gives z, which has none, the sign of the first operand, and loses u.
func (f *function) signOf(z, u mir.Number) {
	f.load(u, rowA)
	f.step(stepAnd, u, u, word(sign32))
	f.step(stepOr, z, z, reg(u))
}

// fromQuarter stores the sum of fp.fromQuarter, of q right angles, and sets rest to what is missing
// to it; it loses x.
func (f *function) fromQuarter(angle, q, rest, x mir.Number) {
	f.step(stepMul, rest, q, f32(fp.HalfPiHigh))
	f.step(stepAdd, x, rest, reg(angle))
	f.store(x, rowX)
	f.step(stepSub, x, rest, reg(x))
	f.step(stepAdd, x, x, reg(angle))
	f.step(stepXor, rest, rest, word(sign32))
	f.adds(rest, q, f32(fp.HalfPiHigh))
	f.step(stepAdd, rest, rest, reg(x))
	f.adds(rest, q, f32(fp.HalfPiLow))
}

// root sets u and x to fp.root of t, and loses v.
func (f *function) root() {
	t, u, v, x := f.t, f.u, f.v, f.x
	f.step(stepRoot, u, 0, reg(t))
	f.step(stepCopy, x, 0, reg(t))
	f.step(stepXor, v, u, word(sign32))
	f.adds(x, u, reg(v))
	f.step(stepAdd, v, u, reg(u))
	f.step(stepMax, v, v, f32(0x1p-126))
	f.step(stepDiv, x, x, reg(v))
}

// arcOfChord is fp.Asin and fp.Acos.
func (f *function) arcOfChord(op ir.Op) {
	z, t, u, v, x := f.z, f.t, f.u, f.v, f.x
	// fp.chord: the sum is z and v.
	f.load(z, rowA)
	f.step(stepAnd, z, z, word(abs32))
	f.compare(0, isAbove, z, f32(0.5), anyLane)
	f.step(stepMul, t, z, reg(z))
	f.step(stepCopy, u, 0, f32(0.5))
	f.adds(u, z, f32(-0.5))
	f.merge(0, stepCopy, t, 0, reg(u))
	f.root()
	f.merge(0, stepCopy, z, 0, reg(u))
	f.step(stepCopy, v, 0, f32(0))
	f.merge(0, stepCopy, v, 0, reg(x))
	f.series(u, t, fp.AsinSeries[:])
	f.step(stepMul, u, u, reg(t))
	f.adds(v, u, reg(z))
	if op == ir.OpFAsin {
		f.step(stepMul, t, z, f32(-2))
		f.step(stepAdd, x, t, f32(fp.HalfPiHigh))
		f.step(stepCopy, u, 0, f32(fp.HalfPiHigh))
		f.step(stepSub, u, u, reg(x))
		f.step(stepAdd, u, u, reg(t))
		f.step(stepAdd, u, u, f32(fp.HalfPiLow))
		f.step(stepAdd, t, v, reg(v))
		f.step(stepSub, u, u, reg(t))
		f.step(stepAdd, x, x, reg(u))
		f.step(stepAdd, z, z, reg(v))
		f.merge(0, stepCopy, z, 0, reg(x))
		f.signOf(z, u)
		return
	}
	f.step(stepAdd, t, z, reg(z))
	f.merge(0, stepCopy, z, 0, reg(t))
	f.step(stepAdd, t, v, reg(v))
	f.merge(0, stepCopy, v, 0, reg(t))
	f.load(t, rowA)
	f.step(stepAnd, t, t, word(sign32))
	f.step(stepXor, u, t, word(sign32))
	f.merge(0, stepCopy, u, 0, reg(t))
	f.step(stepXor, z, z, reg(u))
	f.step(stepXor, v, v, reg(u))
	f.step(stepCopy, u, 0, f32(1))
	f.merge(0, stepCopy, u, 0, f32(0))
	f.compare(1, isEqualWord, t, word(sign32), 0)
	f.merge(1, stepCopy, u, 0, f32(2))
	f.fromQuarter(z, u, t, x)
	f.step(stepAdd, t, t, reg(v))
	f.load(u, rowX)
	f.step(stepAdd, z, u, reg(t))
}

// hyperbolic is fp.Sinh, fp.Cosh and fp.Tanh.
func (f *function) hyperbolic(op ir.Op) {
	z, t, u, v, x := f.z, f.t, f.u, f.v, f.x
	f.load(z, rowA)
	f.step(stepAnd, z, z, word(abs32))
	bias := uint32(bias32 - 1) // half
	if op == ir.OpFTanh {
		f.step(stepMin, z, z, f32(fp.MostTanh))
		f.step(stepAdd, z, z, reg(z))
		bias++
	}
	// fp.expSum: u and x by a power in t.
	f.step(stepCopy, t, 0, f32(fp.Magic))
	f.adds(t, z, f32(fp.Log2E))
	f.step(stepSub, u, t, f32(fp.Magic))
	f.adds(z, u, f32(fp.ExpHigh))
	f.adds(z, u, f32(fp.ExpLow))
	f.series(v, z, fp.ExpSeries[:len(fp.ExpSeries)-1])
	f.step(stepCopy, u, 0, f32(1))
	f.adds(u, v, reg(z))
	f.step(stepCopy, x, 0, f32(1))
	f.step(stepSub, x, x, reg(u))
	f.adds(x, v, reg(z))
	f.step(stepIAdd, t, t, word(bias))
	f.up(t, fraction32)
	f.step(stepMul, u, u, reg(t))
	f.step(stepMul, x, x, reg(t))
	near, list := f32(fp.SinhNear), fp.SinhSeries[:]
	if op == ir.OpFTanh {
		near, list = f32(fp.TanhNear), fp.TanhSeries[:]
		f.step(stepAdd, z, u, f32(1))
		f.step(stepSub, v, u, reg(z))
		f.step(stepAdd, v, v, f32(1))
		f.step(stepAdd, v, v, reg(x))
		f.step(stepCopy, t, 0, f32(-2))
		f.step(stepDiv, t, t, reg(z))
		f.step(stepCopy, x, 0, f32(2))
		f.adds(x, t, reg(z))
		f.adds(x, t, reg(v))
		f.step(stepMul, u, t, f32(-0.5))
		f.step(stepMul, x, x, reg(u))
		f.step(stepAdd, u, t, f32(1))
		f.step(stepCopy, v, 0, f32(1))
		f.step(stepSub, v, v, reg(u))
		f.step(stepAdd, v, v, reg(t))
		f.step(stepSub, v, v, reg(x))
		f.step(stepAdd, z, u, reg(v))
	} else {
		other := f32(-0.25)
		if op == ir.OpFCosh {
			other = f32(0.25)
		}
		f.step(stepCopy, t, 0, other)
		f.step(stepDiv, t, t, reg(u))
		f.step(stepAdd, v, u, reg(t))
		f.step(stepSub, u, u, reg(v))
		f.step(stepAdd, u, u, reg(t))
		f.step(stepAdd, u, u, reg(x))
		f.step(stepAdd, z, v, reg(u))
		if op == ir.OpFCosh {
			return
		}
	}
	f.near(near, list)
}

// near sets z to fp.nearZero where the operand is near zero, and that has lost bits, and gives it
// its sign.
func (f *function) near(limit stepArg, list []float32) {
	z, t, u, v, x := f.z, f.t, f.u, f.v, f.x
	f.load(t, rowA)
	f.step(stepMul, v, t, reg(t))
	f.series(u, v, list)
	f.step(stepMul, u, u, reg(v))
	f.step(stepCopy, x, 0, reg(t))
	f.adds(x, u, reg(t))
	f.step(stepAnd, u, t, word(abs32))
	f.compare(0, isBelow, u, limit, anyLane)
	f.merge(0, stepCopy, z, 0, reg(x))
	f.signOf(z, u)
}

// area is fp.Asinh and fp.Acosh.
func (f *function) area(op ir.Op) {
	z, t, u, v, x := f.z, f.t, f.u, f.v, f.x
	c, far, near := f32(1), u, z
	if op == ir.OpFAcosh {
		c, far, near = f32(-1), z, u
	}
	// fp.areaRoot: u and t.
	f.load(z, rowA)
	f.step(stepAnd, z, z, word(abs32))
	f.step(stepCopy, t, 0, c)
	f.adds(t, z, reg(z))
	f.step(stepCopy, v, 0, c)
	f.step(stepSub, v, v, reg(t))
	f.adds(v, z, reg(z))
	f.step(stepRoot, u, 0, reg(t))
	f.step(stepXor, x, u, word(sign32))
	f.adds(t, u, reg(x))
	f.step(stepAdd, t, t, reg(v))
	f.step(stepAdd, v, u, reg(u))
	f.step(stepDiv, t, t, reg(v))
	// The sum of both: v and x.
	f.step(stepAdd, v, z, reg(u))
	f.step(stepSub, x, far, reg(v))
	f.step(stepAdd, x, x, reg(near))
	f.step(stepAdd, x, x, reg(t))
	f.compare(0, isAbove, z, f32(fp.BigArea), anyLane)
	f.merge(0, stepCopy, v, 0, reg(z))
	f.merge(0, stepCopy, x, 0, f32(0))
	f.step(stepDiv, x, x, reg(v))
	f.store(x, rowX)
	f.step(stepCopy, z, 0, reg(v))
	f.split(z, u, t)
	f.step(stepCopy, t, 0, f32(0))
	f.merge(0, stepCopy, t, 0, f32(1))
	f.step(stepAdd, u, u, reg(t))
	f.step(stepAdd, z, z, f32(-1))
	f.natural(true)
	if op == ir.OpFAsinh {
		f.near(f32(fp.AreaNear), fp.AsinhSeries[:])
		return
	}
	f.load(t, rowA)
	f.compare(0, isBelow, t, f32(1+fp.AreaNear), anyLane)
	f.step(stepAdd, t, t, f32(-1))
	f.step(stepMul, t, t, f32(0.5))
	f.root()
	f.series(v, t, fp.AsinhSeries[:])
	f.step(stepMul, v, v, reg(t))
	f.adds(x, v, reg(u))
	f.step(stepAdd, u, u, reg(x))
	f.step(stepAdd, u, u, reg(u))
	f.merge(0, stepCopy, z, 0, reg(u))
}

// areaTangent is fp.Atanh.
func (f *function) areaTangent(ir.Op) {
	z, t, u, v, x := f.z, f.t, f.u, f.v, f.x
	f.load(z, rowA)
	f.step(stepAnd, z, z, word(abs32))
	f.step(stepCopy, u, 0, f32(1))
	f.step(stepSub, u, u, reg(z))
	f.step(stepAdd, t, z, f32(1))
	f.step(stepAdd, v, t, f32(-1))
	f.step(stepSub, v, z, reg(v))
	f.step(stepXor, x, u, word(sign32))
	f.step(stepDiv, z, t, reg(u))
	f.adds(t, z, reg(x))
	f.step(stepAdd, t, t, reg(v))
	f.step(stepDiv, t, t, reg(u))
	f.step(stepDiv, t, t, reg(z))
	f.store(t, rowX)
	f.split(z, u, t)
	f.step(stepAdd, z, z, f32(-1))
	f.natural(true)
	f.step(stepMul, z, z, f32(0.5))
	f.near(f32(fp.AreaNear), fp.AtanhNear[:])
}
