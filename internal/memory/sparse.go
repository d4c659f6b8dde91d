package memory

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"
)

// PageBytes is the unit in which memory is bound to a Sparse.
const PageBytes = pageBytes

// Sparse is a range of addresses. Its pages show the memory of blocks that are
// bound there, and zeros elsewhere. The caller orders binding, reading and writing.
//
// Writes to pages that are not bound last until Discard: whoever writes without
// asking Bound calls it before anybody looks.
type Sparse struct {
	data  []byte
	bound []uint64 // a bit a page
	count int      // pages that are bound
	parts []part   // ascending
	maps  int64    // mappings that are counted: one, and those that binding adds
	freed atomic.Bool
}

// part is memory that is bound to the bytes [from, to).
type part struct {
	from, to int64
	block    *Block
}

// BindError says why pages cannot be bound.
type BindError struct{ What string }

func (e *BindError) Error() string { return "memory: binding pages: " + e.What }

// NewSparse reserves size bytes of addresses, rounded up to whole pages.
func NewSparse(size int64) (*Sparse, error) {
	if size <= 0 || size > min(1<<46, math.MaxInt-PageBytes) {
		return nil, &SizeError{Size: size}
	}
	n := int(size+PageBytes-1) &^ (PageBytes - 1)
	data, err := mapCounted(int64(n), reservePages)
	if err != nil {
		return nil, err
	}
	return &Sparse{data: data, maps: 1, bound: make([]uint64, (n/PageBytes+63)/64)}, nil
}

// Bytes returns all of the range, nil after Free.
func (s *Sparse) Bytes() []byte {
	if s.freed.Load() {
		return nil
	}
	return s.data
}

// Complete says that all pages are bound.
func (s *Sparse) Complete() bool { return s.count == len(s.data)/PageBytes }

// check says why [at, at+n) is no range of whole pages.
func (s *Sparse) check(at, n int64) error {
	if at%PageBytes != 0 || n%PageBytes != 0 || n <= 0 || at < 0 || at > int64(len(s.data))-n || s.freed.Load() {
		return &BindError{fmt.Sprintf("bytes [%d, %d+%d) of %d", at, at, n, len(s.data))}
	}
	return nil
}

// Bind shows n bytes of a block from offset on at [at, at+n): whole pages. The block
// comes from AllocPaged, AllocShared or ImportShared. Its memory lasts until it is
// neither bound nor held.
func (s *Sparse) Bind(at int64, b *Block, offset, n int64) error {
	if err := s.check(at, n); err != nil {
		return err
	}
	room := int64(0)
	if b != nil {
		room = (b.size + PageBytes - 1) &^ (PageBytes - 1)
	}
	switch {
	case b == nil || !b.pages || b.freed.Load():
		return &BindError{"the memory is not of a kind that can be bound"}
	case offset < 0 || offset%PageBytes != 0 || n > room || offset > room-n:
		return &BindError{fmt.Sprintf("bytes %d+%d of memory of %d", offset, n, b.size)}
	}
	return s.change(at, at+n, b, func() error {
		return aliasPages(s.data[at:at+n], unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.data)), offset))
	})
}

// Unbind takes memory away from [at, at+n).
func (s *Sparse) Unbind(at, n int64) error {
	if err := s.check(at, n); err != nil {
		return err
	}
	// IMG-303
	return s.change(at, at+n, nil, func() error { return clearPages(s.data[at : at+n]) })
}

// change binds b (or nothing) to [from, to), which remap does, and counts mappings: it
// makes at most two more.
func (s *Sparse) change(from, to int64, b *Block, remap func() error) error {
	if err := mappings.take(2); err != nil {
		return err
	}
	if err := remap(); err != nil {
		mappings.give(2)
		return &SystemError{Size: to - from, Err: err}
	}
	more := s.replace(from, to, b)
	s.maps += more
	mappings.give(2 - more)
	return nil
}

// replace notes that b (or nothing) is bound to [from, to), and tells how many pieces
// the range consists of more than before.
func (s *Sparse) replace(from, to int64, b *Block) (more int64) {
	first, _ := slices.BinarySearchFunc(s.parts, from, func(p part, at int64) int { return cmp.Compare(p.to, at+1) })
	last := first
	var keep []part
	for ; last < len(s.parts) && s.parts[last].from < to; last++ {
		p := s.parts[last]
		if p.from < from {
			keep = append(keep, part{p.from, from, p.block})
			p.block.hold()
		}
		if p.to > to {
			keep = append(keep, part{to, p.to, p.block})
			p.block.hold()
		}
	}
	var gone []part
	gone = append(gone, s.parts[first:last]...)
	if b != nil {
		b.hold()
		i, _ := slices.BinarySearchFunc(keep, from, func(p part, at int64) int { return cmp.Compare(p.from, at) })
		keep = slices.Insert(keep, i, part{from, to, b})
	}
	low, high := int64(0), int64(len(s.data)) // where the neighbours are
	if first > 0 {
		low = s.parts[first-1].to
	}
	if last < len(s.parts) {
		high = s.parts[last].from
	}
	more = pieces(keep, low, high) - pieces(gone, low, high)
	s.parts = slices.Replace(s.parts, first, last, keep...)
	for _, p := range gone {
		p.block.drop()
	}
	for page := from / PageBytes; page < to/PageBytes; page++ {
		word, bit := &s.bound[page/64], uint64(1)<<(page%64)
		s.count -= bits.OnesCount64(*word & bit)
		*word &^= bit
		if b != nil {
			*word |= bit
			s.count++
		}
	}
	return more
}

// pieces is the number of parts in [low, high), and of gaps before, between and after
// them.
func pieces(parts []part, low, high int64) int64 {
	n := int64(len(parts))
	for _, p := range parts {
		if p.from > low {
			n++
		}
		low = p.to
	}
	if low < high {
		n++
	}
	return n
}

// Bound says whether all pages of [at, at+n) are bound.
//
// IMG-230
func (s *Sparse) Bound(at, n int64) bool {
	for page := at / PageBytes; page <= (at+n-1)/PageBytes; page++ {
		if s.bound[page/64]>>(page%64)&1 == 0 {
			return false
		}
	}
	return true
}

// EachBound calls f with the parts of [at, at+n) that are bound, ascending.
func (s *Sparse) EachBound(at, n int64, f func(from, to int64)) {
	for _, p := range s.parts {
		if from, to := max(p.from, at), min(p.to, at+n); from < to {
			f(from, to)
		}
	}
}

// Discard makes pages that are not bound zeros again.
func (s *Sparse) Discard() {
	at := int64(0)
	for _, p := range s.parts {
		if p.from > at {
			forgetPages(s.data[at:p.from])
		}
		at = p.to
	}
	if at < int64(len(s.data)) {
		forgetPages(s.data[at:])
	}
}

// Free gives the addresses back. Nobody may use the bytes any more.
func (s *Sparse) Free() error {
	if s == nil || s.freed.Swap(true) {
		return nil
	}
	for _, p := range s.parts {
		p.block.drop()
	}
	mappings.give(s.maps - 1)
	return unmapCounted(s.data)
}

// SparseSet are ranges of which some pages are not bound, ascending.
type SparseSet []*Sparse

// NewSparseSet sorts ranges and leaves out those that are complete; nil if none is
// left.
func NewSparseSet(all []*Sparse) SparseSet {
	var set SparseSet
	for _, s := range all {
		if !s.Complete() && !s.freed.Load() {
			set = append(set, s)
		}
	}
	slices.SortFunc(set, func(a, b *Sparse) int { return cmp.Compare(a.start(), b.start()) })
	return set
}

func (s *Sparse) start() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s.data))) }

// Bound says whether the first n bytes of b can be written: they do not lie in
// pages of the set that are not bound.
func (set SparseSet) Bound(b []byte, n int) bool {
	if n == 0 || n > len(b) {
		return true
	}
	s, at := set.Around(b)
	return s == nil || s.Bound(at, int64(n))
}

// Around is the range that b begins in, and where; nil: none.
func (set SparseSet) Around(b []byte) (s *Sparse, offset int64) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	i, found := slices.BinarySearchFunc(set, at, func(s *Sparse, at uintptr) int { return cmp.Compare(s.start(), at) })
	if !found {
		i--
	}
	if i < 0 || at-set[i].start() >= uintptr(len(set[i].data)) {
		return nil, 0
	}
	return set[i], int64(at - set[i].start())
}
