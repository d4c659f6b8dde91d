package core

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// A view in a format of another class but the same size is made, and told of; one of another size is refused.
func TestNewImageView_OtherClassIsTold(t *testing.T) {
	var told []string
	d := must(Open(Config{Threads: 1, Debug: func(m Message) { told = append(told, m.Rule) }}))(t)
	t.Cleanup(func() { _ = d.Close() })
	im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16, Extent: vk.Extent3D{Width: 2, Height: 2, Depth: 1},
		Flags: vk.ImageCreateMutableFormatBit}, nil, 0, ""))(t)
	const rule = "VUID-VkImageViewCreateInfo-image-01761"
	for _, c := range []struct {
		format vk.Format
		made   bool
		told   []string
	}{
		{vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16, true, nil}, {vk.FormatR16G16B16A16Unorm, true, []string{rule}}, {vk.FormatR16G16Unorm, false, []string{rule}},
	} {
		told = nil
		if v, err := d.NewImageView(im, resource.ViewDesc{Format: c.format}, ""); (err == nil) != c.made || !slices.Equal(told, c.told) {
			t.Errorf("%v: %v, %v, told %v; want made %v, told %v", c.format, v, err, told, c.made, c.told)
		}
	}
}
