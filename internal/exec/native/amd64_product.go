package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// product writes a row of a product of matrices. The row of A goes to the frame, where each of its
// elements is found for all lanes of a subgroup; the others stay where they are. Steps are short,
// so that B need not be in registers as a whole.
func (w *groupWriter) product(x *Operands, m int32) {
	e, shape := w.e, w.g.Product(uint32(w.size))
	a, b, c := x.Args[:shape.A], x.Args[shape.A:][:shape.B], x.Args[shape.A+shape.B:]
	w.rows = e.rows(shape.A)
	for i, v := range a {
		e.VZ(amd64.VMOVDQU, scratch0, 0, amd64.R(e.in(e.arg(v), scratch0)), e.executes(m))
		w.keep(scratch0, i)
	}
	for i, v := range x.Results {
		e.endSteps(int(e.index))
		e.put(v, e.in(e.arg(c[i]), e.value(v)))
	}
	for k := range int(w.g.Depth) {
		e.endSteps(int(e.index))
		one := amd64.M(regFrame, w.rows+imageRow*(k/w.size)+4*(k%w.size))
		if len(c) == 1 && !e.spreads() && w.g.Arith == ir.GroupFAdd {
			e.V(amd64.VFMADD231PS, e.value(x.Results[0]), e.in(e.arg(b[k]), scratch0), one.Every())
			continue
		}
		switch {
		case w.size == e.vectors.lanes:
			e.Mov1(amd64.VPBROADCASTD, scratch0, one)
		case w.size == 4:
			e.VI(amd64.VPSHUFD, scratch0, 0, w.row(k/4), k%4*0x55)
		default:
			w.load(scratch1, k/w.size)
			w.spread(scratch0, scratch1, k%w.size)
		}
		for i, v := range x.Results {
			y := e.arg(b[k*len(c)+i])
			if w.g.Arith == ir.GroupFAdd {
				e.V(amd64.VFMADD231PS, e.value(v), scratch0, y)
				continue
			}
			e.V(amd64.VPMULLD, scratch1, scratch0, y)
			e.V(amd64.VPADDD, e.value(v), e.value(v), amd64.R(scratch1))
		}
	}
}
