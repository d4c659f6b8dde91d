package pumice

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/core"
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
	// Samples a texel: 1, 2, 4, …, 64; 0 means 1.
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
type Image struct {
	core   *core.Image
	memory *Memory
	offset uint64
	name   string
}

// NewImage makes an image; its contents are zero.
func (d *Device) NewImage(desc ImageDesc) (*Image, error) {
	info, err := desc.info()
	if err != nil {
		return nil, err
	}
	o, err := d.object().NewImage(info, desc.Memory.object(), desc.MemoryOffset, desc.Name)
	if err != nil {
		return nil, err
	}
	return &Image{core: o, memory: desc.Memory, offset: desc.MemoryOffset, name: desc.Name}, nil
}

// info translates the description.
func (desc *ImageDesc) info() (vk.ImageCreateInfo, error) {
	const op = "Device.NewImage"
	for _, n := range []int{desc.Width, desc.Height, desc.Depth, desc.Layers, desc.Samples} {
		if n < 0 || n > math.MaxInt32 {
			return vk.ImageCreateInfo{}, &Error{Op: op, Rule: "VUID-VkImageCreateInfo-extent-00944", Detail: fmt.Sprintf("size %d", n)}
		}
	}
	if desc.MipLevels < AllMips || desc.MipLevels > math.MaxInt32 {
		return vk.ImageCreateInfo{}, &Error{Op: op, Rule: "VUID-VkImageCreateInfo-mipLevels-00958", Detail: fmt.Sprintf("%d levels", desc.MipLevels), Hint: "use AllMips for the full chain"}
	}
	info := vk.ImageCreateInfo{
		Flags: desc.Flags, ImageType: vk.ImageType2D, Format: desc.Format,
		Extent:    vk.Extent3D{Width: uint32(desc.Width), Height: uint32(desc.Height), Depth: uint32(desc.Depth)},
		MipLevels: uint32(max(desc.MipLevels, 1)), ArrayLayers: uint32(max(desc.Layers, 1)),
		Samples: vk.SampleCountFlags(max(desc.Samples, 1)), Usage: desc.Usage,
	}
	switch {
	case desc.Depth > 0:
		info.ImageType = vk.ImageType3D
	case desc.Height == 0:
		info.ImageType = vk.ImageType1D
	}
	if desc.MipLevels == AllMips {
		info.MipLevels = uint32(bits.Len32(max(info.Extent.Width, info.Extent.Height, info.Extent.Depth, 1)))
	}
	if info.Format == vk.FormatUndefined {
		info.Format = vk.FormatR8G8B8A8Srgb
	}
	if desc.Cube {
		info.Flags |= vk.ImageCreateCubeCompatibleBit
		if desc.Layers == 0 {
			info.ArrayLayers = 6
		}
	}
	return info, nil
}

// Desc returns the description with its defaults filled in; Memory is as given.
func (im *Image) Desc() ImageDesc {
	if im.object() == nil {
		return ImageDesc{}
	}
	i := im.core.Info()
	desc := ImageDesc{
		Format: i.Format, Width: int(i.Extent.Width), Height: int(i.Extent.Height), MipLevels: i.MipLevels, Layers: i.ArrayLayers,
		Samples: i.Samples, Cube: i.Flags&vk.ImageCreateCubeCompatibleBit != 0, Usage: i.Usage, Flags: i.Flags,
		Memory: im.memory, MemoryOffset: im.offset, Name: im.name,
	}
	switch i.Type {
	case vk.ImageType1D:
		desc.Height = 0
	case vk.ImageType3D:
		desc.Depth = int(i.Extent.Depth)
	}
	return desc
}

// Subresource names one level of one layer of an image, counted from 0; the zero value is level 0 of
// layer 0. Aspect 0 means colour, or depth where the format has it, or else stencil, or the first plane
// of a multi-planar format.
type Subresource struct {
	Level, Layer int
	Aspect       vk.ImageAspectFlags
}

// Write uploads one subresource, after all work submitted before: a []byte, or a value of fixed
// size as in Device.NewBufferFrom, of the very size of the subresource. It holds rows without padding
// from the top, slices of 3D images one after another, samples of a texel side by side, in the
// image's format: blocks for compressed ones, and for multi-planar ones the plane that Aspect
// names. Of depth/stencil formats one aspect is written, the other stays; 24 bits of depth take four bytes.
// When ctx ends first it returns ctx's error.
func (im *Image) Write(ctx context.Context, sub Subresource, data any) error {
	raw, err := encode("Image.Write", data)
	if err != nil {
		return im.device().Tell(err)
	}
	return im.object().Write(ctx, core.Subresource(sub), raw)
}

// GenerateMipmaps fills levels 1 and up by halving the level above with a linear
// filter (in linear light for sRGB formats), in all layers.
func (im *Image) GenerateMipmaps() error {
	if im.object() == nil {
		return &Error{Op: "Image.GenerateMipmaps", Rule: "nil object", Detail: "the image is nil", Hint: "check the error of the call that made it"}
	}
	d := &Device{im.core.Device()}
	c := d.NewCommandBuffer()
	c.GenerateMipmaps(im)
	return d.Submit(context.Background(), c)
}

// Read returns one subresource as bytes, laid out as Write takes them, samples
// of a texel adjacent.
func (im *Image) Read(ctx context.Context, sub Subresource) ([]byte, error) {
	return im.object().Read(ctx, core.Subresource(sub))
}

// Close gives the image up.
func (im *Image) Close() error { return im.object().Close() }

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
	// MinLod keeps shaders from levels below it, counted in the image.
	MinLod float32
}

// ImageView is a part of an image as attachments and descriptors see it.
type ImageView struct{ core *core.ImageView }

// NewView makes a view of the image.
func (im *Image) NewView(desc ViewDesc) (*ImageView, error) {
	const op = "Image.NewView"
	if im.object() == nil {
		return nil, &Error{Op: op, Rule: "nil object", Detail: "the image is nil"}
	}
	for _, n := range []int{desc.BaseLevel, desc.Levels, desc.BaseLayer, desc.Layers} {
		if n < 0 || n > math.MaxInt32 {
			return nil, &Error{Op: op, Rule: "VUID-VkImageViewCreateInfo-subresourceRange-01478", Detail: fmt.Sprintf("level or layer %d", n)}
		}
	}
	o, err := im.core.NewView(desc.Type, core.ViewRange{
		Format: desc.Format, Components: desc.Components, MinLod: desc.MinLod,
		Range: vk.ImageSubresourceRange{AspectMask: desc.Aspect, BaseMipLevel: uint32(desc.BaseLevel), LevelCount: uint32(desc.Levels),
			BaseArrayLayer: uint32(desc.BaseLayer), LayerCount: uint32(desc.Layers)},
	})
	if err != nil {
		return nil, err
	}
	return &ImageView{o}, nil
}

// Close gives the view up; the image stays.
func (v *ImageView) Close() error { return v.object().Close() }

// SamplerDesc describes a sampler. The zero value reads the nearest texel of
// the nearest level and repeats.
type SamplerDesc struct {
	// MagFilter and MinFilter choose texels of a level, magnified and minified; MipmapMode chooses
	// levels. Zero is the nearest.
	MagFilter, MinFilter vk.Filter
	MipmapMode           vk.SamplerMipmapMode
	// AddressModeU, V, W say what is read outside of the image. Zero repeats it.
	AddressModeU, AddressModeV, AddressModeW vk.SamplerAddressMode
	// MipLodBias is added to the level of detail; within Limits().MaxSamplerLodBias.
	MipLodBias float32
	// MaxAnisotropy above 1 switches anisotropic filtering on.
	MaxAnisotropy float32
	// CompareEnable makes it a shadow sampler with CompareOp.
	CompareEnable bool
	CompareOp     vk.CompareOp
	// MinLod and MaxLod clamp the level of detail; MaxLod 0 means no limit.
	// NoMips keeps to the base level.
	MinLod, MaxLod float32
	NoMips         bool
	// BorderColor is what CLAMP_TO_BORDER reads outside; zero is transparent black.
	BorderColor vk.BorderColor
	// Unnormalized coordinates count texels.
	Unnormalized bool
	// Reduction says how texels are combined; zero is their weighted average.
	Reduction vk.SamplerReductionMode
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
type Sampler struct{ core *core.Sampler }

// NewSampler makes a sampler.
func (d *Device) NewSampler(desc SamplerDesc) (*Sampler, error) {
	maxLod := desc.MaxLod
	switch {
	case desc.Unnormalized || desc.NoMips:
		maxLod = desc.MinLod
	case maxLod == 0:
		maxLod = vk.LodClampNone
	}
	o, err := d.object().NewSampler(vk.SamplerCreateInfo{
		MagFilter: desc.MagFilter, MinFilter: desc.MinFilter, MipmapMode: desc.MipmapMode,
		AddressModeU: desc.AddressModeU, AddressModeV: desc.AddressModeV, AddressModeW: desc.AddressModeW,
		MipLodBias: desc.MipLodBias, AnisotropyEnable: desc.MaxAnisotropy > 1, MaxAnisotropy: desc.MaxAnisotropy,
		CompareEnable: desc.CompareEnable, CompareOp: desc.CompareOp, MinLod: desc.MinLod, MaxLod: maxLod,
		BorderColor: desc.BorderColor, UnnormalizedCoordinates: desc.Unnormalized,
	}, desc.Reduction)
	if err != nil {
		return nil, err
	}
	return &Sampler{o}, nil
}

// Close gives the sampler up.
func (s *Sampler) Close() error { return s.object().Close() }
