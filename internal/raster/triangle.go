package raster

import (
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// AppendPolygon sets up p under st and appends the result to dst: nothing where
// p is culled or covers nothing, one Setup for an ordinary triangle, one for
// each piece of a clipped polygon, or one for each side or corner in line and
// point mode. Half-planes beyond the first four go to extra. Each Setup carries
// prim.
func AppendPolygon(dst []Setup, extra []HalfPlane, p *Polygon, st *State, prim uint32) ([]Setup, []HalfPlane) {
	area := polygonArea(p)
	front := frontFacing(area, st.FrontFace)
	if front && st.CullMode&vk.CullModeFrontBit != 0 || !front && st.CullMode&vk.CullModeBackBit != 0 { // RAS-235
		return dst, extra
	}
	first := len(dst)
	switch st.PolygonMode { // RAS-058, RAS-250
	case vk.PolygonModeFill:
		if area == 0 { // RAS-241
			dst = appendDegenerate(dst, p, st)
			break
		}
		dst, extra = appendFill(dst, extra, p, st, area)
	case vk.PolygonModeFillRectangleNV:
		dst, extra = appendRectangle(dst, extra, p, st, area)
	case vk.PolygonModeLine:
		dst, extra = appendOutline(dst, extra, p, st)
	case vk.PolygonModePoint:
		dst, extra = appendCorners(dst, extra, p, st)
	}
	for i := first; i < len(dst); i++ {
		s := &dst[i]
		s.Prim, s.FrontFacing, s.Provoking = prim, front, p.Provoking // RAS-236
	}
	if st.DepthBias.Enable {
		// One offset for the whole polygon, in every polygon mode.
		// RAS-256, RAS-264, RAS-265 primsrast-depthbias
		bias := st.DepthBias.offset(p.ZMax, maxSlope(p))
		for i := first; i < len(dst); i++ {
			dst[i].Z.C += bias
		}
	}
	return dst, extra
}

// polygonArea is twice the signed area, in square subpixels, positive when the
// polygon is clockwise on screen. It fits int64: the guard band is a square of
// 2^29 subpixels, so no piece of the fan, nor their sum, is beyond 2^60.
// RAS-233, RAS-238 primsrast-polygons-basic
func polygonArea(p *Polygon) int64 {
	var sum int64
	a := &p.C[0]
	for k := 1; k+1 < p.N; k++ {
		sum += cross(a, &p.C[k], &p.C[k+1])
	}
	return sum
}

// cross is twice the signed area of the triangle a, b, c.
// RAS-238 primsrast-polygons-basic
func cross(a, b, c *Corner) int64 {
	return int64(b.X-a.X)*int64(c.Y-a.Y) - int64(b.Y-a.Y)*int64(c.X-a.X)
}

// frontFacing decides facing; area is that of polygonArea, whose sign is
// opposite to that of the specification's a.
// RAS-234 primsrast-polygons-basic
func frontFacing(area int64, face vk.FrontFace) bool {
	if face == vk.FrontFaceCounterClockwise {
		return area < 0
	}
	return area > 0
}

// appendFill rasterizes p as a fan around its first corner. Sides between pieces
// follow the same rule as those between triangles, so each sample is in one
// piece. A piece that snapping turned around is left out.
// RAS-242 primsrast-polygons-basic
func appendFill(dst []Setup, extra []HalfPlane, p *Polygon, st *State, area int64) ([]Setup, []HalfPlane) {
	for k := 1; k+1 < p.N; k++ {
		a2 := cross(&p.C[0], &p.C[k], &p.C[k+1])
		if a2 == 0 || (a2 < 0) != (area < 0) {
			continue
		}
		n := len(dst)
		if n == cap(dst) {
			dst = append(dst, Setup{})
		} else {
			dst = dst[:n+1]
		}
		s := &dst[n]
		var keep bool
		if extra, keep = s.triangle(extra, p, k, a2, st); !keep {
			dst = dst[:n]
		}
	}
	return dst, extra
}

// triangle sets up the piece C[0], C[k], C[k+1] of p, whose doubled area is a2.
// It reports whether any sample can be covered.
// RAS-239
func (s *Setup) triangle(extra []HalfPlane, p *Polygon, k int, a2 int64, st *State) ([]HalfPlane, bool) {
	a, b, c := &p.C[0], &p.C[k], &p.C[k+1]
	box := Rect{min(a.X, b.X, c.X), min(a.Y, b.Y, c.Y), max(a.X, b.X, c.X), max(a.Y, b.Y, c.Y)}
	// With the rule for ties no sample lies on the largest x or y.
	inView := box.Intersect(st.ViewRect)
	bounds := pixelBounds(inView, st.set())
	if bounds.Empty() && st.square() == squareNone {
		return extra, false
	}
	*s = Setup{} // field by field: a struct would be made elsewhere and copied
	s.Bounds, s.LinearU, s.LinearV, s.edgeCount, s.extraOffset = bounds, 1, 1, 3, uint32(len(extra))
	flip := a2 < 0
	s.edges[0].side(a, b, flip)
	s.edges[1].side(b, c, flip)
	s.edges[2].side(c, a, flip)
	if st.square() != squareNone {
		if s.conservativeTriangle(st, box); s.Bounds.Empty() {
			return extra, false
		}
	}
	extra = appendViewSides(extra, box, st)
	extra, keep := appendCuts(extra, p, k, a2)
	if !keep {
		return extra[:s.extraOffset], false
	}
	s.extraCount = uint8(len(extra) - int(s.extraOffset))
	s.short = s.extraCount == 0 && short(box)
	s.trianglePlanes(&p.W, a, b, c, a2, box)
	return extra, true
}

// shortEdge is a length, subpixels, below which values of edges fit 32 bits when they are
// divided by Subpixels: pixels of Bounds are at most 2^17 away, half the width of the
// largest line, and edges of lines keep at most 2^33 around it.
const shortEdge = 1 << 15

// short says that no edge of a primitive with this box is longer.
func short(box Rect) bool { return box.X1-box.X0 < shortEdge && box.Y1-box.Y0 < shortEdge }

// side makes h the half-plane of the side from a to b; flip where the polygon is
// counter-clockwise on screen.
// RAS-238, RAS-240, RAS-243, RAS-365 primsrast-polygons-basic
func (h *HalfPlane) side(a, b *Corner, flip bool) {
	nx, ny := a.Y-b.Y, b.X-a.X
	if flip {
		nx, ny = -nx, -ny
	}
	h.A, h.B, h.C = nx, ny, tieBias(nx, ny)-int64(nx)*int64(a.X)-int64(ny)*int64(a.Y)
}

// appendViewSides limits a polygon to the viewport where its sides don't lie
// between pixels, or samples outside of their pixels; otherwise Bounds is enough. All squares that overlap the viewport
// pass, so what conservative rasterization adds to the box needs none.
// RAS-080 vertexpostproc-clipping
func appendViewSides(extra []HalfPlane, box Rect, st *State) []HalfPlane {
	view, at := st.ViewRect, st.Locations
	anyX := at != nil && (at.X0 < 0 || at.X1 >= Subpixels)
	anyY := at != nil && (at.Y0 < 0 || at.Y1 >= Subpixels)
	if view.X0 > box.X0 && (anyX || view.X0&(Subpixels-1) != 0) {
		extra = append(extra, HalfPlane{1, 0, -int64(view.X0)})
	}
	if view.X1 < box.X1 && (anyX || view.X1&(Subpixels-1) != 0) {
		extra = append(extra, HalfPlane{-1, 0, int64(view.X1) - 1})
	}
	if view.Y0 > box.Y0 && (anyY || view.Y0&(Subpixels-1) != 0) {
		extra = append(extra, HalfPlane{0, 1, -int64(view.Y0)})
	}
	if view.Y1 < box.Y1 && (anyY || view.Y1&(Subpixels-1) != 0) {
		extra = append(extra, HalfPlane{0, -1, int64(view.Y1) - 1})
	}
	return extra
}

// Cut cuts p with the plane that is d at the vertices of its triangle, positive inside. It reports
// false where no vertex is strictly inside: with the rule for ties, the plane and its negation then
// never both keep a sample on the side that they share.
// RAS-077, RAS-078, RAS-079 vertexpostproc-clipping
func (p *Polygon) Cut(d [3]float64) bool {
	if max(d[0], d[1], d[2]) <= 0 {
		return false
	}
	row := &p.D[p.Cuts]
	for k := range p.N {
		c := &p.C[k]
		// Exactly d of a vertex at a vertex.
		l0 := 1 - c.L1 - c.L2
		sum := float64(float64(l0*d[0])+float64(c.L1*d[1])) + float64(c.L2*d[2])
		row[k] = float64(sum * c.InvW)
	}
	p.Cuts++
	return true
}

// appendCuts turns the half-spaces that cut the polygon into half-planes of the
// piece C[0], C[k], C[k+1]. It reports false where one leaves nothing of it: a
// piece with no corner strictly inside, so that of a plane and its negation
// exactly one keeps a piece that touches it.
// RAS-077, RAS-079 vertexpostproc-clipping
func appendCuts(extra []HalfPlane, p *Polygon, k int, a2 int64) ([]HalfPlane, bool) {
	a, b, c := &p.C[0], &p.C[k], &p.C[k+1]
	for i := range p.Cuts {
		d := &p.D[i]
		da, db, dc := d[0], d[k], d[k+1]
		lo, hi := min(da, db, dc), max(da, db, dc)
		if lo >= 0 && hi > 0 {
			continue // the piece lies inside
		}
		if hi <= 0 {
			return extra, false
		}
		// Starting from the corner nearest to the cut keeps the constant small.
		r, near := a, da
		if math.Abs(db) < math.Abs(near) {
			r, near = b, db
		}
		if math.Abs(dc) < math.Abs(near) {
			r, near = c, dc
		}
		gx, gy := gradient(a, b, c, db-da, dc-da, 1/float64(a2))
		extra = append(extra, quantize(gx, gy, near, r))
	}
	return extra, true
}

// quantize makes a half-plane of the linear function that is d at r and has the
// gradient (gx, gy) per subpixel. All steps are odd functions, and the constant
// is not rounded towards a side, so that the negated function decides
// oppositely at every sample (RAS-078).
func quantize(gx, gy, d float64, r *Corner) HalfPlane {
	m := max(math.Abs(gx), math.Abs(gy))
	if !(m > 0) || m > math.MaxFloat64 {
		// No gradient: everything is on one side.
		if d > 0 {
			return HalfPlane{0, 0, 0}
		}
		return HalfPlane{0, 0, -1}
	}
	const scale = 1 << 29
	f := scale / m
	if f > math.MaxFloat64 {
		f = math.MaxFloat64
	}
	nx := int32(math.RoundToEven(float64(gx * f)))
	ny := int32(math.RoundToEven(float64(gy * f)))
	const limit = 1 << 60
	w := max(-limit, min(limit, math.RoundToEven(float64(d*f))))
	h := int64(w) - int64(nx)*int64(r.X) - int64(ny)*int64(r.Y)
	return HalfPlane{nx, ny, h + tieBias(nx, ny)}
}

// gradient is that, per subpixel, of the linear function that is larger by fb at
// b than at a, and by fc at c; inv is 1/cross(a, b, c).
// RAS-258 primsrast-depthbias-computation
func gradient(a, b, c *Corner, fb, fc, inv float64) (gx, gy float64) {
	bx, by := float64(b.X-a.X), float64(b.Y-a.Y)
	cx, cy := float64(c.X-a.X), float64(c.Y-a.Y)
	gx = float64(float64(fb*cy)-float64(fc*by)) * inv
	gy = float64(float64(fc*bx)-float64(fb*cx)) * inv
	return gx, gy
}

// thinRatio is the ratio of the square of the diameter to the doubled area from
// which on gradients lose too many bits. Below it, the error of a plane is less
// than 2^-52 * 4 * thinRatio = 2^-36 of the range of its values.
const thinRatio = 1 << 14

// trianglePlanes sets up everything that is linear over the piece a, b, c of a triangle
// whose vertices were divided by ws.
// RAS-245
func (s *Setup) trianglePlanes(ws *[3]float64, a, b, c *Corner, a2 int64, box Rect) {
	// 1/w loses least where w is largest, so the planes start there.
	r, e, f := a, b, c
	if b.InvW < r.InvW {
		r, e, f = b, c, a
	}
	if c.InvW < r.InvW {
		r, e, f = c, a, b
	}
	s.Affine = a.InvW == b.InvW && a.InvW == c.InvW
	place := func(c *Corner) Projected { return Projected{Spot: Spot{c.X, c.Y}, Z: c.Z, InvW: c.InvW} }
	from, next, last := place(r), place(e), place(f)
	s.planes(&from, &next, &last, &[2][3]float64{{r.L1, e.L1, f.L1}, {r.L2, e.L2, f.L2}}, ws[1], ws[2], a2, box)
}

// planes is trianglePlanes from a corner with the largest w on, in the order of a, b and c: weights are L1 and L2 of the three, w1 and w2 what
// the second and the third vertex were divided by.
// RAS-245, RAS-246, RAS-247, RAS-248 primsrast-polygons-basic
func (s *Setup) planes(r, e, f *Projected, weights *[2][3]float64, w1, w2 float64, a2 int64, box Rect) {
	u0, u1, u2 := weights[0][0], weights[0][1], weights[0][2]
	v0, v1, v2 := weights[1][0], weights[1][1], weights[1][2]
	s.RefX, s.RefY, s.LinearU, s.LinearV = r.X, r.Y, 1, 1
	if !s.Affine {
		u0, u1, u2 = float64(u0*r.InvW), float64(u1*e.InvW), float64(u2*f.InvW)
		v0, v1, v2 = float64(v0*r.InvW), float64(v1*e.InvW), float64(v2*f.InvW)
		s.LinearU, s.LinearV = w1, w2
	}
	inv := 1 / float64(a2)
	if dx, dy := float64(box.X1-box.X0), float64(box.Y1-box.Y0); float64(dx*dx)+float64(dy*dy) > thinRatio*math.Abs(float64(a2)) {
		s.Thin = true
		s.P, s.Q = [2]int32{e.X - r.X, e.Y - r.Y}, [2]int32{f.X - r.X, f.Y - r.Y}
		s.U = Plane{u0, float64(u1-u0) * inv, float64(u2-u0) * inv}
		s.V = Plane{v0, float64(v1-v0) * inv, float64(v2-v0) * inv}
		s.W = Plane{r.InvW, float64(e.InvW-r.InvW) * inv, float64(f.InvW-r.InvW) * inv}
		s.Z = Plane{r.Z, float64(e.Z-r.Z) * inv, float64(f.Z-r.Z) * inv}
		return
	}
	ex, ey := float64(e.X-r.X)*inv, float64(e.Y-r.Y)*inv
	fx, fy := float64(f.X-r.X)*inv, float64(f.Y-r.Y)*inv
	s.U.through(u0, u1-u0, u2-u0, ex, ey, fx, fy)
	s.V.through(v0, v1-v0, v2-v0, ex, ey, fx, fy)
	s.Z.through(r.Z, e.Z-r.Z, f.Z-r.Z, ex, ey, fx, fy)
	if s.W.C = r.InvW; !s.Affine {
		s.W.through(r.InvW, e.InvW-r.InvW, f.InvW-r.InvW, ex, ey, fx, fy)
	}
}

// through makes p the plane that is c at a corner, and differs by d1 and d2 at the next two, which are at (ex, ey) and
// (fx, fy) from there, divided by the doubled area.
// RAS-245, RAS-247, RAS-248 primsrast-polygons-basic
func (p *Plane) through(c, d1, d2, ex, ey, fx, fy float64) {
	p.C, p.GX, p.GY = c, float64(d1*fy)-float64(d2*ey), float64(d2*ex)-float64(d1*fx)
}

// appendRectangle covers the bounding box of a triangle.
// RAS-254 primsrast-polygonmode
func appendRectangle(dst []Setup, extra []HalfPlane, p *Polygon, st *State, area int64) ([]Setup, []HalfPlane) {
	a, b, c := &p.C[0], &p.C[1], &p.C[2]
	box := Rect{min(a.X, b.X, c.X), min(a.Y, b.Y, c.Y), max(a.X, b.X, c.X), max(a.Y, b.Y, c.Y)}
	r := box.Intersect(st.ViewRect)
	if area == 0 || p.N != 3 || p.Cuts != 0 || r.Empty() && st.square() == squareNone {
		return dst, extra
	}
	s := Setup{LinearU: 1, LinearV: 1, extraOffset: uint32(len(extra))}
	if st.square() == squareNone {
		s.box(r, st)
	} else {
		s.box(box, st)
		s.Bounds = s.Bounds.Intersect(overlapping(st.ViewRect))
	}
	if s.Bounds.Empty() {
		return dst, extra
	}
	if s.Square != squareNone {
		extra = appendViewSides(extra, box, st)
		s.extraCount = uint8(len(extra) - int(s.extraOffset))
	}
	s.trianglePlanes(&p.W, a, b, c, area, box)
	return append(dst, s), extra
}

// box makes coverage that of a half-open rectangle, subpixels.
func (s *Setup) box(r Rect, st *State) {
	ss := st.set()
	s.Bounds, s.edgeCount = pixelBounds(r, ss), 4
	// Where a pixel has one place for samples, its bounds are what the edges say.
	s.exact = ss.X0 == ss.X1 && ss.Y0 == ss.Y1
	e := &s.edges // field by field: a struct would be made elsewhere and copied
	e[0].A, e[0].B, e[0].C = 1, 0, -int64(r.X0)
	e[1].A, e[1].B, e[1].C = -1, 0, int64(r.X1)-1
	e[2].A, e[2].B, e[2].C = 0, 1, -int64(r.Y0)
	e[3].A, e[3].B, e[3].C = 0, -1, int64(r.Y1)-1
	if st.square() != squareNone {
		s.Square, s.Grow, s.exact = st.square(), int16(st.grow()), false
		s.Bounds = touching(r, int32(s.Grow))
		for i := range s.edges {
			s.edges[i] = s.edges[i].with(s.Square.ties())
		}
	}
}
