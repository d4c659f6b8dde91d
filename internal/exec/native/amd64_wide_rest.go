package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Operations on 64 bits that are no instruction: divisions, lane by lane; conversions to and from
// integers of 64 bits; and those that round toward zero, which are those to the nearest in another
// mode of the processor.

// restWide writes an operation that is not direct.
func (e pairAMD64) restWide(in *Inst) {
	x, op := &e.r.aux[in.C], ir.WideOp(in.Imm)
	near, zero := nearest[op]
	switch {
	case op == ir.WideQuantizeZ:
		const towardZero = 3
		e.canon(scratch2, e.arg(x.Args[0]))
		e.VI(amd64.VCVTPS2PH, scratch2, 0, amd64.R(scratch2), towardZero)
		e.V(amd64.VPMOVZXWD, scratch0, 0, amd64.R(scratch2))
		laneAMD64(e).fromHalf(scratch5, scratch0)
		e.put(x.Results[0], scratch5)
	case zero && near.op == 0:
		e.towardZero(func() { e.halvesOf(in, near.wide) })
	case zero:
		e.towardZero(func() {
			var args [3]amd64.Arg
			for i, v := range x.Args {
				args[i] = e.arg(v)
			}
			e.floats = [2]floatFact{}
			laneAMD64(e).op(near.op, scratch5, args[0], args[1], args[2])
			e.canon(scratch5, amd64.R(scratch5))
			e.put(x.Results[0], scratch5)
		})
	case op == ir.WideFRem:
		e.wideRows(in, e.remainder)
	case dividesWide(op):
		e.wideRows(in, func() { e.divideWide(op) })
	default:
		e.halvesOf(in, op)
	}
}

// towardZero writes f for a processor that rounds toward zero.
func (e pairAMD64) towardZero(f func()) {
	const zero = 3 << 13 // of the mode of rounding
	modes := e.rows(1)
	was, now := amd64.M(regFrame, modes), amd64.M(regFrame, modes+4)
	e.W(amd64.STMXCSR, 0, was)
	e.W(amd64.MOVL, amd64.RAX, was)
	e.WI(amd64.ORLImm, amd64.GArg(amd64.RAX), zero)
	e.W(amd64.MOVLTo, amd64.RAX, now)
	e.W(amd64.LDMXCSR, 0, now)
	f()
	e.W(amd64.LDMXCSR, 0, was)
}

// framePairs are the numbers that the frame has of a lane, which a register counts: rows of low
// halves, each followed by one of high halves.
type framePairs struct {
	pairAMD64
	lane amd64.G
}

// row reads or writes one half.
func (e framePairs) row(o amd64.Indexed, g amd64.G, k int) {
	e.At(o, g, regFrame, e.lane, 2, frameWide+laneBytes*k)
}

// number reads a number, with R12.
func (e framePairs) number(g amd64.G, k int) {
	e.row(amd64.MOVFrom, g, k)
	e.row(amd64.MOVFrom, amd64.R12, k+1)
	e.WI(amd64.SHLQ, amd64.GArg(amd64.R12), 32)
	e.W(amd64.ADDQ, g, amd64.GArg(amd64.R12))
}

// next makes RAX the result of the lane, and goes on with the one after it where there is one.
func (e framePairs) next(each int) {
	e.row(amd64.MOVTo, amd64.RAX, 6)
	e.WI(amd64.SHRQ, amd64.GArg(amd64.RAX), 32)
	e.row(amd64.MOVTo, amd64.RAX, 7)
	e.WI(amd64.ADDQImm, amd64.GArg(e.lane), 1)
	e.WI(amd64.CMPLImm, amd64.GArg(e.lane), e.vectors.lanes)
	e.JIf(amd64.IfNotZero, each)
}

// divideWide divides the numbers that the frame has, in all lanes: RAX by R11.
func (e pairAMD64) divideWide(op ir.WideOp) {
	lane := framePairs{e, amd64.RCX}
	signed, remainder := op == ir.WideSDiv || op >= ir.WideSRem, op >= ir.WideURem
	withoutPlaces(e.emitter, func() {
		each, byZero, byOne, done := e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
		e.W(amd64.XORL, amd64.RCX, amd64.GArg(amd64.RCX))
		e.Here(each)
		lane.number(amd64.RAX, 0)
		lane.number(amd64.R11, 2)
		e.W(amd64.TESTQ, amd64.R11, amd64.GArg(amd64.R11))
		e.JIf(amd64.IfZero, byZero)
		if signed {
			e.W(amd64.MOVQ, amd64.RDX, amd64.GArg(amd64.R11))
			e.WI(amd64.ADDQImm, amd64.GArg(amd64.RDX), 1)
			e.JIf(amd64.IfZero, byOne) // the least number has no quotient
		}
		e.DIVQ(signed, amd64.R11)
		if remainder {
			e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.RDX))
		}
		if op == ir.WideSMod {
			e.W(amd64.TESTQ, amd64.RAX, amd64.GArg(amd64.RAX))
			e.JIf(amd64.IfZero, done)
			e.W(amd64.XORQ, amd64.RDX, amd64.GArg(amd64.R11))
			e.W(amd64.TESTQ, amd64.RDX, amd64.GArg(amd64.RDX))
			e.JIf(amd64.IfNotNegative, done)
			e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R11))
		}
		e.Here(done)
		lane.next(each)
		e.outOfLine(func() {
			e.Here(byZero)
			if !remainder {
				e.WI(amd64.ADDQImm, amd64.GArg(amd64.R11), -1)
				e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.R11))
			}
			e.JMP(done)
			e.Here(byOne)
			e.W(amd64.XORL, amd64.RDX, amd64.GArg(amd64.RDX))
			if !remainder {
				e.W(amd64.SUBQ, amd64.RDX, amd64.GArg(amd64.RAX))
			}
			e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.RDX))
			e.JMP(done)
		})
	})
}

// remainder divides fractions of binary64 numbers that the frame has, in all lanes, as integers:
// RAX has what remains, R11 the divisor, R10 how many bits more the dividend has, and R12 the
// exponent of the result. R13 has the lane.
func (e pairAMD64) remainder() {
	const bits = 52 // of a fraction
	lane := framePairs{e, amd64.R13}
	split := func(g, exponent amd64.G) { // without its sign
		e.W(amd64.MOVQ, exponent, amd64.GArg(g))
		e.WI(amd64.SHLQ, amd64.GArg(g), 11)
		e.WI(amd64.SHRQ, amd64.GArg(g), 12)
		e.WI(amd64.SHRQ, amd64.GArg(exponent), bits+1)
		e.unless(amd64.IfZero, func() { e.W(amd64.ADDQ, g, e.Pool(1<<bits)) }, func() {
			e.WI(amd64.ADDLImm, amd64.GArg(exponent), 1)
		})
	}
	withoutPlaces(e.emitter, func() {
		each, more, last, zero := e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
		none, less, done := e.NewLabel(), e.NewLabel(), e.NewLabel()
		e.W(amd64.XORL, amd64.R13, amd64.GArg(amd64.R13))
		e.Here(each)
		lane.number(amd64.RAX, 0)
		lane.number(amd64.R11, 2)
		e.W(amd64.MOVQ, amd64.RDX, e.Pool(0x7FF<<(bits+1)))
		e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.RAX)) // without its sign
		e.W(amd64.CMPQ, amd64.RAX, amd64.GArg(amd64.RDX))
		e.JIf(amd64.IfNotBelow, none)
		e.W(amd64.ADDQ, amd64.R11, amd64.GArg(amd64.R11))
		e.JIf(amd64.IfZero, none)
		e.W(amd64.CMPQ, amd64.RDX, amd64.GArg(amd64.R11))
		e.JIf(amd64.IfBelow, none)
		e.W(amd64.CMPQ, amd64.RAX, amd64.GArg(amd64.R11))
		e.JIf(amd64.IfBelow, less)
		split(amd64.RAX, amd64.R10)
		split(amd64.R11, amd64.R12)
		e.W(amd64.SUBL, amd64.R10, amd64.GArg(amd64.R12))
		e.Here(more)
		e.DIVQ(false, amd64.R11)
		e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.RDX))
		e.W(amd64.TESTQ, amd64.RAX, amd64.GArg(amd64.RAX))
		e.JIf(amd64.IfZero, zero)
		e.W(amd64.TESTL, amd64.R10, amd64.GArg(amd64.R10))
		e.JIf(amd64.IfZero, last)
		e.WI(amd64.MOVLImm, amd64.GArg(amd64.RCX), 63-bits) // as many as there is room for
		e.W(amd64.CMPL, amd64.R10, amd64.GArg(amd64.RCX))
		e.W(amd64.CMOVL(amd64.IfBelow), amd64.RCX, amd64.GArg(amd64.R10))
		e.W(amd64.SUBL, amd64.R10, amd64.GArg(amd64.RCX))
		e.W(amd64.SHLLCL.Q(), 0, amd64.GArg(amd64.RAX))
		e.JMP(more)
		e.Here(last) // its first bit is a fraction's, or its exponent the least
		e.W(amd64.BSR.Q(), amd64.RDX, amd64.GArg(amd64.RAX))
		e.WI(amd64.MOVLImm, amd64.GArg(amd64.RCX), bits)
		e.W(amd64.SUBL, amd64.RCX, amd64.GArg(amd64.RDX))
		e.WI(amd64.SUBLImm, amd64.GArg(amd64.R12), 1)
		e.W(amd64.CMPL, amd64.R12, amd64.GArg(amd64.RCX))
		e.W(amd64.CMOVL(amd64.IfBelow), amd64.RCX, amd64.GArg(amd64.R12))
		e.W(amd64.SHLLCL.Q(), 0, amd64.GArg(amd64.RAX))
		e.W(amd64.SUBL, amd64.R12, amd64.GArg(amd64.RCX))
		e.WI(amd64.SHLQ, amd64.GArg(amd64.R12), bits)
		e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R12))
		e.Here(zero)
		lane.row(amd64.MOVFrom, amd64.RDX, 1)
		e.WI(amd64.ANDLImm, amd64.GArg(amd64.RDX), -1<<31)
		e.WI(amd64.SHLQ, amd64.GArg(amd64.RDX), 32)
		e.W(amd64.ORQ, amd64.RAX, amd64.GArg(amd64.RDX))
		e.Here(done)
		lane.next(each)
		e.outOfLine(func() {
			e.Here(less)
			lane.number(amd64.RAX, 0)
			e.JMP(done)
			e.Here(none)
			e.W(amd64.MOVQ, amd64.RAX, e.Pool(0x7FF8<<48))
			e.JMP(done)
		})
	})
}

// scaleOf writes frexp, or ldexp by n, for half the lanes. Denormal numbers become others first.
func (e pairAMD64) scaleOf(op ir.WideOp, d, x amd64.Z, n amd64.Arg) {
	const bits, bias, sign, infinity = 52, 1023, 1 << 63, 0x7FF << 52
	const room, up, down = bits + 2, (bias + bits + 2) << bits, (bias - bits - 1) << bits
	z, exponent := scratch2, scratch3
	e.V(amd64.VPANDQ, d, x, e.Pool(sign-1))
	e.ToMask(amd64.VPCMPQ, maskStep, d, e.Pool(1<<bits), 1, 0)
	e.Mov1(amd64.VMOVDQU, z, amd64.R(x))
	e.VK(amd64.VMULPD, z, z, e.Pool(up), maskStep)
	e.VI(amd64.VPSRLQ, exponent, 0, amd64.R(z), bits)
	e.V(amd64.VPANDQ, exponent, exponent, e.Pool(0x7FF))
	e.VK(amd64.VPSUBQ, exponent, exponent, e.Pool(room), maskStep)
	e.V(amd64.VPANDQ, z, z, e.Pool(sign|1<<bits-1)) // without its exponent
	e.V(amd64.VPADDQ, d, d, e.Pool(sign-1))         // zeros are the largest, and infinities next
	const special = sign - 1 + infinity
	switch op {
	case ir.WideFrexpExp:
		e.V(amd64.VPSUBQ, exponent, exponent, e.Pool(bias-1))
		e.ToMask(amd64.VPCMPQ, maskStep, d, e.Pool(special), 1, 0)
		e.VZ(amd64.VMOVDQU64, exponent, 0, amd64.R(exponent), maskStep)
		e.V(amd64.VCVTQQ2PD, exponent, 0, amd64.R(exponent))
		e.V(amd64.VCVTPD2DQ, d, 0, amd64.R(exponent))
		return
	case ir.WideFrexpMant:
		e.V(amd64.VPORQ, z, z, e.Pool((bias-1)<<bits))
	default:
		e.V(amd64.VPADDQ, exponent, exponent, n)
		e.ToMask(amd64.VPCMPQ, maskStep, exponent, e.Pool(1), 1, 0) // denormal, or nothing
		e.VK(amd64.VPADDQ, exponent, exponent, e.Pool(bits+1), maskStep)
		e.VI(amd64.VPSLLQ, scratch1, 0, amd64.R(exponent), bits)
		e.V(amd64.VPORQ, z, z, amd64.R(scratch1))
		e.VK(amd64.VMULPD, z, z, e.Pool(down), maskStep)
		e.ToMask(amd64.VPCMPQ, maskStep, exponent, e.Pool(1), 1, 0)
		e.VK(amd64.VPANDQ, z, x, e.Pool(sign), maskStep)
		e.ToMask(amd64.VPCMPQ, maskStep, exponent, e.Pool(2*bias), 6, 0)
		e.VK(amd64.VPANDQ, z, x, e.Pool(sign), maskStep)
		e.VK(amd64.VPORQ, z, z, e.Pool(infinity), maskStep)
	}
	e.ToMask(amd64.VPCMPQ, maskStep, d, e.Pool(special), 5, 0)
	e.VK(amd64.VMOVDQU64, z, 0, amd64.R(x), maskStep)
	e.Mov1(amd64.VMOVDQU, d, amd64.R(z))
	canonWide(e.emitter, d)
}

// stepsOf writes an operation of inSteps for half the lanes, as halfOf does.
func (e pairAMD64) stepsOf(op ir.WideOp, d amd64.Z, k amd64.K, x amd64.Z, y amd64.Arg) {
	const one, sign = 0x3FF << 52, 1 << 63
	switch op {
	case ir.WideFrexpMant, ir.WideFrexpExp, ir.WideLdexp:
		e.scaleOf(op, d, x, y)
	case ir.WideInvSqrt:
		e.V(amd64.VSQRTPD, scratch0, 0, amd64.R(x))
		e.Mov1(amd64.VPBROADCASTQ, scratch1, e.Pool(one).One())
		e.V(amd64.VDIVPD, d, scratch1, amd64.R(scratch0))
		canonWide(e.emitter, d)
	case ir.WideIsInf:
		e.V(amd64.VPANDQ, scratch1, x, e.Pool(sign-1))
		e.ToMask(amd64.VPCMPQ, k, scratch1, e.Pool(0x7FF<<52), 0, 0)
	case ir.WideSign:
		e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
		e.ToMask(amd64.VCMPPD, maskStep, scratch1, amd64.R(x), 17, 0) // 0 < x
		e.V(amd64.VPXORD, scratch2, scratch2, amd64.R(scratch2))
		e.VK(amd64.VPBROADCASTQ, scratch2, 0, e.Pool(one).One(), maskStep)
		e.ToMask(amd64.VCMPPD, maskStep, x, amd64.R(scratch1), 17, 0)
		e.VK(amd64.VPBROADCASTQ, scratch2, 0, e.Pool(sign|one).One(), maskStep)
		e.Mov1(amd64.VMOVDQU, d, amd64.R(scratch2))
	case ir.WideD2H: // the binary32 that rounding to binary16 takes for the number
		e.V(amd64.VCVTPD2PS, d, 0, amd64.R(e.toOdd(x, 30)))
	case ir.WideL2F, ir.WideUL2F: // which binary64 has whole, or has a bit for what it lacks
		small, by := uint64(1<<54), amd64.VCVTQQ2PD
		e.V(amd64.VPADDQ, scratch3, x, e.Pool(1<<53))
		if op == ir.WideUL2F {
			small, by = 1<<53, amd64.VCVTUQQ2PD
			e.Mov1(amd64.VMOVDQU, scratch3, amd64.R(x))
		}
		e.ToMask(amd64.VPCMPUQ, maskStep, scratch3, e.Pool(small), 1, 0)
		e.Mov1(amd64.VMOVDQU, scratch3, amd64.R(x))
		odd := e.toOdd(x, 11)
		e.VK(amd64.VMOVDQU64, odd, 0, amd64.R(scratch3), maskStep)
		e.V(by, scratch3, 0, amd64.R(odd))
		e.V(amd64.VCVTPD2PS, d, 0, amd64.R(scratch3))
	default:
		e.toInteger(op == ir.WideD2UL || op == ir.WideF2UL, d, x)
	}
}

// toOdd returns x with a bit above its lowest n ones for what they have. It takes scratch1 and
// scratch2.
func (e pairAMD64) toOdd(x amd64.Z, n int) amd64.Z {
	low := uint64(1)<<n - 1
	e.V(amd64.VPANDQ, scratch1, x, e.Pool(low))
	e.V(amd64.VPADDQ, scratch2, scratch1, e.Pool(low))
	e.V(amd64.VPANDQ, scratch2, scratch2, e.Pool(low+1))
	e.V(amd64.VPXORQ, scratch1, scratch1, amd64.R(x))
	e.V(amd64.VPORD, scratch1, scratch1, amd64.R(scratch2))
	return scratch1
}

// toInteger cuts binary64 to integers of 64 bits: the nearest one where there is none, 0 for NaNs.
func (e pairAMD64) toInteger(unsigned bool, d, x amd64.Z) {
	const bias, fraction, infinity = 1075, 1<<52 - 1, 0x7FF << 52
	e.V(amd64.VPANDQ, scratch1, x, e.Pool(1<<63-1))
	e.VI(amd64.VPSRLQ, scratch2, 0, amd64.R(scratch1), 52) // the exponent
	e.V(amd64.VPANDQ, scratch3, x, e.Pool(fraction))
	e.V(amd64.VPXORQ, scratch3, scratch3, e.Pool(fraction+1))
	e.V(amd64.VPSUBQ, d, scratch2, e.Pool(bias))
	e.V(amd64.VPSLLVQ, d, scratch3, amd64.R(d))
	e.Mov1(amd64.VPBROADCASTQ, scratch1, e.Pool(bias).One())
	e.V(amd64.VPSUBQ, scratch1, scratch1, amd64.R(scratch2))
	e.V(amd64.VPSRLVQ, scratch3, scratch3, amd64.R(scratch1))
	e.V(amd64.VPORD, d, d, amd64.R(scratch3))
	most, largest := uint64(bias+10), uint64(1<<63-1)
	if unsigned {
		most, largest = bias+11, 1<<64-1
	}
	e.ToMask(amd64.VPCMPQ, maskStep, scratch2, e.Pool(most), 6, 0)
	e.VK(amd64.VPBROADCASTQ, d, 0, e.Pool(largest).One(), maskStep)
	e.V(amd64.VPXORD, scratch3, scratch3, amd64.R(scratch3))
	e.ToMask(amd64.VPCMPQ, maskStep, scratch3, amd64.R(x), 6, 0) // negative
	if unsigned {
		e.VK(amd64.VMOVDQU64, d, 0, amd64.R(scratch3), maskStep)
	} else {
		e.V(amd64.VPSUBQ, scratch1, scratch3, amd64.R(d))
		e.VK(amd64.VMOVDQU64, d, 0, amd64.R(scratch1), maskStep)
		e.ToMask(amd64.VPCMPQ, maskStep, scratch2, e.Pool(most), 6, maskStep) // too small
		e.VK(amd64.VPBROADCASTQ, d, 0, e.Pool(1<<63).One(), maskStep)
	}
	e.V(amd64.VPANDQ, scratch1, x, e.Pool(1<<63-1))
	e.ToMask(amd64.VPCMPQ, maskStep, scratch1, e.Pool(infinity), 6, 0)
	e.VK(amd64.VMOVDQU64, d, 0, amd64.R(scratch3), maskStep)
}
