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

// Machine code finds the buffer that a program chooses while it runs, one for all lanes or each
// lane its own: elements behind the array, null descriptors and buffers of any length read as
// zero where there is nothing, and drop what is written there.
func TestNative_Elements(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, nativeElements)
}

func nativeElements(t *testing.T) {
	const buffers, size = 6, 96
	words := [4]ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}
	for seed := range share(300, 3) {
		r := rand.New(rand.NewPCG(seed, 12))
		p := program(t, ir.StageCompute, words[:], words[:3], func(b *ir.Builder, in []ir.Value) {
			b.P.WritesMemory, b.P.PushBytes = true, 16
			b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: buffers, ReadOnly: true},
				{Kind: ir.UniformBuffer, Count: buffers}, {Kind: ir.StorageBuffer, Count: 64}}
			turn, sum := b.NewVar(ir.I32, "turn"), b.NewVar(ir.I32, "sum")
			value := func(v ir.Value) {
				b.Set(sum, b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, b.Get(sum), b.I32(3)), v))
			}
			element := func(ways int) ir.Value { // those of less than 5 are the same for all lanes
				switch r.IntN(ways) {
				case 0:
					return b.I32(r.Uint32N(buffers + 1))
				case 1:
					return b.Op(ir.OpLoadPush, ir.I32, b.I32(4*r.Uint32N(4)))
				case 2:
					return b.Op(ir.OpIAdd, ir.I32, b.Get(turn), b.Op(ir.OpLoadPush, ir.I32, b.I32(0)))
				case 3:
					return b.Get(turn)
				}
				return in[2]
			}
			load := func() {
				res, e, at := uint64(r.IntN(2)), element(5), in[r.IntN(2)]
				switch r.IntN(6) {
				case 0:
					at = b.Op(ir.OpIMul, ir.I32, b.Get(turn), b.I32(4))
				case 1:
					at = b.I32(4 * r.Uint32N(4))
				}
				for range 1 + r.IntN(3) { // words side by side
					value(b.OpImm(ir.OpLoadBuffer, ir.I32, res, e, at))
					at = b.Op(ir.OpIAdd, ir.I32, at, b.I32(4))
				}
			}
			store := func() { // each lane has 4 words of its own, of the buffers that it names
				at := b.Op(ir.OpIAdd, ir.I32, in[3], b.I32(4*r.Uint32N(4)))
				v := b.Op(ir.OpIAdd, ir.I32, b.Get(sum), b.I32(r.Uint32()))
				b.OpImm(ir.OpStoreBuffer, ir.Void, 2, element(5), at, v)
			}
			some := func(all bool) {
				for range 1 + r.IntN(5) {
					switch r.IntN(8) {
					case 6:
						m := ir.Mem{Space: ir.MemBuffer, Resource: uint32(r.IntN(2)), Log: uint8(r.IntN(2))}
						value(b.OpMore(ir.OpLoadMem, ir.I32, m.Imm(), []ir.Value{element(4), in[1]}))
					case 7:
						m := ir.Mem{Space: ir.MemBuffer, Resource: 2, Log: uint8(r.IntN(2))}
						at := b.Op(ir.OpIAdd, ir.I32, in[3], b.I32(r.Uint32N(4)))
						b.OpMore(ir.OpStoreMem, ir.Void, m.Imm(), []ir.Value{element(5), at, b.Get(sum)})
					case 5:
						if all {
							b.Set(turn, b.Op(ir.OpIAdd, ir.I32, b.Get(turn), b.I32(1)))
						}
					case 0:
						store()
					case 1:
						value(b.OpImm(ir.OpBufferSize, ir.I32, uint64(r.IntN(3)), element(8)))
					default:
						load()
					}
				}
			}
			some(true)
			b.Loop(false, func(l *ir.Loop) {
				last := b.Op(ir.OpULe, ir.Bool, b.I32(r.Uint32N(buffers+2)), b.Get(turn))
				b.If(last, func() { b.Break(l) }, nil)
				some(true)
				early := b.Op(ir.OpIEq, ir.Bool, b.Op(ir.OpAnd, ir.I32, in[1], b.I32(4)), b.I32(0))
				b.If(early, func() { some(false); b.Continue(l) }, nil)
				some(false)
			}, func(*ir.Loop) { b.Set(turn, b.Op(ir.OpIAdd, ir.I32, b.Get(turn), b.I32(1))) })
			some(true)
			output(b, 0, b.Get(sum))
		})
		if ir.Diverge(p); seed%3 > 0 { // else Vars are read anew behind each set
			ir.Optimize(p)
		}
		n := 1 + r.IntN(80)
		row := func(f func(i int) uint32) []uint32 {
			w := make([]uint32, n)
			for i := range w {
				w[i] = f(i)
			}
			return w
		}
		first := r.Uint32N(size)
		in := [][]uint32{
			row(func(i int) uint32 { return (first + 4*uint32(i)) &^ 3 }),
			row(func(int) uint32 { return r.Uint32N(size+16) - 8 }),
			row(func(i int) uint32 {
				list := []uint32{r.Uint32N(buffers + 1), 1, ^uint32(0), 1 << 31, uint32(i / 7)}
				return list[r.IntN(1+r.IntN(5))]
			}),
			row(func(i int) uint32 { return 16 * uint32(i) }),
		}
		live := row(func(int) uint32 { return -uint32(btoi(r.IntN(5) > 0)) })
		push := bytesOf([]uint32{r.Uint32N(3), r.Uint32N(buffers + 2), -r.Uint32N(2), 2})
		var memory [3 * buffers][]byte
		for i := range memory {
			memory[i] = make([]byte, []int{size, size - 1, r.IntN(6), 0, 16 * n, 16*n - 3}[r.IntN(6)])
			for k := range memory[i] {
				memory[i][k] = byte(r.Uint32())
			}
		}
		var results [2]string
		for k := range results {
			ctx, all := &exec.Context{Push: push, Resources: make([][]exec.Descriptor, 3)}, [][]byte{}
			for i, m := range memory {
				m = slices.Clone(m)
				all = append(all, m)
				ctx.Resources[i%3] = append(ctx.Resources[i%3], exec.Descriptor{Data: m})
			}
			out := [][]uint32{make([]uint32, n), make([]uint32, n), make([]uint32, n)}
			compiled, err := New(loopsOr(k == 1)).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			if k == 1 && native.Vectors() >= 256 { // 64-bit ARM leaves narrow ones to the loops
				for _, in := range compiled.(*routine).machine().code {
					if lanesOf[in.kind] != 0 && in.kind != native.KindBlock {
						t.Errorf("seed %d: an instruction of kind %d is not machine code", seed, in.kind)
					}
				}
			}
			batch := &exec.Batch{N: n, In: in, Out: out, Live: slices.Clone(live)}
			if err := compiled.NewThread(n).Run(ctx, batch); err != nil {
				t.Fatal(err)
			}
			results[k] = fmt.Sprintf("%08x %x", out, bytes.Join(all, []byte{0xEE}))
		}
		if results[0] != results[1] {
			t.Fatalf("seed %d:\n%s\nwant\n%s\n%s", seed, results[1], results[0], p)
		}
	}
}
