package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Products of indices and strides with 64 bits of range (VK_EXT_shader_64bit_indexing). Offsets into a
// descriptor have 32 bits, so what is far into a buffer is near the beginning of another window of it
// (ir.Resource.Windowed). Of arrays of descriptors of no certain size, and behind pointers that are
// values, there is one window: there the sum only has to be told from those that lie inside.

// farAway is where bytes of a descriptor are looked for that are in no window.
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
	if c.windows(p) {
		c.window(p, sum, step)
		return
	}
	inside := c.wideOp(ir.WideULt, sum[0], sum[1], c.b.I32(farAway), c.b.I32(0))
	v := c.b.Op(ir.OpSelect, ir.I32, inside[0], sum[0], c.b.I32(farAway))
	p.off = 0
	if p.space == spaceAddress {
		p.lo = v
		return
	}
	p.dyn, p.step = v, step
}

// windows says that a buffer has more than one, from now on.
func (c *compiler) windows(p *pointer) bool {
	if p.space != spaceBuffer || c.p.Resources[p.res].Heap || c.p.Resources[p.res].Count == 0 {
		return false
	}
	c.p.Resources[p.res].Windowed = true
	return true
}

// windowAt is the element of a window.
func (c *compiler) windowAt(p *pointer, home, window ir.Value) ir.Value {
	first := c.b.Op(ir.OpIMul, ir.I32, window, c.b.I32(c.p.Resources[p.res].Count))
	return c.b.Op(ir.OpIAdd, ir.I32, home, first)
}

// windowBits is the logarithm of ir.WindowBytes.
const windowBits = 30

// window moves p to bytes of 64 bits that count from the window in which it is. What is in no window
// stays so, wherever it is moved from there.
func (c *compiler) window(p *pointer, at []ir.Value, step uint32) {
	b, k := c.b, c.b.I32
	if !p.windowed {
		p.windowed, p.home, p.window = true, p.elem, k(0)
	}
	low := b.Op(ir.OpShl, ir.I32, p.window, k(windowBits))
	high := b.Op(ir.OpShrU, ir.I32, p.window, k(32-windowBits))
	sum := c.wideOp(ir.WideIAdd, at[0], at[1], low, high)
	inside := c.wideOp(ir.WideULt, sum[0], sum[1], k(0), k(ir.Windows*ir.WindowBytes>>32))[0]
	w := b.Op(ir.OpOr, ir.I32, b.Op(ir.OpShl, ir.I32, sum[1], k(32-windowBits)), b.Op(ir.OpShrU, ir.I32, sum[0], k(windowBits)))
	p.window = b.Op(ir.OpSelect, ir.I32, inside, w, k(ir.Windows-1))
	p.dyn = b.Op(ir.OpSelect, ir.I32, inside, b.Op(ir.OpAnd, ir.I32, sum[0], k(ir.WindowBytes-1)), k(farAway))
	p.off, p.step = 0, gcd(step, ir.WindowBytes)
	p.elem = c.windowAt(p, p.home, p.window)
}

// further moves p, in a buffer of windows, by a product of 64 bits, a multiple of step.
func (c *compiler) further(p *pointer, x, y ir.Value, step uint32) {
	none := c.b.I32(0)
	by := c.wideOp(ir.WideIMul, x, none, y, none)
	step = gcd(gcd(p.step, p.off), step)
	c.window(p, c.wideOp(ir.WideIAdd, by[0], by[1], c.address(p, 0), none), step)
}

// bufferSize is how many bytes of a buffer there are, in 64 bits.
func (c *compiler) bufferSize(p *pointer) []ir.Value {
	b, k := c.b, c.b.I32
	of := func(elem ir.Value) ir.Value { return b.OpImm(ir.OpBufferSize, ir.I32, uint64(p.res), elem) }
	size := []ir.Value{of(p.elem), k(0)}
	if !c.opt.Indices64 || !c.windows(p) {
		return size
	}
	for w := range uint32(ir.Windows - 1) { // the last one that is not empty tells
		n := of(c.windowAt(p, p.elem, k(w+1)))
		end := c.wideOp(ir.WideIAdd, n, k(0), k((w+1)<<windowBits), k((w+1)>>(32-windowBits)))
		some := b.Op(ir.OpINe, ir.Bool, n, k(0))
		for i := range size {
			size[i] = b.Op(ir.OpSelect, ir.I32, some, end[i], size[i])
		}
	}
	return size
}
