package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

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

func TestRun_NoAllocation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	im := randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Srgb, Extent: extent(64, 64, 1), MipLevels: 7})
	v := newView(t, im, resource.ViewDesc{})
	for name, smp := range map[string]resource.Sampler{
		"plain": {MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9},
		"aniso": {MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9, AnisotropyEnable: true, MaxAnisotropy: 8},
	} {
		s := newSampler(t, smp)
		a := randomArgs(r, &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2}, 64)
		if n := testing.AllocsPerRun(20, func() { Run(a, v, s, 64) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
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
