package input_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
)

// texels decodes a picture and writes its texels in hexadecimal, rows with strokes between.
func texels(t *testing.T, data []byte) (string, input.Picture, error) {
	t.Helper()
	p, err := input.Inspect(data)
	if err != nil {
		return "", p, err
	}
	im, err := input.Decode(t.Context(), data, p)
	if err != nil {
		return "", p, err
	}
	straight, ok := input.Straight(im)
	if size(im) != p.Result || ok != p.Straight {
		t.Errorf("%T of %d bytes; %+v was announced", im, size(im), p)
	}
	var rows []string
	for y := range p.Height {
		var row []string
		for x := range p.Width {
			c := color.NRGBAModel.Convert(im.At(x, y)).(color.NRGBA)
			if ok {
				c = straight.NRGBAAt(x, y)
			}
			row = append(row, fmt.Sprintf("%02x%02x%02x%02x", c.R, c.G, c.B, c.A))
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return strings.Join(rows, "|"), p, nil
}

// tgaOf makes a TGA file of 2 × 2 texels.
func tgaOf(kind, bits, descriptor byte, colorMap []byte, mapBits byte, body ...byte) []byte {
	b := make([]byte, 18)
	b[0], b[2], b[12], b[14], b[16], b[17] = 3, kind, 2, 2, bits, descriptor
	if colorMap != nil {
		b[1], b[5], b[7] = 1, byte(len(colorMap)/int((mapBits+7)/8)), mapBits
	}
	b = append(b, "id."...)
	return append(append(b, colorMap...), body...)
}

// Numbers from the tables of Truevision's TGA 2.0 specification.
func TestTGA(t *testing.T) {
	const top, right, alpha8 = 0x20, 0x10, 8
	bgr := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	bgra := []byte{1, 2, 3, 0x80, 4, 5, 6, 0x81, 7, 8, 9, 0x82, 10, 11, 12, 0x83}
	words := func(v ...uint16) (b []byte) {
		for _, v := range v {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
		warn bool
	}{
		{"24 bits, from the bottom", tgaOf(2, 24, 0, nil, 0, bgr...), "090807ff 0c0b0aff|030201ff 060504ff", false},
		{"24 bits, from the top", tgaOf(2, 24, top, nil, 0, bgr...), "030201ff 060504ff|090807ff 0c0b0aff", false},
		{"24 bits, from the right", tgaOf(2, 24, top|right, nil, 0, bgr...), "060504ff 030201ff|0c0b0aff 090807ff", false},
		{"24 bits, from the bottom right", tgaOf(2, 24, right, nil, 0, bgr...), "0c0b0aff 090807ff|060504ff 030201ff", false},
		{"32 bits", tgaOf(2, 32, top|alpha8, nil, 0, bgra...), "03020180 06050481|09080782 0c0b0a83", false},
		{"32 bits, no alpha", tgaOf(2, 32, top, nil, 0, bgra...), "030201ff 060504ff|090807ff 0c0b0aff", true},
		{"16 bits", tgaOf(2, 16, top|1, nil, 0, words(0x8000|31<<10, 31<<5, 0x8000|31, 0)...), "ff0000ff 00ff0000|0000ffff 00000000", false},
		{"16 bits, no alpha", tgaOf(2, 16, top, nil, 0, words(10<<10|20<<5|1, 0, 0, 0)...), "52a508ff 000000ff|000000ff 000000ff", false},
		{"15 bits", tgaOf(2, 15, top, nil, 0, words(31<<10, 0x8000, 0, 0)...), "ff0000ff 000000ff|000000ff 000000ff", false},
		{"grey", tgaOf(3, 8, top, nil, 0, 1, 2, 3, 4), "010101ff 020202ff|030303ff 040404ff", false},
		{"grey and alpha", tgaOf(3, 16, top|alpha8, nil, 0, 1, 9, 2, 8, 3, 7, 4, 6), "01010109 02020208|03030307 04040406", false},
		{"indices, 24 bits", tgaOf(1, 8, top, bgr, 24, 0, 3, 2, 1), "030201ff 0c0b0aff|090807ff 060504ff", false},
		{"indices, 32 bits", tgaOf(1, 8, top, bgra, 32, 0, 3, 2, 1), "03020180 0c0b0a83|09080782 06050481", false},
		{"indices, 16 bits", tgaOf(1, 8, top, words(31<<10, 31), 16, 0, 1, 1, 0), "ff0000ff 0000ffff|0000ffff ff0000ff", false},
		{"indices of 16 bits", tgaOf(1, 16, top, bgr, 24, 0, 0, 3, 0, 2, 0, 1, 0), "030201ff 0c0b0aff|090807ff 060504ff", false},
		{"runs", tgaOf(10, 24, top, nil, 0, 0x81, 1, 2, 3, 1, 4, 5, 6, 7, 8, 9), "030201ff 030201ff|060504ff 090807ff", false},
		{"a run over rows", tgaOf(10, 24, top, nil, 0, 0, 1, 2, 3, 0x82, 4, 5, 6), "030201ff 060504ff|060504ff 060504ff", false},
		{"a run past the end", tgaOf(10, 24, top, nil, 0, 0xFF, 1, 2, 3), "030201ff 030201ff|030201ff 030201ff", false},
		{"grey runs", tgaOf(11, 8, top, nil, 0, 0x82, 7, 0, 9), "070707ff 070707ff|070707ff 090909ff", false},
		{"runs of indices", tgaOf(9, 8, top, bgr, 24, 0x81, 1, 0x81, 3), "060504ff 060504ff|0c0b0aff 0c0b0aff", false},
		{"colours with a map that they do not use", tgaOf(2, 24, top, bgr, 24, bgr...), "030201ff 060504ff|090807ff 0c0b0aff", false},
		{"a footer", append(tgaOf(3, 8, top, nil, 0, 1, 2, 3, 4), "\x00\x00\x00\x00\x00\x00\x00\x00TRUEVISION-XFILE.\x00"...), "010101ff 020202ff|030303ff 040404ff", false},
	} {
		got, p, err := texels(t, c.data)
		if err != nil || got != c.want || p.Kind != "tga" || len(p.Warnings) > 0 != c.warn {
			t.Errorf("%s: %s of %+v, %v; want %s", c.name, got, p, err, c.want)
		}
	}
	first := tgaOf(1, 8, top, bgr, 24, 4, 5, 6, 7)
	first[3] = 4 // the first colour's index
	if got, _, err := texels(t, first); got != "030201ff 060504ff|090807ff 0c0b0aff" {
		t.Errorf("colours from 4 on: %s, %v", got, err)
	}
	for name, data := range map[string][]byte{
		"texels missing":       tgaOf(2, 24, 0, nil, 0, bgr[:11]...),
		"none":                 tgaOf(2, 24, 0, nil, 0),
		"a run cut":            tgaOf(10, 24, 0, nil, 0, 0x83, 1, 2),
		"runs that end":        tgaOf(10, 24, 0, nil, 0, 0x82, 1, 2, 3),
		"a colour outside":     tgaOf(1, 8, 0, bgr, 24, 0, 4, 0, 0),
		"a colour before them": first[:len(first)-4],
		"colours cut":          tgaOf(1, 8, 0, bgr, 24)[:25],
	} {
		if name == "a colour before them" {
			data = append(bytes.Clone(data), 3, 4, 4, 4)
		}
		if got, _, err := texels(t, data); err == nil || errors.Is(err, input.ErrKind) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for name, change := range map[string][2]byte{"kind": {2, 4}, "map": {1, 2}, "width": {12, 0}, "bits": {16, 12}, "interleaving": {17, 0x40}, "alpha": {17, 4}} {
		data := tgaOf(2, 24, 0, nil, 0, bgr...)
		data[change[0]] = change[1]
		if _, err := input.Inspect(data); !errors.Is(err, input.ErrKind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// bmpOf makes a BMP file of 2 × height texels with a header of so many bytes.
func bmpOf(header, height int, bits, compression byte, masks []uint32, colors, body []byte) []byte {
	b := make([]byte, 14+header)
	copy(b, "BM")
	b[14] = byte(header)
	if header == 12 {
		b[18], b[20], b[22], b[24] = 2, byte(height), 1, bits
	} else {
		b[18], b[26], b[28], b[30] = 2, 1, bits, compression
		binary.LittleEndian.PutUint32(b[22:], uint32(int32(height)))
		for i, m := range masks {
			if 54+4*i+4 > len(b) {
				b = append(b, 0, 0, 0, 0)
			}
			binary.LittleEndian.PutUint32(b[54+4*i:], m)
		}
	}
	b = append(b, colors...)
	b[10] = byte(len(b))
	return append(b, body...)
}

// Numbers from Microsoft's page on bitmaps: rows of whole words, from the bottom, blue first.
func TestBMP(t *testing.T) {
	four := []byte{3, 2, 1, 0, 6, 5, 4, 0, 9, 8, 7, 0, 12, 11, 10, 0}
	three := []byte{3, 2, 1, 6, 5, 4, 9, 8, 7}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"24 bits", bmpOf(40, 2, 24, 0, nil, nil, []byte{3, 2, 1, 6, 5, 4, 0, 0, 9, 8, 7, 12, 11, 10, 0, 0}), "070809ff 0a0b0cff|010203ff 040506ff"},
		{"24 bits, from the top", bmpOf(40, -2, 24, 0, nil, nil, []byte{3, 2, 1, 6, 5, 4, 0, 0, 9, 8, 7, 12, 11, 10}), "010203ff 040506ff|070809ff 0a0b0cff"},
		{"24 bits, the oldest header", bmpOf(12, 1, 24, 0, nil, nil, []byte{3, 2, 1, 6, 5, 4, 0, 0}), "010203ff 040506ff"},
		{"32 bits", bmpOf(40, 1, 32, 0, nil, nil, four), "010203ff 040506ff"},
		{"32 bits, alpha", bmpOf(108, 1, 32, 3, []uint32{0xFF0000, 0xFF00, 0xFF, 0xFF000000}, nil, []byte{3, 2, 1, 9, 6, 5, 4, 8}), "01020309 04050608"},
		{"32 bits, alpha without masks", bmpOf(124, 1, 32, 0, []uint32{0, 0, 0, 0xFF000000}, nil, []byte{3, 2, 1, 9, 6, 5, 4, 8}), "01020309 04050608"},
		{"32 bits, other masks", bmpOf(40, 1, 32, 3, []uint32{0xFF, 0xFF00, 0xFF0000, 0}, nil, four), "030201ff 060504ff"},
		{"32 bits, alpha in a short header", bmpOf(40, 1, 32, 6, []uint32{0xFF, 0xFF00, 0xFF0000, 0xFF000000}, nil, []byte{3, 2, 1, 9, 6, 5, 4, 8}), "03020109 06050408"},
		{"16 bits", bmpOf(40, 1, 16, 0, nil, nil, []byte{0, 0x7C, 0x1F, 0x80}), "ff0000ff 0000ffff"},
		{"16 bits, 5, 6 and 5", bmpOf(40, 1, 16, 3, []uint32{0xF800, 0x7E0, 0x1F}, nil, []byte{0, 0xF8, 0xE0, 0x07, 0, 0, 0, 0}), "ff0000ff 00ff00ff"},
		{"8 bits", bmpOf(40, 1, 8, 0, nil, append(four, make([]byte, 252*4)...)[:16], []byte{1, 3, 0, 0}), "040506ff 0a0b0cff"},
		{"4 bits", bmpOf(40, 1, 4, 0, nil, append(bytes.Clone(four), make([]byte, 48)...), []byte{0x13, 0, 0, 0}), "040506ff 0a0b0cff"},
		{"2 bits", bmpOf(40, 1, 2, 0, nil, four, []byte{0x70, 0, 0, 0}), "040506ff 0a0b0cff"},
		{"1 bit, the oldest header", bmpOf(12, 1, 1, 0, nil, three[:6], []byte{0x40, 0, 0, 0}), "010203ff 040506ff"},
		{"RLE8, a run past the end of a row", bmpOf(40, 2, 8, 1, nil, four, []byte{2, 1, 0, 0, 9, 0, 0, 1}), "010203ff 010203ff|040506ff 040506ff"},
		{"RLE4", bmpOf(40, 1, 4, 2, nil, four, []byte{2, 0x13, 0, 1}), "040506ff 0a0b0cff"},
		{"RLE8, a texel left out", bmpOf(40, 1, 8, 1, nil, four, []byte{0, 2, 1, 0, 1, 1, 0, 1}), "00000000 040506ff"},
	} {
		got, p, err := texels(t, c.data)
		if err != nil || got != c.want || p.Kind != "bmp" {
			t.Errorf("%s: %s of %+v, %v; want %s", c.name, got, p, err, c.want)
		}
	}
	absolute := bmpOf(40, 2, 8, 1, nil, four, []byte{0, 3, 2, 1, 0, 0, 0, 0, 2, 3, 0, 1})
	if got, _, err := texels(t, absolute); got != "0a0b0cff 0a0b0cff|070809ff 040506ff" {
		t.Errorf("texels that follow each other: %s, %v", got, err)
	}
	for name, data := range map[string][]byte{
		"nothing":                 []byte("BM"),
		"an unknown header":       bmpOf(12, 1, 24, 0, nil, nil, four)[:16],
		"a header of 13 bytes":    append(append([]byte("BM"), make([]byte, 12)...), append([]byte{13}, make([]byte, 40)...)...),
		"half a header":           bmpOf(40, 1, 24, 0, nil, nil, nil)[:40],
		"3 bits":                  bmpOf(40, 1, 3, 0, nil, nil, four),
		"JPEG in it":              bmpOf(40, 1, 0, 4, nil, nil, four),
		"compression 9":           bmpOf(40, 1, 8, 9, nil, four, four),
		"RLE8 of 4 bits":          bmpOf(40, 1, 4, 1, nil, four, four),
		"a mask in pieces":        bmpOf(40, 1, 32, 3, []uint32{0xF0F, 0, 0}, nil, four),
		"texels missing":          bmpOf(40, 2, 24, 0, nil, nil, make([]byte, 13)),
		"runs missing":            bmpOf(40, 2, 8, 1, nil, four, []byte{2, 1, 0, 0}),
		"a step missing":          bmpOf(40, 2, 8, 1, nil, four, []byte{0, 2, 1}),
		"single texels missing":   bmpOf(40, 2, 8, 1, nil, four, []byte{0, 4, 1, 1}),
		"the least height of all": bmpOf(40, -1<<31, 24, 0, nil, nil, four),
	} {
		if got, _, err := texels(t, data); err == nil || errors.Is(err, input.ErrKind) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

func TestGIF(t *testing.T) {
	frame := func(r image.Rectangle, i uint8) *image.Paletted {
		im := image.NewPaletted(r, palette.WebSafe)
		for k := range im.Pix {
			im.Pix[k] = i + uint8(k)
		}
		return im
	}
	gifOf := func(w, h int, frames ...*image.Paletted) []byte {
		return encode(t, func(out io.Writer) error {
			return gif.EncodeAll(out, &gif.GIF{Image: frames, Delay: make([]int, len(frames)), Config: image.Config{Width: w, Height: h, ColorModel: color.Palette(palette.WebSafe)}})
		})
	}
	// Of the web-safe colours blue counts first, in steps of 0x33.
	for _, c := range []struct {
		name string
		data []byte
		want string
		warn bool
	}{
		{"one frame", gifOf(2, 1, frame(image.Rect(0, 0, 2, 1), 1)), "000033ff 000066ff", false},
		{"two", gifOf(2, 1, frame(image.Rect(0, 0, 2, 1), 1), frame(image.Rect(0, 0, 2, 1), 3)), "000033ff 000066ff", true},
		{"two, with colours of their own", gifOf(2, 1, &image.Paletted{Pix: []byte{1, 0}, Stride: 2, Rect: image.Rect(0, 0, 2, 1), Palette: palette.Plan9[:4]}, frame(image.Rect(0, 0, 2, 1), 3)), "000044ff 000000ff", true},
		{"a part", gifOf(3, 2, frame(image.Rect(1, 1, 3, 2), 1)), "00000000 00000000 00000000|00000000 000033ff 000066ff", false},
	} {
		got, p, err := texels(t, c.data)
		if err != nil || got != c.want || p.Kind != "gif" || len(p.Warnings) > 0 != c.warn {
			t.Errorf("%s: %s of %+v, %v; want %s", c.name, got, p, err, c.want)
		}
	}
	good := gifOf(3, 2, frame(image.Rect(1, 1, 3, 2), 1))
	large := gifOf(600, 500, frame(image.Rect(0, 0, 600, 500), 0))
	part := gifOf(600, 500, frame(image.Rect(50, 50, 600, 500), 0))
	laced := bytes.Clone(large)
	laced[13+3*256+9] |= 0x40
	for name, data := range map[string][]byte{"whole": large, "part": part, "interlaced": laced} {
		p, err := input.Inspect(data)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err = input.Decode(t.Context(), data, p); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if taken, said := int64(after.TotalAlloc-before.TotalAlloc), p.Result+p.Decoding; taken > said {
			t.Errorf("%s: decoding took %d bytes, %d were announced", name, taken, said)
		}
	}
	at := bytes.IndexByte(good[13+3*256:], 0x2C) + 13 + 3*256
	outside := bytes.Clone(good)
	outside[at+1] = 2
	for name, data := range map[string][]byte{"header": good[:12], "no frame": good[:at], "half a frame": good[:at+5], "no texels": good[:at+12], "outside": outside, "only an end": append(bytes.Clone(good[:at]), 0x3B)} {
		if got, _, err := texels(t, data); err == nil || errors.Is(err, input.ErrKind) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// What libjpeg takes: no end, more behind it, bytes before markers, inks without Adobe's word.
func TestJPEG_AsLibjpegTakesIt(t *testing.T) {
	im := image.NewGray(image.Rect(0, 0, 16, 8))
	for i := range im.Pix {
		im.Pix[i] = uint8(i * 2)
	}
	good := encode(t, func(w io.Writer) error { return jpeg.Encode(w, im, nil) })
	want, _, err := texels(t, good)
	if err != nil {
		t.Fatal(err)
	}
	frame := bytes.Index(good, []byte{0xff, 0xc0})
	between := func(b ...byte) []byte { return append(append(bytes.Clone(good[:frame]), b...), good[frame:]...) }
	for name, data := range map[string][]byte{
		"no end": good[:len(good)-2], "half an end": good[:len(good)-1], "more behind it": append(bytes.Clone(good), "garbage\xff\xd8"...),
		"zeros before a marker": between(0, 0, 0), "fill bytes": between(0xff, 0xff), "a comment": between(0xff, 0xfe, 0, 4, 'h', 'i'),
	} {
		if got, _, err := texels(t, data); err != nil || got != want {
			t.Errorf("%s: %v, or other texels", name, err)
		}
	}
	if _, _, err := texels(t, good[:len(good)-8]); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("cut in the texels: %v", err)
	}
	// Of the four inks none: all differences are 0, so that every sample is 128. Adobe's are the other way round.
	inks := bomb.JPEG(8, 8, []byte{0x11, 0x11, 0x11, 0x11})
	adobe := bytes.Index(inks, []byte("Adobe")) - 4
	plain := append(bytes.Clone(inks[:adobe]), inks[adobe+16:]...)
	for name, c := range map[string]struct {
		data []byte
		want byte
	}{"Adobe": {inks, 127}, "without": {plain, 128}} {
		p, err := input.Inspect(c.data)
		if err != nil {
			t.Fatal(err)
		}
		im, err := input.Decode(t.Context(), c.data, p)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := im.(*image.CMYK).CMYKAt(0, 0); got != (color.CMYK{c.want, c.want, c.want, c.want}) {
			t.Errorf("%s: %v, want %d", name, got, c.want)
		}
	}
}

// Pictures without words of their own at their beginning, or with little: what Inspect lets through, Decode ends with the picture that
// was announced, or an error of one line.
func FuzzPictures(f *testing.F) {
	bgr := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	f.Add(tgaOf(2, 24, 0, nil, 0, bgr...))
	f.Add(tgaOf(10, 24, 0, nil, 0, 0x82, 4, 5, 6, 0, 1, 2, 3))
	f.Add(tgaOf(9, 8, 0, bgr, 24, 0x81, 1, 0x81, 3))
	f.Add(bmpOf(40, 2, 24, 0, nil, nil, make([]byte, 16)))
	f.Add(bmpOf(40, 1, 32, 3, []uint32{0xFF, 0xFF00, 0xFF0000, 0}, nil, bgr))
	f.Add(bmpOf(40, 2, 8, 1, nil, bgr, []byte{2, 1, 0, 0, 0, 3, 2, 1, 0, 0, 0, 1}))
	f.Add(encode(f, func(w io.Writer) error { return gif.Encode(w, image.NewGray(image.Rect(0, 0, 3, 2)), nil) }))
	f.Add(bomb.JPEG(8, 8, []byte{0x11, 0x11, 0x11, 0x11}))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := input.Inspect(data)
		if err == nil && (p.Kind == "png" || p.Kind == "webp" || p.Width > 1<<10 || p.Height > 1<<10 || p.Result+p.Decoding > 16<<20) {
			return
		}
		if err == nil {
			var im image.Image
			if im, err = input.Decode(t.Context(), data, p); err == nil {
				if im.Bounds() != image.Rect(0, 0, p.Width, p.Height) || size(im) != p.Result && p.Kind != "jpeg" {
					t.Errorf("%v of %d bytes; %+v was announced", im.Bounds(), size(im), p)
				}
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}

func TestDecode_OldKindsStopWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, data := range map[string][]byte{
		"tga": tgaOf(3, 8, 0, nil, 0, 1, 2, 3, 4), "bmp": bmpOf(40, 1, 24, 0, nil, nil, make([]byte, 8)),
		"runs": bmpOf(40, 1, 8, 1, nil, nil, []byte{2, 1, 0, 1}),
		"gif":  encode(t, func(w io.Writer) error { return gif.Encode(w, image.NewGray(image.Rect(0, 0, 3, 2)), nil) }),
	} {
		p, err := input.Inspect(data)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := input.Decode(ctx, data, p); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
