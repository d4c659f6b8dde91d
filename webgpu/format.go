package webgpu

import (
	"github.com/gogpu/gputypes"

	"github.com/pumice-gpu/pumice/vk"
)

// A texelFormat is a format of textures: Vulkan's name for it, and its blocks, of one texel if they
// are 1×1. bytes are those of a block as copies have them; 0 where copies name an aspect.
type texelFormat struct {
	vk                   vk.Format
	width, height, bytes uint32
}

// textureFormats are in the order of their numbers, which begin with 1.
var textureFormats = func() []texelFormat {
	list := []texelFormat{
		{
			vk.FormatR8Unorm,
			1,
			1,
			1,
		}, {vk.FormatR8Snorm, 1, 1, 1}, {vk.FormatR8Uint, 1, 1, 1}, {vk.FormatR8Sint, 1, 1, 1},
		{
			vk.FormatR16Unorm,
			1,
			1,
			2,
		}, {vk.FormatR16Snorm, 1, 1, 2}, {vk.FormatR16Uint, 1, 1, 2}, {vk.FormatR16Sint, 1, 1, 2},
		{vk.FormatR16Sfloat, 1, 1, 2},
		{
			vk.FormatR8G8Unorm,
			1,
			1,
			2,
		}, {vk.FormatR8G8Snorm, 1, 1, 2}, {vk.FormatR8G8Uint, 1, 1, 2}, {vk.FormatR8G8Sint, 1, 1, 2},
		{vk.FormatR32Sfloat, 1, 1, 4}, {vk.FormatR32Uint, 1, 1, 4}, {vk.FormatR32Sint, 1, 1, 4},
		{vk.FormatR16G16Unorm, 1, 1, 4}, {vk.FormatR16G16Snorm, 1, 1, 4}, {vk.FormatR16G16Uint, 1, 1, 4},
		{vk.FormatR16G16Sint, 1, 1, 4}, {vk.FormatR16G16Sfloat, 1, 1, 4},
		{
			vk.FormatR8G8B8A8Unorm,
			1,
			1,
			4,
		}, {vk.FormatR8G8B8A8Srgb, 1, 1, 4}, {vk.FormatR8G8B8A8Snorm, 1, 1, 4},
		{vk.FormatR8G8B8A8Uint, 1, 1, 4}, {vk.FormatR8G8B8A8Sint, 1, 1, 4},
		{vk.FormatB8G8R8A8Unorm, 1, 1, 4}, {vk.FormatB8G8R8A8Srgb, 1, 1, 4},
		{vk.FormatA2B10G10R10UintPack32, 1, 1, 4}, {vk.FormatA2B10G10R10UnormPack32, 1, 1, 4},
		{vk.FormatB10G11R11UfloatPack32, 1, 1, 4}, {vk.FormatE5B9G9R9UfloatPack32, 1, 1, 4},
		{vk.FormatR32G32Sfloat, 1, 1, 8}, {vk.FormatR32G32Uint, 1, 1, 8}, {vk.FormatR32G32Sint, 1, 1, 8},
		{
			vk.FormatR16G16B16A16Unorm,
			1,
			1,
			8,
		}, {vk.FormatR16G16B16A16Snorm, 1, 1, 8}, {vk.FormatR16G16B16A16Uint, 1, 1, 8},
		{vk.FormatR16G16B16A16Sint, 1, 1, 8}, {vk.FormatR16G16B16A16Sfloat, 1, 1, 8},
		{
			vk.FormatR32G32B32A32Sfloat,
			1,
			1,
			16,
		}, {vk.FormatR32G32B32A32Uint, 1, 1, 16}, {vk.FormatR32G32B32A32Sint, 1, 1, 16},
		{vk.FormatS8Uint, 1, 1, 1}, {vk.FormatD16Unorm, 1, 1, 2}, {vk.FormatX8D24UnormPack32, 1, 1, 0},
		{
			vk.FormatD24UnormS8Uint,
			1,
			1,
			0,
		}, {vk.FormatD32Sfloat, 1, 1, 4}, {vk.FormatD32SfloatS8Uint, 1, 1, 0},
		{vk.FormatBc1RgbaUnormBlock, 4, 4, 8}, {vk.FormatBc1RgbaSrgbBlock, 4, 4, 8},
		{vk.FormatBc2UnormBlock, 4, 4, 16}, {vk.FormatBc2SrgbBlock, 4, 4, 16},
		{vk.FormatBc3UnormBlock, 4, 4, 16}, {vk.FormatBc3SrgbBlock, 4, 4, 16},
		{vk.FormatBc4UnormBlock, 4, 4, 8}, {vk.FormatBc4SnormBlock, 4, 4, 8},
		{vk.FormatBc5UnormBlock, 4, 4, 16}, {vk.FormatBc5SnormBlock, 4, 4, 16},
		{vk.FormatBc6hUfloatBlock, 4, 4, 16}, {vk.FormatBc6hSfloatBlock, 4, 4, 16},
		{vk.FormatBc7UnormBlock, 4, 4, 16}, {vk.FormatBc7SrgbBlock, 4, 4, 16},
		{vk.FormatEtc2R8G8B8UnormBlock, 4, 4, 8}, {vk.FormatEtc2R8G8B8SrgbBlock, 4, 4, 8},
		{vk.FormatEtc2R8G8B8A1UnormBlock, 4, 4, 8}, {vk.FormatEtc2R8G8B8A1SrgbBlock, 4, 4, 8},
		{vk.FormatEtc2R8G8B8A8UnormBlock, 4, 4, 16}, {vk.FormatEtc2R8G8B8A8SrgbBlock, 4, 4, 16},
		{vk.FormatEacR11UnormBlock, 4, 4, 8}, {vk.FormatEacR11SnormBlock, 4, 4, 8},
		{vk.FormatEacR11G11UnormBlock, 4, 4, 16}, {vk.FormatEacR11G11SnormBlock, 4, 4, 16},
	}
	extents := [...][2]uint32{
		{4, 4},
		{5, 4},
		{5, 5},
		{6, 5},
		{6, 6},
		{8, 5},
		{8, 6},
		{8, 8},
		{10, 5},
		{10, 6},
		{10, 8},
		{10, 10},
		{12, 10},
		{12, 12},
	}
	for i, e := range extents { // Vulkan has them in this order, too, UNORM before sRGB
		first := vk.FormatAstc4x4UnormBlock + vk.Format(2*i)
		list = append(list, texelFormat{first, e[0], e[1], 16}, texelFormat{first + 1, e[0], e[1], 16})
	}
	return list
}()

// lookUp returns a format's row; false for numbers that name none.
func lookUp(f gputypes.TextureFormat) (texelFormat, bool) {
	if f == gputypes.TextureFormatUndefined || int(f) > len(textureFormats) {
		return texelFormat{}, false
	}
	return textureFormats[f-1], true
}

// vkFormat is a format as Vulkan numbers them, 0 for Undefined and unknown ones.
func vkFormat(f gputypes.TextureFormat) vk.Format {
	t, _ := lookUp(f)
	return t.vk
}

// aspectBytes is how many bytes a texel, or block, has in copies of an aspect; 0: it cannot be
// copied.
func aspectBytes(f gputypes.TextureFormat, a gputypes.TextureAspect) uint32 {
	switch {
	case a == gputypes.TextureAspectStencilOnly:
		return 1
	case a == gputypes.TextureAspectDepthOnly && f == gputypes.TextureFormatDepth32FloatStencil8:
		return 4
	}
	t, _ := lookUp(f)
	return t.bytes
}

// aspectOf is Vulkan's mask of an aspect.
func aspectOf(f gputypes.TextureFormat, a gputypes.TextureAspect) (m vk.ImageAspectFlags) {
	if !f.IsDepthStencil() {
		return vk.ImageAspectColorBit
	}
	if f.HasDepth() && a != gputypes.TextureAspectStencilOnly {
		m |= vk.ImageAspectDepthBit
	}
	if f.HasStencil() && a != gputypes.TextureAspectDepthOnly {
		m |= vk.ImageAspectStencilBit
	}
	return m
}

// vertexFormats are in the order of their numbers, which begin with 1.
var vertexFormats = [...]vk.Format{
	vk.FormatR8G8Uint, vk.FormatR8G8B8A8Uint, vk.FormatR8G8Sint, vk.FormatR8G8B8A8Sint,
	vk.FormatR8G8Unorm, vk.FormatR8G8B8A8Unorm, vk.FormatR8G8Snorm, vk.FormatR8G8B8A8Snorm,
	vk.FormatR16G16Uint, vk.FormatR16G16B16A16Uint, vk.FormatR16G16Sint, vk.FormatR16G16B16A16Sint,
	vk.FormatR16G16Unorm, vk.FormatR16G16B16A16Unorm, vk.FormatR16G16Snorm, vk.FormatR16G16B16A16Snorm,
	vk.FormatR16G16Sfloat, vk.FormatR16G16B16A16Sfloat,
	vk.FormatR32Sfloat, vk.FormatR32G32Sfloat, vk.FormatR32G32B32Sfloat, vk.FormatR32G32B32A32Sfloat,
	vk.FormatR32Uint, vk.FormatR32G32Uint, vk.FormatR32G32B32Uint, vk.FormatR32G32B32A32Uint,
	vk.FormatR32Sint, vk.FormatR32G32Sint, vk.FormatR32G32B32Sint, vk.FormatR32G32B32A32Sint,
	vk.FormatA2B10G10R10UnormPack32,
}
