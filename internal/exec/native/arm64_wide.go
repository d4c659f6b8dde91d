package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// armPair writes operations on 64 bits.
type armPair struct{ *armEmitter }

// armWideSimple are the operations on 64 bits that are one instruction, of one operand or two;
// those of wideTurned have them exchanged.
var armWideSimple = [ir.WideOps]arm64.Op{
	ir.WideFAdd: arm64.FADD2D, ir.WideFSub: arm64.FSUB2D, ir.WideFMul: arm64.FMUL2D, ir.WideFDiv: arm64.FDIV2D, ir.WideSqrt: arm64.FSQRT2D,
	ir.WideRoundEven: arm64.FRINTN2D, ir.WideFloor: arm64.FRINTM2D, ir.WideCeil: arm64.FRINTP2D, ir.WideTrunc: arm64.FRINTZ2D,
	ir.WideIAdd: arm64.ADD2D, ir.WideISub: arm64.SUB2D, ir.WideL2D: arm64.SCVTF2D, ir.WideUL2D: arm64.UCVTF2D, ir.WideFEq: arm64.FCMEQ2D,
	ir.WideD2L: arm64.FCVTZS2D, ir.WideD2UL: arm64.FCVTZU2D,
}

var wideTurned = [ir.WideOps]arm64.Op{
	ir.WideSLt: arm64.CMGT2D, ir.WideSLe: arm64.CMGE2D, ir.WideULt: arm64.CMHI2D, ir.WideULe: arm64.CMHS2D, ir.WideFLt: arm64.FCMGT2D, ir.WideFLe: arm64.FCMGE2D,
}

// armWidens say how words of a half of the lanes become pairs, which are converted then where
// that is not all.
var armWidens = [ir.WideOps]struct {
	half    [2]arm64.Op
	convert arm64.Op
}{
	ir.WideF2D: {half: [2]arm64.Op{arm64.FCVTL2D, arm64.FCVTL22D}},
	ir.WideS2D: {[2]arm64.Op{arm64.SXTL2D, arm64.SXTL22D}, arm64.SCVTF2D},
	ir.WideU2D: {[2]arm64.Op{arm64.UXTL2D, arm64.UXTL22D}, arm64.UCVTF2D},
	// Conversions to integers saturate, and give 0 for NaNs.
	ir.WideF2L:  {[2]arm64.Op{arm64.FCVTL2D, arm64.FCVTL22D}, arm64.FCVTZS2D},
	ir.WideF2UL: {[2]arm64.Op{arm64.FCVTL2D, arm64.FCVTL22D}, arm64.FCVTZU2D},
}

// armNarrows say how pairs become words again: converted first where that is not all.
var armNarrows = [ir.WideOps]struct {
	convert arm64.Op
	half    [2]arm64.Op
}{
	ir.WideD2F:  {half: [2]arm64.Op{arm64.FCVTN2S, arm64.FCVTN24S}},
	ir.WideL2F:  {half: [2]arm64.Op{arm64.FCVTN2S, arm64.FCVTN24S}}, // see singles
	ir.WideUL2F: {half: [2]arm64.Op{arm64.FCVTN2S, arm64.FCVTN24S}},
	// The binary32 that rounding to binary16 takes for the number.
	ir.WideD2H: {half: [2]arm64.Op{arm64.FCVTXN2S, arm64.FCVTXN24S}},
	ir.WideD2S: {arm64.FCVTZS2D, [2]arm64.Op{arm64.SQXTN2S, arm64.SQXTN24S}},
	ir.WideD2U: {arm64.FCVTZU2D, [2]arm64.Op{arm64.UQXTN2S, arm64.UQXTN24S}},
	ir.WideD2N: {arm64.FRINTN2D, [2]arm64.Op{arm64.SQXTN2S, arm64.SQXTN24S}}, // and see nearest
}

// wideOp writes an operation on 64 bits.
func (e armPair) wideOp(in *Inst) {
	op, x := ir.WideOp(in.Imm), &e.r.aux[in.C]
	near, zero := nearest[op]
	switch {
	case in.leavesToHost(e.vectors):
		e.serveWide(in)
	case leastNormal(op) != 0:
		e.flushWords(e.value(x.Results[0]), e.in(lanes(x.Args[0]), n0), leastNormal(op))
	case zero && near.op == 0:
		e.towardZero(func() { e.halvesOf(in, near.wide) })
	case zero || op == ir.WideQuantizeZ:
		e.towardZero(func() { e.wordsTowardZero(near.op, x) })
	default:
		e.halvesOf(in, op)
	}
}

// towardZero writes f for a processor that rounds toward zero.
func (e armPair) towardZero(f func()) {
	const zero = 3 << 22 // of the modes
	e.Modes(xModes)
	e.Imm(x9, zero)
	e.G3(arm64.ORRX, x9, x9, xModes)
	e.SetModes(x9)
	f()
	e.SetModes(xModes)
}

// wordsTowardZero writes an operation on words, or the one that rounds to binary16 and back (0).
func (e armPair) wordsTowardZero(op ir.Op, x *Operands) {
	if op == 0 {
		op = ir.OpQuantize16
	}
	var args [3]operand
	for i, v := range x.Args {
		args[i] = lanes(v)
	}
	e.floats = [2]floatFact{}
	armLane(e).op(op, n5, args[0], args[1], args[2])
	e.canon(n5, n5)
	e.put(x.Results[0], n5)
}

// halvesOf writes an operation, with the operands of in, of half the lanes at a time.
func (e armPair) halvesOf(in *Inst, op ir.WideOp) {
	x := &e.r.aux[in.C]
	_, result := op.Signature()
	apart := result == 'w' && e.wide.partner[x.Results[0]] == 0
	canonical := apart || result == 'w' && !e.wide.loose[x.Results[0]]
	out := [2]arm64.V{n4, n5}
	if result == 'w' && !apart {
		out = [2]arm64.V{e.value(x.Results[0]), e.value(x.Results[1])}
	}
	for half, z := range out {
		var args [3]arm64.V
		n := 0
		e.eachWide(in, func(k byte, lo, hi int32) {
			args[n] = e.wideHalf(op, k, lo, hi, half, n0+arm64.V(n))
			n++
		})
		e.halfOf(op, z, args, half)
		if canonical && (arithmeticWide(op) || op == ir.WideF2D) {
			e.canonWide(z)
		}
	}
	z := e.value(x.Results[0])
	switch by := armNarrows[op]; {
	case apart:
		e.V3(arm64.UZP14S, n0, out[0], out[1])
		e.V3(arm64.UZP24S, n1, out[0], out[1])
		e.put(x.Results[0], n0)
		e.put(x.Results[1], n1)
		return
	case result == 'w':
		return
	case result == 'b':
		e.V3(arm64.UZP14S, z, out[0], out[1])
	default:
		e.V2(by.half[0], n4, out[0])
		e.V2(by.half[1], n4, out[1])
		switch {
		case op == ir.WideD2H:
			armLane(e).toHalf(z, n4)
		case op == ir.WideD2F && e.wide.exact[x.Results[0]]:
			e.canon(z, n4)
		default:
			z = n4
		}
	}
	e.put(x.Results[0], z)
}

// flushWords sets d to z, with zeros of the same sign for words that without it are below least. It
// takes n1 and n3.
func (e armPair) flushWords(d, z arm64.V, least uint32) {
	e.V2(arm64.FABS4S, n1, z)
	e.constant(n3, least)
	e.V3(arm64.CMHS4S, n1, n1, n3)
	e.constant(n3, 1<<31)
	e.V3(arm64.ORR, n1, n1, n3)
	e.V3(arm64.AND, d, z, n1)
}

// canonWide makes NaNs of binary64 canonical. It takes n0 and n1.
func (e armPair) canonWide(z arm64.V) {
	e.V3(arm64.FCMEQ2D, n0, z, z)
	e.Const(n1, canonicalNaN64, canonicalNaN64)
	e.V3(arm64.BIF, z, n1, n0)
}

const canonicalNaN64 = 0x7FF8000000000000

// wideHalf is an operand of an operation for one half of the lanes; what is not in a register
// as it should be comes to scratch.
func (e armPair) wideHalf(op ir.WideOp, k byte, lo, hi int32, half int, scratch arm64.V) arm64.V {
	switch w := &e.wide; {
	case k != 'w':
		z := e.in(lanes(lo), scratch)
		if armWidens[op].half[0] == 0 { // how far to shift
			e.V2([2]arm64.Op{arm64.UXTL2D, arm64.UXTL22D}[half], scratch, z)
			e.Const(n3, 63, 63)
			e.V3(arm64.AND, scratch, scratch, n3)
			z = scratch
		}
		return z
	case w.partner[lo] > 0 && half == 0:
		return e.in(lanes(lo), scratch)
	case w.partner[lo] > 0:
		return e.in(lanes(hi), scratch)
	case e.places[lo].kind == placeRecord && e.places[hi] == (location{placeRecord, e.places[lo].n + 4}):
		e.LD1R2D(scratch, xRecord, int(e.places[lo].n))
		return scratch
	case w.pooled[lo] && w.pooled[hi]:
		c := uint64(w.value[lo]) | uint64(w.value[hi])<<32
		e.Const(scratch, c, c)
		return scratch
	}
	low := e.in(lanes(lo), scratch)
	e.V3([2]arm64.Op{arm64.ZIP14S, arm64.ZIP24S}[half], scratch, low, e.in(lanes(hi), n3))
	return scratch
}

// halfOf writes an operation for half the lanes.
func (e armPair) halfOf(op ir.WideOp, d arm64.V, args [3]arm64.V, half int) {
	a, b, c := args[0], args[1], args[2]
	signature, _ := op.Signature()
	switch {
	case armWideSimple[op] != 0 && len(signature) == 1:
		e.V2(armWideSimple[op], d, a)
		return
	case armWideSimple[op] != 0:
		e.V3(armWideSimple[op], d, a, b)
		return
	case wideTurned[op] != 0:
		e.V3(wideTurned[op], d, b, a)
		return
	case armWidens[op].half[0] != 0:
		e.V2(armWidens[op].half[half], d, a)
		if by := armWidens[op].convert; by != 0 {
			e.V2(by, d, d)
		}
		return
	case armNarrows[op].half[0] != 0:
		if op == ir.WideL2F || op == ir.WideUL2F {
			e.singles(op, d, a)
		} else if by := armNarrows[op].convert; by != 0 {
			e.V2(by, d, a)
			if op == ir.WideD2N {
				e.nearest(d)
			}
		} else {
			e.move(d, a)
		}
		return
	}
	const one, infinity = 0x3FF << 52, 0x7FF << 52
	switch op {
	case ir.WideFlush64:
		const sign, least = 1 << 63, 1 << 52
		e.Const(n1, sign-1, sign-1)
		e.V3(arm64.AND, n1, n1, a)
		e.Const(n2, least, least)
		e.V3(arm64.CMHS2D, n1, n1, n2)
		e.Const(n2, sign, sign)
		e.V3(arm64.ORR, n1, n1, n2)
		e.V3(arm64.AND, d, a, n1)
	case ir.WideFNe:
		e.V3(arm64.FCMEQ2D, d, a, b)
		e.V2(arm64.NOT, d, d)
	case ir.WideIsNan:
		e.V3(arm64.FCMEQ2D, d, a, a)
		e.V2(arm64.NOT, d, d)
	case ir.WideFma:
		armLane(e).multiplyAdd(arm64.FMLA2D, d, a, b, c)
	case ir.WideFMin, ir.WideFMax:
		by := arm64.FMINNM2D
		if op == ir.WideFMax {
			by = arm64.FMAXNM2D
		}
		e.Const(n2, one, one) // quiet: as numbers of 32 bits are
		e.V3(arm64.FMUL2D, n0, a, n2)
		e.V3(arm64.FMUL2D, n1, b, n2)
		e.V3(by, d, n0, n1)
	case ir.WideShl:
		e.V3(arm64.USHL2D, d, a, b)
	case ir.WideShrU:
		e.V2(arm64.NEG2D, n1, b)
		e.V3(arm64.USHL2D, d, a, n1)
	case ir.WideShrS:
		e.V2(arm64.NEG2D, n1, b)
		e.V3(arm64.SSHL2D, d, a, n1)
	case ir.WideInvSqrt:
		e.V2(arm64.FSQRT2D, n1, a)
		e.Const(n2, one, one)
		e.V3(arm64.FDIV2D, d, n2, n1)
		e.canonWide(d)
	case ir.WideIsInf:
		e.V2(arm64.FABS2D, n1, a)
		e.Const(n2, infinity, infinity)
		e.V3(arm64.FCMEQ2D, d, n1, n2)
	case ir.WideSign:
		e.MOVI(n3, 0, 0)
		e.V3(arm64.FCMGT2D, n1, a, n3)
		e.V3(arm64.FCMGT2D, n2, n3, a)
		e.Const(n3, one, one)
		e.V3(arm64.AND, n1, n1, n3)
		e.Const(n3, 1<<63|one, 1<<63|one)
		e.V3(arm64.AND, n2, n2, n3)
		e.V3(arm64.ORR, d, n1, n2)
	case ir.WideIMul, ir.WideUDiv, ir.WideSDiv, ir.WideURem, ir.WideSRem, ir.WideSMod:
		for i, x := range [2]arm64.G{x9, x10} {
			e.UMOV2D(x, a, i)
			e.UMOV2D(x11, b, i)
			if e.divides(op, x, x11); op == ir.WideIMul {
				e.G3(arm64.MULX, x, x, x11)
			}
		}
		e.DUPG2D(d, x9)
		e.INSG2D(d, 1, x10)
	default:
		e.fail = true
	}
}

// divides sets x to what its division by y gives, if the operation is one; its processor's quotients
// by 0 are 0. It takes xBase and xLimit.
func (e armPair) divides(op ir.WideOp, x, y arm64.G) {
	if !dividesWide(op) {
		return
	}
	if op == ir.WideUDiv || op == ir.WideURem {
		e.G3(arm64.UDIVX, xBase, x, y)
	} else {
		e.G3(arm64.SDIVX, xBase, x, y)
	}
	if op == ir.WideUDiv || op == ir.WideSDiv {
		e.Imm(x, 1<<64-1)
		e.CMP(y, arm64.ZR)
		e.CSEL(x, x, xBase, arm64.Equal)
		return
	}
	if e.G4(arm64.MSUBX, x, xBase, y, x); op != ir.WideSMod {
		return
	}
	e.G3(arm64.ADDX, xBase, x, y)
	e.G3(arm64.EORX, xLimit, x, y)
	e.CMP(xLimit, arm64.ZR)
	e.CSEL(xBase, xBase, x, arm64.Less) // of different signs
	e.CMP(x, arm64.ZR)
	e.CSEL(x, x, xBase, arm64.Equal)
}

// singles sets d to the binary64 of integers that are rounded to binary32.
func (e armPair) singles(op ir.WideOp, d, a arm64.V) {
	by := arm64.SCVTFS
	if op == ir.WideUL2F {
		by = arm64.UCVTFS
	}
	for i, z := range [2]arm64.V{n1, n2} {
		e.UMOV2D(x9, a, i)
		e.Single(by, z, x9)
	}
	e.V3(arm64.ZIP14S, n1, n1, n2)
	e.V2(arm64.FCVTL2D, d, n1)
}

// nearest makes words with sign, in 64 bits, of integers in binary64: the least one of what is
// none.
func (e armPair) nearest(d arm64.V) {
	const least, most, none = 0xC1E0000000000000, 0x41DFFFFFFFC00000, 1<<64 - 1<<31
	e.Const(n1, least, least)
	e.V3(arm64.FCMGE2D, n1, d, n1)
	e.Const(n2, most, most)
	e.V3(arm64.FCMGE2D, n2, n2, d)
	e.V3(arm64.AND, n1, n1, n2)
	e.V2(arm64.FCVTZS2D, d, d)
	e.Const(n2, none, none)
	e.V3(arm64.BIF, d, n2, n1)
}

// serveWide leaves an operation to Go, in all lanes.
func (e armPair) serveWide(in *Inst) {
	x := &e.r.aux[in.C]
	at := armWide
	e.eachWide(in, func(k byte, lo, hi int32) {
		e.Vec(arm64.STRQ, e.in(lanes(lo), n0), xFrame, at)
		high := n1
		if k == 'w' {
			high = e.in(lanes(hi), n1)
		} else {
			e.MOVI(high, 0, 0)
		}
		e.Vec(arm64.STRQ, high, xFrame, at+armLaneBytes)
		at += 2 * armLaneBytes
	})
	back := e.NewLabel()
	e.Imm(x9, uint64(in.Imm))
	e.Gen(arm64.STRX, x9, xFrame, frameServeOp)
	e.leave(exitServeWide, back)
	e.Here(back)
	for i, r := range x.Results {
		e.Vec(arm64.LDRQ, n0, xFrame, armWide+6*armLaneBytes+armLaneBytes*i)
		e.put(r, n0)
	}
}
