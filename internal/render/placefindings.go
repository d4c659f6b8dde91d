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

// tell writes the rows of the places of a share from number n on, which are of the block at (x, y)
// of the last set-up; found are the samples that this covers.
func (p *placedBatch) tell(
	plan *placedPlan, share int, places []exec.Place, n int, x, y int32, found []uint64,
) {
	center := lowered.Packed(raster.Subpixels/2, raster.Subpixels/2)
	s, st, own := p.setup, p.chunk.draw.state, plan.shares[share].Window
	for k, row := range plan.inputs.Findings {
		to := p.rowOf(share, k)
		centers := uint64(0)
		if row == inputs.Centroids && !plan.where.Sample {
			centers = raster.Centers(s, p.chunk.extra, st.ss, x, y, found)
			if centers == ^uint64(0) {
				fill(to[ir.PlaceLanes*n:ir.PlaceLanes*len(places)], center)
				continue
			}
		}
		for i := n; i < len(places); i++ {
			q := &places[i]
			for l := range ir.PlaceLanes {
				px, py := q.Pixel(l)
				at := (py-int(y))>>1*16 + (px-int(x))>>1*4 + l&3
				v, covered := uint32(0), coveredAt(found, own.First, own.Count, at)
				switch row {
				case inputs.Centroids: // RAS-284
					first := own.First
					if covered != 0 {
						first = bits.TrailingZeros32(covered)
					}
					set := st.ss.Of(int32(px), int32(py))
					if v = lowered.Packed(set.X[first], set.Y[first]); centers>>at&1 != 0 {
						v = center
					}
				case inputs.Samples: // RAS-290, RAS-302; helpers see 0
					if q.Any()>>l&1 != 0 {
						v = covered & uint32(fragops.PixelMask(st.sampleMask, 0))
					}
				case inputs.Squares: // RAS-276
					v = maskOf(s.FullyCovered(p.chunk.extra, int32(px), int32(py)))
				}
				to[ir.PlaceLanes*i+l] = v
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
func coveredAt(words []uint64, first, count, at int) (m uint32) {
	for k := first; k < first+count; k++ {
		m |= uint32(words[k]>>at&1) << k
	}
	return m
}

// tellLarger is tell for fragments with several pixels, whose places of pixels are those from number
// at on.
func (p *placedBatch) tellLarger(plan *placedPlan, at int, x, y int32, found []uint64) {
	if plan.given {
		p.giveFound(plan, at, x, y, found)
	}
	s, c := p.setup, p.chunk
	st, r := c.draw.state, plan.rate
	view := &st.raster[c.recs[s.Prim].viewport].ViewRect
	for k, row := range plan.inputs.Findings {
		to := p.rowOf(0, k)
		last := -1
		for _, from := range p.from[at:] {
			place := int(from) / ir.PlaceLanes
			if place == last {
				continue
			}
			last = place
			for l := range ir.PlaceLanes {
				fx, fy := p.places[place].Pixel(l)
				px, py := int32(fx)<<r.w, int32(fy)<<r.h
				if px < x || py < y || px >= x+raster.BlockPixels || py >= y+raster.BlockPixels {
					continue // of another block
				}
				cq := coarseQuad{x: px &^ (2<<r.w - 1), y: py &^ (2<<r.h - 1), rate: r, of: none}
				cq.order = st.rates.order
				lane, _ := r.place(px, py)
				for pixel := range r.pixels() {
					ix, iy := px-x+int32(pixel&(1<<r.w-1)), py-y+int32(pixel>>r.w)
					bit := int(iy>>1*16 + ix>>1*4 + iy&1*2 + ix&1)
					cq.full[lane][pixel] = uint16(coveredAt(found, 0, len(found), bit))
				}
				v := uint32(0)
				switch row {
				case inputs.Centroids: // RAS-284
					cx, cy := cq.centroid(s, c.extra, view, st.ss, int32(lane))
					v = lowered.Packed(cx-px<<raster.SubpixelBits, cy-py<<raster.SubpixelBits)
				case inputs.Squares: // RAS-277
					v = maskOf(cq.fullyCovered(s, c.extra, int32(lane)))
				}
				to[ir.PlaceLanes*place+l] = v
			}
		}
	}
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
