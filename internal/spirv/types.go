package spirv

import (
	"cmp"
	"fmt"
)

// Kind is the kind of a type.
type Kind uint8

const (
	KindVoid Kind = iota
	KindBool
	KindInt
	KindFloat
	KindVector
	KindMatrix
	KindImage
	KindSampler
	KindSampledImage
	KindArray
	KindRuntimeArray
	KindStruct
	KindPointer
	KindFunction
	KindBuffer // the descriptor of a buffer, in a heap
	KindCooperative
	KindTensorLayout
	KindTensorView
)

// Type is a type of a module; immutable. Identity is by pointer within a
// module, except that aggregates may be declared twice.
type Type struct {
	ID      ID
	Kind    Kind
	Width   uint32     // int and float, bits
	Signed  bool       // int
	Coded   FPEncoding // float: another encoding than that of IEEE 754
	Elem    *Type      // vector component, matrix column, array element, pointee, image of a sampled image, function result
	Count   uint32     // vector components, matrix columns; 0 where a specialization says how many
	Len     ID         // array length, or the components of a vector whose Count is 0: a constant
	Members []*Type
	Storage StorageClass // pointer, buffer
	Untyped bool         // pointer: whoever uses it says to what; Elem is nil
	Image   ImageType
	Shape   [4]ID // cooperative matrix: constants of scope, rows, columns and use
	Tensor  []ID  // tensor layout or view: constants of what the declaration names
	depth   int
	parts   int // of structures and theirs, each place where one stands; pointers end it
	// long and specialized say that a vector of more than four components, or of a number
	// that is specialized, is in the type.
	long, specialized bool
	// cooperative says that a cooperative matrix or vector, or a tensor layout or view, is in the type.
	cooperative bool
}

// ImageType holds the operands of OpTypeImage.
type ImageType struct {
	Sampled *Type // component type of a texel
	Dim     Dim
	Depth   uint32
	Arrayed bool
	MS      bool
	Use     uint32 // 1 with a sampler, 2 without
	Format  uint32
}

// IsScalar reports whether t is a bool, an integer or a float.
func (t *Type) IsScalar() bool { return t.Kind == KindBool || t.Kind == KindInt || t.Kind == KindFloat }

// String describes the type for messages.
func (t *Type) String() string { return t.text(4) }

// text is String, so many pointers deep: they may lead in circles.
func (t *Type) text(pointers int) string {
	if t == nil {
		return "no type"
	}
	switch t.Kind {
	case KindVoid:
		return "void"
	case KindBool:
		return "bool"
	case KindInt:
		if t.Signed {
			return fmt.Sprintf("int%d", t.Width)
		}
		return fmt.Sprintf("uint%d", t.Width)
	case KindFloat:
		if t.Coded != 0 {
			return t.Coded.String()
		}
		return fmt.Sprintf("float%d", t.Width)
	case KindVector:
		if t.Count == 0 {
			return fmt.Sprintf("%v vector of <id> %d", t.Elem, t.Len)
		}
		return fmt.Sprintf("%v vector of %d", t.Elem, t.Count)
	case KindMatrix:
		return fmt.Sprintf("matrix of %d (%v)", t.Count, t.Elem)
	case KindImage:
		return "image"
	case KindSampler:
		return "sampler"
	case KindBuffer:
		return "buffer"
	case KindSampledImage:
		return "sampled image"
	case KindArray:
		return "array of " + t.Elem.text(pointers)
	case KindRuntimeArray:
		return "runtime array of " + t.Elem.text(pointers)
	case KindStruct:
		return fmt.Sprintf("struct <id> %d", t.ID)
	case KindPointer:
		if t.Untyped {
			return "untyped pointer"
		}
		if pointers == 0 {
			return "pointer"
		}
		return "pointer to " + t.Elem.text(pointers-1)
	case KindFunction:
		return "function type"
	case KindCooperative:
		return fmt.Sprintf("cooperative matrix of %v", t.Elem)
	case KindTensorLayout:
		return "tensor layout"
	case KindTensorView:
		return "tensor view"
	}
	return "unknown type"
}

// defineType adds the type that in declares.
func (m *Module) defineType(in *Inst) error {
	t := &Type{ID: in.Result, parts: 1}
	elem := func(i int) (*Type, error) {
		e := m.Type(in.ID(i))
		if e == nil {
			return nil, in.errorf("_types_and_constants", "<id> %d is not a type declared before", in.ID(i))
		}
		t.depth = max(t.depth, e.depth+1)
		if in.Op != OpTypePointer {
			t.parts += e.parts
			t.long, t.specialized = t.long || e.long, t.specialized || e.specialized
			t.cooperative = t.cooperative || e.cooperative
		}
		return e, nil
	}
	var err error
	switch in.Op {
	case OpTypeVoid:
		t.Kind = KindVoid
	case OpTypeBool:
		t.Kind = KindBool
	case OpTypeInt:
		t.Kind, t.Width, t.Signed = KindInt, in.Operands[0], in.Operands[1] != 0
		if w := t.Width; w != 8 && w != 16 && w != 32 && w != 64 {
			return in.errorf("_data_rules", "integer width %d", w)
		}
		if in.Operands[1] > 1 {
			return in.errorf("OpTypeInt", "signedness %d", in.Operands[1])
		}
	case OpTypeFloat:
		t.Kind, t.Width = KindFloat, in.Operands[0]
		if len(in.Operands) > 1 {
			return m.defineCoded(in, t)
		}
		if w := t.Width; w != 16 && w != 32 && w != 64 {
			return in.errorf("_data_rules", "unsupported float encoding of width %d", w)
		}
	case OpTypeVector:
		t.Kind, t.Count = KindVector, in.Operands[1]
		if t.Elem, err = elem(0); err == nil {
			err = m.checkVector(in, t)
		}
	case OpTypeVectorIdEXT:
		if t.Elem, err = elem(0); err == nil {
			err = m.defineVector(in, t)
		}
	case OpTypeMatrix:
		t.Kind, t.Count = KindMatrix, in.Operands[1]
		if t.Elem, err = elem(0); err == nil && (t.Elem.Kind != KindVector || t.Elem.Count < 2 || t.Elem.Elem.Kind != KindFloat || t.Count < 2 || t.Count > 4) {
			err = in.errorf("_data_rules", "a matrix of %d (%v)", t.Count, t.Elem)
		}
	case OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV:
		if t.Elem, err = elem(0); err == nil {
			err = m.defineCooperative(in, t)
		}
	case OpTypeTensorLayoutNV, OpTypeTensorViewNV:
		err = m.defineTensor(in, t)
	case OpTypeImage:
		t.Kind = KindImage
		e, err := elem(0)
		if err != nil {
			return err
		}
		o := in.Operands
		if e.Kind != KindVoid && e.Kind != KindInt && e.Kind != KindFloat || o[2] > 2 || o[3] > 1 || o[4] > 1 || o[5] > 2 {
			return in.errorf("OpTypeImage", "operands outside their ranges")
		}
		t.Image = ImageType{Sampled: e, Dim: Dim(o[1]), Depth: o[2], Arrayed: o[3] == 1, MS: o[4] == 1, Use: o[5], Format: o[6]}
	case OpTypeSampler:
		t.Kind = KindSampler
	case OpTypeSampledImage:
		t.Kind = KindSampledImage
		if t.Elem, err = elem(0); err == nil && t.Elem.Kind != KindImage {
			err = in.errorf("OpTypeSampledImage", "%v is not an image", t.Elem)
		}
	case OpTypeArray:
		t.Kind, t.Len = KindArray, in.ID(1)
		if t.Elem, err = elem(0); err == nil {
			if c := m.defs.At(t.Len); c == nil || !isConstant(c.Op) {
				err = in.errorf("OpTypeArray", "the length <id> %d is not a constant declared before", t.Len)
			}
		}
	case OpTypeRuntimeArray:
		t.Kind = KindRuntimeArray
		t.Elem, err = elem(0)
	case OpTypeStruct, OpTypeFunction:
		t.Kind = KindStruct
		first := 0
		if in.Op == OpTypeFunction {
			t.Kind, first = KindFunction, 1
			if t.Elem, err = elem(0); err != nil {
				return err
			}
			if len(in.Operands)-1 > MaxArguments {
				return in.errorf("_universal_limits", "%d parameters; the limit is %d", len(in.Operands)-1, MaxArguments)
			}
		}
		if len(in.Operands) > MaxStructMember {
			return in.errorf("_universal_limits", "%d members; the limit is %d", len(in.Operands), MaxStructMember)
		}
		for i := first; i < len(in.Operands); i++ {
			e, err := elem(i)
			if err != nil {
				return err
			}
			if e.Kind == KindVoid || e.Kind == KindFunction {
				return in.errorf("_data_rules", "a member of %v", e)
			}
			t.Members = append(t.Members, e)
		}
	case OpTypeForwardPointer:
		// Completed by the OpTypePointer that follows; checked in finish.
		if m.Type(in.ID(0)) != nil {
			return in.errorf("OpTypeForwardPointer", "<id> %d is a type already", in.ID(0))
		}
		m.setType(in.ID(0), &Type{ID: in.ID(0), Kind: KindPointer, Storage: StorageClass(in.Operands[1])})
		return nil
	case OpTypeBufferEXT:
		t.Kind, t.Storage = KindBuffer, StorageClass(in.Operands[0])
		if t.Storage != StorageClassUniform && t.Storage != StorageClassStorageBuffer {
			err = in.errorf("OpTypeBufferEXT", "a buffer of storage class %v", t.Storage)
		}
	case OpTypeUntypedPointerKHR:
		t.Kind, t.Storage, t.Untyped = KindPointer, StorageClass(in.Operands[0]), true
		err = m.checkUntyped(in, t)
	case OpTypePointer:
		t.Kind, t.Storage = KindPointer, StorageClass(in.Operands[0])
		if t.Elem, err = elem(1); err == nil {
			err = cmp.Or(checkLong(in, t), checkCooperative(in, t))
		}
		if err != nil {
			break
		}
		if f := m.Type(in.Result); f != nil {
			if f.Kind != KindPointer || f.Elem != nil || f.Storage != t.Storage {
				return in.errorf("OpTypeForwardPointer", "the pointer is not the one announced")
			}
			f.Elem = t.Elem
			return nil
		}
	default:
		return in.errorf("_types_and_constants", "unsupported type %v", in.Op)
	}
	if err != nil {
		return err
	}
	if k := t.Kind; (k == KindArray || k == KindRuntimeArray) && (t.Elem.Kind == KindVoid || t.Elem.Kind == KindFunction) {
		return in.errorf("_data_rules", "an array of %v", t.Elem)
	}
	if (t.Kind == KindInt || t.Kind == KindFloat) && !m.validateWidth(t) {
		return in.errorf("_capability", "the module does not declare the capability of %v", t)
	}
	if t.parts > MaxTypeParts {
		return in.errorf("_universal_limits", "a type of more than %d parts, those of its parts counted", MaxTypeParts)
	}
	if t.depth > MaxTypeNesting {
		return in.errorf("_universal_limits", "types nest deeper than %d", MaxTypeNesting)
	}
	m.setType(in.Result, t)
	return nil
}

func (m *Module) setType(id ID, t *Type) {
	m.Types[id] = t
	m.types.Set(id, t)
}

// Type returns the type with an <id>, or nil.
func (m *Module) Type(id ID) *Type { return m.types.At(id) }

func isConstant(op Op) bool {
	switch op {
	case OpConstant, OpConstantTrue, OpConstantFalse, OpConstantComposite, OpConstantNull, OpUndef,
		OpSpecConstant, OpSpecConstantTrue, OpSpecConstantFalse, OpSpecConstantComposite, OpSpecConstantOp,
		OpConstantCompositeReplicateEXT, OpSpecConstantCompositeReplicateEXT, OpConstantSizeOfEXT:
		return true
	default:
		return false
	}
}
