package vm

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Words of tables that bytes of a word choose are looked up together, and words of few in two vectors, with the bits
// of loads of their own: of any bytes, of several tables, of registers that change before the load, beside other uses of their offsets, and in conditions and loops.
func TestNative_LoadBytes(t *testing.T) {
	rules.Covers(t, "RAS-001")
	if native.Vectors() == 0 || !native.MachineOf(native.Vectors()).PermutesBytes() {
		t.Skip("the processor does not permute bytes of vectors of 512 bits")
	}
	const n = 100
	joined, few := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 6))
		types := []ir.Type{ir.I32, ir.I32}
		p := program(t, ir.StageCompute, types, slices.Repeat([]ir.Type{ir.I32}, 8), func(b *ir.Builder, v []ir.Value) {
			bases := []uint32{0, 4, 1024}
			for range 509 + r.IntN(6) {
				b.P.Table = binary.LittleEndian.AppendUint32(b.P.Table, r.Uint32())
			}
			changing := b.NewVar(ir.I32, "word")
			b.Set(changing, v[0])
			look := func(w ir.Value, base uint32) ir.Value {
				k := uint32(r.IntN(4))
				var at ir.Value
				if r.IntN(4) == 0 {
					at = b.Op(ir.OpAnd, ir.I32, b.Op(ir.OpShl, ir.I32, w, b.I32(2)), b.I32(124))
					if base > 0 {
						at = b.Op(ir.OpIAdd, ir.I32, at, b.I32(base))
					}
					if r.IntN(2) == 0 {
						b.Set(changing, b.Op(ir.OpXor, ir.I32, b.Get(changing), b.I32(5)))
					}
					return b.Op(ir.OpLoadTable, ir.I32, at)
				}
				if k == 0 {
					at = b.Op(ir.OpShl, ir.I32, w, b.I32(2))
				} else {
					at = b.Op(ir.OpShrU, ir.I32, w, b.I32(8*k-2))
				}
				mask := uint32(1020)
				if r.IntN(12) == 0 {
					mask = 508
				}
				at = b.Op(ir.OpAnd, ir.I32, at, b.I32(mask))
				if base > 0 {
					at = b.Op(ir.OpIAdd, ir.I32, at, b.I32(base))
				}
				x := b.Op(ir.OpLoadTable, ir.I32, at)
				if r.IntN(6) == 0 {
					x = b.Op(ir.OpXor, ir.I32, x, at)
				}
				return x
			}
			some := func(first int) {
				w, base := v[r.IntN(2)], bases[r.IntN(3)]
				for i := range 4 {
					if r.IntN(2) == 0 {
						w = b.Get(changing)
					}
					if r.IntN(2) == 0 {
						b.Set(changing, b.Op(ir.OpIMul, ir.I32, b.Get(changing), b.I32(77)))
					}
					output(b, first+i, look(w, base))
				}
			}
			some(0)
			defer some(0)
			if cond := b.Op(ir.OpULt, ir.Bool, v[0], v[1]); seed%2 == 0 {
				b.If(cond, func() { some(4) }, nil)
			} else {
				i := b.NewVar(ir.I32, "i")
				b.Set(i, b.Op(ir.OpAnd, ir.I32, v[1], b.I32(3)))
				b.Loop(false, func(l *ir.Loop) {
					some(4)
					b.Set(i, b.Op(ir.OpISub, ir.I32, b.Get(i), b.I32(1)))
					b.If(b.Op(ir.OpSLt, ir.Bool, b.Get(i), b.I32(0)), func() { b.Break(l) }, nil)
				}, nil)
			}
		})
		compiled, err := compile(p, native.MachineOf(512))
		if err != nil {
			t.Fatal(err)
		}
		for i := range compiled.unit.Blocks() {
			for _, in := range compiled.unit.Code(i) {
				switch in.Kind {
				case native.KindLoadBytes:
					joined++
				case native.KindLoadFew:
					few++
				}
			}
		}
		in := [][]uint32{lanesFor(r, n), lanesFor(r, n)}
		sameOutputs(t, seed, p, in, n, Options{Native: true})
	}
	if joined < 200 || few < 200 {
		t.Errorf("loads were joined %d times, and %d are of few words", joined, few)
	}
}

// Loads of a table whose offsets are known to be in it give what others give, as do those whose
// offsets may end behind it, and those that only some lanes make.
func TestNative_TablesInside(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, tablesInside)
}

func tablesInside(t *testing.T) {
	const n = 70
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 8))
		types := []ir.Type{ir.I32, ir.I32}
		p := program(t, ir.StageCompute, types, slices.Repeat([]ir.Type{ir.I32}, 3), func(b *ir.Builder, v []ir.Value) {
			b.P.Scattered = true
			mask, base := uint32(1)<<(4+r.IntN(5))-4, 4*r.Uint32N(40)
			words := make([]byte, 4096) // what is behind the table is not zero
			for i := range words {
				words[i] = uint8(1 + r.IntN(255))
			}
			size := int(mask+base) + r.IntN(9) // about where it ends
			if r.IntN(2) == 0 {
				size = max(4, size+4*r.IntN(40)-4*r.IntN(40))
			}
			b.P.Table = words[:size]
			at := b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpAnd, ir.I32, v[0], b.I32(mask)), b.I32(base))
			output(b, 0, b.Op(ir.OpLoadTable, ir.I32, at))
			b.If(b.Op(ir.OpULt, ir.Bool, v[0], v[1]), func() {
				output(b, 1, b.Op(ir.OpLoadTable, ir.I32, at))
				output(b, 2, b.Op(ir.OpLoadTable, ir.I32, b.Op(ir.OpAnd, ir.I32, v[1], b.I32(mask))))
			}, nil)
		})
		in := [][]uint32{lanesFor(r, n), lanesFor(r, n)}
		sameOutputs(t, seed, p, in, n, Options{Native: true})
	}
}

// Small tables give what others give: at offsets inside, beyond and between words.
func TestNative_SmallTables(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, smallTables)
}

func smallTables(t *testing.T) {
	const n, fewWords = 50, 32 // what two vectors hold
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 7))
		p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, v []ir.Value) {
			for range 1 + r.IntN(fewWords+3) {
				b.P.Table = binary.LittleEndian.AppendUint32(b.P.Table, r.Uint32())
			}
			output(b, 0, b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpLoadTable, ir.I32, v[0]), b.I32(1)))
		})
		in := make([]uint32, n)
		for i := range in {
			if in[i] = 4 * r.Uint32N(fewWords+8); seed%4 == 0 {
				in[i] = r.Uint32N(160)
			} else if r.IntN(9) == 0 {
				in[i] = r.Uint32() &^ 3
			}
		}
		var outs [2][]uint32
		for k := range outs {
			compiled, err := New(loopsOr(k == 1)).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			outs[k] = make([]uint32, n)
			if err := compiled.NewThread(n).Run(&exec.Context{}, &exec.Batch{N: n, In: [][]uint32{in}, Out: outs[k : k+1]}); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(outs[0], outs[1]) {
			t.Fatalf("seed %d, %d bytes at %d:\n%08x\nwant\n%08x", seed, len(p.Table), in, outs[1], outs[0])
		}
	}
}
