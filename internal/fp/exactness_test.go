package fp

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// The table docs/exactness.md on numbers in formats: against rationals, and for
// sRGB against powers of 200 bits.

// off is |got − want|.
func off(got float64, want *big.Rat) float64 {
	f, _ := new(big.Rat).Sub(new(big.Rat).SetFloat64(got), want).Float64()
	return math.Abs(f)
}

// halfUlp is half the distance of binary32 numbers at f.
func halfUlp(f float32) float64 {
	f = float32(math.Abs(float64(f)))
	return float64(math.Nextafter32(f, float32(math.Inf(1)))-f) / 2
}

func formatRow(rule, what, unit string, bound float64, why string) *rules.Exactness {
	return rules.Measure(rules.Row{Part: "Formats", Rules: rule, What: what, Unit: unit, Bound: bound, Why: why})
}

func TestExact_IMG241_FixedPoint(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-241", "IMG-242", "IMG-376", "IMG-377", "RAS-004", "RAS-006")
	decode := formatRow("IMG-241, IMG-242, RAS-004", "UNORM and SNORM codes of 1 to 16 and 24 bits to binary32", "½ ulp", 1, "Both operands of the division are exact in binary32, so it rounds once.")
	encode := formatRow("IMG-376, IMG-377, RAS-004, RAS-006", "binary32 to UNORM and SNORM codes of 1 to 16 and 24 bits, random numbers and halves", "codes", 0.5, "A product of 24 by 24 bits is exact in binary64; adding 2⁵² rounds it once, ties to even.")
	r := rand.New(rand.NewPCG(91, 92))
	for _, bits := range []uint{1, 2, 4, 5, 6, 8, 10, 12, 14, 16, 24} {
		limit := int64(1)<<bits - 1
		check := func(c int64) {
			got := UnormToFloat(uint32(c), bits)
			decode.Add(off(float64(got), big.NewRat(c, limit))/halfUlp(got), func() string { return fmt.Sprintf("UNORM%d %d", bits, c) })
			if bits == 1 {
				return
			}
			s := c - limit/2 - 1
			half := limit / 2
			got = SnormToFloat(int32(s), bits)
			decode.Add(off(float64(got), big.NewRat(max(s, -half), half))/halfUlp(got), func() string { return fmt.Sprintf("SNORM%d %d", bits, s) })
		}
		for range min(rules.Cases(500, 1<<17), 1<<bits) {
			check(r.Int64N(limit + 1))
		}
		check(0)
		check(limit)
		for range rules.Cases(500, 200_000) {
			f := r.Float32()
			switch r.IntN(3) {
			case 0: // next to a half
				f = float32((float64(r.Int64N(limit)) + 0.5) / float64(limit))
			case 1:
				f = float32(math.Exp2(-30 * r.Float64()))
			}
			want := new(big.Rat).Mul(new(big.Rat).SetFloat64(float64(f)), big.NewRat(limit, 1))
			encode.Add(off(float64(FloatToUnorm(f, bits)), want), func() string { return fmt.Sprintf("UNORM%d of %v", bits, f) })
			if bits > 1 {
				want = new(big.Rat).Mul(new(big.Rat).SetFloat64(float64(-f)), big.NewRat(limit/2, 1))
				encode.Add(off(float64(FloatToSnorm(-f, bits)), want), func() string { return fmt.Sprintf("SNORM%d of %v", bits, -f) })
			}
		}
	}
	decode.Done(t, 200)
	encode.Done(t, 500)
}

func TestExact_IMG378_SmallFloats(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-062", "IMG-378", "IMG-379", "RAS-005")
	const why = "The bits below the last place are rounded as an integer, ties to even."
	half := formatRow("IMG-378, RAS-005", "binary32 to binary16", "½ ulp of binary16", 1, why)
	small := formatRow("IMG-379, RAS-005", "binary32 to unsigned floats of 11 and 10 bits", "½ ulp of the format", 1, why)
	shared := formatRow("IMG-060 – IMG-063", "binary32 to the shared exponent", "steps of the exponent", 0.5, "A quotient by a power of two is exact in binary64; adding ½ rounds far below ½ only.")
	r := rand.New(rand.NewPCG(93, 94))
	// step is the distance of numbers with m mantissa bits at f.
	step := func(f float64, m int) float64 {
		_, e := math.Frexp(f)
		return math.Ldexp(1, max(e-1, -14)-m)
	}
	for range rules.Cases(20_000, 2_000_000) {
		f := float32(math.Exp2(32*r.Float64()-17) * (1 + r.Float64()))
		if f > 64000 {
			continue
		}
		describe := func() string { return fmt.Sprint(f) }
		half.Add(math.Abs(float64(HalfToFloat(FloatToHalf(-f)))+float64(f))/(step(float64(f), 10)/2), describe)
		small.Add(math.Abs(float64(Float11ToFloat(FloatToFloat11(f)))-float64(f))/(step(float64(f), 6)/2), describe)
		small.Add(math.Abs(float64(Float10ToFloat(FloatToFloat10(f)))-float64(f))/(step(float64(f), 5)/2), describe)
		g, h := f*r.Float32(), f*r.Float32()
		word := FloatToE5B9G9R9(f, g, h)
		x, y, z := E5B9G9R9ToFloat(word)
		unit := math.Ldexp(1, int(word>>27)-24)
		for _, p := range [3][2]float32{{f, x}, {g, y}, {h, z}} {
			shared.Add(math.Abs(float64(p[0])-float64(p[1]))/unit, describe)
		}
	}
	half.Done(t, 1000)
	small.Done(t, 1000)
	shared.Done(t, 1000)
}

// wideRoot5 is the fifth root of x > 0, by Newton's method with 200 bits.
func wideRoot5(x *big.Float) *big.Float {
	about, _ := x.Float64()
	r := new(big.Float).SetPrec(200).SetFloat64(math.Pow(about, 0.2))
	five, four := new(big.Float).SetPrec(200).SetInt64(5), new(big.Float).SetPrec(200).SetInt64(4)
	for range 4 { // 50, 100, 200 bits
		p := new(big.Float).Mul(r, r)
		p.Mul(p, p)
		q := new(big.Float).Quo(x, p)
		r = q.Quo(q.Add(q, new(big.Float).Mul(r, four)), five)
	}
	return r
}

// wideSrgb is the transfer function of a code and wideCode its inverse times 255,
// with powers as roots: 2.4 is 12/5, 1/2.4 is 5/12.
func wideSrgb(c int) *big.Float {
	n := func(x int64) *big.Float { return new(big.Float).SetPrec(200).SetInt64(x) }
	v := new(big.Float).Quo(n(int64(c)), n(255))
	if c <= 10 {
		return v.Quo(v.Mul(v, n(25)), n(323)) // 12.92
	}
	v.Add(v, new(big.Float).Quo(n(55), n(1000)))
	v.Quo(v, new(big.Float).Quo(n(1055), n(1000)))
	r := wideRoot5(v) // ^(1/5), then ^12
	r.Mul(r, r)
	four := new(big.Float).Mul(r, r)
	return four.Mul(new(big.Float).Mul(four, four), four)
}

func wideCode(f float32) float64 {
	n := func(x int64) *big.Float { return new(big.Float).SetPrec(200).SetInt64(x) }
	v := new(big.Float).SetPrec(200).SetFloat64(float64(f))
	if float64(f) <= 0.0031308 {
		out, _ := v.Mul(v, new(big.Float).Quo(n(323*255), n(25))).Float64()
		return out
	}
	// v^(5/12): the fourth root of the cube root of v⁵, the cube root by Newton.
	p := new(big.Float).Mul(v, v)
	p.Mul(p, p)
	p.Mul(p, v)
	about, _ := p.Float64()
	r := new(big.Float).SetPrec(200).SetFloat64(math.Cbrt(about))
	for range 4 {
		q := new(big.Float).Quo(p, new(big.Float).Mul(r, r))
		r = q.Quo(q.Add(q, new(big.Float).Mul(r, n(2))), n(3))
	}
	r.Sqrt(r)
	r.Sqrt(r)
	r.Mul(r, new(big.Float).Quo(n(1055), n(1000)))
	r.Sub(r, new(big.Float).Quo(n(55), n(1000)))
	out, _ := r.Mul(r, n(255)).Float64()
	return out
}

func TestExact_IMG248_Srgb(t *testing.T) {
	t.Parallel()
	rules.Covers(t, "IMG-248", "IMG-249", "RAS-343")
	decode := formatRow("IMG-248, RAS-343", "sRGB codes to linear binary32, all 256", "½ ulp", 1, "A table of correctly rounded values, made with rational arithmetic.")
	encode := formatRow("IMG-249, RAS-343", "linear binary32 to sRGB codes, random numbers and those around every boundary", "codes", 0.5, "A table of the first binary32 number of each code, made with rational arithmetic; no binary32 number lies on a boundary.")
	for c := range 256 {
		got := SrgbToLinear(uint8(c))
		d := new(big.Float).SetPrec(200).SetFloat64(float64(got))
		f, _ := d.Sub(d, wideSrgb(c)).Float64()
		decode.Add(math.Abs(f)/halfUlp(got), func() string { return fmt.Sprint(c) })
	}
	r := rand.New(rand.NewPCG(95, 96))
	check := func(f float32) {
		encode.Add(math.Abs(float64(LinearToSrgb(f))-wideCode(f)), func() string { return fmt.Sprint(f) })
	}
	for c := 1; c < 256; c++ {
		for d := range uint32(4) {
			check(math.Float32frombits(srgbCodeStart[c] + d - 2))
		}
	}
	for range rules.Cases(500, 50_000) {
		check(r.Float32())
		check(float32(math.Exp2(-12 * r.Float64())))
	}
	decode.Done(t, 256)
	encode.Done(t, 1000)
}
