package lower_test

import (
	"math"
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
