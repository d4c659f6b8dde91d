package sampling

import (
	"encoding/binary"
	"math"

	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// twoLevels says whether some lane needs level hi+1.
func (b *batch) twoLevels() bool {
	some := uint32(0)
	for _, f := range b.frac[:b.n] {
		some |= f
	}
	return some != 0
}

// byteSums are the weighted sums of each byte of a texel in memory, below 2^32.
type byteSums [4][chunk]uint32

// bytes filters UNORM bytes in integers: one level, or two of one or two
// dimensions. A level's sum of a component is at most 255·2^16 (255·2^24 in
// three dimensions), and that of two levels at most 255·2^24.
func (u *Unit) bytes(p *plan, a *ref.Args, b *batch, hi int, linear bool) {
	s := &u.bytesHi
	u.levelBytes(p, b, hi, linear, s)
	scale := p.unit
	switch {
	case b.twoLevels():
		u.levelBytes(p, b, hi+1, linear, &u.bytesLo)
		u.lerpBytes(s, &u.bytesLo, &b.frac, b.n)
	case p.st.Dims < 3:
		scale *= one8
	}
	for c := range u.texels {
		if p.stored[c] {
			u.scaleBytes(&u.texels[c], &s[p.shift[c]>>3&3], scale, b.n)
		}
	}
	u.store(p, a, b)
}

// lerpBytes joins two levels, or planes: f is the weight of the second in 1/256.
func (u *Unit) lerpBytes(s, lo *byteSums, f *[chunk]uint32, n int) {
	if u.simd {
		lerpAVX2(s, lo, f, n)
		return
	}
	for c := range s {
		x, y, f := s[c][:n], lo[c][:n], f[:n]
		for k := range x {
			x[k] = x[k]*(one8-f[k]) + y[k]*f[k]
		}
	}
}

// scaleBytes gives the nearest binary32 to S/(255·2^24): the quotient of 32-bit
// S is no closer to a tie than 2^-41 of itself, far more than the error of the
// binary64 product.
func (u *Unit) scaleBytes(t, s *[chunk]uint32, scale float64, n int) {
	if u.simd {
		scaleAVX2(t, s, scale, n)
		return
	}
	to, from := t[:n], s[:n]
	for k := range to {
		to[k] = math.Float32bits(float32(float64(float64(from[k]) * scale)))
	}
}

// unpackBytes makes the packed sums of a level into sums.
func (u *Unit) unpackBytes(p *plan, q *batch) {
	for c := range u.kept.c {
		if p.stored[c] {
			d, from := u.kept.c[c][:q.n], u.bytesHi[p.shift[c]>>3&3][:q.n]
			for k := range d {
				d[k] = float64(from[k])
			}
		}
	}
}

// Two 16-bit lanes of a 64-bit word, 32 bits apart.
const evenLanes = 0x0000FFFF0000FFFF

// spread moves the bytes of x into 16-bit lanes.
func spread(x uint32) uint64 {
	v := uint64(x)
	v = (v | v<<16) & evenLanes
	return (v | v<<8) & 0x00FF00FF00FF00FF
}

// levelBytes gives the weighted sums of one level, on a scale of 2^16, or 2^24 where the filter is LINEAR in three
// dimensions.
func (u *Unit) levelBytes(p *plan, b *batch, at int, linear bool, s *byteSums) {
	l := &p.levels[at]
	if !linear {
		for d := range p.st.Dims {
			u.nearest(p, b, l, d)
		}
		u.place(p, b, l)
		u.tap(p, b, l, 0, 0, 0)
		for k, o := range u.off[:b.n] {
			w := u.word(p, o, k, 0, 0, 0)
			k &= chunk - 1
			s[0][k], s[1][k], s[2][k], s[3][k] = w&0xFF<<16, w>>8&0xFF<<16, w>>16&0xFF<<16, w>>24<<16
		}
		return
	}
	if p.key.Seams {
		u.findSeams(p, b, l)
	} else {
		for d := range p.st.Dims {
			u.linear(p, b, l, d)
		}
	}
	if p.st.Dims == 1 {
		clear(u.x[1].at[0][:b.n])
		clear(u.x[1].at[1][:b.n])
		clear(u.x[1].f[:b.n])
	}
	u.place(p, b, l)
	if p.st.Dims < 3 {
		u.planeBytes(p, b, s, 0)
		u.seamBytes(p, b, l, s)
		return
	}
	start, z0, z1 := u.start[:b.n], u.x[2].at[0][:b.n], u.x[2].at[1][:b.n]
	for k := range start {
		start[k] += z0[k]
	}
	u.planeBytes(p, b, s, 0)
	for k := range start {
		start[k] += z1[k] - z0[k]
	}
	u.planeBytes(p, b, &u.bytesLo, 1)
	f := u.x[2].f[:b.n]
	for k := range f {
		u.weightZ[k&(chunk-1)] = uint32(f[k])
	}
	u.lerpBytes(s, &u.bytesLo, &u.weightZ, b.n)
}

// planeBytes is bilinear filtering in plane z of the footprint.
func (u *Unit) planeBytes(p *plan, b *batch, s *byteSums, z int) {
	start, data := u.start[:b.n], p.v.Image.Data
	x0, x1, y0, y1 := u.x[0].at[0][:b.n], u.x[0].at[1][:b.n], u.x[1].at[0][:b.n], u.x[1].at[1][:b.n]
	fx, fy := u.x[0].f[:b.n], u.x[1].f[:b.n]
	switch {
	case p.info.BlockBytes != 4 || p.key.Border && !u.simd:
		for k := range start {
			u.placeBytes(p, s, k, z)
		}
	case u.simd:
		u.pad(b.n)
		bilinearAVX2(s, &data[0], &u.start, &u.x[0], &u.x[1], b.n)
		if p.key.Border {
			u.borderBytes(p, b, s, z)
		}
	default:
		for k := range start {
			top, bottom := start[k]+y0[k], start[k]+y1[k]
			s.set(k, binary.LittleEndian.Uint32(data[top+x0[k]:]), binary.LittleEndian.Uint32(data[top+x1[k]:]),
				binary.LittleEndian.Uint32(data[bottom+x0[k]:]), binary.LittleEndian.Uint32(data[bottom+x1[k]:]),
				uint64(fx[k]), uint64(fy[k]))
		}
	}
}

// placeBytes filters plane z of the footprint of one place.
func (u *Unit) placeBytes(p *plan, s *byteSums, k, z int) {
	k &= chunk - 1
	x, y := &u.x[0], &u.x[1]
	top, bottom := u.start[k]+y.at[0][k], u.start[k]+y.at[1][k]
	s.set(k, u.word(p, top+x.at[0][k], k, 0, 0, z), u.word(p, top+x.at[1][k], k, 1, 0, z),
		u.word(p, bottom+x.at[0][k], k, 0, 1, z), u.word(p, bottom+x.at[1][k], k, 1, 1, z), uint64(x.f[k]), uint64(y.f[k]))
}

// borderBytes does the places again whose footprint reaches the border.
func (u *Unit) borderBytes(p *plan, b *batch, s *byteSums, z int) {
	for k := range b.n {
		out := uint8(0)
		for d := range p.st.Dims {
			if p.key.Modes[d] == vk.SamplerAddressModeClampToBorder {
				out |= u.x[d].out[k&(chunk-1)]
			}
		}
		if out != 0 {
			u.placeBytes(p, s, k, z)
		}
	}
}

// pad makes the footprints of places n up to the next multiple of eight those of
// place 0: kernels read them too.
func (u *Unit) pad(n int) {
	for k := n; k&7 != 0; k++ {
		u.start[k] = u.start[0]
		for d := range 2 {
			u.x[d].at[0][k], u.x[d].at[1][k] = u.x[d].at[0][0], u.x[d].at[1][0]
		}
	}
}

// seamBytes does the places again whose footprint leaves its cube face.
func (u *Unit) seamBytes(p *plan, b *batch, l *level, s *byteSums) {
	for _, e := range u.seams {
		k := e.k & (chunk - 1)
		var w [4]uint32
		for t := range w {
			u.overEdge(p, b, l, e, int32(t&1), int32(t>>1))
			w[t] = u.word(p, u.off[k], int(k), 0, 0, 0)
		}
		s.set(int(k), w[0], w[1], w[2], w[3], uint64(u.x[0].f[k]), uint64(u.x[1].f[k]))
	}
	u.seams = u.seams[:0]
}

// set weighs the four texels of place k: rows first, sums of four 16-bit lanes,
// at most 255·256 each.
func (s *byteSums) set(k int, t00, t10, t01, t11 uint32, fx, fy uint64) {
	top := spread(t00)*(one8-fx) + spread(t10)*fx
	bottom := spread(t01)*(one8-fx) + spread(t11)*fx
	even := (top&evenLanes)*(one8-fy) + (bottom&evenLanes)*fy
	odd := (top>>16&evenLanes)*(one8-fy) + (bottom>>16&evenLanes)*fy
	k &= chunk - 1
	s[0][k], s[1][k], s[2][k], s[3][k] = uint32(even), uint32(odd), uint32(even>>32), uint32(odd>>32)
}

// word reads a texel of 1, 2 or 4 bytes, or the border, for tap t of place k.
func (u *Unit) word(p *plan, o int32, k, tx, ty, tz int) uint32 {
	if p.key.Border {
		t := [3]int{tx, ty, tz}
		for d := range p.st.Dims {
			if p.key.Modes[d] == vk.SamplerAddressModeClampToBorder && u.x[d].out[k&(chunk-1)]>>(t[d]&1)&1 != 0 {
				return p.word
			}
		}
	}
	data := p.v.Image.Data[o:]
	switch p.info.BlockBytes {
	case 4:
		return binary.LittleEndian.Uint32(data)
	case 2:
		return uint32(binary.LittleEndian.Uint16(data))
	default:
		return uint32(data[0])
	}
}
