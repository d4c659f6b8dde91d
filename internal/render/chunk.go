package render

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// chunkPrimitives is how many primitives a chunk holds at most: enough for
// vertices to be shared, few enough for workers to share the load.
const chunkPrimitives = 512

// bigTiles is the number of tiles above which a set-up is kept once for the
// whole chunk instead of once for each tile, so that the lists of a chunk stay
// small whatever it covers.
const bigTiles = 16

// keptBytes is about how much memory a chunk may keep for the next: many times
// what one needs that nothing amplifies.
const keptBytes = 4 << 20

// drawParams are the numbers of a draw that the vertex stage sees.
type drawParams struct {
	firstInstance, baseVertex, drawIndex, view uint32
}

// vertexKey names a vertex of a draw: its index and the ordinal of its instance.
type vertexKey struct{ vertex, instance uint32 }

// primRec is what the tiles need of a primitive.
type primRec struct {
	v               [3]uint32 // vertices of the chunk
	provoking       uint32    // vertex of the chunk
	id              uint32
	layer, viewport uint16
	n, first        uint8 // vertices, and the one that PerVertexKHR index 0 is of
	rate            uint8 // PrimitiveShadingRateKHR
}

// tileBox is a half-open range of tiles.
type tileBox struct{ x0, y0, x1, y1, layer int32 }

// chunk is up to chunkPrimitives consecutive primitives of a draw, on their way
// from assembly to the tiles. Chunks are reused; a tile reads those of a round
// in order.
type chunk struct {
	draw   *drawPlan
	params drawParams
	// prims and the instance ordinal of each, filled by the source. They
	// belong to the worker and are gone once the chunk is set up.
	prims []assembly.Primitive
	inst  []uint32
	// ids and wide instead of prims where later stages see all vertices of a
	// primitive: numbers, and vertex indices, assembly.Config.Vertices each.
	ids, wide []uint32
	// done says that nothing of the chunk is left in the stages of its worker.
	done bool
	// full says that it is to be drawn before it grows on.
	full bool

	groups groups // of a mesh draw

	rows   int      // vertices in attrs
	flat   []uint32 // record-major, len(link.flat) a primitive
	recs   []primRec
	attrs  []uint32 // vertex-major, len(link.attrs) a vertex
	setups []raster.Setup
	extra  []raster.HalfPlane
	boxes  []tileBox // of each set-up, none empty

	pattern  stippleState
	captured captured

	// Bins: the set-ups of tile (layer, y, x) of the box bx × by × layers are
	// list[starts[i]:starts[i+1]]; big ones are looked at by every tile.
	bx0, by0, bx1, by1, bl0, bl1 int32
	starts                       []uint32
	list                         []uint32
	big                          []uint32
}

// reset empties a chunk, keeping its memory.
func (c *chunk) reset() {
	if cap(c.attrs)*4+cap(c.setups)*int(unsafe.Sizeof(raster.Setup{})) > keptBytes {
		*c = chunk{}
	}
	c.draw, c.done = nil, false
	c.release()
	c.empty()
}

// release gives the worker's memory back.
func (c *chunk) release() { c.prims, c.inst, c.ids, c.wide = nil, nil, nil, nil }

// empty takes out what the tiles have drawn.
func (c *chunk) empty() {
	c.rows, c.full = 0, false
	c.recs, c.attrs, c.flat = c.recs[:0], c.attrs[:0], c.flat[:0]
	c.setups, c.extra, c.boxes = c.setups[:0], c.extra[:0], c.boxes[:0]
	c.starts, c.list, c.big = c.starts[:0], c.list[:0], c.big[:0]
	c.pattern = stippleState{}
	c.captured.prims, c.captured.words = c.captured.prims[:0], c.captured.words[:0]
	c.emptyBox()
}

// emptyBox makes the box of the bins contain no tile.
func (c *chunk) emptyBox() {
	c.bx0, c.by0, c.bl0 = 1<<30, 1<<30, 1<<30
	c.bx1, c.by1, c.bl1 = 0, 0, 0
}

// bytes is what the chunk holds until the tiles have drawn it.
func (c *chunk) bytes() int64 {
	return int64(len(c.recs))*int64(unsafe.Sizeof(primRec{})) + 4*int64(len(c.attrs)+len(c.flat)+len(c.starts)+len(c.list)+len(c.big)) +
		int64(len(c.setups))*int64(unsafe.Sizeof(raster.Setup{})+unsafe.Sizeof(tileBox{})) +
		int64(len(c.extra))*int64(unsafe.Sizeof(raster.HalfPlane{})) + c.captured.bytes() + int64(unsafe.Sizeof(chunk{}))
}

// bin sorts the set-ups into tiles. Order inside a tile is that of the set-ups.
func (c *chunk) bin(g *grid) {
	c.emptyBox()
	for _, b := range c.boxes {
		c.bx0, c.by0, c.bl0 = min(c.bx0, b.x0), min(c.by0, b.y0), min(c.bl0, b.layer)
		c.bx1, c.by1, c.bl1 = max(c.bx1, b.x1), max(c.by1, b.y1), max(c.bl1, b.layer+1)
	}
	if c.bx0 >= c.bx1 {
		return
	}
	w, h := int(c.bx1-c.bx0), int(c.by1-c.by0)
	n := w*h*int(c.bl1-c.bl0) + 1
	c.starts = grow(c.starts, n)
	clear(c.starts)
	// Counting sort: sizes, sums, places. starts[i+1] counts tile i first.
	each := func(b *tileBox, f func(tile int)) {
		for y := b.y0; y < b.y1; y++ {
			row := (int(b.layer-c.bl0)*h+int(y-c.by0))*w + int(b.x0-c.bx0)
			for x := range int(b.x1 - b.x0) {
				f(row + x)
			}
		}
	}
	total := 0
	for i := range c.boxes {
		b := &c.boxes[i]
		if area := (b.x1 - b.x0) * (b.y1 - b.y0); area > bigTiles {
			c.big = append(c.big, uint32(i))
		} else {
			total += int(area)
			each(b, func(t int) { c.starts[t]++ })
		}
	}
	sum := uint32(0)
	for t := range c.starts {
		c.starts[t], sum = sum, sum+c.starts[t]
	}
	c.list = grow(c.list, total)
	for i := range c.boxes {
		b := &c.boxes[i]
		if (b.x1-b.x0)*(b.y1-b.y0) > bigTiles {
			continue
		}
		each(b, func(t int) {
			c.list[c.starts[t]] = uint32(i)
			c.starts[t]++
		})
	}
	// Each start has moved to its tile's end, which is the next one's start.
	copy(c.starts[1:], c.starts)
	c.starts[0] = 0
}

// tile returns the list of a tile.
func (c *chunk) tile(x, y, layer int32) []uint32 {
	if x < c.bx0 || x >= c.bx1 || y < c.by0 || y >= c.by1 || layer < c.bl0 || layer >= c.bl1 {
		return nil
	}
	i := (int(layer-c.bl0)*int(c.by1-c.by0)+int(y-c.by0))*int(c.bx1-c.bx0) + int(x-c.bx0)
	return c.list[c.starts[i]:c.starts[i+1]]
}

// grow returns s with length n, contents undefined.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
