package vm

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Registers that are set under masks hold what loops leave there: of sums, differences and products of all
// forms, and where others look at the register before it is set.
func TestNative_SetsUnderMasks(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, setsUnderMasks)
}

func setsUnderMasks(t *testing.T) {
	const n = 60
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 8))
		p := program(t, ir.StageCompute, []ir.Type{ir.F32, ir.F32, ir.F32, ir.I32}, []ir.Type{ir.F32, ir.F32, ir.F32}, func(b *ir.Builder, in []ir.Value) {
			var vars [3]ir.VarID
			for i := range vars {
				vars[i] = b.NewVar(ir.F32, "v")
				b.Set(vars[i], in[i])
			}
			list := append([]ir.Value{b.F32(0.75)}, in[:3]...)
			some := func() ir.Value {
				if r.IntN(3) > 0 {
					return b.Get(vars[r.IntN(3)])
				}
				return list[r.IntN(len(list))]
			}
			value := func() ir.Value {
				op := []ir.Op{ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv}[r.IntN(4)]
				switch r.IntN(4) {
				case 0:
					return b.Op(ir.OpFma, ir.F32, some(), some(), some())
				case 1:
					product := b.Op(ir.OpFMul, ir.F32, some(), some())
					if r.IntN(2) == 0 {
						return b.Op(op, ir.F32, some(), product)
					}
					return b.Op(op, ir.F32, product, some())
				}
				return b.Op(op, ir.F32, some(), some())
			}
			body := func() {
				for range 1 + r.IntN(4) {
					v, before := value(), value()
					b.Set(vars[r.IntN(3)], v)
					if r.IntN(2) == 0 {
						b.Set(vars[r.IntN(3)], before)
					}
				}
			}
			b.If(b.Op(ir.OpFLt, ir.Bool, in[0], in[1]), body, body)
			i := b.NewVar(ir.I32, "i")
			b.Set(i, b.Op(ir.OpAnd, ir.I32, in[3], b.I32(3)))
			b.Loop(false, func(l *ir.Loop) {
				body()
				b.Set(i, b.Op(ir.OpISub, ir.I32, b.Get(i), b.I32(1)))
				b.If(b.Op(ir.OpSLt, ir.Bool, b.Get(i), b.I32(0)), func() { b.Break(l) }, nil)
			}, nil)
			for i, v := range vars {
				output(b, i, b.Get(v))
			}
		})
		if seed&1 != 0 {
			ir.Optimize(p)
		}
		in := make([][]uint32, 4)
		for i := range in {
			in[i] = lanesFor(r, n)
		}
		sameOutputs(t, seed, p, in, n, under(Options{}))
	}
}
