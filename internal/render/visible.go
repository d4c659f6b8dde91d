package render

import (
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// Hidden fragments are not shaded. As long as draws only overwrite colour
// (tests before shading, no blending, no masks, no side effects), a fragment
// whose samples are all overwritten by later ones leaves no trace, so shading
// waits until the tile knows which fragments stay. Tests and counting happen at
// once and in order; only the fragment shader is put off.
//
// RAS-305 leaves it to us how often shaders without side effects run.

// visibleBlock is what a set-up has of a block and waits for shading. Its samples
// shrink as later ones overwrite them.
type visibleBlock struct {
	setup *raster.Setup
	chunk *chunk
	x, y  int32
	next  int32 // 1 + the index of another one in the same block, or 0
}

// visibility collects the fragments of a tile.
type visibility struct {
	// under has overwritten the whole tile, before the list: its blocks are not in
	// the list yet. nil: nobody.
	under      *raster.Setup
	underChunk *chunk
	list       []visibleBlock // in order; those with nothing left have no setup
	room       int
	words      []uint64 // of each element, as in raster.Coverage
	each       int      // their number for an element
	live       int      // elements with something left
	// first is 1 + the index of an element in a block of the tile, or 0.
	first []int32
	// owned are the pixels of each block of which something may have been collected.
	owned []uint64
	// targets are the attachments that the collected draws write: all the same.
	targets uint32
}

// maxChain is how many set-ups may share a block before it is shaded, so that the
// next one does not have to look at many.
const maxChain = 64

// prepare sizes the collection: room for some layers of overdraw.
func (v *visibility) prepare(tile, words int) {
	blocks := tile / raster.BlockPixels * (tile / raster.BlockPixels)
	v.each = words
	v.room = 16*blocks + 1024
	if cap(v.list) < v.room {
		v.list = make([]visibleBlock, 0, v.room)
	}
	v.words = geometry.Grow(v.words, v.room*v.each)
	v.first, v.owned = geometry.Grow(v.first, blocks), geometry.Grow(v.owned, blocks)
	v.empty()
}

func (v *visibility) empty() {
	v.list, v.live, v.under = v.list[:0], 0, nil
	clear(v.first)
	clear(v.owned)
}

func (v *visibility) wordsOf(i int) []uint64 { return v.words[i*v.each:][:v.each:v.each] }

// hideBlock collects a block and takes from earlier ones what it overwrites: words are as in
// raster.Coverage.
func (w *worker) hideBlock(c *chunk, s *raster.Setup, x, y int32, whole bool, words []uint64) error {
	v := &w.visible
	if v.under != nil {
		w.uncover()
	}
	at := w.tile.BlockAt(x, y)
	if len(v.list) == v.room && v.live <= v.room/2 {
		v.compact(w.tile.BlockAt)
	}
	if len(v.list) == v.room || v.overwrite(at, whole, words[:w.plan.Samples]) > maxChain {
		if err := w.shadeVisible(); err != nil {
			return err
		}
	}
	copy(v.push(c, s, x, y, at), words)
	return nil
}

// hideAll takes all that was collected away: the set-up covers all samples of the tile.
func (w *worker) hideAll(c *chunk, s *raster.Setup) {
	v := &w.visible
	if len(v.list) > 0 {
		v.empty()
	}
	v.under, v.underChunk = s, c
}

// uncover collects the blocks of the set-up that lies under the others.
func (w *worker) uncover() {
	v, r := &w.visible, w.tile.Rect
	s, c := v.under, v.underChunk
	v.under = nil
	const m = raster.BlockPixels - 1
	for y := r.Y0 &^ m; y < r.Y1; y += raster.BlockPixels {
		for x := r.X0 &^ m; x < r.X1; x += raster.BlockPixels {
			at := w.tile.BlockAt(x, y)
			words := v.push(c, s, x, y, at)
			v.owned[at] = ^uint64(0)
			for k := range words {
				words[k] = raster.PixelsIn(r, x, y)
			}
		}
	}
}

// push adds an element, for which there is room, and returns its words.
func (v *visibility) push(c *chunk, s *raster.Setup, x, y int32, at int) []uint64 {
	i := len(v.list)
	v.list = v.list[:i+1]
	e := &v.list[i] // field by field: a struct would be made elsewhere and copied
	e.setup, e.chunk, e.x, e.y, e.next = s, c, x, y, v.first[at]
	v.live++
	v.first[at] = int32(i + 1)
	return v.wordsOf(i)
}

// overwrite takes the samples in masks, or the whole block, from what is collected of it, and
// returns the number of elements that are left there, 0 where it had nothing to look for.
func (v *visibility) overwrite(at int, whole bool, masks []uint64) (left int) {
	pixels := uint64(0)
	for _, m := range masks {
		pixels |= m
	}
	if v.owned[at]&pixels == 0 {
		v.owned[at] |= pixels
		return 0
	}
	v.owned[at] |= pixels
	link := &v.first[at]
	for *link != 0 {
		i := int(*link - 1)
		e := &v.list[i]
		any := uint64(0)
		if !whole {
			mask := v.wordsOf(i)
			for sample, m := range masks {
				mask[sample] &^= m
				any |= mask[sample]
			}
		}
		if any == 0 {
			e.setup, *link = nil, e.next
			v.live--
			continue
		}
		left++
		link = &e.next
	}
	return left
}

// compact drops the elements that nothing is left of.
func (v *visibility) compact(blockAt func(x, y int32) int) {
	clear(v.first)
	n := 0
	for i := range v.list {
		e := &v.list[i]
		if e.setup == nil {
			continue
		}
		at := blockAt(e.x, e.y)
		e.next, v.first[at] = v.first[at], int32(n+1)
		if n != i {
			v.list[n] = *e
			copy(v.wordsOf(n), v.wordsOf(i))
		}
		n++
	}
	v.list = v.list[:n]
}

// shadeVisible shades what is left of the collected fragments, in order.
func (w *worker) shadeVisible() error {
	v := &w.visible
	if s, c := v.under, v.underChunk; s != nil {
		v.under = nil // and nothing lies over it
		if err := w.frags.Start(c.Of); err != nil {
			return err
		}
		return w.frags.ShadeAll(&c.Primitives, s, w.tile.Rect)
	}
	for i := range v.list {
		e := &v.list[i]
		if e.setup == nil {
			continue
		}
		if err := w.frags.Start(e.chunk.Of); err != nil {
			return err
		}
		if err := w.frags.ShadeBlock(&e.chunk.Primitives, e.setup, e.x, e.y, v.wordsOf(i)); err != nil {
			return err
		}
	}
	if len(v.list) > 0 {
		v.empty()
	}
	return nil
}
