package format

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format/bc"
	"github.com/pumice-gpu/pumice/internal/format/etc2"
	"github.com/pumice-gpu/pumice/internal/fp"
)

// CodeBlocks says that texels of a format's blocks are four codes of 8 bits, UNORM or sRGB as the
// format is.
func (i *Info) CodeBlocks() bool {
	switch i.codec.block {
	case blockBC7, blockRGB8, blockRGB8A1, blockRGBA8:
		return true
	}
	return false
}

// decodeCodes gives the codes of a block of such a format, R in the low byte.
//
// IMG-759, IMG-760
func (i *Info) decodeCodes(dst *[16]uint32, src []byte) {
	var texels [16]Texel
	switch i.codec.block {
	case blockBC7:
		bc.CodesBC7(dst, src)
		return
	case blockRGB8:
		etc2.DecodeRGB8(&texels, src, false)
	case blockRGB8A1:
		etc2.DecodeRGB8A1(&texels, src, false)
	default:
		etc2.DecodeRGBA8(&texels, src, false)
	}
	for k, t := range texels {
		dst[k] = 0
		for c, bits := range t {
			dst[k] |= uint32(fp.FloatToUnorm8(math.Float32frombits(bits))) << (8 * c)
		}
	}
}

// CodeCache is a BlockCache of blocks whose texels are codes: four times as many have room in some
// 160 KiB.
type CodeCache struct {
	info  *Info
	keys  [codeSlots]blockKey
	codes [16 * codeSlots]uint32
	src   [16]byte // of the block that is decoded
}

const codeSlots = 2048

// Codes returns the codes of a texel a lane, R in the low byte: of the block of a format with
// CodeBlocks whose words the lane has (the last two are not looked at where a block has two), the
// one at a place, row by row. What lies beyond the block is any of its texels.
func (c *CodeCache) Codes(i *Info, words *[4][]uint32, at, out []uint32) {
	n := len(at)
	w0, w1, w2, w3, out := words[0][:n], words[1][:n], words[2][:n], words[3][:n], out[:n]
	two := i.BlockBytes == 8
	// Neighbouring lanes lie in few blocks, and quads along an edge alternate between two.
	var lo, hi, lo2, hi2 uint64
	first, first2 := -1, -1
	for k := range at {
		l, h := uint64(w0[k])|uint64(w1[k])<<32, uint64(w2[k])|uint64(w3[k])<<32
		if two {
			h = 0
		}
		if l != lo || h != hi || first < 0 {
			lo, lo2, hi, hi2, first, first2 = lo2, lo, hi2, hi, first2, first
			if l != lo || h != hi || first < 0 {
				if lo, hi, first = l, h, c.find(i, l, h); first == first2 { // whose place it takes
					first2 = -1
				}
			}
		}
		out[k] = c.codes[(first|int(at[k]&15))&(16*codeSlots-1)]
	}
}

// find returns where the codes of a block begin, given its bytes: hi is 0 where there are eight.
func (c *CodeCache) find(i *Info, lo, hi uint64) int {
	if c.info != i {
		c.info, c.keys = i, [codeSlots]blockKey{} // of slot 0
		c.keys[0].lo = 1
	}
	key := blockKey{lo, hi}
	slot := key.hash() >> 53
	if at := &c.keys[slot&(codeSlots-1)]; *at != key {
		binary.LittleEndian.PutUint64(c.src[:], lo)
		binary.LittleEndian.PutUint64(c.src[8:], hi)
		i.decodeCodes((*[16]uint32)(c.codes[16*slot:]), c.src[:])
		*at = key
	}
	return int(16 * slot)
}
