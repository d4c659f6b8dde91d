package vm

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Loads and stores of consecutive words, which go at once, equal those word by word:
// everywhere in the buffer and beyond its end, around 2^32, where a lane strays, and
// where some may not store.
func TestRow_LoadsAndStores_EqualWordByWord(t *testing.T) {
	rules.Covers(t, "RAS-001")
	load := program(t, ir.StageVertex, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		output(b, 0, b.OpImm(ir.OpLoadBuffer, ir.I32, 0, b.I32(0), in[0]))
	})
	store := program(t, ir.StageVertex, []ir.Type{ir.I32, ir.I32, ir.I32}, nil, func(b *ir.Builder, in []ir.Value) {
		b.If(b.Op(ir.OpINe, ir.Bool, in[2], b.I32(0)), func() {
			b.OpImm(ir.OpStoreBuffer, ir.Void, 0, b.I32(0), in[0], in[1])
		}, nil)
	})
	for _, p := range []*ir.Program{load, store} {
		p.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rows := 0
	for k := range 4000 {
		n := 1 + rng.IntN(70)
		data := make([]byte, rng.IntN(400))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		offset, word, live := make([]uint32, n), make([]uint32, n), make([]uint32, n)
		first := uint32(rng.IntN(len(data) + 8))
		if rng.IntN(8) == 0 {
			first = -uint32(rng.IntN(4 * n))
		}
		for i := range offset {
			offset[i], word[i], live[i] = first+uint32(4*i), rng.Uint32(), 1
		}
		if rng.IntN(2) == 0 {
			offset[rng.IntN(n)] += uint32(rng.IntN(3)) - 1
		}
		if rng.IntN(4) == 0 {
			live[rng.IntN(n)] = 0
		}
		if row(offset, data) != nil {
			rows++
		}
		wantLoads, wantData := make([]uint32, n), append([]byte(nil), data...)
		for i, o := range offset {
			if inside := uint64(o)+4 <= uint64(len(data)); inside {
				wantLoads[i] = binary.LittleEndian.Uint32(data[o:])
				if live[i] != 0 {
					binary.LittleEndian.PutUint32(wantData[o:], word[i])
				}
			}
		}
		ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: data}}}}
		for _, portable := range []bool{false, true} {
			got := [][]uint32{make([]uint32, n)}
			run := func(p *ir.Program, b *exec.Batch) {
				r, err := New(Options{Lanes: 64, Portable: portable}).Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				if err := r.NewThread(n).Run(ctx, b); err != nil {
					t.Fatal(err)
				}
			}
			run(load, &exec.Batch{N: n, In: [][]uint32{offset}, Out: got})
			if fmt.Sprint(got[0]) != fmt.Sprint(wantLoads) {
				t.Fatalf("case %d: loads at %d of %d bytes: %x, want %x", k, offset, len(data), got[0], wantLoads)
			}
			if portable {
				b := exec.Batch{N: n, In: [][]uint32{offset, word, live}}
				if k%2 == 0 { // by helpers instead of control flow
					b.Live = make([]uint32, n)
					for i, l := range live {
						b.Live[i] = -l
					}
					fill(live, 1)
				}
				run(store, &b)
			}
		}
		if string(data) != string(wantData) {
			t.Fatalf("case %d: stores at %d, live %d: %x, want %x", k, offset, live, data, wantData)
		}
	}
	if rows < 500 {
		t.Errorf("%d of the cases are consecutive", rows)
	}
}
