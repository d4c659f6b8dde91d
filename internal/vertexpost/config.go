// Package vertexpost is what happens to primitives between shading of vertices
// and rasterization: culling by distances and view volume, clipping, the divide
// by w, the viewport transform and snapping to the subpixel grid.
//
// Triangles are hardly ever clipped geometrically: the sides of the viewport,
// near, far and user planes become half-planes that rasterization tests per
// sample, so that edges stay where they are and shared edges stay shared. Only
// corners behind the eye or beyond the guard band are cut off. Corners that arise
// so carry weights of the original vertices, so that attributes need no clipping.
package vertexpost

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// MinW is the smallest w, exclusive, that a vertex is not cut off for.
// RAS-081 vertexpostproc-clipping
const MinW = 0x1p-64

// Viewport is a viewport transform; MakeViewport makes one.
type Viewport struct {
	// ScaleX, ScaleY are p/2, OffsetX, OffsetY are o: framebuffer x is
	// ScaleX*xd + OffsetX, pixels.
	ScaleX, ScaleY, OffsetX, OffsetY float64
	// ScaleZ, OffsetZ map depth: ScaleZ*zd + OffsetZ.
	ScaleZ, OffsetZ float64
	// Rect is the area of the viewport, subpixels.
	Rect raster.Rect
	// DepthLimit is the largest magnitude of minDepth and maxDepth.
	DepthLimit float64
}

// MakeViewport prepares v. Its extent is rounded to the subpixel grid first; a
// negative height mirrors y.
// RAS-092, RAS-093, RAS-094, RAS-095 vertexpostproc-viewport
func MakeViewport(v vk.Viewport, negativeOneToOne bool) Viewport {
	x, y := snapBound(v.X), snapBound(v.Y)
	w, h := snapBound(v.Width), snapBound(v.Height)
	zMin, zMax := float64(v.MinDepth), float64(v.MaxDepth)
	out := Viewport{
		ScaleX: w / 2, ScaleY: h / 2,
		OffsetX: x + float64(w/2), OffsetY: y + float64(h/2),
		ScaleZ: zMax - zMin, OffsetZ: zMin,
		Rect: raster.Rect{
			X0: int32(min(x, x+w) * raster.Subpixels), Y0: int32(min(y, y+h) * raster.Subpixels),
			X1: int32(max(x, x+w) * raster.Subpixels), Y1: int32(max(y, y+h) * raster.Subpixels),
		},
		DepthLimit: max(math.Abs(zMin), math.Abs(zMax)),
	}
	if negativeOneToOne {
		out.ScaleZ, out.OffsetZ = (zMax-zMin)/2, (zMax+zMin)/2
	}
	return out
}

// snapBound rounds to the subpixel grid. What no valid viewport has (NaN, or more
// than half the guard band) is clamped, so that nothing overflows later.
func snapBound(f float32) float64 {
	const limit = raster.GuardBand / 2
	if f != f {
		return 0
	}
	return math.RoundToEven(max(-limit, min(limit, float64(f)))*raster.Subpixels) / raster.Subpixels
}

// Config is the state of vertex post-processing for one draw and one viewport.
type Config struct {
	Viewport Viewport
	// DepthClip: the near and far plane clip (RAS-076).
	DepthClip bool
	// NegativeOneToOne: clip z goes from -w to w instead of from 0.
	NegativeOneToOne bool
	// ClipDistances and CullDistances count Vertex.Dist; together 8 at most.
	ClipDistances, CullDistances int
	// Outline: polygons are drawn as lines or points, and therefore clipped
	// geometrically against the whole view volume (RAS-087).
	Outline bool
	// Swizzle says where the components of a position come from, where Swizzled
	// is set (RAS-073).
	Swizzled bool
	Swizzle  vk.ViewportSwizzleNV
	// WScale: positions are divided by w' = ScaleX*x + ScaleY*y + w instead of w,
	// clipped with w all the same (RAS-089).
	WScale         bool
	ScaleX, ScaleY float64
	// Rectangle: triangles stand for their bounding boxes and are not cut, but
	// dropped (RAS-088).
	Rectangle bool
}

// Masks of outcodes.
const (
	outView  = raster.OutLeft | raster.OutRight | raster.OutTop | raster.OutBottom
	outDepth = raster.OutNear | raster.OutFar
	outDist  = raster.OutUser * (1<<raster.MaxDistances - 1)
)

// outClip is the mask of the clip distances (cull distances follow them).
func (c *Config) outClip() raster.Outcode {
	return raster.OutUser * (1<<uint(c.ClipDistances) - 1)
}

// Project fills what Vertex says that it fills. It must be called once for every
// vertex of a primitive, with the viewport of the primitive.
// RAS-002, RAS-075, RAS-091 vertexpostproc-coord-transform
func (c *Config) Project(vertices []raster.Vertex) {
	for i := range vertices {
		c.project(&vertices[i])
	}
}

func (c *Config) project(v *raster.Vertex) {
	if c.Swizzled {
		v.Pos = swizzle(v.Pos, c.Swizzle) // RAS-374, RAS-375
	}
	x, y, z, w := float64(v.Pos[0]), float64(v.Pos[1]), float64(v.Pos[2]), float64(v.Pos[3])
	v.X, v.Y, v.Z, v.InvW = 0, 0, 0, 0
	by := c.divisor(x, y, w)
	// RAS-366: x-x is NaN for NaN and infinities alone; w is a term of what divides.
	if bad := (x - x) + (y - y) + (z - z) + (by - by); bad != bad {
		v.Out = raster.OutInvalid
		return
	}
	out := c.distances(v) | c.volume(x, y, z, w)
	w = by
	if w <= MinW {
		v.Out = out | raster.OutW
		return
	}
	xf, yf := c.screen(x, y, w)
	v.Z, v.InvW = c.depth(z, w), 1/w // RAS-091, RAS-378
	if math.Abs(xf) > raster.GuardBand || math.Abs(yf) > raster.GuardBand {
		v.Out = out | raster.OutGuard
		return
	}
	v.X, v.Y = snap(xf), snap(yf)
	v.Out = out
}

// Identity is the swizzle that changes nothing.
var Identity = vk.ViewportSwizzleNV{
	X: vk.ViewportCoordinateSwizzlePositiveXNV, Y: vk.ViewportCoordinateSwizzlePositiveYNV,
	Z: vk.ViewportCoordinateSwizzlePositiveZNV, W: vk.ViewportCoordinateSwizzlePositiveWNV,
}

// swizzle picks the components of a position, negated or not.
// RAS-073, RAS-373 vertexpostproc-viewport-swizzle
func swizzle(p [4]float32, s vk.ViewportSwizzleNV) (out [4]float32) {
	for i, from := range [4]vk.ViewportCoordinateSwizzleNV{s.X, s.Y, s.Z, s.W} {
		out[i] = p[from>>1&3]
		if from&1 != 0 {
			out[i] = -out[i]
		}
	}
	return out
}

// divisor is what a position is divided by.
// RAS-089, RAS-376 vertexpostproc-viewportwscaling
func (c *Config) divisor(x, y, w float64) float64 {
	if !c.WScale {
		return w
	}
	return float64(c.ScaleX*x) + float64(c.ScaleY*y) + w
}

// divisorOf is the divisor of a vertex.
func (c *Config) divisorOf(v *raster.Vertex) float64 {
	return c.divisor(float64(v.Pos[0]), float64(v.Pos[1]), float64(v.Pos[3]))
}

// distances are the bits of negative clip and cull distances.
// RAS-074, RAS-366 vertexpostproc-clipping
func (c *Config) distances(v *raster.Vertex) (out raster.Outcode) {
	for k := range min(c.ClipDistances+c.CullDistances, raster.MaxDistances) {
		d := v.Dist[k]
		if d < 0 {
			out |= raster.OutUser << k
		}
		if k < c.ClipDistances && d-d != 0 {
			out |= raster.OutInvalid
		}
	}
	return out
}

// screen is the position in the framebuffer, pixels.
// RAS-001, RAS-091, RAS-092 vertexpostproc-viewport
func (c *Config) screen(x, y, w float64) (xf, yf float64) {
	v := &c.Viewport
	return float64(v.ScaleX*(x/w)) + v.OffsetX, float64(v.ScaleY*(y/w)) + v.OffsetY
}

// depth is zf.
func (c *Config) depth(z, w float64) float64 {
	return float64(c.Viewport.ScaleZ*(z/w)) + c.Viewport.OffsetZ
}

// snap rounds pixels to the subpixel grid.
// RAS-002 vertexpostproc-viewport
func snap(pixels float64) int32 {
	return int32(math.RoundToEven(pixels * raster.Subpixels))
}
