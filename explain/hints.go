package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// numbers are the components of a value as its text has them; nil where they are no numbers.
func (v Value) numbers() []float64 {
	if v.Text == "" {
		return nil
	}
	var list []float64
	for part := range strings.SplitSeq(v.Text, ",") {
		f, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil
		}
		list = append(list, f)
	}
	return list
}

// notNumber says that a component is NaN or infinite.
func (v Value) notNumber() bool {
	for _, f := range v.numbers() {
		if f-f != 0 {
			return true
		}
	}
	return false
}

// hints looks at how the fragment that gave the value did so.
func (j *judge) hints(v *Event, f *Fragment) {
	for _, s := range f.Steps {
		if s.Failed {
			j.add(weightFailed, "%s: %s", j.name(v), s.Text)
		}
	}
	for i := range f.Images {
		j.image(v, &f.Images[i])
	}
	j.shape(v, f)
	if d := f.Depth; d != nil && d.Op != "" {
		if hint := reversed(d, []*Fragment{f}); hint != "" {
			j.add(weightReversed, "%s passed the depth test %s: %s", j.name(v), d.says(), hint).hints = j.otherOp(v, d)
		}
	}
	if b := f.Blend; b != nil {
		j.blend(v, b)
		j.twice(v, f)
		j.overdrawn(v, f)
		j.made(v, f)
	}
}

// notNumber finds since when the value is NaN or infinite, or whether the output was that it comes from.
func (j *judge) notNumber() {
	if f := j.fragment; f != nil && f.Blend != nil && f.Blend.Source.notNumber() && !f.After.notNumber() {
		j.add(weightNotNumber, "the shader's output is (%s), which %s holds as %s%s", f.Blend.Source.Text, j.e.Target.Format, f.After.Text, f.firstNotNumber())
	}
	if !j.e.After.notNumber() {
		return
	}
	for i := len(j.e.Events) - 1; i >= 0; i-- {
		v := &j.e.Events[i]
		if v.Draw == nil {
			continue
		}
		for k := len(v.Draw.Fragments) - 1; k >= 0; k-- {
			f := &v.Draw.Fragments[k]
			if f.Outcome != Wrote || f.Before.notNumber() || !f.After.notNumber() {
				continue
			}
			from := ", though the shader's output is finite: blending made it"
			if f.Blend == nil || f.Blend.Source.notNumber() {
				from = f.firstNotNumber()
			}
			j.add(weightNotNumber, "it is (%s) since %s%s", f.After.Text, j.name(v), from)
			return
		}
	}
}

// firstNotNumber names where the shader's first NaN or infinity comes from.
func (f *Fragment) firstNotNumber() string {
	for _, in := range f.Inputs {
		if in.Value.notNumber() {
			return fmt.Sprintf(": its input %s is already (%s)", in.Name, in.Value.Text)
		}
	}
	if f.Shader == nil {
		return ": its shader made it"
	}
	values := map[string]Value{} // of what the instructions before gave
	for _, s := range f.Shader.Steps {
		result, operation, _ := strings.Cut(s.Text, " = ")
		if !s.Value.notNumber() {
			values[result] = s.Value
			continue
		}
		at := ""
		if s.Line > 0 {
			at = fmt.Sprintf(" at %s:%d", s.File, s.Line)
		}
		made := fmt.Sprintf(": its shader made it%s, %s", at, s.Text)
		for operand := range strings.FieldsSeq(operation) {
			if v, ok := values[operand]; ok {
				made += fmt.Sprintf(", %s is (%s)", operand, v.Text)
				delete(values, operand)
			}
		}
		return made
	}
	return ": its shader made it"
}

// image looks at an image instruction: at what it read that was not there, and at a bias that chose the level.
func (j *judge) image(v *Event, m *Image) {
	for _, s := range m.Steps {
		if s.Failed {
			j.add(weightFailed, "%s: %s", m.Instruction, s.Text)
		}
		switch s.Rule {
		case "IMG-290":
			j.add(weightFact, "%s at %s read the border: %s", m.Instruction, m.coordinates(),
				strings.TrimPrefix(s.Text, "outside: "))
			continue
		case "IMG-448":
			if from, low, ok := m.clamped(s); ok {
				j.add(weightFact, "%s read %s: its minLod keeps λ = %.4g at %.4g", m.Instruction, m.levels(),
					from, low)
			}
			continue
		case "IMG-296", "IMG-325":
			j.add(weightFact, "%s: the components of its view make the texel's value (%s)", m.Instruction,
				m.Result.brief())
			continue
		case "IMG-446":
		default:
			continue
		}
		_, says, _ := strings.Cut(s.Text, "λ′ = ")
		says, _, ok := strings.Cut(says, " is bias")
		level, by, both := strings.Cut(says, ", of which ")
		if !ok || !both {
			continue
		}
		lambda, _ := strconv.ParseFloat(level, 64)
		bias, _ := strconv.ParseFloat(by, 64)
		if math.Abs(bias) >= 0.5 && max(lambda, lambda-bias) > 0 {
			j.add(weightBias, "%s read %s by its LOD bias of %s: without it λ would be %.4g, not %.4g", m.Instruction, m.levels(), by, lambda-bias, lambda).
				hints = []Hint{j.hint(v, nil, "mipLodBias is the sampler's or the shader's", false)}
		}
	}
}

// clamped is a level of detail that a lower bound has raised, and the bound.
func (m *Image) clamped(s Step) (from, low float64, ok bool) {
	var high float64
	n, _ := fmt.Sscanf(s.Text, "λ′ = %g is clamped to [%g, %g]", &from, &low, &high)
	return from, low, n == 3 && from < low && low > 0
}

// shape tells where what was drawn is no filled triangle.
func (j *judge) shape(v *Event, f *Fragment) {
	if v.Draw == nil {
		return
	}
	var topology, mode string
	for _, s := range v.Draw.State {
		switch s.Name {
		case "topology":
			topology = s.Value.Text
		case "polygonMode":
			mode = s.Value.Text
		}
	}
	switch n := len(f.Primitive.Vertices); {
	case n == 3 && mode != "" && short(mode) != "FILL":
		j.add(weightFact, "%s drew triangle %d there by its outline: polygonMode is %s", j.name(v),
			f.Primitive.ID, short(mode))
	case n == 1 || n == 2:
		j.add(weightFact, "%s drew a %s there: its topology is %s", j.name(v), [...]string{"point",
			"line"}[n-1], topology)
	}
}

// levels names the levels that were read.
func (m *Image) levels() string {
	if len(m.Texels) == 0 {
		return "no texel"
	}
	low, high := m.Texels[0].Level, m.Texels[0].Level
	for _, t := range m.Texels {
		low, high = min(low, t.Level), max(high, t.Level)
	}
	if low == high {
		return fmt.Sprintf("level %d", low)
	}
	return fmt.Sprintf("levels %d and %d", low, high)
}

// blend looks at factors, masks and clamping.
func (j *judge) blend(v *Event, b *Blend) {
	source, result := b.Source.numbers(), b.Result.numbers()
	sf, _, _ := strings.Cut(b.SourceFactor, ",")
	df, _, _ := strings.Cut(b.DestinationFactor, ",")
	factors := b.SourceFactors.numbers()
	switch {
	case !b.Enabled:
	case sf == "ONE_MINUS_SRC_ALPHA" && df == "SRC_ALPHA":
		j.add(weightFactors, "blending: the source counts ONE_MINUS_SRC_ALPHA (%s), the destination SRC_ALPHA (%s): are they swapped?", nth(b.SourceFactors, 0), nth(b.DestinationFactors, 0)).
			hints = []Hint{j.hint(v, &Change{"blendFactor", "swapped"}, "", false)}
	case sf == "ONE" && len(source) == 4 && zero(source) && source[3] == 0 && b.Stored == v.Before:
		j.add(weightFactors, "blending: the shader of %s gave (%s): it leaves what was there", j.name(v), b.Source.Text)
	case zero(factors) && len(factors) > 0 && !zero(source):
		why := ""
		if strings.Contains(sf, "SRC_ALPHA") && len(source) == 4 {
			why = fmt.Sprintf(" with a source alpha of %v", source[3])
		}
		j.add(weightFactors, "blending: %s and %s%s: the source (%s) does not count", sf, df, why, b.Source.Text).
			hints = []Hint{j.hint(v, &Change{"blendEnable", "VK_FALSE"}, "", false)}
	}
	if alpha := source; !b.Enabled && len(alpha) == 4 && alpha[3] > 0 && alpha[3] < 1 &&
		strings.Contains(b.Mask, "RGB") {
		j.add(weightAside,
			"blendEnable of %s is VK_FALSE: the alpha of %.4g that its shader gave does not count", j.name(v), alpha[3])
	}
	if op, _, _ := strings.Cut(b.Op, ","); b.Enabled && op != "" && op != "ADD" {
		j.add(weightFact, "blending of %s: colorBlendOp is %s", j.name(v), op)
	}
	if kept := keptComponents(b); kept != "" {
		j.add(weightClamped+1, "the colour write mask %q leaves %s as before", b.Mask, kept).
			hints = []Hint{j.hint(v, &Change{"colorWriteMask", "RGBA"}, "", false)}
	}
	format := j.e.Target.Format
	if strings.Contains(format, "UNORM") || strings.Contains(format, "SRGB") {
		for _, r := range result {
			if r > 1 || r < 0 {
				j.add(weightClamped, "(%s) is clamped: %s holds 0 to 1", b.Result.Text, format)
				break
			}
		}
	}
}

// zero says that red, green and blue are 0.
func zero(list []float64) bool {
	for _, f := range list[:min(len(list), 3)] {
		if f != 0 {
			return false
		}
	}
	return true
}

func nth(v Value, i int) string {
	if list := v.numbers(); i < len(list) {
		return strconv.FormatFloat(list[i], 'g', -1, 64)
	}
	return "?"
}

// keptComponents are those that the write mask leaves as they were though the result differs.
func keptComponents(b *Blend) string {
	result, destination := b.Result.numbers(), b.Destination.numbers()
	var kept []string
	for i, name := range [...]string{"red", "green", "blue", "alpha"} {
		if i < len(result) && i < len(destination) && !strings.Contains(b.Mask, "RGBA"[i:i+1]) && result[i] != destination[i] {
			kept = append(kept, name)
		}
	}
	return strings.Join(kept, ", ")
}

// twice asks whether the shader has encoded to sRGB what an sRGB attachment encodes once more: its output is the
// code of something that it was given, or of round numbers.
func (j *judge) twice(v *Event, f *Fragment) {
	if !strings.Contains(j.e.Target.Format, "SRGB") {
		return
	}
	out := f.Blend.Source.numbers()
	if len(out) < 3 {
		return
	}
	from, exact := "", false
	given := func(what string, v Value) {
		n := v.numbers()
		if len(n) < 3 || exact {
			return
		}
		for _, encode := range [...]func(float64) float64{srgb, func(f float64) float64 { return math.Pow(f, 1/2.2) }} {
			if codes(out, n, encode) {
				from, exact = fmt.Sprintf("%s (%s)", what, v.Text), true
			}
		}
	}
	for _, in := range f.Inputs {
		given("its input "+in.Name, in.Value)
	}
	for i := range f.Images {
		given("the result of "+f.Images[i].Instruction, f.Images[i].Result)
	}
	if !exact {
		if from = round(out); from == "" {
			return
		}
	}
	j.add(weightTwice, "encoded to sRGB twice? the shader's output (%s) is the sRGB code of %s, and %s encodes once more", f.Blend.Source.Text, from, j.e.Target.Format).
		hints = []Hint{j.hint(v, nil, "the shader encodes", false)}
}

// srgb is the code of a linear value.
func srgb(f float64) float64 {
	if f <= 0.0031308 {
		return 12.92 * f
	}
	return 1.055*math.Pow(f, 1/2.4) - 0.055
}

// codes says that red, green and blue of out are those of in encoded, and not in itself.
func codes(out, in []float64, encode func(float64) float64) bool {
	different := false
	for i := range 3 {
		if in[i] < 0 || in[i] > 1 || math.Abs(out[i]-encode(in[i])) > 1e-3 {
			return false
		}
		different = different || math.Abs(out[i]-in[i]) > 0.02
	}
	return different
}

// round returns the linear values of codes where all of them are multiples of 0.05, and one is neither 0 nor 1;
// empty: they are not.
func round(out []float64) string {
	texts, inside := make([]string, 3), false
	for i, o := range out[:3] {
		linear := o / 12.92
		if o > 0.04045 {
			linear = math.Pow((o+0.055)/1.055, 2.4)
		}
		near := math.Round(linear*20) / 20
		if math.Abs(linear-near) > 2e-4 { // no multiple of 0.05 between 0 and 1 is itself such a code
			return ""
		}
		inside = inside || near != 0 && near != 1
		texts[i] = strconv.FormatFloat(near, 'g', -1, 64)
	}
	if !inside {
		return ""
	}
	return strings.Join(texts, ", ")
}
