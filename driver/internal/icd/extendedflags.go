package icd

import (
	"math"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// VK_KHR_extended_flags: structures of a chain hold flags of 64 bits in the place of those of 32. The bits that both have
// are the same. None that only 64 bits have is supported.

// imageFlags are the creation flags of an image: own, unless the chain has others.
func imageFlags(own vk.ImageCreateFlags, next unsafe.Pointer) (flags vk.ImageCreateFlags, supported bool) {
	if e := abi.Find[abi.ImageCreateFlags2CreateInfoKHR](next); e != nil {
		return vk.ImageCreateFlags(e.Flags), e.Flags <= math.MaxUint32
	}
	return own, true
}

// imageUsage is the usage of an image, likewise, with that of its stencil aspect: one usage serves all aspects.
func imageUsage(own vk.ImageUsageFlags, next unsafe.Pointer) (usage vk.ImageUsageFlags, supported bool) {
	usage, supported = own, true
	if e := abi.Find[abi.ImageUsageFlags2CreateInfoKHR](next); e != nil {
		usage, supported = vk.ImageUsageFlags(e.Usage), e.Usage <= math.MaxUint32
	}
	if s := abi.Find[abi.ImageStencilUsage2CreateInfoKHR](next); s != nil {
		return usage | vk.ImageUsageFlags(s.StencilUsage), supported && s.StencilUsage <= math.MaxUint32
	}
	if s := abi.Find[abi.ImageStencilUsageCreateInfo](next); s != nil {
		usage |= s.StencilUsage
	}
	return usage, supported
}
