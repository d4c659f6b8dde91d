package vm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// NaNs are canonical where their bits show, and only there: behind conversions, selections of numbers or of what is none,
// signs, minima and binary64, and in the second part of a program that the first one hands them to.
func TestNative_NaNs(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, nans)
}

func nans(t *testing.T) {
	const n = 64
	types := []ir.Type{ir.I32, ir.F32, ir.F32}
	results := []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.F32, ir.F32, ir.F32, ir.I32, ir.I32}
	p := program(t, ir.StageFragment, types, results, func(b *ir.Builder, v []ir.Value) {
		b.P.Scattered = true
		b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 1, ReadOnly: true}}
		half := b.Op(ir.OpH2F, ir.F32, v[0])
		bits := func(x ir.Value) ir.Value { return b.Op(ir.OpBitcast, ir.I32, x) }
		pick := func(op ir.Op, x, y ir.Value) ir.Value {
			return b.Op(ir.OpSelect, ir.F32, b.Op(op, ir.Bool, x, x), x, y)
		}
		sum := b.Op(ir.OpFAdd, ir.F32, v[1], v[2])
		number := pick(ir.OpFOrd, sum, b.F32(0))
		output(b, 0, bits(half))
		output(b, 1, bits(b.Op(ir.OpFNeg, ir.F32, b.Op(ir.OpH2F, ir.F32, b.Op(ir.OpShrU, ir.I32, v[0], b.I32(16))))))
		output(b, 2, bits(b.Op(ir.OpFNeg, ir.F32, number)))
		output(b, 3, bits(pick(ir.OpFUnord, sum, b.F32(2))))
		output(b, 4, bits(b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFLt, ir.Bool, v[1], b.F32(1)), b.F32(1), sum)))
		output(b, 5, b.Op(ir.OpFMin, ir.F32, b.Op(ir.OpFAbs, ir.F32, b.Op(ir.OpH2F, ir.F32, b.Op(ir.OpXor, ir.I32, v[0], b.I32(1)))), v[2]))
		other := b.Op(ir.OpH2F, ir.F32, b.Op(ir.OpXor, ir.I32, v[0], b.I32(2)))
		lo := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideF2D), []ir.Value{b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFLt, ir.Bool, v[1], v[2]), other, v[1])})
		hi := b.OpImm(ir.OpResult, ir.I32, 1, lo)
		output(b, 6, b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideD2F), []ir.Value{lo, hi}))
		output(b, 7, b.Op(ir.OpFMax, ir.F32, other, b.Op(ir.OpH2F, ir.F32, v[0])))
		output(b, 8, b.OpImm(ir.OpLoadBuffer, ir.I32, 0, b.I32(0), b.Op(ir.OpAnd, ir.I32, b.Op(ir.OpF2S, ir.I32, b.Op(ir.OpFMul, ir.F32, half, b.F32(3))), b.I32(60))))
		output(b, 9, b.Op(ir.OpXor, ir.I32, bits(half), hi))
	})
	r := rand.New(rand.NewPCG(2, 5))
	special := []uint32{0x7FC00001, 0xFFC12345, 0x7F800001, 0xFF812345, 0x7F800000, 0, 1 << 31, 0x3F800000}
	in := [][]uint32{make([]uint32, n), make([]uint32, n), make([]uint32, n)}
	for l := range n {
		in[0][l] = []uint32{0x7E01FE33, 0x7C01FC44, 0x7C003C00, 0x12345678, 0xFE017D01}[r.IntN(5)]
		in[1][l], in[2][l] = special[r.IntN(8)], special[r.IntN(8)]
	}
	memory := make([]byte, 64)
	for i := range memory {
		memory[i] = byte(i * 37)
	}
	var outs [2][][]uint32
	for k, code := range []bool{false, true} {
		compiled, err := New(loopsOr(code)).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if code && !slices.ContainsFunc(compiled.(*routine).machine().code, func(in instr) bool { return in.kind == native.KindBlock && in.imm == 1 }) {
			t.Error("the program does not run in two parts")
		}
		for range p.Outputs {
			outs[k] = append(outs[k], make([]uint32, n))
		}
		ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: memory}}}}
		if err := compiled.NewThread(n).Run(ctx, &exec.Batch{N: n, In: in, Out: outs[k]}); err != nil {
			t.Fatal(err)
		}
	}
	for o := range outs[0] {
		for l := range n {
			if outs[0][o][l] != outs[1][o][l] {
				t.Fatalf("output %d of %08x, %08x, %08x: %08x, want %08x", o, in[0][l], in[1][l], in[2][l], outs[1][o][l], outs[0][o][l])
			}
		}
	}
}
