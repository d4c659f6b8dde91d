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

// log2 returns the base-2 logarithm of a positive, finite, normal x.
func log2(x float64) float64 {
	m, e := split(x)
	s := (m - 1) / (m + 1)
	return math.FMA(float64(s*(2*math.Log2E)), series(AtanhSeries[:], float64(s*s)), e)
}

// logn returns the natural logarithm of a positive, finite, normal x.
func logn(x float64) float64 {
	m, e := split(x)
	s := (m - 1) / (m + 1)
	return math.FMA(float64(s*2), series(AtanhSeries[:], float64(s*s)), float64(e*math.Ln2))
}
