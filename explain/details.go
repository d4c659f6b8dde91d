package explain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// heading begins a part of a fragment's details.
func (t *text) heading(indent int, format string, args ...any) {
	t.linef(indent, "%s", t.paint(bold, fmt.Sprintf(format, args...)))
}

// event writes all that is known of an event, if that is more than the history has.
func (t *text) event(v *Event) {
	if v.Outcome == Missed && len(v.Steps) == 0 && (v.Draw == nil || len(v.Draw.Fragments) == 0) {
		return
	}
	t.linef(0, "")
	_, s := outcomeMark(v.Outcome)
	t.linef(0, "%s  %s", t.paint(bold, clean(v.Where)), t.paint(s, clean(string(v.Outcome))))
	if len(v.Labels) > 0 {
		t.linef(2, "labels  %s", clean(strings.Join(v.Labels, " › ")))
	}
	if v.Reason != "" {
		t.linef(2, "reason  %s", clean(v.Reason))
	}
	t.linef(2, "value  %s", t.change(v.Before, v.After))
	if f := v.From; f != nil {
		t.linef(2, "from %s, %s: pixel %d, %d, sample %d, level %d, layer %d", clean(f.Image), clean(f.Format), f.X, f.Y, f.Sample, f.Level, f.Layer)
	}
	t.steps(2, v.Steps)
	if v.Shader != nil {
		t.shader(v.Shader)
	}
	d := v.Draw
	if d == nil {
		return
	}
	t.linef(2, "primitives  %d, of which %d are nowhere near the pixel", d.Primitives, d.Elsewhere)
	if len(d.State) > 0 {
		t.heading(2, "state")
		t.named(4, d.State)
	}
	for i := range d.Fragments {
		t.fragment(&d.Fragments[i])
	}
}

func (t *text) fragment(f *Fragment) {
	p := &f.Primitive
	t.linef(0, "")
	_, s := outcomeMark(f.Outcome)
	t.linef(2, "%s  %s  %s", t.paint(bold, p.String()), t.paint(s, clean(string(f.Outcome))), clean(f.Reason))
	if len(p.Vertices) == 3 {
		face := "back-facing"
		if p.Front {
			face = "front-facing"
		}
		t.linef(4, "%s, area %s pixels", face, number(math.Abs(p.Area)/2))
	}
	if f.Width > 1 || f.Height > 1 {
		t.linef(4, "a fragment of %d × %d pixels", f.Width, f.Height)
	}
	t.vertices(p)
	for i := range f.Stages {
		if s := &f.Stages[i]; slices.ContainsFunc(s.Vertices, func(v int) bool { return slices.Contains(t.o.Vertices, v) }) {
			t.shader(s)
		}
	}
	if len(f.Steps) > 0 {
		t.heading(4, "steps")
		t.steps(6, f.Steps)
	}
	if f.Coverage != nil {
		t.coverage(f.Coverage)
	}
	if len(f.Inputs) > 0 {
		t.heading(4, "inputs of the shader")
		t.named(6, f.Inputs)
	}
	for i := range f.Images {
		t.image(&f.Images[i])
	}
	if f.Shader != nil {
		t.shader(f.Shader)
	}
	if len(f.Outputs) > 0 {
		t.heading(4, "outputs of the shader")
		t.named(6, f.Outputs)
	}
	if f.Stencil != nil {
		t.stencil(f.Stencil)
	}
	if f.Depth != nil {
		t.depth(f.Depth)
	}
	if f.Blend != nil {
		t.blend(f.Blend)
	}
}

func (t *text) steps(indent int, steps []Step) {
	for _, s := range steps {
		line := ""
		if s.Rule != "" {
			line = t.paint(cyan, strings.TrimSpace(clean(s.Rule)+" "+clean(s.Title))) + ": "
		}
		line += clean(s.Text)
		if s.Failed {
			line = t.paint(red, "✗") + " " + line
		}
		t.linef(indent, "%s", line)
		t.named(indent+4, s.Values)
	}
}

func (t *text) named(indent int, list []Named) {
	var rows [][]string
	for _, n := range list {
		rows = append(rows, []string{clean(n.Name), t.value(n.Value), t.bits(n.Value)})
	}
	t.table(indent, rows)
}

// bits are a value's bits where they do not stand for its text.
func (t *text) bits(v Value) string {
	if v.Bits == "" || v.Text == "" {
		return ""
	}
	return t.paint(dim, "0x"+clean(v.Bits))
}

// table writes rows with their columns aligned. Escape sequences take no room.
func (t *text) table(indent int, rows [][]string) {
	var width []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], visible(c))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, c := range r {
			b.WriteString(c + strings.Repeat(" ", width[i]-visible(c)+2))
		}
		t.linef(indent, "%s", b.String())
	}
}

// visible counts the characters of a cell that are seen.
func visible(s string) int {
	n := 0
	for s != "" {
		before, rest, found := strings.Cut(s, "\x1b[")
		n += utf8.RuneCountInString(before)
		if !found {
			break
		}
		_, s, _ = strings.Cut(rest, "m")
	}
	return n
}

func (t *text) vertices(p *Primitive) {
	if len(p.Vertices) == 0 {
		return
	}
	t.heading(4, "vertices")
	rows := [][]string{{"", "index", "clip space x, y, z, w", "window x, y, depth"}}
	for i, v := range p.Vertices {
		index, window := "?", "cut away"
		if v.Index >= 0 {
			index = strconv.Itoa(v.Index)
		}
		if v.Window != nil {
			window = number(v.Window[0]) + ", " + number(v.Window[1]) + ", " + number(v.Window[2])
		}
		name := string(rune('A' + i%26))
		if i == p.Provoking {
			name += " provoking"
		}
		var clip []string
		for _, c := range v.Position {
			clip = append(clip, t.value(c))
		}
		rows = append(rows, []string{name, index, strings.Join(clip, ", "), window})
	}
	t.table(6, rows)
	for i, v := range p.Vertices {
		name := string(rune('A' + i%26))
		if len(v.Inputs) > 0 {
			t.linef(6, "%s inputs", name)
			t.named(8, v.Inputs)
		}
		if len(v.Outputs) > 0 {
			t.linef(6, "%s outputs", name)
			t.named(8, v.Outputs)
		}
	}
}

func (t *text) verdict(pass bool) string {
	if pass {
		return t.paint(green, "passes")
	}
	return t.paint(red, "fails")
}

func (t *text) depth(d *DepthTest) {
	t.heading(4, "depth")
	written := "not written"
	if d.Written {
		written = "written"
	}
	if d.Op == "" {
		t.linef(6, "fragment %s, stored %s: no test; %s", t.value(d.Fragment), t.value(d.Stored), written)
		return
	}
	t.linef(6, "fragment %s %s stored %s: %s; %s", t.value(d.Fragment), t.paint(bold, clean(d.Op)), t.value(d.Stored), t.verdict(d.Pass), written)
}

func (t *text) stencil(s *Stencil) {
	t.heading(4, "stencil")
	t.linef(6, "(reference 0x%02x & 0x%02x) %s (stored 0x%02x & 0x%02x), %s face: 0x%02x %s 0x%02x %s", s.Reference, s.Compare,
		t.paint(bold, clean(s.Op)), s.Stored, s.Compare, clean(s.Face), s.Reference&s.Compare, clean(s.Op), s.Stored&s.Compare, t.verdict(s.Pass))
	t.linef(6, "%s under write mask 0x%02x: 0x%02x → 0x%02x", clean(s.Action), s.WriteMask, s.Stored, s.After)
}

func (t *text) image(m *Image) {
	title := "image instruction " + clean(m.Instruction)
	if m.Line != "" {
		title += ", " + clean(m.Line)
	}
	t.heading(4, "%s", title)
	t.steps(6, m.Steps)
	if len(m.Texels) > 0 {
		rows := [][]string{{"texel", "level", "layer", "weight", "value"}}
		for _, x := range m.Texels {
			at := fmt.Sprintf("%d, %d", x.X, x.Y)
			if x.Z != 0 {
				at += fmt.Sprintf(", %d", x.Z)
			}
			if x.Sample != 0 {
				at += fmt.Sprintf(" sample %d", x.Sample)
			}
			rows = append(rows, []string{at, strconv.Itoa(x.Level), strconv.Itoa(x.Layer), number(x.Weight), t.value(x.Value)})
		}
		t.table(6, rows)
	}
	t.linef(6, "result  %s", t.exact(m.Result))
}
