package texture

import (
	"context"
	"fmt"
	"image"
	"math"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// slack is what Picture takes beside pictures and codebooks.
const slack = 128 << 10

// Inspect reads the header of a file for Picture. The File has no texels; the number is the memory that Picture takes besides its
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

// pictureFormat refuses what is no picture of 8-bit colours.
func (f *File) pictureFormat() error {
	info, _ := format.Lookup(f.Format)
	no := func(format string, args ...any) error {
		return &Error{Kind: f.Kind, Msg: fmt.Sprintf(format, args...), Unsupported: true}
	}
	switch {
	case f.Height == 0 || f.Depth > 1:
		return no("%d × %d × %d texels are no picture", f.Width, f.Height, f.Depth)
	case f.Cube:
		return no("a cube is no picture")
	case f.Layers > 1:
		return no("%d layers are no picture", f.Layers)
	case info.Depth() || info.Stencil() || info.Chroma != "" || info.Numeric != format.NumericUnorm && info.Numeric != format.NumericSrgb:
		return no("%v has no colours of 0 to 1", f.Format)
	}
	return nil
}

// Picture decodes the first image of a file to 8 bits a channel: the codes of sRGB formats, rounded where a format has more than
// 8 bits. Missing colours are 0, missing alpha is 255.
func Picture(ctx context.Context, data []byte) (*image.NRGBA, error) {
	head, work, err := Inspect(data)
	if err != nil {
		return nil, err
	}
	texels := 4 * int64(head.Width) * int64(head.Height)
	f, err := Decode(ctx, data, Options{First: true, Budget: budget.New(texels+work, "the picture")})
	if err != nil {
		return nil, err
	}
	out := &image.NRGBA{Stride: 4 * f.Width, Rect: image.Rect(0, 0, f.Width, f.Height)}
	rgba := f.Format == vk.FormatR8G8B8A8Unorm || f.Format == vk.FormatR8G8B8A8Srgb
	if rgba && !f.Plain { // nobody else has them
		out.Pix = f.data[0]
		return out, nil
	}
	out.Pix = make([]byte, texels)
	if rgba {
		copy(out.Pix, f.data[0])
		return out, nil
	}
	return out, f.convert(ctx, out)
}

// convert decodes level 0.
func (f *File) convert(ctx context.Context, out *image.NRGBA) error {
	info, _ := format.Lookup(f.Format)
	color := fp.FloatToUnorm8
	if info.Numeric == format.NumericSrgb {
		color = fp.LinearToSrgb
	}
	var block [format.MaxBlockTexels]format.Texel
	src := f.data[0]
	for y := 0; y < f.Height; y += info.BlockHeight {
		if err := ctx.Err(); err != nil {
			return &Error{Kind: f.Kind, Msg: "decoding", Err: err}
		}
		for x := 0; x < f.Width; x += info.BlockWidth {
			info.DecodeBlock(block[:info.BlockTexels()], src)
			src = src[info.BlockBytes:]
			for k, t := range block[:info.BlockTexels()] {
				i, j := x+k%info.BlockWidth, y+k/info.BlockWidth
				if i >= f.Width || j >= f.Height {
					continue
				}
				p := out.Pix[j*out.Stride+4*i:][:4]
				for c := range 3 {
					p[c] = color(math.Float32frombits(t[c]))
				}
				p[3] = fp.FloatToUnorm8(math.Float32frombits(t[3]))
			}
		}
	}
	return nil
}
