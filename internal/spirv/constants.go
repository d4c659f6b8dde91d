package spirv

import (
	"cmp"
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
	values IDs[[]uint32] // nil for what is no constant
	total  int
	modes  floatModes
	// subgroup is the number of invocations of a subgroup, workgroup that of a workgroup, once all
	// constants are known, and entry what says it; nil: nobody knows.
	subgroup, workgroup uint32
	entry               *EntryPoint
}

// floatModes are an entry point's execution modes for the results of
// conversions in constants, by width: 16, 32 and 64 bits.
type floatModes [3]struct{ zero, flush bool }

// EvaluateConstants computes every constant. spec maps a SpecId to the bytes
// of its value, little-endian, as many as the type has (booleans are 32-bit
// words).
func (m *Module) EvaluateConstants(spec map[uint32][]byte) (*Constants, error) {
	return m.EvaluateConstantsFor(nil, spec, leastSubgroup)
}

// leastSubgroup is the size of subgroups where nobody asks for another.
const leastSubgroup = 4

// EvaluateConstantsFor is EvaluateConstants under the float controls of an
// entry point; nil has none. A subgroup has so many invocations, a power of two.
func (m *Module) EvaluateConstantsFor(e *EntryPoint, spec map[uint32][]byte, subgroup uint32) (*Constants, error) {
	c := &Constants{m: m, subgroup: subgroup, entry: e}
	if e != nil {
		for _, mode := range e.Modes {
			if len(mode.Operands) != 1 || mode.Operands[0] > 64 {
				continue
			}
			k := &c.modes[mode.Operands[0]/32]
			k.zero = k.zero || mode.Kind == ExecutionModeRoundingModeRTZ
			k.flush = k.flush || mode.Kind == ExecutionModeDenormFlushToZero
		}
	}
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
		c.values.Set(in.Result, v)
	}
	c.workgroup = c.workgroupSize()
	return c, cmp.Or(c.checkVectors(), c.checkCooperatives(), c.checkTensors())
}

// Words returns the bits of a constant, flattened: a word for each scalar of up
// to 32 bits, zero-extended, two for each of 64 bits, the low word first;
// booleans are 0 or 1. The slice must not be changed.
func (c *Constants) Words(id ID) ([]uint32, bool) {
	v := c.values.At(id)
	return v, v != nil
}

// Scalars returns the number of words in a value of type t, counted as Words
// does: at most MaxConstantScalars, else an error. Types without a fixed number
// of scalars are errors too.
func (c *Constants) Scalars(t *Type) (int, error) {
	n, ok := c.scalars(t)
	if !ok {
		return 0, fmt.Errorf("unsupported type %v: not made of scalars, or of more than %d", t, MaxConstantScalars)
	}
	return n, nil
}

// words is the number of 32-bit words of a scalar.
func words(t *Type) int {
	if t.Width == 64 {
		return 2
	}
	return 1
}

// scalarOf returns the scalar type of a scalar, vector or matrix.
func scalarOf(t *Type) *Type {
	for t.Kind == KindVector || t.Kind == KindMatrix || t.Kind == KindCooperative {
		t = t.Elem
	}
	return t
}

func (c *Constants) scalars(t *Type) (n int, ok bool) {
	switch t.Kind {
	case KindBool:
		return 1, true
	case KindInt, KindFloat:
		return words(t), true
	case KindPointer:
		// Pointers that shaders can hold in variables are 64-bit numbers.
		switch t.Storage {
		case StorageClassPhysicalStorageBuffer, StorageClassStorageBuffer, StorageClassWorkgroup:
			return 2, true
		}
		return 0, false
	case KindVector, KindMatrix:
		n, ok = c.scalars(t.Elem)
		count := t.Count
		if t.Kind == KindVector {
			l, known := c.VectorLen(t)
			count, ok = l, ok && known
		}
		return n * int(count), ok
	case KindCooperative:
		l, known := c.CooperativeLength(t)
		return words(t.Elem) * int(l), known
	case KindTensorLayout, KindTensorView:
		x, known := c.Tensor(t)
		return x.Words(t.Kind), known
	case KindArray:
		n, ok = c.scalars(t.Elem)
		l, known := c.ArrayLen(t)
		if !ok || !known || l == 0 || n == 0 || int64(n)*int64(l) > MaxConstantScalars {
			return 0, false // however many there are of nothing, whoever counts them is long on the way
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
	v, ok := c.Words(t.Len)
	if !ok || len(v) != 1 {
		return 0, false
	}
	return v[0], true
}

// evaluate returns nil without an error for a constant of an unsupported type:
// only its use is an error.
func (c *Constants) evaluate(in *Inst, spec map[uint32][]byte) ([]uint32, error) {
	t := c.m.Type(in.Type)
	n, ok := c.scalars(t)
	if !ok {
		return nil, nil
	}
	// specified returns the words of the specialization, or v.
	specified := func(v []uint32, size int) ([]uint32, error) {
		id, ok := c.m.Decoration(in.Result, DecorationSpecId)
		if !ok || len(id) == 0 {
			return v, nil
		}
		b, ok := spec[id[0]]
		if !ok {
			return v, nil
		}
		if len(b) != size {
			return nil, in.errorf("VUID-VkSpecializationMapEntry-constantID-00776", "%d bytes for specialization constant %d; it takes %d", len(b), id[0], size)
		}
		var whole [8]byte
		copy(whole[:], b)
		out := []uint32{binary.LittleEndian.Uint32(whole[:]), binary.LittleEndian.Uint32(whole[4:])}
		return out[:len(v)], nil
	}
	switch in.Op {
	case OpConstantTrue, OpConstantFalse, OpSpecConstantTrue, OpSpecConstantFalse:
		v := uint32(0)
		if in.Op == OpConstantTrue || in.Op == OpSpecConstantTrue {
			v = 1
		}
		if in.Op == OpSpecConstantTrue || in.Op == OpSpecConstantFalse {
			s, err := specified([]uint32{v}, 4)
			if err != nil {
				return nil, err
			}
			v = 0
			if s[0] != 0 {
				v = 1
			}
		}
		if t.Kind != KindBool {
			return nil, in.errorf("_types_and_constants", "the result type %v is not bool", t)
		}
		return []uint32{v}, nil
	case OpConstant, OpSpecConstant:
		if t.Kind != KindInt && t.Kind != KindFloat || len(in.Operands) != n {
			return nil, in.errorf("_types_and_constants", "%d words for a constant of type %v", len(in.Operands), t)
		}
		v := append([]uint32(nil), in.Operands...)
		if t.Width < 32 {
			v[0] &= 1<<t.Width - 1
		}
		if in.Op == OpConstant {
			return v, nil
		}
		return specified(v, int(t.Width/8))
	case OpConstantComposite, OpSpecConstantComposite:
		if n+c.total > MaxTotalScalars {
			return nil, in.errorf("_universal_limits", "constants of more than %d scalars", MaxTotalScalars)
		}
		if t.Kind == KindCooperative && len(in.Operands) == 1 {
			return c.replicate(in, t, n) // all elements
		}
		if err := c.checkParts(in, t); err != nil {
			return nil, err
		}
		out := make([]uint32, 0, n)
		for i := range in.Operands {
			v, ok := c.Words(in.ID(i))
			if !ok || len(out)+len(v) > n {
				return nil, in.errorf("OpConstantComposite", "constituent %d does not fit", i)
			}
			out = append(out, v...)
		}
		if len(out) != n {
			return nil, in.errorf("OpConstantComposite", "%d scalars for a %v of %d", len(out), t, n)
		}
		return out, nil
	case OpConstantCompositeReplicateEXT, OpSpecConstantCompositeReplicateEXT:
		if n+c.total > MaxTotalScalars {
			return nil, in.errorf("_universal_limits", "constants of more than %d scalars", MaxTotalScalars)
		}
		return c.replicate(in, t, n)
	case OpConstantNull, OpUndef:
		if n+c.total > MaxTotalScalars {
			return nil, in.errorf("_universal_limits", "constants of more than %d scalars", MaxTotalScalars)
		}
		return make([]uint32, n), nil
	case OpSpecConstantOp:
		return c.specOp(in, t, n)
	case OpConstantSizeOfEXT:
		return c.sizeOf(in, t, n)
	default:
		return nil, in.errorf("_types_and_constants", "not a constant instruction")
	}
}

// replicate evaluates a composite of n words with equal parts.
func (c *Constants) replicate(in *Inst, t *Type, n int) ([]uint32, error) {
	v, ok := c.Words(in.ID(0))
	if !ok || !c.m.allParts(t, c.m.typeOf(in.ID(0))) || len(v) == 0 || n%len(v) != 0 {
		return nil, in.errorf(in.Op.String(), "the value is not the one part of a %v", t)
	}
	out := make([]uint32, 0, n)
	for len(out) < n {
		out = append(out, v...)
	}
	return out, nil
}

// allParts reports whether every part of the composite t is a part.
func (m *Module) allParts(t, part *Type) bool {
	switch t.Kind {
	case KindVector, KindMatrix, KindArray, KindCooperative:
		return part != nil && t.Elem == part
	case KindStruct:
		for _, x := range t.Members {
			if x != part {
				return false
			}
		}
		return part != nil
	}
	return false
}

// checkParts compares the constituents of a composite with the parts of t.
func (c *Constants) checkParts(in *Inst, t *Type) error {
	parts := len(t.Members)
	switch t.Kind {
	case KindVector:
		l, _ := c.VectorLen(t)
		parts = int(l)
	case KindMatrix:
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
	for i := range in.Operands {
		want := t.Elem
		if t.Kind == KindStruct {
			want = t.Members[i]
		}
		if v := c.m.typeOf(in.ID(i)); v != want {
			return in.errorf("OpConstantComposite", "constituent %d is %v, not %v", i, v, want)
		}
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
	if op == OpCooperativeMatrixLengthKHR || op == OpCooperativeMatrixLengthNV {
		l, ok := c.CooperativeLength(c.m.Type(in.ID(1)))
		if !ok || t.Kind != KindInt || n != 1 {
			return nil, bad("what is no cooperative matrix")
		}
		return []uint32{l}, nil
	}
	value := func(i int) []uint32 {
		if i >= len(args) {
			return nil
		}
		return c.values.At(ID(args[i]))
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
		if b == nil {
			return nil, bad("an operand without a value")
		}
		both := append(append([]uint32(nil), a...), b...)
		out := make([]uint32, 0, n)
		w := words(scalarOf(t))
		for _, k := range args[2:] {
			switch {
			case k == math.MaxUint32:
				out = append(out, make([]uint32, w)...)
			case int64(k) < int64(len(both)/w):
				out = append(out, both[int(k)*w:int(k)*w+w]...)
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
		w := words(scalarOf(t))
		if len(b) != n || len(x) != n || len(a) != n/w && len(a) != 1 {
			return nil, bad("operands of different sizes")
		}
		out := make([]uint32, n)
		for i := range out {
			out[i] = x[i]
			if a[i/w%len(a)] != 0 {
				out[i] = b[i]
			}
		}
		return out, nil
	}
	from, to := c.m.typeOf(ID(args[0])), scalarOf(t)
	if from == nil {
		return nil, bad("an operand without a type")
	}
	from = scalarOf(from)
	second := from // the type of the second operand, which differs in shifts
	if b != nil {
		if second = c.m.typeOf(ID(args[1])); second == nil {
			return nil, bad("an operand without a type")
		}
		second = scalarOf(second)
	}
	wa, wb, wr := words(from), words(second), words(to)
	if len(a)/wa != n/wr || b != nil && len(b)/wb != n/wr {
		return nil, bad("operands of different sizes")
	}
	out := make([]uint32, 0, n)
	for i := range n / wr {
		y := uint64(0)
		if b != nil {
			y = join(b[i*wb : i*wb+wb])
		}
		v, ok := scalarOp(op, join(a[i*wa:i*wa+wa]), y, from, to, c.modes)
		if !ok {
			return nil, bad("an unsupported operation")
		}
		out = append(out, uint32(v))
		if wr == 2 {
			out = append(out, uint32(v>>32))
		}
	}
	return out, nil
}

// join makes a number of one or two words.
func join(w []uint32) uint64 {
	v := uint64(w[0])
	if len(w) > 1 {
		v |= uint64(w[1]) << 32
	}
	return v
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
	case KindVector, KindMatrix, KindArray, KindCooperative:
		count := t.Count
		switch t.Kind {
		case KindCooperative:
			count, _ = c.CooperativeLength(t)
		case KindVector:
			count, _ = c.VectorLen(t)
		case KindArray:
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
	if d := m.defs.At(id); d != nil {
		return m.Type(d.Type)
	}
	return nil
}
