package texel

import (
	"errors"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Build returns the routine of a key, optimized: its inputs are those of Key.Operands, its outputs
// the components of the result and what Key.Leaves says; a Store has none. Resource 0 is the
// image's memory, the push constants are Params; of a key with Each, resource 0 has the memory of
// all images, and resource 1 their Params, one behind the other.
func Build(k *Key) (*ir.Program, error) {
	if !k.Lowered() {
		return nil, errors.New("texel: a key without a routine")
	}
	p := &ir.Program{Stage: ir.StageCompute, Name: "texel",
		Scattered: !k.Whole() && !k.Each, InOrder: k.Columns, WritesMemory: k.Writes(),
		PushBytes: 4 * ParamWords, LocalSize: [3]uint32{1, 1, 1},
		Resources: []ir.Resource{{Kind: ir.StorageBuffer, Count: 1, ReadOnly: !k.Writes()}}}
	info, _ := format.Lookup(k.Format)
	e := newOperation(&inputs{builder: builder{ir.NewBuilder(p), new(tables)}, k: k, info: info,
		rows: map[Operand]ir.Value{}, left: ir.NoValue})
	for i, o := range k.Operands() {
		t := e.typeOf(o)
		p.Inputs = append(p.Inputs, ir.IO{Location: uint32(i), Type: t})
		e.rows[o] = e.b.OpImm(ir.OpInput, t, uint64(i))
	}
	e.image = e.b.I32(0)
	if k.Each {
		p.PushBytes = 0
		p.Resources = []ir.Resource{{Kind: ir.StorageBuffer, Count: MaxEach, ReadOnly: true},
			{Kind: ir.UniformBuffer, Count: 1}}
		e.image, e.params = e.rows[Which], 1
		e.block = e.mul(e.image, e.int(4*ParamWords))
	}
	if k.Kind == Store {
		e.lv = e.only()
		e.store(e.address().at)
		return e.finish()
	}
	if k.Columns {
		e.loadTables()
	}
	texel := e.result()
	out := texel[:k.Results]
	if k.Into != vk.FormatUndefined {
		out = e.converted(texel)
	}
	for i, v := range out {
		p.Outputs = append(p.Outputs, ir.IO{Location: uint32(i), Type: e.b.P.Insts[v].Type})
		e.b.OpImm(ir.OpOutput, ir.Void, uint64(i), v)
	}
	if k.Leaves() {
		e.b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)), e.bits(e.left))
		p.Outputs = append(p.Outputs, ir.IO{Location: uint32(len(p.Outputs)), Type: ir.I32})
	}
	return e.finish()
}

// typeOf is the type of a row.
func (e *inputs) typeOf(o Operand) ir.Type {
	switch {
	case o >= First || o >= TexelR && e.k.Kind == Atomic:
		return ir.I32
	case o >= TexelR:
		return e.texelType()
	case e.k.Whole() || o >= Sample && o <= OffsetZ:
		return ir.I32
	}
	return ir.F32
}

// finish is the program that has been built.
func (e *builder) finish() (*ir.Program, error) {
	e.b.Finish()
	if err := ir.Verify(e.b.P); err != nil {
		return nil, err
	}
	ir.Optimize(e.b.P)
	return e.b.P, nil
}

// An operation is what a key makes of an image instruction: the specification's steps, each a type
// that sees no more than those it follows from.
type operation struct {
	*filter
	*encoder
}

func newOperation(in *inputs) *operation {
	d := &lod{coordinates: &coordinates{inputs: in}}
	return &operation{&filter{lod: d, decoder: &decoder{in}}, &encoder{in}}
}

// builder makes operations on words and on wide numbers, and parts of the program's table.
type builder struct {
	b *ir.Builder
	*tables
}

// tables is where parts of a program's table are, plus 1: sRGB codes, their sixths, edges of
// cubes. Routines inlined in one program share them.
type tables struct {
	srgbAt, fiveAt, sixAt, edgesAt uint32
	cubicAt                        [4]uint32 // by set of weights
}

// result is the texel of each lane, or the weighted sum of its texels, swizzled; of Atomic, what
// the texel was.
func (e *operation) result() (out [4]ir.Value) {
	var t [4]ir.Value
	e.lv = e.only()
	if e.k.Cube {
		e.toFace()
	}
	if e.k.far() && e.k.Offset {
		e.nearOffsets()
	}
	if !e.k.Whole() && !e.k.Columns && !e.k.Aniso {
		for d, s := range e.centre() {
			if d < int(e.k.Dims) {
				e.move(d, s)
			}
		}
	}
	switch e.k.Kind { // IMG-075
	case Fetch:
		t = e.fetched(e.address())
	case Nearest:
		t = e.nearest()
	case Linear:
		t = e.linear()
	case Gather:
		return e.gather()
	case Converted:
		t = conversion{e.coordinates}.throughYcbcr()
	case Atomic:
		return [4]ir.Value{e.atomic(e.address().at)}
	}
	for i, from := range e.k.Swizzle { // IMG-325, IMG-326, IMG-330
		out[i] = e.pick(t, from)
	}
	return out
}

// pick is a component of t, or a constant, as resource.SwizzleOf says.
//
// IMG-327, IMG-328
func (e *decoder) pick(t [4]ir.Value, from int8) ir.Value {
	switch {
	case from >= 0:
		return t[from]
	case from == resource.FromOne:
		return e.one()
	default:
		return e.int(0)
	}
}

// Short forms of the builder's methods.

func (e *builder) i(op ir.Op, args ...ir.Value) ir.Value { return e.b.Op(op, ir.I32, args...) }
func (e *builder) f(op ir.Op, args ...ir.Value) ir.Value { return e.b.Op(op, ir.F32, args...) }
func (e *builder) is(op ir.Op, args ...ir.Value) ir.Value {
	return e.b.Op(op, ir.Bool, args...)
}
func (e *builder) bits(v ir.Value) ir.Value   { return e.i(ir.OpBitcast, v) }
func (e *builder) int(x uint32) ir.Value      { return e.b.I32(x) }
func (e *builder) float(x float32) ir.Value   { return e.b.F32(x) }
func (e *builder) sum(a, b ir.Value) ir.Value { return e.i(ir.OpIAdd, a, b) }
func (e *builder) mul(a, b ir.Value) ir.Value { return e.i(ir.OpIMul, a, b) }
