package ir

// hoist moves operations that give the same wherever they stand, and whose operands
// come from outside a loop, to before it. Operations in a branch of the loop stay where
// the branch may save them, but for those that are the same for all lanes: one for each
// loop costs little beside one for each turn.
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
				h.lift(b, depth, false)
			}
		default:
			h.depth[s.Inst] = depth
		}
		h.w.stmts = append(h.w.stmts, s)
	}
	return h.w.close(mark, stmts)
}

// lift moves what is invariant out of a block of a loop, or of a branch of one.
func (h *hoister) lift(b *Block, depth int32, branch bool) {
	kept := b.Stmts[:0]
	for _, st := range b.Stmts {
		switch {
		case st.If != nil:
			h.lift(&st.If.Then, depth, true)
			h.lift(&st.If.Else, depth, true)
		case st.Loop != nil && st.Loop.Once:
			h.lift(&st.Loop.Body, depth, true)
		case st.Loop == nil && h.invariant(&h.p.Insts[st.Inst], depth) &&
			(!branch || h.p.Insts[st.Inst].Uniform):
			h.depth[st.Inst] = depth
			h.w.stmts = append(h.w.stmts, st)
			continue
		}
		kept = append(kept, st)
	}
	b.Stmts = kept
}

func (h *hoister) invariant(in *Inst, depth int32) bool {
	ok := h.p.steady(in) && in.Op != OpResult && in.Op != OpInterpolateAt
	in.Operands(func(v *Value) { ok = ok && h.depth[*v] <= depth })
	return ok
}
