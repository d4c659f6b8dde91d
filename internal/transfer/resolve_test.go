package transfer

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// resolved is what samples of fixed point or integers, bytes to the component, become: unit is the code of 1, 0 of integers.
//
// RAS-351, RAS-352
func resolved(codes []int64, unit int64, mode vk.ResolveModeFlags) int64 {
	best, sum := codes[0], new(big.Rat)
	for _, c := range codes {
		if mode == vk.ResolveModeMinBit && c < best || mode == vk.ResolveModeMaxBit && c > best {
			best = c
		}
	}
	if mode == vk.ResolveModeAverageBit || mode == vk.ResolveModeNone && unit > 0 {
		// The mean of what codes stand for, all of them binary32, and the code nearest to that, of two the even one.
		for _, c := range codes {
			v, _ := big.NewRat(c, unit).Float32()
			sum.Add(sum, new(big.Rat).SetFloat64(float64(v)))
		}
		v, _ := sum.Quo(sum, big.NewRat(int64(len(codes)), 1)).Float32()
		sum.SetFloat64(float64(v))
		f, _ := sum.Mul(sum, big.NewRat(unit, 1)).Float64() // exact: 24 bits and 16
		best = int64(math.RoundToEven(f))
	}
	return best
}

// Every mode, of integers and fixed point of each size and sign, of each number of samples and each component, region by
// region and layer by layer.
func TestResolveImage_RAS351_EveryMode(t *testing.T) {
	rules.Covers(t, "RAS-351", "RAS-352", "RAS-353", "RAS-355", "RAS-356")
	r := rand.New(rand.NewPCG(35, 1))
	modes := []vk.ResolveModeFlags{vk.ResolveModeNone, vk.ResolveModeSampleZeroBit, vk.ResolveModeAverageBit, vk.ResolveModeMinBit, vk.ResolveModeMaxBit}
	for _, f := range []struct {
		format vk.Format
		n      int   // components
		size   int   // bytes of each
		low    int64 // the lowest code that stands for a number of its own
		unit   int64 // the code of 1, 0 of integers
	}{
		{vk.FormatR8Unorm, 1, 1, 0, 255}, {vk.FormatR8G8B8A8Unorm, 4, 1, 0, 255}, {vk.FormatR16Unorm, 1, 2, 0, 65535}, {vk.FormatR16G16B16A16Unorm, 4, 2, 0, 65535},
		{vk.FormatR8G8B8A8Snorm, 4, 1, -127, 127}, {vk.FormatR16G16Snorm, 2, 2, -32767, 32767}, {vk.FormatR8G8B8A8Uint, 4, 1, 0, 0}, {vk.FormatR8G8B8A8Sint, 4, 1, -128, 0},
		{vk.FormatR16G16Uint, 2, 2, 0, 0}, {vk.FormatR16G16B16A16Sint, 4, 2, -32768, 0}, {vk.FormatR32G32B32A32Uint, 4, 4, 0, 0}, {vk.FormatR32G32Sint, 2, 4, math.MinInt32, 0},
	} {
		for samples := 2; samples <= 64; samples *= 2 {
			const w, h, layers = 9, 4, 2
			desc := resource.ImageDesc{Type: vk.ImageType2D, Format: f.format, Extent: ext(w, h, 1), ArrayLayers: layers, Samples: samples}
			src := newImage(t, desc)
			desc.Samples = 1
			texel, high := f.n*f.size, f.low+1<<(8*f.size)-1
			if f.unit > 0 && f.low < 0 {
				high = f.unit
			}
			code := func(b []byte) int64 {
				var x [8]byte
				copy(x[:], b[:f.size])
				v := int64(binary.LittleEndian.Uint64(x[:]))
				if f.low < 0 {
					v = v << (64 - 8*f.size) >> (64 - 8*f.size)
				}
				return v
			}
			data := make([]byte, w*h*layers*samples*texel) // texel by texel
			for at := 0; at < len(data); at += f.size {
				v := f.low + int64(r.Uint64N(uint64(high-f.low)+1))
				switch r.IntN(4) {
				case 0:
					v = []int64{f.low, high, 0, 1}[r.IntN(4)]
				case 1:
					v = v&^7 + int64(r.IntN(2))*5 // means at halves
					v = max(f.low, min(v, high))
				}
				if at/(texel*samples)%5 == 2 { // all the same
					v = code(data[at/(texel*samples)*texel*samples+at%texel:])
					if at%(texel*samples) < texel {
						v = high - int64(at%7)
					}
				}
				var x [8]byte
				binary.LittleEndian.PutUint64(x[:], uint64(v))
				copy(data[at:at+f.size], x[:])
			}
			texelOf := func(im *resource.Image, k int) []byte {
				l := im.Level(0, 0, k/w/h)
				return l.Row(k%w, k/w%h, 0, 1)
			}
			for k := range w * h * layers {
				copy(texelOf(src, k), data[k*samples*texel:][:samples*texel])
			}
			both := vk.ImageSubresourceLayers{AspectMask: color, LayerCount: layers}
			second := vk.ImageSubresourceLayers{AspectMask: color, BaseArrayLayer: 1, LayerCount: 1}
			regions := []vk.ImageResolve{ // rows 0 and 1 of both layers; of row 2 a part, and of row 3 of one layer
				{SrcSubresource: both, DstSubresource: both, Extent: ext(w, 2, 1)},
				{SrcSubresource: both, SrcOffset: off(3, 2, 0), DstSubresource: both, DstOffset: off(2, 2, 0), Extent: ext(5, 1, 1)},
				{SrcSubresource: second, SrcOffset: off(0, 3, 0), DstSubresource: second, DstOffset: off(0, 3, 0), Extent: ext(1, 1, 1)},
			}
			for _, mode := range modes {
				dst := newImage(t, desc)
				for k := range dst.Data {
					dst.Data[k] = 0xEE
				}
				before := bytes.Clone(dst.Data)
				err := ResolveImage(ctx, dst, src, regions, mode, vk.ResolveModeMinBit, 0)
				if mode == vk.ResolveModeAverageBit && f.unit == 0 {
					wantVUID(t, err, "VkResolveImageModeInfoKHR-resolveMode-parameter")
					if !bytes.Equal(dst.Data, before) {
						t.Errorf("%v: a mode that it has not is written", f.format)
					}
					continue
				}
				ok(t, err)
				for k := range w * h * layers {
					x, y, layer := k%w, k/w%h, k/w/h
					from := x
					switch {
					case y < 2:
					case y == 2 && x >= 2 && x < 7:
						from = x + 1
					case y == 3 && layer == 1 && x == 0:
					default:
						from = -1
					}
					for c := range f.n {
						want := code([]byte{0xEE, 0xEE, 0xEE, 0xEE})
						if from >= 0 {
							var codes []int64
							for s := range samples {
								codes = append(codes, code(data[((k-x+from)*samples+s)*texel+c*f.size:]))
							}
							want = resolved(codes, f.unit, mode)
						}
						if got := code(texelOf(dst, k)[c*f.size:]); got != want {
							t.Fatalf("%v, %d samples, %v, texel (%d, %d) of layer %d: component %d is %d, want %d", f.format, samples, mode, x, y, layer, c, got, want)
						}
					}
				}
			}
		}
	}
}

// SAMPLE_ZERO keeps all bits of a sample; means of floats are exact sums, rounded once; NaN makes NaN, and loses else (RAS-356).
func TestResolveImage_RAS356_Floats(t *testing.T) {
	rules.Covers(t, "RAS-351", "RAS-352", "RAS-353", "RAS-354", "RAS-355", "RAS-356")
	f := math.Float32frombits
	nan, inf, minus := f(0xFFC12345), f(0x7F800000), f(1<<31)
	for _, c := range []struct {
		in                [4]float32
		mean, least, most uint32
	}{
		{in: [4]float32{1, 2, 4, 9}, mean: 0x40800000, least: 0x3F800000, most: 0x41100000},
		{in: [4]float32{-1, 2, -4, 3}, mean: 0, least: 0xC0800000, most: 0x40400000},
		{in: [4]float32{minus, minus, minus, minus}, mean: 0, least: 1 << 31, most: 1 << 31}, // the sum begins with +0
		{in: [4]float32{nan, 1, 2, 3}, mean: 0x7FC00000, least: 0x3F800000, most: 0x40400000},
		{in: [4]float32{3, 1, 2, nan}, mean: 0x7FC00000, least: 0x3F800000, most: 0x40400000},
		{in: [4]float32{1, inf, 0, 2}, mean: 0x7F800000, least: 0, most: 0x7F800000},
		{in: [4]float32{inf, -inf, 0, 2}, mean: 0x7FC00000, least: 0xFF800000, most: 0x7F800000},
		{in: [4]float32{0x1p100, 1, -0x1p100, 1}, mean: 0x3F000000 - 0x800000, least: 0xF1800000, most: 0x71800000}, // 1/4: the first 1 is below the sum's last place
	} {
		for _, form := range []vk.Format{vk.FormatR32Sfloat, vk.FormatD32Sfloat} {
			aspect := color
			if form == vk.FormatD32Sfloat {
				aspect = depth
			}
			src, dst := multisampled(t, form, 4), image2D(t, form, 1, 1)
			for k, v := range c.in {
				binary.LittleEndian.PutUint32(src.Data[4*k:], math.Float32bits(v))
			}
			region := []vk.ImageResolve{{SrcSubresource: one(aspect), DstSubresource: one(aspect), Extent: ext(1, 1, 1)}}
			for mode, want := range map[vk.ResolveModeFlags]uint32{vk.ResolveModeSampleZeroBit: math.Float32bits(c.in[0]), vk.ResolveModeAverageBit: c.mean,
				vk.ResolveModeMinBit: c.least, vk.ResolveModeMaxBit: c.most} {
				ok(t, ResolveImage(ctx, dst, src, region, mode, vk.ResolveModeNone, 0))
				if got := binary.LittleEndian.Uint32(dst.Data); got != want {
					t.Errorf("%v of %v by %v: %#x, want %#x", form, c.in, mode, got, want)
				}
			}
		}
	}
	// The second code of -1 stays in sample 0, and is no other number.
	src, dst := multisampled(t, vk.FormatR8Snorm, 2, 0x80, 0x80), image2D(t, vk.FormatR8Snorm, 1, 1)
	region := []vk.ImageResolve{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(1, 1, 1)}}
	for mode, want := range map[vk.ResolveModeFlags]byte{vk.ResolveModeSampleZeroBit: 0x80, vk.ResolveModeAverageBit: 0x81, vk.ResolveModeMinBit: 0x81} {
		if ok(t, ResolveImage(ctx, dst, src, region, mode, vk.ResolveModeNone, 0)); dst.Data[0] != want {
			t.Errorf("-1 by %v: %#x, want %#x", mode, dst.Data[0], want)
		}
	}
	// Equal samples keep what lies in the padding.
	src, dst = multisampled(t, vk.FormatR10X6UnormPack16, 2, 0x55, 0xAA, 0x55, 0xAA), image2D(t, vk.FormatR10X6UnormPack16, 1, 1)
	if ok(t, ResolveImage(ctx, dst, src, region, vk.ResolveModeAverageBit, vk.ResolveModeNone, 0)); !bytes.Equal(dst.Data[:2], []byte{0x55, 0xAA}) {
		t.Errorf("equal samples become % x", dst.Data[:2])
	}
}

// What is refused names its region, before anything is written; what is stopped is an error, of every format.
func TestResolveImage_RAS355_Refused(t *testing.T) {
	rules.Covers(t, "RAS-351", "RAS-352", "RAS-353", "RAS-354", "RAS-355", "RAS-356")
	for i := range 4 {
		src, dst := multisampled(t, vk.FormatR8Unorm, 2, 10, 20), image2D(t, vk.FormatR8Unorm, 1, 1)
		var regions []vk.ImageResolve
		for k := range 4 {
			r := vk.ImageResolve{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(1, 1, 1)}
			if k == i {
				r.Extent.Width = 2
			}
			regions = append(regions, r)
		}
		err := ResolveImage(ctx, dst, src, regions, vk.ResolveModeNone, vk.ResolveModeNone, 0)
		var e *Error
		if !errors.As(err, &e) || e.Region != i || dst.Data[0] != 0 {
			t.Errorf("region %d: %v, and %d is written", i, err, dst.Data[0])
		}
		// Modes that there are not, in both places.
		region := regions[(i+1)%4:][:1]
		for _, bad := range []vk.ResolveModeFlags{3, 16, 99, 1 << 30} {
			wantVUID(t, ResolveImage(ctx, dst, src, region, bad, vk.ResolveModeNone, 0), "VkResolveImageModeInfoKHR-resolveMode-parameter")
			wantVUID(t, ResolveImage(ctx, dst, src, region, vk.ResolveModeNone, bad, 0), "VkResolveImageModeInfoKHR-stencilResolveMode-parameter")
		}
		for _, mode := range []vk.ResolveModeFlags{vk.ResolveModeNone, vk.ResolveModeSampleZeroBit, vk.ResolveModeAverageBit, vk.ResolveModeMinBit, vk.ResolveModeMaxBit} {
			ok(t, ResolveImage(ctx, dst, src, region, vk.ResolveModeNone, mode, 0)) // of the other aspect
		}
	}
	// The mean of stencil is refused with the stencil mode's name, that of integers with the other's.
	src, dst := multisampled(t, vk.FormatD16UnormS8Uint, 2), image2D(t, vk.FormatD16UnormS8Uint, 1, 1)
	region := []vk.ImageResolve{{SrcSubresource: one(depth | stencil), DstSubresource: one(depth | stencil), Extent: ext(1, 1, 1)}}
	wantVUID(t, ResolveImage(ctx, dst, src, region, vk.ResolveModeAverageBit, vk.ResolveModeAverageBit, 0), "VkResolveImageModeInfoKHR-stencilResolveMode-parameter")
	ok(t, ResolveImage(ctx, dst, src, region, vk.ResolveModeAverageBit, vk.ResolveModeMaxBit, 0))

	stopped, stop := context.WithCancel(ctx)
	stop()
	for _, f := range []vk.Format{vk.FormatR8Unorm, vk.FormatR16Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR32Sfloat, vk.FormatR8Uint, vk.FormatR32G32B32A32Sint} {
		const w, h = 512, 512
		src := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: ext(w, h, 1), Samples: 4})
		region := []vk.ImageResolve{{SrcSubresource: one(color), DstSubresource: one(color), Extent: ext(w, h, 1)}}
		if err := ResolveImage(stopped, image2D(t, f, w, h), src, region, vk.ResolveModeNone, vk.ResolveModeNone, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", f, err)
		}
	}
}
