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

// Place is a vertex in framebuffer space.
type Place struct {
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

// Triangle returns the pixels outside of which a triangle draws nothing, none where it
// is culled. ok is false where the viewport's sides cut pixels of it, and a set-up has to
// know.
// RAS-234, RAS-241, RAS-244 primsrast-polygons-basic
func (st *State) Triangle(a, b, c Spot) (bounds Rect, ok bool) {
	area := spotArea(a, b, c)
	front := frontFacing(area, st.FrontFace)
	if area == 0 || front && st.CullMode&vk.CullModeFrontBit != 0 || !front && st.CullMode&vk.CullModeBackBit != 0 {
		return Rect{}, true
	}
	box := spotBox(a, b, c)
	v := &st.ViewRect
	if box.X0 >= v.X0 && box.Y0 >= v.Y0 && box.X1 <= v.X1 && box.Y1 <= v.Y1 {
		return pixelBounds(box, st.set()), true
	}
	if v.X0 > box.X0 && v.X0&(Subpixels-1) != 0 || v.X1 < box.X1 && v.X1&(Subpixels-1) != 0 ||
		v.Y0 > box.Y0 && v.Y0&(Subpixels-1) != 0 || v.Y1 < box.Y1 && v.Y1&(Subpixels-1) != 0 {
		return Rect{}, false
	}
	return pixelBounds(box.Intersect(*v), st.set()), true
}

func spotBox(a, b, c Spot) Rect {
	return Rect{min(a.X, b.X, c.X), min(a.Y, b.Y, c.Y), max(a.X, b.X, c.X), max(a.Y, b.Y, c.Y)}
}

// spotArea is cross of spots.
func spotArea(a, b, c Spot) int64 {
	return int64(b.X-a.X)*int64(c.Y-a.Y) - int64(b.Y-a.Y)*int64(c.X-a.X)
}

// SetTriangle makes s the set-up of a triangle for which State.Triangle has given pixels;
// provoking is the index of a vertex.
func (s *Setup) SetTriangle(v *[3]*Place, provoking uint8, st *State, prim uint32) {
	var a, b, c Corner
	a.at(v[0], 0, 0)
	b.at(v[1], 1, 0)
	c.at(v[2], 0, 1)
	a2, box := spotArea(v[0].Spot, v[1].Spot, v[2].Spot), spotBox(v[0].Spot, v[1].Spot, v[2].Spot)
	*s = Setup{} // field by field: a struct would be made elsewhere and copied
	s.Prim, s.FrontFacing, s.Provoking, s.LinearU, s.LinearV, s.edgeCount, s.short = prim, frontFacing(a2, st.FrontFace), provoking, 1, 1, 3, short(box)
	s.Bounds = pixelBounds(box.Intersect(st.ViewRect), st.set())
	flip := a2 < 0
	s.edges[0].side(&a, &b, flip)
	s.edges[1].side(&b, &c, flip)
	s.edges[2].side(&c, &a, flip)
	s.trianglePlanes(&[3]float64{v[0].W, v[1].W, v[2].W}, &a, &b, &c, a2, box)
	if st.DepthBias.Enable {
		if bias := st.DepthBias.offset(max(math.Abs(a.Z), math.Abs(b.Z), math.Abs(c.Z)), slope(&a, &b, &c, a2)); bias != 0 {
			s.Z.C += bias
		}
	}
}

// at makes c the corner at a vertex: field by field, as a struct would be made elsewhere and copied.
func (c *Corner) at(v *Place, l1, l2 float64) {
	c.X, c.Y, c.Z, c.InvW, c.L1, c.L2 = v.X, v.Y, v.Z, v.InvW, l1, l2
}

// Line is Triangle for the line from a to b.
// RAS-197 primsrast-lines
func (st *State) Line(a, b Spot) Rect {
	if a == b {
		return Rect{}
	}
	return lineBounds(a.X, a.Y, b.X, b.Y, quantizeSize(st.LineWidth, maxLineWidth), st.set())
}

// lineBounds is the pixels that a line between two positions may have samples of.
func lineBounds(ax, ay, bx, by, width int32, ss *SampleSet) Rect {
	return pixelBounds(Rect{min(ax, bx) - width, min(ay, by) - width, max(ax, bx) + width + 1, max(ay, by) + width + 1}, ss)
}

// SetLine makes s the set-up of a line for which State.Line has given pixels.
func (s *Setup) SetLine(v0, v1 *Place, st *State, prim uint32) {
	var a, b Corner
	a.at(v0, 0, 0)
	b.at(v1, 1, 0)
	s.line(nil, &a, &b, 0, 1, st, 0)
	s.Prim, s.FrontFacing = prim, true
	if !s.Affine {
		s.LinearU = v1.W
	}
}

// Point is Triangle for a point.
// RAS-189 primsrast-points-basic
func (st *State) Point(v Spot, size float32) Rect {
	k := quantizeSize(size, maxPointSize)
	return pixelBounds(Rect{v.X - k, v.Y - k, v.X + k, v.Y + k}, st.set())
}

// SetPoint makes s the set-up of a point for which State.Point has given pixels.
func (s *Setup) SetPoint(v *Place, d Dot, st *State, prim uint32) {
	p := Point{Corner: Corner{X: v.X, Y: v.Y, Z: v.Z, InvW: v.InvW}, FX: d.FX, FY: d.FY, Size: float32(v.W)}
	s.point(&p, st)
	s.Prim, s.FrontFacing = prim, true
}
