package raster

import (
	"fmt"

	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/vk"
)

// State is the rasterization state of a draw.
type State struct {
	// Samples is the number of rasterization samples: 1, 2, 4, 8 or 16.
	// Locations are their locations, nil the standard ones.
	Samples     int
	Locations   *SampleSet
	CullMode    vk.CullModeFlags
	FrontFace   vk.FrontFace
	PolygonMode vk.PolygonMode
	DepthBias   DepthBias
	// LineWidth is in pixels; it is clamped to lineWidthRange and rounded to a
	// multiple of 1/128 (RAS-193).
	LineWidth float32
	// LineMode: the default mode is the rectangular one (strictLines), unless lines
	// are Relaxed (relaxedLineRasterization).
	LineMode vk.LineRasterizationMode
	Relaxed  bool
	// Stipple is the pattern of lines.
	Stipple Stipple
	// Conservative is the mode of conservative rasterization, ExtraSize the
	// distance in pixels by which overestimation grows primitives.
	Conservative vk.ConservativeRasterizationModeEXT
	ExtraSize    float32
	// ProvokingLast: the provoking vertex of lines is the second.
	ProvokingLast bool
	// ViewRect is the rectangle of the viewport in subpixels; polygons never
	// leave it (RAS-080), lines and points may.
	ViewRect Rect
}

// UnsupportedError says that rasterization state asks for something that this
// package doesn't do.
type UnsupportedError struct {
	What string // the state, in Vulkan's words
	Rule string // the rule of the catalogue that describes it
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("raster: %s is not supported (%s)", e.What, catalogue.Name(e.Rule))
}

// Check returns an *UnsupportedError where the state asks for something that is
// not there. The other functions expect state that has passed.
func (st *State) Check() error {
	if Samples(st.Samples) == nil {
		return &UnsupportedError{fmt.Sprintf("rasterizationSamples %d", st.Samples), "RAS-106"}
	}
	switch st.PolygonMode {
	case vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint, vk.PolygonModeFillRectangleNV:
	default:
		return &UnsupportedError{"polygonMode " + st.PolygonMode.String(), "RAS-011"}
	}
	switch st.LineMode {
	case vk.LineRasterizationModeDefault, vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth:
	default:
		return &UnsupportedError{"lineRasterizationMode " + st.LineMode.String(), "RAS-194"}
	}
	if f := st.Stipple.Factor; f < 0 || f > 256 {
		return &UnsupportedError{fmt.Sprintf("lineStippleFactor %d", f), "RAS-221"}
	}
	switch st.Conservative {
	case vk.ConservativeRasterizationModeDisabledEXT, vk.ConservativeRasterizationModeOverestimateEXT, vk.ConservativeRasterizationModeUnderestimateEXT:
	default:
		return &UnsupportedError{"conservativeRasterizationMode " + st.Conservative.String(), "RAS-267"}
	}
	return nil
}

// set is the locations of the samples.
// RAS-105, RAS-115
func (st *State) set() *SampleSet {
	if st.Locations != nil {
		return st.Locations
	}
	return Samples(st.Samples)
}

// HalfPlane keeps a sample at (x, y), subpixels, iff A*x + B*y + C >= 0. The rule
// for samples on the line itself is part of C. With |A|, |B| <= 2^30, |x|, |y| <=
// 2^24 and |C| <= 2^61 the sum fits int64.
type HalfPlane struct {
	A, B int32
	C    int64
}

// Plane is a linear function of position: C + GX*dx + GY*dy, where dx and dy are
// relative to the reference point of a Setup.
type Plane struct{ C, GX, GY float64 }

// Kind is what shape a Setup covers.
type Kind uint8

// Shapes.
const (
	KindTriangle Kind = iota
	KindLine
	KindBresenham
	KindPoint
)

// Setup is a primitive, or a piece of one, ready for coverage and evaluation. It
// has no pointers. Where extra half-planes limit it (near, far and user clip
// planes), it refers to the slice that the Append functions returned.
type Setup struct {
	// Bounds is the pixel rectangle outside which nothing is covered.
	Bounds Rect
	// Prim is the caller's: it says which primitive this belongs to.
	Prim uint32
	// FrontFacing is true for points and lines (RAS-289).
	FrontFacing bool
	Kind        Kind
	// Thin: dx and dy of planes are the exact numerators of barycentric
	// weights instead of differences of positions (see delta).
	Thin bool
	// Affine: i and j are U and V, as all corners have the same w.
	Affine bool
	// OpenSides: nothing lies exactly on the long sides of the line.
	OpenSides bool
	// Square: coverage is that of pixels' squares, grown by Grow subpixels.
	Square Square
	Grow   int16
	// Provoking is the vertex whose values stand in where the perspective
	// denominator isn't positive (RAS-255).
	Provoking uint8

	exact bool // all of Bounds is covered
	// short: no edge goes shortEdge or more along an axis, and the edges are all.
	short bool
	// edges are the first half-planes, extra[extraOffset:][:extraCount] follow.
	edgeCount   uint8
	extraCount  uint8
	extraOffset uint32
	edges       [4]HalfPlane

	// RefX, RefY is the reference point of the planes, subpixels: a corner.
	RefX, RefY int32
	// P and Q are, for thin triangles, the sides from the reference corner to
	// the next two; for lines the ends.
	P, Q [2]int32
	// Stipple is the pattern of a line, Phase where it stands at the first end:
	// StippleUnits a pixel.
	Stipple Stipple
	Phase   int32
	// U and V are i/w and j/w, W is 1/w, Z is depth with depth bias.
	U, V, W, Z Plane
	// LinearU, LinearV turn U, V into the noperspective pair.
	LinearU, LinearV float64
	// Point is the centre of a point and its size, pixels; of a Bresenham or
	// smooth line Point[2] is its width, of a smooth one Point[0] and Point[1]
	// are where it starts and ends, measured from the first end.
	Point [3]float64
}

// topLeft is the rule for samples on a line: the side whose inward normal (nx,
// ny) points right, or straight down, owns them.
// RAS-239 primsrast-polygons-basic
func topLeft(nx, ny int32) bool { return nx > 0 || nx == 0 && ny > 0 }

// tieBias is added to the constant of a half-plane, so that "> 0, or = 0 and
// owned" becomes ">= 0".
// RAS-240 primsrast-polygons-basic
func tieBias(nx, ny int32) int64 {
	if topLeft(nx, ny) {
		return 0
	}
	return -1
}

// pixelBounds is the pixels that may have a sample with x0 <= sx < x1 and y0 <=
// sy < y1, subpixels.
// RAS-244 primsrast-polygons-basic
func pixelBounds(r Rect, ss *SampleSet) Rect {
	return Rect{
		ceilPixel(r.X0 - ss.X1), ceilPixel(r.Y0 - ss.Y1),
		ceilPixel(r.X1 - ss.X0), ceilPixel(r.Y1 - ss.Y0),
	}
}

func ceilPixel(v int32) int32 { return (v + Subpixels - 1) >> SubpixelBits }
