package resource

import (
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// Planes, layers, slices and rows lie where the description has them:
// address = layer·arrayPitch + z·depthPitch + y·rowPitch + x·size + offset.
func TestExplicitLayout_NamesTheTexels(t *testing.T) {
	type place struct{ plane, layer, x, y, z, at int }
	for name, c := range map[string]struct {
		d      ImageDesc
		size   int64
		places []place
	}{
		"2D": {ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(3, 2, 1),
			Planes: []vk.SubresourceLayout{{Offset: 20, RowPitch: 32, Size: 1, ArrayPitch: 1, DepthPitch: 1}}},
			20 + 64, []place{{at: 20}, {x: 2, y: 1, at: 20 + 32 + 8}}},
		"2D array": {ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8Unorm, Extent: extent(3, 2, 1), ArrayLayers: 3,
			Planes: []vk.SubresourceLayout{{Offset: 1, RowPitch: 10, ArrayPitch: 23}}},
			1 + 2*23 + 20, []place{{layer: 2, x: 1, y: 1, at: 1 + 46 + 10 + 3}}},
		"3D": {ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR16Uint, Extent: extent(5, 2, 3),
			Planes: []vk.SubresourceLayout{{RowPitch: 12, DepthPitch: 30}}},
			90, []place{{x: 4, y: 1, z: 2, at: 60 + 12 + 8}}},
		"blocks": {ImageDesc{Type: vk.ImageType2D, Format: vk.FormatBc1RgbUnormBlock, Extent: extent(9, 5, 1),
			Planes: []vk.SubresourceLayout{{Offset: 8, RowPitch: 32}}},
			8 + 64, []place{{x: 8, y: 4, at: 8 + 32 + 16}}},
		"three planes, the last first": {ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_3Plane420Unorm, Extent: extent(4, 4, 1),
			Planes: []vk.SubresourceLayout{{Offset: 20, RowPitch: 5}, {Offset: 10, RowPitch: 5}, {Offset: 2, RowPitch: 4}}},
			40, []place{{x: 3, y: 3, at: 38}, {plane: 1, x: 1, y: 1, at: 16}, {plane: 2, x: 1, y: 1, at: 7}}},
	} {
		im := mustImage(t, c.d)
		if im.Layout.Size != c.size {
			t.Errorf("%s: %d bytes, want %d", name, im.Layout.Size, c.size)
		}
		for _, p := range c.places {
			clear(im.Data)
			l := im.Level(p.plane, 0, p.layer)
			l.Data[l.Offset(p.x, p.y, p.z, 0)] = 1
			if im.Data[p.at] != 1 {
				t.Errorf("%s: texel %+v lies elsewhere", name, p)
			}
		}
		clear(im.Data)
		for p := range im.Layout.Planes {
			for layer := range im.ArrayLayers {
				if !im.Layout.Planes[p].Info.Compressed { // texels share blocks
					markLevel(t, im.Level(p, 0, layer))
				}
			}
		}
	}
}

// Planes of a disjoint image count from memory of their own.
func TestExplicitLayout_Disjoint(t *testing.T) {
	im, err := NewImage(ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_2Plane420Unorm, Extent: extent(4, 2, 1), Flags: vk.ImageCreateDisjointBit,
		Planes: []vk.SubresourceLayout{{Offset: 8, RowPitch: 4}, {Offset: 6, RowPitch: 6}}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := im.PlaneBytes(0), im.PlaneBytes(1); a != 16 || b != 12 {
		t.Errorf("planes need %d and %d bytes, want 16 and 12", a, b)
	}
	if err := im.BindPlane(1, make([]byte, 11)); err == nil {
		t.Error("bound to a byte too few")
	}
	luma, chroma := make([]byte, 16), make([]byte, 12)
	if err := errors.Join(im.BindPlane(0, luma), im.BindPlane(1, chroma)); err != nil {
		t.Fatal(err)
	}
	l, c := im.Level(0, 0, 0), im.Level(1, 0, 0)
	l.Row(3, 1, 0, 1)[0], c.Row(1, 0, 0, 1)[1] = 1, 2
	if luma[8+4+3] != 1 || chroma[6+2+1] != 2 {
		t.Errorf("texels lie elsewhere: %v, %v", luma, chroma)
	}
}

// vkCreateImage must check that the layouts make an image.
func TestExplicitLayout_Refused(t *testing.T) {
	good := ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: extent(4, 4, 1), ArrayLayers: 2}
	volume := ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR8Unorm, Extent: extent(4, 4, 4)}
	two := ImageDesc{Type: vk.ImageType2D, Format: vk.FormatG8B8R8_2Plane420Unorm, Extent: extent(4, 4, 1)}
	levels := good
	levels.MipLevels = 2
	for name, c := range map[string]struct {
		d      ImageDesc
		planes []vk.SubresourceLayout
	}{
		"rows overlap":        {good, []vk.SubresourceLayout{{RowPitch: 12, ArrayPitch: 64}}},
		"layers overlap":      {good, []vk.SubresourceLayout{{RowPitch: 16, ArrayPitch: 60}}},
		"slices overlap":      {volume, []vk.SubresourceLayout{{RowPitch: 4, DepthPitch: 15}}},
		"rows between texels": {good, []vk.SubresourceLayout{{RowPitch: 18, ArrayPitch: 72}}},
		"offset":              {good, []vk.SubresourceLayout{{Offset: 2, RowPitch: 16, ArrayPitch: 64}}},
		"far away":            {good, []vk.SubresourceLayout{{Offset: MaxImageBytes, RowPitch: 16, ArrayPitch: 64}}},
		"beyond all":          {good, []vk.SubresourceLayout{{Offset: 1 << 63, RowPitch: 16, ArrayPitch: 64}}},
		"wide rows":           {good, []vk.SubresourceLayout{{RowPitch: MaxImageBytes, ArrayPitch: MaxImageBytes}}},
		"wider rows":          {good, []vk.SubresourceLayout{{RowPitch: 1<<64 - 4, ArrayPitch: 64}}},
		"rows beyond 2^64":    {good, []vk.SubresourceLayout{{RowPitch: 1 << 62, ArrayPitch: 64}}},
		"levels":              {levels, []vk.SubresourceLayout{{RowPitch: 16, ArrayPitch: 128}}},
		"planes overlap":      {two, []vk.SubresourceLayout{{RowPitch: 4}, {Offset: 14, RowPitch: 4}}},
		"planes overlap too":  {two, []vk.SubresourceLayout{{Offset: 6, RowPitch: 4}, {RowPitch: 4}}},
	} {
		c.d.Planes = c.planes
		_, err := NewImage(c.d)
		var p *PlaneLayoutError
		if !errors.As(err, &p) || !errors.Is(err, vk.ErrorInvalidDrmFormatModifierPlaneLayoutEXT) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good.Planes = []vk.SubresourceLayout{}
	_, err := NewImage(good)
	wantVUID(t, "no planes", err, "VkImageDrmFormatModifierExplicitCreateInfoEXT-drmFormatModifierPlaneCount-02265")
}
