package lower

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Instructions of SPV_NV_cooperative_matrix2 on whole matrices.

// cooperativeConversion lowers conversions of the use, which elements do not notice: they lie over
// invocations in all uses alike. A transposed matrix goes through the memory of exchanges; its elements
// may have another width, where integers keep the sign that the operand's type has.
func (c *compiler) cooperativeConversion(in *spirv.Inst) {
	c.sameShape(in)
	v, t := c.get(in.ID(0)), c.typ(in.Type)
	if in.Op == spirv.OpCooperativeMatrixConvertUseEXT {
		c.setScalars(v.s)
		return
	}
	scope := c.cooperative(t).Scope
	c.meet(scope)
	c.put(0, v.t, v.s)
	c.meet(scope)
	b, s, at := c.b, c.cooperative(t), c.spread(t)
	row, column := c.place(s, at)
	by := b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpShl, ir.I32, row, b.I32(2)),
		b.Op(ir.OpIMul, ir.I32, column, b.I32(4*s.Rows)))
	from := v.t.Elem
	p := c.staged(scope, 0, from, by)
	out := make([]ir.Value, at.Length)
	for k := range out {
		i, j := at.Place(uint32(k))
		x := c.loadScalar(p, scalarRef{off: 4 * (j*s.Rows + i), t: c.flat(from)[0]})
		switch {
		case from == t.Elem:
		case from.Kind == spirv.KindInt:
			x = c.convertInt(x, from, t.Elem, from.Signed)
		default:
			x = c.flush(c.convertFloat(x, from, t.Elem), t.Elem)
		}
		out[k] = x
	}
	c.setScalars(out)
}

// cooperativeReduction lowers OpCooperativeMatrixReduceNV. Elements of a row or column are combined
// with their neighbours, then two of these results that are neighbours, and so on; what has no
// neighbour waits. Of both, rows come first and then their results; so do those of a square of 2×2.
// Rounding errors of sums grow with the logarithm of their length.
func (c *compiler) cooperativeReduction(in *spirv.Inst) {
	v, t := c.get(in.ID(0)), c.typ(in.Type)
	if err := c.k.CheckReduction(in, v.t, t); err != nil {
		c.fail("%v", err)
	}
	b, from, s, at := c.b, c.cooperative(v.t), c.cooperative(t), c.spread(t)
	ty := c.flat(t.Elem)[0]
	load := func(which uint32, by ir.Value, off uint32) ir.Value {
		return c.loadScalar(c.staged(s.Scope, which, t.Elem, by), scalarRef{off: off, t: ty})
	}
	combine := func(x, y ir.Value) ir.Value {
		return c.apply(in, in.ID(2), &value{t: t.Elem, s: []ir.Value{x}}, &value{t: t.Elem, s: []ir.Value{y}})
	}
	times := func(x ir.Value, k uint32) ir.Value { return b.Op(ir.OpIMul, ir.I32, x, b.I32(k)) }
	c.meet(s.Scope)
	c.put(0, v.t, v.s)
	c.meet(s.Scope)
	if in.Operands[1] == spirv.CooperativeReduce2x2 {
		line := 4 * from.Columns
		c.setScalars(c.elementwise(t, nil, func(row, column ir.Value, _ []ir.Value) ir.Value {
			by := b.Op(ir.OpIAdd, ir.I32, times(row, 2*line), times(column, 8))
			return combine(combine(load(0, by, 0), load(0, by, 4)),
				combine(load(0, by, line), load(0, by, line+4)))
		}))
		return
	}
	// reduce has each invocation reduce some of so many lines of n words, each so many bytes behind
	// the other, to their first words.
	reduce := func(lines, next, n, step uint32) {
		c.repeat(c.invocation(s), b.I32(lines), b.I32(at.Rows*at.Wide), func(i ir.Value) {
			line := times(i, next)
			distance := b.NewVar(ir.I32, "")
			b.Set(distance, b.I32(1))
			c.repeat(b.I32(0), b.I32(uint32(bits.Len32(n-1))), b.I32(1),
				func(ir.Value) {
					d := b.Get(distance)
					twice := b.Op(ir.OpShl, ir.I32, d, b.I32(1))
					c.repeat(b.I32(0), b.Op(ir.OpISub, ir.I32, b.I32(n), d), twice, func(j ir.Value) {
						to := b.Op(ir.OpIAdd, ir.I32, line, times(j, step))
						from := b.Op(ir.OpIAdd, ir.I32, to, times(d, step))
						v := combine(load(0, to, 0), load(0, from, 0))
						c.storeScalar(c.staged(s.Scope, 0, t.Elem, b.Use(to)), scalarRef{t: ty}, v)
					})
					b.Set(distance, b.Use(twice))
				})
		})
		c.meet(s.Scope)
	}
	out := make([]ir.Value, at.Length)
	row, column := c.place(s, at)
	next := 4 * from.Columns
	switch in.Operands[1] {
	case spirv.CooperativeReduceRow:
		reduce(from.Rows, next, from.Columns, 4)
		for k := range out {
			i, _ := at.Place(uint32(k))
			out[k] = load(0, times(row, next), next*i)
		}
	case spirv.CooperativeReduceColumn:
		reduce(from.Columns, 4, from.Rows, next)
		for k := range out {
			_, j := at.Place(uint32(k))
			out[k] = load(0, times(column, 4), 4*j)
		}
	default:
		reduce(from.Rows, next, from.Columns, 4)
		reduce(1, 0, from.Rows, next)
		whole := load(0, b.I32(0), 0)
		for k := range out {
			out[k] = whole
		}
	}
	c.setScalars(out)
}

// cooperativeFunction lowers OpCooperativeMatrixPerElementOpNV.
func (c *compiler) cooperativeFunction(in *spirv.Inst) {
	t := c.typ(in.Type)
	c.cooperative(t)
	matrices := [][]ir.Value{c.get(in.ID(0)).s}
	var more []*value // parameters behind the element; nil stands for that of a matrix
	for i := 2; i < len(in.Operands); i++ {
		v := c.get(in.ID(i))
		if v.t.Kind != spirv.KindCooperative {
			more = append(more, v)
			continue
		}
		if !c.k.SameShape(v.t, t) {
			c.fail("matrices of different shapes as operands of a function of elements")
		}
		matrices = append(matrices, v.s)
		more = append(more, &value{t: v.t.Elem})
	}
	f := c.m.Function(in.ID(1))
	integer := func(i int, x ir.Value) *value {
		return &value{t: c.typ(f.Params[i].Type), s: []ir.Value{x}}
	}
	c.setScalars(c.elementwise(t, matrices, func(row, column ir.Value, x []ir.Value) ir.Value {
		args := []*value{integer(0, row), integer(1, column), {t: t.Elem, s: x[:1]}}
		x = x[1:]
		for _, v := range more {
			if v = c.use(v); v.s == nil && v.p == nil {
				v, x = &value{t: v.t, s: x[:1]}, x[1:]
			}
			args = append(args, v)
		}
		return c.apply(in, in.ID(1), args...)
	}))
}

// apply calls a function for one element.
func (c *compiler) apply(in *spirv.Inst, id spirv.ID, args ...*value) ir.Value {
	if c.applied.busy {
		c.fail("%v in a function that another instruction calls for each element", in.Op)
	}
	c.applied.busy = true
	r := c.call(c.m.Function(id), args)
	c.applied.busy = false
	c.inst = in
	return r.s[0]
}

// elementRoom is lane memory for elements of matrices, which all instructions use in turn.
func (c *compiler) elementRoom(scalars int) uint32 {
	if c.applied.busy {
		c.fail("%v in a function that another instruction calls for each element", c.inst.Op)
	}
	if n := 1 << bits.Len(uint(scalars-1)); n > c.applied.scalars {
		c.applied.at, c.applied.scalars = c.allocPrivate(n), n
	}
	return c.applied.at
}

// applied is the lane memory of elementRoom.
type applied struct {
	at      uint32
	scalars int
	busy    bool // a function of elements runs
}

// elementwise makes the numbers of a matrix t of those of others. f makes one element of its row and
// column, in a loop over lane memory, so that its code stands there once.
func (c *compiler) elementwise(t *spirv.Type, matrices [][]ir.Value,
	f func(row, column ir.Value, x []ir.Value) ir.Value,
) []ir.Value {
	b, s, at := c.b, c.cooperative(t), c.spread(t)
	c.copies(int(at.Length) * (len(matrices) + 1))
	room := c.elementRoom(int(at.Length) * max(len(matrices), 1))
	at0 := func(i int, k uint32) *pointer {
		return &pointer{space: spacePrivate, off: room + 4*(uint32(i)*at.Length+k), dyn: ir.NoValue,
			elem: ir.NoValue}
	}
	refs := make([]scalarRef, len(matrices))
	for i, m := range matrices {
		refs[i] = scalarRef{t: c.irType(m[0])}
		for k, x := range m {
			c.storeScalar(at0(i, uint32(k)), refs[i], x)
		}
	}
	row, column := c.place(s, at)
	result := scalarRef{t: c.flat(t.Elem)[0]}
	c.repeat(b.I32(0), b.I32(at.Length), b.I32(1), func(k ir.Value) {
		op := func(op ir.Op, x ir.Value, k uint32) ir.Value { return b.Op(op, ir.I32, x, b.I32(k)) }
		x := make([]ir.Value, len(matrices))
		by := op(ir.OpShl, k, 2)
		moved := func(i int) *pointer {
			p := at0(i, 0)
			p.dyn, p.step = b.Use(by), 4
			return p
		}
		for i := range x {
			x[i] = c.loadScalar(moved(i), refs[i])
		}
		i := op(ir.OpIMul, op(ir.OpUDiv, k, at.Parts), at.Rows)
		j := op(ir.OpIMul, op(ir.OpURem, k, at.Parts), at.Wide)
		v := f(b.Op(ir.OpIAdd, ir.I32, row, i), b.Op(ir.OpIAdd, ir.I32, column, j), x)
		c.storeScalar(moved(0), result, v)
	})
	out := make([]ir.Value, at.Length)
	for k := range out {
		out[k] = c.loadScalar(at0(0, uint32(k)), result)
	}
	return out
}
