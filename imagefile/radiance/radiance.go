// Package radiance reads pictures of light: Radiance .hdr files (RGBE, plain and run-length
// coded) and OpenEXR files of one part in scan lines (16 and 32-bit floats; not compressed, RLE,
// ZIPS, ZIP and PIZ). Files are taken to be hostile: memory is charged to a budget before it is
// taken, and every error is one line.
package radiance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/input"
)

// Image is a picture in linear light.
type Image struct {
	Width, Height int
	// Pixels are red, green and blue of each pixel, rows from the top. They are finite and not
	// negative: what is no number, or darker than black, was read as 0, infinity as the largest
	// 16-bit float, 65504.
	Pixels []float32
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
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(ctx, f, path, b)
}

// Read is Load from a reader; name stands in errors.
func Read(ctx context.Context, r io.Reader, name string, b *budget.Budget) (*Image, error) {
	if b == nil {
		b = budget.New(budget.Default, "the budget of radiance.Read")
	}
	data, err := input.ReadAll(ctx, r, -1, b)
	if err != nil {
		return nil, &Error{filepath.Clean(name), "reading", err}
	}
	defer b.Drop(int64(cap(data)))
	d := decoder{ctx: ctx, budget: b}
	var img *Image
	switch {
	case bytes.HasPrefix(data, []byte("#?")):
		img, err = d.hdr(data)
	case bytes.HasPrefix(data, []byte{0x76, 0x2f, 0x31, 0x01}):
		img, err = d.exr(data)
	default:
		err = &Error{Message: "is neither a Radiance (.hdr) nor an OpenEXR (.exr) file"}
	}
	if err != nil {
		b.Drop(d.held)
		if e, ok := err.(*Error); ok {
			e.File = filepath.Clean(name)
			return nil, e
		}
		return nil, &Error{filepath.Clean(name), "decoding", err}
	}
	pixels := 12 * int64(img.Width) * int64(img.Height)
	b.Drop(d.held - pixels)
	budget.Keep(b, pixels, img)
	return img, nil
}

// decoder charges what it holds.
type decoder struct {
	ctx    context.Context
	budget *budget.Budget
	held   int64
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
	return &Image{width, height, make([]float32, 3*n)}, nil
}

func fail(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...)} }

// brightest is the largest finite 16-bit float.
const brightest = 65504

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
