package resource

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// NewImage checks a description and computes its Layout. The image has no Data
// yet; whoever owns the memory binds Layout.Size bytes. Zero MipLevels,
// ArrayLayers, Samples and Extent.Depth and .Height mean 1. Errors are
// *UsageError, *LimitError, *UnsupportedError and *PlaneLayoutError.
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
	place := layoutOf
	if d.Planes != nil {
		place = explicitLayout
	}
	l, err := place(&d, info)
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
	n := bits.Len32(max(e.Width, e.Height, e.Depth))
	if d.corner() { // IMG-041: ceil(log2) of the largest dimension
		n = bits.Len32(max(e.Width, e.Height, e.Depth) - 1)
	}
	if d.MipLevels < 0 || d.MipLevels > n {
		return usage(op, "VkImageCreateInfo-mipLevels-00958", "%d levels; %dx%dx%d has at most %d", d.MipLevels, e.Width, e.Height, e.Depth, n)
	}
	most := ir.PlaceSamples
	if d.resident() { // sparseResidency16Samples is the last feature
		most = 16
	}
	if n := d.Samples; n < 1 || n > most || n&(n-1) != 0 {
		return usage(op, "VkImageCreateInfo-samples-parameter",
			"%d samples; powers of two up to %d exist", n, most)
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
	if cube && d.Extent.Width != d.Extent.Height {
		return usage(op, "VkImageCreateInfo-flags-08865", "CUBE_COMPATIBLE needs a square; it is %dx%d",
			d.Extent.Width, d.Extent.Height)
	}
	if cube && d.ArrayLayers < 6 {
		return usage(op, "VkImageCreateInfo-flags-08866", "CUBE_COMPATIBLE needs 6 layers; there are %d",
			d.ArrayLayers)
	}
	if d.Flags&(vk.ImageCreate2DArrayCompatibleBit) != 0 && d.Type != vk.ImageType3D {
		return usage(op, "VkImageCreateInfo-flags-00950", "2D_ARRAY_COMPATIBLE needs a 3D image")
	}
	if d.Flags&vk.ImageCreate2DViewCompatibleBitEXT != 0 && d.Type != vk.ImageType3D {
		return usage(op, "VkImageCreateInfo-flags-07755", "2D_VIEW_COMPATIBLE needs a 3D image")
	}
	if d.Flags&vk.ImageCreateAliasSingleLayerDescriptorBitKHR != 0 && d.Type == vk.ImageType3D {
		return usage(op, "VkImageCreateInfo-flags-13356", "ALIAS_SINGLE_LAYER_DESCRIPTOR needs a 1D or 2D image")
	}
	if d.Flags&vk.ImageCreateBlockTexelViewCompatibleBit != 0 && d.Flags&vk.ImageCreateMutableFormatBit == 0 {
		return usage(op, "VkImageCreateInfo-flags-01573", "BLOCK_TEXEL_VIEW_COMPATIBLE needs MUTABLE_FORMAT")
	}
	if d.Flags&(vk.ImageCreateSparseResidencyBit|vk.ImageCreateSparseAliasedBit) != 0 && d.Flags&vk.ImageCreateSparseBindingBit == 0 {
		return usage(op, "VkImageCreateInfo-flags-00987", "SPARSE_RESIDENCY or SPARSE_ALIASED without SPARSE_BINDING")
	}
	if d.Flags&vk.ImageCreateSparseResidencyBit != 0 && d.Type == vk.ImageType1D {
		return usage(op, "VkImageCreateInfo-imageType-00970", "SPARSE_RESIDENCY of a 1D image")
	}
	if d.Flags&vk.ImageCreateSubsampledBitEXT != 0 && (d.Type != vk.ImageType2D || cube || d.MipLevels != 1) {
		return usage(op, "VkImageCreateInfo-flags-02566", "SUBSAMPLED needs a 2D image of one level that is no cube")
	}
	if d.Usage&vk.ImageUsageFragmentDensityMapBitEXT != 0 && (d.Type != vk.ImageType2D || d.Samples > 1) {
		return usage(op, "VkImageCreateInfo-flags-02557", "a density map needs a 2D image of one sample")
	}
	if d.corner() {
		return checkCorner(d, cube)
	}
	return nil
}

// corner says that the image is corner-sampled: texel i is centred at i, and
// levels end at two texels (VK_NV_corner_sampled_image).
func (d *ImageDesc) corner() bool { return d.Flags&vk.ImageCreateCornerSampledBitNV != 0 }

// checkCorner is IMG-154.
func checkCorner(d *ImageDesc, cube bool) error {
	const op = "NewImage"
	e := d.Extent
	switch {
	case d.Type == vk.ImageType1D:
		return usage(op, "VkImageCreateInfo-flags-02050", "a 1D image that is corner-sampled")
	case cube || d.Samples > 1:
		return usage(op, "VkImageCreateInfo-flags-02051", "a cube or %d samples of a corner-sampled image", d.Samples)
	case e.Width < 2 || e.Height < 2:
		return usage(op, "VkImageCreateInfo-flags-02052", "a corner-sampled image of %dx%d", e.Width, e.Height)
	case d.Type == vk.ImageType3D && e.Depth < 2:
		return usage(op, "VkImageCreateInfo-flags-02053", "a corner-sampled image of depth %d", e.Depth)
	}
	return nil
}

// checkFormat applies the rules that tie the format to type and samples.
func checkFormat(d *ImageDesc, info *format.Info) error {
	const op = "NewImage"
	depthStencil := info.Aspects&(vk.ImageAspectDepthBit|vk.ImageAspectStencilBit) != 0
	switch {
	case d.Flags&vk.ImageCreateSparseBindingBit != 0 && !CanBeSparse(info):
		return &UnsupportedError{Op: op, What: "sparse memory of " + d.Format.String()}
	case info.NeedsConversion():
		return checkChroma(d, info)
	case d.Flags&(vk.ImageCreateDisjointBit|vk.ImageCreateAliasBit) == vk.ImageCreateDisjointBit:
		return usage(op, "VkImageCreateInfo-format-01577", "DISJOINT with %v, which has one plane", d.Format)
	case info.Compressed && d.Samples > 1:
		return usage(op, "VkImageCreateInfo-samples-02258", "%v with %d samples", d.Format, d.Samples)
	case info.Compressed && d.Type == vk.ImageType1D:
		return &UnsupportedError{Op: op, What: "a 1D image of " + d.Format.String()}
	case depthStencil && d.corner():
		return usage(op, "VkImageCreateInfo-flags-02050", "a corner-sampled image of %v", d.Format)
	case d.Flags&vk.ImageCreateBlockTexelViewCompatibleBit != 0 && !info.Compressed:
		return usage(op, "VkImageCreateInfo-flags-01572", "BLOCK_TEXEL_VIEW_COMPATIBLE with %v, which is not compressed", d.Format)
	}
	return nil
}

// checkChroma applies the rules of formats that need a Y′CBCR conversion
// (IMG-046). Arrays are VK_EXT_ycbcr_image_arrays.
func checkChroma(d *ImageDesc, info *format.Info) error {
	const op = "NewImage"
	switch {
	case d.Type != vk.ImageType2D:
		return usage(op, "VkImageCreateInfo-format-06412", "an image of %v of %v", d.Format, d.Type)
	case d.MipLevels != 1:
		return usage(op, "VkImageCreateInfo-format-06410", "%d levels of %v", d.MipLevels, d.Format)
	case d.Samples != 1:
		return usage(op, "VkImageCreateInfo-format-06411", "%d samples of %v", d.Samples, d.Format)
	case (info.Chroma == "422" || info.Chroma == "420") && d.Extent.Width%2 != 0:
		return usage(op, "VkImageCreateInfo-format-04712", "width %d of %v", d.Extent.Width, d.Format)
	case info.Chroma == "420" && d.Extent.Height%2 != 0:
		return usage(op, "VkImageCreateInfo-format-04713", "height %d of %v", d.Extent.Height, d.Format)
	case d.Flags&(vk.ImageCreateDisjointBit|vk.ImageCreateAliasBit) == vk.ImageCreateDisjointBit && !info.MultiPlanar():
		return usage(op, "VkImageCreateInfo-format-01577", "DISJOINT with %v, which has one plane", d.Format)
	case d.Flags&vk.ImageCreateBlockTexelViewCompatibleBit != 0:
		return usage(op, "VkImageCreateInfo-flags-01572", "BLOCK_TEXEL_VIEW_COMPATIBLE with %v, which is not compressed", d.Format)
	}
	return nil
}

// PlaneOf returns the plane that holds an aspect, or -1. Of several aspects the
// first plane counts. The colour of multi-planar formats starts in plane 0.
func (im *Image) PlaneOf(aspect vk.ImageAspectFlags) int {
	for i := range im.Layout.Planes {
		if im.Layout.Planes[i].Aspect&aspect != 0 {
			return i
		}
	}
	if aspect&im.Info.Aspects&vk.ImageAspectColorBit != 0 {
		return 0
	}
	return -1
}

// Disjoint says that each plane has memory of its own. An image of one plane may
// be called disjoint where it aliases a plane of another.
func (im *Image) Disjoint() bool {
	return im.Flags&vk.ImageCreateDisjointBit != 0 && len(im.Layout.Planes) > 1
}

// Bound says whether all of the image has memory.
func (im *Image) Bound() bool {
	if !im.Disjoint() {
		return im.Data != nil
	}
	for i := range im.Layout.Planes {
		if im.planes[i] == nil {
			return false
		}
	}
	return true
}

// PlaneData is the memory that the Offset of a plane counts from.
func (im *Image) PlaneData(plane int) []byte {
	if im.Disjoint() {
		return im.planes[plane]
	}
	return im.Data
}

// PlaneBytes is the memory that a plane of a disjoint image needs.
func (im *Image) PlaneBytes(plane int) int64 {
	p := &im.Layout.Planes[plane]
	return p.Offset + p.Size
}

// BindPlane gives a plane of a disjoint image its memory.
func (im *Image) BindPlane(plane int, data []byte) error {
	if !im.Disjoint() || uint(plane) >= uint(len(im.Layout.Planes)) {
		return usage("BindPlane", "VkBindImagePlaneMemoryInfo-planeAspect-02283", "plane %d", plane)
	}
	size := im.PlaneBytes(plane)
	if int64(len(data)) < size {
		return usage("BindPlane", "VkBindImageMemoryInfo-pNext-01621", "%d bytes for a plane of %d", len(data), size)
	}
	im.planes[plane] = data[:size:size]
	if im.Bound() {
		im.Data = im.planes[0]
	}
	return nil
}

// Bind gives the image its memory: the first Layout.Size bytes of data. The
// error is a *UsageError where there are fewer. A disjoint image gets its planes
// one after the other.
func (im *Image) Bind(data []byte) error {
	if im.Disjoint() {
		for i := range im.Layout.Planes {
			if err := im.BindPlane(i, data); err != nil {
				return err
			}
			data = data[im.PlaneBytes(i):]
		}
		return nil
	}
	if int64(len(data)) < im.Layout.Size {
		return usage("Bind", "vkBindImageMemory-None-10737", "%d bytes for an image of %d", len(data), im.Layout.Size)
	}
	im.Data = data[:im.Layout.Size:im.Layout.Size]
	return nil
}
