package icd

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// TestConverter_TexelsOfWindows: what windows get of texels, as B8G8R8A8.
func TestConverter_TexelsOfWindows(t *testing.T) {
	half := func(v ...float32) (out []byte) {
		for _, f := range v {
			out = binary.LittleEndian.AppendUint16(out, fp.FloatToHalf(f))
		}
		return out
	}
	word := func(w uint32) []byte { return binary.LittleEndian.AppendUint32(nil, w) }
	nan := float32(math.NaN())
	for _, c := range []struct {
		f     vk.Format
		space vk.ColorSpaceKHR
		from  []byte
		want  []byte
	}{
		{vk.FormatR8G8B8A8Unorm, vk.ColorSpaceSrgbNonlinearKHR, []byte{1, 128, 254, 9}, []byte{254, 128, 1, 255}},
		{vk.FormatR8G8B8A8Srgb, vk.ColorSpaceSrgbNonlinearKHR, []byte{1, 128, 254, 9}, []byte{254, 128, 1, 255}},
		{vk.FormatR8G8B8A8Srgb, vk.ColorSpacePassThroughEXT, []byte{1, 128, 254, 9}, []byte{254, 128, 1, 255}},
		// 64/127 of 255 is 128.5 and more; what is negative is clamped.
		{vk.FormatR8G8B8A8Snorm, vk.ColorSpaceSrgbNonlinearKHR, []byte{127, 64, 0x81, 127}, []byte{0, 129, 255, 255}},
		{vk.FormatB8G8R8A8Snorm, vk.ColorSpacePassThroughEXT, []byte{127, 64, 0x80, 0x81}, []byte{255, 129, 0, 255}},
		// sRGB's code of 128/255 is 187.8.
		{vk.FormatR8G8B8A8Unorm, vk.ColorSpaceExtendedSrgbLinearEXT, []byte{0, 128, 255, 9}, []byte{255, 188, 0, 255}},
		// 512/1023 of 255 is 127.6, 1/1023 is 0.2: R in the lowest bits of A2B10G10R10.
		{vk.FormatA2B10G10R10UnormPack32, vk.ColorSpaceSrgbNonlinearKHR, word(1023 | 512<<10 | 1<<20), []byte{0, 128, 255, 255}},
		{vk.FormatA2R10G10B10UnormPack32, vk.ColorSpacePassThroughEXT, word(1023 | 512<<10 | 1<<20), []byte{255, 128, 0, 255}},
		// 32/63 of 255 is 129.5, 1/31 is 8.2.
		{vk.FormatR5G6B5UnormPack16, vk.ColorSpaceSrgbNonlinearKHR, []byte{32<<5&255 | 1, 31<<3 | 32>>3}, []byte{8, 130, 255, 255}},
		// sRGB's code of a half is 187.5, of a tenth 89.1.
		{vk.FormatR16G16B16A16Sfloat, vk.ColorSpaceExtendedSrgbLinearEXT, half(0.5, 0.1, 2, 0), []byte{255, 89, 188, 255}},
		{vk.FormatR16G16B16A16Sfloat, vk.ColorSpaceExtendedSrgbLinearEXT, half(-1, nan, 1, 0), []byte{255, 0, 0, 255}},
		{vk.FormatR16G16B16A16Sfloat, vk.ColorSpaceExtendedSrgbNonlinearEXT, half(0.5, -1, 7, 0), []byte{255, 0, 128, 255}},
		{vk.FormatR16G16B16A16Sfloat, vk.ColorSpacePassThroughEXT, half(0.25, nan, 1, 0), []byte{255, 0, 64, 255}},
	} {
		conv, ok := newConverter(c.f, c.space)
		if !ok || conv == nil {
			t.Errorf("%v: no converter", c.f)
			continue
		}
		got := make([]byte, 8)
		conv.row(got, slices.Concat(c.from, c.from))
		if want := slices.Concat(c.want, c.want); !slices.Equal(got, want) {
			t.Errorf("%v in %v: % x becomes %v, want %v", c.f, c.space, c.from, got[:4], c.want)
		}
	}
	for _, f := range []vk.Format{vk.FormatD32Sfloat, vk.FormatR32G32B32A32Uint, vk.FormatBc1RgbaUnormBlock, vk.FormatUndefined} {
		if _, ok := newConverter(f, vk.ColorSpaceSrgbNonlinearKHR); ok {
			t.Errorf("%v can be shown", f)
		}
	}
}

// TestConverter_AllCodes: each code of each component becomes the byte that is nearest to its value, in rows of even and odd length;
// what an sRGB format holds is that byte already (sRGB's code is its own).
func TestConverter_AllCodes(t *testing.T) {
	nearest := func(code, bits int) byte { // code/(2^bits-1) of 255; never a tie, since 2^bits-1 is odd
		most := 1<<bits - 1
		return byte((2*code*255 + most) / (2 * most))
	}
	for _, c := range []struct {
		f      vk.Format
		bytes  int
		bits   [3]int // of red, green, blue
		shifts [3]int
	}{
		{vk.FormatR8G8B8A8Unorm, 4, [3]int{8, 8, 8}, [3]int{0, 8, 16}},
		{vk.FormatR8G8B8A8Srgb, 4, [3]int{8, 8, 8}, [3]int{0, 8, 16}},
		{vk.FormatA8B8G8R8UnormPack32, 4, [3]int{8, 8, 8}, [3]int{0, 8, 16}},
		{vk.FormatA2B10G10R10UnormPack32, 4, [3]int{10, 10, 10}, [3]int{0, 10, 20}},
		{vk.FormatA2R10G10B10UnormPack32, 4, [3]int{10, 10, 10}, [3]int{20, 10, 0}},
		{vk.FormatR5G6B5UnormPack16, 2, [3]int{5, 6, 5}, [3]int{11, 5, 0}},
		{vk.FormatB5G6R5UnormPack16, 2, [3]int{5, 6, 5}, [3]int{0, 5, 11}},
		{vk.FormatA1R5G5B5UnormPack16, 2, [3]int{5, 5, 5}, [3]int{10, 5, 0}},
		{vk.FormatR4G4B4A4UnormPack16, 2, [3]int{4, 4, 4}, [3]int{12, 8, 4}},
	} {
		conv, ok := newConverter(c.f, vk.ColorSpaceSrgbNonlinearKHR)
		if !ok || conv == nil {
			t.Errorf("%v: no converter", c.f)
			continue
		}
		for _, n := range []int{1024, 1023, 1} {
			from, want := make([]byte, 4*n), make([]byte, 0, 4*n)
			for i := range n {
				var word uint32
				var codes [3]int
				for k := range codes {
					codes[k] = (i*(2*k+1) + 37*k) % (1 << c.bits[k]) // an odd factor: all codes
					word |= uint32(codes[k]) << c.shifts[k]
				}
				copy(from[c.bytes*i:], binary.LittleEndian.AppendUint32(nil, word)[:c.bytes])
				want = append(want, nearest(codes[2], c.bits[2]), nearest(codes[1], c.bits[1]), nearest(codes[0], c.bits[0]), 255)
			}
			got := make([]byte, 4*n)
			conv.row(got, from[:c.bytes*n])
			if !slices.Equal(got, want) {
				t.Errorf("%v: a row of %d differs", c.f, n)
			}
		}
	}
}

// TestSurfaceFormats_ColorSpaces: other colour spaces than sRGB's are there where VK_EXT_swapchain_colorspace is enabled, all
// of them can be shown, and the first is what it was.
func TestSurfaceFormats_ColorSpaces(t *testing.T) {
	for _, enabled := range []bool{false, true} {
		f := newTest(t)
		resolve(&f.driver.instances, unsafe.Pointer(f.instance), abi.LevelInstance).extensions["VK_EXT_swapchain_colorspace"] = enabled
		var n uint32
		a := abi.GetPhysicalDeviceSurfaceFormatsKHRArgs{PhysicalDevice: f.physical, Surface: f.headless(), PSurfaceFormatCount: &n}
		call(f, abi.OpGetPhysicalDeviceSurfaceFormatsKHR, &a)
		list := make([]vk.SurfaceFormatKHR, n)
		a.PSurfaceFormats = &list[0]
		call(f, abi.OpGetPhysicalDeviceSurfaceFormatsKHR, &a)
		want(t, "vkGetPhysicalDeviceSurfaceFormatsKHR", a.Ret, vk.Success)
		if list[0] != (vk.SurfaceFormatKHR{Format: vk.FormatB8G8R8A8Unorm, ColorSpace: vk.ColorSpaceSrgbNonlinearKHR}) {
			t.Errorf("the first is %v", list[0])
		}
		for _, s := range []vk.Format{vk.FormatR8G8B8A8Snorm, vk.FormatB8G8R8A8Snorm} {
			if !slices.Contains(list, vk.SurfaceFormatKHR{Format: s, ColorSpace: vk.ColorSpaceSrgbNonlinearKHR}) {
				t.Errorf("no %v", s)
			}
		}
		others := false
		for i, s := range list {
			others = others || s.ColorSpace != vk.ColorSpaceSrgbNonlinearKHR
			if _, ok := newConverter(s.Format, s.ColorSpace); !ok || slices.Contains(list[:i], s) {
				t.Errorf("%v: cannot be shown, or is there twice", s)
			}
		}
		if others != enabled {
			t.Errorf("enabled: %v, other spaces: %v", enabled, others)
		}
	}
}

// TestSwapchain_Converted: a window shows pictures of another format as its own, also scaled.
func TestSwapchain_Converted(t *testing.T) {
	f := newTest(t)
	w := &stage{width: 8, height: 8, shown: make(chan []byte, 1)}
	surface, queue := f.staged(w)
	scale := &abi.SwapchainPresentScalingCreateInfoKHR{ScalingBehavior: vk.PresentScalingStretchBitKHR}
	scale.SType = scale.StructureType()
	var chain abi.SwapchainKHR
	swap := abi.CreateSwapchainKHRArgs{Device: f.device, PSwapchain: &chain, PCreateInfo: &abi.SwapchainCreateInfoKHR{PNext: unsafe.Pointer(scale),
		Surface: surface, MinImageCount: 2, ImageFormat: vk.FormatA2B10G10R10UnormPack32, ImageExtent: vk.Extent2D{Width: 8, Height: 8},
		ImageArrayLayers: 1, ImageUsage: vk.ImageUsageTransferDstBit, PresentMode: vk.PresentModeImmediateKHR,
	}}
	call(f, abi.OpCreateSwapchainKHR, &swap)
	want(t, "vkCreateSwapchainKHR", swap.Ret, vk.Success)
	for _, size := range []uint32{8, 5} {
		w.width, w.height = size, size
		f.put(queue, chain, 0xFF, false, nil)
		if got := <-w.shown; !slices.Equal(got, slices.Repeat([]byte{255}, int(4*size*size))) {
			t.Errorf("%d texels a side: %v", size, got)
		}
	}
}
