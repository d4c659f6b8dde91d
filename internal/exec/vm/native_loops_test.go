package vm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Loops in loops, which lanes leave, and go on with, at different times, hold what they carry from iteration to
// iteration: of variables that only a loop looks at, and of those that somebody looks at afterwards, set anew
// whenever a loop begins or not.
func TestNative_LoopsInLoops(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, loopsInLoops)
}

func loopsInLoops(t *testing.T) {
	const n, vars = 40, 4
	for seed := range share(800, 4) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32, ir.I32}, []ir.Type{ir.I32, ir.I32}, func(b *ir.Builder, in []ir.Value) {
			var v [vars]ir.VarID
			for i := range v {
				v[i] = b.NewVar(ir.I32, "v")
				if r.IntN(3) > 0 {
					b.Set(v[i], in[r.IntN(len(in))])
				}
			}
			own := ir.VarID(-1) // read in the innermost loop only
			some := func() ir.Value {
				switch r.IntN(5) {
				case 0:
					return in[r.IntN(len(in))]
				case 1:
					return b.I32(uint32(r.IntN(9)))
				case 2:
					if own >= 0 {
						return b.Get(own)
					}
				}
				return b.Get(v[r.IntN(vars)])
			}
			value := func() ir.Value {
				op := []ir.Op{ir.OpIAdd, ir.OpISub, ir.OpXor, ir.OpIMul}[r.IntN(4)]
				return b.Op(op, ir.I32, some(), some())
			}
			when := func(then, other func()) {
				bits := b.Op(ir.OpAnd, ir.I32, value(), b.I32(uint32(1+r.IntN(7))))
				c := b.Op([]ir.Op{ir.OpIEq, ir.OpINe}[r.IntN(2)], ir.Bool, bits, b.I32(0))
				if r.IntN(2) == 0 {
					c = b.Op(ir.OpNot, ir.Bool, c)
				}
				b.If(c, then, other)
			}
			set := func() { b.Set(v[r.IntN(vars)], value()) }
			var loop func(outer []*ir.Loop, mine ir.VarID)
			loop = func(outer []*ir.Loop, mine ir.VarID) {
				left := b.NewVar(ir.I32, "left")
				b.Set(left, b.Op(ir.OpAnd, ir.I32, some(), b.I32(7)))
				if r.IntN(2) == 0 {
					set()
				}
				if r.IntN(2) == 0 {
					b.Set(mine, value())
				}
				around := own
				own = mine
				inner := b.NewVar(ir.I32, "inner")
				b.Loop(false, func(l *ir.Loop) {
					all := append(outer[:len(outer):len(outer)], l)
					for range 1 + r.IntN(6) {
						switch r.IntN(8) {
						case 0:
							if len(all) < 3 {
								loop(all, inner)
							}
						case 1:
							when(func() { b.Break(all[r.IntN(len(all))]) }, nil)
						case 2:
							when(func() { b.Continue(l) }, nil)
						case 3:
							when(set, set)
						case 4:
							when(func() { set(); b.Break(l) }, nil)
						case 5:
							when(func() { b.Break(l) }, set)
						case 6:
							set()
						default:
							b.Set(own, value())
						}
					}
				}, func(l *ir.Loop) {
					b.Set(left, b.Op(ir.OpISub, ir.I32, b.Get(left), b.I32(1)))
					b.If(b.Op(ir.OpSLt, ir.Bool, b.Get(left), b.I32(0)), func() { b.Break(l) }, nil)
				})
				own = around
			}
			for range 1 + r.IntN(3) {
				mine := b.NewVar(ir.I32, "mine")
				loop(nil, mine)
				if r.IntN(2) == 0 { // other code goes on
					b.Op(ir.OpBarrier, ir.Void)
					b.Set(v[r.IntN(vars)], b.Get(mine))
				}
			}
			output(b, 0, b.Get(v[0]))
			output(b, 1, b.Get(v[1]))
		})
		if seed&1 != 0 {
			ir.Optimize(p)
		}
		in := make([][]uint32, 3)
		for i := range in {
			in[i] = lanesFor(r, n)
		}
		sameOutputs(t, seed, p, in, n, under(Options{}))
	}
}

// What all lanes share is in each strip what the program's begin made it, where the first write
// of it is jumped over and a later one is not.
func TestNative_StripsShareWhatTheyFound(t *testing.T) { eachMachine(t, stripsShareWhatTheyFound) }

func stripsShareWhatTheyFound(t *testing.T) {
	const n = 64
	types := []ir.Type{ir.I32}
	p := program(t, ir.StageCompute, types, types, func(b *ir.Builder, in []ir.Value) {
		v := b.NewVar(ir.I32, "v")
		b.Loop(true, func(l *ir.Loop) {
			first := b.OpImm(ir.OpLoadPush, ir.I32, 0, b.I32(0))
			b.If(b.Op(ir.OpIEq, ir.Bool, first, b.I32(0)), func() { b.Break(l) }, nil)
			b.Set(v, b.Op(ir.OpIAdd, ir.I32, first, b.I32(3)))
		}, nil)
		found := b.Get(v)
		b.Set(v, b.Op(ir.OpIAdd, ir.I32, found, b.I32(1)))
		output(b, 0, b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, in[0], b.Get(v)), found))
	})
	p.PushBytes = 4
	ir.Optimize(p)
	rows := [][]uint32{make([]uint32, n)}
	for l := range rows[0] {
		rows[0][l] = uint32(l)
	}
	compiled, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	out := [][]uint32{make([]uint32, n)}
	batch := &exec.Batch{N: n, In: rows, Out: out}
	if err := compiled.NewThread(n).Run(&exec.Context{Push: make([]byte, 4)}, batch); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(out[0], rows[0]) {
		t.Errorf("%d", out[0])
	}
}
