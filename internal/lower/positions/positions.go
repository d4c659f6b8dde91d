// Package positions lowers what becomes of the positions of vertices to programs for the
// engines: where they lie to the view volume, and the pixels that they are at. The bits are those
// of the reference, vertexpost.Config's Outside and Place.
package positions

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
)

// OutcodeKey is the state of a program of outcodes.
type OutcodeKey struct {
	// DepthClip and NegativeOneToOne are those of vertexpost.Config.
	DepthClip, NegativeOneToOne bool
}

// Outside makes the program that vertexpost.Config.Outside is: of clip positions, x, y, z and w, it
// makes outcodes.
//
// RAS-075, RAS-076, RAS-081, RAS-366 vertexpostproc-clipping
func Outside(k OutcodeKey) (*ir.Program, error) {
	return program("outcodes", 4, 0, func(b *builder) []ir.Value {
		x, y, z, w := b.input(0), b.input(1), b.input(2), b.input(3)
		minus := b.Op(ir.OpFNeg, ir.F32, w)
		code := b.I32(0)
		flag := func(of raster.Outcode, outside ir.Value) {
			code = b.Op(ir.OpOr, ir.I32, code, b.Op(ir.OpSelect, ir.I32, outside, b.I32(uint32(of)), b.I32(0)))
		}
		less := func(p, q ir.Value) ir.Value { return b.Op(ir.OpFLt, ir.Bool, p, q) }
		flag(raster.OutLeft, less(x, minus))
		flag(raster.OutRight, less(w, x))
		flag(raster.OutTop, less(y, minus))
		flag(raster.OutBottom, less(w, y))
		if k.DepthClip {
			near := minus
			if !k.NegativeOneToOne {
				near = b.F32(0)
			}
			flag(raster.OutNear, less(z, near))
			flag(raster.OutFar, less(w, z))
		}
		flag(raster.OutW, b.Op(ir.OpFLe, ir.Bool, w, b.F32(vertexpost.MinW)))
		magnitude := func(f ir.Value) ir.Value {
			return b.Op(ir.OpAnd, ir.I32, b.Op(ir.OpBitcast, ir.I32, f), b.I32(0x7FFFFFFF))
		}
		largest := b.Op(ir.OpUMax, ir.I32, b.Op(ir.OpUMax, ir.I32, magnitude(x), magnitude(y)), b.Op(ir.OpUMax, ir.I32, magnitude(z), magnitude(w)))
		flag(raster.OutInvalid, b.Op(ir.OpULe, ir.Bool, b.I32(0x7F800000), largest)) // infinite or NaN
		return []ir.Value{code}
	})
}

// Place makes the program that vertexpost.Config.Place is, but for depth and what is left of w: of x, y
// and w, it makes the snapped x and y, and a word that is not 0 beyond the guard band, where those
// are anything.
//
// RAS-002, RAS-003, RAS-091, RAS-092 vertexpostproc-coord-transform
func Place() (*ir.Program, error) {
	return program("places", 3, pushBytes, func(b *builder) []ir.Value {
		w := b.double(b.input(2))
		beyond := b.Bool(false)
		snapped := func(slot, push int) ir.Value {
			ndc := b.wide(ir.WideFDiv, b.double(b.input(slot)), w)
			at := b.wide(ir.WideFAdd, b.wide(ir.WideFMul, b.push(push), ndc), b.push(push+8))
			limit := func(f float64) wide {
				bits := math.Float64bits(f)
				return wide{b.I32(uint32(bits)), b.I32(uint32(bits >> 32))}
			}
			less := func(p, q wide) ir.Value {
				return b.OpMore(ir.OpWide, ir.Bool, uint64(ir.WideFLt), []ir.Value{p.lo, p.hi, q.lo, q.hi})
			}
			beyond = b.Op(ir.OpOr, ir.Bool, beyond, b.Op(ir.OpOr, ir.Bool, less(limit(raster.GuardBand), at), less(at, limit(-raster.GuardBand))))
			at = b.wide(ir.WideFMul, at, limit(raster.Subpixels))
			return b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideD2N), []ir.Value{at.lo, at.hi})
		}
		x := snapped(0, 0)
		y := snapped(1, 16)
		return []ir.Value{x, y, b.Op(ir.OpSelect, ir.I32, beyond, b.I32(1), b.I32(0))}
	})
}

// pushBytes is the size of the push constants of Place.
const pushBytes = 32

// Push writes the push constants of Place for a viewport.
//
// RAS-092, RAS-093
func Push(v *vertexpost.Viewport) (push [pushBytes]byte) {
	for i, f := range [...]float64{v.ScaleX, v.OffsetX, v.ScaleY, v.OffsetY} {
		binary.LittleEndian.PutUint64(push[8*i:], math.Float64bits(f))
	}
	return push
}

type builder struct{ *ir.Builder }

// wide is a binary64: its words.
type wide struct{ lo, hi ir.Value }

// program makes one with inputs of floats and outputs of words.
func program(name string, inputs int, push uint32, f func(b *builder) []ir.Value) (*ir.Program, error) {
	p := &ir.Program{Name: name, Stage: ir.StageVertex, PushBytes: push}
	for k := range inputs {
		p.Inputs = append(p.Inputs, ir.IO{Location: uint32(k), Type: ir.F32})
	}
	b := &builder{ir.NewBuilder(p)}
	for k, v := range f(b) {
		p.Outputs = append(p.Outputs, ir.IO{Location: uint32(k), Type: ir.I32})
		b.OpImm(ir.OpOutput, ir.Void, uint64(k), v)
	}
	b.Finish()
	if err := ir.Verify(p); err != nil {
		return nil, fmt.Errorf("positions: %w", err)
	}
	ir.Optimize(p)
	return p, nil
}

func (b *builder) input(slot int) ir.Value { return b.OpImm(ir.OpInput, ir.F32, uint64(slot)) }

// double is a binary32 as binary64.
func (b *builder) double(f ir.Value) wide {
	v := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideF2D), []ir.Value{f})
	return wide{v, b.OpImm(ir.OpResult, ir.I32, 1, v)}
}

// push is a binary64 of the push constants.
func (b *builder) push(at int) wide {
	word := func(at int) ir.Value { return b.Op(ir.OpLoadPush, ir.I32, b.I32(uint32(at))) }
	return wide{word(at), word(at + 4)}
}

func (b *builder) wide(op ir.WideOp, x, y wide) wide {
	v := b.OpMore(ir.OpWide, ir.I32, uint64(op), []ir.Value{x.lo, x.hi, y.lo, y.hi})
	return wide{v, b.OpImm(ir.OpResult, ir.I32, 1, v)}
}
