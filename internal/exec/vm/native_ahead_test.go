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

// Programs whose loads are scattered run in two parts, and give what they give in one: with
// numbers that only one part needs and constants of both, loads behind loads, private memory, and lanes that become
// helpers.
func TestNative_Ahead(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, inTwoParts)
}

// checkFirstPart says that nothing comes from elsewhere that the first part makes itself, and reads again.
func checkFirstPart(t *testing.T, seed uint64, m *routine) {
	for _, in := range m.code {
		if in.kind != native.KindBlock || in.imm != 0 {
			continue
		}
		x := &m.aux[in.c]
		for _, v := range x.results {
			if slices.Contains(x.args, v) {
				t.Errorf("seed %d: the first part loads register %d, which it writes", seed, v)
			}
		}
	}
}

func inTwoParts(t *testing.T) {
	const n, size = 100, 256
	split := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		types := []ir.Type{ir.I32, ir.I32, ir.F32, ir.F32}
		p := program(t, ir.StageFragment, types, []ir.Type{ir.I32, ir.I32, ir.I32, ir.F32}, func(b *ir.Builder, v []ir.Value) {
			b.P.Scattered, b.P.PrivateBytes, b.P.Demotes = true, 16, true
			b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 2, ReadOnly: true}}
			ints, floats := []ir.Value{v[0], v[1], b.I32(r.Uint32N(64))}, []ir.Value{v[2], v[3], b.F32(1.5)}
			some := func(list []ir.Value) ir.Value { return list[len(list)-1-r.IntN(min(len(list), 4))] }
			for range 10 + r.IntN(20) {
				switch r.IntN(12) {
				case 0, 1:
					at := b.Op(ir.OpAnd, ir.I32, some(ints), b.I32(size-4))
					ints = append(ints, b.OpImm(ir.OpLoadBuffer, ir.I32, 0, b.I32(r.Uint32N(2)), at))
				case 2:
					floats = append(floats, b.Op(ir.OpFAdd, ir.F32, some(floats), some(floats)))
				case 3:
					lo := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideF2D), []ir.Value{some(floats)})
					hi := b.OpImm(ir.OpResult, ir.I32, 1, lo)
					lo = b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideFMul), []ir.Value{lo, hi, b.I32(0), b.I32(0x40080000)})
					hi = b.OpImm(ir.OpResult, ir.I32, 1, lo)
					floats = append(floats, b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideD2F), []ir.Value{lo, hi}))
				case 4:
					if r.IntN(3) == 0 {
						b.Op(ir.OpStorePrivate, ir.Void, b.I32(4*r.Uint32N(4)), some(ints))
					}
				case 5:
					ints = append(ints, b.Op(ir.OpLoadPrivate, ir.I32, b.I32(4*r.Uint32N(4))))
				case 6:
					if r.IntN(2) == 0 {
						b.Op(ir.OpDemote, ir.Void)
					}
				case 7:
					ints = append(ints, b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpIsHelper, ir.Bool), some(ints), some(ints)))
				case 8:
					floats = append(floats, b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpULt, ir.Bool, some(ints), some(ints)), some(floats), some(floats)))
				default:
					op := []ir.Op{ir.OpIAdd, ir.OpXor, ir.OpIMul, ir.OpShrU, ir.OpUMin}[r.IntN(5)]
					ints = append(ints, b.Op(op, ir.I32, some(ints), some(ints)))
				}
			}
			for i := range 3 {
				output(b, i, some(ints))
			}
			output(b, 3, some(floats))
		})
		in, live := make([][]uint32, len(types)), lanesFor(r, n)
		for i := range in {
			in[i] = lanesFor(r, n)
		}
		for i, x := range live {
			live[i] = -(x >> 3 & 1)
		}
		memory := [2][]byte{make([]byte, size), make([]byte, size-8)}
		for i := range memory {
			for k := range memory[i] {
				memory[i][k] = byte(r.Uint32())
			}
		}
		var outs [2][][]uint32
		for k, code := range []bool{false, true} {
			compiled, err := New(loopsOr(code)).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			if code && slices.ContainsFunc(compiled.(*routine).machine().code, func(in instr) bool { return in.kind == native.KindBlock && in.imm == 1 }) {
				split++
				checkFirstPart(t, seed, compiled.(*routine).machine())
			}
			for range p.Outputs {
				outs[k] = append(outs[k], make([]uint32, n))
			}
			ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: memory[0]}, {Data: memory[1]}}}}
			if err := compiled.NewThread(n).Run(ctx, &exec.Batch{N: n, In: in, Out: outs[k], Live: slices.Clone(live)}); err != nil {
				t.Fatal(err)
			}
		}
		for o := range outs[0] {
			for l := range n {
				if outs[0][o][l] != outs[1][o][l] {
					t.Fatalf("seed %d: output %d, lane %d: %08x, want %08x", seed, o, l, outs[1][o][l], outs[0][o][l])
				}
			}
		}
	}
	if split < 40 {
		t.Errorf("%d of 300 programs ran in two parts", split)
	}
}
