package ir

import "slices"

// maxUnrolled bounds the cost of all turns of a loop that is written out, maxUnrolledTurns their
// number, and maxWritten the cost of all such loops of a program. A loop of one turn is written out
// whatever it costs.
const (
	maxUnrolled      = 512
	maxUnrolledTurns = 32
	maxWritten       = 1 << 13
)

// unroll writes the turns of short loops one after the other, where constants say how many there
// are. What counts them becomes constants, what they hand on becomes values, and memory at places
// that they count becomes memory at known places, which register makes Vars. Nothing that a loop
// does is left out or done in another order, so no bit changes; the loop's fuel is not asked for,
// since the turns are few.
func unroll(p *Program, w *workspace) {
	const rounds = 4 // loops in loops are written out from the inside
	changed, written := false, 0
	for round := 0; round < rounds && hasLoop(p.Body.Stmts); round++ {
		u := newUnlooper(p, w)
		u.replace, u.written = u.unrolled, written
		p.Body.Stmts = u.block(p.Body.Stmts, 0)
		if !u.changed {
			break
		}
		changed, written = true, u.written
		again(p, w)
	}
	if register(p) || changed {
		again(p, w)
	}
}

// again runs what a change of control flow or of memory lets see more.
func again(p *Program, w *workspace) {
	promote(p, w)
	fold(p, w)
	share(p, w)
	flatten(p, w)
	promote(p, w)
	fold(p, w)
}

// unrolled are the turns of a loop; false where it stays a loop.
func (u *unlooper) unrolled(l *Loop, _ int32) (turns []Stmt, ok bool) {
	if l.Once || u.inner { // what was written out in it becomes less first
		return nil, false
	}
	t := u.turnOf(l)
	if t.exits != 1 || t.leaves {
		return nil, false
	}
	at := slices.IndexFunc(t.always, func(s Stmt) bool { _, ok := u.exit(&s); return ok })
	if at < 0 {
		return nil, false
	}
	n, few := u.turns(t, at)
	if !few {
		return nil, false
	}
	exit := t.always[at].If
	stay := &exit.Then
	if where, _ := u.exit(&t.always[at]); where {
		stay = &exit.Else
	}
	for range n {
		c := cloner{u.p, map[Value]Value{}}
		turns = append(turns, c.stmts(t.always[:at])...)
		turns = append(turns, c.stmts(stay.Stmts)...)
		turns = append(turns, c.stmts(t.always[at+1:])...)
	}
	last := cloner{u.p, map[Value]Value{}}
	return append(turns, last.stmts(t.always[:at])...), true
}

// turns is how many whole turns a loop makes that ends at a statement of it; false where that is
// not known, or where it is too much to write out.
func (u *unlooper) turns(t *turn, at int) (n int, few bool) {
	where, _ := u.exit(&t.always[at])
	c := counter{u: u, t: t, leaves: where, set: -1}
	if !c.find(t.always[at].If.Cond) || c.set < 0 || c.free {
		return 0, false
	}
	x, known := u.known[c.id]
	if !known {
		return 0, false
	}
	for ; c.stays(x); x = c.value(c.step, x, 0) {
		if n++; n > maxUnrolledTurns {
			return 0, false
		}
	}
	if n <= 1 {
		return n, true
	}
	size := n * u.cost(t.always)
	u.written += size
	return n, size <= maxUnrolled && u.written <= maxWritten
}

// cost counts the instructions of a turn. Image instructions are many of them, and each access
// through an address looks for its memory once a batch.
func (u *unlooper) cost(stmts []Stmt) int {
	const image, sought = 32, 128
	n := 0
	each(stmts, func(s *Stmt) {
		switch in := &u.p.Insts[s.Inst]; in.Op {
		case OpConst, OpVarGet, OpVarSet, OpResult:
		case OpImage, OpBlock, OpInterpolateAt:
			n += image
		case OpLoadMem, OpStoreMem, OpAtomicMem:
			if n++; MemOf(in.Imm).Space.Sought() {
				n += sought
			}
		default:
			n++
		}
	}, func(*Loop, int) { n++ })
	return n
}

// cloner copies statements, with values of their own.
type cloner struct {
	p  *Program
	to map[Value]Value // values of the copied statements
}

func (c cloner) stmts(from []Stmt) []Stmt {
	out := make([]Stmt, 0, len(from))
	for _, s := range from {
		switch {
		case s.If != nil:
			n := &If{Cond: s.If.Cond}
			c.operand(&n.Cond)
			n.Then.Stmts, n.Else.Stmts = c.stmts(s.If.Then.Stmts), c.stmts(s.If.Else.Stmts)
			out = append(out, Stmt{Inst: NoValue, If: n})
		case s.Loop != nil:
			n := &Loop{Once: s.Loop.Once, Source: s.Loop.Source}
			n.Body.Stmts = c.stmts(s.Loop.Body.Stmts)
			n.Continue.Stmts = c.stmts(s.Loop.Continue.Stmts)
			out = append(out, Stmt{Inst: NoValue, Loop: n})
		default:
			out = append(out, Stmt{Inst: c.inst(s.Inst)})
		}
	}
	return out
}

func (c cloner) operand(v *Value) {
	if to, ok := c.to[*v]; ok {
		*v = to
	}
}

func (c cloner) inst(from Value) Value {
	p, v := c.p, Value(len(c.p.Insts))
	in := p.Insts[from]
	in.More = slices.Clone(in.More)
	in.Operands(c.operand)
	p.Insts = append(p.Insts, in)
	if int(from) < len(p.Lines) {
		p.Lines = append(p.Lines, make([]uint32, int(v)-len(p.Lines))...)
		p.Lines = append(p.Lines, p.Lines[from])
	}
	c.to[from] = v
	return v
}

// maxRegistered bounds the words of private memory that become Vars.
const maxRegistered = 128

// register makes Vars of private memory where each access is at a known place, and each place has
// one type; false where it stays memory.
func register(p *Program) bool {
	if p.PrivateBytes == 0 {
		return false
	}
	known, types := true, map[uint32]Type{}
	visit := func(see func(in *Inst, at uint32, t Type)) {
		each(p.Body.Stmts, func(s *Stmt) {
			in := &p.Insts[s.Inst]
			t := in.Type
			switch in.Op {
			default:
				return
			case OpStorePrivate:
				t = p.Insts[in.Args[1]].Type
			case OpLoadPrivate:
			}
			place := &p.Insts[in.Args[0]]
			at := uint32(place.Imm)
			if place.Op != OpConst || at%4 != 0 || at > p.PrivateBytes-4 {
				known = false
				return
			}
			see(in, at, t)
		}, func(*Loop, int) {})
	}
	visit(func(_ *Inst, at uint32, t Type) {
		if was, ok := types[at]; ok && was != t || t == Bool {
			known = false
		}
		types[at] = t
	})
	if !known || len(types) > maxRegistered {
		return false
	}
	vars := map[uint32]VarID{}
	visit(func(in *Inst, at uint32, t Type) {
		id, ok := vars[at]
		if !ok {
			id = VarID(len(p.Vars))
			p.Vars = append(p.Vars, Var{Type: t})
			vars[at] = id
		}
		to := Inst{Op: OpVarGet, Type: t, Args: [3]Value{NoValue, NoValue, NoValue}, Imm: uint64(id)}
		if in.Op == OpStorePrivate {
			to.Op, to.Type, to.Args[0] = OpVarSet, Void, in.Args[1]
		}
		*in = to
	})
	p.PrivateBytes = 0
	return true
}
