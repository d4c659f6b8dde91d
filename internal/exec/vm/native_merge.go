//go:build amd64 || arm64

package vm

import "slices"

// A sum in a loop is an addition and a set of a register: one instruction where all lanes take it, and on processors
// with masks where some do.

// underMask marks instructions whose result goes to d in the lanes of mask m, in their imm.
const underMask = 1

// mergeWindow is how far behind what it sets a set may stand.
const mergeWindow = 16

// mergeSets has operations set the registers that sets set to nothing but their results; masked says which do so
// under a mask, nil for none.
func (e *layout) mergeSets(masked func(in *instr, d int32) bool) {
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
	section := sections(code, 0)
	for j := range code {
		set := &code[j]
		if set.kind != kindSet || set.m != 0 && masked == nil || uses[set.a] != 1 || defs[set.a] != 1 || e.asMask[set.a] || e.asMask[set.d] {
			continue
		}
		i := at[set.a]
		if i > j || j-i > mergeWindow || section[i] != section[j] || e.touched(code[i+1:j], set.d, set.m) {
			continue
		}
		switch in := &code[i]; {
		case set.m == 0 && in.kind <= kindFusedVUU:
			in.d = set.d
		case set.m != 0 && masked(in, set.d):
			in.d, in.m, in.imm = set.d, set.m, underMask
		default:
			continue
		}
		*set = instr{kind: kindNone, m: set.m}
	}
}

// touched says that instructions read or write register v, or change mask m.
func (e *layout) touched(code []instr, v, m int32) bool {
	found := false
	for i := range code {
		e.r.lanesIn(&code[i], func(r *int32, _ bool) { found = found || *r == v })
		found = found || slices.Contains(e.r.changes(&code[i]), m)
	}
	return found
}
