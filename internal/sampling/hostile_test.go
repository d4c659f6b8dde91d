package sampling

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// hostileViews are views of every type, and formats of every class.
func hostileViews(t testing.TB, r *rand.Rand) (views []*resource.ImageView) {
	add := func(d resource.ImageDesc, vt vk.ImageViewType, aspect vk.ImageAspectFlags) {
		views = append(views, newView(t, randomImage(t, r, d), resource.ViewDesc{Type: &vt, Range: vk.ImageSubresourceRange{AspectMask: aspect}}))
	}
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR32Uint, vk.FormatR8Sint, vk.FormatR16G16B16A16Sfloat, vk.FormatR64Uint, vk.FormatR32G32B32Sfloat} {
		add(resource.ImageDesc{Type: vk.ImageType1D, Format: f, Extent: extent(9, 1, 1), MipLevels: 3}, vk.ImageViewType1D, 0)
		add(resource.ImageDesc{Type: vk.ImageType1D, Format: f, Extent: extent(9, 1, 1), ArrayLayers: 3}, vk.ImageViewType1DArray, 0)
		add(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(9, 5, 1), MipLevels: 3}, vk.ImageViewType2D, 0)
		add(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(9, 5, 1), MipLevels: 2, ArrayLayers: 7}, vk.ImageViewType2DArray, 0)
		add(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(2, 2, 1), Samples: 4}, vk.ImageViewType2D, 0)
		add(resource.ImageDesc{Type: vk.ImageType3D, Format: f, Extent: extent(3, 4, 5), MipLevels: 2}, vk.ImageViewType3D, 0)
		add(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(4, 4, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit}, vk.ImageViewTypeCube, 0)
		add(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(1, 1, 1), ArrayLayers: 12, Flags: vk.ImageCreateCubeCompatibleBit}, vk.ImageViewTypeCubeArray, 0)
	}
	for _, f := range []vk.Format{vk.FormatBc1RgbUnormBlock, vk.FormatBc7SrgbBlock, vk.FormatEacR11SnormBlock, vk.FormatEtc2R8G8B8A8UnormBlock, vk.FormatAstc12x10UnormBlock,
		vk.FormatG8B8R8_3Plane420Unorm, vk.FormatG8B8G8R8_422Unorm, vk.FormatG16B16R16_2Plane422Unorm} {
		add(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(10, 6, 1)}, vk.ImageViewType2D, 0)
		add(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(10, 6, 1), ArrayLayers: 3}, vk.ImageViewType2DArray, 0)
	}
	add(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD24UnormS8Uint, Extent: extent(3, 3, 1)}, vk.ImageViewType2D, vk.ImageAspectStencilBit)
	add(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD32SfloatS8Uint, Extent: extent(3, 3, 1)}, vk.ImageViewType2D, 0)
	return views
}

// Any instruction on any view with any operands stays inside memory, ends, and gives the same in all
// ways: shapes that do not fit, garbage coordinates, levels, layers and samples.
func TestRun_IMG002_AnyShape(t *testing.T) {
	rules.Covers(t, "IMG-010", "IMG-204", "IMG-304", "IMG-485")
	rules.Covers(t, "IMG-002", "IMG-307")
	r := rand.New(rand.NewPCG(15, 16))
	views := append(hostileViews(t, r), nil)
	const n = 8
	for range 20000 {
		op := &ir.ImageOp{
			Kind: ir.ImageKind(r.IntN(int(ir.ImageFootprint) + 1)), Dim: ir.ImageDim(r.IntN(6)), Arrayed: r.IntN(2) == 0, MS: r.IntN(4) == 0,
			Lod: ir.LodMode(r.IntN(5)), Dref: r.IntN(4) == 0, GatherComp: uint8(r.IntN(5)), Atomic: ir.AtomicOp(r.IntN(14)),
			Match: ir.MatchForm(r.IntN(3)), SAD: r.IntN(2) == 0, Part: ir.FootprintPart(r.IntN(3)), Granularity: uint8(r.IntN(20)), Coarse: r.IntN(2) == 0,
		}
		op.Coords, op.GradCoords = 4, 3
		a := randomArgs(r, op, n)
		garbage := func() []uint32 {
			x := make([]uint32, n)
			for i := range x {
				if x[i] = r.Uint32(); r.IntN(2) == 0 {
					x[i] = uint32(int32(r.IntN(12) - 3))
				}
			}
			return x
		}
		if r.IntN(2) == 0 {
			for c := range a.Coord {
				a.Coord[c] = garbage()
			}
		}
		a.Lod, a.Dref = garbage(), garbage()
		if r.IntN(2) == 0 {
			a.Offset = [3][]uint32{garbage(), garbage(), garbage()}
			a.SampleIndex = garbage()
		}
		a.Texel = [4][]uint32{garbage(), garbage(), garbage(), garbage()}
		a.Second = views[r.IntN(len(views))]
		a.RefCoord, a.Block = [2][]uint32{garbage(), garbage()}, [2][]uint32{garbage(), garbage()}
		smp := randomSampler(r)
		smp.Window = resource.BlockMatchWindow{Width: r.IntN(3), Height: r.IntN(3)}
		smp.CompareOp, smp.NonSeamless = vk.CompareOp(r.IntN(8)), r.IntN(3) == 0
		smp.Reduction = vk.SamplerReductionMode(r.IntN(3))
		smp.AnisotropyEnable, smp.MaxAnisotropy = r.IntN(3) == 0, 16
		if smp.UnnormalizedCoordinates = r.IntN(5) == 0; smp.UnnormalizedCoordinates { // no other sampler is made
			smp.MinFilter, smp.MipmapMode, smp.MinLod, smp.MaxLod, smp.AnisotropyEnable = smp.MagFilter, vk.SamplerMipmapModeNearest, 0, 0, false
			smp.AddressModeU, smp.AddressModeV = edge+vk.SamplerAddressMode(r.IntN(2)), edge+vk.SamplerAddressMode(r.IntN(2))
		}
		both(a, views[r.IntN(len(views))], &smp, n)
	}
}
