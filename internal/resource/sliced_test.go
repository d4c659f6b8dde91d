package resource

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// VkImageViewSlicedCreateInfoEXT: depth, addresses and bounds of a part of a level.
func TestNewView_SlicesOf3D(t *testing.T) {
	rules.Covers(t, "IMG-030", "IMG-042")
	desc := ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(8, 4, 16), MipLevels: 2, ArrayLayers: 1, Samples: 1, Usage: vk.ImageUsageStorageBit}
	im := mustImage(t, desc)
	t3 := vk.ImageViewType3D
	whole, err := NewView(im, ViewDesc{Type: &t3, Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		first, count uint32
		want         int // 0: an error
	}{{2, 3, 3}, {0, 8, 8}, {5, vk.Remaining3DSlicesEXT, 3}, {8, 1, 0}, {4, 5, 0}, {9, vk.Remaining3DSlicesEXT, 0}} {
		v, err := NewView(im, ViewDesc{Type: &t3, Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 1}, FirstSlice: c.first, SliceCount: c.count})
		if (err == nil) != (c.want > 0) {
			t.Errorf("slices %d+%d: %v", c.first, c.count, err)
		}
		if err != nil {
			continue
		}
		l, all := v.Level(0, 0), whole.Level(0, 0)
		_, _, depth := v.Extent(0)
		at, _ := v.Start(0)
		from, _ := whole.Start(0)
		if l.Depth != c.want || depth != c.want || &l.Data[0] != &all.Data[int(c.first)*all.SlicePitch] || at-from != int64(int(c.first)*all.SlicePitch) || len(l.Data) != c.want*all.SlicePitch {
			t.Errorf("slices %d+%d: depth %d, %d bytes at %d", c.first, c.count, l.Depth, len(l.Data), at-from)
		}
	}
	if _, err := NewView(im, ViewDesc{Type: &t3, SliceCount: 2}); err == nil {
		t.Error("slices of two levels")
	}
}
