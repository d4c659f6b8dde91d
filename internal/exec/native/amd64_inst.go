package native

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// inst writes one instruction.
func (e *emitter) inst(in *Inst) {
	e.was, e.held = e.held, 0
	e.floats = e.floatsOf(in)
	e.anyNaN = in.Kind == KindUnary && !e.wide.exact[in.D]
	lane := laneAMD64{e}
	e.short = (in.Kind == KindVV || in.Kind == KindUV) && e.most[in.B] < 32
	if in.Imm == underMask && in.Kind <= KindFusedVUU {
		lane.mergedOp(in)
		return
	}
	switch in.Kind {
	case KindUnary:
		lane.lanewise(in.D, in.Op, e.operand(in.A), amd64.Arg{}, amd64.Arg{}, in.A, 0)
	case KindVV:
		lane.lanewise(in.D, in.Op, e.operand(in.A), e.operand(in.B), amd64.Arg{}, in.A, in.B)
	case KindVU:
		lane.lanewiseU(in.D, in.Op, e.arg(in.A), e.scalar(in.B), amd64.Arg{}, in.B)
	case KindUV:
		lane.lanewiseU(in.D, in.Op, e.scalar(in.A), e.arg(in.B), amd64.Arg{}, -1)
	case KindVVV, KindVVU, KindVUV, KindVUU:
		b, c := e.others(in)
		if in.Op == ir.OpSelect {
			if x, ok := e.constantOf(max(in.C, 0)); ok && x == 0 && fieldsOf[in.Kind]&laneC == 0 {
				e.orZero(e.value(in.D), b, e.maskIn(in.A, maskStep2))
				return
			}
			e.selects(in.D, in.A, b, c)
			return
		}
		lane.lanewise(in.D, in.Op, e.arg(in.A), b, c, in.A, -1)
	case KindFusedVVV, KindFusedVVU, KindFusedVUV, KindFusedVUU:
		b, c := e.others(in)
		lane.pair(in, e.arg(in.A), b, c)
	case KindScalar:
		lane.uniform(in)
	case KindScalarMov:
		moveWord(e, in)
	case KindScalarCanon:
		e.canon(scratch5, e.scalar(in.A))
		e.toScalar(in.D, scratch5)
	case KindWide:
		pairAMD64{e}.wideOp(in)
	case KindBroadcast:
		if e.wide.pooled[in.D] {
			return
		}
		z := e.value(in.D)
		e.Mov1(amd64.VPBROADCASTD, z, e.scalar(in.A).One())
	case KindCopy:
		if e.asMask[in.A] {
			e.V(amd64.VPMOVM2D, e.value(in.D), 0, amd64.KArg(e.maskIn(in.A, maskStep)))
			return
		}
		e.put(in.D, e.in(e.arg(in.A), e.value(in.D)))
	case KindCanon:
		if e.canonical(in) {
			e.put(in.D, e.in(e.arg(in.A), e.value(in.D)))
			return
		}
		z := e.value(in.D)
		e.canon(z, e.arg(in.A))
	case KindZero:
		z := e.value(in.D)
		e.V(amd64.VPXORD, z, z, amd64.R(z))
	case KindSet:
		e.set(in, e.arg(in.A))
	case KindSetU:
		e.set(in, e.scalar(in.A))
	case KindOutput:
		e.output(in, e.arg(in.A))
	case KindOutputU:
		e.output(in, e.scalar(in.A))
	case KindDerivative:
		e.derivative(in)
	case KindIsHelper:
		e.live()
		e.VZ(amd64.VMOVDQU, scratch0, 0, e.lanesAt(amd64.RAX), e.all())
		e.V(amd64.VPXORD, e.value(in.D), scratch0, e.constant(constOnes))
	case KindDemote:
		k := e.executes(in.M)
		e.live()
		e.V(amd64.VPXORD, scratch0, scratch0, amd64.R(scratch0))
		e.VK(amd64.VMOVDQUTo, scratch0, 0, e.lanesAt(amd64.RAX), k)
	case KindNone:
	case KindLoadPair:
		memoryAMD64{e}.loadPair(in)
	case KindLoadFew:
		memoryAMD64{e}.loadFew(in)
	case KindLoadBytes:
		memoryAMD64{e}.loadBytes(in)
	case KindLoadShared:
		limit := e.wordsAt(frameShared)
		if in.C > 0 {
			loadSharedWord(e, in)
			return
		}
		memoryAMD64{e}.load(in, limit, memoryAMD64.side)
	case KindStoreShared:
		limit := e.wordsAt(frameShared)
		if in.B > 0 {
			storeSharedWord(e, in)
			return
		}
		memoryAMD64{e}.store(in, limit)
	case KindLoadBuffer:
		limit := memoryAMD64{e}.bufferAt(in)
		try := memoryAMD64.side
		switch uniform := e.r.program.Resources[in.Imm].Kind == ir.UniformBuffer; {
		case in.C > 0:
			memoryAMD64{e}.loadList(in, limit)
			return
		case uniform:
			try = memoryAMD64.loadAlike
		case e.r.program.Scattered:
			try = memoryAMD64.loadRow
		}
		memoryAMD64{e}.load(in, limit, try)
	case KindAhead:
		memoryAMD64{e}.ahead(in)
	case KindLoadPush:
		memoryAMD64{e}.load(in, e.wordsAt(framePush), memoryAMD64.loadAlike)
	case KindLoadTable:
		if (memoryAMD64{e}).loadSmall(in) || (memoryAMD64{e}).loadInside(in) {
			return
		}
		memoryAMD64{e}.load(in, e.wordsAt(frameTable), memoryAMD64.side)
	case KindLoadBufferU:
		memoryAMD64{e}.loadUniform(in, memoryAMD64{e}.bufferAt(in))
	case KindLoadPushU:
		memoryAMD64{e}.loadUniform(in, e.wordsAt(framePush))
	case KindLoadTableU:
		memoryAMD64{e}.loadUniform(in, e.wordsAt(frameTable))
	case KindStoreBuffer:
		memoryAMD64{e}.store(in, memoryAMD64{e}.bufferAt(in))
	case KindLoadBufferE:
		loadElements(e, in)
	case KindStoreBufferE:
		storeElements(e, in)
	case KindSizeBufferU:
		sizeOfElement(e, in)
	case KindSizeBufferE:
		sizesOfElements(e, in)
	case KindLoadMem:
		loadMem(e, in)
	case KindLoadMemU:
		loadMemU(e, in)
	case KindStoreMemU:
		storeMemU(e, in)
	case KindStoreMem:
		storeMem(e, in)
	case KindAtomicMem:
		atomicMem(e, in)
	case KindGroup:
		groupOp(e, in)
	case KindStorePrivate:
		if in.C > 0 {
			storePrivateRow(e, in)
			return
		}
		storePrivate(e, in)
	case KindLoadPrivate:
		if in.C > 0 {
			loadPrivateRow(e, in)
			return
		}
		memoryAMD64{e}.loadPrivate(in)
	case KindLoadPrivateAt:
		memoryAMD64{e}.privateWord(in.C)
		z := e.value(in.D)
		e.VZ(amd64.VMOVDQU, z, 0, e.lanesAt(amd64.RAX), e.all())
	case KindStorePrivateAt:
		z := e.in(e.arg(in.B), scratch0)
		k := e.executes(in.M)
		memoryAMD64{e}.privateWord(in.C)
		e.VK(amd64.VMOVDQUTo, z, 0, e.lanesAt(amd64.RAX), k)
	case KindPixel, KindRecord, KindCovered, KindCover, KindLoadTexel, KindStoreTexel:
		placeAMD64{e}.place(in)
	case KindImage:
		e.rest(in)
	default:
		if in.ofOne() {
			wordOfOne(e, in)
			return
		}
		controlAMD64{e}.control(in)
	}
}

// others are the second and third operand of an operation on three: lane registers, or
// scalar ones.
func (e *emitter) others(in *Inst) (b, c amd64.Arg) {
	b, c = e.scalar(in.B), e.scalar(in.C)
	l := fieldsOf[in.Kind]
	if l&laneB != 0 {
		b = e.arg(in.B)
	}
	if l&laneC != 0 {
		c = e.arg(in.C)
	}
	return b, c
}

// operand is a lane register of an operation; comparisons' results that live in mask
// registers are not one.
func (e *emitter) operand(v int32) amd64.Arg {
	if e.asMask[v] {
		return amd64.Arg{}
	}
	return e.arg(v)
}

// lanewiseU is lanewise where an operand is a scalar register: shift is the one that
// says how far, or -1.
func (e laneAMD64) lanewiseU(d int32, op ir.Op, a, b, c amd64.Arg, shift int32) {
	if n, ok := e.constantOf(max(shift, 0)); ok && shift >= 0 {
		if op == ir.OpIMul && n&(n-1) == 0 && n != 0 {
			op, n = ir.OpShl, uint32(bits.TrailingZeros32(n))
		}
		switch op {
		case ir.OpShl, ir.OpShrU, ir.OpShrS:
			by := map[ir.Op]amd64.Op{ir.OpShl: amd64.VPSLLD, ir.OpShrU: amd64.VPSRLD, ir.OpShrS: amd64.VPSRAD}[op]
			e.VI(by, e.value(d), 0, amd64.R(e.in(a, scratch0)), int(n&31))
			return
		}
	}
	e.lanewise(d, op, a, b, c, -1, -1)
}

// lanewise writes an operation whose result is d; va and vb are its lane registers,
// for logic on masks.
func (e laneAMD64) lanewise(d int32, op ir.Op, a, b, c amd64.Arg, va, vb int32) {
	switch {
	case compares(op):
		k := e.maskTo(d, maskStep2)
		e.compare(op, k, a, b)
		e.maskPut(d, k)
	case e.asMask[d]:
		e.combine(d, op, va, vb)
	default:
		e.op(op, e.value(d), a, b, c)
	}
}

// combine is logic on masks.
func (e laneAMD64) combine(d int32, op ir.Op, va, vb int32) {
	x, k := e.maskIn(va, maskStep), e.maskTo(d, maskStep3)
	switch op {
	case ir.OpNot:
		e.K(amd64.KNOT, k, 0, x)
	case ir.OpAnd:
		e.K(amd64.KAND, k, x, e.maskIn(vb, maskStep2))
	case ir.OpOr:
		e.K(amd64.KOR, k, x, e.maskIn(vb, maskStep2))
	default:
		e.K(amd64.KXOR, k, x, e.maskIn(vb, maskStep2))
	}
	e.maskPut(d, k)
}

// uniform writes an operation on scalar registers: in all lanes, of which one counts.
func (e laneAMD64) uniform(in *Inst) {
	if uniformWord(e.emitter, in) {
		return
	}
	if compares(in.Op) {
		e.compare(in.Op, maskStep2, e.scalar(in.A), e.scalar(in.B))
		e.V(amd64.VPMOVM2D, scratch5, 0, amd64.KArg(maskStep2))
	} else {
		e.op(in.Op, scratch5, e.scalar(in.A), e.scalar(in.B), e.scalar(in.C))
	}
	e.toScalar(in.D, scratch5)
}

// toScalar keeps the first lane of z in a scalar register.
func (e *emitter) toScalar(d int32, z amd64.Z) {
	e.V128(amd64.VMOVDTo, z, e.word(d))
	if g := e.generals[d]; g != 0 {
		e.V128(amd64.VMOVDTo, z, amd64.GArg(g))
	}
}

// canon makes NaNs of x canonical.
func (e *emitter) canon(d amd64.Z, x amd64.Arg) {
	z := e.in(x, scratch0)
	e.ToMask(amd64.VCMPPS, maskStep2, z, amd64.R(z), 3, 0)
	e.VK(amd64.VPBLENDMD, d, z, e.constant(constNaN), maskStep2)
}

// selects sets d to b in the lanes of a condition, else to c.
func (e *emitter) selects(d, cond int32, b, c amd64.Arg) {
	k := e.maskIn(cond, maskStep2)
	e.VK(amd64.VPBLENDMD, e.value(d), e.in(c, scratch0), b, k)
}

// orZero sets z to x in the lanes of k, and to 0 in the others.
func (e *emitter) orZero(z amd64.Z, x amd64.Arg, k amd64.K) {
	if x.IsAll() {
		e.VZ(amd64.VPBROADCASTD, z, 0, x.One(), k)
		return
	}
	e.VZ(amd64.VMOVDQU, z, 0, x, k)
}

// set writes x to the lane register of in in the lanes of its mask.
func (e *emitter) set(in *Inst, x amd64.Arg) {
	if in.M == 0 {
		e.put(in.D, e.in(x, e.value(in.D)))
		return
	}
	k := e.executes(in.M)
	z := e.value(in.D)
	if x.IsAll() {
		e.VK(amd64.VPBROADCASTD, z, 0, x.One(), k)
	} else {
		e.VK(amd64.VMOVDQU, z, 0, x, k)
	}
}

func (e *emitter) output(in *Inst, x amd64.Arg) {
	z := e.in(x, scratch0)
	k := e.executes(in.M)
	if e.part == 0 {
		e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameOutputs))
		e.W(amd64.MOVQ, amd64.RAX, amd64.M(amd64.RAX, 8*int(in.C)))
		e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regStrip))
	}
	e.VK(amd64.VMOVDQUTo, z, 0, e.lanesAt(amd64.RAX).Reaching(amd64.ReachStrips), k)
}

// live sets RAX to the live words of the strip.
func (e *emitter) live() {
	e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, frameLive))
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regStrip))
}

// Which lanes of a quad are the lower and the upper ones of a difference.
var differences = map[ir.Op][2]int{
	ir.OpDdxFine: {0xA0, 0xF5}, ir.OpDdyFine: {0x44, 0xEE}, ir.OpDdxCoarse: {0x00, 0x55}, ir.OpDdyCoarse: {0x00, 0xAA},
}

// derivative writes a difference within quads. A lane outside the execution mask
// contributes the value of the lane that asks.
//
// RAS-294
func (e *emitter) derivative(in *Inst) {
	by := differences[in.Op]
	z := e.in(e.arg(in.A), scratch0)
	for i, to := range [2]amd64.Z{scratch1, scratch2} {
		e.VI(amd64.VPSHUFD, to, 0, amd64.R(z), by[i])
	}
	if in.M != 0 || e.r.program.Stage != ir.StageFragment && !e.r.program.Scattered {
		k := e.executes(in.M)
		e.V(amd64.VPMOVM2D, scratch3, 0, amd64.KArg(k))
		for i, to := range [2]amd64.Z{scratch1, scratch2} {
			e.VI(amd64.VPSHUFD, scratch4, 0, amd64.R(scratch3), by[i])
			e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(scratch4))
			e.VK(amd64.VPBLENDMD, to, z, amd64.R(to), maskStep2)
		}
	}
	e.V(amd64.VSUBPS, e.value(in.D), scratch2, amd64.R(scratch1))
}

// bufferAt sets R12 to where the words of an instruction's buffer are, and returns how far
// they may begin.
func (e memoryAMD64) bufferAt(in *Inst) amd64.Arg {
	element, known := e.constantOf(in.B)
	if !known {
		e.was = 0 // EAX is the element's from here on
		e.W(amd64.MOVL, amd64.RAX, e.word(in.B))
		return chosenElement(e.emitter, in.Imm)
	}
	n := e.r.buffer(bufferRef{resource: in.Imm, element: element})
	e.W(amd64.MOVQ, amd64.R12, amd64.M(regBuffers, 16*n))
	return amd64.M(regBuffers, 16*n+8)
}

// load loads words behind R12 at the offsets of a lane register: as try does, which jumps to done
// then, or each by itself. Those at the limit or beyond are zero.
func (e memoryAMD64) load(in *Inst, limit amd64.Arg,
	try func(e memoryAMD64, z, o amd64.Z, limit amd64.Arg, done int)) {
	o, z, done := e.in(e.arg(in.A), scratch0), e.value(in.D), e.NewLabel()
	try(e, z, o, limit, done)
	e.ToMask(amd64.VPCMPUD, maskStep2, o, limit.Every(), 1, e.all())
	e.V(amd64.VPXORD, z, z, amd64.R(z))
	if e.r.program.Scattered {
		e.ifNone(maskStep2, done)
	}
	e.VK(amd64.VPGATHERDD, z, 0, amd64.Each(amd64.R12, o), maskStep2)
	e.Here(done)
}

// loadInside looks words of the table up by themselves where all offsets are known to be in it.
func (e memoryAMD64) loadInside(in *Inst) bool {
	if !e.r.program.Scattered || !e.under(in.A, e.index, len(e.r.program.Table)-3) {
		return false
	}
	e.wordsAt(frameTable)
	o, z := e.in(e.arg(in.A), scratch0), e.value(in.D)
	e.V(amd64.VPXORD, z, z, amd64.R(z))
	e.K(amd64.KXNOR, maskStep2, maskStep2, maskStep2)
	e.VK(amd64.VPGATHERDD, z, 0, amd64.Each(amd64.R12, o), maskStep2)
	return true
}

// gatherBelow loads each word by itself, zeros for those at the limit or beyond.
func (e memoryAMD64) gatherBelow(z, o amd64.Z, limit amd64.Arg) {
	e.ToMask(amd64.VPCMPUD, maskStep2, o, limit.Every(), 1, e.all())
	e.V(amd64.VPXORD, z, z, amd64.R(z))
	e.VK(amd64.VPGATHERDD, z, 0, amd64.Each(amd64.R12, o), maskStep2)
}

// side loads words whose offsets follow each other as one vector, or as two; not in programs whose
// loads mostly are scattered.
func (e memoryAMD64) side(z, o amd64.Z, limit amd64.Arg, done int) {
	if e.r.program.Scattered {
		return
	}
	each := e.NewLabel()
	e.ToMask(amd64.VPCMPUD, maskStep2, o, limit.Every(), 1, e.all())
	e.follow(o, each)
	e.VZ(amd64.VMOVDQU, z, 0, amd64.M(amd64.RAX, 0), maskStep2)
	if limit.Base() == regBuffers { // other memory is a thread's own, or small
		e.foretell(1, 4*e.vectors.lanes, func() amd64.Arg { return limit }, done)
	} else {
		e.JMP(done)
	}
	e.Here(each)
	loadHalves(e.emitter, z, o, done)
}

// loadAlike loads a word that all lanes have in common, as of uniform memory they mostly do.
func (e memoryAMD64) loadAlike(z, o amd64.Z, limit amd64.Arg, done int) {
	each := e.NewLabel()
	e.V128(amd64.VMOVDTo, o, amd64.GArg(amd64.RAX))
	e.W(amd64.CMPQ, amd64.RAX, limit)
	e.JIf(amd64.IfNotBelow, each)
	e.V(amd64.VPBROADCASTD, scratch1, 0, amd64.R(o))
	e.ToMask(amd64.VPCMPD, maskStep3, scratch1, amd64.R(o), 4, e.all())
	e.ifAny(maskStep3, each)
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R12))
	e.V(amd64.VPBROADCASTD, z, 0, amd64.M(amd64.RAX, 0))
	e.JMP(done)
	e.Here(each)
}

// loadRow is loadRows of a word.
func (e memoryAMD64) loadRow(z, o amd64.Z, limit amd64.Arg, done int) {
	e.loadRows(o, o, 1, limit, [2]amd64.Z{z}, done)
}

// loadPair loads two words of each lane, of which the second mostly lies behind the first.
func (e memoryAMD64) loadPair(in *Inst) {
	x := &e.r.aux[in.C]
	limit := amd64.Arg{}
	if Kind(in.Op) == KindLoadBuffer {
		limit = e.bufferAt(in)
	} else {
		limit = e.wordsAt(frameShared)
	}
	first, second := e.in(e.arg(x.Args[0]), scratch0), scratch2
	each, done := e.NewLabel(), e.NewLabel()
	apart := len(x.Args) == 2
	if apart {
		second = e.in(e.arg(x.Args[1]), scratch1)
	}
	var to [2]amd64.Z
	for i, v := range x.Results {
		to[i] = e.value(v)
	}
	if e.r.program.Scattered && Kind(in.Op) == KindLoadBuffer {
		other := first
		if apart {
			other = second
		}
		e.loadRows(first, other, 2, limit, to, done)
	}
	e.V(amd64.VPADDD, scratch2, first, e.constant(constI4))
	e.V(amd64.VPMAXUD, scratch3, first, amd64.R(second))
	e.ToMask(amd64.VPCMPUD, maskStep2, scratch3, limit.Every(), 1, e.all())
	if apart {
		e.ToMask(amd64.VPCMPD, maskStep2, second, amd64.R(scratch2), 0, maskStep2)
	}
	e.K(amd64.KXOR, maskStep2, maskStep2, e.all())
	e.ifAny(maskStep2, each)
	// All are there, and side by side.
	e.VI(amd64.VEXTRACTHALF, first, 0, amd64.R(scratch5), 1)
	e.pairsAt([2]amd64.Z{scratch3, scratch4}, [2]amd64.Z{first, scratch5}, e.all())
	e.takeApart(to[0], scratch3, scratch4, 0)
	e.takeApart(to[1], scratch3, scratch4, 1)
	e.outOfLine(func() {
		e.Here(each)
		e.loadApart(first, second, limit, to)
		e.JMP(done)
	})
	e.Here(done)
	for i, z := range to {
		e.put(x.Results[i], z)
	}
}

// pairsAt loads pairs of words behind R12 in the lanes of k, of which each half is one register. It
// takes maskStep3.
func (e memoryAMD64) pairsAt(to, offsets [2]amd64.Z, k amd64.K) {
	for half, z := range to {
		e.V(amd64.VPXORD, z, z, amd64.R(z))
		if half == 0 {
			e.K(amd64.KMOV, maskStep3, 0, k)
		} else {
			e.KShift(amd64.KSHR, maskStep3, k, 8)
		}
		e.VK(amd64.VPGATHERDQ, z, 0, amd64.Each(amd64.R12, offsets[half]), maskStep3)
	}
}

// loadApart loads words at two offsets of each lane.
func (e memoryAMD64) loadApart(first, second amd64.Z, limit amd64.Arg, to [2]amd64.Z) {
	e.ToMask(amd64.VPCMPUD, maskStep2, first, limit.Every(), 1, e.all())
	e.ToMask(amd64.VPCMPUD, maskStep3, second, limit.Every(), 1, e.all())
	e.V(amd64.VPXORD, scratch3, scratch3, amd64.R(scratch3))
	e.V(amd64.VPXORD, scratch4, scratch4, amd64.R(scratch4))
	none := e.NewLabel()
	e.K(amd64.KOR, maskStep, maskStep2, maskStep3)
	e.ifNone(maskStep, none)
	e.VK(amd64.VPGATHERDD, scratch3, 0, amd64.Each(amd64.R12, first), maskStep2)
	e.VK(amd64.VPGATHERDD, scratch4, 0, amd64.Each(amd64.R12, second), maskStep3)
	e.Here(none)
	e.Mov1(amd64.VMOVDQU, to[0], amd64.R(scratch3))
	e.Mov1(amd64.VMOVDQU, to[1], amd64.R(scratch4))
}

// follow sets RAX to the address behind R12 of the first lane's offset, or jumps where
// the lanes in maskStep2 do not have offsets that follow each other, 4 bytes apart. The
// first lane must be among them.
func (e memoryAMD64) follow(o amd64.Z, not int) {
	e.KTO(amd64.RAX, maskStep2)
	e.WI(amd64.ANDLImm, amd64.GArg(amd64.RAX), 1)
	e.JIf(amd64.IfZero, not)
	e.V128(amd64.VMOVDTo, o, amd64.GArg(amd64.RAX))
	e.V(amd64.VPBROADCASTD, scratch1, 0, amd64.R(o))
	e.V(amd64.VPADDD, scratch1, scratch1, amd64.M(regFrame, frameIota))
	e.ToMask(amd64.VPCMPD, maskStep3, scratch1, amd64.R(o), 4, maskStep2)
	e.ifAny(maskStep3, not)
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.R12))
}

// loadUniform loads a word behind R12 to a scalar register.
func (e memoryAMD64) loadUniform(in *Inst, limit amd64.Arg) {
	done := e.NewLabel()
	e.was = 0 // what looks the buffer up takes RAX
	loadWord(e.emitter, amd64.RAX, in.A)
	e.W(amd64.XORL, amd64.RCX, amd64.GArg(amd64.RCX))
	e.W(amd64.CMPL, amd64.RAX, limit)
	e.JIf(amd64.IfNotBelow, done)
	e.At(amd64.MOVFrom, amd64.RCX, amd64.R12, amd64.RAX, 0, 0)
	e.Here(done)
	storeWord(e.emitter, in.D, amd64.RCX)
}

// store stores words behind R12 of the lanes of the mask that are live.
func (e memoryAMD64) store(in *Inst, limit amd64.Arg) {
	o, x := e.in(e.arg(in.A), scratch0), e.in(e.arg(in.C), scratch2)
	writing(e.emitter, in)
	e.ToMask(amd64.VPCMPUD, maskStep2, o, limit.Every(), 1, maskStep2)
	each, done := e.NewLabel(), e.NewLabel()
	e.follow(o, each)
	e.VK(amd64.VMOVDQUTo, x, 0, amd64.M(amd64.RAX, 0), maskStep2)
	e.JMP(done)
	e.Here(each)
	storeHalves(e.emitter, x, o, done)
	e.VK(amd64.VPSCATTERDD, x, 0, amd64.Each(amd64.R12, o), maskStep2)
	e.Here(done)
}

// privateWord sets RAX to word w of the strip's private memory.
func (e memoryAMD64) privateWord(w int32) {
	e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, framePrivate))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), int(w*int32(e.stride)))
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regStrip))
}

// loadPrivate loads private words at offsets of their own: word w of lane i stands at
// w·stride + i.
func (e memoryAMD64) loadPrivate(in *Inst) {
	e.W(amd64.MOVQ, amd64.RAX, amd64.M(regFrame, framePrivate))
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regStrip))
	if e.part != 0 {
		e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), e.partAt())
	}
	o := e.in(e.arg(in.A), scratch0)
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.RCX), int(e.r.program.PrivateBytes))
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RCX))
	e.ToMask(amd64.VPCMPUD, maskStep2, o, amd64.R(scratch1), 1, e.all())
	e.VI(amd64.VPSRLD, scratch1, 0, amd64.R(o), 2)
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.RCX), int(e.stride))
	e.V(amd64.VPBROADCASTG, scratch2, 0, amd64.GArg(amd64.RCX))
	e.V(amd64.VPMULLD, scratch1, scratch1, amd64.R(scratch2))
	e.V(amd64.VPADDD, scratch1, scratch1, amd64.M(regFrame, frameIota))
	e.V(amd64.VPXORD, scratch5, scratch5, amd64.R(scratch5))
	e.VK(amd64.VPGATHERDD, scratch5, 0, amd64.Each(amd64.RAX, scratch1), maskStep2)
	e.put(in.D, scratch5)
}

// controlAMD64 writes jumps, and the masks that they depend on.
type controlAMD64 struct{ *emitter }

// control writes jumps and what they depend on.
func (e controlAMD64) control(in *Inst) {
	switch in.Kind {
	case KindJump:
		e.JMP(e.labels[in.To])
	case KindJumpZero:
		testWord(e.emitter, in.A)
		e.JIf(amd64.IfZero, e.labels[in.To])
	case KindJumpEmpty, KindJumpNotEmpty:
		cond := byte(amd64.IfZero)
		if in.Kind == KindJumpNotEmpty {
			cond = amd64.IfNotZero
		}
		if !e.tested {
			e.testParts(func() amd64.K { return e.executes(in.M) })
		}
		e.JIf(cond, e.labels[in.To])
	case KindIf:
		for e.part = range e.vectors.parts {
			e.split(in)
		}
		e.part = 0
		if e.vectors.parts > 1 {
			e.testParts(func() amd64.K { return maskParts + amd64.K(e.part) })
		}
		e.JIf(amd64.IfZero, e.labels[in.To])
	case KindMaskCopy:
		for e.part = range e.vectors.parts {
			e.K(amd64.KMOV, e.mask(in.D), 0, e.executes(in.M))
		}
		e.part = 0
	case KindLeave:
		for e.part = range e.vectors.parts {
			k := e.executes(in.M)
			clearMasks(e.emitter, in, k)
			k = e.mask(in.M)
			e.K(amd64.KXOR, k, k, k)
		}
		e.part = 0
		if in.To > 0 {
			e.JMP(e.labels[in.To])
		}
	case KindLeaveIf:
		for e.part = range e.vectors.parts {
			e.leaveIf(in)
		}
		e.part = 0
	case KindFuel:
		out, on := e.NewLabel(), e.NewLabel()
		e.WI(amd64.SUBQImm, amd64.M(regFrame, frameLeft), int(min(in.Imm, 1<<30)))
		e.JIf(amd64.IfNegative, out)
		e.Here(on)
		e.outOfLine(func() {
			e.Here(out)
			e.WI(amd64.MOVQImm, amd64.M(regFrame, frameLoop), int(in.C))
			e.leave(exitFuel, on)
		})
	default:
		e.fail = true
	}
}

// split sets the masks of a condition; the zero flag tells whether the one of the branch is empty.
func (e controlAMD64) split(in *Inst) {
	outer, cond := e.executes(in.M), e.maskIn(in.A, maskStep2)
	and, andNot := in.D, in.B
	if in.Imm != 0 { // where the condition does not hold
		and, andNot = andNot, and
	}
	for i, m := range [2]int32{andNot, and} {
		if m < 0 {
			continue
		}
		k := e.mask(m)
		if i == 0 {
			e.K(amd64.KANDN, k, cond, outer)
		} else {
			e.K(amd64.KAND, k, cond, outer)
		}
		switch {
		case m != in.D:
		case e.vectors.parts > 1:
			e.K(amd64.KMOV, maskParts+amd64.K(e.part), 0, k)
		default:
			e.K(amd64.KTEST, k, 0, k)
		}
	}
}

// leaveIf clears the lanes where a condition holds in the masks that they leave, among them the present one.
func (e controlAMD64) leaveIf(in *Inst) {
	outer, cond := e.executes(in.M), e.maskIn(in.A, maskStep2)
	leave, stay := amd64.KAND, amd64.KANDN
	if in.Imm != 0 { // where the condition does not hold
		leave, stay = stay, leave
	}
	list := e.r.clears[in.C]
	if len(list) == 1 { // it is the present one
		e.K(stay, e.mask(in.M), cond, outer)
		return
	}
	k := maskStep3
	e.K(leave, k, cond, outer)
	clearMasks(e.emitter, in, k)
}

// clearMasks takes lanes out of the masks that an instruction says, if they are set already.
func clearMasks(e *emitter, in *Inst, k amd64.K) {
	for _, m := range e.r.clears[in.C] {
		if e.sets[m] < e.index {
			e.K(amd64.KANDN, e.mask(m), k, e.mask(m))
		}
	}
}

// testParts sets the zero flag where the masks of all parts are empty.
func (e controlAMD64) testParts(mask func() amd64.K) {
	k := mask()
	for e.part = 1; e.part < e.vectors.parts; e.part++ {
		e.K(amd64.KOR, maskStep, k, mask())
		k = maskStep
	}
	e.part = 0
	e.K(amd64.KTEST, k, 0, k)
}

// testsMask says that an instruction jumps where a mask is empty, or is not.
func (in *Inst) testsMask() bool { return in.Kind == KindJumpEmpty || in.Kind == KindJumpNotEmpty }
