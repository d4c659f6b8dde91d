package memory

import (
	"fmt"
	"sync/atomic"
)

// MaxMappings is how many mappings all allocators of the process may have together:
// half of what Linux grants a process (vm.max_map_count, 65530 by default). The other
// half is left to the host, whose allocator and threads fail without.
const MaxMappings = 65530 / 2

// mappings counts what MaxMappings bounds. It is the process that runs out of
// mappings, however many devices it has, so there is one count. It is an upper bound:
// the system may hold neighbours as one.
var mappings mappingCount

type mappingCount struct{ used atomic.Int64 }

// CountError says that there would be too many blocks, or too many mappings.
type CountError struct {
	What  string // "blocks of memory", "mappings of the process"
	Limit int64
}

func (e *CountError) Error() string {
	return fmt.Sprintf("memory: more than %d %s (VK_ERROR_TOO_MANY_OBJECTS); free some, or put several resources into one", e.Limit, e.What)
}

// take counts n more, or says that they are too many.
func (m *mappingCount) take(n int64) error {
	if m.used.Add(n) > MaxMappings {
		m.used.Add(-n)
		return &CountError{"mappings of the process", MaxMappings}
	}
	return nil
}

func (m *mappingCount) give(n int64) { m.used.Add(-n) }

// Mappings is how many mappings the process has through this package, at most.
func Mappings() int64 { return mappings.used.Load() }

// mapCounted is one more mapping: what open returns.
func mapCounted(size int64, open func(n int) ([]byte, error)) ([]byte, error) {
	if err := checkRoom(size); err != nil {
		return nil, err
	}
	if err := mappings.take(1); err != nil {
		return nil, err
	}
	data, err := open(int(size))
	if err != nil {
		mappings.give(1)
		return nil, &SystemError{Size: size, Err: err}
	}
	return data, nil
}

// unmapCounted undoes mapCounted.
func unmapCounted(data []byte) error {
	if err := unmapPages(data); err != nil {
		return &SystemError{Size: int64(len(data)), Err: err}
	}
	mappings.give(1)
	return nil
}
