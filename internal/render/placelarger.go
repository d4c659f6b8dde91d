package render

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Fragments of several pixels, all of one size, in places: their lanes are fragments, the shader
// runs once, and what follows it once for each pixel of a fragment. To programs a row of such
// pixels is one pixel with more samples.

// addParts makes fragments have a size.
func (p *placedPlan) addParts(r rate, samples int) {
	p.rate, p.where.Sample, p.where.W, p.where.H = r, false, r.w, r.h
	for i := range r.pixels() {
		x, y := i&(1<<r.w-1), i>>r.w
		p.parts = append(p.parts, placedShare{
			Window: lowered.Window{ // what lies beside a pixel may be another tile's, or nobody's
				First: x * samples, Count: samples, Of: samples << r.w, Alone: r.w > 0,
			},
			samples: lowered.All(samples), x: int32(x), y: int32(y), skip: r.h, coverage: none,
		})
	}
}

// ends are the parts of fragments, or the shares of pixels: what programs after shading are made
// for.
func (p *placedPlan) ends() []placedShare {
	if p.parts != nil {
		return p.parts
	}
	return p.shares
}

// endOf is one of the ends of a share.
func (p *placedPlan) endOf(s *placedShare) *placedShare {
	if p.parts != nil {
		return &p.parts[0]
	}
	return s
}

// reserves is which pixels of a block fragments may be of that have those.
func (p *placedPlan) reserves(pixels uint64) uint64 {
	if p.parts != nil {
		return ^uint64(0)
	}
	return pixels
}

// wholeShare has all samples of all pixels.
var wholeShare placedShare

// of is what of a surface a share has.
func (s *placedShare) of(from *fragops.Surface) exec.Surface {
	at := min(int(s.y)*from.RowPitch, len(from.Data))
	return exec.Surface{Data: from.Data[at:], RowPitch: from.RowPitch << s.skip}
}

// appendLarger adds the places of a block whose fragments have several pixels, and says how many
// there are.
//
// RAS-150, RAS-173
func (p *placedBatch) appendLarger(r rate, x, y int32, words []uint64) (fragments uint64) {
	samples, pixels := len(words), r.pixels()
	rows, columns := raster.BlockPixels>>r.h, raster.BlockPixels>>r.w
	x, y = x>>r.w, y>>r.h
	first := x & (raster.BlockPixels - 1) >> 1 * 4 // lane
	all := uint16(1<<(2*columns)-1) << first
	for row := 0; row < rows; row += 2 {
		n := len(p.places)
		q := exec.Place{X: x &^ (raster.BlockPixels - 1), Y: y + int32(row), Record: p.last}
		masks, any := p.masks[n*pixels*samples:][:pixels*samples], uint16(0)
		clear(masks)
		for s, word := range words {
			if word == math.MaxUint64 {
				for pixel := range pixels {
					masks[pixel*samples+s] = all
				}
				q.Covered[s], any = all, all
				continue
			}
			for i := range 2 * columns {
				fx, fy := i%columns, row+i/columns
				lane := int(first) + fx>>1*4 + fy&1*2 + fx&1
				for pixel := range pixels {
					px, py := fx<<r.w+pixel&(1<<r.w-1), fy<<r.h+pixel>>r.w
					bit := py>>1*16 + px>>1*4 + py&1*2 + px&1
					masks[pixel*samples+s] |= uint16(word>>bit&1) << lane
				}
			}
			for pixel := range pixels {
				q.Covered[s] |= masks[pixel*samples+s]
			}
			any |= q.Covered[s]
		}
		if any != 0 {
			p.places = append(p.places, q)
			fragments += uint64(bits.OnesCount16(any))
		}
	}
	return fragments
}

// cover leaves places covered as pixel i of their fragments is, of so many.
func (p *placedBatch) cover(part *placedShare, i, pixels int) {
	for k := range p.places {
		at := (k*pixels + i) * part.Count
		copy(p.places[k].Covered[:], p.masks[at:at+part.Count])
	}
}
