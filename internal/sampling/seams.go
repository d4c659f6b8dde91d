package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// Edges and corners of seamless cubes. Lowered code asks here what lies behind an edge, and leaves corners
// to this.

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

// cubeTap reads a tap of a seamless cube: IMG-215, IMG-216, IMG-220.
//
// IMG-503
func (u *sampled) cubeTap(s *sum, l *resource.Level, at *spot, level, i, j int, w float64, f filter) {
	n := l.Width
	if f == filterNearest {
		u.add(s, u.load(l, clampIndex(i, n), clampIndex(j, n), 0, at.ref), w)
		return
	}
	across, depthX := edgeOf(i, n, edgeL, edgeR)
	down, depthY := edgeOf(j, n, edgeT, edgeB)
	switch {
	case across < 0 && down < 0:
		u.add(s, u.load(l, i, j, 0, at.ref), w)
	case down < 0:
		u.add(s, u.loadOver(at, level, across, j, depthX, n), w)
	case across < 0:
		u.add(s, u.loadOver(at, level, down, i, depthY, n), w)
	default:
		i, j = clampIndex(i, n), clampIndex(j, n)
		// IMG-222: each of the three is compared by itself.
		u.addMean(s, [3]format.Texel{
			u.load(l, i, j, 0, at.ref),
			u.loadOver(at, level, across, j, 0, n),
			u.loadOver(at, level, down, i, 0, n),
		}, w)
	}
}

// loadOver reads the texel behind an edge of the spot's face.
func (u *sampled) loadOver(at *spot, level, edge, pos, depth, n int) format.Texel {
	face, i, j := overEdge(at.face, edge, pos, depth, n)
	l := u.v.Level(level, at.layer+face)
	if t := u.a.Trace; t != nil {
		t.add("IMG-216", "over the edge to face %s", faceNames[face])
		if depth >= n {
			t.add("IMG-217", "the face is %s wide: the last of them", counted(n, "texel"))
		}
		t.layer += face - at.face
	}
	// IMG-223: reading notes it, also as one of a corner's three.
	x := u.load(&l, i, j, 0, at.ref)
	if t := u.a.Trace; t != nil {
		t.layer -= face - at.face
	}
	return x
}

// gatherOverEdges is gatherTap on a seamless cube.
//
// IMG-218, IMG-521
func (u *sampled) gatherOverEdges(l *resource.Level, at *spot, level, i, j int) format.Texel {
	n := l.Width
	across, depthX := edgeOf(i, n, edgeL, edgeR)
	down, depthY := edgeOf(j, n, edgeT, edgeB)
	switch {
	case across < 0 && down < 0:
		return u.load(l, i, j, 0, at.ref)
	case down < 0:
		return u.loadOver(at, level, across, j, depthX, n)
	case across < 0:
		return u.loadOver(at, level, down, i, depthY, n)
	}
	i, j = clampIndex(i, n), clampIndex(j, n)
	own := u.load(l, i, j, 0, at.ref)
	if u.info.Class != format.ClassFloat { // IMG-222: integers have no mean
		if t := u.a.Trace; t != nil {
			t.add("IMG-222", "  at the cube's corner integers have no mean: the texel of face %s alone", faceNames[at.face])
		}
		return own
	}
	x, y := u.loadOver(at, level, across, j, 0, n), u.loadOver(at, level, down, i, 0, n)
	var t format.Texel
	for c := range t {
		t[c] = visible(float32(meanOf3(own[c], x[c], y[c])))
	}
	if trace := u.a.Trace; trace != nil {
		trace.add("IMG-220", "  the mean of the three: %s", u.show(t))
	}
	return t
}

// addMean adds the mean of three texels, with weight w (IMG-220). Minima and maxima are those of the three, which are taps of
// their own.
//
// IMG-221
func (u *sampled) addMean(s *sum, t [3]format.Texel, w float64) {
	if trace := u.a.Trace; trace != nil {
		trace.mean(u, w)
	}
	if u.codeMax != 0 {
		for c := range s.codes {
			s.codes[c] += int64(w) * (u.code(t[0][c]) + u.code(t[1][c]) + u.code(t[2][c]))
		}
		return
	}
	var mean [4]float64
	for c := range mean {
		mean[c] = meanOf3(t[0][c], t[1][c], t[2][c])
	}
	u.addReal(s, &mean, w)
}

func meanOf3(a, b, c uint32) float64 {
	f := func(x uint32) float64 { return float64(math.Float32frombits(x)) }
	return (f(a) + f(b) + f(c)) / 3
}
