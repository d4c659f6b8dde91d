package vm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// lanesFor makes n random words: integers, floats and their special values.
func lanesFor(r *rand.Rand, n int) []uint32 {
	special := []uint32{0, 1 << 31, 1, 0x80000001, 0x3F800000, 0xBF800000, 0x3F000000, 0x40200000, 0xC0200000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000,
		0xFF800000, 0x7F800001, 0xFFC00001, 0x7FC00000, 0xFFC00000, 0x4B000000, 0x4AFFFFFF, 0xFFFFFFFF, 0x7FFFFFFF, 31, 32, 33}
	x := make([]uint32, n)
	for i := range x {
		switch r.IntN(3) {
		case 0:
			x[i] = special[r.IntN(len(special))]
		case 1:
			x[i] = uint32(r.IntN(5))
		default:
			x[i] = r.Uint32()
		}
	}
	return x
}

// arithmetic are the operations whose NaNs count as equal: engines make them
// canonical where they show (ir.NaNTaint).
var arithmetic = map[ir.Op]bool{ir.OpFAdd: true, ir.OpFSub: true, ir.OpFMul: true, ir.OpFDiv: true, ir.OpFma: true, ir.OpFSqrt: true,
	ir.OpFFloor: true, ir.OpFCeil: true, ir.OpFTrunc: true, ir.OpFRoundEven: true}

// The loops in assembly write what those in Go write, NaN payloads of arithmetic
// aside, and nothing else, for every number of lanes.
func TestKernels_AssemblyEqualsGo(t *testing.T) {
	rules.Covers(t, "RAS-001")
	plain, fast := newKernels(true), newKernels(false)
	if fast.vv[ir.OpFAdd] == nil || plain.canon == nil {
		t.Fatal("a table is empty")
	}
	r := rand.New(rand.NewPCG(1, 2))
	const guard = 0xDEADBEEF
	for range 40 {
		for n := 1; n <= 70; n++ {
			a, b, c := lanesFor(r, n), lanesFor(r, n), lanesFor(r, n)
			x, y := lanesFor(r, 1)[0], lanesFor(r, 1)[0]
			check := func(form string, op int, run func(k *kernels, d []uint32)) {
				t.Helper()
				want, got := make([]uint32, n), make([]uint32, n+1)
				got[n] = guard
				run(plain, want)
				run(fast, got[:n:n])
				if got[n] != guard {
					t.Fatalf("%s of %v writes past its %d lanes", form, ir.Op(op), n)
				}
				for i := range want {
					if got[i] != want[i] && !(arithmetic[ir.Op(op)] && lane.Canon(got[i]) == lane.Canon(want[i])) {
						t.Fatalf("%s of %d (%v), lane %d of %d: %08x, want %08x; operands %08x %08x %08x, uniform %08x %08x", form, op, ir.Op(op), i, n, got[i], want[i], a[i], b[i], c[i], x, y)
					}
				}
			}
			for op := range plain.vv {
				if f := plain.unary[op]; f != nil {
					check("V", op, func(k *kernels, d []uint32) { k.unary[op](d, a) })
				}
				if f := plain.vv[op]; f != nil {
					check("VV", op, func(k *kernels, d []uint32) { k.vv[op](d, a, b) })
					check("VU", op, func(k *kernels, d []uint32) { k.vu[op](d, a, x) })
					check("UV", op, func(k *kernels, d []uint32) { k.uv[op](d, b, x) })
				}
				if f := plain.vvv[op]; f != nil {
					check("VVV", op, func(k *kernels, d []uint32) { k.vvv[op](d, a, b, c) })
					check("VVU", op, func(k *kernels, d []uint32) { k.vvu[op](d, a, b, x) })
					check("VUV", op, func(k *kernels, d []uint32) { k.vuv[op](d, a, c, x) })
					check("VUU", op, func(k *kernels, d []uint32) { k.vuu[op](d, a, x, y) })
				}
			}
			for op := range plain.fusedVVV {
				check("fused VVV", int(ir.OpFAdd), func(k *kernels, d []uint32) { k.fusedVVV[op](d, a, b, c) })
				check("fused VVU", int(ir.OpFAdd), func(k *kernels, d []uint32) { k.fusedVVU[op](d, a, b, x) })
				check("fused VUV", int(ir.OpFAdd), func(k *kernels, d []uint32) { k.fusedVUV[op](d, a, c, x) })
				check("fused VUU", int(ir.OpFAdd), func(k *kernels, d []uint32) { k.fusedVUU[op](d, a, x, y) })
			}
			check("canon", 0, func(k *kernels, d []uint32) { k.canon(d, a) })
			data := make([]byte, r.IntN(300)) // offsets reach to its last byte, and far beyond it
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			offsets := slices.Clone(a)
			for i := range offsets {
				if r.IntN(4) > 0 {
					offsets[i] = uint32(r.IntN(300))
				}
			}
			check("gather", int(ir.OpLoadShared), func(k *kernels, d []uint32) { k.gather(d, offsets, data) })
			for i, w := range a { // canonical bits exactly
				d := []uint32{0}
				if fast.canon(d, []uint32{w}); d[0] != lane.Canon(w) {
					t.Fatalf("canon of %08x (lane %d) is %08x", w, i, d[0])
				}
			}
		}
	}
}

// Every binary16 number becomes the number that it is, whatever is above it in its word.
func TestKernels_H2F_Exhaustive(t *testing.T) {
	rules.Covers(t, "RAS-001")
	k := newKernels(false)
	a, d := make([]uint32, 1<<16), make([]uint32, 1<<16)
	for i := range a {
		a[i] = uint32(i) * 0x10001
	}
	k.unary[ir.OpH2F](d, a)
	for i := range a {
		if want := lane.H2F(a[i]); d[i] != want {
			t.Fatalf("%04x: %08x, want %08x", i, d[i], want)
		}
	}
}

// The loops in assembly of operations on pairs write what the operation gives, and nothing else,
// for every number of lanes.
func TestKernels_WideAssemblyEqualsGo(t *testing.T) {
	rules.Covers(t, "RAS-001")
	k := newKernels(false)
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		t.Skip("no AVX2")
	}
	r := rand.New(rand.NewPCG(5, 6))
	special := []uint64{
		0, 1 << 63, 1, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000,
		0x7FF0000000000001, 0xFFF8123400000000, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000,
		0x3FE0000000000000, 0x4004000000000000, 0x47EFFFFFF0000000, 0x36A0000000000000, 0x000FFFFFFFFFFFFF,
	}
	for op, kernel := range k.wide {
		if kernel == nil {
			continue
		}
		for range 20 {
			for n := 1; n <= 70; n++ {
				var rows [3][2][]uint32
				w := wideRows{n: n}
				for i := range rows {
					rows[i] = [2][]uint32{lanesFor(r, n), lanesFor(r, n)}
					for l := range n {
						if r.IntN(2) == 0 {
							v := special[r.IntN(len(special))]
							rows[i][0][l], rows[i][1][l] = uint32(v), uint32(v>>32)
						}
					}
					w.args[i] = [2]*uint32{&rows[i][0][0], &rows[i][1][0]}
				}
				const guard = 0xDEADBEEF
				d := [2][]uint32{make([]uint32, n+1), make([]uint32, n+1)}
				fill(d[0], guard)
				fill(d[1], guard)
				w.d, w.dHi = &d[0][0], &d[1][0]
				kernel(&w)
				args, result := ir.WideOp(op).Signature()
				for l := range n + 1 {
					want := uint64(guard | guard<<32)
					if l < n&^3 {
						var x [3]uint64
						for i, a := range args {
							if x[i] = uint64(rows[i][0][l]); a == 'w' {
								x[i] = pair(rows[i][0][l], rows[i][1][l])
							}
						}
						if want = ir.EvalWide(ir.WideOp(op), x[0], x[1], x[2]); result != 'w' {
							want = uint64(uint32(want)) | guard<<32
						}
					}
					if got := pair(d[0][l], d[1][l]); got != want {
						t.Fatalf("%v, lane %d of %d: %016x, want %016x", ir.WideOp(op), l, n, got, want)
					}
				}
			}
		}
	}
}
