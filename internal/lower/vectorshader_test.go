package lower_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// vectorShader is a compute shader of 64 invocations. Each multiplies a vector of its own, in
// binding 0, by one of two matrices, in binding 2, and stores the result to binding 1. A bias is in
// binding 3.
type vectorShader struct {
	spirv.VectorProduct
	layout    spirv.MatrixLayout
	transpose bool
	m, k      uint32
	bias      bool
	far       bool // the matrix is at a device address, and so is the bias
	gap       uint32
	stride    uint32 // of the matrix, where it is not the least
	flags     uint32 // beside those of the types
	// instead stands in place of the product, if it returns something; vector is what is loaded.
	instead func(b *vectorBuilder) uint32
}

// vectorBuilder is what instead has.
type vectorBuilder struct {
	*matrixBuilder
	s                     *vectorShader
	vector, result, input uint32 // a value and two types
	// pointers to arrays, and offsets of the result and the matrix
	out, matrix, bias, at, offset uint32
	yes, no                       uint32
}

// The vectors' components: the type of the shader, and whether it says that they have a sign.
func vectorComponent(t spirv.ComponentType) (spirv.Component, bool) {
	switch t {
	case spirv.TypeFloat16:
		return spirv.Half, false
	case spirv.TypeFloat32:
		return spirv.Single, false
	case spirv.TypeSigned8:
		return spirv.Signed8, true
	case spirv.TypeUnsigned8:
		return spirv.Plain8, false
	case spirv.TypeSigned32:
		return spirv.Signed32, true
	}
	return spirv.Plain32, false
}

func isPacked(t spirv.ComponentType) bool {
	return t == spirv.TypeSigned8x4 || t == spirv.TypeUnsigned8x4
}

// components are those of the vector.
func (s *vectorShader) components() uint32 {
	if isPacked(s.As) {
		return (s.k + 3) / 4
	}
	return s.k
}

// shape is the size of the matrix in memory, and how far its lines are apart.
func (s *vectorShader) shape() (rows, columns, stride uint32) {
	rows, columns = s.m, s.k
	if s.transpose {
		rows, columns = columns, rows
	}
	width := columns
	if s.layout == spirv.ColumnMajor {
		width = rows
	}
	stride = (width*s.Matrix.Bytes() + 15) &^ 15
	return rows, columns, max(stride, s.stride)
}

// size is that of a matrix in memory, in bytes, up to where the next may be.
func (s *vectorShader) size() uint32 {
	rows, columns, stride := s.shape()
	if s.layout == spirv.ColumnMajor {
		rows = columns
	}
	return (rows*stride + 63) &^ 63
}

// place is where the number of row i and column k of the product lies.
func (s *vectorShader) place(i, k uint32) uint32 {
	_, _, stride := s.shape()
	if s.transpose || s.layout == spirv.ColumnMajor {
		i, k = k, i
	}
	return i*stride + k*s.Matrix.Bytes()
}

const (
	matrixOffset = 64
	biasOffset   = 16
	addressAt    = 0x7123_4560_0000_0000
	biasAt       = 0x7123_4569_0000_0000
)

// module writes the shader.
func (s *vectorShader) module() []uint32 {
	b := newMatrixBuilder()
	main, index := b.id(), b.id()
	void := b.declare(spirv.OpTypeVoid)
	b.word = b.declare(spirv.OpTypeInt, 32, 0)
	b.decls.add(spirv.OpVariable, b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassInput),
		b.word), index, uint32(spirv.StorageClassInput))
	input, signedInput := vectorComponent(s.Input)
	result, signedResult := vectorComponent(s.Result)
	var variables []uint32
	array := func(binding uint32, c spirv.Component) func() uint32 {
		v, _ := b.buffer(binding, c, 1)
		variables = append(variables, v)
		p := b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassStorageBuffer), b.arrays[v])
		return func() uint32 { return b.op(spirv.OpAccessChain, p, v, b.constant(0)) }
	}
	in, out := array(0, input), array(1, result)
	m, bias := array(2, spirv.Plain8), array(3, spirv.Plain32)
	v := &vectorBuilder{matrixBuilder: b, s: s}
	boolean := b.declare(spirv.OpTypeBool)
	v.no, v.yes = b.declareConstant(spirv.OpConstantFalse, boolean), b.declareConstant(
		spirv.OpConstantTrue, boolean)
	v.input = b.declare(spirv.OpTypeVectorIdEXT, b.component(input), b.constant(s.components()))
	v.result = b.declare(spirv.OpTypeVectorIdEXT, b.component(result), b.constant(s.m))
	head := &builder{}
	head.add(spirv.OpFunction, void, main, 0, b.declare(spirv.OpTypeFunction, void))
	head.add(spirv.OpLabel, b.id())
	lane := b.op(spirv.OpLoad, b.word, index)
	b.subgroup = lane
	mul := func(x, y uint32) uint32 { return b.op(spirv.OpIMul, b.word, x, b.constant(y)) }
	pin := in()
	v.vector = b.op(spirv.OpCooperativeVectorLoadNV, v.input, pin, mul(lane,
		vectorStride(s.components(),
			input)))
	v.out, v.matrix, v.bias = out(), m(), bias()
	if s.far {
		bytes := b.declare(spirv.OpTypeArray, b.component(spirv.Plain8), b.constant(4))
		b.deferred = append(b.deferred, 4<<16|uint32(spirv.OpDecorate), bytes,
			uint32(spirv.DecorationArrayStride), 1)
		p := b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassPhysicalStorageBuffer), bytes)
		long := b.declare(spirv.OpTypeInt, 64, 0)
		address := func(a uint64) uint32 {
			return b.op(spirv.OpConvertUToPtr, p, b.declare(spirv.OpConstant, long, uint32(a),
				uint32(a>>32)))
		}
		v.matrix, v.bias = address(addressAt), address(biasAt)
		b.extra = append(b.extra, spirv.CapabilityPhysicalStorageBufferAddresses, spirv.CapabilityInt64)
	}
	odd := b.op(spirv.OpBitwiseAnd, b.word, lane, b.constant(1))
	v.offset = b.op(spirv.OpIAdd, b.word, mul(odd, s.size()), b.constant(matrixOffset+s.gap))
	v.at = mul(lane, vectorStride(s.m, result))
	var product uint32
	if s.instead != nil {
		product = s.instead(v)
	}
	if product == 0 {
		product = v.product(signedInput, signedResult)
	}
	b.add(spirv.OpCooperativeVectorStoreNV, v.out, v.at, product)
	b.add(spirv.OpReturn)
	b.add(spirv.OpFunctionEnd)

	b.extra = append(b.extra, spirv.CapabilityCooperativeVectorNV,
		spirv.CapabilityCooperativeVectorTrainingNV)
	whole := newMatrixModule(b.last+1, b.extra...)
	whole.add(spirv.OpEntryPoint, append([]uint32{uint32(spirv.ExecutionModelGLCompute), main,
		nameMain, 0, index}, append(variables, b.globals...)...)...)
	whole.add(spirv.OpExecutionMode, main, uint32(spirv.ExecutionModeLocalSize), 64, 1, 1)
	whole.add(spirv.OpDecorate, index, uint32(spirv.DecorationBuiltIn),
		uint32(spirv.BuiltInLocalInvocationIndex))
	return slices.Concat(whole.words, b.deferred, b.decls.words, head.words, b.variables.words,
		b.builder.words, b.functions.words)
}

// declareConstant declares a constant that has no value beside its instruction.
func (b *matrixBuilder) declareConstant(op spirv.Op, t uint32) uint32 {
	id := b.id()
	b.decls.add(op, t, id)
	return id
}

// product emits the product of the shader.
func (b *vectorBuilder) product(signedInput, signedResult bool) uint32 {
	s := b.s
	flags := s.flags
	if signedInput {
		flags |= spirv.CooperativeSignedB
	}
	if signedResult {
		flags |= spirv.CooperativeSignedResult
	}
	_, _, stride := s.shape()
	args := []uint32{b.vector, b.constant(uint32(s.As)), b.matrix, b.offset,
		b.constant(uint32(s.Matrix))}
	op := spirv.OpCooperativeVectorMatrixMulNV
	if s.bias {
		op = spirv.OpCooperativeVectorMatrixMulAddNV
		args = append(args, b.bias, b.constant(biasOffset), b.constant(uint32(s.Bias)))
	}
	transposed := b.no
	if s.transpose {
		transposed = b.yes
	}
	args = append(args, b.constant(s.m), b.constant(s.k), b.constant(uint32(s.layout)), transposed,
		b.constant(stride), flags)
	return b.op(op, b.result, args...)
}

// vectorStride is how far vectors are apart, in bytes.
func vectorStride(n uint32, c spirv.Component) uint32 { return (n*c.Width/8 + 15) &^ 15 }

// numbers of a type: random ones, in memory, and their values.
func randomNumber(r *rand.Rand, t spirv.ComponentType) uint32 {
	w := r.Uint32()
	switch t {
	case spirv.TypeFloat16, spirv.TypeFloatE4M3, spirv.TypeFloatE5M2:
		return t.Encode(math.Float32bits(float32((r.Float64() - 0.5) * math.Ldexp(1, r.IntN(8)))))
	case spirv.TypeFloat32:
		return math.Float32bits(float32((r.Float64() - 0.5) * math.Ldexp(1, r.IntN(10))))
	case spirv.TypeSigned32:
		return uint32(int32(w) >> r.IntN(28))
	}
	return w
}

func putNumber(to []byte, t spirv.ComponentType, w uint32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], w)
	copy(to, b[:max(t.Bytes(), 1)])
}

func numberAt(from []byte, t spirv.ComponentType) uint32 {
	var b [4]byte
	copy(b[:t.Bytes()], from)
	return binary.LittleEndian.Uint32(b[:])
}

func intOf(t spirv.ComponentType, w uint32) int64 {
	switch t {
	case spirv.TypeSigned8:
		return int64(int8(w))
	case spirv.TypeUnsigned8:
		return int64(uint8(w))
	case spirv.TypeSigned32:
		return int64(int32(w))
	}
	return int64(w)
}

// fused is x·y + z with one rounding.
func fused(x, y, z float32) float32 {
	p := new(big.Float).SetPrec(500).SetFloat64(float64(x))
	p.Mul(p, new(big.Float).SetFloat64(float64(y)))
	f, _ := p.Add(p, new(big.Float).SetFloat64(float64(z))).Float32()
	return f
}

// taken is the number of a vector as a product takes it: as the value of a float, or an integer.
func (s *vectorShader) taken(w uint32) (float32, int64) {
	clamp := func(x int64) int64 { return min(max(x, -128), 127) }
	switch {
	case s.As == spirv.TypeFloat16:
		return math.Float32frombits(s.Input.Decode(w)), 0
	case s.As.Float8() != 0:
		return math.Float32frombits(s.As.Decode(s.As.Encode(s.Input.Decode(w)))), 0
	case s.Input == spirv.TypeFloat32:
		f := float64(math.Float32frombits(w))
		if f != f {
			return 0, 0
		}
		return 0, clamp(int64(max(min(math.RoundToEven(f), 1000), -1000)))
	case s.Input == spirv.TypeSigned32:
		return 0, clamp(int64(int32(w)))
	case s.As == spirv.TypeSigned8x4:
		return 0, int64(int8(w))
	case s.As == spirv.TypeUnsigned8x4:
		return 0, int64(uint8(w))
	}
	return 0, intOf(s.Input, w)
}

// vectorData is what the shader reads.
type vectorData struct{ in, matrix, bias []byte }

func (s *vectorShader) random(r *rand.Rand) *vectorData {
	c, _ := vectorComponent(s.Input)
	d := &vectorData{
		in:     make([]byte, lanes*vectorStride(s.components(), c)),
		matrix: make([]byte, matrixOffset+s.gap+2*s.size()),
		bias:   make([]byte, biasOffset+4*s.m+4),
	}
	for _, b := range [][]byte{d.in, d.matrix, d.bias} { // what is between numbers is anything
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	for lane := range uint32(lanes) {
		for k := range s.components() {
			putNumber(d.in[lane*vectorStride(s.components(), c)+k*c.Width/8:], s.Input, randomNumber(r,
				s.Input))
		}
	}
	for of := range uint32(2) {
		for i := range s.m {
			for k := range s.k {
				putNumber(d.matrix[matrixOffset+s.gap+of*s.size()+s.place(i, k):], s.Matrix,
					randomNumber(r, s.Matrix))
			}
		}
	}
	for i := range s.m {
		putNumber(d.bias[biasOffset+i*s.Bias.Bytes():], s.Bias, randomNumber(r, s.Bias))
	}
	return d
}

// want computes the results with exact arithmetic.
func (s *vectorShader) want(d *vectorData) (out []uint32) {
	c, _ := vectorComponent(s.Input)
	for lane := range uint32(lanes) {
		in := d.in[lane*vectorStride(s.components(), c):]
		m := d.matrix[matrixOffset+s.gap+lane%2*s.size():]
		for i := range s.m {
			sum, total, first := float32(0), int64(0), true
			if w := numberAt(d.bias[biasOffset+i*s.Bias.Bytes():], s.Bias); s.bias {
				sum, total, first = math.Float32frombits(s.Bias.Decode(w)), intOf(s.Bias, w), false
			}
			for k := range s.k {
				var w uint32
				if isPacked(s.As) {
					w = uint32(in[k])
				} else {
					w = numberAt(in[k*c.Width/8:], s.Input)
				}
				f, x := s.taken(w)
				y := numberAt(m[s.place(i, k):], s.Matrix)
				switch g := math.Float32frombits(s.Matrix.Decode(y)); {
				case s.As != spirv.TypeFloat16 && s.As.Float8() == 0:
					total += x * intOf(s.Matrix, y)
				case first:
					sum = f * g
				default:
					sum = fused(f, g, sum)
				}
				first = false
			}
			switch s.Result {
			case spirv.TypeFloat16, spirv.TypeFloat32:
				out = append(out, s.Result.Encode(math.Float32bits(sum)))
			default:
				out = append(out, uint32(total))
			}
		}
	}
	return out
}

// run runs the shader on all engines, before and after optimization, and returns the results'
// numbers.
func (s *vectorShader) run(t *testing.T, d *vectorData, opt lower.Options) []uint32 {
	t.Helper()
	m, err := spirv.Parse(s.module())
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower.Compile(m, "main", opt)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := vectorComponent(s.Result)
	stride := vectorStride(s.m, c)
	words := make([]uint32, len(d.in)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(d.in[4*i:])
	}
	addresses := exec.NewAddressTable([]exec.AddressRange{
		{Base: addressAt, Data: d.matrix}, {Base: biasAt, Data: d.bias},
	})
	more := [][]byte{d.matrix, d.bias}
	restore := keep(more)
	plain := runProgram(t, p, addresses, words, int(lanes*stride/4), more)
	restore()
	ir.Optimize(p)
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	got := runProgram(t, p, addresses, words, int(lanes*stride/4), more)
	if !slices.Equal(plain, got) {
		t.Fatal("after ir.Optimize results are others")
	}
	bytes := make([]byte, 4*len(got))
	for i, w := range got {
		binary.LittleEndian.PutUint32(bytes[4*i:], w)
	}
	var out []uint32
	for lane := range uint32(lanes) {
		for i := range s.m {
			out = append(out, numberAt(bytes[lane*stride+i*c.Width/8:], s.Result))
		}
	}
	return out
}

// expect compares with exact arithmetic.
func (s *vectorShader) expect(t *testing.T, d *vectorData) {
	t.Helper()
	want := s.want(d)
	for i, w := range s.run(t, d, lower.Options{}) {
		if w != want[i] {
			t.Fatalf("%+v: number %d of invocation %d is %#x, not %#x", *s, uint32(i)%s.m, uint32(i)/s.m, w,
				want[i])
		}
	}
}

// layouts are those of a type of numbers, each also transposed where it may be.
func layouts(of spirv.ComponentType) (list []vectorShader) {
	if of.Float8() == 0 {
		list = append(list, vectorShader{layout: spirv.RowMajor}, vectorShader{layout: spirv.ColumnMajor})
	}
	for _, transpose := range []bool{false, true} {
		list = append(list, vectorShader{layout: spirv.InferencingOptimal, transpose: transpose},
			vectorShader{layout: spirv.TrainingOptimal, transpose: transpose})
	}
	return list
}
