package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// worker is the exec.Interpolator of its batch.

// InterpolateAt evaluates a fragment input of a lane away from the pixel's
// centre; dx and dy are rounded to 1/256 pixel.
//
// RAS-286 shaders-interpolation-decorations
func (w *worker) InterpolateAt(slot, lane int, dx, dy float32) uint32 {
	b := &w.batch
	q := &b.quads[lane/4]
	c := q.chunk
	in := &c.draw.state.link.inputs[slot]
	if in.kind != inputVarying && in.kind != inputBaryCoord || in.interp == ir.Flat {
		return b.prog.in[slot][lane]
	}
	rec := &c.recs[q.setup.Prim]
	cx, cy := w.centerOf(lane)
	x, y := [1]int32{cx + subpixels(dx)}, [1]int32{cy + subpixels(dy)}
	var i, j [1]float32
	if in.interp == ir.Linear {
		q.setup.IJLinearAt(x[:], y[:], i[:], j[:])
	} else {
		q.setup.IJAt(x[:], y[:], i[:], j[:])
	}
	var out [1]uint32
	if in.kind == inputBaryCoord {
		rec.barycentric(out[:], in.comp, i[:], j[:])
	} else {
		c.interpolate(out[:], q.setup, rec, in, i[:], j[:])
	}
	return out[0]
}

// interpolate fills dst with an input that is not flat; points have their vertex's value as it is.
//
// RAS-190, RAS-249, RAS-253, RAS-281
func (c *chunk) interpolate(dst []uint32, s *raster.Setup, rec *primRec, in *fragmentInput, i, j []float32) {
	stride := len(c.draw.state.link.attrs)
	v := func(n int) uint32 { return c.attrs[int(rec.v[n])*stride+in.attr] }
	if s.Kind == raster.KindPoint {
		fill(dst, v(s.Vertex()))
		return
	}
	raster.Interpolate(dst, math.Float32frombits(v(0)), math.Float32frombits(v(1)), math.Float32frombits(v(2)), i, j)
}

// pixelOf is the pixel of a lane.
func pixelOf(q *batchQuad, lane int) (x, y int32) {
	return q.quad.X + int32(lane&1), q.quad.Y + int32(lane>>1&1)
}

// centerOf is the centre of the fragment of a lane, subpixels.
func (w *worker) centerOf(lane int) (x, y int32) {
	q := &w.batch.quads[lane/4]
	if q.coarse {
		return w.batch.coarse[lane/4].center(int32(lane & 3))
	}
	px, py := pixelOf(q, lane)
	return px*raster.Subpixels + raster.Subpixels/2, py*raster.Subpixels + raster.Subpixels/2
}

// subpixels rounds an offset to 1/256 pixel; what is far off the pixel is cut,
// so that positions stay in range.
func subpixels(d float32) int32 {
	if d != d {
		return 0
	}
	return int32(math.Floor(float64(float64(min(max(d, -16), 16))*raster.Subpixels) + 0.5))
}

// SampleOffset is the position of a sample relative to the pixel's centre;
// indices beyond the samples take the last one.
func (w *worker) SampleOffset(lane int, sample uint32) (dx, dy float32) {
	q, n := &w.batch.quads[lane/4], w.ss().N
	if q.coarse {
		cq := &w.batch.coarse[lane/4]
		sample = min(sample, uint32(n*cq.rate.pixels()-1))
		return w.away(lane)(cq.sample(w.locations(cq), int32(lane&3), int(sample)))
	}
	return w.away(lane)(q.sampleOf(w.ss(), lane, int(min(sample, uint32(n-1)))))
}

// CentroidOffset is the position that centroid inputs of the lane have.
func (w *worker) CentroidOffset(lane int) (dx, dy float32) { return w.away(lane)(w.centroidOf(lane)) }

// away makes of a place, subpixels, one in pixels from the centre of the fragment of a lane.
func (w *worker) away(lane int) func(x, y int32) (dx, dy float32) {
	cx, cy := w.centerOf(lane)
	return func(x, y int32) (dx, dy float32) {
		return float32(x-cx) / raster.Subpixels, float32(y-cy) / raster.Subpixels
	}
}
