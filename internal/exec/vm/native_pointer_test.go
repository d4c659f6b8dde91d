package vm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Pointers that are values: each lane has one into a buffer of an array, a uniform buffer or
// workgroup memory, or none. All of it is machine code, and gives what loops give: at the ends of
// memory, behind them, from offsets that wrap when words behind them are read, through pointers of
// another batch's memory and through those that may not write.
func TestNative_Pointers(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, nativePointers)
}

func nativePointers(t *testing.T) {
	const lanes = 36
	pointer := func(resource, element uint32) uint32 {
		return ir.PointerTag | resource<<ir.PointerResourceShift | element
	}
	high := []uint32{pointer(1, 0), pointer(1, 1), pointer(1, 2), pointer(1, 3), pointer(2, 0),
		pointer(7, 0), ir.PointerShared, 0, 5}
	loaded := map[string]bool{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 34))
		log := uint8(r.IntN(3))
		types := []ir.Type{ir.I32, ir.I32, ir.I32, ir.Bool}
		p := program(t, ir.StageCompute, types, slices.Repeat([]ir.Type{ir.I32}, 4),
			func(b *ir.Builder, in []ir.Value) {
				b.P.WritesMemory = true
				b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 1},
					{Kind: ir.StorageBuffer, Count: 4}, {Kind: ir.UniformBuffer, Count: 1}}
				b.P.SharedBytes = 64
				first := uint32(r.IntN(3)) * 4
				b.If(in[3], func() {
					words := 1
					if log == 2 {
						words = 1 + r.IntN(4)
					}
					m := ir.Mem{Space: ir.MemPointer, Log: log, Resource: first}
					for k := range words {
						switch way := seed % 3; {
						case way == 0:
							output(b, k, b.OpMore(ir.OpLoadMem, ir.I32, m.Imm(), in[0:2]))
						case way == 1: // the same number everywhere: lanes overlap
							args := []ir.Value{in[0], in[1], b.I32(0xA5A5A5A5)}
							b.OpMore(ir.OpStoreMem, ir.Void, m.Imm(), args)
						case k == 0:
							m.Log = 2
							m.Atomic = []ir.AtomicOp{ir.AtomicAdd, ir.AtomicExchange, ir.AtomicUMax}[r.IntN(3)]
							args := []ir.Value{in[0], in[1], in[2]}
							output(b, 0, b.OpMore(ir.OpAtomicMem, ir.I32, m.Imm(), args))
						}
						m.Resource += 4
					}
				}, nil)
			})
		size := func() int { return []int{0, 1, 3, 4, 5, 16, 63, 64, 130}[r.IntN(9)] }
		type memory struct {
			buffers [5][]byte
			shared  []byte
		}
		var batches []memory
		var ins [][][]uint32
		for range 3 {
			var m memory
			random := func(n int) []byte {
				b := make([]byte, n)
				for i := range b {
					b[i] = byte(r.Uint32())
				}
				return b
			}
			for i := range m.buffers {
				m.buffers[i] = random(size())
			}
			m.shared = random(64)
			batches = append(batches, m)
			in := make([][]uint32, len(types))
			for i := range in {
				in[i] = make([]uint32, lanes)
			}
			one := r.IntN(2) == 0 // all lanes point into the same memory
			same := high[r.IntN(len(high))]
			for l := range lanes {
				in[0][l], in[1][l], in[2][l] = uint32(4*r.IntN(17)), high[r.IntN(len(high))], r.Uint32()
				if one {
					in[1][l] = same
				}
				if r.IntN(4) == 0 {
					in[0][l] = uint32(r.IntN(140) - 16)
				}
				in[3][l] = lane.Mask(r.IntN(8) > 0)
			}
			ins = append(ins, in)
		}
		live := make([]uint32, lanes)
		for l := range live {
			live[l] = lane.Mask(r.IntN(6) > 0)
		}
		run := func(code bool) (got string) {
			compiled, err := New(loopsOr(code)).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			if code {
				for _, in := range compiled.(*routine).machine().code {
					if in.kind != native.KindBlock {
						t.Errorf("seed %d: kind %d is not machine code", seed, in.kind)
					}
				}
			}
			th := compiled.NewThread(lanes)
			for i, m := range batches {
				for k := range m.buffers {
					m.buffers[k] = slices.Clone(m.buffers[k])
				}
				m.shared = slices.Clone(m.shared)
				list := func(of ...[]byte) (d []exec.Descriptor) {
					for _, x := range of {
						d = append(d, exec.Descriptor{Data: x})
					}
					return d
				}
				ctx := &exec.Context{Resources: [][]exec.Descriptor{nil, list(m.buffers[:3]...),
					list(m.buffers[3])}}
				b := &exec.Batch{N: lanes, In: ins[i], Live: live, Shared: m.shared}
				for range p.Outputs {
					b.Out = append(b.Out, make([]uint32, lanes))
				}
				if err := th.Run(ctx, b); err != nil {
					t.Fatal(err)
				}
				got += fmt.Sprintf("%x\n%x %x\n", b.Out, m.buffers, m.shared)
			}
			return got
		}
		want := run(false)
		if got := run(true); got != want {
			t.Fatalf("seed %d, %d bytes: %s\nwant %s", seed, 1<<log, got, want)
		}
		loaded[want] = true
	}
	if len(loaded) < 290 {
		t.Errorf("%d different results", len(loaded))
	}
}
