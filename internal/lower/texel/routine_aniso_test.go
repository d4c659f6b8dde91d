package texel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// anisoCases calls f with random instructions whose sampler is anisotropic, and operands for n lanes: footprints of
// all directions, of ratios at and beside integers, along the axes, on a line and in a point.
func anisoCases(r *rand.Rand, rounds, n int, f func(c *testCase, a *ref.Args)) {
	formats := []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR16G16B16A16Unorm, vk.FormatR8G8B8A8Snorm, vk.FormatR32Sfloat, vk.FormatR32Sfloat, vk.FormatR8G8B8A8Srgb, vk.FormatD32Sfloat,
		vk.FormatR8G8Unorm, vk.FormatB10G11R11UfloatPack32, vk.FormatD16Unorm, vk.FormatR5G6B5UnormPack16}
	special := []uint32{0, 1 << 31, 0x7FC12345, 0x7FC12346, 0x7F800000, 0x3F800000, 0x7F7FFFFF, // numbers from here on
		0x3F812347, 0xBF812349, 0x2F654321, 0x27ABCDEF, 0xB7000001}
	for i := range rounds {
		d := resource.ImageDesc{Type: vk.ImageType2D, Format: formats[i%len(formats)], Extent: extent(32, 32, 1), MipLevels: 4, ArrayLayers: 3}
		if r.IntN(2) == 0 {
			d.Extent = extent(27, 20, 1)
		}
		view, op := vk.ImageViewType2DArray, ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Arrayed: true, Coords: 3, GradCoords: 2, Results: 4, Lod: ir.LodGrad}
		depth := d.Format == vk.FormatD32Sfloat || d.Format == vk.FormatD16Unorm
		if !depth && r.IntN(4) == 0 {
			d.Type, d.ArrayLayers, d.Extent.Depth, view, op.Dim, op.Arrayed, op.GradCoords = vk.ImageType3D, 1, 9, vk.ImageViewType3D, ir.Dim3D, false, 3
		}
		op.Dref, op.HasOffset, op.HasMinLod = depth && r.IntN(2) == 0, r.IntN(5) == 0, r.IntN(5) == 0
		words := d.Format == vk.FormatR32Sfloat
		some := special
		if r.IntN(2) == 0 {
			some = special[7:]
		}
		c := testCase{op: op, v: filled(d, view, func(int) uint32 {
			if words {
				return some[r.IntN(len(some))]
			}
			return r.Uint32()
		})}
		mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(r.IntN(5)) }
		c.s = must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.Filter(min(r.IntN(3), 1)), MipmapMode: vk.SamplerMipmapMode(r.IntN(2)), MaxLod: 9,
			MipLodBias: []float32{0, 0, 0.3}[r.IntN(3)], AnisotropyEnable: true, MaxAnisotropy: []float32{16, 16, 4, 1.5, 2.7}[r.IntN(5)], CompareOp: vk.CompareOpLess, BorderColor: vk.BorderColor(r.IntN(6)),
			AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode()}))
		a := &ref.Args{Op: &c.op}
		for d := range op.Coords {
			a.Coord[d] = floats(n, func(i int) float64 {
				switch i & 15 {
				case 0:
					return float64(specials[r.IntN(len(specials))])
				case 1:
					return float64(r.IntN(1<<20) - 1<<19)
				}
				return float64(r.IntN(80)-20)/20 + r.Float64()*float64(r.IntN(2))
			})
		}
		size := [3]float64{float64(d.Extent.Width), float64(d.Extent.Height), float64(d.Extent.Depth)}
		for d := range op.GradCoords {
			a.DX[d], a.DY[d] = make([]uint32, n), make([]uint32, n)
		}
		for i := range n {
			length := math.Exp2(float64(r.IntN(9)-4)/2) * (1 + 0.001*float64(r.IntN(3)))
			ratio := float64(1 + r.IntN(18)*min(r.IntN(4), 1))
			ratio += []float64{0, 0, 5e-7, 3e-6, 2e-5, -5e-7, -3e-6, 0.37}[r.IntN(8)] * ratio
			turn := []float64{0, 0, math.Pi / 2, r.Float64() * 7}[r.IntN(4)]
			var x, y [3]float64
			x[0], x[1] = length*ratio*math.Cos(turn), length*ratio*math.Sin(turn)
			y[0], y[1] = -length*math.Sin(turn), length*math.Cos(turn)
			if math.Abs(math.Cos(turn)) < 1e-9 { // along the axes
				x[0], y[1] = 0, 0
			}
			x[2], y[2] = float64(r.IntN(2))*r.NormFloat64(), float64(r.IntN(2))*r.NormFloat64()
			switch r.IntN(12) {
			case 0: // on a line
				y = x
			case 1:
				y = [3]float64{}
			case 2: // a point
				x, y = [3]float64{}, [3]float64{}
			case 3:
				x[r.IntN(3)] = float64(specials[r.IntN(len(specials))])
			}
			if r.IntN(2) == 0 {
				x, y = y, x
			}
			for d := range op.GradCoords {
				a.DX[d][i], a.DY[d][i] = math.Float32bits(float32(x[d]/size[d])), math.Float32bits(float32(y[d]/size[d]))
			}
		}
		if op.Dref {
			a.Dref = floats(n, func(int) float64 { return r.Float64() })
		}
		if op.HasOffset {
			for d := range op.GradCoords {
				a.Offset[d] = make([]uint32, n)
				for i := range n {
					a.Offset[d][i] = uint32(r.IntN(17) - 8)
					if r.IntN(20) == 0 { // which Vulkan does not allow
						a.Offset[d][i] = r.Uint32() >> r.IntN(32)
					}
				}
			}
		}
		if op.HasMinLod {
			a.MinLod = floats(n, func(int) float64 { return r.Float64() * 3 })
		}
		results(a, n)
		f(&c, a)
	}
}

// Routines make the reference's probes.
func TestRoutines_Probes(t *testing.T) {
	rules.Covers(t, "IMG-431", "IMG-432", "IMG-433", "IMG-434", "IMG-466", "IMG-475", "IMG-560", "IMG-561", "IMG-562", "IMG-563", "IMG-564", "IMG-565",
		"IMG-566", "IMG-567", "IMG-568")
	r := rand.New(rand.NewPCG(61, 62))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	const n = 64
	u.Sites(1, n)
	rounds, lanes, left := 900, 0, 0
	if testing.Short() {
		rounds = 150
	}
	anisoCases(r, rounds, n, func(c *testCase, a *ref.Args) {
		if err := compare(&u, c, a, n); err != nil {
			t.Fatal(err)
		}
		if u.accesses[0].thread != nil {
			lanes, left = lanes+n, left+len(u.routines.left)
		}
	})
	t.Logf("of %d lanes, %d on the reference", lanes, left)
	if lanes < rounds*n*9/10 {
		t.Errorf("only %d lanes in routines", lanes)
	}
}

// An image whose texels are equal gives them, bit for bit, whatever the footprint is.
func TestRoutines_TC77_EqualTexels(t *testing.T) {
	rules.Covers(t, "TC-77", "IMG-534", "IMG-562")
	r := rand.New(rand.NewPCG(63, 64))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	const n = 16
	u.Sites(1, n)
	lanes := 0
	anisoCases(r, 150, n, func(c *testCase, a *ref.Args) {
		if c.op.Dref {
			return
		}
		texel := byte(1 + r.IntN(0x7E)) // as a byte of a float, a finite one
		for i := range c.v.Image.Data {
			c.v.Image.Data[i] = texel
		}
		c.s = must(resource.NewSampler(resource.Sampler{
			MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MaxLod: 9,
			MipmapMode: vk.SamplerMipmapModeLinear, AnisotropyEnable: true, MaxAnisotropy: 16,
		})) // REPEAT: no border, which is another constant
		u.Run(0, a, c.v, c.s, n)
		want := c.v.Image.Info.Decode(c.v.Image.Data)
		for i, got := range a.Out {
			for lane := range got {
				if lanes++; got[lane] != want[i] {
					t.Fatalf("component %d of lane %d is %#x, want %#x\n%v",
						i, lane, got[lane], want[i], c)
				}
			}
		}
	})
	if lanes < 4*n*80 || u.accesses[0].thread == nil {
		t.Errorf("only %d components, or none by routines", lanes)
	}
}

// The places of probes, i/(n−1), are what divisions give.
func TestRoutines_PlacesOfProbes(t *testing.T) {
	for n := 1; n < 16; n++ {
		inverse := 1 / float64(n)
		for i := range n + 1 {
			q := float64(float64(i) * inverse)
			if got, want := math.FMA(math.FMA(-q, float64(n), float64(i)), inverse, q), float64(i)/float64(n); got != want {
				t.Errorf("%d/%d is %v", i, n, got)
			}
		}
	}
}
