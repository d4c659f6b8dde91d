package native

import "github.com/pumice-gpu/pumice/internal/exec/arm64"

// inMemory writes an instruction that loads or stores.
func (e *emitter) inMemory(in *Inst) {
	switch in.Kind {
	case KindLoadShared:
		e.wordsAt(regFrame, frameShared)
		e.load(in.D, in.A)
	case KindStoreShared:
		e.wordsAt(regFrame, frameShared)
		e.store(in)
	case KindLoadBuffer:
		e.bufferAt(in)
		e.load(in.D, in.A)
	case KindLoadPair:
		e.loadPair(in)
	case KindAhead:
		e.bufferAt(in)
		o := e.in(lanes(in.A), scratch0)
		e.DUPG4S(scratch1, regLimit)
		e.V3(arm64.UMIN4S, scratch0, o, scratch1)
		for i := 0; i < stripWidth; i += 2 { // neighbours mostly share a line
			e.UMOV4S(step0, scratch0, i)
			e.PREFETCH(regBase, step0)
		}
	case KindLoadPush:
		e.wordsAt(regFrame, framePush)
		e.load(in.D, in.A)
	case KindLoadTable:
		e.wordsAt(regFrame, frameTable)
		e.load(in.D, in.A)
	case KindLoadBufferU:
		e.bufferAt(in)
		e.loadUniform(in)
	case KindLoadPushU:
		e.wordsAt(regFrame, framePush)
		e.loadUniform(in)
	case KindLoadTableU:
		e.wordsAt(regFrame, frameTable)
		e.loadUniform(in)
	case KindStoreBuffer:
		e.bufferAt(in)
		e.store(in)
	case KindLoadPrivate:
		e.loadPrivate(in)
	case KindLoadPrivateAt:
		e.privateWord(in.C)
		z := e.to(in.D)
		e.Indexed(arm64.LDRQ, z, regBase, regStrip)
		e.put(in.D, z)
	case KindStorePrivateAt:
		z, k := e.in(lanes(in.B), scratch0), e.executes(in.M)
		e.privateWord(in.C)
		e.Indexed(arm64.LDRQ, scratch1, regBase, regStrip)
		e.V3(arm64.BIT, scratch1, z, k)
		e.Indexed(arm64.STRQ, scratch1, regBase, regStrip)
	default:
		e.place(in)
	}
}

// wordsAt sets regBase and regLimit to where words are and how far they may begin, which
// stand side by side.
func (e *emitter) wordsAt(base arm64.G, at int) {
	e.Gen(arm64.LDRX, regBase, base, at)
	e.Gen(arm64.LDRX, regLimit, base, at+8)
}

func (e *emitter) bufferAt(in *Inst) {
	e.wordsAt(regBuffers, 16*e.r.buffer(bufferRef{resource: in.Imm, element: e.r.consts[in.B]}))
}

// follow sets step0 to the first lane's offset, or jumps where the lanes do not have offsets
// that follow each other, 4 bytes apart, or where not all are below the limit.
func (e *emitter) follow(o arm64.V, not int) {
	e.UMOV4S(step0, o, 0)
	e.ADDImm(step1, step0, 4*(stripWidth-1))
	e.CMP(step1, regLimit)
	e.JIf(arm64.NotBelow, not)
	e.DUP4S(scratch1, o, 0)
	e.Const(scratch3, 4<<32, 12<<32|8)
	e.V3(arm64.ADD4S, scratch1, scratch1, scratch3)
	e.V3(arm64.CMEQ4S, scratch1, scratch1, o)
	e.bits(scratch1)
	e.CMNImm(step1, 1)
	e.JIf(arm64.NotEqual, not)
}

// zeroWord sets step3 to the address of a zero, for loads at the limit or beyond.
func (e *emitter) zeroWord() { e.ADDImm(step3, regFrame, frameZero) }

// load loads words at the offsets of a lane register: one vector where they follow each
// other, else each by itself. Those at the limit or beyond are zero.
func (e *emitter) load(d, offsets int32) {
	o, z := e.in(lanes(offsets), scratch0), e.to(d)
	if e.same(z, o) {
		z = scratch5
	}
	done := -1
	if !e.r.program.Scattered {
		each := e.NewLabel()
		done = e.NewLabel()
		e.follow(o, each)
		e.Indexed(arm64.LDRQ, z, regBase, step0)
		e.JMP(done)
		e.Here(each)
	}
	e.zeroWord()
	for i := range stripWidth {
		e.UMOV4S(step0, o, i)
		e.word(z, i)
	}
	if done >= 0 {
		e.Here(done)
	}
	e.put(d, z)
}

// word loads the word at offset step0 to a lane of z.
func (e *emitter) word(z arm64.V, lane int) {
	e.CMP(step0, regLimit)
	e.ADD(step0, step0, regBase)
	e.CSEL(step0, step0, step3, arm64.Below)
	if lane == 0 { // what z held does not matter
		e.Vec(arm64.LDRS, z, step0, 0)
	} else {
		e.LD14S(z, lane, step0)
	}
}

// loadPair loads two words of each lane, of which the second mostly lies behind the first.
func (e *emitter) loadPair(in *Inst) {
	x := &e.r.aux[in.C]
	if Kind(in.Op) == KindLoadBuffer {
		e.bufferAt(in)
	} else {
		e.wordsAt(regFrame, frameShared)
	}
	first, second := e.in(lanes(x.Args[0]), scratch0), scratch1
	e.constant(scratch2, 4)
	e.V3(arm64.ADD4S, scratch2, scratch2, first)
	each, done := e.NewLabel(), e.NewLabel()
	e.DUPG4S(scratch4, regLimit)
	if len(x.Args) == 2 {
		second = e.in(lanes(x.Args[1]), scratch1)
		e.V3(arm64.CMEQ4S, scratch2, scratch2, second)
		e.V3(arm64.CMHI4S, scratch3, scratch4, second)
		e.V3(arm64.AND, scratch2, scratch2, scratch3)
	} else {
		e.MOV(second, scratch2)
		e.V3(arm64.CMHI4S, scratch2, scratch4, second)
	}
	e.V3(arm64.CMHI4S, scratch3, scratch4, first)
	e.V3(arm64.AND, scratch2, scratch2, scratch3)
	e.bits(scratch2)
	e.CMNImm(step1, 1)
	e.JIf(arm64.NotEqual, each)
	// All are there, and side by side.
	for i := range stripWidth {
		to := [2]arm64.V{scratch2, scratch3}[i/2]
		e.UMOV4S(step0, first, i)
		e.ADD(step0, step0, regBase)
		if i%2 == 0 {
			e.Vec(arm64.LDRD, to, step0, 0)
		} else {
			e.LD12D(to, 1, step0)
		}
	}
	e.V3(arm64.UZP14S, scratch4, scratch2, scratch3)
	e.V3(arm64.UZP24S, scratch5, scratch2, scratch3)
	e.JMP(done)
	e.Here(each)
	e.zeroWord()
	for i := range stripWidth {
		e.UMOV4S(step0, first, i)
		e.word(scratch4, i)
		e.UMOV4S(step0, second, i)
		e.word(scratch5, i)
	}
	e.Here(done)
	e.put(x.Results[0], scratch4)
	e.put(x.Results[1], scratch5)
}

// loadUniform loads a word to a scalar register.
func (e *emitter) loadUniform(in *Inst) {
	e.zeroWord()
	e.Gen(arm64.LDRW, step0, regScalars, 4*int(in.A))
	e.word(scratch0, 0)
	e.toScalar(in.D, scratch0)
}

// store stores words of the lanes of the mask that are live.
func (e *emitter) store(in *Inst) {
	o, x := e.in(lanes(in.A), scratch0), e.in(lanes(in.C), scratch2)
	each, done := e.NewLabel(), e.NewLabel()
	k := e.executes(in.M)
	e.Gen(arm64.LDRX, step0, regFrame, frameLive)
	e.Indexed(arm64.LDRQ, scratch4, step0, regStrip)
	e.V3(arm64.AND, scratch4, scratch4, k)
	e.DUPG4S(scratch1, regLimit)
	e.V3(arm64.CMHI4S, scratch1, scratch1, o)
	e.V3(arm64.AND, scratch4, scratch4, scratch1)
	e.bits(scratch4)
	e.CBZ(step1, done)
	e.CMNImm(step1, 1)
	e.JIf(arm64.NotEqual, each)
	e.follow(o, each)
	e.Indexed(arm64.STRQ, x, regBase, step0)
	e.JMP(done)
	e.Here(each)
	e.bits(scratch4)
	for i := range stripWidth {
		not := e.NewLabel()
		e.Bits(step0, step1, 16*i, 1)
		e.CBZ(step0, not)
		e.UMOV4S(step0, o, i)
		e.ADD(step0, step0, regBase)
		e.ST14S(x, i, step0)
		e.Here(not)
	}
	e.Here(done)
}

// privateWord sets regBase to where word w of all lanes' private memory begins.
func (e *emitter) privateWord(w int32) {
	e.Gen(arm64.LDRX, regBase, regFrame, framePrivate)
	e.Imm(step0, uint64(w)*uint64(e.stride))
	e.ADD(regBase, regBase, step0)
}

// loadPrivate loads private words at offsets of their own: word w of lane i stands at
// w·stride + i.
func (e *emitter) loadPrivate(in *Inst) {
	o, z := e.in(lanes(in.A), scratch0), scratch5
	e.zeroWord()
	e.Gen(arm64.LDRX, regBase, regFrame, framePrivate)
	e.ADD(regBase, regBase, regStrip)
	e.Imm(regLimit, uint64(e.r.program.PrivateBytes))
	e.Imm(step2, uint64(e.stride))
	for i := range stripWidth {
		e.UMOV4S(step0, o, i)
		e.CMP(step0, regLimit)
		e.Bits(step0, step0, 2, 30)
		e.MADD(step0, step0, step2, regBase)
		e.CSEL(step0, step0, step3, arm64.Below)
		if i == 0 {
			e.Vec(arm64.LDRS, z, step0, 0)
		} else {
			e.LD14S(z, i, step0)
		}
		e.ADDImm(regBase, regBase, 4)
	}
	e.put(in.D, z)
}
