package sampling

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Rules and corner cases that no test of a larger theme covers.

func bits1(x uint32) []uint32 { return []uint32{x} }

// quadArgs is an implicit sample of four lanes.
func quadArgs(op ir.ImageOp, coord ...[4]float32) *Args {
	a := &Args{Op: &op, Quads: true}
	for d := range coord {
		a.Coord[d] = make([]uint32, 4)
		for l, x := range coord[d] {
			a.Coord[d][l] = math.Float32bits(x)
		}
	}
	for c := range a.Out {
		a.Out[c] = make([]uint32, 4)
	}
	return a
}

func TestCase18_LinearBetweenEnds(t *testing.T) {
	rules.Covers(t, "TC-18", "IMG-531")
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})
	got := lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.1}}.red(imageA4(t), s)
	if math.Abs(float64(got)-12.9999998) > 30.0/512 { // half a step of 1/256 on a slope of 30
		t.Errorf("%v, want 12.9999998", got)
	}
}

func TestCase34_NoDerivatives(t *testing.T) {
	rules.Covers(t, "TC-34", "IMG-445", "IMG-449", "IMG-451")
	im := imageL3(t)
	v := newView(t, im, resource.ViewDesc{})
	op := sampleOp(ir.Dim2D)
	op.Lod = ir.LodGrad
	x := lane1{op: op, coord: []float32{.5, .5}, dx: []float32{0, 0}, dy: []float32{0, 0}}
	u := makeSampled(x.args(), v, newSampler(t, resource.Sampler{AnisotropyEnable: true, MaxAnisotropy: 16, MagFilter: linear, MinFilter: linear}))
	_, g := u.locate(0, 1)
	if prime, f := u.lambdaPrime(0, 1, &g); !math.IsInf(prime, -1) || f.eta != 1 || f.probes != 1 {
		t.Errorf("λ' = %v, η = %v", prime, f.eta)
	}
	for minLod, want := range map[float32]float32{0: 1, 1: 2} {
		s := newSampler(t, resource.Sampler{MinLod: minLod, MaxLod: 9, MipmapMode: vk.SamplerMipmapModeLinear})
		if got := x.red(v, s); got != want {
			t.Errorf("minLod %v: %v, want %v", minLod, got, want)
		}
	}
	// λ_base is the logarithm of ρ, or the operand.
	x.dx[0] = 2.0 / 4
	u = makeSampled(x.args(), v, newSampler(t, resource.Sampler{}))
	_, g = u.locate(0, 1)
	if prime, _ := u.lambdaPrime(0, 1, &g); prime != 1 {
		t.Errorf("ρ = 2: λ' = %v", prime)
	}
}

func TestCases61to65_DecodeAndEncode(t *testing.T) {
	rules.Covers(t, "TC-61", "TC-62", "TC-63", "TC-64", "TC-65", "IMG-240", "IMG-242", "IMG-376", "IMG-378", "IMG-379", "IMG-381")
	row := func(f vk.Format, data ...byte) *resource.ImageView {
		info := mustInfo(f)
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(uint32(len(data)/info.BlockBytes), 1, 1)})
		copy(im.Data, data)
		return newView(t, im, resource.ViewDesc{})
	}
	fetch := func(v *resource.ImageView, i int) format.Texel {
		return lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{int32(i), 0}}.run(v, nil)
	}
	snorm := row(vk.FormatR8Snorm, 0x80, 0x81, 0, 0x7F)
	for i, want := range []float32{-1, -1, 0, 1} {
		if got := fetch(snorm, i); got != rgba(want, 0, 0, 1) {
			t.Errorf("TC 61, texel %d: %v", i, floats(got))
		}
	}
	store := func(f vk.Format, class ir.Class, texel ...uint32) []byte {
		v := row(f, make([]byte, mustInfo(f).BlockBytes)...)
		lane1{op: ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Result: class}, icoord: []int32{0, 0}, texel: texel}.run(v, nil)
		return v.Image.Data[:mustInfo(f).BlockBytes]
	}
	f := math.Float32bits
	for _, c := range []struct {
		tc    string
		f     vk.Format
		class ir.Class
		in    []uint32
		want  []byte
	}{
		{"62", vk.FormatR8Unorm, ir.ClassFloat, bits1(f(.5)), []byte{128}},
		{"62", vk.FormatR5G5B5A1UnormPack16, ir.ClassFloat, []uint32{0, 0, 0, f(.5)}, []byte{0, 0}},
		{"62", vk.FormatA2B10G10R10UnormPack32, ir.ClassFloat, []uint32{0, 0, 0, f(.5)}, []byte{0, 0, 0, 0x80}},
		{"63", vk.FormatR16Sfloat, ir.ClassFloat, bits1(f(65519.99)), []byte{0xFF, 0x7B}},
		{"63", vk.FormatR16Sfloat, ir.ClassFloat, bits1(f(65520)), []byte{0x00, 0x7C}},
		{"63", vk.FormatR16Sfloat, ir.ClassFloat, bits1(1 << 31), []byte{0x00, 0x80}},
		{"64", vk.FormatB10G11R11UfloatPack32, ir.ClassFloat, bits1(f(-1)), []byte{0, 0, 0, 0}},
		{"64", vk.FormatB10G11R11UfloatPack32, ir.ClassFloat, bits1(f(-inf)), []byte{0, 0, 0, 0}},
		{"64", vk.FormatB10G11R11UfloatPack32, ir.ClassFloat, bits1(f(nan)), []byte{0xE0, 0x07, 0, 0}},
		{"64", vk.FormatB10G11R11UfloatPack32, ir.ClassFloat, bits1(f(65280)), []byte{0xC0, 0x07, 0, 0}},
		{"65", vk.FormatR8Uint, ir.ClassUint, bits1(300), []byte{255}},
		{"65", vk.FormatR8Uint, ir.ClassSint, bits1(0xFFFFFFFF), []byte{0}},
		{"65", vk.FormatR8Sint, ir.ClassUint, bits1(0xFFFFFFFF), []byte{127}},
	} {
		if got := store(c.f, c.class, c.in...); !bytes.Equal(got, c.want) {
			t.Errorf("TC %s, %x to %v: %x, want %x", c.tc, c.in, c.f, got, c.want)
		}
	}
}

func TestCase66_SrgbFiltersLinearLight(t *testing.T) {
	rules.Covers(t, "TC-66", "IMG-250", "IMG-070")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Srgb, Extent: extent(2, 1, 1)})
	copy(im.Data, []byte{64, 64, 64, 64, 192, 192, 192, 192})
	got := floats(lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.5, 0.5}}.run(newView(t, im, resource.ViewDesc{}), newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})))
	if math.Abs(float64(got[0])-0.28919229) > 1e-7 || fp.LinearToSrgb(got[0]) != 146 {
		t.Errorf("colour %v, code %d", got[0], fp.LinearToSrgb(got[0]))
	}
	if math.Abs(float64(got[3])-128.0/255) > 2*0x1p-24*192/255 {
		t.Errorf("alpha %v", got[3])
	}
}

func TestCase76_CubeArrays(t *testing.T) {
	rules.Covers(t, "TC-76", "IMG-043", "IMG-484", "IMG-025")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(1, 1, 1), ArrayLayers: 20, Flags: vk.ImageCreateCubeCompatibleBit})
	for l := range 20 {
		setFloat(im, 0, l, 0, 0, float32(l))
	}
	v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCubeArray), Range: vk.ImageSubresourceRange{LayerCount: 18}})
	op := sampleOp(ir.DimCube)
	op.Arrayed = true
	if got := (lane1{op: op, coord: []float32{0, 1, 0, 1.5}}).red(v, newSampler(t, resource.Sampler{})); got != 14 {
		t.Errorf("layer %v, want 14", got)
	}
	moved := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCubeArray), Range: vk.ImageSubresourceRange{BaseArrayLayer: 2, LayerCount: 18}})
	if got := (lane1{op: op, coord: []float32{0, 1, 0, 1.5}}).red(moved, newSampler(t, resource.Sampler{})); got != 16 {
		t.Errorf("layer %v of a view from 2 on, want 16", got)
	}
	// Offsets and scales leave layers alone.
	arr := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewType2DArray)})
	op = sampleOp(ir.Dim2D)
	op.Arrayed = true
	for a, want := range map[float32]float32{3: 3, 3.49: 3, 400: 19} {
		if got := (lane1{op: op, coord: []float32{.5, .5, a}, offset: []int32{5, 5}}).red(arr, newSampler(t, resource.Sampler{})); got != want {
			t.Errorf("layer coordinate %v: %v", a, got)
		}
	}
}

func TestCoordinates_SystemsAndMissingOnes(t *testing.T) {
	rules.Covers(t, "IMG-020", "IMG-021", "IMG-022", "IMG-024", "IMG-504")
	v := imageA4(t)
	s := newSampler(t, resource.Sampler{AddressModeV: border, AddressModeW: border})
	// The second coordinate and address mode of a 1D image do not exist.
	if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{0.6, 77, -5}}).red(v, s); got != 30 {
		t.Errorf("1D with more coordinates: %v", got)
	}
	// Fetches count texels, samples fractions of the image.
	if got := (lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim1D}, icoord: []int32{2}}).red(v, nil); got != 30 {
		t.Errorf("fetch of texel 2: %v", got)
	}
	if got := (lane1{op: ir.ImageOp{Kind: ir.ImageRead, Dim: ir.Dim1D}, icoord: []int32{3}}).red(v, nil); got != 40 {
		t.Errorf("read of texel 3: %v", got)
	}
	un := newSampler(t, resource.Sampler{AddressModeU: edge, AddressModeV: edge, UnnormalizedCoordinates: true})
	if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{2.5}}).red(v, un); got != 30 {
		t.Errorf("unnormalized: %v", got)
	}
}

func TestNonSeamless_FacesAreImages(t *testing.T) {
	rules.Covers(t, "IMG-204")
	v := imageC2(t)
	s := resource.Sampler{MagFilter: linear, MinFilter: linear, NonSeamless: true, AddressModeU: edge, AddressModeV: edge}
	// At (1,1,1) of +Z: the corner of texel (1, 0) alone.
	if got := (lane1{op: sampleOp(ir.DimCube), coord: []float32{1, 1, 1}}).red(v, newSampler(t, s)); got != 401 {
		t.Errorf("edge: %v, want 401", got)
	}
	s.AddressModeU, s.AddressModeV = border, border
	if got := (lane1{op: sampleOp(ir.DimCube), coord: []float32{1, 1, 1}}).red(v, newSampler(t, s)); got != 401.0/4 {
		t.Errorf("border: %v, want %v", got, 401.0/4)
	}
	s.AddressModeU, s.AddressModeV = repeat, repeat
	if got := (lane1{op: sampleOp(ir.DimCube), coord: []float32{1, 1, 1}}).red(v, newSampler(t, s)); got != (401+400+411+410)/4.0 {
		t.Errorf("repeat: %v", got)
	}
}

// A comparison at a cube's corner compares each of the three texels first.
func TestCube_CornerCompares(t *testing.T) {
	rules.Covers(t, "IMG-222", "IMG-316", "IMG-317")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD32Sfloat, Extent: extent(1, 1, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit})
	for face, d := range []float32{0.1, 0, 0.9, 0, 0.1, 0} {
		setFloat(im, 0, face, 0, 0, d)
	}
	op := sampleOp(ir.DimCube)
	op.Dref = true
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, CompareEnable: true, CompareOp: vk.CompareOpLess})
	// +Z's texel, +X's, +Y's and their mean, a quarter each: 0, 0, 1 and 1/3.
	x := lane1{op: op, coord: []float32{1, 1, 1}, dref: 0.5}
	v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube), Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectDepthBit}})
	if got := x.red(v, s); math.Abs(float64(got)-(1+1.0/3)/4) > 1e-7 {
		t.Errorf("%v, want %v", got, (1+1.0/3)/4)
	}
	// The result is red, after the swizzle.
	w := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube), Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectDepthBit},
		Components: vk.ComponentMapping{R: vk.ComponentSwizzleOne}})
	if got := x.red(w, s); got != 1 {
		t.Errorf("red is ONE: %v", got)
	}
}

// A corner's mean is neither the least nor the most of its three texels, which are read for themselves, too: with
// numbers of either sign as well.
func TestCube_CornersReduced(t *testing.T) {
	rules.Covers(t, "IMG-220", "IMG-551")
	for _, c := range []struct{ faces, want [3]float32 }{{[3]float32{2, 3, 5}, [3]float32{2, 5}}, {[3]float32{-7, -4, -6}, [3]float32{-7, -4}}} {
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(1, 1, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit})
		for face := range 6 {
			setFloat(im, 0, face, 0, 0, c.faces[face/2])
		}
		v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
		for k, mode := range []vk.SamplerReductionMode{smallest, largest} {
			s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, Reduction: mode})
			if got := (lane1{op: sampleOp(ir.DimCube), coord: []float32{1, 1, 1}}).red(v, s); got != c.want[k] {
				t.Errorf("%v, %v: %v, want %v", c.faces, mode, got, c.want[k])
			}
		}
	}
}

func TestViews_ReinterpretBits(t *testing.T) {
	rules.Covers(t, "IMG-255", "IMG-049")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(1, 1, 1), Flags: vk.ImageCreateMutableFormatBit})
	copy(im.Data, []byte{0, 0, 0x80, 0x3F})
	op := ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}
	for f, want := range map[vk.Format]format.Texel{vk.FormatR32Sfloat: {oneFloat, 0, 0, oneFloat}, vk.FormatR32Uint: {oneFloat, 0, 0, 1}, vk.FormatR16G16Uint: {0, 0x3F80, 0, 1}} {
		if got := (lane1{op: op, icoord: []int32{0, 0}}).run(newView(t, im, resource.ViewDesc{Format: f}), nil); got != want {
			t.Errorf("%v: %x, want %x", f, got, want)
		}
	}
	padded := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR10X6UnormPack16, Extent: extent(1, 1, 1), Flags: vk.ImageCreateMutableFormatBit})
	copy(padded.Data, []byte{0x3F, 0x80})
	read := func(f vk.Format) float32 {
		return lane1{op: op, icoord: []int32{0, 0}}.red(newView(t, padded, resource.ViewDesc{Format: f}), nil)
	}
	if got := read(vk.FormatR10X6UnormPack16); got != float32(512)/1023 {
		t.Errorf("the padding counts: %v", got)
	}
	if got := read(vk.FormatR16Unorm); got != float32(0x803F)/65535 {
		t.Errorf("the padding is lost: %v", got)
	}
	lane1{op: ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D}, icoord: []int32{0, 0}, texel: one(0.5)}.run(newView(t, padded, resource.ViewDesc{}), nil)
	if padded.Data[0]&0x3F != 0 {
		t.Errorf("padding was written: %x", padded.Data[:2])
	}
}

func TestBorder_SwizzleStencilPacked(t *testing.T) {
	rules.Covers(t, "IMG-292", "IMG-295", "IMG-296", "IMG-328", "IMG-322", "IMG-320")
	swap := vk.ComponentMapping{R: vk.ComponentSwizzleA, G: vk.ComponentSwizzleOne, B: vk.ComponentSwizzleR, A: vk.ComponentSwizzleZero}
	v := newView(t, imageOf(t, vk.FormatR8G8B8A8Unorm, 1, 1), resource.ViewDesc{Components: swap})
	for b, want := range map[vk.BorderColor]format.Texel{
		vk.BorderColorFloatOpaqueBlack: rgba(1, 1, 0, 0), vk.BorderColorFloatTransparentBlack: rgba(0, 1, 0, 0), vk.BorderColorFloatOpaqueWhite: rgba(1, 1, 1, 0),
		vk.BorderColorFloatCustomEXT: rgba(.4, 1, .1, 0),
	} {
		s := newSampler(t, resource.Sampler{AddressModeU: border, BorderColor: b, CustomBorderColor: rgba(.1, .2, .3, .4)})
		if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{3, .5}}).run(v, s); got != want {
			t.Errorf("%v: %v, want %v", b, floats(got), floats(want))
		}
	}
	for f, want := range map[vk.Format]format.Texel{vk.FormatR8Uint: {5, 0, 0, 1}, vk.FormatR8G8Uint: {5, 6, 0, 1}, vk.FormatR8G8B8A8Uint: {5, 6, 7, 8}, vk.FormatR32G32B32A32Sint: {5, 6, 7, 8}} {
		s := newSampler(t, resource.Sampler{AddressModeU: border, BorderColor: vk.BorderColorIntCustomEXT, CustomBorderColor: format.Texel{5, 6, 7, 8}})
		if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{3, .5}}).run(newView(t, imageOf(t, f, 1, 1), resource.ViewDesc{}), s); got != want {
			t.Errorf("custom border of %v: %v, want %v", f, got, want)
		}
	}
	for _, f := range []vk.Format{vk.FormatB4G4R4A4UnormPack16, vk.FormatR4G4B4A4UnormPack16} {
		s := newSampler(t, resource.Sampler{AddressModeU: border, BorderColor: vk.BorderColorFloatOpaqueBlack})
		if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{3, .5}}).run(newView(t, imageOf(t, f, 1, 1), resource.ViewDesc{}), s); got != rgba(0, 0, 0, 1) {
			t.Errorf("%v: %v", f, floats(got))
		}
	}
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD24UnormS8Uint, Extent: extent(1, 1, 1)})
	l := im.Level(1, 0, 0)
	l.Data[0] = 77
	stencil := newView(t, im, resource.ViewDesc{Range: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectStencilBit}})
	s := newSampler(t, resource.Sampler{AddressModeU: border, BorderColor: vk.BorderColorIntCustomEXT, CustomBorderColor: format.Texel{5, 6, 7, 8}})
	if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .5}}).run(stencil, s); got != (format.Texel{77, 0, 0, 1}) {
		t.Errorf("stencil: %v", got)
	}
	if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{3, .5}}).run(stencil, s); got != (format.Texel{5, 0, 0, 1}) {
		t.Errorf("border of stencil: %v", got)
	}
}

// Each code of D16 equals a reference computed the same way in binary32.
func TestCompare_EqualInBinary32(t *testing.T) {
	rules.Covers(t, "IMG-313")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD16Unorm, Extent: extent(1, 1, 1)})
	v := newView(t, im, resource.ViewDesc{})
	s := newSampler(t, resource.Sampler{CompareEnable: true, CompareOp: vk.CompareOpEqual})
	for c := 0; c < 65536; c += 7 {
		im.Data[0], im.Data[1] = byte(c), byte(c>>8)
		if got := (lane1{op: drefOp(), coord: []float32{.5, .5}, dref: float32(float64(c) / 65535)}).red(v, s); got != 1 {
			t.Fatalf("code %d is not equal", c)
		}
	}
}

func TestSwizzle_GatherAndFilter(t *testing.T) {
	rules.Covers(t, "IMG-329", "IMG-330", "IMG-518", "IMG-519", "IMG-523")
	r := rand.New(rand.NewPCG(21, 22))
	im := randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(5, 5, 1)})
	m := vk.ComponentMapping{R: vk.ComponentSwizzleB, G: vk.ComponentSwizzleA, B: vk.ComponentSwizzleZero, A: vk.ComponentSwizzleOne}
	plain, moved := newView(t, im, resource.ViewDesc{}), newView(t, im, resource.ViewDesc{Components: m})
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: border, AddressModeV: mirrored})
	for range 300 {
		p := []float32{r.Float32()*3 - 1, r.Float32()*3 - 1}
		a, b := (lane1{op: sampleOp(ir.Dim2D), coord: p}).run(plain, s), (lane1{op: sampleOp(ir.Dim2D), coord: p}).run(moved, s)
		if b != (format.Texel{a[2], a[3], 0, oneFloat}) {
			t.Fatalf("at %v: %x through the swizzle, %x without", p, b, a)
		}
		op := ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Lod: ir.LodZero, GatherComp: 3}
		if got := (lane1{op: op, coord: p}).run(moved, s); got != rgba(1, 1, 1, 1) {
			t.Fatalf("gather of ONE: %v", floats(got))
		}
		op.GatherComp = 0
		blue := op
		blue.GatherComp = 2
		if g, w := (lane1{op: op, coord: p}).run(moved, s), (lane1{op: blue, coord: p}).run(plain, s); g != w {
			t.Fatalf("gather of red through the swizzle: %x, blue without %x", g, w)
		}
	}
	// Each tap wraps on its own, integers too; a comparison gives 0 and 1.
	ints := newView(t, imageOf(t, vk.FormatR32Uint, 2, 1, format.Texel{7}, format.Texel{9}), resource.ViewDesc{})
	near := newSampler(t, resource.Sampler{AddressModeU: border, AddressModeV: edge, BorderColor: vk.BorderColorIntOpaqueWhite})
	g := lane1{op: ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Lod: ir.LodZero}, coord: []float32{1, .5}}
	if got := g.run(ints, near); got != (format.Texel{9, 1, 1, 9}) {
		t.Errorf("integers at the border: %v", got)
	}
	depth := newView(t, imageOf(t, vk.FormatD32Sfloat, 2, 1, rgba(.25), rgba(.75)), resource.ViewDesc{})
	g.op.Dref, g.coord, g.dref = true, []float32{.5, .5}, 0.5
	if got := g.run(depth, newSampler(t, resource.Sampler{AddressModeU: edge, AddressModeV: edge, CompareEnable: true, CompareOp: vk.CompareOpLess})); got != rgba(0, 1, 1, 0) {
		t.Errorf("comparisons: %v", floats(got))
	}
}

func TestWrite_FewComponentsOneTexel(t *testing.T) {
	rules.Covers(t, "IMG-374", "IMG-383", "IMG-306", "IMG-577", "IMG-074")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(3, 1, 1)})
	for i := range im.Data {
		im.Data[i] = 0xAA
	}
	v := newView(t, im, resource.ViewDesc{})
	write := ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D}
	lane1{op: write, icoord: []int32{1, 0}, texel: one(1)}.run(v, nil)
	if want := []byte{0xAA, 0xAA, 0xAA, 0xAA, 0xFF, 0, 0, 0, 0xAA, 0xAA, 0xAA, 0xAA}; !bytes.Equal(im.Data[:12], want) {
		t.Errorf("memory %x, want %x", im.Data[:12], want)
	}
	// What was written outside is not remembered.
	lane1{op: write, icoord: []int32{3, 0}, texel: one(1)}.run(v, nil)
	read := ir.ImageOp{Kind: ir.ImageRead, Dim: ir.Dim2D}
	if got := (lane1{op: read, icoord: []int32{3, 0}}).run(v, nil); got != (format.Texel{}) {
		t.Errorf("read outside: %v", got)
	}
	if got := (lane1{op: read, icoord: []int32{1, 0}}).run(v, nil); got != rgba(1, 0, 0, 0) {
		t.Errorf("read: %v", floats(got))
	}
}

func TestDerivatives_QuadsAreGradients(t *testing.T) {
	rules.Covers(t, "IMG-396", "IMG-398", "IMG-399", "IMG-401", "IMG-416", "IMG-430", "IMG-403")
	r := rand.New(rand.NewPCG(23, 24))
	flat := newView(t, randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(32, 16, 1), MipLevels: 6}), resource.ViewDesc{})
	cube := newView(t, randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(16, 16, 1), MipLevels: 5, ArrayLayers: 6,
		Flags: vk.ImageCreateCubeCompatibleBit}), resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
	for n := range 400 {
		v, dim, coords := flat, ir.Dim2D, 2
		if n%2 == 1 {
			v, dim, coords = cube, ir.DimCube, 3
		}
		s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9, AnisotropyEnable: n%3 == 0, MaxAnisotropy: 8})
		c := make([][4]float32, coords)
		for d := range c {
			for l := range c[d] {
				c[d][l] = float32(r.NormFloat64())
			}
		}
		a := quadArgs(ir.ImageOp{Kind: ir.ImageSample, Dim: dim, Lod: ir.LodImplicit}, c...)
		both(a, v, s, 4)
		for lane := range 4 {
			x := lane1{op: ir.ImageOp{Kind: ir.ImageSample, Dim: dim, Lod: ir.LodGrad}}
			for d := range c {
				x.coord = append(x.coord, c[d][lane])
				x.dx = append(x.dx, c[d][lane&2+1]-c[d][lane&2])
				x.dy = append(x.dy, c[d][lane&1+2]-c[d][lane&1])
			}
			want := x.run(v, s)
			for k := range want {
				if a.Out[k][lane] != want[k] {
					t.Fatalf("%v lane %d of %v: component %d differs from the explicit gradient", dim, lane, c, k)
				}
			}
		}
		// Helper lanes give coordinates, and get no result.
		a.Mask = []uint32{^uint32(0), 0, 0, 0}
		for k := range a.Out {
			for l := range 4 {
				a.Out[k][l] = 0xDEAD
			}
		}
		both(a, v, s, 4)
		if a.Out[0][0] == 0xDEAD || a.Out[0][1] != 0xDEAD || a.Out[3][3] != 0xDEAD {
			t.Fatal("a masked lane has a result")
		}
	}
}

func TestScaleFactor_Window(t *testing.T) {
	rules.Covers(t, "IMG-428", "IMG-429", "IMG-564")
	r := rand.New(rand.NewPCG(25, 26))
	for range 2000 {
		u := sampled{dims: 3, base: [3]float64{64, 16, 8}}
		var m [3]float64
		d := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		sum, most := 0.0, 0.0
		for i := range m {
			m[i] = math.Abs(d[i]) * u.base[i]
			sum, most = sum+m[i], max(most, m[i])
		}
		if rho := math.Sqrt(u.texelLength2(&d)); rho < most*(1-1e-15) || rho > math.Sqrt2*sum {
			t.Fatalf("ρ = %v for %v", rho, m)
		}
	}
	// 1D is isotropic, whatever the sampler says.
	op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim1D, Lod: ir.LodGrad}
	x := lane1{op: op, coord: []float32{0}, dx: []float32{1}, dy: []float32{0}}
	u := makeSampled(x.args(), imageA4(t), newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AnisotropyEnable: true, MaxAnisotropy: 16}))
	_, g := u.locate(0, 1)
	if lambda, f := u.lambdaPrime(0, 1, &g); lambda != 2 || f.probes != 1 {
		t.Errorf("1D: λ' = %v, %d probes", lambda, f.probes)
	}
}

func TestCube_DirectionsScale(t *testing.T) {
	rules.Covers(t, "IMG-410", "IMG-411", "IMG-412")
	r := rand.New(rand.NewPCG(27, 28))
	v := newView(t, randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(8, 8, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit}),
		resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})
	for range 500 {
		d := []float32{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())}
		want := lane1{op: sampleOp(ir.DimCube), coord: d}.run(v, s)
		for _, k := range []float32{2, 0.25, 1 << 40, 1.0 / (1 << 30)} {
			if got := (lane1{op: sampleOp(ir.DimCube), coord: []float32{k * d[0], k * d[1], k * d[2]}}).run(v, s); got != want {
				t.Fatalf("%v times %v changes the result", d, k)
			}
		}
	}
	for i, d := range [6][3]float64{{1}, {-1}, {0, 1}, {0, -1}, {0, 0, 1}, {0, 0, -1}} {
		if f := cubeFace(d[0], d[1], d[2]); f != i {
			t.Errorf("%v: face %d", d, f)
		}
	}
}

func TestLevels_BoundsAndFilters(t *testing.T) {
	rules.Covers(t, "IMG-427", "IMG-450", "IMG-453", "IMG-466", "IMG-535", "IMG-556")
	im := imageL3(t)
	v := newView(t, im, resource.ViewDesc{})
	if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .5}, lod: 999}).red(v, newSampler(t, resource.Sampler{MaxLod: 1000, MipmapMode: vk.SamplerMipmapModeLinear})); got != 3 {
		t.Errorf("maxLod 1000: %v", got)
	}
	// δ = 0 reads one level: NaN in the next does not matter.
	setFloat(im, 1, 0, 0, 0, nan)
	setFloat(im, 1, 0, 1, 0, nan)
	setFloat(im, 1, 0, 0, 1, nan)
	setFloat(im, 1, 0, 1, 1, nan)
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, MaxLod: 9, MipmapMode: vk.SamplerMipmapModeLinear})
	if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .5}, lod: 0}).red(v, s); got != 1 {
		t.Errorf("level 0: %v", got)
	}
	// Unnormalized coordinates: λ = 0, the magnification filter.
	un := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: edge, UnnormalizedCoordinates: true})
	if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{1}, lod: 7}).red(imageA4(t), un); got != 15 {
		t.Errorf("unnormalized with Lod 7: %v", got)
	}
	// Both levels are filtered by minFilter, and results stay among the texels.
	r := rand.New(rand.NewPCG(29, 30))
	two := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(4, 1, 1), MipLevels: 3})
	for l, row := range [][]float32{{10, 20, 30, 40}, {15, 35}, {25}} {
		for i, f := range row {
			setFloat(two, l, 0, i, 0, f)
		}
	}
	w := newView(t, two, resource.ViewDesc{})
	mixed := newSampler(t, resource.Sampler{MagFilter: nearest, MinFilter: linear, AddressModeU: edge, MaxLod: 9, MipmapMode: vk.SamplerMipmapModeLinear})
	if got := (lane1{op: sampleOp(ir.Dim1D), coord: []float32{.5}, lod: .5}).red(w, mixed); got != 25 {
		t.Errorf("both levels LINEAR: %v, want 25", got) // (20+30)/2 and (15+35)/2
	}
	for range 500 {
		got := lane1{op: sampleOp(ir.Dim1D), coord: []float32{r.Float32()*4 - 2}, lod: r.Float32() * 3}.red(w, mixed)
		if got < 10 || got > 40 {
			t.Fatalf("%v is outside of the texels", got)
		}
	}
}

func TestReduction_NaNAndProbes(t *testing.T) {
	rules.Covers(t, "IMG-551", "IMG-565", "IMG-560", "IMG-566")
	v := newView(t, imageOf(t, vk.FormatR32Sfloat, 2, 1, rgba(3), rgba(nan)), resource.ViewDesc{})
	for _, m := range []vk.SamplerReductionMode{smallest, largest} {
		s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, Reduction: m})
		if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .5}}).red(v, s); got != 3 {
			t.Errorf("%v with NaN: %v", m, got)
		}
		if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{1, .5}}).run(v, s)[0]; got != canonicalNaN {
			t.Errorf("%v of NaN alone: %x", m, got)
		}
		white := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: border, AddressModeV: edge, Reduction: m, BorderColor: vk.BorderColorFloatOpaqueWhite})
		if got, want := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{0, .5}}).red(v, white), map[vk.SamplerReductionMode]float32{smallest: 1, largest: 3}[m]; got != want {
			t.Errorf("%v with the border: %v, want %v", m, got, want)
		}
	}
	// Probes along u: a ramp's minimum and maximum over them; comparisons average.
	ramp := make([]format.Texel, 16)
	for i := range ramp {
		ramp[i] = rgba(float32(i))
	}
	wide := newView(t, imageOf(t, vk.FormatR32Sfloat, 16, 1, ramp...), resource.ViewDesc{})
	op := sampleOp(ir.Dim2D)
	op.Lod = ir.LodGrad
	x := lane1{op: op, coord: []float32{0.5, 0.5}, dx: []float32{4.0 / 16, 0}, dy: []float32{0, 1}}
	for m, want := range map[vk.SamplerReductionMode]float32{smallest: 6, largest: 9, average: 7.5} {
		s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, Reduction: m, AnisotropyEnable: true, MaxAnisotropy: 4})
		if got := x.red(wide, s); got != want { // probes at u = 6.5, 7.5, 8.5, 9.5
			t.Errorf("%v over probes: %v, want %v", m, got, want)
		}
	}
	depth := make([]format.Texel, 16)
	for i := range depth {
		depth[i] = rgba(float32(i) / 16)
	}
	x.op.Dref, x.dref = true, 7.0/16
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AnisotropyEnable: true, MaxAnisotropy: 4, CompareEnable: true, CompareOp: vk.CompareOpLess})
	if got := x.red(newView(t, imageOf(t, vk.FormatD32Sfloat, 16, 1, depth...), resource.ViewDesc{}), s); got != 0.5 {
		t.Errorf("comparison over probes: %v, want 0.5", got) // texels 6, 7 fail, 8, 9 pass
	}
	// The bias moves λ, not the number of probes.
	x.op.Dref = false
	for _, bias := range []float32{-3, 0, 3} {
		y := x
		u := makeSampled(y.args(), wide, newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AnisotropyEnable: true, MaxAnisotropy: 4, MipLodBias: bias}))
		_, g := u.locate(0, 1)
		if lambda, f := u.lambdaPrime(0, 1, &g); f.probes != 4 || lambda != float64(bias) {
			t.Errorf("bias %v: λ' = %v, %d probes", bias, lambda, f.probes)
		}
	}
}

// Integers have no mean, but a minimum and a maximum: of all 32 bits, over the taps with a weight, the levels, the border.
func TestReduction_IMG550_Integers(t *testing.T) {
	rules.Covers(t, "IMG-550", "IMG-117")
	for _, c := range []struct {
		f               vk.Format
		a, b            uint32
		least, greatest uint32
		atBorder        [2]uint32 // of a, with a border of 1
	}{
		{vk.FormatR32Uint, 0xFFFFFFFF, 7, 7, 0xFFFFFFFF, [2]uint32{1, 0xFFFFFFFF}},
		{vk.FormatR32Sint, 0xFFFFFFFF, 7, 0xFFFFFFFF, 7, [2]uint32{0xFFFFFFFF, 1}},
		{vk.FormatR32Uint, 0x7FC00001, 0x7FC00000, 0x7FC00000, 0x7FC00001, [2]uint32{1, 0x7FC00001}}, // NaNs of binary32
		{vk.FormatR8Sint, 0xFFFFFF80, 127, 0xFFFFFF80, 127, [2]uint32{0xFFFFFF80, 1}},
	} {
		v := newView(t, imageOf(t, c.f, 2, 1, format.Texel{c.a}, format.Texel{c.b}), resource.ViewDesc{})
		for i, m := range []vk.SamplerReductionMode{smallest, largest} {
			s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: edge, Reduction: m})
			if got, want := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .5}}).run(v, s), [2]uint32{c.least, c.greatest}[i]; got != (format.Texel{want, 0, 0, 1}) {
				t.Errorf("%v of %v: %#x, want %#x", m, c.f, got, want)
			}
			if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.25, .5}}).run(v, s)[0]; got != c.a {
				t.Errorf("%v of %v at a texel's centre: %#x", m, c.f, got)
			}
			s = newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: border, AddressModeV: edge, Reduction: m, BorderColor: vk.BorderColorIntOpaqueWhite})
			if got, want := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{0, .5}}).run(v, s)[0], c.atBorder[i]; got != want {
				t.Errorf("%v of %v with the border: %#x, want %#x", m, c.f, got, want)
			}
		}
		// Without a reduction, or with CUBIC, one texel.
		for _, s := range []resource.Sampler{{MagFilter: linear, MinFilter: linear}, {MagFilter: vk.FilterCubicEXT, MinFilter: vk.FilterCubicEXT, Reduction: smallest}} {
			s.AddressModeU, s.AddressModeV = edge, edge
			if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.75, .5}}).run(v, newSampler(t, s))[0]; got != c.b {
				t.Errorf("%v of %v: %#x", s.MagFilter, c.f, got)
			}
		}
	}
	// Over two levels of one texel each, in a cube over all that meet in a corner.
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: extent(2, 2, 1), MipLevels: 2})
	l0, l1 := im.Level(0, 0, 0), im.Level(0, 1, 0)
	for y := range 2 {
		copy(l0.Row(0, y, 0, 2), []byte{200, 200})
	}
	l1.Row(0, 0, 0, 1)[0] = 100
	v := newView(t, im, resource.ViewDesc{})
	op := sampleOp(ir.Dim2D)
	op.Lod = ir.LodExplicit
	for m, want := range map[vk.SamplerReductionMode]uint32{smallest: 100, largest: 200} {
		s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9, Reduction: m})
		if got := (lane1{op: op, coord: []float32{.25, .25}, lod: .5}).run(v, s)[0]; got != want {
			t.Errorf("%v over levels: %d, want %d", m, got, want)
		}
	}
	cube := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Sint, Extent: extent(1, 1, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit})
	for face, x := range [6]int8{-3, 9, 5, -9, 7, 9} { // +X, +Y and +Z meet at (1, 1, 1)
		l := cube.Level(0, 0, face)
		l.Row(0, 0, 0, 1)[0] = byte(x)
	}
	all := newView(t, cube, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
	for m, want := range map[vk.SamplerReductionMode]int32{smallest: -3, largest: 7} {
		s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, Reduction: m})
		if got := int32((lane1{op: sampleOp(ir.DimCube), coord: []float32{1, .99, .99}}).run(all, s)[0]); got != want {
			t.Errorf("%v at a corner of a cube: %d, want %d", m, got, want)
		}
	}
}

func TestQueries_LevelsAndSamples(t *testing.T) {
	rules.Covers(t, "IMG-608", "IMG-042", "IMG-485")
	v := newView(t, imageL3(t), resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseMipLevel: 1}})
	if got := (lane1{op: ir.ImageOp{Kind: ir.ImageQueryLevels, Dim: ir.Dim2D}}).run(v, nil)[0]; got != 2 {
		t.Errorf("%d levels", got)
	}
	ms := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(1, 1, 1), Samples: 4})
	for i := range 4 {
		copy(ms.Data[4*i:], []byte{0, 0, 0x80, byte(0x3F + i)})
	}
	w := newView(t, ms, resource.ViewDesc{})
	if got := (lane1{op: ir.ImageOp{Kind: ir.ImageQuerySamples, Dim: ir.Dim2D, MS: true}}).run(w, nil)[0]; got != 4 {
		t.Errorf("%d samples", got)
	}
	if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .5}}).red(w, newSampler(t, resource.Sampler{})); got != 1 {
		t.Errorf("a sampled instruction reads sample 0: %v", got)
	}
}

// Subsampled images store full resolution here: their samples are ordinary ones.
func TestSubsampled_IsOrdinary(t *testing.T) {
	rules.Covers(t, "IMG-134")
	r := rand.New(rand.NewPCG(31, 32))
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(7, 5, 1)}
	plain := randomImage(t, r, d)
	d.Flags = vk.ImageCreateSubsampledBitEXT
	sub := newImage(t, d)
	copy(sub.Data, plain.Data)
	s := resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: border}
	a := newSampler(t, s)
	s.Subsampled = true
	b := newSampler(t, s)
	for range 200 {
		p := lane1{op: sampleOp(ir.Dim2D), coord: []float32{r.Float32()*2 - .5, r.Float32()*2 - .5}}
		if x, y := p.run(newView(t, plain, resource.ViewDesc{}), a), p.run(newView(t, sub, resource.ViewDesc{}), b); x != y {
			t.Fatalf("at %v: %v and %v", p.coord, floats(x), floats(y))
		}
	}
}

// IMG-677: sums are binary64, rounded once.
func TestBlockMatch_SumsInBinary64(t *testing.T) {
	rules.Covers(t, "IMG-677")
	texels := make([]float32, 64*64)
	for i := range texels {
		texels[i] = 1 << 24
	}
	texels[0] = 1
	v := floats2D(t, 64, 64, texels...)
	zero := floats2D(t, 64, 64)
	x := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: true}, icoord: []int32{0, 0}}
	if got, want := x.process(zero, v, processSampler(t, edge, true, average), []uint32{0, 0}, []uint32{64, 64})[0], float32(1+float64(64*64-1)*(1<<24)); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
