package vm

import (
	"math"
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
