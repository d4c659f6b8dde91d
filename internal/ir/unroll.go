package ir

import "slices"

// maxUnrolled bounds the cost of all turns of a loop that is written out, maxUnrolledTurns their number, and
// maxWritten the cost of all such loops of a program. A loop of one turn is written out whatever it costs.
const (
	maxUnrolled      = 512
	maxUnrolledTurns = 32
	maxWritten       = 1 << 13
)

// unroll writes the turns of short loops one after the other, where constants say how many there are. What counts them
// becomes constants, what they hand on becomes values, and memory at places that they count becomes memory at known places,
// which register makes Vars. Nothing that a loop does is left out or done in another order, so no bit changes; the loop's fuel is
// not asked for, since the turns are few.
func unroll(p *Program, w *workspace) {
	const rounds = 4 // loops in loops are written out from the inside
	changed, written := false, 0
	for round := 0; round < rounds && hasLoop(p.Body.Stmts); round++ {
		u := &unlooper{p: p, w: w, gets: Room(&w.numbers[0], len(p.Vars)), depth: Room(&w.numbers[1], len(p.Insts)), known: map[VarID]uint32{}, written: written}
		u.replace = u.unrolled
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
func (u *unlooper) unrolled(l *Loop, depth int32) (turns []Stmt, ok bool) {
	if l.Once || u.inner { // what was written out in it becomes less first
		return nil, false
	}
	t := u.turnOf(l)
	if t.exits != 1 || t.leaves {
		return nil, false
	}
	for at := range t.always {
		where, ok := u.exit(&t.always[at])
		if !ok {
			continue
		}
		c := counter{u: u, t: t, leaves: where, set: -1}
		if !c.find(t.always[at].If.Cond) || c.set < 0 || c.free {
			return nil, false
		}
		start, known := u.known[c.id]
		n, few := 0, known
		for x := start; few && c.stays(x); x = c.value(c.step, x, 0) {
			n++
			few = n <= maxUnrolledTurns
		}
		if n > 1 {
			size := n * u.cost(t.always)
			u.written += size
			few = few && size <= maxUnrolled && u.written <= maxWritten
		}
		if !few {
			return nil, false
		}
		for range n {
			again := cloner{u.p, map[Value]Value{}}
			turns = append(turns, again.stmts(t.always[:at])...)
			stay := &t.always[at].If.Else
			if !where {
				stay = &t.always[at].If.Then
			}
			turns = append(turns, again.stmts(stay.Stmts)...)
			turns = append(turns, again.stmts(t.always[at+1:])...)
		}
		last := cloner{u.p, map[Value]Value{}}
		return append(turns, last.stmts(t.always[:at])...), true
	}
	return nil, false
}

// inner says that a loop holds one that was written out in this round: its turns become fewer instructions first.

// cost counts the instructions of a turn. Image instructions are many of them, and each access through an address looks for
// its memory once a batch.
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
			n.Body.Stmts, n.Continue.Stmts = c.stmts(s.Loop.Body.Stmts), c.stmts(s.Loop.Continue.Stmts)
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

// register makes Vars of private memory where each access is at a known place, and always of one type.
func register(p *Program) bool {
	if p.PrivateBytes == 0 {
		return false
	}
	vars, known := map[uint32]VarID{}, true
	types := map[uint32]Type{}
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
			if place.Op != OpConst || uint32(place.Imm)%4 != 0 || uint32(place.Imm) > p.PrivateBytes-4 {
				known = false
				return
			}
			see(in, uint32(place.Imm), t)
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
	visit(func(in *Inst, at uint32, t Type) {
		id, ok := vars[at]
		if !ok {
			id = VarID(len(p.Vars))
			p.Vars = append(p.Vars, Var{Type: t})
			vars[at] = id
		}
		if in.Op == OpLoadPrivate {
			*in = Inst{Op: OpVarGet, Type: t, Args: [3]Value{NoValue, NoValue, NoValue}, Imm: uint64(id)}
		} else {
			*in = Inst{Op: OpVarSet, Args: [3]Value{in.Args[1], NoValue, NoValue}, Imm: uint64(id)}
		}
	})
	p.PrivateBytes = 0
	return true
}
