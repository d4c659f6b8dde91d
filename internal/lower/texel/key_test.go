package texel

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

func viewOf(f vk.Format, levels int, flags vk.ImageCreateFlags) *resource.ImageView {
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(16, 16, 1), MipLevels: levels, Flags: flags}
	kind := vk.ImageViewType2D
	if flags&vk.ImageCreateCubeCompatibleBit != 0 {
		d.ArrayLayers, kind = 6, vk.ImageViewTypeCube
	}
	im := must(resource.NewImage(d))
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		panic(err)
	}
	return must(resource.NewView(im, resource.ViewDesc{Type: &kind}))
}

// What runs on the reference.
func TestKeyOf_Reference(t *testing.T) {
	rgba8, linear := viewOf(vk.FormatR8G8B8A8Unorm, 1, 0), &resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear}
	sampled, written := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D}, ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D}
	huge, short, volume := viewOf(vk.FormatR8G8B8A8Unorm, 1, 0), viewOf(vk.FormatR8G8B8A8Unorm, 1, 0), resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: extent(4, 4, 4)}
	huge.Image.Layout.Size = 1 << 31
	short.Image.Data = short.Image.Data[:len(short.Image.Data)-1]
	between := viewOf(vk.FormatR32Uint, 1, 0)
	between.Image.Data = append(make([]byte, 2), between.Image.Data...)[2:]
	im := must(resource.NewImage(volume))
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	deep := must(resource.NewView(im, resource.ViewDesc{}))
	ms := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(4, 4, 1), Samples: 4}))
	if err := ms.Bind(make([]byte, ms.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		lowered bool
		op      ir.ImageOp
		v       *resource.ImageView
		s       *resource.Sampler
	}{
		{"a sample", true, sampled, rgba8, linear},
		{"without a sampler", false, sampled, rgba8, nil},
		{"without a view", false, sampled, nil, linear},
		{"of 64 bits", false, ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Wide: true}, viewOf(vk.FormatR64Uint, 1, 0), nil},
		{"a query", false, ir.ImageOp{Kind: ir.ImageQueryLod, Dim: ir.Dim2D}, rgba8, linear},
		{"of 2 GiB", false, sampled, huge, linear},
		{"of less memory than its layout", false, sampled, short, linear},
		{"of several samples a texel", false, sampled, must(resource.NewView(ms, resource.ViewDesc{})), linear},
		{"a fetch of several samples", true, ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, HasSample: true}, must(resource.NewView(ms, resource.ViewDesc{})), nil},
		{"a fetch of 2 GiB", false, ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, huge, nil},
		{"a fetch without a view", false, ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, nil, nil},
		{"a fetch of a texel buffer", false, ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer}, rgba8, nil},
		{"a fetch of blocks", true, ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, viewOf(vk.FormatBc7UnormBlock, 1, 0), nil},
		{"a store to blocks", false, written, viewOf(vk.FormatBc7UnormBlock, 1, 0), nil},
		{"a store", true, written, rgba8, nil},
		{"a store of unsigned to unsigned", true, ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Result: ir.ClassUint}, viewOf(vk.FormatR8Uint, 1, 0), nil},
		{"a store of signed to signed", true, ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Result: ir.ClassSint}, viewOf(vk.FormatR8Sint, 1, 0), nil},
		{"a store of unsigned to signed", false, ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Result: ir.ClassUint}, viewOf(vk.FormatR8Sint, 1, 0), nil},
		{"a store of signed to unsigned", false, ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Result: ir.ClassSint}, viewOf(vk.FormatR8Uint, 1, 0), nil},
		{"a store of floats to unsigned", true, written, viewOf(vk.FormatR8Uint, 1, 0), nil},
		{"an atomic", true, ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D}, viewOf(vk.FormatR32Uint, 1, 0), nil},
		{"an atomic on 64 bits", false, ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D, Wide: true}, viewOf(vk.FormatR64Uint, 1, 0), nil},
		{"an atomic on texels that are no word", false, ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D}, rgba8, nil},
		{"an atomic on texels between words", false, ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D}, between, nil},
		{"a read of signed as unsigned", true, ir.ImageOp{Kind: ir.ImageRead, Dim: ir.Dim2D, Result: ir.ClassUint}, viewOf(vk.FormatR8Sint, 1, 0), nil},
		{"a comparison", true, ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Dref: true}, rgba8, linear},
		{"a comparison without a red", false, ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Dref: true}, viewOf(vk.FormatA8Unorm, 1, 0), linear},
		{"a sample without a red", true, sampled, viewOf(vk.FormatA8Unorm, 1, 0), linear},
		{"a gather", true, ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D}, rgba8, linear},
		{"a gather of a volume", false, ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim3D}, deep, linear},
		{"a gather of a level", false, ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Lod: ir.LodExplicit}, rgba8, linear},
		{"integers between levels", false, sampled, viewOf(vk.FormatR8Uint, 2, 0), &resource.Sampler{MipmapMode: vk.SamplerMipmapModeLinear}},
		{"integers of one level", true, sampled, viewOf(vk.FormatR8Uint, 1, 0), &resource.Sampler{MipmapMode: vk.SamplerMipmapModeLinear}},
		{"integers, whose LINEAR is NEAREST", true, sampled, viewOf(vk.FormatR8Uint, 2, 0), linear},
	} {
		if c.op.Results = 4; c.op.Kind == ir.ImageAtomic {
			c.op.Results = 1
		}
		if k, ok := keyOf(&c.op, c.v, c.s); ok != c.lowered {
			t.Errorf("%s: lowered %v, key %+v", c.name, ok, k)
		}
	}
}

// Fields that decide nothing are zero, so that states that run the same code have one key.
func TestKeyOf_Canonical(t *testing.T) {
	const d, linear = ir.Dim2D, vk.FilterLinear
	one, many := viewOf(vk.FormatR8G8B8A8Unorm, 1, 0), viewOf(vk.FormatR8G8B8A8Unorm, 3, 0)
	cube, srgb := viewOf(vk.FormatR8G8B8A8Unorm, 1, vk.ImageCreateCubeCompatibleBit), viewOf(vk.FormatR8G8B8A8Srgb, 1, 0)
	const border = vk.SamplerAddressModeClampToBorder
	edges := [3]vk.SamplerAddressMode{vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToEdge}
	both := resource.Sampler{MagFilter: linear, MinFilter: linear}
	with := func(s resource.Sampler, change func(s *resource.Sampler)) resource.Sampler { change(&s); return s }
	plain := Key{Kind: Linear, Format: vk.FormatR8G8B8A8Unorm, Dims: 2, PowerOfTwo: [3]bool{true, true}, Swizzle: [4]int8{0, 1, 2, 3}, Results: 4}
	key := func(change func(k *Key)) Key { k := plain; change(&k); return k }
	none := func(*Key) {}
	inV := func(k *Key) { k.Modes[1], k.PowerOfTwo[1] = border, false }
	for _, c := range []struct {
		name string
		op   ir.ImageOp
		v    *resource.ImageView
		s    resource.Sampler
		want Key
	}{
		{"one level: its LOD does not matter", ir.ImageOp{Dim: d, Lod: ir.LodBias, HasMinLod: true}, one, with(both, func(s *resource.Sampler) { s.MipmapMode = 1 }), key(none)},
		{"one level of two filters", ir.ImageOp{Dim: d, Lod: ir.LodBias, HasMinLod: true}, one, resource.Sampler{MagFilter: linear, MipmapMode: 1, MaxLod: 4},
			key(func(k *Key) { k.Levels, k.Lod, k.MinLod, k.Single, k.NearestMin = true, ir.LodBias, true, true, true })},
		{"two filters of which one counts", ir.ImageOp{Dim: d}, one, resource.Sampler{MagFilter: linear, MaxLod: 0}, key(func(k *Key) { k.Levels, k.Single = true, true })},
		{"levels", ir.ImageOp{Dim: d, Lod: ir.LodGrad}, many, resource.Sampler{MipmapMode: 1}, key(func(k *Key) { k.Kind, k.Levels, k.Lod, k.MipLinear = Nearest, true, ir.LodGrad, true })},
		{"one of the levels", ir.ImageOp{Dim: d, Lod: ir.LodGrad}, many, resource.Sampler{}, key(func(k *Key) { k.Kind, k.Levels, k.Lod = Nearest, true, ir.LodGrad })},
		{"a level for all", ir.ImageOp{Dim: d, Lod: ir.LodZero}, many, both, key(none)},
		{"between two levels, for all", ir.ImageOp{Dim: d, Lod: ir.LodZero}, many, with(both, func(s *resource.Sampler) { s.MipmapMode, s.MipLodBias, s.MaxLod = 1, 0.5, 4 }),
			key(func(k *Key) { k.Levels, k.Lod, k.MipLinear, k.Biased = true, ir.LodZero, true, true })},
		{"probes", ir.ImageOp{Dim: d}, one, with(both, func(s *resource.Sampler) { s.AnisotropyEnable, s.MaxAnisotropy = true, 2 }),
			key(func(k *Key) { k.Levels, k.Single, k.Aniso = true, true, true })},
		{"no probes without derivatives", ir.ImageOp{Dim: d, Lod: ir.LodExplicit}, one, with(both, func(s *resource.Sampler) { s.AnisotropyEnable, s.MaxAnisotropy = true, 2 }), key(none)},
		{"nor at level zero", ir.ImageOp{Dim: d, Lod: ir.LodZero}, one, with(both, func(s *resource.Sampler) { s.AnisotropyEnable, s.MaxAnisotropy = true, 2 }), key(none)},
		{"the third address mode of two", ir.ImageOp{Dim: d, HasOffset: true}, one, resource.Sampler{AddressModeW: border}, key(func(k *Key) { k.Kind, k.Offset = Nearest, true })},
		{"a border", ir.ImageOp{Dim: d}, one, with(both, func(s *resource.Sampler) { s.AddressModeV = border }), key(inV)},
		{"a border of any colour", ir.ImageOp{Dim: d}, one, with(both, func(s *resource.Sampler) { s.AddressModeV, s.BorderColor = border, vk.BorderColorFloatCustomEXT }),
			key(func(k *Key) { inV(k); k.Sum = SumFloat })},
		{"a colour that is not seen", ir.ImageOp{Dim: d}, one, with(both, func(s *resource.Sampler) { s.BorderColor = vk.BorderColorFloatCustomEXT }), key(none)},
		{"sRGB", ir.ImageOp{Dim: d}, srgb, both, key(func(k *Key) { k.Format, k.Sum = vk.FormatR8G8B8A8Srgb, SumLerps })},
		{"sRGB with a border", ir.ImageOp{Dim: d}, srgb, with(both, func(s *resource.Sampler) { s.AddressModeV = border }),
			key(func(k *Key) { inV(k); k.Format, k.Sum = vk.FormatR8G8B8A8Srgb, SumLerps })},
		{"sRGB with a border of any colour", ir.ImageOp{Dim: d}, srgb, with(both, func(s *resource.Sampler) { s.AddressModeV, s.BorderColor = border, vk.BorderColorFloatCustomEXT }),
			key(func(k *Key) { inV(k); k.Format, k.Sum = vk.FormatR8G8B8A8Srgb, SumFloat })},
		{"a comparison", ir.ImageOp{Dim: d, Dref: true}, one, with(both, func(s *resource.Sampler) { s.CompareOp = vk.CompareOpLess }),
			key(func(k *Key) { k.Compare, k.CompareOp, k.RefUnit = true, vk.CompareOpLess, true })},
		{"an operator without a comparison", ir.ImageOp{Dim: d}, one, resource.Sampler{CompareOp: vk.CompareOpLess}, key(func(k *Key) { k.Kind = Nearest })},
		{"faces with seams: no modes, no offsets", ir.ImageOp{Dim: ir.DimCube, HasOffset: true}, cube, resource.Sampler{AddressModeU: border, AddressModeV: border},
			key(func(k *Key) { k.Kind, k.Cube, k.Seams, k.Modes, k.PowerOfTwo = Nearest, true, true, edges, [3]bool{} })},
		{"a reduction", ir.ImageOp{Dim: d}, one, with(both, func(s *resource.Sampler) { s.Reduction = vk.SamplerReductionModeMax }), key(func(k *Key) { k.Sum = SumMax })},
		{"a reduction of one texel", ir.ImageOp{Dim: d}, one, resource.Sampler{Reduction: vk.SamplerReductionModeMin}, key(func(k *Key) { k.Kind = Nearest })},
		{"a gather, of whatever filter and LOD", ir.ImageOp{Kind: ir.ImageGather, Dim: d, Lod: ir.LodZero}, many, resource.Sampler{MagFilter: linear, MipmapMode: 1},
			key(func(k *Key) { k.Kind, k.Swizzle = Gather, [4]int8{} })},
	} {
		c.op.Results, c.op.Coords = 4, 2
		if k, ok := keyOf(&c.op, c.v, must(resource.NewSampler(c.s))); !ok || k != c.want {
			t.Errorf("%s: lowered %v,\n%+v, want\n%+v", c.name, ok, k, c.want)
		}
	}
}

// Samples through a conversion have routines, of several planes and of one, where components
// are bytes or lie in words of 16 bits.
func TestKeyOf_Conversions(t *testing.T) {
	op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, Results: 4}
	const edge = vk.SamplerAddressModeClampToEdge
	video := func(f vk.Format) *resource.Sampler {
		c := must(resource.NewYcbcrConversion(resource.YcbcrConversion{Format: f, Model: vk.SamplerYcbcrModelConversionRgbIdentity}))
		return must(resource.NewSampler(resource.Sampler{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, Ycbcr: c}))
	}
	for f, want := range map[vk.Format]bool{
		vk.FormatG8B8R8_2Plane420Unorm: true, vk.FormatG8B8G8R8_422Unorm: true, vk.FormatB8G8R8G8_422Unorm: true, vk.FormatG16B16G16R16_422Unorm: true,
		vk.FormatG10X6B10X6G10X6R10X6_422Unorm4Pack16: true, vk.FormatR8G8B8A8Unorm: true, vk.FormatB8G8R8Unorm: true, vk.FormatR8Unorm: true,
		vk.FormatR16G16B16A16Unorm: true, vk.FormatR5G6B5UnormPack16: true, vk.FormatR10X6UnormPack16: true,
		vk.FormatA2B10G10R10UnormPack32: false, vk.FormatR4G4UnormPack8: false,
	} {
		v := viewOf(f, 1, 0)
		if k, ok := keyOf(&op, v, video(f)); ok != want || want && k.Kind != Converted {
			t.Errorf("%v: lowered %v, key %+v", f, ok, k)
		}
		v.Image.Data = v.Image.Data[:len(v.Image.Data)-1]
		if _, ok := keyOf(&op, v, video(f)); ok {
			t.Errorf("%v is lowered where memory is missing", f)
		}
		if v = viewOf(f, 1, 0); want {
			v.Image.Layout.Size = 1 << 31
			if _, ok := keyOf(&op, v, video(f)); ok {
				t.Errorf("%v is lowered where it has 2 GiB", f)
			}
		}
	}
	apart := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_2Plane420Unorm, Extent: extent(8, 8, 1), Flags: vk.ImageCreateDisjointBit}))
	for plane := range 2 {
		if err := apart.BindPlane(plane, make([]byte, 1024)); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := keyOf(&op, must(resource.NewView(apart, resource.ViewDesc{})), video(apart.Format)); ok {
		t.Error("planes of their own memory are lowered")
	}
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(200, 200, 1), Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}
	im := must(resource.NewImage(d))
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	if _, ok := keyOf(&op, must(resource.NewView(im, resource.ViewDesc{})), video(d.Format)); ok {
		t.Error("columns of sparse blocks are lowered through a conversion")
	}
}
