package texel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// antisymmetric is an image of w×h binary32 texels whose columns cancel: texel (x, y) is
// minus texel (w−1−x, y), and rows that are alike.
func antisymmetric(r *rand.Rand, w, h uint32, flags vk.ImageCreateFlags) *resource.ImageView {
	im := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32G32B32A32Sfloat, Extent: extent(w, h, 1), Flags: flags}))
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		panic(err)
	}
	l := must(resource.NewView(im, resource.ViewDesc{})).Level(0, 0)
	for x := range int(w) / 2 {
		for c := range 4 {
			bits := math.Float32bits(1 + r.Float32())
			for y := range int(h) {
				binary.LittleEndian.PutUint32(l.Data[l.Offset(x, y, 0, 0)+4*c:], bits)
				binary.LittleEndian.PutUint32(l.Data[l.Offset(int(w)-1-x, y, 0, 0)+4*c:], bits^1<<31)
			}
		}
	}
	return must(resource.NewView(im, resource.ViewDesc{}))
}

// The weights of a CUBIC filter are rounded, so its sum depends on the fraction even
// where all taps of a dimension are one texel: far beyond an edge. Sums that cancel are
// that rounding and nothing else, which a sum in [0, 1] hides but for a tie.
func TestCubic_FractionsFarAway(t *testing.T) {
	rules.Covers(t, "IMG-006", "IMG-007", "IMG-316", "IMG-482")
	r := rand.New(rand.NewPCG(726, 7))
	op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, Lod: ir.LodZero}
	const n = 64
	units := unitsOf(n)
	noise := 0
	for trial := range 400 {
		flags := vk.ImageCreateFlags(0)
		if trial&1 == 1 {
			flags = vk.ImageCreateCornerSampledBitNV
		}
		v := antisymmetric(r, 4, uint32(2+r.IntN(5)), flags)
		s := must(resource.NewSampler(resource.Sampler{
			MagFilter: vk.FilterCubicEXT, MinFilter: vk.FilterCubicEXT, CubicWeights: vk.CubicFilterWeightsQCOM(trial >> 1 & 3),
			AddressModeU: vk.SamplerAddressMode(r.IntN(5)), AddressModeV: vk.SamplerAddressMode(r.IntN(5)),
		}))
		a := &ref.Args{Op: &op}
		a.Coord[0], a.Coord[1] = make([]uint32, n), make([]uint32, n)
		for lane := range n {
			// Between the columns that cancel, at heights of every magnitude.
			a.Coord[0][lane] = math.Float32bits(0.5)
			a.Coord[1][lane] = math.Float32bits(float32(math.Ldexp(2*r.Float64()-1, r.IntN(45))))
		}
		for c := range a.Out {
			a.Out[c] = make([]uint32, n)
		}
		for i := range units {
			if err := compare(units[i], &testCase{op, v, s}, a, n); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range a.Out[0] {
			if x<<1 != 0 {
				noise++
			}
		}
	}
	if noise < 1000 {
		t.Errorf("only %d of the sums are not zero: they do not show how they were rounded", noise)
	}
}

// Every CUBIC filter has a routine where magnification and minification have it: in all dimensions, with comparisons
// and reductions, of all formats that filter. Comparisons are not reduced.
func TestKeyOf_Cubic(t *testing.T) {
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR8Snorm, vk.FormatR16G16Unorm, vk.FormatR32Sfloat, vk.FormatD16Unorm, vk.FormatBc7UnormBlock} {
		for _, dim := range []ir.ImageDim{ir.Dim1D, ir.Dim2D, ir.Dim3D, ir.DimCube} {
			d, kind := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(8, 8, 1)}, vk.ImageViewType2D
			switch dim {
			case ir.Dim1D:
				d.Type, d.Extent.Height, kind = vk.ImageType1D, 1, vk.ImageViewType1D
			case ir.Dim3D:
				d.Type, d.Extent.Depth, kind = vk.ImageType3D, 8, vk.ImageViewType3D
			case ir.DimCube:
				d.ArrayLayers, d.Flags, kind = 6, vk.ImageCreateCubeCompatibleBit, vk.ImageViewTypeCube
			}
			im, err := resource.NewImage(d)
			if err != nil {
				continue // not every format has every dimension
			}
			if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
				t.Fatal(err)
			}
			v := must(resource.NewView(im, resource.ViewDesc{Type: &kind}))
			for _, filters := range [][2]vk.Filter{{vk.FilterCubicEXT, vk.FilterCubicEXT}, {vk.FilterLinear, vk.FilterCubicEXT}, {vk.FilterCubicEXT, vk.FilterNearest}} {
				for _, reduction := range []vk.SamplerReductionMode{vk.SamplerReductionModeWeightedAverage, vk.SamplerReductionModeMin, vk.SamplerReductionModeWeightedAverageRangeclampQCOM} {
					s := must(resource.NewSampler(resource.Sampler{MagFilter: filters[0], MinFilter: filters[1], Reduction: reduction, MaxLod: 1}))
					for _, dref := range []bool{false, true} {
						op := ir.ImageOp{Kind: ir.ImageSample, Dim: dim, Dref: dref, Results: 4}
						least := reduction == vk.SamplerReductionModeMin
						want := filters[0] == filters[1] && !(dref && least)
						if k, ok := keyOf(&op, v, s); ok != want || want && (!k.Cubic || (k.Sum == SumMin) != least || k.Clamp != (reduction == vk.SamplerReductionModeWeightedAverageRangeclampQCOM)) {
							t.Errorf("%v %v of %v with %v, comparison %v: key %+v, lowered %v", filters, dim, f, reduction, dref, k, ok)
						}
					}
				}
			}
		}
	}
}
