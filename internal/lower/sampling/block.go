package sampling

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
)

// blocks keeps decoded blocks of compressed formats, 128 KiB of texels for each
// unit that meets one. An entry's place follows from the block's position in the image, so
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
	blockSlots  = 512
	blockTexels = 8192
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
	return start + l.along(0, bx) + by*l.pitch[1] + l.along(2, bz), l.slot(bx, by, bz)<<16 | (y*w + x)
}

// slot is a block's place in the cache: neighbours have different ones.
func (l *level) slot(bx, by, bz int32) int32 {
	return bx&3 | by&3<<2 | bx>>2&3<<4 | by>>2&3<<6 | bx>>4&1<<8 ^ l.salt ^ bz*5&0xFF
}

// blockTap is tap for compressed formats, whose axes hold texel indices.
func (u *Unit) blockTap(p *plan, b *batch, l *level, i, j, k int) {
	off, in, s, x := u.off[:b.n], u.inBlock[:b.n], u.start[:b.n], u.x[0].at[i][:b.n]
	y, z := u.x[1].at[j][:b.n], u.x[2].at[k][:b.n]
	for n := range off {
		var ty, tz int32
		if p.st.Dims > 1 {
			ty = y[n]
		}
		if p.st.Dims > 2 {
			tz = z[n]
		}
		off[n], in[n] = p.inBlock(l, s[n], x[n], ty, tz)
	}
}

// find returns where the texels of the block at data[o:] begin.
func (c *blocks) find(info *format.Info, data []byte, o, slot int32) int32 {
	lo, hi := binary.LittleEndian.Uint64(data[o:]), uint64(0)
	if info.BlockBytes == 16 {
		hi = binary.LittleEndian.Uint64(data[o+8:])
	}
	slot &= c.mask & (blockSlots - 1)
	first := slot * c.texels
	if c.lo[slot] != lo || c.hi[slot] != hi || !c.used[slot] {
		info.DecodeBlock(c.data[first:first+c.texels], data[o:])
		c.lo[slot], c.hi[slot], c.used[slot] = lo, hi, true
	}
	return first
}

// decode reads one texel a lane.
func (c *blocks) decode(p *plan, t *texelSet, data []byte, off, in []int32) {
	if c.info != p.info {
		c.reset(p.info)
	}
	r, g, b, a := t[0][:len(off)], t[1][:len(off)], t[2][:len(off)], t[3][:len(off)]
	last, first := int32(-1), int32(-1)
	for k, o := range off {
		if o != last {
			last, first = o, c.find(p.info, data, o, in[k]>>16)
		}
		x := &c.data[first+in[k]&0xFFFF]
		r[k], g[k], b[k], a[k] = x[0], x[1], x[2], x[3]
	}
}

// planeBlock is plane for compressed formats: most footprints lie in one block.
func (u *Unit) planeBlock(p *plan, b *batch, l *level, s *sums) {
	data, c := p.v.Image.Data, &u.block
	if c.info != p.info {
		c.reset(p.info)
	}
	x, y := &u.x[0], &u.x[1]
	last, first := int32(-1), int32(-1)
	if u.simd {
		small := p.block[0] == 4 && p.block[1] == 4
		for k := range b.n {
			k &= chunk - 1
			to := &u.quads[k]
			i0, i1, j0, j1 := x.at[0][k], x.at[1][k], y.at[0][k], y.at[1][k]
			if small && ((i0^i1)|(j0^j1))>>2 == 0 { // one block
				bx, by := i0>>2, j0>>2
				if o := u.start[k] + l.along(0, bx) + by*l.pitch[1]; o != last {
					last, first = o, c.find(p.info, data, o, l.slot(bx, by, 0))
				}
				t := (*[16]format.Texel)(c.data[first:])
				i0, i1, j0, j1 = i0&3, i1&3, j0&3<<2, j1&3<<2
				to[0], to[1], to[2], to[3] = t[j0|i0], t[j0|i1], t[j1|i0], t[j1|i1]
				continue
			}
			for i := range to {
				o, in := p.inBlock(l, u.start[k], x.at[i&1][k], y.at[i>>1][k], 0)
				if o != last {
					last, first = o, c.find(p.info, data, o, in>>16)
				}
				to[i] = c.data[first+in&0xFFFF]
			}
		}
		weightsAVX2(&u.weight4, x, y, b.n)
		footprintsAVX2(s, &u.quads, &u.weight4, b.n)
		return
	}
	s0, s1, s2, s3 := s.c[0][:b.n], s.c[1][:b.n], s.c[2][:b.n], s.c[3][:b.n]
	for k := range s0 {
		k &= chunk - 1
		fx, fy := x.f[k], y.f[k]
		w := [4]int32{(one8 - fx) * (one8 - fy), fx * (one8 - fy), (one8 - fx) * fy, fx * fy}
		var r0, r1, r2, r3 float64
		for i, weight := range w {
			if weight == 0 { // IMG-533; never the first
				continue
			}
			o, in := p.inBlock(l, u.start[k], x.at[i&1][k], y.at[i>>1][k], 0)
			if o != last {
				last, first = o, c.find(p.info, data, o, in>>16)
			}
			t, f := &c.data[first+in&0xFFFF], float64(weight)
			a0, a1 := float64(f*float64(math.Float32frombits(t[0]))), float64(f*float64(math.Float32frombits(t[1])))
			a2, a3 := float64(f*float64(math.Float32frombits(t[2]))), float64(f*float64(math.Float32frombits(t[3])))
			if i == 0 {
				r0, r1, r2, r3 = a0, a1, a2, a3
				continue
			}
			r0 += a0
			r1 += a1
			r2 += a2
			r3 += a3
		}
		s0[k], s1[k], s2[k], s3[k] = r0, r1, r2, r3
	}
}
