package raster

// SubpixelBits is the number of fractional bits of snapped positions
// (subPixelPrecisionBits, RAS-002); Subpixels is their number in a pixel.
const (
	SubpixelBits = 8
	Subpixels    = 1 << SubpixelBits
)

// GuardBand is the largest magnitude, in pixels, of a framebuffer coordinate
// that set-up accepts (RAS-003). Differences of snapped coordinates then fit 29
// bits, and values of edge functions 60 bits.
const GuardBand = 1 << 20

// Limits of a clipped polygon: a triangle cut by the four guard planes and
// w > 0; in outline mode also by the four sides of the view volume, near, far
// and eight user planes.
const (
	MaxFillCorners = 3 + 5
	MaxCorners     = 3 + 5 + 4 + 2 + 8
	MaxCuts        = 2 + 8 + 4 // the last with W scaling
	MaxDistances   = 8
)

// Rect is a half-open rectangle: X0 <= x < X1, Y0 <= y < Y1. Its unit, pixels or
// subpixels, is said where it is used.
type Rect struct{ X0, Y0, X1, Y1 int32 }

// Intersect is the common part of r and s; it may be empty.
func (r Rect) Intersect(s Rect) Rect {
	return Rect{max(r.X0, s.X0), max(r.Y0, s.Y0), min(r.X1, s.X1), min(r.Y1, s.Y1)}
}

// Empty says whether r contains nothing.
func (r Rect) Empty() bool { return r.X0 >= r.X1 || r.Y0 >= r.Y1 }

// Vertex is one vertex as it leaves the last pre-rasterization stage.
type Vertex struct {
	// Pos is the clip position x, y, z, w.
	Pos [4]float32
	// Size is PointSize; 1 where the shader doesn't write it.
	Size float32
	// Dist holds the clip distances, and after them the cull distances.
	Dist [MaxDistances]float32

	// What follows is filled by vertexpost's Config.Project, for one viewport.

	// X, Y: snapped position, subpixels; valid where Out has neither OutW nor
	// OutGuard.
	X, Y int32
	// Z is the depth after the viewport transform, InvW is 1/w.
	Z, InvW float64
	// Out says which planes the vertex is outside of.
	Out Outcode
}

// Outcode is a set of planes that a vertex lies outside of.
type Outcode uint32

// Bits of Outcode. The bits of clip distances are OutUser<<k.
const (
	OutLeft    Outcode = 1 << iota // x < -w
	OutRight                       // x > w
	OutTop                         // y < -w
	OutBottom                      // y > w
	OutNear                        // z < 0, or z < -w
	OutFar                         // z > w
	OutW                           // w <= 2^-64
	OutGuard                       // beyond the guard band
	OutInvalid                     // NaN or infinity in position or clip distance
	OutUser
)

// Corner is a corner of a primitive in framebuffer space, or an end of a
// segment.
type Corner struct {
	// X, Y: subpixels, within the guard band.
	X, Y int32
	// Z is depth after the viewport transform, InvW is 1/w (> 0).
	Z, InvW float64
	// L1, L2 are the weights, in clip space, of the second and the third vertex
	// of the primitive that the corner belongs to: (0,0), (1,0) and (0,1) at the
	// vertices themselves, something between where clipping made the corner.
	L1, L2 float64
}

// Polygon is a triangle after clipping. Pieces of a fan around C[0] are
// rasterized.
type Polygon struct {
	// N corners, in the order of the triangle's vertices: at least 3.
	N int
	C [MaxCorners]Corner
	// W are the clip w of the three vertices of the triangle.
	W [3]float64
	// ZMax is the largest magnitude of depth over the polygon (RAS-262).
	ZMax float64
	// Cuts is the number of half-spaces that cut the triangle but were not
	// clipped against. A sample is kept where D > 0; D[k] holds its values at
	// the corners, divided by w, so that it is linear in framebuffer space.
	Cuts int
	D    [MaxCuts][MaxFillCorners]float64
	// Size is the PointSize of the three vertices, used in point mode.
	Size [3]float32
	// Provoking is the index of the provoking vertex among the three vertices.
	// vertexpost leaves it as the caller set it.
	Provoking uint8
	// Made has a bit for each corner that clipping made: no vertex of the triangle, and no point in point mode (RAS-087).
	Made uint32
}

// Segment is a line after clipping: its ends stay where they are, and fragments
// are limited to the interval [U0, U1) of its parameter (RAS-086).
type Segment struct {
	A, B   Corner // L1 is 0 at the first vertex and 1 at the second
	U0, U1 float64
	W      [2]float64 // clip w of the two vertices
	// Phase is that of the stipple pattern at A; vertexpost leaves it.
	Phase int32
}

// Point is a point inside the view volume.
type Point struct {
	Corner
	// FX, FY: position before snapping, pixels. Size: diameter before
	// clamping to the supported range, pixels.
	FX, FY float64
	Size   float32
}
