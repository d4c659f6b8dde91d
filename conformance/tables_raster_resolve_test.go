package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Resolves by tables: every format, every number of samples, every mode, at the end of passes and by commands.

const resolveWidth, resolveHeight = 20, 11

// resolveArea is what passes resolve.
var resolveArea = vk.Rect2D{Offset: vk.Offset2D{X: 3, Y: 2}, Extent: vk.Extent2D{Width: 15, Height: 7}}

func inArea(pixel int) bool {
	x, y := int32(pixel%resolveWidth), int32(pixel/resolveWidth)
	return x >= 3 && x < 18 && y >= 2 && y < 9
}

// resolveImages are an image of samples with contents, and one of a sample, filled with a byte.
func resolveImages(t *testing.T, dev *pumice.Device, f vk.Format, samples int, of map[vk.ImageAspectFlags][]byte, bytes map[vk.ImageAspectFlags]int) (many, one *pumice.Image) {
	t.Helper()
	for _, n := range []int{samples, 1} {
		im, err := dev.NewImage(pumice.ImageDesc{Format: f, Width: resolveWidth, Height: resolveHeight, Samples: n})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { im.Close() })
		for aspect, data := range of {
			if n == 1 {
				data = make([]byte, resolveWidth*resolveHeight*bytes[aspect])
			}
			if err := im.Write(ctx, pumice.Subresource{Aspect: aspect}, data); err != nil {
				t.Fatal(err)
			}
		}
		if n == samples {
			many = im
		}
		one = im
	}
	return many, one
}

// mean is the average of numbers: the exact one, as the nearest binary32. A NaN makes NaN, infinities what arithmetic makes of them.
//
// RAS-352, RAS-356
func mean(list []float32) float32 {
	total, plain := new(big.Rat), float32(0)
	for _, v := range list {
		if plain += v; v-v == 0 {
			total.Add(total, rational(v))
		}
	}
	for _, v := range list {
		if v-v != 0 {
			return plain
		}
	}
	v, _ := total.Quo(total, big.NewRat(int64(len(list)), 1)).Float32()
	return v
}

func TestTables_RAS352_EveryColourFormat(t *testing.T) {
	rules.Covers(t, "RAS-350", "RAS-351", "RAS-352", "RAS-353", "RAS-355", "RAS-356")
	devices := tableDevices(t)
	r := rand.New(rand.NewPCG(3, 17))
	for i, a := range attachmentFormats(t, devices[0], false) {
		for k, samples := range sampleCounts[1:] {
			if testing.Short() && (i+k)%2 == 1 {
				continue
			}
			before := make([]byte, resolveWidth*resolveHeight*samples*a.bytes)
			for k := range before {
				before[k] = byte(r.Uint32())
			}
			for k := range resolveWidth * resolveHeight * samples {
				pixel := k / samples
				texel := before[k*a.bytes:][:a.bytes]
				for c := range 4 {
					bits := a.parts[c].bits
					switch {
					case bits == 0:
					case bits == 32 && a.kind == "SFLOAT": // numbers whose sum is exact, NaN, infinities, zeros
						v := uint32(r.IntN(1<<24)) | 0x3F000000 | uint32(r.IntN(2))<<31
						if pixel%13 == 5 {
							v = []uint32{0x7FC00000, 0x7F800000, 0xFF800000, 0, 1 << 31}[r.IntN(5)]
						}
						a.put(texel, c, uint64(v))
					case pixel%9 == 1: // a mean half way between two codes
						a.put(texel, c, uint64(k%2+pixel)&(1<<bits-1))
					case pixel%9 == 2:
						a.put(texel, c, []uint64{0, 1<<bits - 1}[r.IntN(2)])
					}
				}
				if pixel%9 == 3 { // all the same
					copy(texel, before[pixel*samples*a.bytes:][:a.bytes])
				}
			}
			for n, command := range []bool{false, true} {
				dev := devices[(i+n)%2]
				if samples == 4 {
					dev = devices[0]
				}
				none := vk.ImageAspectColorBit
				many, one := resolveImages(t, dev, a.Format, samples, map[vk.ImageAspectFlags][]byte{none: before}, map[vk.ImageAspectFlags]int{none: a.bytes})
				cmd := dev.NewCommandBuffer()
				if command {
					cmd.ResolveImage(many, one)
				} else {
					cmd.BeginRendering(pumice.Rendering{Color: []pumice.Attachment{{Target: many, Resolve: one}}, Area: resolveArea}).End()
				}
				if err := dev.Submit(ctx, cmd); err != nil {
					t.Fatalf("%v, %d samples, by a command %v: %v", a.Format, samples, command, err)
				}
				got, err := one.Read(ctx, pumice.Subresource{})
				if err != nil {
					t.Fatal(err)
				}
				for pixel := range resolveWidth * resolveHeight {
					want := make([]byte, a.bytes)
					for c := range 4 {
						if a.parts[c].bits == 0 || !command && !inArea(pixel) {
							continue
						}
						code := a.code(before[pixel*samples*a.bytes:][:a.bytes], c)
						if !a.integer() {
							var list []float32
							for s := range samples {
								list = append(list, a.decoded(a.code(before[(pixel*samples+s)*a.bytes:][:a.bytes], c), c))
							}
							code = a.encoded(mean(list), c)
						}
						a.put(want, c, code)
					}
					if !a.wantTexel(t, got[pixel*a.bytes:][:a.bytes], want, "%d samples, by a command %v, pixel %d: % x", samples, command, pixel, before[pixel*samples*a.bytes:][:samples*a.bytes]) {
						break
					}
				}
				many.Close()
				one.Close()
			}
		}
	}
}

// Depth and stencil, each of their modes beside each of the other's.
func TestTables_RAS354_EveryDepthFormat(t *testing.T) {
	rules.Covers(t, "RAS-350", "RAS-351", "RAS-354", "RAS-356")
	devices := tableDevices(t)
	r := rand.New(rand.NewPCG(3, 19))
	const first, average, least, most = vk.ResolveModeSampleZeroBit, vk.ResolveModeAverageBit, vk.ResolveModeMinBit, vk.ResolveModeMaxBit
	for i, f := range testFormats {
		for _, samples := range sampleCounts[1:] {
			size := map[int]int{16: 2, 24: 4, 0: 4}[f.bits]
			var depths, stencils []byte
			for k := range resolveWidth * resolveHeight * samples {
				pixel := k / samples
				switch f.bits {
				case 16:
					depths = binary.LittleEndian.AppendUint16(depths, uint16([]uint32{r.Uint32(), uint32(k%2 + pixel), 65535, 0}[r.IntN(4)]))
				case 24:
					depths = binary.LittleEndian.AppendUint32(depths, []uint32{r.Uint32() & (1<<24 - 1), uint32(k%2 + pixel), 1<<24 - 1, 0}[r.IntN(4)])
				default:
					v := uint32(r.IntN(1<<23)) | 0x3F000000
					if pixel%7 == 5 {
						v = []uint32{0x7FC00000, 0, v, 0x3F800000}[r.IntN(4)]
					}
					depths = binary.LittleEndian.AppendUint32(depths, v)
				}
				stencils = append(stencils, byte(r.Uint32()))
			}
			for _, depthMode := range []vk.ResolveModeFlags{0, first, average, least, most} {
				for _, stencilMode := range []vk.ResolveModeFlags{0, first, least, most} {
					if depthMode != 0 && !f.depth || stencilMode != 0 && !f.stencil || depthMode == 0 && stencilMode == 0 {
						continue
					}
					dev := devices[(i+samples/2)%2]
					const z, s = vk.ImageAspectDepthBit, vk.ImageAspectStencilBit
					data, texel := map[vk.ImageAspectFlags][]byte{}, map[vk.ImageAspectFlags]int{z: size, s: 1}
					if f.depth {
						data[z] = depths
					}
					if f.stencil {
						data[s] = stencils
					}
					many, one := resolveImages(t, dev, f.format, samples, data, texel)
					rendering := pumice.Rendering{Area: resolveArea}
					if depthMode != 0 {
						rendering.Depth = &pumice.Attachment{Target: many, Resolve: one, ResolveMode: depthMode}
					}
					if stencilMode != 0 {
						rendering.Stencil = &pumice.Attachment{Target: many, Resolve: one, ResolveMode: stencilMode}
					}
					cmd := dev.NewCommandBuffer()
					cmd.BeginRendering(rendering).End()
					what := fmt.Sprintf("%v, %d samples, depth %v, stencil %v", f.format, samples, depthMode, stencilMode)
					if err := dev.Submit(ctx, cmd); err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					for aspect := range data {
						got, err := one.Read(ctx, pumice.Subresource{Aspect: aspect})
						if err != nil {
							t.Fatal(err)
						}
						n, mode := texel[aspect], depthMode
						if aspect == s {
							mode = stencilMode
						}
						for pixel := range resolveWidth * resolveHeight {
							want := make([]byte, n)
							if mode != 0 && inArea(pixel) {
								copy(want, resolvedTests(data[aspect][pixel*samples*n:][:samples*n], n, map[bool]int{true: 8, false: f.bits}[aspect == s], mode))
							}
							if g := got[pixel*n:][:n]; !bytes.Equal(g[:min(n, 3)], want[:min(n, 3)]) || f.bits == 0 && !bytes.Equal(g, want) {
								t.Errorf("%s: pixel %d is % x, want % x, of % x", what, pixel, g, want, data[aspect][pixel*samples*n:][:samples*n])
								break
							}
						}
					}
					many.Close()
					one.Close()
				}
			}
		}
	}
}

// resolvedTests is one of some codes of n bytes, of fixed point with bits or floats where these are 0, or made of them.
func resolvedTests(codes []byte, n, bits int, mode vk.ResolveModeFlags) []byte {
	list := make([]uint32, len(codes)/n)
	for k := range list {
		var b [4]byte
		copy(b[:], codes[k*n:][:n])
		list[k] = binary.LittleEndian.Uint32(b[:])
	}
	v := list[0]
	total, nans := new(big.Rat), 0
	for _, c := range list {
		x := math.Float32frombits(c)
		if bits == 0 {
			if x != x {
				nans++
				continue
			}
			total.Add(total, rational(x))
		} else {
			total.Add(total, big.NewRat(int64(c), int64(1)<<bits-1))
		}
		old := math.Float32frombits(v)
		switch {
		case bits == 0 && old != old && mode != vk.ResolveModeSampleZeroBit: // the first number
			v = c
		case mode == vk.ResolveModeMinBit && (bits == 0 && x < old || bits > 0 && c < v), mode == vk.ResolveModeMaxBit && (bits == 0 && x > old || bits > 0 && c > v):
			v = c
		}
	}
	if mode == vk.ResolveModeAverageBit {
		x, _ := total.Quo(total, big.NewRat(int64(len(list)), 1)).Float32()
		switch {
		case nans > 0:
			v = 0x7FC00000
		case bits == 0:
			v = math.Float32bits(x)
		default:
			v = fixedDepth(x, bits)
		}
	}
	return binary.LittleEndian.AppendUint32(nil, v)[:n]
}
