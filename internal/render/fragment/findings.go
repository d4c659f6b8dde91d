package fragment

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// What the rasterizer alone can say of the lanes of places, whatever tests have left of them, is
// written down while places are made of blocks.

// tell writes the rows of the places of a share from number n on, which are of the block at (x, y)
// of the last set-up; found are the samples that this covers.
func (p *Waiting) tell(
	plan *Plan, share int, places []exec.Place, n int, x, y int32, found []uint64,
) {
	s, st, own := p.Setup, p.prims.Of.State, plan.Shares[share].Window
	for k, row := range plan.inputs.Findings {
		to := roomFor(&p.told[share][k])
		f := finding{s: s, x: x, y: y, found: found, own: own}
		f.tell(row, p.prims, st, !plan.Where.Sample, places[n:], to[ir.PlaceLanes*n:])
	}
}

// finding is what a set-up covers of the block at (x, y); own are the samples of which a lane is told.
type finding struct {
	s     *raster.Setup
	x, y  int32
	found []uint64
	own   lowered.Window
}

// tell writes a row of places; centers says that centroids may be at the centre.
func (f *finding) tell(
	row inputs.Finding, c *Primitives, st *State, centers bool, places []exec.Place, to []uint32,
) {
	center, at := packed(raster.Subpixels/2, raster.Subpixels/2), uint64(0)
	if row == inputs.Centroids && centers {
		at = raster.Centers(f.s, c.Extra, st.Locations, f.x, f.y, f.found)
	}
	for i := range places {
		q, to := &places[i], (*[ir.PlaceLanes]uint32)(to[ir.PlaceLanes*i:])
		switch row {
		case inputs.Centroids: // RAS-284
			geometry.Fill(to[:], center)
			for out := ^f.lanes(q, at); out != 0; out &= out - 1 {
				l := bits.TrailingZeros16(out)
				px, py := q.Pixel(l)
				set, first := st.Locations.Of(int32(px), int32(py)), f.own.First
				if covered := f.covered(q, l); covered != 0 {
					first = bits.TrailingZeros64(covered)
				}
				to[l] = packed(set.X[first], set.Y[first])
			}
		case inputs.Squares: // RAS-276
			for l := range to {
				px, py := q.Pixel(l)
				to[l] = maskOf(f.s.FullyCovered(c.Extra, int32(px), int32(py)))
			}
		default: // inputs.Samples: RAS-290, RAS-302; helpers see 0
			*to = [ir.PlaceLanes]uint32{}
			live := q.Any(f.own.Count)
			for k := f.own.First; k < f.own.First+f.own.Count; k++ {
				if k/32 != int(row-inputs.Samples) || st.SampleMask>>k&1 == 0 {
					continue
				}
				m := uint32(f.lanes(q, f.found[k]) & live)
				for l := range to {
					to[l] |= m >> l & 1 << (k % 32)
				}
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
func (f *finding) covered(q *exec.Place, lane int) (m uint64) {
	for k := f.own.First; k < f.own.First+f.own.Count; k++ {
		m |= uint64(f.lanes(q, f.found[k])>>lane&1) << k
	}
	return m
}
