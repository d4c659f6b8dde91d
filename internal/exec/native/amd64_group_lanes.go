package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Subgroup operations on pairs and on parts of subgroups go through the lanes: each has the set of
// those whose numbers come together for it, in their order.

// byLanes says that a subgroup operation does so.
func byLanes(g ir.Group) bool { return g.Kind >= ir.GroupReduce && (g.Wide || g.Partitioned) }

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

// groupFold writes such an operation. RCX has the lane, R10 the rest of its set, R11 a lane of it,
// RAX what came together and RDX another number.
type groupFold struct {
	groupWriter
	words int
}

// write writes it, in the lanes of maskStep2.
func (w *groupFold) write(x *Operands) {
	e := w.e
	w.sets(x)
	for i, v := range x.Args[:w.words] {
		w.keep(e.in(e.arg(v), scratch0), foldValue+i)
	}
	withoutPlaces(e, func() {
		each, more, done := e.NewLabel(), e.NewLabel(), e.NewLabel()
		e.W(amd64.XORL, amd64.RCX, amd64.GArg(amd64.RCX))
		e.Here(each)
		if identity := groupWide[w.g.Arith].identity; w.words == 2 {
			e.W(amd64.MOVQ, amd64.RAX, e.Pool(identity))
		} else {
			e.WI(amd64.MOVLImm, amd64.GArg(amd64.RAX), int(groupIdentities[w.g.Arith]))
		}
		w.word(amd64.MOVFrom, amd64.R10, amd64.RCX, foldSet)
		e.W(amd64.TESTL, amd64.R10, amd64.GArg(amd64.R10))
		e.JIf(amd64.IfZero, done)
		e.W(amd64.TZCNT, amd64.R11, amd64.GArg(amd64.R10))
		w.number(amd64.RAX)
		e.BLSR(amd64.R10, amd64.R10)
		e.JIf(amd64.IfZero, done)
		e.Here(more)
		e.W(amd64.TZCNT, amd64.R11, amd64.GArg(amd64.R10))
		w.number(amd64.RDX)
		w.combine()
		e.W(amd64.MOVQ, amd64.RAX, amd64.GArg(amd64.RDX))
		e.BLSR(amd64.R10, amd64.R10)
		e.JIf(amd64.IfNotZero, more)
		e.Here(done)
		w.word(amd64.MOVTo, amd64.RAX, amd64.RCX, foldResult)
		if w.words == 2 {
			e.WI(amd64.SHRQ, amd64.GArg(amd64.RAX), 32)
			w.word(amd64.MOVTo, amd64.RAX, amd64.RCX, foldResult+1)
		}
		e.WI(amd64.ADDQImm, amd64.GArg(amd64.RCX), 1)
		e.WI(amd64.CMPLImm, amd64.GArg(amd64.RCX), e.vectors.lanes)
		e.JIf(amd64.IfNotZero, each)
	})
	for i, v := range x.Results {
		z := e.to(v)
		w.load(z, foldResult+i)
		e.put(v, z)
	}
}

// sets stores the set of each lane: a bit for each lane of the part of a strip.
func (w *groupFold) sets(x *Operands) {
	e := w.e
	table := func(key int, word func(lane int) int) amd64.Arg {
		return w.table(int64(1<<20+32*w.size+key), word)
	}
	base := func(lane int) int { return lane / w.size * w.size }
	e.KTO(amd64.RAX, maskStep2)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RAX))
	e.V(amd64.VPANDD, scratch1, scratch1, table(0, func(lane int) int {
		return (1<<w.size - 1) << base(lane)
	}))
	if w.g.Partitioned {
		z := e.in(e.arg(x.Args[w.words]), scratch0)
		e.V(amd64.VPSLLVD, scratch2, z, table(1, base))
		e.V(amd64.VPANDD, scratch1, scratch1, amd64.R(scratch2))
	}
	switch w.g.Kind {
	case ir.GroupInclusive:
		e.V(amd64.VPANDD, scratch1, scratch1, table(2, func(lane int) int { return 2<<lane - 1 }))
	case ir.GroupExclusive:
		e.V(amd64.VPANDD, scratch1, scratch1, table(3, func(lane int) int { return 1<<lane - 1 }))
	}
	w.keep(scratch1, foldSet)
}

// word moves a word of a lane between a register and a row.
func (w *groupFold) word(o amd64.Indexed, g, lane amd64.G, row int) {
	w.e.At(o, g, regFrame, lane, 2, w.rows+imageRow*row)
}

// number loads the operand of lane R11. It takes R13.
func (w *groupFold) number(g amd64.G) {
	w.word(amd64.MOVFrom, g, amd64.R11, foldValue)
	if w.words == 2 {
		w.word(amd64.MOVFrom, amd64.R13, amd64.R11, foldValue+1)
		w.e.WI(amd64.SHLQ, amd64.GArg(amd64.R13), 32)
		w.e.W(amd64.ADDQ, g, amd64.GArg(amd64.R13))
	}
}

// combine sets RDX to what RAX and RDX come to.
func (w *groupFold) combine() {
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
		z := floatOfBoth(e, groupOps[w.g.Arith], groupWide[w.g.Arith].wide, uint8(1+w.words))
		e.Mov1(amd64.VMOVDQUTo, z, w.row(foldNumber))
		e.W(amd64.MOVQ, amd64.RDX, w.row(foldNumber))
		if w.words == 1 {
			e.W(amd64.MOVL, amd64.RDX, w.row(foldNumber))
		}
	}
}

// partition writes GroupPartition: for each lane of maskStep2, which RCX has, the lanes with the
// same bits get its bit.
func (w *groupWriter) partition(x *Operands) {
	e := w.e
	n := len(x.Args)
	w.rows = e.rows(n + 3)
	base, bits, result := n, n+1, n+2
	for i, v := range x.Args {
		w.keep(e.in(e.arg(v), scratch0), i)
	}
	e.Mov1(amd64.VMOVDQU, scratch0, w.base())
	w.keep(scratch0, base)
	e.Mov1(amd64.VMOVDQU, scratch0, w.bits())
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
	z := e.to(x.Results[0])
	w.load(z, result)
	e.put(x.Results[0], z)
}

// equalWide sets scratch5 to whether pairs are those of the first lane, as bits or as floats.
func (w *groupWriter) equalWide() {
	const infinity = 0x7FF00000 // the high word
	e := w.e
	w.ofFirst(groupValue)
	w.keep(scratch5, groupSum)
	w.ofFirst(groupHigh)
	w.load(scratch0, groupHigh)
	w.load(scratch1, groupValue)
	e.ToMask(amd64.VPCMPD, maskStep2, scratch0, amd64.R(scratch5), 0, 0)
	e.ToMask(amd64.VPCMPD, maskStep2, scratch1, w.row(groupSum), 0, maskStep2)
	if w.g.Float {
		e.V(amd64.VPORD, scratch5, scratch5, amd64.R(scratch0))
		e.V(amd64.VPANDD, scratch0, scratch0, e.constant(constAbs))
		e.V(amd64.VPXORD, scratch2, scratch2, amd64.R(scratch2))
		e.ToMask(amd64.VPCMPUD, maskStep2, scratch0, e.words(infinity), 2, maskStep2)
		e.ToMask(amd64.VPCMPD, maskStep3, scratch0, e.words(infinity), 0, maskStep2)
		e.ToMask(amd64.VPCMPD, maskStep3, scratch1, amd64.R(scratch2), 4, maskStep3)
		e.K(amd64.KXOR, maskStep2, maskStep2, maskStep3) // without NaNs
		e.V(amd64.VPANDD, scratch5, scratch5, e.constant(constAbs))
		e.V(amd64.VPORD, scratch5, scratch5, amd64.R(scratch1))
		e.V(amd64.VPORD, scratch5, scratch5, w.row(groupSum))
		e.ToMask(amd64.VPCMPD, maskStep3, scratch5, amd64.R(scratch2), 0, 0) // zeros
		e.K(amd64.KOR, maskStep2, maskStep2, maskStep3)
	}
	e.V(amd64.VPMOVM2D, scratch5, 0, amd64.KArg(maskStep2))
	e.V(amd64.VPXORD, scratch5, scratch5, e.constant(constOnes))
	e.V(amd64.VPANDD, scratch5, scratch5, w.row(groupLanes))
	w.all(ir.OpOr, scratch5)
	e.V(amd64.VPXORD, scratch5, scratch5, e.constant(constOnes))
}
