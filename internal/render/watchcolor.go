package render

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/vk"
)

// What is written to a watched sample of a colour attachment: blending, logical operations and masks.

// tellColor tells of blending, or the logical operation, and the write.
func (m *watcher) tellColor(st *drawState, o *sight) {
	f, v := &o.f, o.watch
	f.Outcome = explain.Unchanged
	switch color := st.color[v.Attachment]; {
	case color != nil && o.written:
		m.tellBlend(st, color, o)
		return
	case color != nil:
		f.Reason = "nothing of the fragment was left when colours were written"
	case st.dynamic.ColorWrite>>v.Attachment&1 == 0:
		f.Reason = fmt.Sprintf("colour writes to attachment %d are off (colorWriteEnable)", v.Attachment)
		step(f, "RAS-347", "%s", f.Reason).Failed = true
	case st.dynamic.Blend[v.Attachment].ColorWriteMask == 0:
		f.Reason = fmt.Sprintf("the colour write mask of attachment %d is 0", v.Attachment)
		step(f, "RAS-347", "%s", f.Reason).Failed = true
	case st.dynamic.LogicOpEnable && st.dynamic.LogicOp == vk.LogicOpNoOp:
		f.Reason = "the logical operation is NO_OP"
		step(f, "RAS-346", "%s", f.Reason).Failed = true
	default:
		f.Reason = fmt.Sprintf("the fragment shader writes no output for attachment %d", v.Attachment)
		step(f, "RAS-349", "%s", f.Reason).Failed = true
	}
}

func (m *watcher) tellBlend(st *drawState, color *fragops.Color, o *sight) {
	f, pl, v := &o.f, m.w.plan, o.watch
	f.Outcome = explain.Wrote
	info := color.Info
	t := color.Trace(o.before, o.src, o.two)
	b := &explain.Blend{
		Enabled: color.Blending, Source: colorOf(info, o.src), Destination: ColorValue(info, o.before),
		Result: colorOf(info, t.Result), Mask: maskText(color.Mask), Stored: pl.value(v),
	}
	f.Blend = b
	s := &color.Blend
	m.tellReduction(st, o)
	switch asked := st.dynamic.Blend[v.Attachment].BlendEnable; {
	case st.dynamic.LogicOpEnable && !color.Logical && st.dynamic.LogicOp != vk.LogicOpCopy:
		step(f, "RAS-345", "%s has no logical operations: the output is taken as it is", info.Name)
	case st.dynamic.LogicOpEnable && asked:
		step(f, "RAS-345", "logicOpEnable is on, and so blending is off")
	case asked && !color.Blending:
		step(f, "RAS-337", "integers are not blended")
	}
	if color.Blending && (color.Blend.Clamped(floatsOf(o.src)) != floatsOf(o.src)) {
		step(f, "RAS-339", "the output (%s) is clamped to what %s holds", b.Source.Text, info.Name)
	}
	switch {
	case color.Blending && s.IsAdvanced():
		b.Op = short(s.ColorOp)
		step(f, "RAS-344", "blending: %s of (%s) and (%s) is (%s)", b.Op, b.Source.Text, b.Destination.Text, b.Result.Text)
	case color.Blending:
		b.Source, b.Destination = colorOf(info, texelOf(t.Source)), colorOf(info, texelOf(t.Destination))
		if color.DualSource() {
			b.Second = explain.Floats(t.Second[:]...)
		}
		b.SourceFactors, b.DestinationFactors = explain.Floats(t.SourceFactors[:]...), explain.Floats(t.DestinationFactors[:]...)
		b.SourceFactor = short(s.SrcColor) + ", " + short(s.SrcAlpha)
		b.DestinationFactor = short(s.DstColor) + ", " + short(s.DstAlpha)
		b.Op = short(s.ColorOp) + ", " + short(s.AlphaOp)
		if factored(s.ColorOp) || factored(s.AlphaOp) {
			step(f, "RAS-340", "factors %s (%s) and %s (%s)", b.SourceFactor, b.SourceFactors.Text, b.DestinationFactor, b.DestinationFactors.Text)
		}
		if color.DualSource() {
			step(f, "RAS-342", "a factor is of the second source (%s)", b.Second.Text)
		}
		step(f, "RAS-341", "blending (%s) of (%s) and (%s) is (%s)", b.Op, b.Source.Text, b.Destination.Text, b.Result.Text)
	case color.Logical:
		b.Op = short(color.Logic)
		step(f, "RAS-346", "logical operation %s", b.Op)
	}
	if color.Mask != allComponents {
		step(f, "RAS-347", "the colour write mask lets %s through", b.Mask)
	}
	rule := "RAS-348"
	if info.Numeric == format.NumericSrgb {
		rule = "RAS-343"
	}
	step(f, rule, "(%s) is stored in %s as %s", b.Result.Text, info.Name, hex.EncodeToString(t.Stored))
	cov := &st.coverage[v.Attachment]
	if got := pl.texelOf(v, v.Attachment); !bytes.Equal(got, t.Stored) && cov.Trivial(pl.Samples) {
		step(f, "", "this account does not add up: the pass has left %s", hex.EncodeToString(got)).Failed = true
	}
}

// factored says that a blend operation takes factors.
func factored(op vk.BlendOp) bool { return op != vk.BlendOpMin && op != vk.BlendOpMax }

// floatsOf is the inverse of texelOf.
func floatsOf(t format.Texel) (v fragops.Vec4) {
	for i, bits := range t {
		v[i] = math.Float32frombits(bits)
	}
	return v
}

// tellReduction tells what coverage does to colours.
func (m *watcher) tellReduction(st *drawState, o *sight) {
	f, cov := &o.f, &st.coverage[o.watch.Attachment]
	if n := m.w.plan.Samples; cov.Color != n {
		mode := "TRUNCATE, sample %d stands for itself"
		if cov.Merge {
			mode = "MERGE, sample %d is covered where one of " + samplesText(o.group, n) + " is"
		}
		step(f, "RAS-334", "%d colour samples of %d: "+mode, cov.Color, n, o.watch.Sample)
	}
	if cov.ToColor {
		step(f, "RAS-331", "coverage to colour: the coverage mask takes the place of the output")
	}
	if cov.Modulates() {
		step(f, "RAS-336", "coverage modulation: the output is multiplied by how much of the colour sample is covered")
	}
}

// texelOf is a colour as the bits of its components.
func texelOf(v fragops.Vec4) (t format.Texel) {
	for i, f := range v {
		t[i] = math.Float32bits(f)
	}
	return t
}

const allComponents = vk.ColorComponentRBit | vk.ColorComponentGBit | vk.ColorComponentBBit | vk.ColorComponentABit

func maskText(m vk.ColorComponentFlags) string {
	var b strings.Builder
	for i, c := range "RGBA" {
		if m>>i&1 != 0 {
			b.WriteRune(c)
		}
	}
	return b.String()
}
