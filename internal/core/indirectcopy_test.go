package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// Layers of an indirect copy are slices of a 3D image, in place of what the command says
// of depth; VK_REMAINING_ARRAY_LAYERS ends with the level.
func TestCopyMemoryToImageIndirect_Slices(t *testing.T) {
	d := open(t)
	volume := must(d.NewUnboundImage(vk.ImageCreateInfo{ImageType: vk.ImageType3D, Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 8}, MipLevels: 2}, ""))(t)
	array := must(d.NewUnboundImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}, MipLevels: 1, ArrayLayers: 5}, ""))(t)
	const all = vk.RemainingArrayLayers
	for _, c := range []struct {
		im                          *Image
		level, base, layers         uint32
		z                           int32
		depth, wantBase, wantLayers uint32
	}{
		{volume, 0, 2, 3, 2, 3, 0, 1},
		{volume, 0, 2, all, 2, 6, 0, 1},
		{volume, 1, 1, all, 1, 3, 0, 1},
		{volume, 1, 9, all, 4, 0, 0, 1},
		{array, 0, 2, 2, 5, 7, 2, 2},
		{array, 0, 2, all, 5, 7, 2, 3},
		{array, 0, 9, all, 5, 7, 9, 0},
	} {
		g := vk.BufferImageCopy{ImageSubresource: vk.ImageSubresourceLayers{MipLevel: c.level, BaseArrayLayer: c.base, LayerCount: c.layers}, ImageOffset: vk.Offset3D{Z: 5}, ImageExtent: vk.Extent3D{Depth: 7}}
		c.im.slices(&g)
		if g.ImageOffset.Z != c.z || g.ImageExtent.Depth != c.depth || g.ImageSubresource.BaseArrayLayer != c.wantBase || g.ImageSubresource.LayerCount != c.wantLayers {
			t.Errorf("level %d, %d layers from %d: %+v", c.level, c.layers, c.base, g)
		}
	}
}
