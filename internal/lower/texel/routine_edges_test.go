package texel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// noise is a view of an image of one level with random bytes.
func noise(r *rand.Rand, t vk.ImageType, f vk.Format, w, h uint32) *resource.ImageView {
	im := must(resource.NewImage(resource.ImageDesc{Type: t, Format: f, Extent: extent(w, h, 1), MipLevels: 1, ArrayLayers: 1}))
	data := make([]byte, im.Layout.Size)
	for i := range data {
		data[i] = byte(r.Uint32())
		if r.IntN(8) == 0 {
			data[i] = []byte{0, 0x7F, 0x80, 0xFF}[r.IntN(4)]
		}
	}
	if err := im.Bind(data); err != nil {
		panic(err)
	}
	return must(resource.NewView(im, resource.ViewDesc{}))
}

// results are rows for all components.
func results(a *ref.Args, n int) {
	for c := range a.Out {
		a.Out[c] = make([]uint32, n)
	}
}

// Routines read every format that they know as the format's codec does.
func TestRoutines_EveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-009", "IMG-064", "IMG-200", "IMG-201", "IMG-202", "IMG-240", "IMG-241", "IMG-242", "IMG-243", "IMG-244", "IMG-245", "IMG-246",
		"IMG-247", "IMG-248", "IMG-250", "IMG-251", "IMG-252", "IMG-253", "IMG-257", "IMG-320", "IMG-321", "IMG-322", "IMG-750", "IMG-751", "IMG-752",
		"IMG-753", "IMG-755", "IMG-756", "IMG-757", "IMG-758", "IMG-762", "IMG-767")
	r := rand.New(rand.NewPCG(21, 22))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	u.Sites(1, 1024)
	op := ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Results: 4}
	n, routed := 1000, 0
	a := &ref.Args{Op: &op}
	for c := range 2 {
		a.Coord[c] = make([]uint32, n)
		for i := range n {
			a.Coord[c][i] = uint32(r.IntN(32))
		}
	}
	results(a, n)
	for _, f := range format.All() {
		info, _ := format.Lookup(f)
		if info.Supported() != nil || info.NeedsConversion() || info.BlockWidth > 1 || len(info.Planes) > 1 {
			continue
		}
		c := testCase{op: op, v: noise(r, vk.ImageType2D, f, 32, 31)}
		if err := compare(&u, &c, a, n); err != nil {
			t.Error(err)
		}
		if u.accesses[0].thread != nil {
			routed++
		}
	}
	if routed < 80 {
		t.Errorf("only %d formats", routed)
	}
}

// Routines write every format that they know as the format's codec does: the lanes of the
// mask, in their order, inside of the image.
func TestRoutines_StoreEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-249", "IMG-381", "IMG-382")
	rules.Covers(t, "IMG-074", "IMG-305", "IMG-372", "IMG-374", "IMG-375", "IMG-376", "IMG-377", "IMG-378", "IMG-379", "IMG-380", "IMG-383")
	if err := CompareStores(&plainEngine{keys: map[Key]bool{}}); err != nil {
		t.Error(err)
	}
}

// Routines change the words of texels as the reference does, in the order of lanes, and leave other formats to it.
func TestRoutines_Atomics(t *testing.T) {
	rules.Covers(t, "IMG-590", "IMG-592", "IMG-596", "IMG-597", "IMG-598")
	if err := CompareAtomics(&plainEngine{keys: map[Key]bool{}}); err != nil {
		t.Error(err)
	}
}

// nearEdges are coordinates at and beside the places where the texel, or the weight, of a dimension of
// n texels changes, three periods to either side.
func nearEdges(n int) (s []uint32) {
	for k := -6 * n; k <= 8*n; k++ {
		for _, part := range []float64{0, 0.5 / 256, 0.25 + 1.5/256, 127.5 / 256} {
			x := float32((float64(k)/2 + part) / float64(n))
			for _, y := range []float32{math.Nextafter32(x, -100), x, math.Nextafter32(x, 100)} {
				s = append(s, math.Float32bits(y))
			}
		}
	}
	for _, x := range specials {
		s = append(s, math.Float32bits(x))
	}
	return s
}

// All address modes, at the edges of texels, for small sizes and for the largest that
// routines and Go code take.
func TestRoutines_Edges(t *testing.T) {
	rules.Covers(t, "IMG-004", "IMG-005", "IMG-006", "IMG-007", "IMG-011", "IMG-028", "IMG-195", "IMG-307", "IMG-475", "IMG-477", "IMG-480", "IMG-481",
		"IMG-486", "IMG-500", "IMG-501", "IMG-502", "IMG-505", "IMG-506", "IMG-519", "IMG-557", "IMG-702", "IMG-704")
	r := rand.New(rand.NewPCG(23, 24))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	const most = 1 << 10
	u.Sites(1, most)
	op := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim1D, Coords: 1, GradCoords: 1, Results: 4}
	for _, size := range []uint32{1, 2, 3, 5, 8, 33, 8100, 8191, 8192, 16383, 16384, 65535, 65536} {
		coords := nearEdges(int(min(size, 33)))
		if size > 33 {
			coords = nil
			for range 300 {
				k := float64(r.IntN(int(6*size)))/2 - float64(size)
				x := float32((k + float64(r.IntN(4))/512) / float64(size))
				coords = append(coords, math.Float32bits(x), math.Float32bits(-x), math.Float32bits(math.Nextafter32(x, -100)))
			}
			for _, x := range specials {
				coords = append(coords, math.Float32bits(x))
			}
		}
		for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8Unorm, vk.FormatR8G8Unorm} {
			v := noise(r, vk.ImageType1D, f, size, 1)
			for mode := range vk.SamplerAddressMode(5) {
				for filter := range vk.Filter(2) {
					for how := range 3 {
						unnormalized := how == 1
						op.HasOffset = how == 2
						if unnormalized && mode != vk.SamplerAddressModeClampToEdge && mode != vk.SamplerAddressModeClampToBorder {
							continue
						}
						s := resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: mode, AddressModeV: mode, BorderColor: vk.BorderColorFloatOpaqueWhite,
							UnnormalizedCoordinates: unnormalized}
						c := testCase{op: op, v: v, s: must(resource.NewSampler(s))}
						for at := 0; at < len(coords); at += most {
							n := min(most, len(coords)-at)
							a := &ref.Args{Op: &op}
							a.Coord[0] = make([]uint32, n)
							for i, x := range coords[at : at+n] {
								if unnormalized {
									x = math.Float32bits(math.Float32frombits(x) * float32(size))
								}
								a.Coord[0][i] = x
							}
							if c.op.HasOffset {
								a.Offset[0] = make([]uint32, n)
								for i := range n {
									a.Offset[0][i] = uint32([]int{0, 1, -1, 7, -8, 31, -31, 32, -32, math.MaxInt32}[r.IntN(10)])
								}
							}
							results(a, n)
							if err := compare(&u, &c, a, n); err != nil {
								t.Fatal(err)
							}
							if size <= 8191 && !c.op.HasOffset && u.accesses[0].thread == nil {
								t.Fatalf("no routine for %v", &c)
							}
						}
					}
				}
			}
		}
	}
}

// Sums of coordinate and offset that leave 32 bits are outside.
func TestRoutines_FarOffsets(t *testing.T) {
	rules.Covers(t, "IMG-200", "IMG-203", "IMG-205", "IMG-300", "IMG-576")
	r := rand.New(rand.NewPCG(25, 26))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	u.Sites(1, 1024)
	op := ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, HasOffset: true, Results: 4}
	far := []int32{0, 1, 5, -1, -5, math.MinInt32, math.MinInt32 + 5, math.MaxInt32, math.MaxInt32 - 5, 1 << 30, -1 << 30}
	a := &ref.Args{Op: &op}
	var n int
	for _, x := range far {
		for _, o := range far {
			a.Coord[0], a.Offset[0] = append(a.Coord[0], uint32(x)), append(a.Offset[0], uint32(o))
			a.Coord[1], a.Offset[1] = append(a.Coord[1], 3), append(a.Offset[1], ^uint32(0))
			n++
		}
	}
	results(a, n)
	c := testCase{op: op, v: noise(r, vk.ImageType2D, vk.FormatR8G8B8A8Unorm, 8, 8)}
	if err := compare(&u, &c, a, n); err != nil {
		t.Error(err)
	}
	if u.accesses[0].thread == nil {
		t.Error(fmt.Errorf("no routine for %v", &c))
	}
}

// Routines read the sample that a lane names, and none of those that the image lacks.
func TestRoutines_Samples(t *testing.T) {
	rules.Covers(t, "IMG-205", "IMG-300", "IMG-301", "IMG-306", "IMG-580")
	r := rand.New(rand.NewPCG(29, 30))
	u := Unit{Engine: &plainEngine{keys: map[Key]bool{}}}
	const n = 256
	u.Sites(1, n)
	for _, samples := range []int{1, 2, 4, 8} {
		for _, layers := range []int{1, 3} {
			d := resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(5, 3, 1), ArrayLayers: layers, Samples: samples}
			op, view := ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, HasSample: true, MS: true, Results: 4}, vk.ImageViewType2D
			if layers > 1 {
				op.Arrayed, op.Coords, view = true, 3, vk.ImageViewType2DArray
			}
			c := testCase{op: op, v: filled(d, view, func(int) uint32 { return r.Uint32() })}
			a := &ref.Args{Op: &op, SampleIndex: make([]uint32, n)}
			for k := range op.Coords {
				a.Coord[k] = make([]uint32, n)
			}
			for i := range n {
				a.SampleIndex[i] = uint32(i%(samples+3) - 1)
				for k := range op.Coords {
					a.Coord[k][i] = uint32(r.IntN(7) - 1)
				}
			}
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

// Comparisons whose sampler takes the maximum, which valid programs have not, take it of zeros
// and ones.
func TestRun_ComparisonsReduced(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	s := must(resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, CompareOp: vk.CompareOpAlways, Reduction: vk.SamplerReductionModeMax}))
	for _, f := range []vk.Format{vk.FormatD32Sfloat, vk.FormatD16Unorm} {
		c := testCase{op: ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Dref: true, Lod: ir.LodZero, Results: 4}, v: noise(r, vk.ImageType2D, f, 12, 12), s: s}
		for _, u := range unitsOf(64) {
			if err := compare(u, &c, randomArgs(r, &c.op, 64), 64); err != nil {
				t.Error(err)
			}
		}
	}
}
