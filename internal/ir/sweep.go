package ir

// sweep removes what has no effect: values that nothing uses, sets of Vars
// that nothing reads, branches that became empty. Then it renumbers
// instructions in statement order and drops unused Vars, so that tables
// indexed by Value are dense. Loops stay, for they may run out of fuel.
func sweep(p *Program) {
	s := &sweeper{p: p, live: make([]bool, len(p.Insts)), guard: make([]*If, len(p.Insts)), outer: map[*If]*If{}, sets: make([][]Value, len(p.Vars)), read: make([]bool, len(p.Vars))}
	s.scan(&p.Body, nil)
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
			for _, set := range s.sets[in.Imm] {
				s.mark(set)
			}
		}
		if !removable(p, in) || in.Op == OpVarSet {
			for g := s.guard[v]; g != nil; g = s.outer[g] {
				s.mark(g.Cond)
			}
		}
	}
	p.Body.Stmts = s.prune(p.Body.Stmts)
	s.renumber()
}

type sweeper struct {
	p     *Program
	live  []bool
	work  []Value
	guard []*If // innermost If around each instruction
	outer map[*If]*If
	sets  [][]Value
	read  []bool
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

func (s *sweeper) scan(b *Block, guard *If) {
	for i := range b.Stmts {
		st := &b.Stmts[i]
		switch {
		case st.If != nil:
			s.outer[st.If] = guard
			s.scan(&st.If.Then, st.If)
			s.scan(&st.If.Else, st.If)
		case st.Loop != nil:
			if !st.Loop.Once { // a loop that stays keeps its guards
				for g := guard; g != nil; g = s.outer[g] {
					s.mark(g.Cond)
				}
			}
			s.scan(&st.Loop.Body, guard)
			s.scan(&st.Loop.Continue, guard)
		default:
			in := &s.p.Insts[st.Inst]
			s.guard[st.Inst] = guard
			if in.Op == OpVarSet {
				s.sets[in.Imm] = append(s.sets[in.Imm], st.Inst)
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
	vars := make([]VarID, len(s.p.Vars))
	var keptVars []Var
	for i, v := range s.p.Vars {
		if s.read[i] {
			vars[i] = VarID(len(keptVars))
			keptVars = append(keptVars, v)
		}
	}
	to := make(replacement, len(s.p.Insts))
	n := 0
	for _, live := range s.live {
		if live {
			n++
		}
	}
	kept := make([]Inst, 0, n)
	var walk func(b *Block)
	walk = func(b *Block) {
		for i := range b.Stmts {
			st := &b.Stmts[i]
			switch {
			case st.If != nil:
				st.If.Cond = to[st.If.Cond]
				walk(&st.If.Then)
				walk(&st.If.Else)
			case st.Loop != nil:
				walk(&st.Loop.Body)
				walk(&st.Loop.Continue)
			default:
				in := s.p.Insts[st.Inst]
				to.operands(&in)
				if in.Op == OpVarGet || in.Op == OpVarSet {
					in.Imm = uint64(vars[in.Imm])
				}
				to[st.Inst] = Value(len(kept))
				st.Inst = Value(len(kept))
				kept = append(kept, in)
			}
		}
	}
	walk(&s.p.Body)
	s.p.Insts, s.p.Vars = kept, keptVars
}
