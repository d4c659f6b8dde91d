// Package memory allocates device memory.
//
// Device memory lies outside the Go heap: applications and native code hold
// addresses into it, and the collector neither scans nor moves it. A
// heap-backed mode gives the same blocks from the Go heap, where the race
// detector sees them; platforms without anonymous mappings always use it.
package memory

import (
	"fmt"
	"math"
	"sync/atomic"
)

// Alignment is the alignment in bytes of every block: one cache line, the
// widest vector register, and a multiple of every
// minMemoryMapAlignment / min*BufferOffsetAlignment that devices report.
const Alignment = 64

// Mode says where blocks come from.
type Mode uint8

const (
	// OffHeap maps anonymous pages, where the platform has them.
	OffHeap Mode = iota
	// Heap allocates from the Go heap, visible to the race detector.
	Heap
	// Guard is for tests: each block of Alloc ends at a page that cannot be touched, as
	// closely as Alignment allows, and Free says when bytes beside it were written. Where
	// pages cannot be mapped it is Heap.
	Guard
	// GuardBefore is Guard with the block's start at such a page.
	GuardBefore
)

// Config configures an Allocator. The zero value is off-heap without a limit.
type Config struct {
	Mode Mode
	// Limit bounds the bytes of all live blocks together; 0 means none.
	Limit int64
	// Blocks bounds the number of live blocks; 0 means none.
	Blocks int64
	// Gate lets blocks be made for which the host has memory; nil: all.
	Gate *Gate
	// Region is where the blocks of Alloc and AllocPaged lie, in the mode OffHeap; nil: anywhere.
	Region *Region
}

// Allocator hands out blocks and counts them. It is safe for concurrent use.
type Allocator struct {
	mode   Mode
	limit  int64
	blocks int64
	gate   *Gate
	region *Region
	used   atomic.Int64
	live   atomic.Int64
	peak   atomic.Int64
}

// New makes an allocator.
func New(c Config) *Allocator {
	ReadLimits()
	return &Allocator{mode: c.Mode, limit: orNone(c.Limit), blocks: orNone(c.Blocks), gate: c.Gate,
		region: c.Region}
}

// orNone is a limit of Config.
func orNone(limit int64) int64 {
	if limit <= 0 {
		return math.MaxInt64
	}
	return limit
}

// Stats is a snapshot of what an Allocator has handed out.
type Stats struct {
	Used   int64 // bytes of live blocks
	Peak   int64 // largest Used so far
	Blocks int64 // live blocks
	Limit  int64 // math.MaxInt64 where none was given
}

// Stats returns the current figures; with blocks allocated meanwhile they need
// not belong to one instant.
func (a *Allocator) Stats() Stats {
	return Stats{Used: a.used.Load(), Peak: a.peak.Load(), Blocks: a.live.Load(), Limit: a.limit}
}

// LimitError says that an allocation would pass Config.Limit.
type LimitError struct {
	Size, Used, Limit int64 // bytes
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("memory: %d bytes asked for with %d of %d in use", e.Size, e.Used, e.Limit)
}

// SizeError says that a size is not positive or does not fit an int.
type SizeError struct{ Size int64 }

func (e *SizeError) Error() string {
	return fmt.Sprintf("memory: cannot allocate %d bytes (VUID-VkMemoryAllocateInfo-allocationSize-07897); the size must be positive and addressable", e.Size)
}

// SystemError says that the operating system refused a mapping.
type SystemError struct {
	Size int64
	Err  error
}

func (e *SystemError) Error() string {
	return fmt.Sprintf("memory: the system refused %d bytes (VK_ERROR_OUT_OF_DEVICE_MEMORY): %v", e.Size, e.Err)
}

// Unwrap returns the system's error.
func (e *SystemError) Unwrap() error { return e.Err }

// Block is one allocation. The holder decides when it is freed; nothing frees
// it behind the holder's back.
type Block struct {
	data   []byte
	mapped bool
	slot   arenaSlot // in an arena, if it is mapped there
	size   int64
	guard  *guarded     // of the modes Guard and GuardBefore
	file   int          // 1 + file descriptor of shared memory
	pages  bool         // can be bound to a Sparse
	shared bool         // in the owner's region
	users  atomic.Int64 // the holder, and each place where it is bound
	owner  *Allocator
	freed  atomic.Bool
}

// Alloc returns a zeroed block of size bytes whose first byte is aligned to
// Alignment. Errors are *SizeError, *LimitError, *CountError and *SystemError.
func (a *Allocator) Alloc(size int64) (*Block, error) {
	if size <= 0 || size > math.MaxInt-2*Alignment {
		return nil, &SizeError{Size: size}
	}
	if err := a.promise(size); err != nil {
		return nil, err
	}
	if a.mode >= Guard && canMap {
		return a.allocGuarded(size)
	}
	b := newBlock(a, size)
	if err := b.fill(); err != nil {
		b.drop()
		return nil, err
	}
	a.gate.enter(b)
	return b, nil
}

// fill gives a block its memory.
func (b *Block) fill() (err error) {
	switch {
	case b.owner.mode != OffHeap || !canMap:
		b.data = heapBytes(int(b.size))
		return nil
	case b.owner.region != nil:
		return b.fillShared()
	case b.size <= smallBytes:
		b.data, b.slot, err = small.alloc(int(b.size))
	default:
		if b.data, err = mapCounted(b.size, mapPages); err == nil {
			adviseHuge(b.data)
		}
	}
	b.mapped = err == nil
	return err
}

// fillShared is fill where there is a region. Its pages can be bound and placed as those of AllocPaged.
func (b *Block) fillShared() (err error) {
	if b.data, err = b.owner.region.alloc(int(b.size)); err != nil {
		return &SystemError{Size: b.size, Err: err}
	}
	b.mapped, b.pages, b.shared = true, true, true
	return nil
}

func newBlock(a *Allocator, size int64) *Block {
	b := &Block{size: size, owner: a}
	b.users.Store(1)
	return b
}

// hold adds a user, drop takes one away; the last one gives the block's share of
// the limit back.
func (b *Block) hold() { b.users.Add(1) }

func (b *Block) drop() {
	if b.users.Add(-1) == 0 {
		b.owner.used.Add(-b.size)
		b.owner.live.Add(-1)
	}
}

// promise is reserve for a block that takes memory of the host.
func (a *Allocator) promise(size int64) error {
	if err := a.reserve(size); err != nil {
		return err
	}
	err := a.gate.admit(size)
	if err != nil {
		a.used.Add(-size)
		a.live.Add(-1)
	}
	return err
}

// reserve accounts for a block of size bytes, to be made with newBlock, or says why
// there is none.
func (a *Allocator) reserve(size int64) error {
	if a.live.Add(1) > a.blocks {
		a.live.Add(-1)
		return &CountError{"blocks of memory", a.blocks}
	}
	for {
		used := a.used.Load()
		if size > a.limit-used {
			a.live.Add(-1)
			return &LimitError{Size: size, Used: used, Limit: a.limit}
		}
		if a.used.CompareAndSwap(used, used+size) {
			a.raisePeak(used + size)
			return nil
		}
	}
}

func (a *Allocator) raisePeak(to int64) {
	for {
		p := a.peak.Load()
		if to <= p || a.peak.CompareAndSwap(p, to) {
			return
		}
	}
}

// Bytes returns the block's memory: size bytes, full capacity. It is nil after
// Free; slices taken before must not be used any more.
func (b *Block) Bytes() []byte {
	if b == nil || b.freed.Load() {
		return nil
	}
	return b.data
}

// Size returns the size in bytes that was asked for; 0 for nil.
func (b *Block) Size() int64 {
	if b == nil {
		return 0
	}
	return b.size
}

// Committed returns for how many of the block's bytes the system has provided pages, where it tells; else all of them.
// A page counts from when it is first touched.
func (b *Block) Committed() int64 {
	if b == nil || b.freed.Load() || !b.mapped {
		return b.Size()
	}
	return min(b.size, residentBytes(b.data))
}

// Free gives the memory back. Further calls, and calls on nil, do nothing. The
// caller makes sure that no work that uses the block is still running.
func (b *Block) Free() error {
	if b == nil || b.freed.Swap(true) {
		return nil
	}
	b.owner.gate.leave(b) // while its pages are there
	b.drop()
	switch {
	case !b.mapped:
		return nil // the collector takes it when the last slice is gone
	case b.shared:
		b.owner.region.release(b.data)
		return nil
	case b.guard != nil:
		return b.freeGuarded()
	case b.slot.arena != nil:
		return small.release(b.slot, int(b.size))
	case b.file != 0:
		CloseFD(b.file - 1)
	}
	return unmapCounted(b.data)
}
