package render

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// batchQuad is a quad waiting in a batch.
type batchQuad struct {
	quad   raster.Quad // mask after the operations before shading
	full   uint64      // coverage of the rasterizer
	setup  *raster.Setup
	chunk  *chunk
	sample int // the sample that is shaded, or none
	// shares is how many invocations share the samples of a pixel; sample is then
	// the first that this one has.
	shares uint8
	// coarse: the fragments are those of batch.coarse at the same place; the
	// mask has the first bit of each that is there.
	coarse bool
}

// batch packs the fragments of many primitives of a group of draws, quad by
// quad in primitive order. Its arrays hold the executor's lanes.
type batch struct {
	draw  *drawPlan // of the group; nil before the first
	prog  *program
	group int
	n     int // quads
	quads []batchQuad
	// shares is that of the quads that are being pushed.
	shares int
	z      []float32 // of the samples of each quad, where tests come late
	live   []uint32
	masks  []uint64 // of the quads after shading
	// refs are stencil references by lane, quadRefs those of a quad; depthAt and
	// stencilAt where quads are.
	refs               []uint32
	quadRefs           [4]uint8
	depthAt, stencilAt []int
	list               []fragops.Fragment
	fewer              []fragops.Fragment // of colour samples (see writeColor)
	whole              []uint16           // see wholeMask
	// scaled are lanes of colours and second sources (see scratch).
	scaled [2][4][]uint32

	coarse []coarseQuad // of quads that say so; nil before the first

	// Scratch of one run of quads.
	run            []raster.Quad
	runFull        []uint64
	i, j, li, lj   []float32
	ci, cj, cx, cy []float32
	x, y           []int32
	coord          [4][]float32
	u, v           []float32

	lanes exec.Batch // here, so that handing it to a thread allocates nothing
}

// prepare sizes the batch.
func (b *batch) prepare(lanes, samples int) {
	n := lanes / 4
	b.draw, b.n, b.group, b.shares = nil, 0, none, 1
	b.quads = grow(b.quads, n)
	b.z = grow(b.z, lanes*samples)
	b.live, b.refs = grow(b.live, lanes), grow(b.refs, lanes)
	b.masks, b.depthAt, b.stencilAt = grow(b.masks, n), grow(b.depthAt, n), grow(b.stencilAt, n)
	b.list = grow(b.list, lanes)
	b.run, b.runFull = grow(b.run, n), grow(b.runFull, n)
	for _, f := range []*[]float32{&b.i, &b.j, &b.li, &b.lj, &b.ci, &b.cj, &b.cx, &b.cy, &b.u, &b.v, &b.coord[0], &b.coord[1], &b.coord[2], &b.coord[3]} {
		*f = grow(*f, lanes)
	}
	b.x, b.y = grow(b.x, lanes), grow(b.y, lanes)
}

// ss is the locations of the samples of the batch.
func (w *worker) ss() *raster.SampleSet { return w.batch.draw.state.ss }

// startGroup makes the batch accept fragments of a draw; those of another group
// are finished first, because their tests and writes come before.
func (w *worker) startGroup(d *drawPlan) error {
	b := &w.batch
	if b.draw != nil && b.group == d.group {
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	b.draw, b.group, w.placed = d, d.group, w.batches[0]
	b.prog = nil
	if d.fragment.routine != none {
		b.prog = w.byIndex[d.fragment.routine]
	}
	return nil
}

// push adds quads of one primitive to the batch and runs it whenever it is
// full.
func (w *worker) push(c *chunk, s *raster.Setup, rec *primRec, quads []raster.Quad, full []uint64, sample int) error {
	if !c.draw.state.exclusive {
		return w.pushAll(c, s, rec, quads, full, sample)
	}
	for len(quads) > 0 {
		if w.batch.n == len(w.batch.quads) { // before reserve, whose claims are the batch's
			if err := w.flush(); err != nil {
				return err
			}
		}
		rect := func(q *raster.Quad) raster.Rect { return raster.Rect{X0: q.X, Y0: q.Y, X1: q.X + 2, Y1: q.Y + 2} }
		if err := w.reserve(rect(&quads[0])); err != nil {
			return err
		}
		n, most := 1, min(len(quads), len(w.batch.quads)-w.batch.n)
		for n < most && w.occupied.take(w.plan.grid.shift, rect(&quads[n])) {
			n++
		}
		if err := w.pushAll(c, s, rec, quads[:n], full[:n], sample); err != nil {
			return err
		}
		quads, full = quads[n:], full[n:]
	}
	return nil
}

// pushAll is push without regard for what the batch holds.
func (w *worker) pushAll(c *chunk, s *raster.Setup, rec *primRec, quads []raster.Quad, full []uint64, sample int) error {
	b := &w.batch
	for len(quads) > 0 {
		if b.n == len(b.quads) || w.placesWait() {
			if err := w.flush(); err != nil {
				return err
			}
		}
		m := min(len(quads), len(b.quads)-b.n)
		part, cover := quads[:m], full[:m]
		to := b.quads[b.n : b.n+m]
		// RAS-178, RAS-299: each quad has its primitive, and its sample.
		for k := range to { // field by field: a struct would be made elsewhere and copied
			q := &to[k]
			q.quad.X, q.quad.Y, q.quad.Mask = part[k].X, part[k].Y, part[k].Mask
			q.full, q.setup, q.chunk, q.sample, q.shares, q.coarse = cover[k], s, c, sample, uint8(b.shares), false
		}

		first, st := b.n, c.draw.state
		b.n += m
		w.inputs(c, s, rec, first)
		if st.late && !st.coarse && st.tests[rec.viewport].NeedsDepth() && st.link.outs.depth == none { // else see testPixels
			k := 4 * w.plan.samples
			s.Depth(part, st.ss, b.z[first*k:b.n*k])
		}
		quads, full = quads[m:], full[m:]
	}
	return nil
}

// inputs fills the input lanes of the batch's quads from number first on, which are of one
// primitive.
//
// RAS-281, RAS-287, RAS-288, RAS-310
func (w *worker) inputs(c *chunk, s *raster.Setup, rec *primRec, first int) {
	b, link := &w.batch, c.draw.state.link
	at, n := 4*first, 4*(b.n-first)
	x, y := b.x[:n], b.y[:n]
	for l := range x {
		x[l], y[l] = w.spotOf(at + l)
	}
	if link.needPerspective {
		s.IJAt(x, y, b.i[:n], b.j[:n])
	}
	if link.needLinear {
		s.IJLinearAt(x, y, b.li[:n], b.lj[:n])
	}
	if link.coords != 0 || link.outs.depth != none || len(w.watching.seen) > 0 {
		cx, cy, z, iw := w.coordRows(link, n)
		s.FragCoordAt(x, y, cx, cy, z, iw)
	}
	if link.needPoint { // RAS-191
		s.PointCoordAt(x, y, b.u[:n], b.v[:n])
	}
	if link.outs.depth != none { // a path that does not write depth keeps the interpolated one
		copyBits(b.prog.out[link.outs.depth][at:], b.coord[2][:n])
	}
	if link.needCentroid {
		for l := range x {
			x[l], y[l] = w.centroidOf(at + l)
		}
		if link.needPerspective {
			s.IJAt(x, y, b.ci[:n], b.cj[:n])
		}
		if link.needLinear {
			s.IJLinearAt(x, y, b.cx[:n], b.cy[:n])
		}
	}
	stride := len(link.attrs)
	value := func(vertex uint32, in *fragmentInput) uint32 {
		return c.attrs[int(vertex)*stride+in.attr]
	}
	for k := range link.inputs {
		in := &link.inputs[k]
		dst := b.prog.in[in.slot][at : at+n]
		switch in.kind {
		case inputVarying: // shaders-interpolation-decorations
			if in.interp == ir.Flat {
				fill(dst, value(rec.provoking, in)) // RAS-067, RAS-282
				continue
			}
			i, j := b.pairOf(in)
			c.interpolate(dst, s, rec, in, i[:n], j[:n])
		case inputPerVertex:
			fill(dst, value(rec.vertex(in.vertex), in))
		case inputBaryCoord:
			i, j := b.pairOf(in)
			rec.barycentric(dst, in.comp, i[:n], j[:n])
		case inputFragCoord:
			copyBits(dst, b.coord[in.comp&3][:n])
		case inputPointCoord:
			copyBits(dst, [2][]float32{b.u, b.v}[in.comp&1][:n])
		default:
			for q := range n / 4 {
				w.builtin((*[4]uint32)(dst[4*q:]), in, c, s, rec, first+q)
			}
		}
	}
}

// copyBits fills dst with the bits of numbers.
func copyBits(dst []uint32, from []float32) {
	for i, v := range from {
		dst[i] = math.Float32bits(v)
	}
}

// spotOf is where the inputs of a lane of the batch are taken, subpixels.
//
// RAS-283, RAS-285, RAS-295
func (w *worker) spotOf(lane int) (x, y int32) {
	q := &w.batch.quads[lane/4]
	switch {
	case q.sample == none:
		return w.centerOf(lane)
	case q.coarse:
		cq := &w.batch.coarse[lane/4]
		return cq.sample(w.locations(cq), int32(lane&3), q.sample)
	}
	return q.sampleOf(w.ss(), lane, q.sample)
}

// sampleOf is where a sample of a lane's pixel is, subpixels.
func (q *batchQuad) sampleOf(ss *raster.SampleSet, lane, sample int) (x, y int32) {
	x, y = pixelOf(q, lane)
	set := ss.Of(x, y)
	return x<<raster.SubpixelBits + set.X[sample], y<<raster.SubpixelBits + set.Y[sample]
}

// centroidOf is where centroid inputs of a lane of the batch are taken, subpixels: by coverage of
// the rasterizer, before sample mask and tests. Where an invocation has a share of the samples that
// is the first of them, or of helpers that of the share.
//
// RAS-284 shaders-interpolation-decorations
func (w *worker) centroidOf(lane int) (x, y int32) {
	q := &w.batch.quads[lane/4]
	switch {
	case q.coarse:
		cq, viewport := &w.batch.coarse[lane/4], q.chunk.recs[q.setup.Prim].viewport
		view := &q.chunk.draw.state.raster[viewport].ViewRect
		return cq.centroid(q.setup, q.chunk.extra, view, w.locations(cq), int32(lane&3))
	case q.sample != none:
		first := q.sample
		if m := fragops.PixelMask(q.full, lane&3); m != 0 {
			first = bits.TrailingZeros32(m)
		}
		return q.sampleOf(w.ss(), lane, first)
	}
	var px, py [4]int32
	one := [1]raster.Quad{{X: q.quad.X, Y: q.quad.Y, Mask: q.full}}
	q.setup.CentroidPositions(one[:], q.chunk.extra, w.ss(), px[:], py[:])
	return px[lane&3], py[lane&3]
}

// pairOf picks the pair of an input.
func (b *batch) pairOf(in *fragmentInput) (i, j []float32) {
	switch {
	case in.aux == ir.AtCentroid && in.interp == ir.Linear:
		return b.cx, b.cy
	case in.aux == ir.AtCentroid:
		return b.ci, b.cj
	case in.interp == ir.Linear:
		return b.li, b.lj
	}
	return b.i, b.j
}

// coordRows is where n lanes of FragCoord go: x, y, depth and 1/w, the last two nil where nobody asks. Who watches sees all.
func (w *worker) coordRows(link *linkage, n int) (x, y, z, iw []float32) {
	b, all := &w.batch, len(w.watching.seen) > 0
	if all || link.coords&4 != 0 || link.outs.depth != none {
		z = b.coord[2][:n]
	}
	if all || link.coords&8 != 0 {
		iw = b.coord[3][:n]
	}
	return b.coord[0][:n], b.coord[1][:n], z, iw
}

// builtin fills an input of quad k of the batch that does not come from coordinates.
//
// RAS-290, RAS-291
func (w *worker) builtin(
	dst *[4]uint32, in *fragmentInput, c *chunk, s *raster.Setup, rec *primRec, k int,
) {
	b, st := &w.batch, c.draw.state
	q := &b.quads[k]
	var cq *coarseQuad
	if q.coarse {
		cq = &b.coarse[k]
	}
	at := max(q.sample, 0)
	for lane := range dst {
		x, y := pixelOf(q, lane)
		m := fragops.PixelMask(q.quad.Mask, lane)
		switch {
		case in.kind == inputSampleID: // RAS-179
			dst[lane] = uint32(at)
		case in.kind == inputSamplePosition: // RAS-119
			ss := w.ss().Of(x, y)
			v := [2]int32{ss.X[at], ss.Y[at]}[in.comp&1]
			dst[lane] = math.Float32bits(float32(v) / raster.Subpixels)
		case in.kind == inputFullyCovered && cq != nil:
			dst[lane] = maskOf(cq.fullyCovered(s, c.extra, int32(lane)))
		case in.kind == inputFullyCovered:
			dst[lane] = maskOf(s.FullyCovered(c.extra, x, y))
		case in.kind == inputHelper:
			dst[lane] = maskOf(m == 0)
		case in.kind == inputSampleMask && m == 0:
			dst[lane] = 0
		// RAS-302: before the depth test, or with PostDepthCoverage after it
		case in.kind == inputSampleMask && cq != nil && st.postDepth:
			dst[lane] = cq.word(&cq.mask[lane], int(in.comp), w.plan.samples, uint16(st.sampleMask))
		case in.kind == inputSampleMask && cq != nil:
			dst[lane] = cq.word(&cq.full[lane], int(in.comp), w.plan.samples, uint16(st.sampleMask))
		case in.kind == inputSampleMask && in.comp != 0:
			dst[lane] = 0
		case in.kind == inputSampleMask && st.postDepth:
			dst[lane] = m
		case in.kind == inputSampleMask:
			dst[lane] = fragops.PixelMask(q.full&st.sampleMask, lane)
		case in.kind == inputShadingRate && cq != nil:
			dst[lane] = cq.rate.code()
		case in.kind == inputFragSize && cq != nil && (cq.one || st.rates.image != nil):
			dst[lane] = [2]uint32{1 << cq.rate.w, 1 << cq.rate.h}[in.comp&1]
		default:
			dst[lane] = w.uniformInput(in, s, rec, c, nil)
		}
	}
}

// maskOf is the mask value of a Bool.
func maskOf(b bool) uint32 {
	if b {
		return ^uint32(0)
	}
	return 0
}

// allWhole says that all quads of the batch have all their fragments.
func (b *batch) allWhole() bool {
	for k := range b.n {
		if b.quads[k].quad.Mask != wholeQuad {
			return false
		}
	}
	return true
}

// flush shades the batch and finishes its fragments in order.
func (w *worker) flush() error {
	b := &w.batch
	if w.placesWait() {
		current := w.placed
		for _, w.placed = range w.batches {
			if !w.placed.waits() {
				continue
			}
			if err := w.flushPlaces(); err != nil {
				return err
			}
		}
		w.placed = current
		w.occupied.release()
		return nil
	}
	w.placed.reset()
	if b.n == 0 {
		return nil
	}
	n := 4 * b.n
	link := b.draw.state.link
	live := b.live[:n]
	if !b.draw.state.masks && b.allWhole() {
		live = nil // all are, and nobody asks afterwards
		w.stats.Fragments += uint64(n)
	}
	for k := range len(live) / 4 {
		m := b.quads[k].quad.Mask
		if m == wholeQuad {
			const all = ^uint32(0)
			*(*[4]uint32)(b.live[4*k:]) = [4]uint32{all, all, all, all}
			w.stats.Fragments += 4
			continue
		}
		for lane := range 4 {
			live := maskOf(fragops.PixelMask(m, lane) != 0) // RAS-296, RAS-297, RAS-359
			b.live[4*k+lane] = live
			w.stats.Fragments += uint64(live & 1)
		}
	}
	w.defaults(link, n)
	b.lanes = exec.Batch{N: n, In: b.prog.in, Out: b.prog.out, Live: live, Interp: w}
	w.stats.Batches++
	w.stats.Lanes += uint64(n)
	if err := w.watching.shadeQuads(); err != nil {
		return w.x.during(b.draw, err)
	}
	if w.x.Stopped() {
		return w.x.during(b.draw, w.x.stopped())
	}
	if err := w.finish(); err != nil {
		return w.x.during(b.draw, err)
	}
	b.n = 0
	w.occupied.release()
	return nil
}

// defaults sets what outputs hold where the shader does not write them; depth
// has been set when the fragments came in.
//
// RAS-349 interfaces-fragmentoutput
func (w *worker) defaults(link *linkage, n int) {
	out := w.batch.prog.out
	for _, slot := range link.fragmentMay {
		switch slot {
		case link.outs.depth:
		case link.outs.mask, link.outs.masks[1], link.outs.masks[2], link.outs.masks[3], link.outs.masks[4], link.outs.masks[5], link.outs.masks[6], link.outs.masks[7]:
			fill(out[slot][:n], ^uint32(0)) // RAS-315
		case link.outs.stencil: // RAS-311
			for k := range w.batch.n {
				q := &w.batch.quads[k]
				fill(out[slot][4*k:4*k+4], uint32(w.face(q).Reference))
			}
		default:
			fill(out[slot][:n], link.outs.unwritten(slot)) // RAS-342, RAS-349
		}
	}
}

// unwritten is the value of a colour output's component: alpha is 1, all else 0.
func (o *fragmentOutputs) unwritten(slot int) uint32 {
	for i := range o.color {
		switch c := &o.color[i]; {
		case c.slot[3] != slot:
		case c.integer:
			return 1
		default:
			return math.Float32bits(1)
		}
	}
	return 0
}

// face is the stencil state of a quad.
//
// RAS-236
func (w *worker) face(q *batchQuad) *fragops.Face {
	t := &q.chunk.draw.state.tests[q.chunk.recs[q.setup.Prim].viewport]
	if q.setup.FrontFacing {
		return &t.Faces[0]
	}
	return &t.Faces[1]
}
