package native

import (
	"github.com/pumice-gpu/pumice/internal/exec/arm64"
	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// armGroup writes a subgroup operation: a strip has one subgroup or several.
type armGroup struct {
	armMemory
	g    ir.Group
	x    *Operands
	size int // lanes of a subgroup, or of a cluster, or of a part of it
	// whole is all of a subgroup whose parts hand on what they have come to, which the frame has at
	// carry; 0: it has one part.
	whole, carry int
}

// Names that operations on lanes leave alone; pairs have two, for both halves of the lanes.
const (
	gLive = arm64.V(mir.FirstName + 8 + iota) // the lanes that take part
	gSum                                      // and what they come to
	gSum2
	gMet // lanes for which one was met
	gSet // bits of the lanes that come together for one
	gSet2
	gValue
	gValue2
	gOther
)

// write writes it.
func (e armGroup) write(in *Inst) {
	e.g, e.x = ir.GroupOf(uint64(in.Imm)), &e.r.aux[in.C]
	e.size = e.sizeOf(e.g)
	switch e.g.Kind {
	case ir.GroupLast:
		e.last()
		return
	case ir.GroupTake:
		e.take()
		return
	case ir.GroupProduct:
		e.product(in.M)
		return
	}
	if e.size > e.vectors.lanes {
		e.whole, e.size, e.carry = e.size, e.vectors.lanes, e.rows(carryRows)
		e.begin()
	}
	if e.g.Kind == ir.GroupShuffle || e.g.Helpers {
		e.MOV(gLive, e.executes(in.M))
	} else {
		e.writing(in)
		e.MOV(gLive, n4)
	}
	switch {
	case e.g.Kind < ir.GroupReduce || e.g.Kind == ir.GroupPartition:
		e.vote(gSum)
	case e.g.Wide:
		e.scanPairs()
		e.put(e.x.Results[1], gSum2)
	default:
		e.scan()
	}
	e.put(e.x.Results[0], gSum)
}

// arg is an operand, in one of the names if it has to be loaded.
func (e armGroup) arg(i int) arm64.V {
	return e.in(lanes(e.x.Args[i]), [2]arm64.V{gValue, gValue2}[i%2])
}

// words sets d to a number for each lane, by its number in the subgroup.
func (e armGroup) words(d arm64.V, f func(lane int) int) {
	w := func(lane int) uint64 { return uint64(uint32(f(lane % e.size))) }
	e.Const(d, w(0)|w(1)<<32, w(2)|w(3)<<32)
}

func bitOfLane(lane int) int { return 1 << lane }

// swap sets d to the numbers of z in the lanes at a distance, and spread to that of lane j of each
// subgroup.
func (e armGroup) swap(d, z arm64.V, distance int) {
	if distance == 1 {
		e.V2(arm64.REV644S, d, z)
	} else {
		e.EXT(d, z, z, 8)
	}
}

func (e armGroup) spread(d, z arm64.V, j int) {
	switch e.size {
	case 4:
		e.DUP4S(d, z, j)
	case 2:
		e.V3([2]arm64.Op{arm64.TRN14S, arm64.TRN24S}[j], d, z, z)
	default:
		e.MOV(d, z)
	}
}

// union sets z to what one of the lanes of a subgroup has, or of a part of it. It takes n0.
func (e armGroup) union(z arm64.V) {
	for distance := 1; distance < e.size; distance *= 2 {
		e.swap(n0, z, distance)
		e.V3(arm64.ORR, z, z, n0)
	}
}

// notAny is any where no lane has ones.
func (e armGroup) notAny(z arm64.V) {
	e.any(z)
	e.V2(arm64.NOT, z, z)
}

// live sets d to the bits of the lanes of the subgroup that take part.
func (e armGroup) live(d arm64.V) {
	e.words(n1, bitOfLane)
	e.V3(arm64.AND, d, n1, gLive)
	e.union(d)
}

// first sets d to ones in the first of them, and ofFirst to what that has as an operand, 0 for none.
func (e armGroup) first(d arm64.V) {
	e.live(d)
	e.V2(arm64.NEG4S, n0, d)
	e.V3(arm64.AND, d, d, n0)
	e.V3(arm64.CMEQ4S, d, d, n1)
}

func (e armGroup) ofFirst(d arm64.V, i int) {
	e.first(d)
	e.V3(arm64.AND, d, d, e.arg(i))
	e.union(d)
	if e.whole > 0 {
		e.unlessMet(d)
		e.carried(arm64.LDRQ, n0, carrySum+i)
		e.V3(arm64.ORR, d, d, n0)
		e.carried(arm64.STRQ, d, carrySum+i)
	}
}

// vote sets z to the result of an operation that is no sum.
func (e armGroup) vote(z arm64.V) {
	switch e.g.Kind {
	case ir.GroupLane:
		e.words(z, func(lane int) int { return lane })
		if e.whole > 0 {
			e.position(n0, 0)
			e.V3(arm64.ADD4S, z, z, n0)
		}
	case ir.GroupElect:
		e.first(z)
		if e.whole > 0 {
			e.unlessMet(z)
			e.meetOne()
		}
	case ir.GroupAny:
		e.V3(arm64.AND, z, gLive, e.arg(0))
		e.any(z)
	case ir.GroupAll:
		e.V3(arm64.BIC, z, gLive, e.arg(0))
		e.notAny(z)
	case ir.GroupAllEqual:
		if e.equal(z); e.whole > 0 {
			e.meetOne()
		}
		e.V3(arm64.BIC, z, gLive, z)
		e.notAny(z)
	case ir.GroupBallot:
		e.words(z, bitOfLane)
		e.V3(arm64.AND, z, z, gLive)
		e.V3(arm64.AND, z, z, e.arg(0))
		if e.whole > 0 { // shifted by 32 and more, or by −4 and less, there is nothing left
			e.position(n0, 32*int(e.g.Word))
			e.V3(arm64.USHL4S, z, z, n0)
		}
		e.any(z)
	case ir.GroupFirst:
		if e.ofFirst(z, 0); e.whole > 0 {
			e.meetOne()
		}
	case ir.GroupShuffle:
		if e.whole > 0 {
			e.V3(arm64.AND, z, gLive, e.arg(0))
			return
		}
		e.shuffle(z)
	default:
		e.partition(z)
	}
	if e.g.Word > 0 && e.whole == 0 { // of a ballot, which has lanes in its first word only
		e.MOVI(z, 0, 0)
	}
}

// equal sets z to whether lanes have what the first one has, as bits or as floats.
func (e armGroup) equal(z arm64.V) {
	by := arm64.CMEQ4S
	if e.g.Float {
		by = arm64.FCMEQ4S
	}
	x := e.arg(0)
	if e.ofFirst(z, 0); !e.g.Wide {
		e.V3(by, z, z, x)
		return
	}
	y := e.arg(1)
	if e.ofFirst(gOther, 1); !e.g.Float {
		e.V3(by, z, z, x)
		e.V3(by, n0, gOther, y)
		e.V3(arm64.AND, z, z, n0)
		return
	}
	for half, join := range [2]arm64.Op{arm64.ZIP14S, arm64.ZIP24S} {
		e.V3(join, n0, z, gOther)
		e.V3(join, n1, x, y)
		e.V3(arm64.FCMEQ2D, [2]arm64.V{n2, n3}[half], n0, n1)
	}
	e.V3(arm64.UZP14S, z, n2, n3)
}

// shuffle sets z to the operands of lanes of the subgroup, 0 for those that do not run or that
// there are not.
func (e armGroup) shuffle(z arm64.V) {
	const each, first = 0x04040404, 0x03020100 // of the bytes of words
	lane := e.arg(1)
	e.constant(n1, uint32(e.size))
	e.V3(arm64.CMHI4S, n1, n1, lane)
	e.constant(n2, each)
	e.V3(arm64.MUL4S, n2, n2, lane)
	at := func(lane int) uint64 { return uint64(lane/e.size*e.size*each + first) }
	e.Const(n3, at(0)|at(1)<<32, at(2)|at(3)<<32)
	e.V3(arm64.ADD4S, n2, n2, n3)
	e.V3(arm64.AND, z, gLive, e.arg(0))
	e.TBL(z, z, n2)
	e.V3(arm64.AND, z, z, n1)
}

// partition sets z to the bits of the lanes that take part and have the same as a lane.
func (e armGroup) partition(z arm64.V) {
	e.MOVI(z, 0, 0)
	for j := range e.size {
		e.spread(gOther, gLive, j)
		for i := range e.x.Args {
			v := e.arg(i)
			e.spread(n0, v, j)
			e.V3(arm64.CMEQ4S, n0, n0, v)
			e.V3(arm64.AND, gOther, gOther, n0)
		}
		e.constant(n0, 1<<j)
		e.V3(arm64.AND, gOther, gOther, n0)
		e.V3(arm64.ORR, z, z, gOther)
	}
}

// sets sets gSet to the bits of the lanes whose numbers come together for a lane.
func (e armGroup) sets() {
	e.live(gSet)
	if e.g.Partitioned {
		words := 1
		if e.g.Wide {
			words = 2
		}
		e.V3(arm64.AND, gSet, gSet, e.in(lanes(e.x.Args[words]), n0))
	}
	switch {
	case e.g.Kind == ir.GroupInclusive, e.g.Kind == ir.GroupExclusive && e.whole > 0: // see handOn
		e.words(n1, func(lane int) int { return 2<<lane - 1 })
		e.V3(arm64.AND, gSet, gSet, n1)
	case e.g.Kind == ir.GroupExclusive:
		e.words(n1, func(lane int) int { return 1<<lane - 1 })
		e.V3(arm64.AND, gSet, gSet, n1)
	}
}

// scan sets gSum to a reduction or scan of words.
func (e armGroup) scan() {
	op, float := groupOps[e.g.Arith], e.g.Arith >= ir.GroupFAdd
	lane, v := armLane{e.armEmitter}, e.arg(0)
	e.constant(gSum, e.g.Arith.Identity())
	if e.g.Kind == ir.GroupReduce && !float && !e.g.Partitioned { // in any order
		e.V3(arm64.BIT, gSum, v, gLive)
		for distance := 1; distance < e.size; distance *= 2 {
			e.swap(gOther, gSum, distance)
			lane.op(op, gSum, vector(gSum), vector(gOther), operand{})
		}
		if e.whole > 0 {
			e.carried(arm64.LDRQ, gOther, carrySum)
			lane.op(op, gSum, vector(gSum), vector(gOther), operand{})
			e.carried(arm64.STRQ, gSum, carrySum)
		}
		return
	}
	if e.whole > 0 {
		e.carried(arm64.LDRQ, gSum, carrySum)
		e.carried(arm64.LDRQ, gMet, carryMet)
	}
	e.sets()
	for j := range e.size {
		e.spread(gOther, v, j)
		sum := gOther
		if j > 0 || e.whole > 0 {
			e.floats, sum = [2]floatFact{}, n5
			lane.op(op, n5, vector(gSum), vector(gOther), operand{})
		}
		e.constant(n6, 1<<j)
		e.V3(arm64.CMTST4S, n6, n6, gSet)
		e.meet(gSum, sum, gOther, gMet, j)
	}
	if e.whole > 0 {
		e.handOn()
	}
}

// meet sets sum to what it comes to with lane j in the lanes of n6, or to the number of that, where
// it is the first: a sum of one −0 is −0. met are the lanes for which one was.
func (e armGroup) meet(sum, with, alone, met arm64.V, j int) {
	switch {
	case e.g.Arith < ir.GroupFAdd: // the identity is one
	case j == 0 && e.whole == 0:
		e.MOV(met, n6)
	default:
		e.V3(arm64.BIF, with, alone, met)
		e.V3(arm64.ORR, met, met, n6)
	}
	e.V3(arm64.BIT, sum, with, n6)
}

// scanPairs sets gSum and gSum2 to the low and high words of a reduction or scan of pairs.
func (e armGroup) scanPairs() {
	low, high := e.arg(0), e.arg(1)
	e.sets()
	identity := e.g.Arith.WideIdentity()
	sums, sets := [2]arm64.V{gSum, gSum2}, [2]arm64.V{gSet, gSet2}
	e.V3(arm64.ZIP14S, n4, low, high)
	e.V3(arm64.ZIP24S, gValue2, low, high)
	e.MOV(gValue, n4)
	e.V3(arm64.ZIP24S, gSet2, gSet, gSet)
	e.V3(arm64.ZIP14S, gSet, gSet, gSet)
	for half, sum := range sums {
		if e.whole > 0 {
			e.carried(arm64.LDRQ, sum, carrySum)
			e.carried(arm64.LDRQ, gMet, carryMet)
		} else {
			e.Const(sum, identity, identity)
		}
		for j := range e.size {
			at := half*2/e.size*e.size + j // of the lane
			from := [2]arm64.V{gValue, gValue2}
			if e.size == 1 {
				e.MOV(gOther, from[half])
			} else {
				e.DUP2D(gOther, from[at/2], at%2)
			}
			with := gOther
			if j > 0 || e.whole > 0 {
				with = n5
				e.sumPairs(n5, sum, gOther)
			}
			e.Const(n6, 1<<j|1<<(32+j), 1<<j|1<<(32+j))
			e.V3(arm64.CMTST2D, n6, n6, sets[half])
			e.meet(sum, with, gOther, gMet, j)
		}
	}
	if e.whole > 0 {
		e.handOnPairs()
	}
	e.V3(arm64.UZP14S, n0, gSum, gSum2)
	e.V3(arm64.UZP24S, gSum2, gSum, gSum2)
	e.MOV(gSum, n0)
}

// sumPairs sets d to what pairs come to.
func (e armGroup) sumPairs(d, x, y arm64.V) {
	pair := armPair{e.armEmitter}
	above := func(by arm64.Op, greater, other arm64.V) {
		e.V3(by, n0, x, y)
		e.V3(arm64.BSL, n0, greater, other)
		e.MOV(d, n0)
	}
	switch e.g.Arith {
	case ir.GroupAnd:
		e.V3(arm64.AND, d, x, y)
	case ir.GroupOr:
		e.V3(arm64.ORR, d, x, y)
	case ir.GroupXor:
		e.V3(arm64.EOR, d, x, y)
	case ir.GroupSMin:
		above(arm64.CMGT2D, y, x)
	case ir.GroupSMax:
		above(arm64.CMGT2D, x, y)
	case ir.GroupUMin:
		above(arm64.CMHI2D, y, x)
	case ir.GroupUMax:
		above(arm64.CMHI2D, x, y)
	default:
		pair.halfOf(groupWide[e.g.Arith], d, [3]arm64.V{x, y}, 0)
		if e.g.Arith >= ir.GroupFAdd {
			pair.canonWide(d)
		}
	}
}

// product writes a row of a product of matrices. The row of A goes to the frame, where each of its
// elements is found for all lanes of a subgroup; steps are short, so that B need not be in
// registers as a whole.
func (e armGroup) product(m int32) {
	shape := e.g.Product(uint32(e.size))
	a, b, c := e.x.Args[:shape.A], e.x.Args[shape.A:][:shape.B], e.x.Args[shape.A+shape.B:]
	rows := e.rows(shape.A)
	for i, v := range a {
		e.V3(arm64.AND, n0, e.in(lanes(v), n0), e.executes(m))
		e.Vec(arm64.STRQ, n0, xFrame, rows+imageRow*i)
	}
	for i, v := range e.x.Results {
		e.endSteps(int(e.index))
		e.become(v, lanes(c[i]))
	}
	for k := range int(e.g.Depth) {
		e.endSteps(int(e.index))
		e.Vec(arm64.LDRQ, n1, xFrame, rows+imageRow*(k/e.size))
		e.spread(n0, n1, k%e.size)
		for i, v := range e.x.Results {
			y := e.in(lanes(b[k*len(c)+i]), n1)
			if e.g.Arith == ir.GroupFAdd {
				e.V3(arm64.FMLA4S, e.value(v), n0, y)
				continue
			}
			e.V3(arm64.MUL4S, n1, n0, y)
			e.V3(arm64.ADD4S, e.value(v), e.value(v), n1)
		}
	}
}
