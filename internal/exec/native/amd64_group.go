package native

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/exec/mir"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Names that subgroup operations have besides those of other steps: operand, result, both of two
// words, and what else they keep. Lanes that take part are in maskStep2.
const (
	groupValue = amd64.Z(mir.FirstName + 13 + iota)
	groupHigh
	groupSum
	groupSumHigh
	groupOther
	groupCarry
)

// groupWriter writes a subgroup operation, for a part of a strip.
type groupWriter struct {
	e    *emitter
	g    ir.Group
	x    *Operands
	size int // lanes of a subgroup, or of a cluster, or of a part of it
	rows int
	// whole is all of a subgroup whose parts hand on what they have come to; 0: it has one.
	whole int
}

// groupOp writes a subgroup operation.
func groupOp(e *emitter, in *Inst) {
	x, g := &e.r.aux[in.C], ir.GroupOf(uint64(in.Imm))
	switch g.Kind {
	case ir.GroupLast:
		lastOfGroup(e, x, g)
		return
	case ir.GroupTake:
		takeOfGroup(e, x)
		return
	case ir.GroupProduct:
		(&groupWriter{e: e, g: g, size: int(e.r.program.SubgroupSize)}).product(x, in.M)
		return
	}
	w := &groupWriter{e: e, g: g, x: x, size: e.sizeOf(g)}
	if g.Kind == ir.GroupShow {
		w.showToAll()
	}
	switch {
	case g.Kind == ir.GroupLane: // of all
	case g.Kind == ir.GroupShuffle || g.Helpers:
		e.K(amd64.KMOV, maskStep2, 0, e.executes(in.M))
	default:
		writing(e, in)
	}
	if w.size > e.vectors.lanes {
		w.whole, w.size = w.size, e.vectors.lanes
	}
	around := w.whole > 0 && (g.Kind == ir.GroupPartition || g.Partitioned)
	if w.whole > 0 && g.Kind != ir.GroupShuffle && g.Kind != ir.GroupShow && !around {
		w.begin()
	}
	switch {
	case g.Kind == ir.GroupShow:
		w.show()
		return
	case around:
		(&groupAround{*w}).write()
	case g.Kind == ir.GroupPartition:
		w.partition()
	case g.Partitioned:
		(&groupFold{groupLanes{*w, len(x.Results)}}).write()
	case g.Kind == ir.GroupShuffle:
		w.shuffle()
	case g.Kind < ir.GroupReduce:
		w.vote()
	case g.Wide:
		w.pairs()
	default:
		w.scan()
	}
	for i, v := range x.Results {
		e.put(v, groupSum+amd64.Z(i))
	}
}

// value is an operand in a register, the given one if it has to be loaded.
func (w *groupWriter) value(i int, to amd64.Z) amd64.Z { return w.e.in(w.e.arg(w.x.Args[i]), to) }

// row is one of the rows, keep stores it, and load loads it.
func (w *groupWriter) row(n int) amd64.Arg { return amd64.M(regFrame, w.rows+imageRow*n) }

func (w *groupWriter) keep(z amd64.Z, n int) { w.e.Mov1(amd64.VMOVDQUTo, z, w.row(n)) }

func (w *groupWriter) load(z amd64.Z, n int) { w.e.Mov1(amd64.VMOVDQU, z, w.row(n)) }

// Tables of words for lanes.
const (
	tableLane = iota
	tableBit
	tableBase
	tableFirst
	tableSpread
	tableSwap
	tableShift
	tableWithin // ones for lanes that have one at a distance below
	tableBeyond // neutral numbers for those that have not
	tableSet
	tablePairLane
	tablePairSpread
	tablePairSwap
	tablePairShift // and two behind it
	tableKinds     = 32
	tableNumbers   = 1024
)

// table is a word for each lane behind the code: of a kind, with a number less than tableNumbers.
func (w *groupWriter) table(kind, n int, word func(lane int) int) amd64.Arg {
	const groups = -1000 // no place in a program's table
	key := int64(groups - (tableKinds*(tableNumbers*w.size+n) + kind))
	return w.e.behind(key, func() []byte {
		var words []byte
		for lane := range ir.PlaceLanes {
			words = binary.LittleEndian.AppendUint32(words, uint32(word(lane)))
		}
		return words
	})
}

// lane are the lanes' numbers in their subgroup.
func (w *groupWriter) lane() amd64.Arg {
	return w.table(tableLane, 0, func(lane int) int { return lane % w.size })
}

// bit are those of the lanes in their subgroup, and base the first lanes of subgroups.
func (w *groupWriter) bit() amd64.Arg {
	return w.table(tableBit, 0, func(lane int) int { return 1 << (lane % w.size) })
}

func (w *groupWriter) baseOf(lane int) int { return lane / w.size * w.size }

func (w *groupWriter) base() amd64.Arg { return w.table(tableBase, 0, w.baseOf) }

// spread sets d to the number of x in lane j of each subgroup.
func (w *groupWriter) spread(d, x amd64.Z, j int) {
	if w.size == 4 {
		w.e.VI(amd64.VPSHUFD, d, 0, amd64.R(x), j*0x55)
		return
	}
	w.permute(d, x, w.table(tableSpread, j, func(lane int) int { return w.baseOf(lane) + j }))
}

// swap sets d to the numbers of x in the lanes at a distance.
func (w *groupWriter) swap(d, x amd64.Z, distance int) {
	switch distance {
	case 1:
		w.e.VI(amd64.VPSHUFD, d, 0, amd64.R(x), 0xB1)
	case 2:
		w.e.VI(amd64.VPSHUFD, d, 0, amd64.R(x), 0x4E)
	case 4: // of each two quarters
		w.e.VI(amd64.VPERMQ, d, 0, amd64.R(x), 0x4E)
	default:
		w.permute(d, x, w.table(tableSwap, distance, func(lane int) int { return lane ^ distance }))
	}
}

func (w *groupWriter) permute(d, x amd64.Z, places amd64.Arg) {
	w.e.Mov1(amd64.VMOVDQU, d, places)
	w.e.V(amd64.VPERMD, d, d, amd64.R(x))
}

// bitsOf sets z to the bits of a mask that each lane's subgroup has.
func (w *groupWriter) bitsOf(z amd64.Z, k amd64.K) {
	e := w.e
	e.KTO(amd64.RAX, k)
	e.V(amd64.VPBROADCASTG, z, 0, amd64.GArg(amd64.RAX))
	if w.size < e.vectors.lanes {
		e.V(amd64.VPSRLVD, z, z, w.base())
		e.V(amd64.VPANDD, z, z, e.words(1<<w.size-1))
	}
}

// any sets z to whether a mask has one of the lanes of each lane's subgroup. It takes maskStep3.
func (w *groupWriter) any(z amd64.Z, k amd64.K) {
	w.bitsOf(z, k)
	w.e.ToMask(amd64.VPCMPD, maskStep3, z, w.e.words(0), 4, 0)
	w.e.V(amd64.VPMOVM2D, z, 0, amd64.KArg(maskStep3))
}

// lowest sets z to the bit of the first lane that takes part. It takes scratch2.
func (w *groupWriter) lowest(z amd64.Z) {
	e := w.e
	w.bitsOf(z, maskStep2)
	e.V(amd64.VPXORD, scratch2, scratch2, amd64.R(scratch2))
	e.V(amd64.VPSUBD, scratch2, scratch2, amd64.R(z))
	e.V(amd64.VPANDD, z, z, amd64.R(scratch2))
}

// firsts sets groupSum and the names behind it to what that lane has as its first n operands, 0
// for none. It takes scratch1 to scratch4 and maskStep3.
func (w *groupWriter) firsts(n int) {
	const exponent, bias = 23, 127
	e := w.e
	w.lowest(scratch3)
	e.ToMask(amd64.VPCMPD, maskStep3, scratch3, e.words(0), 4, 0)
	e.V(amd64.VCVTDQ2PS, scratch3, 0, amd64.R(scratch3))
	e.VI(amd64.VPSRLD, scratch3, 0, amd64.R(scratch3), exponent)
	e.V(amd64.VPADDD, scratch3, scratch3,
		w.table(tableFirst, 0, func(lane int) int { return w.baseOf(lane) - bias }))
	for i := range n {
		z := groupSum + amd64.Z(i)
		e.V(amd64.VPERMD, z, scratch3, amd64.R(w.value(i, scratch4)))
		e.VZ(amd64.VMOVDQU, z, 0, amd64.R(z), maskStep3)
		if w.whole > 0 {
			w.unlessMet(z)
			e.V(amd64.VPORD, z, z, w.carried(carrySum+i))
			e.Mov1(amd64.VMOVDQUTo, z, w.carried(carrySum+i))
		}
	}
	if w.whole > 0 {
		w.meet()
	}
}

// vote sets groupSum to the result of an operation that is no sum.
func (w *groupWriter) vote() {
	e, z := w.e, groupSum
	switch w.g.Kind {
	case ir.GroupLane:
		e.Mov1(amd64.VMOVDQU, z, w.lane())
		if w.whole > 0 {
			w.position(scratch0, 0)
			e.V(amd64.VPADDD, z, z, amd64.R(scratch0))
		}
	case ir.GroupElect:
		w.lowest(z)
		e.ToMask(amd64.VPCMPD, maskStep3, z, w.bit(), 0, 0)
		e.V(amd64.VPMOVM2D, z, 0, amd64.KArg(maskStep3))
		if w.whole > 0 {
			w.unlessMet(z)
			w.meet()
		}
	case ir.GroupAny, ir.GroupAll:
		if w.g.Kind == ir.GroupAny {
			w.holds(maskStep3, amd64.KAND)
			w.any(z, maskStep3)
			w.handOn(z)
			return
		}
		w.holds(maskStep3, amd64.KANDN)
		w.none(z)
	case ir.GroupBallot:
		if w.g.Word > 0 && w.whole == 0 {
			e.V(amd64.VPXORD, z, z, amd64.R(z))
			return
		}
		w.holds(maskStep3, amd64.KAND)
		w.bitsOf(z, maskStep3)
		if w.whole > 0 { // shifted by 32 and more, or less than 0, there is nothing left
			w.position(scratch0, -32*int(w.g.Word))
			e.V(amd64.VPSLLVD, z, z, amd64.R(scratch0))
		}
		w.handOn(z)
	case ir.GroupFirst:
		w.firsts(1)
	case ir.GroupAllEqual:
		switch {
		case w.g.Wide:
			w.firsts(2)
			w.equalPairs()
			e.K(amd64.KANDN, maskStep3, maskStep, maskStep2)
		case w.g.Float:
			w.firsts(1)
			e.ToMask(amd64.VCMPPS, maskStep3, w.value(0, scratch0), amd64.R(z), 4, maskStep2)
		default:
			w.firsts(1)
			e.ToMask(amd64.VPCMPD, maskStep3, w.value(0, scratch0), amd64.R(z), 4, maskStep2)
		}
		w.none(z)
	}
}

// holds sets k to the lanes that take part and have a condition, or to those that have it not.
func (w *groupWriter) holds(k amd64.K, by amd64.Op) {
	w.e.K(by, k, w.e.maskIn(w.x.Args[0], k), maskStep2)
}

// none sets z to whether maskStep3 has none of the subgroup's lanes, as far as the part.
func (w *groupWriter) none(z amd64.Z) {
	w.any(z, maskStep3)
	w.handOn(z)
	w.e.V(amd64.VPXORD, z, z, w.e.constant(constOnes))
}

// equalPairs sets maskStep to the lanes whose pairs are those in groupSum, as bits or as floats.
func (w *groupWriter) equalPairs() {
	const infinity = 0x7FF00000 // the high word
	e := w.e
	low, high := w.value(0, scratch0), w.value(1, scratch1)
	e.ToMask(amd64.VPCMPD, maskStep, high, amd64.R(groupSumHigh), 0, 0)
	e.ToMask(amd64.VPCMPD, maskStep, low, amd64.R(groupSum), 0, maskStep)
	if !w.g.Float {
		return
	}
	e.V(amd64.VPANDD, scratch2, high, e.constant(constAbs))
	e.ToMask(amd64.VPCMPUD, maskStep, scratch2, e.words(infinity), 2, maskStep)
	e.ToMask(amd64.VPCMPD, maskStep3, scratch2, e.words(infinity), 0, maskStep)
	e.ToMask(amd64.VPCMPD, maskStep3, low, e.words(0), 4, maskStep3)
	e.K(amd64.KXOR, maskStep, maskStep, maskStep3) // without NaNs
	e.V(amd64.VPORD, scratch2, high, amd64.R(groupSumHigh))
	e.V(amd64.VPANDD, scratch2, scratch2, e.constant(constAbs))
	e.V(amd64.VPORD, scratch2, scratch2, amd64.R(low))
	e.V(amd64.VPORD, scratch2, scratch2, amd64.R(groupSum))
	e.ToMask(amd64.VPCMPD, maskStep3, scratch2, e.words(0), 0, 0) // zeros
	e.K(amd64.KOR, maskStep, maskStep, maskStep3)
}

// shuffle sets groupSum to the operands of lanes of the subgroup, 0 for those that do not run or
// that there are not.
func (w *groupWriter) shuffle() {
	e := w.e
	if w.whole > 0 {
		e.VZ(amd64.VMOVDQU, groupSum, 0, amd64.R(w.value(0, scratch0)), maskStep2)
		return
	}
	e.VZ(amd64.VMOVDQU, scratch1, 0, amd64.R(w.value(0, scratch1)), maskStep2)
	from := w.value(1, scratch0)
	places := from
	if w.size < e.vectors.lanes {
		places = scratch2
		e.V(amd64.VPADDD, places, from, w.base())
	}
	if e.most[w.x.Args[1]] < uint32(w.size) {
		e.V(amd64.VPERMD, groupSum, places, amd64.R(scratch1))
		return
	}
	e.ToMask(amd64.VPCMPUD, maskStep3, from, e.words(uint32(w.size)), 1, 0)
	e.VZ(amd64.VPERMD, groupSum, places, amd64.R(scratch1), maskStep3)
}
