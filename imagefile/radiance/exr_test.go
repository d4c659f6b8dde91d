package radiance_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/imagefile/radiance"
)

// want is what testdata/make.cpp wrote, with the reference library: x and y are in the data window.
func want(x, y, c int) float32 {
	switch {
	case y < 12:
		return float32((x*7+y*13+c*5)%64) / 8
	case y < 24:
		n := uint32(x)*374761393 + uint32(y)*668265263 + uint32(c)*2246822519
		n = (n ^ n>>13) * 1274126177
		return float32((n^n>>16)%2048) / 16
	case c == 1:
		return 0.25
	default:
		return 0
	}
}

// exrFiles returns the files of testdata.
func exrFiles(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.exr")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func load(t *testing.T, name string, o radiance.Options) *radiance.Image {
	t.Helper()
	img, err := o.Load(context.Background(), "testdata/"+name+".exr")
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// planes are the numbers c of want that are red, green, blue and alpha; -1: opaque.
type planes [4]int

// compareWindow compares a picture of 64 × 64 whose data window of width × height begins at -3, 5.
func compareWindow(t *testing.T, name string, img *radiance.Image, width, height int, p planes) {
	t.Helper()
	if img.Width != 64 || img.Height != 64 || len(img.Alpha) != 64*64 {
		t.Fatalf("%s: %d × %d", name, img.Width, img.Height)
	}
	for i := range img.Alpha {
		x, y := i%64+3, i/64-5
		inside := x < width && y >= 0 && y < height
		for k, c := range p {
			got, wanted := img.Alpha[i], float32(0)
			if k < 3 {
				got = img.Pixels[3*i+k]
			}
			if inside && c < 0 {
				wanted = 1
			} else if inside {
				wanted = want(x, y, c)
			}
			if got != wanted {
				t.Fatalf("%s: pixel %d,%d channel %d is %v, want %v", name, x, y, k, got, wanted)
			}
		}
	}
}

// TestEXR_OfTheReferenceLibrary: every value of every compression that keeps all bits of these, of 16 and 32-bit floats,
// in rows up and down, in tiles of all kinds, and black where nothing is stored.
func TestEXR_OfTheReferenceLibrary(t *testing.T) {
	for _, name := range []string{"none", "rle", "zips", "zip", "piz", "pizfloat", "pxr24", "tiles", "mipmap", "ripmap"} {
		p := planes{0, 1, 2, 3}
		if strings.HasSuffix(name, "map") || name == "tiles" {
			p[3] = -1
		}
		b := budget.New(32<<20, "the test's limit")
		img := load(t, name, radiance.Options{Budget: b, Alpha: true})
		compareWindow(t, name, img, 41, 37, p)
		if len(img.Warnings) != 0 {
			t.Errorf("%s: %q", name, img.Warnings)
		}
		if pixels := int64(64 * 64 * 16); b.Used() != pixels {
			t.Errorf("%s: %d bytes stay charged, want %d", name, b.Used(), pixels)
		}
	}
}

// TestEXR_PartsAndLayers: the first with colours, or that which is named.
func TestEXR_PartsAndLayers(t *testing.T) {
	for _, c := range []struct {
		file, layer   string
		width, height int
		p             planes
		warning       string
	}{
		{"parts", "", 41, 37, planes{0, 1, 2, -1}, ""},
		{"parts", "beauty", 41, 37, planes{0, 1, 2, -1}, ""},
		{"parts", "passes", 20, 12, planes{3, 4, 5, -1}, ""},
		{"parts", "first", 20, 12, planes{3, 4, 5, -1}, ""},
		{"parts", "a_second_one_with_a_name_that_is_longer_than_31_bytes", 20, 12, planes{6, 6, 6, -1}, ""},
		{"layers", "", 41, 24, planes{0, 1, 2, 3}, `layer "diffuse" is read, of "diffuse", "eye"`},
		{"layers", "diffuse", 41, 24, planes{0, 1, 2, 3}, ""},
	} {
		img := load(t, c.file, radiance.Options{Layer: c.layer, Alpha: true})
		compareWindow(t, c.file+" "+c.layer, img, c.width, c.height, c.p)
		if got := strings.Join(img.Warnings, "; "); got != c.warning || len(img.Losses) != 0 {
			t.Errorf("%s %s: %q", c.file, c.layer, got)
		}
	}
	for _, layer := range []string{"depth", "none", strings.Repeat("x\n", 100)} {
		_, err := radiance.Options{Layer: layer}.Load(context.Background(), "testdata/parts.exr")
		if err == nil || !strings.Contains(err.Error(), `there are "depth", "beauty", "passes", "a_second`) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
}

// TestEXR_Channels: which channels are read where there are many.
func TestEXR_Channels(t *testing.T) {
	list := func(names ...string) (l []string) {
		for _, n := range names {
			l = append(l, channel(n, 1, 0))
		}
		return l
	}
	values := halfWords(0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880)
	name := attribute("name", "string", "b")
	for _, c := range []struct {
		channels []string
		more     []string
		want     [3]float32
		warnings int
	}{
		{list("A", "B", "G", "R"), nil, [3]float32{4, 3, 2}, 0},
		{list("B", "G", "R", "R"), nil, [3]float32{3, 2, 1}, 0}, // no name stands twice
		{list("B", "G", "R", "Y"), nil, [3]float32{3, 2, 1}, 0},
		{list("G", "Y"), nil, [3]float32{2, 2, 2}, 0},
		{list("Y", "a.B", "a.G", "a.R"), nil, [3]float32{1, 1, 1}, 0},
		{list("G", "a.B", "a.G", "a.R"), nil, [3]float32{4, 3, 2}, 1}, // one of three colours is none
		{list("a.Y", "b.B", "b.G", "b.R"), nil, [3]float32{4, 3, 2}, 1},
		{list("a.B", "a.G", "a.R", "b.B", "b.G", "b.R"), nil, [3]float32{3, 2, 1}, 1},
		{list("a.B", "a.G", "a.R", "b.B", "b.G", "b.R"), []string{name}, [3]float32{6, 5, 4}, 0}, // the part's own
		{list("N.X", "N.Y", "a.b.B", "a.b.G", "a.b.R"), nil, [3]float32{5, 4, 3}, 0},
		{list("G"), nil, [3]float32{0, 1, 0}, 2},
		{list("B", "G", "R"), []string{attribute("dataWindow", "box2i", words(0, 0, 9, 9))}, [3]float32{3, 2, 1}, 0}, // the first counts
	} {
		h := handMade{attributes: append(header(0, 1, 1, c.channels...), c.more...), chunks: []string{block(0, values[:2*len(c.channels)])}}
		img, err := read(h.bytes(), nil)
		if err != nil {
			t.Errorf("%q: %v", c.channels, err)
			continue
		}
		if got := [3]float32(img.Pixels); got != c.want || len(img.Warnings) != c.warnings {
			t.Errorf("%q: %v, %q, want %v", c.channels, got, img.Warnings, c.want)
		}
	}
}

// TestEXR_DeepBesideOthers: a part that is not deep is read, and found where the tables of offsets were never written.
func TestEXR_DeepBesideOthers(t *testing.T) {
	parts := make([][]string, 2)
	for i, kind := range []string{"deepscanline", "scanlineimage"} {
		parts[i] = append(header(0, 1, 1, channel("Y", 1, 0)), attribute("name", "string", kind), attribute("type", "string", kind), attribute("chunkCount", "int", words(1)))
	}
	deep := words(0, 0, 4, 0, 2, 0, 2, 0) + "\x01\x00\x00\x00" + halfWords(0x4000) // part, y, sizes, a count and a sample
	flat := words(1) + block(0, halfWords(0x3c00))
	head := words(20000630, 0x1802) + strings.Join(parts[0], "") + "\x00" + strings.Join(parts[1], "") + "\x00\x00"
	for _, table := range []string{words(uint32(len(head)+16), 0, uint32(len(head)+16+len(deep)), 0), strings.Repeat("\x00", 16)} {
		img, err := read([]byte(head+table+deep+flat), nil)
		if err != nil || img.Pixels[0] != 1 {
			t.Errorf("%v, %v", img, err)
		}
	}
	if _, err := (radiance.Options{Layer: "deepscanline"}).Read(context.Background(), strings.NewReader(head), "light"); err == nil || !strings.Contains(err.Error(), `there are "scanlineimage"`) {
		t.Errorf("%v", err)
	}
}

// TestEXR_ManyWords: PIZ transforms more than 16384 different words in another way; grey is all colours.
func TestEXR_ManyWords(t *testing.T) {
	img := load(t, "ramp", radiance.Options{})
	for i := range 992 * 32 {
		code := uint32(i % 31744) // a 16-bit float: 5 bits exponent, 10 mantissa
		want := float32(math.Ldexp(float64(code&1023|1024), int(code>>10)-25))
		if code < 1024 {
			want = float32(math.Ldexp(float64(code), -24))
		}
		if got := [3]float32(img.Pixels[3*i:]); got != [3]float32{want, want, want} {
			t.Fatalf("pixel %d is %v, want %v", i, got, want)
		}
	}
}

// TestEXR_Integers: UINT is numbers, and PXR24 rounds floats, not integers, to 24 bits.
func TestEXR_Integers(t *testing.T) {
	img := load(t, "uint", radiance.Options{})
	for y := range 37 {
		for x := 3; x < 41; x++ {
			third := math.Float32bits(want(x, y, 2) * float32(1.0/3))
			wanted := [3]float32{want(x, y, 0) * 8, want(x, y, 1) * (1 << 21), math.Float32frombits((third + third&0x80) &^ 0xff)}
			for c := range 2 { // half numbers were cut off
				wanted[c] = float32(uint32(wanted[c]))
			}
			if got := [3]float32(img.Pixels[3*((y+5)*64+x-3):]); got != wanted {
				t.Fatalf("pixel %d,%d is %v, want %v", x, y, got, wanted)
			}
		}
	}
}

// A file made by hand: attributes, and chunks with their headers.
type handMade struct {
	flags      uint32
	attributes []string // name, type and value
	chunks     []string
	noTable    bool // offsets are zeros
}

func attribute(name, kind, value string) string {
	return name + "\x00" + kind + "\x00" + words(uint32(len(value))) + value
}

func words(v ...uint32) string {
	var b []byte
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(b)
}

func halfWords(v ...uint16) string {
	var b []byte
	for _, w := range v {
		b = binary.LittleEndian.AppendUint16(b, w)
	}
	return string(b)
}

// channel is an entry of a list of channels.
func channel(name string, kind uint32, linear byte, sampling ...uint32) string {
	if sampling == nil {
		sampling = []uint32{1, 1}
	}
	return name + "\x00" + words(kind) + string(linear) + "\x00\x00\x00" + words(sampling...)
}

// header returns the attributes of a picture.
func header(compression byte, width, height uint32, channels ...string) []string {
	window := words(0, 0, width-1, height-1)
	return []string{
		attribute("channels", "chlist", strings.Join(channels, "")+"\x00"), attribute("compression", "compression", string(compression)),
		attribute("dataWindow", "box2i", window), attribute("displayWindow", "box2i", window),
	}
}

// block is a chunk of scan lines.
func block(y uint32, data string) string { return words(y, uint32(len(data))) + data }

func (h handMade) bytes() []byte {
	file := words(20000630, 2|h.flags) + strings.Join(h.attributes, "") + "\x00"
	at := len(file) + 8*len(h.chunks)
	for _, c := range h.chunks {
		if h.noTable {
			file += words(0, 0)
		} else {
			file += words(uint32(at), 0)
		}
		at += len(c)
	}
	return []byte(file + strings.Join(h.chunks, ""))
}

// TestEXR_Halves: 16-bit floats are what IEEE 754 says, and what is no light is black or finite.
func TestEXR_Halves(t *testing.T) {
	for code, want := range map[uint16]float32{
		0x3c00: 1, 0x3555: 0.333251953125, 0x0001: 1.0 / (1 << 24), 0x03ff: 1023.0 / (1 << 24), 0x7bff: 65504,
		0x7c00: 65504, 0xfc00: 0, 0x7e00: 0, 0xbc00: 0, 0x8000: 0,
	} {
		img, err := read(handMade{attributes: header(0, 1, 1, channel("Y", 1, 0)), chunks: []string{block(0, halfWords(code))}}.bytes(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if img.Pixels[0] != want {
			t.Errorf("%#04x is %v, want %v", code, img.Pixels[0], want)
		}
	}
}

// TestEXR_B44Blocks: blocks that are written by hand: a first sample, a shift, and differences less 32.
func TestEXR_B44Blocks(t *testing.T) {
	// Codes of 16-bit floats have the sign turned: 0xbc00 is 1. With shift 10 a difference of 1 is 1024: a power of 2.
	bits := func(first uint16, shift int, differences ...int) string {
		s := fmt.Sprintf("%016b%06b", first, shift)
		for _, d := range differences {
			s += fmt.Sprintf("%06b", d+32)
		}
		var out []byte
		for len(s) > 0 {
			var b byte
			for _, c := range s[:8] {
				b = b<<1 | byte(c-'0')
			}
			out = append(out, b)
			s = s[8:]
		}
		return string(out)
	}
	plain := header(6, 4, 4, channel("Y", 1, 0))
	eye := header(7, 4, 4, channel("Y", 1, 1))
	for name, c := range map[string]struct {
		head []string
		data string
		want [16]float32 // row by row
	}{
		"differences": {plain, bits(0xbc00, 10, 1, 1, -2, 1, 0, 0, 0, -1, 0, 0, 0, 2, -3, 0, 0),
			[16]float32{1, 2, 1, 4, 2, 2, 2, 0.25, 4, 4, 4, 4, 1, 1, 1, 1}},
		"fine": {plain, bits(0xbc00, 0, 31, -32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
			[16]float32{1, 1, 1, 1, 1 + 31./1024, 1 + 31./1024, 1 + 31./1024, 1 + 31./1024, 1 - 1./2048, 1 - 1./2048, 1 - 1./2048, 1 - 1./2048, 1 - 1./2048, 1 - 1./2048, 1 - 1./2048, 1 - 1./2048}},
		"flat": {plain, "\xc0\x00\x34", [16]float32{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
		// 8 ln 1, 8 ln 2 = 5.545 to 11 bits, 8 ln 0.5 is black.
		"to the eye": {eye, bits(0xbc00, 10, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
			[16]float32{0, 0, 0, 0, 5.546875, 5.546875, 5.546875, 5.546875, 5.546875, 5.546875, 5.546875, 5.546875, 5.546875, 5.546875, 5.546875, 5.546875}},
	} {
		img, err := read(handMade{attributes: c.head, chunks: []string{block(0, c.data)}}.bytes(), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, w := range c.want {
			if img.Pixels[3*i] != w {
				t.Errorf("%s: sample %d is %v, want %v", name, i, img.Pixels[3*i], w)
			}
		}
	}
}

// TestEXR_Chroma: luminance that is a ramp, with chroma 0.5 and -0.5, becomes 1.5 and 0.5 of it in red and blue, and in
// green what is left of luminance by Rec. 709, as 16-bit floats.
func TestEXR_Chroma(t *testing.T) {
	// Luminance of red, green and blue for D65, from the chromaticities, to seven digits.
	const wr, wg, wb = 0.2126390, 0.7151687, 0.0721923
	for _, name := range []string{"chroma", "chroma-piz", "chroma-pxr24"} {
		img := load(t, name, radiance.Options{Alpha: true})
		if img.Width != 34 || img.Height != 36 || len(img.Warnings) != 0 {
			t.Fatalf("%s: %d × %d, %q", name, img.Width, img.Height, img.Warnings)
		}
		for i := range img.Alpha {
			y := float32(i%34+i/34*2) / 8
			compareChroma(t, fmt.Sprintf("%s: pixel %d,%d", name, i%34, i/34), img.Pixels[3*i:], 1.5*y, (y-wr*1.5*y-wb*0.5*y)/wg, 0.5*y)
			if img.Alpha[i] != 1 {
				t.Fatalf("alpha is %v", img.Alpha[i])
			}
		}
	}
	// By hand: a data window of 6 × 4 from -2, 2 on, of which a display window of 3 × 5 from 1, -1 on shows the right
	// half; alpha is 0.25. And chroma of every pixel.
	window := func(sampling uint32) []string {
		head := header(0, 6, 4, channel("A", 1, 0), channel("BY", 1, 0, sampling, sampling), channel("RY", 1, 0, sampling, sampling), channel("Y", 1, 0))
		head[2] = attribute("dataWindow", "box2i", words(0xfffffffe, 2, 3, 5))
		head[3] = attribute("displayWindow", "box2i", words(1, 0xffffffff, 3, 3))
		return head
	}
	repeat := func(n int, v uint16) string { return strings.Repeat(halfWords(v), n) }
	half := handMade{attributes: window(2)}
	full := handMade{attributes: window(1)}
	for y := range uint32(4) {
		luma := halfWords(0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x4000, 0x4400)
		odd := repeat(6, 0x3400) + luma
		even := repeat(6, 0x3400) + repeat(3, 0xb800) + repeat(3, 0x3800) + luma
		if y%2 == 1 {
			even = odd
		}
		half.chunks = append(half.chunks, block(2+y, even))
		full.chunks = append(full.chunks, block(2+y, repeat(6, 0x3400)+repeat(6, 0xb800)+repeat(6, 0x3800)+luma))
	}
	for name, h := range map[string]handMade{"half": half, "full": full} {
		img, err := radiance.Options{Alpha: true}.Read(context.Background(), bytes.NewReader(h.bytes()), "light")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 * 5 {
			y, alpha := []float32{1, 2, 4}[i%3], float32(0.25)
			if i < 9 { // above the data window
				y, alpha = 0, 0
			}
			compareChroma(t, fmt.Sprintf("%s: pixel %d", name, i), img.Pixels[3*i:], 1.5*y, (y-wr*1.5*y-wb*0.5*y)/wg, 0.5*y)
			if img.Alpha[i] != alpha {
				t.Errorf("alpha of %d is %v", i, img.Alpha[i])
			}
		}
	}
}

// TestEXR_ChromaOfGrey: where there is none, colours are the luminance, to the bit.
func TestEXR_ChromaOfGrey(t *testing.T) {
	h := handMade{attributes: header(0, 100, 1, channel("BY", 1, 0), channel("RY", 1, 0), channel("Y", 2, 0))}
	var luma []uint32
	for i := range uint32(100) {
		luma = append(luma, 0x3f123456+i*12345)
	}
	h.chunks = []string{block(0, strings.Repeat("\x00", 400)+words(luma...))}
	img, err := read(h.bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range luma {
		if w := math.Float32frombits(v); [3]float32(img.Pixels[3*i:]) != [3]float32{w, w, w} {
			t.Fatalf("pixel %d is %v, want %v", i, img.Pixels[3*i:3*i+3], w)
		}
	}
}

// compareChroma compares red and blue, which are exact, and green, which is rounded to a 16-bit float.
func compareChroma(t *testing.T, name string, got []float32, r, g, b float32) {
	t.Helper()
	const unit = 1.0/(1<<11) + 1e-6 // of rounding, and of the weights
	if got[0] != r || got[2] != b || math.Abs(float64(got[1]-g)) > float64(unit*g) {
		t.Fatalf("%s: %v, want %v, %v, %v", name, got[:3], r, g, b)
	}
}

// TestEXR_ChromaAsTheLibraryReadsIt: files whose names end in -rgb are what it made of the others. Its weights of luminance are
// off by its sums in 32-bit floats, which changes some colours by one step of a 16-bit float.
func TestEXR_ChromaAsTheLibraryReadsIt(t *testing.T) {
	for _, name := range []string{"colors", "chroma-b44", "chroma-dwaa"} {
		got, wanted := load(t, name, radiance.Options{}), load(t, name+"-rgb", radiance.Options{})
		if len(got.Pixels) != len(wanted.Pixels) {
			t.Fatalf("%s: %d × %d", name, got.Width, got.Height)
		}
		other := 0
		for i, w := range wanted.Pixels {
			g := got.Pixels[i]
			if g == w {
				continue
			}
			other++
			if step := float32(1.0/(1<<10)) * max(g, w); max(g, w)-min(g, w) > step {
				t.Fatalf("%s: pixel %d channel %d is %v, want %v", name, i/3, i%3, g, w)
			}
		}
		if other > len(wanted.Pixels)/1000 {
			t.Errorf("%s: %d of %d values differ", name, other, len(wanted.Pixels))
		}
	}
}

// TestEXR_Saturation: a pixel that is far more saturated than those at its corners loses saturation, not luminance.
func TestEXR_Saturation(t *testing.T) {
	// Chroma is 0 but for one sample of BY, 12: red 1, blue 13, green (1 - 0.2126 - 13 · 0.0722) / 0.7152 = -0.211, of saturation
	// 1 + 0.211/13 = 1.0163. The weight of next samples is 0.6271, so that pixels at its corners have 12 · 0.6271² = 4.719,
	// which is blue 5.719, green 0.524, and saturation 0.9084. The most is then 1 - 0.25 · (1 - 0.9084) = 0.9771, which
	// brings the colour nearer to its blue by 0.9771 / 1.0163: to 1.463, 0.300, 13, and luminance from 1.464 back to 1.
	// Where all is so saturated, the most is 1: the colour comes nearer to its blue by 1 / 1.0163, to 1.193, 0, 13, and
	// luminance from 1.192 back to 1.
	for name, c := range map[string]struct {
		all  bool
		want [3]float64 // to three digits
	}{"one": {false, [3]float64{0.999, 0.204, 8.88}}, "all": {true, [3]float64{1.000, 0, 10.9}}} {
		h := handMade{attributes: header(0, 16, 16, channel("BY", 1, 0, 2, 2), channel("RY", 1, 0, 2, 2), channel("Y", 1, 0))}
		for y := range uint32(16) {
			row := strings.Repeat(halfWords(0x3c00), 16)
			if y%2 == 0 {
				by := make([]uint16, 16) // and RY
				for x := range 8 {
					if c.all || y == 8 && x == 4 {
						by[x] = 0x4a00 // 12
					}
				}
				row = halfWords(by...) + row
			}
			h.chunks = append(h.chunks, block(y, row))
		}
		img, err := read(h.bytes(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range c.want {
			if got := float64(img.Pixels[3*(8*16+8)+i]); math.Abs(got-w) > 0.005*max(w, 0.1) {
				t.Errorf("%s: channel %d is %v, want %v", name, i, got, w)
			}
		}
	}
}

// TestEXR_Windows: windows beside each other have no pixel in common, which is told.
func TestEXR_Windows(t *testing.T) {
	for _, display := range []string{words(1, 0, 1, 1), words(0, 0xffffffff, 1, 0xffffffff), words(0x7ffffffe, 0x7ffffffe, 0x7fffffff, 0x7fffffff), words(0x80000000, 0, 0x80000001, 0)} {
		head := header(0, 1, 1, channel("Y", 1, 0))
		head[3] = attribute("displayWindow", "box2i", display)
		img, err := radiance.Options{Alpha: true}.Read(context.Background(), bytes.NewReader(handMade{attributes: head, chunks: []string{block(0, halfWords(0x3c00))}}.bytes()), "light")
		if err != nil || len(img.Losses) != 1 || !strings.Contains(img.Losses[0], "beside") || slices.Max(img.Pixels) != 0 || slices.Max(img.Alpha) != 0 {
			t.Errorf("%x: %v, %v", display, img, err)
		}
	}
}

// TestEXR_Primaries: colours of ACES become those of Rec. 709 by the matrix that is published for that (Bradford).
func TestEXR_Primaries(t *testing.T) {
	m := [3][3]float64{
		{2.5216861867, -1.1341309882, -0.3875551985}, {-0.2764799142, 1.3727190877, -0.0962391734}, {-0.0153780650, -0.1529753359, 1.1683534008},
	}
	img := load(t, "aces", radiance.Options{})
	if img.Width != 8 || img.Height != 48 || !img.Cube { // of an environment all that is stored
		t.Fatalf("%d × %d, cube %t", img.Width, img.Height, img.Cube)
	}
	if len(img.Warnings) != 1 || len(img.Losses) != 0 || !strings.Contains(img.Warnings[0], "primaries") {
		t.Errorf("%q", img.Warnings)
	}
	for i := range 8 * 48 {
		for c := range 3 {
			w := 0.0
			for k := range 3 {
				w += m[c][k] * float64(want(i%8, i/8, k))
			}
			w = max(w, 0)
			if got := float64(img.Pixels[3*i+c]); math.Abs(got-w) > 1e-4*max(w, 1) { // of the matrix, to seven digits of 128
				t.Fatalf("pixel %d channel %d is %v, want %v", i, c, got, w)
			}
		}
	}
	// Those of Rec. 709, to three digits, are no others.
	floats := func(v ...float32) string {
		var s string
		for _, f := range v {
			s += words(math.Float32bits(f))
		}
		return s
	}
	same := floats(0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.313, 0.329)
	other := floats(0.641) + same[4:]
	none := strings.Repeat("\x00", 32)
	if img := withPrimaries(t, other); len(img.Warnings) != 1 || img.Pixels[0] == 3 || math.Abs(float64(img.Pixels[0])-3) > 0.02 {
		t.Errorf("a primary that is a little off: %v, %q", img.Pixels, img.Warnings)
	}
	for _, c := range []struct {
		value, warning string
		losses         int
	}{{same, "", 0}, {none, "are no colours", 1}, {strings.Repeat("\xff", 32), "are no colours", 1},
		{floats(0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.7, 0.29), "are no colours", 1},                // white outside
		{floats(0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0), "are no colours", 1},                // white of no luminance
		{floats(0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.35, 0.15), "are no colours", 1},               // and not far from it
		{floats(1, 0, 0, 1, 0, 0, 0.9, 0.05), "are no colours", 1},                                // white that no eye adapts to
		{floats(3e38, 3e38, -3e38, 3e38, 3e38, -3e38, 0.3, 0.3), "are no colours", 1},             // infinite
		{floats(0.3127, 0.329, 0.3127, 0.329, 0.3127, 0.329, 0.3127, 0.329), "are no colours", 1}, // all the same
	} {
		img := withPrimaries(t, c.value)
		if got := [3]float32(img.Pixels); got != [3]float32{3, 2, 1} || len(img.Losses) != c.losses || !strings.Contains(strings.Join(img.Warnings, ""), c.warning) || (c.warning == "") != (len(img.Warnings) == 0) {
			t.Errorf("%v, %q", got, img.Warnings)
		}
	}
}

// withPrimaries reads a pixel of 3, 2, 1 with an attribute.
func withPrimaries(t *testing.T, value string) *radiance.Image {
	t.Helper()
	head := append(header(0, 1, 1, channel("B", 1, 0), channel("G", 1, 0), channel("R", 1, 0)), attribute("chromaticities", "chromaticities", value))
	img, err := read(handMade{attributes: head, chunks: []string{block(0, halfWords(0x3c00, 0x4000, 0x4200))}}.bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestEXR_BrokenTables: offsets that were never written are found again; blocks that are missing are an error.
func TestEXR_BrokenTables(t *testing.T) {
	for name, data := range exrFiles(t) {
		if name == "deep.exr" {
			continue
		}
		whole, err := read(data, nil)
		if err != nil {
			t.Fatal(err)
		}
		table := tableOf(t, data)
		lost := bytes.Clone(data)
		clear(lost[table : table+8])
		img, err := read(lost, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(img.Pixels, whole.Pixels) || !strings.Contains(strings.Join(img.Warnings, ""), "table of blocks is not complete") {
			t.Errorf("%s: other pixels, or %q", name, img.Warnings)
		}
	}
	// Levels of a tall picture, 3 × 9: 3 × 9, 1 × 4, 1 × 2 and 1 × 1 pixels in tiles of 2 × 2 are 2 · 5 + 2 + 1 + 1.
	tall := handMade{flags: 0x200, noTable: true, attributes: append(header(0, 3, 9, channel("Y", 1, 0)), attribute("tiles", "tiledesc", words(2, 2)+"\x01"))}
	for _, level := range []struct{ l, w, h uint32 }{{0, 3, 9}, {1, 1, 4}, {2, 1, 2}, {3, 1, 1}} {
		for y := uint32(0); y < level.h; y += 2 {
			for x := uint32(0); x < level.w; x += 2 {
				n := min(2, level.w-x) * min(2, level.h-y)
				tall.chunks = append(tall.chunks, words(x/2, y/2, level.l, level.l, 2*n)+strings.Repeat(halfWords(uint16(0x3c00+level.l)), int(n)))
			}
		}
	}
	if len(tall.chunks) != 14 {
		t.Fatalf("%d tiles", len(tall.chunks))
	}
	if img, err := read(tall.bytes(), nil); err != nil || slices.Min(img.Pixels) != 1 || slices.Max(img.Pixels) != 1 {
		t.Errorf("%v, %v", img, err)
	}
	// Any end that is missing is missed; a table of zeros does not hide it.
	data := exrFiles(t)["zip.exr"]
	for _, zeros := range []bool{false, true} {
		for n := len(data) - 1; n > len(data)-4000; n -= 97 {
			cut := bytes.Clone(data[:n])
			if zeros {
				table := tableOf(t, data)
				clear(cut[table : table+24])
			}
			if _, err := read(cut, nil); err == nil || !strings.Contains(err.Error(), "blocks of an OpenEXR picture of 41 × 37 pixels are missing") {
				t.Fatalf("without %d bytes: %v", len(data)-n, err)
			}
		}
	}
}

// tableOf returns where the offsets of a file begin: those of the part that is read first.
func tableOf(t *testing.T, data []byte) int {
	t.Helper()
	at := 8
	for data[at] != 0 {
		for data[at] != 0 {
			for range 2 { // name and type
				at += bytes.IndexByte(data[at:], 0) + 1
			}
			at += 4 + int(binary.LittleEndian.Uint32(data[at:]))
		}
		at++
		if data[5]&0x10 == 0 {
			return at
		}
	}
	return at + 1 + 8 // the part of depth has one block
}
