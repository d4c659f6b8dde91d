package exec

import (
	"fmt"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/memory"
)

// Scratch is memory that threads work in while they run a batch, and leave to the next one: what a worker needs
// is then that of its largest program, and not of all programs that it has run. One goroutine at a time may run
// threads of a Scratch, and none of them inside another's batch. The zero value takes memory from the Go heap.
type Scratch struct {
	alloc *memory.Allocator
	block *memory.Block
	words []uint32
}

// NewScratch returns a Scratch with memory of an allocator, which Free gives back.
func NewScratch(a *memory.Allocator) *Scratch { return &Scratch{alloc: a} }

// minScratch is how many words a Scratch has at least.
const minScratch = 1 << 14

// Words returns at least n words, aligned to a line of the cache, of any contents. They are the same ones as
// before where those were enough; else those are gone. The error is that of the allocator.
func (s *Scratch) Words(n int) ([]uint32, error) {
	if n <= len(s.words) {
		return s.words, nil
	}
	size := max(n, minScratch)
	if step := 1 << (bits.Len(uint(size)) - 3); step > 1 { // an eighth more at most
		size = (size + step - 1) &^ (step - 1)
	}
	s.Free()
	if s.alloc == nil {
		s.words = make([]uint32, size)
		return s.words, nil
	}
	b, err := s.alloc.Alloc(4 * int64(size))
	if err != nil {
		return nil, fmt.Errorf("memory of a shader's variables: %w", err)
	}
	if s.block, s.words = b, memory.Words(b.Bytes()); s.words == nil { // of another byte order
		s.words = make([]uint32, size)
	}
	return s.words, nil
}

// Free gives the memory back. Threads ask for it again.
func (s *Scratch) Free() {
	if s.block != nil {
		_ = s.block.Free() // what it could tell of writes beside the block, it tells of rows that engines have bounded
	}
	s.block, s.words = nil, nil
}

// Sharer is a routine whose threads can work in a Scratch that others use, too.
type Sharer interface {
	// NewThreadIn is NewThread with threads that have no such memory of their own.
	NewThreadIn(s *Scratch, maxLanes int) Thread
}

// NewThread makes a thread of a routine that works in s, if the engine can.
func NewThread(r Routine, s *Scratch, maxLanes int) Thread {
	if x, ok := r.(Sharer); ok {
		return x.NewThreadIn(s, maxLanes)
	}
	return r.NewThread(maxLanes)
}
