package native

import "github.com/pumice-gpu/pumice/internal/ir"

// commutesAtomic says that atomics of some kind may come in any order as long as nobody reads what they
// find.
func commutesAtomic(op ir.AtomicOp) bool {
	switch op {
	case ir.AtomicAdd, ir.AtomicAnd, ir.AtomicOr, ir.AtomicXor, ir.AtomicSMin, ir.AtomicSMax,
		ir.AtomicUMin, ir.AtomicUMax:
		return true
	}
	return false
}

// Rows of an atomic in the frame: where, numbers and comparators in words, results.
const (
	atomicWhere = iota
	atomicValue
	atomicComparator = atomicValue + 2
	atomicResult     = atomicComparator + 2
	atomicNumber     = atomicResult + 2 // of combineFloat
	atomicRows       = atomicNumber + 1
)

// directAtomic says that machine code does an atomic.
func directAtomic(m ir.Mem) bool {
	switch m.Atomic.Base() {
	case ir.AtomicFAdd, ir.AtomicFMin, ir.AtomicFMax, ir.AtomicExchange, ir.AtomicLoad, ir.AtomicStore:
		return m.Log > 0
	case ir.AtomicCompareExchange:
		return m.Log >= 2
	}
	return m.Log >= 2 && commutesAtomic(m.Atomic)
}

// floatAtomics are the atomics on floats, as operations on words and on pairs.
var floatAtomics = map[ir.AtomicOp]struct {
	op   ir.Op
	wide ir.WideOp
}{
	ir.AtomicFAdd: {ir.OpFAdd, ir.WideFAdd}, ir.AtomicFMin: {ir.OpFMin, ir.WideFMin},
	ir.AtomicFMax: {ir.OpFMax, ir.WideFMax},
}

// orderAtomics keeps the order of atomics that of loops: all lanes do one before any lane does
// the next one. A block, which does a strip after the other, has one of them, outside of its
// loops; or it has some that come to the same in any order.
func (c *divider) orderAtomics(cut, edge []bool) {
	var uses []int32
	var last int64 // the atomics of the present range; 0: none
	const ordered = -1
	for i := range c.code {
		in := &c.code[i]
		if cut[i] || edge[i] {
			last = 0
		}
		if in.Kind != KindAtomicMem || cut[i] {
			continue
		}
		if uses == nil {
			uses = c.uses()
		}
		m, what := ir.MemOf(uint64(in.Imm)), int64(ordered)
		unread := true
		for _, d := range c.r.aux[in.C].Results {
			unread = unread && uses[d] == 0
		}
		if unread {
			in.A |= atomicUnread
		}
		if unread && commutesAtomic(m.Atomic) {
			what = 1 + int64(m.Atomic)<<8 | int64(m.Log)
		}
		if what == ordered {
			for _, l := range c.loops {
				if int(l[0]) <= i && i < int(l[1]) {
					cut[l[1]-1] = true
				}
			}
		}
		if last != 0 && (what == ordered || last != what) {
			edge[i] = true
		}
		last = what
	}
}
