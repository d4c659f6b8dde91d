package sampling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The steps of an instruction show in what its result depends on: each knob
// belongs to a column of the catalogue's table of instructions.
func TestSteps_IMG075(t *testing.T) {
	rules.Covers(t, "IMG-075")
	r := rand.New(rand.NewPCG(75, 1))
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(16, 16, 1), MipLevels: 5})
	for level := range 5 {
		for i := range 256 >> (2 * level) {
			setFloat(im, level, 0, i%(16>>level), i/(16>>level), r.Float32()/2+0.25)
		}
	}
	plain, swizzled := resource.ViewDesc{}, resource.ViewDesc{}
	swizzled.Components.R = vk.ComponentSwizzleOne
	knobs := []struct {
		column byte
		view   resource.ViewDesc
		set    func(*resource.Sampler)
	}{
		{'L', plain, func(s *resource.Sampler) { s.MinLod = 3 }},
		{'A', plain, func(s *resource.Sampler) { s.AnisotropyEnable, s.MaxAnisotropy = true, 8 }},
		{'W', plain, func(s *resource.Sampler) { s.AddressModeU, s.AddressModeV = edge, mirrored }},
		{'F', plain, func(s *resource.Sampler) { s.MagFilter, s.MinFilter = nearest, nearest }},
		{'D', plain, func(s *resource.Sampler) { s.CompareOp = vk.CompareOpGreater }},
		{'S', swizzled, func(*resource.Sampler) {}},
	}
	type op = ir.ImageOp
	for _, c := range []struct {
		name    string
		op      op
		columns string
	}{
		{"SampleImplicitLod", op{Lod: ir.LodImplicit}, "LAWFS"},
		{"SampleImplicitLod Bias", op{Lod: ir.LodBias}, "LAWFS"},
		{"SampleExplicitLod Lod", op{Lod: ir.LodExplicit}, "LWFS"},
		{"SampleExplicitLod Grad", op{Lod: ir.LodGrad}, "LAWFS"},
		{"SampleDrefImplicitLod", op{Lod: ir.LodImplicit, Dref: true}, "LAWFDS"},
		{"SampleDrefExplicitLod Lod", op{Lod: ir.LodExplicit, Dref: true}, "LWFDS"},
		{"SampleDrefExplicitLod Grad", op{Lod: ir.LodGrad, Dref: true}, "LAWFDS"},
		{"Gather", op{Kind: ir.ImageGather}, "WS"},
		{"GatherQCOM", op{Kind: ir.ImageGather, NearestOrigin: true}, "WS"},
		{"DrefGather", op{Kind: ir.ImageGather, Dref: true}, "WDS"},
		{"Fetch", op{Kind: ir.ImageFetch}, "S"},
		{"Read", op{Kind: ir.ImageRead}, ""},
		{"QuerySizeLod", op{Kind: ir.ImageQuerySize}, ""},
		{"QueryLod", op{Kind: ir.ImageQueryLod}, "LA"},
		{"QueryLevels", op{Kind: ir.ImageQueryLevels}, ""},
	} {
		c.op.Dim = ir.Dim2D
		// Several quads, since a knob need not change every texel.
		const n = 64
		a := &Args{Op: &c.op, Quads: true}
		column := func(value func(lane int) float64) (x []uint32) {
			for i := range n {
				x = append(x, math.Float32bits(float32(value(i))))
			}
			return x
		}
		for l := range n {
			// 3 texels to the right, 1 down: two probes and more between levels 0 and 2.
			x, y := 1.1+0.11*float64(l/4)+3.0/16*float64(l%2), 1.2+0.07*float64(l/4)+1.0/16*float64(l/2%2)
			if c.op.Kind == ir.ImageFetch || c.op.Kind == ir.ImageRead {
				a.Coord[0], a.Coord[1] = append(a.Coord[0], uint32(l%16)), append(a.Coord[1], uint32(l/4))
				continue
			}
			a.Coord[0], a.Coord[1] = append(a.Coord[0], math.Float32bits(float32(x))), append(a.Coord[1], math.Float32bits(float32(y)))
		}
		switch c.op.Lod {
		case ir.LodExplicit:
			a.Lod = column(func(int) float64 { return 0.75 })
		case ir.LodBias:
			a.Lod = column(func(int) float64 { return -0.25 })
		case ir.LodGrad:
			a.DX[0], a.DX[1] = column(func(int) float64 { return 3.0 / 16 }), make([]uint32, n)
			a.DY[0], a.DY[1] = make([]uint32, n), column(func(int) float64 { return 1.0 / 16 })
		}
		if c.op.Dref {
			a.Dref = column(func(int) float64 { return 0.5 })
		}
		run := func(d resource.ViewDesc, s resource.Sampler) (out []uint32) {
			for i := range a.Out {
				a.Out[i] = make([]uint32, n)
			}
			both(a, newView(t, im, d), newSampler(t, s), n)
			return slices.Concat(a.Out[:]...)
		}
		base := resource.Sampler{MagFilter: linear, MinFilter: linear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9, CompareEnable: c.op.Dref, CompareOp: vk.CompareOpLess}
		want := run(plain, base)
		for _, k := range knobs {
			if c.op.Kind == ir.ImageRead && k.column == 'S' {
				continue // views of storage images have no swizzle
			}
			s := base
			k.set(&s)
			got := !slices.Equal(run(k.view, s), want)
			if depends := slices.Contains([]byte(c.columns), k.column); got != depends {
				t.Errorf("%s: the result depends on %c: %v, want %v", c.name, k.column, got, depends)
			}
		}
		// Texels out of range are replaced without coordinates that wrap.
		if c.op.Kind == ir.ImageFetch || c.op.Kind == ir.ImageRead {
			for l := range n {
				a.Coord[0][l] = 16
			}
			if out := run(plain, base); out[0] != 0 {
				t.Errorf("%s outside: %#x", c.name, out[0])
			}
		}
	}
}

// Outside of shaders: 1·x = x, x + 0 = x, and single operations to 1 part in
// 10⁵ for magnitudes up to 2³².
func TestFiltering_IMG700_Floor(t *testing.T) {
	rules.Covers(t, "IMG-700")
	r := rand.New(rand.NewPCG(700, 1))
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(2, 1, 1)})
	v := newView(t, im, resource.ViewDesc{})
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge})
	at := func(u float32) float32 { return lane1{op: sampleOp(ir.Dim1D), coord: []float32{u}}.red(v, s) }
	for range 2000 {
		a, b := float32(math.Ldexp(1+r.Float64(), r.IntN(64)-32)), float32(math.Ldexp(1+r.Float64(), r.IntN(64)-32))
		setFloat(im, 0, 0, 0, 0, a)
		setFloat(im, 0, 0, 1, 0, b)
		if got := [2]float32{at(0.25), at(0.75)}; got != [2]float32{a, b} {
			t.Fatalf("weights 1 and 0 of %v and %v: %v", a, b, got)
		}
		f := float64(r.IntN(257)) / 256
		want := float64(a)*(1-f) + float64(b)*f
		if got := float64(at(float32(0.25 + f/2))); math.Abs(got-want) > 1e-5*want {
			t.Fatalf("%v of %v and %v: %v, want %v", f, a, b, got, want)
		}
	}
}
