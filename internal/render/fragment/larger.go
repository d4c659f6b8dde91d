package fragment

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Fragments of several pixels in places: lanes are fragments, for which the shader runs once. Then
// places of their pixels take what it made for them (spread), and all that follows is as it is for
// fragments of a pixel.

// placeList are places that wait. Where lanes are larger fragments, pixels are places of their
// pixels, and from the first lane that those of each may be of.
type placeList struct {
	Places, Pixels []exec.Place
	From           []uint16
}

// A spreading is how one of the four places of pixels in a block lies in the place of their
// fragments.
type spreading struct {
	// lanes are those of fragments by lane of a pixel, from the first one of the block, and pixels
	// which of its fragment's it is.
	Lanes, pixels [ir.PlaceLanes]uint8
	all           uint16 // of the fragments
}

// spreadings are those of rates, by 3w + h.
var spreadings = func() (t [9][blockPlaces]spreading) {
	for i := range t {
		r := rates.Rate{W: uint8(i / 3), H: uint8(i % 3)}
		for row := range t[i] {
			s := &t[i][row]
			for lane := range s.Lanes {
				x, y := lane>>2*2+lane&1, 2*row+lane>>1&1
				fx, fy := x>>r.W, y>>r.H
				s.Lanes[lane] = uint8(fx>>1*4 + fy&1*2 + fx&1)
				s.pixels[lane] = uint8(y&(1<<r.H-1)<<r.W + x&(1<<r.W-1))
				s.all |= 1 << s.Lanes[lane]
			}
		}
	}
	return t
}()

// SpreadingOf is that of a place of pixels.
func SpreadingOf(r rates.Rate, q *exec.Place) *spreading {
	return &spreadings[3*r.W+r.H][q.Y&(raster.BlockPixels-1)>>1]
}

// of is the lanes of fragments of which pixels are covered.
func (s *spreading) of(pixels uint16) (fragments uint16) {
	if pixels == 1<<ir.PlaceLanes-1 {
		return s.all
	}
	for ; pixels != 0; pixels &= pixels - 1 {
		fragments |= 1 << s.Lanes[bits.TrailingZeros16(pixels)&(ir.PlaceLanes-1)]
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
	at := len(l.Pixels)
	l.Pixels = tile.AppendRows(l.Pixels, x, y, words, any, record)
	fx, fy := x>>r.W, y>>r.H
	first := fx & (raster.BlockPixels - 1) >> 1 * 4
	for i := at; i < len(l.Pixels); i++ {
		q := &l.Pixels[i]
		k := l.at(fx&^(raster.BlockPixels-1), fy+(q.Y-y)>>r.H&^1, record)
		before, after := uint16(0), uint16(0)
		s, p := SpreadingOf(r, q), &l.Places[k]
		for sample := range words {
			before |= p.Covered[sample]
			p.Covered[sample] |= s.of(q.Covered[sample]) << first
			after |= p.Covered[sample]
		}
		l.From = append(l.From, uint16(ir.PlaceLanes*k)+uint16(first))
		fragments += uint64(bits.OnesCount16(after &^ before))
	}
	return fragments
}

// fits says that there is room for a block.
func (l *placeList) fits() bool {
	return max(len(l.Places), len(l.Pixels))+blockPlaces <= maxPlaces
}

// empty drops the places, and makes room.
func (l *placeList) empty() {
	l.Places, l.Pixels = geometry.Grow(l.Places, maxPlaces)[:0], geometry.Grow(l.Pixels, maxPlaces)[:0]
	l.From = geometry.Grow(l.From, maxPlaces)[:0]
}

// at is the number of the place of a primitive at (x, y), which is one of the last ones, or new.
func (l *placeList) at(x, y int32, record uint32) int {
	k := l.find(x, y, record)
	if k < 0 {
		k = len(l.Places)
		l.Places = append(l.Places, exec.Place{X: x, Y: y, Record: record})
	}
	return k
}

// find is at, or none.
func (l *placeList) find(x, y int32, record uint32) int {
	n := len(l.Places)
	for i := n - 1; i >= max(n-blockPlaces, 0); i-- {
		if p := &l.Places[i]; p.X == x && p.Y == y && p.Record == record {
			return i
		}
	}
	return none
}

// reserves is which pixels of a block fragments may be of that have those.
func (p *Plan) reserves(pixels uint64) uint64 {
	if p.Rate != (rates.Rate{}) {
		return ^uint64(0)
	}
	return pixels
}

// tellLarger is tell for fragments of several pixels, in the list of a share: left are the samples
// that the tests so far have left of a block, found those that the set-up covers.
//
// RAS-277, RAS-284, RAS-290
func (p *Waiting) tellLarger(
	plan *Plan, share int, list *placeList, x, y int32, left, found []uint64,
) {
	if len(plan.inputs.Findings) == 0 {
		return
	}
	st, r, s, extra := p.prims.Of.State, plan.Rate, p.Setup, p.prims.Extra
	view := &st.Raster[p.prims.Recs[s.Prim].Viewport].ViewRect
	for at := range int32(raster.BlockQuads) {
		qx, qy := x+at&3<<1, y+at>>2<<1
		if (qx-x)&(2<<r.W-1) != 0 || (qy-y)&(2<<r.H-1) != 0 {
			continue
		}
		k := list.find(qx>>r.W&^(raster.BlockPixels-1), qy>>r.H, p.last)
		if k < 0 { // nothing is covered
			continue
		}
		cq := coarseQuad{x: qx, y: qy, rate: r, order: st.Rates.Order, one: !plan.each}
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
		*row = make([]uint32, Lanes)
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
func (q *coarseQuad) seen(st *State, lane int32, word, samples int, set *[4][16]uint64) uint32 {
	if q.some[lane] == 0 { // helpers see 0
		return 0
	}
	return q.word(&set[lane], word, samples, st.SampleMask)
}

// eachSample hands on the covered samples of all pixels, or all of those of which one is: lanes of
// its fragment and of the pixel, and its number in the pixel and in the fragment.
func (f *Worker) eachSample(
	plan *Plan, st *State, all bool, each func(fragment, lane, sample, bit int),
) {
	p, samples := f.Waiting, f.Pass.Samples
	for k := range p.Pixels {
		q := &p.Pixels[k]
		s := SpreadingOf(plan.Rate, q)
		any := q.Any(samples)
		for sample, m := range q.Covered[:samples] {
			if all {
				m = any
			}
			for ; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros16(m)
				each(int(p.From[k])+int(s.Lanes[lane]), ir.PlaceLanes*k+lane, sample,
					st.Rates.Order.Bit(plan.Rate, int(s.pixels[lane]), sample, samples))
			}
		}
	}
}

// spread makes the places those of the fragments' pixels, and gives each lane what the shader left
// for its fragment.
//
// IMG-134, RAS-111, RAS-151, RAS-315
func (f *Worker) spread(plan *Plan, st *State) {
	p, out, o := f.Waiting, f.Batch.Program.Out, &st.Link.Outs
	if o.Masked {
		for _, row := range p.kept {
			clear(row)
		}
		f.eachSample(plan, st, st.Takes.Override, func(fragment, lane, sample, bit int) {
			if slot := o.Masks[bit>>5]; slot == none || out[slot][fragment]>>(bit&31)&1 != 0 {
				p.kept[sample/32][lane] |= 1 << (sample % 32)
			}
		})
	}
	for _, row := range out {
		p.spreadRow(plan.Rate, row)
	}
	p.spreadRow(plan.Rate, p.live)
	p.Places, p.Pixels = p.Pixels, p.Places
}

// spreadRow is spread for a row of lanes.
func (p *Waiting) spreadRow(r rates.Rate, row []uint32) {
	from := p.spare[:ir.PlaceLanes*len(p.Places)]
	copy(from, row)
	for k := range p.Pixels {
		s, first := SpreadingOf(r, &p.Pixels[k]), int(p.From[k])
		src := (*[ir.PlaceLanes]uint32)(from[first&^(ir.PlaceLanes-1):])
		dst := (*[ir.PlaceLanes]uint32)(row[ir.PlaceLanes*k:])
		first &= ir.PlaceLanes - 1
		for lane := range dst {
			dst[lane] = src[(first+int(s.Lanes[lane]))&(ir.PlaceLanes-1)]
		}
	}
}

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
