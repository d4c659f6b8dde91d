package sampling

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
		if k, ok := KeyOf(&c.op, c.v, c.s); ok != c.lowered || !ok && k != (Key{}) {
			t.Errorf("%s: lowered %v, key %+v", c.name, ok, k)
		}
	}
}

// Fields that decide nothing are zero, so that states that run the same code have one key.
func TestKeyOf_Canonical(t *testing.T) {
	const d, linear, nearest = ir.Dim2D, vk.FilterLinear, vk.FilterNearest
	one, many := viewOf(vk.FormatR8G8B8A8Unorm, 1, 0), viewOf(vk.FormatR8G8B8A8Unorm, 3, 0)
	cube, srgb := viewOf(vk.FormatR8G8B8A8Unorm, 1, vk.ImageCreateCubeCompatibleBit), viewOf(vk.FormatR8G8B8A8Srgb, 1, 0)
	const border = vk.SamplerAddressModeClampToBorder
	edges := [3]vk.SamplerAddressMode{vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToEdge}
	for _, c := range []struct {
		name string
		op   ir.ImageOp
		v    *resource.ImageView
		s    resource.Sampler
		want Key
	}{
		{"one level: its LOD does not matter", ir.ImageOp{Dim: d, Lod: ir.LodBias, HasMinLod: true}, one, resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: 1},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumBytes, OneLevel: true, Mag: linear, Min: linear}},
		{"one level of two filters", ir.ImageOp{Dim: d, Lod: ir.LodBias, HasMinLod: true}, one, resource.Sampler{MagFilter: linear, MipmapMode: 1},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumBytes, Lod: ir.LodBias, MinLod: true, Mag: linear}},
		{"levels", ir.ImageOp{Dim: d, Lod: ir.LodGrad}, many, resource.Sampler{MipmapMode: 1}, Key{Dim: d, Texel: TexelU8x4, Sum: SumBytes, Lod: ir.LodGrad, MipLinear: true}},
		{"one of the levels", ir.ImageOp{Dim: d, Lod: ir.LodGrad}, many, resource.Sampler{}, Key{Dim: d, Texel: TexelU8x4, Lod: ir.LodGrad}},
		{"probes", ir.ImageOp{Dim: d}, one, resource.Sampler{MagFilter: linear, MinFilter: linear, AnisotropyEnable: true, MaxAnisotropy: 2},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumBytes, Mag: linear, Min: linear, Aniso: true}},
		{"no probes without derivatives", ir.ImageOp{Dim: d, Lod: ir.LodExplicit}, one, resource.Sampler{MagFilter: linear, MinFilter: linear, AnisotropyEnable: true, MaxAnisotropy: 2},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumBytes, OneLevel: true, Mag: linear, Min: linear}},
		{"nor at level zero", ir.ImageOp{Dim: d, Lod: ir.LodZero}, one, resource.Sampler{MagFilter: linear, MinFilter: linear, AnisotropyEnable: true, MaxAnisotropy: 2},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumBytes, OneLevel: true, Mag: linear, Min: linear}},
		{"the third address mode of two", ir.ImageOp{Dim: d, HasOffset: true}, one, resource.Sampler{AddressModeW: border}, Key{Dim: d, Texel: TexelU8x4, OneLevel: true, Offset: true}},
		{"a border", ir.ImageOp{Dim: d}, one, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeV: border},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumBytes, OneLevel: true, Mag: linear, Min: linear, Modes: [3]vk.SamplerAddressMode{0, border}, Border: true}},
		{"a border of any colour", ir.ImageOp{Dim: d}, one, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeV: border, BorderColor: vk.BorderColorFloatCustomEXT},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumFloat, OneLevel: true, Mag: linear, Min: linear, Modes: [3]vk.SamplerAddressMode{0, border}, Border: true}},
		{"a colour that is not seen", ir.ImageOp{Dim: d}, one, resource.Sampler{MagFilter: linear, MinFilter: linear, BorderColor: vk.BorderColorFloatCustomEXT},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumBytes, OneLevel: true, Mag: linear, Min: linear}},
		{"sRGB", ir.ImageOp{Dim: d}, srgb, resource.Sampler{MagFilter: linear, MinFilter: linear}, Key{Dim: d, Texel: TexelSrgb8x4, Sum: SumFinite, OneLevel: true, Mag: linear, Min: linear}},
		{"sRGB with a border", ir.ImageOp{Dim: d}, srgb, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: border},
			Key{Dim: d, Texel: TexelSrgb8x4, Sum: SumFloat, OneLevel: true, Mag: linear, Min: linear, Modes: [3]vk.SamplerAddressMode{border}, Border: true}},
		{"a comparison", ir.ImageOp{Dim: d, Dref: true}, one, resource.Sampler{MagFilter: linear, MinFilter: linear, CompareOp: vk.CompareOpLess},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumFinite, OneLevel: true, Mag: linear, Min: linear, Compare: true, CompareOp: vk.CompareOpLess, RefUnit: true}},
		{"an operator without a comparison", ir.ImageOp{Dim: d}, one, resource.Sampler{CompareOp: vk.CompareOpLess}, Key{Dim: d, Texel: TexelU8x4, OneLevel: true}},
		{"faces with seams: no modes, no offsets", ir.ImageOp{Dim: ir.DimCube, HasOffset: true}, cube, resource.Sampler{AddressModeU: border, AddressModeV: border},
			Key{Dim: ir.DimCube, Texel: TexelU8x4, OneLevel: true, Seams: true, Modes: edges}},
		{"a reduction", ir.ImageOp{Dim: d}, one, resource.Sampler{MagFilter: linear, Reduction: vk.SamplerReductionModeMin},
			Key{Dim: d, Texel: TexelU8x4, Sum: SumReduce, Mag: linear, Reduction: vk.SamplerReductionModeMin}},
		{"a reduction of one texel", ir.ImageOp{Dim: d}, one, resource.Sampler{Reduction: vk.SamplerReductionModeMin}, Key{Dim: d, Texel: TexelU8x4, OneLevel: true}},
		{"a gather, of whatever filter and LOD", ir.ImageOp{Kind: ir.ImageGather, Dim: d, Lod: ir.LodZero}, many, resource.Sampler{MagFilter: linear, MipmapMode: 1},
			Key{Kind: ir.ImageGather, Dim: d, Texel: TexelU8x4}},
	} {
		if k, ok := KeyOf(&c.op, c.v, must(resource.NewSampler(c.s))); !ok || k != c.want {
			t.Errorf("%s: lowered %v,\n%+v, want\n%+v", c.name, ok, k, c.want)
		}
	}
	if nearest != 0 {
		t.Error("NEAREST is not the zero of a key")
	}
}

// Samples through a conversion are lowered, of several planes and of one, where components
// are bytes or lie in words of 16 bits.
func TestKeyOf_Conversions(t *testing.T) {
	op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D}
	const edge = vk.SamplerAddressModeClampToEdge
	for f, want := range map[vk.Format]bool{
		vk.FormatG8B8R8_2Plane420Unorm: true, vk.FormatG8B8G8R8_422Unorm: true, vk.FormatB8G8R8G8_422Unorm: true, vk.FormatG16B16G16R16_422Unorm: true,
		vk.FormatG10X6B10X6G10X6R10X6_422Unorm4Pack16: true, vk.FormatR8G8B8A8Unorm: true, vk.FormatB8G8R8Unorm: true, vk.FormatR8Unorm: true,
		vk.FormatR16G16B16A16Unorm: true, vk.FormatR5G6B5UnormPack16: true, vk.FormatR10X6UnormPack16: true,
		vk.FormatA2B10G10R10UnormPack32: false, vk.FormatR4G4UnormPack8: false,
	} {
		conversion, err := resource.NewYcbcrConversion(resource.YcbcrConversion{Format: f, Model: vk.SamplerYcbcrModelConversionRgbIdentity})
		if err != nil {
			t.Error(err)
			continue
		}
		s := must(resource.NewSampler(resource.Sampler{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, Ycbcr: conversion}))
		v := viewOf(f, 1, 0)
		if k, ok := KeyOf(&op, v, s); ok != want || k.Ycbcr != want {
			t.Errorf("%v: lowered %v, key %+v", f, ok, k)
		}
		if v.Image.Layout.Size = 1 << 31; want {
			if _, ok := KeyOf(&op, v, s); ok {
				t.Errorf("%v is lowered where it has 2 GiB", f)
			}
		}
		if info := v.Info; want && !info.MultiPlanar() {
			v := viewOf(f, 1, 0)
			v.Image.Data = v.Image.Data[:len(v.Image.Data)-1]
			if _, ok := KeyOf(&op, v, s); ok {
				t.Errorf("%v is lowered where memory is missing", f)
			}
		}
	}
	apart := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_2Plane420Unorm, Extent: extent(8, 8, 1), Flags: vk.ImageCreateDisjointBit}))
	for plane := range 2 {
		if err := apart.BindPlane(plane, make([]byte, 1024)); err != nil {
			t.Fatal(err)
		}
	}
	video := resource.Sampler{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, Ycbcr: must(resource.NewYcbcrConversion(resource.YcbcrConversion{Format: apart.Format}))}
	if _, ok := KeyOf(&op, must(resource.NewView(apart, resource.ViewDesc{})), &video); !ok {
		t.Error("planes of their own memory are not lowered through a conversion")
	}
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(200, 200, 1), Flags: vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit}
	im := must(resource.NewImage(d))
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	s := must(resource.NewSampler(resource.Sampler{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, Ycbcr: must(resource.NewYcbcrConversion(resource.YcbcrConversion{Format: d.Format}))}))
	if _, ok := KeyOf(&op, must(resource.NewView(im, resource.ViewDesc{})), s); ok {
		t.Error("columns of sparse blocks are lowered through a conversion")
	}
}
