package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/driver/internal/wire"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// segmentBytes is the memory that recording takes at a time.
const segmentBytes = 64 << 10

// An arena is the memory of a command buffer's records, or of what they point
// to: segments, of which the last one is being filled by C.
type arena struct {
	segments []segment
	kept     []wire.Section // what checked records point to
}

type segment struct {
	data  unsafe.Pointer
	bytes uint64
	used  uint64        // of all but the last
	block *memory.Block // of a segment larger than segmentBytes
}

// Grow gives a command buffer, whose stream the caller holds, memory for at least size more bytes: the second
// door. It returns the memory, or nil with the stream's Result set.
func (d *Driver) Grow(s *abi.Stream, copies bool, size uint64) unsafe.Pointer {
	c := resolve(&d.commandBuffers, unsafe.Pointer(s), abi.LevelCommandBuffer)
	if c == nil {
		return nil // s may be anything: it is not written to
	}
	if !c.begun {
		s.Result = vk.ErrorValidationFailed // recorded without vkBeginCommandBuffer
		return nil
	}
	next := segment{bytes: segmentBytes}
	if size > segmentBytes {
		block, err := d.segments.alloc.Alloc(int64(size))
		if err == nil {
			next = segment{data: unsafe.Pointer(unsafe.SliceData(block.Bytes())), bytes: size, block: block}
		}
	} else {
		next.data = d.segments.get()
	}
	if next.data == nil {
		s.Result = vk.ErrorOutOfHostMemory
		return nil
	}
	a, at, end := &c.records, &s.At, &s.End
	if copies {
		a, at, end = &c.copies, &s.CopyAt, &s.CopyEnd
	}
	a.seal(*at)
	a.segments = append(a.segments, next)
	*at, *end = next.data, unsafe.Add(next.data, next.bytes)
	return next.data
}

// seal notes how far the last segment is filled.
func (a *arena) seal(at unsafe.Pointer) {
	if n := len(a.segments); n > 0 {
		last := &a.segments[n-1]
		last.used = uint64(uintptr(at) - uintptr(last.data))
	}
}

// free gives the memory back.
func (a *arena) free(d *Driver) {
	for _, c := range a.segments {
		if c.block != nil {
			_ = c.block.Free() // a mapping of ours; failing leaves it mapped
		} else {
			d.segments.put(c.data)
		}
	}
	a.segments = nil
}

// closeRecords lets C add no more records. The caller holds the stream.
func (c *CommandBuffer) closeRecords() {
	s := c.stream
	if s.At != nil {
		c.records.seal(s.At)
	}
	if s.CopyAt != nil {
		c.copies.seal(s.CopyAt)
	}
	s.At, s.End, s.CopyAt, s.CopyEnd, s.Records = nil, nil, nil, nil, 0
}

// dropRecords frees what was recorded.
func (c *CommandBuffer) dropRecords() {
	c.stream.Hold()
	defer c.stream.Release()
	c.closeRecords()
	c.records.free(c.device.driver)
	c.copies.free(c.device.driver)
	c.templates = nil
}

// bytes is what records take; strays of the application's do not make it more than there is.
func (a *arena) bytes() (n int64) {
	for _, s := range a.segments {
		n += int64(min(s.used, s.bytes))
	}
	return n
}

// decode calls r's method for each record of c, in order; false if there is no memory for
// all.
func (a *arena) decode(c *CommandBuffer, r *Recorder) bool {
	records := 0
	if n := a.bytes(); !memory.HeapShort(callHeap + n) { // commands are about as long as their records
		r.core.Reserve(int(n / 4))
	}
	for _, segment := range a.segments {
		for at := uint64(0); at < segment.used; {
			p := unsafe.Add(segment.data, at)
			h := (*abi.CommandHeader)(p)
			if h.Size == 0 {
				return true // overwritten by a stray pointer of the application
			}
			if records++; records%decodedRecords == 0 && memory.HeapShort(callHeap) {
				return false
			}
			r.core.Called(h.Op.String())
			if h.Op == abi.OpCmdPushDescriptorSetWithTemplate {
				r.pushed(c, (*templateRecord)(p))
			} else {
				r.carryOut(h.Op, p)
			}
			r.core.Drop()
			at += uint64(h.Size)
		}
	}
	return true
}
