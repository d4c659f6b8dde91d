package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// inst writes one instruction.
func (e *armEmitter) inst(in *Inst) {
	e.floats = e.floatsOf(in)
	a, b, c := e.operands(in)
	switch in.Kind {
	case KindUnary, KindVV, KindVU, KindUV, KindVVV, KindVVU, KindVUV, KindVUU:
		armLane{e}.op(in.Op, e.value(in.D), a, b, c)
	case KindFusedVVV, KindFusedVVU, KindFusedVUV, KindFusedVUU:
		armLane{e}.pair(in, a, b, c)
	case KindScalar:
		armLane{e}.op(in.Op, n5, scalar(in.A), scalar(in.B), scalar(in.C))
		e.toScalar(in.D, n5)
	case KindScalarMov:
		e.Gen(arm64.LDRW, x9, xScalars, 4*int(in.A))
		e.Gen(arm64.STRW, x9, xScalars, 4*int(in.D))
	case KindScalarCanon:
		e.canon(n5, e.in(scalar(in.A), n0))
		e.toScalar(in.D, n5)
	case KindBroadcast:
		if !e.wide.pooled[in.D] && e.reread[in.D] == 0 { // else it is where it is read
			e.become(in.D, scalar(in.A))
		}
	case KindCopy:
		e.become(in.D, lanes(in.A))
	case KindCanon:
		z := e.value(in.D)
		e.canon(z, e.in(lanes(in.A), n0))
	case KindZero:
		e.MOVI(e.value(in.D), 0, 0)
	case KindSet:
		e.set(in, lanes(in.A))
	case KindSetU:
		e.set(in, scalar(in.A))
	case KindOutput:
		e.output(in, lanes(in.A))
	case KindOutputU:
		e.output(in, scalar(in.A))
	case KindDerivative:
		e.derivative(in)
	case KindIsHelper:
		e.Gen(arm64.LDRX, x9, xFrame, frameLive)
		e.Indexed(arm64.LDRQ, n0, x9, xStrip)
		e.V2(arm64.NOT, e.value(in.D), n0)
	case KindDemote:
		k := e.executes(in.M)
		e.Gen(arm64.LDRX, x9, xFrame, frameLive)
		e.Indexed(arm64.LDRQ, n0, x9, xStrip)
		e.V3(arm64.BIC, n0, n0, k)
		e.Indexed(arm64.STRQ, n0, x9, xStrip)
	case KindNone:
	case KindWide:
		armPair{e}.wideOp(in)
	case KindImage:
		e.rest(in)
	default:
		armMemory{e}.inMemory(in)
	}
}

// operands are those of an operation: lane registers, or scalar ones.
func (e *armEmitter) operands(in *Inst) (a, b, c operand) {
	l := fieldsOf[in.Kind]
	a, b, c = lanes(in.A), lanes(in.B), lanes(in.C)
	a.scalar, b.scalar, c.scalar = l&laneA == 0, l&laneB == 0, l&laneC == 0
	return a, b, c
}

// toScalar keeps the first lane of z in a scalar register.
func (e *armEmitter) toScalar(d int32, z arm64.V) { e.Vec(arm64.STRS, z, xScalars, 4*int(d)) }

// canon sets d to x, NaNs canonical.
func (e *armEmitter) canon(d, x arm64.V) {
	e.V3(arm64.FCMEQ4S, n2, x, x)
	e.constant(n3, fp.CanonicalNaN)
	e.move(d, x)
	e.V3(arm64.BIF, d, n3, n2)
}

// become sets a lane register to x; a constant takes no register of its own for that.
func (e *armEmitter) become(d int32, x operand) {
	if c, ok := e.constantOf(max(x.r, 0)); ok && x.scalar {
		e.constant(e.value(d), c)
		return
	}
	e.put(d, e.in(x, e.value(d)))
}

// set writes x to the lane register of in in the lanes of its mask.
func (e *armEmitter) set(in *Inst, x operand) {
	if in.M == 0 {
		e.become(in.D, x)
		return
	}
	e.V3(arm64.BIT, e.value(in.D), e.in(x, n0), e.executes(in.M))
}

func (e *armEmitter) output(in *Inst, x operand) {
	z := e.in(x, n0)
	e.Gen(arm64.LDRX, x9, xOutputs, 8*int(in.C))
	if in.M != 0 {
		k := e.executes(in.M)
		e.Indexed(arm64.LDRQ, n1, x9, xStrip)
		e.V3(arm64.BIT, n1, z, k)
		z = n1
	}
	e.Indexed(arm64.STRQ, z, x9, xStrip)
}

// derivative writes a difference within a quad. A lane outside the execution mask
// contributes the value of the lane that asks.
func (e *armEmitter) derivative(in *Inst) {
	z := e.in(lanes(in.A), n0)
	e.sides(in.Op, n1, n2, z)
	if in.M != 0 || e.r.program.Stage != ir.StageFragment && !e.r.program.Scattered {
		e.sides(in.Op, n3, n4, e.executes(in.M))
		e.V3(arm64.BIF, n1, z, n3)
		e.V3(arm64.BIF, n2, z, n4)
	}
	e.V3(arm64.FSUB4S, e.value(in.D), n2, n1)
}

// sides sets lower and upper to the lanes of x that a difference is of.
func (e *armEmitter) sides(op ir.Op, lower, upper, x arm64.V) {
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
func (e *armEmitter) control(in *Inst) {
	switch in.Kind {
	case KindJump:
		e.JMP(e.labels[in.To])
	case KindJumpZero:
		e.Gen(arm64.LDRW, x9, xScalars, 4*int(in.A))
		e.CBZ(x9, e.labels[in.To])
	case KindJumpEmpty:
		e.bits(e.executes(in.M))
		e.CBZ(x10, e.labels[in.To])
	case KindJumpNotEmpty:
		e.bits(e.executes(in.M))
		e.CBNZ(x10, e.labels[in.To])
	case KindIf:
		outer, cond := e.executes(in.M), e.in(lanes(in.A), n0)
		by := [2]arm64.Op{arm64.BIC, arm64.AND}
		if in.Imm != 0 { // where the condition does not hold
			by = [2]arm64.Op{arm64.AND, arm64.BIC}
		}
		for i, m := range [2]int32{in.B, in.D} {
			if m < 0 {
				continue
			}
			k := e.valueOfMask(m)
			if e.V3(by[i], k, outer, cond); i == 1 {
				e.bits(k)
			}
		}
		e.CBZ(x10, e.labels[in.To])
	case KindMaskCopy:
		e.move(e.valueOfMask(in.D), e.executes(in.M))
	case KindLeave:
		k := e.executes(in.M)
		e.clears(in, k)
		e.MOVI(e.valueOfMask(in.M), 0, 0)
		if in.To > 0 {
			e.JMP(e.labels[in.To])
		}
	case KindLeaveIf:
		outer, cond := e.executes(in.M), e.in(lanes(in.A), n0)
		by := arm64.AND
		if in.Imm != 0 { // where the condition does not hold
			by = arm64.BIC
		}
		e.V3(by, n1, outer, cond)
		e.clears(in, n1)
	case KindFuel:
		out, on := e.NewLabel(), e.NewLabel()
		e.Gen(arm64.LDRX, x9, xFrame, frameLeft)
		e.Imm(x10, uint64(min(in.Imm, 1<<30)))
		e.G3(arm64.SUBSX, x9, x9, x10)
		e.Gen(arm64.STRX, x9, xFrame, frameLeft)
		e.JIf(arm64.Negative, out)
		e.Here(on)
		e.outOfLine(func() {
			e.Here(out)
			e.Imm(x9, uint64(in.C))
			e.Gen(arm64.STRX, x9, xFrame, frameLoop)
			e.leave(exitFuel, on)
		})
	default:
		e.fail = true
	}
}

// clears takes lanes out of the masks that an instruction says, but for those that hold none yet.
func (e *armEmitter) clears(in *Inst, k arm64.V) {
	for _, m := range e.r.clears[in.C] {
		if x := e.valueOfMask(m); e.sets[m] < e.index {
			e.V3(arm64.BIC, x, x, k)
		}
	}
}

// rest writes an image instruction for the few lanes that a routine in its place has left: it
// leaves the block where there are any.
func (e *armEmitter) rest(in *Inst) {
	x := &e.r.aux[in.C]
	given := x.Args[:len(x.Args)-1]
	active := e.executes(in.M)
	e.V3(arm64.AND, n4, active, e.in(lanes(x.Args[len(given)]), n0))
	if in.Imm != 0 { // helpers write nothing
		e.Gen(arm64.LDRX, x9, xFrame, frameLive)
		e.Indexed(arm64.LDRQ, n1, x9, xStrip)
		e.V3(arm64.AND, n4, n4, n1)
	}
	out, on := e.NewLabel(), e.NewLabel()
	e.bits(n4)
	e.CBNZ(x10, out)
	e.Here(on)
	rows := e.rows(len(given) + len(x.Results))
	row := func(i int) int { return rows + imageRow*i }
	e.outOfLine(func() {
		e.Here(out)
		e.laneSet(frameServeMask, n4)
		e.laneSet(frameServeActive, active)
		e.Imm(x9, uint64(in.C))
		e.Gen(arm64.STRX, x9, xFrame, frameServeOp)
		e.Imm(x9, uint64(rows))
		e.Gen(arm64.STRX, x9, xFrame, frameServeRows)
		for i, v := range slices.Concat(given, x.Results) {
			e.Vec(arm64.STRQ, e.in(lanes(v), n0), xFrame, row(i))
		}
		back := e.NewLabel()
		e.leave(exitServeImage, back)
		e.Here(back)
		for i, v := range x.Results {
			e.Vec(arm64.LDRQ, e.value(v), xFrame, row(len(given)+i))
		}
		e.JMP(on)
	})
}

// laneSet stores a mask as a number, a bit for each lane.
func (e *armEmitter) laneSet(at int, k arm64.V) {
	e.laneNumber(x9, k)
	e.Gen(arm64.STRX, x9, xFrame, at)
}

// laneNumber is that number.
func (e *armEmitter) laneNumber(d arm64.G, k arm64.V) {
	e.laneBits(n0)
	e.V3(arm64.AND, n0, n0, k)
	e.V2(arm64.ADDV4S, n0, n0)
	e.UMOV4S(d, n0, 0)
}
