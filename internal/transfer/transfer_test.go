package transfer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

const (
	color   = vk.ImageAspectColorBit
	depth   = vk.ImageAspectDepthBit
	stencil = vk.ImageAspectStencilBit
)

func newImage(t *testing.T, d resource.ImageDesc) *resource.Image {
	t.Helper()
	im, err := resource.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	return im
}

func image2D(t *testing.T, f vk.Format, w, h uint32) *resource.Image {
	t.Helper()
	return newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: w, Height: h, Depth: 1}})
}

func one(aspect vk.ImageAspectFlags) vk.ImageSubresourceLayers {
	return vk.ImageSubresourceLayers{AspectMask: aspect, LayerCount: 1}
}

func ext(w, h, d uint32) vk.Extent3D { return vk.Extent3D{Width: w, Height: h, Depth: d} }
func off(x, y, z int32) vk.Offset3D  { return vk.Offset3D{X: x, Y: y, Z: z} }

func wantVUID(t *testing.T, err error, vuid string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.VUID != vuid {
		t.Errorf("got %v, want VUID-%s", err, vuid)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// count returns 1, 2, 3, … as bytes.
func count(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i + 1)
	}
	return b
}

func TestBuffers(t *testing.T) {
	src, dst := count(16), make([]byte, 16)
	ok(t, CopyBuffer(ctx, dst, src, []vk.BufferCopy{{SrcOffset: 2, DstOffset: 10, Size: 3}, {SrcOffset: 15, Size: 1}}))
	if !bytes.Equal(dst, []byte{16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 4, 5, 0, 0, 0}) {
		t.Errorf("copied %v", dst)
	}
	wantVUID(t, CopyBuffer(ctx, dst, src, []vk.BufferCopy{{SrcOffset: math.MaxUint64, Size: 2}}), "vkCmdCopyBuffer-size-00115")
	wantVUID(t, CopyBuffer(ctx, dst, src, []vk.BufferCopy{{DstOffset: 15, Size: 2}}), "vkCmdCopyBuffer-size-00116")

	b := make([]byte, 11)
	ok(t, FillBuffer(ctx, b, 4, WholeSize, 0x04030201))
	if !bytes.Equal(b, []byte{0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0}) {
		t.Errorf("filled %v", b)
	}
	wantVUID(t, FillBuffer(ctx, b, 2, 4, 0), "vkCmdFillBuffer-dstOffset-00025")
	wantVUID(t, FillBuffer(ctx, b, 4, 6, 0), "vkCmdFillBuffer-size-00028")
	wantVUID(t, FillBuffer(ctx, b, 8, 8, 0), "vkCmdFillBuffer-size-00027")
	wantVUID(t, FillBuffer(ctx, b, 12, 4, 0), "vkCmdFillBuffer-dstOffset-00024")

	ok(t, UpdateBuffer(b, 0, []byte{9, 9, 9, 9}))
	wantVUID(t, UpdateBuffer(b, 8, []byte{9, 9, 9, 9}), "vkCmdUpdateBuffer-dataSize-00033")
	wantVUID(t, UpdateBuffer(b, 0, []byte{9, 9, 9}), "vkCmdUpdateBuffer-dataSize-00038")
	if b[3] != 9 || b[4] != 1 {
		t.Errorf("updated %v", b)
	}
}

// Between buffers and multisampled images there are no copies in Vulkan. Those that
// callers may allow write every sample, and read the first.
func TestBufferImage_Samples(t *testing.T) {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD32SfloatS8Uint, Extent: ext(3, 2, 1), ArrayLayers: 2, Samples: 4})
	r := []vk.BufferImageCopy{{ImageSubresource: vk.ImageSubresourceLayers{AspectMask: stencil, BaseArrayLayer: 1, LayerCount: 1}, ImageOffset: off(1, 0, 0), ImageExtent: ext(2, 2, 1)}}
	buffer := []byte{11, 12, 13, 14}
	wantVUID(t, CopyBufferToImage(ctx, im, buffer, r), "vkCmdCopyBufferToImage-dstImage-07973")
	wantVUID(t, CopyImageToBuffer(ctx, buffer, im, r), "vkCmdCopyImageToBuffer-srcImage-07973")
	ok(t, CopyBufferToSamples(ctx, im, buffer, r))
	l := im.Level(im.PlaneOf(stencil), 0, 1)
	for i, want := range [][]byte{{0, 0, 0, 0, 11, 11, 11, 11, 12, 12, 12, 12}, {0, 0, 0, 0, 13, 13, 13, 13, 14, 14, 14, 14}} {
		row := l.Row(0, i, 0, 3)
		if !bytes.Equal(row, want) {
			t.Errorf("row %d: %v, want %v", i, row, want)
		}
		for k := range row {
			row[k] = byte(100*i + k)
		}
	}
	ok(t, CopySampleToBuffer(ctx, buffer, im, r))
	if want := []byte{4, 8, 104, 108}; !bytes.Equal(buffer, want) {
		t.Errorf("from the image: %v, want %v", buffer, want)
	}
	wantVUID(t, CopySampleToBuffer(ctx, buffer[:3], im, r), "vkCmdCopyImageToBuffer-pRegions-00183")
}

// A box goes into an array level and comes back, with pitches of its own.
func TestBufferImage_RoundTrip(t *testing.T) {
	for name, c := range map[string]struct {
		d      resource.ImageDesc
		aspect vk.ImageAspectFlags
		size   int // bytes of a texel
		region vk.BufferImageCopy
	}{
		"array": {resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: ext(8, 8, 1), MipLevels: 2, ArrayLayers: 3}, color, 4,
			vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{MipLevel: 1, BaseArrayLayer: 1, LayerCount: 2}, ImageOffset: off(1, 2, 0), ImageExtent: ext(3, 2, 1)}},
		"3D": {resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8G8Unorm, Extent: ext(5, 4, 3)}, color, 2,
			vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{LayerCount: 1}, ImageOffset: off(1, 0, 1), ImageExtent: ext(4, 4, 2)}},
		"stencil": {resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD24UnormS8Uint, Extent: ext(5, 4, 1)}, stencil, 1,
			vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{LayerCount: 1}, ImageExtent: ext(5, 4, 1)}},
		"depth": {resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD24UnormS8Uint, Extent: ext(5, 4, 1)}, depth, 4,
			vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{LayerCount: 1}, ImageExtent: ext(5, 4, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			im := newImage(t, c.d)
			r := c.region
			r.ImageSubresource.AspectMask = c.aspect
			r.BufferOffset, r.BufferRowLength, r.BufferImageHeight = 8, r.ImageExtent.Width+3, r.ImageExtent.Height+1
			src := count(4096)
			ok(t, CopyBufferToImage(ctx, im, src, []vk.BufferImageCopy{r}))
			dst := make([]byte, len(src))
			ok(t, CopyImageToBuffer(ctx, dst, im, []vk.BufferImageCopy{r}))
			n := int(max(r.ImageExtent.Depth, r.ImageSubresource.LayerCount))
			w, h := int(r.ImageExtent.Width), int(r.ImageExtent.Height)
			moved := 0
			for z := range n {
				for y := range h {
					at := 8 + ((z*(h+1)+y)*(w+3))*c.size
					if !bytes.Equal(dst[at:at+w*c.size], src[at:at+w*c.size]) {
						t.Fatalf("row %d of slice %d differs", y, z)
					}
					moved += w * c.size
				}
			}
			if got := len(dst) - bytes.Count(dst, []byte{0}); got > moved {
				t.Errorf("%d bytes written, %d are the region's", got, moved)
			}
			// The last texel is where Level says.
			plane := im.PlaneOf(c.aspect)
			layer, z := int(r.ImageSubresource.BaseArrayLayer)+n-1, 0
			if c.d.Type == vk.ImageType3D {
				layer, z = 0, int(r.ImageOffset.Z)+n-1
			}
			l := im.Level(plane, int(r.ImageSubresource.MipLevel), layer)
			at := 8 + (((n-1)*(h+1)+h-1)*(w+3)+w-1)*c.size
			if o := l.Offset(int(r.ImageOffset.X)+w-1, int(r.ImageOffset.Y)+h-1, z, 0); l.Data[o] != src[at] {
				t.Errorf("last texel %d, want %d", l.Data[o], src[at])
			}
		})
	}
}

func TestBufferImage_Hostile(t *testing.T) {
	im := image2D(t, vk.FormatR8G8B8A8Unorm, 4, 4)
	const p = "vkCmdCopyBufferToImage-"
	for name, c := range map[string]struct {
		r    vk.BufferImageCopy
		vuid string
	}{
		"buffer too small": {vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(4, 4, 1), BufferOffset: 4}, p + "pRegions-00171"},
		"huge pitch":       {vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(4, 4, 1), BufferRowLength: math.MaxUint32, BufferImageHeight: math.MaxUint32}, p + "pRegions-00171"},
		"offset overflow":  {vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(4, 4, 1), BufferOffset: math.MaxUint64 - 3}, p + "pRegions-00171"},
		"outside":          {vk.BufferImageCopy{ImageSubresource: one(color), ImageOffset: off(1, 0, 0), ImageExtent: ext(4, 4, 1)}, p + "imageSubresource-07971"},
		"negative":         {vk.BufferImageCopy{ImageSubresource: one(color), ImageOffset: off(-1, 0, 0), ImageExtent: ext(2, 2, 1)}, p + "imageSubresource-07971"},
		"extent overflow":  {vk.BufferImageCopy{ImageSubresource: one(color), ImageOffset: off(math.MaxInt32, 0, 0), ImageExtent: ext(math.MaxUint32, 1, 1)}, p + "imageSubresource-07971"},
		"level":            {vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{AspectMask: color, MipLevel: 1, LayerCount: 1}, ImageExtent: ext(1, 1, 1)}, p + "imageSubresource-07967"},
		"layers":           {vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{AspectMask: color, BaseArrayLayer: math.MaxUint32, LayerCount: 2}, ImageExtent: ext(1, 1, 1)}, p + "imageSubresource-07968"},
		"row length":       {vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(4, 1, 1), BufferRowLength: 3}, "VkBufferImageCopy-bufferRowLength-09101"},
		"alignment":        {vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(1, 1, 1), BufferOffset: 2}, p + "dstImage-07975"},
		"two aspects":      {vk.BufferImageCopy{ImageSubresource: one(depth | stencil), ImageExtent: ext(1, 1, 1)}, "VkBufferImageCopy-aspectMask-09103"},
		"other aspect":     {vk.BufferImageCopy{ImageSubresource: one(depth), ImageExtent: ext(1, 1, 1)}, "VkImageSubresourceLayers-aspectMask-parameter"},
	} {
		t.Run(name, func(t *testing.T) {
			good := vk.BufferImageCopy{ImageSubresource: one(color), ImageExtent: ext(1, 1, 1)}
			wantVUID(t, CopyBufferToImage(ctx, im, count(64), []vk.BufferImageCopy{good, c.r}), c.vuid)
			if im.Data[0] != 0 {
				t.Error("a refused command has written")
			}
		})
	}
}

func TestCopyImage_SlicesToLayersAndAspects(t *testing.T) {
	src := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: ext(4, 4, 4)})
	copy(src.Data, count(64))
	dst := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: ext(4, 4, 1), ArrayLayers: 3})
	ok(t, CopyImage(ctx, dst, src, []vk.ImageCopy{{SrcSubresource: one(color), SrcOffset: off(1, 1, 2), Extent: ext(2, 2, 2),
		DstSubresource: vk.ImageSubresourceLayers{AspectMask: color, BaseArrayLayer: 1, LayerCount: 2}, DstOffset: off(2, 0, 0)}}))
	l := dst.Level(0, 0, 2)
	if got, want := l.Data[l.Offset(3, 1, 0, 0)], byte(3*16+2*4+2+1); got != want {
		t.Errorf("texel %d, want %d", got, want)
	}
	wantVUID(t, CopyImage(ctx, dst, src, []vk.ImageCopy{{SrcSubresource: one(color), Extent: ext(1, 1, 3),
		DstSubresource: vk.ImageSubresourceLayers{AspectMask: color, LayerCount: 2}}}), "vkCmdCopyImage-srcImage-08793")
	wantVUID(t, CopyImage(ctx, dst, src, []vk.ImageCopy{{SrcSubresource: one(color), SrcOffset: off(0, 3, 0), Extent: ext(1, 2, 1),
		DstSubresource: one(color)}}), "vkCmdCopyImage-srcOffset-00145")

	a, b := image2D(t, vk.FormatD32SfloatS8Uint, 3, 3), image2D(t, vk.FormatD32SfloatS8Uint, 3, 3)
	copy(a.Data, count(len(a.Data)))
	ok(t, CopyImage(ctx, b, a, []vk.ImageCopy{{SrcSubresource: one(stencil), DstSubresource: one(stencil), Extent: ext(3, 3, 1)}}))
	if s, d := b.Level(1, 0, 0), b.Level(0, 0, 0); s.Data[8] == 0 || d.Data[0] != 0 {
		t.Error("stencil alone was not what was copied")
	}
	ok(t, CopyImage(ctx, b, a, []vk.ImageCopy{{SrcSubresource: one(stencil | depth), DstSubresource: one(stencil | depth), Extent: ext(3, 3, 1)}}))
	la, lb := a.Level(0, 0, 0), b.Level(0, 0, 0)
	if !bytes.Equal(la.Data, lb.Data) {
		t.Error("depth differs")
	}
	wantVUID(t, CopyImage(ctx, b, dst, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(depth), Extent: ext(1, 1, 1)}}), "vkCmdCopyImage-srcImage-01551")
	wantVUID(t, CopyImage(ctx, image2D(t, vk.FormatR8G8Unorm, 4, 4), dst, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(1, 1, 1)}}), "vkCmdCopyImage-srcImage-01548")
}

// blitAll scales the whole of src onto the whole of dst.
func blitAll(t *testing.T, dst, src *resource.Image, f vk.Filter, flip bool) {
	t.Helper()
	end := func(im *resource.Image) vk.Offset3D {
		return off(int32(im.Extent.Width), int32(im.Extent.Height), int32(im.Extent.Depth))
	}
	r := vk.ImageBlit{SrcSubresource: one(color), DstSubresource: one(color), SrcOffsets: [2]vk.Offset3D{{}, end(src)}, DstOffsets: [2]vk.Offset3D{{}, end(dst)}}
	if flip {
		r.DstOffsets[0].X, r.DstOffsets[1].X = r.DstOffsets[1].X, r.DstOffsets[0].X
	}
	ok(t, BlitImage(ctx, dst, src, []vk.ImageBlit{r}, f))
}

func TestClearColor_64BitComponents_TwoWordsEach(t *testing.T) {
	value := vk.ClearColorValue{Uint32: [4]uint32{1, 2, 3, 4}, Int32: [4]int32{1, 2, 3, 4}}
	for f, want := range map[vk.Format][]byte{
		vk.FormatR64Uint:       {1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0},
		vk.FormatR64G64Sint:    {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1},
		vk.FormatR64G64B64Uint: {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
	} {
		im := image2D(t, f, 2, 1)
		all := []vk.ImageSubresourceRange{{AspectMask: color, LevelCount: 1, LayerCount: 1}}
		ok(t, ClearColorImage(ctx, im, ColorTexel(im.Info, value), all))
		if got := im.Data[:len(want)]; !bytes.Equal(got, want) {
			t.Errorf("%v: %v, want %v", f, got, want)
		}
	}
}

func TestBlitImage_ScaleFlipConvert(t *testing.T) {
	src := image2D(t, vk.FormatR8Unorm, 4, 2)
	copy(src.Data, []byte{0, 100, 200, 50, 20, 120, 220, 70})
	for name, c := range map[string]struct {
		w, h   uint32
		filter vk.Filter
		flip   bool
		want   []byte
	}{
		"same":           {4, 2, vk.FilterLinear, false, []byte{0, 100, 200, 50, 20, 120, 220, 70}},
		"flip":           {4, 2, vk.FilterNearest, true, []byte{50, 200, 100, 0, 70, 220, 120, 20}},
		"half":           {2, 1, vk.FilterLinear, false, []byte{60, 135}},
		"half NEAREST":   {2, 1, vk.FilterNearest, false, []byte{120, 70}},
		"double NEAREST": {8, 2, vk.FilterNearest, false, []byte{0, 0, 100, 100, 200, 200, 50, 50, 20, 20, 120, 120, 220, 220, 70, 70}},
		"double":         {8, 1, vk.FilterLinear, false, []byte{10, 35, 85, 135, 185, 172, 98, 60}}, // 172.5 to even, 97.5 to even
	} {
		dst := image2D(t, vk.FormatR8Unorm, c.w, c.h)
		blitAll(t, dst, src, c.filter, c.flip)
		if !bytes.Equal(dst.Data[:len(c.want)], c.want) {
			t.Errorf("%s: got %v, want %v", name, dst.Data[:len(c.want)], c.want)
		}
	}
}

// Scaled formats are blitted as the floats that they read as: clamped to the range of the destination, to the nearest, ties to even.
func TestBlitImage_Scaled(t *testing.T) {
	rules.Covers(t, "IMG-380")
	src := image2D(t, vk.FormatR16Sscaled, 6, 1)
	for i, x := range []int16{-200, -3, 2, 5, 127, 32767} {
		binary.LittleEndian.PutUint16(src.Data[2*i:], uint16(x))
	}
	for f, want := range map[vk.Format][]byte{
		vk.FormatR8Uscaled: {0, 0, 2, 5, 127, 255}, vk.FormatR8Sscaled: {128, 253, 2, 5, 127, 127}, vk.FormatR8Unorm: {0, 0, 255, 255, 255, 255},
	} {
		dst := image2D(t, f, 6, 1)
		blitAll(t, dst, src, vk.FilterNearest, false)
		if !bytes.Equal(dst.Data[:6], want) {
			t.Errorf("%v: %v, want %v", f, dst.Data[:6], want)
		}
	}
	half := image2D(t, vk.FormatR8Sscaled, 3, 1)
	blitAll(t, half, src, vk.FilterLinear, false) // -101.5, 3.5 and 16447
	if want := []byte{154, 4, 127}; !bytes.Equal(half.Data[:3], want) {
		t.Errorf("half as large: %v, want %v", half.Data[:3], want)
	}
	all := []vk.ImageSubresourceRange{{AspectMask: color, LevelCount: 1, LayerCount: 1}}
	ok(t, ClearColorImage(ctx, half, ColorTexel(half.Info, vk.ClearColorValue{Float32: [4]float32{-7.5}}), all))
	if want := []byte{248, 248, 248}; !bytes.Equal(half.Data[:3], want) { // -8
		t.Errorf("cleared: %v, want %v", half.Data[:3], want)
	}
}

// A colour for a scaled format is floats; where all of its bits are integers in range, which no float but zero is that anyone means, it is these.
func TestColorTexel_IntegersForScaledFormats(t *testing.T) {
	bits := func(v ...int32) (f [4]float32) {
		for c, x := range v {
			f[c] = math.Float32frombits(uint32(x))
		}
		return f
	}
	for _, c := range []struct {
		f     vk.Format
		color [4]float32
		want  []byte
	}{
		{vk.FormatR8G8B8A8Uscaled, bits(0, 1, 200, 255), []byte{0, 1, 200, 255}},
		{vk.FormatR8G8B8A8Sscaled, bits(-1, -128, 127, 0), []byte{255, 128, 127, 0}},
		{vk.FormatR16G16Sscaled, bits(-32768, 300, 1<<30, -1<<31), []byte{0, 128, 44, 1}}, // blue and alpha are not there
		{vk.FormatA2R10G10B10UscaledPack32, bits(1023, 2, 1, 3), []byte{1, 8, 0xF0, 0xFF}},
		{vk.FormatR8G8B8A8Uscaled, [4]float32{0, 1, 200, 255}, []byte{0, 1, 200, 255}},
		{vk.FormatR8G8B8A8Uscaled, [4]float32{3, math.Float32frombits(7), 0, 0}, []byte{3, 0, 0, 0}},                     // one float
		{vk.FormatR8G8B8A8Uscaled, bits(256, 7, 0, 0), []byte{0, 0, 0, 0}},                                               // out of range: denormals
		{vk.FormatR8G8B8A8Sscaled, bits(-129, 7, 0, 0), []byte{0, 0, 0, 0}},                                              // a NaN and a denormal
		{vk.FormatR8G8B8A8Unorm, bits(1, 7, 0, 255), []byte{0, 0, 0, 0}},                                                 // not scaled
		{vk.FormatR16Sfloat, bits(255, 0, 0, 0), []byte{0, 0}},                                                           // not scaled
		{vk.FormatR8G8B8A8Sscaled, [4]float32{-0.5, -1.5, 1000, math.Float32frombits(1 << 31)}, []byte{0, 0xFE, 127, 0}}, // -0 is no integer in range
	} {
		im := image2D(t, c.f, 1, 1)
		ok(t, ClearColorImage(ctx, im, ColorTexel(im.Info, vk.ClearColorValue{Float32: c.color}), []vk.ImageSubresourceRange{{AspectMask: color, LevelCount: 1, LayerCount: 1}}))
		if got := im.Data[:len(c.want)]; !bytes.Equal(got, c.want) {
			t.Errorf("%v, %v: %v, want %v", c.f, c.color, got, c.want)
		}
	}
}

// Components of 64 bits are blitted to narrower ones: floats rounded to 32 bits first, integers that are too large as the largest.
func TestBlitImage_Wide(t *testing.T) {
	src := image2D(t, vk.FormatR64Sfloat, 4, 1)
	for i, x := range []float64{0.25, 1 + 0x1p-25, -3, 1e300} {
		binary.LittleEndian.PutUint64(src.Data[8*i:], math.Float64bits(x))
	}
	check := func(dst, src *resource.Image, filter vk.Filter, want ...uint32) {
		t.Helper()
		blitAll(t, dst, src, filter, false)
		for i, w := range want {
			if got := binary.LittleEndian.Uint32(dst.Data[4*i:]); got != w {
				t.Errorf("%v to %v: texel %d is %#x, want %#x", src.Format, dst.Format, i, got, w)
			}
		}
	}
	f := math.Float32bits
	check(image2D(t, vk.FormatR32Sfloat, 4, 1), src, vk.FilterNearest, f(0.25), f(1), f(-3), 0x7F800000)
	check(image2D(t, vk.FormatR32Sfloat, 2, 1), src, vk.FilterLinear, f(0.625), 0x7F800000)
	src = image2D(t, vk.FormatR64Sint, 3, 1)
	for i, x := range []int64{-5, math.MinInt64, 1 << 40} {
		binary.LittleEndian.PutUint64(src.Data[8*i:], uint64(x))
	}
	check(image2D(t, vk.FormatR32Sint, 3, 1), src, vk.FilterNearest, 0xFFFFFFFB, 0x80000000, 0x7FFFFFFF)
	check(image2D(t, vk.FormatR8G8B8A8Sint, 3, 1), src, vk.FilterNearest, 0x010000FB, 0x01000080, 0x0100007F)
}

// Colours are blitted to a shared exponent, which no attachment has: the largest decides it.
func TestBlitImage_SharedExponent(t *testing.T) {
	rules.Covers(t, "IMG-380")
	src, dst := image2D(t, vk.FormatR32G32B32A32Sfloat, 1, 1), image2D(t, vk.FormatE5B9G9R9UfloatPack32, 1, 1)
	for i, x := range []float32{0.5, 1, 256, 9} {
		binary.LittleEndian.PutUint32(src.Data[4*i:], math.Float32bits(x))
	}
	blitAll(t, dst, src, vk.FilterNearest, false)
	// The exponent of 256 is 24, that of steps of 1 (2^(24−15−9)); red is ⌊0.5 + 0.5⌋ of these.
	if got, want := binary.LittleEndian.Uint32(dst.Data), uint32(24)<<27|256<<18|1<<9|1; got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
}

// IMG-250: sRGB codes 64 and 192 meet in the middle at linear 0.28919229.
func TestBlitImage_SRGBIsFilteredInLinearSpace(t *testing.T) {
	src, dst := image2D(t, vk.FormatR8G8B8A8Srgb, 2, 1), image2D(t, vk.FormatB8G8R8A8Srgb, 1, 1)
	copy(src.Data, []byte{64, 64, 0, 0, 192, 192, 0, 255})
	blitAll(t, dst, src, vk.FilterLinear, false)
	if got := dst.Data[:4]; !bytes.Equal(got, []byte{0, 146, 146, 128}) {
		t.Errorf("got %v", got)
	}
	lin := image2D(t, vk.FormatR32G32B32A32Sfloat, 1, 1)
	blitAll(t, lin, src, vk.FilterLinear, false)
	if f := math.Float32frombits(lin.Info.Decode(lin.Data)[0]); math.Abs(float64(f)-0.28919229) > 1e-7 {
		t.Errorf("linear %v", f)
	}
}

// IMG-886: four texels 0, 1, 1, 1 to one, in the middle of the second and third (α = ½):
// 1 less the first weight of IMG-541.
func TestBlitImage_CubicWeights(t *testing.T) {
	rules.Covers(t, "IMG-886")
	src, dst := image2D(t, vk.FormatR32Sfloat, 4, 1), image2D(t, vk.FormatR32Sfloat, 1, 1)
	for i := 1; i < 4; i++ {
		binary.LittleEndian.PutUint32(src.Data[4*i:], math.Float32bits(1))
	}
	region := []vk.ImageBlit{{SrcSubresource: one(color), DstSubresource: one(color), SrcOffsets: [2]vk.Offset3D{{}, off(4, 1, 1)}, DstOffsets: [2]vk.Offset3D{{}, off(1, 1, 1)}}}
	check := func(name string, err error, want float32) {
		ok(t, err)
		if got := math.Float32frombits(binary.LittleEndian.Uint32(dst.Data)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	check("no weights", BlitImage(ctx, dst, src, region, vk.FilterCubicEXT), 1+1./16)
	for weights, want := range map[vk.CubicFilterWeightsQCOM]float32{
		vk.CubicFilterWeightsCatmullRomQCOM:          1 + 1./16,
		vk.CubicFilterWeightsZeroTangentCardinalQCOM: 1 + 1./8,
		vk.CubicFilterWeightsBSplineQCOM:             47. / 48,
		vk.CubicFilterWeightsMitchellNetravaliQCOM:   149. / 144,
	} {
		check(weights.String(), BlitImageWeights(ctx, dst, src, region, vk.FilterCubicEXT, weights), want)
	}
	if err := BlitImage(ctx, dst, src, []vk.ImageBlit{{SrcSubresource: one(color)}}, vk.FilterCubicEXT); err == nil {
		t.Error("a region of two aspects")
	}
	for _, weights := range []vk.CubicFilterWeightsQCOM{-1, 4} {
		if err := BlitImageWeights(ctx, dst, src, region, vk.FilterCubicEXT, weights); err == nil || !strings.Contains(err.Error(), "cubicWeights") {
			t.Errorf("weights %d: %v", weights, err)
		}
	}
}

func TestBlitImage_VolumeAndRules(t *testing.T) {
	src := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: ext(2, 2, 2)})
	copy(src.Data, []byte{0, 8, 16, 24, 32, 40, 48, 56})
	dst := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: ext(1, 1, 1)})
	blitAll(t, dst, src, vk.FilterLinear, false)
	if dst.Data[0] != 28 {
		t.Errorf("mean of the volume %d, want 28", dst.Data[0])
	}
	r := vk.ImageBlit{SrcSubresource: one(color), DstSubresource: one(color), SrcOffsets: [2]vk.Offset3D{{}, off(3, 1, 1)}, DstOffsets: [2]vk.Offset3D{{}, off(1, 1, 1)}}
	wantVUID(t, BlitImage(ctx, dst, src, []vk.ImageBlit{r}, vk.FilterLinear), "vkCmdBlitImage-srcOffset-00243")
	i := image2D(t, vk.FormatR8Uint, 2, 2)
	wantVUID(t, BlitImage(ctx, i, src, nil, vk.FilterNearest), "vkCmdBlitImage-srcImage-00230")
	wantVUID(t, BlitImage(ctx, i, i, nil, vk.FilterLinear), "vkCmdBlitImage-filter-02001")
	d := image2D(t, vk.FormatD32Sfloat, 2, 2)
	wantVUID(t, BlitImage(ctx, d, d, nil, vk.FilterLinear), "vkCmdBlitImage-srcImage-00232")
}

func multisampled(t *testing.T, f vk.Format, samples int, data ...byte) *resource.Image {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: ext(1, 1, 1), Samples: samples})
	copy(im.Data, data)
	return im
}

func TestResolveImage_RAS351to356(t *testing.T) {
	rules.Covers(t, "RAS-351", "RAS-352", "RAS-353")
	srgb := []byte{0, 0, 0, 0, 255, 255, 255, 255}
	for name, c := range map[string]struct {
		f    vk.Format
		mode vk.ResolveModeFlags
		src  []byte
		want byte
	}{
		"RAS-353 sRGB":      {vk.FormatR8G8B8A8Srgb, vk.ResolveModeAverageBit, srgb, 188},
		"default":           {vk.FormatR8Unorm, vk.ResolveModeNone, []byte{10, 20, 30, 40}, 25},
		"sample 0":          {vk.FormatR8Unorm, vk.ResolveModeSampleZeroBit, []byte{10, 20, 30, 40}, 10},
		"min":               {vk.FormatR8Unorm, vk.ResolveModeMinBit, []byte{30, 20, 10, 40}, 10},
		"max":               {vk.FormatR8Unorm, vk.ResolveModeMaxBit, []byte{30, 20, 40, 10}, 40},
		"RAS-352 integer":   {vk.FormatR8Uint, vk.ResolveModeNone, []byte{7, 200, 0, 9}, 7},
		"integer max":       {vk.FormatR8Uint, vk.ResolveModeMaxBit, []byte{7, 200, 0, 9}, 200},
		"signed min":        {vk.FormatR8Sint, vk.ResolveModeMinBit, []byte{7, 200, 0, 9}, 200},
		"all samples equal": {vk.FormatR8Unorm, vk.ResolveModeAverageBit, []byte{77, 77, 77, 77}, 77},
	} {
		t.Run(name, func(t *testing.T) {
			n := 4
			if c.f == vk.FormatR8G8B8A8Srgb {
				n = 2
			}
			src, dst := multisampled(t, c.f, n, c.src...), image2D(t, c.f, 1, 1)
			r := []vk.ImageResolve{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(1, 1, 1)}}
			ok(t, ResolveImage(ctx, dst, src, r, c.mode, vk.ResolveModeNone, 0))
			if dst.Data[0] != c.want {
				t.Errorf("got %d, want %d", dst.Data[0], c.want)
			}
		})
	}
	r := []vk.ImageResolve{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(1, 1, 1)}}
	u := image2D(t, vk.FormatR8Uint, 1, 1)
	wantVUID(t, ResolveImage(ctx, u, multisampled(t, vk.FormatR8Uint, 4), r, vk.ResolveModeAverageBit, vk.ResolveModeNone, 0), "VkResolveImageModeInfoKHR-resolveMode-parameter")
	wantVUID(t, ResolveImage(ctx, u, u, r, vk.ResolveModeNone, vk.ResolveModeNone, 0), "vkCmdResolveImage-srcImage-00257")
}

// With and without the transfer function: codes 10 to 40 have the mean 25, and 0 and 200 of alpha 100 either way;
// the values of 0 and 200 have the mean 0.2888 (200 stands for 0.5776), whose code is 146 (146.3).
func TestResolveImage_RAS353_TransferFunction(t *testing.T) {
	rules.Covers(t, "RAS-353")
	const skip, apply = vk.ResolveImageSkipTransferFunctionBitKHR, vk.ResolveImageEnableTransferFunctionBitKHR
	for _, c := range []struct {
		f     vk.Format
		mode  vk.ResolveModeFlags
		flags vk.ResolveImageFlagsKHR
		src   []byte
		want  []byte
	}{
		{vk.FormatR8Srgb, vk.ResolveModeAverageBit, skip, []byte{10, 20, 30, 40}, []byte{25}},
		{vk.FormatR8G8B8A8Srgb, vk.ResolveModeNone, skip, []byte{0, 200, 10, 0, 200, 0, 20, 200}, []byte{100, 100, 15, 100}},
		{vk.FormatR8G8B8A8Srgb, vk.ResolveModeNone, apply, []byte{0, 200, 0, 0, 200, 0, 0, 200}, []byte{146, 146, 0, 100}},
		{vk.FormatR8G8B8A8Srgb, vk.ResolveModeNone, 0, []byte{0, 200, 0, 0, 200, 0, 0, 200}, []byte{146, 146, 0, 100}},
		{vk.FormatR8G8B8A8Srgb, vk.ResolveModeMaxBit, skip, []byte{0, 200, 0, 7, 200, 0, 0, 0}, []byte{200, 200, 0, 7}},
		{vk.FormatR8Unorm, vk.ResolveModeAverageBit, skip, []byte{10, 20, 30, 40}, []byte{25}},
	} {
		src, dst := multisampled(t, c.f, len(c.src)/len(c.want), c.src...), image2D(t, c.f, 1, 1)
		r := []vk.ImageResolve{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(1, 1, 1)}}
		ok(t, ResolveImage(ctx, dst, src, r, c.mode, vk.ResolveModeNone, c.flags))
		if got := dst.Data[:len(c.want)]; !bytes.Equal(got, c.want) {
			t.Errorf("%v by %v, flags %v: %d, want %d", c.f, c.mode, c.flags, got, c.want)
		}
	}
}

// Depth and stencil resolve by modes of their own (VkResolveImageModeInfoKHR), and by sample 0 where none is named.
func TestResolveImage_RAS354_DepthAndStencil(t *testing.T) {
	rules.Covers(t, "RAS-354", "RAS-351")
	f := vk.FormatD16UnormS8Uint
	src, dst := multisampled(t, f, 4), image2D(t, f, 1, 1)
	put := func(im *resource.Image, aspect vk.ImageAspectFlags, b []byte) {
		l := im.Level(im.PlaneOf(aspect), 0, 0)
		copy(l.Data, b)
	}
	put(src, depth, []byte{8, 0, 2, 0, 4, 0, 6, 0})
	put(src, stencil, []byte{30, 10, 40, 20})
	get := func() [2]byte {
		d, s := dst.Level(dst.PlaneOf(depth), 0, 0), dst.Level(dst.PlaneOf(stencil), 0, 0)
		return [2]byte{d.Data[0], s.Data[0]}
	}
	const zero, mean, least, greatest, none = vk.ResolveModeSampleZeroBit, vk.ResolveModeAverageBit, vk.ResolveModeMinBit, vk.ResolveModeMaxBit, vk.ResolveModeNone
	for _, c := range []struct {
		aspects       vk.ImageAspectFlags
		mode, stencil vk.ResolveModeFlags
		want          [2]byte
	}{
		{depth | stencil, none, none, [2]byte{8, 30}}, {depth | stencil, least, greatest, [2]byte{2, 40}}, {depth | stencil, greatest, least, [2]byte{8, 10}},
		{depth | stencil, mean, zero, [2]byte{5, 30}}, {depth, least, greatest, [2]byte{2, 99}}, {stencil, least, greatest, [2]byte{99, 40}},
	} {
		put(dst, depth, []byte{99, 0})
		put(dst, stencil, []byte{99})
		ok(t, ResolveImage(ctx, dst, src, []vk.ImageResolve{{SrcSubresource: one(c.aspects), DstSubresource: one(c.aspects), Extent: ext(1, 1, 1)}}, c.mode, c.stencil, 0))
		if got := get(); got != c.want {
			t.Errorf("aspects %v by %v and %v: %v, want %v", c.aspects, c.mode, c.stencil, got, c.want)
		}
	}
	both := []vk.ImageResolve{{SrcSubresource: one(depth | stencil), DstSubresource: one(depth | stencil), Extent: ext(1, 1, 1)}}
	wantVUID(t, ResolveImage(ctx, dst, src, both, mean, mean, 0), "VkResolveImageModeInfoKHR-stencilResolveMode-parameter")
	wantVUID(t, ResolveImage(ctx, dst, src, both, mean, 99, 0), "VkResolveImageModeInfoKHR-stencilResolveMode-parameter")
}

func TestClears(t *testing.T) {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Srgb, Extent: ext(5, 3, 1), MipLevels: 2, ArrayLayers: 2})
	white := ColorTexel(im.Info, vk.ClearColorValue{Float32: [4]float32{1, 0.5, 0, 1}})
	ok(t, ClearColorImage(ctx, im, white, []vk.ImageSubresourceRange{{AspectMask: color, BaseMipLevel: 1, LevelCount: vk.RemainingMipLevels, BaseArrayLayer: 1, LayerCount: 1}}))
	l := im.Level(0, 1, 1)
	if got := l.Data[len(l.Data)-4:]; !bytes.Equal(got, []byte{255, 188, 0, 255}) {
		t.Errorf("cleared to %v", got)
	}
	if bytes.Count(im.Data, []byte{0}) != len(im.Data)-3*2 {
		t.Error("other subresources changed")
	}
	wantVUID(t, ClearColorImage(ctx, im, white, []vk.ImageSubresourceRange{{AspectMask: color, BaseMipLevel: 1, LevelCount: 2, LayerCount: 1}}), "vkCmdClearColorImage-pRanges-01692")

	ds := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD16UnormS8Uint, Extent: ext(4, 4, 1), ArrayLayers: 2})
	ok(t, ClearDepthStencilImage(ctx, ds, 1, 0x1FF, []vk.ImageSubresourceRange{{AspectMask: depth | stencil, LevelCount: 1, LayerCount: 2}}))
	d, s := ds.Level(0, 0, 1), ds.Level(1, 0, 1)
	if d.Data[31] != 0xFF || s.Data[15] != 0xFF {
		t.Errorf("depth %v stencil %v", d.Data, s.Data)
	}
	v, err := resource.NewView(ds, resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseArrayLayer: 1}})
	ok(t, err)
	rect := vk.ClearRect{Rect: vk.Rect2D{Offset: vk.Offset2D{X: 1, Y: 2}, Extent: vk.Extent2D{Width: 2, Height: 1}}, LayerCount: 1}
	ok(t, ClearAttachment(v, stencil, vk.ClearValue{DepthStencil: vk.ClearDepthStencilValue{Stencil: 3}}, []vk.ClearRect{rect}))
	if bytes.Count(s.Data, []byte{3}) != 2 || s.Data[9] != 3 || d.Data[19] != 0xFF {
		t.Errorf("stencil %v", s.Data)
	}
	rect.Rect.Extent.Width = 4
	wantVUID(t, ClearAttachment(v, stencil, vk.ClearValue{}, []vk.ClearRect{rect}), "vkCmdClearAttachments-pRects-00016")
}

// One aspect goes to another whose texels have its size.
func TestCopyImage_ColorToStencilAndBack(t *testing.T) {
	c, ds := image2D(t, vk.FormatR8Uint, 3, 3), image2D(t, vk.FormatD32SfloatS8Uint, 3, 3)
	copy(c.Data, count(len(c.Data)))
	ok(t, CopyImage(ctx, ds, c, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(stencil), Extent: ext(3, 3, 1)}}))
	if s, d, from := ds.Level(1, 0, 0), ds.Level(0, 0, 0), c.Level(0, 0, 0); s.Data[s.Offset(1, 0, 0, 0)] != from.Data[from.Offset(1, 0, 0, 0)] || d.Data[0] != 0 {
		t.Error("colour did not go to stencil, or to depth too")
	}
	back := image2D(t, vk.FormatR8Uint, 3, 3)
	ok(t, CopyImage(ctx, back, ds, []vk.ImageCopy{{SrcSubresource: one(stencil), DstSubresource: one(color), Extent: ext(3, 3, 1)}}))
	if !bytes.Equal(back.Level(0, 0, 0).Data, c.Level(0, 0, 0).Data) {
		t.Error("stencil did not go back to colour")
	}
	wantVUID(t, CopyImage(ctx, ds, c, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(depth | stencil), Extent: ext(1, 1, 1)}}), "vkCmdCopyImage-srcImage-01551")
}

// Copies take the bits of all samples, whatever formats of one size they are between.
func TestCopyImage_AllSamplesOfAllFormats(t *testing.T) {
	formats := []vk.Format{
		vk.FormatR8Sint, vk.FormatR8Unorm, vk.FormatR8Uint, vk.FormatR8Snorm,
		vk.FormatR16Sint, vk.FormatR8G8Sint, vk.FormatR16Sfloat, vk.FormatR8G8Unorm,
		vk.FormatR8G8B8A8Sint, vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Srgb, vk.FormatR32Sint, vk.FormatR32Sfloat, vk.FormatR16G16Sint, vk.FormatA2B10G10R10UintPack32,
		vk.FormatR16G16B16A16Sint, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32Sint, vk.FormatR32G32Uint,
		vk.FormatR32G32B32A32Sint, vk.FormatR32G32B32A32Uint, vk.FormatR32G32B32A32Sfloat,
	}
	for _, samples := range []int{2, 4, 8, 16} {
		for _, from := range formats {
			for _, to := range formats {
				image := func(f vk.Format) *resource.Image {
					return newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: ext(5, 4, 1), Samples: samples})
				}
				src, dst := image(from), image(to)
				if src.Info.BlockBytes != dst.Info.BlockBytes {
					continue
				}
				copy(src.Data, count(len(src.Data)))
				ok(t, CopyImage(ctx, dst, src, []vk.ImageCopy{{SrcSubresource: one(color), DstSubresource: one(color), SrcOffset: off(2, 1, 0), DstOffset: off(0, 2, 0), Extent: ext(3, 2, 1)}}))
				a, b := src.Level(0, 0, 0), dst.Level(0, 0, 0)
				for y := range 4 {
					for x := range 5 {
						got, want := b.Row(x, y, 0, 1), bytes.Repeat([]byte{0}, b.TexelPitch)
						if y >= 2 && x < 3 {
							want = a.Row(x+2, y-1, 0, 1)
						}
						if !bytes.Equal(got, want) || len(got) != samples*src.Info.BlockBytes {
							t.Fatalf("%v to %v, %d samples: texel %d,%d is %x, want %x", from, to, samples, x, y, got, want)
						}
					}
				}
			}
		}
	}
}

// A rectangle is cleared and nothing else, as wide as the image or as a column of blocks of a sparse
// one, in every slice.
func TestClears_WholeRows(t *testing.T) {
	value := vk.ClearValue{Color: vk.ClearColorValue{Uint32: [4]uint32{0xA1, 0xB2, 0xC3, 0xD4}}}
	for _, c := range []struct {
		desc       resource.ImageDesc
		x, y, w, h int
	}{
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: ext(300, 200, 1)}, 0, 3, 300, 150},
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: ext(300, 200, 1)}, 7, 0, 293, 200},
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: ext(300, 200, 1), Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}, 64, 100, 128, 90},
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: ext(300, 200, 1), Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}, 128, 100, 128, 90},
	} {
		c.desc.Format = vk.FormatR8G8B8A8Uint
		im := newImage(t, c.desc)
		v, err := resource.NewView(im, resource.ViewDesc{})
		ok(t, err)
		rect := vk.Rect2D{Offset: vk.Offset2D{X: int32(c.x), Y: int32(c.y)}, Extent: vk.Extent2D{Width: uint32(c.w), Height: uint32(c.h)}}
		ok(t, ClearAttachment(v, color, value, []vk.ClearRect{{Rect: rect, LayerCount: 1}}))
		l := im.Level(0, 0, 0)
		for y := range l.Height {
			for x := range l.Width {
				inside := x >= c.x && x < c.x+c.w && y >= c.y && y < c.y+c.h
				if got := l.Row(x, y, 0, 1); inside != bytes.Equal(got, []byte{0xA1, 0xB2, 0xC3, 0xD4}) || !inside && !bytes.Equal(got, make([]byte, 4)) {
					t.Fatalf("%+v: texel %d,%d is %x", c, x, y, got)
				}
			}
		}
	}
	volume := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8G8B8A8Uint, Extent: ext(9, 5, 4)})
	ok(t, ClearColorImage(ctx, volume, [4]uint32{5, 5, 5, 5}, []vk.ImageSubresourceRange{{AspectMask: color, LevelCount: 1, LayerCount: 1}}))
	if n := bytes.Count(volume.Data, []byte{5}); n != 9*5*4*4 {
		t.Errorf("%d bytes of a volume are cleared, of %d", n, 9*5*4*4)
	}
}
