package vm

import (
	"fmt"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// fragmentProgram is a lighting shader of about 180 varying operations: two
// normalised vectors, four lights with diffuse and specular terms from a
// uniform buffer, tone curve. pow adds two transcendental operations a light.
func fragmentProgram(pow bool) (p *ir.Program, ops int) {
	p = &ir.Program{Name: "fragment", Stage: ir.StageFragment, Resources: []ir.Resource{{Kind: ir.UniformBuffer, Count: 1}}}
	b := ir.NewBuilder(p)
	var in [9]ir.Value
	for i := range in {
		p.Inputs = append(p.Inputs, ir.IO{Location: uint32(i), Type: ir.F32})
		in[i] = b.OpImm(ir.OpInput, ir.F32, uint64(i))
	}
	f := func(op ir.Op, args ...ir.Value) ir.Value { return b.Op(op, ir.F32, args...) }
	load := func(word int) ir.Value {
		return b.OpImm(ir.OpLoadBuffer, ir.F32, 0, b.I32(0), b.I32(uint32(word*4)))
	}
	dot := func(x, y []ir.Value) ir.Value {
		return f(ir.OpFAdd, f(ir.OpFAdd, f(ir.OpFMul, x[0], y[0]), f(ir.OpFMul, x[1], y[1])), f(ir.OpFMul, x[2], y[2]))
	}
	normalize := func(x []ir.Value) []ir.Value {
		s := f(ir.OpFInvSqrt, dot(x, x))
		return []ir.Value{f(ir.OpFMul, x[0], s), f(ir.OpFMul, x[1], s), f(ir.OpFMul, x[2], s)}
	}
	n, v := normalize(in[0:3]), normalize(in[3:6])
	color := []ir.Value{b.F32(0), b.F32(0), b.F32(0)}
	for l := range 4 {
		at := l * 8
		dir := []ir.Value{load(at), load(at + 1), load(at + 2)}
		diffuse := f(ir.OpFMax, dot(n, dir), b.F32(0))
		half := normalize([]ir.Value{f(ir.OpFAdd, v[0], dir[0]), f(ir.OpFAdd, v[1], dir[1]), f(ir.OpFAdd, v[2], dir[2])})
		spec := f(ir.OpFMax, dot(n, half), b.F32(0))
		if pow {
			spec = f(ir.OpFPow, spec, load(at+6))
		} else {
			for range 3 {
				spec = f(ir.OpFMul, spec, spec)
			}
		}
		spec = f(ir.OpSelect, b.Op(ir.OpFLt, ir.Bool, b.F32(0), diffuse), spec, b.F32(0))
		for k := range color {
			color[k] = f(ir.OpFAdd, color[k], f(ir.OpFAdd, f(ir.OpFMul, f(ir.OpFMul, in[6+k], diffuse), load(at+3+k)), spec))
		}
	}
	for k := range color {
		c := f(ir.OpFMin, f(ir.OpFDiv, color[k], f(ir.OpFAdd, color[k], b.F32(1))), b.F32(1))
		p.Outputs = append(p.Outputs, ir.IO{Location: 0, Component: uint32(k), Type: ir.F32})
		b.OpImm(ir.OpOutput, ir.Void, uint64(k), c)
	}
	b.Finish()
	if err := ir.Verify(p); err != nil {
		panic(err)
	}
	ir.Optimize(p)
	for i := range p.Insts {
		if _, ok := ir.Eval(p.Insts[i].Op, 0, 1, 0); ok && !p.Insts[i].Uniform {
			ops++
		}
	}
	return p, ops
}

func BenchmarkVM(b *testing.B) {
	for _, pow := range []bool{false, true} {
		p, ops := fragmentProgram(pow)
		for _, lanes := range []int{64, 128, 256} {
			b.Run(fmt.Sprintf("fragment%d/pow=%v/lanes%d", ops, pow, lanes), func(b *testing.B) {
				r, err := New(Options{Lanes: lanes}).Compile(p)
				if err != nil {
					b.Fatal(err)
				}
				t := r.NewThread(lanes)
				batch := &exec.Batch{N: lanes}
				for i := range p.Inputs {
					s := make([]uint32, lanes)
					for l := range s {
						s[l] = 0x3F000000 + uint32(l*70001+i*300007)&0x7FFFFF
					}
					batch.In = append(batch.In, s)
				}
				for range p.Outputs {
					batch.Out = append(batch.Out, make([]uint32, lanes))
				}
				data := make([]byte, 128)
				for i := 3; i < len(data); i += 4 {
					data[i] = 0x3F
				}
				ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: data}}}}
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					if err := t.Run(ctx, batch); err != nil {
						b.Fatal(err)
					}
				}
				seconds := b.Elapsed().Seconds()
				b.ReportMetric(float64(b.N*lanes)/seconds/1e6, "Mlanes/s")
				b.ReportMetric(seconds*1e9/float64(b.N*lanes*ops), "ns/laneop")
			})
		}
	}
}
