package vm

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// wide executes OpWide on all lanes. Pairs are put together for the operation
// and taken apart again: 64-bit arithmetic is rare, and registers of one width
// keep everything else simple.
func (t *thread) wide(in *instr) {
	x := &t.r.aux[in.c]
	op := ir.WideOp(in.imm)
	f := ir.EvalWideFunc(op)
	args, result := op.Signature()
	var lo, hi [3][]uint32
	at := 0
	for i := range args {
		lo[i] = t.v[x.args[at]]
		at++
		hi[i] = t.zeros[:t.n]
		if args[i] == 'w' {
			hi[i] = t.v[x.args[at]]
			at++
		}
	}
	for i := len(args); i < 3; i++ {
		lo[i], hi[i] = t.zeros[:t.n], t.zeros[:t.n]
	}
	d := t.v[x.results[0]]
	var dHi []uint32
	if result == 'w' {
		dHi = t.v[x.results[1]][:len(d)]
	}
	a, b, c := lo[0][:len(d)], lo[1][:len(d)], lo[2][:len(d)]
	aHi, bHi, cHi := hi[0][:len(d)], hi[1][:len(d)], hi[2][:len(d)]
	if dHi != nil {
		aHi, bHi, cHi, dHi = aHi[:len(d)], bHi[:len(d)], cHi[:len(d)], dHi[:len(d)]
	}
	switch op { // what sums of texels are made of, without calls
	case ir.WideF2D:
		for i := range d {
			d[i], dHi[i] = words(lane.F2D(uint64(a[i])))
		}
		return
	case ir.WideS2D:
		for i := range d {
			d[i], dHi[i] = words(lane.S2D(uint64(a[i])))
		}
		return
	case ir.WideFAdd:
		for i := range d {
			d[i], dHi[i] = words(lane.FAdd64(pair(a[i], aHi[i]), pair(b[i], bHi[i])))
		}
		return
	case ir.WideFMul:
		for i := range d {
			d[i], dHi[i] = words(lane.FMul64(pair(a[i], aHi[i]), pair(b[i], bHi[i])))
		}
		return
	case ir.WideFma:
		for i := range d {
			d[i], dHi[i] = words(lane.Fma64(pair(a[i], aHi[i]), pair(b[i], bHi[i]), pair(c[i], cHi[i])))
		}
		return
	case ir.WideD2F:
		for i := range d {
			d[i] = uint32(lane.D2F(pair(a[i], aHi[i])))
		}
		return
	}
	for i := range d {
		r := f(pair(a[i], aHi[i]), pair(b[i], bHi[i]), pair(c[i], cHi[i]))
		d[i] = uint32(r)
		if dHi != nil {
			dHi[i] = uint32(r >> 32)
		}
	}
}

// words are the low and the high word of a number.
func words(x uint64) (lo, hi uint32) { return uint32(x), uint32(x >> 32) }
