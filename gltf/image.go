package gltf

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// Image is a PNG or JPEG picture, held encoded. Its header was checked when
// the model was loaded. All methods may be called concurrently.
type Image struct {
	Name          string
	Index         int    // in Document.Images
	URI           string // as in the file; empty for data URIs and buffer views
	MIMEType      string // "image/png" or "image/jpeg", from the content; empty where unusable
	Width, Height int    // texels
	Deep          bool   // 16 bits a channel

	encoded  []byte
	maxBytes int64
	file     string
	unusable string // why the content cannot be decoded, when no texture uses it
}

// place names the image in errors.
func (m *Image) place() string {
	if m.URI != "" {
		return fmt.Sprintf("images[%d] (%s)", m.Index, quoted(m.URI))
	}
	return fmt.Sprintf("images[%d]", m.Index)
}

func (m *Image) errorf(err error, format string, args ...any) error {
	return &Error{File: m.file, Place: m.place(), Message: fmt.Sprintf(format, args...), Err: err}
}

// inspect fills type and extent from the encoded header, and refuses images
// whose decoding could exceed the memory limit.
func (m *Image) inspect() error {
	var cfg image.Config
	var err error
	switch {
	case bytes.HasPrefix(m.encoded, []byte("\x89PNG\r\n\x1a\n")):
		m.MIMEType = "image/png"
		cfg, err = png.DecodeConfig(bytes.NewReader(m.encoded))
	case bytes.HasPrefix(m.encoded, []byte{0xff, 0xd8, 0xff}):
		m.MIMEType = "image/jpeg"
		cfg, err = jpeg.DecodeConfig(bytes.NewReader(m.encoded))
	default:
		return m.errorf(nil, "is neither PNG nor JPEG")
	}
	if err != nil {
		return m.errorf(err, "bad header")
	}
	if cfg.Width <= 0 || cfg.Height <= 0 {
		return m.errorf(nil, "extent %d × %d is empty", cfg.Width, cfg.Height)
	}
	switch cfg.ColorModel {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		m.Deep = true
	}
	m.Width, m.Height = cfg.Width, cfg.Height
	// What decoding holds at most per texel: the decoder's picture and the
	// result (4 bytes each, 8 when deep), once more for interlaced files, and 12
	// for the coefficients of a progressive JPEG.
	perTexel := int64(20)
	if m.Deep {
		perTexel = 24
	}
	if need := int64(m.Width) * int64(m.Height); need > m.maxBytes/perTexel {
		return m.errorf(&LimitError{Need: saturate(need, perTexel), Left: m.maxBytes, Max: m.maxBytes},
			"decoding %d × %d texels", m.Width, m.Height)
	}
	return nil
}

// Decode decodes the image to a new *image.NRGBA, or a new *image.NRGBA64
// where Deep is set. Colours are as stored (not premultiplied, not linearised);
// colour profiles and gamma chunks are ignored, as glTF asks. It needs up to 24
// bytes a texel while it runs.
func (m *Image) Decode() (image.Image, error) {
	if m.unusable != "" {
		return nil, m.errorf(nil, "%s", m.unusable)
	}
	var src image.Image
	var err error
	if m.MIMEType == "image/png" {
		src, err = png.Decode(bytes.NewReader(m.encoded))
	} else {
		src, err = jpeg.Decode(bytes.NewReader(m.encoded))
	}
	if err != nil {
		return nil, m.errorf(err, "decoding")
	}
	if m.Deep {
		return toNRGBA64(src), nil
	}
	return toNRGBA(src), nil
}

// DecodeNRGBA is Decode with 16-bit channels rounded to 8 bits.
func (m *Image) DecodeNRGBA() (*image.NRGBA, error) {
	img, err := m.Decode()
	if err != nil {
		return nil, err
	}
	deep, ok := img.(*image.NRGBA64)
	if !ok {
		return img.(*image.NRGBA), nil
	}
	out := image.NewNRGBA(deep.Rect)
	for i := range out.Pix {
		v := uint32(deep.Pix[2*i])<<8 | uint32(deep.Pix[2*i+1])
		out.Pix[i] = uint8((v*255 + 32767) / 65535)
	}
	return out, nil
}

// toNRGBA converts what the two decoders return to straight 8-bit alpha with
// origin (0, 0).
func toNRGBA(src image.Image) *image.NRGBA {
	b := src.Bounds()
	if n, ok := src.(*image.NRGBA); ok && b.Min == (image.Point{}) {
		return n
	}
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		row := out.Pix[y*out.Stride:]
		switch s := src.(type) {
		case *image.Gray:
			for x, g := range s.Pix[y*s.Stride : y*s.Stride+b.Dx()] {
				row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = g, g, g, 0xff
			}
		case *image.YCbCr:
			for x := range b.Dx() {
				c := s.YCbCrAt(b.Min.X+x, b.Min.Y+y)
				red, green, blue := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
				row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = red, green, blue, 0xff
			}
		case *image.RGBA:
			// The PNG decoder uses this type for opaque colour only.
			copy(row[:4*b.Dx()], s.Pix[y*s.Stride:])
		default:
			for x := range b.Dx() {
				c := color.NRGBAModel.Convert(src.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
				row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = c.R, c.G, c.B, c.A
			}
		}
	}
	return out
}

func toNRGBA64(src image.Image) *image.NRGBA64 {
	b := src.Bounds()
	if n, ok := src.(*image.NRGBA64); ok && b.Min == (image.Point{}) {
		return n
	}
	out := image.NewNRGBA64(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			c := color.NRGBA64Model.Convert(src.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA64)
			out.SetNRGBA64(x, y, c)
		}
	}
	return out
}
