package vm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Machine code reads and writes memory as loops do: what lies inside, in the lanes of the
// mask that are live, in their order, at offsets that follow each other and others.
func TestNative_Memory(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, nativeMemory)
}

func nativeMemory(t *testing.T) {
	const size = 600
	type access struct {
		name        string
		store, load func(b *ir.Builder, at, v ir.Value) ir.Value
	}
	list := []access{{"shared", func(b *ir.Builder, at, v ir.Value) ir.Value { return b.Op(ir.OpStoreShared, ir.Void, at, v) },
		func(b *ir.Builder, at, _ ir.Value) ir.Value { return b.Op(ir.OpLoadShared, ir.I32, at) }},
		{"buffer", func(b *ir.Builder, at, v ir.Value) ir.Value {
			return b.OpImm(ir.OpStoreBuffer, ir.Void, 0, b.I32(1), at, v)
		},
			func(b *ir.Builder, at, _ ir.Value) ir.Value { return b.OpImm(ir.OpLoadBuffer, ir.I32, 0, b.I32(1), at) }}}
	for _, a := range list {
		p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32, ir.I32}, []ir.Type{ir.I32, ir.I32, ir.I32}, func(b *ir.Builder, in []ir.Value) {
			b.P.SharedBytes, b.P.WritesMemory = size, true
			b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 2}}
			b.If(b.Op(ir.OpULt, ir.Bool, b.Op(ir.OpAnd, ir.I32, in[1], b.I32(3)), b.I32(3)), func() { a.store(b, in[0], in[1]) }, nil)
			b.Op(ir.OpBarrier, ir.Void)
			output(b, 0, a.load(b, in[2], ir.NoValue))
			for i, d := range []uint32{8, 4} { // the second is beside the first load
				output(b, 1+i, b.Op(ir.OpIAdd, ir.I32, a.load(b, b.Op(ir.OpIAdd, ir.I32, in[2], b.I32(d)), ir.NoValue), b.I32(1)))
			}
		})
		for seed := range uint64(40) {
			var results [2]string
			for k := range results {
				r := rand.New(rand.NewPCG(seed, 5))
				n := 1 + r.IntN(100)
				row := func() []uint32 {
					w := make([]uint32, n)
					first := r.Uint32N(size)
					for i := range w {
						if w[i] = first + 4*uint32(i); r.IntN(60) == 0 || seed%2 == 0 {
							w[i] = r.Uint32N(size+16) - 8
						}
						w[i] &^= 3
					}
					return w
				}
				in := [][]uint32{row(), lanesFor(r, n), row()}
				live := slices.Repeat([]uint32{^uint32(0)}, n)
				for i := range live {
					if r.IntN(5) == 0 {
						live[i] = 0
					}
				}
				if seed%3 == 0 {
					live = nil
				}
				memory := [2][]byte{make([]byte, size), make([]byte, size-int(seed%4))}
				out := [][]uint32{make([]uint32, n), make([]uint32, n), make([]uint32, n)}
				compiled, err := New(loopsOr(k == 1)).Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				if k == 1 {
					for _, in := range compiled.(*routine).machine().code {
						if lanesOf[in.kind] != 0 && in.kind != native.KindBlock {
							t.Errorf("%s: an instruction of kind %d is not machine code", a.name, in.kind)
						}
					}
				}
				ctx := &exec.Context{Resources: [][]exec.Descriptor{{{}, {Data: memory[1]}}}}
				if err := compiled.NewThread(n).Run(ctx, &exec.Batch{N: n, In: in, Out: out, Live: live, Shared: memory[0]}); err != nil {
					t.Fatal(err)
				}
				results[k] = fmt.Sprintf("%08x %x", out, bytes.Join(memory[:], nil))
			}
			if results[0] != results[1] {
				t.Fatalf("%s, seed %d:\n%s\nwant\n%s", a.name, seed, results[1], results[0])
			}
		}
	}
}

// Minima and maxima of what memory holds, and of what arithmetic makes of it, are those of
// loops, signalling NaNs and all.
func TestNative_MinMax_Signalling(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, minMaxSignalling)
}

func minMaxSignalling(t *testing.T) {
	const n = 128
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 6))
		p := program(t, ir.StageCompute, []ir.Type{ir.F32, ir.I32}, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}, func(b *ir.Builder, in []ir.Value) {
			b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}}
			at := b.Op(ir.OpAnd, ir.I32, in[1], b.I32(0x1FC))
			list := []ir.Value{in[0], b.OpImm(ir.OpLoadBuffer, ir.F32, 0, b.I32(0), at), b.F32(1), b.Op(ir.OpS2F, ir.F32, in[1]), b.Op(ir.OpLoadPush, ir.F32, b.I32(0)), b.Op(ir.OpLoadPush, ir.F32, b.I32(4))}
			pick := func() ir.Value { return list[r.IntN(len(list))] }
			for range 12 {
				var v ir.Value
				switch x := pick(); r.IntN(7) {
				case 0:
					v = b.Op(ir.OpFNeg, ir.F32, x)
				case 1:
					v = b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFLt, ir.Bool, x, pick()), x, pick())
				case 2:
					v = b.Op(ir.OpFAdd, ir.F32, x, pick())
				case 3, 4:
					v = b.Op(ir.OpFMin, ir.F32, x, pick())
				default:
					v = b.Op(ir.OpFMax, ir.F32, x, pick())
				}
				list = append(list, v)
			}
			for i := range 4 {
				output(b, i, b.Op(ir.OpBitcast, ir.I32, list[len(list)-1-i]))
			}
		})
		if seed%2 == 0 {
			ir.Optimize(p)
		}
		in := [][]uint32{lanesFor(r, n), lanesFor(r, n)}
		memory := slices.Clone(bytesOf(lanesFor(r, n)))
		push := slices.Clone(bytesOf([]uint32{0x7F800001, 0xFFC12345}))
		var outs [2][][]uint32
		for k := range outs {
			compiled, err := New(loopsOr(k == 1)).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			for range p.Outputs {
				outs[k] = append(outs[k], make([]uint32, n))
			}
			if err := compiled.NewThread(n).Run(&exec.Context{Resources: [][]exec.Descriptor{{{Data: memory}}}, Push: push}, &exec.Batch{N: n, In: in, Out: outs[k]}); err != nil {
				t.Fatal(err)
			}
		}
		if fmt.Sprint(outs[0]) != fmt.Sprint(outs[1]) {
			t.Fatalf("seed %d: %08x\nwant %08x\n%v", seed, outs[1], outs[0], p)
		}
	}
}

// Bytes and halves that all lanes inside find at one place are loaded once; the others get 0.
func TestNative_NarrowAlike(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, func(t *testing.T) {
		const size, n = 61, 50
		for log := range uint8(2) {
			m := ir.Mem{Space: ir.MemBuffer, Log: log}
			p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
				b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}}
				output(b, 0, b.OpMore(ir.OpLoadMem, ir.I32, m.Imm(), []ir.Value{b.I32(0), in[0]}))
			})
			r := rand.New(rand.NewPCG(uint64(log), 9))
			memory := make([]byte, size)
			for i := range memory {
				memory[i] = byte(1 + r.IntN(255))
			}
			for at := range uint32(size) {
				at &^= 1<<log - 1
				in := slices.Repeat([]uint32{at}, n)
				for range r.IntN(8) {
					in[r.IntN(n)] = []uint32{size + 3, ^uint32(0), 1 << 31}[r.IntN(3)]
				}
				var outs [2][]uint32
				for k := range outs {
					compiled, err := New(loopsOr(k == 1)).Compile(p)
					if err != nil {
						t.Fatal(err)
					}
					outs[k] = make([]uint32, n)
					ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: memory}}}}
					b := &exec.Batch{N: n, In: [][]uint32{in}, Out: outs[k : k+1]}
					if err := compiled.NewThread(n).Run(ctx, b); err != nil {
						t.Fatal(err)
					}
				}
				if !slices.Equal(outs[0], outs[1]) {
					t.Fatalf("%d bytes at %d: %08x\nwant %08x", 1<<log, in, outs[1], outs[0])
				}
			}
		}
	})
}
