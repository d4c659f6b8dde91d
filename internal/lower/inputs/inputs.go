// Package inputs lowers the inputs of fragment shaders to programs for the engines:
// planes of a primitive at the centres of pixels or at a sample of each, and what they interpolate. The bits
// are those of the reference, raster.Setup and raster.Interpolate.
//
// A program works on places (exec.Place), the records of which hold a primitive's
// planes and values as Layout says.
package inputs

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Input says where an input of a shader comes from.
type Input uint8

const (
	// Word is one word of the record.
	Word Input = iota
	// Perspective and Linear are the value at the first vertex, and the differences
	// of those at the second and third to it, interpolated with or without
	// perspective.
	Perspective
	Linear
	// The components of FragCoord.
	CoordX
	CoordY
	CoordZ
	CoordW
	// The components of PointCoord.
	PointX
	PointY
	// The components of SamplePosition, where it is that of a grid.
	SampleX
	SampleY
	// Helper is a mask of the lanes of which no sample is covered, Mask the samples that are, from the number in the
	// record on.
	Helper
	Mask
)

// Where says where inputs are taken.
type Where struct {
	// Sample: at the place in the pixel that records have, and not at its centre.
	Sample bool
	// Grid: that place is one of a grid (fragops.InGrid).
	Grid bool
	// Samples is how many places have.
	Samples uint8
	// W and H are log2 of the extent of fragments in pixels: lanes are fragments.
	W, H uint8
}

// Layout is where a record has what, in bytes; 0 stands for nowhere.
type Layout struct {
	// Size is the record's.
	Size int
	// U and V are planes of raster.Setup; W is its plane, PairW that by which the pair is divided:
	// 1 where it is affine.
	U, V, PairW, W int
	// Scale are LinearU and LinearV, Provoking the pair where PairW is not positive.
	Scale, Provoking int
	// At is x and y in a pixel, or in each of a grid, subpixels, where inputs are taken; First the number of the first sample; Point what
	// PointCoord comes from.
	At, First, Point int
	// Values are the words of each input.
	Values []int
}

// Inputs is a program and the records that it takes. Its outputs are the inputs in their
// order, floats but for those that are a Word. Affine is the program for places whose
// primitives all are: they need no division.
type Inputs struct {
	Program, Affine *ir.Program
	Layout
}

// The reference point of planes stands first in each record, x and y in subpixels, and then the
// plane of depth: fragops.LowerPlacedDepth takes it from there.
const refX, refY, planeZ = 0, 4, 8

// DepthRecord is the size of what stands first.
const DepthRecord = 32

// Lower makes the program of a list.
//
// RAS-246, RAS-247, RAS-249, RAS-255 primsrast-polygons-basic, RAS-281, RAS-288
func Lower(list []Input, where Where) (*Inputs, error) {
	p := &Inputs{}
	for affine, to := range map[bool]**ir.Program{false: &p.Program, true: &p.Affine} {
		// Shaders make NaNs of what is interpolated canonical where they look at bits.
		program := &ir.Program{Name: "inputs", Stage: ir.StageFragment, AnyNaN: true}
		b := newBuilder(ir.NewBuilder(program), where, affine)
		for k, v := range b.all(list) {
			program.Outputs = append(program.Outputs, ir.IO{Location: uint32(k), Type: program.Insts[v].Type})
			b.OpImm(ir.OpOutput, ir.Void, uint64(k), v)
		}
		b.Finish()
		if err := ir.Verify(program); err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
		ir.Optimize(program)
		p.Layout, *to = *b.p, program
	}
	return p, nil
}

// Fuse makes of a fragment program one that works on places and makes its inputs itself: slots are
// those of a list, all that the program has. Records are those of Lower. With a tail that has
// attachments, it stores its outputs itself, too, and has none.
func Fuse(p *ir.Program, list []Input, slots []int, where Where, affine bool, tail *fragops.Tail) (*ir.Program, error) {
	values := make([]ir.Value, len(p.Inputs))
	outputs := make([]ir.VarID, len(p.Outputs))
	q := ir.Rewrite(p, func(b *ir.Builder, in *ir.Inst) ([]ir.Value, bool) {
		if in.Op == ir.OpOutput && tail.Count > 0 {
			b.Set(outputs[in.Imm], in.Args[0])
			return nil, true
		}
		if in.Op != ir.OpInput {
			return nil, false
		}
		v := values[in.Imm]
		switch t := b.P.Insts[v].Type; {
		case in.Type == ir.Bool:
			v = b.Op(ir.OpINe, ir.Bool, v, b.I32(0))
		case in.Type != t:
			v = b.Op(ir.OpBitcast, in.Type, v)
		}
		return []ir.Value{v}, true
	}, func(b *ir.Builder) {
		in := newBuilder(b, where, affine)
		for k, v := range in.all(list) {
			values[slots[k]] = v
		}
		if tail.Count == 0 {
			return
		}
		for slot, io := range p.Outputs {
			outputs[slot] = b.NewVar(io.Type, "output")
			b.Set(outputs[slot], tail.Initial(b, slot, func() ir.Value { return in.single(in.plane(planeZ)) }))
		}
	}, func(b *ir.Builder) {
		if tail.Count > 0 {
			tail.Lower(b, func(slot int) ir.Value { return b.Get(outputs[slot]) })
			b.P.Outputs = nil
		}
	})
	if err := ir.Verify(q); err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	ir.Optimize(q)
	return q, nil
}

func newBuilder(b *ir.Builder, where Where, affine bool) *builder {
	return &builder{Builder: b, where: where, p: &Layout{Size: DepthRecord}, affine: affine}
}

// all makes the values of a list.
func (b *builder) all(list []Input) (values []ir.Value) {
	for _, in := range list {
		values = append(values, b.input(in))
	}
	b.p.Size = (b.p.Size + 7) &^ 7
	return values
}

type builder struct {
	*ir.Builder
	where               Where
	p                   *Layout
	dx, dy              wide
	u, v                wide
	i, j                ir.Value // with perspective
	li, lj              ir.Value // without
	placed, affine      bool
	pair, persp, linear bool
}

// wide is a binary64: its words.
type wide struct{ lo, hi ir.Value }

// room is n bytes of the record.
func (b *builder) room(n int) int {
	if n >= 8 {
		b.p.Size = (b.p.Size + 7) &^ 7
	}
	at := b.p.Size
	b.p.Size += n
	return at
}

// once is the room of a plane.
func (b *builder) once(at *int) int {
	if *at == 0 {
		*at = b.room(24)
	}
	return *at
}

func (b *builder) record(t ir.Type, at int) ir.Value { return b.OpImm(ir.OpRecord, t, uint64(at)) }

// double is a binary64 of the record.
func (b *builder) double(at int) wide { return wide{b.record(ir.I32, at), b.record(ir.I32, at+4)} }

func (b *builder) wide(op ir.WideOp, args ...wide) wide {
	var list []ir.Value
	for _, a := range args {
		list = append(list, a.lo, a.hi)
	}
	v := b.OpMore(ir.OpWide, ir.I32, uint64(op), list)
	return wide{v, b.OpImm(ir.OpResult, ir.I32, 1, v)}
}

// number is a constant.
func (b *builder) number(x float64) wide {
	v := math.Float64bits(x)
	return wide{b.I32(uint32(v)), b.I32(uint32(v >> 32))}
}

// single rounds to binary32.
func (b *builder) single(x wide) ir.Value {
	return b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideD2F), []ir.Value{x.lo, x.hi})
}

// input makes the value of an input.
//
// RAS-249, RAS-281, RAS-287, RAS-288
func (b *builder) input(in Input) ir.Value {
	if in == Perspective || in == Linear {
		at := b.room(4)
		b.room(4)
		b.room(4)
		b.p.Values = append(b.p.Values, at)
		i, j := b.pairOf(in)
		v := b.Op(ir.OpFAdd, ir.F32, b.record(ir.F32, at), b.Op(ir.OpFMul, ir.F32, i, b.record(ir.F32, at+4)))
		return b.Op(ir.OpFAdd, ir.F32, v, b.Op(ir.OpFMul, ir.F32, j, b.record(ir.F32, at+8)))
	}
	b.p.Values = append(b.p.Values, 0)
	switch in {
	case CoordX, CoordY:
		if b.where.Sample || b.where.W|b.where.H != 0 { // exact
			return b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpS2F, ir.F32, b.position(int(in-CoordX))), b.F32(1./raster.Subpixels))
		}
		return b.Op(ir.OpFAdd, ir.F32, b.Op(ir.OpS2F, ir.F32, b.OpImm(ir.OpPixel, ir.I32, uint64(in-CoordX))), b.F32(0.5))
	case PointX, PointY:
		return b.pointCoord(int(in - PointX))
	case SampleX, SampleY: // RAS-119
		return b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpS2F, ir.F32, b.within(int(in-SampleX))), b.F32(1./raster.Subpixels))
	case Helper:
		return b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpIEq, ir.Bool, b.mask(), b.I32(0)))
	case Mask:
		if b.p.First == 0 {
			b.p.First = b.room(4)
		}
		return b.Op(ir.OpShl, ir.I32, b.mask(), b.record(ir.I32, b.p.First))
	case CoordZ:
		return b.single(b.plane(planeZ))
	case CoordW:
		return b.single(b.plane(b.once(&b.p.W)))
	}
	at := b.room(4)
	b.p.Values[len(b.p.Values)-1] = at
	return b.record(ir.I32, at)
}

// position is x (0) or y (1) of where inputs are taken, subpixels.
//
// RAS-150, RAS-283, RAS-285 shaders-interpolation-decorations
func (b *builder) position(axis int) ir.Value {
	log := uint32([2]uint8{b.where.W, b.where.H}[axis])
	in := b.I32(raster.Subpixels / 2 << log)
	if b.where.Sample {
		in = b.within(axis)
	}
	return b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpShl, ir.I32, b.OpImm(ir.OpPixel, ir.I32, uint64(axis)), b.I32(raster.SubpixelBits+log)), in)
}

// within is x (0) or y (1) of the place in the pixel that records have, subpixels.
func (b *builder) within(axis int) ir.Value {
	size := 8
	if b.where.Grid {
		size *= raster.GridSize * raster.GridSize
	}
	if b.p.At == 0 {
		b.p.At = b.room(size)
	}
	at := func(cell uint32) ir.Value { return b.record(ir.I32, b.p.At+8*int(cell)+4*axis) }
	if b.where.Grid {
		return fragops.InGrid(b.Builder, at)
	}
	return at(0)
}

// mask has a bit for each sample of a lane that is covered.
//
// RAS-290, RAS-302
func (b *builder) mask() ir.Value {
	m := b.I32(0)
	for s := range int(b.where.Samples) {
		m = b.Op(ir.OpOr, ir.I32, m, b.Op(ir.OpSelect, ir.I32, b.OpImm(ir.OpCovered, ir.Bool, uint64(s)), b.I32(1<<s), b.I32(0)))
	}
	return m
}

// pointCoord is a component of PointCoord: where in its square a point's pixel is, 0 for what is no point.
//
// RAS-191, RAS-192 primsrast-points
func (b *builder) pointCoord(axis int) ir.Value {
	if b.p.Point == 0 {
		b.p.Point = b.room(32)
	}
	v := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideS2D), []ir.Value{b.position(axis)})
	x := b.wide(ir.WideFMul, wide{v, b.OpImm(ir.OpResult, ir.I32, 1, v)}, b.number(1./raster.Subpixels))
	x = b.wide(ir.WideFSub, x, b.double(b.p.Point+8*axis))
	return b.single(b.wide(ir.WideFAdd, b.double(b.p.Point+24), b.wide(ir.WideFDiv, x, b.double(b.p.Point+16))))
}

// plane is a plane where inputs are taken: two fused operations.
//
// RAS-006, RAS-247, RAS-288, RAS-368
func (b *builder) plane(at int) wide {
	if !b.placed {
		b.placed = true
		delta := func(axis, ref int) wide {
			v := b.Op(ir.OpISub, ir.I32, b.position(axis), b.record(ir.I32, ref))
			d := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideS2D), []ir.Value{v})
			return wide{d, b.OpImm(ir.OpResult, ir.I32, 1, d)}
		}
		b.dx, b.dy = delta(0, refX), delta(1, refY)
	}
	row := b.wide(ir.WideFma, b.dy, b.double(at+16), b.double(at))
	return b.wide(ir.WideFma, b.dx, b.double(at+8), row)
}

// pairOf is the pair of an interpolation.
//
// RAS-246, RAS-247, RAS-255
func (b *builder) pairOf(in Input) (i, j ir.Value) {
	if !b.pair {
		b.pair = true
		b.p.U, b.p.V = b.room(24), b.room(24)
		b.u, b.v = b.plane(b.p.U), b.plane(b.p.V)
	}
	if in == Linear {
		if !b.linear {
			b.linear, b.p.Scale = true, b.room(16)
			b.li = b.single(b.wide(ir.WideFMul, b.u, b.double(b.p.Scale)))
			b.lj = b.single(b.wide(ir.WideFMul, b.v, b.double(b.p.Scale+8)))
		}
		return b.li, b.lj
	}
	if !b.persp {
		b.persp, b.p.PairW, b.p.Provoking = true, b.room(24), b.room(8)
		if b.affine {
			b.i, b.j = b.single(b.u), b.single(b.v)
			return b.i, b.j
		}
		w := b.plane(b.p.PairW)
		inverse := b.wide(ir.WideFDiv, b.number(1), w)
		inside := b.OpMore(ir.OpWide, ir.Bool, uint64(ir.WideFLt), []ir.Value{b.I32(0), b.I32(0), w.lo, w.hi})
		of := func(x wide, k int) ir.Value {
			return b.Op(ir.OpSelect, ir.F32, inside, b.single(b.wide(ir.WideFMul, x, inverse)), b.record(ir.F32, b.p.Provoking+4*k))
		}
		b.i, b.j = of(b.u, 0), of(b.v, 1)
	}
	return b.i, b.j
}

// Write makes what a record has of a primitive, but for the values of inputs. Those of
// what interpolates with planes of its own, as thin triangles and Bresenham lines do, are for
// raster.Setup to evaluate.
func (l *Layout) Write(record []byte, s *raster.Setup) {
	le := binary.LittleEndian
	WriteDepth(record, s)
	if l.U != 0 {
		writePlane(record[l.U:], &s.U)
		writePlane(record[l.V:], &s.V)
	}
	if l.W != 0 {
		writePlane(record[l.W:], &s.W)
	}
	if at := l.PairW; at != 0 {
		w := &s.W
		if s.Affine {
			w = &one
		}
		writePlane(record[at:], w)
		i, j := s.ProvokingPair()
		le.PutUint32(record[l.Provoking:], math.Float32bits(i))
		le.PutUint32(record[l.Provoking+4:], math.Float32bits(j))
	}
	if at := l.Point; at != 0 {
		of := [4]float64{0, 0, math.Inf(1), 0} // what is no point has 0
		if s.Kind == raster.KindPoint {
			of = [4]float64{s.Point[0], s.Point[1], s.Point[2], 0.5}
		}
		for i, v := range of {
			le.PutUint64(record[at+8*i:], math.Float64bits(v))
		}
	}
	if at := l.Scale; at != 0 {
		le.PutUint64(record[at:], math.Float64bits(s.LinearU))
		le.PutUint64(record[at+8:], math.Float64bits(s.LinearV))
	}
}

// WriteDepth makes the first DepthRecord bytes of a record: all that tests of depth need.
func WriteDepth(record []byte, s *raster.Setup) {
	binary.LittleEndian.PutUint32(record[refX:], uint32(s.RefX))
	binary.LittleEndian.PutUint32(record[refY:], uint32(s.RefY))
	writePlane(record[planeZ:], &s.Z)
}

func writePlane(record []byte, p *raster.Plane) {
	to := (*[24]byte)(record)
	binary.LittleEndian.PutUint64(to[0:], math.Float64bits(p.C))
	binary.LittleEndian.PutUint64(to[8:], math.Float64bits(p.GX))
	binary.LittleEndian.PutUint64(to[16:], math.Float64bits(p.GY))
}

// one is the plane that is 1 everywhere.
var one = raster.Plane{C: 1}
