package core

import (
	"context"

	"github.com/pumice-gpu/pumice/internal/transfer"
	"github.com/pumice-gpu/pumice/vk"
)

// Host image copies run at once on the caller's goroutine: whoever calls them has
// made sure that no command uses the images meanwhile. What commands may copy from, or
// to, the host may: VK_IMAGE_USAGE_HOST_TRANSFER_BIT changes nothing, and Khronos' tests leave
// it out.
const (
	hostSource      = vk.ImageUsageHostTransferBit | vk.ImageUsageTransferSrcBit
	hostDestination = vk.ImageUsageHostTransferBit | vk.ImageUsageTransferDstBit
)

// HostBytes is the memory that a region of CopyFromHost or CopyToHost takes.
func (im *Image) HostBytes(region vk.BufferImageCopy) (uint64, error) {
	n, err := transfer.BufferBytes(im.res, &region)
	if err != nil {
		return 0, im.dev.transferError("vkCopyImageToMemory", err)
	}
	return uint64(n), nil
}

// CopyFromHost copies texels from host memory to the image (vkCopyMemoryToImage).
// BufferOffset of the regions counts from the start of data.
func (im *Image) CopyFromHost(data []byte, regions ...vk.BufferImageCopy) error {
	const op Op = "vkCopyMemoryToImage"
	return im.onHost(op, "VkCopyMemoryToImageInfo-dstImage-09113", hostDestination, func() error {
		return transfer.CopyBufferToImage(context.Background(), im.res, data, regions)
	})
}

// CopyToHost copies texels of the image to host memory (vkCopyImageToMemory).
func (im *Image) CopyToHost(data []byte, regions ...vk.BufferImageCopy) error {
	const op Op = "vkCopyImageToMemory"
	return im.onHost(op, "VkCopyImageToMemoryInfo-srcImage-09113", hostSource, func() error {
		return transfer.CopyImageToBuffer(context.Background(), data, im.res, regions)
	})
}

// CopyImageOnHost copies texels between images (vkCopyImageToImage).
func CopyImageOnHost(src, dst *Image, regions ...vk.ImageCopy) error {
	const op = "CopyImageOnHost"
	return src.onHost(op, "VkCopyImageToImageInfo-srcImage-09113", hostSource, func() error {
		return dst.onHost(op, "VkCopyImageToImageInfo-dstImage-09113", hostDestination, func() error {
			return transfer.CopyImage(context.Background(), dst.res, src.res, regions)
		})
	})
}

// onHost calls f while the image's memory cannot go. The image needs any of the usages, by
// the rule.
func (im *Image) onHost(op Op, rule string, usage vk.ImageUsageFlags, f func() error) error {
	if im == nil {
		return nilObject(op, "image")
	}
	d := im.dev
	if err := d.usable(op); err != nil {
		return err
	}
	if err := im.need(d, op, rule, usage); err != nil {
		return err
	}
	g := gathering{dev: d, op: op}
	err := g.image(nil, im)
	defer func() { releaseAll(g.memories) }()
	if err != nil {
		return err
	}
	if err := f(); err != nil {
		return d.transferError(op, err)
	}
	return nil
}
