package fragops

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// double is a number of binary64: its low and its high word.
type double [2]ir.Value

// doubles makes their arithmetic.
type doubles struct{ *ir.Builder }

func (b doubles) wide(op ir.WideOp, args ...double) double {
	var words []ir.Value
	for _, a := range args {
		words = append(words, a[:]...)
	}
	return b.pair(op, words...)
}

// pair is wide for words.
func (b doubles) pair(op ir.WideOp, words ...ir.Value) double {
	v := b.OpMore(ir.OpWide, ir.I32, uint64(op), words)
	return double{v, b.OpImm(ir.OpResult, ir.I32, 1, v)}
}

// is compares.
func (b doubles) is(op ir.WideOp, x, y double) ir.Value {
	return b.OpMore(ir.OpWide, ir.Bool, uint64(op), []ir.Value{x[0], x[1], y[0], y[1]})
}

func (b doubles) num(v float64) double {
	bits := math.Float64bits(v)
	return double{b.I32(uint32(bits)), b.I32(uint32(bits >> 32))}
}

func (b doubles) from(v ir.Value) double { return b.pair(ir.WideF2D, v) }

// float rounds to binary32.
func (b doubles) float(v double) ir.Value {
	return b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideD2F), v[:])
}

func (b doubles) add(x, y double) double  { return b.wide(ir.WideFAdd, x, y) }
func (b doubles) sub(x, y double) double  { return b.wide(ir.WideFSub, x, y) }
func (b doubles) mul(x, y double) double  { return b.wide(ir.WideFMul, x, y) }
func (b doubles) div(x, y double) double  { return b.wide(ir.WideFDiv, x, y) }
func (b doubles) lt(x, y double) ir.Value { return b.is(ir.WideFLt, x, y) }
func (b doubles) le(x, y double) ir.Value { return b.is(ir.WideFLe, x, y) }

func (b doubles) abs(x double) double {
	return double{x[0], b.Op(ir.OpAnd, ir.I32, x[1], b.I32(math.MaxInt32))}
}

func (b doubles) pick(on ir.Value, x, y double) double {
	for i := range x {
		x[i] = b.Op(ir.OpSelect, ir.I32, on, x[i], y[i])
	}
	return x
}

// min and max are NaN where any operand is.
func (b doubles) min(x double, more ...double) double { return b.extreme(ir.WideFMin, x, more) }
func (b doubles) max(x double, more ...double) double { return b.extreme(ir.WideFMax, x, more) }

func (b doubles) extreme(op ir.WideOp, x double, more []double) double {
	for _, y := range more {
		x = b.pick(b.is(ir.WideFEq, x, x), b.pick(b.is(ir.WideFEq, y, y), b.wide(op, x, y), y), x)
	}
	return x
}
