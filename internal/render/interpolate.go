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
	link := c.draw.state.link
	for k := range link.inputs {
		in := &link.inputs[k]
		if in.slot != slot {
			continue
		}
		rec := &c.recs[q.setup.Prim]
		stride := len(link.attrs)
		if in.kind != inputVarying && in.kind != inputBaryCoord || in.interp == ir.Flat {
			return b.prog.in[slot][lane]
		}
		px, py := pixelOf(q, lane)
		x := [1]int32{px*raster.Subpixels + raster.Subpixels/2 + subpixels(dx)}
		y := [1]int32{py*raster.Subpixels + raster.Subpixels/2 + subpixels(dy)}
		var i, j [1]float32
		if in.interp == ir.Linear {
			q.setup.IJLinearAt(x[:], y[:], i[:], j[:])
		} else {
			q.setup.IJAt(x[:], y[:], i[:], j[:])
		}
		var out [1]uint32
		if in.kind == inputBaryCoord {
			rec.barycentric(out[:], in.comp, i[:], j[:])
			return out[0]
		}
		v := func(n int) float32 { return math.Float32frombits(c.attrs[int(rec.v[n])*stride+in.attr]) }
		raster.Interpolate(out[:], v(0), v(1), v(2), i[:], j[:])
		return out[0]
	}
	return 0
}

// pixelOf is the pixel of a lane.
func pixelOf(q *batchQuad, lane int) (x, y int32) {
	return q.quad.X + int32(lane&1), q.quad.Y + int32(lane>>1&1)
}

// subpixels rounds an offset to 1/256 pixel; what is far off the pixel is cut,
// so that positions stay in range.
func subpixels(d float32) int32 {
	if d != d {
		return 0
	}
	return int32(math.Floor(float64(min(max(d, -16), 16))*raster.Subpixels + 0.5))
}

// SampleOffset is the position of a sample relative to the pixel's centre;
// indices beyond the samples take the last one.
func (w *worker) SampleOffset(lane int, sample uint32) (dx, dy float32) {
	px, py := pixelOf(&w.batch.quads[lane/4], lane)
	ss := w.ss().Of(px, py)
	i := min(sample, uint32(ss.N-1))
	return offset(ss.X[i]), offset(ss.Y[i])
}

// CentroidOffset is the position that centroid inputs of the lane have.
func (w *worker) CentroidOffset(lane int) (dx, dy float32) {
	q := &w.batch.quads[lane/4]
	if q.sample != none {
		return w.SampleOffset(lane, uint32(q.sample))
	}
	one := [1]raster.Quad{{X: q.quad.X, Y: q.quad.Y, Mask: q.full}}
	var x, y [4]int32
	q.setup.CentroidPositions(one[:], q.chunk.extra, w.ss(), x[:], y[:])
	px, py := pixelOf(q, lane)
	return offset(x[lane&3] - px*raster.Subpixels), offset(y[lane&3] - py*raster.Subpixels)
}

// offset turns a position in the pixel, subpixels, into pixels from its centre.
func offset(v int32) float32 { return float32(v-raster.Subpixels/2) / raster.Subpixels }
