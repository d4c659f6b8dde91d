package ir

import "maps"

// promote forwards the value of a Var to its gets where one set, or one
// earlier get, is known to have determined it: in a straight line, and into
// the blocks below it. Sets that become useless are left to sweep.
//
// Under a mask this is right because what follows a set in its block and the
// blocks inside runs in lanes that the set wrote.
func promote(p *Program) {
	w := &promoter{p: p, r: newReplacement(p), known: map[VarID]Value{}}
	w.block(&p.Body)
}

type promoter struct {
	p     *Program
	r     replacement
	known map[VarID]Value
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
				if v, ok := w.known[id]; ok {
					w.r[s.Inst] = v
					continue
				}
				w.known[id] = s.Inst
			case OpVarSet:
				w.known[id] = in.Args[0]
			}
		}
		out = append(out, s)
	}
	b.Stmts = out
}

func (w *promoter) branch(s *If) {
	s.Cond = w.r.of(s.Cond)
	before := maps.Clone(w.known)
	w.block(&s.Then)
	w.known = maps.Clone(before)
	w.block(&s.Else)
	w.known = before
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
	// Sets of an earlier iteration arrive at the head, those before any
	// continue at the continue part, those before any break behind the loop.
	w.forget(&s.Body)
	w.forget(&s.Continue)
	before := maps.Clone(w.known)
	w.block(&s.Body)
	w.known = maps.Clone(before)
	w.block(&s.Continue)
	w.known = before
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
				delete(w.known, VarID(in.Imm))
			}
		}
	}
}
