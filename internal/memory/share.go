package memory

import "math"

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
	return a.share(size, func(n int) ([]byte, int, error) {
		data, fd, err := createShared(n)
		if err != nil {
			err = &SystemError{Size: size, Err: err}
		}
		return data, fd, err
	})
}

// AllocPaged is Alloc of memory that can be bound to a Sparse.
func (a *Allocator) AllocPaged(size int64) (*Block, error) {
	return a.share(size, func(n int) ([]byte, int, error) {
		data, err := mapPaged(n)
		if err != nil {
			err = &SystemError{Size: size, Err: err}
		}
		return data, -1, err
	})
}

// ImportShared maps size bytes of a block that was exported. The descriptor belongs
// to the block if there is no error.
func (a *Allocator) ImportShared(fd int, size int64) (*Block, error) {
	return a.share(size, func(n int) ([]byte, int, error) {
		data, err := openShared(fd, n)
		if err != nil {
			err = &ImportError{err}
		}
		return data, fd, err
	})
}

func (a *Allocator) share(size int64, open func(int) ([]byte, int, error)) (*Block, error) {
	if size <= 0 || size > math.MaxInt-2*pageBytes {
		return nil, &SizeError{Size: size}
	}
	if err := a.reserve(size); err != nil {
		return nil, err
	}
	data, fd, err := open(int(size))
	if err != nil {
		a.used.Add(-size)
		return nil, err
	}
	a.live.Add(1)
	b := newBlock(a, size)
	b.data, b.mapped, b.file, b.pages = data, true, fd+1, true
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
