package render

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Fragments of several pixels. Coverage and tests stay those of pixels and
// samples; only shading works on a quad of larger fragments, whose lanes stand for
// blocks of pixels. Draws that need none of this never come here.

// coarseQuad is four fragments of one size; the block of all four starts at a
// multiple of its extent.
type coarseQuad struct {
	x, y int32 // upper left pixel
	rate rate
	// Samples of pixel p of each fragment (RAS-111): mask after the operations
	// before shading, full from the rasterizer.
	mask, full [4][16]uint16
	// some is what mask had of any pixel of each fragment: 0 where there is none, whatever has become of mask since.
	some [4]uint16
	// one: the fragment has the samples of one pixel, which are those of all its
	// pixels (RAS-131). of is then the only sample that is shaded, or none.
	one   bool
	of    int
	order *SampleOrder // of coverage indices
}

// place is lane and pixel index of the pixel at (x, y) of the block.
//
// RAS-111, RAS-130, RAS-150 primsrast-multisampling
func (r rate) place(x, y int32) (lane, pixel int) {
	lane = int(y>>r.h&1)<<1 | int(x>>r.w&1)
	return lane, int(y&(1<<r.h-1))<<r.w | int(x&(1<<r.w-1))
}

// placesOf has, by 3w + h of a rate and the quad of pixels y<<2 | x of the block, place of
// its four pixels as lane<<4 | pixel.
var placesOf = func() (t [9][16][4]uint8) {
	for i := range t {
		r := rate{uint8(i / 3), uint8(i % 3)}
		for k := range int32(16) {
			for p := range int32(4) {
				lane, pixel := r.place(k&3*2+p&1, k>>2*2+p>>1)
				t[i][k][p] = uint8(lane<<4 | pixel)
			}
		}
	}
	return t
}()

// places is place of the four pixels of the quad at (x, y) of the block.
func (r rate) places(x, y int32) *[4]uint8 {
	return &placesOf[(3*r.w+r.h)%9][(y&6<<1|x&6>>1)&15]
}

// bit is the coverage index of a sample of a pixel of a fragment.
func (q *coarseQuad) bit(pixel, sample, samples int) int {
	if q.one { // RAS-109
		return sample
	}
	return q.order.bit(q.rate, pixel, sample, samples)
}

// coarsePending collects the quads of a primitive in a tile.
type coarsePending struct {
	list []coarseQuad
	at   []int32 // 1 + index in list, by the quad at the block's corner
}

// shadeCoarse turns the quads of a primitive into larger fragments and hands them
// to the batch.
//
// RAS-150 primsrast-fragment-shading-rate
func (w *worker) shadeCoarse(c *chunk, s *raster.Setup, rec *primRec, quads []raster.Quad, full []uint64, part *densityPart) error {
	st := c.draw.state
	p := &w.pending
	p.list = p.list[:0]
	p.at = growTo(p.at, 1<<(2*w.plan.grid.shift-2))
	shift := w.plan.grid.shift
	first := st.rates.primitive(rec.rate)
	where := func(x, y int32) int {
		m := int32(1)<<shift - 1
		return int(y&m>>1)<<(shift-1) | int(x&m>>1)
	}
	// The rates of an attachment, and of a shading rate image, are those of regions of
	// 8x8 pixels or more, and quads come in blocks of that (RAS-149).
	const block = 3
	last, of := [2]int32{-1, -1}, pixelRate{}
	one := 0 // quads of fragments of a pixel, which move to the front
	for k := range quads {
		q := &quads[k] // perhaps with nothing left: what it covered counts for centroids
		r := pixelRate{n: 1}
		if part != nil {
			r.rate = part.rate
		} else {
			if at := [2]int32{q.X >> block, q.Y >> block}; at != last {
				last, of = at, w.rateAt(st, rec, first, q.X, q.Y)
			}
			r = of
		}
		switch {
		case part != nil || r.rate != rate{}:
		case q.Mask == 0:
			continue
		case r.n > 1:
			if err := w.pushShares(c, s, rec, quads[k:k+1], full[k:k+1], r.n); err != nil {
				return err
			}
			continue
		default:
			quads[one], full[one] = *q, full[k]
			one++
			continue
		}
		// RAS-096: the corner of the fragment, which its quad's first pixel may not be.
		x, y := q.X&^(2<<r.w-1), q.Y&^(2<<r.h-1)
		at := &p.at[where(x, y)]
		if *at == 0 {
			n := len(p.list)
			p.list = growTo(p.list, n+1)
			cq := &p.list[n] // in place: it is large
			cq.x, cq.y, cq.rate, cq.order, cq.one, cq.of = x, y, r.rate, st.rates.order, part != nil, none
			cq.mask, cq.full, cq.some = [4][16]uint16{}, [4][16]uint16{}, [4]uint16{}
			*at = int32(n + 1)
		}
		cq := &p.list[*at-1]
		m, f := q.Mask, full[k]
		for _, at := range r.places(q.X-x, q.Y-y) {
			l, pixel := at>>4&3, at&15
			cq.mask[l][pixel], cq.full[l][pixel] = uint16(m), uint16(f)
			cq.some[l] |= uint16(m)
			m, f = m>>16, f>>16
		}
	}
	for i := range p.list {
		p.at[where(p.list[i].x, p.list[i].y)] = 0
	}
	push := w.pushCoarse
	if st.sampleRate {
		push = w.pushEachSample
	}
	if err := push(c, s, rec, p.list); err != nil {
		return err
	}
	return w.push(c, s, rec, quads[:one], full[:one], st.place)
}

// pushEachSample adds an invocation for each covered sample of the fragments of a
// density map.
func (w *worker) pushEachSample(c *chunk, s *raster.Setup, rec *primRec, list []coarseQuad) error {
	w.batch.shares = w.plan.samples // RAS-135
	for i := range list {
		for sample := range w.plan.samples {
			one := [1]coarseQuad{list[i]}
			cq := &one[0]
			cq.of = sample
			for lane := range cq.mask {
				for pixel := range cq.mask[lane] {
					cq.mask[lane][pixel] &= 1 << sample // RAS-176, RAS-177 primsrast-sampleshading
					cq.full[lane][pixel] &= 1 << sample
				}
				cq.some[lane] &= 1 << sample
			}
			if err := w.pushCoarse(c, s, rec, one[:]); err != nil {
				return err
			}
		}
	}
	w.batch.shares = 1
	return nil
}

// locations is where the samples of a quad are.
func (w *worker) locations(cq *coarseQuad) *raster.SampleSet {
	if cq.one {
		return w.plan.density.set(cq.rate)
	}
	return w.ss()
}

// pushCoarse adds quads of larger fragments of a primitive to the batch.
//
// RAS-173
func (w *worker) pushCoarse(c *chunk, s *raster.Setup, rec *primRec, list []coarseQuad) error {
	b := &w.batch
	if w.placesWait() {
		if err := w.flush(); err != nil {
			return err
		}
	}
	b.coarse = growTo(b.coarse, len(b.quads))
	first := b.n // of those that have no inputs yet
	for i := range list {
		cq := &list[i]
		// One bit a lane says which fragments there are.
		live := uint64(0)
		for lane, m := range cq.some {
			if m != 0 {
				live |= 1 << (16 * lane)
			}
		}
		if live == 0 {
			continue
		}
		if b.n == len(b.quads) || c.draw.state.exclusive {
			w.inputs(c, s, rec, first)
			if b.n == len(b.quads) {
				if err := w.flush(); err != nil {
					return err
				}
			}
			if c.draw.state.exclusive {
				if err := w.reserve(raster.Rect{X0: cq.x, Y0: cq.y, X1: cq.x + 2<<cq.rate.w, Y1: cq.y + 2<<cq.rate.h}); err != nil {
					return err
				}
			}
			first = b.n
		}
		b.coarse[b.n] = *cq
		q := &b.quads[b.n] // field by field, as in pushAll
		q.quad.X, q.quad.Y, q.quad.Mask, q.full = cq.x, cq.y, live, 0
		q.setup, q.chunk, q.sample, q.shares, q.coarse = s, c, cq.of, 0, true
		b.n++
	}
	w.inputs(c, s, rec, first)
	return nil
}

// center is the centre of a fragment, subpixels.
//
// RAS-150, RAS-283
func (q *coarseQuad) center(lane int32) (x, y int32) {
	fw, fh := int32(1)<<q.rate.w, int32(1)<<q.rate.h
	return (q.x+lane&1*fw)<<raster.SubpixelBits + fw*raster.Subpixels/2, (q.y+lane>>1*fh)<<raster.SubpixelBits + fh*raster.Subpixels/2
}

// sample is the position of a coverage index of a fragment, subpixels.
func (q *coarseQuad) sample(ss *raster.SampleSet, lane int32, index int) (x, y int32) {
	if q.one {
		index = min(index, ss.N-1)
	}
	pixel, i := q.order.at(q.rate, index, ss.N)
	if q.one {
		pixel, i = 0, index
	}
	px := q.x + (lane&1)<<q.rate.w + int32(pixel&(1<<q.rate.w-1))
	py := q.y + (lane>>1)<<q.rate.h + int32(pixel>>q.rate.w)
	set := ss.Of(px, py)
	return px<<raster.SubpixelBits + set.X[i], py<<raster.SubpixelBits + set.Y[i]
}

// centroid is the place of centroid inputs: the centre, if the primitive covers
// it, or the covered sample with the lowest coverage index.
//
// RAS-284 shaders-interpolation-decorations
func (q *coarseQuad) centroid(s *raster.Setup, extra []raster.HalfPlane, view *raster.Rect, ss *raster.SampleSet, lane int32) (x, y int32) {
	if q.of != none {
		return q.sample(ss, lane, q.of)
	}
	x, y = q.center(lane)
	// RAS-080: a polygon ends at the viewport, which no half-plane says where its
	// sides lie between pixels.
	inView := s.Kind != raster.KindTriangle || x >= view.X0 && x < view.X1 && y >= view.Y0 && y < view.Y1
	if inView && s.Contains(extra, x, y) {
		return x, y
	}
	if q.one {
		if m := q.any(&q.full[lane]); m != 0 {
			return q.sample(ss, lane, bits.TrailingZeros16(m))
		}
		return x, y
	}
	first := ss.N * q.rate.pixels()
	for pixel, m := range q.full[lane][:q.rate.pixels()] {
		for ; m != 0; m &= m - 1 {
			first = min(first, q.bit(pixel, bits.TrailingZeros16(m), ss.N))
		}
	}
	if first == ss.N*q.rate.pixels() {
		return x, y
	}
	return q.sample(ss, lane, first)
}

// any is the samples that any pixel of a fragment has.
func (q *coarseQuad) any(masks *[16]uint16) (m uint16) {
	for _, p := range masks[:q.rate.pixels()] {
		m |= p
	}
	return m
}

// word is a word of SampleMask: the coverage of all pixels of a fragment.
//
// RAS-113, RAS-132, RAS-290 primsrast-multisampling
func (q *coarseQuad) word(masks *[16]uint16, word, samples int, allowed uint16) (out uint32) {
	for pixel := range q.rate.pixels() {
		for m := masks[pixel] & allowed; m != 0; m &= m - 1 {
			if bit := q.bit(pixel, bits.TrailingZeros16(m), samples); bit/32 == word {
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
	x, y := q.x+(lane&1)<<q.rate.w, q.y+(lane>>1)<<q.rate.h
	for py := range int32(1) << q.rate.h {
		for px := range int32(1) << q.rate.w {
			if !s.FullyCovered(extra, x+px, y+py) {
				return false
			}
		}
	}
	return true
}

// shapeCoarse is coverage for quad k of larger fragments.
//
// RAS-298, RAS-315, RAS-317 fragops-covg
func (w *worker) shapeCoarse(st *drawState, k int) {
	cq := &w.batch.coarse[k]
	for lane := range 4 {
		for pixel := range cq.rate.pixels() {
			m := &cq.mask[lane][pixel]
			if *m == 0 {
				continue
			}
			if st.override {
				*m = 1<<w.plan.samples - 1
			}
			*m &= w.keptBy(st, 4*k+lane, cq, pixel)
		}
	}
}

// finishCoarse counts and lists what is left after tests of quad k of larger fragments.
//
// RAS-151, RAS-173 fragops
func (w *worker) finishCoarse(st *drawState, k int) {
	b := &w.batch
	cq := &b.coarse[k]
	if d := b.draw.draw; st.late && d.Occlusion != 0 { // RAS-330
		for lane := range 4 {
			for _, m := range cq.mask[lane] {
				w.occ[d.Occlusion-1] += uint64(bits.OnesCount16(m))
			}
		}
	}
	if !st.listed {
		return
	}
	// IMG-134: each of its pixels is written.
	width, shift := uint16(1)<<cq.rate.w-1, cq.rate.w
	for lane := range cq.mask {
		if cq.some[lane] == 0 {
			continue
		}
		x, y := uint16(cq.x)+uint16(lane&1)<<cq.rate.w, uint16(cq.y)+uint16(lane>>1)<<cq.rate.h
		for pixel, m := range cq.mask[lane][:cq.rate.pixels()] {
			if m != 0 {
				b.list = append(b.list, fragops.Fragment{Lane: uint16(4*k + lane), Mask: m, X: x + uint16(pixel)&width, Y: y + uint16(pixel)>>shift})
			}
		}
	}
}

// keptBy is the samples of a pixel of a fragment that its shader leaves.
func (w *worker) keptBy(st *drawState, lane int, cq *coarseQuad, pixel int) uint16 {
	b, o := &w.batch, &st.link.outs
	if b.live[lane] == 0 {
		return 0
	}
	keep := uint16(0xffff)
	samples := w.plan.samples
	if o.masked {
		for i := range samples {
			bit := cq.bit(pixel, i, samples)
			if slot := o.masks[bit/32]; slot != none && b.prog.out[slot][lane]>>(bit%32)&1 == 0 {
				keep &^= 1 << i
			}
		}
	}
	if st.toCoverage {
		alpha := math.Float32frombits(b.prog.out[o.color[0].slot[3]][lane])
		keep &= uint16(fragops.AlphaToCoverage(alpha, samples))
	}
	return keep
}

// testMixed is testLate for a batch with larger fragments, whose depths come from where the
// pixels' samples are. The reference does it, a quad of pixels at a time.
func (w *worker) testMixed(st *drawState, masks []uint64) {
	b := &w.batch
	for k := range masks {
		q := &b.quads[k]
		tests := &st.tests[q.chunk.recs[q.setup.Prim].viewport]
		if !tests.Active() {
			continue
		}
		if !q.coarse {
			own := raster.Quad{X: q.quad.X, Y: q.quad.Y, Mask: masks[k]}
			masks[k] = w.testPixels(st, tests, k, own, &[4]uint8{0 << 4, 1 << 4, 2 << 4, 3 << 4})
			continue
		}
		cq := &b.coarse[k]
		for y := int32(0); y < 2<<cq.rate.h; y += 2 {
			for x := int32(0); x < 2<<cq.rate.w; x += 2 {
				places, m := cq.rate.places(x, y), uint64(0)
				for i, at := range places {
					m |= uint64(cq.mask[at>>4&3][at&15]) << (16 * i)
				}
				m = w.testPixels(st, tests, k, raster.Quad{X: cq.x + x, Y: cq.y + y, Mask: m}, places)
				for i, at := range places {
					cq.mask[at>>4&3][at&15] = uint16(m >> (16 * i))
				}
			}
		}
	}
}

// testPixels tests a quad of pixels, which quad k of the batch shades at places of it, and says
// what passes.
//
// RAS-310, RAS-311
func (w *worker) testPixels(
	st *drawState, tests *fragops.DepthStencil, k int, q raster.Quad, places *[4]uint8,
) uint64 {
	if q.Mask == 0 {
		return 0
	}
	b, o, samples := &w.batch, &st.link.outs, w.plan.samples
	z, s, ss := w.z[:4*samples], b.quads[k].setup, w.ss()
	if b.quads[k].coarse {
		ss = w.locations(&b.coarse[k])
	}
	if tests.NeedsDepth() {
		s.Depth([]raster.Quad{q}, ss, z)
	}
	var refs *[4]uint8
	for i, at := range places {
		lane := 4*k + int(at>>4)
		if o.depth != none {
			for sample := range samples {
				z[i*samples+sample] = math.Float32frombits(b.prog.out[o.depth][lane])
			}
		}
		if st.stencilRef {
			refs = &b.quadRefs
			refs[i] = uint8(b.prog.out[o.stencil][lane])
		}
	}
	return tests.Quad(&w.tile.depth, &w.tile.stencil, int(q.X), int(q.Y), samples, q.Mask, z, !s.FrontFacing, refs)
}
