package sampling

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// sparseRows is an image whose rows are pages of their own; bound says which have
// memory. All texels there are 1.
func sparseRows(t *testing.T, d resource.ImageDesc, bound func(page int64) bool) (*resource.Image, memory.SparseSet) {
	t.Helper()
	im, err := resource.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	pages := (im.Layout.Size + memory.PageBytes - 1) / memory.PageBytes
	s, err := memory.NewSparse(pages * memory.PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	block, err := memory.New(memory.Config{}).AllocPaged(pages * memory.PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	for i := range block.Bytes() {
		block.Bytes()[i] = 0xFF
	}
	for p := range pages {
		if bound(p) {
			if err := s.Bind(p*memory.PageBytes, block, p*memory.PageBytes, memory.PageBytes); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := im.Bind(s.Bytes()[:im.Layout.Size]); err != nil {
		t.Fatal(err)
	}
	return im, memory.NewSparseSet([]*memory.Sparse{s})
}

// sparse runs a lane and returns its texel and residency code.
func (x lane1) sparse(v *resource.ImageView, s *resource.Sampler, set memory.SparseSet) (format.Texel, uint32) {
	missing := false
	a := x.args()
	a.Sparse, a.Missing = set, &missing
	both(a, v, s, 1)
	code := uint32(0)
	if missing {
		code = 1
	}
	return format.Texel{a.Out[0][0], a.Out[1][0], a.Out[2][0], a.Out[3][0]}, code
}

func TestSparse_Residency(t *testing.T) {
	rules.Covers(t, "TC-71", "TC-72", "IMG-205", "IMG-232", "IMG-233", "IMG-303", "IMG-621", "IMG-622")
	const w = memory.PageBytes
	im, set := sparseRows(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(w, 4, 1)}, func(p int64) bool { return p != 1 })
	v := newView(t, im, resource.ViewDesc{})
	lin := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear, AddressModeU: edge, AddressModeV: border})
	at := func(y float32) lane1 { return lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.5, y / 4}} }
	for _, c := range []struct {
		name string
		x    lane1
		red  float32
		code uint32
	}{
		{"TC 71: the texel's centre", at(0.5), 1, 0},
		{"TC 72: 1/64 of a texel on", at(0.5 + 1.0/64), 1 - 1.0/64, 1},
		{"inside the hole", at(1.5), 0, 1},
		{"the border is no access", at(-2), 0, 0},
		{"half a texel into the border", at(0), 0.5, 0},
		{"fetch", lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{3, 0}}, 1, 0},
		{"fetch in the hole", lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{3, 1}}, 0, 1},
		{"fetch outside", lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{3, 4}}, 0, 0},
		{"gather: all four count", lane1{op: ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Lod: ir.LodZero}, coord: []float32{0.5, 0.5 / 4}}, 0, 1},
	} {
		got, code := c.x.sparse(v, lin, set)
		if r := floats(got)[0]; r != c.red || code != c.code {
			t.Errorf("%s: %v with code %d, want %v with %d", c.name, r, code, c.red, c.code)
		}
		// The texel is that of the instruction without feedback, its missing alpha one.
		if plain := c.x.run(v, lin); plain != got || c.x.op.Kind == ir.ImageFetch && got[3] != oneFloat {
			t.Errorf("%s: %v with feedback, %v without", c.name, floats(got), floats(plain))
		}
	}
}

// IMG-303 is named where a texel has no memory, and nowhere else.
func TestTrace_TexelsWithoutMemory(t *testing.T) {
	const w = memory.PageBytes
	im, set := sparseRows(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(w, 4, 1)}, func(p int64) bool { return p != 1 })
	v := newView(t, im, resource.ViewDesc{})
	b, err := resource.NewBufferView(vk.FormatR8Unorm, im.Data)
	if err != nil {
		t.Fatal(err)
	}
	for row, unbound := range map[int32]bool{0: false, 1: true, 2: false} {
		for name, x := range map[string]lane1{
			"sample":  {op: sampleOp(ir.Dim2D), coord: []float32{0.5, (float32(row) + 0.5) / 4}},
			"fetch":   {op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{3, row}},
			"element": {op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer}, icoord: []int32{row*w + 3}},
		} {
			a := x.args()
			a.Trace, a.Sparse = new(Trace), set
			if x.op.Dim == ir.DimBuffer {
				RunBuffer(a, b, 0, 1)
			} else {
				Run(a, v, newSampler(t, resource.Sampler{}), 1)
			}
			if got := names(a.Trace.Steps, "IMG-303"); got != unbound {
				t.Errorf("%s in row %d: IMG-303 named: %v\n%s", name, row, got, text(a.Trace.Steps))
			}
		}
	}
}

// Elements of texel buffers without memory read as 0, whether or not a program asks for residency codes; writes to them are lost.
func TestSparse_Buffers(t *testing.T) {
	rules.Covers(t, "IMG-233", "IMG-303", "IMG-305", "IMG-373")
	const w = memory.PageBytes
	im, set := sparseRows(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(w, 3, 1)}, func(p int64) bool { return p != 1 })
	b, err := resource.NewBufferView(vk.FormatR8Unorm, im.Data)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int32]float32{0: 1, w - 1: 1, w: 0, 2*w - 1: 0, 2 * w: 1} {
		for _, asks := range []bool{false, true} {
			missing := false
			a := lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer}, icoord: []int32{at}}.args()
			if a.Sparse = set; asks {
				a.Missing = &missing
			}
			RunBuffer(a, b, 0, 1)
			if got := math.Float32frombits(a.Out[0][0]); got != want || missing != (asks && want == 0) {
				t.Errorf("element %d, asked %v: %v, missing %v", at, asks, got, missing)
			}
		}
		a := lane1{op: ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.DimBuffer}, icoord: []int32{at}, texel: []uint32{math.Float32bits(0.2), 0, 0, 0}}.args()
		a.Sparse = set
		RunBuffer(a, b, 0, 1)
		if got := im.Data[at]; got != uint8(51*want) {
			t.Errorf("element %d after a write: %d", at, got)
		}
	}
}

// An element of any size is there where all its bytes are, also one that lies on two pages: of such a one the components read that are there, and
// writes are lost.
func TestSparse_BuffersOfEverySize(t *testing.T) {
	rules.Covers(t, "IMG-230", "IMG-233", "IMG-303", "IMG-305", "IMG-373")
	const w = memory.PageBytes
	for f, x := range map[vk.Format][2]int64{ // bytes of an element and of a component
		vk.FormatR8Uint: {1, 1}, vk.FormatR16Uint: {2, 2}, vk.FormatR8G8B8Uint: {3, 1}, vk.FormatR32Uint: {4, 4}, vk.FormatR16G16B16Uint: {6, 2},
		vk.FormatR32G32Uint: {8, 4}, vk.FormatR32G32B32Uint: {12, 4}, vk.FormatR32G32B32A32Uint: {16, 4},
	} {
		im, set := sparseRows(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(w, 3, 1)}, func(p int64) bool { return p != 1 })
		b, err := resource.NewBufferView(f, im.Data)
		if err != nil {
			t.Fatal(err)
		}
		there := func(first, n int64) bool { return first+n <= w || first >= 2*w }
		for _, page := range []int64{1, 2} {
			size, part := x[0], x[1]
			for at := page*w/size - 2; at <= page*w/size+2; at++ {
				first := at * size
				bound := there(first, size)
				missing := false
				a := lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer, Result: ir.ClassUint}, icoord: []int32{int32(at)}}.args()
				a.Sparse, a.Missing = set, &missing
				RunBuffer(a, b, 0, 1)
				for c := range size / part {
					want := uint32(0)
					if there(first+c*part, part) {
						want = uint32(1<<(8*part) - 1)
					}
					if got := a.Out[c][0]; got != want || missing == bound {
						t.Errorf("%v, element %d, component %d: %#x, want %#x; missing %v, bound %v", f, at, c, got, want, missing, bound)
					}
				}
				before := append([]byte(nil), im.Data[first:first+size]...)
				a = lane1{op: ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.DimBuffer, Result: ir.ClassUint}, icoord: []int32{int32(at)}, texel: []uint32{7, 7, 7, 7}}.args()
				a.Sparse = set
				RunBuffer(a, b, 0, 1)
				if after := im.Data[first : first+size]; bound != (after[0] == 7) || !bound && string(before) != string(after) {
					t.Errorf("%v, element %d after a write: % x, before % x", f, at, after, before)
				}
			}
		}
	}
}

// IMG-234: planes, levels and probes count together; IMG-223: a cube's corner has
// three sources.
func TestSparse_PlanesLevelsAndCorners(t *testing.T) {
	rules.Covers(t, "IMG-223", "IMG-234", "IMG-220")
	const w = memory.PageBytes
	planes, set := sparseRows(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_2Plane444Unorm, Extent: extent(w, 2, 1)}, func(p int64) bool { return p < 2 })
	y := ycbcrSampler(t, nearest, resource.YcbcrConversion{Format: vk.FormatG8B8R8_2Plane444Unorm})
	if got, code := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .25}}).sparse(newView(t, planes, resource.ViewDesc{}), y, set); code != 1 || floats(got) != [4]float32{0, 1, 0, 1} {
		t.Errorf("chroma without memory: %v, code %d", floats(got), code)
	}
	mips, set := sparseRows(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(w, 2, 1), MipLevels: 2}, func(p int64) bool { return p < 2 })
	s := newSampler(t, resource.Sampler{MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9})
	for lod, want := range map[float32]uint32{0: 0, 0.25: 1, 1: 1} {
		if _, code := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .25}, lod: lod}).sparse(newView(t, mips, resource.ViewDesc{}), s, set); code != want {
			t.Errorf("LOD %v: code %d", lod, code)
		}
	}
	// Each corner counts its three faces, whichever of them lacks memory.
	for missing := range 6 {
		cube, set := sparseRows(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(256, 256, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit},
			func(p int64) bool { return int(p)/16 != missing })
		v := newView(t, cube, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
		for corner := range 8 {
			d := [3]float32{1, 1, 1}
			for k := range d {
				if corner>>k&1 == 1 {
					d[k] = -1
				}
			}
			want := uint32(0)
			if (d[missing/2] > 0) == (missing%2 == 0) {
				want = 1
			}
			for _, op := range []ir.ImageOp{sampleOp(ir.DimCube), {Kind: ir.ImageGather, Dim: ir.DimCube, Lod: ir.LodZero}} {
				if _, code := (lane1{op: op, coord: d[:]}).sparse(v, newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear}), set); code != want {
					t.Errorf("kind %d, without face %d, at %v: code %d, want %d", op.Kind, missing, d, code, want)
				}
			}
		}
	}
	// Faces of 64 KiB: pages 0…15 are +X.
	cube, set := sparseRows(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(256, 256, 1), ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit},
		func(p int64) bool { return p >= 16 })
	v := newView(t, cube, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
	lin := newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})
	if _, code := (lane1{op: sampleOp(ir.DimCube), coord: []float32{1, 1, 1}}).sparse(v, lin, set); code != 1 {
		t.Errorf("the corner of +X, +Y, +Z: code %d", code)
	}
	if got, code := (lane1{op: sampleOp(ir.DimCube), coord: []float32{-1, 1, 1}}).sparse(v, lin, set); code != 0 || floats(got)[0] != 1 {
		t.Errorf("the corner of −X, +Y, +Z: %v, code %d", floats(got), code)
	}
}

// IMG-612: queries touch no texel.
func TestSparse_QueriesReadNothing(t *testing.T) {
	rules.Covers(t, "IMG-612", "IMG-639")
	im, set := sparseRows(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(64, 64, 1), MipLevels: 3}, func(int64) bool { return false })
	v, s := newView(t, im, resource.ViewDesc{}), newSampler(t, resource.Sampler{MagFilter: linear, MinFilter: linear})
	for _, k := range []ir.ImageKind{ir.ImageQuerySize, ir.ImageQueryLod, ir.ImageQueryLevels, ir.ImageQuerySamples, ir.ImageFootprint} {
		if _, code := (lane1{op: ir.ImageOp{Kind: k, Dim: ir.Dim2D, Granularity: 1}, coord: []float32{.5, .5}}).sparse(v, s, set); code != 0 {
			t.Errorf("kind %d read a texel", k)
		}
	}
	if _, code := (lane1{op: sampleOp(ir.Dim2D), coord: []float32{.5, .5}}).sparse(v, s, set); code != 1 {
		t.Error("a sample is not noticed")
	}
}
