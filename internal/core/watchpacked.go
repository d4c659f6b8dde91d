package core

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/render/watch"
	"github.com/pumice-gpu/pumice/vk"
)

// packed says that a texel of the image has no bytes of its own: it is one of a block, or lies in
// several planes.
func (p *WatchPoint) packed() bool {
	info := p.Image.res.Info
	return info.Compressed || info.MultiPlanar() || info.BlockWidth > 1
}

// planes are where the planes of three that have a format's colour have its R, G and B, by the
// component of the plane's own texels.
func componentsOf(plane, planes int) (to []int) {
	switch {
	case plane == 0:
		return []int{1}
	case planes == 2:
		return []int{2, 0}
	case plane == 1:
		return []int{2}
	}
	return []int{0}
}

// stored is where a packed texel lies, and what it is. Of planes with fewer texels it is the one
// whose place the texel lies in: what a conversion reconstructs of its neighbours is the sampler's.
func (p *WatchPoint) stored() (list []explain.Stored, t format.Texel) {
	im := p.Image.res
	info := im.Info
	layer, slice := p.Layer, 0
	if im.Type == vk.ImageType3D {
		layer, slice = 0, p.Layer
	}
	at := func(plane, x, y int) []byte {
		l := im.Level(plane, p.Level, layer)
		from := l.Offset(x, y, slice, p.Sample)
		b := l.Data[from:][:l.Bytes]
		q := &im.Layout.Planes[plane]
		list = append(list, explain.Stored{
			Plane: plane, X: x / l.BlockWidth, Y: y / l.BlockHeight, Width: l.BlockWidth, Height: l.BlockHeight,
			Offset: uint64(
				q.Offset + int64(layer)*q.LayerPitch + q.Levels[p.Level].Offset + int64(from),
			), Bits: hex.EncodeToString(b),
		})
		return b
	}
	switch {
	case info.Compressed:
		t = new(format.BlockCache).Texel(info, at(0, p.X, p.Y), p.X, p.Y, slice)
	case info.MultiPlanar():
		t = format.Texel{3: oneBits}
		for i := range info.Planes {
			q := &info.Planes[i]
			own, ok := format.Lookup(q.Format)
			if !ok {
				continue
			}
			texel := own.Decode(at(i, p.X/q.WidthDivisor, p.Y/q.HeightDivisor))
			last := &list[len(list)-1]
			last.Width, last.Height = q.WidthDivisor, q.HeightDivisor
			for from, to := range componentsOf(i, len(info.Planes)) {
				t[to] = texel[from]
			}
		}
	default: // 422: the G of the odd column lies half a block after the other
		b := at(0, p.X, p.Y)
		t = info.Decode(b)
		if p.X%info.BlockWidth != 0 {
			half := len(b) / 2
			t[1] = info.Decode(slices.Concat(b[half:], b[:half]))[1]
		}
	}
	return list, t
}

// oneBits is 1 as binary32.
const oneBits = 0x3F800000

// packedValue is the value of a packed texel: its bits are those of all that it was decoded from.
func (p *WatchPoint) packedValue() explain.Value {
	list, t := p.stored()
	info := p.Image.res.Info
	n := 0
	for c, f := range info.Components {
		if f.Kind != format.KindNone {
			n = c + 1
		}
	}
	v := watch.ColorOf(info, t)
	v.Text = watch.WordsValue(info.Class, t[:n]...).Text
	if info.Chroma != "" {
		v.Color = "" // before its conversion
	}
	var bits []string
	for _, s := range list {
		bits = append(bits, s.Bits)
	}
	v.Bits = strings.Join(bits, "")
	return v
}

// inPlane are the coordinates of a point in the plane that a region speaks of.
func (g *region) inPlane(im *Image, p *WatchPoint) (x, y int, ok bool) {
	x, y = p.X, p.Y
	if !im.res.Info.MultiPlanar() {
		return x, y, true
	}
	for _, q := range im.res.Info.Planes {
		if g.layers.AspectMask&q.Aspect != 0 {
			return x / q.WidthDivisor, y / q.HeightDivisor, true
		}
	}
	return x, y, g.layers.AspectMask == vk.ImageAspectColorBit
}

// copiedFrom is the texel that a copy of a region took the texel from that lies at (x, y) of it.
// Between formats with blocks of other sizes blocks go to texels.
func copiedFrom(src, dst *Image, g *vk.ImageCopy, p *WatchPoint) (*explain.Target, bool) {
	from, to := src.res.Info, dst.res.Info
	blocks := func(n uint32, a, b int) uint32 { // of a texels each to such of b
		if a == b {
			return n
		}
		return (n + uint32(a) - 1) / uint32(a) * uint32(b)
	}
	extent := vk.Extent3D{
		Width: blocks(g.Extent.Width, from.BlockWidth,
			to.BlockWidth), Height: blocks(g.Extent.Height, from.BlockHeight, to.BlockHeight),
		Depth: g.Extent.Depth,
	}
	x, y, layer, in := (&region{g.DstSubresource, g.DstOffset, extent}).holds(dst, p)
	if !in {
		return nil, false
	}
	texel := func(at, a, b int) int {
		if a == b {
			return at
		}
		return at / b * a
	}
	return src.texel(&g.SrcSubresource, g.SrcOffset, texel(x, from.BlockWidth, to.BlockWidth),
		texel(y, from.BlockHeight, to.BlockHeight), layer), true
}
