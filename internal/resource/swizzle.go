package resource

import "github.com/pumice-gpu/pumice/vk"

// FromZero and FromOne are the sources that no component of a texel is.
const (
	FromZero int8 = -1 - iota
	FromOne
)

// SwizzleOf returns which component of a texel each component of a mapping takes, or
// FromZero or FromOne.
//
// IMG-325 textures-component-swizzle
func SwizzleOf(m vk.ComponentMapping) (from [4]int8) {
	for c, s := range [4]vk.ComponentSwizzle{m.R, m.G, m.B, m.A} {
		switch s {
		case vk.ComponentSwizzleR, vk.ComponentSwizzleG, vk.ComponentSwizzleB, vk.ComponentSwizzleA:
			from[c] = int8(s - vk.ComponentSwizzleR)
		case vk.ComponentSwizzleZero:
			from[c] = FromZero
		case vk.ComponentSwizzleOne:
			from[c] = FromOne
		default: // IDENTITY; views hold nothing else
			from[c] = int8(c)
		}
	}
	return from
}

// Swizzled says that a mapping moves components (IMG-151).
func Swizzled(m vk.ComponentMapping) bool { return SwizzleOf(m) != [4]int8{0, 1, 2, 3} }
