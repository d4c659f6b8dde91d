package sampling

import (
	"math"
	"math/bits"

	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// far bounds coordinates in texels: beyond twice any size (resource.MaxExtent),
// and 256 times it fits an int32.
const far = 1 << 22

// axis holds what filtering needs of one dimension: for both taps the offset in
// bytes (the texel, in compressed formats), and the weight of the second in
// 1/256. Bit t of out says that tap t is the border.
type axis struct {
	at  [2][chunk]int32
	f   [chunk]int32
	out [chunk]uint8
}

// slowCoord is 256·(s·size + Δ) and a shift for coordinates that are no numbers, infinite or
// far away (IMG-005…007): the same texel and fraction, near enough for an int32. The
// fraction counts though all taps are one texel there: the weights of CUBIC filters are
// rounded, so their sum depends on it.
func slowCoord(s, w, o, shift float64, mode vk.SamplerAddressMode, size int32) float64 {
	u := float64(s * w)
	if u != u {
		u = 0
	}
	u = float64(u+o) + shift
	switch mode {
	case vk.SamplerAddressModeRepeat, vk.SamplerAddressModeMirroredRepeat:
		if math.IsInf(u, 0) {
			return 0
		}
		return math.Mod(u, 2*one8*float64(size)) // exact; the period is even in texels
	default:
		if math.Abs(u) < far*one8 { // NaN became 0
			return u
		}
		if math.Abs(u) >= ref.Far*one8 {
			return math.Copysign(far*one8, u)
		}
		return math.Copysign(far*one8, u) + math.Mod(u, one8) // exact; far is even in texels
	}
}

// bounds are a wrapping that the kernels do: index & mask, clamped to first…last.
func (p *plan) bounds(l *level, d int) (mask, first, last int32, ok bool) {
	last = l.size[d] - 1
	switch {
	case p.key.Modes[d] == vk.SamplerAddressModeRepeat && last&(last+1) == 0:
		return last, first, last, true
	case p.key.Modes[d] == vk.SamplerAddressModeClampToEdge:
		return -1, first, last, true
	}
	return
}

// offsets are a batch's texel offsets, nil where there are none; places up to the
// next multiple of eight have coordinates fit for kernels.
func (b *batch) offsets(p *plan, d int) *[chunk]float64 {
	for k := b.n; k&7 != 0; k++ {
		b.c[d][k], b.d[d][k] = 0, 0
	}
	if p.key.Offset {
		return &b.d[d]
	}
	return nil
}

// shifts is offsets for kernels, which add one number: false where that does not do.
// A coordinate's product is exact, so that one rounding remains without offsets.
func (u *Unit) shifts(p *plan, b *batch, d int) (*[chunk]float64, bool) {
	o := b.offsets(p, d)
	if p.key.Corner {
		return &u.halfTexel, o == nil
	}
	return o, true
}

// skips adds what the columns (or slabs) before the first taps of an axis take; its
// offsets are multiples of a pitch that is a power of two.
func (x *axis) skips(p *plan, l *level, d, n, taps int) {
	if l.skip[d] == 0 || p.key.Texel == TexelBlock {
		return
	}
	s := int(l.shift[d]) + bits.TrailingZeros32(uint32(l.pitch[d]))
	for t := range taps {
		for k, at := range x.at[t][:n] {
			x.at[t][k] = at + at>>(s&31)*l.skip[d]
		}
	}
}

// linear gives the two taps of a dimension, and the second one's weight.
func (u *Unit) linear(p *plan, b *batch, l *level, d int) {
	u.linearTaps(p, b, l, d)
	if !p.key.Seams {
		u.x[d].skips(p, l, d, b.n, 2)
	}
}

// nearest gives the one tap of a dimension.
func (u *Unit) nearest(p *plan, b *batch, l *level, d int) {
	u.nearestTap(p, b, l, d)
	u.x[d].skips(p, l, d, b.n, 1)
}

// linearTaps gives both taps of a dimension and the fraction, by a kernel where there is one.
// Seamless cubes get texels as they are.
func (u *Unit) linearTaps(p *plan, b *batch, l *level, d int) {
	x, n := &u.x[d], b.n
	if mask, first, last, ok := p.bounds(l, d); ok && u.simd {
		pitch := p.pitchOf(l, d)
		if p.key.Seams {
			mask, first, last, pitch = -1, math.MinInt32, math.MaxInt32, 1
		}
		if o, ok := u.shifts(p, b, d); ok && axisAVX2(x, &b.c[d], o, l.scale[d], mask, first, last, pitch, n) {
			return
		}
	}
	x.splitTaps(p, b, l, d)
	if !p.key.Seams {
		x.wrapTaps(p, l, d, n)
	}
}

// splitTaps is IMG-475, IMG-481 and IMG-011: s·size + Δ in 1/256 texel less half a
// texel, split into texel and fraction. Products of binary32 numbers with 256·size are
// exact, so one rounding remains.
//
// IMG-004, IMG-486, IMG-702, IMG-704
func (x *axis) splitTaps(p *plan, b *batch, l *level, d int) {
	n := b.n
	c, w, at := b.c[d][:n], l.scale[d], x.at[0][:n]
	f, shift := x.f[:n], p.shift256
	const magic = roundMagic - one8/2
	for k := range c {
		o := 0.0
		if p.key.Offset {
			o = b.d[d][k&(chunk-1)]
		}
		s := float64(float64(c[k]*w)+o) + shift
		if !(math.Abs(s) < far*one8) {
			s = slowCoord(c[k], w, o, shift, p.key.Modes[d], l.size[d])
		}
		t := int32(math.Float64bits(float64(s + magic)))
		at[k], f[k] = t>>8, t&(one8-1)
	}
}

// nearestTap gives the one texel of a dimension, by a kernel where there is one.
func (u *Unit) nearestTap(p *plan, b *batch, l *level, d int) {
	x, n := &u.x[d], b.n
	if mask, first, last, ok := p.bounds(l, d); ok && u.simd {
		if o, ok := u.shifts(p, b, d); ok && axisNearestAVX2(x, &b.c[d], o, l.scale[d], mask, first, last, p.pitchOf(l, d), n) {
			return
		}
	}
	x.floorTaps(p, b, l, d)
	x.wrapOne(p, l, d, n)
}

// floorTaps is IMG-480: floor(s·size + Δ).
//
// IMG-004, IMG-028
func (x *axis) floorTaps(p *plan, b *batch, l *level, d int) {
	n := b.n
	c, w, at, shift := b.c[d][:n], l.scale[d], x.at[0][:n], p.shift256
	for k := range c {
		o := 0.0
		if p.key.Offset {
			o = b.d[d][k&(chunk-1)]
		}
		s := float64(float64(c[k]*w)+o) + shift
		if !(math.Abs(s) < far*one8) {
			s = slowCoord(c[k], w, o, shift, p.key.Modes[d], l.size[d])
		}
		s *= 1.0 / one8
		i := int32(s)
		if float64(i) > s {
			i--
		}
		at[k] = i
	}
}

// wrapTaps is IMG-500 for taps i and i+1.
//
// IMG-307, IMG-501, IMG-502, IMG-557
func (x *axis) wrapTaps(p *plan, l *level, d, n int) {
	a, b := x.at[0][:n], x.at[1][:n]
	size, pitch := l.size[d], p.pitchOf(l, d)
	switch mode := p.key.Modes[d]; {
	case mode == vk.SamplerAddressModeRepeat:
		for k := range a {
			i := a[k]
			if uint32(i) >= uint32(size) {
				i = floorMod(i, size)
			}
			j := i + 1
			if j == size {
				j = 0
			}
			a[k], b[k] = i*pitch, j*pitch
		}
	case mode == vk.SamplerAddressModeClampToEdge:
		last := size - 1
		for k := range a {
			i := a[k]
			a[k], b[k] = min(max(i, 0), last)*pitch, min(max(i+1, 0), last)*pitch
		}
	case mode == vk.SamplerAddressModeClampToBorder:
		out := x.out[:n]
		for k := range a {
			i, o := a[k], uint8(0)
			j := i + 1
			if uint32(i) >= uint32(size) {
				i, o = 0, 1
			}
			if uint32(j) >= uint32(size) {
				j, o = 0, o|2
			}
			a[k], b[k], out[k] = i*pitch, j*pitch, o
		}
	default:
		for k := range a {
			i := int(a[k])
			a[k], b[k] = int32(ref.Wrap(mode, i, int(size)))*pitch, int32(ref.Wrap(mode, i+1, int(size)))*pitch
		}
	}
}

// wrapOne is IMG-500 for one tap.
//
// IMG-195, IMG-307, IMG-501, IMG-502
func (x *axis) wrapOne(p *plan, l *level, d, n int) {
	a := x.at[0][:n]
	size, pitch := l.size[d], p.pitchOf(l, d)
	switch mode := p.key.Modes[d]; {
	case mode == vk.SamplerAddressModeClampToEdge:
		last := size - 1
		for k := range a {
			a[k] = min(max(a[k], 0), last) * pitch
		}
	case mode == vk.SamplerAddressModeClampToBorder:
		out := x.out[:n]
		for k := range a {
			i, o := a[k], uint8(0)
			if uint32(i) >= uint32(size) {
				i, o = 0, 1
			}
			a[k], out[k] = i*pitch, o
		}
	default:
		for k := range a {
			a[k] = int32(ref.Wrap(mode, int(a[k]), int(size))) * pitch
		}
	}
}

// pitchOf is what a step of one texel along d adds to an offset; compressed
// formats keep texel indices until their block is looked up.
func (p *plan) pitchOf(l *level, d int) int32 {
	if p.key.Texel == TexelBlock {
		return 1
	}
	return l.pitch[d]
}

// floorMod is the remainder of i that is not negative.
//
// IMG-506
func floorMod(i, n int32) int32 {
	if i %= n; i < 0 {
		i += n
	}
	return i
}
