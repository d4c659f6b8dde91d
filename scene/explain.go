package scene

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

// maxExplained bounds how many samples Explain looks at. It draws the scene once for each pumice.MaxWatches of them.
const maxExplained = 4 * pumice.MaxWatches

// Explain draws the scene and tells which rules decided what its samples hold: for each draw a paragraph, with a rule and an
// example of what it decided. All comes from the run, and nothing from title, text and rules of the file. Of scenes of more
// than 4,096 samples as many are looked at, evenly spread. Lines have up to 80 columns.
func (s *Scene) Explain(ctx context.Context, dev *pumice.Device) (string, error) {
	if s == nil {
		return "", errNil()
	}
	format, resolve := identityFormat, false
	if shows[s.Show] {
		format, resolve = colorFormat, s.Show == "resolved" && s.Samples > 1
	}
	a := account{scene: s, draws: make([]told, len(s.Draws)+1)}
	_, _, err := s.drawWith(ctx, dev, format, resolve, func(target, resolved *pumice.Image, cmd *pumice.CommandBuffer) error {
		points := s.points(target, resolved)
		for batch := range slices.Chunk(points, pumice.MaxWatches/2) { // resolves bring samples in
			if err := a.look(ctx, dev, batch, cmd); err != nil {
				return err
			}
		}
		a.looked = len(points)
		return nil
	})
	if err != nil {
		return "", err
	}
	return a.text(), nil
}

// points are the samples that Explain looks at.
func (s *Scene) points(target, resolved *pumice.Image) (list []pumice.WatchPoint) {
	all := s.Size[0] * s.Size[1] * s.Samples
	n := min(all, maxExplained)
	for i := range n {
		at := int(int64(i) * int64(all) / int64(n))
		pixel := at / s.Samples
		p := pumice.WatchPoint{Image: target, X: pixel % s.Size[0], Y: pixel / s.Size[0], Sample: at % s.Samples}
		if list = append(list, p); resolved != nil && p.Sample == 0 {
			p.Image = resolved
			list = append(list, p)
		}
	}
	return list
}

// account collects what samples tell.
type account struct {
	scene  *Scene
	draws  []told // the last is of what is no draw
	looked int
}

// told is what one draw did.
type told struct {
	primitives     int
	wrote, reached int // samples that it drew, or came to and left as they were
	rules          []*decided
}

// decided is what a rule did of a draw: of how many samples, and how it was the first time.
type decided struct {
	rule, title  string
	failed       bool
	n            int
	x, y, sample int
	text         string
	last         *explain.Target
}

func (a *account) look(ctx context.Context, dev *pumice.Device, points []pumice.WatchPoint, cmd *pumice.CommandBuffer) error {
	list, err := dev.Explain(ctx, points, cmd)
	if err != nil {
		return err
	}
	for _, e := range list {
		for i := range e.Events {
			v := &e.Events[i]
			t := &a.draws[len(a.scene.Draws)]
			if v.Kind == explain.Draw && v.Index < len(a.scene.Draws) {
				t = &a.draws[v.Index]
			}
			a.event(t, &e.Target, v)
		}
	}
	return nil
}

func (a *account) event(t *told, at *explain.Target, v *explain.Event) {
	identities := !shows[a.scene.Show]
	t.add(at, v.Steps, identities)
	if v.Draw == nil {
		return
	}
	t.primitives = max(t.primitives, v.Draw.Primitives)
	switch v.Outcome {
	case explain.Wrote:
		t.wrote++
	case explain.Unchanged:
		t.reached++
	default:
	}
	for i := range v.Draw.Fragments {
		t.add(at, v.Draw.Fragments[i].Steps, identities)
	}
}

// add counts the steps of a sample.
func (t *told) add(at *explain.Target, steps []explain.Step, identities bool) {
	for i := range steps {
		s := &steps[i]
		if s.Rule == "" && !s.Failed || identities && s.Rule == "RAS-348" { // how identities are stored is no part of the scene
			continue
		}
		k := slices.IndexFunc(t.rules, func(d *decided) bool { return d.rule == s.Rule && d.failed == s.Failed })
		if k < 0 {
			k = len(t.rules)
			t.rules = append(t.rules, &decided{rule: s.Rule, title: s.Title, failed: s.Failed, x: at.X, y: at.Y, sample: at.Sample, text: s.Text})
		}
		if d := t.rules[k]; d.last != at {
			d.n, d.last = d.n+1, at
		}
	}
}

func (a *account) text() string {
	s := a.scene
	var b strings.Builder
	all := s.Size[0] * s.Size[1] * s.Samples
	fmt.Fprintf(&b, "%d × %d pixels, %s, %s", s.Size[0], s.Size[1], count(s.Samples, "sample a pixel", "samples a pixel"), count(len(s.Draws), "draw", "draws"))
	if all > maxExplained {
		fmt.Fprintf(&b, "; %d of %d samples were looked at", maxExplained, all)
	}
	b.WriteByte('\n')
	for i := range s.Draws {
		t := &a.draws[i]
		fmt.Fprintf(&b, "\nDraw %d: %s; %s drawn", i, count(t.primitives, "primitive", "primitives"), count(t.wrote, "sample", "samples"))
		if t.reached > 0 {
			fmt.Fprintf(&b, ", %d reached and left as they were", t.reached)
		}
		b.WriteByte('\n')
		a.rules(&b, t)
	}
	if rest := &a.draws[len(s.Draws)]; len(rest.rules) > 0 {
		b.WriteString("\nBesides the draws\n")
		a.rules(&b, rest)
	}
	return b.String()
}

// rules writes a line for each rule, in the order of their numbers, and one for an example of what it decided and of what it
// kept from being drawn.
func (a *account) rules(b *strings.Builder, t *told) {
	slices.SortStableFunc(t.rules, func(x, y *decided) int {
		if c := cmp.Compare(x.rule, y.rule); c != 0 {
			return c
		}
		return map[[2]bool]int{{true, false}: 1, {false, true}: -1}[[2]bool{x.failed, y.failed}]
	})
	before := ""
	for _, d := range t.rules {
		if d.rule != before || d.rule == "" {
			fmt.Fprintf(b, "  %s\n", catalogue.Name(d.rule))
		}
		before = d.rule
		where := fmt.Sprintf("(%d, %d)", d.x, d.y)
		if a.scene.Samples > 1 {
			where += fmt.Sprintf(" sample %d", d.sample)
		}
		verb := ""
		if d.failed {
			verb = " left out"
		}
		fold(b, fmt.Sprintf("%s%s, as %s: ", count(d.n, "sample", "samples"), verb, where)+d.text)
	}
}

// fold writes a text in lines of up to 80 columns.
func fold(b *strings.Builder, text string) {
	line := "   "
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > 80 && strings.TrimSpace(line) != "" {
			b.WriteString(line + "\n")
			line = "     "
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
