package imagefile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/pumice-gpu/pumice/internal/format"
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

func decodeKTX2(data []byte, opt Options) (*File, error) {
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
	f.data = make([][]byte, f.Levels*f.Layers)
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
		body, err := inflate(scheme, data[offset:offset+length], want)
		if err != nil {
			return nil, bad("3.6 supercompressionScheme", "level %d: %v", level, err)
		}
		for layer := range f.Layers {
			f.data[level*f.Layers+layer] = body[int64(layer)*each : int64(layer+1)*each]
		}
	}
	return f, nil
}

// inflate undoes a supercompression; the result has size bytes, which were
// checked against Options.MaxBytes.
func inflate(scheme int, body []byte, size int64) ([]byte, error) {
	var r io.Reader
	switch scheme {
	case ktx2Zstandard:
		d, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(size, 1<<20))), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		r = d
	case ktx2ZLIB:
		d, err := zlib.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		r = d
	default:
		return body, nil
	}
	// The buffer grows with what comes, so that a lying header costs nothing.
	out, err := io.ReadAll(io.LimitReader(r, size+1))
	if err != nil {
		return nil, err
	}
	if int64(len(out)) != size {
		return nil, fmt.Errorf("%d bytes come out, or more; %d are announced", len(out), size)
	}
	return out, nil
}

// maxWindow bounds the memory that a Zstandard frame can ask for.
const maxWindow = 128 << 20
