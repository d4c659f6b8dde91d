package spirv

import (
	"encoding/binary"
	"fmt"
	"math"
)

// MaxConstantScalars bounds the scalars of one constant and MaxTotalScalars
// those of all constants of a module.
const (
	MaxConstantScalars = 1 << 16
	MaxTotalScalars    = 1 << 20
)

// Constants holds the values of a module's constants for one specialization.
type Constants struct {
	m      *Module
	values map[ID][]uint32
	total  int
}

// EvaluateConstants computes every constant. spec maps a SpecId to the bytes
// of its value, little-endian, four of them (booleans are 32-bit words). A
// constant of a type other than bool and 32-bit scalars has no value.
func (m *Module) EvaluateConstants(spec map[uint32][]byte) (*Constants, error) {
	c := &Constants{m: m, values: map[ID][]uint32{}}
	for _, in := range m.Constants {
		v, err := c.evaluate(in, spec)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		if c.total += len(v); c.total > MaxTotalScalars || len(v) > MaxConstantScalars {
			return nil, in.errorf("_universal_limits", "constants of more than %d scalars", MaxConstantScalars)
		}
		c.values[in.Result] = v
	}
	return c, nil
}

// Words returns the scalars of a constant, flattened; booleans are 0 or 1. The
// slice must not be changed.
func (c *Constants) Words(id ID) ([]uint32, bool) {
	v, ok := c.values[id]
	return v, ok
}

// Scalars returns the number of scalars in a value of type t: at most
// MaxConstantScalars, else an error. Types without a fixed number of 32-bit
// scalars are errors too.
func (c *Constants) Scalars(t *Type) (int, error) {
	n, ok := c.scalars(t)
	if !ok {
		return 0, fmt.Errorf("unsupported type %v: not made of 32-bit scalars, or of more than %d", t, MaxConstantScalars)
	}
	return n, nil
}

func (c *Constants) scalars(t *Type) (n int, ok bool) {
	switch t.Kind {
	case KindBool:
		return 1, true
	case KindInt, KindFloat:
		return 1, t.Width == 32
	case KindVector, KindMatrix:
		n, ok = c.scalars(t.Elem)
		return n * int(t.Count), ok
	case KindArray:
		n, ok = c.scalars(t.Elem)
		l, known := c.ArrayLen(t)
		if !ok || !known || l == 0 || int64(n)*int64(l) > MaxConstantScalars {
			return 0, false
		}
		return n * int(l), true
	case KindStruct:
		for _, m := range t.Members {
			k, ok := c.scalars(m)
			if n += k; !ok || n > MaxConstantScalars {
				return 0, false
			}
		}
		return n, true
	default:
		return 0, false
	}
}

// ArrayLen returns the length of an array type.
func (c *Constants) ArrayLen(t *Type) (uint32, bool) {
	if t.Kind != KindArray {
		return 0, false
	}
	v, ok := c.values[t.Len]
	if !ok || len(v) != 1 {
		return 0, false
	}
	return v[0], true
}

// evaluate returns nil without an error for a constant of an unsupported type:
// only its use is an error.
func (c *Constants) evaluate(in *Inst, spec map[uint32][]byte) ([]uint32, error) {
	t := c.m.Types[in.Type]
	n, ok := c.scalars(t)
	if !ok {
		return nil, nil
	}
	specified := func(v uint32) (uint32, error) {
		id, ok := c.m.Decoration(in.Result, DecorationSpecId)
		if !ok || len(id) == 0 {
			return v, nil
		}
		b, ok := spec[id[0]]
		if !ok {
			return v, nil
		}
		if len(b) != 4 {
			return 0, in.errorf("VUID-VkSpecializationMapEntry-constantID-00776", "%d bytes for specialization constant %d; it takes 4", len(b), id[0])
		}
		return binary.LittleEndian.Uint32(b), nil
	}
	switch in.Op {
	case OpConstantTrue, OpConstantFalse, OpSpecConstantTrue, OpSpecConstantFalse:
		v := uint32(0)
		if in.Op == OpConstantTrue || in.Op == OpSpecConstantTrue {
			v = 1
		}
		if in.Op == OpSpecConstantTrue || in.Op == OpSpecConstantFalse {
			s, err := specified(v)
			if err != nil {
				return nil, err
			}
			v = 0
			if s != 0 {
				v = 1
			}
		}
		if t.Kind != KindBool {
			return nil, in.errorf("_types_and_constants", "the result type %v is not bool", t)
		}
		return []uint32{v}, nil
	case OpConstant, OpSpecConstant:
		if t.Kind != KindInt && t.Kind != KindFloat || len(in.Operands) != 1 {
			return nil, in.errorf("_types_and_constants", "%d words for a constant of type %v", len(in.Operands), t)
		}
		if in.Op == OpConstant {
			return []uint32{in.Operands[0]}, nil
		}
		v, err := specified(in.Operands[0])
		return []uint32{v}, err
	case OpConstantComposite, OpSpecConstantComposite:
		if n+c.total > MaxTotalScalars {
			return nil, in.errorf("_universal_limits", "constants of more than %d scalars", MaxTotalScalars)
		}
		if err := c.checkParts(in, t); err != nil {
			return nil, err
		}
		out := make([]uint32, 0, n)
		for i := range in.Operands {
			v, ok := c.values[in.ID(i)]
			if !ok || len(out)+len(v) > n {
				return nil, in.errorf("OpConstantComposite", "constituent %d does not fit", i)
			}
			out = append(out, v...)
		}
		if len(out) != n {
			return nil, in.errorf("OpConstantComposite", "%d scalars for a %v of %d", len(out), t, n)
		}
		return out, nil
	case OpConstantNull, OpUndef:
		if n+c.total > MaxTotalScalars {
			return nil, in.errorf("_universal_limits", "constants of more than %d scalars", MaxTotalScalars)
		}
		return make([]uint32, n), nil
	case OpSpecConstantOp:
		return c.specOp(in, t, n)
	default:
		return nil, in.errorf("_types_and_constants", "not a constant instruction")
	}
}

// checkParts compares the constituents of a composite with the parts of t.
func (c *Constants) checkParts(in *Inst, t *Type) error {
	parts := len(t.Members)
	switch t.Kind {
	case KindVector, KindMatrix:
		parts = int(t.Count)
	case KindArray:
		l, _ := c.ArrayLen(t)
		parts = int(l)
	case KindStruct:
	default:
		return in.errorf("OpConstantComposite", "the result type %v is not a composite", t)
	}
	if len(in.Operands) != parts {
		return in.errorf("OpConstantComposite", "%d constituents for %v of %d", len(in.Operands), t, parts)
	}
	return nil
}

// specOp evaluates OpSpecConstantOp, one component after the other.
func (c *Constants) specOp(in *Inst, t *Type, n int) ([]uint32, error) {
	op := Op(in.Operands[0])
	bad := func(why string) error {
		return in.errorf("OpSpecConstantOp", "%s in a specialization operation %v", why, op)
	}
	args := in.Operands[1:]
	value := func(i int) []uint32 {
		if i >= len(args) {
			return nil
		}
		return c.values[ID(args[i])]
	}
	a, b := value(0), value(1)
	if a == nil {
		return nil, bad("an operand without a value")
	}
	switch op {
	case OpCompositeExtract:
		at, sub, err := c.walk(in, c.m.typeOf(ID(args[0])), args[1:])
		if err != nil || sub != n || at+n > len(a) {
			return nil, bad("an index out of range")
		}
		return a[at : at+n], nil
	case OpCompositeInsert:
		if b == nil {
			return nil, bad("an operand without a value")
		}
		at, sub, err := c.walk(in, t, args[2:])
		if err != nil || sub != len(a) || at+sub > len(b) || len(b) != n {
			return nil, bad("an index out of range")
		}
		out := append([]uint32(nil), b...)
		copy(out[at:], a)
		return out, nil
	case OpVectorShuffle:
		both := append(append([]uint32(nil), a...), b...)
		out := make([]uint32, 0, n)
		for _, k := range args[2:] {
			switch {
			case k == math.MaxUint32:
				out = append(out, 0)
			case int64(k) < int64(len(both)):
				out = append(out, both[k])
			default:
				return nil, bad("a component out of range")
			}
		}
		if len(out) != n {
			return nil, bad("the wrong number of components")
		}
		return out, nil
	case OpSelect:
		x := value(2)
		if len(b) != n || len(x) != n || len(a) != n && len(a) != 1 {
			return nil, bad("operands of different sizes")
		}
		out := make([]uint32, n)
		for i := range out {
			out[i] = x[i]
			if a[i%len(a)] != 0 {
				out[i] = b[i]
			}
		}
		return out, nil
	}
	if len(a) != n || b != nil && len(b) != n {
		return nil, bad("operands of different sizes")
	}
	out := make([]uint32, n)
	for i := range out {
		y := uint32(0)
		if b != nil {
			y = b[i]
		}
		v, ok := scalarOp(op, a[i], y)
		if !ok {
			return nil, bad("an unsupported operation")
		}
		out[i] = v
	}
	return out, nil
}

// walk follows literal indices into t and returns the first scalar and the
// number of scalars of the part.
func (c *Constants) walk(in *Inst, t *Type, indices []uint32) (at, n int, err error) {
	for _, k := range indices {
		next, off, ok := c.Part(t, k)
		if !ok {
			return 0, 0, in.errorf("OpCompositeExtract", "index %d is out of range", k)
		}
		t, at = next, at+off
	}
	n, err = c.Scalars(t)
	return at, n, err
}

// Part returns the type of part k of a composite and the scalars before it.
func (c *Constants) Part(t *Type, k uint32) (part *Type, before int, ok bool) {
	if t == nil {
		return nil, 0, false
	}
	switch t.Kind {
	case KindVector, KindMatrix, KindArray:
		count := t.Count
		if t.Kind == KindArray {
			count, _ = c.ArrayLen(t)
		}
		n, sized := c.scalars(t.Elem)
		if !sized || k >= count {
			return nil, 0, false
		}
		return t.Elem, n * int(k), true
	case KindStruct:
		if int64(k) >= int64(len(t.Members)) {
			return nil, 0, false
		}
		for _, m := range t.Members[:k] {
			n, sized := c.scalars(m)
			if !sized {
				return nil, 0, false
			}
			before += n
		}
		return t.Members[k], before, true
	default:
		return nil, 0, false
	}
}

func (m *Module) typeOf(id ID) *Type {
	if d := m.defs[id]; d != nil {
		return m.Types[d.Type]
	}
	return nil
}

// scalarOp evaluates one component. Division by zero, undefined in SPIR-V,
// gives 0.
func scalarOp(op Op, a, b uint32) (uint32, bool) {
	truth := func(v bool) (uint32, bool) {
		if v {
			return 1, true
		}
		return 0, true
	}
	sa, sb := int32(a), int32(b)
	switch op {
	case OpSConvert, OpUConvert, OpBitcast, OpCopyObject:
		return a, true
	case OpQuantizeToF16:
		return 0, false
	case OpSNegate:
		return -a, true
	case OpNot:
		return ^a, true
	case OpIAdd:
		return a + b, true
	case OpISub:
		return a - b, true
	case OpIMul:
		return a * b, true
	case OpUDiv, OpUMod, OpSDiv, OpSRem, OpSMod:
		return divide(op, a, b), true
	case OpShiftRightLogical:
		return a >> (b & 31), true
	case OpShiftRightArithmetic:
		return uint32(sa >> (b & 31)), true
	case OpShiftLeftLogical:
		return a << (b & 31), true
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

func divide(op Op, a, b uint32) uint32 {
	if b == 0 {
		return 0
	}
	sa, sb := int64(int32(a)), int64(int32(b))
	switch op {
	case OpUDiv:
		return a / b
	case OpUMod:
		return a % b
	case OpSDiv:
		return uint32(sa / sb)
	case OpSRem:
		return uint32(sa % sb)
	default: // OpSMod: the sign of b
		r := sa % sb
		if r != 0 && (r < 0) != (sb < 0) {
			r += sb
		}
		return uint32(r)
	}
}
