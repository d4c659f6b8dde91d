package main

import (
	"regexp"
	"strings"
)

var (
	// layoutWord is a word that spells a component layout: R8G8B8A8, D24, X8, G10X6B10X6G10X6R10X6, E5B9G9R9.
	layoutWord = regexp.MustCompile(`^([RGBADSXE][0-9]+)+$`)
	// dimensionWord is 1D, 2D or 3D.
	dimensionWord = regexp.MustCompile(`^[0-9]D$`)
)

// constantName turns VK_FORMAT_R8G8B8A8_SRGB into FormatR8G8B8A8Srgb. Each word becomes upper case first and lower case after;
// component layouts, dimensions and author tags stay as they are. Where a digit would meet a digit (VK_API_VERSION_1_3,
// VK_FORMAT_G8_B8R8_2PLANE_420_UNORM) the underscore stays, because the words could not be told apart without it.
func (r *registry) constantName(c string) string {
	var b strings.Builder
	last := byte(0)
	for _, w := range strings.Split(strings.TrimPrefix(c, "VK_"), "_") {
		if w == "" {
			continue
		}
		if isDigit(last) && isDigit(w[0]) {
			b.WriteByte('_')
		}
		if layoutWord.MatchString(w) || dimensionWord.MatchString(w) || r.tags[w] {
			b.WriteString(w)
		} else {
			b.WriteString(capitalised(w))
		}
		last = w[len(w)-1]
	}
	return b.String()
}

// capitalised makes the first letter of a word upper case and the others lower case: FORMAT to Format, 2PLANE to 2Plane. Words that
// the registry itself writes with lower-case letters (ASTC block extents, 4x4) stay as they are.
func capitalised(w string) string {
	if w != strings.ToUpper(w) {
		return w
	}
	i := 0
	for i < len(w)-1 && isDigit(w[i]) {
		i++
	}
	return w[:i] + w[i:i+1] + strings.ToLower(w[i+1:])
}

// typeName turns VkImageUsageFlags and VkImageUsageFlagBits both into ImageUsageFlags: Go has one type for a set of bits.
func typeName(c string) string {
	s := strings.TrimPrefix(c, "Vk")
	if i := strings.LastIndex(s, "FlagBits"); i >= 0 {
		s = s[:i] + "Flags" + s[i+len("FlagBits"):]
	}
	return s
}

// fieldName turns pAttachments (where it is a pointer) into Attachments, and minDepth into MinDepth.
func fieldName(c string, stars int) string {
	for i := 0; i < stars && len(c) > 1 && c[0] == 'p' && (c[1] == 'p' || c[1] >= 'A' && c[1] <= 'Z'); i++ {
		c = c[1:]
	}
	return strings.ToUpper(c[:1]) + c[1:]
}

// unexported lowers the first word of a Go name: ImageUsageFlags to imageUsageFlags.
func unexported(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// author returns the author tag that ends a type name (KHR in VkSurfaceTransformFlagBitsKHR), or "".
func (r *registry) author(name string) string {
	best := ""
	for t := range r.tags {
		if strings.HasSuffix(name, t) && len(t) > len(best) {
			best = t
		}
	}
	return best
}
