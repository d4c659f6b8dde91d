package ir

// Diverge sets Inst.Uniform: the value is the same in all lanes of a batch.
// Constants, push constants and buffers at uniform offsets are uniform, and
// what is computed from uniform values. A Var is, if every set gives a uniform
// value under uniform control flow: no condition that differs between lanes
// around it, and no loop that lanes leave or continue at different times.
//
// The analysis starts from the assumption that everything is uniform and
// removes marks until nothing changes.
func Diverge(p *Program) {
	d := &diverger{p: p, varies: make([]bool, len(p.Insts)), placed: make([]bool, len(p.Insts)), varVaries: make([]bool, len(p.Vars)), loopVaries: map[*Loop]bool{}}
	for d.changed = true; d.changed; {
		d.changed = false
		d.block(&p.Body)
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		in.Uniform = in.Type != Void && d.placed[i] && !d.varies[i]
	}
}

type diverger struct {
	p          *Program
	varies     []bool
	placed     []bool // instructions that a statement has: no others are marked
	varVaries  []bool
	loopVaries map[*Loop]bool
	changed    bool
	around     []construct
}

// construct is an If or Loop around the present statement.
type construct struct {
	loop   *Loop // nil for an If
	varies bool  // of an If: its condition
}

func (d *diverger) constructVaries(c construct) bool {
	return c.varies || c.loop != nil && d.loopVaries[c.loop]
}

func (d *diverger) block(b *Block) {
	for i := range b.Stmts {
		s := &b.Stmts[i]
		switch {
		case s.If != nil:
			d.inside(construct{varies: d.varies[s.If.Cond]}, &s.If.Then, &s.If.Else)
		case s.Loop != nil:
			d.inside(construct{loop: s.Loop}, &s.Loop.Body, &s.Loop.Continue)
		default:
			d.inst(s.Inst, &d.p.Insts[s.Inst])
		}
	}
}

func (d *diverger) inside(c construct, blocks ...*Block) {
	d.around = append(d.around, c)
	for _, b := range blocks {
		d.block(b)
	}
	d.around = d.around[:len(d.around)-1]
}

func (d *diverger) inst(v Value, in *Inst) {
	d.placed[v] = true
	varies := false
	switch in.Op {
	case OpInput, OpDdxFine, OpDdyFine, OpDdxCoarse, OpDdyCoarse, OpAtomicBuffer, OpAtomicShared, OpLoadShared, OpLoadPrivate, OpImage, OpInterpolateAt, OpIsHelper,
		OpGroup, OpWide, OpLoadMem, OpAtomicMem, OpLoadVertex: // engines compute these in lanes
		varies = true
	case OpVarGet:
		varies = d.varVaries[in.Imm]
	case OpVarSet:
		if !d.varVaries[in.Imm] && (d.varies[in.Args[0]] || d.controlVaries()) {
			d.varVaries[in.Imm], d.changed = true, true
		}
		return
	case OpBreak, OpContinue:
		d.leave(in.Imm)
		return
	default:
		for _, a := range in.fixed() {
			varies = varies || d.varies[a]
		}
		for _, a := range in.More {
			varies = varies || d.varies[a]
		}
	}
	if varies && !d.varies[v] {
		d.varies[v], d.changed = true, true
	}
}

func (d *diverger) controlVaries() bool {
	for _, c := range d.around {
		if d.constructVaries(c) {
			return true
		}
	}
	return false
}

// leave marks the loops up to the n-th, if only some lanes of that loop come
// here.
func (d *diverger) leave(n uint64) {
	some := false
	from := len(d.around)
	for from > 0 && n > 0 {
		from--
		c := d.around[from]
		if c.loop != nil {
			n--
		}
		if n > 0 || c.loop == nil {
			some = some || d.constructVaries(c)
		}
	}
	if !some {
		return
	}
	for _, c := range d.around[from:] {
		if c.loop != nil && !d.loopVaries[c.loop] {
			d.loopVaries[c.loop], d.changed = true, true
		}
	}
}
