package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// What the rasterizer alone can say of the lanes of places, whatever tests have left of them, is
// written down while places are made of blocks.

// tell writes the rows of the places of a share that a block of the last set-up, that at (x, y), has
// been added to: places from number n on, or those of pixels; found are the samples that it covers.
func (p *placedBatch) tell(
	plan *placedPlan, share int, list *placeList, n int, x, y int32, found []uint64,
) {
	larger := plan.rate != rate{}
	if plan.given {
		p.giveFound(plan, n, x, y, found)
	}
	if len(plan.inputs.Findings) == 0 {
		return
	}
	f := finding{placedBatch: p, plan: plan, x: x, y: y, found: found, own: plan.shares[share].Window}
	for k, row := range plan.inputs.Findings {
		to := p.rowOf(share, k)
		switch {
		case larger:
			last := -1
			for _, from := range list.from[n:] {
				if i := int(from) / ir.PlaceLanes; i != last {
					f.larger(row, &list.places[i], to[ir.PlaceLanes*i:])
					last = i
				}
			}
		case p.chunk.draw.state.quadwise: // of a density map
			for i := n; i < len(list.places); i++ {
				f.larger(row, &list.places[i], to[ir.PlaceLanes*i:])
			}
		default:
			f.pixels(row, list.places[n:], to[ir.PlaceLanes*n:])
		}
	}
}

// finding is what the rasterizer has found in a block of the last set-up; own are the samples of which
// a lane is told.
type finding struct {
	*placedBatch
	plan  *placedPlan
	x, y  int32
	found []uint64
	own   lowered.Window
}

// pixels writes what places have whose lanes are pixels.
func (f *finding) pixels(row inputs.Finding, places []exec.Place, to []uint32) {
	s, extra, st := f.setup, f.chunk.extra, f.chunk.draw.state
	center, centers := lowered.Packed(raster.Subpixels/2, raster.Subpixels/2), uint64(0)
	if row == inputs.Centroids && !f.plan.where.Sample {
		centers = raster.Centers(s, extra, st.ss, f.x, f.y, f.found)
	}
	for i := range places {
		q, to := &places[i], (*[ir.PlaceLanes]uint32)(to[ir.PlaceLanes*i:])
		switch row {
		case inputs.Centroids: // RAS-284
			at := f.lanes(q, centers)
			fill(to[:], center)
			for out := ^at; out != 0; out &= out - 1 {
				l := bits.TrailingZeros16(out)
				px, py := q.Pixel(l)
				set, first := st.ss.Of(int32(px), int32(py)), f.own.First
				if covered := f.covered(q, l); covered != 0 {
					first = bits.TrailingZeros32(covered)
				}
				to[l] = lowered.Packed(set.X[first], set.Y[first])
			}
		case inputs.Samples: // RAS-290, RAS-302; helpers see 0
			*to = [ir.PlaceLanes]uint32{}
			live := q.Any()
			for k := f.own.First; k < f.own.First+f.own.Count; k++ {
				if st.sampleMask>>k&1 == 0 {
					continue
				}
				m := uint32(f.lanes(q, f.found[k]) & live)
				for l := range to {
					to[l] |= m >> l & 1 << k
				}
			}
		case inputs.Squares: // RAS-276
			for l := range to {
				px, py := q.Pixel(l)
				to[l] = maskOf(s.FullyCovered(extra, int32(px), int32(py)))
			}
		}
	}
}

// lanes is what a word of the block has for the lanes of a place.
func (f *finding) lanes(q *exec.Place, word uint64) (m uint16) {
	word >>= uint(q.Y-f.y) * raster.BlockPixels
	if q.Quads == [4]uint8{} {
		return uint16(word)
	}
	for i, k := range q.Quads {
		m |= uint16(word>>(4*(uint8(i)^k))&15) << (4 * i)
	}
	return m
}

// covered is which of the samples of a lane are.
func (f *finding) covered(q *exec.Place, lane int) (m uint32) {
	for k := f.own.First; k < f.own.First+f.own.Count; k++ {
		m |= uint32(f.lanes(q, f.found[k])>>lane&1) << k
	}
	return m
}

// larger writes what a place has whose lanes are fragments of any size.
func (f *finding) larger(row inputs.Finding, q *exec.Place, to []uint32) {
	s, c, r := f.setup, f.chunk, f.plan.rate
	st := c.draw.state
	view := &st.raster[c.recs[s.Prim].viewport].ViewRect
	for l := range ir.PlaceLanes {
		fx, fy := q.Pixel(l)
		px, py := int32(fx)<<r.w, int32(fy)<<r.h
		ix, iy := px-f.x, py-f.y
		if ix|iy < 0 || max(ix, iy) >= raster.BlockPixels {
			continue // of another block
		}
		cq := coarseQuad{x: px &^ (2<<r.w - 1), y: py &^ (2<<r.h - 1), rate: r, of: none}
		cq.order, cq.one = st.rates.order, st.quadwise
		lane, _ := r.place(px, py)
		for pixel := range r.pixels() {
			x, y := ix+int32(pixel&(1<<r.w-1)), iy+int32(pixel>>r.w)
			at := int(y>>1*16 + x>>1*4 + y&1*2 + x&1)
			cq.full[lane][pixel] = uint16(coveredAt(f.found, f.own, at))
		}
		switch row {
		case inputs.Centroids: // RAS-284
			x, y := cq.centroid(s, c.extra, view, f.plan.ss, int32(lane))
			to[l] = lowered.Packed(x-px<<raster.SubpixelBits, y-py<<raster.SubpixelBits)
		case inputs.Squares: // RAS-277
			to[l] = maskOf(cq.fullyCovered(s, c.extra, int32(lane)))
		case inputs.Samples: // RAS-290: of a pixel
			if to[l] = 0; q.Any()>>l&1 != 0 {
				to[l] = cq.word(&cq.full[lane], 0, f.own.Of, uint16(st.sampleMask))
			}
		}
	}
}

// rowOf is row k of a share.
func (p *placedBatch) rowOf(share, k int) []uint32 {
	to := &p.told[share][k]
	if *to == nil {
		*to = make([]uint32, maxPlaces*ir.PlaceLanes)
	}
	return *to
}

// coveredAt is which of some samples of a pixel of a block are covered.
func coveredAt(words []uint64, of lowered.Window, at int) (m uint32) {
	for k := of.First; k < of.First+of.Count; k++ {
		m |= uint32(words[k]>>at&1) << k
	}
	return m
}

// giveFound keeps what the rasterizer has found of a block for the SampleMask of its fragments.
//
// RAS-113, RAS-290
func (p *placedBatch) giveFound(plan *placedPlan, at int, x, y int32, found []uint64) {
	var words [fragops.MaxSamples]uint64
	mask := p.chunk.draw.state.sampleMask
	for k := range found {
		if mask>>k&1 != 0 {
			words[k] = found[k]
		}
	}
	n := len(p.found)
	p.found = appendPlaces(p.found, x, y, words[:len(found)], p.last)
	list, r := p.found[n:], plan.rate
	p.found = p.found[:n]
	for _, q := range list {
		fy := y>>r.h + (q.Y-y)>>r.h&^1
		for _, from := range p.from[at:] { // others have no fragments
			if p.places[from/ir.PlaceLanes].Y == fy {
				p.found, p.foundOf = append(p.found, q), append(p.foundOf, from)
				break
			}
		}
	}
}
