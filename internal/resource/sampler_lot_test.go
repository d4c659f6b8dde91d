package resource

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Samplers by lot are refused where the catalogue says so, and only there.
func TestSampler_ByLot(t *testing.T) {
	rules.Covers(t, "IMG-027", "IMG-123", "IMG-124", "IMG-125", "IMG-126", "IMG-127", "IMG-165", "IMG-175", "IMG-180", "IMG-427", "IMG-453", "IMG-670")
	r := rand.New(rand.NewPCG(27, 0))
	rare := func() bool { return r.IntN(8) == 0 }
	nan := float32(math.NaN())
	pick := func(more ...float32) float32 {
		if !rare() {
			return 0
		}
		return more[r.IntN(len(more))]
	}
	filter := func() vk.Filter {
		if r.IntN(3) > 0 {
			return vk.FilterNearest
		}
		return oneOf(r, vk.FilterLinear, vk.FilterCubicEXT)
	}
	conversion := &YcbcrConversion{Format: vk.FormatG8B8R8_3Plane420Unorm}
	modes := []vk.SamplerAddressMode{vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToBorder, vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToBorder, vk.SamplerAddressModeRepeat,
		vk.SamplerAddressModeMirroredRepeat, vk.SamplerAddressModeMirrorClampToEdge}
	clamps := func(m vk.SamplerAddressMode) bool {
		return m == vk.SamplerAddressModeClampToEdge || m == vk.SamplerAddressModeClampToBorder
	}
	count := map[bool]int{}
	for range 100000 {
		d := Sampler{
			MinFilter: filter(), MagFilter: filter(), MinLod: pick(-1, 1, nan), MaxLod: pick(-1, 1, 2, nan), MipLodBias: pick(MaxSamplerLodBias, -MaxSamplerLodBias, MaxSamplerLodBias+1, -MaxSamplerLodBias-1, nan),
			AddressModeU: modes[r.IntN(len(modes))], AddressModeV: modes[r.IntN(len(modes))], AddressModeW: modes[r.IntN(len(modes))],
			AnisotropyEnable: rare(), MaxAnisotropy: 1 + pick(-.5, -0x1p-24, MaxSamplerAnisotropy-1, MaxSamplerAnisotropy-1+0x1p-20, MaxSamplerAnisotropy, nan), CompareEnable: rare(), UnnormalizedCoordinates: r.IntN(2) == 0, ImageProcessing: r.IntN(2) == 0,
			BorderColor: vk.BorderColor(max(0, r.IntN(10)-4)),
		}
		if rare() {
			d.MipmapMode = vk.SamplerMipmapModeLinear
		}
		if rare() {
			d.Reduction = oneOf(r, vk.SamplerReductionModeMin, vk.SamplerReductionModeMax, vk.SamplerReductionModeWeightedAverageRangeclampQCOM)
		}
		if r.IntN(4) == 0 {
			d.Ycbcr = conversion
			if r.IntN(2) == 0 {
				d.AddressModeU, d.AddressModeV, d.AddressModeW = vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToEdge
				*oneOf(r, &d.AddressModeU, &d.AddressModeV, &d.AddressModeW) = modes[r.IntN(len(modes))]
			}
		}
		refused := !(d.MipLodBias >= -MaxSamplerLodBias) || !(d.MipLodBias <= MaxSamplerLodBias) || !(d.MinLod <= d.MaxLod) ||
			d.AnisotropyEnable && !(d.MaxAnisotropy >= 1 && d.MaxAnisotropy <= MaxSamplerAnisotropy) ||
			d.AnisotropyEnable && (d.MinFilter == vk.FilterCubicEXT || d.MagFilter == vk.FilterCubicEXT) || d.CompareEnable && d.Reduction != vk.SamplerReductionModeWeightedAverage
		if d.Ycbcr != nil {
			edge := vk.SamplerAddressModeClampToEdge
			refused = refused || d.AddressModeU != edge || d.AddressModeV != edge || d.AddressModeW != edge || d.AnisotropyEnable || d.UnnormalizedCoordinates || d.Reduction != vk.SamplerReductionModeWeightedAverage
		}
		if d.UnnormalizedCoordinates || d.ImageProcessing {
			refused = refused || d.MipmapMode == vk.SamplerMipmapModeLinear || d.MinLod != 0 || d.MaxLod != 0 || !clamps(d.AddressModeU) || !clamps(d.AddressModeV) || d.AnisotropyEnable || d.CompareEnable
		}
		if d.UnnormalizedCoordinates {
			refused = refused || d.MinFilter != d.MagFilter
		}
		if d.ImageProcessing {
			seen := d.AddressModeU == vk.SamplerAddressModeClampToBorder || d.AddressModeV == vk.SamplerAddressModeClampToBorder
			refused = refused || d.MinFilter != vk.FilterNearest || d.MagFilter != vk.FilterNearest || seen && d.BorderColor != vk.BorderColorFloatTransparentBlack
		}
		if _, err := NewSampler(d); (err != nil) != refused {
			t.Fatalf("%+v: %v, refused %v", d, err, refused)
		}
		count[refused]++
	}
	if count[false] < 1000 || count[true] < 1000 {
		t.Errorf("%v", count)
	}
}

// Y′CBCR conversions by lot are refused where the specification says so, and only there.
func TestYcbcr_ByLot(t *testing.T) {
	rules.Covers(t, "IMG-167", "IMG-336")
	r := rand.New(rand.NewPCG(167, 0))
	formats := []struct {
		format      vk.Format
		chroma      string
		bits        [4]int
		convertible bool
	}{
		{vk.FormatR8Unorm, "", [4]int{8}, true}, {vk.FormatR8G8B8A8Unorm, "", [4]int{8, 8, 8, 8}, true}, {vk.FormatB8G8R8A8Unorm, "", [4]int{8, 8, 8, 8}, true}, {vk.FormatA2B10G10R10UnormPack32, "", [4]int{10, 10, 10, 2}, true},
		{vk.FormatR5G6B5UnormPack16, "", [4]int{5, 6, 5}, true}, {vk.FormatR16Unorm, "", [4]int{16}, true}, {vk.FormatR8G8B8A8Srgb, "", [4]int{8, 8, 8, 8}, false}, {vk.FormatR8G8B8A8Snorm, "", [4]int{8, 8, 8, 8}, false},
		{vk.FormatR32Sfloat, "", [4]int{32}, false}, {vk.FormatR8Uint, "", [4]int{8}, false}, {vk.FormatG8B8G8R8_422Unorm, "422", [4]int{8, 8, 8}, true}, {vk.FormatG8B8R8_3Plane420Unorm, "420", [4]int{8, 8, 8}, true},
		{vk.FormatG8B8R8_2Plane422Unorm, "422", [4]int{8, 8, 8}, true}, {vk.FormatG8B8R8_3Plane444Unorm, "444", [4]int{8, 8, 8}, true}, {vk.FormatG10X6B10X6R10X6_3Plane420Unorm3Pack16, "420", [4]int{10, 10, 10}, true},
		{vk.FormatG16B16R16_3Plane444Unorm, "444", [4]int{16, 16, 16}, true},
	}
	count := map[bool]int{}
	for range 60000 {
		f := formats[r.IntN(len(formats))]
		d := YcbcrConversion{Format: f.format, Model: sometimes(r, vk.SamplerYcbcrModelConversion(r.IntN(5)), -1, 5), Range: sometimes(r, vk.SamplerYcbcrRange(r.IntN(2)), -1, 2),
			XChromaOffset: sometimes(r, vk.ChromaLocation(r.IntN(2)), -1, 2), YChromaOffset: sometimes(r, vk.ChromaLocation(r.IntN(2)), -1, 2), ChromaFilter: sometimes(r, vk.Filter(r.IntN(2)), vk.FilterCubicEXT, -1),
			YDegamma: r.IntN(8) == 0, CbCrDegamma: r.IntN(8) == 0}
		letter := func(own vk.ComponentSwizzle) vk.ComponentSwizzle {
			return sometimes(r, oneOf(r, vk.ComponentSwizzleIdentity, own), vk.ComponentSwizzleR, vk.ComponentSwizzleG, vk.ComponentSwizzleB, vk.ComponentSwizzleA, vk.ComponentSwizzleZero, vk.ComponentSwizzleOne, -1, 7)
		}
		d.Components = vk.ComponentMapping{R: letter(vk.ComponentSwizzleR), G: letter(vk.ComponentSwizzleG), B: letter(vk.ComponentSwizzleB), A: letter(vk.ComponentSwizzleA)}
		if r.IntN(6) == 0 {
			d.Components.R, d.Components.B = vk.ComponentSwizzleB, vk.ComponentSwizzleR
		}
		refused := !f.convertible || d.Model < 0 || d.Model > 4 || d.Range < 0 || d.Range > 1 || d.XChromaOffset < 0 || d.XChromaOffset > 1 || d.YChromaOffset < 0 || d.YChromaOffset > 1 ||
			d.ChromaFilter != vk.FilterNearest && d.ChromaFilter != vk.FilterLinear
		var from [4]vk.ComponentSwizzle
		for i, s := range [4]vk.ComponentSwizzle{d.Components.R, d.Components.G, d.Components.B, d.Components.A} {
			refused = refused || s < 0 || s > vk.ComponentSwizzleA
			if from[i] = s; s == vk.ComponentSwizzleIdentity {
				from[i] = vk.ComponentSwizzleR + vk.ComponentSwizzle(i)
			}
		}
		const cr, cg, cb, ca = vk.ComponentSwizzleR, vk.ComponentSwizzleG, vk.ComponentSwizzleB, vk.ComponentSwizzleA
		if f.chroma == "422" || f.chroma == "420" {
			plain, turned := from[0] == cr && from[2] == cb, from[0] == cb && from[2] == cr
			refused = refused || from[1] != cg || from[3] != ca && from[3] != vk.ComponentSwizzleZero && from[3] != vk.ComponentSwizzleOne || !plain && !turned
		}
		if d.Model != vk.SamplerYcbcrModelConversionRgbIdentity {
			for _, s := range from[:3] {
				refused = refused || s < cr || s > ca || f.bits[s-cr] == 0 || d.Range == vk.SamplerYcbcrRangeItuNarrow && f.bits[s-cr] < 8
			}
		}
		for _, bits := range f.bits {
			refused = refused || (d.YDegamma || d.CbCrDegamma) && bits != 0 && bits != 8
		}
		if _, err := NewYcbcrConversion(d); (err != nil) != refused {
			t.Fatalf("%+v: %v, refused %v", d, err, refused)
		}
		count[refused]++
	}
	if count[false] < 5000 || count[true] < 5000 {
		t.Errorf("%v", count)
	}
}

// Views of weights by lot are refused where IMG-182 and IMG-183 say so, and only there.
func TestWeights_ByLot(t *testing.T) {
	rules.Covers(t, "IMG-182", "IMG-183")
	r := rand.New(rand.NewPCG(182, 0))
	count := map[bool]int{}
	for count[false]+count[true] < 60000 {
		w := WeightImage{Width: sometimes(r, 1+r.IntN(6), 0, MaxBlock, MaxBlock+1), Height: sometimes(r, 1+r.IntN(6), 0, MaxBlock, MaxBlock+1), Phases: sometimes(r, oneOf(r, 1, 4, 16), 0, 2, 8, 64, 256, MaxWeightPhases, 4*MaxWeightPhases, MaxWeightPhases+1)}
		w.CenterX, w.CenterY = sometimes(r, r.IntN(max(w.Width, 1)), -1, w.Width), sometimes(r, r.IntN(max(w.Height, 1)), -1, w.Height)
		d := ImageDesc{Type: vk.ImageType2D, Format: sometimes(r, vk.FormatR8Unorm, vk.FormatR32Sfloat, vk.FormatD16Unorm, vk.FormatS8Uint), Extent: extent(uint32(max(w.Width+sometimes(r, r.IntN(2), -1), 1)), uint32(max(w.Height+sometimes(r, r.IntN(2), -1), 1)), 1),
			MipLevels: 1, ArrayLayers: max(w.Phases+sometimes(r, r.IntN(3), -1), 1), Samples: sometimes(r, 1, 2, 4), Usage: sometimes(r, vk.ImageUsageSampleWeightBitQCOM, vk.ImageUsageSampledBit)}
		typ := sometimes(r, vk.ImageViewType2DArray, vk.ImageViewType1D, vk.ImageViewType2D, vk.ImageViewType3D, vk.ImageViewTypeCube, vk.ImageViewTypeCubeArray)
		if d.Samples == 1 {
			d.MipLevels = oneOf(r, 1, 2)
		}
		switch typ {
		case vk.ImageViewTypeCube, vk.ImageViewTypeCubeArray:
			d.Extent.Height, d.ArrayLayers, d.Flags = d.Extent.Width, max(d.ArrayLayers, 6), vk.ImageCreateCubeCompatibleBit
		case vk.ImageViewType3D:
			d.Type, d.ArrayLayers = vk.ImageType3D, 1
		case vk.ImageViewType1D:
			d.Type, d.Extent.Height = vk.ImageType1D, 1
		default:
		}
		least := w.Phases * max((w.Width+3)/4*4, w.Height)
		if typ == vk.ImageViewType2DArray && r.IntN(2) == 0 {
			typ, d.Type, d.Extent, d.ArrayLayers = vk.ImageViewType1DArray, vk.ImageType1D, extent(uint32(max(least+sometimes(r, r.IntN(2), -1), 1)), 1, 1), sometimes(r, 2, 1, 3)
		} else if typ == vk.ImageViewType2DArray && r.IntN(12) == 0 {
			d.Type, d.Extent.Depth, d.ArrayLayers, d.Flags = vk.ImageType3D, uint32(d.ArrayLayers), 1, vk.ImageCreate2DArrayCompatibleBit
		}
		im, err := NewImage(d)
		if err != nil {
			continue
		}
		v := ViewDesc{Type: &typ, Weights: w, Range: vk.ImageSubresourceRange{LevelCount: sometimes(r, uint32(1), 2)}}
		if typ == vk.ImageViewTypeCube {
			v.Range.LayerCount = 6
		}
		if typ == vk.ImageViewType1D || typ == vk.ImageViewType2D {
			v.Range.LayerCount = 1
		}
		if r.IntN(12) == 0 {
			v.Components.B = oneOf(r, vk.ComponentSwizzleB, vk.ComponentSwizzleG, vk.ComponentSwizzleOne)
		}
		plain := v
		plain.Weights = WeightImage{}
		p, err := NewView(im, plain)
		if err != nil || w == (WeightImage{}) {
			continue
		}
		refused := d.Usage&vk.ImageUsageSampleWeightBitQCOM == 0 || v.Components.B != vk.ComponentSwizzleIdentity && v.Components.B != vk.ComponentSwizzleB || d.Format == vk.FormatD16Unorm || d.Format == vk.FormatS8Uint ||
			p.Levels > 1 || d.Samples > 1 || w.Width < 1 || w.Width > 64 || w.Height < 1 || w.Height > 64 || w.CenterX < 0 || w.CenterX > w.Width-1 || w.CenterY < 0 || w.CenterY > w.Height-1
		switch w.Phases {
		case 1, 4, 16, 64, 256, 1024:
		default:
			refused = true
		}
		switch typ {
		case vk.ImageViewType1DArray:
			refused = refused || p.Layers != 2 || int(d.Extent.Width) < least
		case vk.ImageViewType2DArray:
			refused = refused || d.Type != vk.ImageType2D || p.Layers < w.Phases || int(d.Extent.Width) < w.Width || int(d.Extent.Height) < w.Height
		default:
			refused = true
		}
		if _, err := NewView(im, v); (err != nil) != refused {
			t.Fatalf("%+v, %v of %+v: %v, refused %v", v, typ, d, err, refused)
		}
		count[refused]++
	}
	if count[false] < 5000 || count[true] < 5000 {
		t.Errorf("%v", count)
	}
}
