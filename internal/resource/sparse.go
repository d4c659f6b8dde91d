package resource

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// SparseBlockBytes is the memory of a sparse image block.
const SparseBlockBytes = 1 << 16

// CanBeSparse says whether images of a format can have sparse memory.
func CanBeSparse(info *format.Info) bool { return !info.NeedsConversion() }

// BoundWhole says that images of a format are bound as one mip tail from the first
// level on: texels of three components don't fill a block, nor do those of depth with
// stencil, which programs want to bind together.
func BoundWhole(info *format.Info) bool {
	return len(info.Planes) != 1 || info.BlockBytes&(info.BlockBytes-1) != 0
}

// wholeGrain is a block wider than any image, whose levels are all in the mip tail.
const wholeGrain = 1 << 17

// SparseBlock is the texels of a sparse image block, and whether that is a standard
// shape: texels of 256 bits, and those of which BoundWhole is true, have none.
//
// IMG-231 sparsememory-standard-shapes
func SparseBlock(info *format.Info, t vk.ImageType, samples int) (texels vk.Extent3D, standard bool) {
	w, h, d := uint32(wholeGrain), uint32(1), uint32(1)
	if !BoundWhole(info) {
		x, y, z := sparseShape(info.BlockBytes, t, samples)
		w, h, d = 1<<x, 1<<y, 1<<z
		standard = info.BlockBytes <= 16
	}
	return vk.Extent3D{Width: w * uint32(info.BlockWidth), Height: h * uint32(info.BlockHeight), Depth: d * uint32(info.BlockDepth)}, standard
}

// sparseShape is log2 of a block in texels (or compressed blocks) of a power of two
// of bytes: their number is shared out to the dimensions, x first; samples take
// theirs in the same order.
func sparseShape(bytes int, t vk.ImageType, samples int) (x, y, z int) {
	n, s := bits.TrailingZeros32(SparseBlockBytes)-bits.TrailingZeros32(uint32(bytes)), bits.TrailingZeros32(uint32(samples))
	if t == vk.ImageType3D {
		return (n + 2) / 3, (n + 1) / 3, n / 3
	}
	return (n+1)/2 - (s+1)/2, n/2 - s/2, 0
}

// resident says that the image is bound block by block.
func (d *ImageDesc) resident() bool { return d.Flags&vk.ImageCreateSparseResidencyBit != 0 }

// Columns says how a level lies that is bound block by block: blocks follow one
// another downwards, then to the right, then into the depth. In a block lie rows, of
// all its slices in turn. So a step down is RowPitch everywhere, and the offset of a
// texel is still a sum of what x, y and z add: x·TexelPitch and ColumnSkip for each column
// to the left, z·SlicePitch and SlabSkip for each slab above. Elsewhere both skips
// are 0.
type Columns struct {
	ColumnShift, SlabShift uint8 // log2 of a block's width and depth in texels (or compressed blocks)
	ColumnSkip, SlabSkip   int
}

// At is what the columns to the left of x add to the offset of a texel.
func (c *Columns) At(x int) int { return x >> (c.ColumnShift & 63) * c.ColumnSkip }

// Side is how many of n texels (or compressed blocks) from x on lie side by side.
func (c *Columns) Side(x, n int) int {
	if c.ColumnSkip == 0 {
		return n
	}
	return min(n, (x>>c.ColumnShift+1)<<c.ColumnShift-x)
}

// placeSparse puts a level into blocks. It returns false for levels that are too
// small, which belong to the mip tail.
//
// sparsememory-miptail
func placeSparse(d *ImageDesc, info *format.Info, v *LevelLayout) bool {
	g, _ := SparseBlock(info, d.Type, d.Samples)
	if v.Width < int(g.Width) || v.Height < int(g.Height) || v.Depth < int(g.Depth) {
		return false
	}
	x, y, z := sparseShape(info.BlockBytes, d.Type, d.Samples)
	row := int64(info.BlockBytes*d.Samples) << x
	v.SlicePitch, v.RowPitch = row, row<<z
	column := int64(ceilDiv(v.BlocksY, 1<<y)) * SparseBlockBytes
	slab := int64(ceilDiv(v.BlocksX, 1<<x)) * column
	v.Size = int64(ceilDiv(v.BlocksZ, 1<<z)) * slab
	if v.Size <= MaxImageBytes { // others are refused
		v.Columns = Columns{ColumnShift: uint8(x), SlabShift: uint8(z), ColumnSkip: int(column - row), SlabSkip: int(slab - row<<z)}
	}
	return true
}

// MipTail tells where the mip tail of a layer of a plane begins: its first level,
// MipLevels if there is none, and its place from the layer's first byte.
func (im *Image) MipTail(plane int) (level int, offset, size int64) {
	p := &im.Layout.Planes[plane]
	if p.tail == im.MipLevels {
		return p.tail, 0, 0
	}
	offset = p.Levels[p.tail].Offset
	return p.tail, offset, p.LayerPitch - offset
}
