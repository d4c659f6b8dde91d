package sampling

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// encoded is the footprint of a set of texels.
func encoded(dim ir.ImageDim, granularity int, texels ...[3]int) footprintResult {
	dims := 2
	if dim == ir.Dim3D {
		dims = 3
	}
	u := sampled{dims: dims, a: &Args{Op: &ir.ImageOp{Dim: dim, Granularity: uint8(granularity)}}}
	var set texelSet
	for _, t := range texels {
		set.add(t)
	}
	var r footprintResult
	u.encode(&r, &set)
	return r
}

func box2(x0, x1, y0, y1 int) (list [][3]int) {
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			list = append(list, [3]int{x, y})
		}
	}
	return list
}

func TestFootprint_CatalogueVectors(t *testing.T) {
	rules.Covers(t, "IMG-634", "IMG-636", "IMG-637", "IMG-638", "TC-80", "IMG-630", "IMG-631", "IMG-632", "IMG-633", "IMG-635")
	for _, c := range []struct {
		texels [][3]int
		g      int
		want   footprintResult
	}{
		{box2(3, 4, 3, 4), 1, footprintResult{Mask: [2]uint32{0x00060600, 0}}},
		{box2(15, 16, 0, 1), 1, footprintResult{Anchor: [3]uint32{1, 0}, Offset: [3]uint32{1, 0}, Mask: [2]uint32{0x81, 0}}},
		{box2(31, 32, 31, 32), 3, footprintResult{Anchor: [3]uint32{1, 1}, Offset: [3]uint32{1, 1}, Mask: [2]uint32{0x81, 0x81000000}}},
		{box2(5, 39, 10, 10), 1, footprintResult{Granularity: 4, Mask: [2]uint32{0x001F0000, 0}}},
	} {
		if got := encoded(ir.Dim2D, c.g, c.texels...); got != c.want {
			t.Errorf("granularity %d: %+v, want %+v", c.g, got, c.want)
		}
	}
}

// decode is IMG-635: the texels that a result covers.
func decode(dim ir.ImageDim, asked int, r footprintResult) map[[3]int]bool {
	g := int(r.Granularity)
	if g == 0 {
		g = asked
	}
	size, _ := footprintGroup(dim, g)
	_, k := groupsOf(dim)
	depth := 1
	if dim == ir.Dim3D {
		depth = k
	}
	out := map[[3]int]bool{}
	for z := range depth {
		for y := range k {
			for x := range k {
				bit := (z*k+y)*k + x
				if (uint64(r.Mask[1])<<32|uint64(r.Mask[0]))>>bit&1 == 0 {
					continue
				}
				var at [3]int
				for d, lg := range [3]int{x, y, z} {
					if at[d] = size[d] * (k*int(r.Anchor[d]) + lg); lg+int(r.Offset[d]) >= k {
						at[d] = size[d] * (k*(int(r.Anchor[d])-1) + lg)
					}
					if depth == 1 && d == 2 {
						at[d] = 0
					}
				}
				out[at] = true
			}
		}
	}
	return out
}

// Whatever the texels, decoding gives their groups.
func TestFootprint_EncodingDecodes(t *testing.T) {
	rules.Covers(t, "IMG-631", "IMG-634", "IMG-635", "IMG-636", "IMG-630", "IMG-632", "IMG-633", "IMG-637", "IMG-638")
	r := rand.New(rand.NewPCG(19, 20))
	for _, dim := range []ir.ImageDim{ir.Dim2D, ir.Dim3D} {
		list, _ := groupsOf(dim)
		for range 2000 {
			g := list[r.IntN(len(list))]
			var texels [][3]int
			at := [3]int{r.IntN(2000), r.IntN(2000), r.IntN(200)}
			for range 1 + r.IntN(12) {
				x := [3]int{at[0] + r.IntN(12), at[1] + r.IntN(3), 0}
				if dim == ir.Dim3D {
					x = [3]int{at[0] + r.IntN(6), at[1] + r.IntN(3), at[2] + r.IntN(2)}
				}
				texels = append(texels, x)
			}
			res := encoded(dim, g.code, texels...)
			got := decode(dim, g.code, res)
			code := g.code
			if res.Granularity != 0 {
				code = int(res.Granularity)
			}
			size, _ := footprintGroup(dim, code)
			want := map[[3]int]bool{}
			for _, x := range texels {
				want[[3]int{x[0] / size[0] * size[0], x[1] / size[1] * size[1], x[2] / size[2] * size[2]}] = true
			}
			for k := range want {
				if !got[k] {
					t.Fatalf("granularity %d of %v: group at %v is missing in %+v", g.code, texels, k, res)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("granularity %d of %v: %d groups, want %d", g.code, texels, len(got), len(want))
			}
		}
	}
}

func footprintParts(v *resource.ImageView, s *resource.Sampler, x lane1) footprintResult {
	var r footprintResult
	x.op.Kind = ir.ImageFootprint
	for part := range ir.FootprintPart(3) {
		x.op.Part = part
		a := x.args()
		if x.op.Lod == ir.LodExplicit {
			a.Lod = one(x.lod)
		}
		both(a, v, s, 1)
		o := [4]uint32{a.Out[0][0], a.Out[1][0], a.Out[2][0], a.Out[3][0]}
		switch part {
		case ir.FootprintAnchor:
			r.Anchor, r.Single = [3]uint32(o[:3]), o[3] != 0
		case ir.FootprintOffset:
			r.Offset, r.LOD = [3]uint32(o[:3]), o[3]
		case ir.FootprintMask:
			r.Mask, r.Granularity = [2]uint32(o[:2]), o[2]
		}
	}
	return r
}

// IMG-632 and IMG-633: the levels, and the texels of the equivalent sample; no
// memory is read (IMG-639).
func TestFootprint_LevelsAndTaps(t *testing.T) {
	rules.Covers(t, "IMG-630", "IMG-631", "IMG-632", "IMG-633", "IMG-634", "IMG-635", "IMG-636", "IMG-637", "IMG-639")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(16, 16, 1), MipLevels: 5})
	v := newView(t, im, resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseMipLevel: 1}}) // 8×8
	s := resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: edge, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9}
	at := lane1{op: ir.ImageOp{Dim: ir.Dim2D, Lod: ir.LodExplicit, Granularity: 1}, coord: []float32{0.5, 0.5}, lod: 0.5}
	fine := footprintParts(v, newSampler(t, s), at)
	if want := (footprintResult{Mask: [2]uint32{0x00060600 >> 0, 0}}); fine != want {
		// Texels 3 and 4 are in groups 1 and 2 of each axis.
		t.Errorf("fine: %+v, want %+v", fine, want)
	}
	at.op.Coarse = true
	if got, want := footprintParts(v, newSampler(t, s), at), (footprintResult{LOD: 1, Mask: [2]uint32{1 | 1<<8 | 1 | 1<<1 | 1<<9}}); got != want {
		t.Errorf("coarse: %+v, want %+v", got, want) // texels 1 and 2 of level 1
	}
	at.lod = 1
	if got, want := footprintParts(v, newSampler(t, s), at), (footprintResult{Single: true, LOD: 1}); got != want {
		t.Errorf("coarse of one level: %+v, want %+v", got, want)
	}
	at.op.Coarse = false
	// The texel at its centre: weight-zero taps are not in the footprint.
	at.coord, at.lod = []float32{0.4375, 0.4375}, 0
	if got := footprintParts(v, newSampler(t, s), at); got.Mask != [2]uint32{1 << (8 + 1), 0} || !got.Single {
		t.Errorf("a texel's centre: %+v", got)
	}
	s.MinFilter, s.MagFilter = nearest, nearest
	if got := footprintParts(v, newSampler(t, s), at); got.Mask != [2]uint32{1 << (8 + 1), 0} {
		t.Errorf("nearest: %+v", got)
	}
	// Edges clamp; a bad granularity gives nothing.
	s.MinFilter, s.MagFilter = linear, linear
	at.coord = []float32{0, 0}
	if got := footprintParts(v, newSampler(t, s), at); got.Mask != [2]uint32{1, 0} {
		t.Errorf("at the edge: %+v", got)
	}
	at.op.Granularity = 8
	if got := footprintParts(v, newSampler(t, s), at); got != (footprintResult{}) {
		t.Errorf("granularity 8: %+v", got)
	}
	for _, x := range []float32{nan, inf, -inf, 3e38} {
		at.op.Granularity, at.coord, at.lod = 1, []float32{x, x}, x
		footprintParts(v, newSampler(t, s), at)
	}
}

func TestFootprint_Volume(t *testing.T) {
	rules.Covers(t, "IMG-630", "IMG-631", "IMG-634", "IMG-632", "IMG-633", "IMG-635", "IMG-636", "IMG-637")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: extent(16, 16, 16)})
	s := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge})
	at := lane1{op: ir.ImageOp{Dim: ir.Dim3D, Lod: ir.LodExplicit, Granularity: 1}, coord: []float32{0.5, 0.5, 0.5}}
	// Texels 7 and 8 are groups 3 and 4: a window from 1 to 4, anchored at 1.
	want := footprintResult{Single: true, Anchor: [3]uint32{1, 1, 1}, Offset: [3]uint32{1, 1, 1}}
	for _, z := range []int{3, 0} {
		for _, y := range []int{3, 0} {
			for _, x := range []int{3, 0} {
				bit := 16*z + 4*y + x
				want.Mask[bit/32] |= 1 << (bit % 32)
			}
		}
	}
	if got := footprintParts(newView(t, im, resource.ViewDesc{}), s, at); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Texels 3 and 4 of y are groups 1 and 2, in the window that begins at 0.
	at.coord[1] = 0.25
	want = footprintResult{Single: true, Anchor: [3]uint32{1, 0, 1}, Offset: [3]uint32{1, 0, 1}}
	for _, bit := range []int{0, 3, 48, 51} {
		for _, y := range []int{1, 2} {
			want.Mask[bit/32] |= 1 << (bit%32 + 4*y)
		}
	}
	if got := footprintParts(newView(t, im, resource.ViewDesc{}), s, at); got != want {
		t.Errorf("lower: %+v, want %+v", got, want)
	}
}

// Taps that a filter weighs with 0 are none: CUBIC in the middle of a texel reads it alone, halfway to the next four by four.
func TestFootprint_IMG633_Cubic(t *testing.T) {
	rules.Covers(t, "IMG-633")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(16, 16, 1)})
	s := newSampler(t, resource.Sampler{MagFilter: cubic, MinFilter: cubic, AddressModeU: edge, AddressModeV: edge})
	for at, want := range map[[2]float32][]int{
		{8.5, 8.5}: {36}, {8.5, 9}: {28, 36, 44}, {9, 8.5}: {35, 36, 37}, {9, 9}: {27, 28, 29, 35, 36, 37, 43, 44, 45}, // groups of 2×2 texels, 8 in a row
	} {
		x := lane1{op: ir.ImageOp{Dim: ir.Dim2D, Lod: ir.LodExplicit, Granularity: 1}, coord: []float32{at[0] / 16, at[1] / 16}}
		var mask [2]uint32
		for _, bit := range want {
			mask[bit/32] |= 1 << (bit % 32)
		}
		if got := footprintParts(newView(t, im, resource.ViewDesc{}), s, x); got.Mask != mask {
			t.Errorf("at %v: %x, want %x", at, got.Mask, mask)
		}
	}
}

func TestFootprintGroup_IMG631(t *testing.T) {
	rules.Covers(t, "IMG-631", "IMG-635", "IMG-637")
	// By code; a zero size is no group.
	flat := [16][3]int{
		1: {2, 2, 1}, 2: {4, 2, 1}, 3: {4, 4, 1}, 4: {8, 4, 1}, 5: {8, 8, 1}, 6: {16, 8, 1}, 7: {16, 16, 1},
		11: {64, 64, 1}, 12: {128, 64, 1}, 13: {128, 128, 1}, 14: {256, 128, 1}, 15: {256, 256, 1},
	}
	deep := [16][3]int{
		1: {2, 2, 2}, 3: {4, 4, 2}, 10: {16, 16, 16}, 11: {32, 16, 16}, 12: {32, 32, 16}, 13: {32, 32, 32}, 14: {64, 32, 32},
	}
	for code := range 16 {
		if got, ok := footprintGroup(ir.Dim2D, code); got != flat[code] || ok != (got[0] != 0) {
			t.Errorf("2D %d: %v, %v", code, got, ok)
		}
		if got, ok := footprintGroup(ir.Dim3D, code); got != deep[code] || ok != (got[0] != 0) {
			t.Errorf("3D %d: %v, %v", code, got, ok)
		}
	}
}
