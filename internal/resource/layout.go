package resource

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// MaxExtent bounds each dimension and the layers of an image. A coordinate in
// [0,1) times a size up to 2^16 is exact in binary64 (IMG-004).
const MaxExtent = 1 << 16

// MaxLevels is the length of the longest mip chain: log2(MaxExtent) + 1.
const MaxLevels = 17

// MaxImageBytes bounds the memory of one image, so that no size or offset
// overflows an int64, nor an int on 32-bit platforms.
const MaxImageBytes = min(1<<40, math.MaxInt/2)

// subresourceAlign is the alignment of a level's first texel in bytes: a cache
// line, so that levels written by different workers share none.
const subresourceAlign = 64

// Layout says where the texels of an image lie: planes one after the other; in
// a plane layer by layer; in a layer level by level; in a level slices, rows,
// texels (or compressed blocks), and the samples of a texel side by side.
type Layout struct {
	Size   int64 // bytes
	Planes []PlaneLayout
}

// PlaneLayout places one plane: the whole of a colour image, or one aspect of
// a depth/stencil image.
type PlaneLayout struct {
	Aspect     vk.ImageAspectFlags
	Info       *format.Info // of the plane alone
	Offset     int64        // of layer 0 from the image's first byte, or the plane's in disjoint images
	Size       int64        // bytes, all layers
	LayerPitch int64        // bytes from one layer to the next
	Bytes      int          // of one texel (or block) sample
	Levels     []LevelLayout

	tail int // first level of the mip tail, where the image is bound block by block
}

// LevelLayout places one level inside a layer.
type LevelLayout struct {
	Offset               int64 // from the layer's first byte
	Width, Height, Depth int   // texels
	BlocksX, BlocksY     int   // texels, or compressed blocks
	BlocksZ              int
	RowPitch, SlicePitch int64 // bytes
	Size                 int64 // bytes
	Columns
}

// levelExtent is the size of a dimension at a level (IMG-040
// resources-image-mip-level-sizing).
func levelExtent(size, level int) int { return max(1, size>>level) }

// cornerExtent is IMG-041 resources-images-corner-sampled: half of it rounded up,
// level by level, down to two. A dimension that the image lacks stays 1.
func cornerExtent(size, level int) int {
	if size == 1 {
		return 1
	}
	for range level {
		size = max(2, (size+1)/2)
	}
	return size
}

// disjoint says that planes have memory of their own, which their offsets count from.
func (d *ImageDesc) disjoint(whole *format.Info) bool {
	return d.Flags&vk.ImageCreateDisjointBit != 0 && whole.MultiPlanar()
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func alignUp(n, to int64) int64 { return (n + to - 1) / to * to }

// layoutOf places every texel of d, whose fields are in range already. No sum
// or product overflows: a level holds at most 2^16 blocks a dimension, 2^48
// together, and 2^48 times a block of 2^5 bytes and 2^4 samples is 2^57;
// anything above 2^41 ends here.
func layoutOf(d *ImageDesc, whole *format.Info) (Layout, error) {
	var l Layout
	for _, plane := range whole.Planes {
		info, ok := format.Lookup(plane.Format)
		if !ok {
			return Layout{}, &UnsupportedError{Op: "NewImage", What: "format " + plane.Format.String()}
		}
		p := PlaneLayout{Info: info, Aspect: plane.Aspect, Offset: l.Size, Bytes: plane.BlockBytes}
		if d.disjoint(whole) {
			p.Offset = 0
		}
		for level := range d.MipLevels {
			v := placeLevel(d, plane, info, level)
			if d.resident() && !BoundWhole(whole) && p.tail == level && placeSparse(d, info, &v) {
				p.tail++
			}
			v.Offset = p.LayerPitch
			p.LayerPitch += alignUp(v.Size, subresourceAlign)
			if v.Size > MaxImageBytes || p.LayerPitch > MaxImageBytes {
				return Layout{}, &LimitError{What: "image bytes", Value: max(v.Size, p.LayerPitch), Max: MaxImageBytes}
			}
			p.Levels = append(p.Levels, v)
		}
		if d.resident() {
			p.LayerPitch = alignUp(p.LayerPitch, SparseBlockBytes)
		}
		// Below 2^41 · 2^16.
		p.Size = p.LayerPitch * int64(d.ArrayLayers)
		l.Size += p.Size // IMG-048: depth and stencil are planes, too, one behind the other
		if l.Size > MaxImageBytes {
			return Layout{}, &LimitError{What: "image bytes", Value: l.Size, Max: MaxImageBytes}
		}
		l.Planes = append(l.Planes, p)
	}
	return l, nil
}

// placeLevel computes sizes and pitches of one level of one plane.
func placeLevel(d *ImageDesc, plane format.Plane, info *format.Info, level int) LevelLayout {
	levelExtent := levelExtent
	if d.corner() {
		levelExtent = cornerExtent
	}
	// IMG-046
	v := LevelLayout{
		Width:  levelExtent(int(d.Extent.Width)/plane.WidthDivisor, level),
		Height: levelExtent(int(d.Extent.Height)/plane.HeightDivisor, level),
		Depth:  levelExtent(int(d.Extent.Depth), level),
	}
	// IMG-045
	v.BlocksX = ceilDiv(v.Width, info.BlockWidth)
	v.BlocksY = ceilDiv(v.Height, info.BlockHeight)
	v.BlocksZ = ceilDiv(v.Depth, info.BlockDepth)

	v.RowPitch = int64(v.BlocksX) * int64(info.BlockBytes) * int64(d.Samples)
	v.SlicePitch = v.RowPitch * int64(v.BlocksY)
	v.Size = v.SlicePitch * int64(v.BlocksZ)
	return v
}
