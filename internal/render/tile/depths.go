package tile

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
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
	// queued is the epoch of queue where places of the block wait.
	queued uint32
}

// depths are the blocks of the tile.
type depths struct {
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
func (d *depths) reset(r fragops.DepthRange) {
	for i := range d.blocks {
		d.blocks[i] = blockDepth{bounds: r, loose: true}
	}
	d.all, d.stale, d.open = r, false, 0
}

// BlockAt is the index of the block of the tile that holds pixel (x, y).
func (t *Tile) BlockAt(x, y int32) int {
	shift := t.Plan.Grid.Shift
	mask := int32(1)<<shift - 1
	return int(y&mask>>3<<(shift-3) | x&mask>>3)
}

// settle stores the depths of a block.
func (t *Tile) settle(i int) {
	b := &t.depths.blocks[i]
	s := b.setup
	if s == nil {
		return
	}
	shift := t.Plan.Grid.Shift - 3
	x := t.Rect.X0&^(1<<(shift+3)-1) + int32(i)&(1<<shift-1)*raster.BlockPixels
	y := t.Rect.Y0&^(1<<(shift+3)-1) + int32(i)>>shift*raster.BlockPixels
	b.setup = nil
	b.loose, b.rough = b.loose || b.rough, false
	t.depths.open--
	t.storeDepths(s, b.tests, x, y)
}

// SettleAll stores the depths of all blocks.
func (t *Tile) SettleAll() {
	for i := 0; t.depths.open > 0; i++ {
		t.settle(i)
	}
}

// Forget is called before something reads or writes depths by itself.
func (t *Tile) Forget() {
	t.SettleAll()
	if t.Plan.Depth != nil {
		t.depths.reset(fragops.AnyDepth())
	}
}

// Hides says that all of a set-up in r, pixels of the tile, fails tests, before it is known what it
// covers. Of each set-up it is asked first.
func (t *Tile) Hides(
	s *raster.Setup, ss *raster.SampleSet, tests *fragops.DepthStencil, r raster.Rect,
) bool {
	d := &t.depths
	if d.small = false; !tests.Active() || !tests.Decides(!s.FrontFacing) {
		return false
	}
	small := r.X1-r.X0 <= raster.BlockPixels && r.Y1-r.Y0 <= raster.BlockPixels
	if !small && (r.X1-r.X0)>>3*((r.Y1-r.Y0)>>3) < manyBlocks {
		return false
	}
	low, high, ok := s.DepthRange(r, ss)
	if !ok {
		return false
	}
	zf := tests.Range(low, high)
	at := t.BlockAt(r.X0, r.Y0)
	fails := tests.Decide(zf, d.blocks[at].bounds) == fragops.Fails
	if small {
		d.small, d.zf = true, zf
		return fails && at == t.BlockAt(r.X1-1, r.Y1-1) &&
			(d.blocks[at].queued != t.queue.epoch || overtakes(tests, fragops.Fails))
	}
	if !fails || len(t.queue.places) > 0 && !overtakes(tests, fragops.Fails) {
		return false // nor does the union
	}
	return tests.Decide(zf, d.union()) == fragops.Fails
}

// union bounds the blocks together.
func (d *depths) union() fragops.DepthRange {
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

// PassesAll does the tests of a set-up that covers all of r, where that is the tile, none wait, and
// bounds of depth decide that it passes everywhere, and is stored: blocks own its depths as those
// that pass one by one do.
//
// RAS-327 fragops-depth
func (t *Tile) PassesAll(
	s *raster.Setup, ss *raster.SampleSet, tests *fragops.DepthStencil, r raster.Rect,
) bool {
	d := &t.depths
	if r != t.Rect || len(t.queue.places) > 0 ||
		!tests.DepthTest || !tests.DepthWrite || tests.StencilTest || !tests.Decides(!s.FrontFacing) ||
		(r.X0|r.Y0|r.X1|r.Y1)&(raster.BlockPixels-1) != 0 {
		return false
	}
	low, high, ok := s.DepthRange(r, ss)
	if !ok {
		return false
	}
	zf := tests.Range(low, high)
	if tests.Decide(zf, d.union()) != fragops.Passes {
		return false
	}
	for y := r.Y0; y < r.Y1; y += raster.BlockPixels {
		for x := r.X0; x < r.X1; x += raster.BlockPixels {
			bd := &d.blocks[t.BlockAt(x, y)]
			if bd.setup == nil {
				d.open++
			}
			bd.bounds, bd.loose, bd.rough, bd.setup, bd.tests, bd.ss = zf, false, true, s, tests, ss
		}
	}
	d.all, d.stale = zf, false
	return true
}

// rangeIn bounds the depths of a set-up in a block.
func rangeIn(
	s *raster.Setup, ss *raster.SampleSet, tests *fragops.DepthStencil, o *raster.Block,
) fragops.DepthRange {
	return DepthsIn(s, ss, tests, o.Rect().Intersect(s.Bounds))
}

// DepthsIn bounds the depths of a set-up in pixels of its bounds, where tests ask for them.
func DepthsIn(
	s *raster.Setup, ss *raster.SampleSet, tests *fragops.DepthStencil, r raster.Rect,
) fragops.DepthRange {
	if tests.DepthTest {
		if low, high, ok := s.DepthRange(r, ss); ok {
			return tests.Range(low, high)
		}
	}
	return fragops.AnyDepth()
}

// sharpen makes rough bounds of a block those in it.
func (t *Tile) sharpen(bd *blockDepth, o *raster.Block) {
	bd.bounds, bd.rough, t.depths.stale = rangeIn(bd.setup, bd.ss, bd.tests, o), false, true
}

// tighten makes the bounds of a block those of what is stored. Nothing may wait in a batch that
// writes later.
func (t *Tile) tighten(bd *blockDepth, x, y int32) {
	r := (&raster.Block{X: x, Y: y}).Rect().Intersect(t.Rect)
	bd.bounds = t.Plan.DepthFormat.Stored(
		&t.depth, int(r.X0), int(r.Y0), int(r.X1), int(r.Y1), t.Plan.Samples)
	bd.loose, t.depths.stale = false, true
}

// Expect prepares a block for tests after shading, which perhaps test depths that the shader writes.
func (t *Tile) Expect(
	s *raster.Setup, ss *raster.SampleSet, tests *fragops.DepthStencil, written bool, x, y int32,
) {
	if !tests.Active() {
		return
	}
	at := t.BlockAt(x, y)
	t.settle(at)
	if !tests.DepthTest || !tests.DepthWrite {
		return
	}
	bd, zf := &t.depths.blocks[at], fragops.AnyDepth()
	if !written {
		zf = rangeIn(s, ss, tests, &raster.Block{X: x, Y: y})
	}
	bd.bounds, bd.loose, t.depths.stale = bd.bounds.Union(zf), true, true
}

// FailsBlock prepares a block for tests that its shader's program does, or says that all of it fails
// them, whatever comes before: bounds are those of all that waits. zf bounds the set-up's depths.
func (t *Tile) FailsBlock(
	s *raster.Setup, tests *fragops.DepthStencil, zf fragops.DepthRange, x, y int32,
) (fails bool) {
	if !tests.Active() {
		return false
	}
	decides := tests.Decides(!s.FrontFacing)
	d, at := &t.depths, t.BlockAt(x, y)
	bd, writes := &d.blocks[at], tests.DepthTest && tests.DepthWrite
	if decides || writes {
		if bd.rough {
			t.sharpen(bd, &raster.Block{X: x, Y: y})
		}
		if decides && tests.Decide(zf, bd.bounds) == fragops.Fails {
			return true
		}
		if writes {
			bd.bounds, bd.loose, d.stale = bd.bounds.Union(zf), true, true
		}
	}
	t.settle(at)
	return false
}

// TightenFailed makes the bounds of blocks closer where tests have left little of places: nothing waits
// any more that writes depths.
func (t *Tile) TightenFailed(places []exec.Place) {
	failed := 0
	none := func(q *exec.Place) bool { // of all samples that there are
		return !slices.ContainsFunc(q.Covered[:t.Plan.Samples], func(m uint16) bool { return m != 0 })
	}
	for i := range places {
		if none(&places[i]) {
			failed++
		}
	}
	if 2*failed < len(places) {
		return
	}
	for i := range places {
		if q := &places[i]; none(q) {
			x, y := q.X, q.Y&^(raster.BlockPixels-1)
			if bd := &t.depths.blocks[t.BlockAt(x, y)]; bd.loose {
				t.tighten(bd, x, y)
			}
		}
	}
}
