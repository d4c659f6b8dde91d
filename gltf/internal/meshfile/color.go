package meshfile

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// linear decodes an sRGB value of 0 … 1. None of the three formats says what its colours are; they are taken to be sRGB, as of
// the textures beside them, and as three.js takes them.
func linear(c float32) float32 {
	switch {
	case !(c > 0): // NaN, too
		return 0
	case c <= 0.04045:
		return float32(float64(c) / 12.92)
	case c >= 1:
		return 1
	}
	return fp.PowNearest(float32((float64(c)+0.055)/1.055), 2.4)
}

// unit brings a number into 0 … 1; NaN becomes 0.
func unit(v float32) float32 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}

// roughnessOf returns the roughness of glTF's GGX lobe for an exponent of Blinn and Phong: of the same width near its peak is the one with
// α² = 2/(n+2), and glTF's roughness is √α.
func roughnessOf(exponent float32) float32 {
	if !(exponent > 0) {
		return 1
	}
	return float32(math.Sqrt(math.Sqrt(2 / (float64(exponent) + 2))))
}
