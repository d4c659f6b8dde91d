package spirv

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// Cooperative vectors (SPV_NV_cooperative_vector): vectors of an invocation, which are multiplied
// by matrices in memory. Their type is that of long vectors.

// ComponentType says how numbers lie in memory: a Component Type of the extension, and a
// VkComponentTypeKHR.
type ComponentType uint32

// The types that there are.
const (
	TypeFloat16      ComponentType = 0
	TypeFloat32      ComponentType = 1
	TypeSigned8      ComponentType = 3
	TypeSigned32     ComponentType = 5
	TypeUnsigned8    ComponentType = 7
	TypeUnsigned32   ComponentType = 9
	TypeSigned8x4    ComponentType = 1000491000 // four in a word
	TypeUnsigned8x4  ComponentType = 1000491001
	TypeFloatE4M3    ComponentType = 1000491002
	TypeFloatE5M2    ComponentType = 1000491003
	typeNone         ComponentType = ^ComponentType(0)
	optimalAlignment               = 16 // bytes between rows of optimal layouts
)

// Bytes is the size of a number in memory, 0 of what is no type of elements.
func (t ComponentType) Bytes() uint32 {
	switch t {
	case TypeFloat16:
		return 2
	case TypeFloat32, TypeSigned32, TypeUnsigned32:
		return 4
	case TypeSigned8, TypeUnsigned8, TypeFloatE4M3, TypeFloatE5M2:
		return 1
	}
	return 0
}

// Float8 is the encoding of a float of 8 bits, 0 of others.
func (t ComponentType) Float8() FPEncoding {
	switch t {
	case TypeFloatE4M3:
		return Float8E4M3
	case TypeFloatE5M2:
		return Float8E5M2
	}
	return 0
}

// Decode gives the value of a float's code as the bits of a binary32.
func (t ComponentType) Decode(code uint32) uint32 {
	switch {
	case t == TypeFloat16:
		return math.Float32bits(fp.HalfToFloat(uint16(code)))
	case t.Float8() != 0:
		return decodeFloat(code, t.Float8())
	}
	return code
}

// Encode rounds the bits of a binary32 to the nearest code of a float's type, ties to even.
func (t ComponentType) Encode(single uint32) uint32 {
	switch {
	case t == TypeFloat16:
		return uint32(fp.FloatToHalf(math.Float32frombits(single)))
	case t.Float8() != 0:
		return encodeFloat(single, t.Float8())
	}
	return single
}

// componentType is the type of the components of a vector, of integers with this sign.
func componentType(t *Type, signed bool) ComponentType {
	switch {
	case t.Coded != 0:
	case t.Kind == KindFloat && t.Width == 16:
		return TypeFloat16
	case t.Kind == KindFloat && t.Width == 32:
		return TypeFloat32
	case t.Kind == KindInt && t.Width == 8 && signed:
		return TypeSigned8
	case t.Kind == KindInt && t.Width == 8:
		return TypeUnsigned8
	case t.Kind == KindInt && t.Width == 32 && signed:
		return TypeSigned32
	case t.Kind == KindInt && t.Width == 32:
		return TypeUnsigned32
	}
	return typeNone
}

// VectorProduct is a product of a matrix and a vector that there is, as
// VkCooperativeVectorPropertiesNV says it: Input is taken as As.
type VectorProduct struct{ Input, As, Matrix, Bias, Result ComponentType }

// VectorProducts are the products that there are; all of them take transposed matrices. Those that
// every implementation has stand first.
var VectorProducts = []VectorProduct{
	{TypeFloat16, TypeFloat16, TypeFloat16, TypeFloat16, TypeFloat16},
	{TypeUnsigned32, TypeSigned8x4, TypeSigned8, TypeSigned32, TypeSigned32},
	{TypeSigned8, TypeSigned8, TypeSigned8, TypeSigned32, TypeSigned32},
	{TypeFloat32, TypeSigned8, TypeSigned8, TypeSigned32, TypeSigned32},
	{TypeFloat16, TypeFloatE4M3, TypeFloatE4M3, TypeFloat16, TypeFloat16},
	{TypeFloat16, TypeFloatE5M2, TypeFloatE5M2, TypeFloat16, TypeFloat16},
	{TypeFloat16, TypeFloat16, TypeFloat16, TypeFloat32, TypeFloat32},
	{TypeSigned32, TypeSigned8, TypeSigned8, TypeSigned32, TypeSigned32},
	{TypeSigned8, TypeSigned8, TypeUnsigned8, TypeSigned32, TypeSigned32},
	{TypeUnsigned8, TypeUnsigned8, TypeSigned8, TypeSigned32, TypeSigned32},
	{TypeUnsigned8, TypeUnsigned8, TypeUnsigned8, TypeSigned32, TypeSigned32},
	{TypeUnsigned8, TypeUnsigned8, TypeUnsigned8, TypeUnsigned32, TypeUnsigned32},
	{TypeUnsigned32, TypeUnsigned8x4, TypeSigned8, TypeSigned32, TypeSigned32},
}

// MatrixLayout is a Cooperative Vector Matrix Layout.
type MatrixLayout uint32

// The layouts. In those for inferencing and training a matrix lies row by row, too, with rows of
// OptimalStride.
const (
	RowMajor MatrixLayout = iota
	ColumnMajor
	InferencingOptimal
	TrainingOptimal
	matrixLayouts
)

// Optimal tells that the layout says how far rows are apart.
func (l MatrixLayout) Optimal() bool { return l >= InferencingOptimal }

// Valid tells that there is such a layout.
func (l MatrixLayout) Valid() bool { return l < matrixLayouts }

// OptimalStride is the distance in bytes of the rows of a matrix in an optimal layout.
func OptimalStride(columns uint64, of ComponentType) uint64 {
	return (columns*uint64(of.Bytes()) + optimalAlignment - 1) &^ (optimalAlignment - 1)
}

// VectorMultiply is what the operands of OpCooperativeVectorMatrixMulNV and …MulAddNV say.
type VectorMultiply struct {
	VectorProduct
	M, K      uint32 // numbers of the result and of the vector
	Layout    MatrixLayout
	Transpose bool // the matrix has K rows and M columns
	// Stride is 0 in an optimal layout, Bias where nothing is added.
	Pointer, Offset, Stride, Bias, BiasOffset ID
}

// VectorMultiply returns what an instruction multiplies, or why there is no such product
// (VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10089, -10090).
func (c *Constants) VectorMultiply(in *Inst, input, result *Type) (v VectorMultiply, err error) {
	bad := func(rule, format string, args ...any) (VectorMultiply, error) {
		return v, in.errorf(rule, format, args...)
	}
	const product = "VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10089"
	word := func(i int) uint32 {
		w, ok := c.Words(in.ID(i))
		if !ok || len(w) != 1 {
			err = in.errorf(in.Op.String(), "operand %d is no constant of 32 bits", i)
			return 0
		}
		return w[0]
	}
	v.Pointer, v.Offset = in.ID(2), in.ID(3)
	v.As, v.Matrix = ComponentType(word(1)), ComponentType(word(4))
	at := 5
	if in.Op == OpCooperativeVectorMatrixMulAddNV {
		v.Bias, v.BiasOffset, v.VectorProduct.Bias = in.ID(5), in.ID(6), ComponentType(word(7))
		at = 8
	}
	v.M, v.K, v.Layout, v.Transpose = word(at), word(at+1), MatrixLayout(word(at+2)), word(at+3) != 0
	if err != nil {
		return v, err
	}
	flags := uint32(0)
	if rest := in.Operands[at+4:]; len(rest) > 1 {
		flags = rest[1]
	}
	switch {
	case !v.Layout.Valid():
		return bad(in.Op.String(), "layout %d", v.Layout)
	case v.Layout.Optimal():
	case len(in.Operands) <= at+4:
		return bad(in.Op.String(), "without a stride, which layout %d needs", v.Layout)
	case v.Transpose:
		return bad(in.Op.String(), "a transposed matrix of layout %d", v.Layout)
	case v.Matrix.Float8() != 0:
		return bad("VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10090",
			"a matrix of floats of 8 bits in layout %d", v.Layout)
	default:
		v.Stride = in.ID(at + 4)
	}
	v.Input = componentType(input.Elem, flags&CooperativeSignedB != 0)
	v.Result = componentType(result.Elem, flags&CooperativeSignedResult != 0)
	if !slices.ContainsFunc(VectorProducts, func(p VectorProduct) bool {
		if v.Bias == 0 {
			p.Bias = v.VectorProduct.Bias
		}
		return p == v.VectorProduct
	}) {
		return bad(product, "no product of %v as %d and a matrix of %d with a bias of %d to %v",
			input.Elem, v.As, v.Matrix, v.VectorProduct.Bias, result.Elem)
	}
	each := uint64(1)
	if v.As == TypeSigned8x4 || v.As == TypeUnsigned8x4 {
		each = 4
	}
	m, _ := c.VectorLen(result)
	k, _ := c.VectorLen(input)
	switch held := each * uint64(k); {
	case m != v.M:
		return bad(in.Op.String(), "a product of %d numbers for a vector of %d", v.M, m)
	case v.K == 0 || uint64(v.K) > held || each == 1 && v.K != k:
		return bad(in.Op.String(), "a product with %d numbers of a vector that has %d", v.K, held)
	}
	return v, nil
}

// isCooperativeVector tells of the vectors of OpTypeVectorIdEXT in a module without long vectors,
// where fewer instructions take them.
func (m *Module) isCooperativeVector(t *Type) bool {
	return t != nil && t.Kind == KindVector && t.cooperative
}

// defineCooperativeVector demands components that products have
// (VUID-RuntimeSpirv-OpTypeCooperativeVector-10095).
func (m *Module) defineCooperativeVector(in *Inst, t *Type) error {
	if m.declared[CapabilityLongVectorEXT] {
		return nil
	}
	t.cooperative = true
	if componentType(t.Elem, t.Elem.Signed) == typeNone {
		return in.errorf("VUID-RuntimeSpirv-OpTypeCooperativeVector-10095",
			"a cooperative vector of %v", t.Elem)
	}
	return nil
}

// cooperativeVectorUses refuses cooperative vectors as operands and results of instructions that
// are not for them.
func (m *Module) cooperativeVectorUses(in *Inst) error {
	if !m.declared[CapabilityCooperativeVectorNV] || m.declared[CapabilityLongVectorEXT] {
		return nil
	}
	switch in.Op {
	case OpLoad, OpStore, OpCopyObject, OpCopyLogical, OpCopyMemory, OpExpectKHR, OpPhi, OpSelect,
		OpUndef, OpFunctionCall, OpReturnValue, OpVariable, OpAccessChain, OpInBoundsAccessChain,
		OpCompositeConstruct, OpCompositeConstructReplicateEXT, OpCompositeExtract, OpCompositeInsert,
		OpVectorExtractDynamic, OpVectorInsertDynamic, OpName,
		OpCooperativeVectorLoadNV, OpCooperativeVectorStoreNV, OpCooperativeVectorMatrixMulNV,
		OpCooperativeVectorMatrixMulAddNV, OpCooperativeVectorOuterProductAccumulateNV,
		OpCooperativeVectorReduceSumAccumulateNV,
		OpConvertFToU, OpConvertFToS, OpConvertSToF, OpConvertUToF, OpUConvert, OpSConvert, OpFConvert,
		OpBitcast, OpSNegate, OpFNegate, OpIAdd, OpFAdd, OpISub, OpFSub, OpFMul, OpIMul, OpFDiv, OpSDiv,
		OpUDiv, OpVectorTimesScalar, OpShiftRightLogical, OpShiftRightArithmetic, OpShiftLeftLogical,
		OpBitwiseOr, OpBitwiseXor, OpBitwiseAnd, OpNot:
		return nil
	case OpExtInst:
		if m.ExtSet(in.ID(0)) != "GLSL.std.450" {
			return nil
		}
		switch GLSLOp(in.Operands[1]) {
		case GLSLFMin, GLSLUMin, GLSLSMin, GLSLNMin, GLSLFMax, GLSLUMax, GLSLSMax, GLSLNMax, GLSLFClamp,
			GLSLUClamp, GLSLSClamp, GLSLNClamp, GLSLStep, GLSLExp, GLSLLog, GLSLTanh, GLSLAtan, GLSLFma:
			return nil
		}
	}
	if m.isCooperativeVector(m.Type(in.Type)) || m.anyOperand(in, m.isCooperativeVector) {
		return in.errorf(in.Op.String(), "an instruction that is not for cooperative vectors")
	}
	return nil
}

// anyOperand tells whether one of the <id>s that an instruction names has such a type.
func (m *Module) anyOperand(in *Inst, is func(*Type) bool) bool {
	at := 0
	for _, letter := range []byte(strings.TrimLeft(lookupOp(in.Op).layout, "TR")) {
		rest := len(in.Operands)
		switch {
		case letter == '*': // more of the last
		case letter == '?':
			continue
		case letter == 'I':
			rest = min(at+1, rest)
		case letter == 'L' || letter == 'X' || letter == 'E' || letter >= 'a': // may look like an <id>
			at++
			continue
		default:
			return false
		}
		for ; at < rest; at++ {
			if is(m.typeOf(in.ID(at))) {
				return true
			}
		}
	}
	return false
}

// validateCooperativeVector checks the types of the instructions that are of cooperative vectors
// alone.
func (m *Module) validateCooperativeVector(in *Inst, t *Type) error {
	vector := func(t *Type) error {
		if t == nil || t.Kind != KindVector || m.defs.At(t.ID).Op != OpTypeVectorIdEXT {
			return in.errorf(in.Op.String(), "%v is no cooperative vector", t)
		}
		return nil
	}
	arg := func(i int) *Type { return m.typeOf(in.ID(i)) }
	switch in.Op {
	case OpCooperativeVectorLoadNV:
		return cmp.Or(vector(t), m.checkArray(in, 0, "", StorageClassWorkgroup))
	case OpCooperativeVectorStoreNV:
		return cmp.Or(vector(arg(2)), m.checkArray(in, 0, "", StorageClassWorkgroup))
	case OpCooperativeVectorReduceSumAccumulateNV:
		const rule = "VUID-RuntimeSpirv-OpCooperativeVectorReduceSumAccumulateNV-10092"
		v := arg(2)
		if err := cmp.Or(vector(v), m.checkArray(in, 0, rule, StorageClassStorageBuffer)); err != nil {
			return err
		}
		if k := componentType(v.Elem, false); k != TypeFloat16 && k != TypeFloat32 {
			return in.errorf(rule, "a sum of %v", v.Elem)
		}
		return nil
	case OpCooperativeVectorOuterProductAccumulateNV:
		const rule = "VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093"
		a, b := arg(2), arg(3)
		err := cmp.Or(vector(a), vector(b), m.checkArray(in, 0, rule, StorageClassStorageBuffer),
			m.checkWord(in, 4, true), m.checkWord(in, 5, true))
		if err == nil && len(in.Operands) > 6 {
			err = m.checkWord(in, 6, false)
		}
		if err != nil {
			return err
		}
		if componentType(a.Elem, false) != TypeFloat16 || b.Elem != a.Elem {
			return in.errorf(rule, "a product of %v and %v", a.Elem, b.Elem)
		}
		return nil
	}
	err := cmp.Or(vector(t), vector(arg(0)), m.checkArray(in, 2, "", StorageClassStorageBuffer))
	words := []int{1, 4, 5, 6, 7}
	if in.Op == OpCooperativeVectorMatrixMulAddNV {
		err = cmp.Or(err, m.checkArray(in, 5, "", StorageClassStorageBuffer))
		words = []int{1, 4, 7, 8, 9, 10}
	}
	for _, i := range words {
		err = cmp.Or(err, m.checkWord(in, i, true))
	}
	at := words[len(words)-1] + 1
	if d := m.defs.At(in.ID(at)); err == nil && (d == nil || !isConstant(d.Op) ||
		arg(at).Kind != KindBool) {
		err = in.errorf(in.Op.String(), "whether the matrix is transposed is no constant boolean")
	}
	if err == nil && len(in.Operands) > at+1 {
		err = m.checkWord(in, at+1, false)
	}
	return err
}

// checkWord demands an integer of 32 bits of operand i.
func (m *Module) checkWord(in *Inst, i int, constant bool) error {
	d, t := m.defs.At(in.ID(i)), m.typeOf(in.ID(i))
	if t == nil || t.Kind != KindInt || t.Width != 32 || constant && !isConstant(d.Op) {
		return in.errorf(in.Op.String(), "operand %d is %v; it must be an integer of 32 bits, and a "+
			"constant where it says a type, a layout or a size", i, t)
	}
	return nil
}

// checkArray demands a pointer to an array of numbers of operand i, in a buffer or also in class,
// and an integer as the offset that follows: of 64 bits, too, as pipelines may say that indices
// are.
func (m *Module) checkArray(in *Inst, i int, rule string, class StorageClass) error {
	if rule == "" {
		rule = in.Op.String()
	}
	p := m.typeOf(in.ID(i))
	if p == nil || p.Kind != KindPointer {
		return in.errorf(rule, "%v is not a pointer to an array", p)
	}
	if e := p.Elem; !p.Untyped && (e.Kind != KindArray && e.Kind != KindRuntimeArray ||
		components(e.Elem) == 0 || scalarOf(e.Elem).Kind == KindBool) {
		return in.errorf(rule, "%v is not a pointer to an array of numbers", p)
	}
	switch p.Storage {
	case class, StorageClassStorageBuffer, StorageClassPhysicalStorageBuffer:
	default:
		return in.errorf(rule, "an access in storage class %v", p.Storage)
	}
	if t := m.typeOf(in.ID(i + 1)); t == nil || t.Kind != KindInt || t.Width != 32 && t.Width != 64 {
		return in.errorf(rule, "the offset is %v; it must be an integer of 32 bits", t)
	}
	return nil
}
