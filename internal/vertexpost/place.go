package vertexpost

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// Place is Project for a position whose outcode, by Outside, has none of OutW and
// OutInvalid. It reports false where the position is beyond the guard band.
// RAS-002, RAS-091 vertexpostproc-coord-transform
func (c *Config) Place(p *raster.Place, x, y, z, w float32) bool {
	p.W = float64(w)
	xf, yf := c.screen(float64(x), float64(y), p.W)
	if math.Abs(xf) > raster.GuardBand || math.Abs(yf) > raster.GuardBand {
		return false
	}
	p.X, p.Y, p.Z, p.InvW = snap(xf), snap(yf), c.depth(float64(z), p.W), 1/p.W
	return true
}

// Dot is where a position is before snapping.
// RAS-091 vertexpostproc-coord-transform
func (c *Config) Dot(x, y, w float32) (d raster.Dot) {
	d.FX, d.FY = c.screen(float64(x), float64(y), float64(w))
	return d
}

// Cut says that an outcode asks for more than to draw a primitive of n vertices that is not
// Gone as it is: the sides of the view volume do not cut triangles.
// RAS-080, RAS-085, RAS-086 vertexpostproc-clipping
func Cut(n uint8, some raster.Outcode) bool {
	if n == 3 {
		some &^= outView
	}
	return some != 0
}
