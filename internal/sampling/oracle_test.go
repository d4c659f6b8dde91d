package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The oracle is the catalogue's mathematics in binary64, written apart from the
// device: no integers before wrapping, no special cases. snap applies IMG-011
// with 8 bits; without it the formulas are exact.
type oracle struct {
	v    *resource.ImageView
	s    *resource.Sampler
	snap bool
}

func (o oracle) split(x float64) (i int, f float64) {
	if o.snap {
		x = math.RoundToEven(x*256) / 256
	}
	return int(math.Floor(x)), x - math.Floor(x)
}

// oracleWrap is IMG-500 as the table prints it; −1 and size are border.
func oracleWrap(m vk.SamplerAddressMode, i, size int) int {
	mod := func(a, n int) int { return ((a % n) + n) % n }
	mir := func(n int) int {
		if n >= 0 {
			return n
		}
		return -(1 + n)
	}
	switch m {
	case repeat:
		return mod(i, size)
	case mirrored:
		return (size - 1) - mir(mod(i, 2*size)-size)
	case edge:
		return min(max(i, 0), size-1)
	case border:
		return min(max(i, -1), size)
	default:
		return min(max(mir(i), 0), size-1)
	}
}

func (o oracle) tap(l *resource.Level, i, j, k int) [4]float64 {
	i, j = oracleWrap(o.s.AddressModeU, i, l.Width), oracleWrap(o.s.AddressModeV, j, l.Height)
	if o.v.Type == vk.ImageViewType3D {
		k = oracleWrap(o.s.AddressModeW, k, l.Depth)
	}
	t := [4]float64{} // transparent black
	if o.v.Info.Components[3].Kind == format.KindNone {
		t[3] = 1 // IMG-291
	}
	if l.Contains(i, j, k) {
		for c, b := range o.v.Info.Decode(l.Data[l.Offset(i, j, k, 0):]) {
			t[c] = float64(math.Float32frombits(b))
		}
	}
	return t
}

// level filters one level linearly in two or three dimensions.
func (o oracle) level(level int, c [3]float64) (out [4]float64) {
	l := o.v.Level(level, 0)
	i, a := o.split(c[0]*float64(l.Width) - 0.5)
	j, b := o.split(c[1]*float64(l.Height) - 0.5)
	k, g := 0, 0.0
	if o.v.Type == vk.ImageViewType3D {
		k, g = o.split(c[2]*float64(l.Depth) - 0.5)
	}
	for n := range 8 {
		w := 1.0
		for d, f := range [3]float64{a, b, g} {
			if n>>d&1 == 1 {
				w *= f
			} else {
				w *= 1 - f
			}
		}
		if w == 0 {
			continue
		}
		t := o.tap(&l, i+n&1, j+n>>1&1, k+n>>2)
		for c := range out {
			out[c] += w * t[c]
		}
	}
	return out
}

func (o oracle) sample(c [3]float64, lod float64) (out [4]float64) {
	q := float64(o.v.Levels - 1)
	hi, delta := o.split(min(max(lod, 0), q))
	a, b := o.level(hi, c), o.level(min(hi+1, int(q)), c)
	for c := range out {
		out[c] = (1-delta)*a[c] + delta*b[c]
	}
	return out
}

// IMG-701, IMG-704: the device is within 2^-23 of the snapped formula, and
// within what 2^-9 of a texel and of a level can move of the exact one. Texels
// lie in [0,1], so a weight's error e moves a result by at most e.
func TestOracle_LinearFiltering(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-475", "IMG-500", "IMG-501", "IMG-502", "IMG-505", "IMG-506", "IMG-531", "IMG-532", "IMG-555", "IMG-556", "IMG-701", "IMG-702", "IMG-704")
	r := rand.New(rand.NewPCG(7, 8))
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Unorm, vk.FormatR5G6B5UnormPack16} {
		for _, volume := range []bool{false, true} {
			d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(13, 7, 1), MipLevels: 4}
			op := sampleOp(ir.Dim2D)
			dims := 2.0
			if volume {
				d.Type, d.Extent.Depth, op.Dim, dims = vk.ImageType3D, 5, ir.Dim3D, 3
			}
			v := newView(t, randomImage(t, r, d), resource.ViewDesc{})
			for range 300 {
				mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(r.IntN(5)) }
				s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9,
					AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode()})
				x := lane1{op: op, coord: []float32{r.Float32()*4 - 2, r.Float32()*4 - 2, r.Float32()*4 - 2}, lod: r.Float32()*5 - 1}
				got := floats(x.run(v, s))
				c := [3]float64{float64(x.coord[0]), float64(x.coord[1]), float64(x.coord[2])}
				exact, snapped := oracle{v, s, false}.sample(c, float64(x.lod)), oracle{v, s, true}.sample(c, float64(x.lod))
				for i := range got {
					if e := math.Abs(float64(got[i]) - snapped[i]); e > 0x1p-23 {
						t.Fatalf("%v %v lod %v: component %d is %v, snapped formula %v", f, x.coord, x.lod, i, got[i], snapped[i])
					}
					// Two levels' fractions, each dims half steps, and δ's.
					if e := math.Abs(float64(got[i]) - exact[i]); e > (dims+1)*0x1p-9+0x1p-23 {
						t.Fatalf("%v %v lod %v: component %d is %v, exact %v", f, x.coord, x.lod, i, got[i], exact[i])
					}
				}
			}
		}
	}
}

// IMG-452: λ within 2^-30 of the exact value; powers of two exact.
func TestLog2_IMG452(t *testing.T) {
	rules.Covers(t, "IMG-452")
	r := rand.New(rand.NewPCG(9, 10))
	for range 100000 {
		x := math.Exp(r.NormFloat64() * 30)
		if e := math.Abs(log2(x) - math.Log2(x)); e > 0x1p-38+0x1p-50*math.Abs(math.Log2(x)) {
			t.Fatalf("log2(%v) is off by %v", x, e)
		}
	}
	for e := -1060; e < 1024; e++ {
		if got := log2(math.Ldexp(1, e)); got != float64(e) {
			t.Errorf("log2(2^%d) = %v", e, got)
		}
	}
	if !math.IsInf(log2(0), -1) || !math.IsInf(log2(math.Inf(1)), 1) || log2(math.NaN()) == log2(math.NaN()) {
		t.Error("special values")
	}
}

func TestWrap_IMG501(t *testing.T) {
	rules.Covers(t, "IMG-500", "IMG-501", "IMG-506")
	m4 := []int{0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1}
	k4 := []int{3, 3, 3, 3, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3}
	for n := range m4 {
		if got := wrap(modeMirroredRepeat, n-9, 4); got != m4[n] {
			t.Errorf("MIRRORED %d: %d, want %d", n-9, got, m4[n])
		}
		if got := wrap(modeMirrorClampToEdge, n-9, 4); got != k4[n] {
			t.Errorf("MIRROR_CLAMP %d: %d, want %d", n-9, got, k4[n])
		}
	}
	for n, want := range []int{2, 0, 1, 2, 0, 1, 2, 0, 1} {
		if got := wrap(modeRepeat, n-4, 3); got != want {
			t.Errorf("REPEAT %d: %d, want %d", n-4, got, want)
		}
	}
	for i := -70; i < 70; i++ {
		for size := 1; size < 12; size++ {
			for m := range addressMode(5) {
				want := oracleWrap(vk.SamplerAddressMode(m), i, size)
				if want == size {
					want = borderTexel
				}
				if got := wrap(m, i, size); got != want {
					t.Fatalf("mode %d, %d of %d: %d, want %d", m, i, size, got, want)
				}
			}
		}
	}
}

// IMG-218: going over an edge and back over the same cube edge returns home.
func TestCube_IMG218_Involution(t *testing.T) {
	rules.Covers(t, "IMG-216", "IMG-218")
	const n = 7
	for face := range 6 {
		for e := range 4 {
			for pos := range n {
				own := [4][2]int{{0, pos}, {n - 1, pos}, {pos, 0}, {pos, n - 1}}[e]
				f2, i2, j2 := overEdge(face, e, pos, 0, n)
				found := false
				for e2 := range 4 {
					on := [4]bool{i2 == 0, i2 == n-1, j2 == 0, j2 == n-1}[e2]
					pos2 := [4]int{j2, j2, i2, i2}[e2]
					f3, i3, j3 := overEdge(f2, e2, pos2, 0, n)
					found = found || on && f3 == face && i3 == own[0] && j3 == own[1]
				}
				if !found {
					t.Errorf("face %d edge %d pos %d: no way back", face, e, pos)
				}
				// Neighbours touch: their directions differ by about a texel.
				x, y, z := texelDirection(face, own[0], own[1], n)
				x2, y2, z2 := texelDirection(f2, i2, j2, n)
				if d := math.Sqrt((x-x2)*(x-x2) + (y-y2)*(y-y2) + (z-z2)*(z-z2)); d > 2.0/n {
					t.Errorf("face %d edge %d pos %d: texels lie %v apart", face, e, pos, d)
				}
			}
		}
	}
}

// texelDirection is the direction of a texel's centre.
func texelDirection(face, i, j, n int) (x, y, z float64) {
	return cubeDirection(face, (2*float64(i)+1)/float64(n)-1, (2*float64(j)+1)/float64(n)-1)
}

// IMG-221: constant cubes stay constant at every edge and corner.
func TestCube_IMG221_ConstantEverywhere(t *testing.T) {
	rules.Covers(t, "IMG-220", "IMG-221", "IMG-534")
	r := rand.New(rand.NewPCG(11, 12))
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR32Sfloat, vk.FormatR8Snorm} {
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(3, 3, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit})
		for i := range im.Data {
			im.Data[i] = []byte{0x3B, 0x3B, 0x9A, 0x3E}[i%4]
			if f == vk.FormatR8Snorm {
				im.Data[i] = 0x9A
			}
		}
		v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
		want := im.Info.Decode(im.Data)
		s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})
		for range 2000 {
			d := []float32{float32(r.IntN(9) - 4), float32(r.IntN(9) - 4), float32(r.IntN(9) - 4)}
			if r.IntN(2) == 0 {
				d = []float32{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())}
			}
			if got := (lane1{op: sampleOp(ir.DimCube), coord: d}).run(v, s); got != want {
				t.Fatalf("%v direction %v: %v, want %v", f, d, floats(got), floats(want))
			}
		}
	}
}

// IMG-404 and IMG-417.
func TestGradients_QuadAndCube(t *testing.T) {
	rules.Covers(t, "IMG-397", "IMG-404", "IMG-412", "IMG-413", "IMG-414", "IMG-417", "IMG-425", "IMG-429")
	v, f := imageA4(t), math.Float32bits
	a := &Args{Op: &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim1D}, Quads: true}
	a.Coord[0] = []uint32{f(.10), f(.14), f(.11), f(.16)}
	u := makeSampled(a, v, &resource.Sampler{})
	for lane, want := range [4][2]float64{{.04, .01}, {.04, .02}, {.05, .01}, {.05, .02}} {
		if g := u.gradients(lane, 4); math.Abs(g.x[0]-want[0]) > 1e-7 || math.Abs(g.y[0]-want[1]) > 1e-7 {
			t.Errorf("lane %d: %v %v, want %v", lane, g.x[0], g.y[0], want)
		}
	}
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(256, 256, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit})
	op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.DimCube, Lod: ir.LodGrad}
	x := lane1{op: op, coord: []float32{1, .25, -.5}, dx: []float32{0, .01, 0}, dy: []float32{0, 0, .02}}
	u = makeSampled(x.args(), newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)}), &resource.Sampler{})
	at, g := u.locate(0, 1)
	lambda, _ := u.lambdaPrime(0, 1, &g)
	if at.face != 0 || at.c[0] != .75 || at.c[1] != .375 || math.Abs(lambda-1.35614381) > 1e-7 {
		t.Errorf("face %d at %v, λ %v", at.face, at.c, lambda)
	}
}

// IMG-434: Px; Py; max → η, N, λ.
func TestAnisotropy_IMG434(t *testing.T) {
	rules.Covers(t, "TC-35", "IMG-431", "IMG-432", "IMG-433", "IMG-434")
	for _, c := range []struct {
		px, py      [2]float64
		max         float64
		eta, n, lam float64
	}{
		{[2]float64{4, 0}, [2]float64{0, 1}, 16, 4, 4, 0},
		{[2]float64{4, 0}, [2]float64{0, 1}, 2, 2, 2, 1},
		{[2]float64{3, 4}, [2]float64{0, 0}, 16, 16, 16, -1.678072},
		{[2]float64{2, 2}, [2]float64{2, -2}, 16, 1, 1, 1.5},
		{[2]float64{2, 2}, [2]float64{2, 1}, 16, 6.342329, 7, -.832506},
		{[2]float64{6, 2}, [2]float64{-1, 1}, 16, 5.052061, 6, .331564},
		{[2]float64{32, 0}, [2]float64{0, 1}, 16, 16, 16, 1},
	} {
		u := sampled{dims: 2, aniso: c.max, base: [3]float64{1, 1, 1}}
		g := gradients{x: [3]float64{c.px[0], c.px[1]}, y: [3]float64{c.py[0], c.py[1]}, given: true}
		lambda, f := u.anisotropic(&g)
		if math.Abs(f.eta-c.eta) > 0x1p-16 || float64(f.probes) != c.n || math.Abs(lambda-c.lam) > 0x1p-19 {
			t.Errorf("%v %v max %v: η %v N %d λ %v", c.px, c.py, c.max, f.eta, f.probes, lambda)
		}
	}
}

// IMG-567: (a) constants, (c) η = 1 changes no bit, (e) stripes.
func TestAnisotropy_IMG567(t *testing.T) {
	rules.Covers(t, "TC-77", "IMG-561", "IMG-562", "IMG-567")
	r := rand.New(rand.NewPCG(13, 14))
	op := sampleOp(ir.Dim2D)
	op.Lod = ir.LodGrad
	flat := imageOf(t, vk.FormatR8G8B8A8Unorm, 8, 8)
	for i := range flat.Data {
		flat.Data[i] = 0x4D
	}
	noise := randomImage(t, r, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Srgb, Extent: extent(16, 16, 1), MipLevels: 5})
	stripes := imageOf(t, vk.FormatR8Unorm, 16, 16)
	for i := range stripes.Data[:256] {
		stripes.Data[i] = byte(i%2) * 255
	}
	sampler := resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9}
	off := newSampler(t, sampler)
	sampler.AnisotropyEnable, sampler.MaxAnisotropy = true, 16
	on := newSampler(t, sampler)
	sampler.MinFilter = vk.FilterNearest
	nearest := newSampler(t, sampler)
	vFlat, vNoise, vStripes := newView(t, flat, resource.ViewDesc{}), newView(t, noise, resource.ViewDesc{}), newView(t, stripes, resource.ViewDesc{})
	for range 200 {
		g := func() float32 { return float32(r.NormFloat64()) * 0.3 }
		x := lane1{op: op, coord: []float32{g(), g()}, dx: []float32{g(), g()}, dy: []float32{g(), g()}}
		if got := x.run(vFlat, on); got != flat.Info.Decode(flat.Data) {
			t.Fatalf("(a) %v", floats(got))
		}
		x.dx[1], x.dy[0], x.dy[1] = 0, 0, -x.dx[0]
		if a, b := x.run(vNoise, on), x.run(vNoise, off); a != b {
			t.Fatalf("(c) %v and %v", floats(a), floats(b))
		}
		x = lane1{op: op, coord: []float32{g(), g()}, dx: []float32{4.0 / 16, 0}, dy: []float32{0, 1.0 / 16}}
		if got := x.red(vStripes, on); math.Abs(float64(got)-0.5) > 0x1p-8 {
			t.Fatalf("(e) %v", got)
		}
		// Four probes of the nearest texel, minified, where one would be 0 or 1.
		x.dx, x.dy = []float32{6.0 / 16, 0}, []float32{0, 1.5 / 16}
		if got := x.red(vStripes, nearest); got != 0.5 {
			t.Fatalf("(e) nearest %v", got)
		}
	}
}

// IMG-563: a probe that leaves its face is a sample of the face it reaches.
func TestAnisotropy_IMG563_ProbesCrossFaces(t *testing.T) {
	rules.Covers(t, "IMG-563")
	r := rand.New(rand.NewPCG(17, 18))
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(8, 8, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit})
	for i := range 6 * 64 {
		setFloat(im, 0, i/64, i%8, i/8%8, r.Float32())
	}
	v := newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AnisotropyEnable: true, MaxAnisotropy: 16})
	op := sampleOp(ir.DimCube)
	op.Lod = ir.LodGrad
	// On +Z: Px = 2 texels, Py = 1 texel, so two probes at s ± 1/16.
	const sFace, tFace = 0.975, 0.4375
	x, y, z := cubeDirection(facePosZ, 2*sFace-1, 2*tFace-1)
	got := lane1{op: op, coord: []float32{float32(x), float32(y), float32(z)}, dx: []float32{0.5, 0, 0}, dy: []float32{0, 0.25, 0}}.red(v, s)
	want := 0.0
	for _, d := range []float64{-1.0 / 16, 1.0 / 16} {
		x, y, z := cubeDirection(facePosZ, 2*(sFace+d)-1, 2*tFace-1)
		want += float64(lane1{op: sampleOp(ir.DimCube), coord: []float32{float32(x), float32(y), float32(z)}}.red(v, s)) / 2
	}
	if math.Abs(float64(got)-want) > 1e-6 {
		t.Errorf("got %v, want the mean of two samples %v", got, want)
	}
}
