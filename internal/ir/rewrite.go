package ir

import "slices"

// Rewrite returns a copy of a finished program in which replace has built something else in the
// place of image instructions, inputs and outputs: it emits with b and returns the values that stand for the
// results, or false to leave the instruction as it is. Before all, prepare may add to the copy, and finish
// after all.
func Rewrite(p *Program, replace func(b *Builder, in *Inst) ([]Value, bool), prepare, finish func(b *Builder)) *Program {
	q := *p
	q.Body = Block{}
	q.Vars, q.Resources, q.Table = slices.Clone(p.Vars), slices.Clone(p.Resources), slices.Clone(p.Table)
	r := rewriter{b: NewBuilder(&q), replace: replace, results: map[Value][]Value{}, instead: make([]Value, len(p.Insts))}
	for i := range q.Insts {
		q.Insts[i].More = slices.Clone(q.Insts[i].More)
		r.instead[i] = Value(i)
	}
	prepare(r.b)
	r.block(&p.Body)
	finish(r.b)
	r.b.Finish()
	return &q
}

type rewriter struct {
	b       *Builder
	replace func(b *Builder, in *Inst) ([]Value, bool)
	instead []Value           // by value: what takes its place
	results map[Value][]Value // of the instructions that are gone
}

func (r *rewriter) block(from *Block) {
	b := r.b
	for _, s := range from.Stmts {
		switch {
		case s.If != nil:
			n := &If{Cond: r.instead[s.If.Cond]}
			b.cur.Stmts = append(b.cur.Stmts, Stmt{Inst: NoValue, If: n})
			b.In(&n.Then, func() { r.block(&s.If.Then) })
			b.In(&n.Else, func() { r.block(&s.If.Else) })
		case s.Loop != nil:
			n := &Loop{Once: s.Loop.Once, Source: s.Loop.Source}
			b.broken[n] = true // breaks keep the depths that they have
			b.cur.Stmts = append(b.cur.Stmts, Stmt{Inst: NoValue, Loop: n})
			b.In(&n.Body, func() { r.block(&s.Loop.Body) })
			b.In(&n.Continue, func() { r.block(&s.Loop.Continue) })
		default:
			r.inst(s)
		}
	}
}

func (r *rewriter) inst(s Stmt) {
	b := r.b
	in := &b.P.Insts[s.Inst]
	if in.Op == OpResult {
		if list, ok := r.results[in.Args[0]]; ok {
			r.instead[s.Inst] = list[in.Imm]
			return
		}
	}
	in.Operands(func(v *Value) {
		if *v >= 0 {
			*v = r.instead[*v]
		}
	})
	if in.Op == OpImage || in.Op == OpInput || in.Op == OpInterpolateAt || in.Op == OpOutput {
		asked := *in
		if list, ok := r.replace(b, &asked); ok {
			if r.results[s.Inst] = list; len(list) > 0 {
				r.instead[s.Inst] = list[0]
			}
			return
		}
	}
	b.cur.Stmts = append(b.cur.Stmts, s)
}
