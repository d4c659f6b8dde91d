package transfer

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// tableFormats are of all classes and sizes of texels.
var tableFormats = []vk.Format{vk.FormatR8Unorm, vk.FormatR16Unorm, vk.FormatR32Sfloat, vk.FormatR32Uint, vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR8G8B8A8Sint,
	vk.FormatB10G11R11UfloatPack32, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat}

// A region that is refused is named, the first or the last, and none before it is written; what is stopped is an error.
// Of all commands, in formats of all classes.
func TestTransfer_EveryCommand_Refused(t *testing.T) {
	stopped, stop := context.WithCancel(ctx)
	stop()
	for _, f := range tableFormats {
		const n, size = 4, 256
		src, dst := image2D(t, f, size, size), image2D(t, f, size, size)
		for k := range src.Data {
			src.Data[k] = byte(k*7 + 1)
		}
		for name, command := range map[string]func(ctx context.Context, bad int, whole bool) ([]byte, error){
			"CopyBufferToImage": func(ctx context.Context, bad int, whole bool) ([]byte, error) {
				r := make([]vk.BufferImageCopy, n)
				for k := range r {
					r[k] = vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(3, 3, 1)}
					if whole {
						r[k].ImageExtent = ext(size, size, 1)
					}
				}
				if bad >= 0 {
					r[bad].BufferRowLength = 2
				}
				return dst.Data, CopyBufferToImage(ctx, dst, src.Data, r)
			},
			"CopyImageToBuffer": func(ctx context.Context, bad int, whole bool) ([]byte, error) {
				r := make([]vk.BufferImageCopy, n)
				for k := range r {
					r[k] = vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(3, 3, 1)}
					if whole {
						r[k].ImageExtent = ext(size, size, 1)
					}
				}
				if bad >= 0 {
					r[bad].BufferImageHeight = 2
				}
				return dst.Data, CopyImageToBuffer(ctx, dst.Data, src, r)
			},
			"CopyImage": func(ctx context.Context, bad int, whole bool) ([]byte, error) {
				r := make([]vk.ImageCopy, n)
				for k := range r {
					r[k] = vk.ImageCopy{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(3, 3, 1)}
					if whole {
						r[k].Extent = ext(size, size-1, 1)
					}
				}
				if bad >= 0 {
					r[bad].DstOffset.X = size - 2
				}
				return dst.Data, CopyImage(ctx, dst, src, r)
			},
			"BlitImage": func(ctx context.Context, bad int, whole bool) ([]byte, error) {
				r := make([]vk.ImageBlit, n)
				to := int32(3)
				if whole {
					to = size
				}
				for k := range r {
					box := [2]vk.Offset3D{{}, off(to, to, 1)}
					r[k] = vk.ImageBlit{SrcSubresource: one(color), DstSubresource: one(color), SrcOffsets: box, DstOffsets: box}
				}
				if bad >= 0 {
					r[bad].SrcSubresource.LayerCount = 2
				}
				return dst.Data, BlitImage(ctx, dst, src, r, vk.FilterNearest)
			},
			"ClearColorImage": func(ctx context.Context, bad int, whole bool) ([]byte, error) {
				r := make([]vk.ImageSubresourceRange, n)
				for k := range r {
					r[k] = vk.ImageSubresourceRange{AspectMask: color, LevelCount: 1, LayerCount: 1}
				}
				if bad >= 0 {
					r[bad].BaseMipLevel = 1
				}
				return dst.Data, ClearColorImage(ctx, dst, format.Texel{1, 1, 1, 1}, r)
			},
			"CopyBuffer": func(ctx context.Context, bad int, whole bool) ([]byte, error) {
				r := make([]vk.BufferCopy, n)
				for k := range r {
					if r[k].Size = 5; whole {
						r[k].Size = uint64(len(src.Data))
					}
				}
				if bad >= 0 {
					r[bad].DstOffset = uint64(len(dst.Data)) - 4
				}
				return dst.Data, CopyBuffer(ctx, dst.Data, src.Data, r)
			},
		} {
			for bad := range n {
				clear(dst.Data)
				data, err := command(ctx, bad, false)
				var e *Error
				if !errors.As(err, &e) || e.Region != bad || e.Op != name {
					t.Errorf("%s of %v, region %d: %v", name, f, bad, err)
				}
				if !bytes.Equal(data, make([]byte, len(data))) {
					t.Errorf("%s of %v, region %d: something is written", name, f, bad)
				}
			}
			if _, err := command(stopped, -1, true); !errors.Is(err, context.Canceled) {
				t.Errorf("%s of %v, stopped: %v", name, f, err)
			}
			if _, err := command(ctx, -1, true); err != nil {
				t.Errorf("%s of %v: %v", name, f, err)
			}
		}
	}
}

// Blits between classes: floats among each other, integers of one sign, depth and stencil of one format.
func TestBlitImage_EveryPair(t *testing.T) {
	kinds := append(tableFormats[:len(tableFormats):len(tableFormats)], vk.FormatR16Sint, vk.FormatR8Uint, vk.FormatR8Uscaled, vk.FormatD16Unorm, vk.FormatD32Sfloat, vk.FormatS8Uint, vk.FormatD24UnormS8Uint)
	for _, from := range kinds {
		for _, to := range kinds {
			src, dst := image2D(t, from, 4, 4), image2D(t, to, 4, 4)
			a, b := src.Info, dst.Info
			want := ""
			switch {
			case a.Class != b.Class && a.Class == format.ClassSint:
				want = "vkCmdBlitImage-srcImage-00229"
			case a.Class != b.Class:
				want = "vkCmdBlitImage-srcImage-00230"
			case a.Aspects != b.Aspects || a.Aspects != color && from != to:
				want = "vkCmdBlitImage-srcImage-00231"
			}
			for _, filter := range []vk.Filter{vk.FilterNearest, vk.FilterLinear, vk.FilterCubicEXT} {
				wanted := want
				switch {
				case want != "" || filter == vk.FilterNearest:
				case a.Aspects != color:
					wanted = "vkCmdBlitImage-srcImage-00232"
				case a.Class != format.ClassFloat:
					wanted = "vkCmdBlitImage-filter-02001"
				}
				box := [2]vk.Offset3D{{}, off(4, 4, 1)}
				err := BlitImage(ctx, dst, src, []vk.ImageBlit{{SrcSubresource: one(a.Aspects), DstSubresource: one(b.Aspects), SrcOffsets: box, DstOffsets: box}}, filter)
				if wanted == "" && err != nil {
					t.Errorf("%v into %v, %v: %v", from, to, filter, err)
				} else if wanted != "" {
					wantVUID(t, err, wanted)
				}
			}
			// No image, or no memory, on either side.
			bare, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: from, Extent: ext(4, 4, 1)})
			ok(t, err)
			for _, pair := range [][2]*resource.Image{{nil, src}, {dst, nil}, {bare, src}, {dst, bare}} {
				wantVUID(t, BlitImage(ctx, pair[0], pair[1], nil, vk.FilterNearest), "vkCmdBlitImage-commonparent")
			}
		}
	}
	// Aspects that differ, of each kind, and none.
	ds := image2D(t, vk.FormatD24UnormS8Uint, 4, 4)
	box := [2]vk.Offset3D{{}, off(4, 4, 1)}
	for _, pair := range [][2]vk.ImageAspectFlags{{depth, stencil}, {stencil, depth}, {depth | stencil, stencil}, {depth, depth | stencil}, {0, 0}, {0, depth}} {
		wantVUID(t, BlitImage(ctx, ds, ds, []vk.ImageBlit{{SrcSubresource: one(pair[0]), DstSubresource: one(pair[1]), SrcOffsets: box, DstOffsets: box}}, vk.FilterNearest), "VkImageBlit-aspectMask-00238")
	}
}

// Clear colours of each class, and of scaled formats, where integers of every component decide.
func TestColorTexel_EveryClass(t *testing.T) {
	v := vk.ClearColorValue{Float32: [4]float32{math.Float32frombits(1), math.Float32frombits(0x80000002), math.Float32frombits(0xFFFFFFFD), math.Float32frombits(0x40000000)}}
	v.Int32, v.Uint32 = [4]int32{5, -6, math.MinInt32, 7}, [4]uint32{8, 1 << 31, math.MaxUint32, 9}
	for f, want := range map[vk.Format]format.Texel{
		vk.FormatR8G8B8A8Unorm: {1, 0x80000002, 0xFFFFFFFD, 0x40000000},
		vk.FormatR8G8B8A8Sint:  {5, 0xFFFFFFFA, 0x80000000, 7},
		vk.FormatR8G8B8A8Uint:  {8, 1 << 31, math.MaxUint32, 9},
	} {
		info, _ := format.Lookup(f)
		if got := ColorTexel(info, v); got != want {
			t.Errorf("%v: %x, want %x", f, got, want)
		}
	}
	for f, ends := range map[vk.Format][2]int32{vk.FormatR8G8B8A8Uscaled: {0, 255}, vk.FormatR8G8B8A8Sscaled: {-128, 127}, vk.FormatR16G16B16A16Sscaled: {-32768, 32767}} {
		info, _ := format.Lookup(f)
		for c := range 4 {
			for _, x := range []int32{ends[0] - 1, ends[0], ends[1], ends[1] + 1} {
				var v vk.ClearColorValue
				for k := range v.Float32 {
					v.Float32[k] = math.Float32frombits(1)
				}
				v.Float32[c] = math.Float32frombits(uint32(x))
				var want format.Texel
				for k := range want {
					if want[k] = math.Float32bits(v.Float32[k]); x >= ends[0] && x <= ends[1] {
						want[k] = math.Float32bits(float32(int32(want[k])))
					}
				}
				if got := ColorTexel(info, v); got != want {
					t.Errorf("%v, %d in component %d: %x, want %x", f, x, c, got, want)
				}
			}
		}
	}
}

// Copies and resolves between formats: texels of one size and kind, or what is refused and why.
func TestCopyImage_EveryPair(t *testing.T) {
	for _, from := range tableFormats {
		for _, to := range tableFormats {
			src, dst := image2D(t, from, 3, 2), image2D(t, to, 3, 2)
			for k := range src.Data {
				src.Data[k] = byte(k + 1)
			}
			region := []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(3, 2, 1)}}
			err := CopyImage(ctx, dst, src, region)
			if src.Info.BlockBytes != dst.Info.BlockBytes {
				wantVUID(t, err, "vkCmdCopyImage-srcImage-01548")
			} else if err != nil {
				t.Errorf("%v to %v: %v", from, to, err)
			} else {
				for y := range 2 {
					a, b := src.Level(0, 0, 0), dst.Level(0, 0, 0)
					if got, want := b.Row(0, y, 0, 3), a.Row(0, y, 0, 3); !bytes.Equal(got, want) {
						t.Errorf("%v to %v, row %d: % x, want % x", from, to, y, got, want)
					}
				}
			}
			wantVUID(t, CopyImage(ctx, image2D(t, from, 3, 2), multisampled(t, from, 4), []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(1, 1, 1)}}), "vkCmdCopyImage-srcImage-00136")

			// Resolves want the same format, and a box inside on both sides.
			many := multisampled(t, from, 4)
			resolve := func(at vk.Offset3D) error {
				return ResolveImage(ctx, dst, many, []vk.ImageResolve{{SrcSubresource: one(color), DstSubresource: one(color), DstOffset: at, Extent: ext(1, 1, 1)}}, vk.ResolveModeNone, vk.ResolveModeNone, 0)
			}
			if from != to {
				wantVUID(t, resolve(off(0, 0, 0)), "vkCmdResolveImage-srcImage-01386")
			} else {
				ok(t, resolve(off(2, 1, 0)))
				wantVUID(t, resolve(off(3, 0, 0)), "vkCmdResolveImage-dstOffset-00274")
				wantVUID(t, resolve(off(0, 2, 0)), "vkCmdResolveImage-dstOffset-00275")
			}
		}
	}
	aspects := func(from, to vk.Format, a, b vk.ImageAspectFlags) error {
		return CopyImage(ctx, image2D(t, to, 2, 2), image2D(t, from, 2, 2), []vk.ImageCopy{{SrcSubresource: one(a), DstSubresource: one(b), Extent: ext(2, 2, 1)}})
	}
	ok(t, aspects(vk.FormatD16Unorm, vk.FormatD16Unorm, depth, depth))
	ok(t, aspects(vk.FormatD32Sfloat, vk.FormatR32Sfloat, depth, color))
	ok(t, aspects(vk.FormatR16Unorm, vk.FormatD16Unorm, color, depth))
	ok(t, aspects(vk.FormatD24UnormS8Uint, vk.FormatD24UnormS8Uint, depth|stencil, depth|stencil))
	wantVUID(t, aspects(vk.FormatD16Unorm, vk.FormatR32Sfloat, depth, color), "vkCmdCopyImage-srcImage-01551")
	wantVUID(t, aspects(vk.FormatD32Sfloat, vk.FormatX8D24UnormPack32, depth, depth), "vkCmdCopyImage-srcImage-01548")
	for _, pair := range [][2]vk.ImageAspectFlags{{color, depth | stencil}, {depth | stencil, depth}, {0, 0}, {0, color}, {color, 0}} {
		wantVUID(t, aspects(vk.FormatR8Unorm, vk.FormatD24UnormS8Uint, pair[0], pair[1]), "vkCmdCopyImage-srcImage-01551")
	}
}

// Slices of a 3D image to those of another, turned and twice as deep: slice k comes from 2 − k/2.
func TestBlitImage_SlicesTurned(t *testing.T) {
	src := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: ext(2, 1, 3)})
	dst := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: ext(2, 1, 6)})
	for k := range 3 {
		l := src.Level(0, 0, 0)
		copy(l.Row(0, 0, k, 2), []byte{byte(10 * (k + 1)), byte(10*(k+1) + 1)})
	}
	ok(t, BlitImage(ctx, dst, src, []vk.ImageBlit{{SrcSubresource: one(color), DstSubresource: one(color), SrcOffsets: [2]vk.Offset3D{{}, off(2, 1, 3)}, DstOffsets: [2]vk.Offset3D{off(0, 0, 6), off(2, 1, 0)}}}, vk.FilterNearest))
	for k := range 6 {
		l, from := dst.Level(0, 0, 0), 2-k/2
		if got, want := l.Row(0, 0, k, 2), []byte{byte(10 * (from + 1)), byte(10*(from+1) + 1)}; !bytes.Equal(got, want) {
			t.Errorf("slice %d: %v, want %v", k, got, want)
		}
	}
}

// Regions of buffers: what is 0 is the extent's, what is smaller is refused; one aspect at a time.
func TestBufferImage_EveryField(t *testing.T) {
	im, buffer := image2D(t, vk.FormatR8G8B8A8Unorm, 3, 2), count(256)
	for _, c := range []struct {
		length, height uint32
		vuid           string
	}{
		{0, 0, ""}, {3, 2, ""}, {5, 0, ""}, {0, 7, ""}, {2, 0, "bufferRowLength-09101"}, {1, 2, "bufferRowLength-09101"}, {0, 1, "bufferImageHeight-09102"}, {4, 1, "bufferImageHeight-09102"},
	} {
		err := CopyBufferToImage(ctx, im, buffer, []vk.BufferImageCopy{{BufferRowLength: c.length, BufferImageHeight: c.height, ImageSubresource: one(color), ImageExtent: ext(3, 2, 1)}})
		if c.vuid != "" {
			wantVUID(t, err, "VkBufferImageCopy-"+c.vuid)
			continue
		}
		ok(t, err)
		pitch := 4 * max(c.length, 3)
		for y := range 2 {
			l := im.Level(0, 0, 0)
			if got, want := l.Row(0, y, 0, 3), buffer[y*int(pitch):][:12]; !bytes.Equal(got, want) {
				t.Errorf("rows of %d, row %d: % x, want % x", c.length, y, got, want)
			}
		}
	}
	ds := image2D(t, vk.FormatD24UnormS8Uint, 2, 2)
	for _, a := range []vk.ImageAspectFlags{0, depth | stencil, depth | color, depth | stencil | color} {
		wantVUID(t, CopyBufferToImage(ctx, ds, buffer, []vk.BufferImageCopy{{ImageSubresource: one(a), ImageExtent: ext(2, 2, 1)}}), "VkBufferImageCopy-aspectMask-09103")
	}
	ok(t, CopyBufferToImage(ctx, ds, buffer, []vk.BufferImageCopy{{ImageSubresource: one(stencil), ImageExtent: ext(2, 2, 1)}}))

	v, err := resource.NewView(im, resource.ViewDesc{})
	ok(t, err)
	for _, c := range []struct {
		w, h, layers uint32
		vuid         string
	}{{1, 1, 1, ""}, {0, 1, 1, "rect-02682"}, {1, 0, 1, "rect-02682"}, {0, 0, 1, "rect-02682"}, {1, 1, 0, "pRects-06937"}, {1, 1, 2, "pRects-06937"}, {4, 1, 1, "pRects-00016"}, {1, 3, 1, "pRects-00016"}} {
		err := ClearAttachment(v, color, vk.ClearValue{}, []vk.ClearRect{{Rect: vk.Rect2D{Extent: vk.Extent2D{Width: c.w, Height: c.h}}, LayerCount: c.layers}})
		if c.vuid == "" {
			ok(t, err)
		} else {
			wantVUID(t, err, "vkCmdClearAttachments-"+c.vuid)
		}
	}
}
