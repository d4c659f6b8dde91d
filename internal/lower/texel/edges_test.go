package texel

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// Fetches and reads at and past every end, of levels, layers, samples and texels: as
// the reference, lane by lane.
func TestFetch_EveryEnd(t *testing.T) {
	rules.Covers(t, "IMG-030", "IMG-074", "IMG-200", "IMG-201", "IMG-202", "IMG-203", "IMG-204", "IMG-205", "IMG-300", "IMG-301", "IMG-305", "IMG-306", "IMG-372")
	r := rand.New(rand.NewPCG(4, 8))
	units := unitsOf(512)
	for _, d := range []struct {
		desc resource.ImageDesc
		view vk.ImageViewType
		dim  ir.ImageDim
		op   ir.ImageOp
	}{
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(6, 5, 1), Samples: 4}, vk.ImageViewType2D, ir.Dim2D, ir.ImageOp{HasSample: true}},
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(6, 5, 1), Samples: 2, ArrayLayers: 3}, vk.ImageViewType2DArray, ir.Dim2D, ir.ImageOp{HasSample: true, Arrayed: true}},
		{resource.ImageDesc{Type: vk.ImageType2D, Extent: extent(6, 5, 1), MipLevels: 3, ArrayLayers: 3}, vk.ImageViewType2DArray, ir.Dim2D, ir.ImageOp{Arrayed: true}},
		{resource.ImageDesc{Type: vk.ImageType1D, Extent: extent(6, 1, 1), MipLevels: 2}, vk.ImageViewType1D, ir.Dim1D, ir.ImageOp{}},
		{resource.ImageDesc{Type: vk.ImageType3D, Extent: extent(6, 5, 4), MipLevels: 2}, vk.ImageViewType3D, ir.Dim3D, ir.ImageOp{}},
	} {
		for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR32Uint, vk.FormatR16G16Sfloat, vk.FormatR5G6B5UnormPack16} {
			d.desc.Format = f
			im := must(resource.NewImage(d.desc))
			if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
				t.Fatal(err)
			}
			for i := range im.Data {
				im.Data[i] = byte(r.Uint32()) | 1
			}
			v := must(resource.NewView(im, resource.ViewDesc{Type: &d.view}))
			op := d.op
			op.Kind, op.Dim, op.Results = ir.ImageFetch, d.dim, 4
			const n = 320
			a := &ref.Args{Op: &op, Lod: make([]uint32, n), SampleIndex: make([]uint32, n)}
			dims := map[ir.ImageDim]int{ir.Dim1D: 1, ir.Dim2D: 2, ir.Dim3D: 3}[d.dim]
			if op.Arrayed {
				dims++
			}
			for c := range dims {
				a.Coord[c] = make([]uint32, n)
			}
			for c := range a.Out {
				a.Out[c] = make([]uint32, n)
			}
			for lane := range n {
				for c := range dims {
					a.Coord[c][lane] = uint32(r.IntN(9) - 1)
				}
				a.Lod[lane] = uint32(max(0, r.IntN(8)-4))
				if lane%17 == 0 {
					a.Lod[lane] = 1<<32 - 1
				}
				a.SampleIndex[lane] = uint32(r.IntN(6))
			}
			if !op.HasSample {
				a.SampleIndex = nil
			} else {
				a.Lod = nil
			}
			for i := range units {
				if err := compare(units[i], &testCase{op, v, &resource.Sampler{}}, a, n); err != nil {
					t.Fatal(err)
				}
			}
			if _, ok := keyOf(&op, v, nil); !ok {
				t.Errorf("%v of %v is not lowered", d.dim, f)
			}
		}
	}
}

// Blocks that differ in their second half only, or that another image's block of the
// same place was decoded for, are not mistaken for each other.
func TestBlocks_NotMistaken(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 8))
	for _, u := range unitsOf(128) {
		for _, f := range []vk.Format{vk.FormatBc7UnormBlock, vk.FormatBc3UnormBlock, vk.FormatBc1RgbUnormBlock, vk.FormatEtc2R8G8B8A8UnormBlock, vk.FormatAstc4x4UnormBlock, vk.FormatAstc8x8UnormBlock} {
			im := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(64, 64, 1)}))
			if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
				t.Fatal(err)
			}
			v := must(resource.NewView(im, resource.ViewDesc{}))
			op := ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}
			const n = 128
			a := &ref.Args{Op: &op}
			a.Coord[0], a.Coord[1] = make([]uint32, n), make([]uint32, n)
			for c := range a.Out {
				a.Out[c] = make([]uint32, n)
			}
			low := r.Uint64()
			for round := range 6 {
				for at := 0; at+16 <= len(im.Data); at += 16 {
					if binary.LittleEndian.PutUint64(im.Data[at:], low); round&1 == 1 {
						binary.LittleEndian.PutUint64(im.Data[at:], r.Uint64())
					}
					binary.LittleEndian.PutUint64(im.Data[at+8:], r.Uint64())
				}
				for lane := range n {
					a.Coord[0][lane], a.Coord[1][lane] = uint32(r.IntN(64)), uint32(r.IntN(64))
				}
				if err := compare(u, &testCase{op, v, &resource.Sampler{}}, a, n); err != nil {
					t.Fatal(fmt.Errorf("%v, round %d: %w", f, round, err))
				}
			}
		}
	}
}

// IMG-520: a view whose minLod leaves out its base level gathers zeros, from one level
// up on exactly.
func TestGather_IMG520_MinLod(t *testing.T) {
	rules.Covers(t, "IMG-520")
	im := must(resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(16, 16, 1), MipLevels: 5}))
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	for i := range im.Data {
		im.Data[i] = byte(i*7) | 1
	}
	for base := range uint32(3) {
		for _, above := range []float32{0, 0.5, 0.999, 1, 1.001, 2} {
			v := must(resource.NewView(im, resource.ViewDesc{MinLod: float32(base) + above, Range: vk.ImageSubresourceRange{BaseMipLevel: base, LevelCount: 5 - base}}))
			op := ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Coords: 2}
			u := unitsOf(8)[0]
			a := &ref.Args{Op: &op}
			a.Coord[0], a.Coord[1] = []uint32{0x3F000000, 0x3E000000}, []uint32{0x3F000000, 0x3F400000}
			for c := range a.Out {
				a.Out[c] = []uint32{9, 9}
			}
			if err := compare(u, &testCase{op, v, &resource.Sampler{}}, a, 2); err != nil {
				t.Fatal(err)
			}
			if zero := a.Out[0][0] == 0; zero != (above >= 1) {
				t.Errorf("base level %d, minLod %v above it: zeros %v", base, above, zero)
			}
		}
	}
}

// Instructions on no image give what the reference gives, which is zero.
func TestRun_NullView(t *testing.T) {
	for _, kind := range []ir.ImageKind{ir.ImageSample, ir.ImageGather, ir.ImageFetch, ir.ImageRead, ir.ImageWrite} {
		a := &ref.Args{Op: &ir.ImageOp{Kind: kind, Dim: ir.Dim2D}}
		var want ref.Args
		for c := range a.Out {
			a.Coord[c], a.Texel[c], a.Out[c] = make([]uint32, 4), make([]uint32, 4), []uint32{7, 7, 7, 7}
			want.Out[c] = []uint32{7, 7, 7, 7}
		}
		out := want.Out
		want = *a
		want.Out = out
		ref.Run(&want, nil, &resource.Sampler{}, 4)
		var u Unit
		u.Sites(1, 4)
		u.Run(0, a, nil, &resource.Sampler{}, 4)
		if !reflect.DeepEqual(a.Out, want.Out) {
			t.Errorf("kind %d: %v, reference %v", kind, a.Out, want.Out)
		}
	}
}

// Images that lie in sparse blocks: texels and blocks of every class, where the columns and
// slabs of a level are no multiples of a pitch apart.
func TestRun_SparseBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66))
	const n = 128
	units := unitsOf(n)
	for _, f := range []vk.Format{vk.FormatR8Unorm, vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16Unorm, vk.FormatR32Sfloat, vk.FormatR32G32B32A32Sfloat, vk.FormatBc1RgbUnormBlock, vk.FormatBc7UnormBlock} {
		for _, dim := range []ir.ImageDim{ir.Dim2D, ir.DimCube, ir.Dim3D} {
			d, kind := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(1, 1, 1), ArrayLayers: 1, MipLevels: 2}, vk.ImageViewType2D
			switch dim {
			case ir.DimCube:
				d.ArrayLayers, d.Flags, kind = 6, vk.ImageCreateCubeCompatibleBit, vk.ImageViewTypeCube
			case ir.Dim3D:
				d.Type, kind = vk.ImageType3D, vk.ImageViewType3D
			}
			inBlocks(r, &d)
			im := must(resource.NewImage(d))
			if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
				t.Fatal(err)
			}
			for i := range im.Data {
				im.Data[i] = byte(r.Uint32())
			}
			v := must(resource.NewView(im, resource.ViewDesc{Type: &kind}))
			dims := map[ir.ImageDim]int{ir.Dim2D: 2, ir.DimCube: 3, ir.Dim3D: 3}[dim]
			for _, op := range []ir.ImageOp{{Kind: ir.ImageSample, Lod: ir.LodExplicit}, {Kind: ir.ImageGather}, {Kind: ir.ImageFetch, Lod: ir.LodExplicit}} {
				if op.Dim, op.Coords = dim, dims; dim == ir.Dim3D && op.Kind == ir.ImageGather || dim == ir.DimCube && op.Kind == ir.ImageFetch {
					continue
				}
				for _, filter := range []vk.Filter{vk.FilterNearest, vk.FilterLinear, vk.FilterCubicEXT} {
					s := must(resource.NewSampler(resource.Sampler{MagFilter: filter, MinFilter: filter, MaxLod: 4}))
					a := &ref.Args{Op: &op, Lod: make([]uint32, n)}
					for c := range dims {
						a.Coord[c] = make([]uint32, n)
						for i := range n {
							if a.Coord[c][i] = math.Float32bits(r.Float32()*2 - 0.5); op.Kind == ir.ImageFetch {
								a.Coord[c][i] = uint32(r.IntN(500))
							}
						}
					}
					for i := range n {
						if a.Lod[i] = math.Float32bits(float32(r.IntN(2))); op.Kind == ir.ImageFetch {
							a.Lod[i] = uint32(r.IntN(2))
						}
					}
					for c := range a.Out {
						a.Out[c] = make([]uint32, n)
					}
					for i := range units {
						if err := compare(units[i], &testCase{op, v, s}, a, n); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
	}
}
