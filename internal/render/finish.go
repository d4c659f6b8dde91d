package render

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// finish takes the shaded batch through multisample coverage, late tests and
// colour writes. Quads go in order, so that depth, stencil and colour of every
// sample see primitives in API order.
//
// RAS-300 fragops
func (w *worker) finish() error {
	b := &w.batch
	st := b.draw.state
	b.list = b.list[:0]
	if st.smooth {
		w.smooth(st)
	}
	masks := b.masks[:b.n]
	for i := range masks {
		masks[i] = b.quads[i].quad.Mask
		switch {
		case !st.masks:
		case b.quads[i].coarse:
			w.shapeCoarse(st, i)
		default:
			masks[i] = w.coverage(st, i)
		}
	}
	w.watching.shapedQuads(masks)
	switch {
	case !st.late, !st.tested():
	case st.coarse:
		w.testMixed(st, masks)
	default:
		w.testLate(st, masks)
	}
	covered := false
	for k := range b.n {
		if b.quads[k].coarse {
			w.finishCoarse(st, k)
			covered = true // perhaps
			continue
		}
		covered = covered || masks[k] != 0
		if d := b.draw.draw; st.late && d.Occlusion != 0 {
			w.occ[d.Occlusion-1] += uint64(bits.OnesCount64(masks[k]))
		}
		if st.listed {
			b.list = appendFragments(b.list, b.quads[k:k+1], masks[k:k+1], k)
		}
	}
	if !covered && len(b.list) == 0 {
		return nil
	}
	if st.toOne {
		// RAS-318, RAS-319: after alpha to coverage.
		if slot := st.link.outs.color[0].slot[3]; slot != none {
			fill(b.prog.out[slot][:4*b.n], fragops.AlphaOne)
		}
	}
	w.watching.finishedQuads(st)
	b.whole = b.whole[:0]
	if st.whole && (st.sampleRate || st.coarse) {
		b.gather()
	}
	for i, c := range st.color {
		if c == nil {
			continue
		}
		if err := w.writeColor(st, i); err != nil {
			return err
		}
	}
	return nil
}

// appendFragments lists the fragments of quads from number k on.
func appendFragments(list []fragops.Fragment, quads []batchQuad, masks []uint64, k int) []fragops.Fragment {
	for i := range quads {
		q, l := &quads[i].quad, uint16(4*(k+i))
		x, y := uint16(q.X), uint16(q.Y)
		for lane := range uint16(4) {
			if m := fragops.PixelMask(masks[i], int(lane)); m != 0 {
				list = append(list, fragops.Fragment{Lane: l + lane, Mask: uint16(m), X: x + lane&1, Y: y + lane>>1})
			}
		}
	}
	return list
}

// smooth multiplies the alpha of the first output by the coverage of smooth lines.
//
// RAS-230, RAS-316 fragops-covg
func (w *worker) smooth(st *drawState) {
	b := &w.batch
	slot := st.link.outs.color[0].slot[3]
	if slot == none {
		return // undefined, and constant
	}
	alpha := b.prog.out[slot]
	for i := range 4 * b.n {
		q := &b.quads[i/4]
		if q.coarse {
			continue
		}
		x, y := pixelOf(q, i)
		smoothed(&alpha[i], q.setup, x, y)
	}
}

// smoothed multiplies an alpha by the coverage of a pixel, if the primitive is a smooth line.
func smoothed(alpha *uint32, s *raster.Setup, x, y int32) {
	*alpha = math.Float32bits(math.Float32frombits(*alpha) * s.LineCoverage(x, y))
}

// coverage is the mask of quad k after what the shader did to it: demoted
// lanes, SampleMask, alpha to coverage.
//
// RAS-298, RAS-315, RAS-317 fragops-covg
func (w *worker) coverage(st *drawState, k int) uint64 {
	b := &w.batch
	mask := b.quads[k].quad.Mask
	o := &st.link.outs
	for lane := range 4 {
		keep := uint32(0)
		at := 4*k + lane
		if b.live[at] != 0 {
			keep = 0xFFFF
		}
		if o.mask != none {
			keep &= b.prog.out[o.mask][at]
			if st.override && fragops.PixelMask(mask, lane) != 0 {
				mask |= uint64(keep&w.ownSamples(&b.quads[k])) << (16 * lane)
			}
		}
		if st.toCoverage {
			alpha := math.Float32frombits(b.prog.out[o.color[0].slot[3]][at])
			keep &= fragops.AlphaToCoverage(alpha, w.plan.samples)
		}
		mask &^= uint64(^keep&0xFFFF) << (16 * lane)
	}
	return mask
}

// ownSamples is the samples that an invocation shades: of several of a pixel its
// share.
func (w *worker) ownSamples(q *batchQuad) uint32 {
	n := w.plan.samples
	if q.sample == none { // RAS-315
		return 1<<n - 1
	}
	// RAS-172
	first, next := share(q.sample*int(q.shares)/n, int(q.shares), n)
	return 1<<next - 1<<first
}
