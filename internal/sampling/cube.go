package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// Faces of a cube, in the order of their layers.
const (
	facePosX = iota
	faceNegX
	facePosY
	faceNegY
	facePosZ
	faceNegZ
)

// cubeFace is IMG-411 textures-cube-map-face-selection: the axis of largest
// magnitude; z beats y beats x. Zeros of either sign count as positive.
func cubeFace(x, y, z float64) int {
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	switch {
	case az >= ax && az >= ay:
		if z >= 0 {
			return facePosZ
		}
		return faceNegZ
	case ay >= ax:
		if y >= 0 {
			return facePosY
		}
		return faceNegY
	default:
		if x >= 0 {
			return facePosX
		}
		return faceNegX
	}
}

// cubeSelect is IMG-412: (sc, tc, |rc|) of a direction on a face. Applied to a
// derivative of the direction it gives those of sc, tc and |rc|.
func cubeSelect(face int, x, y, z float64) (sc, tc, rc float64) {
	switch face {
	case facePosX:
		return -z, -y, x
	case faceNegX:
		return z, -y, -x
	case facePosY:
		return x, z, y
	case faceNegY:
		return x, -z, -y
	case facePosZ:
		return x, -y, z
	default: // faceNegZ
		return -x, -y, -z
	}
}

// cubeDirection is the inverse of cubeSelect with |rc| = 1.
func cubeDirection(face int, sc, tc float64) (x, y, z float64) {
	switch face {
	case facePosX:
		return 1, -tc, -sc
	case faceNegX:
		return -1, -tc, sc
	case facePosY:
		return sc, 1, tc
	case faceNegY:
		return sc, -1, -tc
	case facePosZ:
		return sc, -tc, 1
	default: // faceNegZ
		return -sc, -tc, -1
	}
}

// cubeCoord is IMG-413: s_face = ½·sc/|rc| + ½, in binary32: a quotient, and an FMA.
func cubeCoord(c, rc float64) float64 {
	return float64(fp.FMA32(cubeQuotient(c, rc), 0.5, 0.5))
}

// cubeQuotient is sc/|rc| in binary32.
func cubeQuotient(c, rc float64) float32 { return float32(float32(c) / float32(rc)) }

// cubeGrad is IMG-414: the derivative of s_face from those of sc and |rc|, which is
// ½·(dsc − sc/|rc|·d|rc|)/|rc|. The difference is an FMA of binary32, for the quotient is at hand;
// what follows cancels nothing, and is binary64 as other derivatives are from there on.
func cubeGrad(c, rc, dc, drc float64) float64 {
	d := fp.FMA32(-cubeQuotient(c, rc), float32(drc), float32(dc))
	return 0.5 * float64(float64(d)/rc)
}
