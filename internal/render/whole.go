package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
)

// Primitives that nothing cuts and that lie in few tiles are most of all. Of these a
// chunk keeps a record and the places of vertices, a small part of a set-up; tiles make
// set-ups of them as they come to draw them.

// addCompact says whether that can be done with the primitives of a state.
func (s *drawState) addCompact(pl *passPlan) {
	l := s.link
	s.compact = pl.density == nil && s.pipe.desc.Mesh == nil && s.raster[0].Whole() &&
		l.vs.viewport == none && l.vs.layer == none && l.vs.rate == none && l.primitiveID == none &&
		len(l.vs.clip) == 0 && len(l.vs.cull) == 0 && !s.post[0].Swizzled && !s.post[0].WScale
}

// placeState says what is known of the place of a vertex.
type placeState uint8

const (
	placeUnknown placeState = iota
	placeKnown
	placeFar // beyond the guard band
)

// beginPlaces prepares for the vertices of a block; coords says that fragments use
// PointCoord.
func (s *corners) beginPlaces(b *block, coords bool) {
	s.places, s.placed = grow(s.places, b.rows), grow(s.placed, b.rows)
	clear(s.placed)
	s.points, s.dots = b.prims[0].n == 1, s.dots[:0]
	if s.points && coords {
		s.dots = grow(s.dots, b.rows)
	}
}

// place finds the place of a vertex in front of the eye, which is not known, and reports
// whether there is one.
func (s *corners) place(i uint32) bool {
	if s.placed[i] == placeFar {
		return false
	}
	get := func(k int) float32 { return math.Float32frombits(s.position[k][i]) }
	s.placed[i] = placeFar
	if !s.post.Place(&s.places[i], get(0), get(1), get(2), get(3)) {
		return false
	}
	if s.points {
		s.places[i].W = 1
		if s.size != nil {
			s.places[i].W = float64(math.Float32frombits(s.size[i]))
		}
	}
	if len(s.dots) > 0 {
		s.dots[i] = s.post.Dot(get(0), get(1), get(3))
	}
	s.placed[i] = placeKnown
	return true
}

// keepPlaces copies the places of the kept vertices into the chunk.
func (s *corners) keepPlaces(c *chunk) {
	for _, v := range s.kept {
		c.places = append(c.places, s.places[v])
	}
	if len(s.dots) > 0 {
		for _, v := range s.kept {
			c.dots = append(c.dots, s.dots[v])
		}
	}
}

// commitWhole takes the primitives of a block of a compact state.
func (w *worker) commitWhole(c *chunk, b *block) {
	st, s := c.draw.state, &w.corners
	state := &st.raster[0]
	layer := int32(0)
	if w.plan.pass.ViewMask != 0 {
		layer = int32(c.params.view) // RAS-072
	}
	for i := range b.prims {
		p := &b.prims[i]
		v0, v1, v2 := p.v[0], p.v[1], p.v[2] // the first one again, where there are fewer
		o0, o1, o2 := s.outside[v0], s.outside[v1], s.outside[v2]
		some := o0 | o1 | o2
		if p.stream != st.link.stream || vertexpost.Gone(o0&o1&o2, some) { // RAS-062
			continue
		}
		if vertexpost.Cut(p.n, some) || s.placed[v0] != placeKnown && !s.place(v0) || s.placed[v1] != placeKnown && !s.place(v1) || s.placed[v2] != placeKnown && !s.place(v2) {
			w.commitPrimitive(c, b, i)
			continue
		}
		var r raster.Rect
		ok := true
		switch p.n {
		case 3:
			r, ok = state.Triangle(&s.places[v0], &s.places[v1], &s.places[v2])
		case 2:
			r = state.Line(&s.places[v0], &s.places[v1])
		default:
			r = state.Point(&s.places[v0])
		}
		box := w.box(r, &st.scissor[0], layer)
		if ok = ok && !box.broad(); ok {
			if w.stats.Clipped++; !r.Empty() {
				w.stats.Rasterized++
			}
		}
		if !ok || box.x0 >= box.x1 {
			if w.boxes = w.boxes[:len(w.boxes)-1]; !ok {
				w.commitPrimitive(c, b, i)
			}
			continue
		}
		c.items = append(c.items, uint32(len(c.recs)))
		w.record(c, b, i, p.id, uint32(layer), 0, 0)
	}
}

// setups are those that the worker has made for its tile. There are too few for all of
// a tile, many enough that it does not matter that nothing is put off beyond them.
type setups struct {
	list [1024]raster.Setup
	n    int
	// A run of them, and the items that they are of.
	run     [32]*raster.Setup
	items   [32]uint32
	touched uint32
}

// nextSetups returns the set-ups of the next items of a tile, which stay until the
// end of the tile; none at the end of the list.
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
		w.settleAll()
		m.n = 0
	}
	w.touch(c, m.items[:n])
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
		v := [3]*raster.Place{&c.places[rec.v[0]], &c.places[rec.v[1]], &c.places[rec.v[2]]}
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
