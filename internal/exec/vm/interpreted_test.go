package vm

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// A program tells which of its instructions have no machine code, how many, and where the first
// of them is, or else the loop that it is in, optimized or not; one that is machine code
// throughout tells of none, and neither does the portable machine.
func TestNative_Interpreted(t *testing.T) { eachMachine(t, interpreted) }

func interpreted(t *testing.T) {
	at := ir.Source{File: "lens.frag", Line: 12}
	types := []ir.Type{ir.F32}
	line := ir.Source{File: "lens.glsl", Line: 5}
	make := func(away, lines bool) *ir.Program {
		return program(t, ir.StageFragment, types, types, func(b *ir.Builder, in []ir.Value) {
			sum, k := b.NewVar(ir.F32, "sum"), b.NewVar(ir.I32, "k")
			b.Loop(false, func(l *ir.Loop) {
				l.Source = at
				x := in[0]
				for i := range uint32(2) {
					if lines {
						b.From(ir.Source{File: line.File, Line: line.Line + i})
					}
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
	of := func(o Options, p *ir.Program) []exec.Interpreted {
		r, err := New(o).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		return r.(exec.Interpreter).Interpreted()
	}
	for _, c := range []struct {
		lines, optimized bool
		want             ir.Source
	}{{false, false, at}, {false, true, at}, {true, false, line}, {true, true, line}} {
		p := make(true, c.lines)
		if c.optimized {
			ir.Optimize(p)
		}
		got := of(under(Options{}), p)
		if len(got) != 1 || got[0].Count != 2 || got[0].Name != ir.OpInterpolateAt.String() ||
			got[0].Source != c.want || got[0].Why == "" {
			t.Errorf("%+v: told %+v", c, got)
		}
	}
	if got := of(under(Options{}), make(false, true)); len(got) != 0 {
		t.Errorf("of machine code throughout: %+v", got)
	}
	if got := of(Options{}, make(true, true)); len(got) != 0 {
		t.Errorf("of the portable machine: %+v", got)
	}
}
