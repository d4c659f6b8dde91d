package input_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
)

// chunk makes a chunk of a PNG file; wrong spoils its checksum.
func chunk(name string, wrong bool, body ...byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, name...), body...)
	sum := crc32.ChecksumIEEE(b[4:])
	if wrong {
		sum ^= 1
	}
	return binary.BigEndian.AppendUint32(b, sum)
}

func pngOf(chunks ...[]byte) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n"), bytes.Join(chunks, nil)...)
}

// ihdr is the header of a picture of 2 × 1 texels.
func ihdr(depth, kind byte) []byte {
	return chunk("IHDR", false, 0, 0, 0, 2, 0, 0, 0, 1, depth, kind, 0, 0, 0)
}

func zlibbed(rows ...byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(rows)
	w.Close()
	return b.Bytes()
}

// What libpng takes: ancillary chunks that are damaged or unknown, a tRNS that counts for nothing, palettes where none belong, bytes
// behind the rows, compressed or not, a file without end. Critical chunks are to be right.
func TestPNG_AsLibpngTakesIt(t *testing.T) {
	red := []byte{0, 255, 0, 0, 0, 0, 255} // red and blue
	rows := zlibbed(red...)
	rgb, end := ihdr(8, 2), chunk("IEND", false)
	idat := chunk("IDAT", false, rows...)
	pal := ihdr(8, 3)
	plte := chunk("PLTE", false, 255, 0, 0, 0, 0, 255)
	index := chunk("IDAT", false, zlibbed(0, 0, 1)...)
	badSum := bytes.Clone(rows)
	badSum[len(badSum)-1] ^= 1
	const rb = "ff0000ff 0000ffff"
	for _, c := range []struct {
		name string
		data []byte
		want string // texels, or what the error says
		warn string
	}{
		{"as it should be", pngOf(rgb, idat, end), rb, ""},
		{"tEXt damaged", pngOf(rgb, chunk("tEXt", true, []byte("a\x00b")...), idat, end), rb, "not used: tEXt"},
		{"iCCP damaged, and tIME behind", pngOf(rgb, chunk("iCCP", true, 1, 2), idat, chunk("tIME", true, 1), end), rb, "not used: iCCP, tIME"},
		{"iCCP that is no profile", pngOf(rgb, chunk("iCCP", false, 1, 2), idat, end), rb, ""},
		{"unknown", pngOf(rgb, chunk("quUx", false, 1, 2), idat, end), rb, ""},
		{"gAMA behind the rows", pngOf(rgb, idat, chunk("gAMA", false, 0, 0, 0, 1), end), rb, ""},
		{"bytes behind the stream", pngOf(rgb, chunk("IDAT", false, append(bytes.Clone(rows), 1, 2, 3)...), end), rb, ""},
		{"another chunk of them", pngOf(rgb, idat, chunk("IDAT", false, 1, 2, 3), end), rb, ""},
		{"rows too many", pngOf(rgb, chunk("IDAT", false, zlibbed(append(bytes.Clone(red), 0, 1, 2, 3, 4, 5, 6)...)...), end), rb, ""},
		{"sum of the stream wrong", pngOf(rgb, chunk("IDAT", false, badSum...), end), rb, ""},
		{"sum of the stream missing", pngOf(rgb, chunk("IDAT", false, rows[:len(rows)-4]...), end), rb, ""},
		{"in pieces, some of them empty", pngOf(rgb, chunk("IDAT", false), chunk("IDAT", false, rows[:1]...), chunk("IDAT", false, rows[1:5]...), chunk("IDAT", false), chunk("IDAT", false, rows[5:]...), end), rb, ""},
		{"no end", pngOf(rgb, idat), rb, "no IEND"},
		{"half an end", pngOf(rgb, idat, end[:5]), rb, "no IEND"},
		{"zeros for an end", pngOf(rgb, idat, make([]byte, 40)), rb, "no IEND"},
		{"more behind the end", pngOf(rgb, idat, end, []byte("PK\x03\x04")), rb, ""},
		{"a palette of colours", pngOf(rgb, chunk("PLTE", false, 1, 2, 3), idat, end), rb, ""},
		{"a palette of colours that is none", pngOf(rgb, chunk("PLTE", false, 1, 2), idat, end), rb, ""},
		{"a palette of grey", pngOf(ihdr(8, 0), chunk("PLTE", false, 1, 2, 3), chunk("IDAT", false, zlibbed(0, 9, 8)...), end), "090909ff 080808ff", ""},
		{"frames (APNG)", pngOf(rgb, chunk("acTL", false, 0, 0, 0, 2, 0, 0, 0, 0), chunk("fcTL", false, make([]byte, 26)...), idat,
			chunk("fcTL", false, make([]byte, 26)...), chunk("fdAT", false, append([]byte{0, 0, 0, 2}, rows...)...), end), rb, ""},

		{"transparent", pngOf(rgb, chunk("tRNS", false, 0, 0, 0, 0, 0, 255), idat, end), "ff0000ff 0000ff00", ""},
		{"tRNS damaged", pngOf(rgb, chunk("tRNS", true, 0, 0, 0, 0, 0, 255), idat, end), rb, "not used: tRNS"},
		{"tRNS too short", pngOf(rgb, chunk("tRNS", false, 0, 0), idat, end), rb, "tRNS is out of place"},
		{"tRNS behind the rows", pngOf(rgb, idat, chunk("tRNS", false, 0, 0, 0, 0, 0, 255), end), rb, "tRNS is out of place"},
		{"two tRNS", pngOf(rgb, chunk("tRNS", false, 0, 0, 0, 0, 0, 255), chunk("tRNS", false, 0, 255, 0, 0, 0, 0), idat, end), "ff0000ff 0000ff00", "tRNS is out of place"},
		{"tRNS beside alpha", pngOf(ihdr(8, 4), chunk("tRNS", false, 0, 9), chunk("IDAT", false, zlibbed(0, 9, 7, 8, 6)...), end), "09090907 08080806", "tRNS is out of place"},
		{"palette", pngOf(pal, plte, index, end), rb, ""},
		{"palette, transparent", pngOf(pal, plte, chunk("tRNS", false, 9), index, end), "ff000009 0000ffff", ""},
		{"tRNS before the palette", pngOf(pal, chunk("tRNS", false, 9), plte, index, end), rb, "tRNS is out of place"},
		{"tRNS longer than the palette", pngOf(pal, plte, chunk("tRNS", false, 9, 9, 9), index, end), rb, "tRNS is out of place"},
		{"more colours than indices", pngOf(ihdr(1, 3), chunk("PLTE", false, 255, 0, 0, 0, 0, 255, 1, 1, 1), chunk("IDAT", false, zlibbed(0, 0x40)...), end), rb, ""},

		{"header damaged", pngOf(chunk("IHDR", true, ihdr(8, 2)[8:21]...), idat, end), "invalid checksum of IHDR", ""},
		{"palette damaged", pngOf(pal, chunk("PLTE", true, 255, 0, 0, 0, 0, 255), index, end), "invalid checksum of PLTE", ""},
		{"rows damaged", pngOf(rgb, chunk("IDAT", true, rows...), end), "invalid checksum of IDAT", ""},
		{"rows damaged behind the picture", pngOf(rgb, idat, chunk("IDAT", true, 1), end), "invalid checksum of IDAT", ""},
		{"end damaged", pngOf(rgb, idat, chunk("IEND", true)), "invalid checksum of IEND", ""},
		{"an unknown critical one", pngOf(rgb, chunk("QUUX", false), idat, end), "critical chunk QUUX", ""},
		{"Apple's", pngOf(chunk("CgBI", false, 0x50, 0, 0x20, 2), rgb, idat, end), "Apple's own kind", ""},
		{"no header", pngOf(idat, end), "out of order", ""},
		{"two headers", pngOf(rgb, rgb, idat, end), "out of order", ""},
		{"no palette", pngOf(pal, index, end), "out of order", ""},
		{"two palettes", pngOf(pal, plte, plte, index, end), "out of order", ""},
		{"no rows", pngOf(rgb, end), "out of order", ""},
		{"rows that end", pngOf(rgb, chunk("IDAT", false, zlibbed(red[:4]...)...), end), "not enough pixel data", ""},
		{"stream that ends", pngOf(rgb, chunk("IDAT", false, rows[:5]...), end), "not enough pixel data", ""},
		{"no stream", pngOf(rgb, chunk("IDAT", false), end), "EOF", ""},
		{"cut in the rows", pngOf(rgb, idat[:15]), "unexpected EOF", ""},
		{"cut in the header", pngOf(rgb[:20]), "unexpected EOF", ""},
		{"a dictionary", pngOf(rgb, chunk("IDAT", false, append([]byte{0x78, 0xbb}, rows[2:]...)...), end), "dictionary", ""},
		{"a chunk of 4 GB", pngOf(rgb, []byte("\xff\xff\xff\xfftEXt1234")), "unexpected EOF", ""},
	} {
		p, err := input.Inspect(c.data)
		var im image.Image
		if err == nil {
			im, err = input.Decode(t.Context(), c.data, p)
		}
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.want)
			}
			continue
		}
		var texels []string
		for x := range 2 {
			v := color.NRGBAModel.Convert(im.At(x, 0)).(color.NRGBA)
			texels = append(texels, fmt.Sprintf("%02x%02x%02x%02x", v.R, v.G, v.B, v.A))
		}
		if got := strings.Join(texels, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if got := strings.Join(p.Warnings, "; "); !strings.Contains(got, c.warn) || (got == "") != (c.warn == "") {
			t.Errorf("%s: warnings %q, want %q", c.name, got, c.warn)
		}
		// What is not used of tRNS is a loss, of others it is none.
		if lost := strings.Contains(c.warn, "tRNS"); len(p.Losses) > 0 != lost {
			t.Errorf("%s: losses %q", c.name, p.Losses)
		}
	}
}

// All kinds of PNG come as image/png alone makes them.
func TestPNG_RowsOfEveryKind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, interlaced := range []bool{false, true} {
		for _, c := range [][2]byte{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {8, 2}, {16, 2}, {1, 3}, {2, 3}, {4, 3}, {8, 3}, {8, 4}, {16, 4}, {8, 6}, {16, 6}} {
			for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 7}, {9, 8}, {133, 41}, {700, 90}} {
				w, h := size[0], size[1]
				channels := [7]int{1, 0, 3, 1, 2, 0, 4}[c[1]]
				pixel := channels * int(c[0])
				var raw []byte
				add := func(w, h int) {
					for range h {
						if w > 0 {
							raw = append(raw, byte(r.IntN(5)))
							for range (w*pixel + 7) / 8 {
								raw = append(raw, byte(r.Uint32()))
							}
						}
					}
				}
				if interlaced {
					for _, a := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
						add((w-a[0]+a[2]-1)/a[2], (h-a[1]+a[3]-1)/a[3])
					}
				} else {
					add(w, h)
				}
				lace := byte(0)
				if interlaced {
					lace = 1
				}
				data := pngOf(chunk("IHDR", false, 0, 0, byte(w>>8), byte(w), 0, 0, byte(h>>8), byte(h), c[0], c[1], 0, 0, lace), plteFor(c), chunk("IDAT", false, zlibbed(raw...)...), chunk("IEND", false))
				want, err := png.Decode(bytes.NewReader(data))
				if err != nil {
					t.Fatal(err)
				}
				p, err := input.Inspect(data)
				if err != nil {
					t.Fatal(err)
				}
				got, err := input.Decode(t.Context(), data, p)
				if err != nil || got.Bounds() != want.Bounds() {
					t.Errorf("%v of %v, interlaced %v: %v", c, size, interlaced, err)
					continue
				}
				for i := range w * h {
					if got.At(i%w, i/w) != want.At(i%w, i/w) {
						t.Errorf("%v of %v, interlaced %v: texel %d is %v, want %v", c, size, interlaced, i, got.At(i%w, i/w), want.At(i%w, i/w))
						break
					}
				}
			}
		}
	}
}

func plteFor(c [2]byte) []byte {
	if c[1] != 3 {
		return nil
	}
	return chunk("PLTE", false, make([]byte, 3<<c[0])...)
}

// Whatever a PNG file says, it is a picture of the extent that was announced, or an error of one line.
func FuzzPNG(f *testing.F) {
	rows := zlibbed(0, 255, 0, 0, 0, 0, 255)
	f.Add(pngOf(ihdr(8, 2), chunk("tRNS", false, 0, 0, 0, 0, 0, 255), chunk("IDAT", false, rows...), chunk("IEND", false)))
	f.Add(pngOf(ihdr(8, 2), chunk("tEXt", true, 1), chunk("IDAT", false, append(rows, 1, 2)...)))
	f.Add(pngOf(ihdr(8, 3), chunk("PLTE", false, 255, 0, 0, 0, 0, 255), chunk("tRNS", false, 9), chunk("IDAT", false, zlibbed(0, 0, 1)...), chunk("IEND", false)))
	f.Add(bomb.PNG(7, 5, 4, 3, true, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Checksums are set right, so that what lies behind them is reached.
		for at := 8; at+12 <= len(data); {
			n := int(binary.BigEndian.Uint32(data[at:]))
			if n < 0 || n > len(data)-at-12 {
				break
			}
			if data[at+4]&0x20 == 0 {
				binary.BigEndian.PutUint32(data[at+8+n:], crc32.ChecksumIEEE(data[at+4:at+8+n]))
			}
			at += 12 + n
		}
		p, err := input.Inspect(data)
		if err != nil || p.Kind != "png" || p.Result+p.Decoding > 16<<20 {
			return
		}
		im, err := input.Decode(t.Context(), data, p)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		if im.Bounds() != image.Rect(0, 0, p.Width, p.Height) || size(im) != p.Result {
			t.Errorf("%v of %d bytes; %d × %d and %d were announced", im.Bounds(), size(im), p.Width, p.Height, p.Result)
		}
	})
}
