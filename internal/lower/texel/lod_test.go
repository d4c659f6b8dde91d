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

// levelImage is an image whose texels of a level are all one float, of its own.
func levelImage(size uint32, levels int) *resource.Image {
	im := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(size, size, 1), MipLevels: levels}))
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		panic(err)
	}
	v := must(resource.NewView(im, resource.ViewDesc{}))
	for level := range levels {
		l := v.Level(level, 0)
		for y := range l.Height {
			for x := range l.Width {
				binary.LittleEndian.PutUint32(l.Data[l.Offset(x, y, 0, 0):], math.Float32bits(float32(1+level)))
			}
		}
	}
	return im
}

// Levels of detail at and beyond every limit: of the biases' sum, of sampler and view, with
// operands that are no numbers, from implicit derivatives, biases, levels and gradients.
func TestRun_LodLimits(t *testing.T) {
	rules.Covers(t, "IMG-008", "IMG-400", "IMG-402", "IMG-403", "IMG-404", "IMG-428", "IMG-430", "IMG-445", "IMG-446", "IMG-447", "IMG-448", "IMG-449", "IMG-450",
		"IMG-451", "IMG-452", "IMG-453", "IMG-460", "IMG-461", "IMG-462", "IMG-463", "IMG-464", "IMG-465", "IMG-466")
	im := levelImage(64, 7)
	r := rand.New(rand.NewPCG(16, 61))
	const n = 64
	units := unitsOf(n)
	nan := float32(math.NaN())
	values := []float32{0, float32(math.Copysign(0, -1)), 1.0 / 1024, 1.0 / 512, 1.0 / 256, 0.5, 0.501, 1, 1.5, 3, 5.999, 6, 7, 15, 15.5, 16, 16.5, 17, 40, nan, float32(math.Inf(1))}
	pick := func() float32 {
		x := values[r.IntN(len(values))]
		if r.IntN(3) == 0 {
			x = -x
		}
		return x
	}
	groups := map[uint32]bool{}
	for trial := range 3000 {
		base := uint32(r.IntN(4))
		count := 1 + uint32(r.IntN(int(7-base)))
		desc := resource.ViewDesc{MinLod: []float32{0, 0, float32(base), float32(base) + 0.3}[r.IntN(4)], Range: vk.ImageSubresourceRange{BaseMipLevel: base, LevelCount: count}}
		desc.MinLod = min(desc.MinLod, float32(base+count-1))
		v := must(resource.NewView(im, desc))
		s := resource.Sampler{MagFilter: vk.Filter(r.IntN(2)), MinFilter: vk.Filter(r.IntN(2)), MipmapMode: vk.SamplerMipmapMode(r.IntN(2)), MaxLod: 30}
		if r.IntN(2) == 0 {
			s.MipLodBias = []float32{-16, -15.5, -3, 0.25, 15.5, 16}[r.IntN(6)]
		}
		if r.IntN(2) == 0 {
			s.MinLod = []float32{-3, -0.5, 0.5, 1, 2.25}[r.IntN(5)]
			s.MaxLod = s.MinLod + []float32{0, 0.25, 2}[r.IntN(3)]
		}
		if r.IntN(4) == 0 {
			s.Reduction = vk.SamplerReductionModeMin + vk.SamplerReductionMode(r.IntN(2))
		}
		op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Lod: ir.LodMode(trial % 5), HasMinLod: r.IntN(3) == 0}
		a := &ref.Args{Op: &op, Quads: true}
		a.Out[0] = make([]uint32, n)
		word := func(f func(lane int) float32) []uint32 {
			w := make([]uint32, n)
			for i := range w {
				w[i] = math.Float32bits(f(i))
			}
			return w
		}
		// Derivatives of 2^-20 to 2^20 texels, the same in a quad.
		var step [n / 4]float32
		for i := range step {
			step[i] = float32(math.Ldexp(1+float64(r.IntN(2))*r.Float64(), r.IntN(41)-26))
			if r.IntN(8) == 0 {
				step[i] = []float32{0, nan}[r.IntN(2)]
			}
		}
		for d := range 2 {
			a.Coord[d] = word(func(i int) float32 { return step[i/4] * float32(i>>d&1) })
			a.DX[d], a.DY[d] = word(func(i int) float32 { return step[i/4] }), word(func(i int) float32 { return -step[i/4] })
		}
		if op.Lod == ir.LodBias || op.Lod == ir.LodExplicit {
			a.Lod = word(func(int) float32 { return pick() })
		}
		if op.HasMinLod {
			a.MinLod = word(func(int) float32 { return pick() })
		}
		sampler := must(resource.NewSampler(s))
		for i := range units {
			if err := compare(units[i], &testCase{op, v, sampler}, a, n); err != nil {
				t.Fatal(err)
			}
			groups[a.Out[0][0]] = true
		}
	}
	if len(groups) < 5 {
		t.Errorf("only %d levels and mixtures of two", len(groups))
	}
}
