package ir

// Diverge sets Inst.Uniform: the value is the same in all lanes of a batch.
// Constants, push constants and buffers at uniform offsets are uniform, and
// what is computed from uniform values. A Var is, if every set gives a uniform
// value under uniform control flow: no condition that differs between lanes
// around it, no loop that lanes leave at different times, and no continue of some lanes
// before it in the body of a loop. What continues a loop, such as the step of its
// counter, runs for all lanes that are still in it. Lanes that have returned early miss what is
// set behind that, but nobody tells where the Var is read there only.
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
	reads      *varReads // nil until somebody asks
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
		if x := &d.vars[in.Imm]; !x.varies && (d.varies[in.Args[0]] || d.setVaries(VarID(in.Imm))) {
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

// setVaries says that only some of the lanes that read a Var may run a set of it here.
func (d *diverger) setVaries(v VarID) bool {
	again := false // what is around runs several times
	for _, c := range d.around {
		again = again || c.loop != nil && !c.loop.Once
		if d.constructVaries(c) && (again || c.loop == nil || !d.readsIn(c.loop, v)) {
			return true
		}
	}
	return false
}

// varReads says where loops with one turn are, and where each Var is read, as numbers of statements.
type varReads struct {
	n     int32
	loops map[*Loop][2]int32
	vars  [][2]int32
}

// readsIn says that a Var is read in a loop only, which has one turn.
func (d *diverger) readsIn(l *Loop, v VarID) bool {
	if d.reads == nil {
		d.reads = &varReads{loops: map[*Loop][2]int32{}, vars: make([][2]int32, len(d.p.Vars))}
		d.reads.block(d.p, &d.p.Body)
	}
	in, at := d.reads.loops[l], d.reads.vars[v]
	return in[0] <= at[0] && at[1] <= in[1]
}

func (r *varReads) block(p *Program, b *Block) {
	for i := range b.Stmts {
		s := &b.Stmts[i]
		r.n++
		switch from := r.n; {
		case s.If != nil:
			r.block(p, &s.If.Then)
			r.block(p, &s.If.Else)
		case s.Loop != nil:
			r.block(p, &s.Loop.Body)
			r.block(p, &s.Loop.Continue)
			if s.Loop.Once {
				r.loops[s.Loop] = [2]int32{from, r.n}
			}
		default:
			if in := &p.Insts[s.Inst]; in.Op == OpVarGet {
				x := &r.vars[in.Imm]
				if x[0] == 0 {
					x[0] = r.n
				}
				x[1] = r.n
			}
		}
	}
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
