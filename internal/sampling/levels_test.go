package sampling

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// IMG-446 to IMG-462: from λ′ to levels, at every clamp and tie.
func TestLevels_IMG460_ClampsAndTies(t *testing.T) {
	rules.Covers(t, "IMG-446", "IMG-447", "IMG-451", "IMG-460", "IMG-462")
	p := lodParams{bias: 1, minLod: 0.5, maxLod: 6, lastLevel: 4}
	for _, c := range []struct{ base, bias, want float64 }{{2, 0.25, 3.25}, {0, 20, 16}, {0, -20, -16}, {1, 15, 17}, {0, -17, -16}, {-2, 0, -1}} {
		if got := p.biasLod(c.base, c.bias); got != c.want {
			t.Errorf("λ_base %v with bias %v: %v, want %v", c.base, c.bias, got, c.want)
		}
	}
	nan := math.NaN()
	for _, c := range []struct{ lambda, min, want float64 }{
		{3, 0, 3}, {-3, 0, 0.5}, {0.5, 0, 0.5}, {9, 0, 6}, {6, 0, 6}, {1, 2, 2}, {3, 2, 3}, {1, 9, 6}, {nan, 0, 0.5}, {nan, 2, 2}, {3, nan, 0.5}, {math.Inf(1), 0, 6}, {math.Inf(-1), 0, 0.5},
	} {
		if got := p.clampLod(c.lambda, c.min); got != c.want {
			t.Errorf("λ′ %v with MinLod %v: %v, want %v", c.lambda, c.min, got, c.want)
		}
	}
	p.unnormalized = true
	if got := p.clampLod(3, 2); got != 0 {
		t.Errorf("unnormalized: %v", got)
	}
	for _, c := range []struct {
		lambda, viewMin float64
		linear          bool
		hi, lo          int
		delta           uint32
		mag             bool
	}{
		{0, 0, false, 0, 0, 0, true}, {-1, 0, false, 0, 0, 0, true}, {0.25, 0, false, 0, 0, 0, false}, {0.5, 0, false, 0, 0, 0, false}, {0.625, 0, false, 1, 1, 0, false},
		{1.5, 0, false, 1, 1, 0, false}, {3.75, 0, false, 4, 4, 0, false}, {4, 0, false, 4, 4, 0, false}, {9, 0, false, 4, 4, 0, false}, {math.NaN(), 0, false, 0, 0, 0, false},
		{0, 0, true, 0, 1, 0, true}, {0.25, 0, true, 0, 1, 64, false}, {1.5, 0, true, 1, 2, 128, false}, {3.75, 0, true, 3, 4, 192, false}, {4, 0, true, 4, 4, 0, false}, {9, 0, true, 4, 4, 0, false},
		{1 - 0x1p-10, 0, true, 1, 2, 0, false}, {0, 1.25, true, 1, 2, 64, true}, {2, 1.25, true, 2, 3, 0, false}, {0.5, 2, false, 2, 2, 0, false}, {-3, 2, false, 2, 2, 0, true},
	} {
		p := lodParams{maxLod: 9, lastLevel: 4, viewMin: c.viewMin, linear: c.linear}
		if got := p.selectLevels(c.lambda); got != (levels{c.hi, c.lo, c.delta, c.mag}) {
			t.Errorf("λ %v, view from %v, linear %v: %+v, want %v %v %v %v", c.lambda, c.viewMin, c.linear, got, c.hi, c.lo, c.delta, c.mag)
		}
	}
}

// IMG-452: log2 is exact for powers of two, subnormal ones too, and close everywhere
// to what the mathematics library says.
func TestLog2_IMG452_AllExponents(t *testing.T) {
	rules.Covers(t, "IMG-452")
	for e := -1022; e <= 1023; e++ {
		x := math.Ldexp(1, e)
		if got := log2(x); got != float64(e) {
			t.Fatalf("log2 of 2^%d is %v", e, got)
		}
		for _, m := range []float64{1.0001, 1.25, 1.4142, 1.4143, 1.75, 1.9999} {
			if got, want := log2(m*x), float64(e)+math.Log2(m); math.Abs(got-want) > 0x1p-40+0x1p-51*math.Abs(want) {
				t.Fatalf("log2 of %v·2^%d is %v, want %v", m, e, got, want)
			}
		}
	}
	if !math.IsInf(log2(0), -1) || log2(math.Inf(1)) != math.Inf(1) || log2(-1) == log2(-1) || log2(math.NaN()) == log2(math.NaN()) || log2(math.MaxFloat64) > 1025 {
		t.Error("0, infinity, negative numbers, NaN")
	}
}
