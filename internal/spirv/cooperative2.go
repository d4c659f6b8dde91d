package spirv

// What SPV_NV_cooperative_matrix2 does with matrices: conversions of their use, reductions,
// functions of each element, and accesses through tensor layouts.

// validateCooperative2 checks the operands of these instructions. That shapes fit is checked where
// constants are known.
func (m *Module) validateCooperative2(in *Inst, t *Type) error {
	arg := func(i int) *Type { return m.typeOf(in.ID(i)) }
	bad := func(what string, got *Type) error { return in.errorf(in.Op.String(), "%s: %v", what, got) }
	matrix := func(t *Type) bool { return t != nil && t.Kind == KindCooperative }
	switch in.Op {
	case OpCooperativeMatrixConvertUseEXT:
		if v := arg(0); !matrix(t) || !matrix(v) || v.Elem != t.Elem {
			return bad("the operand and the result are no matrices of the same elements", v)
		}
	case OpCooperativeMatrixTransposeNV: // which may convert elements
		if v := arg(0); !matrix(t) || !matrix(v) || v.Elem.Kind != t.Elem.Kind {
			return bad("the operand and the result are no matrices of elements of one kind", v)
		}
	case OpCooperativeMatrixReduceEXT:
		v := arg(0)
		if !matrix(t) || !matrix(v) || v.Elem != t.Elem {
			return bad("the operand and the result are no matrices of the same elements", v)
		}
		return m.validateCallee(in, in.ID(2), t.Elem, t.Elem, t.Elem)
	case OpCooperativeMatrixPerElementOpEXT:
		if !matrix(t) || arg(0) != t {
			return bad("the operand is no matrix of the result's type", arg(0))
		}
		params := []*Type{nil, nil, t.Elem}
		for i := 2; i < len(in.Operands); i++ {
			v := arg(i)
			if matrix(v) {
				v = v.Elem
			}
			params = append(params, v)
		}
		return m.validateCallee(in, in.ID(1), t.Elem, params...)
	}
	return nil
}

// validateCallee demands a function with a result and parameters of these types; nil stands for
// integers of 32 bits.
func (m *Module) validateCallee(in *Inst, id ID, result *Type, params ...*Type) error {
	f := m.functions[id]
	if f == nil || f.Type.Elem != result || len(f.Params) != len(params) {
		return in.errorf(in.Op.String(), "<id> %d is not a function with the result %v and %d parameters",
			id, result, len(params))
	}
	for i, p := range f.Params {
		t := m.Type(p.Type)
		if t != params[i] && (params[i] != nil || t.Kind != KindInt || t.Width != 32) {
			return in.errorf(in.Op.String(), "parameter %d of <id> %d is %v, not %v", i, id, t, params[i])
		}
	}
	return nil
}

// Called returns the function that an instruction calls, if it calls one.
func (in *Inst) Called() (ID, bool) {
	switch in.Op {
	case OpFunctionCall:
		return in.ID(0), true
	case OpCooperativeMatrixPerElementOpEXT:
		return in.ID(1), true
	case OpCooperativeMatrixReduceEXT:
		return in.ID(2), true
	case OpCooperativeMatrixLoadTensorNV:
		_, decode := in.TensorOperands(2)
		return decode, decode != 0
	}
	return 0, false
}

// Bits of the operand Reduce of OpCooperativeMatrixReduceNV.
const (
	CooperativeReduceRow = 1 << iota
	CooperativeReduceColumn
	CooperativeReduce2x2
)

// CheckReduction demands of OpCooperativeMatrixReduceNV shapes and a mode that fit.
func (c *Constants) CheckReduction(in *Inst, from, to *Type) error {
	f, ok := c.Cooperative(from)
	r, known := c.Cooperative(to)
	mode := in.Operands[1]
	const both = CooperativeReduceRow | CooperativeReduceColumn
	if mode == 0 || mode != CooperativeReduce2x2 && mode&^both != 0 {
		return in.errorf(in.Op.String(), "a reduction of mode %#x", mode)
	}
	fits := ok && known && f.Scope == r.Scope && f.Use == matrixAccumulator && r.Use == f.Use
	switch mode {
	case CooperativeReduce2x2:
		fits = fits && f.Rows == 2*r.Rows && f.Columns == 2*r.Columns
	case CooperativeReduceRow:
		fits = fits && f.Rows == r.Rows
	case CooperativeReduceColumn:
		fits = fits && f.Columns == r.Columns
	}
	if !fits {
		return in.errorf(in.Op.String(), "a reduction of mode %#x of a matrix of %d×%d of use %d and scope "+
			"%d to one of %d×%d of use %d and scope %d", mode, f.Rows, f.Columns, f.Use, f.Scope, r.Rows,
			r.Columns, r.Use, r.Scope)
	}
	return nil
}

// SameShape says that two matrices have as many rows and columns and belong to one scope.
func (c *Constants) SameShape(a, b *Type) bool {
	x, ok := c.Cooperative(a)
	y, known := c.Cooperative(b)
	x.Use = y.Use
	return ok && known && x == y
}

// CheckConversion demands of an instruction that makes a matrix of another one the shapes that it
// may have.
func (c *Constants) CheckConversion(in *Inst, from, to *Type) error {
	f, ok := c.Cooperative(from)
	r, known := c.Cooperative(to)
	if !ok || !known {
		return in.errorf(in.Op.String(), "a conversion of %v to %v", from, to)
	}
	anyUse := c.m.declared[CapabilityCooperativeMatrixConversionsNV]
	want := f
	switch in.Op {
	case OpCooperativeMatrixConvertUseEXT:
		if r.Use > matrixB {
			return in.errorf(in.Op.String(), "a conversion to use %d", r.Use)
		}
	case OpCooperativeMatrixTransposeNV:
		if r.Use != matrixB {
			return in.errorf(in.Op.String(), "a transposed matrix of use %d", r.Use)
		}
		want.Rows, want.Columns = f.Columns, f.Rows
	default:
		anyUse = anyUse && in.Op != OpBitcast
	}
	if anyUse && f.Use == matrixAccumulator {
		want.Use = r.Use
	}
	if r != want {
		return in.errorf(in.Op.String(), "a conversion of a matrix of %d×%d of use %d and scope %d to one of "+
			"%d×%d of use %d and scope %d", f.Rows, f.Columns, f.Use, f.Scope, r.Rows, r.Columns, r.Use,
			r.Scope)
	}
	return nil
}
