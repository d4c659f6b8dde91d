package texture

import (
	"context"
	"encoding/binary"
	"fmt"

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
	ktx2UASTCHDR
	ktx2XUASTC
	ktx2XUBC7
)

// ktx2 is a KTX 2 file whose header was read.
type ktx2 struct {
	source
	file   []byte
	scheme int
	blocks *format.Info // of what the levels hold
}

// ktx2Level is a row of the level index.
type ktx2Level struct{ offset, length, plain uint64 }

func ktx2Bad(rule, format string, args ...any) error {
	return &Error{Kind: "KTX 2", Rule: rule, Msg: fmt.Sprintf(format, args...)}
}

func parseKTX2(data []byte) (*source, error) {
	if len(data) < ktx2LevelIndex {
		return nil, ktx2Bad("2. File Structure", "%d bytes are no header", len(data))
	}
	word := func(at int) int { return count(binary.LittleEndian.Uint32(data[at:])) }
	k := &ktx2{file: data, scheme: word(44)}
	k.File = File{
		Kind: "KTX 2", Format: vk.Format(word(12)), Width: word(20), Height: word(24), Depth: word(28),
		Layers: max(1, word(32)), Levels: max(1, word(40)), Array: word(32) > 0, Plain: k.scheme == ktx2Plain,
	}
	faces := word(36)
	switch {
	case k.scheme > ktx2XUBC7:
		msg := fmt.Sprintf("supercompression scheme %d is not supported", k.scheme)
		if dfd := k.descriptor(); dfd != nil && models[dfd[dfdModel]] != "" {
			msg += ", of " + models[dfd[dfdModel]]
		}
		return nil, &Error{Kind: "KTX 2", Rule: "3.6 supercompressionScheme", Msg: msg, Unsupported: true}
	case faces == 6:
		k.Cube = true
		if k.Layers > maxLayers {
			return nil, ktx2Bad("3.5 layerCount", "%d layers", k.Layers)
		}
		k.Layers *= 6
	case faces != 1:
		return nil, ktx2Bad("3.5 faceCount", "%d faces; 1, or 6 for cubes", faces)
	case k.Depth > 0 && k.Height == 0:
		return nil, ktx2Bad("3.3 pixelDepth", "depth without height")
	case k.Depth > 0 && k.Array:
		return nil, &Error{Kind: "KTX 2", Rule: "3.5 layerCount", Msg: "Vulkan has no arrays of 3D images", Unsupported: true}
	}
	if k.Levels > 32 {
		return nil, ktx2Bad("3.5 levelCount", "%d levels", k.Levels)
	}
	k.load = k.loadLevels
	if k.Format == vk.FormatUndefined || k.scheme == ktx2BasisLZ || k.scheme > ktx2ZLIB {
		if err := k.parseBasis(); err != nil {
			return nil, err
		}
	} else {
		k.blocks, _ = format.Lookup(k.Format) // check refuses what is not known
	}
	if len(data) < ktx2LevelIndex+ktx2LevelEntry*k.Levels {
		return nil, ktx2Bad("3.9 Level Index", "the file ends in the level index")
	}
	if (k.scheme == ktx2Zstandard || k.scheme == ktx2ZLIB) && k.blocks != nil && k.check() == nil {
		k.work = k.levelBytes(k.blocks, 0) * int64(k.Layers)
		if k.blocks.Format == k.Format { // else they go level by level
			k.work *= 2
		}
	}
	if err := k.keyValues(); err != nil {
		return nil, err
	}
	return &k.source, nil
}

// level returns the stored bytes of a level.
func (k *ktx2) level(level int) ([]byte, ktx2Level, error) {
	at := ktx2LevelIndex + ktx2LevelEntry*level
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(k.file[at:]) }
	l := ktx2Level{word(at), word(at + 8), word(at + 16)}
	if l.offset > uint64(len(k.file)) || l.length > uint64(len(k.file))-l.offset {
		return nil, l, ktx2Bad("3.9 Level Index", "level %d: bytes %d and %d further in a file of %d", level, l.offset, l.length, len(k.file))
	}
	return k.file[l.offset : l.offset+l.length], l, nil
}

// inflated returns the bytes of a level, each of its layers taking so many. Those that come out of supercompression were charged
// to the budget.
func (k *ktx2) inflated(ctx context.Context, level int, each int64, opt Options) (body []byte, charge int64, err error) {
	body, l, err := k.level(level)
	if err != nil {
		return nil, 0, err
	}
	want := each * int64(k.Layers)
	plain := l.plain
	if k.scheme == ktx2Plain {
		plain = l.length
	}
	if plain != uint64(want) {
		return nil, 0, ktx2Bad("3.9.7 uncompressedByteLength", "level %d has %d bytes, its texels take %d", level, plain, want)
	}
	if k.scheme == ktx2Plain {
		return body, 0, nil
	}
	if err := opt.Budget.Take(want); err != nil {
		width, height, _ := k.extent(level)
		return nil, 0, &Error{Kind: "KTX 2", Msg: fmt.Sprintf("level %d of %d × %d texels, %d layers", level, width, height, k.Layers), Err: err}
	}
	if body, err = inflate(ctx, k.scheme, body, want); err != nil {
		opt.Budget.Drop(want)
		return nil, 0, &Error{Kind: "KTX 2", Rule: "3.6 supercompressionScheme", Msg: fmt.Sprintf("level %d", level), Err: err}
	}
	return body, want, nil
}

// loadLevels gets the texels of a format of Vulkan's.
func (k *ktx2) loadLevels(ctx context.Context, opt Options) error {
	levels, layers := k.wanted(opt)
	for level := range levels {
		each := k.levelBytes(k.blocks, level)
		body, charge, err := k.inflated(ctx, level, each, opt)
		if err != nil {
			return err
		}
		k.Charge += charge
		for layer := range layers {
			k.data[level*layers+layer] = body[int64(layer)*each : int64(layer+1)*each]
		}
	}
	return nil
}
