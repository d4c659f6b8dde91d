package fp

import "math"

//go:generate go run ./_gen/tables

// SrgbToLinear returns the linear value of an 8-bit sRGB code: the correctly rounded float32 of the exact transfer function.
//
// IMG-248 KDF:TRANSFER_SRGB_EOTF
func SrgbToLinear(c uint8) float32 { return math.Float32frombits(srgbToLinearBits[c]) }

// LinearToSrgb returns the 8-bit sRGB code of a linear value: the code nearest to 255 times the exact inverse transfer function of
// f. Values outside [0, 1] are clamped first; NaN becomes 0.
//
// The function rises, so each code is an interval of floats, and the table of where intervals begin (computed exactly, with
// rational numbers) decides without evaluating a power. No float lies on a boundary, so the question of ties does not arise. The
// first look-up finds the interval that holds the lowest float with the same exponent and 7 upper mantissa bits; such a group spans
// at most two codes.
//
// IMG-249, IMG-376 KDF:TRANSFER_SRGB_INVEOTF
func LinearToSrgb(f float32) uint8 {
	if !(f >= 0x1p-13) { // below half a code, or NaN
		return 0
	}
	if f >= 1 {
		return 255
	}
	b := math.Float32bits(f)
	c := srgbGroupCode[(b-srgbGroupBase)>>srgbGroupShift]
	if b >= srgbCodeStart[uint(c)+1] {
		c++
	}
	return c
}

// SrgbStart returns the bits of the smallest float32 whose code is c; 0 for code 0.
//
// IMG-249
func SrgbStart(c uint8) uint32 { return srgbCodeStart[c] }

// Groups of floats from 2^−13 up: the exponent and the 7 upper mantissa bits.
const (
	srgbGroupBase  = (127 - 13) << 23
	srgbGroupShift = 23 - 7
)
