package transfer

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// WholeSize is VK_WHOLE_SIZE: to the end of the buffer.
const WholeSize = math.MaxUint64

// CopyBuffer is vkCmdCopyBuffer: offsets and sizes in bytes.
func CopyBuffer(ctx context.Context, dst, src []byte, regions []vk.BufferCopy) error {
	for i, r := range regions {
		c := check{op: "CopyBuffer", prefix: "vkCmdCopyBuffer", region: i}
		if !inside(r.SrcOffset, r.Size, len(src)) {
			return c.fail("size-00115", "source bytes %d+%d of %d", r.SrcOffset, r.Size, len(src))
		}
		if !inside(r.DstOffset, r.Size, len(dst)) {
			return c.fail("size-00116", "destination bytes %d+%d of %d", r.DstOffset, r.Size, len(dst))
		}
	}
	p := paceOf(ctx)
	for _, r := range regions {
		if err := p.move(dst[r.DstOffset:r.DstOffset+r.Size], src[r.SrcOffset:r.SrcOffset+r.Size]); err != nil {
			return err
		}
	}
	return nil
}

// inside says whether bytes [offset, offset+size) lie in a buffer of n.
func inside(offset, size uint64, n int) bool {
	return offset <= uint64(n) && size <= uint64(n)-offset
}

// FillBuffer is vkCmdFillBuffer: repeats a little-endian word over size bytes,
// a multiple of 4; WholeSize goes to the last whole word of the buffer.
func FillBuffer(ctx context.Context, dst []byte, offset, size uint64, data uint32) error {
	c := check{op: "FillBuffer", prefix: "vkCmdFillBuffer", region: -1}
	if offset >= uint64(len(dst)) {
		return c.fail("dstOffset-00024", "offset %d of %d bytes", offset, len(dst))
	}
	if offset%4 != 0 {
		return c.fail("dstOffset-00025", "offset %d is not a multiple of 4", offset)
	}
	if size == WholeSize {
		size = (uint64(len(dst)) - offset) &^ 3
	} else if size == 0 || size%4 != 0 {
		return c.fail("size-00028", "size %d is not a positive multiple of 4", size)
	}
	if !inside(offset, size, len(dst)) {
		return c.fail("size-00027", "bytes %d+%d of %d", offset, size, len(dst))
	}
	if size == 0 {
		return nil
	}
	b := dst[offset : offset+size]
	binary.LittleEndian.PutUint32(b, data)
	p := paceOf(ctx)
	return p.repeat(b, 4)
}

// maxUpdate is the most bytes that one UpdateBuffer takes.
const maxUpdate = 65536

// UpdateBuffer is vkCmdUpdateBuffer.
func UpdateBuffer(dst []byte, offset uint64, data []byte) error {
	c := check{op: "UpdateBuffer", prefix: "vkCmdUpdateBuffer", region: -1}
	switch {
	case offset%4 != 0:
		return c.fail("dstOffset-00036", "offset %d is not a multiple of 4", offset)
	case len(data) > maxUpdate:
		return c.fail("dataSize-00037", "%d bytes; at most %d", len(data), maxUpdate)
	case len(data)%4 != 0 || len(data) == 0:
		return c.fail("dataSize-00038", "%d bytes are not a positive multiple of 4", len(data))
	case !inside(offset, uint64(len(data)), len(dst)):
		return c.fail("dataSize-00033", "bytes %d+%d of %d", offset, len(data), len(dst))
	}
	copy(dst[offset:], data)
	return nil
}
