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

// sparse is a mask of some lanes of few quads.
func sparse(r *rand.Rand, n int) []uint32 {
	m := make([]uint32, n)
	for q := 0; q < n; q += 4 {
		if r.IntN(3) > 0 {
			continue
		}
		for i := q; i < min(q+4, n); i++ {
			m[i] = -(r.Uint32() & 1)
		}
	}
	return m
}

// Routines choose the reference's levels and weights: over all levels, at and beside the
// places where they change, with biases and bounds; and they leave few lanes to it.
func TestRoutines_Levels(t *testing.T) {
	rules.Covers(t, "IMG-008", "IMG-040", "IMG-042", "IMG-396", "IMG-397", "IMG-398", "IMG-399", "IMG-400", "IMG-404", "IMG-425", "IMG-426", "IMG-427", "IMG-428",
		"IMG-429", "IMG-430", "IMG-445", "IMG-446", "IMG-447", "IMG-448", "IMG-449", "IMG-450", "IMG-451", "IMG-452", "IMG-460", "IMG-461", "IMG-462",
		"IMG-463", "IMG-464", "IMG-465", "IMG-466")
	r := rand.New(rand.NewPCG(31, 32))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	const n = 256
	u.Sites(1, n)
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	lanes, left := map[ir.LodMode]int{}, map[ir.LodMode]int{}
	for _, size := range [][2]uint32{{64, 64}, {60, 37}} {
		im := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(size[0], size[1], 1), MipLevels: 6, ArrayLayers: 2}))
		data := make([]byte, im.Layout.Size)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if err := im.Bind(data); err != nil {
			t.Fatal(err)
		}
		for cut := range 3 {
			vd := resource.ViewDesc{}
			if cut > 0 {
				vd.Range.BaseMipLevel, vd.Range.LevelCount = 1, uint32(cut)+2
				vd.MinLod = float32(cut) * 0.75
			}
			view := vk.ImageViewType2DArray
			vd.Type = &view
			v := must(resource.NewView(im, vd))
			for i := range 80 * rounds {
				filter, mip := vk.Filter(i&1), vk.SamplerMipmapMode(i>>1&1)
				bias := []float32{0, 0, 0.5, -0.3, 1.0 / 512, 2.001953125, -15, 1e-7}[r.IntN(8)]
				lo := []float32{0, 0, 0.5, 1.7}[r.IntN(4)]
				min := filter
				if r.IntN(3) == 0 {
					if min = 1 - filter; r.IntN(2) == 0 {
						bias, lo = 0, 0
					}
				}
				s := must(resource.NewSampler(resource.Sampler{MagFilter: filter, MinFilter: min, MipmapMode: mip, MipLodBias: bias, MinLod: lo,
					MaxLod: lo + []float32{0, 0.501, 2.25, 20}[r.IntN(4)]}))
				mode := []ir.LodMode{ir.LodImplicit, ir.LodExplicit, ir.LodGrad, ir.LodBias, ir.LodZero}[i>>2%5]
				op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Arrayed: true, Coords: 3, GradCoords: 2, Results: 4, Lod: mode}
				a := &ref.Args{Op: &op, Quads: r.IntN(8) > 0}
				if r.IntN(3) == 0 {
					a.Mask = sparse(r, n)
				}
				row := func(f func(i int) float64) []uint32 {
					w := make([]uint32, n)
					for i := range w {
						w[i] = math.Float32bits(float32(f(i)))
					}
					return w
				}
				step := math.Exp2(-3+9*r.Float64()) / float64(size[0])
				if r.IntN(4) == 0 { // whole and half levels
					step = math.Exp2(float64(r.IntN(14)-4)/2) / float64(size[0])
				}
				turn := []float64{0, math.Pi / 4, r.Float64() * 7}[r.IntN(3)]
				bend := []float64{0, 1}[r.IntN(2)] * step / 8
				for d := range 2 {
					cos, sin := math.Cos(turn), math.Sin(turn)*float64(1-2*d)
					if d == 1 {
						cos, sin = -sin, cos
					}
					a.Coord[d] = row(func(i int) float64 {
						x, y := float64(i/4%8*2+i%2), float64(i/32*2+i/2%2)
						return 0.1 + step*(cos*x+sin*y) + bend*x*y
					})
				}
				a.Coord[2] = row(func(i int) float64 { return float64(i & 1) })
				switch mode {
				case ir.LodExplicit, ir.LodBias:
					a.Lod = row(func(i int) float64 {
						switch i & 3 {
						case 0:
							return float64(r.IntN(4000)-500) / 512
						case 1:
							return float64(math.Nextafter32(float32(r.IntN(4000)-500)/512, float32(r.IntN(3)-1)*100))
						case 2:
							return float64(specials[r.IntN(len(specials))])
						}
						return r.Float64() * 7
					})
				case ir.LodGrad:
					for d := range 2 {
						f := func(i int) float64 {
							switch {
							case r.IntN(100) == 0:
								return float64(specials[r.IntN(len(specials))])
							case i&7 == 7: // a place where the result changes, or some numbers beside it
								x := float32(math.Exp2((float64(r.IntN(1024))+0.5)/256) / float64(size[d]))
								if r.IntN(4) == 0 { // from magnification to minification
									x = 1 / float32(size[d])
								}
								return float64(math.Float32frombits(math.Float32bits(x) + uint32(r.IntN(17)-8)))
							}
							return step * r.NormFloat64()
						}
						a.DX[d], a.DY[d] = row(f), row(f)
						for i := 7; i < n; i += 8 {
							a.DY[d][i] = 0
							if d == 1 {
								a.DX[d][i] = 0
							}
						}
					}
				}
				if op.HasMinLod = r.IntN(4) == 0; op.HasMinLod {
					a.MinLod = row(func(i int) float64 {
						switch i & 7 {
						case 0:
							return float64(specials[r.IntN(len(specials))])
						case 1:
							return float64(r.IntN(2000)-500) / 512
						}
						return r.Float64()*3 - 1
					})
				}
				if op.HasOffset = r.IntN(5) == 0; op.HasOffset {
					for d := range 2 {
						a.Offset[d] = make([]uint32, n)
						for i := range n {
							a.Offset[d][i] = uint32(r.IntN(16) - 8)
						}
					}
				}
				results(a, n)
				c := testCase{op: op, v: v, s: s}
				if err := compare(&u, &c, a, n); err != nil {
					t.Fatal(err)
				}
				if s.MaxLod > 0 && mode != ir.LodZero && !op.HasOffset && u.accesses[0].thread == nil {
					t.Fatalf("no routine for %v", &c)
				}
				lanes[mode] += n
				left[mode] += len(u.routines.left)
			}
		}
	}
	t.Logf("of %v lanes, %v on the reference", lanes, left)
	// The other modes are on the edges here.
	if mode := ir.LodImplicit; left[mode] > lanes[mode]/50 {
		t.Errorf("%d of %d lanes on the reference", left[mode], lanes[mode])
	}
}
