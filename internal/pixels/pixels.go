// Package pixels compares pictures pixel by pixel without loss: channels have 16 bits
// and are not premultiplied, as PNG files keep them.
package pixels

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/input"
)

// Step is one code of an 8-bit channel in units of Color.
const Step = 257

// Color is red, green, blue and alpha, not premultiplied; 65535 is one.
type Color [4]uint16

// Picture is an image whose colours can be told exactly, with its first pixel at (0, 0).
type Picture struct {
	Image         image.Image
	Width, Height int
	// Deep: channels have more than 8 bits.
	Deep bool

	at func(x, y int) Color
}

// At returns a pixel; (0, 0) ≤ (x, y) < (Width, Height).
func (p *Picture) At(x, y int) Color { return p.at(x, y) }

// Of wraps an image. Colours are those that image/png would write: images of 8 bits
// keep them, premultiplied ones become what package color makes of them.
func Of(img image.Image) *Picture {
	b := img.Bounds()
	p := &Picture{Image: img, Width: b.Dx(), Height: b.Dy()}
	switch m := img.(type) {
	case *image.NRGBA:
		p.at = func(x, y int) Color {
			c := m.Pix[m.PixOffset(b.Min.X+x, b.Min.Y+y):][:4]
			return wide(c[0], c[1], c[2], c[3])
		}
		return p
	case *image.RGBA:
		p.at = func(x, y int) Color {
			c := m.Pix[m.PixOffset(b.Min.X+x, b.Min.Y+y):][:4]
			if c[3] == 255 {
				return wide(c[0], c[1], c[2], 255)
			}
			return straight(color.RGBA{c[0], c[1], c[2], c[3]})
		}
		return p
	case *image.Paletted:
	default:
		switch img.ColorModel() {
		case color.GrayModel, color.RGBAModel, color.NRGBAModel, color.AlphaModel:
		default:
			p.Deep = true
			p.at = func(x, y int) Color { return deep(img.At(b.Min.X+x, b.Min.Y+y)) }
			return p
		}
	}
	p.at = func(x, y int) Color { return straight(img.At(b.Min.X+x, b.Min.Y+y)) }
	return p
}

func wide(r, g, b, a uint8) Color {
	return Color{uint16(r) * Step, uint16(g) * Step, uint16(b) * Step, uint16(a) * Step}
}

// straight is a colour of 8 bits a channel.
func straight(c color.Color) Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return wide(n.R, n.G, n.B, n.A)
}

// deep is a colour of 16 bits a channel. NRGBA64Model would premultiply NRGBA and lose bits.
func deep(c color.Color) Color {
	if n, ok := c.(color.NRGBA); ok {
		return wide(n.R, n.G, n.B, n.A)
	}
	n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
	return Color{n.R, n.G, n.B, n.A}
}

// Text writes a colour for people, "(255, 0, 0, 255)"; deep: with all 16 bits, which it says.
func (c Color) Text(deep bool) string {
	if deep {
		return fmt.Sprintf("(%d, %d, %d, %d) of 65535", c[0], c[1], c[2], c[3])
	}
	return fmt.Sprintf("(%d, %d, %d, %d)", c[0]/Step, c[1]/Step, c[2]/Step, c[3]/Step)
}

// maxExtent is the largest width and height of a picture, as in package imagefile.
const maxExtent = 1 << 16

// Read reads a PNG or JPEG file. Its memory is charged to b before it is taken, and for the
// picture as long as that is in use. Errors begin with the path.
func Read(ctx context.Context, path string, b *budget.Budget) (*Picture, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := decode(ctx, f, b)
	if err != nil {
		var named *os.PathError
		if errors.As(err, &named) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func decode(ctx context.Context, f *os.File, b *budget.Budget) (*Picture, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := input.ReadAll(ctx, f, info.Size(), b)
	if err != nil {
		return nil, err
	}
	defer b.Drop(int64(cap(data)))
	header, err := input.Inspect(data)
	if err != nil {
		return nil, err
	}
	if header.Width < 1 || header.Height < 1 || header.Width > maxExtent || header.Height > maxExtent {
		return nil, fmt.Errorf("%s file: %d × %d pixels; 1 to %d in each direction", header.Kind, header.Width, header.Height, maxExtent)
	}
	if err := b.Take(header.Result + header.Decoding); err != nil {
		return nil, fmt.Errorf("%s file: decoding %d × %d pixels: %w", header.Kind, header.Width, header.Height, err)
	}
	img, err := input.Decode(ctx, data, header)
	b.Drop(header.Decoding)
	if err != nil {
		b.Drop(header.Result)
		return nil, fmt.Errorf("%s file: decoding: %w", header.Kind, err)
	}
	p := Of(img)
	budget.Keep(b, header.Result, p)
	return p, nil
}
