package lane

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
)

func TestMinMax_EqualFp(t *testing.T) {
	rules.Covers(t, "RAS-001")
	special := []uint32{0, 1 << 31, 1, 0x80000001, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFC00001, 0x7FC00000, 0x40000000}
	for _, x := range special {
		for _, y := range special {
			a, c := math.Float32frombits(x), math.Float32frombits(y)
			if got, want := FMin(x, y), math.Float32bits(fp.Min(a, c)); got != want {
				t.Errorf("min(%08x, %08x) = %08x, want %08x", x, y, got, want)
			}
			if got, want := FMax(x, y), math.Float32bits(fp.Max(a, c)); got != want {
				t.Errorf("max(%08x, %08x) = %08x, want %08x", x, y, got, want)
			}
		}
	}
}

// Each case is written down from the operation's rule in package ir.
func TestOperations_ByHand(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const ones = math.MaxUint32
	fl := math.Float32bits
	for _, c := range []struct {
		name      string
		got, want uint32
	}{
		{"udiv by 0", UDiv(7, 0), ones}, {"sdiv by 0", SDiv(7, 0), ones}, {"sdiv overflow", SDiv(1<<31, ones), 1 << 31}, {"sdiv truncates", SDiv(^uint32(6), 2), ^uint32(2)},
		{"urem by 0", URem(7, 0), 7}, {"srem by 0", SRem(7, 0), 7}, {"srem overflow", SRem(1<<31, ones), 0}, {"srem sign of a", SRem(^uint32(6), 4), ^uint32(2)},
		{"smod sign of b", SMod(^uint32(6), 4), 1}, {"smod negative b", SMod(7, ^uint32(3)), ones}, {"smod by 0", SMod(^uint32(6), 0), ^uint32(6)},
		{"imulhi.u", IMulHiU(ones, ones), ones - 1}, {"imulhi.s", IMulHiS(ones, ones), 0}, {"imulhi.s mixed", IMulHiS(ones, 2), ones},
		{"idot.16", IDot16(0x7FFF_8000, 2<<16|3), ones - (32770 - 1)}, {"idot.16 wraps", IDot16(0x80008000, 0x80008000), 1 << 31},
		{"shl masks", Shl(1, 33), 2}, {"shr.s", ShrS(1<<31, 31), ones}, {"findlsb 0", FindLSB(0), ones}, {"findlsb", FindLSB(8), 3},
		{"findmsb.u 0", FindUMSB(0), ones}, {"findmsb.u", FindUMSB(1 << 31), 31}, {"findmsb.s -1", FindSMSB(ones), ones}, {"findmsb.s -8", FindSMSB(^uint32(7)), 2}, {"findmsb.s 8", FindSMSB(8), 3},
		{"bitfield.u", BitFieldU(0xABCD1234, 8, 8), 0x12}, {"bitfield.u whole", BitFieldU(0xABCD1234, 0, 32), 0xABCD1234}, {"bitfield.u none", BitFieldU(ones, 4, 0), 0},
		{"bitfield.s", BitFieldS(0xABCD12F4, 4, 4), ones}, {"bitfield.s top", BitFieldS(0x80000000, 28, 4), 0xFFFFFFF8}, {"bitfield.s none", BitFieldS(ones, 4, 0), 0}, {"bitfield.s whole", BitFieldS(0x80000001, 0, 32), 0x80000001},
		{"mask", BitFieldMask(4, 8), 0xFF0}, {"mask whole", BitFieldMask(0, 32), ones}, {"mask none", BitFieldMask(32, 0), 0}, {"mask shifted out", BitFieldMask(32, 32), 0},
		{"f2s NaN", F2S(canonicalNaN), 0}, {"f2s high", F2S(fl(3e9)), math.MaxInt32}, {"f2s low", F2S(fl(-3e9)), 1 << 31}, {"f2s truncates", F2S(fl(-1.9)), ones}, {"f2s limit", F2S(fl(-1 << 31)), 1 << 31},
		{"f2u NaN", F2U(canonicalNaN), 0}, {"f2u high", F2U(fl(5e9)), ones}, {"f2u negative", F2U(fl(-2)), 0}, {"f2u", F2U(fl(3e9)), 3000000000},
		{"u2f ties even", U2F(0xFFFFFF80), fl(1 << 32)}, {"s2f", S2F(ones), fl(-1)}, {"sign -0", FSign(1 << 31), 0}, {"sign NaN", FSign(canonicalNaN), 0}, {"sign", FSign(fl(-3)), fl(-1)},
		{"fne NaN", FNe(canonicalNaN, canonicalNaN), ones}, {"feq zeros", FEq(0, 1<<31), ones}, {"roundeven", FRoundEven(fl(2.5)), fl(2)}, {"roundeven -0", FRoundEven(fl(-0.4)), 1 << 31},
		{"quantize16", Quantize16(fl(1 + 1.0/4096)), fl(1)}, {"quantize16 overflow", Quantize16(fl(70000)), 0x7F800000}, {"h2f", H2F(0xFFFF3C00), fl(1)}, {"select", Select(ones, 1, 2), 1},
		{"invsqrt 0", FInvSqrt(0), 0x7F800000}, {"ldexp", FLdexp(fl(1), ^uint32(0)), fl(0.5)}, {"frexp exp", FrexpExp(fl(8)), 4}, {"frexp mant", FrexpMant(fl(-8)), fl(-0.5)},
	} {
		if c.got != c.want {
			t.Errorf("%s = %08x, want %08x", c.name, c.got, c.want)
		}
	}
}

// Vulkan's sinh and cosh are inherited from exp, which has overflowed there.
func TestHyperbolic_OverflowWithExp(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const last, first = 0x42B17217, 0x42B17218
	if FExp(last) == 0x7F800000 || FExp(first) != 0x7F800000 {
		t.Fatal("exp overflows elsewhere")
	}
	for _, sign := range []uint32{0, 1 << 31} {
		if FSinh(last|sign)&0x7F800000 == 0x7F800000 || FCosh(last|sign) >= 0x7F800000 {
			t.Error("infinite too early")
		}
		if FSinh(first|sign) != 0x7F800000|sign || FCosh(first|sign) != 0x7F800000 {
			t.Error("no infinity where exp has one")
		}
	}
}
