package geometry

import (
	"fmt"

	"github.com/pumice-gpu/pumice/internal/exec"
)

// Onlooker looks at batches: who stores where.
type Onlooker interface {
	// Before is the context that the next batch of a program runs in, in the place of c.
	Before(p *Runner, c *exec.Context) *exec.Context
	// After says that it has run, for a draw; name is that of the invocation in a lane.
	After(draw int, name func(lane int) string)
}

// after is Onlooker.After; behind a name is what tells invocations of draws and views apart.
func (w *Worker) after(name func(lane int) string) {
	p := w.Feed.Params
	w.Onlooker.After(w.Feed.Draw.Index, func(lane int) string {
		s := name(lane)
		if p.DrawIndex > 0 {
			s += fmt.Sprintf(", draw index %d", p.DrawIndex)
		}
		if p.View > 0 {
			s += fmt.Sprintf(", view %d", p.View)
		}
		return s
	})
}

// vertexName names an invocation of the vertex shader.
func (w *Worker) vertexName(k VertexKey) string {
	name := fmt.Sprintf("vertex %d", k.Vertex)
	if i := k.Instance + w.Feed.Params.FirstInstance; i > 0 {
		name += fmt.Sprintf(", instance %d", i)
	}
	return name
}

// evaluationName names that of the evaluation shader which makes a row.
func (w *Worker) evaluationName(row uint32) string {
	s := &w.tess
	at := s.points[row].Coord()
	return fmt.Sprintf("patch %d at %g, %g, %g", w.shaded.ids[s.first+int(s.of[row])],
		at[0], at[1], at[2])
}

// controlName names invocation number of all patches of the batch, of which each has n.
func (w *Worker) controlName(number, n uint32) string {
	patch := w.shaded.ids[w.tess.first+int(number/n)]
	return fmt.Sprintf("patch %d, invocation %d", patch, number%n)
}

// geometryName names invocation number of all primitives of the stretch, of which each has n.
func (w *Worker) geometryName(number, n uint32) string {
	return fmt.Sprintf("primitive %d, invocation %d", w.geom.in.ids[number/n], number%n)
}

// workgroup names one of size of them.
func workgroup(size [3]uint32, number int64) string {
	x, y := int64(max(size[0], 1)), int64(max(size[1], 1))
	return fmt.Sprintf("workgroup %d, %d, %d", number%x, number/x%y, number/x/y)
}

// member names the invocation in a lane of a workgroup.
func member(group string, p *Runner, lane int) string {
	return fmt.Sprintf("%s, invocation %d", group, p.IR.LocalIndex(uint32(lane)))
}
