package fp

import "math"

// Log2 returns the logarithm of x to base 2: -Inf for ±0, NaN below.
func Log2(x float32) float32 {
	if !(x > 0) || x > math.MaxFloat32 {
		return logSpecial(x)
	}
	return float32(log2(float64(x)))
}

// Log returns the natural logarithm of x: -Inf for ±0, NaN below.
func Log(x float32) float32 {
	if !(x > 0) || x > math.MaxFloat32 {
		return logSpecial(x)
	}
	return float32(logn(float64(x)))
}

func logSpecial(x float32) float32 {
	switch {
	case x == 0:
		return inf(signBit)
	case x > 0:
		return x
	}
	return nan()
}

// split writes the positive normal x as m·2^e with m in [√½, √2).
func split(x float64) (m, e float64) {
	const sqrtHalf = 0x3FE6A09E667F3BCD
	b := math.Float64bits(x) - sqrtHalf
	k := int64(b) >> 52
	return math.Float64frombits(math.Float64bits(x) - uint64(k)<<52), float64(k)
}

// atanhSeries returns (atanh s)/s for s² = z ≤ 0.0295; the first term left
// out is below 2^-54.
func atanhSeries(z float64) float64 {
	p := float64(z*(1.0/19)) + 1.0/17
	p = float64(p*z) + 1.0/15
	p = float64(p*z) + 1.0/13
	p = float64(p*z) + 1.0/11
	p = float64(p*z) + 1.0/9
	p = float64(p*z) + 1.0/7
	p = float64(p*z) + 1.0/5
	p = float64(p*z) + 1.0/3
	return float64(p*z) + 1
}

// log2 returns the base-2 logarithm of a positive, finite, normal x.
func log2(x float64) float64 {
	m, e := split(x)
	s := (m - 1) / (m + 1)
	return e + float64(float64(s*(2*math.Log2E))*atanhSeries(float64(s*s)))
}

// logn returns the natural logarithm of a positive, finite, normal x.
func logn(x float64) float64 {
	m, e := split(x)
	s := (m - 1) / (m + 1)
	return float64(e*math.Ln2) + float64(float64(s*2)*atanhSeries(float64(s*s)))
}
