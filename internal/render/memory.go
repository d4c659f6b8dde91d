package render

import (
	"slices"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Memory is a word of a buffer, or a texel of a storage image, of which a pass tells who stored.
type Memory struct {
	Spot trace.Spot
	Now  func() explain.Value // what it holds
	// MaxSteps instructions of its writers are kept, and MaxStores stores: the last ones.
	MaxSteps, MaxStores int

	// Stores are the last ones of each stage of each draw, in their order.
	Stores  []Store
	Dropped int // stores that were left out
	held    int // steps
}

// Store is the last store of a stage of a draw.
type Store struct {
	Draw       int
	Stage      ir.Stage
	Invocation string        // that stored
	After      explain.Value // what it left
	steps      *trace.Collector
}

// Add adds a store, which nothing has followed: in steps, the last of them.
func (m *Memory) Add(draw int, stage ir.Stage, which string, steps *trace.Collector) {
	same := func(s Store) bool { return s.Draw == draw && s.Stage == stage }
	if i := slices.IndexFunc(m.Stores, same); i >= 0 {
		m.forget(&m.Stores[i])
		m.Stores = slices.Delete(m.Stores, i, i+1)
	}
	if len(m.Stores) >= m.MaxStores {
		n := len(m.Stores) - m.MaxStores/2
		for i := range m.Stores[:n] {
			m.forget(&m.Stores[i])
		}
		m.Stores, m.Dropped = slices.Delete(m.Stores, 0, n), m.Dropped+n
	}
	m.held += steps.Len()
	for i := 0; i < len(m.Stores) && m.held > m.MaxSteps; i++ {
		m.forget(&m.Stores[i])
	}
	m.Stores = append(m.Stores, Store{draw, stage, which, m.Now(), steps})
}

// forget drops the steps of a store.
func (m *Memory) forget(s *Store) {
	if s.steps != nil {
		m.held -= s.steps.Len()
		s.steps = nil
	}
}

// Shader is what the invocation ran up to the store.
func (s *Store) Shader() *explain.Shader {
	out := &explain.Shader{Stage: trace.StageName(s.Stage)}
	if s.steps != nil {
		out = s.steps.Whole()
	} else {
		DropSteps(out)
	}
	out.Invocation = s.Invocation
	return out
}

// DropSteps leaves of a shader who it was, and says why.
func DropSteps(s *explain.Shader) {
	s.Steps, s.Images, s.Sources = []explain.Instruction{}, nil, nil
	s.Missing = "stores followed whose steps are kept in the place of these"
}
