package transfer

import (
	"context"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Rules of the images of copies.
var (
	toImage     = newBufferSide("dstImage", "pRegions-00171")
	fromImage   = newBufferSide("srcImage", "pRegions-00183")
	copySrcSide = side{
		level: "srcSubresource-07967", layers: "srcSubresource-07968",
		bounds: [3]string{"srcOffset-00144", "srcOffset-00145", "srcOffset-00147"},
		begin:  [3]string{"pRegions-07278", "pRegions-07279", "pRegions-07280"},
		end:    [3]string{"srcImage-01728", "srcImage-01729", "srcImage-01730"},
	}
	copyDstSide = side{ // no rule says where boxes of the destination end
		level: "dstSubresource-07967", layers: "dstSubresource-07968",
		bounds: [3]string{"dstOffset-00150", "dstOffset-00151", "dstOffset-00153"},
		begin:  [3]string{"pRegions-07281", "pRegions-07282", "pRegions-07283"},
		end:    [3]string{"pRegions-07281", "pRegions-07282", "pRegions-07283"},
	}
)

// bufferSide is the image's side of a copy to or from a buffer, with the rules of the buffer.
type bufferSide struct {
	side
	samples, offset, room string
}

func newBufferSide(image, room string) bufferSide {
	return bufferSide{
		side: side{
			level: "imageSubresource-07967", layers: "imageSubresource-07968",
			bounds: [3]string{"imageSubresource-07971", "imageSubresource-07972", "imageOffset-09104"},
			begin:  [3]string{image + "-07274", image + "-07275", image + "-07276"},
			end:    [3]string{image + "-00207", image + "-00208", image + "-00209"},
		},
		samples: image + "-07973", offset: image + "-07975", room: room,
	}
}

// CopyBufferToImage is vkCmdCopyBufferToImage. Buffer texels of an aspect of a
// depth/stencil image have that plane's size: 2 or 4 bytes of depth (D24 in the
// low bits of a word), 1 byte of stencil.
func CopyBufferToImage(ctx context.Context, dst *resource.Image, src []byte, regions []vk.BufferImageCopy) error {
	return bufferImage(ctx, check{op: "CopyBufferToImage", prefix: "vkCmdCopyBufferToImage"}, &toImage, dst, len(src), regions,
		func(image []byte, at int) { copy(image, src[at:]) })
}

// CopyImageToBuffer is vkCmdCopyImageToBuffer.
func CopyImageToBuffer(ctx context.Context, dst []byte, src *resource.Image, regions []vk.BufferImageCopy) error {
	return bufferImage(ctx, check{op: "CopyImageToBuffer", prefix: "vkCmdCopyImageToBuffer"}, &fromImage, src, len(dst), regions,
		func(image []byte, at int) { copy(dst[at:at+len(image)], image) })
}

// CopyBufferToSamples is CopyBufferToImage for callers that allow multisampled
// images, which Vulkan does not: all samples of a texel become what the buffer holds.
func CopyBufferToSamples(ctx context.Context, dst *resource.Image, src []byte, regions []vk.BufferImageCopy) error {
	return bufferImage(ctx, check{op: "CopyBufferToImage", prefix: "vkCmdCopyBufferToImage", samples: true}, &toImage, dst, len(src), regions,
		func(image []byte, at int) { copy(image, src[at:]) })
}

// CopySampleToBuffer is CopyImageToBuffer for callers that allow multisampled
// images, which Vulkan does not: sample 0 is copied.
func CopySampleToBuffer(ctx context.Context, dst []byte, src *resource.Image, regions []vk.BufferImageCopy) error {
	return bufferImage(ctx, check{op: "CopyImageToBuffer", prefix: "vkCmdCopyImageToBuffer", samples: true}, &fromImage, src, len(dst), regions,
		func(image []byte, at int) { copy(dst[at:at+len(image)], image) })
}

// bufferImage checks regions, then calls move for each row of texels or blocks, or
// each sample from the last to the first, with its offset in the buffer of size bytes.
func bufferImage(ctx context.Context, c check, rules *bufferSide, im *resource.Image, size int, regions []vk.BufferImageCopy, move func(image []byte, at int)) error {
	p := paceOf(ctx)
	for pass := range 2 {
		for i := range regions {
			c.region = i
			b, err := c.bufferRegion(rules, im, size, &regions[i])
			if err != nil {
				return err
			}
			if pass == 1 {
				if err := b.rows(&p, move); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// BufferBytes is the size of the buffer that a region of a copy between a buffer
// and an image takes.
func BufferBytes(im *resource.Image, r *vk.BufferImageCopy) (int, error) {
	c := check{op: "BufferBytes", prefix: "VkCopyMemoryToImageInfo"}
	b, err := c.bufferRegion(&toImage, im, math.MaxInt, r)
	return b.end, err
}

// bufferBox is a part of an image and where it lies in a buffer: bytes.
type bufferBox struct {
	part
	offset, row, slicePitch int
	end                     int
}

// bufferRegion checks one region; sizes are computed in 64 bits, where factors
// below 2^32 and a texel of 2^5 bytes can pass 2^63 only if the box does.
func (c *check) bufferRegion(rules *bufferSide, im *resource.Image, size int, r *vk.BufferImageCopy) (bufferBox, error) {
	b := bufferBox{}
	if bits.OnesCount32(uint32(r.ImageSubresource.AspectMask)) != 1 {
		return b, c.fail("VkBufferImageCopy-aspectMask-09103", "aspect %v; exactly one is copied", r.ImageSubresource.AspectMask)
	}
	p, err := c.subresource(im, r.ImageSubresource.AspectMask, r.ImageSubresource, &rules.side)
	if err != nil {
		return b, err
	}
	if im.Samples != 1 && !c.samples {
		return b, c.fail(rules.samples, "an image of %d samples", im.Samples)
	}
	if err := c.box(&p, r.ImageOffset, r.ImageExtent, &rules.side); err != nil {
		return b, err
	}
	plane := &im.Layout.Planes[p.plane]
	info := plane.Info
	rowLength, height := r.BufferRowLength, r.BufferImageHeight
	if rowLength == 0 {
		rowLength = r.ImageExtent.Width
	}
	if height == 0 {
		height = r.ImageExtent.Height
	}
	if rowLength < r.ImageExtent.Width {
		return b, c.fail("VkBufferImageCopy-bufferRowLength-09101", "bufferRowLength %d below the width %d", rowLength, r.ImageExtent.Width)
	}
	if height < r.ImageExtent.Height {
		return b, c.fail("VkBufferImageCopy-bufferImageHeight-09102", "bufferImageHeight %d below the height %d", height, r.ImageExtent.Height)
	}
	if r.BufferRowLength%uint32(info.BlockWidth) != 0 || r.BufferImageHeight%uint32(info.BlockHeight) != 0 {
		return b, c.fail("bufferRowLength-09106", "bufferRowLength %d and bufferImageHeight %d are not whole blocks", r.BufferRowLength, r.BufferImageHeight)
	}
	if r.BufferOffset%uint64(alignment(plane)) != 0 {
		return b, c.fail(rules.offset, "bufferOffset %d is not a multiple of %d", r.BufferOffset, alignment(plane))
	}
	wb, hb, slices := p.blocks()
	row := ceilDiv64(uint64(rowLength), uint64(info.BlockWidth)) * uint64(plane.Bytes)
	hi, pitch := bits.Mul64(row, ceilDiv64(uint64(height), uint64(info.BlockHeight)))
	hi2, last := bits.Mul64(pitch, uint64(slices-1))
	used := uint64(hb-1)*row + uint64(wb*plane.Bytes) // inside pitch
	sum, carry := bits.Add64(last, used, 0)
	if hi|hi2|carry != 0 || !inside(r.BufferOffset, sum, size) {
		return b, c.fail(rules.room, "%d bytes from %d on of a buffer of %d", sum, r.BufferOffset, size)
	}
	// Pitches that a single row or slice does not use may pass an int.
	return bufferBox{part: p, offset: int(r.BufferOffset), row: int(row), slicePitch: int(pitch), end: int(r.BufferOffset + sum)}, nil
}

func ceilDiv64(a, b uint64) uint64 { return (a + b - 1) / b }

// alignment of buffer offsets: the texel block, or 4 bytes for depth/stencil.
func alignment(p *resource.PlaneLayout) int {
	if p.Aspect&(vk.ImageAspectDepthBit|vk.ImageAspectStencilBit) != 0 {
		return 4
	}
	return p.Bytes
}

// rows calls move for each row, or piece of one; for each sample, from the last to the
// first, where there are several.
func (b *bufferBox) rows(p *pace, move func(image []byte, at int)) error {
	info := b.im.Layout.Planes[b.plane].Info
	wb, hb, n := b.blocks()
	for i := range n {
		l := b.slice(i)
		err := p.rows(hb, wb*l.TexelPitch, func(p *pace, from, end int) error {
			for j := from; j < end; j++ {
				if err := p.spend(wb * l.TexelPitch); err != nil {
					return err
				}
				if l.Samples > 1 { // no blocks
					for at := range wb {
						texel := l.Row(b.x+at, b.y+j, 0, 1)
						for k := len(texel) - l.Bytes; k >= 0; k -= l.Bytes {
							move(texel[k:k+l.Bytes], b.offset+i*b.slicePitch+j*b.row+at*l.Bytes)
						}
					}
					continue
				}
				sides(&l, b.x, &l, b.x, wb, func(at, n int) {
					move(l.Row(b.x+at*info.BlockWidth, b.y+j*info.BlockHeight, 0, n), b.offset+i*b.slicePitch+j*b.row+at*l.Bytes)
				})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CopyImage is vkCmdCopyImage: texels or blocks of one size move bit by bit,
// with all their samples; between 3D images and arrays slices become layers.
func CopyImage(ctx context.Context, dst, src *resource.Image, regions []vk.ImageCopy) error {
	c, p := check{op: "CopyImage", prefix: "vkCmdCopyImage"}, paceOf(ctx)
	for pass := range 2 {
		for i := range regions {
			c.region = i
			r := &regions[i]
			from, to := aspects(r.SrcSubresource.AspectMask), aspects(r.DstSubresource.AspectMask)
			// Two aspects can only be copied to the same two; one to any other
			// with texels of its size (VK_KHR_maintenance8).
			if len(from) == 0 || len(from) != len(to) || len(from) > 1 && r.SrcSubresource.AspectMask != r.DstSubresource.AspectMask {
				return c.fail("srcImage-01551", "aspects %v and %v", r.SrcSubresource.AspectMask, r.DstSubresource.AspectMask)
			}
			for n, aspect := range from {
				s, d, err := c.copyParts(dst, src, r, to[n], aspect)
				if err != nil {
					return err
				}
				if pass == 1 {
					if err := copyPart(&p, &d, &s); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// copyParts checks one aspect of each side of one region. The extent counts source texels.
func (c *check) copyParts(dst, src *resource.Image, r *vk.ImageCopy, toAspect, fromAspect vk.ImageAspectFlags) (s, d part, err error) {
	if s, err = c.subresource(src, fromAspect, r.SrcSubresource, &copySrcSide); err != nil {
		return s, d, err
	}
	if d, err = c.subresource(dst, toAspect, r.DstSubresource, &copyDstSide); err != nil {
		return s, d, err
	}
	from, to := src.Layout.Planes[s.plane].Info, dst.Layout.Planes[d.plane].Info
	if fromAspect != toAspect {
		if from.BlockBytes != to.BlockBytes || from.Compressed || to.Compressed {
			return s, d, c.fail("srcImage-01551", "aspect %v of %v to %v of %v", fromAspect, src.Format, toAspect, dst.Format)
		}
	} else if !resource.SizeCompatible(from, to) {
		return s, d, c.fail("srcImage-01548", "%v and %v do not have texels of one size", src.Format, dst.Format)
	}
	if src.Samples != dst.Samples {
		return s, d, c.fail("srcImage-00136", "%d samples into %d", src.Samples, dst.Samples)
	}
	if err = c.box(&s, r.SrcOffset, r.Extent, &copySrcSide); err != nil {
		return s, d, err
	}
	e := r.Extent
	wb, hb, n := s.blocks()
	if from.BlockWidth != to.BlockWidth || from.BlockHeight != to.BlockHeight || from.BlockDepth != to.BlockDepth {
		// Blocks become texels or the reverse; a last block may stick out.
		l := &dst.Layout.Planes[d.plane].Levels[d.level]
		e.Width = partial(r.DstOffset.X, wb*to.BlockWidth, l.Width, to.BlockWidth)
		e.Height = partial(r.DstOffset.Y, hb*to.BlockHeight, l.Height, to.BlockHeight)
	}
	if dst.Type == vk.ImageType3D && (src.Type != vk.ImageType3D || from.BlockDepth != to.BlockDepth) {
		e.Depth = partial(r.DstOffset.Z, n*to.BlockDepth, dst.Layout.Planes[d.plane].Levels[d.level].Depth, to.BlockDepth)
	}
	if err = c.box(&d, r.DstOffset, e, &copyDstSide); err != nil {
		return s, d, err
	}
	if _, _, m := d.blocks(); n != m {
		return s, d, c.fail("srcImage-08793", "%d slices or layers into %d", n, m)
	}
	return s, d, nil
}

// partial cuts an extent made of whole blocks at the level's edge, where the
// last block is partly outside.
func partial(at int32, size, limit, block int) uint32 {
	if over := int(at) + size - limit; over > 0 && over < block {
		size -= over
	}
	return uint32(size)
}

func copyPart(p *pace, d, s *part) error {
	wb, hb, n := s.blocks()
	for i := range n {
		from, to := s.slice(i), d.slice(i)
		row := wb * from.Bytes * from.Samples
		if n := hb * row; n >= streamBytes && row == from.RowPitch && row == to.RowPitch && from.ColumnSkip|to.ColumnSkip == 0 {
			first, second := to.Offset(d.x, d.y, 0, 0), from.Offset(s.x, s.y, 0, 0)
			if err := p.stream(to.Data[first:first+n], from.Data[second:second+n]); err != nil {
				return err
			}
			continue
		}
		err := p.rows(hb, row, func(p *pace, first, end int) error {
			for j := first; j < end; j++ {
				if err := p.spend(row); err != nil {
					return err
				}
				sides(&to, d.x, &from, s.x, wb, func(at, n int) {
					copy(to.Row(d.x+at*to.BlockWidth, d.y+j*to.BlockHeight, 0, n), from.Row(s.x+at*from.BlockWidth, s.y+j*from.BlockHeight, 0, n))
				})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
