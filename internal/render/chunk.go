package render

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/watch"
)

// maxVertices is how many vertices of primitives a chunk holds at most, minPrimitives how
// many primitives it may hold in any case, or more where passPlan.joined says so: enough for tiles
// to find some, few enough for workers to share the load. vertexBytes is about what one takes.
// wideVertices is how many vertices a chunk of primitives for the stages between vertices and fragments holds.
const (
	minPrimitives = 512
	maxVertices   = 8 << 10
	vertexBytes   = 1 << 9
	wideVertices  = geometry.MaxVertices
)

// keptBytes is about how much memory a chunk may keep for the next: many times
// what one needs that nothing amplifies.
const keptBytes = 4 << 20

// piece is some primitives of a draw in a chunk, from those of the piece before on: up to
// end of chunk.prims or chunk.ids, and up to spans of chunk.spans, n of all. There is none without.
type piece struct {
	draw          *drawPlan
	params        geometry.Params
	end, spans, n uint32
}

// chunk is consecutive primitives of a draw, or of several small ones with the same state,
// on their way from assembly to the tiles. Chunks are reused; a tile reads those of a round
// in order.
type chunk struct {
	// draw and params are those of the piece at work, then of the last one: the tiles
	// find no difference. present is the pieces begun.
	draw    *drawPlan
	params  *geometry.Params
	pieces  []piece
	present int
	// prims and the instance ordinal of each, filled by the source. They
	// belong to the worker and are gone once the chunk is set up.
	prims []assembly.Primitive
	inst  []uint32
	// spans instead of prims where that is enough. n is the number of all primitives.
	spans []geometry.Span
	n     int
	// ids and wide instead of prims where later stages see all vertices of a
	// primitive: numbers, and vertex indices, assembly.Config.Vertices each.
	ids, wide []uint32
	// done says that nothing of the chunk is left in the stages of its worker.
	done bool
	// full says that it is to be drawn before it grows on.
	full bool

	groups geometry.Groups // of a mesh draw

	rows int // vertices in attrs
	fragment.Primitives
	places []raster.Projected // of the vertices in attrs, where states are whole
	dots   []raster.Dot       // and of points that need them
	setups []raster.Setup
	broad  bool // the box of a record is

	pattern  stippleState
	captured captured

	book watch.Notebook // of watches

	bins bins // the records, by tile
}

// reset empties a chunk, keeping its memory.
func (c *chunk) reset() {
	if cap(c.Attrs)*4+cap(c.places)*int(unsafe.Sizeof(raster.Projected{}))+cap(c.setups)*int(unsafe.Sizeof(raster.Setup{})) > keptBytes {
		*c = chunk{}
	}
	c.draw, c.Of, c.params, c.done, c.present, c.n = nil, nil, nil, false, 0, 0
	clear(c.pieces)
	c.pieces = c.pieces[:0]
	c.release()
	c.empty()
}

// release gives the worker's memory back.
func (c *chunk) release() { c.prims, c.inst, c.spans, c.ids, c.wide = nil, nil, nil, nil, nil }

// empty takes out what the tiles have drawn.
func (c *chunk) empty() {
	c.rows, c.full, c.broad = 0, false, false
	c.Recs, c.Attrs, c.Flat = c.Recs[:0], c.Attrs[:0], c.Flat[:0]
	c.places, c.dots = c.places[:0], c.dots[:0]
	c.setups, c.Extra = c.setups[:0], c.Extra[:0]
	c.pattern = stippleState{}
	c.captured.prims, c.captured.words = c.captured.prims[:0], c.captured.words[:0]
	c.bins.empty()
}

// bytes is what the chunk holds until the tiles have drawn it.
func (c *chunk) bytes() int64 {
	words := len(c.Attrs) + len(c.Flat) + len(c.bins.starts) + len(c.bins.list) + len(c.bins.big)
	return int64(len(c.Recs))*int64(unsafe.Sizeof(fragment.Primitive{})) + 4*int64(words) +
		int64(len(c.places))*int64(unsafe.Sizeof(raster.Projected{})) + int64(len(c.dots))*int64(unsafe.Sizeof(raster.Dot{})) +
		int64(len(c.setups))*int64(unsafe.Sizeof(raster.Setup{})) +
		int64(len(c.Extra))*int64(unsafe.Sizeof(raster.HalfPlane{})) + 2*int64(len(c.captured.prims)) + 4*int64(len(c.captured.words)) + int64(unsafe.Sizeof(chunk{}))
}

// box is where the chunk draws: everywhere, where that is not known in tiles.
func (c *chunk) box() tileBox {
	b := &c.bins
	switch {
	case c.draw.draw.Event != nil:
		return nowhere
	case c.draw.draw.Clear != nil, len(b.big) > 0, b.l1 > b.l0+1:
		return everyTile
	case b.x0 >= b.x1:
		return nowhere
	}
	return tileBox{b.x0, b.y0, b.x1, b.y1, b.l0, 0}
}
