package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// A rectangle of 32×16 blocks, wherever it begins, has a slot of the cache for each of
// them, and so have the first 256 of a slice and of the one above it.
func TestSlot_NeighboursApart(t *testing.T) {
	for salt := range int32(3) {
		l := level{salt: salt * 0x55}
		for _, first := range [][3]int32{{0, 0, 0}, {32, 16, 0}, {96, 48, 3}} {
			used := map[int32]bool{}
			for x := range int32(32) {
				for y := range int32(16) {
					used[l.slot(first[0]+x, first[1]+y, first[2])&(blockSlots-1)] = true
				}
			}
			if len(used) != blockSlots {
				t.Errorf("from %d, salt %d: %d slots for %d blocks", first, salt, len(used), blockSlots)
			}
		}
	}
	var l level
	for z := range int32(50) {
		if l.slot(3, 5, z) == l.slot(3, 5, z+1) {
			t.Errorf("slices %d and %d have one slot", z, z+1)
		}
	}
	var p plan
	p.make(&ir.ImageOp{Dim: ir.Dim2D}, viewOf(vk.FormatBc7UnormBlock, 5, 0), &resource.Sampler{})
	levels := map[int32]bool{}
	for at := range p.levels[:5] {
		levels[p.levels[at].slot(0, 0, 0)&(blockSlots-1)] = true
	}
	if len(levels) != 5 {
		t.Errorf("the first blocks of five levels have %d slots", len(levels))
	}
}

// blockCase samples the texels of an image of blocks, lane by lane.
func blockCase(f vk.Format, w, h, n uint32) (*resource.ImageView, *resource.Sampler, *ref.Args) {
	im := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(w, h, 1)}))
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		panic(err)
	}
	a := &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Coords: 2}}
	for c := range a.Out {
		a.Out[c] = make([]uint32, n)
	}
	a.Coord[0], a.Coord[1] = make([]uint32, n), make([]uint32, n)
	for i := range n {
		a.Coord[0][i], a.Coord[1][i] = i%w, i/w
	}
	return must(resource.NewView(im, resource.ViewDesc{})), must(resource.NewSampler(resource.Sampler{})), a
}

// A block is decoded once: while the cache has room for all of them, what it holds is what
// is read, whichever batch asks, by a fetch or a filter. A change of format empties it, and
// allocates nothing.
func TestBlocks_DecodedOnce(t *testing.T) {
	const w, h, n = 128, 64, 128 * 64 // as many blocks as slots
	r := rand.New(rand.NewPCG(3, 1))
	other, nearest, ofOther := blockCase(vk.FormatBc3UnormBlock, 4, 4, 16)
	for _, f := range []vk.Format{vk.FormatBc1RgbaUnormBlock, vk.FormatBc7UnormBlock} {
		v, _, a := blockCase(f, w, h, n)
		for i := range v.Image.Data {
			v.Image.Data[i] = byte(r.Uint32())
		}
		copy(other.Image.Data, v.Image.Data)
		const edge = vk.SamplerAddressModeClampToEdge
		linear := must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, AddressModeU: edge, AddressModeV: edge, UnnormalizedCoordinates: true}))
		for _, portable := range []bool{false, true} {
			u := &Unit{Portable: portable}
			u.Sites(2, n)
			u.Run(0, a, v, nil, n)
			for i := range u.block.data {
				u.block.data[i] = format.Texel{0x3F800000, 2, 3, 0x3F800000}
			}
			u.Run(0, a, v, nil, n)
			filtered := &ref.Args{Op: &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, Lod: ir.LodZero}}
			for c := range filtered.Out {
				filtered.Out[c] = make([]uint32, n)
			}
			for d := range 2 {
				filtered.Coord[d] = make([]uint32, n)
				for i, x := range a.Coord[d] {
					filtered.Coord[d][i] = math.Float32bits(float32(x) + 0.25)
				}
			}
			u.Run(1, filtered, v, linear, n)
			for i := range a.Out[0] {
				if a.Out[0][i] != 0x3F800000 || filtered.Out[3][i] != 0x3F800000 {
					t.Fatalf("%v: texel %d was decoded again", f, i)
				}
			}
			if err := compare(u, &testCase{*ofOther.Op, other, nearest}, ofOther, 16); err != nil {
				t.Error(err)
			}
			if x := testing.AllocsPerRun(10, func() {
				u.Run(0, a, v, nil, 64)
				u.Run(1, ofOther, other, nil, 16)
			}); x != 0 {
				t.Errorf("%v: %v allocations", f, x)
			}
		}
	}
}

// A block of zeros is one: an empty slot does not stand for it. So is one that differs from
// the last of its slot in either half.
func TestBlocks_Zeros(t *testing.T) {
	for _, f := range []vk.Format{vk.FormatBc1RgbUnormBlock, vk.FormatBc3UnormBlock, vk.FormatBc7UnormBlock, vk.FormatEtc2R8G8B8UnormBlock, vk.FormatAstc4x4UnormBlock} {
		v, s, a := blockCase(f, 8, 8, 64)
		u := &Unit{}
		u.Sites(1, 64)
		for _, at := range []int{-1, 0, 7, len(v.Image.Data) - 1} {
			if at >= 0 {
				v.Image.Data[at] ^= 0x41
			}
			if err := compare(u, &testCase{*a.Op, v, s}, a, 64); err != nil {
				t.Errorf("%v, byte %d: %v", f, at, err)
			}
		}
	}
}
