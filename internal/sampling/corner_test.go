package sampling

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// cornerImage is a corner-sampled R32 image whose texel (x, y) is 10·(x+1) in every row.
func cornerImage(t testing.TB, w, h uint32, levels int) *resource.Image {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(w, h, 1), MipLevels: levels, Flags: vk.ImageCreateCornerSampledBitNV})
	for l := range levels {
		lv := im.Level(0, l, 0)
		for i := range lv.Width * lv.Height {
			setFloat(im, l, 0, i%lv.Width, i/lv.Width, float32(10*(i%lv.Width+1)))
		}
	}
	return im
}

func TestCornerSampled_Case46(t *testing.T) {
	rules.Covers(t, "TC-46", "IMG-028", "IMG-476", "IMG-480", "IMG-481", "IMG-482")
	v := newView(t, cornerImage(t, 4, 2, 1), resource.ViewDesc{})
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: edge})
	for x, want := range map[float32]float32{0: 10, 0.5: 25, 1: 40, 1.2: 40, -3: 10} {
		if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{x, 0}}).red(v, s); got != want {
			t.Errorf("LINEAR s = %v: %v, want %v", x, got, want)
		}
	}
	near := newSampler(t, resource.Sampler{AddressModeU: edge, AddressModeV: edge})
	for x, want := range map[float32]float32{0: 10, 0.5: 30, 0.49: 20, 1: 40} {
		if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{x, 0}}).red(v, near); got != want {
			t.Errorf("NEAREST s = %v: %v, want %v", x, got, want)
		}
	}
	third := newSampler(t, resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: edge, AddressModeV: edge})
	for x, want := range map[float32]float32{0: 10, 0.5: 25, 1: 40} {
		if got := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{x, 0}}).red(v, third); math.Abs(float64(got-want)) > 1e-5 {
			t.Errorf("CUBIC s = %v: %v, want %v", x, got, want)
		}
	}
	// A gather takes texels floor(u) and the next.
	g := lane1{op: ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Lod: ir.LodZero}, coord: []float32{0.5, 0}}
	if got := floats(g.run(v, s)); got != [4]float32{20, 30, 30, 20} {
		t.Errorf("gather: %v", got)
	}
}

// IMG-426: gradients count in texels between the first and the last centre.
func TestCornerSampled_LOD(t *testing.T) {
	rules.Covers(t, "IMG-426")
	im := cornerImage(t, 9, 9, 4)
	v := newView(t, im, resource.ViewDesc{})
	op := sampleOp(ir.Dim2D)
	op.Lod = ir.LodGrad
	x := lane1{op: op, coord: []float32{0, 0}, dx: []float32{0.25, 0}, dy: []float32{0, 0.125}}
	u := makeSampled(x.args(), v, newSampler(t, resource.Sampler{}))
	_, g := u.locate(0, 1)
	if lambda, _ := u.lambdaPrime(0, 1, &g); lambda != 1 { // 0.25·8 = 2 texels
		t.Errorf("λ' = %v, want 1", lambda)
	}
	// A dimension of one texel, as views of blocks have, has the size 1, to the last bit: ρ = 1, and λ is as little above 0 as the bias.
	blocks := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatBc1RgbUnormBlock, Extent: extent(8, 4, 1),
		Flags: vk.ImageCreateCornerSampledBitNV | vk.ImageCreateMutableFormatBit | vk.ImageCreateBlockTexelViewCompatibleBit})
	setFloat(blocks, 0, 0, 4, 0, 1)
	texels := newView(t, blocks, resource.ViewDesc{Format: vk.FormatR32G32Sfloat})
	flat := lane1{op: op, coord: []float32{.75, 0}, dx: []float32{0, 1}, dy: []float32{0, 0}}
	for bias, want := range map[float32]float32{0: .75, 1e-17: 1} { // magnified, LINEAR; minified, NEAREST
		if got := flat.red(texels, newSampler(t, resource.Sampler{MagFilter: linear, MipLodBias: bias, MaxLod: 9, AddressModeU: edge, AddressModeV: edge})); got != want {
			t.Errorf("2×1, bias %v: %v, want %v", bias, got, want)
		}
	}
	// Two texels are one apart: 0.25 of them is 2^-2, and ∂t counts four.
	narrow := newView(t, cornerImage(t, 2, 5, 1), resource.ViewDesc{})
	for _, c := range []struct {
		dx   []float32
		want float64
	}{{[]float32{0.25, 0}, -2}, {[]float32{0, 0.5}, 1}} {
		x.dx, x.dy = c.dx, []float32{0, 0}
		u := makeSampled(x.args(), narrow, newSampler(t, resource.Sampler{}))
		_, g := u.locate(0, 1)
		if lambda, _ := u.lambdaPrime(0, 1, &g); lambda != c.want {
			t.Errorf("2×5, ∂x %v: λ' = %v, want %v", c.dx, lambda, c.want)
		}
	}
}
