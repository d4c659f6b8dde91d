package memory

import (
	"errors"
	"math"
)

// pageBytes is a multiple of the system's page size that all mappings keep to.
const pageBytes = 4096

// ImportError says that a file descriptor is not one of shared memory, or that its
// memory is too small.
type ImportError struct{ Err error }

func (e *ImportError) Error() string {
	return "memory: the file descriptor cannot be imported (VK_ERROR_INVALID_EXTERNAL_HANDLE): " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *ImportError) Unwrap() error { return e.Err }

// AllocShared is Alloc of memory that other processes can map; see Block.Export.
func (a *Allocator) AllocShared(size int64) (*Block, error) {
	fd := -1
	return a.share(size, &fd, a.promise, func(n int) (data []byte, err error) {
		data, fd, err = createShared(n)
		return data, err
	})
}

// AllocPaged is Alloc of memory that can be bound to a Sparse.
func (a *Allocator) AllocPaged(size int64) (*Block, error) {
	if a.region != nil {
		return a.Alloc(size)
	}
	fd := -1
	return a.share(size, &fd, a.promise, mapPaged)
}

// ImportShared maps size bytes of a block that was exported. The descriptor belongs
// to the block if there is no error.
func (a *Allocator) ImportShared(fd int, size int64) (*Block, error) {
	b, err := a.share(size, &fd, a.reserve, func(n int) ([]byte, error) { return openShared(fd, n) })
	if system := (*SystemError)(nil); errors.As(err, &system) {
		err = &ImportError{system.Err}
	}
	return b, err
}

// share makes a block with a mapping of its own, of the file *fd if that is one then. What reserve
// does drop undoes.
func (a *Allocator) share(
	size int64, fd *int, reserve func(int64) error, open func(int) ([]byte, error),
) (*Block, error) {
	if size <= 0 || size > math.MaxInt-2*pageBytes {
		return nil, &SizeError{Size: size}
	}
	if err := reserve(size); err != nil {
		return nil, err
	}
	b := newBlock(a, size)
	data, err := mapCounted(size, open)
	if err != nil {
		b.drop()
		return nil, err
	}
	b.data, b.mapped, b.file, b.pages = data, true, *fd+1, true
	a.gate.enter(b)
	return b, nil
}

// Export returns a new file descriptor of a shared block, which the caller closes,
// and false for others.
func (b *Block) Export() (int, bool) {
	if b == nil || b.file == 0 || b.freed.Load() {
		return -1, false
	}
	fd, err := DuplicateFD(b.file - 1)
	return fd, err == nil
}

// FileID is the number of a shared block's file, the same wherever it is imported, and
// false for others.
func (b *Block) FileID() (uint64, bool) {
	if b == nil || b.file == 0 || b.freed.Load() {
		return 0, false
	}
	return fileID(b.file - 1)
}
