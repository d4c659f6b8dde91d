package input

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
)

// Picture is what the headers of a file tell: PNG, JPEG, WebP, GIF, BMP or TGA.
type Picture struct {
	Kind          string // "png", "jpeg", "webp", "gif", "bmp" or "tga"
	Width, Height int
	Deep          bool // 16 bits a channel
	// Result is the bytes of the image that Decode returns, Decoding what it takes
	// besides while it runs.
	Result, Decoding int64
	// Straight says that the function of this name will take no copy.
	Straight bool
	// Warnings tell what the file says against its rules, and what is done with it. A line each. Losses are those of them that tell
	// of what the picture lacks.
	Warnings, Losses []string
}

// ErrKind: none of the kinds.
var ErrKind = errors.New("is neither PNG, JPEG, WebP, GIF, BMP nor TGA")

// Foreign names kinds of pictures that are known and not read by this package, by their first bytes; "" where they are not known.
func Foreign(data []byte) string {
	for _, k := range []struct {
		at          int
		begin, name string
	}{
		{4, "ftypavif", "AVIF"}, {4, "ftypavis", "AVIF"}, {4, "ftyphei", "HEIF"}, {4, "ftypmif1", "HEIF"},
		{0, "II*\x00", "TIFF"}, {0, "MM\x00*", "TIFF"}, {0, "\xff\x0a", "JPEG XL"}, {0, "\x00\x00\x00\x0cJXL ", "JPEG XL"},
		{0, "\x00\x00\x00\x0cjP  ", "JPEG 2000"}, {0, "#?RADIANCE", "Radiance HDR"}, {0, "#?RGBE", "Radiance HDR"}, {0, "\x76\x2f\x31\x01", "OpenEXR"},
		{0, "\xabKTX 11", "KTX 1"}, {0, "sB", ".basis"}, {0, "<svg", "SVG"}, {0, "8BPS", "Photoshop's PSD"}, {0, "\x00\x00\x01\x00", "ICO"}, {0, "PVR\x03", "PVR"},
		{0, "qoif", "QOI"}, {0, "P5", "PGM"}, {0, "P6", "PPM"}, {0, "\x01\xda", "SGI"},
	} {
		if len(data) >= k.at && bytes.HasPrefix(data[k.at:], []byte(k.begin)) {
			return k.name
		}
	}
	return ""
}

// Kind names the kind of a file as Picture does, by its first bytes; "" where it is none.
func Kind(data []byte) string {
	begins := func(s string) bool { return bytes.HasPrefix(data, []byte(s)) }
	switch {
	case begins(pngSignature):
		return "png"
	case begins("\xff\xd8\xff"):
		return "jpeg"
	case isWebP(data):
		return "webp"
	case begins("GIF87a"), begins("GIF89a"):
		return "gif"
	case begins("BM"):
		return "bmp"
	}
	if _, ok := readTGA(data); ok {
		return "tga"
	}
	return ""
}

// Inspect reads the headers. A picture without texels is an error.
func Inspect(data []byte) (Picture, error) {
	var p Picture
	var cfg image.Config
	var err error
	switch p.Kind = Kind(data); p.Kind {
	case "png":
		var f *pngFile
		if f, err = scanPNG(data, false); err != nil {
			break
		}
		if cfg, err = f.config(); err == nil {
			p.measurePNG(f, int64(cfg.Width)*int64(cfg.Height))
			p.Warnings, p.Losses = f.warnings, f.losses
		}
	case "jpeg":
		if cfg, err = jpeg.DecodeConfig(jpegReader(data)); err == nil {
			p.measureJPEG(data, int64(cfg.Width)*int64(cfg.Height))
		}
	case "webp":
		var f webpFrame
		if f, err = scanWebP(data); err == nil {
			f.measure(&p, int64(len(data)))
			if cfg.Width, cfg.Height = f.width, f.height; f.moving {
				cfg.Width, cfg.Height = f.canvas.X, f.canvas.Y
			}
		}
	case "gif":
		var f gifFrame
		if f, err = scanGIF(data); err == nil {
			cfg.Width, cfg.Height = f.width, f.height
			f.measure(&p)
		}
	case "bmp":
		var f *bmp
		if f, err = readBMP(data); err == nil {
			cfg.Width, cfg.Height = f.width, f.height
			p.straight(int64(f.width) * int64(f.height))
		}
	case "tga":
		f, _ := readTGA(data)
		cfg.Width, cfg.Height = f.width, f.height
		p.straight(int64(f.width) * int64(f.height))
		if f.kind == 2 && f.bits == 32 && f.alpha == 0 {
			p.Warnings = append(p.Warnings, "its texels have 32 bits and the header says that none of them is alpha; the fourth byte is not used")
		}
	default:
		return p, ErrKind
	}
	p.Width, p.Height = cfg.Width, cfg.Height
	return p, err
}

// straight says that the picture becomes *image.NRGBA at once.
func (p *Picture) straight(texels int64) {
	p.Result, p.Decoding, p.Straight = 4*texels, decoderBytes/16, true
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

// Decode decodes what Inspect was given.
func Decode(ctx context.Context, data []byte, p Picture) (image.Image, error) {
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
	case "gif":
		return decodeGIF(ctx, data)
	case "bmp":
		f, err := readBMP(data)
		if err != nil {
			return nil, err
		}
		return f.decode(ctx)
	case "tga":
		f, ok := readTGA(data)
		if !ok {
			return nil, ErrKind
		}
		return f.decode(ctx)
	}
	return decodeJPEG(ctx, data)
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
