//go:build amd64 || arm64

package vm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// FrexpStruct, Ldexp and FRem of binary64 are what GLSL.std.450 and the specification of OpFRem say,
// to the last bit: fractions of 0.5 and more, products that are rounded once, to even where they
// become denormal, and remainders that have no rounding at all.
func TestNative_ScalesAndRemainders(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, scalesAndRemainders)
}

func scalesAndRemainders(t *testing.T) {
	const n = 5000
	r := rand.New(rand.NewPCG(19, 64))
	edge := []float64{0, 1, 1.5, 0.1, math.Inf(1), math.NaN(), math.MaxFloat64, 0x1p-1022, 0x1p-1074,
		0x1.8p-1074, 0x1.fffffffffffffp-1023, 0x1.8p-1073, 3, 0x1p1023, 0x1p52, 0x1p53 - 1}
	some := func() float64 {
		switch r.IntN(4) {
		case 0:
			return math.Copysign(edge[r.IntN(len(edge))], float64(r.IntN(2))-0.5)
		case 1: // few bits, denormal ones among them
			x := float64(1+r.IntN(64)) * math.Ldexp(1, r.IntN(2090)-1074)
			return math.Copysign(x, float64(r.IntN(2))-0.5)
		case 2:
			return float64(r.IntN(2000)) / 8
		}
		return math.Float64frombits(r.Uint64())
	}
	in := make([][]uint32, 5)
	for i := range in {
		in[i] = make([]uint32, n)
	}
	xs, ys, by := make([]float64, n), make([]float64, n), make([]int32, n)
	for l := range n {
		xs[l], ys[l] = some(), some()
		switch r.IntN(4) {
		case 0:
			by[l] = int32(r.Uint32())
		case 1: // to denormal numbers and about the largest
			_, e := math.Frexp(xs[l])
			by[l] = int32([]int{-1076, 1020}[r.IntN(2)] - e + r.IntN(60))
		case 2:
			by[l] = int32(r.IntN(4500) - 2250)
		default:
			by[l] = []int32{math.MinInt32, math.MaxInt32, 0, -1, 1, -2098, 2098}[r.IntN(7)]
		}
		for i, x := range [2]float64{xs[l], ys[l]} {
			in[2*i][l], in[2*i+1][l] = uint32(math.Float64bits(x)), uint32(math.Float64bits(x)>>32)
		}
		in[4][l] = uint32(by[l])
	}
	p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.I32},
		[]ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32},
		func(b *ir.Builder, v []ir.Value) {
			wide := func(at int, op ir.WideOp, x ...ir.Value) {
				r := b.OpMore(ir.OpWide, ir.I32, uint64(op), x)
				output(b, at, r)
				if op != ir.WideFrexpExp {
					output(b, at+1, b.OpImm(ir.OpResult, ir.I32, 1, r))
				}
			}
			wide(0, ir.WideFrexpMant, v[0], v[1])
			wide(2, ir.WideLdexp, v[0], v[1], v[4])
			wide(4, ir.WideFRem, v[0], v[1], v[2], v[3])
			wide(6, ir.WideFrexpExp, v[0], v[1])
		})
	compiled, err := New(loopsOr(true)).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]uint32, len(p.Outputs))
	for i := range out {
		out[i] = make([]uint32, n)
	}
	x := compiled.NewThread(n)
	if err := x.Run(&exec.Context{}, &exec.Batch{N: n, In: in, Out: out}); err != nil {
		t.Fatal(err)
	}
	number := func(at, l int) uint64 { return uint64(out[at][l]) | uint64(out[at+1][l])<<32 }
	for l := range n {
		a, b := xs[l], ys[l]
		fraction, exponent := exactFrexp(a)
		if got := number(0, l); got != bitsOf(fraction) || int32(out[6][l]) != exponent {
			t.Fatalf("frexp(%x) = %x, %d, want %x, %d", a, math.Float64frombits(got),
				int32(out[6][l]), fraction, exponent)
		}
		if got, want := number(2, l), exactLdexp(a, by[l]); got != bitsOf(want) {
			t.Fatalf("ldexp(%x, %d) = %x, want %x", a, by[l], math.Float64frombits(got), want)
		}
		if got, want := number(4, l), exactRem(a, b); got != bitsOf(want) {
			t.Fatalf("%x rem %x = %x, want %x", a, b, math.Float64frombits(got), want)
		}
	}
	if op := x.(*thread).native.Served(); machine >= 256 && op != 0 {
		t.Errorf("Go computed operation %v", ir.WideOp(op))
	}
}

// bitsOf are those of a number, and of the canonical NaN.
func bitsOf(x float64) uint64 {
	if x != x {
		return 0x7FF8000000000000
	}
	return math.Float64bits(x)
}

func finite(x float64) bool { return x-x == 0 }

// exactFrexp is FrexpStruct in integers of any size: exponents of zeros and of what is not finite
// are 0.
func exactFrexp(x float64) (fraction float64, exponent int32) {
	if x == 0 || !finite(x) {
		return x, 0
	}
	var m big.Float
	e := new(big.Float).SetFloat64(x).MantExp(&m)
	fraction, _ = m.Float64()
	return fraction, int32(e)
}

// exactLdexp is x·2^n, rounded once, to the nearest, ties to even.
func exactLdexp(x float64, n int32) float64 {
	if x == 0 || !finite(x) {
		return x
	}
	z := new(big.Float).SetFloat64(x)
	r, _ := z.SetMantExp(z, int(max(min(n, 10000), -10000))).Float64()
	return r
}

// exactRem is x − y·trunc(x/y), with the sign of x.
func exactRem(x, y float64) float64 {
	if !finite(x) || y != y || y == 0 {
		return math.NaN()
	}
	if x == 0 || math.IsInf(y, 0) {
		return x
	}
	units := func(x float64) *big.Int { // of 2^-1074
		z := new(big.Float).SetPrec(64).SetFloat64(x)
		i, _ := z.SetMantExp(z, 1074).Int(nil)
		return i
	}
	r := new(big.Int).Rem(units(x), units(y))
	z := new(big.Float).SetInt(r)
	v, _ := z.SetMantExp(z, -1074).Float64()
	return math.Copysign(v, x)
}
