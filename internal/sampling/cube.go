package sampling

import "math"

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

// cubeCoord is IMG-413: s_face = ½·sc/|rc| + ½.
func cubeCoord(c, rc float64) float64 { return float64(0.5*float64(c/rc)) + 0.5 }

// cubeGrad is IMG-414: the derivative of s_face from those of sc and |rc|.
func cubeGrad(c, rc, dc, drc float64) float64 {
	return 0.5 * float64((float64(rc*dc)-float64(c*drc))/float64(rc*rc))
}

// Edges of a face: i = −1−k, i = N+k, j = −1−k, j = N+k.
const (
	edgeL = iota
	edgeR
	edgeT
	edgeB
)

// along names what a texel coordinate on the neighbour face is made of: the
// position p along the edge or the depth k behind it, from either end (M = N−1).
type along uint8

const (
	p along = iota
	k
	mp // M−p
	mk // M−k
)

func (a along) at(pos, depth, last int) int {
	switch a {
	case p:
		return pos
	case k:
		return depth
	case mp:
		return last - pos
	default: // mk
		return last - depth
	}
}

type neighbour struct {
	face uint8
	i, j along
}

// neighbours is IMG-216: what lies behind each edge (L, R, T, B) of each face.
var neighbours = [6][4]neighbour{
	facePosX: {{facePosZ, mk, p}, {faceNegZ, k, p}, {facePosY, mk, mp}, {faceNegY, mk, p}},
	faceNegX: {{faceNegZ, mk, p}, {facePosZ, k, p}, {facePosY, k, p}, {faceNegY, k, mp}},
	facePosY: {{faceNegX, p, k}, {facePosX, mp, k}, {faceNegZ, mp, k}, {facePosZ, p, k}},
	faceNegY: {{faceNegX, mp, mk}, {facePosX, p, mk}, {facePosZ, p, mk}, {faceNegZ, mp, mk}},
	facePosZ: {{faceNegX, mk, p}, {facePosX, k, p}, {facePosY, p, mk}, {faceNegY, p, k}},
	faceNegZ: {{facePosX, mk, p}, {faceNegX, k, p}, {facePosY, mp, k}, {faceNegY, mp, mk}},
}

// overEdge finds the texel behind an edge of a face of n² texels: pos along the
// edge, depth beyond it (IMG-216, IMG-217).
//
// IMG-218
func overEdge(face, edge, pos, depth, n int) (face2, i, j int) {
	e := neighbours[face][edge]
	depth = min(depth, n-1)
	return int(e.face), e.i.at(pos, depth, n-1), e.j.at(pos, depth, n-1)
}

// edgeOf says over which horizontal edge i lies, and how far; −1 is none.
func edgeOf(i, n, low, high int) (edge, depth int) {
	switch {
	case i < 0:
		return low, -1 - i
	case i >= n:
		return high, i - n
	default:
		return -1, 0
	}
}
