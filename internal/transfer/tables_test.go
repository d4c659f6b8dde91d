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
