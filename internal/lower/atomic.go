package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// texelPointer lowers OpImageTexelPointer and OpUntypedImageTexelPointerEXT, which says the type of the image.
func (c *compiler) texelPointer(in *spirv.Inst) {
	p, rest := (*pointer)(nil), in.Operands
	if in.Op == spirv.OpUntypedImageTexelPointerEXT {
		p, rest = c.accessed(in.ID(1), c.typ(in.ID(0))), rest[1:]
	} else {
		p = c.pointerTo(in.ID(0))
	}
	if p.space == spaceHeap {
		p = c.heapDescriptor(p)
	}
	if p.space != spaceHandle || p.arrayed || p.t.Kind != spirv.KindImage {
		c.fail("OpImageTexelPointer of what is not an image")
	}
	t := c.typ(in.Type)
	c.set(&value{p: &pointer{
		space: spaceTexel, ptrType: t, t: t.Elem, image: c.handleOf(p), dyn: ir.NoValue, elem: ir.NoValue,
		coord: c.typed(spirv.ID(rest[1]), -1, ir.I32), sample: c.intScalar(spirv.ID(rest[2])),
	}})
}

// atomic lowers the atomic instructions. Scopes and semantics need nothing:
// the engines make each atomic indivisible and keep program order.
func (c *compiler) atomic(in *spirv.Inst) {
	object := in.Type // what says the type of what an untyped pointer points to
	if in.Op == spirv.OpAtomicStore {
		object = c.m.Def(in.ID(3)).Type
	}
	p := c.accessed(in.ID(0), c.typ(object))
	var op ir.AtomicOp
	var args []ir.Value
	value := func(i int) ir.Value { return c.comps(in.ID(i), 1)[0] }
	t := elem(p.t)
	if k := t.Kind; k != spirv.KindInt && k != spirv.KindFloat || t != p.t || t.Width < 32 && (!isHalf(t) || p.space == spaceTexel) {
		c.fail("an atomic on %v", p.t)
	}
	like := ir.NoValue // says how wide a constant must be
	if isWide(t) {
		like = c.pair(ir.NoValue, ir.NoValue)
	}
	switch in.Op {
	case spirv.OpAtomicLoad:
		op = ir.AtomicLoad
	case spirv.OpAtomicStore:
		op, args = ir.AtomicStore, []ir.Value{value(3)}
	case spirv.OpAtomicExchange:
		op, args = ir.AtomicExchange, []ir.Value{value(3)}
	case spirv.OpAtomicCompareExchange:
		// Operands: pointer, scope, equal, unequal, value, comparator.
		op, args = ir.AtomicCompareExchange, []ir.Value{value(4), value(5)}
	case spirv.OpAtomicIIncrement:
		op, args = ir.AtomicAdd, []ir.Value{c.kint(like, 1)}
	case spirv.OpAtomicIDecrement:
		op, args = ir.AtomicAdd, []ir.Value{c.kint(like, -1)}
	case spirv.OpAtomicIAdd:
		op, args = ir.AtomicAdd, []ir.Value{value(3)}
	case spirv.OpAtomicISub:
		op, args = ir.AtomicAdd, []ir.Value{c.num(ir.OpINeg, ir.I32, value(3))}
	case spirv.OpAtomicSMin:
		op, args = ir.AtomicSMin, []ir.Value{value(3)}
	case spirv.OpAtomicUMin:
		op, args = ir.AtomicUMin, []ir.Value{value(3)}
	case spirv.OpAtomicSMax:
		op, args = ir.AtomicSMax, []ir.Value{value(3)}
	case spirv.OpAtomicUMax:
		op, args = ir.AtomicUMax, []ir.Value{value(3)}
	case spirv.OpAtomicAnd:
		op, args = ir.AtomicAnd, []ir.Value{value(3)}
	case spirv.OpAtomicOr:
		op, args = ir.AtomicOr, []ir.Value{value(3)}
	case spirv.OpAtomicFAddEXT:
		op, args = ir.AtomicFAdd, []ir.Value{value(3)}
	case spirv.OpAtomicFMinEXT:
		op, args = ir.AtomicFMin, []ir.Value{value(3)}
	case spirv.OpAtomicFMaxEXT:
		op, args = ir.AtomicFMax, []ir.Value{value(3)}
	default: // OpAtomicXor
		op, args = ir.AtomicXor, []ir.Value{value(3)}
	}
	ty := c.flat(t)[0]
	for _, a := range args {
		if isPair(a) != isWide(t) || c.irType(a) != ty {
			c.fail("an atomic's operand does not have type %v", p.t)
		}
	}
	if op == ir.AtomicFAdd || op == ir.AtomicFMin || op == ir.AtomicFMax {
		if c.control(t.Width).flush {
			op |= ir.AtomicFlush
		}
		if isHalf(t) {
			op |= ir.AtomicHalf
		}
	}
	if p.space == spaceBuffer {
		c.outside(p, c.refs(p), op != ir.AtomicLoad)
	}
	c.traceStore(p, op, nil, c.expand(args))
	if isHalf(t) && p.explicit() {
		v := c.halfAtomic(p, op, args)
		if in.Result != 0 {
			c.setScalars([]ir.Value{v})
		}
		return
	}
	v := c.emitAtomic(p, op, ty, args, isWide(t))
	if in.Result != 0 {
		c.setScalars([]ir.Value{v})
	}
}

// halfAtomic is emitAtomic on the two bytes of a binary16.
func (c *compiler) halfAtomic(p *pointer, op ir.AtomicOp, args []ir.Value) ir.Value {
	rt := ir.I32
	if op == ir.AtomicStore {
		rt = ir.Void
	}
	if op != ir.AtomicLoad {
		c.checkStore(p)
	}
	m, more := c.memOf(p, 0)
	m.Log, m.Atomic = 1, op
	for _, a := range args {
		more = append(more, c.halfBits(a))
	}
	v := c.b.OpMore(ir.OpAtomicMem, rt, m.Imm(), more)
	if rt == ir.Void {
		return v
	}
	return c.b.Op(ir.OpH2F, ir.F32, v)
}

func (c *compiler) emitAtomic(p *pointer, op ir.AtomicOp, t ir.Type, args []ir.Value, wide bool) ir.Value {
	if op != ir.AtomicLoad && p.space != spaceShared && !p.shared {
		c.p.WritesMemory = true
	}
	rt := t
	if op == ir.AtomicStore {
		rt = ir.Void
	}
	if p.space == spaceTexel {
		return c.atomicTexel(p, op, t, args, wide)
	}
	if wide || p.space == spaceAddress {
		if op != ir.AtomicLoad {
			c.checkStore(p)
		}
		m, more := c.memOf(p, 0)
		m.Log, m.Atomic = 2, op
		if wide {
			m.Log = 3
		}
		v := c.b.OpMore(ir.OpAtomicMem, rt, m.Imm(), append(more, c.expand(args)...))
		if rt == ir.Void || !wide {
			return v
		}
		return c.pair(v, c.b.OpImm(ir.OpResult, ir.I32, 1, v))
	}
	switch p.space {
	case spaceBuffer:
		if c.p.Resources[p.res].Kind != ir.StorageBuffer {
			c.fail("an atomic on a uniform buffer")
		}
		more := append([]ir.Value{p.elem, c.address(p, 0)}, args...)
		return c.b.OpMore(ir.OpAtomicBuffer, rt, ir.ResourceAndAtomic(p.res, op), more)
	case spaceShared:
		more := append([]ir.Value{c.address(p, 0)}, args...)
		return c.b.OpMore(ir.OpAtomicShared, rt, ir.ResourceAndAtomic(0, op), more)
	default:
		c.fail("unsupported: an atomic on a variable that is not shared")
		return ir.NoValue
	}
}

// atomicTexel emits an atomic on a texel.
func (c *compiler) atomicTexel(p *pointer, op ir.AtomicOp, t ir.Type, args []ir.Value, wide bool) ir.Value {
	u := c.begin(p.image, ir.ImageAtomic, false)
	u.op.Atomic = op
	n, _ := dims(u.op.Dim)
	if u.op.Arrayed && u.op.Dim != ir.DimCube {
		n++
	}
	if len(p.coord) < n {
		c.fail("%d coordinate components; the image takes %d", len(p.coord), n)
	}
	if wide != u.op.Wide {
		c.fail("an atomic on %v of an image of other texels", p.t)
	}
	u.op.Coords = n
	u.more = append(u.more, p.coord[:n]...)
	c.texelOutside(p.image, p.coord[0], op != ir.AtomicLoad)
	if u.op.MS {
		u.op.HasSample = true
		u.more = append(u.more, p.sample)
	}
	u.more = append(u.more, c.expand(args)...)
	switch {
	case op == ir.AtomicStore:
		c.finish(u, ir.Void, 0)
		return ir.NoValue
	case wide:
		v := c.finish(u, t, 2)
		return c.pair(v[0], v[1])
	}
	return c.finish(u, t, 1)[0]
}
