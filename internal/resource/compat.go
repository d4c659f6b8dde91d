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

// Reinterprets says that a view can show texels of an image although the classes of their formats are apart, which Vulkan forbids
// and nothing is endangered by: formats of four components with padding, and A8, have classes of their own beside others of their size.
func Reinterprets(image, view *format.Info) bool {
	texels := func(i *format.Info) bool {
		return i.Aspects == vk.ImageAspectColorBit && !i.Compressed && !i.MultiPlanar() && i.BlockWidth == 1
	}
	return !Compatible(image, view) && texels(image) && texels(view) && image.BlockBytes == view.BlockBytes && !view.NeedsConversion()
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
