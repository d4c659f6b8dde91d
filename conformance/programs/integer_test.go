package programs

import (
	"fmt"
	"math/big"
	"math/bits"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

const ult = spirv.OpULessThan

// signed is what the bits of an integer stand for, where the highest is the sign.
func signed(k kind, x uint64) int64 { return int64(x<<(64-k.bits())) >> (64 - k.bits()) }

func truth(c bool) uint64 {
	if c {
		return 1
	}
	return 0
}

// plain is an operation of SPIR-V with a result of the kind.
func plain(op spirv.Op, name string, result kind, args []operand, want func(a []uint64) (uint64, bool)) operation {
	return operation{name: name, args: args, result: result, want: want, emit: func(m *module, a []id) id { return m.of(op, result, a...) }}
}

// extended is one of GLSL.std.450.
func extended(op spirv.GLSLOp, name string, result kind, args []operand, want func(a []uint64) (uint64, bool)) operation {
	return operation{name: name, args: args, result: result, want: want, emit: func(m *module, a []id) id { return m.ext(op, result, a...) }}
}

// ofTwo are operations on two integers. What SPIR-V leaves open is as internal/ir says: a division by zero gives all ones, its
// remainder the dividend, and shifts take the low bits of how far.
func ofTwo(k kind) (list []operation) {
	args := of(k, k)
	each := func(op spirv.Op, want func(x, y uint64) uint64) {
		list = append(list, plain(op, fmt.Sprint(k, " operation ", op), k, args, func(a []uint64) (uint64, bool) { return want(a[0], a[1]) & k.mask(), true }))
	}
	test := func(op spirv.Op, want func(x, y uint64) bool) {
		list = append(list, plain(op, fmt.Sprint(k, " comparison ", op), boolean, args, func(a []uint64) (uint64, bool) { return truth(want(a[0], a[1])), true }))
	}
	each(spirv.OpIAdd, func(x, y uint64) uint64 { return x + y })
	each(spirv.OpISub, func(x, y uint64) uint64 { return x - y })
	each(spirv.OpIMul, func(x, y uint64) uint64 { return x * y })
	each(spirv.OpBitwiseAnd, func(x, y uint64) uint64 { return x & y })
	each(spirv.OpBitwiseOr, func(x, y uint64) uint64 { return x | y })
	each(spirv.OpBitwiseXor, func(x, y uint64) uint64 { return x ^ y })
	each(spirv.OpUDiv, func(x, y uint64) uint64 {
		if y == 0 {
			return k.mask()
		}
		return x / y
	})
	each(spirv.OpUMod, func(x, y uint64) uint64 {
		if y == 0 {
			return x
		}
		return x % y
	})
	// The smallest number by −1 wraps around; its remainder is 0. Go's big integers do not overflow.
	quotient := func(x, y uint64) (q, r *big.Int) {
		return new(big.Int).QuoRem(big.NewInt(signed(k, x)), big.NewInt(signed(k, y)), new(big.Int))
	}
	low := func(x *big.Int) uint64 { return new(big.Int).And(x, new(big.Int).SetUint64(k.mask())).Uint64() }
	each(spirv.OpSDiv, func(x, y uint64) uint64 {
		if y == 0 {
			return k.mask()
		}
		q, _ := quotient(x, y)
		return low(q)
	})
	each(spirv.OpSRem, func(x, y uint64) uint64 { // the sign of x
		if y == 0 {
			return x
		}
		_, r := quotient(x, y)
		return low(r)
	})
	each(spirv.OpSMod, func(x, y uint64) uint64 { // the sign of y
		if y == 0 {
			return x
		}
		_, r := quotient(x, y)
		if r.Sign() != 0 && r.Sign() < 0 != (signed(k, y) < 0) {
			r.Add(r, big.NewInt(signed(k, y)))
		}
		return low(r)
	})
	test(spirv.OpIEqual, func(x, y uint64) bool { return x == y })
	test(spirv.OpINotEqual, func(x, y uint64) bool { return x != y })
	test(spirv.OpULessThan, func(x, y uint64) bool { return x < y })
	test(spirv.OpULessThanEqual, func(x, y uint64) bool { return x <= y })
	test(spirv.OpUGreaterThan, func(x, y uint64) bool { return x > y })
	test(spirv.OpUGreaterThanEqual, func(x, y uint64) bool { return x >= y })
	test(spirv.OpSLessThan, func(x, y uint64) bool { return signed(k, x) < signed(k, y) })
	test(spirv.OpSLessThanEqual, func(x, y uint64) bool { return signed(k, x) <= signed(k, y) })
	test(spirv.OpSGreaterThan, func(x, y uint64) bool { return signed(k, x) > signed(k, y) })
	test(spirv.OpSGreaterThanEqual, func(x, y uint64) bool { return signed(k, x) >= signed(k, y) })
	pick := func(op spirv.GLSLOp, first func(x, y uint64) bool) {
		list = append(list, extended(op, fmt.Sprint(k, " function ", op), k, args, func(a []uint64) (uint64, bool) {
			if first(a[0], a[1]) {
				return a[0], true
			}
			return a[1], true
		}))
	}
	pick(spirv.GLSLUMin, func(x, y uint64) bool { return x < y })
	pick(spirv.GLSLUMax, func(x, y uint64) bool { return x > y })
	pick(spirv.GLSLSMin, func(x, y uint64) bool { return signed(k, x) < signed(k, y) })
	pick(spirv.GLSLSMax, func(x, y uint64) bool { return signed(k, x) > signed(k, y) })
	return list
}

// pairs are operations whose results are two integers: the low and the high half of products, sums and their carry.
func pairs(k kind) (list []operation) {
	args := of(k, k)
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(k.bits()))
	two := func(op spirv.Op, want func(x, y uint64) (low, high uint64)) {
		for part := range 2 {
			list = append(list, operation{name: fmt.Sprint(k, " result ", part, " of ", op), args: args, result: k,
				emit: func(m *module, a []id) id {
					pair := m.value(op, m.global(spirv.OpTypeStruct, 0, m.typ(k), m.typ(k)), a...)
					return m.of(spirv.OpCompositeExtract, k, pair, uint32(part))
				},
				want: func(a []uint64) (uint64, bool) {
					r, high := want(a[0], a[1])
					if part == 1 {
						r = high
					}
					return r & k.mask(), true
				}})
		}
	}
	split := func(x, y *big.Int) (low, high uint64) {
		p := new(big.Int).Mul(x, y)
		q, r := new(big.Int).DivMod(p, modulus, new(big.Int)) // 0 ≤ r
		return r.Uint64(), new(big.Int).And(q, new(big.Int).SetUint64(k.mask())).Uint64()
	}
	two(spirv.OpUMulExtended, func(x, y uint64) (uint64, uint64) {
		return split(new(big.Int).SetUint64(x), new(big.Int).SetUint64(y))
	})
	two(spirv.OpSMulExtended, func(x, y uint64) (uint64, uint64) {
		return split(big.NewInt(signed(k, x)), big.NewInt(signed(k, y)))
	})
	two(spirv.OpIAddCarry, func(x, y uint64) (uint64, uint64) { return x + y, truth((x+y)&k.mask() < x) })
	two(spirv.OpISubBorrow, func(x, y uint64) (uint64, uint64) { return x - y, truth(x < y) })
	return list
}

// shifts are by numbers of 32 bits, below the width where SPIR-V leaves more open; of 32 and 64 bits, they take the low bits.
func shifts(k kind) (list []operation) {
	far := operand{i32, small(k)}
	if k.bits() >= 32 {
		far.values = append(far.values, uint64(k.bits())+1, 2*uint64(k.bits())-1, 0x80000000, 0xFFFFFFFF)
	}
	args := []operand{{k, edges(k)}, far}
	each := func(op spirv.Op, want func(x uint64, n int) uint64) {
		list = append(list, plain(op, fmt.Sprint(k, " shift ", op), k, args, func(a []uint64) (uint64, bool) {
			return want(a[0], int(a[1])&(k.bits()-1)) & k.mask(), k.bits() >= 32 || int(a[1]) < k.bits()
		}))
	}
	each(spirv.OpShiftLeftLogical, func(x uint64, n int) uint64 { return x << n })
	each(spirv.OpShiftRightLogical, func(x uint64, n int) uint64 { return x >> n })
	each(spirv.OpShiftRightArithmetic, func(x uint64, n int) uint64 { return uint64(signed(k, x) >> n) })
	return list
}

// ofOne are operations on one integer.
func ofOne(k kind) (list []operation) {
	args := of(k)
	each := func(op spirv.Op, want func(x uint64) uint64) {
		list = append(list, plain(op, fmt.Sprint(k, " operation ", op), k, args, func(a []uint64) (uint64, bool) { return want(a[0]) & k.mask(), true }))
	}
	function := func(op spirv.GLSLOp, want func(x uint64) uint64) {
		list = append(list, extended(op, fmt.Sprint(k, " function ", op), k, args, func(a []uint64) (uint64, bool) { return want(a[0]) & k.mask(), true }))
	}
	each(spirv.OpSNegate, func(x uint64) uint64 { return -x })
	each(spirv.OpNot, func(x uint64) uint64 { return ^x })
	if k == i32 || k == i64 {
		each(spirv.OpBitCount, func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) })
		each(spirv.OpBitReverse, func(x uint64) uint64 { return bits.Reverse64(x) >> (64 - k.bits()) })
	}
	function(spirv.GLSLSAbs, func(x uint64) uint64 {
		if signed(k, x) < 0 {
			return -x
		}
		return x
	})
	function(spirv.GLSLSSign, func(x uint64) uint64 {
		switch v := signed(k, x); {
		case v > 0:
			return 1
		case v < 0:
			return ^uint64(0)
		}
		return 0
	})
	if k == i32 { // of 32 bits alone; −1 where there is none
		function(spirv.GLSLFindILsb, func(x uint64) uint64 {
			if x == 0 {
				return ^uint64(0)
			}
			return uint64(bits.TrailingZeros64(x))
		})
		function(spirv.GLSLFindUMsb, func(x uint64) uint64 { return uint64(bits.Len64(x)) - 1 })
		function(spirv.GLSLFindSMsb, func(x uint64) uint64 {
			if signed(k, x) < 0 {
				x = ^x & k.mask()
			}
			return uint64(bits.Len64(x)) - 1
		})
	}
	return list
}

// fields are operations on a field of an integer, which must lie within it.
func fields(k kind) (list []operation) {
	args := []operand{{k, edges(k)}, {i32, small(i32)}, {i32, small(i32)}}
	inside := func(a []uint64) bool { return a[1]+a[2] <= uint64(k.bits()) }
	field := func(n uint64) uint64 { return 1<<n - 1 }
	list = append(list,
		plain(spirv.OpBitFieldUExtract, "unsigned field", k, args, func(a []uint64) (uint64, bool) { return a[0] >> a[1] & field(a[2]), inside(a) }),
		plain(spirv.OpBitFieldSExtract, "signed field", k, args, func(a []uint64) (uint64, bool) {
			x := a[0] >> a[1] & field(a[2])
			if a[2] > 0 && x>>(a[2]-1) != 0 {
				x |= ^field(a[2])
			}
			return x & k.mask(), inside(a)
		}))
	return list
}

// insertions put a field of one integer into another.
func insertions(k kind) []operation {
	args := []operand{{k, edges(k)}, {k, edges(k)[3:9]}, {i32, small(i32)}, {i32, small(i32)}}
	return []operation{plain(spirv.OpBitFieldInsert, "insertion", k, args, func(a []uint64) (uint64, bool) {
		mask := (uint64(1)<<a[3] - 1) << a[2]
		return (a[0]&^mask | a[1]<<a[2]&mask) & k.mask(), a[2]+a[3] <= uint64(k.bits())
	})}
}

// Integers of all widths: what wraps around, divides, compares, shifts and counts.
func TestIntegers(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for _, k := range []kind{i8, i16, i32, i64} {
		check(t, ofTwo(k))
		check(t, shifts(k))
		check(t, ofOne(k))
	}
}

// Products and sums in two halves, and fields of bits.
func TestIntegers_HalvesAndFields(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for _, k := range []kind{i8, i16, i32, i64} {
		check(t, pairs(k))
	}
	check(t, fields(i32))
	check(t, insertions(i32))
}

// Conditions, and selections by them.
func TestConditions(t *testing.T) {
	rules.Covers(t, "RAS-001")
	args := of(boolean, boolean)
	var list []operation
	each := func(op spirv.Op, want func(x, y bool) bool) {
		list = append(list, plain(op, fmt.Sprint("condition ", op), boolean, args, func(a []uint64) (uint64, bool) { return truth(want(a[0] != 0, a[1] != 0)), true }))
	}
	each(spirv.OpLogicalAnd, func(x, y bool) bool { return x && y })
	each(spirv.OpLogicalOr, func(x, y bool) bool { return x || y })
	each(spirv.OpLogicalEqual, func(x, y bool) bool { return x == y })
	each(spirv.OpLogicalNotEqual, func(x, y bool) bool { return x != y })
	check(t, list)
	check(t, []operation{plain(spirv.OpLogicalNot, "not", boolean, of(boolean), func(a []uint64) (uint64, bool) { return 1 - a[0], true })})
	for _, k := range []kind{boolean, i8, i16, i32, i64, f16, f32, f64} {
		selection := plain(spirv.OpSelect, fmt.Sprint("selection of ", k), k, of(boolean, k, k), func(a []uint64) (uint64, bool) { return a[2-a[0]], true })
		if k == f16 {
			selection.same = anyNaN(k) // held as binary32 between
		}
		check(t, []operation{selection})
	}
}
