package conformance

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Every address mode of every dimension, for sizes of every kind, at and beside edges, and at coordinates that are no numbers or
// far away.

// texelPlace is a coordinate in texels: IMG-004 to IMG-007.
func texelPlace(mode vk.SamplerAddressMode, s float32, n int) *big.Rat {
	switch {
	case s != s:
		return new(big.Rat)
	case math.IsInf(float64(s), 0):
		if mode == vk.SamplerAddressModeRepeat || mode == vk.SamplerAddressModeMirroredRepeat {
			return new(big.Rat)
		}
		far := twoTo(40)
		if s < 0 {
			far.Neg(far)
		}
		return far
	}
	return new(big.Rat).Mul(exactly(s), ratio(int64(n), 1))
}

// wrappedFar is wrapped for integers of any size.
func wrappedFar(mode vk.SamplerAddressMode, i *big.Int, n int) (int, bool) {
	if far := int64(1) << 40; !i.IsInt64() || i.Int64() > far || i.Int64() < -far {
		switch {
		case mode == vk.SamplerAddressModeRepeat || mode == vk.SamplerAddressModeMirroredRepeat:
			i = new(big.Int).Mod(i, big.NewInt(2*int64(n)))
		case i.Sign() > 0:
			i = big.NewInt(far)
		default:
			i = big.NewInt(-far)
		}
	}
	return wrapped(mode, int(i.Int64()), n)
}

// tapsOf are the texels of a dimension and their weights in 1/256: IMG-480, IMG-481, IMG-011.
func tapsOf(filter vk.Filter, mode vk.SamplerAddressMode, s float32, n int) (at [2]int, in [2]bool, weight [2]int64) {
	u := texelPlace(mode, s, n)
	if filter == vk.FilterNearest {
		at[0], in[0] = wrappedFar(mode, floorOf(u), n)
		return at, in, [2]int64{256, 0}
	}
	// RNE(256·u − 128), of any size.
	x := u.Mul(u, ratio(256, 1))
	x.Sub(x, ratio(128, 1))
	whole := floorOf(x)
	rest := x.Sub(x, new(big.Rat).SetInt(whole))
	if c := rest.Cmp(ratio(1, 2)); c > 0 || c == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(1))
	}
	i0, f := new(big.Int).DivMod(whole, big.NewInt(256), new(big.Int))
	weight = [2]int64{256 - f.Int64(), f.Int64()}
	at[0], in[0] = wrappedFar(mode, i0, n)
	at[1], in[1] = wrappedFar(mode, i0.Add(i0, big.NewInt(1)), n)
	return at, in, weight
}

// placesIn are coordinates of a dimension of n texels: on, just beside and between texels' edges, centres and halves of 1/256 over
// three periods, zeros of both signs, infinities, NaN, denormals and numbers far away.
func placesIn(r *rand.Rand, n int) (list []float32) {
	inf := float32(math.Inf(1))
	list = []float32{0, minus0, smallest, -smallest, nan32, inf, -inf, 1e10, -1e10, math.MaxFloat32, -math.MaxFloat32, 1 << 24, -1 << 24, 0x1p22 + .5, -0x1p22 - .5, 2147483648, -2147483904, 1 - 0x1p-24, 1 + 0x1p-23, -1 - 0x1p-23}
	for i := -n - 2; i <= 2*n+2; i++ {
		for _, part := range []float64{0, .5, .25, 1. / 256, 1. / 512, 255. / 256, .5 + 1./512, .5 - 1./512, .5 - 3./512} {
			x := float32((float64(i) + part) / float64(n))
			list = append(list, x, math.Nextafter32(x, inf), math.Nextafter32(x, -inf))
		}
	}
	for range 16 {
		list = append(list, (r.Float32()-.5)*8, (r.Float32()-.5)*1e4)
	}
	return list
}

func TestTables_IMG500_EveryModeOfEveryDimension(t *testing.T) {
	rules.Covers(t, "IMG-004", "IMG-005", "IMG-006", "IMG-007", "IMG-009", "IMG-011", "IMG-028", "IMG-290", "IMG-307", "IMG-475", "IMG-480", "IMG-481", "IMG-486")
	rules.Covers(t, "IMG-500", "IMG-501", "IMG-502", "IMG-504", "IMG-505", "IMG-506", "IMG-516", "IMG-519", "IMG-531", "IMG-532", "IMG-533", "IMG-557")
	sizes := [][3]int{{1, 1, 1}, {2, 3, 5}, {3, 4, 2}, {5, 7, 3}, {8, 2, 4}, {7, 5, 1}, {4, 8, 7}}
	name := func(x, y, z int) float32 { return float32(3 + 10*x + 100*y + 1000*z) }
	for _, dev := range imageDevices(t) {
		r := rand.New(rand.NewPCG(27, 500))
		for dims, shader := range map[int]string{1: "image1d", 2: "image2d", 3: "image3d"} {
			for k, size := range sizes {
				desc := pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: size[0]}
				if dims > 1 {
					desc.Height = size[1]
				}
				if dims > 2 {
					desc.Depth = size[2]
				}
				im := ruleImage(t, dev, desc, func(_, _, x, y, z int) []byte { return word(name(x, y, z)) })
				for m := range addressModes {
					modes := [3]vk.SamplerAddressMode{addressModes[m], addressModes[(m+k+1)%5], addressModes[(m+2*k+3)%5]}
					var places [3][]float32
					for d := range dims {
						places[d] = placesIn(r, size[d])
						if d > 0 {
							r.Shuffle(len(places[d]), func(i, j int) { places[d][i], places[d][j] = places[d][j], places[d][i] })
						}
					}
					for _, filter := range []vk.Filter{vk.FilterNearest, vk.FilterLinear} {
						var lanes, gathers []imageLane
						for i := range max(len(places[0]), len(places[1]), len(places[2])) {
							l := imageLane{one: true}
							var at [3][2]int
							var in [3][2]bool
							var weight [3][2]int64
							for d := range 3 {
								in[d], weight[d] = [2]bool{true, true}, [2]int64{256, 0}
								if d < dims {
									l.at[d] = places[d][i%len(places[d])]
									at[d], in[d], weight[d] = tapsOf(filter, modes[d], l.at[d], size[d])
								}
							}
							texel := func(i, j, k int) float32 {
								if !in[0][i] || !in[1][j] || !in[2][k] {
									return 1 // the border
								}
								return name(at[0][i], at[1][j], at[2][k])
							}
							sum := new(big.Rat)
							for tap := range 8 {
								i, j, k := tap&1, tap>>1&1, tap>>2
								if w := weight[0][i] * weight[1][j] * weight[2][k]; w != 0 {
									sum.Add(sum, new(big.Rat).Mul(ratio(w, 1<<24), exactly(texel(i, j, k))))
								}
							}
							l.want[0] = nearest32(sum)
							lanes = append(lanes, l)
							if dims == 2 && filter == vk.FilterLinear {
								l.want, l.one = [4]float32{texel(0, 1, 0), texel(1, 1, 0), texel(1, 0, 0), texel(0, 0, 0)}, false
								gathers = append(gathers, l)
							}
						}
						s := pumice.SamplerDesc{MagFilter: filter, MinFilter: filter, AddressModeU: modes[0], AddressModeV: modes[1], AddressModeW: modes[2], BorderColor: vk.BorderColorFloatOpaqueWhite}
						rule := imageRule{dev: dev, shader: shader, view: im, sampler: ruleSampler(t, dev, s)}
						what := fmt.Sprintf("%s, %v, %v, %v", shader, size[:dims], modes[:dims], filter)
						rule.check(t, what, lanes)
						if gathers != nil {
							rule.how = gathered
							rule.check(t, what+", gathers", gathers)
						}
					}
				}
				im.Close()
			}
		}
	}
}
