package vm

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// wideRows are rows as loops of operations on pairs take them, in n lanes: the result and up to
// three operands, the low words and the high ones; or a constant.
type wideRows struct {
	d, dHi   *uint32
	args     [3][2]*uint32
	n        int
	constant [3]uint64
}

// wide executes OpWide on all lanes.
func (t *registers) wide(in *instr) {
	x := &t.r.aux[in.c]
	var rows [6][]uint32
	for i, r := range x.args {
		rows[i] = t.v[r]
	}
	t.wideRows(ir.WideOp(in.imm), rows[:], x.results)
}

// wideRows executes it on rows, one for each word of its operands. Pairs are put together for the
// operation and taken apart again: registers of one width keep everything else simple, and a loop
// in assembly has its operands in as many instructions.
func (t *registers) wideRows(op ir.WideOp, words [][]uint32, results []int32) {
	args, result := op.Signature()
	d, dHi, done := t.v[results[0]][:t.n], []uint32(nil), 0
	if result == 'w' {
		dHi = t.v[results[1]][:t.n]
	}
	if k := t.r.kernels.wide[op]; k != nil {
		w := &t.pairs // a local one would be allocated: what it is handed to is a variable
		w.d, w.dHi, w.n = &d[0], unsafe.SliceData(dHi), t.n
		next := 0
		for i := range args {
			w.args[i][0] = &words[next][0]
			if next++; args[i] == 'w' {
				w.args[i][1] = &words[next][0]
				next++
			}
		}
		k(w)
		if done = t.n &^ 3; done == t.n {
			return
		}
	}
	var rows [3][2][]uint32
	for i := range rows {
		rows[i] = [2][]uint32{t.zeros[:t.n], t.zeros[:t.n]}
	}
	for i := range args {
		rows[i][0], words = words[0][:t.n], words[1:]
		if args[i] == 'w' {
			rows[i][1], words = words[0][:t.n], words[1:]
		}
	}
	f := ir.EvalWideFunc(op)
	a, b, c := &rows[0], &rows[1], &rows[2]
	for i := done; i < t.n; i++ {
		r := f(pair(a[0][i], a[1][i]), pair(b[0][i], b[1][i]), pair(c[0][i], c[1][i]))
		d[i] = uint32(r)
		if dHi != nil {
			dHi[i] = uint32(r >> 32)
		}
	}
}
