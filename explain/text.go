package explain

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextOptions say how WriteText writes.
type TextOptions struct {
	// Verbose adds every step, with its rule and its numbers, to the history.
	Verbose bool
	// Vertices are positions in a primitive, from 0, of those vertices whose invocations of earlier
	// stages are written, instruction by instruction, where Verbose is set.
	Vertices []int
	// Color writes escape sequences of terminals, of 24-bit colours for values.
	Color bool
}

// WriteText writes an explanation for a person, to be read from its top: the sample
// and its value, what matters most, the history with a line for each event and each
// fragment, and then, if that is wished for, each step. Control characters in names
// are replaced, so that no file has a say over the terminal. The error is that of w; of a nil explanation nothing is written.
func WriteText(w io.Writer, e *Explanation, o TextOptions) error {
	if e == nil {
		return nil
	}
	t := &text{o: o, target: e.Target}
	t.head(e)
	t.history(e)
	if o.Verbose {
		for i := range e.Events {
			t.event(&e.Events[i])
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// text gathers the lines.
type text struct {
	b      strings.Builder
	o      TextOptions
	target Target
}

func (t *text) linef(indent int, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	t.b.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+line, " ") + "\n")
}

// style is a parameter of the escape sequence that begins it.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

func (t *text) paint(s style, text string) string {
	if !t.o.Color || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// clean replaces what would steer a terminal instead of being seen there: control and
// format characters, the order of writing among them, and what is no UTF-8.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			return '�'
		}
		return r
	}, s)
}

// number is a number with as many digits as tell it from all others.
func number(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// patch is a value's colour, two characters wide, and a blank, where there are colours.
func (t *text) patch(v Value) string {
	var c [4]uint8
	if n, _ := fmt.Sscanf(v.Color, "#%02x%02x%02x%02x", &c[0], &c[1], &c[2], &c[3]); !t.o.Color || n != 4 {
		return ""
	}
	return fmt.Sprintf("\x1b[48;2;%d;%d;%dm  \x1b[0m ", c[0], c[1], c[2])
}

// value is a value's text, behind a patch of its colour where there are colours.
func (t *text) value(v Value) string {
	s := clean(v.Text)
	if s == "" {
		s = clean(v.Bits)
	}
	if s == "" {
		return "–"
	}
	return t.patch(v) + s
}

// exact is a value with its bits.
func (t *text) exact(v Value) string {
	s := t.value(v)
	if v.Bits != "" && v.Text != "" {
		s += "  " + t.paint(dim, "0x"+clean(v.Bits))
	}
	return s
}

// change is "before → after".
func (t *text) change(before, after Value) string {
	if before == after {
		return t.value(after) + " as before"
	}
	return t.value(before) + " → " + t.value(after)
}

func (t *text) head(e *Explanation) {
	g := e.Target
	name := clean(g.Image)
	if name == "" {
		name = "image"
	}
	title, size := fmt.Sprintf("Why pixel %d, %d of %s has its value", g.X, g.Y, name), fmt.Sprintf("%s, %d × %d", clean(g.Format), g.Width, g.Height)
	if g.Buffer != "" {
		title, size = fmt.Sprintf("Why the word at byte %d of %s has its value", g.Offset, clean(g.Buffer)), fmt.Sprintf("%s of a buffer of %d bytes", clean(g.Format), g.Width)
	}
	t.linef(0, "%s", t.paint(bold, title))
	where := []string{size}
	if g.Samples > 1 {
		where = append(where, fmt.Sprintf("sample %d of %d", g.Sample, g.Samples))
	}
	if g.Level > 0 {
		where = append(where, fmt.Sprintf("level %d", g.Level))
	}
	if g.Layer > 0 {
		where = append(where, fmt.Sprintf("layer %d", g.Layer))
	}
	t.linef(0, "%s", strings.Join(where, ", "))
	t.linef(0, "")
	t.linef(0, "value   %s", t.exact(e.After))
	t.linef(0, "before  %s", t.exact(e.Before))
	for _, s := range e.Stored {
		t.linef(0, "%s", s.text(&e.Target))
	}
	if len(e.Verdict) > 0 {
		t.linef(0, "")
		for _, line := range e.Verdict {
			t.linef(0, "%s", t.paint(bold, clean(line)))
		}
	}
	if !slices.ContainsFunc(e.Hints, func(h Hint) bool { return h.Tried != nil }) {
		return
	}
	t.linef(0, "")
	t.linef(0, "%s", t.paint(bold, "Tried"))
	for i := range e.Hints {
		h := &e.Hints[i]
		if h.Tried == nil {
			t.linef(1, "%s", clean(h.Says))
			continue
		}
		t.linef(1, "%s%s", t.patch(h.Tried.After), clean(h.Tried.Says))
	}
}

// text says where it is: "of block 1, 2, 4 × 4 texels at byte 40: 0x1122…".
func (s *Stored) text(of *Target) string {
	what, which := "block", fmt.Sprintf(", %d × %d texels,", s.Width, s.Height)
	if !strings.Contains(of.Format, "_BLOCK") && strings.Contains(of.Format, "PLANE") {
		what = fmt.Sprintf("plane %d, texel", s.Plane)
	}
	if s.Width*s.Height == 1 {
		which = ","
	}
	return fmt.Sprintf("of      %s %d, %d%s at byte %d: 0x%s", what, s.X, s.Y, which, s.Offset, clean(s.Bits))
}

// row is a line of the history before its columns are aligned.
type row struct {
	depth   int
	outcome Outcome
	where   string
	note    string
}

// manyMissed is how many events in a row that passed the sample by still get a line
// each; more of them are one line, unless every step was asked for.
const manyMissed = 3

func (t *text) history(e *Explanation) {
	t.linef(0, "")
	t.linef(0, "%s", t.paint(bold, "History"))
	var rows []row
	for i := 0; i < len(e.Events); {
		run := slices.IndexFunc(e.Events[i:], func(v Event) bool { return v.Outcome != Missed || v.Draw != nil && len(v.Draw.Fragments) > 0 })
		if run < 0 {
			run = len(e.Events) - i
		}
		if run > manyMissed && !t.o.Verbose {
			rows = append(rows, row{outcome: Missed, where: fmt.Sprintf("%d events", run),
				note: fmt.Sprintf("%s to %s", clean(e.Events[i].Where), clean(e.Events[i+run-1].Where))})
			i += run
			continue
		}
		rows = append(rows, t.rows(&e.Events[i])...)
		i++
	}
	width := 0
	for _, r := range rows {
		width = max(width, 2*r.depth+utf8.RuneCountInString(r.where))
	}
	width = min(width, 48)
	for _, r := range rows {
		where := strings.Repeat("  ", r.depth) + r.where
		pad := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(where)))
		mark, s := outcomeMark(r.outcome)
		t.linef(1, "%s %s%s  %s %s", t.paint(s, mark), where, pad, t.paint(s, fmt.Sprintf("%-9s", clean(string(r.outcome)))), r.note)
	}
	if len(rows) == 0 {
		t.linef(1, "nothing touched it")
	}
	if e.Dropped > 0 {
		t.linef(1, "%d more events and fragments were left out", e.Dropped)
	}
}

func outcomeMark(o Outcome) (string, style) {
	switch o {
	case Wrote:
		return "●", green
	case Unchanged:
		return "○", yellow
	default:
		return "·", dim
	}
}

// rows are the lines of an event: itself, and its fragments.
func (t *text) rows(v *Event) []row {
	rows := []row{{outcome: v.Outcome, where: clean(v.Where), note: t.note(v.Outcome, v.Before, v.After, v.Reason)}}
	if v.Draw != nil {
		for i := 0; i < len(v.Draw.Fragments); i++ {
			f := &v.Draw.Fragments[i]
			if n := missedFrom(v.Draw.Fragments[i:]); n >= manyMissed && !t.o.Verbose {
				rows = append(rows, row{depth: 1, outcome: Missed, where: fmt.Sprintf("%d primitives", n), note: clean(reasons(v.Draw.Fragments[i : i+n]))})
				i += n - 1
				continue
			}
			rows = append(rows, row{depth: 1, outcome: f.Outcome, where: f.Primitive.String(), note: t.note(f.Outcome, f.Before, f.After, f.Reason+f.next())})
		}
	}
	return rows
}

// missedFrom is how many fragments, from the first on, missed the sample.
func missedFrom(list []Fragment) int {
	n := slices.IndexFunc(list, func(f Fragment) bool { return f.Outcome != Missed })
	if n < 0 {
		return len(list)
	}
	return n
}

// reasons says how many fragments missed for which rule, with the first's words, which may not be those of all.
func reasons(list []Fragment) string {
	var rules, parts []string
	counts := map[string]int{}
	first := map[string]string{}
	such := map[string]string{}
	for i := range list {
		rule := list[i].failed().Rule
		if counts[rule]++; counts[rule] == 1 {
			rules = append(rules, rule)
			first[rule] = list[i].Reason
		} else if list[i].Reason != first[rule] {
			such[rule] = "such as: "
		}
	}
	for _, r := range rules {
		if len(rules) == 1 {
			return such[r] + first[r]
		}
		how := ": "
		if such[r] != "" {
			how = ", "
		}
		parts = append(parts, fmt.Sprintf("%d%s%s%s", counts[r], how, such[r], first[r]))
	}
	return strings.Join(parts, "; ")
}

// note is what follows the outcome: the value that was written, or why it was not.
func (t *text) note(o Outcome, before, after Value, reason string) string {
	var parts []string
	if o == Wrote {
		parts = append(parts, t.change(before, after))
	}
	if reason != "" {
		parts = append(parts, clean(reason))
	}
	if len(parts) == 0 && o == Unchanged {
		parts = append(parts, "stays "+t.value(after))
	}
	return strings.Join(parts, "   ")
}

// String names the primitive: "triangle 17, instance 2".
func (p *Primitive) String() string {
	if p == nil {
		return "no primitive"
	}
	kind := map[int]string{1: "point", 2: "line", 3: "triangle"}[len(p.Vertices)]
	if kind == "" {
		kind = "primitive"
	}
	s := fmt.Sprintf("%s %d", kind, p.ID)
	for _, n := range []struct {
		name string
		v    int
	}{{"instance", p.Instance}, {"view", p.View}, {"layer", p.Layer}, {"viewport", p.Viewport}} {
		if n.v != 0 {
			s += fmt.Sprintf(", %s %d", n.name, n.v)
		}
	}
	return s
}
