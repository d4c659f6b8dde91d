package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Reductions and scans of pairs are those of words, in one half of the lanes and then in the other,
// as numbers of 64 bits. NaNs of floats keep their bits where they come to nothing with others: what
// is one goes through the lanes.

// ofPairs is a writer of such, for groupSum and groupSumHigh: size is that of a subgroup, or of a
// part of it that a vector has.
type ofPairs struct{ groupWriter }

// neutral is what lanes have that take no part, see groupNeutral.
func (w *ofPairs) neutral() uint64 {
	switch w.g.Arith {
	case ir.GroupFAdd:
		return 1 << 63
	case ir.GroupFMin, ir.GroupFMax:
		return 0x7FF8 << 48
	}
	return w.g.Arith.WideIdentity()
}

// spread, swap and shift are those of words.
func (w *ofPairs) spread(d, x amd64.Z, j int) {
	w.permute(d, x, w.table(tablePairSpread, j, func(lane int) int {
		return lane/2/w.size*w.size*2 + 2*j + lane%2
	}))
}

func (w *ofPairs) swap(d, x amd64.Z, distance int) {
	if distance < 4 {
		w.groupWriter.swap(d, x, 2*distance)
		return
	}
	w.permute(d, x, w.table(tablePairSwap, distance, func(lane int) int { return lane ^ 2*distance }))
}

func (w *ofPairs) shift(d, x amd64.Z, distance int, fill bool) {
	w.shifted(d, x, distance, fill, 2, w.neutral(), tablePairShift)
}

// both sets d to what x and y come to.
func (w *ofPairs) both(d, x, y amd64.Z) {
	e, a := w.e, w.g.Arith
	switch {
	case a == ir.GroupAnd:
		e.V(amd64.VPANDQ, d, x, amd64.R(y))
	case a == ir.GroupOr:
		e.V(amd64.VPORQ, d, x, amd64.R(y))
	case a == ir.GroupXor:
		e.V(amd64.VPXORQ, d, x, amd64.R(y))
	case ir.GroupSMin <= a && a <= ir.GroupUMax:
		compare := amd64.VPCMPQ
		if a == ir.GroupUMin || a == ir.GroupUMax {
			compare = amd64.VPCMPUQ
		}
		if a == ir.GroupSMin || a == ir.GroupUMin {
			e.ToMask(compare, maskStep, x, amd64.R(y), 1, 0)
		} else {
			e.ToMask(compare, maskStep, y, amd64.R(x), 1, 0)
		}
		e.VK(amd64.VPBLENDMQ, d, y, amd64.R(x), maskStep)
	default:
		e.wide.settles = [3]bool{}
		pairAMD64{e}.halfOf(groupWide[a], d, 0, [3]amd64.Arg{amd64.R(x), amd64.R(y)})
	}
}

// pairs sets groupSum and groupSumHigh to the words of a reduction or scan.
func (w *groupWriter) pairs() {
	e, floats := w.e, w.g.Arith >= ir.GroupFAdd
	chain := &groupChain{groupLanes{*w, 2}}
	if w.whole > 0 && floats {
		chain.write()
		return
	}
	p := &ofPairs{*w}
	neutral := p.neutral()
	w.only(groupValue, w.value(0, scratch0), uint32(neutral))
	w.only(groupHigh, w.value(1, scratch0), uint32(neutral>>32))
	for half, z := range [2]amd64.Z{groupSum, groupSumHigh} {
		e.join(z, groupValue, amd64.R(groupHigh), half)
	}
	half := e.vectors.lanes / 2
	joins := w.size > half
	p.size = min(w.size, half)
	switch {
	case inOrder(w.g.Arith):
		p.inOrder(joins)
	case w.g.Kind == ir.GroupReduce:
		p.reduce(joins)
	default:
		p.scan(joins)
	}
	slow, on := e.NewLabel(), e.NewLabel()
	if floats {
		e.ToMask(amd64.VCMPPD, maskStep, groupSum, amd64.R(groupSum), 3, 0)
		e.ToMask(amd64.VCMPPD, maskStep3, groupSumHigh, amd64.R(groupSumHigh), 3, 0)
		e.K(amd64.KOR, maskStep, maskStep, maskStep3)
		e.ifAny(maskStep, slow)
	}
	e.takeApart(groupValue, groupSum, groupSumHigh, 0)
	e.takeApart(groupHigh, groupSum, groupSumHigh, 1)
	e.move(groupSum, groupValue)
	e.move(groupSumHigh, groupHigh)
	if !floats {
		return
	}
	identity := w.g.Arith.WideIdentity()
	if identity != neutral {
		w.whereEmpty(uint32(identity), groupSum)
		e.in(e.words(uint32(identity>>32)), scratch1)
		e.VK(amd64.VMOVDQU, groupSumHigh, 0, amd64.R(scratch1), maskStep3)
	}
	e.Here(on)
	e.outOfLine(func() {
		e.Here(slow)
		chain.write()
		e.JMP(on)
	})
}

// reduce makes both halves what their subgroups come to; joins: they are of one.
func (w *ofPairs) reduce(joins bool) {
	e, halves := w.e, []amd64.Z{groupSum, groupSumHigh}
	if joins {
		w.both(groupSum, groupSum, groupSumHigh)
		halves = halves[:1]
	}
	for _, z := range halves {
		for distance := 1; distance < w.size; distance *= 2 {
			w.swap(groupOther, z, distance)
			w.both(z, z, groupOther)
		}
	}
	if w.whole > 0 {
		e.Mov1(amd64.VMOVDQU, groupCarry, w.carried(carrySum))
		w.both(groupSum, groupCarry, groupSum)
		e.Mov1(amd64.VMOVDQUTo, groupSum, w.carried(carrySum))
	}
	if joins {
		e.move(groupSumHigh, groupSum)
	}
}

// scan makes both halves what lanes come to, inclusively or not.
func (w *ofPairs) scan(joins bool) {
	e := w.e
	if w.whole > 0 {
		e.Mov1(amd64.VMOVDQU, groupCarry, w.carried(carrySum))
	}
	for half, z := range [2]amd64.Z{groupSum, groupSumHigh} {
		for distance := 1; distance < w.size; distance *= 2 {
			w.shift(groupOther, z, distance, !again(w.g.Arith))
			w.both(z, z, groupOther)
		}
		carries := w.whole > 0 || joins && half > 0
		hands := w.whole > 0 || joins && half == 0
		if hands {
			w.spread(groupValue, z, w.size-1)
			if carries {
				w.both(groupValue, groupCarry, groupValue)
			}
		}
		if w.g.Kind == ir.GroupExclusive {
			w.shift(groupOther, z, 1, true)
			e.move(z, groupOther)
		}
		if carries {
			w.both(z, groupCarry, z)
		}
		if hands {
			e.move(groupCarry, groupValue)
		}
	}
	if w.whole > 0 {
		e.Mov1(amd64.VMOVDQUTo, groupCarry, w.carried(carrySum))
	}
}

// inOrder makes both halves what lanes come to in their order.
func (w *ofPairs) inOrder(joins bool) {
	e, by, sum := w.e, amd64.VMULPD, groupCarry
	if w.g.Arith == ir.GroupFAdd {
		by = amd64.VADDPD
	}
	e.Mov1(amd64.VMOVDQU, scratch2, w.table(tablePairLane, 0, func(lane int) int {
		return lane / 2 % w.size * (1 - lane%2)
	}))
	for half, z := range [2]amd64.Z{groupSum, groupSumHigh} {
		if half == 0 || !joins {
			e.V(amd64.VPBROADCASTQ, sum, 0, e.Pool(w.neutral()).One())
		}
		result := func(j int) {
			if j == 0 {
				e.move(groupOther, sum)
				return
			}
			e.ToMask(amd64.VPCMPQ, maskStep3, scratch2, e.Pool(uint64(j)), 0, 0)
			e.VK(amd64.VPBLENDMQ, groupOther, groupOther, amd64.R(sum), maskStep3)
		}
		w.inTurn(result, func(j int) {
			w.spread(scratch1, z, j)
			e.V(by, sum, sum, amd64.R(scratch1))
		})
		switch {
		case w.g.Kind != ir.GroupReduce:
			e.move(z, groupOther)
		case joins && half == 0:
		default:
			e.move(z, sum)
		}
	}
	if joins && w.g.Kind == ir.GroupReduce {
		e.move(groupSum, sum)
	}
}
