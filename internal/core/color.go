package core

import (
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// Color is R, G, B, A from 0 to 1 as pictures store them: sRGB-encoded colour
// for formats of linear light (sRGB and floating-point), the stored value for
// others.
type Color = [4]float32

// linearLight says that a format's numbers are linear light, for pictures.
func linearLight(info *format.Info) bool {
	switch info.Numeric {
	case format.NumericSrgb, format.NumericSfloat, format.NumericUfloat:
		return info.Aspects == vk.ImageAspectColorBit
	default:
		return false
	}
}

// Linear turns a picture's colour into the numbers of a format; with 8 bits of
// precision in formats of linear light.
func Linear(f vk.Format, c Color) Color {
	info, ok := format.Lookup(f)
	if !ok || !linearLight(info) {
		return c
	}
	srgb := srgb8()
	var t format.Texel
	var raw [4]byte
	for i := range 4 {
		raw[i] = byte(math.RoundToEven(float64(c[i]) * 255))
	}
	t = srgb.Decode(raw[:])
	for i := range 3 {
		c[i] = math.Float32frombits(t[i])
	}
	return c
}

// srgb8 is the row of R8G8B8A8_SRGB, whose codec is the one definition of sRGB.
func srgb8() *format.Info {
	info, _ := format.Lookup(vk.FormatR8G8B8A8Srgb)
	return info
}

// encodeSrgb encodes linear light with 8 bits of precision.
func encodeSrgb(c Color) Color {
	var t format.Texel
	for i := range 4 {
		t[i] = math.Float32bits(c[i])
	}
	var raw [4]byte
	srgb8().Encode(raw[:], t)
	for i := range 3 {
		c[i] = float32(raw[i]) / 255
	}
	return c
}

// pictureFormat checks that texels of a format can be seen as colours.
func pictureFormat(op Op, f vk.Format) (*format.Info, error) {
	info, ok := format.Lookup(f)
	if !ok || info.Class != format.ClassFloat || info.Aspects == vk.ImageAspectStencilBit {
		return nil, &Error{Op: string(op), Rule: "format", Detail: fmt.Sprintf("%v is no picture", f), Hint: "read and write it as bytes", Err: ErrUnsupported}
	}
	if plane, ok := info.ForAspect(vk.ImageAspectDepthBit); ok {
		info = plane
	}
	return info, nil
}

// AppendTexels appends a row of colours in format f.
func AppendTexels(op Op, data []byte, f vk.Format, row []Color) ([]byte, error) {
	info, err := pictureFormat(op, f)
	if err != nil {
		return nil, err
	}
	if info.Compressed {
		return nil, &Error{Op: string(op), Rule: "format", Detail: fmt.Sprintf("%v is compressed and there is no encoder", f), Hint: "use an uncompressed format", Err: ErrUnsupported}
	}
	texels := make([]format.Texel, len(row))
	for i, c := range row {
		c = Linear(f, c)
		for k := range 4 {
			texels[i][k] = math.Float32bits(c[k])
		}
	}
	at := len(data)
	data = append(data, make([]byte, len(row)*info.BlockBytes)...)
	info.EncodeRow(data[at:], texels)
	return data, nil
}

// Texels reads width×height tightly packed texels of format f (depth alone, of
// depth/stencil formats). Depth comes out as grey.
func Texels(op Op, data []byte, f vk.Format, width, height int) ([]Color, error) {
	info, err := pictureFormat(op, f)
	if err != nil {
		return nil, err
	}
	if info.Compressed {
		return nil, &Error{Op: string(op), Rule: "format", Detail: fmt.Sprintf("%v is compressed", f), Hint: "blit it to an uncompressed image, or read it as bytes", Err: ErrUnsupported}
	}
	texels := make([]format.Texel, width)
	out := make([]Color, 0, width*height)
	encode, grey := linearLight(info), info.Depth()
	for range height {
		info.DecodeRow(texels, data[:width*info.BlockBytes])
		data = data[width*info.BlockBytes:]
		for _, t := range texels {
			var c Color
			for k := range 4 {
				v := math.Float32frombits(t[k])
				if !(v > 0) { // NaN becomes 0
					v = 0
				}
				c[k] = min(v, 1)
			}
			if encode {
				c = encodeSrgb(c)
			}
			if grey {
				c = Color{c[0], c[0], c[0], 1}
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// FormatShape returns the number of components and the width in bits of the
// widest one, as pictures of the format have them.
func FormatShape(f vk.Format) (components, bits int) {
	info, ok := format.Lookup(f)
	if !ok {
		return 0, 0
	}
	components = info.ComponentCount
	for _, c := range info.Components {
		bits = max(bits, c.Bits)
	}
	if info.Depth() {
		components = 1
	}
	if linearLight(info) {
		bits = 8
	}
	return components, bits
}
