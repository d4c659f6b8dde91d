package fp

import "math"

// The transcendental functions of this package compute in binary64 with plain
// additions and multiplications, each rounded by itself (every product is
// converted explicitly, so no compiler may fuse it), and round once to
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

// Powers of ln 2 over factorials: the Taylor series of 2^r. With |r| ≤ 1/2 the
// first term left out is below 2^-42 of the sum.
const (
	e1  = math.Ln2
	e2  = e1 * math.Ln2 / 2
	e3  = e2 * math.Ln2 / 3
	e4  = e3 * math.Ln2 / 4
	e5  = e4 * math.Ln2 / 5
	e6  = e5 * math.Ln2 / 6
	e7  = e6 * math.Ln2 / 7
	e8  = e7 * math.Ln2 / 8
	e9  = e8 * math.Ln2 / 9
	e10 = e9 * math.Ln2 / 10
)

// Exp2Series has these coefficients, the highest first, down to the constant one.
var Exp2Series = [...]float64{e10, e9, e8, e7, e6, e5, e4, e3, e2, e1, 1}

// exp2 returns 2^x to about 2^-42 for x that is not NaN. Results outside the
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
	p := float64(e10*r) + e9
	p = float64(p*r) + e8
	p = float64(p*r) + e7
	p = float64(p*r) + e6
	p = float64(p*r) + e5
	p = float64(p*r) + e4
	p = float64(p*r) + e3
	p = float64(p*r) + e2
	p = float64(p*r) + e1
	p = float64(p*r) + 1
	return p * math.Float64frombits((math.Float64bits(t)+1023)<<52)
}
