package vm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Parts are the live lanes of a subgroup with the same bits, and scans of parts go over the live lanes of each lane's own
// ballot, whatever other lanes have: counted here lane by lane.
func TestVM_Partition_BallotsAndScans(t *testing.T) {
	rules.Covers(t, "RAS-001")
	kinds := []ir.GroupKind{ir.GroupReduce, ir.GroupInclusive, ir.GroupExclusive}
	for _, size := range []int{4, 32, 128} {
		for _, wide := range []bool{false, true} {
			p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32},
				[]ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32}, func(b *ir.Builder, in []ir.Value) {
					b.P.SubgroupSize = uint32(size)
					b.If(b.Op(ir.OpINe, ir.Bool, in[8], b.I32(0)), func() {
						for w := range uint8(4) {
							if int(w) < (size+31)/32 {
								output(b, int(w), b.OpMore(ir.OpGroup, ir.I32, ir.Group{Kind: ir.GroupPartition, Word: w}.Imm(), in[:2]))
							}
						}
						for k, kind := range kinds {
							g, value := ir.Group{Kind: kind, Arith: ir.GroupIAdd, Partitioned: true, Wide: wide}, in[2:3]
							if wide {
								value = in[2:4]
							}
							r := b.OpMore(ir.OpGroup, ir.I32, g.Imm(), append(value[:len(value):len(value)], in[4:8]...))
							output(b, 4+2*k, r)
							if wide {
								output(b, 5+2*k, b.OpImm(ir.OpResult, ir.I32, 1, r))
							}
						}
					}, nil)
				})
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 7))
				n := size * (1 + r.IntN(2))
				if seed%4 == 3 {
					n -= r.IntN(size)
				}
				in := make([][]uint32, 9)
				for k := range in {
					in[k] = make([]uint32, n)
				}
				for i := range n {
					in[0][i], in[1][i] = r.Uint32N(1+uint32(seed)/2), r.Uint32N(2)
					in[2][i], in[3][i] = r.Uint32(), r.Uint32()
					in[8][i] = min(1, r.Uint32N(4))
				}
				same := func(i, j int) bool { return i/size == j/size && in[0][i] == in[0][j] && in[1][i] == in[1][j] }
				for i := range n { // parts, and ballots that are none
					for j := i &^ (size - 1); j < min(i&^(size-1)+size, n); j++ {
						if bit := j % size; same(i, j) != (seed%5 == 4 && r.IntN(8) == 0) {
							in[4+bit/32][i] |= 1 << (bit % 32)
						}
					}
				}
				got := runLanes(t, p, &exec.Context{}, &exec.Batch{N: n, In: in})
				for i := range n {
					if in[8][i] == 0 {
						continue
					}
					var want [10]uint32
					var all, before, upTo uint64
					for j := i &^ (size - 1); j < min(i&^(size-1)+size, n); j++ {
						bit := j % size
						if in[8][j] == 0 {
							continue
						}
						if same(i, j) {
							want[bit/32] |= 1 << (bit % 32)
						}
						if in[4+bit/32][i]>>(bit%32)&1 == 0 {
							continue
						}
						x := uint64(in[3][j])<<32 | uint64(in[2][j])
						all += x
						if j < i {
							before += x
						}
						if j <= i {
							upTo += x
						}
					}
					for k, x := range []uint64{all, upTo, before} {
						if want[4+2*k] = uint32(x); wide {
							want[5+2*k] = uint32(x >> 32)
						}
					}
					for k := range want {
						if got[k][i] != want[k] {
							t.Fatalf("subgroups of %d, wide %v, seed %d, lane %d, output %d: %#x, want %#x", size, wide, seed, i, k, got[k][i], want[k])
						}
					}
				}
			}
		}
	}
}

// A subgroup falls in parts by values of many words, as a vec8 of binary64 has, from machine code, too.
func TestVM_Partition_ManyWords(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const size, words = 8, 20
	p := program(t, ir.StageCompute, slices.Repeat([]ir.Type{ir.I32}, words), []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		b.P.SubgroupSize = size
		output(b, 0, b.OpMore(ir.OpGroup, ir.I32, ir.Group{Kind: ir.GroupPartition}.Imm(), in))
	})
	in := make([][]uint32, words)
	for w := range in {
		in[w] = make([]uint32, size)
	}
	in[words-1] = []uint32{0, 1, 2, 0, 1, 2, 0, 1} // the last word alone tells
	got := runLanes(t, p, &exec.Context{}, &exec.Batch{N: size, In: in})
	for i, want := range []uint32{0b01001001, 0b10010010, 0b00100100, 0b01001001, 0b10010010, 0b00100100, 0b01001001, 0b10010010} {
		if got[0][i] != want {
			t.Errorf("lane %d: %08b, want %08b", i, got[0][i], want)
		}
	}
}
