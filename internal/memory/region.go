package memory

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"unsafe"
)

// A Region is a range of addresses that another process has mapped, too, at the same place: what an Allocator with a
// Region hands out, the other one can read and write. Who uses it believes nothing that it reads there. What is free and
// what is not is noted elsewhere.
type Region struct {
	mu   sync.Mutex
	base uintptr
	data []byte
	free []regionSpan // ascending, with something between each two

	// Claim makes sure that pages can be written before they are handed out, where the system would otherwise end a process
	// that writes them (a file on a full disk); nil: that cannot happen.
	claim func(offset, n int64) error

	small   []int64 // where pieces of hugeBytes begin that may have small pages, in blocks that are in use
	keeping bool    // keep runs
}

// regionSpan are bytes [at, at+n) of a Region: whole pages.
type regionSpan struct{ at, n int64 }

// NewRegion makes a region of pages that are mapped shared and are zero. Claim may be nil.
func NewRegion(data []byte, claim func(offset, n int64) error) *Region {
	n := int64(len(data)) &^ (pageBytes - 1)
	return &Region{base: uintptr(unsafe.Pointer(unsafe.SliceData(data))), data: data, free: []regionSpan{{0, n}}, claim: claim}
}

var errRegionFull = errors.New("the memory that is shared with the host is used up")

// alloc returns n bytes in pages of their own. They are zero, unless the other process has written there.
func (r *Region) alloc(n int) ([]byte, error) {
	size := (int64(n) + pageBytes - 1) &^ (pageBytes - 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.free, func(s regionSpan) bool { return s.n-(r.place(s.at, size)-s.at) >= size })
	if i < 0 {
		return nil, errRegionFull
	}
	s := r.free[i]
	at := r.place(s.at, size)
	if r.claim != nil {
		if err := r.claim(at, size); err != nil {
			return nil, err
		}
	}
	left := []regionSpan{{s.at, at - s.at}, {at + size, s.at + s.n - at - size}}
	r.free = slices.Replace(r.free, i, i+1, slices.DeleteFunc(left, func(s regionSpan) bool { return s.n == 0 })...)
	r.enlarge(at, size)
	return r.data[at : at+int64(n) : at+int64(n)], nil
}

// release takes the pages back that alloc has returned, and gives their memory to the system.
func (r *Region) release(b []byte) {
	at := int64(uintptr(unsafe.Pointer(unsafe.SliceData(b))) - r.base)
	size := (int64(len(b)) + pageBytes - 1) &^ (pageBytes - 1)
	removePages(r.data[at : at+size])
	r.mu.Lock()
	defer r.mu.Unlock()
	r.small = slices.DeleteFunc(r.small, func(p int64) bool { return p >= at && p < at+size })
	i, _ := slices.BinarySearchFunc(r.free, at, func(s regionSpan, at int64) int { return cmp.Compare(s.at, at) })
	before, after := i > 0 && r.free[i-1].at+r.free[i-1].n == at, i < len(r.free) && at+size == r.free[i].at
	switch {
	case before && after:
		r.free[i-1].n += size + r.free[i].n
		r.free = slices.Delete(r.free, i, i+1)
	case before:
		r.free[i-1].n += size
	case after:
		r.free[i] = regionSpan{at, size + r.free[i].n}
	default:
		r.free = slices.Insert(r.free, i, regionSpan{at, size})
	}
}
