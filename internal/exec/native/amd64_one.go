package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// wordOfOne writes the instructions of one lane.
func wordOfOne(e *emitter, in *Inst) {
	switch in.Kind {
	case KindFirst:
		e.toScalar(in.D, e.in(e.arg(in.A), scratch0))
	case KindStoreBufferU:
		storeAt(e, in, memoryAMD64{e}.bufferAt(in))
	case KindLoadSharedU:
		memoryAMD64{e}.loadUniform(in, e.wordsAt(frameShared))
	case KindStoreSharedU:
		storeAt(e, in, e.wordsAt(frameShared))
	case KindShiftU:
		shiftWords(e, in)
	default:
		privateWordOfOne(e, in)
	}
}

// shiftWords writes KindShiftU.
func shiftWords(e *emitter, in *Inst) {
	left, high := ir.WideOp(in.Imm&255) == ir.WideShl, in.Imm>>8 == 1
	switch {
	case left == high: // of both words
		loadWord(e, amd64.R12, in.B)
		e.WI(amd64.SHLQ, amd64.GArg(amd64.R12), 32)
		loadWord(e, amd64.RAX, in.A)
		e.W(amd64.ORQ, amd64.RAX, amd64.GArg(amd64.R12))
	case left:
		loadWord(e, amd64.RAX, in.A)
	default:
		loadWord(e, amd64.RAX, in.B)
	}
	by, imm := amd64.SHRLCL.Q(), amd64.SHRQ
	if left {
		by, imm = amd64.SHLLCL.Q(), amd64.SHLQ
	}
	if n, ok := e.constantOf(in.C); ok {
		e.WI(imm, amd64.GArg(amd64.RAX), int(n&63))
	} else {
		loadWord(e, amd64.RCX, in.C)
		e.W(by, 0, amd64.GArg(amd64.RAX))
	}
	if left && high {
		e.WI(amd64.SHRQ, amd64.GArg(amd64.RAX), 32)
	}
	storeWord(e, in.D, amd64.RAX)
	if !high {
		e.held = 0 // there is more in RAX
	}
}

// storeAt stores a scalar register behind R12.
func storeAt(e *emitter, in *Inst, limit amd64.Arg) {
	done := e.NewLabel()
	e.was = 0 // what looks the buffer up takes RAX
	loadWord(e, amd64.RAX, in.A)
	e.W(amd64.CMPL, amd64.RAX, limit)
	e.JIf(amd64.IfNotBelow, done)
	loadWord(e, amd64.RCX, in.C)
	e.At(amd64.Stores(4), amd64.RCX, amd64.R12, amd64.RAX, 0, 0)
	e.Here(done)
}

// privateWordOfOne loads or stores the private word that an offset is in.
func privateWordOfOne(e *emitter, in *Inst) {
	done := e.NewLabel()
	loadWord(e, amd64.RAX, in.A)
	e.W(amd64.MOVQ, amd64.R12, amd64.M(regFrame, framePrivate))
	if in.Kind == KindLoadPrivateU {
		e.W(amd64.XORL, amd64.RCX, amd64.GArg(amd64.RCX))
	} else {
		loadWord(e, amd64.RCX, in.C)
	}
	e.WI(amd64.CMPLImm, amd64.GArg(amd64.RAX), int(e.r.program.PrivateBytes))
	e.JIf(amd64.IfNotBelow, done)
	e.WI(amd64.ANDLImm, amd64.GArg(amd64.RAX), -4)
	if in.Kind == KindLoadPrivateU {
		e.At(amd64.MOVFrom, amd64.RCX, amd64.R12, amd64.RAX, 0, 0)
	} else {
		e.At(amd64.Stores(4), amd64.RCX, amd64.R12, amd64.RAX, 0, 0)
	}
	e.Here(done)
	if in.Kind == KindLoadPrivateU {
		storeWord(e, in.D, amd64.RCX)
	}
}
