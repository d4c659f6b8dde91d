package lower

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

func (c *compiler) fadd(a, b ir.Value) ir.Value { return c.num(ir.OpFAdd, ir.F32, a, b) }
func (c *compiler) fsub(a, b ir.Value) ir.Value { return c.num(ir.OpFSub, ir.F32, a, b) }
func (c *compiler) fmul(a, b ir.Value) ir.Value { return c.num(ir.OpFMul, ir.F32, a, b) }
func (c *compiler) fdiv(a, b ir.Value) ir.Value { return c.num(ir.OpFDiv, ir.F32, a, b) }

// dot sums the products from component 0 upwards.
func (c *compiler) dot(a, b []ir.Value) ir.Value {
	sum := c.fmul(a[0], b[0])
	for i := 1; i < len(a); i++ {
		sum = c.fadd(sum, c.fmul(a[i], b[i]))
	}
	return sum
}

func (c *compiler) timesScalar(in *spirv.Inst) {
	v := c.comps(in.ID(0), -1)
	k := c.comps(in.ID(1), 1)[0]
	out := c.values(len(v))
	for i := range v {
		if c.irType(k) == ir.I32 && !isPair(k) {
			out[i] = c.num(ir.OpIMul, ir.I32, v[i], k) // of a cooperative matrix
			continue
		}
		out[i] = c.fmul(v[i], k)
	}
	c.setNumbers(out)
}

// matrix is a matrix value: columns of rows.
type matrix [][]ir.Value

func (c *compiler) matrixOf(id spirv.ID) matrix {
	v := c.get(id)
	if v.t.Kind != spirv.KindMatrix {
		c.fail("%v is not a matrix", v.t)
	}
	return split(c.comps(id, -1), int(v.t.Elem.Count))
}

func split(s []ir.Value, rows int) matrix {
	var m matrix
	for len(s) > 0 {
		m = append(m, s[:rows:rows])
		s = s[rows:]
	}
	return m
}

func (m matrix) row(r int) []ir.Value {
	out := make([]ir.Value, len(m))
	for k := range m {
		out[k] = m[k][r]
	}
	return out
}

func (c *compiler) transpose(in *spirv.Inst) {
	m := c.matrixOf(in.ID(0))
	var out []ir.Value
	for r := range m[0] {
		out = append(out, m.row(r)...)
	}
	c.setScalars(out)
}

// matrixProduct lowers the products; every element is a dot product.
func (c *compiler) matrixProduct(in *spirv.Inst) {
	var out []ir.Value
	switch in.Op {
	case spirv.OpMatrixTimesVector:
		m := c.matrixOf(in.ID(0))
		v := c.comps(in.ID(1), len(m))
		for r := range m[0] {
			out = append(out, c.dot(m.row(r), v))
		}
	case spirv.OpVectorTimesMatrix:
		m := c.matrixOf(in.ID(1))
		v := c.comps(in.ID(0), len(m[0]))
		for k := range m {
			out = append(out, c.dot(v, m[k]))
		}
	case spirv.OpMatrixTimesMatrix:
		a, b := c.matrixOf(in.ID(0)), c.matrixOf(in.ID(1))
		if len(b[0]) != len(a) {
			c.fail("matrices of %d columns and %d rows", len(a), len(b[0]))
		}
		for k := range b {
			for r := range a[0] {
				out = append(out, c.dot(a.row(r), b[k]))
			}
		}
	default: // OpOuterProduct
		x, y := c.comps(in.ID(0), -1), c.comps(in.ID(1), -1)
		for k := range y {
			for r := range x {
				out = append(out, c.fmul(x[r], y[k]))
			}
		}
	}
	c.setNumbers(out)
}

// minor leaves out a column and a row.
func (m matrix) minor(col, row int) matrix {
	var out matrix
	for k := range m {
		if k == col {
			continue
		}
		var column []ir.Value
		for r := range m[k] {
			if r != row {
				column = append(column, m[k][r])
			}
		}
		out = append(out, column)
	}
	return out
}

// determinant expands along the first row, terms summed from column 0 upwards.
func (c *compiler) determinant(m matrix) ir.Value {
	if len(m) == 1 {
		return m[0][0]
	}
	sum := ir.NoValue
	for k := range m {
		term := c.fmul(m[k][0], c.determinant(m.minor(k, 0)))
		switch {
		case k == 0:
			sum = term
		case k%2 == 0:
			sum = c.fadd(sum, term)
		default:
			sum = c.fsub(sum, term)
		}
	}
	return sum
}

// inverse divides the adjugate by the determinant.
func (c *compiler) inverse(m matrix) []ir.Value {
	det := c.determinant(m)
	n := len(m)
	var out []ir.Value
	for k := range n {
		for r := range n {
			// Element (column k, row r) is the cofactor of (column r, row k).
			cof := c.determinant(m.minor(r, k))
			if (k+r)%2 == 1 {
				cof = c.num(ir.OpFNeg, ir.F32, cof)
			}
			out = append(out, c.fdiv(cof, det))
		}
	}
	return out
}
