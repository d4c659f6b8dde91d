package mat

import "math"

const (
	twoOverPi  = 0.63661977236758134307553505349005744813783858296182
	maxReduced = 1 << 20
)

// SinCos returns sine and cosine of x (radians). For |x| below 2^20 the error
// is below 2^-50; beyond that the argument is first reduced modulo 2π in
// binary64, which loses accuracy as any binary64 angle of that size has. NaN
// and infinities give NaN.
func SinCos(x float64) (sin, cos float64) {
	if x-x != 0 {
		return math.NaN(), math.NaN()
	}
	if x > maxReduced || x < -maxReduced {
		turns := math.Floor(x / (2 * math.Pi))
		x -= float64(turns * (2 * math.Pi))
		if !(x >= -maxReduced && x <= maxReduced) {
			return 0, 1 // Magnitudes where a binary64 step exceeds a turn.
		}
	}
	// Quadrant k and remainder r in [-π/4, π/4], x = k·π/2 + r.
	k := math.Floor(float64(x*twoOverPi) + 0.5)
	hi, mid, lo := piParts()
	r := x - float64(k*hi)
	r -= float64(k * mid)
	r -= float64(k * lo)
	s, c := sinTaylor(r), cosTaylor(r)
	switch int64(k) & 3 {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	default:
		return -c, s
	}
}

// piParts returns π/2 as hi + mid + lo, where hi and mid have their low 20
// significand bits clear: k·hi and k·mid are then exact for k below 2^20.
func piParts() (hi, mid, lo float64) {
	// π/2 as a double-double: the nearest binary64 and the rest of the constant.
	const whole = math.Pi / 2
	first := float64(whole)
	rest := float64(6.123233995736766035868820147292e-17)
	const mask = ^uint64(1<<20 - 1)
	hi = math.Float64frombits(math.Float64bits(first) & mask)
	tail := first - hi
	mid = math.Float64frombits(math.Float64bits(tail) & mask)
	return hi, mid, (tail - mid) + rest
}

// sinTaylor sums x - x³/3! + … - x¹⁹/19!; for |x| ≤ π/4 the first term left
// out is below 2^-72.
func sinTaylor(x float64) float64 {
	z := float64(x * x)
	p := -1.0 / 121645100408832000
	p = float64(p*z) + 1.0/355687428096000
	p = float64(p*z) - 1.0/1307674368000
	p = float64(p*z) + 1.0/6227020800
	p = float64(p*z) - 1.0/39916800
	p = float64(p*z) + 1.0/362880
	p = float64(p*z) - 1.0/5040
	p = float64(p*z) + 1.0/120
	p = float64(p*z) - 1.0/6
	return x + float64(float64(p*z)*x)
}

// cosTaylor sums 1 - x²/2! + … - x¹⁸/18!; for |x| ≤ π/4 the first term left out
// is below 2^-67.
func cosTaylor(x float64) float64 {
	z := float64(x * x)
	p := -1.0 / 6402373705728000
	p = float64(p*z) + 1.0/20922789888000
	p = float64(p*z) - 1.0/87178291200
	p = float64(p*z) + 1.0/479001600
	p = float64(p*z) - 1.0/3628800
	p = float64(p*z) + 1.0/40320
	p = float64(p*z) - 1.0/720
	p = float64(p*z) + 1.0/24
	p = float64(p*z) - 0.5
	return 1 + float64(p*z)
}

// Tan returns the tangent of x (radians).
func Tan(x float64) float64 {
	s, c := SinCos(x)
	return s / c
}

// Acos returns the angle in [0, π] whose cosine is x; x is clamped to [-1, 1],
// so that a dot product of unit vectors may be passed as it comes.
func Acos(x float64) float64 {
	if x != x {
		return x
	}
	if x >= 1 {
		return 0
	}
	if x <= -1 {
		return math.Pi
	}
	// tan(θ/2) = sqrt((1-x)/(1+x)).
	return 2 * atanPositive(math.Sqrt((1-x)/(1+x)))
}

// atanPositive returns atan(x) for x ≥ 0: the reciprocal above 1, then three
// halvings tan(θ/2) = t/(1+sqrt(1+t²)), which leave t ≤ tan(π/32) < 0.0985, then
// the series to t¹⁹ (the next term is below 2^-70 relative to t).
func atanPositive(x float64) float64 {
	inverted := x > 1
	if inverted {
		x = 1 / x
	}
	for range 3 {
		x /= 1 + math.Sqrt(1+float64(x*x))
	}
	z := float64(x * x)
	p := -1.0 / 19
	p = float64(p*z) + 1.0/17
	p = float64(p*z) - 1.0/15
	p = float64(p*z) + 1.0/13
	p = float64(p*z) - 1.0/11
	p = float64(p*z) + 1.0/9
	p = float64(p*z) - 1.0/7
	p = float64(p*z) + 1.0/5
	p = float64(p*z) - 1.0/3
	a := float64(8 * (x + float64(float64(p*z)*x)))
	if inverted {
		return math.Pi/2 - a
	}
	return a
}
