package render

import (
	"math"
	"slices"
)

// A box says little about where a sliver is that goes across many tiles, and each
// tile that looks at one in vain pays for it. So what has a broad box is put row by
// row into the tiles that it may touch.

// broadTiles is the number of tiles from which on that is worth the time.
const broadTiles = 6

// broad says that there are tiles in the box, or else all, that a sliver would leave
// out.
func (b *tileBox) broad() bool {
	return b.big() || b.x1-b.x0 > 1 && b.y1-b.y0 > 1 && b.tiles() >= broadTiles
}

// listedTiles bounds the tiles that a big set-up is listed in.
const listedTiles = 256

// sort puts the records of a chunk, whose boxes are w.boxes, into tiles.
func (w *binner) sort(c *chunk) {
	if !c.broad || w.plan.density != nil { // whose fragments are wider than pixels
		c.bins.sort(w.boxes)
		w.reorder(c)
		return
	}
	w.parts = w.parts[:0]
	for _, box := range w.boxes {
		if !box.broad() || !w.divide(c, box) {
			w.parts = append(w.parts, box)
		}
	}
	c.bins.sort(w.parts)
}

// divide appends the parts of a box that the set-up of a record touches; false, and none, if those
// are most of it and too many to be listed.
func (w *binner) divide(c *chunk, box tileBox) bool {
	rec := &c.Recs[box.item]
	if n := len(c.setups); rec.Setup == 0 { // many tiles draw it
		c.setups = slices.Grow(c.setups, 1)[:n+1]
		c.setUp(&c.setups[n], box.item)
		rec.Setup = uint32(n + 1)
	}
	g, s := &w.plan.Grid, &c.setups[rec.Setup-1]
	room := int64(math.MaxInt64)
	if box.big() {
		// A sliver goes through fewer tiles than the box has rows and columns.
		room = min(max(box.tiles()/4, 2*int64(box.x1-box.x0+box.y1-box.y0)), listedTiles)
	}
	first := len(w.parts)
	for y := box.y0; y < box.y1; y++ {
		top := g.Y0 + y<<g.Shift
		from, to := s.Across(c.Extra, top, top+1<<g.Shift)
		part := box
		part.x0, part.y0 = max((from-g.X0)>>g.Shift, box.x0), y
		part.x1, part.y1 = min((to-1-g.X0)>>g.Shift+1, box.x1), y+1
		if from >= to || part.x0 >= part.x1 {
			continue
		}
		if room -= part.tiles(); room < 0 {
			w.parts = w.parts[:first]
			return false
		}
		for end := part.x1; part.x0 < end; part.x0 = part.x1 { // small ones
			part.x1 = min(part.x0+bigTiles, end)
			w.parts = append(w.parts, part)
		}
	}
	return true
}
