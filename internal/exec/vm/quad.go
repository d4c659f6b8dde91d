package vm

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// derivative executes a quad operation. Lanes 4q to 4q+3 are a quad in the
// order y·2+x. Fine derivatives take the row or column of the lane that asks,
// coarse ones the first row and column. A lane outside the execution mask
// contributes the value of the lane that asks.
//
// RAS-294
func (t *registers) derivative(in *instr) {
	d, a := t.v[in.d], t.v[in.a]
	var m []uint32
	if t.m[in.m].state != maskFull || len(d)&3 != 0 {
		m = t.maskWords(in.m)
	}
	step := 1 // lane distance
	if in.op == ir.OpDdyFine || in.op == ir.OpDdyCoarse {
		step = 2
	}
	keep := 3 &^ step // bits of the lane that choose the row or column
	if in.op == ir.OpDdxCoarse || in.op == ir.OpDdyCoarse {
		keep = 0
	}
	for i := range d {
		lo := i&^3 | i&keep
		x, y := a[i], a[i]
		if m == nil || lo < len(m) && m[lo] != 0 {
			x = a[lo]
		}
		if hi := lo + step; m == nil || hi < len(m) && m[hi] != 0 {
			y = a[hi]
		}
		d[i] = lane.FSub(y, x)
	}
}

// interpolate executes OpInterpolateAt.
func (t *thread) interpolate(in *instr) {
	d, a, b := t.v[in.d], t.v[in.a], t.v[in.b]
	at := t.batch.Interp
	if at == nil {
		clear(d)
		return
	}
	for i := range d {
		l := t.base + i
		var dx, dy float32
		switch in.imm {
		case 1:
			dx, dy = at.CentroidOffset(l)
		case 2:
			dx, dy = at.SampleOffset(l, a[i])
		case 3:
			dx, dy = math.Float32frombits(a[i]), math.Float32frombits(b[i])
		}
		d[i] = at.InterpolateAt(int(in.c), l, dx, dy)
	}
}
