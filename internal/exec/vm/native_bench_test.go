package vm

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// straight is a program of n operations in a row.
func straight(t testing.TB, n int) *ir.Program {
	p := program(t, ir.StageCompute, []ir.Type{ir.F32, ir.F32, ir.F32, ir.F32}, []ir.Type{ir.F32, ir.F32}, func(b *ir.Builder, v []ir.Value) {
		for i := range n {
			op := []ir.Op{ir.OpFMul, ir.OpFAdd, ir.OpFSub, ir.OpFMax}[i%4]
			v = append(v, b.Op(op, ir.F32, v[len(v)-1], v[len(v)-2-i%3]))
		}
		output(b, 0, v[len(v)-1])
		output(b, 1, v[len(v)-2])
	})
	ir.Optimize(p)
	return p
}

func BenchmarkNative_Compile(b *testing.B) {
	for name, native := range map[string]bool{"vm": false, "native": true} {
		b.Run(name, func(b *testing.B) {
			p := straight(b, 183)
			e := New(Options{Native: native})
			b.ReportAllocs()
			for b.Loop() {
				r, err := e.Compile(p)
				if err != nil {
					b.Fatal(err)
				}
				r.NewThread(16)
			}
		})
	}
}
