package render

import (
	"math/bits"

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

// queuedBlock is a block of a set-up whose samples are tested in a run to come.
type queuedBlock struct {
	setup  *raster.Setup
	chunk  *chunk
	zf     fragops.DepthRange
	at     int32 // of tileDepths.blocks
	places uint8
	whole  bool
}

// testQueue are the tests that wait, all of one state, group of draws and program.
type testQueue struct {
	state   *drawState
	group   int
	test    *placedTest
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

// prepare sizes it, for blocks of so many words.
func (q *testQueue) prepare(words int) {
	q.places, q.blocks = grow(q.places, queuedPlaces)[:0], grow(q.blocks, queuedPlaces)[:0]
	q.records = grow(q.records, queuedPlaces*inputs.DepthRecord)
	q.words = grow(q.words, queuedPlaces*words)
	q.used, q.setup, q.planes = 0, nil, inputs.Affine
	q.epoch++
}

// queueFor makes the queue that of a set-up's tests: in a part of a density map those of its
// fragments.
func (w *worker) queueFor(c *chunk, s *raster.Setup, tests *fragops.DepthStencil) error {
	q, tail := &w.queue, w.plan.tailOf(tests, !s.FrontFacing) // RAS-236
	t := &tail.placed
	if w.plan.density != nil {
		t = &tail.dense[3*w.tile.size.w+w.tile.size.h]
	}
	if len(q.places) > 0 && q.test != t {
		if err := w.runQueue(); err != nil {
			return err
		}
	}
	q.state, q.group, q.test = c.draw.state, c.draw.group, t
	return nil
}

// enqueue adds block k of w.found, which is block at of the tile; asked: somebody wants to know what passes.
func (w *worker) enqueue(c *chunk, s *raster.Setup, k, at int, zf fragops.DepthRange, asked bool) error {
	q, b := &w.queue, &w.found
	if len(q.places)+raster.BlockPixels/2 > queuedPlaces {
		if err := w.runQueue(); err != nil {
			return err
		}
	}
	if q.setup != s {
		inputs.WriteDepth(q.records[q.used:q.used+inputs.DepthRecord], s)
		q.setup, q.used, q.planes = s, q.used+inputs.DepthRecord, max(q.planes, inputs.PlanesOf(s))
	}
	from, o := len(q.places), &b.Blocks[k]
	q.places = appendPlaces(q.places, o.X, o.Y, b.Mask(k), uint32(q.used-inputs.DepthRecord))
	w.tile.depths.blocks[at].queued = q.epoch
	if !asked || len(q.places) == from {
		return nil
	}
	n := len(q.blocks)
	q.blocks = q.blocks[:n+1]
	e := &q.blocks[n] // field by field: a struct would be made elsewhere and copied
	e.setup, e.chunk, e.at, e.places, e.whole = s, c, int32(at), uint8(len(q.places)-from), o.Whole
	e.zf.Low, e.zf.High = zf.Low, zf.High
	if words := w.plan.words; words > 1 {
		copy(q.words[words*n:], b.Words(k))
	}
	return nil
}

// runQueue tests what waits, and goes on with what passes.
func (w *worker) runQueue() error {
	q := &w.queue
	places, blocks := q.places, q.blocks
	if len(places) == 0 {
		return nil
	}
	err := w.tile.runPlaces(q.test, q.planes, places, q.records)
	q.places, q.blocks, q.used, q.setup = places[:0], blocks[:0], 0, nil
	q.planes = inputs.Affine
	q.epoch++
	if err != nil {
		return w.x.during(nil, err)
	}
	samples, each := w.plan.samples, w.plan.words
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
		st, whole := e.chunk.draw.state, e.whole && all == ^uint64(0)
		tests := &st.before[e.chunk.recs[e.setup.Prim].viewport]
		bd := &w.tile.depths.blocks[e.at]
		w.tile.noteTested(st, tests, !e.setup.FrontFacing, bd, e.zf, any != 0, whole, x, y)
		if any == 0 { // RAS-314, RAS-372: none that passes is left out
			continue
		}
		if err := w.passed(e.chunk, e.setup, x, y, int(e.at), whole, words); err != nil {
			return err
		}
	}
	return nil
}

// passed goes on with the samples of a block that have passed early tests.
func (w *worker) passed(c *chunk, s *raster.Setup, x, y int32, at int, whole bool, words []uint64) error {
	st := c.draw.state
	w.tile.expectLateIn(s, st, &st.after[c.recs[s.Prim].viewport], x, y, at)
	if n := c.draw.counts[0]; n != 0 {
		for _, m := range words[:w.plan.samples] {
			w.frags.occ[n-1] += uint64(bits.OnesCount64(m))
		}
	}
	return st.end.block(w, c, s, x, y, whole, words)
}

// overtakes says that what bounds have decided of a block stays true whatever waits for it: what
// tests of the same kind store moves depths away from those that pass.
func overtakes(tests *fragops.DepthStencil, how fragops.Decided) bool {
	return how == fragops.Fails && tests.Compare != vk.CompareOpNotEqual
}
