package render

import "github.com/pumice-gpu/pumice/internal/raster"

// Where primitives follow each other anywhere on the screen, as points and lines often do, tiles
// would find each record, and its vertices, in other lines of the cache, most of which they don't need. Such a
// chunk is put in the order of its tiles while it is near.

// reordered is the memory that a chunk is put in order in, then that which it had before.
type reordered struct {
	recs   []primRec
	places []raster.Projected
	dots   []raster.Dot
	attrs  []uint32
	row    []uint32 // by row of the chunk: its row in the new order, plus 1
}

// reorder puts records, and vertices in the order of their first use, in the order in which tiles draw
// them, where that jumps. A primitive in several tiles has several records.
func (w *binner) reorder(c *chunk) {
	b, n := &c.bins, len(c.recs)
	total := len(b.list)
	if c.draw.state.whole == nil || len(c.setups) > 0 || len(b.big) > 0 || 2*b.jumps < n || total > 2*n {
		return
	}
	to, stride := &w.reordered, len(c.draw.state.link.attrs)
	to.recs, to.places, to.dots = grow(to.recs, total), grow(to.places, c.rows), grow(to.dots, len(c.dots))
	to.attrs, to.row = grow(to.attrs, c.rows*stride), grow(to.row, c.rows)
	clear(to.row)
	rows := uint32(0)
	for k, item := range b.list {
		from, r := &c.recs[item], &to.recs[k]
		*r = *from
		for i, old := range from.v[:from.n] {
			row := to.row[old]
			if row == 0 {
				to.places[rows] = c.places[old]
				if len(c.dots) > 0 {
					to.dots[rows] = c.dots[old]
				}
				copy(to.attrs[int(rows)*stride:][:stride], c.attrs[int(old)*stride:])
				rows++
				row = rows
				to.row[old] = row
			}
			r.v[i] = row - 1
		}
		for i := from.n; i < 3; i++ {
			r.v[i] = r.v[0]
		}
		b.list[k] = uint32(k)
	}
	c.recs, to.recs = to.recs, c.recs
	c.places, to.places = to.places[:rows], c.places
	c.dots, to.dots = to.dots, c.dots
	c.attrs, to.attrs = to.attrs[:int(rows)*stride], c.attrs
}
