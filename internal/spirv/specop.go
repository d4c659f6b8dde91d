package spirv

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// scalarOp evaluates one component of OpSpecConstantOp. Operands are numbers of
// type from, zero-extended; the result is one of type to. Division by zero,
// undefined in SPIR-V, gives 0.
func scalarOp(op Op, a, b uint64, from, to *Type) (uint64, bool) {
	width := from.Width
	if from.Kind == KindBool {
		width = 1
	}
	signed := func(v uint64) int64 { return int64(v<<(64-width)) >> (64 - width) }
	wrap := func(v uint64) (uint64, bool) {
		if to.Kind == KindBool {
			return v & 1, true
		}
		return v << (64 - to.Width) >> (64 - to.Width), true
	}
	truth := func(v bool) (uint64, bool) {
		if v {
			return 1, true
		}
		return 0, true
	}
	sa, sb := signed(a), signed(b)
	shift := b & uint64(max(width, 32)-1)
	switch op {
	case OpUConvert, OpBitcast, OpCopyObject:
		return wrap(a)
	case OpSConvert:
		return wrap(uint64(sa))
	case OpFConvert:
		return floatConvert(a, from, to)
	case OpQuantizeToF16:
		if from.Kind != KindFloat || from.Width != 32 {
			return 0, false
		}
		h := fp.FloatToHalf(math.Float32frombits(uint32(a)))
		return uint64(math.Float32bits(fp.HalfToFloat(h))), true
	case OpSNegate:
		return wrap(-a)
	case OpNot:
		return wrap(^a)
	case OpIAdd:
		return wrap(a + b)
	case OpISub:
		return wrap(a - b)
	case OpIMul:
		return wrap(a * b)
	case OpUDiv, OpUMod:
		switch {
		case b == 0:
			return 0, true
		case op == OpUDiv:
			return wrap(a / b)
		}
		return wrap(a % b)
	case OpSDiv, OpSRem, OpSMod:
		return wrap(uint64(divide(op, sa, sb)))
	case OpShiftRightLogical:
		return wrap(a >> shift)
	case OpShiftRightArithmetic:
		return wrap(uint64(sa >> shift))
	case OpShiftLeftLogical:
		return wrap(a << shift)
	case OpBitwiseOr, OpLogicalOr:
		return a | b, true
	case OpBitwiseXor:
		return a ^ b, true
	case OpBitwiseAnd, OpLogicalAnd:
		return a & b, true
	case OpLogicalNot:
		return a ^ 1, true
	case OpLogicalEqual, OpIEqual:
		return truth(a == b)
	case OpLogicalNotEqual, OpINotEqual:
		return truth(a != b)
	case OpUGreaterThan:
		return truth(a > b)
	case OpSGreaterThan:
		return truth(sa > sb)
	case OpUGreaterThanEqual:
		return truth(a >= b)
	case OpSGreaterThanEqual:
		return truth(sa >= sb)
	case OpULessThan:
		return truth(a < b)
	case OpSLessThan:
		return truth(sa < sb)
	case OpULessThanEqual:
		return truth(a <= b)
	case OpSLessThanEqual:
		return truth(sa <= sb)
	default:
		return 0, false
	}
}

func divide(op Op, a, b int64) int64 {
	switch {
	case b == 0:
		return 0
	case b == -1: // no overflow trap
		if op == OpSDiv {
			return -a
		}
		return 0
	case op == OpSDiv:
		return a / b
	}
	r := a % b
	if op == OpSMod && r != 0 && (r < 0) != (b < 0) { // the sign of b
		r += b
	}
	return r
}

// floatConvert changes the width of a float, to nearest even.
func floatConvert(a uint64, from, to *Type) (uint64, bool) {
	if from.Kind != KindFloat || to.Kind != KindFloat {
		return 0, false
	}
	var v float64
	switch from.Width {
	case 16:
		v = float64(fp.HalfToFloat(uint16(a)))
	case 32:
		v = float64(math.Float32frombits(uint32(a)))
	default:
		v = math.Float64frombits(a)
	}
	switch to.Width {
	case 16:
		if from.Width == 64 { // two roundings would not be one
			return lane.D2H(a), true
		}
		return uint64(fp.FloatToHalf(float32(v))), true
	case 32:
		return uint64(math.Float32bits(float32(v))), true
	}
	return math.Float64bits(v), true
}
