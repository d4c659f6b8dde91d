package render

import (
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
)

// A fragment shader that has run often becomes one program with that of its inputs, which then
// stay in registers. First draws do not wait for it.

// fuseAfter is the number of lanes after which the next pass has the fused program.
const fuseAfter = 1 << 14

// fusionKey is a shader and where its inputs come from.
type fusionKey struct {
	shader exec.Routine
	list   string
}

// fusion is what is known of a key.
type fusion struct {
	lanes    atomic.Int64 // shaded before it was fused
	fused    bool
	routines [2]exec.Routine // that for affine primitives is the second
}

// fuse finds the fused programs of a state's fragments, and makes them when it is time.
func (p *placedPlan) fuse(pl *passPlan, s *drawState, list []inputs.Input) error {
	shader := s.pipe.desc.Fragment
	key := make([]byte, 0, 2*len(list))
	slots := make([]int, len(list))
	for i, in := range list {
		slots[i] = s.link.inputs[i].slot
		key = append(key, byte(in), byte(slots[i]))
	}
	f, err := kept(pl.x.fusions, fusionKey{shader, string(key)}, func() (*fusion, error) { return new(fusion), nil })
	if err != nil {
		return err
	}
	p.fusion, p.fused = f, [2]int{none, none}
	if !f.fused && f.lanes.Load() >= fuseAfter && len(slots) == len(shader.Program().Inputs) {
		for kind := range f.routines {
			var q *ir.Program
			if q, err = inputs.Fuse(shader.Program(), list, slots, kind == 1); err != nil {
				return err
			}
			if f.routines[kind], err = pl.x.cfg.Engine.Compile(q); err != nil {
				return err
			}
		}
		f.fused = true
	}
	if f.fused {
		p.fused = [2]int{pl.routine(f.routines[0]), pl.routine(f.routines[1])}
	}
	return nil
}
