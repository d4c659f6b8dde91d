package vertexpost

import "github.com/pumice-gpu/pumice/internal/raster"

// Line limits a line to the view volume and fills dst. Ends stay where they are,
// except where they are behind the eye or beyond the guard band, so that
// direction, pattern and interpolation don't change. It reports false where
// nothing is left.
// RAS-086 vertexpostproc-clipping
func (c *Config) Line(dst *raster.Segment, v0, v1 *raster.Vertex) bool {
	all, any := v0.Out&v1.Out, v0.Out|v1.Out
	if Gone(all, any) {
		return false
	}
	ends := [2]clipVertex{c.loadVertex(v0), c.loadVertex(v1)}
	ends[1].l1 = 1
	if any&(raster.OutW|raster.OutGuard) != 0 {
		for side := range 4 {
			if !clipEnds(&ends, c.guardValue(&ends[0], side), c.guardValue(&ends[1], side)) {
				return false
			}
		}
		if !clipEnds(&ends, wValue(&ends[0]), wValue(&ends[1])) {
			return false
		}
	}
	dst.A, dst.B = c.corner(&ends[0]), c.corner(&ends[1])
	dst.W = [2]float64{c.divisorOf(v0), c.divisorOf(v1)}
	dst.U0, dst.U1 = 0, 1
	t0, t1 := 0.0, 1.0
	for planes := any & (outView | outDepth | c.outClip()); planes != 0; planes &= planes - 1 {
		bit := planes & -planes
		d0, d1 := c.planeValue(v0, bit), c.planeValue(v1, bit)
		// Values at the ends that were kept.
		a := float64((1-ends[0].l1)*d0) + float64(ends[0].l1*d1)
		b := float64((1-ends[1].l1)*d0) + float64(ends[1].l1*d1)
		switch {
		case a < 0 && b < 0:
			return false
		case a < 0:
			t0 = max(t0, a/(a-b))
		case b < 0:
			t1 = min(t1, a/(a-b))
		}
	}
	if t0 > 0 {
		dst.U0 = screenParameter(t0, ends[0].by, ends[1].by)
	}
	if t1 < 1 {
		dst.U1 = screenParameter(t1, ends[0].by, ends[1].by)
	}
	return dst.U0 < dst.U1
}

// screenParameter turns a parameter of a segment in clip space into that in
// framebuffer space.
// RAS-086 vertexpostproc-clipping
func screenParameter(t, w0, w1 float64) float64 {
	n := float64(t * w1)
	return n / (float64((1-t)*w0) + n)
}

// clipEnds moves the end that is outside of a plane onto it; it reports false
// where both are.
func clipEnds(ends *[2]clipVertex, d0, d1 float64) bool {
	switch {
	case d0 < 0 && d1 < 0:
		return false
	case d0 < 0:
		ends[0] = cutAt(&ends[0], &ends[1], d0, d1)
	case d1 < 0:
		ends[1] = cutAt(&ends[0], &ends[1], d0, d1)
	}
	return true
}

// Point fills dst where the vertex lies inside every plane. The square of the
// point may leave the view volume.
// RAS-085 vertexpostproc-clipping
func (c *Config) Point(dst *raster.Point, v *raster.Vertex) bool {
	if v.Out != 0 {
		return false
	}
	w := c.divisorOf(v)
	dst.Corner = raster.Corner{X: v.X, Y: v.Y, Z: v.Z, InvW: v.InvW}
	dst.FX, dst.FY = c.screen(float64(v.Pos[0]), float64(v.Pos[1]), w)
	dst.Size = v.Size
	return true
}
