package fp

import "math"

// The exponential, logarithmic, trigonometric and hyperbolic functions compute in binary32 with
// additions, multiplications and fused ones, each rounded by itself. Their error is below 1 ulp of
// the exact result, and that of pow below 2; where Vulkan asks for less error, this does
// (spirvenv-precision-operation). Large arguments of sin, cos and tan, and powers of denormal numbers,
// compute in binary64 (every product is converted explicitly, so that no compiler may fuse it) and
// round once. The same bits come out on every CPU.

// Magic is added to a number below 2^22 to round it to an integer, which then stands in the low
// bits.
const Magic = 3 << 22

// Ends of what 2^x is computed of: beyond them the result is infinite, or zero.
const (
	MostExp2  = 130
	LeastExp2 = -152
	MostExp   = 90
	LeastExp  = -105
)

// Log2E is log2 e in binary32, and ExpHigh and ExpLow are −ln 2 in two parts.
const (
	Log2E           = 0x1.715476p+0
	ExpHigh, ExpLow = -0x1.62e43p-1, 0x1.05c61p-29
)

// Exp2 returns 2^x.
func Exp2(x float32) float32 {
	if x != x {
		return nan()
	}
	x = max(min(x, MostExp2), LeastExp2)
	t := x + Magic
	k := t - Magic
	return scale(series32(Exp2Series[:], x-k), k)
}

// Exp returns e^x.
func Exp(x float32) float32 {
	if x != x {
		return nan()
	}
	x = max(min(x, MostExp), LeastExp)
	k := FMA32(x, Log2E, Magic) - Magic
	r := FMA32(k, ExpLow, FMA32(k, ExpHigh, x))
	return scale(series32(ExpSeries[:], r), k)
}

// scale returns p·2^k, rounded once, of p from ½ to 2 and an integer k from -152 to 130. Each half
// of the exponent is a number of its own.
func scale(p, k float32) float32 {
	half := int32(k) >> 1
	power := func(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }
	return float32(float32(p*power(half)) * power(int32(k)-half))
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
	p := series(Exp2Wide[:], r)
	return p * math.Float64frombits((math.Float64bits(t)+1023)<<52)
}
