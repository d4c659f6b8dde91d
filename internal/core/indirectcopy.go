package core

import (
	"context"
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/transfer"
	"github.com/pumice-gpu/pumice/vk"
)

// Indirect copies find in memory, when they are carried out, what they copy
// (VK_KHR_copy_memory_indirect). Where that is nothing that can be copied, a copy is
// told and left out: the others of its command stay.

// Sizes of VkCopyMemoryIndirectCommandKHR and VkCopyMemoryToImageIndirectCommandKHR.
const (
	copyCommandBytes  = 24
	imageCommandBytes = 56
)

// copyCommands checks where the commands of an indirect copy lie, and records f for
// each of them. Others may free what the addresses lead to as soon as it is done.
func (c *CommandBuffer) copyCommands(op Op, rules string, b *Buffer, offset uint64, count uint32, stride, size uint64, f func(ctx context.Context, n int, command []byte) error, objects ...any) {
	switch {
	case !c.ok(op, -1) || count == 0:
	case !c.try(b.need(c.dev, op, rules, vk.BufferUsageIndirectBufferBit)):
	case offset%4 != 0 || stride%4 != 0 || stride < size || stride > b.Size():
		c.misuse(op, rules, "", "commands at offset %d of %d bytes, %d bytes apart; both are multiples of 4, and a command has %d bytes", offset, b.Size(), stride, size)
	case c.try(b.inRange(op, rules, offset, uint64(count-1)*stride+size)):
		c.transfer(func(ctx context.Context, r *runner) error {
			r.pin()
			for n := range int(count) {
				at := offset + uint64(n)*stride
				if err := f(ctx, n, b.data[at:at+size]); isContext(err) {
					return err
				} // others have been told
			}
			return nil
		}, append(objects, b)...)
	}
}

// copied is the buffer that has the addresses of an indirect copy. It need not be made
// for transfers, as Vulkan wants it: that makes no difference, and programs forget it.
func (d *Device) copied(op Op, rule string, address, size uint64) (b *Buffer, offset uint64, err error) {
	if b, offset = d.BufferAt(address, size); b == nil {
		return nil, 0, d.misuse(op, rule, "", "%d bytes at address %#x are no buffer's", size, address)
	}
	return b, offset, b.need(d, op, rule, vk.BufferUsageShaderDeviceAddressBit)
}

// CopyMemoryIndirect carries out VkCopyMemoryIndirectCommandKHR, which lie in a buffer
// stride bytes apart.
func (c *CommandBuffer) CopyMemoryIndirect(commands *Buffer, offset uint64, count uint32, stride uint64) {
	op := c.op("vkCmdCopyMemoryIndirectKHR")
	const command = "VkCopyMemoryIndirectCommandKHR-"
	d := c.dev
	c.copyCommands(op, "VkCopyMemoryIndirectInfoKHR-copyAddressRange-12210", commands, offset, count, stride, copyCommandBytes, func(ctx context.Context, _ int, p []byte) error {
		size := binary.LittleEndian.Uint64(p[16:])
		if size == 0 {
			return nil
		}
		src, from, err := d.copied(op, command+"srcAddress-12211", binary.LittleEndian.Uint64(p), size)
		if err != nil {
			return err
		}
		dst, to, err := d.copied(op, command+"dstAddress-12212", binary.LittleEndian.Uint64(p[8:]), size)
		if err != nil {
			return err
		}
		if err := transfer.CopyBuffer(ctx, dst.data, src.data, []vk.BufferCopy{{SrcOffset: from, DstOffset: to, Size: size}}); err != nil {
			return d.transferError(op, err)
		}
		return nil
	})
}

// CopyMemoryToImageIndirect carries out VkCopyMemoryToImageIndirectCommandKHR, which lie
// in a buffer stride bytes apart. Each says the same of the image's subresource as where
// does; of 3D images that is which slices are copied.
func (c *CommandBuffer) CopyMemoryToImageIndirect(commands *Buffer, offset, stride uint64, dst *Image, where []vk.ImageSubresourceLayers) {
	op := c.op("vkCmdCopyMemoryToImageIndirectKHR")
	const command = "VkCopyMemoryToImageIndirectCommandKHR-"
	if !c.needImage(op, "VkCopyMemoryToImageIndirectInfoKHR-dstImage-07664", dst, vk.ImageUsageTransferDstBit) {
		return
	}
	d := c.dev
	c.copyCommands(op, "VkCopyMemoryToImageIndirectInfoKHR-copyAddressRange-12213", commands, offset, uint32(len(where)), stride, imageCommandBytes, func(ctx context.Context, n int, p []byte) error {
		word := func(i int) uint32 { return binary.LittleEndian.Uint32(p[8+4*i:]) }
		g := vk.BufferImageCopy{
			BufferRowLength: word(0), BufferImageHeight: word(1),
			ImageSubresource: vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectFlags(word(2)), MipLevel: word(3), BaseArrayLayer: word(4), LayerCount: word(5)},
			ImageOffset:      vk.Offset3D{X: int32(word(6)), Y: int32(word(7)), Z: int32(word(8))},
			ImageExtent:      vk.Extent3D{Width: word(9), Height: word(10), Depth: word(11)},
		}
		if g.ImageSubresource != where[n] {
			return d.misuse(op, command+"imageSubresource-12284", "", "command %d says %+v, and was recorded with %+v", n, g.ImageSubresource, where[n])
		}
		dst.slices(&g)
		if g.ImageExtent.Width == 0 || g.ImageExtent.Height == 0 || g.ImageExtent.Depth == 0 {
			return nil
		}
		src, from, err := d.copied(op, command+"srcAddress-12214", binary.LittleEndian.Uint64(p), 0)
		if err != nil {
			return err
		}
		g.BufferOffset = from
		if err := transfer.CopyBufferToImage(ctx, dst.res, src.data, []vk.BufferImageCopy{g}); err != nil {
			return d.transferError(op, err)
		}
		return nil
	}, dst)
}

// slices resolves layers that stand for slices, and those that remain.
func (im *Image) slices(g *vk.BufferImageCopy) {
	s, n := &g.ImageSubresource, uint32(im.res.ArrayLayers)
	if im.res.Type == vk.ImageType3D {
		n = max(1, im.res.Extent.Depth>>min(s.MipLevel, 31))
	}
	if s.LayerCount == vk.RemainingArrayLayers {
		s.LayerCount = n - min(s.BaseArrayLayer, n)
	}
	if im.res.Type == vk.ImageType3D {
		g.ImageOffset.Z, g.ImageExtent.Depth = int32(min(s.BaseArrayLayer, n)), s.LayerCount
		s.BaseArrayLayer, s.LayerCount = 0, 1
	}
}
