package encode

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// EXROptions say what an OpenEXR file holds. The zero value is 16-bit floats, compressed by
// ZIP in blocks of 16 rows.
type EXROptions struct {
	Float32      bool // 32-bit floats
	Uncompressed bool
}

// Linearize returns a picture in linear light, four floats a pixel (red, green, blue,
// alpha), colours premultiplied by alpha, as OpenEXR stores them.
func Linearize(img *image.NRGBA) []float32 {
	out := make([]float32, 0, 4*img.Rect.Dx()*img.Rect.Dy())
	for y := range img.Rect.Dy() {
		line := row(img, y)
		for i := 0; i < len(line); i += 4 {
			a := float32(line[i+3]) / 255
			for c := range 3 {
				out = append(out, fp.SrgbToLinear(line[i+c])*a)
			}
			out = append(out, a)
		}
	}
	return out
}

// WriteEXR writes an OpenEXR file of one part: width × height pixels of four floats, red,
// green, blue and alpha, linear and premultiplied, from the top row on.
func WriteEXR(w io.Writer, width, height int, pixels []float32, o EXROptions) error {
	const mostExtent = 1 << 24
	if width < 1 || height < 1 || width > mostExtent || height > mostExtent || len(pixels) != 4*width*height {
		return fmt.Errorf("encode: OpenEXR: %d floats for %d × %d pixels", len(pixels), width, height)
	}
	le := binary.LittleEndian
	kind, size, compression, rows := uint32(1), 2, byte(3), 16
	if o.Float32 {
		kind, size = 2, 4
	}
	if o.Uncompressed {
		compression, rows = 0, 1
	}

	head := le.AppendUint32(nil, 20000630) // magic
	head = le.AppendUint32(head, 2)        // version; scan lines, one part
	attribute := func(name, kind string, value []byte) {
		head = append(append(head, name...), 0)
		head = append(append(head, kind...), 0)
		head = append(le.AppendUint32(head, uint32(len(value))), value...)
	}
	words := func(vs ...uint32) (b []byte) {
		for _, v := range vs {
			b = le.AppendUint32(b, v)
		}
		return b
	}
	var channels []byte
	for _, name := range "ABGR" { // channels are sorted by name
		channels = append(channels, byte(name), 0)
		channels = append(channels, words(kind, 0, 1, 1)...) // its type, not linear to the eye, no subsampling
	}
	window := words(0, 0, uint32(width-1), uint32(height-1))
	one := math.Float32bits(1)
	attribute("channels", "chlist", append(channels, 0))
	attribute("compression", "compression", []byte{compression})
	attribute("dataWindow", "box2i", window)
	attribute("displayWindow", "box2i", window)
	attribute("lineOrder", "lineOrder", []byte{0})
	attribute("pixelAspectRatio", "float", words(one))
	attribute("screenWindowCenter", "v2f", words(0, 0))
	attribute("screenWindowWidth", "float", words(one))
	head = append(head, 0)

	// The places of all blocks stand before the first one.
	blocks := (height + rows - 1) / rows
	offset := uint64(len(head) + 8*blocks)
	body := make([][]byte, blocks)
	raw := make([]byte, 0, rows*width*4*size)
	for b := range blocks {
		raw = raw[:0]
		for y := b * rows; y < min(height, (b+1)*rows); y++ {
			line := pixels[4*width*y:][:4*width]
			for _, channel := range [4]int{3, 2, 1, 0} {
				for x := range width {
					if v := line[4*x+channel]; o.Float32 {
						raw = le.AppendUint32(raw, math.Float32bits(v))
					} else {
						raw = le.AppendUint16(raw, half(v))
					}
				}
			}
		}
		data := raw
		if !o.Uncompressed {
			data = exrZip(raw)
		}
		body[b] = append(words(uint32(b*rows), uint32(len(data))), data...)
		head = le.AppendUint64(head, offset)
		offset += uint64(len(body[b]))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, b := range body {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// exrZip is OpenEXR's ZIP compression: bytes at even places before those at odd ones, each
// as its difference from the one before, deflated; where that is no gain, the bytes as they
// are, which readers know by the length.
func exrZip(raw []byte) []byte {
	turned := make([]byte, len(raw))
	odd := (len(raw) + 1) / 2
	for i, v := range raw {
		turned[i/2+i%2*odd] = v
	}
	last := turned[0]
	for i := 1; i < len(turned); i++ {
		v := turned[i]
		turned[i] = v - last + 128
		last = v
	}
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	z.Write(turned) // a bytes.Buffer takes everything
	z.Close()
	if out.Len() >= len(raw) {
		return raw
	}
	return out.Bytes()
}

// half rounds to the nearest 16-bit float, to even between two; what is too large is
// infinite.
func half(f float32) uint16 {
	bits := math.Float32bits(f)
	sign, exponent, mantissa := uint16(bits>>16&0x8000), int(bits>>23&0xff)-127, bits&0x7fffff
	switch {
	case exponent == 128 && mantissa != 0:
		return sign | 0x7e00 // not a number
	case exponent > 15:
		return sign | 0x7c00
	case exponent < -25:
		return sign
	case exponent < -14: // denormal
		mantissa |= 0x800000
		shift := uint(-exponent - 1) // 14 to 24
		return sign + roundEven(mantissa, shift)
	}
	return sign + uint16(exponent+15)<<10 + roundEven(mantissa, 13) // a carry goes into the exponent
}

// roundEven shifts right and rounds.
func roundEven(v uint32, shift uint) uint16 {
	q, rest, middle := v>>shift, v&(1<<shift-1), uint32(1)<<(shift-1)
	if rest > middle || rest == middle && q&1 == 1 {
		q++
	}
	return uint16(q)
}
