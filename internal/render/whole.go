package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/positions"
	texels "github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
)

// Primitives that nothing cuts and that lie in few tiles are most of all. Of these a
// chunk keeps a record and the places of vertices, a small part of a set-up; tiles make
// set-ups of them as they come to draw them.

// wholePlan places vertices of primitives that nothing cuts.
type wholePlan struct {
	placing int // the program of spots, in passPlan.List
	ctx     exec.Context
	find    raster.Finder
}

// addCompact says whether that can be done with the primitives of a state, and finds the programs
// of its positions.
func (s *drawState) addCompact(pl *passPlan) error {
	l := s.link
	compact := pl.density == nil && s.pipe.desc.Mesh == nil && s.Raster[0].Whole() &&
		l.vs.oneViewport() && l.vs.layer == none && l.vs.rate == none && l.primitiveID == none &&
		len(l.vs.clip) == 0 && len(l.vs.cull) == 0 && !s.post[0].Moves()
	if s.outcodes = none; compact {
		s.whole = &wholePlan{find: s.Raster[0].Finder()}
	}
	post := &s.post[0]
	if post.Moves() {
		return nil
	}
	k := positions.OutcodeKey{DepthClip: post.DepthClip, NegativeOneToOne: post.NegativeOneToOne}
	r, err := pl.Made.Routine(k, func() (*ir.Program, error) { return positions.Outside(k) })
	if s.outcodes = pl.Number(r); err != nil || s.whole == nil {
		return err
	}
	push := positions.Push(&post.Viewport)
	s.whole.ctx = exec.Context{Push: push[:]}
	r, err = pl.Made.Routine(placing{}, positions.Place)
	s.whole.placing = pl.Number(r)
	return err
}

// placing is the key of positions.Place, which has none.
type placing struct{}

// addAttributes finds the programs of the formats of attributes.
func (s *drawState) addAttributes(pl *passPlan) error {
	for i := range s.link.Fetch {
		a, program := &s.link.Fetch[i], none
		if !a.Instanced && a.Words == 0 {
			r, err := pl.Made.Routine(a.Info.Format, func() (*ir.Program, error) { return texels.Attribute(a.Info) })
			if err != nil {
				return err
			}
			program = pl.Number(r)
		}
		s.stages.Decoders = append(s.stages.Decoders, program)
	}
	return nil
}

// wholeCorners are what corners have besides of a compact state: snapped x and y, and whether they
// are beyond the guard band.
type wholeCorners struct{ x, y, far []uint32 }

// runRows runs a program on the rows of in.
func (w *binner) runRows(program int, ctx *exec.Context, in [][]uint32, out ...[]uint32) {
	p, r := w.stages.Programs[program], &w.rows
	for at := 0; at < len(in[0]); at += p.Lanes {
		to := min(at+p.Lanes, len(in[0]))
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

// commitWhole takes primitives of a block of a compact state.
func (w *binner) commitWhole(c *chunk, b *geometry.Stretch, from, to int) {
	st, s, t := c.draw.state, &w.corners, &w.corners.whole
	find, at, stream := &st.whole.find, target{}, st.link.stream
	if w.plan.pass.ViewMask != 0 {
		at.layer = c.params.View // RAS-072
	}
	o, n, outside := s.outside, len(s.outside), s.some != 0
	xs, ys, far := t.x[:n], t.y[:n], t.far[:n]
	for i := from; i < to; i++ {
		p := &b.Primitives[i]
		v0, v1, v2 := p.V[0], p.V[1], p.V[2] // the first one again, where there are fewer
		if p.Stream != stream {              // RAS-062
			continue
		}
		cut := far[v0]|far[v1]|far[v2] != 0
		if outside {
			some := raster.Outcode(o[v0] | o[v1] | o[v2])
			if vertexpost.Gone(raster.Outcode(o[v0]&o[v1]&o[v2]), some) {
				continue
			}
			cut = cut || vertexpost.Cut(p.N, some)
		}
		if cut {
			w.commitPrimitive(c, b, p, i)
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
			w.commitPrimitive(c, b, p, i)
			continue
		}
		w.stats.Clipped++
		if r.Empty() {
			continue
		}
		w.stats.Rasterized++
		if w.box(c, r, &w.plan.scissors[w.scissors], int32(at.layer)) {
			at.id = p.ID
			w.record(c, p, &at, 0)
		}
	}
}

// setups are those that the worker has made for its tile. There are too few for all of
// a tile, many enough that it does not matter that nothing is put off beyond them.
type setups struct {
	chunks, list merged // what is left of the tile's chunks, and of the records of the present one
	made         [1024]raster.Setup
	n            int
	kept         int // those before the run
	// A run of them, and the records that they are of.
	run     [maxRun]*raster.Setup
	items   [maxRun]uint32
	touched uint32
}

// maxRun is how many set-ups come together at most.
const maxRun = 32

// nextSetups returns the set-ups of the next records of the list, which stay until the
// end of the tile, unless dropRun drops them; none at the end of the list.
func (w *worker) nextSetups(c *chunk) ([]*raster.Setup, error) {
	m, n := &w.setups, 0
	for ; n < len(m.items); n++ {
		i, ok := m.list.next()
		if !ok {
			break
		}
		m.items[n] = i
	}
	if m.n+n > len(m.made) {
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
		own := &m.made[m.n]
		if m.run[k] = c.setUp(own, item); m.run[k] == own {
			m.n++
		}
	}
	return m.run[:n], nil
}

// dropRun gives the memory of the last run back, for the next one: nobody holds on to what has been drawn directly, and
// it is near.
func (w *worker) dropRun() { w.setups.n, w.frags.Waiting.Setup = w.setups.kept, nil }

// touch reads of all items what will be needed: memory has it ready by then, while one
// after the other would be waited for.
func (w *worker) touch(c *chunk, items []uint32) {
	sum, stride := uint32(0), len(c.draw.state.Link.Attrs)
	for _, item := range items {
		sum += c.Recs[item].V[0] + uint32(c.Recs[item].N) // its ends
	}
	for _, item := range items {
		rec := &c.Recs[item]
		if rec.Setup != 0 {
			continue
		}
		for _, v := range rec.V[:rec.N] {
			sum += uint32(c.places[v].X)
			if stride > 0 {
				sum += c.Attrs[int(v)*stride]
			}
			if len(c.dots) > 0 {
				sum += uint32(c.dots[v].FX)
			}
		}
	}
	w.setups.touched = sum
}

// setUp returns the set-up of a record: that of the chunk, or else s, which becomes it.
func (c *chunk) setUp(s *raster.Setup, of uint32) *raster.Setup {
	state, rec := &c.draw.state.Raster[0], &c.Recs[of]
	switch {
	case rec.Setup != 0:
		return &c.setups[rec.Setup-1]
	case rec.N == 3:
		v := [3]*raster.Projected{&c.places[rec.V[0]], &c.places[rec.V[1]], &c.places[rec.V[2]]}
		s.SetTriangle(&v, rec.Provoking, state, of)
	case rec.N == 2:
		s.SetLine(&c.places[rec.V[0]], &c.places[rec.V[1]], state, of)
	default:
		dot := raster.Dot{}
		if len(c.dots) > 0 {
			dot = c.dots[rec.V[0]]
		}
		s.SetPoint(&c.places[rec.V[0]], dot, state, of)
	}
	return s
}
