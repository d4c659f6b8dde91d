package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// siteField is a field of the first site of an instruction, behind the table in R12.
func siteField(in *Inst, at int) amd64.Arg {
	return amd64.M(amd64.R12, siteBytes*ways*int(in.D-1)+at)
}

// writing is the lanes in which an instruction writes memory, in maskStep2: those of its mask
// that are live. It takes RAX and scratch1.
func writing(e *emitter, in *Inst) {
	k := e.executes(in.M)
	e.live()
	e.VZ(amd64.VMOVDQU, scratch1, 0, e.lanesAt(amd64.RAX), k)
	e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(scratch1))
}

// rowsOf stores the operands of an instruction in rows of the frame, and zeros behind them for
// its results.
func rowsOf(e *emitter, in *Inst) (rows int) {
	x := &e.r.aux[in.C]
	rows = e.rows(len(x.Args) + len(x.Results))
	for i, v := range x.Args {
		e.Mov1(amd64.VMOVDQUTo, e.in(e.arg(v), scratch0), amd64.M(regFrame, rows+imageRow*i))
	}
	if len(x.Results) > 0 {
		e.V(amd64.VPXORD, scratch0, scratch0, amd64.R(scratch0))
	}
	for i := range x.Results {
		row := amd64.M(regFrame, rows+imageRow*(len(x.Args)+i))
		e.Mov1(amd64.VMOVDQUTo, scratch0, row)
	}
	return rows
}

// byHost leaves an instruction to the host, in the lanes of k, and goes on at done. It is for
// code out of line.
func byHost(e *emitter, in *Inst, k amd64.K, done int) {
	e.KTO(amd64.RAX, k)
	e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameServeMask))
	rows := rowsOf(e, in)
	askHost(e, in, rows)
	takeRows(e, in, rows, done)
}

// askHost has the host do the lanes that the frame names.
func askHost(e *emitter, in *Inst, rows int) {
	e.r.aux[in.C].In = *in
	back := e.NewLabel()
	e.WI(amd64.MOVQImm, amd64.M(regFrame, frameServeOp), int(in.C))
	e.WI(amd64.MOVQImm, amd64.M(regFrame, frameServeRows), rows)
	e.leave(exitServeStrip, back)
	e.Here(back)
}

// takeRows takes the results of an instruction from its rows, and goes on at done.
func takeRows(e *emitter, in *Inst, rows, done int) {
	x := &e.r.aux[in.C]
	for i, v := range x.Results {
		row := amd64.M(regFrame, rows+imageRow*(len(x.Args)+i))
		if p := e.wide.partner[v]; p > 0 { // numbers of 64 bits
			if i%2 == 0 {
				low := e.in(row, scratch0)
				high := amd64.M(regFrame, rows+imageRow*(len(x.Args)+i+1))
				for half, z := range [2]amd64.Z{scratch1, scratch2} {
					e.join(z, low, high, half)
					e.put(x.Results[i+half], z)
				}
			}
			continue
		}
		e.Mov1(amd64.VMOVDQU, e.value(v), row)
	}
	e.JMP(done)
}

// withoutPlaces writes f, which takes the registers of places or of words.
func withoutPlaces(e *emitter, f func()) {
	move := func(by amd64.Op) {
		for i, g := range placeRegisters {
			if e.r.places || slices.Contains(e.generals, g) {
				e.W(by, g, amd64.M(regFrame, framePlace+8*i))
			}
		}
	}
	move(amd64.MOVQTo)
	f()
	move(amd64.MOVQ)
}

// eachSite loads or stores one lane of maskStep2 after the other, in whichever site has it; the
// host does those that none has. It is for code out of line.
func eachSite(e *emitter, in *Inst, done int) {
	x, m := &e.r.aux[in.C], ir.MemOf(uint64(in.Imm))
	rows := rowsOf(e, in)
	row := func(i int) int { return rows + imageRow*i }
	e.W(amd64.XORL, amd64.RAX, amd64.GArg(amd64.RAX))
	e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameServeMask))
	withoutPlaces(e, func() {
		e.KTO(amd64.R10, maskStep2)
		loop, access, next := e.NewLabel(), e.NewLabel(), e.NewLabel()
		e.Here(loop)
		e.W(amd64.TZCNT, amd64.RCX, amd64.GArg(amd64.R10))
		e.At(amd64.MOVFrom, amd64.RAX, regFrame, amd64.RCX, 2, row(0))
		e.At(amd64.MOVFrom, amd64.R11, regFrame, amd64.RCX, 2, row(1))
		e.WI(amd64.SHLQ, amd64.GArg(amd64.R11), 32)
		e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R11))
		e.W(amd64.MOVQ, amd64.R12, amd64.M(regFrame, frameSites))
		for w := range ways {
			no := e.NewLabel()
			e.W(amd64.MOVQ, amd64.RDX, amd64.GArg(amd64.RAX))
			e.W(amd64.SUBQ, amd64.RDX, siteField(in, siteBytes*w))
			e.W(amd64.CMPQ, amd64.RDX, siteField(in, siteBytes*w+siteLimit))
			e.JIf(amd64.IfNotBelow, no)
			e.W(amd64.MOVQ, amd64.R12, siteField(in, siteBytes*w+siteAt))
			e.JMP(access)
			e.Here(no)
		}
		e.BLSR(amd64.RDX, amd64.R10)
		e.W(amd64.XORQ, amd64.RDX, amd64.GArg(amd64.R10)) // the lane
		e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameServeMask))
		e.W(amd64.ORQ, amd64.RAX, amd64.GArg(amd64.RDX))
		e.W(amd64.MOVQTo, amd64.RAX, amd64.M(regFrame, frameServeMask))
		e.JMP(next)
		e.Here(access)
		for i := range x.Results {
			e.At(amd64.Loads(1<<m.Log), amd64.RAX, amd64.R12, amd64.RDX, 0, 4*i)
			e.At(amd64.MOVTo, amd64.RAX, regFrame, amd64.RCX, 2, row(len(x.Args)+i))
		}
		for i := range x.Args[2:] {
			e.At(amd64.MOVFrom, amd64.RAX, regFrame, amd64.RCX, 2, row(2+i))
			e.At(amd64.Stores(1<<m.Log), amd64.RAX, amd64.R12, amd64.RDX, 0, 4*i)
		}
		e.Here(next)
		e.BLSR(amd64.R10, amd64.R10)
		e.JIf(amd64.IfNotZero, loop)
	})
	take := e.NewLabel()
	e.WI(amd64.CMPLByte, amd64.M(regFrame, frameServeMask), 0)
	e.JIf(amd64.IfZero, take)
	askHost(e, in, rows)
	e.Here(take)
	takeRows(e, in, rows, done)
}

// inSite sets scratch0 to the distances of addresses from the site of an instruction, maskStep2
// to the lanes of k that it has, and R12 to where it is, or leaves the instruction to the host,
// who goes on at done. It takes scratch1 and maskStep3.
func inSite(e *emitter, in *Inst, k amd64.K, done int) {
	x := &e.r.aux[in.C]
	miss := e.NewLabel()
	e.W(amd64.MOVQ, amd64.R12, amd64.M(regFrame, frameSites))
	high := e.in(e.arg(x.Args[1]), scratch1)
	e.K(amd64.KMOV, maskStep3, 0, k)
	e.ToMask(amd64.VPCMPD, maskStep2, high, siteField(in, siteHigh).Every(), 0, maskStep3)
	low := e.in(e.arg(x.Args[0]), scratch1)
	e.V(amd64.VPSUBD, scratch0, low, siteField(in, 0).Every())
	e.ToMask(amd64.VPCMPUD, maskStep2, scratch0, siteField(in, siteLimit).Every(), 1, maskStep2)
	e.K(amd64.KXOR, maskStep3, maskStep3, maskStep2)
	e.ifAny(maskStep3, miss)
	e.outOfLine(func() {
		e.Here(miss)
		e.K(amd64.KOR, maskStep2, maskStep2, maskStep3)
		if in.Kind == KindAtomicMem {
			byHost(e, in, maskStep2, done)
		} else {
			eachSite(e, in, done)
		}
	})
}

// loadMem loads numbers of any width to the lanes of the mask; the others get 0.
func loadMem(e *emitter, in *Inst) {
	x, m := &e.r.aux[in.C], ir.MemOf(uint64(in.Imm))
	done := e.NewLabel()
	switch m.Space {
	case ir.MemAddress, ir.MemPointer:
		inSite(e, in, e.executes(in.M), done)
		last := siteField(in, siteLast)
		if m.Log < 2 {
			e.W(amd64.MOVL, amd64.RAX, last)
			e.W(amd64.MOVQ, amd64.R12, siteField(in, siteAt))
			loadNarrow(e, x.Results[0], m.Log)
			break
		}
		e.W(amd64.MOVQ, amd64.R12, siteField(in, siteAt))
		loadWords(e, x.Results, func(rows, bytes, done int) {
			memoryAMD64{e}.foretell(rows, bytes, func() amd64.Arg {
				e.W(amd64.MOVQ, amd64.R11, amd64.M(regFrame, frameSites))
				return amd64.M(amd64.R11, siteBytes*ways*int(in.D-1)+siteLimit)
			}, done)
		})
	default:
		limit := inBounds(e, in, x, e.executes(in.M))
		if m.Log < 2 {
			loadNarrow(e, x.Results[0], m.Log)
			break
		}
		loadWords(e, x.Results, func(rows, bytes, done int) {
			if m.Space == ir.MemBuffer {
				memoryAMD64{e}.foretell(rows, bytes, func() amd64.Arg { return limit }, done)
			} else {
				e.JMP(done)
			}
		})
	}
	e.Here(done)
}

// memoryAt sets R12 to the memory of an access that is no address, and returns how far words of
// it may begin.
func memoryAt(e *emitter, in *Inst) amd64.Arg {
	switch m := ir.MemOf(uint64(in.Imm)); m.Space {
	case ir.MemShared:
		return e.wordsAt(frameShared)
	case ir.MemPush:
		return e.wordsAt(framePush)
	default:
		return memoryAMD64{e}.bufferAt(&Inst{Imm: int64(m.Resource), B: in.element()})
	}
}

// inBounds sets scratch0 to the offsets of an access to a buffer or the like, maskStep2 to the
// lanes of k in which they lie inside, R12 to that memory, and RAX to where its last whole word
// begins. It takes RCX and scratch1, and returns how far words may begin.
func inBounds(e *emitter, in *Inst, x *Operands, k amd64.K) (limit amd64.Arg) {
	m := ir.MemOf(uint64(in.Imm))
	limit = memoryAt(e, in)
	e.K(amd64.KMOV, maskStep2, 0, k)
	if z := e.in(e.arg(x.Args[m.Space.Operands()-1]), scratch0); z != scratch0 {
		e.Mov1(amd64.VMOVDQU, scratch0, amd64.R(z))
	}
	if in.Kind == KindAtomicMem && in.A&AtomicOfWords != 0 {
		e.V(amd64.VPANDD, scratch0, scratch0, e.words(^uint32(3)))
	}
	some := e.NewLabel()
	e.W(amd64.MOVL, amd64.RAX, limit)
	e.W(amd64.MOVQ, amd64.RCX, amd64.GArg(amd64.RAX))
	e.W(amd64.TESTL, amd64.RAX, amd64.GArg(amd64.RAX))
	e.JIf(amd64.IfZero, some) // there is no memory, or less than a word, which blocks do not get
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), -1)
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RCX), int(4-1<<m.Log))
	if m.Log == 3 {
		few := e.NewLabel()
		e.JIf(amd64.IfNegative, few)
		e.outOfLine(func() {
			e.Here(few)
			e.W(amd64.XORL, amd64.RCX, amd64.GArg(amd64.RCX))
			e.JMP(some)
		})
	}
	e.Here(some)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RCX))
	e.ToMask(amd64.VPCMPUD, maskStep2, scratch0, amd64.R(scratch1), 1, maskStep2)
	return limit
}

// loadNarrow loads numbers of 1<<log bytes at the distances scratch0 behind R12 in the lanes of
// maskStep2: words, of which the last begins at EAX. It takes scratch1 and scratch2.
func loadNarrow(e *emitter, d int32, log uint8) {
	each, done, z := e.NewLabel(), e.NewLabel(), e.value(d)
	alike(e, each)
	e.At(amd64.Loads(1<<log), amd64.RCX, amd64.R12, amd64.RCX, 0, 0)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RCX))
	e.V(amd64.VPXORD, z, z, amd64.R(z))
	e.VK(amd64.VMOVDQU, z, 0, amd64.R(scratch1), maskStep2)
	e.JMP(done)
	e.Here(each)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RAX))
	e.V(amd64.VPMINUD, scratch1, scratch0, amd64.R(scratch1))
	e.V(amd64.VPSUBD, scratch0, scratch0, amd64.R(scratch1))
	e.VI(amd64.VPSLLD, scratch0, 0, amd64.R(scratch0), 3)
	e.V(amd64.VPXORD, scratch2, scratch2, amd64.R(scratch2))
	e.VK(amd64.VPGATHERDD, scratch2, 0, amd64.Each(amd64.R12, scratch1), maskStep2)
	e.V(amd64.VPSRLVD, z, scratch2, amd64.R(scratch0))
	e.V(amd64.VPANDD, z, z, e.words(1<<(8<<log)-1))
	e.Here(done)
}

// alike sets RCX to the distance in scratch0 that all lanes of maskStep2 have, as it is where one
// lane decodes for its workgroup, or jumps. It takes scratch1 and maskStep3.
func alike(e *emitter, not int) {
	lowestLane(e, amd64.RCX, maskStep2, not)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RCX))
	e.V(amd64.VPERMD, scratch1, scratch1, amd64.R(scratch0))
	e.ToMask(amd64.VPCMPD, maskStep3, scratch1, amd64.R(scratch0), 4, maskStep2)
	e.ifAny(maskStep3, not)
	e.V128(amd64.VMOVDTo, scratch1, amd64.GArg(amd64.RCX))
}

// lowestLane sets g to the lowest lane of a mask, or jumps where there is none.
func lowestLane(e *emitter, g amd64.G, k amd64.K, none int) {
	e.KTO(g, k)
	e.W(amd64.TESTL, g, amd64.GArg(g))
	e.JIf(amd64.IfZero, none)
	e.W(amd64.TZCNT, g, amd64.GArg(g))
}

// loadWords loads words at the distances scratch0 behind R12, and those behind them, in the lanes
// of maskStep2. ahead asks for rows like those at RAX, and of two at RCX, and goes on at done.
func loadWords(e *emitter, results []int32, ahead func(rows, bytes, done int)) {
	if len(results) == 1 {
		z, each, done := e.value(results[0]), e.NewLabel(), e.NewLabel()
		memoryAMD64{e}.follow(scratch0, each)
		e.VZ(amd64.VMOVDQU, z, 0, amd64.M(amd64.RAX, 0), maskStep2)
		ahead(1, 4*e.vectors.lanes, done)
		e.Here(each)
		loadHalves(e, z, scratch0, done)
		e.V(amd64.VPXORD, z, z, amd64.R(z))
		e.VK(amd64.VPGATHERDD, z, 0, amd64.Each(amd64.R12, scratch0), maskStep2)
		e.Here(done)
		return
	}
	loadPairs(e, results, ahead)
}

// loadPairs is loadWords of several: two words at a time, which costs what one does.
func loadPairs(e *emitter, results []int32, ahead func(rows, bytes, done int)) {
	keep := func(k int) { // the pairs of words k and k+1, which scratch3 and scratch4 have
		if e.wide.partner[results[k]] == results[k+1]+1 {
			e.put(results[k], scratch3)
			e.put(results[k+1], scratch4)
			return
		}
		for i, z := range [2]amd64.Z{scratch1, scratch2} {
			e.takeApart(z, scratch3, scratch4, i)
			e.put(results[k+i], z)
		}
	}
	each, done := e.NewLabel(), e.NewLabel()
	if n := len(results); n == 2 || n == 4 {
		halvesFollow(e, scratch0, 4*n, each, each)
		for k := 0; k < n; k += 2 {
			rowsToPairs(e, n, k)
			keep(k)
		}
		ahead(2, 2*n*e.vectors.lanes, done)
	}
	e.Here(each)
	e.VI(amd64.VEXTRACTHALF, scratch0, 0, amd64.R(scratch5), 1)
	for k := 0; k+1 < len(results); k += 2 {
		memoryAMD64{e}.pairsAt([2]amd64.Z{scratch3, scratch4}, [2]amd64.Z{scratch0, scratch5}, maskStep2)
		keep(k)
		if k+2 < len(results) {
			for _, o := range [2]amd64.Z{scratch0, scratch5} {
				e.V(amd64.VPADDD, o, o, e.words(8))
			}
		}
	}
	if n := len(results) - 1; n%2 == 0 {
		e.V(amd64.VPXORD, scratch3, scratch3, amd64.R(scratch3))
		e.VK(amd64.VPGATHERDD, scratch3, 0, amd64.Each(amd64.R12, scratch0), maskStep2)
		e.put(results[n], scratch3)
	}
	e.Here(done)
}

// loadMemU loads a number of less than a word to a scalar register.
func loadMemU(e *emitter, in *Inst) {
	bytes, done := uint8(1)<<ir.MemOf(uint64(in.Imm)).Log, e.NewLabel()
	limit := memoryAt(e, in)
	e.W(amd64.XORL, amd64.RAX, amd64.GArg(amd64.RAX))
	narrowOfAll(e, in, limit, bytes, done)
	e.At(amd64.Loads(bytes), amd64.RAX, amd64.R12, amd64.R11, 0, 0)
	e.Here(done)
	e.W(amd64.MOVLTo, amd64.RAX, e.word(in.D))
}

// storeMemU stores such a number of a scalar register, where a lane of the mask is live.
func storeMemU(e *emitter, in *Inst) {
	bytes, done := uint8(1)<<ir.MemOf(uint64(in.Imm)).Log, e.NewLabel()
	writing(e, in)
	e.ifNone(maskStep2, done)
	narrowOfAll(e, in, memoryAt(e, in), bytes, done)
	e.W(amd64.MOVL, amd64.RAX, e.word(in.C))
	e.At(amd64.Stores(bytes), amd64.RAX, amd64.R12, amd64.R11, 0, 0)
	e.Here(done)
}

// narrowOfAll sets R11 to the offset of a number that all lanes access, or jumps where it is not
// inside. It takes RCX.
func narrowOfAll(e *emitter, in *Inst, limit amd64.Arg, bytes uint8, not int) {
	e.W(amd64.MOVL, amd64.RCX, limit)
	e.W(amd64.TESTL, amd64.RCX, amd64.GArg(amd64.RCX))
	e.JIf(amd64.IfZero, not)
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RCX), int(4-bytes))
	e.W(amd64.MOVL, amd64.R11, e.word(in.A))
	e.W(amd64.CMPL, amd64.R11, amd64.GArg(amd64.RCX))
	e.JIf(amd64.IfNotBelow, not)
}

// storeMem stores numbers of any width in the lanes of the mask that are live.
func storeMem(e *emitter, in *Inst) {
	x, m := &e.r.aux[in.C], ir.MemOf(uint64(in.Imm))
	done := e.NewLabel()
	writing(e, in)
	switch m.Space {
	case ir.MemAddress, ir.MemPointer:
		inSite(e, in, maskStep2, done)
		e.W(amd64.MOVQ, amd64.R12, siteField(in, siteAt))
	default:
		if m.Space == ir.MemBuffer && in.B == 0 {
			storeNarrowElements(e, m, x)
			return
		}
		inBounds(e, in, x, maskStep2)
	}
	values := x.Args[m.Space.Operands():]
	switch {
	case m.Log < 2:
		scatterNarrow(e, e.in(e.arg(values[0]), scratch2), 1<<m.Log)
	case len(values) == 1:
		each := e.NewLabel()
		v := e.in(e.arg(values[0]), scratch2)
		memoryAMD64{e}.follow(scratch0, each)
		e.VK(amd64.VMOVDQUTo, v, 0, amd64.M(amd64.RAX, 0), maskStep2)
		e.JMP(done)
		e.Here(each)
		storeHalves(e, v, scratch0, done)
		e.VK(amd64.VPSCATTERDD, v, 0, amd64.Each(amd64.R12, scratch0), maskStep2)
	default:
		each := e.NewLabel()
		if n := len(values); n == 2 || n == 4 {
			halvesFollow(e, scratch0, 4*n, each, each)
			pairsToRows(e, values)
			e.JMP(done)
			e.Here(each)
			scatterRows(e, values)
			break
		}
		e.Here(each)
		for i, v := range values {
			e.K(amd64.KMOV, maskStep3, 0, maskStep2)
			z := e.in(e.arg(v), scratch2)
			e.VK(amd64.VPSCATTERDD, z, 0, amd64.Each(amd64.R12, scratch0), maskStep3)
			if i < len(values)-1 {
				e.V(amd64.VPADDD, scratch0, scratch0, e.constant(constI4))
			}
		}
	}
	e.Here(done)
}

// scatterRows stores two or four words of each lane of maskStep2, as one, at the distances scratch0
// behind R12: a scatter takes a turn for each word.
func scatterRows(e *emitter, values []int32) {
	const from, where = frameWide, frameTemps
	n := len(values)
	e.Mov1(amd64.VMOVDQUTo, scratch0, amd64.M(regFrame, where))
	e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(regFrame))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), from)
	e.W(amd64.MOVQ, amd64.RCX, amd64.GArg(amd64.RAX))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RCX), 2*n*e.vectors.lanes)
	pairsToRows(e, values)
	e.eachLane(maskStep2, func() {
		e.At(amd64.Loads(4), amd64.R11, regFrame, amd64.RCX, 2, where)
		if n == 2 {
			e.At(amd64.MOVFrom.Wide(), amd64.RCX, regFrame, amd64.RCX, 3, from)
			e.At(amd64.MOVTo.Wide(), amd64.RCX, amd64.R12, amd64.R11, 0, 0)
			return
		}
		e.W(amd64.ADDQ, amd64.R11, amd64.GArg(amd64.R12))
		e.WI(amd64.SHLQ, amd64.GArg(amd64.RCX), 4)
		e.WI(amd64.ADDQImm, amd64.GArg(amd64.RCX), from)
		e.W(amd64.ADDQ, amd64.RCX, amd64.GArg(regFrame))
		e.V128(amd64.VMOVDQU, scratch3, amd64.M(amd64.RCX, 0))
		e.V128(amd64.VMOVDQUTo, scratch3, amd64.M(amd64.R11, 0))
	})
}

// scatterNarrow stores bytes of z at the distances scratch0 behind R12, one lane of maskStep2
// after the other.
func scatterNarrow(e *emitter, z amd64.Z, bytes uint8) {
	const from, where = frameTemps, frameTemps + laneBytes
	e.Mov1(amd64.VMOVDQUTo, scratch0, amd64.M(regFrame, where))
	e.Mov1(amd64.VMOVDQUTo, z, amd64.M(regFrame, from))
	e.eachLane(maskStep2, func() {
		e.At(amd64.Loads(4), amd64.R11, regFrame, amd64.RCX, 2, from)
		e.At(amd64.Loads(4), amd64.RCX, regFrame, amd64.RCX, 2, where)
		e.At(amd64.Stores(bytes), amd64.R11, amd64.R12, amd64.RCX, 0, 0)
	})
}

// storePrivate stores private words at offsets of their own in the lanes of the mask: word w of
// lane i stands at w·stride + i.
func storePrivate(e *emitter, in *Inst) {
	e.W(amd64.MOVQ, amd64.R12, amd64.M(regFrame, framePrivate))
	e.W(amd64.ADDQ, amd64.R12, amd64.GArg(regStrip))
	if e.part != 0 {
		e.WI(amd64.ADDQImm, amd64.GArg(amd64.R12), e.partAt())
	}
	o := e.in(e.arg(in.A), scratch0)
	e.ToMask(amd64.VPCMPUD, maskStep2, o, e.words(e.r.program.PrivateBytes), 1, e.executes(in.M))
	e.VI(amd64.VPSRLD, scratch1, 0, amd64.R(o), 2)
	e.V(amd64.VPMULLD, scratch1, scratch1, e.words(uint32(e.stride)))
	e.V(amd64.VPADDD, scratch1, scratch1, amd64.M(regFrame, frameIota))
	z := e.in(e.arg(in.B), scratch2)
	e.VK(amd64.VPSCATTERDD, z, 0, amd64.Each(amd64.R12, scratch1), maskStep2)
}

// eachLane writes a loop over the lanes of k, from the lowest on, with their number in RCX. It
// takes RAX.
func (e *emitter) eachLane(k amd64.K, f func()) {
	e.KTO(amd64.RAX, k)
	e.eachBit(f)
}

// eachBit is eachLane of RAX.
func (e *emitter) eachBit(f func()) {
	loop, done := e.NewLabel(), e.NewLabel()
	e.W(amd64.TESTQ, amd64.RAX, amd64.GArg(amd64.RAX))
	e.JIf(amd64.IfZero, done)
	e.Here(loop)
	e.W(amd64.TZCNT, amd64.RCX, amd64.GArg(amd64.RAX))
	f()
	e.BLSR(amd64.RAX, amd64.RAX)
	e.JIf(amd64.IfNotZero, loop)
	e.Here(done)
}
