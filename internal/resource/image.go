package resource

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// NewImage checks a description and computes its Layout. The image has no Data
// yet; whoever owns the memory binds Layout.Size bytes. Zero MipLevels,
// ArrayLayers, Samples and Extent.Depth and .Height mean 1. Errors are
// *UsageError, *LimitError and *UnsupportedError.
func NewImage(d ImageDesc) (*Image, error) {
	defaults(&d)
	if err := checkImage(&d); err != nil {
		return nil, err
	}
	info, ok := format.Lookup(d.Format)
	if !ok {
		return nil, &UnsupportedError{Op: "NewImage", What: "format " + d.Format.String()}
	}
	if err := info.Supported(); err != nil {
		return nil, err
	}
	if err := checkFormat(&d, info); err != nil {
		return nil, err
	}
	l, err := layoutOf(&d, info)
	if err != nil {
		return nil, err
	}
	return &Image{ImageDesc: d, Info: info, Layout: l}, nil
}

func defaults(d *ImageDesc) {
	if d.MipLevels == 0 {
		d.MipLevels = 1
	}
	if d.ArrayLayers == 0 {
		d.ArrayLayers = 1
	}
	if d.Samples == 0 {
		d.Samples = 1
	}
	if d.Extent.Height == 0 {
		d.Extent.Height = 1
	}
	if d.Extent.Depth == 0 {
		d.Extent.Depth = 1
	}
}

// checkImage applies the rules of VkImageCreateInfo that need no format.
func checkImage(d *ImageDesc) error {
	const op = "NewImage"
	e := d.Extent
	if e.Width == 0 {
		return usage(op, "VkImageCreateInfo-extent-00944", "width is 0")
	}
	for _, x := range []struct {
		what  string
		value int64
	}{
		{"image width", int64(e.Width)}, {"image height", int64(e.Height)}, {"image depth", int64(e.Depth)},
		{"image layers", int64(d.ArrayLayers)},
	} {
		if x.value > MaxExtent {
			return &LimitError{What: x.what, Value: x.value, Max: MaxExtent}
		}
	}
	if d.ArrayLayers < 0 {
		return usage(op, "VkImageCreateInfo-arrayLayers-00948", "%d array layers", d.ArrayLayers)
	}
	if n := bits.Len32(max(e.Width, e.Height, e.Depth)); d.MipLevels < 0 || d.MipLevels > n {
		return usage(op, "VkImageCreateInfo-mipLevels-00958", "%d levels; %dx%dx%d has at most %d", d.MipLevels, e.Width, e.Height, e.Depth, n)
	}
	switch d.Samples {
	case 1, 2, 4, 8, 16:
	default:
		return usage(op, "VkImageCreateInfo-samples-parameter", "%d samples; 1, 2, 4, 8 and 16 exist", d.Samples)
	}
	switch d.Type {
	case vk.ImageType1D:
		if e.Height != 1 || e.Depth != 1 {
			return usage(op, "VkImageCreateInfo-imageType-00956", "a 1D image of height %d and depth %d", e.Height, e.Depth)
		}
	case vk.ImageType2D:
		if e.Depth != 1 {
			return usage(op, "VkImageCreateInfo-imageType-00957", "a 2D image of depth %d", e.Depth)
		}
	case vk.ImageType3D:
		if d.ArrayLayers != 1 {
			return usage(op, "VkImageCreateInfo-imageType-00961", "a 3D image of %d layers", d.ArrayLayers)
		}
	default:
		return usage(op, "VkImageCreateInfo-imageType-parameter", "image type %d", d.Type)
	}
	return checkFlags(d)
}

// checkFlags applies the rules that tie flags and samples to the image type.
func checkFlags(d *ImageDesc) error {
	const op = "NewImage"
	cube := d.Flags&vk.ImageCreateCubeCompatibleBit != 0
	if d.Samples > 1 && (d.Type != vk.ImageType2D || cube || d.MipLevels != 1) {
		return usage(op, "VkImageCreateInfo-samples-02257", "%d samples need a 2D image of one level that is no cube", d.Samples)
	}
	if cube && d.Type != vk.ImageType2D {
		return usage(op, "VkImageCreateInfo-flags-00949", "CUBE_COMPATIBLE needs a 2D image")
	}
	if cube && (d.Extent.Width != d.Extent.Height || d.ArrayLayers < 6) {
		return usage(op, "VkImageCreateInfo-imageType-00954", "CUBE_COMPATIBLE needs a square and 6 layers; it is %dx%d with %d",
			d.Extent.Width, d.Extent.Height, d.ArrayLayers)
	}
	if d.Flags&(vk.ImageCreate2DArrayCompatibleBit) != 0 && d.Type != vk.ImageType3D {
		return usage(op, "VkImageCreateInfo-flags-00950", "2D_ARRAY_COMPATIBLE needs a 3D image")
	}
	if d.Flags&vk.ImageCreate2DViewCompatibleBitEXT != 0 && d.Type != vk.ImageType3D {
		return usage(op, "VkImageCreateInfo-flags-07755", "2D_VIEW_COMPATIBLE needs a 3D image")
	}
	if d.Flags&vk.ImageCreateBlockTexelViewCompatibleBit != 0 && d.Flags&vk.ImageCreateMutableFormatBit == 0 {
		return usage(op, "VkImageCreateInfo-flags-01573", "BLOCK_TEXEL_VIEW_COMPATIBLE needs MUTABLE_FORMAT")
	}
	const none = vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit | vk.ImageCreateSparseAliasedBit
	if d.Flags&none != 0 {
		return &UnsupportedError{Op: op, What: "sparse memory (" + (d.Flags & none).String() + ")"}
	}
	if d.Flags&vk.ImageCreateCornerSampledBitNV != 0 {
		return &UnsupportedError{Op: op, What: "VK_IMAGE_CREATE_CORNER_SAMPLED_BIT_NV"}
	}
	return nil
}

// checkFormat applies the rules that tie the format to type and samples.
func checkFormat(d *ImageDesc, info *format.Info) error {
	const op = "NewImage"
	depthStencil := info.Aspects&(vk.ImageAspectDepthBit|vk.ImageAspectStencilBit) != 0
	switch {
	case !depthStencil && info.Aspects != vk.ImageAspectColorBit:
		return &UnsupportedError{Op: op, What: "multi-planar format " + d.Format.String()}
	case info.Compressed && d.Samples > 1:
		return usage(op, "VkImageCreateInfo-samples-02258", "%v with %d samples", d.Format, d.Samples)
	case info.Compressed && d.Type == vk.ImageType1D:
		return &UnsupportedError{Op: op, What: "a 1D image of " + d.Format.String()}
	case depthStencil && d.Type == vk.ImageType3D:
		return &UnsupportedError{Op: op, What: "a 3D image of " + d.Format.String()}
	case d.Flags&vk.ImageCreateBlockTexelViewCompatibleBit != 0 && !info.Compressed:
		return usage(op, "VkImageCreateInfo-flags-01572", "BLOCK_TEXEL_VIEW_COMPATIBLE with %v, which is not compressed", d.Format)
	}
	return nil
}

// PlaneOf returns the plane that holds an aspect, or -1. Of several aspects the
// first plane counts.
func (im *Image) PlaneOf(aspect vk.ImageAspectFlags) int {
	for i := range im.Layout.Planes {
		if im.Layout.Planes[i].Aspect&aspect != 0 {
			return i
		}
	}
	return -1
}

// Bind gives the image its memory: the first Layout.Size bytes of data. The
// error is a *UsageError where there are fewer.
func (im *Image) Bind(data []byte) error {
	if int64(len(data)) < im.Layout.Size {
		return usage("Bind", "vkBindImageMemory-size-01049", "%d bytes for an image of %d", len(data), im.Layout.Size)
	}
	im.Data = data[:im.Layout.Size:im.Layout.Size]
	return nil
}
