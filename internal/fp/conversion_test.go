package fp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// To smaller formats: one of the two neighbours, the nearer one; beyond the largest
// number infinity, or that number where there is no infinity; without a sign
// negative numbers are zero, and NaN stays where it exists.
func TestConversion_RAS005_SmallerFloats(t *testing.T) {
	rules.Covers(t, "RAS-005")
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	shared := func(f float32) (back float32) { back, _, _ = E5B9G9R9ToFloat(FloatToE5B9G9R9(f, 0, 0)); return back }
	for name, c := range map[string]struct {
		convert                            func(float32) float32
		signed                             bool
		largest, beyond, infinite, notANum float32
	}{
		"16":     {func(f float32) float32 { return HalfToFloat(FloatToHalf(f)) }, true, 65504, inf, inf, nan},
		"11":     {func(f float32) float32 { return Float11ToFloat(FloatToFloat11(f)) }, false, 65024, inf, inf, nan},
		"10":     {func(f float32) float32 { return Float10ToFloat(FloatToFloat10(f)) }, false, 64512, inf, inf, nan},
		"shared": {shared, false, 65408, 65408, 65408, 0},
	} {
		same := func(a, b float32) bool { return a == b || a != a && b != b }
		for in, want := range map[float32]float32{0: 0, 1: 1, c.largest: c.largest, 1e9: c.beyond, inf: c.infinite} {
			if got := c.convert(in); !same(got, want) {
				t.Errorf("%s: %v becomes %v, want %v", name, in, got, want)
			}
			negative := -want
			if !c.signed {
				negative = 0
			}
			if got := c.convert(-in); !same(got, negative) {
				t.Errorf("%s: %v becomes %v, want %v", name, -in, got, negative)
			}
		}
		if got := c.convert(nan); !same(got, c.notANum) {
			t.Errorf("%s: NaN becomes %v", name, got)
		}
		rng := rand.New(rand.NewPCG(51, 52))
		for range 20000 {
			f := float32(math.Exp2(rng.Float64()*34 - 18))
			if f >= c.largest {
				continue
			}
			got := c.convert(f)
			if c.convert(got) != got {
				t.Fatalf("%s: %v becomes %v, which becomes another", name, f, got)
			}
			// What lies between f and its result is no number of the format: the
			// mirror image of the result is on f's other side, and no nearer.
			d := math.Abs(float64(got) - float64(f))
			for _, near := range []float64{float64(f) - d*.999, float64(f) + d*.999} {
				if n := float32(near); d > 0 && n > 0 && c.convert(n) == n && math.Abs(float64(n)-float64(f)) < d {
					t.Fatalf("%s: %v becomes %v; %v is nearer", name, f, got, n)
				}
			}
			for _, other := range []float32{c.convert(math.Nextafter32(f, inf)), c.convert(math.Nextafter32(f, 0))} {
				if math.Abs(float64(other)-float64(f)) < d {
					t.Fatalf("%s: %v becomes %v; %v is nearer", name, f, got, other)
				}
			}
		}
	}
}
