package fp

import "math"

// HalfToFloat returns the value of a binary16 bit pattern. It is exact; every NaN becomes the canonical one.
//
// IMG-245: E=0 is (−1)^S·2^−14·M/1024, 0<E<31 is (−1)^S·2^(E−15)·(1+M/1024), E=31 is infinity or NaN.
//
// Shifted into place, exponent and mantissa are those of a float32 that is 2^112 times too small (the biases differ by 112), with
// denormals becoming denormals; the product is exact. A product of 65536 or more had exponent 31.
func HalfToFloat(h uint16) float32 {
	f := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
	if f >= 65536 {
		return halfInfOrNaN(h)
	}
	return math.Float32frombits(math.Float32bits(f) | uint32(h&0x8000)<<16)
}

func halfInfOrNaN(h uint16) float32 {
	if h&0x03ff != 0 {
		return math.Float32frombits(CanonicalNaN)
	}
	return math.Float32frombits(uint32(h&0x8000)<<16 | 0x7f800000)
}

// FloatToHalf returns the binary16 bit pattern nearest to f, ties to even. Magnitudes of 65520 or more become infinity, the sign of
// zero is kept, every NaN becomes 0x7E00.
//
// IMG-378, RAS-005 fundamentals-fp-conversion
func FloatToHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return 0x7e00
	case b >= 0x47800000: // 65536 or more
		return sign | 0x7c00
	}
	return sign | uint16(roundSmall(b, 10))
}

// roundSmall rounds the magnitude bits b of a float32 below 65536 to a float with 5 exponent bits and m mantissa bits, ties to
// even. Rounding up into the next exponent, or into infinity, is a carry out of the mantissa and needs no care.
func roundSmall(b uint32, m uint) uint32 {
	shift := 23 - m
	if b < 0x38800000 { // below 2^−14: denormal
		// One unit is 2^(−14−m). It is also the unit of float32 numbers around 2^(9−m), so adding that number makes the
		// addition itself round to it, ties to even.
		magic := (127 + 9 - uint32(m)) << 23
		return math.Float32bits(math.Float32frombits(b)+math.Float32frombits(magic)) - magic
	}
	b += 1<<(shift-1) - 1 + b>>shift&1
	return (b - (127-15)<<23) >> shift
}
