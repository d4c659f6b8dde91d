package vm

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Scattered loads give the same words where the offsets of a strip lie in rows and where some do not: single ones and pairs,
// at both ends of the buffer, between words, rows that overlap, and strips of all kinds one after the other.
func TestNative_Rows(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, inRows)
}

func inRows(t *testing.T) {
	const n, size, pitch = 400, 8192, 512
	p := program(t, ir.StageFragment, []ir.Type{ir.I32, ir.I32}, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32, ir.I32}, func(b *ir.Builder, v []ir.Value) {
		b.P.Scattered = true
		b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 1, ReadOnly: true}, {Kind: ir.StorageBuffer, Count: 1, ReadOnly: true}}
		load := func(resource uint64, at ir.Value) ir.Value {
			return b.OpImm(ir.OpLoadBuffer, ir.I32, resource, b.I32(0), at)
		}
		output(b, 5, load(1, v[1])) // the same words twice, as components of one texel
		output(b, 6, load(1, v[1]))
		output(b, 0, load(0, v[0]))
		output(b, 1, load(0, v[1]))
		output(b, 2, load(1, v[0]))
		output(b, 3, load(1, b.Op(ir.OpIAdd, ir.I32, v[0], b.I32(4))))
		output(b, 4, load(1, load(0, v[0])))
	})
	memory := [2][]byte{make([]byte, size), make([]byte, size-4)}
	r := rand.New(rand.NewPCG(7, 8))
	for i := range memory {
		for k := range memory[i] {
			memory[i][k] = byte(r.Uint32())
		}
	}
	compile := func(native bool) exec.Thread {
		compiled, err := New(loopsOr(native)).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		return compiled.NewThread(n)
	}
	threads := [2]exec.Thread{compile(false), compile(true)}
	for round := range 400 {
		in := [][]uint32{make([]uint32, n), make([]uint32, n)}
		kind := round % 8 // mostly rows, so that loads look again
		for strip := range (n + 15) / 16 {
			start := uint32(4 * r.IntN(size/4))
			if kind == 1 || kind == 5 { // at the end
				start = uint32(size - 4*r.IntN(24))
				if r.IntN(2) == 0 {
					start -= pitch
				}
			}
			step := []uint32{4, 4, 4, 4, 8, 0, 4, 4}[kind]
			down := []uint32{pitch, pitch, 4, 1 << 20, pitch, pitch, pitch + 1, pitch}[kind]
			for l := range min(16, n-16*strip) {
				at := start + step*uint32(l>>2*2+l&1) + down*uint32(l>>1&1)
				if kind == 5 && l != 0 && l != 2 { // any of the row
					at += uint32(4 * r.IntN(16))
				}
				if kind == 7 && r.IntN(40) == 0 {
					at += []uint32{1, 4, 60, 64, ^uint32(3), ^uint32(63)}[r.IntN(6)]
				}
				in[0][16*strip+l] = at
				if in[1][16*strip+l] = at + 4; r.IntN(300) == 0 {
					in[1][16*strip+l] = at + 8
				}
			}
		}
		var outs [2][][]uint32
		for k, thread := range threads {
			for range p.Outputs {
				outs[k] = append(outs[k], make([]uint32, n))
			}
			ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: memory[0]}}, {{Data: memory[1]}}}}
			if err := thread.Run(ctx, &exec.Batch{N: n, In: in, Out: outs[k]}); err != nil {
				t.Fatal(err)
			}
		}
		for o := range outs[0] {
			for l := range n {
				if outs[0][o][l] != outs[1][o][l] {
					t.Fatalf("round %d, kind %d: output %d, lane %d, offset %d: %08x, want %08x", round, kind, o, l, in[0][l], outs[1][o][l], outs[0][o][l])
				}
			}
		}
	}
}

// Loads of a uniform buffer at a constant and a number give the same words, be they among the 16 behind the constant or not, the
// buffer long enough for those or not.
func TestNative_ListLoads(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, listLoads)
}

func listLoads(t *testing.T) {
	const n, from = 100, 40
	p := program(t, ir.StageFragment, []ir.Type{ir.I32}, []ir.Type{ir.I32, ir.I32}, func(b *ir.Builder, v []ir.Value) {
		b.P.Scattered = true
		b.P.Resources = []ir.Resource{{Kind: ir.UniformBuffer, Count: 2, ReadOnly: true}}
		for i := range 2 {
			output(b, i, b.OpImm(ir.OpLoadBuffer, ir.I32, 0, b.I32(uint32(i)), b.Op(ir.OpIAdd, ir.I32, v[0], b.I32(from))))
		}
	})
	var threads [2]exec.Thread
	for i := range threads {
		compiled, err := New(loopsOr(i == 1)).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		threads[i] = compiled.NewThread(n)
	}
	r := rand.New(rand.NewPCG(9, 8))
	for round := range 300 {
		var memory [2][]byte
		for i, size := range [2]int{from + 64, from + 4*r.IntN(32)} {
			all := make([]byte, from+256) // of which what is behind the buffer is not read
			for k := range all {
				all[k] = byte(r.Uint32())
			}
			memory[i] = all[:size]
		}
		in := make([]uint32, n)
		for l := range in {
			in[l] = uint32(4 * r.IntN(16))
			if round%3 == 0 && r.IntN(40) == 0 {
				in[l] = []uint32{64, 1, 61, ^uint32(3), ^uint32(39), 1 << 31}[r.IntN(6)]
			}
		}
		var outs [2][][]uint32
		for k, thread := range threads {
			outs[k] = [][]uint32{make([]uint32, n), make([]uint32, n)}
			ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: memory[0]}, {Data: memory[1]}}}}
			if err := thread.Run(ctx, &exec.Batch{N: n, In: [][]uint32{in}, Out: outs[k]}); err != nil {
				t.Fatal(err)
			}
		}
		for o := range outs[0] {
			for l := range n {
				if outs[0][o][l] != outs[1][o][l] {
					t.Fatalf("round %d: output %d, lane %d, offset %d of %d: %08x, want %08x", round, o, l, in[l], len(memory[o]), outs[1][o][l], outs[0][o][l])
				}
			}
		}
	}
}

// A load of a buffer asks for the words of a later strip where workgroups have rows, if those words
// would lie inside; what threads have for themselves is in the caches anyway.
func TestNative_ForetoldRows(t *testing.T) {
	rules.Covers(t, "RAS-001")
	for _, c := range []struct {
		rows   uint32
		shared bool
	}{{8, false}, {1, false}, {8, true}} {
		p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, v []ir.Value) {
			b.P.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}}
			b.P.SharedBytes, b.P.LocalSize = 4096, [3]uint32{16, c.rows, 1}
			if c.shared {
				output(b, 0, b.Op(ir.OpLoadShared, ir.I32, v[0]))
			} else {
				output(b, 0, b.OpImm(ir.OpLoadBuffer, ir.I32, 0, b.I32(0), v[0]))
			}
		})
		// The list names no instructions with an index; prefetches of a row are two of nine bytes.
		asked := regexp.MustCompile(`sub rcx, rax\n  mov r11, rcx\n`)
		checked := regexp.MustCompile(`cmp rax, \[r9\+0x8\]\n  jae L\d+\n  9 bytes\n  9 bytes\n  jmp L\d+\n`)
		eachList(t, p, func(t *testing.T, name, list string) {
			asks := asked.MatchString(list)
			if want := name != "arm64" && c.rows > 1 && !c.shared; asks != want || want && !checked.MatchString(list) {
				t.Errorf("%v, asks: %v\n%s", c, asks, list)
			}
		})
	}
}
