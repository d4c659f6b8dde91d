package conformance

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// What images of a format may be, and how they may be filtered: the catalogue's sections 2 and 13.

// Images with chroma of less resolution have sizes that it divides, one level, one sample and two dimensions.
func TestFormats_IMG046_Chroma(t *testing.T) {
	rules.Covers(t, "IMG-046")
	dev := ruleDevice(t)
	const w, h, levels, samples, flat = "04712", "04713", "06410", "06411", "06412"
	formats := map[string][]vk.Format{}
	for name, f := range formatsByName() {
		for _, kind := range []string{"420", "422", "444"} {
			if strings.Contains(name, kind) {
				formats[kind] = append(formats[kind], f)
			}
		}
	}
	if len(formats["420"]) != 8 || len(formats["422"]) != 16 || len(formats["444"]) != 8 {
		t.Errorf("%d formats of 4:2:0, %d of 4:2:2, %d of 4:4:4", len(formats["420"]), len(formats["422"]), len(formats["444"]))
	}
	for _, c := range []struct {
		what string
		desc pumice.ImageDesc
		rule map[string]string // by kind of format
	}{
		{"even", pumice.ImageDesc{Width: 6, Height: 4}, nil},
		{"two texels", pumice.ImageDesc{Width: 2, Height: 2}, nil},
		{"odd width", pumice.ImageDesc{Width: 5, Height: 4}, map[string]string{"420": w, "422": w}},
		{"one texel wide", pumice.ImageDesc{Width: 1, Height: 2}, map[string]string{"420": w, "422": w}},
		{"odd height", pumice.ImageDesc{Width: 6, Height: 3}, map[string]string{"420": h}},
		{"levels", pumice.ImageDesc{Width: 8, Height: 8, MipLevels: 2}, map[string]string{"420": levels, "422": levels, "444": levels}},
		{"samples", pumice.ImageDesc{Width: 8, Height: 8, Samples: 4}, map[string]string{"420": samples, "422": samples, "444": samples}},
		{"1D", pumice.ImageDesc{Width: 8}, map[string]string{"420": flat, "422": flat, "444": flat}},
		{"3D", pumice.ImageDesc{Width: 8, Height: 8, Depth: 2}, map[string]string{"420": flat, "422": flat, "444": flat}},
	} {
		for kind, list := range formats {
			for _, f := range list {
				desc := c.desc
				desc.Format = f
				im, err := dev.NewImage(desc)
				if im != nil {
					im.Close()
				}
				var e *pumice.Error
				rule := ""
				if errors.As(err, &e) {
					rule = e.Rule
				}
				if want := c.rule[kind]; (err == nil) != (want == "") || !strings.HasSuffix(rule, want) {
					t.Errorf("%s, %v: %v (rule %q), want %q", c.what, f, err, rule, want)
				}
			}
		}
	}
}

// Every format that reads as floats is filtered: LINEAR, CUBIC, by minimum and maximum; depth too. Integers have an order, but no mean; stencil values
// have neither.
func TestFormats_IMG260_Filterable(t *testing.T) {
	rules.Covers(t, "IMG-260")
	const linear, minmax, cubic = vk.FormatFeatureSampledImageFilterLinearBit, vk.FormatFeatureSampledImageFilterMinmaxBit, vk.FormatFeatureSampledImageFilterCubicBitEXT
	devices := imageDevices(t)
	checked := 0
	for f := vk.Format(1); f < 1_000_340_002; f++ {
		switch f { // to the formats of the next extension
		case 185:
			f = 1_000_054_000
		case 1_000_054_008:
			f = 1_000_066_000
		case 1_000_066_014:
			f = 1_000_156_000
		case 1_000_156_034:
			f = 1_000_330_000
		case 1_000_330_004:
			f = 1_000_340_000
		}
		name := f.String()
		features := devices[0].FormatProperties(f).OptimalTilingFeatures
		if features&vk.FormatFeatureSampledImageBit == 0 {
			continue
		}
		integer := strings.HasSuffix(name, "UINT") || strings.HasSuffix(name, "SINT") || strings.Contains(name, "UINT_PACK") || strings.Contains(name, "SINT_PACK")
		if strings.Contains(name, "FORMAT_D") {
			integer = false
		}
		chroma := strings.Contains(name, "420") || strings.Contains(name, "422") || strings.Contains(name, "PLANE_444") || f == vk.FormatR12X4G12X4B12X4A12X4Unorm4Pack16 // only through a conversion
		var want vk.FormatFeatureFlags
		switch {
		case f == vk.FormatS8Uint, f == vk.FormatR64Uint, f == vk.FormatR64Sint: // NEAREST only
		case integer:
			want = minmax
		case chroma:
			want = linear
		default:
			want = linear | minmax | cubic
		}
		if got := features & (linear | minmax | cubic); got != want {
			t.Errorf("%v: filters %#x, want %#x", f, uint32(got), uint32(want))
		}
		if want&cubic == 0 || strings.Contains(name, "S8") {
			continue
		}
		// Two blocks beside each other, with different bytes.
		checked++
		filtered(t, devices, f, checked)
	}
	if checked < 100 {
		t.Errorf("%d formats are filtered", checked)
	}
}

// filtered samples between two blocks of an image, with every filter.
func filtered(t *testing.T, devices []*imageDevice, f vk.Format, n int) {
	t.Helper()
	dev := devices[n%2]
	// The largest blocks are 12×12.
	im, err := dev.NewImage(pumice.ImageDesc{Format: f, Width: 24, Height: 12})
	if err != nil {
		t.Errorf("%v: %v", f, err)
		return
	}
	defer im.Close()
	size, err := im.Read(ctx, pumice.Subresource{Aspect: aspectOf(f)})
	if err != nil {
		t.Errorf("%v: %v", f, err)
		return
	}
	var data []byte
	for i := range size {
		data = append(data, []byte{0x21, 0x3A, 0x2C, 0x35}[i/16%4])
	}
	if strings.Contains(f.String(), "D32") || strings.Contains(f.String(), "D24") || strings.Contains(f.String(), "D16") {
		data = bytes.Repeat([]byte{0x21, 0x3A, 0x2C, 0x35}, len(data)/4)
	}
	if err := im.Write(ctx, pumice.Subresource{}, data); err != nil {
		t.Errorf("%v: %v", f, err)
		return
	}
	var texels [24]float64
	for x := range texels {
		got, err := dev.Fetch(ctx, im, [][4]int{{x, 5}}, pumice.FetchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		texels[x] = float64(got[0].Float()[0])
	}
	edge := vk.SamplerAddressModeClampToEdge
	for _, s := range []pumice.SamplerDesc{
		{MagFilter: vk.FilterLinear}, {MagFilter: vk.FilterCubicEXT}, {MagFilter: vk.FilterLinear, Reduction: vk.SamplerReductionModeMin}, {MagFilter: vk.FilterLinear, Reduction: vk.SamplerReductionModeMax},
	} {
		s.MinFilter, s.AddressModeU, s.AddressModeV = s.MagFilter, edge, edge
		r := imageRule{dev: dev, shader: "image2d", view: im, sampler: ruleSampler(t, dev, s)}
		var lanes []imageLane
		for x := 2; x < 23; x++ {
			lanes = append(lanes, imageLane{at: [4]float32{float32(x) / 24, 5.5 / 12}})
		}
		got := r.run(t, lanes)
		for i, l := range lanes {
			x := i + 2
			a, b := texels[x-1], texels[x]
			want := (a + b) / 2
			switch {
			case s.MagFilter == vk.FilterCubicEXT:
				want = (-texels[x-2] + 9*a + 9*b - texels[min(x+1, 23)]) / 16
			case s.Reduction == vk.SamplerReductionModeMin:
				want = min(a, b)
			case s.Reduction == vk.SamplerReductionModeMax:
				want = max(a, b)
			}
			// Codes are added up and divided once, texels are rounded each.
			sum := math.Abs(texels[x-2]) + math.Abs(a) + math.Abs(b) + math.Abs(texels[min(x+1, 23)])
			if d := math.Abs(float64(got[i][0]) - want); !(d <= 0x1p-22*sum) {
				t.Errorf("%v, %v, at %v: %v, want %v", f, s, l.at, got[i][0], want)
				return
			}
		}
	}
}

func aspectOf(f vk.Format) vk.ImageAspectFlags {
	if strings.Contains(f.String(), "FORMAT_D") || strings.Contains(f.String(), "X8_D24") {
		return vk.ImageAspectDepthBit
	}
	return vk.ImageAspectColorBit
}
