package sampling

import (
	"fmt"
	"math"
	"strings"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// The steps of samples and gathers up to their texels. A rule is named where it decides: a clamp that changes
// nothing, or a rounding of what is whole, is no step.

// state tells of sampler state that gives way.
func (t *Trace) state(u *sampled, s *resource.Sampler) {
	if v := u.v; v.Format != v.Image.Format {
		t.add("IMG-255", "texels of %v are read as %v, the view's format", v.Image.Format, v.Format)
	}
	if how := max(s.MagFilter, s.MinFilter); how != vk.FilterNearest && u.mag == filterNearest && u.min == filterNearest {
		t.add("IMG-117", "integers are not filtered: NEAREST in place of %s", short(how))
	}
	if u.reduce != s.Reduction {
		t.add("IMG-885", "the filter is not CUBIC: there is no range to clamp to")
	}
	if s.AnisotropyEnable && s.MaxAnisotropy > 1 && u.dims == 1 {
		t.add("IMG-564", "one dimension: no anisotropy")
	}
}

// coordinates tells of the operands that say where: layer is the layer coordinate.
func (t *Trace) coordinates(u *sampled, at spot, layer float64, ref float32) {
	rule := "IMG-022"
	if u.cube {
		rule = "IMG-023"
	}
	if u.unnorm {
		t.add("IMG-477", "coordinates (%s), in texels", show(at.c[:u.coords]))
	} else {
		t.add(rule, "coordinates (%s)", show(at.c[:u.coords]))
	}
	for d := range u.coords {
		if x := at.c[d]; x != x {
			t.add("IMG-005", "%s is NaN, and taken as 0", coordNames[d])
		}
	}
	if u.layer >= 0 {
		what := "layer"
		if u.cube {
			what = "cube"
		}
		if layer != layer {
			t.add("IMG-005", "the layer coordinate is NaN: %s 0 of %d", what, u.layers)
		} else {
			t.add("IMG-484", "layer coordinate %g: %s %d of %d", layer, what, at.layer, u.layers)
		}
	}
	if at.delta != [3]int32{} {
		t.add("IMG-029", "offset by %v texels", at.delta[:u.dims])
	}
	if !u.compare || u.a.Dref == nil {
		return
	}
	if ref == at.ref || ref != ref {
		return
	}
	t.add("IMG-312", "the reference %g is clamped to %g: %v is normalized", ref, at.ref, u.info.Format)
}

// derivatives tells where those of the coordinates come from.
func (t *Trace) derivatives(u *sampled, g gradients, operands bool) {
	if operands {
		t.add("IMG-399", "derivatives to x (%s), to y (%s)", show(g.x[:u.coords]), show(g.y[:u.coords]))
		return
	}
	t.add("IMG-397", "differences in the quad: to x (%s), to y (%s)", show(g.x[:u.coords]), show(g.y[:u.coords]))
	t.add("IMG-398", "they count as gradients: the level of detail is implicit")
}

func (t *Trace) face(at spot, sc, tc, rc float64) {
	t.add("IMG-411", "face %s: the component of largest magnitude", faceNames[at.face])
	t.add("IMG-412", "sc = %g, tc = %g, |rc| = %g", sc, tc, rc)
	if rc == 0 {
		t.add("IMG-415", "the direction has no length: coordinates on the face (0, 0)")
		return
	}
	t.add("IMG-413", "coordinates on the face (%s)", show(at.c[:2]))
}

// faceDerivatives tells of derivatives that have been taken to the face.
func (t *Trace) faceDerivatives(g gradients) {
	t.add("IMG-414", "derivatives on the face: to x (%s), to y (%s)", show(g.x[:2]), show(g.y[:2]))
}

// isotropic tells how the level of detail follows from derivatives.
func (t *Trace) isotropic(u *sampled, g gradients, base float64) {
	t.scaled(u)
	t.add("IMG-429", "ρx = %g, ρy = %g texels of the base level", math.Sqrt(u.texelLength2(&g.x)), math.Sqrt(u.texelLength2(&g.y)))
	t.add("IMG-445", "λ_base = log2 of the larger = %g", base)
}

// scaled tells of sizes that are not those of the level.
func (t *Trace) scaled(u *sampled) {
	if u.corner {
		t.add("IMG-426", "the image is corner-sampled: one texel less is the size that derivatives count in")
	}
}

// anisotropic is isotropic for footprints that are ellipses.
func (t *Trace) anisotropic(u *sampled, base float64, f footprint) {
	t.scaled(u)
	high, low := math.Sqrt(f.max2), math.Sqrt(f.min2)
	if !(high > 0) || f.max2 > math.MaxFloat64 {
		t.add("IMG-432", "ρ_max = %g: η = 1", high)
		t.add("IMG-445", "λ_base = log2(ρ_max/η) = %g", base)
		return
	}
	t.add("IMG-431", "ρ_max = %g, ρ_min = %g texels of the base level", high, low)
	switch ratio := high / low; {
	case low == 0:
		t.add("IMG-432", "ρ_min = 0: η = %g, the largest anisotropy", f.eta)
	case ratio > u.aniso:
		t.add("IMG-432", "η = %g, the largest anisotropy: ρ_max/ρ_min = %g", f.eta, ratio)
	default:
		t.add("IMG-432", "η = ρ_max/ρ_min = %g", f.eta)
	}
	t.add("IMG-433", "%s", counted(f.probes, "probe"))
	if f.probes > 1 {
		t.add("IMG-560", "along (%s)", show(f.axis[:u.dims]))
	}
	t.add("IMG-445", "λ_base = log2(ρ_max/η) = %g", base)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// probe tells where probe i is.
func (t *Trace) probe(u *sampled, i int, f footprint, at, p spot) {
	t.add("IMG-561", "probe %d of %d, at %g of the axis: (%s)", i+1, f.probes, f.place(i), show(p.c[:u.dims]))
	if p.face != at.face {
		t.add("IMG-563", "that is over the edge of face %s, on face %s", faceNames[at.face], faceNames[p.face])
	}
}

// levels tells of λ and what it selects: f are the probes.
func (t *Trace) levels(u *sampled, prime, bias, minLod, lambda float64, lv levels, f footprint) {
	p := &u.lod
	if bias != 0 {
		t.add("IMG-446", "λ′ = %g, of which %g is bias", prime, bias)
	}
	lo := max(p.minLod, minLod)
	switch {
	case p.unnormalized:
		t.add("IMG-453", "λ = 0: coordinates are not normalized")
	case prime != prime || minLod != minLod:
		t.add("IMG-008", "λ′ is NaN: λ = %g, the least", lambda)
	case lo > p.maxLod:
		t.add("IMG-449", "the least λ, %g, is above the largest: λ = %g", lo, lambda)
	case prime < lo && minLod > p.minLod:
		t.add("IMG-447", "λ′ = %g is below the operand MinLod: λ = %g", prime, lambda)
	case lambda != prime:
		t.add("IMG-448", "λ′ = %g is clamped to [%g, %g]: λ = %g", prime, lo, p.maxLod, lambda)
	}
	if f.probes > 1 && lambda != prime-bias {
		t.add("IMG-566", "bias and clamps of λ leave the %d probes as they are", f.probes)
	}
	if !p.unnormalized {
		which := "magnification"
		if !lv.mag {
			which = "minification"
		}
		t.add("IMG-451", "λ = %g: %s filter", lambda, which)
	}
	t.selected(u, lambda, lv)
}

// selected tells which levels λ selects.
func (t *Trace) selected(u *sampled, lambda float64, lv levels) {
	p := &u.lod
	d := p.levelOf(lambda)
	switch clamped := min(max(lambda, 0), p.lastLevel); {
	case p.viewMin > clamped:
		t.add("IMG-464", "the view's minLod raises d′ from %g to %g", clamped, d)
	case clamped != lambda && p.lastLevel > 0:
		t.add("IMG-460", "λ is clamped to the view's levels, 0 to %g: d′ = %g", p.lastLevel, d)
	default:
		t.add("IMG-460", "d′ = %g of the view's levels 0 to %g", d, p.lastLevel)
	}
	_, rest := math.Modf(d)
	switch {
	case !p.linear && rest == 0.5:
		t.add("IMG-462", "d′ lies in the middle of two levels: level %d", lv.hi)
	case !p.linear && rest != 0:
		t.add("IMG-461", "mipmap mode NEAREST: level %d", lv.hi)
	case p.linear && lv.delta == 0 && rest != 0:
		t.add("IMG-011", "the weight of a second level rounds to 0/256 or 256/256: level %d alone", lv.hi)
	case lv.delta != 0:
		t.add("IMG-465", "levels %d and %d, the second with weight %d/256", lv.hi, lv.lo, lv.delta)
		t.add("IMG-556", "one filter for both, %s", filterNames[u.how(lv)])
	case p.linear && p.lastLevel > 0:
		t.add("IMG-466", "level %d alone is read", lv.hi)
	}
}

// reduced tells of a coordinate that is no place in an image; from and to are before and after reduceCoord.
func (t *Trace) reduced(u *sampled, d int, from, to float64) {
	switch {
	case from == to:
	case math.IsInf(from, 0):
		t.add("IMG-006", "%s = %g is infinite, and taken as %g", axisNames[d], from, to)
	default:
		t.add("IMG-007", "%s = %g is taken as %g, which wraps to the same texel", axisNames[d], from, to)
	}
}

// place is a coordinate as its rule counts it: the reference counts those of corner-sampled images half a texel up.
func (u *sampled) place(x float64) float64 {
	if u.corner {
		return x - 0.5
	}
	return x
}

// cornerSampled tells of coordinates that are scaled by one texel less.
func (t *Trace) cornerSampled(u *sampled, size [3]int) {
	if u.corner && !u.unnorm {
		list := make([]int, u.dims)
		for d := range list {
			list[d] = size[d] - 1
		}
		t.add("IMG-476", "corner-sampled: coordinates are scaled by (%s)", showInts(list))
	}
}

// nearest tells of the texel that a NEAREST filter takes in dimension d; from is the coordinate before reduceCoord.
func (t *Trace) nearest(u *sampled, d, level int, from, x float64, size int, mode addressMode) {
	t.reduced(u, d, from, x)
	i := nearestTexel(x)
	t.add("IMG-480", "level %d: %s = %g, texel %d of %d", level, axisNames[d], u.place(x), i, size)
	t.wrapped(u, d, mode, size, i)
}

// wrapped tells what the address mode makes of texels that lie outside.
func (t *Trace) wrapped(u *sampled, d int, mode addressMode, size int, texels ...int) {
	var inside, out []string
	for _, i := range texels {
		switch w := wrap(mode, i, size); {
		case w == borderTexel:
			out = append(out, fmt.Sprint(i))
		case w != i:
			inside = append(inside, fmt.Sprintf("%d is %d", i, w))
		}
	}
	name := short(vk.SamplerAddressMode(mode))
	if len(inside)+len(out) > 0 && u.cube && !u.seams {
		t.add("IMG-204", "the cube is not seamless: the address mode holds at the face's edge")
	}
	if len(inside) > 0 {
		rule := "IMG-500"
		if u.seams {
			rule = "IMG-215"
		}
		t.add(rule, "%s, %s: texel %s", axisNames[d], name, strings.Join(inside, ", "))
	}
	if len(out) > 0 {
		t.add("IMG-505", "%s, %s: texel %s lies in the border", axisNames[d], name, strings.Join(out, ", "))
	}
}

var filterNames = map[filter]string{filterNearest: "NEAREST", filterLinear: "LINEAR", filterCubic: "CUBIC"}

// The rules of each filter: its sum, its texels along an axis, and their weights.
var (
	sumRules    = map[filter]string{filterNearest: "IMG-530", filterLinear: "IMG-532", filterCubic: "IMG-542"}
	texelRules  = map[filter]string{filterNearest: "IMG-480", filterLinear: "IMG-481", filterCubic: "IMG-482"}
	weightRules = map[filter]string{filterNearest: "IMG-530", filterLinear: "IMG-531", filterCubic: "IMG-540"}
)

func (t *Trace) taps(u *sampled, at spot, level int, size [3]int, x [3]taps, f filter) {
	t.filter = f
	t.from(u.v, level, at.layer+at.face)
	t.add(sumRules[f], "level %d, %s", level, filterNames[f])
	if f == filterCubic && u.sampler.CubicWeights == vk.CubicFilterWeightsZeroTangentCardinalQCOM {
		t.add("IMG-545", "zero-tangent weights, of the matrix that ends in 2")
	}
	t.cornerSampled(u, size)
	for d := range u.dims {
		from := u.texels(&at, d, size[d])
		c := reduceCoord(from, u.modes[d], size[d])
		t.reduced(u, d, from, c)
		s := make([]string, x[d].n)
		for k := range s {
			s[k] = fmt.Sprintf("%d (weight %g/256)", x[d].i[k], x[d].w[k])
		}
		t.add(texelRules[f], "%s = %g of %d: texels %s", axisNames[d], u.place(c), size[d], strings.Join(s, ", "))
		if f != filterNearest {
			t.fraction(u, d, c, x[d], f)
		}
		if !u.seams {
			t.wrapped(u, d, u.modes[d], size[d], x[d].i[:x[d].n]...)
		}
	}
}

// fraction tells of what is rounded, and of a texel that gets no weight.
func (t *Trace) fraction(u *sampled, d int, x float64, list taps, f filter) {
	i0, w := linearTexels(x)
	if exact := float64(x * one8); exact != math.Trunc(exact) {
		if floor := int(math.Floor(x - 0.5)); floor != i0 {
			t.add("IMG-486", "the fraction rounds to 1: texel %d with fraction 0", i0)
		} else {
			t.add("IMG-011", "the fraction of %s is rounded to %d/256", axisNames[d], w)
		}
	}
	if f == filterLinear && list.n == 1 {
		rule := "IMG-533"
		if u.reduces() {
			rule = "IMG-552"
		}
		t.add(rule, "texel %d has weight 0, and is not read", list.i[1])
	}
}

// share is a weight and what the weights of all texels come to: 256 an axis.
func share(w float64, axes int) string { return fmt.Sprintf("%g/%d", w, 1<<(SubTexelBits*axes)) }

// weight tells how much the texel before it counts.
func (t *Trace) weight(u *sampled, w float64) {
	t.weigh(w)
	if u.reduces() {
		t.add("IMG-550", "  counts: its weight is %s", share(w, u.dims))
		return
	}
	t.add(weightRules[t.filter], "  times %s", share(w, u.dims))
}

// mean is weight for the mean of the three texels before it.
func (t *Trace) mean(u *sampled, w float64) {
	t.weigh(w)
	switch {
	case u.integers():
		t.add("IMG-222", "  integers at the cube's corner: each of the three counts")
		return
	case u.compare:
		t.add("IMG-222", "  each is compared, and the mean of that counts")
	}
	t.add("IMG-220", "  their mean times %s", share(w, 2))
}

// cubicClosed tells of a component of a CUBIC sum that leaves the range of its texels, low to high.
func (t *Trace) cubicClosed(u *sampled, c int, before, after, low, high float64) {
	name := "RGBA"[c : c+1]
	switch {
	case before >= low && before <= high || before != before:
	case u.compare:
		t.add("IMG-316", "%s: %g is clamped to [0, 1]", name, before)
	case before != after:
		t.add("IMG-547", "%s: %g is clamped to the range of the texels: %g", name, before, after)
	default:
		t.add("IMG-546", "%s: %g leaves the range of the texels, %g to %g, and stays", name, before, low, high)
	}
}

// result tells what the filters made of the texels: one is a NEAREST filter that took one, unchanged.
func (t *Trace) result(u *sampled, how filter, delta uint32, probes int, before, after format.Texel) {
	if u.compare && len(t.Texels) > 1 {
		t.add("IMG-316", "each texel was compared, and what came of it is filtered")
	}
	if u.info.Numeric == format.NumericSrgb && !u.compare && len(t.Texels) > 1 {
		t.add("IMG-250", "texels were decoded before they are filtered")
	}
	t.nan(u)
	rule := sumRules[how]
	if u.reduces() && how != filterNearest {
		rule = "IMG-550"
	}
	if delta != 0 {
		rule = "IMG-555"
	}
	if probes > 1 {
		if delta != 0 {
			t.add("IMG-555", "each probe mixes its two levels")
		}
		rule = "IMG-562"
		if u.compare || u.reduces() {
			rule = "IMG-565"
		}
	}
	t.add(rule, "filtered: %s", u.show(before))
	t.swizzled(u, before, after)
}

// nan tells of texels that a minimum or maximum passes over.
func (t *Trace) nan(u *sampled) {
	if !u.reduces() || u.integers() {
		return
	}
	for _, x := range t.Texels {
		for _, bits := range x.Value {
			if f := math.Float32frombits(bits); f != f {
				t.add("IMG-551", "NaN does not count in a minimum or maximum, unless all are")
				return
			}
		}
	}
}

// swizzled tells what the view's components make of a texel.
func (t *Trace) swizzled(u *sampled, before, after format.Texel) {
	t.missing(u.info, u.compare)
	if before == after {
		return
	}
	rule := "IMG-325"
	if border := t.borders > 0 && t.borders == len(t.Texels); border {
		rule = "IMG-296"
		if b := u.sampler.BorderColor; b == vk.BorderColorFloatOpaqueBlack || b == vk.BorderColorIntOpaqueBlack {
			rule = "IMG-328"
		}
	}
	if c := u.v.Components; u.v.Aspect&(vk.ImageAspectDepthBit|vk.ImageAspectStencilBit) != 0 &&
		(c.R == vk.ComponentSwizzleOne || c.G == vk.ComponentSwizzleOne || c.B == vk.ComponentSwizzleOne || c.A == vk.ComponentSwizzleOne) {
		rule = "IMG-327"
	}
	t.add(rule, "swizzled: %s", u.show(after))
}
