package lower

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// integerDot lowers the integer dot products: products and sums of sign- or
// zero-extended components, then, in the AccSat forms, one addition that
// saturates in the result type. SU takes a signed and an unsigned vector and
// is signed itself.
func (c *compiler) integerDot(in *spirv.Inst) {
	var signedA, signedB, saturate bool
	switch in.Op {
	case spirv.OpSDot, spirv.OpSDotAccSat:
		signedA, signedB = true, true
	case spirv.OpSUDot, spirv.OpSUDotAccSat:
		signedA = true
	}
	switch in.Op {
	case spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		saturate = true
	}
	t := c.typ(in.Type)
	if t.Kind != spirv.KindInt {
		c.fail("a dot product giving %v", t)
	}
	x, y := c.dotOperand(in.ID(0), signedA), c.dotOperand(in.ID(1), signedB)
	if len(x) != len(y) {
		c.fail("vectors of %d and %d components", len(x), len(y))
	}
	n := number{c: c, wide: t.Width == 64}
	var sum []ir.Value
	for i := range x {
		p := n.op(ir.OpIMul, ir.WideIMul, n.extend(x[i], signedA), n.extend(y[i], signedB))
		if sum != nil {
			p = n.op(ir.OpIAdd, ir.WideIAdd, sum, p)
		}
		sum = p
	}
	if saturate {
		acc := c.scalars(in.ID(2), perComponent(t))
		sum = c.addSaturating(sum, acc, t, signedA)
	}
	if !n.wide {
		sum = c.fitAll(sum)
	}
	c.setScalars(sum)
}

// dotOperand returns the components of a vector, or the four bytes of a packed
// word, as 32-bit numbers.
func (c *compiler) dotOperand(id spirv.ID, signed bool) []ir.Value {
	t := c.typ(c.m.Def(id).Type)
	s := c.scalars(id, -1)
	e := elem(t)
	if e.Kind != spirv.KindInt || e.Width == 64 {
		c.fail("a dot product of %v", t)
	}
	if t.Kind != spirv.KindVector {
		if e.Width != 32 {
			c.fail("a packed vector of %d bits", e.Width)
		}
		op := ir.OpBitFieldU
		if signed {
			op = ir.OpBitFieldS
		}
		var out []ir.Value
		for k := range uint32(4) {
			out = append(out, c.b.Op(op, ir.I32, s[0], c.b.I32(8*k), c.b.I32(8)))
		}
		return out
	}
	out := c.values(len(s))
	for i, v := range s {
		out[i] = v
		if signed {
			out[i] = c.signExtend(v, e)
		}
	}
	return out
}

// number emits arithmetic on 32 bits or on pairs.
type number struct {
	c    *compiler
	wide bool
}

func (n number) op(narrow ir.Op, wide ir.WideOp, a, b []ir.Value) []ir.Value {
	if n.wide {
		return n.c.wideOp(wide, append(append([]ir.Value(nil), a...), b...)...)
	}
	return []ir.Value{n.c.b.Op(narrow, ir.I32, a[0], b[0])}
}

func (n number) extend(v ir.Value, signed bool) []ir.Value {
	if n.wide {
		return n.c.toWide(v, signed)
	}
	return []ir.Value{v}
}

// toWide extends a 32-bit integer to a pair.
func (c *compiler) toWide(v ir.Value, signed bool) []ir.Value {
	if signed {
		return []ir.Value{v, c.b.Op(ir.OpShrS, ir.I32, v, c.b.I32(31))}
	}
	return []ir.Value{v, c.b.I32(0)}
}

// wideOp emits 64-bit arithmetic and returns its result, a pair or one value.
func (c *compiler) wideOp(op ir.WideOp, words ...ir.Value) []ir.Value {
	if op == ir.WideIMul {
		if w := c.shortProduct(words); w != nil {
			return w
		}
	}
	_, result := op.Signature()
	t := ir.I32
	switch result {
	case 'f':
		t = ir.F32
	case 'b':
		t = ir.Bool
	}
	v := c.b.OpMore(ir.OpWide, t, uint64(op), words)
	if result != 'w' {
		return []ir.Value{v}
	}
	return []ir.Value{v, c.b.OpImm(ir.OpResult, ir.I32, 1, v)}
}

// shortProduct is a product that words are enough for, as of an index and a stride: with a power of
// two, or of two words. It returns nil for others.
func (c *compiler) shortProduct(x []ir.Value) []ir.Value {
	b := c.b
	if high, ok := b.Constant(x[3]); !ok || high != 0 {
		return nil
	}
	high, extended := b.Constant(x[1])
	extended = extended && high == 0
	by, known := b.Constant(x[2])
	switch n := uint32(bits.TrailingZeros32(by)); {
	case known && by == 1:
		return x[:2]
	case known && bits.OnesCount32(by) == 1:
		hi := b.Op(ir.OpShrU, ir.I32, x[0], b.I32(32-n))
		if !extended {
			hi = b.Op(ir.OpOr, ir.I32, hi, b.Op(ir.OpShl, ir.I32, x[1], b.I32(n)))
		}
		return []ir.Value{b.Op(ir.OpShl, ir.I32, x[0], b.I32(n)), hi}
	case extended:
		return []ir.Value{b.Op(ir.OpIMul, ir.I32, x[0], x[2]), b.Op(ir.OpIMulHiU, ir.I32, x[0], x[2])}
	}
	return nil
}

// addSaturating adds two numbers of integer type t.
func (c *compiler) addSaturating(x, acc []ir.Value, t *spirv.Type, signed bool) []ir.Value {
	b := c.b
	sel := func(cond ir.Value, x, y ir.Value) ir.Value { return b.Op(ir.OpSelect, ir.I32, cond, x, y) }
	if t.Width < 32 { // no overflow in 32 bits
		lo, hi := uint32(0), uint32(1)<<t.Width-1
		least, most := ir.OpUMax, ir.OpUMin
		a := acc[0]
		if signed {
			lo, hi = -(uint32(1) << (t.Width - 1)), hi>>1
			least, most = ir.OpSMax, ir.OpSMin
			a = c.signExtend(a, t)
		}
		sum := b.Op(ir.OpIAdd, ir.I32, x[0], a)
		return []ir.Value{b.Op(most, ir.I32, b.Op(least, ir.I32, sum, b.I32(lo)), b.I32(hi))}
	}
	n := number{c: c, wide: t.Width == 64}
	sum := n.op(ir.OpIAdd, ir.WideIAdd, x, acc)
	last := len(sum) - 1
	over := ir.NoValue
	limit := c.values(len(sum))
	if !signed {
		if n.wide {
			over = c.wideOp(ir.WideULt, sum[0], sum[1], x[0], x[1])[0]
		} else {
			over = b.Op(ir.OpULt, ir.Bool, sum[0], x[0])
		}
		for i := range limit {
			limit[i] = b.I32(^uint32(0))
		}
	} else {
		// Overflow: both operands have the sign that the sum has not.
		differ := func(p, q ir.Value) ir.Value { return b.Op(ir.OpXor, ir.I32, p, q) }
		over = b.Op(ir.OpSLt, ir.Bool, b.Op(ir.OpAnd, ir.I32, differ(x[last], sum[last]), differ(acc[last], sum[last])), b.I32(0))
		sign := b.Op(ir.OpShrS, ir.I32, x[last], b.I32(31))
		for i := range limit {
			limit[i] = differ(sign, b.I32(^uint32(0)))
		}
		limit[last] = differ(sign, b.I32(1<<31-1))
	}
	out := c.values(len(sum))
	for i := range out {
		out[i] = sel(over, limit[i], sum[i])
	}
	return out
}
