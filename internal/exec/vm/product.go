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
			sums, e := &m.sums, h*ir.ProductColumns
			for j := range sums {
				sums[j] = 0
				if at := from + (e+j)%size; at < to {
					sums[j] = t.v[c[(e+j)/size]][at]
				}
			}
			row := m.a[h*depth:][:depth]
			switch {
			case g.Arith != ir.GroupFAdd:
				for k, w := range row {
					for j := range sums {
						sums[j] += w * m.b[k*ir.ProductColumns+j]
					}
				}
			case g.Float:
				for j := 0; j < len(sums); j += 4 {
					exactProducts(sums[j:], row, m.b[j:])
				}
			default:
				for k, w := range row {
					for j := range sums {
						sums[j] = lane.Fma(w, m.b[k*ir.ProductColumns+j], sums[j])
					}
				}
			}
			for j, sum := range sums {
				if at := from + (e+j)%size; at < to {
					t.v[x.results[(e+j)/size]][at] = sum
				}
			}
		}
	}
}

// productMatrices are the rows of A of a product, and B, row by row.
type productMatrices struct {
	a [ir.MaxSubgroupSize / ir.ProductColumns * ir.MaxProductDepth]uint32
	b [ir.MaxProductDepth * ir.ProductColumns]uint32
	// sums are a row of the result.
	sums [ir.ProductColumns]uint32
}

// exactProducts adds the products of a row of A and of four columns of B, which are exact, to four
// sums. Four, since each waits for itself.
func exactProducts(sums, row, b []uint32) {
	f := math.Float32frombits
	s0, s1, s2, s3 := f(sums[0]), f(sums[1]), f(sums[2]), f(sums[3])
	for k, w := range row {
		x, y := f(w), b[k*ir.ProductColumns:][:4]
		s0, s1 = lane.MulAddF(x, f(y[0]), s0), lane.MulAddF(x, f(y[1]), s1)
		s2, s3 = lane.MulAddF(x, f(y[2]), s2), lane.MulAddF(x, f(y[3]), s3)
	}
	sums[0], sums[1] = math.Float32bits(s0), math.Float32bits(s1)
	sums[2], sums[3] = math.Float32bits(s2), math.Float32bits(s3)
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
