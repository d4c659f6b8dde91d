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

	coarse  []coarseQuad // of quads that say so; nil before the first
	one     [1]raster.Quad
	oneMask [1]uint64

	// Scratch of one run of quads.
	run            []raster.Quad
	runFull        []uint64
	cover          []raster.Quad // with the coverage of the rasterizer
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
	b.run, b.runFull, b.cover = grow(b.run, n), grow(b.runFull, n), grow(b.cover, n)
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

		w.inputs(c, s, rec, part, cover, sample)
		st := c.draw.state
		if st.late && !st.coarse && st.tests[rec.viewport].NeedsDepth() && st.link.outs.depth == none { // else see mixedInputs
			k := 4 * w.plan.samples
			s.Depth(part, st.ss, b.z[b.n*k:(b.n+m)*k])
		}
		b.n += m
		quads, full = quads[m:], full[m:]
	}
	return nil
}

// inputs fills the input lanes of quads that go to the end of the batch.
func (w *worker) inputs(c *chunk, s *raster.Setup, rec *primRec, quads []raster.Quad, full []uint64, sample int) {
	b, link := &w.batch, c.draw.state.link
	n := 4 * len(quads)
	lane := 4 * b.n
	w.pairs(c, s, quads, full, sample)
	if link.coords != 0 || link.outs.depth != none || len(w.watching.seen) > 0 {
		w.coords(link, s, quads, sample)
	}
	if link.outs.depth != none {
		// RAS-310: a path that does not write depth keeps the interpolated one.
		dst := b.prog.out[link.outs.depth][lane : lane+n]
		for i, z := range b.coord[2][:n] {
			dst[i] = math.Float32bits(z)
		}
	}
	stride := len(link.attrs)
	for k := range link.inputs {
		in := &link.inputs[k]
		dst := b.prog.in[in.slot][lane : lane+n]
		switch in.kind {
		case inputVarying: // RAS-281, RAS-287 shaders-interpolation-decorations
			if in.interp == ir.Flat { // RAS-067
				fill(dst, c.attrs[int(rec.provoking)*stride+in.attr]) // RAS-282
				continue
			}
			i, j := w.pairOf(in)
			c.interpolate(dst, s, rec, in, i[:n], j[:n])
		case inputPerVertex:
			fill(dst, c.attrs[int(rec.vertex(in.vertex))*stride+in.attr])
		case inputBaryCoord:
			i, j := w.pairOf(in)
			rec.barycentric(dst, in.comp, i[:n], j[:n])
		case inputFragCoord: // RAS-288
			for i, v := range b.coord[in.comp&3][:n] {
				dst[i] = math.Float32bits(v)
			}
		case inputPointCoord:
			w.pointCoord(s, quads, sample, in.comp, dst)
		default:
			w.builtin(dst, in, s, rec, c, quads, full, sample)
		}
	}
}

// pairs computes the (i, j) pairs that the inputs need.
func (w *worker) pairs(c *chunk, s *raster.Setup, quads []raster.Quad, full []uint64, sample int) {
	b, link := &w.batch, c.draw.state.link
	n := 4 * len(quads)
	if sample != none {
		// RAS-283, RAS-285: at the position of the sample.
		raster.SamplePositions(quads, w.ss(), sample, b.x[:n], b.y[:n])
		if link.needPerspective {
			s.IJAt(b.x[:n], b.y[:n], b.i[:n], b.j[:n])
		}
		if link.needLinear {
			s.IJLinearAt(b.x[:n], b.y[:n], b.li[:n], b.lj[:n])
		}
		if link.needCentroid && b.shares < w.plan.samples {
			for k := range quads {
				for lane := range 4 {
					b.x[4*k+lane], b.y[4*k+lane] = w.lowest(&quads[k], full[k], lane, sample)
				}
			}
			w.centroids(s, link, n)
		}
		return
	}
	if link.needPerspective {
		s.IJ(quads, b.i[:n], b.j[:n])
	}
	if link.needLinear {
		s.IJLinear(quads, b.li[:n], b.lj[:n])
	}
	if link.needCentroid && b.shares < w.plan.samples {
		// RAS-284: coverage of the rasterizer, before sample mask and tests.
		cover := b.cover[:len(quads)]
		for k := range quads {
			cover[k] = raster.Quad{X: quads[k].X, Y: quads[k].Y, Mask: full[k]}
		}
		s.CentroidPositions(cover, c.extra, w.ss(), b.x[:n], b.y[:n])
		w.centroids(s, link, n)
	}
}

// centroids computes the pairs of centroid inputs at b.x and b.y.
func (w *worker) centroids(s *raster.Setup, link *linkage, n int) {
	b := &w.batch
	if link.needPerspective {
		s.IJAt(b.x[:n], b.y[:n], b.ci[:n], b.cj[:n])
	}
	if link.needLinear {
		s.IJLinearAt(b.x[:n], b.y[:n], b.cx[:n], b.cy[:n])
	}
}

// lowest is the position, subpixels, of the first sample of a lane that the
// rasterizer covered, whatever tests have left of them; of helpers that of the
// share's first.
//
// RAS-284 shaders-interpolation-decorations
func (w *worker) lowest(q *raster.Quad, full uint64, lane, first int) (x, y int32) {
	if m := fragops.PixelMask(full, lane); m != 0 {
		first = bits.TrailingZeros32(m)
	}
	x, y = q.X+int32(lane&1), q.Y+int32(lane>>1)
	set := w.ss().Of(x, y)
	return x<<raster.SubpixelBits + set.X[first], y<<raster.SubpixelBits + set.Y[first]
}

// pairOf picks the pair of an input.
func (w *worker) pairOf(in *fragmentInput) (i, j []float32) {
	b := &w.batch
	centroid := in.aux == ir.AtCentroid && b.shares < w.plan.samples
	switch {
	case centroid && in.interp == ir.Linear:
		return b.cx, b.cy
	case centroid:
		return b.ci, b.cj
	case in.interp == ir.Linear:
		return b.li, b.lj
	}
	return b.i, b.j
}

// coords computes FragCoord.
//
// RAS-288 interfaces-builtin-variables-fragcoord
func (w *worker) coords(link *linkage, s *raster.Setup, quads []raster.Quad, sample int) {
	b := &w.batch
	n := 4 * len(quads)
	x, y, z, iw := w.coordRows(link, n)
	if sample == none {
		s.FragCoord(quads, x, y, z, iw)
		return
	}
	raster.SamplePositions(quads, w.ss(), sample, b.x[:n], b.y[:n])
	s.FragCoordAt(b.x[:n], b.y[:n], x, y, z, iw)
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

// pointCoord fills a component of PointCoord (RAS-191).
func (w *worker) pointCoord(s *raster.Setup, quads []raster.Quad, sample int, comp uint32, dst []uint32) {
	b := &w.batch
	n := len(dst)
	u, v := b.u[:n], b.v[:n]
	if sample == none {
		s.PointCoord(quads, u, v)
	} else {
		raster.SamplePositions(quads, w.ss(), sample, b.x[:n], b.y[:n])
		s.PointCoordAt(b.x[:n], b.y[:n], u, v)
	}
	if comp == 1 {
		u = v
	}
	for i, f := range u {
		dst[i] = math.Float32bits(f)
	}
}

// builtin fills an input that does not come from coordinates.
func (w *worker) builtin(dst []uint32, in *fragmentInput, s *raster.Setup, rec *primRec, c *chunk, quads []raster.Quad, full []uint64, sample int) {
	switch in.kind {
	case inputSampleID: // RAS-179, RAS-291
		fill(dst, uint32(max(sample, 0)))
	case inputSamplePosition: // RAS-119, RAS-291
		at := max(sample, 0)
		for i := range dst {
			ss := w.ss().Of(quads[i/4].X+int32(i&1), quads[i/4].Y+int32(i>>1&1))
			v := ss.X[at]
			if in.comp == 1 {
				v = ss.Y[at]
			}
			dst[i] = math.Float32bits(float32(v) / raster.Subpixels)
		}
	case inputFullyCovered:
		for i := range dst {
			dst[i] = maskOf(s.FullyCovered(c.extra, quads[i/4].X+int32(i&1), quads[i/4].Y+int32(i>>1&1)))
		}
	case inputSampleMask: // RAS-290
		// RAS-302: before the depth test, or with PostDepthCoverage after it;
		// helpers see 0.
		for i := range dst {
			m := fragops.PixelMask(quads[i/4].Mask, i%4)
			switch {
			case in.comp != 0:
				m = 0
			case m != 0 && !c.draw.state.postDepth:
				m = fragops.PixelMask(full[i/4]&c.draw.state.sampleMask, i%4)
			}
			dst[i] = m
		}
	case inputHelper:
		for i := range dst {
			dst[i] = maskOf(fragops.PixelMask(quads[i/4].Mask, i%4) == 0)
		}
	default:
		fill(dst, w.uniformInput(in, s, rec, c, nil))
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
	if err := w.runBatch(); err != nil {
		return w.x.during(b.draw, err)
	}
	if w.x.Stopped() {
		return w.x.during(b.draw, w.x.stopped())
	}
	w.sightShaded()
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
