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

// IMG-560: the axis of the probes is the longest of all that lie between the two
// derivatives, cos φ·x + sin φ·y, in texels of the base level; so is ρ_max, and the
// shortest is ρ_min.
func TestAnisotropy_IMG560_AxisIsTheLongest(t *testing.T) {
	rules.Covers(t, "IMG-560", "IMG-432")
	r := rand.New(rand.NewPCG(5, 60))
	for i := range 300 {
		dims := 2 + i%2
		u := sampled{dims: dims, aniso: 16, base: [3]float64{8, 4, 2}}
		g := gradients{given: true}
		for d := range dims {
			g.x[d], g.y[d] = r.NormFloat64(), r.NormFloat64()
		}
		switch i % 8 {
		case 0, 1: // at right angles: one derivative is the axis
			g.x, g.y = [3]float64{0.5, 0, 0}, [3]float64{0, 0.25 + float64(i%2), 0}
		case 2:
			g.x, g.y = [3]float64{0, 0, 0}, [3]float64{0, 0.25, 0}
		}
		along := func(phi float64) (length float64, v [3]float64) {
			s, c := math.Sincos(phi)
			for d := range dims {
				v[d] = c*g.x[d] + s*g.y[d]
				length += v[d] * u.base[d] * v[d] * u.base[d]
			}
			return math.Sqrt(length), v
		}
		longest, shortest := 0.0, math.Inf(1)
		var axis [3]float64
		for k := range 20000 {
			l, v := along(math.Pi * float64(k) / 20000)
			if l > longest {
				longest, axis = l, v
			}
			shortest = min(shortest, l)
		}
		lambda, f := u.anisotropic(&g)
		eta := math.Min(math.Max(longest/shortest, 1), 16)
		if math.Abs(f.eta-eta) > 1e-3*eta || math.Abs(lambda-math.Log2(longest/eta)) > 1e-3 {
			t.Fatalf("%v %v: η %v, λ %v, want %v and %v", g.x, g.y, f.eta, lambda, eta, math.Log2(longest/eta))
		}
		if eta < 1.01 {
			continue // a circle has no axis
		}
		same, turned := 0.0, 0.0
		for d := range dims {
			same = max(same, math.Abs(f.axis[d]-axis[d]))
			turned = max(turned, math.Abs(f.axis[d]+axis[d]))
		}
		if min(same, turned) > 2e-3*(1+longest)*eta/(eta-1) {
			t.Fatalf("%v %v: axis %v, want %v", g.x, g.y, f.axis, axis)
		}
	}
}

// IMG-434: derivatives without length, not finite, or parallel.
func TestAnisotropy_IMG434_Degenerate(t *testing.T) {
	rules.Covers(t, "IMG-432", "IMG-433", "IMG-434")
	u := sampled{dims: 2, aniso: 4, base: [3]float64{1, 1, 1}}
	for _, c := range []struct {
		x, y   [3]float64
		probes int
		eta    float64
	}{
		{[3]float64{}, [3]float64{}, 1, 1}, {[3]float64{math.NaN()}, [3]float64{}, 1, 1}, {[3]float64{math.Inf(1)}, [3]float64{}, 1, 1},
		{[3]float64{1e200}, [3]float64{}, 1, 1}, {[3]float64{1, 1}, [3]float64{2, 2}, 4, 4}, {[3]float64{1, 0}, [3]float64{0, 1}, 1, 1}, {[3]float64{1.5, 0}, [3]float64{0, 1}, 2, 1.5},
	} {
		_, f := u.anisotropic(&gradients{x: c.x, y: c.y, given: true})
		if f.probes != c.probes || math.Abs(f.eta-c.eta) > 16*0x1p-20 {
			t.Errorf("%v %v: %d probes, η %v", c.x, c.y, f.probes, f.eta)
		}
	}
	// Parallel, though roundings may say otherwise.
	for i := range 1000 {
		x := [3]float64{float64(float32(math.Sqrt(float64(i) + 1.7))), float64(float32(math.Cbrt(float64(3*i) + 0.3)))}
		if _, f := u.anisotropic(&gradients{x: x, y: [3]float64{3 * x[0], 3 * x[1]}, given: true}); f.probes != 4 {
			t.Fatalf("%v and three times that: %d probes", x, f.probes)
		}
	}
	if ex, ey := axisOf(-1, 0, 1); ex != 0 || ey != 1 {
		t.Errorf("the axis of y is (%v, %v)", ex, ey)
	}
	if ex, ey := axisOf(1, 0, 1); ex != 1 || ey != 0 {
		t.Errorf("the axis of x is (%v, %v)", ex, ey)
	}
}

// IMG-413: in binary32 the edges of a face are 0 and 1 and its middle is ½, of whatever length the
// direction is; the rest of a face lies in between, and ends are reached by nothing else.
func TestFace_IMG413_Ends(t *testing.T) {
	rules.Covers(t, "IMG-413")
	r := rand.New(rand.NewPCG(413, 1))
	for range 10_000 {
		rc := math.Float32frombits(r.Uint32N(0x7F800000-1) + 1)
		for c, want := range map[float32]float64{rc: 1, -rc: 0, 0: 0.5} {
			if got := cubeCoord(float64(c), float64(rc)); got != want {
				t.Fatalf("%g of %g: %g, want %g", c, rc, got, want)
			}
		}
		c := float32(r.Float64()) * rc
		if got := cubeCoord(float64(c), float64(rc)); got < 0.5 || got > 1 || got == 1 && c < rc*(1-0x1p-22) {
			t.Fatalf("%g of %g: %g", c, rc, got)
		}
	}
	inf := math.Inf(1)
	if got := cubeCoord(inf, inf); got == got {
		t.Errorf("∞ of ∞: %g", got)
	}
	if got := cubeCoord(1, inf); got != 0.5 {
		t.Errorf("1 of ∞: %g", got)
	}
}

// IMG-561 to IMG-563: probes are even steps along (1 − 1/η) of the axis, around the
// middle; past a face's edge they are where the direction through them leads.
func TestProbe_IMG561_Places(t *testing.T) {
	rules.Covers(t, "IMG-561", "IMG-563")
	u := sampled{dims: 2}
	at := spot{c: [3]float64{0.5, 0.25}}
	f := footprint{probes: 3, eta: 4, axis: [3]float64{0.5, -0.25}}
	for i, want := range [][3]float64{{0.3125, 0.34375}, {0.5, 0.25}, {0.6875, 0.15625}} {
		if got := u.probe(&at, &f, i); got.c != want {
			t.Errorf("probe %d at %v, want %v", i, got.c, want)
		}
	}
	f.probes = 1
	if got := u.probe(&at, &f, 0); got != at {
		t.Errorf("the only probe at %v", got.c)
	}
	// Two probes half a face apart, of each face, over each edge.
	u.cube = true
	for face := range 6 {
		for _, c := range [][2]float64{{0, 0.25}, {1, 0.75}, {0.25, 0}, {0.75, 1}, {0.5, 0.5}} {
			for k := range 2 {
				f := footprint{probes: 2, eta: 2}
				f.axis[k] = 0.5
				for i, t0 := range []float64{-0.25, 0.25} {
					got := u.probe(&spot{face: face, c: [3]float64{c[0], c[1]}}, &f, i)
					p := c
					p[k] += t0 * 0.5
					x, y, z := cubeDirection(face, 2*p[0]-1, 2*p[1]-1)
					gx, gy, gz := cubeDirection(got.face, 2*got.c[0]-1, 2*got.c[1]-1)
					// The same direction, of another length, on the face where it is, whose coordinates
					// are off by 2⁻²⁴ each: twice that in three components of a direction.
					l, gl := math.Sqrt(x*x+y*y+z*z), math.Sqrt(gx*gx+gy*gy+gz*gz)
					if math.Abs(x/l-gx/gl)+math.Abs(y/l-gy/gl)+math.Abs(z/l-gz/gl) > 6*0x1p-24 {
						t.Errorf("face %d, %v by %v: on face %d at %v", face, c, t0*0.5, got.face, got.c)
					}
					inside := p[0] >= 0 && p[0] <= 1 && p[1] >= 0 && p[1] <= 1
					if (got.face == face) != inside || got.c[0] < 0 || got.c[0] > 1 || got.c[1] < 0 || got.c[1] > 1 {
						t.Errorf("face %d, %v by %v: on face %d at %v", face, c, t0*0.5, got.face, got.c)
					}
				}
			}
		}
	}
}

// IMG-006, IMG-007: huge coordinates become safe ones that wrap to the same texel.
func TestReduceCoord_IMG006_EachMode(t *testing.T) {
	rules.Covers(t, "IMG-006", "IMG-007")
	const big = 1 << 40
	for _, mode := range []addressMode{modeRepeat, modeMirroredRepeat, modeClampToEdge, modeClampToBorder, modeMirrorClampToEdge} {
		for _, u := range []float64{0, -0.5, 1<<30 - 1, -1<<30 + 1} {
			if got := reduceCoord(u, mode, 5); got != u {
				t.Errorf("mode %d: %v became %v", mode, u, got)
			}
		}
		for _, u := range []float64{1 << 30, -1 << 30, big + 3, -big - 3, big + 0.5, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p900} {
			got := reduceCoord(u, mode, 5)
			if !(math.Abs(got) <= 1<<30) {
				t.Errorf("mode %d: %v became %v", mode, u, got)
			}
			if mode == modeRepeat || mode == modeMirroredRepeat {
				want := 0.0
				if !math.IsInf(u, 0) && u == u {
					want = math.Mod(u, 10)
				}
				if got != want {
					t.Errorf("mode %d: %v became %v, want %v", mode, u, got, want)
				}
			} else if want := math.Copysign(1<<30, u); u == u && got != want {
				t.Errorf("mode %d: %v became %v, want %v", mode, u, got, want)
			}
		}
	}
}

// IMG-560: probes are made where the sampler asks for anisotropy and magnifies with LINEAR, else the level is that of
// the longer side: of 8 texels and 1 the third.
func TestAnisotropy_IMG560_WhereAskedFor(t *testing.T) {
	rules.Covers(t, "IMG-560")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(16, 16, 1), MipLevels: 5})
	for level := range 5 {
		for i := range 256 >> (2 * level) {
			setFloat(im, level, 0, i%(16>>level), i/(16>>level), float32(level))
		}
	}
	v := newView(t, im, resource.ViewDesc{})
	op := sampleOp(ir.Dim2D)
	op.Lod = ir.LodGrad
	x := lane1{op: op, coord: []float32{0.5, 0.5}, dx: []float32{0.5, 0}, dy: []float32{0, 1. / 16}}
	for _, c := range []struct {
		enable   bool
		mag, min vk.Filter
		want     float32
	}{{true, linear, linear, 0}, {true, linear, nearest, 0}, {true, nearest, linear, 3}, {true, nearest, nearest, 3}, {false, linear, linear, 3}} {
		s := newSampler(t, resource.Sampler{MagFilter: c.mag, MinFilter: c.min, MaxLod: 9, AnisotropyEnable: c.enable, MaxAnisotropy: 16})
		if got := x.red(v, s); got != c.want {
			t.Errorf("enabled %v, filters %v and %v: level %v, want %v", c.enable, c.mag, c.min, got, c.want)
		}
	}
}

// IMG-304: what has no image, no memory, no sampler or no shape for the instruction
// gives zeros, in the lanes that are asked for and in no others.
func TestRun_IMG304_Nothing(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-304")
	full := imageOf(t, vk.FormatR8G8B8A8Unorm, 4, 4)
	for i := range full.Data {
		full.Data[i] = 255
	}
	view := newView(t, full, resource.ViewDesc{})
	sampler := newSampler(t, resource.Sampler{AddressModeU: edge, AddressModeV: edge})
	unbound := *full
	unbound.Data = nil
	without := func(f func(v *resource.ImageView)) *resource.ImageView { v := *view; f(&v); return &v }
	sampled := []ir.ImageKind{ir.ImageSample, ir.ImageGather, ir.ImageQueryLod, ir.ImageFootprint, ir.ImageWeighted, ir.ImageBoxFilter, ir.ImageBlockMatch}
	reads := []ir.ImageKind{ir.ImageFetch, ir.ImageRead, ir.ImageQuerySize, ir.ImageQueryLevels, ir.ImageQuerySamples, ir.ImageAtomic}
	check := func(name string, k ir.ImageKind, dim ir.ImageDim, v *resource.ImageView, s *resource.Sampler, lanes int) {
		t.Helper()
		a := &Args{Op: &ir.ImageOp{Kind: k, Dim: dim}, Mask: []uint32{1, 0, 1, 1}}
		for c := range a.Out {
			a.Coord[c], a.Out[c] = make([]uint32, 4), []uint32{7, 7, 7, 7}
		}
		a.Out[2] = nil
		both(a, v, s, lanes)
		for c, out := range a.Out {
			for lane, x := range out {
				want := uint32(0)
				if a.Mask[lane] == 0 || lane >= lanes || k == ir.ImageQueryLevels && c > 0 {
					want = 7
				}
				if x != want && !(k > ir.ImageAtomic && k <= ir.ImageQuerySamples && c > 0) {
					t.Errorf("%s, kind %d: lane %d of component %d is %d", name, k, lane, c, x)
				}
			}
		}
	}
	for _, k := range append(sampled, reads...) {
		check("no view", k, ir.Dim2D, nil, sampler, 3)
		check("no image", k, ir.Dim2D, without(func(v *resource.ImageView) { v.Image = nil }), sampler, 4)
		check("no memory", k, ir.Dim2D, without(func(v *resource.ImageView) { v.Image = &unbound }), sampler, 4)
		check("no format", k, ir.Dim2D, without(func(v *resource.ImageView) { v.Info = nil }), sampler, 4)
	}
	for _, k := range sampled {
		check("no sampler", k, ir.Dim2D, view, nil, 4)
		if k != ir.ImageQueryLod {
			check("a cube of one layer", k, ir.DimCube, view, sampler, 4)
			check("a buffer", k, ir.DimBuffer, view, sampler, 4)
		}
	}
	check("no instruction", 99, ir.Dim2D, view, sampler, 4)
	row := newView(t, newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(4, 1, 1)}), resource.ViewDesc{})
	check("the footprint of a row", ir.ImageFootprint, ir.Dim1D, row, sampler, 4)
	check("the footprint of a cube", ir.ImageFootprint, ir.DimCube, imageC2(t), sampler, 4)
	for _, k := range []ir.ImageKind{ir.ImageQueryLevels, ir.ImageQuerySamples} { // what is there is told
		if got := (lane1{op: ir.ImageOp{Kind: k, Dim: ir.Dim2D}}).run(view, nil)[0]; got != 1 {
			t.Errorf("kind %d of an image: %d", k, got)
		}
	}
	for _, b := range []*resource.BufferView{nil, {}} {
		a := &Args{Op: &ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer}}
		a.Coord[0], a.Out[0] = []uint32{0}, []uint32{7}
		if RunBuffer(a, b, 0, 1); a.Out[0][0] != 0 {
			t.Error("a fetch from no buffer")
		}
	}
	// Not all that is square is a cube, and not all cubes are square.
	oblong := newView(t, newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(4, 2, 1), ArrayLayers: 6}), resource.ViewDesc{})
	if op := (&ir.ImageOp{Dim: ir.DimCube}); shapeFits(op, oblong) || !shapeFits(op, imageC2(t)) || shapeFits(op, view) {
		t.Error("cubes")
	}
}

// Window cuts every operand and result, and leaves what is not there.
func TestArgs_Window(t *testing.T) {
	var a Args
	a.Window(1, 3)
	if a.Dref != nil || a.Coord[0] != nil {
		t.Error("a window into nothing")
	}
	var all []*[]uint32
	for i := range a.Coord {
		all = append(all, &a.Coord[i], &a.Texel[i], &a.Out[i])
	}
	for i := range a.DX {
		all = append(all, &a.DX[i], &a.DY[i], &a.Offset[i])
	}
	all = append(all, &a.Dref, &a.Lod, &a.MinLod, &a.SampleIndex, &a.RefCoord[0], &a.RefCoord[1], &a.Block[0], &a.Block[1], &a.Mask)
	for _, s := range all {
		*s = []uint32{0, 1, 2, 3}
	}
	a.Window(1, 3)
	for i, s := range all {
		if len(*s) != 2 || (*s)[0] != 1 {
			t.Errorf("operand %d: %v", i, *s)
		}
	}
}
