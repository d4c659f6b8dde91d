package fragops

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// The loops below give the bits of writeReference for four-byte formats. first
// is the byte of the red component: 0 for RGBA, 2 for BGRA.

// unorm8 is one component's code.
func unorm8(b uint32) uint32 { return fp.FloatToUnorm(math.Float32frombits(b), 8) }

// packChunk is how many lanes are packed at a time.
const packChunk = 64

// packed are the UNORM words of the lanes of a group of packChunk: each group is
// packed once, when a list comes to its first fragment.
type packed struct {
	src   *[4][]uint32
	first uint
	group int // of words, −1 for none
	words [packChunk]uint32
}

// from returns the texel of a lane and those that follow it in the group.
func (p *packed) from(lane int) []uint32 {
	if g := lane / packChunk; g != p.group {
		p.group = g
		p.pack(haveAVX2)
	}
	return p.words[lane%packChunk:]
}

// rowsOf is where the quads of a list are in memory, each of whose rows is checked.
func (s *Surface) rowsOf(list []Fragment) (at [packChunk / 4]int) {
	for i := range list {
		o := s.Offset(int(list[i].X), int(list[i].Y), 0)
		_, _ = s.Data[o:o+8:o+8], s.Data[o+s.RowPitch:o+s.RowPitch+8]
		at[i%len(at)] = o
	}
	return at
}

// quads stores whole quads of neighbouring lanes that a list begins with, an even
// number of them, and returns it: 0 where that is not worth it. Bits of keep stay.
func (p *packed) quads(dst *Surface, list []Fragment, keep uint32) int {
	if !haveAVX2 || dst.TexelPitch != 4 {
		return 0
	}
	n := 0
	for n < min(len(list), packChunk/4) && list[n].Mask == WholeQuad && list[n].Lane == list[0].Lane+uint16(4*n) {
		n++
	}
	if n &^= 1; n > 0 {
		at, from := dst.rowsOf(list[:n]), int(list[0].Lane)
		r, g, b, a := p.src[0][from:from+4*n], p.src[1][from:from+4*n], p.src[2][from:from+4*n], p.src[3][from:from+4*n]
		packQuadsAVX2(&dst.Data[0], dst.RowPitch, &at[0], &r[0], &g[0], &b[0], &a[0], uint64(8*p.first), uint64(16-8*p.first), uint64(keep), 4*n)
	}
	return n
}

// each is the fragments of a whole quad.
func (it *Fragment) each() [4]Fragment {
	l, x, y := it.Lane, it.X, it.Y
	return [4]Fragment{{Lane: l, X: x, Y: y, Mask: 1}, {Lane: l + 1, X: x + 1, Y: y, Mask: 1}, {Lane: l + 2, X: x, Y: y + 1, Mask: 1}, {Lane: l + 3, X: x + 1, Y: y + 1, Mask: 1}}
}

// two is a row of two texels.
func two(a, b uint32) uint64 { return uint64(a) | uint64(b)<<32 }

// pack converts the lanes of the group.
func (p *packed) pack(simd bool) {
	at := p.group * packChunk
	n := min(packChunk, len(p.src[0])-at, len(p.src[1])-at, len(p.src[2])-at, len(p.src[3])-at)
	r, g, b, a := p.src[0][at:at+n], p.src[1][at:at+n], p.src[2][at:at+n], p.src[3][at:at+n]
	rs, bs := 8*p.first, 16-8*p.first
	done := 0
	if simd && n >= 8 {
		done = n &^ 7
		packAVX2(&p.words[0], &r[0], &g[0], &b[0], &a[0], uint64(rs), uint64(bs), done)
	}
	for i := done; i < n; i++ {
		p.words[i%packChunk] = unorm8(r[i])<<rs | unorm8(g[i])<<8 | unorm8(b[i])<<bs | unorm8(a[i])<<24
	}
}

// writeRGBA8 stores UNORM colours without blending: the bits that are not kept
// (RAS-347).
func (c *Color) writeRGBA8(dst *Surface, list []Fragment, src *[4][]uint32, first uint) {
	p := packed{src: src, first: first, group: -1}
	keep := binary.LittleEndian.Uint32(c.keep[:])
	keep2, tight := two(keep, keep), dst.TexelPitch == 4
	for i := 0; i < len(list); i++ {
		it := &list[i]
		if it.Mask == WholeQuad {
			if n := p.quads(dst, list[i:], keep); n > 0 {
				i += n - 1
				continue
			}
			w := (*[4]uint32)(p.from(int(it.Lane)))
			if tight {
				at := dst.Offset(int(it.X), int(it.Y), 0)
				upper, lower := dst.Data[at:], dst.Data[at+dst.RowPitch:]
				binary.LittleEndian.PutUint64(upper, binary.LittleEndian.Uint64(upper)&keep2|two(w[0], w[1])&^keep2)
				binary.LittleEndian.PutUint64(lower, binary.LittleEndian.Uint64(lower)&keep2|two(w[2], w[3])&^keep2)
				continue
			}
			for k, f := range it.each() {
				at := dst.Data[dst.Offset(int(f.X), int(f.Y), 0):]
				binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)&keep|w[k]&^keep)
			}
			continue
		}
		w := p.from(int(it.Lane))[0] &^ keep
		to := dst.Data[dst.Offset(int(it.X), int(it.Y), 0):]
		for m := it.Mask; m != 0; m &= m - 1 {
			at := to[bits.TrailingZeros16(m)*4:]
			binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)&keep|w)
		}
	}
}

// clamp01 is clampTo(v, 0, 1).
func clamp01(b uint32) float32 {
	v := math.Float32frombits(b)
	if !(v > 0) {
		// -0 stays -0 in clampTo; it makes no difference to a sum that is
		// then rounded to a code.
		return 0
	}
	return min(v, 1)
}

// overRGBA8 stores UNORM colours blended with source alpha over the
// destination.
func (c *Color) overRGBA8(dst *Surface, list []Fragment, src *[4][]uint32, first uint) {
	for len(list) > 0 {
		if list[0].Mask == WholeQuad {
			n := 1
			if haveAVX2 && dst.TexelPitch == 4 {
				n = max(apartQuads(list)&^1, 1)
			}
			if n > 1 {
				c.overQuads(dst, list[:n], src, first)
			} else {
				four := list[0].each()
				c.overEach(dst, four[:], src, first)
			}
			list = list[n:]
			continue
		}
		n := 0
		if haveAVX2 {
			n = apart(list)
		}
		if n < 8 {
			n = min(max(n, 1), len(list))
			c.overEach(dst, list[:n], src, first)
		} else {
			n &^= 7
			c.overTogether(dst, list[:n], src, first)
		}
		list = list[n:]
	}
}

// apart returns how many fragments of the list's beginning have one sample,
// neighbouring lanes and pixels of their own: at most packChunk.
func apart(list []Fragment) int {
	seen := uint64(0) // places of quads, 64 of them
	list = list[:min(len(list), packChunk)]
	for i := range list {
		it := &list[i]
		if it.Mask != 1 || it.Lane != list[0].Lane+uint16(i) {
			return i
		}
		if i > 0 && it.behind(&list[i-1]) {
			continue
		}
		bit := uint64(1) << (it.X>>1&7 | it.Y>>1&7<<3)
		if seen&bit != 0 {
			return i
		}
		seen |= bit
	}
	return len(list)
}

// behind says that a fragment is a later pixel of the same quad. (Lanes do not tell:
// colours may have been made for fragments one by one.)
func (it *Fragment) behind(last *Fragment) bool {
	return it.X>>1 == last.X>>1 && it.Y>>1 == last.Y>>1 && (it.Y > last.Y || it.Y == last.Y && it.X > last.X)
}

// apartQuads returns how many entries of the list's beginning are whole quads with
// neighbouring lanes and pixels of their own: as many as fill packChunk at most.
func apartQuads(list []Fragment) int {
	seen := uint64(0) // places of quads, 64 of them
	list = list[:min(len(list), packChunk/4)]
	for i := range list {
		it := &list[i]
		bit := uint64(1) << (it.X>>1&7 | it.Y>>1&7<<3)
		if it.Mask != WholeQuad || it.Lane != list[0].Lane+uint16(4*i) || seen&bit != 0 {
			return i
		}
		seen |= bit
	}
	return len(list)
}

// overQuads blends whole quads that are apart, an even number.
func (c *Color) overQuads(dst *Surface, list []Fragment, src *[4][]uint32, first uint) {
	places, at, n := dst.rowsOf(list), int(list[0].Lane), 4*len(list)
	r, g, b, a := src[0][at:at+n], src[1][at:at+n], src[2][at:at+n], src[3][at:at+n]
	overQuadsAVX2(&dst.Data[0], dst.RowPitch, &places[0], &r[0], &g[0], &b[0], &a[0], uint64(8*first), uint64(16-8*first), c.square(), n)
}

// square is 1 where alpha's own factor is source alpha.
func (c *Color) square() uint64 {
	if c.Blend.SrcAlpha == vk.BlendFactorSrcAlpha {
		return 1
	}
	return 0
}

// overTogether blends fragments that are apart, a multiple of eight.
func (c *Color) overTogether(dst *Surface, list []Fragment, src *[4][]uint32, first uint) {
	var words [packChunk]uint32
	for i := range list {
		words[i%packChunk] = binary.LittleEndian.Uint32(dst.Data[dst.Offset(int(list[i].X), int(list[i].Y), 0):])
	}
	at, n := int(list[0].Lane), len(list)
	r, g, b, a := src[0][at:at+n], src[1][at:at+n], src[2][at:at+n], src[3][at:at+n]
	overAVX2(&words[0], &r[0], &g[0], &b[0], &a[0], uint64(8*first), uint64(16-8*first), c.square(), n)
	for i := range list {
		binary.LittleEndian.PutUint32(dst.Data[dst.Offset(int(list[i].X), int(list[i].Y), 0):], words[i%packChunk])
	}
}

// overEach blends fragment by fragment.
func (c *Color) overEach(dst *Surface, list []Fragment, src *[4][]uint32, first uint) {
	rs, bs := 8*first, 16-8*first
	for _, it := range list {
		i := int(it.Lane)
		a := clamp01(src[3][i])
		k := 1 - a
		sr, sg, sb := float32(clamp01(src[0][i])*a), float32(clamp01(src[1][i])*a), float32(clamp01(src[2][i])*a)
		at := dst.Offset(int(it.X), int(it.Y), 0)
		for m := it.Mask; m != 0; m &= m - 1 {
			p := dst.Data[at+bits.TrailingZeros16(m)*4:]
			d := binary.LittleEndian.Uint32(p)
			mix := func(s float32, code uint32) uint32 {
				return fp.FloatToUnorm(s+float32(fp.UnormToFloat(code&0xFF, 8)*k), 8)
			}
			w := mix(sr, d>>rs)<<rs | mix(sg, d>>8)<<8 | mix(sb, d>>bs)<<bs | c.overAlpha(a, k, d>>24)<<24
			binary.LittleEndian.PutUint32(p, w)
		}
	}
}

// overAlpha blends alpha with factor one or source alpha.
func (c *Color) overAlpha(a, k float32, code uint32) uint32 {
	f := float32(1)
	if c.Blend.SrcAlpha == vk.BlendFactorSrcAlpha {
		f = a
	}
	return fp.FloatToUnorm(float32(a*f)+float32(fp.UnormToFloat(code, 8)*k), 8)
}
