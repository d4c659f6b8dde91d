package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// function writes a function of a, or of a and b.
func (e *armEmitter) function(op ir.Op, d arm64.V, a, b operand) {
	e.Vec(arm64.STRQ, e.in(a, n0), xFrame, armServeA)
	if info, _ := ir.InfoOf(op); len(info.Args) == 2 {
		e.Vec(arm64.STRQ, e.in(b, n0), xFrame, armServeB)
	}
	writeFunction(&functionARM64{e: e}, op)
	e.move(d, n5)
}

// functionARM64 writes a function: its operands are in the frame, its result is n5, its masks
// are nMask and n6, and n4 is for constants.
type functionARM64 struct{ e *armEmitter }

var (
	functionMasksARM64 = [3]arm64.V{nMask, n6, vAll}
	functionRowsARM64  = [...]int{rowA: armServeA, rowB: armServeB, rowY: armTemps, rowX: armTemps + armLaneBytes}
	stepOpsARM64       = [stepOps]arm64.Op{
		stepAdd: arm64.FADD4S, stepSub: arm64.FSUB4S, stepMul: arm64.FMUL4S, stepDiv: arm64.FDIV4S,
		stepMin: arm64.FMINNM4S,
		stepMax: arm64.FMAXNM4S, stepAnd: arm64.AND, stepOr: arm64.ORR, stepXor: arm64.EOR,
		stepIAdd: arm64.ADD4S, stepISub: arm64.SUB4S,
	}
	// comparisonsARM64 are of numbers of 32 bits, or of words as integers, and of 64: their operands
	// are exchanged, or the result is the contrary, where the instruction wants that.
	comparisonsARM64 = [comparisonCount]struct {
		by              arm64.Op
		turned, negated bool
	}{
		isEqual:     {by: arm64.FCMEQ4S},
		isAbove:     {by: arm64.FCMGT4S},
		isBelow:     {by: arm64.FCMGT4S, turned: true},
		notAtMost:   {by: arm64.FCMGE4S, turned: true, negated: true},
		notAtLeast:  {by: arm64.FCMGE4S, negated: true},
		notBelow:    {by: arm64.FCMGT4S, turned: true, negated: true},
		isUnordered: {by: arm64.FCMEQ4S, negated: true},
		isEqualWord: {by: arm64.CMEQ4S}, isAboveWord: {by: arm64.CMHI4S},
		isAtLeastWord: {by: arm64.CMHS4S},
	}
)

func (f *functionARM64) registers() temps { return temps{z: n5, t: n1, u: n2, v: n3, x: n0} }

func (f *functionARM64) load(d mir.Number, row int) {
	f.e.Vec(arm64.LDRQ, d, xFrame, functionRowsARM64[row])
}

func (f *functionARM64) store(z mir.Number, row int) {
	f.e.Vec(arm64.STRQ, z, xFrame, functionRowsARM64[row])
}

// arg is an operand in a register.
func (f *functionARM64) arg(b stepArg) arm64.V {
	if !b.isWord {
		return b.z
	}
	f.e.constant(n4, b.word)
	return n4
}

func (f *functionARM64) step(o stepOp, d, a mir.Number, b stepArg) {
	switch {
	case o == stepCopy && b.isWord:
		f.e.constant(d, b.word)
	case o == stepCopy:
		f.e.MOV(d, b.z)
	case o == stepRoot:
		f.e.V2(arm64.FSQRT4S, d, b.z)
	default:
		f.e.V3(stepOpsARM64[o], d, a, f.arg(b))
	}
}

func (f *functionARM64) merge(m int, o stepOp, d, a mir.Number, b stepArg) {
	if o != stepCopy {
		f.step(o, a, a, b)
		b = reg(a)
	}
	f.e.V3(arm64.BIT, d, f.arg(b), functionMasksARM64[m])
}

func (f *functionARM64) up(d mir.Number, bits int) { f.e.Shift(arm64.SHL4S, d, d, bits) }

func (f *functionARM64) compare(m int, is comparison, a mir.Number, b stepArg, in int) {
	c, to, x := &comparisonsARM64[is], functionMasksARM64[m], f.arg(b)
	at, by := to, c.by
	if in != anyLane {
		at = n4
	}
	switch {
	case is == isUnordered && a != x: // both are to be numbers
		f.e.V3(by, n4, a, a)
		f.e.V3(by, to, x, x)
		f.e.V3(arm64.AND, to, to, n4)
	case c.turned:
		f.e.V3(by, at, x, a)
	default:
		f.e.V3(by, at, a, x)
	}
	switch {
	case in != anyLane && c.negated:
		f.e.V3(arm64.BIC, to, functionMasksARM64[in], at)
	case in != anyLane:
		f.e.V3(arm64.AND, to, functionMasksARM64[in], at)
	case c.negated:
		f.e.V2(arm64.NOT, to, at)
	}
}

func (f *functionARM64) combine(m, n int, without bool) {
	by := arm64.ORR
	if without {
		by = arm64.BIC
	}
	f.e.V3(by, functionMasksARM64[m], functionMasksARM64[m], functionMasksARM64[n])
}

func (f *functionARM64) adds(d, p mir.Number, c stepArg) { f.e.V3(arm64.FMLA4S, d, p, f.arg(c)) }

// series has an instruction that adds to the coefficient.
func (f *functionARM64) series(p, x mir.Number, c []float32) {
	sum, next := n4, p
	if len(c)%2 == 1 {
		sum, next = next, sum
	}
	f.step(stepCopy, sum, 0, f32(c[0]))
	for _, k := range c[1:] {
		f.step(stepCopy, next, 0, f32(k))
		f.e.V3(arm64.FMLA4S, next, sum, x)
		sum, next = next, sum
	}
}

func (f *functionARM64) exponent(k, s mir.Number) {
	f.e.Shift(arm64.SSHR4S, k, k, fraction32)
	f.e.Shift(arm64.SHL4S, s, k, fraction32)
	f.e.V2(arm64.SCVTF4S, k, k)
}

func (f *functionARM64) scaled(mir.Number, mir.Number, mir.Number) bool { return false }

func (f *functionARM64) leaves(op ir.Op) {
	e := f.e
	out, on := e.NewLabel(), e.NewLabel()
	e.bits(nMask)
	e.CBNZ(x10, out)
	e.Here(on)
	e.outOfLine(func() {
		e.Here(out)
		e.laneSet(frameServeMask, nMask)
		e.Vec(arm64.STRQ, n5, xFrame, armServeD)
		e.Imm(x9, uint64(op))
		e.Gen(arm64.STRX, x9, xFrame, frameServeOp)
		back := e.NewLabel()
		e.leave(exitServe, back)
		e.Here(back)
		e.Vec(arm64.LDRQ, n5, xFrame, armServeD)
		e.JMP(on)
	})
}
