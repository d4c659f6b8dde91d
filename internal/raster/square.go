package raster

import (
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// Square says that coverage is decided by the squares of pixels instead of by
// samples: all samples of a pixel are covered, or none.
type Square uint8

// Rules for squares.
const (
	squareNone   Square = iota
	squareOver          // the closed square, grown, touches the primitive
	squareUnder         // it lies inside
	squareSmooth        // a smooth line: they have an area in common
)

// Conservative says that squares decide because of a conservative mode.
func (s Square) Conservative() bool { return s == squareOver || s == squareUnder }

// Under says that coverage is underestimated.
func (s Square) Under() bool { return s == squareUnder }

// Smooth says that they decide because the line is smooth.
func (s Square) Smooth() bool { return s == squareSmooth }

// squareOf is the rule of a conservative mode.
// RAS-267 primsrast-conservativeraster
func (st *State) square() Square {
	switch st.Conservative {
	case vk.ConservativeRasterizationModeOverestimateEXT:
		return squareOver
	case vk.ConservativeRasterizationModeUnderestimateEXT:
		return squareUnder
	}
	return squareNone
}

// grow is e of RAS-269 in subpixels.
// RAS-267 primsrast-conservativeraster
func (st *State) grow() int32 {
	if st.square() != squareOver || !(st.ExtraSize > 0) {
		return 0
	}
	return int32(math.RoundToEven(min(float64(st.ExtraSize), MaxExtraOverestimation) * Subpixels))
}

// MaxExtraOverestimation is maxExtraPrimitiveOverestimationSize, pixels.
const MaxExtraOverestimation = 4

// corners is the positions that bound a pixel's square, grown by e.
func corners(e int32) SampleSet {
	return SampleSet{X0: -e, X1: Subpixels + e, Y0: -e, Y1: Subpixels + e}
}

// touching is the pixels whose closed squares, grown by e, touch the closed
// rectangle r, subpixels.
// RAS-280
func touching(r Rect, e int32) Rect {
	return Rect{
		ceilPixel(r.X0-e) - 1, ceilPixel(r.Y0-e) - 1,
		(r.X1+e)>>SubpixelBits + 1, (r.Y1+e)>>SubpixelBits + 1,
	}
}

// overlapping is the pixels whose squares have an area in common with r.
func overlapping(r Rect) Rect {
	return Rect{r.X0 >> SubpixelBits, r.Y0 >> SubpixelBits, ceilPixel(r.X1), ceilPixel(r.Y1)}
}

// ties says what becomes of a position on the boundary of a primitive.
type ties uint8

const (
	tiesOwned ties = iota // one of the two primitives that share it has it
	tiesIn                // it is inside
	tiesOut               // it is outside
)

// ties is the rule of squares: a pixel touches the closed primitive, but must lie
// inside of it without touching its boundary. Vulkan leaves open to whom edges
// belong; its conformance tests have them neither fully covered.
// RAS-268, RAS-275 primsrast-conservativeraster
func (q Square) ties() ties {
	switch q {
	case squareOver:
		return tiesIn
	case squareUnder:
		return tiesOut
	}
	return tiesOwned
}

// bias is tieBias under t.
func (t ties) bias(nx, ny int32) int64 {
	switch t {
	case tiesIn:
		return 0
	case tiesOut:
		return -1
	}
	return tieBias(nx, ny)
}

// with is a half-plane whose rule for ties is the ordinary one, under t.
func (h HalfPlane) with(t ties) HalfPlane {
	h.C += t.bias(h.A, h.B) - tieBias(h.A, h.B)
	return h
}

// conservativeTriangle makes the coverage of triangle that of its squares.
// RAS-268, RAS-270, RAS-275, RAS-279, RAS-280 primsrast-conservativeraster
func (s *Setup) conservativeTriangle(st *State, box Rect) {
	s.Square, s.Grow = st.square(), int16(st.grow())
	for i := range s.edges[:s.edgeCount] {
		s.edges[i] = s.edges[i].with(s.Square.ties())
	}
	s.Bounds = touching(box, int32(s.Grow)).Intersect(overlapping(st.ViewRect))
}

// appendDegenerate sets up a polygon without area: the pixels that its segment
// touches, with the values of the provoking vertex.
// RAS-271 primsrast-conservativeraster
func appendDegenerate(dst []Setup, p *Polygon, st *State) []Setup {
	if st.square() != squareOver {
		return dst
	}
	// All corners are on a line: the two farthest from each other are its ends.
	var a, b *Corner
	best := int64(-1)
	for i := 1; i < p.N; i++ {
		for k := range i {
			dx, dy := int64(p.C[i].X-p.C[k].X), int64(p.C[i].Y-p.C[k].Y)
			if d := dx*dx + dy*dy; d > best {
				a, b, best = &p.C[k], &p.C[i], d
			}
		}
	}
	c := p.C[0] // where clipping has made other corners, the first
	for i := 1; i < p.N; i++ {
		if q := &p.C[i]; p.Provoking == 0 && q.L1 == 0 && q.L2 == 0 || p.Provoking == 1 && q.L1 == 1 || p.Provoking == 2 && q.L2 == 1 {
			c = *q
		}
	}
	s := Setup{Square: squareOver, Grow: int16(st.grow()), Affine: true, LinearU: 1, LinearV: 1}
	box := Rect{min(a.X, b.X), min(a.Y, b.Y), max(a.X, b.X), max(a.Y, b.Y)}
	s.Bounds = touching(box, int32(s.Grow)).Intersect(overlapping(st.ViewRect))
	if s.Bounds.Empty() {
		return dst
	}
	s.edges[0].side(a, b, false)
	h := s.edges[0].with(tiesIn)
	s.edges[0], s.edges[1], s.edgeCount = h, HalfPlane{-h.A, -h.B, -h.C}, 2
	s.U.C, s.V.C, s.W.C, s.Z.C = c.L1, c.L2, c.InvW, c.Z
	return append(dst, s)
}

// appendDot sets up a line without length: the pixels that a square as wide as
// the line touches, with the values of the provoking vertex.
func appendDot(dst []Setup, g *Segment, st *State, prim uint32) []Setup {
	if st.square() != squareOver {
		return dst
	}
	// RAS-273 primsrast-conservativeraster
	c := &g.A
	if st.ProvokingLast {
		c = &g.B
	}
	s := Setup{Kind: KindLine, Square: squareOver, Grow: int16(st.grow()), Affine: true, LinearU: 1, Prim: prim, FrontFacing: true}
	k := quantizeSize(st.LineWidth, maxLineWidth) // in half subpixels: half the width
	s.Bounds = touching(Rect{c.X - k, c.Y - k, c.X + k, c.Y + k}, int32(s.Grow))
	s.U.C, s.W.C, s.Z.C = c.L1, c.InvW, c.Z
	return append(dst, s)
}

// conservativeLine makes the coverage of a line that of its squares; s.edges are
// those of the rectangle.
// RAS-272, RAS-275 primsrast-conservativeraster
func (s *Setup) conservativeLine(a, b *Corner, st *State, width int32) {
	s.Square, s.Grow = st.square(), int16(st.grow())
	l := math.Sqrt(float64(int64(b.X-a.X)*int64(b.X-a.X) + int64(b.Y-a.Y)*int64(b.Y-a.Y)))
	// The corners lie this far beside the ends; width is in half subpixels.
	ox, oy := math.Abs(float64(b.Y-a.Y))*float64(width)/l, math.Abs(float64(b.X-a.X))*float64(width)/l
	if st.parallelogram() {
		ox, oy = float64(width), float64(width)
	}
	s.Bounds = touching(Rect{
		int32(math.Ceil(float64(min(a.X, b.X)) - ox)), int32(math.Ceil(float64(min(a.Y, b.Y)) - oy)),
		int32(math.Floor(float64(max(a.X, b.X)) + ox)), int32(math.Floor(float64(max(a.Y, b.Y)) + oy)),
	}, int32(s.Grow))
}

// FullyCovered says whether the whole square of a pixel lies inside the
// primitive, not grown: FullyCoveredEXT. It is false without conservative
// rasterization.
// RAS-276 primsrast-conservativeraster
func (s *Setup) FullyCovered(extra []HalfPlane, x, y int32) bool {
	if s.Square != squareOver && s.Square != squareUnder || s.edgeCount < 3 {
		return false
	}
	for i := range s.halfPlanes() {
		least := int64(0)
		if s.Square == squareOver && i < int(s.edgeCount) && !(s.OpenSides && i >= 2) {
			least = 1 // its edges take in what lies on them
		}
		h := s.halfPlane(i, extra)
		px, py := int64(x)<<SubpixelBits, int64(y)<<SubpixelBits
		if h.A < 0 {
			px += Subpixels
		}
		if h.B < 0 {
			py += Subpixels
		}
		if int64(h.A)*px+int64(h.B)*py+h.C < least {
			return false
		}
	}
	return true
}
