package spirv

import "github.com/pumice-gpu/pumice/internal/ir/lane"

// scalarOp evaluates one component of OpSpecConstantOp. Operands are numbers of
// type from, zero-extended; the result is one of type to. Division by zero,
// undefined in SPIR-V, gives 0.
func scalarOp(op Op, a, b uint64, from, to *Type, modes floatModes) (uint64, bool) {
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
		return floatConvert(a, from, to, modes)
	case OpQuantizeToF16:
		if from.Kind != KindFloat || from.Width != 32 {
			return 0, false
		}
		return lane.Flush16(uint64(lane.Quantize16(uint32(a)))), true
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

// floatConvert changes the width of a float.
func floatConvert(a uint64, from, to *Type, modes floatModes) (uint64, bool) {
	if from.Kind != KindFloat || to.Kind != KindFloat {
		return 0, false
	}
	single := &Type{Kind: KindFloat, Width: 32}
	if from.Coded != 0 {
		a, from = uint64(decodeFloat(uint32(a), from.Coded)), single
	}
	if to.Coded != 0 {
		if from.Width == 64 { // to odd: the last bit says that there were more
			f := lane.D2FZ(a)
			if lane.F2D(f) != a {
				f |= 1
			}
			a, from = f, single
		}
		a, _ = floatConvert(a, from, single, floatModes{})
		return uint64(encodeFloat(uint32(a), to.Coded)), true
	}
	mode := modes[to.Width/32]
	switch from.Width {
	case 16:
		a = uint64(lane.H2F(uint32(a)))
	case 64:
		switch {
		case to.Width == 64:
			return a, true
		case mode.zero:
			a = lane.D2FZ(a)
		case to.Width == 16: // two roundings would not be one
			a = uint64(lane.H2F(uint32(lane.D2H(a))))
		default:
			a = lane.D2F(a)
		}
	}
	switch to.Width {
	case 16:
		if mode.zero {
			a = lane.QuantizeZ(a)
		}
		a = uint64(lane.Quantize16(uint32(a)))
		if mode.flush {
			a = lane.Flush16(a)
		}
		return uint64(lane.F2H(uint32(a))), true
	case 32:
		if mode.flush {
			a = lane.Flush(a)
		}
		return a, true
	}
	return lane.F2D(a), true // of fewer bits: no denormal
}
