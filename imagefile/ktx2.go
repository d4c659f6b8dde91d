package imagefile

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/vk"
)

const (
	ktx2Identifier = "\xABKTX 20\xBB\r\n\x1A\n"
	ktx2LevelIndex = 80 // offset of the level index
	ktx2LevelEntry = 24
)

// Supercompression schemes of KTX 2 (section 3.6).
const (
	ktx2Plain = iota
	ktx2BasisLZ
	ktx2Zstandard
	ktx2ZLIB
)

func decodeKTX2(ctx context.Context, data []byte, opt Options) (*File, error) {
	bad := func(rule, format string, args ...any) error {
		return &Error{Kind: "KTX 2", Rule: rule, Msg: fmt.Sprintf(format, args...)}
	}
	if len(data) < ktx2LevelIndex {
		return nil, bad("2. File Structure", "%d bytes are no header", len(data))
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	f := &File{
		Format: vk.Format(word(12)), Width: word(20), Height: word(24), Depth: word(28),
		Layers: max(1, word(32)), Levels: max(1, word(40)), Array: word(32) > 0,
	}
	faces, scheme := word(36), word(44)
	f.plain = scheme == ktx2Plain
	switch {
	case f.Format == vk.FormatUndefined || scheme == ktx2BasisLZ:
		return nil, &Error{Kind: "KTX 2", Rule: "3.1 vkFormat", Msg: "Basis Universal textures have to be transcoded to a GPU format first", Unsupported: true}
	case scheme > ktx2ZLIB:
		return nil, &Error{Kind: "KTX 2", Rule: "3.6 supercompressionScheme", Msg: fmt.Sprintf("supercompression scheme %d", scheme), Unsupported: true}
	case faces == 6:
		f.Cube = true
		if f.Layers > maxLayers {
			return nil, bad("3.5 layerCount", "%d layers", f.Layers)
		}
		f.Layers *= 6
	case faces != 1:
		return nil, bad("3.5 faceCount", "%d faces; 1, or 6 for cubes", faces)
	case f.Depth > 0 && f.Height == 0:
		return nil, bad("3.3 pixelDepth", "depth without height")
	case f.Depth > 0 && f.Array:
		return nil, &Error{Kind: "KTX 2", Rule: "3.5 layerCount", Msg: "Vulkan has no arrays of 3D images", Unsupported: true}
	}
	if f.Levels > 32 {
		return nil, bad("3.5 levelCount", "%d levels", f.Levels)
	}
	if err := f.check("KTX 2", opt); err != nil {
		return nil, err
	}
	if len(data) < ktx2LevelIndex+ktx2LevelEntry*f.Levels {
		return nil, bad("3.9 Level Index", "the file ends in the level index")
	}
	info, _ := format.Lookup(f.Format)
	done := false
	defer func() {
		if !done {
			opt.Budget.Drop(f.charge)
		}
	}()
	if err := f.subresources("KTX 2", opt); err != nil {
		return nil, err
	}
	for level := range f.Levels {
		at := ktx2LevelIndex + ktx2LevelEntry*level
		offset, length, plain := binary.LittleEndian.Uint64(data[at:]), binary.LittleEndian.Uint64(data[at+8:]), binary.LittleEndian.Uint64(data[at+16:])
		if offset > uint64(len(data)) || length > uint64(len(data))-offset {
			return nil, bad("3.9 Level Index", "level %d: bytes %d and %d further in a file of %d", level, offset, length, len(data))
		}
		each := f.levelBytes(info, level)
		want := each * int64(f.Layers)
		if scheme == ktx2Plain {
			plain = length
		}
		if plain != uint64(want) {
			return nil, bad("3.9.7 uncompressedByteLength", "level %d has %d bytes, its texels take %d", level, plain, want)
		}
		body := data[offset : offset+length]
		if scheme != ktx2Plain {
			if err := opt.Budget.Take(want); err != nil {
				return nil, &Error{Kind: "KTX 2", Msg: fmt.Sprintf("level %d of %d × %d texels, %d layers", level, max(1, f.Width>>level), max(1, f.Height>>level), f.Layers), Err: err}
			}
			f.charge += want
			var err error
			if body, err = inflate(ctx, scheme, body, want); err != nil {
				return nil, &Error{Kind: "KTX 2", Rule: "3.6 supercompressionScheme", Msg: fmt.Sprintf("level %d", level), Err: err}
			}
		}
		for layer := range f.Layers {
			f.data[level*f.Layers+layer] = body[int64(layer)*each : int64(layer+1)*each]
		}
	}
	done = true
	return f, nil
}

// inflate undoes a supercompression; the result has size bytes, which the budget
// has. They are the system's fresh pages, so that a lying header costs nothing.
func inflate(ctx context.Context, scheme int, body []byte, size int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([]byte, size)
	if scheme == ktx2Zstandard {
		// Without a window of its own: that is what was put out before.
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		got, err := d.DecodeAll(body, out[:0])
		if err == nil && int64(len(got)) != size {
			err = fmt.Errorf("%d bytes come out, %d are announced", len(got), size)
		}
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = fmt.Errorf("more bytes come out than the %d that are announced", size)
		}
		return got, err
	}
	d, err := zlib.NewReader(input.Reader(ctx, bytes.NewReader(body)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if n, err := io.ReadFull(d, out); err == io.ErrUnexpectedEOF || err == io.EOF {
		return nil, fmt.Errorf("%d bytes come out, %d are announced", n, size)
	} else if err != nil {
		return nil, err
	}
	if n, err := d.Read(make([]byte, 1)); n != 0 {
		return nil, fmt.Errorf("more bytes come out than the %d that are announced", size)
	} else if err != io.EOF {
		return nil, err
	}
	return out, nil
}

// maxWindow is the largest window that a frame may name; decoding takes none.
const maxWindow = 1 << 41
