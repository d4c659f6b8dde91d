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
	// rough: the bounds are those of setup in all of the tile.
	rough bool
	// setup has the depth of all samples, which are not stored yet, in the range and
	// at the locations of a draw; nil: they are stored.
	setup *raster.Setup
	tests *fragops.DepthStencil
	ss    *raster.SampleSet
	// queued is the epoch of testQueue where places of the block wait.
	queued uint32
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

// reset begins a tile whose depths are in a range.
func (d *tileDepths) reset(r fragops.DepthRange) {
	for i := range d.blocks {
		d.blocks[i] = blockDepth{bounds: r, loose: true}
	}
	d.all, d.stale, d.open = r, false, 0
}

// beginDepths is called when the tile has been cleared, or not.
func (t *tile) beginDepths(cleared bool) {
	p := t.plan
	if p.depth == nil {
		return
	}
	r := fragops.AnyDepth()
	if cleared {
		r = p.depthFormat.Bounds(p.depth.value[:])
	}
	t.depths.reset(r)
}

// blockAt is the index of the block of the tile that holds pixel (x, y).
func (t *tile) blockAt(x, y int32) int {
	shift := t.plan.grid.shift
	mask := int32(1)<<shift - 1
	return int(y&mask>>3<<(shift-3) | x&mask>>3)
}

// settle stores the depths of a block.
func (t *tile) settle(i int) {
	b := &t.depths.blocks[i]
	s := b.setup
	if s == nil {
		return
	}
	shift := t.plan.grid.shift - 3
	x := t.rect.X0&^(1<<(shift+3)-1) + int32(i)&(1<<shift-1)*raster.BlockPixels
	y := t.rect.Y0&^(1<<(shift+3)-1) + int32(i)>>shift*raster.BlockPixels
	b.setup = nil
	b.loose, b.rough = b.loose || b.rough, false
	t.depths.open--
	t.storeDepths(s, b.tests, x, y)
}

// settleAll stores the depths of all blocks.
func (t *tile) settleAll() {
	for i := 0; t.depths.open > 0; i++ {
		t.settle(i)
	}
}

// forgetDepths is called before something reads or writes depths by itself.
func (t *tile) forgetDepths() {
	t.settleAll()
	t.beginDepths(false)
}

// hidden says that all of a set-up in r, pixels of the tile, fails the test, before it
// is known what it covers.
func (w *worker) hidden(s *raster.Setup, ss *raster.SampleSet, tests *fragops.DepthStencil, r raster.Rect) bool {
	d := &w.tile.depths
	small := r.X1-r.X0 <= raster.BlockPixels && r.Y1-r.Y0 <= raster.BlockPixels
	if !small && (r.X1-r.X0)>>3*((r.Y1-r.Y0)>>3) < manyBlocks {
		return false
	}
	low, high, ok := s.DepthRange(r, ss)
	if !ok {
		return false
	}
	zf := tests.Range(low, high)
	at := w.tile.blockAt(r.X0, r.Y0)
	fails := tests.Decide(zf, d.blocks[at].bounds) == fragops.Fails
	if small {
		d.small, d.zf = true, zf
		return fails && at == w.tile.blockAt(r.X1-1, r.Y1-1) &&
			(d.blocks[at].queued != w.queue.epoch || overtakes(tests, fragops.Fails))
	}
	if !fails || len(w.queue.places) > 0 && !overtakes(tests, fragops.Fails) {
		return false // nor does the union
	}
	return tests.Decide(zf, d.union()) == fragops.Fails
}

// union bounds the blocks together.
func (d *tileDepths) union() fragops.DepthRange {
	if d.stale {
		d.all, d.stale = d.blocks[0].bounds, false
		for i := range d.blocks[1:] {
			d.all = d.all.Union(d.blocks[1+i].bounds)
		}
	}
	return d.all
}

// manyBlocks is how many blocks a primitive has at least for which those of the tile
// are looked at together.
const manyBlocks = 8

// testBlocks runs depth and stencil tests before shading on w.found, and keeps the
// samples that pass; those that wait for a run go on from there.
func (w *worker) testBlocks(c *chunk, s *raster.Setup, st *drawState, tests *fragops.DepthStencil) error {
	b, d := &w.found, &w.tile.depths
	writes, decides := tests.DepthTest && tests.DepthWrite, tests.Decides(!s.FrontFacing)
	if err := w.queueFor(c, s, tests); err != nil {
		return err
	}
	asked := writes || st.fragment != nil || c.draw.draw.Occlusion != 0
	n := 0
	for k := range b.Blocks {
		o := &b.Blocks[k]
		at := w.tile.blockAt(o.X, o.Y)
		bd := &d.blocks[at]
		zf, how := fragops.DepthRange{}, fragops.Open
		switch {
		case !decides && !writes:
		case d.small:
			zf = d.zf
		default:
			zf = rangeIn(s, st.ss, tests, o)
		}
		if decides {
			if how = tests.Decide(zf, bd.bounds); how == fragops.Open && bd.rough {
				w.tile.sharpen(bd, o)
				how = tests.Decide(zf, bd.bounds)
			}
			if how == fragops.Open && bd.loose && !writes && st.queued > 0 {
				w.tile.tighten(bd, o.X, o.Y) // once for all that come
				how = tests.Decide(zf, bd.bounds)
			}
			if tests.StencilTest && how == fragops.Passes || bd.queued == w.queue.epoch && !overtakes(tests, how) {
				how = fragops.Open
			}
		}
		if how == fragops.Passes && writes {
			if o.Whole {
				if bd.setup == nil {
					d.open++
				}
				// Field by field: a struct would be made elsewhere and copied.
				bd.bounds, bd.loose, bd.rough, bd.setup, bd.tests, bd.ss = zf, false, false, s, tests, st.ss
				d.stale = true
			} else {
				how = fragops.Open
			}
		}
		switch how {
		case fragops.Fails:
			continue
		case fragops.Open:
			w.tile.settle(at)
			if err := w.enqueue(c, s, k, at, zf, asked); err != nil {
				return err
			}
			continue
		}
		b.Move(n, k)
		n++
	}
	b.All = b.All && n == len(b.Blocks)
	b.Cut(n)
	if len(w.queue.places) > st.queued {
		return w.runQueue()
	}
	return nil
}

// rangeIn bounds the depths of a set-up in a block.
func rangeIn(
	s *raster.Setup, ss *raster.SampleSet, tests *fragops.DepthStencil, o *raster.Block,
) fragops.DepthRange {
	r := raster.Rect{X0: o.X, Y0: o.Y, X1: o.X + raster.BlockPixels, Y1: o.Y + raster.BlockPixels}
	if low, high, ok := s.DepthRange(r.Intersect(s.Bounds), ss); ok {
		return tests.Range(low, high)
	}
	return fragops.AnyDepth()
}

// sharpen makes rough bounds of a block those in it.
func (t *tile) sharpen(bd *blockDepth, o *raster.Block) {
	bd.bounds, bd.rough, t.depths.stale = rangeIn(bd.setup, bd.ss, bd.tests, o), false, true
}

// noteTested takes note of what tests have left of a block: any samples, or the whole of it.
func (t *tile) noteTested(
	st *drawState, tests *fragops.DepthStencil, back bool, bd *blockDepth, zf fragops.DepthRange,
	any, whole bool, x, y int32,
) {
	writes := tests.DepthTest && tests.DepthWrite
	switch {
	case whole && writes:
		bd.bounds, bd.loose, t.depths.stale = zf, false, true
	case any && writes:
		bd.bounds, bd.loose, t.depths.stale = bd.bounds.Union(zf), true, true
	case !any && bd.loose && tests.Decides(back) && st.queued > 0:
		t.tighten(bd, x, y)
	}
}

// tighten makes the bounds of a block those of what is stored. Nothing may wait in a batch that
// writes later.
func (t *tile) tighten(bd *blockDepth, x, y int32) {
	r := raster.Rect{X0: x, Y0: y, X1: x + raster.BlockPixels, Y1: y + raster.BlockPixels}
	r = r.Intersect(t.rect)
	bd.bounds = t.plan.depthFormat.Stored(
		&t.depth, int(r.X0), int(r.Y0), int(r.X1), int(r.Y1), t.plan.samples)
	bd.loose, t.depths.stale = false, true
}

// expectLate prepares the blocks of w.found for tests after shading.
func (w *worker) expectLate(s *raster.Setup, st *drawState, tests *fragops.DepthStencil) {
	if !tests.Active() {
		return
	}
	for k := range w.found.Blocks {
		o := &w.found.Blocks[k]
		w.tile.expectLateIn(s, st, tests, o.X, o.Y, w.tile.blockAt(o.X, o.Y))
	}
}

// expectLateIn is expectLate for a block of the tile.
func (t *tile) expectLateIn(
	s *raster.Setup, st *drawState, tests *fragops.DepthStencil, x, y int32, at int,
) {
	if !tests.Active() {
		return
	}
	t.settle(at)
	if !tests.DepthTest || !tests.DepthWrite {
		return
	}
	bd, zf := &t.depths.blocks[at], fragops.AnyDepth()
	if st.link.outs.depth == none {
		zf = rangeIn(s, st.ss, tests, &raster.Block{X: x, Y: y})
	}
	bd.bounds, bd.loose, t.depths.stale = bd.bounds.Union(zf), true, true
}
