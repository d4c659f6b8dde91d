//go:build amd64 || arm64

package vm

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Denormals become zeros of their sign in machine code, without Go; NaNs of words are canonical where their bits show. So it is
// behind arithmetic, in loops, and under masks.
func TestNative_Flush(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, flushes)
}

func flushes(t *testing.T) {
	const nan = 0x7FC00000
	words := [][3]uint32{ // a word, flushed as binary32, and as a binary16 in 32 bits (least normal 2^-14)
		{0, 0, 0}, {1 << 31, 1 << 31, 1 << 31}, {1, 0, 0}, {0x80000001, 1 << 31, 1 << 31}, {0x007FFFFF, 0, 0}, {0x807FFFFF, 1 << 31, 1 << 31},
		{0x00800000, 0x00800000, 0}, {0x80800000, 0x80800000, 1 << 31}, {0x387FFFFF, 0x387FFFFF, 0}, {0xB87FE000, 0xB87FE000, 1 << 31},
		{0x38800000, 0x38800000, 0x38800000}, {0xB8800000, 0xB8800000, 0xB8800000}, {0x3F800000, 0x3F800000, 0x3F800000}, {0xFF7FFFFF, 0xFF7FFFFF, 0xFF7FFFFF},
		{0x7F800000, 0x7F800000, 0x7F800000}, {0xFF800000, 0xFF800000, 0xFF800000}, {0x7F800001, nan, nan}, {0xFFC12345, nan, nan},
	}
	pairs := [][2]uint64{
		{0, 0}, {1 << 63, 1 << 63}, {1, 0}, {1<<63 | 1, 1 << 63}, {1<<52 - 1, 0}, {1<<63 | 1<<52 - 1, 1 << 63}, {1 << 52, 1 << 52}, {1<<63 | 1<<52, 1<<63 | 1<<52},
		{1 << 51, 0}, {0x000FFFFF00000000, 0}, {0x00000000FFFFFFFF, 0}, {0x3FF0000000000000, 0x3FF0000000000000}, {0x7FF0000000000000, 0x7FF0000000000000},
		{0x7FF0000000000001, 0x7FF0000000000001}, {0xFFF8000000000123, 0xFFF8000000000123},
	}
	const n = 40 // no whole strip at the end
	in := [][]uint32{make([]uint32, n), make([]uint32, n), make([]uint32, n)}
	for l := range n {
		in[0][l] = words[l%len(words)][0]
		x := pairs[l%len(pairs)][0]
		in[1][l], in[2][l] = uint32(x), uint32(x>>32)
	}
	p := program(t, ir.StageCompute, []ir.Type{ir.F32, ir.I32, ir.I32}, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.F32, ir.F32}, func(b *ir.Builder, v []ir.Value) {
		flush := func(op ir.WideOp, x ...ir.Value) ir.Value { return b.OpMore(ir.OpWide, ir.F32, uint64(op), x) }
		bits := func(x ir.Value) ir.Value { return b.Op(ir.OpBitcast, ir.I32, x) }
		output(b, 0, bits(flush(ir.WideFlush, v[0])))
		output(b, 1, bits(flush(ir.WideFlush16, v[0])))
		wide := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideFlush64), []ir.Value{v[1], v[2]})
		output(b, 2, wide)
		output(b, 3, b.OpImm(ir.OpResult, ir.I32, 1, wide))
		// 2^-63·2^-63 = 2^-126 is normal, half of it is not; what is flushed is added to.
		small := b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFLt, ir.Bool, v[0], b.F32(0)), b.F32(0x1p-64), b.F32(0x1p-63)), b.F32(0x1p-63))
		output(b, 4, flush(ir.WideFlush, small))
		i, sum := b.NewVar(ir.I32, "i"), b.NewVar(ir.F32, "sum")
		b.Set(i, b.I32(0))
		b.Set(sum, v[0])
		b.Loop(false, func(l *ir.Loop) {
			b.If(b.Op(ir.OpULt, ir.Bool, b.Op(ir.OpIAdd, ir.I32, b.Get(i), b.Op(ir.OpAnd, ir.I32, v[1], b.I32(1))), b.I32(3)), func() {}, func() { b.Break(l) })
			b.Set(sum, flush(ir.WideFlush, b.Op(ir.OpFMul, ir.F32, b.Get(sum), b.F32(0.25))))
		}, func(*ir.Loop) { b.Set(i, b.Op(ir.OpIAdd, ir.I32, b.Get(i), b.I32(1))) })
		output(b, 5, b.Get(sum))
	})
	r, err := New(loopsOr(true)).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	want, err := New(loopsOr(false)).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	run := func(r exec.Routine) (exec.Thread, [][]uint32) {
		out := make([][]uint32, len(p.Outputs))
		for i := range out {
			out[i] = make([]uint32, n)
		}
		x := r.NewThread(n)
		if err := x.Run(&exec.Context{}, &exec.Batch{N: n, In: in, Out: out}); err != nil {
			t.Fatal(err)
		}
		return x, out
	}
	x, got := run(r)
	_, same := run(want)
	for l := range n {
		w, q := words[l%len(words)], pairs[l%len(pairs)]
		small := uint32(0x00800000)
		if w[0]>>31 != 0 && w[0] != 1<<31 && w[0] <= 0xFF800000 {
			small = 0
		}
		if got[0][l] != w[1] || got[1][l] != w[2] || got[4][l] != small {
			t.Errorf("%08x became %08x and %08x, want %08x and %08x; %08x, want %08x", w[0], got[0][l], got[1][l], w[1], w[2], got[4][l], small)
		}
		if g := uint64(got[3][l])<<32 | uint64(got[2][l]); g != q[1] {
			t.Errorf("%016x became %016x, want %016x", q[0], g, q[1])
		}
		for o := range got {
			if got[o][l] != same[o][l] {
				t.Errorf("output %d of %08x: %08x, %08x on the portable machine", o, w[0], got[o][l], same[o][l])
			}
		}
	}
	if op := x.(*thread).native.Served(); op != 0 {
		t.Errorf("Go computed operation %v", ir.WideOp(op))
	}
}
