package lower

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// DefaultSubgroupSize is what shaders take for the number of invocations of a subgroup,
// unless a compute, task or mesh shader asks for another with Options.SubgroupSize.
// Programs for GPUs divide by it, and many think that there are 8 at least.
const DefaultSubgroupSize = 8

// MinSubgroupSize is the least that they may ask for, and how many invocations a
// subgroup has at most in other stages: the quad. It belongs to one primitive and is shaded
// as a whole, whatever batch, tile or worker it falls to, so results in fragment shaders
// depend on nothing else; and 4 divides every batch. In the stages before rasterization
// invocations are numbered within a chunk of the draw, whose bounds are the draw's
// alone. Vulkan lets subgroups of graphics stages be part empty.
const MinSubgroupSize = 4

// useSubgroups notes that the program depends on subgroups and returns their
// size: how many invocations there are room for.
func (c *compiler) useSubgroups() uint32 {
	size := c.opt.subgroupSize()
	if size&(size-1) != 0 || size < MinSubgroupSize || size > ir.MaxSubgroupSize {
		c.fail("subgroups of %d invocations: the size must be a power of two from %d to %d",
			size, MinSubgroupSize, ir.MaxSubgroupSize)
	}
	c.p.SubgroupSize = size
	switch c.p.Stage {
	case ir.StageCompute, ir.StageTask, ir.StageMesh:
		return size
	case ir.StageFragment:
		c.p.UsesDerivatives = true // whole quads
	case ir.StageVertex, ir.StageControl, ir.StageEvaluation, ir.StageGeometry:
	default:
		c.fail("unsupported: subgroup operations in this stage; this stage has none")
	}
	if size != DefaultSubgroupSize {
		c.fail("subgroups of %d invocations in a shader of a graphics stage, which has %d",
			size, DefaultSubgroupSize)
	}
	c.p.SubgroupSize = MinSubgroupSize
	return size
}

func (c *compiler) group(g ir.Group, t ir.Type, args ...ir.Value) ir.Value {
	c.useSubgroups()
	g.Helpers = c.helpers
	return c.b.OpMore(ir.OpGroup, t, g.Imm(), args)
}

// subgroupLane is SubgroupLocalInvocationId.
func (c *compiler) subgroupLane() ir.Value { return c.group(ir.Group{Kind: ir.GroupLane}, ir.I32) }

// below is word k of the mask of the invocations before x.
func (c *compiler) below(x ir.Value, k uint32) ir.Value {
	b := c.b
	n := b.Op(ir.OpISub, ir.I32, x, b.I32(32*k))
	n = b.Op(ir.OpSMin, ir.I32, b.Op(ir.OpSMax, ir.I32, n, b.I32(0)), b.I32(32))
	return b.Op(ir.OpBitFieldMask, ir.I32, b.I32(0), n)
}

// subgroupMask is word k of one of the mask built-ins.
func (c *compiler) subgroupMask(which spirv.BuiltIn, k uint32) ir.Value {
	b := c.b
	size := c.useSubgroups()
	lane := c.subgroupLane()
	lt := c.below(lane, k)
	le := c.below(b.Op(ir.OpIAdd, ir.I32, lane, b.I32(1)), k)
	all := c.below(b.I32(size), k)
	without := func(x, y ir.Value) ir.Value {
		return b.Op(ir.OpAnd, ir.I32, x, b.Op(ir.OpNot, ir.I32, y))
	}
	switch which {
	case spirv.BuiltInSubgroupEqMask:
		return without(le, lt)
	case spirv.BuiltInSubgroupGeMask:
		return without(all, lt)
	case spirv.BuiltInSubgroupGtMask:
		return without(all, le)
	case spirv.BuiltInSubgroupLeMask:
		return le
	default:
		return lt
	}
}

// computedBuiltIn returns the function that computes component k of a built-in
// which is no interface slot, nil for others.
func (c *compiler) computedBuiltIn(which spirv.BuiltIn) func(k uint32) ir.Value {
	b := c.b
	if f := c.coordinateAMD(which); f != nil {
		return f
	}
	if which == spirv.BuiltInViewIndex && c.opt.DeviceViews {
		which = spirv.BuiltInDeviceIndex
	}
	switch which {
	case spirv.BuiltInHelperInvocation:
		if c.p.Stage != ir.StageFragment {
			return nil
		}
		return func(uint32) ir.Value { return b.Op(ir.OpIsHelper, ir.Bool) }
	case spirv.BuiltInDeviceIndex:
		return func(uint32) ir.Value { return b.I32(0) }
	case spirv.BuiltInSubgroupSize:
		return func(uint32) ir.Value { return b.I32(c.useSubgroups()) }
	case spirv.BuiltInSubgroupLocalInvocationId:
		return func(uint32) ir.Value { return c.subgroupLane() }
	case spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask:
		return func(k uint32) ir.Value { return c.subgroupMask(which, k) }
	}
	if !c.workgroups() {
		return nil
	}
	switch which {
	case spirv.BuiltInNumSubgroups:
		return func(uint32) ir.Value {
			size := c.useSubgroups()
			n := c.p.LocalSize
			return b.I32((n[0]*n[1]*n[2] + size - 1) / size)
		}
	case spirv.BuiltInSubgroupId:
		return func(uint32) ir.Value {
			size := c.useSubgroups()
			index := c.laneOf(c.invocationIndex())
			return b.Op(ir.OpShrU, ir.I32, index, b.I32(uint32(bits.TrailingZeros32(size))))
		}
	}
	return nil
}

// invocationIndex is LocalInvocationIndex.
func (c *compiler) invocationIndex() ir.Value {
	if c.index == ir.NoValue {
		s := inputSlot{io: ir.IO{Builtin: ir.BuiltinLocalInvocationIndex, Type: ir.I32, Interp: ir.Flat}, index: -1}
		c.b.Prelude(func() { c.index = c.b.OpImm(ir.OpInput, ir.I32, uint64(c.slot(&s))) })
	}
	return c.index
}

// laneOf is the lane of the invocation with a LocalInvocationIndex.
//
// IMG-405
func (c *compiler) laneOf(index ir.Value) ir.Value {
	if c.p.Quads != ir.SquareQuads {
		return index
	}
	b := c.b
	op := func(op ir.Op, x ir.Value, k uint32) ir.Value { return b.Op(op, ir.I32, x, b.I32(k)) }
	add := func(x, y ir.Value) ir.Value { return b.Op(ir.OpIAdd, ir.I32, x, y) }
	w, h := c.p.LocalSize[0], c.p.LocalSize[1]
	x, row := op(ir.OpURem, index, w), op(ir.OpUDiv, index, w)
	y, z := op(ir.OpURem, row, h), op(ir.OpUDiv, row, h)
	quad := add(add(op(ir.OpShrU, x, 1), op(ir.OpIMul, op(ir.OpShrU, y, 1), w/2)), op(ir.OpIMul, z, w*h/4))
	in := add(op(ir.OpAnd, x, 1), op(ir.OpShl, op(ir.OpAnd, y, 1), 1))
	return add(op(ir.OpShl, quad, 2), in)
}

// groupOp lowers the GroupNonUniform instructions. The first operand is the
// scope, which Vulkan demands to be Subgroup.
func (c *compiler) groupOp(in *spirv.Inst) {
	if in.Op == spirv.OpGroupNonUniformQuadAnyKHR || in.Op == spirv.OpGroupNonUniformQuadAllKHR {
		c.quadVote(in)
		return
	}
	if op, ok := withoutScope[in.Op]; ok {
		like := *in
		like.Op, like.Operands = op, append([]uint32{0}, in.Operands...)
		in = &like
	} else if c.constScalar(in.ID(0)) != 3 {
		c.fail("a group operation whose scope is not Subgroup")
	}
	b := c.b
	size := c.useSubgroups()
	one := func(v ir.Value) { c.setScalars([]ir.Value{v}) }
	switch in.Op {
	case spirv.OpGroupNonUniformElect:
		one(c.group(ir.Group{Kind: ir.GroupElect}, ir.Bool))
	case spirv.OpGroupNonUniformAll:
		one(c.group(ir.Group{Kind: ir.GroupAll}, ir.Bool, c.scalar(in.ID(1))))
	case spirv.OpGroupNonUniformAny:
		one(c.group(ir.Group{Kind: ir.GroupAny}, ir.Bool, c.scalar(in.ID(1))))
	case spirv.OpGroupNonUniformAllEqual:
		one(c.allEqual(in.ID(1)))
	case spirv.OpGroupNonUniformBroadcastFirst:
		var out []ir.Value
		for _, v := range c.scalars(in.ID(1), -1) {
			out = append(out, c.group(ir.Group{Kind: ir.GroupFirst}, c.p.Insts[v].Type, v))
		}
		c.setScalars(out)
	case spirv.OpGroupNonUniformBallot:
		v := c.scalar(in.ID(1))
		var out []ir.Value
		for k := range uint32(4) {
			w := b.I32(0)
			if 32*k < size {
				w = c.group(ir.Group{Kind: ir.GroupBallot, Word: uint8(k)}, ir.I32, v)
			}
			out = append(out, w)
		}
		c.setScalars(out)
	case spirv.OpGroupNonUniformInverseBallot:
		one(c.ballotBit(c.typed(in.ID(1), 4, ir.I32), c.subgroupLane()))
	case spirv.OpGroupNonUniformBallotBitExtract:
		one(c.ballotBit(c.typed(in.ID(1), 4, ir.I32), c.intScalar(in.ID(2))))
	case spirv.OpGroupNonUniformBallotBitCount, spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		c.ballotCount(in, size)
	case spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformShuffle:
		c.shuffle(in.ID(1), c.intScalar(in.ID(2)))
	case spirv.OpGroupNonUniformShuffleXor:
		c.shuffle(in.ID(1), b.Op(ir.OpXor, ir.I32, c.subgroupLane(), c.intScalar(in.ID(2))))
	case spirv.OpGroupNonUniformShuffleUp:
		c.shuffle(in.ID(1), b.Op(ir.OpISub, ir.I32, c.subgroupLane(), c.intScalar(in.ID(2))))
	case spirv.OpGroupNonUniformShuffleDown:
		c.shuffle(in.ID(1), b.Op(ir.OpIAdd, ir.I32, c.subgroupLane(), c.intScalar(in.ID(2))))
	case spirv.OpGroupNonUniformRotateKHR:
		cluster := c.p.SubgroupSize
		if in.ID(3) != 0 {
			cluster = min(c.clusterSize(in.ID(3)), cluster)
		}
		lane := c.subgroupLane()
		mask := b.I32(cluster - 1)
		turned := b.Op(ir.OpAnd, ir.I32, b.Op(ir.OpIAdd, ir.I32, lane, c.intScalar(in.ID(2))), mask)
		base := b.Op(ir.OpAnd, ir.I32, lane, b.I32(^(cluster - 1)))
		c.shuffle(in.ID(1), b.Op(ir.OpOr, ir.I32, base, turned))
	case spirv.OpGroupNonUniformQuadBroadcast:
		base := b.Op(ir.OpAnd, ir.I32, c.subgroupLane(), b.I32(^uint32(3)))
		k := b.Op(ir.OpAnd, ir.I32, c.intScalar(in.ID(2)), b.I32(3))
		c.shuffle(in.ID(1), b.Op(ir.OpOr, ir.I32, base, k))
	case spirv.OpGroupNonUniformQuadSwap: // direction: 0 horizontal, 1 vertical, 2 diagonal
		k := c.constScalar(in.ID(2))
		if k > 2 {
			c.fail("quad swap direction %d", k)
		}
		c.shuffle(in.ID(1), b.Op(ir.OpXor, ir.I32, c.subgroupLane(), b.I32(k+1)))
	case spirv.OpGroupNonUniformPartitionEXT:
		s := c.scalars(in.ID(1), -1)
		var out []ir.Value
		for k := range uint32(4) {
			w := b.I32(0)
			if 32*k < size {
				w = c.group(ir.Group{Kind: ir.GroupPartition, Word: uint8(k)}, ir.I32, s...)
			}
			out = append(out, w)
		}
		c.setScalars(out)
	default:
		c.groupArithmetic(in)
	}
}

// quadVote lowers OpGroupNonUniformQuadAnyKHR and OpGroupNonUniformQuadAllKHR.
// Helpers have a say, which they haven't in the votes of a subgroup.
func (c *compiler) quadVote(in *spirv.Inst) {
	b := c.b
	c.useSubgroups()
	v := c.scalar(in.ID(0))
	all := in.Op == spirv.OpGroupNonUniformQuadAllKHR
	if all {
		v = b.Op(ir.OpNot, ir.Bool, v)
	}
	v = b.Op(ir.OpSelect, ir.I32, v, b.I32(1), b.I32(0))
	base := b.Op(ir.OpAnd, ir.I32, c.subgroupLane(), b.I32(^uint32(3)))
	some := b.I32(0)
	for k := range uint32(4) { // 0 where the lane is not there
		x := c.group(ir.Group{Kind: ir.GroupShuffle}, ir.I32, v, b.Op(ir.OpOr, ir.I32, base, b.I32(k)))
		some = b.Op(ir.OpOr, ir.I32, some, x)
	}
	test := ir.OpINe
	if all {
		test = ir.OpIEq
	}
	c.setScalars([]ir.Value{b.Op(test, ir.Bool, some, b.I32(0))})
}

// shuffle reads value from the invocation at index, word by word.
func (c *compiler) shuffle(value spirv.ID, index ir.Value) {
	var out []ir.Value
	for _, v := range c.scalars(value, -1) {
		out = append(out, c.group(ir.Group{Kind: ir.GroupShuffle}, c.p.Insts[v].Type, v, index))
	}
	c.setScalars(out)
}

func (c *compiler) allEqual(id spirv.ID) ir.Value {
	s, n := c.scalars(id, -1), perComponent(c.typ(c.m.Def(id).Type))
	g := ir.Group{Kind: ir.GroupAllEqual, Wide: n == 2, Float: c.elemOf(id).Kind == spirv.KindFloat}
	all := ir.NoValue
	for i := 0; i < len(s); i += n {
		v := c.group(g, ir.Bool, s[i:i+n]...)
		if all != ir.NoValue {
			v = c.b.Op(ir.OpAnd, ir.Bool, all, v)
		}
		all = v
	}
	return all
}

// ballotBit is bit index of a ballot.
func (c *compiler) ballotBit(words []ir.Value, index ir.Value) ir.Value {
	b := c.b
	word := b.Op(ir.OpShrU, ir.I32, index, b.I32(5))
	w := words[3]
	for k := 2; k >= 0; k-- {
		w = b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpIEq, ir.Bool, word, b.I32(uint32(k))), words[k], w)
	}
	bit := b.Op(ir.OpAnd, ir.I32, b.Op(ir.OpShrU, ir.I32, w, index), b.I32(1))
	return b.Op(ir.OpINe, ir.Bool, bit, b.I32(0))
}

// ballotCount lowers the counts and searches, which look at the bits of the
// subgroup's invocations only.
func (c *compiler) ballotCount(in *spirv.Inst, size uint32) {
	b := c.b
	at, mask := 1, spirv.BuiltIn(0)
	if in.Op == spirv.OpGroupNonUniformBallotBitCount {
		at = 2
		switch in.Operands[1] {
		case groupReduce:
		case groupInclusive:
			mask = spirv.BuiltInSubgroupLeMask
		case groupExclusive:
			mask = spirv.BuiltInSubgroupLtMask
		default:
			c.fail("group operation %d of a bit count", in.Operands[1])
		}
	}
	words := c.typed(in.ID(at), 4, ir.I32)
	r := ir.NoValue
	for k := range (size + 31) / 32 {
		w := b.Op(ir.OpAnd, ir.I32, words[k], c.below(b.I32(size), k))
		if mask != 0 {
			w = b.Op(ir.OpAnd, ir.I32, w, c.subgroupMask(mask, k))
		}
		switch in.Op {
		case spirv.OpGroupNonUniformBallotBitCount:
			n := b.Op(ir.OpBitCount, ir.I32, w)
			if r != ir.NoValue {
				n = b.Op(ir.OpIAdd, ir.I32, r, n)
			}
			r = n
		case spirv.OpGroupNonUniformBallotFindLSB:
			n := b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpFindLSB, ir.I32, w), b.I32(32*k))
			if r != ir.NoValue { // an earlier word comes first
				n = b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpIEq, ir.Bool, r, b.I32(noBit)), b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpIEq, ir.Bool, w, b.I32(0)), b.I32(noBit), n), r)
			}
			r = n
		default:
			n := b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpFindUMSB, ir.I32, w), b.I32(32*k))
			if r != ir.NoValue { // a later word comes first
				n = b.Op(ir.OpSelect, ir.I32, b.Op(ir.OpIEq, ir.Bool, w, b.I32(0)), r, n)
			}
			r = n
		}
	}
	c.setScalars([]ir.Value{r})
}

// noBit is what a search in an empty ballot gives.
const noBit = ^uint32(0)

// Group operations of SPIR-V.
const (
	groupReduce = iota
	groupInclusive
	groupExclusive
	groupClustered
	groupPartitionedReduce    = 6
	groupPartitionedInclusive = 7
	groupPartitionedExclusive = 8
)

func (c *compiler) clusterSize(id spirv.ID) uint32 {
	n := c.constScalar(id)
	if n == 0 || n&(n-1) != 0 {
		c.fail("clusters of %d invocations", n)
	}
	return n
}

// groupArithmetic lowers reductions and scans.
func (c *compiler) groupArithmetic(in *spirv.Inst) {
	arith, signed, ok := groupArith(in.Op)
	if !ok {
		c.fail("unsupported instruction %v", in.Op)
	}
	g := ir.Group{Arith: arith}
	switch in.Operands[1] {
	case groupReduce:
		g.Kind = ir.GroupReduce
	case groupInclusive:
		g.Kind = ir.GroupInclusive
	case groupExclusive:
		g.Kind = ir.GroupExclusive
	case groupClustered:
		g.Kind, g.Cluster = ir.GroupReduce, uint8(min(c.clusterSize(in.ID(3)), c.p.SubgroupSize))
	case groupPartitionedReduce, groupPartitionedInclusive, groupPartitionedExclusive:
		g.Kind = ir.GroupReduce + ir.GroupKind(in.Operands[1]-groupPartitionedReduce)
		g.Partitioned = true
	default:
		c.fail("unsupported group operation %d", in.Operands[1])
	}
	b := c.b
	var ballot []ir.Value
	if g.Partitioned {
		ballot = c.typed(in.ID(3), 4, ir.I32)
	}
	t := elem(c.typ(in.Type))
	s := c.scalars(in.ID(2), len(c.flat(c.typ(in.Type))))
	n := perComponent(t)
	g.Wide = n == 2
	var out []ir.Value
	for i := 0; i < len(s); i += n {
		if g.Wide {
			lo := c.group(g, ir.I32, append(s[i:i+2:i+2], ballot...)...)
			r := c.flush(c.pair(lo, b.OpImm(ir.OpResult, ir.I32, 1, lo)), t)
			out = append(out, c.words(r)...)
			continue
		}
		v := s[i]
		// Minimum and maximum of narrow integers are taken in the high bits,
		// so that identities fit.
		minmax := arith >= ir.GroupSMin && arith <= ir.GroupUMax && isNarrowInt(t)
		if minmax {
			v = b.Op(ir.OpShl, ir.I32, v, b.I32(32-t.Width))
		}
		v = c.group(g, c.p.Insts[v].Type, append([]ir.Value{v}, ballot...)...)
		if minmax {
			shift := ir.OpShrU
			if signed {
				shift = ir.OpShrS
			}
			v = b.Op(shift, ir.I32, v, b.I32(32-t.Width))
		}
		out = append(out, c.fit(v, t))
	}
	c.setScalars(out)
}

func groupArith(op spirv.Op) (a ir.GroupArith, signed, ok bool) {
	switch op {
	case spirv.OpGroupNonUniformIAdd:
		return ir.GroupIAdd, false, true
	case spirv.OpGroupNonUniformFAdd:
		return ir.GroupFAdd, false, true
	case spirv.OpGroupNonUniformIMul:
		return ir.GroupIMul, false, true
	case spirv.OpGroupNonUniformFMul:
		return ir.GroupFMul, false, true
	case spirv.OpGroupNonUniformSMin:
		return ir.GroupSMin, true, true
	case spirv.OpGroupNonUniformUMin:
		return ir.GroupUMin, false, true
	case spirv.OpGroupNonUniformFMin:
		return ir.GroupFMin, false, true
	case spirv.OpGroupNonUniformSMax:
		return ir.GroupSMax, true, true
	case spirv.OpGroupNonUniformUMax:
		return ir.GroupUMax, false, true
	case spirv.OpGroupNonUniformFMax:
		return ir.GroupFMax, false, true
	case spirv.OpGroupNonUniformBitwiseAnd, spirv.OpGroupNonUniformLogicalAnd:
		return ir.GroupAnd, false, true
	case spirv.OpGroupNonUniformBitwiseOr, spirv.OpGroupNonUniformLogicalOr:
		return ir.GroupOr, false, true
	case spirv.OpGroupNonUniformBitwiseXor, spirv.OpGroupNonUniformLogicalXor:
		return ir.GroupXor, false, true
	default:
		return 0, false, false
	}
}

// withoutScope are the instructions of SPV_KHR_shader_ballot and
// SPV_KHR_subgroup_vote, whose scope is always Subgroup, and those that came
// after them.
var withoutScope = map[spirv.Op]spirv.Op{
	spirv.OpSubgroupBallotKHR:          spirv.OpGroupNonUniformBallot,
	spirv.OpSubgroupFirstInvocationKHR: spirv.OpGroupNonUniformBroadcastFirst,
	spirv.OpSubgroupAllKHR:             spirv.OpGroupNonUniformAll,
	spirv.OpSubgroupAnyKHR:             spirv.OpGroupNonUniformAny,
	spirv.OpSubgroupAllEqualKHR:        spirv.OpGroupNonUniformAllEqual,
	spirv.OpSubgroupReadInvocationKHR:  spirv.OpGroupNonUniformBroadcast,
	// Partitions have no scope either.
	spirv.OpGroupNonUniformPartitionEXT: spirv.OpGroupNonUniformPartitionEXT,
}

// isGroupOp reports whether an instruction is one of groupOp's.
func isGroupOp(op spirv.Op) bool {
	return op >= spirv.OpGroupNonUniformElect && op <= spirv.OpGroupNonUniformQuadSwap || op == spirv.OpGroupNonUniformRotateKHR ||
		op == spirv.OpGroupNonUniformQuadAnyKHR || op == spirv.OpGroupNonUniformQuadAllKHR ||
		withoutScope[op] != 0
}
