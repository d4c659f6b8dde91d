package fp

import "math"

// UnormToFloat returns c / (2^bits − 1), correctly rounded. 1 ≤ bits ≤ 24, c < 2^bits.
//
// IMG-241, RAS-004 fundamentals-fixedfpconv. Both operands are exact in float32, so the division rounds once.
func UnormToFloat(c uint32, bits uint) float32 { return float32(c) / float32(uint32(1)<<bits-1) }

// Unorm8ToFloat is UnormToFloat for 8 bits, from a table.
func Unorm8ToFloat(c uint8) float32 { return math.Float32frombits(unorm8Bits[c]) }

// FloatToUnorm8 is FloatToUnorm for 8 bits.
func FloatToUnorm8(f float32) uint8 {
	if !(f > 0) {
		return 0
	}
	if f >= 1 {
		return 255
	}
	return uint8(math.Float64bits(float64(float64(f)*255) + 0x1p52))
}

// SnormToFloat returns max(c / (2^(bits−1) − 1), −1), correctly rounded. 2 ≤ bits ≤ 24; c is sign-extended.
//
// IMG-242, RAS-004 fundamentals-fixedfpconv
func SnormToFloat(c int32, bits uint) float32 {
	return max(float32(c)/float32(int32(1)<<(bits-1)-1), -1)
}

// FloatToUnorm returns clamp(f, 0, 1)·(2^bits − 1) rounded to nearest, ties to even; NaN becomes 0. 1 ≤ bits ≤ 24.
//
// IMG-376, RAS-004 fundamentals-fpfixedconv
func FloatToUnorm(f float32, bits uint) uint32 {
	limit := uint32(1)<<bits - 1
	switch {
	case !(f > 0): // NaN too
		return 0
	case f >= 1:
		return limit
	}
	// 24 bits times 24 bits is exact in float64; adding 2^52 rounds the product to an integer, ties to even.
	return uint32(math.Float64bits(float64(float64(f)*float64(limit)) + 0x1p52))
}

// FloatToSnorm returns clamp(f, −1, 1)·(2^(bits−1) − 1) rounded to nearest, ties to even; NaN becomes 0. The most negative code is
// never produced. 2 ≤ bits ≤ 24.
//
// IMG-377, RAS-004 fundamentals-fpfixedconv
func FloatToSnorm(f float32, bits uint) int32 {
	if f < 0 {
		return -int32(FloatToUnorm(-f, bits-1))
	}
	return int32(FloatToUnorm(f, bits-1))
}

// FloatToUint returns f rounded to nearest, ties to even, and clamped to [0, 2^bits − 1]; NaN becomes 0. 1 ≤ bits ≤ 32.
//
// IMG-380 (USCALED)
func FloatToUint(f float32, bits uint) uint32 {
	limit := uint32(1<<bits - 1)
	switch {
	case !(f > 0): // NaN too
		return 0
	case float64(f) >= float64(limit):
		return limit
	}
	return uint32(math.RoundToEven(float64(f)))
}

// FloatToInt returns f rounded to nearest, ties to even, and clamped to [−2^(bits−1), 2^(bits−1) − 1]; NaN becomes 0.
// 2 ≤ bits ≤ 32.
//
// IMG-380 (SSCALED)
func FloatToInt(f float32, bits uint) int32 {
	limit := float64(uint32(1) << (bits - 1))
	v := math.RoundToEven(float64(f))
	switch {
	case v != v:
		return 0
	case v <= -limit:
		return int32(-limit)
	case v >= limit-1:
		return int32(limit - 1)
	}
	return int32(v)
}
