package lower_test

import (
	"math/rand/v2"
	"strings"
	"testing"

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
		"too much of a subgroup":  {scopeSubgroup, 64, 512, 512, "would have 65536 elements; 4096 is"},
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
