// Package fragment shades what is left of the samples of primitives: it makes places of blocks,
// which wait until a batch of them is full, and runs programs on them that make inputs, shade, test,
// blend and store.
//
// A Pass, its Draws and their States say what is shaded and how; State.AddPlans finds the programs.
// A Worker of each goroutine takes blocks in order:
//
//	w.Prepare(pass)
//	w.Start(draw)             // fragments of another group are finished first
//	w.ShadeBlock(primitives, setup, x, y, words)
//	w.Flush()                 // shades what waits
//
// What a program does is written once, as a key: samples that invocations have shares of, fragments
// of several pixels and primitives that are tested within their shader's program are plans of places
// like all others. The package knows the memory of the tile (package tile), and neither lists of
// primitives nor what later ones may hide.
package fragment

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/threads"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// group is what fragments that wait have in common: their draws, and the shader with its rows.
type group struct {
	Draw    *Draw // the first; nil before that
	Program *threads.Runner
	Group   int // drawPlan.group
}

// Onlooker is somebody who looks at fragments of watched pixels.
type Onlooker interface {
	Looks() bool // the next batch has some
	// Shade runs the shader on the places of a share.
	Shade(plan *Plan, share *Share, shader *threads.Runner) error
	// shaped is told when the shader has changed the coverage of a share's places, finished when
	// tests have, too, and colours are about to be written.
	Shaped(share *Share)
	Finished(st *State, share *Share)
}

// Stats counts what was done to fragments: see Stats of package render.
type Stats struct{ Fragments, Batches, Lanes uint64 }

// Worker are those of a tile from coverage to stores: places that wait for shading, with the
// records of their primitives, by rate, and the programs that make inputs, shade, test, blend and
// store. The walk hands it blocks, in order, and has it finish what the next ones may not overtake.
type Worker struct {
	Pass     *Pass
	threads  *threads.Threads
	tile     *tile.Tile
	watching Onlooker
	fail     func(d *Draw, err error) error
	stopped  func() error

	Stats    Stats
	Counted  []uint64 // samples counted, by counter
	Batch    group
	Waiting  *Waiting   // that takes places, of batches
	batches  []*Waiting // the first one but for states whose rates differ
	asking   asked      // of all that waits in the others
	occupied occupancy
	Size     rates.Rate // of fragments in the part that is drawn, with a density map
}

// NewWorker shades what is drawn to a tile, whose programs run on threads. fail gives an error the draw that it
// came up in, stopped is why to stop, or nil.
func NewWorker(
	h *threads.Threads, t *tile.Tile, o Onlooker, fail func(*Draw, error) error, stopped func() error,
) Worker {
	first := new(Waiting)
	return Worker{
		threads: h, tile: t, watching: o, fail: fail, stopped: stopped,
		Waiting: first, batches: []*Waiting{first},
	}
}

// Start makes the batch accept fragments of a draw; those of another group
// are finished first, because their tests and writes come before.
func (f *Worker) Start(d *Draw) error {
	b := &f.Batch
	if b.Draw != nil && b.Group == d.Group {
		return nil
	}
	if err := f.Flush(); err != nil {
		return err
	}
	b.Draw, b.Group, f.Waiting = d, d.Group, f.batches[0]
	f.Waiting.Plan, f.Waiting.Within = d.State.Plan, false
	b.Program = nil
	if d.State.Program != none {
		b.Program = f.threads.By[d.State.Program]
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

// Flush shades what waits, and finishes its fragments in order.
func (f *Worker) Flush() error {
	current, waited := f.Waiting, false
	for _, f.Waiting = range f.batches {
		if !f.Waiting.waits() {
			continue
		}
		waited = true
		if err := f.flushPlaces(); err != nil {
			return err
		}
	}
	if f.Waiting = current; waited {
		f.occupied.release()
	} else {
		f.Waiting.reset()
	}
	return nil
}

// defaults sets what outputs hold where the shader does not write them; depth is that of the
// fragment already, and a reference that of the state.
//
// RAS-349 interfaces-fragmentoutput
func (f *Worker) defaults(link *Link, n int) {
	out := f.Batch.Program.Out
	for _, slot := range link.May {
		switch o := &link.Outs; {
		case slot == o.Depth, slot == o.Stencil:
		case slices.Contains(o.Masks[:], slot):
			geometry.Fill(out[slot][:n], ^uint32(0)) // RAS-315
		default:
			geometry.Fill(out[slot][:n], o.unwritten(slot)) // RAS-342, RAS-349
		}
	}
}

// RowsOf appends the lanes of a colour output's components, and of the second source where that is
// asked for: constants stand for what is not there.
func (f *Worker) RowsOf(to [][]uint32, o *Outputs, location int, second bool) [][]uint32 {
	c, out, one := &o.Color[location], f.Batch.Program.Out, f.Pass.Common.FloatOnes
	if c.Integer {
		one = f.Pass.Common.Ones
	}
	zeros := f.Pass.Common.Zeros
	rows := [8][]uint32{zeros, zeros, zeros, one, zeros, zeros, zeros, zeros} // RAS-342
	for k, slot := range c.Slot {
		if slot != none {
			rows[k] = out[slot]
		}
	}
	if !second {
		return append(to, rows[:4]...)
	}
	for k, slot := range o.Second.Slot {
		if slot != none {
			rows[4+k] = out[slot]
		}
	}
	return append(to, rows[:]...)
}

// occupancy says which pixel quads of the tile the batch has fragments of: those
// whose entry is the batch's number.
type occupancy struct {
	number uint32
	at     []uint32
}

// quadInBlock is the first quad of a block's pixels, which come by quads.
const quadInBlock = 0xF

// take claims the pixel quads of a rectangle of pixels for the batch; false if it
// has one already. With pixels it is a block, of which it claims those that have one.
func (o *occupancy) take(shift uint, r raster.Rect, pixels ...uint64) bool {
	if n := 1 << (2*shift - 2); len(o.at) != n {
		o.at, o.number = make([]uint32, n), 1
	}
	mask := int32(1)<<shift - 1
	each := func(f func(at *uint32) bool) bool {
		for y := r.Y0; y < r.Y1; y += 2 {
			for x := r.X0; x < r.X1; x += 2 {
				if len(pixels) > 0 && pixels[0]>>(raster.BlockPixels*(y-r.Y0)+2*(x-r.X0))&quadInBlock == 0 {
					continue
				}
				if !f(&o.at[int(y&mask>>1)<<(shift-1)|int(x&mask>>1)]) {
					return false
				}
			}
		}
		return true
	}
	if !each(func(at *uint32) bool { return *at != o.number }) {
		return false
	}
	return each(func(at *uint32) bool { *at = o.number; return true })
}

// reserve makes room in the batch for fragments in a rectangle of pixels, or the pixels of a block: what is
// in the batch runs first where they share a pixel quad.
func (f *Worker) reserve(r raster.Rect, pixels ...uint64) error {
	o, shift := &f.occupied, f.Pass.Grid.Shift
	if o.take(shift, r, pixels...) { // RAS-101, RAS-313 fragops-shader-interlock
		return nil
	}
	if err := f.Flush(); err != nil {
		return err
	}
	o.take(shift, r, pixels...)
	return nil
}

// release forgets the pixels of a batch that has run.
func (o *occupancy) release() {
	if o.number++; o.number == 0 {
		clear(o.at)
		o.number = 1
	}
}
