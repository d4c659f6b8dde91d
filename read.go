package pumice

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// NewImageFrom makes an image and uploads img to its level 0. opts may be nil;
// its size is ignored, its Format may be any uncompressed colour format, by
// default R8G8B8A8_SRGB (alpha not premultiplied). With MipLevels other than 0
// or 1 the other levels are generated.
func (d *Device) NewImageFrom(img image.Image, opts *ImageDesc) (*Image, error) {
	const op = "Device.NewImageFrom"
	if img == nil {
		return nil, &Error{Op: op, Rule: "nil object", Detail: "the image is nil"}
	}
	var desc ImageDesc
	if opts != nil {
		desc = *opts
	}
	size := img.Bounds().Size()
	desc.Width, desc.Height, desc.Depth = size.X, size.Y, 0
	if size.X == 0 || size.Y == 0 {
		return nil, &Error{Op: op, Rule: "VUID-VkImageCreateInfo-extent-00944", Detail: fmt.Sprintf("an image of %d×%d", size.X, size.Y)}
	}
	im, err := d.NewImage(desc)
	if err != nil {
		return nil, err
	}
	data, err := encodeImage(op, im.core, img)
	if err == nil {
		err = im.Write(context.Background(), Subresource{}, data)
	}
	if err == nil && desc.MipLevels != 0 && desc.MipLevels != 1 {
		err = im.GenerateMipmaps()
	}
	if err != nil {
		_ = im.Close() // the first error is the one to report
		return nil, err
	}
	return im, nil
}

// encodeImage converts img to tightly packed texels of im's format.
func encodeImage(op string, im *core.Image, img image.Image) ([]byte, error) {
	b := img.Bounds()
	f := im.Info().Format
	if f == vk.FormatR8G8B8A8Srgb || f == vk.FormatR8G8B8A8Unorm {
		n, ok := img.(*image.NRGBA)
		if !ok || n.Stride != 4*b.Dx() {
			n = image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
			draw.Draw(n, n.Rect, img, b.Min, draw.Src)
		}
		return n.Pix[:4*b.Dx()*b.Dy()], nil
	}
	row := make([]core.Color, b.Dx())
	var data []byte
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := range row {
			c := color.NRGBA64Model.Convert(img.At(b.Min.X+x, y)).(color.NRGBA64)
			row[x] = core.Color{float32(c.R) / 65535, float32(c.G) / 65535, float32(c.B) / 65535, float32(c.A) / 65535}
		}
		var err error
		if data, err = core.AppendTexels(core.Op(op), data, f, row); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// read reads level 0, layer 0 and returns it with its extent.
func (im *Image) read(ctx context.Context, op string) ([]byte, image.Rectangle, error) {
	if im.object() == nil {
		return nil, image.Rectangle{}, &Error{Op: op, Rule: "nil object", Detail: "the image is nil", Hint: "check the error of the call that made it"}
	}
	info := im.core.Info()
	if info.Samples != 1 {
		return nil, image.Rectangle{}, &Error{Op: op, Rule: "samples", Detail: fmt.Sprintf("the image has %d samples", info.Samples), Hint: "resolve it: Attachment.Resolve or CommandBuffer.ResolveImage"}
	}
	data, err := im.core.Read(ctx, core.Subresource{})
	return data, image.Rect(0, 0, int(info.Extent.Width), int(info.Extent.Height)), err
}

// texels calls f with each row of what read returned, as colours from 0 to 1,
// sRGB-encoded where the format is sRGB or floating-point: the colours of a whole
// image would take several times its memory.
func (im *Image) texels(op string, data []byte, size image.Rectangle, f func(y int, row []core.Color)) error {
	stride := len(data) / size.Dy()
	for y := range size.Dy() {
		row, err := core.Texels(core.Op(op), data[y*stride:][:stride], im.core.Info().Format, size.Dx(), 1)
		if err != nil {
			return err
		}
		f(y, row)
	}
	return nil
}

func quantize8(v float32) uint8   { return uint8(math.RoundToEven(float64(v) * 255)) }
func quantize16(v float32) uint16 { return uint16(math.RoundToEven(float64(v) * 65535)) }

// ReadNRGBA returns level 0, layer 0. UNORM and sRGB values appear as they are
// stored, floating-point values are clamped to 0…1 and encoded as sRGB, missing
// components are 0 and missing alpha is opaque. Multisampled images must be
// resolved before.
func (im *Image) ReadNRGBA(ctx context.Context) (*image.NRGBA, error) {
	out, err := im.read8(ctx, "Image.ReadNRGBA")
	return out, err
}

// ReadRGBA is ReadNRGBA for contents whose colours are premultiplied.
func (im *Image) ReadRGBA(ctx context.Context) (*image.RGBA, error) {
	out, err := im.read8(ctx, "Image.ReadRGBA")
	if err != nil {
		return nil, err
	}
	return &image.RGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect}, nil
}

func (im *Image) read8(ctx context.Context, op string) (*image.NRGBA, error) {
	data, size, err := im.read(ctx, op)
	if err != nil {
		return nil, err
	}
	if f := im.core.Info().Format; f == vk.FormatR8G8B8A8Unorm || f == vk.FormatR8G8B8A8Srgb {
		return &image.NRGBA{Pix: data, Stride: 4 * size.Dx(), Rect: size}, nil
	}
	out := image.NewNRGBA(size)
	err = im.texels(op, data, size, func(y int, row []core.Color) { quantizeRow(out, y, row) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

func quantizeRow(out *image.NRGBA, y int, row []core.Color) {
	pix := out.Pix[y*out.Stride:]
	for x, c := range row {
		for k := range 4 {
			pix[4*x+k] = quantize8(c[k])
		}
	}
}

// ReadImage returns level 0, layer 0 as the type of package image that fits:
// Gray or Gray16 for one component and for depth, NRGBA64 for UNORM components of
// more than 10 bits, else NRGBA.
func (im *Image) ReadImage(ctx context.Context) (image.Image, error) {
	const op = "Image.ReadImage"
	data, size, err := im.read(ctx, op)
	if err != nil {
		return nil, err
	}
	var out image.Image
	var row func(y int, row []core.Color)
	components, bits := core.FormatShape(im.core.Info().Format)
	switch {
	case components == 1 && bits <= 8:
		gray := image.NewGray(size)
		out, row = gray, func(y int, row []core.Color) {
			for x, c := range row {
				gray.Pix[y*gray.Stride+x] = quantize8(c[0])
			}
		}
	case components == 1:
		gray := image.NewGray16(size)
		out, row = gray, func(y int, row []core.Color) {
			for x, c := range row {
				gray.SetGray16(x, y, color.Gray16{Y: quantize16(c[0])})
			}
		}
	case bits > 10:
		deep := image.NewNRGBA64(size)
		out, row = deep, func(y int, row []core.Color) {
			for x, c := range row {
				deep.SetNRGBA64(x, y, color.NRGBA64{R: quantize16(c[0]), G: quantize16(c[1]), B: quantize16(c[2]), A: quantize16(c[3])})
			}
		}
	default:
		straight := image.NewNRGBA(size)
		out, row = straight, func(y int, row []core.Color) { quantizeRow(straight, y, row) }
	}
	if err := im.texels(op, data, size, row); err != nil {
		return nil, err
	}
	return out, nil
}

// ClearColor converts c to the clear value of an attachment of format f: c's
// components without premultiplication, decoded to linear for sRGB and
// floating-point formats, so that what is read back is c.
func ClearColor(f vk.Format, c color.Color) (v vk.ClearColorValue) {
	if c == nil {
		return v
	}
	n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
	encoded := core.Color{float32(n.R) / 65535, float32(n.G) / 65535, float32(n.B) / 65535, float32(n.A) / 65535}
	v.Float32 = core.Linear(f, encoded)
	return v
}
