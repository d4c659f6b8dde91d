//go:build amd64 || arm64

package vm

import (
	"math"

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
		if lanesOf[in.kind]&laneD == 0 || defs[in.d] != 1 || in.m != 0 && (in.kind == kindSet || in.kind == kindSetU) {
			continue
		}
		if in.kind == kindVV && in.a == in.b && (in.op == ir.OpFOrd || in.op == ir.OpFEq) && defs[in.a] == 1 {
			e.numbers[in.d] = in.a + 1
		}
		e.facts[in.d], e.most[in.d] = e.factOf(in), uint32(min(e.mostOf(in), math.MaxUint32))
	}
}

// mostOf is the largest number that an instruction's result may be as a word without a sign.
func (e *layout) mostOf(in *instr) uint64 {
	if in.kind == kindVV && in.op == ir.OpIAdd {
		return uint64(e.most[in.a]) + uint64(e.most[in.b])
	}
	c, ok := e.constantOf(max(in.b, 0))
	if in.kind != kindVU || !ok {
		return math.MaxUint32
	}
	switch a := uint64(e.most[in.a]); in.op {
	case ir.OpAnd:
		return min(a, uint64(c))
	case ir.OpShl:
		return a << (c & 31)
	case ir.OpShrU:
		return a >> (c & 31)
	}
	return math.MaxUint32
}

// factOf is what is known of an instruction's result.
func (e *layout) factOf(in *instr) floatFact {
	f := e.floatsOf(in)
	switch in.kind {
	case kindFusedVVV, kindFusedVVU, kindFusedVUV, kindFusedVUU, kindDerivative:
		return isQuiet
	case kindCanon:
		if e.canonical(in) {
			return f[0]
		}
		return isQuiet
	case kindCopy, kindSet, kindSetU, kindBroadcast:
		return f[0]
	case kindZero:
		return isQuiet | isNumber
	case kindUnary, kindVV, kindVU, kindUV, kindVVV, kindVVU, kindVUV, kindVUU:
	default:
		return 0
	}
	switch op := in.op; {
	case op == ir.OpSelect:
		l := lanesOf[in.kind]
		b, c := e.floatOf(l&laneB != 0, in.b), e.floatOf(l&laneC != 0, in.c)
		if l&laneB != 0 && e.numbers[in.a] == in.b+1 {
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
func (e *layout) floatsOf(in *instr) (f [2]floatFact) {
	l := lanesOf[in.kind]
	for i, o := range [2]struct {
		lane bool
		r    int32
	}{{l&laneA != 0, in.a}, {l&laneB != 0, in.b}} {
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

// canonical says that kindCanon has nothing to do: its operand is a number, or nobody tells one NaN from another.
func (e *layout) canonical(in *instr) bool {
	return e.facts[in.a]&isNumber != 0 || !e.wide.exact[in.d]
}
