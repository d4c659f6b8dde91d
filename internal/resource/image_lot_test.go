package resource

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A lotFormat is what the specification's tables say of a format.
type lotFormat struct {
	format        vk.Format
	bytes         int // of a texel or block
	width, height int // of a block
	class         string
	chroma        string // "": no conversion
	planes        []lotPlane
}

// A lotPlane is a plane of a format, or one of its aspects.
type lotPlane struct {
	format        vk.Format
	aspect        vk.ImageAspectFlags
	bytes         int
	width, height int // divisors
}

const (
	unsupported = vk.FormatPvrtc1_2BppSrgbBlockIMG
	colorAspect = vk.ImageAspectColorBit
	plain       = "plain" // of all colour formats whose texels can be those of others of their size
)

func plainLot(f vk.Format, bytes int) lotFormat {
	return lotFormat{f, bytes, 1, 1, plain, "", []lotPlane{{f, colorAspect, bytes, 1, 1}}}
}

func blockLot(f vk.Format, bytes, width, height int, class string) lotFormat {
	return lotFormat{f, bytes, width, height, class, "", []lotPlane{{f, colorAspect, bytes, 1, 1}}}
}

// lotFormats have the formats that are used most, and one of each other kind.
var lotFormats = []lotFormat{
	plainLot(vk.FormatR8Unorm, 1), plainLot(vk.FormatR8Uint, 1), plainLot(vk.FormatR8G8Unorm, 2), plainLot(vk.FormatR16Unorm, 2), plainLot(vk.FormatR5G6B5UnormPack16, 2), plainLot(vk.FormatR8G8B8A8Unorm, 4),
	plainLot(vk.FormatB8G8R8A8Unorm, 4), plainLot(vk.FormatR8G8B8A8Srgb, 4), plainLot(vk.FormatR8G8B8A8Snorm, 4), plainLot(vk.FormatA2B10G10R10UnormPack32, 4), plainLot(vk.FormatB10G11R11UfloatPack32, 4),
	plainLot(vk.FormatR32Uint, 4), plainLot(vk.FormatR32Sfloat, 4), plainLot(vk.FormatR16G16Sint, 4), plainLot(vk.FormatR16G16B16A16Sfloat, 8), plainLot(vk.FormatR32G32Uint, 8), plainLot(vk.FormatR32G32B32A32Sfloat, 16),
	blockLot(vk.FormatBc1RgbUnormBlock, 8, 4, 4, "BC1_RGB"), blockLot(vk.FormatBc1RgbSrgbBlock, 8, 4, 4, "BC1_RGB"), blockLot(vk.FormatBc4UnormBlock, 8, 4, 4, "BC4"), blockLot(vk.FormatAstc6x5UnormBlock, 16, 6, 5, "ASTC_6X5"),
	{vk.FormatD16Unorm, 2, 1, 1, "D16", "", []lotPlane{{vk.FormatD16Unorm, vk.ImageAspectDepthBit, 2, 1, 1}}},
	{vk.FormatS8Uint, 1, 1, 1, "S8", "", []lotPlane{{vk.FormatS8Uint, vk.ImageAspectStencilBit, 1, 1, 1}}},
	{vk.FormatD32SfloatS8Uint, 0, 1, 1, "D32S8", "", []lotPlane{{vk.FormatD32Sfloat, vk.ImageAspectDepthBit, 4, 1, 1}, {vk.FormatS8Uint, vk.ImageAspectStencilBit, 1, 1, 1}}},
	{vk.FormatG8B8G8R8_422Unorm, 4, 2, 1, "422", "422", []lotPlane{{vk.FormatG8B8G8R8_422Unorm, colorAspect, 4, 1, 1}}},
	{vk.FormatG8B8R8_3Plane420Unorm, 0, 1, 1, "3 of 420", "420", []lotPlane{{vk.FormatR8Unorm, vk.ImageAspectPlane0Bit, 1, 1, 1}, {vk.FormatR8Unorm, vk.ImageAspectPlane1Bit, 1, 2, 2}, {vk.FormatR8Unorm, vk.ImageAspectPlane2Bit, 1, 2, 2}}},
	{vk.FormatG8B8R8_2Plane422Unorm, 0, 1, 1, "2 of 422", "422", []lotPlane{{vk.FormatR8Unorm, vk.ImageAspectPlane0Bit, 1, 1, 1}, {vk.FormatR8G8Unorm, vk.ImageAspectPlane1Bit, 2, 2, 1}}},
	{vk.FormatG16B16R16_3Plane444Unorm, 0, 1, 1, "3 of 444", "444", []lotPlane{{vk.FormatR16Unorm, vk.ImageAspectPlane0Bit, 2, 1, 1}, {vk.FormatR16Unorm, vk.ImageAspectPlane1Bit, 2, 1, 1}, {vk.FormatR16Unorm, vk.ImageAspectPlane2Bit, 2, 1, 1}}},
}

func (f *lotFormat) compressed() bool { return f.width > 1 && f.chroma == "" }

// multiPlanar says that planes have aspects of their own beside colour.
func (f *lotFormat) multiPlanar() bool { return f.planes[0].aspect == vk.ImageAspectPlane0Bit }

// aspects are all of a format; colour is one of formats of several planes, too.
func (f *lotFormat) aspects() (a vk.ImageAspectFlags) {
	for _, p := range f.planes {
		a |= p.aspect
	}
	if f.multiPlanar() {
		a |= colorAspect
	}
	return a
}

func (f *lotFormat) depth() bool { return f.aspects()&colorAspect == 0 }

// oneOf takes one of a list.
func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// sometimes takes the first of a list most of the time.
func sometimes[T any](r *rand.Rand, first T, more ...T) T {
	if r.IntN(12) > 0 {
		return first
	}
	return oneOf(r, more...)
}

// drawImage makes a description; most break no rule, or one.
func drawImage(r *rand.Rand) (d ImageDesc, f *lotFormat) {
	f = &lotFormats[r.IntN(len(lotFormats))]
	d = ImageDesc{Type: oneOf(r, vk.ImageType2D, vk.ImageType2D, vk.ImageType1D, vk.ImageType3D), Format: f.format, MipLevels: oneOf(r, 0, 1, 1, 2, 3), ArrayLayers: oneOf(r, 0, 1, 5, 6, 7), Samples: sometimes(r, 1, 0, 2, 3, 4, 8, 16, 32, 64, 128)}
	side := func() uint32 { return oneOf(r, uint32(1), 2, 4, 8, 8, 12, 16, 17, 31) }
	w := side()
	d.Extent = extent(w, oneOf(r, w, w, side()), 1)
	switch d.Type {
	case vk.ImageType1D:
		d.Extent.Height = sometimes(r, uint32(1), 0, 2)
	case vk.ImageType3D:
		d.Extent.Depth, d.ArrayLayers = side(), sometimes(r, 1, 2)
	case vk.ImageType2D:
	}
	d.Extent.Depth = sometimes(r, d.Extent.Depth, 0, 1, 2)
	if f.chroma != "" { // which allow little
		d.Type, d.MipLevels = sometimes(r, vk.ImageType2D, d.Type), sometimes(r, 1, d.MipLevels)
		if d.Type == vk.ImageType2D {
			d.Extent.Depth = 1
		}
	}
	if r.IntN(8) == 0 {
		large := oneOf(r, uint32(MaxExtent), MaxExtent+1)
		oneOf(r, func() { d.Extent.Width = large }, func() { d.Extent.Height = large }, func() { d.Extent.Depth = large }, func() { d.ArrayLayers = int(large) })()
	}
	if r.IntN(8) == 0 {
		n := 1
		for m := max(d.Extent.Width, d.Extent.Height, d.Extent.Depth); m > 1; m /= 2 {
			n++
		}
		d.MipLevels = oneOf(r, n, n, n+1, n-1)
	}
	if r.IntN(40) == 0 {
		oneOf(r, func() { d.Extent.Width = 0 }, func() { d.MipLevels = -1 }, func() { d.ArrayLayers = -1 }, func() { d.Type = 3 }, func() { d.Type = -1 })()
	}
	for _, flag := range []vk.ImageCreateFlags{vk.ImageCreateCubeCompatibleBit, vk.ImageCreate2DArrayCompatibleBit, vk.ImageCreate2DViewCompatibleBitEXT, vk.ImageCreateAliasSingleLayerDescriptorBitKHR, vk.ImageCreateMutableFormatBit,
		vk.ImageCreateBlockTexelViewCompatibleBit, vk.ImageCreateSparseBindingBit, vk.ImageCreateSparseResidencyBit, vk.ImageCreateSparseAliasedBit, vk.ImageCreateSubsampledBitEXT, vk.ImageCreateCornerSampledBitNV,
		vk.ImageCreateDisjointBit, vk.ImageCreateAliasBit, vk.ImageCreateExtendedUsageBit} {
		if r.IntN(8) == 0 {
			d.Flags |= flag
		}
	}
	if r.IntN(2) == 0 { // flags that others ask for
		if d.Flags&vk.ImageCreateBlockTexelViewCompatibleBit != 0 {
			d.Flags |= vk.ImageCreateMutableFormatBit
		}
		if d.Flags&(vk.ImageCreateSparseResidencyBit|vk.ImageCreateSparseAliasedBit) != 0 {
			d.Flags |= vk.ImageCreateSparseBindingBit
		}
	}
	d.Usage = vk.ImageUsageSampledBit
	if r.IntN(8) == 0 {
		d.Usage |= vk.ImageUsageFragmentDensityMapBitEXT
	}
	return d, f
}

// refusedImage says that a description breaks a rule of VkImageCreateInfo, or asks for what there is not.
func refusedImage(d ImageDesc, f *lotFormat) bool {
	for _, p := range []*int{&d.MipLevels, &d.ArrayLayers, &d.Samples} {
		if *p == 0 {
			*p = 1
		}
	}
	for _, p := range []*uint32{&d.Extent.Height, &d.Extent.Depth} {
		if *p == 0 {
			*p = 1
		}
	}
	has := func(flag vk.ImageCreateFlags) bool { return d.Flags&flag != 0 }
	w, h, z := d.Extent.Width, d.Extent.Height, d.Extent.Depth
	cube, corner := has(vk.ImageCreateCubeCompatibleBit), has(vk.ImageCreateCornerSampledBitNV)
	two, three := d.Type == vk.ImageType2D, d.Type == vk.ImageType3D
	most := 1
	for m := max(w, h, z); m > 1 && !corner || m > 2; most++ {
		if m /= 2; corner {
			m = (max(w, h, z) - 1) >> most
			m++
		}
	}
	bad := w < 1 || max(w, h, z) > MaxExtent || d.ArrayLayers > MaxExtent || d.ArrayLayers < 1 || d.MipLevels < 1 || d.MipLevels > most
	bad = bad || bits.OnesCount(uint(d.Samples)) != 1 || d.Samples > 64 || d.Samples > 16 && has(vk.ImageCreateSparseResidencyBit)
	switch d.Type {
	case vk.ImageType1D:
		bad = bad || h > 1 || z > 1
	case vk.ImageType2D:
		bad = bad || z > 1
	case vk.ImageType3D:
		bad = bad || d.ArrayLayers > 1
	default:
		bad = true
	}
	bad = bad || d.Samples > 1 && !(two && !cube && d.MipLevels == 1)
	bad = bad || cube && !(two && w == h && d.ArrayLayers >= 6)
	bad = bad || (has(vk.ImageCreate2DArrayCompatibleBit) || has(vk.ImageCreate2DViewCompatibleBitEXT)) && !three || has(vk.ImageCreateAliasSingleLayerDescriptorBitKHR) && three
	bad = bad || has(vk.ImageCreateBlockTexelViewCompatibleBit) && !(has(vk.ImageCreateMutableFormatBit) && f.compressed())
	bad = bad || (has(vk.ImageCreateSparseResidencyBit) || has(vk.ImageCreateSparseAliasedBit)) && !has(vk.ImageCreateSparseBindingBit)
	bad = bad || has(vk.ImageCreateSparseResidencyBit) && d.Type == vk.ImageType1D
	bad = bad || has(vk.ImageCreateSubsampledBitEXT) && !(two && !cube && d.MipLevels == 1)
	bad = bad || d.Usage&vk.ImageUsageFragmentDensityMapBitEXT != 0 && !(two && d.Samples == 1)
	if corner { // IMG-154
		bad = bad || d.Type == vk.ImageType1D || cube || d.Samples > 1 || w < 2 || h < 2 || three && z < 2 || f.depth()
	}
	bad = bad || has(vk.ImageCreateDisjointBit) && !has(vk.ImageCreateAliasBit) && !f.multiPlanar()
	bad = bad || f.compressed() && (d.Samples > 1 || d.Type == vk.ImageType1D)
	if f.chroma != "" { // IMG-046
		bad = bad || !two || d.MipLevels != 1 || d.Samples != 1 || has(vk.ImageCreateSparseBindingBit)
		bad = bad || f.chroma != "444" && w%2 == 1 || f.chroma == "420" && h%2 == 1
	}
	return bad
}

// Images by lot are refused where the specification says so, and only there; levels of others have the sizes that it gives them.
func TestImage_ByLot(t *testing.T) {
	rules.Covers(t, "IMG-040", "IMG-041", "IMG-045", "IMG-046", "IMG-048", "IMG-154")
	r := rand.New(rand.NewPCG(46, 0))
	count := map[bool]int{}
	for range 60000 {
		d, f := drawImage(r)
		refused := refusedImage(d, f)
		im, err := NewImage(d)
		if large := (*LimitError)(nil); math.MaxInt == math.MaxInt32 && errors.As(err, &large) && large.Max == MaxImageBytes {
			continue // memory has less room there
		}
		if (err != nil) != refused {
			t.Fatalf("%+v: %v, refused %v", d, err, refused)
		}
		if count[refused]++; refused {
			continue
		}
		if len(im.Layout.Planes) != len(f.planes) {
			t.Fatalf("%+v: %d planes", d, len(im.Layout.Planes))
		}
		size := func(n, divisor, level int) int {
			n = max(n, 1) / divisor
			if d.Flags&vk.ImageCreateCornerSampledBitNV == 0 || n == 1 {
				return max(n>>level, 1)
			}
			return max((n+1<<level-1)>>level, 2)
		}
		for i, p := range f.planes {
			got := &im.Layout.Planes[i]
			if got.Aspect != p.aspect || got.Info.Format != p.format || len(got.Levels) != max(d.MipLevels, 1) {
				t.Fatalf("%+v, plane %d: %v of %v, %d levels", d, i, got.Aspect, got.Info.Format, len(got.Levels))
			}
			for level, l := range got.Levels {
				w, h, z := size(int(d.Extent.Width), p.width, level), size(int(d.Extent.Height), p.height, level), size(int(d.Extent.Depth), 1, level)
				x, y := (w+f.width-1)/f.width, (h+f.height-1)/f.height
				if l.Width != w || l.Height != h || l.Depth != z || l.BlocksX != x || l.BlocksY != y || l.BlocksZ != z {
					t.Fatalf("%+v, plane %d, level %d: %+v, want %dx%dx%d", d, i, level, l, w, h, z)
				}
				if least := int64(x * y * z * p.bytes * max(d.Samples, 1)); l.Size < least || l.ColumnSkip == 0 && l.Size != least {
					t.Fatalf("%+v, plane %d, level %d: %d bytes, want %d", d, i, level, l.Size, least)
				}
			}
		}
	}
	if count[false] < 5000 || count[true] < 5000 {
		t.Errorf("%v", count)
	}
}

// drawView makes a description of a view of an image; most break no rule, or one.
func drawView(r *rand.Rand, im *Image, f *lotFormat) (d ViewDesc) {
	d.Format = oneOf(r, vk.FormatUndefined, f.format, f.planes[r.IntN(len(f.planes))].format, lotFormats[r.IntN(len(lotFormats))].format)
	if r.IntN(16) == 0 {
		d.Format = oneOf(r, unsupported, 1<<30)
	}
	if r.IntN(2) == 0 { // one of its size
		for range 20 {
			if o := lotFormats[r.IntN(len(lotFormats))]; o.bytes == f.bytes {
				d.Format = o.format
			}
		}
	}
	if r.IntN(3) > 0 {
		typ := oneOf(r, vk.ImageViewType1D, vk.ImageViewType2D, vk.ImageViewType3D, vk.ImageViewTypeCube, vk.ImageViewType1DArray, vk.ImageViewType2DArray, vk.ImageViewTypeCubeArray, vk.ImageViewType2D, vk.ImageViewType2DArray, 7)
		d.Type = &typ
	}
	g := &d.Range
	g.BaseMipLevel = uint32(r.IntN(im.MipLevels + 1))
	if r.IntN(4) > 0 {
		g.BaseMipLevel = uint32(r.IntN(im.MipLevels))
	}
	g.LevelCount = oneOf(r, uint32(0), vk.RemainingMipLevels, 1, 1, 2, 3)
	g.BaseArrayLayer = sometimes(r, uint32(r.IntN(im.ArrayLayers)), 6, 7, 1, MaxExtent, MaxExtent+1, math.MaxUint32)
	g.LayerCount = oneOf(r, uint32(0), vk.RemainingArrayLayers, 1, 1, 1, 6, 6, 5, 12, uint32(1+r.IntN(im.ArrayLayers)))
	if r.IntN(3) == 0 {
		g.AspectMask = oneOf(r, vk.ImageAspectColorBit, vk.ImageAspectDepthBit, vk.ImageAspectStencilBit, vk.ImageAspectPlane0Bit, vk.ImageAspectPlane1Bit, vk.ImageAspectPlane2Bit, vk.ImageAspectDepthBit|vk.ImageAspectStencilBit, vk.ImageAspectPlane0Bit|vk.ImageAspectPlane1Bit)
	} else if f.multiPlanar() && r.IntN(2) == 0 {
		g.AspectMask = f.planes[r.IntN(len(f.planes))].aspect
	}
	d.MinLod = sometimes(r, 0, float32(im.MipLevels-1), float32(im.MipLevels-1)+.5, .5, 1, -1, -math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat32, math.Nextafter32(float32(im.MipLevels-1), 99), float32(math.NaN()))
	if r.IntN(8) == 0 {
		d.FirstSlice, d.SliceCount = uint32(r.IntN(9)), oneOf(r, uint32(1), 2, 3, vk.Remaining3DSlicesEXT)
	}
	c := func() vk.ComponentSwizzle {
		return sometimes(r, vk.ComponentSwizzleIdentity, -1, vk.ComponentSwizzleR, vk.ComponentSwizzleG, vk.ComponentSwizzleA, vk.ComponentSwizzleZero, vk.ComponentSwizzleOne, 7)
	}
	d.Components = vk.ComponentMapping{R: c(), G: c(), B: c(), A: c()}
	return d
}

// A lotView is what a description of a view comes to.
type lotView struct {
	typ                                vk.ImageViewType
	base, levels, first, layers, plane int
	format                             vk.Format
	extent                             [3]int // of the first level
}

// viewOf says what a description of a view comes to; ok is false where it breaks a rule of VkImageViewCreateInfo.
func viewOf(im *Image, f *lotFormat, d *ViewDesc) (v lotView, ok bool) {
	g, has := d.Range, func(flag vk.ImageCreateFlags) bool { return im.Flags&flag != 0 }
	if v.base = int(g.BaseMipLevel); v.base >= im.MipLevels {
		return v, false
	}
	v.levels = im.MipLevels - v.base
	if g.LevelCount != 0 && g.LevelCount != vk.RemainingMipLevels {
		if int(g.LevelCount) > v.levels {
			return v, false
		}
		v.levels = int(g.LevelCount)
	}
	aspect := g.AspectMask
	if aspect == 0 {
		if aspect = f.aspects(); f.multiPlanar() {
			aspect = colorAspect
		}
	}
	if aspect&^f.aspects() != 0 || f.multiPlanar() && aspect&(aspect-1) != 0 {
		return v, false
	}
	for i := len(f.planes) - 1; i >= 0; i-- {
		if f.planes[i].aspect&aspect != 0 {
			v.plane = i
		}
	}
	size := func(n uint32, divisor int) int {
		n = max(n, 1) / uint32(divisor)
		if !has(vk.ImageCreateCornerSampledBitNV) || n == 1 {
			return max(int(n)>>v.base, 1)
		}
		return max((int(n)+1<<v.base-1)>>v.base, 2)
	}
	p := f.planes[v.plane]
	v.extent = [3]int{size(im.Extent.Width, p.width), size(im.Extent.Height, p.height), size(im.Extent.Depth, 1)}
	total, slices := im.ArrayLayers, false
	v.first = int(min(g.BaseArrayLayer, math.MaxInt32)) // of 32 bits an int may have
	many := (g.LayerCount == 0 || g.LayerCount == vk.RemainingArrayLayers || g.LayerCount > 1) && total-v.first > 1
	switch {
	case d.Type != nil:
		v.typ = *d.Type
	case im.Type == vk.ImageType3D:
		v.typ = vk.ImageViewType3D
	case im.Type == vk.ImageType1D && many:
		v.typ = vk.ImageViewType1DArray
	case im.Type == vk.ImageType1D:
		v.typ = vk.ImageViewType1D
	case many:
		v.typ = vk.ImageViewType2DArray
	default:
		v.typ = vk.ImageViewType2D
	}
	fits := false
	switch v.typ {
	case vk.ImageViewType1D, vk.ImageViewType1DArray:
		fits = im.Type == vk.ImageType1D
	case vk.ImageViewType3D:
		fits = im.Type == vk.ImageType3D
	case vk.ImageViewTypeCube, vk.ImageViewTypeCubeArray:
		fits = has(vk.ImageCreateCubeCompatibleBit)
	case vk.ImageViewType2D, vk.ImageViewType2DArray:
		fits = im.Type == vk.ImageType2D
		if im.Type == vk.ImageType3D {
			slices = (has(vk.ImageCreate2DArrayCompatibleBit) || has(vk.ImageCreate2DViewCompatibleBitEXT) && v.typ == vk.ImageViewType2D) && v.levels == 1
			fits, total = slices, v.extent[2]
		}
	}
	if !fits || v.first >= total {
		return v, false
	}
	if v.layers = total - v.first; g.LayerCount != 0 && g.LayerCount != vk.RemainingArrayLayers {
		if int64(g.LayerCount) > int64(v.layers) {
			return v, false
		}
		v.layers = int(g.LayerCount)
	}
	switch v.typ {
	case vk.ImageViewTypeCube:
		ok = v.layers == 6
	case vk.ImageViewTypeCubeArray:
		ok = v.layers%6 == 0
	case vk.ImageViewType1DArray, vk.ImageViewType2DArray:
		ok = true
	case vk.ImageViewType1D, vk.ImageViewType2D, vk.ImageViewType3D:
		ok = v.layers == 1
	}
	if slices {
		v.extent[2] = 1
	}
	if d.SliceCount != 0 {
		depth, count := v.extent[2], int64(d.SliceCount)
		if d.SliceCount == vk.Remaining3DSlicesEXT {
			if count = int64(depth) - int64(d.FirstSlice); count < 1 {
				return v, false
			}
		}
		ok = ok && v.typ == vk.ImageViewType3D && v.levels == 1 && int64(d.FirstSlice)+count <= int64(depth)
		v.extent[2] = int(count)
	}
	for _, s := range []vk.ComponentSwizzle{d.Components.R, d.Components.G, d.Components.B, d.Components.A} {
		ok = ok && s >= vk.ComponentSwizzleIdentity && s <= vk.ComponentSwizzleA
	}
	ok = ok && d.MinLod >= 0 && d.MinLod <= float32(v.base+v.levels-1)
	return v, ok && v.formatOf(im, f, d, aspect)
}

// formatOf says what format the view has: IMG-255, IMG-256.
func (v *lotView) formatOf(im *Image, f *lotFormat, d *ViewDesc, aspect vk.ImageAspectFlags) (ok bool) {
	v.format = d.Format
	if d.Format == vk.FormatUndefined || d.Format == f.format {
		if v.format = f.format; len(f.planes) > 1 && aspect != colorAspect {
			v.format = f.planes[v.plane].format
		}
		// A plane's own format is another than the image's.
		return v.format == f.format || !f.multiPlanar() || im.Flags&vk.ImageCreateMutableFormatBit != 0
	}
	if im.Flags&vk.ImageCreateMutableFormatBit == 0 {
		return false
	}
	var view *lotFormat
	for i := range lotFormats {
		if lotFormats[i].format == d.Format {
			view = &lotFormats[i]
		}
	}
	class, bytes := f.class, f.bytes
	if f.multiPlanar() && aspect != colorAspect {
		class, bytes = plain, f.planes[v.plane].bytes
	}
	if view == nil || view.depth() {
		return false
	}
	if view.class == class && (class != plain || view.bytes == bytes) {
		return true
	}
	if im.Flags&vk.ImageCreateBlockTexelViewCompatibleBit == 0 || !f.compressed() || view.class != plain || view.bytes != f.bytes || v.levels != 1 {
		return false
	}
	v.extent[0], v.extent[1] = (v.extent[0]+f.width-1)/f.width, (v.extent[1]+f.height-1)/f.height
	return true
}

// Views by lot are refused where the specification says so, and only there; others show the levels, layers and texels that it says.
func TestView_ByLot(t *testing.T) {
	rules.Covers(t, "IMG-030", "IMG-042", "IMG-044", "IMG-045", "IMG-046", "IMG-158", "IMG-255", "IMG-256", "IMG-605", "IMG-607", "IMG-888")
	r := rand.New(rand.NewPCG(42, 0))
	count := map[bool]int{}
	for range 4000 {
		d, f := drawImage(r)
		if refusedImage(d, f) || d.ArrayLayers > 1000 {
			continue
		}
		im, err := NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 40 {
			d := drawView(r, im, f)
			want, ok := viewOf(im, f, &d)
			for tries := 0; !ok && k%2 == 0 && tries < 20; tries++ { // half of them views that there are
				d = drawView(r, im, f)
				want, ok = viewOf(im, f, &d)
			}
			v, err := NewView(im, d)
			if (err == nil) != ok {
				t.Fatalf("%+v, %v of %+v: %v, allowed %v", d, d.Type, im.ImageDesc, err, ok)
			}
			if count[ok]++; !ok {
				continue
			}
			got := lotView{typ: v.Type, base: v.BaseLevel, levels: v.Levels, first: v.BaseLayer, layers: v.Layers, plane: v.Plane, format: v.Info.Format}
			got.extent[0], got.extent[1], got.extent[2] = v.Extent(0)
			if got != want {
				t.Fatalf("%+v of %+v: %+v, want %+v", d, im.ImageDesc, got, want)
			}
		}
	}
	if count[false] < 5000 || count[true] < 5000 {
		t.Errorf("%v", count)
	}
}
