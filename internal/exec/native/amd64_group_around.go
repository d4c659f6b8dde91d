package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Operations on parts of a subgroup, of which a part of a strip has only some lanes, go through all
// lanes of the subgroup: rows of memory have what these brought there with GroupShow. Block by block
// that is complete.

// showToAll writes the operands of GroupShow; steps are short, so that they need not be in registers
// as a whole. show writes what is behind them: the lanes of maskStep2.
func (w *groupWriter) showToAll() {
	for i, v := range w.x.Results[:len(w.x.Args)] {
		w.e.put(v, w.value(i, scratch0))
		w.e.endSteps(int(w.e.index))
	}
}

func (w *groupWriter) show() {
	e, results := w.e, w.x.Results
	e.V(amd64.VPMOVM2D, scratch0, 0, amd64.KArg(maskStep2))
	e.put(results[len(w.x.Args)], scratch0)
}

// groupAround writes such an operation. RAX is where rows have a lane, R10 where they end, RCX the
// bit of the lane in its word of a ballot, and R11 its number in the subgroup.
type groupAround struct{ groupWriter }

// Rows of a scan of pairs in the frame: what both halves of the lanes have come to, whether they
// have met a number; and of all scans the lanes' numbers in the subgroup.
const (
	aroundSum      = 0
	aroundMet      = 2
	aroundPosition = 4
	aroundRows     = 5
)

// of is an operand of the lane, for all lanes.
func (w *groupAround) of(i int) amd64.Arg {
	p := w.e.places[w.x.Args[i]]
	w.e.fail = w.e.fail || p.kind != placeRow
	return amd64.All(amd64.RAX, int(p.n))
}

func (w *groupAround) write() {
	e := w.e
	w.rows = e.rows(aroundRows)
	withoutPlaces(e, func() {
		switch {
		case w.g.Kind == ir.GroupPartition:
			w.partition()
		case w.g.Wide:
			w.scanPairs()
		default:
			w.scan()
		}
	})
}

// eachLane writes f for the lanes of a word of a ballot.
func (w *groupAround) eachLane(word int, f func()) {
	e := w.e
	loop, done := e.NewLabel(), e.NewLabel()
	from, to := 32*word, min(32*word+32, w.whole)
	e.W(amd64.MOVL, amd64.RAX, amd64.GArg(regStrip))
	e.WI(amd64.ANDLImm, amd64.GArg(amd64.RAX), -4*w.whole)
	e.WI(amd64.ADDLImm, amd64.GArg(amd64.RAX), 4*from)
	e.W(amd64.MOVL, amd64.R10, amd64.GArg(amd64.RAX))
	e.WI(amd64.ADDLImm, amd64.GArg(amd64.R10), 4*(to-from))
	e.W(amd64.MOVQ, amd64.RCX, amd64.M(regFrame, frameLast))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RCX), 4)
	e.W(amd64.CMPQ, amd64.R10, amd64.GArg(amd64.RCX))
	e.W(amd64.CMOVL(amd64.IfAbove).Q(), amd64.R10, amd64.GArg(amd64.RCX))
	for _, g := range [2]amd64.G{amd64.RAX, amd64.R10} {
		e.W(amd64.ADDQ, g, amd64.GArg(regRow))
		e.W(amd64.SUBQ, g, amd64.GArg(regStrip))
	}
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.RCX), 1)
	e.WI(amd64.MOVLImm, amd64.GArg(amd64.R11), from)
	e.Here(loop)
	e.W(amd64.CMPQ, amd64.RAX, amd64.GArg(amd64.R10))
	e.JIf(amd64.IfNotBelow, done)
	f()
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.RAX), 4)
	e.W(amd64.ADDQ, amd64.RCX, amd64.GArg(amd64.RCX))
	e.WI(amd64.ADDQImm, amd64.GArg(amd64.R11), 1)
	e.JMP(loop)
	e.Here(done)
}

// partition sets groupSum to the bits of lanes that take part and have the same as a lane.
func (w *groupAround) partition() {
	e, n := w.e, len(w.x.Args)-1
	e.V(amd64.VPXORD, groupSum, groupSum, amd64.R(groupSum))
	w.eachLane(int(w.g.Word), func() {
		k := amd64.K(0)
		for i := range n {
			e.ToMask(amd64.VPCMPD, maskStep3, w.value(i, scratch0), w.of(i), 0, k)
			k = maskStep3
		}
		e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RCX))
		e.V(amd64.VPANDD, scratch1, scratch1, w.of(n))
		e.VZ(amd64.VMOVDQU, scratch1, 0, amd64.R(scratch1), maskStep3)
		e.V(amd64.VPORD, groupSum, groupSum, amd64.R(scratch1))
	})
}

// eachMember writes f for all lanes, with maskStep3 for those for which the lane counts; words are
// those of a number.
func (w *groupAround) eachMember(words int, f func()) {
	e := w.e
	if w.g.Kind != ir.GroupReduce {
		e.Mov1(amd64.VMOVDQU, scratch1, w.lane())
		w.position(scratch0, 0)
		e.V(amd64.VPADDD, scratch0, scratch0, amd64.R(scratch1))
		w.keep(scratch0, aroundPosition)
	}
	for word := range w.whole / 32 {
		w.member(word, words, f)
	}
	if w.whole < 32 {
		w.member(0, words, f)
	}
}

func (w *groupAround) member(word, words int, f func()) {
	e := w.e
	w.eachLane(word, func() {
		e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RCX))
		e.V(amd64.VPANDD, scratch1, scratch1, amd64.R(w.value(words+1+word, scratch0)))
		e.V(amd64.VPANDD, scratch1, scratch1, w.of(words))
		e.ToMask(amd64.VPCMPD, maskStep3, scratch1, e.words(0), 4, 0)
		if w.g.Kind != ir.GroupReduce { // not less than the lane's, or greater
			e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.R11))
			w.load(scratch0, aroundPosition)
			predicate := 5 + int(w.g.Kind-ir.GroupInclusive)
			e.ToMask(amd64.VPCMPD, maskStep3, scratch0, amd64.R(scratch1), predicate, maskStep3)
		}
		f()
	})
}

// scan sets groupSum to a reduction or scan of words.
func (w *groupAround) scan() {
	e, a := w.e, w.g.Arith
	neutral := groupNeutral(a)
	e.in(e.words(neutral), groupSum)
	e.V(amd64.VPXORD, groupHigh, groupHigh, amd64.R(groupHigh)) // where something was met
	w.eachMember(1, func() {
		x := e.in(w.of(0), groupValue)
		if a >= ir.GroupFMin && !e.vectors.narrow {
			x = e.in(laneAMD64{e}.quiet(amd64.R(x), groupValue, 0), groupValue)
		}
		e.V(amd64.VPMOVM2D, scratch4, 0, amd64.KArg(maskStep3))
		e.V(amd64.VPORD, groupHigh, groupHigh, amd64.R(scratch4))
		w.both(groupOther, groupSum, x)
		e.VK(amd64.VMOVDQU, groupSum, 0, amd64.R(groupOther), maskStep3)
	})
	e.ToMask(amd64.VPCMPD, maskStep3, groupHigh, e.words(0), 0, 0)
	e.in(e.words(a.Identity()), scratch1)
	e.VK(amd64.VMOVDQU, groupSum, 0, amd64.R(scratch1), maskStep3)
}

// scanPairs sets groupSum and groupSumHigh to the words of one of pairs. A float that is the first
// one keeps its bits, and others become canonical NaNs.
func (w *groupAround) scanPairs() {
	e, floats := w.e, w.g.Arith >= ir.GroupFAdd
	pairs := &ofPairs{w.groupWriter}
	e.V(amd64.VPXORD, scratch0, scratch0, amd64.R(scratch0))
	e.V(amd64.VPBROADCASTQ, scratch1, 0, e.Pool(w.g.Arith.WideIdentity()).One())
	for half := range 2 {
		w.keep(scratch0, aroundMet+half)
		w.keep(scratch1, aroundSum+half)
	}
	// choose sets d to x where a vector has zeros.
	choose := func(d, x amd64.Z, where amd64.Arg) {
		e.V(amd64.VPXORD, d, d, amd64.R(x))
		e.V(amd64.VPANDD, d, d, where)
		e.V(amd64.VPXORD, d, d, amd64.R(x))
	}
	w.eachMember(2, func() {
		e.V(amd64.VPMOVM2D, groupCarry, 0, amd64.KArg(maskStep3))
		e.join(groupOther, e.in(w.of(0), groupValue), amd64.R(e.in(w.of(1), groupHigh)), 0)
		for half := range 2 {
			e.join(groupHigh, groupCarry, amd64.R(groupCarry), half)
			w.load(groupSum, aroundSum+half)
			pairs.both(groupValue, groupSum, groupOther)
			if floats {
				canonWide(e, groupValue)
				choose(groupValue, groupOther, w.row(aroundMet+half))
				e.V(amd64.VPORD, scratch0, groupHigh, w.row(aroundMet+half))
				w.keep(scratch0, aroundMet+half)
			}
			choose(groupValue, groupSum, amd64.R(groupHigh))
			w.keep(groupValue, aroundSum+half)
		}
	})
	w.load(groupValue, aroundSum)
	w.load(groupHigh, aroundSum+1)
	e.takeApart(groupSum, groupValue, groupHigh, 0)
	e.takeApart(groupSumHigh, groupValue, groupHigh, 1)
}
