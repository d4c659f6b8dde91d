// Package format is the table of Vulkan's formats and the conversion between stored texels and numbers.
//
// One row describes one format: extent and bytes of a block, where each component's bits lie, how they are read as numbers, planes,
// aspects and compatibility class. The rows are generated from the Vulkan registry; nothing here chooses by format name. Codecs are
// picked from the rows' properties when the table is first used.
package format

import (
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate go run ./_gen -out .

// Texel holds the four components of a texel, in the order R, G, B, A: the bits of a float32, an int32 or a uint32, by the Class of
// the format. It is an alias, so that packages that decode blocks share it without importing this one.
type Texel = [4]uint32

// Class says how the lanes of a Texel are to be read.
type Class uint8

// Classes of texels.
const (
	ClassFloat Class = iota // float32 bits
	ClassSint               // int32
	ClassUint               // uint32
)

// Numeric is how the bits of a component stand for a number (Vulkan: numeric format).
type Numeric uint8

// Numeric formats.
const (
	NumericNone    Numeric = iota
	NumericUnorm           // [0, 1]
	NumericSnorm           // [−1, 1]
	NumericUscaled         // unsigned integer read as float
	NumericSscaled         // signed integer read as float
	NumericUint
	NumericSint
	NumericUfloat // 10- and 11-bit floats, shared exponent, BC6H
	NumericSfloat // IEEE 754 binary16, 32, 64
	NumericSrgb   // UNORM behind the sRGB transfer function
	NumericSfixed // signed fixed point, 5 fractional bits (VK_NV_optical_flow)
	NumericBool   // VK_FORMAT_R8_BOOL_ARM
)

// Kind names a component.
type Kind uint8

// Components. KindNone marks a component that the format lacks.
const (
	KindNone Kind = iota
	KindR
	KindG
	KindB
	KindA
	KindD // depth
	KindS // stencil
)

// Component places one component in the block of its plane.
type Component struct {
	Kind    Kind
	Numeric Numeric
	// Bits is the width of the component; 0 in compressed formats.
	Bits int
	// Shift is the position of the lowest bit, counted from the lowest bit of the block's first byte: the block read as one
	// little-endian number. Packed words are little-endian, so one rule serves packed and unpacked formats (IMG-050).
	Shift int
	// Plane is the index of the plane that holds the component.
	Plane int
}

// Plane is a part of an image that is stored apart: a plane of a multi-planar format, or the depth or stencil aspect.
type Plane struct {
	Aspect vk.ImageAspectFlags
	// Format describes the plane's texels on their own (IMG-256).
	Format vk.Format
	// BlockBytes is the size of one texel (or block) of the plane.
	BlockBytes int
	// WidthDivisor and HeightDivisor divide the image's extent (IMG-046).
	WidthDivisor, HeightDivisor int
}

// Info is the row of one format. It is shared by everyone and must not be changed.
type Info struct {
	Format vk.Format
	Name   string // Vulkan's identifier
	// BlockWidth, BlockHeight and BlockDepth are the texels of a block: 1×1×1 but for compressed and single-plane 422 formats.
	BlockWidth, BlockHeight, BlockDepth int
	// BlockBytes is the size of a block. Formats with several planes have no block of their own; theirs is the nominal size that
	// the registry gives, and memory is counted by Planes.
	BlockBytes int
	// Components are R, G, B, A in this order, or depth, stencil (stencil first where it is alone). Missing ones have KindNone.
	Components     [4]Component
	ComponentCount int
	// Numeric is the numeric format of red, or of the only component; sRGB formats have a UNORM alpha.
	Numeric Numeric
	Class   Class
	Aspects vk.ImageAspectFlags
	Planes  []Plane
	// Compressed says that a block holds encoded texels; Scheme names the code ("BC", "ETC2", "EAC", "ASTC LDR", "ASTC HDR", …).
	Compressed bool
	Scheme     string
	// Chroma is "422", "420" or "444" in formats that are sampled through a Y′CBCR conversion (IMG-768), else "". In single-plane
	// 422 formats the G of the odd column lies half a block after that of the even one (IMG-047).
	Chroma string
	// PackedBits is the width of the words in _PACKn formats, else 0.
	PackedBits int
	// Optional marks formats that only an extension has (IMG-765). Of those, only ASTC blocks with depth are supported.
	Optional bool
	// Compatibility is the compatibility class: formats that share it can view each other's memory.
	Compatibility string
	// ImageFormat is the SPIR-V image format that is this format's own, or "" (IMG-769).
	ImageFormat string

	codec codec
}

// SharedExponent says whether the components share one exponent field, so that they can only be written together.
func (i *Info) SharedExponent() bool {
	return i.Numeric == NumericUfloat && i.Components[0].Bits == 9
}

// Depth says whether the format has a depth aspect.
func (i *Info) Depth() bool { return i.Aspects&vk.ImageAspectDepthBit != 0 }

// MultiPlanar says whether the colour of a texel lies in several planes (IMG-046).
//
// IMG-764
func (i *Info) MultiPlanar() bool { return len(i.Planes) > 1 && i.Aspects&vk.ImageAspectColorBit != 0 }

// NeedsConversion says that the colour aspect may be sampled only through a Y′CBCR conversion (IMG-768). A format of one plane
// that has all components in every texel is none of them: VK_EXT_rgba10x6_formats.
func (i *Info) NeedsConversion() bool { return i.Chroma != "" && !i.rgba10x6() }

// rgba10x6 says that the format is VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16.
func (i *Info) rgba10x6() bool {
	return i.ComponentCount == 4 && i.Components[0].Bits == 10 && i.PackedBits == 16
}

// Stencil says whether the format has a stencil aspect.
func (i *Info) Stencil() bool { return i.Aspects&vk.ImageAspectStencilBit != 0 }

// ForAspect returns the row that describes one aspect on its own: the format of the plane that holds it, or i itself where the
// aspect is all there is. It returns false where the format lacks the aspect.
//
// IMG-322, IMG-758
func (i *Info) ForAspect(a vk.ImageAspectFlags) (*Info, bool) {
	if a == i.Aspects {
		return i, true
	}
	for _, p := range i.Planes {
		if p.Aspect == a {
			return Lookup(p.Format)
		}
	}
	if a == vk.ImageAspectColorBit && i.Aspects&a != 0 {
		return i, true
	}
	return nil, false
}

// UnsupportedError says that images of a format can't be created.
type UnsupportedError struct {
	Format vk.Format
	Reason string
}

func (e *UnsupportedError) Error() string {
	return "format: " + e.Format.String() + " is not supported: " + e.Reason
}

// Supported returns nil where texels of the format can be stored and converted, else an *UnsupportedError to be returned when an
// image is created.
//
// IMG-258, IMG-765
func (i *Info) Supported() error {
	if i.codec.ok {
		return nil
	}
	reason := "it has no conversion"
	switch {
	case i.Compressed:
		reason = i.Scheme + " blocks have no decoder (" + catalogue.Name("IMG-258") + "); decompress the image first and use an uncompressed format"
	case i.Optional:
		reason = "the extension that defines it is not offered (" + catalogue.Name("IMG-258") + "); use a format of core Vulkan"
	}
	return &UnsupportedError{Format: i.Format, Reason: reason}
}
