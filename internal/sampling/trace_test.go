package sampling

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The steps that a traced instruction tells, with their numbers: the texels of these
// images are 100·layer + 10·j + i, or 100·face + 10·j + i.
func TestTrace_Steps(t *testing.T) {
	rules.Covers(t, "IMG-022", "IMG-070", "IMG-290", "IMG-410", "IMG-415")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(4, 4, 1), MipLevels: 3, ArrayLayers: 3})
	for layer := range 3 {
		for level := range 3 {
			for i := range 4 >> level {
				for j := range 4 >> level {
					setFloat(im, level, layer, i, j, float32(1000*level+100*layer+10*j+i))
				}
			}
		}
	}
	array := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewType2DArray)})
	single := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewType2D), Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 3, LayerCount: 1}, Components: vk.ComponentMapping{R: vk.ComponentSwizzleOne, G: vk.ComponentSwizzleR}})
	ints := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8Sint, Extent: extent(2, 2, 1)})
	copy(ints.Data, []byte{1, 0xFE, 3, 4, 5, 6, 7, 8})
	signed := newView(t, ints, resource.ViewDesc{})
	lin := resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9}
	for _, c := range []struct {
		name string
		lane lane1
		v    *resource.ImageView
		s    resource.Sampler
		want string
	}{
		{"nearest, offset, layer", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Arrayed: true, Lod: ir.LodExplicit}, coord: []float32{1.125, 0.375, 1.25}, offset: []int32{1, -1}},
			array, resource.Sampler{AddressModeU: repeat, AddressModeV: repeat}, `
			IMG-022 coordinates (1.125, 0.375)
			IMG-484 layer coordinate 1.25: layer 1 of 3
			IMG-029 offset by [1 -1] texels
			IMG-400 λ_base = 0, the operand
			IMG-451 λ = 0: magnification filter
			IMG-460 d′ = 0 of the view's levels 0 to 2
			IMG-480 level 0: u = 5.5, texel 5 of 4
			IMG-500 u, REPEAT: texel 5 is 1
			IMG-480 level 0: v = 0.5, texel 0 of 4
			IMG-247 texel (1, 0) is (101, 0, 0, 1)
			IMG-530 filtered: (101, 0, 0, 1)
			IMG-320 the format has no G, B, A: they are 0, 0, 1`},
		{"border", lane1{op: sampleOp(ir.Dim2D), coord: []float32{-0.25, 0.5}}, single, resource.Sampler{AddressModeU: border, AddressModeV: edge, BorderColor: vk.BorderColorFloatOpaqueWhite}, `
			IMG-022 coordinates (-0.25, 0.5)
			IMG-400 λ_base = 0, the operand
			IMG-451 λ = 0: magnification filter
			IMG-460 d′ = 0 of the view's levels 0 to 2
			IMG-480 level 0: u = -1, texel -1 of 4
			IMG-505 u, CLAMP_TO_BORDER: texel -1 lies in the border
			IMG-480 level 0: v = 2, texel 2 of 4
			IMG-290 outside: the border colour FLOAT_OPAQUE_WHITE, (1, 0, 0, 1)
			IMG-291   VK_FORMAT_R32_SFLOAT has no other components of it
			IMG-530 filtered: (1, 0, 0, 1)
			IMG-320 the format has no G, B, A: they are 0, 0, 1
			IMG-296 swizzled: (1, 1, 0, 1)`},
		{"two levels, linear", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodExplicit}, coord: []float32{0.5, 0.25}, lod: 0.5}, single, lin, `
			IMG-022 coordinates (0.5, 0.25)
			IMG-400 λ_base = 0.5, the operand
			IMG-451 λ = 0.5: minification filter
			IMG-460 d′ = 0.5 of the view's levels 0 to 2
			IMG-465 levels 0 and 1, the second with weight 128/256
			IMG-556 one filter for both, LINEAR
			IMG-532 level 0, LINEAR
			IMG-481 u = 2 of 4: texels 1 (weight 128/256), 2 (weight 128/256)
			IMG-481 v = 1 of 4: texels 0 (weight 128/256), 1 (weight 128/256)
			IMG-247 texel (1, 0) is (1, 0, 0, 1)
			IMG-531   times 16384/65536
			IMG-247 texel (2, 0) is (2, 0, 0, 1)
			IMG-531   times 16384/65536
			IMG-247 texel (1, 1) is (11, 0, 0, 1)
			IMG-531   times 16384/65536
			IMG-247 texel (2, 1) is (12, 0, 0, 1)
			IMG-531   times 16384/65536
			IMG-532 level 1, LINEAR
			IMG-481 u = 1 of 2: texels 0 (weight 128/256), 1 (weight 128/256)
			IMG-481 v = 0.5 of 2: texels 0 (weight 256/256)
			IMG-533 texel 1 has weight 0, and is not read
			IMG-247 texel (0, 0) is (1000, 0, 0, 1)
			IMG-531   times 32768/65536
			IMG-247 texel (1, 0) is (1001, 0, 0, 1)
			IMG-531   times 32768/65536
			IMG-555 filtered: (503.5, 0, 0, 1)
			IMG-320 the format has no G, B, A: they are 0, 0, 1
			IMG-325 swizzled: (1, 503.5, 0, 1)`},
		{"the sampler's bias", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodExplicit}, coord: []float32{0, 0}, lod: 0.25}, single, resource.Sampler{MipLodBias: 1.5, MaxLod: 9}, `
			IMG-022 coordinates (0, 0)
			IMG-400 λ_base = 0.25, the operand
			IMG-446 λ′ = 1.75, of which 1.5 is bias
			IMG-451 λ = 1.75: minification filter
			IMG-460 d′ = 1.75 of the view's levels 0 to 2
			IMG-461 mipmap mode NEAREST: level 2
			IMG-480 level 2: u = 0, texel 0 of 1
			IMG-480 level 2: v = 0, texel 0 of 1
			IMG-247 texel (0, 0) is (2000, 0, 0, 1)
			IMG-530 filtered: (2000, 0, 0, 1)
			IMG-320 the format has no G, B, A: they are 0, 0, 1
			IMG-325 swizzled: (1, 2000, 0, 1)`},
		{"the shader's bias beside it", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodBias}, coord: []float32{0, 0}, lod: -0.5}, single, resource.Sampler{MipLodBias: 1.5, MaxLod: 9}, `
			IMG-022 coordinates (0, 0)
			IMG-446 λ′ = 1, of which 1 is bias
			IMG-451 λ = 1: minification filter
			IMG-460 d′ = 1 of the view's levels 0 to 2
			IMG-480 level 1: u = 0, texel 0 of 2
			IMG-480 level 1: v = 0, texel 0 of 2
			IMG-247 texel (0, 0) is (1000, 0, 0, 1)
			IMG-530 filtered: (1000, 0, 0, 1)
			IMG-320 the format has no G, B, A: they are 0, 0, 1
			IMG-325 swizzled: (1, 1000, 0, 1)`},
		{"gradients, anisotropic", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodGrad}, coord: []float32{0.5, 0.5}, dx: []float32{0.5, 0}, dy: []float32{0, 0.25}}, single,
			resource.Sampler{MagFilter: linear, MinFilter: linear, MaxLod: 9, AnisotropyEnable: true, MaxAnisotropy: 4, AddressModeU: edge, AddressModeV: edge}, `
			IMG-022 coordinates (0.5, 0.5)
			IMG-399 derivatives to x (0.5, 0), to y (0, 0.25)
			IMG-431 ρ_max = 2, ρ_min = 1 texels of the base level
			IMG-432 η = ρ_max/ρ_min = 2
			IMG-433 2 probes
			IMG-560 along (0.5, 0)
			IMG-445 λ_base = log2(ρ_max/η) = 0
			IMG-451 λ = 0: magnification filter
			IMG-460 d′ = 0 of the view's levels 0 to 2
			IMG-561 probe 1 of 2, at -0.25 of the axis: (0.375, 0.5)
			IMG-532 level 0, LINEAR
			IMG-481 u = 1.5 of 4: texels 1 (weight 256/256)
			IMG-533 texel 2 has weight 0, and is not read
			IMG-481 v = 2 of 4: texels 1 (weight 128/256), 2 (weight 128/256)
			IMG-247 texel (1, 1) is (11, 0, 0, 1)
			IMG-531   times 32768/65536
			IMG-247 texel (1, 2) is (21, 0, 0, 1)
			IMG-531   times 32768/65536
			IMG-561 probe 2 of 2, at 0.25 of the axis: (0.625, 0.5)
			IMG-532 level 0, LINEAR
			IMG-481 u = 2.5 of 4: texels 2 (weight 256/256)
			IMG-533 texel 3 has weight 0, and is not read
			IMG-481 v = 2 of 4: texels 1 (weight 128/256), 2 (weight 128/256)
			IMG-247 texel (2, 1) is (12, 0, 0, 1)
			IMG-531   times 32768/65536
			IMG-247 texel (2, 2) is (22, 0, 0, 1)
			IMG-531   times 32768/65536
			IMG-562 filtered: (16.5, 0, 0, 1)
			IMG-320 the format has no G, B, A: they are 0, 0, 1
			IMG-325 swizzled: (1, 16.5, 0, 1)`},
		{"comparison", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodExplicit, Dref: true}, coord: []float32{0.5, 0.5}, dref: 20}, single,
			resource.Sampler{CompareEnable: true, CompareOp: vk.CompareOpLess}, `
			IMG-022 coordinates (0.5, 0.5)
			IMG-400 λ_base = 0, the operand
			IMG-451 λ = 0: magnification filter
			IMG-460 d′ = 0 of the view's levels 0 to 2
			IMG-480 level 0: u = 2, texel 2 of 4
			IMG-480 level 0: v = 2, texel 2 of 4
			IMG-247 texel (2, 2) is (22, 0, 0, 1)
			IMG-311 reference 20 LESS 22: 1
			IMG-530 filtered: (1, 0, 0, 1)
			IMG-325 swizzled: (1, 1, 0, 1)`},
		{"cube", lane1{op: sampleOp(ir.DimCube), coord: []float32{-2, 0.5, 1}}, imageC2(t), resource.Sampler{MagFilter: linear}, `
			IMG-023 coordinates (-2, 0.5, 1)
			IMG-411 face −X: the component of largest magnitude
			IMG-412 sc = 1, tc = -0.5, |rc| = 2
			IMG-413 coordinates on the face (0.75, 0.375)
			IMG-400 λ_base = 0, the operand
			IMG-451 λ = 0: magnification filter
			IMG-460 d′ = 0 of the view's levels 0 to 0
			IMG-532 level 0, LINEAR
			IMG-481 u = 1.5 of 2: texels 1 (weight 256/256)
			IMG-533 texel 2 has weight 0, and is not read
			IMG-481 v = 0.75 of 2: texels 0 (weight 192/256), 1 (weight 64/256)
			IMG-247 texel (1, 0) is (101, 0, 0, 1)
			IMG-531   times 49152/65536
			IMG-247 texel (1, 1) is (111, 0, 0, 1)
			IMG-531   times 16384/65536
			IMG-532 filtered: (103.5, 0, 0, 1)
			IMG-320 the format has no G, B, A: they are 0, 0, 1`},
		{"integers", lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.25, 0.25}}, signed, resource.Sampler{}, `
			IMG-022 coordinates (0.25, 0.25)
			IMG-400 λ_base = 0, the operand
			IMG-451 λ = 0: magnification filter
			IMG-460 d′ = 0 of the view's levels 0 to 0
			IMG-480 level 0: u = 0.5, texel 0 of 2
			IMG-480 level 0: v = 0.5, texel 0 of 2
			IMG-244 texel (0, 0) is (1, -2, 0, 1)
			IMG-530 filtered: (1, -2, 0, 1)
			IMG-320 the format has no B, A: they are 0, 1
			IMG-321 the 1 is an integer`},
		{"gather", lane1{op: ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D}, coord: []float32{0.5, 0.5}}, single, resource.Sampler{}, `
			IMG-022 coordinates (0.5, 0.5)
			IMG-515 level 0, and the texels of a LINEAR filter: λ and the sampler's filters have no say
			IMG-481 u = 2 of 4: texels 1, 2
			IMG-481 v = 2 of 4: texels 1, 2
			IMG-247 texel (1, 2) is (21, 0, 0, 1)
			IMG-329   swizzled before a component is chosen: (1, 21, 0, 1)
			IMG-516   R is component 0 of that: 1
			IMG-247 texel (2, 2) is (22, 0, 0, 1)
			IMG-329   swizzled before a component is chosen: (1, 22, 0, 1)
			IMG-516   G is component 0 of that: 1
			IMG-247 texel (2, 1) is (12, 0, 0, 1)
			IMG-329   swizzled before a component is chosen: (1, 12, 0, 1)
			IMG-516   B is component 0 of that: 1
			IMG-247 texel (1, 1) is (11, 0, 0, 1)
			IMG-329   swizzled before a component is chosen: (1, 11, 0, 1)
			IMG-516   A is component 0 of that: 1
			IMG-320 the format has no G, B, A: they are 0, 0, 1`},
	} {
		a := c.lane.args()
		a.Trace = new(Trace)
		both(a, c.v, newSampler(t, c.s), 1)
		var got []string
		for _, s := range a.Trace.Steps {
			got = append(got, s.Rule+" "+s.Text)
		}
		want := strings.Split(strings.ReplaceAll(strings.TrimSpace(c.want), "\t", ""), "\n")
		if g := strings.Join(got, "\n"); g != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s", c.name, g)
		}
	}
}

// Each step names the rule of the filter that runs: its sum, its texels, its weights.
func TestTrace_RulesOfFilters(t *testing.T) {
	rules.Covers(t, "IMG-530", "IMG-531", "IMG-532", "IMG-542")
	a4 := imageA4(t)
	l3 := newView(t, imageL3(t), resource.ViewDesc{})
	between := lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodExplicit}, coord: []float32{0.3, 0.3}, lod: 0.5}
	for _, c := range []struct {
		name string
		lane lane1
		v    *resource.ImageView
		s    resource.Sampler
		want []string
	}{
		{"CUBIC", lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.5}}, a4, resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: edge}, []string{"IMG-542 level", "IMG-482 u", "IMG-540   times"}},
		{"NEAREST, two levels", between, l3, resource.Sampler{MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9}, []string{"IMG-465 levels", "IMG-530 level", "IMG-480 u", "IMG-530   times"}},
		{"minimum", lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.5}}, a4, resource.Sampler{MagFilter: linear, MinFilter: linear, Reduction: vk.SamplerReductionModeMin}, []string{"IMG-532 level", "IMG-481 u", "IMG-550   counts"}},
	} {
		a := c.lane.args()
		a.Trace = new(Trace)
		both(a, c.v, newSampler(t, c.s), 1)
		var text strings.Builder
		for _, s := range a.Trace.Steps {
			text.WriteString("\n" + s.Rule + " " + s.Text)
		}
		for _, want := range c.want {
			if !strings.Contains(text.String(), "\n"+want) {
				t.Errorf("%s: %q is missing in%s", c.name, want, &text)
			}
		}
	}
}

// The texels that a traced instruction reads, with the parts of the result that they are: each is
// "level/layer (x, y, z) weight: R".
func TestTrace_Texels(t *testing.T) {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(4, 4, 1), MipLevels: 3, ArrayLayers: 3})
	for layer := range 3 {
		for level := range 3 {
			for i := range 4 >> level {
				for j := range 4 >> level {
					setFloat(im, level, layer, i, j, float32(1000*level+100*layer+10*j+i))
				}
			}
		}
	}
	whole := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewType2D), Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 3, LayerCount: 1}})
	part := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewType2DArray), Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, BaseMipLevel: 1, LevelCount: 2, BaseArrayLayer: 1, LayerCount: 2}})
	lin := resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9}
	for _, c := range []struct {
		name string
		lane lane1
		v    *resource.ImageView
		s    resource.Sampler
		want string
	}{
		{"two levels", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodExplicit}, coord: []float32{0.5, 0.25}, lod: 0.5}, whole, lin,
			"0/0 (1, 0, 0) 0.125: 1; 0/0 (2, 0, 0) 0.125: 2; 0/0 (1, 1, 0) 0.125: 11; 0/0 (2, 1, 0) 0.125: 12; 1/0 (0, 0, 0) 0.25: 1000; 1/0 (1, 0, 0) 0.25: 1001"},
		{"two probes", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodGrad}, coord: []float32{0.5, 0.5}, dx: []float32{0.5, 0}, dy: []float32{0, 0.25}}, whole,
			resource.Sampler{MagFilter: linear, MinFilter: linear, MaxLod: 9, AnisotropyEnable: true, MaxAnisotropy: 4, AddressModeU: edge, AddressModeV: edge},
			"0/0 (1, 1, 0) 0.25: 11; 0/0 (1, 2, 0) 0.25: 21; 0/0 (2, 1, 0) 0.25: 12; 0/0 (2, 2, 0) 0.25: 22"},
		{"a part of the image", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Arrayed: true, Lod: ir.LodExplicit}, coord: []float32{0.75, 0.25, 1}, lod: 0}, part, resource.Sampler{},
			"1/2 (1, 0, 0) 1: 1201"},
		{"border", lane1{op: sampleOp(ir.Dim2D), coord: []float32{-0.25, 0.5}}, whole, resource.Sampler{AddressModeU: border, AddressModeV: edge, BorderColor: vk.BorderColorFloatOpaqueWhite}, "0/0 (-1, 2, 0) 1: 1"},
		{"half a border", lane1{op: sampleOp(ir.Dim2D), coord: []float32{0, 0.625}}, whole, resource.Sampler{MagFilter: linear, AddressModeU: border, AddressModeV: edge, BorderColor: vk.BorderColorFloatOpaqueWhite}, "0/0 (-1, 2, 0) 0.5: 1; 0/0 (0, 2, 0) 0.5: 20"},
		{"gather", lane1{op: ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D}, coord: []float32{0.5, 0.5}}, whole, resource.Sampler{},
			"0/0 (1, 2, 0) 1: 21; 0/0 (2, 2, 0) 1: 22; 0/0 (2, 1, 0) 1: 12; 0/0 (1, 1, 0) 1: 11"},
		{"fetch", lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{1, 0}, ilod: 1, hasLod: true}, whole, resource.Sampler{}, "1/0 (1, 0, 0) 1: 1001"},
		{"fetch outside", lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{4, 0}}, whole, resource.Sampler{}, ""},
		// The corner of +X, +Y and −Z, seen from the last: beyond both edges is the mean of the three.
		{"corner of a cube", lane1{op: sampleOp(ir.DimCube), coord: []float32{1, 1, -1}}, imageC2(t), resource.Sampler{MagFilter: linear},
			"0/5 (0, 0, 0) 0.0833: 500; 0/0 (1, 0, 0) 0.0833: 1; 0/2 (1, 0, 0) 0.0833: 201; 0/2 (1, 0, 0) 0.25: 201; 0/0 (1, 0, 0) 0.25: 1; 0/5 (0, 0, 0) 0.25: 500"},
	} {
		a := c.lane.args()
		a.Trace = new(Trace)
		Run(a, c.v, newSampler(t, c.s), 1)
		var got []string
		sum := 0.0
		for _, x := range a.Trace.Texels {
			sum += x.Weight
			got = append(got, fmt.Sprintf("%d/%d (%d, %d, %d) %.3g: %g", x.Level, x.Layer, x.At[0], x.At[1], x.At[2], x.Weight, math.Float32frombits(x.Value[0])))
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s: %s", c.name, g)
		}
		if c.lane.op.Kind == ir.ImageSample && math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: the weights are %g together", c.name, sum)
		}
	}
}

// A conversion tells the texels of each plane, whose weights are 1 together in each, and what becomes of them;
// and it gives what it gives untold.
func TestTrace_Conversion(t *testing.T) {
	for _, explicit := range []bool{false, true} {
		c := resource.YcbcrConversion{Format: vk.FormatG8B8R8_3Plane420Unorm, ChromaFilter: linear, XChromaOffset: midpoint, YChromaOffset: cosited, Model: vk.SamplerYcbcrModelConversionYcbcr709, ForceExplicit: explicit}
		v := planar(t, c.Format, 8, 8, 0, func(k, x, y int) uint32 { return uint32(60*k + 7*x + 3*y) })
		s := ycbcrSampler(t, linear, c)
		run := func(trace *Trace) [4]uint32 {
			a := lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.4, 0.55}}.args()
			a.Trace = trace
			Run(a, v, s, 1)
			return [4]uint32{a.Out[0][0], a.Out[1][0], a.Out[2][0], a.Out[3][0]}
		}
		var told Trace
		if got, want := run(&told), run(nil); got != want {
			t.Errorf("explicit %v: %08x traced, %08x else", explicit, got, want)
		}
		var text strings.Builder
		for _, s := range told.Steps {
			text.WriteString(s.Rule + " " + s.Text + "\n")
		}
		for _, want := range []string{"IMG-460 d′ = 0 of", "of plane 0 is (", "of plane 1 is (", "of plane 2 is (", "IMG-353 ", "IMG-356 model YCBCR_709: ("} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("explicit %v: %q is missing in\n%s", explicit, want, &text)
			}
		}
		sum := 0.0
		for _, x := range told.Texels {
			sum += x.Weight
		}
		if math.Abs(sum-3) > 1e-12 {
			t.Errorf("explicit %v: the weights of three planes are %g together", explicit, sum)
		}
	}
}
