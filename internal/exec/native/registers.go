package native

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// # Registers of values and names
//
// A list's vector and mask registers are numbers: names, which one instruction's steps work with,
// and values, which stand for lane registers, masks and words for all lanes, from the first step
// that writes one to the last that reads it. allocator gives them registers behind the emitters,
// step after step. A value that others push out of its register is in memory from there on, until
// it is loaded again: its life is split. Memory has such a value all the while, since what writes
// it stores it, too. So where ways join, what registers do not have on all of them is only
// forgotten, and nothing but a jump back to a loop's begin has to load what is expected there.

// Names of mask registers are the last ones.
const (
	firstName     = mir.FirstName
	firstMaskName = firstName + 24
	firstValue    = mir.FirstValue
	inHome        = 0xFF // the register of a value that is an operand where memory has it
)

// never is a step behind all others.
const never = math.MaxInt32

// Registers are of two files.
const (
	vectorFile = iota
	maskFile
	files
)

// number is what is known of a value or name.
type number struct {
	first, last int32 // steps that it lives in
	next        int32 // the step that has it next
	seen, at    int32 // its use in the present step is at at, where seen is that step, plus 1
	given       bool  // memory has it from the begin on: nothing writes it
	homed       bool  // what writes it stores it
	turns       bool  // its last step is only that behind a loop that has it until its end
	has         bool  // it is in reg
	reg         uint8
}

// use is what a step does with a number: in its instructions from first to last in the list.
type use struct {
	number      mir.Number
	first, last int32
	next        int32 // the step that has it next
	does        useFlags
	reg         uint8
}

type useFlags uint8

const (
	useReads  useFlags = 1 << iota // finds what was there before
	useWrites                      // in line
	useFixed                       // needs a register in line
	useMain                        // is in line
	useCold                        // is out of line
	useAround                      // each instruction loads and stores it
	useTwice                       // by several instructions
	useFolded                      // memory is the operand
)

// section are steps: instructions of a list whose names have one meaning, and the registers of
// their numbers: placed from given to to.
type section struct {
	listPart
	placed, to int32
}

// placed is the register of a number.
type placed struct {
	number mir.Number
	reg    uint8
}

// holders are the values that registers have, 0 for none.
type holders [files][firstName]mir.Number

// way is what registers have on all jumps to a label so far, the last of which is in step from.
type way struct {
	holders
	from int32
}

// turns is a loop: its first instruction, its steps, what its begin expects in registers, and how
// many it needs at once.
type turns struct {
	inst, first, end int32
	holders
	needs [files]int32
}

// wrap says which step has a value next behind a loop, whose end counts as a use of what its begin
// expects.
type wrap struct {
	number     mir.Number
	step, next int32
}

// moves are where the loads of a step begin: before its label, behind it, and before its jump.
type moves struct{ enter, begin, jump, placed int32 }

// allocator gives the numbers of a list registers.
type allocator struct {
	machine   *Machine
	masks     func(mir.Number) bool      // which are of the mask file
	foldable  func(mir.Number) bool      // which are operands in memory as they are there
	stays     func(mir.Instruction) bool // stores behind the block of what memory may have
	begin     int32                      // the first step of a strip
	code      []Inst
	list      mir.Code
	cold      mir.Code
	sections  []section
	has, also mir.Uses // of instructions

	numbers []number
	uses    []use
	of      []int32 // where the uses of each step begin
	loops   []turns
	wraps   []wrap

	holders
	free   [files]uint32
	ways   []way
	wayTo  []int32 // by instruction, plus 1
	stepOf []int32 // the first of each instruction
	now    int32
	dying  []int32 // uses of the step whose registers are free behind their last instruction

	loads       []placed
	moves       []moves
	placed      []placed
	full, fails bool // the step has too few registers, and the list cannot be written
}

// registersOf are those that a file has for numbers: k0 says that there is no mask, and the last
// one has the lanes that exist.
func (v *Machine) registersOf(file int) uint32 {
	if file == maskFile {
		return 1<<(v.masks+1) - 2
	}
	return uint32(1<<v.values - 1)
}

func (a *allocator) file(z mir.Number) int {
	if a.masks(z) {
		return maskFile
	}
	return vectorFile
}

// allocate chooses registers for all steps.
func (a *allocator) allocate() {
	a.scan()
	a.findTurns()
	a.findNext()
	a.free = [files]uint32{a.machine.registersOf(vectorFile), a.machine.registersOf(maskFile)}
	a.wayTo, a.stepOf = make([]int32, len(a.code)+1), make([]int32, len(a.code)+1)
	last := len(a.sections) - 1 // of instructions
	for last > int(a.begin) && a.sections[last].inst < 0 {
		last--
	}
	for k, inst := len(a.sections)-1, len(a.code); inst >= 0; inst-- { // or of what is behind it
		for k > int(a.begin) && (a.sections[k-1].inst >= inst || a.sections[k-1].inst < 0 && k-1 > last) {
			k--
		}
		a.stepOf[inst] = int32(k)
	}
	reached, inst := true, 0
	for k := range a.sections {
		a.now = int32(k)
		s := &a.sections[k]
		if a.now == a.begin {
			a.become(&holders{})
		}
		m := moves{enter: int32(len(a.loads)), placed: int32(len(a.placed))}
		joins := false
		for ; a.now >= a.begin && inst <= len(a.code) && a.stepOf[inst] == a.now; inst++ {
			joins = joins || a.wayTo[inst] != 0
			reached = a.join(inst, reached)
			a.enter(inst, reached && !joins)
		}
		m.begin = int32(len(a.loads))
		a.step()
		m.jump = int32(len(a.loads))
		ends := k == len(a.sections)-1 || a.sections[k+1].inst != s.inst
		if a.now >= a.begin && s.inst >= 0 && ends {
			reached = a.leave(s)
		}
		a.moves = append(a.moves, m)
		a.pass()
	}
	a.moves = append(a.moves, moves{enter: int32(len(a.loads)), placed: int32(len(a.placed))})
}

// scan finds out what steps do with numbers.
func (a *allocator) scan() {
	list := &a.has
	labels := map[int]int32{} // of the step: where they are
	from, cold := 0, 0
	for k, s := range a.sections {
		a.of = append(a.of, int32(len(a.uses)))
		clear(labels)
		for p := from; p < s.end; p++ {
			in := a.list.At(p)
			if l := in.Label(); l >= 0 {
				labels[l] = int32(p)
			} else if l, _ := in.Target(); l >= 0 {
				if at, ok := labels[l]; ok { // what a turn reads, the next one does, too
					for i := a.of[k]; i < int32(len(a.uses)); i++ {
						if u := &a.uses[i]; (u.first < at || u.does&useReads != 0) && u.last >= at {
							u.last = int32(p)
						}
					}
				}
			}
			in.Clear()
			if in.Uses(list); s.inst < 0 && a.stays(in) {
				a.useOf(int32(k), int32(p), list.Of[0].Number, useMain).does |= useReads
				continue
			}
			a.meet(int32(k), int32(p), list, useMain)
		}
		for p := cold; p < s.cold; p++ {
			in := a.cold.At(p)
			in.Clear()
			in.Uses(list)
			a.meet(int32(k), int32(p), list, useCold)
		}
		from, cold = s.end, s.cold
	}
	a.of = append(a.of, int32(len(a.uses)))
	for z := range a.numbers {
		if n := &a.numbers[z]; n.given && n.last >= a.begin {
			n.first = min(n.first, a.begin)
		}
	}
}

// meet has instruction at of step k do something with numbers.
func (a *allocator) meet(k, at int32, list *mir.Uses, where useFlags) {
	for i := range list.Of[:list.N] {
		if x := &list.Of[i]; x.Number >= firstName && (x.Read || x.Merges) {
			u := a.useOf(k, at, x.Number, where)
			if u.does&useWrites == 0 || where == useCold {
				u.does |= useReads
			}
			again := func(y mir.Use) bool { return y.Number == x.Number }
			if !x.Last || slices.ContainsFunc(list.Of[:list.N-1], again) {
				u.does |= useFixed
			}
		}
	}
	for i := range list.Of[:list.N] {
		if x := &list.Of[i]; x.Number >= firstName && x.Write {
			a.useOf(k, at, x.Number, where).does |= useWrites | useFixed
		}
	}
}

// useOf is the use of a number in step k, of which instruction at has it.
func (a *allocator) useOf(k, at int32, z mir.Number, where useFlags) *use {
	n := &a.numbers[z]
	if n.seen != k+1 {
		n.seen, n.at, n.last = k+1, int32(len(a.uses)), k
		n.first = min(n.first, k)
		a.uses = append(a.uses, use{number: z, first: at, last: at})
	}
	u := &a.uses[n.at]
	if u.does != 0 && (where == useCold || u.last != at) {
		u.does |= useTwice
	}
	if where == useMain || u.does&useMain == 0 {
		u.last = at
	}
	u.does |= where
	return u
}

// findTurns finds the steps of loops, and has what they use of others live until their end.
func (a *allocator) findTurns() {
	for i := range a.loops {
		l := &a.loops[i]
		first, end := l.first, l.end // instructions
		l.inst, l.first, l.end = first, never, 0
		for k := int(a.begin); k < len(a.sections); k++ {
			if inst := a.sections[k].inst; inst >= int(first) && inst < int(end) {
				l.first, l.end = min(l.first, int32(k)), int32(k)
			}
		}
		for z := range a.numbers {
			if n := &a.numbers[z]; n.first < l.first && n.last >= l.first && n.last <= l.end {
				n.last, n.turns = l.end+1, true
			}
		}
	}
	if len(a.loops) == 0 {
		return
	}
	var live [files][]int32
	for f := range live {
		live[f] = make([]int32, len(a.sections)+1)
	}
	for z := firstValue; z < len(a.numbers); z++ {
		if n := &a.numbers[z]; n.first != never {
			f := a.file(mir.Number(z))
			live[f][n.first]++
			live[f][n.last+1]--
		}
	}
	for f := range live {
		sum := int32(0)
		for k := range a.sections {
			sum += live[f][k]
			live[f][k] = sum
		}
	}
	for k := range a.sections {
		for _, u := range a.uses[a.of[k]:a.of[k+1]] {
			if u.number < firstValue {
				live[a.file(u.number)][k]++
			}
		}
	}
	for i := range a.loops {
		l := &a.loops[i]
		for f := range live {
			for k := l.first; k <= l.end; k++ {
				l.needs[f] = max(l.needs[f], live[f][k])
			}
		}
		for z := firstValue; z < len(a.numbers); z++ {
			if n := &a.numbers[z]; n.first < l.first && n.last > l.end && n.first != never {
				l.needs[a.file(mir.Number(z))]--
			}
		}
	}
}

// findNext tells each use which one is next.
func (a *allocator) findNext() {
	for k := int32(len(a.sections)) - 1; k >= 0; k-- {
		for i := range a.loops {
			l := &a.loops[i]
			if l.end != k {
				continue
			}
			for _, u := range a.uses[a.of[l.first]:a.of[l.end+1]] {
				n := &a.numbers[u.number]
				if n.first >= l.first || n.next == k {
					continue
				}
				if n.last > l.end {
					l.needs[a.file(u.number)]++ // it is of the loop all the same
				}
				a.wraps = append(a.wraps, wrap{u.number, k, n.next})
				n.next = k
			}
		}
		for i := a.of[k+1] - 1; i >= a.of[k]; i-- {
			n := &a.numbers[a.uses[i].number]
			a.uses[i].next, n.next = n.next, k
		}
	}
}

// pass goes on behind the present step.
func (a *allocator) pass() {
	for i := len(a.wraps) - 1; i >= 0 && a.wraps[i].step == a.now; i-- {
		a.numbers[a.wraps[i].number].next = a.wraps[i].next
		a.wraps = a.wraps[:i]
	}
	for i := range a.loops {
		if a.loops[i].end == a.now {
			for f := range a.holders {
				for r, z := range a.holders[f] {
					if z != 0 && a.numbers[z].next == never {
						a.release(f, uint8(r))
					}
				}
			}
		}
	}
}

// become has registers hold something else.
func (a *allocator) become(h *holders) {
	for f := range a.holders {
		a.free[f] = a.machine.registersOf(f)
		for _, z := range a.holders[f] {
			a.numbers[z].has = false
		}
		for r, z := range h[f] {
			if z != 0 {
				a.numbers[z].has, a.numbers[z].reg = true, uint8(r)
				a.free[f] &^= 1 << r
			}
		}
	}
	a.holders = *h
}

// hold has a register hold a value, and release has it hold nothing.
func (a *allocator) hold(z mir.Number, f int, r uint8) {
	n := &a.numbers[z]
	n.has, n.reg, a.holders[f][r] = true, r, z
	a.free[f] &^= 1 << r
}

func (a *allocator) release(f int, r uint8) {
	if z := a.holders[f][r]; z != 0 {
		a.numbers[z].has, a.holders[f][r] = false, 0
	}
	a.free[f] |= 1 << r
}

// evict takes a value out of its register: memory has it from here on, if it still lives. What loops
// only pass by their begins do not expect either then.
func (a *allocator) evict(f int, r uint8) {
	z := a.holders[f][r]
	n := &a.numbers[z]
	if !a.dead(z, a.now) {
		a.store(z)
	}
	for i := range a.loops {
		l := &a.loops[i]
		if l.first > a.now || a.now > l.end || n.next <= l.end {
			continue
		}
		if l.holders[f][r] == z {
			l.holders[f][r] = 0
		}
		for j := range a.ways {
			if w := &a.ways[j]; w.from >= l.first && w.holders[f][r] == z {
				w.holders[f][r] = 0
			}
		}
	}
	a.release(f, r)
}

// dead says that nothing has a value from a step on.
func (a *allocator) dead(z mir.Number, step int32) bool {
	n := &a.numbers[z]
	return n.last < step || n.last == step && n.turns
}

// store has what writes a value store it.
func (a *allocator) store(z mir.Number) { a.numbers[z].homed = z != 0 && !a.numbers[z].given }

// join has the ways to an instruction meet: registers hold what they do on all of them, or what is
// first written on the one way that does not jump.
func (a *allocator) join(inst int, reached bool) bool {
	if a.wayTo[inst] == 0 {
		for f := 0; f < files && !reached; f++ { // but from behind
			for r, z := range a.holders[f] {
				if z != 0 {
					a.evict(f, uint8(r))
				}
			}
		}
		return true
	}
	w := &a.ways[a.wayTo[inst]-1]
	h := w.holders
	for f := range h {
		for r, z := range h[f] {
			switch was := a.holders[f][r]; {
			case was == z:
			case !reached:
				a.store(was)
			case was != 0 && a.numbers[was].first > w.from:
				h[f][r] = was
				a.store(z)
			default:
				h[f][r] = 0
				a.store(z)
				if was != 0 {
					a.evict(f, uint8(r))
				}
			}
			if z = h[f][r]; z != 0 && a.dead(z, a.now) {
				h[f][r] = 0
			}
		}
	}
	a.become(&h)
	return true
}

// jump has an instruction reached from the present step.
func (a *allocator) jump(inst int32) {
	h := a.holders
	for f := range h {
		for r, z := range h[f] {
			if z != 0 && a.dead(z, a.stepOf[inst]) {
				h[f][r] = 0
			}
		}
	}
	if a.wayTo[inst] == 0 {
		a.ways = append(a.ways, way{h, a.now})
		a.wayTo[inst] = int32(len(a.ways))
		return
	}
	w := &a.ways[a.wayTo[inst]-1]
	for f := range h {
		for r, z := range h[f] {
			if was := w.holders[f][r]; was != z {
				a.store(was)
				if w.holders[f][r] = 0; z != 0 && a.numbers[z].first > w.from {
					w.holders[f][r] = z
				} else {
					a.store(z)
				}
			}
		}
	}
	w.from = a.now
}

// enter begins loops: what they only pass leaves registers that they need, and what they use is
// loaded before them, if nothing jumps there.
func (a *allocator) enter(inst int, loads bool) {
	for i := len(a.loops) - 1; i >= 0; i-- { // outer before inner
		l := &a.loops[i]
		if l.inst != int32(inst) || l.first != a.now {
			continue
		}
		for f := range a.holders {
			room := int32(bits.OnesCount32(a.machine.registersOf(f))) - l.needs[f]
			for {
				furthest, count := -1, int32(0)
				for r, z := range a.holders[f] {
					if z == 0 || a.numbers[z].next <= l.end {
						continue
					}
					if count++; furthest < 0 || a.numbers[z].next > a.numbers[a.holders[f][furthest]].next {
						furthest = r
					}
				}
				if count <= max(room, 0) {
					break
				}
				a.evict(f, uint8(furthest))
			}
		}
		if loads {
			a.fill(l)
		}
		l.holders = a.holders
	}
}

// fill loads what a loop uses, as long as it does not need the registers.
func (a *allocator) fill(l *turns) {
	for f := range a.holders {
		local := l.needs[f] // of those, registers that nothing is to be loaded to
		for _, u := range a.uses[a.of[l.first]:a.of[l.end+1]] {
			n := &a.numbers[u.number]
			lives := u.number >= firstValue && n.first < l.first && n.next != never
			if lives && a.file(u.number) == f && n.seen != -l.first {
				n.seen = -l.first
				local--
			}
		}
		for _, u := range a.uses[a.of[l.first]:a.of[l.end+1]] {
			n := &a.numbers[u.number]
			if n.seen != -l.first || n.has || a.file(u.number) != f || !n.homed && !n.given {
				continue
			}
			if int32(bits.OnesCount32(a.free[f])) <= max(local, 0) {
				break
			}
			r := uint8(bits.TrailingZeros32(a.free[f]))
			a.hold(u.number, f, r)
			a.loads = append(a.loads, placed{u.number, r})
		}
	}
}

// leave follows the jump of an instruction: one back loads what the loop's begin expects. It tells
// whether what is behind is reached.
func (a *allocator) leave(s *section) bool {
	in := &a.code[s.inst]
	if !in.jumps() {
		return true
	}
	from := 0
	if a.now > 0 {
		from = a.sections[a.now-1].end
	}
	always := false
	if s.end > from {
		_, always = a.list.At(s.end - 1).Target()
	}
	if int(in.To) > s.inst {
		a.jump(in.To)
		return !always
	}
	for i := range a.loops {
		if l := &a.loops[i]; l.inst == in.To {
			for f := range l.holders {
				for r, z := range l.holders[f] {
					if was := a.holders[f][r]; z != 0 && was != z {
						if n := &a.numbers[z]; n.has {
							a.release(f, n.reg)
						}
						if was != 0 {
							a.evict(f, uint8(r))
						}
						a.hold(z, f, uint8(r))
						a.loads = append(a.loads, placed{z, uint8(r)})
					}
				}
			}
			return !always
		}
	}
	a.fails = true
	return !always
}
