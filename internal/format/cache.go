package format

import "encoding/binary"

// BlockCache keeps the blocks that a reader of a compressed image decoded last, so that neighbouring texels cost one decoding. Blocks
// are found by their bytes, not by where they lie: whoever writes to the memory in between can't make an entry stale, and views of
// one memory may take turns. The zero value is empty. A BlockCache belongs to one goroutine; it has about 136 KiB.
type BlockCache struct {
	info   *Info
	slots  int // a power of two: as many blocks as there is room for
	each   int // texels of a block
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
	first := c.find(i, lo, hi)
	x, y = x%i.BlockWidth, y%i.BlockHeight
	if i.BlockDepth > 1 {
		y += z % i.BlockDepth * i.BlockHeight
	}
	return c.texels[first+y*i.BlockWidth+x]
}

// Texels returns a texel a lane: of the block of a compressed format whose words the lane has (the last two are not looked at
// where a block has two), the one at a place, row by row. What lies beyond the block is its first texel.
func (c *BlockCache) Texels(i *Info, words *[4][]uint32, at []uint32, out *[4][]uint32) {
	n := len(at)
	w0, w1, w2, w3 := words[0][:n], words[1][:n], words[2][:n], words[3][:n]
	r, g, b, a := out[0][:n], out[1][:n], out[2][:n], out[3][:n]
	two := i.BlockBytes == 8
	each := uint32(i.BlockTexels())
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
		p := at[k]
		if p >= each {
			p = 0
		}
		x := &c.texels[(first+int(p))&(cacheTexels-1)]
		r[k], g[k], b[k], a[k] = x[0], x[1], x[2], x[3]
	}
}

// find returns where the texels of a block begin, given its bytes: hi is 0 where there are eight.
func (c *BlockCache) find(i *Info, lo, hi uint64) int {
	if c.info != i {
		c.reset(i)
	}
	key := blockKey{lo, hi}
	slot := key.slot() & (c.slots - 1)
	first := slot * c.each
	if at := &c.keys[slot&(cacheSlots-1)]; *at != key {
		binary.LittleEndian.PutUint64(c.src[:], lo)
		binary.LittleEndian.PutUint64(c.src[8:], hi)
		i.DecodeBlock(c.texels[first:first+c.each], c.src[:])
		*at = key
	}
	return first
}

// reset empties the cache for blocks of another format: its keys are then those of no block of their slot.
func (c *BlockCache) reset(i *Info) {
	c.info, c.slots, c.each = i, cacheSlots, i.BlockTexels()
	for c.slots*c.each > cacheTexels {
		c.slots /= 2
	}
	c.keys = [cacheSlots]blockKey{} // of slot 0
	c.keys[0].lo = 1
}

// slot spreads keys over the slots: multiplication by an odd number mixes upward, so the top bits depend on all.
func (k blockKey) slot() int { return int(k.hash() >> 55) }

func (k blockKey) hash() uint64 {
	const odd = 0x9e3779b97f4a7c15
	return (k.lo*odd + k.hi) * odd
}
