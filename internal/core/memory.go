package core

import (
	"fmt"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/memory"
)

// BindAlignment is the alignment in bytes of resources in explicit memory.
const BindAlignment = 256

// Memory is a block of device memory. It counts its users: the handle, each
// resource bound to it and each submission under way; the last one frees it.
type Memory struct {
	object
	data  []byte
	block *memory.Block // of data; nil if it was imported from the host
	free  func() error  // gives data back; called once
	users atomic.Int64
	// lazy memory is lazily allocated; committed is the most that Commitment has told.
	lazy      bool
	committed atomic.Int64
	// sparse are the addresses of a sparse resource, of which this is no real memory.
	sparse *memory.Sparse
}

// NewMemory allocates size zeroed bytes.
func (d *Device) NewMemory(size uint64) (*Memory, error) {
	const op Op = "vkAllocateMemory"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	return d.allocate(op, size)
}

// NewLazyMemory allocates size zeroed bytes of lazily allocated memory: images with
// VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT alone are bound to it, and the system provides its pages when they are
// first touched. Limit and budget are charged for all of it at once, so that touching cannot fail.
//
// memory-device-lazy_allocation
func (d *Device) NewLazyMemory(size uint64) (*Memory, error) {
	m, err := d.NewMemory(size)
	if err == nil {
		m.lazy = true
	}
	return m, err
}

// Lazy says that the memory comes from NewLazyMemory.
func (m *Memory) Lazy() bool { return m != nil && m.lazy }

// Commitment returns how many bytes of lazily allocated memory the system has provided so far; of other memory, its
// size. It never falls, as pages that are swapped out stay the memory's.
func (m *Memory) Commitment() uint64 {
	if !m.Lazy() {
		return m.Size()
	}
	n := m.block.Committed()
	for {
		old := m.committed.Load()
		if n <= old || m.committed.CompareAndSwap(old, n) {
			return uint64(max(n, old))
		}
	}
}

// Count adds the bytes that the memory has of the device's limit to n until they are given back.
func (m *Memory) Count(n *atomic.Int64) {
	d := m.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, live := d.memories[m]; !live {
		return
	}
	size, free := m.block.Size(), m.free
	n.Add(size)
	m.free = func() error {
		n.Add(-size)
		return free()
	}
}

// NewSharedMemory allocates size zeroed bytes that can be exported.
func (d *Device) NewSharedMemory(size uint64) (*Memory, error) {
	const op Op = "vkAllocateMemory"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	return d.allocateBy(op, size, d.alloc.AllocShared)
}

// ImportShared makes memory of what Export has returned, here or in another
// process: the first size bytes of it. The descriptor belongs to the memory if
// there is no error.
func (d *Device) ImportShared(fd int, size uint64) (*Memory, error) {
	const op Op = "vkAllocateMemory"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	return d.allocateBy(op, size, func(n int64) (*memory.Block, error) { return d.alloc.ImportShared(fd, n) })
}

// Export returns a file descriptor of shared memory, which the caller closes.
func (m *Memory) Export() (int, error) {
	const op Op = "vkGetMemoryFdKHR"
	if m == nil {
		return -1, nilObject(op, "memory")
	}
	if err := m.use(m.dev, op); err != nil {
		return -1, err
	}
	fd, ok := m.block.Export()
	if !ok {
		return -1, m.dev.misuse(op, "VkMemoryGetFdInfoKHR-handleType-00671", "allocate it with VkExportMemoryAllocateInfo", "%s is not shared", m.label())
	}
	return fd, nil
}

// FileID is the number of the file that shared memory is, the same wherever it is
// imported; false for other memory.
func (m *Memory) FileID() (uint64, bool) { return m.block.FileID() }

func (d *Device) allocate(op Op, size uint64) (*Memory, error) {
	return d.allocateBy(op, size, d.alloc.Alloc)
}

func (d *Device) allocateBy(op Op, size uint64, alloc func(int64) (*memory.Block, error)) (*Memory, error) {
	if size > 1<<62 {
		return nil, d.report(&Error{Op: string(op), Rule: "VK_ERROR_OUT_OF_DEVICE_MEMORY", Detail: fmt.Sprintf("%d bytes", size), Err: ErrOutOfMemory})
	}
	charge := d.cfg.Budget
	if err := charge.Take(int64(size)); err != nil {
		return nil, d.wrap(op, err)
	}
	block, err := alloc(int64(size))
	if err != nil {
		charge.Give(int64(size))
		return nil, d.wrap(op, err)
	}
	return d.addMemory(op, block.Bytes()[:size:size], block, func() error {
		defer charge.Give(int64(size))
		return block.Free()
	})
}

// ImportMemory makes memory of bytes that the caller owns and that neither move
// nor go away before release is called, which happens once: when the last user is
// gone, or at once if ImportMemory fails. It must not call the device. release
// may be nil.
func (d *Device) ImportMemory(data []byte, release func() error) (*Memory, error) {
	const op Op = "vkAllocateMemory"
	if release == nil {
		release = func() error { return nil }
	}
	err := d.usable(op)
	if err == nil && len(data) == 0 {
		err = d.misuse(op, "VkMemoryAllocateInfo-allocationSize-07897", "", "no bytes")
	}
	if err != nil {
		_ = release() // the error below says why the import is off
		return nil, err
	}
	return d.addMemory(op, data[:len(data):len(data)], nil, release)
}

// addMemory makes the object of bytes and registers it with the device.
func (d *Device) addMemory(op Op, data []byte, block *memory.Block, free func() error) (*Memory, error) {
	m := &Memory{data: data, block: block, free: free}
	m.dev, m.kind = d, "memory"
	m.users.Store(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed.Load() {
		_ = free() // the device went while we allocated; the error below says so
		return nil, &Error{Op: d.named(op), Rule: "use after Close", Detail: "the device", Err: ErrClosed}
	}
	d.memories[m] = struct{}{}
	return m, nil
}

// Bytes returns the memory for mapping, nil after Close. The bytes stay valid
// until Close, or as long as a resource is bound to them.
func (m *Memory) Bytes() []byte {
	if m == nil || m.closed.Load() || m.dev.closed.Load() {
		return nil
	}
	return m.data
}

// Place shows len(dst) bytes of the memory from offset on at dst, instead of whatever is
// mapped there; memory.Displace takes them away. The memory is of the kind that
// PagedMemoryTypeBits tells of.
func (m *Memory) Place(dst []byte, offset uint64) error {
	const op Op = "vkMapMemory2"
	if m == nil {
		return nilObject(op, "memory")
	}
	if err := m.use(m.dev, op); err != nil {
		return err
	}
	if err := m.block.Place(dst, int64(min(offset, 1<<62))); err != nil {
		return m.dev.wrap(op, err)
	}
	return nil
}

// Placeable says whether Place and Show take the memory: not what was imported from the host.
func (m *Memory) Placeable() bool { return m != nil && m.block.Placeable() }

// Show shows the memory at addresses that nothing else has, until memory.Displace. The memory is one that Place takes.
func (m *Memory) Show() ([]byte, error) {
	const op Op = "vkMapMemory"
	if m == nil {
		return nil, nilObject(op, "memory")
	}
	if err := m.use(m.dev, op); err != nil {
		return nil, err
	}
	data, err := m.block.Show()
	if err != nil {
		return nil, m.dev.wrap(op, err)
	}
	return data, nil
}

// Size returns the size in bytes.
func (m *Memory) Size() uint64 {
	if m == nil {
		return 0
	}
	return uint64(len(m.data))
}

// Close gives the handle up.
func (m *Memory) Close() error {
	if m != nil && !m.closed.Swap(true) {
		m.release()
	}
	return nil
}

// retain adds a user; false if the memory is gone.
func (m *Memory) retain() bool {
	for {
		n := m.users.Load()
		if n == 0 {
			return false
		}
		if m.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release drops a user.
func (m *Memory) release() {
	if m.users.Add(-1) != 0 {
		return
	}
	d := m.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, live := d.memories[m]; !live {
		return // the device's Close has freed it
	}
	if d.pins > 0 {
		d.kept = append(d.kept, m)
		return
	}
	d.free(m)
}

// free gives the bytes of memory without users back. The caller holds d.mu.
func (d *Device) free(m *Memory) {
	delete(d.memories, m)
	if err := m.free(); err != nil && d.cfg.Debug != nil {
		d.cfg.Debug(Message{Severity: SeverityWarning, Op: d.named("vkFreeMemory"), Text: err.Error()})
	}
}

// bind returns size bytes of m at offset and counts a user; m nil allocates.
func (d *Device) bind(op Op, vuidSize string, m *Memory, offset, size uint64) (*Memory, []byte, error) {
	if m == nil {
		m, err := d.allocate(op, size)
		if err != nil {
			return nil, nil, err
		}
		return m, m.data, nil
	}
	if err := m.use(d, op); err != nil {
		return nil, nil, err
	}
	// Neighbours may share memory (bufferImageGranularity is 1), and
	// resources may lie on top of each other (resources-memory-aliasing).
	if offset%BindAlignment != 0 {
		return nil, nil, d.misuse(op, "vkBindBufferMemory-None-10739", "align it to 256", "memory offset %d is no multiple of %d", offset, BindAlignment)
	}
	if offset > m.Size() || size > m.Size()-offset {
		return nil, nil, d.misuse(op, vuidSize, "allocate more memory", "%d bytes at offset %d in memory of %d", size, offset, m.Size())
	}
	if !m.retain() {
		return nil, nil, d.report(&Error{Op: string(op), Rule: "use after Close", Detail: m.label(), Err: ErrClosed})
	}
	return m, m.data[offset : offset+size : offset+size], nil
}
