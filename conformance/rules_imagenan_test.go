package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Texels that are no numbers: where they have no weight they leave no trace, where they have they win, and alone
// they keep their bits.

// LINEAR filtering in the middle of a texel, or in line with it, takes none of those beside it.
func TestNaN_IMG533_TexelsWithoutWeight(t *testing.T) {
	rules.Covers(t, "IMG-530", "IMG-533", "IMG-550", "IMG-551")
	inf := float32(math.Inf(1))
	for _, dev := range imageDevices(t) {
		for _, format := range []vk.Format{vk.FormatR32Sfloat, vk.FormatR16Sfloat} {
			for _, bad := range []float32{nan32, inf, -inf} {
				for shader, desc := range map[string]pumice.ImageDesc{"image1d": {Width: 8}, "image2d": {Width: 8, Height: 8}, "image3d": {Width: 8, Height: 8, Depth: 8}, "imagecube": {Width: 8, Height: 8, Cube: true}} {
					// Texels 2 and 3 of each dimension are numbers, which differ along x.
					desc.Format = format
					im := ruleImage(t, dev, desc, func(_, layer, x, y, z int) []byte {
						f := bad
						if (x == 3 || x == 2) && (y == 3 || y == 2 || shader == "image1d") && (z == 3 || z == 2 || shader != "image3d") && (layer == 4 || shader != "imagecube") {
							f = float32(8 + 2*(x-2)) // 8 and 10
						}
						if format == vk.FormatR16Sfloat {
							half := map[float32]uint16{8: 0x4800, 10: 0x4900, inf: 0x7C00, -inf: 0xFC00}[f]
							if f != f {
								half = 0x7E00
							}
							return []byte{byte(half), byte(half >> 8)}
						}
						return word(f)
					})
					at := func(x, y, z float32) [4]float32 {
						if shader == "imagecube" {
							return [4]float32{x/4 - 1, 1 - y/4, 1} // t is −y
						}
						return [4]float32{x / 8, y / 8, z / 8}
					}
					one := func(f float32) [4]float32 { return [4]float32{f} }
					for name, s := range map[string]pumice.SamplerDesc{"mean": {}, "least": {Reduction: vk.SamplerReductionModeMin}, "largest": {Reduction: vk.SamplerReductionModeMax}} {
						s.MagFilter, s.MinFilter = vk.FilterLinear, vk.FilterLinear
						r := imageRule{dev: dev, shader: shader, view: im, sampler: ruleSampler(t, dev, s)}
						lanes := []imageLane{{at: at(3.5, 3.5, 3.5), want: one(10), one: true}, {at: at(2.5, 3.5, 3.5), want: one(8), one: true}, {at: at(2.75, 3.5, 3.5), want: one(8.5), one: true},
							{at: at(3.5+1./512, 3.5, 3.5), want: one(10), one: true}, {at: at(3.75, 3.5, 3.5), want: one(bad), one: true},
							// Weight in other dimensions only.
							{at: at(3.5, 3, 3.5), want: one(10), one: true}, {at: at(3.5, 3, 2.75), want: one(10), one: true}, {at: at(3.5, 3.5, 3), want: one(10), one: true}}
						switch name {
						case "least":
							lanes[2].want[0], lanes[4].want[0] = 8, 10
							if bad < 0 {
								lanes[4].want[0] = bad
							}
						case "largest":
							lanes[2].want[0], lanes[4].want[0] = 10, 10
							if bad > 0 {
								lanes[4].want[0] = bad
							}
						}
						r.check(t, fmt.Sprintf("%v, %s, %s beside %v", format, shader, name, bad), lanes)
					}
				}
			}
		}
	}
}

// A single texel keeps the bits of its NaN; what is computed has one form of it, and so has what shaders hand on.
func TestNaN_IMG530_BitsStay(t *testing.T) {
	rules.Covers(t, "IMG-247", "IMG-530")
	const canonical = 0x7FC00000
	for _, dev := range imageDevices(t) {
		for _, bits := range []uint32{0x7FC12345, 0xFFC12345, 0xFFFFFFFF} {
			im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 4, Height: 4}, func(_, _, x, _, _ int) []byte {
				if x == 1 {
					return word(math.Float32frombits(bits))
				}
				return word(1)
			})
			near, linear := ruleSampler(t, dev, pumice.SamplerDesc{}), ruleSampler(t, dev, pumice.LinearSampler(vk.SamplerAddressModeRepeat))
			for _, c := range []struct {
				how     imageHow
				sampler *pumice.Sampler
				x       float32
				want    uint32
			}{{atLod, near, 1.5, bits}, {fetched, near, 1.5, bits}, {gathered, near, 1.875, bits}, {atLod, linear, 1.75, canonical}} {
				r := imageRule{dev: dev, shader: "image2d", view: im, sampler: c.sampler, how: c.how}
				lanes := []imageLane{{at: [4]float32{c.x / 4, .375}, texel: [3]int32{1, 1}}}
				if got := r.reference(t, lanes)[0]; math.Float32bits(got[0]) != c.want && c.how != gathered || c.how == gathered && math.Float32bits(got[3]) != c.want {
					t.Errorf("%#x, instruction %d, alone: %#x, want %#x", bits, c.how, math.Float32bits(got[0]), c.want)
				}
				got := r.run(t, lanes)[0]
				shown := got[0]
				if c.how == gathered {
					shown = got[3]
				}
				if math.Float32bits(shown) != canonical {
					t.Errorf("%#x, instruction %d, in a shader: %#x", bits, c.how, math.Float32bits(shown))
				}
			}
		}
	}
}
