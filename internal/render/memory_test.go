package render

import (
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// ran is what an invocation of n steps told.
func ran(p *ir.Program, n int) *trace.Collector {
	c := trace.New(p, 0, false)
	for range n {
		c.Tell(&exec.Told{Program: p, Mask: []uint32{1}})
	}
	return c
}

// Of many stores the last ones are kept, and of their steps as many as there is room for; the last
// store has its steps in any case. A stage of a draw has one store, where it was last.
func TestMemory_Bounds(t *testing.T) {
	p := &ir.Program{Stage: ir.StageVertex, Traces: []ir.Trace{{Text: "OpStore"}}}
	m := &Memory{
		Now: func() explain.Value { return explain.Value{} }, MaxSteps: 10, MaxStores: 4,
	}
	for draw := range 3 {
		m.Add(draw, ir.StageVertex, "", ran(p, 4))
	}
	m.Add(1, ir.StageVertex, "again", ran(p, 4))
	m.Add(1, ir.StageFragment, "", ran(p, 2))
	order := func(want ...[2]int) { // draws, and steps
		t.Helper()
		if len(m.Stores) != len(want) {
			t.Fatalf("%+v, want %v", m.Stores, want)
		}
		for i, s := range m.Stores {
			x := s.Shader()
			kept := len(x.Steps) > 0
			if got := [2]int{s.Draw, len(x.Steps)}; got != want[i] || (x.Missing == "") != kept {
				t.Errorf("store %d is %v (%s), want %v", i, got, x.Missing, want[i])
			}
		}
	}
	order([2]int{0, 0}, [2]int{2, 4}, [2]int{1, 4}, [2]int{1, 2})
	if m.Stores[2].Invocation != "again" || m.held != 10 || m.Dropped != 0 {
		t.Errorf("%q, %d held, %d dropped", m.Stores[2].Invocation, m.held, m.Dropped)
	}
	m.Add(3, ir.StageVertex, "", ran(p, 50))
	order([2]int{1, 0}, [2]int{1, 0}, [2]int{3, 50})
	if m.Dropped != 2 || m.held != 50 {
		t.Errorf("%d dropped, %d held", m.Dropped, m.held)
	}
}
