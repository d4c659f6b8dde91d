package webgpu

import (
	"context"
	"image"

	"github.com/gogpu/gputypes"
	"github.com/gogpu/wgpu"
)

// ReadNRGBA returns what a texture's first level and layer hold, for package golden and for files.
// The texture is width × height texels, of a format with four components of 8 bits, and has usage
// CopySrc: wgpu does not tell sizes. Values are as they are stored. It works with all backends of
// wgpu.
func ReadNRGBA(
	ctx context.Context,
	dev *wgpu.Device,
	t *wgpu.Texture,
	width, height int,
) (*image.NRGBA, error) {
	const op = "ReadNRGBA"
	if width <= 0 || height <= 0 || int64(width)*int64(height) > 1<<28 {
		return nil, missing(op, "", "pictures of %d×%d texels", width, height)
	}
	bgr := false
	switch f := t.Format(); f {
	case gputypes.TextureFormatRGBA8Unorm, gputypes.TextureFormatRGBA8UnormSrgb:
	case gputypes.TextureFormatBGRA8Unorm, gputypes.TextureFormatBGRA8UnormSrgb:
		bgr = true
	default:
		return nil, missing(op, "", "picture of format %s here: copy the texture to a buffer", f)
	}
	row := (4*width + 255) &^ 255 // as WebGPU wants it
	b, err := dev.CreateBuffer(
		&wgpu.BufferDescriptor{
			Label: op,
			Size:  uint64(row * height),
			Usage: wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst,
		},
	)
	if err != nil {
		return nil, failed(op, "", err)
	}
	defer b.Release()
	encoder, err := dev.CreateCommandEncoder(nil)
	if err != nil {
		return nil, failed(op, "", err)
	}
	encoder.CopyTextureToBuffer(t, b, []wgpu.BufferTextureCopy{{
		BufferLayout: wgpu.ImageDataLayout{BytesPerRow: uint32(row), RowsPerImage: uint32(height)},
		TextureBase:  wgpu.ImageCopyTexture{Texture: t},
		Size: wgpu.Extent3D{
			Width:              uint32(width),
			Height:             uint32(height),
			DepthOrArrayLayers: 1,
		}}})
	cmd, err := encoder.Finish()
	if err != nil {
		return nil, failed(op, "", err)
	}
	if _, err := dev.Queue().Submit(cmd); err != nil {
		return nil, failed(op, "", err)
	}
	if err := b.Map(ctx, wgpu.MapModeRead, 0, uint64(row*height)); err != nil {
		return nil, failed(op, "", err)
	}
	defer func() { _ = b.Unmap() }()
	r, err := b.MappedRange(0, uint64(row*height))
	if err != nil {
		return nil, failed(op, "", err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		copy(img.Pix[y*img.Stride:][:4*width], r.Bytes()[y*row:])
	}
	for i := 0; bgr && i < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+2] = img.Pix[i+2], img.Pix[i]
	}
	return img, nil
}
