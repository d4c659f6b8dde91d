package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// emissions is what a geometry shader's emissions share.
type emissions struct {
	count  ir.VarID                // vertices emitted so far
	joined [ir.MaxStreams]ir.VarID // EmitJoined while a strip goes on
	first  []int                   // Emits slot of the first scalar of each output
}

// prepareEmits makes all outputs of a geometry shader: a vertex takes what each
// holds when it is emitted.
func (c *compiler) prepareEmits() {
	if c.p.Stage != ir.StageGeometry {
		return
	}
	for _, id := range c.ep.Interface {
		in := c.m.Def(id)
		if in != nil && in.Op == spirv.OpVariable && len(in.Operands) > 0 && spirv.StorageClass(in.Operands[0]) == spirv.StorageClassOutput {
			c.global(id)
		}
	}
	e := &c.emits
	c.p.Emits = append(c.p.Emits, ir.IO{Builtin: ir.BuiltinEmitMark, Type: ir.I32})
	for _, out := range c.outputs {
		e.first = append(e.first, len(c.p.Emits))
		c.p.Emits = append(c.p.Emits, out.ios...)
	}
	if n := uint64(len(c.p.Emits)) * uint64(c.p.Shape.MaxVertices); n > MaxGeometryComponents*2 {
		c.fail("%d vertices of %d components; %d components in all are supported", c.p.Shape.MaxVertices, len(c.p.Emits)-1, MaxGeometryComponents)
	}
	e.count = c.b.NewVar(ir.I32, "emitted")
	for i := range e.joined {
		e.joined[i] = c.b.NewVar(ir.I32, "joined")
	}
}

// streamOf is the stream of an emission.
func (c *compiler) streamOf(in *spirv.Inst) uint32 {
	if c.p.Stage != ir.StageGeometry {
		c.fail("%v outside a geometry shader", in.Op)
	}
	if in.Op == spirv.OpEmitVertex || in.Op == spirv.OpEndPrimitive {
		return 0
	}
	s := c.constScalar(in.ID(0))
	if s >= ir.MaxStreams {
		c.fail("stream %d; %d are supported", s, ir.MaxStreams)
	}
	return s
}

// emitVertex writes the outputs of the stream as its next vertex.
func (c *compiler) emitVertex(in *spirv.Inst) {
	b, e, stream := c.b, &c.emits, c.streamOf(in)
	n := b.Get(e.count)
	emit := func(slot int, v ir.Value) { b.OpImm(ir.OpEmit, ir.Void, uint64(slot), n, v) }
	emit(0, b.Op(ir.OpOr, ir.I32, b.Get(e.joined[stream]), b.I32(stream)))
	for i, first := range e.first {
		out := c.outputs[i]
		for k, r := range c.refs(out.p) {
			if uint32(out.ios[k].Stream) == stream {
				emit(first+k, c.outputScalar(out, k, r))
			}
		}
	}
	b.Set(e.count, b.Op(ir.OpIAdd, ir.I32, n, b.I32(1)))
	b.Set(e.joined[stream], b.I32(ir.EmitJoined))
}

// endPrimitive ends the strip of the stream.
func (c *compiler) endPrimitive(in *spirv.Inst) {
	c.b.Set(c.emits.joined[c.streamOf(in)], c.b.I32(0))
}

// finishEmits writes how many vertices there are and takes out the scalars that
// nothing ever stores to.
func (c *compiler) finishEmits() {
	b, e := c.b, &c.emits
	n := b.Op(ir.OpUMin, ir.I32, b.Get(e.count), b.I32(c.p.Shape.MaxVertices))
	b.OpImm(ir.OpOutput, ir.Void, 0, n)
	c.p.Outputs = append(c.p.Outputs, ir.IO{Builtin: ir.BuiltinEmitCount, Type: ir.I32})
	place := make([]int, len(c.p.Emits)) // 0: dropped, but for the mark
	kept := c.p.Emits[:1]
	for i, first := range e.first {
		for k, stored := range c.outputs[i].stored {
			if stored {
				place[first+k] = len(kept)
				kept = append(kept, c.p.Emits[first+k])
			}
		}
	}
	c.p.Emits = kept
	for i := range c.p.Insts {
		in := &c.p.Insts[i]
		if in.Op != ir.OpEmit || in.Imm == 0 {
			continue
		}
		if to := place[in.Imm]; to != 0 {
			in.Imm = uint64(to)
		} else {
			*in = ir.Inst{Op: ir.OpNop, Args: [3]ir.Value{ir.NoValue, ir.NoValue, ir.NoValue}}
		}
	}
}
