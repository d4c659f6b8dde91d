package texture

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// slack is what Pictures takes beside pictures and codebooks.
const slack = 256 << 10

// Inspect reads the header of a file for Pictures. The File has no texels; the number is the memory that Pictures takes besides its
// result.
func Inspect(data []byte) (*File, int64, error) {
	s, err := parse(data, Options{})
	if err != nil {
		return nil, 0, err
	}
	if err := s.pictureFormat(); err != nil {
		return nil, 0, err
	}
	return &s.File, s.work + slack, nil
}

// PictureBytes is the size of the first levels as pictures of 8 bits a channel.
func (f *File) PictureBytes(levels int) int64 {
	total := int64(0)
	for level := range levels {
		width, height, _ := f.extent(level)
		total += 4 * int64(width) * int64(height)
	}
	return total
}

// pictureFormat refuses what is no picture of 8-bit colours.
func (s *source) pictureFormat() error {
	info, _ := format.Lookup(s.Format)
	unit := info.Numeric == format.NumericUnorm || info.Numeric == format.NumericSrgb
	if s.stored != nil {
		unit = s.stored.unit
	}
	no := func(format string, args ...any) error {
		return &Error{Kind: s.Kind, Msg: fmt.Sprintf(format, args...), Unsupported: true}
	}
	switch {
	case s.Height == 0 || s.Depth > 1:
		return no("%d × %d × %d texels are no picture", s.Width, s.Height, s.Depth)
	case s.Cube:
		return no("a cube is no picture")
	case s.Layers > 1:
		return no("%d layers are no picture", s.Layers)
	case info.Depth() || info.Stencil() || info.Chroma != "" || !unit:
		return no("%v has no colours of 0 to 1", s.Format)
	}
	return nil
}

// Pictures decodes level 0 of a file, or all levels, to 8 bits a channel: the codes of sRGB formats, rounded where a format has more
// than 8 bits. Missing colours are 0, missing alpha is 255.
func Pictures(ctx context.Context, data []byte, all bool) ([]*image.NRGBA, error) {
	s, err := parse(data, Options{})
	if err == nil {
		err = s.pictureFormat()
	}
	if err != nil {
		return nil, err
	}
	head, work := &s.File, s.work+slack
	part, levels := FirstImage, 1
	if all {
		part, levels = FirstLayer, head.Levels
	}
	f, err := Decode(ctx, data, Options{Part: part, raw: true, Budget: budget.New(head.PictureBytes(levels)+work, "the picture")})
	if err != nil {
		return nil, err
	}
	info, _ := format.Lookup(f.Format)
	from := s.stored
	if from == nil {
		from = plain(info)
	}
	rgba := s.stored == nil && (f.Format == vk.FormatR8G8B8A8Unorm || f.Format == vk.FormatR8G8B8A8Srgb)
	list := make([]*image.NRGBA, levels)
	for level := range list {
		width, height, _ := f.extent(level)
		out := &image.NRGBA{Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}
		switch src := f.data[level]; {
		case rgba && !f.Plain: // nobody else has them
			out.Pix = src
		case rgba:
			out.Pix = bytes.Clone(src)
		default:
			out.Pix = make([]byte, 4*width*height)
			if err := f.convert(ctx, out, src, from); err != nil {
				return nil, err
			}
		}
		list[level] = out
	}
	return list, nil
}

// convert decodes a level.
func (f *File) convert(ctx context.Context, out *image.NRGBA, src []byte, from *stored) error {
	color := fp.FloatToUnorm8
	if from.srgb {
		color = fp.LinearToSrgb
	}
	return from.each(ctx, f.Kind, out.Rect.Dx(), out.Rect.Dy(), 1, src, func(at int, row []format.Texel) {
		for i, t := range row {
			p := out.Pix[4*(at+i):][:4]
			for c := range 3 {
				p[c] = color(math.Float32frombits(t[c]))
			}
			p[3] = fp.FloatToUnorm8(math.Float32frombits(t[3]))
		}
	})
}
