package radiance

import (
	"encoding/binary"
	"math/bits"
)

// exrFile is a file whose headers are read.
type exrFile struct {
	data    []byte
	parts   []*exrPart
	several bool
	tables  int // where the tables of offsets begin
}

// exrBlock is rows of pixels that are compressed together, in the data window.
type exrBlock struct{ x, y, width, rows int }

// exrChunk is a block and what is stored of it.
type exrChunk struct {
	exrBlock
	packed []byte
}

// size returns how many bytes a block has, decoded.
func (p *exrPart) size(b exrBlock) (n int64) {
	for i := range p.channels {
		c := &p.channels[i]
		nx, ny := c.samples(b.width, b.y, b.rows)
		n += int64(nx) * int64(ny) * int64(c.bytes())
	}
	return n
}

// exrGrid is how a part is cut into blocks: those of the full resolution come first in its table.
type exrGrid struct {
	width, height int64 // of the data window
	bx, by        int64 // of a block
	nx, ny        int64 // blocks of the full resolution
	entries       int64 // of the table: of all resolutions
}

func (p *exrPart) grid() (g exrGrid) {
	g.width, g.height = p.data.extent()
	if !p.tiled {
		g.bx, g.by = g.width, int64(exrCompressions[p.compression].rows)
		g.nx, g.ny = 1, ceilDiv(g.height, g.by)
		g.entries = g.ny
		return g
	}
	g.bx, g.by = int64(p.tileX), int64(p.tileY)
	g.nx, g.ny = ceilDiv(g.width, g.bx), ceilDiv(g.height, g.by)
	up := p.tileMode>>4 == 1
	// tiles returns how many tiles a level needs in one direction.
	tiles := func(extent, level, tile int64) int64 {
		if up {
			return ceilDiv(max(ceilDiv(extent, 1<<level), 1), tile)
		}
		return ceilDiv(max(extent>>level, 1), tile)
	}
	levels := func(extent int64) int64 {
		n := int64(bits.Len64(uint64(extent)))
		if up && extent&(extent-1) != 0 {
			n++
		}
		return n
	}
	switch p.tileMode & 15 {
	case 0:
		g.entries = g.nx * g.ny
	case 1:
		for l := range levels(max(g.width, g.height)) {
			g.entries += tiles(g.width, l, g.bx) * tiles(g.height, l, g.by)
		}
	default:
		var across, down int64
		for l := range levels(g.width) {
			across += tiles(g.width, l, g.bx)
		}
		for l := range levels(g.height) {
			down += tiles(g.height, l, g.by)
		}
		g.entries = across * down
	}
	return g
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// chunks finds the blocks of the full resolution of a part, from its table of offsets or, where that was
// never written, one after the other. Blocks that are missing are an error.
func (d *decoder) chunks(f *exrFile, index int) ([]exrChunk, error) {
	p := f.parts[index]
	g := p.grid()
	n := g.nx * g.ny
	begin, end := int64(0), int64(0) // of the part's table, and of all
	for i, q := range f.parts {
		entries := q.chunkCount
		if i == index {
			if entries >= 0 && entries != g.entries && f.several {
				return nil, fail("OpenEXR attribute chunkCount is %d, and the part has %d blocks", entries, g.entries)
			}
			entries = g.entries
			begin = end
		} else if entries < 0 {
			return nil, fail("OpenEXR header %d of %d has no chunkCount", i, len(f.parts))
		}
		if end += entries; end > int64(len(f.data)-f.tables)/8 {
			return nil, fail("OpenEXR picture of %d × %d pixels ends early: its table of blocks is not complete", g.width, g.height)
		}
	}
	bodies := f.tables + int(8*end)
	// A block takes its header at least: fewer bytes are no picture, and not worth its memory.
	if int64(len(f.data)-bodies) < 8*n {
		return nil, fail("OpenEXR picture of %d × %d pixels ends early", g.width, g.height)
	}
	if err := d.take(64*n, "a list of %d blocks", n); err != nil {
		return nil, err
	}
	chunks := make([]exrChunk, n)
	found := int64(0)
	add := func(at uint64) bool {
		c, i, _, ok := f.chunk(index, &g, at)
		if ok && i >= 0 && chunks[i].packed == nil {
			chunks[i] = c
			found++
			return true
		}
		return false
	}
	for i := range n {
		if i%(1<<16) == 0 {
			if err := d.ctx.Err(); err != nil {
				return nil, err
			}
		}
		at := binary.LittleEndian.Uint64(f.data[int64(f.tables)+8*(begin+i):])
		if at >= uint64(bodies) {
			add(at)
		}
	}
	if found < n {
		d.warn("the table of blocks is not complete: blocks are taken in the order in which they stand")
		for at, i := uint64(bodies), 0; ; i++ {
			if i%(1<<16) == 0 {
				if err := d.ctx.Err(); err != nil {
					return nil, err
				}
			}
			_, _, next, ok := f.chunk(index, &g, at)
			if !ok {
				break
			}
			add(at)
			at = next
		}
	}
	if found < n {
		return nil, fail("%d of the %d blocks of an OpenEXR picture of %d × %d pixels are missing, damaged or cut off", n-found, n, g.width, g.height)
	}
	return chunks, nil
}

// chunk reads the header of the chunk at an offset. It returns the chunk and its place among those of the
// full resolution of the part, -1 for others, and where the next one begins. ok is false for what is no chunk.
func (f *exrFile) chunk(index int, g *exrGrid, at uint64) (c exrChunk, place int64, next uint64, ok bool) {
	le := binary.LittleEndian
	if at >= uint64(len(f.data)) {
		return c, -1, 0, false
	}
	data := f.data[at:]
	part := 0
	if f.several {
		if len(data) < 4 {
			return c, -1, 0, false
		}
		part, data = int(int32(le.Uint32(data))), data[4:]
		if part < 0 || part >= len(f.parts) {
			return c, -1, 0, false
		}
	}
	p := f.parts[part]
	coordinates, sizes := 4, 4
	if p.tiled {
		coordinates = 16
	}
	if p.deep() {
		sizes = 24
	}
	if len(data) < coordinates+sizes {
		return c, -1, 0, false
	}
	head := data[:coordinates]
	size := uint64(le.Uint32(data[coordinates:]))
	if p.deep() { // sizes of its table and of its samples, packed, and of the samples alone
		size = min(le.Uint64(data[coordinates:]), 1<<62) + min(le.Uint64(data[coordinates+8:]), 1<<62)
	}
	data = data[coordinates+sizes:]
	if size > uint64(len(data)) {
		return c, -1, 0, false
	}
	next = uint64(len(f.data)-len(data)) + size
	if part != index {
		return c, -1, next, true
	}
	var x, y int64
	if p.tiled {
		x, y = int64(int32(le.Uint32(head))), int64(int32(le.Uint32(head[4:])))
		if le.Uint64(head[8:]) != 0 { // a lower resolution
			return c, -1, next, true
		}
	} else {
		y = int64(int32(le.Uint32(head))) - int64(p.data[1])
		if y%g.by != 0 {
			return c, -1, 0, false
		}
		y /= g.by
	}
	if x < 0 || x >= g.nx || y < 0 || y >= g.ny {
		return c, -1, 0, false
	}
	c.exrBlock = exrBlock{int(x * g.bx), int(y * g.by), int(min(g.bx, g.width-x*g.bx)), int(min(g.by, g.height-y*g.by))}
	c.packed = data[:size:size]
	return c, y*g.nx + x, next, true
}
