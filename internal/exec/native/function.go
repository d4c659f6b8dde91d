package native

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// The functions are those of package fp, step by step: in binary32 (see single), or in binary64,
// half the lanes of a strip at a time. What lanes with unusual operands need is served (see serve).

// Constants of 64 bits.
const (
	doubleLog2E = iota
	double2Log2E
	doubleLn2
	double2
	double200
	doubleMinus200
	doubleMagic
	double1023 // an integer
	double1I   // an integer
	doubleSign
	doubleAbs
	doubleSqrtHalf
	double1
	doubleMinus1
	double2OverPi
	doublePio2a
	doublePio2b
	doublePio2c
	doubleTan8
	doublePi4
	doublePi2
	doublePi
	doubleMaxFloat
	doubleHalf
	double300
	doubleMinus300
	double0
	doubleExp   // fp.Exp2Wide
	doubleAtanh = doubleExp + len(fp.Exp2Wide)
	doubleSin   = doubleAtanh + len(fp.AtanhWide)
	doubleCos   = doubleSin + len(fp.SinWide)
	doubleAtan  = doubleCos + len(fp.CosWide)
	doubleSinh  = doubleAtan + len(fp.AtanWide)
	doubleCount = doubleSinh + len(fp.SinhWide)
)

// Bounds of what the steps of functions are for, as binary32.
const (
	lastExp  = 0x42B17217 // the largest number whose exp is finite
	tinyArea = 0x39800000 // 2^-12: below it asinh and atanh are two terms
)

var doubleWords = doubles()

func doubles() (d [doubleCount]uint64) {
	set := func(at int, list ...float64) {
		for i, x := range list {
			d[at+i] = math.Float64bits(x)
		}
	}
	set(doubleLog2E, math.Log2E, 2*math.Log2E, math.Ln2, 2, 200, -200, 3<<51)
	d[double1023], d[double1I], d[doubleSign], d[doubleAbs], d[doubleSqrtHalf] = 1023, 1, 1<<63, 1<<63-1, 0x3FE6A09E667F3BCD
	set(double1, 1, -1, 2/math.Pi, 0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69, 0.41421356, math.Pi/4, math.Pi/2, math.Pi, math.MaxFloat32, 0.5, 300, -300, 0)
	set(doubleExp, fp.Exp2Wide[:]...)
	set(doubleAtanh, fp.AtanhWide[:]...)
	set(doubleSin, fp.SinWide[:]...)
	set(doubleCos, fp.CosWide[:]...)
	set(doubleAtan, fp.AtanWide[:]...)
	set(doubleSinh, fp.SinhWide[:]...)
	return d
}

// areaRange is the smallest and the largest size that the steps of asinh, acosh and atanh are for,
// as integers.
func areaRange(op ir.Op) (least, most uint32) {
	least, most = tinyArea, 0x7F7FFFFF
	switch op {
	case ir.OpFAcosh:
		least = 0x3F800000
	case ir.OpFAtanh:
		most = 0x3F7FFFFF
	}
	return least, most
}

// stepOp is an operation of a step.
type stepOp uint8

const (
	stepCopy stepOp = iota // of the last operand alone, as roots
	stepRoot
	stepAdd
	stepSub
	stepMul
	stepDiv
	stepMin // the last operand where one is a NaN
	stepMax
	stepAnd
	stepOr
	stepXor
	stepIAdd
	stepISub
	stepOps
)

// comparison is what masks are of: pairs of numbers, or of words as integers.
type comparison uint8

const (
	isEqual comparison = iota
	isAbove
	isBelow
	notAtMost
	notAtLeast
	notBelow
	isUnordered
	hasBit // of integers
	isEqualWord
	isAboveWord
	isAtLeastWord
	comparisonCount
)

// Masks are 0 and 1, and where comparisons are made in the lanes of one, those that exist, too, or
// all.
const (
	anyLane  = -1
	existing = 2
)

// stepArg is the last operand of a step: a register, a constant of doubleWords, or one of 32 bits.
// Others are for binary64, in half of the lanes, the last for words.
type stepArg struct {
	z             mir.Number
	double        int // plus 1
	word          uint32
	words, isWord bool
}

func reg(z mir.Number) stepArg     { return stepArg{z: z} }
func double(i int) stepArg         { return stepArg{double: i + 1} }
func word(x uint32) stepArg        { return stepArg{word: x, words: true, isWord: true} }
func wordsOf(z mir.Number) stepArg { return stepArg{z: z, words: true} }

// temps are registers for steps: z has the operand, and gets the result.
type temps struct{ z, t, u, v, x mir.Number }

// Rows of the frame that steps use: the operands, and two more.
const (
	rowA = iota
	rowB
	rowY
	rowX
)

// functionWriter writes the steps of a function for a processor.
type functionWriter interface {
	// registers are those for steps of half of the lanes, or of all of them (2); widen sets one to
	// half of an operand in binary64, and end takes half of the result.
	registers(half int) temps
	widen(d mir.Number, operand, half int)
	end(half int, z mir.Number)
	load(d mir.Number, row int)
	store(z mir.Number, row int)
	// step is d = a o b, and merge does that in the lanes of a mask, where a may be lost.
	step(o stepOp, d, a mir.Number, b stepArg)
	merge(m int, o stepOp, d, a mir.Number, b stepArg)
	up(d mir.Number, bits int)
	upWords(d mir.Number, bits int)
	// compare sets mask m, in some lanes; combine adds those of mask n to it, or takes them away.
	compare(m int, is comparison, a mir.Number, b stepArg, in int)
	combine(m, n int, without bool)
	// fused is d = d·p + c, rounded once, where c may be lost; series is a polynomial of x, the
	// highest coefficient first.
	fused(d, p, c mir.Number)
	series(p, x mir.Number, first, n int)
	// adds is d = d + p·c of binary32, rounded once; seriesWords is series of binary32.
	adds(d, p mir.Number, c stepArg)
	seriesWords(p, x mir.Number, c []float32)
	// exponent sets s to the upper 12 bits of k, and k to the number that they are; exponentWords
	// takes the upper 9 bits of words.
	exponent(k, s mir.Number)
	exponentWords(k, s mir.Number)
	// scaled is d = p·2^k of binary32, for integers k, where the processor has an instruction for
	// that.
	scaled(d, p, k mir.Number) bool
	// leaves leaves the lanes of mask 0, if there are any, to Go.
	leaves(op ir.Op)
}

// function is a function that is being written.
type function struct {
	functionWriter
	temps
}

// writesFunction says that there are steps for the operation.
func writesFunction(op ir.Op) bool {
	switch op {
	case ir.OpFExp2, ir.OpFExp, ir.OpFLog2, ir.OpFLog, ir.OpFPow, ir.OpFSin, ir.OpFCos, ir.OpFTan,
		ir.OpFAtan, ir.OpFAsin, ir.OpFAcos, ir.OpFAtan2, ir.OpFSinh, ir.OpFCosh, ir.OpFTanh,
		ir.OpFAsinh, ir.OpFAcosh, ir.OpFAtanh, ir.OpFLdexp:
		return true
	}
	return false
}

// writeFunction writes a function whose operands the writer has.
func writeFunction(w functionWriter, op ir.Op) {
	f := &function{functionWriter: w}
	if steps := single(op); steps != nil {
		f.temps = w.registers(2)
		steps(f, op)
		f.unusual(op)
		return
	}
	for n := range 2 {
		f.temps = w.registers(n)
		w.widen(f.z, 0, n)
		f.steps(op, n)
		w.end(n, f.z)
	}
	f.unusual(op)
}

// steps writes half of the lanes.
func (f *function) steps(op ir.Op, n int) {
	switch op {
	case ir.OpFTan:
		f.tangent()
	case ir.OpFSinh, ir.OpFCosh, ir.OpFTanh:
		f.hyperbolic(op)
	case ir.OpFAsinh, ir.OpFAcosh, ir.OpFAtanh:
		f.area(op)
	case ir.OpFLdexp:
		f.widen(f.t, 1, n)
		f.step(stepMin, f.t, f.t, double(double300))
		f.step(stepMax, f.t, f.t, double(doubleMinus300))
		f.step(stepAdd, f.t, f.t, double(doubleMagic))
		f.scale(f.z)
	default:
		f.arc(op, n)
	}
}

// exp2 sets z to 2^z.
func (f *function) exp2() {
	x, t, p := f.z, f.t, f.u
	f.step(stepMin, x, x, double(double200))
	f.step(stepMax, x, x, double(doubleMinus200))
	f.step(stepAdd, t, x, double(doubleMagic))
	f.step(stepSub, p, t, double(doubleMagic))
	f.step(stepSub, x, x, reg(p))
	f.series(p, x, doubleExp, len(fp.Exp2Wide))
	f.scale(p)
}

// scale sets z to p times two to a power, which t has in its low bits: see fp.exp2.
func (f *function) scale(p mir.Number) {
	f.step(stepIAdd, f.t, f.t, double(double1023))
	f.up(f.t, 52)
	f.step(stepMul, f.z, p, reg(f.t))
}

// hyperbolic sets z to its hyperbolic sine, cosine or tangent.
func (f *function) hyperbolic(op ir.Op) {
	z, t, p, x := f.z, f.t, f.u, f.v
	f.step(stepCopy, x, 0, reg(z))
	if op == ir.OpFTanh {
		f.step(stepMul, z, z, double(double2Log2E))
		f.exp2()
		f.step(stepAdd, z, z, double(double1))
		f.step(stepCopy, t, 0, double(double2))
		f.step(stepDiv, t, t, reg(z))
		f.step(stepCopy, z, 0, double(double1))
		f.step(stepSub, z, z, reg(t))
	} else {
		f.step(stepMul, z, z, double(doubleLog2E))
		f.exp2()
		f.step(stepCopy, t, 0, double(doubleHalf))
		f.step(stepDiv, t, t, reg(z))
		f.step(stepMul, z, z, double(doubleHalf))
		if op == ir.OpFCosh {
			f.step(stepAdd, z, z, reg(t))
			return
		}
		f.step(stepSub, z, z, reg(t))
	}
	// Near zero, where that loses bits: the series of the sine.
	f.step(stepMul, t, x, reg(x))
	f.step(stepCopy, p, 0, double(doubleSinh))
	for i := 1; i < len(fp.SinhWide); i++ {
		f.step(stepMul, p, p, reg(t))
		f.step(stepAdd, p, p, double(doubleSinh+i))
	}
	f.step(stepMul, p, p, reg(t))
	f.step(stepMul, p, p, reg(x))
	f.step(stepAdd, p, p, reg(x))
	near := double1
	if op == ir.OpFTanh {
		near = doubleHalf
		f.step(stepMul, t, p, reg(p))
		f.step(stepAdd, t, t, double(double1))
		f.step(stepRoot, t, 0, reg(t))
		f.step(stepDiv, p, p, reg(t))
	}
	f.step(stepAnd, x, x, double(doubleAbs))
	f.compare(0, isBelow, x, double(near), anyLane)
	f.merge(0, stepCopy, z, 0, reg(p))
}

// area sets z to the inverse hyperbolic function of its size.
func (f *function) area(op ir.Op) {
	z, t, u := f.z, f.t, f.u
	f.step(stepAnd, z, z, double(doubleAbs))
	switch op {
	case ir.OpFAsinh:
		f.step(stepMul, t, z, reg(z))
		f.step(stepAdd, t, t, double(double1))
	case ir.OpFAcosh:
		f.step(stepAdd, t, z, double(doubleMinus1))
		f.step(stepAdd, u, z, double(double1))
		f.step(stepMul, t, t, reg(u))
	default:
		f.step(stepAdd, t, z, double(double1))
		f.step(stepCopy, u, 0, double(double1))
		f.step(stepSub, u, u, reg(z))
		f.step(stepDiv, z, t, reg(u))
		f.log()
		f.step(stepMul, z, z, double(doubleHalf))
		return
	}
	f.step(stepRoot, t, 0, reg(t))
	f.step(stepAdd, z, z, reg(t))
	f.log()
}

// log sets z to its natural logarithm.
func (f *function) log() {
	m, k, s, p := f.z, f.t, f.u, f.v
	f.step(stepISub, k, m, double(doubleSqrtHalf))
	f.exponent(k, s)
	f.step(stepISub, m, m, reg(s))
	f.step(stepAdd, s, m, double(doubleMinus1))
	f.step(stepAdd, m, m, double(double1))
	f.step(stepDiv, s, s, reg(m))
	f.step(stepMul, m, s, reg(s))
	f.series(p, m, doubleAtanh, len(fp.AtanhWide))
	f.step(stepMul, k, k, double(doubleLn2))
	f.step(stepMul, s, s, double(double2))
	f.fused(s, p, k)
	f.step(stepCopy, m, 0, reg(s))
}

// tangent sets z to its tangent; below 2^20.
func (f *function) tangent() {
	x, t, z, p := f.z, f.t, f.u, f.v
	f.step(stepMul, t, x, double(double2OverPi))
	f.step(stepAdd, t, t, double(doubleMagic))
	f.step(stepSub, z, t, double(doubleMagic))
	for _, c := range [3]int{doublePio2a, doublePio2b, doublePio2c} {
		f.step(stepMul, p, z, double(c))
		f.step(stepSub, x, x, reg(p))
	}
	f.step(stepMul, z, x, reg(x))
	f.series(p, z, doubleSin, len(fp.SinWide))
	f.step(stepMul, p, p, reg(z))
	f.fused(x, p, x)                           // the sine
	f.series(p, z, doubleCos, len(fp.CosWide)) // the cosine
	f.compare(0, hasBit, t, double(double1I), anyLane)
	f.step(stepXor, z, p, double(doubleSign))
	f.step(stepCopy, t, 0, reg(x))
	f.merge(0, stepCopy, t, 0, reg(z))
	f.merge(0, stepCopy, p, 0, reg(x))
	f.step(stepDiv, x, t, reg(p))
}

// arc sets z to the angle of a point that the operation says: fp.atan2.
func (f *function) arc(op ir.Op, n int) {
	y, x, t, p := f.z, f.t, f.u, f.v
	root := func(to mir.Number) { // √((1 - y)(1 + y))
		f.step(stepCopy, t, 0, double(double1))
		f.step(stepSub, t, t, reg(y))
		f.step(stepAdd, p, y, double(double1))
		f.step(stepMul, t, t, reg(p))
		f.step(stepRoot, to, 0, reg(t))
	}
	switch op {
	case ir.OpFAtan:
		f.step(stepCopy, x, 0, double(double1))
	case ir.OpFAsin:
		root(x)
	case ir.OpFAcos:
		root(p)
		f.step(stepCopy, x, 0, reg(y))
		f.step(stepCopy, y, 0, reg(p))
	default:
		f.widen(x, 1, n)
	}
	f.store(y, rowY)
	f.store(x, rowX)
	f.step(stepAnd, y, y, double(doubleAbs))
	f.step(stepAnd, x, x, double(doubleAbs))
	f.compare(0, isAbove, y, reg(x), anyLane)
	f.step(stepMin, p, y, reg(x))
	f.step(stepMax, x, y, reg(x))
	f.step(stepDiv, t, p, reg(x))
	f.step(stepCopy, y, 0, double(double0))
	f.compare(1, isEqual, x, reg(y), anyLane)
	f.merge(1, stepCopy, t, 0, reg(y))
	f.compare(1, isAbove, p, double(doubleMaxFloat), anyLane)
	f.merge(1, stepCopy, t, 0, double(double1))
	f.compare(1, isAbove, t, double(doubleTan8), anyLane)
	f.step(stepAdd, x, t, double(doubleMinus1))
	f.step(stepAdd, p, t, double(double1))
	f.merge(1, stepDiv, t, x, reg(p))
	f.step(stepMul, x, t, reg(t))
	f.series(p, x, doubleAtan, len(fp.AtanWide))
	f.step(stepMul, p, p, reg(x))
	f.fused(t, p, t)
	f.step(stepCopy, x, 0, double(double0))
	f.merge(1, stepCopy, x, 0, double(doublePi4))
	f.step(stepAdd, t, x, reg(t))
	f.step(stepCopy, x, 0, double(doublePi2))
	f.merge(0, stepSub, t, x, reg(t))
	f.load(y, rowX)
	f.compare(0, hasBit, y, double(doubleSign), anyLane)
	f.step(stepCopy, x, 0, double(doublePi))
	f.merge(0, stepSub, t, x, reg(t))
	f.step(stepAnd, t, t, double(doubleAbs))
	f.load(y, rowY)
	f.step(stepAnd, y, y, double(doubleSign))
	f.step(stepXor, y, t, reg(y))
}

// unusual mends the result in the lanes whose operands the steps are not for.
func (f *function) unusual(op ir.Op) {
	const inf, minusInf, normal, one = 0x7F800000, 0xFF800000, 0x00800000, 0x3F800000
	const sign, abs = 1 << 31, 1<<31 - 1
	f.temps = f.registers(2)
	d, t, u, y, x := f.z, f.t, f.u, f.v, f.x
	f.load(x, rowA)
	nan := func() { f.merge(0, stepCopy, d, 0, word(fp.CanonicalNaN)) }
	switch op {
	case ir.OpFExp2, ir.OpFExp, ir.OpFAtan, ir.OpFTanh, ir.OpFLdexp:
		f.compare(0, isUnordered, x, wordsOf(x), anyLane)
		nan()
	case ir.OpFAtan2:
		f.load(t, rowB)
		f.compare(0, isUnordered, x, wordsOf(t), anyLane)
		nan()
	case ir.OpFAsin, ir.OpFAcos:
		f.step(stepAnd, t, x, word(abs))
		f.compare(0, notAtMost, t, word(one), anyLane)
		nan()
	case ir.OpFSinh, ir.OpFCosh: // infinite where exp is
		f.step(stepAnd, t, x, word(abs))
		f.compare(0, isAbove, t, word(lastExp), anyLane)
		f.step(stepCopy, t, 0, word(inf))
		if op == ir.OpFSinh {
			f.step(stepAnd, u, x, word(sign))
			f.step(stepOr, t, t, reg(u))
		}
		f.merge(0, stepCopy, d, 0, wordsOf(t))
		f.compare(0, isUnordered, x, wordsOf(x), anyLane)
		nan()
	case ir.OpFAsinh, ir.OpFAcosh, ir.OpFAtanh:
		least, most := areaRange(op)
		if op == ir.OpFAcosh {
			t = x
		} else {
			f.step(stepAnd, t, x, word(abs))
			f.step(stepAnd, u, x, word(sign))
			f.step(stepOr, d, d, reg(u))
		}
		f.step(stepISub, t, t, word(least))
		f.compare(0, isAboveWord, t, word(most-least), existing)
		f.leaves(op)
	case ir.OpFLog2, ir.OpFLog:
		f.compare(0, notAtLeast, x, word(0), anyLane)
		nan()
		f.compare(0, isEqual, x, word(0), anyLane)
		f.merge(0, stepCopy, d, 0, word(minusInf))
		f.compare(0, isEqual, x, word(inf), anyLane)
		f.merge(0, stepCopy, d, 0, word(inf))
	case ir.OpFSin, ir.OpFCos, ir.OpFTan:
		f.step(stepAnd, t, x, word(abs))
		if op != ir.OpFCos { // zeros keep their sign
			f.compare(0, isEqualWord, t, word(0), anyLane)
			f.merge(0, stepCopy, d, 0, wordsOf(x))
		}
		most := f32(fp.MostSingle)
		if op == ir.OpFTan {
			most = f32(1 << 20)
		}
		f.compare(0, notBelow, t, most, existing)
		f.leaves(op)
	case ir.OpFPow:
		// x positive and normal, y finite, as integers.
		f.step(stepISub, t, x, word(normal))
		f.compare(0, isAtLeastWord, t, word(inf-normal), existing)
		f.load(y, rowB)
		f.step(stepAnd, t, y, word(abs))
		f.compare(1, isAtLeastWord, t, word(inf), existing)
		f.combine(0, 1, false)
		// 0 to a positive power is common.
		f.compare(1, isEqualWord, x, word(0), 0)
		f.compare(1, isAbove, y, word(0), 1)
		f.compare(1, isBelow, y, word(inf), 1)
		f.merge(1, stepCopy, d, 0, word(0))
		f.combine(0, 1, true)
		f.leaves(op)
	}
}
