package native

import (
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec/mir"
)

// # Registers within a step
//
// A step keeps what it has: its names and what it reads and writes have registers that nothing else
// has from their first instruction to their last one. Values that it does not have may leave theirs.

// step gives the numbers of the present step registers. Where there are too few for what it reads,
// memory has all that, and each instruction loads it.
func (a *allocator) step() {
	h, loads := a.holders, len(a.loads)
	if !a.tryStep(false) {
		a.become(&h)
		a.loads = a.loads[:loads]
		a.fails = !a.tryStep(true) || a.fails
	}
	for _, u := range a.uses[a.of[a.now]:a.of[a.now+1]] {
		a.numbers[u.number].next = u.next
		a.placed = append(a.placed, placed{u.number, u.reg})
	}
}

// tryStep is step; false: there are too few registers.
func (a *allocator) tryStep(crowded bool) bool {
	uses := a.uses[a.of[a.now]:a.of[a.now+1]]
	a.full = false
	names := [files]int{}
	for i := range uses {
		u := &uses[i]
		n := &a.numbers[u.number]
		n.seen, n.at = a.now+1, int32(i)
		u.does &^= useFolded | useAround
		f := a.file(u.number)
		if u.reg = inHome; u.number < firstValue {
			names[f]++
		}
	}
	a.dying = a.dying[:0]
	for i := range uses { // what lives from before, or all along
		u := &uses[i]
		n := &a.numbers[u.number]
		f := a.file(u.number)
		kept := u.number >= firstValue && (n.first < a.now || n.given)
		if crowded && n.has {
			a.evict(f, n.reg)
		}
		switch {
		case n.has:
			a.give(u, f, n.reg)
		case kept && u.does&(useReads|useFixed) == useReads &&
			a.folds(u, bits.OnesCount32(a.free[f])-names[f]):
			u.does |= useFolded
		case kept && (crowded || u.does&useMain == 0):
			u.does |= useAround
		case kept && u.does&useReads != 0:
			a.give(u, f, a.take(f))
			a.loads = append(a.loads, placed{u.number, u.reg})
		case u.does&useCold != 0:
			a.give(u, f, a.take(f))
		}
	}
	temps := a.around(uses)
	for i := range uses { // what begins
		u := &uses[i]
		if u.reg != inHome || u.does&(useFolded|useAround) != 0 {
			continue
		}
		f := a.file(u.number)
		a.end(u.first, u.does&useReads == 0)
		if r := a.inherited(u, f, uses); r != inHome {
			a.give(u, f, r)
		} else {
			a.give(u, f, a.take(f))
		}
	}
	a.end(never, true)
	for f := range temps {
		a.free[f] |= temps[f]
	}
	return !a.full
}

// around gives registers to what each instruction loads and stores by itself: different ones to
// what an instruction has together. It returns them.
func (a *allocator) around(uses []use) (temps [files]uint32) {
	if !slices.ContainsFunc(uses, func(u use) bool { return u.does&useAround != 0 }) {
		return temps
	}
	s, last := a.sections[a.now], section{}
	if a.now > 0 {
		last = a.sections[a.now-1]
	}
	beside := make([]uint32, len(uses)) // registers that those have which an instruction has, too
	has := &a.has
	lists := [2]listRange{{a.list, last.end, s.end}, {a.cold, last.cold, s.cold}}
	for _, list := range lists {
		for p := list.from; p < list.to; p++ {
			list.code.At(p).Uses(has)
			for _, x := range has.Of[:has.N] {
				if x.Number < firstValue {
					continue
				}
				u, f := &uses[a.numbers[x.Number].at], a.file(x.Number)
				if u.does&useAround == 0 || u.reg != inHome {
					continue
				}
				if free := temps[f] &^ beside[a.numbers[x.Number].at]; free != 0 {
					u.reg = uint8(bits.TrailingZeros32(free))
				} else if u.reg = a.take(f); !a.full {
					temps[f] |= 1 << u.reg
				}
				a.part(lists[0], u, beside)
				a.part(lists[1], u, beside)
			}
		}
	}
	return temps
}

// listRange is instructions of a list.
type listRange struct {
	code     mir.Code
	from, to int
}

// part keeps the register of a use from what has instructions of a list in common with it.
func (a *allocator) part(list listRange, u *use, beside []uint32) {
	for p := list.from; p < list.to; p++ {
		list.code.At(p).Uses(&a.also)
		of := a.also.Of[:a.also.N]
		if slices.ContainsFunc(of, func(x mir.Use) bool { return x.Number == u.number }) {
			for _, x := range of {
				if x.Number >= firstValue {
					beside[a.numbers[x.Number].at] |= 1 << u.reg
				}
			}
		}
	}
}

// give gives a register to the use of a number, for the step or on.
func (a *allocator) give(u *use, f int, r uint8) {
	if a.full {
		return
	}
	u.reg = r
	if n := &a.numbers[u.number]; u.number < firstValue || n.last <= a.now {
		a.free[f] &^= 1 << r
		a.dying = append(a.dying, n.at)
		return
	}
	a.hold(u.number, f, r)
}

// end frees registers of what nothing behind an instruction has; with that itself, where it reads
// all before it writes.
func (a *allocator) end(at int32, reads bool) {
	uses := a.uses[a.of[a.now]:a.of[a.now+1]]
	kept := a.dying[:0]
	for _, i := range a.dying {
		u := &uses[i]
		if at != never && (u.does&useCold != 0 || u.last > at || u.last == at && !reads) {
			kept = append(kept, i)
			continue
		}
		a.release(a.file(u.number), u.reg)
	}
	a.dying = kept
}

// inherited is the register of what a move sets a number to, and nothing has any more; else inHome.
func (a *allocator) inherited(u *use, f int, uses []use) uint8 {
	d, x, ok := a.list.At(int(u.first)).Copies()
	if !ok || d != u.number || x < firstName {
		return inHome
	}
	from := &uses[a.numbers[x].at]
	if from.number != x || from.reg == inHome || from.last > u.first ||
		a.file(from.number) != f || a.free[f]>>from.reg&1 == 0 {
		return inHome
	}
	return from.reg
}

// take is a register that nothing in the step has: a free one, or that of the value that is wanted
// last.
func (a *allocator) take(f int) uint8 {
	if a.free[f] == 0 {
		furthest, far := uint8(inHome), int64(-1)
		for r, z := range a.holders[f] {
			if n := &a.numbers[z]; z != 0 && n.seen != a.now+1 {
				away := int64(n.next - a.now)
				if n.homed || n.given {
					away += away / 2
				}
				if away > far {
					furthest, far = uint8(r), away
				}
			}
		}
		if furthest == inHome {
			a.full = true
			return 0
		}
		a.evict(f, furthest)
	}
	r := uint8(bits.TrailingZeros32(a.free[f]))
	a.free[f] &^= 1 << r
	return r
}

// folds says that a value in memory is read there, so many registers being free.
func (a *allocator) folds(u *use, free int) bool {
	if !a.foldable(u.number) {
		return false
	}
	return u.does&useMain == 0 || free <= 2 || u.next == never && u.does&useTwice == 0
}
