package fragops

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// What planes take of a primitive whose planes are not those of positions (raster.Setup.Warped):
// records have a word that says what it is, and behind it the sides of a thin triangle.

// WarpAt is where records have that, of WarpBytes.
const WarpAt, WarpBytes = 32, 24

// The kinds of primitives.
const warpNone, warpThin, warpBresenham = 0, 1, 2

// WriteWarp writes a primitive's part of a record.
func WriteWarp(record []byte, s *raster.Setup) {
	le, kind := binary.LittleEndian, uint32(warpNone)
	switch {
	case s.Thin:
		kind = warpThin
		for i, v := range [4]int32{s.P[0], s.P[1], s.Q[0], s.Q[1]} {
			le.PutUint32(record[WarpAt+4+4*i:], uint32(v))
		}
	case s.Kind == raster.KindBresenham:
		kind = warpBresenham
	}
	le.PutUint32(record[WarpAt:], kind)
}

// A record is what gives a word of those that a lane's primitive has.
type recordWord func(t ir.Type, at int) ir.Value

// Bresenham says that a lane is of a Bresenham line.
func Bresenham(b *ir.Builder, record recordWord) ir.Value {
	return b.Op(ir.OpIEq, ir.Bool, record(ir.I32, WarpAt), b.I32(warpBresenham))
}

// Snap is where what a position has is taken, subpixels: of Bresenham lines at the centre of the
// pixel.
//
// RAS-219 primsrast-lines-bresenham
func Snap(b *ir.Builder, record recordWord, at [2]ir.Value) [2]ir.Value {
	is := Bresenham(b, record)
	for axis, v := range at {
		const whole = ^uint32(raster.Subpixels - 1)
		v = b.Op(ir.OpOr, ir.I32, b.Op(ir.OpAnd, ir.I32, v, b.I32(whole)), b.I32(raster.Subpixels/2))
		at[axis] = b.Op(ir.OpSelect, ir.I32, is, v, at[axis])
	}
	return at
}

// Unwarp is what planes take of a distance from the point of reference, subpixels, as words of
// binary64: of thin triangles the numerators of barycentric weights, which are below 2^60.
//
// RAS-247 primsrast-polygons-basic
func Unwarp(b *ir.Builder, record recordWord, at [2]ir.Value) (delta [2][2]ir.Value) {
	wide := func(op ir.WideOp, args ...[2]ir.Value) [2]ir.Value {
		var list []ir.Value
		for _, a := range args {
			list = append(list, a[0], a[1])
		}
		v := b.OpMore(ir.OpWide, ir.I32, uint64(op), list)
		return [2]ir.Value{v, b.OpImm(ir.OpResult, ir.I32, 1, v)}
	}
	long := func(v ir.Value) [2]ir.Value { return [2]ir.Value{v, b.Op(ir.OpShrS, ir.I32, v, b.I32(31))} }
	side := func(i int) [2]ir.Value { return long(record(ir.I32, WarpAt+4+4*i)) }
	thin := b.Op(ir.OpIEq, ir.Bool, record(ir.I32, WarpAt), b.I32(warpThin))
	x, y := long(at[0]), long(at[1])
	const px, py, qx, qy = 0, 1, 2, 3
	minus := func(a, b, c, d [2]ir.Value) [2]ir.Value {
		return wide(ir.WideISub, wide(ir.WideIMul, a, b), wide(ir.WideIMul, c, d))
	}
	e, f := minus(side(qy), x, side(qx), y), minus(side(px), y, side(py), x)
	for axis, of := range [2][2][2]ir.Value{{e, x}, {f, y}} {
		for k := range of[0] {
			of[0][k] = b.Op(ir.OpSelect, ir.I32, thin, of[0][k], of[1][k])
		}
		delta[axis] = wide(ir.WideL2D, of[0])
	}
	return delta
}
