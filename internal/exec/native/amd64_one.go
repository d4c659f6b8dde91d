//go:build amd64 || arm64

package native

import "github.com/pumice-gpu/pumice/internal/exec/amd64"

// wordOfOne writes the instructions of one lane.
func wordOfOne(e *emitter, in *Inst) {
	switch in.Kind {
	case KindFirst:
		e.toScalar(in.D, e.in(e.arg(in.A), scratch0))
	case KindStoreBufferU:
		limit := e.bufferAt(in)
		storeAt(e, in, limit)
	case KindLoadSharedU:
		e.MOVQLoad(amd64.R12, amd64.M(regFrame, frameShared))
		e.loadUniform(in, amd64.M(regFrame, frameSharedLimit))
	case KindStoreSharedU:
		e.MOVQLoad(amd64.R12, amd64.M(regFrame, frameShared))
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
	e.CMPLMem(amd64.RAX, limit)
	e.JIf(amd64.IfNotBelow, done)
	loadWord(e, amd64.RCX, in.C)
	e.StoreAt(amd64.RCX, amd64.R12, amd64.RAX, 0, 0, 4)
	e.Here(done)
}

// privateWordOfOne loads or stores the private word that an offset is in.
func privateWordOfOne(e *emitter, in *Inst) {
	done := e.NewLabel()
	loadWord(e, amd64.RAX, in.A)
	e.MOVQLoad(amd64.R12, amd64.M(regFrame, framePrivate))
	if in.Kind == KindLoadPrivateU {
		e.XORL(amd64.RCX, amd64.RCX)
	} else {
		loadWord(e, amd64.RCX, in.C)
	}
	amd64.WordImm(&e.Asm, amd64.WordCmp, amd64.RAX, e.r.program.PrivateBytes)
	e.JIf(amd64.IfNotBelow, done)
	amd64.WordImm(&e.Asm, amd64.WordAnd, amd64.RAX, 1<<32-4)
	if in.Kind == KindLoadPrivateU {
		e.MOVLIndexed(amd64.RCX, amd64.R12, amd64.RAX)
	} else {
		e.StoreAt(amd64.RCX, amd64.R12, amd64.RAX, 0, 0, 4)
	}
	e.Here(done)
	if in.Kind == KindLoadPrivateU {
		storeWord(e, in.D, amd64.RCX)
	}
}
