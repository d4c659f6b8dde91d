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

// The steps of texels: how bits become numbers, what stands in for texels that are not there, and comparisons.

// decodeRule is the rule by which texels of a format become numbers.
func decodeRule(info *format.Info) string {
	c := &info.Components[0]
	for i := range info.Components {
		if info.Components[i].Kind != format.KindNone {
			c = &info.Components[i]
			break
		}
	}
	switch {
	case info.Compressed:
		return "IMG-254"
	case c.Kind == format.KindD || c.Kind == format.KindS:
		return "IMG-253"
	case info.SharedExponent():
		return "IMG-064"
	case info.PackedBits == 16 && (c.Bits == 10 || c.Bits == 12):
		return "IMG-251"
	case c.Bits == 64:
		return "IMG-259"
	}
	switch info.Numeric {
	case format.NumericSrgb:
		return "IMG-248"
	case format.NumericUnorm:
		return "IMG-241"
	case format.NumericSnorm:
		return "IMG-242"
	case format.NumericUscaled, format.NumericSscaled:
		return "IMG-243"
	case format.NumericUint, format.NumericSint:
		return "IMG-244"
	case format.NumericUfloat:
		return "IMG-246"
	case format.NumericSfloat:
		if c.Bits == 16 {
			return "IMG-245"
		}
		return "IMG-247"
	}
	return "IMG-240"
}

// texel tells of a texel that was read, and of its comparison; bound: it has memory.
func (t *Trace) texel(u *sampled, at [3]int, raw, out format.Texel, ref float32, bound bool) {
	t.read(u.info.Class, at, raw)
	if bound {
		t.add(decodeRule(u.info), "texel (%s) is %s", showInts(at[:max(u.dims, 1)]), u.show(raw))
	} else {
		t.add("IMG-303", "texel (%s) has no memory: %s", showInts(at[:max(u.dims, 1)]), u.show(raw))
	}
	t.compared(u, "IMG-311", raw, out, ref)
}

// compared tells of the comparison with a texel, or with the border.
func (t *Trace) compared(u *sampled, rule string, raw, out format.Texel, ref float32) {
	if !u.compare {
		return
	}
	depth := math.Float32frombits(raw[0])
	if ref != ref || depth != depth {
		rule = "IMG-314"
	}
	t.add(rule, "reference %g %s %g: %g", ref, short(u.op), depth, math.Float32frombits(out[0]))
}

// border tells of the border colour that takes a texel's place.
func (t *Trace) border(u *sampled, at [3]int, out format.Texel, ref float32) {
	t.read(u.info.Class, at, u.border)
	t.borders++
	color := u.sampler.BorderColor
	custom := color == vk.BorderColorFloatCustomEXT || color == vk.BorderColorIntCustomEXT
	t.add("IMG-290", "outside: the border colour %s, %s", strings.TrimPrefix(color.String(), "VK_BORDER_COLOR_"), u.show(u.border))
	switch {
	case u.info.Numeric == format.NumericSrgb && custom:
		t.add("IMG-294", "  it is linear already")
	case custom && u.info.Class == format.ClassFloat && u.info.Numeric != format.NumericSfloat:
		t.add("IMG-293", "  it is taken as it was given, and not rounded to the format")
	}
	whole := u.sampler.CustomBorderColor
	if !custom {
		whole = standardBorder(u.info, color)
	}
	if whole != u.border {
		t.add("IMG-291", "  %v has no other components of it", u.info.Format)
	}
	t.compared(u, "IMG-297", u.border, out, ref)
}

// missing tells what stands for components that the format lacks.
func (t *Trace) missing(info *format.Info, compared bool) {
	var lacks []string
	for c, f := range info.Components {
		if f.Kind == format.KindNone {
			lacks = append(lacks, "RGBA"[c:c+1])
		}
	}
	if len(lacks) == 0 || compared || info.Chroma != "" {
		return
	}
	rule, are := "IMG-320", " they are "
	switch {
	case info.Aspects == vk.ImageAspectStencilBit:
		rule = "IMG-322"
	case info.Compressed:
		rule = "IMG-323"
	}
	values := make([]string, len(lacks))
	for i, c := range lacks {
		if values[i] = "0"; c == "A" {
			values[i] = "1"
		}
	}
	if len(lacks) == 1 {
		are = " it is "
	}
	t.add(rule, "the format has no %s:%s%s", strings.Join(lacks, ", "), are, strings.Join(values, ", "))
	if info.Class != format.ClassFloat && lacks[len(lacks)-1] == "A" {
		t.add("IMG-321", "the 1 is an integer")
	}
}

// null tells of a descriptor without an image.
func (t *Trace) null() { t.add("IMG-304", "the descriptor is null: zeros") }

// unfit tells of an instruction that cannot run on the view.
func (t *Trace) unfit() {
	t.add("IMG-002", "the view does not fit the instruction, and nothing of it can be read: zeros")
}

// fetched tells of a texel that is read by integer coordinates; inside or not.
func (t *Trace) fetched(a *Args, v *resource.ImageView, lane int, r texelRef, raw format.Texel, inside bool, out format.Texel) {
	rule := "IMG-575"
	if a.Op.Kind == ir.ImageRead {
		rule = "IMG-577"
	}
	dims := max(spatial(a.Op.Dim), 1)
	if a.Op.Dim == ir.DimCube {
		dims = 2
	}
	t.add(rule, "texel (%s), level %d of %d, layer %d of %d, sample %d", showInts([]int{r.i, r.j, r.k}[:dims]), r.level, v.Levels, r.layer, v.Layers, r.sample)
	if offset := offsetOf(a, lane); offset != "" {
		t.add("IMG-576", "of that the offset is (%s)", offset)
	}
	if !inside {
		t.outside(v, r, out)
		return
	}
	t.from(v, r.level, r.layer)
	t.read(v.Info.Class, [3]int{r.i, r.j, r.k}, raw)
	t.Texels[len(t.Texels)-1].Sample = r.sample
	l := v.Level(r.level, r.layer)
	if l.Samples > 1 {
		t.add("IMG-580", "the sample itself, and no mean")
	}
	if a.bound(l.Data[l.Offset(r.i, r.j, r.k, r.sample):], l.Bytes) {
		t.add(decodeRule(v.Info), "it is %s", showTexel(v.Info, raw))
	} else {
		t.add("IMG-303", "it has no memory: %s", showTexel(v.Info, raw))
	}
	t.missing(v.Info, false)
	if raw != out {
		t.add("IMG-325", "swizzled: %s", showTexel(v.Info, out))
	}
}

// offsetOf writes the offset of a lane's coordinates, empty where there is none.
func offsetOf(a *Args, lane int) string {
	var list []string
	some := false
	for d := range spatial(a.Op.Dim) {
		if a.Offset[d] != nil {
			x := int32(a.Offset[d][lane])
			some = some || x != 0
			list = append(list, fmt.Sprint(x))
		}
	}
	if !some {
		return ""
	}
	return strings.Join(list, ", ")
}

// outside tells why a texel is not there.
func (t *Trace) outside(v *resource.ImageView, r texelRef, out format.Texel) {
	switch {
	case uint(r.level) >= uint(v.Levels):
		t.add("IMG-579", "the view has no level %d: %s", r.level, showTexel(v.Info, out))
		return
	case float64(v.BaseLevel+r.level) < math.Floor(float64(v.MinLod)):
		t.add("IMG-579", "level %d is below the view's minLod, %g: %s", r.level, v.MinLod, showTexel(v.Info, out))
		return
	}
	if uint(r.layer) < uint(v.Layers) {
		if l := v.Level(r.level, r.layer); l.Contains(r.i, r.j, r.k) {
			t.add("IMG-301", "there are samples 0 to %d: %s", l.Samples-1, showTexel(v.Info, out))
			return
		}
	}
	t.add("IMG-300", "outside: %s", showTexel(v.Info, out))
}

// bound says that a texel of n bytes has memory.
func (a *Args) bound(texel []byte, n int) bool { return a.Sparse == nil || a.Sparse.Bound(texel, n) }

// element is fetched for texel buffers; src is nil outside.
func (t *Trace) element(a *Args, b *resource.BufferView, i int, src []byte, value format.Texel) {
	t.add("IMG-032", "element %d of %d", i, len(b.Data)/b.Info.BlockBytes)
	if src == nil {
		t.add("IMG-302", "outside: %s", showTexel(b.Info, value))
		return
	}
	t.level, t.layer = 0, 0
	t.read(b.Info.Class, [3]int{i}, value)
	if a.bound(src, b.Info.BlockBytes) {
		t.add(decodeRule(b.Info), "it is %s", showTexel(b.Info, value))
	} else {
		t.add("IMG-303", "it has no memory: %s", showTexel(b.Info, value))
	}
	t.missing(b.Info, false)
}
