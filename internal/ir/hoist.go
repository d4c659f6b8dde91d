package ir

// hoist moves operations that give the same wherever they stand, and whose operands
// come from outside a loop, to before it. Operations in a branch of the loop stay where
// the branch may save them.
func hoist(p *Program, w *workspace) {
	h := &hoister{p: p, w: w, depth: Room(&w.numbers[0], len(p.Insts))}
	p.Body.Stmts = h.block(p.Body.Stmts, 0)
}

type hoister struct {
	p     *Program
	w     *workspace
	depth []int32 // loops around each value's definition
}

func (h *hoister) block(stmts []Stmt, depth int32) []Stmt {
	mark := h.w.open()
	for _, s := range stmts {
		switch {
		case s.If != nil:
			s.If.Then.Stmts = h.block(s.If.Then.Stmts, depth)
			s.If.Else.Stmts = h.block(s.If.Else.Stmts, depth)
		case s.Loop != nil && s.Loop.Once:
			s.Loop.Body.Stmts = h.block(s.Loop.Body.Stmts, depth)
		case s.Loop != nil:
			for _, b := range [2]*Block{&s.Loop.Body, &s.Loop.Continue} {
				b.Stmts = h.block(b.Stmts, depth+1)
				kept := b.Stmts[:0]
				for _, st := range b.Stmts {
					if st.If == nil && st.Loop == nil && h.invariant(&h.p.Insts[st.Inst], depth) {
						h.depth[st.Inst] = depth
						h.w.stmts = append(h.w.stmts, st)
						continue
					}
					kept = append(kept, st)
				}
				b.Stmts = kept
			}
		default:
			h.depth[s.Inst] = depth
		}
		h.w.stmts = append(h.w.stmts, s)
	}
	return h.w.close(mark, stmts)
}

func (h *hoister) invariant(in *Inst, depth int32) bool {
	ok := h.p.steady(in) && in.Op != OpResult && in.Op != OpInterpolateAt
	in.Operands(func(v *Value) { ok = ok && h.depth[*v] <= depth })
	return ok
}
