package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

func (x86) prepare(e *layout) { e.mergeSets(merges) }

// merges says that mergedOp writes an instruction, with a result in register d.
func merges(in *Inst, d int32) bool {
	switch in.Kind {
	case KindVV, KindVU, KindUV:
		return simple[in.Op] != (amd64.Op{})
	case KindVVV, KindVUV:
		return in.Op == ir.OpFma && in.C == d
	case KindFusedVVV, KindFusedVVU, KindFusedVUV, KindFusedVUU:
		return in.Op == FusedMulAdd
	}
	return false
}

// mergedOp writes an operation whose result goes to lanes of a mask only.
func (e laneAMD64) mergedOp(in *Inst) {
	k := e.executes(in.M)
	z := e.value(in.D)
	switch in.Kind {
	case KindVV, KindVU, KindUV:
		a, b := e.scalar(in.A), e.scalar(in.B)
		l := fieldsOf[in.Kind]
		if l&laneA != 0 {
			a = e.arg(in.A)
		}
		if l&laneB != 0 {
			b = e.arg(in.B)
		}
		if a.IsMem() && !b.IsMem() && commutes[in.Op] {
			a, b = b, a
		}
		e.VK(simple[in.Op], z, e.in(a, scratch0), b, k)
	case KindVVV, KindVUV:
		b, _ := e.others(in)
		e.VK(amd64.VFMADD231PS, z, e.in(e.arg(in.A), scratch0), b, k)
	default:
		b, c := e.others(in)
		e.V(amd64.VMULPS, scratch0, e.in(e.arg(in.A), scratch0), b)
		e.VK(amd64.VADDPS, z, scratch0, c, k)
	}
}
