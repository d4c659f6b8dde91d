package resource

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// Compatible says whether two formats are in one compatibility class
// (formats-compatibility-classes): texels of one size, except that depth,
// stencil and A8 formats are alone, and that each kind of compressed block is a
// class of its own.
func Compatible(a, b *format.Info) bool {
	if a.Format == b.Format {
		return true
	}
	if a.Aspects != vk.ImageAspectColorBit || b.Aspects != vk.ImageAspectColorBit || alone(a.Format) || alone(b.Format) {
		return false
	}
	if a.Compressed || b.Compressed {
		ca, cb := blockClass(a.Format), blockClass(b.Format)
		return ca != 0 && ca == cb
	}
	return a.BlockBytes == b.BlockBytes && a.BlockWidth == b.BlockWidth
}

func alone(f vk.Format) bool { return f == vk.FormatA8Unorm }

// blockClass numbers the classes of compressed formats; 0 is none. The
// registry lists BC, ETC2, EAC and ASTC formats as pairs, one class a pair, and
// adds the ASTC float formats in the order of the ASTC pairs.
func blockClass(f vk.Format) int {
	switch {
	case f >= vk.FormatBc1RgbUnormBlock && f <= vk.FormatAstc12x12SrgbBlock:
		return 1 + int(f-vk.FormatBc1RgbUnormBlock)/2
	case f >= vk.FormatAstc4x4SfloatBlock && f <= vk.FormatAstc12x12SfloatBlock:
		return 1 + int(vk.FormatAstc4x4UnormBlock-vk.FormatBc1RgbUnormBlock)/2 + int(f-vk.FormatAstc4x4SfloatBlock)
	default:
		return 0
	}
}

// SizeCompatible says whether texels (or blocks) can be copied bit by bit
// between two formats: they have one size, and the aspects are both colour or
// the same (formats-size-compatibility).
func SizeCompatible(a, b *format.Info) bool {
	if a.Aspects != b.Aspects {
		return false
	}
	if a.Aspects != vk.ImageAspectColorBit {
		return a.Format == b.Format
	}
	return a.BlockBytes == b.BlockBytes
}
