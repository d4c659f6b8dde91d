package texel

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// wide is a number of 64 bits: its low word and its high one.
type wide [2]ir.Value

// w is an operation whose result is a wide number.
func (e *builder) w(op ir.WideOp, words ...ir.Value) wide {
	lo := e.b.OpMore(ir.OpWide, ir.I32, uint64(op), words)
	return wide{lo, e.b.OpImm(ir.OpResult, ir.I32, 1, lo)}
}

// two is an operation on two wide numbers.
func (e *builder) two(op ir.WideOp, a, b wide) wide { return e.w(op, a[0], a[1], b[0], b[1]) }

// fma is a·b + c, rounded once.
func (e *builder) fma(a, b, c wide) wide {
	return e.w(ir.WideFma, a[0], a[1], b[0], b[1], c[0], c[1])
}

// double is a binary64 constant.
func (e *builder) double(x float64) wide {
	bits := math.Float64bits(x)
	return wide{e.int(uint32(bits)), e.int(uint32(bits >> 32))}
}

// single rounds a binary64 number to binary32.
func (e *builder) single(x wide) ir.Value {
	return e.b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideD2F), x[:])
}

// widen makes a binary64 number of a binary32 one, or of an integer.
func (e *builder) widen(v ir.Value) wide {
	if e.b.P.Insts[v].Type == ir.F32 {
		return e.w(ir.WideF2D, v)
	}
	return e.w(ir.WideS2D, v)
}

// down, and the like, are operations on wide numbers.
func (e *builder) down(x wide) wide     { return e.w(ir.WideFloor, x[0], x[1]) }
func (e *builder) add(a, b wide) wide   { return e.two(ir.WideFAdd, a, b) }
func (e *builder) less(a, b wide) wide  { return e.two(ir.WideFSub, a, b) }
func (e *builder) times(a, b wide) wide { return e.two(ir.WideFMul, a, b) }
func (e *builder) over(a, b wide) wide  { return e.two(ir.WideFDiv, a, b) }

// whole is the integer of 32 bits nearest to a wide number, ties to even.
func (e *builder) whole(x wide) ir.Value {
	return e.b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideD2N), x[:])
}

// test compares two wide numbers.
func (e *builder) test(op ir.WideOp, a, b wide) ir.Value {
	return e.b.OpMore(ir.OpWide, ir.Bool, uint64(op), []ir.Value{a[0], a[1], b[0], b[1]})
}
