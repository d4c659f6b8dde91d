package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// armAtomic writes an atomic as a loop over lanes: x10 has those that are left, x14 the frame's words
// of the lane, xAt its number's address, xFound what is there, xValue the operand.
type armAtomic struct {
	armMemory
	m    ir.Mem
	rows int
}

const (
	xAt     arm64.G = 15
	xFound  arm64.G = 22
	xValue  arm64.G = 23
	xStatus arm64.G = 24
)

// atomicMem writes an atomic, in the lanes of the mask that are live, one after the other.
func (e armMemory) atomicMem(in *Inst) {
	x, m := &e.r.aux[in.C], ir.MemOf(uint64(in.Imm))
	done := e.NewLabel()
	e.writing(in)
	switch {
	case !directAtomic(m):
		e.byHost(in, n4, done)
		e.Here(done)
		return
	case m.Space.Sought():
		e.inSite(in, n4, done)
	default:
		e.memoryAt(in)
		e.constant(n1, ^uint32(3*(in.A&AtomicOfWords)))
		e.V3(arm64.AND, n0, n1, e.in(lanes(x.Args[m.Space.Operands()-1]), n0))
		e.DUPG4S(n1, xLimit)
		e.V3(arm64.CMHI4S, n1, n1, n0)
		e.V3(arm64.AND, n4, n4, n1)
	}
	e.aligned(in, m.Log, done)
	w := armAtomic{e, m, e.rows(atomicRows)}
	keep := func(z arm64.V, row int) { e.Vec(arm64.STRQ, z, xFrame, w.rows+imageRow*row) }
	keep(n0, atomicWhere)
	for i, v := range x.Args[m.Space.Operands():] {
		to := atomicValue + i
		if w.words() == 1 {
			to += i
		}
		keep(e.in(lanes(v), n1), to)
	}
	e.MOVI(n1, 0, 0)
	keep(n1, atomicResult)
	keep(n1, atomicResult+1)
	e.laneNumber(x10, n4)
	w.write(in.A&atomicUnread != 0)
	for i, v := range x.Results {
		e.Vec(arm64.LDRQ, n0, xFrame, w.rows+imageRow*(atomicResult+i))
		e.put(v, n0)
	}
	e.Here(done)
}

// aligned leaves an atomic to the host where a lane of n4 has no number at a multiple of its size
// behind xBase, as Vulkan asks for.
func (e armMemory) aligned(in *Inst, log uint8, done int) {
	out := e.NewLabel()
	e.Bits(x9, xBase, 0, int(log))
	e.DUPG4S(n1, x9)
	e.V3(arm64.ORR, n1, n1, n0)
	e.constant(n2, 1<<log-1)
	e.V3(arm64.CMTST4S, n1, n1, n2)
	e.V3(arm64.AND, n1, n1, n4)
	e.bits(n1)
	e.CBNZ(x10, out)
	e.outOfLine(func() {
		e.Here(out)
		e.byHost(in, n4, done)
	})
}

// words is how many of them a number has.
func (e armAtomic) words() int { return max(int(e.m.Log), 2) - 1 }

// number loads a number of the lane from its row, or stores it there.
func (e armAtomic) number(by arm64.Op, g arm64.G, row int) {
	row = e.rows + imageRow*row
	switch {
	case e.words() == 1:
		e.Gen(by, g, x14, row)
	case by == arm64.LDRW:
		e.Gen(by, g, x14, row)
		e.Gen(by, x9, x14, row+imageRow)
		e.ADDShifted(g, g, x9, 32)
	default:
		e.Gen(by, g, x14, row)
		e.Bits(x9, g, 32, 32)
		e.Gen(by, x9, x14, row+imageRow)
	}
}

// write writes the loop.
func (e armAtomic) write(unread bool) {
	loop, next, done := e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.ADDImm(x14, xFrame, 0)
	e.Here(loop)
	e.CBZ(x10, done)
	e.Bits(x9, x10, 0, 1)
	e.CBZ(x9, next)
	e.Gen(arm64.LDRW, xAt, x14, e.rows+imageRow*atomicWhere)
	e.G3(arm64.ADDX, xAt, xAt, xBase)
	for i := range e.m.Atomic.Values() {
		e.number(arm64.LDRW, [2]arm64.G{xValue, x11}[i], atomicValue+2*i)
	}
	if e.one(); !unread {
		e.number(arm64.STRW, xFound, atomicResult)
	}
	e.Here(next)
	e.Bits(x10, x10, 1, 63)
	e.ADDImm(x14, x14, 4)
	e.JMP(loop)
	e.Here(done)
}

// at writes one of the ordered moves on the number in memory; xStatus is for the one that needs it.
func (e armAtomic) at(o arm64.Op, g arm64.G) {
	status := arm64.G(0)
	if o == arm64.STLXR {
		status = xStatus
	}
	e.Ordered(o.Sized(e.m.Log), g, xAt, status)
}

// one writes the atomic of one lane.
func (e armAtomic) one() {
	again, done := e.NewLabel(), e.NewLabel()
	switch op := e.m.Atomic; op.Base() {
	case ir.AtomicLoad:
		e.at(arm64.LDAR, xFound)
		return
	case ir.AtomicStore:
		e.at(arm64.STLR, xValue)
		return
	case ir.AtomicFAdd, ir.AtomicFMin, ir.AtomicFMax: // nothing else may come between the exclusive moves
		e.Here(again)
		e.at(arm64.LDAR, xFound)
		e.combineFloat()
		e.at(arm64.LDAXR, xStatus)
		e.CMP(xStatus, xFound)
		e.JIf(arm64.NotEqual, again)
	default:
		e.Here(again)
		e.at(arm64.LDAXR, xFound)
		if op == ir.AtomicCompareExchange {
			e.compare(xFound, x11)
			e.JIf(arm64.NotEqual, done)
		}
		e.combine()
	}
	e.at(arm64.STLXR, x9)
	e.CBNZ(xStatus, again)
	e.Here(done)
}

// compare compares numbers.
func (e armAtomic) compare(x, y arm64.G) {
	if e.words() == 1 {
		e.CMPW(x, y)
	} else {
		e.CMP(x, y)
	}
}

// betterARM64 are the conditions under which what is there stays, not the operand.
var betterARM64 = map[ir.AtomicOp]uint32{
	ir.AtomicSMin: arm64.Less, ir.AtomicSMax: arm64.Greater,
	ir.AtomicUMin: arm64.Below, ir.AtomicUMax: arm64.Above,
}

// combine sets x9 to what an atomic makes of xFound and xValue.
func (e armAtomic) combine() {
	switch op := e.m.Atomic; op {
	case ir.AtomicAdd:
		e.G3(arm64.ADDX, x9, xFound, xValue)
	case ir.AtomicAnd:
		e.G3(arm64.ANDX, x9, xFound, xValue)
	case ir.AtomicOr:
		e.G3(arm64.ORRX, x9, xFound, xValue)
	case ir.AtomicXor:
		e.G3(arm64.EORX, x9, xFound, xValue)
	case ir.AtomicExchange, ir.AtomicCompareExchange:
		e.G3(arm64.ORRX, x9, xValue, xValue)
	default:
		e.compare(xFound, xValue)
		e.CSEL(x9, xFound, xValue, betterARM64[op])
	}
}

// combineFloat sets x9 to what an atomic makes of xFound and xValue, by the instructions that
// programs have, so that its bits are theirs.
func (e armAtomic) combineFloat() {
	op, flush := floatAtomics[e.m.Atomic.Base()], e.m.Atomic&ir.AtomicFlush != 0
	lane, pair := armLane{e.armEmitter}, armPair{e.armEmitter}
	if e.m.Log == 3 {
		e.DUPG2D(n5, xFound)
		e.DUPG2D(nMask, xValue)
		pair.halfOf(op.wide, n6, [3]arm64.V{n5, nMask}, 0)
		if pair.canonWide(n6); flush {
			pair.halfOf(ir.WideFlush64, n6, [3]arm64.V{n6}, 0)
		}
		e.UMOV2D(x9, n6, 0)
		return
	}
	e.DUPG4S(n5, xFound)
	e.DUPG4S(nMask, xValue)
	if e.m.Log == 1 {
		lane.fromHalf(n5, n5)
		lane.fromHalf(nMask, nMask)
	}
	e.floats = [2]floatFact{}
	lane.op(op.op, n6, vector(n5), vector(nMask), operand{})
	e.canon(n6, n6)
	least := leastNormal(ir.WideFlush)
	if e.m.Log == 1 || e.m.Atomic&ir.AtomicHalf != 0 {
		lane.toHalf(n0, n6)
		lane.fromHalf(n6, n0)
		least = leastNormal(ir.WideFlush16)
	}
	if flush {
		pair.flushWords(n6, n6, least)
	}
	if e.m.Log == 1 {
		lane.toHalf(n6, n6)
	}
	e.UMOV4S(x9, n6, 0)
}
