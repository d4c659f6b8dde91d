package ir

// sweep removes what has no effect: values that nothing uses, sets of Vars
// that nothing reads, branches that became empty. Then it renumbers
// instructions in statement order and drops unused Vars, so that tables
// indexed by Value are dense. Loops stay, for they may run out of fuel; unloop knows of some that do not.
func sweep(p *Program, w *workspace) {
	n := len(p.Insts)
	s := &sweeper{
		p: p, w: w, live: Room(&w.flags[0], n), work: w.values[0][:0], guard: Room(&w.numbers[0], n), guards: append(w.guards[:0], guard{NoValue, 0}),
		lastSet: Room(&w.values[1], len(p.Vars)), setBefore: Room(&w.values[2], n), read: Room(&w.flags[1], len(p.Vars)),
	}
	for i := range s.lastSet {
		s.lastSet[i] = NoValue
	}
	s.scan(&p.Body, 0)
	for len(s.work) > 0 {
		v := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		in := &p.Insts[v]
		for _, a := range in.fixed() {
			s.mark(a)
		}
		for _, a := range in.More {
			s.mark(a)
		}
		if in.Op == OpVarGet && !s.read[in.Imm] {
			s.read[in.Imm] = true
			for set := s.lastSet[in.Imm]; set != NoValue; set = s.setBefore[set] {
				s.mark(set)
			}
		}
		if !removable(p, in) || in.Op == OpVarSet {
			s.markGuards(s.guard[v])
		}
	}
	w.values[0], w.guards = s.work, s.guards
	p.Body.Stmts = s.prune(p.Body.Stmts)
	s.renumber()
}

type sweeper struct {
	p      *Program
	w      *workspace
	live   []bool
	work   []Value
	guard  []int32 // innermost If around each instruction: its place in guards
	guards []guard // the first one stands for none
	// Sets of a Var as a list: the last one, and the one before each.
	lastSet, setBefore []Value
	read               []bool
}

// guard is an If: its condition, and the If around it. The condition becomes
// NoValue when it is marked, and with it those around.
type guard struct {
	cond  Value
	outer int32
}

// removable tells whether an unused instruction may go. A VarSet may if its
// Var is never read.
func removable(p *Program, in *Inst) bool {
	info := &infos[in.Op]
	return info.Pure || info.Reads || in.Op == OpNop || in.Op == OpVarSet || in.Op == OpImage && p.imageReads(in)
}

func (s *sweeper) mark(v Value) {
	if v >= 0 && !s.live[v] {
		s.live[v] = true
		s.work = append(s.work, v)
	}
}

// markGuards keeps the conditions of the If g and of those around it.
func (s *sweeper) markGuards(g int32) {
	for ; s.guards[g].cond != NoValue; g = s.guards[g].outer {
		s.mark(s.guards[g].cond)
		s.guards[g].cond = NoValue
	}
}

func (s *sweeper) scan(b *Block, around int32) {
	for i := range b.Stmts {
		st := &b.Stmts[i]
		switch {
		case st.If != nil:
			g := int32(len(s.guards))
			s.guards = append(s.guards, guard{st.If.Cond, around})
			s.scan(&st.If.Then, g)
			s.scan(&st.If.Else, g)
		case st.Loop != nil:
			if !st.Loop.Once { // a loop that stays keeps its guards
				s.markGuards(around)
			}
			s.scan(&st.Loop.Body, around)
			s.scan(&st.Loop.Continue, around)
		default:
			in := &s.p.Insts[st.Inst]
			s.guard[st.Inst] = around
			if in.Op == OpVarSet {
				s.setBefore[st.Inst], s.lastSet[in.Imm] = s.lastSet[in.Imm], st.Inst
			}
			if !removable(s.p, in) {
				s.mark(st.Inst)
			}
		}
	}
}

func (s *sweeper) prune(stmts []Stmt) []Stmt {
	out := stmts[:0]
	for _, st := range stmts {
		keep := true
		switch {
		case st.If != nil:
			st.If.Then.Stmts = s.prune(st.If.Then.Stmts)
			st.If.Else.Stmts = s.prune(st.If.Else.Stmts)
			keep = len(st.If.Then.Stmts)+len(st.If.Else.Stmts) > 0
		case st.Loop != nil:
			st.Loop.Body.Stmts = s.prune(st.Loop.Body.Stmts)
			st.Loop.Continue.Stmts = s.prune(st.Loop.Continue.Stmts)
			keep = !st.Loop.Once || len(st.Loop.Body.Stmts) > 0
		default:
			keep = s.live[st.Inst]
		}
		if keep {
			out = append(out, st)
		}
	}
	return out
}

func (s *sweeper) renumber() {
	vars := Room(&s.w.numbers[1], len(s.p.Vars))
	n := 0
	for i, v := range s.p.Vars {
		if s.read[i] {
			vars[i] = int32(n)
			s.p.Vars[n] = v
			n++
		}
	}
	s.p.Vars = s.p.Vars[:n]
	n = 0
	for _, live := range s.live {
		if live {
			n++
		}
	}
	r := &renumberer{p: s.p, vars: vars, to: Room(&s.w.values[1], len(s.p.Insts)), kept: make([]Inst, 0, n)}
	if len(s.p.Lines) > 0 {
		r.lines = make([]uint32, 0, n)
	}
	r.block(&s.p.Body)
	s.w.insts, s.p.Insts, s.p.Lines = s.p.Insts, r.kept, r.lines
}

type renumberer struct {
	p     *Program
	vars  []int32
	to    replacement
	kept  []Inst
	lines []uint32
}

func (r *renumberer) block(b *Block) {
	for i := range b.Stmts {
		st := &b.Stmts[i]
		switch {
		case st.If != nil:
			st.If.Cond = r.to[st.If.Cond]
			r.block(&st.If.Then)
			r.block(&st.If.Else)
		case st.Loop != nil:
			r.block(&st.Loop.Body)
			r.block(&st.Loop.Continue)
		default:
			r.kept = append(r.kept, r.p.Insts[st.Inst])
			switch v := int(st.Inst); {
			case v < len(r.p.Lines):
				r.lines = append(r.lines, r.p.Lines[v])
			case r.lines != nil:
				r.lines = append(r.lines, 0)
			}
			in := &r.kept[len(r.kept)-1]
			r.to.operands(in)
			if in.Op == OpVarGet || in.Op == OpVarSet {
				in.Imm = uint64(r.vars[in.Imm])
			}
			r.to[st.Inst] = Value(len(r.kept) - 1)
			st.Inst = Value(len(r.kept) - 1)
		}
	}
}
