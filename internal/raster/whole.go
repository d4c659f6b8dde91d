package raster

import (
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// Most primitives are small, and nothing cuts them. Their set-ups follow from their
// vertices and the state, so bins keep those: State says where such a primitive draws,
// and a set-up is made of it where it is drawn, with what the Append functions would
// have made.

// Spot is a snapped position: subpixels, within the guard band.
type Spot struct{ X, Y int32 }

// Projected is a vertex in framebuffer space.
type Projected struct {
	Spot
	// Z is depth after the viewport transform, InvW is 1/w (> 0), W what the position
	// was divided by; of a point its size instead (Point.Size).
	Z, InvW, W float64
}

// Dot is the position of a point before snapping, pixels, where PointCoord is used.
type Dot struct{ FX, FY float64 }

// Whole says that set-ups under the state follow from vertices where clipping changes
// nothing: polygons are filled, and no mode asks for more than samples.
func (st *State) Whole() bool {
	return st.PolygonMode == vk.PolygonModeFill && st.square() == squareNone && st.Stipple.Factor == 0 && !st.relaxed() &&
		(st.LineMode == vk.LineRasterizationModeDefault || st.LineMode == vk.LineRasterizationModeRectangular)
}

// Finder says where whole primitives of a state draw; State.Finder makes one.
type Finder struct {
	view        Rect
	pixels      bool // view ends between pixels
	right, left bool // triangles of a positive, a negative area are culled
	set         *SampleSet
	width       int32 // of lines, half subpixels
}

// Finder makes the Finder of a state that is Whole.
func (st *State) Finder() Finder {
	v := &st.ViewRect
	f := Finder{view: *v, pixels: (v.X0|v.Y0|v.X1|v.Y1)&(Subpixels-1) == 0, set: st.set(), width: quantizeSize(st.LineWidth, maxLineWidth)}
	culled := func(front bool) bool {
		return front && st.CullMode&vk.CullModeFrontBit != 0 || !front && st.CullMode&vk.CullModeBackBit != 0
	}
	f.right, f.left = culled(frontFacing(1, st.FrontFace)), culled(frontFacing(-1, st.FrontFace))
	return f
}

// Triangle returns the pixels outside of which a triangle draws nothing, none where it
// is culled. ok is false where the viewport's sides cut pixels of it, and a set-up has to
// know.
// RAS-244 primsrast-polygons-basic
func (f *Finder) Triangle(a, b, c Spot) (bounds Rect, ok bool) {
	area := spotArea(a, b, c)
	if area == 0 || area > 0 && f.right || area < 0 && f.left { // RAS-235, RAS-241
		return Rect{}, true
	}
	box, v := spotBox(a, b, c), &f.view
	if box.X0 >= v.X0 && box.Y0 >= v.Y0 && box.X1 <= v.X1 && box.Y1 <= v.Y1 {
		return pixelBounds(box, f.set), true
	}
	if !f.pixels && (v.X0 > box.X0 && v.X0&(Subpixels-1) != 0 || v.X1 < box.X1 && v.X1&(Subpixels-1) != 0 ||
		v.Y0 > box.Y0 && v.Y0&(Subpixels-1) != 0 || v.Y1 < box.Y1 && v.Y1&(Subpixels-1) != 0) {
		return Rect{}, false
	}
	return pixelBounds(box.Intersect(*v), f.set), true
}

func spotBox(a, b, c Spot) Rect {
	return Rect{min(a.X, b.X, c.X), min(a.Y, b.Y, c.Y), max(a.X, b.X, c.X), max(a.Y, b.Y, c.Y)}
}

// spotArea is cross of spots.
func spotArea(a, b, c Spot) int64 {
	return int64(b.X-a.X)*int64(c.Y-a.Y) - int64(b.Y-a.Y)*int64(c.X-a.X)
}

// SetTriangle makes s the set-up of a triangle for which Finder.Triangle has given pixels;
// provoking is the index of a vertex. It is Setup.triangle without what clipping may leave, and without branches
// that nothing foretells.
func (s *Setup) SetTriangle(v *[3]*Projected, provoking uint8, st *State, prim uint32) {
	a, b, c := v[0], v[1], v[2]
	a2, box := spotArea(a.Spot, b.Spot, c.Spot), spotBox(a.Spot, b.Spot, c.Spot)
	*s = Setup{}                                  // field by field: a struct would be made elsewhere and copied
	s.FrontFacing = frontFacing(a2, st.FrontFace) // RAS-236
	s.Prim, s.Provoking, s.edgeCount, s.short = prim, provoking, 3, short(box)
	s.Bounds = pixelBounds(box.Intersect(st.ViewRect), st.set())
	// RAS-239
	flip := int32(a2 >> 63)
	s.edges[0].between(a.Spot, b.Spot, flip)
	s.edges[1].between(b.Spot, c.Spot, flip)
	s.edges[2].between(c.Spot, a.Spot, flip)

	// Bits of positive numbers are in their order.
	at, least := 0, math.Float64bits(a.InvW)
	if w := math.Float64bits(b.InvW); w < least {
		at, least = 1, w
	}
	if math.Float64bits(c.InvW) < least {
		at = 2
	}
	s.Affine = a.InvW == b.InvW && a.InvW == c.InvW
	s.planes(v[at], v[(at+1)%3], v[(at+2)%3], &cornerWeights[at], v[1].W, v[2].W, a2, box)
	if st.DepthBias.Enable {
		var a, b, c Corner
		a.at(v[0], 0, 0)
		b.at(v[1], 1, 0)
		c.at(v[2], 0, 1)
		s.Z.C += st.DepthBias.offset(max(math.Abs(a.Z), math.Abs(b.Z), math.Abs(c.Z)), slope(&a, &b, &c, a2)) // RAS-256, RAS-264, RAS-265
	}
}

// cornerWeights are L1 and L2 of three corners that begin with the first, the second or the third.
var cornerWeights = [3][2][3]float64{{{0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 1, 0}}, {{0, 0, 1}, {1, 0, 0}}}

// between is side; flip is -1 where the polygon is counter-clockwise on screen, else 0.
// RAS-238, RAS-240, RAS-243, RAS-365 primsrast-polygons-basic
func (h *HalfPlane) between(a, b Spot, flip int32) {
	nx, ny := int64((a.Y-b.Y)^flip)-int64(flip), int64((b.X-a.X)^flip)-int64(flip)
	h.set(nx, ny, ownedBias(nx, ny)-nx*int64(a.X)-ny*int64(a.Y))
}

// at makes c the corner at a vertex: field by field, as a struct would be made elsewhere and copied.
func (c *Corner) at(v *Projected, l1, l2 float64) {
	c.X, c.Y, c.Z, c.InvW, c.L1, c.L2 = v.X, v.Y, v.Z, v.InvW, l1, l2
}

// Line is Triangle for the line from a to b.
// RAS-197 primsrast-lines
func (f *Finder) Line(a, b Spot) Rect {
	if a == b {
		return Rect{}
	}
	return lineBounds(a.X, a.Y, b.X, b.Y, f.width, f.set)
}

// lineBounds is the pixels that a line between two positions may have samples of.
func lineBounds(ax, ay, bx, by, width int32, ss *SampleSet) Rect {
	return pixelBounds(Rect{min(ax, bx) - width, min(ay, by) - width, max(ax, bx) + width + 1, max(ay, by) + width + 1}, ss)
}

// SetLine makes s the set-up of a line for which Finder.Line has given pixels: Setup.line without what
// clipping and other modes of lines may leave.
func (s *Setup) SetLine(a, b *Projected, st *State, prim uint32) {
	dx, dy := int64(b.X-a.X), int64(b.Y-a.Y)
	l2 := dx*dx + dy*dy
	width := quantizeSize(st.LineWidth, maxLineWidth)
	*s = Setup{} // field by field: a struct would be made elsewhere and copied

	s.FrontFacing = true // RAS-198, RAS-289
	s.Prim, s.Kind, s.edgeCount, s.short = prim, KindLine, 4, max(dx, -dx, dy, -dy) < shortEdge
	s.Stipple = st.Stipple
	s.P[0], s.P[1], s.Q[0], s.Q[1] = a.X, a.Y, b.X, b.Y
	s.Bounds = lineBounds(a.X, a.Y, b.X, b.Y, width, st.set())

	// RAS-199, RAS-200, RAS-208 primsrast-lines-basic
	c := dx*int64(a.X) + dy*int64(a.Y)
	s.edges[0].set(dx, dy, -c+ownedBias(dx, dy))
	s.edges[1].set(-dx, -dy, c+l2+ownedBias(-dx, -dy))
	k, exact := sqrtProduct(uint64(width)*uint64(width), uint64(l2))
	left, right := int64(k), int64(k)
	if s.OpenSides = !exact; exact {
		left, right = left+ownedBias(-dy, dx), right+ownedBias(dy, -dx)
	}
	c = dx*int64(a.Y) - dy*int64(a.X)
	s.edges[2].set(-dy, dx, left-c)
	s.edges[3].set(dy, -dx, right+c)

	r, e, u0, u1 := a, b, 0.0, 1.0
	if b.InvW < a.InvW {
		r, e, u0, u1 = b, a, 1, 0
	}
	s.RefX, s.RefY, s.LinearU, s.LinearV = r.X, r.Y, 1, 1
	inv := 1 / float64(l2)
	gx, gy := float64(e.X-r.X)*inv, float64(e.Y-r.Y)*inv
	s.Z.along(r.Z, e.Z-r.Z, gx, gy)
	s.W.C, s.Affine = r.InvW, a.InvW == b.InvW
	if !s.Affine {
		u0, u1, s.LinearU = float64(u0*r.InvW), float64(u1*e.InvW), b.W
		s.W.along(r.InvW, e.InvW-r.InvW, gx, gy)
	}
	s.U.along(u0, u1-u0, gx, gy)
	s.V.along(0, 0, gx, gy)
}

// along makes p the plane that is c at the end of a line, and differs by d at the other.
func (p *Plane) along(c, d, gx, gy float64) { p.C, p.GX, p.GY = c, float64(d*gx), float64(d*gy) }

func (h *HalfPlane) set(a, b, c int64) { h.A, h.B, h.C = int32(a), int32(b), c }

// ownedBias is tieBias of words.
// RAS-240 primsrast-polygons-basic
func ownedBias(nx, ny int64) int64 { return (nx<<32 + ny - 1) >> 63 }

// Point is Triangle for a point.
// RAS-189 primsrast-points-basic
func (f *Finder) Point(v Spot, size float32) Rect {
	k := quantizeSize(size, maxPointSize)
	return pixelBounds(Rect{v.X - k, v.Y - k, v.X + k, v.Y + k}, f.set)
}

// SetPoint makes s the set-up of a point for which Finder.Point has given pixels: Setup.point without what
// clipping may leave.
// RAS-190 primsrast-points
func (s *Setup) SetPoint(v *Projected, d Dot, st *State, prim uint32) {
	k := quantizeSize(float32(v.W), maxPointSize)
	*s = Setup{} // field by field: a struct would be made elsewhere and copied
	s.Prim, s.FrontFacing, s.Kind, s.Affine, s.RefX, s.RefY = prim, true, KindPoint, true, v.X, v.Y
	s.W.C, s.Z.C = v.InvW, v.Z
	s.Point[0], s.Point[1], s.Point[2] = d.FX, d.FY, float64(k)/sizeUnits
	s.box(Rect{v.X - k, v.Y - k, v.X + k, v.Y + k}, st)
}
