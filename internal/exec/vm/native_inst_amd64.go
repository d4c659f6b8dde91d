package vm

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// inst writes one instruction.
func (e *emitter) inst(in *instr) {
	e.was, e.held = e.held, 0
	e.floats = e.floatsOf(in)
	e.anyNaN = in.kind == kindUnary && !e.wide.exact[in.d]
	e.short = (in.kind == kindVV || in.kind == kindUV) && e.most[in.b] < 32
	if in.imm == underMask && in.kind <= kindFusedVUU {
		e.mergedOp(in)
		return
	}
	switch in.kind {
	case kindUnary:
		e.lanewise(in.d, in.op, e.operand(in.op, 0, in.a), amd64.Arg{}, amd64.Arg{}, in.a, 0)
	case kindVV:
		e.lanewise(in.d, in.op, e.operand(in.op, 0, in.a), e.operand(in.op, 1, in.b), amd64.Arg{}, in.a, in.b)
	case kindVU:
		e.lanewiseU(in.d, in.op, e.arg(in.a), e.scalar(in.b), amd64.Arg{}, in.b)
	case kindUV:
		e.lanewiseU(in.d, in.op, e.scalar(in.a), e.arg(in.b), amd64.Arg{}, -1)
	case kindVVV, kindVVU, kindVUV, kindVUU:
		b, c := e.others(in)
		if in.op == ir.OpSelect {
			if x, ok := e.constantOf(max(in.c, 0)); ok && x == 0 && lanesOf[in.kind]&laneC == 0 && !e.vectors.narrow {
				z := e.to(in.d)
				e.orZero(z, b, e.maskIn(in.a, maskStep2))
				e.put(in.d, z)
				return
			}
			e.selects(in.d, in.a, b, c)
			return
		}
		e.lanewise(in.d, in.op, e.arg(in.a), b, c, in.a, -1)
	case kindFusedVVV, kindFusedVVU, kindFusedVUV, kindFusedVUU:
		b, c := e.others(in)
		e.pair(in, e.arg(in.a), b, c)
	case kindScalar:
		e.uniform(in)
	case kindScalarMov:
		e.wordIn(in.a)
		e.wordOut(in.d)
	case kindScalarCanon:
		e.canon(scratch5, e.scalar(in.a))
		e.toScalar(in.d, scratch5)
	case kindWide:
		e.wideOp(in)
	case kindBroadcast:
		if e.wide.pooled[in.d] {
			return
		}
		z := e.to(in.d)
		e.Mov1(amd64.VPBROADCASTD, z, e.scalar(in.a).One())
		e.put(in.d, z)
	case kindCopy:
		if e.asMask[in.a] {
			z := e.to(in.d)
			e.V(amd64.VPMOVM2D, z, 0, amd64.KArg(e.maskIn(in.a, maskStep)))
			e.put(in.d, z)
			return
		}
		e.put(in.d, e.in(e.arg(in.a), e.to(in.d)))
	case kindCanon:
		if e.canonical(in) {
			e.put(in.d, e.in(e.arg(in.a), e.to(in.d)))
			return
		}
		z := e.to(in.d)
		e.canon(z, e.arg(in.a))
		e.put(in.d, z)
	case kindZero:
		z := e.to(in.d)
		e.V(amd64.VPXORD, z, z, amd64.R(z))
		e.put(in.d, z)
	case kindSet:
		e.set(in, e.arg(in.a))
	case kindSetU:
		e.set(in, e.scalar(in.a))
	case kindOutput:
		e.output(in, e.arg(in.a))
	case kindOutputU:
		e.output(in, e.scalar(in.a))
	case kindDerivative:
		e.derivative(in)
	case kindIsHelper:
		e.live()
		z := e.to(in.d)
		e.VZ(amd64.VMOVDQU, scratch0, 0, e.lanesAt(amd64.RAX), maskAll)
		e.V(amd64.VPXORD, z, scratch0, e.constant(constOnes))
		e.put(in.d, z)
	case kindDemote:
		k := e.executes(in.m)
		e.live()
		e.V(amd64.VPXORD, scratch0, scratch0, amd64.R(scratch0))
		e.storeLanes(scratch0, e.lanesAt(amd64.RAX), k, true)
	case kindNone:
	case kindLoadPair:
		e.loadPair(in)
	case kindLoadFew:
		e.loadFew(in)
	case kindLoadBytes:
		e.loadBytes(in)
	case kindLoadShared:
		e.MOVQLoad(amd64.R12, amd64.M(regFrame, frameShared))
		e.load(in.d, in.a, amd64.R12, amd64.M(regFrame, frameSharedLimit), false)
	case kindStoreShared:
		e.MOVQLoad(amd64.R12, amd64.M(regFrame, frameShared))
		e.store(in, amd64.M(regFrame, frameSharedLimit))
	case kindLoadBuffer:
		limit := e.bufferAt(in)
		if in.c > 0 {
			e.loadList(in, limit)
			return
		}
		e.load(in.d, in.a, amd64.R12, limit, true)
	case kindAhead:
		e.ahead(in)
	case kindLoadPush:
		e.MOVQLoad(amd64.R12, amd64.M(regFrame, framePush))
		e.load(in.d, in.a, amd64.R12, amd64.M(regFrame, framePushLimit), false)
	case kindLoadTable:
		if e.loadSmall(in) {
			return
		}
		e.MOVQLoad(amd64.R12, amd64.M(regFrame, frameTable))
		e.load(in.d, in.a, amd64.R12, amd64.M(regFrame, frameTableLimit), false)
	case kindLoadBufferU:
		limit := e.bufferAt(in)
		e.loadUniform(in, limit)
	case kindLoadPushU:
		e.MOVQLoad(amd64.R12, amd64.M(regFrame, framePush))
		e.loadUniform(in, amd64.M(regFrame, framePushLimit))
	case kindLoadTableU:
		e.MOVQLoad(amd64.R12, amd64.M(regFrame, frameTable))
		e.loadUniform(in, amd64.M(regFrame, frameTableLimit))
	case kindStoreBuffer:
		limit := e.bufferAt(in)
		e.store(in, limit)
	case kindLoadPrivate:
		e.loadPrivate(in)
	case kindLoadPrivateAt:
		e.privateWord(in.c)
		z := e.to(in.d)
		e.VZ(amd64.VMOVDQU, z, 0, e.lanesAt(amd64.RAX), maskAll)
		e.put(in.d, z)
	case kindStorePrivateAt:
		z := e.in(e.arg(in.b), scratch0)
		k := e.executes(in.m)
		e.privateWord(in.c)
		e.storeLanes(z, e.lanesAt(amd64.RAX), k, true)
	case kindPixel, kindRecord, kindCovered, kindCover, kindLoadTexel, kindStoreTexel:
		e.place(in)
	case kindImage:
		e.rest(in)
	default:
		e.control(in)
	}
}

// others are the second and third operand of an operation on three: lane registers, or
// scalar ones.
func (e *emitter) others(in *instr) (b, c amd64.Arg) {
	b, c = e.scalar(in.b), e.scalar(in.c)
	l := lanesOf[in.kind]
	if l&laneB != 0 {
		b = e.arg(in.b)
	}
	if l&laneC != 0 {
		c = e.arg(in.c)
	}
	return b, c
}

// operand is a lane register of an operation; comparisons' results that live in mask
// registers are not one.
func (e *emitter) operand(op ir.Op, i int, v int32) amd64.Arg {
	if e.asMask[v] {
		return amd64.Arg{}
	}
	return e.arg(v)
}

// lanewiseU is lanewise where an operand is a scalar register: shift is the one that
// says how far, or -1.
func (e *emitter) lanewiseU(d int32, op ir.Op, a, b, c amd64.Arg, shift int32) {
	if n, ok := e.constantOf(max(shift, 0)); ok && shift >= 0 {
		switch op {
		case ir.OpShl, ir.OpShrU, ir.OpShrS:
			z := e.to(d)
			by := map[ir.Op]amd64.Op{ir.OpShl: amd64.VPSLLD, ir.OpShrU: amd64.VPSRLD, ir.OpShrS: amd64.VPSRAD}[op]
			e.VI(by, z, 0, amd64.R(e.in(a, scratch0)), int(n&31))
			e.put(d, z)
			return
		}
	}
	e.lanewise(d, op, a, b, c, -1, -1)
}

// lanewise writes an operation whose result is d; va and vb are its lane registers,
// for logic on masks.
func (e *emitter) lanewise(d int32, op ir.Op, a, b, c amd64.Arg, va, vb int32) {
	switch {
	case compares(op):
		k := e.maskTo(d, maskStep2)
		e.compare(op, k, a, b)
		e.maskPut(d, k)
	case e.asMask[d]:
		e.combine(d, op, va, vb)
	default:
		z := e.to(d)
		e.op(op, z, a, b, c)
		e.put(d, z)
	}
}

// combine is logic on masks.
func (e *emitter) combine(d int32, op ir.Op, va, vb int32) {
	x, k := e.maskIn(va, maskStep), e.maskTo(d, maskStep3)
	switch op {
	case ir.OpNot:
		e.KNOT(k, x)
	case ir.OpAnd:
		e.KAND(k, x, e.maskIn(vb, maskStep2))
	case ir.OpOr:
		e.KOR(k, x, e.maskIn(vb, maskStep2))
	default:
		e.KXOR(k, x, e.maskIn(vb, maskStep2))
	}
	e.maskPut(d, k)
}

// uniform writes an operation on scalar registers: in all lanes, of which one counts.
func (e *emitter) uniform(in *instr) {
	if e.uniformWord(in) {
		return
	}
	if compares(in.op) {
		e.compare(in.op, maskStep2, e.scalar(in.a), e.scalar(in.b))
		e.V(amd64.VPMOVM2D, scratch5, 0, amd64.KArg(maskStep2))
	} else {
		e.op(in.op, scratch5, e.scalar(in.a), e.scalar(in.b), e.scalar(in.c))
	}
	e.toScalar(in.d, scratch5)
}

// uniformWord writes an operation on words in general registers, if it is a simple one: what counts the turns of a loop and
// asks whether it ends. The next one finds its operand in EAX, so that nothing waits for memory but the turn after.
func (e *emitter) uniformWord(in *instr) bool {
	var by func(*amd64.Asm, amd64.G, amd64.Arg)
	cond := byte(0)
	switch in.op {
	case ir.OpIAdd:
		by = (*amd64.Asm).ADDLMem
	case ir.OpISub:
		by = (*amd64.Asm).SUBLMem
	case ir.OpIMul:
		by = (*amd64.Asm).IMULLMem
	case ir.OpAnd:
		by = (*amd64.Asm).ANDLMem
	case ir.OpOr:
		by = (*amd64.Asm).ORLMem
	case ir.OpXor:
		by = (*amd64.Asm).XORLMem
	case ir.OpNot:
		e.wordIn(in.a)
		e.NOTL(amd64.RAX)
		e.wordOut(in.d)
		return true
	case ir.OpIEq:
		cond = amd64.IfZero
	case ir.OpINe:
		cond = amd64.IfNotZero
	case ir.OpSLt:
		cond = amd64.IfLess
	case ir.OpSLe:
		cond = amd64.IfNotGreater
	case ir.OpULt:
		cond = amd64.IfBelow
	case ir.OpULe:
		cond = amd64.IfNotAbove
	default:
		return false
	}
	e.wordIn(in.a)
	if by != nil {
		by(&e.Asm, amd64.RAX, e.word(in.b))
	} else {
		e.CMPLMem(amd64.RAX, e.word(in.b))
		e.SETEAX(cond)
	}
	e.wordOut(in.d)
	return true
}

// wordIn loads a scalar register to EAX, and wordOut stores it there.
func (e *emitter) wordIn(s int32) {
	if e.was != s+1 {
		e.MOVLLoad(amd64.RAX, e.word(s))
	}
}

func (e *emitter) wordOut(s int32) {
	e.MOVLStore(e.word(s), amd64.RAX)
	e.held = s + 1
}

// toScalar keeps the first lane of z in a scalar register.
func (e *emitter) toScalar(d int32, z amd64.Z) { e.MovLow(e.word(d), z) }

// canon makes NaNs of x canonical.
func (e *emitter) canon(d amd64.Z, x amd64.Arg) {
	z := e.in(x, scratch0)
	e.ToMask(amd64.VCMPPS, maskStep2, z, amd64.R(z), 3, 0)
	if e.vectors.narrow {
		e.blend(d, z, e.constant(constNaN), maskStep2)
		return
	}
	if d != z {
		e.Mov1(amd64.VMOVDQU, d, amd64.R(z))
	}
	e.VK(amd64.VPBROADCASTD, d, 0, e.constant(constNaN).One(), maskStep2)
}

// selects sets d to b in the lanes of a condition, else to c.
func (e *emitter) selects(d, cond int32, b, c amd64.Arg) {
	k := e.maskIn(cond, maskStep2)
	z := e.to(d)
	e.V2K(amd64.VPBLENDMD, z, e.in(c, scratch0), b, k)
	e.put(d, z)
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
func (e *emitter) set(in *instr, x amd64.Arg) {
	if in.m == 0 {
		e.put(in.d, e.in(x, e.to(in.d)))
		return
	}
	k := e.executes(in.m)
	if p := e.places[in.d]; p.kind != placeVector {
		e.VK(amd64.VMOVDQUTo, e.in(x, scratch0), 0, e.arg(in.d), k)
		return
	}
	z := e.registerOf(e.places[in.d])
	if x.IsAll() {
		e.VK(amd64.VPBROADCASTD, z, 0, x.One(), k)
	} else {
		e.VK(amd64.VMOVDQU, z, 0, x, k)
	}
}

func (e *emitter) output(in *instr, x amd64.Arg) {
	z := e.in(x, scratch0)
	k := e.executes(in.m)
	if e.part == 0 {
		e.MOVQLoad(amd64.RAX, amd64.M(regFrame, frameOutputs))
		e.MOVQLoad(amd64.RAX, amd64.M(amd64.RAX, 8*int(in.c)))
		e.ADDQ(amd64.RAX, regStrip)
	}
	if e.vectors.narrow {
		e.output256(z, k)
		return
	}
	e.VK(amd64.VMOVDQUTo, z, 0, e.lanesAt(amd64.RAX), k)
}

// live sets RAX to the live words of the strip.
func (e *emitter) live() {
	e.MOVQLoad(amd64.RAX, amd64.M(regFrame, frameLive))
	e.ADDQ(amd64.RAX, regStrip)
}

// Which lanes of a quad are the lower and the upper ones of a difference.
var differences = map[ir.Op][2]int{
	ir.OpDdxFine: {0xA0, 0xF5}, ir.OpDdyFine: {0x44, 0xEE}, ir.OpDdxCoarse: {0x00, 0x55}, ir.OpDdyCoarse: {0x00, 0xAA},
}

// derivative writes a difference within quads. A lane outside the execution mask
// contributes the value of the lane that asks.
//
// RAS-294
func (e *emitter) derivative(in *instr) {
	by := differences[in.op]
	z := e.in(e.arg(in.a), scratch0)
	for i, to := range [2]amd64.Z{scratch1, scratch2} {
		e.VI(amd64.VPSHUFD, to, 0, amd64.R(z), by[i])
	}
	if in.m != 0 || e.r.program.Stage != ir.StageFragment && !e.r.program.Scattered {
		k := e.executes(in.m)
		e.V(amd64.VPMOVM2D, scratch3, 0, amd64.KArg(k))
		for i, to := range [2]amd64.Z{scratch1, scratch2} {
			e.VI(amd64.VPSHUFD, scratch4, 0, amd64.R(scratch3), by[i])
			e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(scratch4))
			e.V2K(amd64.VPBLENDMD, to, z, amd64.R(to), maskStep2)
		}
	}
	d := e.to(in.d)
	e.V(amd64.VSUBPS, d, scratch2, amd64.R(scratch1))
	e.put(in.d, d)
}

// bufferAt sets R12 to where the words of an instruction's buffer are, and returns how far
// they may begin.
func (e *emitter) bufferAt(in *instr) amd64.Arg {
	n := e.r.buffer(bufferRef{in.imm, e.r.consts[in.b]})
	e.MOVQLoad(amd64.R12, amd64.M(regBuffers, 16*n))
	return amd64.M(regBuffers, 16*n+8)
}

// load loads words at the offsets of a lane register: one vector where they follow each
// other, or two of a buffer's, else each by itself. Those at the limit or beyond are zero.
func (e *emitter) load(d, offsets int32, base amd64.G, limit amd64.Arg, buffer bool) {
	o, done := e.in(e.arg(offsets), scratch0), e.NewLabel()
	z := e.to(d)
	if z == o {
		z = scratch5
	}
	scattered := e.r.program.Scattered
	if scattered && buffer {
		e.loadRows(o, o, 1, limit, [2]amd64.Z{z}, done)
	}
	e.ToMask(amd64.VPCMPUD, maskStep2, o, limit.Every(), 1, maskAll)
	if !scattered {
		each := e.NewLabel()
		e.follow(o, each)
		e.loadLanes(z, amd64.M(amd64.RAX, 0), maskStep2)
		e.JMP(done)
		e.Here(each)
	}
	e.V(amd64.VPXORD, z, z, amd64.R(z))
	if scattered {
		e.KTEST(maskStep2, maskStep2)
		e.JIf(amd64.IfZero, done)
	}
	e.VK(amd64.VPGATHERDD, z, 0, amd64.Each(base, o), maskStep2)
	e.Here(done)
	e.put(d, z)
}

// loadPair loads two words of each lane, of which the second mostly lies behind the first.
func (e *emitter) loadPair(in *instr) {
	x := &e.r.aux[in.c]
	limit := amd64.M(regFrame, frameSharedLimit)
	if kind(in.op) == kindLoadBuffer {
		limit = e.bufferAt(in)
	} else {
		e.MOVQLoad(amd64.R12, amd64.M(regFrame, frameShared))
	}
	first, second := e.in(e.arg(x.args[0]), scratch0), scratch2
	each, done := e.NewLabel(), e.NewLabel()
	apart := len(x.args) == 2
	if apart {
		second = e.in(e.arg(x.args[1]), scratch1)
	}
	to := pairTo
	if !e.vectors.narrow {
		for i, v := range x.results {
			if p := e.places[v]; p.kind == placeVector {
				to[i] = e.registerOf(p)
			}
		}
	}
	if e.r.program.Scattered && kind(in.op) == kindLoadBuffer {
		other := first
		if apart {
			other = second
		}
		e.loadRows(first, other, 2, limit, to, done)
	}
	if e.vectors.narrow {
		e.loadPair256(x, first, second, limit, each, done)
	} else {
		e.V(amd64.VPADDD, scratch2, first, e.constant(constI4))
		e.ToMask(amd64.VPCMPUD, maskStep2, second, limit.Every(), 1, maskAll)
		e.ToMask(amd64.VPCMPUD, maskStep2, first, limit.Every(), 1, maskStep2)
		if apart {
			e.ToMask(amd64.VPCMPD, maskStep2, second, amd64.R(scratch2), 0, maskStep2)
		}
		e.KXOR(maskStep2, maskStep2, maskAll)
		e.KTEST(maskStep2, maskStep2)
		e.JIf(amd64.IfNotZero, each)
		// All are there, and side by side.
		e.KMOV(maskStep2, maskAll)
		e.KSHR(maskStep3, maskAll, 8)
		e.V(amd64.VPXORD, scratch3, scratch3, amd64.R(scratch3))
		e.V(amd64.VPXORD, scratch4, scratch4, amd64.R(scratch4))
		e.VHalfI(amd64.VEXTRACTHALF, first, scratch5, 1)
		e.VK(amd64.VPGATHERDQ, scratch3, 0, amd64.Each(amd64.R12, first), maskStep2)
		e.VK(amd64.VPGATHERDQ, scratch4, 0, amd64.Each(amd64.R12, scratch5), maskStep3)
		e.takeApart(to[0], scratch3, scratch4, 0)
		e.takeApart(to[1], scratch3, scratch4, 1)
		e.outOfLine(func() {
			e.Here(each)
			e.loadApart(first, second, limit, to)
			e.JMP(done)
		})
	}
	e.Here(done)
	for i, z := range to {
		e.put(x.results[i], z)
	}
}

// loadApart loads words at two offsets of each lane.
func (e *emitter) loadApart(first, second amd64.Z, limit amd64.Arg, to [2]amd64.Z) {
	e.ToMask(amd64.VPCMPUD, maskStep2, first, limit.Every(), 1, maskAll)
	e.ToMask(amd64.VPCMPUD, maskStep3, second, limit.Every(), 1, maskAll)
	e.V(amd64.VPXORD, scratch3, scratch3, amd64.R(scratch3))
	e.V(amd64.VPXORD, scratch4, scratch4, amd64.R(scratch4))
	none := e.NewLabel()
	e.KOR(maskStep, maskStep2, maskStep3)
	e.KTEST(maskStep, maskStep)
	e.JIf(amd64.IfZero, none)
	e.VK(amd64.VPGATHERDD, scratch3, 0, amd64.Each(amd64.R12, first), maskStep2)
	e.VK(amd64.VPGATHERDD, scratch4, 0, amd64.Each(amd64.R12, second), maskStep3)
	e.Here(none)
	e.Mov1(amd64.VMOVDQU, to[0], amd64.R(scratch3))
	e.Mov1(amd64.VMOVDQU, to[1], amd64.R(scratch4))
}

// pairTo are registers that loadPair loads to.
var pairTo = [2]amd64.Z{scratch2, scratch5}

// follow sets RAX to the address behind R12 of the first lane's offset, or jumps where
// the lanes in maskStep2 do not have offsets that follow each other, 4 bytes apart. The
// first lane must be among them.
func (e *emitter) follow(o amd64.Z, not int) {
	e.KTO(amd64.RAX, maskStep2)
	e.ANDLImm(amd64.RAX, 1)
	e.JIf(amd64.IfZero, not)
	e.VMOVDGeneral(amd64.RAX, o)
	e.V(amd64.VPBROADCASTD, scratch1, 0, amd64.R(o))
	e.V(amd64.VPADDD, scratch1, scratch1, amd64.M(regFrame, frameIota))
	e.ToMask(amd64.VPCMPD, maskStep3, scratch1, amd64.R(o), 4, maskStep2)
	e.KTEST(maskStep3, maskStep3)
	e.JIf(amd64.IfNotZero, not)
	e.ADDQ(amd64.RAX, amd64.R12)
}

// loadUniform loads a word behind R12 to a scalar register.
func (e *emitter) loadUniform(in *instr, limit amd64.Arg) {
	done := e.NewLabel()
	e.MOVLLoad(amd64.RAX, e.word(in.a))
	e.XORL(amd64.RCX, amd64.RCX)
	e.CMPLMem(amd64.RAX, limit)
	e.JIf(amd64.IfNotBelow, done)
	e.MOVLIndexed(amd64.RCX, amd64.R12, amd64.RAX)
	e.Here(done)
	e.MOVLStore(e.word(in.d), amd64.RCX)
}

// store stores words behind R12 of the lanes of the mask that are live.
func (e *emitter) store(in *instr, limit amd64.Arg) {
	o, x := e.in(e.arg(in.a), scratch0), e.in(e.arg(in.c), scratch2)
	k := e.executes(in.m)
	e.live()
	e.VZ(amd64.VMOVDQU, scratch1, 0, e.lanesAt(amd64.RAX), k)
	e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(scratch1))
	e.ToMask(amd64.VPCMPUD, maskStep2, o, limit.Every(), 1, maskStep2)
	each, done := e.NewLabel(), e.NewLabel()
	e.follow(o, each)
	e.storeLanes(x, amd64.M(amd64.RAX, 0), maskStep2, false)
	e.JMP(done)
	e.Here(each)
	e.VK(amd64.VPSCATTERDD, x, 0, amd64.Each(amd64.R12, o), maskStep2)
	e.Here(done)
}

// privateWord sets RAX to word w of the strip's private memory.
func (e *emitter) privateWord(w int32) {
	e.MOVQLoad(amd64.RAX, amd64.M(regFrame, framePrivate))
	e.ADDQImm(amd64.RAX, w*int32(e.stride))
	e.ADDQ(amd64.RAX, regStrip)
}

// loadPrivate loads private words at offsets of their own: word w of lane i stands at
// w·stride + i.
func (e *emitter) loadPrivate(in *instr) {
	e.MOVQLoad(amd64.RAX, amd64.M(regFrame, framePrivate))
	e.ADDQ(amd64.RAX, regStrip)
	if e.part != 0 {
		e.ADDQImm(amd64.RAX, int32(e.partAt()))
	}
	o := e.in(e.arg(in.a), scratch0)
	e.MOVLImm(amd64.RCX, e.r.program.PrivateBytes)
	e.BroadcastGeneral(scratch1, amd64.RCX)
	e.ToMask(amd64.VPCMPUD, maskStep2, o, amd64.R(scratch1), 1, maskAll)
	e.VI(amd64.VPSRLD, scratch1, 0, amd64.R(o), 2)
	e.MOVLImm(amd64.RCX, uint32(e.stride))
	e.BroadcastGeneral(scratch2, amd64.RCX)
	e.V(amd64.VPMULLD, scratch1, scratch1, amd64.R(scratch2))
	e.V(amd64.VPADDD, scratch1, scratch1, amd64.M(regFrame, frameIota))
	e.V(amd64.VPXORD, scratch5, scratch5, amd64.R(scratch5))
	e.VK(amd64.VPGATHERDD, scratch5, 0, amd64.Each(amd64.RAX, scratch1), maskStep2)
	e.put(in.d, scratch5)
}

// control writes jumps and what they depend on.
func (e *emitter) control(in *instr) {
	switch in.kind {
	case kindJump:
		e.JMP(e.labels[in.to])
	case kindJumpZero:
		if e.was == in.a+1 {
			e.TESTL(amd64.RAX, amd64.RAX)
			e.held = e.was
		} else {
			e.CMPLMemZero(e.word(in.a))
		}
		e.JIf(amd64.IfZero, e.labels[in.to])
	case kindJumpEmpty, kindJumpNotEmpty:
		cond := byte(amd64.IfZero)
		if in.kind == kindJumpNotEmpty {
			cond = amd64.IfNotZero
		}
		switch {
		case e.tested:
		case e.vectors.narrow:
			e.testParts(func() amd64.Arg { return e.maskArg(e.executes(in.m)) })
		case in.m == 0:
			e.KTEST(maskAll, maskAll)
		case e.maskRegs[in.m] != 0:
			e.KTEST(e.maskRegs[in.m], e.maskRegs[in.m])
		default:
			e.CMPWMemZero(e.slot(in.m))
		}
		e.giveBack()
		e.JIf(cond, e.labels[in.to])
	case kindIf:
		for e.part = range e.vectors.parts {
			e.split(in)
		}
		e.part = 0
		if e.vectors.parts > 1 {
			e.testParts(func() amd64.Arg { return amd64.R(stepsShared + amd64.Z(e.part)) })
		}
		e.giveBack()
		e.JIf(amd64.IfZero, e.labels[in.to])
	case kindMaskCopy:
		for e.part = range e.vectors.parts {
			e.setMask(in.d, e.executes(in.m))
		}
		e.part = 0
	case kindLeave:
		for e.part = range e.vectors.parts {
			k := e.executes(in.m)
			for _, m := range e.r.clears[in.c] {
				x := e.maskOwn(m, maskStep2)
				e.KANDN(x, k, e.mask(m, maskStep2))
				e.setMask(m, x)
			}
			k = e.maskOwn(in.m, maskStep2)
			e.KXOR(k, k, k)
			e.setMask(in.m, k)
		}
		e.part = 0
		if in.to > 0 {
			e.giveBack()
			e.JMP(e.labels[in.to])
		}
	case kindLeaveIf:
		for e.part = range e.vectors.parts {
			e.leaveIf(in)
		}
		e.part = 0
	case kindFuel:
		out, on := e.NewLabel(), e.NewLabel()
		e.SUBQImmMem(amd64.M(regFrame, frameLeft), uint32(min(in.imm, 1<<30)))
		e.JIf(amd64.IfNegative, out)
		e.Here(on)
		e.later = append(e.later, func() {
			e.Here(out)
			e.MOVLImmStore(amd64.M(regFrame, frameLoop), uint32(in.c))
			e.leave(exitFuel, on)
		})
	default:
		e.fail = true
	}
}

// split sets the masks of a condition; the zero flag tells whether the one of the branch is empty.
func (e *emitter) split(in *instr) {
	outer, cond := e.executes(in.m), e.maskIn(in.a, maskStep2)
	and, andNot := in.d, in.b
	if in.imm != 0 { // where the condition does not hold
		and, andNot = andNot, and
	}
	for i, m := range [2]int32{andNot, and} {
		if m < 0 {
			continue
		}
		k := e.maskOwn(m, maskStep3)
		if m == in.d && e.vectors.parts > 1 {
			k = vectorMask(stepsShared + amd64.Z(e.part))
		}
		if i == 0 {
			e.KANDN(k, cond, outer)
		} else {
			e.KAND(k, cond, outer)
		}
		if e.setMask(m, k); m == in.d && e.vectors.parts == 1 {
			e.KTEST(k, k)
		}
	}
}

// leaveIf clears the lanes where a condition holds in the masks that they leave, among them the present one.
func (e *emitter) leaveIf(in *instr) {
	outer, cond := e.executes(in.m), e.maskIn(in.a, maskStep2)
	leave, stay := e.KAND, e.KANDN
	if in.imm != 0 { // where the condition does not hold
		leave, stay = e.KANDN, e.KAND
	}
	list := e.r.clears[in.c]
	if len(list) == 1 { // it is the present one
		k := e.maskOwn(in.m, maskStep3)
		stay(k, cond, outer)
		e.setMask(in.m, k)
		return
	}
	k := maskStep3
	leave(k, cond, outer)
	for _, m := range list {
		x := e.maskOwn(m, maskStep2)
		e.KANDN(x, k, e.mask(m, maskStep2))
		e.setMask(m, x)
	}
}

// testParts sets the zero flag where the masks of all parts are empty.
func (e *emitter) testParts(mask func() amd64.Arg) {
	e.y(amd64.VMOVDQU, step0, 0, mask())
	for e.part = 1; e.part < e.vectors.parts; e.part++ {
		e.y(amd64.VPORD, step0, step0, mask())
	}
	e.part = 0
	e.KTEST(vectorMask(step0), 0)
}

// testsMask says that an instruction jumps where a mask is empty, or is not.
func (in *instr) testsMask() bool { return in.kind == kindJumpEmpty || in.kind == kindJumpNotEmpty }
