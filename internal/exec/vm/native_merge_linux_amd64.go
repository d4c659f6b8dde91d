package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// A sum in a loop is an addition and a set of a register under a mask: processors with masks do both at
// once.

// underMask marks instructions whose result goes to d in the lanes of mask m, in their imm.
const underMask = 1

// mergeWindow is how far behind what it sets a set may stand.
const mergeWindow = 16

// prepare changes instructions before anything is placed.
func (e *emitter) prepare() { e.mergeSets() }

// mergeSets has operations set the registers that sets under a mask set to nothing but their
// results.
func (e *emitter) mergeSets() {
	if e.vectors.narrow {
		return
	}
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
		if set.kind != kindSet || set.m == 0 || uses[set.a] != 1 || defs[set.a] != 1 || e.asMask[set.a] || e.asMask[set.d] {
			continue
		}
		i := at[set.a]
		if i > j || j-i > mergeWindow || section[i] != section[j] || !merges(&code[i], set.d) || e.touched(code[i+1:j], set.d, set.m) {
			continue
		}
		code[i].d, code[i].m, code[i].imm = set.d, set.m, underMask
		*set = instr{kind: kindNone, m: set.m}
	}
}

// merges says that mergedOp writes an instruction, with a result in register d.
func merges(in *instr, d int32) bool {
	switch in.kind {
	case kindVV, kindVU, kindUV:
		return simple[in.op] != (amd64.Op{})
	case kindVVV, kindVUV:
		return in.op == ir.OpFma && in.c == d
	case kindFusedVVV, kindFusedVVU, kindFusedVUV, kindFusedVUU:
		return in.op == fusedMulAdd
	}
	return false
}

// touched says that instructions read or write register v, or change mask m.
func (e *emitter) touched(code []instr, v, m int32) bool {
	found := false
	for i := range code {
		e.r.lanesIn(&code[i], func(r *int32, _ bool) { found = found || *r == v })
		found = found || slices.Contains(e.r.changes(&code[i]), m)
	}
	return found
}

// mergedOp writes an operation whose result goes to lanes of a mask only.
func (e *emitter) mergedOp(in *instr) {
	k := e.executes(in.m)
	to := e.places[in.d]
	z := scratch5
	if to.kind == placeVector {
		z = amd64.Z(to.n)
	}
	write := func(o amd64.Op, x amd64.Z, y amd64.Arg) {
		if to.kind == placeVector {
			e.VK(o, z, x, y, k)
			return
		}
		e.V(o, z, x, y)
		e.VK(amd64.VMOVDQUTo, z, 0, e.arg(in.d), k)
	}
	switch in.kind {
	case kindVV, kindVU, kindUV:
		a, b := e.scalar(in.a), e.scalar(in.b)
		l := lanesOf[in.kind]
		if l&laneA != 0 {
			a = e.arg(in.a)
		}
		if l&laneB != 0 {
			b = e.arg(in.b)
		}
		if a.IsMem() && !b.IsMem() && commutes[in.op] {
			a, b = b, a
		}
		write(simple[in.op], e.in(a, scratch0), b)
	case kindVVV, kindVUV:
		b, c := e.others(in)
		x := e.in(e.arg(in.a), scratch0)
		if to.kind != placeVector {
			e.Mov1(amd64.VMOVDQU, z, c)
		}
		write(amd64.VFMADD231PS, x, b)
	default:
		b, c := e.others(in)
		e.V(amd64.VMULPS, scratch0, e.in(e.arg(in.a), scratch0), b)
		write(amd64.VADDPS, scratch0, c)
	}
}
