package ir

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// What each operation leaves of a word, of 32 bits and of 64: the same numbers, those of
// 32 bits in the upper half too.
func TestAtomicOp_Result(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const old, v = 0x80000005, 7
	wide := func(x uint32) uint64 { return uint64(x) << 32 }
	for op, want := range map[AtomicOp]uint32{
		AtomicAdd: 0x8000000C, AtomicAnd: 5, AtomicOr: 0x80000007, AtomicXor: 0x80000002, AtomicSMin: old, AtomicSMax: v,
		AtomicUMin: v, AtomicUMax: old, AtomicExchange: v, AtomicLoad: old, AtomicStore: v, AtomicCompareExchange: v,
	} {
		if got := op.Result(old, v, old); got != want {
			t.Errorf("operation %d leaves %#x, want %#x", op, got, want)
		}
		if got := op.Result64(wide(old), wide(v), wide(old)); got != wide(want) {
			t.Errorf("operation %d leaves %#x of 64 bits, want %#x", op, got, wide(want))
		}
		if got := op.Result64(old, v, old); op != AtomicSMin && op != AtomicSMax && got != uint64(want) { // a carry goes on, a sign does not
			t.Errorf("operation %d leaves %#x of 64 bits, want %#x", op, got, want)
		}
	}
	if got := AtomicCompareExchange.Result(old, v, 1); got != old {
		t.Errorf("a failed compare-exchange leaves %#x", got)
	}
	if got := AtomicCompareExchange.Result64(wide(old), v, old); got != wide(old) {
		t.Errorf("a failed compare-exchange leaves %#x", got)
	}
	const nan, nan64 = 0x7FC00001, 0x7FF8000000000001
	for _, c := range []struct {
		op         AtomicOp
		x, y, want float64
	}{
		{AtomicFAdd, 1.5, 2, 3.5}, {AtomicFMin, 1.5, -2, -2}, {AtomicFMin, -2, 1.5, -2}, {AtomicFMax, 1.5, -2, 1.5}, {AtomicFMax, -2, 1.5, 1.5},
	} {
		if got := c.op.Result(math.Float32bits(float32(c.x)), math.Float32bits(float32(c.y)), 0); got != math.Float32bits(float32(c.want)) {
			t.Errorf("operation %d of %v and %v: %#x", c.op, c.x, c.y, got)
		}
		if got := c.op.Result64(math.Float64bits(c.x), math.Float64bits(c.y), 0); got != math.Float64bits(c.want) {
			t.Errorf("operation %d of %v and %v, 64 bits: %#x", c.op, c.x, c.y, got)
		}
		if c.op == AtomicFAdd {
			continue
		}
		// minNum and maxNum: a number beats NaN.
		if a, b := c.op.Result(nan, 0x3F800000, 0), c.op.Result(0x3F800000, nan, 0); a != 0x3F800000 || b != a {
			t.Errorf("operation %d with NaN: %#x, %#x", c.op, a, b)
		}
		one := math.Float64bits(1)
		if a, b := c.op.Result64(nan64, one, 0), c.op.Result64(one, nan64, 0); a != one || b != one {
			t.Errorf("operation %d with NaN, 64 bits: %#x, %#x", c.op, a, b)
		}
	}
	if got := AtomicFAdd.Result(nan|1<<31, 0, 0); got != 0x7FC00000 {
		t.Errorf("a sum that is no number is %#x", got)
	}
}

// Float atomics round to what the word holds, and flush where they are told to.
func TestAtomicOp_HalfAndFlush(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const half, flush = AtomicHalf, AtomicFlush
	for _, c := range []struct {
		name             string
		op               AtomicOp
		old, value, want uint32
	}{
		{"half rounds", AtomicFAdd | half, 0x3F800000, 0x3A000000, 0x3F800000},   // 1 + 2^-11
		{"half denormal", AtomicFAdd | half, 0x38800000, 0xB8000000, 0x38000000}, // 2^-14 - 2^-15
		{"half flushed", AtomicFAdd | half | flush, 0x38800000, 0xB8000000, 0},
		{"denormal", AtomicFAdd, 0x00C00000, 0x80800000, 0x00400000},
		{"flushed", AtomicFAdd | flush, 0x00C00000, 0x80800000, 0},
		{"minimum flushed", AtomicFMin | flush, 0x3F800000, 0x80000001, 0x80000000},
		{"maximum flushed", AtomicFMax | flush, 0xBF800000, 0x00000001, 0},
	} {
		if got := c.op.Result(c.old, c.value, 0); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
	const least, more, minus = 1 << 52, 0x0018 << 48, 1 << 63 // 2^-1022, and one and a half times that
	for _, c := range []struct {
		op               AtomicOp
		old, value, want uint64
	}{
		{AtomicFAdd, more, least | minus, least / 2},
		{AtomicFAdd | flush, more, least | minus, 0},
		{AtomicFMin | flush, more, 1, 0},
		{AtomicFMax | flush, more | minus, 1 | minus, minus},
		{AtomicFMin, more, 1, 1},
	} {
		if got := c.op.Result64(c.old, c.value, 0); got != c.want {
			t.Errorf("operation %d of %#x and %#x: %#x, want %#x", c.op, c.old, c.value, got, c.want)
		}
	}
}
