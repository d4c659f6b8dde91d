package render

import (
	"fmt"
	"math/bits"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
)

// maxHeld is how many instructions of the stages before fragments a pass holds, until it is known
// which of their primitives cover a sample.
const maxHeld = 1 << 19

// keepStores has the stages of a watched draw that store to memory tell what they compute as they
// run, since they must not run once more.
func (w *binner) keepStores(c *chunk) {
	if c.draw.draw.Traced == nil {
		return
	}
	st := c.draw.state.stages
	for of, at := range map[ir.Stage]int{
		ir.StageVertex: st.Vertex, ir.StageControl: st.Control, ir.StageEvaluation: st.Evaluation,
		ir.StageGeometry: st.Geometry, ir.StageTask: st.Task, ir.StageMesh: st.Mesh,
	} {
		if at == none {
			continue
		}
		if p := w.stages.Programs[at]; !p.IR.WritesMemory || p.Told != nil {
			continue
		}
		if r, err := c.draw.draw.Traced(of); err == nil { // else Retell says that nothing was kept
			w.stages.Programs[at] = w.watching.w.threads.Of(r, w.stages.Lanes).Telling()
		}
	}
}

// stages has the invocations that a primitive came from run once more, and returns what makes
// explanations of what they told.
func (m *watcher) stages(c *chunk, b *geometry.Stretch, p *prim) func() []explain.Shader {
	w := m.w
	if w.plan.held.Load() > maxHeld {
		return func() []explain.Shader {
			return []explain.Shader{
				{
					Stage:   "vertex",
					Missing: "so many primitives come near the pixel that these invocations are not kept",
				},
			}
		}
	}
	lanes := w.binner.stages.Lanes
	told := w.binner.stages.Retell(b, p, func(s ir.Stage) (*geometry.Runner, error) {
		r, err := c.draw.draw.Traced(s)
		if err != nil {
			return nil, err
		}
		return &w.threads.Of(r, lanes).Runner, nil
	})
	held := 0
	for i := range told {
		if t := told[i].Trace; t != nil {
			held += t.Len()
		}
	}
	w.plan.held.Add(int64(held))
	return func() []explain.Shader {
		out := make([]explain.Shader, len(told))
		of := map[ir.Stage]bool{}
		for i := range told {
			x, s := &told[i], &out[i]
			if x.Trace != nil {
				*s, s.Images = *x.Trace.Shader(), x.Trace.Images()
				if of[x.Stage] {
					s.Sources = nil
				}
				of[x.Stage] = true
			} else {
				s.Stage, s.Missing = trace.StageName(x.Stage), fmt.Sprintf("the steps of the %s shader are not told: %s", trace.StageName(x.Stage), x.Missing)
			}
			s.Invocation = x.Which
			for v := x.Vertices; v != 0; v &= v - 1 {
				s.Vertices = append(s.Vertices, bits.TrailingZeros8(v))
			}
		}
		return out
	}
}
