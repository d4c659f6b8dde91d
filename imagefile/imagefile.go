// Package imagefile reads images with their format, levels and layers as files
// keep them for graphics APIs: KTX 2 (plain, Zstandard and zlib), DDS, .astc,
// and PNG and JPEG. Nothing is decoded: the bytes are those of the Vulkan format
// that File.Format names, for pumice.Image.Write, or File.Upload.
package imagefile

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	_ "image/jpeg" // for Decode
	_ "image/png"  // for Decode
	"io"
	"os"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/format"
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

	data [][]byte // by level · Layers + layer
}

// Options bound what a file may ask for.
type Options struct {
	// MaxBytes of texels, all levels and layers together; 0 means 1 GiB.
	MaxBytes int64
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
}

func (e *Error) Error() string {
	s := e.Kind + " file: " + e.Msg
	if e.Rule != "" {
		s += " [" + e.Rule + "]"
	}
	return s
}

// Open reads a file by name.
func Open(name string, opt Options) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	im, err := Decode(f, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return im, nil
}

// Decode reads a file of any kind; its first bytes tell which. It reads as much
// as Options.MaxBytes and 1 MiB of headers.
func Decode(r io.Reader, opt Options) (*File, error) {
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = 1 << 30
	}
	limit := opt.MaxBytes + 1<<20
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &Error{Kind: "image", Msg: fmt.Sprintf("more than %d bytes; Options.MaxBytes bounds it", limit)}
	}
	switch {
	case bytes.HasPrefix(data, []byte(ktx2Identifier)):
		return decodeKTX2(data, opt)
	case bytes.HasPrefix(data, []byte("DDS ")):
		return decodeDDS(data, opt)
	case bytes.HasPrefix(data, []byte(astcMagic)):
		return decodeASTC(data, opt)
	case bytes.HasPrefix(data, []byte("\xABKTX 11\xBB")):
		return nil, &Error{Kind: "KTX 1", Msg: "version 1 names formats of OpenGL; convert it to KTX 2", Unsupported: true}
	}
	return decodePicture(data, opt)
}

// decodePicture reads PNG and JPEG as R8G8B8A8, not premultiplied.
func decodePicture(data []byte, opt Options) (*File, error) {
	cfg, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, &Error{Kind: "image", Msg: "neither KTX 2, DDS, ASTC, PNG nor JPEG: " + err.Error()}
	}
	if cfg.Height < 1 { // which check takes for an image of one dimension
		return nil, &Error{Kind: kind, Msg: "a picture without rows"}
	}
	f := &File{Format: vk.FormatR8G8B8A8Unorm, Width: cfg.Width, Height: cfg.Height, Levels: 1, Layers: 1}
	if opt.SRGB {
		f.Format = vk.FormatR8G8B8A8Srgb
	}
	if err := f.check(kind, opt); err != nil {
		return nil, err
	}
	src, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, &Error{Kind: kind, Msg: err.Error()}
	}
	dst := image.NewNRGBA(image.Rect(0, 0, cfg.Width, cfg.Height))
	draw.Draw(dst, dst.Rect, src, src.Bounds().Min, draw.Src)
	f.data = [][]byte{dst.Pix}
	return f, nil
}

// Bounds of what is believed before memory is taken.
const (
	maxExtent = 1 << 16
	maxLayers = 1 << 14
)

// check refuses extents and counts that no image has, and more bytes than
// allowed, before anything is allocated for them.
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
	total := int64(0)
	for l := range f.Levels {
		n := f.levelBytes(info, l)
		if n > opt.MaxBytes || total+n*int64(f.Layers) > opt.MaxBytes {
			return bad("more than %d bytes of texels; Options.MaxBytes bounds them", opt.MaxBytes)
		}
		total += n * int64(f.Layers)
	}
	return nil
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
			if err := im.Write(level, layer, f.Level(level, layer)); err != nil {
				im.Close()
				return nil, err
			}
		}
	}
	return im, nil
}
