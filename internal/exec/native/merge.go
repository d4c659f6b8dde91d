package native

import "slices"

// A sum in a loop is an addition and a set of a register: one instruction where all lanes take it, and on processors
// with masks where some do.

// underMask marks instructions whose result goes to d in the lanes of mask m, in their imm.
const underMask = 1

// mergeWindow is how far behind what it sets a set may stand.
const mergeWindow = 16

// mergeSets has operations set the registers that sets set to nothing but their results; masked says which do so
// under a mask, nil for none.
func (e *layout) mergeSets(masked func(in *Inst, d int32) bool) {
	code := e.b.code
	uses, defs := make([]int32, e.b.lanes), make([]int32, e.b.lanes)
	for _, v := range append(e.b.in[:len(e.b.in):len(e.b.in)], e.b.out...) {
		uses[v] = 2
	}
	at := make([]int, e.b.lanes)
	for i := range code {
		e.r.lanesIn(&code[i], func(v *int32, result bool) {
			if result {
				defs[*v]++
				at[*v] = i
			} else {
				uses[*v]++
			}
		})
	}
	for j := range code {
		set := &code[j]
		if set.Kind != KindSet || set.M != 0 && masked == nil || uses[set.A] != 1 || defs[set.A] != 1 || e.asMask[set.A] || e.asMask[set.D] {
			continue
		}
		i := at[set.A]
		if i > j || j-i > mergeWindow || e.section[i] != e.section[j] || e.touched(code[i+1:j], set.D, set.M) {
			continue
		}
		switch in := &code[i]; {
		case set.M == 0 && in.Kind <= KindFusedVUU:
			in.D = set.D
		case set.M != 0 && masked(in, set.D):
			in.D, in.M, in.Imm = set.D, set.M, underMask
		default:
			continue
		}
		*set = Inst{Kind: KindNone, M: set.M}
	}
}

// touched says that instructions read or write register v, or change mask m.
func (e *layout) touched(code []Inst, v, m int32) bool {
	found := false
	for i := range code {
		e.r.lanesIn(&code[i], func(r *int32, _ bool) { found = found || *r == v })
		found = found || slices.Contains(e.r.changes(&code[i]), m)
	}
	return found
}
