package spirv

import "cmp"

// Tensor layouts and views (SPV_NV_tensor_addressing), with which accesses to cooperative matrices
// find elements. Values of both are words, in the order of the fields that the extension names.

// MaxTensorDimensions bounds the dimensions of a layout or view.
const MaxTensorDimensions = 5

// TensorClamp is a Tensor Clamp Mode.
type TensorClamp uint32

const (
	TensorClampUndefined TensorClamp = iota
	TensorClampConstant
	TensorClampToEdge
	TensorClampRepeat
	TensorClampMirror
	tensorClamps
)

// Tensor is what the constants of a type of layouts or views say.
type Tensor struct {
	Dim           int
	Clamp         TensorClamp // of a layout
	HasDimensions bool        // of a view, as is
	Permutation   [MaxTensorDimensions]uint32
}

// Words is the number of words of a value: of a layout the sizes of blocks, dimensions, strides,
// offsets and spans, and the clamp value; of a view dimensions, strides, and the rows and columns that
// are not clipped, as offset and span.
func (t Tensor) Words(k Kind) int {
	if k == KindTensorLayout {
		return 5*t.Dim + 1
	}
	return 2*t.Dim + 4
}

// isTensor tells of types of layouts and views.
func isTensor(t *Type) bool {
	return t != nil && (t.Kind == KindTensorLayout || t.Kind == KindTensorView)
}

// defineTensor is OpTypeTensorLayoutNV or OpTypeTensorViewNV.
func (m *Module) defineTensor(in *Inst, t *Type) error {
	t.Kind, t.cooperative = KindTensorLayout, true // which are in the same places
	if in.Op == OpTypeTensorViewNV {
		t.Kind = KindTensorView
	}
	for i := range in.Operands {
		id, want := in.ID(i), KindInt
		if t.Kind == KindTensorView && i == 1 {
			want = KindBool
		}
		c, n := m.defs.At(id), m.typeOf(id)
		if c == nil || !isConstant(c.Op) || n == nil || n.Kind != want || want == KindInt && n.Width != 32 {
			return in.errorf(in.Op.String(), "<id> %d is not a constant of 32 bits or a boolean, declared "+
				"before", id)
		}
		t.Tensor = append(t.Tensor, id)
	}
	return nil
}

// Tensor returns what the type of a layout or view says.
func (c *Constants) Tensor(t *Type) (Tensor, bool) {
	var x Tensor
	if !isTensor(t) {
		return x, false
	}
	var words [2 + MaxTensorDimensions]uint32
	if len(t.Tensor) > len(words) {
		return x, false
	}
	for i, id := range t.Tensor {
		w, ok := c.Words(id)
		if !ok || len(w) != 1 {
			return x, false
		}
		words[i] = w[0]
	}
	if words[0] == 0 || words[0] > MaxTensorDimensions {
		return x, false
	}
	x.Dim = int(words[0])
	if t.Kind == KindTensorLayout {
		x.Clamp = TensorClamp(words[1])
		return x, x.Clamp < tensorClamps
	}
	x.HasDimensions = words[1] != 0
	seen := uint32(0)
	for i, k := range words[2 : 2+x.Dim] {
		x.Permutation[i] = k
		seen |= 1 << min(k, 31)
	}
	return x, len(t.Tensor) == 2+x.Dim && seen == 1<<x.Dim-1
}

// checkTensors demands types of layouts and views that there are.
func (c *Constants) checkTensors() error {
	if !c.m.declared[CapabilityTensorAddressingNV] {
		return nil
	}
	return firstOf(c.m.Types, cmp.Compare[ID], func(id ID, t *Type) error {
		if _, ok := c.Tensor(t); isTensor(t) && !ok {
			in := c.m.defs.At(id)
			return in.errorf(in.Op.String(), "a tensor without 1 to %d dimensions, with a clamp mode or a "+
				"permutation that does not exist", MaxTensorDimensions)
		}
		return nil
	})
}

// validateTensor checks the operands of an instruction that makes a layout or view. How many there
// must be is known where constants are.
func (m *Module) validateTensor(in *Inst, t *Type) error {
	want := KindTensorLayout
	switch in.Op {
	case OpCreateTensorViewNV, OpTensorViewSetDimensionNV, OpTensorViewSetStrideNV, OpTensorViewSetClipNV:
		want = KindTensorView
	}
	if t == nil || t.Kind != want {
		return in.errorf(in.Op.String(), "the result is %v", t)
	}
	for i := range in.Operands {
		v := m.typeOf(in.ID(i))
		if i == 0 && v != t || i > 0 && (v == nil || v.Kind != KindInt || v.Width != 32) {
			return in.errorf(in.Op.String(), "operand %d is %v", i, v)
		}
	}
	return nil
}

// Tensor Addressing Operands.
const (
	TensorOperandView = 1 << iota
	TensorOperandDecode
)

// TensorOperands returns the view and the function to decode elements that an access to a matrix
// through a layout names, which is operand at; 0 where there is none.
func (in *Inst) TensorOperands(at int) (view, decode ID) {
	at++
	memory := in.Operands[at]
	for at++; memory != 0; memory &= memory - 1 {
		if bit := memory & -memory; bit == 2 || bit == 8 || bit == 16 { // those with an operand
			at++
		}
	}
	mask := in.Operands[at]
	if mask&TensorOperandView != 0 {
		at++
		view = in.ID(at)
	}
	if mask&TensorOperandDecode != 0 {
		at++
		decode = in.ID(at)
	}
	return view, decode
}

// validateTensorAccess checks OpCooperativeMatrixLoadTensorNV and OpCooperativeMatrixStoreTensorNV.
func (m *Module) validateTensorAccess(in *Inst, t *Type) error {
	if in.Op == OpCooperativeMatrixStoreTensorNV {
		t = m.typeOf(in.ID(1))
	}
	if t == nil || t.Kind != KindCooperative || m.typeOf(in.ID(1)) != t {
		return in.errorf(in.Op.String(), "the object is %v", m.typeOf(in.ID(1)))
	}
	if l := m.typeOf(in.ID(2)); l == nil || l.Kind != KindTensorLayout {
		return in.errorf(in.Op.String(), "the layout is %v", l)
	}
	p := m.typeOf(in.ID(0))
	if p == nil || p.Kind != KindPointer {
		return in.errorf(in.Op.String(), "%v is not a pointer", p)
	}
	view, decode := in.TensorOperands(2)
	if v := m.typeOf(view); view != 0 && (v == nil || v.Kind != KindTensorView) {
		return in.errorf(in.Op.String(), "the view is %v", v)
	}
	if decode == 0 {
		return m.validateMatrixMemory(in, p)
	}
	if p.Storage != StorageClassPhysicalStorageBuffer && p.Storage != StorageClassStorageBuffer {
		return in.errorf(in.Op.String(), "a function decodes what is in storage class %v", p.Storage)
	}
	f := m.functions[decode]
	if f == nil || f.Type.Elem != t.Elem || len(f.Params) != 3 {
		return in.errorf(in.Op.String(), "<id> %d is not a function of three parameters with the result %v",
			decode, t.Elem)
	}
	if q := m.Type(f.Params[0].Type); q.Kind != KindPointer || q.Untyped ||
		q.Storage != StorageClassPhysicalStorageBuffer {
		return in.errorf(in.Op.String(), "the first parameter of <id> %d is %v, no pointer to a physical "+
			"storage buffer", decode, q)
	}
	for _, x := range f.Params[1:] {
		if a := m.Type(x.Type); a.Kind != KindArray || a.Elem.Kind != KindInt || a.Elem.Width != 32 {
			return in.errorf(in.Op.String(), "a parameter of <id> %d is %v, no array of integers", decode, a)
		}
	}
	return nil
}

// validateMatrixMemory demands memory in which elements of matrices may be.
func (m *Module) validateMatrixMemory(in *Inst, p *Type) error {
	switch p.Storage {
	case StorageClassWorkgroup, StorageClassStorageBuffer, StorageClassPhysicalStorageBuffer:
		return nil
	}
	return in.errorf(in.Op.String(), "a cooperative matrix in storage class %v", p.Storage)
}
