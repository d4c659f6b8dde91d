package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/positions"
	texels "github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
)

// Primitives that nothing cuts and that lie in few tiles are most of all. Of these a
// chunk keeps a record and the places of vertices, a small part of a set-up; tiles make
// set-ups of them as they come to draw them.

// wholePlan places vertices of primitives that nothing cuts.
type wholePlan struct {
	placing int // the program of spots, in passPlan.List
	ctx     exec.Context
}

// addCompact says whether that can be done with the primitives of a state, and finds the programs
// of its positions.
func (s *drawState) addCompact(pl *passPlan) error {
	l := s.link
	compact := pl.density == nil && s.pipe.desc.Mesh == nil && s.raster[0].Whole() &&
		l.vs.oneViewport() && l.vs.layer == none && l.vs.rate == none && l.primitiveID == none &&
		len(l.vs.clip) == 0 && len(l.vs.cull) == 0 && !s.post[0].Moves()
	if s.outcodes = none; compact {
		s.whole = &wholePlan{}
	}
	x, post := pl.x, &s.post[0]
	if post.Moves() {
		return nil
	}
	compiled := func(r *exec.Routine, make func() (*ir.Program, error)) (int, error) {
		if *r == nil {
			p, err := make()
			if err != nil {
				return none, err
			}
			if *r, err = x.cfg.Engine.Compile(p); err != nil {
				return none, err
			}
		}
		return pl.Number(*r), nil
	}
	k := positions.OutcodeKey{DepthClip: post.DepthClip, NegativeOneToOne: post.NegativeOneToOne}
	var err error
	if s.outcodes, err = compiled(&x.outcodes[k.Index()], func() (*ir.Program, error) { return positions.Outside(k) }); err != nil || s.whole == nil {
		return err
	}
	push := positions.Push(&post.Viewport)
	s.whole.ctx = exec.Context{Push: push[:]}
	s.whole.placing, err = compiled(&x.placing, positions.Place)
	return err
}

// addAttributes finds the programs of the formats of attributes.
func (s *drawState) addAttributes(pl *passPlan) error {
	for i := range s.link.Fetch {
		a, program := &s.link.Fetch[i], none
		if !a.Instanced && a.Words == 0 {
			r, err := threads.Kept(pl.x.attributes, a.Info.Format, func() (*exec.Routine, error) {
				p, err := texels.Attribute(a.Info)
				if p == nil || err != nil {
					return new(exec.Routine), err
				}
				r, err := pl.x.cfg.Engine.Compile(p)
				return &r, err
			})
			if err != nil {
				return err
			}
			if *r != nil {
				program = pl.Number(*r)
			}
		}
		s.stages.Decoders = append(s.stages.Decoders, program)
	}
	return nil
}

// wholeCorners are what corners have besides of a compact state.
type wholeCorners struct {
	seen []uint32 // the primitives that are not gone
	// Of the vertices of those: snapped x and y, and whether they are beyond the guard band.
	x, y, far []uint32
	points    bool // what is kept are points
	dots      bool // and their dots
}

// seek finds the primitives of a block that are not gone, and the rows that they are among.
func (s *corners) seek(b *geometry.Stretch, stream uint8) (lo, hi int) {
	t := &s.whole
	t.seen = grow(t.seen, b.Taken())
	seen, n, o := t.seen, 0, s.outside[:b.Rows]
	if len(b.Spans) == 0 {
		for i := range b.Primitives {
			p := &b.Primitives[i]
			if p.Stream != stream || gone(o, p) { // RAS-062
				continue
			}
			seen[n] = uint32(i)
			n++
		}
		t.seen = seen[:n]
		return 0, b.Rows
	}
	if stream != 0 {
		t.seen = seen[:0]
		return 0, 0
	}
	switch b.Size {
	case 3:
		for i := uint32(0); len(o) >= 3; i++ {
			if o0, o1, o2 := o[0], o[1], o[2]; !vertexpost.Gone(raster.Outcode(o0&o1&o2), raster.Outcode(o0|o1|o2)) {
				seen[n] = i
				n++
			}
			o = o[3:]
		}
	case 2:
		for i := uint32(0); len(o) >= 2; i++ {
			if o0, o1 := o[0], o[1]; !vertexpost.Gone(raster.Outcode(o0&o1), raster.Outcode(o0|o1)) {
				seen[n] = i
				n++
			}
			o = o[2:]
		}
	default:
		for i, o := range o {
			if !vertexpost.Gone(raster.Outcode(o), raster.Outcode(o)) {
				seen[n] = uint32(i)
				n++
			}
		}
	}
	if t.seen = seen[:n]; n == 0 {
		return 0, 0
	}
	return int(seen[0]) * b.Size, (int(seen[n-1]) + 1) * b.Size
}

// place finds where vertices of rows lo to hi are.
func (w *binner) place(st *drawState, lo, hi int) {
	s := &w.corners
	t, n := &s.whole, len(s.outside)
	t.x, t.y, t.far = grow(t.x, n), grow(t.y, n), grow(t.far, n)
	if hi-lo >= fewRows {
		in := [][]uint32{s.position[0], s.position[1], s.position[3]}
		w.runRows(st.whole.placing, &st.whole.ctx, lo, hi, in, t.x, t.y, t.far)
		return
	}
	for i := lo; i < hi; i++ {
		if s.outside[i]&uint32(raster.OutW|raster.OutInvalid) != 0 {
			continue
		}
		get := func(k int) float32 { return math.Float32frombits(s.position[k][i]) }
		at, ok := s.post.Place(get(0), get(1), get(3))
		if t.x[i], t.y[i], t.far[i] = uint32(at.X), uint32(at.Y), 0; !ok {
			t.far[i] = 1
		}
	}
}

// fewRows is how many rows are not worth a program.
const fewRows = 16

// runRows runs a program on rows lo to hi of in.
func (w *binner) runRows(program int, ctx *exec.Context, lo, hi int, in [][]uint32, out ...[]uint32) {
	p, r := w.stages.Programs[program], &w.rows
	for at := lo; at < hi; at += p.Lanes {
		to := min(at+p.Lanes, hi)
		r.In, r.Out, r.N = r.In[:0], r.Out[:0], to-at
		for _, row := range in {
			r.In = append(r.In, row[at:to])
		}
		for _, row := range out {
			r.Out = append(r.Out, row[at:to])
		}
		if err := p.Run(ctx, r); err != nil {
			w.x.fail(w.x.during(nil, err))
		}
	}
}

// keepPlaces copies the places of the kept vertices into the chunk.
func (s *corners) keepPlaces(c *chunk) {
	t, n := &s.whole, len(c.places)
	c.places = growTo(c.places, n+len(s.kept))
	for i, v := range s.kept {
		p := &c.places[n+i]
		p.X, p.Y = int32(t.x[v]), int32(t.y[v])
		s.post.Deepen(p, math.Float32frombits(s.position[2][v]), math.Float32frombits(s.position[3][v]))
		if t.points {
			if p.W = 1; s.size != nil {
				p.W = float64(math.Float32frombits(s.size[v]))
			}
		}
	}
	if t.dots {
		for _, v := range s.kept {
			get := func(k int) float32 { return math.Float32frombits(s.position[k][v]) }
			c.dots = append(c.dots, s.post.Dot(get(0), get(1), get(3)))
		}
	}
}

// commitWhole takes the primitives of a block of a compact state; false where nothing is seen.
func (w *binner) commitWhole(c *chunk, b *geometry.Stretch) bool {
	st, s := c.draw.state, &w.corners
	t := &s.whole
	lo, hi := s.seek(b, st.link.stream)
	if len(t.seen) == 0 {
		return false
	}
	s.prepare(b.Rows)
	w.place(st, lo, hi)
	t.points = len(b.Spans) > 0 && b.Size == 1 || len(b.Spans) == 0 && b.Primitives[0].N == 1
	t.dots = t.points && st.link.needPoint
	find := st.raster[0].Finder()
	g, scissor := &w.plan.Grid, st.scissor[0]
	layer := int32(0)
	if w.plan.pass.ViewMask != 0 {
		layer = int32(c.params.View) // RAS-072
	}
	var spelled prim
	cursor := geometry.Cursor{Spans: b.Spans}
	o, xs, ys, far := s.outside, t.x, t.y, t.far
	for _, i := range t.seen {
		p := &spelled
		if len(b.Spans) == 0 {
			p = &b.Primitives[i]
		} else {
			cursor.Primitive(b, p, i)
		}
		v0, v1, v2 := p.V[0], p.V[1], p.V[2] // the first one again, where there are fewer
		if vertexpost.Cut(p.N, raster.Outcode(o[v0]|o[v1]|o[v2])) || far[v0]|far[v1]|far[v2] != 0 {
			w.commitPrimitive(c, b, p, int(i))
			continue
		}
		var r raster.Rect
		ok := true
		p0 := raster.Spot{X: int32(xs[v0]), Y: int32(ys[v0])}
		switch p.N {
		case 3:
			r, ok = find.Triangle(p0, raster.Spot{X: int32(xs[v1]), Y: int32(ys[v1])}, raster.Spot{X: int32(xs[v2]), Y: int32(ys[v2])})
		case 2:
			r = find.Line(p0, raster.Spot{X: int32(xs[v1]), Y: int32(ys[v1])})
		default:
			size := float32(1)
			if s.size != nil {
				size = math.Float32frombits(s.size[v0])
			}
			r = find.Point(p0, size)
		}
		if !ok {
			w.commitPrimitive(c, b, p, int(i))
			continue
		}
		if r.X0 >= r.X1 || r.Y0 >= r.Y1 {
			w.stats.Clipped++
			continue
		}
		box := tileBox{layer: layer}
		if x0, y0, x1, y1 := max(r.X0, scissor.X0), max(r.Y0, scissor.Y0), min(r.X1, scissor.X1), min(r.Y1, scissor.Y1); x0 < x1 && y0 < y1 {
			box.x0, box.y0 = (x0-g.X0)>>g.Shift, (y0-g.Y0)>>g.Shift
			box.x1, box.y1 = (x1-1-g.X0)>>g.Shift+1, (y1-1-g.Y0)>>g.Shift+1
			if (box.x1-box.x0 > 1 || box.y1-box.y0 > 1) && box.broad() {
				w.commitPrimitive(c, b, p, int(i))
				continue
			}
		}
		w.stats.Clipped++
		w.stats.Rasterized++
		if box.x0 >= box.x1 {
			continue
		}
		n := len(w.boxes)
		w.boxes = oneMore(w.boxes)
		w.boxes[n] = box
		c.items = append(c.items, uint32(len(c.recs)))
		w.record(c, p, p.ID, uint32(layer), 0, 0)
	}
	return true
}

// setups are those that the worker has made for its tile. There are too few for all of
// a tile, many enough that it does not matter that nothing is put off beyond them.
type setups struct {
	list [1024]raster.Setup
	n    int
	kept int // those before the run
	// A run of them, and the items that they are of.
	run     [32]*raster.Setup
	items   [32]uint32
	touched uint32
}

// nextSetups returns the set-ups of the next items of a tile, which stay until the
// end of the tile, unless dropRun drops them; none at the end of the list.
func (w *worker) nextSetups(c *chunk, list *merged) ([]*raster.Setup, error) {
	m, n := &w.setups, 0
	for ; n < len(m.items); n++ {
		i, ok := list.next()
		if !ok {
			break
		}
		m.items[n] = c.items[i]
	}
	if m.n+n > len(m.list) {
		// Nobody holds on to what is shaded and stored.
		if err := w.finishTile(); err != nil {
			return nil, err
		}
		w.tile.SettleAll()
		m.n = 0
	}
	w.touch(c, m.items[:n])
	m.kept = m.n
	for k, item := range m.items[:n] {
		if item >= made {
			m.run[k] = &c.setups[item&^made]
			continue
		}
		m.run[k] = &m.list[m.n]
		m.n++
		c.setUp(m.run[k], item)
	}
	return m.run[:n], nil
}

// dropRun gives the memory of the last run back, for the next one: nobody holds on to what has been drawn directly, and
// it is near.
func (w *worker) dropRun() { w.setups.n, w.frags.placed.setup = w.setups.kept, nil }

// touch reads of all items what will be needed: memory has it ready by then, while one
// after the other would be waited for.
func (w *worker) touch(c *chunk, items []uint32) {
	sum, stride := uint32(0), len(c.draw.state.link.attrs)
	for _, item := range items {
		if item < made {
			sum += c.recs[item].v[0] + uint32(c.recs[item].n) // its ends
		}
	}
	for _, item := range items {
		if item >= made {
			continue
		}
		rec := &c.recs[item]
		for _, v := range rec.v[:rec.n] {
			sum += uint32(c.places[v].X)
			if stride > 0 {
				sum += c.attrs[int(v)*stride]
			}
			if len(c.dots) > 0 {
				sum += uint32(c.dots[v].FX)
			}
		}
	}
	w.setups.touched = sum
}

// setUp makes the set-up of a record.
func (c *chunk) setUp(s *raster.Setup, of uint32) {
	state, rec := &c.draw.state.raster[0], &c.recs[of]
	switch rec.n {
	case 3:
		v := [3]*raster.Projected{&c.places[rec.v[0]], &c.places[rec.v[1]], &c.places[rec.v[2]]}
		provoking := uint8(0)
		for rec.v[provoking] != rec.provoking {
			provoking++
		}
		s.SetTriangle(&v, provoking, state, of)
	case 2:
		s.SetLine(&c.places[rec.v[0]], &c.places[rec.v[1]], state, of)
	default:
		dot := raster.Dot{}
		if len(c.dots) > 0 {
			dot = c.dots[rec.v[0]]
		}
		s.SetPoint(&c.places[rec.v[0]], dot, state, of)
	}
}
