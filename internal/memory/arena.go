package memory

import (
	"math/bits"
	"sync"
)

// Small blocks share mappings: an arena is one, cut into slots of a page. A freed
// block's pages go back to the system at once, an arena without blocks as a whole.
const (
	arenaSlots = 64
	slotBytes  = pageBytes
	arenaBytes = arenaSlots * slotBytes
	// smallBytes is the size of the largest block that shares: eight fill an arena, so
	// that few slots are left over.
	smallBytes = arenaBytes / 8
)

// arena is a mapping for small blocks.
type arena struct {
	data []byte
	free uint64 // a bit a slot
	at   int    // in arenas.open, while a slot is free
}

// small are the arenas of the process. Devices share them as they share mappings.
var small arenas

type arenas struct {
	mu    sync.Mutex
	open  []*arena // those with free slots
	spare *arena   // the one that is kept without blocks, of those
}

// alloc returns n zeroed bytes, at most smallBytes, and where they are.
func (s *arenas) alloc(n int) ([]byte, arenaSlot, error) {
	slots := slotsOf(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.find(slots)
	if p.arena == nil {
		if p.arena = s.spare; p.arena == nil {
			data, err := mapCounted(arenaBytes, mapPages)
			if err != nil {
				return nil, arenaSlot{}, err
			}
			p.arena = &arena{data: data, free: ^uint64(0)}
			s.list(p.arena)
		}
		s.spare = nil
	}
	a := p.arena
	a.free &^= run(p.slot, slots)
	if a.free == 0 {
		s.unlist(a)
	}
	from := p.slot * slotBytes
	return a.data[from : from+n : from+n], p, nil
}

// arenaSlot is where a small block is; its arena is nil for others.
type arenaSlot struct {
	arena *arena
	slot  int
}

func slotsOf(n int) int { return (n + slotBytes - 1) / slotBytes }

// run are the bits of n slots from at on.
func run(at, n int) uint64 { return (1<<n - 1) << at }

// find looks for n free slots in a row in an arena that has blocks already.
func (s *arenas) find(n int) arenaSlot {
	for _, a := range s.open {
		if a == s.spare {
			continue
		}
		starts := a.free // those from which i slots are free
		for i := 1; i < n; i++ {
			starts &= a.free >> i
		}
		if starts != 0 {
			return arenaSlot{a, bits.TrailingZeros64(starts)}
		}
	}
	return arenaSlot{}
}

func (s *arenas) list(a *arena) {
	a.at = len(s.open)
	s.open = append(s.open, a)
}

func (s *arenas) unlist(a *arena) {
	last := len(s.open) - 1
	s.open[a.at], s.open[last].at = s.open[last], a.at
	s.open[last] = nil
	s.open = s.open[:last]
}

// release takes the n bytes at p back. The last block of an arena takes it along,
// unless there is no other without blocks: a program that allocates and frees one
// block again and again maps nothing.
func (s *arenas) release(p arenaSlot, n int) error {
	a, slots := p.arena, slotsOf(n)
	forgetPages(a.data[p.slot*slotBytes : (p.slot+slots)*slotBytes])
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.free == 0 {
		s.list(a)
	}
	a.free |= run(p.slot, slots)
	if a.free != ^uint64(0) {
		return nil
	}
	if s.spare == nil {
		s.spare = a
		return nil
	}
	s.unlist(a)
	return unmapCounted(a.data)
}
