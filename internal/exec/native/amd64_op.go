package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// laneAMD64 writes operations on lanes.
type laneAMD64 struct{ *emitter }

// simple are operations that are one instruction: a is the second operand and b the
// last, or a alone the last.
var simple = [ir.Ops]amd64.Op{
	ir.OpIAdd: amd64.VPADDD, ir.OpISub: amd64.VPSUBD, ir.OpIMul: amd64.VPMULLD, ir.OpAnd: amd64.VPANDD, ir.OpOr: amd64.VPORD, ir.OpXor: amd64.VPXORD,
	ir.OpSMin: amd64.VPMINSD, ir.OpSMax: amd64.VPMAXSD, ir.OpUMin: amd64.VPMINUD, ir.OpUMax: amd64.VPMAXUD,
	ir.OpFAdd: amd64.VADDPS, ir.OpFSub: amd64.VSUBPS, ir.OpFMul: amd64.VMULPS, ir.OpFDiv: amd64.VDIVPS,
	ir.OpFSqrt: amd64.VSQRTPS, ir.OpS2F: amd64.VCVTDQ2PS, ir.OpU2F: amd64.VCVTUDQ2PS,
}

var commutes = [ir.Ops]bool{
	ir.OpIAdd: true, ir.OpIMul: true, ir.OpAnd: true, ir.OpOr: true, ir.OpXor: true, ir.OpSMin: true, ir.OpSMax: true, ir.OpUMin: true, ir.OpUMax: true,
	ir.OpFAdd: true, ir.OpFMul: true,
}

var roundings = [ir.Ops]int{ir.OpFRoundEven: 8, ir.OpFFloor: 9, ir.OpFCeil: 10, ir.OpFTrunc: 11}

// comparisons by predicate; those of words are signed or not.
var comparisons = [ir.Ops]struct {
	op        amd64.Op
	predicate int
}{
	ir.OpIEq: {amd64.VPCMPD, 0}, ir.OpINe: {amd64.VPCMPD, 4}, ir.OpSLt: {amd64.VPCMPD, 1}, ir.OpSLe: {amd64.VPCMPD, 2}, ir.OpULt: {amd64.VPCMPUD, 1}, ir.OpULe: {amd64.VPCMPUD, 2},
	ir.OpFEq: {amd64.VCMPPS, 0}, ir.OpFNe: {amd64.VCMPPS, 4}, ir.OpFLt: {amd64.VCMPPS, 17}, ir.OpFLe: {amd64.VCMPPS, 18}, ir.OpFOrd: {amd64.VCMPPS, 7}, ir.OpFUnord: {amd64.VCMPPS, 3},
}

// translatesOp says whether op writes the operation.
func translatesOp(op ir.Op) bool {
	if simple[op] != (amd64.Op{}) || compares(op) || roundings[op] != 0 {
		return true
	}
	switch op {
	case ir.OpIMulHiU, ir.OpIMulHiS, ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem, ir.OpSMod, ir.OpINeg, ir.OpNot, ir.OpShl, ir.OpShrU, ir.OpShrS,
		ir.OpBitReverse, ir.OpFindLSB, ir.OpFindSMSB, ir.OpFindUMSB, ir.OpBitFieldU, ir.OpBitFieldS, ir.OpBitFieldMask, ir.OpSelect,
		ir.OpIDot16,
		ir.OpFma, ir.OpFNeg, ir.OpFAbs, ir.OpFMin, ir.OpFMax, ir.OpFSign, ir.OpFInvSqrt, ir.OpQuantize16, ir.OpF2S, ir.OpF2U, ir.OpF2H, ir.OpH2F:
		return true
	case ir.OpBitCount:
		return amd64.CountsBits()
	}
	return translatesFunction(op)
}

// compare writes a comparison to mask k.
func (e laneAMD64) compare(op ir.Op, k amd64.K, a, b amd64.Arg) {
	switch op {
	case ir.OpFIsNan:
		z := e.in(a, scratch0)
		e.ToMask(amd64.VCMPPS, k, z, amd64.R(z), 3, 0)
	case ir.OpFIsInf:
		e.V(amd64.VPANDD, scratch1, e.in(a, scratch0), e.constant(constAbs))
		e.ToMask(amd64.VPCMPD, k, scratch1, e.constant(constInf), 0, 0)
	default:
		c := comparisons[op]
		e.ToMask(c.op, k, e.in(a, scratch0), b, c.predicate, 0)
	}
}

// op writes an operation that is no comparison: d = op(a, b, c). d may be the register
// of an operand, and is written last.
func (e laneAMD64) op(op ir.Op, d amd64.Z, a, b, c amd64.Arg) {
	if o := simple[op]; o != (amd64.Op{}) {
		info, _ := ir.InfoOf(op)
		switch {
		case len(info.Args) == 1:
			e.V(o, d, 0, a)
		case a.IsMem() && !b.IsMem() && commutes[op]:
			e.V(o, d, b.Reg(), a)
		default:
			e.V(o, d, e.in(a, scratch0), b)
		}
		return
	}
	if r := roundings[op]; r != 0 {
		e.VI(amd64.VRNDSCALEPS, d, 0, a, r)
		return
	}
	switch op {
	case ir.OpIDot16: // no operand is a word for all lanes
		if b.IsAll() {
			b = amd64.R(e.in(b, scratch1))
		}
		e.V(amd64.VPMADDWD, d, e.in(a, scratch0), b)
	case ir.OpINeg:
		e.V(amd64.VPXORD, scratch0, scratch0, amd64.R(scratch0))
		e.V(amd64.VPSUBD, d, scratch0, a)
	case ir.OpNot:
		e.V(amd64.VPXORD, d, e.in(a, scratch0), e.constant(constOnes))
	case ir.OpFNeg:
		e.V(amd64.VPXORD, d, e.in(a, scratch0), e.constant(constSign))
	case ir.OpFAbs:
		e.V(amd64.VPANDD, d, e.in(a, scratch0), e.constant(constAbs))
	case ir.OpShl, ir.OpShrU, ir.OpShrS:
		by := map[ir.Op]amd64.Op{ir.OpShl: amd64.VPSLLVD, ir.OpShrU: amd64.VPSRLVD, ir.OpShrS: amd64.VPSRAVD}[op]
		x := e.in(a, scratch0)
		if e.short {
			e.V(by, d, x, b)
			return
		}
		e.V(amd64.VPANDD, scratch1, e.in(b, scratch1), e.constant(const31))
		e.V(by, d, x, amd64.R(scratch1))
	case ir.OpSelect: // of scalar registers
		z := e.in(a, scratch0)
		e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(z))
		e.VK(amd64.VPBLENDMD, d, e.in(c, scratch1), b, maskStep2)
	case ir.OpFma:
		e.fma(d, a, b, c)
	case ir.OpFMin, ir.OpFMax:
		e.minMax(op == ir.OpFMax, d, a, b)
	case ir.OpFSign:
		x := e.in(a, scratch0)
		e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
		e.ToMask(amd64.VCMPPS, maskStep2, scratch1, amd64.R(x), 17, 0) // 0 < x
		e.ToMask(amd64.VCMPPS, maskStep3, x, amd64.R(scratch1), 17, 0)
		e.VK(amd64.VPBROADCASTD, scratch1, 0, e.constant(constOne).One(), maskStep2)
		e.VK(amd64.VPBROADCASTD, scratch1, 0, e.constant(constMinusOne).One(), maskStep3)
		e.Mov1(amd64.VMOVDQU, d, amd64.R(scratch1))
	case ir.OpFInvSqrt:
		e.V(amd64.VSQRTPS, scratch0, 0, a)
		e.Mov1(amd64.VPBROADCASTD, scratch1, e.constant(constOne).One())
		e.V(amd64.VDIVPS, d, scratch1, amd64.R(scratch0))
	case ir.OpF2S:
		x := e.in(a, scratch0)
		e.V(amd64.VCVTTPS2DQ, scratch1, 0, amd64.R(x))
		e.ToMask(amd64.VCMPPS, maskStep2, x, e.constant(const2p31), 29, 0) // x >= 2^31
		e.VK(amd64.VPBROADCASTD, scratch1, 0, e.constant(constMaxInt).One(), maskStep2)
		e.ToMask(amd64.VCMPPS, maskStep3, x, amd64.R(x), 7, 0) // numbers
		e.VZ(amd64.VMOVDQU, d, 0, amd64.R(scratch1), maskStep3)
	case ir.OpF2U:
		e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
		e.V(amd64.VMAXPS, scratch0, e.in(a, scratch0), amd64.R(scratch1)) // 0 for NaNs
		e.V(amd64.VCVTTPS2UDQ, d, 0, amd64.R(scratch0))
	case ir.OpF2H:
		e.toHalf(d, a)
	case ir.OpH2F:
		e.fromHalf(d, e.in(a, scratch0))
	case ir.OpQuantize16:
		e.quantize(d, a)
	case ir.OpBitCount:
		e.V(amd64.VPOPCNTD, d, 0, a)
	case ir.OpBitReverse: // neighbours change places: bits, pairs, fours, bytes, halves
		x := e.in(a, scratch0)
		for i, mask := range [5]uint32{0x55555555, 0x33333333, 0x0F0F0F0F, 0x00FF00FF, 0x0000FFFF} {
			e.VI(amd64.VPSRLD, scratch1, 0, amd64.R(x), 1<<i)
			e.V(amd64.VPANDD, scratch1, scratch1, e.words(mask))
			e.V(amd64.VPANDD, scratch0, x, e.words(mask))
			e.VI(amd64.VPSLLD, scratch0, 0, amd64.R(scratch0), 1<<i)
			e.V(amd64.VPORD, scratch0, scratch0, amd64.R(scratch1))
			x = scratch0
		}
		e.Mov1(amd64.VMOVDQU, d, amd64.R(x))
	case ir.OpFindLSB, ir.OpFindUMSB, ir.OpFindSMSB:
		e.find(op, d, a)
	case ir.OpBitFieldU, ir.OpBitFieldS, ir.OpBitFieldMask:
		e.bitField(op, d, a, b, c)
	case ir.OpIMulHiU, ir.OpIMulHiS:
		by := amd64.VPMULUDQ
		if op == ir.OpIMulHiS {
			by = amd64.VPMULDQ
		}
		x, y := e.in(a, scratch0), e.in(b, scratch1)
		e.V(by, scratch2, x, amd64.R(y))
		e.VI(amd64.VPSRLQ, scratch3, 0, amd64.R(x), 32)
		e.VI(amd64.VPSRLQ, scratch4, 0, amd64.R(y), 32)
		e.V(by, scratch3, scratch3, amd64.R(scratch4))
		e.VI(amd64.VPSRLQ, scratch2, 0, amd64.R(scratch2), 32)
		e.VI(amd64.VPSRLQ, scratch3, 0, amd64.R(scratch3), 32)
		e.VI(amd64.VPSLLQ, scratch3, 0, amd64.R(scratch3), 32)
		e.V(amd64.VPORD, d, scratch2, amd64.R(scratch3))
	case ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem, ir.OpSMod:
		e.divide(op, d, a, b)
	case ir.OpFRem:
		e.remainder(d, a, b)
	case ir.OpFrexpMant, ir.OpFrexpExp:
		e.takeScale(op, d, a)
	case ir.OpFLdexp:
		if e.vectors.narrow {
			e.function(op, d, a, b)
			return
		}
		e.V(amd64.VCVTDQ2PS, scratch1, 0, b)
		e.V(amd64.VSCALEFPS, scratch0, e.in(a, scratch0), amd64.R(scratch1))
		e.canon(d, amd64.R(scratch0))
	default:
		e.function(op, d, a, b)
	}
}

// fma is a·b + c, rounded once.
func (e laneAMD64) fma(d amd64.Z, a, b, c amd64.Arg) {
	if a.IsMem() && !b.IsMem() {
		a, b = b, a
	}
	e.multiplyAdd(amd64.VFMADD213PS, amd64.VFMADD231PS, e.in, d, e.in(a, scratch0), b, c)
}

// multiplyAdd writes d = x·y + c, rounded once, by the instruction that overwrites what d holds already; in
// brings an operand to a register.
func (e laneAMD64) multiplyAdd(by213, by231 amd64.Op, in func(amd64.Arg, amd64.Z) amd64.Z,
	d, x amd64.Z, y, c amd64.Arg) {
	takes := func(o amd64.Arg) bool { // d begins as an operand that ends here
		if o.IsMem() || !endsAs(e.emitter, o.Reg(), d) {
			return false
		}
		e.move(d, o.Reg())
		return true
	}
	own := func(o amd64.Arg, z amd64.Z) amd64.Arg { // what d has begun as
		if !o.IsMem() && o.Reg() == z {
			return amd64.R(d)
		}
		return o
	}
	switch {
	case takes(c):
		e.V(by231, d, own(amd64.R(x), c.Reg()).Reg(), own(y, c.Reg()))
	case takes(amd64.R(x)):
		e.V(by213, d, in(own(y, x), scratch1), own(c, x))
	case takes(y):
		e.V(by213, d, x, own(c, y.Reg()))
	default:
		e.move(d, in(c, d))
		e.V(by231, d, x, y)
	}
}

// endsAs says that a number is d, or that nothing has it behind the present instruction.
func endsAs(e *emitter, z, d amd64.Z) bool {
	if v := int32(z-firstValue) / 2; z >= firstValue && v < e.b.lanes && e.ends[v] > e.index {
		return z == d
	}
	return true
}

// extremes are the minimum (false) and the maximum, what makes the right zero of two, and the zero
// that must not be the last operand.
var extremes = map[bool]struct {
	by, wide, zeros, wideZeros amd64.Op
	not                        floatFact
	zero                       uint64 // in binary64
}{
	false: {amd64.VMINPS, amd64.VMINPD, amd64.VPORD, amd64.VPORQ, isNotPlusZero, 0},
	true:  {amd64.VMAXPS, amd64.VMAXPD, amd64.VPANDD, amd64.VPANDQ, isNotMinusZero, 1 << 63},
}

// minMax is IEEE's minNum or maxNum with ordered zeros: the other operand where one is
// a NaN. One instruction gives its last operand where one is a NaN and where both are zeros, so that most
// clamps are that. The other one differs for signalling NaNs, and does not make the NaN of
// two canonical.
func (e laneAMD64) minMax(greater bool, d amd64.Z, a, b amd64.Arg) {
	o, fa, fb := extremes[greater], e.floats[0], e.floats[1]
	for range 2 {
		if fb&isNumber != 0 && fb&o.not != 0 {
			e.V(o.by, d, e.in(a, scratch0), b)
			return
		}
		a, b, fa, fb = b, a, fb, fa
	}
	switch imm := 4; {
	case e.vectors.narrow:
		if fb&isNumber == 0 {
			a, b, fa, fb = b, a, fb, fa
		}
		e.ordered(o.by, o.zeros, d, e.in(a, scratch0), e.in(b, scratch1), fb&isNumber != 0)
	default: // with the sign of the result
		if greater {
			imm = 5
		}
		x, y := e.quiet(a, scratch0, fa), e.quiet(b, scratch1, fb)
		if x.IsMem() {
			x, y = y, x
		}
		e.VI(amd64.VRANGEPS, d, e.in(x, scratch0), y, imm)
	}
	if (fa|fb)&isNumber == 0 {
		e.ToMask(amd64.VCMPPS, maskStep2, d, amd64.R(d), 3, 0)
		e.VK(amd64.VPBROADCASTD, d, 0, e.constant(constNaN).One(), maskStep2)
	}
}

// quiet is an operand that is no signalling NaN.
func (e laneAMD64) quiet(x amd64.Arg, to amd64.Z, f floatFact) amd64.Arg {
	if f&isQuiet == 0 {
		e.V(amd64.VMULPS, to, e.in(x, to), e.constant(constOne))
		return amd64.R(to)
	}
	return x
}

// ordered sets d to the lesser or greater one of x and y: the other one where one is a NaN, which y
// is not if it is a number. Where they are equal, bits of both, or of either, choose between zeros.
// It takes scratch2.
func (e laneAMD64) ordered(by, zeros amd64.Op, d, x, y amd64.Z, number bool) {
	compare, blend := amd64.VCMPPS, amd64.VPBLENDMD
	if by.Wide() {
		compare, blend = amd64.VCMPPD, amd64.VPBLENDMQ
	}
	if !number {
		e.ToMask(compare, maskStep, y, amd64.R(y), 3, 0)
		e.VK(blend, scratch2, y, amd64.R(x), maskStep)
		y = scratch2
	}
	e.ToMask(compare, maskStep, x, amd64.R(y), 0, 0)
	e.V(by, scratch2, x, amd64.R(y))
	e.VK(zeros, scratch2, scratch2, amd64.R(x), maskStep)
	e.move(d, scratch2)
}

// toHalf rounds to binary16, NaNs canonical.
func (e laneAMD64) toHalf(d amd64.Z, a amd64.Arg) {
	e.canon(scratch2, a)
	e.VI(amd64.VCVTPS2PH, scratch2, 0, amd64.R(scratch2), 0)
	e.V(amd64.VPMOVZXWD, d, 0, amd64.R(scratch2))
}

// quantize rounds to binary16 and back; a canonical NaN stays one.
func (e laneAMD64) quantize(d amd64.Z, a amd64.Arg) {
	x := scratch2
	if e.anyNaN {
		x = e.in(a, scratch2)
	} else {
		e.canon(scratch2, a)
	}
	e.VI(amd64.VCVTPS2PH, x, 0, amd64.R(scratch2), 0)
	e.V(amd64.VCVTPH2PS, d, 0, amd64.R(scratch2))
}

// fromHalf widens binary16 in the low halves of x, NaNs canonical.
func (e laneAMD64) fromHalf(d, x amd64.Z) {
	e.V(amd64.VPMOVDW, x, 0, amd64.R(scratch1))
	if e.anyNaN {
		e.V(amd64.VCVTPH2PS, d, 0, amd64.R(scratch1))
		return
	}
	e.V(amd64.VCVTPH2PS, scratch1, 0, amd64.R(scratch1))
	e.canon(d, amd64.R(scratch1))
}

func (e laneAMD64) find(op ir.Op, d amd64.Z, a amd64.Arg) {
	x := e.in(a, scratch0)
	switch op {
	case ir.OpFindLSB: // the bit alone
		e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
		e.V(amd64.VPSUBD, scratch1, scratch1, amd64.R(x))
		e.V(amd64.VPANDD, scratch1, scratch1, amd64.R(x))
		x = scratch1
	case ir.OpFindSMSB:
		e.VI(amd64.VPSRAD, scratch1, 0, amd64.R(x), 31)
		e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(x))
		x = scratch1
	}
	e.V(amd64.VPLZCNTD, scratch1, 0, amd64.R(x))
	e.Mov1(amd64.VPBROADCASTD, scratch2, e.constant(const31).One())
	e.V(amd64.VPSUBD, d, scratch2, amd64.R(scratch1))
}

// lowBits sets d to words with the n lowest bits set.
func (e laneAMD64) lowBits(d, n amd64.Z) {
	e.Mov1(amd64.VPBROADCASTD, d, e.constant(constI1).One())
	e.V(amd64.VPSLLVD, d, d, amd64.R(n)) // 0 from 32 on
	e.V(amd64.VPADDD, d, d, e.constant(constOnes))
}

func (e laneAMD64) bitField(op ir.Op, d amd64.Z, a, b, c amd64.Arg) {
	if op == ir.OpBitFieldMask { // a = offset, b = count
		o, n := e.in(a, scratch0), e.in(b, scratch1)
		e.lowBits(scratch2, n)
		e.V(amd64.VPSLLVD, d, scratch2, amd64.R(o))
		return
	}
	x, o, n := e.in(a, scratch0), e.in(b, scratch1), e.in(c, scratch2)
	e.lowBits(scratch3, n)
	e.V(amd64.VPSRLVD, scratch4, x, amd64.R(o))
	e.V(amd64.VPANDD, scratch4, scratch4, amd64.R(scratch3))
	if op == ir.OpBitFieldS { // shift the sign up and down
		e.V(amd64.VPMINUD, scratch3, n, e.constant(const32))
		e.Mov1(amd64.VPBROADCASTD, scratch0, e.constant(const32).One())
		e.V(amd64.VPSUBD, scratch3, scratch0, amd64.R(scratch3))
		e.V(amd64.VPSLLVD, scratch4, scratch4, amd64.R(scratch3))
		e.V(amd64.VPSRAVD, scratch4, scratch4, amd64.R(scratch3)) // 32 gives the sign
	}
	e.Mov1(amd64.VMOVDQU, d, amd64.R(scratch4))
}

// divide divides integers in binary64, in which quotients of 32 bits truncate to the
// right integer: a quotient that is none is 2^-32 or more away from the next one above.
func (e laneAMD64) divide(op ir.Op, d amd64.Z, a, b amd64.Arg) {
	x, y := e.in(a, scratch0), e.in(b, scratch1)
	widen, narrow := amd64.VCVTUDQ2PD, amd64.VCVTTPD2UDQ
	signed := op != ir.OpUDiv && op != ir.OpURem
	if signed {
		widen, narrow = amd64.VCVTDQ2PD, amd64.VCVTTPD2DQ
	}
	e.V(widen, scratch2, 0, amd64.R(x))
	e.V(widen, scratch3, 0, amd64.R(y))
	e.V(amd64.VDIVPD, scratch2, scratch2, amd64.R(scratch3))
	e.V(narrow, scratch2, 0, amd64.R(scratch2))
	e.VI(amd64.VEXTRACTHALF, x, 0, amd64.R(scratch3), 1)
	e.V(widen, scratch3, 0, amd64.R(scratch3))
	e.VI(amd64.VEXTRACTHALF, y, 0, amd64.R(scratch4), 1)
	e.V(widen, scratch4, 0, amd64.R(scratch4))
	e.V(amd64.VDIVPD, scratch3, scratch3, amd64.R(scratch4))
	e.V(narrow, scratch3, 0, amd64.R(scratch3))
	e.VI(amd64.VINSERTHALF, scratch2, scratch2, amd64.R(scratch3), 1)
	switch op {
	case ir.OpUDiv: // the conversion gives all ones for infinity and NaN
		e.Mov1(amd64.VMOVDQU, d, amd64.R(scratch2))
		return
	case ir.OpSDiv:
		e.V(amd64.VPXORD, scratch3, scratch3, amd64.R(scratch3))
		e.ToMask(amd64.VPCMPD, maskStep2, y, amd64.R(scratch3), 0, 0)
		e.VK(amd64.VPBROADCASTD, scratch2, 0, e.constant(constOnes).One(), maskStep2)
		e.Mov1(amd64.VMOVDQU, d, amd64.R(scratch2))
		return
	}
	e.V(amd64.VPMULLD, scratch2, scratch2, amd64.R(y))
	e.V(amd64.VPSUBD, scratch2, x, amd64.R(scratch2)) // the dividend where the divisor is 0
	if op == ir.OpSMod {
		e.V(amd64.VPXORD, scratch3, scratch3, amd64.R(scratch3))
		e.ToMask(amd64.VPCMPD, maskStep2, scratch2, amd64.R(scratch3), 4, 0)
		e.V(amd64.VPXORD, scratch4, scratch2, amd64.R(y))
		e.ToMask(amd64.VPCMPD, maskStep2, scratch4, amd64.R(scratch3), 1, maskStep2)
		e.VK(amd64.VPADDD, scratch2, scratch2, amd64.R(y), maskStep2)
	}
	e.Mov1(amd64.VMOVDQU, d, amd64.R(scratch2))
}

// pair is a product and the sum or difference that uses it, with two roundings.
func (e laneAMD64) pair(in *Inst, a, b, c amd64.Arg) {
	z := e.value(in.D)
	e.V(amd64.VMULPS, scratch0, e.in(a, scratch0), b)
	switch in.Op {
	case FusedMulAdd:
		e.V(amd64.VADDPS, z, scratch0, c)
	case FusedMulSub:
		e.V(amd64.VSUBPS, z, scratch0, c)
	default:
		e.V(amd64.VSUBPS, z, e.in(c, scratch1), amd64.R(scratch0))
	}
}
