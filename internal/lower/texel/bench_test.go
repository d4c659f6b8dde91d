package texel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// benchCase is a class of keys: an image of a size, an instruction, a sampler,
// and how many texels two fragments lie apart.
type benchCase struct {
	name   string
	format vk.Format
	dim    ir.ImageDim
	size   uint32
	mips   bool
	op     ir.ImageOp
	s      resource.Sampler
	step   float32
}

func benchCases() []benchCase {
	const (
		rgba8  = vk.FormatR8G8B8A8Unorm
		border = vk.SamplerAddressModeClampToBorder
		mirror = vk.SamplerAddressModeMirroredRepeat
	)
	linear := resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MaxLod: 20}
	trilinear, nearest, aniso, shadow, edge, borders, mirrored := linear, linear, linear, linear, linear, linear, linear
	trilinear.MipmapMode = vk.SamplerMipmapModeLinear
	nearest.MagFilter, nearest.MinFilter = 0, 0
	aniso.MipmapMode, aniso.AnisotropyEnable, aniso.MaxAnisotropy = vk.SamplerMipmapModeLinear, true, 16
	shadow.CompareEnable, shadow.CompareOp = true, vk.CompareOpLessOrEqual
	nearestEdge, nearestMirrored, mixed := nearest, nearest, trilinear
	mixed.MagFilter = vk.FilterNearest
	nearestEdge.AddressModeU, nearestEdge.AddressModeV = vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToEdge
	nearestMirrored.AddressModeU, nearestMirrored.AddressModeV = mirror, mirror
	edge.AddressModeU, edge.AddressModeV = vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToEdge
	borders.AddressModeU, borders.AddressModeV = border, border
	mirrored.AddressModeU, mirrored.AddressModeV = mirror, mirror
	video := func(f vk.Format, filter vk.Filter) resource.Sampler {
		s := edge
		s.MagFilter, s.MinFilter, s.AddressModeW = filter, filter, edge.AddressModeU
		s.Ycbcr = &resource.YcbcrConversion{Format: f, Model: vk.SamplerYcbcrModelConversionYcbcr709, Range: vk.SamplerYcbcrRangeItuNarrow, ChromaFilter: filter}
		return s
	}
	cubic, cubicSrgb, cubicShadow := linear, linear, shadow
	cubic.MagFilter, cubic.MinFilter = vk.FilterCubicEXT, vk.FilterCubicEXT
	cubicShadow.MagFilter, cubicShadow.MinFilter = vk.FilterCubicEXT, vk.FilterCubicEXT
	cubicSrgb.MagFilter, cubicSrgb.MinFilter, cubicSrgb.CubicWeights = vk.FilterCubicEXT, vk.FilterCubicEXT, vk.CubicFilterWeightsMitchellNetravaliQCOM
	sample := ir.ImageOp{Kind: ir.ImageSample}
	gather := ir.ImageOp{Kind: ir.ImageGather}
	fetch := ir.ImageOp{Kind: ir.ImageFetch}
	write := ir.ImageOp{Kind: ir.ImageWrite}
	d := ir.Dim2D
	dref := ir.ImageOp{Kind: ir.ImageSample, Dref: true}
	grad := ir.ImageOp{Kind: ir.ImageSample, Lod: ir.LodGrad}
	return []benchCase{
		{"2D/RGBA8/nearest", rgba8, d, 512, false, sample, nearest, 1},
		{"2D/RGBA8/nearest/edge", rgba8, d, 512, false, sample, nearestEdge, 1},
		{"2D/RGBA8/nearest/size500", rgba8, d, 500, false, sample, nearest, 1},
		{"2D/RGBA8_SRGB/nearest", vk.FormatR8G8B8A8Srgb, d, 512, false, sample, nearest, 1},
		{"2D/RGBA8_SRGB/nearest/edge", vk.FormatR8G8B8A8Srgb, d, 512, false, sample, nearestEdge, 1},
		{"2D/RGBA8/nearest/mirrored", rgba8, d, 500, false, sample, nearestMirrored, 1},
		{"2D/RGBA16F/nearest", vk.FormatR16G16B16A16Sfloat, d, 512, false, sample, nearestEdge, 1},
		{"2D/RGB10A2/nearest", vk.FormatA2B10G10R10UnormPack32, d, 512, false, sample, nearestEdge, 1},
		{"2D/R32F/fetch", vk.FormatR32Sfloat, d, 512, false, fetch, nearest, 1},
		{"2D/RGBA8/bilinear/repeat", rgba8, d, 512, false, sample, linear, 1},
		{"2D/RGBA8/bilinear/edge", rgba8, d, 512, false, sample, edge, 1},
		{"2D/RGBA8/bilinear/border", rgba8, d, 512, false, sample, borders, 1},
		{"2D/RGBA8/bilinear/mirrored", rgba8, d, 512, false, sample, mirrored, 1},
		{"2D/RGBA8/bilinear/size500", rgba8, d, 500, false, sample, linear, 1},
		{"2D/RGBA8/trilinear", rgba8, d, 512, true, sample, trilinear, 2.6},
		{"2D/RGBA8/trilinear/grad", rgba8, d, 512, true, grad, trilinear, 2.6},
		{"2D/RGBA8/aniso16", rgba8, d, 512, true, sample, aniso, 4},
		{"2D/RGBA8_SRGB/bilinear", vk.FormatR8G8B8A8Srgb, d, 512, false, sample, linear, 1},
		{"2D/RGBA8_SRGB/trilinear", vk.FormatR8G8B8A8Srgb, d, 512, true, sample, trilinear, 2.6},
		{"2D/R8/bilinear", vk.FormatR8Unorm, d, 512, false, sample, linear, 1},
		{"2D/RGBA16/bilinear", vk.FormatR16G16B16A16Unorm, d, 512, false, sample, linear, 1},
		{"2D/RGBA8_SNORM/bilinear", vk.FormatR8G8B8A8Snorm, d, 512, false, sample, linear, 1},
		{"2D/RGBA8/mixed", rgba8, d, 512, true, sample, mixed, 2.6},
		{"2D/RGBA16F/bilinear", vk.FormatR16G16B16A16Sfloat, d, 512, false, sample, linear, 1},
		{"2D/RGBA32F/bilinear", vk.FormatR32G32B32A32Sfloat, d, 512, false, sample, linear, 1},
		{"2D/R11G11B10F/bilinear", vk.FormatB10G11R11UfloatPack32, d, 512, false, sample, linear, 1},
		{"2D/R32UI/nearest", vk.FormatR32Uint, d, 512, false, sample, nearest, 1},
		{"2D/BC1/bilinear", vk.FormatBc1RgbUnormBlock, d, 512, false, sample, linear, 1},
		{"2D/BC7/bilinear", vk.FormatBc7UnormBlock, d, 512, false, sample, linear, 1},
		{"2D/ASTC6x6/bilinear", vk.FormatAstc6x6UnormBlock, d, 512, false, sample, linear, 1},
		{"2D/RGBA8/cubic", rgba8, d, 512, false, sample, cubic, 1},
		{"2D/RGBA8_SRGB/cubic/mitchell", vk.FormatR8G8B8A8Srgb, d, 512, false, sample, cubicSrgb, 1},
		{"2D/D32/cubic/shadow", vk.FormatD32Sfloat, d, 512, false, dref, cubicShadow, 1},
		{"Cube/RGBA8/cubic", rgba8, ir.DimCube, 256, false, sample, cubic, 1},
		{"3D/RGBA8/cubic", rgba8, ir.Dim3D, 64, false, sample, cubic, 1},
		{"3D/RGBA8/linear", rgba8, ir.Dim3D, 64, false, sample, linear, 1},
		{"Cube/RGBA8/bilinear", rgba8, ir.DimCube, 256, false, sample, linear, 1},
		{"2D/G8_B8R8_420/bilinear", vk.FormatG8B8R8_2Plane420Unorm, d, 512, false, sample, video(vk.FormatG8B8R8_2Plane420Unorm, vk.FilterLinear), 1},
		{"2D/G8_B8R8_420/nearest", vk.FormatG8B8R8_2Plane420Unorm, d, 512, false, sample, video(vk.FormatG8B8R8_2Plane420Unorm, vk.FilterNearest), 1},
		{"2D/G8_B8_R8_420/bilinear", vk.FormatG8B8R8_3Plane420Unorm, d, 512, false, sample, video(vk.FormatG8B8R8_3Plane420Unorm, vk.FilterLinear), 1},
		{"2D/G10_B10R10_420/bilinear", vk.FormatG10X6B10X6R10X6_2Plane420Unorm3Pack16, d, 512, false, sample, video(vk.FormatG10X6B10X6R10X6_2Plane420Unorm3Pack16, vk.FilterLinear), 1},
		{"2D/G8B8G8R8_422/bilinear", vk.FormatG8B8G8R8_422Unorm, d, 512, false, sample, video(vk.FormatG8B8G8R8_422Unorm, vk.FilterLinear), 1},
		{"2D/RGBA8/conversion/bilinear", rgba8, d, 512, false, sample, video(rgba8, vk.FilterLinear), 1},
		{"2D/D32/shadow", vk.FormatD32Sfloat, d, 512, false, dref, shadow, 1},
		{"2D/RGBA8/gather", rgba8, d, 512, false, gather, linear, 1},
		{"2D/RGBA8/fetch", rgba8, d, 512, false, fetch, nearest, 1},
		{"2D/RGBA8/store", rgba8, d, 512, false, write, nearest, 1},
		{"2D/RGBA32F/store", vk.FormatR32G32B32A32Sfloat, d, 512, false, write, nearest, 1},
	}
}

// setup makes the view, the sampler and the operands of one batch of 64 lanes.
func (c *benchCase) setup() (*ref.Args, *resource.ImageView, *resource.Sampler, int) {
	return c.lanes(64)
}

func (c *benchCase) lanes(n int) (*ref.Args, *resource.ImageView, *resource.Sampler, int) {
	r := rand.New(rand.NewPCG(5, 6))
	desc := resource.ImageDesc{Type: vk.ImageType2D, Format: c.format, Extent: extent(c.size, c.size, 1), MipLevels: 1, ArrayLayers: 1}
	t := vk.ImageViewType2D
	c.op.Dim, c.op.Coords, c.op.GradCoords, c.op.Results = c.dim, 2, 2, 4
	switch c.dim {
	case ir.Dim3D:
		desc.Type, desc.Extent.Depth, t, c.op.Coords = vk.ImageType3D, c.size, vk.ImageViewType3D, 3
	case ir.DimCube:
		desc.ArrayLayers, desc.Flags, t, c.op.Coords = 6, vk.ImageCreateCubeCompatibleBit, vk.ImageViewTypeCube, 3
	}
	if c.mips {
		desc.MipLevels = 1 + int(math.Log2(float64(c.size)))
	}
	im := must(resource.NewImage(desc))
	data := make([]byte, im.Layout.Size)
	for i := 0; i+4 <= len(data); i += 4 {
		binary.LittleEndian.PutUint32(data[i:], r.Uint32())
	}
	if err := im.Bind(data); err != nil {
		panic(err)
	}
	a := &ref.Args{Op: &c.op, Quads: true}
	words := func(f func(x, y float32) float32) []uint32 {
		w := make([]uint32, n)
		for i := range w {
			w[i] = math.Float32bits(f(float32(i/4%4*2+i%2), float32(i/16*2+i/2%2)))
			if c.op.Kind == ir.ImageFetch || c.op.Kind == ir.ImageWrite {
				w[i] = uint32(math.Float32frombits(w[i]) * float32(c.size))
			}
		}
		return w
	}
	s := c.step / float32(c.size)
	a.Coord[0] = words(func(x, y float32) float32 { return 0.31 + s*x + 0.13*s*y })
	a.Coord[1] = words(func(x, y float32) float32 { return 0.64 + s*y - 0.09*s*x })
	if c.op.Coords == 3 {
		a.Coord[2] = words(func(x, y float32) float32 { return 0.8 + 0.2*s*y - 0.3*s*x })
	}
	if c.s.AnisotropyEnable { // a plane that recedes
		a.Coord[1] = words(func(x, y float32) float32 { return 0.64 + 4*s*y })
	}
	if c.op.Lod == ir.LodGrad {
		for i := range 2 {
			a.DX[i], a.DY[i] = words(func(x, y float32) float32 { return s }), words(func(x, y float32) float32 { return -s })
		}
	}
	if c.op.Dref {
		a.Dref = words(func(x, y float32) float32 { return x / 8 })
	}
	if c.op.Kind == ir.ImageWrite {
		for i := range a.Texel {
			a.Texel[i] = words(func(x, y float32) float32 { return (x + y) / 16 })
		}
	}
	for i := range a.Out {
		a.Out[i] = make([]uint32, n)
	}
	return a, must(resource.NewView(im, resource.ViewDesc{Type: &t})), must(resource.NewSampler(c.s)), n
}

// Every class of the benchmarks has a routine and allocates nothing.
func TestRun_NoAllocation(t *testing.T) {
	for _, c := range benchCases() {
		a, v, s, n := c.setup()
		if _, ok := keyOf(&c.op, v, s); !ok {
			t.Errorf("%s has no routine", c.name)
		}
		for _, u := range unitsOf(n) {
			u.Run(0, a, v, s, n)
			if m := testing.AllocsPerRun(20, func() { u.Run(0, a, v, s, n) }); m != 0 {
				t.Errorf("%s: %v allocations", c.name, m)
			}
		}
	}
}
