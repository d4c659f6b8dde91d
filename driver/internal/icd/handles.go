package icd

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
)

// A Pool gives objects handles: generation<<32 | index+1. A handle that was
// taken out, or never given, leads to nil. Reading takes no lock. The zero Pool
// is empty.
type Pool[T any] struct {
	mu   sync.Mutex
	dir  atomic.Pointer[[]*page[T]] // grows by copying
	free []uint32
	used uint32
}

const (
	pageBits = 8
	maxSlots = 1 << 26 // of a pool: the rest of 32 bits would not fit in memory anyway
)

type page[T any] [1 << pageBits]slot[T]

type slot[T any] struct {
	object     atomic.Pointer[T]
	generation atomic.Uint32
}

// Put makes a handle for v; 0 if there are too many.
func (p *Pool[T]) Put(v *T) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	var i uint32
	if n := len(p.free); n > 0 {
		i, p.free = p.free[n-1], p.free[:n-1]
	} else {
		if p.used == maxSlots {
			return 0
		}
		i = p.used
		p.used++
		p.grow(i)
	}
	s := p.slot(i)
	s.object.Store(v)
	return uint64(s.generation.Load())<<32 | uint64(i+1)
}

// grow makes sure that slot i exists.
func (p *Pool[T]) grow(i uint32) {
	var pages []*page[T]
	if d := p.dir.Load(); d != nil {
		pages = *d
	}
	if int(i>>pageBits) < len(pages) {
		return
	}
	next := append(pages[:len(pages):len(pages)], new(page[T]))
	p.dir.Store(&next)
}

func (p *Pool[T]) slot(i uint32) *slot[T] {
	d := p.dir.Load()
	if d == nil || int(i>>pageBits) >= len(*d) {
		return nil
	}
	return &(*d)[i>>pageBits][i&(1<<pageBits-1)]
}

// Get returns the object of a handle, nil for none.
func (p *Pool[T]) Get(h uint64) *T {
	s := p.slot(uint32(h) - 1)
	if s == nil || s.generation.Load() != uint32(h>>32) {
		return nil
	}
	v := s.object.Load()
	if s.generation.Load() != uint32(h>>32) {
		return nil // taken out, and the slot given anew, meanwhile
	}
	return v
}

// Take takes an object out and returns it; nil if the handle leads nowhere.
func (p *Pool[T]) Take(h uint64) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := uint32(h) - 1
	s := p.slot(i)
	if s == nil || s.generation.Load() != uint32(h>>32) {
		return nil
	}
	v := s.object.Load()
	if v == nil {
		return nil
	}
	s.generation.Add(1)
	s.object.Store(nil)
	p.free = append(p.free, i)
	return v
}

// All returns the objects that are in the pool.
func (p *Pool[T]) All() []*T {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*T
	for i := range p.used {
		if v := p.slot(i).object.Load(); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// cellBytes holds an abi.Dispatchable or an abi.Stream.
const cellBytes = 128

// slab hands out equal pieces of memory, outside the Go heap where C may keep
// pointers to them.
type slab struct {
	mu     sync.Mutex
	bytes  int
	alloc  *memory.Allocator
	blocks []slabBlock // by address
	open   []uintptr   // addresses of blocks that have free pieces; the last is used first
	idle   int         // blocks all of whose pieces are free
}

// slabBlock is what a slab takes from the system at a time.
type slabBlock struct {
	at    uintptr
	block *memory.Block
	free  []unsafe.Pointer
}

const (
	slabBytes = 1 << 20
	// slabIdle is how many blocks a slab keeps of which no piece is in use: command
	// buffers are recorded anew again and again.
	slabIdle = 32
)

func (s *slab) init(bytes int, from memory.Config) {
	s.bytes, s.alloc = bytes, memory.New(from)
}

// get returns memory, nil if there is none.
func (s *slab) get() unsafe.Pointer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) == 0 && !s.add() {
		return nil
	}
	b := s.find(s.open[len(s.open)-1])
	if len(b.free) == slabBytes/s.bytes {
		s.idle--
	}
	p := b.free[len(b.free)-1]
	if b.free = b.free[:len(b.free)-1]; len(b.free) == 0 {
		s.open = s.open[:len(s.open)-1]
	}
	return p
}

// add takes a block from the system.
func (s *slab) add() bool {
	block, err := s.alloc.Alloc(slabBytes)
	if err != nil {
		return false
	}
	data := block.Bytes()
	b := slabBlock{at: uintptr(unsafe.Pointer(&data[0])), block: block}
	for at := len(data) - s.bytes; at >= 0; at -= s.bytes {
		b.free = append(b.free, unsafe.Pointer(&data[at]))
	}
	i, _ := slices.BinarySearchFunc(s.blocks, b.at, compareBlock)
	s.blocks = slices.Insert(s.blocks, i, b)
	s.open = append(s.open, b.at)
	s.idle++
	return true
}

func compareBlock(b slabBlock, at uintptr) int { return cmp.Compare(b.at, at) }

// find returns the block that holds an address.
func (s *slab) find(at uintptr) *slabBlock {
	i, found := slices.BinarySearchFunc(s.blocks, at, compareBlock)
	if !found {
		i--
	}
	return &s.blocks[i]
}

// put takes memory back that get has returned. What the slab has too much of goes to the
// system.
func (s *slab) put(p unsafe.Pointer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.find(uintptr(p))
	if len(b.free) == 0 {
		s.open = append(s.open, b.at)
	}
	if b.free = append(b.free, p); len(b.free) < slabBytes/s.bytes {
		return
	}
	if s.idle < slabIdle {
		s.idle++
		return
	}
	_ = b.block.Free() // a mapping of ours; failing leaves it mapped
	s.open = slices.DeleteFunc(s.open, func(at uintptr) bool { return at == b.at })
	i, _ := slices.BinarySearchFunc(s.blocks, b.at, compareBlock)
	s.blocks = slices.Delete(s.blocks, i, i+1)
}

// dispatchable makes a dispatchable handle for an object with handle id of its
// pool; nil if there is no memory.
func (d *Driver) dispatchable(id uint64, kind abi.Level) unsafe.Pointer {
	p := d.cells.get()
	if p == nil {
		return nil
	}
	clear(unsafe.Slice((*byte)(p), cellBytes))
	*(*abi.Dispatchable)(p) = abi.Dispatchable{Loader: abi.LoaderMagic, ID: id, Kind: kind}
	return p
}

// freeDispatchable gives the memory of a handle back. Until it is used again,
// the handle leads nowhere.
func (d *Driver) freeDispatchable(h unsafe.Pointer) {
	if h != nil {
		(*abi.Dispatchable)(h).ID = 0
		d.cells.put(h)
	}
}

// enroll puts v into a pool of the driver and makes its dispatchable handle;
// nil if there is no memory.
func enroll[T any](d *Driver, pool *Pool[T], v *T, kind abi.Level) unsafe.Pointer {
	id := pool.Put(v)
	h := d.dispatchable(id, kind)
	if h == nil {
		pool.Take(id)
	}
	return h
}

// expel undoes enroll. It returns the object, nil if the handle leads nowhere.
func expel[T any](d *Driver, pool *Pool[T], h unsafe.Pointer, kind abi.Level) *T {
	if h == nil || (*abi.Dispatchable)(h).Kind != kind {
		return nil
	}
	v := pool.Take((*abi.Dispatchable)(h).ID)
	if v != nil {
		d.freeDispatchable(h)
	}
	return v
}

// resolve returns the object of a dispatchable handle, nil if it leads nowhere.
func resolve[T any](pool *Pool[T], h unsafe.Pointer, kind abi.Level) *T {
	if h == nil || (*abi.Dispatchable)(h).Kind != kind {
		return nil
	}
	return pool.Get((*abi.Dispatchable)(h).ID)
}
