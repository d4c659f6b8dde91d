package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// product is A·B + C of matrices of types a, b and t, whose numbers are x, y and z.
type product struct {
	g       ir.Group // what ir.GroupProduct does
	a, b, t *spirv.Type
	x, y, z []ir.Value
}

// subgroupProduct cuts a product into those that the IR has: of 16 columns of B each, one slice of
// the columns of A after the other.
func (c *compiler) subgroupProduct(p product) []ir.Value {
	a, m, r := c.spread(p.a), c.spread(p.b), c.spread(p.t)
	columns := c.cooperative(p.a).Columns
	ty := c.irType(p.z[0])
	out := make([]ir.Value, len(p.z))
	each := ir.ProductColumns / r.Wide // numbers of a row of 16 columns
	depth := uint32(ir.ProductColumns)
	if r.Rows == 1 && columns%ir.MaxProductDepth == 0 {
		depth = ir.MaxProductDepth
	}
	p.g.Depth = uint8(depth)
	strips := r.Parts / each
	for row := uint32(0); row < r.Length/r.Parts; row++ {
		for strip := range strips {
			sum := p.z[row*r.Parts+strip*each:][:each]
			for d := uint32(0); d < columns; d += depth {
				args := append([]ir.Value(nil), p.x[row*a.Parts+d/a.Wide:][:depth/a.Wide]...)
				for k := d / m.Rows; k < (d+depth)/m.Rows; k++ {
					args = append(args, p.y[k*m.Parts+strip*each:][:each]...)
				}
				v := c.group(p.g, ty, append(args, sum...)...)
				sum = make([]ir.Value, each)
				sum[0] = v
				for k := uint32(1); k < each; k++ {
					sum[k] = c.b.OpImm(ir.OpResult, ty, uint64(k), v)
				}
			}
			copy(out[row*r.Parts+strip*each:], sum)
		}
	}
	return out
}

// workgroupProduct has each invocation sum up its elements, with the rows of A and the columns of B
// from workgroup memory.
func (c *compiler) workgroupProduct(p product) []ir.Value {
	b, s, at := c.b, c.cooperative(p.t), c.spread(p.t)
	depth := c.cooperative(p.a).Columns
	c.meet(s.Scope)
	c.put(0, p.a, p.x)
	c.put(1, p.b, p.y)
	c.meet(s.Scope)

	ty := c.irType(p.z[0])
	sums := make([]ir.VarID, len(p.z))
	for i, z := range p.z {
		sums[i] = b.NewVar(ty, "")
		b.Set(sums[i], z)
	}
	row, column := c.place(s, at)
	first := b.Op(ir.OpIMul, ir.I32, row, b.I32(4*depth))
	column = b.Op(ir.OpShl, ir.I32, column, b.I32(2))
	c.repeat(b.I32(0), b.I32(depth), b.I32(1), func(k ir.Value) {
		add := func(x, y ir.Value) ir.Value { return b.Op(ir.OpIAdd, ir.I32, x, y) }
		x := c.staged(s.Scope, 0, p.a.Elem, add(first, b.Op(ir.OpShl, ir.I32, k, b.I32(2))))
		y := c.staged(s.Scope, 1, p.b.Elem, add(column, b.Op(ir.OpIMul, ir.I32, k,
			b.I32(4*s.Columns))))
		right := make([]ir.Value, at.Parts)
		for j := range right {
			right[j] = c.loadScalar(y, scalarRef{off: 4 * at.Wide * uint32(j), t: ty})
		}
		left := ir.NoValue
		for i, v := range sums {
			row, j := uint32(i)/at.Parts, uint32(i)%at.Parts
			if j == 0 {
				left = c.loadScalar(x, scalarRef{off: 4 * depth * at.Rows * row, t: ty})
			}
			if ty == ir.F32 {
				b.Set(v, b.Op(ir.OpFma, ty, left, right[j], b.Get(v)))
			} else {
				b.Set(v, add(b.Get(v), b.Op(ir.OpIMul, ty, left, right[j])))
			}
		}
	})
	out := make([]ir.Value, len(sums))
	for i, v := range sums {
		out[i] = b.Get(v)
	}
	return out
}
