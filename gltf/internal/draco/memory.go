//go:build !js

package draco

import (
	"github.com/tetratelabs/wazero/experimental"

	"github.com/pumice-gpu/pumice/budget"
)

// sandbox is the memory of one instance, charged to a budget as it grows. What the
// budget refuses the decoder sees as a failed allocation.
type sandbox struct {
	budget *budget.Budget
	bytes  []byte
	err    error // the last growth's refusal
}

// Allocate implements experimental.MemoryAllocator.
func (s *sandbox) Allocate(_, _ uint64) experimental.LinearMemory { return s }

// Reallocate implements experimental.LinearMemory.
func (s *sandbox) Reallocate(size uint64) []byte {
	if size <= uint64(len(s.bytes)) {
		return s.bytes[:size]
	}
	if s.err = s.budget.Take(int64(size)); s.err != nil {
		return nil
	}
	grown := make([]byte, size)
	copy(grown, s.bytes)
	s.budget.Drop(int64(len(s.bytes)))
	s.bytes = grown
	return grown
}

// Free implements experimental.LinearMemory.
func (s *sandbox) Free() {
	s.budget.Drop(int64(len(s.bytes)))
	s.bytes = nil
}
