package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// The functions are those of package fp, step by step: see single. What lanes with unusual operands
// need is served (see serve).

// lastExp has the bits of the largest number whose exp is finite.
const lastExp = 0x42B17217

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

// stepArg is the last operand of a step: a register, or a constant.
type stepArg struct {
	z      mir.Number
	word   uint32
	isWord bool
}

func reg(z mir.Number) stepArg { return stepArg{z: z} }
func word(x uint32) stepArg    { return stepArg{word: x, isWord: true} }

// temps are registers for steps: z has the operand, and gets the result.
type temps struct{ z, t, u, v, x mir.Number }

// Rows of the frame that steps use: the operands, of which the second is free where there is none,
// and two more.
const (
	rowA = iota
	rowB
	rowY
	rowX
)

// functionWriter writes the steps of a function for a processor.
type functionWriter interface {
	registers() temps
	load(d mir.Number, row int)
	store(z mir.Number, row int)
	// step is d = a o b, and merge does that in the lanes of a mask, where a may be lost.
	step(o stepOp, d, a mir.Number, b stepArg)
	merge(m int, o stepOp, d, a mir.Number, b stepArg)
	up(d mir.Number, bits int)
	// compare sets mask m, in some lanes; combine adds those of mask n to it, or takes them away.
	compare(m int, is comparison, a mir.Number, b stepArg, in int)
	combine(m, n int, without bool)
	// adds is d = d + p·c, rounded once; series is a polynomial of x, the highest coefficient first.
	adds(d, p mir.Number, c stepArg)
	series(p, x mir.Number, c []float32)
	// exponent sets s to the upper 9 bits of k, and k to the number that they are.
	exponent(k, s mir.Number)
	// scaled is d = p·2^k, for integers k, where the processor has an instruction for that.
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
func writesFunction(op ir.Op) bool { return single(op) != nil }

// writeFunction writes a function whose operands the writer has.
func writeFunction(w functionWriter, op ir.Op) {
	f := &function{functionWriter: w, temps: w.registers()}
	single(op)(f, op)
	f.unusual(op)
}

// unusual mends the result in the lanes whose operands the steps are not for.
func (f *function) unusual(op ir.Op) {
	const inf, minusInf, normal, one = 0x7F800000, 0xFF800000, 0x00800000, 0x3F800000
	d, t, u, y, x := f.z, f.t, f.u, f.v, f.x
	f.load(x, rowA)
	nan := func() { f.merge(0, stepCopy, d, 0, word(fp.CanonicalNaN)) }
	switch op {
	case ir.OpFExp2, ir.OpFExp, ir.OpFAtan, ir.OpFTanh:
		f.compare(0, isUnordered, x, reg(x), anyLane)
		nan()
	case ir.OpFAtan2:
		f.load(t, rowB)
		f.compare(0, isUnordered, x, reg(t), anyLane)
		nan()
	case ir.OpFAsin, ir.OpFAcos:
		f.step(stepAnd, t, x, word(abs32))
		f.compare(0, notAtMost, t, word(one), anyLane)
		nan()
	case ir.OpFSinh, ir.OpFCosh: // infinite where exp is
		f.step(stepAnd, t, x, word(abs32))
		f.compare(0, isAbove, t, word(lastExp), anyLane)
		f.step(stepCopy, t, 0, word(inf))
		if op == ir.OpFSinh {
			f.step(stepAnd, u, x, word(sign32))
			f.step(stepOr, t, t, reg(u))
		}
		f.merge(0, stepCopy, d, 0, reg(t))
		f.compare(0, isUnordered, x, reg(x), anyLane)
		nan()
	case ir.OpFAsinh:
		f.compare(0, isUnordered, x, reg(x), anyLane)
		nan()
		f.step(stepAnd, t, x, word(abs32))
		f.compare(0, isEqualWord, t, word(inf), anyLane)
		f.merge(0, stepCopy, d, 0, reg(x))
	case ir.OpFAcosh:
		f.compare(0, notAtLeast, x, word(one), anyLane)
		nan()
		f.compare(0, isEqual, x, word(inf), anyLane)
		f.merge(0, stepCopy, d, 0, word(inf))
	case ir.OpFAtanh:
		f.step(stepAnd, t, x, word(abs32))
		f.compare(0, notAtMost, t, word(one), anyLane)
		nan()
		f.compare(0, isEqual, t, word(one), anyLane)
		f.step(stepAnd, u, x, word(sign32))
		f.step(stepOr, u, u, word(inf))
		f.merge(0, stepCopy, d, 0, reg(u))
	case ir.OpFLdexp: // a power, the number and the result are to be normal, but zeros are common
		f.load(y, rowB)
		f.step(stepIAdd, t, y, word(mostScale))
		f.compare(0, isAboveWord, t, word(2*mostScale), existing)
		f.step(stepAnd, t, x, word(abs32))
		f.compare(1, isEqualWord, t, word(0), anyLane)
		f.step(stepXor, u, x, reg(d))
		f.step(stepAnd, u, u, word(sign32))
		f.step(stepAnd, y, d, word(abs32))
		f.step(stepOr, y, y, reg(u)) // a sum with another sign is none
		f.merge(1, stepCopy, d, 0, reg(x))
		for _, n := range [2]mir.Number{t, y} {
			f.step(stepISub, n, n, word(normal))
			f.compare(1, isAtLeastWord, n, word(inf-normal), existing)
			f.combine(0, 1, false)
		}
		f.step(stepAnd, t, x, word(abs32))
		f.compare(1, isEqualWord, t, word(0), anyLane)
		f.combine(0, 1, true)
		f.leaves(op)
	case ir.OpFLog2, ir.OpFLog:
		f.compare(0, notAtLeast, x, word(0), anyLane)
		nan()
		f.compare(0, isEqual, x, word(0), anyLane)
		f.merge(0, stepCopy, d, 0, word(minusInf))
		f.compare(0, isEqual, x, word(inf), anyLane)
		f.merge(0, stepCopy, d, 0, word(inf))
	case ir.OpFSin, ir.OpFCos, ir.OpFTan:
		f.step(stepAnd, t, x, word(abs32))
		if op != ir.OpFCos { // zeros keep their sign
			f.compare(0, isEqualWord, t, word(0), anyLane)
			f.merge(0, stepCopy, d, 0, reg(x))
		}
		f.compare(0, notBelow, t, f32(fp.MostSingle), existing)
		f.leaves(op)
	case ir.OpFPow:
		// x positive and normal, y finite, as integers.
		f.step(stepISub, t, x, word(normal))
		f.compare(0, isAtLeastWord, t, word(inf-normal), existing)
		f.load(y, rowB)
		f.step(stepAnd, t, y, word(abs32))
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
