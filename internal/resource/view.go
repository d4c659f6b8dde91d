package resource

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// ViewDesc describes an image view (VkImageViewCreateInfo). The zero value
// selects the whole image with its own format, in the plainest view type.
type ViewDesc struct {
	// Type is the view type; a nil pointer chooses 1D, 2D or 3D after the
	// image, as an array where the range has several layers.
	Type       *vk.ImageViewType
	Format     vk.Format // FormatUndefined: the image's
	Components vk.ComponentMapping
	// Range selects levels and layers; counts of 0 and the Remaining
	// constants mean "to the end", an aspect of 0 all aspects.
	Range  vk.ImageSubresourceRange
	MinLod float32 // absolute level (IMG-044)
	// FirstSlice and SliceCount make a sliced view of one level of a 3D image
	// (VkImageViewSlicedCreateInfoEXT); a count of 0 means all slices.
	FirstSlice, SliceCount uint32
	// DecodeMode is what ASTC blocks decode to; FormatUndefined: the default.
	DecodeMode vk.Format
	// Weights makes the view an image of weights.
	Weights WeightImage
	// Ycbcr is the conversion that the view was made with; nil: none.
	Ycbcr *YcbcrConversion
}

// NewView checks a view of im. Errors are *UsageError and *UnsupportedError.
func NewView(im *Image, d ViewDesc) (*ImageView, error) {
	v := &ImageView{Image: im, Format: d.Format, Components: d.Components, MinLod: d.MinLod, Ycbcr: d.Ycbcr}
	if v.Format == vk.FormatUndefined {
		v.Format = im.Format
	}
	if err := v.chooseRange(d.Range); err != nil {
		return nil, err
	}
	if err := v.chooseType(d.Type); err != nil {
		return nil, err
	}
	if err := v.chooseSlices(&d); err != nil {
		return nil, err
	}
	if err := v.chooseFormat(); err != nil {
		return nil, err
	}
	if err := checkComponents(d.Components); err != nil {
		return nil, err
	}
	if d.DecodeMode != vk.FormatUndefined {
		info, ok := v.Info.DecodingTo(d.DecodeMode)
		if !ok {
			return nil, usage("NewView", "VkImageViewASTCDecodeModeEXT-decodeMode-02230", "%v as decode mode", d.DecodeMode)
		}
		v.Info = info
	}
	if !(d.MinLod >= 0) || d.MinLod > float32(v.BaseLevel+v.Levels-1) { // IMG-044, IMG-158
		return nil, usage("NewView", "VkImageViewMinLodCreateInfoEXT-minLod-06456", "minLod %v lies beyond level %d", d.MinLod, v.BaseLevel+v.Levels-1)
	}
	if err := v.checkWeights(&d.Weights); err != nil {
		return nil, err
	}
	v.Weights = d.Weights
	if info := v.Info.Unscaled(); info != nil {
		v.integers = v.reading(info)
	}
	if info := v.Info.Words(); info != nil {
		v.words = v.reading(info)
	}
	return v, nil
}

// reading is the view with another format.
func (v *ImageView) reading(info *format.Info) *ImageView {
	w := *v
	w.Format, w.Info = info.Format, info
	return &w
}

// As is the view as an instruction sees it whose texels are floats or integers, of 64 bits where they are wide. Where a scaled format is
// read as integers, which is a mistake and leaves the values to us, they are those that the floats would be: what a program means that
// takes such a format for integers. A number of 64 bits is two components, its low and its high word.
func (v *ImageView) As(integers, wide bool) *ImageView {
	switch {
	case v == nil:
	case wide && v.words != nil: // IMG-259
		return v.words
	case integers && v.integers != nil: // IMG-258
		return v.integers
	}
	return v
}

// layerCount is the number of layers that views of im can select: slices of the
// base level in 3D images that views of slices are allowed of.
func (v *ImageView) layerCount(baseLevel int) int {
	im := v.Image
	if im.Type == vk.ImageType3D && v.slices {
		return im.Layout.Planes[0].Levels[baseLevel].Depth
	}
	return im.ArrayLayers
}

// chooseRange resolves levels and aspects. Layers wait for the type.
func (v *ImageView) chooseRange(r vk.ImageSubresourceRange) error {
	const op = "NewView"
	im := v.Image
	if int64(r.BaseMipLevel) >= int64(im.MipLevels) {
		return usage(op, "VkImageViewCreateInfo-subresourceRange-01478", "base level %d of %d", r.BaseMipLevel, im.MipLevels)
	}
	// IMG-042
	v.BaseLevel = int(r.BaseMipLevel)
	v.Levels = im.MipLevels - v.BaseLevel
	if n := r.LevelCount; n != 0 && n != vk.RemainingMipLevels {
		if int64(n) > int64(v.Levels) {
			return usage(op, "VkImageViewCreateInfo-subresourceRange-01718", "levels %d+%d of %d", v.BaseLevel, n, im.MipLevels)
		}
		v.Levels = int(n)
	}

	if r.BaseArrayLayer > MaxExtent {
		return usage(op, "VkImageViewCreateInfo-image-06724", "base layer %d", r.BaseArrayLayer)
	}
	v.BaseLayer = int(r.BaseArrayLayer)
	v.Layers = 0
	if n := r.LayerCount; n != 0 && n != vk.RemainingArrayLayers {
		v.Layers = int(min(n, 2*MaxExtent))
	}
	v.Aspect = r.AspectMask
	if v.Aspect == 0 {
		v.Aspect = im.Info.Aspects
		if im.Info.MultiPlanar() {
			v.Aspect = vk.ImageAspectColorBit
		}
	}
	if v.Aspect&^im.Info.Aspects != 0 {
		return usage(op, "VkImageSubresourceRange-aspectMask-parameter", "aspect %v; %v has %v", v.Aspect, im.Format, im.Info.Aspects)
	}
	if im.Info.MultiPlanar() && bits.OnesCount32(uint32(v.Aspect)) != 1 {
		return usage(op, "VkImageViewCreateInfo-subresourceRange-07818", "aspect %v; views of multi-planar images have one", v.Aspect)
	}
	v.Plane = im.PlaneOf(v.Aspect)
	return nil
}

// chooseType fixes the view type and then the layers, by the table of image
// view types and their images (resources-image-views-compatibility).
func (v *ImageView) chooseType(t *vk.ImageViewType) error {
	const op = "NewView"
	im := v.Image
	if t != nil {
		v.Type = *t
	} else {
		v.Type = plainType(im, v.Layers != 1 && im.ArrayLayers-v.BaseLayer > 1)
	}
	switch v.Type {
	case vk.ImageViewType1D, vk.ImageViewType1DArray:
		if im.Type != vk.ImageType1D {
			return v.wrongType()
		}
	case vk.ImageViewType2D, vk.ImageViewType2DArray:
		if err := v.check2D(); err != nil {
			return err
		}
	case vk.ImageViewType3D:
		if im.Type != vk.ImageType3D {
			return v.wrongType()
		}
	case vk.ImageViewTypeCube, vk.ImageViewTypeCubeArray:
		if im.Flags&vk.ImageCreateCubeCompatibleBit == 0 {
			return usage(op, "VkImageViewCreateInfo-image-01003", "%v of an image without CUBE_COMPATIBLE", v.Type)
		}
	default:
		return usage(op, "VkImageViewCreateInfo-viewType-parameter", "view type %d", v.Type)
	}
	return v.chooseLayers()
}

// plainType is the view type that shows an image as it is.
func plainType(im *Image, arrayed bool) vk.ImageViewType {
	switch {
	case im.Type == vk.ImageType3D:
		return vk.ImageViewType3D
	case im.Type == vk.ImageType1D && arrayed:
		return vk.ImageViewType1DArray
	case im.Type == vk.ImageType1D:
		return vk.ImageViewType1D
	case arrayed:
		return vk.ImageViewType2DArray
	default:
		return vk.ImageViewType2D
	}
}

func (v *ImageView) wrongType() error {
	return usage("NewView", "VkImageViewCreateInfo-subResourceRange-01021", "%v of an image of %v", v.Type, v.Image.Type)
}

// check2D allows 2D views of 2D images, and of the slices of one level of a 3D
// image whose flags say so.
func (v *ImageView) check2D() error {
	im := v.Image
	if im.Type == vk.ImageType2D {
		return nil
	}
	if im.Type != vk.ImageType3D {
		return v.wrongType()
	}
	need := vk.ImageCreate2DArrayCompatibleBit
	if v.Type == vk.ImageViewType2D {
		need |= vk.ImageCreate2DViewCompatibleBitEXT
	}
	if im.Flags&need == 0 {
		return usage("NewView", "VkImageViewCreateInfo-image-06728", "%v of a 3D image without %v", v.Type, need)
	}
	if v.Levels != 1 {
		return usage("NewView", "VkImageViewCreateInfo-image-04970", "%v of %d levels of a 3D image; a view of slices has one", v.Type, v.Levels)
	}
	v.slices = true
	return nil
}

// chooseLayers resolves the layer range and checks it against the type.
func (v *ImageView) chooseLayers() error {
	const op = "NewView"
	total := v.layerCount(v.BaseLevel)
	if v.BaseLayer >= total {
		return usage(op, "VkImageViewCreateInfo-image-06724", "base layer %d of %d", v.BaseLayer, total)
	}
	if v.Layers == 0 {
		v.Layers = total - v.BaseLayer
	}
	if v.BaseLayer+v.Layers > total {
		return usage(op, "VkImageViewCreateInfo-subresourceRange-06725", "layers %d+%d of %d", v.BaseLayer, v.Layers, total)
	}
	switch v.Type {
	case vk.ImageViewTypeCube:
		if v.Layers != 6 {
			return usage(op, "VkImageViewCreateInfo-viewType-02960", "a cube view of %d layers", v.Layers)
		}
	case vk.ImageViewTypeCubeArray:
		if v.Layers%6 != 0 {
			return usage(op, "VkImageViewCreateInfo-viewType-02961", "a cube array view of %d layers", v.Layers)
		}
	case vk.ImageViewType1D, vk.ImageViewType2D, vk.ImageViewType3D:
		if v.Layers != 1 {
			return usage(op, "VkImageViewCreateInfo-imageViewType-04973", "%v of %d layers", v.Type, v.Layers)
		}
	case vk.ImageViewType1DArray, vk.ImageViewType2DArray:
	}
	return nil
}

// chooseSlices restricts a 3D view of one level to some of its slices.
func (v *ImageView) chooseSlices(d *ViewDesc) error {
	const op = "NewView"
	if d.SliceCount == 0 {
		return nil
	}
	if v.Type != vk.ImageViewType3D || v.Levels != 1 {
		return usage(op, "VkImageViewSlicedCreateInfoEXT-None-07870", "slices of a view of %v and %d levels; 3D views of one have some", v.Type, v.Levels)
	}
	depth := uint64(v.Image.Layout.Planes[v.Plane].Levels[v.BaseLevel].Depth)
	// IMG-607
	count := uint64(d.SliceCount)
	if d.SliceCount == vk.Remaining3DSlicesEXT && uint64(d.FirstSlice) < depth {
		count = depth - uint64(d.FirstSlice)
	}

	if uint64(d.FirstSlice)+count > depth {
		return usage(op, "VkImageViewSlicedCreateInfoEXT-sliceCount-07868", "slices %d+%d of %d", d.FirstSlice, count, depth)
	}
	v.firstSlice, v.sliceCount = int(d.FirstSlice), int(count)
	return nil
}

// Slices tells which slices of its level a 3D view shows.
func (v *ImageView) Slices() (first, count int) {
	if v.sliceCount > 0 {
		return v.firstSlice, v.sliceCount
	}
	return 0, v.Image.Layout.Planes[v.Plane].Levels[v.BaseLevel].Depth
}

// chooseFormat applies the rules for views in another format than the image's.
//
// IMG-255
func (v *ImageView) chooseFormat() error {
	const op = "NewView"
	im := v.Image
	whole := im.Info // of what the view shows
	if im.Info.MultiPlanar() && v.Aspect != vk.ImageAspectColorBit {
		// IMG-256: a plane has a format of its own.
		whole = im.Layout.Planes[v.Plane].Info
		if v.Format == im.Format {
			v.Format = whole.Format
		}
	}
	if v.Format == im.Format {
		if v.Info = im.Layout.Planes[v.Plane].Info; im.Info.MultiPlanar() {
			v.Info = im.Info
		}
		return nil
	}
	info, ok := format.Lookup(v.Format)
	if !ok {
		return &UnsupportedError{Op: op, What: "format " + v.Format.String()}
	}
	if err := info.Supported(); err != nil {
		return err
	}
	v.Info = info
	if im.Flags&vk.ImageCreateMutableFormatBit == 0 {
		return usage(op, "VkImageViewCreateInfo-image-12397", "view format %v of a %v image without MUTABLE_FORMAT", v.Format, im.Format)
	}
	if Compatible(whole, info) || Reinterprets(whole, info) {
		return nil
	}
	blocks := im.Flags&vk.ImageCreateBlockTexelViewCompatibleBit != 0
	if !blocks || !im.Info.Compressed || info.Compressed || info.Aspects != vk.ImageAspectColorBit || info.BlockBytes != im.Info.BlockBytes {
		return usage(op, "VkImageViewCreateInfo-image-01761", "view format %v is not compatible with %v", v.Format, im.Format)
	}
	if v.Levels != 1 {
		return usage(op, "VkImageViewCreateInfo-image-07072", "a view of blocks as texels with %d levels; it has one", v.Levels)
	}
	v.blockTexels = true
	return nil
}

func checkComponents(m vk.ComponentMapping) error {
	for _, c := range [4]vk.ComponentSwizzle{m.R, m.G, m.B, m.A} {
		if c < vk.ComponentSwizzleIdentity || c > vk.ComponentSwizzleA {
			return usage("NewView", "VkComponentMapping-r-parameter", "component swizzle %d", c)
		}
	}
	return nil
}

// NewBufferView makes a typed view of a range of buffer memory. A rest of data
// smaller than a texel is not part of the view.
func NewBufferView(f vk.Format, data []byte) (*BufferView, error) {
	info, ok := format.Lookup(f)
	if !ok || info.Compressed || info.Aspects != vk.ImageAspectColorBit {
		return nil, &UnsupportedError{Op: "NewBufferView", What: "format " + f.String()}
	}
	if err := info.Supported(); err != nil {
		return nil, err
	}
	n := len(data) / info.BlockBytes * info.BlockBytes
	word := min((n+3)&^3, cap(data)) // the rest of the last one, which routines read
	return &BufferView{Info: info, Data: data[:n:word]}, nil
}

// LevelView is a view of one level of one plane, all layers, in the image's own
// format: 3D of 3D images, else an array. It serves transfers, which need no
// view rules.
func LevelView(im *Image, plane, level int) *ImageView {
	v := &ImageView{Image: im, Type: vk.ImageViewType2DArray, Info: im.Layout.Planes[plane].Info, Aspect: im.Layout.Planes[plane].Aspect,
		Plane: plane, BaseLevel: level, Levels: 1, Layers: im.ArrayLayers}
	v.Format = v.Info.Format
	switch im.Type {
	case vk.ImageType1D:
		v.Type = vk.ImageViewType1DArray
	case vk.ImageType3D:
		v.Type = vk.ImageViewType3D
	case vk.ImageType2D:
	}
	return v
}
