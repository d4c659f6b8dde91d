package fp

import "math"

// The transcendental functions of this package compute in binary64 with plain
// additions and multiplications, each rounded by itself (every product is
// converted explicitly, so no compiler may fuse it), and with explicit fused ones, and round once to
// binary32. The same bits come out on every CPU; the error stays below 0.51
// ulp of the exact result, where Vulkan allows between 2 ulp and 2^-5
// (spirvenv-precision-operation).

// Exp2 returns 2^x.
func Exp2(x float32) float32 {
	if x != x {
		return nan()
	}
	return float32(exp2(float64(x)))
}

// Exp returns e^x.
func Exp(x float32) float32 {
	if x != x {
		return nan()
	}
	return float32(exp2(float64(x) * math.Log2E))
}

// exp2 returns 2^x to about 2^-44 for x that is not NaN. Results outside the
// range of binary32 are right after rounding to it, no more.
func exp2(x float64) float64 {
	if x > 200 {
		x = 200
	} else if x < -200 {
		x = -200
	}
	// Adding 1.5·2^52 rounds to an integer, which then stands in the low bits.
	const magic = 3 << 51
	t := x + magic
	k := t - magic
	r := x - k
	p := series(Exp2Series[:], r)
	return p * math.Float64frombits((math.Float64bits(t)+1023)<<52)
}
