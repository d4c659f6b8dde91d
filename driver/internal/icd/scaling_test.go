package icd

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// TestScaling_Place: sizes and places of pictures on surfaces (VkPresentScalingFlagBitsKHR, VkPresentGravityFlagBitsKHR).
func TestScaling_Place(t *testing.T) {
	const one, aspect, stretch = vk.PresentScalingOneToOneBitKHR, vk.PresentScalingAspectRatioStretchBitKHR, vk.PresentScalingStretchBitKHR
	const low, high, middle = vk.PresentGravityMinBitKHR, vk.PresentGravityMaxBitKHR, vk.PresentGravityCenteredBitKHR
	for _, c := range []struct {
		s                scaling
		picture, surface [2]uint32
		size             [2]uint32
		x, y             int
	}{
		{scaling{one, low, high}, [2]uint32{10, 20}, [2]uint32{30, 50}, [2]uint32{10, 20}, 0, 30},
		{scaling{one, middle, middle}, [2]uint32{10, 20}, [2]uint32{30, 50}, [2]uint32{10, 20}, 10, 15},
		{scaling{one, high, middle}, [2]uint32{30, 50}, [2]uint32{10, 20}, [2]uint32{30, 50}, -20, -15},
		{scaling{stretch, 0, 0}, [2]uint32{10, 20}, [2]uint32{30, 50}, [2]uint32{30, 50}, 0, 0},
		{scaling{aspect, middle, low}, [2]uint32{10, 20}, [2]uint32{30, 40}, [2]uint32{20, 40}, 5, 0},
		{scaling{aspect, middle, high}, [2]uint32{20, 10}, [2]uint32{30, 40}, [2]uint32{30, 15}, 0, 25},
		{scaling{aspect, high, low}, [2]uint32{20, 10}, [2]uint32{4, 4}, [2]uint32{4, 2}, 0, 0},
		{scaling{aspect, low, low}, [2]uint32{1000, 1}, [2]uint32{4, 4}, [2]uint32{4, 1}, 0, 0},
		{scaling{aspect, low, low}, [2]uint32{16384, 16384}, [2]uint32{16384, 16384}, [2]uint32{16384, 16384}, 0, 0},
	} {
		size, x, y := c.s.place(vk.Extent2D{Width: c.picture[0], Height: c.picture[1]}, vk.Extent2D{Width: c.surface[0], Height: c.surface[1]})
		if size != (vk.Extent2D{Width: c.size[0], Height: c.size[1]}) || x != c.x || y != c.y {
			t.Errorf("%v of %v on %v: %v at %d, %d; want %v at %d, %d", c.s, c.picture, c.surface, size, x, y, c.size, c.x, c.y)
		}
	}
}

// TestTaps_CentresOnCentres: a texel of a line twice as long lies a quarter from the nearest centre.
func TestTaps_CentresOnCentres(t *testing.T) {
	for _, c := range []struct {
		size, from uint32
		want       []tap
	}{
		{4, 2, []tap{{0, 1, 0}, {0, 1, 64}, {0, 1, 192}, {1, 1, 0}}},
		{2, 4, []tap{{0, 1, 128}, {2, 3, 128}}},
		{1, 1, []tap{{0, 0, 0}}},
		{3, 3, []tap{{0, 1, 0}, {1, 2, 0}, {2, 2, 0}}},
	} {
		if got := taps(c.size, c.from); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d: %v, want %v", c.size, c.from, got, c.want)
		}
	}
}

// TestSwapchain_Scaled: a window gets a picture of its own size, black around the scaled one, and the program
// hears of no difference.
func TestSwapchain_Scaled(t *testing.T) {
	f := newTest(t)
	w := &stage{width: 12, height: 16, shown: make(chan []byte, 1)}
	surface, queue := f.staged(w)
	how := &abi.SwapchainPresentScalingCreateInfoKHR{ScalingBehavior: vk.PresentScalingAspectRatioStretchBitKHR,
		PresentGravityX: vk.PresentGravityCenteredBitKHR, PresentGravityY: vk.PresentGravityMaxBitKHR}
	how.SType = how.StructureType()
	var chain abi.SwapchainKHR
	swap := abi.CreateSwapchainKHRArgs{Device: f.device, PSwapchain: &chain, PCreateInfo: &abi.SwapchainCreateInfoKHR{
		PNext: unsafe.Pointer(how), Surface: surface, MinImageCount: 2, ImageFormat: vk.FormatB8G8R8A8Unorm, ImageExtent: vk.Extent2D{Width: 8, Height: 8},
		ImageArrayLayers: 1, ImageUsage: vk.ImageUsageTransferDstBit, PresentMode: vk.PresentModeImmediateKHR,
	}}
	call(f, abi.OpCreateSwapchainKHR, &swap)
	want(t, "vkCreateSwapchainKHR", swap.Ret, vk.Success)
	f.put(queue, chain, 200, false, nil)
	// 8x8 becomes 12x12, at the bottom of 12x16: four black rows above.
	expected := append(make([]byte, 4*12*4), slices.Repeat([]byte{200}, 4*12*12)...)
	if got := <-w.shown; !slices.Equal(got, expected) {
		t.Errorf("%v", got)
	}
	w.width, w.height = 8, 8
	f.put(queue, chain, 100, false, nil)
	if got := <-w.shown; !slices.Equal(got, slices.Repeat([]byte{100}, 4*8*8)) {
		t.Errorf("not scaled: %v", got)
	}
}
