package texel

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// Routines decode the reference's texels of BC1 to BC5: of blocks whose endpoints are random, equal and
// extreme, at all edges of images whose sizes are no multiples of a block's.
func TestRoutines_Blocks(t *testing.T) {
	rules.Covers(t, "IMG-040", "IMG-257", "IMG-323", "IMG-759", "IMG-800", "IMG-801", "IMG-802", "IMG-804", "IMG-805", "IMG-807")
	r := rand.New(rand.NewPCG(81, 82))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	const n = 256
	u.Sites(1, n)
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	for f := vk.FormatBc1RgbUnormBlock; f <= vk.FormatBc5SnormBlock; f++ {
		for i := range 12 * rounds {
			d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(uint32(1+r.IntN(24)), uint32(1+r.IntN(24)), 1), MipLevels: 1, ArrayLayers: 3}
			if d.Extent.Width > 3 {
				d.MipLevels = 2
			}
			view, op := vk.ImageViewType2DArray, ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Arrayed: true, Coords: 3, GradCoords: 2, Results: 4, Lod: ir.LodExplicit}
			switch i % 6 {
			case 0:
				op.Kind, op.Lod, op.GatherComp = ir.ImageGather, 0, uint8(r.IntN(4))
			case 1:
				d.Type, d.ArrayLayers, d.Extent.Depth, view, op.Dim, op.Arrayed, op.GradCoords = vk.ImageType3D, 1, 3, vk.ImageViewType3D, ir.Dim3D, false, 3
			}
			mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(r.IntN(5)) }
			c := testCase{op: op, s: must(resource.NewSampler(resource.Sampler{MagFilter: vk.Filter(r.IntN(2)), MinFilter: vk.Filter(r.IntN(2)), MipmapMode: vk.SamplerMipmapMode(r.IntN(2)), MaxLod: 9,
				AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode(), BorderColor: vk.BorderColor(r.IntN(6))}))}
			how := r.IntN(4)
			c.v = filled(d, view, func(int) uint32 {
				w := r.Uint32()
				switch {
				case how == 0: // equal endpoints
					return w&0xFFFF*0x10001&^0xFF00 | w&0xFF<<8
				case how == 1:
					return []uint32{0, ^uint32(0), 0x80807F80, 0x00FF7F81, 0xFF8180FF, w}[r.IntN(6)]
				}
				return w
			})
			a := &ref.Args{Op: &op}
			for d := range op.Coords {
				a.Coord[d] = floats(n, func(int) float64 { return r.Float64()*1.5 - 0.25 })
			}
			if op.Arrayed {
				a.Coord[2] = floats(n, func(int) float64 { return float64(r.IntN(4)) })
			}
			a.Lod = floats(n, func(int) float64 { return r.Float64()*2 - 0.5 })
			results(a, n)
			if err := compare(&u, &c, a, n); err != nil {
				t.Fatal(err)
			}
			if u.accesses[0].thread == nil {
				t.Fatalf("no routine for %v", &c)
			}
		}
	}
}
