package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Pointers that do not say what they point to (SPV_KHR_untyped_pointers). Lowering follows them as it
// does others; the type comes with each access and each chain.

// accessed returns the pointer value of an <id> for an access of type t.
func (c *compiler) accessed(id spirv.ID, t *spirv.Type) *pointer {
	p := c.pointerTo(id)
	if !p.ptrType.Untyped {
		return p
	}
	q := *p
	q.take(c, t)
	return &q
}

// take says what an untyped pointer points to. What a chain has found of the layout of a matrix, and of
// what lies in one, stays where it ended at the very type.
func (p *pointer) take(c *compiler, t *spirv.Type) {
	if p.arrayed {
		if p.t.ID != t.ID {
			c.fail("an untyped pointer to an array of descriptors used as one to %v", t)
		}
		return
	}
	switch {
	case p.space == spaceHandle && p.t.ID == t.ID, p.space == spaceTexel && p.image.t.Image.Sampled.ID == t.ID:
		p.t = t
		return
	case !p.explicit():
		c.fail("an untyped pointer to memory without a layout")
	}
	if p.t == nil || p.t.ID != t.ID {
		p.t, p.matStride, p.rowMajor, p.held = t, 0, false, 0
		p.compStride = componentBytes(t)
	}
}

// untypedChain lowers the access chains of untyped pointers.
func (c *compiler) untypedChain(in *spirv.Inst) {
	p, rest := *c.pointerTo(in.ID(1)), in.Operands[2:]
	if in.Op == spirv.OpUntypedPtrAccessChainKHR || in.Op == spirv.OpUntypedInBoundsPtrAccessChainKHR {
		c.stepOver(&p, in.ID(1), in.ID(2))
		rest = rest[1:]
	}
	p.take(c, c.typ(in.ID(0)))
	for _, k := range rest {
		c.step(&p, spirv.ID(k))
	}
	p.ptrType = c.typ(in.Type)
	c.set(&value{p: &p})
}

// skewed tells that a word may lie where the plain accesses of the IR, which are of whole words, do not
// reach: an untyped pointer leads to any byte.
func (p *pointer) skewed(r scalarRef) bool {
	switch p.space {
	case spaceBuffer, spacePush, spaceShared:
		return (p.off+r.off)%4 != 0 || p.dyn != ir.NoValue && p.step%4 != 0
	}
	return false
}

// copyMemory lowers OpCopyMemory. One of the pointers says what is copied.
func (c *compiler) copyMemory(in *spirv.Inst) {
	to, from := c.pointerTo(in.ID(0)), c.pointerTo(in.ID(1))
	if to.ptrType.Untyped {
		to = c.accessed(in.ID(0), from.t)
	} else if from.ptrType.Untyped {
		from = c.accessed(in.ID(1), to.t)
	}
	c.store(to, c.load(from))
}

// copySized lowers OpCopyMemorySized: in the largest units that the size and both pointers are known to be
// multiples of, or byte by byte where the size is not known.
func (c *compiler) copySized(in *spirv.Inst) {
	to, from := *c.pointerTo(in.ID(0)), *c.pointerTo(in.ID(1))
	if to.arrayed || from.arrayed || !to.explicit() || !from.explicit() {
		c.fail("a sized copy of memory without a layout, or of a whole descriptor array")
	}
	size, ok := c.k.Words(in.ID(2))
	if !ok {
		to.t, from.t = byteType, byteType
		c.copyBytes(&to, &from, c.intScalar(in.ID(2)))
		return
	}
	if len(size) > 1 && size[1] != 0 || size[0] > MaxCopied {
		c.fail("a copy of more than %d bytes", MaxCopied)
	}
	unit := gcd(gcd(size[0], 4), gcd(to.multiple(), from.multiple()))
	c.copies(int(size[0] / unit))
	t := &spirv.Type{Kind: spirv.KindInt, Width: 8 * unit}
	to.t, from.t = t, t
	at, source := c.settle(&to), c.settle(&from)
	for off := uint32(0); off < size[0]; off += unit {
		r := scalarRef{off: off, t: ir.I32}
		if unit < 4 {
			r.bytes = uint8(unit)
		}
		c.storeScalar(at, r, c.loadScalar(source, r))
	}
}

var byteType = &spirv.Type{Kind: spirv.KindInt, Width: 8}

// copyBytes copies so many bytes in a loop.
func (c *compiler) copyBytes(to, from *pointer, size ir.Value) {
	c.times(size, func(at ir.Value) {
		r := scalarRef{t: ir.I32, bytes: 1}
		v := c.loadScalar(c.settle(c.moved(from, at, 1)), r)
		c.storeScalar(c.settle(c.moved(to, at, 1)), r, v)
	})
}

// times runs f so many times, with the number of the turn from 0 on.
func (c *compiler) times(n ir.Value, f func(ir.Value)) {
	b := c.b
	done := b.NewVar(ir.I32, "done")
	b.Set(done, b.I32(0))
	b.Loop(false, func(l *ir.Loop) {
		l.Source = ir.Source{File: c.m.String(c.inst.Line.File), Line: c.inst.Line.Line}
		at := b.Get(done)
		b.If(b.Op(ir.OpULe, ir.Bool, b.Use(n), at), func() { b.Break(l) }, nil)
		f(at)
		b.Set(done, b.Op(ir.OpIAdd, ir.I32, at, b.I32(1)))
	}, nil)
}

// moved is a pointer so many bytes on, a multiple of step, usable at the insertion point.
func (c *compiler) moved(p *pointer, by ir.Value, step uint32) *pointer {
	q := *c.use(&value{t: p.ptrType, p: p}).p
	if q.dyn != ir.NoValue {
		by, step = c.b.Op(ir.OpIAdd, ir.I32, q.dyn, by), gcd(q.step, step)
	}
	q.dyn, q.step = by, step
	return &q
}

// multiple is a power of two up to 4 of which the bytes before what p points to are a multiple, as far as
// is known here.
func (p *pointer) multiple() uint32 {
	if p.space == spaceAddress {
		return 1
	}
	n := gcd(4, p.off)
	if p.dyn != ir.NoValue {
		n = gcd(n, p.step)
	}
	return n
}
