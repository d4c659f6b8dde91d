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
	q := &w.batch.quads[lane/4]
	if q.coarse {
		return w.away(lane, func(cq *coarseQuad) (int32, int32) {
			return cq.sample(w.locations(cq), int32(lane&3), int(min(sample, uint32(w.ss().N*cq.rate.pixels()-1))))
		})
	}
	px, py := pixelOf(q, lane)
	ss := w.ss().Of(px, py)
	i := min(sample, uint32(ss.N-1))
	return offset(ss.X[i]), offset(ss.Y[i])
}

// CentroidOffset is the position that centroid inputs of the lane have.
func (w *worker) CentroidOffset(lane int) (dx, dy float32) {
	q := &w.batch.quads[lane/4]
	if q.coarse {
		return w.away(lane, func(cq *coarseQuad) (int32, int32) {
			view := &q.chunk.draw.state.raster[q.chunk.recs[q.setup.Prim].viewport].ViewRect
			return cq.centroid(q.setup, q.chunk.extra, view, w.locations(cq), int32(lane&3))
		})
	}
	if q.sample != none {
		x, y := w.lowest(&q.quad, q.full, lane&3, q.sample)
		px, py := pixelOf(q, lane)
		return offset(x - px*raster.Subpixels), offset(y - py*raster.Subpixels)
	}
	one := [1]raster.Quad{{X: q.quad.X, Y: q.quad.Y, Mask: q.full}}
	var x, y [4]int32
	q.setup.CentroidPositions(one[:], q.chunk.extra, w.ss(), x[:], y[:])
	px, py := pixelOf(q, lane)
	return offset(x[lane&3] - px*raster.Subpixels), offset(y[lane&3] - py*raster.Subpixels)
}

// away is a position in a larger fragment, pixels from its centre.
func (w *worker) away(lane int, f func(*coarseQuad) (x, y int32)) (dx, dy float32) {
	x, y := f(&w.batch.coarse[lane/4])
	cx, cy := w.centerOf(lane)
	return float32(x-cx) / raster.Subpixels, float32(y-cy) / raster.Subpixels
}

// offset turns a position in the pixel, subpixels, into pixels from its centre.
func offset(v int32) float32 { return float32(v-raster.Subpixels/2) / raster.Subpixels }
