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
	"slices"

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
	// Helper is a mask of the lanes of which no sample is covered. Mask has the samples that are,
	// from the number in the record on: those below 32, Upper the others.
	Helper
	Mask
	Upper
	// Whole is a row of masks, Given the first word of SampleMask as a row has it, behind which
	// come the others.
	Whole
	// Weight is a component of BaryCoord with perspective, LinearWeight one without: of the vertex
	// whose number among those of the planes the record has; 3 stands for none.
	Weight
	LinearWeight
	// The components of SamplePosition.
	SampleX
	SampleY
	Given
)

// MaskWords is how many words SampleMask has.
const MaskWords = 8

// Centroid is added to what is interpolated: where several samples share an invocation, it is
// taken where a row says.
const Centroid Input = 1 << 7

// Finding is what the rasterizer says of each lane: a row of the batch, behind those of a shader.
type Finding uint8

const (
	// Centroids are where inputs with Centroid are taken: x in the fragment, subpixels, and
	// y<<16.
	Centroids Finding = iota
	// Squares are masks of the pixels that are covered whole, Samples the first word of those that
	// SampleMask has.
	Squares
	Samples
	// Findings is how many there are.
	Findings = Samples + MaskWords
)

// Where says where inputs are taken.
type Where struct {
	// Sample: at the place in the pixel that records have, and not at its centre.
	Sample bool
	// Samples is how many places have, Of how many pixels have, or fragments of several.
	Samples uint8
	Of      uint16
	// Grid: locations of samples differ from pixel to pixel.
	Grid bool
	// At has a bit for each mode of OpInterpolateAt that the shader has: those run fused.
	At uint8
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
	// Scale are LinearU and LinearV, Provoking the pair where PairW is not positive, Runs those of
	// a Bresenham line.
	Scale, Provoking, Runs int
	// At is x and y in a pixel, subpixels, where inputs are taken, with a grid Cells of them; First
	// the number of the first sample; Point what PointCoord comes from. Locations are those of all
	// samples of a pixel, one or Cells of each.
	At, First, Point, Locations int
	// Values are the words of each input, Findings the rows of the batch that the program takes.
	Values   []int
	Findings []Finding
}

// Inputs is a program and the records that it takes, which those of all Planes do. Its outputs are
// the inputs in their order, floats but for those that are a Word.
type Inputs struct {
	Program *ir.Program
	Layout
}

// Planes are how a program takes those of primitives, each as those before, too.
type Planes uint8

const (
	// Affine ones need no division, as all corners have the same w.
	Affine Planes = iota
	// Divided ones are those of positions, Warped ones perhaps not (raster.Setup.Warped).
	Divided
	Warped
)

// PlanesOf is how those of a primitive are taken.
func PlanesOf(s *raster.Setup) Planes {
	switch {
	case s.Warped():
		return Warped
	case s.Affine:
		return Affine
	}
	return Divided
}

// The reference point of planes stands first in each record, x and y in subpixels, then the plane of
// depth, and how positions are warped: fragops.LowerDepth takes it from there.
const refX, refY, planeZ = 0, 4, 8

// DepthRecord is the size of what stands first.
const DepthRecord = fragops.WarpAt + fragops.WarpBytes

// Lower makes the program of a list.
//
// RAS-246, RAS-247, RAS-249, RAS-255 primsrast-polygons-basic, RAS-281, RAS-288
func Lower(list []Input, where Where, planes Planes) (*Inputs, error) {
	// Shaders make NaNs of what is interpolated canonical where they look at bits.
	program := &ir.Program{Name: "inputs", Stage: ir.StageFragment, AnyNaN: true}
	b := newBuilder(ir.NewBuilder(program), where, planes)
	values := b.all(list)
	b.addFindings()
	for k, v := range values {
		program.Outputs = append(program.Outputs, ir.IO{Location: uint32(k), Type: program.Insts[v].Type})
		b.OpImm(ir.OpOutput, ir.Void, uint64(k), v)
	}
	b.Finish()
	if err := ir.Verify(program); err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	ir.Optimize(program)
	return &Inputs{program, *b.p}, nil
}

// Fuse makes of a fragment program one that works on places and makes its inputs itself: slots are
// those of a list, all that the program has; rows come behind them. Records are those of Lower. With
// a tail that has attachments, it stores its outputs itself, too, and has none.
func Fuse(
	p *ir.Program, list []Input, slots []int, where Where, planes Planes, tail *fragops.Tail,
) (*ir.Program, error) {
	var x *builder
	values := make([]ir.Value, len(p.Inputs))
	outputs := make([]ir.VarID, len(p.Outputs))
	q := ir.Rewrite(p, func(b *ir.Builder, in *ir.Inst) ([]ir.Value, bool) {
		if in.Op == ir.OpOutput && tail.Count > 0 {
			b.Set(outputs[in.Imm], in.Args[0])
			return nil, true
		}
		if in.Op != ir.OpInput && in.Op != ir.OpInterpolateAt {
			return nil, false
		}
		v := values[uint32(in.Imm)]
		if in.Op == ir.OpInterpolateAt {
			k := slices.Index(slots, int(uint32(in.Imm)))
			v = x.interpolateAt(list[k], x.p.Values[k], in, v)
		}
		switch t := b.P.Insts[v].Type; {
		case in.Type == ir.Bool:
			v = b.Op(ir.OpINe, ir.Bool, v, b.I32(0))
		case in.Type != t:
			v = b.Op(ir.OpBitcast, in.Type, v)
		}
		return []ir.Value{v}, true
	}, func(b *ir.Builder) {
		x = newBuilder(b, where, planes)
		for k, v := range x.all(list) {
			values[slots[k]] = v
		}
		x.addFindings()
		if tail.Count == 0 {
			return
		}
		for slot, io := range p.Outputs {
			outputs[slot] = b.NewVar(io.Type, "output")
			depth := func() ir.Value { return x.single(x.plane(&x.here, planeZ)) }
			b.Set(outputs[slot], tail.Initial(b, slot, depth))
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

func newBuilder(b *ir.Builder, where Where, planes Planes) *builder {
	x := &builder{
		Builder: b, where: where, p: &Layout{Size: DepthRecord}, planes: planes,
		words: map[word]ir.Value{}, base: len(b.P.Inputs),
	}
	x.here.x, x.here.y = ir.NoValue, ir.NoValue
	return x
}

// addFindings declares the rows that the program takes.
func (b *builder) addFindings() {
	b.P.Inputs = slices.Clip(b.P.Inputs)
	for k := range b.p.Findings {
		io := ir.IO{Location: uint32(b.base + k), Type: ir.I32, Interp: ir.Flat}
		b.P.Inputs = append(b.P.Inputs, io)
	}
}

// all makes the values of a list.
func (b *builder) all(list []Input) (values []ir.Value) {
	for _, in := range list {
		values = append(values, b.input(in))
	}
	if b.where.At != 0 {
		b.prepareAt(list)
	}
	b.p.Size = (b.p.Size + 7) &^ 7
	return values
}

type builder struct {
	*ir.Builder
	where    Where
	p        *Layout
	here     spot
	centroid *spot
	samples  []ir.Value // see locations
	planes   Planes
	// base is the first of Findings among inputs; words has what was asked for of records, rows and
	// pixels.
	base  int
	words map[word]ir.Value
}

// word is an operation without operands.
type word struct {
	op  ir.Op
	t   ir.Type
	imm int
}

// once is such an operation, the first time that it is asked for.
func (b *builder) once(op ir.Op, t ir.Type, imm int) ir.Value {
	k := word{op, t, imm}
	v, ok := b.words[k]
	if !ok {
		v = b.OpImm(op, t, uint64(imm))
		b.words[k] = v
	}
	return v
}

// spot is where inputs are taken, subpixels, and what is known of planes there.
type spot struct {
	x, y   ir.Value
	delta  []wide // from the point of reference
	run    []wide // and that of the pair
	u, v   *wide
	linear []ir.Value // the pair without perspective
	persp  []ir.Value // and with
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

// kept is the room of n bytes, made when they are first asked for.
func (b *builder) kept(at *int, n int) int {
	if *at == 0 {
		*at = b.room(n)
	}
	return *at
}

func (b *builder) record(t ir.Type, at int) ir.Value { return b.once(ir.OpRecord, t, at) }

// finding is a word of a row.
func (b *builder) finding(f Finding) ir.Value {
	k := slices.Index(b.p.Findings, f)
	if k < 0 {
		k = len(b.p.Findings)
		b.p.Findings = append(b.p.Findings, f)
	}
	return b.once(ir.OpInput, ir.I32, b.base+k)
}

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

// Interpolated is the input of a shader that is interpolated in such a way: a component of
// BaryCoord, or what vertices have.
//
// RAS-287 shaders-interpolation-decorations
func Interpolated(how ir.Interpolation, where ir.Auxiliary, weight bool) (in Input) {
	switch linear := how == ir.Linear; {
	case weight && linear:
		in = LinearWeight
	case weight:
		in = Weight
	case linear:
		in = Linear
	default:
		in = Perspective
	}
	if where == ir.AtCentroid {
		in |= Centroid
	}
	return in
}

// interpolated says that an input is taken from planes and words of vertices.
func (in Input) interpolated() bool {
	in &^= Centroid
	return in == Perspective || in == Linear || in == Weight || in == LinearWeight
}

// input makes the value of an input.
//
// RAS-119, RAS-281, RAS-287, RAS-288
func (b *builder) input(in Input) ir.Value {
	if in.interpolated() {
		at := b.room(4)
		if kind := in &^ Centroid; kind == Perspective || kind == Linear {
			b.room(4)
			b.room(4)
		}
		b.p.Values = append(b.p.Values, at)
		return b.interpolate(in, at, b.spotOf(in))
	}
	b.p.Values = append(b.p.Values, 0)
	if Given <= in && in < Given+MaskWords {
		return b.finding(Samples + Finding(in-Given))
	}
	switch in {
	case CoordX, CoordY:
		if b.where.Sample || b.where.W|b.where.H != 0 { // exact
			return b.pixels(b.position(int(in - CoordX)))
		}
		x := b.Op(ir.OpS2F, ir.F32, b.once(ir.OpPixel, ir.I32, int(in-CoordX)))
		return b.Op(ir.OpFAdd, ir.F32, x, b.F32(0.5))
	case SampleX, SampleY: // exact
		return b.pixels(b.within(int(in - SampleX)))
	case PointX, PointY:
		return b.pointCoord(int(in - PointX))
	case Helper:
		m := b.mask()
		any := b.Op(ir.OpOr, ir.I32, m.lo, m.hi)
		return b.Op(ir.OpBitcast, ir.I32, b.Op(ir.OpIEq, ir.Bool, any, b.I32(0)))
	case Mask, Upper:
		first := b.record(ir.I32, b.kept(&b.p.First, 4))
		if b.where.Of <= 32 {
			return b.Op(ir.OpShl, ir.I32, b.mask().lo, first)
		}
		m := b.mask()
		lo := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideShl), []ir.Value{m.lo, m.hi, first})
		if in == Upper {
			return b.OpImm(ir.OpResult, ir.I32, 1, lo)
		}
		return lo
	case Whole:
		return b.finding(Squares)
	case CoordZ:
		return b.single(b.plane(&b.here, planeZ))
	case CoordW:
		return b.single(b.plane(&b.here, b.kept(&b.p.W, 24)))
	}
	at := b.room(4)
	b.p.Values[len(b.p.Values)-1] = at
	return b.record(ir.I32, at)
}

// interpolate is an input that is, whose words a record has.
//
// RAS-184, RAS-185, RAS-249
func (b *builder) interpolate(in Input, at int, where *spot) ir.Value {
	pair := b.pairOf(in, where)
	if in&^Centroid == Perspective || in&^Centroid == Linear {
		v := b.record(ir.F32, at)
		for k, x := range pair {
			part := b.Op(ir.OpFMul, ir.F32, x, b.record(ir.F32, at+4*(k+1)))
			v = b.Op(ir.OpFAdd, ir.F32, v, part)
		}
		return v
	}
	v := b.Op(ir.OpFSub, ir.F32, b.Op(ir.OpFSub, ir.F32, b.F32(1), pair[0]), pair[1])
	for k, other := range []ir.Value{pair[0], pair[1], b.F32(0)} {
		is := b.Op(ir.OpIEq, ir.Bool, b.record(ir.I32, at), b.I32(uint32(k+1)))
		v = b.Op(ir.OpSelect, ir.F32, is, other, v)
	}
	return v
}

// pixels is a distance in subpixels in pixels.
func (b *builder) pixels(v ir.Value) ir.Value {
	return b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpS2F, ir.F32, v), b.F32(1./raster.Subpixels))
}

// spotOf is where an input is taken.
//
// RAS-281
func (b *builder) spotOf(in Input) *spot {
	if in&Centroid == 0 || b.where.Samples == 1 && (b.where.Sample || b.where.W|b.where.H == 0) {
		return &b.here
	}
	if b.centroid == nil {
		v := b.finding(Centroids)
		b.centroid = b.spotAt(v)
	}
	return b.centroid
}

// spotAt is the spot at x | y<<16 in a fragment, subpixels.
func (b *builder) spotAt(packed ir.Value) *spot {
	return &spot{
		x: b.Op(ir.OpIAdd, ir.I32, b.corner(0), half(b, packed, 0)),
		y: b.Op(ir.OpIAdd, ir.I32, b.corner(1), half(b, packed, 1)),
	}
}

// half is x (0) or y (1) of x | y<<16.
func half(b *builder, packed ir.Value, axis int) ir.Value {
	if axis == 0 {
		return b.Op(ir.OpAnd, ir.I32, packed, b.I32(math.MaxUint16))
	}
	return b.Op(ir.OpShrU, ir.I32, packed, b.I32(16))
}

// corner is x (0) or y (1) of where a fragment begins, subpixels: lanes lie as far apart.
//
// RAS-295
func (b *builder) corner(axis int) ir.Value {
	log := uint32([2]uint8{b.where.W, b.where.H}[axis])
	return b.Op(ir.OpShl, ir.I32, b.once(ir.OpPixel, ir.I32, axis), b.I32(raster.SubpixelBits+log))
}

// within is x (0) or y (1) of where in a fragment inputs are taken, subpixels.
//
// RAS-150, RAS-283, RAS-285 shaders-interpolation-decorations
func (b *builder) within(axis int) ir.Value {
	switch log := [2]uint8{b.where.W, b.where.H}[axis]; {
	case !b.where.Sample:
		return b.I32(raster.Subpixels / 2 << log)
	case b.where.Grid:
		return half(b, b.cell(b.kept(&b.p.At, 4*Cells)), axis)
	}
	return b.record(ir.I32, b.kept(&b.p.At, 8)+4*axis)
}

// Cells is how many pixels a grid has: that of pixel (x, y) is y%4*4 + x%4.
const Cells = raster.GridSize * raster.GridSize

// cell is that of so many words of a record that belongs to a lane's pixel.
func (b *builder) cell(at int) ir.Value {
	return fragops.InGrid(b.Builder, func(cell uint32) ir.Value { return b.record(ir.I32, at+4*int(cell)) })
}

// position is x (0) or y (1) of where inputs are taken, subpixels.
func (b *builder) position(axis int) ir.Value {
	to := &b.here.x
	if axis == 1 {
		to = &b.here.y
	}
	if *to == ir.NoValue {
		*to = b.Op(ir.OpIAdd, ir.I32, b.corner(axis), b.within(axis))
	}
	return *to
}

// mask has a bit for each sample of a lane that is covered.
//
// RAS-290, RAS-302
func (b *builder) mask() wide {
	m := [2]ir.Value{b.I32(0), b.I32(0)}
	for s := range int(b.where.Samples) {
		on := b.OpImm(ir.OpCovered, ir.Bool, uint64(s))
		bit := b.Op(ir.OpSelect, ir.I32, on, b.I32(1<<(s%32)), b.I32(0))
		m[s/32] = b.Op(ir.OpOr, ir.I32, m[s/32], bit)
	}
	return wide{m[0], m[1]}
}

// pointCoord is a component of PointCoord: where in its square a point's pixel is, 0 for what is no point.
//
// RAS-191, RAS-192 primsrast-points
func (b *builder) pointCoord(axis int) ir.Value {
	b.kept(&b.p.Point, 32)
	x := b.extended(ir.WideS2D, b.position(axis))
	x = b.wide(ir.WideFMul, x, b.number(1./raster.Subpixels))
	x = b.wide(ir.WideFSub, x, b.double(b.p.Point+8*axis))
	return b.single(b.wide(ir.WideFAdd, b.double(b.p.Point+24), b.wide(ir.WideFDiv, x, b.double(b.p.Point+16))))
}

// plane is a plane at a spot: two fused operations.
//
// RAS-006, RAS-247, RAS-288, RAS-368
func (b *builder) plane(where *spot, at int) wide {
	if where.delta == nil {
		if where == &b.here {
			b.position(0)
			b.position(1)
		}
		at := [2]ir.Value{where.x, where.y}
		if b.planes == Warped {
			at = fragops.Snap(b.Builder, b.record, at)
		}
		where.delta = b.from(at)
	}
	return b.planeAt(where.delta, at)
}

// from is the distance of a position from the point of reference, as planes take it.
func (b *builder) from(at [2]ir.Value) (delta []wide) {
	for axis, v := range at {
		at[axis] = b.Op(ir.OpISub, ir.I32, v, b.record(ir.I32, refX+4*axis))
	}
	if b.planes == Warped {
		for _, d := range fragops.Unwarp(b.Builder, b.record, at) {
			delta = append(delta, wide{d[0], d[1]})
		}
		return delta
	}
	for _, v := range at {
		delta = append(delta, b.extended(ir.WideS2D, v))
	}
	return delta
}

// extended is a number made of one of 32 bits.
func (b *builder) extended(op ir.WideOp, v ir.Value) wide {
	d := b.OpMore(ir.OpWide, ir.I32, uint64(op), []ir.Value{v})
	return wide{d, b.OpImm(ir.OpResult, ir.I32, 1, d)}
}

// planeAt is a plane at a distance from the point of reference.
func (b *builder) planeAt(delta []wide, at int) wide {
	row := b.wide(ir.WideFma, delta[1], b.double(at+16), b.double(at))
	return b.wide(ir.WideFma, delta[0], b.double(at+8), row)
}

// pairPlane is one of the planes of the pair: of Bresenham lines it is taken where the run of the
// pixel starts.
//
// RAS-218 primsrast-lines-bresenham
func (b *builder) pairPlane(where *spot, at int) wide {
	if b.planes != Warped {
		return b.plane(where, at)
	}
	if where.run == nil {
		if where == &b.here {
			b.position(0)
			b.position(1)
		}
		where.run = b.from(b.runOf(fragops.Snap(b.Builder, b.record, [2]ir.Value{where.x, where.y})))
	}
	return b.planeAt(where.run, at)
}

// The words of Layout.Runs: those of raster.Runs in their order.
const (
	runStart, runSlope, runScale = 0, 8, 16

	runLo, runHi, runFirst, runLast, runShift = 24, 28, 32, 36, 40

	runXMajor, runBytes = 44, 48
)

// runOf is where the run of a pixel starts whose centre is given; what is no Bresenham line, and
// pixels without a run, have themselves.
func (b *builder) runOf(at [2]ir.Value) [2]ir.Value {
	word := func(i int) ir.Value { return b.record(ir.I32, b.p.Runs+i) }
	and := func(x, y ir.Value) ir.Value { return b.Op(ir.OpAnd, ir.Bool, x, y) }
	xMajor := b.Op(ir.OpINe, ir.Bool, word(runXMajor), b.I32(0))
	c := b.Op(ir.OpSelect, ir.I32, xMajor, at[0], at[1])
	between := and(b.Op(ir.OpSLe, ir.Bool, word(runLo), c), b.Op(ir.OpSLt, ir.Bool, c, word(runHi)))
	first := b.Op(ir.OpIEq, ir.Bool, c, word(runFirst))

	long := wide{c, b.Op(ir.OpShrS, ir.I32, c, b.I32(31))}
	n := b.wide(ir.WideIMul, long, b.double(b.p.Runs+runSlope))
	n = b.wide(ir.WideIAdd, n, b.double(b.p.Runs+runStart))
	n = b.wide(ir.WideUDiv, n, b.double(b.p.Runs+runScale))
	v := b.Op(ir.OpISub, ir.I32, n.lo, b.I32(raster.RunBias))
	v = b.Op(ir.OpShl, ir.I32, v, b.I32(raster.SubpixelBits))
	v = b.Op(ir.OpIAdd, ir.I32, v, word(runShift))

	is := and(fragops.Bresenham(b.Builder, b.record), b.Op(ir.OpOr, ir.Bool, between, first))
	is = and(is, b.Op(ir.OpINe, ir.Bool, c, word(runLast)))
	for axis := range at {
		minor := xMajor
		if axis == 0 {
			minor = b.Op(ir.OpNot, ir.Bool, xMajor)
		}
		at[axis] = b.Op(ir.OpSelect, ir.I32, and(is, minor), v, at[axis])
	}
	return at
}

// pairOf is the pair of an interpolation at a spot.
//
// RAS-246, RAS-247, RAS-255
func (b *builder) pairOf(in Input, where *spot) []ir.Value {
	if where.u == nil {
		b.kept(&b.p.U, 24)
		b.kept(&b.p.V, 24)
		b.kept(&b.p.Runs, runBytes)
		u, v := b.pairPlane(where, b.p.U), b.pairPlane(where, b.p.V)
		where.u, where.v = &u, &v
	}
	if in &^= Centroid; in == Linear || in == LinearWeight {
		if where.linear == nil {
			scale := b.kept(&b.p.Scale, 16)
			where.linear = []ir.Value{
				b.single(b.wide(ir.WideFMul, *where.u, b.double(scale))),
				b.single(b.wide(ir.WideFMul, *where.v, b.double(scale+8))),
			}
		}
		return where.linear
	}
	if where.persp != nil {
		return where.persp
	}
	b.kept(&b.p.PairW, 24)
	b.kept(&b.p.Provoking, 8)
	if b.planes == Affine {
		where.persp = []ir.Value{b.single(*where.u), b.single(*where.v)}
		return where.persp
	}
	w := b.pairPlane(where, b.p.PairW)
	inverse := b.wide(ir.WideFDiv, b.number(1), w)
	zero := b.number(0)
	positive := []ir.Value{zero.lo, zero.hi, w.lo, w.hi}
	inside := b.OpMore(ir.OpWide, ir.Bool, uint64(ir.WideFLt), positive)
	for k, x := range []*wide{where.u, where.v} {
		v := b.single(b.wide(ir.WideFMul, *x, inverse))
		v = b.Op(ir.OpSelect, ir.F32, inside, v, b.record(ir.F32, b.p.Provoking+4*k))
		where.persp = append(where.persp, v)
	}
	return where.persp
}

// Write makes what a record has of a primitive, but for the values of inputs.
func (l *Layout) Write(record []byte, s *raster.Setup) {
	le := binary.LittleEndian
	WriteDepth(record, s)
	if l.U != 0 {
		writePlane(record[l.U:], &s.U)
		writePlane(record[l.V:], &s.V)
		if s.Kind == raster.KindBresenham {
			writeRuns(record[l.Runs:][:runBytes], s.Runs())
		}
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
	fragops.WriteWarp(record, s)
}

func writeRuns(record []byte, r raster.Runs) {
	le := binary.LittleEndian
	for i, v := range [3]int64{r.Start, r.Slope, r.Scale} {
		le.PutUint64(record[runStart+8*i:], uint64(v))
	}
	for i, v := range [5]int32{r.Lo, r.Hi, r.First, r.Last, r.Shift} {
		le.PutUint32(record[runLo+4*i:], uint32(v))
	}
	xMajor := uint32(0)
	if r.XMajor {
		xMajor = 1
	}
	le.PutUint32(record[runXMajor:], xMajor)
}

func writePlane(record []byte, p *raster.Plane) {
	to := (*[24]byte)(record)
	binary.LittleEndian.PutUint64(to[0:], math.Float64bits(p.C))
	binary.LittleEndian.PutUint64(to[8:], math.Float64bits(p.GX))
	binary.LittleEndian.PutUint64(to[16:], math.Float64bits(p.GY))
}

// one is the plane that is 1 everywhere.
var one = raster.Plane{C: 1}
