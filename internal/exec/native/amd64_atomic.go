package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// atomicMem writes an atomic, in the lanes of the mask that are live, one after the other.
func atomicMem(e *emitter, in *Inst) {
	x, m := &e.r.aux[in.C], ir.MemOf(uint64(in.Imm))
	done := e.NewLabel()
	writing(e, in)
	switch {
	case !directAtomic(m):
		out := e.NewLabel()
		e.JMP(out)
		e.outOfLine(func() {
			e.Here(out)
			byHost(e, in, maskStep2, done)
		})
		e.Here(done)
		return
	case m.Space.Sought():
		inSite(e, in, maskStep2, done)
		e.W(amd64.MOVQ, amd64.R12, siteField(in, siteAt))
	default:
		inBounds(e, in, x, maskStep2)
	}
	aligned(e, in, done)
	rows := e.rows(atomicRows)
	row := func(n int) int { return rows + imageRow*n }
	e.Mov1(amd64.VMOVDQUTo, scratch0, amd64.M(regFrame, row(atomicWhere)))
	words := 1
	if m.Log == 3 {
		words = 2
	}
	for i, v := range x.Args[m.Space.Operands():] {
		to := atomicValue + i
		if i >= words {
			to = atomicComparator + i - words
		}
		z := e.in(e.arg(v), scratch1)
		e.Mov1(amd64.VMOVDQUTo, z, amd64.M(regFrame, row(to)))
	}
	if in.A&atomicUnread == 0 {
		e.V(amd64.VPXORD, scratch1, scratch1, amd64.R(scratch1))
		for i := range words {
			e.Mov1(amd64.VMOVDQUTo, scratch1, amd64.M(regFrame, row(atomicResult+i)))
		}
	}
	withoutPlaces(e, func() {
		e.KTO(amd64.R10, maskStep2)
		w := &atomicWriter{e: e, m: m, in: in, row: row, words: words}
		w.write()
	})
	if in.A&atomicUnread == 0 {
		for i, v := range x.Results {
			e.Mov1(amd64.VMOVDQU, e.value(v), amd64.M(regFrame, row(atomicResult+i)))
		}
	}
	e.Here(done)
}

// aligned leaves an atomic to the host where a lane of maskStep2 has no number at a multiple of
// its size, as Vulkan asks for.
func aligned(e *emitter, in *Inst, done int) {
	n := byte(1)<<ir.MemOf(uint64(in.Imm)).Log - 1
	out := e.NewLabel()
	e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.R12))
	e.WI(amd64.ANDLImm, amd64.GArg(amd64.RAX), int(n))
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RAX))
	e.V(amd64.VPORD, scratch1, scratch1, amd64.R(scratch0))
	e.V(amd64.VPANDD, scratch1, scratch1, e.words(uint32(n)))
	e.V(amd64.VPXORD, scratch2, scratch2, amd64.R(scratch2))
	e.ToMask(amd64.VPCMPD, maskStep3, scratch1, amd64.R(scratch2), 4, maskStep2)
	e.ifAny(maskStep3, out)
	e.outOfLine(func() {
		e.Here(out)
		byHost(e, in, maskStep2, done)
	})
}

// atomicWriter writes the loop over lanes. R12 has the memory, R10 the lanes that are left, RCX
// the lane, R11 its place behind R12; RAX and RDX are numbers.
type atomicWriter struct {
	e     *emitter
	m     ir.Mem
	in    *Inst
	row   func(int) int
	words int
}

// number moves a number of the lane between a register and its row, of two words where it is
// wide.
func (w *atomicWriter) number(g amd64.G, row int, to bool) {
	o := amd64.MOVFrom
	if to {
		o = amd64.MOVTo
	}
	if w.words == 1 {
		w.e.At(o, g, regFrame, amd64.RCX, 2, w.row(row))
		return
	}
	if to {
		w.e.At(o, g, regFrame, amd64.RCX, 2, w.row(row))
		w.e.W(amd64.MOVQ, amd64.R13, amd64.GArg(g))
		w.e.WI(amd64.SHRQ, amd64.GArg(amd64.R13), 32)
		w.e.At(o, amd64.R13, regFrame, amd64.RCX, 2, w.row(row+1))
		return
	}
	w.e.At(o, amd64.R13, regFrame, amd64.RCX, 2, w.row(row+1))
	w.e.WI(amd64.SHLQ, amd64.GArg(amd64.R13), 32)
	w.e.At(o, g, regFrame, amd64.RCX, 2, w.row(row))
	w.e.W(amd64.ADDQ, g, amd64.GArg(amd64.R13))
}

// at writes an instruction on the lane's number in memory.
func (w *atomicWriter) at(o amd64.Indexed, g amd64.G) {
	switch {
	case w.m.Log == 1 && o == amd64.MOVFrom:
		w.e.At(amd64.Loads(2), g, amd64.R12, amd64.R11, 0, 0)
		return
	case w.m.Log == 1:
		o = o.Half()
	case w.m.Log == 3:
		o = o.Wide()
	}
	w.e.At(o, g, amd64.R12, amd64.R11, 0, 0)
}

// sized is an operation of 32 bits on as many as numbers have.
func sized(o amd64.Op, words int) amd64.Op {
	if words == 2 {
		return o.Q()
	}
	return o
}

// write writes the loop.
func (w *atomicWriter) write() {
	e, done := w.e, w.e.NewLabel()
	e.W(amd64.TESTQ, amd64.R10, amd64.GArg(amd64.R10))
	e.JIf(amd64.IfZero, done)
	if commutesAtomic(w.m.Atomic) && (w.in.A&atomicUnread != 0 || w.m.Atomic == ir.AtomicAdd) {
		w.together(done)
	}
	w.eachLeft(func() {
		e.At(amd64.MOVFrom, amd64.R11, regFrame, amd64.RCX, 2, w.row(atomicWhere))
		w.one()
	})
	e.Here(done)
}

// eachLeft writes a loop over the lanes of R10, of which there is one.
func (w *atomicWriter) eachLeft(f func()) {
	e, loop := w.e, w.e.NewLabel()
	e.Here(loop)
	e.W(amd64.TZCNT, amd64.RCX, amd64.GArg(amd64.R10))
	f()
	e.BLSR(amd64.R10, amd64.R10)
	e.JIf(amd64.IfNotZero, loop)
}

// together writes, out of line, what lanes do that all have the same place, as of a counter: they
// take one turn, in which each finds what those before it made. Others go on behind.
func (w *atomicWriter) together(done int) {
	e, same := w.e, w.e.NewLabel()
	e.W(amd64.TZCNT, amd64.RCX, amd64.GArg(amd64.R10))
	e.At(amd64.MOVFrom, amd64.R11, regFrame, amd64.RCX, 2, w.row(atomicWhere))
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.R11))
	e.ToMask(amd64.VPCMPD, maskStep3, scratch0, amd64.R(scratch1), 4, maskStep2)
	e.ifNone(maskStep3, same)
	unread := w.in.A&atomicUnread != 0
	e.outOfLine(func() {
		e.Here(same)
		if w.m.Atomic == ir.AtomicAdd {
			e.W(amd64.XORL, amd64.RDX, amd64.GArg(amd64.RDX))
			w.eachLeft(func() {
				if !unread {
					w.number(amd64.RDX, atomicResult, true)
				}
				w.number(amd64.RAX, atomicValue, false)
				e.W(amd64.ADDQ, amd64.RDX, amd64.GArg(amd64.RAX))
			})
			w.at(w.pick(amd64.LOCKXADD, amd64.XADD), amd64.RDX)
			if !unread {
				w.addAll()
			}
			e.JMP(done)
			return
		}
		once := e.NewLabel()
		w.number(amd64.RDX, atomicValue, false)
		e.BLSR(amd64.R10, amd64.R10)
		e.JIf(amd64.IfZero, once)
		w.eachLeft(func() {
			w.number(amd64.RAX, atomicValue, false)
			w.combine()
		})
		e.Here(once)
		w.exchange(func() { e.W(amd64.MOVQ, amd64.RDX, amd64.GArg(amd64.R15)) }, amd64.R15)
		e.JMP(done)
	})
}

// addAll adds RDX to the results of the lanes of maskStep2.
func (w *atomicWriter) addAll() {
	e := w.e
	if w.words == 1 {
		row := amd64.M(regFrame, w.row(atomicResult))
		e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RDX))
		e.V(amd64.VPADDD, scratch1, scratch1, row)
		e.VZ(amd64.VMOVDQU, scratch1, 0, amd64.R(scratch1), maskStep2)
		e.Mov1(amd64.VMOVDQUTo, scratch1, row)
		return
	}
	e.KTO(amd64.R10, maskStep2)
	w.eachLeft(func() {
		w.number(amd64.RAX, atomicResult, false)
		e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(amd64.RDX))
		w.number(amd64.RAX, atomicResult, true)
	})
}

// pick is an instruction for memory that other threads may use, or for shared memory, which is of
// one thread.
func (w *atomicWriter) pick(locked, own amd64.Indexed) amd64.Indexed {
	if w.m.Space == ir.MemShared {
		return own
	}
	return locked
}

// inMemory are instructions that do all of an atomic whose result nobody reads; shared memory is
// that of one thread.
var inMemory = map[ir.AtomicOp][2]amd64.Indexed{
	ir.AtomicAdd: {amd64.LOCKADD, amd64.ADDTo}, ir.AtomicAnd: {amd64.LOCKAND, amd64.ANDTo},
	ir.AtomicOr: {amd64.LOCKOR, amd64.ORTo}, ir.AtomicXor: {amd64.LOCKXOR, amd64.XORTo},
}

// better are the conditions under which what is there stays, not the operand.
var better = map[ir.AtomicOp]byte{
	ir.AtomicSMin: amd64.IfLess, ir.AtomicSMax: amd64.IfGreater,
	ir.AtomicUMin: amd64.IfBelow, ir.AtomicUMax: amd64.IfAbove,
}

// one writes the atomic of one lane.
func (w *atomicWriter) one() {
	unread := w.in.A&atomicUnread != 0
	found := amd64.RAX
	switch op := w.m.Atomic; {
	case op == ir.AtomicLoad:
		w.at(amd64.MOVFrom, amd64.RAX)
	case op == ir.AtomicStore:
		w.number(amd64.RDX, atomicValue, false)
		w.at(amd64.MOVTo, amd64.RDX)
		return
	case op == ir.AtomicExchange:
		w.number(amd64.RDX, atomicValue, false)
		w.at(amd64.XCHG, amd64.RDX)
		if found = amd64.RDX; w.m.Log == 1 {
			w.e.WI(amd64.ANDLImm, amd64.GArg(found), 0xFFFF)
		}
	case op == ir.AtomicCompareExchange:
		w.number(amd64.RAX, atomicComparator, false)
		w.number(amd64.RDX, atomicValue, false)
		w.at(amd64.LOCKCMPXCHG, amd64.RDX)
	case unread && inMemory[op] != [2]amd64.Indexed{}:
		w.number(amd64.RDX, atomicValue, false)
		w.at(w.pick(inMemory[op][0], inMemory[op][1]), amd64.RDX)
		return
	case op == ir.AtomicAdd:
		w.number(amd64.RDX, atomicValue, false)
		w.at(w.pick(amd64.LOCKXADD, amd64.XADD), amd64.RDX)
		found = amd64.RDX
	default:
		w.exchange(func() { w.number(amd64.RDX, atomicValue, false) }, 0)
	}
	if !unread {
		w.number(found, atomicResult, true)
	}
}

// exchange writes the number that an atomic makes of what is there and RDX, which operand sets, to
// memory; RAX is what was there. If keep is a register, RDX is to be kept there first.
func (w *atomicWriter) exchange(operand func(), keep amd64.G) {
	e := w.e
	again, done := e.NewLabel(), e.NewLabel()
	if keep != 0 {
		e.W(amd64.MOVQ, keep, amd64.GArg(amd64.RDX))
	}
	w.at(amd64.MOVFrom, amd64.RAX)
	e.Here(again)
	operand()
	w.combine()
	e.W(sized(amd64.CMPL, w.words), amd64.RDX, amd64.GArg(amd64.RAX))
	e.JIf(amd64.IfZero, done) // it stays what it is
	if w.m.Space == ir.MemShared {
		w.at(amd64.MOVTo, amd64.RDX)
	} else {
		w.at(amd64.LOCKCMPXCHG, amd64.RDX)
		e.JIf(amd64.IfNotZero, again)
	}
	e.Here(done)
}

// combine sets RDX to what an atomic makes of RAX, which is there, and RDX.
func (w *atomicWriter) combine() {
	e := w.e
	switch op := w.m.Atomic; op.Base() {
	case ir.AtomicFAdd, ir.AtomicFMin, ir.AtomicFMax:
		w.combineFloat()
	case ir.AtomicAnd:
		e.W(amd64.ANDQ, amd64.RDX, amd64.GArg(amd64.RAX))
	case ir.AtomicOr:
		e.W(amd64.ORQ, amd64.RDX, amd64.GArg(amd64.RAX))
	case ir.AtomicXor:
		e.W(amd64.XORQ, amd64.RDX, amd64.GArg(amd64.RAX))
	default:
		e.W(sized(amd64.CMPL, w.words), amd64.RAX, amd64.GArg(amd64.RDX))
		e.W(sized(amd64.CMOVL(better[op]), w.words), amd64.RDX, amd64.GArg(amd64.RAX))
	}
}
