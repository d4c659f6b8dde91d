package native

import "github.com/pumice-gpu/pumice/internal/exec/amd64"

// privateRow sets RAX to the words of the strip at an offset in private memory that a scalar register
// has, or jumps where there are none.
func privateRow(e *emitter, s int32, none int) {
	e.W(amd64.MOVL, amd64.RAX, e.word(s))
	e.WI(amd64.CMPLImm, amd64.GArg(amd64.RAX), int(e.r.program.PrivateBytes))
	e.JIf(amd64.IfNotBelow, none)
	e.WI(amd64.ANDLImm, amd64.GArg(amd64.RAX), -4)
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.R12), int(e.stride/4))
	e.W(amd64.IMULQ, amd64.RAX, amd64.R(amd64.Z(amd64.R12)))
	e.W(amd64.ADDQ, amd64.RAX, amd64.M(regFrame, framePrivate))
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regStrip))
}

// loadPrivateRow loads a private word whose offset all lanes share.
func loadPrivateRow(e *emitter, in *Inst) {
	none, done := e.NewLabel(), e.NewLabel()
	privateRow(e, in.C-1, none)
	e.VZ(amd64.VMOVDQU, scratch5, 0, e.lanesAt(amd64.RAX), e.all())
	e.JMP(done)
	e.Here(none)
	e.V(amd64.VPXORD, scratch5, scratch5, amd64.R(scratch5))
	e.Here(done)
	e.put(in.D, scratch5)
}

// storePrivateRow stores one in the lanes of the mask.
func storePrivateRow(e *emitter, in *Inst) {
	none := e.NewLabel()
	z := e.in(e.arg(in.B), scratch0)
	k := e.executes(in.M)
	privateRow(e, in.C-1, none)
	e.VK(amd64.VMOVDQUTo, z, 0, e.lanesAt(amd64.RAX), k)
	e.Here(none)
}
