package render

import (
	"math"
)

// group is what fragments that wait have in common: their draws, and the shader with its rows.
type group struct {
	draw  *drawPlan // the first; nil before that
	prog  *runner
	group int // drawPlan.group
}

// startGroup makes the batch accept fragments of a draw; those of another group
// are finished first, because their tests and writes come before.
func (w *worker) startGroup(d *drawPlan) error {
	b := &w.batch
	if b.draw != nil && b.group == d.group {
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	b.draw, b.group, w.placed = d, d.group, w.batches[0]
	b.prog = nil
	if d.fragment.Routine != none {
		b.prog = w.byIndex[d.fragment.Routine]
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
func (w *worker) flush() error {
	if w.placesWait() {
		current := w.placed
		for _, w.placed = range w.batches {
			if !w.placed.waits() {
				continue
			}
			if err := w.flushPlaces(); err != nil {
				return err
			}
		}
		w.placed = current
		w.occupied.release()
		return nil
	}
	w.placed.reset()
	return nil
}

// defaults sets what outputs hold where the shader does not write them; depth is that of the
// fragment already, and a reference that of the state.
//
// RAS-349 interfaces-fragmentoutput
func (w *worker) defaults(link *linkage, n int) {
	out := w.batch.prog.out
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
