package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Hidden fragments are not shaded. As long as draws only overwrite colour
// (tests before shading, no blending, no masks, no side effects), a fragment
// whose samples are all overwritten by later ones leaves no trace, so shading
// waits until the tile knows which fragments stay. Tests and counting happen at
// once and in order; only the fragment shader is put off.
//
// RAS-305 leaves it to us how often shaders without side effects run.

// visibleQuad is a quad that passed the tests and waits for shading; its mask
// shrinks as later fragments overwrite samples.
type visibleQuad struct {
	quad  raster.Quad
	full  uint64
	setup *raster.Setup
	chunk *chunk
}

// visibility collects the fragments of a tile.
type visibility struct {
	// under is the set-up that has overwritten the whole tile, before the list:
	// its quads are not in the list yet. nil for none.
	under      *raster.Setup
	underChunk *chunk
	list       []visibleQuad // in order
	room       int
	// owner is 1 + the index in list of the quad that a sample belongs to, or
	// 0; by quad of the tile, lane and sample.
	owner []uint16
	// targets are the attachments that the collected draws write: all the same.
	targets uint32
}

// maxVisible bounds the collected quads, so that an index fits owner.
const maxVisible = 1<<16 - 1

// wholeQuad is the mask of a quad with one sample a fragment, all covered: the
// common case, whose four samples mostly had one owner too.
const wholeQuad = 0x0001_0001_0001_0001

// prepare sizes the collection: room for a few layers of overdraw.
func (v *visibility) prepare(tile, samples int) {
	quads := tile * tile / 4
	v.room = min(max(4*quads, 4096), maxVisible)
	if cap(v.list) < v.room {
		v.list = make([]visibleQuad, 0, v.room)
	}
	v.list, v.under = v.list[:0], nil
	v.owner = grow(v.owner, quads*4*samples)
	clear(v.owner)
}

// hideAll takes all that was collected away, where the set-up overwrites every
// sample of r, the whole tile, whatever came before. false where it does not.
func (w *worker) hideAll(c *chunk, s *raster.Setup, viewport uint16, r raster.Rect) bool {
	v, st := &w.visible, c.draw.state
	all := fragops.SampleMask(1<<w.plan.samples - 1)
	if st.coarse || st.windows != nil || c.draw.draw.Occlusion != 0 || st.tests[viewport].Active() ||
		st.sampleMask&all != all || r != w.tile.rect || !s.Full(c.extra, r, st.ss) {
		return false
	}
	if len(v.list) > 0 {
		v.list = v.list[:0]
		clear(v.owner)
	}
	v.under, v.underChunk = s, c
	return true
}

// uncover collects the quads of the set-up that lies under the others.
func (w *worker) uncover() error {
	v := &w.visible
	s := v.under
	if s == nil {
		return nil
	}
	v.under = nil
	n := s.Cover(w.quads, v.underChunk.extra, w.tile.rect, v.underChunk.draw.state.ss)
	for k, q := range w.quads[:n] {
		w.full[k] = q.Mask
	}
	return w.hide(v.underChunk, s, w.quads[:n])
}

// hide collects quads of a primitive and takes from earlier ones what they
// overwrite.
func (w *worker) hide(c *chunk, s *raster.Setup, quads []raster.Quad) error {
	v := &w.visible
	samples := w.plan.samples
	shift := w.plan.grid.shift - 1 // quads in a row of the tile
	mask := int32(1)<<(shift+1) - 1
	for k, q := range quads {
		if len(v.list) == v.room && !v.compact(shift, mask, samples) {
			if err := w.shadeVisible(); err != nil {
				return err
			}
		}
		x, y := int(q.X&mask)>>1, int(q.Y&mask)>>1
		owner := v.owner[(y<<shift|x)*4*samples:][:4*samples]
		id := uint16(len(v.list) + 1)
		if samples == 1 && q.Mask == wholeQuad && owner[0] == owner[1] && owner[2] == owner[3] && owner[0] == owner[2] {
			if at := owner[0]; at != 0 {
				v.list[at-1].quad.Mask &^= wholeQuad
			}
			owner[0], owner[1], owner[2], owner[3] = id, id, id, id
			v.add(q.X, q.Y, wholeQuad, w.full[k], s, c)
			continue
		}
		for m := q.Mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			at := &owner[i>>4*samples+i&15]
			if *at != 0 {
				v.list[*at-1].quad.Mask &^= 1 << i
			}
			*at = id
		}
		v.add(q.X, q.Y, q.Mask, w.full[k], s, c)
	}
	return nil
}

// add appends a quad, for which there is room; field by field, because a struct
// would be made elsewhere and copied.
func (v *visibility) add(x, y int32, mask, full uint64, s *raster.Setup, c *chunk) {
	v.list = v.list[:len(v.list)+1]
	e := &v.list[len(v.list)-1]
	e.quad.X, e.quad.Y, e.quad.Mask, e.full, e.setup, e.chunk = x, y, mask, full, s, c
}

// compact drops the quads that nothing is left of. It returns false where that
// makes too little room.
func (v *visibility) compact(shift uint, mask int32, samples int) bool {
	n := 0
	for i := range v.list {
		if v.list[i].quad.Mask != 0 {
			n++
		}
	}
	if n > v.room*3/4 {
		return false
	}
	n = 0
	for i := range v.list {
		e := &v.list[i]
		if e.quad.Mask == 0 {
			continue
		}
		v.list[n] = *e
		n++
		x, y := int(e.quad.X&mask)>>1, int(e.quad.Y&mask)>>1
		owner := v.owner[(y<<shift|x)*4*samples:][:4*samples]
		for m := e.quad.Mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			owner[i>>4*samples+i&15] = uint16(n)
		}
	}
	v.list = v.list[:n]
	return true
}

// shadeVisible shades what is left of the collected fragments, in order.
func (w *worker) shadeVisible() error {
	v := &w.visible
	if err := w.uncover(); err != nil {
		return err
	}
	if len(v.list) == 0 {
		return nil
	}
	clear(v.owner)
	for i := 0; i < len(v.list); {
		s, c := v.list[i].setup, v.list[i].chunk
		n := 0
		for ; i < len(v.list) && v.list[i].setup == s && n < len(w.visibleQuads); i++ {
			if e := &v.list[i]; e.quad.Mask != 0 {
				w.visibleQuads[n], w.visibleFull[n] = e.quad, e.full
				n++
			}
		}
		if n == 0 {
			continue
		}
		if err := w.startGroup(c.draw); err != nil {
			return err
		}
		if err := w.shade(c, s, w.visibleQuads[:n], w.visibleFull[:n]); err != nil {
			return err
		}
	}
	v.list = v.list[:0]
	return nil
}

// shade hands quads of a primitive to the batch.
func (w *worker) shade(c *chunk, s *raster.Setup, quads []raster.Quad, full []uint64) error {
	rec := &c.recs[s.Prim]
	if c.draw.state.sampleRate {
		return w.pushShares(c, s, rec, quads, full, c.draw.state.shares)
	}
	return w.push(c, s, rec, quads, full, c.draw.state.place)
}
