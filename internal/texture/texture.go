// Package texture reads files of textures: KTX 2 (plain, Zstandard, zlib and Basis Universal), DDS and .astc. Package imagefile hands
// their texels on as they are; Picture makes 8-bit colours of the first image, for glTF.
package texture

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// File is an image out of a file; its fields are those of imagefile.File.
type File struct {
	Kind                 string // "KTX 2", "DDS" or "ASTC"
	Format               vk.Format
	Stored               string // what the file has, where that is not Format
	Width, Height, Depth int
	Levels, Layers       int
	Array, Cube          bool
	Plain                bool  // texels are the file's own bytes
	Charge               int64 // bytes that the budget was charged for this, beside the file's own
	// Warnings tell what the file says against its rules, and what is done with it. A line each. Losses are those of them that tell
	// of what the image lacks, or has otherwise than the file says.
	Warnings, Losses []string

	data [][]byte // by level · Layers + layer
}

// Options says how to read a file.
type Options struct {
	Budget *budget.Budget
	Copies int64 // how often the texels must fit besides
	SRGB   bool  // .astc files are sRGB
	HDR    bool  // .astc files are HDR
	Part   Part

	raw bool // texels are left as the file stores them
}

// Part says what of a file is read.
type Part uint8

// Parts.
const (
	Everything Part = iota
	FirstLayer
	FirstImage // level 0 of the first layer
)

// Error tells what is wrong with a file; its fields are those of imagefile.Error.
type Error struct {
	Kind        string
	Rule        string
	Msg         string
	Unsupported bool
	Err         error
}

// Error returns one line.
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

// Is says whether data begin like a file of this package.
func Is(data []byte) bool { return Kind(data) != "" }

// Kind names the kind of a file that Is, or returns "".
func Kind(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte(ktx2Identifier)):
		return "KTX 2"
	case bytes.HasPrefix(data, []byte("DDS ")):
		return "DDS"
	case bytes.HasPrefix(data, []byte(astcMagic)):
		return "ASTC"
	}
	return ""
}

// source is a file whose header was read.
type source struct {
	File
	// stored says how texels lie in what load fills in, nil where that is as Format says.
	stored *stored
	// load fills data; memory that it takes is charged to the budget, and in Charge where it stays.
	load func(ctx context.Context, opt Options) error
	// work is what load takes at most besides pictures of the first layer.
	work int64
}

// parse reads the header of a file of a known kind.
func parse(data []byte, opt Options) (*source, error) {
	var s *source
	var err error
	switch Kind(data) {
	case "KTX 2":
		s, err = parseKTX2(data)
	case "DDS":
		s, err = parseDDS(data)
	default:
		s, err = parseASTC(data, opt)
	}
	if err != nil {
		return nil, err
	}
	return s, s.check()
}

// Decode reads a file that Is. What it takes stays charged to the budget, as much as Charge says, unless there is an error.
func Decode(ctx context.Context, data []byte, opt Options) (*File, error) {
	s, err := parse(data, opt)
	if err != nil {
		return nil, err
	}
	if !s.Plain {
		opt.Copies++
	}
	f := &s.File
	if err := opt.Budget.Fits(budget.Mul(s.bytes(opt), opt.Copies)); err != nil {
		return nil, &Error{Kind: s.Kind, Msg: fmt.Sprintf("%d × %d × %d texels, %d levels, %d layers", f.Width, max(1, f.Height), max(1, f.Depth), f.Levels, f.Layers), Err: err}
	}
	levels, layers := f.wanted(opt)
	if err = f.take(opt, 24*int64(levels)*int64(layers)); err != nil {
		return nil, &Error{Kind: s.Kind, Msg: fmt.Sprintf("%d levels of %d layers", levels, layers), Err: err}
	}
	f.data = make([][]byte, levels*layers)
	err = s.load(ctx, opt)
	if err == nil && s.stored != nil && !opt.raw {
		err = s.recode(ctx, opt)
	}
	if err != nil {
		opt.Budget.Drop(f.Charge)
		return nil, err
	}
	return f, nil
}

// take charges what stays as long as the File.
func (f *File) take(opt Options, n int64) error {
	if err := opt.Budget.Take(n); err != nil {
		return err
	}
	f.Charge += n
	return nil
}

// Bounds of what is believed before memory is taken.
const (
	maxExtent = 1 << 16
	maxLayers = 1 << 14
)

// count is a number of a header; the largest int where an int has 32 bits and is too small for it.
func count(n uint32) int { return int(min(uint64(n), math.MaxInt)) }

// check refuses extents and counts that no image has.
func (f *File) check() error {
	bad := func(format string, args ...any) error { return &Error{Kind: f.Kind, Msg: fmt.Sprintf(format, args...)} }
	info, ok := format.Lookup(f.Format)
	if !ok {
		return bad("format %d is not known", int(f.Format))
	}
	switch {
	case info.MultiPlanar():
		return &Error{Kind: f.Kind, Msg: fmt.Sprintf("%v has several planes", f.Format), Unsupported: true}
	case info.Depth() && info.Stencil():
		return &Error{Kind: f.Kind, Msg: fmt.Sprintf("%v: depth and stencil in one texel", f.Format), Unsupported: true}
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
	return nil
}

// wanted returns how many levels and layers are read.
func (f *File) wanted(opt Options) (levels, layers int) {
	switch opt.Part {
	case FirstImage:
		return 1, 1
	case FirstLayer:
		return f.Levels, 1
	}
	return f.Levels, f.Layers
}

// bytes is the size of all wanted levels and layers of an image that was checked.
func (s *source) bytes(opt Options) int64 {
	info, _ := format.Lookup(s.Format)
	b := blockOf(info)
	if opt.raw && s.stored != nil {
		b = s.stored.block
	}
	levels, layers := s.wanted(opt)
	total := int64(0)
	for l := range levels {
		total += budget.Mul(s.blockBytes(b, l), int64(layers))
		if total < 0 {
			return math.MaxInt64
		}
	}
	return total
}

// block is the extent of a block in texels, and its bytes.
type block struct{ width, height, depth, bytes int }

func blockOf(info *format.Info) block {
	return block{info.BlockWidth, info.BlockHeight, info.BlockDepth, info.BlockBytes}
}

// levelBytes is the size of one layer of a level, tightly packed.
func (f *File) levelBytes(info *format.Info, level int) int64 {
	return f.blockBytes(blockOf(info), level)
}

// blockBytes is levelBytes for blocks. It fits an int64: extents are below 2¹⁶ and blocks below 64 bytes.
func (f *File) blockBytes(b block, level int) int64 {
	blocks := func(extent, block int) int64 { return int64((max(1, extent>>level) + block - 1) / block) }
	return blocks(f.Width, b.width) * blocks(f.Height, b.height) * blocks(f.Depth, b.depth) * int64(b.bytes)
}

// warn adds a line to Warnings.
func (f *File) warn(format string, args ...any) {
	f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...))
}

// lose is warn for Losses.
func (f *File) lose(format string, args ...any) {
	f.warn(format, args...)
	f.Losses = append(f.Losses, f.Warnings[len(f.Warnings)-1])
}

// extent returns the extent of a level in texels, 1 where the image has no such direction.
func (f *File) extent(level int) (width, height, depth int) {
	return max(1, f.Width>>level), max(1, f.Height>>level), max(1, f.Depth>>level)
}

// Level returns the texels of one level of one layer: blocks row by row and
// slice by slice, tightly packed.
func (f *File) Level(level, layer int) []byte { return f.data[level*f.Layers+layer] }

// Texels returns what Level returns, by level·Layers + layer.
func (f *File) Texels() [][]byte { return f.data }
