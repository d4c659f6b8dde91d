package lower

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// How the invocations that hold a cooperative matrix share it, and what they tell each other through
// workgroup memory that the module does not see: operands of products of a workgroup, which all of
// its invocations read.

// MaxExchangedBytes bounds the workgroup memory in which invocations tell each other matrices.
const MaxExchangedBytes = 8 << 20

// exchange is that memory, once somebody has asked for it.
type exchange struct {
	at uint32 // in workgroup memory
	// room is the bytes of one matrix, of which each subgroup or the workgroup has two.
	room uint32
}

// spread is how the matrix t lies over its invocations.
func (c *compiler) spread(t *spirv.Type) spirv.CooperativeSpread {
	c.useSubgroups()
	s, ok := c.k.CooperativeSpread(t)
	if !ok {
		c.fail("%v does not lie over the invocations of its scope", t)
	}
	return s
}

// invocation is the number of the invocation among those that hold matrices of a shape.
func (c *compiler) invocation(s spirv.CooperativeShape) ir.Value {
	if s.Scope == spirv.CooperativeSubgroup {
		return c.subgroupLane()
	}
	return c.invocationIndex()
}

// place is the row and column of the invocation's element 0.
func (c *compiler) place(s spirv.CooperativeShape, at spirv.CooperativeSpread) (row, column ir.Value) {
	i := c.invocation(s)
	row = c.b.Op(ir.OpShrU, ir.I32, i, c.b.I32(uint32(bits.TrailingZeros32(at.Wide))))
	return row, c.b.Op(ir.OpAnd, ir.I32, i, c.b.I32(at.Wide-1))
}

// exchanged is the memory of exchanges.
func (c *compiler) exchanged() exchange {
	if c.exchange.room != 0 {
		return c.exchange
	}
	x, groups := exchange{}, uint32(1)
	n := c.p.LocalSize
	for _, t := range c.m.Types {
		if s, ok := c.k.Cooperative(t); ok {
			x.room = max(x.room, s.Rows*s.Columns*4)
			if s.Scope == spirv.CooperativeSubgroup {
				size := c.useSubgroups()
				groups = (n[0]*n[1]*n[2] + size - 1) / size
			}
		}
	}
	const matrices = 2
	if total := uint64(x.room) * uint64(groups) * matrices; total > MaxExchangedBytes {
		c.fail("cooperative matrices through which invocations exchange %d bytes; the limit is %d", total,
			MaxExchangedBytes)
	}
	x.at = (c.p.SharedBytes + 63) &^ 63
	c.p.SharedBytes = x.at + x.room*groups*matrices
	c.exchange = x
	return x
}

// meet has the invocations of a scope wait for each other, with what they have stored.
func (c *compiler) meet(scope uint32) {
	if c.applied.busy {
		c.fail("%v in a function that another instruction calls for each element", c.inst.Op)
	}
	c.p.UsesBarrier = true
	kind := ir.BarrierWorkgroup
	if scope == spirv.CooperativeSubgroup {
		kind = ir.BarrierSubgroup
	}
	c.b.OpImm(ir.OpBarrier, ir.Void, uint64(kind))
}

// staged is where matrix number which of the invocation's scope lies in the memory of exchanges, row
// by row in words, and as many bytes on as by says.
func (c *compiler) staged(scope, which uint32, t *spirv.Type, by ir.Value) *pointer {
	x := c.exchanged()
	if scope == spirv.CooperativeSubgroup {
		size := c.useSubgroups()
		group := c.b.Op(ir.OpShrU, ir.I32, c.laneOf(c.invocationIndex()),
			c.b.I32(uint32(bits.TrailingZeros32(size))))
		by = c.b.Op(ir.OpIAdd, ir.I32, by, c.b.Op(ir.OpIMul, ir.I32, group, c.b.I32(2*x.room)))
	}
	return &pointer{space: spaceShared, t: t, off: x.at + which*x.room, dyn: by, step: 4,
		elem: ir.NoValue}
}

// put stores the numbers of a matrix t as matrix which in the memory of exchanges.
func (c *compiler) put(which uint32, t *spirv.Type, v []ir.Value) {
	b, s, at := c.b, c.cooperative(t), c.spread(t)
	row, column := c.place(s, at)
	by := b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, row, b.I32(4*s.Columns)),
		b.Op(ir.OpShl, ir.I32, column, b.I32(2)))
	p := c.staged(s.Scope, which, t.Elem, by)
	for k, x := range v {
		i, j := at.Place(uint32(k))
		c.storeScalar(p, scalarRef{off: 4 * (i*s.Columns + j), t: c.p.Insts[x].Type}, x)
	}
}

// repeat runs f for the numbers from one on and below another, in steps.
func (c *compiler) repeat(from, below, step ir.Value, f func(i ir.Value)) {
	b := c.b
	count := b.NewVar(ir.I32, "")
	b.Set(count, from)
	b.Loop(false, func(l *ir.Loop) {
		l.Source = ir.Source{File: c.m.String(c.inst.Line.File), Line: c.inst.Line.Line}
		i := b.Get(count)
		b.If(b.Op(ir.OpULe, ir.Bool, b.Use(below), i), func() { b.Break(l) }, nil)
		f(i)
		b.Set(count, b.Op(ir.OpIAdd, ir.I32, b.Use(i), b.Use(step)))
	}, nil)
}
