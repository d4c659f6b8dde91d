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
	rules.Covers(t, "IMG-027", "IMG-123", "IMG-124", "IMG-125", "IMG-126", "IMG-127", "IMG-175", "IMG-180", "IMG-427", "IMG-453", "IMG-670")
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
		return vk.FilterLinear
	}
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
			AnisotropyEnable: rare(), MaxAnisotropy: 1 + pick(-.5, MaxSamplerAnisotropy-1, MaxSamplerAnisotropy, nan), CompareEnable: rare(), UnnormalizedCoordinates: r.IntN(2) == 0, ImageProcessing: r.IntN(2) == 0,
			BorderColor: vk.BorderColor(max(0, r.IntN(10)-4)),
		}
		if rare() {
			d.MipmapMode = vk.SamplerMipmapModeLinear
		}
		refused := !(d.MipLodBias >= -MaxSamplerLodBias) || !(d.MipLodBias <= MaxSamplerLodBias) || !(d.MinLod <= d.MaxLod) ||
			d.AnisotropyEnable && !(d.MaxAnisotropy >= 1 && d.MaxAnisotropy <= MaxSamplerAnisotropy)
		if d.UnnormalizedCoordinates || d.ImageProcessing {
			refused = refused || d.MipmapMode == vk.SamplerMipmapModeLinear || d.MinLod != 0 || d.MaxLod != 0 || !clamps(d.AddressModeU) || !clamps(d.AddressModeV) || d.AnisotropyEnable || d.CompareEnable
		}
		if d.UnnormalizedCoordinates {
			refused = refused || d.MinFilter != d.MagFilter
		}
		if d.ImageProcessing {
			seen := d.AddressModeU == vk.SamplerAddressModeClampToBorder || d.AddressModeV == vk.SamplerAddressModeClampToBorder
			refused = refused || d.MinFilter == vk.FilterLinear || d.MagFilter == vk.FilterLinear || seen && d.BorderColor != vk.BorderColorFloatTransparentBlack
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
