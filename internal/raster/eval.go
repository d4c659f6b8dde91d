package raster

import (
	"math"
	"math/bits"
)

// delta is the arguments of planes at a position in subpixels. Where the
// triangle is thin they are the exact numerators of its barycentric weights:
// there, sums of products of gradients and distances would cancel too far. All
// samples of a pixel of a Bresenham line have the values of its centre.
// RAS-219 primsrast-lines-bresenham
func (s *Setup) delta(x, y int32) (dx, dy float64) {
	if s.Thin {
		return s.thinDelta(x, y)
	}
	if s.Kind == KindBresenham {
		x, y = x&^(Subpixels-1)+Subpixels/2, y&^(Subpixels-1)+Subpixels/2
	}
	return float64(x - s.RefX), float64(y - s.RefY)
}

// pairDelta is delta for i and j: of a wide Bresenham line they are those of the
// run that a pixel belongs to.
func (s *Setup) pairDelta(x, y int32) (dx, dy float64) {
	if s.Kind == KindBresenham {
		return s.runDelta(x, y)
	}
	return s.delta(x, y)
}

// thinDelta: see delta. All products stay below 2^59.
func (s *Setup) thinDelta(x, y int32) (dx, dy float64) {
	ix, iy := int64(x)-int64(s.RefX), int64(y)-int64(s.RefY)
	e := int64(s.Q[1])*ix - int64(s.Q[0])*iy
	f := int64(s.P[0])*iy - int64(s.P[1])*ix
	return float64(e), float64(f)
}

// at is the value of the plane: always these two fused operations.
// RAS-001, RAS-368
func (p *Plane) at(dx, dy float64) float64 {
	return math.FMA(p.GX, dx, math.FMA(p.GY, dy, p.C))
}

// pair is the perspective pair at (dx, dy).
func (s *Setup) pair(dx, dy float64) (i, j float32) {
	u, v := s.U.at(dx, dy), s.V.at(dx, dy)
	if s.Affine {
		return float32(u), float32(v)
	}
	return s.divide(u, v, s.W.at(dx, dy))
}

// divide takes i and j out of i/w, j/w and 1/w. Where 1/w isn't positive, which
// happens beside the primitive only, the pair is that of the provoking vertex.
// RAS-246, RAS-255 primsrast-polygons-basic
func (s *Setup) divide(u, v, w float64) (i, j float32) {
	if !(w > 0) {
		return s.ProvokingPair()
	}
	inv := 1 / w
	return float32(u * inv), float32(v * inv)
}

// ProvokingPair is the pair at the provoking vertex.
func (s *Setup) ProvokingPair() (i, j float32) {
	switch s.Provoking {
	case 1:
		return 1, 0
	case 2:
		return 0, 1
	}
	return 0, 0
}

// linearPair is the noperspective pair at (dx, dy).
// RAS-247 primsrast-polygons-basic
func (s *Setup) linearPair(dx, dy float64) (i, j float32) {
	return float32(s.U.at(dx, dy) * s.LinearU), float32(s.V.at(dx, dy) * s.LinearV)
}

// IJAt fills the perspective pair at positions in subpixels. An attribute is
// v0 + i*(v1-v0) + j*(v2-v0) (see Interpolate); lines have j = 0, points i = j = 0.
// RAS-283, RAS-284, RAS-285 shaders-interpolation-decorations
func (s *Setup) IJAt(x, y []int32, i, j []float32) {
	for k := range x {
		i[k], j[k] = s.pair(s.pairDelta(x[k], y[k]))
	}
}

// IJLinearAt fills the noperspective pair at positions in subpixels.
func (s *Setup) IJLinearAt(x, y []int32, i, j []float32) {
	for k := range x {
		i[k], j[k] = s.linearPair(s.pairDelta(x[k], y[k]))
	}
}

// DepthAt fills the depth at positions in subpixels, depth bias included, not clamped. It depends on
// the position alone, and is rounded once, to float32.
// RAS-006, RAS-219, RAS-247, RAS-329 primsrast-polygons-basic
func (s *Setup) DepthAt(x, y []int32, z []float32) {
	for k := range x {
		z[k] = float32(s.Z.at(s.delta(x[k], y[k])))
	}
}

// FragCoordAt fills FragCoord at positions in subpixels: x and y in pixels, depth, and 1/w.
// RAS-288, RAS-363 interfaces-builtin-variables-fragcoord
func (s *Setup) FragCoordAt(px, py []int32, x, y, z, w []float32) {
	for k := range px {
		x[k], y[k] = float32(px[k])/Subpixels, float32(py[k])/Subpixels
		dx, dy := s.delta(px[k], py[k])
		z[k], w[k] = float32(s.Z.at(dx, dy)), float32(s.W.at(dx, dy))
	}
}

// PointCoordAt fills PointCoord at positions in subpixels; (0, 0) for what is not a
// point. The origin is the upper left corner of the square.
// RAS-191, RAS-192 primsrast-points
func (s *Setup) PointCoordAt(px, py []int32, u, v []float32) {
	for k := range px {
		u[k], v[k] = 0, 0
		if s.Kind == KindPoint {
			x, y := float64(float64(px[k])/Subpixels), float64(float64(py[k])/Subpixels)
			u[k] = float32(0.5 + (x-s.Point[0])/s.Point[2])
			v[k] = float32(0.5 + (y-s.Point[1])/s.Point[2])
		}
	}
}

// Centers are the pixels of the block at (x, y), of which the words of samples are covered, whose
// centroid inputs are taken at their centre: where the primitive covers it, or no sample is covered
// (helper invocations). Else they are at the covered sample with the lowest index. Words are the
// coverage that Find found with the same extra.
// RAS-284 shaders-interpolation-decorations
func Centers(s *Setup, extra []HalfPlane, ss *SampleSet, x, y int32, words []uint64) uint64 {
	any, all := uint64(0), ^uint64(0)
	for _, m := range words {
		any, all = any|m, all&m
	}
	if ss.N == 1 && !ss.Custom || s.Kind == KindBresenham || s.Square != squareNone {
		return ^uint64(0)
	}
	if ss.Custom {
		all = 0
	}
	centers := ^any | all
	for m := any &^ all; m != 0; m &= m - 1 {
		at := bits.TrailingZeros64(m)
		px, py := x+int32(at>>2&3*2+at&1), y+int32(at>>4*2+at>>1&1)
		if s.Contains(extra, px<<SubpixelBits+Subpixels/2, py<<SubpixelBits+Subpixels/2) {
			centers |= 1 << at
		}
	}
	return centers
}

// Contains is the exact test of one position, subpixels.
func (s *Setup) Contains(extra []HalfPlane, x, y int32) bool {
	for i := range s.halfPlanes() {
		h := s.halfPlane(i, extra)
		if int64(h.A)*int64(x)+int64(h.B)*int64(y)+h.C < 0 {
			return false
		}
	}
	return true
}

// Interpolate fills dst with the float32 bits of (v0 + i*(v1-v0)) + j*(v2-v0),
// each operation rounded to float32. Equal vertex values come out exactly.
// RAS-249 primsrast-polygons-basic
func Interpolate(dst []uint32, v0, v1, v2 float32, i, j []float32) {
	i, j = i[:len(dst)], j[:len(dst)]
	d1, d2 := v1-v0, v2-v0
	for k := range dst {
		v := float32(v0+float32(i[k]*d1)) + float32(j[k]*d2)
		dst[k] = math.Float32bits(v)
	}
}
