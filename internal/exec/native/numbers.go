package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
)

// written is a list behind selection: which registers its steps have, and memory of values.
type written struct {
	sections []section
	placed   []placed
	homes    []int32          // of values in the frame, plus 1
	spread   []int32          // scalar registers of values that are the same for all lanes
	strip    int              // the first step of a strip
	reread   []int32          // of what memory has before: a scalar register, plus 1; −1: a row
	sets     []int32          // the first instruction that sets a mask register
	steady   func(int32) bool // says that the strips do not change a scalar register
	ends     []int32          // the last instruction that reads a lane register
}

// Numbers of values: of lane registers, two each for parts, then of masks, then of the lanes that
// exist, then words for all.
func (e *emitter) value(v int32) amd64.Z { return firstValue + 2*amd64.Z(v) + amd64.Z(e.part) }

// valueOfMask is the number of mask register m.
func valueOfMask(e *emitter, m int32) amd64.Z { return e.value(e.b.lanes + m) }

// spreadValue is a scalar register that nothing changes, in every lane.
func spreadValue(e *emitter, s int32) amd64.Z {
	i := slices.Index(e.spread, s)
	if i < 0 {
		i = len(e.spread)
		e.spread = append(e.spread, s)
	}
	return firstValue + 2*amd64.Z(e.b.lanes+int32(e.r.masks)+1) + amd64.Z(i)
}

// countNumbers is how many numbers there are.
func countNumbers(e *emitter) int {
	return firstValue + 2*(int(e.b.lanes)+e.r.masks+1) + len(e.spread)
}

// isMaskNumber says that a number is of a mask register.
func isMaskNumber(e *emitter, z amd64.Z) bool {
	v := int32(z-firstValue) / 2
	switch {
	case vectorMasks(e):
		return false
	case z < firstValue:
		return z >= firstMaskName
	case v < e.b.lanes:
		return e.asMask[v]
	}
	return v < e.b.lanes+int32(e.r.masks)
}

// homeOf is the memory of a value; a word for all lanes where it is that.
func homeOf(e *emitter, z amd64.Z) amd64.Arg {
	v, part := int32(z-firstValue)/2, int(z-firstValue)%2
	n := 4 * e.vectors.lanes * part
	switch all := e.b.lanes + int32(e.r.masks); {
	case v > all:
		return e.word(e.spread[z-firstValue-2*amd64.Z(all+1)]).Every()
	case v == all:
		return amd64.M(regFrame, frameAll+n)
	case v < e.b.lanes && e.reread[v] > 0:
		return e.forAll(e.reread[v] - 1)
	case v < e.b.lanes && e.places[v].kind == placeRow:
		return amd64.M(regRow, int(e.places[v].n)+n)
	}
	if e.homes[v] == 0 {
		e.homes[v] = e.slots + 1
		e.slots += laneBytes
	}
	return amd64.M(regFrame, int(e.homes[v]-1)+n)
}

// givenBefore says that memory has a value from the begin on.
func givenBefore(e *emitter, z amd64.Z) bool {
	switch v := int32(z-firstValue) / 2; {
	case v >= e.b.lanes+int32(e.r.masks):
		return true
	case v >= e.b.lanes:
		return false
	default:
		return e.reread[v] != 0
	}
}

// findPlaces finds out where memory has lane registers besides their registers, and which are read
// again rather than stored.
func findPlaces(e *emitter) {
	b := e.b
	e.ends, e.reread = make([]int32, b.lanes), make([]int32, b.lanes)
	begins := make([]int32, b.lanes)
	e.sets = make([]int32, e.r.masks)
	for m := range e.sets {
		e.sets[m] = int32(len(b.code))
	}
	for _, m := range b.masks {
		e.sets[m] = -1
	}
	changes := map[int32]bool{}
	defs := make([]uint8, b.lanes)
	for i := range b.code {
		e.r.lanesIn(&b.code[i], func(v *int32, result bool) {
			if result {
				defs[*v] = min(defs[*v]+1, 2)
			}
			if e.ends[*v] = int32(i); begins[*v] == 0 {
				begins[*v] = int32(i + 1)
			}
		})
		if in := &b.code[i]; in.Kind == KindIf || in.Kind == KindMaskCopy {
			for _, m := range e.r.changes(in) {
				e.sets[m] = min(e.sets[m], int32(i))
			}
		}
		d := int32(-1)
		if scalarsOf(&b.code[i], &d); d >= 0 && !b.once[i] {
			changes[d] = true
		}
	}
	inputs := int32(len(e.r.program.Inputs))
	for i, v := range append(slices.Clone(b.in), b.out...) {
		if row := b.rows[i] - inputs; row >= 0 {
			e.places[v] = location{placeRow, row * int32(e.stride)}
		}
		if defs[v] == 0 && e.places[v].kind == placeRow {
			e.reread[v] = -1
		}
		defs[v], e.ends[v], begins[v] = 2, int32(len(b.code)), 0
	}
	for _, l := range b.loops { // inner before outer: what one uses from outside lives until its end
		for v, end := range e.ends {
			if begins[v]-1 < l[0] && end >= l[0] && end < l[1] {
				e.ends[v] = l[1]
			}
		}
	}
	e.steady = func(s int32) bool { return !changes[s] }
	for i := range b.code {
		if in := &b.code[i]; in.Kind == KindBroadcast && defs[in.D] == 1 && e.steady(in.A) {
			e.reread[in.D] = in.A + 1
		}
	}
}

// outOfLine writes f behind the block.
func (e *emitter) outOfLine(f func()) {
	from := len(e.List)
	f()
	e.aside = append(e.aside, e.List[from:]...)
	e.List = e.List[:from]
}

// instruction writes the i-th one, for each part of a strip.
func (e *emitter) instruction(i int) {
	in := &e.b.code[i]
	for e.part = range e.vectors.parts {
		e.index = int32(i)
		e.inst(in)
		endSteps(e, i)
		if in.forStrip() {
			break
		}
	}
	e.part = 0
}

// endSteps ends the steps of an instruction; −1: of none.
func endSteps(e *emitter, inst int) {
	e.sections = append(e.sections, section{listPart: listPart{inst, len(e.List), len(e.aside)}})
}

// fresh is a slice of n zeros, in the memory of another if that is enough.
func fresh[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// allocateNumbers gives the list's numbers registers, and writes what moves values between those and
// memory.
func allocateNumbers(e *emitter) {
	a := &e.room.allocator
	*a = allocator{
		machine: e.vectors, masks: func(z amd64.Z) bool { return isMaskNumber(e, z) }, begin: int32(e.strip), code: e.b.code,
		list: e.List, cold: e.aside, sections: e.sections,
		numbers: fresh(a.numbers, countNumbers(e)), loops: fresh(a.loops, len(e.b.loops)),
		wayTo: fresh(a.wayTo, len(e.b.code)+1), stepOf: fresh(a.stepOf, len(e.b.code)+1),
		uses: a.uses[:0], of: a.of[:0], wraps: a.wraps[:0], ways: a.ways[:0], dying: a.dying[:0],
		loads: a.loads[:0], moves: a.moves[:0], placed: a.placed[:0],
	}
	a.stays = func(in *amd64.Inst) bool { return storesHome(e, in) }
	a.foldable = func(z amd64.Z) bool {
		m := homeOf(e, z)
		return !a.masks(z) && (!m.IsAll() || m.IsPool())
	}
	e.homes = make([]int32, int(e.b.lanes)+e.r.masks)
	for z := range a.numbers {
		n := &a.numbers[z]
		n.first, n.last, n.next = never, -1, never
		if z >= firstValue {
			n.given = givenBefore(e, amd64.Z(z))
		}
	}
	for i, l := range e.b.loops {
		a.loops[i] = turns{first: l[0], end: l[1]}
	}
	a.allocate()
	e.fail = e.fail || a.fails
	assembleList(e, a)
	e.room.otherSections, e.room.placed = e.sections, e.placed
}

// assembleList writes the list again, with what the allocator says.
func assembleList(e *emitter, a *allocator) {
	r := e.room
	e.sections, e.placed = r.otherSections[:0], r.placed[:0]
	e.List, e.aside = r.other[:0], r.otherAside[:0]
	r.sections, r.other, r.otherAside = a.sections, a.list, a.cold
	end := func(inst int, from int32) {
		to := int32(len(e.placed))
		e.sections = append(e.sections, section{listPart{inst, len(e.List), len(e.aside)}, from, to})
	}
	from, cold := 0, 0
	for k, s := range a.sections {
		m, next := a.moves[k], a.moves[k+1]
		if m.begin > m.enter {
			at := int32(len(e.placed))
			fetchValues(e, a.loads[m.enter:m.begin])
			e.placed = append(e.placed, a.loads[m.enter:m.begin]...)
			end(s.inst, at)
		}
		at := int32(len(e.placed))
		e.placed = append(e.placed, a.placed[m.placed:next.placed]...)
		uses := a.uses[a.of[k]:a.of[k+1]]
		around := slices.ContainsFunc(uses, func(u use) bool { return u.does&useAround != 0 })
		for ; from < s.end && a.list[from].Label() >= 0; from++ {
			e.List = append(e.List, a.list[from])
		}
		fetchValues(e, a.loads[m.begin:m.jump])
		last := s.end
		if last > from && a.list[last-1].IsJump() {
			last--
		}
		for ; from < last; from++ {
			if s.inst < 0 && storesHome(e, &a.list[from]) && a.numbers[a.list[from].Reg].homed {
				continue
			}
			if e.List = append(e.List, a.list[from]); around {
				e.List = loadAround(e, e.List, uses)
			}
		}
		for i := range uses {
			u := &uses[i]
			n := &a.numbers[u.number]
			if n.homed && u.does&(useWrites|useAround) == useWrites && n.last > int32(k) {
				keepValue(e, u.number)
			}
		}
		for ; cold < s.cold; cold++ {
			if e.aside = append(e.aside, a.cold[cold]); around {
				e.aside = loadAround(e, e.aside, uses)
			}
		}
		if next.enter > m.jump {
			end(s.inst, at)
			at = int32(len(e.placed))
			fetchValues(e, a.loads[m.jump:next.enter])
			e.placed = append(e.placed, a.loads[m.jump:next.enter]...)
		}
		e.List = append(e.List, a.list[from:s.end]...)
		from = s.end
		end(s.inst, at)
	}
	e.at = len(e.List)
	e.end = e.at + len(e.aside)
}

// fetchValues loads values from memory, and keep stores one there.
func fetchValues(e *emitter, list []placed) {
	for _, p := range list {
		switch m := homeOf(e, p.number); {
		case isMaskNumber(e, p.number):
			e.KMem(amd64.KLOAD, amd64.K(p.number), m)
		case m.IsAll() && !m.IsPool():
			e.Mov1(amd64.VPBROADCASTD, p.number, m.One())
		default:
			e.Mov1(amd64.VMOVDQU, p.number, m)
		}
	}
}

func keepValue(e *emitter, z amd64.Z) {
	if m := homeOf(e, z); isMaskNumber(e, z) {
		e.KMem(amd64.KSTORE, amd64.K(z), m)
	} else {
		e.Mov1(amd64.VMOVDQUTo, z, m)
	}
}

// loadAround has the last instruction of a list load and store by itself what memory has around it.
func loadAround(e *emitter, to []amd64.Inst, uses []use) []amd64.Inst {
	in := to[len(to)-1]
	var list amd64.Uses
	in.Uses(&list)
	line := e.List
	e.List = to[:len(to)-1]
	moves := func(writes bool) {
		for i := range list.Of[:list.N] {
			x := &list.Of[i]
			j := slices.IndexFunc(uses, func(u use) bool {
				return u.number == x.Number && u.does&useAround != 0
			})
			switch {
			case j < 0:
			case writes && x.Write:
				keepValue(e, x.Number)
			case !writes && (x.Read || x.Merges):
				fetchValues(e, []placed{{x.Number, uses[j].reg}})
			}
		}
	}
	moves(false)
	e.List = append(e.List, in)
	moves(true)
	to, e.List = e.List, line
	return to
}

// storesHome says that a value is stored where memory has it already.
func storesHome(e *emitter, in *amd64.Inst) bool {
	z := in.Reg
	_, at, to, ok := in.Moves(uint8(regRow))
	if !ok || !to || z < firstValue {
		return false
	}
	p := e.places[(z-firstValue)/2]
	return p.kind == placeRow && p.n+int32(z-firstValue)%2*int32(4*e.vectors.lanes) == at
}

// resolve puts registers in the place of names and values.
func (e *emitter) resolve() {
	chosen := fresh(e.room.chosen, countNumbers(e))
	e.room.chosen = chosen
	for i := range firstName {
		chosen[i] = uint8(i)
	}
	from, cold := 0, e.at
	for _, s := range e.sections {
		for _, p := range e.placed[s.placed:s.to] {
			chosen[p.number] = p.reg
		}
		for i := from; i < s.end; i++ {
			settleNumbers(e, &e.List[i], chosen)
		}
		for i := cold; i < e.at+s.cold; i++ {
			settleNumbers(e, &e.List[i], chosen)
		}
		from, cold = s.end, e.at+s.cold
	}
}

// settleNumbers is resolve of an instruction.
func settleNumbers(e *emitter, in *amd64.Inst, chosen []uint8) {
	if z := in.Last(); z >= firstValue && chosen[z] == inHome {
		in.Fold(homeOf(e, z))
	}
	in.Resolve(chosen)
}
