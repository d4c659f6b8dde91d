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

// filled is a view of all levels of an image whose words are what word gives for them.
func filled(d resource.ImageDesc, t vk.ImageViewType, word func(at int) uint32) *resource.ImageView {
	im := must(resource.NewImage(d))
	data := make([]byte, (im.Layout.Size+3)&^3)
	for i := 0; i < len(data); i += 4 {
		binary.LittleEndian.PutUint32(data[i:], word(i))
	}
	if err := im.Bind(data[:im.Layout.Size]); err != nil {
		panic(err)
	}
	return must(resource.NewView(im, resource.ViewDesc{Type: &t}))
}

// floats are n words of numbers.
func floats(n int, f func(i int) float64) []uint32 {
	w := make([]uint32, n)
	for i := range w {
		w[i] = math.Float32bits(float32(f(i)))
	}
	return w
}

// Texels of weight 0 are left out whatever they are, sums of −0 stay −0, and single texels keep
// the bits of their NaNs.
func TestRoutines_SpecialTexels(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-009", "IMG-247", "IMG-466", "IMG-530", "IMG-531", "IMG-532", "IMG-533")
	r := rand.New(rand.NewPCG(51, 52))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	const n = 64
	u.Sites(1, n)
	special := []uint32{0, 1 << 31, 1 << 31, 1 << 31, 0x7FC12345, 0xFF800001, 0x7F800000, 0xFF800000, 0x3F800000, 0xFF7FFFFF, 0x7C007C00, 0x80008000, 0xFE003C00, 0xFC008000}
	for i := range 400 {
		f := []vk.Format{vk.FormatR32Sfloat, vk.FormatR32G32Sfloat, vk.FormatR16G16Sfloat, vk.FormatB10G11R11UfloatPack32, vk.FormatE5B9G9R9UfloatPack32, vk.FormatD32Sfloat}[i%6]
		d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(4, 4, 1), MipLevels: 3, ArrayLayers: 1}
		view, op := vk.ImageViewType2D, ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Results: 4, Lod: ir.LodExplicit}
		if f != vk.FormatD32Sfloat && i%5 == 0 {
			d.Type, d.Extent.Depth, view, op.Dim, op.Coords, op.GradCoords = vk.ImageType3D, 4, vk.ImageViewType3D, ir.Dim3D, 3, 3
		}
		some := special[r.IntN(len(special)):]
		c := testCase{op: op, v: filled(d, view, func(int) uint32 { return some[r.IntN(len(some))] })}
		c.s = must(resource.NewSampler(resource.Sampler{MagFilter: vk.Filter(r.IntN(2)), MinFilter: vk.Filter(r.IntN(2)), MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9,
			AddressModeU: vk.SamplerAddressMode(r.IntN(5)), BorderColor: vk.BorderColorFloatCustomEXT, CustomBorderColor: [4]uint32{special[r.IntN(len(special))], 1 << 31, 0, 1}}))
		a := &ref.Args{Op: &op}
		for d := range op.Coords {
			a.Coord[d] = floats(n, func(int) float64 { return float64(r.IntN(40)-8)/16 + float64(r.IntN(2)*r.IntN(3))/1024 })
		}
		a.Lod = floats(n, func(int) float64 { return float64(r.IntN(5))/2 - float64(r.IntN(2))/256 })
		results(a, n)
		if err := compare(&u, &c, a, n); err != nil {
			t.Fatal(err)
		}
		if u.accesses[0].thread == nil {
			t.Fatalf("no routine for %v", &c)
		}
	}
}

// Two levels that cancel leave what their products' rounding left.
func TestRoutines_LevelsCancel(t *testing.T) {
	rules.Covers(t, "IMG-465", "IMG-466")
	r := rand.New(rand.NewPCG(53, 54))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	u.Sites(1, 4)
	op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Results: 4, Lod: ir.LodExplicit}
	s := must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9}))
	for range 100 {
		large := float32(1<<20+r.IntN(1<<20)) / (1 << 20)
		small := float32(math.Ldexp(float64(1<<23+r.IntN(1<<23)), -54))
		d := resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(2, 2, 1), MipLevels: 2, ArrayLayers: 1}
		c := testCase{op: op, s: s, v: filled(d, vk.ImageViewType2D, func(at int) uint32 {
			switch at {
			case 0:
				return math.Float32bits(small)
			case 4, 8, 12:
				return math.Float32bits(large)
			}
			return math.Float32bits(-2.25 * large)
		})}
		a := &ref.Args{Op: &op, Lod: floats(4, func(int) float64 { return 0.25 })}
		a.Coord[0], a.Coord[1] = floats(4, func(int) float64 { return 0.5 }), floats(4, func(int) float64 { return 0.5 })
		results(a, 4)
		if err := compare(&u, &c, a, 4); err != nil {
			t.Fatal(err)
		}
	}
}

// Sums of codes whose quotients lie in the middle of two numbers go to the even one: weights of
// 32 bits, of which 25 count.
func TestRoutines_Ties(t *testing.T) {
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	u.Sites(1, 64)
	op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim3D, Coords: 3, GradCoords: 3, Results: 4, Lod: ir.LodExplicit}
	s := must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9}))
	for _, f := range []vk.Format{vk.FormatR16Unorm, vk.FormatR16Snorm, vk.FormatR8Unorm, vk.FormatR8Snorm} {
		d := resource.ImageDesc{Type: vk.ImageType3D, Format: f, Extent: extent(4, 4, 4), MipLevels: 2, ArrayLayers: 1}
		one := map[vk.Format]uint32{vk.FormatR16Unorm: 0xFFFF, vk.FormatR16Snorm: 0x7FFF, vk.FormatR8Unorm: 0xFF, vk.FormatR8Snorm: 0x7F}[f]
		c := testCase{op: op, s: s, v: filled(d, vk.ImageViewType3D, func(at int) uint32 {
			if at == 0 {
				return one
			}
			return 0
		})}
		a := &ref.Args{Op: &op}
		weights := [][4]int{}
		for x := 1; x < 32; x += 2 {
			weights = append(weights, [][4]int{{16, 8, x, 1}, {8, 16, 1, x}, {32, 4, x, 3}, {64, 2, 1, 1}}...)
		}
		for d := range 3 {
			a.Coord[d] = floats(64, func(i int) float64 { return (0.5 + float64(weights[i][d])/256) / 4 })
		}
		a.Lod = floats(64, func(i int) float64 { return float64(weights[i][3]) / 256 })
		results(a, 64)
		if err := compare(&u, &c, a, 64); err != nil {
			t.Fatal(err)
		}
		if u.accesses[0].thread == nil {
			t.Fatalf("no routine for %v", &c)
		}
	}
}

// Beyond an edge two taps read one texel, and how its weight divides between them shows in sums of floats
// of very different sizes that cancel.
func TestRoutines_WeightsBeyondEdges(t *testing.T) {
	rules.Covers(t, "IMG-486")
	r := rand.New(rand.NewPCG(61, 62))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	const n = 64
	u.Sites(1, n)
	for i := range 300 {
		op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim3D, Coords: 3, GradCoords: 3, Results: 4, Lod: ir.LodExplicit}
		d := resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR32Sfloat, Extent: extent(4, 4, 4), MipLevels: 2, ArrayLayers: 1}
		if i%3 == 0 {
			d.Format = vk.FormatR8G8B8A8Srgb
		}
		large, small := float32(1+r.Float64()), float32(math.Ldexp(1+r.Float64(), -20-r.IntN(15)))
		c := testCase{op: op, v: filled(d, vk.ImageViewType3D, func(int) uint32 {
			if i%3 == 0 {
				return r.Uint32() >> r.IntN(32)
			}
			return math.Float32bits([]float32{large, -large, small}[r.IntN(3)])
		})}
		mode := func() vk.SamplerAddressMode {
			return []vk.SamplerAddressMode{vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeMirrorClampToEdge, vk.SamplerAddressModeClampToBorder}[r.IntN(3)]
		}
		filter := vk.Filter(max(1, r.IntN(4)) & 1)
		c.s = must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: filter, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9,
			AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode(), BorderColor: vk.BorderColorFloatOpaqueWhite}))
		a := &ref.Args{Op: &op}
		for d := range op.Coords {
			a.Coord[d] = floats(n, func(int) float64 {
				return []float64{float64(r.IntN(8)) / 8, 1 + 2*r.Float64(), -2 * r.Float64(), 1e5 * r.NormFloat64()}[min(r.IntN(7), 3)*r.IntN(2)]
			})
		}
		a.Lod = floats(n, func(int) float64 { return float64(r.IntN(2)) - 2*r.Float64()*float64(r.IntN(2)) })
		results(a, n)
		if err := compare(&u, &c, a, n); err != nil {
			t.Fatal(err)
		}
	}
}
