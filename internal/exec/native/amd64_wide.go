package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// pairAMD64 writes operations on 64 bits.
type pairAMD64 struct{ *emitter }

// wideSimple are the operations that are one instruction; of two operands the first is the second
// operand of the instruction.
var wideSimple = [ir.WideOps]amd64.Op{
	ir.WideFAdd: amd64.VADDPD, ir.WideFSub: amd64.VSUBPD, ir.WideFMul: amd64.VMULPD,
	ir.WideFDiv: amd64.VDIVPD, ir.WideSqrt: amd64.VSQRTPD, ir.WideIAdd: amd64.VPADDQ,
	ir.WideISub: amd64.VPSUBQ, ir.WideIMul: amd64.VPMULLQ, ir.WideShl: amd64.VPSLLVQ,
	ir.WideShrU: amd64.VPSRLVQ, ir.WideShrS: amd64.VPSRAVQ, ir.WideL2D: amd64.VCVTQQ2PD,
	ir.WideUL2D: amd64.VCVTUQQ2PD, // of a half of the lanes, which becomes pairs:
	ir.WideF2D:  amd64.VCVTPS2PD, ir.WideS2D: amd64.VCVTDQ2PD, ir.WideU2D: amd64.VCVTUDQ2PD,
}

var wideRoundings = [ir.WideOps]int{ir.WideRoundEven: 8, ir.WideFloor: 9, ir.WideCeil: 10, ir.WideTrunc: 11}

var wideComparisons = [ir.WideOps]struct {
	op        amd64.Op
	predicate int
}{
	ir.WideSLt: {amd64.VPCMPQ, 1}, ir.WideSLe: {amd64.VPCMPQ, 2}, ir.WideULt: {amd64.VPCMPUQ, 1}, ir.WideULe: {amd64.VPCMPUQ, 2},
	ir.WideFEq: {amd64.VCMPPD, 0}, ir.WideFNe: {amd64.VCMPPD, 4}, ir.WideFLt: {amd64.VCMPPD, 17}, ir.WideFLe: {amd64.VCMPPD, 18}, ir.WideIsNan: {amd64.VCMPPD, 3},
}

// wideHalf is an operand of an operation for one half of the lanes; scratch is for what has to be
// put together.
func (e pairAMD64) wideHalf(op ir.WideOp, k byte, lo, hi int32, half int,
	scratch amd64.Z) amd64.Arg {
	switch w := &e.wide; {
	case k != 'w':
		z := e.in(e.arg(lo), scratch)
		if half != 0 {
			e.VI(amd64.VEXTRACTHALF, z, 0, amd64.R(scratch), 1)
			z = scratch
		}
		if op == ir.WideLdexp {
			e.V(amd64.VPMOVSXDQ, scratch, 0, amd64.R(z))
			return amd64.R(scratch)
		}
		if k == 'i' && op != ir.WideS2D && op != ir.WideU2D { // how far to shift
			e.V(amd64.VPMOVZXDQ, scratch, 0, amd64.R(z))
			e.V(amd64.VPANDQ, scratch, scratch, e.Pool(63))
			z = scratch
		}
		return amd64.R(z)
	case w.partner[lo] > 0 && half == 0:
		return e.arg(lo)
	case w.partner[lo] > 0:
		return e.arg(hi)
	case e.places[lo].kind == placeRecord && e.places[hi] == (location{placeRecord, e.places[lo].n + 4}):
		return amd64.All(regRecord, int(e.places[lo].n))
	case w.pooled[lo] && w.pooled[hi]:
		return e.Pool(uint64(w.value[lo]) | uint64(w.value[hi])<<32)
	}
	low := e.in(e.arg(lo), scratch3)
	e.join(scratch, low, e.arg(hi), half)
	return amd64.R(scratch)
}

// join sets d to the pairs of a half of the lanes, of low and high words.
func (e *emitter) join(d, low amd64.Z, high amd64.Arg, half int) {
	if e.vectors.narrow {
		e.YI(amd64.VPERMQ, step1, 0, legaliser{e}.spreadOut(amd64.VMOVDQU, high, step0), 0xD8)
		e.YI(amd64.VPERMQ, d, 0, amd64.R(low), 0xD8)
		e.Y([2]amd64.Op{amd64.VUNPCKLPS, amd64.VUNPCKHPS}[half], d, d, amd64.R(step1))
		return
	}
	e.Mov1(amd64.VMOVDQU, d, amd64.M(regFrame, frameJoin+laneBytes*half))
	e.V(amd64.VPERMI2D, d, low, high)
}

// takeApart sets d to the low words of pairs, or to the high ones.
func (e *emitter) takeApart(d, first, second amd64.Z, which int) {
	if e.vectors.narrow {
		pickWords(e, d, first, amd64.R(second), [2]int{0x88, 0xDD}[which])
		return
	}
	e.Mov1(amd64.VMOVDQU, d, amd64.M(regFrame, framePart+laneBytes*which))
	e.V(amd64.VPERMI2D, d, first, amd64.R(second))
}

// inWide is an operand in a register.
func (e pairAMD64) inWide(x amd64.Arg, to amd64.Z) amd64.Z {
	if x.IsAll() {
		e.V(amd64.VPBROADCASTQ, to, 0, x.One())
		return to
	}
	return e.in(x, to)
}

// wideOp writes an operation on 64 bits.
func (e pairAMD64) wideOp(in *Inst) {
	op := ir.WideOp(in.Imm)
	x := &e.r.aux[in.C]
	if !direct(op) {
		e.restWide(in)
		return
	}
	if least := leastNormal(op); least != 0 {
		e.flush(in, least)
		return
	}
	if op == ir.WideIAdd && addsWords(&e.layout, x) {
		addWords(e.emitter, x)
		return
	}
	e.halvesOf(in, op)
}

// halvesOf writes an operation, with the operands of in, for one half of the lanes and the other.
func (e pairAMD64) halvesOf(in *Inst, op ir.WideOp) {
	x := &e.r.aux[in.C]
	_, result := op.Signature()
	canonical := result == 'w' && !(e.wide.partner[x.Results[0]] > 0 && e.wide.loose[x.Results[0]])
	out := [2]amd64.Z{scratch4, scratch5}
	if result == 'w' && e.wide.partner[x.Results[0]] > 0 {
		out = [2]amd64.Z{e.value(x.Results[0]), e.value(x.Results[1])}
	}
	write := func(half int) {
		z := out[half]
		var args [3]amd64.Arg
		n := 0
		e.wide.settles = [3]bool{}
		e.eachWide(in, func(k byte, lo, hi int32) {
			args[n] = e.wideHalf(op, k, lo, hi, half, scratch0+amd64.Z(n))
			e.wide.settles[n] = e.settlesWide(op, lo, hi)
			n++
		})
		e.halfOf(op, z, [2]amd64.K{maskStep2, maskStep3}[half], args)
		if canonical && (arithmeticWide(op) || op == ir.WideF2D) {
			canonWide(e.emitter, z)
		}
	}
	if result == 'w' && e.wide.partner[x.Results[0]] > 0 {
		e.twins(in, out, write)
	} else {
		write(0)
		write(1)
	}
	switch {
	case result == 'b':
		e.K(amd64.KUNPCK, maskStep2, maskStep3, maskStep2)
		e.maskPut(x.Results[0], maskStep2)
	case result == 'w' && e.wide.partner[x.Results[0]] > 0:
	case result == 'w':
		for i, to := range [2]amd64.Z{scratch0, scratch1} {
			e.takeApart(to, out[0], out[1], i)
		}
		e.put(x.Results[0], scratch0)
		e.put(x.Results[1], scratch1)
	default:
		z := e.value(x.Results[0])
		e.VI(amd64.VINSERTHALF, z, scratch4, amd64.R(scratch5), 1)
		if op == ir.WideD2H {
			laneAMD64(e).toHalf(z, amd64.R(z))
		}
		if op == ir.WideD2F && e.wide.exact[x.Results[0]] {
			e.canon(z, amd64.R(z))
		}
	}
}

// flush makes zeros, of the same sign, of words that without it are below least. Such words are rare: where none of
// the strip is one, which the processor foretells, what follows does not wait, and no jump is taken.
func (e pairAMD64) flush(in *Inst, least uint32) {
	x := &e.r.aux[in.C]
	z, d := e.in(e.arg(x.Args[0]), scratch0), e.value(x.Results[0])
	some, on := e.NewLabel(), e.NewLabel()
	e.move(d, z)
	z = d
	switch {
	case e.vectors.narrow: // carry: no bit but of those above
		e.Y(amd64.VPANDD, scratch1, z, e.constant(constAbs))
		e.Y(amd64.VPCMPGTD, scratch2, scratch1, e.words(least-1))
		e.Y(amd64.VPTEST, scratch2, 0, amd64.R(scratch1))
		e.JIf(amd64.IfNotBelow, some)
	case least == 0x00800000:
		e.ToMask(amd64.VFPCLASSPS, maskStep2, 0, amd64.R(z), 0x20, 0) // denormals
		e.ifAny(maskStep2, some)
	default:
		e.V(amd64.VPANDD, scratch1, z, e.constant(constAbs))
		e.V(amd64.VPADDD, scratch1, scratch1, e.constant(constOnes)) // zeros become large
		e.ToMask(amd64.VPCMPUD, maskStep2, scratch1, e.words(least-1), 1, 0)
		e.ifAny(maskStep2, some)
	}
	e.Here(on)
	e.outOfLine(func() {
		e.Here(some)
		e.V(amd64.VPANDD, scratch1, d, e.constant(constAbs))
		e.ToMask(amd64.VPCMPD, maskStep2, scratch1, e.words(least), 1, 0)
		e.VZ(amd64.VMOVDQU, scratch1, 0, amd64.R(scratch1), maskStep2)
		e.V(amd64.VPXORD, d, d, amd64.R(scratch1))
		e.JMP(on)
	})
}

// settlesWide says that a pair is a constant that as the last operand of the minimum or maximum gives what the operation
// does: see minMax.
func (e pairAMD64) settlesWide(op ir.WideOp, lo, hi int32) bool {
	if op != ir.WideFMin && op != ir.WideFMax || !e.wide.pooled[lo] || !e.wide.pooled[hi] {
		return false
	}
	x := uint64(e.wide.value[lo]) | uint64(e.wide.value[hi])<<32
	return x&^(1<<63) <= 0x7FF0000000000000 && x != extremes[op == ir.WideFMax].zero
}

// halfOf writes an operation for half the lanes: to d, or a comparison to k.
func (e pairAMD64) halfOf(op ir.WideOp, d amd64.Z, k amd64.K, args [3]amd64.Arg) {
	a, b, c := args[0], args[1], args[2]
	signature, _ := op.Signature()
	switch by := wideSimple[op]; {
	case wideRoundings[op] != 0:
		e.VI(amd64.VRNDSCALEPD, d, 0, a, wideRoundings[op])
		return
	case by != amd64.Op{} && len(signature) == 1:
		e.V(by, d, 0, a)
		return
	case by != amd64.Op{}:
		e.V(by, d, e.inWide(a, scratch0), b)
		return
	}
	if op == ir.WideF2L || op == ir.WideF2UL {
		e.V(amd64.VCVTPS2PD, scratch0, 0, a)
		a = amd64.R(scratch0)
	}
	x := e.inWide(a, scratch0)
	if inSteps(op) || scalesWide(op) {
		e.stepsOf(op, d, k, x, b)
		return
	}
	switch op {
	case ir.WideFlush64:
		const sign, least = 1 << 63, 1 << 52
		e.V(amd64.VPANDQ, scratch1, x, e.Pool(sign-1))
		e.ToMask(amd64.VPCMPQ, maskStep, scratch1, e.Pool(least-1), 6, 0)
		e.V(amd64.VPANDQ, scratch1, x, e.Pool(sign))
		e.VK(amd64.VPBLENDMQ, d, scratch1, amd64.R(x), maskStep)
	case ir.WideIsNan:
		e.ToMask(amd64.VCMPPD, k, x, amd64.R(x), 3, 0)
	case ir.WideFma:
		laneAMD64(e).multiplyAdd(amd64.VFMADD213PD, amd64.VFMADD231PD, e.inWide, d, x, b, c)
	case ir.WideFMin, ir.WideFMax:
		switch o := extremes[op == ir.WideFMax]; {
		case e.wide.settles[1]:
			e.V(o.wide, d, x, b)
		case e.wide.settles[0]:
			e.V(o.wide, d, e.inWide(b, scratch1), a)
		default:
			laneAMD64(e).ordered(o.wide, o.wideZeros, d, x, e.inWide(b, scratch1), false)
		}
	case ir.WideD2F:
		e.V(amd64.VCVTPD2PS, d, 0, amd64.R(x))
	case ir.WideD2N:
		e.V(amd64.VCVTPD2DQ, d, 0, amd64.R(x))
	case ir.WideD2S:
		// 0 for NaNs, and what is too small becomes the least number.
		e.ToMask(amd64.VCMPPD, maskStep, x, amd64.R(x), 7, 0)
		e.VZ(amd64.VMOVDQU64, scratch1, 0, amd64.R(x), maskStep)
		e.V(amd64.VMINPD, scratch1, scratch1, e.Pool(0x41DFFFFFFFC00000))
		e.V(amd64.VCVTTPD2DQ, d, 0, amd64.R(scratch1))
	case ir.WideD2U:
		e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
		e.V(amd64.VMAXPD, scratch1, x, amd64.R(scratch1)) // 0 for NaNs
		e.V(amd64.VCVTTPD2UDQ, d, 0, amd64.R(scratch1))
	default:
		by := wideComparisons[op]
		e.ToMask(by.op, k, x, b, by.predicate, 0)
	}
}

// wideRows writes f, which finds the operands of an operation in the frame and leaves the result
// there.
func (e pairAMD64) wideRows(in *Inst, f func()) {
	x := &e.r.aux[in.C]
	n := 0
	e.eachWide(in, func(k byte, lo, hi int32) {
		e.Mov1(amd64.VMOVDQUTo, e.in(e.arg(lo), scratch0), amd64.M(regFrame, frameWide+2*laneBytes*n))
		if k == 'w' {
			e.Mov1(amd64.VMOVDQUTo, e.in(e.arg(hi), scratch0), amd64.M(regFrame, frameWide+2*laneBytes*n+laneBytes))
		} else {
			e.V(amd64.VPXORD, scratch0, scratch0, amd64.R(scratch0))
			e.Mov1(amd64.VMOVDQUTo, scratch0, amd64.M(regFrame, frameWide+2*laneBytes*n+laneBytes))
		}
		n++
	})
	f()
	for i, r := range x.Results {
		e.Mov1(amd64.VMOVDQU, scratch0, amd64.M(regFrame, frameWide+6*laneBytes+laneBytes*i))
		if _, result := ir.WideOp(in.Imm).Signature(); result == 'b' && e.asMask[r] {
			e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(scratch0))
			e.maskPut(r, maskStep2)
			continue
		}
		e.put(r, scratch0)
	}
}
