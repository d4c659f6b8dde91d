package vm

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
)

// product executes GroupProduct, one subgroup after the other. Elements of lanes that are not there
// count as 0, too.
func (t *registers) product(g ir.Group, x *auxiliary, active []uint32) {
	size := int(t.r.program.SubgroupSize)
	shape, depth := g.Product(uint32(size)), int(g.Depth)
	args := x.args
	a, b, c := args[:shape.A], args[shape.A:][:shape.B], args[shape.A+shape.B:]
	var m productMatrices
	for from := 0; from < t.n; from += size {
		to := min(from+size, t.n)
		t.gather(m.a[:], a, active, from, to, size)
		t.gather(m.b[:], b, active, from, to, size)
		for h := range shape.Rows {
			row := m.a[h*depth:][:depth]
			for j := range ir.ProductColumns {
				e := h*ir.ProductColumns + j
				at := from + e%size
				if at >= to {
					continue
				}
				sum := t.v[c[e/size]][at]
				if g.Arith == ir.GroupFAdd {
					f := math.Float32frombits(sum)
					for k, w := range row {
						f = lane.FmaF(math.Float32frombits(w), math.Float32frombits(m.b[k*ir.ProductColumns+j]), f)
					}
					sum = math.Float32bits(f)
				} else {
					for k, w := range row {
						sum += w * m.b[k*ir.ProductColumns+j]
					}
				}
				t.v[x.results[e/size]][at] = sum
			}
		}
	}
}

// productMatrices are the rows of A of a product, and B, row by row.
type productMatrices struct {
	a [ir.MaxSubgroupSize / ir.ProductColumns * ir.MaxProductDepth]uint32
	b [ir.MaxProductDepth * ir.ProductColumns]uint32
}

// gather reads the elements of a matrix from lanes from to to.
func (t *registers) gather(into []uint32, numbers []int32, active []uint32, from, to, size int) {
	for i, v := range numbers {
		row := into[i*size:][:size]
		clear(row)
		for l := from; l < to; l++ {
			row[l-from] = t.v[v][l] & active[l]
		}
	}
}
