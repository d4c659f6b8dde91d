package sampling

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// The steps that a traced instruction tells, with their numbers: the texels of these
// images are 100·layer + 10·j + i, or 100·face + 10·j + i.
func TestTrace_Steps(t *testing.T) {
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
			IMG-484 layer 1 of 3
			IMG-480 offset by [1 -1] texels
			IMG-446 λ′ = 0 with all biases
			IMG-447 λ = 0 in [0, 0]
			IMG-451 magnification filter
			IMG-460 level 0
			IMG-480 level 0: u = 5.5, texel 5 of 4, which is 1
			IMG-480 level 0: v = 0.5, texel 0 of 4
			IMG-070 texel (1, 0) is (101, 0, 0, 1)
			IMG-555 filtered: (101, 0, 0, 1)`},
		{"border", lane1{op: sampleOp(ir.Dim2D), coord: []float32{-0.25, 0.5}}, single, resource.Sampler{AddressModeU: border, AddressModeV: edge, BorderColor: vk.BorderColorFloatOpaqueWhite}, `
			IMG-022 coordinates (-0.25, 0.5)
			IMG-446 λ′ = 0 with all biases
			IMG-447 λ = 0 in [0, 0]
			IMG-451 magnification filter
			IMG-460 level 0
			IMG-480 level 0: u = -1, texel -1 of 4 [border]
			IMG-290 outside: the border colour, (1, 0, 0, 1)
			IMG-555 filtered: (1, 0, 0, 1)
			IMG-325 swizzled: (1, 1, 0, 1)`},
		{"two levels, linear", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodExplicit}, coord: []float32{0.5, 0.25}, lod: 0.5}, single, lin, `
			IMG-022 coordinates (0.5, 0.25)
			IMG-446 λ′ = 0.5 with all biases
			IMG-447 λ = 0.5 in [0, 9]
			IMG-451 minification filter
			IMG-460 levels 0 and 1, the second with weight 128/256
			IMG-530 level 0, LINEAR
			IMG-481 u = 2 of 4: texels 1 (weight 128), 2 (weight 128)
			IMG-481 v = 1 of 4: texels 0 (weight 128), 1 (weight 128)
			IMG-070 texel (1, 0) is (1, 0, 0, 1)
			IMG-530   times 16384
			IMG-070 texel (2, 0) is (2, 0, 0, 1)
			IMG-530   times 16384
			IMG-070 texel (1, 1) is (11, 0, 0, 1)
			IMG-530   times 16384
			IMG-070 texel (2, 1) is (12, 0, 0, 1)
			IMG-530   times 16384
			IMG-530 level 1, LINEAR
			IMG-481 u = 1 of 2: texels 0 (weight 128), 1 (weight 128)
			IMG-481 v = 0.5 of 2: texels 0 (weight 256)
			IMG-070 texel (0, 0) is (1000, 0, 0, 1)
			IMG-530   times 32768
			IMG-070 texel (1, 0) is (1001, 0, 0, 1)
			IMG-530   times 32768
			IMG-555 filtered: (503.5, 0, 0, 1)
			IMG-325 swizzled: (1, 503.5, 0, 1)`},
		{"gradients, anisotropic", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodGrad}, coord: []float32{0.5, 0.5}, dx: []float32{0.5, 0}, dy: []float32{0, 0.25}}, single,
			resource.Sampler{MagFilter: linear, MinFilter: linear, MaxLod: 9, AnisotropyEnable: true, MaxAnisotropy: 4, AddressModeU: edge, AddressModeV: edge}, `
			IMG-022 coordinates (0.5, 0.5)
			IMG-398 derivatives to x (0.5, 0), to y (0, 0.25)
			IMG-425 ρx = 2, ρy = 1 texels of the base level
			IMG-433 anisotropic: η = 2, 2 probes along (0.5, 0)
			IMG-446 λ′ = 0 with all biases
			IMG-447 λ = 0 in [0, 9]
			IMG-451 magnification filter
			IMG-460 level 0
			IMG-530 level 0, LINEAR
			IMG-481 u = 1.5 of 4: texels 1 (weight 256)
			IMG-481 v = 2 of 4: texels 1 (weight 128), 2 (weight 128)
			IMG-070 texel (1, 1) is (11, 0, 0, 1)
			IMG-530   times 32768
			IMG-070 texel (1, 2) is (21, 0, 0, 1)
			IMG-530   times 32768
			IMG-530 level 0, LINEAR
			IMG-481 u = 2.5 of 4: texels 2 (weight 256)
			IMG-481 v = 2 of 4: texels 1 (weight 128), 2 (weight 128)
			IMG-070 texel (2, 1) is (12, 0, 0, 1)
			IMG-530   times 32768
			IMG-070 texel (2, 2) is (22, 0, 0, 1)
			IMG-530   times 32768
			IMG-555 filtered: (16.5, 0, 0, 1)
			IMG-325 swizzled: (1, 16.5, 0, 1)`},
		{"comparison", lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodExplicit, Dref: true}, coord: []float32{0.5, 0.5}, dref: 20}, single,
			resource.Sampler{CompareEnable: true, CompareOp: vk.CompareOpLess}, `
			IMG-022 coordinates (0.5, 0.5)
			IMG-312 reference 20
			IMG-446 λ′ = 0 with all biases
			IMG-447 λ = 0 in [0, 0]
			IMG-451 magnification filter
			IMG-460 level 0
			IMG-480 level 0: u = 2, texel 2 of 4
			IMG-480 level 0: v = 2, texel 2 of 4
			IMG-070 texel (2, 2) is (22, 0, 0, 1)
			IMG-310 reference 20 against it: 1
			IMG-555 filtered: (1, 0, 0, 1)
			IMG-325 swizzled: (1, 1, 0, 1)`},
		{"cube", lane1{op: sampleOp(ir.DimCube), coord: []float32{-2, 0.5, 1}}, imageC2(t), resource.Sampler{MagFilter: linear}, `
			IMG-022 coordinates (-2, 0.5, 1)
			IMG-411 face −X: sc = 1, tc = -0.5, rc = 2
			IMG-413 coordinates on the face (0.75, 0.375)
			IMG-446 λ′ = 0 with all biases
			IMG-447 λ = 0 in [0, 0]
			IMG-451 magnification filter
			IMG-460 level 0
			IMG-530 level 0, LINEAR
			IMG-481 u = 1.5 of 2: texels 1 (weight 256)
			IMG-481 v = 0.75 of 2: texels 0 (weight 192), 1 (weight 64)
			IMG-070 texel (1, 0) is (101, 0, 0, 1)
			IMG-530   times 49152
			IMG-070 texel (1, 1) is (111, 0, 0, 1)
			IMG-530   times 16384
			IMG-555 filtered: (103.5, 0, 0, 1)`},
		{"integers", lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.25, 0.25}}, signed, resource.Sampler{}, `
			IMG-022 coordinates (0.25, 0.25)
			IMG-446 λ′ = 0 with all biases
			IMG-447 λ = 0 in [0, 0]
			IMG-451 magnification filter
			IMG-460 level 0
			IMG-480 level 0: u = 0.5, texel 0 of 2
			IMG-480 level 0: v = 0.5, texel 0 of 2
			IMG-070 texel (0, 0) is (1, -2, 0, 1)
			IMG-555 filtered: (1, -2, 0, 1)`},
		{"gather", lane1{op: ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D}, coord: []float32{0.5, 0.5}}, single, resource.Sampler{}, `
			IMG-022 coordinates (0.5, 0.5)
			IMG-070 texel (1, 2) is (21, 0, 0, 1)
			IMG-070 texel (2, 2) is (22, 0, 0, 1)
			IMG-070 texel (2, 1) is (12, 0, 0, 1)
			IMG-070 texel (1, 1) is (11, 0, 0, 1)`},
	} {
		a := c.lane.args()
		a.Trace = new(Trace)
		Run(a, c.v, newSampler(t, c.s), 1)
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
