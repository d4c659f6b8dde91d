package texture

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/format/basis"
	"github.com/pumice-gpu/pumice/vk"
)

// sliceKind is a kind of texels that has one slice of its own supercompression for each layer and face of a level. What comes out
// are blocks of a format of Vulkan's.
type sliceKind struct {
	scheme int
	// early says that files of Basis Universal 1.6 to 2.0 name BasisLZ as their scheme.
	early  bool
	decode func(ctx context.Context, dst []byte, width, height int, src []byte, inflate basis.Inflate) error
	// work is what decode takes besides its result and what it inflates, and inflated the most of that.
	work     func(width int) int64
	inflated func(width, height int) int64
}

// Sizes of a slice's row in the global data: offset in its level and length, and with a profile of its kind.
const (
	sgdSlice      = 12
	sgdSliceEarly = 8
)

// parseSlices finds how a file of slices is encoded, and returns false where its model is none of those.
func (k *ktx2) parseSlices(dfd []byte) (bool, error) {
	var kind sliceKind
	stored := k.Format
	switch dfd[dfdModel] {
	case modelUASTCHDR6:
		k.Format = vk.FormatAstc6x6SfloatBlock
		kind = sliceKind{
			scheme: ktx2UASTCHDR, early: true, work: basis.HDR6WorkBytes, inflated: func(int, int) int64 { return 0 },
			decode: func(ctx context.Context, dst []byte, width, height int, src []byte, _ basis.Inflate) error {
				return basis.DecodeHDR6(ctx, dst, width, height, src)
			},
		}
	case modelXUASTC:
		w, h := int(dfd[dfdBlock])+1, int(dfd[dfdBlock+1])+1
		info := astcFormat([3]int{w, h, 1}, Options{SRGB: dfd[dfdTransfer] == transferSRGB})
		if info == nil || !basis.XUASTCBlockSize(w, h) {
			return true, ktx2Bad("3.10.1 texelBlockDimension", "XUASTC LDR of %d × %d texels", w, h)
		}
		k.Format = info.Format
		kind = sliceKind{
			scheme: ktx2XUASTC, early: true,
			work:     func(width int) int64 { return basis.XUASTCWorkBytes(width, w) },
			inflated: func(width, height int) int64 { return basis.XUASTCInflated(width, height, w, h) },
			decode: func(ctx context.Context, dst []byte, width, height int, src []byte, inflate basis.Inflate) error {
				s := basis.XUASTC{Width: width, Height: height, BlockWidth: w, BlockHeight: h, Data: src, Inflate: inflate}
				return s.Decode(ctx, dst)
			},
		}
	case modelXUBC7:
		k.Format = vk.FormatBc7UnormBlock
		if dfd[dfdTransfer] == transferSRGB {
			k.Format = vk.FormatBc7SrgbBlock
		}
		kind = sliceKind{
			scheme: ktx2XUBC7, work: basis.XUBC7WorkBytes, inflated: basis.XUBC7Inflated,
			decode: func(ctx context.Context, dst []byte, width, height int, src []byte, inflate basis.Inflate) error {
				s := basis.XUBC7{Width: width, Height: height, Data: src, Inflate: inflate}
				return s.Decode(ctx, dst)
			},
		}
	default:
		return false, nil
	}
	name := models[dfd[dfdModel]]
	size := sgdSlice
	switch {
	case k.scheme == kind.scheme:
	case k.scheme == ktx2BasisLZ && kind.early:
		size = sgdSliceEarly
	default:
		return true, ktx2Bad("3.6 supercompressionScheme", "%s under scheme %d; it has scheme %d", name, k.scheme, kind.scheme)
	}
	if stored != vk.FormatUndefined {
		return true, ktx2Bad("3.1 vkFormat", "%s has no format of Vulkan's, the header names %v", name, stored)
	}
	if k.Depth > 0 {
		return true, &Error{Kind: "KTX 2", Rule: "3.3 pixelDepth", Msg: "a 3D image of " + name, Unsupported: true}
	}
	k.Plain, k.Stored = false, name
	info, _ := format.Lookup(k.Format)
	k.load = func(ctx context.Context, opt Options) error { return k.loadSlices(ctx, opt, info, size, kind) }
	if k.check() == nil {
		k.work = 2*k.levelBytes(info, 0) + kind.work(k.Width) + kind.inflated(k.extentOf(0))
	}
	return true, nil
}

// extentOf is extent without depth.
func (f *File) extentOf(level int) (width, height int) {
	width, height, _ = f.extent(level)
	return width, height
}

// loadSlices decodes the slices of all layers that are wanted. Rows of the global data have size bytes.
func (k *ktx2) loadSlices(ctx context.Context, opt Options, info *format.Info, size int, kind sliceKind) error {
	sgd, err := k.global()
	if err != nil {
		return err
	}
	if images := int64(k.Levels) * int64(k.Layers); int64(len(sgd)) != images*int64(size) {
		return ktx2Bad("3.11 Supercompression Global Data", "%d bytes for %d images, which take %d", len(sgd), images, images*int64(size))
	}
	levels, layers := k.wanted(opt)
	for level := range levels {
		body, _, err := k.level(level)
		if err != nil {
			return err
		}
		width, height := k.extentOf(level)
		n := k.levelBytes(info, level)
		for layer := range layers {
			row := sgd[size*(level*k.Layers+layer):]
			if err := k.slice(ctx, opt, level*layers+layer, n, width, height, row, body, kind); err != nil {
				return &Error{Kind: "KTX 2", Msg: fmt.Sprintf("level %d, layer %d", level, layer), Err: err}
			}
		}
	}
	return nil
}

// slice decodes a slice to n bytes at an index of data.
func (k *ktx2) slice(ctx context.Context, opt Options, index int, n int64, width, height int, row, body []byte, kind sliceKind) error {
	at, length := uint64(binary.LittleEndian.Uint32(row)), uint64(binary.LittleEndian.Uint32(row[4:]))
	if at+length > uint64(len(body)) {
		return fmt.Errorf("a slice of %d bytes at %d in a level of %d", length, at, len(body))
	}
	if err := k.take(opt, n); err != nil {
		return err
	}
	work := kind.work(width)
	if err := opt.Budget.Take(work); err != nil {
		return err
	}
	defer func() { opt.Budget.Drop(work) }()
	k.data[index] = make([]byte, n)
	return kind.decode(ctx, k.data[index], width, height, body[at:at+length], func(src []byte, size, most int64) ([]byte, error) {
		if size < 0 {
			var err error
			if size, err = zstdSize(src); err != nil {
				return nil, err
			}
		}
		if size > most {
			return nil, fmt.Errorf("%d bytes come out, more than the %d that blocks can take", size, most)
		}
		if err := opt.Budget.Take(size); err != nil {
			return nil, err
		}
		work += size
		return inflate(ctx, ktx2Zstandard, src, size)
	})
}

// global returns the supercompression's global data.
func (k *ktx2) global() ([]byte, error) {
	at, n := binary.LittleEndian.Uint64(k.file[ktx2SGD:]), binary.LittleEndian.Uint64(k.file[ktx2SGD+8:])
	if at > uint64(len(k.file)) || n > uint64(len(k.file))-at {
		return nil, ktx2Bad("3.11 Supercompression Global Data", "%d bytes at %d in a file of %d", n, at, len(k.file))
	}
	return k.file[at : at+n], nil
}
