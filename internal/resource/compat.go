package resource

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// Compatible says whether two formats are in one compatibility class, so that
// a view of one may show an image of the other (formats-compatibility-classes).
// Depth and stencil formats are compatible with themselves only.
func Compatible(a, b *format.Info) bool {
	if a.Format == b.Format {
		return true
	}
	color := a.Aspects == vk.ImageAspectColorBit && b.Aspects == vk.ImageAspectColorBit
	return color && a.Compatibility == b.Compatibility
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
