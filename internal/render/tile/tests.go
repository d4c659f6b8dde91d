package tile

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/vk"
)

// Depth and stencil tests of places: a program loads and stores what the attachments hold,
// and leaves covered what passes.

// depthKey is that of a program of tests.
type depthKey struct {
	lowered.DepthKey
	samples lowered.Window
}

// Tests are what a draw state's tests do to fragments of one face.
type Tests struct {
	Key lowered.DepthKey
	// Placed is the program on places, store the one that stores depths that have passed.
	// With a density map placed is that of fragments of a pixel, and dense those of all sizes, by 3w +
	// h.
	Placed, store PlacedTest
	dense         [9]PlacedTest
}

// PlacedTest is a program of tests on places, and where samples are.
type PlacedTest struct {
	program int // that of warped planes comes later
	Ctx     exec.Context
	key     depthKey
}

// AddTests gives tests their programs, one for both faces where these do the same.
// With referenced the shader makes the stencil references.
func (pl *Plan) AddTests(
	tests []fragops.DepthStencil, referenced bool, ss *raster.SampleSet,
) error {
	for i := range tests {
		t := &tests[i]
		if !t.Active() {
			continue
		}
		for face := range t.Tails {
			if face == 1 && (!t.StencilTest || t.Faces[0] == t.Faces[1]) {
				t.Tails[1] = t.Tails[0]
				continue
			}
			to, err := &Tests{Key: lowered.DepthKeyOf(t, face == 1, referenced)}, error(nil)
			if to.Placed, err = pl.Test(to.Key, t, face == 1, ss, lowered.All(ss.N)); err != nil {
				return err
			}
			for k := 0; pl.Dense != nil && k < len(to.dense); k++ {
				ss := pl.Dense[k/3][k%3]
				if to.dense[k], err = pl.Test(to.Key, t, face == 1, ss, lowered.All(ss.N)); err != nil {
					return err
				}
			}
			if to.Key.Test && to.Key.Write {
				store := lowered.DepthKey{
					Format: to.Key.Format, Test: true, Write: true, Unit: to.Key.Unit, Compare: vk.CompareOpAlways,
				}
				if to.store, err = pl.Test(store, t, face == 1, ss, lowered.All(ss.N)); err != nil {
					return err
				}
			}
			pl.Tests = append(pl.Tests, to)
			t.Tails[face] = len(pl.Tests)
		}
	}
	return nil
}

// TestsOf are those of a face, nil where there are none.
//
// RAS-236
func (pl *Plan) TestsOf(t *fragops.DepthStencil, back bool) *Tests {
	n := t.Tails[0]
	if back {
		n = t.Tails[1]
	}
	if n == 0 {
		return nil
	}
	return pl.Tests[n-1]
}

// Test is the program of a key on places that have such samples, with the numbers of a state.
func (pl *Plan) Test(
	key lowered.DepthKey, tests *fragops.DepthStencil, back bool, ss *raster.SampleSet,
	samples lowered.Window,
) (PlacedTest, error) {
	key.Grid = ss.Grid != nil
	t := PlacedTest{key: depthKey{key, samples}}
	t.Ctx.Push = lowered.DepthPush(tests, back, ss, samples)
	r, err := pl.lowerTest(t.key)
	t.program = pl.Number(r)
	return t, err
}

// lowerTest is the program of a key.
func (pl *Plan) lowerTest(key depthKey) (exec.Routine, error) {
	return pl.Made.Routine(key, func() (*ir.Program, error) { return lowered.LowerDepth(key.DepthKey, key.samples) })
}

// Tile is the memory of the tile that a worker draws.
type Tile struct {
	Plan    *Plan
	Threads *threads.Threads
	// Passed takes what tests that have waited leave of a block. It is called by test and finish.
	Passed func(of any, s *raster.Setup, x, y int32, whole bool, words []uint64) error
	// Fail takes errors of programs that only store.
	Fail func(error)

	Layer          int
	Rect           raster.Rect // pixels, cut to the area
	Color          [MaxColorAttachments]fragops.Surface
	depth, stencil fragops.Surface
	Surfaces       [2]exec.Surface // of tests: depth and stencil
	depths         depths
	queue          queue
	Size           int // of fragments in the part that is drawn, with a density map: see Plan.Dense

	batch   exec.Batch                         // of tests
	settled [raster.BlockPixels / 2]exec.Place // of a block
	record  [inputs.DepthRecord]byte           // of tests alone
	// Those of a resolve.
	resolved   exec.Batch
	resolvedTo [2]exec.Surface
	places     []exec.Place
}

// Prepare sizes it for a pass in tiles of an extent, and forgets a tile that an ended pass left.
func (t *Tile) Prepare(p *Plan, size int) {
	t.Plan = p
	t.places = slices.Grow(t.places[:0], size*size/ir.PlaceLanes)
	n := size / raster.BlockPixels
	t.depths = depths{blocks: slices.Grow(t.depths.blocks[:0], n*n)[:n*n]}
	clear(t.depths.blocks)
	q := &t.queue
	q.places, q.blocks = slices.Grow(q.places[:0], queuedPlaces), slices.Grow(q.blocks[:0], queuedPlaces)
	bytes, words := queuedPlaces*inputs.DepthRecord, queuedPlaces*p.Words
	q.records = slices.Grow(q.records[:0], bytes)[:bytes]
	q.words = slices.Grow(q.words[:0], words)[:words]
	q.used, q.setup, q.planes = 0, nil, inputs.Affine
	q.epoch++
}

// Bind makes it a rectangle of a layer, whose depths are the clear value or anything.
func (t *Tile) Bind(layer int, r raster.Rect, cleared bool) {
	p, x := t.Plan, int(r.X0)
	t.Layer, t.Rect = layer, r
	for i, a := range p.Color {
		if a != nil {
			t.Color[i] = a.Surfaces[layer].Column(x)
		}
	}
	t.depth, t.stencil = fragops.Surface{}, fragops.Surface{}
	if p.Stencil != nil {
		t.stencil = p.Stencil.Surfaces[layer].Column(x)
	}
	if p.Depth != nil {
		t.depth = p.Depth.Surfaces[layer].Column(x)
		if cleared {
			t.depths.reset(p.DepthFormat.Bounds(p.Depth.Value[:]))
		} else {
			t.depths.reset(fragops.AnyDepth())
		}
	}
	t.Surfaces = [2]exec.Surface{
		{Data: t.depth.Data, RowPitch: t.depth.RowPitch},
		{Data: t.stencil.Data, RowPitch: t.stencil.RowPitch},
	}
	t.batch.Surfaces = t.Surfaces[:]
}

// RunTests runs a program of tests on places, with rows of depths and references where shaders make
// them. Tests are often of few: all that stays the same in a tile is in the batch already.
func (t *Tile) RunTests(
	test *PlacedTest, planes inputs.Planes, places []exec.Place, records []byte, in ...[]uint32,
) error {
	b := &t.batch
	b.N, b.Places, b.Records, b.In = ir.PlaceLanes*len(places), places, records, in
	if planes < inputs.Warped {
		return t.Threads.By[test.program].Run(&test.Ctx, b)
	}
	p, err := t.Threads.Later(test, func() (exec.Routine, error) {
		key := test.key
		key.Warped = true
		return t.Plan.lowerTest(key)
	})
	if err != nil {
		return err
	}
	return p.Run(&test.Ctx, b)
}

// wholeBlock are the masks of a block of which all is covered.
var wholeBlock = func() (all [fragops.MaxSamples]uint64) {
	for i := range all {
		all[i] = ^uint64(0)
	}
	return all
}()

// storeDepths stores those of a set-up in the block at (x, y).
func (t *Tile) storeDepths(s *raster.Setup, tests *fragops.DepthStencil, x, y int32) {
	inputs.WriteDepth(t.record[:], s)
	places := AppendPlaces(t.settled[:0], x, y, wholeBlock[:t.Plan.Samples], 0)
	store := &t.Plan.TestsOf(tests, false).store
	if err := t.RunTests(store, inputs.PlanesOf(s), places, t.record[:]); err != nil {
		t.Fail(err)
	}
}
