package texel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// arithmetic is what a builder's method computes of one value.
func arithmetic(typ ir.Type, emit func(e *builder, x ir.Value) ir.Value) func(x uint32) uint32 {
	p := &ir.Program{Inputs: []ir.IO{{Type: typ}}, Outputs: []ir.IO{{Type: ir.F32}}}
	e := &builder{b: ir.NewBuilder(p)}
	e.b.OpImm(ir.OpOutput, ir.Void, 0, emit(e, e.b.OpImm(ir.OpInput, typ, 0)))
	e.b.Finish()
	v := make([]uint32, len(p.Insts))
	for i, in := range p.Insts {
		if in.Op == ir.OpConst {
			v[i] = uint32(in.Imm)
		}
	}
	return func(x uint32) uint32 {
		for _, s := range p.Body.Stmts {
			in := &p.Insts[s.Inst]
			var a [3]uint32
			for i, o := range in.Args {
				if o >= 0 {
					a[i] = v[o]
				}
			}
			switch in.Op {
			case ir.OpConst:
			case ir.OpInput:
				v[s.Inst] = x
			case ir.OpOutput:
				return a[0]
			default:
				v[s.Inst], _ = ir.Eval(in.Op, a[0], a[1], a[2])
			}
		}
		panic("no output")
	}
}

// Every code of every width is divided as by the division.
func TestQuotient_AllCodes(t *testing.T) {
	rules.Covers(t, "IMG-241", "IMG-242", "IMG-253", "IMG-257")
	widths := []int{1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 24}
	if testing.Short() {
		widths = widths[:11]
	}
	for _, bits := range widths {
		n := uint32(1)<<bits - 1
		f := arithmetic(ir.F32, func(e *builder, x ir.Value) ir.Value { return e.quotient(x, n) })
		for c := uint32(0); c <= n; c++ {
			if got, want := f(math.Float32bits(float32(c))), math.Float32bits(fp.UnormToFloat(c, uint(bits))); got != want {
				t.Fatalf("%d/%d: %#x, want %#x", c, n, got, want)
			}
		}
		if bits < 8 || bits > 16 {
			continue
		}
		n >>= 1
		f = arithmetic(ir.F32, func(e *builder, x ir.Value) ir.Value { return e.quotient(x, n) })
		for c := -int32(n); c <= int32(n); c++ {
			if got, want := f(math.Float32bits(float32(c))), math.Float32bits(fp.SnormToFloat(c, uint(bits))); got != want {
				t.Fatalf("%d/%d: %#x, want %#x", c, n, got, want)
			}
		}
	}
}

// What the texels of blocks can be is divided as by the division.
func TestQuotient_Blocks(t *testing.T) {
	for _, n := range []uint32{15, 186, 378, 7 * 255, 5 * 255, 7 * 127, 5 * 127} {
		f := arithmetic(ir.F32, func(e *builder, x ir.Value) ir.Value { return e.quotient(x, n) })
		for c := -int32(n); c <= int32(n); c++ {
			if got, want := f(math.Float32bits(float32(c))), math.Float32bits(float32(c)/float32(n)); got != want {
				t.Fatalf("%d/%d: %#x, want %#x", c, n, got, want)
			}
		}
	}
}

// Every format's components have a width that TestQuotient_AllCodes looks at.
func TestQuotient_AllFormats(t *testing.T) {
	known := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 8: true, 10: true, 12: true, 14: true, 16: true, 24: true}
	for _, f := range format.All() {
		info, _ := format.Lookup(f)
		if !decodes(info) {
			continue
		}
		for _, c := range info.Components {
			if (c.Numeric == format.NumericUnorm || c.Numeric == format.NumericSnorm) && c.Bits > 0 && !known[c.Bits] {
				t.Errorf("%v has %d bits", f, c.Bits)
			}
		}
	}
}

// Sums of weighted codes become the nearest number: all sums of bytes of one and two
// dimensions, and of others the smallest, the largest, some between and those whose
// quotients lie nearest to the middle of two numbers.
func TestMean(t *testing.T) {
	step := int64(1)
	if testing.Short() {
		step = 7
	}
	for _, x := range []struct {
		n      uint32
		bits   int
		signed bool
	}{{255, 0, false}, {255, 8, false}, {255, 16, false}, {255, 24, false}, {127, 16, true}, {127, 8, true}, {127, 24, true}, {65535, 8, false}, {65535, 16, false}, {32767, 8, true}, {32767, 16, true}} {
		f := arithmetic(ir.I32, func(e *builder, v ir.Value) ir.Value { return e.mean(v, x.n, x.bits, x.signed) })
		check := func(s int64) {
			if got, want := f(uint32(s)), math.Float32bits(float32(float64(s)/float64(uint64(x.n)<<x.bits))); got != want {
				t.Fatalf("%d of %d<<%d: %#x, want %#x", s, x.n, x.bits, got, want)
			}
			if x.signed && s > 0 {
				if got, want := f(uint32(-s)), math.Float32bits(float32(float64(-s)/float64(uint64(x.n)<<x.bits))); got != want {
					t.Fatalf("%d of %d<<%d: %#x, want %#x", -s, x.n, x.bits, got, want)
				}
			}
		}
		last := int64(x.n) << x.bits
		if last <= 255<<16 {
			for s := int64(0); s <= last; s += step {
				check(s)
			}
			continue
		}
		for i := range int64(100_000) {
			check(i)
			check(last - i)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 200_000 {
			check(r.Int64N(last + 1))
			// A number of 24 bits and a half of its last one, times n.
			m := float64(2*r.Uint32N(1<<23)+1<<24+1) * math.Ldexp(1, r.IntN(32)-32) * float64(x.n)
			for d := range 3 {
				if s := math.Floor(m) + float64(d) - 1; s >= 0 && s <= float64(last) {
					check(int64(s))
				}
			}
		}
	}
}
