package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// What has no order that vectors know goes through the lanes: floats of 64 bits whose NaNs are
// told apart, and parts of subgroups, of which each lane has the set of those whose numbers come
// together for it.

// Rows of such an operation in the frame: operand, sets, results, and a number that instructions of
// vectors compute.
const (
	foldValue  = 0
	foldSet    = foldValue + 2
	foldResult = foldSet + 1
	foldNumber = foldResult + 2
	foldRows   = foldNumber + 1
)

// groupBetter are the conditions of minima and maxima under which what is there stays.
var groupBetter = [...]byte{
	ir.GroupSMin: amd64.IfLess, ir.GroupUMin: amd64.IfBelow, ir.GroupSMax: amd64.IfGreater,
	ir.GroupUMax: amd64.IfAbove,
}

// groupLanes are the numbers of such an operation, of one word or two: RAX has what came together
// and RDX another one.
type groupLanes struct {
	groupWriter
	words int
}

// groupFold writes one on parts. RCX has the lane, R10 the rest of its set, R11 a lane of it.
type groupFold struct{ groupLanes }

// groupChain writes one in the order of lanes. RCX has the lane, R10 the bits of it and those behind
// it that take part, R11 whether one did.
type groupChain struct{ groupLanes }

// store stores the numbers.
func (w *groupLanes) store() {
	w.rows = w.e.rows(foldRows)
	for i := range w.words {
		w.keep(w.value(i, scratch0), foldValue+i)
	}
}

// none sets RAX to what none comes to.
func (w *groupLanes) none() {
	if w.words == 2 {
		w.e.W(amd64.MOVQ, amd64.RAX, w.e.Pool(w.g.Arith.WideIdentity()))
		return
	}
	w.e.WI(amd64.MOVLImm, amd64.GArg(amd64.RAX), int(w.g.Arith.Identity()))
}

// result stores RAX, which it shifts, as that of lane RCX.
func (w *groupLanes) result() {
	w.word(amd64.MOVTo, amd64.RAX, amd64.RCX, foldResult)
	if w.words == 2 {
		w.e.WI(amd64.SHRQ, amd64.GArg(amd64.RAX), 32)
		w.word(amd64.MOVTo, amd64.RAX, amd64.RCX, foldResult+1)
	}
}

// eachLane writes f for RCX from 0 on.
func (w *groupLanes) eachLane(f func()) {
	e, each := w.e, w.e.NewLabel()
	e.W(amd64.XORL, amd64.RCX, amd64.GArg(amd64.RCX))
	e.Here(each)
	f()
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RCX), 1)
	e.WI(amd64.CMPLImm, amd64.GArg(amd64.RCX), e.vectors.lanes)
	e.JIf(amd64.IfNotZero, each)
}

// write sets groupSum, and the name behind it, in the lanes of maskStep2.
func (w *groupFold) write() {
	e := w.e
	w.store()
	w.sets()
	withoutPlaces(e, func() {
		w.eachLane(func() {
			more, done := e.NewLabel(), e.NewLabel()
			w.none()
			w.word(amd64.MOVFrom, amd64.R10, amd64.RCX, foldSet)
			e.W(amd64.TESTL, amd64.R10, amd64.GArg(amd64.R10))
			e.JIf(amd64.IfZero, done)
			e.W(amd64.TZCNT, amd64.R11, amd64.GArg(amd64.R10))
			w.number(amd64.RAX, amd64.R11)
			e.BLSR(amd64.R10, amd64.R10)
			e.JIf(amd64.IfZero, done)
			e.Here(more)
			e.W(amd64.TZCNT, amd64.R11, amd64.GArg(amd64.R10))
			w.number(amd64.RDX, amd64.R11)
			w.combine()
			e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.RDX))
			e.BLSR(amd64.R10, amd64.R10)
			e.JIf(amd64.IfNotZero, more)
			e.Here(done)
			w.result()
		})
	})
	for i := range w.words {
		w.load(groupSum+amd64.Z(i), foldResult+i)
	}
}

// write is that of groupFold, of all of a subgroup.
func (w *groupChain) write() {
	e := w.e
	w.store()
	withoutPlaces(e, func() {
		e.KTO(amd64.R10, maskStep2)
		w.none()
		e.W(amd64.XORL, amd64.R11, amd64.GArg(amd64.R11))
		if w.whole > 0 {
			e.W(amd64.MOVQ, amd64.RAX, w.carried(carrySum))
			e.W(amd64.MOVL, amd64.R11, w.carried(carryMet))
		}
		result := func() {
			e.W(amd64.MOVQ, amd64.RDX, amd64.GArg(amd64.RAX))
			w.result()
			e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.RDX))
		}
		w.eachLane(func() {
			alone, next := e.NewLabel(), e.NewLabel()
			if w.whole == 0 {
				same := e.NewLabel()
				e.W(amd64.MOVL, amd64.RDX, amd64.GArg(amd64.RCX))
				e.WI(amd64.ANDLImm, amd64.GArg(amd64.RDX), w.size-1)
				e.JIf(amd64.IfNotZero, same)
				w.none()
				e.W(amd64.XORL, amd64.R11, amd64.GArg(amd64.R11))
				e.Here(same)
			}
			if w.g.Kind == ir.GroupExclusive {
				result()
			}
			e.WI(amd64.SHRL, amd64.GArg(amd64.R10), 1)
			e.JIf(amd64.IfNotBelow, next)
			w.number(amd64.RDX, amd64.RCX)
			e.W(amd64.TESTL, amd64.R11, amd64.GArg(amd64.R11))
			e.JIf(amd64.IfZero, alone)
			w.combine()
			e.Here(alone)
			e.WI(amd64.MOVLImm, amd64.GArg(amd64.R11), -1)
			e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.RDX))
			e.Here(next)
			if w.g.Kind != ir.GroupExclusive {
				result()
			}
		})
		if w.whole > 0 {
			e.W(amd64.MOVQTo, amd64.RAX, w.carried(carrySum))
			e.W(amd64.MOVLTo, amd64.R11, w.carried(carryMet))
		}
	})
	for i := range w.words {
		w.load(groupSum+amd64.Z(i), foldResult+i)
		if w.g.Kind == ir.GroupReduce {
			w.spread(groupOther, groupSum+amd64.Z(i), w.size-1)
			e.move(groupSum+amd64.Z(i), groupOther)
		}
	}
}

// sets stores the set of each lane: a bit for each lane of the part of a strip.
func (w *groupFold) sets() {
	e := w.e
	e.KTO(amd64.RAX, maskStep2)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RAX))
	e.V(amd64.VPANDD, scratch1, scratch1, w.set())
	e.V(amd64.VPSLLVD, scratch2, w.value(w.words, scratch0), w.base())
	e.V(amd64.VPANDD, scratch1, scratch1, amd64.R(scratch2))
	w.keep(scratch1, foldSet)
}

// word moves a word of a lane between a register and a row.
func (w *groupLanes) word(o amd64.Indexed, g, lane amd64.G, row int) {
	w.e.At(o, g, regFrame, lane, 2, w.rows+imageRow*row)
}

// number loads the operand of a lane. It takes R13.
func (w *groupLanes) number(g, lane amd64.G) {
	w.word(amd64.MOVFrom, g, lane, foldValue)
	if w.words == 2 {
		w.word(amd64.MOVFrom, amd64.R13, lane, foldValue+1)
		w.e.WI(amd64.SHLQ, amd64.GArg(amd64.R13), 32)
		w.e.W(amd64.ADDQ, g, amd64.GArg(amd64.R13))
	}
}

// combine sets RDX to what RAX and RDX come to.
func (w *groupLanes) combine() {
	e := w.e
	switch w.g.Arith {
	case ir.GroupIAdd:
		e.W(amd64.ADDQ, amd64.RDX, amd64.GArg(amd64.RAX))
	case ir.GroupIMul:
		e.W(amd64.IMULQ, amd64.RDX, amd64.GArg(amd64.RAX))
	case ir.GroupAnd:
		e.W(amd64.ANDQ, amd64.RDX, amd64.GArg(amd64.RAX))
	case ir.GroupOr:
		e.W(amd64.ORQ, amd64.RDX, amd64.GArg(amd64.RAX))
	case ir.GroupXor:
		e.W(amd64.XORQ, amd64.RDX, amd64.GArg(amd64.RAX))
	case ir.GroupSMin, ir.GroupUMin, ir.GroupSMax, ir.GroupUMax:
		e.W(sized(amd64.CMPL, w.words), amd64.RAX, amd64.GArg(amd64.RDX))
		e.W(sized(amd64.CMOVL(groupBetter[w.g.Arith]), w.words), amd64.RDX, amd64.GArg(amd64.RAX))
	default:
		z := floatOfBoth(e, groupOps[w.g.Arith], groupWide[w.g.Arith], uint8(1+w.words))
		e.Mov1(amd64.VMOVDQUTo, z, w.row(foldNumber))
		e.W(amd64.MOVQ, amd64.RDX, w.row(foldNumber))
		if w.words == 1 {
			e.W(amd64.MOVL, amd64.RDX, w.row(foldNumber))
		}
	}
}

// partition writes GroupPartition: for each lane of maskStep2, which RCX has, the lanes with the
// same bits get its bit.
func (w *groupWriter) partition() {
	e, x := w.e, w.x
	if w.g.Word > 0 {
		e.V(amd64.VPXORD, groupSum, groupSum, amd64.R(groupSum))
		return
	}
	n := len(x.Args)
	w.rows = e.rows(n + 3)
	base, bits, result := n, n+1, n+2
	for i, v := range x.Args {
		w.keep(e.in(e.arg(v), scratch0), i)
	}
	e.Mov1(amd64.VMOVDQU, scratch0, w.base())
	w.keep(scratch0, base)
	e.Mov1(amd64.VMOVDQU, scratch0, w.bit())
	w.keep(scratch0, bits)
	e.V(amd64.VPXORD, scratch0, scratch0, amd64.R(scratch0))
	w.keep(scratch0, result)
	each, done := e.NewLabel(), e.NewLabel()
	e.KTO(amd64.R11, maskStep2)
	e.W(amd64.TESTL, amd64.R11, amd64.GArg(amd64.R11))
	e.JIf(amd64.IfZero, done)
	e.Here(each)
	e.W(amd64.TZCNT, amd64.RAX, amd64.GArg(amd64.R11))
	e.WI(amd64.SHLQ, amd64.GArg(amd64.RAX), 2)
	e.W(amd64.ADDQ, amd64.RAX, amd64.GArg(regFrame))
	of := func(row int) amd64.Arg { return amd64.All(amd64.RAX, w.rows+imageRow*row) }
	w.load(scratch0, base)
	e.ToMask(amd64.VPCMPD, maskStep2, scratch0, of(base), 0, 0)
	for i := range n {
		w.load(scratch0, i)
		e.ToMask(amd64.VPCMPD, maskStep2, scratch0, of(i), 0, maskStep2)
	}
	e.Mov1(amd64.VPBROADCASTD, scratch1, of(bits).One())
	e.VZ(amd64.VMOVDQU, scratch1, 0, amd64.R(scratch1), maskStep2)
	e.V(amd64.VPORD, scratch1, scratch1, w.row(result))
	w.keep(scratch1, result)
	e.BLSR(amd64.R11, amd64.R11)
	e.JIf(amd64.IfNotZero, each)
	e.Here(done)
	w.load(groupSum, result)
}
