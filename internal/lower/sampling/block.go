package sampling

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/format"
)

// blocks keeps decoded blocks of compressed formats, 64 KiB of texels for each
// goroutine. An entry's place follows from the block's position in the image, so
// that what a tile touches fits side by side; whether it is the right one is
// decided by the block's bytes alone, so that no write to memory can make an
// entry stale (RATIONALE.md). A new block takes the place of the old one.
type blocks struct {
	info   *format.Info
	mask   int32 // slots−1
	texels int32 // of a block
	used   [blockSlots]bool
	lo, hi [blockSlots]uint64
	data   []format.Texel
}

const (
	blockSlots  = 256
	blockTexels = 4096
)

// reset empties the cache for blocks of another format.
func (c *blocks) reset(i *format.Info) {
	if c.data == nil {
		c.data = make([]format.Texel, blockTexels)
	}
	n := blockSlots
	for n*i.BlockTexels() > blockTexels {
		n /= 2
	}
	c.info, c.mask, c.texels = i, int32(n-1), int32(i.BlockTexels())
	c.used = [blockSlots]bool{}
}

// inBlock returns where a texel's block lies and its place in the block, with
// the cache's slot in the upper bits.
func (p *plan) inBlock(l *level, start, x, y, z int32) (off, in int32) {
	w, h, d := p.block[0], p.block[1], p.block[2]
	var bx, by, bz int32
	if w == 4 && h == 4 {
		bx, by, x, y = x>>2, y>>2, x&3, y&3
	} else {
		bx, by = x/w, y/h
		x, y = x-bx*w, y-by*h
	}
	if d > 1 {
		bz = z / d
		z -= bz * d
		y += z * h
	} else {
		bz = z
	}
	slot := bx&3 | by&3<<2 | bx>>2&3<<4 | by>>2&3<<6 ^ l.salt ^ bz*5&0xFF
	return start + bx*l.pitch[0] + by*l.pitch[1] + bz*l.pitch[2], slot<<16 | (y*w + x)
}

// blockTap is tap for compressed formats, whose axes hold texel indices.
func (u *Unit) blockTap(p *plan, b *batch, l *level, i, j, k int) {
	off, in, s, x := u.off[:b.n], u.inBlock[:b.n], u.start[:b.n], u.x[0].at[i][:b.n]
	y, z := u.x[1].at[j][:b.n], u.x[2].at[k][:b.n]
	for n := range off {
		ty, tz := int32(0), int32(0)
		if p.st.Dims > 1 {
			ty = y[n]
		}
		if p.st.Dims > 2 {
			tz = z[n]
		}
		off[n], in[n] = p.inBlock(l, s[n], x[n], ty, tz)
	}
}

// decode reads one texel a lane.
func (c *blocks) decode(p *plan, t *texelSet, data []byte, off, in []int32) {
	if c.info != p.info {
		c.reset(p.info)
	}
	r, g, b, a := t[0][:len(off)], t[1][:len(off)], t[2][:len(off)], t[3][:len(off)]
	wide := p.info.BlockBytes == 16
	for k, o := range off {
		lo, hi := binary.LittleEndian.Uint64(data[o:]), uint64(0)
		if wide {
			hi = binary.LittleEndian.Uint64(data[o+8:])
		}
		slot := in[k] >> 16 & c.mask & (blockSlots - 1)
		first := slot * c.texels
		if c.lo[slot] != lo || c.hi[slot] != hi || !c.used[slot] {
			p.info.DecodeBlock(c.data[first:first+c.texels], data[o:])
			c.lo[slot], c.hi[slot], c.used[slot] = lo, hi, true
		}
		x := &c.data[first+in[k]&0xFFFF]
		r[k], g[k], b[k], a[k] = x[0], x[1], x[2], x[3]
	}
}
