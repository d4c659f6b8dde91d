package sampling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A use of an image instruction whose state comes by lot, and what the catalogue says of it.
type lot struct {
	*checked
	numeric string // of the view's format: a float, uint, sint or 64-bit uint
	r       *rand.Rand
	odd     *[3]int // plane, level and layer that is in another layout; nil: layouts are not tracked
	gray    bool    // a weight is neither 0 nor 1
}

// often takes a value of a list, the first one more often.
func often[T any](r *rand.Rand, first T, more ...T) T {
	if r.IntN(3) > 0 || len(more) == 0 {
		return first
	}
	return more[r.IntN(len(more))]
}

// rare is true now and then.
func rare(r *rand.Rand) bool { return r.IntN(6) == 0 }

// lotFormats are formats by what their numbers are.
var lotFormats = []struct {
	format  vk.Format
	numeric string
}{
	{vk.FormatR8G8B8A8Unorm, "float"}, {vk.FormatR8G8B8A8Srgb, "float"}, {vk.FormatR8G8B8A8Snorm, "float"}, {vk.FormatR32Sfloat, "float"}, {vk.FormatR16G16B16A16Sfloat, "float"},
	{vk.FormatB10G11R11UfloatPack32, "float"}, {vk.FormatE5B9G9R9UfloatPack32, "float"}, {vk.FormatR8Uscaled, "float"}, {vk.FormatR8G8B8A8Sscaled, "float"}, {vk.FormatB4G4R4A4UnormPack16, "float"},
	{vk.FormatB5G6R5UnormPack16, "float"}, {vk.FormatB5G5R5A1UnormPack16, "float"}, {vk.FormatA1B5G5R5UnormPack16, "float"}, {vk.FormatBc1RgbaUnormBlock, "float"}, {vk.FormatR16Unorm, "float"},
	{vk.FormatR8Uint, "uint"}, {vk.FormatR32Uint, "uint"}, {vk.FormatR16G16B16A16Uint, "uint"}, {vk.FormatR16G16Sint, "sint"}, {vk.FormatR32Sint, "sint"}, {vk.FormatR64Uint, "uint64"}, {vk.FormatR64Sint, "sint64"},
	{vk.FormatR8Unorm, "float"}, {vk.FormatB8G8R8A8Unorm, "float"}, {vk.FormatA2B10G10R10UnormPack32, "float"}, {vk.FormatR5G6B5UnormPack16, "float"}, {vk.FormatR32G32B32A32Sfloat, "float"}, {vk.FormatA8Unorm, "float"},
	{vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16, "float"}, {vk.FormatD16Unorm, "float"}, {vk.FormatD32Sfloat, "float"}, {vk.FormatS8Uint, "uint"}, {vk.FormatG8B8R8_3Plane420Unorm, "float"}, {vk.FormatG8B8R8_3Plane420Unorm, "float"}, {vk.FormatG8B8R8_3Plane420Unorm, "float"},
}

var (
	lotModes   = []vk.SamplerAddressMode{vk.SamplerAddressModeRepeat, vk.SamplerAddressModeMirroredRepeat, vk.SamplerAddressModeClampToBorder, vk.SamplerAddressModeMirrorClampToEdge}
	lotBorders = []vk.BorderColor{vk.BorderColorIntTransparentBlack, vk.BorderColorFloatOpaqueBlack, vk.BorderColorIntOpaqueBlack, vk.BorderColorFloatOpaqueWhite, vk.BorderColorIntOpaqueWhite,
		vk.BorderColorFloatCustomEXT, vk.BorderColorIntCustomEXT}
	lotTypes  = []vk.ImageViewType{vk.ImageViewType1D, vk.ImageViewType3D, vk.ImageViewTypeCube, vk.ImageViewType1DArray, vk.ImageViewType2DArray, vk.ImageViewTypeCubeArray}
	lotDims   = []ir.ImageDim{ir.Dim1D, ir.Dim3D, ir.DimCube, ir.DimBuffer, ir.DimSubpass}
	lotKinds  = []ir.ImageKind{ir.ImageFetch, ir.ImageGather, ir.ImageRead, ir.ImageWrite, ir.ImageAtomic, ir.ImageQuerySize, ir.ImageQueryLod, ir.ImageQueryLevels, ir.ImageQuerySamples, ir.ImageWeighted, ir.ImageBoxFilter, ir.ImageBlockMatch}
	lotFilter = []vk.Filter{vk.FilterLinear, vk.FilterCubicEXT}
	lotReduce = []vk.SamplerReductionMode{vk.SamplerReductionModeMin, vk.SamplerReductionModeMax, vk.SamplerReductionModeWeightedAverageRangeclampQCOM}
)

// drawUse makes a use.
func drawUse(r *rand.Rand) *lot {
	c := &lot{checked: newChecked(), r: r}
	f := lotFormats[r.IntN(len(lotFormats))]
	c.numeric = f.numeric
	d := &c.im.ImageDesc
	d.Type = often(r, vk.ImageType2D, vk.ImageType1D, vk.ImageType3D)
	d.MipLevels, d.Samples = often(r, 1, 3), often(r, 1, 2, 4, 8, 16)
	switch d.Type {
	case vk.ImageType1D:
		d.Extent, d.ArrayLayers = extent(8, 1, 1), often(r, 1, 12)
	case vk.ImageType2D:
		d.Extent, d.ArrayLayers = often(r, extent(8, 8, 1), extent(8, 4, 1), extent(1, 8, 1), extent(8, 1, 1)), often(r, 12, 1)
	default:
		d.Extent, d.ArrayLayers = often(r, extent(8, 8, 4), extent(8, 8, 1), extent(8, 1, 4), extent(1, 8, 4)), 1
	}
	if d.Samples > 1 || f.format == vk.FormatG8B8R8_3Plane420Unorm {
		d.Type, d.MipLevels, d.Extent = vk.ImageType2D, 1, extent(8, 8, 1)
	}
	if rare(r) {
		d.Flags |= vk.ImageCreateCornerSampledBitNV
	}
	if rare(r) {
		d.Flags |= vk.ImageCreateSubsampledBitEXT
	}
	if rare(r) {
		d.Usage &^= vk.ImageUsageStorageBit
	}
	plain := *d
	plain.Format, plain.Flags = f.format, 0
	if _, err := resource.NewImage(plain); err != nil {
		return drawUse(r) // there is no such image
	}
	c.format(f.format)
	v := c.v
	v.Type = often(r, vk.ImageViewType2D, lotTypes...)
	v.BaseLevel, v.Levels = often(r, 0, 1, 2), often(r, 1, 2, 3)
	v.BaseLayer, v.Layers = often(r, 0, 1, 6), often(r, 1, 2, 5, 6, 7, 12)
	v.Aspect = often(r, v.Aspect, vk.ImageAspectColorBit, vk.ImageAspectDepthBit, vk.ImageAspectStencilBit, vk.ImageAspectDepthBit|vk.ImageAspectStencilBit, vk.ImageAspectPlane0Bit, 0)
	v.MinLod = often(r, float32(0), .5, 1, 2, 3)
	if rare(r) {
		v.Components = often(r, vk.ComponentMapping{R: vk.ComponentSwizzleG}, vk.ComponentMapping{A: vk.ComponentSwizzleOne}, vk.ComponentMapping{R: vk.ComponentSwizzleR})
	}
	s := c.s
	s.AddressModeU, s.AddressModeV, s.AddressModeW = often(r, edge, lotModes...), often(r, edge, lotModes...), often(r, edge, lotModes...)
	s.BorderColor = often(r, vk.BorderColorFloatTransparentBlack, lotBorders...)
	s.HasCustomBorder = r.IntN(2) == 0
	s.CustomBorderFormat = often(r, vk.FormatUndefined, f.format, vk.FormatR32Uint, vk.FormatR16G16Sint, vk.FormatR8G8B8A8Unorm, vk.FormatB10G11R11UfloatPack32, vk.FormatR32Sfloat, vk.FormatR8Unorm, vk.FormatB8G8R8A8Unorm, vk.FormatR32G32B32A32Sfloat)
	if rare(r) {
		s.BorderMapping = &resource.BorderMapping{Components: often(r, vk.ComponentMapping{}, vk.ComponentMapping{R: vk.ComponentSwizzleG}), Srgb: r.IntN(2) == 0}
	}
	s.MinFilter, s.MagFilter = often(r, vk.FilterNearest, lotFilter...), often(r, vk.FilterNearest, lotFilter...)
	s.MipmapMode = often(r, vk.SamplerMipmapModeNearest, vk.SamplerMipmapModeLinear)
	s.MinLod, s.MaxLod = often(r, float32(0), 1, -1), often(r, float32(0), 1, 2, -1)
	s.MipLodBias = often(r, float32(0), -resource.MaxSamplerLodBias, resource.MaxSamplerLodBias, -resource.MaxSamplerLodBias-1, resource.MaxSamplerLodBias+1)
	s.AnisotropyEnable, s.CompareEnable, s.UnnormalizedCoordinates, s.NonSeamless = rare(r), rare(r), rare(r), rare(r)
	s.MaxAnisotropy = often(r, float32(1), .5, math.Nextafter32(1, 0), math.Nextafter32(resource.MaxSamplerAnisotropy, 99), resource.MaxSamplerAnisotropy, resource.MaxSamplerAnisotropy+1)
	s.Subsampled, s.ImageProcessing = rare(r), rare(r)
	s.Reduction = often(r, vk.SamplerReductionModeWeightedAverage, lotReduce...)
	if rare(r) {
		s.Ycbcr = &resource.YcbcrConversion{Format: f.format, ChromaFilter: often(r, vk.FilterNearest, vk.FilterLinear)}
	}
	if rare(r) {
		c.on.ViewConversion = &resource.YcbcrConversion{Format: f.format, ChromaFilter: often(r, vk.FilterNearest, vk.FilterLinear)}
	}
	in := &c.in
	in.Kind = often(r, ir.ImageSample, lotKinds...)
	in.Dim, in.Arrayed, in.MS = often(r, ir.Dim2D, lotDims...), rare(r), d.Samples > 1 != rare(r)
	in.Sampled = often(r, 1, 2)
	in.Implicit, in.Dref, in.Proj = r.IntN(2) == 0, rare(r), rare(r)
	in.Footprint = in.Kind == ir.ImageSample && rare(r)
	in.GatherQCOM = in.Kind == ir.ImageGather && rare(r)
	in.Granularity = r.IntN(17)
	in.Component = often(r, 0, 1, 2, 3, 4, -1)
	in.Float, in.Signed, in.Wide = (c.numeric == "float") != rare(r), r.IntN(2) == 0, (c.numeric == "uint64" || c.numeric == "sint64") != rare(r)
	in.Stage, in.Processing, in.Reserved, in.AllowSpecial = !rare(r), rare(r), rare(r), r.IntN(2) == 0
	o := &in.Operands
	o.Bias, o.Lod, o.Grad, o.MinLod, o.Sample = rare(r), rare(r), rare(r), rare(r), in.MS != rare(r)
	o.ConstOffset, o.Offset, o.ConstOffsets = rare(r), rare(r), rare(r)
	o.SignExtend, o.ZeroExtend = rare(r), rare(r)
	if rare(r) {
		o.Offsets = []int{often(r, 0, -8, 7, -9, 8), often(r, 1, -32, 31, -33, 32)}
	}
	in.BoxW, in.BoxH = often(r, float32(2), 1, math.Nextafter32(1, 0), 64, math.Nextafter32(64, 99), 0, nan), often(r, float32(2), 1, math.Nextafter32(1, 0), 64, math.Nextafter32(64, 99), nan)
	in.BlockW, in.BlockH = often(r, 2, 0, 1, 8, -1), often(r, 2, 0, 1, 8, -1)
	in.RefX, in.RefY = often(r, 0, 6, 7, -1), often(r, 0, 6, 7, -1)
	c.on.Storage, c.on.Input, c.on.SingleLayer = rare(r), rare(r), rare(r)
	if in.Kind == ir.ImageBlockMatch {
		second := *newChecked().v
		c.on.Second, c.on.SecondSampler = &second, s
	}
	c.f = Features{StrictBorderCheck: rare(r), NoBorderColorSwizzle: r.IntN(2) == 0, NoCustomBorderColors: rare(r), NoCustomBorderWithoutFormat: rare(r), NoSamplerFilterMinmax: rare(r),
		NoMinmaxMapping: rare(r), NoMirrorClampToEdge: rare(r), NoNonSeamless: rare(r), NoMinLod: rare(r), NoSeparateReconstruction: rare(r), CubicOnly2D: r.IntN(2) == 0, NoBlockMatchExtendedClamp: r.IntN(2) == 0}
	c.more()
	return c
}

// samples says that the instruction takes a sampler.
func (c *lot) samples() bool {
	return slices.Contains([]ir.ImageKind{ir.ImageSample, ir.ImageGather, ir.ImageQueryLod, ir.ImageWeighted, ir.ImageBoxFilter, ir.ImageBlockMatch}, c.in.Kind)
}

func (c *lot) processes() bool {
	return slices.Contains([]ir.ImageKind{ir.ImageWeighted, ir.ImageBoxFilter, ir.ImageBlockMatch}, c.in.Kind)
}

// used are the address modes of the view's dimensions.
func (c *lot) used() []vk.SamplerAddressMode {
	n := map[vk.ImageViewType]int{vk.ImageViewType1D: 1, vk.ImageViewType1DArray: 1, vk.ImageViewType3D: 3}[c.v.Type]
	if n == 0 {
		n = 2
	}
	return []vk.SamplerAddressMode{c.s.AddressModeU, c.s.AddressModeV, c.s.AddressModeW}[:n]
}

func (c *lot) cube() bool {
	return c.v.Type == vk.ImageViewTypeCube || c.v.Type == vk.ImageViewTypeCubeArray
}

// border says that rules of borders are judged.
func (c *lot) border() bool {
	return c.samples() && (c.f.StrictBorderCheck || !(c.cube() && !c.s.NonSeamless) && slices.Contains(c.used(), vk.SamplerAddressModeClampToBorder))
}

func (c *lot) is(list ...vk.BorderColor) bool { return slices.Contains(list, c.s.BorderColor) }

func (c *lot) custom() bool {
	return c.is(vk.BorderColorFloatCustomEXT, vk.BorderColorIntCustomEXT)
}

func (c *lot) intColor() bool {
	return c.is(vk.BorderColorIntTransparentBlack, vk.BorderColorIntOpaqueBlack, vk.BorderColorIntOpaqueWhite, vk.BorderColorIntCustomEXT)
}

// swizzled says that a mapping is not identity, each component IDENTITY or its own letter.
func swizzledBy(m vk.ComponentMapping) bool {
	for i, s := range []vk.ComponentSwizzle{m.R, m.G, m.B, m.A} {
		if s != vk.ComponentSwizzleIdentity && s != vk.ComponentSwizzleR+vk.ComponentSwizzle(i) {
			return true
		}
	}
	return false
}

func clampsTo(m vk.SamplerAddressMode) bool {
	return m == edge || m == vk.SamplerAddressModeClampToBorder
}

// conversion says that sampler or view have a Y′CBCR conversion.
func (c *lot) conversion() bool { return c.s.Ycbcr != nil || c.on.ViewConversion != nil }

func (c *lot) offsets() int {
	n := 0
	for _, has := range []bool{c.in.Operands.ConstOffset, c.in.Operands.Offset, c.in.Operands.ConstOffsets} {
		if has {
			n++
		}
	}
	return n
}

// beyond says that levels or layers lie outside the image.
func (c *lot) beyond() bool {
	layers := c.im.ArrayLayers
	if c.im.Type == vk.ImageType3D && c.v.Type != vk.ImageViewType3D {
		layers = max(int(c.im.Extent.Depth)>>c.v.BaseLevel, 1)
	}
	return c.v.BaseLevel+c.v.Levels > c.im.MipLevels || c.v.BaseLayer+c.v.Layers > layers
}

// lotRules say when a rule is broken, in the words of the catalogue.
var lotRules = map[string]func(c *lot) bool{
	"IMG-100": func(c *lot) bool { return c.border() && c.intColor() && c.numeric == "float" },
	"IMG-101": func(c *lot) bool { return c.border() && !c.intColor() && c.numeric != "float" },
	"IMG-102": func(c *lot) bool {
		return c.border() && c.is(vk.BorderColorFloatOpaqueBlack, vk.BorderColorIntOpaqueBlack) && swizzledBy(c.v.Components) && c.f.NoBorderColorSwizzle && c.s.BorderMapping == nil
	},
	"IMG-104": func(c *lot) bool {
		return c.border() && c.s.BorderMapping != nil && c.s.BorderMapping.Srgb != (c.v.Format == vk.FormatR8G8B8A8Srgb)
	},
	"IMG-106": func(c *lot) bool {
		return c.border() && c.custom() && swizzledBy(c.v.Components) && c.f.NoBorderColorSwizzle && c.s.BorderMapping == nil
	},
	"IMG-107": func(c *lot) bool {
		return c.border() && c.custom() && c.s.CustomBorderFormat != vk.FormatUndefined && c.s.CustomBorderFormat != c.v.Format
	},
	"IMG-108": func(c *lot) bool {
		return c.border() && c.custom() && c.s.CustomBorderFormat == vk.FormatUndefined &&
			slices.Contains([]vk.Format{vk.FormatB4G4R4A4UnormPack16, vk.FormatB5G6R5UnormPack16, vk.FormatB5G5R5A1UnormPack16, vk.FormatA1B5G5R5UnormPack16}, c.v.Format)
	},
	"IMG-109": func(c *lot) bool {
		kind := false
		for _, f := range lotFormats {
			kind = kind || f.format == c.s.CustomBorderFormat && (f.numeric != "float") != c.intColor()
		}
		return c.border() && c.custom() && (!c.s.HasCustomBorder || c.f.NoCustomBorderColors || c.s.CustomBorderFormat == vk.FormatUndefined && c.f.NoCustomBorderWithoutFormat || kind)
	},
	"IMG-112": func(c *lot) bool {
		return c.in.Kind != ir.ImageQuerySize && c.in.Kind != ir.ImageQueryLod && c.in.Kind != ir.ImageQueryLevels && c.in.Kind != ir.ImageQuerySamples && !c.processes() &&
			(c.in.Float != (c.numeric == "float") || c.in.Wide != (c.numeric == "uint64" || c.numeric == "sint64"))
	},
	"IMG-113": func(c *lot) bool {
		signed := c.in.Signed
		if c.in.Operands.SignExtend {
			signed = true
		}
		if c.in.Operands.ZeroExtend {
			signed = false
		}
		return slices.Contains([]ir.ImageKind{ir.ImageSample, ir.ImageFetch, ir.ImageGather, ir.ImageRead, ir.ImageWrite}, c.in.Kind) && c.numeric != "float" && signed != (c.numeric == "sint" || c.numeric == "sint64")
	},
	"IMG-116": func(c *lot) bool {
		has := c.im.Info.Aspects
		single := slices.Contains([]vk.ImageAspectFlags{vk.ImageAspectColorBit, vk.ImageAspectDepthBit, vk.ImageAspectStencilBit, vk.ImageAspectPlane0Bit, vk.ImageAspectPlane1Bit, vk.ImageAspectPlane2Bit}, c.v.Aspect)
		return !single || c.v.Aspect&has == 0
	},
	"IMG-117": func(c *lot) bool {
		if !c.samples() || c.processes() {
			return false
		}
		filter := func(f vk.Filter) bool { return c.s.MinFilter == f || c.s.MagFilter == f }
		reduces := c.s.Reduction == vk.SamplerReductionModeMin || c.s.Reduction == vk.SamplerReductionModeMax
		cubic := filter(vk.FilterCubicEXT)
		mips := c.s.MipmapMode == vk.SamplerMipmapModeLinear && c.s.Reduction == vk.SamplerReductionModeWeightedAverage && !c.s.CompareEnable
		solid := c.v.Type == vk.ImageViewType3D || c.v.Type == vk.ImageViewTypeCube || c.v.Type == vk.ImageViewTypeCubeArray
		return c.in.Kind == ir.ImageSample && (filter(vk.FilterLinear) && !reduces || cubic || mips) && c.numeric != "float" || cubic && c.f.CubicOnly2D && solid ||
			reduces && (c.conversion() || c.v.Aspect == vk.ImageAspectStencilBit)
	},
	"IMG-120": func(c *lot) bool {
		return c.samples() && c.s.UnnormalizedCoordinates && c.v.Type != vk.ImageViewType1D && c.v.Type != vk.ImageViewType2D
	},
	"IMG-121": func(c *lot) bool {
		return c.samples() && c.s.UnnormalizedCoordinates && (c.v.Layers > 1 || c.v.Levels > 1)
	},
	"IMG-122": func(c *lot) bool {
		return c.samples() && c.s.UnnormalizedCoordinates && (c.in.Proj || c.offsets() > 0)
	},
	"IMG-123": func(c *lot) bool { return c.samples() && c.s.UnnormalizedCoordinates && c.s.MinFilter != c.s.MagFilter },
	"IMG-124": func(c *lot) bool {
		return c.samples() && c.s.UnnormalizedCoordinates && c.s.MipmapMode != vk.SamplerMipmapModeNearest
	},
	"IMG-125": func(c *lot) bool {
		return c.samples() && c.s.UnnormalizedCoordinates && (c.s.MinLod != 0 || c.s.MaxLod != 0)
	},
	"IMG-126": func(c *lot) bool {
		return c.samples() && c.s.UnnormalizedCoordinates && !(clampsTo(c.s.AddressModeU) && clampsTo(c.s.AddressModeV))
	},
	"IMG-127": func(c *lot) bool {
		return c.samples() && c.s.UnnormalizedCoordinates && (c.s.AnisotropyEnable || c.s.CompareEnable)
	},
	"IMG-130": func(c *lot) bool {
		return c.samples() && c.s.Subsampled && c.im.Flags&vk.ImageCreateSubsampledBitEXT == 0
	},
	"IMG-131": func(c *lot) bool {
		return c.samples() && !c.s.Subsampled && c.im.Flags&vk.ImageCreateSubsampledBitEXT != 0
	},
	"IMG-132": func(c *lot) bool {
		plain := c.in.Kind == ir.ImageSample && !c.in.Footprint && !c.in.Dref && !c.in.Proj
		return c.samples() && c.s.Subsampled && (!plain || c.offsets() > 0)
	},
	"IMG-133": func(c *lot) bool {
		return c.samples() && c.s.Subsampled && (c.s.MinFilter != c.s.MagFilter || c.s.MipmapMode != vk.SamplerMipmapModeNearest || c.s.MinLod != 0 || c.s.MaxLod != 0 ||
			!clampsTo(c.s.AddressModeU) || !clampsTo(c.s.AddressModeV) || c.s.AnisotropyEnable || c.s.CompareEnable || c.s.UnnormalizedCoordinates)
	},
	"IMG-135": func(c *lot) bool { return c.in.Dref && !c.s.CompareEnable },
	"IMG-136": func(c *lot) bool {
		return c.samples() && !c.in.Dref && c.in.Kind != ir.ImageQueryLod && c.s.CompareEnable
	},
	"IMG-139": func(c *lot) bool {
		return c.in.Dref && c.in.Dim == ir.Dim3D || c.samples() && c.s.CompareEnable && c.s.Reduction != vk.SamplerReductionModeWeightedAverage
	},
	"IMG-140": func(c *lot) bool { return c.variable(vk.ImageViewType1D, ir.Dim1D, false, false) },
	"IMG-141": func(c *lot) bool { return c.variable(vk.ImageViewType2D, ir.Dim2D, false, true) },
	"IMG-142": func(c *lot) bool { return c.variable(vk.ImageViewType3D, ir.Dim3D, false, false) },
	"IMG-143": func(c *lot) bool { return c.variable(vk.ImageViewTypeCube, ir.DimCube, false, false) },
	"IMG-144": func(c *lot) bool { return c.variable(vk.ImageViewType1DArray, ir.Dim1D, true, false) },
	"IMG-145": func(c *lot) bool { return c.variable(vk.ImageViewType2DArray, ir.Dim2D, true, true) },
	"IMG-146": func(c *lot) bool { return c.variable(vk.ImageViewTypeCubeArray, ir.DimCube, true, false) },
	"IMG-147": func(c *lot) bool {
		array := c.v.Type == vk.ImageViewType1DArray || c.v.Type == vk.ImageViewType2DArray
		return c.on.SingleLayer && !c.in.Arrayed && array && c.v.Layers != 1
	},
	"IMG-148": func(c *lot) bool { return c.in.MS && c.im.Samples == 1 },
	"IMG-149": func(c *lot) bool { return !c.in.MS && c.im.Samples > 1 },
	"IMG-150": func(c *lot) bool { // of views inside their image: IMG-152
		w, h := max(c.im.Extent.Width>>c.v.BaseLevel, 1), max(c.im.Extent.Height>>c.v.BaseLevel, 1)
		return c.cube() && !c.beyond() && (w != h || c.v.Layers%6 != 0 || c.v.Type == vk.ImageViewTypeCube && c.v.Layers != 6)
	},
	"IMG-151": func(c *lot) bool {
		return (c.on.Storage || c.on.Input || c.conversion()) && swizzledBy(c.v.Components)
	},
	"IMG-152": func(c *lot) bool { return c.beyond() },
	"IMG-153": func(c *lot) bool {
		return c.samples() && c.im.Flags&vk.ImageCreateCornerSampledBitNV != 0 && slices.ContainsFunc(c.used(), func(m vk.SamplerAddressMode) bool { return m != edge })
	},
	"IMG-155": func(c *lot) bool {
		return c.in.Footprint && c.in.Dim == ir.Dim2D && (c.s.AddressModeU != edge || c.s.AddressModeV != edge)
	},
	"IMG-156": func(c *lot) bool {
		return c.in.Footprint && c.in.Dim == ir.Dim3D && (c.s.AddressModeU != edge || c.s.AddressModeV != edge || c.s.AddressModeW != edge)
	},
	"IMG-157": func(c *lot) bool {
		two, three := []int{1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15}, []int{1, 3, 10, 11, 12, 13, 14}
		fits := c.in.Dim == ir.Dim2D && slices.Contains(two, c.in.Granularity) || c.in.Dim == ir.Dim3D && slices.Contains(three, c.in.Granularity)
		return c.in.Footprint && (!fits || c.in.Arrayed || c.in.MS)
	},
	"IMG-158": func(c *lot) bool {
		return c.v.MinLod > float32(c.v.BaseLevel+c.v.Levels-1) || c.v.MinLod != 0 && c.f.NoMinLod
	},
	"IMG-161": func(c *lot) bool { return c.conversion() && c.in.Kind == ir.ImageFetch },
	"IMG-162": func(c *lot) bool { return c.conversion() && c.in.Kind == ir.ImageGather },
	"IMG-163": func(c *lot) bool { return c.conversion() && (c.in.Operands.ConstOffset || c.in.Operands.Offset) },
	"IMG-164": func(c *lot) bool {
		a, b := c.s.Ycbcr, c.on.ViewConversion
		return c.samples() && ((a == nil) != (b == nil) || a != nil && a.ChromaFilter != b.ChromaFilter)
	},
	"IMG-165": func(c *lot) bool {
		return c.s.Ycbcr != nil && (c.s.AddressModeU != edge || c.s.AddressModeV != edge || c.s.AddressModeW != edge || c.s.AnisotropyEnable || c.s.UnnormalizedCoordinates ||
			c.s.Reduction != vk.SamplerReductionModeWeightedAverage)
	},
	"IMG-166": func(c *lot) bool {
		return c.s.Ycbcr != nil && c.f.NoSeparateReconstruction && (c.s.MinFilter != c.s.Ycbcr.ChromaFilter || c.s.MagFilter != c.s.Ycbcr.ChromaFilter)
	},
	"IMG-170": func(c *lot) bool {
		low, high := -8, 7
		if c.in.Kind == ir.ImageGather {
			low, high = -32, 31
		}
		for _, x := range c.in.Operands.Offsets {
			if x < low || x > high {
				return true
			}
		}
		return c.offsets() > 1 || c.offsets() > 0 && c.in.Dim == ir.DimCube || c.in.Operands.ConstOffsets && c.in.Kind != ir.ImageGather
	},
	"IMG-171": func(c *lot) bool { return c.in.Proj && (c.in.Dim == ir.DimCube || c.in.Arrayed) },
	"IMG-172": func(c *lot) bool {
		o, implicit, explicit := c.in.Operands, c.in.Kind == ir.ImageSample && c.in.Implicit, c.in.Kind == ir.ImageSample && !c.in.Implicit
		return o.Bias && !implicit || explicit && o.Lod == o.Grad || implicit && (o.Lod || o.Grad) || o.MinLod && !implicit && !(explicit && o.Grad) ||
			c.in.MS && (o.Bias || o.Lod || o.Grad || o.MinLod)
	},
	"IMG-173": func(c *lot) bool {
		return slices.Contains([]ir.ImageKind{ir.ImageFetch, ir.ImageRead, ir.ImageWrite}, c.in.Kind) && c.in.Operands.Sample != c.in.MS
	},
	"IMG-174": func(c *lot) bool {
		gather := c.in.Kind == ir.ImageGather
		return gather && (c.in.Component < 0 || c.in.Component > 3) || gather && c.in.Dim != ir.Dim2D && c.in.Dim != ir.DimCube ||
			c.in.Kind == ir.ImageFetch && c.in.Dim == ir.DimCube || c.samples() && c.in.MS || c.in.Reserved && !c.in.AllowSpecial
	},
	"IMG-175": func(c *lot) bool {
		s := c.s
		return c.samples() && (s.MipLodBias > resource.MaxSamplerLodBias || s.MipLodBias < -resource.MaxSamplerLodBias || s.MaxLod < s.MinLod ||
			s.AnisotropyEnable && (s.MaxAnisotropy < 1 || s.MaxAnisotropy > resource.MaxSamplerAnisotropy || s.MinFilter == vk.FilterCubicEXT || s.MagFilter == vk.FilterCubicEXT) ||
			slices.Contains(c.used(), vk.SamplerAddressModeMirrorClampToEdge) && c.f.NoMirrorClampToEdge || s.NonSeamless && c.f.NoNonSeamless)
	},
	"IMG-176": func(c *lot) bool {
		reduces := c.s.Reduction == vk.SamplerReductionModeMin || c.s.Reduction == vk.SamplerReductionModeMax
		r := c.v.Components.R != vk.ComponentSwizzleIdentity && c.v.Components.R != vk.ComponentSwizzleR
		return c.samples() && (c.s.Reduction != vk.SamplerReductionModeWeightedAverage && c.f.NoSamplerFilterMinmax || reduces && r && c.f.NoMinmaxMapping)
	},
	"IMG-177": func(c *lot) bool {
		return !c.in.Stage && (c.in.Kind == ir.ImageQueryLod || c.in.Kind == ir.ImageSample && c.in.Implicit)
	},
	"IMG-179": func(c *lot) bool {
		sizeLod, size := c.in.Kind == ir.ImageQuerySize && c.in.Operands.Lod, c.in.Kind == ir.ImageQuerySize && !c.in.Operands.Lod
		return c.in.Sampled == 2 && (sizeLod || c.in.Kind == ir.ImageQueryLod || c.in.Kind == ir.ImageQueryLevels) || sizeLod && c.in.MS || size && c.in.Sampled == 1 && !c.in.MS ||
			c.in.Kind == ir.ImageQuerySamples && !c.in.MS
	},
	"IMG-180": func(c *lot) bool {
		s := c.s
		seen := s.AddressModeU == vk.SamplerAddressModeClampToBorder || s.AddressModeV == vk.SamplerAddressModeClampToBorder
		return c.samples() && s.ImageProcessing && (s.MinFilter != vk.FilterNearest || s.MagFilter != vk.FilterNearest || s.MipmapMode != vk.SamplerMipmapModeNearest || s.MinLod != 0 || s.MaxLod != 0 ||
			!clampsTo(s.AddressModeU) || !clampsTo(s.AddressModeV) || seen && s.BorderColor != vk.BorderColorFloatTransparentBlack || s.AnisotropyEnable || s.CompareEnable)
	},
	"IMG-181": func(c *lot) bool {
		return c.samples() && c.in.Kind != ir.ImageQueryLod && !c.in.GatherQCOM && c.s.ImageProcessing != c.processes()
	},
	"IMG-185": func(c *lot) bool {
		return c.in.Kind == ir.ImageBoxFilter && (c.in.BoxW < 1 || c.in.BoxW > 64 || c.in.BoxH < 1 || c.in.BoxH > 64 || c.in.BoxW != c.in.BoxW || c.in.BoxH != c.in.BoxH)
	},
	"IMG-187": func(c *lot) bool { return c.in.Kind == ir.ImageBlockMatch && (c.in.BlockW <= 0 || c.in.BlockH <= 0) },
	"IMG-188": func(c *lot) bool {
		extended := !c.f.NoBlockMatchExtendedClamp && c.s.AddressModeU == edge && c.s.AddressModeV == edge
		return c.in.Kind == ir.ImageBlockMatch && c.on.Second != nil && !extended && (c.in.RefX < 0 || c.in.RefX+c.in.BlockW > 8 || c.in.RefY < 0 || c.in.RefY+c.in.BlockH > 8)
	},
	"IMG-190": func(c *lot) bool { return c.in.Processing && !c.processes() },
}

// variable is IMG-140 to IMG-146 for one type of view.
func (c *lot) variable(t vk.ImageViewType, dim ir.ImageDim, arrayed, ms bool) bool {
	if c.v.Type != t || c.on.Input {
		return false
	}
	free := c.on.SingleLayer && t != vk.ImageViewType3D
	return c.in.Dim != dim || c.in.Arrayed != arrayed && !free || c.in.MS && !ms
}

// Uses by lot break each rule where the catalogue says so, and only there.
func TestValidate_UsesByLot(t *testing.T) {
	rules.Covers(t, "IMG-100", "IMG-101", "IMG-102", "IMG-104", "IMG-106", "IMG-107", "IMG-108", "IMG-109", "IMG-196", "IMG-112", "IMG-113", "IMG-116", "IMG-117",
		"IMG-120", "IMG-121", "IMG-122", "IMG-123", "IMG-124", "IMG-125", "IMG-126", "IMG-127", "IMG-130", "IMG-131", "IMG-132", "IMG-133", "IMG-135", "IMG-136", "IMG-139",
		"IMG-140", "IMG-141", "IMG-142", "IMG-143", "IMG-144", "IMG-145", "IMG-146", "IMG-147", "IMG-148", "IMG-149", "IMG-150", "IMG-151", "IMG-152", "IMG-153", "IMG-155", "IMG-156",
		"IMG-157", "IMG-158", "IMG-161", "IMG-162", "IMG-163", "IMG-164", "IMG-165", "IMG-166", "IMG-170", "IMG-171", "IMG-172", "IMG-173", "IMG-174", "IMG-175", "IMG-176", "IMG-177",
		"IMG-179", "IMG-180", "IMG-181", "IMG-185", "IMG-187", "IMG-188", "IMG-190", "IMG-504", "IMG-103", "IMG-110", "IMG-111", "IMG-114", "IMG-115", "IMG-137", "IMG-138", "IMG-154",
		"IMG-178", "IMG-182", "IMG-183", "IMG-184", "IMG-186", "IMG-189", "IMG-769")
	n := 60000
	if testing.Short() {
		n = 20000
	}
	r := rand.New(rand.NewPCG(196, 0))
	broken := map[string]int{}
	for range n {
		c := drawUse(r)
		told := map[string]bool{}
		for _, e := range c.all() {
			told[e.Rule] = true
		}
		for id, is := range lotRules {
			want := is(c)
			if want {
				broken[id]++
			}
			if told[id] != want {
				t.Fatalf("%s is told: %v, of\n%+v\n%+v, view %+v of %+v\n%+v\n%+v", id, told[id], c.in, c.on, *c.v, c.im.ImageDesc, *c.s, c.f)
			}
		}
	}
	for id := range lotRules {
		if broken[id] < 10 || broken[id] > n-10 {
			t.Errorf("%d of %d uses break %s", broken[id], n, id)
		}
	}
}
