package ir

import (
	"slices"
	"strings"
	"testing"
)

// What makes a traced program unfit for the plain one's batches is said.
func TestAlign(t *testing.T) {
	plain := func() *Program {
		return &Program{Stage: StageFragment, Inputs: []IO{{Type: F32}, {Type: I32, Location: 1}}, Outputs: []IO{{Type: F32}}, Resources: []Resource{{Kind: Sampler, Count: 1}}, ImageOps: []ImageOp{{Kind: ImageFetch}}}
	}
	traced := plain()
	traced.Traces, traced.Files, traced.Vars, traced.Insts = make([]Trace, 3), make([]File, 1), make([]Var, 2), make([]Inst, 9)
	if err := Align(traced, plain()); err != nil {
		t.Error(err)
	}
	for what, change := range map[string]func(p *Program){
		"lanes":              func(p *Program) { p.LocalSize[1] = 2 },
		"inputs":             func(p *Program) { p.Inputs[0], p.Inputs[1] = p.Inputs[1], p.Inputs[0] },
		"outputs":            func(p *Program) { p.Outputs = nil },
		"resources":          func(p *Program) { p.Resources[0].Count = 2 },
		"image instructions": func(p *Program) { p.ImageOps = append(p.ImageOps, ImageOp{}) },
		"facts":              func(p *Program) { p.EarlyFragmentTests = true },
	} {
		p := plain()
		change(p)
		if err := Align(p, plain()); err == nil || !strings.Contains(err.Error(), "other "+what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// An OpTrace has the words of its type.
func TestVerify_Trace(t *testing.T) {
	two := &TraceType{Kind: TraceParts, Parts: []*TraceType{{Kind: TraceFloat, Width: 32}, {Kind: TraceMore}, {Kind: TraceBool, Width: 32}}}
	for _, c := range []struct {
		name  string
		trace Trace
		imm   uint64
		words int
		ok    bool
	}{
		{"value", Trace{Type: two}, 0, 2, true},
		{"wide", Trace{Type: &TraceType{Kind: TraceInt, Width: 64}}, 0, 2, true},
		{"nothing", Trace{}, 0, 0, true},
		{"a word too few", Trace{Type: two}, 0, 1, false},
		{"words of nothing", Trace{}, 0, 1, false},
		{"no such trace", Trace{}, 1, 0, false},
		{"image", Trace{Image: 1}, 0, 2, true},
		{"no such image", Trace{Image: 2}, 0, 2, false},
	} {
		p := &Program{Stage: StageCompute, LocalSize: [3]uint32{1, 1, 1}, ImageOps: []ImageOp{{Kind: ImageQueryLevels, Sampler: -1, Results: 1}}, Resources: []Resource{{Kind: SampledImage, Count: 1}}, Traces: []Trace{c.trace}}
		b := NewBuilder(p)
		words := []Value{b.F32(1), b.Bool(true)}[:c.words]
		b.OpMore(OpTrace, Void, c.imm, words)
		b.Finish()
		if err := Verify(p); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.ok {
			continue
		}
		if Optimize(p); !slices.ContainsFunc(p.Insts, func(in Inst) bool { return in.Op == OpTrace && len(in.More) == c.words }) {
			t.Errorf("%s is dropped", c.name)
		}
	}
}
