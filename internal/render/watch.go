package render

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// A pass can be asked to tell how samples came to their values. It is carried out as always, with
// these differences: primitives are looked at one by one on their way to the tiles, and those that
// come near a watched pixel are drawn alone, where what happens to the pixel is written down. Nothing
// is drawn twice, so what is told is what happened; and values have the same bits on either way.

// watcher tells of watched samples what its worker does to them.
type watcher struct {
	w      *worker
	poly   raster.Polygon
	seg    raster.Segment
	point  raster.Point
	own    [3]raster.Vertex
	setups []raster.Setup
	extra  []raster.HalfPlane
	found  raster.Coverage
	// Where primitives are looked for (see aim): samples of the pixels of rect, in fragments of a size.
	rect raster.Rect
	ss   *raster.SampleSet
	size rates.Rate

	rows struct { // of the block at work
		keys  []geometry.VertexKey
		spans []geometry.Span
		size  uint32
		first uint32 // of the draw, which spans count from
	}
	chunk  int             // that is drawn, in the executor's pool
	at     noted           // the next note that settle looks at
	seen   []*sight        // of the primitive that is drawn; none: it is not watched
	traced *threads.Runner // takes the place of its fragment shader; nil: it tells nothing
	// storing is the chunk at work where its fragments tell what they store to memory; else nil.
	storing *chunk
}

// watched says that the pass is to tell of a sample of this tile.
func (pl *passPlan) watched(layer int, r raster.Rect) bool {
	for _, v := range pl.pass.Watches {
		if v.Layer == layer && watch.Contains(r, v.X, v.Y) {
			return true
		}
	}
	return false
}

// nameRows notes which vertices the rows of the vertex stage's block are.
func (m *watcher) nameRows(c *chunk) {
	r := &m.rows
	f := &m.w.binner.stages.Feed
	r.keys, r.spans, r.size = nil, nil, uint32(c.draw.state.stages.Vertices)
	switch {
	case c.draw.state.stages.Wide || c.draw.state.stages.Mesh != none:
	case len(f.Spans) > 0 && f.Draw.IndexSize == 0:
		r.spans, r.first = f.Spans, f.Params.First
	default:
		r.keys = m.w.binner.stages.Keys
	}
}

// vertexOf is the vertex in a row: its index, and the ordinal of its instance; -1 where that is not known.
func (m *watcher) vertexOf(row uint32) (vertex, instance int) {
	r := &m.rows
	if int(row) < len(r.keys) {
		return int(r.keys[row].Vertex), int(r.keys[row].Instance)
	}
	first := uint32(0)
	for _, s := range r.spans {
		if n := s.Count * r.size; row-first < n {
			return int(r.first + s.First + row - first), int(s.Instance)
		}
		first += s.Count * r.size
	}
	return -1, -1
}

// witness looks at a primitive that has been committed: rec is its record, none where there is none.
func (m *watcher) witness(
	c *chunk, b *geometry.Stretch, p *prim, to target, layer uint32, rec int,
) {
	w := m.w
	t := c.book.Of(c.draw.Index)
	t.Primitives++
	var stages func() []explain.Shader
	if where := m.unseen(c, p, to); where != "" {
		first := func() explain.Primitive { return m.primitive(c, b, p, to, int(layer)) }
		t.Unseen = watch.AddUnseen(t.Unseen, where, 1, first)
	}
	for _, v := range w.plan.pass.Watches {
		if v.Resolved || uint32(v.Layer) != layer && !w.plan.bare ||
			to.viewport >= uint32(len(c.draw.state.post)) {
			continue
		}
		n := &watch.Note{Watch: v, Draw: c.draw.Index, Rec: rec}
		if !m.near(c, p, int(to.viewport), v, n) {
			continue
		}
		own := t.Of(v)
		own.Near++
		if n.F.Outcome == explain.Missed { // its position is no number
			if own.Lost++; own.Lost > watch.MaxLost {
				continue
			}
		}
		if len(own.Notes) == watch.MaxFragments {
			old := own.Notes[watch.MaxFragments/2]
			old.Gone, old.F = true, explain.Fragment{}
			own.Notes = slices.Delete(own.Notes, watch.MaxFragments/2, watch.MaxFragments/2+1)
			own.Dropped++
		}
		own.Notes = append(own.Notes, n)
		w.plan.notes.Add(1)
		m.tellPrimitive(c, b, p, to, n)
		if n.F.Outcome == "" {
			n.Would = m.wouldCover(c, p, int(to.viewport), v)
		}
		if n.F.Outcome == "" {
			n.Ghost = m.ghost(c, p, int(to.viewport), n)
		} else {
			n.F.Stopped = []explain.Stop{{Cannot: "positions come from shaders"}}
		}
		if rec == none && n.F.Outcome == "" {
			m.tellLost(c, p, int(to.viewport), n)
		}
		n.Base = len(n.F.Steps)
		if v.Stages && c.draw.draw.Traced != nil {
			if stages == nil {
				stages = m.stages(c, b, p)
			}
			n.Stages = stages
		}
		c.book.Add(n)
	}
}

// unseen says where a primitive is that no pixel of the picture can show; "": one may. It leaves
// the primitive's
// corners in m.own.
func (m *watcher) unseen(c *chunk, p *prim, to target) string {
	st := c.draw.state
	if to.viewport >= uint32(len(st.post)) {
		return ""
	}
	vertices := m.cornersOf(p)
	st.post[to.viewport].Project(vertices)
	return watch.Where(vertices, &st.Raster[to.viewport], m.w.plan.Area,
		rectOf(st.dynamic.Scissors[to.viewport]))
}

// near says that a primitive comes near the pixel, or would, were nothing clipped or culled. It leaves the
// primitive's corners in m.own.
func (m *watcher) near(c *chunk, p *prim, viewport int, v *watch.Watch, n *watch.Note) bool {
	st := c.draw.state
	m.aim(st, viewport, v)
	vertices := m.cornersOf(p)
	finite := true
	for k := range vertices {
		for _, f := range vertices[k].Pos {
			finite = finite && f-f == 0
		}
	}
	if !finite {
		n.F.Outcome = explain.Missed
		return true
	}
	// As it is, and as it would be; outlines have other edges where they are clipped.
	post, state := st.post[viewport], st.Raster[viewport]
	state.CullMode, state.Stipple, state.DepthBias = 0, raster.Stipple{}, raster.DepthBias{}
	post.Project(vertices)
	if m.covered(p, &post, &state, vertices) != 0 {
		return true
	}
	post.DepthClip, post.ClipDistances, post.CullDistances = false, 0, 0
	post.Project(m.cornersOf(p))
	if m.covered(p, &post, &state, vertices) != 0 {
		return true
	}
	state.Conservative, state.ExtraSize = vk.ConservativeRasterizationModeOverestimateEXT, 0
	if m.covered(p, &post, &state, vertices) != 0 {
		return true
	}
	// Filled, and then not clipped at all.
	if state.PolygonMode != vk.PolygonModeFill {
		post = st.post[viewport]
		post.Outline, post.Rectangle, state.PolygonMode = false, false, vk.PolygonModeFill
		post.Project(m.cornersOf(p))
		if m.covered(p, &post, &state, vertices) != 0 {
			return true
		}
	}
	state.ViewRect = watch.Everywhere
	return m.unclipped(p, &state, vertices) && m.cover() != 0
}

// unclipped sets a primitive of projected vertices up that nothing clips; false: it has to be clipped.
func (m *watcher) unclipped(p *prim, state *raster.State, vertices []raster.Vertex) bool {
	var c [3]raster.Corner
	for i := range vertices {
		v := &vertices[i]
		if v.Out&(raster.OutW|raster.OutGuard|raster.OutInvalid) != 0 {
			return false
		}
		c[i] = raster.Corner{X: v.X, Y: v.Y, Z: v.Z, InvW: v.InvW}
	}
	m.setups, m.extra = m.setups[:0], m.extra[:0]
	switch p.N {
	case 3:
		poly := raster.Polygon{N: 3, W: [3]float64{1, 1, 1}, Provoking: p.Provoking}
		copy(poly.C[:], c[:])
		m.setups, m.extra = raster.AppendPolygon(m.setups, m.extra, &poly, state, 0)
	case 2:
		seg := raster.Segment{A: c[0], B: c[1], U1: 1, W: [2]float64{1, 1}}
		m.setups, m.extra = raster.AppendSegment(m.setups, m.extra, &seg, state, 0)
	default:
		point := raster.Point{
			Corner: c[0],
			FX:     float64(c[0].X) / raster.Subpixels,
			FY:     float64(c[0].Y) / raster.Subpixels,
			Size:   vertices[0].Size,
		}
		m.setups, m.extra = raster.AppendPoint(m.setups, m.extra, &point, state, 0)
	}
	return true
}

// cornersOf takes the vertices of a primitive as the shader left them; to project one moves it.
func (m *watcher) cornersOf(p *prim) []raster.Vertex {
	s := &m.w.binner.corners
	vertices := m.own[:p.N]
	for k := range vertices {
		vertices[k] = *s.vertex(p.V[k])
		for c := range vertices[k].Pos {
			vertices[k].Pos[c] = math.Float32frombits(s.position[c][p.V[k]])
		}
	}
	return vertices
}

// aim says where primitives are looked for that may change a watched pixel. A density map moves the
// samples of its fragment, of which conservative modes cover all pixels, or none.
//
// RAS-127, RAS-134
func (m *watcher) aim(st *drawState, viewport int, v *watch.Watch) {
	pl, state := m.w.plan, &st.Raster[viewport]
	m.rect, m.ss, m.size = raster.Rect{X0: v.X, Y0: v.Y, X1: v.X + 1, Y1: v.Y + 1}, st.Locations, rates.Rate{}
	d := pl.density
	if d == nil {
		return
	}
	w, h := int32(1)<<d.w, int32(1)<<d.h
	x, y := v.X&^(w-1), v.Y&^(h-1)
	region := densityPart{
		raster.Rect{X0: x, Y0: y, X1: x + w, Y1: y + h},
		d.at(d.layer(pl.pass, v.Layer), x+w/2, y+h/2),
	}
	for _, part := range region.split(nil, state.ViewRect) {
		if watch.Contains(part.rect, v.X, v.Y) {
			m.size = part.rate
		}
	}
	m.ss = d.set(m.size)
	if state.Conservative != vk.ConservativeRasterizationModeDisabledEXT {
		w, h = 1<<m.size.W, 1<<m.size.H
		x, y = v.X&^(w-1), v.Y&^(h-1)
		m.rect = raster.Rect{X0: x, Y0: y, X1: x + w, Y1: y + h}
	}
}

// covered is the samples of the pixel that a primitive, of projected vertices, covers in this state.
func (m *watcher) covered(
	p *prim, post *vertexpost.Config, state *raster.State, vertices []raster.Vertex,
) uint64 {
	m.setups, m.extra = m.setups[:0], m.extra[:0]
	if !m.clip(p, post, vertices) {
		return 0
	}
	switch p.N {
	case 3:
		m.setups, m.extra = raster.AppendPolygon(m.setups, m.extra, &m.poly, state, 0)
	case 2:
		m.setups, m.extra = raster.AppendSegment(m.setups, m.extra, &m.seg, state, 0)
	default:
		m.setups, m.extra = raster.AppendPoint(m.setups, m.extra, &m.point, state, 0)
	}
	return m.cover()
}

// cover is the samples of the pixel that the set-ups cover.
func (m *watcher) cover() (mask uint64) {
	for i := range m.setups {
		mask |= m.coverOf(&m.setups[i])
	}
	return mask
}

// coverOf is the samples of the pixel that one set-up covers.
func (m *watcher) coverOf(s *raster.Setup) (any uint64) {
	m.found.Grow(raster.BlockPixels, raster.WordsOf(m.ss.N, false))
	s.Find(&m.found, m.extra, m.rect, m.ss)
	pixels := 0
	for k := range m.found.Blocks {
		pixels += bits.OnesCount64(m.found.Pixels(k))
		for sample, in := range m.found.Mask(k) {
			if in != 0 {
				any |= 1 << sample
			}
		}
	}
	if r := m.rect; s.Square.Under() && int32(pixels) != (r.X1-r.X0)*(r.Y1-r.Y0) {
		return 0
	}
	return any
}

// groupOf are the samples that belong to the watched one.
func (st *drawState) groupOf(v *watch.Watch) uint64 {
	if v.Attachment < 0 {
		return 1 << v.Sample
	}
	size := max(st.Coverage[v.Attachment].Group, 1)
	return (1<<size - 1) << (v.Sample * size)
}

// clip clips a primitive of projected vertices; false: nothing is left of it.
func (m *watcher) clip(p *prim, post *vertexpost.Config, vertices []raster.Vertex) bool {
	m.poly.N, m.poly.Provoking = 0, p.Provoking
	switch p.N {
	case 3:
		return post.Triangle(&m.poly, &vertices[0], &vertices[1], &vertices[2])
	case 2:
		return post.Line(&m.seg, &vertices[0], &vertices[1])
	}
	return post.Point(&m.point, &vertices[0])
}

// collect moves the notes of the chunks that have been drawn to their watches.
func (pl *passPlan) collect(chunks []*chunk) {
	for _, c := range chunks {
		for _, n := range c.book.Notes {
			if n.Gone {
				continue
			}
			pl.add(n)
			for _, more := range n.More {
				pl.add(more)
			}
		}
		for draw, t := range c.book.Tally {
			for _, v := range pl.pass.Watches {
				if v.Resolved {
					continue
				}
				d := v.Event(draw).Draw
				d.Primitives += t.Primitives
				d.Elsewhere += t.Primitives
				for _, u := range t.Unseen {
					d.Unseen = watch.AddUnseen(d.Unseen, u.Where, u.Primitives,
						func() explain.Primitive { return u.First })
				}
				if own := t.At[v]; own != nil {
					d.Elsewhere -= own.Near
					v.Dropped += own.Dropped
				}
			}
		}
		c.book = watch.Notebook{}
	}
	pl.notes.Store(0)
	pl.held.Store(0)
}

// add adds the fragment of a note to its draw, which takes its outcome from it; of many, those in the middle go.
func (pl *passPlan) add(n *watch.Note) {
	v, f := n.Watch, &n.F
	e := v.Event(n.Draw)
	if f.Outcome == "" { // no tile has seen it
		st := pl.draws[n.Draw].state
		scissor := rectOf(st.dynamic.Scissors[f.Primitive.Viewport])
		if n.Would.Whole&st.groupOf(v) == 0 || !watch.TellScissor(pl.Area, scissor, v, f) {
			state, k := &st.Raster[f.Primitive.Viewport], bits.TrailingZeros64(st.groupOf(v))
			watch.TellUncovered(f, state, &n.Would, n.Would.Whole, v, k, pl.Samples)
		}
	}
	if n.Ghost != nil && !watch.Contains(pl.Area, v.X, v.Y) { // no tile has its turn
		f.Stopped = []explain.Stop{{Cannot: "the render area is the pass's"}}
	}
	watch.EndStopped(f)
	n.TellStages()
	v.Add(e, f)
}
