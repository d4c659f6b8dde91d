// Package told holds small programs, each of which breaks one rule of image instructions, written once as data: the Go API runs
// them through RunGo, the Vulkan driver through a program in C that reads them as Words (driver/told_test.go). Every one must be
// told of its rule once, with the place.
package told

import (
	"github.com/pumice-gpu/pumice/internal/spirv/imagemodule"
	"github.com/pumice-gpu/pumice/vk"
)

// Features are those that a program in C enables; the Go API has all of them.
type Features uint32

// The features.
const (
	CustomBorders Features = 1 << iota
	CustomBorderWithoutFormat
	Processing // VK_QCOM_image_processing and 2
	Footprints
	CornerSampled
	DensityMaps
	Cubic
)

// Image is an image of one case.
type Image struct {
	Type                                    vk.ImageType
	Format                                  vk.Format
	Width, Height, Depth                    uint32
	Levels, Layers                          uint32
	Samples                                 vk.SampleCountFlags
	Flags                                   vk.ImageCreateFlags
	Usage                                   vk.ImageUsageFlags
	ViewType                                vk.ImageViewType
	ViewFormat                              vk.Format // 0: the image's
	Components                              vk.ComponentMapping
	Aspect                                  vk.ImageAspectFlags
	BaseLevel, ViewLevels, BaseLayer, Views uint32 // of the view: levels and layers
	MinLod                                  float32
	Conversion                              bool // the view has one
	Weights                                 *Weights
	// Layouts are what transitions bring aspects to, one after the other; none: GENERAL for all.
	Layouts []Layout
}

// Layout is a transition of an aspect.
type Layout struct {
	Aspect vk.ImageAspectFlags
	To     vk.ImageLayout
}

// Weights is VkImageViewSampleWeightCreateInfoQCOM.
type Weights struct{ CenterX, CenterY, Width, Height, Phases uint32 }

// Sampler is a sampler with what extensions add.
type Sampler struct {
	vk.SamplerCreateInfo
	Reduction  vk.SamplerReductionMode
	Border     *Border
	Mapping    *Mapping
	Conversion bool
}

// Border is a custom border colour.
type Border struct {
	Format vk.Format
	Color  [4]uint32
}

// Mapping is VkSamplerBorderColorComponentMappingCreateInfoEXT.
type Mapping struct {
	Components vk.ComponentMapping
	Srgb       bool
}

// Conversion is a Y′CBCR conversion.
type Conversion struct {
	Format     vk.Format
	Components vk.ComponentMapping
}

// Second says what the second image of an instruction is.
type Second int

// The second images.
const (
	NoSecond Second = iota
	SameSecond
	OwnSecond
)

// Case is a program that breaks a rule.
type Case struct {
	Rule string // of docs/rules
	What string // that breaks it, in words
	// Names is what the message names in place of the rule: a valid-usage statement. Where says what is at fault: words of the message.
	Names, Where string
	// NoGo says why the Go API cannot break the rule; "" where it can.
	NoGo string

	Features     Features
	Module       imagemodule.Instruction
	Image, Other Image
	Sampler      *Sampler
	Conversion   *Conversion
	Second       Second
	Descriptor   vk.DescriptorType // of the image
	SecondType   vk.DescriptorType
	Layout       vk.ImageLayout // in the descriptor
	Made         bool           // it is told when an object is made, and nothing is run
}
