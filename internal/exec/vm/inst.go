package vm

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// inst compiles one instruction that is neither break nor continue.
func (c *compiler) inst(v ir.Value, in *ir.Inst) {
	c.value = v
	if c.single {
		c.alone(v, in)
		return
	}
	c.instruction(v, in)
}

// instruction is inst for an operation of all lanes.
func (c *compiler) instruction(v ir.Value, in *ir.Inst) {
	f := &c.facts
	if f.uniform[v] && in.Op != ir.OpConst {
		ok := true
		in.Operands(func(a *ir.Value) { ok = ok && f.uniform[*a] })
		if !ok {
			c.fail(v, "marked uniform with an operand that is not")
			return
		}
	}
	a := in.Args
	switch in.Op {
	case ir.OpNop, ir.OpConst:
	case ir.OpBarrier:
		whole := ir.Barrier(in.Imm) == ir.BarrierSubgroup && c.r.vectors.HoldsSubgroups(c.p)
		if !c.single && !whole {
			c.emit(instr{kind: kindBarrier})
		}
	case ir.OpInput:
		c.reg[v] = int32(in.Imm)
	case ir.OpOutput:
		if c.p.AnyNaN {
			c.emit(instr{kind: native.KindOutput, a: c.vector(a[0]), c: int32(in.Imm)})
		} else if c.uniform(a[0]) {
			c.emit(instr{kind: native.KindOutputU, a: c.visibleScalar(a[0]), c: int32(in.Imm)})
		} else {
			c.emit(instr{kind: native.KindOutput, a: c.visible(a[0]), c: int32(in.Imm)})
		}
	case ir.OpVarGet:
		c.varGet(v, in)
	case ir.OpVarSet:
		c.varSet(v, in)
	case ir.OpResult:
		rs := c.results[a[0]]
		if int(in.Imm) >= len(rs) {
			c.fail(v, "a result that the instruction does not have")
			return
		}
		c.reg[v] = rs[in.Imm]
	case ir.OpDdxFine, ir.OpDdyFine, ir.OpDdxCoarse, ir.OpDdyCoarse:
		c.lanewise(v, instr{kind: native.KindDerivative, op: in.Op, a: c.vector(a[0])})
	case ir.OpInterpolateAt:
		c.interpolate(v, in)
	case ir.OpIsHelper:
		c.lanewise(v, instr{kind: native.KindIsHelper})
	case ir.OpDemote:
		c.r.demotes = true
		c.emit(instr{kind: native.KindDemote})
	case ir.OpLoadBuffer, ir.OpStoreBuffer, ir.OpBufferSize, ir.OpAtomicBuffer, ir.OpLoadPush, ir.OpLoadTable, ir.OpLoadShared, ir.OpStoreShared, ir.OpAtomicShared,
		ir.OpLoadPrivate, ir.OpStorePrivate, ir.OpImage:
		c.memory(v, in)
	case ir.OpLoadVertex:
		c.lanewise(v, instr{kind: kindLoadVertex, imm: int64(in.Imm), a: c.vector(a[0])})
	case ir.OpEmit:
		c.emit(instr{kind: kindEmit, imm: int64(in.Imm), a: c.vector(a[0]), b: c.visible(a[1])})
	case ir.OpGroup:
		c.group(v, in)
	case ir.OpWide:
		c.wide(v, in)
	case ir.OpBlock:
		c.blockInst(v, in)
	case ir.OpLoadMem:
		if c.uniform(v) && canBeUniform(c.p, in) {
			c.reg[v] = c.scalar()
			c.emit(instr{kind: native.KindLoadMemU, imm: int64(in.Imm), a: c.reg[in.More[1]], b: c.reg[in.More[0]],
				d: c.reg[v]})
			return
		}
		c.listed(native.KindLoadMem, v, in)
	case ir.OpStoreMem:
		if m := ir.MemOf(in.Imm); m.Space == ir.MemBuffer && c.uniform(in.More[0]) &&
			c.uniform(in.More[1]) && c.uniform(in.More[2]) {
			c.emit(instr{kind: native.KindStoreMemU, imm: int64(in.Imm), a: c.reg[in.More[1]], b: c.reg[in.More[0]],
				c: c.visibleScalar(in.More[2])})
			return
		}
		c.listed(native.KindStoreMem, v, in)
	case ir.OpPrint:
		c.listed(kindPrint, v, in)
	case ir.OpTrace:
		c.listed(kindTrace, v, in)
	case ir.OpAtomicMem:
		c.listed(native.KindAtomicMem, v, in)
	case ir.OpPixel, ir.OpRecord, ir.OpCovered, ir.OpCover, ir.OpLoadTexel, ir.OpStoreTexel:
		c.place(v, in)
	default:
		if !ir.Evaluates(in.Op) {
			c.fail(v, "unknown operation "+in.Op.String())
			return
		}
		c.arithmetic(v, in)
	}
}

// group compiles a subgroup operation: in two steps where machine code takes subgroups part by part.
func (c *compiler) group(v ir.Value, in *ir.Inst) {
	g := ir.GroupOf(in.Imm)
	if c.r.vectors.LooksAround(c.p, g) {
		c.lookAround(v, in, g)
		return
	}
	if !c.r.vectors.RunsOn(c.p, g) {
		c.listed(native.KindGroup, v, in)
		return
	}
	last := ir.Group{Kind: ir.GroupLast, Cluster: g.Cluster}
	running := *in
	g.Running = true
	running.Imm = g.Imm()
	var where []int32 // lanes
	if g.Kind == ir.GroupShuffle {
		last.Kind = ir.GroupTake
		where, running.More = []int32{c.vector(in.More[1])}, in.More[:1]
	}
	c.listed(native.KindGroup, v, &running)
	results := slices.Clone(c.results[v])
	for i, r := range results {
		x := auxiliary{args: append([]int32{r}, where...), results: []int32{c.lane()}}
		results[i] = x.results[0]
		c.r.aux = append(c.r.aux, x)
		c.emit(instr{kind: native.KindGroup, c: int32(len(c.r.aux) - 1), imm: int64(last.Imm())})
	}
	c.reg[v], c.results[v] = results[0], results
}

// lookAround compiles an operation on parts of a subgroup for blocks that begin with it: what it
// looks at in other lanes is complete then.
func (c *compiler) lookAround(v ir.Value, in *ir.Inst, g ir.Group) {
	var shown, x auxiliary
	n := len(in.More)
	if g.Partitioned {
		n -= ir.BallotWords
	}
	for i, a := range in.More {
		switch {
		case i >= n:
			x.args = append(x.args, c.vector(a))
		case g.Partitioned:
			shown.args = append(shown.args, c.vector(a))
		default:
			shown.args = append(shown.args, c.visible(a))
		}
	}
	for range n + 1 {
		shown.results = append(shown.results, c.lane())
	}
	x.args = append(slices.Clone(shown.results), x.args...)
	for range c.p.Results(in) {
		x.results = append(x.results, c.lane())
	}
	g.Running = true
	c.r.aux = append(c.r.aux, shown, x)
	last := int32(len(c.r.aux) - 1)
	show := ir.Group{Kind: ir.GroupShow, Helpers: g.Helpers}
	c.emit(instr{kind: native.KindGroup, c: last - 1, imm: int64(show.Imm())})
	c.emit(instr{kind: native.KindGroup, c: last, imm: int64(g.Imm())})
	c.reg[v], c.results[v] = x.results[0], x.results
}

// listed compiles an operation with an operand list. Shuffles and floats in
// them move bits, so only what is taken apart must be canonical.
func (c *compiler) listed(k native.Kind, v ir.Value, in *ir.Inst) {
	x := auxiliary{}
	for _, a := range in.More {
		if k == native.KindGroup && ir.GroupOf(in.Imm).Kind != ir.GroupPartition {
			x.args = append(x.args, c.vector(a))
		} else {
			x.args = append(x.args, c.visible(a))
		}
	}
	for range c.p.Results(in) {
		x.results = append(x.results, c.lane())
	}
	if len(x.results) == 0 && k == native.KindAtomicMem { // a store
		x.results = append(x.results, c.lane())
	}
	if len(x.results) > 0 {
		c.reg[v] = x.results[0]
		c.results[v] = x.results
	}
	c.r.aux = append(c.r.aux, x)
	i := instr{kind: k, c: int32(len(c.r.aux) - 1), imm: int64(in.Imm)}
	switch k {
	case native.KindLoadMem, native.KindStoreMem, native.KindAtomicMem:
		if ir.MemOf(in.Imm).Space == ir.MemBuffer && c.uniform(in.More[0]) {
			i.b = c.reg[in.More[0]] + 1
		}
	}
	c.emit(i)
}

// lanewise emits in with a new lane register for v as the result.
func (c *compiler) lanewise(v ir.Value, in instr) {
	in.d = c.lane()
	c.reg[v] = in.d
	c.emit(in)
}

func (c *compiler) varGet(v ir.Value, in *ir.Inst) {
	r := c.varReg[in.Imm]
	switch {
	case c.facts.alias[v]:
		c.reg[v] = r
	case c.uniform(v):
		c.reg[v] = c.scalar()
		c.emit(instr{kind: native.KindScalarMov, d: c.reg[v], a: r})
	default:
		c.lanewise(v, instr{kind: native.KindCopy, a: r})
	}
}

func (c *compiler) varSet(v ir.Value, in *ir.Inst) {
	d, a := c.varReg[in.Imm], in.Args[0]
	switch {
	case c.facts.uniformVar[in.Imm] && !c.uniform(a):
		c.fail(v, "a uniform Var set to a varying value")
	case c.facts.uniformVar[in.Imm]:
		c.emit(instr{kind: native.KindScalarMov, d: d, a: c.reg[a]})
	case c.uniform(a):
		c.emit(instr{kind: native.KindSetU, d: d, a: c.reg[a]})
	case c.reg[a] != d:
		c.emit(instr{kind: native.KindSet, d: d, a: c.vector(a)})
	}
}

func (c *compiler) interpolate(v ir.Value, in *ir.Inst) {
	i := instr{kind: kindInterpolate, c: int32(in.Imm & 0xFFFFFFFF), imm: int64(in.Imm >> 32)}
	n := 0
	in.Operands(func(a *ir.Value) {
		r := c.vector(*a)
		if n == 0 {
			i.a = r
		} else {
			i.b = r
		}
		n++
	})
	if n < 2 {
		if n == 0 {
			i.a = c.vector0()
		}
		i.b = i.a
	}
	c.lanewise(v, i)
}

// vector0 is a lane register of zeros.
func (c *compiler) vector0() int32 {
	d := c.lane()
	c.emit(instr{kind: native.KindZero, d: d})
	return d
}

func (c *compiler) arithmetic(v ir.Value, in *ir.Inst) {
	a := in.Args
	if c.facts.fused[v] {
		return // emitted by its addition
	}
	info, _ := ir.InfoOf(in.Op)
	n := len(info.Args)
	if in.Op == ir.OpBitcast {
		c.bitcast(v, in)
		return
	}
	if c.uniform(v) {
		i := instr{kind: native.KindScalar, op: in.Op, d: c.scalar()}
		regs := [3]*int32{&i.a, &i.b, &i.c}
		for k := range n {
			*regs[k] = c.reg[a[k]]
		}
		c.reg[v] = i.d
		c.emit(i)
		return
	}
	switch n {
	case 1:
		c.lanewise(v, instr{kind: native.KindUnary, op: in.Op, a: c.vector(a[0])})
	case 2:
		if c.fusedPair(v, in) {
			return
		}
		i := instr{op: in.Op}
		switch ua, ub := c.fixed(a[0]), c.fixed(a[1]); {
		case ua && !ub:
			i.kind, i.a, i.b = native.KindUV, c.reg[a[0]], c.reg[a[1]]
		case ub:
			i.kind, i.a, i.b = native.KindVU, c.vector(a[0]), c.reg[a[1]]
		default:
			i.kind, i.a, i.b = native.KindVV, c.reg[a[0]], c.reg[a[1]]
		}
		c.lanewise(v, byRuns(i))
	case 3:
		if in.Op == ir.OpFma && c.fixed(a[0]) {
			a[0], a[1] = a[1], a[0]
		}
		c.ternary(v, in.Op, native.KindVVV, a)
	}
}

// ternary picks the kind by which of the second and third operands are
// uniform; the four kinds follow base in the order VVV, VVU, VUV, VUU.
func (c *compiler) ternary(v ir.Value, op ir.Op, base native.Kind, a [3]ir.Value) {
	i := instr{kind: base, op: op, a: c.vector(a[0]), b: c.reg[a[1]], c: c.reg[a[2]]}
	if c.fixed(a[2]) {
		i.kind++
	}
	if c.fixed(a[1]) {
		i.kind += 2
	}
	c.lanewise(v, byRuns(i))
}

func (c *compiler) fusedPair(v ir.Value, in *ir.Inst) bool {
	var product, other ir.Value
	var pair ir.Op
	switch fused := c.facts.fused; {
	case fused[in.Args[0]]:
		product, other, pair = in.Args[0], in.Args[1], fusedMulAdd
		if in.Op == ir.OpFSub {
			pair = fusedMulSub
		}
	case fused[in.Args[1]]:
		product, other, pair = in.Args[1], in.Args[0], fusedMulAdd
		if in.Op == ir.OpFSub {
			pair = fusedSubMul
		}
	default:
		return false
	}
	if in.Op != ir.OpFAdd && in.Op != ir.OpFSub {
		return false
	}
	m := c.p.Insts[product].Args
	if c.fixed(m[0]) {
		m[0], m[1] = m[1], m[0]
	}
	c.ternary(v, pair, native.KindFusedVVV, [3]ir.Value{m[0], m[1], other})
	return true
}

// bitcast changes no bits, but shows those of a float.
func (c *compiler) bitcast(v ir.Value, in *ir.Inst) {
	a := in.Args[0]
	switch shows := in.Type != ir.F32; {
	case c.uniform(v) && c.facts.alias[a] && !(shows && c.taint[a]): // a copy, as below
		c.reg[v] = c.scalar()
		c.emit(instr{kind: native.KindScalarMov, d: c.reg[v], a: c.reg[a]})
	case c.uniform(v) && shows:
		c.reg[v] = c.visibleScalar(a)
	case c.uniform(v), c.reg[a] < 0 && !(shows && c.taint[a]):
		c.reg[v] = c.reg[a]
	case c.uniform(a) && shows:
		c.lanewise(v, instr{kind: native.KindBroadcast, a: c.visibleScalar(a)})
	case shows && c.taint[a]:
		c.lanewise(v, instr{kind: native.KindCanon, a: c.vector(a)})
	default:
		// A copy, because the operand may be a Var read in place, whose
		// last use the walk did not see through the cast.
		c.lanewise(v, instr{kind: native.KindCopy, a: c.vector(a)})
	}
}
