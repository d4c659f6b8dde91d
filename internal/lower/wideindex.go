package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Products of indices and strides with 64 bits of range (VK_EXT_shader_64bit_indexing). No buffer here has 2 GiB or more behind a
// descriptor, so there the sum only has to be told from those that lie inside.

// farAway is where bytes of a descriptor are looked for that are not within 31 bits. The largest buffer (maxBufferSize) ends there.
const farAway = 1 << 31

// indices64 says that an index that moves p has 64 bits of range.
func (c *compiler) indices64(p *pointer) bool {
	return c.opt.Indices64 && (p.space == spaceBuffer || p.space == spaceAddress && !p.shared)
}

// stepWide moves p by an index times a stride. The index counts with its type's sign.
//
// spirvenv-64bindexing
func (c *compiler) stepWide(p *pointer, index spirv.ID, stride uint32) {
	i, t := c.scalars(index, -1), c.typ(c.m.Def(index).Type)
	if t.Kind != spirv.KindInt {
		c.fail("<id> %d is not a scalar index", index)
	}
	if !isWide(t) {
		i = c.toWide(c.intScalar(index), t.Signed)
	}
	by := c.wideOp(ir.WideIMul, i[0], i[1], c.b.I32(stride), c.b.I32(0))
	q := c.settle(p)
	if q.physical {
		w := c.wideOp(ir.WideIAdd, q.lo, q.hi, by[0], by[1])
		*p = *q
		p.lo, p.hi = w[0], w[1]
		return
	}
	*p = *q
	at := c.address(p, 0) // of a descriptor, or from where the words point
	step := gcd(gcd(p.step, p.off), stride)
	if p.space == spaceAddress {
		at = c.b.Op(ir.OpIAdd, ir.I32, p.lo, at)
	}
	sum := c.wideOp(ir.WideIAdd, at, c.b.I32(0), by[0], by[1])
	inside := c.wideOp(ir.WideULt, sum[0], sum[1], c.b.I32(farAway), c.b.I32(0))
	v := c.b.Op(ir.OpSelect, ir.I32, inside[0], sum[0], c.b.I32(farAway))
	p.off = 0
	if p.space == spaceAddress {
		p.lo = v
		return
	}
	p.dyn, p.step = v, step
}
