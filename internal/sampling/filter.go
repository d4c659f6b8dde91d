package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// sum collects weighted texels: of one level, or of all levels and probes of a
// sample. Which members count depends on the format; see the package comment.
type sum struct {
	real  [4]float64
	codes [4]int64 // three times too large in cubes; integers' minimum or maximum
	lower [4]int64 // codes of second levels
	delta int64    // their weight, in 1/256
	best  [4]float32
	any   bool
	// texels are those of a level that is interpolated, in the order k, j, i, and read is how many;
	// then the first is what they come to.
	texels [8][4]float32
	read   int
	span   texelRange // of a CUBIC level
	cubic  bool       // it counts
}

// newSum starts at −0, so that sums of −0 alone stay −0 (IMG-534).
func newSum() sum {
	nz := math.Copysign(0, -1)
	return sum{real: [4]float64{nz, nz, nz, nz}}
}

// code recovers a component's integer code from its decoded value: exact, since
// codes have at most 16 bits.
func (u *sampled) code(bits uint32) int64 {
	return int64(math.RoundToEven(float64(float64(math.Float32frombits(bits)) * u.codeMax)))
}

// add adds a texel of weight w ≠ 0, an integer but in CUBIC filters.
func (u *sampled) add(s *sum, t format.Texel, w float64) {
	if trace := u.a.Trace; trace != nil {
		trace.weight(u, w)
	}
	switch {
	case u.reduces() && u.integers():
		u.reduceIntegers(s, t)
	case u.reduces():
		var f [4]float32
		for c := range f {
			f[c] = math.Float32frombits(t[c])
		}
		u.reduceInto(s, f)
	case u.codeMax != 0:
		k := int64(w)
		if u.cube {
			k *= 3
		}
		for c := range t {
			s.codes[c] += k * u.code(t[c])
		}
	default:
		var f [4]float64
		for c := range t {
			f[c] = float64(math.Float32frombits(t[c]))
		}
		u.addReal(s, &f, w)
	}
}

// addReal adds w·f, and remembers the range of f where a CUBIC filter needs it; of a level that is
// interpolated it keeps f.
func (u *sampled) addReal(s *sum, f *[4]float64, w float64) {
	if u.lerps {
		for c, x := range f {
			s.texels[s.read][c] = float32(x)
		}
		s.read++
		return
	}
	for c := range f {
		s.real[c] += float64(w * f[c])
	}
	if s.cubic {
		s.span.add(f)
	}
}

// reduceInto is IMG-550 and IMG-551: minimum or maximum, ignoring NaN.
//
// IMG-552
func (u *sampled) reduceInto(s *sum, f [4]float32) {
	if !s.any {
		s.best, s.any = f, true
		return
	}
	for c := range f {
		if u.reduce == vk.SamplerReductionModeMin {
			s.best[c] = fp.Min(s.best[c], f[c])
		} else {
			s.best[c] = fp.Max(s.best[c], f[c])
		}
	}
}

// reduces says that samples are minima or maxima.
func (u *sampled) reduces() bool {
	return u.reduce == vk.SamplerReductionModeMin || u.reduce == vk.SamplerReductionModeMax
}

// integers says that texels are integers, which have no other sums.
func (u *sampled) integers() bool { return u.info.Class != format.ClassFloat }

// reduceIntegers is IMG-550 for integers of the view's class.
func (u *sampled) reduceIntegers(s *sum, t format.Texel) {
	var v [4]int64
	for c := range v {
		if v[c] = int64(t[c]); u.info.Class == format.ClassSint {
			v[c] = int64(int32(t[c]))
		}
	}
	u.reduceCodes(s, &v)
}

func (u *sampled) reduceCodes(s *sum, v *[4]int64) {
	if !s.any {
		s.codes, s.any = *v, true
		return
	}
	for c := range v {
		if u.reduce == vk.SamplerReductionModeMin {
			s.codes[c] = min(s.codes[c], v[c])
		} else {
			s.codes[c] = max(s.codes[c], v[c])
		}
	}
}

// lerp is a, and by of the way from it to b: of equal texels exactly these, and never beyond
// either, since by is at most 255/256.
func lerp(a, b *[4]float32, by float32) (r [4]float32) {
	for c := range r {
		r[c] = fp.FMA32(by, b[c]-a[c], a[c])
	}
	return r
}

// mix is lerp of texels that are finite and never −0, of others a·(1−by) + b·by, rounded twice.
// Where both are equal, that is what they give: the first product is off by less than half a unit
// of their last place, or by half of one where that is even, and the second rounding takes it back.
func (u *sampled) mix(a, b *[4]float32, by float32) (r [4]float32) {
	if !u.shares {
		return lerp(a, b, by)
	}
	for c := range r {
		r[c] = fp.FMA32(by, b[c], float32((1-by)*a[c]))
	}
	return r
}

// interpolate is IMG-531 and IMG-532 of the texels of a level, one dimension after the other.
func (u *sampled) interpolate(s *sum, x *[3]taps) {
	for d := range x {
		if x[d].n < 2 {
			continue
		}
		s.read /= 2
		for t := range s.read {
			s.texels[t] = u.mix(&s.texels[2*t], &s.texels[2*t+1], float32(x[d].w[1]/one8))
		}
	}
}

// combine adds the levels of a probe to the sample's sum, the second, if there is one, with weight
// delta/256 (IMG-555).
func (u *sampled) combine(total, hi, lo *sum, delta int64) {
	if u.codeMax != 0 {
		total.delta = delta
		for c := range hi.codes {
			if total.codes[c] += hi.codes[c]; lo != nil {
				total.lower[c] += lo.codes[c]
			}
		}
		return
	}
	if !u.lerps {
		u.weigh(total, hi, one8-delta)
		if lo != nil {
			u.weigh(total, lo, delta)
		}
		return
	}
	mean := hi.texels[0]
	if lo != nil {
		mean = u.mix(&mean, &lo.texels[0], float32(delta)/one8)
	}
	for c, x := range mean {
		total.real[c] += float64(x)
	}
}

// weigh adds a level's sum with weight w/256 to the sample's.
func (u *sampled) weigh(total, level *sum, w int64) {
	switch {
	case level.any && u.integers():
		u.reduceCodes(total, &level.codes)
		return
	case level.any:
		u.reduceInto(total, level.best)
	}
	for c := range total.real {
		total.real[c] += float64(float64(w) * level.real[c])
	}
}

// result divides the sum of a sample by its weights and rounds to binary32; of codes that of each
// level, between which it interpolates.
//
// IMG-535, IMG-555, IMG-562, IMG-701
func (u *sampled) result(s *sum, probes int) format.Texel {
	var t format.Texel
	weights := float64(probes)
	if u.codeMax != 0 {
		u.resultOfCodes(&t, s, float64(weights*float64(uint64(1)<<(SubTexelBits*u.dims))))
		return t
	}
	if !u.lerps {
		weights *= float64(uint64(1) << (SubTexelBits*u.dims + MipmapBits))
	}
	for c := range t {
		switch {
		case s.any && u.integers():
			t[c] = uint32(s.codes[c])
		case s.any:
			t[c] = visible(s.best[c])
		default:
			t[c] = visible(float32(s.real[c] / weights))
		}
	}
	return t
}

// resultOfCodes is result of codes: quotients of integers, each rounded once, whose difference an FMA
// takes to the sample.
func (u *sampled) resultOfCodes(t *format.Texel, s *sum, weights float64) {
	den := float64(weights * u.codeMax)
	if u.cube {
		den *= 3
	}
	var level [2][4]float32
	for c := range s.codes {
		level[0][c] = float32(float64(s.codes[c]) / den)
		level[1][c] = float32(float64(s.lower[c]) / den)
	}
	if s.delta != 0 {
		level[0] = lerp(&level[0], &level[1], float32(s.delta)/one8)
	}
	for c, x := range level[0] {
		t[c] = math.Float32bits(x)
	}
}

// visible returns the bits of a computed float, NaN canonical.
func visible(f float32) uint32 {
	if f != f {
		return canonicalNaN
	}
	return math.Float32bits(f)
}

// outside is the texel outside of the image, compared (IMG-290).
func (u *sampled) outside(at *spot, i [3]int) format.Texel {
	t := u.compareTexel(u.border, at.ref) // IMG-294, IMG-296, IMG-297
	if trace := u.a.Trace; trace != nil {
		trace.border(u, i, t, at.ref)
	}
	return t
}

// texelOf is format conversion (§9): the one place where the reference turns
// memory into a texel. Coordinates are inside the level; blocks is not nil where
// the format is compressed (IMG-254).
func texelOf(info *format.Info, blocks *format.BlockCache, l *resource.Level, i, j, k, sample int) format.Texel {
	if info.BlockWidth > 1 && !info.Compressed { // IMG-047
		var pair [2]format.Texel
		info.DecodeBlock(pair[:], l.Data[l.Offset(i, j, k, sample):])
		return pair[i&1]
	}
	if info.Compressed {
		return blocks.Texel(info, l.Data[l.Offset(i, j, k, sample):], i, j, k)
	}
	return info.Decode(l.Data[l.Offset(i, j, k, sample):])
}

// spot is where a sample goes: coordinates (of the face, in cubes), the first
// layer (face 0 of the cube), and the face.
type spot struct {
	c     [3]float64
	layer int
	face  int
	delta [3]int32
	ref   float32
}

// taps are the texels of one dimension that a filter reads.
type taps struct {
	i [4]int
	w [4]float64
	n int
}

// tapsOf is IMG-480…482 for one dimension.
func (u *sampled) tapsOf(at *spot, d, size int, f filter) taps {
	x := reduceCoord(u.texels(at, d, size), u.modes[d], size)
	switch f {
	case filterNearest:
		return taps{i: [4]int{nearestTexel(x)}, w: [4]float64{one8}, n: 1}
	case filterCubic:
		return u.cubicTaps(x)
	case filterLinear:
	}
	return linearTaps(x)
}

// linearTaps is IMG-481.
func linearTaps(x float64) taps {
	i0, f := linearTexels(x)
	t := taps{i: [4]int{i0, i0 + 1}, w: [4]float64{one8 - float64(f), float64(f)}, n: 2}
	if f == 0 {
		t.n = 1 // IMG-533
	}
	return t
}

// filterLevel is IMG-530…532 and IMG-542: the weighted taps of one level, in the
// order k, j, i ascending.
func (u *sampled) filterLevel(s *sum, at *spot, level int, f filter) {
	l := u.v.Level(level, at.layer+at.face)
	s.cubic = f == filterCubic
	full := taps{w: [4]float64{1}, n: 1}
	x := [3]taps{full, full, full}
	size := [3]int{l.Width, l.Height, l.Depth}
	for d := range u.dims {
		x[d] = u.tapsOf(at, d, size[d], f)
	}
	if t := u.a.Trace; t != nil {
		t.taps(u, *at, level, size, x, f)
	}
	for k := range x[2].n {
		for j := range x[1].n {
			for i := range x[0].n {
				w := float64(float64(x[0].w[i]*x[1].w[j]) * x[2].w[k])
				if w != 0 { // IMG-533
					u.tap(s, &l, at, level, [3]int{x[0].i[i], x[1].i[j], x[2].i[k]}, w, f)
				}
			}
		}
	}
	u.interpolate(s, &x)
	if f == filterCubic {
		u.closeCubic(s)
	}
}

// tap wraps one tap and adds its texel: §23, or §7 for cubes.
func (u *sampled) tap(s *sum, l *resource.Level, at *spot, level int, i [3]int, w float64, f filter) {
	if u.seams {
		u.cubeTap(s, l, at, level, i[0], i[1], w, f)
		return
	}
	size, asked := [3]int{l.Width, l.Height, l.Depth}, i
	for d := range u.dims {
		if i[d] = wrap(u.modes[d], i[d], size[d]); i[d] == borderTexel { // IMG-505
			u.add(s, u.outside(at, asked), w)
			return
		}
	}
	u.add(s, u.load(l, i[0], i[1], i[2], at.ref), w)
}
