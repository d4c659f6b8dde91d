package sampling

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
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
		b.load(p, a, base, min(chunk, n-base))
		if b.n == 0 {
			continue
		}
		if b.locate(p, a, n) {
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
	u.corners = u.corners[:0]
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
		u.anisotropic(p, b, hi, how == groupLinear, int(probes))
		u.finish(p, a, b, &u.total, 0)
	case p.key.Sum == SumBytes && p.st.Dims < 3:
		u.bytes(p, a, b, hi, how == groupLinear)
	default:
		w := u.levelPair(p, b, hi, how == groupLinear, &u.kept, &u.lo)
		u.finish(p, a, b, &u.kept, w)
	}
	for _, lane := range u.corners {
		u.laneOnReference(p, a, int(lane), n)
	}
}

// one is IMG-530: one texel, its bits unchanged.
func (u *Unit) one(p *plan, a *ref.Args, b *batch, hi int) {
	l := &p.levels[hi]
	for d := range p.st.Dims {
		u.x[d].nearest(p, b, l, d)
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
func (u *Unit) readTexels(p *plan, b *batch, i, j, k int, codes bool) {
	t, data, off, border := &u.texels, p.v.Image.Data, u.off[:b.n], &p.border
	switch {
	case p.key.Texel == TexelBlock:
		u.block.decode(p, t, data, off, u.inBlock[:b.n])
	case codes:
		p.decodeCodes(t, data, off)
		border = &p.codes
	default:
		p.decode(t, data, off)
	}
	if !p.key.Border {
		return
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

// compare replaces component 0 by the result of its comparison (IMG-310).
func (u *Unit) compare(p *plan, b *batch) {
	t, r := u.texels[0][:b.n], b.ref[:b.n]
	for k := range t {
		x := math.Float32frombits(t[k])
		var pass bool
		switch p.key.CompareOp {
		case vk.CompareOpLess:
			pass = r[k] < x
		case vk.CompareOpEqual:
			pass = r[k] == x
		case vk.CompareOpLessOrEqual:
			pass = r[k] <= x
		case vk.CompareOpGreater:
			pass = r[k] > x
		case vk.CompareOpNotEqual:
			pass = r[k] != x
		case vk.CompareOpGreaterOrEqual:
			pass = r[k] >= x
		case vk.CompareOpAlways:
			pass = true
		case vk.CompareOpNever:
		}
		t[k] = 0
		if pass {
			t[k] = oneFloat
		}
	}
}

// levelPair sums level hi, and level hi+1 where a lane needs it, into s. It
// returns the sum of the weights.
func (u *Unit) levelPair(p *plan, b *batch, hi int, linear bool, s, lo *sums) float64 {
	w := float64(uint64(1) << (8 * p.st.Dims))
	u.level(p, b, hi, linear, s)
	some := uint32(0)
	for _, f := range b.frac[:b.n] {
		some |= f
	}
	if some == 0 {
		return w
	}
	u.level(p, b, hi+1, linear, lo)
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
func (p *plan) reduce(x, y float64) float64 {
	if p.key.Reduction == vk.SamplerReductionModeMin {
		return float64(fp.Min(float32(x), float32(y)))
	}
	return float64(fp.Max(float32(x), float32(y)))
}

// level is IMG-530…532: the weighted taps of one level, in the order k, j, i
// ascending. Level hi+1 of lanes at the last level has no weight.
func (u *Unit) level(p *plan, b *batch, at int, linear bool, s *sums) {
	at = min(at, p.v.Levels-1)
	l := &p.levels[at]
	taps := 1
	for d := range p.st.Dims {
		if linear && !p.key.Seams {
			u.x[d].linear(p, b, l, d)
		} else if !linear {
			u.x[d].nearest(p, b, l, d)
		}
	}
	u.place(p, b, l)
	if linear {
		taps = 2
		if p.key.Seams {
			u.findSeams(p, b, l)
		}
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
func (u *Unit) store(p *plan, a *ref.Args, b *batch) {
	for i, from := range p.st.Swizzle {
		out := a.Out[i]
		if out == nil {
			continue
		}
		var t []uint32
		x := uint32(0)
		switch c := from & 3; {
		case from == 5:
			x = p.st.One
		case from == 4:
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

// bytes filters UNORM bytes of one or two dimensions in integers. A level's sum
// of a component is below 2^24, so two lie in one word, 32 bits apart, and two
// levels' sum is below 255·2^24 < 2^32.
func (u *Unit) bytes(p *plan, a *ref.Args, b *batch, hi int, linear bool) {
	even, odd := u.even[0][:b.n], u.odd[0][:b.n]
	u.levelBytes(p, b, hi, linear, even, odd)
	some := uint32(0)
	for _, f := range b.frac[:b.n] {
		some |= f
	}
	if some != 0 {
		even2, odd2 := u.even[1][:b.n], u.odd[1][:b.n]
		u.levelBytes(p, b, hi+1, linear, even2, odd2)
		f := b.frac[:b.n]
		for k := range even {
			d := uint64(f[k])
			even[k] = even[k]*(one8-d) + even2[k]*d
			odd[k] = odd[k]*(one8-d) + odd2[k]*d
		}
	}
	scale := p.unit
	if some == 0 {
		scale = one8 * p.unit
	}
	for c := range u.texels {
		if !p.stored[c] {
			continue
		}
		// The nearest binary32 to S/(255·2^24): the quotient of 32-bit S
		// is no closer to a tie than 2^-41 of itself, far more than the
		// error of the binary64 product.
		t := u.texels[c][:b.n]
		from, shift := even, uint(0)
		if p.shift[c]&8 != 0 {
			from = odd
		}
		if p.shift[c]&16 != 0 {
			shift = 32
		}
		for k := range t {
			t[k] = math.Float32bits(float32(float64(float64(uint32(from[k]>>shift)) * scale)))
		}
	}
	u.store(p, a, b)
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
// level, on a scale of 2^16.
func (u *Unit) levelBytes(p *plan, b *batch, at int, linear bool, even, odd []uint64) {
	l := &p.levels[min(at, p.v.Levels-1)]
	data, start := p.v.Image.Data, u.start[:b.n]
	if !linear {
		for d := range p.st.Dims {
			u.x[d].nearest(p, b, l, d)
		}
		u.place(p, b, l)
		u.tap(p, b, l, 0, 0, 0)
		for k, o := range u.off[:b.n] {
			w := spread(u.word(p, data, o, k, 0, 0))
			even[k], odd[k] = w&evenLanes<<16, w>>16&evenLanes<<16
		}
		return
	}
	if p.key.Seams {
		u.place(p, b, l)
		start = u.start[:b.n]
		u.findSeams(p, b, l)
	} else {
		u.x[0].linear(p, b, l, 0)
		if p.st.Dims > 1 {
			u.x[1].linear(p, b, l, 1)
		} else {
			clear(u.x[1].at[0][:b.n])
			clear(u.x[1].at[1][:b.n])
			clear(u.x[1].f[:b.n])
		}
		u.place(p, b, l)
	}
	x0, x1, y0, y1 := u.x[0].at[0][:b.n], u.x[0].at[1][:b.n], u.x[1].at[0][:b.n], u.x[1].at[1][:b.n]
	fx, fy := u.x[0].f[:b.n], u.x[1].f[:b.n]
	odd = odd[:len(even)]
	if p.key.Border || p.info.BlockBytes != 4 {
		for k := range even {
			o := [4]int32{start[k] + x0[k] + y0[k], start[k] + x1[k] + y0[k], start[k] + x0[k] + y1[k], start[k] + x1[k] + y1[k]}
			even[k], odd[k] = bilinear(u.word(p, data, o[0], k, 0, 0), u.word(p, data, o[1], k, 1, 0),
				u.word(p, data, o[2], k, 0, 1), u.word(p, data, o[3], k, 1, 1), uint64(fx[k]), uint64(fy[k]))
		}
	} else {
		for k := range even {
			top, bottom := start[k]+y0[k], start[k]+y1[k]
			even[k], odd[k] = bilinear(
				binary.LittleEndian.Uint32(data[top+x0[k]:]), binary.LittleEndian.Uint32(data[top+x1[k]:]),
				binary.LittleEndian.Uint32(data[bottom+x0[k]:]), binary.LittleEndian.Uint32(data[bottom+x1[k]:]),
				uint64(fx[k]), uint64(fy[k]))
		}
	}
	for _, e := range u.seams {
		k := e.k & (chunk - 1)
		var w [4]uint32
		for t := range w {
			u.overEdge(p, b, l, e, int32(t&1), int32(t>>1))
			w[t] = u.word(p, data, u.off[k], int(k), 0, 0)
		}
		even[k], odd[k] = bilinear(w[0], w[1], w[2], w[3], uint64(fx[k]), uint64(fy[k]))
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

// word reads a texel of 1, 2 or 4 bytes, or the border, for tap (i, j) of
// place k.
func (u *Unit) word(p *plan, data []byte, o int32, k, i, j int) uint32 {
	if p.key.Border {
		k &= chunk - 1
		if p.key.Modes[0] == vk.SamplerAddressModeClampToBorder && u.x[0].out[k]>>(i&1)&1 != 0 ||
			p.st.Dims > 1 && p.key.Modes[1] == vk.SamplerAddressModeClampToBorder && u.x[1].out[k]>>(j&1)&1 != 0 {
			return p.word
		}
	}
	switch p.info.BlockBytes {
	case 4:
		return binary.LittleEndian.Uint32(data[o:])
	case 2:
		return uint32(binary.LittleEndian.Uint16(data[o:])) | p.fill
	default:
		return uint32(data[o]) | p.fill
	}
}
