package fp

import "math"

const (
	signBit = 1 << 31

	// CanonicalNaN is the one NaN that becomes visible.
	CanonicalNaN = 0x7FC00000
)

func nan() float32 { return math.Float32frombits(CanonicalNaN) }

// inf returns an infinity with the given sign bit.
func inf(sign uint32) float32 { return math.Float32frombits(0x7F800000 | sign) }

// InvSqrt returns 1/√x with two roundings, at most 1.5 ulp off (Vulkan asks
// for 2).
func InvSqrt(x float32) float32 {
	return 1 / float32(math.Sqrt(float64(x)))
}

// FMA32 returns x·y + z rounded once, on every CPU.
func FMA32(x, y, z float32) float32 {
	s := float64(float64(x)*float64(y)) + float64(z) // the product is exact: 48 bits
	if b := math.Float64bits(s); b<<35 != 1<<63 && b<<1 >= 897<<53 {
		return float32(s)
	}
	return fmaTie(s, x, y, z)
}

// fmaTie returns x·y + z of s, which is rounded already, to 53 bits. Rounding it again goes wrong
// only where it looks like a tie of binary32 and is none, or, in the denormal range, where ties
// stand elsewhere. So s is rounded to odd, which keeps what rounding to binary32 needs to know (53
// ≥ 24 + 2 bits).
//
//go:noinline
func fmaTie(s float64, x, y, z float32) float32 {
	p, w := float64(float64(x)*float64(y)), float64(z)
	v := s - p
	e := (p - (s - v)) + (w - v) // the exact error of s (Knuth)
	if e != 0 && e == e {
		b := math.Float64bits(s)
		if b&1 == 0 {
			if (e > 0) == (s > 0) {
				b++
			} else {
				b--
			}
			s = math.Float64frombits(b)
		}
	}
	return float32(s)
}

// Min returns the smaller of two numbers (IEEE minNum): the other one if one
// is NaN, -0 before +0.
func Min(x, y float32) float32 {
	switch {
	case x < y:
		return x
	case y < x:
		return y
	case x != x:
		if y != y {
			return nan()
		}
		return y
	case y != y:
		return x
	}
	// Equal: bits differ only for zeros, where the sign of either wins.
	return math.Float32frombits(math.Float32bits(x) | math.Float32bits(y))
}

// Max returns the larger of two numbers (IEEE maxNum): the other one if one is
// NaN, +0 before -0.
func Max(x, y float32) float32 {
	switch {
	case x > y:
		return x
	case y > x:
		return y
	case x != x:
		if y != y {
			return nan()
		}
		return y
	case y != y:
		return x
	}
	return math.Float32frombits(math.Float32bits(x) & math.Float32bits(y))
}

// RoundEven rounds to the nearest integer, ties to even.
func RoundEven(x float32) float32 { return float32(math.RoundToEven(float64(x))) }

// Ldexp returns x·2^n, rounded once.
func Ldexp(x float32, n int32) float32 {
	if x != x {
		return nan()
	}
	// binary32 spans 2^-149 to 2^128, so a larger |n| changes nothing, and
	// the product is exact in binary64.
	n = max(min(n, 300), -300)
	return float32(float64(x) * math.Float64frombits(uint64(n+1023)<<52))
}

// Frexp writes x as mantissa·2^exponent with a mantissa in [½, 1). Zeros,
// infinities and NaN have themselves as mantissa and exponent 0.
func Frexp(x float32) (mantissa float32, exponent int32) {
	b := math.Float32bits(x)
	switch a := b &^ signBit; {
	case a == 0 || a == 0x7F800000:
		return x, 0
	case a > 0x7F800000:
		return nan(), 0
	}
	d := math.Float64bits(float64(x)) // normal there
	exponent = int32(d>>52&0x7FF) - 1022
	return float32(math.Float64frombits(d&^(0x7FF<<52) | 1022<<52)), exponent
}

// Rem returns the remainder of x/y truncated, exact, with the sign of x; NaN
// for infinite x or zero y.
func Rem(x, y float32) float32 {
	a, b := math.Float32bits(x)&^signBit, math.Float32bits(y)&^signBit
	switch {
	case a >= 0x7F800000 || b > 0x7F800000 || b == 0:
		return nan()
	case a < b:
		return x
	}
	ma, ea := integerParts(a)
	mb, eb := integerParts(b)
	// a ≥ b: the remainder of ma·2^(ea-eb) by mb, at most 40 bits at a time.
	d := ea - eb
	if d < 0 { // both lose nothing: mb is normalised at least as high as ma
		mb <<= uint(-d)
		eb = ea
		d = 0
	}
	r := ma % mb
	for d > 0 && r != 0 {
		n := min(d, 39)
		r = (r << uint(n)) % mb
		d -= n
	}
	// r < 2^24 scaled by 2^eb: exact in both steps.
	v := float32(float64(r) * math.Float64frombits(uint64(eb+1023)<<52))
	return math.Float32frombits(math.Float32bits(v) | math.Float32bits(x)&signBit)
}

// integerParts writes the finite, positive number with bits b as m·2^e.
func integerParts(b uint32) (m uint64, e int) {
	if b>>23 == 0 {
		return uint64(b), -149
	}
	return uint64(b&0x7FFFFF | 0x800000), int(b>>23) - 150
}
