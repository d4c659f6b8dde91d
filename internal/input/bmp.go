package input

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"math/bits"
)

// Compressions of BMP files (BITMAPINFOHEADER.biCompression).
const (
	bmpRGB           = 0
	bmpRLE8          = 1
	bmpRLE4          = 2
	bmpBitFields     = 3
	bmpJPEG          = 4
	bmpPNG           = 5
	bmpAlphaBitField = 6
)

// bmp is a BMP file whose headers were read.
type bmp struct {
	width, height int
	top           bool // rows from the top on
	bits          int  // of a texel
	compression   uint32
	masks         [4]uint32 // of red, green, blue and alpha in texels of 16 and 32 bits
	colors        []byte
	entry         int // bytes of a colour
	texels        []byte
}

var errBMPEnds = errors.New("bmp: the file ends too early")

// readBMP reads the headers: BITMAPCOREHEADER, BITMAPINFOHEADER and those that are longer.
func readBMP(data []byte) (*bmp, error) {
	const file, core, info = 14, 12, 40
	if len(data) < file+core {
		return nil, errBMPEnds
	}
	half := func(at int) int { return int(binary.LittleEndian.Uint16(data[at:])) }
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	size := int64(word(14))
	f := &bmp{entry: 4}
	colors := 0
	switch {
	case size == core:
		f.width, f.height, f.bits, f.entry = half(18), half(20), half(24), 3
	case size < info || size > 1<<10:
		return nil, fmt.Errorf("bmp: a header of %d bytes is not known", size)
	case int64(len(data)) < file+size:
		return nil, errBMPEnds
	default:
		w, h := int64(int32(word(18))), int64(int32(word(22)))
		if f.top = h < 0; f.top {
			h = -h
		}
		if w < 0 || h > 1<<31-1 {
			return nil, fmt.Errorf("bmp: %d × %d texels", w, h)
		}
		f.width, f.height, f.bits, f.compression = int(w), int(h), half(28), word(30)
		colors = int(min(word(46), 256))
	}
	at := file + int(size)
	fields := f.compression == bmpBitFields || f.compression == bmpAlphaBitField
	switch {
	case f.compression == bmpJPEG || f.compression == bmpPNG:
		return nil, errors.New("bmp: a JPEG or PNG picture in a BMP file is not supported")
	case f.compression > bmpAlphaBitField,
		f.compression == bmpRLE8 && f.bits != 8, f.compression == bmpRLE4 && f.bits != 4, fields && f.bits != 16 && f.bits != 32:
		return nil, fmt.Errorf("bmp: compression %d of %d bits a texel is not supported", f.compression, f.bits)
	}
	switch f.bits {
	case 1, 2, 4, 8:
		if colors == 0 || colors > 1<<f.bits {
			colors = 1 << f.bits
		}
		f.colors = data[min(at, len(data)):min(at+colors*f.entry, len(data))]
	case 16:
		f.masks = [4]uint32{0x7C00, 0x3E0, 0x1F, 0}
	case 24, 32:
		f.masks = [4]uint32{0xFF0000, 0xFF00, 0xFF, 0}
	default:
		return nil, fmt.Errorf("bmp: %d bits a texel", f.bits)
	}
	if fields {
		if len(data) < 54+16 {
			return nil, errBMPEnds
		}
		f.masks = [4]uint32{word(54), word(58), word(62), 0}
	}
	// Headers since BITMAPV3INFOHEADER have a mask of alpha.
	if f.bits == 32 && size >= 56 || fields && (size >= 56 || f.compression == bmpAlphaBitField) {
		f.masks[3] = word(66)
	}
	for c, m := range f.masks {
		if m != 0 && bits.Len32(m) != bits.TrailingZeros32(m)+bits.OnesCount32(m) {
			return nil, fmt.Errorf("bmp: mask %#x of component %d", m, c)
		}
	}
	if begin := int64(word(10)); begin <= int64(len(data)) {
		f.texels = data[begin:]
	}
	return f, nil
}

// decode decodes the texels.
func (f *bmp) decode(ctx context.Context) (image.Image, error) {
	out := image.NewNRGBA(image.Rect(0, 0, f.width, f.height))
	row := func(y int) []byte {
		if !f.top {
			y = f.height - 1 - y
		}
		return out.Pix[y*out.Stride:][:out.Stride]
	}
	if f.compression == bmpRLE8 || f.compression == bmpRLE4 {
		return out, f.runs(ctx, row)
	}
	stride := (int64(f.width)*int64(f.bits) + 31) / 32 * 4
	src := f.texels
	for y := range f.height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		need := (int64(f.width)*int64(f.bits) + 7) / 8 // the last row may lack what fills it up
		if int64(len(src)) < need {
			return nil, errBMPEnds
		}
		to := row(y)
		for x := range f.width {
			f.color(to[4*x:][:4], src, x)
		}
		src = src[min(stride, int64(len(src))):]
	}
	return out, nil
}

// color decodes texel x of a row.
func (f *bmp) color(dst, row []byte, x int) {
	switch f.bits {
	case 16, 32:
		v := uint32(row[2*x]) | uint32(row[2*x+1])<<8
		if f.bits == 32 {
			v = binary.LittleEndian.Uint32(row[4*x:])
		}
		dst[3] = 255
		for c, m := range f.masks {
			if shift := bits.TrailingZeros32(m); m != 0 {
				dst[c] = scale8(v&m>>shift, m>>shift)
			}
		}
	case 24:
		dst[0], dst[1], dst[2], dst[3] = row[3*x+2], row[3*x+1], row[3*x], 255
	default:
		per := 8 / f.bits
		f.indexed(dst, row[x/per]>>(8-f.bits-x%per*f.bits)&(1<<f.bits-1))
	}
}

// indexed sets a colour of the palette; black where it has none.
func (f *bmp) indexed(dst []byte, i byte) {
	dst[0], dst[1], dst[2], dst[3] = 0, 0, 0, 255
	if at := int(i) * f.entry; at+3 <= len(f.colors) {
		dst[0], dst[1], dst[2] = f.colors[at+2], f.colors[at+1], f.colors[at]
	}
}

// runs decodes runs of indices; texels that they leave out are transparent.
func (f *bmp) runs(ctx context.Context, row func(int) []byte) error {
	x, y := 0, 0
	src := f.texels
	put := func(i byte) {
		if x < f.width && y < f.height {
			f.indexed(row(y)[4*x:][:4], i)
		}
		x++
	}
	index := func(b byte, k int) byte { // the kth of a byte's
		if f.bits == 8 {
			return b
		}
		return b >> (4 - 4*(k&1)) & 15
	}
	for steps := 0; y < f.height; steps++ {
		if steps&0xFFF == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(src) < 2 {
			return errBMPEnds
		}
		n, v := int(src[0]), src[1]
		src = src[2:]
		switch {
		case n > 0:
			for k := range n {
				put(index(v, k))
			}
		case v == 0:
			x, y = 0, y+1
		case v == 1:
			return nil
		case v == 2:
			if len(src) < 2 {
				return errBMPEnds
			}
			x, y = x+int(src[0]), y+int(src[1])
			src = src[2:]
		default:
			bytes := (int(v)*f.bits + 7) / 8
			if len(src) < bytes {
				return errBMPEnds
			}
			for k := range int(v) {
				put(index(src[k*f.bits/8], k))
			}
			src = src[min(bytes+bytes&1, len(src)):]
		}
	}
	return nil
}
