// Package vk is Vulkan's vocabulary in Go: enums, sets of bits, constants and plain structs, generated from the Vulkan registry.
//
// Names are Vulkan's, without prefix and underscores: VK_FORMAT_R8G8B8A8_SRGB is FormatR8G8B8A8Srgb, VkImageUsageFlags (and
// VkImageUsageFlagBits, which Go does not need) is ImageUsageFlags, VK_IMAGE_USAGE_SAMPLED_BIT is ImageUsageSampledBit. An
// underscore stays where it parts two digits: ApiVersion1_3, FormatG8B8R8_2Plane420Unorm. Every type has a String method that
// returns Vulkan's identifiers.
//
// Structs hold the members of their C twins in Go's terms: VkBool32 is bool, VkDeviceSize and VkDeviceAddress are uint64, a pointer
// with a count is a slice (the count is its length), a character array is a string, sType and pNext are left out, and a union
// (VkClearColorValue, VkClearValue) is a struct of which one member is set. Structs that need handles or untyped pointers are not
// here.
package vk

//go:generate go run ./_gen -out .

// MakeApiVersion packs a version number the way Vulkan does (VK_MAKE_API_VERSION, variant 0): minor below 1024, patch below 4096.
func MakeApiVersion(major, minor, patch uint32) uint32 { return major<<22 | minor<<12 | patch }

// ApiVersionMajor returns the major version of a packed version.
func ApiVersionMajor(v uint32) uint32 { return v >> 22 & 0x7f }

// ApiVersionMinor returns the minor version of a packed version.
func ApiVersionMinor(v uint32) uint32 { return v >> 12 & 0x3ff }

// ApiVersionPatch returns the patch version of a packed version.
func ApiVersionPatch(v uint32) uint32 { return v & 0xfff }

// Error makes a Result usable as an error. Values below zero are failures; Success and the other values at or above zero are not,
// and functions of this module never return those as errors.
func (v Result) Error() string { return v.String() }
