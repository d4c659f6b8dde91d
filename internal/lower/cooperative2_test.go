package lower_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// flexibleProducts has the types of each product once.
func flexibleProducts() (list []spirv.CooperativeProduct) {
	for _, p := range spirv.CooperativeProducts {
		if p.M == 16 && p.K == 16 {
			list = append(list, p)
		}
	}
	return list
}

// Products of matrices of a workgroup and of subgroups, of sizes that are no powers of two, against
// exact arithmetic.
func TestCooperative_FlexibleDimensions(t *testing.T) {
	shapes := [][3]uint32{{16, 16, 16}, {48, 32, 16}, {16, 48, 80}, {64, 16, 32}, {16, 96, 48}}
	for i, p := range flexibleProducts() {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		for j, scope := range []uint32{scopeWorkgroup, scopeSubgroup} {
			shape, size := shapes[(i+j)%len(shapes)], uint32(4)<<((i+j)%5)
			p.M, p.N, p.K = shape[0], shape[1], shape[2]
			s := &matrixShader{CooperativeProduct: p, scope: scope}
			for k := range s.columns {
				s.columns[k] = r.IntN(2) == 1
			}
			count := s.count(size)
			a, m := randomElements(r, p.A, count, p.M, p.K), randomElements(r, p.B, count, p.K, p.N)
			c := randomElements(r, p.C, count, p.M, p.N)
			want := wantProduct(&p, a, m, c, count)
			for e, got := range s.run(t, size, a, m, c) {
				if got != want.bits[e] {
					t.Errorf("%+v, scope %d, size %d, columns %v: element %d is %#x, not %#x", p, scope, size,
						s.columns, e, got, want.bits[e])
					break
				}
			}
		}
	}
}

// Products of workgroups whose A has 8 columns, or an odd number of eights: llama.cpp's convolutions
// have as many as a subgroup has invocations. Each invocation holds as much of A and of B as others.
func TestCooperative_EightColumns(t *testing.T) {
	for i, c := range []struct{ local, m, n, k uint32 }{
		{64, 16, 16, 8}, {128, 16, 16, 8}, {256, 32, 32, 8}, {256, 64, 96, 8}, {128, 48, 16, 24},
		{64, 64, 32, 40}, {256, 32, 64, 24},
	} {
		p := flexibleProducts()[i%len(flexibleProducts())]
		r := rand.New(rand.NewPCG(uint64(i), 3))
		p.M, p.N, p.K = c.m, c.n, c.k
		s := &matrixShader{CooperativeProduct: p, scope: scopeWorkgroup, local: c.local}
		for k := range s.columns {
			s.columns[k] = r.IntN(2) == 1
		}
		a, m := randomElements(r, p.A, 1, p.M, p.K), randomElements(r, p.B, 1, p.K, p.N)
		acc := randomElements(r, p.C, 1, p.M, p.N)
		want := wantProduct(&p, a, m, acc, 1)
		for e, got := range s.run(t, 8, a, m, acc) {
			if got != want.bits[e] {
				t.Errorf("%+v, %d invocations: element %d is %#x, not %#x", p, c.local, e, got, want.bits[e])
				break
			}
		}
	}
}

// What no flexible dimensions are, and invocations that hold no matrix together.
func TestCooperative_WrongDimensions(t *testing.T) {
	for name, c := range map[string]struct {
		scope, local  uint32
		rows, columns uint32
		want          string
	}{
		"8 rows of a workgroup":   {scopeWorkgroup, 64, 8, 16, "no product has a matrix of 8 rows"},
		"24 columns":              {scopeSubgroup, 64, 16, 24, "no product has a matrix of 16 rows and 24"},
		"more than 512 columns":   {scopeWorkgroup, 64, 16, 528, "no product has a matrix of 16 rows and 528"},
		"a workgroup of 32":       {scopeWorkgroup, 32, 16, 16, "a cooperative matrix of a workgroup of 32"},
		"a workgroup of 1,024":    {scopeWorkgroup, 1024, 16, 16, "a workgroup of 1024 invocations; [64 128"},
		"too much of a subgroup":  {scopeSubgroup, 64, 512, 512, "would have 32768 elements; 4096 is"},
		"of the device":           {1, 64, 16, 16, "no product has a matrix"},
		"as much as there may be": {scopeWorkgroup, 64, 512, 512, ""},
	} {
		s := &matrixShader{CooperativeProduct: flexibleProducts()[4], scope: scopeSubgroup, local: c.local}
		s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
			b.scope = c.scope
			t := b.matrix(spirv.Single, c.rows, c.columns, useAccumulator)
			b.op(spirv.OpCooperativeMatrixLengthKHR, b.word, t)
			return product
		}
		m, err := spirv.Parse(s.module())
		if err == nil {
			_, err = lower.Compile(m, "main", lower.Options{})
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Matrices of 8 columns that leave invocations of the workgroup without an element, and others that
// are no factors of products.
func TestCooperative_WrongEightColumns(t *testing.T) {
	for name, c := range map[string]struct {
		scope, local       uint32
		use, rows, columns uint32
		want               string
	}{
		"A of 128 elements": {scopeWorkgroup, 256, useA, 16, 8, "16 rows and 8 columns, of which an"},
		"48 rows":           {scopeWorkgroup, 256, useA, 48, 8, "48 rows and 8 columns, of which an"},
		"B of 128 elements": {scopeWorkgroup, 256, useB, 8, 16, "8 rows and 16 columns, of which an"},
		"48 columns":        {scopeWorkgroup, 256, useB, 8, 48, "8 rows and 48 columns, of which an"},
		"an accumulator":    {scopeWorkgroup, 64, useAccumulator, 16, 8, "no product has a matrix of 16"},
		"columns of B":      {scopeWorkgroup, 64, useB, 16, 8, "no product has a matrix of 16 rows and 8"},
		"rows of A":         {scopeWorkgroup, 64, useA, 8, 16, "no product has a matrix of 8 rows"},
		"A of a subgroup":   {scopeSubgroup, 64, useA, 16, 8, "no product has a matrix of 16 rows and 8"},
		"B of a subgroup":   {scopeSubgroup, 64, useB, 8, 16, "no product has a matrix of 8 rows"},
		"12 columns":        {scopeWorkgroup, 64, useA, 16, 12, "no product has a matrix of 16 rows and 12"},
		"A of each element": {scopeWorkgroup, 256, useA, 32, 8, ""},
		"B of each element": {scopeWorkgroup, 256, useB, 8, 32, ""},
		"A of fewer":        {scopeWorkgroup, 128, useA, 16, 8, ""},
	} {
		s := &matrixShader{CooperativeProduct: flexibleProducts()[4], scope: scopeSubgroup, local: c.local}
		s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
			b.scope = c.scope
			t := b.matrix(spirv.Single, c.rows, c.columns, c.use)
			b.op(spirv.OpCooperativeMatrixLengthKHR, b.word, t)
			return product
		}
		m, err := spirv.Parse(s.module())
		if err == nil {
			_, err = lower.Compile(m, "main", lower.Options{})
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Matrices of a subgroup are no factors of a workgroup's.
func TestCooperative_ScopesOfProducts(t *testing.T) {
	s := &matrixShader{CooperativeProduct: flexibleProducts()[4], scope: scopeWorkgroup}
	s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
		b.scope = scopeSubgroup
		other := b.op(spirv.OpUndef, b.matrix(spirv.Single, 16, 16, useA))
		return b.op(spirv.OpCooperativeMatrixMulAddKHR, b.result, other, b.factors[1], acc)
	}
	m, err := spirv.Parse(s.module())
	if err == nil {
		_, err = lower.Compile(m, "main", lower.Options{})
	}
	if err == nil || !strings.Contains(err.Error(), "matrices of scopes 3 and 2") {
		t.Error(err)
	}
}

// function declares a function of parameters of these types, whose body returns a value.
func (b *matrixBuilder) function(result uint32, params []uint32,
	body func(f *builder, x []uint32) uint32,
) uint32 {
	f, id := &builder{}, b.id()
	f.add(spirv.OpFunction, result, id, 0, b.declare(spirv.OpTypeFunction,
		append([]uint32{result}, params...)...))
	var x []uint32
	for _, t := range params {
		x = append(x, b.id())
		f.add(spirv.OpFunctionParameter, t, x[len(x)-1])
	}
	f.add(spirv.OpLabel, b.id())
	code := b.builder
	b.builder = f
	v := body(f, x)
	b.builder = code
	if v != 0 {
		f.add(spirv.OpReturnValue, v)
	}
	f.add(spirv.OpFunctionEnd)
	b.functions.words = append(b.functions.words, f.words...)
	return id
}

// integerShader is a product of bytes to integers with dimensions, and what it gives.
func integerShader(r *rand.Rand, scope, size uint32, shape [3]uint32) (s *matrixShader, a, m, c,
	want *elements) {
	p := spirv.CooperativeProduct{M: shape[0], N: shape[1], K: shape[2], A: spirv.Signed8,
		B: spirv.Signed8, C: spirv.Signed32, Result: spirv.Signed32}
	s = &matrixShader{CooperativeProduct: p, scope: scope}
	count := s.count(size)
	a, m = randomElements(r, p.A, count, p.M, p.K), randomElements(r, p.B, count, p.K, p.N)
	c = randomElements(r, p.C, count, p.M, p.N)
	return s, a, m, c, wantProduct(&p, a, m, c, count)
}

// scopes and sizes of subgroups with which tests below run.
var spreads = [][2]uint32{{scopeWorkgroup, 4}, {scopeSubgroup, 4}, {scopeSubgroup, 8}, {scopeSubgroup, 32},
	{scopeWorkgroup, 16}}

// Reductions combine in the order that docs/compute.md tells: 5·x + y depends on it.
func TestCooperative_Reductions(t *testing.T) {
	combine := func(x, y uint32) uint32 { return 5*x + y }
	of := func(list []uint32) uint32 {
		for len(list) > 1 {
			var next []uint32
			for k := 0; k+1 < len(list); k += 2 {
				next = append(next, combine(list[k], list[k+1]))
			}
			if len(list)%2 == 1 {
				next = append(next, list[len(list)-1])
			}
			list = next
		}
		return list[0]
	}
	for i, spread := range spreads {
		for mode := uint32(1); mode <= 4; mode++ {
			r := rand.New(rand.NewPCG(uint64(i), uint64(mode)))
			s, a, m, c, want := integerShader(r, spread[0], spread[1], [3]uint32{32, 96, 16})
			rows, columns := s.M, s.N
			switch mode { // the other dimension may be any
			case 1:
				columns = 48
			case 2:
				rows = 16
			case 4:
				rows, columns = rows/2, columns/2
			}
			s.extra = append(s.extra, spirv.CapabilityCooperativeMatrixReductionsEXT)
			s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
				word := b.component(spirv.Signed32)
				f := b.function(word, []uint32{word, word}, func(f *builder, x []uint32) uint32 {
					five := b.op(spirv.OpIMul, word, x[0], b.declare(spirv.OpConstant, word, 5))
					return b.op(spirv.OpIAdd, word, five, x[1])
				})
				return b.op(spirv.OpCooperativeMatrixReduceEXT, b.matrix(spirv.Signed32, rows, columns,
					useAccumulator), product, mode, f)
			}
			got := s.run(t, spread[1], a, m, c)
			for g := range s.count(spread[1]) {
				x := want.bits[g*s.M*s.N:]
				row := func(i uint32) []uint32 { return x[i*s.N:][:s.N] }
				column := func(j uint32) (list []uint32) {
					for i := range s.M {
						list = append(list, x[i*s.N+j])
					}
					return list
				}
				var all []uint32
				for i := range s.M {
					all = append(all, of(row(i)))
				}
				for i := range rows {
					for j := range columns {
						var w uint32
						switch mode {
						case 1:
							w = of(row(i))
						case 2:
							w = of(column(j))
						case 3:
							w = of(all)
						default:
							w = combine(of(row(2 * i)[2*j:][:2]), of(row(2*i + 1)[2*j:][:2]))
						}
						if v := got[g*s.M*s.N+i*s.N+j]; v != w {
							t.Fatalf("%v, mode %d: element %d, %d of matrix %d is %#x, not %#x", spread, mode, i, j,
								g, v, w)
						}
					}
				}
			}
		}
	}
}

// A transposed matrix, and one of another use, which has its elements where it had them.
func TestCooperative_OtherUses(t *testing.T) {
	p := spirv.CooperativeProduct{N: 48, M: 48, K: 16, A: spirv.Half, B: spirv.Half, C: spirv.Half,
		Result: spirv.Half}
	for i, spread := range spreads {
		for use, op := range []spirv.Op{spirv.OpCooperativeMatrixConvertUseEXT,
			spirv.OpCooperativeMatrixConvertUseEXT, spirv.OpCooperativeMatrixTransposeNV} {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			s := &matrixShader{CooperativeProduct: p, scope: spread[0]}
			count := s.count(spread[1])
			a, m := randomElements(r, p.A, count, p.M, p.K), randomElements(r, p.B, count, p.K, p.N)
			c := randomElements(r, p.C, count, p.M, p.N)
			want := wantProduct(&p, a, m, c, count)
			s.extra = append(s.extra, spirv.CapabilityCooperativeMatrixConversionsNV)
			s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
				return b.op(op, b.matrix(spirv.Half, p.M, p.N, min(uint32(use), useB)), product)
			}
			for e, got := range s.run(t, spread[1], a, m, c) {
				at := uint32(e)
				if op == spirv.OpCooperativeMatrixTransposeNV {
					of := at % (p.M * p.N)
					at += of%p.N*p.N + of/p.N - of
				}
				if w := want.bits[at]; got != w {
					t.Fatalf("%v, %v: element %d is %#x, not %#x", spread, op, e, got, w)
				}
			}
		}
	}
}

// A function of each element gets its row and column, other operands, and elements of other matrices;
// it may branch.
func TestCooperative_FunctionsOfElements(t *testing.T) {
	for i, spread := range spreads {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		s, a, m, c, want := integerShader(r, spread[0], spread[1], [3]uint32{32, 48, 16})
		s.extra = append(s.extra, spirv.CapabilityCooperativeMatrixPerElementOperationsEXT)
		s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
			word := b.component(spirv.Signed32)
			number := func(k uint32) uint32 { return b.declare(spirv.OpConstant, word, k) }
			f := b.function(word, []uint32{b.word, b.word, word, word, word},
				func(f *builder, x []uint32) uint32 {
					some := b.op(spirv.OpULessThan, b.declare(spirv.OpTypeBool), x[0], b.constant(5))
					then, merge := b.id(), b.id()
					f.add(spirv.OpSelectionMerge, merge, 0)
					f.add(spirv.OpBranchConditional, some, then, merge)
					f.add(spirv.OpLabel, then)
					f.add(spirv.OpReturnValue, x[4])
					f.add(spirv.OpLabel, merge)
					place := b.op(spirv.OpIMul, word, x[0], number(1000))
					place = b.op(spirv.OpIAdd, word, place, x[1])
					v := b.op(spirv.OpIAdd, word, b.op(spirv.OpIMul, word, x[2], x[3]), place)
					return v
				})
			return b.op(spirv.OpCooperativeMatrixPerElementOpEXT, b.result, product, f, number(3), acc)
		}
		for e, got := range s.run(t, spread[1], a, m, c) {
			row, column := uint32(e)/s.N%s.M, uint32(e)%s.N
			w := 3*want.bits[e] + 1000*row + column
			if row < 5 {
				w = c.bits[e]
			}
			if got != w {
				t.Fatalf("%v: element %d is %#x, not %#x", spread, e, got, w)
			}
		}
	}
}

// Instructions on matrices that there are not.
func TestCooperative_WrongInstructions(t *testing.T) {
	const (
		reductions = spirv.CapabilityCooperativeMatrixReductionsEXT
		elements   = spirv.CapabilityCooperativeMatrixPerElementOperationsEXT
		conversion = spirv.CapabilityCooperativeMatrixConversionsNV
	)
	add := func(b *matrixBuilder, params ...uint32) uint32 {
		word := b.component(spirv.Signed32)
		return b.function(word, params, func(f *builder, x []uint32) uint32 {
			return b.op(spirv.OpIAdd, word, x[0], x[1])
		})
	}
	type build func(b *matrixBuilder, product, acc, word uint32)
	for name, c := range map[string]struct {
		capability spirv.Capability
		want       string
		body       build
	}{
		"a use without the capability": {reductions, "CooperativeMatrixConversions",
			func(b *matrixBuilder, product, acc, word uint32) {
				b.op(spirv.OpCooperativeMatrixConvertUseEXT, b.matrix(spirv.Signed32, 16, 16, useA), product)
			}},
		"to an accumulator": {conversion, "a conversion to use 2",
			func(b *matrixBuilder, product, acc, word uint32) {
				b.op(spirv.OpCooperativeMatrixConvertUseEXT, b.result, product)
			}},
		"of another scope": {conversion, "a conversion of a matrix of 16×16 of use 2 and scope 2",
			func(b *matrixBuilder, product, acc, word uint32) {
				m := b.op(spirv.OpUndef, b.matrix(spirv.Single, 16, 16, useAccumulator))
				b.scope = scopeSubgroup
				b.op(spirv.OpCooperativeMatrixConvertUseEXT, b.matrix(spirv.Single, 16, 16, useA), m)
			}},
		"transposed to A": {conversion, "a transposed matrix of use 0",
			func(b *matrixBuilder, product, acc, word uint32) {
				m := b.op(spirv.OpUndef, b.matrix(spirv.Single, 16, 16, useAccumulator))
				b.op(spirv.OpCooperativeMatrixTransposeNV, b.matrix(spirv.Single, 16, 16, useA), m)
			}},
		"a reduction of rows and squares": {reductions, "a reduction of mode 0x5",
			func(b *matrixBuilder, product, acc, word uint32) {
				b.op(spirv.OpCooperativeMatrixReduceEXT, b.result, product, 5, add(b, word, word))
			}},
		"a reduction of rows to more rows": {reductions, "of a matrix of 16×16 of use 2 and scope 2 to one of 32",
			func(b *matrixBuilder, product, acc, word uint32) {
				b.op(spirv.OpCooperativeMatrixReduceEXT, b.matrix(spirv.Signed32, 32, 16, useAccumulator),
					product, 1, add(b, word, word))
			}},
		"a function of one parameter": {reductions, "is not a function with the result int32 and 2",
			func(b *matrixBuilder, product, acc, word uint32) {
				f := b.function(word, []uint32{word}, func(f *builder, x []uint32) uint32 { return x[0] })
				b.op(spirv.OpCooperativeMatrixReduceEXT, b.result, product, 1, f)
			}},
		"no function": {elements, "is not a function",
			func(b *matrixBuilder, product, acc, word uint32) {
				b.op(spirv.OpCooperativeMatrixPerElementOpEXT, b.result, product, product)
			}},
		"a column that is no integer": {elements, "parameter 1",
			func(b *matrixBuilder, product, acc, word uint32) {
				f := b.function(word, []uint32{b.word, b.component(spirv.Half), word},
					func(f *builder, x []uint32) uint32 { return x[2] })
				b.op(spirv.OpCooperativeMatrixPerElementOpEXT, b.result, product, f)
			}},
		"a matrix of another shape": {elements, "matrices of different shapes",
			func(b *matrixBuilder, product, acc, word uint32) {
				f := b.function(word, []uint32{b.word, b.word, word, word},
					func(f *builder, x []uint32) uint32 { return x[2] })
				other := b.op(spirv.OpUndef, b.matrix(spirv.Signed32, 32, 16, useAccumulator))
				b.op(spirv.OpCooperativeMatrixPerElementOpEXT, b.result, product, f, other)
			}},
		"a function that calls itself": {elements, "recursive",
			func(b *matrixBuilder, product, acc, word uint32) {
				id := b.last + 1
				f := b.function(word, []uint32{b.word, b.word, word}, func(f *builder, x []uint32) uint32 {
					m := b.op(spirv.OpUndef, b.result)
					m = b.op(spirv.OpCooperativeMatrixPerElementOpEXT, b.result, m, id)
					return b.op(spirv.OpCompositeExtract, word, m, 0)
				})
				if f != id {
					panic("the function has another <id>")
				}
				b.op(spirv.OpCooperativeMatrixPerElementOpEXT, b.result, product, f)
			}},
		"functions in functions of elements": {elements, "that another instruction calls for each element",
			func(b *matrixBuilder, product, acc, word uint32) {
				inner := b.function(word, []uint32{b.word, b.word, word},
					func(f *builder, x []uint32) uint32 { return x[2] })
				f := b.function(word, []uint32{b.word, b.word, word}, func(f *builder, x []uint32) uint32 {
					m := b.op(spirv.OpUndef, b.result)
					m = b.op(spirv.OpCooperativeMatrixPerElementOpEXT, b.result, m, inner)
					return b.op(spirv.OpCompositeExtract, word, m, 0)
				})
				b.op(spirv.OpCooperativeMatrixPerElementOpEXT, b.result, product, f)
			}},
		"much that subgroups exchange": {reductions, "exchange 33554432 bytes; the limit is",
			func(b *matrixBuilder, product, acc, word uint32) {
				t := b.matrix(spirv.Signed32, 128, 256, useAccumulator)
				m := b.op(spirv.OpUndef, t)
				b.op(spirv.OpCooperativeMatrixReduceEXT, t, m, 1, add(b, word, word))
			}},
	} {
		s, _, _, _, _ := integerShader(rand.New(rand.NewPCG(1, 1)), scopeWorkgroup, 8, [3]uint32{16, 16, 16})
		s.extra = append(s.extra, c.capability)
		if strings.Contains(name, "subgroups") {
			s.scope, s.local = scopeSubgroup, 1024
		}
		s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
			c.body(b, product, acc, b.component(spirv.Signed32))
			return product
		}
		m, err := spirv.Parse(s.module())
		if err == nil {
			_, err = lower.Compile(m, "main", lower.Options{SubgroupSize: 8})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// All of it is machine code, in workgroups whose subgroups vectors hold.
func TestCooperative_AllIsMachineCode(t *testing.T) {
	word := func(b *matrixBuilder) uint32 { return b.component(spirv.Signed32) }
	add := func(b *matrixBuilder, more ...uint32) uint32 {
		return b.function(word(b), append(more, word(b), word(b)), func(f *builder, x []uint32) uint32 {
			return b.op(spirv.OpIAdd, word(b), x[len(x)-2], x[len(x)-1])
		})
	}
	for name, body := range map[string]func(b *matrixBuilder, product, c uint32) uint32{
		"products": nil,
		"reductions": func(b *matrixBuilder, product, c uint32) uint32 {
			return b.op(spirv.OpCooperativeMatrixReduceEXT, b.result, product, 3, add(b))
		},
		"functions": func(b *matrixBuilder, product, c uint32) uint32 {
			return b.op(spirv.OpCooperativeMatrixPerElementOpEXT, b.result, product,
				add(b, b.word, b.word), c)
		},
		"layouts": func(b *matrixBuilder, product, c uint32) uint32 {
			x := randomTensor(rand.New(rand.NewPCG(4, 4)), 400, 16, 16, true)
			l, view := x.layout(b)
			return b.op(spirv.OpCooperativeMatrixLoadTensorNV, b.result, append([]uint32{b.summand, product,
				l, 0}, view...)...)
		},
	} {
		for _, scope := range []uint32{scopeWorkgroup, scopeSubgroup} {
			s, _, _, _, _ := integerShader(rand.New(rand.NewPCG(1, 1)), scope, 4, [3]uint32{16, 32, 48})
			s.body = body
			s.extra = append([]spirv.Capability{spirv.CapabilityCooperativeMatrixReductionsEXT,
				spirv.CapabilityCooperativeMatrixPerElementOperationsEXT}, tensorCapabilities...)
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
				t.Errorf("%s of scope %d: %+v", name, scope, left)
			}
		}
	}
}

// The instructions of SPV_NV_cooperative_matrix, whose types say no use but signs.
func TestCooperative_OlderInstructions(t *testing.T) {
	for i, p := range spirv.CooperativeProducts {
		if p.Saturating {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(i), 31))
		size := uint32(4) << (i % 4)
		count := 64 / size
		s := &matrixShader{CooperativeProduct: p, older: true}
		for k := range s.columns {
			s.columns[k] = r.IntN(2) == 1
		}
		if p.Result == spirv.Single {
			s.body = func(b *matrixBuilder, product, acc uint32) uint32 { // times one, if the length is right
				length := b.op(spirv.OpCooperativeMatrixLengthNV, b.word, b.result)
				one := b.op(spirv.OpUDiv, b.word, length, b.constant(p.M*p.N/size))
				one = b.op(spirv.OpConvertUToF, b.component(spirv.Single), one)
				return b.op(spirv.OpMatrixTimesScalar, b.result, product, one)
			}
		}
		a, m := randomElements(r, p.A, count, p.M, p.K), randomElements(r, p.B, count, p.K, p.N)
		c := randomElements(r, p.C, count, p.M, p.N)
		want := wantProduct(&p, a, m, c, count)
		for e, got := range s.run(t, size, a, m, c) {
			if got != want.bits[e] {
				t.Errorf("product %d %+v, size %d: element %d is %#x, not %#x", i, p, size, e, got,
					want.bits[e])
				break
			}
		}
	}
}

// Types that say a use which there is not are none of the older ones, which may have any.
func TestCooperative_UseThree(t *testing.T) {
	s, _, _, _, _ := integerShader(rand.New(rand.NewPCG(1, 1)), scopeSubgroup, 4, [3]uint32{16, 16, 16})
	s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
		b.op(spirv.OpUndef, b.matrix(spirv.Signed32, 16, 16, 3))
		return product
	}
	m, err := spirv.Parse(s.module())
	if err == nil {
		_, err = lower.Compile(m, "main", lower.Options{})
	}
	if err == nil || !strings.Contains(err.Error(), "no product has a matrix") {
		t.Error(err)
	}
}
