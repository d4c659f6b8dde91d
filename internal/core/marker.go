package core

import (
	"context"

	"github.com/pumice-gpu/pumice/internal/transfer"
	"github.com/pumice-gpu/pumice/vk"
)

// WriteMarker puts a word into a buffer when all that comes before it is done,
// inside a render pass too (vkCmdWriteBufferMarkerAMD).
func (c *CommandBuffer) WriteMarker(b *Buffer, offset uint64, word uint32) {
	op := c.op("vkCmdWriteBufferMarkerAMD")
	if !c.ok(op, 0) || !c.try(b.need(c.dev, op, "vkCmdWriteBufferMarkerAMD-dstBuffer-01799", vk.BufferUsageTransferDstBit)) {
		return
	}
	if offset%4 != 0 {
		c.misuse(op, "vkCmdWriteBufferMarkerAMD-dstOffset-01801", "", "offset %d is no multiple of 4", offset)
		return
	}
	if !c.try(b.inRange(op, "vkCmdWriteBufferMarkerAMD-dstOffset-01798", offset, 4)) {
		return
	}
	c.object(b)
	c.emit(opMarker, c.payload(transferCommand(func(ctx context.Context, _ *runner) error {
		if err := transfer.FillBuffer(ctx, b.data, offset, 4, word); err != nil {
			return c.dev.transferError(op, err)
		}
		return nil
	})))
}
