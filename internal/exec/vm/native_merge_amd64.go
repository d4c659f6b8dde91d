package vm

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// prepare changes instructions before anything is placed.
func (e *emitter) prepare() {
	if e.vectors.narrow {
		e.mergeSets(nil)
		return
	}
	e.mergeSets(merges)
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
