package ir

// promote forwards the value of a Var to its gets where one set, or one
// earlier get, is known to have determined it: in a straight line, and into
// the blocks below it. Sets that become useless are left to sweep. The continue
// part of a loop that nothing continues early is the end of its body.
//
// Under a mask this is right because what follows a set in its block and the
// blocks inside runs in lanes that the set wrote.
func promote(p *Program, space *workspace) {
	w := &promoter{p: p, r: space.replacements(p), known: Room(&space.values[0], len(p.Vars)), log: space.log[:0]}
	for i := range w.known {
		w.known[i] = NoValue
	}
	w.block(&p.Body)
	space.log = w.log
}

type promoter struct {
	p     *Program
	r     replacement
	known []Value // by Var; NoValue where nothing is known
	log   []forgotten
}

// forgotten is what was known about a Var before a change.
type forgotten struct {
	id  VarID
	was Value
}

func (w *promoter) learn(id VarID, v Value) {
	if was := w.known[id]; was != v {
		w.log = append(w.log, forgotten{id, was})
		w.known[id] = v
	}
}

// inside runs a block whose changes to what is known end with it.
func (w *promoter) inside(b *Block) {
	mark := len(w.log)
	w.block(b)
	for i := len(w.log) - 1; i >= mark; i-- {
		w.known[w.log[i].id] = w.log[i].was
	}
	w.log = w.log[:mark]
}

func (w *promoter) block(b *Block) {
	out := b.Stmts[:0]
	for _, s := range b.Stmts {
		switch {
		case s.If != nil:
			w.branch(s.If)
		case s.Loop != nil:
			w.loop(s.Loop)
		default:
			in := &w.p.Insts[s.Inst]
			w.r.operands(in)
			id := VarID(in.Imm)
			switch in.Op {
			case OpVarGet:
				if v := w.known[id]; v != NoValue {
					w.r[s.Inst] = v
					continue
				}
				w.learn(id, s.Inst)
			case OpVarSet:
				w.learn(id, in.Args[0])
			}
		}
		out = append(out, s)
	}
	b.Stmts = out
}

func (w *promoter) branch(s *If) {
	s.Cond = w.r.of(s.Cond)
	w.inside(&s.Then)
	w.inside(&s.Else)
	// Lanes that left through a break or continue are not there to see what
	// their branch set.
	for _, b := range [2]*Block{&s.Then, &s.Else} {
		if !w.leaves(b) {
			w.forget(b)
		}
	}
}

func (w *promoter) leaves(b *Block) bool {
	if len(b.Stmts) == 0 {
		return false
	}
	last := &b.Stmts[len(b.Stmts)-1]
	if last.If != nil || last.Loop != nil {
		return false
	}
	op := w.p.Insts[last.Inst].Op
	return op == OpBreak || op == OpContinue
}

func (w *promoter) loop(s *Loop) {
	if len(s.Continue.Stmts) > 0 && !w.leaves(&s.Body) && !w.continues(s) {
		// All lanes get from one part to the next, with all values.
		s.Body.Stmts = append(s.Body.Stmts, s.Continue.Stmts...)
		s.Continue.Stmts = nil
	}
	// Sets of an earlier iteration arrive at the head, those before any
	// continue at the continue part, those before any break behind the loop.
	w.forget(&s.Body)
	w.forget(&s.Continue)
	w.inside(&s.Body)
	w.inside(&s.Continue)
}

// continues tells whether a loop's body goes on to its continue part from elsewhere than its end.
func (w *promoter) continues(s *Loop) bool {
	found, around := false, uint64(1)
	each(s.Body.Stmts, func(s *Stmt) {
		in := &w.p.Insts[s.Inst]
		found = found || in.Op == OpContinue && in.Imm == around
	}, func(_ *Loop, in int) { around += uint64(in) })
	return found
}

// forget drops what is known about the Vars that b sets.
func (w *promoter) forget(b *Block) {
	for i := range b.Stmts {
		switch s := &b.Stmts[i]; {
		case s.If != nil:
			w.forget(&s.If.Then)
			w.forget(&s.If.Else)
		case s.Loop != nil:
			w.forget(&s.Loop.Body)
			w.forget(&s.Loop.Continue)
		default:
			if in := &w.p.Insts[s.Inst]; in.Op == OpVarSet {
				w.learn(VarID(in.Imm), NoValue)
			}
		}
	}
}
