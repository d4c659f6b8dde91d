package vm

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// Workgroup memory of random programs: slotBase bytes for atomics of all lanes, in the order of
// lanes, then slotBytes of each lane. Between two barriers either all lanes read all of it, or
// each has a slot of its own, and atomics the rest.
const (
	atomicBytes = 64
	atomicBase  = 0xB_0000_0000 // of a buffer for atomics
	slotBytes   = 16
	slotBase    = atomicBytes + 8 // for atomics a little outside of a buffer
)

// workgroup is what a generator knows of programs whose lanes look at each other.
type workgroup struct {
	lanes uint32
	// read says that all lanes may read workgroup memory; else lane l has slot l^turn of it.
	read bool
	turn uint32
	// together says that all lanes come here, so that barriers may stand here. alike are values that
	// are the same in all lanes.
	together bool
	alike    []ir.Value
}

// randomCompute is a random program of a workgroup, whose lanes look at each other, with barriers,
// and how many lanes it has.
func randomCompute(seed uint64) (*ir.Program, int) {
	r := rand.New(rand.NewPCG(seed, 35))
	n := []uint32{1, 3, 8, 32, 37, 64, 100, 128, 132, 200, 260}[r.IntN(11)]
	g := newGen(r)
	g.group = &workgroup{lanes: n, together: true, read: true}
	g.p.SubgroupSize, g.p.LocalSize = 4<<r.IntN(6), [3]uint32{n, 1, 1}
	g.p.SharedBytes = slotBase + slotBytes*((n+3)&^3)
	g.p.UsesBarrier = true
	for len(g.p.Table) < 32 {
		g.p.Table = append(g.p.Table, byte(r.Uint32()))
	}
	g.p.Resources = append(g.p.Resources, ir.Resource{Kind: ir.StorageBuffer, Count: 4},
		ir.Resource{Kind: ir.StorageBuffer, Count: 3}, ir.Resource{Kind: ir.StorageBuffer, Count: 1})
	g.program(32)
	return g.p, int(n)
}

func (g *gen) op(b *ir.Block, op ir.Op, t ir.Type, args ...ir.Value) ir.Value {
	in := ir.Inst{Op: op, Type: t}
	copy(in.Args[:], args)
	return g.add(b, in)
}

func (g *gen) ofResource(b *ir.Block, op ir.Op, t ir.Type, resource uint32, args ...ir.Value) ir.Value {
	v := g.op(b, op, t, args...)
	g.p.Insts[v].Imm = uint64(resource)
	return v
}

func (g *gen) more(b *ir.Block, op ir.Op, t ir.Type, imm uint64, more ...ir.Value) ir.Value {
	return g.add(b, ir.Inst{Op: op, Type: t, Imm: imm, More: slices.Clone(more)})
}

// someType is a type of values.
func (g *gen) someType(types ...ir.Type) ir.Type { return types[g.r.IntN(len(types))] }

// ofGroup makes an instruction of workgroups.
func (g *gen) ofGroup(b *ir.Block) {
	switch k := g.r.IntN(24); {
	case k < 4 && g.group.together:
		g.uniform(b)
	case k < 10:
		g.subgroup(b)
	case k < 14:
		g.shared(b)
	case k < 17:
		g.contended(b)
	case k < 19:
		g.pointed(b)
	case k < 21:
		g.arrays(b)
	case k < 22:
		g.wide(b)
	case k < 23 && g.group.lanes%4 == 0:
		op := []ir.Op{ir.OpDdxFine, ir.OpDdyFine, ir.OpDdxCoarse, ir.OpDdyCoarse}[g.r.IntN(4)]
		g.op(b, op, ir.F32, g.pick(ir.F32))
	default:
		g.signed(b)
	}
}

// barrier begins a new time of workgroup memory.
func (g *gen) barrier(b *ir.Block) {
	w := g.group
	g.add(b, ir.Inst{Op: ir.OpBarrier, Imm: uint64(ir.BarrierWorkgroup)})
	w.read, w.turn = g.r.IntN(4) == 0 != !w.read, g.r.Uint32N(4)
	for range g.r.IntN(3) {
		g.shared(b)
	}
}

// uniform makes control flow that all lanes take alike, with barriers in it.
func (g *gen) uniform(b *ir.Block) {
	g.barrier(b)
	switch k := g.r.IntN(4); {
	case g.depth > 3 || k == 0:
	case k == 1:
		s := &ir.If{Cond: g.alikeBool(b)}
		g.inside(&s.Then)
		if g.r.IntN(2) == 0 {
			g.inside(&s.Else)
		}
		b.Stmts = append(b.Stmts, ir.Stmt{Inst: ir.NoValue, If: s})
	default:
		l, counter := &ir.Loop{}, uint64(len(g.p.Vars))
		g.p.Vars = append(g.p.Vars, ir.Var{Type: ir.I32})
		get := func(b *ir.Block) ir.Value {
			return g.add(b, ir.Inst{Op: ir.OpVarGet, Type: ir.I32, Imm: counter})
		}
		set := func(b *ir.Block, v ir.Value) {
			g.add(b, ir.Inst{Op: ir.OpVarSet, Args: [3]ir.Value{v}, Imm: counter})
		}
		set(b, g.constant(b, 0))
		limit := g.constant(b, 1+g.r.Uint64N(3))
		if g.r.IntN(2) == 0 {
			limit = g.op(b, ir.OpAnd, ir.I32, g.alike(b), g.constant(b, 3))
		}
		g.nested(&l.Body, 0, func(b *ir.Block) {
			g.leaveIf(b, g.op(b, ir.OpSLe, ir.Bool, limit, get(b)))
			g.inside(b)
			if g.r.IntN(3) == 0 {
				g.leaveIf(b, g.alikeBool(b))
			}
		})
		g.nested(&l.Continue, 0, func(b *ir.Block) {
			set(b, g.op(b, ir.OpIAdd, ir.I32, get(b), g.constant(b, 1)))
		})
		b.Stmts = append(b.Stmts, ir.Stmt{Inst: ir.NoValue, Loop: l})
	}
	g.barrier(b)
}

// inside makes a block that all lanes run between barriers, which nobody leaves alone.
func (g *gen) inside(b *ir.Block) {
	loops := g.loops
	g.loops = 0
	g.nested(b, 0, func(b *ir.Block) {
		g.group.together = true
		g.barrier(b)
		g.block(b, 2+g.r.IntN(5))
		g.barrier(b)
	})
	g.loops = loops
}

func (g *gen) leaveIf(b *ir.Block, cond ir.Value) {
	s := &ir.If{Cond: cond}
	g.add(&s.Then, ir.Inst{Op: ir.OpBreak, Imm: 1})
	b.Stmts = append(b.Stmts, ir.Stmt{Inst: ir.NoValue, If: s})
}

// alike makes an integer that is the same in all lanes, which compilers see of some.
func (g *gen) alike(b *ir.Block) ir.Value {
	w := g.group
	at := func(bytes uint32) ir.Value { return g.constant(b, uint64(g.r.Uint32N(bytes/4+1))*4) }
	v := ir.NoValue
	switch k := g.r.IntN(6); {
	case k == 0:
		v = g.op(b, ir.OpLoadPush, ir.I32, at(32))
	case k == 1:
		v = g.ofResource(b, ir.OpLoadBuffer, ir.I32, 1, g.constant(b, 0), at(24))
	case k < 4 && w.read:
		v = g.op(b, ir.OpLoadShared, ir.I32, at(g.p.SharedBytes))
	case k < 5 && len(w.alike) > 1:
		x, y := w.alike[g.r.IntN(len(w.alike))], w.alike[g.r.IntN(len(w.alike))]
		v = g.op(b, []ir.Op{ir.OpIAdd, ir.OpXor, ir.OpIMul, ir.OpUDiv}[g.r.IntN(4)], ir.I32, x, y)
	default:
		v = g.constant(b, uint64(g.r.Uint32()>>g.r.IntN(32)))
	}
	w.alike = append(w.alike, v)
	return v
}

func (g *gen) alikeBool(b *ir.Block) ir.Value {
	few := g.op(b, ir.OpAnd, ir.I32, g.alike(b), g.constant(b, 3))
	op := []ir.Op{ir.OpIEq, ir.OpULt, ir.OpINe}[g.r.IntN(3)]
	return g.op(b, op, ir.Bool, few, g.constant(b, 1+g.r.Uint64N(2)))
}

// subgroup makes an operation of subgroups of any class.
func (g *gen) subgroup(b *ir.Block) {
	x := ir.Group{Kind: ir.GroupKind(g.r.IntN(int(ir.GroupProduct) + 1)), Helpers: g.r.IntN(4) == 0}
	t, size := g.someType(ir.I32, ir.F32, ir.Bool), g.p.SubgroupSize
	var args []ir.Value
	pick := func(types ...ir.Type) {
		for _, t := range types {
			args = append(args, g.pick(t))
		}
	}
	switch x.Kind {
	case ir.GroupLane:
		t = ir.I32
	case ir.GroupElect:
		t = ir.Bool
	case ir.GroupAll, ir.GroupAny:
		t = ir.Bool
		pick(ir.Bool)
	case ir.GroupBallot:
		t, x.Word = ir.I32, uint8(g.r.IntN(4))
		pick(ir.Bool)
	case ir.GroupAllEqual:
		t = ir.Bool
		switch x.Float, x.Wide = g.r.IntN(2) == 0, g.r.IntN(2) == 0; {
		case x.Wide:
			pick(ir.I32, ir.I32)
		case x.Float:
			pick(ir.F32)
		default:
			pick(ir.I32)
		}
	case ir.GroupFirst:
		pick(t)
	case ir.GroupShuffle:
		pick(t)
		args = append(args, g.otherLane(b))
	case ir.GroupPartition:
		t, args = ir.I32, g.few(b)
		x.Word = uint8(g.r.IntN(4))
	case ir.GroupProduct:
		g.product(b)
		return
	default:
		x.Arith = ir.GroupArith(g.r.IntN(int(ir.GroupFMax) + 1))
		x.Wide = g.r.IntN(3) == 0
		logic := ir.GroupAnd <= x.Arith && x.Arith <= ir.GroupXor
		switch {
		case x.Wide:
			t = ir.I32
			pick(ir.I32, ir.I32)
		case x.Arith >= ir.GroupFAdd:
			t = ir.F32
			pick(t)
		case !logic || t == ir.F32:
			t = ir.I32
			fallthrough
		default:
			pick(t)
		}
		if x.Kind == ir.GroupReduce && g.r.IntN(2) == 0 {
			x.Cluster = uint8(min(size, 1<<g.r.IntN(8)))
		} else if g.r.IntN(4) == 0 {
			x.Partitioned = true
			key := g.few(b)
			for word := range uint8(4) {
				part := ir.Group{Kind: ir.GroupPartition, Word: word, Helpers: x.Helpers}
				args = append(args, g.more(b, ir.OpGroup, ir.I32, part.Imm(), key...))
			}
		}
	}
	v := g.more(b, ir.OpGroup, t, x.Imm(), args...)
	if g.p.Results(&g.p.Insts[v]) == 2 {
		g.add(b, ir.Inst{Op: ir.OpResult, Type: t, Imm: 1, Args: [3]ir.Value{v}})
	}
}

// few are words with few values.
func (g *gen) few(b *ir.Block) (list []ir.Value) {
	for range 1 + g.r.IntN(3) {
		list = append(list, g.below(b, 2<<g.r.IntN(3)))
	}
	return list
}

// otherLane is a lane of a subgroup as shuffles, quads, rotations and broadcasts name it, or none.
func (g *gen) otherLane(b *ir.Block) ir.Value {
	size := uint64(g.p.SubgroupSize)
	self := g.more(b, ir.OpGroup, ir.I32, ir.Group{Kind: ir.GroupLane}.Imm())
	by := g.constant(b, g.r.Uint64N(size))
	switch g.r.IntN(6) {
	case 0:
		return g.op(b, ir.OpXor, ir.I32, self, by)
	case 1:
		return g.op(b, []ir.Op{ir.OpIAdd, ir.OpISub}[g.r.IntN(2)], ir.I32, self, by)
	case 2:
		turned := g.op(b, ir.OpIAdd, ir.I32, self, g.pick(ir.I32))
		return g.op(b, ir.OpAnd, ir.I32, turned, g.constant(b, size-1))
	case 3:
		return by
	case 4:
		quad := g.op(b, ir.OpAnd, ir.I32, self, g.constant(b, 1<<32-4))
		return g.op(b, ir.OpOr, ir.I32, quad, g.constant(b, g.r.Uint64N(4)))
	}
	return g.below(b, 2*size)
}

// product makes a product of matrices: of integers, of floats, and of floats that were binary16.
func (g *gen) product(b *ir.Block) {
	x := ir.Group{Kind: ir.GroupProduct, Arith: ir.GroupIAdd, Depth: 16 << g.r.IntN(2)}
	t := g.someType(ir.I32, ir.F32)
	if t == ir.F32 {
		x.Arith, x.Float = ir.GroupFAdd, g.r.IntN(2) == 0
	}
	s := x.Product(g.p.SubgroupSize)
	args := make([]ir.Value, s.A+s.B+s.C)
	var few [4]ir.Value
	for i := range few {
		if few[i] = g.pick(t); x.Float {
			few[i] = g.op(b, ir.OpH2F, t, g.pick(ir.I32))
		}
	}
	for i := range args {
		args[i] = few[g.r.IntN(4)]
	}
	v := g.more(b, ir.OpGroup, t, x.Imm(), args...)
	for k := 1; k < s.C; k++ {
		g.add(b, ir.Inst{Op: ir.OpResult, Type: t, Imm: uint64(k), Args: [3]ir.Value{v}})
	}
}

// slot is a place in the lane's slot of workgroup memory.
func (g *gen) slot(b *ir.Block, align uint64) ir.Value {
	at := g.op(b, ir.OpXor, ir.I32, 0, g.constant(b, uint64(g.group.turn)))
	at = g.op(b, ir.OpIMul, ir.I32, at, g.constant(b, slotBytes))
	within := g.op(b, ir.OpAnd, ir.I32, g.pick(ir.I32), g.constant(b, (slotBytes-1)&^(align-1)))
	return g.op(b, ir.OpIAdd, ir.I32, g.op(b, ir.OpIAdd, ir.I32, at, within), g.constant(b, slotBase))
}

// shared reads workgroup memory where all do, else the lane's slot of it, which it writes, too. An
// access at a slot's end is the next one's, too, if it is not aligned.
func (g *gen) shared(b *ir.Block) {
	if !g.group.read && g.group.together && g.r.IntN(3) == 0 { // a neighbour's word
		order := ir.Inst{Op: ir.OpBarrier, Imm: uint64(ir.BarrierSubgroup)}
		at := g.slot(b, 4)
		g.op(b, ir.OpStoreShared, ir.Void, at, g.pick(ir.I32))
		g.add(b, order)
		g.group.turn ^= 1 + g.r.Uint32N(3)
		g.op(b, ir.OpLoadShared, ir.I32, g.slot(b, 4))
		g.add(b, order)
		return
	}
	m := ir.Mem{Space: ir.MemShared, Log: uint8(g.r.IntN(3))}
	words := g.r.IntN(2) == 0
	if words {
		m.Log = 2
	}
	var at ir.Value
	store := false
	if g.group.read {
		switch g.r.IntN(4) {
		case 0: // at the end
			at = g.op(b, ir.OpISub, ir.I32, g.constant(b, uint64(g.p.SharedBytes)), g.below(b, 8))
		case 1:
			at = g.below(b, 2<<bits.Len32(g.p.SharedBytes))
		default: // of lanes far away
			at = g.op(b, ir.OpIAdd, ir.I32, 0, g.constant(b, g.r.Uint64N(uint64(g.group.lanes))))
			at = g.op(b, ir.OpURem, ir.I32, at, g.constant(b, uint64(g.group.lanes)))
			at = g.op(b, ir.OpIMul, ir.I32, at, g.constant(b, slotBytes))
			at = g.op(b, ir.OpIAdd, ir.I32, at, g.constant(b, slotBase+g.r.Uint64N(4)*4))
		}
	} else {
		at, store = g.slot(b, 1<<m.Log), g.r.IntN(3) > 0
	}
	switch value := g.pick(ir.I32); {
	case words && store:
		g.op(b, ir.OpStoreShared, ir.Void, at, value)
	case words:
		g.op(b, ir.OpLoadShared, ir.I32, at)
	case store:
		g.more(b, ir.OpStoreMem, ir.Void, m.Imm(), at, value)
	default:
		g.extend(b, g.more(b, ir.OpLoadMem, ir.I32, m.Imm(), at), m.Log)
	}
}

// extend makes of what was loaded a number with a sign.
func (g *gen) extend(b *ir.Block, v ir.Value, log uint8) {
	if log == 2 {
		return
	}
	width := uint64(8) << log
	switch g.r.IntN(3) {
	case 0:
		g.op(b, ir.OpBitFieldS, ir.I32, v, g.constant(b, 0), g.constant(b, width))
	case 1:
		by := g.constant(b, 32-width)
		g.op(b, ir.OpShrS, ir.I32, g.op(b, ir.OpShl, ir.I32, v, by), by)
	}
}

// signed loads a byte or half with a sign of what nobody writes.
func (g *gen) signed(b *ir.Block) {
	m := ir.Mem{Space: ir.MemBuffer, Resource: 3, Log: uint8(g.r.IntN(2))}
	at := g.below(b, 32)
	g.extend(b, g.more(b, ir.OpLoadMem, ir.I32, m.Imm(), g.constant(b, 0), at), m.Log)
	g.op(b, ir.OpLoadTable, ir.I32, g.op(b, ir.OpAnd, ir.I32, g.pick(ir.I32), g.constant(b, 36)))
}

// contended makes an atomic on memory that all lanes have, which nobody reads otherwise.
func (g *gen) contended(b *ir.Block) {
	kinds := []ir.MemSpace{ir.MemBuffer, ir.MemAddress, ir.MemPointer}
	if !g.group.read {
		kinds = append(kinds, ir.MemShared, ir.MemShared, ir.MemPointer)
	}
	m := ir.Mem{Space: kinds[g.r.IntN(len(kinds))]}
	at := g.below(b, atomicBytes)
	if g.r.IntN(2) == 0 {
		at = g.constant(b, uint64(g.r.Uint32N(atomicBytes+8)))
	}
	at = g.op(b, ir.OpAnd, ir.I32, at, g.constant(b, 1<<32-8))
	simple := m.Space == ir.MemBuffer || m.Space == ir.MemShared
	if op := ir.AtomicOp(g.r.IntN(int(ir.AtomicFMax) + 1)); simple && g.r.IntN(3) > 0 { // words
		in := ir.Inst{Op: ir.OpAtomicShared, Type: ir.I32, Imm: uint64(op) << 32, More: []ir.Value{at}}
		if m.Space == ir.MemBuffer {
			in.Op, in.Imm = ir.OpAtomicBuffer, ir.ResourceAndAtomic(6, op)
			in.More = []ir.Value{g.constant(b, 0), at}
		}
		for range op.Values() {
			in.More = append(in.More, g.pick(ir.I32))
		}
		if op == ir.AtomicStore {
			in.Type = ir.Void
		}
		v := g.add(b, in)
		if g.r.IntN(2) == 0 { // nobody reads it
			g.scope = slices.DeleteFunc(g.scope, func(x ir.Value) bool { return x == v })
		}
		return
	}
	switch m.Space {
	case ir.MemBuffer:
		m.Resource = 6
		g.atomicAt(b, m, []ir.Value{g.constant(b, 0), at})
	case ir.MemShared:
		g.atomicAt(b, m, []ir.Value{at})
	case ir.MemAddress:
		g.atomicAt(b, m, []ir.Value{at, g.constant(b, atomicBase>>32)})
	default:
		tag := g.constant(b, ir.PointerTag|6<<ir.PointerResourceShift)
		if !g.group.read && g.r.IntN(2) == 0 {
			tag = g.op(b, ir.OpSelect, ir.I32, g.pick(ir.Bool), tag, g.constant(b, ir.PointerShared))
		}
		g.atomicAt(b, m, []ir.Value{at, tag})
	}
}

// pointed reads or writes what a variable pointer points at, in each lane another thing.
func (g *gen) pointed(b *ir.Block) {
	m := ir.Mem{Space: ir.MemPointer, Log: uint8(g.r.IntN(3)), Resource: uint32(g.r.IntN(2)) << 2}
	store := g.r.IntN(2) == 0
	type pointer struct{ at, tag ir.Value }
	own := func() pointer { // which may be 4 bytes away from it
		switch k := g.r.IntN(4); {
		case k == 0 && !g.group.read && m.Resource == 0:
			return pointer{g.slot(b, 1<<m.Log), g.constant(b, ir.PointerShared)}
		case k == 1 && !store:
			return pointer{g.below(b, 32), g.constant(b, ir.PointerTag|3<<ir.PointerResourceShift)}
		case k == 2:
			return pointer{g.pick(ir.I32), g.constant(b, 9)} // there is no memory
		case k == 3:
			at := g.op(b, ir.OpIMul, ir.I32, 0, g.constant(b, slotBytes))
			element := g.below(b, 4)
			tag := g.op(b, ir.OpOr, ir.I32, element, g.constant(b, ir.PointerTag|4<<ir.PointerResourceShift))
			return pointer{g.op(b, ir.OpIAdd, ir.I32, at, g.below(b, 8)), tag}
		}
		at := g.op(b, ir.OpIMul, ir.I32, 0, g.constant(b, ownBytes))
		at = g.op(b, ir.OpIAdd, ir.I32, at, g.below(b, 16))
		return pointer{at, g.constant(b, ir.PointerTag|2<<ir.PointerResourceShift)}
	}
	p := own()
	if g.r.IntN(3) > 0 {
		q, cond := own(), g.pick(ir.Bool)
		p.at = g.op(b, ir.OpSelect, ir.I32, cond, p.at, q.at)
		p.tag = g.op(b, ir.OpSelect, ir.I32, cond, p.tag, q.tag)
	}
	if store {
		g.more(b, ir.OpStoreMem, ir.Void, m.Imm(), p.at, p.tag, g.pick(ir.I32))
	} else {
		g.extend(b, g.more(b, ir.OpLoadMem, ir.I32, m.Imm(), p.at, p.tag), m.Log)
	}
}

// arrays reads or writes a buffer of an array that each lane chooses.
func (g *gen) arrays(b *ir.Block) {
	m := ir.Mem{Space: ir.MemBuffer, Resource: 5, Log: uint8(g.r.IntN(3))}
	element, at := g.below(b, 4), g.below(b, 64)
	if g.r.IntN(2) == 0 { // the lane's own
		m.Resource = 4
		at = g.op(b, ir.OpIMul, ir.I32, 0, g.constant(b, slotBytes))
		within := g.op(b, ir.OpAnd, ir.I32, g.pick(ir.I32), g.constant(b, (slotBytes-1)&^(1<<m.Log-1)))
		at = g.op(b, ir.OpIAdd, ir.I32, at, within)
	}
	if g.r.IntN(8) == 0 {
		element = g.pick(ir.I32)
	}
	aligned := g.op(b, ir.OpAnd, ir.I32, at, g.constant(b, 1<<32-4))
	switch k := g.r.IntN(6); {
	case k == 0:
		g.ofResource(b, ir.OpBufferSize, ir.I32, m.Resource, element)
	case k == 1:
		g.ofResource(b, ir.OpLoadBuffer, ir.I32, m.Resource, element, aligned)
	case k == 2 && m.Resource == 4:
		g.ofResource(b, ir.OpStoreBuffer, ir.Void, 4, element, aligned, g.pick(ir.I32))
	case k == 3 && m.Resource == 4:
		m.Log = 0
		g.atomicAt(b, m, []ir.Value{element, g.op(b, ir.OpAnd, ir.I32, at, g.constant(b, 1<<32-8))})
	case k == 4 && m.Resource == 4:
		g.more(b, ir.OpStoreMem, ir.Void, m.Imm(), element, at, g.pick(ir.I32))
	default:
		g.extend(b, g.more(b, ir.OpLoadMem, ir.I32, m.Imm(), element, at), m.Log)
	}
}

// wide makes a chain of operations on numbers of 64 bits.
func (g *gen) wide(b *ir.Block) {
	last := [2]ir.Value{g.pick(ir.I32), g.pick(ir.I32)}
	for range 1 + g.r.IntN(4) {
		op := ir.WideOp(g.r.IntN(ir.WideOps))
		args, result := op.Signature()
		var more []ir.Value
		for i, c := range args {
			switch {
			case c == 'f':
				more = append(more, g.pick(ir.F32))
			case c == 'i':
				more = append(more, g.pick(ir.I32))
			case i == 0 || g.r.IntN(2) == 0:
				more = append(more, last[0], last[1])
			default:
				more = append(more, g.pick(ir.I32), g.pick(ir.I32))
			}
		}
		switch result {
		case 'w':
			saved := len(g.scope)
			last = g.pair64(b, op, more...)
			if g.r.IntN(2) == 0 { // only 64-bit operations read it
				g.scope = g.scope[:saved]
			}
		case 'b':
			g.more(b, ir.OpWide, ir.Bool, uint64(op), more...)
		case 'f':
			g.more(b, ir.OpWide, ir.F32, uint64(op), more...)
		default:
			g.more(b, ir.OpWide, ir.I32, uint64(op), more...)
		}
	}
}
