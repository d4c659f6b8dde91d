package sampling

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// lotNames are the formats' Image Formats, where they have one.
var lotNames = map[vk.Format]string{
	vk.FormatR8G8B8A8Unorm: "Rgba8", vk.FormatR8G8B8A8Snorm: "Rgba8Snorm", vk.FormatR32Sfloat: "R32f", vk.FormatR16G16B16A16Sfloat: "Rgba16f", vk.FormatB10G11R11UfloatPack32: "R11fG11fB10f", vk.FormatR16Unorm: "R16",
	vk.FormatR8Uint: "R8ui", vk.FormatR32Uint: "R32ui", vk.FormatR16G16B16A16Uint: "Rgba16ui", vk.FormatR16G16Sint: "Rg16i", vk.FormatR32Sint: "R32i", vk.FormatR64Uint: "R64ui", vk.FormatR64Sint: "R64i",
	vk.FormatR8Unorm: "R8", vk.FormatA2B10G10R10UnormPack32: "Rgb10A2", vk.FormatR32G32B32A32Sfloat: "Rgba32f",
}

// lotComponents are how many components formats have that have not one; of A8 a write has four.
var lotComponents = map[vk.Format]int{
	vk.FormatR8G8B8A8Unorm: 4, vk.FormatR8G8B8A8Srgb: 4, vk.FormatR8G8B8A8Snorm: 4, vk.FormatR16G16B16A16Sfloat: 4, vk.FormatB10G11R11UfloatPack32: 3, vk.FormatE5B9G9R9UfloatPack32: 3,
	vk.FormatR8G8B8A8Sscaled: 4, vk.FormatB4G4R4A4UnormPack16: 4, vk.FormatB5G6R5UnormPack16: 3, vk.FormatB5G5R5A1UnormPack16: 4, vk.FormatA1B5G5R5UnormPack16: 4, vk.FormatBc1RgbaUnormBlock: 4,
	vk.FormatR16G16B16A16Uint: 4, vk.FormatR16G16Sint: 2, vk.FormatG8B8R8_3Plane420Unorm: 3, vk.FormatB8G8R8A8Unorm: 4, vk.FormatA2B10G10R10UnormPack32: 4, vk.FormatR5G6B5UnormPack16: 3,
	vk.FormatR32G32B32A32Sfloat: 4, vk.FormatA8Unorm: 4, vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16: 4,
}

func (c *lot) components() int { return max(lotComponents[c.v.Format], 1) }

// planar says that the view shows several planes.
func (c *lot) planar() bool { return c.v.Format == vk.FormatG8B8R8_3Plane420Unorm }

// more draws what instructions of image processing take, layouts, and Image Formats.
func (c *lot) more() {
	r, in := c.r, &c.in
	in.Texel, in.Format = 1+r.IntN(4), often(r, "", lotNames[c.v.Format], "Rgba8", "R32f", "R32ui", "Rg16i", "R64ui")
	c.f.NoRgba10x6 = r.IntN(2) == 0
	if rare(r) {
		c.im.Flags |= vk.ImageCreateCubeCompatibleBit
	}
	if r.IntN(2) == 0 {
		odd := [3]int{r.IntN(3), r.IntN(3), r.IntN(13)}
		c.odd = &odd
		c.on.Layout = often(r, vk.ImageLayoutGeneral, vk.ImageLayoutShaderReadOnlyOptimal)
		c.on.Current = func(plane, level, layer int) vk.ImageLayout {
			if [3]int{plane, level, layer} == odd {
				return vk.ImageLayoutTransferSrcOptimal
			}
			return vk.ImageLayoutGeneral
		}
		if c.planar() && r.IntN(16) > 0 {
			c.im.Flags |= vk.ImageCreateDisjointBit
			if y := (&resource.YcbcrConversion{Format: c.v.Format}); r.IntN(2) == 0 {
				c.s.Ycbcr, c.on.ViewConversion = y, y
			}
		}
	}
	switch in.Kind {
	case ir.ImageWeighted:
		c.weights()
	case ir.ImageBlockMatch:
		in.Match = ir.MatchForm(r.IntN(3))
		c.s.Window = resource.BlockMatchWindow{Width: often(r, 4, 0, 1, resource.MaxBlock, resource.MaxBlock+1), Height: often(r, 4, 0, 1, resource.MaxBlock, resource.MaxBlock+1)}
		in.BlockW, in.BlockH = often(r, in.BlockW, resource.MaxBlock, resource.MaxBlock+1), often(r, in.BlockH, resource.MaxBlock, resource.MaxBlock+1)
		if r.IntN(2) == 0 { // what a block match needs
			*c.s = resource.Sampler{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, UnnormalizedCoordinates: true, ImageProcessing: true, Window: c.s.Window}
			for _, u := range []func(){
				func() { c.s.AddressModeU = often(r, edge, lotModes...) }, func() { c.s.AddressModeV = often(r, edge, lotModes...) }, func() { c.s.BorderColor = often(r, transparent, lotBorders...) },
				func() { c.s.AddressModeU, c.s.AddressModeV = border, border }, func() { c.s.MinFilter = often(r, nearest, lotFilter...) }, func() { c.s.MagFilter = often(r, nearest, lotFilter...) },
				func() { c.s.MipmapMode = vk.SamplerMipmapModeLinear }, func() { c.s.MinLod = -1 }, func() { c.s.MaxLod = 1 }, func() { c.s.AnisotropyEnable = true }, func() { c.s.CompareEnable = true },
			} {
				if rare(r) {
					u()
				}
			}
		}
		second := c.on.Second
		if rare(r) {
			c.on.Second = nil
		}
		im := *second.Image
		second.Image = &im
		if rare(r) {
			im.Usage &^= vk.ImageUsageSampleBlockMatchBitQCOM
		}
		if rare(r) {
			c.im.Usage &^= vk.ImageUsageSampleBlockMatchBitQCOM
		}
		second.Type, second.Levels, second.Layers, im.Samples = often(r, vk.ImageViewType2D, lotTypes...), often(r, 1, 2), often(r, 1, 2, 6), often(r, 1, 2, 4)
		if c.on.SecondSampler = often(r, c.s, nil); rare(r) {
			s := *c.s
			if c.on.SecondSampler = &s; r.IntN(2) == 0 {
				s.MinLod--
			}
		}
	}
}

// weights makes the view of weights of a filter.
func (c *lot) weights() {
	r := c.r
	w := &resource.WeightImage{Width: often(r, 2, 0, 1, 3, 4, 5, 64, 65), Height: often(r, 2, 0, 1, 3, 4, 5, 64, 65), Phases: often(r, 4, 0, 1, 2, 16, 1024, 4096)}
	w.CenterX, w.CenterY = often(r, 0, -1, w.Width-1, w.Width, 1), often(r, 0, -1, w.Height-1, w.Height, 1)
	typ := often(r, vk.ImageViewType2DArray, vk.ImageViewType1DArray, vk.ImageViewType1DArray, vk.ImageViewType1DArray, vk.ImageViewType1D, vk.ImageViewType2D, vk.ImageViewType3D, vk.ImageViewTypeCube, vk.ImageViewTypeCubeArray)
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(uint32(often(r, 2, 1, 3, 4, 5)), uint32(often(r, 2, 1, 3, 4, 5)), 1), MipLevels: 1, ArrayLayers: often(r, 4, 1, 2, 3, 5), Samples: often(r, 1, 2, 4, 8),
		Usage: vk.ImageUsageSampleWeightBitQCOM}
	if typ == vk.ImageViewType1DArray {
		d.Samples = 1
		d.Type, d.Extent, d.ArrayLayers = vk.ImageType1D, extent(uint32(often(r, 16, 15, 4, 3, 1, 8, 7, 64, 63)), 1, 1), often(r, 2, 1, 3)
	}
	im, err := resource.NewImage(d)
	if err != nil {
		panic(err)
	}
	im.Data = make([]byte, im.Layout.Size)
	v := &resource.ImageView{Image: im, Type: typ, Format: d.Format, Info: im.Info, Aspect: vk.ImageAspectColorBit, Levels: 1, Layers: d.ArrayLayers, Weights: *w}
	last := im.Level(0, 0, d.ArrayLayers-1)
	for layer := range d.ArrayLayers {
		l := im.Level(0, 0, layer)
		for at := 0; at < len(l.Data); at += 4 {
			binary.LittleEndian.PutUint32(l.Data[at:], math.Float32bits(float32(at/4&1)))
		}
	}
	if c.gray = r.IntN(2) == 0; c.gray {
		l := often(r, last, im.Level(0, 0, 0))
		at := often(r, len(l.Data)-4*d.Samples, 0)
		binary.LittleEndian.PutUint32(l.Data[at:], math.Float32bits(often(r, .5, -1, 2, nan)))
	}
	v.Levels = often(r, 1, 2)
	if rare(r) {
		v.Components.G = vk.ComponentSwizzleR
	}
	if rare(r) {
		im.Usage = vk.ImageUsageSampledBit
	}
	if c.on.Second = v; rare(r) {
		c.on.Second = nil
	}
}

// matches says that a view can be a side of a block match.
func (c *lot) matches(v *resource.ImageView) bool {
	return v.Type == vk.ImageViewType2D && v.Levels == 1 && v.Layers == 1 && v.Image.Samples == 1 && v.Image.Usage&vk.ImageUsageSampleBlockMatchBitQCOM != 0
}

func (c *lot) reduces() bool {
	return c.s.Reduction == vk.SamplerReductionModeMin || c.s.Reduction == vk.SamplerReductionModeMax
}

// Instructions that take a sampler want one, and no others do.
func TestValidate_IMG152_NoSampler(t *testing.T) {
	rules.Covers(t, "IMG-152")
	for _, kind := range append([]ir.ImageKind{ir.ImageSample}, lotKinds...) {
		c := newChecked()
		c.in.Kind, c.s, c.on.Second = kind, nil, c.v
		told := slices.ContainsFunc(c.all(), func(e *RuleError) bool { return e.Rule == "IMG-152" })
		wants := slices.Contains([]ir.ImageKind{ir.ImageSample, ir.ImageGather, ir.ImageQueryLod, ir.ImageWeighted, ir.ImageBoxFilter, ir.ImageBlockMatch}, kind)
		if told != wants {
			t.Errorf("kind %d without a sampler: told %v", kind, told)
		}
	}
}

func init() {
	for id, f := range map[string]func(c *lot) bool{
		"IMG-103": func(c *lot) bool {
			if !c.border() || c.s.BorderMapping == nil {
				return false
			}
			a, b := c.s.BorderMapping.Components, c.v.Components
			return swizzledBy(a) != swizzledBy(b) || swizzledBy(a) && a != b
		},
		"IMG-110": func(c *lot) bool {
			if c.odd == nil {
				return false
			}
			if c.on.Layout != vk.ImageLayoutGeneral { // no subresource is in that
				return true
			}
			p, l, y := c.odd[0], c.odd[1]-c.v.BaseLevel, c.odd[2]-c.v.BaseLayer
			return (p == 0 || c.planar()) && l >= 0 && l < c.v.Levels && y >= 0 && y < c.v.Layers
		},
		"IMG-111": func(c *lot) bool {
			return c.in.Kind < ir.ImageQuerySize && c.in.Format != "" && c.in.Format != lotNames[c.v.Format]
		},
		"IMG-114": func(c *lot) bool {
			if c.odd == nil || !c.planar() || c.im.Flags&vk.ImageCreateDisjointBit == 0 || !c.conversion() {
				return false
			}
			l, y := c.odd[1]-c.v.BaseLevel, c.odd[2]-c.v.BaseLayer
			return l >= 0 && l < c.v.Levels && y >= 0 && y < c.v.Layers
		},
		"IMG-115": func(c *lot) bool {
			needs := c.planar() || c.v.Format == vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16 && c.f.NoRgba10x6
			return c.samples() && c.v.Aspect == vk.ImageAspectColorBit && needs && (c.s.Ycbcr == nil || c.on.ViewConversion == nil)
		},
		"IMG-137": func(c *lot) bool {
			depth := c.v.Format == vk.FormatD16Unorm || c.v.Format == vk.FormatD32Sfloat || c.v.Format == vk.FormatS8Uint
			return c.in.Dref && depth && c.v.Aspect != vk.ImageAspectDepthBit
		},
		"IMG-138": func(c *lot) bool {
			can := []vk.Format{vk.FormatR8Unorm, vk.FormatR16Unorm, vk.FormatR32Sfloat, vk.FormatD16Unorm, vk.FormatD32Sfloat}
			return c.in.Dref && c.v.Aspect == vk.ImageAspectColorBit && !slices.Contains(can, c.v.Format)
		},
		"IMG-154": func(c *lot) bool {
			e, depth := c.im.Extent, c.v.Format == vk.FormatD16Unorm || c.v.Format == vk.FormatD32Sfloat || c.v.Format == vk.FormatS8Uint
			return c.im.Flags&vk.ImageCreateCornerSampledBitNV != 0 && (c.im.Type == vk.ImageType1D || c.im.Flags&vk.ImageCreateCubeCompatibleBit != 0 || depth || e.Width == 1 || e.Height == 1 || c.im.Type == vk.ImageType3D && e.Depth == 1)
		},
		"IMG-178": func(c *lot) bool {
			k := c.in.Kind
			atomics := []vk.Format{vk.FormatR32Uint, vk.FormatR32Sint, vk.FormatR32Sfloat, vk.FormatR64Uint, vk.FormatR64Sint}
			return (k == ir.ImageRead || k == ir.ImageWrite || k == ir.ImageAtomic) && !c.on.Input && c.im.Usage&vk.ImageUsageStorageBit == 0 || k == ir.ImageAtomic && !slices.Contains(atomics, c.v.Format) ||
				k == ir.ImageWrite && (c.in.Texel < c.components() || c.planar() || c.v.Format == vk.FormatBc1RgbaUnormBlock)
		},
		"IMG-182": func(c *lot) bool {
			v := c.on.Second
			if c.in.Kind != ir.ImageWeighted || v == nil {
				return false
			}
			w := v.Weights
			fits := v.Type == vk.ImageViewType1DArray && v.Layers == 2 || v.Type == vk.ImageViewType2DArray && v.Layers >= w.Phases
			square := slices.Contains([]int{1, 4, 16, 64, 256, 1024}, w.Phases)
			return !fits || v.Levels > 1 || v.Image.Samples > 1 || swizzledBy(v.Components) || v.Image.Usage&vk.ImageUsageSampleWeightBitQCOM == 0 || w.Width < 1 || w.Width > 64 || w.Height < 1 || w.Height > 64 ||
				w.CenterX < 0 || w.CenterX > w.Width-1 || w.CenterY < 0 || w.CenterY > w.Height-1 || !square
		},
		"IMG-183": func(c *lot) bool {
			v := c.on.Second
			if c.in.Kind != ir.ImageWeighted || v == nil {
				return false
			}
			w, e := v.Weights, v.Image.Extent
			if v.Type == vk.ImageViewType1DArray {
				return int(e.Width) < w.Phases*max((w.Width+3)/4*4, w.Height)
			}
			return int(e.Width) < w.Width || int(e.Height) < w.Height
		},
		"IMG-184": func(c *lot) bool {
			return c.in.Kind == ir.ImageWeighted && c.on.Second != nil && c.reduces() && c.gray
		},
		"IMG-186": func(c *lot) bool {
			s := c.s
			if c.in.Kind != ir.ImageBlockMatch {
				return false
			}
			plain := s.UnnormalizedCoordinates && s.MinFilter == nearest && s.MagFilter == nearest && s.MipmapMode == vk.SamplerMipmapModeNearest && s.MinLod == 0 && s.MaxLod == 0 && !s.AnisotropyEnable && !s.CompareEnable &&
				clampsTo(s.AddressModeU) && clampsTo(s.AddressModeV)
			same := c.on.SecondSampler == nil || *c.on.SecondSampler == *s
			return !plain || !same || !c.matches(c.v) || c.on.Second != nil && !c.matches(c.on.Second) || c.in.BlockW > 64 || c.in.BlockH > 64
		},
		"IMG-189": func(c *lot) bool {
			s := c.s
			if c.in.Kind != ir.ImageBlockMatch || c.in.Match == ir.MatchPlain {
				return false
			}
			border := s.AddressModeU == border && s.AddressModeV == border && s.BorderColor == transparent
			extended := s.AddressModeU == edge && s.AddressModeV == edge && !c.f.NoBlockMatchExtendedClamp
			window := s.Window.Width > 0 && s.Window.Width <= 64 && s.Window.Height > 0 && s.Window.Height <= 64
			many := c.components() > 1 && c.v.Format != vk.FormatA8Unorm
			return many || !border && !extended || c.in.Match == ir.MatchWindow && !window
		},
	} {
		lotRules[id] = f
	}
}
