package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// probes is IMG-431 … IMG-433 and IMG-560, IMG-561 as they are written: λ without bias, and where the probes are, as
// multiples of the two derivatives.
func probes(dx, dy, size [3]float64, most float64) (lambda float64, at [][2]float64) {
	a, b, c := 0.0, 0.0, 0.0
	for d := range size {
		px, py := dx[d]*size[d], dy[d]*size[d]
		a, b, c = a+px*px, b+px*py, c+py*py
	}
	root := math.Sqrt((a-c)*(a-c) + 4*b*b)
	large, small := math.Sqrt((a+c+root)/2), math.Sqrt((a*c-b*b)/((a+c+root)/2))
	eta := max(min(large/small, most), 1)
	e := [2]float64{large*large - c, b}
	l := math.Hypot(e[0], e[1])
	n := max(1, int(math.Ceil(eta-1e-6)))
	for i := range n {
		t := 0.0
		if n > 1 {
			t = (1 - 1/eta) * (float64(i)/float64(n-1) - .5)
		}
		at = append(at, [2]float64{t * e[0] / l, t * e[1] / l})
	}
	return math.Log2(large / eta), at
}

// isTie says that x, which is off by so much, may round to either of two integers.
func isTie(x, off float64) bool { return math.Abs(x-math.Floor(x)-.5) <= off }

// ties is how many weights of a probe at q, of a sample at p, the device may round to the next step of 1/256: places on
// the axis are binary32, off by some roundings of their distance and one of themselves. Texels lie in [0, 1].
func ties(p, q, size [3]float64) (n float64) {
	for d, n0 := range size {
		for level := range 6 {
			steps := 256 * max(math.Floor(math.Ldexp(n0, -level)), 1)
			if isTie(steps*q[d]-128, steps*(math.Abs(q[d]-p[d])*0x1p-20+math.Abs(q[d])*0x1p-23)) {
				n++
			}
		}
	}
	return n
}

// Probes of random footprints in two and three dimensions: the mean of linear samples at the levels of the footprint's
// width, whatever bias and bounds there are.
func TestAnisotropy_ByFormula(t *testing.T) {
	rules.Covers(t, "TC-35", "IMG-431", "IMG-432", "IMG-433", "IMG-434", "IMG-446", "IMG-531", "IMG-532", "IMG-555", "IMG-560", "IMG-561", "IMG-562", "IMG-564", "IMG-566")
	r := rand.New(rand.NewPCG(560, 567))
	for _, volume := range []bool{false, true} {
		for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR16G16Unorm, vk.FormatR16G16B16A16Sfloat, vk.FormatR8G8B8A8Srgb} {
			d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(32, 16, 1), MipLevels: 6}
			op, dims := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodGrad}, 2
			if volume {
				d.Type, d.Extent.Depth, op.Dim, dims = vk.ImageType3D, 8, ir.Dim3D, 3
			}
			im := randomImage(t, r, d)
			if f == vk.FormatR16G16B16A16Sfloat { // random halves are no pleasure
				for level := range im.MipLevels {
					l := im.Level(0, level, 0)
					for i := 1; i < len(l.Data); i += 2 {
						l.Data[i] = 0x38 | l.Data[i]&3
					}
				}
			}
			v := newView(t, im, resource.ViewDesc{})
			size := [3]float64{32, 16, float64(d.Extent.Depth)}
			for _, c := range []resource.Sampler{
				{MaxAnisotropy: 16, MaxLod: 9}, {MaxAnisotropy: 3, MaxLod: 9, MipLodBias: .75}, {MaxAnisotropy: 2.5, MinLod: 1.25, MaxLod: 2}, {MaxAnisotropy: 8, MaxLod: 9, MipLodBias: -1.5},
			} {
				c.MagFilter, c.MinFilter, c.MipmapMode, c.AnisotropyEnable = linear, linear, vk.SamplerMipmapModeLinear, true
				c.AddressModeU, c.AddressModeV, c.AddressModeW = fiveModes[r.IntN(5)], fiveModes[r.IntN(5)], fiveModes[r.IntN(5)]
				s := newSampler(t, c)
				const lanes = 150
				in := make([]lane1, lanes)
				for i := range in {
					a, b := math.Exp2(6*r.Float64()-1), math.Exp2(6*r.Float64()-1)
					for d := range dims {
						in[i].coord = append(in[i].coord, r.Float32()*2-.5)
						in[i].dx = append(in[i].dx, float32(r.NormFloat64()*a/size[d]))
						in[i].dy = append(in[i].dy, float32(r.NormFloat64()*b/size[d]))
					}
				}
				for d := range dims { // TC-35: a footprint of a line
					in[0].dx[d], in[0].dy[d] = float32([3]float64{3, 4}[d]/size[d]), 0
				}
				got := many(op, v, s, lanes, func(lane int) lane1 { return in[lane] })
				for lane, x := range in {
					var p, dx, dy [3]float64
					for d := range dims {
						p[d], dx[d], dy[d] = float64(x.coord[d]), float64(x.dx[d]), float64(x.dy[d])
					}
					lambda, list := probes(dx, dy, size, float64(c.MaxAnisotropy))
					lambda = min(max(lambda+float64(c.MipLodBias), float64(c.MinLod)), float64(c.MaxLod))
					want, slack := [4]float64{}, 1e-6
					if isTie(256*lambda, 256*0x1p-19) {
						slack += 1.0 / 256
					}
					for _, at := range list {
						q := p
						for d := range q {
							q[d] += at[0]*dx[d] + at[1]*dy[d]
						}
						slack += ties(p, q, size) / 256 / float64(len(list))
						for c, y := range (oracle{v, s, true}).sample(q, lambda) {
							want[c] += y / float64(len(list))
						}
					}
					for i, y := range floats(got[lane]) {
						if math.Abs(float64(y)-want[i]) > slack {
							t.Fatalf("%v, lane %d: %+v with %d probes at level %v: component %d is %v, want %v", f, lane, x, len(list), lambda, i, y, want[i])
						}
					}
				}
			}
		}
	}
}
