package sampling

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// blockTexel is a texel of the second block of a row of two: the first one is zeros.
type blockTexel struct {
	name, block string
	x, y        int
	want        format.Texel
}

// real4 rounds numbers to a texel.
func real4(r, g, b, a float64) format.Texel {
	return rgba(float32(r), float32(g), float32(b), float32(a))
}

// srgb4 is real4 of sRGB numbers.
func srgb4(r, g, b, a float64) format.Texel {
	return real4(srgbNumber(r), srgbNumber(g), srgbNumber(b), a)
}

// half4 is a texel of bits of binary16 numbers, with alpha one.
func half4(r, g, b uint64) format.Texel {
	f := func(x uint64) uint32 { return fieldNumber("SFLOAT", 16, x) }
	return format.Texel{f(r), f(g), f(b), oneFloat}
}

// holdBlocks reads texels of blocks of 4×4.
func holdBlocks(t *testing.T, list []blockTexel) {
	t.Helper()
	for _, c := range list {
		block, err := hex.DecodeString(strings.ReplaceAll(c.block, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		info := named(t, c.name+"_BLOCK")
		if info.BlockBytes != len(block) || info.BlockTexels() != 16 {
			t.Errorf("%s: blocks of %d bytes, %d texels", c.name, info.BlockBytes, info.BlockTexels())
			continue
		}
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: info.Format, Extent: extent(8, 4, 1)})
		copy(im.Level(0, 0, 0).Data[len(block):], block)
		v := newView(t, im, resource.ViewDesc{})
		fetch := lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, icoord: []int32{int32(4 + c.x), int32(c.y)}}
		sample := lane1{op: sampleOp(ir.Dim2D), coord: []float32{(4.5 + float32(c.x)) / 8, (float32(c.y) + .5) / 4}}
		if got, other := fetch.run(v, nil), sample.run(v, newSampler(t, resource.Sampler{})); got != c.want || other != c.want {
			t.Errorf("%s, texel (%d, %d): %v by a fetch, %v by a sample; want %v", c.name, c.x, c.y, floats(got), floats(other), floats(c.want))
		}
	}
}

// Red and blue, in either order, and indices 0 to 3 in the first row: codes of four colours, or three and black.
// Alpha in front of it is 5/15, or six sevenths of 255, in the fourth texel.
func TestFormats_IMG759_IMG807_BC(t *testing.T) {
	rules.Covers(t, "IMG-759", "IMG-807")
	const four, three = "00F81F00E4000000", "1F0000F8E4000000"
	const ramp, signed = "FF00000400000000", "7F81000400000000"
	const bc7, bc6 = "40ce0b5757d7fc027630b6fe13105807", "43b489eedce16f9cef2567c141b50c78" // IMG-825, IMG-826
	f := func(n float64) float64 { return n / 255 }
	holdBlocks(t, []blockTexel{
		{"BC1_RGB_UNORM", four, 2, 0, real4(2./3, 0, 1./3, 1)}, {"BC1_RGB_SRGB", four, 2, 0, srgb4(2./3, 0, 1./3, 1)},
		{"BC1_RGB_UNORM", three, 2, 0, real4(.5, 0, .5, 1)}, {"BC1_RGB_SRGB", three, 2, 0, srgb4(.5, 0, .5, 1)}, {"BC1_RGB_UNORM", three, 3, 0, real4(0, 0, 0, 1)},
		{"BC1_RGBA_UNORM", three, 3, 0, real4(0, 0, 0, 0)}, {"BC1_RGBA_SRGB", three, 3, 0, real4(0, 0, 0, 0)}, {"BC1_RGBA_SRGB", four, 3, 0, srgb4(1./3, 0, 2./3, 1)},
		{"BC1_RGBA_UNORM", four, 1, 0, real4(0, 0, 1, 1)},
		{"BC2_UNORM", "0050000000000000" + three, 3, 0, real4(2./3, 0, 1./3, 1./3)}, {"BC2_SRGB", "0050000000000000" + three, 3, 0, srgb4(2./3, 0, 1./3, 1./3)},
		{"BC3_UNORM", ramp + three, 3, 0, real4(2./3, 0, 1./3, 6./7)}, {"BC3_SRGB", ramp + three, 3, 0, srgb4(2./3, 0, 1./3, 6./7)},
		{"BC4_UNORM", ramp, 3, 0, real4(6./7, 0, 0, 1)}, {"BC4_SNORM", signed, 3, 0, real4(5./7, 0, 0, 1)},
		{"BC5_UNORM", ramp + "FF00000000000000", 3, 0, real4(6./7, 1, 0, 1)}, {"BC5_SNORM", signed + "8100000000000000", 3, 0, real4(5./7, -1, 0, 1)},
		{"BC6H_UFLOAT", bc6, 0, 0, half4(0x1E4C, 0x448D, 0x576D)}, {"BC6H_SFLOAT", bc6, 0, 0, half4(0x3C99, 0x14BE, 0xC963)},
		{"BC7_UNORM", bc7, 2, 1, real4(f(92), f(226), f(113), f(20))}, {"BC7_SRGB", bc7, 2, 1, srgb4(f(92), f(226), f(113), f(20))},
	})
	// A green of six bits between 63 and 0, too.
	holdBlocks(t, []blockTexel{{"BC1_RGB_SRGB", "E0071F00E4000000", 2, 0, srgb4(0, 2./3, 1./3, 1)}, {"BC1_RGB_UNORM", "E0071F00E4000000", 3, 0, real4(0, 1./3, 2./3, 1)}})
}

// Blocks of IMG-853.
func TestFormats_IMG760_ETC2AndEAC(t *testing.T) {
	rules.Covers(t, "IMG-760")
	const rgb, punched, eac = "9c98d2309addb25d", "c9e46a44b0f1ad0a", "93227ebc6f03f291"
	f := func(n float64) float64 { return n / 255 }
	holdBlocks(t, []blockTexel{
		{"ETC2_R8G8B8_UNORM", rgb, 2, 1, real4(f(144), f(76), 0, 1)}, {"ETC2_R8G8B8_SRGB", rgb, 2, 1, srgb4(f(144), f(76), 0, 1)},
		{"ETC2_R8G8B8A1_UNORM", punched, 0, 0, real4(0, 0, 0, 0)}, {"ETC2_R8G8B8A1_UNORM", punched, 2, 1, real4(f(214), f(198), f(123), 1)},
		{"ETC2_R8G8B8A1_SRGB", punched, 2, 1, srgb4(f(214), f(198), f(123), 1)},
		{"ETC2_R8G8B8A8_UNORM", eac + rgb, 2, 1, real4(f(144), f(76), 0, f(143))}, {"ETC2_R8G8B8A8_SRGB", eac + rgb, 2, 1, srgb4(f(144), f(76), 0, f(143))},
		{"EAC_R11_UNORM", eac, 2, 1, real4(1148./2047, 0, 0, 1)}, {"EAC_R11_SNORM", eac, 2, 1, real4(-904./1023, 0, 0, 1)},
		{"EAC_R11G11_UNORM", eac + "0000000000000000", 2, 1, real4(1148./2047, 1./2047, 0, 1)}, {"EAC_R11G11_SNORM", "0000000000000000" + eac, 3, 3, real4(-3./1023, -952./1023, 0, 1)},
	})
}

// astcBlocks reads the texels of the corner where blocks of one colour meet: their reds are 1/16, 2/16, …
func astcBlocks(t *testing.T, footprint, numeric string) {
	t.Helper()
	info := named(t, "ASTC_"+footprint+"_"+numeric+"_BLOCK"+map[bool]string{true: "_EXT"}[strings.Count(footprint, "x") == 2])
	w, h, d := 0, 0, 1
	if n, _ := fmt.Sscanf(footprint, "%dx%dx%d", &w, &h, &d); n < 2 || info.BlockBytes != 16 {
		t.Fatalf("%s: blocks of %d bytes", footprint, info.BlockBytes)
	}
	desc := resource.ImageDesc{Type: vk.ImageType2D, Format: info.Format, Extent: extent(uint32(2*w), uint32(2*h), 1)}
	op, dims, deep := ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, 2, 1
	if d > 1 {
		desc.Type, desc.Extent.Depth, op.Dim, dims, deep = vk.ImageType3D, uint32(2*d), ir.Dim3D, 3, 2
	}
	im := newImage(t, desc)
	level := im.Level(0, 0, 0)
	for z := range deep {
		for y := range 2 {
			for x := range 2 {
				block := []byte{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, byte(16 * (1 + x + 2*y + 4*z)), 0, 0x80, 0xff, 0xff, 0x00, 0xc0} // a void extent
				copy(level.Data[level.Offset(x*w, y*h, z*d, 0):], block)
			}
		}
	}
	v := newView(t, im, resource.ViewDesc{})
	at := func(k int) []int32 {
		return []int32{int32(w - 1 + k&1), int32(h - 1 + k>>1&1), int32(d - 1 + k>>2)}[:dims]
	}
	got := many(op, v, nil, 4*deep, func(k int) lane1 { return lane1{icoord: at(k)} })
	for k := range got {
		// Fractions of 65536; of sRGB the upper eight bits are codes.
		want := real4(float64(k+1)/16, .5, 1, .75)
		if numeric == "SRGB" {
			want = srgb4(float64(16*(k+1))/255, 128./255, 1, 192./255)
		}
		if got[k] != want {
			t.Errorf("%v at %v: %v, want %v", info.Format, at(k), floats(got[k]), floats(want))
		}
	}
}

func TestFormats_IMG761_ASTC(t *testing.T) {
	rules.Covers(t, "IMG-761")
	for _, f := range strings.Fields("4x4 5x4 5x5 6x5 6x6 8x5 8x6 8x8 10x5 10x6 10x8 10x10 12x10 12x12") {
		for _, numeric := range []string{"UNORM", "SRGB", "SFLOAT"} {
			astcBlocks(t, f, numeric)
		}
	}
}

// Blocks with depth are decoded; images of what has no codec can't be made, and the error says why.
func TestFormats_IMG765_Optional(t *testing.T) {
	rules.Covers(t, "IMG-765", "IMG-258")
	for _, f := range strings.Fields("3x3x3 4x3x3 4x4x3 4x4x4 5x4x4 5x5x4 5x5x5 6x5x5 6x6x5 6x6x6") {
		for _, numeric := range []string{"UNORM", "SRGB", "SFLOAT"} {
			astcBlocks(t, f, numeric)
		}
	}
	counts := map[string]int{}
	for _, f := range format.All() {
		info := mustInfo(f)
		_, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(32, 32, 1)})
		kind := ""
		for _, part := range []string{"PVRTC", "SFIXED5", "ARM"} {
			if strings.Contains(info.Name, part) {
				kind = part
			}
		}
		var unsupported *format.UnsupportedError
		if !errors.As(err, &unsupported) {
			if kind != "" {
				t.Errorf("an image of %v: %v", f, err)
			}
			continue
		}
		counts[kind]++
		if blocks := strings.Contains(unsupported.Reason, "have no decoder"); blocks != (kind == "PVRTC") || strings.Contains(unsupported.Reason, "the extension that defines it") == blocks {
			t.Errorf("%v: %s", f, unsupported.Reason)
		}
	}
	if counts["PVRTC"] != 8 || counts["SFIXED5"] != 1 || counts["ARM"] != 18 || counts[""] != 0 {
		t.Errorf("%v have no codec", counts)
	}
}

// bcColour is IMG-800 and IMG-801: numerators over 31, 63 and 31 times a divisor, and alpha.
func bcColour(block []byte, k int, always, rgba bool) (c [3]float64, divisor, alpha float64) {
	c0, c1 := int(block[0])|int(block[1])<<8, int(block[2])|int(block[3])<<8
	w := [4][2]float64{{1, 0}, {0, 1}, {2, 1}, {1, 2}}[block[4+k/4]>>(k%4*2)&3]
	alpha = 1
	if !always && c0 <= c1 {
		switch w {
		case [2]float64{2, 1}:
			w = [2]float64{1, 1}
		case [2]float64{1, 2}:
			w = [2]float64{}
			if rgba {
				alpha = 0
			}
		}
	}
	for i, shift := range [3]int{11, 5, 0} {
		most := [3]int{31, 63, 31}[i]
		c[i] = w[0]*float64(c0>>shift&most) + w[1]*float64(c1>>shift&most)
	}
	return c, max(w[0]+w[1], 1), alpha
}

// bcRamp is IMG-804 and IMG-805.
func bcRamp(block []byte, k int, signed bool) float64 {
	bits := uint64(0)
	for i, b := range block[2:8] {
		bits |= uint64(b) << (8 * i)
	}
	i, a, b, most, least := int(bits>>(3*k)&7), float64(block[0]), float64(block[1]), 255., 0.
	if signed {
		a, b, most, least = float64(int8(block[0])), float64(int8(block[1])), 127, -1
	}
	n := 5.
	if a > b {
		n = 7
	}
	a, b = max(a, -most), max(b, -most)
	switch {
	case i == 0:
		return a / most
	case i == 1:
		return b / most
	case i == 6 && n == 5:
		return least
	case i == 7 && n == 5:
		return 1
	}
	m := float64(i - 1)
	return ((n-m)*a + m*b) / (n * most)
}

// Random blocks of BC1 to BC5, all texels, by the formulas of IMG-800 … IMG-807.
func TestFormats_IMG800_BlocksByFormula(t *testing.T) {
	rules.Covers(t, "IMG-759", "IMG-800", "IMG-801", "IMG-802", "IMG-803", "IMG-804", "IMG-805", "IMG-806", "IMG-807", "IMG-323")
	r := rand.New(rand.NewPCG(800, 1))
	for _, name := range []string{"BC1_RGB_UNORM", "BC1_RGB_SRGB", "BC1_RGBA_UNORM", "BC1_RGBA_SRGB", "BC2_UNORM", "BC2_SRGB", "BC3_UNORM", "BC3_SRGB", "BC4_UNORM", "BC4_SNORM", "BC5_UNORM", "BC5_SNORM"} {
		info := named(t, name+"_BLOCK")
		n, signed := info.BlockBytes, strings.HasSuffix(name, "SNORM")
		const side = 8 // blocks
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: info.Format, Extent: extent(4*side, 4*side, 1)})
		data := im.Level(0, 0, 0).Data
		for i := range data {
			if data[i] = byte(r.Uint32()); i%8 < 2 && r.IntN(8) == 0 {
				data[i] = [...]byte{0, 127, 128, 129, 255}[r.IntN(5)]
			}
		}
		v := newView(t, im, resource.ViewDesc{})
		got := many(ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, v, nil, 16*side*side, func(k int) lane1 { return lane1{icoord: []int32{int32(k % (4 * side)), int32(k / (4 * side))}} })
		sampled := many(sampleOp(ir.Dim2D), v, newSampler(t, resource.Sampler{}), len(got), func(k int) lane1 {
			return lane1{coord: []float32{(float32(k%(4*side)) + .5) / (4 * side), (float32(k/(4*side)) + .5) / (4 * side)}}
		})
		for k, texel := range got {
			x, y := k%(4*side), k/(4*side)
			block, at := data[n*(y/4*side+x/4):][:n], y%4*4+x%4
			want := [4]float64{0, 0, 0, 1}
			colour := func(block []byte, always bool) {
				c, divisor, alpha := bcColour(block, at, always, strings.Contains(name, "RGBA"))
				for i, most := range [3]float64{31, 63, 31} {
					if want[i] = c[i] / (divisor * most); strings.HasSuffix(name, "SRGB") {
						want[i] = srgbNumber(want[i])
					}
				}
				want[3] = alpha
			}
			switch name[:3] {
			case "BC1":
				colour(block, false)
			case "BC2":
				colour(block[8:], true)
				want[3] = float64(block[at/2]>>(at%2*4)&15) / 15
			case "BC3":
				colour(block[8:], true)
				want[3] = bcRamp(block, at, false)
			case "BC4":
				want[0] = bcRamp(block, at, signed)
			default:
				want[0], want[1] = bcRamp(block, at, signed), bcRamp(block[8:], at, signed)
			}
			if w := real4(want[0], want[1], want[2], want[3]); texel != w || sampled[k] != w {
				t.Fatalf("%s % x, texel %d: %v by a fetch, %v by a sample, want %v", name, block, at, floats(texel), floats(sampled[k]), want)
			}
		}
	}
}
