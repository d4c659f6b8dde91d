package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// chunkBytes is the memory that recording takes at a time.
const chunkBytes = 64 << 10

// An arena is the memory of a command buffer's records, or of what they point
// to: chunks, of which the last one is being filled by C.
type arena struct {
	chunks []chunk
}

type chunk struct {
	data  unsafe.Pointer
	bytes uint64
	used  uint64        // of all but the last
	block *memory.Block // of a chunk larger than chunkBytes
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
	next := chunk{bytes: chunkBytes}
	if size > chunkBytes {
		block, err := d.chunks.alloc.Alloc(int64(size))
		if err == nil {
			next = chunk{data: unsafe.Pointer(unsafe.SliceData(block.Bytes())), bytes: size, block: block}
		}
	} else {
		next.data = d.chunks.get()
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
	a.chunks = append(a.chunks, next)
	*at, *end = next.data, unsafe.Add(next.data, next.bytes)
	return next.data
}

// seal notes how far the last chunk is filled.
func (a *arena) seal(at unsafe.Pointer) {
	if n := len(a.chunks); n > 0 {
		last := &a.chunks[n-1]
		last.used = uint64(uintptr(at) - uintptr(last.data))
	}
}

// free gives the memory back.
func (a *arena) free(d *Driver) {
	for _, c := range a.chunks {
		if c.block != nil {
			_ = c.block.Free() // a mapping of ours; failing leaves it mapped
		} else {
			d.chunks.put(c.data)
		}
	}
	a.chunks = nil
}

// closeRecords lets C add no more records. The caller holds the stream.
func (c *CommandBuffer) closeRecords() {
	s := c.stream
	if s.At != nil {
		c.records.seal(s.At)
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

// decode calls r's method for each record of c, in order; false if there is no memory for
// all.
func (a *arena) decode(c *CommandBuffer, r *Recorder) bool {
	records := 0
	for _, chunk := range a.chunks {
		for at := uint64(0); at < chunk.used; {
			p := unsafe.Add(chunk.data, at)
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
