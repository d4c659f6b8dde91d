package lane

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// toZero cuts an exact number to a format of prec bits whose smallest number
// is 2^least and whose numbers end below 2^top.
func toZero(v *big.Float, prec uint, least, top int) float64 {
	if v.Sign() == 0 {
		return 0
	}
	exp := v.MantExp(nil)
	if exp > top {
		big := math.Ldexp(1-math.Ldexp(1, -int(prec)), top)
		return math.Copysign(big, float64(v.Sign()))
	}
	bits := min(int(prec), exp-least)
	if bits <= 0 {
		return math.Copysign(0, float64(v.Sign()))
	}
	r, _ := new(big.Float).SetMode(big.ToZero).SetPrec(uint(bits)).Set(v).Float64()
	return r
}

func wide() *big.Float { return new(big.Float).SetPrec(5000) }

// TestTowardZero_AgainstExactNumbers compares with arithmetic of 5000 bits.
func TestTowardZero_AgainstExactNumbers(t *testing.T) {
	rules.Covers(t, "RAS-001")
	rng := rand.New(rand.NewPCG(1, 2))
	n := 20000
	if testing.Short() {
		n = 2000
	}
	for range n {
		// Exponents near each other, or anywhere.
		pick := func(bits, exps uint) uint64 {
			v := rng.Uint64() >> (64 - bits)
			if rng.IntN(2) == 0 {
				mant := bits - 1 - exps
				v = v&^((1<<exps-1)<<mant) | (1<<(exps-1)-4+rng.Uint64N(8))<<mant
			}
			return v
		}
		x, y, z := pick(32, 8), pick(32, 8), pick(32, 8)
		check(t, "32", [3]float64{float(x), float(y), float(z)}, 24, -149, 128, func(r uint64) float64 { return float(r) }, map[string]uint64{
			"add": AddZ(x, y), "sub": SubZ(x, y), "mul": MulZ(x, y), "div": DivZ(x, y), "fma": FmaZ(x, y, z), "sqrt": SqrtZ(x),
		})
		x, y, z = pick(64, 11), pick(64, 11), pick(64, 11)
		check(t, "64", [3]float64{d(x), d(y), d(z)}, 53, -1074, 1024, d, map[string]uint64{
			"add": AddZ64(x, y), "sub": SubZ64(x, y), "mul": MulZ64(x, y), "div": DivZ64(x, y), "fma": FmaZ64(x, y, z), "sqrt": SqrtZ64(x),
		})
		if !math.IsNaN(d(x)) && !math.IsInf(d(x), 0) {
			if got, want := float(D2FZ(x)), toZero(wide().SetFloat64(d(x)), 24, -149, 128); got != want {
				t.Errorf("d2f %g = %g, want %g", d(x), got, want)
			}
		}
		x >>= rng.Uint64N(64)
		u, s := wide().SetUint64(x), wide().SetInt64(int64(x))
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"ul2d", d(UL2DZ(x)), toZero(u, 53, -1074, 1024)}, {"l2d", d(L2DZ(x)), toZero(s, 53, -1074, 1024)},
			{"ul2f", float(UL2FZ(x)), toZero(u, 24, -149, 128)}, {"l2f", float(L2FZ(x)), toZero(s, 24, -149, 128)},
			{"u2f", float(U2FZ(x)), toZero(wide().SetUint64(x&0xFFFFFFFF), 24, -149, 128)}, {"s2f", float(S2FZ(x)), toZero(wide().SetInt64(int64(int32(x))), 24, -149, 128)},
			{"quantize", float(QuantizeZ(uint64(b(float32(int32(x)) / 65536)))), toZero(wide().SetFloat64(float64(float32(int32(x))/65536)), 11, -24, 16)},
		} {
			if c.got != c.want {
				t.Fatalf("%s of %#x = %g, want %g", c.name, x, c.got, c.want)
			}
		}
	}
}

func check(t *testing.T, width string, v [3]float64, prec uint, least, top int, value func(uint64) float64, got map[string]uint64) {
	t.Helper()
	if !finite(v[0], v[1], v[2]) {
		return
	}
	x, y, z := wide().SetFloat64(v[0]), wide().SetFloat64(v[1]), wide().SetFloat64(v[2])
	want := map[string]*big.Float{
		"add": wide().Add(x, y), "sub": wide().Sub(x, y), "mul": wide().Mul(x, y), "fma": wide().Add(wide().Mul(x, y), z),
	}
	if v[1] != 0 {
		want["div"] = wide().Quo(x, y)
	}
	if v[0] >= 0 {
		want["sqrt"] = wide().Sqrt(x)
		if r := math.Sqrt(v[0]); wide().Mul(wide().SetFloat64(r), wide().SetFloat64(r)).Cmp(x) == 0 {
			want["sqrt"] = wide().SetFloat64(r) // big.Float's own root is not exact
		}
	}
	for name, w := range want {
		if g, w := value(got[name]), toZero(w, prec, least, top); g != w {
			t.Errorf("%s%s of %g, %g, %g = %g, want %g", name, width, v[0], v[1], v[2], g, w)
		}
	}
}

// Zeros, infinities and NaN come out as they do when rounding to the nearest.
func TestTowardZero_SpecialValues(t *testing.T) {
	rules.Covers(t, "RAS-001")
	inf, nan, negZero := uint64(0x7F800000), uint64(0x7FC00000), uint64(1<<31)
	one := uint64(0x3F800000)
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"1-1", SubZ(one, one), 0}, {"-0-0", AddZ(negZero, negZero), negZero}, {"inf-inf", SubZ(inf, inf), nan}, {"inf+1", AddZ(inf, one), inf},
		{"1/0", DivZ(one, 0), inf}, {"1/-0", DivZ(one, negZero), inf | 1<<31}, {"0/0", DivZ(0, 0), nan}, {"1/inf", DivZ(one, inf), 0}, {"-1/inf", DivZ(one|1<<31, inf), negZero},
		{"1/-inf", DivZ(one, inf|1<<31), negZero}, {"0/inf", DivZ(0, inf), 0}, {"inf/inf", DivZ(inf, inf), nan}, {"sqrt -0", SqrtZ(negZero), negZero}, {"sqrt -1", SqrtZ(one | 1<<31), nan},
		{"1*-0", MulZ(one, negZero), negZero}, {"quantize inf", QuantizeZ(inf), inf}, {"quantize", QuantizeZ(0x477FFFFF), 0x477FE000}, {"quantize -", QuantizeZ(0xC77FFFFF), 0xC77FE000},
		{"1/0 wide", DivZ64(0x3FF<<52, 0), 0x7FF << 52}, {"sqrt -0 wide", SqrtZ64(1 << 63), 1 << 63}, {"0*-1 wide", MulZ64(0, 0xBFF<<52), 1 << 63},
		{"tiny wide", MulZ64(0x8000000000000001, 0x3FE<<52), 1 << 63}, {"huge wide", AddZ64(0xFFEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF), 0xFFEFFFFFFFFFFFFF},
		{"flush", Flush(0x807FFFFF), negZero}, {"flush normal", Flush(0x80800000), 0x80800000}, {"flush16", Flush16(0x387FC000), 0}, {"flush16 normal", Flush16(0x38800000), 0x38800000},
		{"flush64", Flush64(0x800FFFFFFFFFFFFF), 1 << 63}, {"flush64 normal", Flush64(1 << 52), 1 << 52}, {"flush NaN", Flush(0x7F812345), nan},
	} {
		if c.got != c.want {
			t.Errorf("%s = %#x, want %#x", c.name, c.got, c.want)
		}
	}
}
