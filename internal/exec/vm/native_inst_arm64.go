package vm

import (
	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// inst writes one instruction.
func (e *emitter) inst(in *instr) {
	e.floats = e.floatsOf(in)
	a, b, c := e.operands(in)
	switch in.kind {
	case kindUnary, kindVV, kindVU, kindUV, kindVVV, kindVVU, kindVUV, kindVUU:
		z := e.to(in.d)
		e.op(in.op, z, a, b, c)
		e.put(in.d, z)
	case kindFusedVVV, kindFusedVVU, kindFusedVUV, kindFusedVUU:
		e.pair(in, a, b, c)
	case kindScalar:
		e.op(in.op, scratch5, scalar(in.a), scalar(in.b), scalar(in.c))
		e.toScalar(in.d, scratch5)
	case kindScalarMov:
		e.Gen(arm64.LDRW, step0, regScalars, 4*int(in.a))
		e.Gen(arm64.STRW, step0, regScalars, 4*int(in.d))
	case kindScalarCanon:
		e.canon(scratch5, e.in(scalar(in.a), scratch0))
		e.toScalar(in.d, scratch5)
	case kindBroadcast:
		if !e.wide.pooled[in.d] {
			e.put(in.d, e.in(scalar(in.a), e.to(in.d)))
		}
	case kindCopy:
		e.put(in.d, e.in(lanes(in.a), e.to(in.d)))
	case kindCanon:
		z := e.to(in.d)
		e.canon(z, e.in(lanes(in.a), scratch0))
		e.put(in.d, z)
	case kindZero:
		z := e.to(in.d)
		e.MOVI(z, 0, 0)
		e.put(in.d, z)
	case kindSet:
		e.set(in, lanes(in.a))
	case kindSetU:
		e.set(in, scalar(in.a))
	case kindOutput:
		e.output(in, lanes(in.a))
	case kindOutputU:
		e.output(in, scalar(in.a))
	case kindDerivative:
		e.derivative(in)
	case kindIsHelper:
		z := e.to(in.d)
		e.Gen(arm64.LDRX, step0, regFrame, frameLive)
		e.Indexed(arm64.LDRQ, scratch0, step0, regStrip)
		e.V2(arm64.NOT, z, scratch0)
		e.put(in.d, z)
	case kindDemote:
		k := e.executes(in.m)
		e.Gen(arm64.LDRX, step0, regFrame, frameLive)
		e.Indexed(arm64.LDRQ, scratch0, step0, regStrip)
		e.V3(arm64.BIC, scratch0, scratch0, k)
		e.Indexed(arm64.STRQ, scratch0, step0, regStrip)
	case kindNone:
	case kindWide:
		e.wideOp(in)
	case kindImage:
		e.rest(in)
	default:
		e.inMemory(in)
	}
}

// operands are those of an operation: lane registers, or scalar ones.
func (e *emitter) operands(in *instr) (a, b, c operand) {
	l := lanesOf[in.kind]
	return operand{in.a, l&laneA == 0}, operand{in.b, l&laneB == 0}, operand{in.c, l&laneC == 0}
}

// toScalar keeps the first lane of z in a scalar register.
func (e *emitter) toScalar(d int32, z arm64.V) { e.Vec(arm64.STRS, z, regScalars, 4*int(d)) }

// canon sets d to x, NaNs canonical.
func (e *emitter) canon(d, x arm64.V) {
	e.V3(arm64.FCMEQ4S, scratch2, x, x)
	e.constant(scratch3, fp.CanonicalNaN)
	if d != x {
		e.MOV(d, x)
	}
	e.V3(arm64.BIF, d, scratch3, scratch2)
}

// set writes x to the lane register of in in the lanes of its mask.
func (e *emitter) set(in *instr, x operand) {
	if in.m == 0 {
		e.put(in.d, e.in(x, e.to(in.d)))
		return
	}
	k, z := e.executes(in.m), e.in(x, scratch0)
	d := e.in(lanes(in.d), scratch1)
	e.V3(arm64.BIT, d, z, k)
	e.put(in.d, d)
}

func (e *emitter) output(in *instr, x operand) {
	z := e.in(x, scratch0)
	e.Gen(arm64.LDRX, step0, regOutputs, 8*int(in.c))
	if in.m != 0 {
		k := e.executes(in.m)
		e.Indexed(arm64.LDRQ, scratch1, step0, regStrip)
		e.V3(arm64.BIT, scratch1, z, k)
		z = scratch1
	}
	e.Indexed(arm64.STRQ, z, step0, regStrip)
}

// derivative writes a difference within a quad. A lane outside the execution mask
// contributes the value of the lane that asks.
func (e *emitter) derivative(in *instr) {
	z := e.in(lanes(in.a), scratch0)
	e.sides(in.op, scratch1, scratch2, z)
	if in.m != 0 || e.r.program.Stage != ir.StageFragment && !e.r.program.Scattered {
		e.sides(in.op, scratch3, scratch4, e.executes(in.m))
		e.V3(arm64.BIF, scratch1, z, scratch3)
		e.V3(arm64.BIF, scratch2, z, scratch4)
	}
	d := e.to(in.d)
	e.V3(arm64.FSUB4S, d, scratch2, scratch1)
	e.put(in.d, d)
}

// sides sets lower and upper to the lanes of x that a difference is of.
func (e *emitter) sides(op ir.Op, lower, upper, x arm64.V) {
	switch op {
	case ir.OpDdxFine: // RAS-294
		e.V3(arm64.TRN14S, lower, x, x)
		e.V3(arm64.TRN24S, upper, x, x)
	case ir.OpDdyFine:
		e.DUP2D(lower, x, 0)
		e.DUP2D(upper, x, 1)
	case ir.OpDdxCoarse: // RAS-294
		e.DUP4S(lower, x, 0)
		e.DUP4S(upper, x, 1)
	default:
		e.DUP4S(lower, x, 0)
		e.DUP4S(upper, x, 2)
	}
}

// control writes jumps and what they depend on.
func (e *emitter) control(in *instr) {
	switch in.kind {
	case kindJump:
		e.JMP(e.labels[in.to])
	case kindJumpZero:
		e.Gen(arm64.LDRW, step0, regScalars, 4*int(in.a))
		e.CBZ(step0, e.labels[in.to])
	case kindJumpEmpty:
		e.bits(e.executes(in.m))
		e.CBZ(step1, e.labels[in.to])
	case kindJumpNotEmpty:
		e.bits(e.executes(in.m))
		e.CBNZ(step1, e.labels[in.to])
	case kindIf:
		outer, cond := e.executes(in.m), e.in(lanes(in.a), scratch0)
		by := [2]arm64.Op{arm64.BIC, arm64.AND}
		if in.imm != 0 { // where the condition does not hold
			by = [2]arm64.Op{arm64.AND, arm64.BIC}
		}
		for i, m := range [2]int32{in.b, in.d} {
			if m < 0 {
				continue
			}
			k := e.maskOwn(m, scratch1)
			if e.V3(by[i], k, outer, cond); i == 1 {
				e.bits(k)
			}
			e.setMask(m, k)
		}
		e.CBZ(step1, e.labels[in.to])
	case kindMaskCopy:
		e.setMask(in.d, e.executes(in.m))
	case kindLeave:
		k := e.executes(in.m)
		for _, m := range e.r.clears[in.c] {
			x := e.mask(m, scratch0)
			e.V3(arm64.BIC, x, x, k)
			e.setMask(m, x)
		}
		k = e.maskOwn(in.m, scratch0)
		e.MOVI(k, 0, 0)
		e.setMask(in.m, k)
		if in.to > 0 {
			e.JMP(e.labels[in.to])
		}
	case kindLeaveIf:
		outer, cond := e.executes(in.m), e.in(lanes(in.a), scratch0)
		by := arm64.AND
		if in.imm != 0 { // where the condition does not hold
			by = arm64.BIC
		}
		e.V3(by, scratch1, outer, cond)
		for _, m := range e.r.clears[in.c] {
			x := e.mask(m, scratch0)
			e.V3(arm64.BIC, x, x, scratch1)
			e.setMask(m, x)
		}
	case kindFuel:
		out, on := e.NewLabel(), e.NewLabel()
		e.Gen(arm64.LDRX, step0, regFrame, frameLeft)
		e.Imm(step1, uint64(min(in.imm, 1<<30)))
		e.SUBS(step0, step0, step1)
		e.Gen(arm64.STRX, step0, regFrame, frameLeft)
		e.JIf(arm64.Negative, out)
		e.Here(on)
		e.later = append(e.later, func() {
			e.Here(out)
			e.Imm(step0, uint64(in.c))
			e.Gen(arm64.STRW, step0, regFrame, frameLoop)
			e.leave(exitFuel, on)
		})
	default:
		e.fail = true
	}
}

// rest writes an image instruction for the few lanes that a routine in its place has left: it leaves the
// block where there are any.
func (e *emitter) rest(in *instr) {
	x := &e.r.aux[in.c]
	given := x.args[:len(x.args)-1]
	active := e.executes(in.m)
	e.V3(arm64.AND, scratch4, active, e.in(lanes(x.args[len(given)]), scratch0))
	out, on := e.NewLabel(), e.NewLabel()
	e.bits(scratch4)
	e.CBNZ(step1, out)
	e.Here(on)
	rows := e.rows(len(given) + len(x.results))
	row := func(i int) int { return rows + imageRow*i }
	e.later = append(e.later, func() {
		e.Here(out)
		e.laneSet(frameServeMask, scratch4)
		e.laneSet(frameServeActive, active)
		e.Imm(step0, uint64(in.c))
		e.Gen(arm64.STRX, step0, regFrame, frameServeOp)
		e.Imm(step0, uint64(rows))
		e.Gen(arm64.STRX, step0, regFrame, frameServeRows)
		for i, v := range given {
			e.Vec(arm64.STRQ, e.in(lanes(v), scratch0), regFrame, row(i))
		}
		for i, v := range x.results {
			e.Vec(arm64.STRQ, e.in(lanes(v), scratch0), regFrame, row(len(given)+i))
		}
		back := e.NewLabel()
		e.leave(exitServeImage, back)
		e.Here(back)
		for i, v := range x.results {
			z := e.to(v)
			e.Vec(arm64.LDRQ, z, regFrame, row(len(given)+i))
			e.put(v, z)
		}
		e.JMP(on)
	})
}

// laneSet stores a mask as a number, a bit for each lane.
func (e *emitter) laneSet(at int, k arm64.V) {
	e.laneBits(scratch0)
	e.V3(arm64.AND, scratch0, scratch0, k)
	e.V2(arm64.ADDV4S, scratch0, scratch0)
	e.UMOV4S(step0, scratch0, 0)
	e.Gen(arm64.STRX, step0, regFrame, at)
}
