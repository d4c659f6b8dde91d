package render

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// MaxGroups is how many workgroups a dispatch has at most in dimension i
// (maxComputeWorkGroupCount): as many as GPUs have, where programs take more than
// the required 65535 in x for granted. Their product stays below 2^63.
func MaxGroups(i int) uint32 {
	if i == 0 {
		return 1<<31 - 1
	}
	return 1<<16 - 1
}

// dispatch is a compute dispatch as its workers see it. A batch is a box of
// workgroups, of which the last of a row, column or stack may hold fewer: lane by
// lane, its ids are those of the first batch plus what depends on its first
// workgroup only.
type dispatch struct {
	program      *ir.Program
	base, groups [3]uint32
	local        int // invocations of a workgroup
	lanes        int // that a thread has room for
	inputs       []ir.IO
	box          [3]uint32 // workgroups of a batch
	boxes        [3]int64
	batches      int64
	step         int64 // batches that a worker takes at a time
}

// Dispatch runs groups[0]×groups[1]×groups[2] workgroups of a compute routine
// from workgroup base (vkCmdDispatchBase). A workgroup is a batch; where nothing
// is shared between invocations, several small workgroups make one batch.
// Errors are those of Run, without a DrawError.
func (x *Executor) Dispatch(ctx context.Context, r exec.Routine, c *exec.Context, base, groups [3]uint32) error {
	return x.DispatchInTurns(ctx, nil, r, c, base, groups)
}

// Turns lets others use the Executor before a long dispatch is done.
type Turns interface {
	// Due says that others should have their turn. Workers ask.
	Due() bool
	// Rest returns when they had it.
	Rest()
	// Brief says that one worker does the whole sooner than it would wake another.
	Brief() bool
}

// DispatchInTurns is Dispatch, with rests between batches; never, where others is nil.
func (x *Executor) DispatchInTurns(ctx context.Context, others Turns, r exec.Routine, c *exec.Context, base, groups [3]uint32) error {
	d, err := x.newDispatch(r, base, groups)
	if err != nil || d.batches == 0 {
		return err
	}
	if c, err = contextOf(-1, c, d.program); err != nil {
		return err
	}
	workers := min(int64(len(x.workers)), d.batches)
	if others != nil && others.Brief() {
		workers = 1
	}
	for steps := int64(0); ; {
		x.ctx = ctx
		end := x.begin()
		x.tiles.n.Store(steps)
		err := x.parallel(int(workers), func(w *worker) error { return w.dispatch(d, others, r, c) })
		// Workers end what they have taken, so all steps up to the next are done.
		end()
		if steps = x.tiles.n.Load(); err != nil || steps*d.step >= d.batches {
			return err
		}
		others.Rest()
	}
}

// dispatch runs batches until none is left, or others should have their turn.
func (w *worker) dispatch(d *dispatch, others Turns, r exec.Routine, c *exec.Context) error {
	x, p := w.x, w.compute(r, d)
	b := exec.Batch{In: p.in, Shared: p.shared}
	for {
		first := int64(x.tiles.next()) * d.step
		if first >= d.batches {
			return nil
		}
		for at := first; at < min(first+d.step, d.batches); at++ {
			if err := x.stopped(); err != nil {
				return err
			}
			b.N = d.place(p, at) * d.local
			clear(b.Shared)
			switch err := p.run(c, &b); err {
			case nil:
			case exec.ErrStopped:
				return cmp.Or(x.stopped(), err)
			default:
				return err
			}
		}
		if others != nil && others.Due() { // after a step at least, so that all goes on
			return nil
		}
	}
}

// compute returns the worker's thread of a compute routine.
func (w *worker) compute(r exec.Routine, d *dispatch) *runner {
	if p := w.threads.computes.of[r]; p != nil {
		return p
	}
	w.threads.computes.trim()
	p := &runner{ir: d.program, routine: r, lanes: d.lanes, scratch: w.threads.scratch}
	p.in = geometry.Rows(len(d.inputs), d.lanes)
	if n := d.program.SharedBytes; n != 0 {
		p.shared = make([]byte, n)
	}
	w.threads.computes.add(r, p)
	return p
}

// newDispatch checks a dispatch.
func (x *Executor) newDispatch(r exec.Routine, base, groups [3]uint32) (*dispatch, error) {
	p := r.Program()
	if p.Stage != ir.StageCompute {
		return nil, &PipelineError{What: "dispatch of a routine that is no compute shader", Rule: "VUID-vkCmdDispatch-None-08606", Fix: "bind a compute pipeline"}
	}
	d := &dispatch{program: p, base: base, groups: groups, inputs: p.Inputs, local: 1, batches: 1}
	for i := range 3 {
		if uint64(base[i])+uint64(groups[i]) > uint64(MaxGroups(i)) {
			return nil, &PassError{Draw: -1, What: fmt.Sprintf("dispatch of %v workgroups from %v", groups, base),
				Rule: fmt.Sprintf("VUID-vkCmdDispatch-groupCount%c-%05d", 'X'+i, 386+i), Fix: fmt.Sprintf("use at most %d in this dimension", MaxGroups(i))}
		}
		if p.LocalSize[i] == 0 || p.LocalSize[i] > exec.MaxLanes {
			return nil, &PipelineError{What: fmt.Sprintf("workgroup of %v invocations", p.LocalSize), Rule: "maxComputeWorkGroupInvocations", Fix: "use 1 to 1024"}
		}
		d.local *= int(p.LocalSize[i])
	}
	if d.local > exec.MaxLanes {
		return nil, &PipelineError{What: fmt.Sprintf("workgroup of %v invocations", p.LocalSize), Rule: "maxComputeWorkGroupInvocations", Fix: "use at most 1024"}
	}
	for slot, io := range p.Inputs {
		switch io.Builtin {
		case ir.BuiltinGlobalInvocationID, ir.BuiltinLocalInvocationID, ir.BuiltinLocalInvocationIndex, ir.BuiltinWorkgroupID, ir.BuiltinNumWorkgroups:
		default:
			return nil, &PipelineError{What: fmt.Sprintf("compute input %d asks for built-in %d", slot, io.Builtin), Rule: "interfaces-builtin-variables", Fix: "this built-in does not exist in compute shaders"}
		}
	}
	pack := 1
	if p.SharedBytes == 0 && !p.UsesBarrier && p.SubgroupSize == 0 {
		pack = max(min(packLanes*x.cfg.Lanes, exec.MaxLanes)/d.local, 1)
	}
	d.lanes = (d.local*pack + 3) &^ 3
	d.cut(pack, len(x.workers))
	return d, nil
}

// packLanes is how many times the lanes of other stages a batch of small workgroups
// has: what a batch costs besides its lanes counts less.
const packLanes = 4

// turns is how often, at least, a worker comes back for more of a long dispatch, so
// that all end at about the same time.
const turns = 8

// cut makes batches of at most pack workgroups, and a few for each worker where there
// are so many.
func (d *dispatch) cut(pack, workers int) {
	room := uint64(pack)
	total := uint64(1)
	for _, n := range d.groups {
		total *= uint64(n)
	}
	room = max(min(room, total/uint64(turns*workers)), 1)
	for i, n := range d.groups {
		if d.box[i] = 1; uint64(n) <= room {
			d.box[i] = max(n, 1)
		} else if room > 1 { // as even as can be
			parts := (uint64(n) + room - 1) / room
			d.box[i] = uint32((uint64(n) + parts - 1) / parts)
			room = 1
		}
		room /= uint64(d.box[i])
		d.boxes[i] = (int64(n) + int64(d.box[i]) - 1) / int64(d.box[i])
		d.batches *= d.boxes[i]
	}
	d.step = max(min(d.batches/int64(turns*workers), turns), 1)
}

// placed is which workgroups the inputs of a compute program's thread are those of:
// the groups of the dispatch, of which the box follows, and the first one.
type placed struct{ groups, at [3]uint32 }

// place makes the inputs those of a batch and returns how many workgroups it has.
// What does not change from batch to batch is left as it is.
func (d *dispatch) place(p *runner, batch int64) int {
	row, stack := batch/d.boxes[0], batch/d.boxes[0]/d.boxes[1]
	box := [3]uint32{uint32(batch % d.boxes[0]), uint32(row % d.boxes[1]), uint32(stack)}
	now := placed{groups: d.groups}
	n := uint32(1)
	for k := range 3 {
		now.at[k] = box[k] * d.box[k]
		n *= min(d.box[k], d.groups[k]-now.at[k])
		now.at[k] += d.base[k]
	}
	was := p.placed
	p.placed = now
	if was.groups != now.groups {
		d.lay(p.in, now.at)
		return int(n)
	}
	for slot, io := range d.inputs {
		k := io.Component % 3
		step := now.at[k] - was.at[k]
		switch io.Builtin {
		case ir.BuiltinWorkgroupID:
		case ir.BuiltinGlobalInvocationID:
			step *= d.program.LocalSize[k]
		default:
			continue
		}
		if step != 0 {
			for row := p.in[slot]; len(row) >= 4; row = row[4:] { // there are a multiple of four
				row[0], row[1], row[2], row[3] = row[0]+step, row[1]+step, row[2]+step, row[3]+step
			}
		}
	}
	return int(n)
}

// lay fills the inputs of the workgroups of a box from workgroup at on.
func (d *dispatch) lay(in [][]uint32, at [3]uint32) {
	lane := 0
	for z := range d.box[2] {
		for y := range d.box[1] {
			for x := range d.box[0] {
				d.fill(in, lane, [3]uint32{at[0] + x, at[1] + y, at[2] + z})
				lane += d.local
			}
		}
	}
}

// fill fills the inputs of a workgroup from a lane on.
func (d *dispatch) fill(in [][]uint32, lane int, id [3]uint32) {
	size := d.program.LocalSize
	for slot, io := range d.inputs {
		dst := in[slot][lane : lane+d.local]
		k := io.Component % 3
		switch io.Builtin {
		case ir.BuiltinWorkgroupID:
			fill(dst, id[k])
		case ir.BuiltinNumWorkgroups:
			fill(dst, d.groups[k])
		case ir.BuiltinLocalInvocationIndex:
			for i := range dst {
				dst[i] = d.program.LocalIndex(uint32(i))
			}
		default: // local and global ids; newDispatch lets nothing else through
			first := uint32(0)
			if io.Builtin == ir.BuiltinGlobalInvocationID {
				first = id[k] * size[k]
			}
			for i := range dst {
				dst[i] = first + localID(d.program.LocalIndex(uint32(i)), size, k)
			}
		}
	}
}

// localID is component k of the local id of invocation i.
func localID(i uint32, size [3]uint32, k uint32) uint32 {
	switch k {
	case 0:
		return i % size[0]
	case 1:
		return i / size[0] % size[1]
	}
	return i / size[0] / size[1]
}
