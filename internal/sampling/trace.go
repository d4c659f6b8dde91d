package sampling

import (
	"fmt"
	"math"
	"strings"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// The methods take copies: what a step looks at must not move to the heap of
// those who don't ask.

// Trace collects what one lane of an instruction did, step by step: the numbers
// are those that made the result. One lane of a Run may be active.
type Trace struct {
	Steps []Step
	// Texels are those that were read, in order; a border that takes the place of one is among them.
	Texels []Texel

	filter       filter // of the level that is being filtered
	level, layer int    // that texels are read from
	scale        float64
	weighed      int // of Texels: those that have their weight
}

// Texel is a texel that was read. Level and Layer count from the image's first; coordinates outside of the level
// are those of a border. Weight is its part of the result: 1 where it is the result, or one of a gather's.
type Texel struct {
	Level, Layer, Sample int
	At                   [3]int
	Weight               float64
	Value                format.Texel
	Class                format.Class
}

// from says where the next texels are read, and what a weight of 1 is there.
func (t *Trace) from(v *resource.ImageView, level, layer int) {
	t.level, t.layer, t.weighed = v.BaseLevel+level, v.BaseLayer+layer, len(t.Texels)
}

// read notes a texel.
func (t *Trace) read(class format.Class, at [3]int, value format.Texel) {
	t.Texels = append(t.Texels, Texel{Level: t.level, Layer: t.layer, At: at, Weight: 1, Value: value, Class: class})
}

// weigh gives the texels since the last ones their weight, the mean of which counts.
func (t *Trace) weigh(w float64) {
	list := t.Texels[t.weighed:]
	for i := range list {
		list[i].Weight = w * t.scale / float64(len(list))
	}
	t.weighed = len(t.Texels)
}

// Step is one step: the number of its rule in docs/rules, and what came of it.
type Step struct{ Rule, Text string }

func (t *Trace) add(rule, text string, args ...any) {
	t.Steps = append(t.Steps, Step{rule, fmt.Sprintf(text, args...)})
}

var faceNames = [6]string{"+X", "−X", "+Y", "−Y", "+Z", "−Z"}

var axisNames = [3]string{"u", "v", "w"}

func (u *unit) show(t format.Texel) string { return showTexel(u.info, t) }

// showTexel writes the components that the format's class makes of the lanes.
func showTexel(info *format.Info, t format.Texel) string {
	var s [4]string
	for c := range t {
		switch info.Class {
		case format.ClassSint:
			s[c] = fmt.Sprint(int32(t[c]))
		case format.ClassUint:
			s[c] = fmt.Sprint(t[c])
		default:
			s[c] = fmt.Sprint(math.Float32frombits(t[c]))
		}
	}
	return "(" + strings.Join(s[:], ", ") + ")"
}

func show(x []float64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(x), " ", ", "), "[]")
}

func (t *Trace) coordinates(u *unit, at spot, g gradients) {
	t.add("IMG-022", "coordinates (%s)", show(at.c[:u.coords]))
	if u.layer >= 0 {
		t.add("IMG-484", "layer %d of %d", at.layer, u.layers)
	}
	if at.delta != [3]int32{} {
		t.add("IMG-029", "offset by %v texels", at.delta[:u.dims])
	}
	if u.compare {
		t.add("IMG-312", "reference %g", at.ref)
	}
	if g.given {
		rule := "IMG-397"
		if lodMode(u.a) == ir.LodGrad {
			rule = "IMG-399"
		}
		t.add(rule, "derivatives to x (%s), to y (%s)", show(g.x[:u.coords]), show(g.y[:u.coords]))
	}
}

func (t *Trace) face(at spot, sc, tc, rc float64) {
	t.add("IMG-411", "face %s: sc = %g, tc = %g, rc = %g", faceNames[at.face], sc, tc, rc)
	t.add("IMG-413", "coordinates on the face (%s)", show(at.c[:2]))
}

func (t *Trace) levels(u *unit, g gradients, prime, bias, lambda float64, lv levels, f footprint) {
	if g.given {
		t.add("IMG-429", "ρx = %g, ρy = %g texels of the base level", math.Sqrt(u.texelLength2(&g.x)), math.Sqrt(u.texelLength2(&g.y)))
	}
	if f.probes > 1 {
		t.add("IMG-433", "anisotropic: η = %g, %d probes along (%s)", f.eta, f.probes, show(f.axis[:u.dims]))
	}
	if bias == 0 {
		t.add("IMG-446", "λ′ = %g, none of it bias", prime)
	} else {
		t.add("IMG-446", "λ′ = %g, of which %g is bias", prime, bias)
	}
	t.add("IMG-448", "λ = %g in [%g, %g]", lambda, u.lod.minLod, u.lod.maxLod)
	which := "minification"
	if lv.mag {
		which = "magnification"
	}
	t.add("IMG-451", "%s filter", which)
	if lv.delta == 0 {
		t.add("IMG-460", "level %d", lv.hi)
	} else {
		t.add("IMG-465", "levels %d and %d, the second with weight %d/256", lv.hi, lv.lo, lv.delta)
	}
}

func (t *Trace) nearest(d, level int, x float64, size int, mode addressMode) {
	i := nearestTexel(x)
	t.add("IMG-480", "level %d: %s = %g, texel %d of %d%s", level, axisNames[d], x, i, size, wrapped(mode, i, size))
}

// wrapped tells what an address mode makes of a texel outside.
func wrapped(mode addressMode, i, size int) string {
	switch w := wrap(mode, i, size); w {
	case borderTexel:
		return " [border]"
	case i:
		return ""
	default:
		return fmt.Sprintf(", which is %d", w)
	}
}

var filterNames = map[filter]string{filterNearest: "NEAREST", filterLinear: "LINEAR", filterCubic: "CUBIC"}

// The rules of each filter: its sum, its texels along an axis, and their weights.
var (
	sumRules    = map[filter]string{filterNearest: "IMG-530", filterLinear: "IMG-532", filterCubic: "IMG-542"}
	texelRules  = map[filter]string{filterNearest: "IMG-480", filterLinear: "IMG-481", filterCubic: "IMG-482"}
	weightRules = map[filter]string{filterNearest: "IMG-530", filterLinear: "IMG-531", filterCubic: "IMG-540"}
)

func (t *Trace) taps(u *unit, at spot, level int, size [3]int, x [3]taps, f filter) {
	t.filter = f
	t.from(u.v, level, at.layer+at.face)
	t.add(sumRules[f], "level %d, %s", level, filterNames[f])
	for d := range u.dims {
		c := reduceCoord(u.texels(&at, d, size[d]), u.modes[d], size[d])
		s := make([]string, x[d].n)
		for k := range s {
			s[k] = fmt.Sprintf("%d (weight %g/256%s)", x[d].i[k], x[d].w[k], wrapped(u.modes[d], x[d].i[k], size[d]))
		}
		t.add(texelRules[f], "%s = %g of %d: texels %s", axisNames[d], c, size[d], strings.Join(s, ", "))
	}
}

func (t *Trace) texel(u *unit, at [3]int, raw, out format.Texel, ref float32) {
	t.read(u.info.Class, at, raw)
	t.add("IMG-255", "texel (%s) is %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(at[:max(u.dims, 1)]), " ", ", "), "[]"), u.show(raw))
	if u.compare {
		t.add("IMG-310", "reference %g against it: %g", ref, math.Float32frombits(out[0]))
	}
}

// share is a weight and what the weights of all texels come to: 256 an axis.
func share(w float64, axes int) string { return fmt.Sprintf("%g/%d", w, 1<<(SubTexelBits*axes)) }

// weight tells how much the texel before it counts.
func (t *Trace) weight(u *unit, w float64) {
	t.weigh(w)
	if u.reduce == vk.SamplerReductionModeMin || u.reduce == vk.SamplerReductionModeMax {
		t.add("IMG-552", "  counts, with weight %s", share(w, u.dims))
		return
	}
	t.add(weightRules[t.filter], "  times %s", share(w, u.dims))
}

// mean is weight for the mean of the three texels before it.
func (t *Trace) mean(w float64) {
	t.weigh(w)
	t.add("IMG-220", "  their mean times %s", share(w, 2))
}

// plane tells of a texel of one plane.
func (t *Trace) plane(info *format.Info, plane, i, j int, value format.Texel, w float64) {
	t.add("IMG-255", "texel (%d, %d) of plane %d is %s", i, j, plane, showTexel(info, value))
	t.read(info.Class, [3]int{i, j}, value)
	t.weigh(w)
	t.add("IMG-531", "  times %s", share(w, 2))
}

// fetched tells of a texel that is read by integer coordinates; inside or not.
func (t *Trace) fetched(a *Args, v *resource.ImageView, r texelRef, raw format.Texel, inside bool, out format.Texel) {
	rule := "IMG-575"
	if a.Op.Kind == ir.ImageRead {
		rule = "IMG-577"
	}
	where := fmt.Sprint([]int{r.i, r.j, r.k}[:max(spatial(a.Op.Dim), 1)])
	t.add(rule, "texel (%s), level %d of %d, layer %d of %d, sample %d", strings.Trim(strings.ReplaceAll(where, " ", ", "), "[]"), r.level, v.Levels, r.layer, v.Layers, r.sample)
	if !inside {
		t.add("IMG-300", "outside: %s", showTexel(v.Info, out))
		return
	}
	t.from(v, r.level, r.layer)
	t.read(v.Info.Class, [3]int{r.i, r.j, r.k}, raw)
	t.Texels[len(t.Texels)-1].Sample = r.sample
	t.add("IMG-255", "it is %s", showTexel(v.Info, raw))
	if raw != out {
		t.add("IMG-325", "swizzled: %s", showTexel(v.Info, out))
	}
}

// element is fetched for texel buffers.
func (t *Trace) element(b *resource.BufferView, i int, inside bool, value format.Texel) {
	t.add("IMG-575", "element %d of %d", i, len(b.Data)/b.Info.BlockBytes)
	if !inside {
		t.add("IMG-302", "outside: %s", showTexel(b.Info, value))
		return
	}
	t.level, t.layer = 0, 0
	t.read(b.Info.Class, [3]int{i}, value)
	t.add("IMG-255", "it is %s", showTexel(b.Info, value))
}

func (t *Trace) result(u *unit, before, after format.Texel) {
	t.add("IMG-555", "filtered: %s", u.show(before))
	if before != after {
		t.add("IMG-325", "swizzled: %s", u.show(after))
	}
}
