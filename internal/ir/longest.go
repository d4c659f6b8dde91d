package ir

// Longest returns how much an invocation of a program does at most: 1 for an operation on values,
// more for one that has an effect or asks memory. It is false where the program does not tell: with
// loops, whose turns nobody knows ahead, and with instructions that have others compiled, or tell
// somebody.
func (p *Program) Longest() (work int, known bool) {
	known = true
	each(p.Body.Stmts, func(s *Stmt) {
		switch in := &p.Insts[s.Inst]; in.Op {
		case OpImage, OpPrint, OpTrace:
			known = false
		default:
			if work++; !infos[in.Op].Pure {
				work += effectWork - 1
			}
		}
	}, func(l *Loop, _ int) { known = known && l.Once })
	return work, known
}

// effectWork is how many operations on values one on memory counts for.
const effectWork = 4
