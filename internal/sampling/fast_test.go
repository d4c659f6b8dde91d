package sampling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

var fastFormats = []vk.Format{
	vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatB8G8R8A8Srgb, vk.FormatR8Unorm, vk.FormatR8G8Unorm,
	vk.FormatA8B8G8R8UnormPack32, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat, vk.FormatR32Sfloat, vk.FormatR8G8Srgb,
	vk.FormatR5G6B5UnormPack16, vk.FormatA2B10G10R10UnormPack32, vk.FormatB10G11R11UfloatPack32, vk.FormatE5B9G9R9UfloatPack32,
	vk.FormatR8Snorm, vk.FormatR16G16B16A16Unorm, vk.FormatA8Unorm, vk.FormatD32Sfloat, vk.FormatR8G8B8Unorm,
}

// randomImage fills an image with random bytes; floats get some specials.
func randomImage(t testing.TB, r *rand.Rand, d resource.ImageDesc) *resource.Image {
	im := newImage(t, d)
	for i := range im.Data {
		im.Data[i] = byte(r.Uint32())
	}
	return im
}

var specialCoords = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 0.25, 0.999999940, 1e10, -1e10, 3.4e38, -3.4e38, 1e-45, -1e-45, 2147483648, 1 << 26, nan, inf, -inf}

func randomCoord(r *rand.Rand) float32 {
	switch r.IntN(8) {
	case 0:
		return specialCoords[r.IntN(len(specialCoords))]
	case 1:
		return float32(r.IntN(65)-32) / 16
	case 2:
		return float32(r.NormFloat64() * 100)
	default:
		return r.Float32()*3 - 1
	}
}

// randomArgs makes n lanes of random operands for op.
func randomArgs(r *rand.Rand, op *ir.ImageOp, n int) *Args {
	a := &Args{Op: op, Quads: r.IntN(4) > 0}
	lanes := func(f func() float32) []uint32 {
		x := make([]uint32, n)
		for i := range x {
			x[i] = math.Float32bits(f())
		}
		return x
	}
	coord := func() float32 { return randomCoord(r) }
	small := func() float32 {
		if r.IntN(20) == 0 {
			return randomCoord(r)
		}
		return float32(r.NormFloat64()) * 0.1
	}
	for c := range op.Coords {
		a.Coord[c] = lanes(coord)
	}
	if r.IntN(2) == 0 { // smooth quads
		for c := range op.Coords {
			for i := range n {
				if i%4 != 0 {
					a.Coord[c][i] = math.Float32bits(math.Float32frombits(a.Coord[c][i&^3]) + 0.02*float32(i%4))
				}
			}
		}
	}
	if op.Lod == ir.LodExplicit || op.Lod == ir.LodBias {
		a.Lod = lanes(func() float32 {
			if r.IntN(10) == 0 {
				return randomCoord(r)
			}
			return r.Float32()*6 - 1
		})
	}
	for c := range op.GradCoords {
		a.DX[c], a.DY[c] = lanes(small), lanes(small)
	}
	if r.IntN(4) == 0 {
		a.MinLod = lanes(small)
	}
	if r.IntN(3) == 0 {
		a.Mask = make([]uint32, n)
		for i := range a.Mask {
			a.Mask[i] = -(r.Uint32() & 1)
		}
	}
	for c := range a.Out {
		a.Out[c] = make([]uint32, n)
	}
	return a
}

func randomSampler(r *rand.Rand) resource.Sampler {
	mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(r.IntN(5)) }
	return resource.Sampler{
		MagFilter: vk.Filter(r.IntN(2)), MinFilter: vk.Filter(r.IntN(2)), MipmapMode: vk.SamplerMipmapMode(r.IntN(2)),
		AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode(),
		MipLodBias: float32(r.IntN(5)-2) / 2, MaxLod: float32(r.IntN(12)), BorderColor: vk.BorderColor(r.IntN(6)),
	}
}

// The fast loops give the reference's bits for random keys and coordinates.
func TestFast_EqualsReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fastRuns := 0
	for range 3000 {
		f := fastFormats[r.IntN(len(fastFormats))]
		cube := r.IntN(3) == 0 && f != vk.FormatD32Sfloat
		w, h := uint32(1+r.IntN(20)), uint32(1+r.IntN(20))
		d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(w, h, 1), MipLevels: 1 + r.IntN(1+int(math.Log2(float64(max(w, h))))), ArrayLayers: 3}
		op := &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, Lod: ir.LodMode(r.IntN(5)), Arrayed: r.IntN(2) == 0}
		vt := vk.ImageViewType2DArray
		if cube {
			d.Extent.Height, d.ArrayLayers, d.Flags, op.Dim, op.Coords, vt = w, 12, vk.ImageCreateCubeCompatibleBit, ir.DimCube, 3, vk.ImageViewTypeCubeArray
			d.MipLevels = 1 + r.IntN(1+int(math.Log2(float64(w))))
		}
		if op.Lod == ir.LodGrad {
			op.GradCoords = op.Coords
		}
		if op.Arrayed {
			op.Coords++
		}
		im := randomImage(t, r, d)
		vd := resource.ViewDesc{Type: &vt}
		if r.IntN(3) == 0 {
			vd.Components = vk.ComponentMapping{R: vk.ComponentSwizzle(r.IntN(7)), G: vk.ComponentSwizzle(r.IntN(7)), B: vk.ComponentSwizzle(r.IntN(7)), A: vk.ComponentSwizzle(r.IntN(7))}
		}
		v := newView(t, im, vd)
		smp := randomSampler(r)
		if d.MipLevels == 1 && !cube && r.IntN(3) == 0 {
			smp.UnnormalizedCoordinates, smp.MipmapMode, smp.MaxLod, smp.MinFilter = true, 0, 0, smp.MagFilter
			smp.AddressModeU, smp.AddressModeV = edge+vk.SamplerAddressMode(r.IntN(2)), edge+vk.SamplerAddressMode(r.IntN(2))
		}
		s := newSampler(t, smp)
		const n = 32
		a := randomArgs(r, op, n)
		Run(a, v, s, n)
		b := *a
		for c := range b.Out {
			b.Out[c] = make([]uint32, n)
		}
		u := makeUnit(&b, v, s)
		if kind := u.fastKindOf(); kind != fastNone {
			fastRuns++
		}
		u.runSample(n)
		for c := range a.Out {
			for lane := range n {
				if a.Out[c][lane] != b.Out[c][lane] {
					t.Fatalf("%v %v lod mode %d, %dx%d, lane %d component %d: fast %#x, reference %#x\nsampler %+v coordinates %v",
						f, vt, op.Lod, d.Extent.Width, d.Extent.Height, lane, c, a.Out[c][lane], b.Out[c][lane], *s, laneCoord(a, lane))
				}
			}
		}
	}
	if fastRuns < 1000 {
		t.Errorf("only %d of 3000 keys took a fast loop", fastRuns)
	}
}

func laneCoord(a *Args, lane int) (c []float32) {
	for _, x := range a.Coord {
		if x != nil {
			c = append(c, math.Float32frombits(x[lane]))
		}
	}
	return c
}

func TestRun_NoAllocation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	im := randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Srgb, Extent: extent(64, 64, 1), MipLevels: 7})
	v := newView(t, im, resource.ViewDesc{})
	for name, smp := range map[string]resource.Sampler{
		"fast":  {MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9},
		"aniso": {MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9, AnisotropyEnable: true, MaxAnisotropy: 8},
	} {
		s := newSampler(t, smp)
		a := randomArgs(r, &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2}, 64)
		if n := testing.AllocsPerRun(20, func() { Run(a, v, s, 64) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkSample(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat} {
		im := randomImage(b, r, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(512, 512, 1), MipLevels: 10})
		v := newView(b, im, resource.ViewDesc{})
		one := newView(b, im, resource.ViewDesc{Range: vk.ImageSubresourceRange{LevelCount: 1}})
		for _, c := range []struct {
			name   string
			v      *resource.ImageView
			filter vk.Filter
			mip    vk.SamplerMipmapMode
		}{{"nearest", one, nearest, 0}, {"bilinear", one, linear, 0}, {"trilinear", v, linear, 1}} {
			b.Run(fmt.Sprintf("2D/%v/%s/repeat", f, c.name), func(b *testing.B) {
				s := newSampler(b, resource.Sampler{MagFilter: c.filter, MinFilter: c.filter, MipmapMode: c.mip, MaxLod: 20})
				const n = 64
				a := randomArgs(r, &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2}, n)
				a.Quads, a.Mask, a.MinLod = true, nil, nil
				for i := range n { // a patch minified by about 3
					x, y := i/4%4*2+i%2, i/16*2+i/2%2
					a.Coord[0][i] = math.Float32bits(0.3 + float32(x)*0.0061 + float32(y)*0.0009)
					a.Coord[1][i] = math.Float32bits(0.9 + float32(y)*0.0053 - float32(x)*0.0004)
				}
				b.ReportAllocs()
				for b.Loop() {
					Run(a, c.v, s, n)
				}
				b.ReportMetric(float64(b.N)*n/1e6/b.Elapsed().Seconds(), "Msamples/s")
			})
		}
	}
}

func BenchmarkFetch(b *testing.B) {
	im := randomImage(b, rand.New(rand.NewPCG(5, 6)), resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(64, 64, 1)})
	v := newView(b, im, resource.ViewDesc{})
	const n = 64
	a := &Args{Op: &ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}}
	for c := range a.Out {
		a.Out[c] = make([]uint32, n)
	}
	a.Coord[0], a.Coord[1] = make([]uint32, n), make([]uint32, n)
	for i := range n {
		a.Coord[0][i], a.Coord[1][i] = uint32(i%8), uint32(i/8)
	}
	b.ReportAllocs()
	for b.Loop() {
		Run(a, v, nil, n)
	}
	b.ReportMetric(float64(b.N)*n/1e6/b.Elapsed().Seconds(), "Mtexels/s")
}
