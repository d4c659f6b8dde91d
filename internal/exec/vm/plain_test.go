package vm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Breaks and continues that all lanes take together and such that only some take, of one loop
// and through several, in any order, do in each lane what they say: on the portable machine and
// in machine code.
func TestVM_LeavesOfAllLanesAndOfSome(t *testing.T) {
	rules.Covers(t, "RAS-001")
	leavesOfAllAndSome(t)
	t.Run("native", func(t *testing.T) { eachMachine(t, leavesOfAllAndSome) })
}

func leavesOfAllAndSome(t *testing.T) {
	for seed := range share(1500, 5) {
		n := []int{1, 3, 40, 64}[seed%4]
		p := leavingProgram(t, rand.New(rand.NewPCG(seed, 34)))
		want := newWorld(seed, n)
		want.reference(p)
		if err := ir.OptimizeChecked(p); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got := newWorld(seed, n)
		got.run(t, p, 64)
		got.compare(t, "seed "+itoa(seed), want)
	}
}

// leavingProgram is a random program of loops that leave each other on conditions that are the
// same in all lanes, of counters and push constants, and on others, of inputs.
func leavingProgram(t *testing.T, r *rand.Rand) *ir.Program {
	inputs := slices.Repeat([]ir.Type{ir.I32}, genInputs)
	outputs := slices.Repeat([]ir.Type{ir.I32}, genOutputs)
	p := program(t, ir.StageCompute, inputs, outputs, func(b *ir.Builder, in []ir.Value) {
		var v [3]ir.VarID // varying, and what all lanes share
		var u [3]ir.VarID
		for i := range v {
			v[i], u[i] = b.NewVar(ir.I32, "v"), b.NewVar(ir.I32, "u")
			b.Set(v[i], in[i])
			b.Set(u[i], b.OpImm(ir.OpLoadPush, ir.I32, 0, b.I32(uint32(4*i))))
		}
		same := func() ir.Value {
			switch r.IntN(3) {
			case 0:
				return b.I32(r.Uint32N(9))
			case 1:
				return b.Op(ir.OpShrU, ir.I32, b.Get(u[r.IntN(3)]), b.I32(r.Uint32N(20)))
			}
			op := []ir.Op{ir.OpIAdd, ir.OpIMul, ir.OpXor}[r.IntN(3)]
			return b.Op(op, ir.I32, b.Get(u[r.IntN(3)]), b.I32(r.Uint32()))
		}
		other := func() ir.Value {
			if r.IntN(2) == 0 {
				return in[r.IntN(len(in))]
			}
			op := []ir.Op{ir.OpIAdd, ir.OpISub, ir.OpXor}[r.IntN(3)]
			return b.Op(op, ir.I32, b.Get(v[r.IntN(3)]), in[r.IntN(len(in))])
		}
		set := func() {
			switch r.IntN(3) {
			case 0:
				b.Set(v[r.IntN(3)], other())
			case 1:
				b.Set(v[r.IntN(3)], same())
			default:
				b.Set(u[r.IntN(3)], same())
			}
		}
		when := func(then func()) {
			x := same
			if r.IntN(2) == 0 {
				x = other
			}
			bits := b.Op(ir.OpAnd, ir.I32, x(), b.I32(1+r.Uint32N(7)))
			op := []ir.Op{ir.OpIEq, ir.OpINe, ir.OpULt, ir.OpSLe}[r.IntN(4)]
			c := b.Op(op, ir.Bool, bits, b.I32(r.Uint32N(4)))
			if r.IntN(2) == 0 {
				c = b.Op(ir.OpNot, ir.Bool, c)
			}
			var or func()
			if r.IntN(3) == 0 {
				or = set
			}
			b.If(c, then, or)
		}
		var loop func(around []*ir.Loop)
		loop = func(around []*ir.Loop) {
			k := b.NewVar(ir.I32, "k")
			b.Set(k, b.I32(0))
			once := r.IntN(5) == 0
			count := func(l *ir.Loop) {
				b.Set(k, b.Op(ir.OpIAdd, ir.I32, b.Get(k), b.I32(1)))
				limit := b.I32(1 + r.Uint32N(4))
				if r.IntN(2) == 0 {
					limit = b.Op(ir.OpAnd, ir.I32, other(), b.I32(3))
				}
				b.If(b.Op(ir.OpSLe, ir.Bool, limit, b.Get(k)), func() { b.Break(l) }, nil)
			}
			if once {
				count = nil
			}
			b.Loop(once, func(l *ir.Loop) {
				all := append(around[:len(around):len(around)], l)
				for range 1 + r.IntN(6) {
					switch r.IntN(8) {
					case 0, 1:
						if len(all) < 4 {
							loop(all)
						}
					case 2:
						when(func() { set(); b.Break(all[r.IntN(len(all))]) })
					case 3:
						when(func() { b.Break(l) })
					case 4, 5:
						if to := all[r.IntN(len(all))]; !to.Once {
							when(func() { b.Continue(to) })
						}
					default:
						set()
					}
				}
			}, count)
		}
		for range 2 {
			loop(nil)
			set()
		}
		for i := range v {
			output(b, 2*i, b.Get(v[i]))
			output(b, 2*i+1, b.Get(u[i]))
		}
	})
	p.PushBytes = 32
	return p
}
