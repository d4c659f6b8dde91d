package render

import (
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Depth tests are decided for blocks of 8x8 pixels where bounds of the depths that a
// block holds and of those of a primitive in it are far enough apart. A block that a
// primitive covers and passes whole is not even written: it is known to hold the depth
// of that primitive until somebody has to read it.
//
// RAS-327 fragops-depth

// blockDepth is what is known of a block of the tile.
type blockDepth struct {
	bounds fragops.DepthRange
	// loose: the bounds may be closer; those of what is stored are worth a look.
	loose bool
	// setup has the depth of all samples, which are not stored yet, in the range and
	// at the locations of a draw; nil: they are stored.
	setup *raster.Setup
	tests *fragops.DepthStencil
	ss    *raster.SampleSet
}

// tileDepths are the blocks of the tile.
type tileDepths struct {
	blocks []blockDepth
	open   int // blocks that have a setup
	// all bounds the blocks together; nothing is known where it is stale.
	all   fragops.DepthRange
	stale bool
	// zf bounds the depths of the set-up that hidden has seen last, where it is small.
	zf    fragops.DepthRange
	small bool
}

// prepare sizes it for tiles of an extent.
func (d *tileDepths) prepare(size int) {
	n := size / raster.BlockPixels
	d.blocks = grow(d.blocks, n*n)
	clear(d.blocks)
}

// reset begins a tile whose depths are in a range.
func (d *tileDepths) reset(r fragops.DepthRange) {
	for i := range d.blocks {
		d.blocks[i] = blockDepth{bounds: r, loose: true}
	}
	d.all, d.stale, d.open = r, false, 0
}

// beginDepths is called when the tile has been cleared, or not.
func (w *worker) beginDepths(cleared bool) {
	p := w.plan
	if p.depth == nil {
		return
	}
	r := fragops.AnyDepth()
	if cleared {
		r = p.depthFormat.Bounds(p.depth.value[:])
	}
	w.depths.reset(r)
}

// blockAt is the index of the block of the tile that holds pixel (x, y).
func (w *worker) blockAt(x, y int32) int {
	shift := w.plan.grid.shift
	mask := int32(1)<<shift - 1
	return int(y&mask>>3<<(shift-3) | x&mask>>3)
}

// settle stores the depths of a block.
func (w *worker) settle(i int) {
	b := &w.depths.blocks[i]
	s := b.setup
	if s == nil {
		return
	}
	shift := w.plan.grid.shift - 3
	x, y := w.tile.rect.X0&^(1<<(shift+3)-1)+int32(i)&(1<<shift-1)*raster.BlockPixels, w.tile.rect.Y0&^(1<<(shift+3)-1)+int32(i)>>shift*raster.BlockPixels
	b.setup = nil
	w.depths.open--
	if w.settlePlaced(s, b.tests, x, y) {
		return
	}
	var quads [raster.BlockQuads]raster.Quad
	for k := range quads {
		quads[k].X, quads[k].Y = x+int32(k)&3<<1, y+int32(k)>>2<<1
	}
	n := 4 * w.plan.samples
	z := w.z[:len(quads)*n]
	s.Depth(quads[:], b.ss, z)
	for k := range quads {
		b.tests.Store(&w.tile.depth, int(quads[k].X), int(quads[k].Y), w.plan.samples, z[k*n:][:n])
	}
}

// settleAll stores the depths of all blocks.
func (w *worker) settleAll() {
	for i := 0; w.depths.open > 0; i++ {
		w.settle(i)
	}
}

// forgetDepths is called before something reads or writes depths by itself.
func (w *worker) forgetDepths() {
	w.settleAll()
	w.beginDepths(false)
}

// hidden says that all of a set-up in r, pixels of the tile, fails the test, before it
// is known what it covers.
func (w *worker) hidden(s *raster.Setup, ss *raster.SampleSet, tests *fragops.DepthStencil, r raster.Rect) bool {
	d := &w.depths
	small := r.X1-r.X0 <= raster.BlockPixels && r.Y1-r.Y0 <= raster.BlockPixels
	if !small && (r.X1-r.X0)>>3*((r.Y1-r.Y0)>>3) < manyBlocks {
		return false
	}
	low, high, ok := s.DepthRange(r, ss)
	if !ok {
		return false
	}
	zf := tests.Range(low, high)
	at := w.blockAt(r.X0, r.Y0)
	fails := tests.Decide(zf, d.blocks[at].bounds) == fragops.Fails
	if small {
		d.small, d.zf = true, zf
		return fails && at == w.blockAt(r.X1-1, r.Y1-1)
	}
	if !fails {
		return false // nor does the union
	}
	if d.stale {
		d.all, d.stale = d.blocks[0].bounds, false
		for i := range d.blocks[1:] {
			d.all = d.all.Union(d.blocks[1+i].bounds)
		}
	}
	return tests.Decide(zf, d.all) == fragops.Fails
}

// manyBlocks is how many blocks a primitive has at least for which those of the tile
// are looked at together.
const manyBlocks = 8

// openBlock is one whose samples are tested one by one.
type openBlock struct {
	block int // of worker.found
	zf    fragops.DepthRange
}

// testBlocks runs depth and stencil tests before shading on w.found, and keeps the
// samples that pass.
//
// RAS-301, RAS-303 fragops
func (w *worker) testBlocks(s *raster.Setup, st *drawState, tests *fragops.DepthStencil) {
	b, d := &w.found, &w.depths
	writes := tests.DepthTest && tests.DepthWrite
	n := 0
	w.open = w.open[:0]
	for k := range b.Blocks {
		o := &b.Blocks[k]
		at := w.blockAt(o.X, o.Y)
		bd := &d.blocks[at]
		zf, how := fragops.DepthRange{}, fragops.Open
		switch {
		case tests.DepthTest && d.small:
			zf = d.zf
		case tests.DepthTest:
			zf = w.rangeIn(s, st, tests, o)
		}
		if tests.Decides() {
			how = tests.Decide(zf, bd.bounds)
		}
		if how == fragops.Passes && writes {
			if o.Whole && !st.exclusive {
				if bd.setup == nil {
					d.open++
				}
				// Field by field: a struct would be made elsewhere and copied.
				bd.bounds, bd.loose, bd.setup, bd.tests, bd.ss = zf, false, s, tests, st.ss
				d.stale = true
			} else {
				how = fragops.Open
			}
		}
		switch how {
		case fragops.Fails:
			continue
		case fragops.Open:
			w.settle(at)
			w.open = append(w.open, openBlock{n, zf})
		}
		b.Move(n, k)
		n++
	}
	b.All = b.All && n == len(b.Blocks) && len(w.open) == 0
	b.Cut(n)
	if len(w.open) == 0 {
		return
	}
	if !w.testBlocksPlaced(s, tests) {
		w.testBlocksQuads(s, st, tests)
	}
	w.testOpen(st, tests)
}

// testBlocksQuads is testBlocksPlaced, quad by quad.
func (w *worker) testBlocksQuads(s *raster.Setup, st *drawState, tests *fragops.DepthStencil) {
	b, quads := &w.found, w.quads[:0]
	for i := range w.open {
		k := w.open[i].block
		quads = raster.AppendQuads(quads, b.Blocks[k].X, b.Blocks[k].Y, b.Mask(k))
	}
	quads = w.test(s, st.ss, tests, quads, false)
	for i := range w.open {
		b.Take(w.open[i].block, &quads)
	}
}

// rangeIn bounds the depths of a set-up in a block.
func (w *worker) rangeIn(s *raster.Setup, st *drawState, tests *fragops.DepthStencil, o *raster.Block) fragops.DepthRange {
	r := raster.Rect{X0: o.X, Y0: o.Y, X1: o.X + raster.BlockPixels, Y1: o.Y + raster.BlockPixels}
	if low, high, ok := s.DepthRange(r.Intersect(s.Bounds), st.ss); ok {
		return tests.Range(low, high)
	}
	return fragops.AnyDepth()
}

// testOpen takes note of what the tests of the open blocks of w.found have left.
func (w *worker) testOpen(st *drawState, tests *fragops.DepthStencil) {
	b, d := &w.found, &w.depths
	writes := tests.DepthTest && tests.DepthWrite
	lost := false
	for i := range w.open {
		p := &w.open[i]
		o := &b.Blocks[p.block]
		any := b.Pixels(p.block) != 0
		lost = lost || !any
		bd := &d.blocks[w.blockAt(o.X, o.Y)]
		switch {
		case o.Whole && writes:
			bd.bounds, bd.loose, d.stale = p.zf, false, true
		case any && writes:
			bd.bounds, bd.loose, d.stale = bd.bounds.Union(p.zf), true, true
		case !any && bd.loose && tests.Decides() && !st.late:
			// What waits in a batch may write later.
			r := w.tile.rect.Intersect(raster.Rect{X0: o.X, Y0: o.Y, X1: o.X + raster.BlockPixels, Y1: o.Y + raster.BlockPixels})
			bd.bounds = tests.Format.Stored(&w.tile.depth, int(r.X0), int(r.Y0), int(r.X1), int(r.Y1), w.plan.samples)
			bd.loose, d.stale = false, true
		}
	}
	if !lost {
		return
	}
	n := 0
	for k := range b.Blocks {
		if b.Pixels(k) != 0 {
			b.Move(n, k)
			n++
		}
	}
	b.Cut(n)
}

// expectLate prepares the blocks of w.found for tests after shading.
func (w *worker) expectLate(s *raster.Setup, st *drawState, tests *fragops.DepthStencil) {
	if !tests.Active() {
		return
	}
	for k := range w.found.Blocks {
		o := &w.found.Blocks[k]
		at := w.blockAt(o.X, o.Y)
		w.settle(at)
		if !tests.DepthTest || !tests.DepthWrite {
			continue
		}
		bd, zf := &w.depths.blocks[at], fragops.AnyDepth()
		if st.link.outs.depth == none {
			zf = w.rangeIn(s, st, tests, o)
		}
		bd.bounds, bd.loose, w.depths.stale = bd.bounds.Union(zf), true, true
	}
}
