package texture

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/format/basis"
	"github.com/pumice-gpu/pumice/vk"
)

// Offsets in a KTX 2 header, in a data format descriptor with its total size before it, and numbers of the latter (Khronos Data
// Format Specification, Basic Data Format Descriptor).
const (
	ktx2DFD = 48 // offset and length
	ktx2SGD = 64

	dfdModel    = 12
	dfdTransfer = 14
	dfdBlock    = 16 // width − 1, height − 1
	dfdLeast    = 28

	modelETC1S     = 163
	modelUASTC     = 166
	modelUASTCHDR  = 167
	modelUASTCHDR6 = 168
	modelXUASTC    = 169
	modelXUBC7     = 170

	transferSRGB = 2
)

// models are names for errors.
var models = map[byte]string{
	162: "ASTC", modelETC1S: "ETC1S", modelUASTC: "UASTC", modelUASTCHDR: "UASTC HDR 4×4", modelUASTCHDR6: "UASTC HDR 6×6", modelXUASTC: "XUASTC LDR", modelXUBC7: "XUBC7",
}

// Offsets and sizes in BasisLZ's global data.
const (
	sgdHeader = 20
	sgdImage  = 20
	isPFrame  = 2
)

// descriptor returns the data format descriptor, nil where there is none.
func (k *ktx2) descriptor() []byte {
	at, n := binary.LittleEndian.Uint32(k.file[ktx2DFD:]), binary.LittleEndian.Uint32(k.file[ktx2DFD+4:])
	if uint64(at)+uint64(n) > uint64(len(k.file)) || n < dfdLeast {
		return nil
	}
	return k.file[at : at+n]
}

// parseBasis finds how a file without a format of Vulkan's is encoded. ETC1S and UASTC are presented as R8G8B8A8, sRGB where the
// descriptor says so.
func (k *ktx2) parseBasis() error {
	dfd := k.descriptor()
	if dfd == nil {
		at, n := binary.LittleEndian.Uint32(k.file[ktx2DFD:]), binary.LittleEndian.Uint32(k.file[ktx2DFD+4:])
		return ktx2Bad("3.10.1 dfdByteOffset", "a data format descriptor of %d bytes at %d in a file of %d", n, at, len(k.file))
	}
	model := dfd[dfdModel]
	if ok, err := k.parseSlices(dfd); ok {
		return err
	}
	name := models[model]
	if name == "" {
		name = fmt.Sprintf("color model %d", model)
	}
	if k.scheme > ktx2ZLIB {
		return ktx2Bad("3.6 supercompressionScheme", "%s under scheme %d", name, k.scheme)
	}
	if k.scheme != ktx2BasisLZ && model == modelUASTCHDR {
		// Its blocks are ASTC's.
		k.Format = vk.FormatAstc4x4SfloatBlock
		k.blocks, _ = format.Lookup(k.Format)
		return nil
	}
	k.Plain, k.Stored = false, name
	if k.Format = vk.FormatR8G8B8A8Unorm; dfd[dfdTransfer] == transferSRGB {
		k.Format = vk.FormatR8G8B8A8Srgb
	}
	switch {
	case k.scheme == ktx2BasisLZ && model == modelETC1S:
		k.load = k.loadETC1S
		k.work = basis.CodebookBytes(1<<16, 1<<16)
	case k.scheme != ktx2BasisLZ && model == modelUASTC:
		// ASTC blocks of 4×4 texels are as large.
		k.blocks, _ = format.Lookup(vk.FormatAstc4x4UnormBlock)
		k.load = k.loadUASTC
	default:
		if k.scheme == ktx2BasisLZ {
			name = "BasisLZ of " + name
		}
		return &Error{Kind: "KTX 2", Rule: "3.1 vkFormat", Msg: name + " without a format of Vulkan's is not supported", Unsupported: true}
	}
	return nil
}

// loadUASTC decodes levels of UASTC blocks.
func (k *ktx2) loadUASTC(ctx context.Context, opt Options) error {
	levels, layers := k.wanted(opt)
	for level := range levels {
		width, height, depth := k.extent(level)
		slice := int64((width+3)/4) * int64((height+3)/4) * basis.UASTCBlockBytes
		body, charge, err := k.inflated(ctx, level, slice*int64(depth), opt)
		if err != nil {
			return err
		}
		err = k.pictures(level, layers, opt, func(layer, z int, dst basis.Picture) error {
			return basis.DecodeUASTCPicture(ctx, dst, body[(int64(layer)*int64(depth)+int64(z))*slice:])
		})
		opt.Budget.Drop(charge)
		if err != nil {
			return err
		}
	}
	return nil
}

// pictures makes room for each layer of a level and calls f with all their slices.
func (k *ktx2) pictures(level, layers int, opt Options, f func(layer, z int, dst basis.Picture) error) error {
	width, height, depth := k.extent(level)
	slice := 4 * int64(width) * int64(height)
	for layer := range layers {
		if err := k.take(opt, slice*int64(depth)); err != nil {
			return &Error{Kind: "KTX 2", Msg: fmt.Sprintf("level %d of %d × %d texels", level, width, height), Err: err}
		}
		pix := make([]byte, slice*int64(depth))
		for z := range depth {
			dst := basis.Picture{Width: width, Height: height, Pix: pix[int64(z)*slice : int64(z+1)*slice]}
			if err := f(layer, z, dst); err != nil {
				return &Error{Kind: "KTX 2", Msg: fmt.Sprintf("level %d, layer %d", level, layer), Err: err}
			}
		}
		k.data[level*layers+layer] = pix
	}
	return nil
}

// loadETC1S decodes levels that BasisLZ supercompressed.
func (k *ktx2) loadETC1S(ctx context.Context, opt Options) error {
	const rule = "BasisLZ Global Data"
	sgd, err := k.global()
	if err != nil {
		return err
	}
	if len(sgd) < sgdHeader {
		return ktx2Bad(rule, "%d bytes are no header", len(sgd))
	}
	images := int64(0)
	for level := range k.Levels {
		_, _, depth := k.extent(level)
		images += int64(k.Layers) * int64(depth)
	}
	g := basis.Global{
		EndpointCount: int(binary.LittleEndian.Uint16(sgd)), SelectorCount: int(binary.LittleEndian.Uint16(sgd[2:])),
	}
	rest := int64(len(sgd)) - sgdHeader - sgdImage*images
	if rest < 0 {
		return ktx2Bad(rule, "%d bytes have no room for %d images", len(sgd), images)
	}
	tail := sgd[sgdHeader+sgdImage*images:]
	for i, part := range []*[]byte{&g.Endpoints, &g.Selectors, &g.Tables} {
		n := binary.LittleEndian.Uint32(sgd[4+4*i:])
		if uint64(n) > uint64(len(tail)) {
			return ktx2Bad(rule, "codebooks and tables end outside")
		}
		*part, tail = tail[:n], tail[n:]
	}
	need := basis.CodebookBytes(g.EndpointCount, g.SelectorCount)
	if err := opt.Budget.Take(need); err != nil {
		return &Error{Kind: "KTX 2", Msg: "codebooks", Err: err}
	}
	defer opt.Budget.Drop(need)
	book, err := basis.NewCodebook(g)
	if err != nil {
		return &Error{Kind: "KTX 2", Rule: rule, Msg: "codebooks", Err: err}
	}
	levels, layers := k.wanted(opt)
	first := 0
	for level := range levels {
		_, _, depth := k.extent(level)
		err := k.pictures(level, layers, opt, func(layer, z int, dst basis.Picture) error {
			desc := sgd[sgdHeader+sgdImage*(first+layer*depth+z):]
			return k.slices(ctx, book, level, desc, dst, opt.Budget)
		})
		if err != nil {
			return err
		}
		first += k.Layers * depth
	}
	return nil
}

// slices decodes the slices of an image.
func (k *ktx2) slices(ctx context.Context, book *basis.Codebook, level int, desc []byte, dst basis.Picture, b *budget.Budget) error {
	body, _, err := k.level(level)
	if err != nil {
		return err
	}
	word := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(desc[4*i:])) }
	if word(0)&isPFrame != 0 {
		return &Error{Kind: "KTX 2", Rule: "BasisLZ imageFlags", Msg: "a video's difference to the picture before it", Unsupported: true}
	}
	var parts [2][]byte // colours and alpha
	for i := range parts {
		at, n := word(1+2*i), word(2+2*i)
		if at+n > uint64(len(body)) {
			return fmt.Errorf("a slice of %d bytes at %d in a level of %d", n, at, len(body))
		}
		if n > 0 {
			parts[i] = body[at : at+n]
		}
	}
	need := book.WorkBytes(dst.Width)
	if err := b.Take(need); err != nil {
		return err
	}
	defer b.Drop(need)
	return book.Decode(ctx, dst, parts[0], parts[1])
}
