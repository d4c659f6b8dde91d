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

// bytes filters UNORM bytes in integers: one level, or two of one or two
// dimensions. A level's sum of a component is below 2^24 (2^32 in three
// dimensions), so two lie in one word, 32 bits apart, and two levels' sum is
// below 255·2^24 < 2^32.
func (u *Unit) bytes(p *plan, a *ref.Args, b *batch, hi int, linear bool) {
	even, odd := u.even[0][:b.n], u.odd[0][:b.n]
	u.levelBytes(p, b, hi, linear, even, odd)
	scale := p.unit
	switch {
	case b.twoLevels():
		even2, odd2 := u.even[1][:b.n], u.odd[1][:b.n]
		u.levelBytes(p, b, hi+1, linear, even2, odd2)
		f := b.frac[:b.n]
		for k := range even {
			d := uint64(f[k])
			even[k] = even[k]*(one8-d) + even2[k]*d
			odd[k] = odd[k]*(one8-d) + odd2[k]*d
		}
	case p.st.Dims < 3:
		scale *= one8
	}
	for c := range u.texels {
		if !p.stored[c] {
			continue
		}
		// The nearest binary32 to S/(255·2^24): the quotient of 32-bit S
		// is no closer to a tie than 2^-41 of itself, far more than the
		// error of the binary64 product.
		t := u.texels[c][:b.n]
		from, shift := u.field(p, c)
		from = from[:len(t)]
		for k := range t {
			t[k] = math.Float32bits(float32(float64(float64(uint32(from[k]>>shift)) * scale)))
		}
	}
	u.store(p, a, b)
}

// field is where the sums of component c stand.
func (u *Unit) field(p *plan, c int) (words []uint64, shift uint) {
	words = u.even[0][:]
	if p.shift[c]&8 != 0 {
		words = u.odd[0][:]
	}
	return words, uint(p.shift[c]&16) << 1
}

// unpackBytes makes the packed sums of a level into sums.
func (u *Unit) unpackBytes(p *plan, q *batch) {
	for c := range u.kept.c {
		if p.stored[c] {
			d := u.kept.c[c][:q.n]
			from, shift := u.field(p, c)
			from = from[:len(d)]
			for k := range d {
				d[k] = float64(uint32(from[k] >> shift))
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

// levelBytes gives the weighted sums of bytes 0 and 2, and 1 and 3, of one
// level, on a scale of 2^16, or 2^24 where the filter is LINEAR in three
// dimensions.
func (u *Unit) levelBytes(p *plan, b *batch, at int, linear bool, even, odd []uint64) {
	l := &p.levels[min(at, p.v.Levels-1)]
	if !linear {
		for d := range p.st.Dims {
			u.x[d].nearest(p, b, l, d)
		}
		u.place(p, b, l)
		u.tap(p, b, l, 0, 0, 0)
		for k, o := range u.off[:b.n] {
			w := spread(u.word(p, o, k, 0, 0, 0))
			even[k], odd[k] = w&evenLanes<<16, w>>16&evenLanes<<16
		}
		return
	}
	if p.key.Seams {
		u.findSeams(p, b, l)
	} else {
		for d := range p.st.Dims {
			u.x[d].linear(p, b, l, d)
		}
	}
	if p.st.Dims == 1 {
		clear(u.x[1].at[0][:b.n])
		clear(u.x[1].at[1][:b.n])
		clear(u.x[1].f[:b.n])
	}
	u.place(p, b, l)
	if p.st.Dims < 3 {
		u.planeBytes(p, b, even, odd, 0)
		u.seamBytes(p, b, l, even, odd)
		return
	}
	start, z0, z1 := u.start[:b.n], u.x[2].at[0][:b.n], u.x[2].at[1][:b.n]
	for k := range start {
		start[k] += z0[k]
	}
	u.planeBytes(p, b, even, odd, 0)
	for k := range start {
		start[k] += z1[k] - z0[k]
	}
	even2, odd2 := u.even[1][:b.n], u.odd[1][:b.n]
	u.planeBytes(p, b, even2, odd2, 1)
	f := u.x[2].f[:b.n]
	for k := range even {
		d := uint64(f[k])
		even[k] = even[k]*(one8-d) + even2[k]*d
		odd[k] = odd[k]*(one8-d) + odd2[k]*d
	}
}

// planeBytes is bilinear filtering in plane z of the footprint.
func (u *Unit) planeBytes(p *plan, b *batch, even, odd []uint64, z int) {
	data, start := p.v.Image.Data, u.start[:b.n]
	x0, x1, y0, y1 := u.x[0].at[0][:b.n], u.x[0].at[1][:b.n], u.x[1].at[0][:b.n], u.x[1].at[1][:b.n]
	fx, fy := u.x[0].f[:b.n], u.x[1].f[:b.n]
	even, odd = even[:len(start)], odd[:len(start)]
	if p.key.Border || p.info.BlockBytes != 4 {
		for k := range even {
			o := [4]int32{start[k] + x0[k] + y0[k], start[k] + x1[k] + y0[k], start[k] + x0[k] + y1[k], start[k] + x1[k] + y1[k]}
			even[k], odd[k] = bilinear(u.word(p, o[0], k, 0, 0, z), u.word(p, o[1], k, 1, 0, z),
				u.word(p, o[2], k, 0, 1, z), u.word(p, o[3], k, 1, 1, z), uint64(fx[k]), uint64(fy[k]))
		}
		return
	}
	for k := range even {
		top, bottom := start[k]+y0[k], start[k]+y1[k]
		even[k], odd[k] = bilinear(
			binary.LittleEndian.Uint32(data[top+x0[k]:]), binary.LittleEndian.Uint32(data[top+x1[k]:]),
			binary.LittleEndian.Uint32(data[bottom+x0[k]:]), binary.LittleEndian.Uint32(data[bottom+x1[k]:]),
			uint64(fx[k]), uint64(fy[k]))
	}
}

// seamBytes does the places again whose footprint leaves its cube face.
func (u *Unit) seamBytes(p *plan, b *batch, l *level, even, odd []uint64) {
	for _, e := range u.seams {
		k := e.k & (chunk - 1)
		var w [4]uint32
		for t := range w {
			u.overEdge(p, b, l, e, int32(t&1), int32(t>>1))
			w[t] = u.word(p, u.off[k], int(k), 0, 0, 0)
		}
		even[k], odd[k] = bilinear(w[0], w[1], w[2], w[3], uint64(u.x[0].f[k]), uint64(u.x[1].f[k]))
	}
	u.seams = u.seams[:0]
}

// bilinear weighs four texels: rows first, sums of four 16-bit lanes, at most
// 255·256 each.
func bilinear(t00, t10, t01, t11 uint32, fx, fy uint64) (even, odd uint64) {
	top := spread(t00)*(one8-fx) + spread(t10)*fx
	bottom := spread(t01)*(one8-fx) + spread(t11)*fx
	return (top&evenLanes)*(one8-fy) + (bottom&evenLanes)*fy, (top>>16&evenLanes)*(one8-fy) + (bottom>>16&evenLanes)*fy
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
		return uint32(binary.LittleEndian.Uint16(data)) | p.fill
	default:
		return uint32(data[0]) | p.fill
	}
}
