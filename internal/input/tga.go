package input

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
)

// tgaHeader is the size of the header of a TGA file (Truevision TGA 2.0), which begins without a word of its own.
const tgaHeader = 18

// tga is a TGA file whose header was read.
type tga struct {
	kind           byte // 1: indices of colours, 2: colours, 3: grey
	packed         bool // in runs
	width, height  int
	bits           int // of a texel
	alpha          int // bits of it that are alpha
	left, top      bool
	first          int // index of the first colour
	mapBits        int
	colors, texels []byte
}

// readTGA reads the header, which no other kind of file of this package begins with; false where it is none.
func readTGA(data []byte) (*tga, bool) {
	if len(data) < tgaHeader {
		return nil, false
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint16(data[at:])) }
	f := &tga{
		kind: data[2] &^ 8, packed: data[2]&8 != 0, width: word(12), height: word(14), bits: int(data[16]), alpha: int(data[17] & 15),
		left: data[17]&0x10 == 0, top: data[17]&0x20 != 0, first: word(3), mapBits: int(data[7]),
	}
	if f.width == 0 || f.height == 0 || data[1] > 1 || data[17]&0xC0 != 0 {
		return nil, false
	}
	switch b := f.bits; f.kind {
	case 1:
		if data[1] != 1 || b != 8 && b != 16 || f.alpha != 0 && f.alpha != 1 && f.alpha != 8 {
			return nil, false
		}
	case 2:
		if b != 15 && b != 16 && b != 24 && b != 32 || f.alpha > 1 && b < 32 || f.alpha != 0 && f.alpha != 8 && b == 32 {
			return nil, false
		}
	case 3:
		if b != 8 && b != 16 || f.alpha != 0 && (b == 8 || f.alpha != 8) {
			return nil, false
		}
	default:
		return nil, false
	}
	at, colors := tgaHeader+int(data[0]), 0
	if data[1] == 1 {
		if b := f.mapBits; b != 15 && b != 16 && b != 24 && b != 32 {
			return nil, false
		}
		colors = word(5) * ((f.mapBits + 7) / 8)
	}
	f.colors = data[min(at, len(data)):min(at+colors, len(data))]
	f.texels = data[min(at+colors, len(data)):]
	return f, true
}

var errTGAEnds = errors.New("tga: the file ends in its texels")

// decode decodes the texels.
func (f *tga) decode(ctx context.Context) (image.Image, error) {
	out := image.NewNRGBA(image.Rect(0, 0, f.width, f.height))
	size := (f.bits + 7) / 8
	var run, repeat int // texels of the packet that are left
	src := f.texels
	for y := range f.height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := y
		if !f.top {
			row = f.height - 1 - y
		}
		for x := range f.width {
			if f.packed && run == 0 && repeat == 0 {
				if len(src) == 0 {
					return nil, errTGAEnds
				}
				n := int(src[0]&0x7F) + 1
				if run = n; src[0]&0x80 != 0 {
					run, repeat = 0, n
				}
				src = src[1:]
			}
			if len(src) < size {
				return nil, errTGAEnds
			}
			if !f.left {
				x = f.width - 1 - x
			}
			if err := f.color(out.Pix[row*out.Stride+4*x:][:4], src); err != nil {
				return nil, err
			}
			// A repeated texel stands once.
			if repeat > 0 {
				repeat--
			} else {
				run = max(run-1, 0)
			}
			if repeat == 0 {
				src = src[size:]
			}
		}
	}
	return out, nil
}

// color decodes the texel at the start of src.
func (f *tga) color(dst, src []byte) error {
	switch f.kind {
	case 1:
		i := int(src[0])
		if f.bits == 16 {
			i |= int(src[1]) << 8
		}
		size := (f.mapBits + 7) / 8
		at := (i - f.first) * size
		if i < f.first || at+size > len(f.colors) {
			return fmt.Errorf("tga: a texel names colour %d; the map has %d from %d on", i, len(f.colors)/size, f.first)
		}
		tgaColor(dst, f.colors[at:], f.mapBits, f.mapBits == 32 || f.alpha == 1)
	case 2:
		tgaColor(dst, src, f.bits, f.alpha > 0)
	default:
		dst[0], dst[1], dst[2], dst[3] = src[0], src[0], src[0], 255
		if f.bits == 16 {
			dst[3] = src[1]
		}
	}
	return nil
}

// tgaColor decodes blue, green and red of 8 or 5 bits, and alpha.
func tgaColor(dst, src []byte, bits int, alpha bool) {
	dst[3] = 255
	if bits > 16 {
		dst[0], dst[1], dst[2] = src[2], src[1], src[0]
		if bits == 32 && alpha {
			dst[3] = src[3]
		}
		return
	}
	v := uint32(src[0]) | uint32(src[1])<<8
	for c, shift := range [3]uint{10, 5, 0} {
		dst[c] = scale8(v>>shift&31, 31)
	}
	if bits == 16 && alpha && v>>15 == 0 {
		dst[3] = 0
	}
}

// scale8 rounds v of most to 8 bits.
func scale8(v, most uint32) byte { return byte((uint64(v)*510 + uint64(most)) / (2 * uint64(most))) }
