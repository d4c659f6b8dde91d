package lower_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// What is wrong with matrices is refused, and the error says what: by the validator, or where
// constants are known.
func TestCooperative_WrongModules(t *testing.T) {
	float, bytes := products16[0], products16[2]
	class := func(c spirv.StorageClass) uint32 { return uint32(c) }
	for name, c := range map[string]struct {
		p    spirv.CooperativeProduct
		want string
		body func(b *matrixBuilder, product, c uint32)
	}{
		"a sum of matrices of two uses": {float, "not the type of the result", func(b *matrixBuilder,
			product, _ uint32) {
			b.op(spirv.OpFAdd, b.result, product, b.op(spirv.OpUndef, b.matrix(spirv.Single, 16, 16, useA)))
		}},
		"integers of floats": {float, "the result cooperative matrix of float32", func(b *matrixBuilder,
			product, c uint32) {
			b.op(spirv.OpIAdd, b.result, product, c)
		}},
		"a remainder": {float, "not for cooperative matrices", func(b *matrixBuilder, product, c uint32) {
			b.op(spirv.OpFMod, b.result, product, c)
		}},
		"a comparison": {float, "result", func(b *matrixBuilder, product, c uint32) {
			b.op(spirv.OpFOrdLessThan, b.declare(spirv.OpTypeBool), product, c)
		}},
		"a shuffle of elements": {float, "not for cooperative matrices", func(b *matrixBuilder, product,
			c uint32) {
			b.op(spirv.OpVectorShuffle, b.declare(spirv.OpTypeVector, b.component(spirv.Single), 2),
				product, c, 0, 1)
		}},
		"a dot product": {float, "not for cooperative matrices", func(b *matrixBuilder, product,
			c uint32) {
			b.op(spirv.OpDot, b.component(spirv.Single), product, c)
		}},
		"a subgroup's sum": {float, "not for cooperative matrices", func(b *matrixBuilder, product,
			c uint32) {
			b.extra = append(b.extra, spirv.CapabilityGroupNonUniformArithmetic)
			b.op(spirv.OpGroupNonUniformFAdd, b.result, b.constant(3), 0, product)
		}},
		"in workgroup memory": {float, "matrix or vector in storage class Workgroup",
			func(b *matrixBuilder, product, c uint32) {
				b.declare(spirv.OpTypePointer, class(spirv.StorageClassWorkgroup), b.declare(spirv.OpTypeArray,
					b.result, b.constant(2)))
			}},
		"in a buffer": {float, "matrix or vector in storage class StorageBuffer",
			func(b *matrixBuilder, product, c uint32) {
				b.declare(spirv.OpTypePointer, class(spirv.StorageClassStorageBuffer),
					b.declare(spirv.OpTypeStruct, b.result))
			}},
		"factors in the wrong order": {float, "has use 1, not 0", func(b *matrixBuilder, product,
			c uint32) {
			b.op(spirv.OpCooperativeMatrixMulAddKHR, b.result, b.factors[1], b.factors[0], c, 0)
		}},
		"an accumulator of another type": {float, "no product of", func(b *matrixBuilder, product,
			c uint32) {
			half := b.op(spirv.OpFConvert, b.matrix(spirv.Half, 16, 16, useAccumulator), c)
			b.op(spirv.OpCooperativeMatrixMulAddKHR, b.result, b.factors[0], b.factors[1], half, 0)
		}},
		"rows that do not fit": {float, "gives no", func(b *matrixBuilder, product, c uint32) {
			a := b.op(spirv.OpUndef, b.matrix(spirv.Half, 8, 16, useA))
			b.op(spirv.OpCooperativeMatrixMulAddKHR, b.result, a, b.factors[1], c, 0)
		}},
		"a sum of floats that saturates": {float, "no product of", func(b *matrixBuilder, product,
			c uint32) {
			b.op(spirv.OpCooperativeMatrixMulAddKHR, b.result, b.factors[0], b.factors[1], c,
				spirv.CooperativeSaturating)
		}},
		"operands that there are not": {bytes, "no product of", func(b *matrixBuilder, product,
			c uint32) {
			b.op(spirv.OpCooperativeMatrixMulAddKHR, b.result, b.factors[0], b.factors[1], c, 13|1<<5)
		}},
		"a result without the sign of C": {bytes, "no product of", func(b *matrixBuilder, product,
			c uint32) {
			b.op(spirv.OpCooperativeMatrixMulAddKHR, b.result, b.factors[0], b.factors[1], c,
				spirv.CooperativeSignedA|spirv.CooperativeSignedC)
		}},
		"a load from a variable": {float, "in storage class Function", func(b *matrixBuilder, product,
			c uint32) {
			v := b.variable(b.component(spirv.Single))
			b.op(spirv.OpCooperativeMatrixLoadKHR, b.result, v, b.constant(0), b.constant(16))
		}},
		"two parts": {float, "2 constituents", func(b *matrixBuilder, product, c uint32) {
			x := b.op(spirv.OpCompositeExtract, b.component(spirv.Single), product, 0)
			b.op(spirv.OpCompositeConstruct, b.result, x, x)
		}},
		"a part of another type": {float, "constituent 0", func(b *matrixBuilder, product, c uint32) {
			b.op(spirv.OpCompositeConstruct, b.result, b.constant(1))
		}},
		"an element that no invocation has": {float, "index 64 is outside", func(b *matrixBuilder,
			product, c uint32) {
			b.op(spirv.OpCompositeExtract, b.component(spirv.Single), product, 64)
		}},
		"bits of floats": {float, "no integers of its width", func(b *matrixBuilder, product, c uint32) {
			b.op(spirv.OpBitcast, b.matrix(spirv.Signed32, 16, 16, useAccumulator), product)
		}},
		"bits of another width": {bytes, "no integers of its width", func(b *matrixBuilder, product,
			c uint32) {
			b.op(spirv.OpBitcast, b.matrix(spirv.Signed8, 16, 16, useA), product)
		}},
		"a conversion to another use": {float,
			"a conversion of a matrix of 16×16 of use 2 and scope 3 to one", func(b *matrixBuilder,
				product, c uint32) {
				b.op(spirv.OpFConvert, b.matrix(spirv.Half, 16, 16, useA), product)
			}},
		"a scalar of another type": {float, "of its elements'", func(b *matrixBuilder, product,
			c uint32) {
			b.op(spirv.OpMatrixTimesScalar, b.result, product, b.constant(1))
		}},
		"the length of a word": {float, "the length of what is no cooperative matrix",
			func(b *matrixBuilder, product, c uint32) {
				b.op(spirv.OpCooperativeMatrixLengthKHR, b.word, b.word)
			}},
		"rows of a number that is no constant": {float, "not a constant of 32 bits",
			func(b *matrixBuilder, product, c uint32) {
				b.declare(spirv.OpTypeCooperativeMatrixKHR, b.component(spirv.Single), b.constant(3), b.word,
					b.constant(16), b.constant(2))
			}},
		"twelve columns": {float, "no product has a matrix of 16 rows and 12 columns",
			func(b *matrixBuilder, product, c uint32) {
				b.matrix(spirv.Single, 16, 12, useAccumulator)
			}},
		"rows beyond all bounds": {float, "no product has a matrix of 4294967295 rows",
			func(b *matrixBuilder, product, c uint32) {
				b.matrix(spirv.Single, 1<<32-1, 1<<31, useAccumulator)
			}},
		"8-bit floats": {float, "without the capability Float8CooperativeMatrixEXT",
			func(b *matrixBuilder, product, c uint32) {
				b.extra = append(b.extra, spirv.CapabilityFloat8EXT)
				b.matrix(spirv.Small4, 16, 16, useA)
			}},
		"of booleans": {float, "a cooperative matrix of bool", func(b *matrixBuilder, product, c uint32) {
			b.declare(spirv.OpTypeCooperativeMatrixKHR, b.declare(spirv.OpTypeBool), b.constant(3),
				b.constant(16), b.constant(16), b.constant(2))
		}},
	} {
		s := &matrixShader{CooperativeProduct: c.p}
		s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
			c.body(b, product, acc)
			return product
		}
		code := s.module()
		m, err := spirv.Parse(code)
		if err == nil {
			_, err = lower.Compile(m, "main", lower.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Loads and stores say their layout, which is one of two constants, and a stride.
func TestCooperative_WrongAccesses(t *testing.T) {
	s := &matrixShader{CooperativeProduct: products16[0]}
	code := s.module()
	for i := 5; i < len(code); i += int(code[i] >> 16) {
		op, n := spirv.Op(code[i]), int(code[i]>>16)
		layout := i + 4
		if op == spirv.OpCooperativeMatrixStoreKHR {
			layout = i + 3
		} else if op != spirv.OpCooperativeMatrixLoadKHR {
			continue
		}
		without := slices.Concat(code[:i], []uint32{uint32(n-1)<<16 | uint32(op)}, code[i+1:i+n-1],
			code[i+n:])
		if _, err := spirv.Parse(without); err == nil || !strings.Contains(err.Error(),
			"without a stride") {
			t.Errorf("%v without a stride: %v", op, err)
		}
		other := slices.Clone(code)
		other[layout] = other[layout+1] // the constant 16
		m, err := spirv.Parse(other)
		if err == nil {
			_, err = lower.Compile(m, "main", lower.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), "layout 16") {
			t.Errorf("%v with layout 16: %v", op, err)
		}
	}
	// Without what the instructions need.
	for _, c := range []spirv.Capability{
		spirv.CapabilityCooperativeMatrixKHR, spirv.CapabilityVulkanMemoryModel,
	} {
		other := slices.Clone(code)
		for i := 5; spirv.Op(other[i]) == spirv.OpCapability; i += 2 {
			if other[i+1] == uint32(c) ||
				other[i+1] == uint32(spirv.CapabilityBFloat16CooperativeMatrixKHR) { // which needs the other
				other[i+1] = uint32(spirv.CapabilityInt64)
			}
		}
		if _, err := spirv.Parse(other); err == nil || !strings.Contains(err.Error(), c.String()) {
			t.Errorf("without %v: %v", c, err)
		}
	}
}
