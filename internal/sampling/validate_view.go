package sampling

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// converted says that sampler or view have a Y′CBCR conversion.
func (c *validation) converted() bool {
	return c.s != nil && c.s.Ycbcr != nil || c.on.ViewConversion != nil
}

func (c *validation) aspectIs(a vk.ImageAspectFlags) bool { return c.v.Aspect == a }

// subresources calls f for each plane, level and layer of the view.
func (c *validation) subresources(f func(plane, level, layer int) bool) bool {
	planes := []int{c.v.Plane}
	if c.v.Info.MultiPlanar() {
		planes = planes[:0]
		for p := range c.v.Image.Layout.Planes {
			planes = append(planes, p)
		}
	}
	for _, p := range planes {
		for l := range c.v.Levels {
			for y := range c.v.Layers {
				if f(p, c.v.BaseLevel+l, c.v.BaseLayer+y) {
					return true
				}
			}
		}
	}
	return false
}

// needsConversion is IMG-768 with the exemption of VK_EXT_rgba10x6_formats.
func (c *validation) needsConversion() bool {
	return c.v.Info.NeedsConversion() || c.f.NoRgba10x6 && c.v.Info.Chroma != ""
}

func isCubic(f vk.Filter) bool { return f == vk.FilterCubicEXT }

// layoutRules are §5.2: layout, format, type.
var layoutRules = []validationRule{
	{"IMG-110", func(c *validation) string {
		if c.on.Current == nil {
			return ""
		}
		wrong := c.subresources(func(p, l, y int) bool { return c.on.Current(p, l, y) != c.on.Layout })
		return is(wrong, "the descriptor says %v, a subresource is in another layout", c.on.Layout)
	}},
	{"IMG-111", func(c *validation) string {
		return is(c.in.Kind < ir.ImageQuerySize && c.in.Format != "" && c.in.Format != c.i.ImageFormat, "Image Format %s on %v", c.in.Format, c.i.Format) // IMG-769
	}},
	{"IMG-112", func(c *validation) string {
		float := c.i.Class == format.ClassFloat
		wide := !float && c.i.Components[0].Bits == 64
		return is(c.in.Kind < ir.ImageQuerySize && (c.in.Float != float || c.in.Wide != wide), "Sampled Type float %v, 64 bits %v on %v", c.in.Float, c.in.Wide, c.i.Format)
	}},
	{"IMG-113", func(c *validation) string {
		if c.in.Kind >= ir.ImageQuerySize || c.in.Kind == ir.ImageAtomic || c.i.Class == format.ClassFloat {
			return ""
		}
		signed := (c.in.Signed || c.in.Operands.SignExtend) && !c.in.Operands.ZeroExtend
		return is(signed != (c.i.Class == format.ClassSint), "an access with signed %v to %v", signed, c.i.Format)
	}},
	{"IMG-114", func(c *validation) string {
		if c.on.Current == nil || !c.v.Image.Disjoint() || !c.converted() {
			return ""
		}
		wrong := c.subresources(func(p, l, y int) bool { return c.on.Current(p, l, y) != c.on.Current(0, l, y) })
		return is(wrong, "the planes of a disjoint image are in different layouts")
	}},
	{"IMG-115", func(c *validation) string {
		return is(c.sampled() && c.aspectIs(vk.ImageAspectColorBit) && c.needsConversion() && (c.s.Ycbcr == nil || c.on.ViewConversion == nil),
			"%v without a Y′CBCR conversion in sampler and view", c.v.Format)
	}},
	{"IMG-116", func(c *validation) string {
		a := c.v.Aspect
		return is(a == 0 || a&(a-1) != 0 || a&^c.v.Image.Info.Aspects != 0 || c.v.Info.Supported() != nil, "aspect %v of %v", a, c.v.Image.Format)
	}},
	{"IMG-117", func(c *validation) string {
		if !c.sampled() || c.processing() {
			return ""
		}
		linear := c.s.MinFilter != vk.FilterNearest || c.s.MagFilter != vk.FilterNearest
		reduces := c.s.Reduction == vk.SamplerReductionModeMin || c.s.Reduction == vk.SamplerReductionModeMax
		dims := isCubic(c.s.MinFilter) || isCubic(c.s.MagFilter)
		dims = dims && c.f.CubicOnly2D && (c.cubeView() || c.v.Type == vk.ImageViewType3D)
		linear = linear && (!reduces || isCubic(c.s.MinFilter) || isCubic(c.s.MagFilter)) // integers have a minimum and a maximum
		linear = linear || c.s.MipmapMode == vk.SamplerMipmapModeLinear && c.s.Reduction == vk.SamplerReductionModeWeightedAverage && !c.s.CompareEnable
		return is(c.in.Kind == ir.ImageSample && linear && c.v.Info.Class != format.ClassFloat || dims ||
			reduces && (c.converted() || c.aspectIs(vk.ImageAspectStencilBit)), "%v, %v, %v, %v on %v", c.s.MinFilter, c.s.MagFilter, c.s.MipmapMode, c.s.Reduction, c.v.Format)
	}},
}

// plain says that an address mode clamps to edge or border.
func plainMode(m vk.SamplerAddressMode) bool {
	return m == vk.SamplerAddressModeClampToEdge || m == vk.SamplerAddressModeClampToBorder
}

// samplerRules are §5.3 to §5.5: unnormalized coordinates, subsampled images,
// comparison.
var samplerRules = []validationRule{
	{"IMG-120", func(c *validation) string {
		return is(c.unnormalized() && c.v.Type != vk.ImageViewType1D && c.v.Type != vk.ImageViewType2D, "unnormalized coordinates on %v", c.v.Type)
	}},
	{"IMG-121", func(c *validation) string {
		return is(c.unnormalized() && (c.v.Layers > 1 || c.v.Levels > 1), "unnormalized coordinates on %d layers and %d levels", c.v.Layers, c.v.Levels)
	}},
	{"IMG-122", func(c *validation) string {
		o := c.in.Operands
		return is(c.unnormalized() && (c.in.Proj || o.Offset || o.ConstOffset || o.ConstOffsets), "a projection or offset of unnormalized coordinates")
	}},
	{"IMG-123", func(c *validation) string {
		return is(c.unnormalized() && c.s.MinFilter != c.s.MagFilter, "different filters with unnormalized coordinates")
	}},
	{"IMG-124", func(c *validation) string {
		return is(c.unnormalized() && c.s.MipmapMode != vk.SamplerMipmapModeNearest, "mipmap mode LINEAR with unnormalized coordinates")
	}},
	{"IMG-125", func(c *validation) string {
		return is(c.unnormalized() && (c.s.MinLod != 0 || c.s.MaxLod != 0), "a LOD range with unnormalized coordinates")
	}},
	{"IMG-126", func(c *validation) string {
		return is(c.unnormalized() && (!plainMode(c.s.AddressModeU) || !plainMode(c.s.AddressModeV)), "%v with unnormalized coordinates", c.modes())
	}},
	{"IMG-127", func(c *validation) string {
		return is(c.unnormalized() && (c.s.AnisotropyEnable || c.s.CompareEnable), "anisotropy or comparison with unnormalized coordinates")
	}},
	{"IMG-130", func(c *validation) string {
		return is(c.subsampled() && !c.subsampledImage(), "a subsampled sampler on an ordinary image")
	}},
	{"IMG-131", func(c *validation) string {
		return is(c.sampled() && !c.s.Subsampled && c.subsampledImage(), "an ordinary sampler on a subsampled image")
	}},
	{"IMG-132", func(c *validation) string {
		o := c.in.Operands
		return is(c.subsampled() && (c.in.Kind != ir.ImageSample || c.in.Footprint || c.in.Dref || c.in.Proj || o.Offset || o.ConstOffset || o.ConstOffsets),
			"a subsampled sampler with another instruction than OpImageSampleImplicitLod and ExplicitLod, or an offset")
	}},
	{"IMG-133", func(c *validation) string {
		if !c.subsampled() {
			return ""
		}
		s := c.s
		return is(s.MinFilter != s.MagFilter || s.MipmapMode != vk.SamplerMipmapModeNearest || s.MinLod != 0 || s.MaxLod != 0 ||
			!plainMode(s.AddressModeU) || !plainMode(s.AddressModeV) || s.AnisotropyEnable || s.CompareEnable || s.UnnormalizedCoordinates,
			"the state of a subsampled sampler")
	}},
	{"IMG-135", func(c *validation) string {
		return is(c.in.Dref && c.s != nil && !c.s.CompareEnable, "a comparison without compareEnable")
	}},
	{"IMG-136", func(c *validation) string {
		return is(c.sampled() && !c.in.Dref && c.s.CompareEnable && c.in.Kind != ir.ImageQueryLod, "compareEnable and no comparison")
	}},
	{"IMG-137", func(c *validation) string {
		return is(c.in.Dref && c.depthStencil() && !c.aspectIs(vk.ImageAspectDepthBit), "a comparison of %v", c.v.Aspect)
	}},
	{"IMG-138", func(c *validation) string {
		can := c.v.Info.ImageFeatures(vk.ImageTilingOptimal)&vk.FormatFeature2SampledImageDepthComparisonBit != 0
		return is(c.in.Dref && c.aspectIs(vk.ImageAspectColorBit) && !can, "a comparison of %v", c.v.Format)
	}},
	{"IMG-139", func(c *validation) string {
		return is(c.in.Dref && c.in.Dim == ir.Dim3D || c.sampled() && c.s.CompareEnable && c.s.Reduction != vk.SamplerReductionModeWeightedAverage,
			"a comparison in 3D, or with a reduction")
	}},
}

// depthStencil says that the image has depth or stencil.
func (c *validation) depthStencil() bool {
	return c.v.Image.Info.Aspects&(vk.ImageAspectDepthBit|vk.ImageAspectStencilBit) != 0
}

func (c *validation) unnormalized() bool { return c.sampled() && c.s.UnnormalizedCoordinates }
func (c *validation) subsampled() bool   { return c.sampled() && c.s.Subsampled }
func (c *validation) subsampledImage() bool {
	return c.v.Image.Flags&vk.ImageCreateSubsampledBitEXT != 0
}

// conversionRules are §5.7.
var conversionRules = []validationRule{
	{"IMG-160", func(c *validation) string {
		other := c.in.Kind != ir.ImageSample && c.in.Kind != ir.ImageQueryLod && c.in.Kind != ir.ImageQuerySize && c.in.Kind != ir.ImageQueryLevels &&
			c.in.Kind != ir.ImageFetch && c.in.Kind != ir.ImageGather
		return is(c.converted() && (other || c.in.Footprint || c.in.Dref), "a Y′CBCR conversion with an instruction other than a sample")
	}},
	{"IMG-161", func(c *validation) string {
		return is(c.converted() && c.in.Kind == ir.ImageFetch, "a fetch through a Y′CBCR conversion")
	}},
	{"IMG-162", func(c *validation) string {
		return is(c.converted() && c.in.Kind == ir.ImageGather, "a gather through a Y′CBCR conversion")
	}},
	{"IMG-163", func(c *validation) string {
		return is(c.converted() && (c.in.Operands.ConstOffset || c.in.Operands.Offset), "an offset with a Y′CBCR conversion")
	}},
	{"IMG-164", func(c *validation) string {
		a, b := c.on.ViewConversion, c.on.ViewConversion
		if c.s != nil {
			a = c.s.Ycbcr
		}
		return is(c.sampled() && (a == nil) != (b == nil) || c.sampled() && a != nil && b != nil && *a != *b, "sampler and view have different conversions")
	}},
	{"IMG-165", func(c *validation) string {
		if c.s == nil || c.s.Ycbcr == nil {
			return ""
		}
		const edge = vk.SamplerAddressModeClampToEdge
		s := c.s
		return is(s.AddressModeU != edge || s.AddressModeV != edge || s.AddressModeW != edge || s.AnisotropyEnable || s.UnnormalizedCoordinates ||
			s.Reduction != vk.SamplerReductionModeWeightedAverage, "the state of a sampler with a Y′CBCR conversion")
	}},
	{"IMG-166", func(c *validation) string {
		return is(c.s != nil && c.s.Ycbcr != nil && c.f.NoSeparateReconstruction && (c.s.MinFilter != c.s.Ycbcr.ChromaFilter || c.s.MagFilter != c.s.Ycbcr.ChromaFilter),
			"filters other than chromaFilter")
	}},
	{"IMG-167", func(c *validation) string {
		if c.s == nil || c.s.Ycbcr == nil {
			return ""
		}
		if _, err := resource.NewYcbcrConversion(*c.s.Ycbcr); err != nil {
			return err.Error()
		}
		return ""
	}},
}
