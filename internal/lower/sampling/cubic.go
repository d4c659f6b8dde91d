package sampling

import (
	"math"

	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// cubicAxis holds the four taps of a dimension: offsets (texels, in compressed
// formats), weights times 256, and 1 where a tap is the border.
type cubicAxis struct {
	at  [4][chunk]int32
	w   [4][chunk]float64
	out [4][chunk]uint8
}

// cubic is scratch memory of CUBIC filters, made when the first is met.
type cubic struct {
	x         [2]cubicAxis
	low, high sums                 // range of the texels with weight
	weights   [4]*[one8][4]float64 // by VkCubicFilterWeightsQCOM and fraction
}

// cubicWeights are the weights of a set for each fraction.
func (u *Unit) cubicWeights(set vk.CubicFilterWeightsQCOM) *[one8][4]float64 {
	if u.cubic == nil {
		u.cubic = new(cubic)
	}
	w := &u.cubic.weights[set&3]
	if *w == nil {
		*w = new([one8][4]float64)
		for f := range *w {
			(*w)[f] = ref.CubicWeights(set, uint32(f))
		}
	}
	return *w
}

// cubicTaps is IMG-482 and IMG-500 for a dimension.
func (u *Unit) cubicTaps(p *plan, b *batch, l *level, d int) {
	x, size := &u.cubic.x[d], l.size[d]
	weights := u.cubicWeights(p.s.CubicWeights)
	for k := range b.n {
		k &= chunk - 1
		o := 0.0
		if p.key.Offset {
			o = b.d[d][k]
		}
		s := float64(float64(b.c[d][k]*l.scale[d])+o) + p.shift256
		if !(math.Abs(s) < far*one8) {
			s = slowCoord(b.c[d][k], l.scale[d], o, p.shift256, p.key.Modes[d], size)
		}
		const magic = roundMagic - one8/2
		t := int32(math.Float64bits(float64(s + magic)))
		first, w := t>>8-1, &weights[t&(one8-1)]
		for n := range x.at {
			i := first + int32(n)
			x.out[n][k] = 0
			if uint32(i) >= uint32(size) {
				if i = int32(ref.Wrap(p.key.Modes[d], int(i), int(size))); i < 0 {
					i, x.out[n][k] = 0, 1
				}
			}
			x.w[n][k] = w[n]
			if x.at[n][k] = i; p.key.Texel != TexelBlock {
				x.at[n][k] = l.along(d, i)
			}
		}
	}
}

// cubicLevel is IMG-542 in two dimensions: the weighted taps of one level, in the order
// j, i ascending.
func (u *Unit) cubicLevel(p *plan, b *batch, l *level, s *sums) {
	u.cubicWeights(p.s.CubicWeights)
	q := u.cubic
	for d := range 2 {
		u.cubicTaps(p, b, l, d)
	}
	u.place(p, b, l)
	for c := range s.c {
		d, low, high := s.c[c][:b.n], q.low.c[c][:b.n], q.high.c[c][:b.n]
		for k := range d {
			d[k], low[k], high[k] = math.Copysign(0, -1), math.Inf(1), math.Inf(-1)
		}
	}
	for j := range 4 {
		copy(u.x[1].at[0][:b.n], q.x[1].at[j][:b.n])
		copy(u.x[1].out[:b.n], q.x[1].out[j][:b.n])
		for i := range 4 {
			copy(u.x[0].at[0][:b.n], q.x[0].at[i][:b.n])
			copy(u.x[0].out[:b.n], q.x[0].out[i][:b.n])
			w := u.weight[:b.n]
			for k := range w {
				w[k] = float64(q.x[0].w[i][k&(chunk-1)] * q.x[1].w[j][k&(chunk-1)])
			}
			u.tap(p, b, l, 0, 0, 0)
			u.readTexels(p, b, 0, 0, 0, false)
			for c := range s.c {
				if p.counted(c) {
					q.add(s, c, u.texels[c][:b.n], w)
				}
			}
		}
	}
	for c := range s.c {
		if p.counted(c) {
			q.close(s, c, b.n, p.key.Reduction == vk.SamplerReductionModeWeightedAverageRangeclampQCOM)
		}
	}
}

// add adds a tap to the sums of a component (IMG-533) and widens their range, which
// NaN closes.
func (q *cubic) add(s *sums, c int, t []uint32, w []float64) {
	n := len(t)
	d, low, high, w := s.c[c][:n], q.low.c[c][:n], q.high.c[c][:n], w[:n]
	for k, bits := range t {
		if w[k] == 0 {
			continue
		}
		x := float64(math.Float32frombits(bits))
		d[k] += float64(w[k] * x)
		if x < low[k] || x != x {
			low[k] = x
		}
		if x > high[k] {
			high[k] = x
		}
	}
}

// close gives equal texels their own value (IMG-534) and clamps to their range
// (IMG-547).
func (q *cubic) close(s *sums, c, n int, clamp bool) {
	const one = one8 * one8
	d, low, high := &s.c[c], &q.low.c[c], &q.high.c[c]
	for k := range n {
		k &= chunk - 1
		switch {
		case low[k] == high[k]:
			d[k] = float64(one * low[k])
		case clamp && d[k] == d[k] && low[k] <= high[k]:
			d[k] = min(max(d[k], float64(one*low[k])), float64(one*high[k]))
		}
	}
}
