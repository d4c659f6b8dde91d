package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
)

// Picture is what the headers of a PNG, JPEG or WebP file tell.
type Picture struct {
	Kind          string // "png", "jpeg" or "webp"
	Width, Height int
	Deep          bool // 16 bits a channel
	// Result is the bytes of the image that Decode returns, Decoding what it takes
	// besides while it runs.
	Result, Decoding int64
	// Straight says that the function of this name will take no copy.
	Straight bool
	// Warnings tell what the file says against its rules, and what is done with it. A line each.
	Warnings []string
}

// ErrKind: neither PNG, JPEG nor WebP.
var ErrKind = errors.New("is neither PNG, JPEG nor WebP")

// Inspect reads the headers. A picture without texels is an error.
func Inspect(data []byte) (Picture, error) {
	var p Picture
	var cfg image.Config
	var err error
	switch {
	case bytes.HasPrefix(data, []byte(pngSignature)):
		p.Kind = "png"
		var f *pngFile
		if f, err = scanPNG(data, false); err != nil {
			break
		}
		if cfg, err = f.config(); err == nil {
			p.measurePNG(f, int64(cfg.Width)*int64(cfg.Height))
			p.Warnings = f.warnings
		}
	case bytes.HasPrefix(data, []byte{0xff, 0xd8, 0xff}):
		p.Kind = "jpeg"
		if cfg, err = jpeg.DecodeConfig(bytes.NewReader(data)); err == nil {
			p.measureJPEG(data, int64(cfg.Width)*int64(cfg.Height))
		}
	case isWebP(data):
		p.Kind = "webp"
		var f webpFrame
		if f, err = scanWebP(data); err == nil {
			cfg.Width, cfg.Height = f.width, f.height
			f.measure(&p, int64(len(data)))
		}
	default:
		return p, ErrKind
	}
	p.Width, p.Height = cfg.Width, cfg.Height
	return p, err
}

// decoderBytes is what decoders hold besides pictures: windows, tables, rows.
const decoderBytes = 64 << 10

// measurePNG finds what image/png and the reader before it take for so many texels of a header that was checked.
func (p *Picture) measurePNG(f *pngFile, texels int64) {
	depth, color, interlaced := f.header[16], f.kind(), f.header[20] != 0
	each := int64(4)
	if color == pngPalette || color == pngGray && f.alpha == nil {
		each = 1
	}
	p.Straight = each == 4 && depth != 16
	if p.Deep = depth == 16; p.Deep {
		each *= 2
	}
	p.Result, p.Decoding = texels*each, 2*decoderBytes
	if interlaced { // the passes are pictures of their own, with rows of their own
		p.Decoding += p.Result + p.Result/32
	}
}

// measureJPEG finds what image/jpeg takes: whole blocks of each component, four
// bytes more a coefficient where the file is progressive, and another picture where
// the colours are not Y′CBCR.
func (p *Picture) measureJPEG(data []byte, texels int64) {
	p.Decoding = decoderBytes
	rgb := false
	for at := 2; at+4 <= len(data); {
		if data[at] != 0xff {
			at++ // between segments the decoder skips, too
			continue
		}
		marker := data[at+1]
		if marker == 0xff || marker == 0 || marker >= 0xd0 && marker <= 0xd9 { // without a length
			at++
			continue
		}
		n := int(binary.BigEndian.Uint16(data[at+2:]))
		if n < 2 || n > len(data)-at-2 {
			break
		}
		segment := data[at+4 : at+2+n]
		if marker == 0xee && len(segment) >= 12 && string(segment[:5]) == "Adobe" {
			rgb = segment[11] == 0
		}
		if marker < 0xc0 || marker > 0xc2 {
			at += 2 + n
			continue
		}
		frame := segment
		if len(frame) < 6 || len(frame) < 6+3*int(frame[5]) {
			break
		}
		height, width := int64(binary.BigEndian.Uint16(frame[1:])), int64(binary.BigEndian.Uint16(frame[3:]))
		parts := int(frame[5])
		var h, v int64 = 1, 1
		for i := range parts {
			h, v = max(h, int64(frame[7+3*i]>>4)), max(v, int64(frame[7+3*i]&15))
		}
		across, down := (width+8*h-1)/(8*h), (height+8*v-1)/(8*v)
		samples := int64(0)
		for i := range parts {
			if parts == 1 { // blocks of one component are not interleaved
				samples = (width + 7) / 8 * ((height + 7) / 8) * 64
				break
			}
			samples += across * down * 64 * int64(frame[7+3*i]>>4) * int64(frame[7+3*i]&15)
		}
		p.Result = samples
		if marker == 0xc2 {
			p.Decoding += 4 * samples
		}
		rgb = rgb || parts == 3 && string([]byte{frame[6], frame[9], frame[12]}) == "RGB"
		if parts == 4 || parts == 3 && rgb {
			p.Decoding, p.Result, p.Straight = p.Decoding+samples, 4*texels, parts == 3
		}
		return
	}
	// The decoder will say what is wrong; this is the most that it takes.
	p.Result, p.Decoding = 4*texels, p.Decoding+20*texels
}

// Decode decodes what Inspect was given.
func Decode(ctx context.Context, data []byte, p Picture) (image.Image, error) {
	r := Reader(ctx, bytes.NewReader(data))
	switch p.Kind {
	case "png":
		f, err := scanPNG(data, true)
		if err != nil {
			return nil, err
		}
		rows, err := f.reader()
		if err != nil {
			return nil, err
		}
		return png.Decode(Reader(ctx, rows))
	case "webp":
		return decodeWebP(ctx, data)
	}
	return jpeg.Decode(r)
}

// Straight returns an image of 8 bits a channel as *image.NRGBA with origin (0, 0)
// and no gaps between its rows where that takes no copy.
func Straight(src image.Image) (*image.NRGBA, bool) {
	var pix []byte
	var stride int
	switch s := src.(type) {
	case *image.NRGBA:
		pix, stride = s.Pix, s.Stride
	case *image.RGBA: // the decoders use it for opaque colours only
		pix, stride = s.Pix, s.Stride
	default:
		return nil, false
	}
	b := src.Bounds()
	if b.Min != (image.Point{}) || stride != 4*b.Dx() {
		return nil, false
	}
	return &image.NRGBA{Pix: pix, Stride: stride, Rect: b}, true
}
