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

// Outside fills out with outcodes of the clip positions pos, bits of binary32 numbers
// by component, before anything is divided: enough to see that most primitives beyond
// the view volume are Gone. It reports false, with out undefined, where positions
// change first.
func (c *Config) Outside(out []raster.Outcode, pos *[4][]uint32) bool {
	if c.Swizzled || c.WScale {
		return false
	}
	n := len(out)
	x, y, z, w := pos[0][:n], pos[1][:n], pos[2][:n], pos[3][:n]
	done := 0
	if haveAVX2 && n >= 8 {
		done = n &^ 7
		outsideAVX2(&out[0], &x[0], &y[0], &z[0], &w[0], done, c.depthCode())
	}
	c.outside(out[done:], x[done:], y[done:], z[done:], w[done:])
	return true
}

// depthCode tells the kernel of the near and far plane: 0 that they do not clip, 1 that
// depth begins at 0, 2 that it begins at -w.
func (c *Config) depthCode() int {
	switch {
	case !c.DepthClip:
		return 0
	case c.NegativeOneToOne:
		return 2
	}
	return 1
}

func (c *Config) outside(out []raster.Outcode, x, y, z, w []uint32) {
	for i := range out {
		p := [4]float32{math.Float32frombits(x[i]), math.Float32frombits(y[i]), math.Float32frombits(z[i]), math.Float32frombits(w[i])}
		o := c.volume(float64(p[0]), float64(p[1]), float64(p[2]), float64(p[3]))
		if p[3] <= minW {
			o |= raster.OutW
		}
		for _, f := range p {
			if f-f != 0 { // NaN or infinite
				o |= raster.OutInvalid
			}
		}
		out[i] = o
	}
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
