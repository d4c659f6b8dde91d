package fp

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// smallFloat is the value of a float with 5 exponent bits and m mantissa bits, from the formula of IMG-245 and IMG-246.
func smallFloat(v uint32, m uint) float64 {
	e, f := int(v>>m&31), float64(v&(1<<m-1))/float64(uint32(1)<<m)
	switch {
	case e == 0:
		return math.Ldexp(f, -14)
	case e < 31:
		return math.Ldexp(1+f, e-15)
	case f == 0:
		return math.Inf(1)
	}
	return math.NaN()
}

func TestHalfToFloat_EveryCode(t *testing.T) {
	rules.Covers(t, "IMG-245")
	for c := range uint32(1 << 16) {
		got, want := HalfToFloat(uint16(c)), smallFloat(c&0x7fff, 10)
		if c&0x8000 != 0 {
			want = -want
		}
		if want != want {
			if math.Float32bits(got) != CanonicalNaN {
				t.Fatalf("%#04x: got %#08x, want the canonical NaN", c, math.Float32bits(got))
			}
			continue
		}
		if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
			t.Fatalf("%#04x: got %g, want %g", c, got, want)
		}
		if back := FloatToHalf(got); back != uint16(c) {
			t.Fatalf("%#04x: comes back as %#04x", c, back)
		}
	}
}

// TestRounding_EveryMidpoint takes the float32 in the middle of each two neighbours: a tie, which goes to the even code, and its
// own neighbours go to their side. Infinity counts as the number after the largest.
func TestRounding_EveryMidpoint(t *testing.T) {
	rules.Covers(t, "IMG-378", "IMG-379")
	for _, c := range []struct {
		name   string
		m      uint
		encode func(float32) uint32
	}{
		{"half", 10, func(f float32) uint32 { return uint32(FloatToHalf(f)) }},
		{"negative half", 10, func(f float32) uint32 { return uint32(FloatToHalf(-f)) ^ 0x8000 }},
		{"float11", 6, FloatToFloat11},
		{"float10", 5, FloatToFloat10},
	} {
		for v := range uint32(31 << c.m) {
			high := smallFloat(v+1, c.m)
			if v+1 == 31<<c.m {
				high = 65536
			}
			middle := float32((smallFloat(v, c.m) + high) / 2)
			even := v + v&1
			for _, x := range []struct {
				f    float32
				want uint32
			}{{math.Nextafter32(middle, 0), v}, {middle, even}, {math.Nextafter32(middle, 1e9), v + 1}} {
				if got := c.encode(x.f); got != x.want {
					t.Fatalf("%s %g: got %#x, want %#x", c.name, x.f, got, x.want)
				}
			}
		}
	}
}

func TestFloatToHalf_IMG378(t *testing.T) {
	rules.Covers(t, "IMG-378")
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		f    float32
		want uint16
	}{
		{0, 0}, {float32(math.Copysign(0, -1)), 0x8000}, {1, 0x3c00}, {65504, 0x7bff}, {65519.996, 0x7bff}, {65520, 0x7c00}, {1e30, 0x7c00},
		{-1e30, 0xfc00}, {inf, 0x7c00}, {-inf, 0xfc00}, {0x1p-25, 0}, {math.Nextafter32(0x1p-25, 1), 1}, {math.SmallestNonzeroFloat32, 0},
		{float32(math.NaN()), 0x7e00}, {math.Float32frombits(0xffc12345), 0x7e00},
	} {
		if got := FloatToHalf(c.f); got != c.want {
			t.Errorf("%g: got %#04x, want %#04x", c.f, got, c.want)
		}
	}
}

func TestUnsignedFloats_EveryCode(t *testing.T) {
	rules.Covers(t, "IMG-246")
	for _, c := range []struct {
		name   string
		m      uint
		decode func(uint32) float32
		encode func(float32) uint32
	}{{"float11", 6, Float11ToFloat, FloatToFloat11}, {"float10", 5, Float10ToFloat, FloatToFloat10}} {
		for v := range uint32(32 << c.m) {
			got, want := c.decode(v), smallFloat(v, c.m)
			if want != want {
				if math.Float32bits(got) != CanonicalNaN {
					t.Fatalf("%s %#x: got %#08x, want the canonical NaN", c.name, v, math.Float32bits(got))
				}
				continue
			}
			if float64(got) != want {
				t.Fatalf("%s %#x: got %g, want %g", c.name, v, got, want)
			}
			if back := c.encode(got); back != v {
				t.Fatalf("%s %#x: comes back as %#x", c.name, v, back)
			}
		}
	}
}

func TestUnsignedFloats_IMG379(t *testing.T) {
	rules.Covers(t, "IMG-379")
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		f        float32
		f11, f10 uint32
	}{
		{1, 0x3c0, 0x1e0}, {-1, 0, 0}, {-inf, 0, 0}, {inf, 0x7c0, 0x3e0}, {65279, 0x7bf, 0x3e0}, {65280, 0x7c0, 0x3e0}, {65023, 0x7bf, 0x3df},
		{65024, 0x7bf, 0x3e0}, {0x1p-21, 0, 0}, {1.5 * 0x1p-21, 1, 0}, {float32(math.NaN()), 0x7e0, 0x3f0}, {-float32(math.NaN()), 0x7e0, 0x3f0},
	} {
		if got := FloatToFloat11(c.f); got != c.f11 {
			t.Errorf("float11 of %g: got %#x, want %#x", c.f, got, c.f11)
		}
		if got := FloatToFloat10(c.f); got != c.f10 {
			t.Errorf("float10 of %g: got %#x, want %#x", c.f, got, c.f10)
		}
	}
}
