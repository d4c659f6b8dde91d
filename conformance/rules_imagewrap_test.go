package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Which texels an instruction reads, and what a depth's comparison makes of them, by hand, in shaders.

// wrapped is the table of address modes: the texel for i of n, or false for the border.
func wrapped(mode vk.SamplerAddressMode, i, n int) (int, bool) {
	mod := func(a, b int) int { return (a%b + b) % b }
	mirror := func(a int) int {
		if a >= 0 {
			return a
		}
		return -(1 + a)
	}
	switch mode {
	case vk.SamplerAddressModeRepeat:
		return mod(i, n), true
	case vk.SamplerAddressModeMirroredRepeat:
		return n - 1 - mirror(mod(i, 2*n)-n), true
	case vk.SamplerAddressModeClampToEdge:
		return min(max(i, 0), n-1), true
	case vk.SamplerAddressModeMirrorClampToEdge:
		return min(max(mirror(i), 0), n-1), true
	default:
		return i, i >= 0 && i < n
	}
}

var addressModes = []vk.SamplerAddressMode{
	vk.SamplerAddressModeRepeat, vk.SamplerAddressModeMirroredRepeat, vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToBorder, vk.SamplerAddressModeMirrorClampToEdge,
}

// Every tap wraps alone: of NEAREST, of LINEAR, of a gather; sizes need not be powers of two; one coordinate outside makes the border.
func TestImage_IMG500_AddressModes(t *testing.T) {
	rules.Covers(t, "IMG-475", "IMG-480", "IMG-481", "IMG-500", "IMG-501", "IMG-502", "IMG-505", "IMG-506", "IMG-519")
	const border = 1 // opaque white
	for _, dev := range imageDevices(t) {
		for _, size := range [][2]int{{1, 1}, {4, 3}, {3, 4}, {5, 2}} {
			im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: size[0], Height: size[1]}, func(_, _, x, y, _ int) []byte {
				return word(float32(16 * (1 + 10*y + x)))
			})
			for m, u := range addressModes {
				modes := [2]vk.SamplerAddressMode{u, addressModes[(m+size[0])%len(addressModes)]}
				texel := func(i, j int) float32 {
					x, inX := wrapped(modes[0], i, size[0])
					y, inY := wrapped(modes[1], j, size[1])
					if !inX || !inY {
						return border
					}
					return float32(16 * (1 + 10*y + x))
				}
				var near, linear, gathers []imageLane
				for i := -9; i <= 9; i++ {
					for _, j := range []int{-5, -2, -1, 0, 1, size[1] - 1, size[1], size[1] + 2} {
						at := func(x, y float64) [4]float32 {
							return [4]float32{float32((float64(i) + x) / float64(size[0])), float32((float64(j) + y) / float64(size[1]))}
						}
						four := [4]float32{texel(i, j+1), texel(i+1, j+1), texel(i+1, j), texel(i, j)}
						near = append(near, imageLane{at: at(.5, .25), want: [4]float32{texel(i, j)}, one: true}, imageLane{at: at(.03125, .96875), want: [4]float32{texel(i, j)}, one: true})
						// A quarter of the way to i+1, and half of that to j+1.
						linear = append(linear, imageLane{at: at(.75, 1), want: [4]float32{(3*four[3] + four[2] + 3*four[0] + four[1]) / 8}, one: true})
						gathers = append(gathers, imageLane{at: at(.75, 1), want: four})
					}
				}
				s := pumice.SamplerDesc{AddressModeU: modes[0], AddressModeV: modes[1], BorderColor: vk.BorderColorFloatOpaqueWhite}
				what := fmt.Sprintf("%v, %v", size, modes)
				r := imageRule{dev: dev, shader: "image2d", view: im, sampler: ruleSampler(t, dev, s)}
				r.check(t, what, near)
				r.how = gathered
				r.check(t, what+", gathers", gathers)
				s.MagFilter, s.MinFilter = vk.FilterLinear, vk.FilterLinear
				r.how, r.sampler = atLod, ruleSampler(t, dev, s)
				r.check(t, what+", linear", linear)
			}
		}
	}
}

// Coordinates of a sampler without normalized ones are texels, however far apart a quad's are: λ is 0.
func TestImage_IMG477_Unnormalized(t *testing.T) {
	rules.Covers(t, "IMG-427", "IMG-453", "IMG-475", "IMG-477")
	for _, dev := range imageDevices(t) {
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 6, Height: 5}, func(_, _, x, y, _ int) []byte { return word(float32(16 * (1 + 10*y + x))) })
		for _, mode := range []vk.SamplerAddressMode{vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToBorder} {
			texel := func(i, j int) float32 {
				x, inX := wrapped(mode, i, 6)
				y, inY := wrapped(mode, j, 5)
				if !inX || !inY {
					return 1
				}
				return float32(16 * (1 + 10*y + x))
			}
			var near, linear []imageLane
			for _, i := range []int{-1, 0, 2, 5, 6, -7, 40, 3} {
				for _, j := range []int{0, 4, -2, 5} {
					near = append(near, imageLane{at: [4]float32{float32(i) + .25, float32(j) + .875}, want: [4]float32{texel(i, j)}, one: true})
					linear = append(linear, imageLane{at: [4]float32{float32(i) + .75, float32(j) + 1}, want: [4]float32{(3*texel(i, j) + texel(i+1, j) + 3*texel(i, j+1) + texel(i+1, j+1)) / 8}, one: true})
				}
			}
			s := pumice.SamplerDesc{AddressModeU: mode, AddressModeV: mode, BorderColor: vk.BorderColorFloatOpaqueWhite, Unnormalized: true, NoMips: true}
			for _, how := range []imageHow{atLod, implicit} {
				r := imageRule{dev: dev, shader: "image2d", how: how, view: im}
				s.MagFilter, s.MinFilter = vk.FilterNearest, vk.FilterNearest
				r.sampler = ruleSampler(t, dev, s)
				r.check(t, fmt.Sprintf("%v, instruction %d", mode, how), near)
				s.MagFilter, s.MinFilter = vk.FilterLinear, vk.FilterLinear
				r.sampler = ruleSampler(t, dev, s)
				r.check(t, fmt.Sprintf("%v, instruction %d, linear", mode, how), linear)
			}
		}
	}
}

// Each texel is compared as binary32 with the reference, which is clamped where depths are integers, and 0 and 1 are filtered.
func TestImage_IMG311_Comparisons(t *testing.T) {
	rules.Covers(t, "IMG-310", "IMG-311", "IMG-312", "IMG-313", "IMG-314", "IMG-316", "IMG-518")
	ops := map[vk.CompareOp]func(r, t float32) bool{
		vk.CompareOpNever: func(_, _ float32) bool { return false }, vk.CompareOpLess: func(r, t float32) bool { return r < t },
		vk.CompareOpEqual: func(r, t float32) bool { return r == t }, vk.CompareOpLessOrEqual: func(r, t float32) bool { return r <= t },
		vk.CompareOpGreater: func(r, t float32) bool { return r > t }, vk.CompareOpNotEqual: func(r, t float32) bool { return r != t },
		vk.CompareOpGreaterOrEqual: func(r, t float32) bool { return r >= t }, vk.CompareOpAlways: func(_, _ float32) bool { return true },
	}
	passes := func(b bool) float32 {
		if b {
			return 1
		}
		return 0
	}
	codes := [4]uint16{0, 12345, 40000, 65535}
	floats := [4]float32{-.5, .25, 1, 1.5}
	for _, dev := range imageDevices(t) {
		for _, format := range []vk.Format{vk.FormatD16Unorm, vk.FormatD32Sfloat} {
			depths := floats
			im := ruleImage(t, dev, pumice.ImageDesc{Format: format, Width: 4, Height: 1}, func(_, _, x, _, _ int) []byte {
				if format == vk.FormatD16Unorm {
					return []byte{byte(codes[x]), byte(codes[x] >> 8)}
				}
				return word(floats[x])
			})
			if format == vk.FormatD16Unorm {
				for x, c := range codes {
					depths[x] = float32(float64(c) / 65535)
				}
			}
			for op, f := range ops {
				var lanes, gathers []imageLane
				for x, depth := range depths {
					for _, r := range []float32{-1, -.5, 0, depth, math.Nextafter32(depth, 2), math.Nextafter32(depth, -2), .25, 1, 1.25, 2, nan32} {
						clamped := r
						if format == vk.FormatD16Unorm && r == r {
							clamped = min(max(r, 0), 1)
						}
						lanes = append(lanes, imageLane{at: [4]float32{(float32(x) + .5) / 4, .5}, dref: r, want: [4]float32{passes(f(clamped, depth))}, one: true})
						if x > 0 {
							a, b := passes(f(clamped, depths[x-1])), passes(f(clamped, depth))
							gathers = append(gathers, imageLane{at: [4]float32{float32(x) / 4, .5}, dref: r, want: [4]float32{a, b, b, a}})
						}
					}
				}
				r := imageRule{dev: dev, shader: "shadow2d", view: im, sampler: ruleSampler(t, dev, pumice.SamplerDesc{CompareEnable: true, CompareOp: op})}
				r.check(t, fmt.Sprintf("%v, %v", format, op), lanes)
				r.how = gathered
				r.check(t, fmt.Sprintf("%v, %v, gathers", format, op), gathers)
			}
		}
		// The catalogue's example.
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatD32Sfloat, Width: 2, Height: 2}, func(_, _, x, y, _ int) []byte {
			return word([2][2]float32{{.25, .75}, {.5, .75}}[y][x])
		})
		r := imageRule{dev: dev, shader: "shadow2d", view: im, sampler: ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, CompareEnable: true, CompareOp: vk.CompareOpLessOrEqual})}
		r.check(t, "example", []imageLane{{at: [4]float32{.375, .5}, dref: .5, want: [4]float32{.625}, one: true}})
	}
}
