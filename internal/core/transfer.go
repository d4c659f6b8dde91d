package core

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/transfer"
	"github.com/pumice-gpu/pumice/vk"
)

// Regions are checked by package transfer when the command runs; objects and
// their usage here, when it is recorded.

// transferError gives an error of package transfer the name of its call.
func (d *Device) transferError(op Op, err error) error {
	var e *transfer.Error
	if !errors.As(err, &e) {
		return d.wrap(op, err)
	}
	detail := e.Detail
	if e.Region >= 0 {
		detail = fmt.Sprintf("region %d: %s", e.Region, detail)
	}
	return d.report(&Error{Op: string(op), Rule: vuid(e.VUID), Detail: detail})
}

// moveBytes records a transfer with its error handling, for one that says how many bytes it writes
// at most.
func (c *CommandBuffer) moveBytes(
	op Op, bytes uint64, f func(context.Context) error, objects ...any,
) {
	c.moveAbout(&about{op: op.command(), bytes: bytes}, op, f, objects...)
}

// moveInto is moveBytes for one that says which texels it writes.
func (c *CommandBuffer) moveInto(op Op, kind explain.Kind, into func(p *WatchPoint) (*explain.Target, bool), f func(context.Context) error, objects ...any) {
	c.moveAbout(&about{op: op.command(), kind: kind, into: into}, op, f, objects...)
}

func (c *CommandBuffer) moveAbout(
	a *about, op Op, f func(context.Context) error, objects ...any,
) {
	c.tellingTransfer(func(ctx context.Context, _ *runner) error {
		if err := f(ctx); err != nil {
			return c.dev.transferError(op, err)
		}
		return nil
	}, a, objects...)
}

func (c *CommandBuffer) needBuffer(op Op, rule string, b *Buffer, usage vk.BufferUsageFlags) bool {
	return c.ok(op, -1) && c.try(b.need(c.dev, op, rule, usage))
}

func (c *CommandBuffer) needImage(op Op, rule string, im *Image, usage vk.ImageUsageFlags) bool {
	return c.ok(op, -1) && c.try(im.need(c.dev, op, rule, usage))
}

// CopyBuffer copies regions; none means as much as both have.
func (c *CommandBuffer) CopyBuffer(src, dst *Buffer, regions []vk.BufferCopy) {
	op := c.op("vkCmdCopyBuffer")
	if !c.needBuffer(op, "vkCmdCopyBuffer-srcBuffer-00118", src, vk.BufferUsageTransferSrcBit) ||
		!c.needBuffer(op, "vkCmdCopyBuffer-dstBuffer-00120", dst, vk.BufferUsageTransferDstBit) {
		return
	}
	regions = slices.Clone(regions)
	if len(regions) == 0 {
		regions = []vk.BufferCopy{{Size: min(src.Size(), dst.Size())}}
	}
	for i := range regions {
		var err error
		r := &regions[i]
		if r.SrcOffset, r.Size, err = src.inside(op, "vkCmdCopyBuffer-srcOffset-00113", "vkCmdCopyBuffer-size-00115", r.SrcOffset, r.Size); err == nil {
			r.DstOffset, r.Size, err = dst.inside(op, "vkCmdCopyBuffer-dstOffset-00114", "vkCmdCopyBuffer-size-00116", r.DstOffset, r.Size)
		}
		if !c.try(err) {
			return
		}
	}
	regions = slices.DeleteFunc(regions, func(r vk.BufferCopy) bool { return r.Size == 0 })
	bytes := 64 * uint64(len(regions)) // each takes as long as some bytes
	for _, r := range regions {
		bytes += min(r.Size, math.MaxUint32) // of few enough regions that the sum has room
	}
	c.moveBytes(op, bytes, func(ctx context.Context) error {
		return transfer.CopyBuffer(ctx, dst.data, src.data, regions)
	}, src, dst)
}

// FillBuffer repeats a word; size vk.WholeSize means to the end.
func (c *CommandBuffer) FillBuffer(b *Buffer, offset, size uint64, word uint32) {
	op := c.op("vkCmdFillBuffer")
	if !c.needBuffer(op, "vkCmdFillBuffer-dstBuffer-00029", b, vk.BufferUsageTransferDstBit) {
		return
	}
	if size != vk.WholeSize && (size%4 != 0 || size == 0) {
		if !c.try(c.dev.harmless(op, "vkCmdFillBuffer-size-00028", "", "size %d is no multiple of 4 above 0", size)) {
			return
		}
		if size &^= 3; size == 0 {
			return
		}
	}
	switch {
	case offset%4 != 0:
		c.misuse(op, "vkCmdFillBuffer-dstOffset-00025", "", "offset %d is no multiple of 4", offset)
	case offset >= b.Size():
		c.misuse(op, "vkCmdFillBuffer-dstOffset-00024", "", "offset %d in %s of %d bytes", offset, b.label(), b.Size())
	case size != vk.WholeSize && size > b.Size()-offset && !c.try(c.dev.harmless(op, "vkCmdFillBuffer-size-00027", "", "%d bytes at offset %d in %s of %d", size, offset, b.label(), b.Size())):
	default:
		if size > b.Size()-offset {
			size = vk.WholeSize
		}
		c.moveBytes(op, max(min(size, b.Size()-offset), 1), func(ctx context.Context) error {
			return b.fill(ctx, offset, size, word)
		}, b)
	}
}

// fill is vkCmdFillBuffer on what has memory: nobody wants pages for the rest.
func (b *Buffer) fill(ctx context.Context, offset, size uint64, word uint32) error {
	if b.mem.sparse == nil {
		return transfer.FillBuffer(ctx, b.data, offset, size, word)
	}
	if size == vk.WholeSize {
		size = (b.size - offset) &^ 3
	}
	var first error
	b.mem.sparse.EachBound(int64(offset), int64(size), func(from, to int64) {
		if err := transfer.FillBuffer(ctx, b.data, uint64(from), uint64(to-from), word); first == nil {
			first = err
		}
	})
	return first
}

// UpdateBuffer puts data into a buffer.
func (c *CommandBuffer) UpdateBuffer(b *Buffer, offset uint64, data []byte) {
	op := c.op("vkCmdUpdateBuffer")
	if !c.needBuffer(op, "vkCmdUpdateBuffer-dstBuffer-00034", b, vk.BufferUsageTransferDstBit) {
		return
	}
	switch {
	case offset%4 != 0:
		c.misuse(op, "vkCmdUpdateBuffer-dstOffset-00036", "", "offset %d is no multiple of 4", offset)
	case len(data) > maxUpdateBytes:
		c.misuse(op, "vkCmdUpdateBuffer-dataSize-00037", "use vkMapMemory", "%d bytes; %d is the limit", len(data), maxUpdateBytes)
	case len(data) == 0 || len(data)%4 != 0:
		c.misuse(op, "vkCmdUpdateBuffer-dataSize-00038", "", "%d bytes are no multiple of 4 above 0", len(data))
	case c.try(b.inRange(op, "vkCmdUpdateBuffer-dataSize-00033", offset, uint64(len(data)))):
		data = slices.Clone(data)
		c.moveBytes(op, max(uint64(len(data)), 1), func(context.Context) error {
			return transfer.UpdateBuffer(b.data, offset, data)
		}, b)
	}
}

// layers fills in the zero fields of a subresource.
func (im *Image) layers(s *vk.ImageSubresourceLayers, one bool) {
	if s.AspectMask == 0 {
		s.AspectMask = im.res.Info.Aspects
		if one {
			s.AspectMask = im.res.Layout.Planes[0].Aspect
		}
	}
	if s.LayerCount == 0 {
		s.LayerCount = 1
	}
}

// allLayers is a level with all layers.
func (im *Image) allLayers(level int) vk.ImageSubresourceLayers {
	return vk.ImageSubresourceLayers{MipLevel: uint32(level), LayerCount: uint32(im.res.ArrayLayers)}
}

// extent is the size of a level.
func (im *Image) extent(level int) vk.Extent3D {
	l := &im.res.Layout.Planes[0].Levels[level]
	return vk.Extent3D{Width: uint32(l.Width), Height: uint32(l.Height), Depth: uint32(l.Depth)}
}

func (im *Image) bufferRegions(regions []vk.BufferImageCopy) []vk.BufferImageCopy {
	regions = slices.Clone(regions)
	if len(regions) == 0 {
		regions = []vk.BufferImageCopy{{ImageSubresource: im.allLayers(0), ImageExtent: im.extent(0)}}
	}
	for i := range regions {
		im.layers(&regions[i].ImageSubresource, true)
	}
	return regions
}

// multisampled reports a multisampled image in a copy to or from a buffer, and says that
// it is copied all the same. (Mesa's zink reads the stencil of a multisampled window
// so, and goes on with what it does not get.)
func (c *CommandBuffer) multisampled(op Op, rule, what string, im *Image) bool {
	if !c.tolerant || im.res.Samples == 1 {
		return false
	}
	_ = c.dev.misuse(op, rule, "", "%s has %d samples; %s", im.label(), im.res.Samples, what)
	return true
}

// wholeBlocks reports rows and slices of a buffer that are not of whole blocks, and rounds
// them up, as GPUs do. (Khronos' tests upload images of 3D blocks so.)
func (c *CommandBuffer) wholeBlocks(op Op, rule string, im *Image, regions []vk.BufferImageCopy) {
	info := im.res.Layout.Planes[0].Info
	if !c.tolerant || !info.Compressed {
		return
	}
	told := false
	for i := range regions {
		r := &regions[i]
		row, height := roundUp(r.BufferRowLength, info.BlockWidth), roundUp(r.BufferImageHeight, info.BlockHeight)
		if !told && (row != r.BufferRowLength || height != r.BufferImageHeight) {
			_ = c.dev.misuse(op, rule, "", "bufferRowLength %d and bufferImageHeight %d are not whole blocks; they are taken for %d and %d", r.BufferRowLength, r.BufferImageHeight, row, height)
			told = true
		}
		r.BufferRowLength, r.BufferImageHeight = row, height
	}
}

// roundUp is the next multiple of a block's side, or what there is if that is none of 32 bits.
func roundUp(n uint32, block int) uint32 {
	if up := alignUp(uint64(n), uint64(block)); up <= math.MaxUint32 {
		return uint32(up)
	}
	return n
}

// CopyBufferToImage copies regions; none means level 0 of all layers.
func (c *CommandBuffer) CopyBufferToImage(src *Buffer, dst *Image, regions []vk.BufferImageCopy) {
	op := c.op("vkCmdCopyBufferToImage")
	if c.needBuffer(op, "vkCmdCopyBufferToImage-srcBuffer-00174", src, vk.BufferUsageTransferSrcBit) &&
		c.needImage(op, "vkCmdCopyBufferToImage-dstImage-00177", dst, vk.ImageUsageTransferDstBit) {
		regions = dst.bufferRegions(regions)
		c.wholeBlocks(op, "vkCmdCopyBufferToImage-bufferRowLength-09106", dst, regions)
		run := transfer.CopyBufferToImage
		if c.multisampled(op, "vkCmdCopyBufferToImage-dstImage-07973", "all samples are written", dst) {
			run = transfer.CopyBufferToSamples
		}
		into := func(p *WatchPoint) (from *explain.Target, ok bool) {
			for _, g := range regions {
				if _, _, _, in := (&region{g.ImageSubresource, g.ImageOffset, g.ImageExtent}).holds(dst, p); in {
					ok = true
				}
			}
			return nil, ok
		}
		a := &about{op: op.command(), kind: explain.Copy, into: into, fills: &bufferCopy{dst, src, regions}}
		c.moveAbout(a, op, func(ctx context.Context) error {
			return c.dev.inRegions(op, len(regions), func(from, to int) error { return run(ctx, dst.res, src.data, regions[from:to]) })
		}, src, dst)
	}
}

// CopyImageToBuffer copies regions; none means level 0 of all layers.
func (c *CommandBuffer) CopyImageToBuffer(src *Image, dst *Buffer, regions []vk.BufferImageCopy) {
	op := c.op("vkCmdCopyImageToBuffer")
	if c.needImage(op, "vkCmdCopyImageToBuffer-srcImage-00186", src, vk.ImageUsageTransferSrcBit) &&
		c.needBuffer(op, "vkCmdCopyImageToBuffer-dstBuffer-00191", dst, vk.BufferUsageTransferDstBit) {
		regions = src.bufferRegions(regions)
		c.wholeBlocks(op, "vkCmdCopyImageToBuffer-bufferRowLength-09106", src, regions)
		run := transfer.CopyImageToBuffer
		if c.multisampled(op, "vkCmdCopyImageToBuffer-srcImage-07973", "sample 0 is copied", src) {
			run = transfer.CopySampleToBuffer
		}
		a := &about{op: op.command(), reads: &bufferCopy{src, dst, regions}}
		c.moveAbout(a, op, func(ctx context.Context) error {
			return c.dev.inRegions(op, len(regions), func(from, to int) error { return run(ctx, dst.data, src.res, regions[from:to]) })
		}, src, dst)
	}
}

// CopyImage copies regions; none means all levels and layers.
func (c *CommandBuffer) CopyImage(src, dst *Image, regions []vk.ImageCopy) {
	op := c.op("vkCmdCopyImage")
	if !c.needImage(op, "vkCmdCopyImage-aspect-06662", src, vk.ImageUsageTransferSrcBit) ||
		!c.needImage(op, "vkCmdCopyImage-aspect-06663", dst, vk.ImageUsageTransferDstBit) {
		return
	}
	regions = slices.Clone(regions)
	if len(regions) == 0 {
		for l := range min(src.res.MipLevels, dst.res.MipLevels) {
			regions = append(regions, vk.ImageCopy{SrcSubresource: src.allLayers(l), DstSubresource: dst.allLayers(l), Extent: src.extent(l)})
		}
	}
	for i := range regions {
		src.layers(&regions[i].SrcSubresource, false)
		dst.layers(&regions[i].DstSubresource, false)
	}
	c.moveInto(op, explain.Copy, func(p *WatchPoint) (from *explain.Target, ok bool) {
		for _, g := range regions {
			if t, in := copiedFrom(src, dst, &g, p); in {
				from, ok = t, true
			}
		}
		return from, ok
	}, func(ctx context.Context) error {
		return c.dev.inRegions(op, len(regions), func(from, to int) error { return transfer.CopyImage(ctx, dst.res, src.res, regions[from:to]) })
	}, src, dst)
}

// far is the corner of a level opposite to the origin.
func (im *Image) far(level int) vk.Offset3D {
	e := im.extent(level)
	return vk.Offset3D{X: int32(e.Width), Y: int32(e.Height), Z: int32(e.Depth)}
}

// BlitImage copies with scaling; no regions means level 0, all layers.
func (c *CommandBuffer) BlitImage(src, dst *Image, filter vk.Filter, regions []vk.ImageBlit) {
	op := c.op("vkCmdBlitImage")
	if !c.needImage(op, "vkCmdBlitImage-srcImage-00219", src, vk.ImageUsageTransferSrcBit) ||
		!c.needImage(op, "vkCmdBlitImage-dstImage-00224", dst, vk.ImageUsageTransferDstBit) {
		return
	}
	c.blit(op, src, dst, filter, 0, regions)
}

// BlitImageWeights is BlitImage by VK_FILTER_CUBIC_EXT with chosen weights.
func (c *CommandBuffer) BlitImageWeights(src, dst *Image, weights vk.CubicFilterWeightsQCOM, regions []vk.ImageBlit) {
	op := c.op("vkCmdBlitImage")
	if c.needImage(op, "vkCmdBlitImage-srcImage-00219", src, vk.ImageUsageTransferSrcBit) &&
		c.needImage(op, "vkCmdBlitImage-dstImage-00224", dst, vk.ImageUsageTransferDstBit) {
		c.blit(op, src, dst, vk.FilterCubicEXT, weights, regions)
	}
}

func (c *CommandBuffer) blit(op Op, src, dst *Image, filter vk.Filter, weights vk.CubicFilterWeightsQCOM, regions []vk.ImageBlit) {
	regions = slices.Clone(regions)
	if len(regions) == 0 {
		regions = []vk.ImageBlit{{SrcSubresource: src.allLayers(0), DstSubresource: dst.allLayers(0),
			SrcOffsets: [2]vk.Offset3D{{}, src.far(0)}, DstOffsets: [2]vk.Offset3D{{}, dst.far(0)}}}
	}
	for i := range regions {
		src.layers(&regions[i].SrcSubresource, false)
		dst.layers(&regions[i].DstSubresource, false)
	}
	c.moveInto(op, explain.Blit, func(p *WatchPoint) (from *explain.Target, ok bool) {
		for _, g := range regions {
			if t, in := blitted(src, dst, &g, p); in {
				from, ok = t, true
			}
		}
		return from, ok
	}, func(ctx context.Context) error {
		return c.dev.inRegions(op, len(regions), func(from, to int) error {
			return transfer.BlitImageWeights(ctx, dst.res, src.res, regions[from:to], filter, weights)
		})
	}, src, dst)
}

// GenerateMipmaps fills levels 1 and up, each from the one above.
func (c *CommandBuffer) GenerateMipmaps(im *Image) {
	const op Op = "making of levels"
	if !c.needImage(op, "vkCmdBlitImage-srcImage-00219", im, vk.ImageUsageTransferSrcBit) ||
		!c.needImage(op, "vkCmdBlitImage-dstImage-00224", im, vk.ImageUsageTransferDstBit) {
		return
	}
	filter := vk.FilterNearest
	if im.res.Info.Aspects == vk.ImageAspectColorBit && c.dev.FormatProperties(im.res.Format).OptimalTilingFeatures&vk.FormatFeatureSampledImageFilterLinearBit != 0 {
		filter = vk.FilterLinear
	}
	if im.res.Info.Compressed {
		c.misuse(op, "vkCmdBlitImage-dstImage-02000", "upload the levels", "%v cannot be written", im.res.Format)
		return
	}
	for l := 1; l < im.res.MipLevels; l++ {
		c.blit(op, im, im, filter, 0, []vk.ImageBlit{{SrcSubresource: im.allLayers(l - 1), DstSubresource: im.allLayers(l),
			SrcOffsets: [2]vk.Offset3D{{}, im.far(l - 1)}, DstOffsets: [2]vk.Offset3D{{}, im.far(l)}}})
	}
}

// ResolveImage makes single samples; no regions means level 0, all layers.
func (c *CommandBuffer) ResolveImage(src, dst *Image, regions []vk.ImageResolve) {
	c.ResolveImageMode(src, dst, regions, vk.ResolveModeNone, vk.ResolveModeNone, 0)
}

// ResolveImageMode is ResolveImage by stencil in the stencil aspect and by mode in others (VkResolveImageModeInfoKHR);
// ResolveModeNone is what ResolveImage does. Flags say whether the codes of sRGB formats are averaged.
func (c *CommandBuffer) ResolveImageMode(src, dst *Image, regions []vk.ImageResolve, mode, stencil vk.ResolveModeFlags, flags vk.ResolveImageFlagsKHR) {
	op := c.op("vkCmdResolveImage")
	if !c.needImage(op, "vkCmdResolveImage-srcImage-06762", src, vk.ImageUsageTransferSrcBit) ||
		!c.needImage(op, "vkCmdResolveImage-dstImage-06764", dst, vk.ImageUsageTransferDstBit) {
		return
	}
	regions = slices.Clone(regions)
	if len(regions) == 0 {
		regions = []vk.ImageResolve{{SrcSubresource: src.allLayers(0), DstSubresource: dst.allLayers(0), Extent: src.extent(0)}}
	}
	for i := range regions {
		src.layers(&regions[i].SrcSubresource, false)
		dst.layers(&regions[i].DstSubresource, false)
	}
	c.moveInto(op, explain.Resolve, func(p *WatchPoint) (from *explain.Target, ok bool) {
		for _, g := range regions {
			if x, y, layer, in := (&region{g.DstSubresource, g.DstOffset, g.Extent}).holds(dst, p); in {
				from, ok = src.texel(&g.SrcSubresource, g.SrcOffset, x, y, layer), true
			}
		}
		return from, ok
	}, func(ctx context.Context) error {
		return transfer.ResolveImage(ctx, dst.res, src.res, regions, mode, stencil, flags)
	}, src, dst)
}

func (im *Image) ranges(ranges []vk.ImageSubresourceRange) []vk.ImageSubresourceRange {
	ranges = slices.Clone(ranges)
	if len(ranges) == 0 {
		ranges = make([]vk.ImageSubresourceRange, 1)
	}
	for i := range ranges {
		r := &ranges[i]
		if r.AspectMask == 0 {
			r.AspectMask = im.res.Info.Aspects
		}
		if r.LevelCount == 0 {
			r.LevelCount = vk.RemainingMipLevels
		}
		if r.LayerCount == 0 {
			r.LayerCount = vk.RemainingArrayLayers
		}
	}
	return ranges
}

// ClearColorImage clears ranges; none means all of the image.
func (c *CommandBuffer) ClearColorImage(im *Image, value vk.ClearColorValue, ranges []vk.ImageSubresourceRange) {
	op := c.op("vkCmdClearColorImage")
	if !c.needImage(op, "vkCmdClearColorImage-image-00002", im, vk.ImageUsageTransferDstBit) {
		return
	}
	if im.res.Info.Aspects != vk.ImageAspectColorBit || im.res.Info.Compressed {
		c.misuse(op, "vkCmdClearColorImage-image-00007", "", "%v", im.res.Format)
		return
	}
	ranges = im.ranges(ranges)
	c.moveInto(op, explain.Clear, im.cleared(ranges), func(ctx context.Context) error {
		return transfer.ClearColorImage(ctx, im.res, transfer.ColorTexel(im.res.Info, value), ranges)
	}, im)
}

// ClearDepthStencilImage clears ranges; none means all of the image.
func (c *CommandBuffer) ClearDepthStencilImage(im *Image, value vk.ClearDepthStencilValue, ranges []vk.ImageSubresourceRange) {
	op := c.op("vkCmdClearDepthStencilImage")
	if !c.needImage(op, "vkCmdClearDepthStencilImage-pRanges-02659", im, vk.ImageUsageTransferDstBit) {
		return
	}
	if im.res.Info.Aspects&(vk.ImageAspectDepthBit|vk.ImageAspectStencilBit) == 0 {
		c.misuse(op, "vkCmdClearDepthStencilImage-image-00014", "", "%v", im.res.Format)
		return
	}
	if !c.try(c.dev.mendDepth(op, "VkClearDepthStencilValue-depth-00022", "depth", &value.Depth)) {
		return
	}
	ranges = im.ranges(ranges)
	c.moveInto(op, explain.Clear, im.cleared(ranges), func(ctx context.Context) error {
		return transfer.ClearDepthStencilImage(ctx, im.res, value.Depth, value.Stencil, ranges)
	}, im)
}

// FormatAspects returns the aspects of a format; 0 for unknown ones.
func FormatAspects(f vk.Format) vk.ImageAspectFlags {
	if info, ok := format.Lookup(f); ok {
		return info.Aspects
	}
	return 0
}

// ViewRange is what a view selects apart from its type.
type ViewRange struct {
	Format     vk.Format
	Components vk.ComponentMapping
	Range      vk.ImageSubresourceRange
	MinLod     float32
}

// NewView makes a view. Type 1D, which is zero, means the type that fits images
// of other dimensions.
func (im *Image) NewView(t vk.ImageViewType, r ViewRange) (*ImageView, error) {
	desc := resource.ViewDesc{Format: r.Format, Components: r.Components, Range: r.Range, MinLod: r.MinLod}
	layers := im.res.ArrayLayers - int(min(r.Range.BaseArrayLayer, resource.MaxExtent))
	if n := r.Range.LayerCount; n != 0 && n != vk.RemainingArrayLayers {
		layers = int(min(n, resource.MaxExtent))
	}
	cube := im.res.Flags&vk.ImageCreateCubeCompatibleBit != 0 && layers%6 == 0 && layers > 0
	switch {
	case t != vk.ImageViewType1D || im.res.Type == vk.ImageType1D && layers == 1:
		desc.Type = &t
	case cube && layers == 6:
		u := vk.ImageViewTypeCube
		desc.Type = &u
	case cube:
		u := vk.ImageViewTypeCubeArray
		desc.Type = &u
	}
	return im.dev.NewImageView(im, desc, "")
}
