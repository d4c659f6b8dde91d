package render

import "github.com/pumice-gpu/pumice/internal/render/geometry"

// tileBox is a half-open range of tiles in which an item is.
type tileBox struct {
	x0, y0, x1, y1, layer int32
	item                  uint32
}

// everyTile is the box of what concerns all tiles of all layers, nowhere of what
// concerns none.
var (
	everyTile = tileBox{x1: 1 << 15, y1: 1 << 15}
	nowhere   = tileBox{}
)

// bigTiles is the number of tiles above which an item is kept once for all tiles
// instead of once for each, so that lists stay small whatever is covered.
const bigTiles = 16

// A product of more has a sum of more than 8.
func (b *tileBox) big() bool { return b.x1-b.x0+b.y1-b.y0 > 8 && b.tiles() > bigTiles }

func (b *tileBox) tiles() int64 { return int64(b.x1-b.x0) * int64(b.y1-b.y0) }

// bins say which of a list of items, records or chunks, a tile looks at. Those of tile (layer, y, x) of
// the box x × y × layers are list[starts[i]:starts[i+1]]; big ones are looked at by
// every tile.
type bins struct {
	x0, y0, x1, y1, l0, l1 int32
	starts                 []uint32
	list                   []uint32
	big                    []uint32
	jumps                  int // how often an item begins in another tile than the one before
}

func (b *bins) empty() {
	b.starts, b.list, b.big = b.starts[:0], b.list[:0], b.big[:0]
	b.x0, b.y0, b.l0 = 1<<30, 1<<30, 1<<30
	b.x1, b.y1, b.l1, b.jumps = 0, 0, 0, 0
}

// sort puts the items of boxes into tiles. They ascend, and their order inside a tile is that. An
// item may have several boxes, which don't overlap.
func (b *bins) sort(boxes []tileBox) {
	b.empty()
	for i := range boxes {
		box := &boxes[i]
		if box.big() {
			b.big = append(b.big, box.item)
		} else if box.x0 < box.x1 {
			b.x0, b.y0, b.l0 = min(b.x0, box.x0), min(b.y0, box.y0), min(b.l0, box.layer)
			b.x1, b.y1, b.l1 = max(b.x1, box.x1), max(b.y1, box.y1), max(b.l1, box.layer+1)
		}
	}
	if b.x0 >= b.x1 {
		return
	}
	w, h := int(b.x1-b.x0), int(b.y1-b.y0)
	n := w*h*int(b.l1-b.l0) + 1
	b.starts = geometry.Grow(b.starts, n)
	clear(b.starts)
	// Counting sort: sizes, sums, places. starts[i+1] counts tile i first.
	total, last := 0, 0
	for i := range boxes {
		box := &boxes[i]
		if box.big() || box.x0 >= box.x1 {
			continue
		}
		t, wide := (int(box.layer-b.l0)*h+int(box.y0-b.y0))*w+int(box.x0-b.x0), int(box.x1-box.x0)
		if t != last {
			b.jumps++
			last = t
		}
		for y := box.y0; y < box.y1; y++ {
			for k := range wide {
				b.starts[t+k]++
			}
			total += wide
			t += w
		}
	}
	sum := uint32(0)
	for t := range b.starts {
		b.starts[t], sum = sum, sum+b.starts[t]
	}
	b.list = geometry.Grow(b.list, total)
	for i := range boxes {
		box := &boxes[i]
		if box.big() || box.x0 >= box.x1 {
			continue
		}
		t, wide := (int(box.layer-b.l0)*h+int(box.y0-b.y0))*w+int(box.x0-b.x0), int(box.x1-box.x0)
		for y := box.y0; y < box.y1; y++ {
			for k := range wide {
				b.list[b.starts[t+k]] = box.item
				b.starts[t+k]++
			}
			t += w
		}
	}
	// Each start has moved to its tile's end, which is the next one's start.
	copy(b.starts[1:], b.starts)
	b.starts[0] = 0
}

// tile makes m the items of a tile, in order: those binned to it and the big ones. In place, as
// each tile asks for those of many chunks.
func (b *bins) tile(m *merged, x, y, layer int32) {
	m.list, m.big = nil, b.big
	if x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1 && layer >= b.l0 && layer < b.l1 {
		i := (int(layer-b.l0)*int(b.y1-b.y0)+int(y-b.y0))*int(b.x1-b.x0) + int(x-b.x0)
		m.list = b.list[b.starts[i]:b.starts[i+1]]
	}
}

// merged are two ascending lists read as one.
type merged struct{ list, big []uint32 }

// next is what comes next in the order of submission, whoever draws the tiles beside.
//
// RAS-057, RAS-100, RAS-101, RAS-102, RAS-360, RAS-364, RAS-369
func (m *merged) next() (i uint32, ok bool) {
	switch {
	case len(m.list) > 0 && (len(m.big) == 0 || m.list[0] < m.big[0]):
		i, m.list = m.list[0], m.list[1:]
	case len(m.big) > 0:
		i, m.big = m.big[0], m.big[1:]
	default:
		return 0, false
	}
	return i, true
}
