package fp

import "math"

// Pow returns x^y with the special values of IEEE 754 pow: 1 for y = 0 and for
// x = 1, the sign of odd integer powers, NaN for negative x and y that is no
// integer. GLSL leaves x < 0 undefined; this choice makes the fewest NaNs.
func Pow(x, y float32) float32 {
	if x > 0 && x <= math.MaxFloat32 && y-y == 0 {
		return float32(exp2(float64(float64(y) * log2(float64(x)))))
	}
	return powSpecial(x, y)
}

func powSpecial(x, y float32) float32 {
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
		r = float32(exp2(float64(float64(y) * log2(float64(ax)))))
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
