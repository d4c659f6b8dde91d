package lower_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

var (
	products16 = []spirv.CooperativeProduct{
		{M: 16, N: 16, K: 16, A: spirv.Half, B: spirv.Half, C: spirv.Single, Result: spirv.Single},
		{M: 16, N: 16, K: 16, A: spirv.Half, B: spirv.Half, C: spirv.Half, Result: spirv.Half},
		{M: 16, N: 16, K: 16, A: spirv.Signed8, B: spirv.Plain8, C: spirv.Signed32,
			Result: spirv.Signed32},
		{M: 8, N: 16, K: 32, A: spirv.Plain8, B: spirv.Plain8, C: spirv.Plain32, Result: spirv.Plain32},
	}
	// allProducts have integers of 8 and 16 bits in C and the result, too.
	allProducts = append(slices.Clone(products16),
		spirv.CooperativeProduct{M: 16, N: 16, K: 16, A: spirv.Signed16, B: spirv.Signed16,
			C: spirv.Signed16, Result: spirv.Signed16},
		spirv.CooperativeProduct{M: 8, N: 16, K: 16, A: spirv.Plain8, B: spirv.Plain8, C: spirv.Plain8,
			Result: spirv.Plain8})
	matrixSizes = []uint32{4, 8, 16, 32, 64}
)

// expect runs the shader in subgroups of all sizes. want gives an element of the result of those of
// the product and of C; size and number say which.
func (s *matrixShader) expect(t *testing.T, want func(product, c, size, number uint32) uint32) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(s.M)))
	for _, size := range matrixSizes {
		count := 64 / size
		a, m := randomElements(r, s.A, count, s.M, s.K), randomElements(r, s.B, count, s.K, s.N)
		c := randomElements(r, s.C, count, s.M, s.N)
		p := wantProduct(&s.CooperativeProduct, a, m, c, count)
		for e, got := range s.run(t, size, a, m, c) {
			w := want(p.bits[e], c.bits[e], size, uint32(e)%(s.M*s.N)) & mask(s.Result)
			if got != w {
				t.Errorf("%v, size %d: element %d is %#x, not %#x", s.Result, size, e, got, w)
				break
			}
		}
	}
}

func onlyProduct(product, _, _, _ uint32) uint32 { return product }

// mask has the bits of an element.
func mask(c spirv.Component) uint32 { return uint32(uint64(1)<<c.Width - 1) }

func isFloat(c spirv.Component) bool { return c.Kind == spirv.KindFloat }

// toFloat and ofFloat are the value of an element, and the element nearest to one.
func toFloat(c spirv.Component, w uint32) float32 {
	return (&elements{c: c, bits: []uint32{w}}).float(0)
}

func ofFloat(c spirv.Component, f float32) uint32 {
	if c.Width == 16 {
		return uint32(fp.FloatToHalf(f))
	}
	return math.Float32bits(f)
}

// Operands that say that components are signed change no product of floats: programs set them.
func TestCooperative_FloatsWithSigns(t *testing.T) {
	for _, p := range spirv.CooperativeProducts {
		if isFloat(p.Result) {
			s := &matrixShader{CooperativeProduct: p, signs: spirv.CooperativeSignedA |
				spirv.CooperativeSignedB | spirv.CooperativeSignedC | spirv.CooperativeSignedResult}
			s.expect(t, onlyProduct)
		}
	}
}

// Negation, sums, differences, products, and the product with a scalar, element by element.
func TestCooperative_Arithmetic(t *testing.T) {
	for _, p := range allProducts {
		float := isFloat(p.C)
		for _, op := range []struct {
			float, integer spirv.Op
			floats         func(x, y float32) float32
			integers       func(x, y uint32) uint32
		}{
			{spirv.OpFNegate, spirv.OpSNegate, func(x, _ float32) float32 { return -x }, func(x,
				_ uint32) uint32 {
				return -x
			}},
			{spirv.OpFAdd, spirv.OpIAdd, func(x, y float32) float32 { return x + y }, func(x,
				y uint32) uint32 {
				return x + y
			}},
			{spirv.OpFSub, spirv.OpISub, func(x, y float32) float32 { return x - y }, func(x,
				y uint32) uint32 {
				return x - y
			}},
			{spirv.OpFMul, spirv.OpIMul, func(x, y float32) float32 { return x * y }, func(x,
				y uint32) uint32 {
				return x * y
			}},
			{spirv.OpMatrixTimesScalar, spirv.OpMatrixTimesScalar, func(x,
				_ float32) float32 {
				return x * 3
			}, func(x, _ uint32) uint32 { return x * 3 }},
		} {
			s := &matrixShader{CooperativeProduct: p}
			s.body = func(b *matrixBuilder, product, c uint32) uint32 {
				code, args := op.integer, []uint32{product, c}
				if float {
					code = op.float
				}
				switch code {
				case spirv.OpFNegate, spirv.OpSNegate:
					args = args[:1]
				case spirv.OpMatrixTimesScalar:
					three := uint32(3)
					if float {
						three = ofFloat(p.C, 3)
					}
					args[1] = b.declare(spirv.OpConstant, b.component(p.C), three)
				}
				return b.op(code, b.result, args...)
			}
			s.expect(t, func(x, y, _, _ uint32) uint32 {
				if float {
					return ofFloat(p.C, op.floats(toFloat(p.C, x), toFloat(p.C, y)))
				}
				return op.integers(x, y)
			})
		}
	}
}

// Quotients, with a divisor that is none of zero.
func TestCooperative_Quotients(t *testing.T) {
	for i, code := range []spirv.Op{spirv.OpFDiv, spirv.OpFDiv, spirv.OpSDiv, spirv.OpUDiv,
		spirv.OpSDiv, spirv.OpUDiv} {
		p := allProducts[i]
		seven := uint32(7)
		if isFloat(p.C) {
			seven = ofFloat(p.C, 7)
		}
		s := &matrixShader{CooperativeProduct: p}
		s.body = func(b *matrixBuilder, product, _ uint32) uint32 {
			d := b.declare(spirv.OpConstantComposite, b.result, b.declare(spirv.OpConstant,
				b.component(p.C), seven))
			return b.op(code, b.result, product, d)
		}
		s.expect(t, func(x, _, _, _ uint32) uint32 {
			switch {
			case isFloat(p.C):
				return ofFloat(p.C, toFloat(p.C, x)/7)
			case p.C.Signed:
				return uint32((&elements{c: p.C, bits: []uint32{x}}).value(0) / 7)
			}
			return x / 7
		})
	}
}

// A saturated result of 16 bits has no bits above them, whoever looks: a quotient of the wider number.
func TestCooperative_SaturatedAndWidened(t *testing.T) {
	p := allProducts[4]
	p.Saturating = true
	s := &matrixShader{CooperativeProduct: p}
	s.body = func(b *matrixBuilder, product, _ uint32) uint32 {
		wide := b.matrix(spirv.Plain32, p.M, p.N, useAccumulator)
		d := b.declare(spirv.OpConstantComposite, wide, b.constant(256))
		v := b.op(spirv.OpUDiv, wide, b.op(spirv.OpUConvert, wide, product), d)
		return b.op(spirv.OpBitcast, b.result, b.op(spirv.OpUConvert, b.matrix(spirv.Plain16, p.M, p.N,
			useAccumulator), v))
	}
	s.expect(t, func(x, _, _, _ uint32) uint32 { return x / 256 })
}

// Element e of a matrix, counted row by row, is component e/size of invocation e%size: what each
// invocation says of its components, by indices that are known and by others, and of their number.
func TestCooperative_ElementsOfInvocations(t *testing.T) {
	for _, p := range products16[2:] {
		for _, known := range []bool{true, false} {
			for _, size := range matrixSizes {
				n := p.M * p.N / size
				s := &matrixShader{CooperativeProduct: p}
				s.body = func(b *matrixBuilder, product, _ uint32) uint32 {
					e := b.component(p.C)
					v := b.variable(b.result)
					b.add(spirv.OpStore, v, product)
					matrix := b.declare(spirv.OpTypeCooperativeMatrixKHR, e, b.constant(scopeSubgroup),
						b.constant(p.M), b.constant(p.N), b.constant(useAccumulator))
					length := b.op(spirv.OpCooperativeMatrixLengthKHR, b.word, matrix)
					for k := range n {
						index := b.constant(k)
						if !known {
							index = b.unknown(k)
						}
						// 1000·length + k·size + lane, and 1 where the product is 0.
						x := b.op(spirv.OpIMul, b.word, length, b.constant(1000))
						x = b.op(spirv.OpIAdd, b.word, x, b.op(spirv.OpIAdd, b.word, b.constant(k*size), b.lane))
						if p.C.Signed {
							x = b.op(spirv.OpBitcast, e, x)
						}
						at := b.chain(e, v, index)
						x = b.op(spirv.OpIAdd, e, x, b.op(spirv.OpLoad, e, at))
						b.add(spirv.OpStore, at, x)
					}
					return b.op(spirv.OpLoad, b.result, v)
				}
				was := matrixSizes
				matrixSizes = []uint32{size}
				s.expect(t, func(x, _, size, e uint32) uint32 { return x + 1000*(p.M*p.N/size) + e })
				matrixSizes = was
			}
		}
	}
}

// Matrices as parameters and results of functions, in arrays that unknown indices choose from, in
// structures, in choices and joins, undefined, null and inserted into.
func TestCooperative_Composites(t *testing.T) {
	for _, p := range products16 {
		s := &matrixShader{CooperativeProduct: p}
		float := isFloat(p.C)
		add := spirv.OpIAdd
		if float {
			add = spirv.OpFAdd
		}
		s.body = func(b *matrixBuilder, product, c uint32) uint32 {
			m := b.result
			array := b.declare(spirv.OpTypeArray, m, b.constant(3))
			structure := b.declare(spirv.OpTypeStruct, b.word, array)
			null := b.id()
			b.decls.add(spirv.OpConstantNull, m, null)
			// A function that adds two matrices.
			sum, x, y := b.id(), b.id(), b.id()
			f := b.functions
			f.add(spirv.OpFunction, m, sum, 0, b.declare(spirv.OpTypeFunction, m, m, m))
			f.add(spirv.OpFunctionParameter, m, x)
			f.add(spirv.OpFunctionParameter, m, y)
			f.add(spirv.OpLabel, b.id())
			r := b.id()
			f.add(add, m, r, x, y)
			f.add(spirv.OpReturnValue, r)
			f.add(spirv.OpFunctionEnd)

			v := b.variable(structure)
			b.add(spirv.OpStore, b.chain(m, v, b.constant(1), b.constant(0)), null)
			b.add(spirv.OpStore, b.chain(m, v, b.constant(1), b.unknown(1)), product)
			b.add(spirv.OpStore, b.chain(m, v, b.constant(1), b.unknown(2)), c)
			whole := b.op(spirv.OpLoad, array, b.chain(array, v, b.constant(1)))
			whole = b.op(spirv.OpCompositeInsert, array, b.op(spirv.OpCompositeExtract, m, whole, 2),
				whole, 0) // C, product, C
			list := b.op(spirv.OpCompositeConstruct, array,
				b.op(spirv.OpCompositeExtract, m, whole, 1), b.op(spirv.OpCompositeExtract, m, whole, 0), null)
			first, second := b.op(spirv.OpCompositeExtract, m, list, 0), b.op(spirv.OpCompositeExtract, m,
				list, 1)
			boolean := b.declare(spirv.OpTypeBool)
			yes := b.op(spirv.OpULessThan, boolean, b.unknown(2), b.constant(3))
			chosen := b.op(spirv.OpSelect, m, yes, first, null)
			// A join of C and nothing.
			then, other, merge := b.id(), b.id(), b.id()
			b.add(spirv.OpSelectionMerge, merge, 0)
			b.add(spirv.OpBranchConditional, yes, then, other)
			b.add(spirv.OpLabel, then)
			twice := b.op(spirv.OpFunctionCall, m, sum, second, second)
			b.add(spirv.OpBranch, merge)
			b.add(spirv.OpLabel, other)
			undefined := b.op(spirv.OpUndef, m)
			b.add(spirv.OpBranch, merge)
			b.add(spirv.OpLabel, merge)
			joined := b.op(spirv.OpPhi, m, twice, then, undefined, other)
			copied := b.op(spirv.OpCopyObject, m, joined)
			return b.op(spirv.OpFunctionCall, m, sum, chosen, copied)
		}
		s.expect(t, func(x, c, _, _ uint32) uint32 { // product + (C + C)
			if float {
				twice := toFloat(p.C, ofFloat(p.C, toFloat(p.C, c)+toFloat(p.C, c)))
				return ofFloat(p.C, toFloat(p.C, x)+twice)
			}
			return x + 2*c
		})
	}
}

// Conversions between types of elements, there and back.
func TestCooperative_Conversions(t *testing.T) {
	single, half, signed, plain := products16[0], products16[1], products16[2], products16[3]
	for _, c := range []struct {
		p     spirv.CooperativeProduct
		to    spirv.Component
		there spirv.Op
		back  spirv.Op
		want  func(uint32) uint32
	}{
		{single, spirv.Half, spirv.OpFConvert, spirv.OpFConvert, func(x uint32) uint32 {
			return math.Float32bits(fp.HalfToFloat(fp.FloatToHalf(math.Float32frombits(x))))
		}},
		{single, spirv.Brain, spirv.OpFConvert, spirv.OpFConvert,
			func(x uint32) uint32 { return (x + 0x7FFF + x>>16&1) &^ 0xFFFF }},
		{single, spirv.Signed32, spirv.OpConvertFToS, spirv.OpConvertSToF, func(x uint32) uint32 {
			return math.Float32bits(float32(int32(math.Float32frombits(x))))
		}},
		{half, spirv.Single, spirv.OpFConvert, spirv.OpFConvert, func(x uint32) uint32 { return x }},
		{signed, spirv.Plain32, spirv.OpBitcast, spirv.OpBitcast, func(x uint32) uint32 { return x }},
		{signed, spirv.Single, spirv.OpConvertSToF, spirv.OpConvertFToS,
			func(x uint32) uint32 { return uint32(int64(min(float32(int32(x)), 0x7FFFFF80))) }},
		{plain, spirv.Single, spirv.OpConvertUToF, spirv.OpConvertFToU,
			func(x uint32) uint32 { return uint32(uint64(min(float32(x), 0xFFFFFF00))) }},
	} {
		s := &matrixShader{CooperativeProduct: c.p}
		s.body = func(b *matrixBuilder, product, _ uint32) uint32 {
			return b.op(c.back, b.result, b.op(c.there, b.matrix(c.to, c.p.M, c.p.N, useAccumulator),
				product))
		}
		s.expect(t, func(x, _, _, _ uint32) uint32 { return c.want(x) })
	}
	// Bytes of A and B to other signs and back.
	for _, there := range []spirv.Op{spirv.OpBitcast, spirv.OpUConvert, spirv.OpSConvert} {
		s := &matrixShader{CooperativeProduct: signed}
		s.through = func(b *matrixBuilder, v, t, rows, columns uint32, c spirv.Component) uint32 {
			to := c
			if there == spirv.OpBitcast {
				to.Signed = !c.Signed
				return b.op(there, t, b.op(there, b.matrix(to, rows, columns, useOf(b, t, c, rows, columns)),
					v))
			}
			return v
		}
		s.expect(t, onlyProduct)
	}
}

// useOf is the use of a matrix type of the shader.
func useOf(b *matrixBuilder, t uint32, c spirv.Component, rows, columns uint32) uint32 {
	if t == b.matrix(c, rows, columns, useA) {
		return useA
	}
	return useB
}

// Pointers to vectors, whose size a stride counts.
func TestCooperative_PointersToVectors(t *testing.T) {
	for _, p := range allProducts {
		for _, vector := range []uint32{2, 4} {
			s := &matrixShader{CooperativeProduct: p, vector: vector, columns: [4]bool{false, true, true,
				false}}
			s.expect(t, onlyProduct)
		}
	}
}

// Pointers that say no types, through which strides count bytes (SPV_KHR_untyped_pointers).
func TestCooperative_UntypedPointers(t *testing.T) {
	for _, p := range allProducts {
		for _, columns := range [][4]bool{{false, true, true, false}, {true, false, false, true}} {
			s := &matrixShader{CooperativeProduct: p, untyped: true, columns: columns}
			s.expect(t, onlyProduct)
		}
	}
}

// Through workgroup memory of the same type, of others as wide, and of wider and narrower ones, in
// both layouts.
func TestCooperative_WorkgroupMemory(t *testing.T) {
	word, pair := spirv.Plain32, spirv.Component{Kind: spirv.KindInt, Width: 16}
	for _, c := range []struct {
		p      spirv.CooperativeProduct
		memory spirv.Component // zero: that of the matrix
		vector uint32
	}{
		{products16[0], spirv.Component{}, 1}, {products16[0], spirv.Component{}, 4}, {products16[0],
			pair, 1},
		{products16[0], word, 1}, {products16[0], word, 4}, {products16[2], spirv.Component{}, 1},
		{products16[2], word, 2},
		{spirv.CooperativeProduct{M: 16, N: 16, K: 16, A: spirv.Single, B: spirv.Single,
			C: spirv.Single, Result: spirv.Single}, pair, 2},
	} {
		for layout := range uint32(2) {
			s := &matrixShader{CooperativeProduct: c.p}
			s.through = func(b *matrixBuilder, v, t, rows, columns uint32, of spirv.Component) uint32 {
				m := c.memory
				if m.Width == 0 {
					m = of
				}
				e := b.component(m)
				if c.vector > 1 {
					e = b.declare(spirv.OpTypeVector, e, c.vector)
				}
				each := rows * columns * of.Width / (m.Width * c.vector) // of a matrix
				class := uint32(spirv.StorageClassWorkgroup)
				array := b.declare(spirv.OpTypeArray, e, b.constant(16*each))
				id := b.id()
				b.decls.add(spirv.OpVariable, b.declare(spirv.OpTypePointer, class, array), id, class)
				b.globals = append(b.globals, id)
				at := b.op(spirv.OpIMul, b.word, b.subgroup, b.constant(each))
				p := b.op(spirv.OpAccessChain, b.declare(spirv.OpTypePointer, class, e), id, at)
				stride := columns
				if layout == 1 {
					stride = rows
				}
				stride = stride * of.Width / (m.Width * c.vector)
				b.add(spirv.OpCooperativeMatrixStoreKHR, p, v, b.constant(layout), b.constant(stride))
				b.add(spirv.OpControlBarrier, b.constant(2), b.constant(2), b.constant(0x108))
				return b.op(spirv.OpCooperativeMatrixLoadKHR, t, p, b.constant(layout), b.constant(stride))
			}
			s.expect(t, onlyProduct)
		}
	}
}

// Dimensions, the scope and the use may be specialization constants, and so may what follows from a
// length: an array of as many words as an invocation has elements.
func TestCooperative_SpecializedDimensions(t *testing.T) {
	p := products16[3] // 8 rows
	s := &matrixShader{CooperativeProduct: p}
	s.body = func(b *matrixBuilder, product, c uint32) uint32 {
		specialized := func(k, value uint32) uint32 {
			id := b.id()
			b.decls.add(spirv.OpSpecConstant, b.word, id, value)
			d := &builder{}
			d.add(spirv.OpDecorate, id, uint32(spirv.DecorationSpecId), k)
			b.deferred = append(b.deferred, d.words...)
			return id
		}
		scope, rows, columns, use := specialized(0, 5), specialized(1, 3), specialized(2, 1),
			specialized(3, 9)
		m := b.declare(spirv.OpTypeCooperativeMatrixKHR, b.component(p.C), scope, rows, columns, use)
		length, array := b.id(), b.id()
		b.decls.add(spirv.OpSpecConstantOp, b.word, length, uint32(spirv.OpCooperativeMatrixLengthKHR), m)
		b.decls.add(spirv.OpTypeArray, array, b.word, length)
		v := b.variable(array)
		last := b.op(spirv.OpISub, b.word, length, b.constant(1))
		b.add(spirv.OpStore, b.chain(b.word, v, last), b.constant(2))
		two := b.op(spirv.OpLoad, b.word, b.chain(b.word, v, last))
		return b.op(spirv.OpMatrixTimesScalar, b.result, product, two)
	}
	constants := map[uint32][]byte{0: {3, 0, 0, 0}, 1: {8, 0, 0, 0}, 2: {16, 0, 0, 0}, 3: {2, 0, 0, 0}}
	s.options.Specialization = constants
	s.expect(t, func(x, _, _, _ uint32) uint32 { return 2 * x })
	for k, w := range []byte{2, 9, 17, 3} { // no such scope, rows, columns, use
		was := constants[uint32(k)]
		constants[uint32(k)] = []byte{w, 0, 0, 0}
		m, err := spirv.Parse(s.module())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lower.Compile(m, "main", s.options); err == nil || !strings.Contains(err.Error(),
			"no product has a matrix") {
			t.Errorf("constant %d is %d: %v", k, w, err)
		}
		constants[uint32(k)] = was
	}
}

// Each element is an access of its own: those behind the end of a buffer are zero, and go nowhere.
func TestCooperative_ElementsOutside(t *testing.T) {
	for _, p := range allProducts {
		for _, size := range matrixSizes {
			r := rand.New(rand.NewPCG(3, uint64(size)))
			count := 64 / size
			s := &matrixShader{CooperativeProduct: p}
			a, m := randomElements(r, p.A, count, p.M, p.K), randomElements(r, p.B, count, p.K, p.N)
			c := randomElements(r, p.C, count, p.M, p.N)
			last := (count*p.M*p.N - 37) / 4 * 4
			s.cut = last * p.C.Width / 8 // bytes of C that there are
			clear(c.bits[last:])
			want := wantProduct(&p, a, m, c, count)
			for e, got := range s.run(t, size, a, m, c) {
				if got != want.bits[e] {
					t.Errorf("%v, size %d: element %d is %#x, not %#x", p.C, size, e, got, want.bits[e])
					break
				}
			}
		}
	}
}

// A product that only some invocations of a subgroup come to is undefined. Engines compute the same
// all the same (runProgram): with zeros for those that are not there.
func TestCooperative_SomeInvocations(t *testing.T) {
	for _, p := range products16 {
		for _, size := range append(matrixSizes, 128) {
			r := rand.New(rand.NewPCG(5, uint64(size)))
			count := max(64/size, 1)
			s := &matrixShader{CooperativeProduct: p}
			s.body = func(b *matrixBuilder, product, c uint32) uint32 {
				boolean := b.declare(spirv.OpTypeBool)
				v := b.variable(b.result)
				b.add(spirv.OpStore, v, product)
				some := b.op(spirv.OpINotEqual, boolean, b.op(spirv.OpUMod, b.word, b.lane, b.constant(3)),
					b.constant(1))
				then, merge := b.id(), b.id()
				b.add(spirv.OpSelectionMerge, merge, 0)
				b.add(spirv.OpBranchConditional, some, then, merge)
				b.add(spirv.OpLabel, then)
				again := b.op(spirv.OpCooperativeMatrixMulAddKHR, b.result, append(b.factors[:2:2], product,
					s.flags())...)
				b.add(spirv.OpStore, v, again)
				b.add(spirv.OpBranch, merge)
				b.add(spirv.OpLabel, merge)
				return b.op(spirv.OpLoad, b.result, v)
			}
			a, m := randomElements(r, p.A, count, p.M, p.K), randomElements(r, p.B, count, p.K, p.N)
			c := randomElements(r, p.C, count, p.M, p.N)
			got := s.run(t, size, a, m, c)
			if size > 64 {
				continue
			}
			here := func(e, columns uint32) bool {
				if size > 16 { // rows of 16 invocations
					e = e/columns*16 + e%16
				}
				return e%size%3 != 1
			}
			once := wantProduct(&p, a, m, c, count)
			for e := range a.bits { // elements count from 0 in each subgroup
				if !here(uint32(e)%(p.M*p.K), p.K) {
					a.bits[e] = 0
				}
			}
			for e := range m.bits {
				if !here(uint32(e)%(p.K*p.N), p.N) {
					m.bits[e] = 0
				}
			}
			twice := wantProduct(&p, a, m, once, count)
			for e, x := range got {
				want := once.bits[e]
				if here(uint32(e)%(p.M*p.N), p.N) {
					want = twice.bits[e]
				}
				if x != want {
					t.Errorf("%v, size %d: element %d is %#x, not %#x", p.C, size, e, x, want)
					break
				}
			}
		}
	}
}

// Infinities and NaNs go through sums as through any others.
func TestCooperative_SpecialFloats(t *testing.T) {
	p := products16[0]
	for _, size := range matrixSizes {
		r := rand.New(rand.NewPCG(11, uint64(size)))
		count := 64 / size
		a, m := randomElements(r, p.A, count, p.M, p.K), randomElements(r, p.B, count, p.K, p.N)
		c := randomElements(r, p.C, count, p.M, p.N)
		for range 40 {
			a.bits[r.IntN(len(a.bits))] = []uint32{0x7C00, 0xFC00, 0x7E01, 0, 0x8000, 1, 0x7BFF}[r.IntN(7)]
			m.bits[r.IntN(len(m.bits))] = []uint32{0x7C00, 0xFC00, 0x7E01, 0, 0x8000, 1, 0x7BFF}[r.IntN(7)]
			c.bits[r.IntN(len(c.bits))] = []uint32{0x7F800000, 0xFF800000, 0x7FC00001, 0x80000000,
				1}[r.IntN(5)]
		}
		got := (&matrixShader{CooperativeProduct: p}).run(t, size, a, m, c)
		for e := range got {
			of, i, j := uint32(e)/(p.M*p.N), uint32(e)/p.N%p.M, uint32(e)%p.N
			sum := c.float(uint32(e))
			for k := range p.K {
				sum = fp.FMA32(a.float((of*p.M+i)*p.K+k), m.float((of*p.K+k)*p.N+j), sum)
			}
			want := math.Float32bits(sum)
			if sum != sum {
				want = fp.CanonicalNaN
			}
			if got[e] != want {
				t.Fatalf("size %d: element %d is %#x, not %#x", size, e, got[e], want)
			}
		}
	}
}

// Through pointers that a choice or an address gives, in both layouts.
func TestCooperative_Pointers(t *testing.T) {
	for _, p := range products16 {
		for _, columns := range []bool{false, true} {
			s := &matrixShader{CooperativeProduct: p, columns: [4]bool{1: columns}}
			s.pointer = func(b *matrixBuilder, p, pointer uint32) uint32 {
				b.extra = []spirv.Capability{spirv.CapabilityVariablePointersStorageBuffer}
				boolean := b.declare(spirv.OpTypeBool)
				null := b.id()
				b.decls.add(spirv.OpConstantNull, pointer, null)
				yes := b.op(spirv.OpULessThan, boolean, b.unknown(2), b.constant(3))
				return b.op(spirv.OpSelect, pointer, yes, p, null)
			}
			s.expect(t, onlyProduct)
			s.pointer = func(b *matrixBuilder, _, _ uint32) uint32 {
				b.extra = []spirv.Capability{spirv.CapabilityPhysicalStorageBufferAddresses, spirv.CapabilityInt64}
				long := b.declare(spirv.OpTypeInt, 64, 0)
				start := b.id()
				b.decls.add(spirv.OpConstant, long, start, addressOfB&math.MaxUint32, addressOfB>>32)
				each := b.constant(p.K * p.N * p.B.Width / 8)
				at := b.op(spirv.OpUConvert, long, b.op(spirv.OpIMul, b.word, b.subgroup, each))
				class := uint32(spirv.StorageClassPhysicalStorageBuffer)
				return b.op(spirv.OpConvertUToPtr, b.declare(spirv.OpTypePointer, class, b.component(p.B)),
					b.op(spirv.OpIAdd, long, start, at))
			}
			s.expect(t, onlyProduct)
		}
	}
}
