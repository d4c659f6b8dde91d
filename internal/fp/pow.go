package fp

import "math"

// Pow returns x^y with the special values of IEEE 754 pow: 1 for y = 0 and for
// x = 1, the sign of odd integer powers, NaN for negative x and y that is no
// integer. GLSL leaves x < 0 undefined; this choice makes the fewest NaNs.
func Pow(x, y float32) float32 {
	if x > 0 && x <= math.MaxFloat32 && y-y == 0 {
		return pow(x, y)
	}
	return powSpecial(x, y, pow)
}

// PowNearest is Pow in binary64, rounded once: the nearest number, but for few in a million.
func PowNearest(x, y float32) float32 {
	if x > 0 && x <= math.MaxFloat32 && y-y == 0 {
		return powWide(x, y)
	}
	return powSpecial(x, y, powWide)
}

// Numbers near which logarithms of Pow are taken, and the bounds between. Their own logarithms are
// multiples of 2^-16, but for less than 2^-34.
const (
	PowAbove, Log2Above = 0x1.424e88p+0, 0x1.5444p-2
	PowBelow, Log2Below = 0x1.94c47cp-1, -0x1.5b3p-2
	PowUp, PowDown      = 0x1.1f4p+0, 0x1.c72p-1
)

// PowHigh and PowLow are 2·log2 e in two parts.
const PowHigh, PowLow = 0x1.715476p+1, 0x1.4ae0cp-25

// pow returns x^y for a positive, finite x and a finite y.
func pow(x, y float32) float32 {
	if x < 0x1p-126 {
		return powWide(x, y)
	}
	high, low := log2Sum(x)
	p := float32(high * -y) // the product turned
	q := FMA32(y, low, FMA32(y, high, p))
	p = max(min(p, -LeastExp2), -MostExp2)
	q = max(within(q, 1), -1)
	t := float32(q-p) + Magic
	n := t - Magic
	return scale(series32(Exp2Series[:], q-float32(p+n)), n)
}

// log2Sum returns the logarithm of a positive, normal, finite x to base 2 as a sum of two numbers,
// to 2^-30.5 of it: x is c·2^e·(1 + s)/(1 − s), where c is one of three numbers, so that |s| <
// 0.0592.
func log2Sum(x float32) (high, low float32) {
	k := int32(math.Float32bits(x)-SqrtHalf) >> 23
	m, e := math.Float32frombits(math.Float32bits(x)-uint32(k)<<23), float32(k)
	c := float32(1)
	switch {
	case m < PowDown:
		c = PowBelow
		e += Log2Below
	case m > PowUp:
		c = PowAbove
		e += Log2Above
	}
	// s turned, and what is missing to it: the divisor is a sum of two numbers.
	f, g := m-c, m+c
	byG := -1 / g
	s := float32(f * byG)
	rest := float32(FMA32(s, m-(g-c), FMA32(s, g, f)) * byG)
	sum := s + rest
	rest -= sum - s
	s = sum

	z := float32(s * s)
	h := float32(s * PowHigh) // the first part turned
	low = FMA32(s, -PowLow, FMA32(rest, -PowHigh, FMA32(s, -PowHigh, h)))
	low = FMA32(float32(series32(AtanhSeries[:], z)*z), h, low)
	high = e - h
	return high, low + (float32(e-high) - h)
}

// within is the smaller of two numbers, and most where x is a NaN.
func within(x, most float32) float32 {
	if x < most {
		return x
	}
	return most
}

// powWide is pow of any positive, finite x in binary64.
func powWide(x, y float32) float32 {
	return float32(exp2(float64(float64(y) * log2(float64(x)))))
}

// powSpecial has pow for powers of positive numbers.
func powSpecial(x, y float32, pow func(x, y float32) float32) float32 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return nan()
	}
	ax := math.Float32frombits(math.Float32bits(x) &^ signBit)
	if y > math.MaxFloat32 || y < -math.MaxFloat32 {
		switch {
		case ax == 1:
			return 1
		case (ax > 1) == (y > 0):
			return inf(0)
		}
		return 0
	}
	integer, odd := integral(y)
	negative := math.Float32bits(x)&signBit != 0
	var r float32
	switch {
	case ax == 0 && y > 0, ax > math.MaxFloat32 && y < 0:
		r = 0
	case ax == 0, ax > math.MaxFloat32:
		r = inf(0)
	case !integer: // finite x < 0
		return nan()
	default:
		r = pow(ax, y)
	}
	if negative && odd {
		r = -r
	}
	return r
}

// integral tells whether the finite y is an integer, and an odd one.
func integral(y float32) (integer, odd bool) {
	if y >= 1<<24 || y <= -(1<<24) {
		return true, false
	}
	i := int32(y)
	return float32(i) == y, float32(i) == y && i&1 != 0
}
