package format

import "encoding/binary"

// BlockCache keeps the blocks that a reader of a compressed image decoded last, so that neighbouring texels cost one decoding. Blocks
// are found by their bytes, not by where they lie: whoever writes to the memory in between can't make an entry stale, and views of
// one memory may take turns. The zero value is empty. A BlockCache belongs to one goroutine; it has about 136 KiB.
type BlockCache struct {
	info   *Info
	slots  int // a power of two: as many blocks as there is room for
	used   [cacheSlots / 64]uint64
	keys   [cacheSlots]blockKey
	texels [cacheTexels]Texel
	src    [16]byte // of the block that is decoded
}

const (
	cacheSlots  = 512
	cacheTexels = 8192 // 512 blocks of 4×4, 32 of 12×12 or 6×6×6
)

// blockKey is all that a block is: its bytes.
type blockKey struct{ lo, hi uint64 }

// Texel returns texel (x, y, z) of an image, given the block that holds it: src starts there, at BlockBytes bytes or more. The
// coordinates are those in the image (or relative to the corner of any block), not negative. The format must be compressed.
func (c *BlockCache) Texel(i *Info, src []byte, x, y, z int) Texel {
	lo, hi := binary.LittleEndian.Uint64(src), uint64(0)
	if i.BlockBytes == 16 {
		hi = binary.LittleEndian.Uint64(src[8:])
	}
	texels := c.Block(i, lo, hi)
	x, y = x%i.BlockWidth, y%i.BlockHeight
	if i.BlockDepth > 1 {
		y += z % i.BlockDepth * i.BlockHeight
	}
	return texels[y*i.BlockWidth+x]
}

// Block returns the texels of a block of a compressed format, row by row, given its bytes: hi is 0 where there are eight. They
// stay what they are until the next call.
func (c *BlockCache) Block(i *Info, lo, hi uint64) []Texel {
	if c.info != i {
		c.reset(i)
	}
	key := blockKey{lo, hi}
	slot := key.slot() & (c.slots - 1)
	n := i.BlockTexels()
	texels := c.texels[slot*n : (slot+1)*n]
	if used := &c.used[slot/64]; *used>>(slot%64)&1 == 0 || c.keys[slot&(cacheSlots-1)] != key {
		binary.LittleEndian.PutUint64(c.src[:], lo)
		binary.LittleEndian.PutUint64(c.src[8:], hi)
		i.DecodeBlock(texels, c.src[:])
		*used |= 1 << (slot % 64)
		c.keys[slot&(cacheSlots-1)] = key
	}
	return texels
}

// reset empties the cache for blocks of another format.
func (c *BlockCache) reset(i *Info) {
	c.info, c.used, c.slots = i, [cacheSlots / 64]uint64{}, cacheSlots
	for c.slots*i.BlockTexels() > cacheTexels {
		c.slots /= 2
	}
}

// slot spreads keys over the slots: multiplication by an odd number mixes upward, so the top bits depend on all.
func (k blockKey) slot() int {
	const odd = 0x9e3779b97f4a7c15
	return int((k.lo*odd + k.hi) * odd >> 55)
}
