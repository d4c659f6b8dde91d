package vertexpost

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// Gone says that nothing is left of a primitive: all is the intersection of its
// vertices' outcodes, some their union.
//
// RAS-074, RAS-075, RAS-366 vertexpostproc-clipping
func Gone(all, some raster.Outcode) bool {
	return some&raster.OutInvalid != 0 || all&(outView|outDepth|outDist|raster.OutW) != 0
}

// Moves says that positions change before anything else.
func (c *Config) Moves() bool { return c.Swizzled || c.WScale }

// Outside fills out with outcodes of the clip positions pos, bits of binary32 numbers
// by component, before anything is divided: enough to see that most primitives beyond
// the view volume are Gone. It reports false, with out undefined, where positions
// change first. positions.Outside is a program for it.
func (c *Config) Outside(out []uint32, pos *[4][]uint32) bool {
	if c.Moves() {
		return false
	}
	x, y, z, w := pos[0][:len(out)], pos[1][:len(out)], pos[2][:len(out)], pos[3][:len(out)]
	for i := range out {
		p := [4]float32{math.Float32frombits(x[i]), math.Float32frombits(y[i]), math.Float32frombits(z[i]), math.Float32frombits(w[i])}
		o := c.volume(float64(p[0]), float64(p[1]), float64(p[2]), float64(p[3]))
		if p[3] <= MinW {
			o |= raster.OutW
		}
		for _, f := range p {
			if f-f != 0 { // NaN or infinite
				o |= raster.OutInvalid
			}
		}
		out[i] = uint32(o)
	}
	return true
}

// volume are the planes of the view volume that a position lies outside of.
//
// RAS-075, RAS-076 vertexpostproc-clipping
func (c *Config) volume(x, y, z, w float64) (out raster.Outcode) {
	if x < -w {
		out |= raster.OutLeft
	}
	if x > w {
		out |= raster.OutRight
	}
	if y < -w {
		out |= raster.OutTop
	}
	if y > w {
		out |= raster.OutBottom
	}
	if c.DepthClip {
		if z < 0 && !c.NegativeOneToOne || c.NegativeOneToOne && z < -w {
			out |= raster.OutNear
		}
		if z > w {
			out |= raster.OutFar
		}
	}
	return out
}
