package lane

import "math"

// MinF and MaxF are fp.Min and fp.Max. Go has no instruction for the built-in
// functions here, and what it calls instead takes longer than comparing.
func MinF(x, y float32) float32 {
	if x < y {
		return x
	}
	if x > y {
		return y
	}
	return minRest(x, y)
}

func MaxF(x, y float32) float32 {
	if x > y {
		return x
	}
	if x < y {
		return y
	}
	return maxRest(x, y)
}

// minRest and maxRest are for equal numbers, of which zeros have signs, and for NaN.
//
//go:noinline
func minRest(x, y float32) float32 {
	if x == y {
		return math.Float32frombits(math.Float32bits(x) | math.Float32bits(y))
	}
	return otherF(x, y)
}

//go:noinline
func maxRest(x, y float32) float32 {
	if x == y {
		return math.Float32frombits(math.Float32bits(x) & math.Float32bits(y))
	}
	return otherF(x, y)
}
