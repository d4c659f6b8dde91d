package native

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// value is the number of the part of a lane register. Numbers of values: of lane registers, two each
// for parts, then of masks, then of the lanes that exist, then words for all.
func (e *draft) value(v int32) mir.Number { return firstValue + 2*mir.Number(v) + mir.Number(e.part) }

// valueOfMask is the number of mask register m.
func (e *draft) valueOfMask(m int32) mir.Number { return e.value(e.b.lanes + m) }

// existing is the mask of the part's lanes that exist, where it is a value.
func (e *draft) existing() mir.Number { return e.value(e.b.lanes + int32(e.r.masks)) }

// spreadValue is a scalar register that nothing changes, in every lane.
func (e *draft) spreadValue(s int32) mir.Number {
	i := slices.Index(e.spread, s)
	if i < 0 {
		i = len(e.spread)
		e.spread = append(e.spread, s)
	}
	return firstValue + 2*mir.Number(e.b.lanes+int32(e.r.masks)+1) + mir.Number(i)
}

// countNumbers is how many numbers there are.
func (e *draft) countNumbers() int {
	return firstValue + 2*(int(e.b.lanes)+e.r.masks+1) + len(e.spread)
}

// isMask says that a number is of a mask register.
func (e *draft) isMask(z mir.Number) bool {
	v := int32(z-firstValue) / 2
	switch {
	case e.vectors.masks == 0:
		return false
	case z < firstValue:
		return z >= firstMaskName
	case v < e.b.lanes:
		return e.asMask[v]
	}
	return v < e.b.lanes+int32(e.r.masks)
}

// home is the memory of a value.
func (e *draft) home(z mir.Number) location {
	v, part := int32(z-firstValue)/2, int32(z-firstValue)%2
	n := 4 * int32(e.vectors.lanes) * part
	switch all := e.b.lanes + int32(e.r.masks); {
	case v > all:
		return location{placeWord, e.spread[z-firstValue-2*mir.Number(all+1)]}
	case v == all:
		return location{placeFrame, int32(e.vectors.all) + n}
	case v < e.b.lanes && e.reread[v] > 0:
		return location{placeWord, e.reread[v] - 1}
	case v < e.b.lanes && e.places[v].kind == placeRow:
		return location{placeRow, e.places[v].n + n}
	}
	if e.homes[v] == 0 {
		e.homes[v] = e.slots + 1
		e.slots += int32(e.vectors.laneBytes())
	}
	return location{placeFrame, e.homes[v] - 1 + n}
}

// given says that memory has a value from the begin on.
func (e *draft) given(z mir.Number) bool {
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
func (e *draft) findPlaces() {
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
func (e *draft) outOfLine(f func()) {
	from := e.code.Len()
	f()
	e.cold.Append(e.code, from, e.code.Len())
	e.code.Cut(from)
}

// instruction writes the i-th one, for each part of a strip.
func (e *draft) instruction(i int) {
	in := &e.b.code[i]
	for e.part = range e.vectors.parts {
		e.index = int32(i)
		e.writer.inst(in)
		e.endSteps(i)
		if in.forStrip() {
			break
		}
	}
	e.part = 0
}

// forStrip says that an instruction does nothing for lanes, or sees to parts by itself.
func (in *Inst) forStrip() bool {
	if in.ofOne() {
		return true
	}
	switch in.Kind {
	case KindScalar, KindScalarMov, KindScalarCanon, KindLoadPushU, KindLoadTableU, KindLoadBufferU,
		KindSizeBufferU, KindLoadMemU, KindJump, KindJumpZero, KindJumpEmpty, KindJumpNotEmpty, KindIf,
		KindMaskCopy, KindLeave, KindLeaveIf, KindFuel, KindNone:
		return true
	}
	return false
}

// endSteps ends the steps of an instruction; −1: of none.
func (e *draft) endSteps(inst int) {
	e.sections = append(e.sections, section{listPart: listPart{inst, e.code.Len(), e.cold.Len()}})
}

// room is what writing a block needs and nobody keeps.
type room struct {
	list, cold              mir.Code // as emitters wrote them
	sections, otherSections []section
	placed                  []placed
	chosen                  []uint8
	allocator               allocator
}

// roomOf is a room for lists of a processor's instructions.
type roomOf[I any, P mir.Of[I]] struct {
	room
	code  []byte
	lists [4]mir.List[I, P]
}

// enter begins a block, whose lists are given.
func (r *roomOf[I, P]) enter(e *draft, list, cold *mir.List[I, P]) {
	*list, *cold, r.list, r.room.cold = r.lists[0][:0], r.lists[1][:0], &r.lists[2], &r.lists[3]
	e.room, e.code, e.cold, e.sections = &r.room, list, cold, r.sections[:0]
}

// leave ends it. What its allocator holds on to is nothing of the block's.
func (r *roomOf[I, P]) leave(list, cold mir.List[I, P], code []byte) {
	r.lists[0], r.lists[1], r.code = list, cold, code
	a := &r.allocator
	a.machine, a.masks, a.foldable, a.stays = nil, nil, nil, nil
	a.code, a.list, a.cold, a.sections = nil, nil, nil, nil
}

// fresh is a slice of n zeros, in the memory of another if that is enough.
func fresh[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// allocate gives the list's numbers registers, and writes what moves values between those and
// memory.
func (e *draft) allocate() {
	a := &e.room.allocator
	*a = allocator{
		machine: e.vectors, masks: e.isMask, begin: int32(e.strip), code: e.b.code,
		list: e.code, cold: e.cold, sections: e.sections, stays: e.storesHome,
		numbers: fresh(a.numbers, e.countNumbers()), loops: fresh(a.loops, len(e.b.loops)),
		wayTo: fresh(a.wayTo, len(e.b.code)+1), stepOf: fresh(a.stepOf, len(e.b.code)+1),
		uses: a.uses[:0], of: a.of[:0], wraps: a.wraps[:0], ways: a.ways[:0], dying: a.dying[:0],
		loads: a.loads[:0], moves: a.moves[:0], placed: a.placed[:0],
	}
	a.foldable = func(z mir.Number) bool { return e.writer.foldable(e.home(z)) && !a.masks(z) }
	e.homes = make([]int32, int(e.b.lanes)+e.r.masks)
	for z := range a.numbers {
		n := &a.numbers[z]
		n.first, n.last, n.next = never, -1, never
		if z >= firstValue {
			n.given = e.given(mir.Number(z))
		}
	}
	for i, l := range e.b.loops {
		a.loops[i] = turns{first: l[0], end: l[1]}
	}
	a.allocate()
	e.fail = e.fail || a.fails
	e.assemble(a)
	e.room.otherSections, e.room.placed = e.sections, e.placed
}

// assemble writes the list again, with what the allocator says.
func (e *draft) assemble(a *allocator) {
	r := e.room
	e.sections, e.placed = r.otherSections[:0], r.placed[:0]
	e.code.Swap(r.list)
	e.cold.Swap(r.cold)
	e.code.Cut(0)
	e.cold.Cut(0)
	a.list, a.cold, r.sections = r.list, r.cold, a.sections
	end := func(inst int, from int32) {
		to := int32(len(e.placed))
		part := listPart{inst, e.code.Len(), e.cold.Len()}
		e.sections = append(e.sections, section{part, from, to})
	}
	from, cold := 0, 0
	for k, s := range a.sections {
		m, next := a.moves[k], a.moves[k+1]
		if m.begin > m.enter {
			at := int32(len(e.placed))
			e.fetch(a.loads[m.enter:m.begin])
			e.placed = append(e.placed, a.loads[m.enter:m.begin]...)
			end(s.inst, at)
		}
		at := int32(len(e.placed))
		e.placed = append(e.placed, a.placed[m.placed:next.placed]...)
		uses := a.uses[a.of[k]:a.of[k+1]]
		around := slices.ContainsFunc(uses, func(u use) bool { return u.does&useAround != 0 })
		labels := from
		for ; from < s.end && a.list.At(from).Label() >= 0; from++ {
		}
		e.code.Append(a.list, labels, from)
		e.fetch(a.loads[m.begin:m.jump])
		last := s.end
		if last > from {
			if l, _ := a.list.At(last - 1).Target(); l >= 0 {
				last--
			}
		}
		e.line(a, s.inst < 0, around, uses, from, last)
		from = last
		for i := range uses {
			u := &uses[i]
			n := &a.numbers[u.number]
			if n.homed && u.does&(useWrites|useAround) == useWrites && n.last > int32(k) {
				e.writer.keep(u.number, e.home(u.number))
			}
		}
		if around {
			e.code.Swap(e.cold)
			for ; cold < s.cold; cold++ {
				e.around(a.cold, cold, uses)
			}
			e.code.Swap(e.cold)
		}
		e.cold.Append(a.cold, cold, s.cold)
		cold = s.cold
		if next.enter > m.jump {
			end(s.inst, at)
			at = int32(len(e.placed))
			e.fetch(a.loads[m.jump:next.enter])
			e.placed = append(e.placed, a.loads[m.jump:next.enter]...)
		}
		e.code.Append(a.list, from, s.end)
		from = s.end
		end(s.inst, at)
	}
	e.at = e.code.Len()
	e.end = e.at + e.cold.Len()
}

// line writes the instructions of steps in line, but for what stores what memory has; others are
// those that belong to no instruction of the block.
func (e *draft) line(a *allocator, others, around bool, uses []use, from, to int) {
	if !others && !around {
		e.code.Append(a.list, from, to)
		return
	}
	for ; from < to; from++ {
		in := a.list.At(from)
		if r, _, _, stores := in.Moves(); others && stores && e.storesHome(in) && a.numbers[r].homed {
			continue
		}
		if around {
			e.around(a.list, from, uses)
		} else {
			e.code.Append(a.list, from, from+1)
		}
	}
}

// fetch loads values from memory.
func (e *draft) fetch(list []placed) {
	for _, p := range list {
		e.writer.fetch(p.number, e.home(p.number))
	}
}

// around writes an instruction of a list, and has it load and store by itself what memory has around
// it.
func (e *draft) around(from mir.Code, at int, uses []use) {
	var list mir.Uses
	from.At(at).Uses(&list)
	moves := func(writes bool) {
		for i := range list.Of[:list.N] {
			x := &list.Of[i]
			has := func(u use) bool { return u.number == x.Number && u.does&useAround != 0 }
			switch {
			case !slices.ContainsFunc(uses, has):
			case writes && x.Write:
				e.writer.keep(x.Number, e.home(x.Number))
			case !writes && (x.Read || x.Merges):
				e.writer.fetch(x.Number, e.home(x.Number))
			}
		}
	}
	moves(false)
	e.code.Append(from, at, at+1)
	moves(true)
}

// storesHome says that a value is stored where memory has it already.
func (e *draft) storesHome(in mir.Instruction) bool {
	z, m, _, stores := in.Moves()
	if !stores || z < firstValue || m.Base != e.vectors.row {
		return false
	}
	v, part := (z-firstValue)/2, int32(z-firstValue)%2
	if int(v) >= len(e.places) {
		return false
	}
	p := e.places[v]
	return p.kind == placeRow && p.n+part*int32(4*e.vectors.lanes) == m.Disp
}

// resolve puts registers in the place of names and values.
func (e *draft) resolve() {
	chosen := fresh(e.room.chosen, e.countNumbers())
	e.room.chosen = chosen
	for i := range firstName {
		chosen[i] = uint8(i)
	}
	from, cold := 0, e.at
	for _, s := range e.sections {
		folds := false
		for _, p := range e.placed[s.placed:s.to] {
			chosen[p.number] = p.reg
			folds = folds || p.reg == inHome
		}
		to := e.at + s.cold
		if folds {
			e.fold(chosen, from, s.end)
			e.fold(chosen, cold, to)
		}
		e.code.Resolve(from, s.end, chosen)
		e.code.Resolve(cold, to, chosen)
		from, cold = s.end, to
	}
}

// fold puts memory in the place of operands.
func (e *draft) fold(chosen []uint8, from, to int) {
	for i := from; i < to; i++ {
		if z := e.code.At(i).Last(); z >= firstValue && chosen[z] == inHome {
			e.writer.fold(i, e.home(z))
		}
	}
}
