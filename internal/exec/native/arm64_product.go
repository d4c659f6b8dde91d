package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// product writes a row of a product of matrices, an element of A after the other. Steps are short, so
// that B need not be in registers as a whole.
func (e armGroup) product(m int32) {
	shape := e.g.Product(uint32(e.size))
	a, b, c := e.x.Args[:shape.A], e.x.Args[shape.A:][:shape.B], e.x.Args[shape.A+shape.B:]
	for i, v := range e.x.Results {
		e.put(v, e.in(lanes(c[i]), n0))
		e.endSteps(int(e.index))
	}
	for k := range int(e.g.Depth) {
		e.V3(arm64.AND, n0, e.in(lanes(a[k/e.size]), n0), e.executes(m))
		e.spread(n0, n0, k%e.size)
		for i, v := range e.x.Results {
			y := e.in(lanes(b[k*len(c)+i]), n1)
			if e.g.Arith == ir.GroupFAdd {
				e.V3(arm64.FMLA4S, e.value(v), n0, y)
				continue
			}
			e.V3(arm64.MUL4S, n2, n0, y)
			e.V3(arm64.ADD4S, e.value(v), e.value(v), n2)
		}
		e.endSteps(int(e.index))
	}
}
