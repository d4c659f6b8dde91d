package icd

import (
	"math"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// Host image copies are the copies of command buffers, at once. Texels lie in
// memory as they do in a tightly packed buffer, whatever the layout, so that
// VK_HOST_IMAGE_COPY_MEMCPY changes nothing.

// hostRegions copies region by region between the host and an image.
func (d *Device) hostRegions(image abi.Image, n uint32, region func(i int) (unsafe.Pointer, vk.BufferImageCopy), move func(*core.Image, []byte, vk.BufferImageCopy) error) vk.Result {
	im := lookup(&d.images, image)
	if im == nil {
		return vk.ErrorValidationFailed
	}
	for i := range int(n) {
		p, r := region(i)
		size, err := im.core.HostBytes(r)
		if err == nil && (p == nil || size > math.MaxInt) {
			err = vk.ErrorValidationFailed
		}
		if err == nil {
			err = move(im.core, unsafe.Slice((*byte)(p), int(size)), r)
		}
		if err != nil {
			return result(err)
		}
	}
	return vk.Success
}

func toImage(g *abi.MemoryToImageCopy) vk.BufferImageCopy {
	return vk.BufferImageCopy{BufferRowLength: g.MemoryRowLength, BufferImageHeight: g.MemoryImageHeight,
		ImageSubresource: g.ImageSubresource, ImageOffset: g.ImageOffset, ImageExtent: g.ImageExtent}
}

func toMemory(g *abi.ImageToMemoryCopy) vk.BufferImageCopy {
	return vk.BufferImageCopy{BufferRowLength: g.MemoryRowLength, BufferImageHeight: g.MemoryImageHeight,
		ImageSubresource: g.ImageSubresource, ImageOffset: g.ImageOffset, ImageExtent: g.ImageExtent}
}

// CopyMemoryToImage is vkCopyMemoryToImage.
func (d *Device) CopyMemoryToImage(a *abi.CopyMemoryToImageArgs) vk.Result {
	i := a.PCopyMemoryToImageInfo
	regions := abi.Slice(i.PRegions, i.RegionCount)
	return d.hostRegions(i.DstImage, i.RegionCount, func(n int) (unsafe.Pointer, vk.BufferImageCopy) {
		g := &regions[n]
		return g.PHostPointer, toImage(g)
	}, func(im *core.Image, data []byte, r vk.BufferImageCopy) error { return im.CopyFromHost(data, r) })
}

// CopyImageToMemory is vkCopyImageToMemory.
func (d *Device) CopyImageToMemory(a *abi.CopyImageToMemoryArgs) vk.Result {
	i := a.PCopyImageToMemoryInfo
	regions := abi.Slice(i.PRegions, i.RegionCount)
	return d.hostRegions(i.SrcImage, i.RegionCount, func(n int) (unsafe.Pointer, vk.BufferImageCopy) {
		g := &regions[n]
		return g.PHostPointer, toMemory(g)
	}, func(im *core.Image, data []byte, r vk.BufferImageCopy) error { return im.CopyToHost(data, r) })
}

// CopyImageToImage is vkCopyImageToImage.
func (d *Device) CopyImageToImage(a *abi.CopyImageToImageArgs) vk.Result {
	i := a.PCopyImageToImageInfo
	src, dst := lookup(&d.images, i.SrcImage), lookup(&d.images, i.DstImage)
	if src == nil || dst == nil {
		return vk.ErrorValidationFailed
	}
	var regions []vk.ImageCopy
	for _, g := range abi.Slice(i.PRegions, i.RegionCount) {
		regions = append(regions, vk.ImageCopy{SrcSubresource: g.SrcSubresource, SrcOffset: g.SrcOffset, DstSubresource: g.DstSubresource, DstOffset: g.DstOffset, Extent: g.Extent})
	}
	return result(core.CopyImageOnHost(src.core, dst.core, regions...))
}

// TransitionImageLayout is vkTransitionImageLayout: layouts make no difference.
func (d *Device) TransitionImageLayout(a *abi.TransitionImageLayoutArgs) vk.Result {
	for _, t := range abi.Slice(a.PTransitions, a.TransitionCount) {
		if im := lookup(&d.images, t.Image); im != nil {
			im.core.Transition("vkTransitionImageLayout", t.SubresourceRange, t.OldLayout, t.NewLayout)
		}
	}
	return vk.Success
}

// hostLayouts are the layouts of images in host copies: all.
var hostLayouts = [...]vk.ImageLayout{
	vk.ImageLayoutGeneral, vk.ImageLayoutColorAttachmentOptimal, vk.ImageLayoutDepthStencilAttachmentOptimal, vk.ImageLayoutDepthStencilReadOnlyOptimal,
	vk.ImageLayoutShaderReadOnlyOptimal, vk.ImageLayoutTransferSrcOptimal, vk.ImageLayoutTransferDstOptimal, vk.ImageLayoutPreinitialized,
	vk.ImageLayoutDepthReadOnlyStencilAttachmentOptimal, vk.ImageLayoutDepthAttachmentStencilReadOnlyOptimal,
	vk.ImageLayoutDepthAttachmentOptimal, vk.ImageLayoutDepthReadOnlyOptimal, vk.ImageLayoutStencilAttachmentOptimal, vk.ImageLayoutStencilReadOnlyOptimal,
	vk.ImageLayoutReadOnlyOptimal, vk.ImageLayoutAttachmentOptimal, vk.ImageLayoutRenderingLocalRead, vk.ImageLayoutPresentSrcKHR,
	vk.ImageLayoutAttachmentFeedbackLoopOptimalEXT, vk.ImageLayoutFragmentShadingRateAttachmentOptimalKHR, vk.ImageLayoutFragmentDensityMapOptimalEXT,
}

// fillLayouts answers for the layouts in a struct of properties that has them:
// a count and an array of the application's, or only the count where that is nil.
func fillLayouts(s *abi.Structure) {
	fill := func(count *uint32, out *vk.ImageLayout) { _ = abi.Enumerate(count, out, hostLayouts[:]) }
	switch s.SType {
	case (*abi.PhysicalDeviceHostImageCopyProperties)(nil).StructureType():
		p := (*abi.PhysicalDeviceHostImageCopyProperties)(unsafe.Pointer(s))
		fill(&p.CopySrcLayoutCount, p.PCopySrcLayouts)
		fill(&p.CopyDstLayoutCount, p.PCopyDstLayouts)
	case (*abi.PhysicalDeviceVulkan14Properties)(nil).StructureType():
		p := (*abi.PhysicalDeviceVulkan14Properties)(unsafe.Pointer(s))
		fill(&p.CopySrcLayoutCount, p.PCopySrcLayouts)
		fill(&p.CopyDstLayoutCount, p.PCopyDstLayouts)
	}
}
