package pumice_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"log"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// checkers is 2×2 texels, red 0, 85, 170, 255, and a level of 1 texel, red 51.
func checkers(t testing.TB, dev *pumice.Device) *pumice.Image {
	t.Helper()
	im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8Unorm, Width: 2, Height: 2, MipLevels: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Write(ctx, pumice.Subresource{}, []byte{0, 85, 170, 255}); err != nil {
		t.Fatal(err)
	}
	if err := im.Write(ctx, pumice.Subresource{Level: 1}, []byte{51}); err != nil {
		t.Fatal(err)
	}
	return im
}

func red(list []pumice.Texel) []float32 {
	out := make([]float32, len(list))
	for i, t := range list {
		out[i] = t.Float()[0]
	}
	return out
}

func TestImageInstructions(t *testing.T) {
	ctx := t.Context()
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	im := checkers(t, dev)
	linear, err := dev.NewSampler(pumice.LinearSampler(vk.SamplerAddressModeRepeat))
	if err != nil {
		t.Fatal(err)
	}
	tex := pumice.Texture{View: im, Sampler: linear}
	same := func(name string, got []pumice.Texel, err error, want ...float32) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(want, red(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	at := []pumice.Coord{{0.25, 0.25}, {0.5, 0.5}, {0.75, 0.25}}
	got, err := dev.Sample(ctx, tex, at, pumice.SampleOptions{})
	same("level 0", got, err, 0, 0.5, 85.0/255)
	got, err = dev.Sample(ctx, tex, at[:1], pumice.SampleOptions{Lod: 1})
	same("level 1", got, err, 0.2)
	got, err = dev.Sample(ctx, tex, at[:1], pumice.SampleOptions{Lod: 0.5})
	same("between", got, err, 0.1)
	got, err = dev.Sample(ctx, tex, at[:1], pumice.SampleOptions{Offset: [3]int{1, 1}})
	same("offset", got, err, 1)
	got, err = dev.Sample(ctx, tex, at[:1], pumice.SampleOptions{Grad: &[2][3]float32{{1}, {0, 1}}})
	same("derivatives of two texels", got, err, 0.2)
	got, err = dev.Sample(ctx, tex, []pumice.Coord{{0, 0}, {1, 0}, {0, 1}, {1, 1}}, pumice.SampleOptions{Quads: true})
	same("a quad of two texels a fragment", got, err, 0.2, 0.2, 0.2, 0.2)
	got, err = dev.Gather(ctx, tex, at[1:2], 0, pumice.SampleOptions{})
	if err != nil || got[0].Float() != [4]float32{170.0 / 255, 1, 85.0 / 255, 0} {
		t.Errorf("gather: %v, %v", got, err)
	}
	got, err = dev.Fetch(ctx, im, [][4]int{{1, 1}, {0, 1}, {2, 0}, {math.MaxInt, 0}}, pumice.FetchOptions{})
	same("fetch", got, err, 1, 170.0/255, 0, 0)
	got, err = dev.Fetch(ctx, im, [][4]int{{0, 0}}, pumice.FetchOptions{Level: 1})
	same("fetch of level 1", got, err, 0.2)
	got, err = dev.QueryLod(ctx, tex, []pumice.Coord{{0, 0}, {1, 0}, {0, 1}, {1, 1}})
	same("the level of detail", got, err, 1, 1, 1, 1)

	none, err := dev.Sample(ctx, tex, nil, pumice.SampleOptions{})
	if err != nil || len(none) != 0 {
		t.Errorf("no coordinates: %v, %v", none, err)
	}
}

// IMG-515: a gather reads the view's first level, whatever the sampler says of levels. IMG-889: a level of detail, or a
// bias in quads, chooses the nearest level, as VK_AMD_texture_gather_bias_lod has it. Level 0 holds 10, level 1 holds 20,
// level 2 holds 30.
func TestImageInstructions_GatherLevels(t *testing.T) {
	rules.Covers(t, "IMG-515", "IMG-889")
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8Uint, Width: 4, Height: 4, MipLevels: 3})
	if err != nil {
		t.Fatal(err)
	}
	for level, n := range []int{16, 4, 1} {
		if err := im.Write(ctx, pumice.Subresource{Level: level}, slices.Repeat([]byte{byte(10 * (level + 1))}, n)); err != nil {
			t.Fatal(err)
		}
	}
	// Neighbours of the quad are a texel of level 0 apart: λ is 0, and what is added to it.
	quad := []pumice.Coord{{0.125, 0.125}, {0.375, 0.125}, {0.125, 0.375}, {0.375, 0.375}}
	for _, c := range []struct {
		name    string
		sampler pumice.SamplerDesc
		o       pumice.SampleOptions
		want    uint32
	}{
		{"nothing", pumice.SamplerDesc{MaxLod: 2}, pumice.SampleOptions{}, 10},
		{"the sampler's least level", pumice.SamplerDesc{MinLod: 1, MaxLod: 2}, pumice.SampleOptions{}, 10},
		{"the sampler's bias", pumice.SamplerDesc{MipLodBias: 1, MaxLod: 2}, pumice.SampleOptions{}, 10},
		{"quads and the sampler's bias", pumice.SamplerDesc{MipLodBias: 1, MaxLod: 2}, pumice.SampleOptions{Quads: true}, 10},
		{"level 1", pumice.SamplerDesc{MaxLod: 2}, pumice.SampleOptions{Lod: 1}, 20},
		{"a tie of levels 0 and 1", pumice.SamplerDesc{MaxLod: 2, MipmapMode: vk.SamplerMipmapModeNearest}, pumice.SampleOptions{Lod: 0.5}, 10},
		{"above the tie", pumice.SamplerDesc{MaxLod: 2}, pumice.SampleOptions{Lod: 0.51}, 20},
		{"level 1 and the sampler's bias", pumice.SamplerDesc{MipLodBias: 1, MaxLod: 2}, pumice.SampleOptions{Lod: 1}, 30},
		{"past the sampler's last level", pumice.SamplerDesc{MaxLod: 1}, pumice.SampleOptions{Lod: 2}, 20},
		{"a bias in quads", pumice.SamplerDesc{MaxLod: 2}, pumice.SampleOptions{Quads: true, Bias: 1}, 20},
		{"both biases", pumice.SamplerDesc{MipLodBias: 1, MaxLod: 2}, pumice.SampleOptions{Quads: true, Bias: 1}, 30},
	} {
		s, err := dev.NewSampler(c.sampler)
		if err != nil {
			t.Fatal(err)
		}
		got, err := dev.Gather(t.Context(), pumice.Texture{View: im, Sampler: s}, quad, 0, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, texel := range got {
			if texel.Bits() != [4]uint32{c.want, c.want, c.want, c.want} {
				t.Errorf("%s, fragment %d: %v, want %d", c.name, i, texel, c.want)
			}
		}
	}
}

// IMG-222: a gather of integers or stencil has the selected face's own texel where a corner of the cube has none, and
// those of its neighbours over the edges (IMG-216). Texel (i, j) of face f holds 1 + 16·f + 4·j + i.
func TestImageInstructions_IMG222_GathersAtCorners(t *testing.T) {
	rules.Covers(t, "IMG-216", "IMG-222")
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	s, err := dev.NewSampler(pumice.SamplerDesc{})
	if err != nil {
		t.Fatal(err)
	}
	value := func(face, i, j int) uint32 { return uint32(1 + 16*face + 4*j + i) }
	for format, bytes := range map[vk.Format]int{vk.FormatR8Uint: 1, vk.FormatR16Sint: 2, vk.FormatR32Uint: 4, vk.FormatS8Uint: 1} {
		im, err := dev.NewImage(pumice.ImageDesc{Format: format, Width: 2, Height: 2, Layers: 6, Cube: true})
		if err != nil {
			t.Fatal(err)
		}
		for face := range 6 {
			var data []byte
			for at := range 4 {
				data = append(data, append([]byte{byte(value(face, at%2, at/2))}, make([]byte, bytes-1)...)...)
			}
			if err := im.Write(ctx, pumice.Subresource{Layer: face}, data); err != nil {
				t.Fatal(err)
			}
		}
		const x, y, z, negY, negZ = 0, 2, 4, 3, 5
		for _, c := range []struct {
			name string
			at   pumice.Coord
			want [4]uint32 // (i0, j1), (i1, j1), (i1, j0), (i0, j0)
		}{
			{"+X, upper left", pumice.Coord{1, 0.8, 0.8}, [4]uint32{value(z, 1, 0), value(x, 0, 0), value(y, 1, 1), value(x, 0, 0)}},
			{"+X, upper right", pumice.Coord{1, 0.8, -0.8}, [4]uint32{value(x, 1, 0), value(negZ, 0, 0), value(x, 1, 0), value(y, 1, 0)}},
			{"+X, lower left", pumice.Coord{1, -0.8, 0.8}, [4]uint32{value(x, 0, 1), value(negY, 1, 0), value(x, 0, 1), value(z, 1, 1)}},
			{"+X, lower right", pumice.Coord{1, -0.8, -0.8}, [4]uint32{value(negY, 1, 1), value(x, 1, 1), value(negZ, 0, 1), value(x, 1, 1)}},
			{"+Y, upper left", pumice.Coord{-0.8, 1, -0.8}, [4]uint32{value(1, 0, 0), value(y, 0, 0), value(negZ, 1, 0), value(y, 0, 0)}},
		} {
			got, err := dev.Gather(t.Context(), pumice.Texture{View: im, Sampler: s}, []pumice.Coord{c.at}, 0, pumice.SampleOptions{})
			if err != nil || got[0].Bits() != c.want {
				t.Errorf("%v, %s: %v, %v; want %d", format, c.name, got, err, c.want)
			}
		}
	}
}

func TestImageInstructions_IntegersAndComparisons(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR32G32Sint, Width: 1, Height: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Write(ctx, pumice.Subresource{}, []byte{0xFE, 0xFF, 0xFF, 0xFF, 7, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	got, err := dev.Fetch(t.Context(), im, [][4]int{{0, 0}}, pumice.FetchOptions{})
	if err != nil || !got[0].Integer() || got[0].Int() != [4]int32{-2, 7, 0, 1} || got[0].String() != "(-2, 7, 0, 1)" {
		t.Errorf("a signed texel: %v, %v", got, err)
	}
	depth, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatD32Sfloat, Width: 1, Height: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := depth.Write(ctx, pumice.Subresource{}, []byte{0, 0, 0, 0x3F}); err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewSampler(pumice.SamplerDesc{CompareEnable: true, CompareOp: vk.CompareOpLess})
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[float32]float32{0.25: 1, 0.5: 0} {
		got, err := dev.Sample(t.Context(), pumice.Texture{View: depth, Sampler: s}, []pumice.Coord{{0.5, 0.5}}, pumice.SampleOptions{Dref: ref})
		if err != nil || got[0].Float()[0] != want {
			t.Errorf("%g against 0.5: %v, %v", ref, got, err)
		}
	}
}

func TestImageInstructions_Misuse(t *testing.T) {
	ctx := t.Context()
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	im := checkers(t, dev)
	s, err := dev.NewSampler(pumice.SamplerDesc{})
	if err != nil {
		t.Fatal(err)
	}
	ms, err := dev.NewImage(pumice.ImageDesc{Width: 2, Height: 2, Samples: 4})
	if err != nil {
		t.Fatal(err)
	}
	target, err := dev.NewImage(pumice.ImageDesc{Width: 2, Height: 2, Usage: vk.ImageUsageColorAttachmentBit})
	if err != nil {
		t.Fatal(err)
	}
	one := []pumice.Coord{{}}
	for name, call := range map[string]func() error{
		"no view": func() error {
			_, err := dev.Sample(ctx, pumice.Texture{Sampler: s}, one, pumice.SampleOptions{})
			return err
		},
		"no sampler": func() error {
			_, err := dev.Sample(ctx, pumice.Texture{View: im}, one, pumice.SampleOptions{})
			return err
		},
		"three of four": func() error {
			_, err := dev.Sample(ctx, pumice.Texture{View: im, Sampler: s}, make([]pumice.Coord, 3), pumice.SampleOptions{Quads: true})
			return err
		},
		"two sources": func() error {
			_, err := dev.Sample(ctx, pumice.Texture{View: im, Sampler: s}, make([]pumice.Coord, 4), pumice.SampleOptions{Quads: true, Grad: new([2][3]float32)})
			return err
		},
		"a gather with derivatives": func() error {
			_, err := dev.Gather(ctx, pumice.Texture{View: im, Sampler: s}, one, 0, pumice.SampleOptions{Grad: new([2][3]float32)})
			return err
		},
		"a gather with a least level": func() error {
			_, err := dev.Gather(ctx, pumice.Texture{View: im, Sampler: s}, one, 0, pumice.SampleOptions{MinLod: 1})
			return err
		},
		"component 4": func() error {
			_, err := dev.Gather(ctx, pumice.Texture{View: im, Sampler: s}, one, 4, pumice.SampleOptions{})
			return err
		},
		"samples": func() error {
			_, err := dev.Sample(ctx, pumice.Texture{View: ms, Sampler: s}, one, pumice.SampleOptions{})
			return err
		},
		"usage": func() error { _, err := dev.Fetch(ctx, target, [][4]int{{}}, pumice.FetchOptions{}); return err },
		"fragment 1": func() error {
			_, _, err := dev.ExplainSample(ctx, pumice.Texture{View: im, Sampler: s}, one, 1, pumice.SampleOptions{})
			return err
		},
	} {
		var e *pumice.Error
		if err := call(); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// IMG-001: an instruction that does not fit what it is used on is an error that tells
// all the rules that are broken.
func TestImageInstructions_IMG001_AllBrokenRules(t *testing.T) {
	rules.Covers(t, "IMG-001")
	ctx := t.Context()
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	linear, err := dev.NewSampler(pumice.LinearSampler(vk.SamplerAddressModeRepeat))
	if err != nil {
		t.Fatal(err)
	}
	integers, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8Uint, Width: 2, Height: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		view  *pumice.Image
		o     pumice.SampleOptions
		rules []string
	}{
		{"what fits", checkers(t, dev), pumice.SampleOptions{Offset: [3]int{-8, 7}}, nil},
		{"an offset of 8", checkers(t, dev), pumice.SampleOptions{Offset: [3]int{8, 0}}, []string{"IMG-170 Offsets in range, one at a time"}},
		{"filtered integers", integers, pumice.SampleOptions{}, []string{"IMG-117 Filter that the format does not have"}},
		{"both", integers, pumice.SampleOptions{Offset: [3]int{0, -9}}, []string{"IMG-117 Filter that the format does not have", "IMG-170 Offsets in range, one at a time"}},
	} {
		_, err := dev.Sample(ctx, pumice.Texture{View: c.view, Sampler: linear}, []pumice.Coord{{}}, c.o)
		var e *pumice.Error
		if errors.As(err, &e) != (c.rules != nil) || c.rules != nil && e.Rule != c.rules[0][:7] {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, r := range c.rules {
			if err == nil || strings.Count(err.Error(), r) != 1 {
				t.Errorf("%s: %v does not tell %s", c.name, err, r)
			}
		}
	}
}

// TestExplainSample_TellsTheNumbers: the steps end in the texel, and name what
// the filter read.
func TestExplainSample_TellsTheNumbers(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	im := checkers(t, dev)
	s, err := dev.NewSampler(pumice.LinearSampler(vk.SamplerAddressModeClampToEdge))
	if err != nil {
		t.Fatal(err)
	}
	texel, steps, err := dev.ExplainSample(t.Context(), pumice.Texture{View: im, Sampler: s}, []pumice.Coord{{0.5, 0.1}}, 0, pumice.SampleOptions{Lod: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&text, "%s %s: %s\n", s.Rule, s.Title, s.Text)
	}
	for _, want := range []string{"IMG-022 Order of coordinate components: coordinates (0.5, 0.1", "IMG-531 LINEAR weights:   times ", "λ = 0.25", "levels 0 and 1, the second with weight 64/256", "texels -1 (weight", "IMG-500 Address modes: v, CLAMP_TO_EDGE: texel -1 is 0", "filtered: " + texel.String()} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, text.String())
		}
	}
	_, steps, err = dev.ExplainSample(t.Context(), pumice.Texture{View: im, Sampler: s}, []pumice.Coord{{0, 0}, {0.5, 0}, {0, 0.25}, {0.5, 0.25}}, 0, pumice.SampleOptions{Quads: true})
	if want := (pumice.Step{Rule: "IMG-397", Title: "Differences within a quad", Text: "differences in the quad: to x (0.5, 0), to y (0, 0.25)"}); err != nil || !slices.Contains(steps, want) {
		t.Errorf("%v is missing in %v, %v", want, steps, err)
	}
	plain, err := dev.Sample(t.Context(), pumice.Texture{View: im, Sampler: s}, []pumice.Coord{{0.5, 0.1}}, pumice.SampleOptions{Lod: 0.25})
	if err != nil || plain[0] != texel {
		t.Errorf("explained %v, sampled %v, %v", texel, plain, err)
	}
}

// Resize a picture with the texture unit: one sample a pixel, at the level of
// detail that fits.
func ExampleDevice_Sample() {
	src := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		src.Set(i%64, i/64, color.NRGBA{uint8(i % 64 * 4), uint8(i / 64 * 4), 0, 255})
	}
	dev, err := pumice.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	im, err := dev.NewImageFrom(src, &pumice.ImageDesc{MipLevels: pumice.AllMips})
	if err != nil {
		log.Fatal(err)
	}
	if err := im.GenerateMipmaps(); err != nil {
		log.Fatal(err)
	}
	sampler, err := dev.NewSampler(pumice.LinearSampler(vk.SamplerAddressModeClampToEdge))
	if err != nil {
		log.Fatal(err)
	}
	const w, h = 16, 8
	at := make([]pumice.Coord, w*h)
	for i := range at {
		at[i] = pumice.Coord{(float32(i%w) + 0.5) / w, (float32(i/w) + 0.5) / h}
	}
	lod := float32(math.Log2(64 / h))
	texels, err := dev.Sample(context.Background(), pumice.Texture{View: im, Sampler: sampler}, at, pumice.SampleOptions{Lod: lod})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d texels, the first %.3f, the last %.3f\n", len(texels), texels[0].Float(), texels[w*h-1].Float())
	// Output:
	// 128 texels, the first [0.005 0.005 0.000 1.000], the last [0.855 0.855 0.000 1.000]
}

// Look a direction up in a cube map.
func ExampleDevice_Sample_cube() {
	dev, err := pumice.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	cube, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 1, Height: 1, Cube: true})
	if err != nil {
		log.Fatal(err)
	}
	for face := range 6 { // +X, −X, +Y, −Y, +Z, −Z
		if err := cube.Write(ctx, pumice.Subresource{Layer: face}, []byte{byte(51 * face), 0, 0, 255}); err != nil {
			log.Fatal(err)
		}
	}
	sampler, err := dev.NewSampler(pumice.LinearSampler(vk.SamplerAddressModeClampToEdge))
	if err != nil {
		log.Fatal(err)
	}
	texels, err := dev.Sample(context.Background(), pumice.Texture{View: cube, Sampler: sampler},
		[]pumice.Coord{{1, 0, 0}, {0, 0, -1}, {1, 0, 1}}, pumice.SampleOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range texels {
		fmt.Println(t)
	}
	// Output:
	// (0, 0, 0, 1)
	// (1, 0, 0, 1)
	// (0.4, 0, 0, 1)
}
