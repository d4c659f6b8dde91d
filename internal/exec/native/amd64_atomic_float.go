package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Atomics on floats: each lane's is one exchange, whose number the instructions of vectors compute
// in all lanes alike, so that its bits are theirs.

// floatOfBoth returns what an operation on floats of 1<<log bytes makes of RAX and RDX, in all
// lanes, with canonical NaNs; binary16 becomes binary32.
func floatOfBoth(e *emitter, op ir.Op, wide ir.WideOp, log uint8) amd64.Z {
	first, second := amd64.M(regFrame, frameTemps), amd64.M(regFrame, frameTemps+8)
	e.W(amd64.MOVQTo, amd64.RAX, first)
	e.W(amd64.MOVQTo, amd64.RDX, second)
	x, y := scratch4, scratch5
	if log == 3 {
		e.wide.settles = [3]bool{}
		e.Mov1(amd64.VPBROADCASTQ, x, first)
		e.Mov1(amd64.VPBROADCASTQ, y, second)
		pairAMD64{e}.halfOf(wide, scratch2, 0, [3]amd64.Arg{amd64.R(x), amd64.R(y)})
		canonWide(e, scratch2)
		return scratch2
	}
	e.floats = [2]floatFact{}
	e.Mov1(amd64.VPBROADCASTD, x, first)
	e.Mov1(amd64.VPBROADCASTD, y, second)
	if log == 1 {
		laneAMD64{e}.fromHalf(x, x)
		laneAMD64{e}.fromHalf(y, y)
	}
	laneAMD64{e}.op(op, scratch3, amd64.R(x), amd64.R(y), amd64.Arg{})
	e.canon(scratch3, amd64.R(scratch3))
	return scratch3
}

// combineFloat sets RDX to what an atomic makes of RAX, which is there, and RDX.
func (w *atomicWriter) combineFloat() {
	e, op := w.e, floatAtomics[w.m.Atomic.Base()]
	z := floatOfBoth(e, op.op, op.wide, w.m.Log)
	flush := w.m.Atomic&ir.AtomicFlush != 0
	switch least := uint32(0x00800000); {
	case w.m.Log == 3 && flush:
		pairAMD64{e}.halfOf(ir.WideFlush64, z, 0, [3]amd64.Arg{amd64.R(z)})
	case w.m.Log == 3:
	default:
		if w.m.Log == 1 || w.m.Atomic&ir.AtomicHalf != 0 {
			laneAMD64{e}.toHalf(scratch1, amd64.R(z))
			laneAMD64{e}.fromHalf(z, scratch1)
			least = 0x38800000
		}
		if flush {
			flushWords(e, z, least)
		}
		if w.m.Log == 1 {
			laneAMD64{e}.toHalf(z, amd64.R(z))
		}
	}
	result := amd64.M(regFrame, w.row(atomicNumber))
	e.Mov1(amd64.VMOVDQUTo, z, result)
	if e.W(amd64.MOVQ, amd64.RDX, result); w.m.Log < 3 {
		e.W(amd64.MOVL, amd64.RDX, result)
	}
}

// canonWide makes NaNs of binary64 canonical.
func canonWide(e *emitter, z amd64.Z) {
	e.ToMask(amd64.VCMPPD, maskStep, z, amd64.R(z), 3, 0)
	e.VK(amd64.VPBROADCASTQ, z, 0, e.Pool(0x7FF8000000000000).One(), maskStep)
}

// flushWords makes zeros, of the same sign, of words that without it are below least.
func flushWords(e *emitter, z amd64.Z, least uint32) {
	e.V(amd64.VPANDD, scratch1, z, e.constant(constAbs))
	e.ToMask(amd64.VPCMPUD, maskStep2, scratch1, e.words(least), 1, 0)
	e.V(amd64.VPANDD, scratch1, z, e.constant(constSign))
	e.VK(amd64.VMOVDQU, z, 0, amd64.R(scratch1), maskStep2)
}
