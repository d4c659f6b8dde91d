package render

import (
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
)

// commit takes a block of the last stage before rasterization into the chunk: what
// fragments need of its vertices, and the set-ups of its primitives. Blocks come
// in key order; everything that primitives do on their way to the tiles, whatever
// stages made them, begins here.
func (w *binner) commit(c *chunk, b *geometry.Stretch) {
	st := c.draw.state
	captures := c.draw.draw.Feedback != nil || w.plan.pass.CountStreams
	if len(w.plan.pass.Watches) > 0 {
		w.watching.nameRows(c)
	}
	if captures {
		b.Spell()
		w.capture(c, b)
	}
	if st.fate == discarded { // RAS-066
		return
	}
	if b.Taken() == 0 {
		return
	}
	w.stats.Primitives += uint64(st.reaches(b))
	if st.fate == traceless || st.fate == counted && c.draw.draw.Occlusion == 0 {
		return
	}
	s := &w.corners
	if !w.begin(c, b) {
		return
	}
	b.Spell()
	for k, from := w.opened, 0; from < len(b.Primitives); k++ {
		draw, to := c.draw, len(b.Primitives)
		if k+1 < c.present { // the last piece has all that is left
			draw, to = c.pieces[k].draw, int(c.pieces[k].n-w.before)
		}
		if w.scissors = draw.scissors; st.whole != nil {
			w.commitWhole(c, b, from, to)
			from = to
		}
		for ; from < to; from++ {
			p := &b.Primitives[from]
			if p.Stream != st.link.stream { // RAS-062
				continue
			}
			o0, o1, o2 := s.outside[p.V[0]], s.outside[p.V[1]], s.outside[p.V[2]]
			if !s.rejects || len(w.plan.pass.Watches) > 0 ||
				!vertexpost.Gone(raster.Outcode(o0&o1&o2), raster.Outcode(o0|o1|o2)) {
				w.commitPrimitive(c, b, p, from)
			}
		}
	}
	s.keep(c, b)
}

// reaches is how many primitives of a block reach clipping: those of the stream that is rasterized.
//
// RAS-359 queries-pipestats
func (s *drawState) reaches(b *geometry.Stretch) (n int) {
	if s.pipe.desc.Geometry == nil && s.link.stream == 0 {
		return b.Taken() // all are of that stream
	}
	for i := range b.Primitives {
		if b.Primitives[i].Stream == s.link.stream { // RAS-062
			n++
		}
	}
	return n
}

// corners are the vertices of a block on their way into the chunk. Most primitives
// draw nothing, so a vertex is taken when the first primitive comes that is not
// beyond the view volume, and its attributes are kept if one was set up.
type corners struct {
	post     *vertexpost.Config // of all primitives; nil where they differ
	view     int                // none without multiview
	position [4][]uint32
	zeros    []uint32
	size     []uint32       // nil: 1
	dist     [][]uint32     // clip and cull distances, some nil
	outside  []uint32       // outcodes
	some     raster.Outcode // of them together
	rejects  bool           // outside and some are filled
	verts    []raster.Vertex
	taken    []bool
	whole    wholeCorners // of a compact state
	row      []uint32     // in the chunk, plus 1; 0 where it is not kept
	kept     []uint32     // vertices in the order of their rows
}

// begin prepares for the vertices of a block, and finds where they lie to the view volume, and where
// on the screen; false where all are beyond one side of the volume, and nobody watches.
func (w *binner) begin(c *chunk, b *geometry.Stretch) bool {
	st := c.draw.state
	s, n, vs := &w.corners, b.Rows, &st.link.vs
	get := func(slot int) []uint32 {
		if slot == none {
			return nil
		}
		return b.Out[slot][:n]
	}
	if s.view = none; w.plan.pass.ViewMask != 0 {
		s.view = int(c.params.View)
	}
	for k, slot := range vs.positionOf(s.view) {
		if s.position[k] = get(slot); slot == none {
			s.zeros = append(s.zeros, make([]uint32, max(n-len(s.zeros), 0))...)
			s.position[k] = s.zeros[:n]
		}
	}
	s.size, s.dist = get(vs.size), s.dist[:0]
	for _, slot := range vs.clip {
		s.dist = append(s.dist, get(slot))
	}
	for _, slot := range vs.cull {
		s.dist = append(s.dist, get(slot))
	}
	s.post = nil
	if vs.oneViewport() && st.link.ofPrimitive.viewport == none {
		s.post = &st.post[0]
	}
	s.verts, s.taken = geometry.Grow(s.verts, n), geometry.Grow(s.taken, n)
	s.row, s.kept = geometry.Grow(s.row, n), s.kept[:0]
	clear(s.taken)
	clear(s.row)
	s.outside = geometry.Grow(s.outside, n)
	// A pattern goes on along lines that cannot be seen.
	if s.rejects = s.post != nil && st.Raster[0].Stipple.Factor == 0 && !s.post.Moves(); !s.rejects {
		return true
	}
	w.runRows(st.outcodes, &threads.NoDescriptors, s.position[:], s.outside)
	all, some := ^uint32(0), uint32(0)
	for _, o := range s.outside {
		all, some = all&o, some|o
	}
	if s.some = raster.Outcode(some); vertexpost.Gone(raster.Outcode(all), 0) && len(w.plan.pass.Watches) == 0 {
		return false
	}
	if t := &s.whole; st.whole != nil {
		t.x, t.y, t.far = geometry.Grow(t.x, n), geometry.Grow(t.y, n), geometry.Grow(t.far, n)
		in := [][]uint32{s.position[0], s.position[1], s.position[3]}
		w.runRows(st.whole.placing, &st.whole.ctx, in, t.x, t.y, t.far)
	}
	return true
}

// vertex returns a vertex, projected where all primitives have one viewport.
func (s *corners) vertex(i uint32) *raster.Vertex {
	v := &s.verts[i]
	if s.taken[i] {
		return v
	}
	s.taken[i] = true
	v.Size = 1
	if s.size != nil {
		v.Size = math.Float32frombits(s.size[i])
	}
	for k := range v.Pos {
		v.Pos[k] = math.Float32frombits(s.position[k][i])
	}
	for k, d := range s.dist {
		v.Dist[k] = 0
		if d != nil {
			v.Dist[k] = math.Float32frombits(d[i])
		}
	}
	if s.post != nil {
		s.post.Project(s.verts[i : i+1])
	}
	return v
}

// keep copies the attributes of the kept vertices into the chunk, and of a compact state their places.
func (s *corners) keep(c *chunk, b *geometry.Stretch) {
	st, n := c.draw.state, len(c.places)
	attrs, at := st.Link.Attrs, len(c.Attrs)
	c.Attrs = slices.Grow(c.Attrs, len(s.kept)*len(attrs))[:c.rows*len(attrs)]
	keepRows(c.Attrs[at:], b.Out, attrs, s.kept)
	if st.whole == nil {
		return
	}
	points := b.Primitives[0].N == 1
	c.places = slices.Grow(c.places, len(s.kept))[:n+len(s.kept)]
	places, post, t := c.places[n:], s.post, &s.whole
	zs, ws := s.position[2], s.position[3]
	for i, v := range s.kept {
		p := &places[i]
		p.X, p.Y = int32(t.x[v]), int32(t.y[v])
		post.Deepen(p, math.Float32frombits(zs[v]), math.Float32frombits(ws[v]))
		if points {
			if p.W = 1; s.size != nil {
				p.W = float64(math.Float32frombits(s.size[v]))
			}
		}
	}
	if points && st.link.needPoint {
		get := func(k int, v uint32) float32 { return math.Float32frombits(s.position[k][v]) }
		for _, v := range s.kept {
			c.dots = append(c.dots, s.post.Dot(get(0, v), get(1, v), get(3, v)))
		}
	}
}

// keepRows makes the words of vertices lie side by side. It is not put into its caller, which has no
// registers left for what the loop takes.
//
//go:noinline
func keepRows(to []uint32, rows [][]uint32, slots []int, kept []uint32) {
	for k, slot := range slots {
		from, at := rows[slot], k
		for _, v := range kept {
			to[at] = from[v]
			at += len(slots)
		}
	}
}

// prim is a primitive on its way into the chunk.
type prim = geometry.Primitive

// target is where a primitive goes, and what else one output says for all of it.
type target struct{ id, layer, viewport, rate uint32 }

// commitPrimitive clips p, primitive i of a block, and makes its set-ups, once for each of
// its viewports.
//
// RAS-045, RAS-070
func (w *binner) commitPrimitive(c *chunk, b *geometry.Stretch, p *prim, i int) {
	st := c.draw.state
	vs := &st.link.vs
	if p.N == 2 && p.Flags&assembly.FlagRunStart != 0 {
		c.startStipple(&st.Raster[0])
	}
	from := p.V[p.Provoking]
	of := func(slot int) uint32 {
		if slot == none {
			return 0
		}
		return b.Out[slot][from]
	}
	to := target{p.ID, of(vs.layer), of(vs.viewport), of(vs.rate)} // RAS-070, RAS-071
	if slot := st.link.primitiveID; slot != none {
		to.id = b.Out[slot][from]
	}
	if st.pipe.desc.Mesh != nil {
		to.id, to.layer, to.viewport, to.rate = st.link.ofPrimitive.take(b, i)
	}
	if slot := vs.maskOf(w.corners.view); slot != none {
		w.commitCopies(c, b, p, i, to, b.Out[slot][from])
		return
	}
	w.commitCopy(c, b, p, i, to)
}

// commitCopy does so for one viewport.
func (w *binner) commitCopy(c *chunk, b *geometry.Stretch, p *prim, i int, to target) {
	st, n, layer := c.draw.state, len(c.Recs), to.layer
	if st.link.vs.relative && to.viewport < uint32(len(st.post)) && layer < uint32(w.plan.Layers) { // no sum is too large
		layer += to.viewport
	}
	if w.plan.pass.ViewMask != 0 {
		layer = c.params.View // RAS-072
	}
	w.commitTo(c, b, p, i, to, layer)
	if len(w.plan.pass.Watches) == 0 {
		return
	}
	rec := none
	if len(c.Recs) > n {
		rec = n
	}
	w.watching.witness(c, b, p, to, layer, rec)
}

// commitTo does so for one layer.
func (w *binner) commitTo(c *chunk, b *geometry.Stretch, p *prim, i int, to target, layer uint32) {
	st, s, viewport := c.draw.state, &w.corners, to.viewport
	// RAS-070, RAS-071: out of range drops the primitive. Without attachments no layer
	// is: shaders may store what they like where they like, and what programs call the
	// number of layers then (OpenGL's through zink: 1) says nothing.
	layers, tiles := uint32(w.plan.Layers), int32(layer)
	if w.plan.bare {
		layers, tiles = maxRecordLayers, 0
	}
	if layer >= layers || viewport >= uint32(len(st.post)) {
		return
	}

	v := [3]*raster.Vertex{}
	for k := range v {
		v[k] = s.vertex(p.V[k])
	}
	if s.post == nil {
		for k := range v {
			w.own[k] = *v[k]
			v[k] = &w.own[k]
		}
		st.post[viewport].Project(w.own[:p.N])
	}
	before := len(c.setups)
	w.primitive(c, p, uint32(len(c.Recs)), int(viewport), v)
	if len(c.setups) > before {
		w.stats.Rasterized++
	}
	// Set-ups that no tile can see are dropped at once.
	kept := before
	to.layer = layer
	for k := before; k < len(c.setups); k++ {
		if !w.box(c, w.plan.bounds(&c.setups[k]), &w.plan.scissors[w.scissors+viewport], tiles) {
			continue
		}
		if kept != k {
			c.setups[kept] = c.setups[k]
		}
		kept++
		w.record(c, p, &to, uint32(kept))
		for _, slot := range st.Link.Flat {
			c.Flat = append(c.Flat, b.OfPrimitive[slot][i])
		}
	}
	c.setups = c.setups[:kept]
}

// maxRecordLayers is how many layers a record can tell apart.
const maxRecordLayers = 1 << 16

// record appends what fragments need of a primitive; setup is that of fragment.Primitive.
//
// RAS-067, RAS-068
func (w *binner) record(c *chunk, p *prim, to *target, setup uint32) {
	st, s := c.draw.state, &w.corners
	n := len(c.Recs)
	c.Recs = slices.Grow(c.Recs, 1)[:n+1]
	r := &c.Recs[n] // field by field: a struct would be made elsewhere and copied
	r.ID, r.Setup, r.N, r.Provoking, r.First = to.id, setup, p.N, p.Provoking, p.Provoking
	r.Scissor = w.scissors + to.viewport
	r.Layer, r.Viewport, r.Rate = uint16(to.layer), uint16(to.viewport), uint8(to.rate)
	for k, v := range p.V {
		if s.row[v] == 0 { // from now on it is kept
			c.rows++
			s.row[v] = uint32(c.rows)
			s.kept = append(s.kept, v)
		}
		r.V[k] = s.row[v] - 1
	}
	if st.stages.LastProvokes {
		r.First = (p.Provoking + 1) % p.N // RAS-182: the provoking vertex comes last
	}
}

// primitive clips one primitive and appends its set-ups to the chunk.
//
// RAS-045
func (w *binner) primitive(c *chunk, p *prim, rec uint32, viewport int, v [3]*raster.Vertex) {
	st := c.draw.state
	post, state := &st.post[viewport], &st.Raster[viewport]
	switch p.N {
	case 3:
		w.poly.Provoking = p.Provoking
		if post.Triangle(&w.poly, v[0], v[1], v[2]) {
			w.stats.Clipped++ // RAS-359
			c.setups, c.Extra = raster.AppendPolygon(c.setups, c.Extra, &w.poly, state, rec)
		}
	case 2:
		if state.Stipple.Factor != 0 {
			c.stipple(&w.seg, state, v[0], v[1])
		}
		if post.Line(&w.seg, v[0], v[1]) {
			w.stats.Clipped++ // RAS-359
			c.setups, c.Extra = raster.AppendSegment(c.setups, c.Extra, &w.seg, state, rec)
		}
	default:
		if post.Point(&w.point, v[0]) {
			w.stats.Clipped++ // RAS-359
			c.setups, c.Extra = raster.AppendPoint(c.setups, c.Extra, &w.point, state, rec)
		}
	}
}

// box appends the tiles that pixels of a layer inside the scissor lie in to w.boxes, for the next
// record of the chunk; false where there are none.
//
// RAS-098, RAS-367
func (w *binner) box(c *chunk, r raster.Rect, scissor *raster.Rect, layer int32) bool {
	x0, y0 := max(r.X0, scissor.X0), max(r.Y0, scissor.Y0)
	x1, y1 := min(r.X1, scissor.X1), min(r.Y1, scissor.Y1)
	if x0 >= x1 || y0 >= y1 {
		return false
	}
	n, g := len(w.boxes), &w.plan.Grid
	w.boxes = slices.Grow(w.boxes, 1)[:n+1]
	b := &w.boxes[n] // field by field: a struct would be made elsewhere and copied
	b.x0, b.y0 = (x0-g.X0)>>g.Shift, (y0-g.Y0)>>g.Shift
	b.x1, b.y1 = (x1-1-g.X0)>>g.Shift+1, (y1-1-g.Y0)>>g.Shift+1
	b.layer, b.item = layer, uint32(n)
	c.broad = c.broad || b.x1-b.x0+b.y1-b.y0 > 2 && b.broad()
	return true
}
