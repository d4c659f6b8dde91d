package sampling

import (
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// The steps of gathers, of queries and of Y′CBCR conversions.

// gather tells which four texels are gathered; x and y are the coordinates before reduceCoord, i0 and j0 the first texel.
func (t *Trace) gather(u *sampled, level int, size [3]int, from, to [2]float64, first [2]int) {
	t.cornerSampled(u, size)
	switch {
	case u.a.Op.NearestOrigin:
		t.add("IMG-522", "level %d: texels beside the one that the coordinates lie in", level)
	case gathersLevel(u.a.Op):
		t.add("IMG-889", "level %d, the nearest to the level of detail of a sample with this operand", level)
	default:
		t.add("IMG-515", "level %d, and the texels of a LINEAR filter: λ and the sampler's filters have no say", level)
	}
	rule := "IMG-481"
	if u.a.Op.NearestOrigin {
		rule = "IMG-480"
	}
	for d := range u.dims {
		t.reduced(u, d, from[d], to[d])
		i := first[d]
		t.add(rule, "%s = %g of %d: texels %d, %d", axisNames[d], u.place(to[d]), size[d], i, i+1)
		if !u.seams {
			t.wrapped(u, d, u.modes[d], size[d], i, i+1)
		}
	}
}

// gathered tells of one of the four results: c is its place, texel what it is of after comparison and swizzle.
func (t *Trace) gathered(u *sampled, c int, comp uint8, raw, swizzled format.Texel) {
	if raw != swizzled {
		t.add("IMG-329", "  swizzled before a component is chosen: %s", u.show(swizzled))
	}
	text := strings.Split(strings.Trim(u.show(swizzled), "()"), ", ")[comp]
	if u.compare {
		t.add("IMG-518", "  the comparison's result: %s", text)
	}
	t.add("IMG-516", "  %s is component %d of that: %s", "RGBA"[c:c+1], comp, text)
}

// belowMinLod tells of a gather from a level that the view's minLod forbids.
func (t *Trace) belowMinLod(minLod float32, base int) {
	t.add("IMG-520", "level %d is below the view's minLod, %g: zeros", base, minLod)
}

// size tells whose size a query asks for.
func (t *Trace) size(a *Args, v *resource.ImageView, level int) {
	switch {
	case uint(level) >= uint(v.Levels):
		t.add("IMG-606", "the view has no level %d: zeros", level)
	case a.Lod != nil:
		t.add("IMG-605", "the size of level %d", level)
	default:
		t.add("IMG-607", "the size of the first level")
	}
}

// query tells the result of a query for the level of detail.
func (t *Trace) query(prime, lambda, level float64) {
	if lambda != prime {
		t.add("IMG-610", "λ = %g selects the level; λ′ = %g is told as it was before the clamp", lambda, prime)
	}
	t.add("IMG-609", "level %g, λ′ = %g", level, prime)
}

// planes tells where the components of a format of several planes come from.
func (t *Trace) planes(y *converter) {
	if y.planes > 1 {
		t.add("IMG-256", "G from plane 0, B from plane %d, R from plane %d", y.from[2].plane, y.from[0].plane)
	} else if !y.halved[0] {
		t.add("IMG-362", "the format has no chroma of another size to reconstruct")
	}
}

// chromaRule is the rule by which chroma of another size is reconstructed.
func (y *converter) chromaRule() string {
	switch {
	case !y.explicit && !y.linear:
		return "IMG-344"
	case !y.explicit:
		return "IMG-343"
	case !y.linear:
		return "IMG-337"
	case y.halved[1]:
		return "IMG-340"
	case y.midpoint(0):
		return "IMG-339"
	}
	return "IMG-338"
}

// plane tells of a texel of one plane, at (i, j): asked are the coordinates before they were clamped to the plane.
func (t *Trace) plane(y *converter, chroma bool, info *format.Info, plane int, asked, at [2]int, value format.Texel, bound bool, w float64) {
	rule := weightRules[t.filter]
	if chroma {
		rule = y.chromaRule()
	}
	if chroma && asked != at {
		t.add("IMG-341", "chroma (%d, %d) lies outside its plane, and is (%d, %d)", asked[0], asked[1], at[0], at[1])
	}
	if bound {
		t.add(decodeRule(info), "texel (%d, %d) of plane %d is %s", at[0], at[1], plane, showTexel(info, value))
	} else {
		t.add("IMG-303", "texel (%d, %d) of plane %d has no memory: %s", at[0], at[1], plane, showTexel(info, value))
	}
	t.read(info.Class, [3]int{at[0], at[1]}, value)
	t.weigh(w)
	t.add(rule, "  times %s", share(w, 2))
}

// converted tells what range and model make of filtered codes.
func (t *Trace) converted(y *converter, codes [4]float64, out format.Texel) {
	c := y.conv
	if c.YDegamma || c.CbCrDegamma {
		t.add("IMG-350", "codes count as the linear values that they stand for")
	}
	rule, text := "IMG-071", "filtered codes (%s)"
	if y.explicit && y.halved[0] {
		rule, text = "IMG-346", "codes (%s) of luma texels with their chroma, filtered"
	}
	t.add(rule, text, show(codes[:]))
	if list := []vk.ComponentSwizzle{c.Components.R, c.Components.G, c.Components.B, c.Components.A}; fmt.Sprint(list) != fmt.Sprint([]vk.ComponentSwizzle{0, 0, 0, 0}) {
		t.add("IMG-351", "the conversion's swizzle comes first")
	}
	if c.Model == vk.SamplerYcbcrModelConversionRgbIdentity {
		t.add("IMG-352", "RGB_IDENTITY, neither range nor model: %s", y.show(out))
		return
	}
	if c.Range == vk.SamplerYcbcrRangeItuNarrow {
		t.add("IMG-354", "the range is narrow")
	} else {
		t.add("IMG-353", "the range is full")
	}
	if c.Model == vk.SamplerYcbcrModelConversionYcbcrIdentity {
		t.add("IMG-352", "YCBCR_IDENTITY, the range alone: %s", y.show(out))
		return
	}
	t.add("IMG-356", "model %s: %s", strings.TrimPrefix(c.Model.String(), "VK_SAMPLER_YCBCR_MODEL_CONVERSION_"), y.show(out))
}
