// Package imagefile reads images with their format, levels and layers as files
// keep them for graphics APIs: KTX 2 (plain, Zstandard, zlib and Basis Universal),
// DDS and .astc; pictures: PNG, JPEG, WebP, GIF, BMP and TGA; and light: OpenEXR and
// Radiance's .hdr. The bytes are those of the Vulkan format that File.Format names, for
// pumice.Image.Write, or File.Upload. Pictures and Basis Universal are decoded to R8G8B8A8,
// light to R32G32B32A32_SFLOAT, and texels of KTX 2 and DDS files that no format of
// Vulkan's has (grey, bits that mean nothing, components that stand for others) to the
// smallest format with four components that holds their numbers.
package imagefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"io"
	"os"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/internal/texture"
	"github.com/pumice-gpu/pumice/vk"
)

// File is an image out of a file.
type File struct {
	// Kind is the file's: "KTX 2", "DDS", "ASTC", "PNG", "JPEG", "WebP", "GIF", "BMP", "TGA", "OpenEXR" or "Radiance".
	Kind   string
	Format vk.Format
	// Stored names what KTX 2 and DDS files have where that is not Format: "ETC1S", "RXGB", "VK_FORMAT_R8_UNORM as rrr1".
	Stored string
	// Width, Height and Depth of level 0 in texels. Height 0 is a 1D image,
	// Depth 0 no 3D image.
	Width, Height, Depth int
	// Levels and Layers are 1 or more. Layers of a cube are a multiple of 6, in
	// the order +X, −X, +Y, −Y, +Z, −Z.
	Levels, Layers int
	// Array says that a view of all of it is an array, even of one layer.
	Array, Cube bool
	// Warnings tell what the file says against its rules, and what was done with it, a line each: a pyramid of levels that is cut
	// off, faces of a cube that are missing, colours that are premultiplied.
	Warnings []string

	data   [][]byte // by level · Layers + layer
	charge int64    // bytes that the budget was charged for this
	plain  bool     // data are the file's own bytes
}

// Options says how to read a file.
type Options struct {
	// Budget is charged for the file and for what its decoding takes, and as long as
	// the File is in use for its texels; nil means one of its own, of
	// budget.Default. With the same Budget in pumice.Config, the image that
	// File.Upload makes counts, too.
	Budget *budget.Budget
	// Upload says that File.Upload comes next, on a device of the same Budget: a file
	// that leaves no memory for it is refused before it is decoded.
	Upload bool
	// SRGB reads formats that do not tell their transfer function (.astc, and all pictures
	// but light) as sRGB.
	SRGB bool
	// HDR reads .astc files, which do not tell, as blocks of high range.
	HDR bool
}

// Error tells what is wrong with a file.
type Error struct {
	Kind string // of the file: "KTX 2", "DDS", …
	Rule string // where the file's specification says so
	Msg  string
	// Unsupported: the file may be right, but this package can't read it.
	Unsupported bool
	// Err is the cause, if there is one: a *budget.Error where the file needs more
	// memory than there is, or the context's.
	Err error
}

func (e *Error) Error() string { return (*texture.Error)(e).Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Open reads a file by name.
func Open(ctx context.Context, name string, opt Options) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	im, err := decode(ctx, f, info.Size(), opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return im, nil
}

// Decode reads a file of any kind; its first bytes tell which. Errors are *Error,
// or those of the reader.
func Decode(ctx context.Context, r io.Reader, opt Options) (*File, error) {
	if r == nil {
		return nil, &Error{Kind: "image", Msg: "the reader is nil"}
	}
	return decode(ctx, r, -1, opt)
}

// decode reads a file of probably size bytes.
func decode(ctx context.Context, r io.Reader, size int64, opt Options) (*File, error) {
	if opt.Budget == nil {
		opt.Budget = budget.New(budget.Default, "Options.Budget")
	}
	data, err := input.ReadAll(ctx, r, size, opt.Budget)
	if err != nil {
		var over *budget.Error
		if errors.As(err, &over) {
			err = &Error{Kind: "image", Msg: "reading it", Err: err}
		}
		return nil, err
	}
	var f *File
	switch {
	case texture.Is(data):
		f, err = decodeTexture(ctx, data, opt)
	case bytes.HasPrefix(data, []byte("\xABKTX 11\xBB")):
		err = &Error{Kind: "KTX 1", Msg: "version 1 names formats of OpenGL; make KTX 2 of it: ktx2ktx2 FILE", Unsupported: true}
	case isLight(data):
		f, err = decodeLight(ctx, data, opt)
	default:
		f, err = decodePicture(ctx, data, opt)
	}
	if err != nil || !f.plain {
		opt.Budget.Drop(int64(cap(data)))
	} else {
		f.charge += int64(cap(data))
	}
	if err != nil {
		return nil, err
	}
	budget.Keep(opt.Budget, f.charge, f)
	return f, nil
}

// decodeTexture reads a file of package texture.
func decodeTexture(ctx context.Context, data []byte, opt Options) (*File, error) {
	o := texture.Options{Budget: opt.Budget, SRGB: opt.SRGB, HDR: opt.HDR}
	if opt.Upload {
		o.Copies = 1
	}
	t, err := texture.Decode(ctx, data, o)
	var e *texture.Error
	if errors.As(err, &e) {
		return nil, &Error{Kind: e.Kind, Rule: e.Rule, Msg: e.Msg, Unsupported: e.Unsupported, Err: e.Err}
	} else if err != nil {
		return nil, err
	}
	return &File{
		Kind: t.Kind, Format: t.Format, Stored: t.Stored, Width: t.Width, Height: t.Height, Depth: t.Depth, Levels: t.Levels, Layers: t.Layers, Array: t.Array, Cube: t.Cube,
		Warnings: t.Warnings, data: t.Texels(), charge: t.Charge, plain: t.Plain,
	}, nil
}

// pictureKinds are the names of those of package input.
var pictureKinds = map[string]string{"png": "PNG", "jpeg": "JPEG", "webp": "WebP", "gif": "GIF", "bmp": "BMP", "tga": "TGA"}

// KindOf names the kind of image that begins with such bytes, 64 or all of the file: one of File.Kind, or one that is known and
// cannot be read, such as "AVIF". It is "" where no image begins so.
func KindOf(head []byte) string {
	if kind := texture.Kind(head); kind != "" {
		return kind
	}
	if isLight(head) {
		return lightKind(head)
	}
	if kind := input.Kind(head); kind != "" {
		return pictureKinds[kind]
	}
	return input.Foreign(head)
}

// maxExtent is the largest width and height of a picture.
const maxExtent = 1 << 16

// decodePicture reads pictures of 8 or 16 bits as R8G8B8A8, not premultiplied.
func decodePicture(ctx context.Context, data []byte, opt Options) (*File, error) {
	p, err := input.Inspect(data)
	if kind := input.Foreign(data); kind != "" && errors.Is(err, input.ErrKind) {
		return nil, &Error{Kind: kind, Msg: "its kind is not supported; make PNG or KTX 2 of it", Unsupported: true}
	} else if errors.Is(err, input.ErrKind) {
		return nil, &Error{Kind: "image", Msg: "neither KTX 2, DDS, ASTC, OpenEXR nor Radiance", Err: err}
	} else if err != nil {
		return nil, &Error{Kind: p.Kind, Msg: "the header", Err: err}
	}
	f := &File{Kind: pictureKinds[p.Kind], Format: vk.FormatR8G8B8A8Unorm, Width: p.Width, Height: p.Height, Levels: 1, Layers: 1, Warnings: p.Warnings}
	if opt.SRGB {
		f.Format = vk.FormatR8G8B8A8Srgb
	}
	if f.Width < 1 || f.Height < 1 || f.Width > maxExtent || f.Height > maxExtent {
		return nil, &Error{Kind: p.Kind, Msg: fmt.Sprintf("%d × %d texels; 1 to %d in each direction", f.Width, f.Height, maxExtent)}
	}
	texels, copies := 4*int64(f.Width)*int64(f.Height), int64(1)
	if opt.Upload {
		copies++
	}
	if err := opt.Budget.Fits(texels * copies); err != nil {
		return nil, &Error{Kind: p.Kind, Msg: fmt.Sprintf("%d × %d × 1 texels, 1 levels, 1 layers", f.Width, f.Height), Err: err}
	}
	need := p.Result + p.Decoding
	if !p.Straight {
		need += texels
	}
	if err := opt.Budget.Take(need); err != nil {
		return nil, &Error{Kind: p.Kind, Msg: fmt.Sprintf("decoding %d × %d texels", p.Width, p.Height), Err: err}
	}
	src, err := input.Decode(ctx, data, p)
	if err != nil {
		opt.Budget.Drop(need)
		return nil, &Error{Kind: p.Kind, Msg: "decoding", Err: err}
	}
	dst, ok := input.Straight(src)
	if !ok {
		dst = image.NewNRGBA(image.Rect(0, 0, p.Width, p.Height))
		draw.Draw(dst, dst.Rect, src, src.Bounds().Min, draw.Src)
	}
	opt.Budget.Drop(need - texels)
	f.data, f.charge = [][]byte{dst.Pix}, texels
	return f, nil
}

// Level returns the texels of one level of one layer: blocks row by row and
// slice by slice, tightly packed. The slice is the file's own; nil where the file has no such level or layer.
func (f *File) Level(level, layer int) []byte {
	if f == nil || level < 0 || layer < 0 || layer >= f.Layers || level >= f.Levels || level*f.Layers+layer >= len(f.data) {
		return nil
	}
	return f.data[level*f.Layers+layer]
}

// ImageDesc describes the image for pumice.Device.NewImage.
func (f *File) ImageDesc() pumice.ImageDesc {
	if f == nil {
		return pumice.ImageDesc{}
	}
	return pumice.ImageDesc{
		Format: f.Format, Width: f.Width, Height: f.Height, Depth: f.Depth, MipLevels: f.Levels, Layers: f.Layers, Cube: f.Cube,
	}
}

// Upload makes an image with all levels and layers.
func (f *File) Upload(dev *pumice.Device) (*pumice.Image, error) {
	if f == nil {
		return nil, &Error{Kind: "image", Msg: "the file is nil; check the error of the call that read it"}
	}
	im, err := dev.NewImage(f.ImageDesc())
	if err != nil {
		return nil, err
	}
	for level := range f.Levels {
		for layer := range f.Layers {
			if err := im.Write(context.Background(), pumice.Subresource{Level: level, Layer: layer}, f.Level(level, layer)); err != nil {
				im.Close()
				return nil, err
			}
		}
	}
	return im, nil
}
