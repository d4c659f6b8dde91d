package render

import (
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// Where primitives follow each other anywhere on the screen, as points and lines often do, tiles
// would find each record, and its vertices, in other lines of the cache, most of which they don't need. Such a
// chunk is put in the order of its tiles while it is near.

// reordered is the memory that a chunk is put in order in, then that which it had before.
type reordered struct {
	recs   []fragment.Primitive
	places []raster.Projected
	dots   []raster.Dot
	attrs  []uint32
	row    []uint32 // by row of the chunk: its row in the new order, plus 1
}

// reorder puts records, and vertices in the order of their first use, in the order in which tiles draw
// them, where that jumps. A primitive in several tiles has several records.
func (w *binner) reorder(c *chunk) {
	b, n := &c.bins, len(c.Recs)
	total := len(b.list)
	if c.draw.state.whole == nil || len(c.setups) > 0 || len(b.big) > 0 || 2*b.jumps < n || total > 2*n {
		return
	}
	to, stride := &w.reordered, len(c.draw.state.Link.Attrs)
	to.recs, to.places, to.dots = geometry.Grow(to.recs, total), geometry.Grow(to.places, c.rows), geometry.Grow(to.dots, len(c.dots))
	to.attrs, to.row = geometry.Grow(to.attrs, c.rows*stride), geometry.Grow(to.row, c.rows)
	clear(to.row)
	rows := uint32(0)
	for k, item := range b.list {
		from, r := &c.Recs[item], &to.recs[k]
		*r = *from
		for i, old := range from.V[:from.N] {
			row := to.row[old]
			if row == 0 {
				to.places[rows] = c.places[old]
				if len(c.dots) > 0 {
					to.dots[rows] = c.dots[old]
				}
				copy(to.attrs[int(rows)*stride:][:stride], c.Attrs[int(old)*stride:])
				rows++
				row = rows
				to.row[old] = row
			}
			r.V[i] = row - 1
		}
		for i := from.N; i < 3; i++ {
			r.V[i] = r.V[0]
		}
		b.list[k] = uint32(k)
	}
	c.Recs, to.recs = to.recs, c.Recs
	c.places, to.places = to.places[:rows], c.places
	c.dots, to.dots = to.dots, c.dots
	c.Attrs, to.attrs = to.attrs[:int(rows)*stride], c.Attrs
}
