// Package resource holds buffers, images, views and samplers as the stages see
// them: memory, layout and state, no API objects. Package core owns their
// lifetime.
package resource

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// ImageDesc describes an image (VkImageCreateInfo).
type ImageDesc struct {
	Type        vk.ImageType
	Format      vk.Format
	Extent      vk.Extent3D
	MipLevels   int
	ArrayLayers int
	Samples     int // 1, 2, 4, …, 64
	Flags       vk.ImageCreateFlags
	Usage       vk.ImageUsageFlags

	// Planes says where each plane lies, as VkImageDrmFormatModifierExplicitCreateInfoEXT
	// does; nil: where NewImage wants it.
	Planes []vk.SubresourceLayout
}

// Image is an image bound to memory. Levels, layers and planes are laid out by
// Layout; a texel's samples are adjacent.
type Image struct {
	ImageDesc
	Info   *format.Info
	Layout Layout
	Data   []byte // Layout.Size bytes; of disjoint images, plane 0's
	Name   string // by which explanations call it; it may be empty

	planes [3][]byte // of disjoint images
}

// ImageView selects a part of an image (VkImageViewCreateInfo).
type ImageView struct {
	Image      *Image
	Type       vk.ImageViewType
	Format     vk.Format
	Info       *format.Info // of Format; of the plane, in depth/stencil views
	Aspect     vk.ImageAspectFlags
	Plane      int // plane of Aspect; depth where both are selected
	BaseLevel  int
	Levels     int
	BaseLayer  int
	Layers     int
	Components vk.ComponentMapping
	MinLod     float32

	// Weights says how the view is read as an image of weights.
	Weights WeightImage
	// Ycbcr is the view's own conversion; nil: it has none. What is sampled goes through the sampler's.
	Ycbcr *YcbcrConversion
	// ID tells views, and buffer views and samplers, of one device apart for as long as it is there; 0: nobody has given one.
	ID uint64

	slices      bool // a 2D view of a 3D image: layers are slices
	blockTexels bool // a texel of the view is a block of the image
	firstSlice  int  // of a sliced view of a 3D image
	sliceCount  int  // 0: all

	integers *ImageView // of a scaled format: see As
	words    *ImageView // of one component of 64 bits: see As
}

// SetID gives a new view its ID.
func (v *ImageView) SetID(id uint64) {
	for _, w := range []*ImageView{v, v.integers, v.words} {
		if w != nil {
			w.ID = id
		}
	}
}

// Number is the view's ID; 0 of none.
func (v *ImageView) Number() uint64 {
	if v == nil {
		return 0
	}
	return v.ID
}

// Number is the view's ID; 0 of none.
func (v *BufferView) Number() uint64 {
	if v == nil {
		return 0
	}
	return v.ID
}

// Number is the sampler's ID; 0 of none.
func (s *Sampler) Number() uint64 {
	if s == nil {
		return 0
	}
	return s.ID
}

// BufferView is a typed view of buffer memory.
type BufferView struct {
	Info *format.Info
	Data []byte
	ID   uint64 // see ImageView
}

// Sampler is sampler state (VkSamplerCreateInfo).
type Sampler struct {
	ID                                       uint64 // see ImageView
	MagFilter, MinFilter                     vk.Filter
	MipmapMode                               vk.SamplerMipmapMode
	AddressModeU, AddressModeV, AddressModeW vk.SamplerAddressMode
	MipLodBias                               float32
	AnisotropyEnable                         bool
	MaxAnisotropy                            float32
	CompareEnable                            bool
	CompareOp                                vk.CompareOp
	MinLod, MaxLod                           float32
	BorderColor                              vk.BorderColor
	CustomBorderColor                        format.Texel
	CustomBorderFormat                       vk.Format // of a custom colour; UNDEFINED: any
	HasCustomBorder                          bool      // the colour was given
	BorderMapping                            *BorderMapping
	Subsampled                               bool // VK_SAMPLER_CREATE_SUBSAMPLED_BIT_EXT
	UnnormalizedCoordinates                  bool
	Reduction                                vk.SamplerReductionMode
	NonSeamless                              bool
	Ycbcr                                    *YcbcrConversion // nil: none
	CubicWeights                             vk.CubicFilterWeightsQCOM
	ImageProcessing                          bool // VK_SAMPLER_CREATE_IMAGE_PROCESSING_BIT_QCOM
	Window                                   BlockMatchWindow
}

// BorderMapping is what a sampler says about the views that it meets
// (VkSamplerBorderColorComponentMappingCreateInfoEXT).
type BorderMapping struct {
	Components vk.ComponentMapping
	Srgb       bool
}

// YcbcrConversion is a sampler Y′CBCR conversion
// (VkSamplerYcbcrConversionCreateInfo).
type YcbcrConversion struct {
	Format                       vk.Format
	Model                        vk.SamplerYcbcrModelConversion
	Range                        vk.SamplerYcbcrRange
	Components                   vk.ComponentMapping
	XChromaOffset, YChromaOffset vk.ChromaLocation
	ChromaFilter                 vk.Filter
	ForceExplicit                bool
	YDegamma, CbCrDegamma        bool // VK_QCOM_ycbcr_degamma
}
