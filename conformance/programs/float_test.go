package programs

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// exactly is a result of finite operands that is rounded once, from what f computes; special is what IEEE 754 has for others,
// and for zeros.
func (k kind) exactly(special float64, operands []float64, f func() *big.Float, rounds func(x *big.Float, zero float64) uint64) uint64 {
	if !finite(operands...) || special != special {
		return k.code(special)
	}
	return rounds(f(), special)
}

// arithmetic are operations on floats with one rounding.
func arithmetic(k kind, rounds func(x *big.Float, zero float64) uint64) (list []operation) {
	args := of(k, k)
	each := func(op spirv.Op, want func(x, y float64) uint64) {
		list = append(list, plain(op, fmt.Sprint(k, " operation ", op), k, args, func(a []uint64) (uint64, bool) {
			return want(k.number(a[0]), k.number(a[1])), true
		}))
	}
	exactly := func(special float64, operands []float64, f func() *big.Float) uint64 {
		return k.exactly(special, operands, f, rounds)
	}
	each(spirv.OpFAdd, func(x, y float64) uint64 {
		return exactly(x+y, []float64{x, y}, func() *big.Float { return real(0).Add(real(x), real(y)) })
	})
	each(spirv.OpFSub, func(x, y float64) uint64 {
		return exactly(x-y, []float64{x, y}, func() *big.Float { return real(0).Sub(real(x), real(y)) })
	})
	each(spirv.OpFMul, func(x, y float64) uint64 {
		return exactly(x*y, []float64{x, y}, func() *big.Float { return real(0).Mul(real(x), real(y)) })
	})
	each(spirv.OpFDiv, func(x, y float64) uint64 {
		if y == 0 {
			return k.code(x / y)
		}
		return exactly(x/y, []float64{x, y}, func() *big.Float { return few(0).Quo(few(x), few(y)) })
	})
	// The remainder is exact, and has the sign of the dividend.
	each(spirv.OpFRem, func(x, y float64) uint64 {
		if !finite(x) || y == 0 || y != y {
			return k.canonical()
		}
		if !finite(y) {
			return k.code(x)
		}
		q, _ := real(0).Quo(real(x), real(y)).Int(nil)
		return k.nearest(real(0).Sub(real(x), real(0).Mul(real(y), new(big.Float).SetInt(q))), x)
	})
	list[len(list)-1].same = anyNaN(k)
	return list
}

// extremes are minima and maxima: the number where one operand is none, and −0 below +0.
func extremes(k kind) (list []operation) {
	args := of(k, k)
	for _, op := range []spirv.GLSLOp{spirv.GLSLFMin, spirv.GLSLFMax, spirv.GLSLNMin, spirv.GLSLNMax} {
		largest := op == spirv.GLSLFMax || op == spirv.GLSLNMax
		o := extended(op, fmt.Sprint(k, " function ", op), k, args, func(a []uint64) (uint64, bool) {
			x, y := k.number(a[0]), k.number(a[1])
			before := x < y || x == y && math.Signbit(x) // in the order of numbers
			if y != y || x == x && before != largest {
				return a[0], true
			}
			return a[1], true
		})
		o.same = anyNaN(k)
		list = append(list, o)
	}
	return list
}

// comparisons are ordered, false for NaN, or unordered, true for it.
func comparisons(k kind) (list []operation) {
	args := of(k, k)
	for _, c := range []struct {
		ordered, unordered spirv.Op
		holds              func(x, y float64) bool
	}{
		{spirv.OpFOrdEqual, spirv.OpFUnordEqual, func(x, y float64) bool { return x == y }},
		{spirv.OpFOrdNotEqual, spirv.OpFUnordNotEqual, func(x, y float64) bool { return x < y || x > y }},
		{spirv.OpFOrdLessThan, spirv.OpFUnordLessThan, func(x, y float64) bool { return x < y }},
		{spirv.OpFOrdGreaterThan, spirv.OpFUnordGreaterThan, func(x, y float64) bool { return x > y }},
		{spirv.OpFOrdLessThanEqual, spirv.OpFUnordLessThanEqual, func(x, y float64) bool { return x <= y }},
		{spirv.OpFOrdGreaterThanEqual, spirv.OpFUnordGreaterThanEqual, func(x, y float64) bool { return x >= y }},
	} {
		list = append(list,
			plain(c.ordered, fmt.Sprint(k, " comparison ", c.ordered), boolean, args, func(a []uint64) (uint64, bool) {
				return truth(c.holds(k.number(a[0]), k.number(a[1]))), true
			}),
			plain(c.unordered, fmt.Sprint(k, " comparison ", c.unordered), boolean, args, func(a []uint64) (uint64, bool) {
				x, y := k.number(a[0]), k.number(a[1])
				return truth(x != x || y != y || c.holds(x, y)), true
			}))
	}
	return list
}

// rounded gives a whole number, or a part of one, of the same kind.
func rounded(k kind) (list []operation) {
	args := of(k)
	each := func(op spirv.GLSLOp, want func(x float64) float64) {
		o := extended(op, fmt.Sprint(k, " function ", op), k, args, func(a []uint64) (uint64, bool) { return k.code(want(k.number(a[0]))), true })
		o.same = anyNaN(k)
		list = append(list, o)
	}
	// A whole number next to x, by the integer below: the sign of zero is that of x.
	whole := func(x float64, up func(below *big.Int, rest int) bool) float64 {
		if !finite(x) || x == 0 {
			return x
		}
		n, _ := real(x).Int(nil) // toward zero
		below := new(big.Int).Set(n)
		if x < 0 && real(x).Cmp(real(0).SetInt(n)) != 0 {
			below.Sub(below, big.NewInt(1))
		}
		rest := real(0).Sub(real(x), real(0).SetInt(below))
		if rest.Sign() > 0 && up(below, rest.Cmp(big.NewFloat(.5))) {
			below.Add(below, big.NewInt(1))
		}
		v, _ := real(0).SetInt(below).Float64()
		return math.Copysign(v, x)
	}
	each(spirv.GLSLFloor, func(x float64) float64 { return whole(x, func(*big.Int, int) bool { return false }) })
	each(spirv.GLSLCeil, func(x float64) float64 { return whole(x, func(*big.Int, int) bool { return true }) })
	each(spirv.GLSLTrunc, func(x float64) float64 { return whole(x, func(*big.Int, int) bool { return x < 0 }) })
	each(spirv.GLSLRoundEven, func(x float64) float64 {
		return whole(x, func(below *big.Int, rest int) bool { return rest > 0 || rest == 0 && below.Bit(0) == 1 })
	})
	each(spirv.GLSLFAbs, math.Abs)
	each(spirv.GLSLFSign, func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0 // and of NaN
	})
	o := plain(spirv.OpFNegate, fmt.Sprint(k, " negation"), k, args, func(a []uint64) (uint64, bool) { return a[0] ^ 1<<(k.bits()-1), true })
	o.same = anyNaN(k)
	list = append(list, o)
	list = append(list, extended(spirv.GLSLSqrt, fmt.Sprint(k, " square root"), k, args, func(a []uint64) (uint64, bool) {
		x := k.number(a[0])
		if x <= 0 || !finite(x) {
			return k.code(math.Sqrt(x)), true
		}
		return k.nearest(few(0).Sqrt(few(x)), x), true
	}))
	list = append(list,
		plain(spirv.OpIsNan, fmt.Sprint(k, " is NaN"), boolean, args, func(a []uint64) (uint64, bool) { return truth(k.number(a[0]) != k.number(a[0])), true }),
		plain(spirv.OpIsInf, fmt.Sprint(k, " is infinite"), boolean, args, func(a []uint64) (uint64, bool) { return truth(math.IsInf(k.number(a[0]), 0)), true }))
	return list
}

// exponents take numbers apart and put them together.
func exponents(k kind) (list []operation) {
	part := func(n int, name string, result kind, want func(x float64) (uint64, bool)) {
		o := operation{name: fmt.Sprint(k, name), args: of(k), result: result, want: func(a []uint64) (uint64, bool) { return want(k.number(a[0])) },
			emit: func(m *module, a []id) id {
				pair := m.value(spirv.OpExtInst, m.global(spirv.OpTypeStruct, 0, m.typ(k), m.typ(i32)), m.glsl, uint32(spirv.GLSLFrexpStruct), a[0])
				return m.of(spirv.OpCompositeExtract, result, pair, uint32(n))
			}}
		if result == k {
			o.same = anyNaN(k)
		}
		list = append(list, o)
	}
	part(0, " significand", k, func(x float64) (uint64, bool) {
		if !finite(x) || x == 0 {
			return k.code(x), true
		}
		v, _ := new(big.Float).SetMode(big.ToZero).SetMantExp(new(big.Float), 0).SetFloat64(x).Float64()
		e := new(big.Float).SetFloat64(v).MantExp(nil)
		v, _ = new(big.Float).SetMantExp(new(big.Float).SetFloat64(v), -e).Float64()
		return k.code(v), true
	})
	part(1, " exponent", i32, func(x float64) (uint64, bool) {
		if !finite(x) || x == 0 {
			return 0, finite(x) // open for others
		}
		return uint64(uint32(new(big.Float).SetFloat64(x).MantExp(nil))), true
	})
	return list
}

// scaled numbers are rounded once, whatever width the exponent has; it is signed, though its type here says that it is not.
func scaled(k kind) (list []operation) {
	for _, e := range []kind{i8, i16, i32, i64} {
		far := operand{e, nil}
		for _, n := range []int64{0, 1, -1, 5, -5, 10, -10, 14, -24, 25, -30, 60, 100, -100, 127, 128, -126, -149, -150, -151, 254, 255, -300, 277, 1023, 1024, -1074, -1075, 2046, -2100, 4096, -4097,
			math.MaxInt32, math.MinInt32, 1 << 32, -1 << 32, 1<<32 + 1, math.MaxInt64, math.MinInt64} {
			if n<<(64-e.bits())>>(64-e.bits()) == n {
				far.values = append(far.values, uint64(n)&e.mask())
			}
		}
		o := extended(spirv.GLSLLdexp, fmt.Sprint(k, " scaled by ", e), k, []operand{of(k)[0], far}, func(a []uint64) (uint64, bool) {
			x, n := k.number(a[0]), int64(a[1]<<(64-e.bits()))>>(64-e.bits())
			if !finite(x) || x == 0 {
				return k.code(x), true
			}
			return k.nearest(new(big.Float).SetMantExp(new(big.Float).SetFloat64(x), int(min(max(n, -5000), 5000))), x), true
		})
		o.same = anyNaN(k)
		list = append(list, o)
	}
	return list
}

// fused is a product and a sum with one rounding.
func fused(k kind, rounds func(x *big.Float, zero float64) uint64) []operation {
	args := of(k, k, k)
	return []operation{
		extended(spirv.GLSLFma, fmt.Sprint(k, " fused"), k, args, func(a []uint64) (uint64, bool) {
			x, y, z := k.number(a[0]), k.number(a[1]), k.number(a[2])
			return k.exactly(math.FMA(x, y, z), []float64{x, y, z}, func() *big.Float { return real(0).Add(real(0).Mul(real(x), real(y)), real(z)) }, rounds), true
		}),
		// A product and a sum of its own, which nothing may make one of: two roundings.
		{name: fmt.Sprint(k, " product and sum"), args: args, result: k,
			emit: func(m *module, a []id) id { return m.of(spirv.OpFAdd, k, m.of(spirv.OpFMul, k, a[0], a[1]), a[2]) },
			want: func(a []uint64) (uint64, bool) { return k.twice(a, 1, rounds) }},
		{name: fmt.Sprint(k, " product and difference"), args: args, result: k,
			emit: func(m *module, a []id) id { return m.of(spirv.OpFSub, k, m.of(spirv.OpFMul, k, a[0], a[1]), a[2]) },
			want: func(a []uint64) (uint64, bool) {
				return k.twice([]uint64{a[0], a[1], a[2] ^ 1<<(k.bits()-1)}, 1, rounds)
			}},
		{name: fmt.Sprint(k, " difference from a product"), args: args, result: k,
			emit: func(m *module, a []id) id { return m.of(spirv.OpFSub, k, a[2], m.of(spirv.OpFMul, k, a[0], a[1])) },
			want: func(a []uint64) (uint64, bool) { return k.twice(a, -1, rounds) }},
	}
}

// twice is a product and a sum of two roundings: sign·x·y + z.
func (k kind) twice(a []uint64, sign float64, rounds func(x *big.Float, zero float64) uint64) (uint64, bool) {
	x, y, z := k.number(a[0]), k.number(a[1]), k.number(a[2])
	p := k.number(k.exactly(x*y, []float64{x, y}, func() *big.Float { return real(0).Mul(real(x), real(y)) }, rounds))
	p *= sign
	return k.exactly(p+z, []float64{p, z}, func() *big.Float { return real(0).Add(real(p), real(z)) }, rounds), true
}

// Floats of all widths: one rounding to nearest even, denormals, infinities, zeros of both signs, and NaN.
func TestFloats(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for _, k := range []kind{f16, f32, f64} {
		check(t, arithmetic(k, k.nearest))
		check(t, extremes(k))
		check(t, comparisons(k))
		check(t, rounded(k))
	}
}

// Numbers taken apart, scaled, and multiplied and added.
func TestFloats_ScaledAndFused(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for _, k := range []kind{f16, f32, f64} {
		check(t, exponents(k))
		for _, o := range scaled(k) { // of other operands each
			check(t, []operation{o})
		}
	}
	for _, k := range []kind{f32, f64} {
		check(t, fused(k, k.nearest))
	}
}

// RoundingModeRTZ cuts results toward zero.
func TestFloats_TowardZero(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for _, k := range []kind{f32, f64} {
		check(t, arithmetic(k, k.cut)[:4], spirv.ExecutionModeRoundingModeRTZ)
		check(t, fused(k, k.cut)[:1], spirv.ExecutionModeRoundingModeRTZ)
		check(t, []operation{extended(spirv.GLSLSqrt, fmt.Sprint(k, " square root"), k, of(k), func(a []uint64) (uint64, bool) {
			x := k.number(a[0])
			if x <= 0 || !finite(x) {
				return k.code(math.Sqrt(x)), true
			}
			return k.cut(few(0).Sqrt(few(x)), x), true
		})}, spirv.ExecutionModeRoundingModeRTZ)
	}
	for _, from := range []kind{i8, i16, i32, i64} {
		var list []operation
		for _, to := range []kind{f32, f64} {
			list = append(list,
				plain(spirv.OpConvertUToF, fmt.Sprint(from, " unsigned to ", to), to, of(from), func(a []uint64) (uint64, bool) {
					return to.cut(real(0).SetInt(new(big.Int).SetUint64(a[0])), 0), true
				}),
				plain(spirv.OpConvertSToF, fmt.Sprint(from, " signed to ", to), to, of(from), func(a []uint64) (uint64, bool) {
					return to.cut(real(0).SetInt(big.NewInt(signed(from, a[0]))), 0), true
				}))
		}
		check(t, list, spirv.ExecutionModeRoundingModeRTZ)
	}
	for _, from := range []kind{f32, f64} {
		list := between(from, []kind{f16, f32}, func(to kind, x float64) uint64 { return to.cut(real(x), x) })
		check(t, list, spirv.ExecutionModeRoundingModeRTZ)
	}
}

// DenormFlushToZero makes zeros of denormal results, which keep their sign. Operands that are denormal stay what they are.
func TestFloats_Flushed(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for _, k := range []kind{f16, f32, f64} {
		flush := func(bits uint64) uint64 {
			if v := k.number(bits); math.Abs(v) < math.Ldexp(1, k.form().least) {
				return k.code(math.Copysign(0, v))
			}
			return bits
		}
		list := arithmetic(k, k.nearest)[:4]
		for i := range list {
			want := list[i].want
			list[i].want = func(a []uint64) (uint64, bool) {
				v, ok := want(a)
				return flush(v), ok
			}
			if k == f16 { // whether a number that rounding makes the least normal one was denormal before is open
				least := k.code(math.Ldexp(1, k.form().least))
				list[i].same = func(got, want uint64) bool { return want&^0x8000 == least && got == want&0x8000 }
			}
		}
		check(t, list, spirv.ExecutionModeDenormFlushToZero)
	}
}

// Arithmetic on constants that are NaN, or come from a table with one among its numbers, gives the one NaN that there is, whatever
// it is added to.
func TestFloats_ConstantNaN(t *testing.T) {
	rules.Covers(t, "RAS-001")
	table := []uint64{0x3F800000, 0xFFC00005, 0x40000000, 0x7F800001}
	sum := func(name string, emit func(m *module, x id) (a, b id), want func(x uint64) float64) operation {
		return operation{name: name, args: of(i32), result: f32, once: true,
			emit: func(m *module, a []id) id {
				x, y := emit(m, a[0])
				return m.of(spirv.OpFAdd, f32, x, y)
			},
			want: func(a []uint64) (uint64, bool) { return f32.code(float64(float32(want(a[0])))), true }}
	}
	var list []operation
	for _, nan := range table[1:4:4] {
		list = append(list, sum("a number and a constant", func(m *module, x id) (id, id) {
			return m.of(spirv.OpConvertSToF, f32, x), m.constant(f32, nan)
		}, func(x uint64) float64 { return float64(float32(int32(x))) + f32.number(nan) }))
	}
	list = append(list, sum("a number and one of a table", func(m *module, x id) (id, id) {
		if m.known["table"] == 0 {
			typ := m.global(spirv.OpTypeArray, 0, m.typ(f32), m.word(len(table)))
			var numbers []id
			for _, bits := range table {
				numbers = append(numbers, m.constant(f32, bits))
			}
			all := m.global(spirv.OpConstantComposite, typ, numbers...)
			p := m.pointer(spirv.StorageClassFunction, typ)
			m.known["table"] = m.id()
			add(&m.entry, spirv.OpVariable, p, m.known["table"], uint32(spirv.StorageClassFunction), all)
		}
		p := m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassFunction, m.typ(f32)), m.known["table"], m.of(spirv.OpBitwiseAnd, i32, x, m.word(3)))
		return m.of(spirv.OpLoad, f32, p), m.of(spirv.OpConvertUToF, f32, m.of(spirv.OpBitwiseAnd, i32, x, m.word(255)))
	}, func(x uint64) float64 { return f32.number(table[x&3]) + float64(x&255) }))
	check(t, list)
}
