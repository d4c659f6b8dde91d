package vm

import "github.com/pumice-gpu/pumice/internal/ir"

// Which breaks and continues all lanes of their loop take together: those are jumps, and a loop
// that has no others needs no masks.

// loopMasks are the masks that a loop needs: of the lanes that are still inside, where some leave
// earlier than others, and of those of the present iteration, where some continue earlier.
type loopMasks struct{ inside, turn bool }

// leaver finds what the breaks and continues of a program do.
type leaver struct {
	p       *ir.Program
	uniform []bool // by value
	// masked are those that only some lanes take, by value, and loops the masks of loops that
	// need any.
	masked []bool
	loops  map[*ir.Loop]loopMasks
	around []enclosure
	again  bool
}

// enclosure is an If or a Loop around a statement.
type enclosure struct {
	loop    *ir.Loop // nil for an If
	varies  bool     // of an If: its condition
	waiting bool     // of a Loop: lanes may have left the present iteration
}

// leaves finds masks and masked leaves of a program. It begins with none, and adds what these
// ask for until nothing changes.
func leaves(p *ir.Program, uniform []bool, masked []bool) map[*ir.Loop]loopMasks {
	l := &leaver{p: p, uniform: uniform, masked: masked, loops: map[*ir.Loop]loopMasks{}}
	for l.again = true; l.again; {
		l.again = false
		l.block(&p.Body)
	}
	return l.loops
}

func (l *leaver) block(b *ir.Block) {
	for i := range b.Stmts {
		switch s := &b.Stmts[i]; {
		case s.If != nil:
			l.around = append(l.around, enclosure{varies: !l.uniform[s.If.Cond]})
			l.block(&s.If.Then)
			l.block(&s.If.Else)
			l.around = l.around[:len(l.around)-1]
		case s.Loop != nil:
			l.around = append(l.around, enclosure{loop: s.Loop})
			l.block(&s.Loop.Body)
			l.around[len(l.around)-1].waiting = false
			l.block(&s.Loop.Continue)
			l.around = l.around[:len(l.around)-1]
		default:
			if in := &l.p.Insts[s.Inst]; in.Op == ir.OpBreak || in.Op == ir.OpContinue {
				l.leave(s.Inst, in)
			}
		}
	}
}

// leave looks at a break or continue: it is masked where a condition that varies stands between
// it and its loop, or a loop that lanes leave at different times. Lanes that have continued are
// to stay inside: so a break behind them is, too.
func (l *leaver) leave(v ir.Value, in *ir.Inst) {
	n, at := in.Imm, len(l.around)
	masked := l.masked[v]
	for at > 0 && n > 0 {
		at--
		switch e := &l.around[at]; {
		case e.loop == nil:
			masked = masked || e.varies
		case n == 1:
			masked = masked || in.Op == ir.OpBreak && e.waiting
			n--
		default:
			masked = masked || l.loops[e.loop] != loopMasks{}
			n--
		}
	}
	if !masked || n > 0 { // more loops than there are are an error elsewhere
		return
	}
	l.masked[v] = true
	for i := range l.around[at:] {
		e := &l.around[at+i]
		if e.loop == nil {
			continue
		}
		need := l.loops[e.loop]
		if i == 0 && in.Op == ir.OpContinue {
			need.turn, e.waiting = true, true
		} else {
			need.inside = true
		}
		if need != l.loops[e.loop] {
			l.loops[e.loop], l.again = need, true
		}
	}
}
