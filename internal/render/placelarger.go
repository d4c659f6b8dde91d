package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Fragments of several pixels in places: lanes are fragments, for which the shader runs once. Then
// places of their pixels take what it made for them (spread), and all that follows is as it is for
// fragments of a pixel.

// placeList are places that wait. Where lanes are larger fragments, pixels are places of their
// pixels, and from the first lane that those of each may be of.
type placeList struct {
	places, pixels []exec.Place
	from           []uint16
}

// A spreading is how one of the four places of pixels in a block lies in the place of their
// fragments.
type spreading struct {
	// lanes are those of fragments by lane of a pixel, from the first one of the block, and pixels
	// which of its fragment's it is.
	lanes, pixels [ir.PlaceLanes]uint8
	all           uint16 // of the fragments
}

// spreadings are those of rates, by 3w + h.
var spreadings = func() (t [9][blockPlaces]spreading) {
	for i := range t {
		r := rates.Rate{W: uint8(i / 3), H: uint8(i % 3)}
		for row := range t[i] {
			s := &t[i][row]
			for lane := range s.lanes {
				x, y := lane>>2*2+lane&1, 2*row+lane>>1&1
				fx, fy := x>>r.W, y>>r.H
				s.lanes[lane] = uint8(fx>>1*4 + fy&1*2 + fx&1)
				s.pixels[lane] = uint8(y&(1<<r.H-1)<<r.W + x&(1<<r.W-1))
				s.all |= 1 << s.lanes[lane]
			}
		}
	}
	return t
}()

// spreadingOf is that of a place of pixels.
func spreadingOf(r rates.Rate, q *exec.Place) *spreading {
	return &spreadings[3*r.W+r.H][q.Y&(raster.BlockPixels-1)>>1]
}

// of is the lanes of fragments of which pixels are covered.
func (s *spreading) of(pixels uint16) (fragments uint16) {
	if pixels == 1<<ir.PlaceLanes-1 {
		return s.all
	}
	for ; pixels != 0; pixels &= pixels - 1 {
		fragments |= 1 << s.lanes[bits.TrailingZeros16(pixels)&(ir.PlaceLanes-1)]
	}
	return fragments
}

// appendLarger adds the places of a block whose fragments have several pixels, those that have any
// of some, and says how many fragments there are.
//
// RAS-096, RAS-111, RAS-150, RAS-173
func (l *placeList) appendLarger(
	r rates.Rate, x, y int32, words []uint64, any uint64, record uint32,
) (fragments uint64) {
	at := len(l.pixels)
	l.pixels = tile.AppendRows(l.pixels, x, y, words, any, record)
	fx, fy := x>>r.W, y>>r.H
	first := fx & (raster.BlockPixels - 1) >> 1 * 4
	for i := at; i < len(l.pixels); i++ {
		q := &l.pixels[i]
		k := l.at(fx&^(raster.BlockPixels-1), fy+(q.Y-y)>>r.H&^1, record)
		before, after := uint16(0), uint16(0)
		s, p := spreadingOf(r, q), &l.places[k]
		for sample := range words {
			before |= p.Covered[sample]
			p.Covered[sample] |= s.of(q.Covered[sample]) << first
			after |= p.Covered[sample]
		}
		l.from = append(l.from, uint16(ir.PlaceLanes*k)+uint16(first))
		fragments += uint64(bits.OnesCount16(after &^ before))
	}
	return fragments
}

// fits says that there is room for a block.
func (l *placeList) fits() bool { return max(len(l.places), len(l.pixels))+blockPlaces <= maxPlaces }

// empty drops the places, and makes room.
func (l *placeList) empty() {
	l.places, l.pixels = grow(l.places, maxPlaces)[:0], grow(l.pixels, maxPlaces)[:0]
	l.from = grow(l.from, maxPlaces)[:0]
}

// at is the number of the place of a primitive at (x, y), which is one of the last ones, or new.
func (l *placeList) at(x, y int32, record uint32) int {
	k := l.find(x, y, record)
	if k < 0 {
		k = len(l.places)
		l.places = append(l.places, exec.Place{X: x, Y: y, Record: record})
	}
	return k
}

// find is at, or none.
func (l *placeList) find(x, y int32, record uint32) int {
	n := len(l.places)
	for i := n - 1; i >= max(n-blockPlaces, 0); i-- {
		if p := &l.places[i]; p.X == x && p.Y == y && p.Record == record {
			return i
		}
	}
	return none
}

// reserves is which pixels of a block fragments may be of that have those.
func (p *placedPlan) reserves(pixels uint64) uint64 {
	if p.rate != (rates.Rate{}) {
		return ^uint64(0)
	}
	return pixels
}

// tellLarger is tell for fragments of several pixels, in the list of a share: left are the samples
// that the tests so far have left of a block, found those that the set-up covers.
//
// RAS-277, RAS-284, RAS-290
func (p *placedBatch) tellLarger(
	plan *placedPlan, share int, list *placeList, x, y int32, left, found []uint64,
) {
	if len(plan.inputs.Findings) == 0 {
		return
	}
	st, r, s, extra := p.chunk.draw.state, plan.rate, p.setup, p.chunk.extra
	view := &st.raster[p.chunk.recs[s.Prim].viewport].ViewRect
	for at := range int32(raster.BlockQuads) {
		qx, qy := x+at&3<<1, y+at>>2<<1
		if (qx-x)&(2<<r.W-1) != 0 || (qy-y)&(2<<r.H-1) != 0 {
			continue
		}
		k := list.find(qx>>r.W&^(raster.BlockPixels-1), qy>>r.H, p.last)
		if k < 0 { // nothing is covered
			continue
		}
		cq := coarseQuad{x: qx, y: qy, rate: r, order: st.rates.Order, one: !plan.each}
		cq.take(left, found)
		first := ir.PlaceLanes*k + int(qx>>r.W)&(raster.BlockPixels-1)>>1*4
		for lane := range int32(4) {
			for i, row := range plan.inputs.Findings {
				v := uint32(0)
				switch row {
				case inputs.Centroids:
					cx, cy := cq.centroid(s, extra, view, plan.ss, lane)
					fx, fy := qx+lane&1<<r.W, qy+lane>>1<<r.H
					v = packed(cx-fx<<raster.SubpixelBits, cy-fy<<raster.SubpixelBits)
				case inputs.Squares:
					v = maskOf(cq.fullyCovered(s, extra, lane))
				default: // inputs.Samples
					v = cq.seen(st, lane, int(row-inputs.Samples), len(left), &cq.sets[plan.shows])
				}
				roomFor(&p.told[share][i])[first+int(lane)] = v
			}
		}
	}
}

// roomFor is a row of lanes, which is made where there is none.
func roomFor(row *[]uint32) []uint32 {
	if *row == nil {
		*row = make([]uint32, maxPlaces*ir.PlaceLanes)
	}
	return *row
}

// take takes what fragments have of the samples of a block that lies at a multiple of its extent.
func (q *coarseQuad) take(left, found []uint64) {
	for y := range int32(2) << q.rate.H {
		for x := range int32(2) << q.rate.W {
			px, py := (q.x+x)&(raster.BlockPixels-1), (q.y+y)&(raster.BlockPixels-1)
			at := py>>1*16 + px>>1*4 + py&1*2 + px&1
			lane, pixel := q.rate.Place(x, y)
			for sample := range left {
				q.sets[1][lane][pixel] |= left[sample] >> at & 1 << sample
				q.sets[0][lane][pixel] |= found[sample] >> at & 1 << sample
			}
			q.some[lane] |= q.sets[1][lane][pixel]
		}
	}
}

// seen is a word of the SampleMask that the shader sees of a fragment, from one of the sets.
//
// RAS-290, RAS-302
func (q *coarseQuad) seen(st *drawState, lane int32, word, samples int, set *[4][16]uint64) uint32 {
	if q.some[lane] == 0 { // helpers see 0
		return 0
	}
	return q.word(&set[lane], word, samples, st.sampleMask)
}

// eachSample hands on the covered samples of all pixels, or all of those of which one is: lanes of
// its fragment and of the pixel, and its number in the pixel and in the fragment.
func (f *fragments) eachSample(
	plan *placedPlan, st *drawState, all bool, each func(fragment, lane, sample, bit int),
) {
	p, samples := f.placed, f.plan.Samples
	for k := range p.pixels {
		q := &p.pixels[k]
		s := spreadingOf(plan.rate, q)
		any := q.Any()
		for sample, m := range q.Covered[:samples] {
			if all {
				m = any
			}
			for ; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros16(m)
				each(int(p.from[k])+int(s.lanes[lane]), ir.PlaceLanes*k+lane, sample,
					st.rates.Order.Bit(plan.rate, int(s.pixels[lane]), sample, samples))
			}
		}
	}
}

// spread makes the places those of the fragments' pixels, and gives each lane what the shader left
// for its fragment.
//
// IMG-134, RAS-111, RAS-151, RAS-315
func (f *fragments) spread(plan *placedPlan, st *drawState) {
	p, out, o := f.placed, f.batch.prog.Out, &st.link.outs
	if o.masked {
		for _, row := range p.kept {
			clear(row)
		}
		f.eachSample(plan, st, st.takes.Override, func(fragment, lane, sample, bit int) {
			if slot := o.masks[bit>>5]; slot == none || out[slot][fragment]>>(bit&31)&1 != 0 {
				p.kept[sample/32][lane] |= 1 << (sample % 32)
			}
		})
	}
	for _, row := range out {
		p.spreadRow(plan.rate, row)
	}
	p.spreadRow(plan.rate, p.live)
	p.places, p.pixels = p.pixels, p.places
}

// spreadRow is spread for a row of lanes.
func (p *placedBatch) spreadRow(r rates.Rate, row []uint32) {
	from := p.spare[:ir.PlaceLanes*len(p.places)]
	copy(from, row)
	for k := range p.pixels {
		s, first := spreadingOf(r, &p.pixels[k]), int(p.from[k])
		src := (*[ir.PlaceLanes]uint32)(from[first&^(ir.PlaceLanes-1):])
		dst := (*[ir.PlaceLanes]uint32)(row[ir.PlaceLanes*k:])
		first &= ir.PlaceLanes - 1
		for lane := range dst {
			dst[lane] = src[(first+int(s.lanes[lane]))&(ir.PlaceLanes-1)]
		}
	}
}
