//go:build amd64 || arm64

package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// double is a constant of 64 bits as the last operand.
func (e *emitter) double(i int) amd64.Arg {
	if e.vectors.narrow {
		return e.Pool(doubleWords[i])
	}
	return amd64.All(regFrame, frameDoubles+8*i)
}

// translatesFunction says whether function writes the operation.
func translatesFunction(op ir.Op) bool {
	return op >= ir.OpFRem && op <= ir.OpFrexpExp
}

// temps are registers that a half's steps may use.
type temps struct{ z, t, u, v amd64.Z }

// function writes a function of a, or of a and b.
func (e *emitter) function(op ir.Op, d amd64.Z, a, b amd64.Arg) {
	info, _ := ir.InfoOf(op)
	two := len(info.Args) == 2
	x, y := e.in(a, scratch0), scratch1
	e.Mov1(amd64.VMOVDQUTo, x, amd64.M(regFrame, frameServeA))
	if two {
		y = e.in(b, scratch1)
		e.Mov1(amd64.VMOVDQUTo, y, amd64.M(regFrame, frameServeB))
	}
	var steps func(half int, r temps)
	switch op {
	case ir.OpFExp2:
		steps = func(_ int, r temps) { e.exp2(r) }
	case ir.OpFExp:
		steps = func(_ int, r temps) { e.V(amd64.VMULPD, r.z, r.z, e.double(doubleLog2E)); e.exp2(r) }
	case ir.OpFLog2:
		steps = func(_ int, r temps) { e.log(r, doubleLog2E) }
	case ir.OpFLog:
		steps = func(_ int, r temps) { e.log(r, doubleLn2) }
	case ir.OpFPow:
		steps = func(half int, r temps) {
			e.log(r, doubleLog2E)
			e.widen(r.t, y, half)
			e.V(amd64.VMULPD, r.z, r.z, amd64.R(r.t))
			e.exp2(r)
		}
	case ir.OpFSin, ir.OpFCos, ir.OpFTan:
		steps = func(_ int, r temps) { e.trigonometric(op, r) }
	case ir.OpFAtan, ir.OpFAsin, ir.OpFAcos, ir.OpFAtan2:
		steps = func(half int, r temps) { e.arc(op, r, y, half) }
	case ir.OpFSinh, ir.OpFCosh, ir.OpFTanh:
		steps = func(_ int, r temps) { e.hyperbolic(op, r) }
	case ir.OpFAsinh, ir.OpFAcosh, ir.OpFAtanh:
		steps = func(_ int, r temps) { e.area(op, r) }
	case ir.OpFLdexp:
		e.V(amd64.VCVTDQ2PS, scratch1, 0, amd64.R(y)) // y may be the operand's register
		y = scratch1
		steps = func(half int, r temps) {
			e.widen(r.t, y, half)
			e.V(amd64.VMINPD, r.t, r.t, e.double(double300))
			e.V(amd64.VMAXPD, r.t, r.t, e.double(doubleMinus300))
			e.V(amd64.VADDPD, r.t, r.t, e.double(doubleMagic))
			e.scale(r.z, r.z, r.t)
		}
	default: // all lanes
		e.KMOV(maskStep2, maskAll)
		e.Mov1(amd64.VMOVDQU, scratch2, amd64.R(x))
		e.serve(op)
		e.Mov1(amd64.VMOVDQU, d, amd64.R(scratch2))
		return
	}
	e.widen(scratch2, x, 0)
	steps(0, temps{scratch2, scratch3, scratch4, scratch5})
	e.V(amd64.VCVTPD2PS, scratch2, 0, amd64.R(scratch2))
	e.widen(scratch3, x, 1)
	steps(1, temps{scratch3, scratch4, scratch5, scratch0})
	e.V(amd64.VCVTPD2PS, scratch3, 0, amd64.R(scratch3))
	e.VI(amd64.VINSERTHALF, scratch2, scratch2, amd64.R(scratch3), 1)
	e.unusual(op)
	e.Mov1(amd64.VMOVDQU, d, amd64.R(scratch2))
}

// widen sets d to a half of x in binary64.
func (e *emitter) widen(d, x amd64.Z, half int) {
	if half != 0 {
		e.VHalfI(amd64.VEXTRACTHALF, x, d, 1)
		x = d
	}
	e.V(amd64.VCVTPS2PD, d, 0, amd64.R(x))
}

// unusual mends scratch2 in the lanes whose operands the steps are not for.
func (e *emitter) unusual(op ir.Op) {
	a := amd64.M(regFrame, frameServeA)
	e.Mov1(amd64.VMOVDQU, scratch0, a)
	nan := func(k amd64.K) { e.VK(amd64.VPBROADCASTD, scratch2, 0, e.constant(constNaN).One(), k) }
	switch op {
	case ir.OpFExp2, ir.OpFExp, ir.OpFAtan, ir.OpFTanh, ir.OpFLdexp:
		e.ToMask(amd64.VCMPPS, maskStep2, scratch0, amd64.R(scratch0), 3, 0)
		nan(maskStep2)
	case ir.OpFAtan2:
		e.ToMask(amd64.VCMPPS, maskStep2, scratch0, amd64.M(regFrame, frameServeB), 3, 0)
		nan(maskStep2)
	case ir.OpFAsin, ir.OpFAcos:
		e.V(amd64.VPANDD, scratch1, scratch0, e.constant(constAbs))
		e.ToMask(amd64.VCMPPS, maskStep2, scratch1, e.constant(constOne), 22, 0) // not ≤ 1
		nan(maskStep2)
	case ir.OpFSinh, ir.OpFCosh: // infinite where exp is
		e.V(amd64.VPANDD, scratch1, scratch0, e.constant(constAbs))
		e.ToMask(amd64.VCMPPS, maskStep2, scratch1, e.words(lastExp), 30, 0) // greater
		e.Mov1(amd64.VPBROADCASTD, scratch1, e.constant(constInf).One())
		if op == ir.OpFSinh {
			e.V(amd64.VPANDD, scratch3, scratch0, e.constant(constSign))
			e.V(amd64.VPORD, scratch1, scratch1, amd64.R(scratch3))
		}
		e.VK(amd64.VMOVDQU, scratch2, 0, amd64.R(scratch1), maskStep2)
		e.ToMask(amd64.VCMPPS, maskStep2, scratch0, amd64.R(scratch0), 3, 0)
		nan(maskStep2)
	case ir.OpFAsinh, ir.OpFAcosh, ir.OpFAtanh:
		least, most := areaRange(op)
		e.V(amd64.VPANDD, scratch1, scratch0, e.constant(constAbs))
		if op == ir.OpFAcosh {
			e.Mov1(amd64.VMOVDQU, scratch1, amd64.R(scratch0))
		} else {
			e.V(amd64.VPANDD, scratch3, scratch0, e.constant(constSign))
			e.V(amd64.VPORD, scratch2, scratch2, amd64.R(scratch3))
		}
		e.V(amd64.VPSUBD, scratch1, scratch1, e.words(least))
		e.ToMask(amd64.VPCMPUD, maskStep2, scratch1, e.words(most-least), 6, maskAll) // above
		e.serve(op)
	case ir.OpFLog2, ir.OpFLog:
		e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
		e.ToMask(amd64.VCMPPS, maskStep2, scratch0, amd64.R(scratch1), 25, 0) // not ≥ 0
		nan(maskStep2)
		e.ToMask(amd64.VCMPPS, maskStep2, scratch0, amd64.R(scratch1), 0, 0)
		e.VK(amd64.VPBROADCASTD, scratch2, 0, e.constant(constMinusInf).One(), maskStep2)
		e.ToMask(amd64.VCMPPS, maskStep2, scratch0, e.constant(constInf), 0, 0)
		e.VK(amd64.VPBROADCASTD, scratch2, 0, e.constant(constInf).One(), maskStep2)
	case ir.OpFSin, ir.OpFCos, ir.OpFTan:
		e.V(amd64.VPANDD, scratch1, scratch0, e.constant(constAbs))
		if op != ir.OpFCos { // zeros keep their sign
			e.V(amd64.VPXORD, scratch3, scratch3, amd64.R(scratch3))
			e.ToMask(amd64.VPCMPD, maskStep2, scratch1, amd64.R(scratch3), 0, 0)
			e.VK(amd64.VMOVDQU, scratch2, 0, amd64.R(scratch0), maskStep2)
		}
		e.ToMask(amd64.VCMPPS, maskStep2, scratch1, e.constant(const2p20), 21, maskAll) // not below 2^20
		e.serve(op)
	case ir.OpFPow:
		// x positive and y finite, as integers: 0 < x < inf, |y| < inf.
		e.Mov1(amd64.VPBROADCASTD, scratch3, e.constant(constI1).One())
		e.V(amd64.VPSUBD, scratch1, scratch0, amd64.R(scratch3))
		e.ToMask(amd64.VPCMPUD, maskStep2, scratch1, e.constant(constMaxFloat), 5, maskAll) // not below
		e.Mov1(amd64.VMOVDQU, scratch4, amd64.M(regFrame, frameServeB))
		e.V(amd64.VPANDD, scratch1, scratch4, e.constant(constAbs))
		e.ToMask(amd64.VPCMPUD, maskStep3, scratch1, e.constant(constInf), 5, maskAll)
		e.KOR(maskStep2, maskStep2, maskStep3)
		// 0 to a positive power is common.
		e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
		e.ToMask(amd64.VPCMPD, maskStep3, scratch0, amd64.R(scratch1), 0, maskStep2)
		e.ToMask(amd64.VCMPPS, maskStep3, scratch1, amd64.R(scratch4), 17, maskStep3)
		e.ToMask(amd64.VCMPPS, maskStep3, scratch4, e.constant(constInf), 17, maskStep3)
		e.VK(amd64.VMOVDQU, scratch2, 0, amd64.R(scratch1), maskStep3)
		e.KANDN(maskStep2, maskStep3, maskStep2)
		e.serve(op)
	}
}

// exp2 sets z to 2^z.
func (e *emitter) exp2(r temps) {
	x, t, p := r.z, r.t, r.u
	e.V(amd64.VMINPD, x, x, e.double(double200))
	e.V(amd64.VMAXPD, x, x, e.double(doubleMinus200))
	e.V(amd64.VADDPD, t, x, e.double(doubleMagic))
	e.V(amd64.VSUBPD, p, t, e.double(doubleMagic))
	e.V(amd64.VSUBPD, x, x, amd64.R(p))
	e.series(p, x, doubleExp, len(fp.Exp2Series))
	e.scale(x, p, t)
}

// scale sets d to p times two to a power, which t has in its low bits: see fp.exp2.
func (e *emitter) scale(d, p, t amd64.Z) {
	e.V(amd64.VPADDQ, t, t, e.double(double1023))
	e.VI(amd64.VPSLLQ, t, 0, amd64.R(t), 52)
	e.V(amd64.VMULPD, d, p, amd64.R(t))
}

// hyperbolic sets z to its hyperbolic sine, cosine or tangent.
func (e *emitter) hyperbolic(op ir.Op, r temps) {
	z, t, p, x := r.z, r.t, r.u, r.v
	e.Mov1(amd64.VMOVDQU, x, amd64.R(z))
	if op == ir.OpFTanh {
		e.V(amd64.VMULPD, z, z, e.double(double2Log2E))
		e.exp2(r)
		e.V(amd64.VADDPD, z, z, e.double(double1))
		e.Mov1(amd64.VPBROADCASTQ, t, e.double(double2).One())
		e.V(amd64.VDIVPD, t, t, amd64.R(z))
		e.Mov1(amd64.VPBROADCASTQ, z, e.double(double1).One())
		e.V(amd64.VSUBPD, z, z, amd64.R(t))
	} else {
		e.V(amd64.VMULPD, z, z, e.double(doubleLog2E))
		e.exp2(r)
		e.Mov1(amd64.VPBROADCASTQ, t, e.double(doubleHalf).One())
		e.V(amd64.VDIVPD, t, t, amd64.R(z))
		e.V(amd64.VMULPD, z, z, e.double(doubleHalf))
		if op == ir.OpFCosh {
			e.V(amd64.VADDPD, z, z, amd64.R(t))
			return
		}
		e.V(amd64.VSUBPD, z, z, amd64.R(t))
	}
	// Near zero, where that loses bits: the series of the sine.
	e.V(amd64.VMULPD, t, x, amd64.R(x))
	e.Mov1(amd64.VPBROADCASTQ, p, e.double(doubleSinh).One())
	for i := 1; i < len(fp.SinhSeries); i++ {
		e.V(amd64.VMULPD, p, p, amd64.R(t))
		e.V(amd64.VADDPD, p, p, e.double(doubleSinh+i))
	}
	e.V(amd64.VMULPD, p, p, amd64.R(t))
	e.V(amd64.VMULPD, p, p, amd64.R(x))
	e.V(amd64.VADDPD, p, p, amd64.R(x))
	near := double1
	if op == ir.OpFTanh {
		near = doubleHalf
		e.V(amd64.VMULPD, t, p, amd64.R(p))
		e.V(amd64.VADDPD, t, t, e.double(double1))
		e.V(amd64.VSQRTPD, t, 0, amd64.R(t))
		e.V(amd64.VDIVPD, p, p, amd64.R(t))
	}
	e.V(amd64.VPANDQ, x, x, e.double(doubleAbs))
	e.ToMask(amd64.VCMPPD, maskStep2, x, e.double(near), 17, 0) // less
	e.VK(amd64.VMOVDQU64, z, 0, amd64.R(p), maskStep2)
}

// area sets z to the inverse hyperbolic function of its size.
func (e *emitter) area(op ir.Op, r temps) {
	z, t, u := r.z, r.t, r.u
	e.V(amd64.VPANDQ, z, z, e.double(doubleAbs))
	switch op {
	case ir.OpFAsinh:
		e.V(amd64.VMULPD, t, z, amd64.R(z))
		e.V(amd64.VADDPD, t, t, e.double(double1))
	case ir.OpFAcosh:
		e.V(amd64.VADDPD, t, z, e.double(doubleMinus1))
		e.V(amd64.VADDPD, u, z, e.double(double1))
		e.V(amd64.VMULPD, t, t, amd64.R(u))
	default:
		e.V(amd64.VADDPD, t, z, e.double(double1))
		e.Mov1(amd64.VPBROADCASTQ, u, e.double(double1).One())
		e.V(amd64.VSUBPD, u, u, amd64.R(z))
		e.V(amd64.VDIVPD, z, t, amd64.R(u))
		e.log(r, doubleLn2)
		e.V(amd64.VMULPD, z, z, e.double(doubleHalf))
		return
	}
	e.V(amd64.VSQRTPD, t, 0, amd64.R(t))
	e.V(amd64.VADDPD, z, z, amd64.R(t))
	e.log(r, doubleLn2)
}

// series sets p to a polynomial of x, the highest coefficient first.
func (e *emitter) series(p, x amd64.Z, first, n int) {
	e.Mov1(amd64.VPBROADCASTQ, p, e.double(first).One())
	for i := 1; i < n; i++ {
		e.V(amd64.VFMADD213PD, p, x, e.double(first+i))
	}
}

// log sets z to its logarithm: to base 2, or the natural one.
func (e *emitter) log(r temps, base int) {
	m, k, s, p := r.z, r.t, r.u, r.v
	e.V(amd64.VPSUBQ, k, m, e.double(doubleSqrtHalf))
	e.exponent(k, s)
	e.V(amd64.VPSUBQ, m, m, amd64.R(s))
	e.V(amd64.VADDPD, s, m, e.double(doubleMinus1))
	e.V(amd64.VADDPD, m, m, e.double(double1))
	e.V(amd64.VDIVPD, s, s, amd64.R(m))
	e.V(amd64.VMULPD, m, s, amd64.R(s))
	e.series(p, m, doubleAtanh, len(fp.AtanhSeries))
	if base == doubleLn2 {
		e.V(amd64.VMULPD, k, k, e.double(doubleLn2))
		e.V(amd64.VMULPD, s, s, e.double(double2))
	} else {
		e.V(amd64.VMULPD, s, s, e.double(double2Log2E))
	}
	e.V(amd64.VFMADD213PD, s, p, amd64.R(k))
	e.Mov1(amd64.VMOVDQU, m, amd64.R(s))
}

// exponent sets s to the upper 12 bits of k, and k to the number that they are.
func (e *emitter) exponent(k, s amd64.Z) {
	if e.vectors.narrow { // 2^52 more, and 2048
		e.V(amd64.VPANDQ, s, k, e.Pool(0xFFF<<52))
		e.V(amd64.VPXORQ, k, k, e.Pool(1<<63))
		e.VI(amd64.VPSRLQ, k, 0, amd64.R(k), 52)
		e.V(amd64.VPORD, k, k, e.Pool(bits2p52))
		e.V(amd64.VSUBPD, k, k, e.Pool(bits2p52plus2048))
		return
	}
	e.VI(amd64.VPSRAQ, k, 0, amd64.R(k), 52)
	e.VI(amd64.VPSLLQ, s, 0, amd64.R(k), 52)
	e.V(amd64.VCVTQQ2PD, k, 0, amd64.R(k))
}

// trigonometric sets z to its sine, cosine or tangent; below 2^20.
func (e *emitter) trigonometric(op ir.Op, r temps) {
	x, t, z, p := r.z, r.t, r.u, r.v
	e.V(amd64.VMULPD, t, x, e.double(double2OverPi))
	e.V(amd64.VADDPD, t, t, e.double(doubleMagic))
	e.V(amd64.VSUBPD, z, t, e.double(doubleMagic))
	for _, c := range [3]int{doublePio2a, doublePio2b, doublePio2c} {
		e.V(amd64.VMULPD, p, z, e.double(c))
		e.V(amd64.VSUBPD, x, x, amd64.R(p))
	}
	e.V(amd64.VMULPD, z, x, amd64.R(x))
	e.series(p, z, doubleSin, len(fp.SinSeries))
	e.V(amd64.VMULPD, p, p, amd64.R(z))
	e.V(amd64.VFMADD213PD, x, p, amd64.R(x))     // the sine
	e.series(p, z, doubleCos, len(fp.CosSeries)) // the cosine
	if op == ir.OpFCos {
		e.V(amd64.VPADDQ, t, t, e.double(double1I))
	}
	e.ToMask(amd64.VPTESTMQ, maskStep2, t, e.double(double1I), -1, 0)
	if op == ir.OpFTan {
		e.V(amd64.VPXORQ, z, p, e.double(doubleSign))
		e.V2K(amd64.VPBLENDMQ, z, x, amd64.R(z), maskStep2)
		e.V2K(amd64.VPBLENDMQ, p, p, amd64.R(x), maskStep2)
		e.V(amd64.VDIVPD, x, z, amd64.R(p))
		return
	}
	e.V2K(amd64.VPBLENDMQ, x, x, amd64.R(p), maskStep2)
	e.VI(amd64.VPSLLQ, t, 0, amd64.R(t), 62)
	e.V(amd64.VPANDQ, t, t, e.double(doubleSign))
	e.V(amd64.VPXORQ, x, x, amd64.R(t))
}

// arc sets z to the angle of a point that the operation says: fp.atan2.
func (e *emitter) arc(op ir.Op, r temps, b amd64.Z, half int) {
	y, x, t, p := r.z, r.t, r.u, r.v
	root := func(to amd64.Z) { // √((1 - y)(1 + y))
		e.Mov1(amd64.VPBROADCASTQ, t, e.double(double1).One())
		e.V(amd64.VSUBPD, t, t, amd64.R(y))
		e.V(amd64.VADDPD, p, y, e.double(double1))
		e.V(amd64.VMULPD, t, t, amd64.R(p))
		e.V(amd64.VSQRTPD, to, 0, amd64.R(t))
	}
	switch op {
	case ir.OpFAtan:
		e.Mov1(amd64.VPBROADCASTQ, x, e.double(double1).One())
	case ir.OpFAsin:
		root(x)
	case ir.OpFAcos:
		root(p)
		e.Mov1(amd64.VMOVDQU, x, amd64.R(y))
		e.Mov1(amd64.VMOVDQU, y, amd64.R(p))
	default:
		e.widen(x, b, half)
	}
	signs := [2]amd64.Arg{amd64.M(regFrame, frameTemps), amd64.M(regFrame, frameTemps+laneBytes)}
	e.Mov1(amd64.VMOVDQUTo, y, signs[0])
	e.Mov1(amd64.VMOVDQUTo, x, signs[1])
	e.V(amd64.VPANDQ, y, y, e.double(doubleAbs))
	e.V(amd64.VPANDQ, x, x, e.double(doubleAbs))
	const greater = 30
	e.ToMask(amd64.VCMPPD, maskStep2, y, amd64.R(x), greater, 0)
	e.V(amd64.VMINPD, p, y, amd64.R(x))
	e.V(amd64.VMAXPD, x, y, amd64.R(x))
	e.V(amd64.VDIVPD, t, p, amd64.R(x))
	e.V(amd64.VPXORQ, y, y, amd64.R(y))
	e.ToMask(amd64.VCMPPD, maskStep3, x, amd64.R(y), 0, 0)
	e.VK(amd64.VMOVDQU64, t, 0, amd64.R(y), maskStep3)
	e.ToMask(amd64.VCMPPD, maskStep3, p, e.double(doubleMaxFloat), greater, 0)
	e.VK(amd64.VPBROADCASTQ, t, 0, e.double(double1).One(), maskStep3)
	e.ToMask(amd64.VCMPPD, maskStep3, t, e.double(doubleTan8), greater, 0)
	e.V(amd64.VADDPD, x, t, e.double(doubleMinus1))
	e.V(amd64.VADDPD, p, t, e.double(double1))
	e.VK(amd64.VDIVPD, t, x, amd64.R(p), maskStep3)
	e.V(amd64.VMULPD, x, t, amd64.R(t))
	e.series(p, x, doubleAtan, len(fp.AtanSeries))
	e.V(amd64.VMULPD, p, p, amd64.R(x))
	e.V(amd64.VFMADD213PD, t, p, amd64.R(t))
	e.VZ(amd64.VPBROADCASTQ, x, 0, e.double(doublePi4).One(), maskStep3)
	e.V(amd64.VADDPD, t, x, amd64.R(t))
	e.Mov1(amd64.VPBROADCASTQ, x, e.double(doublePi2).One())
	e.VK(amd64.VSUBPD, t, x, amd64.R(t), maskStep2)
	e.Mov1(amd64.VMOVDQU, y, signs[1])
	e.V(amd64.VPMOVQ2M, amd64.Z(maskStep2), 0, amd64.R(y))
	e.Mov1(amd64.VPBROADCASTQ, x, e.double(doublePi).One())
	e.VK(amd64.VSUBPD, t, x, amd64.R(t), maskStep2)
	e.V(amd64.VPANDQ, t, t, e.double(doubleAbs))
	e.Mov1(amd64.VPBROADCASTQ, x, e.double(doubleSign).One())
	e.V(amd64.VPANDQ, x, x, signs[0])
	e.V(amd64.VPXORQ, y, t, amd64.R(x))
}

// serve leaves the lanes in maskStep2, if there are any, to Go: operands are in the
// frame, and the result is scratch2.
func (e *emitter) serve(op ir.Op) {
	out, on := e.NewLabel(), e.NewLabel()
	e.KTEST(maskStep2, maskStep2)
	e.JIf(amd64.IfNotZero, out)
	e.Here(on)
	e.outOfLine(func() {
		e.Here(out)
		back := e.NewLabel()
		e.KTO(amd64.RAX, maskStep2)
		e.MOVLStore(amd64.M(regFrame, frameServeMask), amd64.RAX)
		e.Mov1(amd64.VMOVDQUTo, scratch2, amd64.M(regFrame, frameServeD))
		e.MOVLImmStore(amd64.M(regFrame, frameServeOp), uint32(op))
		e.leave(exitServe, back)
		e.Here(back)
		e.Mov1(amd64.VMOVDQU, scratch2, amd64.M(regFrame, frameServeD))
		e.JMP(on)
	})
}
