package lane

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Each case is written down from the operation's rule in package ir.
func TestWideOperations_ByHand(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const ones, least = math.MaxUint64, uint64(1) << 63
	fl := math.Float64bits
	inf, nan := fl(math.Inf(1)), uint64(canonicalNaN64)
	const m = uint64(0xFFFFFFFF) // a mask
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"udiv by 0", UDiv64(7, 0), ones}, {"sdiv by 0", SDiv64(7, 0), ones}, {"sdiv overflow", SDiv64(least, ones), least}, {"urem by 0", URem64(7, 0), 7},
		{"srem overflow", SRem64(least, ones), 0}, {"srem sign of a", SRem64(ones-6, 4), ones - 2}, {"smod sign of b", SMod64(ones-6, 4), 1}, {"smod by 0", SMod64(5, 0), 5},
		{"shl masks", Shl64(1, 65), 2}, {"shr.s", ShrS64(least, 63), ones}, {"shr.u", ShrU64(least, 63), 1},
		{"slt", SLt64(ones, 0), m}, {"ult", ULt64(ones, 0), 0}, {"sle", SLe64(3, 3), m}, {"ule", ULe64(4, 3), 0},
		{"min NaN", FMin64(nan, fl(2)), fl(2)}, {"max NaN", FMax64(fl(2), nan|1), fl(2)}, {"min both NaN", FMin64(nan|1, nan|2), nan}, {"min zeros", FMin64(0, least), least},
		{"fadd NaN", FAdd64(inf, inf|least), nan}, {"sqrt -1", FSqrt64(fl(-1)), nan}, {"invsqrt 0", FInvSqrt64(0), inf}, {"roundeven", FRoundEven64(fl(2.5)), fl(2)}, {"sign -0", FSign64(least), 0},
		{"frexp", FrexpMant64(fl(-8)), fl(-0.5)}, {"frexp exp", FrexpExp64(fl(8)), 4}, {"frexp exp inf", FrexpExp64(inf), 0}, {"ldexp", FLdexp64(fl(3), uint64(uint32(0xFFFFFFFF))), fl(1.5)}, {"ldexp far", FLdexp64(fl(1), 0x7FFFFFFF), inf},
		{"fne NaN", FNe64(nan, nan), m}, {"feq zeros", FEq64(0, least), m}, {"isinf", FIsInf64(inf | least), m}, {"isnan", FIsNan64(inf), 0}, {"rem", FRem64(fl(-7), fl(4)), fl(-3)},
		{"d2f rounds", D2F(fl(1 + 0x1p-24)), uint64(math.Float32bits(1))}, {"d2f NaN", D2F(nan | 5), 0x7FC00000}, {"f2d", F2D(uint64(math.Float32bits(0.1))), fl(float64(float32(0.1)))},
		{"d2s high", D2S(fl(3e9)), math.MaxInt32}, {"d2s low", D2S(fl(-3e9)), 1 << 31}, {"d2s", D2S(fl(-1.9)), m}, {"d2u", D2U(fl(3e9)), 3000000000}, {"d2n", D2N(fl(-2.5)), 1<<32 - 2}, {"d2n high", D2N(fl(1<<31 - 0.5)), 1 << 31}, {"d2n low", D2N(fl(-1<<31 - 0.5)), 1 << 31}, {"d2n NaN", D2N(0x7FF8 << 48), 1 << 31},
		{"d2n largest", D2N(fl(1<<31 - 1)), 1<<31 - 1}, {"d2n smallest", D2N(fl(-1 << 31)), 1 << 31}, {"d2n ties up", D2N(fl(1.5)), 2}, {"d2n -1", D2N(fl(-1)), 1<<32 - 1}, {"d2n whole", D2N(fl(7)), 7},
		{"d2u negative", D2U(fl(-5)), 0},
		{"d2l NaN", D2L(nan), 0}, {"d2l high", D2L(fl(1e30)), math.MaxInt64}, {"d2l low", D2L(fl(-1e30)), least}, {"d2ul", D2UL(fl(0x1p63 + 0x1p12)), 1<<63 + 1<<12}, {"d2ul high", D2UL(fl(1e30)), ones},
		{"l2d", L2D(ones), fl(-1)}, {"ul2d ties even", UL2D(ones), fl(0x1p64)}, {"l2f one rounding", L2F(0x0080000080000001), uint64(math.Float32bits(0x1.000002p55))}, {"ul2f", UL2F(ones), uint64(math.Float32bits(0x1p64))},
		{"s2d", S2D(m), fl(-1)}, {"u2d", U2D(m), fl(4294967295)}, {"f2l", F2L(uint64(math.Float32bits(-1e10))), uint64(0xFFFFFFFDABF41C00)}, {"f2ul NaN", F2UL(0x7FC00000), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s = %016x, want %016x", c.name, c.got, c.want)
		}
	}
}

// A conversion to binary16 rounds once: values a hair beside a midpoint, which
// binary32 cannot tell from it.
func TestD2H_RoundsOnce(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for code := uint16(0); code < 0x7BFF; code += 7 {
		lo, hi := float64(fp.HalfToFloat(code)), float64(fp.HalfToFloat(code+1))
		mid := (lo + hi) / 2
		for _, c := range []struct {
			x    float64
			want uint16
		}{{math.Nextafter(mid, 0), code}, {math.Nextafter(mid, hi), code + 1}, {mid, code + code&1}} {
			if got := D2H(math.Float64bits(c.x)); got != uint64(c.want) {
				t.Fatalf("%g gives %04x, want %04x", c.x, got, c.want)
			}
			if got := D2H(math.Float64bits(-c.x)); got != uint64(c.want|0x8000) {
				t.Fatalf("%g gives %04x, want %04x", -c.x, got, c.want|0x8000)
			}
		}
	}
}
