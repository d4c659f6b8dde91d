package ir

import "math"

// Barrier says what OpBarrier orders.
type Barrier uint64

const (
	// BarrierWorkgroup: no lane of the workgroup goes on before all have come, with their stores.
	BarrierWorkgroup Barrier = iota
	// BarrierSubgroup: lanes of a subgroup that run the same code see what each other stored before. It may
	// stand where only some lanes come.
	BarrierSubgroup
	barriers
)

// GroupKind is the kind of a subgroup operation (OpGroup).
//
// Lanes g·size to g·size + size - 1 of a batch are subgroup g, where size is
// Program.SubgroupSize. Elections, votes, ballots and reductions count the
// lanes of the execution mask that are live: helpers take part in shuffles
// only, so that a store that an elected lane makes is never lost and a sum does
// not depend on which quads a primitive covers in part. A helper is told the
// result of the live lanes. With Group.Helpers, all lanes of the execution mask count
// as live.
type GroupKind uint8

const (
	GroupLane      GroupKind = iota // I32: the lane's index in its subgroup
	GroupElect                      // Bool: the first live lane
	GroupAll                        // Bool of Bool
	GroupAny                        // Bool of Bool
	GroupAllEqual                   // Bool: operands equal as bits, floats as numbers; several words are one value
	GroupBallot                     // I32 of Bool: word Word of the ballot
	GroupFirst                      // the operand of the first live lane
	GroupShuffle                    // operands value, lane: the value of that lane of the subgroup; 0 outside or where the lane is not in the execution mask
	GroupReduce                     // Arith over the live lanes of the cluster
	GroupInclusive                  // Arith over the live lanes up to this one
	GroupExclusive                  // Arith over the live lanes before this one
	GroupPartition                  // I32 of any words: word Word of the ballot of the live lanes with the same bits in all of them
	GroupProduct                    // rows of a product of matrices, see below
	groupKinds
	// Of engines alone. GroupLast is what the last lane of the subgroup has as its operand, live or
	// not: what an operation with Group.Running comes to.
	GroupLast = groupKinds
	// GroupTake is a shuffle that asks no lane whether it takes part, behind one with Group.Running.
	GroupTake = groupKinds + 1
	// GroupShow is its operands as they are, and then ones where the lane takes part. An operation on
	// parts of a subgroup, with Group.Running, reads of all lanes what that gave: its operands are
	// these results, and then ballots.
	GroupShow = groupKinds + 2
)

// GroupProduct is C + A·B with matrices whose elements lie over the lanes of a subgroup, row by row:
// element e is number e/size in lane e%size. C and the result have ProductColumns columns, and as
// few rows as fill whole numbers: one, or more where the subgroup has more lanes. A has the same
// rows of Depth columns, B has Depth rows. Operands are the numbers of A, of B, of C, as many as
// Product says; results are those of C. Each element begins with that of C, and the products are
// added to it from column 0 of A upwards: for GroupFAdd with one rounding each (fused), for
// GroupIAdd modulo 2³². Elements of A and B in lanes outside of the execution mask count as 0.

// ProductColumns is how many columns C and B of GroupProduct have, and MaxProductDepth bounds Depth.
const (
	ProductColumns  = 16
	MaxProductDepth = 32
)

// ProductShape says how many rows a GroupProduct computes, and how many numbers a lane has of each
// matrix.
type ProductShape struct{ Rows, A, B, C int }

// Product is the shape of a GroupProduct in subgroups of a size.
func (g Group) Product(size uint32) ProductShape {
	size = max(size, 1)
	rows, depth := max(size/ProductColumns, 1), uint32(g.Depth)
	return ProductShape{
		int(rows), int(rows * depth / size), int(depth * ProductColumns / size), int(rows * ProductColumns / size),
	}
}

// product verifies a GroupProduct.
func (v *verifier) product(at Value, in *Inst, g Group) {
	t, depth := I32, g.Depth
	if g.Arith == GroupFAdd {
		t = F32
	}
	if g.Arith != GroupFAdd && g.Arith != GroupIAdd || in.Type != t || g.Wide || g.Float && t != F32 || g.Word != 0 || g.Cluster != 0 ||
		depth < ProductColumns || depth > MaxProductDepth || depth&(depth-1) != 0 {
		v.fail(at, "a product that does not exist")
		return
	}
	s := g.Product(v.p.SubgroupSize)
	if n := s.A + s.B + s.C; s.A == 0 || s.B == 0 || len(in.More) != n {
		v.fail(at, "a product with %d operands, which takes %d", len(in.More), n)
		return
	}
	for _, a := range in.More {
		v.operand(at, a, t)
	}
}

// GroupArith is the operation of a reduction or scan. Lanes are taken in
// ascending order, one rounding a step.
type GroupArith uint8

const (
	GroupIAdd GroupArith = iota
	GroupIMul
	GroupSMin
	GroupUMin
	GroupSMax
	GroupUMax
	GroupAnd // also Bool
	GroupOr  // also Bool
	GroupXor // also Bool
	GroupFAdd
	GroupFMul
	GroupFMin
	GroupFMax
	groupAriths
)

// groupIdentities are of words and of pairs; the others are 0.
var groupIdentities = [groupAriths][2]uint64{
	GroupIMul: {1, 1}, GroupAnd: {math.MaxUint32, math.MaxUint64},
	GroupSMin: {math.MaxInt32, math.MaxInt64}, GroupSMax: {1 << 31, 1 << 63},
	GroupUMin: {math.MaxUint32, math.MaxUint64}, GroupFMul: {0x3F800000, 0x3FF << 52},
	GroupFMin: {0x7F800000, 0x7FF << 52}, GroupFMax: {0xFF800000, 0xFFF << 52},
}

// Identity is what scans of words begin with, which an exclusive one gives the first lane, and
// WideIdentity that of pairs.
func (a GroupArith) Identity() uint32     { return uint32(groupIdentities[a][0]) }
func (a GroupArith) WideIdentity() uint64 { return groupIdentities[a][1] }

// Group is the immediate of OpGroup.
type Group struct {
	Kind  GroupKind
	Arith GroupArith
	// Wide says that the value is 64 bits, two words, and so is the result.
	Wide bool
	// Float says that GroupAllEqual compares floats, or that each product of a GroupProduct of floats is
	// exact, so that it makes no difference whether it is rounded.
	Float bool
	// Word is the word of a ballot: 0 to 3.
	Word uint8
	// Cluster is the size of the groups that GroupReduce works on, a power of
	// two; 0 for the whole subgroup.
	Cluster uint8
	// Partitioned says that four more operands, a ballot, tell each lane the
	// lanes of its group.
	Partitioned bool
	// Helpers says that helpers take part like others.
	Helpers bool
	// Running, of engines alone, says that only the last lane of a subgroup is asked for its result,
	// so that others may have what it comes to up to them; of a shuffle that each lane gets its own
	// value, 0 where it takes no part.
	Running bool
	// Depth is how many products GroupProduct sums up.
	Depth uint8
}

// MaxSubgroupSize bounds Program.SubgroupSize: a ballot has 128 bits.
const MaxSubgroupSize = 128

// Imm packs g.
func (g Group) Imm() uint64 {
	imm := uint64(g.Kind) | uint64(g.Arith)<<8 | uint64(g.Word)<<16 | uint64(g.Cluster)<<24
	if g.Wide {
		imm |= 1 << 32
	}
	if g.Float {
		imm |= 1 << 33
	}
	if g.Partitioned {
		imm |= 1 << 34
	}
	if g.Helpers {
		imm |= 1 << 35
	}
	if g.Running {
		imm |= 1 << 36
	}
	return imm | uint64(g.Depth)<<40
}

// GroupOf unpacks the immediate of OpGroup.
func GroupOf(imm uint64) Group {
	return Group{Kind: GroupKind(imm), Arith: GroupArith(imm >> 8), Word: uint8(imm >> 16), Cluster: uint8(imm >> 24), Wide: imm>>32&1 != 0, Float: imm>>33&1 != 0,
		Partitioned: imm>>34&1 != 0, Helpers: imm>>35&1 != 0,
		Running: imm>>36&1 != 0, Depth: uint8(imm >> 40)}
}

// scans tells of the kinds that have an Arith.
func (g Group) scans() bool { return g.Kind >= GroupReduce && g.Kind <= GroupExclusive }

// BallotWords is the number of words of a ballot.
const BallotWords = MaxSubgroupSize / 32

// operands is the number of operands of g, -1 for any, and results that of its
// results.
func (g Group) operands() int {
	words := 1
	if g.Wide {
		words = 2
	}
	switch g.Kind {
	case GroupLane, GroupElect:
		return 0
	case GroupShuffle:
		return 2
	case GroupAll, GroupAny, GroupBallot, GroupFirst:
		return 1
	case GroupReduce, GroupInclusive, GroupExclusive:
		if g.Partitioned {
			words += BallotWords
		}
		return words
	case GroupAllEqual:
		return words
	case GroupPartition, GroupProduct:
		return -1
	}
	return 0
}

func (g Group) results(size uint32) int {
	switch {
	case g.Wide && g.scans():
		return 2
	case g.Kind == GroupProduct:
		return g.Product(size).C
	}
	return 1
}

func (v *verifier) group(at Value, in *Inst) {
	g := GroupOf(in.Imm)
	if g.Kind >= groupKinds || g.Arith >= groupAriths || g.Word > 3 || g.Imm() != in.Imm || g.Cluster&(g.Cluster-1) != 0 || g.Partitioned && !g.scans() || g.Depth != 0 && g.Kind != GroupProduct {
		v.fail(at, "subgroup operation %#x does not exist", in.Imm)
		return
	}
	if n := v.p.SubgroupSize; n == 0 || n > MaxSubgroupSize || n&(n-1) != 0 {
		v.fail(at, "a subgroup operation in a program with subgroups of %d", n)
		return
	}
	if g.Kind == GroupProduct {
		v.product(at, in, g)
		return
	}
	n := g.operands()
	if n >= 0 && len(in.More) != n {
		v.fail(at, "a subgroup operation with %d operands, which takes %d", len(in.More), n)
		return
	}
	args := make([]Type, max(2, len(in.More))) // Void: any
	result := in.Type
	want := func(types ...Type) { copy(args, types) }
	switch g.Kind {
	case GroupLane:
		result = I32
	case GroupElect:
		result = Bool
	case GroupAll, GroupAny:
		result = Bool
		want(Bool)
	case GroupBallot:
		result = I32
		want(Bool)
	case GroupAllEqual:
		result = Bool
		switch {
		case g.Wide:
			want(I32, I32)
		case g.Float:
			want(F32)
		}
	case GroupFirst:
		want(in.Type)
	case GroupShuffle:
		want(in.Type, I32)
	case GroupPartition:
		result = I32
	default:
		for i := range args {
			args[i] = I32 // the ballot
		}
		switch {
		case g.Wide:
			result = I32
			want(I32, I32)
		case g.Arith >= GroupFAdd:
			result = F32
			want(F32)
		case in.Type == Bool && g.Arith >= GroupAnd:
			want(Bool)
		default:
			result = I32
			want(I32)
		}
	}
	if result != in.Type || result == Void {
		v.fail(at, "a subgroup operation cannot give %s", in.Type)
	}
	for i, a := range in.More {
		v.operand(at, a, args[i])
	}
}
