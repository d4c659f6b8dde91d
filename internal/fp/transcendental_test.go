package fp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// ulps is the distance of got from the exact want in units of want's last
// place in binary32.
func ulps(got float32, want float64) float64 {
	if math.IsNaN(want) || got != got {
		if math.IsNaN(want) && math.Float32bits(got) == CanonicalNaN {
			return 0
		}
		return math.Inf(1)
	}
	if float64(got) == want && math.Signbit(float64(got)) == math.Signbit(want) {
		return 0
	}
	if want == 0 {
		return math.Inf(1)
	}
	if a := math.Abs(want); a >= 0x1.ffffffp127 || math.IsInf(float64(got), 0) {
		if float64(got) == float64(float32(want)) {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	u := math.Ldexp(1, max(e-24, -149))
	return math.Abs(float64(got)-want) / u
}

// Every function stays within 1 ulp of the exact result, the rounding included, over all exponents
// and signs.
func TestTranscendental_WithinUlp(t *testing.T) {
	cases := []struct {
		name string
		got  func(float32) float32
		want func(float64) float64
	}{
		{"exp2", Exp2, math.Exp2}, {"exp", Exp, math.Exp},
		{"log2", Log2, math.Log2}, {"log", Log, math.Log},
		{"sin", Sin, math.Sin}, {"cos", Cos, math.Cos}, {"tan", Tan, math.Tan},
		{"asin", Asin, math.Asin}, {"acos", Acos, math.Acos},
		{"atan", Atan, math.Atan}, {"sinh", Sinh, math.Sinh},
		{"cosh", Cosh, math.Cosh}, {"tanh", Tanh, math.Tanh},
		{"asinh", Asinh, math.Asinh}, {"acosh", Acosh, math.Acosh},
		{"atanh", Atanh, math.Atanh},
	}
	special := []uint32{0, 1 << 31, 1, 0x80000001, 0x7FFFFF, 0x800000, 0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x3F800001,
		0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F800001, 0x42B17218, 0x42CFF1B5, 0xC2CFF1B5, 0x43000000, 0xC3160000}
	for _, c := range cases {
		worst, at := 0.0, uint32(0)
		check := func(b uint32) {
			x := math.Float32frombits(b)
			if u := ulps(c.got(x), c.want(float64(x))); u > worst {
				worst, at = u, b
			}
		}
		for _, b := range special {
			check(b)
		}
		for b := uint64(0); b < 1<<32; b += 21013 {
			check(uint32(b))
		}
		for b := uint32(0x3A000000); b < 0x42000000; b += 701 { // where most arguments are
			check(b)
			check(b | 1<<31)
		}
		if x := math.Float32frombits(at); worst > 1 {
			t.Errorf("%s(%g = %08x) = %g, want %g: %.4f ulp", c.name, x, at, c.got(x), c.want(float64(x)), worst)
		}
	}
}

func TestTrig_LargeArguments_AgainstExactPi(t *testing.T) {
	// π to 1000 bits by Machin's formula.
	const prec = 1000
	atanInv := func(n int64) *big.Float {
		sum, term := new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec).Quo(big.NewFloat(1).SetPrec(prec), new(big.Float).SetInt64(n))
		sq := new(big.Float).SetInt64(n * n)
		for k := int64(0); k < 450; k++ {
			q := new(big.Float).SetPrec(prec).Quo(term, new(big.Float).SetInt64(2*k+1))
			if k&1 == 0 {
				sum.Add(sum, q)
			} else {
				sum.Sub(sum, q)
			}
			term.Quo(term, sq)
		}
		return sum
	}
	pi := new(big.Float).SetPrec(prec).Sub(new(big.Float).Mul(big.NewFloat(16), atanInv(5)), new(big.Float).Mul(big.NewFloat(4), atanInv(239)))
	half := new(big.Float).SetPrec(prec).Quo(pi, big.NewFloat(2))
	for b := uint32(0x3F000000); b < 0x7F800000; b += 130003 {
		x := math.Float32frombits(b)
		k, _ := new(big.Float).SetPrec(prec).Add(new(big.Float).Quo(new(big.Float).SetPrec(prec).SetFloat64(float64(x)), half), big.NewFloat(0.5)).Int(nil)
		r, _ := new(big.Float).SetPrec(prec).Sub(new(big.Float).SetPrec(prec).SetFloat64(float64(x)), new(big.Float).SetPrec(prec).Mul(new(big.Float).SetPrec(prec).SetInt(k), half)).Float64()
		s, c := math.Sin(r), math.Cos(r)
		switch new(big.Int).And(k, big.NewInt(3)).Int64() {
		case 1:
			s, c = c, -s
		case 2:
			s, c = -s, -c
		case 3:
			s, c = -c, s
		}
		if ulps(Sin(x), s) > 1 || ulps(Cos(x), c) > 1 || ulps(Sin(-x), -s) > 1 {
			t.Fatalf("x=%g (%08x): sin %g want %g, cos %g want %g", x, b, Sin(x), s, Cos(x), c)
		}
	}
}

func TestPowAndAtan2_WithinUlp(t *testing.T) {
	values := []uint32{0, 1 << 31, 1, 0x800000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40400000, 0xC0400000, 0x3F000000, 0xBF000000,
		0x7F800000, 0xFF800000, 0x7FC00000, 0x4B800000, 0x4B7FFFFF, 0xCB7FFFFF, 0x3F7FFFFF, 0x3F800001, 0x3EAAAAAB, 0x41200000, 0x7F7FFFFF}
	s := uint32(1)
	for i := 0; i < 500; i++ {
		s = s*1664525 + 1013904223
		values = append(values, s&0x87FFFFFF|0x3C000000)
	}
	for _, a := range values {
		for _, b := range values {
			x, y := math.Float32frombits(a), math.Float32frombits(b)
			w := math.Pow(float64(x), float64(y))
			if ulps(Pow(x, y), w) > 2 || ulps(PowNearest(x, y), w) > 0.501 {
				t.Fatalf("pow(%g, %g) = %g and %g, want %g", x, y, Pow(x, y), PowNearest(x, y), w)
			}
			if w := math.Atan2(float64(x), float64(y)); ulps(Atan2(x, y), w) > 1 {
				t.Fatalf("atan2(%g, %g) = %g, want %g", x, y, Atan2(x, y), w)
			}
			if w := math.Mod(float64(x), float64(y)); ulps(Rem(x, y), w) != 0 || w == 0 && math.Signbit(float64(Rem(x, y))) != math.Signbit(w) {
				t.Fatalf("rem(%g, %g) = %g, want %g", x, y, Rem(x, y), w)
			}
		}
	}
}

func TestFMA32_OneRounding(t *testing.T) {
	s := uint64(7)
	next := func() uint32 {
		s ^= s << 13
		s ^= s >> 7
		s ^= s << 17
		return uint32(s >> 16)
	}
	for i := 0; i < 300000; i++ {
		a, b, c := next(), next(), next()
		switch i % 4 {
		case 1: // near each other: cancellation and ties
			a, b, c = a&0x807FFFFF|0x3F000000, b&0x80700000|0x3F800000, c&0x80FFFFFF|0x33000000
		case 2: // denormal results
			a, b, c = a&0x807FFFFF|0x1F000000, b&0x807FFFFF|0x20000000, c&0x80FFFFFF
		case 3:
			a, b, c = a&0x80700000|0x3F800000, b&0x807F0000|0x4B800000, c&0x80700000|0x3F000000
		}
		x, y, z := math.Float32frombits(a), math.Float32frombits(b), math.Float32frombits(c)
		p := float64(x) * float64(y)
		got := FMA32(x, y, z)
		if p != p || z-z != 0 || p-p != 0 {
			if w := float32(p + float64(z)); !(got == w || got != got && w != w) {
				t.Fatalf("fma(%g,%g,%g) = %g", x, y, z, got)
			}
			continue
		}
		w, _ := new(big.Float).SetPrec(2000).Add(new(big.Float).SetPrec(2000).SetFloat64(p), new(big.Float).SetPrec(2000).SetFloat64(float64(z))).Float32()
		if w != got {
			t.Fatalf("fma(%08x,%08x,%08x) = %g, want %g", a, b, c, got, w)
		}
	}
}

func TestMinMaxFrexpLdexp(t *testing.T) {
	zero, neg := float32(0), float32(math.Copysign(0, -1))
	if !math.Signbit(float64(Min(zero, neg))) || !math.Signbit(float64(Min(neg, zero))) || math.Signbit(float64(Max(zero, neg))) || math.Signbit(float64(Max(neg, zero))) {
		t.Error("-0 must stand below +0")
	}
	if Min(nan(), 1) != 1 || Min(1, nan()) != 1 || Max(nan(), 1) != 1 || Max(1, nan()) != 1 || math.Float32bits(Min(nan(), -nan())) != CanonicalNaN {
		t.Error("minNum and maxNum ignore one NaN")
	}
	for b := uint64(0); b < 1<<32; b += 100003 {
		x := math.Float32frombits(uint32(b))
		m, e := Frexp(x)
		if wm, we := math.Frexp(float64(x)); x == x && (float64(m) != wm || int(e) != we) {
			t.Fatalf("frexp(%g) = %g, %d", x, m, e)
		}
		for _, n := range []int32{0, 1, -1, -126, -150, 200, 1 << 30, -1 << 31} {
			if w := float32(math.Ldexp(float64(x), int(max(n, -5000)))); Ldexp(x, n) != w && x == x {
				t.Fatalf("ldexp(%g, %d) = %g, want %g", x, n, Ldexp(x, n), w)
			}
		}
	}
}

func BenchmarkTranscendental(b *testing.B) {
	for _, f := range []struct {
		name string
		f    func(float32) float32
	}{{"exp2", Exp2}, {"log2", Log2}, {"sin", Sin}, {"atan", Atan}, {"pow2.2", func(x float32) float32 { return Pow(x, 2.2) }}} {
		b.Run(f.name, func(b *testing.B) {
			var s float32
			for i := 0; i < b.N; i++ {
				s += f.f(float32(i&1023) * 0.01)
			}
			_ = s
		})
	}
}

// What programs count on stays exact: powers of two and their logarithms, 1 and 0.
func TestTranscendental_Exact(t *testing.T) {
	for n := -149; n <= 127; n++ {
		x := float32(math.Ldexp(1, n))
		if Exp2(float32(n)) != x || Log2(x) != float32(n) || Pow(2, float32(n)) != x || Pow(x, 1) != x {
			t.Errorf("2^%d: %g, %g, %g, %g", n, Exp2(float32(n)), Log2(x), Pow(2, float32(n)), Pow(x, 1))
		}
	}
	if Exp(0) != 1 || Log(1) != 0 || Cos(0) != 1 || Sin(0) != 0 || Pow(1, 3.7) != 1 || Pow(0.3, 0) != 1 {
		t.Error(Exp(0), Log(1), Cos(0), Sin(0), Pow(1, 3.7), Pow(0.3, 0))
	}
}

// The logarithm of powers, for all fractions: what its error makes of a result at the ends of the
// range, 128·ln 2 times as much, is below 0.93 ulp, and 2^x's own error is below 0.83, so that
// powers are within 2.
func TestPow_Logarithm(t *testing.T) {
	step := uint32(1)
	if testing.Short() {
		step = 61
	}
	for b := math.Float32bits(0.5); b < math.Float32bits(2); b += step {
		x := math.Float32frombits(b)
		high, low := log2Sum(x)
		want := math.Log1p(float64(x)-1) * math.Log2E
		if math.Abs(float64(high)+float64(low)-want) > 0x1.6ap-31*math.Abs(want) { // 2^-30.5
			t.Fatalf("log2(%g = %08x) = %g + %g, want %g", x, b, high, low, want)
		}
	}
}

// Powers within 2 ulp where their error is largest: where the result is about to leave the range.
func TestPow_Ends(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300_000 {
		x := float32(0.5 + 1.5*r.Float64())
		y := float32((2*r.Float64() - 1) * 149 / math.Abs(math.Log2(float64(x))))
		if w := math.Pow(float64(x), float64(y)); x != 1 && ulps(Pow(x, y), w) > 2 {
			t.Fatalf("pow(%g, %g) = %g, want %g", x, y, Pow(x, y), w)
		}
	}
}

// The polynomials are as near to their functions as their comments say, at whole steps of their ranges.
func TestSeries(t *testing.T) {
	tail := func(f func(float64) float64, powers int) func(float64) float64 {
		return func(z float64) float64 {
			x := math.Sqrt(z)
			return (f(x) - x) / math.Pow(x, float64(powers))
		}
	}
	wide := func(c []float64) func(float64) float64 {
		return func(x float64) float64 { return series(c, x) }
	}
	single := func(c []float32) func(float64) float64 {
		return func(x float64) (p float64) {
			for _, k := range c {
				p = p*x + float64(k)
			}
			return p
		}
	}
	one := func(float64) float64 { return 1 }
	of := func(f func(float64) float64) func(z float64) float64 {
		return func(z float64) float64 { s := math.Sqrt(z); return z * s / f(s) }
	}
	const c32 = float64(float32(math.Log2E))
	for _, c := range []struct {
		name   string
		series func(float64) float64
		from   float64
		to     float64
		f      func(float64) float64
		scale  func(float64) float64 // of an error to what is computed with it
		bound  float64
	}{
		{"exp2 wide", wide(Exp2Wide[:]), -.5, .5, math.Exp2,
			func(r float64) float64 { return math.Exp2(-r) }, 0x1p-44},
		{"atanh wide", wide(AtanhWide[:]), 1e-3, .0294372,
			func(z float64) float64 { return math.Atanh(math.Sqrt(z)) / math.Sqrt(z) }, one, 0x1p-49},
		{"sin wide", wide(SinWide[:]), 1e-3, .6169, tail(math.Sin, 3),
			func(z float64) float64 { return z }, 0x1p-45},
		{"cos wide", wide(CosWide[:]), 0, .6169,
			func(z float64) float64 { return math.Cos(math.Sqrt(z)) }, one, 0x1p-41},
		{"exp2", single(Exp2Series[:]), -.5, .5, math.Exp2,
			func(r float64) float64 { return math.Exp2(-r) }, 0x1p-27},
		{"exp", single(ExpSeries[:]), -.3467, .3467, math.Exp,
			func(r float64) float64 { return math.Exp(-r) }, 0x1p-27},
		{"log", single(LogSeries[:]), math.Sqrt2/2 - 1, math.Sqrt2 - 1,
			func(f float64) float64 { return (math.Log1p(f) - f) / (f * f) },
			func(f float64) float64 { return math.Abs(f * f / math.Log1p(f)) }, 0x1p-26},
		{"log2", single(Log2Series[:]), math.Sqrt2/2 - 1, math.Sqrt2 - 1,
			func(f float64) float64 { return math.Log1p(f)*math.Log2E/f - c32 },
			func(f float64) float64 { return math.Abs(f / (math.Log1p(f) * math.Log2E)) }, 0x1p-27},
		{"atanh", single(AtanhSeries[:]), 1e-4, .0592 * .0592,
			func(z float64) float64 { s := math.Sqrt(z); return (1 - math.Atanh(s)/s) / z },
			func(z float64) float64 { return z }, 0x1.1p-32},
		{"sin", single(SinSeries[:]), 1e-3, .6423,
			func(z float64) float64 { return -tail(math.Sin, 3)(z) },
			func(z float64) float64 { return z }, 0x1p-27},
		{"cos", single(CosSeries[:]), 1e-3, .6423,
			func(z float64) float64 { return (math.Cos(math.Sqrt(z)) - 1 + z/2) / (z * z) },
			func(z float64) float64 { return z * z }, 0x1p-32},
		{"atan", single(AtanSeries[:]), 1e-3, .25, tail(math.Atan, 3),
			of(math.Atan), 0x1p-27},
		{"asin", single(AsinSeries[:]), 1e-3, .25, tail(math.Asin, 3),
			of(math.Asin), 0x1p-27},
		{"sinh", single(SinhSeries[:]), 1e-3, SinhNear * SinhNear, tail(math.Sinh, 3),
			of(math.Sinh), 0x1p-31},
		{"tanh", single(TanhSeries[:]), 1e-3, TanhNear * TanhNear, tail(math.Tanh, 3),
			of(math.Tanh), 0x1p-27},
		{"asinh", single(AsinhSeries[:]), 1e-3, AreaNear * AreaNear, tail(math.Asinh, 3),
			of(math.Asinh), 0x1p-29},
		{"atanh near", single(AtanhNear[:]), 1e-3, AreaNear * AreaNear, tail(math.Atanh, 3),
			of(math.Atanh), 0x1p-29},
	} {
		worst := 0.0
		const n = 10_000
		for i := range n + 1 {
			x := c.from + (c.to-c.from)*float64(i)/n
			if math.Abs(x) < 1e-4 { // where f itself is lost in binary64
				continue
			}
			worst = max(worst, math.Abs(c.series(x)-c.f(x))*c.scale(x))
		}
		if worst > c.bound || worst < c.bound/8 {
			t.Errorf("%s: error 2^%.2f, want about 2^%.0f", c.name, math.Log2(worst), math.Log2(c.bound))
		}
	}
}
