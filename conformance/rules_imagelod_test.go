package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Levels of detail by hand, in shaders. Every texel of an image is the number of its level, so that a
// sample between two levels is λ, clamped to the levels there are and rounded to 1/256.

func levelsOf(t *testing.T, dev *imageDevice) *pumice.Image {
	return ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 64, Height: 64, MipLevels: 7}, func(level, _, _, _, _ int) []byte { return word(float32(level)) })
}

// shownLod is what a sample shows of λ.
func shownLod(t *testing.T, lambda float64) [4]float32 {
	t.Helper()
	x := min(max(lambda, 0), 6) * 256
	if x != math.Trunc(x) && math.Abs(x-math.Floor(x)-.5) < .01 {
		t.Fatalf("%v is in the middle", lambda)
	}
	return [4]float32{float32(math.RoundToEven(x) / 256)}
}

// texelQuads are quads whose lanes lie texels of 64 apart, with the differences as operands, too: dx and dy of the first row and
// column, and by how much the last lane lies farther away.
func texelQuads(list [][3][2]float64, want func(dx, dy [2]float64) [4]float32) (lanes []imageLane) {
	for _, q := range list {
		for i := range 4 {
			row, column := float64(i>>1), float64(i&1)
			l := imageLane{one: true}
			var dx, dy [2]float64
			for d := range 2 {
				l.at[d] = float32((16 + column*q[0][d] + row*q[1][d] + row*column*q[2][d]) / 64)
				dx[d], dy[d] = q[0][d]+row*q[2][d], q[1][d]+column*q[2][d]
				l.dx[d], l.dy[d] = float32(dx[d]/64), float32(dy[d]/64)
			}
			l.want = want(dx, dy)
			lanes = append(lanes, l)
		}
	}
	return lanes
}

var texelSteps = [][3][2]float64{
	{{4, 0}, {0, 1}}, {{3, 4}}, {{}, {1, 2}}, {{2, 2}, {2, 1}}, {{0, 3}, {5, 0}}, {{.25, 0}, {0, .25}}, {{-6, 8}, {-1, -1}}, {{}, {0, -40}}, {},
	{{2, 0}, {0, 2}, {9, 0}}, {{1, -1}, {3, 1}, {0, 6}},
}

// The level of detail is that of the longer derivative, with the biases, in the sampler's range; the quad's differences and the
// same as operands give the same.
func TestImage_IMG448_LevelsOfDetail(t *testing.T) {
	rules.Covers(t, "IMG-398", "IMG-404", "IMG-428", "IMG-429", "IMG-430", "IMG-445", "IMG-446", "IMG-447", "IMG-448", "IMG-465")
	for _, dev := range imageDevices(t) {
		im := levelsOf(t, dev)
		for _, s := range []pumice.SamplerDesc{
			{}, {MipLodBias: .5, MinLod: 1, MaxLod: 3}, {MipLodBias: -2}, {MinLod: -3, MaxLod: 2.25}, {MinLod: .75}, {MipLodBias: 10, MaxLod: 5},
		} {
			highest := float64(s.MaxLod)
			if highest == 0 {
				highest = 1000
			}
			lod := func(base, bias float64) [4]float32 {
				bias = min(max(float64(s.MipLodBias)+bias, -16), 16)
				return shownLod(t, min(max(base+bias, float64(s.MinLod), 0), highest))
			}
			s.MipmapMode = vk.SamplerMipmapModeLinear
			r := imageRule{dev: dev, shader: "image2d", view: im, sampler: ruleSampler(t, dev, s)}
			what := fmt.Sprintf("%+v", s)
			var lanes []imageLane
			for _, x := range []float64{-20, -1, 0, .25, 1, 1 + 3./256, 1.5, 2.75, 3, 5.5, 6, 9} {
				lanes = append(lanes, imageLane{at: [4]float32{.5, .5}, lod: float32(x), want: lod(x, 0), one: true})
			}
			r.check(t, what+", operand", lanes)
			for _, bias := range []float64{0, .75, -1.5, 12, -16} {
				lanes = texelQuads(texelSteps, func(dx, dy [2]float64) [4]float32 {
					x, y := math.Hypot(dx[0], dx[1]), math.Hypot(dy[0], dy[1])
					// The length lies in the window of all that is allowed.
					if least, most := max(math.Abs(dx[0]), math.Abs(dx[1])), math.Sqrt2*(math.Abs(dx[0])+math.Abs(dx[1])); x < least || x > most {
						t.Fatal("the test's own length")
					}
					return lod(math.Log2(max(x, y)), bias)
				})
				for i := range lanes {
					lanes[i].lod = float32(bias)
				}
				r.how = atBias
				r.check(t, fmt.Sprintf("%s, bias %v", what, bias), lanes)
				if bias == 0 {
					for i := range lanes {
						lanes[i].lod = 0
					}
					r.how = implicit
					r.check(t, what+", quads", lanes)
					r.how = atGrad
					r.check(t, what+", derivatives", lanes)
				}
			}
			// −14 and two biases of 10, of which together 16 count.
			tiny := texelQuads([][3][2]float64{{{0x1p-14, 0}, {0, 0x1p-15}}}, func(_, _ [2]float64) [4]float32 { return lod(-14, 10) })
			for i := range tiny {
				tiny[i].lod = 10
			}
			r.how = atBias
			r.check(t, what+", large biases", tiny)
		}
	}
}

// λ ≤ 0 takes the filter of magnification, any more that of minification; a sampler's range counts before.
func TestImage_IMG451_MagnifiedOrNot(t *testing.T) {
	rules.Covers(t, "IMG-451", "IMG-447")
	for _, dev := range imageDevices(t) {
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 4, Height: 4, MipLevels: 3}, func(_, _, x, _, _ int) []byte { return word(float32(x)) })
		for _, s := range []pumice.SamplerDesc{
			{MagFilter: vk.FilterLinear}, {MinFilter: vk.FilterLinear}, {MagFilter: vk.FilterLinear, MinLod: .25}, {MinFilter: vk.FilterLinear, MinLod: .25},
			{MinFilter: vk.FilterLinear, MipLodBias: .125}, {MagFilter: vk.FilterLinear, MipLodBias: -.25},
		} {
			// In the middle of level 0, between texels 1 and 2, of which 2 is the nearest.
			want := func(lod float64) [4]float32 {
				lod = max(lod+float64(s.MipLodBias), float64(s.MinLod))
				if (lod <= 0) == (s.MagFilter == vk.FilterLinear) {
					return [4]float32{1.5}
				}
				return [4]float32{2}
			}
			var lods, grads []imageLane
			for _, x := range []float64{-1, -1. / 256, 0, 1. / 256, .125, .25, .375} {
				lods = append(lods, imageLane{at: [4]float32{.5, .5}, lod: float32(x), want: want(x), one: true})
			}
			for _, texels := range []float64{.5, .875, 1, 1.0625, 1.25} {
				grads = append(grads, imageLane{at: [4]float32{.5, .5}, dx: [3]float32{0, float32(texels / 4)}, want: want(math.Log2(texels)), one: true})
			}
			r := imageRule{dev: dev, shader: "image2d", view: im, sampler: ruleSampler(t, dev, s)}
			r.check(t, fmt.Sprintf("%+v", s), lods)
			r.how = atGrad
			r.check(t, fmt.Sprintf("%+v, derivatives", s), grads)
		}
	}
}

// An ellipse's axes give the number of probes and the level of each: the catalogue's vectors, four times as long.
func TestImage_IMG431_Anisotropy(t *testing.T) {
	rules.Covers(t, "IMG-431", "IMG-432", "IMG-433", "IMG-434", "IMG-561", "IMG-562")
	for _, dev := range imageDevices(t) {
		im := levelsOf(t, dev)
		for _, c := range []struct {
			step [3][2]float64
			most float32
			lod  float64
		}{
			{[3][2]float64{{16, 0}, {0, 4}}, 16, 2}, {[3][2]float64{{16, 0}, {0, 4}}, 2, 3}, {[3][2]float64{{12, 16}}, 16, 2 - 1.678072},
			{[3][2]float64{{8, 8}, {8, -8}}, 16, 3.5}, {[3][2]float64{{8, 8}, {8, 4}}, 16, 2 - .832506}, {[3][2]float64{{24, 8}, {-4, 4}}, 16, 2.331564}, {[3][2]float64{{0, 4}, {128, 0}}, 16, 3},
			{[3][2]float64{{8, 8}, {8, 4}}, 1, 3.5},
		} {
			s := pumice.SamplerDesc{MinFilter: vk.FilterLinear, MagFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, MaxAnisotropy: c.most}
			r := imageRule{dev: dev, shader: "image2d", view: im, sampler: ruleSampler(t, dev, s)}
			lanes := texelQuads([][3][2]float64{c.step}, func(_, _ [2]float64) [4]float32 { return shownLod(t, c.lod) })
			r.how = implicit
			r.check(t, fmt.Sprintf("%v, quad", c), lanes)
			r.how = atGrad
			r.check(t, fmt.Sprintf("%v, derivatives", c), lanes)
		}
		// Texels are squares of x: 2, 4 and 8 probes lie in the middle of as many parts, a texel each, of a line around x = 16 along x.
		row := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 32, Height: 32}, func(_, _, x, _, _ int) []byte { return word(float32(x * x)) })
		r := imageRule{dev: dev, shader: "image2d", how: atGrad, view: row}
		for _, most := range []int{2, 4, 8} {
			r.sampler = ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MaxAnisotropy: 8})
			sum := 0
			for x := 16 - most/2; x < 16+most/2; x++ {
				sum += x * x
			}
			want := [4]float32{float32(float64(sum) / float64(most))}
			long, short := [3]float32{float32(most) / 32}, [3]float32{0, 1. / 32}
			r.check(t, fmt.Sprintf("%d probes", most), []imageLane{
				{at: [4]float32{.5, .515625}, dx: long, dy: short, want: want, one: true}, {at: [4]float32{.5, .515625}, dx: short, dy: long, want: want, one: true},
				{at: [4]float32{.515625, .5}, dx: [3]float32{1. / 32}, dy: [3]float32{0, float32(most) / 32}, want: [4]float32{256}, one: true},
			})
		}
	}
}
