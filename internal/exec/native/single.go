package native

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// The functions that package fp computes in binary32, step by step, in all lanes at once.

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
	f.step(stepISub, t, t, wordsOf(x))
	for _, n := range [2]mir.Number{x, t} {
		f.step(stepIAdd, n, n, word(bias32))
		f.upWords(n, fraction32)
		f.step(stepMul, p, p, wordsOf(n))
	}
	f.step(stepCopy, z, 0, wordsOf(p))
}

func (f *function) exponential(op ir.Op) {
	z, t, u, p, x := f.z, f.t, f.u, f.v, f.x
	f.load(z, rowA)
	if op == ir.OpFExp2 {
		f.step(stepMin, z, z, f32(fp.MostExp2))
		f.step(stepMax, z, z, f32(fp.LeastExp2))
		f.round(z, t, u)
		f.step(stepSub, z, z, wordsOf(u))
		f.seriesWords(p, z, fp.Exp2Series[:])
	} else {
		f.step(stepMin, z, z, f32(fp.MostExp))
		f.step(stepMax, z, z, f32(fp.LeastExp))
		f.step(stepCopy, t, 0, f32(fp.Magic))
		f.adds(t, z, f32(fp.Log2E))
		f.step(stepSub, u, t, f32(fp.Magic))
		f.adds(z, u, f32(fp.ExpHigh))
		f.adds(z, u, f32(fp.ExpLow))
		f.seriesWords(p, z, fp.ExpSeries[:])
	}
	f.scalePower(z, p, u, t, x)
}

// split sets z to its fraction and e to its exponent, and loses s: see fp.split32 and fp.pow.
func (f *function) split(z, e, s mir.Number) {
	f.step(stepISub, e, z, word(fp.SqrtHalf))
	f.exponentWords(e, s)
	f.step(stepISub, z, z, wordsOf(s))
}

func (f *function) logarithm(op ir.Op) {
	z, t, e, p, x := f.z, f.t, f.u, f.v, f.x
	f.load(z, rowA)
	f.compare(0, isBelow, z, f32(0x1p-126), anyLane)
	f.step(stepMul, x, z, f32(1<<room32))
	f.merge(0, stepCopy, z, 0, wordsOf(x))
	f.split(z, e, x)
	f.step(stepCopy, x, 0, f32(0))
	f.merge(0, stepCopy, x, 0, f32(room32))
	f.step(stepSub, e, e, wordsOf(x))
	f.step(stepAdd, z, z, f32(-1))
	if op == ir.OpFLog {
		f.seriesWords(p, z, fp.LogSeries[:])
		f.step(stepMul, t, e, f32(fp.Ln2High))
		f.step(stepAdd, x, t, wordsOf(z))
		f.step(stepSub, t, x, wordsOf(t))
		f.step(stepSub, t, z, wordsOf(t))
		f.adds(t, e, f32(fp.Ln2Low))
		f.step(stepMul, e, z, wordsOf(z))
		f.adds(t, e, wordsOf(p))
		f.step(stepAdd, z, x, wordsOf(t))
		return
	}
	f.seriesWords(p, z, fp.Log2Series[:])
	f.step(stepMul, x, z, f32(-fp.Log2E))
	f.step(stepCopy, t, 0, wordsOf(x))
	f.adds(t, z, f32(fp.Log2E))
	f.adds(t, p, wordsOf(z))
	f.step(stepSub, p, e, wordsOf(x))
	f.step(stepSub, e, e, wordsOf(p))
	f.step(stepSub, e, e, wordsOf(x))
	f.step(stepAdd, e, e, wordsOf(t))
	f.step(stepAdd, z, p, wordsOf(e))
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
	f.step(stepAdd, t, t, wordsOf(v))
	f.store(t, rowY)
	// s, and what is missing to it.
	f.step(stepSub, v, z, wordsOf(u))
	f.step(stepAdd, x, z, wordsOf(u))
	f.step(stepSub, u, x, wordsOf(u))
	f.step(stepSub, z, z, wordsOf(u))
	f.step(stepCopy, u, 0, f32(-1))
	f.step(stepDiv, u, u, wordsOf(x))
	f.step(stepMul, t, v, wordsOf(u))
	f.adds(v, t, wordsOf(x))
	f.adds(v, t, wordsOf(z))
	f.step(stepMul, v, v, wordsOf(u))
	f.step(stepAdd, x, t, wordsOf(v))
	f.step(stepSub, t, x, wordsOf(t))
	f.step(stepSub, v, v, wordsOf(t))
	// The logarithm: high and low.
	f.step(stepMul, z, x, wordsOf(x))
	f.seriesWords(u, z, fp.AtanhSeries[:])
	f.step(stepMul, u, u, wordsOf(z))
	f.step(stepMul, z, x, f32(fp.PowHigh))
	f.step(stepCopy, t, 0, wordsOf(z))
	f.adds(t, x, f32(-fp.PowHigh))
	f.adds(t, v, f32(-fp.PowHigh))
	f.adds(t, x, f32(-fp.PowLow))
	f.adds(t, u, wordsOf(z))
	f.load(v, rowY)
	f.step(stepSub, x, v, wordsOf(z))
	f.step(stepSub, v, v, wordsOf(x))
	f.step(stepSub, v, v, wordsOf(z))
	f.step(stepAdd, t, t, wordsOf(v))
	// Its product, turned, and the rest of that.
	f.load(u, rowB)
	f.step(stepXor, z, u, word(1<<31))
	f.step(stepMul, z, z, wordsOf(x))
	f.step(stepCopy, v, 0, wordsOf(z))
	f.adds(v, u, wordsOf(x))
	f.adds(v, u, wordsOf(t))
	f.step(stepMin, z, z, f32(-fp.LeastExp2))
	f.step(stepMax, z, z, f32(-fp.MostExp2))
	f.step(stepMin, v, v, f32(1))
	f.step(stepMax, v, v, f32(-1))
	f.step(stepSub, t, v, wordsOf(z))
	f.round(t, t, u)
	f.step(stepAdd, z, z, wordsOf(u))
	f.step(stepSub, z, v, wordsOf(z))
	f.seriesWords(v, z, fp.Exp2Series[:])
	f.scalePower(z, v, u, t, x)
}

func (f *function) sine(op ir.Op) {
	z, t, r, v, rest := f.z, f.t, f.u, f.v, f.x
	f.load(z, rowA)
	f.step(stepCopy, t, 0, f32(fp.Magic))
	f.adds(t, z, f32(fp.TwoOverPi))
	f.store(t, rowY)
	f.step(stepSub, r, t, f32(fp.Magic))
	f.adds(z, r, f32(fp.PiHigh))
	f.step(stepMul, v, r, f32(fp.PiMid))
	f.step(stepCopy, rest, 0, wordsOf(v))
	f.adds(rest, r, f32(-fp.PiMid))
	f.adds(rest, r, f32(-fp.PiLow))
	f.step(stepAdd, r, z, wordsOf(v))
	f.step(stepSub, t, r, wordsOf(z))
	f.step(stepSub, v, v, wordsOf(t))
	f.step(stepSub, t, r, wordsOf(t))
	f.step(stepSub, z, z, wordsOf(t))
	f.step(stepAdd, z, z, wordsOf(v))
	f.step(stepSub, rest, rest, wordsOf(z))
	// The sine.
	f.step(stepMul, z, r, wordsOf(r))
	f.seriesWords(v, z, fp.SinSeries[:])
	f.step(stepMul, v, v, wordsOf(z))
	f.step(stepCopy, t, 0, wordsOf(rest))
	f.adds(t, v, wordsOf(r))
	f.step(stepSub, v, r, wordsOf(t))
	f.store(v, rowX)
	// The cosine.
	f.step(stepCopy, t, 0, f32(1))
	f.adds(t, z, f32(-0.5))
	f.step(stepCopy, v, 0, f32(1))
	f.step(stepSub, v, v, wordsOf(t))
	f.adds(v, z, f32(-0.5))
	f.adds(v, r, wordsOf(rest))
	f.seriesWords(rest, z, fp.CosSeries[:])
	f.step(stepMul, z, z, wordsOf(z))
	f.adds(v, z, wordsOf(rest))
	f.step(stepAdd, t, t, wordsOf(v))
	// One of them, and its sign.
	f.load(v, rowY)
	if op == ir.OpFCos {
		f.step(stepIAdd, v, v, word(1))
	}
	f.load(z, rowX)
	f.step(stepAnd, r, v, word(1))
	f.compare(0, isEqualWord, r, word(1), anyLane)
	f.merge(0, stepCopy, z, 0, wordsOf(t))
	f.upWords(v, 30)
	f.step(stepAnd, v, v, word(1<<31))
	f.step(stepXor, z, z, wordsOf(v))
}
