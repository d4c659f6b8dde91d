package resource

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

func mustImage(t *testing.T, d ImageDesc) *Image {
	t.Helper()
	im, err := NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	return im
}

func extent(w, h, d uint32) vk.Extent3D { return vk.Extent3D{Width: w, Height: h, Depth: d} }

// wantVUID checks that err is a UsageError of one rule.
func wantVUID(t *testing.T, name string, err error, vuid string) {
	t.Helper()
	var u *UsageError
	if !errors.As(err, &u) || u.VUID != vuid {
		t.Errorf("%s: got %v, want VUID-%s", name, err, vuid)
	}
}

// IMG-040: 13×5 has levels 13×5, 6×2, 3×1, 1×1.
func TestLayout_IMG040_MipChain(t *testing.T) {
	rules.Covers(t, "IMG-040")
	im := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(13, 5, 1), MipLevels: 4})
	want := [][2]int{{13, 5}, {6, 2}, {3, 1}, {1, 1}}
	for i, w := range want {
		if l := im.Level(0, i, 0); l.Width != w[0] || l.Height != w[1] || len(l.Data) != w[0]*w[1]*4 {
			t.Errorf("level %d is %dx%d, %d bytes", i, l.Width, l.Height, len(l.Data))
		}
	}
	_, err := NewImage(ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(13, 5, 1), MipLevels: 5})
	wantVUID(t, "five levels", err, "VkImageCreateInfo-mipLevels-00958")
}

// IMG-041: sizes are halved upwards, to two; the rules of corner-sampled images.
func TestLayout_IMG041_CornerSampled(t *testing.T) {
	rules.Covers(t, "IMG-041", "IMG-154")
	d := ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(13, 5, 1), MipLevels: 4, Flags: vk.ImageCreateCornerSampledBitNV}
	im := mustImage(t, d)
	for i, w := range [][2]int{{13, 5}, {7, 3}, {4, 2}, {2, 2}} {
		if l := im.Level(0, i, 0); l.Width != w[0] || l.Height != w[1] || l.Depth != 1 {
			t.Errorf("level %d is %dx%dx%d, want %v", i, l.Width, l.Height, l.Depth, w)
		}
	}
	with := func(f func(*ImageDesc)) error { d := d; f(&d); _, err := NewImage(d); return err }
	wantVUID(t, "five levels", with(func(d *ImageDesc) { d.MipLevels = 5 }), "VkImageCreateInfo-mipLevels-00958")
	wantVUID(t, "1D", with(func(d *ImageDesc) { d.Type, d.Extent.Height = vk.ImageType1D, 1 }), "VkImageCreateInfo-flags-02050")
	wantVUID(t, "cube", with(func(d *ImageDesc) {
		d.Flags, d.ArrayLayers, d.Extent = d.Flags|vk.ImageCreateCubeCompatibleBit, 6, extent(9, 9, 1)
	}), "VkImageCreateInfo-flags-02051")
	wantVUID(t, "levels of a power of two", with(func(d *ImageDesc) { d.Extent, d.MipLevels = extent(16, 8, 1), 5 }), "VkImageCreateInfo-mipLevels-00958")
	if err := with(func(d *ImageDesc) { d.Extent = extent(16, 8, 1) }); err != nil {
		t.Errorf("16×8, four levels: %v", err)
	}
	wantVUID(t, "a column", with(func(d *ImageDesc) { d.Extent.Width, d.MipLevels = 1, 3 }), "VkImageCreateInfo-flags-02052")
	wantVUID(t, "a row", with(func(d *ImageDesc) { d.Extent.Height = 1 }), "VkImageCreateInfo-flags-02052")
	wantVUID(t, "a slice", with(func(d *ImageDesc) { d.Type = vk.ImageType3D }), "VkImageCreateInfo-flags-02053")
	wantVUID(t, "depth", with(func(d *ImageDesc) { d.Format = vk.FormatD16Unorm }), "VkImageCreateInfo-flags-02050")
}

// Every texel sample of every subresource has bytes of its own inside Data.
func TestLayout_NoOverlap(t *testing.T) {
	rules.Covers(t, "IMG-046", "IMG-048")
	for name, d := range map[string]ImageDesc{
		"2D array": {Type: vk.ImageType2D, Format: vk.FormatR8G8Unorm, Extent: extent(7, 5, 1), MipLevels: 3, ArrayLayers: 3},
		"3D":       {Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: extent(5, 4, 3), MipLevels: 3},
		"MS":       {Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(3, 3, 1), Samples: 4, ArrayLayers: 2},
		"D16S8 3D": {Type: vk.ImageType3D, Format: vk.FormatD16UnormS8Uint, Extent: extent(5, 4, 3), MipLevels: 3},
		"D32S8":    {Type: vk.ImageType2D, Format: vk.FormatD32SfloatS8Uint, Extent: extent(5, 3, 1), Samples: 2},
		"1D array": {Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(9, 1, 1), MipLevels: 4, ArrayLayers: 2},
	} {
		t.Run(name, func(t *testing.T) {
			im := mustImage(t, d)
			for i := range im.Data {
				im.Data[i] = 0
			}
			for p := range im.Layout.Planes {
				for level := range im.MipLevels {
					for layer := range im.ArrayLayers {
						markLevel(t, im.Level(p, level, layer))
					}
				}
			}
		})
	}
}

func markLevel(t *testing.T, l Level) {
	t.Helper()
	for z := range l.Depth {
		for y := range l.Height {
			for x := range l.Width {
				for s := range l.Samples {
					o := l.Offset(x, y, z, s)
					for i := range l.Bytes {
						if l.Data[o+i] != 0 {
							t.Fatalf("texel %d,%d,%d sample %d shares a byte", x, y, z, s)
						}
						l.Data[o+i] = 1
					}
				}
			}
		}
	}
}

// IMG-045: sizes in blocks are rounded up, texels address their block.
func TestLayout_IMG045_Blocks(t *testing.T) {
	rules.Covers(t, "IMG-045")
	// Built by hand: the format table refuses blocks without a decoder.
	im := &Image{ImageDesc: ImageDesc{Type: vk.ImageType2D, Format: vk.FormatBc1RgbUnormBlock, Extent: extent(9, 5, 1), MipLevels: 4,
		ArrayLayers: 1, Samples: 1, Flags: vk.ImageCreateMutableFormatBit | vk.ImageCreateBlockTexelViewCompatibleBit}}
	im.Info, _ = format.Lookup(im.Format)
	var err error
	if im.Layout, err = layoutOf(&im.ImageDesc, im.Info); err != nil {
		t.Fatal(err)
	}
	im.Data = make([]byte, im.Layout.Size)
	for i, blocks := range []int{3 * 2, 1, 1, 1} {
		if l := im.Level(0, i, 0); len(l.Data) != blocks*8 || !l.Compressed() {
			t.Errorf("level %d has %d bytes", i, len(l.Data))
		}
	}
	l := im.Level(0, 0, 0)
	if got := l.Offset(8, 4, 0, 0); got != (1*3+2)*8 {
		t.Errorf("texel (8,4) is at %d", got)
	}
	v, err := NewView(im, ViewDesc{Format: vk.FormatR16G16B16A16Uint, Range: vk.ImageSubresourceRange{LevelCount: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if l := v.Level(0, 0); l.Width != 3 || l.Height != 2 || l.Offset(2, 1, 0, 0) != 40 {
		t.Errorf("blocks as texels: %dx%d", l.Width, l.Height)
	}
	// Of 2D blocks each slice is rows of its own; blocks with depth hold several.
	for f, want := range map[vk.Format]struct{ slice, at, bytes int }{vk.FormatBc1RgbUnormBlock: {2, 2 * 6 * 8, 6 * 8}, vk.FormatAstc3x3x3UnormBlockEXT: {4, 6 * 16, 6 * 16}} {
		im := mustImage(t, ImageDesc{Type: vk.ImageType3D, Format: f, Extent: extent(9, 5, 6)})
		l := im.Level(0, 0, 0)
		if s := l.Slice(want.slice); s.Depth != 1 || s.Width != 9 || s.Height != 5 || len(s.Data) != want.bytes || &s.Data[0] != &l.Data[want.at] {
			t.Errorf("%v, slice %d: %d bytes, %dx%dx%d", f, want.slice, len(s.Data), s.Width, s.Height, s.Depth)
		}
	}
}

func TestNewImage_LimitsAndHostileSizes(t *testing.T) {
	var le *LimitError
	for name, d := range map[string]ImageDesc{
		"width":  {Type: vk.ImageType1D, Format: vk.FormatR8Unorm, Extent: extent(math.MaxUint32, 1, 1)},
		"bytes":  {Type: vk.ImageType3D, Format: vk.FormatR32G32B32A32Sfloat, Extent: extent(MaxExtent, MaxExtent, MaxExtent)},
		"layers": {Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(MaxExtent, MaxExtent, 1), ArrayLayers: MaxExtent},
		"count":  {Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(1, 1, 1), ArrayLayers: math.MaxInt},
	} {
		if _, err := NewImage(d); !errors.As(err, &le) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, err := NewImage(ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm})
	wantVUID(t, "width 0", err, "VkImageCreateInfo-extent-00944")
	_, err = NewImage(ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(4, 4, 1), Samples: 3})
	wantVUID(t, "3 samples", err, "VkImageCreateInfo-samples-parameter")
	_, err = NewImage(ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: extent(4, 4, 4), Flags: vk.ImageCreateAliasSingleLayerDescriptorBitKHR})
	wantVUID(t, "a single layer of slices", err, "VkImageCreateInfo-flags-13356")
}

func TestNewView_Rules(t *testing.T) {
	rules.Covers(t, "IMG-042", "IMG-044", "IMG-158", "IMG-255", "IMG-256")
	im2D := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(8, 8, 1), MipLevels: 4, ArrayLayers: 12,
		Flags: vk.ImageCreateCubeCompatibleBit | vk.ImageCreateMutableFormatBit})
	im3D := mustImage(t, ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: extent(8, 8, 8), MipLevels: 2, Flags: vk.ImageCreate2DArrayCompatibleBit})
	typ := func(t vk.ImageViewType) *vk.ImageViewType { return &t }
	layers := func(base, n uint32) vk.ImageSubresourceRange {
		return vk.ImageSubresourceRange{BaseArrayLayer: base, LayerCount: n}
	}
	for _, c := range []struct {
		name string
		im   *Image
		d    ViewDesc
		vuid string // "" = allowed
	}{
		{"cube", im2D, ViewDesc{Type: typ(vk.ImageViewTypeCube), Range: layers(6, vk.RemainingArrayLayers)}, ""},
		{"cube of 12", im2D, ViewDesc{Type: typ(vk.ImageViewTypeCube)}, "VkImageViewCreateInfo-viewType-02960"},
		{"cube array", im2D, ViewDesc{Type: typ(vk.ImageViewTypeCubeArray)}, ""},
		{"cube array of 8", im2D, ViewDesc{Type: typ(vk.ImageViewTypeCubeArray), Range: layers(0, 8)}, "VkImageViewCreateInfo-viewType-02961"},
		{"2D of 12", im2D, ViewDesc{Type: typ(vk.ImageViewType2D)}, "VkImageViewCreateInfo-imageViewType-04973"},
		{"layers past the end", im2D, ViewDesc{Range: layers(11, 2)}, "VkImageViewCreateInfo-subresourceRange-06725"},
		{"base layer", im2D, ViewDesc{Range: layers(12, 1)}, "VkImageViewCreateInfo-image-06724"},
		{"base level", im2D, ViewDesc{Range: vk.ImageSubresourceRange{BaseMipLevel: 4}}, "VkImageViewCreateInfo-subresourceRange-01478"},
		{"levels", im2D, ViewDesc{Range: vk.ImageSubresourceRange{BaseMipLevel: 3, LevelCount: 2}}, "VkImageViewCreateInfo-subresourceRange-01718"},
		{"3D of 2D", im2D, ViewDesc{Type: typ(vk.ImageViewType3D)}, "VkImageViewCreateInfo-subResourceRange-01021"},
		{"compatible format", im2D, ViewDesc{Format: vk.FormatR32Uint}, ""},
		{"other size", im2D, ViewDesc{Format: vk.FormatR8Unorm}, "VkImageViewCreateInfo-image-01761"},
		{"immutable", im3D, ViewDesc{Format: vk.FormatR8Uint}, "VkImageViewCreateInfo-image-12397"},
		{"slice", im3D, ViewDesc{Type: typ(vk.ImageViewType2D), Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 1, BaseArrayLayer: 3, LayerCount: 1}}, ""},
		{"slice past the level", im3D, ViewDesc{Type: typ(vk.ImageViewType2D), Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 1, BaseArrayLayer: 4, LayerCount: 1}}, "VkImageViewCreateInfo-image-06724"},
		{"stencil of colour", im2D, ViewDesc{Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectStencilBit}}, "VkImageSubresourceRange-aspectMask-parameter"},
		{"minLod", im2D, ViewDesc{MinLod: 3.5}, "VkImageViewMinLodCreateInfoEXT-minLod-06456"},
		{"minLod of the last level", im2D, ViewDesc{MinLod: 3}, ""},
		{"minLod counts from the image's first level", im2D, ViewDesc{MinLod: 2, Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 2}}, ""},
		{"minLod past the view's last level", im2D, ViewDesc{MinLod: 2.5, Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 2}}, "VkImageViewMinLodCreateInfoEXT-minLod-06456"},
		{"minLod below 0", im2D, ViewDesc{MinLod: -1}, "VkImageViewMinLodCreateInfoEXT-minLod-06456"},
		{"minLod NaN", im2D, ViewDesc{MinLod: float32(math.NaN())}, "VkImageViewMinLodCreateInfoEXT-minLod-06456"},
		{"swizzle", im2D, ViewDesc{Components: vk.ComponentMapping{G: 7}}, "VkComponentMapping-r-parameter"},
	} {
		v, err := NewView(c.im, c.d)
		if c.vuid != "" {
			wantVUID(t, c.name, err, c.vuid)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		v.Level(v.Levels-1, v.Layers-1)
	}
	// Blocks as texels: of images that allow it, of one level, in formats of the block's size that are no blocks.
	blocks := func(flags vk.ImageCreateFlags, levels int) *Image {
		return mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatBc1RgbUnormBlock, Extent: extent(8, 8, 1), MipLevels: levels, Flags: vk.ImageCreateMutableFormatBit | flags})
	}
	const texels = vk.ImageCreateBlockTexelViewCompatibleBit
	for _, c := range []struct {
		name string
		im   *Image
		f    vk.Format
		vuid string
	}{
		{"two words", blocks(texels, 1), vk.FormatR32G32Uint, ""},
		{"not asked for", blocks(0, 1), vk.FormatR32G32Uint, "VkImageViewCreateInfo-image-01761"},
		{"other blocks", blocks(texels, 1), vk.FormatBc4UnormBlock, "VkImageViewCreateInfo-image-01761"},
		{"another size", blocks(texels, 1), vk.FormatR32Uint, "VkImageViewCreateInfo-image-01761"},
		{"two levels", blocks(texels, 2), vk.FormatR32G32Uint, "VkImageViewCreateInfo-image-07072"},
		{"no blocks at all", im2D, vk.FormatBc1RgbUnormBlock, "VkImageViewCreateInfo-image-01761"},
	} {
		if _, err := NewView(c.im, ViewDesc{Format: c.f}); c.vuid != "" {
			wantVUID(t, c.name, err, c.vuid)
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := NewView(im2D, ViewDesc{MinLod: 4, Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 2}}); err == nil || !strings.Contains(err.Error(), "minLod 4 lies beyond level 2") {
		t.Errorf("minLod 4: %v", err)
	}
	// Texels of another class, as they are, but not half of a block of two and not what needs a conversion.
	padded := func(f vk.Format) *Image {
		return mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(8, 8, 1), Flags: vk.ImageCreateMutableFormatBit})
	}
	const rgba10, rgba12, rgba16 = vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16, vk.FormatR12X4G12X4B12X4A12X4Unorm4Pack16, vk.FormatR16G16B16A16Unorm
	for _, c := range []struct {
		image, view vk.Format
		vuid        string
	}{
		{rgba10, rgba16, ""}, {rgba12, rgba16, ""}, {rgba16, rgba10, ""}, {vk.FormatA8Unorm, vk.FormatR8Unorm, ""},
		{rgba16, rgba12, "VkImageViewCreateInfo-image-01761"}, {rgba10, vk.FormatR16G16Unorm, "VkImageViewCreateInfo-image-01761"},
		{vk.FormatG8B8G8R8_422Unorm, vk.FormatR8G8B8A8Unorm, "VkImageViewCreateInfo-image-01761"}, {vk.FormatD32Sfloat, vk.FormatR32Sfloat, "VkImageViewCreateInfo-image-01761"},
	} {
		v, err := NewView(padded(c.image), ViewDesc{Format: c.view})
		if c.vuid != "" {
			wantVUID(t, c.image.String()+" as "+c.view.String(), err, c.vuid)
		} else if err != nil || v.Info.Format != c.view {
			t.Errorf("%v as %v: %v", c.image, c.view, err)
		}
	}
	for _, c := range []struct{ base, count, levels, layers int }{{0, 0, 4, 12}, {3, 0, 1, 12}, {1, 2, 2, 3}, {0, 4, 4, 1}} {
		r := vk.ImageSubresourceRange{BaseMipLevel: uint32(c.base), LevelCount: uint32(c.count), LayerCount: uint32(c.layers)}
		v, err := NewView(im2D, ViewDesc{Type: typ(vk.ImageViewType2DArray), Range: r})
		if err != nil || v.BaseLevel != c.base || v.Levels != c.levels || v.Layers != c.layers {
			t.Errorf("%+v: levels %d+%d, %d layers, %v", r, v.BaseLevel, v.Levels, v.Layers, err)
		}
	}
}

// IMG-256: a plane's view has the plane's format, or one that is compatible with it.
func TestNewView_IMG256_Planes(t *testing.T) {
	rules.Covers(t, "IMG-256")
	im := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_2Plane420Unorm, Extent: extent(8, 8, 1)})
	mutable := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_2Plane420Unorm, Extent: extent(8, 8, 1), Flags: vk.ImageCreateMutableFormatBit})
	for _, c := range []struct {
		im     *Image
		aspect vk.ImageAspectFlags
		format vk.Format // UNDEFINED is the image's
		want   vk.Format
		vuid   string
	}{
		{im, vk.ImageAspectColorBit, 0, vk.FormatG8B8R8_2Plane420Unorm, ""},
		{mutable, vk.ImageAspectPlane0Bit, 0, vk.FormatR8Unorm, ""},
		{mutable, vk.ImageAspectPlane1Bit, 0, vk.FormatR8G8Unorm, ""},
		{im, vk.ImageAspectPlane1Bit, vk.FormatR8G8Unorm, 0, "VkImageViewCreateInfo-image-12397"},
		{mutable, vk.ImageAspectPlane0Bit, vk.FormatR8Uint, vk.FormatR8Uint, ""},
		{mutable, vk.ImageAspectPlane1Bit, vk.FormatR8G8Unorm, vk.FormatR8G8Unorm, ""},
		{mutable, vk.ImageAspectPlane1Bit, vk.FormatR8G8Uint, vk.FormatR8G8Uint, ""},
		{mutable, vk.ImageAspectPlane1Bit, vk.FormatR8Unorm, 0, "VkImageViewCreateInfo-image-01761"},
		{mutable, vk.ImageAspectPlane0Bit, vk.FormatR8G8Unorm, 0, "VkImageViewCreateInfo-image-01761"},
	} {
		v, err := NewView(c.im, ViewDesc{Format: c.format, Range: vk.ImageSubresourceRange{AspectMask: c.aspect}})
		if c.vuid != "" {
			wantVUID(t, c.format.String(), err, c.vuid)
			continue
		}
		if err != nil || v.Format != c.want || v.Info.Format != c.want {
			t.Errorf("aspect %v as %v: %+v, %v", c.aspect, c.format, v, err)
		}
	}
}

// IMG-256: of all formats of the core, views of a plane have those of texels that are as large as the plane's.
func TestNewView_IMG256_EveryFormatOfAPlane(t *testing.T) {
	rules.Covers(t, "IMG-256")
	im := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_2Plane420Unorm, Extent: extent(8, 8, 1), Flags: vk.ImageCreateMutableFormatBit})
	in := func(f, first, last vk.Format) bool { return f >= first && f <= last }
	for f := vk.FormatR4G4UnormPack8; f <= vk.FormatR64G64B64A64Sfloat; f++ {
		for aspect, want := range map[vk.ImageAspectFlags]bool{
			vk.ImageAspectPlane0Bit: f == vk.FormatR4G4UnormPack8 || in(f, vk.FormatR8Unorm, vk.FormatR8Srgb),
			vk.ImageAspectPlane1Bit: in(f, vk.FormatR4G4B4A4UnormPack16, vk.FormatA1R5G5B5UnormPack16) || in(f, vk.FormatR8G8Unorm, vk.FormatR8G8Srgb) || in(f, vk.FormatR16Unorm, vk.FormatR16Sfloat),
		} {
			v, err := NewView(im, ViewDesc{Format: f, Range: vk.ImageSubresourceRange{AspectMask: aspect}})
			if (err == nil) != want || err == nil && v.Info.Format != f {
				t.Errorf("plane %v as %v: %v", aspect, f, err)
			}
		}
	}
}

// A 2D view of a 3D image shows the slice's bytes.
func TestNewView_SliceAddressing(t *testing.T) {
	rules.Covers(t, "IMG-030", "IMG-042", "IMG-605", "IMG-888")
	im := mustImage(t, ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: extent(4, 4, 4), Flags: vk.ImageCreate2DArrayCompatibleBit})
	whole := im.Level(0, 0, 0)
	whole.Data[whole.Offset(1, 2, 3, 0)] = 77
	ty := vk.ImageViewType2DArray
	v, err := NewView(im, ViewDesc{Type: &ty, Range: vk.ImageSubresourceRange{BaseArrayLayer: 2, LayerCount: 2}})
	if err != nil {
		t.Fatal(err)
	}
	l := v.Level(0, 1)
	if l.Depth != 1 || len(l.Data) != 16 || l.Data[l.Offset(1, 2, 0, 0)] != 77 {
		t.Errorf("slice %+v", l)
	}
	if w, h, d := v.Extent(0); w != 4 || h != 4 || d != 1 {
		t.Errorf("slices of %dx%dx%d", w, h, d)
	}
	// Layers of others are theirs.
	layers := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(4, 4, 1), ArrayLayers: 4})
	if v, err = NewView(layers, ViewDesc{Type: &ty, Range: vk.ImageSubresourceRange{BaseArrayLayer: 1, LayerCount: 3}}); err != nil {
		t.Fatal(err)
	}
	if l, want := v.Level(0, 2), layers.Level(0, 0, 3); &l.Data[0] != &want.Data[0] || len(l.Data) != len(want.Data) {
		t.Error("layer 2 from layer 1 on is not layer 3")
	}
}

// IMG-048: depth and stencil lie in planes of their own.
func TestPlaneOf_DepthStencil(t *testing.T) {
	rules.Covers(t, "IMG-048")
	im := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD32SfloatS8Uint, Extent: extent(4, 4, 1)})
	if d, s, c := im.PlaneOf(vk.ImageAspectDepthBit), im.PlaneOf(vk.ImageAspectStencilBit), im.PlaneOf(vk.ImageAspectColorBit); d != 0 || s != 1 || c != -1 {
		t.Errorf("planes %d %d %d", d, s, c)
	}
	v, err := NewView(im, ViewDesc{Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectStencilBit}})
	if err != nil || v.Info.Format != vk.FormatS8Uint || v.Plane != 1 {
		t.Errorf("stencil view: %v, %+v", err, v)
	}
}

func TestNewSampler_Rules(t *testing.T) {
	rules.Covers(t, "IMG-427")
	rules.Covers(t, "IMG-453")
	rules.Covers(t, "IMG-027", "IMG-120", "IMG-121", "IMG-122", "IMG-123", "IMG-124", "IMG-125", "IMG-126", "IMG-127", "IMG-175")
	un := Sampler{UnnormalizedCoordinates: true, AddressModeU: vk.SamplerAddressModeClampToEdge, AddressModeV: vk.SamplerAddressModeClampToBorder}
	if s, err := NewSampler(un); err != nil || s == nil || *s != un {
		t.Errorf("%+v is made %+v: %v", un, s, err)
	}
	normalized := Sampler{MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, MinLod: 1, MaxLod: 2, AnisotropyEnable: true, MaxAnisotropy: 2}
	if _, err := NewSampler(normalized); err != nil {
		t.Errorf("rules of unnormalized coordinates for others: %v", err)
	}
	with := func(s Sampler, f func(*Sampler)) Sampler { f(&s); return s }
	for vuid, s := range map[string]Sampler{
		"VkSamplerCreateInfo-mipLodBias-01069":                {MipLodBias: 16.5},
		"VkSamplerCreateInfo-maxLod-01973":                    {MinLod: 1},
		"VkSamplerCreateInfo-anisotropyEnable-01071":          {AnisotropyEnable: true, MaxAnisotropy: 17},
		"VkSamplerCreateInfo-unnormalizedCoordinates-01072":   with(un, func(s *Sampler) { s.MinFilter = vk.FilterLinear }),
		"VkSamplerCreateInfo-unnormalizedCoordinates-01073":   with(un, func(s *Sampler) { s.MipmapMode = vk.SamplerMipmapModeLinear }),
		"VkSamplerCreateInfo-unnormalizedCoordinates-01074":   with(un, func(s *Sampler) { s.MaxLod = 1 }),
		"VkSamplerCreateInfo-unnormalizedCoordinates-01075":   with(un, func(s *Sampler) { s.AddressModeU = vk.SamplerAddressModeRepeat }),
		"VkSamplerCreateInfo-unnormalizedCoordinates-01075 ":  with(un, func(s *Sampler) { s.AddressModeV = vk.SamplerAddressModeRepeat }),
		"VkSamplerCreateInfo-unnormalizedCoordinates-01074 ":  with(un, func(s *Sampler) { s.MinLod, s.MaxLod = 1, 1 }),
		"VkSamplerCreateInfo-unnormalizedCoordinates-01074  ": with(un, func(s *Sampler) { s.MinLod = -1 }),
		"VkSamplerCreateInfo-unnormalizedCoordinates-01076":   with(un, func(s *Sampler) { s.AnisotropyEnable, s.MaxAnisotropy = true, 2 }),
		"VkSamplerCreateInfo-unnormalizedCoordinates-01077":   with(un, func(s *Sampler) { s.CompareEnable = true }),
		"VkSamplerCreateInfo-addressModeU-parameter":          {AddressModeW: 9},
		"VkSamplerCreateInfo-compareEnable-01080":             {CompareOp: 8},
		"VkSamplerCreateInfo-compareEnable-01423":             {CompareEnable: true, Reduction: vk.SamplerReductionModeMax},
	} {
		_, err := NewSampler(s)
		wantVUID(t, vuid, err, strings.TrimSpace(vuid))
	}
}

func TestLevel_NoAllocation(t *testing.T) {
	im := mustImage(t, ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(8, 8, 1), MipLevels: 4})
	v, err := NewView(im, ViewDesc{})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	if n := testing.AllocsPerRun(100, func() { l := v.Level(1, 0); sum += l.Offset(1, 1, 0, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
