// Package radiance reads pictures of light: Radiance .hdr files (RGBE, plain and run-length
// coded) and OpenEXR files (scan lines and tiles, several parts, layers, luminance and chroma; all
// types of channels, and all compressions but HTJ2K; deep pictures are refused). Files are taken to be
// hostile: memory is charged to a budget before it is taken, and every error is one line.
package radiance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/input"
)

// Image is a picture in linear light. Of OpenEXR it is the display window: what was not stored of
// it is black and transparent. Of an environment (envmap) it is the data window.
type Image struct {
	Width, Height int
	// Pixels are red, green and blue of each pixel, rows from the top, of the primaries of Rec. 709;
	// colours of other primaries (OpenEXR's chromaticities) were converted, with white as white. They
	// are finite and not negative: what is no number, or darker than black, was read as 0, infinity as
	// the largest 16-bit float, 65504. 1 is what the file has as 1: how bright that is in the scene
	// (whiteLuminance) is not taken into account.
	Pixels []float32
	// Alpha is of each pixel, where Options asked for it: what the file has, finite, and 1 where it has
	// none. OpenEXR's colours are premultiplied with it.
	Alpha []float32
	// Cube says that the picture is six square faces of a cube, one below the other, no panorama.
	Cube bool
	// Warnings say, one line each, what was chosen, converted or repaired.
	Warnings []string
	// Losses are those Warnings that tell of a picture that lacks something.
	Losses []string
}

// Options say what of a file is read. Zero is the picture that programs show first.
type Options struct {
	// Budget is charged with the picture for as long as it lives; nil means one of budget.Default for
	// this call.
	Budget *budget.Budget
	// Layer is the name of a part of an OpenEXR file or, where no part has it, of a layer: what stands
	// before the last dot in the names of its channels. Empty means the first part that has channels R,
	// G and B, or Y, by themselves, or else in a layer. It is an error for .hdr files.
	Layer string
	// Alpha asks for Image.Alpha.
	Alpha bool
}

// Error says what is wrong with a file.
type Error struct {
	File    string // its name, as Load or Read got it
	Message string
	// Err is the cause, where there is one: a *budget.Error, a context's error, …
	Err error
}

// Error returns file, message and cause on one line.
func (e *Error) Error() string {
	s := e.File + ": " + e.Message
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Load reads a file, told apart by content. The picture is charged to the budget for as long as
// it lives; nil means one of budget.Default for this call. Errors are *Error.
func Load(ctx context.Context, path string, b *budget.Budget) (*Image, error) {
	return Options{Budget: b}.Load(ctx, path)
}

// Read is Load from a reader; name stands in errors.
func Read(ctx context.Context, r io.Reader, name string, b *budget.Budget) (*Image, error) {
	return Options{Budget: b}.Read(ctx, r, name)
}

// Load is the function Load with options.
func (o Options) Load(ctx context.Context, path string) (*Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return o.Read(ctx, f, path)
}

// Read is the function Read with options.
func (o Options) Read(ctx context.Context, r io.Reader, name string) (*Image, error) {
	b := o.Budget
	if b == nil {
		b = budget.New(budget.Default, "the budget of radiance.Read")
	}
	data, err := input.ReadAll(ctx, r, -1, b)
	if err != nil {
		return nil, &Error{filepath.Clean(name), "reading", err}
	}
	defer b.Drop(int64(cap(data)))
	d := decoder{ctx: ctx, budget: b, layer: o.Layer, alpha: o.Alpha}
	var img *Image
	switch {
	case bytes.HasPrefix(data, []byte("#?")) && o.Layer != "":
		err = fail("Radiance files have no layers: want none, not %q", shortened(o.Layer))
	case bytes.HasPrefix(data, []byte("#?")):
		img, err = d.hdr(data)
	case bytes.HasPrefix(data, []byte{0x76, 0x2f, 0x31, 0x01}):
		img, err = d.exr(data)
	default:
		err = &Error{Message: "is neither a Radiance (.hdr) nor an OpenEXR (.exr) file"}
	}
	if err == nil && o.Alpha && img.Alpha == nil { // .hdr files have none
		if err = d.take(4*int64(img.Width)*int64(img.Height), "alpha of %d × %d pixels", img.Width, img.Height); err == nil {
			img.Alpha = slices.Repeat([]float32{1}, img.Width*img.Height)
		}
	}
	if err != nil {
		b.Drop(d.held)
		if e, ok := err.(*Error); ok {
			e.File = filepath.Clean(name)
			return nil, e
		}
		return nil, &Error{filepath.Clean(name), "decoding", err}
	}
	img.Warnings, img.Losses = d.warnings, d.losses
	pixels := 4 * int64(len(img.Pixels)+len(img.Alpha))
	b.Drop(d.held - pixels)
	budget.Keep(b, pixels, img)
	return img, nil
}

// decoder charges what it holds.
type decoder struct {
	ctx    context.Context
	budget *budget.Budget
	held   int64

	layer            string // see Options
	alpha            bool
	warnings, losses []string
}

// take charges bytes for what is named.
func (d *decoder) take(n int64, format string, args ...any) error {
	if err := d.budget.Take(n); err != nil {
		return &Error{Message: fmt.Sprintf(format, args...), Err: err}
	}
	d.held += n
	return nil
}

// maxExtent bounds width and height.
const maxExtent = 1 << 17

// image makes the picture.
func (d *decoder) image(width, height int) (*Image, error) {
	if width < 1 || height < 1 || width > maxExtent || height > maxExtent {
		return nil, fail("%d × %d pixels: want 1 to %d each way", width, height, maxExtent)
	}
	n := int64(width) * int64(height)
	if err := d.take(12*n, "%d × %d pixels", width, height); err != nil {
		return nil, err
	}
	return &Image{Width: width, Height: height, Pixels: make([]float32, 3*n)}, nil
}

func fail(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...)} }

// brightest is the largest finite 16-bit float.
const brightest = 65504

// finite makes a number of one that is none, or infinite.
func finite(v float32) float32 {
	switch {
	case v-v == 0:
		return v
	case v > 0:
		return brightest
	case v < 0:
		return -brightest
	default:
		return 0
	}
}

// light makes of a number what Image.Pixels says.
func light(v float32) float32 {
	switch {
	case !(v > 0): // NaN too
		return 0
	case v > math.MaxFloat32:
		return brightest
	default:
		return v
	}
}
