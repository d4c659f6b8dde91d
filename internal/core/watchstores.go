package core

import (
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/vk"
)

// What shaders store to watched places is told with the invocation: of dispatches in watchword.go,
// of passes here.

// leastSteps is how many instructions before a store are kept, however many places are watched.
const leastSteps = 256

// mostSteps is how many instructions before a store are kept of a place.
func (w *Watcher) mostSteps() int { return max(w.share(MaxTold), leastSteps) }

// stored is a place of which a pass tells who stored to it.
type stored struct {
	of *watched
	*render.Memory
}

// memory has a pass tell who stored to the places that are asked about, if a shader of it may.
func (w *Watcher) memory(r *runner, p *render.Pass) (list []stored) {
	if !slices.ContainsFunc(w.points, (*watched).asksForStores) {
		return nil
	}
	stores, known := false, map[*render.Pipeline]*Pipeline{}
	for i := range p.Draws {
		d := &p.Draws[i]
		if d.Pipeline == nil {
			continue
		}
		of, ok := known[d.Pipeline]
		if !ok {
			of = pipelineOf(r.table, d.Pipeline)
			known[d.Pipeline] = of
		}
		if of == nil {
			continue
		}
		for _, program := range of.programs {
			stores = stores || program.WritesMemory
			w.findIn(*contextOf(d, program.Stage), program)
		}
	}
	if !stores {
		return nil
	}
	for _, of := range w.points {
		if !of.Stages || !of.storable() {
			continue
		}
		m := &render.Memory{
			Spot: of.place(), Now: of.value, MaxSteps: w.mostSteps(),
			MaxStores: w.share(watch.WatchedEvents),
		}
		p.Memory, list = append(p.Memory, m), append(list, stored{of, m})
	}
	return list
}

// asksForStores says that the shaders of a pass may have to do with it: they store to it, or have
// it bound.
func (p *watched) asksForStores() bool { return p.toBeFound() || p.Stages && p.storable() }

// toBeFound says that a word is where the first dispatch or draw has a buffer bound.
func (p *watched) toBeFound() bool {
	return p.Bound != nil && p.Bound.Dispatch < 0 && p.found.data == nil
}

// storable says that shaders may store to it.
func (p *watched) storable() bool {
	if p.Image != nil {
		return p.Image.res.Usage&vk.ImageUsageStorageBit != 0 && p.Image.res.Bound()
	}
	return p.memory() != nil
}

// findIn looks in what a stage has bound for words that are still to be found.
func (w *Watcher) findIn(c *exec.Context, program *ir.Program) {
	for _, of := range w.points {
		if of.toBeFound() && c != nil {
			of.find(c, program)
		}
	}
}

// tellStores tells of the stores of a pass.
func (w *Watcher) tellStores(r *runner, p *render.Pass, list []stored) {
	for _, m := range list {
		of := m.of
		of.e.Dropped += m.Dropped
		for i := range m.Stores {
			s := &m.Stores[i]
			e := explain.Event{
				Kind: explain.Store, Pass: r.passes - 1, Index: r.drawNumber(p, s.Draw),
				Labels: r.labelsOf(p, s.Draw), Outcome: explain.Wrote,
				Before: of.last, After: s.After, Shader: s.Shader(),
			}
			e.Where = r.whereOf(p, s.Draw, &e)
			text := fmt.Sprintf("the %s shader stored it: %s", e.Shader.Stage, s.Invocation)
			e.Steps = []explain.Step{explain.NewStep("", text)}
			w.add(of, e)
		}
	}
	p.Memory = nil
}

// keepShader counts the instructions of an event that is to be added, and drops those of earlier
// ones of the sample where there are too many.
func (w *Watcher) keepShader(p *watched, s *explain.Shader) {
	if s == nil {
		return
	}
	left := w.steps.Add(-int64(len(s.Steps)))
	for i := 0; i < len(p.e.Events) && left < 0; i++ {
		if old := p.e.Events[i].Shader; old != nil && len(old.Steps) > 0 {
			left = w.steps.Add(int64(len(old.Steps)))
			render.DropSteps(old)
		}
	}
}
