package sampling

import (
	"math"

	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// cubicAxis holds the four taps of a dimension: offsets (texels, in compressed
// formats), weights times 256, and 1 where a tap is the border.
type cubicAxis struct {
	first [chunk]int32 // the first tap's texel, not wrapped
	at    [4][chunk]int32
	w     [4][chunk]float64
	out   [4][chunk]uint8
}

// cubic is scratch memory of CUBIC filters, made when the first is met.
type cubic struct {
	x         [3]cubicAxis
	low, high sums                 // range of the texels with weight
	weights   [4]*[one8][4]float64 // by VkCubicFilterWeightsQCOM and fraction
	seams     []seam               // places of a seamless cube whose footprint leaves its face
}

// cubicWeights are the weights of a set for each fraction.
//
// IMG-540, IMG-541, IMG-543, IMG-545
func (u *Unit) cubicWeights(set vk.CubicFilterWeightsQCOM) *[one8][4]float64 {
	if u.cubic == nil {
		u.cubic = &cubic{seams: make([]seam, 0, chunk)}
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

// cubicTaps is IMG-482 and IMG-500 for a dimension. Seamless cubes clamp: what is
// behind an edge is read over it.
func (u *Unit) cubicTaps(p *plan, b *batch, l *level, d int) {
	weights := u.cubicWeights(p.s.CubicWeights)
	x, size := &u.cubic.x[d], l.size[d]
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
		x.first[k] = first
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

// findSeams lists the places whose footprint leaves the face of a seamless cube.
func (q *cubic) findSeams(n int, size int32) []seam {
	q.seams = q.seams[:0]
	for k := range n {
		i, j := q.x[0].first[k&(chunk-1)], q.x[1].first[k&(chunk-1)]
		if i < 0 || j < 0 || i+3 >= size || j+3 >= size {
			q.seams = append(q.seams, seam{int32(k), i, j})
		}
	}
	return q.seams
}

// choose makes tap i of dimension d the one that Unit.tap and Unit.readTexels read.
func (q *cubic) choose(x *axis, d, i, n int) {
	copy(x.at[0][:n], q.x[d].at[i][:n])
	copy(x.out[:n], q.x[d].out[i][:n])
}

// cubicLevel is IMG-542: the weighted taps of one level, in the order k, j, i
// ascending.
func (u *Unit) cubicLevel(p *plan, b *batch, l *level, s *sums) {
	for d := range p.st.Dims {
		u.cubicTaps(p, b, l, d)
	}
	q := u.cubic
	var seams []seam
	if p.key.Seams {
		seams = q.findSeams(b.n, l.size[0])
	}
	u.place(p, b, l)
	q.start(p, s, b.n)
	for k := range pick(p.st.Dims > 2, 4) {
		q.choose(&u.x[2], 2, k, b.n)
		for j := range pick(p.st.Dims > 1, 4) {
			q.choose(&u.x[1], 1, j, b.n)
			for i := range 4 {
				q.choose(&u.x[0], 0, i, b.n)
				u.cubicTap(p, b, l, s, [3]int{i, j, k}, seams)
			}
		}
	}
	for c := range s.c {
		if p.counted(c) {
			q.close(p, s, c, b.n)
		}
	}
}

// start empties the sums. They start at −0, so that sums of −0 alone stay −0, and
// reductions at NaN, which gives way to every number.
func (q *cubic) start(p *plan, s *sums, n int) {
	empty := math.Copysign(0, -1)
	if p.key.Sum == SumReduce {
		empty = math.NaN()
	}
	for c := range s.c {
		d, low, high := s.c[c][:n], q.low.c[c][:n], q.high.c[c][:n]
		for k := range d {
			d[k], low[k], high[k] = empty, math.Inf(1), math.Inf(-1)
		}
	}
}

// cubicTap adds the tap that is chosen, whose number is t.
func (u *Unit) cubicTap(p *plan, b *batch, l *level, s *sums, t [3]int, seams []seam) {
	q, w := u.cubic, u.weight[:b.n]
	copy(w, q.x[0].w[t[0]][:b.n])
	for d := 1; d < p.st.Dims; d++ {
		for k, x := range q.x[d].w[t[d]][:b.n] {
			w[k] = float64(w[k] * x)
		}
	}
	u.tap(p, b, l, 0, 0, 0)
	for _, e := range seams {
		u.overEdge(p, b, l, e, int32(t[0]), int32(t[1]))
	}
	u.readTexels(p, b, 0, 0, 0, false)
	if p.key.Compare {
		u.compare(p, b)
	}
	for c := range s.c {
		switch {
		case !p.counted(c):
		case p.key.Sum == SumReduce:
			for k, bits := range u.texels[c][:b.n] {
				if w[k] != 0 {
					s.c[c][k] = p.reduce(s.c[c][k], float64(math.Float32frombits(bits)))
				}
			}
		default:
			q.add(s, c, u.texels[c][:b.n], w)
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

// close gives equal texels their own value, keeps comparisons in [0, 1] and clamps to
// the texels' range.
//
// IMG-546
func (q *cubic) close(p *plan, s *sums, c, n int) {
	one := float64(uint64(1) << (8 * p.st.Dims))
	clamp := p.key.Reduction == vk.SamplerReductionModeWeightedAverageRangeclampQCOM
	d, low, high := &s.c[c], &q.low.c[c], &q.high.c[c]
	for k := range n {
		k &= chunk - 1
		switch {
		case low[k] == high[k]: // IMG-534
			d[k] = float64(one * low[k])
		case p.key.Compare: // IMG-316
			d[k] = min(max(d[k], 0), one)
		case clamp && low[k] < high[k]: // IMG-547
			d[k] = min(max(d[k], float64(one*low[k])), float64(one*high[k]))
		}
	}
}
