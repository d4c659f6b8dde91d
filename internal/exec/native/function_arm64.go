package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Registers of functions: the steps of a half of the lanes work in z, which has the operand and gets the
// result, and three more; a constant, a mask and the result of all lanes have their own.
const (
	stepZ    = scratch0
	stepT    = scratch1
	stepU    = scratch2
	stepP    = scratch3
	stepC    = scratch4
	stepDone = scratch5
	stepMask = maskStep
)

// double is a constant of 64 bits in a register.
func (e *emitter) double(i int) arm64.V {
	e.Const(stepC, doubleWords[i], doubleWords[i])
	return stepC
}

// writesFunction says that function has steps for the operation.
func writesFunction(op ir.Op) bool {
	switch op {
	case ir.OpFExp2, ir.OpFExp, ir.OpFLog2, ir.OpFLog, ir.OpFPow, ir.OpFSin, ir.OpFCos, ir.OpFTan, ir.OpFAtan, ir.OpFAsin, ir.OpFAcos, ir.OpFAtan2,
		ir.OpFSinh, ir.OpFCosh, ir.OpFTanh, ir.OpFAsinh, ir.OpFAcosh, ir.OpFAtanh, ir.OpFLdexp:
		return true
	}
	return false
}

// function writes a function of a, or of a and b.
func (e *emitter) function(op ir.Op, d arm64.V, a, b operand) {
	e.Vec(arm64.STRQ, e.in(a, scratch0), regFrame, frameServeA)
	switch op {
	case ir.OpFPow, ir.OpFAtan2:
		e.Vec(arm64.STRQ, e.in(b, scratch0), regFrame, frameServeB)
	case ir.OpFLdexp:
		e.V2(arm64.SCVTF4S, scratch1, e.in(b, scratch0))
		e.Vec(arm64.STRQ, scratch1, regFrame, frameServeB)
	}
	for half := range 2 {
		e.widen(stepZ, frameServeA, half)
		switch op {
		case ir.OpFExp2:
			e.exp2()
		case ir.OpFExp:
			e.V3(arm64.FMUL2D, stepZ, stepZ, e.double(doubleLog2E))
			e.exp2()
		case ir.OpFLog2:
			e.log(doubleLog2E)
		case ir.OpFLog:
			e.log(doubleLn2)
		case ir.OpFPow:
			e.log(doubleLog2E)
			e.widen(stepT, frameServeB, half)
			e.V3(arm64.FMUL2D, stepZ, stepZ, stepT)
			e.exp2()
		case ir.OpFSin, ir.OpFCos, ir.OpFTan:
			e.trigonometric(op)
		case ir.OpFSinh, ir.OpFCosh, ir.OpFTanh:
			e.hyperbolic(op)
		case ir.OpFAsinh, ir.OpFAcosh, ir.OpFAtanh:
			e.area(op)
		case ir.OpFLdexp:
			e.widen(stepT, frameServeB, half)
			e.V3(arm64.FMINNM2D, stepT, stepT, e.double(double300))
			e.V3(arm64.FMAXNM2D, stepT, stepT, e.double(doubleMinus300))
			e.V3(arm64.FADD2D, stepT, stepT, e.double(doubleMagic))
			e.scale(stepZ)
		default:
			e.arc(op, half)
		}
		e.V2([2]arm64.Op{arm64.FCVTN2S, arm64.FCVTN24S}[half], stepDone, stepZ)
	}
	e.unusual(op)
	e.MOV(d, stepDone)
}

// widen sets d to half of the lanes of a row of the frame in binary64.
func (e *emitter) widen(d arm64.V, row, half int) {
	e.Vec(arm64.LDRD, d, regFrame, row+8*half)
	e.V2(arm64.FCVTL2D, d, d)
}

// unusual mends the result in the lanes whose operands the steps are not for.
func (e *emitter) unusual(op ir.Op) {
	x, t, u := scratch0, scratch1, scratch2
	e.Vec(arm64.LDRQ, x, regFrame, frameServeA)
	constant := func(c uint32) arm64.V { e.constant(stepC, c); return stepC }
	numbers := func(k arm64.V) { e.V3(arm64.BIF, stepDone, constant(fp.CanonicalNaN), k) } // NaN in the other lanes
	switch op {
	case ir.OpFExp2, ir.OpFExp, ir.OpFAtan, ir.OpFTanh, ir.OpFLdexp:
		e.V3(arm64.FCMEQ4S, t, x, x)
		numbers(t)
	case ir.OpFSinh, ir.OpFCosh: // infinite where exp is
		e.V2(arm64.FABS4S, t, x)
		e.V3(arm64.FCMGT4S, t, t, constant(lastExp))
		e.MOV(u, constant(0x7F800000))
		if op == ir.OpFSinh {
			e.V3(arm64.BIT, u, x, constant(1<<31))
		}
		e.V3(arm64.BIT, stepDone, u, t)
		e.V3(arm64.FCMEQ4S, t, x, x)
		numbers(t)
	case ir.OpFAsinh, ir.OpFAcosh, ir.OpFAtanh:
		least, most := areaRange(op)
		e.MOV(t, x)
		if op != ir.OpFAcosh {
			e.V2(arm64.FABS4S, t, x)
			e.V3(arm64.BIT, stepDone, x, constant(1<<31))
		}
		e.V3(arm64.SUB4S, t, t, constant(least))
		e.V3(arm64.CMHS4S, stepMask, t, constant(most-least+1)) // above
		e.V3(arm64.AND, stepMask, stepMask, maskAll)
		e.serveLanes(op)
	case ir.OpFAtan2:
		e.Vec(arm64.LDRQ, u, regFrame, frameServeB)
		e.V3(arm64.FCMEQ4S, t, x, x)
		e.V3(arm64.FCMEQ4S, u, u, u)
		e.V3(arm64.AND, t, t, u)
		numbers(t)
	case ir.OpFAsin, ir.OpFAcos:
		e.V2(arm64.FABS4S, t, x)
		e.V3(arm64.FCMGE4S, t, constant(0x3F800000), t)
		numbers(t)
	case ir.OpFLog2, ir.OpFLog:
		e.MOVI(u, 0, 0)
		e.V3(arm64.FCMGE4S, t, x, u)
		numbers(t)
		e.V3(arm64.FCMEQ4S, t, x, u)
		e.V3(arm64.BIT, stepDone, constant(0xFF800000), t)
		e.V3(arm64.FCMEQ4S, t, x, constant(0x7F800000))
		e.V3(arm64.BIT, stepDone, constant(0x7F800000), t)
	case ir.OpFSin, ir.OpFCos, ir.OpFTan:
		e.V2(arm64.FABS4S, t, x)
		if op != ir.OpFCos { // zeros keep their sign
			e.V2(arm64.CMEQ04S, u, t)
			e.V3(arm64.BIT, stepDone, x, u)
		}
		e.V3(arm64.FCMGT4S, t, constant(0x49800000), t) // below 2^20
		e.V3(arm64.BIC, stepMask, maskAll, t)
		e.serveLanes(op)
	default: // pow: x is to be positive, and both no more than numbers
		const inf = 0x7F800000
		y := scratch3
		e.Vec(arm64.LDRQ, y, regFrame, frameServeB)
		e.V3(arm64.SUB4S, t, x, constant(1))
		e.V3(arm64.CMHS4S, stepMask, t, constant(inf-1))
		e.V2(arm64.FABS4S, t, y)
		e.V3(arm64.CMHS4S, t, t, constant(inf))
		e.V3(arm64.ORR, stepMask, stepMask, t)
		e.V3(arm64.AND, stepMask, stepMask, maskAll)
		// 0 to a positive power is common.
		e.V2(arm64.CMEQ04S, x, x)
		e.V2(arm64.FCMGT04S, u, y)
		e.V3(arm64.AND, x, x, u)
		e.V3(arm64.BIC, x, x, t)
		e.V3(arm64.BIC, stepDone, stepDone, x)
		e.V3(arm64.BIC, stepMask, stepMask, x)
		e.serveLanes(op)
	}
}

// exp2 sets z to 2^z.
func (e *emitter) exp2() {
	e.V3(arm64.FMINNM2D, stepZ, stepZ, e.double(double200))
	e.V3(arm64.FMAXNM2D, stepZ, stepZ, e.double(doubleMinus200))
	magic := e.double(doubleMagic)
	e.V3(arm64.FADD2D, stepT, stepZ, magic)
	e.V3(arm64.FSUB2D, stepP, stepT, magic)
	e.V3(arm64.FSUB2D, stepZ, stepZ, stepP)
	e.series(stepZ, doubleExp, len(fp.Exp2Series))
	e.scale(stepP)
}

// scale sets z to p times two to a power, which t has in its low bits: see fp.exp2.
func (e *emitter) scale(p arm64.V) {
	e.V3(arm64.ADD2D, stepT, stepT, e.double(double1023))
	e.Shift(arm64.SHL2D, stepT, stepT, 52)
	e.V3(arm64.FMUL2D, stepZ, p, stepT)
}

// hyperbolic sets z to its hyperbolic sine, cosine or tangent.
func (e *emitter) hyperbolic(op ir.Op) {
	z, t, x, p := stepZ, stepT, stepU, stepP
	e.MOV(x, z)
	if op == ir.OpFTanh {
		e.V3(arm64.FMUL2D, z, z, e.double(double2Log2E))
		e.exp2()
		e.V3(arm64.FADD2D, z, z, e.double(double1))
		e.V3(arm64.FDIV2D, t, e.double(double2), z)
		e.V3(arm64.FSUB2D, z, e.double(double1), t)
	} else {
		e.V3(arm64.FMUL2D, z, z, e.double(doubleLog2E))
		e.exp2()
		half := e.double(doubleHalf)
		e.V3(arm64.FDIV2D, t, half, z)
		e.V3(arm64.FMUL2D, z, z, half)
		if op == ir.OpFCosh {
			e.V3(arm64.FADD2D, z, z, t)
			return
		}
		e.V3(arm64.FSUB2D, z, z, t)
	}
	// Near zero, where that loses bits: the series of the sine.
	e.V3(arm64.FMUL2D, t, x, x)
	e.MOV(p, e.double(doubleSinh))
	for i := 1; i < len(fp.SinhSeries); i++ {
		e.V3(arm64.FMUL2D, p, p, t)
		e.V3(arm64.FADD2D, p, p, e.double(doubleSinh+i))
	}
	e.V3(arm64.FMUL2D, p, p, t)
	e.V3(arm64.FMUL2D, p, p, x)
	e.V3(arm64.FADD2D, p, p, x)
	near := double1
	if op == ir.OpFTanh {
		near = doubleHalf
		e.V3(arm64.FMUL2D, t, p, p)
		e.V3(arm64.FADD2D, t, t, e.double(double1))
		e.V2(arm64.FSQRT2D, t, t)
		e.V3(arm64.FDIV2D, p, p, t)
	}
	e.V2(arm64.FABS2D, x, x)
	e.V3(arm64.FCMGT2D, stepMask, e.double(near), x)
	e.V3(arm64.BIT, z, p, stepMask)
}

// area sets z to the inverse hyperbolic function of its size.
func (e *emitter) area(op ir.Op) {
	z, t, u := stepZ, stepT, stepU
	e.V2(arm64.FABS2D, z, z)
	one := e.double(double1)
	switch op {
	case ir.OpFAsinh:
		e.V3(arm64.FMUL2D, t, z, z)
		e.V3(arm64.FADD2D, t, t, one)
	case ir.OpFAcosh:
		e.V3(arm64.FSUB2D, t, z, one)
		e.V3(arm64.FADD2D, u, z, one)
		e.V3(arm64.FMUL2D, t, t, u)
	default:
		e.V3(arm64.FADD2D, t, z, one)
		e.V3(arm64.FSUB2D, u, one, z)
		e.V3(arm64.FDIV2D, z, t, u)
		e.log(doubleLn2)
		e.V3(arm64.FMUL2D, z, z, e.double(doubleHalf))
		return
	}
	e.V2(arm64.FSQRT2D, t, t)
	e.V3(arm64.FADD2D, z, z, t)
	e.log(doubleLn2)
}

// series sets p to a polynomial of x, the highest coefficient first. The instruction adds to
// the coefficient.
func (e *emitter) series(x arm64.V, first, n int) {
	p, c := stepC, stepP
	if n%2 == 1 {
		p, c = c, p
	}
	for i := range n {
		k := doubleWords[first+i]
		if i == 0 {
			e.Const(p, k, k)
			continue
		}
		e.Const(c, k, k)
		e.V3(arm64.FMLA2D, c, p, x)
		p, c = c, p
	}
}

// log sets z to its logarithm: to base 2, or the natural one.
func (e *emitter) log(base int) {
	m, k, s := stepZ, stepT, stepU
	e.V3(arm64.SUB2D, k, m, e.double(doubleSqrtHalf))
	e.Shift(arm64.SSHR2D, k, k, 52)
	e.Shift(arm64.SHL2D, s, k, 52)
	e.V3(arm64.SUB2D, m, m, s)
	e.V2(arm64.SCVTF2D, k, k)
	one := e.double(double1)
	e.V3(arm64.FSUB2D, s, m, one)
	e.V3(arm64.FADD2D, m, m, one)
	e.V3(arm64.FDIV2D, s, s, m)
	e.V3(arm64.FMUL2D, m, s, s)
	e.series(m, doubleAtanh, len(fp.AtanhSeries))
	by := double2Log2E
	if base == doubleLn2 {
		e.V3(arm64.FMUL2D, k, k, e.double(doubleLn2))
		by = double2
	}
	e.V3(arm64.FMUL2D, s, s, e.double(by))
	e.V3(arm64.FMLA2D, k, s, stepP)
	e.MOV(m, k)
}

// trigonometric sets z to its sine, cosine or tangent; below 2^20.
func (e *emitter) trigonometric(op ir.Op) {
	x, t, z, p := stepZ, stepT, stepU, stepP
	e.V3(arm64.FMUL2D, t, x, e.double(double2OverPi))
	magic := e.double(doubleMagic)
	e.V3(arm64.FADD2D, t, t, magic)
	e.V3(arm64.FSUB2D, z, t, magic)
	for _, c := range [3]int{doublePio2a, doublePio2b, doublePio2c} {
		e.V3(arm64.FMUL2D, p, z, e.double(c))
		e.V3(arm64.FSUB2D, x, x, p)
	}
	e.V3(arm64.FMUL2D, z, x, x)
	e.series(z, doubleSin, len(fp.SinSeries))
	e.V3(arm64.FMUL2D, p, p, z)
	e.V3(arm64.FMLA2D, x, p, x)               // the sine
	e.series(z, doubleCos, len(fp.CosSeries)) // the cosine
	one := e.double(double1I)
	if op == ir.OpFCos {
		e.V3(arm64.ADD2D, t, t, one)
	}
	e.V3(arm64.CMTST2D, stepMask, t, one)
	if op == ir.OpFTan {
		e.V2(arm64.FNEG2D, z, p)
		e.V3(arm64.BIF, z, x, stepMask)
		e.V3(arm64.BIT, p, x, stepMask)
		e.V3(arm64.FDIV2D, x, z, p)
		return
	}
	e.V3(arm64.BIT, x, p, stepMask)
	e.Shift(arm64.SHL2D, t, t, 62)
	e.V3(arm64.AND, t, t, e.double(doubleSign))
	e.V3(arm64.EOR, x, x, t)
}

// arc sets z to the angle of a point that the operation says: fp.atan2.
func (e *emitter) arc(op ir.Op, half int) {
	y, x, t, p := stepZ, stepT, stepU, stepP
	root := func(to arm64.V) { // √((1 - y)(1 + y))
		one := e.double(double1)
		e.V3(arm64.FSUB2D, t, one, y)
		e.V3(arm64.FADD2D, p, y, one)
		e.V3(arm64.FMUL2D, t, t, p)
		e.V2(arm64.FSQRT2D, to, t)
	}
	switch op {
	case ir.OpFAtan:
		e.MOV(x, e.double(double1))
	case ir.OpFAsin:
		root(x)
	case ir.OpFAcos:
		root(p)
		e.MOV(x, y)
		e.MOV(y, p)
	default:
		e.widen(x, frameServeB, half)
	}
	const signY, signX = frameTemps, frameTemps + laneBytes
	e.Vec(arm64.STRQ, y, regFrame, signY)
	e.Vec(arm64.STRQ, x, regFrame, signX)
	e.V2(arm64.FABS2D, y, y)
	e.V2(arm64.FABS2D, x, x)
	e.V3(arm64.FCMGT2D, stepMask, y, x)
	e.V3(arm64.FMINNM2D, p, y, x)
	e.V3(arm64.FMAXNM2D, x, y, x)
	e.V3(arm64.FDIV2D, t, p, x)
	k := y // masks from here on
	e.V2(arm64.FCMEQ02D, k, x)
	e.V3(arm64.BIC, t, t, k)
	e.V3(arm64.FCMGT2D, k, p, e.double(doubleMaxFloat))
	e.V3(arm64.BIT, t, e.double(double1), k)
	e.V3(arm64.FCMGT2D, k, t, e.double(doubleTan8))
	one := e.double(double1)
	e.V3(arm64.FSUB2D, x, t, one)
	e.V3(arm64.FADD2D, p, t, one)
	e.V3(arm64.FDIV2D, x, x, p)
	e.V3(arm64.BIT, t, x, k)
	e.V3(arm64.FMUL2D, x, t, t)
	e.series(x, doubleAtan, len(fp.AtanSeries))
	e.V3(arm64.FMUL2D, p, p, x)
	e.V3(arm64.FMLA2D, t, p, t)
	e.V3(arm64.AND, x, e.double(doublePi4), k)
	e.V3(arm64.FADD2D, t, x, t)
	e.V3(arm64.FSUB2D, x, e.double(doublePi2), t)
	e.V3(arm64.BIT, t, x, stepMask)
	e.Vec(arm64.LDRQ, p, regFrame, signX)
	e.V2(arm64.CMLT02D, p, p)
	e.V3(arm64.FSUB2D, x, e.double(doublePi), t)
	e.V3(arm64.BIT, t, x, p)
	e.V2(arm64.FABS2D, t, t)
	e.Vec(arm64.LDRQ, x, regFrame, signY)
	e.V3(arm64.AND, x, x, e.double(doubleSign))
	e.V3(arm64.EOR, stepZ, t, x)
}

// serveLanes leaves the lanes in stepMask, if there are any, to Go: operands are in the frame.
func (e *emitter) serveLanes(op ir.Op) {
	out, on := e.NewLabel(), e.NewLabel()
	e.bits(stepMask)
	e.CBNZ(step1, out)
	e.Here(on)
	e.outOfLine(func() {
		e.Here(out)
		e.laneSet(frameServeMask, stepMask)
		e.Vec(arm64.STRQ, stepDone, regFrame, frameServeD)
		e.Imm(step0, uint64(op))
		e.Gen(arm64.STRX, step0, regFrame, frameServeOp)
		back := e.NewLabel()
		e.leave(exitServe, back)
		e.Here(back)
		e.Vec(arm64.LDRQ, stepDone, regFrame, frameServeD)
		e.JMP(on)
	})
}
