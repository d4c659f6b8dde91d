package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// translatesFunction says whether function writes the operation.
func translatesFunction(op ir.Op) bool {
	return op >= ir.OpFRem && op <= ir.OpFrexpExp
}

// function writes a function of a, or of a and b.
func (e laneAMD64) function(op ir.Op, d amd64.Z, a, b amd64.Arg) {
	info, _ := ir.InfoOf(op)
	f := functionAMD64{e.emitter, [...]amd64.Z{scratch5, step0, step1, step2}, len(info.Args)}
	for row, x := range []amd64.Arg{a, b}[:f.operands] {
		f.rows[row] = e.in(x, f.rows[row])
	}
	if e.vectors.narrow {
		f.serve()
	}
	writeFunction(f, op)
	e.Mov1(amd64.VMOVDQU, d, amd64.R(scratch2))
}

// functionAMD64 writes a function: its result is scratch2, and its masks are maskStep2 and
// maskStep3. Its rows are registers; of narrow vectors, which have too few, they are in the frame.
type functionAMD64 struct {
	e        *emitter
	rows     [rowX + 1]amd64.Z
	operands int
}

var (
	functionRows = [...]int{frameServeA, frameServeB, frameTemps, frameTemps + laneBytes}
	stepOpsAMD64 = [stepOps]amd64.Op{
		stepCopy: amd64.VMOVDQU, stepAdd: amd64.VADDPS, stepSub: amd64.VSUBPS, stepMul: amd64.VMULPS,
		stepDiv: amd64.VDIVPS,
		stepMin: amd64.VMINPS, stepMax: amd64.VMAXPS, stepAnd: amd64.VPANDD, stepOr: amd64.VPORD,
		stepXor:  amd64.VPXORD,
		stepIAdd: amd64.VPADDD, stepISub: amd64.VPSUBD, stepRoot: amd64.VSQRTPS,
	}
	// comparisonsAMD64 are the predicates of comparisons, and of words as integers the instructions.
	comparisonsAMD64 = [comparisonCount]struct {
		predicate int
		words     amd64.Op
	}{
		isEqual: {predicate: 0}, isAbove: {predicate: 30}, isBelow: {predicate: 17},
		notAtMost:  {predicate: 22},
		notAtLeast: {predicate: 25}, notBelow: {predicate: 21}, isUnordered: {predicate: 3},
		isEqualWord: {0, amd64.VPCMPD}, isAboveWord: {6, amd64.VPCMPUD},
		isAtLeastWord: {5, amd64.VPCMPUD},
	}
)

func (f functionAMD64) registers() temps {
	return temps{z: scratch2, t: scratch1, u: scratch3, v: scratch4, x: scratch0}
}

func (f functionAMD64) load(d mir.Number, row int) {
	if f.e.vectors.narrow {
		f.e.Mov1(amd64.VMOVDQU, d, amd64.M(regFrame, functionRows[row]))
	} else {
		f.e.move(d, f.rows[row])
	}
}

func (f functionAMD64) store(z mir.Number, row int) {
	if f.e.vectors.narrow {
		f.e.Mov1(amd64.VMOVDQUTo, z, amd64.M(regFrame, functionRows[row]))
	} else {
		f.e.move(f.rows[row], z)
	}
}

// serve brings the operands to where Go looks for them.
func (f functionAMD64) serve() {
	for row := range f.operands {
		f.e.Mov1(amd64.VMOVDQUTo, f.rows[row], amd64.M(regFrame, functionRows[row]))
	}
}

// operation is an operation with its last operand.
func (f functionAMD64) operation(o stepOp, b stepArg) (amd64.Op, amd64.Arg) {
	switch {
	case !b.isWord:
		return stepOpsAMD64[o], amd64.R(b.z)
	case o == stepCopy:
		return amd64.VPBROADCASTD, f.e.words(b.word).One()
	}
	return stepOpsAMD64[o], f.e.words(b.word)
}

func (f functionAMD64) step(o stepOp, d, a mir.Number, b stepArg) {
	by, x := f.operation(o, b)
	f.e.V(by, d, a, x)
}

func (f functionAMD64) mask(m int) amd64.K {
	return [3]amd64.K{maskStep2, maskStep3, f.e.all()}[m]
}

func (f functionAMD64) merge(m int, o stepOp, d, a mir.Number, b stepArg) {
	by, x := f.operation(o, b)
	f.e.VK(by, d, a, x, f.mask(m))
}

func (f functionAMD64) up(d mir.Number, bits int) {
	f.e.VI(amd64.VPSLLD, d, 0, amd64.R(d), bits)
}

func (f functionAMD64) compare(m int, is comparison, a mir.Number, b stepArg, in int) {
	c, k := comparisonsAMD64[is], amd64.K(0)
	if in != anyLane {
		k = f.mask(in)
	}
	if c.words == (amd64.Op{}) {
		c.words = amd64.VCMPPS
	}
	_, x := f.operation(stepAdd, b)
	f.e.ToMask(c.words, f.mask(m), a, x, c.predicate, k)
}

func (f functionAMD64) combine(m, n int, without bool) {
	if without {
		f.e.K(amd64.KANDN, f.mask(m), f.mask(n), f.mask(m))
		return
	}
	f.e.K(amd64.KOR, f.mask(m), f.mask(m), f.mask(n))
}

func (f functionAMD64) adds(d, p mir.Number, c stepArg) {
	_, x := f.operation(stepAdd, c)
	f.e.V(amd64.VFMADD231PS, d, p, x)
}

func (f functionAMD64) series(p, x mir.Number, c []float32) {
	f.step(stepCopy, p, 0, f32(c[0]))
	for _, k := range c[1:] {
		_, by := f.operation(stepAdd, f32(k))
		f.e.V(amd64.VFMADD213PS, p, x, by)
	}
}

func (f functionAMD64) exponent(k, s mir.Number) {
	f.e.VI(amd64.VPSRAD, k, 0, amd64.R(k), fraction32)
	f.e.VI(amd64.VPSLLD, s, 0, amd64.R(k), fraction32)
	f.e.V(amd64.VCVTDQ2PS, k, 0, amd64.R(k))
}

func (f functionAMD64) scaled(d, p, k mir.Number) bool {
	if f.e.vectors.narrow {
		return false
	}
	f.e.V(amd64.VSCALEFPS, d, p, amd64.R(k))
	return true
}

func (f functionAMD64) leaves(op ir.Op) {
	e := f.e
	e.K(amd64.KTEST, maskStep2, 0, maskStep2)
	e.rarely(amd64.IfNotZero, func() {
		back := e.NewLabel()
		if !e.vectors.narrow {
			f.serve()
		}
		e.KTO(amd64.RAX, maskStep2)
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameServeMask))
		e.Mov1(amd64.VMOVDQUTo, scratch2, amd64.M(regFrame, frameServeD))
		e.WI(amd64.MOVQImm, amd64.M(regFrame, frameServeOp), int(op))
		e.leave(exitServe, back)
		e.Here(back)
		e.Mov1(amd64.VMOVDQU, scratch2, amd64.M(regFrame, frameServeD))
	})
}

// Bits of binary32, and how many bits a denormal is moved up.
const (
	fraction32 = 23
	bias32     = 127
	room32     = 24
)

// takeScale takes a number apart: its fraction is from 1/2 to 1. Zeros and infinities are fractions
// themselves, with an exponent of 0, and NaNs the canonical one.
func (e laneAMD64) takeScale(op ir.Op, d amd64.Z, a amd64.Arg) {
	const up = (bias32 + room32) << fraction32
	const special = 1<<31 + 0xFF<<fraction32 - 1
	x := e.in(a, scratch0)
	e.V(amd64.VPANDD, scratch1, x, e.constant(constAbs))
	e.ToMask(amd64.VPCMPD, maskStep2, scratch1, e.words(1<<fraction32), 1, 0)
	e.Mov1(amd64.VMOVDQU, scratch2, amd64.R(x))
	e.VK(amd64.VMULPS, scratch2, scratch2, e.words(up), maskStep2)
	e.V(amd64.VPADDD, scratch1, scratch1, e.constant(constAbs)) // zeros are above all others
	if op == ir.OpFrexpMant {
		e.V(amd64.VPANDD, scratch2, scratch2, e.words(1<<31|1<<fraction32-1))
		e.V(amd64.VPORD, scratch2, scratch2, e.words((bias32-1)<<fraction32))
		e.ToMask(amd64.VPCMPD, maskStep2, scratch1, e.words(special), 5, 0)
		e.VK(amd64.VMOVDQU, scratch2, 0, amd64.R(x), maskStep2)
		e.canon(d, amd64.R(scratch2))
		return
	}
	e.VI(amd64.VPSRLD, scratch2, 0, amd64.R(scratch2), fraction32)
	e.V(amd64.VPANDD, scratch2, scratch2, e.words(0xFF))
	e.VK(amd64.VPSUBD, scratch2, scratch2, e.words(room32), maskStep2)
	e.V(amd64.VPSUBD, scratch2, scratch2, e.words(bias32-1))
	e.ToMask(amd64.VPCMPD, maskStep2, scratch1, e.words(special), 1, 0)
	e.VZ(amd64.VMOVDQU, d, 0, amd64.R(scratch2), maskStep2)
}

// remainder is that of binary64, which has that of binary32 exactly.
func (e laneAMD64) remainder(d amd64.Z, a, b amd64.Arg) {
	row := func(k int) amd64.Arg { return amd64.M(regFrame, frameWide+laneBytes*k) }
	for i, x := range [2]amd64.Z{e.in(a, scratch0), e.in(b, scratch1)} {
		e.VI(amd64.VEXTRACTHALF, x, 0, amd64.R(scratch3), 1)
		e.V(amd64.VCVTPS2PD, scratch2, 0, amd64.R(x))
		e.V(amd64.VCVTPS2PD, scratch3, 0, amd64.R(scratch3))
		for which := range 2 {
			e.takeApart(scratch4, scratch2, scratch3, which)
			e.Mov1(amd64.VMOVDQUTo, scratch4, row(2*i+which))
		}
	}
	pairAMD64(e).remainder()
	e.Mov1(amd64.VMOVDQU, scratch0, row(6))
	for half, z := range [2]amd64.Z{scratch2, scratch3} {
		e.join(z, scratch0, row(7), half)
		e.V(amd64.VCVTPD2PS, z, 0, amd64.R(z))
	}
	e.VI(amd64.VINSERTHALF, d, scratch2, amd64.R(scratch3), 1)
}
