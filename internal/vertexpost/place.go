package vertexpost

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// Place is where Project snaps a position to whose outcode, by Outside, has none of OutW and
// OutInvalid. It reports false where that is beyond the guard band. positions.Place is a program for it.
// RAS-002, RAS-091 vertexpostproc-coord-transform
func (c *Config) Place(x, y, w float32) (s raster.Spot, ok bool) {
	xf, yf := c.screen(float64(x), float64(y), float64(w))
	if math.Abs(xf) > raster.GuardBand || math.Abs(yf) > raster.GuardBand {
		return s, false
	}
	s.X, s.Y = snap(xf), snap(yf)
	return s, true
}

// Deepen fills what a vertex has besides its Spot, with the bits of Project.
// RAS-091 vertexpostproc-coord-transform
func (c *Config) Deepen(p *raster.Projected, z, w float32) {
	p.W = float64(w)
	p.Z, p.InvW = c.depth(float64(z), p.W), 1/p.W
}

// Dot is where a position is before snapping.
// RAS-091 vertexpostproc-coord-transform
func (c *Config) Dot(x, y, w float32) (d raster.Dot) {
	d.FX, d.FY = c.screen(float64(x), float64(y), float64(w))
	return d
}

// Cut says that an outcode asks for more than to draw a primitive of n vertices that is not
// Gone as it is: the sides of the view volume do not cut triangles.
// RAS-085, RAS-086 vertexpostproc-clipping
func Cut(n uint8, some raster.Outcode) bool {
	if n == 3 {
		some &^= outView
	}
	return some != 0
}
