package native

import "github.com/pumice-gpu/pumice/internal/exec/arm64"

// armMemory writes what loads and stores.
type armMemory struct{ *armEmitter }

// inMemory writes an instruction that loads or stores.
func (e armMemory) inMemory(in *Inst) {
	switch in.Kind {
	case KindLoadShared:
		e.wordsAt(xFrame, frameShared)
		e.loadAt(in.D, e.in(offsetsOf(in.A, in.C), n0))
	case KindStoreShared:
		e.wordsAt(xFrame, frameShared)
		e.store(in, offsetsOf(in.A, in.B))
	case KindLoadBuffer:
		e.bufferAt(in)
		e.load(in.D, in.A)
	case KindLoadPair:
		e.loadPair(in)
	case KindAhead:
		e.bufferAt(in)
		o := e.in(lanes(in.A), n0)
		e.DUPG4S(n1, xLimit)
		e.V3(arm64.UMIN4S, n0, o, n1)
		for i := 0; i < stripWidth; i += 2 { // neighbours mostly share a line
			e.UMOV4S(x9, n0, i)
			e.PREFETCH(xBase, x9)
		}
	case KindLoadPush:
		e.wordsAt(xFrame, framePush)
		e.load(in.D, in.A)
	case KindLoadTable:
		e.wordsAt(xFrame, frameTable)
		e.load(in.D, in.A)
	case KindLoadBufferU:
		e.bufferAt(in)
		e.loadUniform(in)
	case KindLoadPushU:
		e.wordsAt(xFrame, framePush)
		e.loadUniform(in)
	case KindLoadTableU:
		e.wordsAt(xFrame, frameTable)
		e.loadUniform(in)
	case KindStoreBuffer:
		e.bufferAt(in)
		e.store(in, lanes(in.A))
	case KindLoadBufferE:
		armLoadElements(e, in)
	case KindStoreBufferE:
		armStoreElements(e, in)
	case KindSizeBufferU:
		armSizeOfElement(e, in)
	case KindSizeBufferE:
		armSizesOfElements(e, in)
	case KindAtomicMem:
		e.atomicMem(in)
	case KindGroup:
		armGroup{armMemory: e}.write(in)
	case KindLoadPrivate, KindStorePrivate:
		switch {
		case in.C > 0:
			e.privateAtRow(in)
		case in.Kind == KindLoadPrivate:
			e.loadPrivate(in)
		default:
			e.storePrivate(in)
		}
	case KindLoadMem:
		e.loadMem(in)
	case KindStoreMemU:
		e.storeMemU(in)
	case KindLoadMemU:
		e.loadMemU(in)
	case KindStoreMem:
		e.storeMem(in)
	case KindFirst, KindStoreBufferU, KindLoadSharedU, KindStoreSharedU, KindShiftU,
		KindLoadPrivateU, KindStorePrivateU:
		e.wordOfOne(in)
	case KindLoadPrivateAt:
		e.privateWord(in.C)
		z := e.value(in.D)
		e.Indexed(arm64.LDRQ, z, xBase, xStrip)
	case KindStorePrivateAt:
		z, k := e.in(lanes(in.B), n0), e.executes(in.M)
		e.privateWord(in.C)
		e.Indexed(arm64.LDRQ, n1, xBase, xStrip)
		e.V3(arm64.BIT, n1, z, k)
		e.Indexed(arm64.STRQ, n1, xBase, xStrip)
	default:
		armPlace(e).place(in)
	}
}

// wordsAt sets xBase and xLimit to where words are and how far they may begin, which
// stand side by side.
func (e armMemory) wordsAt(base arm64.G, at int) {
	e.Gen(arm64.LDRX, xBase, base, at)
	e.Gen(arm64.LDRX, xLimit, base, at+8)
}

func (e armMemory) bufferAt(in *Inst) {
	element, known := e.constantOf(in.B)
	if !known {
		e.Gen(arm64.LDRW, x9, xScalars, 4*int(in.B))
		armChosenElement(e, in.Imm)
		return
	}
	e.wordsAt(xBuffers, 16*e.r.buffer(bufferRef{resource: in.Imm, element: element}))
}

// follow sets x9 to the first lane's offset, or jumps where the lanes do not have offsets
// that follow each other, 4 bytes apart, or where not all are below the limit.
func (e armMemory) follow(o arm64.V, not int) {
	e.UMOV4S(x9, o, 0)
	e.ADDImm(x10, x9, 4*(stripWidth-1))
	e.CMP(x10, xLimit)
	e.JIf(arm64.NotBelow, not)
	e.DUP4S(n1, o, 0)
	e.Const(n3, 4<<32, 12<<32|8)
	e.V3(arm64.ADD4S, n1, n1, n3)
	e.V3(arm64.CMEQ4S, n1, n1, o)
	e.bits(n1)
	e.CMNImm(x10, 1)
	e.JIf(arm64.NotEqual, not)
}

// zeroWord sets x14 to the address of a zero, for loads at the limit or beyond.
func (e armMemory) zeroWord() { e.ADDImm(x14, xFrame, frameZero) }

// load loads words at the offsets of a lane register: one vector where they follow each
// other, else each by itself. Those at the limit or beyond are zero.
func (e armMemory) load(d, offsets int32) { e.loadAt(d, e.in(lanes(offsets), n0)) }

func (e armMemory) loadAt(d int32, o arm64.V) {
	z := e.value(d)
	if z == o {
		z = n5
	}
	done := -1
	if !e.r.program.Scattered {
		each := e.NewLabel()
		done = e.NewLabel()
		e.follow(o, each)
		e.Indexed(arm64.LDRQ, z, xBase, x9)
		e.JMP(done)
		e.Here(each)
	}
	e.zeroWord()
	for i := range stripWidth {
		e.UMOV4S(x9, o, i)
		e.word(z, i)
	}
	if done >= 0 {
		e.Here(done)
	}
	e.put(d, z)
}

// word loads the word at offset x9 to a lane of z.
func (e armMemory) word(z arm64.V, lane int) {
	e.CMP(x9, xLimit)
	e.G3(arm64.ADDX, x9, x9, xBase)
	e.CSEL(x9, x9, x14, arm64.Below)
	if lane == 0 { // what z held does not matter
		e.Vec(arm64.LDRS, z, x9, 0)
	} else {
		e.LD14S(z, lane, x9)
	}
}

// loadPair loads two words of each lane, of which the second mostly lies behind the first.
func (e armMemory) loadPair(in *Inst) {
	x := &e.r.aux[in.C]
	if Kind(in.Op) == KindLoadBuffer {
		e.bufferAt(in)
	} else {
		e.wordsAt(xFrame, frameShared)
	}
	first, second := e.in(lanes(x.Args[0]), n0), n1
	e.constant(n2, 4)
	e.V3(arm64.ADD4S, n2, n2, first)
	each, done := e.NewLabel(), e.NewLabel()
	e.DUPG4S(n4, xLimit)
	if len(x.Args) == 2 {
		second = e.in(lanes(x.Args[1]), n1)
		e.V3(arm64.CMEQ4S, n2, n2, second)
		e.V3(arm64.CMHI4S, n3, n4, second)
		e.V3(arm64.AND, n2, n2, n3)
	} else {
		e.MOV(second, n2)
		e.V3(arm64.CMHI4S, n2, n4, second)
	}
	e.V3(arm64.CMHI4S, n3, n4, first)
	e.V3(arm64.AND, n2, n2, n3)
	e.bits(n2)
	e.CMNImm(x10, 1)
	e.JIf(arm64.NotEqual, each)
	// All are there, and side by side.
	for i := range stripWidth {
		to := [2]arm64.V{n2, n3}[i/2]
		e.UMOV4S(x9, first, i)
		e.G3(arm64.ADDX, x9, x9, xBase)
		if i%2 == 0 {
			e.Vec(arm64.LDRD, to, x9, 0)
		} else {
			e.LD12D(to, 1, x9)
		}
	}
	e.V3(arm64.UZP14S, n4, n2, n3)
	e.V3(arm64.UZP24S, n5, n2, n3)
	e.JMP(done)
	e.Here(each)
	e.zeroWord()
	for i := range stripWidth {
		e.UMOV4S(x9, first, i)
		e.word(n4, i)
		e.UMOV4S(x9, second, i)
		e.word(n5, i)
	}
	e.Here(done)
	e.put(x.Results[0], n4)
	e.put(x.Results[1], n5)
}

// loadUniform loads a word to a scalar register.
func (e armMemory) loadUniform(in *Inst) {
	e.zeroWord()
	e.Gen(arm64.LDRW, x9, xScalars, 4*int(in.A))
	e.word(n0, 0)
	e.toScalar(in.D, n0)
}

// offsetsOf are those of an access to shared memory, see uniformOffsets.
func offsetsOf(v, s int32) operand {
	if s > 0 {
		return scalar(s - 1)
	}
	return lanes(v)
}

// store stores words of the lanes of the mask that are live.
func (e armMemory) store(in *Inst, offsets operand) {
	o, x := e.in(offsets, n0), e.in(lanes(in.C), n2)
	done := e.NewLabel()
	e.writing(in)
	e.storeAt(o, []arm64.V{x}, 2, done)
	e.Here(done)
}

// storeAt stores numbers of 1<<log bytes, or words that follow each other, at offsets behind xBase
// in the lanes of n4 that are below xLimit. It may jump to done, which is behind it.
func (e armMemory) storeAt(o arm64.V, values []arm64.V, log uint8, done int) {
	each := e.NewLabel()
	e.DUPG4S(n1, xLimit)
	e.V3(arm64.CMHI4S, n1, n1, o)
	e.V3(arm64.AND, n4, n4, n1)
	e.bits(n4)
	e.CBZ(x10, done)
	if log == 2 && len(values) == 1 {
		e.CMNImm(x10, 1)
		e.JIf(arm64.NotEqual, each)
		e.follow(o, each)
		e.Indexed(arm64.STRQ, values[0], xBase, x9)
		e.JMP(done)
		e.Here(each)
		e.bits(n4)
	}
	e.eachSet(func(i, _ int) {
		e.UMOV4S(x9, o, i)
		e.G3(arm64.ADDX, x9, x9, xBase)
		for j, v := range values {
			if log < 2 {
				e.UMOV4S(x11, v, i)
				e.Gen(narrow[log].store, x11, x9, 0)
				continue
			}
			if j > 0 {
				e.ADDImm(x9, x9, 4)
			}
			e.ST14S(v, i, x9)
		}
	})
}

// privateWord sets xBase to where word w of all lanes' private memory begins.
func (e armMemory) privateWord(w int32) {
	e.Gen(arm64.LDRX, xBase, xFrame, framePrivate)
	e.Imm(x9, uint64(w)*uint64(e.stride))
	e.G3(arm64.ADDX, xBase, xBase, x9)
}

// loadPrivate loads private words at offsets of their own: word w of lane i stands at
// w·stride + i.
func (e armMemory) loadPrivate(in *Inst) {
	o, z := e.in(lanes(in.A), n0), n5
	e.zeroWord()
	e.Gen(arm64.LDRX, xBase, xFrame, framePrivate)
	e.G3(arm64.ADDX, xBase, xBase, xStrip)
	e.Imm(xLimit, uint64(e.r.program.PrivateBytes))
	e.Imm(x11, uint64(e.stride))
	for i := range stripWidth {
		e.UMOV4S(x9, o, i)
		e.CMP(x9, xLimit)
		e.Bits(x9, x9, 2, 30)
		e.G4(arm64.MADDX, x9, x9, x11, xBase)
		e.CSEL(x9, x9, x14, arm64.Below)
		if i == 0 {
			e.Vec(arm64.LDRS, z, x9, 0)
		} else {
			e.LD14S(z, i, x9)
		}
		e.ADDImm(xBase, xBase, 4)
	}
	e.put(in.D, z)
}
