package conformance

import (
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// As many probes as a footprint is longer than wide, a texel each, along rows and columns, of every format: their mean, or the least and
// largest of them; near the edges by the address modes.
func TestTables_IMG562_ProbesOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-291", "IMG-431", "IMG-432", "IMG-433", "IMG-500", "IMG-550", "IMG-560", "IMG-561", "IMG-562", "IMG-565")
	for _, dev := range imageDevices(t) {
		for n, f := range tableFormats(t) {
			if f.kind != "f" {
				continue
			}
			data, _ := f.rows((*field).finiteCodes)
			const height = 32
			for len(data) < 64*height*f.bytes {
				data = append(data, data...)
			}
			data = data[:64*height*f.bytes]
			im := f.image(t, dev, data, height)
			modes := [2]vk.SamplerAddressMode{addressModes[n%5], addressModes[(n/5+2)%5]}
			for _, reduction := range []vk.SamplerReductionMode{vk.SamplerReductionModeWeightedAverage, vk.SamplerReductionModeMin, vk.SamplerReductionModeMax} {
				var lanes []imageLane
				var sums []levelSum
				for k := range 56 {
					probes := []int{2, 3, 4, 5, 7, 8, 16}[k%7]
					along := k / 7 % 2
					place := [2]int{(k*29 + n) % 66, (k*13 + n) % 34} // the first texel of the line; one before the image and more is some of them
					place[along] -= probes/2 + 1
					var l imageLane
					centre := [2]float32{float32(place[0]) + .5, float32(place[1]) + .5}
					centre[along] += float32(probes-1) / 2
					l.at = [4]float32{centre[0] / 64, centre[1] / height}
					long, short := &l.dx, &l.dy
					if k/14%2 == 1 {
						long, short = short, long
					}
					size := [2]float32{64, height}
					long[along], short[1-along] = float32(probes)/size[along], 1/size[1-along]
					var s levelSum
					for i := range probes {
						at := place
						at[along] += i
						f.addTexels(&s, data, [2]int{64, height}, modes, at, [2]int64{}, 256)
					}
					for c := range s.sum {
						s.sum[c].Quo(s.sum[c], ratio(int64(probes), 1))
						s.size[c] /= float64(probes)
					}
					lanes, sums = append(lanes, l), append(sums, s)
				}
				texture := pumice.Texture{View: im, Sampler: ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MaxAnisotropy: 16, AddressModeU: modes[0], AddressModeV: modes[1],
					BorderColor: vk.BorderColorFloatOpaqueWhite, Reduction: reduction})}
				got := dev.lanes(t, "image2d", atGrad, false, texture, lanes)
				for k := range lanes {
					if bad := sums[k].differs(reduction, got[k]); bad != "" {
						t.Errorf("%s, engine %s, %v, %v, lane %d (%+v): %s", f.name, dev.Engine(), modes, reduction, k, lanes[k], bad)
						break
					}
				}
			}
			im.Close()
		}
	}
}
