package gltf

import (
	"context"
	"fmt"
	"image"
	"math"

	"github.com/pumice-gpu/pumice/internal/input"
)

// derived adds a picture of a size that is made of others when it is decoded, once a key.
func (a *meshAssembler) derived(key string, size *Image, derive func(ctx context.Context) (*image.NRGBA, error)) *Image {
	if im := a.images[key]; im != nil {
		return im
	}
	im := &Image{Index: len(a.doc.Images), Name: key, Width: size.Width, Height: size.Height, Levels: 1, budget: a.budget, file: a.file, derive: derive}
	im.header = input.Picture{Width: im.Width, Height: im.Height, Result: im.texels(4), Straight: true}
	a.images[key] = im
	a.doc.Images = append(a.doc.Images, im)
	return im
}

// nearest returns the texel of a picture for one of another size.
func nearest(im *image.NRGBA, x, y, width, height int) []uint8 {
	b := im.Rect
	if b.Dx() != width {
		x = x * b.Dx() / width
	}
	if b.Dy() != height {
		y = y * b.Dy() / height
	}
	return im.Pix[y*im.Stride+4*x:][:4]
}

// each fills a new picture of a size, and asks the context once a row.
func each(ctx context.Context, width, height int, f func(out []uint8, x, y int)) (*image.NRGBA, error) {
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for x := range width {
			f(out.Pix[y*out.Stride+4*x:], x, y)
		}
	}
	return out, nil
}

// luminance is the weighted sum of a texel's channels as they are stored (Rec. 709), rounded.
func luminance(t []uint8) uint8 {
	return uint8((2126*uint32(t[0]) + 7152*uint32(t[1]) + 722*uint32(t[2]) + 5000) / 10000)
}

// withAlpha is a colour picture, or white, with another picture's channel as alpha: as -imfchan says, or else its alpha where it has
// one, and its luminance.
func (a *meshAssembler) withAlpha(color, alpha *Image, channel byte) *Image {
	size := color
	if size == nil {
		size = alpha
	}
	name := "white"
	if color != nil {
		name = color.URI
	}
	return a.derived(fmt.Sprintf("%s with alpha of %s%s", name, alpha.URI, channelName(channel)), size, func(ctx context.Context) (*image.NRGBA, error) {
		mask, err := alpha.DecodeNRGBA(ctx)
		if err != nil {
			return nil, err
		}
		var base *image.NRGBA
		if color != nil {
			if base, err = color.DecodeNRGBA(ctx); err != nil {
				return nil, err
			}
		}
		of := alphaChannel(channel, mask)
		return each(ctx, size.Width, size.Height, func(out []uint8, x, y int) {
			out[0], out[1], out[2] = 255, 255, 255
			if base != nil {
				copy(out[:3], nearest(base, x, y, size.Width, size.Height))
			}
			out[3] = of(nearest(mask, x, y, size.Width, size.Height))
		})
	})
}

func channelName(channel byte) string {
	if channel == 0 {
		return ""
	}
	return fmt.Sprintf(", channel %c", channel)
}

// alphaChannel returns what reads a mask's texel.
func alphaChannel(channel byte, mask *image.NRGBA) func(t []uint8) uint8 {
	switch channel {
	case 'r', 'g', 'b':
		n := map[byte]int{'r': 0, 'g': 1, 'b': 2}[channel]
		return func(t []uint8) uint8 { return t[n] }
	case 'l':
		return luminance
	case 'm':
		return func(t []uint8) uint8 { return t[3] }
	}
	for i := 3; i < len(mask.Pix); i += 4 {
		if mask.Pix[i] != 255 {
			return func(t []uint8) uint8 { return t[3] }
		}
	}
	return luminance
}

// metallicRoughness puts roughness into green and metalness into blue, each from the red of its picture; one that has none is 1.
func (a *meshAssembler) metallicRoughness(rough, metal *Image) *Image {
	if rough == metal { // the channels are where glTF has them already
		return rough
	}
	size, name := rough, ""
	if size == nil {
		size = metal
	}
	for _, im := range []*Image{rough, metal} {
		if im != nil {
			if name != "" {
				name += " and "
			}
			name += im.URI
		}
	}
	return a.derived(fmt.Sprintf("roughness and metalness of %s", name), size, func(ctx context.Context) (*image.NRGBA, error) {
		var of [2]*image.NRGBA
		for i, im := range []*Image{rough, metal} {
			if im != nil {
				var err error
				if of[i], err = im.DecodeNRGBA(ctx); err != nil {
					return nil, err
				}
			}
		}
		return each(ctx, size.Width, size.Height, func(out []uint8, x, y int) {
			out[0], out[1], out[2], out[3] = 255, 255, 255, 255
			for i, im := range of {
				if im != nil {
					out[1+i] = nearest(im, x, y, size.Width, size.Height)[0]
				}
			}
		})
	})
}

// normals is a bump map as a normal map. Programs write both as map_Bump: what looks like normals is left as it is.
// Heights are the luminance, from 0 to 1; between neighbouring texels the whole range is a slope of 2·bump.
func (a *meshAssembler) normals(bump *Image, scale float32) *Image {
	return a.derived(fmt.Sprintf("normals of %s by %v", bump.URI, scale), bump, func(ctx context.Context) (*image.NRGBA, error) {
		im, err := bump.DecodeNRGBA(ctx)
		if err != nil || areNormals(im) {
			return im, err
		}
		w, h := bump.Width, bump.Height
		at := func(x, y int) float64 { return float64(luminance(nearest(im, (x+w)%w, (y+h)%h, w, h))) / 255 }
		return each(ctx, w, h, func(out []uint8, x, y int) {
			// Differences over two texels; up is against y.
			right := float64(scale) * (at(x+1, y) - at(x-1, y))
			up := float64(scale) * (at(x, y-1) - at(x, y+1))
			l := math.Sqrt(1 + float64(right*right) + float64(up*up))
			for k, v := range [3]float64{-right / l, -up / l, 1 / l} {
				out[k] = uint8(math.Round(127.5 + float64(127.5*v)))
			}
			out[3] = 255
		})
	})
}

// areNormals reports whether a picture is a normal map: it is bluer than red and green, and its texels are about as long as unit vectors.
func areNormals(im *image.NRGBA) bool {
	var sum [3]int64
	long, n := 0, 0
	for i := 0; i+3 < len(im.Pix); i += 4 {
		var square float64
		for k := range 3 {
			sum[k] += int64(im.Pix[i+k])
			v := float64(im.Pix[i+k])/127.5 - 1
			square += float64(v * v)
		}
		if n++; square > 0.5 && square < 1.5 {
			long++
		}
	}
	const bluer = 38 // 0.15 of 255
	return n > 0 && 10*long >= 9*n && sum[2]-sum[0] > bluer*int64(n) && sum[2]-sum[1] > bluer*int64(n)
}
