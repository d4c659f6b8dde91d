package lower

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// rawChain lowers OpRawAccessChainNV (SPV_NV_raw_access_chains): a pointer to the byte at stride times index plus offset from where the
// base points. Whichever checks the chain asks for, each scalar is checked against the buffer when it is accessed: a scalar of an
// element that begins outside lies outside, and the other way round the extension lets a module expect nothing.
//
// An access must be aligned to its components, so words of descriptors are looked for at multiples of 4, where plain accesses find them.
func (c *compiler) rawChain(in *spirv.Inst) {
	p, t := *c.pointerTo(in.ID(0)), c.typ(in.Type)
	if p.arrayed || p.space != spaceBuffer && p.space != spaceAddress {
		c.fail("a raw access chain from a pointer to %v", p.t)
	}
	unit := c.alignment(t.Elem)
	p.ptrType, p.t, p.matStride, p.rowMajor, p.held, p.compStride = t, t.Elem, 0, false, 0, componentBytes(t.Elem)
	words, ok := c.k.Words(in.ID(1))
	if !ok {
		c.fail("a raw access chain without a constant stride")
	}
	stride := words[0]
	if len(words) > 1 && words[1] != 0 {
		stride = math.MaxUint32
	}
	var known uint64 // of the bytes
	by, step := ir.NoValue, uint32(0)
	add := func(v ir.Value, multiple uint32) {
		if by != ir.NoValue {
			v = c.b.Op(ir.OpIAdd, ir.I32, by, v)
		}
		by, step = v, gcd(step, multiple)
	}
	if k, ok := c.k.Words(in.ID(2)); ok {
		known = uint64(stride) * uint64(k[0])
	} else if stride != 0 {
		add(c.b.Op(ir.OpIMul, ir.I32, c.intScalar(in.ID(2)), c.b.I32(stride)), stride)
	}
	if k, ok := c.k.Words(in.ID(3)); ok {
		known += uint64(k[0])
	} else {
		add(c.intScalar(in.ID(3)), 1)
	}
	if p.physical { // bytes are unsigned, and 64 bits wide from here on
		q := *c.settle(&p)
		if by != ir.NoValue {
			d := c.toWide(by, false)
			w := c.wideOp(ir.WideIAdd, q.lo, q.hi, d[0], d[1])
			q.lo, q.hi = w[0], w[1]
		}
		w := c.wideOp(ir.WideIAdd, q.lo, q.hi, c.b.I32(uint32(known)), c.b.I32(uint32(known>>32)))
		q.lo, q.hi = w[0], w[1]
		c.set(&value{p: &q})
		return
	}
	known = min(known, math.MaxInt32&^3)
	if by != ir.NoValue && unit == 4 && step%4 != 0 {
		if known%4 != 0 {
			add(c.b.I32(uint32(known)), 1)
			known = 0
		}
		by, step = c.b.Op(ir.OpAnd, ir.I32, by, c.b.I32(^uint32(3))), 4
	}
	if by != ir.NoValue {
		if p.dyn != ir.NoValue {
			by, step = c.b.Op(ir.OpIAdd, ir.I32, p.dyn, by), gcd(p.step, step)
		}
		p.dyn, p.step = by, step
	}
	p.off = uint32(min(uint64(p.off)+known, math.MaxInt32&^3))
	c.set(&value{p: &p})
}
