package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Lanes that are masked out keep what they had, and change nothing for the others:
// every kind of instruction.
func TestRun_MaskedLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	im := randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Uint, Extent: extent(8, 8, 1), MipLevels: 2})
	ints := newView(t, im, resource.ViewDesc{})
	weights := resource.WeightImage{Width: 2, Height: 2, Phases: 1}
	usage := vk.ImageUsageSampledBit | vk.ImageUsageSampleWeightBitQCOM | vk.ImageUsageSampleBlockMatchBitQCOM
	imF := randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(8, 8, 1), Usage: usage})
	floatView := newView(t, imF, resource.ViewDesc{})
	imW := randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(8, 8, 1), Usage: usage, ArrayLayers: 1})
	second := newView(t, imW, resource.ViewDesc{Type: viewType(vk.ImageViewType2DArray), Weights: weights})
	yuv := planar(t, vk.FormatG8B8R8_3Plane420Unorm, 8, 8, 0, func(c, x, y int) uint32 { return uint32(c*40 + x*7 + y*3 + 1) })
	plain := newSampler(t, resource.Sampler{AddressModeU: edge, AddressModeV: edge})
	for _, k := range []struct {
		op ir.ImageOp
		v  *resource.ImageView
		s  *resource.Sampler
	}{
		{sampleOp(ir.Dim2D), floatView, plain}, {sampleOp(ir.Dim2D), yuv, ycbcrSampler(t, linear, resource.YcbcrConversion{Format: vk.FormatG8B8R8_3Plane420Unorm})},
		{ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D}, floatView, plain}, {ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, ints, nil},
		{ir.ImageOp{Kind: ir.ImageRead, Dim: ir.Dim2D}, ints, nil}, {ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.Dim2D}, ints, nil},
		{ir.ImageOp{Kind: ir.ImageQueryLod, Dim: ir.Dim2D}, floatView, plain}, {ir.ImageOp{Kind: ir.ImageQueryLevels, Dim: ir.Dim2D}, ints, nil},
		{ir.ImageOp{Kind: ir.ImageQuerySamples, Dim: ir.Dim2D}, ints, nil}, {ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}, floatView, plain},
		{ir.ImageOp{Kind: ir.ImageBoxFilter, Dim: ir.Dim2D}, floatView, plain}, {ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D}, floatView, plain},
		{ir.ImageOp{Kind: ir.ImageFootprint, Dim: ir.Dim2D}, floatView, plain},
	} {
		run := func(mask []uint32) (out [4][]uint32) {
			op := k.op
			a := &Args{Op: &op, Quads: true, Mask: mask, Second: second}
			a.Coord[0], a.Coord[1] = make([]uint32, 8), make([]uint32, 8)
			a.Lod = make([]uint32, 8)
			for i := range 8 {
				if op.Kind == ir.ImageFetch || op.Kind == ir.ImageRead || op.Kind == ir.ImageBlockMatch {
					a.Coord[0][i], a.Coord[1][i] = uint32(i%5), uint32(i/2)
				} else {
					a.Coord[0][i], a.Coord[1][i] = math.Float32bits(float32(i)/8), math.Float32bits(float32(i)/7)
				}
			}
			a.Block = [2][]uint32{make([]uint32, 8), make([]uint32, 8)}
			for i := range 8 {
				a.Block[0][i], a.Block[1][i] = 2, 2
				if op.Kind == ir.ImageBoxFilter {
					a.Block[0][i], a.Block[1][i] = math.Float32bits(2), math.Float32bits(2)
				}
			}
			for c := range a.Out {
				a.Out[c] = []uint32{77, 77, 77, 77, 77, 77, 77, 77}
			}
			both(a, k.v, k.s, 8)
			return a.Out
		}
		mask := []uint32{1, 0, 1, 1, 0, 0, 1, 0}
		all, some := run(nil), run(mask)
		changed := false
		for c := range all {
			for lane := range 8 {
				want := all[c][lane]
				changed = changed || want != 77
				if mask[lane] == 0 {
					want = 77
				}
				if some[c][lane] != want {
					t.Errorf("kind %d: lane %d of component %d is %d, want %d", k.op.Kind, lane, c, some[c][lane], want)
				}
			}
		}
		if !changed {
			t.Errorf("kind %d gives nothing", k.op.Kind)
		}
	}
}

// IMG-340, IMG-343, IMG-344: where chroma is a ramp in both directions, linear
// reconstruction gives the ramp's value at the luma's place: (u − ½)/2 chroma samples
// from the first where chroma is cosited, u/2 − ½ where it lies between.
func TestYcbcr_IMG340_RampInBothDirections(t *testing.T) {
	rules.Covers(t, "IMG-071", "IMG-335", "IMG-337", "IMG-340", "IMG-341", "IMG-342", "IMG-343", "IMG-344", "IMG-346")
	const f = vk.FormatG8B8R8_3Plane420Unorm
	for layer := range 2 {
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(16, 16, 1), ArrayLayers: 3})
		for l := range 3 {
			for plane := range 3 {
				p := im.Level(plane, 0, l)
				for y := range p.Height {
					for x := range p.Width {
						p.Data[p.Offset(x, y, 0, 0)] = []byte{100, byte(10 + 8*x + 4*y), byte(20 + 4*x + 16*y)}[plane] + byte(l)
					}
				}
			}
		}
		v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewType2D),
			Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, BaseArrayLayer: uint32(layer + 1), LayerCount: 1}})
		for form := range 8 {
			c := resource.YcbcrConversion{Format: f, ChromaFilter: linear, ForceExplicit: form&1 != 0}
			place := [2]vk.ChromaLocation{cosited, cosited}
			for d := range 2 {
				if form>>(d+1)&1 != 0 {
					place[d] = midpoint
				}
			}
			c.XChromaOffset, c.YChromaOffset = place[0], place[1]
			for _, at := range [][2]float64{{5.5, 5.5}, {6.5, 5.5}, {5.5, 6.5}, {6.5, 9.5}, {6, 7.25}, {7.75, 6.5}} {
				var pos [2]float64
				for d := range pos {
					if pos[d] = (at[d] - 0.5) / 2; place[d] == midpoint {
						pos[d] = at[d]/2 - 0.5
					}
				}
				got := floats(lane1{op: sampleOp(ir.Dim2D), coord: []float32{float32(at[0] / 16), float32(at[1] / 16)}}.run(v, ycbcrSampler(t, linear, c)))
				base := float64(layer + 1)
				want := [4]float64{20 + 4*pos[0] + 16*pos[1] + base, 100 + base, 10 + 8*pos[0] + 4*pos[1] + base, 255}
				for k := range want {
					if math.Abs(float64(got[k])*255-want[k]) > 1e-4 {
						t.Errorf("form %d at %v: component %d is %v, want %v", form, at, k, got[k]*255, want[k])
					}
				}
			}
		}
	}
}

// The formats whose texels are filtered as integer codes, with the largest code.
func TestCodeMax_Formats(t *testing.T) {
	for f, want := range map[vk.Format]int{
		vk.FormatR8Unorm: 255, vk.FormatR8G8B8A8Unorm: 255, vk.FormatR8G8B8A8Snorm: 127, vk.FormatR16Unorm: 65535, vk.FormatR16G16Snorm: 32767, vk.FormatB8G8R8A8Unorm: 255,
		vk.FormatR5G6B5UnormPack16: 0, vk.FormatA2B10G10R10UnormPack32: 0, vk.FormatR8G8B8A8Srgb: 0, vk.FormatR8Uint: 0, vk.FormatR16Sfloat: 0, vk.FormatR32Sfloat: 0, vk.FormatD16Unorm: 65535,
		vk.FormatR4G4UnormPack8: 0, vk.FormatBc1RgbUnormBlock: 0, vk.FormatBc4UnormBlock: 0, vk.FormatG8B8R8_3Plane420Unorm: 0, vk.FormatB10G11R11UfloatPack32: 0, vk.FormatR10X6UnormPack16: 0,
	} {
		info, _ := format.Lookup(f)
		if got := codeMax(info); got != want {
			t.Errorf("%v: %d, want %d", f, got, want)
		}
	}
	// A custom border is no code, and neither are comparisons, reductions and cubic
	// weights.
	v := newView(t, imageOf(t, vk.FormatR8Unorm, 4, 4), resource.ViewDesc{})
	for _, c := range []struct {
		s    resource.Sampler
		dref bool
		want float64
	}{
		{resource.Sampler{}, false, 255}, {resource.Sampler{}, true, 0}, {resource.Sampler{Reduction: smallest}, false, 0}, {resource.Sampler{MagFilter: vk.FilterCubicEXT}, false, 0},
		{resource.Sampler{MinFilter: vk.FilterCubicEXT}, false, 0}, {resource.Sampler{AddressModeU: border, BorderColor: vk.BorderColorFloatOpaqueWhite}, false, 255},
		{resource.Sampler{AddressModeV: border, BorderColor: custom}, false, 0}, {resource.Sampler{AddressModeW: border, BorderColor: custom}, false, 255},
		{resource.Sampler{BorderColor: custom}, false, 255},
	} {
		op := sampleOp(ir.Dim2D)
		op.Dref = c.dref
		u := makeSampled(&Args{Op: &op}, v, &c.s)
		if u.codeMax != c.want {
			t.Errorf("%+v, comparison %v: %v, want %v", c.s, c.dref, u.codeMax, c.want)
		}
	}
	// A range-clamped reduction counts where a filter is cubic.
	for _, filters := range [][2]vk.Filter{{nearest, nearest}, {linear, linear}, {vk.FilterCubicEXT, nearest}, {nearest, vk.FilterCubicEXT}} {
		op := sampleOp(ir.Dim2D)
		u := makeSampled(&Args{Op: &op}, v, &resource.Sampler{MagFilter: filters[0], MinFilter: filters[1], Reduction: vk.SamplerReductionModeWeightedAverageRangeclampQCOM})
		cubic := filters[0] == vk.FilterCubicEXT || filters[1] == vk.FilterCubicEXT
		if (u.reduce == vk.SamplerReductionModeWeightedAverageRangeclampQCOM) != cubic {
			t.Errorf("filters %v: reduction %v", filters, u.reduce)
		}
	}
}
