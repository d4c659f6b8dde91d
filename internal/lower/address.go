package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Pointers that are values. A pointer to a physical storage buffer, to a
// storage buffer or to workgroup memory is two words wherever it must be one:
// in variables, memory, joins and selections. ir.PointerTag says how the second
// word tells them apart. Everywhere else lowering follows pointers statically,
// and the accesses stay plain.

// isAddress reports whether pointers of a type can be two words.
func isAddress(t *spirv.Type) bool {
	if t.Kind != spirv.KindPointer {
		return false
	}
	switch t.Storage {
	case spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassStorageBuffer, spirv.StorageClassWorkgroup:
		return true
	default:
		return false
	}
}

// pointerWords makes the two words of a pointer.
func (c *compiler) pointerWords(v *value) []ir.Value {
	p, b := v.p, c.b
	if p.arrayed {
		c.fail("a pointer to a descriptor array as a value")
	}
	switch p.space {
	case spaceAddress:
		q := c.settle(p)
		if q.off == 0 {
			return []ir.Value{q.lo, q.hi}
		}
		return c.advance(q, b.I32(q.off))
	case spaceBuffer:
		if p.res > ir.PointerMaxResource {
			c.fail("variable pointers into more than %d resources", ir.PointerMaxResource)
		}
		element := b.Op(ir.OpUMin, ir.I32, p.elem, b.I32(ir.PointerMaxElement))
		tag := b.I32(ir.PointerTag | uint32(p.res)<<ir.PointerResourceShift)
		return []ir.Value{c.address(p, 0), b.Op(ir.OpOr, ir.I32, tag, element)}
	case spaceShared:
		return []ir.Value{c.address(p, 0), b.I32(ir.PointerShared)}
	default:
		c.fail("unsupported: a pointer of this storage class as a value (%v)", v.t)
		return nil
	}
}

// pointerFrom makes a pointer of type t of two words.
func (c *compiler) pointerFrom(t *spirv.Type, s []ir.Value) *pointer {
	p := &pointer{space: spaceAddress, ptrType: t, t: t.Elem, dyn: ir.NoValue, elem: ir.NoValue, lo: s[0], hi: s[1]}
	if !t.Untyped {
		p.compStride = componentBytes(t.Elem)
	}
	p.physical = t.Storage == spirv.StorageClassPhysicalStorageBuffer && !c.mixed
	p.mixed = t.Storage == spirv.StorageClassPhysicalStorageBuffer && c.mixed
	p.shared = t.Storage == spirv.StorageClassWorkgroup
	p.laid = !p.shared || c.declares(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR)
	return p
}

// settle adds the dynamic part to the words.
func (c *compiler) settle(p *pointer) *pointer {
	if p.space != spaceAddress || p.dyn == ir.NoValue {
		return p
	}
	q := *p
	q.dyn, q.step = ir.NoValue, 0
	w := c.advance(p, p.dyn)
	q.lo, q.hi = w[0], w[1]
	return &q
}

// advance adds a signed number of bytes to the words of a pointer. Offsets into
// descriptors wrap in their own word, so that no index reaches another
// descriptor.
func (c *compiler) advance(p *pointer, by ir.Value) []ir.Value {
	lo := []ir.Value{c.b.Op(ir.OpIAdd, ir.I32, p.lo, by), p.hi}
	if !p.physical && !p.mixed {
		return lo
	}
	d := c.toWide(by, true)
	wide := c.wideOp(ir.WideIAdd, p.lo, p.hi, d[0], d[1])
	if p.mixed {
		tagged := c.b.Op(ir.OpSLt, ir.Bool, p.hi, c.b.I32(0))
		wide[1] = c.b.Op(ir.OpSelect, ir.I32, tagged, p.hi, wide[1])
	}
	return wide
}

// ptrAccessChain lowers OpPtrAccessChain: the first index steps over whole
// pointees.
func (c *compiler) ptrAccessChain(in *spirv.Inst) {
	p := *c.pointerTo(in.ID(0))
	c.stepOver(&p, in.ID(0), in.ID(1))
	for _, k := range in.Operands[2:] {
		c.step(&p, spirv.ID(k))
	}
	p.ptrType = c.typ(in.Type)
	if p.ptrType.Kind != spirv.KindPointer || p.ptrType.Elem.ID != p.t.ID {
		c.fail("the chain ends at %v, not at its result type %v", p.t, p.ptrType)
	}
	c.set(&value{p: &p})
}

// stepOver moves a pointer, the value of an <id>, by so many pointees.
func (c *compiler) stepOver(p *pointer, id, index spirv.ID) {
	stride := c.pointeeStride(p, c.typ(c.m.Def(id).Type))
	if c.indices64(p) {
		c.stepWide(p, index, stride)
		return
	}
	by := c.b.Op(ir.OpIMul, ir.I32, c.intScalar(index), c.b.I32(stride))
	if p.dyn == ir.NoValue {
		p.dyn, p.step = by, stride
		return
	}
	p.dyn, p.step = c.b.Op(ir.OpIAdd, ir.I32, p.dyn, by), gcd(p.step, stride)
}

// pointeeStride is the distance of pointees of pointer type t in an array.
func (c *compiler) pointeeStride(p *pointer, t *spirv.Type) uint32 {
	switch p.space {
	case spaceBuffer, spaceShared, spaceAddress:
	default:
		c.fail("unsupported: pointer arithmetic in this storage class")
	}
	if !p.explicit() { // what decorations say is for memory that is laid out
		return uint32(len(c.flat(p.t))) * p.unit()
	}
	d, ok := c.m.Decoration(t.ID, spirv.DecorationArrayStride)
	if !ok || len(d) != 1 || d[0] == 0 {
		c.fail("the pointer type has no ArrayStride")
	}
	return d[0]
}

// elementStride is the distance of the elements that OpPtrDiff of two pointers counts: bytes
// where their type is untyped. A type needs an ArrayStride for OpPtrAccessChain but not for this: where it
// has none, a chain that ends in the array tells.
func (c *compiler) elementStride(x, y spirv.ID) uint32 {
	p, q, t := c.pointerTo(x), c.pointerTo(y), c.typ(c.m.Def(x).Type)
	switch _, ok := c.m.Decoration(t.ID, spirv.DecorationArrayStride); {
	case t.Untyped:
		return 1
	case ok:
	case p.array != 0:
		return p.array
	case q.array != 0:
		return q.array
	}
	return c.pointeeStride(p, t)
}

// comparePointers lowers OpPtrEqual, OpPtrNotEqual and OpPtrDiff.
func (c *compiler) comparePointers(in *spirv.Inst) {
	b := c.b
	x, y := c.scalars(in.ID(0), 2), c.scalars(in.ID(1), 2)
	if in.Op == spirv.OpPtrDiff {
		stride := c.elementStride(in.ID(0), in.ID(1))
		n := b.Op(ir.OpSDiv, ir.I32, b.Op(ir.OpISub, ir.I32, x[0], y[0]), b.I32(stride))
		c.setScalars([]ir.Value{c.convertInt(n, &spirv.Type{Kind: spirv.KindInt, Width: 32}, c.typ(in.Type), true)})
		return
	}
	op, join := ir.OpIEq, ir.OpAnd
	if in.Op == spirv.OpPtrNotEqual {
		op, join = ir.OpINe, ir.OpOr
	}
	c.setScalars([]ir.Value{b.Op(join, ir.Bool, b.Op(op, ir.Bool, x[0], y[0]), b.Op(op, ir.Bool, x[1], y[1]))})
}

// convertPointer lowers OpConvertUToPtr and OpConvertPtrToU: the address as an
// integer of 64 bits, or its low bits.
func (c *compiler) convertPointer(in *spirv.Inst) {
	s := c.scalars(in.ID(0), -1)
	if in.Op == spirv.OpConvertUToPtr {
		if t := c.elemOf(in.ID(0)); t.Kind != spirv.KindInt {
			c.fail("a conversion of %v to an address", t)
		}
		if len(s) == 1 {
			s = []ir.Value{s[0], c.b.I32(0)}
		}
		c.setScalars(s)
		return
	}
	if t := c.typ(in.Type); t.Kind != spirv.KindInt || len(s) != 2 {
		c.fail("a conversion of an address to %v", t)
	} else if !isWide(t) {
		s = []ir.Value{c.fit(s[0], t)}
	}
	c.setScalars(s)
}
