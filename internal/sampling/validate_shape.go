package sampling

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// matches makes the rule of one view type (§5.6).
func matches(id string, t vk.ImageViewType, dim ir.ImageDim, arrayed, ms bool) validationRule {
	return validationRule{id, func(c *validation) string {
		if c.v.Type != t || c.on.Input {
			return ""
		}
		layers := c.in.Arrayed == arrayed || c.on.SingleLayer && dim != ir.Dim3D
		return is(c.in.Dim != dim || !layers || c.in.MS && !ms, "%v with Dim %d, Arrayed %v, MS %v", t, c.in.Dim, c.in.Arrayed, c.in.MS)
	}}
}

// shapeRules are §5.6: the image variable against the view.
var shapeRules = []validationRule{
	matches("IMG-140", vk.ImageViewType1D, ir.Dim1D, false, false),
	matches("IMG-141", vk.ImageViewType2D, ir.Dim2D, false, true),
	matches("IMG-142", vk.ImageViewType3D, ir.Dim3D, false, false),
	matches("IMG-143", vk.ImageViewTypeCube, ir.DimCube, false, false),
	matches("IMG-144", vk.ImageViewType1DArray, ir.Dim1D, true, false),
	matches("IMG-145", vk.ImageViewType2DArray, ir.Dim2D, true, true),
	matches("IMG-146", vk.ImageViewTypeCubeArray, ir.DimCube, true, false),
	{"IMG-147", func(c *validation) string {
		array := c.v.Type == vk.ImageViewType1DArray || c.v.Type == vk.ImageViewType2DArray
		return is(c.on.SingleLayer && array && !c.in.Arrayed && c.v.Layers != 1, "%d layers for a variable that is not arrayed", c.v.Layers)
	}},
	{"IMG-148", func(c *validation) string {
		return is(c.in.MS && c.v.Image.Samples == 1, "MS and an image of one sample")
	}},
	{"IMG-149", func(c *validation) string {
		return is(!c.in.MS && c.v.Image.Samples > 1, "no MS and an image of %d samples", c.v.Image.Samples)
	}},
	{"IMG-150", func(c *validation) string {
		if !c.cubeView() || c.outside() {
			return ""
		}
		w, h, _ := c.v.Extent(0)
		return is(c.v.Type == vk.ImageViewTypeCube && c.v.Layers != 6 || w != h || c.v.Layers%6 != 0, "a cube of %dx%d with %d layers", w, h, c.v.Layers)
	}},
	{"IMG-151", func(c *validation) string {
		return is((c.on.Storage || c.on.Input || c.converted()) && resource.Swizzled(c.v.Components), "a swizzle on a storage image, input attachment or Y′CBCR view")
	}},
	{"IMG-152", func(c *validation) string {
		needs := c.in.Kind == ir.ImageSample || c.in.Kind == ir.ImageGather || c.processing() || c.in.Kind == ir.ImageQueryLod
		return is(needs && c.s == nil || c.outside(), "no sampler, or levels or layers outside the image")
	}},
	{"IMG-153", func(c *validation) string {
		for _, m := range c.modes() {
			if c.corner() && m != vk.SamplerAddressModeClampToEdge {
				return is(true, "%v on a corner-sampled image", m)
			}
		}
		return ""
	}},
	{"IMG-154", func(c *validation) string {
		e := c.v.Image.Extent
		flat := e.Width == 1 || e.Height == 1 || c.v.Image.Type == vk.ImageType3D && e.Depth == 1
		return is(c.corner() && (c.v.Image.Type == vk.ImageType1D || c.v.Image.Flags&vk.ImageCreateCubeCompatibleBit != 0 ||
			c.depthStencil() || flat), "a corner-sampled image that is 1D, a cube, no colour or one texel wide")
	}},
	{"IMG-155", func(c *validation) string {
		return is(c.in.Footprint && c.in.Dim == ir.Dim2D && c.s != nil && !c.edges(2), "a footprint in 2D that does not clamp to the edge")
	}},
	{"IMG-156", func(c *validation) string {
		return is(c.in.Footprint && c.in.Dim == ir.Dim3D && c.s != nil && !c.edges(3), "a footprint in 3D that does not clamp to the edge")
	}},
	{"IMG-157", func(c *validation) string {
		if !c.in.Footprint {
			return ""
		}
		_, ok := footprintGroup(c.in.Dim, c.in.Granularity)
		return is(c.in.Dim != ir.Dim2D && c.in.Dim != ir.Dim3D || c.in.Arrayed || c.in.MS || !ok, "a footprint of Dim %d, Arrayed %v, MS %v, granularity %d",
			c.in.Dim, c.in.Arrayed, c.in.MS, c.in.Granularity)
	}},
	{"IMG-158", func(c *validation) string {
		return is(c.v.MinLod > float32(c.v.BaseLevel+c.v.Levels-1) || c.v.MinLod != 0 && c.f.NoMinLod, "minLod %v of a view up to level %d", c.v.MinLod, c.v.BaseLevel+c.v.Levels-1)
	}},
}

// outside says that the view has levels or layers that the image has not.
func (c *validation) outside() bool {
	v, im := c.v, c.v.Image
	if v.BaseLevel < 0 || v.Levels < 1 || v.BaseLevel+v.Levels > im.MipLevels {
		return true
	}
	layers := im.ArrayLayers
	if im.Type == vk.ImageType3D && v.Type != vk.ImageViewType3D {
		layers = im.Layout.Planes[0].Levels[v.BaseLevel].Depth
	}
	return v.BaseLayer < 0 || v.BaseLayer+v.Layers > layers
}

func (c *validation) corner() bool { return c.v.Image.Flags&vk.ImageCreateCornerSampledBitNV != 0 }

// edges says that the first n address modes are CLAMP_TO_EDGE.
func (c *validation) edges(n int) bool {
	for _, m := range []vk.SamplerAddressMode{c.s.AddressModeU, c.s.AddressModeV, c.s.AddressModeW}[:n] {
		if m != vk.SamplerAddressModeClampToEdge {
			return false
		}
	}
	return true
}

// operandRules are §5.8: operands and sampler creation.
var operandRules = []validationRule{
	{"IMG-170", func(c *validation) string {
		o, low, high, n := c.in.Operands, c.f.MinOffset, c.f.MaxOffset, 0
		if c.in.Kind == ir.ImageGather {
			low, high = c.f.MinGather, c.f.MaxGather
		}
		for _, x := range o.Offsets {
			if x < low || x > high {
				return is(true, "an offset of %d, outside %d…%d", x, low, high)
			}
		}
		for _, has := range []bool{o.ConstOffset, o.Offset, o.ConstOffsets} {
			if has {
				n++
			}
		}
		return is(n > 1 || n > 0 && c.in.Dim == ir.DimCube || o.ConstOffsets && c.in.Kind != ir.ImageGather, "offsets that do not go together with each other or the instruction")
	}},
	{"IMG-171", func(c *validation) string {
		return is(c.in.Proj && (c.in.Dim == ir.DimCube || c.in.Arrayed), "a projection of a cube or array")
	}},
	{"IMG-172", func(c *validation) string {
		o := c.in.Operands
		sample := c.in.Kind == ir.ImageSample
		explicit := sample && !c.in.Implicit && o.Lod == o.Grad
		multi := c.in.MS && (o.Bias || o.Lod || o.Grad || o.MinLod)
		return is(o.Bias && !(sample && c.in.Implicit) || explicit || o.MinLod && !(sample && (c.in.Implicit || o.Grad)) || multi ||
			sample && c.in.Implicit && (o.Lod || o.Grad), "Bias %v, Lod %v, Grad %v, MinLod %v", o.Bias, o.Lod, o.Grad, o.MinLod)
	}},
	{"IMG-173", func(c *validation) string {
		texel := c.in.Kind == ir.ImageFetch || c.in.Kind == ir.ImageRead || c.in.Kind == ir.ImageWrite
		return is(texel && c.in.MS != c.in.Operands.Sample, "MS %v and Sample %v", c.in.MS, c.in.Operands.Sample)
	}},
	{"IMG-174", func(c *validation) string {
		gather := c.in.Kind == ir.ImageGather
		return is(gather && (c.in.Component < 0 || c.in.Component > 3 || c.in.Dim != ir.Dim2D && c.in.Dim != ir.DimCube) ||
			c.in.Kind == ir.ImageFetch && c.in.Dim == ir.DimCube || c.sampled() && c.in.MS || c.in.Reserved && !c.in.AllowSpecial,
			"component %d, Dim %d, MS %v", c.in.Component, c.in.Dim, c.in.MS)
	}},
	{"IMG-175", func(c *validation) string {
		if !c.sampled() {
			return ""
		}
		s := c.s
		mirror := false
		for _, m := range c.modes() {
			mirror = mirror || m == vk.SamplerAddressModeMirrorClampToEdge
		}
		return is(!(s.MipLodBias >= -c.f.MaxBias && s.MipLodBias <= c.f.MaxBias) || !(s.MaxLod >= s.MinLod) ||
			s.AnisotropyEnable && (!(s.MaxAnisotropy >= 1 && s.MaxAnisotropy <= c.f.MaxAniso) || isCubic(s.MinFilter) || isCubic(s.MagFilter)) ||
			mirror && c.f.NoMirrorClampToEdge || s.NonSeamless && c.f.NoNonSeamless, "bias %v, LODs %v…%v, anisotropy %v", s.MipLodBias, s.MinLod, s.MaxLod, s.MaxAnisotropy)
	}},
	{"IMG-176", func(c *validation) string {
		if !c.sampled() {
			return ""
		}
		reduces := c.s.Reduction == vk.SamplerReductionModeMin || c.s.Reduction == vk.SamplerReductionModeMax
		r := resource.SwizzleOf(c.v.Components)[0] != 0
		return is(c.s.Reduction != vk.SamplerReductionModeWeightedAverage && c.f.NoSamplerFilterMinmax || reduces && r && c.f.NoMinmaxMapping, "%v", c.s.Reduction)
	}},
	{"IMG-177", func(c *validation) string {
		derives := c.in.Kind == ir.ImageQueryLod || c.in.Kind == ir.ImageSample && c.in.Implicit
		return is(derives && !c.in.Stage, "derivatives without quads, or where control flow is not uniform")
	}},
	{"IMG-178", func(c *validation) string {
		storage := c.in.Kind == ir.ImageRead || c.in.Kind == ir.ImageWrite || c.in.Kind == ir.ImageAtomic
		usage := storage && !c.on.Input && c.v != nil && c.v.Image.Usage&vk.ImageUsageStorageBit == 0
		i := c.i
		atomic := i.ImageFeatures(vk.ImageTilingOptimal)&vk.FormatFeature2StorageImageAtomicBit != 0 // IMG-596
		few := i.ComponentCount
		if i.Format == vk.FormatA8Unorm {
			few = 4
		}
		return is(usage || c.in.Kind == ir.ImageAtomic && !atomic || c.in.Kind == ir.ImageWrite && (c.in.Texel < few || i.Compressed || i.NeedsConversion()),
			"a read, write or atomic on %v", i.Format)
	}},
	{"IMG-179", func(c *validation) string {
		lod := c.in.Operands.Lod
		size := c.in.Kind == ir.ImageQuerySize
		return is(c.in.Sampled == 2 && (size && lod || c.in.Kind == ir.ImageQueryLod || c.in.Kind == ir.ImageQueryLevels) || size && lod && c.in.MS ||
			size && !lod && c.in.Sampled == 1 && !c.in.MS || c.in.Kind == ir.ImageQuerySamples && !c.in.MS, "a query with Sampled %d, MS %v", c.in.Sampled, c.in.MS)
	}},
}
