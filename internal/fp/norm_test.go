package fp

import (
	"math"
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func TestSharedExponent_IMG065(t *testing.T) {
	rules.Covers(t, "IMG-060", "IMG-061", "IMG-062", "IMG-063", "IMG-065")
	nan := float32(math.NaN())
	for _, c := range []struct {
		in   [3]float32
		want uint32
	}{
		{[3]float32{1, .5, .25}, 0x81010100}, {[3]float32{1e9, -1, nan}, 0xF80001FF}, {[3]float32{0.99951171875, .5, 0}, 0x80010100},
		{[3]float32{0.998828125, 0, 0}, 0x780001FF}, {[3]float32{0x1p-16, 0, 0}, 0x00000100}, {[3]float32{0x1p-24, 0x1p-25, 0}, 0x00000201},
		{[3]float32{65408, 65408, 1}, 0xF803FFFF}, {[3]float32{.1, .2, .3}, 0x74CD9A66},
		{[3]float32{float32(math.Inf(1)), float32(math.Inf(-1)), math.SmallestNonzeroFloat32}, 0xF80001FF},
	} {
		if got := FloatToE5B9G9R9(c.in[0], c.in[1], c.in[2]); got != c.want {
			t.Errorf("%v: got %#08x, want %#08x", c.in, got, c.want)
		}
	}
	if r, g, b := E5B9G9R9ToFloat(0x74CD9A66); r != .099609375 || g != .2001953125 || b != .2998046875 {
		t.Errorf("decode: got %g, %g, %g", r, g, b)
	}
}

// Every mantissa with every exponent: the value is exact, and encoding it gives a word of the same value.
func TestSharedExponent_EveryMantissaAndExponent(t *testing.T) {
	rules.Covers(t, "IMG-063", "IMG-064")
	for e := range uint32(32) {
		for m := range uint32(512) {
			w := e<<27 | 511<<18 | m<<9 | m
			r, g, b := E5B9G9R9ToFloat(w)
			if want := math.Ldexp(float64(m), int(e)-24); float64(r) != want || g != r || float64(b) != math.Ldexp(511, int(e)-24) {
				t.Fatalf("%#08x: got %g, %g, %g, want %g", w, r, g, b, want)
			}
			if back := FloatToE5B9G9R9(r, g, b); back != w {
				t.Fatalf("%#08x: comes back as %#08x", w, back)
			}
		}
	}
}

func TestUnormSnorm_EveryCode_CorrectlyRounded(t *testing.T) {
	rules.Covers(t, "IMG-241", "IMG-242", "IMG-257")
	for bits := uint(1); bits <= 16; bits++ {
		limit := int64(1)<<bits - 1
		for c := int64(0); c <= limit; c++ {
			want, _ := big.NewRat(c, limit).Float32()
			got := UnormToFloat(uint32(c), bits)
			if got != want {
				t.Fatalf("UNORM%d %d: got %g, want %g", bits, c, got, want)
			}
			if bits == 8 && (Unorm8ToFloat(uint8(c)) != want || FloatToUnorm8(want) != uint8(c)) {
				t.Fatalf("UNORM8 %d: the short forms differ", c)
			}
			if back := FloatToUnorm(got, bits); back != uint32(c) {
				t.Fatalf("UNORM%d %d: comes back as %d", bits, c, back)
			}
		}
	}
	for bits := uint(2); bits <= 16; bits++ {
		limit := int64(1)<<(bits-1) - 1
		for c := -limit - 1; c <= limit; c++ {
			clamped := max(c, -limit)
			want, _ := big.NewRat(clamped, limit).Float32()
			got := SnormToFloat(int32(c), bits)
			if got != want {
				t.Fatalf("SNORM%d %d: got %g, want %g", bits, c, got, want)
			}
			if back := FloatToSnorm(got, bits); back != int32(clamped) {
				t.Fatalf("SNORM%d %d: comes back as %d", bits, c, back)
			}
		}
	}
}

// Random floats against exact rational rounding, 24 bits included.
func TestFloatToUnorm_NearestCode(t *testing.T) {
	rules.Covers(t, "IMG-376")
	x := uint32(1)
	for range 20000 {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		f := float32(x>>8) * 0x1p-24
		for _, bits := range []uint{1, 2, 5, 8, 10, 16, 24} {
			limit := int64(1)<<bits - 1
			if bits == 8 && uint32(FloatToUnorm8(f)) != FloatToUnorm(f, 8) {
				t.Fatalf("FloatToUnorm8 of %g: got %d, want %d", f, FloatToUnorm8(f), FloatToUnorm(f, 8))
			}
			p := new(big.Rat).Mul(new(big.Rat).SetFloat64(float64(f)), big.NewRat(limit, 1))
			got := FloatToUnorm(f, bits)
			d := p.Sub(p, big.NewRat(int64(got), 1))
			if c := d.Abs(d).Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && got&1 == 1 {
				t.Fatalf("UNORM%d of %g: got %d", bits, f, got)
			}
		}
	}
}

func TestFloatToFixed_IMG376_IMG377_IMG380(t *testing.T) {
	rules.Covers(t, "IMG-376", "IMG-377", "IMG-380")
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for bits, want := range map[uint]uint32{1: 0, 2: 2, 4: 8, 5: 16, 6: 32, 8: 128, 10: 512, 16: 32768, 24: 8388608} {
		if bits == 8 && FloatToUnorm8(.5) != 128 {
			t.Error("0.5 to UNORM8, short form")
		}
		if got := FloatToUnorm(.5, bits); got != want {
			t.Errorf("0.5 to UNORM%d: got %d, want %d", bits, got, want)
		}
	}
	for _, c := range []struct {
		f        float32
		u8       uint32
		s8       int32
		us8      uint32
		ss8      int32
		us32     uint32
		ss32     int32
		whatever string
	}{
		{nan, 0, 0, 0, 0, 0, 0, "NaN"},
		{inf, 255, 127, 255, 127, math.MaxUint32, math.MaxInt32, "+Inf"},
		{-inf, 0, -127, 0, -128, 0, math.MinInt32, "-Inf"},
		{1, 255, 127, 1, 1, 1, 1, "one"},
		{-1, 0, -127, 0, -1, 0, -1, "minus one"},
		{.5, 128, 64, 0, 0, 0, 0, "half"},
		{1.5, 255, 127, 2, 2, 2, 2, "tie to even, up"},
		{2.5, 255, 127, 2, 2, 2, 2, "tie to even, down"},
		{-2.5, 0, -127, 0, -2, 0, -2, "negative tie"},
		{254.5, 255, 127, 254, 127, 254, 254, "tie below the limit"},
		{-128.5, 0, -127, 0, -128, 0, -128, "tie at the lower limit"},
		{1e10, 255, 127, 255, 127, math.MaxUint32, math.MaxInt32, "large"},
	} {
		got := []int64{int64(FloatToUnorm(c.f, 8)), int64(FloatToSnorm(c.f, 8)), int64(FloatToUint(c.f, 8)), int64(FloatToInt(c.f, 8)),
			int64(FloatToUint(c.f, 32)), int64(FloatToInt(c.f, 32))}
		if uint32(FloatToUnorm8(c.f)) != c.u8 {
			t.Errorf("%s, FloatToUnorm8: got %d", c.whatever, FloatToUnorm8(c.f))
		}
		want := []int64{int64(c.u8), int64(c.s8), int64(c.us8), int64(c.ss8), int64(c.us32), int64(c.ss32)}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s, conversion %d: got %d, want %d", c.whatever, i, got[i], want[i])
			}
		}
	}
}
