package texel

import (
	"math/rand/v2"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

var planar = []vk.Format{
	vk.FormatG8B8R8_3Plane420Unorm, vk.FormatG8B8R8_2Plane420Unorm, vk.FormatG8B8R8_3Plane422Unorm, vk.FormatG8B8R8_2Plane422Unorm,
	vk.FormatG8B8R8_3Plane444Unorm, vk.FormatG8B8R8_2Plane444Unorm,
	vk.FormatG10X6B10X6R10X6_3Plane420Unorm3Pack16, vk.FormatG10X6B10X6R10X6_2Plane420Unorm3Pack16, vk.FormatG12X4B12X4R12X4_2Plane422Unorm3Pack16,
	vk.FormatG16B16R16_3Plane420Unorm, vk.FormatG16B16R16_2Plane420Unorm, vk.FormatG16B16R16_3Plane444Unorm,
}

// packed are formats of one plane that have conversions.
var packed = []vk.Format{
	vk.FormatG8B8G8R8_422Unorm, vk.FormatB8G8R8G8_422Unorm, vk.FormatG10X6B10X6G10X6R10X6_422Unorm4Pack16, vk.FormatB12X4G12X4R12X4G12X4_422Unorm4Pack16,
	vk.FormatG16B16G16R16_422Unorm, vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Unorm, vk.FormatR8G8Unorm, vk.FormatR8Unorm, vk.FormatR16G16B16A16Unorm,
	vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16, vk.FormatR10X6UnormPack16, vk.FormatR5G6B5UnormPack16, vk.FormatA2B10G10R10UnormPack32,
}

// randomConversion makes an image and a sampler with a conversion, mostly of several planes.
func randomConversion(r *rand.Rand, arrayed bool) (*resource.ImageView, *resource.Sampler) {
	f := planar[r.IntN(len(planar))]
	if r.IntN(2) == 0 {
		f = planar[r.IntN(2)]
	}
	if r.IntN(4) == 0 {
		f = packed[r.IntN(len(packed))]
	}
	info, _ := format.Lookup(f)
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(uint32(2+2*r.IntN(12)), uint32(2+2*r.IntN(12)), 1), ArrayLayers: 1}
	t := vk.ImageViewType2D
	if arrayed {
		d.ArrayLayers, t = 1+r.IntN(3), vk.ImageViewType2DArray
	}
	if info.MultiPlanar() && r.IntN(3) == 0 {
		d.Flags = vk.ImageCreateDisjointBit
	}
	im := must(resource.NewImage(d))
	data := make([]byte, im.Layout.Size)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	if err := im.Bind(data); err != nil {
		panic(err)
	}
	coin := func() int { return r.IntN(2) }
	c := resource.YcbcrConversion{Format: f, Model: vk.SamplerYcbcrModelConversion(r.IntN(5)), Range: vk.SamplerYcbcrRange(coin()),
		XChromaOffset: vk.ChromaLocation(coin()), YChromaOffset: vk.ChromaLocation(coin()), ChromaFilter: vk.Filter(coin()), ForceExplicit: r.IntN(16) == 0}
	if info.ComponentCount < 3 {
		c.Model = vk.SamplerYcbcrModelConversionRgbIdentity
	}
	if info.BlockWidth == 1 && info.BlockBytes == 2 || f == vk.FormatA2B10G10R10UnormPack32 { // with components of less than 8 bits
		c.Range = vk.SamplerYcbcrRangeItuFull
	}
	if coin() == 0 {
		c.Components.R, c.Components.B = vk.ComponentSwizzleB, vk.ComponentSwizzleR
	}
	if r.IntN(4) == 0 {
		c.Components.A = vk.ComponentSwizzleZero + vk.ComponentSwizzle(coin())
	}
	if r.IntN(16) == 0 && info.Components[0].Bits == 8 {
		c.YDegamma, c.CbCrDegamma = coin() == 0, coin() == 0
	}
	const edge = vk.SamplerAddressModeClampToEdge
	s := resource.Sampler{MagFilter: vk.Filter(coin()), AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, Ycbcr: must(resource.NewYcbcrConversion(c))}
	if s.MinFilter = s.MagFilter; r.IntN(16) == 0 {
		s.MinFilter = vk.Filter(coin())
	}
	return must(resource.NewView(im, resource.ViewDesc{Type: &t})), must(resource.NewSampler(s))
}

// cubicSampler makes filters CUBIC: both, or one of them.
func cubicSampler(r *rand.Rand, s *resource.Sampler) {
	s.CubicWeights = vk.CubicFilterWeightsQCOM(r.IntN(4))
	one := r.IntN(8)
	if one != 0 {
		s.MagFilter = vk.FilterCubicEXT
	}
	if one != 1 {
		s.MinFilter = vk.FilterCubicEXT
	}
	switch r.IntN(6) {
	case 0, 1:
		s.Reduction = vk.SamplerReductionModeWeightedAverageRangeclampQCOM
	case 2:
		s.Reduction = vk.SamplerReductionModeMin + vk.SamplerReductionMode(r.IntN(2))
	}
}

// cancel makes all components, of n bytes, one number of either sign, so that sums of
// texels come out as zero or as what rounding left.
func cancel(r *rand.Rand, data []byte, n int) {
	for i := range data {
		data[i] = data[i%n]
		if i%n == n-1 {
			data[i] = data[i]&0x7F | byte(r.IntN(2)<<7)
		}
	}
}

// convertible says that an instruction may go through a conversion.
func convertible(op *ir.ImageOp) bool { return op.Kind == ir.ImageSample && op.Dim == ir.Dim2D }

// inBlocks makes the image one that is bound block by block, with some more of them
// than one.
func inBlocks(r *rand.Rand, d *resource.ImageDesc) {
	info, _ := format.Lookup(d.Format)
	g, _ := resource.SparseBlock(info, d.Type, 1)
	if resource.BoundWhole(info) {
		return
	}
	more := func(n *uint32, grain uint32) { *n = grain + uint32(r.IntN(int(grain)+20)) }
	more(&d.Extent.Width, g.Width)
	more(&d.Extent.Height, g.Height)
	if d.Type == vk.ImageType3D {
		more(&d.Extent.Depth, g.Depth)
	}
	if d.Flags != 0 { // a cube
		d.Extent.Height = d.Extent.Width
	}
	d.Flags |= vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit
}
