package sampling

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// checked is an instruction with what it is used on; the zero test case breaks
// no rule.
type checked struct {
	in Instruction
	on Bound
	f  Features
	im *resource.Image
	v  *resource.ImageView
	s  *resource.Sampler
}

func newChecked() *checked {
	info := mustInfo(vk.FormatR8G8B8A8Unorm)
	c := &checked{
		in: Instruction{Kind: ir.ImageSample, Dim: ir.Dim2D, Sampled: 1, Implicit: true, Float: true, Stage: true, Texel: 4},
		im: &resource.Image{ImageDesc: resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(8, 8, 1), MipLevels: 1, ArrayLayers: 1, Samples: 1,
			Usage: vk.ImageUsageSampledBit | vk.ImageUsageStorageBit | vk.ImageUsageSampleWeightBitQCOM | vk.ImageUsageSampleBlockMatchBitQCOM}, Info: info},
		s: &resource.Sampler{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge},
		f: Features{NoBlockMatchExtendedClamp: true},
	}
	c.relayout()
	c.v = &resource.ImageView{Image: c.im, Type: vk.ImageViewType2D, Format: c.im.Format, Info: info, Aspect: vk.ImageAspectColorBit, Levels: 1, Layers: 1}
	return c
}

func mustInfo(f vk.Format) *format.Info {
	i, ok := format.Lookup(f)
	if !ok {
		panic(f)
	}
	return i
}

// relayout makes the image anew, keeping what is odd about its description.
func (c *checked) relayout() {
	d := c.im.ImageDesc
	d.Flags &^= vk.ImageCreateCornerSampledBitNV | vk.ImageCreateSubsampledBitEXT
	if im, err := resource.NewImage(d); err == nil {
		c.im.Layout = im.Layout
		c.im.Data = make([]byte, im.Layout.Size)
	}
}

// format changes image and view.
func (c *checked) format(f vk.Format) {
	c.im.Format, c.im.Info = f, mustInfo(f)
	c.relayout()
	c.v.Format, c.v.Info = f, c.im.Info
	c.v.Aspect = c.im.Info.Aspects
	if c.im.Info.MultiPlanar() {
		c.v.Aspect = vk.ImageAspectColorBit
	}
	c.in.Float = c.im.Info.Class == format.ClassFloat
	c.in.Signed = c.im.Info.Class == format.ClassSint
}

// converted gives view and sampler a conversion.
func (c *checked) converted(f vk.Format) {
	c.format(f)
	y := &resource.YcbcrConversion{Format: f}
	c.s.Ycbcr, c.on.ViewConversion = y, y
}

func (c *checked) border(b vk.BorderColor) {
	c.s.AddressModeU, c.s.BorderColor = border, b
}

func (c *checked) processing(k ir.ImageKind) {
	c.in.Kind, c.in.Implicit = k, false
	c.s.ImageProcessing = true
	c.in.BoxW, c.in.BoxH, c.in.BlockW, c.in.BlockH = 2, 2, 2, 2
	if k == ir.ImageBlockMatch {
		c.s.UnnormalizedCoordinates = true
		c.on.Second, c.on.SecondSampler = c.v, c.s
	}
}

func (c *checked) weights(w resource.WeightImage) {
	c.processing(ir.ImageWeighted)
	second := *c.v
	second.Type, second.Weights = vk.ImageViewType2DArray, w
	c.on.Second = &second
}

func (c *checked) all() []*RuleError {
	c.on.View, c.on.Sampler = c.v, c.s
	return ValidateAll(&c.in, &c.on, c.f)
}

var layoutIs = func(l vk.ImageLayout) func(int, int, int) vk.ImageLayout {
	return func(int, int, int) vk.ImageLayout { return l }
}

// Each rule of §5 with a use that breaks it.
func TestValidate_EveryRule(t *testing.T) {
	rules.Covers(t, "IMG-001", "IMG-100", "IMG-101", "IMG-102", "IMG-103", "IMG-104", "IMG-105", "IMG-106", "IMG-107", "IMG-108", "IMG-109", "IMG-196",
		"IMG-110", "IMG-111", "IMG-112", "IMG-113", "IMG-114", "IMG-115", "IMG-116", "IMG-117", "IMG-258", "IMG-370", "IMG-371",
		"IMG-120", "IMG-121", "IMG-122", "IMG-123", "IMG-124", "IMG-125", "IMG-126", "IMG-127", "IMG-027",
		"IMG-130", "IMG-131", "IMG-132", "IMG-133", "IMG-135", "IMG-136", "IMG-137", "IMG-138", "IMG-139",
		"IMG-140", "IMG-141", "IMG-142", "IMG-143", "IMG-144", "IMG-145", "IMG-146", "IMG-147", "IMG-148", "IMG-149", "IMG-150", "IMG-151", "IMG-152",
		"IMG-153", "IMG-154", "IMG-155", "IMG-156", "IMG-157", "IMG-158",
		"IMG-160", "IMG-161", "IMG-162", "IMG-163", "IMG-164", "IMG-165", "IMG-166", "IMG-167",
		"IMG-170", "IMG-171", "IMG-172", "IMG-173", "IMG-174", "IMG-175", "IMG-176", "IMG-177", "IMG-178", "IMG-179", "IMG-026",
		"IMG-180", "IMG-181", "IMG-182", "IMG-183", "IMG-184", "IMG-185", "IMG-186", "IMG-187", "IMG-188", "IMG-189", "IMG-190")
	if list := newChecked().all(); len(list) != 0 {
		t.Fatalf("an ordinary sample: %v", list[0])
	}
	const y420 = vk.FormatG8B8R8_3Plane420Unorm
	swizzle := vk.ComponentMapping{R: vk.ComponentSwizzleG}
	one := resource.WeightImage{Width: 1, Height: 1, Phases: 1}
	for _, x := range []struct {
		rule string
		use  func(c *checked)
	}{
		{"IMG-100", func(c *checked) { c.border(vk.BorderColorIntOpaqueBlack) }},
		{"IMG-101", func(c *checked) { c.border(vk.BorderColorFloatOpaqueBlack); c.format(vk.FormatR8Uint) }},
		{"IMG-102", func(c *checked) {
			c.border(vk.BorderColorFloatOpaqueBlack)
			c.v.Components, c.f.NoBorderColorSwizzle = swizzle, true
		}},
		{"IMG-103", func(c *checked) { c.border(0); c.s.BorderMapping = &resource.BorderMapping{Components: swizzle} }},
		{"IMG-104", func(c *checked) { c.border(0); c.s.BorderMapping = &resource.BorderMapping{Srgb: true} }},
		{"IMG-105", func(c *checked) {
			c.border(vk.BorderColorFloatCustomEXT)
			c.s.HasCustomBorder, c.s.CustomBorderColor = true, rgba(0, 1.5)
		}},
		{"IMG-106", func(c *checked) {
			c.border(vk.BorderColorFloatCustomEXT)
			c.s.HasCustomBorder, c.v.Components, c.f.NoBorderColorSwizzle = true, swizzle, true
		}},
		{"IMG-107", func(c *checked) {
			c.border(vk.BorderColorFloatCustomEXT)
			c.s.HasCustomBorder, c.s.CustomBorderFormat = true, vk.FormatB8G8R8A8Unorm
		}},
		{"IMG-108", func(c *checked) {
			c.border(vk.BorderColorFloatCustomEXT)
			c.s.HasCustomBorder = true
			c.format(vk.FormatB5G6R5UnormPack16)
		}},
		{"IMG-109", func(c *checked) { c.border(vk.BorderColorFloatCustomEXT) }},
		{"IMG-109", func(c *checked) {
			c.border(vk.BorderColorFloatCustomEXT)
			c.s.HasCustomBorder, c.f.NoCustomBorderWithoutFormat = true, true
		}},
		{"IMG-110", func(c *checked) {
			c.on.Layout, c.on.Current = vk.ImageLayoutGeneral, layoutIs(vk.ImageLayoutShaderReadOnlyOptimal)
		}},
		{"IMG-111", func(c *checked) { c.in.Format = "Rgba8Snorm" }},
		{"IMG-112", func(c *checked) { c.in.Float = false }},
		{"IMG-112", func(c *checked) { c.format(vk.FormatR32Uint); c.in.Wide = true }},
		{"IMG-113", func(c *checked) { c.format(vk.FormatR32Uint); c.in.Signed = true }},
		{"IMG-113", func(c *checked) { c.format(vk.FormatR32Sint); c.in.Operands.ZeroExtend = true }},
		{"IMG-114", func(c *checked) {
			c.im.Flags |= vk.ImageCreateDisjointBit
			c.converted(y420)
			c.on.Current = func(p, _, _ int) vk.ImageLayout { return vk.ImageLayout(p) }
		}},
		{"IMG-115", func(c *checked) { c.format(y420) }},
		{"IMG-116", func(c *checked) { c.v.Aspect = vk.ImageAspectDepthBit }},
		{"IMG-116", func(c *checked) { c.v.Info = mustInfo(vk.FormatPvrtc1_2BppSrgbBlockIMG) }},
		{"IMG-117", func(c *checked) { c.format(vk.FormatR8Uint); c.s.MinFilter = linear }},
		{"IMG-117", func(c *checked) {
			c.s.MinFilter, c.s.MagFilter, c.f.CubicOnly2D = vk.FilterCubicEXT, vk.FilterCubicEXT, true
			c.v.Type, c.in.Dim, c.im.Type = vk.ImageViewType3D, ir.Dim3D, vk.ImageType3D
		}},
		{"IMG-120", func(c *checked) {
			c.s.UnnormalizedCoordinates, c.v.Type, c.in.Dim = true, vk.ImageViewType3D, ir.Dim3D
		}},
		{"IMG-121", func(c *checked) { c.s.UnnormalizedCoordinates = true; c.im.MipLevels, c.v.Levels = 2, 2 }},
		{"IMG-122", func(c *checked) { c.s.UnnormalizedCoordinates = true; c.in.Operands.ConstOffset = true }},
		{"IMG-122", func(c *checked) { c.s.UnnormalizedCoordinates = true; c.in.Proj = true }},
		{"IMG-123", func(c *checked) { c.s.UnnormalizedCoordinates = true; c.s.MinFilter = linear }},
		{"IMG-124", func(c *checked) {
			c.s.UnnormalizedCoordinates, c.s.MipmapMode = true, vk.SamplerMipmapModeLinear
		}},
		{"IMG-125", func(c *checked) { c.s.UnnormalizedCoordinates, c.s.MaxLod = true, 1 }},
		{"IMG-126", func(c *checked) { c.s.UnnormalizedCoordinates, c.s.AddressModeV = true, repeat }},
		{"IMG-127", func(c *checked) {
			c.s.UnnormalizedCoordinates, c.s.AnisotropyEnable, c.s.MaxAnisotropy = true, true, 2
		}},
		{"IMG-130", func(c *checked) { c.s.Subsampled = true }},
		{"IMG-131", func(c *checked) { c.im.Flags |= vk.ImageCreateSubsampledBitEXT }},
		{"IMG-132", func(c *checked) {
			c.im.Flags |= vk.ImageCreateSubsampledBitEXT
			c.s.Subsampled, c.in.Operands.ConstOffset = true, true
		}},
		{"IMG-133", func(c *checked) {
			c.im.Flags |= vk.ImageCreateSubsampledBitEXT
			c.s.Subsampled, c.s.MaxLod = true, 3
		}},
		{"IMG-135", func(c *checked) { c.format(vk.FormatD32Sfloat); c.in.Dref = true }},
		{"IMG-136", func(c *checked) { c.format(vk.FormatD32Sfloat); c.s.CompareEnable = true }},
		{"IMG-137", func(c *checked) {
			c.format(vk.FormatD24UnormS8Uint)
			c.v.Aspect, c.in.Dref, c.s.CompareEnable = vk.ImageAspectStencilBit, true, true
		}},
		{"IMG-138", func(c *checked) { c.in.Dref, c.s.CompareEnable = true, true }},
		{"IMG-139", func(c *checked) {
			c.format(vk.FormatD32Sfloat)
			c.in.Dref, c.s.CompareEnable, c.s.Reduction = true, true, vk.SamplerReductionModeMin
		}},
		{"IMG-140", func(c *checked) { c.v.Type = vk.ImageViewType1D }},
		{"IMG-141", func(c *checked) { c.in.Arrayed = true }},
		{"IMG-142", func(c *checked) { c.v.Type, c.im.Type = vk.ImageViewType3D, vk.ImageType3D }},
		{"IMG-143", func(c *checked) { c.v.Type, c.v.Layers, c.im.ArrayLayers = vk.ImageViewTypeCube, 6, 6 }},
		{"IMG-144", func(c *checked) { c.v.Type = vk.ImageViewType1DArray }},
		{"IMG-145", func(c *checked) { c.v.Type = vk.ImageViewType2DArray }},
		{"IMG-146", func(c *checked) { c.v.Type, c.v.Layers, c.im.ArrayLayers = vk.ImageViewTypeCubeArray, 6, 6 }},
		{"IMG-147", func(c *checked) {
			c.v.Type, c.v.Layers, c.im.ArrayLayers, c.on.SingleLayer = vk.ImageViewType2DArray, 2, 2, true
		}},
		{"IMG-148", func(c *checked) {
			c.in.MS, c.in.Kind, c.in.Operands.Sample, c.in.Implicit = true, ir.ImageFetch, true, false
		}},
		{"IMG-149", func(c *checked) { c.im.Samples, c.in.Kind, c.in.Implicit = 4, ir.ImageFetch, false }},
		{"IMG-150", func(c *checked) { c.v.Type, c.in.Dim = vk.ImageViewTypeCube, ir.DimCube }},
		{"IMG-151", func(c *checked) { c.on.Storage, c.v.Components = true, swizzle }},
		{"IMG-152", func(c *checked) { c.v.Layers = 2 }},
		{"IMG-152", func(c *checked) { c.s = nil }},
		{"IMG-152", func(c *checked) { c.v.Info = nil }},
		{"IMG-152", func(c *checked) { c.v.Image = nil }},
		{"IMG-152", func(c *checked) { c.v.Type, c.in.Dim, c.v.BaseLevel = vk.ImageViewTypeCube, ir.DimCube, 9 }},
		{"IMG-153", func(c *checked) { c.im.Flags |= vk.ImageCreateCornerSampledBitNV; c.s.AddressModeV = repeat }},
		{"IMG-154", func(c *checked) { c.im.Flags |= vk.ImageCreateCornerSampledBitNV; c.im.Extent.Height = 1 }},
		{"IMG-155", func(c *checked) { c.in.Footprint, c.in.Granularity, c.s.AddressModeU = true, 1, repeat }},
		{"IMG-156", func(c *checked) {
			c.in.Footprint, c.in.Granularity, c.in.Dim, c.s.AddressModeW = true, 1, ir.Dim3D, repeat
			c.v.Type, c.im.Type = vk.ImageViewType3D, vk.ImageType3D
		}},
		{"IMG-157", func(c *checked) { c.in.Footprint, c.in.Granularity = true, 8 }},
		{"IMG-158", func(c *checked) { c.v.MinLod = 0.5 }},
		{"IMG-160", func(c *checked) { c.converted(y420); c.in.Kind, c.in.Implicit = ir.ImageRead, false }},
		{"IMG-161", func(c *checked) { c.converted(y420); c.in.Kind, c.in.Implicit = ir.ImageFetch, false }},
		{"IMG-162", func(c *checked) { c.converted(y420); c.in.Kind, c.in.Implicit = ir.ImageGather, false }},
		{"IMG-163", func(c *checked) { c.converted(y420); c.in.Operands.ConstOffset = true }},
		{"IMG-164", func(c *checked) {
			c.converted(y420)
			c.on.ViewConversion = &resource.YcbcrConversion{Format: y420, Range: vk.SamplerYcbcrRangeItuNarrow}
		}},
		{"IMG-165", func(c *checked) { c.converted(y420); c.s.AddressModeW = repeat }},
		{"IMG-166", func(c *checked) {
			c.converted(y420)
			c.s.MinFilter, c.s.MagFilter, c.f.NoSeparateReconstruction = linear, linear, true
		}},
		{"IMG-167", func(c *checked) { c.converted(y420); c.s.Ycbcr.Components.G = vk.ComponentSwizzleR }},
		{"IMG-170", func(c *checked) { c.in.Operands.ConstOffset, c.in.Operands.Offsets = true, []int{8} }},
		{"IMG-170", func(c *checked) { c.in.Operands.ConstOffset, c.in.Operands.Offset = true, true }},
		{"IMG-170", func(c *checked) { c.in.Operands.ConstOffsets = true }},
		{"IMG-171", func(c *checked) {
			c.in.Proj, c.in.Arrayed, c.v.Type = true, true, vk.ImageViewType2DArray
		}},
		{"IMG-172", func(c *checked) { c.in.Operands.Lod = true }},
		{"IMG-172", func(c *checked) { c.in.Implicit = false }},
		{"IMG-172", func(c *checked) { c.in.Implicit, c.in.Operands.Lod, c.in.Operands.MinLod = false, true, true }},
		{"IMG-173", func(c *checked) { c.in.Kind, c.in.Implicit, c.in.Operands.Sample = ir.ImageFetch, false, true }},
		{"IMG-174", func(c *checked) { c.in.Kind, c.in.Implicit, c.in.Component = ir.ImageGather, false, 4 }},
		{"IMG-174", func(c *checked) { c.in.Reserved = true }},
		{"IMG-175", func(c *checked) { c.s.MipLodBias = 17 }},
		{"IMG-175", func(c *checked) { c.s.MinLod = 2 }},
		{"IMG-175", func(c *checked) { c.s.AnisotropyEnable = true }},
		{"IMG-175", func(c *checked) { c.s.AddressModeU, c.f.NoMirrorClampToEdge = mirrorK, true }},
		{"IMG-175", func(c *checked) { c.s.NonSeamless, c.f.NoNonSeamless = true, true }},
		{"IMG-176", func(c *checked) { c.s.Reduction, c.f.NoSamplerFilterMinmax = largest, true }},
		{"IMG-176", func(c *checked) { c.s.Reduction, c.f.NoMinmaxMapping, c.v.Components = largest, true, swizzle }},
		{"IMG-177", func(c *checked) { c.in.Stage = false }},
		{"IMG-178", func(c *checked) { c.in.Kind, c.in.Implicit, c.im.Usage = ir.ImageRead, false, vk.ImageUsageSampledBit }},
		{"IMG-178", func(c *checked) { c.in.Kind, c.in.Implicit = ir.ImageAtomic, false }},
		{"IMG-178", func(c *checked) {
			c.in.Kind, c.in.Implicit, c.in.Format, c.in.Texel = ir.ImageWrite, false, "Rgba8", 3
		}},
		{"IMG-179", func(c *checked) { c.in.Kind, c.in.Implicit = ir.ImageQuerySize, false }},
		{"IMG-179", func(c *checked) { c.in.Kind, c.in.Implicit = ir.ImageQuerySamples, false }},
		{"IMG-180", func(c *checked) { c.processing(ir.ImageBoxFilter); c.s.MaxLod = 1 }},
		{"IMG-181", func(c *checked) { c.s.ImageProcessing = true }},
		{"IMG-182", func(c *checked) { c.weights(resource.WeightImage{Width: 1, Height: 1, Phases: 3}) }},
		{"IMG-182", func(c *checked) { c.weights(one); c.on.Second.Levels = 2 }},
		{"IMG-183", func(c *checked) { c.weights(resource.WeightImage{Width: 9, Height: 1, Phases: 1}) }},
		{"IMG-184", func(c *checked) { c.weights(one); c.im.Data[0] = 7; c.s.Reduction = smallest }},
		{"IMG-185", func(c *checked) { c.processing(ir.ImageBoxFilter); c.in.BoxW = 0.5 }},
		{"IMG-186", func(c *checked) { c.processing(ir.ImageBlockMatch); c.s.UnnormalizedCoordinates = false }},
		{"IMG-187", func(c *checked) { c.processing(ir.ImageBlockMatch); c.in.BlockW = 0 }},
		{"IMG-188", func(c *checked) { c.processing(ir.ImageBlockMatch); c.in.RefX = 7 }},
		{"IMG-189", func(c *checked) { c.processing(ir.ImageBlockMatch); c.in.Match = ir.MatchGather }},
		{"IMG-190", func(c *checked) { c.in.Processing = true }},
	} {
		c := newChecked()
		x.use(c)
		list := c.all()
		found := false
		for i, e := range list {
			found = found || e.Rule == x.rule
			if e.Detail == "" || i > 0 && list[i-1].Rule > e.Rule {
				t.Errorf("%s: error %q out of order", x.rule, e.Error())
			}
		}
		if !found {
			t.Errorf("%s is not noticed: %v", x.rule, list)
		}
		c.v = nil
		c.on.View = nil
		if list := ValidateAll(&c.in, &c.on, c.f); len(list) > 0 {
			t.Errorf("%s: the null descriptor: %v", x.rule, list)
		}
	}
}

// Uses that are close to a rule and break none.
func TestValidate_WhatIsAllowed(t *testing.T) {
	rules.Covers(t, "IMG-114", "IMG-115", "IMG-147", "IMG-195", "IMG-362", "IMG-504", "IMG-596", "IMG-768")
	for name, use := range map[string]func(c *checked){
		"a border that no address mode reaches": func(c *checked) { c.s.BorderColor = vk.BorderColorIntOpaqueBlack },
		"a border mode of a dimension that is not there": func(c *checked) {
			c.s.AddressModeW, c.s.BorderColor = border, vk.BorderColorIntOpaqueBlack
		},
		"a seamless cube's border": func(c *checked) {
			c.border(vk.BorderColorIntOpaqueBlack)
			c.v.Type, c.in.Dim, c.v.Layers, c.im.ArrayLayers = vk.ImageViewTypeCube, ir.DimCube, 6, 6
		},
		"mirrored repeat with an offset beyond the level": func(c *checked) {
			c.s.AddressModeU, c.in.Operands.ConstOffset, c.in.Operands.Offsets = mirrored, true, []int{7}
			c.im.Extent.Width = 2
			c.relayout()
		},
		"R10X6G10X6B10X6A10X6 without a conversion": func(c *checked) { c.format(vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16) },
		"RGBA with a conversion":                    func(c *checked) { c.converted(vk.FormatR8G8B8A8Unorm) },
		"a single layer of an array": func(c *checked) {
			c.v.Type, c.on.SingleLayer = vk.ImageViewType2DArray, true
		},
		"a comparison of a depth in red": func(c *checked) {
			c.format(vk.FormatR32Sfloat)
			c.in.Dref, c.s.CompareEnable = true, true
		},
		"an atomic of R64_UINT": func(c *checked) {
			c.format(vk.FormatR64Uint)
			c.in.Kind, c.in.Implicit, c.in.Wide, c.in.Format = ir.ImageAtomic, false, true, "R64ui"
		},
		"a disjoint image whose planes are all in one layout": func(c *checked) {
			c.im.Flags |= vk.ImageCreateDisjointBit
			c.converted(vk.FormatG8B8R8_3Plane420Unorm)
			c.on.Layout = vk.ImageLayoutGeneral
			c.on.Current = func(p, _, _ int) vk.ImageLayout {
				if p < 0 {
					return vk.ImageLayoutUndefined
				}
				return vk.ImageLayoutGeneral
			}
		},
		"a block match against the null descriptor": func(c *checked) {
			c.processing(ir.ImageBlockMatch)
			c.on.Second = nil
		},
		"an atomic of R32_SFLOAT": func(c *checked) {
			c.format(vk.FormatR32Sfloat)
			c.in.Kind, c.in.Implicit = ir.ImageAtomic, false
		},
	} {
		c := newChecked()
		use(c)
		if list := c.all(); len(list) != 0 {
			t.Errorf("%s: %v", name, list)
		}
	}
}
