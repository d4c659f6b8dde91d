package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/raster"
)

// What the rasterizer says of fragments of several pixels, four at a time.

// coarseQuad is four fragments of one size; the block of all four starts at a
// multiple of its extent.
type coarseQuad struct {
	x, y int32 // upper left pixel
	rate rates.Rate
	// Samples of pixel p of each fragment (RAS-111): first those from the rasterizer, then what the
	// tests before shading have left.
	sets [2][4][16]uint64
	// some is what the second of sets has of any pixel of each fragment.
	some [4]uint64
	// one: the fragment has the samples of one pixel, which are those of all its
	// pixels (RAS-131).
	one   bool
	order *rates.Order // of coverage indices
}

// bit is the coverage index of a sample of a pixel of a fragment.
func (q *coarseQuad) bit(pixel, sample, samples int) int {
	if q.one { // RAS-109
		return sample
	}
	return q.order.Bit(q.rate, pixel, sample, samples)
}

// center is the centre of a fragment, subpixels.
//
// RAS-150, RAS-283
func (q *coarseQuad) center(lane int32) (x, y int32) {
	fw, fh := int32(1)<<q.rate.W, int32(1)<<q.rate.H
	return (q.x+lane&1*fw)<<raster.SubpixelBits + fw*raster.Subpixels/2, (q.y+lane>>1*fh)<<raster.SubpixelBits + fh*raster.Subpixels/2
}

// sample is the position of a coverage index of a fragment, subpixels.
func (q *coarseQuad) sample(ss *raster.SampleSet, lane int32, index int) (x, y int32) {
	if q.one {
		index = min(index, ss.N-1)
	}
	pixel, i := q.order.At(q.rate, index, ss.N)
	if q.one {
		pixel, i = 0, index
	}
	px := q.x + (lane&1)<<q.rate.W + int32(pixel&(1<<q.rate.W-1))
	py := q.y + (lane>>1)<<q.rate.H + int32(pixel>>q.rate.W)
	set := ss.Of(px, py)
	return px<<raster.SubpixelBits + set.X[i], py<<raster.SubpixelBits + set.Y[i]
}

// centroid is the place of centroid inputs: the centre, if the primitive covers
// it, or the covered sample with the lowest coverage index.
//
// RAS-284 shaders-interpolation-decorations
func (q *coarseQuad) centroid(s *raster.Setup, extra []raster.HalfPlane, view *raster.Rect, ss *raster.SampleSet, lane int32) (x, y int32) {
	x, y = q.center(lane)
	// RAS-080: a polygon ends at the viewport, which no half-plane says where its
	// sides lie between pixels.
	inView := s.Kind != raster.KindTriangle || x >= view.X0 && x < view.X1 && y >= view.Y0 && y < view.Y1
	if inView && s.Contains(extra, x, y) {
		return x, y
	}
	if q.one {
		if m := q.any(&q.sets[0][lane]); m != 0 {
			return q.sample(ss, lane, bits.TrailingZeros64(m))
		}
		return x, y
	}
	first := ss.N * q.rate.Pixels()
	for pixel, m := range q.sets[0][lane][:q.rate.Pixels()] {
		for ; m != 0; m &= m - 1 {
			first = min(first, q.bit(pixel, bits.TrailingZeros64(m), ss.N))
		}
	}
	if first == ss.N*q.rate.Pixels() {
		return x, y
	}
	return q.sample(ss, lane, first)
}

// any is the samples that any pixel of a fragment has.
func (q *coarseQuad) any(masks *[16]uint64) (m uint64) {
	for _, p := range masks[:q.rate.Pixels()] {
		m |= p
	}
	return m
}

// word is a word of SampleMask: the coverage of all pixels of a fragment.
//
// RAS-113, RAS-132, RAS-290 primsrast-multisampling
func (q *coarseQuad) word(masks *[16]uint64, word, samples int, allowed uint64) (out uint32) {
	for pixel := range q.rate.Pixels() {
		for m := masks[pixel] & allowed; m != 0; m &= m - 1 {
			if bit := q.bit(pixel, bits.TrailingZeros64(m), samples); bit/32 == word {
				out |= 1 << (bit % 32)
			}
		}
	}
	return out
}

// fullyCovered says that the primitive covers all pixels of a fragment.
//
// RAS-277 primsrast-conservativeraster
func (q *coarseQuad) fullyCovered(s *raster.Setup, extra []raster.HalfPlane, lane int32) bool {
	x, y := q.x+(lane&1)<<q.rate.W, q.y+(lane>>1)<<q.rate.H
	for py := range int32(1) << q.rate.H {
		for px := range int32(1) << q.rate.W {
			if !s.FullyCovered(extra, x+px, y+py) {
				return false
			}
		}
	}
	return true
}
