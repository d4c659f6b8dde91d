package native

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Rows of a subgroup operation in the frame: operand, the lanes that take part, what they have
// come to, results.
const (
	groupValue = iota
	groupHigh  // of pairs
	groupLanes
	groupSum
	groupResult
	groupRows
)

// groupWriter writes a subgroup operation, for a part of a strip.
type groupWriter struct {
	e    *emitter
	g    ir.Group
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
	if g.Kind == ir.GroupShuffle || g.Helpers {
		e.K(amd64.KMOV, maskStep2, 0, e.executes(in.M))
	} else {
		writing(e, in)
	}
	w := &groupWriter{e: e, g: g, size: e.sizeOf(g)}
	if w.size > e.vectors.lanes {
		w.whole, w.size = w.size, e.vectors.lanes
	}
	switch {
	case g.Kind == ir.GroupPartition && g.Word > 0:
		e.V(amd64.VPXORD, scratch0, scratch0, amd64.R(scratch0))
		e.put(x.Results[0], scratch0)
		return
	case g.Kind == ir.GroupPartition:
		w.partition(x)
		return
	case byLanes(g):
		w.rows = e.rows(foldRows)
		(&groupFold{*w, len(x.Results)}).write(x)
		return
	}
	w.rows = e.rows(groupRows)
	e.V(amd64.VPMOVM2D, scratch1, 0, amd64.KArg(maskStep2))
	w.keep(scratch1, groupLanes)
	if len(x.Args) > 0 {
		w.keep(e.in(e.arg(x.Args[0]), scratch0), groupValue)
	}
	if g.Wide {
		w.keep(e.in(e.arg(x.Args[1]), scratch0), groupHigh)
	}
	if w.whole > 0 && g.Kind != ir.GroupShuffle {
		w.begin()
	}
	switch g.Kind {
	case ir.GroupShuffle:
		if w.whole > 0 {
			w.load(scratch5, groupValue)
			e.V(amd64.VPANDD, scratch5, scratch5, w.row(groupLanes))
			break
		}
		w.shuffle(e.in(e.arg(x.Args[1]), scratch0))
	case ir.GroupReduce, ir.GroupInclusive, ir.GroupExclusive:
		w.scan()
	default:
		w.vote()
	}
	z := e.to(x.Results[0])
	e.move(z, scratch5)
	e.put(x.Results[0], z)
}

// row is one of the rows, keep stores it, and load loads it.
func (w *groupWriter) row(n int) amd64.Arg { return amd64.M(regFrame, w.rows+imageRow*n) }

func (w *groupWriter) keep(z amd64.Z, n int) { w.e.Mov1(amd64.VMOVDQUTo, z, w.row(n)) }

func (w *groupWriter) load(z amd64.Z, n int) { w.e.Mov1(amd64.VMOVDQU, z, w.row(n)) }

// table is a word for each lane behind the code.
func (w *groupWriter) table(key int64, word func(lane int) int) amd64.Arg {
	const groups = -1000 // no place in a program's table
	return w.e.behind(groups-key, func() []byte {
		var words []byte
		for lane := range ir.PlaceLanes {
			words = binary.LittleEndian.AppendUint32(words, uint32(word(lane)))
		}
		return words
	})
}

// lane are the lanes' numbers in their subgroup.
func (w *groupWriter) lane() amd64.Arg {
	return w.table(int64(w.size), func(lane int) int { return lane % w.size })
}

// bits are those of the lanes in their subgroup, and base the first lanes of subgroups.
func (w *groupWriter) bits() amd64.Arg {
	return w.table(64+int64(w.size), func(lane int) int { return 1 << (lane % w.size) })
}

func (w *groupWriter) base() amd64.Arg {
	return w.table(96+int64(w.size), func(lane int) int { return lane / w.size * w.size })
}

// spread sets d to the number of x in lane j of each subgroup.
func (w *groupWriter) spread(d, x amd64.Z, j int) {
	if w.size == 4 {
		w.e.VI(amd64.VPSHUFD, d, 0, amd64.R(x), j*0x55)
		return
	}
	key := int64(256 + 32*w.size + j)
	w.permute(d, x, w.table(key, func(lane int) int { return lane/w.size*w.size + j }))
}

// swap sets d to the numbers of x in the lanes at a distance.
func (w *groupWriter) swap(d, x amd64.Z, distance int) {
	if distance < 4 {
		w.e.VI(amd64.VPSHUFD, d, 0, amd64.R(x), [3]int{1: 0xB1, 2: 0x4E}[distance])
		return
	}
	w.permute(d, x, w.table(int64(128+distance), func(lane int) int { return lane ^ distance }))
}

func (w *groupWriter) permute(d, x amd64.Z, places amd64.Arg) {
	w.e.Mov1(amd64.VMOVDQU, d, places)
	w.e.V(amd64.VPERMD, d, d, amd64.R(x))
}

// all sets z to what all lanes of a subgroup come to. It takes scratch2.
func (w *groupWriter) all(by ir.Op, z amd64.Z) {
	for distance := 1; distance < w.size; distance *= 2 {
		w.swap(scratch2, z, distance)
		laneAMD64{w.e}.op(by, z, amd64.R(z), amd64.R(scratch2), amd64.Arg{})
	}
}

// first sets d to ones in the first of the lanes that take part. It takes scratch2 and scratch3.
func (w *groupWriter) first(d amd64.Z) {
	e := w.e
	w.load(d, groupLanes)
	e.V(amd64.VPANDD, d, d, w.bits())
	e.Mov1(amd64.VMOVDQU, scratch3, amd64.R(d))
	w.all(ir.OpOr, d)
	e.V(amd64.VPXORD, scratch2, scratch2, amd64.R(scratch2))
	e.V(amd64.VPSUBD, scratch2, scratch2, amd64.R(d))
	e.V(amd64.VPANDD, scratch2, scratch2, amd64.R(scratch3)) // its bit, if that is the lowest
	e.V(amd64.VPXORD, d, d, amd64.R(d))
	e.ToMask(amd64.VPCMPD, maskStep2, scratch2, amd64.R(d), 4, 0)
	e.V(amd64.VPMOVM2D, d, 0, amd64.KArg(maskStep2))
}

// vote sets scratch5 to the result of an operation that is no sum.
func (w *groupWriter) vote() {
	e := w.e
	z := scratch5
	switch w.g.Kind {
	case ir.GroupLane:
		e.Mov1(amd64.VMOVDQU, z, w.lane())
		if w.whole > 0 {
			w.position(scratch0, 0)
			e.V(amd64.VPADDD, z, z, amd64.R(scratch0))
		}
	case ir.GroupElect:
		w.first(z)
		if w.whole > 0 {
			w.unlessMet(z)
			w.meet()
		}
	case ir.GroupAny, ir.GroupAll:
		w.load(z, groupValue)
		e.V(amd64.VPANDD, z, z, w.row(groupLanes))
		if w.g.Kind == ir.GroupAny {
			w.any(z)
			return
		}
		e.V(amd64.VPXORD, z, z, w.row(groupLanes)) // where it does not hold
		w.any(z)
		e.V(amd64.VPXORD, z, z, e.constant(constOnes))
	case ir.GroupBallot:
		if w.g.Word > 0 && w.whole == 0 {
			e.V(amd64.VPXORD, z, z, amd64.R(z))
			return
		}
		w.load(z, groupValue)
		e.V(amd64.VPANDD, z, z, w.row(groupLanes))
		e.V(amd64.VPANDD, z, z, w.bits())
		if w.whole > 0 { // shifted by 32 and more, or less than 0, there is nothing left
			w.position(scratch0, -32*int(w.g.Word))
			e.V(amd64.VPSLLVD, z, z, amd64.R(scratch0))
		}
		w.any(z)
	case ir.GroupFirst:
		w.ofFirst(groupValue)
	case ir.GroupAllEqual:
		if w.g.Wide {
			w.equalWide()
			return
		}
		w.ofFirst(groupValue)
		w.load(scratch0, groupValue)
		if w.g.Float {
			e.ToMask(amd64.VCMPPS, maskStep2, scratch0, amd64.R(z), 4, 0)
		} else {
			e.ToMask(amd64.VPCMPD, maskStep2, scratch0, amd64.R(z), 4, 0)
		}
		e.V(amd64.VPMOVM2D, z, 0, amd64.KArg(maskStep2))
		e.V(amd64.VPANDD, z, z, w.row(groupLanes))
		w.any(z)
		e.V(amd64.VPXORD, z, z, e.constant(constOnes))
	}
}

// ofFirst sets scratch5 to what the first lane has in a row, 0 for none.
func (w *groupWriter) ofFirst(row int) {
	w.first(scratch5)
	w.e.V(amd64.VPANDD, scratch5, scratch5, w.row(row))
	w.all(ir.OpOr, scratch5)
	if w.whole > 0 {
		w.unlessMet(scratch5)
		w.e.V(amd64.VPORD, scratch5, scratch5, w.carried(carrySum))
		w.e.Mov1(amd64.VMOVDQUTo, scratch5, w.carried(carrySum))
		w.meet()
	}
}

// shuffle sets scratch5 to the operands of lanes of the subgroup, 0 for those that do not run or
// that there are not.
func (w *groupWriter) shuffle(lanes amd64.Z) {
	e := w.e
	e.ToMask(amd64.VPCMPUD, maskStep3, lanes, e.words(uint32(w.size)), 1, 0)
	e.V(amd64.VPADDD, scratch1, lanes, w.base())
	w.load(scratch5, groupValue)
	e.V(amd64.VPANDD, scratch5, scratch5, w.row(groupLanes))
	e.V(amd64.VPERMD, scratch5, scratch1, amd64.R(scratch5))
	e.VZ(amd64.VMOVDQU, scratch5, 0, amd64.R(scratch5), maskStep3)
}

// scan sets scratch5 to a reduction or scan.
func (w *groupWriter) scan() {
	e, op := w.e, groupOps[w.g.Arith]
	float := w.g.Arith >= ir.GroupFAdd
	identity := e.words(groupIdentities[w.g.Arith])
	if w.g.Kind == ir.GroupReduce && !float { // in any order
		w.load(scratch1, groupLanes)
		e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(scratch1))
		e.in(identity, scratch5)
		e.VK(amd64.VMOVDQU, scratch5, 0, w.row(groupValue), maskStep2)
		w.all(op, scratch5)
		if w.whole > 0 {
			e.Mov1(amd64.VMOVDQU, scratch0, w.carried(carrySum))
			w.sum(op, scratch5, scratch0)
			e.Mov1(amd64.VMOVDQUTo, scratch5, w.carried(carrySum))
		}
		return
	}
	if _, ok := groupNeutrals[w.g.Arith]; ok {
		w.sums()
		return
	}
	e.in(identity, scratch5)
	e.V(amd64.VPXORD, scratch4, scratch4, amd64.R(scratch4)) // where something was met
	if w.whole > 0 {
		e.Mov1(amd64.VMOVDQU, scratch5, w.carried(carrySum))
		e.Mov1(amd64.VMOVDQU, scratch4, w.carried(carryMet))
	}
	w.keep(scratch5, groupSum)
	for j := range w.size {
		if w.g.Kind == ir.GroupExclusive {
			w.lanesOf(j, scratch5)
		}
		w.load(scratch3, groupValue)
		w.spread(scratch0, scratch3, j)
		w.load(scratch5, groupSum)
		w.sum(op, scratch5, scratch0)
		w.load(scratch3, groupValue)
		w.spread(scratch0, scratch3, j)
		e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(scratch4))
		e.VK(amd64.VPBLENDMD, scratch5, scratch0, amd64.R(scratch5), maskStep2)
		w.load(scratch3, groupLanes)
		w.spread(scratch0, scratch3, j)
		e.V(amd64.VPORD, scratch4, scratch4, amd64.R(scratch0))
		e.V(amd64.VPMOVD2M, amd64.Z(maskStep2), 0, amd64.R(scratch0))
		w.load(scratch0, groupSum)
		e.VK(amd64.VPBLENDMD, scratch5, scratch0, amd64.R(scratch5), maskStep2)
		w.keep(scratch5, groupSum)
		if w.g.Kind == ir.GroupInclusive {
			w.lanesOf(j, scratch5)
		}
	}
	if w.whole > 0 {
		w.load(scratch5, groupSum)
		e.Mov1(amd64.VMOVDQUTo, scratch5, w.carried(carrySum))
		e.Mov1(amd64.VMOVDQUTo, scratch4, w.carried(carryMet))
	}
	if w.g.Kind != ir.GroupReduce {
		w.load(scratch5, groupResult)
	}
}

// sum writes an operation, which may take scratch1 to scratch3.
func (w *groupWriter) sum(op ir.Op, z, x amd64.Z) {
	w.e.floats = [2]floatFact{}
	w.e.Mov1(amd64.VMOVDQU, scratch3, amd64.R(x))
	laneAMD64{w.e}.op(op, z, amd64.R(z), amd64.R(scratch3), amd64.Arg{})
}

// lanesOf has the lanes j of subgroups get the present sum as their result.
func (w *groupWriter) lanesOf(j int, z amd64.Z) {
	e := w.e
	if j == 0 {
		w.load(z, groupSum)
		w.keep(z, groupResult)
		return
	}
	e.Mov1(amd64.VMOVDQU, scratch0, w.lane())
	e.ToMask(amd64.VPCMPD, maskStep2, scratch0, e.words(uint32(j)), 0, 0)
	w.load(z, groupResult)
	e.VK(amd64.VMOVDQU, z, 0, w.row(groupSum), maskStep2)
	w.keep(z, groupResult)
}
