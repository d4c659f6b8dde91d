package conformance

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Texels over every edge of a cube, as far as CUBIC filters reach, on faces of every size that is smaller than that, and comparisons in
// every corner.

// cubeEdges is IMG-216: of a face and its edge L, R, T, B the neighbour, and its texel there, in terms of n, the place p along the edge, and the overhang k.
var cubeEdges = [6][4]struct {
	face int
	at   func(n, p, k int) (i, j int)
}{
	{{4, func(n, p, k int) (int, int) { return n - 1 - k, p }}, {5, func(_, p, k int) (int, int) { return k, p }}, {2, func(n, p, k int) (int, int) { return n - 1 - k, n - 1 - p }}, {3, func(n, p, k int) (int, int) { return n - 1 - k, p }}},
	{{5, func(n, p, k int) (int, int) { return n - 1 - k, p }}, {4, func(_, p, k int) (int, int) { return k, p }}, {2, func(_, p, k int) (int, int) { return k, p }}, {3, func(n, p, k int) (int, int) { return k, n - 1 - p }}},
	{{1, func(_, p, k int) (int, int) { return p, k }}, {0, func(n, p, k int) (int, int) { return n - 1 - p, k }}, {5, func(n, p, k int) (int, int) { return n - 1 - p, k }}, {4, func(_, p, k int) (int, int) { return p, k }}},
	{{1, func(n, p, k int) (int, int) { return n - 1 - p, n - 1 - k }}, {0, func(n, p, k int) (int, int) { return p, n - 1 - k }}, {4, func(n, p, k int) (int, int) { return p, n - 1 - k }}, {5, func(n, p, k int) (int, int) { return n - 1 - p, n - 1 - k }}},
	{{1, func(n, p, k int) (int, int) { return n - 1 - k, p }}, {0, func(_, p, k int) (int, int) { return k, p }}, {2, func(n, p, k int) (int, int) { return p, n - 1 - k }}, {3, func(_, p, k int) (int, int) { return p, k }}},
	{{0, func(n, p, k int) (int, int) { return n - 1 - k, p }}, {1, func(_, p, k int) (int, int) { return k, p }}, {2, func(n, p, k int) (int, int) { return n - 1 - p, k }}, {3, func(n, p, k int) (int, int) { return n - 1 - p, n - 1 - k }}},
}

// cubeTap are the texels behind a tap, of which it is the mean: one, or the three of a corner (IMG-220).
func cubeTap(face, i, j, n int) (texels [][3]int) {
	clamp := func(x int) int { return min(max(x, 0), n-1) }
	over := func(edge, p, k int) [3]int {
		e := cubeEdges[face][edge]
		a, b := e.at(n, p, min(k, n-1)) // IMG-217
		return [3]int{e.face, a, b}
	}
	across, down := -1, -1
	switch {
	case i < 0:
		across = 0
	case i >= n:
		across = 1
	}
	switch {
	case j < 0:
		down = 2
	case j >= n:
		down = 3
	}
	depth := func(x int) int { return max(-1-x, x-n) }
	switch {
	case across < 0 && down < 0:
		return [][3]int{{face, i, j}}
	case down < 0:
		return [][3]int{over(across, j, depth(i))}
	case across < 0:
		return [][3]int{over(down, i, depth(j))}
	}
	return [][3]int{{face, clamp(i), clamp(j)}, over(across, clamp(j), 0), over(down, clamp(i), 0)}
}

// catmullRom are the default weights of CUBIC filters for a fraction: IMG-540.
func catmullRom(a *big.Rat) (w [4]*big.Rat) {
	for n, row := range [4][4]int64{{0, -1, 2, -1}, {2, 0, -5, 3}, {0, 1, 4, -3}, {0, 0, -1, 1}} {
		w[n] = new(big.Rat)
		for p, c := range row {
			w[n].Add(w[n], new(big.Rat).Mul(ratio(c, 2), toPower(a, p)))
		}
	}
	return w
}

func TestTables_IMG217_FiltersOverEdgesOfCubes(t *testing.T) {
	rules.Covers(t, "IMG-215", "IMG-216", "IMG-217", "IMG-218", "IMG-220", "IMG-482", "IMG-503", "IMG-540", "IMG-542")
	for _, dev := range imageDevices(t) {
		for _, n := range []int{1, 2, 3, 4, 8} {
			name := func(texel [3]int) float32 { return float32(1 + texel[0]*n*n*3 + texel[2]*n*2 + texel[1]) }
			im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: n, Height: n, Cube: true}, func(_, face, x, y, _ int) []byte { return word(name([3]int{face, x, y})) })
			for _, filter := range []vk.Filter{vk.FilterNearest, vk.FilterLinear, vk.FilterCubicEXT} {
				var lanes []imageLane
				var sums []*big.Rat
				var sizes []float64
				// Places on a face from one edge to the other, and near its corners.
				steps := []int64{1, 7, 32, 64, 85, 128, 170, 200, 255}
				for face := range 6 {
					for _, sx := range steps {
						for _, sy := range steps {
							v := fromFace(face, [3]float64{float64(2*sx)/256 - 1, float64(2*sy)/256 - 1, 1})
							lanes = append(lanes, imageLane{at: direction(v), one: true})
							var i0 [2]int
							var w [2][]*big.Rat
							for d, s := range [2]int64{sx, sy} {
								u := ratio(s*int64(n), 256)
								if filter == vk.FilterNearest {
									i0[d], w[d] = int(floorOf(u).Int64()), []*big.Rat{ratio(1, 1)}
									continue
								}
								x := roundEven(u.Sub(u.Mul(u, ratio(256, 1)), ratio(128, 1)))
								f := ratio(x&255, 256)
								if i0[d], w[d] = int(x>>8), []*big.Rat{new(big.Rat).Sub(ratio(1, 1), f), f}; filter == vk.FilterCubicEXT {
									all := catmullRom(f)
									i0[d], w[d] = i0[d]-1, all[:]
								}
							}
							sum, size := new(big.Rat), 0.0
							for dj, wj := range w[1] {
								for di, wi := range w[0] {
									texels := cubeTap(face, i0[0]+di, i0[1]+dj, n)
									for _, texel := range texels {
										part := new(big.Rat).Mul(wi, wj)
										part.Mul(part, exactly(name(texel)))
										part.Quo(part, ratio(int64(len(texels)), 1))
										sum.Add(sum, part)
										a, _ := part.Float64()
										size += math.Abs(a)
									}
								}
							}
							sums, sizes = append(sums, sum), append(sizes, size)
						}
					}
				}
				r := imageRule{dev: dev, shader: "imagecube", view: im, sampler: ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: filter, MinFilter: filter, AddressModeU: vk.SamplerAddressModeClampToBorder})}
				for k, got := range r.run(t, lanes)[:len(lanes)] {
					want := nearest32(sums[k])
					off := new(big.Rat).Sub(exactly(got[0]), sums[k])
					d, _ := off.Abs(off).Float64()
					unit := float64(math.Nextafter32(want, float32(math.Inf(1)))) - float64(want)
					// Weights are divided once, corners by 3; sums of sixteen taps in binary64.
					if !(d <= unit/2+0x1p-44*sizes[k]) {
						t.Errorf("engine %s, %d² texels, %v, lane %d (%v): %v, want %v", dev.Engine(), n, filter, k, lanes[k].at, got[0], want)
						break
					}
				}
			}
			im.Close()
		}
	}
}

// In each corner of each face, of each of the four texels that pass or do not.
func TestTables_IMG222_ComparisonsInCornersOfCubes(t *testing.T) {
	rules.Covers(t, "IMG-216", "IMG-220", "IMG-222", "IMG-316", "IMG-518")
	const n = 4
	for _, dev := range imageDevices(t) {
		// Depths are all different.
		depth := func(texel [3]int) float32 { return float32(1+texel[0]*n*n+texel[2]*n+texel[1]) / 128 }
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatD32Sfloat, Width: n, Height: n, Cube: true}, func(_, face, x, y, _ int) []byte { return word(depth([3]int{face, x, y})) })
		var lanes, gathers []imageLane
		for face := range 6 {
			for corner := range 4 {
				// A sixteenth of a texel inside: weights 9/16 and 7/16.
				place := func(far int) float64 { return float64(2*far-1) * (1 - 1./8/n) }
				i0, j0 := (corner&1)*n-1, corner>>1*n-1
				at := direction(fromFace(face, [3]float64{place(corner & 1), place(corner >> 1), 1}))
				var taps [4][][3]int // j, i
				var limits []float32
				for k := range taps {
					taps[k] = cubeTap(face, i0+k&1, j0+k>>1, n)
					for _, texel := range taps[k] {
						limits = append(limits, depth(texel))
					}
				}
				for _, limit := range limits {
					for _, ref := range []float32{limit, math.Nextafter32(limit, 0), math.Nextafter32(limit, 1)} {
						var pass [4]*big.Rat
						sum := new(big.Rat)
						for k := range taps {
							pass[k] = new(big.Rat)
							for _, texel := range taps[k] {
								if ref <= depth(texel) {
									pass[k].Add(pass[k], ratio(1, int64(len(taps[k]))))
								}
							}
							// The nearer texel is the second one at the first edge, and the first one at the other.
							near := [2]int64{7, 9}
							x, y := near[k&1^corner&1], near[k>>1^corner>>1]
							sum.Add(sum, new(big.Rat).Mul(pass[k], ratio(x*y, 256)))
						}
						lanes = append(lanes, imageLane{at: at, dref: ref, want: [4]float32{nearest32(sum)}, one: true})
						gathers = append(gathers, imageLane{at: at, dref: ref, want: [4]float32{nearest32(pass[2]), nearest32(pass[3]), nearest32(pass[1]), nearest32(pass[0])}})
					}
				}
			}
		}
		r := imageRule{dev: dev, shader: "shadowcube", how: atGrad, view: im, sampler: ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, CompareEnable: true, CompareOp: vk.CompareOpLessOrEqual})}
		r.check(t, fmt.Sprintf("%d² texels", n), lanes)
		r.how = gathered
		r.check(t, "gathers", gathers)
		im.Close()
	}
}
