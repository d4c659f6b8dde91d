package sampling

import "github.com/pumice-gpu/pumice/vk"

// addressMode is VkSamplerAddressMode in a byte.
type addressMode uint8

const (
	modeRepeat            = addressMode(vk.SamplerAddressModeRepeat)
	modeMirroredRepeat    = addressMode(vk.SamplerAddressModeMirroredRepeat)
	modeClampToEdge       = addressMode(vk.SamplerAddressModeClampToEdge)
	modeClampToBorder     = addressMode(vk.SamplerAddressModeClampToBorder)
	modeMirrorClampToEdge = addressMode(vk.SamplerAddressModeMirrorClampToEdge)
)

// borderTexel is the wrapped index of a tap outside a CLAMP_TO_BORDER image.
const borderTexel = -1

// wrap is IMG-500 textures-wrapping-operation: the texel that tap i reads in a
// dimension of size texels, or borderTexel.
func wrap(mode addressMode, i, size int) int {
	switch mode {
	case modeRepeat:
		return floorMod(i, size)
	case modeMirroredRepeat:
		return size - 1 - mirror(floorMod(i, 2*size)-size)
	case modeClampToEdge:
		return clampIndex(i, size)
	case modeClampToBorder:
		if uint(i) < uint(size) {
			return i
		}
		return borderTexel
	case modeMirrorClampToEdge:
		return clampIndex(mirror(i), size)
	}
	return borderTexel // samplers hold no other mode
}

// floorMod is the remainder in [0, n) (IMG-506).
func floorMod(i, n int) int {
	if uint(i) < uint(n) {
		return i
	}
	if n&(n-1) == 0 {
		return i & (n - 1)
	}
	if i %= n; i < 0 {
		i += n
	}
	return i
}

func mirror(n int) int {
	if n >= 0 {
		return n
	}
	return -(1 + n)
}

func clampIndex(i, size int) int { return min(max(i, 0), size-1) }
