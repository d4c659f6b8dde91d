package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Results of image instructions by hand, in shaders.

var (
	nan32    = float32(math.NaN())
	minus0   = float32(math.Copysign(0, -1))
	smallest = float32(math.SmallestNonzeroFloat32)
)

// A level whose weight is 0 is not read: NaNs, infinities and larger texels there do not matter, and −0 stays.
func TestImage_IMG466_LevelsNotRead(t *testing.T) {
	rules.Covers(t, "IMG-466", "IMG-535")
	for _, dev := range imageDevices(t) {
		for _, level1 := range []float32{6, minus0} {
			for _, others := range []float32{nan32, 1000} {
				if level1 == 0 && others == others {
					continue
				}
				texel := func(level, _, _, _, _ int) []byte {
					if level == 1 {
						return word(level1)
					}
					return word(others)
				}
				for shader, desc := range map[string]pumice.ImageDesc{
					"image1d": {Width: 16}, "image2d": {Width: 16, Height: 16}, "image3d": {Width: 16, Height: 16, Depth: 16}, "imagecube": {Width: 16, Height: 16, Cube: true},
				} {
					if testing.Short() && shader != "image2d" && shader != "imagecube" {
						continue
					}
					desc.Format, desc.MipLevels = vk.FormatR32Sfloat, 4
					im := ruleImage(t, dev, desc, texel)
					for name, s := range map[string]pumice.SamplerDesc{
						"nearest": {}, "linear": {MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear}, "mixed": {MagFilter: vk.FilterLinear},
						"anisotropic": {MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MaxAnisotropy: 4},
						"minimum":     {MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, Reduction: vk.SamplerReductionModeMin},
						"maximum":     {MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, Reduction: vk.SamplerReductionModeMax},
						"most probes": {MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, Reduction: vk.SamplerReductionModeMax, MaxAnisotropy: 4},
					} {
						s.MipmapMode = vk.SamplerMipmapModeLinear
						r := imageRule{dev: dev, shader: shader, view: im, sampler: ruleSampler(t, dev, s)}
						// In texels of level 0: 2, or 8 and 2 where there are four probes; on a face, twice
						// as much of the direction.
						x := float32(2. / 16)
						if s.MaxAnisotropy > 1 && shader != "image1d" {
							x *= 4
						}
						y := float32(2. / 16)
						if shader == "imagecube" {
							x, y = 2*x, 2*y
						}
						grad := imageLane{at: [4]float32{.5, .5, .5}, dx: [3]float32{x}, dy: [3]float32{0, y}, want: [4]float32{level1}, one: true}
						if shader == "imagecube" {
							grad.at = [4]float32{.125, .125, 1}
						}
						if shader == "image1d" {
							grad.dx[0] = 2. / 16
						}
						if level1 == 0 && (name == "minimum" || name == "maximum" || name == "most probes") {
							continue // zeros compare equal
						}
						what := fmt.Sprintf("%s, %s, %v between %v", shader, name, level1, others)
						// λ = 1, or 1.5.
						farther := grad
						for d := range 3 {
							farther.dx[d] *= math.Sqrt2
							farther.dy[d] *= math.Sqrt2
						}
						switch {
						case name == "minimum":
						case name == "maximum" || name == "most probes":
							if others == others { // else NaN is ignored
								farther.want[0] = others
							}
						default:
							farther.want[0] = (level1 + others) / 2
						}
						r.how = atGrad
						r.check(t, what+", derivatives", []imageLane{grad, grad, grad, grad})
						r.check(t, what+", derivatives among others", []imageLane{grad, farther, grad, farther, farther, grad})
						lod := grad
						lod.lod = 1
						r.how = atLod
						r.check(t, what, []imageLane{lod})
						lod.lod = 1 + 1./1024 // less than half of 1/256
						r.check(t, what+", nearly", []imageLane{lod})
						// Beside lanes that read both.
						both := farther
						both.lod = 1.5
						r.check(t, what+", among others", []imageLane{lod, both, lod, both, both, lod})
					}
				}
			}
		}
		// Where it has weight, it is read.
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 4, MipLevels: 2}, func(level, _, _, _, _ int) []byte { return word(float32(level) * 256) })
		r := imageRule{dev: dev, shader: "image1d", view: im, sampler: ruleSampler(t, dev, pumice.LinearSampler(vk.SamplerAddressModeRepeat))}
		r.check(t, "weights", []imageLane{{lod: 1. / 256, want: [4]float32{1}, one: true}, {lod: 255. / 256, want: [4]float32{255}, one: true}})
	}
}

// faceRows is the specification's table: the signed component of a direction that is s, t and r on each face.
var faceRows = [6][3]struct {
	of   int
	sign float64
}{
	{{2, -1}, {1, -1}, {0, 1}}, {{2, 1}, {1, -1}, {0, -1}},
	{{0, 1}, {2, 1}, {1, 1}}, {{0, 1}, {2, -1}, {1, -1}},
	{{0, 1}, {1, -1}, {2, 1}}, {{0, -1}, {1, -1}, {2, -1}},
}

// onFace takes a vector to (s, t, r) of a face.
func onFace(face int, v [3]float64) (out [3]float64) {
	for i, row := range faceRows[face] {
		out[i] = row.sign * v[row.of]
	}
	return out
}

// faceLength is how many texels of a face of n² a derivative crosses: the quotient rule of (s/|r| + 1)/2.
func faceLength(face, n int, at, d [3]float64) float64 {
	a, b := onFace(face, at), onFace(face, d)
	s := (a[2]*b[0] - a[0]*b[2]) / (a[2] * a[2]) / 2
	u := (a[2]*b[1] - a[1]*b[2]) / (a[2] * a[2]) / 2
	return math.Hypot(s, u) * float64(n)
}

// fromFace is the direction of (s, t, r) of a face.
func fromFace(face int, v [3]float64) (out [3]float64) {
	for i, row := range faceRows[face] {
		out[row.of] = row.sign * v[i]
	}
	return out
}

// Each face has its own derivatives, also where the lanes of a quad lie on different ones. Every face's texels are its number
// hundredfold plus their level, so that a trilinear sample tells face and level of detail.
func TestImage_IMG416_DerivativesOfEveryFace(t *testing.T) {
	rules.Covers(t, "IMG-412", "IMG-413", "IMG-414", "IMG-416", "IMG-417", "IMG-396", "IMG-397", "IMG-399")
	const n = 256
	floats := func(v [3]float64) (f [3]float32) {
		for i := range v {
			f[i] = float32(v[i])
		}
		return f
	}
	texel := func(level, layer, _, _, _ int) []byte { return word(float32(100*layer + level)) }
	snap := func(lod float64) float32 { // to 8 bits, nowhere near the middle
		x := min(max(lod, 0), 8) * 256
		if lod > 0 && math.Abs(x-math.Floor(x)-.5) < .01 {
			t.Fatalf("%v is in the middle", lod)
		}
		return float32(math.RoundToEven(x) / 256)
	}
	for _, dev := range imageDevices(t) {
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: n, Height: n, Cube: true, MipLevels: 9}, texel)
		r := imageRule{dev: dev, shader: "imagecube", view: im, sampler: ruleSampler(t, dev, pumice.SamplerDesc{MipmapMode: vk.SamplerMipmapModeLinear}), often: true}
		// The catalogue's example.
		r.how = atGrad
		r.check(t, "example", []imageLane{{at: [4]float32{1, .25, -.5}, dx: [3]float32{0, .01}, dy: [3]float32{0, 0, .02}, want: [4]float32{snap(1.35614381)}, one: true}})
		var lanes []imageLane
		for face := range 6 {
			for _, x := range []struct{ at, dx, dy [3]float64 }{
				// With and against what makes the face's axis longer.
				{[3]float64{.5, 0, 1}, [3]float64{.0625, 0, .0625}, [3]float64{}},
				{[3]float64{.5, 0, 1}, [3]float64{.0625, 0, -.0625}, [3]float64{}},
				{[3]float64{0, -.5, 1}, [3]float64{}, [3]float64{0, .0625, .0625}},
				{[3]float64{0, -.5, 1}, [3]float64{}, [3]float64{0, .0625, -.0625}},
				{[3]float64{.25, .75, 2}, [3]float64{.03125, -.0625, .125}, [3]float64{.0625, .03125, 0}},
				{[3]float64{-.5, .25, .5}, [3]float64{0, .015625, 0}, [3]float64{-.0078125, 0, -.015625}},
			} {
				x.at[0] *= .999 // not at an edge
				l := imageLane{dx: floats(fromFace(face, x.dx)), dy: floats(fromFace(face, x.dy)), one: true}
				at := floats(fromFace(face, x.at))
				copy(l.at[:], at[:])
				wide := [3]float64{float64(at[0]), float64(at[1]), float64(at[2])}
				lod := math.Log2(max(faceLength(face, n, wide, fromFace(face, x.dx)), faceLength(face, n, wide, fromFace(face, x.dy))))
				l.want[0] = float32(100*face) + snap(lod)
				lanes = append(lanes, l)
			}
		}
		r.check(t, "derivatives", lanes)

		// Quads: a fragment on each of four faces, or four on one, each with the differences of its row and column.
		var quads []imageLane
		for a := range 6 {
			for k := range 3 {
				b, c := (a+2)%6, (a+4)%6
				if k > 0 {
					b, c = a, a
				}
				var at [4][3]float32
				for i, face := range [4]int{a, b, c, a} {
					p := [3]float64{.3 - .6*float64(i&1), .2, 1}
					if k > 0 {
						p = [3]float64{.5 + .02*float64(i&1)*float64(k), -.25 + .015*float64(i>>1), 1 + .01*float64(i&1) + .03*float64(i>>1)}
					} else if i == 3 {
						p = [3]float64{-.1, .7, 1.25}
					}
					at[i] = floats(fromFace(face, p))
				}
				for i, face := range [4]int{a, b, c, a} {
					var p, dx, dy [3]float64
					for d := range 3 {
						p[d] = float64(at[i][d])
						dx[d] = float64(at[i&2+1][d] - at[i&2][d])
						dy[d] = float64(at[i&1+2][d] - at[i&1][d])
					}
					lod := math.Log2(max(faceLength(face, n, p, dx), faceLength(face, n, p, dy)))
					l := imageLane{want: [4]float32{float32(100*face) + snap(lod)}, one: true}
					copy(l.at[:], at[i][:])
					quads = append(quads, l)
				}
			}
		}
		r.how = implicit
		r.check(t, "quads", quads)
	}
}

// Where all texels are the same, so is the result, bit for bit: however many of them, at seams and corners, between levels.
func TestImage_IMG534_ConstantsStay(t *testing.T) {
	rules.Covers(t, "IMG-534", "IMG-220", "IMG-221", "IMG-533")
	srgb := float32(1 / 12.92 * 10 / 255)
	for _, c := range []struct {
		format vk.Format
		texel  []byte
		want   float32
	}{
		{vk.FormatR32Sfloat, word(.1), .1},
		{vk.FormatR32Sfloat, word(minus0), minus0},
		{vk.FormatR32Sfloat, word(smallest), smallest},
		{vk.FormatR32Sfloat, word(-math.MaxFloat32), -math.MaxFloat32},
		{vk.FormatR32Sfloat, word(float32(math.Inf(1))), float32(math.Inf(1))},
		{vk.FormatR16Sfloat, []byte{0x01, 0x80}, -1. / (1 << 24)},
		{vk.FormatR8Unorm, []byte{77}, float32(77. / 255)},
		{vk.FormatR8Snorm, []byte{0x80}, -1},
		{vk.FormatR8Snorm, []byte{0xB3}, float32(-77. / 127)},
		{vk.FormatR16Unorm, []byte{0x39, 0x30}, float32(12345. / 65535)},
		{vk.FormatR8G8B8A8Unorm, []byte{77, 77, 77, 77}, float32(77. / 255)},
		{vk.FormatR8G8B8A8Srgb, []byte{10, 10, 10, 10}, srgb},
		{vk.FormatA2B10G10R10UnormPack32, []byte{0x01, 0x04, 0x10, 0x40}, float32(1. / 1023)},
	} {
		for _, dev := range imageDevices(t) {
			for shader, desc := range map[string]pumice.ImageDesc{
				"image1d": {Width: 5}, "image2d": {Width: 5, Height: 3}, "image3d": {Width: 5, Height: 3, Depth: 4}, "imagecube": {Width: 5, Height: 5, Cube: true},
			} {
				if testing.Short() && shader != "image3d" && shader != "imagecube" {
					continue
				}
				desc.Format, desc.MipLevels = c.format, 2
				im := ruleImage(t, dev, desc, func(int, int, int, int, int) []byte { return c.texel })
				lanes := []imageLane{ // in the middle, between texels, over edges and near corners
					{at: [4]float32{.3, .4, .6}}, {at: [4]float32{.1, .1, .1}, lod: .3}, {at: [4]float32{.999, .01, 1}}, {at: [4]float32{-1, .99, .97}, lod: .7},
					{at: [4]float32{1, .999, -.998}}, {at: [4]float32{-.9, -1, .89}, lod: 1},
				}
				for i := range lanes {
					lanes[i].dx, lanes[i].dy = [3]float32{.7, .3}, [3]float32{0, .13, .11}
					lanes[i].want, lanes[i].one = [4]float32{c.want}, true
				}
				for _, s := range []pumice.SamplerDesc{
					pumice.LinearSampler(vk.SamplerAddressModeRepeat), pumice.LinearSampler(vk.SamplerAddressModeMirroredRepeat),
					{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, MaxAnisotropy: 7},
					{MipmapMode: vk.SamplerMipmapModeLinear},
				} {
					r := imageRule{dev: dev, shader: shader, view: im, sampler: ruleSampler(t, dev, s)}
					r.check(t, fmt.Sprintf("%v, %s, %v", c.format, shader, s), lanes)
					r.how = atGrad
					r.check(t, fmt.Sprintf("%v, %s, %v, derivatives", c.format, shader, s), lanes)
				}
			}
		}
	}
}

// Denormal numbers count, whoever has them.
func TestImage_IMG009_Denormals(t *testing.T) {
	rules.Covers(t, "IMG-009")
	one := func(f float32) [4]float32 { return [4]float32{f} }
	for _, dev := range imageDevices(t) {
		near, linear := ruleSampler(t, dev, pumice.SamplerDesc{}), ruleSampler(t, dev, pumice.LinearSampler(vk.SamplerAddressModeRepeat))
		for _, c := range []struct {
			format vk.Format
			texels [2][]byte
			want   [2]float32
		}{
			{vk.FormatR32Sfloat, [2][]byte{word(2 * smallest), word(0x7FFFFF * smallest)}, [2]float32{2 * smallest, 0x7FFFFF * smallest}},
			{vk.FormatR16Sfloat, [2][]byte{{1, 0}, {0xFF, 3}}, [2]float32{0x1p-24, 1023 * 0x1p-24}},
			{vk.FormatB10G11R11UfloatPack32, [2][]byte{{1, 0, 0, 0}, {63, 0, 0, 0}}, [2]float32{0x1p-20, 63 * 0x1p-20}},
			{vk.FormatE5B9G9R9UfloatPack32, [2][]byte{{1, 0, 0, 0}, {255, 1, 0, 0}}, [2]float32{0x1p-24, 511 * 0x1p-24}},
		} {
			im := ruleImage(t, dev, pumice.ImageDesc{Format: c.format, Width: 2, Height: 1}, func(_, _, x, _, _ int) []byte { return c.texels[x] })
			r := imageRule{dev: dev, shader: "image2d", view: im, sampler: near}
			lanes := []imageLane{{at: [4]float32{.25, .5}, want: one(c.want[0]), one: true}, {at: [4]float32{.75, .5}, texel: [3]int32{1}, want: one(c.want[1]), one: true}}
			r.check(t, c.format.String()+" nearest", lanes)
			r.how = fetched
			r.check(t, c.format.String()+" fetched", lanes)
			r.how, r.sampler = atLod, linear
			mean := float32((float64(c.want[0]) + float64(c.want[1])) / 2)
			r.check(t, c.format.String()+" linear", append(lanes, imageLane{at: [4]float32{.5, .5}, want: one(mean), one: true}))
		}
		// Coordinates: below 0 is outside.
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 2, Height: 1}, func(_, _, x, _, _ int) []byte { return word(float32(1 + x)) })
		r := imageRule{dev: dev, shader: "image2d", view: im, sampler: near}
		r.check(t, "coordinates", []imageLane{{at: [4]float32{smallest, .5}, want: one(1), one: true}, {at: [4]float32{-smallest, .5}, want: one(2), one: true}})
		// Directions: the face and the place there are those of a long one.
		cube := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 4, Height: 4, Cube: true}, func(_, layer, x, y, _ int) []byte {
			return word(float32(100*layer + 10*y + x))
		})
		r = imageRule{dev: dev, shader: "imagecube", view: cube, sampler: near}
		r.check(t, "directions", []imageLane{
			{at: [4]float32{8 * smallest, -4 * smallest, 0}, want: one(32), one: true}, {at: [4]float32{-8 * smallest, 0, 5 * smallest}, want: one(123), one: true},
			{at: [4]float32{0, smallest, 0}, want: one(222), one: true}, {at: [4]float32{minus0, 5 * smallest, -8 * smallest}, want: one(502), one: true},
		})
		// Derivatives: λ′ tells them.
		large := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR8Unorm, Width: 4096, Height: 1, MipLevels: 2}, func(int, int, int, int, int) []byte { return []byte{0} })
		r = imageRule{dev: dev, shader: "image2d", view: large, sampler: linear, how: queried}
		quad := make([]imageLane, 4)
		for i := range quad {
			quad[i] = imageLane{at: [4]float32{float32(i&1) * 4 * smallest}, want: [4]float32{0, 12 - 147}}
		}
		r.check(t, "derivatives", quad)
		// Depths and references.
		depth := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatD32Sfloat, Width: 2, Height: 1}, func(_, _, x, _, _ int) []byte { return word(float32(x) * smallest) })
		r = imageRule{dev: dev, shader: "shadow2d", view: depth, sampler: ruleSampler(t, dev, pumice.SamplerDesc{CompareEnable: true, CompareOp: vk.CompareOpLess})}
		r.check(t, "depths", []imageLane{
			{at: [4]float32{.25, .5}, want: one(0), one: true}, {at: [4]float32{.75, .5}, want: one(1), one: true}, {at: [4]float32{.75, .5}, dref: smallest, want: one(0), one: true},
		})
	}
}

// A texel is valid if every coordinate is inside: of its level, of the view's layers, of the samples.
func TestImage_IMG200_Valid(t *testing.T) {
	rules.Covers(t, "IMG-200", "IMG-201", "IMG-202", "IMG-203", "IMG-300", "IMG-401")
	for _, dev := range imageDevices(t) {
		s := ruleSampler(t, dev, pumice.SamplerDesc{})
		ends := func(n int) []int32 { return []int32{0, int32(n - 1), int32(n), -1, math.MinInt32, math.MaxInt32} }
		name := func(level, layer, x, y, z int) float32 {
			return float32(1 + 10000*level + 1000*layer + 100*z + 10*y + x)
		}
		texel := func(level, layer, x, y, z int) []byte { return word(name(level, layer, x, y, z)) }
		for shader, c := range map[string]struct {
			desc  pumice.ImageDesc
			view  pumice.ViewDesc
			count [2][3]int // of each level: x, y, z or layer
		}{
			"image1d":    {pumice.ImageDesc{Width: 5}, pumice.ViewDesc{}, [2][3]int{{5, 1, 1}, {2, 1, 1}}},
			"image2d":    {pumice.ImageDesc{Width: 5, Height: 3}, pumice.ViewDesc{}, [2][3]int{{5, 3, 1}, {2, 1, 1}}},
			"image3d":    {pumice.ImageDesc{Width: 5, Height: 3, Depth: 4}, pumice.ViewDesc{}, [2][3]int{{5, 3, 4}, {2, 1, 2}}},
			"imagearray": {pumice.ImageDesc{Width: 5, Height: 3, Layers: 4}, pumice.ViewDesc{BaseLayer: 1, Layers: 2}, [2][3]int{{5, 3, 2}, {2, 1, 2}}},
		} {
			c.desc.Format, c.desc.MipLevels = vk.FormatR32Sfloat, 3
			c.view.Levels = 2
			im := ruleImage(t, dev, c.desc, texel)
			if shader == "imagearray" {
				c.view.Type = vk.ImageViewType2DArray
			} else if shader != "image1d" {
				c.view.Type = map[string]vk.ImageViewType{"image2d": vk.ImageViewType2D, "image3d": vk.ImageViewType3D}[shader]
			}
			view, err := im.NewView(c.view)
			if err != nil {
				t.Fatal(err)
			}
			var lanes []imageLane
			for level := range int32(4) {
				level-- // of the image, 2 exists
				size := c.count[min(max(level, 0), 1)]
				for _, x := range ends(size[0]) {
					for _, y := range ends(size[1])[:3+size[1]] {
						for _, z := range ends(size[2])[:3+size[2]-1] {
							l := imageLane{texel: [3]int32{x, y, z}, level: level, want: [4]float32{0, 0, 0, 1}}
							if shader == "image1d" && (y != 0 || z != 0) || shader == "image2d" && z != 0 {
								continue // no coordinates of it
							}
							if uint32(level) < 2 && uint32(x) < uint32(size[0]) && uint32(y) < uint32(size[1]) && uint32(z) < uint32(size[2]) {
								if l.want[0] = name(int(level), 0, int(x), int(y), int(z)); shader == "imagearray" {
									l.want[0] = name(int(level), 1+int(z), int(x), int(y), 0)
								}
							}
							lanes = append(lanes, l)
						}
					}
				}
			}
			r := imageRule{dev: dev, shader: shader, how: fetched, view: view, sampler: s}
			r.check(t, shader, lanes)
			view.Close()
		}
		im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 3, Height: 2, Samples: 4})
		if err != nil {
			t.Fatal(err)
		}
		cmd := dev.NewCommandBuffer()
		cmd.ClearColorImage(im, vk.ClearColorValue{Float32: [4]float32{7}})
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
		var lanes []imageLane
		for _, x := range ends(3) {
			for _, n := range ends(4) {
				l := imageLane{texel: [3]int32{x, 1}, level: n, sample: true, want: [4]float32{0, 0, 0, 1}}
				if uint32(x) < 3 && uint32(n) < 4 {
					l.want[0] = 7
				}
				lanes = append(lanes, l)
			}
		}
		r := imageRule{dev: dev, shader: "imagems", how: fetched, view: im, sampler: s}
		r.check(t, "samples", lanes)
		im.Close()
	}
}

// A comparison gives a scalar: the first component behind the swizzle. A gather has four.
func TestImage_IMG317_ComparisonsAreScalars(t *testing.T) {
	rules.Covers(t, "IMG-317", "IMG-325")
	for _, dev := range imageDevices(t) {
		// Depth .25 .75 / .75 .25, and a second level where all is 0.
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatD32Sfloat, Width: 2, Height: 2, MipLevels: 2}, func(level, _, x, y, _ int) []byte {
			if level > 0 {
				return word(0)
			}
			return word(.25 + .5*float32((x+y)&1))
		})
		for _, c := range []struct {
			swizzle       vk.ComponentSwizzle
			fails, passes float32
		}{
			{vk.ComponentSwizzleIdentity, 0, 1}, {vk.ComponentSwizzleR, 0, 1}, {vk.ComponentSwizzleG, 0, 0}, {vk.ComponentSwizzleB, 0, 0},
			{vk.ComponentSwizzleA, 1, 1}, {vk.ComponentSwizzleZero, 0, 0}, {vk.ComponentSwizzleOne, 1, 1},
		} {
			view, err := im.NewView(pumice.ViewDesc{Type: vk.ImageViewType2D, Components: vk.ComponentMapping{R: c.swizzle, G: vk.ComponentSwizzleR, B: vk.ComponentSwizzleR, A: vk.ComponentSwizzleR}})
			if err != nil {
				t.Fatal(err)
			}
			r := imageRule{dev: dev, shader: "shadow2d", view: view}
			for _, filter := range []vk.Filter{vk.FilterNearest, vk.FilterLinear} {
				r.sampler = ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: filter, MinFilter: filter, CompareEnable: true, CompareOp: vk.CompareOpLess})
				r.how = atLod
				what := fmt.Sprintf("%v, %v", c.swizzle, filter)
				r.check(t, what, []imageLane{
					{at: [4]float32{.25, .25}, dref: .5, want: [4]float32{c.fails}, one: true},
					{at: [4]float32{.75, .25}, dref: .5, want: [4]float32{c.passes}, one: true},
				})
				if filter == vk.FilterLinear {
					r.check(t, what+" between", []imageLane{{at: [4]float32{.5, .5}, dref: .5, want: [4]float32{(c.fails + c.passes) / 2}, one: true}})
				}
				// (i0,j1), (i1,j1), (i1,j0), (i0,j0).
				r.how = gathered
				r.check(t, what+" gathered", []imageLane{{at: [4]float32{.5, .5}, dref: .5, want: [4]float32{c.passes, c.fails, c.passes, c.fails}}})
			}
			view.Close()
		}
	}
}

// Operands give derivatives in normalized units, one for each coordinate of the image but its layer; gathers and fetches have none,
// however far apart their quad's coordinates are.
func TestImage_IMG399_Operands(t *testing.T) {
	rules.Covers(t, "IMG-399", "IMG-401", "IMG-025", "IMG-425")
	for _, dev := range imageDevices(t) {
		texel := func(level, layer, _, _, _ int) []byte { return word(float32(10*layer + level)) }
		s := ruleSampler(t, dev, pumice.SamplerDesc{MipmapMode: vk.SamplerMipmapModeLinear, MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear})
		for shader, c := range map[string]struct {
			desc   pumice.ImageDesc
			counts int // of components
		}{
			"image1d": {pumice.ImageDesc{Width: 64}, 1}, "image2d": {pumice.ImageDesc{Width: 64, Height: 16}, 2},
			"image3d": {pumice.ImageDesc{Width: 64, Height: 16, Depth: 4}, 3}, "imagearray": {pumice.ImageDesc{Width: 64, Height: 16, Layers: 3}, 2},
		} {
			c.desc.Format, c.desc.MipLevels = vk.FormatR32Sfloat, 7
			im := ruleImage(t, dev, c.desc, texel)
			r := imageRule{dev: dev, shader: shader, how: atGrad, view: im, sampler: s}
			var lanes []imageLane
			size := [3]float32{64, 16, 4}
			for d := range 3 {
				for _, to := range []int{0, 1} {
					for texels := 1; texels <= 8; texels *= 2 {
						l := imageLane{at: [4]float32{.5, .5, 1}, one: true}
						if shader == "imagearray" {
							l.want[0] = 10
						}
						[]*[3]float32{&l.dx, &l.dy}[to][d] = float32(texels) / size[d]
						if d < c.counts {
							l.want[0] += float32(math.Log2(float64(texels)))
						}
						lanes = append(lanes, l)
					}
				}
			}
			r.check(t, shader, lanes)
		}
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 8, Height: 8, MipLevels: 4}, func(level, _, x, y, _ int) []byte { return word(float32(100*level + 10*y + x)) })
		for base := range 2 {
			view, err := im.NewView(pumice.ViewDesc{Type: vk.ImageViewType2D, BaseLevel: base})
			if err != nil {
				t.Fatal(err)
			}
			r := imageRule{dev: dev, shader: "image2d", view: view, sampler: s, how: gathered}
			var lanes, texels []imageLane
			for i := range 4 {
				n := 8 >> base
				x, y := n/2*(i&1), n/2*(i>>1)
				f := func(x, y int) float32 { return float32(100*base + 10*y + x) }
				at := [4]float32{float32(x+1) / float32(n), float32(y+1) / float32(n)} // between (x, y) and (x+1, y+1)
				lanes = append(lanes, imageLane{at: at, want: [4]float32{f(x, y+1), f(x+1, y+1), f(x+1, y), f(x, y)}})
				texels = append(texels, imageLane{texel: [3]int32{int32(x), int32(y)}, want: [4]float32{f(x, y), 0, 0, 1}})
			}
			r.check(t, "gather", lanes)
			r.how = fetched
			r.check(t, "fetch", texels)
			view.Close()
		}
	}
}
