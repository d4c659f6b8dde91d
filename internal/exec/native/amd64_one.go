package native

import "github.com/pumice-gpu/pumice/internal/exec/amd64"

// wordOfOne writes the instructions of one lane.
func wordOfOne(e *emitter, in *Inst) {
	switch in.Kind {
	case KindFirst:
		e.toScalar(in.D, e.in(e.arg(in.A), scratch0))
	case KindStoreBufferU:
		limit := memoryAMD64{e}.bufferAt(in)
		storeAt(e, in, limit)
	case KindLoadSharedU:
		e.W(amd64.MOVQ, amd64.R12, amd64.M(regFrame, frameShared))
		memoryAMD64{e}.loadUniform(in, amd64.M(regFrame, frameSharedLimit))
	case KindStoreSharedU:
		e.W(amd64.MOVQ, amd64.R12, amd64.M(regFrame, frameShared))
		storeAt(e, in, amd64.M(regFrame, frameSharedLimit))
	default:
		privateWordOfOne(e, in)
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
