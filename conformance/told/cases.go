package told

import (
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/internal/spirv/imagemodule"
	"github.com/pumice-gpu/pumice/vk"
)

const (
	edge   = vk.SamplerAddressModeClampToEdge
	border = vk.SamplerAddressModeClampToBorder
	color  = vk.ImageAspectColorBit
)

// Reasons why a rule cannot be broken on one face.
const (
	noBorders     = "its samplers have no custom border colours and no border mappings"
	noConversions = "it has no Y′CBCR conversions"
	noLayouts     = "its images have no layouts"
	allFeatures   = "it has all features on"
	noFlags       = "its samplers have no such flag"
	noWeights     = "its views have no weights"
)

// Unbreakable are the rules of validation that no program can break, and why.
var Unbreakable = map[string]string{
	"IMG-134": "says what subsampled images hold, and forbids nothing",
	"IMG-166": "asks for formats without SEPARATE_RECONSTRUCTION_FILTER, and every format with conversions has it",
	"IMG-195": "says what is no error",
	"IMG-196": "says when the rules on borders are judged",
}

// plain is a program that breaks no rule: a compute shader that samples a 2D image of 4×4 texels at an explicit level.
func plain() Case {
	return Case{
		Module: imagemodule.Instruction{Op: spirv.OpImageSampleExplicitLod, Dim: spirv.Dim2D, Sampled: 1, Number: "float", Mask: spirv.ImageOperandsLod, Stage: spirv.ExecutionModelGLCompute},
		Image: Image{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Width: 4, Height: 4, Depth: 1, Levels: 1, Layers: 1, Samples: 1, Usage: vk.ImageUsageSampledBit,
			ViewType: vk.ImageViewType2D, Aspect: color, ViewLevels: 1, Views: 1},
		Sampler:    &Sampler{SamplerCreateInfo: vk.SamplerCreateInfo{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge}},
		Descriptor: vk.DescriptorTypeSampledImage, Layout: vk.ImageLayoutGeneral, Where: "OpImageSampleExplicitLod of the compute shader on set 0, binding 0",
	}
}

// Plain is a program that breaks no rule.
func Plain() Case { return plain() }

type edit = func(c *Case)

// of makes a case of the plain one.
func of(rule, what string, edits ...edit) Case {
	c := plain()
	c.Rule, c.What = rule, what
	for _, e := range edits {
		e(&c)
	}
	return c
}

func op(o spirv.Op) edit {
	return func(c *Case) {
		c.Module.Op = o
		c.Where = o.String() + " of the compute shader on set 0, binding 0"
		if o != spirv.OpImageSampleExplicitLod && o != spirv.OpImageSampleDrefExplicitLod {
			c.Module.Mask = 0
		}
		switch o {
		case spirv.OpImageFetch, spirv.OpImageRead, spirv.OpImageWrite, spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod:
			c.Sampler = nil
		}
		switch o {
		case spirv.OpImageRead, spirv.OpImageWrite:
			c.Module.Sampled, c.Descriptor, c.Image.Usage = 2, vk.DescriptorTypeStorageImage, vk.ImageUsageStorageBit
		}
	}
}
func mask(m spirv.ImageOperands) edit { return func(c *Case) { c.Module.Mask |= m } }
func format(f vk.Format) edit         { return func(c *Case) { c.Image.Format = f } }
func number(n string) edit            { return func(c *Case) { c.Module.Number = n } }
func sampler(f func(s *Sampler)) edit { return func(c *Case) { f(c.Sampler) } }
func image(f func(i *Image)) edit     { return func(c *Case) { f(&c.Image) } }
func module(f func(m *imagemodule.Instruction)) edit {
	return func(c *Case) { f(&c.Module) }
}
func noGo(why string) edit { return func(c *Case) { c.NoGo = why } }
func features(f Features) edit {
	return func(c *Case) { c.Features |= f }
}
func borders(b vk.BorderColor) edit {
	return sampler(func(s *Sampler) { s.AddressModeU, s.BorderColor = border, b })
}
func custom(b Border) edit {
	return func(c *Case) {
		borders(vk.BorderColorFloatCustomEXT)(c)
		c.Sampler.Border = &b
		c.Features |= CustomBorders | CustomBorderWithoutFormat
		c.NoGo = noBorders
	}
}

var swizzled = vk.ComponentMapping{R: vk.ComponentSwizzleB, B: vk.ComponentSwizzleR}

func swizzle(c *Case) { c.Image.Components = swizzled }

// made says that an object cannot be made, by a valid-usage statement: where names the call in Go and in C.
func made(vuid, where string) edit {
	return func(c *Case) { c.Names, c.Where, c.Made = "VUID-"+vuid, where, true }
}

// spoken says that the module is told of.
func spoken(c *Case) { c.Where = c.Module.Op.String() + ": " }

func unnormalized(c *Case) { c.Sampler.UnnormalizedCoordinates = true }

// shape makes the image one of a dimension, whatever the shader takes it for.
func shape(t vk.ImageViewType) edit {
	return func(c *Case) {
		i := &c.Image
		i.ViewType = t
		switch t {
		case vk.ImageViewType1D, vk.ImageViewType1DArray:
			i.Type, i.Height = vk.ImageType1D, 1
		case vk.ImageViewType3D:
			i.Type, i.Depth = vk.ImageType3D, 4
		case vk.ImageViewTypeCube, vk.ImageViewTypeCubeArray:
			i.Flags, i.Layers, i.Views = vk.ImageCreateCubeCompatibleBit, 6, 6
		case vk.ImageViewType2D, vk.ImageViewType2DArray:
		}
	}
}

// converted gives sampler and view a conversion of the image's format.
func converted(c *Case) {
	c.Conversion = &Conversion{Format: c.Image.Format}
	c.Image.Conversion = true
	if c.Sampler != nil {
		c.Sampler.Conversion = true
	}
	c.NoGo = noConversions
	c.Where = c.Module.Op.String() + " of the compute shader on set 0, binding 0"
}

// processing makes it an instruction of image processing, with a sampler for that.
func processing(o spirv.Op) edit {
	return func(c *Case) {
		op(o)(c)
		c.Features |= Processing
		c.Image.Format = vk.FormatR8Unorm
		c.Sampler = &Sampler{SamplerCreateInfo: vk.SamplerCreateInfo{Flags: vk.SamplerCreateImageProcessingBitQCOM, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge}}
		c.Module.Box, c.Module.Block = 1, 1
		switch o {
		case spirv.OpImageSampleWeightedQCOM:
			c.Second, c.SecondType = OwnSecond, vk.DescriptorTypeSampleWeightImageQCOM
			c.Other = c.Image
			c.Other.ViewType, c.Other.Usage, c.Other.Weights = vk.ImageViewType2DArray, vk.ImageUsageSampleWeightBitQCOM|vk.ImageUsageTransferDstBit, &Weights{Width: 1, Height: 1, Phases: 1}
		case spirv.OpImageBoxFilterQCOM:
		default:
			c.Module.Decorated = spirv.DecorationBlockMatchTextureQCOM
			c.Second, c.SecondType, c.Descriptor = SameSecond, vk.DescriptorTypeBlockMatchImageQCOM, vk.DescriptorTypeBlockMatchImageQCOM
			c.Image.Usage |= vk.ImageUsageSampleBlockMatchBitQCOM
			c.Sampler.UnnormalizedCoordinates = true
		}
	}
}

func footprint(granularity uint32) edit {
	return func(c *Case) {
		c.Module.Op, c.Module.Granularity = spirv.OpImageSampleFootprintNV, granularity
		c.Where = "OpImageSampleFootprintNV of the compute shader on set 0, binding 0"
		c.Features |= Footprints
	}
}

// Cases are the programs, in the order of their rules.
func Cases() []Case {
	const linear = vk.FilterLinear
	cases := []Case{
		of("IMG-100", "INT_OPAQUE_BLACK on UNORM", borders(vk.BorderColorIntOpaqueBlack)),
		of("IMG-101", "FLOAT_OPAQUE_BLACK on UINT", borders(vk.BorderColorFloatOpaqueBlack), format(vk.FormatR8G8B8A8Uint), number("uint")),
		of("IMG-102", "FLOAT_OPAQUE_BLACK through a swizzle", borders(vk.BorderColorFloatOpaqueBlack), swizzle, noGo(allFeatures)),
		of("IMG-103", "a mapping other than the view's", borders(vk.BorderColorFloatOpaqueBlack), sampler(func(s *Sampler) { s.Mapping = &Mapping{Components: swizzled} }), noGo(noBorders)),
		of("IMG-104", "a mapping that says sRGB of UNORM", borders(vk.BorderColorFloatOpaqueBlack), sampler(func(s *Sampler) { s.Mapping = &Mapping{Srgb: true} }), noGo(noBorders)),
		of("IMG-105", "a border of 2 on UNORM", custom(Border{Color: [4]uint32{math.Float32bits(2)}})),
		of("IMG-106", "a custom border through a swizzle", custom(Border{}), swizzle),
		of("IMG-107", "a border for R8_UNORM", custom(Border{Format: vk.FormatR8Unorm})),
		of("IMG-108", "a border without a format on B5G6R5", custom(Border{}), format(vk.FormatB5G6R5UnormPack16), noGo("")),
		of("IMG-109", "a custom border without customBorderColors", custom(Border{}), func(c *Case) { c.Features = 0 }, noGo("")),
		of("IMG-110", "another layout than the descriptor's", func(c *Case) {
			c.Layout, c.NoGo, c.Names, c.Where = vk.ImageLayoutShaderReadOnlyOptimal, noLayouts, "IMG-110", "set 0, binding 0 reads"
		}),
		of("IMG-111", "Rgba8 on R16G16B16A16_SFLOAT", op(spirv.OpImageWrite), format(vk.FormatR16G16B16A16Sfloat), module(func(m *imagemodule.Instruction) { m.Format = spirv.ImageFormatRgba8 })),
		of("IMG-112", "floats of UINT", format(vk.FormatR8G8B8A8Uint)),
		of("IMG-113", "unsigned integers of SINT", format(vk.FormatR8G8B8A8Sint), number("uint")),
		of("IMG-114", "planes in two layouts", format(vk.FormatG8B8R8_3Plane420Unorm), converted, func(c *Case) {
			c.Image.Flags = vk.ImageCreateDisjointBit
			c.Image.Layouts = []Layout{{vk.ImageAspectPlane0Bit, vk.ImageLayoutGeneral}, {vk.ImageAspectPlane1Bit, vk.ImageLayoutShaderReadOnlyOptimal}, {vk.ImageAspectPlane2Bit, vk.ImageLayoutGeneral}}
			c.NoGo, c.Names, c.Where = noLayouts, "IMG-114", "set 0, binding 0 reads"
		}),
		of("IMG-115", "a format of three planes without a conversion", format(vk.FormatG8B8R8_3Plane420Unorm)),
		of("IMG-116", "depth and stencil at once", format(vk.FormatD24UnormS8Uint), image(func(i *Image) { i.Aspect = vk.ImageAspectDepthBit | vk.ImageAspectStencilBit })),
		of("IMG-117", "mipmapMode LINEAR on UINT", format(vk.FormatR8G8B8A8Uint), number("uint"), sampler(func(s *Sampler) { s.MipmapMode = vk.SamplerMipmapModeLinear })),
		of("IMG-117", "minFilter LINEAR on UINT", format(vk.FormatR8G8B8A8Uint), number("uint"), sampler(func(s *Sampler) { s.MinFilter = linear })),
		of("IMG-120", "an array", unnormalized, shape(vk.ImageViewType2DArray), module(func(m *imagemodule.Instruction) { m.Arrayed = true })),
		of("IMG-121", "two levels", unnormalized, image(func(i *Image) { i.Levels, i.ViewLevels = 2, 2 })),
		of("IMG-122", "an offset", unnormalized, mask(spirv.ImageOperandsConstOffset)),
		of("IMG-123", "two filters", unnormalized, sampler(func(s *Sampler) { s.MinFilter = linear }), made("VkSamplerCreateInfo-unnormalizedCoordinates-01072", "NewSampler")),
		of("IMG-124", "mipmapMode LINEAR", unnormalized, sampler(func(s *Sampler) { s.MipmapMode = vk.SamplerMipmapModeLinear }), made("VkSamplerCreateInfo-unnormalizedCoordinates-01073", "NewSampler")),
		of("IMG-125", "levels 0 to 1", unnormalized, sampler(func(s *Sampler) { s.MinLod, s.MaxLod = 1, 1 }), made("VkSamplerCreateInfo-unnormalizedCoordinates-01074", "NewSampler")),
		of("IMG-126", "REPEAT", unnormalized, sampler(func(s *Sampler) { s.AddressModeU = vk.SamplerAddressModeRepeat }), made("VkSamplerCreateInfo-unnormalizedCoordinates-01075", "NewSampler")),
		of("IMG-127", "a comparison", unnormalized, sampler(func(s *Sampler) { s.CompareEnable = true }), made("VkSamplerCreateInfo-unnormalizedCoordinates-01077", "NewSampler")),
		of("IMG-130", "an ordinary image", features(DensityMaps), sampler(func(s *Sampler) { s.Flags = vk.SamplerCreateSubsampledBitEXT }), noGo(noFlags)),
		of("IMG-131", "an ordinary sampler", features(DensityMaps), image(func(i *Image) { i.Flags = vk.ImageCreateSubsampledBitEXT })),
		of("IMG-132", "an offset", features(DensityMaps), image(func(i *Image) { i.Flags = vk.ImageCreateSubsampledBitEXT }), sampler(func(s *Sampler) { s.Flags = vk.SamplerCreateSubsampledBitEXT }),
			mask(spirv.ImageOperandsConstOffset), noGo(noFlags)),
		of("IMG-133", "a level", features(DensityMaps), image(func(i *Image) { i.Flags = vk.ImageCreateSubsampledBitEXT }), sampler(func(s *Sampler) { s.Flags, s.MaxLod = vk.SamplerCreateSubsampledBitEXT, 1 }), noGo(noFlags)),
		of("IMG-135", "a comparison without compareEnable", op(spirv.OpImageSampleDrefExplicitLod), format(vk.FormatD16Unorm), depth),
		of("IMG-136", "compareEnable without a comparison", format(vk.FormatD16Unorm), depth, sampler(func(s *Sampler) { s.CompareEnable = true })),
		of("IMG-137", "stencil", op(spirv.OpImageSampleDrefExplicitLod), format(vk.FormatD24UnormS8Uint), image(func(i *Image) { i.Aspect = vk.ImageAspectStencilBit }), compares),
		of("IMG-138", "colours of four components", op(spirv.OpImageSampleDrefExplicitLod), compares),
		of("IMG-139", "a comparison in 3D", op(spirv.OpImageSampleDrefExplicitLod), shape(vk.ImageViewType3D), format(vk.FormatR8Unorm), compares, module(func(m *imagemodule.Instruction) { m.Dim = spirv.Dim3D }), spoken),
		of("IMG-140", "a 2D shader", shape(vk.ImageViewType1D)),
		of("IMG-141", "a shader for arrays", module(func(m *imagemodule.Instruction) { m.Arrayed = true })),
		of("IMG-142", "a 2D shader", shape(vk.ImageViewType3D)),
		of("IMG-143", "a 2D shader", shape(vk.ImageViewTypeCube)),
		of("IMG-144", "a 1D shader", shape(vk.ImageViewType1DArray), module(func(m *imagemodule.Instruction) { m.Dim = spirv.Dim1D })),
		of("IMG-145", "a shader without layers", shape(vk.ImageViewType2DArray)),
		of("IMG-146", "a shader for one cube", shape(vk.ImageViewTypeCubeArray), module(func(m *imagemodule.Instruction) { m.Dim = spirv.DimCube })),
		of("IMG-147", "two layers of an image for single ones", shape(vk.ImageViewType2DArray), image(func(i *Image) { i.Flags, i.Layers, i.Views = vk.ImageCreateAliasSingleLayerDescriptorBitKHR, 2, 2 })),
		of("IMG-148", "an image of one sample", op(spirv.OpImageFetch), mask(spirv.ImageOperandsSample), module(func(m *imagemodule.Instruction) { m.MS = true })),
		of("IMG-149", "an image of four samples", op(spirv.OpImageFetch), image(func(i *Image) { i.Samples = 4 })),
		of("IMG-150", "a cube of five layers", shape(vk.ImageViewTypeCube), image(func(i *Image) { i.Views = 5 }), made("VkImageViewCreateInfo-viewType-02960", "NewView")),
		of("IMG-151", "a swizzle on a storage image", op(spirv.OpImageWrite), swizzle),
		of("IMG-152", "two levels of one", image(func(i *Image) { i.ViewLevels = 2 }), made("VkImageViewCreateInfo-subresourceRange-01718", "NewView")),
		of("IMG-153", "REPEAT", features(CornerSampled), image(func(i *Image) { i.Flags = vk.ImageCreateCornerSampledBitNV }), sampler(func(s *Sampler) { s.AddressModeU = vk.SamplerAddressModeRepeat })),
		of("IMG-154", "1D", features(CornerSampled), shape(vk.ImageViewType1D), image(func(i *Image) { i.Flags = vk.ImageCreateCornerSampledBitNV }), made("VkImageCreateInfo-flags-02050", "a 1D image that is corner-sampled")),
		of("IMG-155", "REPEAT", footprint(1), sampler(func(s *Sampler) { s.AddressModeV = vk.SamplerAddressModeRepeat })),
		of("IMG-156", "REPEAT", footprint(1), shape(vk.ImageViewType3D), module(func(m *imagemodule.Instruction) { m.Dim = spirv.Dim3D }), sampler(func(s *Sampler) { s.AddressModeW = vk.SamplerAddressModeRepeat })),
		of("IMG-157", "granularity 20", footprint(20)),
		of("IMG-158", "level 1 of one", image(func(i *Image) { i.MinLod = 1 }), made("VkImageViewMinLodCreateInfoEXT-minLod-06456", "NewView")),
		of("IMG-158", "a least level without minLod", image(func(i *Image) { i.MinLod, i.Levels, i.ViewLevels = 1, 2, 2 }), noGo(allFeatures)),
		of("IMG-160", "a read", op(spirv.OpImageRead), converted),
		of("IMG-161", "a fetch", op(spirv.OpImageFetch), converted),
		of("IMG-162", "a gather", op(spirv.OpImageGather), converted),
		of("IMG-163", "an offset", mask(spirv.ImageOperandsConstOffset), converted),
		of("IMG-164", "a sampler without the view's", converted, sampler(func(s *Sampler) { s.Conversion = false })),
		of("IMG-165", "REPEAT", converted, sampler(func(s *Sampler) { s.AddressModeU = vk.SamplerAddressModeRepeat }), made("VkSamplerCreateInfo-addressModeU-01646", "NewSampler")),
		of("IMG-167", "green as red of 420", format(vk.FormatG8B8R8_3Plane420Unorm), converted, func(c *Case) { c.Conversion.Components.G = vk.ComponentSwizzleR },
			made("VkSamplerYcbcrConversionCreateInfo-components-02581", "NewYcbcrConversion")),
		of("IMG-168", "a coordinate of one component", module(func(m *imagemodule.Instruction) { m.Twist = "short" }), spoken),
		of("IMG-169", "R32ui of floats", op(spirv.OpImageWrite), format(vk.FormatR32Uint), module(func(m *imagemodule.Instruction) { m.Format = spirv.ImageFormatR32ui }), func(c *Case) { c.Where, c.Made = "OpTypeImage: ", true }),
		of("IMG-170", "an offset of 100", mask(spirv.ImageOperandsConstOffset), module(func(m *imagemodule.Instruction) { m.Offset = 100 }), func(c *Case) { c.Where = "has an offset of 100" }),
		of("IMG-170", "an offset with Cube", mask(spirv.ImageOperandsConstOffset), shape(vk.ImageViewTypeCube), module(func(m *imagemodule.Instruction) { m.Dim = spirv.DimCube }), spoken),
		of("IMG-171", "a projection of a cube", op(spirv.OpImageSampleProjExplicitLod), mask(spirv.ImageOperandsLod), shape(vk.ImageViewTypeCube), module(func(m *imagemodule.Instruction) { m.Dim = spirv.DimCube }), spoken),
		of("IMG-172", "Bias on ExplicitLod", mask(spirv.ImageOperandsBias), spoken),
		of("IMG-173", "MS without Sample", op(spirv.OpImageFetch), image(func(i *Image) { i.Samples = 4 }), module(func(m *imagemodule.Instruction) { m.MS = true }), spoken),
		of("IMG-174", "a gather in 3D", op(spirv.OpImageGather), shape(vk.ImageViewType3D), module(func(m *imagemodule.Instruction) { m.Dim = spirv.Dim3D }), spoken),
		of("IMG-174", "a fetch of a cube", op(spirv.OpImageFetch), shape(vk.ImageViewTypeCube), module(func(m *imagemodule.Instruction) { m.Dim = spirv.DimCube }), spoken),
		of("IMG-175", "a bias of 17", sampler(func(s *Sampler) { s.MipLodBias = 17 }), made("VkSamplerCreateInfo-mipLodBias-01069", "NewSampler")),
		of("IMG-175", "MIRROR_CLAMP_TO_EDGE without its feature", sampler(func(s *Sampler) { s.AddressModeU = vk.SamplerAddressModeMirrorClampToEdge }), noGo(allFeatures)),
		of("IMG-176", "MIN without samplerFilterMinmax", sampler(func(s *Sampler) { s.Reduction = vk.SamplerReductionModeMin }), noGo(allFeatures)),
		of("IMG-177", "ImplicitLod in a compute shader", op(spirv.OpImageSampleImplicitLod), spoken),
		of("IMG-178", "one component for four", op(spirv.OpImageWrite), module(func(m *imagemodule.Instruction) { m.Texel = 1 })),
		of("IMG-179", "OpImageQuerySize of a sampled image", op(spirv.OpImageQuerySize), spoken),
		of("IMG-180", "a comparison", processing(spirv.OpImageBoxFilterQCOM), sampler(func(s *Sampler) { s.CompareEnable = true }), noGo(noFlags), made("VkSamplerCreateInfo-flags-06970", "NewSampler")),
		of("IMG-181", "an ordinary sampler", processing(spirv.OpImageBoxFilterQCOM), sampler(func(s *Sampler) { s.Flags = 0 })),
		of("IMG-182", "two phases", processing(spirv.OpImageSampleWeightedQCOM), noGo(noWeights), func(c *Case) { c.Other.Weights.Phases, c.Other.Layers, c.Other.Views = 2, 2, 2 },
			made("VkImageViewSampleWeightCreateInfoQCOM-numPhases-06962", "NewView")),
		of("IMG-183", "weights of 9 texels in 4", processing(spirv.OpImageSampleWeightedQCOM), noGo(noWeights), func(c *Case) { c.Other.Weights.Width = 9 },
			made("VkImageViewCreateInfo-pNext-06955", "NewView")),
		of("IMG-184", "MIN with weights of 0.2", processing(spirv.OpImageSampleWeightedQCOM), noGo(noWeights), sampler(func(s *Sampler) { s.Reduction = vk.SamplerReductionModeMin })),
		of("IMG-185", "a box of half a texel", processing(spirv.OpImageBoxFilterQCOM), module(func(m *imagemodule.Instruction) { m.Box = 0.5 })),
		of("IMG-186", "a block of 65 texels", processing(spirv.OpImageBlockMatchSADQCOM), module(func(m *imagemodule.Instruction) { m.Block = 65 })),
		of("IMG-187", "a block of no texels", processing(spirv.OpImageBlockMatchSADQCOM), module(func(m *imagemodule.Instruction) { m.Block = 0 })),
		of("IMG-188", "a block past the edge", processing(spirv.OpImageBlockMatchSSDQCOM), module(func(m *imagemodule.Instruction) { m.Reference = 4 }),
			sampler(func(s *Sampler) { s.AddressModeU, s.AddressModeV = border, border })),
		of("IMG-189", "a window of four components", processing(spirv.OpImageBlockMatchWindowSADQCOM), format(vk.FormatR8G8B8A8Unorm)),
		of("IMG-190", "an ordinary sample of a decorated texture", features(Processing), module(func(m *imagemodule.Instruction) { m.Decorated = spirv.DecorationBlockMatchTextureQCOM }),
			func(c *Case) {
				c.Descriptor, c.Image.Usage = vk.DescriptorTypeBlockMatchImageQCOM, vk.ImageUsageSampledBit|vk.ImageUsageSampleBlockMatchBitQCOM
			}, spoken),
	}
	return cases
}

func depth(c *Case)    { c.Image.Aspect = vk.ImageAspectDepthBit }
func compares(c *Case) { c.Sampler.CompareEnable = true }

// Rules are the rules of validation: those that have a case, and the Unbreakable ones.
func Rules() []string {
	var list []string
	for _, c := range Cases() {
		list = append(list, c.Rule)
	}
	for r := range Unbreakable {
		list = append(list, r)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
