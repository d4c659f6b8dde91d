package transfer

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// ColorTexel reads the member of a clear colour that a format's class calls
// for (VkClearColorValue), or the integers of a scaled format.
func ColorTexel(info *format.Info, v vk.ClearColorValue) format.Texel {
	var t format.Texel
	if meansIntegers(info, v.Float32) {
		for c, f := range v.Float32 {
			t[c] = math.Float32bits(float32(int32(math.Float32bits(f))))
		}
		return t
	}
	for c := range t {
		switch info.Class {
		case format.ClassFloat:
			t[c] = math.Float32bits(v.Float32[c])
		case format.ClassSint:
			t[c] = uint32(v.Int32[c])
		case format.ClassUint:
			t[c] = v.Uint32[c]
		}
	}
	return t
}

// meansIntegers says that a colour for a scaled format is one for the integer format of that name: the bits of each of its
// components are an integer in range. As floats these are zeros, denormals below 2^-133 and NaNs. Of denormals Vulkan asks that
// they do the same each time, of NaNs nothing (fundamentals-general), and whoever means floats clears to neither.
func meansIntegers(info *format.Info, v [4]float32) bool {
	info = info.Unscaled()
	if info == nil {
		return false
	}
	for c, f := range info.Components {
		if f.Kind == format.KindNone {
			continue
		}
		low, high := int32(0), int32(1)<<f.Bits-1
		if info.Class == format.ClassSint {
			low, high = -1<<(f.Bits-1), 1<<(f.Bits-1)-1
		}
		if x := int32(math.Float32bits(v[c])); x < low || x > high {
			return false
		}
	}
	return true
}

// ClearColorImage is vkCmdClearColorImage: whole subresources.
func ClearColorImage(ctx context.Context, im *resource.Image, color format.Texel, ranges []vk.ImageSubresourceRange) error {
	c := check{op: "ClearColorImage", prefix: "vkCmdClearColorImage", region: -1}
	if im == nil || im.Data == nil {
		return c.fail("image-00003", "no image, or no memory bound to it")
	}
	if im.Info.NeedsConversion() {
		return c.fail("image-01545", "%v can only be sampled through a Y′CBCR conversion", im.Format)
	}
	if im.Info.Aspects != vk.ImageAspectColorBit || im.Info.Compressed {
		return c.fail("image-00007", "%v is depth, stencil or compressed", im.Format)
	}
	return clearRanges(ctx, &c, im, ranges, func(vk.ImageAspectFlags) format.Texel { return color })
}

// ClearDepthStencilImage is vkCmdClearDepthStencilImage: the aspects that each
// range names. Depth is in [0,1] unless the format is a float; stencil takes
// its low 8 bits.
func ClearDepthStencilImage(ctx context.Context, im *resource.Image, depth float32, stencil uint32, ranges []vk.ImageSubresourceRange) error {
	c := check{op: "ClearDepthStencilImage", prefix: "vkCmdClearDepthStencilImage", region: -1}
	if im == nil || im.Data == nil {
		return c.fail("image-00010", "no image, or no memory bound to it")
	}
	if im.Info.Aspects&(vk.ImageAspectDepthBit|vk.ImageAspectStencilBit) == 0 {
		return c.fail("image-00014", "%v has neither depth nor stencil", im.Format)
	}
	return clearRanges(ctx, &c, im, ranges, func(a vk.ImageAspectFlags) format.Texel { return aspectTexel(a, depth, stencil) })
}

func aspectTexel(a vk.ImageAspectFlags, depth float32, stencil uint32) format.Texel {
	if a == vk.ImageAspectStencilBit {
		return format.Texel{stencil & 0xFF}
	}
	return format.Texel{math.Float32bits(depth)}
}

// clearRanges checks ranges, then fills them.
func clearRanges(ctx context.Context, c *check, im *resource.Image, ranges []vk.ImageSubresourceRange, value func(vk.ImageAspectFlags) format.Texel) error {
	p := paceOf(ctx)
	for pass := range 2 {
		for i, r := range ranges {
			c.region = i
			levels, layers := rangeCount(r.LevelCount, r.BaseMipLevel, im.MipLevels), rangeCount(r.LayerCount, r.BaseArrayLayer, im.ArrayLayers)
			if levels <= 0 {
				return c.fail("pRanges-01692", "levels %d+%d of %d", r.BaseMipLevel, r.LevelCount, im.MipLevels)
			}
			if layers <= 0 {
				return c.fail("pRanges-01693", "layers %d+%d of %d", r.BaseArrayLayer, r.LayerCount, im.ArrayLayers)
			}
			if r.AspectMask == 0 || r.AspectMask&^im.Info.Aspects != 0 {
				return c.fail("aspectMask-02498", "aspect %v; %v has %v", r.AspectMask, im.Format, im.Info.Aspects)
			}
			if pass == 0 {
				continue
			}
			for _, a := range aspects(r.AspectMask) {
				plane := im.PlaneOf(a)
				for level := range levels {
					for layer := range layers {
						l := im.Level(plane, int(r.BaseMipLevel)+level, int(r.BaseArrayLayer)+layer)
						if err := clearBox(&p, &l, im.Layout.Planes[plane].Info, value(a), 0, 0, l.Width, l.Height); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	return nil
}

// rangeCount resolves a count of levels or layers; ≤ 0 is out of range.
func rangeCount(count, base uint32, total int) int {
	n := int64(count)
	if count == vk.RemainingMipLevels {
		n = int64(total) - int64(base)
	}
	if int64(base)+n > int64(total) {
		return -1
	}
	return int(max(n, -1)) // an int of 32 bits would hold less
}

// clearBox fills a rectangle of all slices of a level, every sample.
func clearBox(p *pace, l *resource.Level, info *format.Info, t format.Texel, x, y, w, h int) (err error) {
	var texel [32]byte
	if info.Components[0].Bits == 64 {
		// A clear value has two words for a component, the low one first;
		// that is enough for two components, and the others become zero.
		for i, word := range t {
			binary.LittleEndian.PutUint32(texel[4*i:], word)
		}
	} else {
		info.Encode(texel[:l.Bytes], t)
	}
	row := w * l.TexelPitch
	for z := range l.Depth {
		if row == l.RowPitch && l.ColumnSkip == 0 && err == nil { // rows follow each other
			at := l.Offset(x, y, z, 0)
			copy(l.Data[at:], texel[:l.Bytes])
			err = p.repeat(l.Data[at:at+h*row], l.Bytes)
			continue
		}
		sides(l, x, l, x, w, func(at, n int) {
			first := l.Row(x+at, y, z, n)
			copy(first, texel[:l.Bytes])
			if err == nil {
				err = p.repeat(first, l.Bytes)
			}
			if err == nil {
				err = p.rows(h-1, len(first)/fillPace, func(p *pace, from, end int) error {
					for j := from; j < end; j++ {
						if err := p.move(l.Row(x+at, y+1+j, z, n), first); err != nil {
							return err
						}
					}
					return nil
				})
			}
		})
	}
	return err
}

// ClearAttachment is one attachment of vkCmdClearAttachments: rectangles of
// layers of a view's base level, counted from the view's first layer. aspect
// selects COLOR, DEPTH, STENCIL or both of the latter; the value is read as in
// ColorTexel.
func ClearAttachment(v *resource.ImageView, aspect vk.ImageAspectFlags, value vk.ClearValue, rects []vk.ClearRect) error {
	c := check{op: "ClearAttachment", prefix: "vkCmdClearAttachments", region: -1}
	if v == nil || v.Image == nil || v.Image.Data == nil {
		return nil // an unused attachment: no effect
	}
	if aspect == 0 || aspect&^v.Image.Info.Aspects != 0 {
		return c.fail("aspectMask-07884", "aspect %v; %v has %v", aspect, v.Image.Format, v.Image.Info.Aspects)
	}
	w, h, _ := v.Extent(0)
	for i, r := range rects {
		c.region = i
		o, e := r.Rect.Offset, r.Rect.Extent
		if o.X < 0 || o.Y < 0 || int64(o.X)+int64(e.Width) > int64(w) || int64(o.Y)+int64(e.Height) > int64(h) {
			return c.fail("pRects-00016", "rectangle %d,%d %dx%d outside %dx%d", o.X, o.Y, e.Width, e.Height, w, h)
		}
		if e.Width == 0 || e.Height == 0 {
			return c.fail("rect-02682", "an empty rectangle")
		}
		if r.LayerCount == 0 || int64(r.BaseArrayLayer)+int64(r.LayerCount) > int64(v.Layers) {
			return c.fail("pRects-06937", "layers %d+%d of %d", r.BaseArrayLayer, r.LayerCount, v.Layers)
		}
	}
	p := pace{ctx: context.Background()}
	for _, a := range aspects(aspect) {
		info, t := v.Info, ColorTexel(v.Info, value.Color)
		one := *v
		if a != vk.ImageAspectColorBit {
			one.Plane = v.Image.PlaneOf(a)
			info = v.Image.Layout.Planes[one.Plane].Info
			t = aspectTexel(a, value.DepthStencil.Depth, value.DepthStencil.Stencil)
		}
		for _, r := range rects {
			for layer := range int(r.LayerCount) {
				l := one.Level(0, int(r.BaseArrayLayer)+layer)
				_ = clearBox(&p, &l, info, t, int(r.Rect.Offset.X), int(r.Rect.Offset.Y), int(r.Rect.Extent.Width), int(r.Rect.Extent.Height))
			}
		}
	}
	return nil
}
