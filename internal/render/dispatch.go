package render

import (
	"context"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// maxGroups bounds a dispatch: 2^16 - 1 workgroups a dimension
// (maxComputeWorkGroupCount).
const maxGroups = 1<<16 - 1

// dispatch is a compute dispatch as its workers see it.
type dispatch struct {
	program      *ir.Program
	base, groups [3]uint32
	local        int // invocations of a workgroup
	pack         int // workgroups of a batch
	total        int64
	inputs       []ir.IO
}

// Dispatch runs groups[0]×groups[1]×groups[2] workgroups of a compute routine
// from workgroup base (vkCmdDispatchBase). A workgroup is a batch; where nothing
// is shared between invocations, several small workgroups make one batch.
// Errors are those of Run, without a DrawError.
func (x *Executor) Dispatch(ctx context.Context, r exec.Routine, c *exec.Context, base, groups [3]uint32) error {
	x.ctx = ctx
	d, err := x.newDispatch(r, base, groups)
	if err != nil || d.total == 0 {
		return err
	}
	if c, err = contextOf(-1, c, d.program); err != nil {
		return err
	}
	x.tiles.n.Store(0)
	batches := int((d.total + int64(d.pack) - 1) / int64(d.pack))
	return x.parallel(min(len(x.workers), batches), func(w *worker) error {
		p := w.compute(r, d)
		b := exec.Batch{In: p.in, Shared: p.shared}
		for {
			if err := x.stopped(); err != nil {
				return err
			}
			at := int64(x.tiles.next()) * int64(d.pack)
			if at >= d.total {
				return nil
			}
			n := int(min(int64(d.pack), d.total-at))
			for k := range n {
				d.fill(p.in, k*d.local, at+int64(k))
			}
			b.N = n * d.local
			clear(b.Shared)
			switch err := p.thread.Run(c, &b); err {
			case nil:
			case exec.ErrStopped: // which the next turn explains
			default:
				return err
			}
		}
	})
}

// compute returns the worker's thread of a compute routine.
func (w *worker) compute(r exec.Routine, d *dispatch) *program {
	if p := w.computes[r]; p != nil {
		return p
	}
	if len(w.computes) > maxPrograms {
		clear(w.computes)
	}
	lanes := (d.local*d.pack + 3) &^ 3
	p := &program{thread: r.NewThread(lanes), in: lanesOf(len(d.inputs), lanes)}
	if n := d.program.SharedBytes; n != 0 {
		p.shared = make([]byte, n)
	}
	w.computes[r] = p
	return p
}

// newDispatch checks a dispatch.
func (x *Executor) newDispatch(r exec.Routine, base, groups [3]uint32) (*dispatch, error) {
	p := r.Program()
	if p.Stage != ir.StageCompute {
		return nil, &PipelineError{What: "dispatch of a routine that is no compute shader", Rule: "VUID-vkCmdDispatch-None-08606", Fix: "bind a compute pipeline"}
	}
	d := &dispatch{program: p, base: base, groups: groups, inputs: p.Inputs, pack: 1, total: 1, local: 1}
	for i := range 3 {
		if groups[i] > maxGroups || uint64(base[i])+uint64(groups[i]) > maxGroups {
			return nil, &PassError{Draw: -1, What: fmt.Sprintf("dispatch of %v workgroups from %v", groups, base), Rule: "VUID-vkCmdDispatch-groupCountX-00386", Fix: "use at most 65535 a dimension"}
		}
		if p.LocalSize[i] == 0 || p.LocalSize[i] > exec.MaxLanes {
			return nil, &PipelineError{What: fmt.Sprintf("workgroup of %v invocations", p.LocalSize), Rule: "maxComputeWorkGroupInvocations", Fix: "use 1 to 1024"}
		}
		d.local *= int(p.LocalSize[i])
		d.total *= int64(groups[i])
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
	if p.SharedBytes == 0 && !p.UsesBarrier && p.SubgroupSize == 0 {
		d.pack = max(x.cfg.Lanes/d.local, 1)
	}
	return d, nil
}

// fill fills the inputs of workgroup number group from a lane on.
func (d *dispatch) fill(in [][]uint32, lane int, group int64) {
	var id [3]uint32
	gx, gy := int64(d.groups[0]), int64(d.groups[1])
	id[0] = d.base[0] + uint32(group%gx)
	id[1] = d.base[1] + uint32(group/gx%gy)
	id[2] = d.base[2] + uint32(group/gx/gy)
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
