package ir

// Diverge sets Inst.Uniform: the value is the same in all lanes of a batch.
// Constants, push constants and buffers at uniform offsets are uniform, and
// what is computed from uniform values. A Var is, if every set gives a uniform
// value under uniform control flow: no condition that differs between lanes
// around it, no loop that lanes leave at different times, and no continue of some lanes
// before it in the body of a loop. What continues a loop, such as the step of its
// counter, runs for all lanes that are still in it.
//
// The analysis starts from the assumption that everything is uniform and
// removes marks until nothing changes.
func Diverge(p *Program) { inWorkspace(func(w *workspace) { diverge(p, w) }) }

func diverge(p *Program, w *workspace) {
	d := &diverger{p: p, varies: Room(&w.flags[0], len(p.Insts)), placed: Room(&w.flags[1], len(p.Insts)), vars: Room(&w.vars, len(p.Vars)), around: w.around[:0]}
	for d.again = true; d.again; {
		d.again = false
		d.block(&p.Body)
	}
	w.around = d.around
	for i := range p.Insts {
		in := &p.Insts[i]
		in.Uniform = in.Type != Void && d.placed[i] && !d.varies[i]
	}
}

type diverger struct {
	p          *Program
	varies     []bool
	placed     []bool // instructions that a statement has: no others are marked
	vars       []divergingVar
	loopVaries map[*Loop]bool // lanes leave it at different times
	again      bool           // a mark was removed that a statement above it has relied on
	around     []construct
}

// divergingVar says that a Var varies, and that there is a get of it above.
type divergingVar struct{ varies, read bool }

// construct is an If or Loop around the present statement.
type construct struct {
	loop   *Loop // nil for an If
	varies bool  // of an If: its condition; of a Loop: some lanes have continued it before the present statement
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
			d.inside(construct{loop: s.Loop}, &s.Loop.Body)
			d.inside(construct{loop: s.Loop}, &s.Loop.Continue)
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
	case OpInput, OpDdxFine, OpDdyFine, OpDdxCoarse, OpDdyCoarse, OpAtomicBuffer, OpAtomicShared, OpLoadShared, OpLoadPrivate, OpInterpolateAt, OpIsHelper,
		OpGroup, OpWide, OpBlock, OpAtomicMem, OpLoadVertex, OpPixel, OpRecord, OpCovered, OpLoadTexel: // engines compute these in lanes
		varies = true
	case OpVarGet:
		d.vars[in.Imm].read = true
		varies = d.vars[in.Imm].varies
	case OpVarSet:
		if x := &d.vars[in.Imm]; !x.varies && (d.varies[in.Args[0]] || d.controlVaries()) {
			x.varies = true
			d.again = d.again || x.read
		}
		return
	case OpBreak, OpContinue:
		d.leave(in.Imm, in.Op == OpContinue)
		return
	default:
		for _, a := range in.fixed() {
			varies = varies || d.varies[a]
		}
		for _, a := range in.More {
			varies = varies || d.varies[a]
		}
		varies = varies || in.Op == OpImage && !d.p.ImageOps[in.Imm].Once() || in.Op == OpLoadMem && MemOf(in.Imm).Space != MemBuffer
	}
	if varies {
		d.varies[v] = true
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
// here. One that they continue they are still in.
func (d *diverger) leave(n uint64, continues bool) {
	some := false
	from := len(d.around)
	for from > 0 && n > 0 {
		from--
		c := d.around[from]
		if c.loop != nil {
			n--
		}
		if n > 0 || c.loop == nil || c.varies {
			some = some || d.constructVaries(c)
		}
	}
	if !some {
		return
	}
	if continues {
		d.around[from].varies = true
		from++
	}
	for _, c := range d.around[from:] {
		if c.loop != nil && !d.loopVaries[c.loop] {
			if d.loopVaries == nil {
				d.loopVaries = map[*Loop]bool{}
			}
			d.loopVaries[c.loop], d.again = true, true
		}
	}
}
