package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// writing sets n4 to the lanes of an instruction's mask that are live: those in which it writes
// memory.
func (e armMemory) writing(in *Inst) {
	e.Gen(arm64.LDRX, x9, xFrame, frameLive)
	e.Indexed(arm64.LDRQ, n4, x9, xStrip)
	e.V3(arm64.AND, n4, n4, e.executes(in.M))
}

// memoryAt sets xBase to the memory of an access that is no address, and xLimit to how far such
// accesses may begin.
func (e armMemory) memoryAt(in *Inst) {
	m := ir.MemOf(uint64(in.Imm))
	switch m.Space {
	case ir.MemShared:
		e.wordsAt(xFrame, frameShared)
	case ir.MemPush:
		e.wordsAt(xFrame, framePush)
	default:
		e.bufferAt(&Inst{Imm: int64(m.Resource), B: in.element()})
	}
	switch { // it is how far words may, 0 for none
	case m.Log < 2:
		none := e.NewLabel()
		e.CBZ(xLimit, none)
		e.ADDImm(xLimit, xLimit, 4-1<<m.Log)
		e.Here(none)
	case m.Log == 3:
		e.Imm(x9, 4)
		e.G3(arm64.SUBSX, xLimit, xLimit, x9)
		e.CSEL(xLimit, xLimit, arm64.ZR, arm64.NotBelow)
	}
}

// inSite sets n0 to the distances of addresses from the first site of an instruction, xBase to
// where it is and xLimit to how far accesses may begin. Where not all lanes of k lie in it, each
// looks for its own, and the instruction goes on at done. It takes n1 to n3.
func (e armMemory) inSite(in *Inst, k arm64.V, done int) {
	x := &e.r.aux[in.C]
	miss, at := e.NewLabel(), siteBytes*ways*int(in.D-1)
	e.Gen(arm64.LDRX, x11, xFrame, frameSites)
	e.Gen(arm64.LDRX, xBase, x11, at+siteAt)
	e.Gen(arm64.LDRX, xLimit, x11, at+siteLimit)
	e.LD1R4S(n1, x11, at+siteHigh)
	e.V3(arm64.CMEQ4S, n2, e.in(lanes(x.Args[1]), n2), n1)
	e.LD1R4S(n1, x11, at)
	e.V3(arm64.SUB4S, n0, e.in(lanes(x.Args[0]), n0), n1)
	e.DUPG4S(n1, xLimit)
	e.V3(arm64.CMHI4S, n1, n1, n0)
	e.V3(arm64.AND, n2, n2, n1)
	e.V3(arm64.BIC, n2, k, n2)
	e.bits(n2)
	e.CBNZ(x10, miss)
	e.outOfLine(func() {
		e.Here(miss)
		if in.Kind == KindAtomicMem {
			e.byHost(in, k, done)
		} else {
			e.eachSite(in, k, done)
		}
	})
}

// rowsOf stores the operands of an instruction in rows of the frame, and zeros behind them for
// its results.
func (e armMemory) rowsOf(in *Inst) (rows int) {
	x := &e.r.aux[in.C]
	rows = e.rows(len(x.Args) + len(x.Results))
	for i, v := range x.Args {
		e.Vec(arm64.STRQ, e.in(lanes(v), n0), xFrame, rows+imageRow*i)
	}
	if len(x.Results) > 0 {
		e.MOVI(n0, 0, 0)
	}
	for i := range x.Results {
		e.Vec(arm64.STRQ, n0, xFrame, rows+imageRow*(len(x.Args)+i))
	}
	return rows
}

// byHost leaves an instruction to the host, in the lanes of k, and goes on at done.
func (e armMemory) byHost(in *Inst, k arm64.V, done int) {
	e.laneSet(frameServeMask, k)
	rows := e.rowsOf(in)
	e.askHost(in, rows)
	e.takeRows(in, rows, done)
}

// askHost has the host do the lanes that the frame names.
func (e armMemory) askHost(in *Inst, rows int) {
	e.r.aux[in.C].In = *in
	e.Imm(x9, uint64(in.C))
	e.Gen(arm64.STRX, x9, xFrame, frameServeOp)
	e.Imm(x9, uint64(rows))
	e.Gen(arm64.STRX, x9, xFrame, frameServeRows)
	back := e.NewLabel()
	e.leave(exitServeStrip, back)
	e.Here(back)
}

// takeRows takes the results of an instruction from its rows, and goes on at done.
func (e armMemory) takeRows(in *Inst, rows, done int) {
	x := &e.r.aux[in.C]
	for i, v := range x.Results {
		z := [2]arm64.V{n0, n1}[i%2]
		e.Vec(arm64.LDRQ, z, xFrame, rows+imageRow*(len(x.Args)+i))
		switch paired := e.wide.partner[v] > 0; {
		case paired && i%2 == 1: // numbers of 64 bits
			e.V3(arm64.ZIP14S, e.value(x.Results[i-1]), n0, n1)
			e.V3(arm64.ZIP24S, e.value(v), n0, n1)
		case !paired:
			e.put(v, z)
		}
	}
	e.JMP(done)
}

// eachSite loads or stores one lane of k after the other, in whichever site has it; the host does
// those that none has. It is for code out of line.
func (e armMemory) eachSite(in *Inst, k arm64.V, done int) {
	x, log := &e.r.aux[in.C], ir.MemOf(uint64(in.Imm)).Log
	e.bits(k)
	rows := e.rowsOf(in)
	e.Gen(arm64.STRX, arm64.ZR, xFrame, frameServeMask)
	e.Gen(arm64.LDRX, x14, xFrame, frameSites)
	load, store := arm64.LDRW, arm64.STRW
	if log < 2 {
		load, store = narrow[log].load, narrow[log].store
	}
	for lane := range stripWidth {
		access, next := e.NewLabel(), e.NewLabel()
		row := func(i int) int { return rows + imageRow*i + 4*lane }
		e.Bits(x9, x10, 16*lane, 1)
		e.CBZ(x9, next)
		e.Gen(arm64.LDRW, x9, xFrame, row(0))
		e.Gen(arm64.LDRW, x11, xFrame, row(1))
		e.ADDShifted(x9, x9, x11, 32)
		for w := range ways {
			at := siteBytes * (ways*int(in.D-1) + w)
			e.Gen(arm64.LDRX, x11, x14, at)
			e.G3(arm64.SUBX, x11, x9, x11)
			e.Gen(arm64.LDRX, xLimit, x14, at+siteLimit)
			e.Gen(arm64.LDRX, xBase, x14, at+siteAt)
			e.CMP(x11, xLimit)
			e.JIf(arm64.Below, access)
		}
		e.Gen(arm64.LDRX, x9, xFrame, frameServeMask)
		e.Imm(x11, 1<<lane)
		e.G3(arm64.ORRX, x9, x9, x11)
		e.Gen(arm64.STRX, x9, xFrame, frameServeMask)
		e.JMP(next)
		e.Here(access)
		e.G3(arm64.ADDX, x11, x11, xBase)
		for i := range x.Results {
			e.Gen(load, x9, x11, 4*i)
			e.Gen(arm64.STRW, x9, xFrame, row(len(x.Args)+i))
		}
		for i := range x.Args[2:] {
			e.Gen(arm64.LDRW, x9, xFrame, row(2+i))
			e.Gen(store, x9, x11, 4*i)
		}
		e.Here(next)
	}
	take := e.NewLabel()
	e.Gen(arm64.LDRX, x9, xFrame, frameServeMask)
	e.CBZ(x9, take)
	e.askHost(in, rows)
	e.Here(take)
	e.takeRows(in, rows, done)
}

// loadMem loads numbers of any width to the lanes of the mask.
func (e armMemory) loadMem(in *Inst) {
	x, m := &e.r.aux[in.C], ir.MemOf(uint64(in.Imm))
	done := e.NewLabel()
	var o arm64.V
	switch m.Space {
	case ir.MemAddress, ir.MemPointer:
		e.inSite(in, e.executes(in.M), done)
		o = n0
	default:
		e.memoryAt(in)
		v := x.Args[m.Space.Operands()-1]
		if o = e.in(lanes(v), n0); slices.Contains(x.Results, v) {
			e.MOV(n0, o)
			o = n0
		}
	}
	switch {
	case m.Log < 2:
		e.loadNarrow(x.Results[0], o, m.Log)
	case len(x.Results) == 1:
		e.loadAt(x.Results[0], o)
	default:
		e.loadWords(x.Results, o)
	}
	e.Here(done)
}

// placeOf sets x9 to where a lane's access is: behind xBase, or at a zero.
func (e armMemory) placeOf(o arm64.V, lane int) {
	e.UMOV4S(x9, o, lane)
	e.CMP(x9, xLimit)
	e.G3(arm64.ADDX, x9, x9, xBase)
	e.CSEL(x9, x9, x14, arm64.Below)
}

// narrow are the moves of numbers of 1 and 2 bytes.
var narrow = [2]struct{ load, store arm64.Op }{{arm64.LDRB, arm64.STRB}, {arm64.LDRH, arm64.STRH}}

// loadNarrow loads numbers of 1<<log bytes at offsets.
func (e armMemory) loadNarrow(d int32, o arm64.V, log uint8) {
	e.zeroWord()
	for i := range stripWidth {
		e.placeOf(o, i)
		if e.Gen(narrow[log].load, x9, x9, 0); i == 0 {
			e.DUPG4S(n5, x9)
		} else {
			e.INSG4S(n5, i, x9)
		}
	}
	e.put(d, n5)
}

// loadWords loads words at offsets and those behind them, two at a time. The zeros in the frame
// are enough for all of them.
func (e armMemory) loadWords(results []int32, o arm64.V) {
	e.zeroWord()
	for k := 0; k < len(results); k += 2 {
		if k+1 == len(results) {
			for i := range stripWidth {
				e.placeOf(o, i)
				e.ADDImm(x9, x9, 4*k)
				e.LD14S(n4, i, x9)
			}
			e.put(results[k], n4)
			return
		}
		for i := range stripWidth {
			to := [2]arm64.V{n4, n5}[i/2]
			if e.placeOf(o, i); k > 0 {
				e.ADDImm(x9, x9, 4*k)
			}
			if i%2 == 0 {
				e.Vec(arm64.LDRD, to, x9, 0)
			} else {
				e.LD12D(to, 1, x9)
			}
		}
		if e.wide.partner[results[k]] == results[k+1]+1 {
			e.put(results[k], n4)
			e.put(results[k+1], n5)
			continue
		}
		e.V3(arm64.UZP14S, e.value(results[k]), n4, n5)
		e.V3(arm64.UZP24S, e.value(results[k+1]), n4, n5)
	}
}

// loadMemU loads a number of a word or less to a scalar register.
func (e armMemory) loadMemU(in *Inst) {
	m := ir.MemOf(uint64(in.Imm))
	e.memoryAt(in)
	e.zeroWord()
	e.Gen(arm64.LDRW, x9, xScalars, 4*int(in.A))
	e.CMP(x9, xLimit)
	e.G3(arm64.ADDX, x9, x9, xBase)
	e.CSEL(x9, x9, x14, arm64.Below)
	by := arm64.LDRW
	if m.Log < 2 {
		by = narrow[m.Log].load
	}
	e.Gen(by, x9, x9, 0)
	e.Gen(arm64.STRW, x9, xScalars, 4*int(in.D))
}

// storeMemU stores a number of a word or less of a scalar register, where a lane of the mask is
// live.
func (e armMemory) storeMemU(in *Inst) {
	done := e.NewLabel()
	e.writing(in)
	e.bits(n4)
	e.CBZ(x10, done)
	e.memoryAt(in)
	e.Gen(arm64.LDRW, x9, xScalars, 4*int(in.A))
	e.CMP(x9, xLimit)
	e.JIf(arm64.NotBelow, done)
	e.G3(arm64.ADDX, x9, x9, xBase)
	by := arm64.STRW
	if log := ir.MemOf(uint64(in.Imm)).Log; log < 2 {
		by = narrow[log].store
	}
	e.Gen(arm64.LDRW, x10, xScalars, 4*int(in.C))
	e.Gen(by, x10, x9, 0)
	e.Here(done)
}

// storeNarrowElements stores numbers of less than a word in buffers that lanes choose, in the lanes
// of n4.
func (e armMemory) storeNarrowElements(m ir.Mem, x *Operands) {
	b, o, v := e.in(lanes(x.Args[0]), n0), e.in(lanes(x.Args[1]), n1), e.in(lanes(x.Args[2]), n2)
	e.bits(n4)
	e.eachSet(func(i, not int) {
		e.UMOV4S(x9, b, i)
		armChosenElement(e, int64(m.Resource))
		e.CBZ(xLimit, not)
		e.ADDImm(xLimit, xLimit, 4-1<<m.Log)
		e.UMOV4S(x9, o, i)
		e.CMP(x9, xLimit)
		e.JIf(arm64.NotBelow, not)
		e.G3(arm64.ADDX, x9, x9, xBase)
		e.UMOV4S(x11, v, i)
		e.Gen(narrow[m.Log].store, x11, x9, 0)
	})
}

// storeMem stores numbers of any width in the lanes of the mask that are live.
func (e armMemory) storeMem(in *Inst) {
	x, m := &e.r.aux[in.C], ir.MemOf(uint64(in.Imm))
	done := e.NewLabel()
	e.writing(in)
	o := n0
	switch {
	case m.Space == ir.MemBuffer && in.B == 0:
		e.storeNarrowElements(m, x)
		return
	case m.Space.Sought():
		e.inSite(in, n4, done)
	default:
		e.memoryAt(in)
		o = e.in(lanes(x.Args[m.Space.Operands()-1]), n0)
	}
	var values []arm64.V
	for i, v := range x.Args[m.Space.Operands():] {
		values = append(values, e.in(lanes(v), [mostWords]arm64.V{n2, n5, nMask, n6}[i]))
	}
	e.storeAt(o, values, m.Log, done)
	e.Here(done)
}

// storePrivate stores private words at offsets of their own in the lanes of the mask: see
// loadPrivate.
func (e armMemory) storePrivate(in *Inst) {
	o, z := e.in(lanes(in.A), n0), e.in(lanes(in.B), n2)
	e.constant(n1, e.r.program.PrivateBytes)
	e.V3(arm64.CMHI4S, n1, n1, o)
	e.V3(arm64.AND, n1, n1, e.executes(in.M))
	e.bits(n1)
	e.Gen(arm64.LDRX, xBase, xFrame, framePrivate)
	e.G3(arm64.ADDX, xBase, xBase, xStrip)
	e.Imm(x11, uint64(e.stride))
	for i := range stripWidth {
		not := e.NewLabel()
		e.Bits(x9, x10, 16*i, 1)
		e.CBZ(x9, not)
		e.UMOV4S(x9, o, i)
		e.Bits(x9, x9, 2, 30)
		e.G4(arm64.MADDX, x9, x9, x11, xBase)
		e.ST14S(z, i, x9)
		e.Here(not)
		e.ADDImm(xBase, xBase, 4)
	}
}

// privateRow sets x9 to the words of the strip at an offset in private memory that a scalar
// register has, or jumps where there are none.
func (e armMemory) privateRow(s int32, none int) {
	e.Gen(arm64.LDRW, x9, xScalars, 4*int(s))
	e.Imm(xLimit, uint64(e.r.program.PrivateBytes))
	e.CMP(x9, xLimit)
	e.JIf(arm64.NotBelow, none)
	e.Bits(x9, x9, 2, 30)
	e.Gen(arm64.LDRX, xBase, xFrame, framePrivate)
	e.G3(arm64.ADDX, xBase, xBase, xStrip)
	e.Imm(x11, uint64(e.stride))
	e.G4(arm64.MADDX, x9, x9, x11, xBase)
}

// privateAtRow loads or stores a private word whose offset all lanes share.
func (e armMemory) privateAtRow(in *Inst) {
	none := e.NewLabel()
	e.privateRow(in.C-1, none)
	if in.Kind == KindStorePrivate {
		e.Vec(arm64.LDRQ, n1, x9, 0)
		e.V3(arm64.BIT, n1, e.in(lanes(in.B), n0), e.executes(in.M))
		e.Vec(arm64.STRQ, n1, x9, 0)
		e.Here(none)
		return
	}
	done := e.NewLabel()
	e.Vec(arm64.LDRQ, n5, x9, 0)
	e.JMP(done)
	e.Here(none)
	e.MOVI(n5, 0, 0)
	e.Here(done)
	e.put(in.D, n5)
}

// wordOfOne writes the instructions of one lane.
func (e armMemory) wordOfOne(in *Inst) {
	switch in.Kind {
	case KindFirst:
		e.toScalar(in.D, e.in(lanes(in.A), n0))
	case KindStoreBufferU:
		e.bufferAt(in)
		e.storeUniform(in)
	case KindLoadSharedU:
		e.wordsAt(xFrame, frameShared)
		e.loadUniform(in)
	case KindStoreSharedU:
		e.wordsAt(xFrame, frameShared)
		e.storeUniform(in)
	case KindShiftU:
		e.shiftWords(in)
	default:
		e.privateWordOfOne(in)
	}
}

// shiftWords writes KindShiftU.
func (e armMemory) shiftWords(in *Inst) {
	word := func(x arm64.G, s int32) { e.Gen(arm64.LDRW, x, xScalars, 4*int(s)) }
	word(x9, in.B)
	e.Imm(xLimit, 32)
	e.G3(arm64.LSLX, x9, x9, xLimit)
	word(x10, in.A)
	e.G3(arm64.ORRX, x9, x9, x10)
	word(x10, in.C)
	by := arm64.LSRX
	if ir.WideOp(in.Imm&255) == ir.WideShl {
		by = arm64.LSLX
	}
	if e.G3(by, x9, x9, x10); in.Imm>>8 == 1 {
		e.G3(arm64.LSRX, x9, x9, xLimit)
	}
	e.Gen(arm64.STRW, x9, xScalars, 4*int(in.D))
}

// storeUniform stores a scalar register behind xBase.
func (e armMemory) storeUniform(in *Inst) {
	done := e.NewLabel()
	e.Gen(arm64.LDRW, x9, xScalars, 4*int(in.A))
	e.CMP(x9, xLimit)
	e.JIf(arm64.NotBelow, done)
	e.G3(arm64.ADDX, x9, x9, xBase)
	e.Gen(arm64.LDRW, x10, xScalars, 4*int(in.C))
	e.Gen(arm64.STRW, x10, x9, 0)
	e.Here(done)
}

// privateWordOfOne loads or stores the private word that an offset is in.
func (e armMemory) privateWordOfOne(in *Inst) {
	e.Gen(arm64.LDRX, xBase, xFrame, framePrivate)
	e.Imm(xLimit, uint64(e.r.program.PrivateBytes))
	e.Gen(arm64.LDRW, x9, xScalars, 4*int(in.A))
	e.CMP(x9, xLimit)
	e.Bits(x9, x9, 2, 30)
	e.ADDShifted(x9, xBase, x9, 2)
	if in.Kind == KindLoadPrivateU {
		e.zeroWord()
		e.CSEL(x9, x9, x14, arm64.Below)
		e.Gen(arm64.LDRW, x9, x9, 0)
		e.Gen(arm64.STRW, x9, xScalars, 4*int(in.D))
		return
	}
	done := e.NewLabel()
	e.JIf(arm64.NotBelow, done)
	e.Gen(arm64.LDRW, x10, xScalars, 4*int(in.C))
	e.Gen(arm64.STRW, x10, x9, 0)
	e.Here(done)
}
