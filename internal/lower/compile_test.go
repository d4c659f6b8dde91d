package lower_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

func module(t testing.TB, name string) *spirv.Module {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.ParseBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compile(t testing.TB, name string, opt lower.Options) *ir.Program {
	t.Helper()
	p, err := lower.Compile(module(t, name), "main", opt)
	if err != nil {
		t.Fatal(err)
	}
	checkProgram(t, p)
	return p
}

// checkProgram checks that every operand is defined above its use in the same
// or an outer block, and that break depths exist.
func checkProgram(t testing.TB, p *ir.Program) {
	t.Helper()
	defined := map[ir.Value]bool{}
	var block func(b ir.Block, loops int)
	block = func(b ir.Block, loops int) {
		var mine []ir.Value
		for _, s := range b.Stmts {
			switch {
			case s.If != nil:
				if !defined[s.If.Cond] {
					t.Errorf("If on undefined %%%d", s.If.Cond)
				}
				block(s.If.Then, loops)
				block(s.If.Else, loops)
			case s.Loop != nil:
				block(s.Loop.Body, loops+1)
				block(s.Loop.Continue, loops+1)
			default:
				in := p.Insts[s.Inst]
				for _, a := range in.Args {
					if a != ir.NoValue && !defined[a] {
						t.Errorf("%%%d uses %%%d, which is not defined above", s.Inst, a)
					}
				}
				for _, a := range in.More {
					if !defined[a] {
						t.Errorf("%%%d uses %%%d, which is not defined above", s.Inst, a)
					}
				}
				if (in.Op == ir.OpBreak || in.Op == ir.OpContinue) && (in.Imm < 1 || in.Imm > uint64(loops)) {
					t.Errorf("%%%d breaks %d of %d loops", s.Inst, in.Imm, loops)
				}
				if defined[s.Inst] {
					t.Errorf("%%%d stands twice", s.Inst)
				}
				defined[s.Inst] = true
				mine = append(mine, s.Inst)
			}
		}
		for _, v := range mine {
			delete(defined, v)
		}
	}
	block(p.Body, 0)
}

func TestCompile_BasicPair_Interface(t *testing.T) {
	v := compile(t, "basic.vert", lower.Options{})
	f := compile(t, "basic.frag", lower.Options{})
	if len(v.Inputs) != 10 || v.Inputs[9].Builtin != ir.BuiltinVertexIndex {
		t.Errorf("vertex inputs: %+v", v.Inputs)
	}
	if len(v.Outputs) != 11 || v.Outputs[7].Builtin != ir.BuiltinPosition {
		t.Errorf("vertex outputs: %+v", v.Outputs)
	}
	if v.PushBytes != 80 {
		t.Errorf("push bytes %d, want 80", v.PushBytes)
	}
	if len(f.Inputs) != 7 || f.Inputs[6].Interp != ir.Flat || f.Inputs[6].Type != ir.I32 {
		t.Errorf("fragment inputs: %+v", f.Inputs)
	}
	if len(f.Resources) != 2 || f.Resources[0].Kind != ir.CombinedImageSampler || f.Resources[1].Kind != ir.UniformBuffer {
		t.Errorf("resources: %+v", f.Resources)
	}
	if !f.Demotes || !f.UsesDerivatives || f.WritesMemory {
		t.Errorf("facts: demotes %v, derivatives %v, writes %v", f.Demotes, f.UsesDerivatives, f.WritesMemory)
	}
}
