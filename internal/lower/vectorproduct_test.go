package lower_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/fp"
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

// Each product that there is, in each layout, of vectors of few and of many numbers, whole words
// and parts of words, with a bias and without one, in buffers and at addresses, against exact
// arithmetic.
func TestVectorProduct_EveryProduct(t *testing.T) {
	sizes := [][2]uint32{{1, 1}, {4, 4}, {7, 13}, {13, 7}, {2, 3}, {18, 33}, {33, 18}, {5, 40}}
	n := 0
	for i, p := range spirv.VectorProducts {
		for _, s := range layouts(p.Matrix) {
			r := rand.New(rand.NewPCG(uint64(i), uint64(s.layout)))
			for range 2 {
				s.VectorProduct, s.m, s.k = p, sizes[n%len(sizes)][0], sizes[n%len(sizes)][1]
				s.bias, s.far = n%3 != 0, n%4 == 1
				s.stride = 0
				if !s.layout.Optimal() && n%5 == 0 {
					s.stride = 80 // more than it takes
				}
				n++
				s.expect(t, s.random(r))
			}
		}
	}
}

// A product of binary16 is one before it is stored: its square is that of a number of 16 bits.
func TestVectorProduct_Rounds(t *testing.T) {
	s := &vectorShader{VectorProduct: spirv.VectorProducts[0], m: 6, k: 5}
	s.instead = func(b *vectorBuilder) uint32 {
		y := b.product(false, false)
		return b.op(spirv.OpFMul, b.result, y, y)
	}
	d := s.random(rand.New(rand.NewPCG(6, 6)))
	got := s.run(t, d, lower.Options{})
	for i, w := range s.want(d) {
		y := fp.HalfToFloat(uint16(w))
		if want := uint32(fp.FloatToHalf(y * y)); got[i] != want {
			t.Fatalf("the square of %v is %#x, not %#x", y, got[i], want)
		}
	}
}

// Programs grow with the columns of a matrix, not with its rows.
func TestVectorProduct_Instructions(t *testing.T) {
	const n = 256
	for _, p := range spirv.VectorProducts {
		for _, s := range layouts(p.Matrix) {
			s.VectorProduct, s.m, s.k, s.bias = p, n, n, true
			m, err := spirv.Parse(s.module())
			if err != nil {
				t.Fatal(err)
			}
			p, err := lower.Compile(m, "main", lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			most := 30
			if s.Matrix.Float8() != 0 {
				most = 100 // with conversions of the vector
			}
			if got := len(p.Insts) / n; got > most {
				t.Errorf("%+v: %d instructions a column", s, got)
			}
		}
	}
}

// Vectors of as many numbers as there may be.
func TestVectorProduct_Largest(t *testing.T) {
	s := &vectorShader{VectorProduct: spirv.VectorProducts[0], layout: spirv.RowMajor}
	s.m, s.k = 3, 1024
	s.expect(t, s.random(rand.New(rand.NewPCG(1, 2))))
	s.m, s.k, s.layout = 1024, 3, spirv.ColumnMajor
	s.expect(t, s.random(rand.New(rand.NewPCG(1, 3))))
}

// Numbers that a conversion to shorter ones does not keep: bytes are the nearest, ties to even, and
// the least or largest where there is none; a NaN is 0. Floats of 8 bits round, and become NaNs or
// infinities where they are too large.
func TestVectorProduct_Conversions(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		p       spirv.VectorProduct
		in      []float32
		integer []int32
		want    []uint32 // of a product with 1
	}{
		{p: spirv.VectorProducts[3], in: []float32{0.5, 1.5, -2.5, 126.5, 127.5, 1e9, -128.5, -129, -1e30,
			nan, float32(math.Inf(1)), -0.5},
			want: []uint32{0, 2, ^uint32(1), 126, 127, 127, ^uint32(127), ^uint32(127), ^uint32(127), 0, 127,
				0}},
		{p: spirv.VectorProducts[7], integer: []int32{127, 128, -128, -129, math.MaxInt32, math.MinInt32},
			want: []uint32{127, 127, ^uint32(127), ^uint32(127), 127, ^uint32(127)}},
		{p: spirv.VectorProducts[4], in: []float32{1.0625, 1.1875, 448, 464, 480, 0.001953125,
			0.0009765625,
			-17}, // units of 1/8 above 1, of 2^-9 near 0; 464 is a tie of 448 and what is no number
			want: []uint32{0x3C00, 0x3D00, 0x5F00, 0x5F00, 0x7E00, 0x1800, 0, 0xCC00}},
		{p: spirv.VectorProducts[5], in: []float32{1.125, 1.375, 57344, 61440, -61440, 1.52587890625e-5},
			want: []uint32{0x3C00, 0x3E00, 0x7B00, 0x7C00, 0xFC00, 0x0100}},
	} {
		n := max(len(c.in), len(c.integer))
		for at := range n {
			s := &vectorShader{VectorProduct: c.p, layout: spirv.InferencingOptimal, m: 1, k: 1}
			d := &vectorData{in: make([]byte, 16*lanes), matrix: make([]byte, 512), bias: make([]byte, 64)}
			var w uint32
			if c.in != nil {
				w = c.p.Input.Encode(math.Float32bits(c.in[at]))
			} else {
				w = uint32(c.integer[at])
			}
			putNumber(d.in, c.p.Input, w)
			one := uint32(1)
			if c.p.Matrix.Float8() != 0 {
				one = c.p.Matrix.Encode(math.Float32bits(1))
			}
			putNumber(d.matrix[matrixOffset:], c.p.Matrix, one)
			if got := s.run(t, d, lower.Options{})[0]; got != c.want[at] {
				t.Errorf("%v %v as %d: %#x, not %#x", c.in, c.integer, c.p.As, got, c.want[at])
			}
		}
	}
}

// A matrix that leaves its buffer has zeros there, and so does a bias; others' memory behind is not
// read. An offset of which some bytes are left is that of the word it begins in.
func TestVectorProduct_Outside(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, far := range []bool{false, true} {
		for _, layout := range []spirv.MatrixLayout{spirv.RowMajor, spirv.ColumnMajor} {
			s := &vectorShader{VectorProduct: spirv.VectorProducts[6], layout: layout, m: 6, k: 8,
				bias: true,
				far:  far}
			whole := s.random(r)
			cut := &vectorData{in: whole.in, matrix: slices.Clone(whole.matrix),
				bias: slices.Clone(whole.bias)}
			end, last := matrixOffset+s.size()+40, biasOffset+uint32(12)
			clear(cut.matrix[end:])
			clear(cut.bias[last:])
			want := s.want(cut)
			whole.matrix, whole.bias = whole.matrix[:end:end], whole.bias[:last:last]
			if got := s.run(t, whole, lower.Options{}); !slices.Equal(got, want) {
				t.Errorf("layout %d, far %v: results are others", layout, far)
			}
		}
	}
	// A buffer that ends with the last number of a matrix has all of it, though not all of a word.
	for _, layout := range []spirv.MatrixLayout{spirv.RowMajor, spirv.ColumnMajor} {
		s := &vectorShader{VectorProduct: spirv.VectorProducts[2], layout: layout, m: 5, k: 9}
		d := s.random(r)
		want := s.want(d)
		end := matrixOffset + s.size() + s.place(4, 8) + 1
		d.matrix = d.matrix[:end:end]
		if got := s.run(t, d, lower.Options{}); !slices.Equal(got, want) {
			t.Errorf("layout %d: the end of a matrix is not read", layout)
		}
	}
	// Beyond all buffers: only the bias.
	s := &vectorShader{VectorProduct: spirv.VectorProducts[2], layout: spirv.RowMajor, m: 5, k: 9,
		bias: true}
	d := s.random(r)
	clear(d.matrix)
	want := s.want(d)
	s.instead = func(b *vectorBuilder) uint32 {
		b.offset = b.unknown(0x8000_0000)
		return 0
	}
	for i := range d.matrix {
		d.matrix[i] = 0xFF
	}
	if got := s.run(t, d, lower.Options{}); !slices.Equal(got, want) {
		t.Error("a matrix beyond all buffers is not zeros")
	}
	s = &vectorShader{VectorProduct: spirv.VectorProducts[0], layout: spirv.RowMajor, m: 3, k: 4}
	d = s.random(r)
	want = s.want(d)
	s.instead = func(b *vectorBuilder) uint32 {
		b.offset = b.op(spirv.OpBitwiseOr, b.word, b.offset, b.constant(3))
		return 0
	}
	if got := s.run(t, d, lower.Options{}); !slices.Equal(got, want) {
		t.Error("an offset that is no multiple of 4 is not that of its word")
	}
}

// Vectors are loaded from and stored to memory of other types, and of workgroups.
func TestVectorProduct_Memory(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, of := range []spirv.Component{spirv.Half, spirv.Plain8, spirv.Single} {
		s := &vectorShader{VectorProduct: spirv.VectorProducts[0], layout: spirv.TrainingOptimal, m: 7,
			k: 7}
		s.instead = func(b *vectorBuilder) uint32 {
			array := b.declare(spirv.OpTypeArray, b.component(of), b.constant(4096))
			p := b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassWorkgroup), array)
			shared := b.id()
			b.decls.add(spirv.OpVariable, p, shared, uint32(spirv.StorageClassWorkgroup))
			b.globals = append(b.globals, shared)
			b.add(spirv.OpCooperativeVectorStoreNV, shared, b.at, b.vector)
			b.add(spirv.OpControlBarrier, b.constant(2), b.constant(2), b.constant(0x108))
			// That of the neighbour.
			b.vector = b.op(spirv.OpCooperativeVectorLoadNV, b.input, shared, b.op(spirv.OpBitwiseXor,
				b.word,
				b.at, b.constant(16)))
			return 0
		}
		d := s.random(r)
		swapped := &vectorData{in: slices.Clone(d.in), matrix: d.matrix, bias: d.bias}
		for i := range d.in {
			swapped.in[i^16] = d.in[i]
		}
		if got := s.run(t, d, lower.Options{}); !slices.Equal(got, s.want(swapped)) {
			t.Errorf("through %v: results are others", of)
		}
	}
}

// In all products, what a vector is multiplied by is machine code.
func TestVectorProduct_IsMachineCode(t *testing.T) {
	for _, p := range spirv.VectorProducts {
		for _, s := range layouts(p.Matrix) {
			s.VectorProduct, s.m, s.k, s.bias = p, 16, 24, true
			m, err := spirv.Parse(s.module())
			if err != nil {
				t.Fatal(err)
			}
			program, err := lower.Compile(m, "main", lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ir.Optimize(program)
			r, err := vm.New(vm.Options{Native: true}).Compile(program)
			if err != nil {
				t.Fatal(err)
			}
			if left := r.(exec.Interpreter).Interpreted(); len(left) > 0 {
				t.Fatalf("%+v: %+v", s, left)
			}
		}
	}
}

// Sums and outer products are added to what is in memory, once for each invocation; where a matrix
// leaves its buffer nothing is written.
func TestVectorProduct_Training(t *testing.T) {
	const m, k = 5, 3
	for _, as := range []spirv.ComponentType{spirv.TypeFloat16, spirv.TypeFloat32} {
		p := spirv.VectorProducts[0]
		if as == spirv.TypeFloat32 {
			p = spirv.VectorProducts[6]
		}
		for _, far := range []bool{false, true} {
			s := &vectorShader{VectorProduct: p, layout: spirv.TrainingOptimal, m: m, k: k, far: far}
			stride := (k*as.Bytes() + 15) &^ 15
			s.instead = func(b *vectorBuilder) uint32 {
				s.bias = false
				y := b.product(false, false)
				half := y
				if as == spirv.TypeFloat32 {
					half = b.op(spirv.OpFConvert, b.declare(spirv.OpTypeVectorIdEXT, b.component(spirv.Half),
						b.constant(m)), y)
				}
				b.add(spirv.OpCooperativeVectorReduceSumAccumulateNV, b.bias, b.constant(0), y)
				b.add(spirv.OpCooperativeVectorOuterProductAccumulateNV, b.bias, b.constant(64), half, b.vector,
					b.constant(3), b.constant(uint32(as)))
				return y
			}
			d := &vectorData{in: make([]byte, 16*lanes), matrix: make([]byte, matrixOffset+2*s.size()),
				bias: make([]byte, 64+m*stride-16)} // without the last row
			// Small integers, whose sums are exact in any order.
			for lane := range lanes {
				for i := range k {
					putNumber(d.in[16*lane+2*i:], spirv.TypeFloat16, spirv.TypeFloat16.Encode(
						math.Float32bits(float32((lane+i)%3-1))))
				}
			}
			for of := range uint32(2) {
				for i := range uint32(m) {
					for j := range uint32(k) {
						putNumber(d.matrix[matrixOffset+of*s.size()+s.place(i, j):], spirv.TypeFloat16,
							spirv.TypeFloat16.Encode(math.Float32bits(float32((i+j+of)%3)-1)))
					}
				}
			}
			result := s.want(d)
			value := func(t spirv.ComponentType,
				w uint32) float32 {
				return math.Float32frombits(t.Decode(w))
			}
			var sums [m]float32
			var outer [m][k]float32
			for lane := range lanes {
				for i := range m {
					y := value(p.Result, result[lane*m+i])
					sums[i] += y
					for j := range k {
						outer[i][j] += y * value(spirv.TypeFloat16, numberAt(d.in[16*lane+2*j:], spirv.TypeFloat16))
					}
				}
			}
			s.run(t, d, lower.Options{}) // twice, the first time undone
			at := func(place uint32) float32 { return value(as, numberAt(d.bias[place:], as)) }
			for i := range uint32(m) {
				if got := at(i * as.Bytes()); got != sums[i] {
					t.Errorf("%d, far %v: sum %d is %v, not %v", as, far, i, got, sums[i])
				}
				for j := range uint32(k) {
					if i == m-1 {
						break
					}
					if got := at(64 + i*stride + j*as.Bytes()); got != outer[i][j] {
						t.Errorf("%d, far %v: product %d, %d is %v, not %v", as, far, i, j, got, outer[i][j])
					}
				}
			}
		}
	}
}

// What is wrong with vectors is refused, and the error says what: by the validator, or where
// constants are known.
func TestVectorProduct_WrongModules(t *testing.T) {
	float, bytes := spirv.VectorProducts[0], spirv.VectorProducts[2]
	// multiply is the product with operands of another kind.
	multiply := func(f func(args []uint32, b *vectorBuilder) []uint32) func(b *vectorBuilder) uint32 {
		return func(b *vectorBuilder) uint32 {
			args := []uint32{b.vector, b.constant(0), b.matrix, b.offset, b.constant(0), b.constant(4),
				b.constant(4), b.constant(0), b.no, b.constant(16)}
			return b.op(spirv.OpCooperativeVectorMatrixMulNV, b.result, f(args, b)...)
		}
	}
	set := func(i int, v func(b *vectorBuilder) uint32) func(b *vectorBuilder) uint32 {
		return multiply(func(args []uint32, b *vectorBuilder) []uint32 {
			args[i] = v(b)
			return args
		})
	}
	number := func(i int, w uint32) func(b *vectorBuilder) uint32 {
		return set(i, func(b *vectorBuilder) uint32 { return b.constant(w) })
	}
	outer := func(layout, as uint32) func(b *vectorBuilder) uint32 {
		return func(b *vectorBuilder) uint32 {
			b.add(spirv.OpCooperativeVectorOuterProductAccumulateNV, b.bias, b.offset, b.vector, b.vector,
				b.constant(layout), b.constant(as))
			return 0
		}
	}
	for name, c := range map[string]struct {
		p    spirv.VectorProduct
		want string
		body func(b *vectorBuilder) uint32
	}{
		"no such product": {bytes, "10089", multiply(func(args []uint32,
			b *vectorBuilder) []uint32 {
			return args
		})},
		"another interpretation":  {float, "10089", number(1, uint32(spirv.TypeSigned8))},
		"rows that do not fit":    {float, "5 numbers for a vector of 4", number(5, 5)},
		"columns that do not fit": {float, "3 numbers of a vector that has 4", number(6, 3)},
		"columns beyond all bounds": {float, "4294967295 numbers of a vector that has 4",
			number(6, 1<<32-1)},
		"no columns":                 {float, "0 numbers", number(6, 0)},
		"a layout that there is not": {float, "layout 4", number(7, 4)},
		"a transposed matrix of rows": {float, "a transposed matrix of layout 0", set(8,
			func(b *vectorBuilder) uint32 { return b.yes })},
		"rows without a stride": {float, "without a stride", multiply(func(args []uint32,
			b *vectorBuilder) []uint32 {
			return args[:9]
		})},
		"rows of floats of 8 bits": {spirv.VectorProducts[4], "10090", multiply(func(args []uint32,
			b *vectorBuilder) []uint32 {
			args[1], args[4] = b.constant(uint32(spirv.TypeFloatE4M3)),
				b.constant(uint32(spirv.TypeFloatE4M3))
			return args
		})},
		"an offset of 64 bits": {float, "11808", set(3, func(b *vectorBuilder) uint32 {
			b.extra = append(b.extra, spirv.CapabilityInt64)
			return b.op(spirv.OpUConvert, b.declare(spirv.OpTypeInt, 64, 0), b.offset)
		})},
		"an offset that is a float": {float, "it must be an integer of 32 bits", set(3,
			func(b *vectorBuilder) uint32 {
				return b.op(spirv.OpConvertUToF, b.component(spirv.Single), b.offset)
			})},
		"a size that is no constant": {float, "a constant where it says", set(5,
			func(b *vectorBuilder) uint32 {
				return b.unknown(4)
			})},
		"transposed by no boolean": {float, "no constant boolean", number(8, 0)},
		"a matrix in no array": {float, "not a pointer to an array", set(2,
			func(b *vectorBuilder) uint32 {
				return b.variable(b.word)
			})},
		"a matrix in a variable": {float, "in storage class Function", set(2,
			func(b *vectorBuilder) uint32 {
				return b.variable(b.declare(spirv.OpTypeArray, b.word, b.constant(64)))
			})},
		"a vector that is none": {float, "is no cooperative vector", set(0,
			func(b *vectorBuilder) uint32 {
				return b.op(spirv.OpUndef, b.declare(spirv.OpTypeVector, b.component(spirv.Half), 4))
			})},
		"a vector of too many numbers": {float, "10094", func(b *vectorBuilder) uint32 {
			n := b.id()
			b.decls.add(spirv.OpSpecConstant, b.word, n, 1025)
			b.declare(spirv.OpTypeVectorIdEXT, b.component(spirv.Half), n)
			return 0
		}},
		"a vector of booleans": {float, "10095", func(b *vectorBuilder) uint32 {
			b.declare(spirv.OpTypeVectorIdEXT, b.declare(spirv.OpTypeBool), b.constant(4))
			return 0
		}},
		"a vector in a buffer": {float, "a cooperative matrix or vector in storage class StorageBuffer",
			func(b *vectorBuilder) uint32 {
				b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassStorageBuffer),
					b.declare(spirv.OpTypeStruct, b.result))
				return 0
			}},
		"a shuffle": {float, "not for cooperative vectors", func(b *vectorBuilder) uint32 {
			b.op(spirv.OpVectorShuffle, b.declare(spirv.OpTypeVector, b.component(spirv.Half), 2), b.vector,
				b.vector, 0, 1)
			return 0
		}},
		"a remainder": {float, "not for cooperative vectors", func(b *vectorBuilder) uint32 {
			b.op(spirv.OpFRem, b.input, b.vector, b.vector)
			return 0
		}},
		"a dot product": {float, "not for cooperative vectors", func(b *vectorBuilder) uint32 {
			b.op(spirv.OpDot, b.component(spirv.Half), b.vector, b.vector)
			return 0
		}},
		"a sum of bytes in memory": {bytes, "10092", func(b *vectorBuilder) uint32 {
			b.add(spirv.OpCooperativeVectorReduceSumAccumulateNV, b.bias, b.offset, b.vector)
			return 0
		}},
		"an outer product of bytes":  {bytes, "10093", outer(3, 0)},
		"an outer product in rows":   {float, "10093", outer(0, 0)},
		"an outer product of 8 bits": {float, "10093", outer(3, uint32(spirv.TypeFloatE4M3))},
		"a load of a number": {float, "is no cooperative vector", func(b *vectorBuilder) uint32 {
			b.op(spirv.OpCooperativeVectorLoadNV, b.word, b.matrix, b.offset)
			return 0
		}},
		"floats of 8 bits in memory of floats of 16": {bytes, "in workgroup memory of float16",
			func(b *vectorBuilder) uint32 {
				array := b.declare(spirv.OpTypeArray, b.component(spirv.Half), b.constant(64))
				p := b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassWorkgroup), array)
				shared := b.id()
				b.decls.add(spirv.OpVariable, p, shared, uint32(spirv.StorageClassWorkgroup))
				b.globals = append(b.globals, shared)
				b.add(spirv.OpCooperativeVectorStoreNV, shared, b.constant(0), b.vector)
				return 0
			}},
	} {
		s := &vectorShader{VectorProduct: c.p, m: 4, k: 4, instead: c.body}
		if c.p.Matrix.Float8() != 0 {
			s.layout = spirv.InferencingOptimal
		}
		m, err := spirv.Parse(s.module())
		if err == nil {
			_, err = lower.Compile(m, "main", lower.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Without what the instructions need.
	for _, c := range []spirv.Capability{
		spirv.CapabilityCooperativeVectorNV, spirv.CapabilityVulkanMemoryModel,
	} {
		code := (&vectorShader{VectorProduct: float, m: 4, k: 4}).module()
		for i := 5; spirv.Op(code[i]) == spirv.OpCapability; i += 2 {
			if code[i+1] == uint32(c) || code[i+1] == uint32(spirv.CapabilityCooperativeMatrixKHR) ||
				code[i+1] == uint32(spirv.CapabilityBFloat16CooperativeMatrixKHR) {
				code[i+1] = uint32(spirv.CapabilityInt64)
			}
		}
		if _, err := spirv.Parse(code); err == nil || !strings.Contains(err.Error(), c.String()) {
			t.Errorf("without %v: %v", c, err)
		}
	}
}
