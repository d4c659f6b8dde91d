package raster

import "math"

// BiasUnit is what one unit of depthBiasConstantFactor stands for: r of the
// specification.
type BiasUnit uint8

// Units of depth bias.
const (
	// BiasNone: r = 0, as there is no depth attachment (RAS-263).
	BiasNone BiasUnit = iota
	// BiasUnorm16, BiasUnorm24: r = 1/(2^n - 1) (RAS-261).
	BiasUnorm16
	BiasUnorm24
	// BiasFloat32: r = 2^(e-23), e the largest exponent of z over the primitive
	// (RAS-262).
	BiasFloat32
	// BiasOne: r = 1 (representation FLOAT, RAS-259).
	BiasOne
	// BiasExact16, BiasExact24: r = 2^-n (depthBiasExact, RAS-260).
	BiasExact16
	BiasExact24
)

// DepthBias is the depth bias state.
type DepthBias struct {
	Enable                 bool
	Constant, Slope, Clamp float32
	Unit                   BiasUnit
}

// offset is o, the same for all samples of a polygon whose largest depth is zMax and
// whose slope is m.
// RAS-257 primsrast-depthbias-computation
func (b *DepthBias) offset(zMax, m float64) float64 {
	o := float64(b.unit(zMax)*float64(b.Constant)) + float64(m*float64(b.Slope))
	limit := float64(b.Clamp)
	switch {
	case limit > 0:
		o = min(o, limit)
	case limit < 0:
		o = max(o, limit)
	}
	if o != o {
		return 0
	}
	return o
}

// unit is r.
// RAS-259, RAS-260, RAS-261, RAS-262, RAS-263 primsrast-depthbias-computation
func (b *DepthBias) unit(zMax float64) float64 {
	switch b.Unit {
	case BiasUnorm16:
		return 1.0 / (1<<16 - 1)
	case BiasUnorm24:
		return 1.0 / (1<<24 - 1)
	case BiasExact16:
		return 1.0 / (1 << 16)
	case BiasExact24:
		return 1.0 / (1 << 24)
	case BiasOne:
		return 1
	case BiasFloat32:
		e := int(math.Float64bits(zMax)>>52&0x7ff) - 1023
		e = max(e, -126) - 23
		return math.Float64frombits(uint64(e+1023) << 52)
	}
	return 0
}

// maxSlope is m, the length of the gradient of depth per pixel, from the largest
// piece of the polygon; 0 where it has no area.
// RAS-258 primsrast-depthbias-computation
func maxSlope(p *Polygon) float64 {
	var best int
	var area int64
	for k := 1; k+1 < p.N; k++ {
		a2 := cross(&p.C[0], &p.C[k], &p.C[k+1])
		if max(a2, -a2) > max(area, -area) {
			best, area = k, a2
		}
	}
	if area == 0 {
		return 0
	}
	return slope(&p.C[0], &p.C[best], &p.C[best+1], area)
}

// slope is maxSlope of a triangle whose doubled area is given.
func slope(a, b, c *Corner, area int64) float64 {
	gx, gy := gradient(a, b, c, b.Z-a.Z, c.Z-a.Z, 1/float64(area))
	gx, gy = float64(gx*Subpixels), float64(gy*Subpixels)
	return math.Sqrt(float64(gx*gx) + float64(gy*gy))
}
