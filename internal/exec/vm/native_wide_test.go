package vm

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Machine code computes every operation on 64 bits as its function does, of pairs that lie together
// and of such that do not: at the edges of integers and of floats, and anywhere.
func TestNative_EveryWideOperation(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, everyWide)
}

func everyWide(t *testing.T) {
	const n = 2001
	words := wideWords(n)
	for op := range ir.WideOp(ir.WideOps) {
		p, args := wideProgram(t, op)
		ir.Optimize(p)
		compiled, err := New(under(Options{})).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		b := &exec.Batch{N: n, In: words, Out: [][]uint32{make([]uint32, n), make([]uint32, n)}}
		if err := compiled.NewThread(n).Run(&exec.Context{}, b); err != nil {
			t.Fatal(err)
		}
		if third := math.Float32bits(float32(len(p.Outputs)-1) / 3); third != 0x3EAAAAAB {
			t.Errorf("%v: afterwards Go's own quotients round another way: %#x", op, third)
		}
		for l := range n {
			var x [3]uint64
			for i := range args {
				x[i] = uint64(words[2*i][l])
				if args[i] == 'w' {
					x[i] |= uint64(words[2*i+1][l]) << 32
				}
			}
			got := uint64(b.Out[0][l]) | uint64(b.Out[1][l])<<32
			if want := ir.EvalWide(op, x[0], x[1], x[2]); got != want {
				t.Errorf("%v of %x: %016x, want %016x", op, x, got, want)
				break
			}
		}
	}
}

// wideWords are three operands of 64 bits in words, for n lanes. As words they are numbers, too.
func wideWords(n int) [][]uint32 {
	r := rand.New(rand.NewPCG(7, 31))
	f, g := math.Float64bits, func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	edge := []uint64{
		0, 1, 2, 63, 64, 1 << 31, 1 << 32, 1 << 63, math.MaxInt64, math.MaxUint64, 1<<53 + 1, 1<<63 + 1<<39 + 1,
		f(1), f(-1.5), f(0.1), f(math.Inf(1)), f(math.Inf(-1)), f(math.NaN()), f(1e300), f(-3e9), f(1 << 63), f(-1 << 63),
		f(1<<63 - 1024), f(-1<<63 - 2048), f(1 << 64), f(1<<64 - 2048), f(0x1p-1074), f(65519.99999999999), f(65520),
		f(0x1p-25), f(0x1.0000000001p-25), f(1.00048828125), f(1.0004882812500002), g(1), g(-3.14), g(0x1p63), g(-0x1p63),
		g(float32(math.Inf(1))), g(float32(math.NaN())), g(0x1p-149), g(65519.996), g(0x1.ffep15),
	}
	words := make([][]uint32, 6)
	for range n {
		for i := range 3 {
			x := edge[r.IntN(len(edge))]
			switch r.IntN(4) {
			case 0:
				x = r.Uint64() >> r.IntN(64)
			case 1: // a float of any size that integers have
				x = f(math.Ldexp(r.Float64()-0.5, r.IntN(140)-70))
			}
			words[2*i] = append(words[2*i], uint32(x))
			words[2*i+1] = append(words[2*i+1], uint32(x>>32))
		}
	}
	return words
}

// The words of a number of 64 bits change places: of one computed, and of one loaded.
func TestNative_WideWordsChangePlaces(t *testing.T) { eachMachine(t, wideWordsChangePlaces) }

func wideWordsChangePlaces(t *testing.T) {
	const n, base = 40, 0x5_0000_0040
	r := rand.New(rand.NewPCG(3, 8))
	in := [][]uint32{lanesFor(r, n), lanesFor(r, n), make([]uint32, n)}
	data := make([]byte, 8*n)
	for l := range n {
		in[2][l] = uint32(base&(1<<32-1) + 8*l)
		binary.LittleEndian.PutUint64(data[8*l:], r.Uint64())
	}
	types := []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}
	p := program(t, ir.StageCompute, types[:3], types, func(b *ir.Builder, v []ir.Value) {
		add := func(x ...ir.Value) (pair [2]ir.Value) {
			pair[0] = b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideIAdd), x)
			pair[1] = b.OpImm(ir.OpResult, ir.I32, 1, pair[0])
			return pair
		}
		one, zero := b.I32(1), b.I32(0)
		x := add(v[0], v[1], one, zero)
		at := add(v[2], b.I32(base>>32), zero, zero)
		var y [2]ir.Value
		for i := range y {
			m := ir.Mem{Space: ir.MemAddress, Log: 2, Resource: uint32(4 * i)}
			y[i] = b.OpMore(ir.OpLoadMem, ir.I32, m.Imm(), at[:])
		}
		for i, w := range [2][2]ir.Value{add(x[1], x[0], one, zero), add(y[1], y[0], one, zero)} {
			output(b, 2*i, w[0])
			output(b, 2*i+1, w[1])
		}
	})
	p.UsesAddresses = true
	out := make([][]uint32, 4)
	for i := range out {
		out[i] = make([]uint32, n)
	}
	compiled, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	table := exec.NewAddressTable([]exec.AddressRange{{Base: base, Data: data}})
	if err := compiled.NewThread(n).Run(&exec.Context{Addresses: table}, &exec.Batch{N: n, In: in, Out: out}); err != nil {
		t.Fatal(err)
	}
	for l := range n {
		x := bits.RotateLeft64(pair(in[0][l], in[1][l])+1, 32) + 1
		y := bits.RotateLeft64(binary.LittleEndian.Uint64(data[8*l:]), 32) + 1
		if got := [2]uint64{pair(out[0][l], out[1][l]), pair(out[2][l], out[3][l])}; got != [2]uint64{x, y} {
			t.Fatalf("lane %d: %016x, want %016x and %016x", l, got, x, y)
		}
	}
}
