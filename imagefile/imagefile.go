// Package imagefile reads images with their format, levels and layers as files
// keep them for graphics APIs: KTX 2 (plain, Zstandard and zlib), DDS, .astc,
// and PNG and JPEG. Nothing is decoded: the bytes are those of the Vulkan format
// that File.Format names, for pumice.Image.Write, or File.Upload.
package imagefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"io"
	"math"
	"os"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/vk"
)

// File is an image out of a file.
type File struct {
	Format vk.Format
	// Width, Height and Depth of level 0 in texels. Height 0 is a 1D image,
	// Depth 0 no 3D image.
	Width, Height, Depth int
	// Levels and Layers are 1 or more. Layers of a cube are a multiple of 6, in
	// the order +X, −X, +Y, −Y, +Z, −Z.
	Levels, Layers int
	// Array says that a view of all of it is an array, even of one layer.
	Array, Cube bool

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
	// SRGB reads formats that do not tell their transfer function (.astc, PNG,
	// JPEG) as sRGB.
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

func (e *Error) Error() string {
	s := e.Kind + " file: " + e.Msg
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Rule != "" {
		s += " [" + e.Rule + "]"
	}
	return s
}

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
	case bytes.HasPrefix(data, []byte(ktx2Identifier)):
		f, err = decodeKTX2(ctx, data, opt)
	case bytes.HasPrefix(data, []byte("DDS ")):
		f, err = decodeDDS(data, opt)
	case bytes.HasPrefix(data, []byte(astcMagic)):
		f, err = decodeASTC(data, opt)
	case bytes.HasPrefix(data, []byte("\xABKTX 11\xBB")):
		err = &Error{Kind: "KTX 1", Msg: "version 1 names formats of OpenGL; convert it to KTX 2", Unsupported: true}
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

// decodePicture reads PNG and JPEG as R8G8B8A8, not premultiplied.
func decodePicture(ctx context.Context, data []byte, opt Options) (*File, error) {
	p, err := input.Inspect(data)
	if err != nil {
		return nil, &Error{Kind: "image", Msg: "neither KTX 2, DDS, ASTC, PNG nor JPEG", Err: err}
	}
	if p.Height < 1 { // which check takes for an image of one dimension
		return nil, &Error{Kind: p.Kind, Msg: "a picture without rows"}
	}
	f := &File{Format: vk.FormatR8G8B8A8Unorm, Width: p.Width, Height: p.Height, Levels: 1, Layers: 1}
	if opt.SRGB {
		f.Format = vk.FormatR8G8B8A8Srgb
	}
	if err := f.check(p.Kind, opt); err != nil {
		return nil, err
	}
	texels := f.bytes()
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

// Bounds of what is believed before memory is taken.
const (
	maxExtent = 1 << 16
	maxLayers = 1 << 14
)

// check refuses extents and counts that no image has, and what will not fit, before
// anything is allocated for them.
func (f *File) check(kind string, opt Options) error {
	bad := func(format string, args ...any) error { return &Error{Kind: kind, Msg: fmt.Sprintf(format, args...)} }
	info, ok := format.Lookup(f.Format)
	if !ok {
		return bad("format %d is not known", int(f.Format))
	}
	switch {
	case info.MultiPlanar():
		return &Error{Kind: kind, Msg: fmt.Sprintf("%v has several planes", f.Format), Unsupported: true}
	case info.Depth() && info.Stencil():
		return &Error{Kind: kind, Msg: fmt.Sprintf("%v: depth and stencil in one texel", f.Format), Unsupported: true}
	}
	if f.Width < 1 || f.Width > maxExtent || f.Height < 0 || f.Height > maxExtent || f.Depth < 0 || f.Depth > maxExtent {
		return bad("%d × %d × %d texels; up to %d in each direction", f.Width, f.Height, f.Depth, maxExtent)
	}
	if f.Layers < 1 || f.Layers > maxLayers {
		return bad("%d layers; 1 to %d", f.Layers, maxLayers)
	}
	largest := max(f.Width, f.Height, f.Depth)
	if f.Levels < 1 || largest>>(f.Levels-1) == 0 {
		return bad("%d levels for %d × %d × %d texels", f.Levels, f.Width, f.Height, f.Depth)
	}
	if f.Cube && (f.Layers%6 != 0 || f.Width != f.Height || f.Depth != 0) {
		return bad("a cube of %d layers of %d × %d texels", f.Layers, f.Width, f.Height)
	}
	copies := int64(0)
	if !f.plain {
		copies++
	}
	if opt.Upload {
		copies++
	}
	if err := opt.Budget.Fits(budget.Mul(f.bytes(), copies)); err != nil {
		return &Error{Kind: kind, Msg: fmt.Sprintf("%d × %d × %d texels, %d levels, %d layers", f.Width, max(1, f.Height), max(1, f.Depth), f.Levels, f.Layers), Err: err}
	}
	return nil
}

// subresources makes room for all levels and layers.
func (f *File) subresources(kind string, opt Options) error {
	n := int64(f.Levels * f.Layers)
	if err := opt.Budget.Take(24 * n); err != nil {
		return &Error{Kind: kind, Msg: fmt.Sprintf("%d levels of %d layers", f.Levels, f.Layers), Err: err}
	}
	f.charge += 24 * n
	f.data = make([][]byte, n)
	return nil
}

// bytes is the size of all levels and layers of an image that was checked.
func (f *File) bytes() int64 {
	info, _ := format.Lookup(f.Format)
	total := int64(0)
	for l := range f.Levels {
		total += budget.Mul(f.levelBytes(info, l), int64(f.Layers))
		if total < 0 {
			return math.MaxInt64
		}
	}
	return total
}

// levelBytes is the size of one layer of a level, tightly packed. It fits an
// int64: extents are below 2¹⁶ and blocks below 64 bytes.
func (f *File) levelBytes(info *format.Info, level int) int64 {
	blocks := func(extent, block int) int64 { return int64((max(1, extent>>level) + block - 1) / block) }
	return blocks(f.Width, info.BlockWidth) * blocks(f.Height, info.BlockHeight) * blocks(f.Depth, info.BlockDepth) * int64(info.BlockBytes)
}

// Level returns the texels of one level of one layer: blocks row by row and
// slice by slice, tightly packed. The slice is the file's own.
func (f *File) Level(level, layer int) []byte { return f.data[level*f.Layers+layer] }

// ImageDesc describes the image for pumice.Device.NewImage.
func (f *File) ImageDesc() pumice.ImageDesc {
	return pumice.ImageDesc{
		Format: f.Format, Width: f.Width, Height: f.Height, Depth: f.Depth, MipLevels: f.Levels, Layers: f.Layers, Cube: f.Cube,
	}
}

// Upload makes an image with all levels and layers.
func (f *File) Upload(dev *pumice.Device) (*pumice.Image, error) {
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
