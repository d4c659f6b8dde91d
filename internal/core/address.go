package core

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/vk"
)

// Device addresses are numbers of our own, not of the host: the same calls give
// the same addresses, and no number that a shader makes up leads outside of what a
// buffer takes of its memory. A buffer has its range from the first question for its address until it
// is closed; ranges do not touch, so that running off one ends nowhere.

const (
	addressUnit   = 1 << 12 // alignment of buffers, and the least distance between them
	firstAddress  = 1 << 32
	firstCaptured = 1 << 46 // buffers of captures lie apart, where nothing takes their place when they are replayed
	lastAddress   = 1 << 47
)

// addressSpace knows which bytes lie behind device addresses. It implements
// exec.Addresses.
type addressSpace struct {
	mu     sync.Mutex
	ranges []addressed // ascending
	next   [2]uint64   // where to look for room: for buffers, and for those of captures
	table  atomic.Pointer[exec.AddressTable]
}

// addressed is a buffer's range of addresses; data is nil before it is bound, and may be more than size.
type addressed struct {
	base, size uint64
	data       []byte
	owner      *Buffer
}

// Find implements exec.Addresses.
func (s *addressSpace) Find(address uint64) (base uint64, data []byte) {
	t := s.table.Load()
	if t == nil {
		t = s.list()
	}
	return t.Find(address)
}

// list makes the table anew after a change.
func (s *addressSpace) list() *exec.AddressTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := make(exec.AddressTable, len(s.ranges))
	for i, r := range s.ranges {
		t[i] = exec.AddressRange{Base: r.base, Data: r.data}
	}
	s.table.Store(&t)
	return &t
}

func (s *addressSpace) search(base uint64) (int, bool) {
	return slices.BinarySearchFunc(s.ranges, base, func(r addressed, b uint64) int { return cmp.Compare(r.base, b) })
}

// span is the room that size bytes take, with the gap behind them.
func span(size uint64) uint64 { return (size+addressUnit-1)&^(addressUnit-1) + addressUnit }

// fits says that nobody has addresses in [base, base+span(size)).
func (s *addressSpace) fits(base, size uint64) bool {
	i, found := s.search(base)
	if found || i > 0 && s.ranges[i-1].base+span(s.ranges[i-1].size) > base {
		return false
	}
	return i == len(s.ranges) || base+span(size) <= s.ranges[i].base
}

// add takes a range for a buffer; base 0 asks for any. It returns 0 if there is no room.
func (s *addressSpace) add(base, size uint64, data []byte, captured bool, owner *Buffer) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	area, first, last := 0, uint64(firstAddress), uint64(firstCaptured)
	if captured {
		area, first, last = 1, firstCaptured, lastAddress
	}
	if size > last-first || base != 0 && (base < first || base > last-span(size) || base%addressUnit != 0 || !s.fits(base, size)) {
		return 0
	}
	if base == 0 {
		if base = s.room(max(s.next[area], first), last, size); base == 0 {
			base = s.room(first, last, size)
		}
		if base == 0 {
			return 0
		}
		s.next[area] = base + span(size)
	}
	i, _ := s.search(base)
	s.ranges = slices.Insert(s.ranges, i, addressed{base, size, data, owner})
	s.table.Store(nil)
	return base
}

// room finds free addresses in [from, to), 0 for none.
func (s *addressSpace) room(from, to, size uint64) uint64 {
	i, _ := s.search(from)
	if i > 0 {
		from = max(from, s.ranges[i-1].base+span(s.ranges[i-1].size))
	}
	for ; from < to && span(size) <= to-from; i++ {
		if i == len(s.ranges) || from+span(size) <= s.ranges[i].base {
			return from
		}
		from = s.ranges[i].base + span(s.ranges[i].size)
	}
	return 0
}

// put gives the range at base its bytes.
func (s *addressSpace) put(base uint64, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, found := s.search(base); found {
		s.ranges[i].data = data
		s.table.Store(nil)
	}
}

// remove gives a range up.
func (s *addressSpace) remove(base uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, found := s.search(base); found {
		s.ranges = slices.Delete(s.ranges, i, i+1)
		s.table.Store(nil)
	}
}

// BufferAt returns the buffer whose addresses hold a range, and where in the buffer it
// begins; nil where no buffer has all of it.
func (d *Device) BufferAt(address, size uint64) (b *Buffer, offset uint64) {
	if b, offset, room := d.BufferFrom(address, size); room == size {
		return b, offset
	}
	return nil, 0
}

// BufferFrom returns the buffer in which a range begins, where in it, and how much of the range it has: less than size
// where the range goes on behind its end. The buffer is nil where none has the address.
func (d *Device) BufferFrom(address, size uint64) (b *Buffer, offset, room uint64) {
	s := &d.addresses
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := s.search(address)
	if !found {
		i--
	}
	if i < 0 {
		return nil, 0, 0
	}
	r := &s.ranges[i]
	if offset = address - r.base; offset > r.size {
		return nil, 0, 0
	}
	return r.owner, offset, min(size, r.size-offset)
}

// Addressable says that the usage lets the buffer have an address.
func (b *Buffer) Addressable() bool { return b.usage&vk.BufferUsageShaderDeviceAddressBit != 0 }

// DeviceAddress returns the address by which shaders reach the buffer's first
// byte, a multiple of 4096. It stays the same until Close.
func (b *Buffer) DeviceAddress() (uint64, error) {
	const op Op = "vkGetBufferDeviceAddress"
	if b == nil {
		return 0, nilObject(op, "buffer")
	}
	if err := b.dev.usable(op); err != nil {
		return 0, err
	}
	if err := b.need(b.dev, op, "VkBufferDeviceAddressInfo-buffer-02601", vk.BufferUsageShaderDeviceAddressBit); err != nil {
		return 0, err
	}
	return b.anyAddress(op)
}

// CaptureAddress returns the address for a replay, before or after Bind.
func (b *Buffer) CaptureAddress() (uint64, error) {
	const op Op = "vkGetBufferOpaqueCaptureAddress"
	if b == nil {
		return 0, nilObject(op, "buffer")
	}
	if err := b.use(b.dev, op); err != nil {
		return 0, err
	}
	if !b.captured() {
		return 0, b.dev.misuse(op, "vkGetBufferOpaqueCaptureAddress-pInfo-10725", "", "%s was made without DEVICE_ADDRESS_CAPTURE_REPLAY", b.label())
	}
	return b.anyAddress(op)
}

func (b *Buffer) anyAddress(op Op) (uint64, error) {
	b.addressing.Lock()
	defer b.addressing.Unlock()
	if b.address == 0 {
		if err := b.takeAddress(op, 0, b.captured()); err != nil {
			return 0, err
		}
	}
	return b.address, nil
}

func (b *Buffer) captured() bool {
	return b.flags&(vk.BufferCreateDeviceAddressCaptureReplayBit|vk.BufferCreateDescriptorBufferCaptureReplayBitEXT) != 0
}

// ReplayAddress asks for the address that a buffer had when it was captured; both
// have DEVICE_ADDRESS_CAPTURE_REPLAY. It fails where the address is taken.
func (b *Buffer) ReplayAddress(address uint64) error {
	const op Op = "vkCreateBuffer"
	if !b.captured() {
		return b.dev.misuse(op, "VkBufferCreateInfo-opaqueCaptureAddress-03337", "", "%s was made without DEVICE_ADDRESS_CAPTURE_REPLAY", b.label())
	}
	b.addressing.Lock()
	defer b.addressing.Unlock()
	return b.takeAddress(op, address, true)
}

func (b *Buffer) takeAddress(op Op, at uint64, captured bool) error {
	if b.address = b.dev.addresses.add(at, b.size, b.reach, captured, b); b.address == 0 {
		return b.dev.report(&Error{Op: string(op), Rule: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS", Detail: b.label(), Err: ErrAddressTaken})
	}
	b.dev.numbered.changes.Add(1)
	return nil
}

// dropAddress gives the buffer's addresses up.
func (b *Buffer) dropAddress() {
	b.addressing.Lock()
	defer b.addressing.Unlock()
	if b.address != 0 {
		b.dev.addresses.remove(b.address)
		b.dev.numbered.changes.Add(1)
		b.address = 0
	}
}

// Work that follows addresses does not name the memory behind them. While such
// work runs, memory that loses its last user is kept.

// pin begins such work.
func (d *Device) pin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pins++
}

// unpin ends it, and frees what has been given up meanwhile.
func (d *Device) unpin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pins--; d.pins > 0 {
		return
	}
	for _, m := range d.kept {
		d.free(m)
	}
	d.kept = nil
}
