package resource

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// Sparse images are bound to memory in blocks of one page of the system. A block
// is a piece of a row: the layout stays linear, so that nothing that reads or
// writes texels needs to know. It is not the standard block shape.
//
// sparsememory-sparse-image-block-shapes (non-standard)

// SparseBlockBytes is the memory of a sparse image block.
const SparseBlockBytes = 4096

// CanBeSparse says whether images of a format can have sparse memory.
func CanBeSparse(info *format.Info) bool { return !info.NeedsConversion() }

// BoundWhole says that images of a format are bound as one mip tail from the first
// level on: the blocks of depth with stencil would be pages in several places, and
// texels of three components don't fill a page.
func BoundWhole(info *format.Info) bool {
	return len(info.Planes) != 1 || SparseBlockBytes%(16*info.BlockBytes) != 0
}

// wholeGrain is a block wider than any image, whose levels are all in the mip tail.
const wholeGrain = 1 << 17

// SparseBlock is the texels of a sparse image block of a format.
func SparseBlock(info *format.Info, samples int) vk.Extent3D {
	if BoundWhole(info) {
		return vk.Extent3D{Width: wholeGrain * uint32(info.BlockWidth), Height: uint32(info.BlockHeight), Depth: uint32(info.BlockDepth)}
	}
	return SparseGranularity(info, samples)
}

// SparseGranularity is the texels of a sparse image block of a plane.
func SparseGranularity(info *format.Info, samples int) vk.Extent3D {
	return vk.Extent3D{
		Width:  uint32(SparseBlockBytes / (info.BlockBytes * samples) * info.BlockWidth),
		Height: uint32(info.BlockHeight), Depth: uint32(info.BlockDepth),
	}
}

// resident says that the image is bound block by block.
func (d *ImageDesc) resident() bool { return d.Flags&vk.ImageCreateSparseResidencyBit != 0 }

// placeSparse pads a level so that its blocks lie on pages. It returns false for
// levels that are too small, which belong to the mip tail.
//
// sparsememory-miptail
func placeSparse(d *ImageDesc, info *format.Info, v *LevelLayout) bool {
	g := SparseGranularity(info, d.Samples)
	if v.Width < int(g.Width) || v.Height < int(g.Height) || v.Depth < int(g.Depth) {
		return false
	}
	v.RowPitch = alignUp(v.RowPitch, SparseBlockBytes)
	v.SlicePitch = v.RowPitch * int64(v.BlocksY)
	v.Size = v.SlicePitch * int64(v.BlocksZ)
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
