package fp

import "math"

// Float11ToFloat returns the value of an unsigned 11-bit float (5 exponent bits, 6 mantissa bits). It is exact; NaN is canonical.
//
// IMG-246: as binary16 without its sign bit, the mantissa's divisor being 64.
func Float11ToFloat(v uint32) float32 { return HalfToFloat(uint16(v & 0x7ff << 4)) }

// Float10ToFloat returns the value of an unsigned 10-bit float (5 exponent bits, 5 mantissa bits). It is exact; NaN is canonical.
//
// IMG-246: as binary16 without its sign bit, the mantissa's divisor being 32.
func Float10ToFloat(v uint32) float32 { return HalfToFloat(uint16(v & 0x3ff << 5)) }

// FloatToFloat11 returns the unsigned 11-bit float nearest to f, ties to even. Negative numbers become 0, numbers of 65280 or more
// infinity (0x7C0), NaN 0x7E0.
//
// IMG-379
func FloatToFloat11(f float32) uint32 { return floatToUnsigned(f, 6) }

// FloatToFloat10 returns the unsigned 10-bit float nearest to f, ties to even. Negative numbers become 0, numbers of 65024 or more
// infinity (0x3E0), NaN 0x3F0.
//
// IMG-379
func FloatToFloat10(f float32) uint32 { return floatToUnsigned(f, 5) }

// floatToUnsigned rounds to a float without sign, with 5 exponent bits and m mantissa bits.
func floatToUnsigned(f float32, m uint) uint32 {
	b := math.Float32bits(f)
	switch {
	case b&0x7fffffff > 0x7f800000:
		return 0x3f << (m - 1) // all exponent bits and the top mantissa bit
	case b >= 0x80000000:
		return 0
	case b >= 0x47800000: // 65536 or more
		return 31 << m
	}
	return roundSmall(b, m)
}

// Constants of the shared-exponent format (IMG catalogue, section 3).
const (
	sharedMantissa = 9     // N
	sharedBias     = 15    // B
	sharedMax      = 65408 // (2^N−1)/2^N · 2^(31−B)
)

// E5B9G9R9ToFloat returns the three values of a shared-exponent word, exactly: component · 2^(exponent−24).
//
// IMG-064
func E5B9G9R9ToFloat(w uint32) (r, g, b float32) {
	scale := powerOfTwo(int(w>>27) - sharedBias - sharedMantissa)
	return float32(w&0x1ff) * scale, float32(w>>9&0x1ff) * scale, float32(w>>18&0x1ff) * scale
}

// FloatToE5B9G9R9 returns the shared-exponent word of three values. Negative values and NaN become 0, values above 65408 (infinity
// too) become 65408; mantissas round to nearest, ties up.
//
// IMG-060 … IMG-063, IMG-065
func FloatToE5B9G9R9(r, g, b float32) uint32 {
	r, g, b = clampShared(r), clampShared(g), clampShared(b)
	// IMG-061: exp' = floor(log2(max)) + B + 1 above 2^−(B+1), else 0. The exponent field of a float32 is floor(log2) + 127.
	largest := max(r, g, b)
	exp := 0
	if largest > 0x1p-16 {
		exp = int(math.Float32bits(largest)>>23) - 127 + sharedBias + 1
	}
	// IMG-062: the largest mantissa may round up to 2^N, which takes the next exponent.
	if sharedRound(largest, exp) == 1<<sharedMantissa {
		exp++
	}
	return uint32(exp)<<27 | sharedRound(b, exp)<<18 | sharedRound(g, exp)<<9 | sharedRound(r, exp)
}

// clampShared is IMG-060.
func clampShared(c float32) float32 {
	switch {
	case !(c > 0): // NaN too
		return 0
	case c > sharedMax:
		return sharedMax
	}
	return c
}

// sharedRound is floor(c / 2^(exp−B−N) + 1/2) of IMG-062 and IMG-063. The quotient is exact in float64. The sum may round, but only
// far below 1/2: a quotient below k + 1/2 is at least 2^−25 away from it, 2^28 units of the sum's last place.
func sharedRound(c float32, exp int) uint32 {
	q := float64(float64(c) * float64(powerOfTwo(sharedBias+sharedMantissa-exp)))
	return uint32(q + 0.5)
}

// powerOfTwo returns 2^e for −126 ≤ e ≤ 127.
func powerOfTwo(e int) float32 { return math.Float32frombits(uint32(127+e) << 23) }
