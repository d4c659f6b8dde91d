package vm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// class is a kind of instruction: emit makes the next value of a chain from the
// one before and from other inputs.
type class struct {
	name string
	t    ir.Type
	emit func(b *ir.Builder, x, y, z ir.Value) ir.Value
}

func classes() []class {
	op := func(name string, o ir.Op, t ir.Type, n int) class {
		return class{name, t, func(b *ir.Builder, x, y, z ir.Value) ir.Value { return b.Op(o, t, []ir.Value{x, y, z}[:n]...) }}
	}
	wide := func(name string, o ir.WideOp, pairs int) class {
		return class{name, ir.I32, func(b *ir.Builder, x, y, z ir.Value) ir.Value {
			var words []ir.Value
			for _, w := range []ir.Value{x, y, z}[:pairs] {
				words = append(words, w, y)
			}
			return b.OpMore(ir.OpWide, ir.I32, uint64(o), words)
		}}
	}
	group := func(name string, g ir.Group) class {
		return class{name, ir.I32, func(b *ir.Builder, x, y, z ir.Value) ir.Value {
			return b.OpMore(ir.OpGroup, ir.I32, g.Imm(), []ir.Value{x})
		}}
	}
	return []class{
		op("integer add", ir.OpIAdd, ir.I32, 2), op("integer multiply", ir.OpIMul, ir.I32, 2), op("integer divide, signed", ir.OpSDiv, ir.I32, 2), op("integer divide", ir.OpUDiv, ir.I32, 2),
		op("and", ir.OpAnd, ir.I32, 2), op("shift", ir.OpShl, ir.I32, 2), op("bit field", ir.OpBitFieldU, ir.I32, 3), op("bit count", ir.OpBitCount, ir.I32, 1),
		op("float add", ir.OpFAdd, ir.F32, 2), op("float multiply", ir.OpFMul, ir.F32, 2), op("float divide", ir.OpFDiv, ir.F32, 2), op("fma", ir.OpFma, ir.F32, 3),
		op("min", ir.OpFMin, ir.F32, 2), op("floor", ir.OpFFloor, ir.F32, 1), op("sqrt", ir.OpFSqrt, ir.F32, 1), op("inversesqrt", ir.OpFInvSqrt, ir.F32, 1),
		op("exp2", ir.OpFExp2, ir.F32, 1), op("log2", ir.OpFLog2, ir.F32, 1), op("pow", ir.OpFPow, ir.F32, 2), op("sin", ir.OpFSin, ir.F32, 1), op("atan", ir.OpFAtan, ir.F32, 1), op("tanh", ir.OpFTanh, ir.F32, 1),
		{"compare and select", ir.F32, func(b *ir.Builder, x, y, z ir.Value) ir.Value {
			return b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFLt, ir.Bool, x, y), z, x)
		}},
		{"int to float to int", ir.I32, func(b *ir.Builder, x, _, _ ir.Value) ir.Value {
			return b.Op(ir.OpF2S, ir.I32, b.Op(ir.OpS2F, ir.F32, x))
		}},
		op("to binary16 and back", ir.OpQuantize16, ir.F32, 1),
		wide("64-bit add", ir.WideIAdd, 2), wide("64-bit multiply", ir.WideIMul, 2), wide("double add", ir.WideFAdd, 2), wide("double fma", ir.WideFma, 3),
		{"float add toward zero", ir.F32, func(b *ir.Builder, x, y, _ ir.Value) ir.Value {
			return b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideAddZ), []ir.Value{x, y})
		}},
		op("derivative", ir.OpDdxFine, ir.F32, 1), group("subgroup broadcast", ir.Group{Kind: ir.GroupFirst}), group("subgroup sum", ir.Group{Kind: ir.GroupReduce}),
		{"buffer load", ir.I32, func(b *ir.Builder, x, _, _ ir.Value) ir.Value {
			return b.OpImm(ir.OpLoadBuffer, ir.I32, 0, b.I32(0), b.Op(ir.OpAnd, ir.I32, x, b.I32(0xFFC)))
		}},
		{"shared load", ir.I32, func(b *ir.Builder, x, _, _ ir.Value) ir.Value {
			return b.Op(ir.OpLoadShared, ir.I32, b.Op(ir.OpAnd, ir.I32, x, b.I32(0xFFC)))
		}},
		{"shared atomic add", ir.I32, func(b *ir.Builder, x, y, _ ir.Value) ir.Value {
			return b.OpMore(ir.OpAtomicShared, ir.I32, ir.ResourceAndAtomic(0, ir.AtomicAdd), []ir.Value{b.Op(ir.OpAnd, ir.I32, x, b.I32(0xFFC)), y})
		}},
	}
}

// BenchmarkClass measures each kind of instruction in chains of 64 on 128 lanes.
// Gops/s counts an instruction in a lane; it is the best of many runs, which other
// programs on the machine do not change. docs/vm.md has the figures.
func BenchmarkClass(b *testing.B) {
	const lanes, chain = 128, 64
	for _, c := range classes() {
		b.Run(c.name, func(b *testing.B) {
			p := &ir.Program{Name: "class", Stage: ir.StageCompute, LocalSize: [3]uint32{lanes, 1, 1}, SharedBytes: 4096, SubgroupSize: 4, Resources: []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}}}
			bl := ir.NewBuilder(p)
			var in [3]ir.Value
			batch := &exec.Batch{N: lanes, Shared: make([]byte, 4096)}
			for i := range in {
				p.Inputs = append(p.Inputs, ir.IO{Location: uint32(i), Type: c.t})
				in[i] = bl.OpImm(ir.OpInput, c.t, uint64(i))
				s := make([]uint32, lanes)
				for l := range s {
					if s[l] = uint32(l*7001+i*3007)&0xFFFF | 1; c.t == ir.F32 || strings.HasPrefix(c.name, "double") { // normal numbers
						s[l] = 0x3F000000 + uint32(l*70001+i*300007)&0x7FFFFF
					}
				}
				batch.In = append(batch.In, s)
			}
			v := in[0]
			for range chain {
				v = c.emit(bl, v, in[1], in[2])
			}
			p.Outputs = append(p.Outputs, ir.IO{Type: c.t})
			bl.OpImm(ir.OpOutput, ir.Void, 0, v)
			batch.Out = [][]uint32{make([]uint32, lanes)}
			bl.Finish()
			if err := ir.Verify(p); err != nil {
				b.Fatal(err)
			}
			ir.Diverge(p)
			var threads [3]exec.Thread // of the portable machine, and machine code of both widths
			for i := range threads {
				r, err := New(Options{Lanes: lanes, Native: i > 0, Vectors: []int{0, 512, 256}[i]}).Compile(p)
				if err != nil {
					b.Fatal(err)
				}
				threads[i] = r.NewThread(lanes)
			}
			ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: make([]byte, 4096)}}}}
			best := [3]time.Duration{time.Hour, time.Hour, time.Hour}
			for b.Loop() {
				for i, t := range threads {
					start := time.Now()
					if err := t.Run(ctx, batch); err != nil {
						b.Fatal(err)
					}
					best[i] = min(best[i], time.Since(start))
				}
			}
			rate := func(i int) float64 { return float64(lanes*chain) / float64(best[i].Nanoseconds()) }
			b.ReportMetric(rate(0), "vm-Gops/s")
			b.ReportMetric(rate(1), "512-Gops/s")
			b.ReportMetric(rate(2), "256-Gops/s")
			if testing.Verbose() {
				fmt.Printf("| %s | %.2f | %.2f | %.2f |\n", c.name, rate(0), rate(1), rate(2))
			}
		})
	}
}
