package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Reductions and scans go in steps of doubled distances, but for sums and products of floats, which
// go in the order of lanes. Lanes that take no part have what changes no result.

// groupNeutral is that number: what is there of none, but no minimum of NaNs is a number, and a sum
// of −0 is −0.
func groupNeutral(a ir.GroupArith) uint32 {
	switch a {
	case ir.GroupFAdd:
		return 1 << 31
	case ir.GroupFMin, ir.GroupFMax:
		return 0x7FC00000
	}
	return a.Identity()
}

// inOrder says that the order of lanes makes a difference, and again that a number twice is none.
func inOrder(a ir.GroupArith) bool { return a == ir.GroupFAdd || a == ir.GroupFMul }
func again(a ir.GroupArith) bool {
	return ir.GroupSMin <= a && a <= ir.GroupOr || a >= ir.GroupFMin
}

// only sets z to x in the lanes that take part, and to a number in others.
func (w *groupWriter) only(z, x amd64.Z, other uint32) {
	if other == 0 {
		w.e.VZ(amd64.VMOVDQU, z, 0, amd64.R(x), maskStep2)
		return
	}
	w.e.in(w.e.words(other), z)
	w.e.VK(amd64.VMOVDQU, z, 0, amd64.R(x), maskStep2)
}

// both sets d to what x and y come to. It takes scratch0 to scratch3 and maskStep.
func (w *groupWriter) both(d, x, y amd64.Z) {
	e, greater := w.e, w.g.Arith == ir.GroupFMax
	switch {
	case w.g.Arith < ir.GroupFMin:
		e.floats = [2]floatFact{}
		laneAMD64{e}.op(groupOps[w.g.Arith], d, amd64.R(x), amd64.R(y), amd64.Arg{})
	case e.vectors.narrow:
		laneAMD64{e}.ordered(extremes[greater].by, extremes[greater].zeros, d, x, y, false)
	case greater: // with the sign of the result
		e.VI(amd64.VRANGEPS, d, x, amd64.R(y), 5)
	default:
		e.VI(amd64.VRANGEPS, d, x, amd64.R(y), 4)
	}
}

// scan sets groupSum to a reduction or scan of words.
func (w *groupWriter) scan() {
	e, z, a := w.e, groupSum, w.g.Arith
	if inOrder(a) {
		w.sums()
		return
	}
	neutral := groupNeutral(a)
	x := w.value(0, scratch0)
	if a >= ir.GroupFMin && !e.vectors.narrow {
		x = e.in(laneAMD64{e}.quiet(amd64.R(x), scratch0, e.facts[w.x.Args[0]]), scratch0)
	}
	w.only(z, x, neutral)
	for distance := 1; distance < w.size; distance *= 2 {
		if w.g.Kind == ir.GroupReduce {
			w.swap(groupOther, z, distance)
		} else {
			w.shift(groupOther, z, distance, uint64(neutral), !again(a))
		}
		w.both(z, z, groupOther)
	}
	if w.whole > 0 {
		w.wholeScan(uint64(neutral))
	} else if w.g.Kind == ir.GroupExclusive {
		w.shift(groupOther, z, 1, uint64(neutral), true)
		e.move(z, groupOther)
	}
	if a >= ir.GroupFMin {
		w.whereEmpty(a.Identity(), z)
	}
}

// wholeScan makes groupSum, which has a part's, what its subgroup comes to as far as that, and
// hands on what it comes to with all of the part.
func (w *groupWriter) wholeScan(neutral uint64) {
	e, z := w.e, groupSum
	e.Mov1(amd64.VMOVDQU, groupCarry, w.carried(carrySum))
	w.both(z, groupCarry, z)
	w.spread(groupOther, z, w.size-1)
	e.Mov1(amd64.VMOVDQUTo, groupOther, w.carried(carrySum))
	if w.g.Kind == ir.GroupExclusive { // the first lane has what the part before came to
		w.shift(groupOther, z, 1, neutral, true)
		w.first(maskStep3)
		e.VK(amd64.VMOVDQU, groupOther, 0, amd64.R(groupCarry), maskStep3)
		e.move(z, groupOther)
	}
}

// first sets k to the first lanes of subgroups.
func (w *groupWriter) first(k amd64.K) {
	w.e.Mov1(amd64.VMOVDQU, scratch1, w.lane())
	w.e.ToMask(amd64.VPCMPD, k, scratch1, w.e.words(0), 0, 0)
}

// shift sets d to the numbers of x a distance below in the subgroup; to a neutral one where there
// is none, or to what x has there.
func (w *groupWriter) shift(d, x amd64.Z, distance int, neutral uint64, fill bool) {
	w.shifted(d, x, distance, fill, 1, neutral, tableShift)
}

// shifted is shift for numbers of one word or two; kinds of tables are from kind on.
func (w *groupWriter) shifted(d, x amd64.Z, distance int, fill bool, words int, neutral uint64,
	kind int) {
	e := w.e
	within := func(lane int) bool { return lane/words%w.size >= distance }
	w.permute(d, x, w.table(kind, distance, func(lane int) int {
		if within(lane) {
			return lane - words*distance
		}
		return lane
	}))
	if !fill {
		return
	}
	if neutral != 1<<(32*words)-1 {
		e.V(amd64.VPANDD, d, d, w.table(kind+tableWithin-tableShift, distance, func(lane int) int {
			if within(lane) {
				return -1
			}
			return 0
		}))
	}
	if neutral != 0 {
		number := distance + 32*int(w.g.Arith)
		e.V(amd64.VPORD, d, d, w.table(kind+tableBeyond-tableShift, number, func(lane int) int {
			if within(lane) {
				return 0
			}
			return int(uint32(neutral >> (32 * (lane % words))))
		}))
	}
}

// sums sets groupSum to a reduction or scan of sums or products of floats, in the order of lanes:
// one instruction a lane waits for the one before.
func (w *groupWriter) sums() {
	e, z, by := w.e, groupSum, amd64.VMULPS
	if w.g.Arith == ir.GroupFAdd {
		by = amd64.VADDPS
	}
	neutral := groupNeutral(w.g.Arith)
	w.only(groupValue, w.value(0, scratch0), neutral)
	if w.whole > 0 {
		e.Mov1(amd64.VMOVDQU, z, w.carried(carrySum))
	} else {
		e.in(e.words(neutral), z)
	}
	e.Mov1(amd64.VMOVDQU, scratch2, w.lane())
	result := func(j int) {
		if j == 0 {
			e.move(groupOther, z)
			return
		}
		e.ToMask(amd64.VPCMPD, maskStep3, scratch2, e.words(uint32(j)), 0, 0)
		e.VK(amd64.VMOVDQU, groupOther, 0, amd64.R(z), maskStep3)
	}
	w.inTurn(result, func(j int) {
		w.spread(scratch1, groupValue, j)
		e.V(by, z, z, amd64.R(scratch1))
	})
	if w.whole > 0 {
		e.Mov1(amd64.VMOVDQUTo, z, w.carried(carrySum))
	}
	if w.g.Kind != ir.GroupReduce {
		e.move(z, groupOther)
	}
	if identity := w.g.Arith.Identity(); neutral != identity {
		w.whereEmpty(identity, z)
	}
}

// inTurn writes add for the lanes of a subgroup in their order, and result where a scan has that of a
// lane.
func (w *groupWriter) inTurn(result, add func(lane int)) {
	for j := range w.size {
		if w.g.Kind == ir.GroupExclusive {
			result(j)
		}
		add(j)
		if w.g.Kind == ir.GroupInclusive {
			result(j)
		}
	}
}

// whereEmpty sets words to an identity in the lanes, which maskStep3 has then, whose set none has
// taken part in. It takes scratch1 to scratch3.
func (w *groupWriter) whereEmpty(identity uint32, z amd64.Z) {
	e := w.e
	e.KTO(amd64.RAX, maskStep2)
	e.V(amd64.VPBROADCASTG, scratch1, 0, amd64.GArg(amd64.RAX))
	e.V(amd64.VPANDD, scratch1, scratch1, w.set())
	if w.whole > 0 {
		e.V(amd64.VPORD, scratch1, scratch1, w.carried(carryMet))
		w.meet()
	}
	e.ToMask(amd64.VPCMPD, maskStep3, scratch1, e.words(0), 0, 0)
	e.in(e.words(identity), scratch1)
	e.VK(amd64.VMOVDQU, z, 0, amd64.R(scratch1), maskStep3)
}

// set are the bits, of the part of a strip, of the lanes whose numbers come together for one.
func (w *groupWriter) set() amd64.Arg {
	return w.table(tableSet, int(w.g.Kind), func(lane int) int {
		base := w.baseOf(lane)
		switch set := (1<<w.size - 1) << base; w.g.Kind {
		case ir.GroupInclusive:
			return set & (2<<lane - 1)
		case ir.GroupExclusive:
			return set & (1<<lane - 1)
		default:
			return set
		}
	})
}
