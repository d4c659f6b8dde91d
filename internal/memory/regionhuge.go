package memory

import (
	"slices"
	"time"
)

// Large blocks of a Region should have huge pages as others have (adviseHuge): texels are read from all over them. Shared
// memory gets none by itself where the system is not told so for all of it. So blocks of hugeBytes and more begin where a
// huge page can, and pieces of them that have been written get one when they are found.

// hugeBytes is the size of a huge page on all machines that have such.
const hugeBytes = 2 << 20

// hugePieces is how many pieces wait for a huge page at most: later ones keep their small pages.
const hugePieces = 4096

// place is where size bytes may begin in a span that begins at offset at.
func (r *Region) place(at, size int64) int64 {
	if size < hugeBytes {
		return at
	}
	from := int64(r.base) + at
	return at + (from+hugeBytes-1)/hugeBytes*hugeBytes - from
}

// enlarge notes the pieces of a new block. The caller holds r.mu.
func (r *Region) enlarge(at, size int64) {
	if size < hugeBytes || !canCollapse {
		return
	}
	for ; size >= hugeBytes && len(r.small) < hugePieces; at, size = at+hugeBytes, size-hugeBytes {
		r.small = append(r.small, at)
	}
	if !r.keeping {
		r.keeping = true
		go r.keep()
	}
}

// keep looks for pieces that have been written, ever less often where nobody writes any, until none is left.
func (r *Region) keep() {
	const often, rarely = 10 * time.Millisecond, time.Second
	for wait := often; ; wait = min(2*wait, rarely) {
		time.Sleep(wait)
		r.mu.Lock()
		pieces := slices.Clone(r.small)
		if len(pieces) == 0 {
			r.keeping = false
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		for _, at := range pieces {
			piece := r.data[at : at+hugeBytes]
			if residentBytes(piece) < hugeBytes/2 {
				continue
			}
			// The block may have been freed meanwhile: then there is nothing to be made huge, or another block's.
			works := collapsePages(piece)
			wait = often
			r.mu.Lock()
			if r.small = slices.DeleteFunc(r.small, func(p int64) bool { return p == at }); !works {
				r.small = nil // it will not for others
			}
			r.mu.Unlock()
		}
	}
}
