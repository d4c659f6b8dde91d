package vm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// traceAll puts an OpTrace behind most values of a program.
func traceAll(p *ir.Program, r *rand.Rand, b *ir.Block) {
	var out []ir.Stmt
	for _, s := range b.Stmts {
		out = append(out, s)
		switch {
		case s.If != nil:
			traceAll(p, r, &s.If.Then)
			traceAll(p, r, &s.If.Else)
		case s.Loop != nil:
			traceAll(p, r, &s.Loop.Body)
			traceAll(p, r, &s.Loop.Continue)
		case p.Insts[s.Inst].Type != ir.Void && r.IntN(4) > 0:
			p.Traces = append(p.Traces, ir.Trace{Type: &ir.TraceType{Kind: ir.TraceUint, Width: 32}})
			p.Insts = append(p.Insts, ir.Inst{Op: ir.OpTrace, Imm: uint64(len(p.Traces) - 1), More: []ir.Value{s.Inst}})
			out = append(out, ir.Stmt{Inst: ir.Value(len(p.Insts) - 1)})
		}
	}
	b.Stmts = out
}

// Every lane tells the values that the reference computes, in the order of the program, optimized and not, on
// loops and with machine code around them; and what is told changes nothing.
func TestVM_RandomPrograms_TellWhatTheReferenceComputes(t *testing.T) {
	rules.Covers(t, "RAS-001")
	seeds, told := share(1500, 5), 0
	for seed := range seeds {
		p := randomProgram(seed)
		traceAll(p, rand.New(rand.NewPCG(seed, 5)), &p.Body)
		if err := ir.Verify(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		n := []int{1, 5, 64, 100, 260}[seed%5]
		want := newWorld(seed, n)
		want.reference(p)
		if seed%2 == 0 {
			ir.Optimize(p)
		}
		for _, o := range []Options{{Lanes: 64}, {Native: true}} {
			what := fmt.Sprintf("seed %d, %+v", seed, o)
			got := newWorld(seed, n)
			lanes := make([][]uint32, n)
			ctx := got.context()
			ctx.Trace = func(x *exec.Told) {
				for i, on := range x.Mask {
					if on != 0 {
						lanes[x.Base+i] = append(lanes[x.Base+i], uint32(x.Index), x.Words[0][i])
						told++
					}
				}
			}
			r, err := New(o).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.NewThread(n).Run(ctx, &exec.Batch{N: n, In: got.in, Out: got.out, Live: got.live}); err != nil {
				t.Fatal(err)
			}
			got.compare(t, what, want)
			for l := range lanes {
				if !slices.Equal(lanes[l], want.told[l]) {
					t.Fatalf("%s: lane %d tells %08x, want %08x\n%s", what, l, lanes[l], want.told[l], p)
				}
			}
		}
	}
	if told < 100000 {
		t.Errorf("%d values told: the test reaches nothing", told)
	}
}
