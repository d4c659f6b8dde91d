package tile

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// A small primitive has a place or two to test, and a run of a program is for many. So places of
// several primitives wait for one run, which tests them in their order: what lies behind it sees
// what it has stored. Only what is decided without a look at memory may not overtake those that
// wait for the same block.

// queuedPlaces is how many places wait at most.
const queuedPlaces = 128

// Early is what tests before shading take of a draw.
type Early struct {
	Of        any // goes to tile.passed
	Tests     *fragops.DepthStencil
	Locations *raster.SampleSet
	Asked     bool // somebody wants to know what passes
	// atOnce: tests after shading follow, which write. Nothing waits for more set-ups, nor is looked
	// up in memory.
	AtOnce bool
}

// queuedBlock is a block of a set-up whose samples are tested in a run to come.
type queuedBlock struct {
	setup  *raster.Setup
	tests  *fragops.DepthStencil
	of     any
	zf     fragops.DepthRange
	at     int32 // of depths.blocks
	places uint8
	whole  bool
	atOnce bool
}

// queue are the tests that wait, all of one program.
type queue struct {
	test    *PlacedTest
	places  []exec.Place
	blocks  []queuedBlock // those with places, but where nobody asks what passes
	words   []uint64      // what was found of each, where there is more than one, as in raster.Coverage
	records []byte
	used    int           // bytes of records
	setup   *raster.Setup // has the last record
	planes  inputs.Planes // of all
	// epoch is that of blockDepth.queued in blocks with places.
	epoch uint32
}

// Test runs depth and stencil tests before shading on what is found of a set-up, and keeps the
// samples that pass; those that wait for a run go on from there.
func (t *Tile) Test(b *raster.Coverage, s *raster.Setup, e *Early) error {
	d, q, tests := &t.depths, &t.queue, e.Tests
	writes, decides := tests.DepthTest && tests.DepthWrite, tests.Decides(!s.FrontFacing)
	if err := t.queueFor(s, tests); err != nil {
		return err
	}
	n := 0
	for k := range b.Blocks {
		o := &b.Blocks[k]
		at := t.BlockAt(o.X, o.Y)
		bd := &d.blocks[at]
		zf, how := fragops.DepthRange{}, fragops.Open
		switch {
		case !decides:
			zf = fragops.AnyDepth()
		case d.small:
			zf = d.zf
		default:
			zf = rangeIn(s, e.Locations, tests, o)
		}
		if decides {
			if how = tests.Decide(zf, bd.bounds); how == fragops.Open && bd.rough {
				t.sharpen(bd, o)
				how = tests.Decide(zf, bd.bounds)
			}
			if how == fragops.Open && bd.loose && !writes && !e.AtOnce {
				t.tighten(bd, o.X, o.Y) // once for all that come
				how = tests.Decide(zf, bd.bounds)
			}
			if tests.StencilTest && how == fragops.Passes || bd.queued == q.epoch && !overtakes(tests, how) {
				how = fragops.Open
			}
		}
		if how == fragops.Passes && writes {
			if o.Whole {
				if bd.setup == nil {
					d.open++
				}
				// Field by field: a struct would be made elsewhere and copied.
				bd.bounds, bd.loose, bd.rough, bd.setup, bd.tests, bd.ss = zf, false, false, s, tests, e.Locations
				d.stale = true
			} else {
				how = fragops.Open
			}
		}
		switch how {
		case fragops.Fails:
			continue
		case fragops.Open:
			t.settle(at)
			if writes && !decides { // until somebody has to know
				bd.bounds, bd.loose, d.stale = zf, true, true
			}
			if err := t.enqueue(b, s, e, k, at, zf); err != nil {
				return err
			}
			continue
		}
		b.Move(n, k)
		n++
	}
	b.All = b.All && n == len(b.Blocks)
	b.Cut(n)
	if e.AtOnce {
		return t.Finish()
	}
	return nil
}

// TestAll is test for what bounds decide nothing of, and what is tested before anything else is.
func (t *Tile) TestAll(b *raster.Coverage, s *raster.Setup, e *Early) error {
	if err := t.queueFor(s, e.Tests); err != nil {
		return err
	}
	for k := range b.Blocks {
		at := t.BlockAt(b.Blocks[k].X, b.Blocks[k].Y)
		if err := t.enqueue(b, s, e, k, at, fragops.AnyDepth()); err != nil {
			return err
		}
	}
	return t.Finish()
}

// queueFor makes the queue that of a set-up's tests: in a part of a density map those of its
// fragments.
func (t *Tile) queueFor(s *raster.Setup, tests *fragops.DepthStencil) error {
	q, own := &t.queue, t.Plan.TestsOf(tests, !s.FrontFacing)
	test := &own.Placed
	if t.Plan.Dense != nil {
		test = &own.dense[t.Size]
	}
	if len(q.places) > 0 && q.test != test {
		if err := t.Finish(); err != nil {
			return err
		}
	}
	q.test = test
	return nil
}

// enqueue adds block k of what is found, which is block at of the tile.
func (t *Tile) enqueue(
	b *raster.Coverage, s *raster.Setup, e *Early, k, at int, zf fragops.DepthRange,
) error {
	q := &t.queue
	if len(q.places)+raster.BlockPixels/2 > queuedPlaces {
		if err := t.Finish(); err != nil {
			return err
		}
	}
	if q.setup != s {
		inputs.WriteDepth(q.records[q.used:q.used+inputs.DepthRecord], s)
		q.setup, q.used, q.planes = s, q.used+inputs.DepthRecord, max(q.planes, inputs.PlanesOf(s))
	}
	from, o := len(q.places), &b.Blocks[k]
	q.places = AppendPlaces(q.places, o.X, o.Y, b.Mask(k), uint32(q.used-inputs.DepthRecord))
	t.depths.blocks[at].queued = q.epoch
	if !e.Asked || len(q.places) == from {
		return nil
	}
	n := len(q.blocks)
	q.blocks = q.blocks[:n+1]
	to := &q.blocks[n] // field by field: a struct would be made elsewhere and copied
	to.setup, to.tests, to.of, to.at, to.places = s, e.Tests, e.Of, int32(at), uint8(len(q.places)-from)
	to.whole, to.atOnce, to.zf.Low, to.zf.High = o.Whole, e.AtOnce, zf.Low, zf.High
	if words := t.Plan.Words; words > 1 {
		copy(q.words[words*n:], b.Words(k))
	}
	return nil
}

// Finish tests what waits, and hands on what passes.
func (t *Tile) Finish() error {
	q := &t.queue
	places, blocks := q.places, q.blocks
	if len(places) == 0 {
		return nil
	}
	err := t.RunTests(q.test, q.planes, places, q.records)
	q.places, q.blocks, q.used, q.setup = places[:0], blocks[:0], 0, nil
	q.planes = inputs.Affine
	q.epoch++
	if err != nil {
		return err
	}
	samples, each := t.Plan.Samples, t.Plan.Words
	for i := range blocks {
		e := &blocks[i]
		n, x, y := int(e.places), places[0].X, places[0].Y&^(raster.BlockPixels-1)
		words := q.words[i*each:][:each]
		mask := words[:samples]
		any, all := uint64(0), ^uint64(0)
		for k := range mask {
			m := uint64(0)
			for j := range places[:n] {
				p := &places[j]
				m |= uint64(p.Covered[k]) << (uint(p.Y-y) * 8)
			}
			any, all, mask[k] = any|m, all&m, m
		}
		places = places[n:]
		whole, bd := e.whole && all == ^uint64(0), &t.depths.blocks[e.at]
		switch writes := e.tests.DepthTest && e.tests.DepthWrite; {
		case whole && writes:
			bd.bounds, bd.loose, t.depths.stale = e.zf, !e.zf.Known(), true
		case any != 0 && writes:
			bd.bounds, bd.loose, t.depths.stale = bd.bounds.Union(e.zf), true, true
		case any == 0 && bd.loose && e.tests.Decides(!e.setup.FrontFacing):
			before := bd.bounds
			t.tighten(bd, x, y)
			if e.atOnce {
				bd.bounds = e.tests.BeforeWrites(bd.bounds, before)
			}
		}
		if any == 0 { // RAS-314, RAS-372: none that passes is left out
			continue
		}
		if err := t.Passed(e.of, e.setup, x, y, whole, words); err != nil {
			return err
		}
	}
	return nil
}

// overtakes says that what bounds have decided of a block stays true whatever waits for it: what
// tests of the same kind store moves depths away from those that pass.
func overtakes(tests *fragops.DepthStencil, how fragops.Decided) bool {
	return how == fragops.Fails && tests.Compare != vk.CompareOpNotEqual
}
