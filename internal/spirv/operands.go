package spirv

// shape is what an instruction demands of its result and operands.
type shape uint8

const (
	anyShape      shape = iota
	floats              // operands and result one floating-point type
	integers            // operands and result integers of one width
	unsigned            // integers with results that have no sign
	shifts              // integers; the second operand may have another width
	floatCompare        // floats to booleans
	intCompare          // integers to booleans
	booleans            // booleans to booleans
	floatToInt          // conversions, by the kinds of their ends
	floatToUint         //
	intToFloat          //
	intToInt            //
	floatToFloat        //
	derivatives         // floats of 32 bits
	bitCounts           // integers of any width to integers
	kindsOfShapes       // how many there are
)

// shapeOf gives the shape of an instruction and the number of its operands that
// take part.
func shapeOf(op Op) (shape, int) {
	switch op {
	case OpFNegate:
		return floats, 1
	case OpFAdd, OpFSub, OpFMul, OpFDiv, OpFRem, OpFMod:
		return floats, 2
	case OpSNegate, OpNot, OpBitReverse:
		return integers, 1
	case OpIAdd, OpISub, OpIMul, OpSDiv, OpSRem, OpSMod, OpBitwiseOr, OpBitwiseXor, OpBitwiseAnd:
		return integers, 2
	case OpUDiv, OpUMod:
		return unsigned, 2
	case OpShiftLeftLogical, OpShiftRightLogical, OpShiftRightArithmetic:
		return shifts, 2
	case OpBitCount:
		return bitCounts, 1
	case OpFOrdEqual, OpFUnordEqual, OpFOrdNotEqual, OpFUnordNotEqual, OpFOrdLessThan, OpFUnordLessThan, OpFOrdGreaterThan, OpFUnordGreaterThan,
		OpFOrdLessThanEqual, OpFUnordLessThanEqual, OpFOrdGreaterThanEqual, OpFUnordGreaterThanEqual:
		return floatCompare, 2
	case OpIsNan, OpIsInf:
		return floatCompare, 1
	case OpIEqual, OpINotEqual, OpUGreaterThan, OpSGreaterThan, OpUGreaterThanEqual, OpSGreaterThanEqual, OpULessThan, OpSLessThan, OpULessThanEqual, OpSLessThanEqual:
		return intCompare, 2
	case OpLogicalEqual, OpLogicalNotEqual, OpLogicalOr, OpLogicalAnd:
		return booleans, 2
	case OpLogicalNot:
		return booleans, 1
	case OpConvertFToU:
		return floatToUint, 1
	case OpConvertFToS:
		return floatToInt, 1
	case OpConvertSToF, OpConvertUToF:
		return intToFloat, 1
	case OpSConvert, OpUConvert: // whose result may have a sign, which compilers have written
		return intToInt, 1
	case OpFConvert:
		return floatToFloat, 1
	case OpDPdx, OpDPdy, OpFwidth, OpDPdxFine, OpDPdyFine, OpFwidthFine, OpDPdxCoarse, OpDPdyCoarse, OpFwidthCoarse:
		return derivatives, 1
	}
	return anyShape, 0
}

// kinds are the kinds of a shape's result and operands, and whether a component
// of them must be of one width.
var shapeKinds = [kindsOfShapes]struct {
	result, operand Kind
	same            bool
}{
	floats: {KindFloat, KindFloat, true}, integers: {KindInt, KindInt, true}, unsigned: {KindInt, KindInt, true}, shifts: {KindInt, KindInt, false},
	floatCompare: {KindBool, KindFloat, false}, intCompare: {KindBool, KindInt, false}, booleans: {KindBool, KindBool, false},
	floatToInt: {KindInt, KindFloat, false}, floatToUint: {KindInt, KindFloat, false}, intToFloat: {KindFloat, KindInt, false},
	intToInt: {KindInt, KindInt, false}, floatToFloat: {KindFloat, KindFloat, false},
	derivatives: {KindFloat, KindFloat, true}, bitCounts: {KindInt, KindInt, false},
}

// anyCount stands for a number of components that a specialization constant says.
// Lowering compares it.
const anyCount = ^uint32(0)

// sameCount tells that two numbers of components do not differ, as far as is known.
func sameCount(a, b uint32) bool {
	return a == b || a != 0 && b != 0 && (a == anyCount || b == anyCount)
}

// components is the number of components of a scalar or vector, 0 of others.
func components(t *Type) uint32 {
	switch {
	case t == nil:
		return 0
	case t.IsScalar():
		return 1
	case t.Kind == KindVector && t.Count == 0:
		return anyCount
	case t.Kind == KindVector:
		return t.Count
	}
	return 0
}

// validateOperands checks the types of an instruction of a function: what the
// lowering could take for something else.
func (m *Module) validateOperands(f *Function, in *Inst) error {
	t := m.Type(in.Type)
	arg := func(i int) *Type { return m.typeOf(in.ID(i)) }
	wrong := func(what string, got *Type) error {
		return in.errorf(in.Op.String(), "%s; it is %v", what, got)
	}
	if err := m.cooperativeVectorUses(in); err != nil {
		return err
	}
	if s, n := shapeOf(in.Op); s != anyShape {
		if t.Kind == KindCooperative {
			return m.cooperativeShape(in, t, s, n)
		}
		return m.validateShape(in, t, s, n)
	}
	if err := m.cooperativeUses(in); err != nil {
		return err
	}
	switch in.Op {
	case OpLoad:
		if p := arg(0); !pointsTo(p, t) {
			return wrong("the operand is not a pointer to the result type", p)
		}
	case OpStore:
		if p := arg(0); !pointsTo(p, arg(1)) {
			return wrong("the operand is not a pointer to the object's type", p)
		}
	case OpCopyMemory:
		p, q := arg(0), arg(1)
		if p == nil || q == nil || p.Kind != KindPointer || q.Kind != KindPointer || p.Elem != q.Elem && !p.Untyped && !q.Untyped || p.Untyped && q.Untyped {
			return wrong("the operands are not pointers to one type", p)
		}
	case OpAccessChain, OpInBoundsAccessChain, OpPtrAccessChain, OpInBoundsPtrAccessChain:
		if p := arg(0); p == nil || p.Kind != KindPointer || t.Kind != KindPointer || p.Storage != t.Storage || p.Untyped || t.Untyped {
			return wrong("the base is not a pointer of the result's storage class", p)
		}
		if in.Op == OpPtrAccessChain || in.Op == OpInBoundsPtrAccessChain {
			return m.checkPtrAccess(in, t.Storage)
		}
	case OpCopyObject, OpExpectKHR:
		if arg(0) != t {
			return wrong("the operand does not have the result type", arg(0))
		}
	case OpSelect:
		if arg(1) != t || arg(2) != t || scalarOfAny(arg(0)) != KindBool {
			return wrong("the objects do not have the result type, or the condition is not boolean", arg(1))
		}
	case OpPhi:
		for i := 0; i < len(in.Operands); i += 2 {
			if arg(i) != t {
				return wrong("a value does not have the result type", arg(i))
			}
		}
	case OpFunctionCall:
		g := m.functions[in.ID(0)]
		if g == nil || g.Type.Elem != t || len(g.Params) != len(in.Operands)-1 {
			return in.errorf("OpFunctionCall", "<id> %d is not a function with this result and %d parameters", in.ID(0), len(in.Operands)-1)
		}
		for i, p := range g.Params {
			if arg(i+1) != m.Type(p.Type) {
				return wrong("an argument does not have its parameter's type", arg(i+1))
			}
		}
	case OpReturnValue:
		if v := arg(0); v == nil || v != f.Type.Elem {
			return wrong("the value does not have the function's result type", v)
		}
	case OpReturn:
		if f.Type.Elem.Kind != KindVoid {
			return in.errorf("OpReturn", "a return without a value from a function with a result")
		}
	case OpCopyMemorySized, OpUntypedAccessChainKHR, OpUntypedInBoundsAccessChainKHR, OpUntypedPtrAccessChainKHR, OpUntypedInBoundsPtrAccessChainKHR,
		OpUntypedArrayLengthKHR, OpUntypedVariableKHR, OpBufferPointerEXT, OpUntypedImageTexelPointerEXT:
		return m.validateUntyped(in, t)
	case OpRawAccessChainNV:
		return m.validateRaw(in, t)
	case OpVariable:
		if StorageClass(in.Operands[0]) != StorageClassFunction || t.Kind != KindPointer || t.Storage != StorageClassFunction {
			return wrong("a variable in a function that is not of storage class Function", t)
		}
	case OpCompositeExtract:
		if v := m.part(arg(0), in.Operands[1:]); v != t {
			return wrong("the part does not have the result type", v)
		}
	case OpCompositeInsert:
		if v := m.part(t, in.Operands[2:]); v == nil || v != arg(0) || arg(1) != t {
			return wrong("the object does not have the part's type", arg(0))
		}
	case OpCompositeConstruct:
		return m.validateConstruct(in, t)
	case OpCooperativeMatrixLengthKHR, OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
		OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixLengthNV, OpCooperativeMatrixLoadNV,
		OpCooperativeMatrixStoreNV, OpCooperativeMatrixMulAddNV, OpMatrixTimesScalar, OpBitcast:
		return m.validateCooperative(in, t)
	case OpCooperativeMatrixConvertUseEXT, OpCooperativeMatrixTransposeNV,
		OpCooperativeMatrixReduceEXT, OpCooperativeMatrixPerElementOpEXT:
		return m.validateCooperative2(in, t)
	case OpCooperativeMatrixLoadTensorNV, OpCooperativeMatrixStoreTensorNV:
		return m.validateTensorAccess(in, t)
	case OpCreateTensorLayoutNV, OpTensorLayoutSetBlockSizeNV, OpTensorLayoutSetDimensionNV,
		OpTensorLayoutSetStrideNV, OpTensorLayoutSliceNV, OpTensorLayoutSetClampValueNV,
		OpCreateTensorViewNV, OpTensorViewSetDimensionNV, OpTensorViewSetStrideNV,
		OpTensorViewSetClipNV:
		return m.validateTensor(in, t)
	case OpCooperativeVectorLoadNV, OpCooperativeVectorStoreNV, OpCooperativeVectorMatrixMulNV,
		OpCooperativeVectorMatrixMulAddNV, OpCooperativeVectorOuterProductAccumulateNV,
		OpCooperativeVectorReduceSumAccumulateNV:
		return m.validateCooperativeVector(in, t)
	}
	return m.validateScope(in)
}

// checkPtrAccess demands memory in which pointers may be moved from one pointee to another.
func (m *Module) checkPtrAccess(in *Inst, class StorageClass) error {
	switch {
	case class == StorageClassWorkgroup && !m.declared[CapabilityVariablePointers]:
		return in.errorf("VUID-StandaloneSpirv-Base-07651", "pointer arithmetic in storage class %v without the capability %v", class, CapabilityVariablePointers)
	case class == StorageClassStorageBuffer && !m.declared[CapabilityVariablePointersStorageBuffer]:
		return in.errorf("VUID-StandaloneSpirv-Base-07652", "pointer arithmetic in storage class %v without the capability %v", class, CapabilityVariablePointersStorageBuffer)
	case class != StorageClassWorkgroup && class != StorageClassStorageBuffer && class != StorageClassPhysicalStorageBuffer:
		return in.errorf("VUID-StandaloneSpirv-Base-07650", "pointer arithmetic in storage class %v", class)
	}
	return nil
}

// scalarOfAny is the kind of a scalar's or a vector's components.
func scalarOfAny(t *Type) Kind {
	if components(t) == 0 {
		return KindVoid
	}
	return scalarOf(t).Kind
}

func (m *Module) validateShape(in *Inst, t *Type, s shape, n int) error {
	k := shapeKinds[s]
	count := components(t)
	if count == 0 || scalarOf(t).Kind != k.result {
		return in.errorf(in.Op.String(), "the result type is %v", t)
	}
	e := scalarOf(t)
	converts := s == floatToFloat || s == floatToInt || s == floatToUint || s == intToFloat
	if e.Coded != 0 && !converts {
		return in.errorf(in.Op.String(), "the result type is %v, with which there is no arithmetic", t)
	}
	if (s == unsigned || s == floatToUint) && e.Signed || s == derivatives && e.Width != 32 {
		return in.errorf(in.Op.String(), "the result type is %v", t)
	}
	var first *Type
	for i := range n {
		v := m.typeOf(in.ID(i))
		if !sameCount(components(v), count) || (v.Kind == KindVector) != (t.Kind == KindVector) || scalarOf(v).Kind != k.operand {
			return in.errorf(in.Op.String(), "operand %d is %v, the result %v", i, v, t)
		}
		w := scalarOf(v)
		if k.same && w.Width != e.Width || s == shifts && i == 0 && w.Width != e.Width || first != nil && s != shifts && w.Width != first.Width {
			return in.errorf(in.Op.String(), "operand %d is %v, of another width", i, v)
		}
		if w.Coded != 0 && !converts {
			return in.errorf(in.Op.String(), "operand %d is %v, with which there is no arithmetic", i, v)
		}
		if s == floatToFloat && w.Width == e.Width && w.Coded == e.Coded {
			return in.errorf(in.Op.String(), "the widths are equal")
		}
		first = w
	}
	return nil
}

// part follows literal indices into a type; nil where one leads nowhere. The
// length of an array is checked where constants are known.
func (m *Module) part(t *Type, indices []uint32) *Type {
	for _, k := range indices {
		switch {
		case t == nil:
			return nil
		case t.Kind == KindStruct:
			if uint64(k) >= uint64(len(t.Members)) {
				return nil
			}
			t = t.Members[k]
		case t.Kind == KindVector || t.Kind == KindMatrix:
			if k >= t.Count && (t.Count != 0 || k >= MaxVectorComponents) {
				return nil
			}
			t = t.Elem
		case t.Kind == KindArray, t.Kind == KindCooperative:
			t = t.Elem
		default:
			return nil
		}
	}
	return t
}

// validateConstruct checks the parts of OpCompositeConstruct: vectors are made of
// scalars and vectors, others of their parts.
func (m *Module) validateConstruct(in *Inst, t *Type) error {
	bad := func(i int, v *Type) error {
		return in.errorf("OpCompositeConstruct", "constituent %d is %v, the result %v", i, v, t)
	}
	n, open := uint32(0), t.Kind == KindVector && t.Count == 0
	for i := range in.Operands {
		v := m.typeOf(in.ID(i))
		want := t.Elem
		switch t.Kind {
		case KindVector:
			if components(v) == 0 || scalarOf(v) != t.Elem {
				return bad(i, v)
			}
			if components(v) == anyCount {
				open = true
			} else {
				n += components(v)
			}
			continue
		case KindMatrix, KindCooperative: // of one element a cooperative one
			n++
		case KindArray:
		case KindStruct:
			if i >= len(t.Members) {
				return bad(i, v)
			}
			want = t.Members[i]
		default:
			return in.errorf("OpCompositeConstruct", "the result type %v is no composite", t)
		}
		if v != want {
			return bad(i, v)
		}
	}
	if (t.Kind == KindVector || t.Kind == KindMatrix) && n != t.Count && !open || t.Kind == KindCooperative && n != 1 || t.Kind == KindStruct && len(in.Operands) != len(t.Members) {
		return in.errorf("OpCompositeConstruct", "%d constituents for %v", len(in.Operands), t)
	}
	return nil
}
