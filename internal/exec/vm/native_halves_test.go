package vm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Rows of invocations reach words that lie side by side: whole rows and parts, rows that overlap or
// reach beyond the end of memory, such as have one invocation elsewhere, and rows that read one word.
func TestNative_Rows_OfWords(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, rowsOfWords)
}

func rowsOfWords(t *testing.T) {
	const base, size = 0x3_0000_0040, 4096
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 41))
		stride := []uint32{4, 8, 8, 16}[r.IntN(4)]
		one := r.IntN(4) == 0
		types := []ir.Type{ir.I32, ir.I32, ir.I32}
		p := program(t, ir.StageCompute, types, types[1:], func(b *ir.Builder, in []ir.Value) {
			b.P.SharedBytes, b.P.WritesMemory, b.P.UsesAddresses = size, true, true
			b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}}
			sum := b.NewVar(ir.I32, "")
			b.Set(sum, in[1])
			words := int(stride / 4)
			access := func() {
				at, kind, store := in[0], r.IntN(4), r.IntN(2) == 0 && !one
				var list []ir.Value // stored or loaded
				for w := range words {
					list = append(list, b.Op(ir.OpXor, ir.I32, b.Get(sum), b.I32(0x01010101*uint32(w))))
				}
				low := b.Op(ir.OpIAdd, ir.I32, at, b.I32(base&(1<<32-1)))
				high := b.Op(ir.OpShrU, ir.I32, b.Op(ir.OpOr, ir.I32, in[2], b.I32(3<<30)), b.I32(30)) // 3, of lanes
				for w := range words {
					offset := b.Op(ir.OpIAdd, ir.I32, at, b.I32(uint32(4*w)))
					m := ir.Mem{Space: ir.MemAddress, Log: 2, Resource: uint32(4 * w)}
					switch {
					case kind == 0 && store:
						b.OpImm(ir.OpStoreBuffer, ir.Void, 0, b.I32(0), offset, list[w])
					case kind == 0:
						list[w] = b.OpImm(ir.OpLoadBuffer, ir.I32, 0, b.I32(0), offset)
					case kind == 1 && store:
						b.Op(ir.OpStoreShared, ir.Void, offset, list[w])
					case kind == 1:
						list[w] = b.Op(ir.OpLoadShared, ir.I32, offset)
					case store:
						b.OpMore(ir.OpStoreMem, ir.Void, m.Imm(), []ir.Value{low, high, list[w]})
					default:
						list[w] = b.OpMore(ir.OpLoadMem, ir.I32, m.Imm(), []ir.Value{low, high})
					}
				}
				for _, v := range list {
					b.Set(sum, b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, b.Get(sum), b.I32(31)), v))
				}
			}
			for range 1 + r.IntN(4) {
				if r.IntN(3) > 0 {
					access()
					continue
				}
				some := b.Op(ir.OpULt, ir.Bool, b.Op(ir.OpAnd, ir.I32, in[2], b.I32(7)), b.I32(uint32(r.IntN(9))))
				b.If(some, access, nil)
			}
			output(b, 0, b.Get(sum))
		})
		ir.Optimize(p)
		n := 16 * (1 + r.IntN(4))
		if r.IntN(4) == 0 {
			n -= r.IntN(16)
		}
		row := []int{4, 8, 8, 16}[r.IntN(4)]
		in := [][]uint32{make([]uint32, n), lanesFor(r, n), lanesFor(r, n)}
		first, end := uint32(0), false
		for l := range n {
			if l%row == 0 { // rows that do not overlap, as invocations write in any order
				first = uint32(l)*(stride+2) + 4*r.Uint32N(2)
				if !end && r.IntN(6) == 0 {
					first, end = size-4*r.Uint32N(40), true
				}
			}
			in[0][l] = first
			if !one {
				in[0][l] += uint32(l%row) * stride
			}
		}
		if r.IntN(4) == 0 { // elsewhere
			in[0][r.IntN(n)] = []uint32{1 << 31, size - 2, 1<<32 - 64, size}[r.IntN(4)]
		}
		live := slices.Repeat([]uint32{^uint32(0)}, n)
		if r.IntN(3) == 0 {
			live[r.IntN(n)] = 0
		}
		start := make([]byte, size-3*r.IntN(2))
		for i := range start {
			start[i] = byte(r.Uint32())
		}
		results := inMemory(t, p, base, start, in, live)
		if results[0] != results[1] {
			t.Fatalf("seed %d, row %d, stride %d: %s\nwant %s\n%v", seed, row, stride, results[1], results[0], p)
		}
	}
}
