package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// sums are weighted texels of a batch, a component at a time. SumReduce keeps
// binary32 numbers in them.
type sums struct{ c [4][chunk]float64 }

// seam is a place whose LINEAR footprint leaves its cube face: the footprint's
// first texel, not wrapped.
type seam struct{ k, i, j int32 }

// sample runs a sampled instruction for lanes 0…n-1.
func (u *Unit) sample(p *plan, a *ref.Args, n int) {
	for base := 0; base < n; base += chunk {
		b := &u.whole
		b.load(p, a, base, min(chunk, n-base), u.simd)
		if b.n == 0 {
			continue
		}
		if u.locate(p, a, b, n) {
			u.filter(p, a, b, b.group[0], n)
			continue
		}
		// Lanes of one level go on together.
		for k := range b.n {
			g := b.group[k&(chunk-1)]
			if g == taken {
				continue
			}
			part := &u.part
			part.n, part.base = 0, -1
			for j := k; j < b.n; j++ {
				if b.group[j&(chunk-1)] == g {
					part.take(p, b, j)
					b.group[j&(chunk-1)] = taken
				}
			}
			u.filter(p, a, part, g, n)
		}
	}
}

// taken marks places of a batch that have been filtered.
const taken = ^uint32(0)

// filter is §22–25 for a batch whose lanes share a group.
func (u *Unit) filter(p *plan, a *ref.Args, b *batch, group uint32, n int) {
	hi, how := int(group/groups), group%groups
	u.onCorner = u.onCorner[:0]
	probes := int32(1)
	if p.key.Aniso {
		for _, x := range b.count[:b.n] {
			probes = max(probes, x)
		}
	}
	switch {
	case how == groupOne:
		u.one(p, a, b, hi)
		return
	case probes > 1:
		u.anisotropic(p, b, hi, how, int(probes))
		u.finish(p, a, b, &u.total, 0)
	case p.key.Sum == SumBytes && (p.st.Dims < 3 || how == groupLinear && !b.twoLevels()):
		u.bytes(p, a, b, hi, how == groupLinear)
	default:
		w := u.levelPair(p, b, hi, how, &u.kept, &u.lo)
		u.finish(p, a, b, &u.kept, w)
	}
	for _, lane := range u.onCorner {
		u.laneOnReference(p, a, int(lane), n)
	}
}

// one is IMG-530: one texel, its bits unchanged.
func (u *Unit) one(p *plan, a *ref.Args, b *batch, hi int) {
	l := &p.levels[hi]
	for d := range p.st.Dims {
		u.nearest(p, b, l, d)
	}
	u.place(p, b, l)
	u.tap(p, b, l, 0, 0, 0)
	u.readTexels(p, b, 0, 0, 0, false)
	if p.key.Compare {
		u.compare(p, b)
	}
	u.store(p, a, b)
}

// place computes where each lane's layer of a level starts.
//
// IMG-030, IMG-043
func (u *Unit) place(p *plan, b *batch, l *level) {
	at := u.start[:b.n]
	if !p.layered {
		for k := range at {
			at[k] = l.start
		}
		return
	}
	layer := b.layer[:b.n]
	if p.st.Cube {
		face := b.face[:b.n]
		for k := range at {
			at[k] = l.start + (6*layer[k]+face[k])*l.layer
		}
		return
	}
	for k := range at {
		at[k] = l.start + layer[k]*l.layer
	}
}

// tap computes the offsets of tap (i, j, k) of the footprint.
func (u *Unit) tap(p *plan, b *batch, l *level, i, j, k int) {
	if p.key.Texel == TexelBlock {
		u.blockTap(p, b, l, i, j, k)
	} else {
		off, s, x := u.off[:b.n], u.start[:b.n], u.x[0].at[i][:b.n]
		switch p.st.Dims {
		case 1:
			for n := range off {
				off[n] = s[n] + x[n]
			}
		case 2:
			y := u.x[1].at[j][:b.n]
			for n := range off {
				off[n] = s[n] + x[n] + y[n]
			}
		default:
			y, z := u.x[1].at[j][:b.n], u.x[2].at[k][:b.n]
			for n := range off {
				off[n] = s[n] + x[n] + y[n] + z[n]
			}
		}
	}
	for _, e := range u.seams {
		u.overEdge(p, b, l, e, int32(i), int32(j))
	}
}

// readTexels decodes tap (i, j, k), to codes or to what they stand for, with the
// border where the tap lies outside.
//
// IMG-073, IMG-294, IMG-297, IMG-328
func (u *Unit) readTexels(p *plan, b *batch, i, j, k int, codes bool) {
	t, data, off, border := &u.texels, p.v.Image.Data, u.off[:b.n], &p.border
	switch {
	case p.key.Texel == TexelBlock:
		u.block.decode(p, t, data, off, u.inBlock[:b.n])
	case codes:
		u.decodeCodes(p, t, data, b.n)
		border = &p.codes
	case u.only >= 0 && u.decodeOne(p, &t[u.only&3], u.only, data, b.n):
	default:
		u.decode(p, t, data, b.n)
	}
	tap := [3]int{i, j, k}
	for d := range p.st.Dims {
		if p.key.Modes[d] != vk.SamplerAddressModeClampToBorder {
			continue
		}
		for n, out := range u.x[d].out[:b.n] {
			if out>>(tap[d]&1)&1 != 0 { // IMG-505
				for c := range t {
					t[c][n&(chunk-1)] = border[c]
				}
			}
		}
	}
}

// compare replaces component 0 by the result of its comparison (IMG-310), before it is weighed.
//
// IMG-297, IMG-316
func (u *Unit) compare(p *plan, b *batch) {
	t, r := u.texels[0][:b.n], b.ref[:b.n]
	less, equal, greater := comparison(p.key.CompareOp)
	if p.key.CompareOp == vk.CompareOpNotEqual || p.key.CompareOp == vk.CompareOpAlways {
		// True of what is not ordered, too.
		for k := range t {
			x := math.Float32frombits(t[k])
			t[k] = pass(!(r[k] == x) || equal)
		}
		return
	}
	for k := range t {
		x := math.Float32frombits(t[k])
		t[k] = pass(less && r[k] < x || equal && r[k] == x || greater && r[k] > x)
	}
}

// comparison says of which orders of reference and texel an operator is true.
func comparison(op vk.CompareOp) (less, equal, greater bool) {
	return op&vk.CompareOpLess != 0, op&vk.CompareOpEqual != 0, op&vk.CompareOpGreater != 0
}

func pass(yes bool) uint32 {
	if yes {
		return oneFloat
	}
	return 0
}

// levelPair sums level hi, and level hi+1 where a lane needs it, into s. It
// returns the sum of the weights.
//
// IMG-465, IMG-556
func (u *Unit) levelPair(p *plan, b *batch, hi int, how uint32, s, lo *sums) float64 {
	w := float64(uint64(1) << (8 * p.st.Dims))
	u.level(p, b, hi, how, s)
	if !b.twoLevels() {
		return w
	}
	u.level(p, b, hi+1, how, lo)
	for c := range s.c {
		if !p.counted(c) {
			continue
		}
		x, y, f := s.c[c][:b.n], lo.c[c][:b.n], b.frac[:b.n]
		if p.key.Sum == SumReduce {
			for k := range x {
				if f[k] != 0 { // IMG-466
					x[k] = p.reduce(x[k], y[k])
				}
			}
			continue
		}
		for k := range x {
			x[k] = float64(float64(one8-int32(f[k])) * x[k])
			if f[k] != 0 {
				x[k] += float64(float64(int32(f[k])) * y[k])
			}
		}
	}
	return w * one8
}

// counted says whether component c of sums is needed.
func (p *plan) counted(c int) bool {
	if p.key.Compare {
		return c == 0
	}
	return p.stored[c]
}

// reduce is IMG-550 and IMG-551.
//
// IMG-552
func (p *plan) reduce(x, y float64) float64 {
	if p.key.Reduction == vk.SamplerReductionModeMin {
		return float64(fp.Min(float32(x), float32(y)))
	}
	return float64(fp.Max(float32(x), float32(y)))
}

// level is IMG-530…532: the weighted taps of one level, in the order k, j, i
// ascending.
func (u *Unit) level(p *plan, b *batch, at int, how uint32, s *sums) {
	l := &p.levels[at]
	if how == groupCubic {
		u.cubicLevel(p, b, l, s)
		return
	}
	taps, linear := 1, how == groupLinear
	for d := range p.st.Dims {
		if linear && !p.key.Seams {
			u.linear(p, b, l, d)
		} else if !linear {
			u.nearest(p, b, l, d)
		}
	}
	u.place(p, b, l)
	if linear {
		taps = 2
		if p.key.Seams {
			u.findSeams(p, b, l)
		}
	}
	if linear && p.st.Dims == 2 && !p.key.Border && len(u.seams) == 0 && u.plane(p, b, l, s) {
		return
	}
	one := float64(uint64(1) << (8 * p.st.Dims))
	codes := p.key.Sum == SumCodes || p.key.Sum == SumBytes
	first := true
	for k := range pick(p.st.Dims > 2, taps) {
		for j := range pick(p.st.Dims > 1, taps) {
			for i := range taps {
				u.tap(p, b, l, i, j, k)
				u.readTexels(p, b, i, j, k, codes)
				if p.key.Compare {
					u.compare(p, b)
				}
				if linear {
					u.weights(p, b, i, j, k)
				} else {
					w := u.weight[:b.n]
					for n := range w {
						w[n] = one
					}
				}
				u.add(p, b, s, first)
				first = false
			}
		}
	}
	u.seams = u.seams[:0]
}

func pick(yes bool, n int) int {
	if yes {
		return n
	}
	return 1
}

// weights are the products of the fractions of tap (i, j, k): integers.
func (u *Unit) weights(p *plan, b *batch, i, j, k int) {
	w := u.weight[:b.n]
	side := func(f int32, tap int) int32 {
		if tap == 0 {
			return one8 - f
		}
		return f
	}
	x := u.x[0].f[:b.n]
	switch p.st.Dims {
	case 1:
		for n := range w {
			w[n] = float64(side(x[n], i))
		}
	case 2:
		y := u.x[1].f[:b.n]
		for n := range w {
			w[n] = float64(side(x[n], i) * side(y[n], j))
		}
	default:
		y, z := u.x[1].f[:b.n], u.x[2].f[:b.n]
		for n := range w {
			w[n] = float64(side(x[n], i) * side(y[n], j) * side(z[n], k))
		}
	}
}

// add adds a tap to the sums. The first tap of a footprint always has weight.
func (u *Unit) add(p *plan, b *batch, s *sums, first bool) {
	w := u.weight[:b.n]
	for c := range s.c {
		if !p.counted(c) {
			continue
		}
		d, t := s.c[c][:b.n], u.texels[c][:b.n]
		switch {
		case p.key.Sum == SumReduce && first:
			for k := range d {
				d[k] = float64(math.Float32frombits(t[k]))
			}
		case p.key.Sum == SumReduce:
			for k := range d {
				if w[k] != 0 {
					d[k] = p.reduce(d[k], float64(math.Float32frombits(t[k])))
				}
			}
		case first:
			for k := range d {
				d[k] = float64(w[k] * float64(math.Float32frombits(t[k])))
			}
		case p.key.Sum == SumFloat:
			for k := range d {
				if w[k] != 0 { // IMG-533
					d[k] += float64(w[k] * float64(math.Float32frombits(t[k])))
				}
			}
		default:
			for k := range d {
				d[k] += float64(w[k] * float64(math.Float32frombits(t[k])))
			}
		}
	}
}

// finish divides sums by their weights, rounds to binary32 and stores. Weights
// of 0 mean those of the lane's own number of probes.
//
// IMG-003, IMG-535, IMG-700, IMG-701
func (u *Unit) finish(p *plan, a *ref.Args, b *batch, s *sums, weights float64) {
	for c := range s.c {
		if !p.counted(c) {
			continue
		}
		t, x := u.texels[c][:b.n], s.c[c][:b.n]
		switch {
		case p.key.Sum == SumReduce:
			for k := range t {
				t[k] = visible(float32(x[k]))
			}
		case weights == 0:
			w := float64(uint64(1) << (8*p.st.Dims + 8))
			for k, n := range b.count[:b.n] {
				den := float64(w * float64(n))
				if p.key.Sum == SumBytes || p.key.Sum == SumCodes {
					den = float64(den * p.st.CodeMax)
				}
				t[k] = visible(float32(x[k] / den))
			}
		case p.key.Sum == SumBytes || p.key.Sum == SumCodes:
			den := float64(weights * p.st.CodeMax)
			for k := range t {
				t[k] = math.Float32bits(float32(x[k] / den))
			}
		default:
			scale := 1 / weights // a power of two
			if u.simd {
				narrowAVX2(&u.texels[c], &s.c[c], scale, b.n)
				continue
			}
			for k := range t {
				t[k] = visible(float32(float64(x[k] * scale)))
			}
		}
	}
	u.store(p, a, b)
}

// visible returns the bits of a computed float, NaN canonical.
func visible(f float32) uint32 {
	if f != f {
		return canonicalNaN
	}
	return math.Float32bits(f)
}

// store writes the components that the instruction has, swizzled (IMG-325).
//
// IMG-317, IMG-326, IMG-330
func (u *Unit) store(p *plan, a *ref.Args, b *batch) {
	for i, from := range p.st.Swizzle {
		out := a.Out[i]
		if out == nil {
			continue
		}
		var t []uint32
		x := uint32(0)
		switch c := from & 3; {
		case from == resource.FromOne:
			x = p.st.One
		case from == resource.FromZero:
		case p.counted(int(c)):
			t = u.texels[c][:b.n]
		case p.key.Compare && c == 3:
			x = oneFloat
		case p.key.Compare:
		default:
			x = p.missing(int(c))
		}
		if t != nil {
			b.scatter(out, t)
		} else {
			b.fill(out, x)
		}
	}
}
