package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
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
	center := packed(raster.Subpixels/2, raster.Subpixels/2)
	s, st, own := p.setup, p.chunk.draw.state, plan.shares[share].Window
	for k, row := range plan.inputs.Findings {
		to := p.told[share][k]
		if to == nil {
			to = make([]uint32, maxPlaces*ir.PlaceLanes)
			p.told[share][k] = to
		}
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
					if v = packed(set.X[first], set.Y[first]); centers>>at&1 != 0 {
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

// coveredAt is which of some samples of a pixel of a block are covered.
func coveredAt(words []uint64, first, count, at int) (m uint32) {
	for k := first; k < first+count; k++ {
		m |= uint32(words[k]>>at&1) << k
	}
	return m
}
