package raster

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/vk"
)

// Limits of line widths and point sizes: lineWidthRange and pointSizeRange, in
// units of their granularity of 1/128 pixel (RAS-007).
const (
	sizeUnits    = 128
	maxLineWidth = 1024 * sizeUnits
	maxPointSize = 8192 * sizeUnits
)

// AppendSegment sets up a line. See AppendPolygon.
func AppendSegment(dst []Setup, extra []HalfPlane, g *Segment, st *State, prim uint32) ([]Setup, []HalfPlane) {
	if g.A.X == g.B.X && g.A.Y == g.B.Y { // RAS-197 primsrast-lines
		return appendDot(dst, g, st, prim), extra
	}
	var s Setup
	planes := len(extra)
	if extra, _ = s.line(extra, &g.A, &g.B, g.U0, g.U1, st, g.Phase); s.Bounds.Empty() {
		return dst, extra[:planes]
	}
	s.Prim, s.FrontFacing = prim, true // RAS-198 primsrast-lines: lines face front, are not culled and not biased
	if !s.Affine {
		s.LinearU = g.W[1]
	}
	return append(dst, s), extra
}

// appendOutline draws the sides of the polygon as lines.
// RAS-225, RAS-251, RAS-253 primsrast-polygonmode
func appendOutline(dst []Setup, extra []HalfPlane, p *Polygon, st *State) ([]Setup, []HalfPlane) {
	phase := int32(0)
	for k := range p.N {
		a, b := &p.C[k], &p.C[0]
		if k+1 < p.N {
			b = &p.C[k+1]
		}
		var s Setup
		at := phase
		if st.Stipple.Factor != 0 {
			phase = (phase + st.Advance(a.X, a.Y, b.X, b.Y)) % st.Stipple.Period()
		}
		var ok bool
		if extra, ok = s.line(extra, a, b, 0, 1, st, at); !ok {
			continue
		}
		if !s.Affine {
			s.LinearU, s.LinearV = p.W[1], p.W[2]
		}
		dst = append(dst, s)
	}
	return dst, extra
}

// line sets up the line from a to b, limited to [u0, u1) of its parameter, whose
// pattern starts at phase. It reports whether it has a direction.
func (s *Setup) line(extra []HalfPlane, a, b *Corner, u0, u1 float64, st *State, phase int32) ([]HalfPlane, bool) {
	dx, dy := int64(b.X-a.X), int64(b.Y-a.Y)
	l2 := dx*dx + dy*dy
	if l2 == 0 { // RAS-197 primsrast-lines
		return extra, false
	}
	*s = Setup{} // field by field: a struct would be made elsewhere and copied
	s.Kind, s.LinearU, s.LinearV, s.Stipple, s.Phase, s.extraOffset = KindLine, 1, 1, st.Stipple, phase, uint32(len(extra))
	s.P, s.Q = [2]int32{a.X, a.Y}, [2]int32{b.X, b.Y}
	width := quantizeSize(st.LineWidth, maxLineWidth)
	if st.bresenham() {
		s.bresenham(a, b, width)
		// An end that clipping left alone follows the rule of diamonds only.
		start, end := lineEnds(a, b, l2, u0, u1, tiesOwned)
		if u0 > 0 {
			s.edges[s.edgeCount] = start
			s.edgeCount++
		}
		if u1 < 1 {
			s.edges[s.edgeCount] = end
			s.edgeCount++
		}
	} else {
		square := st.square()
		if square == squareNone && st.LineMode == vk.LineRasterizationModeRectangularSmooth {
			square = squareSmooth
		}
		s.edges[0], s.edges[1] = lineEnds(a, b, l2, u0, u1, square.ties())
		if st.parallelogram() {
			if u0 > 0 || u1 < 1 {
				extra, s.extraCount = append(extra, s.edges[0], s.edges[1]), 2
			}
			s.edges = parallelogram(a, b, width, square.ties())
		} else {
			s.edges[2], s.edges[3], s.OpenSides = lineSides(a, b, l2, width, square.ties()) // RAS-202: to the ends, and no further
		}
		s.edgeCount = 4
		s.Bounds = lineBounds(a.X, a.Y, b.X, b.Y, width, st.set())
		switch square {
		case squareOver, squareUnder:
			s.conservativeLine(a, b, st, width)
		case squareSmooth:
			length := math.Sqrt(float64(l2)) / Subpixels
			s.Square, s.Point = squareSmooth, [3]float64{float64(u0 * length), float64(u1 * length), float64(width) / sizeUnits}
			s.Bounds.X0, s.Bounds.Y0 = s.Bounds.X0-1, s.Bounds.Y0-1
			s.Bounds.X1, s.Bounds.Y1 = s.Bounds.X1+1, s.Bounds.Y1+1
		}
	}
	s.short = s.extraCount == 0 && max(dx, -dx, dy, -dy) < shortEdge
	s.linePlanes(a, b, l2)
	return extra, true
}

// parallelogram is the half-planes of a non-strict line: its ends are parallel to
// the minor axis, and as long as the line is wide, which is in half subpixels.
// RAS-203, RAS-204, RAS-371 primsrast-lines-basic
func parallelogram(a, b *Corner, width int32, t ties) (edges [4]HalfPlane) {
	dx, dy := b.X-a.X, b.Y-a.Y
	ox, oy := int32(0), width // to the corners
	if max(dx, -dx) < max(dy, -dy) {
		ox, oy = width, 0
	}
	corners := [4]Corner{{X: a.X - ox, Y: a.Y - oy}, {X: b.X - ox, Y: b.Y - oy}, {X: b.X + ox, Y: b.Y + oy}, {X: a.X + ox, Y: a.Y + oy}}
	flip := cross(&corners[0], &corners[1], &corners[2]) < 0
	for i := range edges {
		edges[i].side(&corners[i], &corners[(i+1)%4], flip)
		edges[i] = edges[i].with(t)
	}
	return edges
}

// quantizeSize turns a width or size in pixels into units of 1/128 pixel, within
// 1 and limit.
// RAS-133, RAS-187, RAS-188, RAS-193 primsrast-points, primsrast-lines
func quantizeSize(pixels float32, limit int32) int32 {
	v := float64(pixels) * sizeUnits
	switch {
	case !(v > 1): // or no number
		return 1
	case v >= float64(limit):
		return limit
	}
	return int32(math.RoundToEven(v))
}

// lineEnds are the two half-planes across the line from a to b. With q = (s-a)
// times (b-a) they are 0 <= q <= l2, ties on the side that owns them; where the
// line was clipped, u0*l2 <= q < u1*l2.
func lineEnds(a, b *Corner, l2 int64, u0, u1 float64, t ties) (start, end HalfPlane) {
	nx, ny := b.X-a.X, b.Y-a.Y
	c := int64(nx)*int64(a.X) + int64(ny)*int64(a.Y)
	start = HalfPlane{nx, ny, t.bias(nx, ny) - c} // RAS-200 primsrast-lines-basic
	if u0 > 0 {                                   // RAS-086
		start.C = -c - int64(math.Ceil(float64(u0*float64(l2))))
	}
	end = HalfPlane{-nx, -ny, t.bias(-nx, -ny) + c + l2}
	if u1 < 1 {
		end.C = c + int64(math.Ceil(float64(u1*float64(l2)))) - 1
	}
	return start, end
}

// lineSides are the two half-planes along the line: with k = (b-a) x (s-a),
// |k| <= width*sqrt(l2) where width is in half subpixels (1/128 pixel is twice
// half a subpixel). open: no position is on them.
// RAS-199, RAS-200, RAS-201 primsrast-lines-basic
func lineSides(a, b *Corner, l2 int64, width int32, t ties) (left, right HalfPlane, open bool) {
	nx, ny := a.Y-b.Y, b.X-a.X
	c := int64(nx)*int64(a.X) + int64(ny)*int64(a.Y)
	k, exact := sqrtProduct(uint64(width)*uint64(width), uint64(l2))
	left = HalfPlane{nx, ny, int64(k) - c}
	right = HalfPlane{-nx, -ny, int64(k) + c}
	if exact {
		left.C += t.bias(nx, ny)
		right.C += t.bias(-nx, -ny)
	}
	return left, right, !exact
}

// sqrtProduct is the largest k with k*k <= m*n, and whether they are equal.
// m < 2^35, n < 2^60, so k < 2^48.
func sqrtProduct(m, n uint64) (k uint64, exact bool) {
	hi, lo := bits.Mul64(m, n)
	// The product is below 2^95: both roots and their product err by less than 2.
	k = uint64(float64(math.Sqrt(float64(m)) * math.Sqrt(float64(n))))
	k += 2
	for {
		h, l := bits.Mul64(k, k)
		if h < hi || h == hi && l <= lo {
			return k, h == hi && l == lo
		}
		k--
	}
}

// linePlanes sets up what is linear along the line; across it, it is constant.
// RAS-205, RAS-206, RAS-231 primsrast-lines-basic
func (s *Setup) linePlanes(a, b *Corner, l2 int64) {
	r, e := a, b
	if b.InvW < a.InvW {
		r, e = b, a
	}
	s.RefX, s.RefY = r.X, r.Y
	s.Affine = a.InvW == b.InvW
	inv := 1 / float64(l2)
	gx, gy := float64(e.X-r.X)*inv, float64(e.Y-r.Y)*inv
	plane := func(p *Plane, v0, v1 float64) {
		d := v1 - v0
		p.C, p.GX, p.GY = v0, float64(d*gx), float64(d*gy)
	}
	plane(&s.Z, r.Z, e.Z) // RAS-207
	if s.Affine {         // RAS-207
		plane(&s.U, r.L1, e.L1)
		plane(&s.V, r.L2, e.L2)
		s.W.C = r.InvW
		return
	}
	plane(&s.U, float64(r.L1*r.InvW), float64(e.L1*e.InvW))
	plane(&s.V, float64(r.L2*r.InvW), float64(e.L2*e.InvW))
	plane(&s.W, r.InvW, e.InvW) // RAS-207
}
