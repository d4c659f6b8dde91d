// Package meshopt decodes the buffer views of EXT_meshopt_compression and
// KHR_meshopt_compression: three codecs (attributes, triangles, indices) and four
// filters that finish attributes. It is written from the extensions' specification.
//
// Streams are taken to be hostile: a stream that ends early, has bytes left over or
// names what was never written is an error; nothing is allocated but 8 KiB of
// scratch. The same stream gives the same bytes on every CPU.
package meshopt

import (
	"context"
	"errors"
	"fmt"
)

// Mode is the codec of a stream.
type Mode uint8

const (
	Attributes Mode = iota // elements of any kind, as byte deltas
	Triangles              // indices of a triangle list
	Indices                // any other indices
)

// Filter is what turns decoded attributes into the values that they stand for.
type Filter uint8

const (
	None        Filter = iota
	Octahedral         // unit vectors, 4 × 8 or 4 × 16 bits
	Quaternion         // unit quaternions, 4 × 16 bits
	Exponential        // binary32 numbers
	Color              // YCoCg and alpha, 4 × 8 or 4 × 16 bits; KHR_meshopt_compression alone
)

// Layout says what a stream holds.
type Layout struct {
	Mode   Mode
	Filter Filter
	Count  int // elements
	Stride int // bytes of an element
}

var (
	errTruncated = errors.New("the stream ends early")
	errLeftOver  = errors.New("the stream has bytes left over")
	errHeader    = errors.New("the stream's header is of another codec or version")
)

// Check returns what the specification forbids of a layout.
func (l Layout) Check() error {
	if l.Count < 1 {
		return fmt.Errorf("count %d is less than 1", l.Count)
	}
	switch l.Mode {
	case Attributes:
		if l.Stride < 4 || l.Stride > 256 || l.Stride%4 != 0 {
			return fmt.Errorf("byteStride %d is not a multiple of 4 in 4 … 256", l.Stride)
		}
	case Triangles, Indices:
		if l.Stride != 2 && l.Stride != 4 {
			return fmt.Errorf("byteStride %d of indices is not 2 or 4", l.Stride)
		}
		if l.Mode == Triangles && l.Count%3 != 0 {
			return fmt.Errorf("count %d of triangles' indices is not a multiple of 3", l.Count)
		}
		if l.Filter != None {
			return errors.New("indices have no filter")
		}
	default:
		return fmt.Errorf("unknown mode %d", l.Mode)
	}
	switch l.Filter {
	case None, Exponential:
	case Octahedral, Color:
		if l.Stride != 4 && l.Stride != 8 {
			return fmt.Errorf("byteStride %d of the filter is not 4 or 8", l.Stride)
		}
	case Quaternion:
		if l.Stride != 8 {
			return fmt.Errorf("byteStride %d of the filter is not 8", l.Stride)
		}
	default:
		return fmt.Errorf("unknown filter %d", l.Filter)
	}
	return nil
}

// Least returns the bytes that a stream of the layout has at least, so that a
// caller can refuse a short one before it allocates what it promises.
func (l Layout) Least() int64 {
	n := int64(l.Count)
	switch l.Mode {
	case Attributes:
		blocks := (n + int64(blockElements(l.Stride)) - 1) / int64(blockElements(l.Stride))
		return 1 + blocks*int64(l.Stride/4) + 24
	case Triangles:
		return 1 + n/3 + 16
	default:
		return 1 + n + 4
	}
}

// Decode decodes src into dst, which has Count·Stride bytes. It ends early with
// the context; dst then holds something undefined, as it does after any error.
func Decode(ctx context.Context, dst []byte, l Layout, src []byte) error {
	if err := l.Check(); err != nil {
		return err
	}
	if len(dst)/l.Stride != l.Count || len(dst)%l.Stride != 0 {
		return fmt.Errorf("%d elements of %d bytes do not fill %d bytes", l.Count, l.Stride, len(dst))
	}
	switch l.Mode {
	case Triangles:
		return decodeTriangles(ctx, dst, l, src)
	case Indices:
		return decodeIndices(ctx, dst, l, src)
	case Attributes:
	}
	if err := decodeAttributes(ctx, dst, l, src); err != nil {
		return err
	}
	return filter(ctx, dst, l)
}
