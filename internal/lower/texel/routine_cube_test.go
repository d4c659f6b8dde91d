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

// Routines select the reference's faces and join them as it does: directions to all faces, their
// edges and corners, of small and large faces, for all instructions that sample cubes.
func TestRoutines_Cubes(t *testing.T) {
	rules.Covers(t, "IMG-005", "IMG-023", "IMG-043", "IMG-215", "IMG-216", "IMG-217", "IMG-218", "IMG-220", "IMG-221", "IMG-222", "IMG-410", "IMG-411",
		"IMG-412", "IMG-413", "IMG-414", "IMG-415", "IMG-416", "IMG-417", "IMG-465", "IMG-503", "IMG-560", "IMG-561", "IMG-562", "IMG-563", "IMG-564",
		"IMG-565", "IMG-567")
	r := rand.New(rand.NewPCG(71, 72))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	const n = 128
	u.Sites(1, n)
	rounds, lanes, left := 700, 0, 0
	if testing.Short() {
		rounds = 200
	}
	formats := []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Unorm, vk.FormatR16G16Snorm, vk.FormatR32Sfloat, vk.FormatR8G8B8A8Srgb, vk.FormatD32Sfloat, vk.FormatR16Unorm, vk.FormatB10G11R11UfloatPack32}
	for i := range rounds {
		side := []uint32{1, 2, 3, 8, 21, 64}[r.IntN(6)]
		d := resource.ImageDesc{Type: vk.ImageType2D, Format: formats[i%len(formats)], Extent: extent(side, side, 1), MipLevels: 1 + r.IntN(1+int(math.Log2(float64(side)))),
			ArrayLayers: 12, Flags: vk.ImageCreateCubeCompatibleBit}
		op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.DimCube, Arrayed: true, Coords: 4, GradCoords: 3, Results: 4, Lod: ir.LodMode(r.IntN(5))}
		if r.IntN(4) == 0 {
			op.Kind, op.Lod, op.GatherComp = ir.ImageGather, 0, uint8(r.IntN(4))
		}
		op.Dref = d.Format == vk.FormatD32Sfloat && r.IntN(2) == 0
		mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(r.IntN(5)) }
		s := resource.Sampler{MagFilter: vk.Filter(min(r.IntN(4), 1)), MinFilter: vk.Filter(min(r.IntN(4), 1)), MipmapMode: vk.SamplerMipmapMode(r.IntN(2)), MaxLod: 9, CompareOp: vk.CompareOpLess,
			NonSeamless: r.IntN(4) == 0, AddressModeU: mode(), AddressModeV: mode(), BorderColor: vk.BorderColor(r.IntN(6)), MipLodBias: float32(r.IntN(2)) / 4}
		if r.IntN(3) == 0 {
			s.AnisotropyEnable, s.MaxAnisotropy = true, 8
		}
		c := testCase{op: op, s: must(resource.NewSampler(s)), v: filled(d, vk.ImageViewTypeCubeArray, func(int) uint32 { return r.Uint32() })}
		a := &ref.Args{Op: &op, Quads: true}
		for d := range op.Coords {
			a.Coord[d] = make([]uint32, n)
		}
		step := math.Exp2(float64(r.IntN(8)-6)) / float64(side)
		for q := 0; q < n; q += 4 {
			var v, dx, dy [3]float64
			for d := range v {
				v[d], dx[d], dy[d] = r.NormFloat64(), step*r.NormFloat64(), step*r.NormFloat64()
			}
			axis, other := r.IntN(3), r.IntN(3)
			v[axis] = float64(2*r.IntN(2)-1) * (1 + math.Abs(v[0]) + math.Abs(v[1]) + math.Abs(v[2]))
			switch r.IntN(6) {
			case 0, 1: // beside an edge
				v[other] = math.Copysign(math.Abs(v[axis])*(1-r.Float64()*2/float64(side)), v[other])
			case 2: // at one
				v[other] = math.Copysign(math.Abs(v[axis]), v[other])
			case 3: // at or beside a corner
				for d := range v {
					v[d] = math.Copysign(1-float64(r.IntN(2))*r.Float64()/float64(side), v[d])
				}
			}
			none := r.IntN(12) == 0 // zeros, infinities or NaNs alone
			for k := range 4 {
				for d := range v {
					if none {
						a.Coord[d][q+k] = math.Float32bits(float32([]float64{0, math.Copysign(0, -1), 0, math.Inf(1), math.NaN()}[r.IntN(5-2*(k&1))]))
						continue
					}
					x := float32(v[d] + dx[d]*float64(k&1) + dy[d]*float64(k>>1))
					if r.IntN(60) == 0 {
						x = specials[r.IntN(len(specials))]
					}
					a.Coord[d][q+k] = math.Float32bits(x)
				}
				a.Coord[3][q+k] = math.Float32bits(float32(r.IntN(4)-1) / 2)
			}
		}
		if op.Lod == ir.LodGrad {
			for d := range 3 {
				f := func(int) float64 { return step * r.NormFloat64() * float64(r.IntN(5)) }
				a.DX[d], a.DY[d] = floats(n, f), floats(n, f)
			}
		}
		if op.Lod == ir.LodExplicit || op.Lod == ir.LodBias {
			a.Lod = floats(n, func(int) float64 { return r.Float64()*4 - 1 })
		}
		if op.Dref {
			a.Dref = floats(n, func(int) float64 { return r.Float64() })
		}
		results(a, n)
		if err := compare(&u, &c, a, n); err != nil {
			t.Fatal(err)
		}
		if u.accesses[0].thread != nil {
			lanes, left = lanes+n, left+len(u.routines.left)
		}
	}
	t.Logf("of %d lanes, %d on the reference", lanes, left)
	if lanes < rounds*n*3/4 {
		t.Errorf("only %d of %d lanes in routines", lanes, rounds*n)
	}
}
