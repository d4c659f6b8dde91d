package bc

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/assets"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
)

func rational(n, d float64) uint32 { return math.Float32bits(float32(n / d)) }

func TestBC1_FourColours_IMG800(t *testing.T) {
	rules.Covers(t, "IMG-800")
	// color0 = (31, 63, 0) > color1 = (0, 1, 31); indices 0, 1, 2, 3.
	var dst [16]Texel
	DecodeBC1(&dst, []byte{0xe0, 0xff, 0x3f, 0x00, 0xe4, 0, 0, 0}, true, false)
	for k, want := range []Texel{
		{one, one, 0, one},
		{0, rational(1, 63), one, one},
		{rational(2, 3), rational(127, 189), rational(1, 3), one},
		{rational(1, 3), rational(65, 189), rational(2, 3), one},
	} {
		if dst[k] != want {
			t.Errorf("texel %d: %08x, want %08x", k, dst[k], want)
		}
	}
}

func TestBC1_ThreeColours_Equal_IMG800_IMG801(t *testing.T) {
	rules.Covers(t, "IMG-800", "IMG-801")
	src := []byte{0x21, 0x08, 0x22, 0x10, 0xe4, 0, 0, 0} // (1, 1, 1), (2, 1, 2)
	for _, punchthrough := range []bool{false, true} {
		var dst [16]Texel
		DecodeBC1(&dst, src, punchthrough, false)
		black := Texel{3: one}
		if punchthrough {
			black = Texel{}
		}
		if want := (Texel{rational(3, 62), rational(1, 63), rational(3, 62), one}); dst[2] != want || dst[3] != black {
			t.Errorf("%08x %08x, want %08x", dst[2], dst[3], want)
		}
	}
	// Equal endpoints have three colours.
	var dst [16]Texel
	DecodeBC1(&dst, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0}, true, false)
	if dst[0] != (Texel{}) {
		t.Errorf("%08x", dst[0])
	}
}

// In BC2 and BC3, colours are four even where color0 ≤ color1 (IMG-802, IMG-803); sRGB applies to colour, not to alpha, and to the
// interpolated real number (IMG-807).
func TestBC2BC3_AlwaysFourColours_Srgb(t *testing.T) {
	rules.Covers(t, "IMG-802", "IMG-803", "IMG-807")
	colors := []byte{0x00, 0x00, 0xff, 0xff, 0xaa, 0, 0, 0} // black, white, index 2: a third
	var dst [16]Texel
	DecodeBC2(&dst, append([]byte{0x37, 0, 0, 0, 0, 0, 0, 0}, colors...), true)
	third := math.Float32frombits(dst[0][0])
	if want := float32(math.Pow((1/3.0+0.055)/1.055, 2.4)); math.Abs(float64(third-want)) > 1e-8 {
		t.Errorf("a third is %g, want %g", third, want)
	}
	if dst[0][3] != rational(7, 15) || dst[1][3] != rational(3, 15) || dst[0][1] != dst[0][0] {
		t.Errorf("%08x", dst[:2])
	}
	DecodeBC3(&dst, append([]byte{10, 20, 2, 0, 0, 0, 0, 0}, colors...), false)
	if dst[0] != (Texel{rational(1, 3), rational(1, 3), rational(1, 3), rational(4*10+20, 5*255)}) {
		t.Errorf("%08x", dst[0])
	}
}

func TestBC4_Ramps_IMG804_IMG805(t *testing.T) {
	rules.Covers(t, "IMG-804", "IMG-805")
	src := func(a, b int8) []byte {
		s := []byte{byte(a), byte(b), 0, 0, 0, 0, 0, 0}
		w := binary.LittleEndian.Uint64(s)
		for k := range 8 {
			w |= uint64(k) << (16 + 3*k)
		}
		binary.LittleEndian.PutUint64(s, w)
		return s
	}
	check := func(name string, src []byte, signed bool, want ...uint32) {
		t.Helper()
		var dst [16]Texel
		DecodeBC4(&dst, src, signed)
		for k, w := range want {
			if dst[k] != (Texel{w, 0, 0, one}) {
				t.Errorf("%s, %d: %08x, want %08x", name, k, dst[k], w)
			}
		}
	}
	check("unorm, falling", src(-1, 0), false, one, 0, rational(6, 7), rational(5, 7), rational(4, 7), rational(3, 7), rational(2, 7), rational(1, 7))
	check("unorm, rising", src(0, -1), false, 0, one, rational(1, 5), rational(2, 5), rational(3, 5), rational(4, 5), 0, one)
	check("snorm, falling", src(127, -127), true, one, rational(-1, 1), rational(5, 7), rational(3, 7), rational(1, 7), rational(-1, 7))
	check("snorm, rising", src(-128, 100), true, rational(-1, 1), rational(100, 127), rational(-408, 635), rational(-181, 635), rational(46, 635), rational(273, 635), rational(-1, 1), one)
	// −127 > −128 as they stand: the first form.
	minus := rational(-1, 1)
	check("snorm, −127 and −128", src(-127, -128), true, minus, minus, minus, minus, minus, minus, minus, minus)
}

func TestBC5_RedThenGreen_IMG806(t *testing.T) {
	rules.Covers(t, "IMG-806")
	src := []byte{255, 0, 0, 0, 0, 0, 0, 0, 51, 0, 0, 0, 0, 0, 0, 0}
	var dst [16]Texel
	DecodeBC5(&dst, src, false)
	if dst[9] != (Texel{one, rational(1, 5), 0, one}) {
		t.Errorf("%08x", dst[9])
	}
}

// twin is a DDS file and the picture that another decoder made of it.
type twin struct {
	name   string
	block  int
	decode func(*[16]Texel, []byte)
	within float64 // codes of 255
}

// BC7 is bit-exact. The twins of BC1 to BC5 were interpolated in 8 bits, ours in reals. Repeating the upper bits of a 6-bit code to
// fill 8 is up to 15/21 of a code off (15 gives 60, not 60.71), and dropping the fraction of a third 2/3 more; sevenths of BC4 lose
// 6/7. BC6H's twin has 8 bits, and its authors promise ±1 after rounding.
func TestDecode_FilesByOthers(t *testing.T) {
	root := assets.Folder(t, "bc")
	for _, c := range []twin{
		{"dxt1-rgb-4bbp-noalpha_MipMaps-1", 8, func(d *[16]Texel, s []byte) { DecodeBC1(d, s, true, false) }, 15/21. + 2/3.},
		{"dxt3-argb-8bbp-explicitalpha_MipMaps-1", 16, func(d *[16]Texel, s []byte) { DecodeBC2(d, s, false) }, 15/21. + 2/3.},
		{"dxt5-argb-8bbp-interpolatedalpha_MipMaps-1", 16, func(d *[16]Texel, s []byte) { DecodeBC3(d, s, false) }, 15/21. + 2/3.},
		{"bc4_unorm", 8, func(d *[16]Texel, s []byte) { DecodeBC4(d, s, false) }, 6/7. + 0.001},
		{"bc5_unorm", 16, func(d *[16]Texel, s []byte) { DecodeBC5(d, s, false) }, 6/7. + 0.001},
		{"bc6h", 16, func(d *[16]Texel, s []byte) { DecodeBC6H(d, s, false) }, 1.5},
		{"bc7-argb-8bpp_MipMaps-1", 16, func(d *[16]Texel, s []byte) { DecodeBC7(d, s, false) }, 0.001},
	} {
		t.Run(c.name, func(t *testing.T) { compare(t, filepath.Join(root, c.name), c) })
	}
}

func compare(t *testing.T, path string, c twin) {
	dds, err := os.ReadFile(path + ".dds")
	if err != nil {
		t.Fatal(err)
	}
	pic, err := os.ReadFile(path + ".png")
	if err != nil {
		t.Fatal(err)
	}
	im, err := png.Decode(bytes.NewReader(pic))
	if err != nil {
		t.Fatal(err)
	}
	data := dds[128:]
	if string(dds[84:88]) == "DX10" {
		data = dds[148:]
	}
	height, width := int(binary.LittleEndian.Uint32(dds[12:])), int(binary.LittleEndian.Uint32(dds[16:]))
	if im.Bounds().Dx() != width || im.Bounds().Dy() != height {
		t.Fatal(width, height, im.Bounds())
	}
	worst := 0.0
	var dst [16]Texel
	for y := 0; y < height; y += 4 {
		for x := 0; x < width; x += 4 {
			c.decode(&dst, data)
			data = data[c.block:]
			for k := range dst {
				n := pixel(im, x+k%4, y+k/4)
				for ch, want := range n {
					v := float64(math.Float32frombits(dst[k][ch]))
					d := math.Abs(255*min(max(v, 0), 1) - float64(want))
					if c.block == 8 && ch > 0 && len(dds) < 4096 {
						continue // BC4's twin is grey
					}
					worst = max(worst, d)
				}
			}
		}
	}
	t.Logf("%.3f codes apart at most", worst)
	if worst > c.within {
		t.Errorf("%.3f codes apart, allowed are %g", worst, c.within)
	}
}

func pixel(im image.Image, x, y int) [4]uint8 {
	switch im := im.(type) {
	case *image.NRGBA:
		c := im.NRGBAAt(x, y)
		return [4]uint8{c.R, c.G, c.B, c.A}
	}
	c := color.NRGBAModel.Convert(im.At(x, y)).(color.NRGBA)
	return [4]uint8{c.R, c.G, c.B, c.A}
}

var all = []func(*[16]Texel, []byte){
	func(d *[16]Texel, s []byte) { DecodeBC1(d, s, false, false) }, func(d *[16]Texel, s []byte) { DecodeBC1(d, s, true, true) },
	func(d *[16]Texel, s []byte) { DecodeBC2(d, s, false) }, func(d *[16]Texel, s []byte) { DecodeBC2(d, s, true) },
	func(d *[16]Texel, s []byte) { DecodeBC3(d, s, false) }, func(d *[16]Texel, s []byte) { DecodeBC3(d, s, true) },
	func(d *[16]Texel, s []byte) { DecodeBC4(d, s, false) }, func(d *[16]Texel, s []byte) { DecodeBC4(d, s, true) },
	func(d *[16]Texel, s []byte) { DecodeBC5(d, s, false) }, func(d *[16]Texel, s []byte) { DecodeBC5(d, s, true) },
	func(d *[16]Texel, s []byte) { DecodeBC6H(d, s, false) }, func(d *[16]Texel, s []byte) { DecodeBC6H(d, s, true) },
	func(d *[16]Texel, s []byte) { DecodeBC7(d, s, false) }, func(d *[16]Texel, s []byte) { DecodeBC7(d, s, true) },
}

// FuzzDecode: any block is valid, every texel is written, and nothing but the block decides.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for m := range 32 {
		b := make([]byte, 16)
		binary.LittleEndian.PutUint64(b, r.Uint64()&^31|uint64(m))
		binary.LittleEndian.PutUint64(b[8:], r.Uint64())
		f.Add(b)
	}
	f.Add(make([]byte, 16))
	f.Add(bytes.Repeat([]byte{255}, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 16 {
			return
		}
		for n, decode := range all {
			var x, y [16]Texel
			for k := range x {
				x[k] = Texel{0x7fc12345, 0x7fc12345, 0x7fc12345, 0x7fc12345}
			}
			decode(&x, b)
			decode(&y, b)
			if x != y {
				t.Fatalf("decoder %d: %x depends on what was in dst", n, b)
			}
			for _, texel := range x {
				for _, v := range texel {
					if f := math.Float32frombits(v); f != f || math.Abs(float64(f)) > 1 && n != 10 && n != 11 {
						t.Fatalf("decoder %d: %x gives %g", n, b, f)
					}
				}
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	src := make([]byte, 16*256)
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	for n, name := range []string{"BC1", "BC1_SRGB", "BC2", "BC2_SRGB", "BC3", "BC3_SRGB", "BC4", "BC4_SNORM", "BC5", "BC5_SNORM", "BC6H_UFLOAT", "BC6H_SFLOAT", "BC7", "BC7_SRGB"} {
		b.Run(name, func(b *testing.B) {
			var dst [16]Texel
			start := rules.CPU()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				all[n](&dst, src[i%256*16:])
			}
			b.ReportMetric(float64(16*b.N)/1e6/(rules.CPU()-start).Seconds(), "Mtexels/s")
		})
	}
}

// Codes of BC7 are those of fp's tables.
func TestBC7_Srgb_ColourOnly_IMG248(t *testing.T) {
	rules.Covers(t, "IMG-248", "IMG-807")
	src := block(t, "780d"+"2bb4224d7df77118d89c839feae0")
	src[0] = 0x40
	var linear, srgb [16]Texel
	DecodeBC7(&linear, src, false)
	DecodeBC7(&srgb, src, true)
	for k := range linear {
		c := codes(linear[k])
		for i := range 3 {
			if srgb[k][i] != math.Float32bits(fp.SrgbToLinear(c[i])) {
				t.Fatal(k, i)
			}
		}
		if srgb[k][3] != linear[k][3] {
			t.Fatal(k)
		}
	}
}
