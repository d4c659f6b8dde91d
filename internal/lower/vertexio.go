package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// arrayedInput says whether an input variable is an array over the vertices of
// the primitive or patch (interfaces-iointerfaces-matching).
func (c *compiler) arrayedInput(in *spirv.Inst) bool {
	switch c.p.Stage {
	case ir.StageControl, ir.StageEvaluation, ir.StageGeometry:
	default:
		return false
	}
	return c.typ(in.Type).Elem.Kind == spirv.KindArray && !c.ofPatch(in)
}

// ofPatch says whether an interface variable belongs to a patch.
func (c *compiler) ofPatch(in *spirv.Inst) bool {
	if _, ok := c.m.Decoration(in.Result, spirv.DecorationPatch); ok {
		return true
	}
	if d, ok := c.m.Decoration(in.Result, spirv.DecorationBuiltIn); ok && len(d) == 1 {
		b := spirv.BuiltIn(d[0])
		return b == spirv.BuiltInTessLevelOuter || b == spirv.BuiltInTessLevelInner
	}
	t := c.typ(in.Type).Elem
	for t.Kind == spirv.KindArray {
		t = t.Elem
	}
	if t.Kind != spirv.KindStruct || len(t.Members) == 0 {
		return false
	}
	_, ok := c.m.MemberDecoration(t.ID, 0, spirv.DecorationPatch) // of a block all members or none
	return ok
}

// vertexVariable makes the pointer of an input that is an array over vertices:
// its first index chooses the vertex.
func (c *compiler) vertexVariable(in *spirv.Inst) *pointer {
	t := c.typ(in.Type).Elem
	o := &object{name: c.m.Name(in.Result), flat: c.flat(t.Elem)}
	ios, narrow := c.interfaceOf(in, t.Elem, true)
	for i, io := range ios {
		o.inputs = append(o.inputs, inputSlot{io: io, narrow: narrow[i], value: ir.NoValue, index: -1})
	}
	return &pointer{space: spaceVertex, t: t, obj: o, arrayed: true, dyn: ir.NoValue, elem: ir.NoValue}
}

// vertexOf descends to a vertex of an input.
func (c *compiler) vertexOf(p *pointer, vertex ir.Value) {
	p.t, p.elem, p.arrayed = p.t.Elem, vertex, false
}

// loadVertices reads a whole input, vertex by vertex.
func (c *compiler) loadVertices(p *pointer) *value {
	v := &value{t: p.t}
	for k := range c.parts(p.t) {
		q := *p
		c.vertexOf(&q, c.b.I32(k))
		v.s = append(v.s, c.load(&q).s...)
	}
	return v
}

// loadVertex reads scalar k of an input at p's vertex.
func (c *compiler) loadVertex(p *pointer, k int) ir.Value {
	s := &p.obj.inputs[k]
	if s.index < 0 {
		s.index = len(c.p.VertexInputs)
		c.p.VertexInputs = append(c.p.VertexInputs, s.io)
	}
	v := c.b.OpImm(ir.OpLoadVertex, s.io.Type, uint64(s.index), p.elem)
	if s.narrow != nil {
		v = c.fit(v, s.narrow)
	}
	return v
}

// recordVariable makes the storage of an output that all invocations of a patch
// or workgroup share. Indices into it are clamped, so that none leaves it for
// what the next patch of the batch owns. Every vertex of a control shader's patch
// has its element, whatever length the array is declared with.
//
// interfaces-iointerfaces-matching
func (c *compiler) recordVariable(in *spirv.Inst) *pointer {
	t := c.typ(in.Type).Elem
	elem, count := t, uint32(1)
	if !c.ofPatch(in) {
		if t.Kind != spirv.KindArray {
			c.fail("output %q is no array over vertices or primitives", c.m.Name(in.Result))
		}
		elem, count = t.Elem, max(c.parts(t), c.p.Shape.PatchVertices)
	}
	ios, _ := c.interfaceOf(in, elem, false)
	size := uint64(len(c.flat(elem))) * uint64(count) * 4
	at := c.p.SharedBytes
	if uint64(at)+size > MaxSharedBytes {
		c.fail("more than %d bytes of outputs", MaxSharedBytes)
	}
	c.p.SharedBytes += uint32(size)
	stride := uint32(0)
	if elem != t {
		stride = 4 * uint32(len(ios))
	}
	for k, io := range ios {
		io.PerPrimitive = io.PerPrimitive || io.Builtin == ir.BuiltinPrimitiveIndices
		c.p.Records = append(c.p.Records, ir.SharedOutput{IO: io, Offset: at + 4*uint32(k), Stride: stride})
	}
	p := &pointer{space: spaceShared, t: t, off: at, dyn: c.groupBase(), elem: ir.NoValue, clamped: true}
	if elem != t {
		p.held = count
	}
	if init := c.initializer(in); init != 0 {
		c.b.Prelude(func() { c.store(p, c.get(init)) })
	}
	return p
}

// groupBase is where the shared memory of the lane's patch begins, NoValue
// where a batch holds one workgroup.
func (c *compiler) groupBase() ir.Value {
	if c.p.Stage != ir.StageControl {
		return ir.NoValue
	}
	if c.base == ir.NoValue {
		s := inputSlot{io: ir.IO{Builtin: ir.BuiltinGroupBase, Type: ir.I32, Interp: ir.Flat}, index: -1}
		c.b.Prelude(func() { c.base = c.b.OpImm(ir.OpInput, ir.I32, uint64(c.slot(&s))) })
	}
	return c.base
}
