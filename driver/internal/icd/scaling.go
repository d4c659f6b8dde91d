package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// scaling is how pictures come onto a window of another size
// (VkSwapchainPresentScalingCreateInfoKHR). The zero value leaves it to the window system.
type scaling struct {
	how  vk.PresentScalingFlagsKHR
	x, y vk.PresentGravityFlagsKHR // 0: towards the top left, as windows here do
}

// All surfaces scale in all ways. One that takes the size of its pictures has nothing to scale.
const (
	scalings = vk.PresentScalingOneToOneBitKHR | vk.PresentScalingAspectRatioStretchBitKHR | vk.PresentScalingStretchBitKHR
	gravity  = vk.PresentGravityMinBitKHR | vk.PresentGravityMaxBitKHR | vk.PresentGravityCenteredBitKHR
)

// scalingOf reads the scaling that a new swapchain is to have.
func scalingOf(next unsafe.Pointer) scaling {
	i := abi.Find[abi.SwapchainPresentScalingCreateInfoKHR](next)
	if i == nil {
		return scaling{}
	}
	return scaling{how: i.ScalingBehavior, x: i.PresentGravityX, y: i.PresentGravityY}
}

// place is where a picture comes on a surface: the size that it is scaled to, and the texel of the
// surface that is its first. The latter is negative where the picture is larger and cut.
func (s scaling) place(picture, surface vk.Extent2D) (size vk.Extent2D, x, y int) {
	size = picture
	switch s.how {
	case vk.PresentScalingStretchBitKHR:
		size = surface
	case vk.PresentScalingAspectRatioStretchBitKHR:
		w, h := uint64(surface.Width)*uint64(picture.Height), uint64(surface.Height)*uint64(picture.Width)
		if w <= h { // the width decides
			size = vk.Extent2D{Width: surface.Width, Height: uint32(w / uint64(picture.Width))}
		} else {
			size = vk.Extent2D{Width: uint32(h / uint64(picture.Height)), Height: surface.Height}
		}
		size.Width, size.Height = max(size.Width, 1), max(size.Height, 1)
	}
	return size, pull(s.x, size.Width, surface.Width), pull(s.y, size.Height, surface.Height)
}

// pull is where the pixels of a picture lie along one axis of a surface.
func pull(to vk.PresentGravityFlagsKHR, picture, surface uint32) int {
	room := int(surface) - int(picture)
	switch to {
	case vk.PresentGravityMaxBitKHR:
		return room
	case vk.PresentGravityCenteredBitKHR:
		return room >> 1
	}
	return 0
}

// scale makes a picture of the window's size, where the swapchain says how and they differ in size: rows of
// B8G8R8A8 texels without gaps, which the next call overwrites. Around it all is black. nil: it is shown as it is.
func (s *Surface) scale(c *Swapchain, from []byte, pitch int) (out []byte, width, height int) {
	if c.scaling.how == 0 {
		return nil, 0, 0
	}
	w, h, ok := s.window.Extent(false)
	if !ok || w == AnyExtent || w == 0 || h == 0 || w > maxSwapchainExtent || h > maxSwapchainExtent ||
		w == c.extent.Width && h == c.extent.Height {
		return nil, 0, 0
	}
	width, height = int(w), int(h)
	s.scaled = sized(s.scaled, 4*width*height)
	clear(s.scaled)
	size, x, y := c.scaling.place(c.extent, vk.Extent2D{Width: w, Height: h})
	columns, rows := taps(size.Width, c.extent.Width), taps(size.Height, c.extent.Height)
	for ty := max(y, 0); ty < min(y+int(size.Height), height); ty++ {
		r := rows[ty-y]
		upper, lower := from[r.first*pitch:], from[r.second*pitch:]
		to := s.scaled[4*ty*width:]
		for tx := max(x, 0); tx < min(x+int(size.Width), width); tx++ {
			t := columns[tx-x]
			a, b := upper[4*t.first:], upper[4*t.second:]
			d, e := lower[4*t.first:], lower[4*t.second:]
			for n := range 4 {
				top := uint32(a[n])*(256-t.weight) + uint32(b[n])*t.weight
				bottom := uint32(d[n])*(256-t.weight) + uint32(e[n])*t.weight
				to[4*tx+n] = uint8((top*(256-r.weight) + bottom*r.weight + 1<<15) >> 16)
			}
		}
	}
	return s.scaled, width, height
}

// sized is b, or another slice, with n bytes of any content.
func sized(b []byte, n int) []byte {
	if cap(b) < n || cap(b)/4 > n {
		return make([]byte, n)
	}
	return b[:n]
}

// tap is the two texels of a line that one of a scaled line lies between, and how much of the second it
// gets, of 256.
type tap struct {
	first, second int
	weight        uint32
}

// taps are those of a line of size texels that is scaled from one of from texels: centres on centres, with
// the edges repeated.
func taps(size, from uint32) []tap {
	out := make([]tap, size)
	for n := range out {
		at := (int64(2*n+1)*int64(from)*256)/int64(2*size) - 128 // 8 fractional bits, of centres
		at = min(max(at, 0), int64(from-1)<<8)
		first := int(at >> 8)
		out[n] = tap{first, min(first+1, int(from)-1), uint32(at & 255)}
	}
	return out
}
