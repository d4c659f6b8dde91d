package programs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// within returns whether a binary32 is off by no more than so many units in the last place of a
// result in binary64, as docs/precision.md has it for transcendental functions. Zeros have the same
// sign.
func within(most float64) func(got, want uint64) bool {
	return func(got, want uint64) bool {
		x, v := f32.number(got), math.Float64frombits(want)
		switch {
		case v != v || x != x:
			return v != v && x != x
		case v == 0:
			return x == 0 && math.Signbit(x) == math.Signbit(v)
		case math.IsInf(v, 0) || math.IsInf(x, 0):
			return float64(float32(v)) == x
		}
		return math.Abs(x-v) <= most*math.Ldexp(1, max(math.Ilogb(v)-23, -149))
	}
}

// arguments are the floats at ends, and some of each size.
func arguments(more ...float64) operand {
	o := operand{f32, floats(f32)}
	for _, v := range more {
		x := float32(v)
		for _, near := range []float32{x, math.Nextafter32(x, 1e38), math.Nextafter32(x, -1e38)} {
			o.values = append(o.values, uint64(math.Float32bits(near)), uint64(math.Float32bits(-near)))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	n := 400
	if testing.Short() {
		n = 120
	}
	for range n {
		v := math.Ldexp(1+r.Float64(), r.IntN(60)-40)
		if r.IntN(2) == 0 {
			v = r.Float64()
		}
		if r.IntN(2) == 0 {
			v = -v
		}
		o.values = append(o.values, uint64(math.Float32bits(float32(v))))
	}
	return o
}

// Functions whose results no arithmetic gives exactly: all are within a unit, and powers within two.
func TestFunctions(t *testing.T) {
	rules.Covers(t, "RAS-001")
	args := []operand{arguments(88.72283, -103.97208, 87.33, 128, -126, -149.5, math.Pi, math.Pi/2, math.Pi/4, 3*math.Pi/4, 2*math.Pi, 1e5, 1e10, 1e30, 0x1p-12, 0x1.8p-12, 2.4375, .6875, 19.0625, 1.1875, .4375, 9.01, .125, 22)}
	var list []operation
	each := func(op spirv.GLSLOp, f func(x float64) float64) {
		o := extended(op, fmt.Sprint("function ", op), f32, args, func(a []uint64) (uint64, bool) { return math.Float64bits(f(f32.number(a[0]))), true })
		o.same = within(1)
		list = append(list, o)
	}
	each(spirv.GLSLSin, math.Sin)
	each(spirv.GLSLCos, math.Cos)
	each(spirv.GLSLTan, math.Tan)
	each(spirv.GLSLAsin, math.Asin)
	each(spirv.GLSLAcos, math.Acos)
	each(spirv.GLSLAtan, math.Atan)
	// Infinite where exp is, of which Vulkan has them made.
	beyond := func(f func(x float64) float64) func(x float64) float64 {
		return func(x float64) float64 {
			if math.IsInf(float64(float32(math.Exp(math.Abs(x)))), 0) {
				return f(x) * math.Inf(1)
			}
			return f(x)
		}
	}
	each(spirv.GLSLSinh, beyond(math.Sinh))
	each(spirv.GLSLCosh, beyond(math.Cosh))
	each(spirv.GLSLTanh, math.Tanh)
	each(spirv.GLSLAsinh, math.Asinh)
	each(spirv.GLSLAcosh, math.Acosh)
	each(spirv.GLSLAtanh, math.Atanh)
	each(spirv.GLSLExp, math.Exp)
	each(spirv.GLSLExp2, math.Exp2)
	each(spirv.GLSLLog, math.Log)
	each(spirv.GLSLLog2, math.Log2)
	o := extended(spirv.GLSLInverseSqrt, "inverse square root", f32, args, func(a []uint64) (uint64, bool) { // two roundings
		return f32.code(float64(float32(1 / float64(float32(math.Sqrt(f32.number(a[0]))))))), true
	})
	o.same = anyNaN(f32)
	check(t, append(list, o))
	two := []operand{arguments(), arguments(128, -126, 2, 3)}
	pow := extended(spirv.GLSLPow, "power", f32, two, func(a []uint64) (uint64, bool) {
		x, y := f32.number(a[0]), f32.number(a[1])
		return math.Float64bits(math.Pow(x, y)), x > 0 && y == y // open for others
	})
	atan2 := extended(spirv.GLSLAtan2, "angle", f32, two, func(a []uint64) (uint64, bool) {
		y, x := f32.number(a[0]), f32.number(a[1])
		return math.Float64bits(math.Atan2(y, x)), x != 0 || y != 0
	})
	pow.same, atan2.same = within(2), within(1)
	check(t, []operation{pow, atan2})
}
