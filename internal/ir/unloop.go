package ir

import "math"

// unloop removes loops that have no effect and are known to end, and makes loops whose turns all do the same one
// turn. No lane sees a difference, but for the time. A loop without effect that may be endless stays: it ends when it
// is out of fuel, and then its program does not.
func unloop(p *Program, w *workspace) {
	if !hasLoop(p.Body.Stmts) {
		return
	}
	u := newUnlooper(p, w)
	countGets(p, p.Body.Stmts, u.gets, 1)
	u.replace = u.instead
	u.changed = true
	round := 0
	for ; u.changed && round < 8; round++ { // what a loop reads keeps others
		u.changed = false
		clear(u.known)
		p.Body.Stmts = u.block(p.Body.Stmts, 0)
	}
	if round > 1 {
		sweep(p, w) // what the loops alone used
	}
}

func hasLoop(stmts []Stmt) bool {
	for i := range stmts {
		if s := &stmts[i]; s.Loop != nil || s.If != nil && (hasLoop(s.If.Then.Stmts) || hasLoop(s.If.Else.Stmts)) {
			return true
		}
	}
	return false
}

type unlooper struct {
	p       *Program
	w       *workspace
	gets    []int32          // of each Var, everywhere
	depth   []int32          // loops around each value's definition
	known   map[VarID]uint32 // Vars that all lanes present know to hold a constant
	spent   int              // turns of loops that were run
	written int              // cost of loops that were written out
	changed bool
	inner   bool // something in the loop that is looked at was replaced in this round
	// replace says what takes the place of a loop; false where it stays.
	replace func(l *Loop, depth int32) ([]Stmt, bool)
}

func newUnlooper(p *Program, w *workspace) *unlooper {
	return &unlooper{
		p: p, w: w, known: map[VarID]uint32{},
		gets: Room(&w.numbers[0], len(p.Vars)), depth: Room(&w.numbers[1], len(p.Insts)),
	}
}

// countGets adds n for each get of a Var in a list of statements.
func countGets(p *Program, stmts []Stmt, gets []int32, n int32) {
	each(stmts, func(s *Stmt) {
		if in := &p.Insts[s.Inst]; in.Op == OpVarGet {
			gets[in.Imm] += n
		}
	}, func(*Loop, int) {})
}

// each calls f for the instructions of a list of statements, and inside with 1 where it enters a loop and −1 where it
// leaves it.
func each(stmts []Stmt, f func(s *Stmt), inside func(l *Loop, in int)) {
	for i := range stmts {
		switch s := &stmts[i]; {
		case s.If != nil:
			each(s.If.Then.Stmts, f, inside)
			each(s.If.Else.Stmts, f, inside)
		case s.Loop != nil:
			inside(s.Loop, 1)
			each(s.Loop.Body.Stmts, f, inside)
			each(s.Loop.Continue.Stmts, f, inside)
			inside(s.Loop, -1)
		default:
			f(s)
		}
	}
}

// forget drops what is known of the Vars that are set in a list of statements.
func (u *unlooper) forget(stmts []Stmt) {
	each(stmts, func(s *Stmt) {
		if in := &u.p.Insts[s.Inst]; in.Op == OpVarSet {
			delete(u.known, VarID(in.Imm))
		}
	}, func(*Loop, int) {})
}

func (u *unlooper) block(stmts []Stmt, depth int32) []Stmt {
	mark := u.w.open()
	for _, s := range stmts {
		switch {
		case s.If != nil:
			for _, b := range [2]*Block{&s.If.Then, &s.If.Else} {
				was := u.known
				u.known = map[VarID]uint32{}
				for id, v := range was {
					u.known[id] = v
				}
				b.Stmts = u.block(b.Stmts, depth)
				u.known = was
			}
			u.forget(s.If.Then.Stmts)
			u.forget(s.If.Else.Stmts)
		case s.Loop != nil:
			before, changed := u.known, u.changed
			u.known, u.changed = map[VarID]uint32{}, false
			s.Loop.Body.Stmts = u.block(s.Loop.Body.Stmts, depth+1)
			clear(u.known)
			s.Loop.Continue.Stmts = u.block(s.Loop.Continue.Stmts, depth+1)
			u.known, u.inner = before, u.changed
			u.changed = u.changed || changed
			if instead, ok := u.replace(s.Loop, depth); ok {
				countGets(u.p, s.Loop.Body.Stmts, u.gets, -1)
				countGets(u.p, s.Loop.Continue.Stmts, u.gets, -1)
				u.changed = true
				u.forget(instead)
				u.w.stmts = append(u.w.stmts, instead...)
				continue
			}
			u.forget(s.Loop.Body.Stmts)
			u.forget(s.Loop.Continue.Stmts)
		default:
			in := &u.p.Insts[s.Inst]
			u.depth[s.Inst] = depth
			if in.Op == OpVarSet {
				delete(u.known, VarID(in.Imm))
				if c := &u.p.Insts[in.Args[0]]; c.Op == OpConst {
					u.known[VarID(in.Imm)] = uint32(c.Imm)
				}
			}
		}
		u.w.stmts = append(u.w.stmts, s)
	}
	return u.w.close(mark, stmts)
}

// instead are the sets that take the place of a loop: none where it has no effect, those that each turn repeats where that
// is all; false where the loop stays.
func (u *unlooper) instead(l *Loop, depth int32) (sets []Stmt, ok bool) {
	if l.Once || !u.quiet(l) {
		return nil, false
	}
	t := u.turnOf(l)
	read := 0 // sets of what others read
	for id, n := range t.sets {
		if u.gets[id] > t.gets[id] {
			if read++; n > 1 || t.gets[id] > 0 {
				return nil, false
			}
		}
	}
	if read > 0 && t.exits > 1 {
		return nil, false
	}
	stays, ends := u.ends(t, u.known)
	if !ends || read > 0 && !stays {
		return nil, false
	}
	for _, s := range t.always {
		if s.If != nil || s.Loop != nil || read == 0 {
			continue
		}
		if in := &u.p.Insts[s.Inst]; in.Op == OpVarSet && u.gets[in.Imm] > t.gets[VarID(in.Imm)] {
			if u.depth[in.Args[0]] > depth {
				return nil, false // it is something else in each turn
			}
			sets = append(sets, s)
			read--
		}
	}
	return sets, read == 0 // else some turns set it, and some do not
}

// quiet says that all that a loop does, besides what Vars hold, is to end; loops in it do.
func (u *unlooper) quiet(l *Loop) bool {
	quiet, around := true, uint64(1)
	see := func(s *Stmt) {
		in := &u.p.Insts[s.Inst]
		if in.Op == OpBreak || in.Op == OpContinue {
			quiet = quiet && in.Imm <= around
			return
		}
		quiet = quiet && removable(u.p, in)
	}
	inside := func(inner *Loop, in int) {
		around += uint64(in)
		if in > 0 && quiet && !inner.Once {
			_, ends := u.ends(u.turnOf(inner), nil)
			quiet = ends
		}
	}
	each(l.Body.Stmts, see, inside)
	each(l.Continue.Stmts, see, inside)
	return quiet
}

// turn is what there is to know of a loop's turns.
type turn struct {
	always     []Stmt // what each turn runs but for what it leaves the loop before: neither branches around it nor continues
	at         map[Value]int
	sets, gets map[VarID]int32
	own        map[Value]bool // its instructions
	exits      int            // breaks and continues to the loop
	leaves     bool           // others go to loops around it
}

func (u *unlooper) turnOf(l *Loop) *turn {
	t := &turn{at: map[Value]int{}, sets: map[VarID]int32{}, gets: map[VarID]int32{}, own: map[Value]bool{}}
	around, continues := uint64(1), false
	see := func(s *Stmt) {
		t.own[s.Inst] = true
		switch in := &u.p.Insts[s.Inst]; in.Op {
		case OpVarSet:
			t.sets[VarID(in.Imm)]++
		case OpVarGet:
			t.gets[VarID(in.Imm)]++
		case OpBreak, OpContinue:
			switch {
			case in.Imm == around:
				t.exits++
				continues = continues || in.Op == OpContinue
			case in.Imm > around:
				t.leaves = true
			}
		}
	}
	inside := func(_ *Loop, in int) { around += uint64(in) }
	for _, b := range [2]*Block{&l.Body, &l.Continue} {
		for i := range b.Stmts {
			if !continues || b == &l.Continue {
				t.at[b.Stmts[i].Inst] = len(t.always)
				t.always = append(t.always, b.Stmts[i])
			}
			each(b.Stmts[i:i+1], see, inside)
		}
	}
	return t
}

// exit says whether a statement of a loop leaves it, and does so where its condition is so.
func (u *unlooper) exit(s *Stmt) (where, ok bool) {
	if s.If == nil {
		return false, false
	}
	leaves := func(b *Block) bool {
		if len(b.Stmts) != 1 || b.Stmts[0].If != nil || b.Stmts[0].Loop != nil {
			return false
		}
		in := &u.p.Insts[b.Stmts[0].Inst]
		return in.Op == OpBreak && in.Imm == 1
	}
	if leaves(&s.If.Then) {
		return true, true
	}
	return false, leaves(&s.If.Else)
}

// ends says whether a loop ends in all lanes, whatever Vars hold that are not in starts, and whether its first turn is
// known to be a whole one.
func (u *unlooper) ends(t *turn, starts map[VarID]uint32) (stays, ends bool) {
	for i := range t.always {
		where, ok := u.exit(&t.always[i])
		if !ok {
			continue
		}
		c := counter{u: u, t: t, leaves: where, set: -1}
		if !c.find(t.always[i].If.Cond) || c.set < 0 {
			continue
		}
		start, known := starts[c.id]
		if known && !c.free {
			stays = c.stays(start)
		}
		if c.passes(t.always[i].If.Cond) || known && !c.free && c.runs(start) {
			return stays, true
		}
	}
	return false, false
}

// counter is a Var that decides when a loop ends: each turn sets it once, to something that is made of what it was, of
// constants, and of what the loop does not change.
type counter struct {
	u      *unlooper
	t      *turn
	id     VarID
	found  bool
	set    int   // which of t.always
	cond   Value // of leaving
	step   Value // what it becomes
	leaves bool  // where the condition holds, or where it does not
	free   bool  // something unknown has to do with it
	size   int   // operations to compute a turn
}

// find looks through what makes a condition, and what makes the counter's next value.
func (c *counter) find(cond Value) bool {
	c.cond = cond
	if !c.made(cond, 0) || !c.found || c.t.sets[c.id] != 1 {
		return false
	}
	for i, s := range c.t.always {
		if s.If == nil && s.Loop == nil {
			if in := &c.u.p.Insts[s.Inst]; in.Op == OpVarSet && VarID(in.Imm) == c.id {
				c.set, c.step = i, in.Args[0]
				return c.made(c.step, 0)
			}
		}
	}
	return false
}

// maxCounter bounds the operations that make a condition or a step.
const maxCounter = 32

// made says that a value is made of constants, of the counter, and of what the loop does not change.
func (c *counter) made(v Value, depth int) bool {
	in := &c.u.p.Insts[v]
	_, inside := c.t.at[v]
	if c.size++; c.size > maxCounter || depth > maxCounter {
		return false
	}
	switch {
	case in.Op == OpConst:
		return true
	case in.Op == OpVarGet && inside:
		if c.t.sets[VarID(in.Imm)] == 0 { // the loop does not change it
			c.free = true
			return true
		}
		if c.found && c.id != VarID(in.Imm) {
			return false
		}
		c.id, c.found = VarID(in.Imm), true
		return true
	case !c.t.own[v]:
		c.free = true
		return true
	case !inside || !Evaluates(in.Op):
		return false
	}
	for _, a := range in.fixed() {
		if !c.made(a, depth+1) {
			return false
		}
	}
	return true
}

// value computes a value in a turn in which the counter was old, and has become next if next is known.
func (c *counter) value(v Value, old, next uint32) uint32 {
	in := &c.u.p.Insts[v]
	switch in.Op {
	case OpConst:
		return uint32(in.Imm)
	case OpVarGet:
		if c.t.at[v] > c.set {
			return next
		}
		return old
	}
	var x [3]uint32
	for i, a := range in.fixed() {
		x[i] = c.value(a, old, next)
	}
	bits, _ := Eval(in.Op, x[0], x[1], x[2])
	return bits
}

// stays says that a turn does not leave the loop in which the counter was x.
func (c *counter) stays(x uint32) bool {
	return (c.value(c.cond, x, c.value(c.step, x, 0)) != 0) != c.leaves
}

// maxTurns bounds the turns of loops that are run to see whether they end, in all of a program.
const maxTurns = 1 << 16

// runs says that the loop ends soon, from a start.
func (c *counter) runs(x uint32) bool {
	for c.stays(x) {
		if c.u.spent += 1 + c.size/8; c.u.spent > maxTurns {
			return false
		}
		x = c.value(c.step, x, 0)
	}
	return true
}

// passes says that the counter goes on by a constant until it passes a bound, wherever it starts. It must not step over
// the bound and the end of all numbers at once.
func (c *counter) passes(cond Value) bool {
	stay := !c.leaves
	in := &c.u.p.Insts[cond]
	for ; in.Op == OpNot; in = &c.u.p.Insts[in.Args[0]] {
		stay = !stay
	}
	step, ok := c.linear(c.step)
	if !ok || step == 0 {
		return false
	}
	a, b := in.Args[0], in.Args[1]
	left := true // the counter is
	if _, ok := c.linear(a); !ok {
		a, b, left = b, a, false
	}
	if in.Op != OpIEq && in.Op != OpINe && in.Op != OpSLt && in.Op != OpSLe && in.Op != OpULt && in.Op != OpULe {
		return false
	}
	if _, ok := c.linear(a); !ok || c.changes(b) {
		return false
	}
	op := in.Op
	if !stay { // the comparison of staying
		switch op {
		case OpIEq:
			op = OpINe
		case OpINe:
			op = OpIEq
		default: // !(x < y) is y ≤ x, !(x ≤ y) is y < x
			op = map[Op]Op{OpSLt: OpSLe, OpSLe: OpSLt, OpULt: OpULe, OpULe: OpULt}[op]
			left = !left
		}
	}
	switch op {
	case OpIEq:
		return true // the next turn's is another
	case OpINe:
		return step&1 != 0 // it gets to each number
	}
	// Staying is x < b or x ≤ b where the counter is on the left, b < x or b ≤ x else. Mirrored, the second case is the first.
	size := int64(int32(step))
	if !left {
		size = -size
	}
	if size <= 0 {
		return false
	}
	bound, known := int64(0), false
	if k := &c.u.p.Insts[b]; k.Op == OpConst {
		bound, known = int64(int32(k.Imm)), true
		if op == OpULt || op == OpULe {
			bound = int64(uint32(k.Imm))
		}
	}
	least, most := int64(math.MinInt32), int64(math.MaxInt32)
	if op == OpULt || op == OpULe {
		least, most = 0, math.MaxUint32
	}
	room := int64(0) // from the last number for which it stays to the end of all numbers, at least
	switch strict := op == OpSLt || op == OpULt; {
	case known && left:
		room = most - bound
	case known:
		room = bound - least
	case strict: // of whatever bound
	default:
		return false
	}
	if op == OpSLt || op == OpULt {
		room++
	}
	return size <= room
}

// changes says that a value is not the same in each turn.
func (c *counter) changes(v Value) bool {
	in := &c.u.p.Insts[v]
	switch {
	case in.Op == OpConst || !c.t.own[v]:
		return false
	case in.Op == OpVarGet:
		return c.t.sets[VarID(in.Imm)] > 0
	case !Evaluates(in.Op):
		return true
	}
	for _, a := range in.fixed() {
		if c.changes(a) {
			return true
		}
	}
	return false
}

// linear says that a value is the counter and a constant, which it returns.
func (c *counter) linear(v Value) (plus uint32, ok bool) {
	in := &c.u.p.Insts[v]
	switch {
	case in.Op == OpVarGet && VarID(in.Imm) == c.id && c.t.own[v]:
		return 0, true
	case in.Op != OpIAdd && in.Op != OpISub:
		return 0, false
	}
	constant := func(v Value) (uint32, bool) { k := &c.u.p.Insts[v]; return uint32(k.Imm), k.Op == OpConst }
	if k, known := constant(in.Args[1]); known {
		if in.Op == OpISub {
			k = -k
		}
		x, ok := c.linear(in.Args[0])
		return x + k, ok
	}
	if k, known := constant(in.Args[0]); known && in.Op == OpIAdd {
		x, ok := c.linear(in.Args[1])
		return x + k, ok
	}
	return 0, false
}
