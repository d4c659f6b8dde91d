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

// sharedWord sets RAX to where the word of shared memory is at an offset that a scalar register
// has, or jumps where there is none. R12 has where that memory begins.
func sharedWord(e *emitter, s int32, none int) {
	e.was = 0 // parts of a strip follow each other
	loadWord(e, amd64.RAX, s)
	e.W(amd64.CMPL, amd64.RAX, amd64.M(regFrame, frameSharedLimit))
	e.JIf(amd64.IfNotBelow, none)
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R12))
}

// loadSharedWord loads a word of shared memory for all lanes.
func loadSharedWord(e *emitter, in *Inst) {
	none, z := e.NewLabel(), e.value(in.D)
	e.V(amd64.VPXORD, z, z, amd64.R(z))
	sharedWord(e, in.C-1, none)
	e.V(amd64.VPBROADCASTD, z, 0, amd64.M(amd64.RAX, 0))
	e.Here(none)
}

// storeSharedWord stores to a word of shared memory what the last live lane of the mask has.
func storeSharedWord(e *emitter, in *Inst) {
	none := e.NewLabel()
	x := e.in(e.arg(in.C), scratch2)
	writing(e, in)
	e.KTO(amd64.RCX, maskStep2)
	e.W(amd64.TESTL, amd64.RCX, amd64.GArg(amd64.RCX))
	e.JIf(amd64.IfZero, none)
	sharedWord(e, in.B-1, none)
	e.Mov1(amd64.VMOVDQUTo, x, amd64.M(regFrame, frameTemps))
	e.W(amd64.BSR, amd64.RCX, amd64.GArg(amd64.RCX))
	e.At(amd64.Loads(4), amd64.RCX, regFrame, amd64.RCX, 2, frameTemps)
	e.W(amd64.MOVLTo, amd64.RCX, amd64.M(amd64.RAX, 0))
	e.Here(none)
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
