package icd

import (
	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Package core takes no regions for everything; in Vulkan there is at least one,
// and none means nothing here.

// CmdCopyBuffer is vkCmdCopyBuffer.
func (r *Recorder) CmdCopyBuffer(c *abi.CmdCopyBuffer) {
	r.copyBuffer(c.SrcBuffer, c.DstBuffer, abi.Slice(c.PRegions, c.RegionCount))
}

// CmdCopyBuffer2 is vkCmdCopyBuffer2.
func (r *Recorder) CmdCopyBuffer2(c *abi.CmdCopyBuffer2) {
	i := c.PCopyBufferInfo
	r.copyBuffer(i.SrcBuffer, i.DstBuffer, each(i.PRegions, i.RegionCount, func(g *abi.BufferCopy2) vk.BufferCopy {
		return vk.BufferCopy{SrcOffset: g.SrcOffset, DstOffset: g.DstOffset, Size: g.Size}
	}))
}

func (r *Recorder) copyBuffer(src, dst abi.Buffer, regions []vk.BufferCopy) {
	if len(regions) > 0 {
		r.core.CopyBuffer(r.buffer(src), r.buffer(dst), regions)
	}
}

// CmdCopyImage is vkCmdCopyImage.
func (r *Recorder) CmdCopyImage(c *abi.CmdCopyImage) {
	r.copyImage(c.SrcImage, c.DstImage, abi.Slice(c.PRegions, c.RegionCount))
}

// CmdCopyImage2 is vkCmdCopyImage2.
func (r *Recorder) CmdCopyImage2(c *abi.CmdCopyImage2) {
	i := c.PCopyImageInfo
	r.copyImage(i.SrcImage, i.DstImage, each(i.PRegions, i.RegionCount, func(g *abi.ImageCopy2) vk.ImageCopy {
		return vk.ImageCopy{SrcSubresource: g.SrcSubresource, SrcOffset: g.SrcOffset, DstSubresource: g.DstSubresource, DstOffset: g.DstOffset, Extent: g.Extent}
	}))
}

func (r *Recorder) copyImage(src, dst abi.Image, regions []vk.ImageCopy) {
	for n := range regions {
		r.layers(src, &regions[n].SrcSubresource)
		r.layers(dst, &regions[n].DstSubresource)
	}
	if len(regions) > 0 {
		r.core.CopyImage(r.image(src), r.image(dst), regions)
	}
}

// layers resolves VK_REMAINING_ARRAY_LAYERS.
func (r *Recorder) layers(h abi.Image, s *vk.ImageSubresourceLayers) {
	if s.LayerCount != vk.RemainingArrayLayers {
		return
	}
	if im := lookup(&r.device.images, h); im != nil && s.BaseArrayLayer < im.info.ArrayLayers {
		s.LayerCount = im.info.ArrayLayers - s.BaseArrayLayer
	}
}

// CmdBlitImage is vkCmdBlitImage.
func (r *Recorder) CmdBlitImage(c *abi.CmdBlitImage) {
	r.blitImage(c.SrcImage, c.DstImage, abi.Slice(c.PRegions, c.RegionCount), c.Filter, nil)
}

// CmdBlitImage2 is vkCmdBlitImage2.
func (r *Recorder) CmdBlitImage2(c *abi.CmdBlitImage2) {
	i := c.PBlitImageInfo
	r.blitImage(i.SrcImage, i.DstImage, each(i.PRegions, i.RegionCount, func(g *abi.ImageBlit2) vk.ImageBlit {
		return vk.ImageBlit{SrcSubresource: g.SrcSubresource, SrcOffsets: g.SrcOffsets, DstSubresource: g.DstSubresource, DstOffsets: g.DstOffsets}
	}), i.Filter, abi.Find[abi.BlitImageCubicWeightsInfoQCOM](i.PNext))
}

func (r *Recorder) blitImage(src, dst abi.Image, regions []vk.ImageBlit, filter vk.Filter, weights *abi.BlitImageCubicWeightsInfoQCOM) {
	for n := range regions {
		r.layers(src, &regions[n].SrcSubresource)
		r.layers(dst, &regions[n].DstSubresource)
	}
	switch {
	case len(regions) == 0:
	case weights != nil && filter == vk.FilterCubicEXT:
		r.core.BlitImageWeights(r.image(src), r.image(dst), weights.CubicWeights, regions)
	default:
		r.core.BlitImage(r.image(src), r.image(dst), filter, regions)
	}
}

// CmdResolveImage is vkCmdResolveImage.
func (r *Recorder) CmdResolveImage(c *abi.CmdResolveImage) {
	r.resolveImage(c.SrcImage, c.DstImage, abi.Slice(c.PRegions, c.RegionCount), &abi.ResolveImageModeInfoKHR{})
}

// CmdResolveImage2 is vkCmdResolveImage2.
func (r *Recorder) CmdResolveImage2(c *abi.CmdResolveImage2) {
	i := c.PResolveImageInfo
	how := abi.Find[abi.ResolveImageModeInfoKHR](i.PNext)
	if how == nil {
		how = &abi.ResolveImageModeInfoKHR{}
	}
	r.resolveImage(i.SrcImage, i.DstImage, each(i.PRegions, i.RegionCount, func(g *abi.ImageResolve2) vk.ImageResolve {
		return vk.ImageResolve{SrcSubresource: g.SrcSubresource, SrcOffset: g.SrcOffset, DstSubresource: g.DstSubresource, DstOffset: g.DstOffset, Extent: g.Extent}
	}), how)
}

func (r *Recorder) resolveImage(src, dst abi.Image, regions []vk.ImageResolve, how *abi.ResolveImageModeInfoKHR) {
	for n := range regions {
		r.layers(src, &regions[n].SrcSubresource)
		r.layers(dst, &regions[n].DstSubresource)
	}
	if len(regions) > 0 {
		r.core.ResolveImageMode(r.image(src), r.image(dst), regions, how.ResolveMode, how.StencilResolveMode, how.Flags)
	}
}

// CmdCopyBufferToImage is vkCmdCopyBufferToImage.
func (r *Recorder) CmdCopyBufferToImage(c *abi.CmdCopyBufferToImage) {
	r.copyBufferToImage(c.SrcBuffer, c.DstImage, abi.Slice(c.PRegions, c.RegionCount))
}

// CmdCopyBufferToImage2 is vkCmdCopyBufferToImage2.
func (r *Recorder) CmdCopyBufferToImage2(c *abi.CmdCopyBufferToImage2) {
	i := c.PCopyBufferToImageInfo
	r.copyBufferToImage(i.SrcBuffer, i.DstImage, each(i.PRegions, i.RegionCount, bufferImageCopy))
}

func (r *Recorder) copyBufferToImage(src abi.Buffer, dst abi.Image, regions []vk.BufferImageCopy) {
	for n := range regions {
		r.layers(dst, &regions[n].ImageSubresource)
	}
	if len(regions) > 0 {
		r.core.CopyBufferToImage(r.buffer(src), r.image(dst), regions)
	}
}

func bufferImageCopy(g *abi.BufferImageCopy2) vk.BufferImageCopy {
	return vk.BufferImageCopy{BufferOffset: g.BufferOffset, BufferRowLength: g.BufferRowLength, BufferImageHeight: g.BufferImageHeight,
		ImageSubresource: g.ImageSubresource, ImageOffset: g.ImageOffset, ImageExtent: g.ImageExtent}
}

// CmdCopyImageToBuffer is vkCmdCopyImageToBuffer.
func (r *Recorder) CmdCopyImageToBuffer(c *abi.CmdCopyImageToBuffer) {
	r.copyImageToBuffer(c.SrcImage, c.DstBuffer, abi.Slice(c.PRegions, c.RegionCount))
}

// CmdCopyImageToBuffer2 is vkCmdCopyImageToBuffer2.
func (r *Recorder) CmdCopyImageToBuffer2(c *abi.CmdCopyImageToBuffer2) {
	i := c.PCopyImageToBufferInfo
	r.copyImageToBuffer(i.SrcImage, i.DstBuffer, each(i.PRegions, i.RegionCount, bufferImageCopy))
}

func (r *Recorder) copyImageToBuffer(src abi.Image, dst abi.Buffer, regions []vk.BufferImageCopy) {
	for n := range regions {
		r.layers(src, &regions[n].ImageSubresource)
	}
	if len(regions) > 0 {
		r.core.CopyImageToBuffer(r.image(src), r.buffer(dst), regions)
	}
}

// each converts the elements of a C array.
func each[C, G any](p *C, n uint32, f func(*C) G) []G {
	in := abi.Slice(p, n)
	out := make([]G, len(in))
	for i := range in {
		out[i] = f(&in[i])
	}
	return out
}

// CmdUpdateBuffer is vkCmdUpdateBuffer.
func (r *Recorder) CmdUpdateBuffer(c *abi.CmdUpdateBuffer) {
	r.core.UpdateBuffer(r.buffer(c.DstBuffer), c.DstOffset, bytes(c.PData, c.DataSize))
}

// CmdFillBuffer is vkCmdFillBuffer.
func (r *Recorder) CmdFillBuffer(c *abi.CmdFillBuffer) {
	r.core.FillBuffer(r.buffer(c.DstBuffer), c.DstOffset, c.Size, c.Data)
}

// CmdClearColorImage is vkCmdClearColorImage.
func (r *Recorder) CmdClearColorImage(c *abi.CmdClearColorImage) {
	if c.RangeCount > 0 {
		r.core.ClearColorImage(r.image(c.Image), clearColor(c.PColor), abi.Slice(c.PRanges, c.RangeCount))
	}
}

// CmdClearDepthStencilImage is vkCmdClearDepthStencilImage.
func (r *Recorder) CmdClearDepthStencilImage(c *abi.CmdClearDepthStencilImage) {
	if c.RangeCount > 0 && c.PDepthStencil != nil {
		r.core.ClearDepthStencilImage(r.image(c.Image), *c.PDepthStencil, abi.Slice(c.PRanges, c.RangeCount))
	}
}

// CmdClearAttachments is vkCmdClearAttachments.
func (r *Recorder) CmdClearAttachments(c *abi.CmdClearAttachments) {
	if c.RectCount == 0 {
		return
	}
	r.core.ClearAttachments(each(c.PAttachments, c.AttachmentCount, func(a *abi.ClearAttachment) vk.ClearAttachment {
		return vk.ClearAttachment{AspectMask: a.AspectMask, ColorAttachment: a.ColorAttachment, ClearValue: clearValue(&a.ClearValue)}
	}), abi.Slice(c.PRects, c.RectCount))
}
