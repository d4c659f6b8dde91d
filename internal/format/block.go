package format

import (
	"strings"

	"github.com/pumice-gpu/pumice/internal/format/astc"
	"github.com/pumice-gpu/pumice/internal/format/bc"
	"github.com/pumice-gpu/pumice/internal/format/etc2"
)

// blockCode is an encoding of blocks.
type blockCode uint8

const (
	blockNone blockCode = iota
	blockBC1
	blockBC1A // with punch-through alpha
	blockBC2
	blockBC3
	blockBC4
	blockBC5
	blockBC6H
	blockBC7
	blockRGB8 // ETC2
	blockRGB8A1
	blockRGBA8
	blockR11 // EAC
	blockRG11
	blockASTC
	block422 // two texels of one plane that share B and R (IMG-047)
)

// blockCodeOf names the encoding of a compressed format, blockNone where there is no decoder. Formats of one compatibility class
// share their encoding and differ in the numeric format alone.
func blockCodeOf(i *Info) blockCode {
	switch i.Compatibility {
	case "BC1_RGB":
		return blockBC1
	case "BC1_RGBA":
		return blockBC1A
	case "BC2":
		return blockBC2
	case "BC3":
		return blockBC3
	case "BC4":
		return blockBC4
	case "BC5":
		return blockBC5
	case "BC6H":
		return blockBC6H
	case "BC7":
		return blockBC7
	case "ETC2_RGB":
		return blockRGB8
	case "ETC2_RGBA":
		return blockRGB8A1
	case "ETC2_EAC_RGBA":
		return blockRGBA8
	case "EAC_R":
		return blockR11
	case "EAC_RG":
		return blockRG11
	}
	// IMG-761, IMG-765
	if strings.HasPrefix(i.Scheme, "ASTC") {
		return blockASTC
	}
	return blockNone
}

// MaxBlockTexels is the largest BlockTexels of any format: 6×6×6.
const MaxBlockTexels = 216

// BlockTexels is the number of texels of a block: 1 but for compressed formats and single-plane 422 formats.
func (i *Info) BlockTexels() int { return i.BlockWidth * i.BlockHeight * i.BlockDepth }

// DecodeBlock decodes the block at the start of src, at least BlockBytes bytes, into dst, at least BlockTexels texels: texel (x, y, z)
// of the block goes to (z·BlockHeight + y)·BlockWidth + x. Any bytes are a block. Formats that are not compressed have blocks of one
// texel, and Decode's result. Nothing is allocated, and dst may lie on the caller's stack.
//
// IMG-254: the block is decoded first, then the numeric rule of its components applies.
func (i *Info) DecodeBlock(dst []Texel, src []byte) {
	switch code := i.codec.block; {
	case code == blockNone:
		dst[0] = i.codec.decode(i, src)
	case code <= blockBC7:
		i.decodeBC(dst, src)
	case code <= blockRG11:
		i.decodeETC2(dst, src)
	case code == blockASTC:
		i.decodeASTC(dst, src)
	default:
		i.decode422(dst, src)
	}
}

// decodeBC decodes a block of a BC format. Calls are by name, not through a function value, so that dst does not escape.
//
// IMG-759
func (i *Info) decodeBC(dst []Texel, src []byte) {
	srgb := i.Numeric == NumericSrgb
	switch to := (*[16]Texel)(dst); i.codec.block {
	case blockBC1:
		bc.DecodeBC1(to, src, false, srgb)
	case blockBC1A:
		bc.DecodeBC1(to, src, true, srgb)
	case blockBC2:
		bc.DecodeBC2(to, src, srgb)
	case blockBC3:
		bc.DecodeBC3(to, src, srgb)
	case blockBC4:
		bc.DecodeBC4(to, src, i.Numeric == NumericSnorm)
	case blockBC5:
		bc.DecodeBC5(to, src, i.Numeric == NumericSnorm)
	case blockBC6H:
		bc.DecodeBC6H(to, src, i.Numeric == NumericSfloat)
	case blockBC7:
		bc.DecodeBC7(to, src, srgb)
	}
}

// decodeETC2 decodes a block of an ETC2 or EAC format.
//
// IMG-760
func (i *Info) decodeETC2(dst []Texel, src []byte) {
	srgb, signed := i.Numeric == NumericSrgb, i.Numeric == NumericSnorm
	switch to := (*[16]Texel)(dst); i.codec.block {
	case blockRGB8:
		etc2.DecodeRGB8(to, src, srgb)
	case blockRGB8A1:
		etc2.DecodeRGB8A1(to, src, srgb)
	case blockRGBA8:
		etc2.DecodeRGBA8(to, src, srgb)
	case blockR11:
		etc2.DecodeR11(to, src, signed)
	case blockRG11:
		etc2.DecodeRG11(to, src, signed)
	}
}

// decodeASTC decodes a block of an ASTC format.
//
// IMG-761, IMG-765
func (i *Info) decodeASTC(dst []Texel, src []byte) {
	profile := astc.ProfileUnorm
	switch i.Numeric {
	case NumericSrgb:
		profile = astc.ProfileSrgb
	case NumericSfloat:
		profile = astc.ProfileFloat
	}
	astc.Decode(dst, src, astc.Footprint{Width: i.BlockWidth, Height: i.BlockHeight, Depth: i.BlockDepth}, profile, i.codec.mode)
}

// decodeFirst returns the first texel of a block.
func decodeFirst(i *Info, src []byte) Texel {
	var block [MaxBlockTexels]Texel
	i.DecodeBlock(block[:], src)
	return block[0]
}

// decodeBlocks decodes as many whole blocks as both sides hold.
func decodeBlocks(i *Info, dst []Texel, src []byte) {
	texels, bytes := i.BlockTexels(), i.BlockBytes
	for k := range min(len(dst)/texels, len(src)/bytes) {
		i.DecodeBlock(dst[k*texels:(k+1)*texels], src[k*bytes:])
	}
}

// decode422 is IMG-047: the G of the odd column lies half a block after that of the even one; B and R belong to both columns.
//
// IMG-763
func (i *Info) decode422(dst []Texel, src []byte) {
	n := i.BlockBytes
	word := load(src[:n])
	dst[0] = Texel{3: oneFloat}
	for k, c := range i.Components {
		if c.Kind != KindNone {
			dst[0][k] = decodeComponent(&c, word>>c.Shift)
		}
	}
	dst[1] = dst[0]
	g := &i.Components[1]
	dst[1][1] = decodeComponent(g, word>>(g.Shift+4*n))
}
