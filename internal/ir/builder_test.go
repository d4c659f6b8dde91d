package ir

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func TestBuilder_ValueLeavesItsBlock_TravelsInVar(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := &Program{Inputs: []IO{{Type: I32}}, Outputs: []IO{{Type: I32}}}
	b := NewBuilder(p)
	x := b.OpImm(OpInput, I32, 0)
	inner := NoValue
	b.If(b.Op(OpIEq, Bool, x, b.I32(3)), func() { inner = b.Op(OpIAdd, I32, x, b.I32(1)) }, nil)
	if got := b.Use(x); got != x {
		t.Errorf("a value of the open block becomes %d", got)
	}
	b.OpImm(OpOutput, Void, 0, b.Use(inner))
	b.Finish()
	if err := Verify(p); err != nil {
		t.Fatal(err)
	}
	if len(p.Vars) != 1 {
		t.Errorf("%d registers, want 1", len(p.Vars))
	}
}

func TestBuilder_BreakDepths_SkipDissolvedScopes(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := &Program{Inputs: []IO{{Type: I32}}}
	b := NewBuilder(p)
	x := b.OpImm(OpInput, I32, 0)
	var out, next Value
	b.Loop(false, func(outer *Loop) {
		b.Loop(true, func(*Loop) { // nothing breaks out of it: dissolved
			b.Loop(true, func(kept *Loop) {
				b.If(b.Op(OpIEq, Bool, x, b.I32(1)), func() { b.Break(kept) }, nil)
				b.If(b.Op(OpIEq, Bool, x, b.I32(2)), func() { b.Continue(outer); next = Value(len(p.Insts) - 1) }, nil)
				b.Break(outer)
				out = Value(len(p.Insts) - 1)
			}, nil)
		}, nil)
	}, nil)
	b.Finish()
	if err := Verify(p); err != nil {
		t.Fatal(err)
	}
	if p.Insts[out].Imm != 2 || p.Insts[next].Imm != 2 {
		t.Errorf("break depth %d, continue depth %d; want 2", p.Insts[out].Imm, p.Insts[next].Imm)
	}
}

// A finished program may get more: what it had comes first, behind new constants.
func TestBuilder_OfFinishedProgram_Appends(t *testing.T) {
	p := &Program{Inputs: []IO{{Type: I32}}, Outputs: []IO{{Type: I32}, {Type: I32}}}
	for slot := range uint64(2) {
		b := NewBuilder(p)
		b.OpImm(OpOutput, Void, slot, b.Op(OpIAdd, I32, b.OpImm(OpInput, I32, 0), b.I32(uint32(slot))))
		b.Finish()
		if err := Verify(p); err != nil {
			t.Fatal(err)
		}
	}
	var outputs []uint64
	for _, s := range p.Body.Stmts {
		if in := &p.Insts[s.Inst]; in.Op == OpOutput {
			outputs = append(outputs, in.Imm)
		}
	}
	if !slices.Equal(outputs, []uint64{0, 1}) {
		t.Errorf("outputs %v are written", outputs)
	}
}
