package native

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// floatFact is what is known of a lane register's value as a binary32.
type floatFact uint8

const (
	isQuiet  floatFact = 1 << iota // no signalling NaN
	isNumber                       // no NaN
	isNotPlusZero
	isNotMinusZero
)

// findFloats tells what is known of the registers that are written once: what arithmetic gives
// is quiet, and what converts integers, or clamps, a number.
func (e *layout) findFloats() {
	e.facts, e.most, e.numbers = make([]floatFact, e.b.lanes), make([]uint32, e.b.lanes), make([]int32, e.b.lanes)
	e.section, e.since = sections(e.b.code, 0), make([]int32, e.b.lanes)
	for v := range e.most {
		e.most[v] = math.MaxUint32
	}
	defs := make([]uint8, e.b.lanes)
	for _, v := range e.b.in {
		defs[v] = 2
	}
	for i := range e.b.code {
		e.r.lanesIn(&e.b.code[i], func(v *int32, result bool) {
			if result {
				defs[*v] = min(defs[*v]+1, 2)
			}
		})
	}
	for i := range e.b.code {
		in := &e.b.code[i]
		if in.Kind == KindGroup && ir.GroupOf(uint64(in.Imm)).Kind == ir.GroupLane {
			if d := e.r.aux[in.C].Results[0]; defs[d] == 1 {
				e.most[d] = e.r.program.SubgroupSize - 1
			}
		}
		if fieldsOf[in.Kind]&laneD == 0 || defs[in.D] != 1 || in.M != 0 && (in.Kind == KindSet || in.Kind == KindSetU) {
			continue
		}
		if in.Kind == KindVV && in.A == in.B && (in.Op == ir.OpFOrd || in.Op == ir.OpFEq) && defs[in.A] == 1 {
			e.numbers[in.D] = in.A + 1
		}
		e.facts[in.D], e.most[in.D] = e.factOf(in), uint32(min(e.mostOf(in), math.MaxUint32))
		e.since[in.D] = e.section[i] + 1
	}
}

// under says that a lane register is less than n where an instruction reads it, in lanes that do not
// execute, too: nothing jumps between it and what sets the register.
func (e *layout) under(v, instruction int32, n int) bool {
	if e.order != nil {
		instruction = e.order[instruction]
	}
	return e.since[v] == e.section[instruction]+1 && int64(e.most[v]) < int64(n)
}

// mostOf is the largest number that an instruction's result may be as a word without a sign.
func (e *layout) mostOf(in *Inst) uint64 {
	if in.Kind == KindVV && in.Op == ir.OpIAdd {
		return uint64(e.most[in.A]) + uint64(e.most[in.B])
	}
	c, ok := e.constantOf(max(in.B, 0))
	if in.Kind != KindVU || !ok {
		return math.MaxUint32
	}
	switch a := uint64(e.most[in.A]); in.Op {
	case ir.OpIAdd:
		return a + uint64(c)
	case ir.OpAnd:
		return min(a, uint64(c))
	case ir.OpOr, ir.OpXor: // no bit above both
		return 1<<bits.Len64(a|uint64(c)) - 1
	case ir.OpShl:
		return a << (c & 31)
	case ir.OpShrU:
		return a >> (c & 31)
	}
	return math.MaxUint32
}

// factOf is what is known of an instruction's result.
func (e *layout) factOf(in *Inst) floatFact {
	f := e.floatsOf(in)
	switch in.Kind {
	case KindFusedVVV, KindFusedVVU, KindFusedVUV, KindFusedVUU, KindDerivative:
		return isQuiet
	case KindCanon:
		if e.canonical(in) {
			return f[0]
		}
		return isQuiet
	case KindCopy, KindSet, KindSetU, KindBroadcast:
		return f[0]
	case KindZero:
		return isQuiet | isNumber
	case KindUnary, KindVV, KindVU, KindUV, KindVVV, KindVVU, KindVUV, KindVUU:
	default:
		return 0
	}
	switch op := in.Op; {
	case op == ir.OpSelect:
		l := fieldsOf[in.Kind]
		b, c := e.floatOf(l&laneB != 0, in.B), e.floatOf(l&laneC != 0, in.C)
		if l&laneB != 0 && e.numbers[in.A] == in.B+1 {
			b |= isQuiet | isNumber
		}
		return b & c & (isQuiet | isNumber)
	case op == ir.OpFMin || op == ir.OpFMax:
		return isQuiet | (f[0]|f[1])&isNumber
	case op == ir.OpS2F || op == ir.OpU2F:
		return isQuiet | isNumber | isNotMinusZero
	case op == ir.OpFNeg || op == ir.OpFAbs:
		return f[0] & (isQuiet | isNumber)
	case op == ir.OpFAdd || op == ir.OpFSub || op == ir.OpFMul || op == ir.OpFDiv || op == ir.OpFma || op == ir.OpFSqrt || op == ir.OpFInvSqrt || op == ir.OpH2F || op == ir.OpFRoundEven || op == ir.OpFFloor || op == ir.OpFCeil || op == ir.OpFTrunc:
		return isQuiet
	}
	return 0
}

// floatsOf is what is known of the first two operands of an instruction.
func (e *layout) floatsOf(in *Inst) (f [2]floatFact) {
	l := fieldsOf[in.Kind]
	for i, o := range [2]struct {
		lane bool
		r    int32
	}{{l&laneA != 0, in.A}, {l&laneB != 0, in.B}} {
		f[i] = e.floatOf(o.lane, o.r)
	}
	return f
}

// floatOf is what is known of a lane register, or of a scalar one.
func (e *layout) floatOf(lane bool, r int32) (f floatFact) {
	if lane {
		return e.facts[r]
	}
	if c, ok := e.constantOf(max(r, 0)); ok && c&0x7FFFFFFF <= 0x7F800000 {
		f = isQuiet | isNumber
		if c != 0 {
			f |= isNotPlusZero
		}
		if c != 1<<31 {
			f |= isNotMinusZero
		}
	}
	return f
}

// canonical says that KindCanon has nothing to do: its operand is a number, or nobody tells one NaN from another.
func (e *layout) canonical(in *Inst) bool {
	return e.facts[in.A]&isNumber != 0 || !e.wide.exact[in.D]
}
