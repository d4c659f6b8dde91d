package render

import (
	"fmt"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/threads"
)

// A pass can be asked who stored to places in memory. Then programs that tell what they compute
// take the place of those of its stages that store, and one worker does all of it: which store was
// the last is known by that alone. Values have the same bits on either way; which of two
// invocations stores first is nobody's to rely on.

// stores tells who stored to the places that a pass is asked about.
type stores struct {
	places []*Memory
	log    *trace.Log // of the batch that runs
	stage  ir.Stage   // of that
}

// addStores readies a pass to tell of stores.
func (pl *passPlan) addStores() {
	var spots []*trace.Spot
	for _, m := range pl.pass.Memory {
		spots = append(spots, &m.Spot)
	}
	pl.stores = &stores{places: pl.pass.Memory, log: trace.NewLog(nil, spots...)}
}

// telling is the routine of a stage as the pass runs it: one that tells what it computes, where it
// stores. Where there is none the event that core finds names no invocation.
func telling(of *Draw, stage ir.Stage, r exec.Routine) exec.Routine {
	if r == nil || of.Traced == nil || !r.Program().WritesMemory {
		return r
	}
	if told, err := of.Traced(stage); err == nil {
		return told
	}
	return r
}

// tellStores has the stages before fragments tell what they store.
func (s *drawState) tellStores(pl *passPlan, of *Draw) {
	desc, t := &s.pipe.desc, &s.stages
	t.Vertex = pl.Number(telling(of, ir.StageVertex, desc.Vertex))
	t.Control = pl.Number(telling(of, ir.StageControl, desc.Control))
	t.Evaluation = pl.Number(telling(of, ir.StageEvaluation, desc.Evaluation))
	t.Geometry = pl.Number(telling(of, ir.StageGeometry, desc.Geometry))
	t.Task = pl.Number(telling(of, ir.StageTask, desc.Task))
	t.Mesh = pl.Number(telling(of, ir.StageMesh, desc.Mesh))
}

// begin is a context for the next batch, of a program, in the place of c.
func (s *stores) begin(p *ir.Program, c *exec.Context) *exec.Context {
	s.log.Begin(p)
	s.stage = p.Stage
	tells, first := *c, c.Trace
	tells.Trace = func(t *exec.Told) {
		if s.log.Tell(t); first != nil {
			first(t)
		}
	}
	return &tells
}

// end takes what the batch told; name is that of the invocation in a lane.
func (s *stores) end(draw int, name func(lane int) string) {
	for k, m := range s.places {
		if lane, ok := s.log.Writer(k); ok {
			m.Add(draw, s.stage, name(lane), s.log.Written(k, m.MaxSteps))
		}
	}
}

// Before is geometry.Onlooker's.
func (s *stores) Before(p *geometry.Runner, c *exec.Context) *exec.Context {
	return s.begin(p.IR, c)
}

// After is geometry.Onlooker's.
func (s *stores) After(draw int, name func(lane int) string) { s.end(draw, name) }

// enterStores makes the watcher look at what fragments of a chunk store, of draws that do, whose
// state is told: of another chunk nothing may wait then.
func (w *worker) enterStores(c *chunk) error {
	m := &w.watching
	var of *chunk
	if c.draw.state.Told {
		of = c
	}
	if of == m.storing {
		return nil
	}
	defer func() { m.storing = of }()
	return w.finishTile()
}

// shade runs a fragment shader that stores to memory.
func (m *watcher) shade(
	ctx *exec.Context, shader *threads.Runner, plan *fragment.Plan, share *fragment.Share,
) error {
	s := m.w.plan.stores
	if err := shader.Run(s.begin(shader.IR, ctx), &m.w.frags.Waiting.Lanes); err != nil {
		return err
	}
	s.end(m.storing.draw.Index, func(lane int) string { return m.fragmentName(plan, share, lane) })
	return nil
}

// fragmentName names the invocation in a lane of what is being shaded.
func (m *watcher) fragmentName(plan *fragment.Plan, share *fragment.Share, lane int) string {
	f := &m.w.frags
	p := f.Waiting
	place := &p.Places[lane/ir.PlaceLanes]
	x, y := place.Pixel(lane % ir.PlaceLanes)
	name := ""
	if r := plan.Rate; r != (rates.Rate{}) {
		x, y = pixelOf(p, r, f.Pass.Samples, lane)
		name = fmt.Sprintf(" of %d × %d pixels", 1<<r.W, 1<<r.H)
	}
	name = fmt.Sprintf("fragment%s at %d, %d", name, x, y)
	if n := share.Count; len(plan.Shares) > 1 && n == 1 {
		name += fmt.Sprintf(", sample %d", share.First)
	} else if len(plan.Shares) > 1 {
		name += fmt.Sprintf(", samples %d to %d", share.First, share.First+n-1)
	}
	c := m.storing
	rec := &c.Recs[p.Owner(place.Record).Prim]
	if rec.Layer > 0 {
		name += fmt.Sprintf(", layer %d", rec.Layer)
	}
	if c.View > 0 {
		name += fmt.Sprintf(", view %d", c.View)
	}
	return name + fmt.Sprintf(", primitive %d", rec.ID)
}

// pixelOf is the first covered pixel of the fragment in a lane, where fragments have several.
func pixelOf(p *fragment.Waiting, r rates.Rate, samples, lane int) (x, y int) {
	for k := range p.Pixels {
		q := &p.Pixels[k]
		s := fragment.SpreadingOf(r, q)
		for any := q.Any(samples); any != 0; any &= any - 1 {
			i := bits.TrailingZeros16(any)
			if int(p.From[k])+int(s.Lanes[i]) == lane {
				return q.Pixel(i)
			}
		}
	}
	return -1, -1
}
