package pumice

import (
	"context"
	"image"
	"image/color"

	"github.com/pumice-gpu/pumice/vk"
)

// AllMips as ImageDesc.MipLevels asks for the full chain down to one texel.
const AllMips = -1

// ImageDesc describes an image. Only the width is required.
type ImageDesc struct {
	// Format of the texels; 0 means R8G8B8A8_SRGB.
	Format vk.Format
	// Width, Height, Depth in texels. Height 0 makes a 1D image, Depth 0 a 2D
	// image, Depth from 1 a 3D image.
	Width, Height, Depth int
	// MipLevels is the number of levels, 0 means 1, AllMips all there can be.
	MipLevels int
	// Layers is the number of array layers; 0 means 1, or 6 for a cube.
	Layers int
	// Samples a texel: 1 or 4 (Limits tell); 0 means 1.
	Samples int
	// Cube makes a cube-compatible image: Layers is a multiple of 6, in the
	// order +X, -X, +Y, -Y, +Z, -Z.
	Cube bool
	// Usage restricts what the image may be used for; 0 allows all that the
	// format supports.
	Usage vk.ImageUsageFlags
	// Flags are further VkImageCreateFlags.
	Flags vk.ImageCreateFlags
	// Memory and MemoryOffset bind the image to explicit memory; nil gives it
	// its own, zeroed. The offset is a multiple of 256.
	Memory       *Memory
	MemoryOffset uint64
	// Name appears in errors.
	Name string
}

// Image is an image in device memory. There are no layouts to keep track of.
type Image struct{}

// NewImage makes an image; its contents are zero.
func (d *Device) NewImage(desc ImageDesc) (*Image, error) { return nil, errStub }

// NewImageFrom makes an image and uploads img to its level 0. opts may be nil;
// its size is ignored, its Format may be any uncompressed colour format, by
// default R8G8B8A8_SRGB (alpha not premultiplied). With MipLevels other than 0
// or 1 the other levels are generated.
func (d *Device) NewImageFrom(img image.Image, opts *ImageDesc) (*Image, error) { return nil, errStub }

// Desc returns the description with its defaults filled in; Memory is as given.
func (im *Image) Desc() ImageDesc { return ImageDesc{} }

// Subresource names one level of one layer of an image. Aspect 0 means colour,
// or depth where the format has it, or else stencil.
type Subresource struct {
	Level, Layer int
	Aspect       vk.ImageAspectFlags
}

// Write uploads one level of one layer, after all work submitted before. data
// holds rows without padding from the top, slices of 3D images one after
// another, in the image's format (blocks for compressed ones).
func (im *Image) Write(level, layer int, data []byte) error { return errStub }

// GenerateMipmaps fills levels 1 and up by halving the level above with a linear
// filter (in linear light for sRGB formats), in all layers.
func (im *Image) GenerateMipmaps() error { return errStub }

// Read returns one subresource as bytes, laid out as Write takes them, samples
// of a texel adjacent.
func (im *Image) Read(ctx context.Context, sub Subresource) ([]byte, error) { return nil, errStub }

// ReadNRGBA returns level 0, layer 0. UNORM and sRGB values appear as they are
// stored, floating-point values are clamped to 0…1 and encoded as sRGB, missing
// components are 0 and missing alpha is opaque. Multisampled images must be
// resolved before.
func (im *Image) ReadNRGBA(ctx context.Context) (*image.NRGBA, error) { return nil, errStub }

// ReadRGBA is ReadNRGBA for contents whose colours are premultiplied.
func (im *Image) ReadRGBA(ctx context.Context) (*image.RGBA, error) { return nil, errStub }

// ReadImage returns level 0, layer 0 as the type of package image that fits:
// Gray or Gray16 for one component and for depth, NRGBA64 for 16-bit
// components, else NRGBA.
func (im *Image) ReadImage(ctx context.Context) (image.Image, error) { return nil, errStub }

// Close gives the image up.
func (im *Image) Close() error { return errStub }

// View is an *Image (all of it) or an *ImageView (a part).
type View interface{ isView() }

func (*Image) isView()     {}
func (*ImageView) isView() {}

// ViewDesc selects a part of an image. The zero value is all of it.
type ViewDesc struct {
	// Type of the view. The zero value is VK_IMAGE_VIEW_TYPE_1D, which only 1D
	// images can have; for others it stands for the type that fits: 2D, 3D,
	// CUBE for cube images, or their arrays where there are several layers.
	Type vk.ImageViewType
	// Format reinterprets texels of the same size; 0 means the image's.
	Format vk.Format
	// Aspect 0 means all of the format's.
	Aspect vk.ImageAspectFlags
	// BaseLevel, Levels, BaseLayer, Layers: 0 Levels or Layers means all from
	// the base on.
	BaseLevel, Levels int
	BaseLayer, Layers int
	// Components swizzles what shaders read; zero is the identity.
	Components vk.ComponentMapping
	MinLod     float32
}

// ImageView is a part of an image as attachments and descriptors see it.
type ImageView struct{}

// NewView makes a view of the image.
func (im *Image) NewView(desc ViewDesc) (*ImageView, error) { return nil, errStub }

// Close gives the view up; the image stays.
func (v *ImageView) Close() error { return errStub }

// SamplerDesc describes a sampler. The zero value reads the nearest texel of
// the nearest level and repeats.
type SamplerDesc struct {
	MagFilter, MinFilter                     vk.Filter
	MipmapMode                               vk.SamplerMipmapMode
	AddressModeU, AddressModeV, AddressModeW vk.SamplerAddressMode
	MipLodBias                               float32
	// MaxAnisotropy above 1 switches anisotropic filtering on.
	MaxAnisotropy float32
	// CompareEnable makes it a shadow sampler with CompareOp.
	CompareEnable bool
	CompareOp     vk.CompareOp
	// MinLod and MaxLod clamp the level of detail; MaxLod 0 means no limit.
	// NoMips keeps to the base level.
	MinLod, MaxLod float32
	NoMips         bool
	BorderColor    vk.BorderColor
	// Unnormalized coordinates count texels.
	Unnormalized bool
	Reduction    vk.SamplerReductionMode
}

// LinearSampler describes a sampler with linear filters within and between
// levels, and the given address mode in every direction.
func LinearSampler(mode vk.SamplerAddressMode) SamplerDesc {
	return SamplerDesc{
		MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear,
		AddressModeU: mode, AddressModeV: mode, AddressModeW: mode,
	}
}

// Sampler is filter and addressing state.
type Sampler struct{}

// NewSampler makes a sampler.
func (d *Device) NewSampler(desc SamplerDesc) (*Sampler, error) { return nil, errStub }

// Close gives the sampler up.
func (s *Sampler) Close() error { return errStub }

// ClearColor converts c to the clear value of an attachment of format f: c's
// components without premultiplication, decoded to linear for sRGB and
// floating-point formats, so that what is read back is c.
func ClearColor(f vk.Format, c color.Color) vk.ClearColorValue { return vk.ClearColorValue{} }
