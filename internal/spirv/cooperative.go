package spirv

import (
	"cmp"
	"slices"
)

// Cooperative matrices (SPV_KHR_cooperative_matrix). The elements of one lie over the invocations of a
// subgroup or workgroup, each of which has as many: CooperativeSpread says where.

// Component is the type of a matrix' elements.
type Component struct {
	Kind   Kind // KindInt or KindFloat
	Width  uint32
	Signed bool // of integers
	Coded  FPEncoding
}

// Types of elements.
var (
	Half     = Component{Kind: KindFloat, Width: 16}
	Single   = Component{Kind: KindFloat, Width: 32}
	Brain    = Component{Kind: KindFloat, Width: 16, Coded: BFloat16}
	Small4   = Component{Kind: KindFloat, Width: 8, Coded: Float8E4M3}
	Small5   = Component{Kind: KindFloat, Width: 8, Coded: Float8E5M2}
	Signed8  = Component{Kind: KindInt, Width: 8, Signed: true}
	Plain8   = Component{Kind: KindInt, Width: 8}
	Signed16 = Component{Kind: KindInt, Width: 16, Signed: true}
	Plain16  = Component{Kind: KindInt, Width: 16}
	Signed32 = Component{Kind: KindInt, Width: 32, Signed: true}
	Plain32  = Component{Kind: KindInt, Width: 32}
)

// CooperativeProduct is a product of matrices that there is, as VkCooperativeMatrixPropertiesKHR
// says it: A has M rows and K columns, B has K rows and N columns.
type CooperativeProduct struct {
	M, N, K         uint32
	A, B, C, Result Component
	Saturating      bool // whether SaturatingAccumulationKHR is there too; it is without
}

// CooperativeColumns is the number of columns of all products.
const CooperativeColumns = 16

// CooperativeProducts are the products that there are; what programs look for first stands first. That is
// the largest that a subgroup has an invocation for each row of, as long as its size is not chosen:
// programs give invocations a row, or a part of one, and none of them two.
var CooperativeProducts = append(cooperativeProducts(commonSums, 16, 32),
	cooperativeProducts(otherSums, 16)...)

// cooperativeSums are the types of products: those of A and B, and those that C and the result both
// may have. Sums of integers may saturate.
type cooperativeSums struct {
	a, b    Component
	results []Component
}

// commonSums are what programs look for, otherSums what few have a use for. Those stand behind, and
// in one depth, so that programs which take the first product of a type find the same as without
// them.
var (
	commonSums = []cooperativeSums{
		{Half, Half, []Component{Single, Half}},
		{Brain, Brain, []Component{Single, Brain}},
		{Single, Single, []Component{Single}},
		{Small4, Small4, []Component{Single, Half}},
		{Small5, Small5, []Component{Single, Half}},
		{Signed8, Signed8, []Component{Signed32, Plain32}},
		{Signed8, Plain8, []Component{Signed32, Plain32}},
		{Plain8, Signed8, []Component{Signed32, Plain32}},
		{Plain8, Plain8, []Component{Signed32, Plain32}},
	}
	otherSums = []cooperativeSums{
		{Signed8, Signed8, []Component{Signed8}},
		{Plain8, Plain8, []Component{Plain8}},
		{Signed16, Signed16, []Component{Signed32, Signed16}},
		{Plain16, Plain16, []Component{Plain32, Plain16}},
		{Signed32, Signed32, []Component{Signed32, Signed8}},
		{Plain32, Plain32, []Component{Plain32, Plain8}},
		{Small4, Small4, []Component{Small4}},
		{Small5, Small5, []Component{Small5}},
	}
)

// cooperativeProducts are products of the sizes and these depths.
func cooperativeProducts(sums []cooperativeSums, depths ...uint32) (list []CooperativeProduct) {
	for _, m := range []uint32{8, 16} {
		for _, k := range depths {
			for _, t := range sums {
				for _, c := range t.results {
					p := CooperativeProduct{m, CooperativeColumns, k, t.a, t.b, c, c, false}
					list = append(list, p)
					if p.Saturating = c.Kind == KindInt; p.Saturating {
						list = append(list, p)
					}
				}
			}
		}
	}
	return list
}

// component is the type of elements of t, without a sign where that is left out.
func component(t *Type) Component { return Component{t.Kind, t.Width, t.Signed, t.Coded} }

// Uses of a matrix, as its type says them.
const (
	matrixA = iota
	matrixB
	matrixAccumulator
	matrixAny // of SPV_NV_cooperative_matrix, whose types say no use
)

// Operands of OpCooperativeMatrixMulAddKHR.
const (
	CooperativeSignedA = 1 << iota
	CooperativeSignedB
	CooperativeSignedC
	CooperativeSignedResult
	CooperativeSaturating
	cooperativeOperands
)

// CooperativeShape is what the constants of a type of cooperative matrices say.
type CooperativeShape struct{ Scope, Rows, Columns, Use uint32 }

// defineCooperative is OpTypeCooperativeMatrixKHR.
func (m *Module) defineCooperative(in *Inst, t *Type) error {
	t.Kind, t.cooperative = KindCooperative, true
	if e := t.Elem; e.Kind != KindInt && e.Kind != KindFloat {
		return in.errorf(in.Op.String(), "a cooperative matrix of %v", e)
	}
	for i := range len(in.Operands) - 1 {
		t.Shape[i] = in.ID(i + 1)
		c, n := m.defs.At(t.Shape[i]), m.typeOf(t.Shape[i])
		if c == nil || !isConstant(c.Op) || n == nil || n.Kind != KindInt || n.Width != 32 {
			return in.errorf(in.Op.String(), "<id> %d is not a constant of 32 bits declared before",
				t.Shape[i])
		}
	}
	need := CapabilityFloat8CooperativeMatrixEXT
	if t.Elem.Coded == BFloat16 {
		need = CapabilityBFloat16CooperativeMatrixKHR
	}
	if t.Elem.Coded != 0 && !m.declared[need] {
		return in.errorf("_capability", "a cooperative matrix of %v without the capability %v", t.Elem, need)
	}
	return nil
}

// checkCooperative demands memory in which cooperative matrices and vectors may be of what a pointer
// points to.
func checkCooperative(in *Inst, t *Type) error {
	if t.Elem.cooperative && t.Storage != StorageClassFunction && t.Storage != StorageClassPrivate {
		return in.errorf("_universal_validation_rules",
			"a cooperative matrix or vector in storage class %v", t.Storage)
	}
	return nil
}

// Cooperative returns the shape of a cooperative matrix.
func (c *Constants) Cooperative(t *Type) (CooperativeShape, bool) {
	var v [4]uint32
	if t == nil || t.Kind != KindCooperative {
		return CooperativeShape{}, false
	}
	for i, id := range t.Shape {
		if id == 0 {
			v[i] = matrixAny
			continue
		}
		w, ok := c.Words(id)
		if !ok || len(w) != 1 {
			return CooperativeShape{}, false
		}
		if v[i] = w[0]; i == len(v)-1 && v[i] == matrixAny {
			v[i]++ // which is no use either
		}
	}
	return CooperativeShape{v[0], v[1], v[2], v[3]}, true
}

// part returns the components that a matrix may have in a product.
func (p *CooperativeProduct) part(use uint32) []Component {
	switch use {
	case matrixA:
		return []Component{p.A}
	case matrixB:
		return []Component{p.B}
	case matrixAny:
		return []Component{p.A, p.B, p.C, p.Result}
	default:
		return []Component{p.C, p.Result}
	}
}

// hasCooperative says that the module may have cooperative matrices.
func (m *Module) hasCooperative() bool {
	return m.declared[CapabilityCooperativeMatrixKHR] || m.declared[CapabilityCooperativeMatrixNV]
}

// checkCooperatives demands types of matrices that a product has.
func (c *Constants) checkCooperatives() error {
	if !c.m.hasCooperative() {
		return nil
	}
	return firstOf(c.m.Types, cmp.Compare[ID], func(id ID, t *Type) error {
		if t.Kind != KindCooperative {
			return nil
		}
		s, ok := c.Cooperative(t)
		if !ok || c.entry == nil && s.Scope == CooperativeWorkgroup {
			return nil // nobody knows the size of the workgroup
		}
		known := s.Scope == CooperativeSubgroup || s.Scope == CooperativeWorkgroup
		for i := range CooperativeProducts {
			of := CooperativeProducts[i].part(s.Use)
			if known && s.Use <= matrixAny && s.flexible() && slices.Contains(of, component(t.Elem)) {
				return c.checkSpread(id, t, s)
			}
		}
		return c.m.defs.At(id).errorf("OpTypeCooperativeMatrixKHR",
			"no product has a matrix of %d rows and %d columns of %v with scope %d and use %d",
			s.Rows, s.Columns, t.Elem, s.Scope, s.Use)
	})
}

// CheckProduct demands an OpCooperativeMatrixMulAddKHR that there is: rows and columns that fit, and
// types of elements with the signs that its operands say. What they say of floats, which have signs
// anyway, means nothing, although they should not say it: Khronos' conformance tests do.
func (c *Constants) CheckProduct(in *Inst, a, b, acc, result *Type, operands uint32) error {
	var s [4]CooperativeShape
	for i, t := range []*Type{a, b, acc, result} {
		var ok bool
		if s[i], ok = c.Cooperative(t); !ok {
			return in.errorf(in.Op.String(), "operand %d is %v, which is no cooperative matrix", i, t)
		}
		if want := uint32(min(i, matrixAccumulator)); s[i].Use != want && s[i].Use != matrixAny {
			return in.errorf(in.Op.String(), "matrix %d has use %d, not %d", i, s[i].Use, want)
		}
	}
	m, n, k := s[3].Rows, s[3].Columns, s[0].Columns
	if s[0].Rows != m || s[1].Rows != k || s[1].Columns != n || s[2].Rows != m || s[2].Columns != n {
		return in.errorf(in.Op.String(), "a product of %d×%d by %d×%d and %d×%d gives no %d×%d",
			s[0].Rows, s[0].Columns, s[1].Rows, s[1].Columns, s[2].Rows, s[2].Columns, m, n)
	}
	var parts [4]Component
	for i, t := range []*Type{a, b, acc, result} {
		if s[i].Scope != s[3].Scope {
			return in.errorf(in.Op.String(), "matrices of scopes %d and %d", s[i].Scope, s[3].Scope)
		}
		parts[i] = component(t.Elem)
		parts[i].Signed = parts[i].Kind == KindInt && operands&(CooperativeSignedA<<i) != 0
	}
	const g = CooperativeGranularity // which all shapes have: types matter
	want := CooperativeProduct{
		g, g, g, parts[0], parts[1], parts[2], parts[3], operands&CooperativeSaturating != 0,
	}
	if operands >= cooperativeOperands || !slices.Contains(CooperativeProducts, want) {
		return in.errorf(in.Op.String(), "no product of %v by %v and %v to %v with operands %#x",
			a.Elem, b.Elem, acc.Elem, result.Elem, operands)
	}
	return nil
}

// cooperativeShape is validateShape of instructions on cooperative matrices. That shapes fit is
// checked where constants are known.
func (m *Module) cooperativeShape(in *Inst, t *Type, s shape, n int) error {
	k := shapeKinds[s]
	converts := s >= floatToInt && s <= floatToFloat
	switch in.Op {
	case OpFNegate, OpSNegate, OpFAdd, OpFSub, OpFMul, OpFDiv, OpIAdd, OpISub, OpIMul, OpSDiv, OpUDiv:
	default:
		if !converts {
			return in.errorf(in.Op.String(), "an instruction that is not for cooperative matrices")
		}
	}
	for i := -1; i < n; i++ {
		v, want := t, k.result
		if i >= 0 {
			v, want = m.typeOf(in.ID(i)), k.operand
		}
		switch {
		case v == nil || v.Kind != KindCooperative || v.Elem.Kind != want:
			return in.errorf(in.Op.String(), "operand %d is %v, the result %v", i, v, t)
		case !converts && v != t:
			return in.errorf(in.Op.String(), "operand %d is %v, which is not the type of the result", i, v)
		case !converts && v.Elem.Coded != 0:
			return in.errorf(in.Op.String(), "%v, with which there is no arithmetic", v)
		}
	}
	return nil
}

// validateCooperative checks what names cooperative matrices beside arithmetic.
func (m *Module) validateCooperative(in *Inst, t *Type) error {
	arg := func(i int) *Type { return m.typeOf(in.ID(i)) }
	bad := func(what string, got *Type) error { return in.errorf(in.Op.String(), "%s: %v", what, got) }
	matrix := func(t *Type) bool { return t != nil && t.Kind == KindCooperative }
	switch in.Op {
	case OpCooperativeMatrixLengthKHR, OpCooperativeMatrixLengthNV:
		if of := m.Type(in.ID(0)); !matrix(of) || t.Kind != KindInt || t.Width != 32 || t.Signed {
			return bad("the length of what is no cooperative matrix, or not as an unsigned word", of)
		}
	case OpCooperativeMatrixLoadKHR:
		if !matrix(t) {
			return bad("the result is no cooperative matrix", t)
		}
		return m.validateCooperativeAccess(in, arg(0), 1, 2, KindInt)
	case OpCooperativeMatrixLoadNV:
		if !matrix(t) {
			return bad("the result is no cooperative matrix", t)
		}
		return m.validateCooperativeAccess(in, arg(0), 2, 1, KindBool)
	case OpCooperativeMatrixStoreKHR:
		if !matrix(arg(1)) {
			return bad("the object is no cooperative matrix", arg(1))
		}
		return m.validateCooperativeAccess(in, arg(0), 2, 3, KindInt)
	case OpCooperativeMatrixStoreNV:
		if !matrix(arg(1)) {
			return bad("the object is no cooperative matrix", arg(1))
		}
		return m.validateCooperativeAccess(in, arg(0), 3, 2, KindBool)
	case OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixMulAddNV:
		for i := range 3 {
			if !matrix(arg(i)) || !matrix(t) {
				return bad("an operand or the result is no cooperative matrix", arg(i))
			}
		}
	case OpMatrixTimesScalar:
		if matrix(t) && (arg(0) != t || arg(1) != t.Elem || t.Elem.Coded != 0) {
			return bad("the operands are not of the result's type and of its elements'", arg(1))
		}
	case OpBitcast:
		if v := arg(0); matrix(t) || matrix(v) {
			if !matrix(t) || !matrix(v) || v.Elem.Kind != KindInt || t.Elem.Kind != KindInt ||
				v.Elem.Width != t.Elem.Width {
				return bad("a cast of a cooperative matrix to what has no integers of its width", v)
			}
		}
	}
	return nil
}

// validateCooperativeAccess checks the pointer of a load or store, and the operands that are its
// layout, of a kind, and its stride.
func (m *Module) validateCooperativeAccess(in *Inst, p *Type, at, stride int, kind Kind) error {
	if p == nil || p.Kind != KindPointer {
		return in.errorf(in.Op.String(), "%v is not a pointer to a scalar or vector", p)
	}
	if e := p.Elem; !p.Untyped && (components(e) == 0 || scalarOf(e).Kind == KindBool) {
		return in.errorf(in.Op.String(), "%v is not a pointer to a scalar or vector of numbers", p)
	}
	if err := m.validateMatrixMemory(in, p); err != nil {
		return err
	}
	layout := m.defs.At(in.ID(at))
	t := m.typeOf(in.ID(at))
	if t == nil || t.Kind != kind || kind == KindInt && t.Width != 32 || !isConstant(layout.Op) {
		return in.errorf(in.Op.String(), "the layout is not a constant of 32 bits")
	}
	if stride >= len(in.Operands) {
		return in.errorf(in.Op.String(), "without a stride, which both layouts need")
	}
	if t := m.typeOf(in.ID(stride)); t == nil || t.Kind != KindInt {
		return in.errorf(in.Op.String(), "without a stride, which both layouts need")
	}
	return nil
}

// cooperativeUses refuses matrices as operands of instructions that are not for them.
func (m *Module) cooperativeUses(in *Inst) error {
	if !m.hasCooperative() && !m.declared[CapabilityTensorAddressingNV] {
		return nil
	}
	switch in.Op {
	case OpLoad, OpStore, OpCopyObject, OpCopyLogical, OpCopyMemory, OpExpectKHR, OpPhi, OpSelect,
		OpUndef, OpFunctionCall, OpReturnValue, OpVariable, OpAccessChain, OpInBoundsAccessChain,
		OpCompositeConstruct, OpCompositeConstructReplicateEXT, OpCompositeExtract, OpCompositeInsert,
		OpCooperativeMatrixLengthKHR, OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
		OpCooperativeMatrixMulAddKHR, OpMatrixTimesScalar, OpBitcast, OpName,
		OpCooperativeMatrixLengthNV, OpCooperativeMatrixLoadNV, OpCooperativeMatrixStoreNV,
		OpCooperativeMatrixMulAddNV, OpCooperativeMatrixConvertUseEXT, OpCooperativeMatrixTransposeNV,
		OpCooperativeMatrixReduceEXT, OpCooperativeMatrixPerElementOpEXT,
		OpCooperativeMatrixLoadTensorNV, OpCooperativeMatrixStoreTensorNV,
		OpCreateTensorLayoutNV, OpTensorLayoutSetBlockSizeNV, OpTensorLayoutSetDimensionNV,
		OpTensorLayoutSetStrideNV, OpTensorLayoutSliceNV, OpTensorLayoutSetClampValueNV,
		OpCreateTensorViewNV, OpTensorViewSetDimensionNV, OpTensorViewSetStrideNV,
		OpTensorViewSetClipNV:
		return nil
	}
	if s, _ := shapeOf(in.Op); s != anyShape {
		return nil // checked with its operands
	}
	is := func(t *Type) bool { return t != nil && (t.Kind == KindCooperative || isTensor(t)) }
	if m.anyOperand(in, is) {
		return in.errorf(in.Op.String(), "an instruction that is not for cooperative matrices")
	}
	if t := m.Type(in.Type); t != nil && t.cooperative && t.Kind != KindPointer &&
		t.Kind != KindVector {
		return in.errorf(in.Op.String(), "an instruction that does not give cooperative matrices")
	}
	return nil
}
