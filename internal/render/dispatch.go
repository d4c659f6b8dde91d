package render

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/threads"
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

// dispatch is a compute dispatch as its workers see it.
type dispatch struct {
	threads.Groups
	lanes   int // that a thread has room for
	batches int64
	step    int64 // batches that a worker takes at a time
	told    []*Written
	log     *trace.Log // of them; nil: nobody asks
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

// Dispatch runs groups[0]×groups[1]×groups[2] workgroups of a compute routine
// from workgroup base (vkCmdDispatchBase), with rests between batches; never, where others is nil.
// A workgroup is a batch; where invocations share nothing but what they tell each other in whole
// subgroups, several small workgroups make one batch. Errors are those of Run, without a DrawError.
//
// With told, the routine is one that tells what it computes: then workgroups run one behind the
// other, in the order of their numbers, so that one is the last that wrote a place.
func (x *Executor) Dispatch(
	ctx context.Context, others Turns, r exec.Routine, c *exec.Context, base, groups [3]uint32, told ...*Written,
) error {
	d, err := x.newDispatch(r, base, groups)
	if err != nil || d.batches == 0 {
		return err
	}
	if c, err = contextOf(-1, c, d.Program); err != nil {
		return err
	}
	workers := min(int64(len(x.workers)), d.batches)
	if others != nil && others.Brief() || told != nil {
		workers = 1
	}
	if d.told = told; told != nil {
		c = d.tell(c)
	}
	for steps := int64(0); ; {
		x.ctx = ctx
		end := x.begin()
		x.tiles.Store(steps)
		err := x.parallel(int(workers),
			func(w *worker) error { return w.dispatch(d, others, r, c) })
		// Workers end what they have taken, so all steps up to the next are done.
		end()
		if steps = x.tiles.Load(); err != nil || steps*d.step >= d.batches {
			d.finishTold()
			return err
		}
		others.Rest()
	}
}

// dispatch runs batches until none is left, or others should have their turn.
func (w *worker) dispatch(d *dispatch, others Turns, r exec.Routine, c *exec.Context) error {
	x, p := w.x, w.threads.Of(r, d.lanes)
	b := exec.Batch{In: p.In, Shared: p.Shared}
	for {
		first := (x.tiles.Add(1) - 1) * d.step
		if first >= d.batches {
			return nil
		}
		for at := first; at < min(first+d.step, d.batches); at++ {
			if err := x.stopped(); err != nil {
				return err
			}
			b.N = d.Lay(p, at)
			clear(b.Shared)
			d.beginTold()
			switch err := p.Run(c, &b); err {
			case nil:
				d.endTold(at)
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

// newDispatch checks a dispatch.
func (x *Executor) newDispatch(r exec.Routine, base, groups [3]uint32) (*dispatch, error) {
	p := r.Program()
	if p.Stage != ir.StageCompute {
		return nil, &PipelineError{
			What: "dispatch of a routine that is no compute shader",
			Rule: "VUID-vkCmdDispatch-None-08606",
			Fix:  "bind a compute pipeline",
		}
	}
	d := &dispatch{
		Groups:  threads.Groups{Program: p, Inputs: p.Inputs, Base: base, Of: groups, Local: 1},
		batches: 1,
	}
	for i := range 3 {
		if uint64(base[i])+uint64(groups[i]) > uint64(MaxGroups(i)) {
			return nil, &PassError{
				Draw: -1,
				What: fmt.Sprintf("dispatch of %v workgroups from %v", groups, base),
				Rule: fmt.Sprintf("VUID-vkCmdDispatch-groupCount%c-%05d", 'X'+i, 386+i),
				Fix:  fmt.Sprintf("use at most %d in this dimension", MaxGroups(i)),
			}
		}
		if p.LocalSize[i] == 0 || p.LocalSize[i] > exec.MaxLanes {
			return nil, &PipelineError{
				What: fmt.Sprintf("workgroup of %v invocations", p.LocalSize),
				Rule: "maxComputeWorkGroupInvocations",
				Fix:  "use 1 to 1024",
			}
		}
		d.Local *= int(p.LocalSize[i])
	}
	if d.Local > exec.MaxLanes {
		return nil, &PipelineError{
			What: fmt.Sprintf("workgroup of %v invocations", p.LocalSize),
			Rule: "maxComputeWorkGroupInvocations",
			Fix:  "use at most 1024",
		}
	}
	for slot, io := range p.Inputs {
		switch io.Builtin {
		case ir.BuiltinGlobalInvocationID,
			ir.BuiltinLocalInvocationID,
			ir.BuiltinLocalInvocationIndex,
			ir.BuiltinWorkgroupID,
			ir.BuiltinNumWorkgroups:
		default:
			return nil, &PipelineError{
				What: fmt.Sprintf("compute input %d asks for built-in %d", slot, io.Builtin),
				Rule: "interfaces-builtin-variables",
				Fix:  "this built-in does not exist in compute shaders",
			}
		}
	}
	pack := 1
	if p.SharedBytes == 0 && !p.UsesBarrier && d.Local%int(max(p.SubgroupSize, 1)) == 0 {
		pack = max(min(packLanes*x.cfg.Lanes, exec.MaxLanes)/d.Local, 1)
	}
	d.lanes = (d.Local*pack + 3) &^ 3
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
	for _, n := range d.Of {
		total *= uint64(n)
	}
	room = max(min(room, total/uint64(turns*workers)), 1)
	for i, n := range d.Of {
		if d.Box[i] = 1; uint64(n) <= room {
			d.Box[i] = max(n, 1)
		} else if room > 1 { // as even as can be
			parts := (uint64(n) + room - 1) / room
			d.Box[i] = uint32((uint64(n) + parts - 1) / parts)
			room = 1
		}
		room /= uint64(d.Box[i])
		d.Boxes[i] = (int64(n) + int64(d.Box[i]) - 1) / int64(d.Box[i])
		d.batches *= d.Boxes[i]
	}
	d.step = max(min(d.batches/int64(turns*workers), turns), 1)
}
