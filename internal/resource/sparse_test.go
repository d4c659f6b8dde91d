package resource

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

const sparseResidency = vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit

// IMG-231: the two tables of the specification, for texels of 8, 16, 32, 64 and 128
// bits and for compressed blocks.
func TestSparse_IMG231_StandardShapes(t *testing.T) {
	rules.Covers(t, "IMG-231")
	formats := []vk.Format{vk.FormatR8Unorm, vk.FormatR16Sfloat, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Uint, vk.FormatR32G32B32A32Sfloat}
	for _, c := range []struct {
		t       vk.ImageType
		samples int
		want    [5][3]uint32
	}{
		{vk.ImageType2D, 1, [5][3]uint32{{256, 256, 1}, {256, 128, 1}, {128, 128, 1}, {128, 64, 1}, {64, 64, 1}}},
		{vk.ImageType3D, 1, [5][3]uint32{{64, 32, 32}, {32, 32, 32}, {32, 32, 16}, {32, 16, 16}, {16, 16, 16}}},
		{vk.ImageType2D, 2, [5][3]uint32{{128, 256, 1}, {128, 128, 1}, {64, 128, 1}, {64, 64, 1}, {32, 64, 1}}},
		{vk.ImageType2D, 4, [5][3]uint32{{128, 128, 1}, {128, 64, 1}, {64, 64, 1}, {64, 32, 1}, {32, 32, 1}}},
		{vk.ImageType2D, 8, [5][3]uint32{{64, 128, 1}, {64, 64, 1}, {32, 64, 1}, {32, 32, 1}, {16, 32, 1}}},
		{vk.ImageType2D, 16, [5][3]uint32{{64, 64, 1}, {64, 32, 1}, {32, 32, 1}, {32, 16, 1}, {16, 16, 1}}},
	} {
		for i, f := range formats {
			info, _ := format.Lookup(f)
			got, standard := SparseBlock(info, c.t, c.samples)
			if w := c.want[i]; got != extent(w[0], w[1], w[2]) || !standard {
				t.Errorf("%v of %v with %d samples: %+v, standard %v; want %v", c.t, f, c.samples, got, standard, w)
			}
		}
	}
	for f, want := range map[vk.Format]vk.Extent3D{
		vk.FormatBc1RgbUnormBlock:    extent(4*128, 4*64, 1),
		vk.FormatBc5UnormBlock:       extent(4*64, 4*64, 1),
		vk.FormatAstc12x10UnormBlock: extent(12*64, 10*64, 1),
	} {
		info, _ := format.Lookup(f)
		if got, standard := SparseBlock(info, vk.ImageType2D, 1); got != want || !standard {
			t.Errorf("%v: %+v, standard %v; want %+v", f, got, standard, want)
		}
	}
	for _, f := range []vk.Format{vk.FormatR8G8B8Unorm, vk.FormatD24UnormS8Uint, vk.FormatR32G32B32Uint, vk.FormatR64G64B64A64Uint} {
		info, _ := format.Lookup(f)
		if got, standard := SparseBlock(info, vk.ImageType2D, 1); standard {
			t.Errorf("%v: %+v is no standard shape", f, got)
		}
	}
}

// The texels of a block lie in its 64 KiB, none on another; pieces of a row that lie
// side by side are as long as Side says.
func TestSparse_TexelsLieInTheirBlocks(t *testing.T) {
	rules.Covers(t, "IMG-231")
	for _, d := range []ImageDesc{
		{Type: vk.ImageType2D, Format: vk.FormatR16G16B16A16Sfloat, Extent: extent(300, 130, 1), ArrayLayers: 2, MipLevels: 3},
		{Type: vk.ImageType3D, Format: vk.FormatR32G32B32A32Sfloat, Extent: extent(40, 33, 35), MipLevels: 2},
		{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(70, 40, 1), Samples: 16},
		{Type: vk.ImageType2D, Format: vk.FormatBc7UnormBlock, Extent: extent(520, 261, 1)},
		{Type: vk.ImageType2D, Format: vk.FormatD16Unorm, Extent: extent(300, 270, 1)},
	} {
		d.Flags = sparseResidency
		im := mustImage(t, d)
		for n := range im.Layout.Planes {
			p := &im.Layout.Planes[n]
			tail, at, size := im.MipTail(n)
			if p.LayerPitch%SparseBlockBytes != 0 || at%SparseBlockBytes != 0 || size%SparseBlockBytes != 0 || tail == 0 || (tail < im.MipLevels) != (size != 0) {
				t.Errorf("%v plane %d: at %d, layers of %d, tail of %d levels from %d at %d", im.Format, n, p.Offset, p.LayerPitch, tail, size, at)
			}
			g, _ := SparseBlock(p.Info, im.Type, im.Samples)
			for level := range tail {
				blocksOfLevel(t, im, n, level, g)
			}
		}
	}
}

func blocksOfLevel(t *testing.T, im *Image, plane, level int, g vk.Extent3D) {
	t.Helper()
	l, v := im.Level(plane, level, im.ArrayLayers-1), &im.Layout.Planes[plane].Levels[level]
	if v.Offset%SparseBlockBytes != 0 {
		t.Errorf("level %d at %d", level, v.Offset)
	}
	start := map[[3]int]int{} // of blocks
	seen := map[int]bool{}
	for z := 0; z < l.Depth; z += l.BlockDepth {
		for y := 0; y < l.Height; y += l.BlockHeight {
			for x, next := 0, 0; x < l.Width; x += l.BlockWidth {
				b := [3]int{x / int(g.Width), y / int(g.Height), z / int(g.Depth)}
				at := l.Offset(x, y, z, 0)
				if _, ok := start[b]; !ok {
					start[b] = at // the first texel that this loop meets
				}
				if from := start[b]; from%SparseBlockBytes != 0 || at < from || at+l.TexelPitch > from+SparseBlockBytes || seen[at] || at+l.TexelPitch > len(l.Data) {
					t.Fatalf("%v level %d: (%d, %d, %d) at %d, its block at %d", im.Format, level, x, y, z, at, from)
				}
				seen[at] = true
				s := l.Slice(z)
				if o := s.Offset(x, y, 0, 0); &s.Data[o] != &l.Data[at] {
					t.Fatalf("slice %d: (%d, %d) at %d", z, x, y, o)
				}
				if n := l.Side(x, 1<<20); x < next == (n == int(g.Width)/l.BlockWidth) {
					t.Fatalf("%d blocks or texels from %d on", n, x)
				} else {
					next = x/int(g.Width)*int(g.Width) + int(g.Width)
				}
			}
		}
	}
}
