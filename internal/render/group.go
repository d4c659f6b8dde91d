package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// group is what fragments that wait have in common: their draws, and the shader with its rows.
type group struct {
	draw  *drawPlan // the first; nil before that
	prog  *threads.Runner
	group int // drawPlan.group
}

// fragments are those of a tile from coverage to stores: places that wait for shading, with the
// records of their primitives, by rate, and the programs that make inputs, shade, test, blend and
// store. The walk hands it blocks, in order, and has it finish what the next ones may not overtake.
type fragments struct {
	x        *Executor
	plan     *passPlan
	threads  *threads.Threads
	tile     *tile.Tile
	watching *watcher

	stats    Stats
	occ      []uint64 // samples counted, by counter
	batch    group
	placed   *placedBatch   // that takes places, of batches
	batches  []*placedBatch // the first one but for states whose rates differ
	asking   asked          // of all that waits in the others
	occupied occupancy
	size     rates.Rate // of fragments in the part that is drawn, with a density map
}

// startGroup makes the batch accept fragments of a draw; those of another group
// are finished first, because their tests and writes come before.
func (f *fragments) startGroup(d *drawPlan) error {
	b := &f.batch
	if b.draw != nil && b.group == d.group {
		return nil
	}
	if err := f.flush(); err != nil {
		return err
	}
	b.draw, b.group, f.placed = d, d.group, f.batches[0]
	b.prog = nil
	if d.state.shader != none {
		b.prog = f.threads.By[d.state.shader]
	}
	return nil
}

// maskOf is the mask value of a Bool.
func maskOf(b bool) uint32 {
	if b {
		return ^uint32(0)
	}
	return 0
}

// flush shades what waits, and finishes its fragments in order.
func (f *fragments) flush() error {
	current, waited := f.placed, false
	for _, f.placed = range f.batches {
		if !f.placed.waits() {
			continue
		}
		waited = true
		if err := f.flushPlaces(); err != nil {
			return err
		}
	}
	if f.placed = current; waited {
		f.occupied.release()
	} else {
		f.placed.reset()
	}
	return nil
}

// defaults sets what outputs hold where the shader does not write them; depth is that of the
// fragment already, and a reference that of the state.
//
// RAS-349 interfaces-fragmentoutput
func (f *fragments) defaults(link *linkage, n int) {
	out := f.batch.prog.Out
	for _, slot := range link.fragmentMay {
		switch slot {
		case link.outs.depth, link.outs.stencil:
		case link.outs.mask, link.outs.masks[1], link.outs.masks[2], link.outs.masks[3], link.outs.masks[4], link.outs.masks[5], link.outs.masks[6], link.outs.masks[7]:
			fill(out[slot][:n], ^uint32(0)) // RAS-315
		default:
			fill(out[slot][:n], link.outs.unwritten(slot)) // RAS-342, RAS-349
		}
	}
}

// unwritten is the value of a colour output's component: alpha is 1, all else 0.
func (o *fragmentOutputs) unwritten(slot int) uint32 {
	for i := range o.color {
		switch c := &o.color[i]; {
		case c.slot[3] != slot:
		case c.integer:
			return 1
		default:
			return math.Float32bits(1)
		}
	}
	return 0
}

// rowsOf appends the lanes of a colour output's components, and of the second source where that is
// asked for: constants stand for what is not there.
func (f *fragments) rowsOf(to [][]uint32, o *fragmentOutputs, location int, second bool) [][]uint32 {
	c, out, one := &o.color[location], f.batch.prog.Out, f.x.floatOnes
	if c.integer {
		one = f.x.ones
	}
	zeros := f.x.zeros
	rows := [8][]uint32{zeros, zeros, zeros, one, zeros, zeros, zeros, zeros} // RAS-342
	for k, slot := range c.slot {
		if slot != none {
			rows[k] = out[slot]
		}
	}
	if !second {
		return append(to, rows[:4]...)
	}
	for k, slot := range o.second.slot {
		if slot != none {
			rows[4+k] = out[slot]
		}
	}
	return append(to, rows[:]...)
}
