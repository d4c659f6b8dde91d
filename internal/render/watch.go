package render

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/tile"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// A pass can be asked to tell how samples came to their values. It is carried out as always, with
// these differences: primitives are looked at one by one on their way to the tiles, and those that
// come near a watched pixel are drawn alone, where what happens to the pixel is written down. Nothing
// is drawn twice, so what is told is what happened; and values have the same bits on either way.

// Watch asks for the history of one sample of an attachment.
type Watch struct {
	// Attachment is the colour attachment, or DepthStencil.
	Attachment int
	X, Y       int32
	Layer      int // of the pass; the view, in multiview passes
	Sample     int
	// Resolved: the sample is the only one of the resolve target.
	Resolved bool
	// Shader asks for the instructions of shaders, too, and Quad for their values in the whole quad.
	Shader, Quad bool

	// Steps is how many instructions of shaders may still be told, of all watches that share it; nil: any number.
	Steps *atomic.Int64

	start explain.Value // what it held when the pass began
	// How many events, and fragments of them, are kept: the last ones. kept are the fragments.
	maxEvents, maxKept, kept int

	// Events are what the pass did to the sample, in order. Their Index is that of the draw; -1 at
	// the beginning and the end of the pass.
	Events []explain.Event
	// Dropped counts events and fragments that were left out (see limits).
	Dropped int
}

// DepthStencil as a Watch's Attachment is depth and stencil.
const DepthStencil = -1

// Limits. maxFragments is how many fragments of a draw are told, the first and the last ones, maxLost how many
// primitives that are nowhere: their positions are no numbers. With more than maxRound notes a round ends.
// WatchedEvents and WatchedFragments are what all watches of a pass keep together; each has its share, but
// never less than minKept.
const (
	maxFragments, maxLost, maxRound = 64, 4, 1 << 14

	WatchedEvents, WatchedFragments, minKept = 1 << 16, 1 << 15, 64
)

// note is a primitive at a watched pixel.
type note struct {
	watch *Watch
	draw  int
	rec   int // in the chunk; none: it did not come as far as the tiles
	f     explain.Fragment
	gone  bool    // there were too many
	base  int     // of the steps: those that tell which primitive it is
	more  []*note // of further parts of it that cover the sample, as outlines have them
	would would
}

// tally counts the primitives of a draw.
type tally struct {
	primitives int
	at         map[*Watch]*ownTally
}

// ownTally is what of a tally is one watch's.
type ownTally struct {
	near, lost, dropped int
	notes               []*note // the first and the last ones
}

// of returns a watch's share.
func (t *tally) of(v *Watch) *ownTally {
	if t.at[v] == nil {
		t.at[v] = &ownTally{}
	}
	return t.at[v]
}

// notebook is what a chunk has for watches.
type notebook struct {
	notes []*note
	tally map[int]*tally // by draw
	byRec map[int][]*note
}

// add keeps a note.
func (b *notebook) add(n *note) {
	b.notes = append(b.notes, n)
	if n.rec == none {
		return
	}
	if b.byRec == nil {
		b.byRec = map[int][]*note{}
	}
	b.byRec[n.rec] = append(b.byRec[n.rec], n)
}

// of returns the tally of a draw.
func (b *notebook) of(draw int) *tally {
	if b.tally == nil {
		b.tally = map[int]*tally{}
	}
	t := b.tally[draw]
	if t == nil {
		t = &tally{at: map[*Watch]*ownTally{}}
		b.tally[draw] = t
	}
	return t
}

// watcher tells of watched samples what its worker does to them.
type watcher struct {
	w      *worker
	poly   raster.Polygon
	seg    raster.Segment
	point  raster.Point
	own    [3]raster.Vertex
	setups []raster.Setup
	extra  []raster.HalfPlane
	quads  [4]raster.Quad
	// Where primitives are looked for (see aim): samples of the pixels of rect, in fragments of a size.
	rect raster.Rect
	ss   *raster.SampleSet
	size rate

	rows struct { // of the block at work
		keys  []geometry.VertexKey
		spans []geometry.Span
		size  uint32
	}
	seen   []*sight        // of the primitive that is drawn; none: it is not watched
	traced *threads.Runner // takes the place of its fragment shader; nil: it tells nothing
}

// watched says that the pass is to tell of a sample of this tile.
func (pl *passPlan) watched(layer int, r raster.Rect) bool {
	for _, v := range pl.pass.Watches {
		if v.Layer == layer && contains(r, v.X, v.Y) {
			return true
		}
	}
	return false
}

func contains(r raster.Rect, x, y int32) bool { return x >= r.X0 && x < r.X1 && y >= r.Y0 && y < r.Y1 }

// nameRows notes which vertices the rows of the vertex stage's block are.
func (m *watcher) nameRows(c *chunk, b *geometry.Stretch) {
	r := &m.rows
	r.keys, r.spans, r.size = nil, nil, uint32(max(b.Size, 1))
	switch {
	case c.draw.state.stages.Wide || c.draw.stages.Mesh.Routine != none:
	case len(b.Spans) > 0:
		r.spans = b.Spans
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
			return int(s.Vertex + row - first), int(s.Instance)
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
	t := c.book.of(c.draw.index)
	t.primitives++
	for _, v := range w.plan.pass.Watches {
		if v.Resolved || uint32(v.Layer) != layer && !w.plan.bare || to.viewport >= uint32(len(c.draw.state.post)) {
			continue
		}
		n := &note{watch: v, draw: c.draw.index, rec: rec}
		if !m.near(c, p, int(to.viewport), v, n) {
			continue
		}
		own := t.of(v)
		own.near++
		if n.f.Outcome == explain.Missed { // its position is no number
			if own.lost++; own.lost > maxLost {
				continue
			}
		}
		if len(own.notes) == maxFragments {
			old := own.notes[maxFragments/2]
			old.gone, old.f = true, explain.Fragment{}
			own.notes = slices.Delete(own.notes, maxFragments/2, maxFragments/2+1)
			own.dropped++
		}
		own.notes = append(own.notes, n)
		w.plan.notes.Add(1)
		m.tellPrimitive(c, b, p, to, n)
		if n.f.Outcome == "" {
			n.would = m.wouldCover(c, p, int(to.viewport), v)
		}
		if rec == none && n.f.Outcome == "" {
			m.tellLost(c, p, int(to.viewport), n)
		}
		n.base = len(n.f.Steps)
		c.book.add(n)
	}
}

// near says that a primitive comes near the pixel, or would, were nothing clipped or culled. It leaves the
// primitive's corners in m.own.
func (m *watcher) near(c *chunk, p *prim, viewport int, v *Watch, n *note) bool {
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
		n.f.Outcome = explain.Missed
		return true
	}
	// As it is, and as it would be; outlines have other edges where they are clipped.
	post, state := st.post[viewport], st.raster[viewport]
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
	// Not clipped at all, and filled.
	state.PolygonMode, state.ViewRect = vk.PolygonModeFill, everywhere
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
		point := raster.Point{Corner: c[0], FX: float64(c[0].X) / raster.Subpixels, FY: float64(c[0].Y) / raster.Subpixels, Size: vertices[0].Size}
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
// RAS-127, RAS-131, RAS-134
func (m *watcher) aim(st *drawState, viewport int, v *Watch) {
	pl, state := m.w.plan, &st.raster[viewport]
	m.rect, m.ss, m.size = raster.Rect{X0: v.X, Y0: v.Y, X1: v.X + 1, Y1: v.Y + 1}, st.ss, rate{}
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
		if contains(part.rect, v.X, v.Y) {
			m.size = part.rate
		}
	}
	m.ss = d.set(m.size)
	if state.Conservative != vk.ConservativeRasterizationModeDisabledEXT {
		w, h = 1<<m.size.w, 1<<m.size.h
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
		s := &m.setups[i]
		any, pixels := uint64(0), int32(0) // of the first part: squares have all samples, or none
		for part := range m.ss.Parts() {
			for k := range s.Cover(m.quads[:], m.extra, m.rect, m.ss.Part(part)) {
				for lane := range 4 {
					one := uint64(fragops.PixelMask(m.quads[k].Mask, lane))
					if any |= one << (part * raster.QuadSamples); one != 0 && part == 0 {
						pixels++
					}
				}
			}
		}
		if r := m.rect; !s.Square.Under() || pixels == (r.X1-r.X0)*(r.Y1-r.Y0) {
			mask |= any
		}
	}
	return mask
}

// groupOf are the samples that belong to the watched one.
func (st *drawState) groupOf(v *Watch) uint64 {
	if v.Attachment < 0 {
		return 1 << v.Sample
	}
	size := max(st.coverage[v.Attachment].Group, 1)
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
		for _, n := range c.book.notes {
			if n.gone {
				continue
			}
			pl.add(n)
			for _, more := range n.more {
				pl.add(more)
			}
		}
		for draw, t := range c.book.tally {
			for _, v := range pl.pass.Watches {
				if v.Resolved {
					continue
				}
				d := v.event(draw).Draw
				d.Primitives += t.primitives
				d.Elsewhere += t.primitives
				if own := t.at[v]; own != nil {
					d.Elsewhere -= own.near
					v.Dropped += own.dropped
				}
			}
		}
		c.book = notebook{}
	}
	pl.notes.Store(0)
}

// add adds the fragment of a note to its draw, which takes its outcome from it; of many, those in the middle go.
func (pl *passPlan) add(n *note) {
	v, f := n.watch, &n.f
	e := v.event(n.draw)
	if f.Outcome == "" { // no tile has seen it
		st := pl.draws[n.draw].state
		if n.would.whole&st.groupOf(v) == 0 || !pl.tellScissor(st, f.Primitive.Viewport, v, f) {
			tellUncovered(f, &st.raster[f.Primitive.Viewport], &n.would, n.would.whole, v, bits.TrailingZeros64(st.groupOf(v)), pl.Samples)
		}
	}
	switch {
	case f.Outcome == explain.Wrote:
		e.Outcome, e.Reason, e.After = explain.Wrote, "", f.After
	case f.Outcome == explain.Unchanged && e.Outcome != explain.Wrote:
		e.Outcome, e.Reason = explain.Unchanged, f.Reason
	case e.Outcome == "" || e.Outcome == explain.Missed:
		e.Outcome, e.Reason = explain.Missed, f.Reason
	}
	if f.Before.Bits != "" && e.Before.Bits == "" {
		e.Before = f.Before
	}
	d := e.Draw
	if v.kept++; len(d.Fragments) == maxFragments {
		d.Fragments = slices.Delete(d.Fragments, maxFragments/2, maxFragments/2+1)
		v.kept--
		v.Dropped++
	}
	if d.Fragments = append(d.Fragments, *f); v.kept > v.maxKept {
		v.strip(v.maxKept / 2)
	}
}

// strip leaves the events at most n fragments, those of the last draws.
func (v *Watch) strip(n int) {
	left := Strip(v.Events, v.kept, n)
	v.Dropped += v.kept - left
	v.kept = left
}

// Strip takes the fragments out of events, from the first on, until of kept there are at most n, and returns
// how many there are then.
func Strip(events []explain.Event, kept, n int) (left int) {
	for i := range events {
		if d := events[i].Draw; d != nil && kept > n {
			kept -= len(d.Fragments)
			d.Fragments = nil
		}
	}
	return kept
}

// event is the event of a draw. Of many, the older half goes.
func (v *Watch) event(draw int) *explain.Event {
	at, ok := slices.BinarySearchFunc(v.Events, draw, func(e explain.Event, draw int) int { return e.Index - draw })
	if ok {
		return &v.Events[at]
	}
	if len(v.Events) >= v.maxEvents && at == len(v.Events) {
		old := v.Events[:v.maxEvents/2]
		for i := range old {
			if d := old[i].Draw; d != nil {
				v.kept -= len(d.Fragments)
				v.Dropped += len(d.Fragments)
			}
		}
		v.Dropped += len(old)
		v.Events = slices.Clone(v.Events[len(old):])
		at = len(v.Events)
	}
	v.Events = slices.Insert(v.Events, at, explain.Event{Kind: explain.Draw, Index: draw, Draw: &explain.Drawn{}})
	return &v.Events[at]
}

// texelOf returns a copy of the bytes of the watched sample in a colour attachment, nil where there is none.
func (pl *passPlan) texelOf(v *Watch, attachment int) []byte {
	if attachment < 0 || attachment >= len(pl.Color) || pl.Color[attachment] == nil {
		return nil
	}
	a := pl.Color[attachment]
	if v.Resolved {
		return bytesAt(a.Resolve, v, a.Bytes, 0)
	}
	return bytesAt(a.Surfaces, v, a.Bytes, v.Sample)
}

func (pl *passPlan) depthOf(v *Watch) []byte   { return planeOf(pl.Depth, v) }
func (pl *passPlan) stencilOf(v *Watch) []byte { return planeOf(pl.Stencil, v) }

func planeOf(a *tile.Attachment, v *Watch) []byte {
	switch {
	case a == nil:
		return nil
	case v.Resolved:
		return bytesAt(a.Resolve, v, a.Bytes, 0)
	}
	return bytesAt(a.Surfaces, v, a.Bytes, min(v.Sample, a.Samples-1))
}

func bytesAt(list []fragops.Surface, v *Watch, n, sample int) []byte {
	if v.Layer >= len(list) {
		return nil
	}
	s := &list[v.Layer]
	at := s.Offset(int(v.X), int(v.Y), sample)
	if s.Data == nil || at < 0 || at+n > len(s.Data) {
		return nil
	}
	return slices.Clone(s.Data[at : at+n])
}

// area2 is twice the signed area of a polygon, subpixels squared: positive where it is counterclockwise.
func area2(p *raster.Polygon) (sum float64) {
	for i := range p.N {
		a, b := &p.C[i], &p.C[(i+1)%p.N]
		sum += float64(float64(a.X)*float64(b.Y)) - float64(float64(b.X)*float64(a.Y))
	}
	return -sum
}
