package fp

import "math"

// Log2 returns the logarithm of x to base 2: -Inf for ±0, NaN below.
func Log2(x float32) float32 {
	if !(x > 0) || x > math.MaxFloat32 {
		return logSpecial(x)
	}
	f, e := split32(x)
	h := float32(f * -Log2E) // the rest of log2 e is in the series
	low := FMA32(series32(Log2Series[:], f), f, FMA32(f, Log2E, h))
	high := e - h
	return high + (float32(float32(e-high)-h) + low)
}

// Log returns the natural logarithm of x: -Inf for ±0, NaN below.
func Log(x float32) float32 {
	if !(x > 0) || x > math.MaxFloat32 {
		return logSpecial(x)
	}
	f, e := split32(x)
	return logOf(f, e, 0)
}

// logOf is the natural logarithm of (1 + f)·2^e, and rest.
func logOf(f, e, rest float32) float32 {
	c := float32(e * Ln2High) // exact
	sum := c + f
	rest += FMA32(e, Ln2Low, f-(sum-c))
	return sum + FMA32(float32(f*f), series32(LogSeries[:], f), rest)
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

// Ln 2 in two parts, the first of 15 bits.
const Ln2High, Ln2Low = 0x1.62e4p-1, 0x1.7f7d1cp-20

// SqrtHalf has the bits of √½ in binary32.
const SqrtHalf = 0x3F3504F3

// split32 writes the positive, finite x as (1 + f)·2^e with 1 + f in [√½, √2).
func split32(x float32) (f, e float32) {
	below := float32(0)
	if x < 0x1p-126 {
		x *= 0x1p24
		below = 24
	}
	k := int32(math.Float32bits(x)-SqrtHalf) >> 23
	return math.Float32frombits(math.Float32bits(x)-uint32(k)<<23) - 1, float32(k) - below
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
	return math.FMA(float64(s*(2*math.Log2E)), series(AtanhWide[:], float64(s*s)), e)
}
