package vm

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// A program tells which of its instructions have no machine code, how many, and where the loop
// is that they are in; one that is machine code throughout tells of none, and neither does the
// portable machine.
func TestNative_Interpreted(t *testing.T) { eachMachine(t, interpreted) }

func interpreted(t *testing.T) {
	at := ir.Source{File: "lens.frag", Line: 12}
	types := []ir.Type{ir.F32}
	make := func(away bool) *ir.Program {
		return program(t, ir.StageFragment, types, types, func(b *ir.Builder, in []ir.Value) {
			sum, k := b.NewVar(ir.F32, "sum"), b.NewVar(ir.I32, "k")
			b.Loop(false, func(l *ir.Loop) {
				l.Source = at
				x := in[0]
				for range 2 {
					if away {
						x = b.OpImm(ir.OpInterpolateAt, ir.F32, 3<<32, x, x)
					} else {
						x = b.Op(ir.OpFMul, ir.F32, x, x)
					}
				}
				b.Set(sum, b.Op(ir.OpFAdd, ir.F32, b.Get(sum), x))
			}, func(l *ir.Loop) {
				b.Set(k, b.Op(ir.OpIAdd, ir.I32, b.Get(k), b.I32(1)))
				b.If(b.Op(ir.OpULt, ir.Bool, b.Get(k), b.I32(4)), func() {}, func() { b.Break(l) })
			})
			output(b, 0, b.Get(sum))
		})
	}
	of := func(o Options, away bool) []exec.Interpreted {
		r, err := New(o).Compile(make(away))
		if err != nil {
			t.Fatal(err)
		}
		return r.(exec.Interpreter).Interpreted()
	}
	got := of(under(Options{}), true)
	if len(got) != 1 || got[0].Count != 2 || got[0].Name != ir.OpInterpolateAt.String() || got[0].Source != at || got[0].Why == "" {
		t.Errorf("told %+v", got)
	}
	if got := of(under(Options{}), false); len(got) != 0 {
		t.Errorf("of machine code throughout: %+v", got)
	}
	if got := of(Options{}, true); len(got) != 0 {
		t.Errorf("of the portable machine: %+v", got)
	}
}
