package programs

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// whole are conversions of integers to others: cut, or extended by zeros or the sign.
func whole(from kind) (list []operation) {
	for _, to := range []kind{i8, i16, i32, i64} {
		if from == to {
			continue
		}
		list = append(list,
			plain(spirv.OpUConvert, fmt.Sprint(from, " to unsigned ", to), to, of(from), func(a []uint64) (uint64, bool) { return a[0] & to.mask(), true }),
			plain(spirv.OpSConvert, fmt.Sprint(from, " to signed ", to), to, of(from), func(a []uint64) (uint64, bool) { return uint64(signed(from, a[0])) & to.mask(), true }))
	}
	return list
}

// toFloat are conversions of integers, rounded once.
func toFloat(from kind) (list []operation) {
	for _, to := range []kind{f16, f32, f64} {
		if to == f16 && from.bits() >= 32 {
			continue // by way of binary32: SPIR-V leaves which of the neighbours it is
		}
		list = append(list,
			plain(spirv.OpConvertUToF, fmt.Sprint(from, " unsigned to ", to), to, of(from), func(a []uint64) (uint64, bool) {
				return to.nearest(real(0).SetInt(new(big.Int).SetUint64(a[0])), 0), true
			}),
			plain(spirv.OpConvertSToF, fmt.Sprint(from, " signed to ", to), to, of(from), func(a []uint64) (uint64, bool) {
				return to.nearest(real(0).SetInt(big.NewInt(signed(from, a[0]))), 0), true
			}))
	}
	return list
}

// toInteger are conversions of floats: toward zero. Numbers that do not fit become the nearest one that does, and NaN 0, as
// internal/ir says; SPIR-V leaves that open, and so of 8 and 16 bits it is any.
func toInteger(from kind) (list []operation) {
	limits := func(to kind, signed bool) (least, largest *big.Int) {
		n := uint(to.bits())
		one := big.NewInt(1)
		if signed {
			half := new(big.Int).Lsh(one, n-1)
			return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
		}
		return big.NewInt(0), new(big.Int).Sub(new(big.Int).Lsh(one, n), one)
	}
	for _, to := range []kind{i8, i16, i32, i64} {
		for _, op := range []spirv.Op{spirv.OpConvertFToU, spirv.OpConvertFToS} {
			least, largest := limits(to, op == spirv.OpConvertFToS)
			list = append(list, plain(op, fmt.Sprint(from, " ", op, " ", to), to, of(from), func(a []uint64) (uint64, bool) {
				x := from.number(a[0])
				if x != x {
					return 0, to.bits() >= 32
				}
				n, _ := new(big.Float).SetFloat64(x).Int(nil)
				switch inside := to.bits() >= 32; {
				case !finite(x) && x > 0, n != nil && n.Cmp(largest) > 0:
					return low(largest, to), inside
				case n == nil, n.Cmp(least) < 0:
					return low(least, to), inside
				}
				return low(n, to), true
			}))
		}
	}
	return list
}

// low is the bits of an integer in two's complement.
func low(x *big.Int, k kind) uint64 {
	return new(big.Int).And(x, new(big.Int).SetUint64(k.mask())).Uint64()
}

// between are conversions of floats to other widths, rounded.
func between(from kind, widths []kind, rounded func(to kind, x float64) uint64) (list []operation) {
	for _, to := range widths {
		if from == to {
			continue
		}
		o := plain(spirv.OpFConvert, fmt.Sprint(from, " to ", to), to, of(from), func(a []uint64) (uint64, bool) {
			x := from.number(a[0])
			if !finite(x) {
				return to.code(x), true
			}
			return rounded(to, x), true
		})
		o.same = anyNaN(to)
		list = append(list, o)
	}
	return list
}

// packed are functions that hold two halves in a word, and quantizing to one.
func packed() (list []operation) {
	half := func(a uint64) uint64 {
		x := f32.number(a)
		if !finite(x) {
			return f16.code(x)
		}
		return f16.nearest(real(x), x)
	}
	list = append(list, operation{name: "packHalf2x16", args: of(f32, f32), result: i32,
		emit: func(m *module, a []id) id {
			return m.ext(spirv.GLSLPackHalf2x16, i32, m.value(spirv.OpCompositeConstruct, m.vector(f32, 2), a...))
		},
		want: func(a []uint64) (uint64, bool) { return half(a[0]) | half(a[1])<<16, true }})
	return list
}

func quantized() []operation {
	o := plain(spirv.OpQuantizeToF16, "quantized", f32, of(f32), func(a []uint64) (uint64, bool) {
		x := f32.number(a[0])
		if !finite(x) {
			return f32.code(x), true
		}
		if v := f16.number(f16.nearest(real(x), x)); math.Abs(v) >= 0x1p-14 {
			return f32.code(v), true
		}
		return f32.code(math.Copysign(0, x)), true // SPIR-V has no denormals there
	})
	o.same = anyNaN(f32)
	return []operation{o}
}

func unpacked() (list []operation) {
	for part := range 2 {
		o := operation{name: fmt.Sprint("half ", part), args: []operand{{i32, nil}}, result: f32,
			emit: func(m *module, a []id) id {
				return m.of(spirv.OpCompositeExtract, f32, m.value(spirv.OpExtInst, m.vector(f32, 2), m.glsl, uint32(spirv.GLSLUnpackHalf2x16), a[0]), uint32(part))
			},
			want: func(a []uint64) (uint64, bool) { return f32.code(f16.number(a[0] >> (16 * part) & 0xFFFF)), true },
			same: anyNaN(f32)}
		for _, x := range floats(f16) {
			o.args[0].values = append(o.args[0].values, x|(x^0x8000)<<16)
		}
		list = append(list, o)
	}
	return list
}

// Conversions between all widths of integers and floats.
func TestConversions(t *testing.T) {
	rules.Covers(t, "RAS-001", "RAS-005")
	for _, k := range []kind{i8, i16, i32, i64} {
		check(t, append(whole(k), toFloat(k)...))
	}
	for _, k := range []kind{f16, f32, f64} {
		check(t, append(toInteger(k), between(k, []kind{f16, f32, f64}, func(to kind, x float64) uint64 { return to.nearest(real(x), x) })...))
	}
	check(t, packed())
	check(t, quantized())
	check(t, unpacked())
}
