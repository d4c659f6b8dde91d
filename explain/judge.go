package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Judge fills in the Version and the Verdict, from what the explanation holds and nothing else: where the value comes
// from, what is odd about that, and what could have been there and is not. What is no more than
// likely is worded as a question.
func Judge(e *Explanation) {
	if e == nil {
		return
	}
	e.Version = Version
	j := judge{e: e, drawn: -1, last: -1, depths: map[string]int{}}
	j.findWriters()
	j.shorten()
	j.barriers()
	for i := range e.Events {
		if e.Events[i].Kind == Draw {
			j.lost(i)
			j.inverted(i)
			j.noteDepths(i)
		}
	}
	if j.fragment != nil {
		j.hints(&e.Events[j.last], j.fragment)
	}
	j.undefined()
	j.notNumber()
	j.unseen()
	slices.SortStableFunc(j.findings, func(a, b finding) int { return cmp.Compare(b.weight, a.weight) })
	lines := []string{j.origin()}
	e.Hints = nil
	for _, f := range j.findings {
		if lines = append(lines, f.text); len(lines) <= 3 {
			e.Hints = append(e.Hints, f.hints...)
		}
	}
	e.Verdict = lines[:min(len(lines), 3)]
	for i, line := range e.Verdict { // names may have line breaks
		e.Verdict[i] = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	}
}

// finding is a line that may matter; one of more weight comes first.
type finding struct {
	weight int
	text   string
	hints  []Hint
}

// What findings weigh. Things that are never meant stand above those that often are.
const (
	weightNotNumber  = 100 // a value or a position is NaN
	weightBarrier    = 98
	weightFailed     = 96 // an image instruction read what is not there, …
	weightDiscard    = 94
	weightFactors    = 92
	weightMask       = 90
	weightOffByOne   = 88
	weightReversed   = 86
	weightInverted   = 84
	weightTwice      = 82
	weightCulled     = 80
	weightScissor    = 76
	weightBias       = 74
	weightClipped    = 70
	weightUndefined  = 68
	weightStencil    = 60
	weightBlack      = 54
	weightClamped    = 50
	weightDepth      = 45
	weightLost       = 40 // by anything else, such as discard
	weightOver       = 35 // an opaque draw went over what is nearer
	weightUnseen     = 30
	weightEdge       = 20
	weightFact       = 14 // what may be meant, and says where to look
	weightMade       = 10
	weightAside      = 6 // beside the point, most often
	weightAfterwards = 9 // more for draws behind the one that gave the value
)

type judge struct {
	e        *Explanation
	findings []finding
	last     int            // the last event that wrote the sample, or -1
	drawn    int            // the last draw that did, or -1
	fragment *Fragment      // of the last event that did
	common   []string       // what all names begin with
	depths   map[string]int // the last event that stored a depth, by its text
}

func (j *judge) add(weight int, format string, args ...any) *finding {
	j.findings = append(j.findings, finding{weight: weight, text: fmt.Sprintf(format, args...)})
	return &j.findings[len(j.findings)-1]
}

func (j *judge) findWriters() {
	for i := range j.e.Events {
		v := &j.e.Events[i]
		if v.Outcome != Wrote {
			continue
		}
		j.last, j.fragment = i, nil
		if v.Kind != Draw {
			continue
		}
		j.drawn = i
		if v.Draw != nil {
			for k := range v.Draw.Fragments {
				if f := &v.Draw.Fragments[k]; f.Outcome == Wrote {
					j.fragment = f
				}
			}
		}
	}
}

// place is what names an event, part by part, and its own name behind that: " (glass)".
func (v *Event) place() (parts []string, own string) {
	where := v.Where
	if where == "" {
		where = fmt.Sprintf("%s %d", v.Kind, v.Index)
	}
	if at := strings.Index(where, " ("); at > 0 {
		where, own = where[:at], where[at:]
	}
	return strings.Split(where, ", "), own
}

// shorten finds what the names of all events begin with, which verdicts leave out: most often there is
// one command buffer.
func (j *judge) shorten() {
	for i := range j.e.Events {
		parts, _ := j.e.Events[i].place()
		if i == 0 {
			j.common = parts
		}
		j.common = j.common[:min(len(j.common), len(parts)-1)]
		for k := range j.common {
			if j.common[k] != parts[k] {
				j.common = j.common[:k]
				break
			}
		}
	}
}

// name names an event.
func (j *judge) name(v *Event) string {
	parts, own := v.place()
	parts = parts[len(j.common):]
	if what := map[Kind]string{Load: "the load operation", Resolve: "the resolve"}[v.Kind]; what != "" {
		if len(parts) == 1 { // its own name for what it is
			return what
		}
		return what + " of " + strings.Join(parts[:len(parts)-1], ", ")
	}
	return strings.Join(parts, ", ") + own
}

// origin is the first line: where the value comes from.
func (j *judge) origin() string {
	e := j.e
	if j.last < 0 || e.Events[j.last].Kind == Load && j.drawn < 0 {
		return j.notDrawn()
	}
	v := &e.Events[j.last]
	said := fmt.Sprintf("%s wrote it last: %s", j.name(v), v.After.Text)
	switch {
	case v.Kind == Load:
		said = fmt.Sprintf("%s cleared it to %s", j.name(v), v.After.Text)
	case v.Kind == Resolve && len(v.Steps) > 0:
		said = fmt.Sprintf("%s wrote it last: %s, %s", j.name(v), v.After.Text, v.Steps[0].Text)
	case v.From != nil:
		said = fmt.Sprintf("%s took it from pixel %d, %d of %s: %s", j.name(v), v.From.X, v.From.Y, v.From.Image, v.After.Text)
	case v.Kind == Store && v.Shader != nil:
		said = fmt.Sprintf("the %s shader of %s stored it last, in %s: %s", v.Shader.Stage, j.name(v),
			v.Shader.Invocation, v.After.Text)
	case j.fragment != nil && j.fragment.Blend != nil && j.fragment.Blend.Enabled:
		said = fmt.Sprintf("%s blended it last: %s", j.name(v), v.After.Text)
	}
	if v.After == v.Before {
		said += ", as it was before"
	}
	for i := j.last - 1; i >= 0; i-- {
		if b := &e.Events[i]; b.Kind == Draw && b.Outcome == Wrote {
			return fmt.Sprintf("%s, over what %s had drawn", said, j.name(b))
		}
	}
	return said
}

// notDrawn is the first line where no draw has written the sample: with the likeliest reason.
func (j *judge) notDrawn() string {
	draws := 0
	for i := range j.e.Events {
		if j.e.Events[i].Kind == Draw {
			draws++
		}
	}
	value := "it is as it was: " + j.e.After.Text
	if j.last >= 0 {
		value = fmt.Sprintf("%s cleared it to %s", j.name(&j.e.Events[j.last]), j.e.After.Text)
	}
	if draws == 0 {
		return "nothing was drawn here: " + value
	}
	if len(j.findings) > 0 {
		first := j.findings[0].text
		j.findings[0].text = value
		return "nothing was ever drawn here: " + first
	}
	j.add(0, "%s", value)
	return fmt.Sprintf("nothing was ever drawn here: none of %s comes near the pixel", count(draws, "draw"))
}

func count(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// barriers reports transitions that lose the contents, unless they were written anew afterwards, and those that
// are missing: of draws that wrote the sample, before they read images.
func (j *judge) barriers() {
	for i := range j.e.Events {
		v := &j.e.Events[i]
		switch {
		case v.Kind == Draw && v.Outcome == Wrote:
			for _, s := range v.Steps {
				if s.Failed {
					j.add(weightBarrier, "%s: %s", j.name(v), s.Text)
				}
			}
			continue
		case v.Kind != Barrier || v.Outcome == Missed || j.overwritten(i):
			continue
		}
		when := ""
		if i > j.drawn && j.drawn >= 0 {
			when = ", after " + j.name(&j.e.Events[j.drawn])
		}
		j.add(weightBarrier, "%s%s: %s", j.name(v), when, v.Reason)
	}
}

// overwritten says that something behind an event wrote the sample whatever it held.
func (j *judge) overwritten(event int) bool {
	for i := event + 1; i < len(j.e.Events); i++ {
		v := &j.e.Events[i]
		if v.Outcome != Wrote || v.Kind == Barrier {
			continue
		}
		if v.Draw == nil {
			return true
		}
		for k := range v.Draw.Fragments {
			if f := &v.Draw.Fragments[k]; f.Outcome == Wrote && (f.Blend == nil || !f.Blend.Enabled) {
				return true
			}
		}
	}
	return false
}

// undefined reports load operations behind which nothing is defined.
func (j *judge) undefined() {
	for i := range j.e.Events {
		v := &j.e.Events[i]
		if v.Kind == Load && v.Outcome == Unchanged && !j.overwritten(i) {
			j.add(weightUndefined, "%s: %s", j.name(v), v.Reason)
		}
	}
}

// lost reports of a draw that wrote nothing what stopped those of its primitives that cover the sample: what is told
// of are those that least stands in the way of.
func (j *judge) lost(event int) {
	v := &j.e.Events[event]
	if v.Outcome == Wrote || v.Draw == nil {
		return
	}
	later := 0
	if event > j.last {
		later = weightAfterwards
	}
	switch {
	case len(v.Draw.Fragments) > 0:
	case v.Draw.Elsewhere < v.Draw.Primitives || v.Draw.Primitives == 0: // not just elsewhere
		f := j.add(weightDiscard, "%s: %s", j.name(v), v.Reason)
		if v.Draw.Primitives > 0 {
			f.hints = []Hint{j.hint(v, nil, "a pipeline that rasterizes nothing may have no state for it", false)}
		}
		fallthrough
	default:
		return
	}
	var losses []*loss
	fewest := math.MaxInt
	for i := range v.Draw.Fragments {
		f := &v.Draw.Fragments[i]
		if len(f.Stopped) == 0 {
			continue
		}
		if n := f.stops(); n < fewest {
			losses, fewest = nil, n
		} else if n > fewest {
			continue
		}
		at := slices.IndexFunc(losses, func(l *loss) bool { return l.Rule == f.Stopped[0].Rule })
		if at < 0 {
			at = len(losses)
			losses = append(losses, &loss{Stop: &f.Stopped[0]})
		}
		losses[at].fragments = append(losses[at].fragments, f)
	}
	if len(losses) == 0 {
		list := make([]*Fragment, len(v.Draw.Fragments))
		for i := range list {
			list[i] = &v.Draw.Fragments[i]
		}
		j.add(weightEdge+later, "%s: %s", j.primitives(v, list), list[len(list)-1].Reason)
		return
	}
	var found finding
	most := 0
	for _, l := range losses {
		f := j.loss(event, l)
		if found.text == "" || f.weight > found.weight || f.weight == found.weight && len(l.fragments) > most {
			found, most = f, len(l.fragments)
		}
	}
	found.weight += later
	j.findings = append(j.findings, found)
}

// loss is primitives of a draw that were stopped by the same rule first.
type loss struct {
	*Stop
	fragments []*Fragment
}

// stops is how many things certainly keep the primitive from being written.
func (f *Fragment) stops() (n int) {
	for i := range f.Stopped {
		if !f.Stopped[i].Perhaps {
			n++
		}
	}
	return n
}

// alone finds a primitive that nothing else stops, as far as is known; surely: all is known.
func (l *loss) alone() (f *Fragment, surely bool) {
	for _, g := range l.fragments {
		if g.stops() == 1 && (f == nil || len(g.Stopped) == 1) {
			f, surely = g, len(g.Stopped) == 1
		}
	}
	return f, surely
}

// failed is the step at which it ended; without one, its reason.
func (f *Fragment) failed() Step {
	for i := len(f.Steps) - 1; i >= 0; i-- {
		if f.Steps[i].Failed {
			return f.Steps[i]
		}
	}
	return Step{Text: f.Reason}
}

// primitives names those of a loss: "triangle 3 of draw 2", "5 triangles of draw 2".
func (j *judge) primitives(v *Event, list []*Fragment) string {
	kind := [...]string{"primitive", "point", "line", "triangle"}[min(len(list[0].Primitive.Vertices), 3)]
	if len(list) == 1 {
		return fmt.Sprintf("%s %d of %s", kind, list[0].Primitive.ID, j.name(v))
	}
	return fmt.Sprintf("%d %ss of %s", len(list), kind, j.name(v))
}

// loss words one of a draw's losses.
func (j *judge) loss(event int, l *loss) (found finding) {
	v := &j.e.Events[event]
	who, f := j.primitives(v, l.fragments), l.fragments[0]
	covers, is := "covers the pixel", "is"
	if len(l.fragments) > 1 {
		covers, is = "cover the pixel", "are"
	}
	reason := f.Reason
	if reason == "" {
		reason = l.Text
	}
	alone, surely := l.alone()
	surely = surely && !v.Draw.movesStencil()
	found.hints = j.hintsOf(v, l.Stop, surely)
	next := ""
	if alone == nil {
		next = f.next()
	}
	switch l.Rule {
	case "RAS-366": // a position that is no number
		found.weight, found.text = weightNotNumber, fmt.Sprintf("%s: %s", who, reason)
	case "RAS-235":
		found.weight, found.text = weightCulled, fmt.Sprintf("%s %s, %s", who, covers, v.Draw.culled(l.fragments, found.hints, surely))
		if alone == nil {
			found.weight = weightLost
		}
	case "RAS-307", "RAS-098":
		found.weight, found.text = weightScissor, fmt.Sprintf("%s %s, but %s %s", who, covers, is, reason)
		if beside(l.Text) && alone != nil {
			found.weight, next = weightOffByOne, ": one too few?"
		}
	case "RAS-306", "RAS-308":
		found.weight, found.text = weightScissor, fmt.Sprintf("%s %s, but %s", who, covers, reason)
	case "RAS-309", "RAS-315", "RAS-347":
		found.weight, found.text = weightMask, fmt.Sprintf("%s %s, but %s", who, covers, reason)
	case "RAS-074", "RAS-075", "RAS-076", "RAS-077", "RAS-079", "RAS-080", "RAS-081", "RAS-085", "RAS-086", "RAS-087", "RAS-088", "RAS-241":
		found.weight, found.text = weightClipped, fmt.Sprintf("%s would cover the pixel: %s", who, reason)
	case "RAS-320", "RAS-321":
		found.weight, found.text = weightStencil, fmt.Sprintf("%s %s, but %s", who, covers, reason)
	case "RAS-327":
		var hints []Hint
		found.weight, found.text, hints = j.lostDepth(event, l)
		found.hints = append(hints, found.hints...)
	case "RAS-221", "RAS-251", "RAS-252":
		found.weight, found.text = weightEdge, fmt.Sprintf("%s: %s", who, reason)
	default:
		found.weight, found.text = weightLost, fmt.Sprintf("%s %s, but %s", who, covers, reason)
	}
	found.text += next
	return found
}

// next words what would stop a primitive next, which something else stopped first; empty: nothing would.
func (f *Fragment) next() string {
	if len(f.Stopped) < 2 {
		return ""
	}
	s := &f.Stopped[1]
	switch {
	case s.Perhaps: // it need not
		return ""
	case s.Rule == "RAS-327" && s.Depth != nil:
		return fmt.Sprintf(", and would lose the depth test: %s is not %s", s.Depth.Fragment.Text, s.Depth.than())
	}
	return ", and then: " + s.Text
}

// hintsOf are what a stop may be taken away by; surely: nothing else is in the way.
func (j *judge) hintsOf(v *Event, s *Stop, surely bool) (list []Hint) {
	add := func(state, value string, surely bool) {
		list = append(list, j.hint(v, &Change{state, value}, "", surely))
	}
	if s.Change == nil {
		return []Hint{j.hint(v, nil, s.Cannot, false)}
	}
	if s.Change.State == "cullMode" {
		switch v.Draw.state("cullMode") {
		case "BACK":
			other, counter := strings.CutPrefix(v.Draw.state("frontFace"), "COUNTER_")
			if !counter {
				other = "COUNTER_" + other
			}
			// The other face may have other stencil state.
			add("frontFace", "VK_FRONT_FACE_"+other, surely && v.Draw.state("stencilTest") != "true")
		case "FRONT":
			add("cullMode", "VK_CULL_MODE_BACK_BIT", surely)
		}
	}
	add(s.Change.State, s.Change.Value, surely)
	return list
}

// hint makes one.
func (j *judge) hint(v *Event, c *Change, cannot string, writes bool) Hint {
	h := Hint{Ordinal: v.Ordinal, Where: v.Where, Change: c, Cannot: cannot, Writes: writes}
	switch {
	case c == nil:
		h.Says = fmt.Sprintf("%s: nothing to try: %s", j.name(v), cannot)
	case writes:
		h.Says = fmt.Sprintf("%s, %s draws here", c, j.name(v))
	default:
		h.Says = fmt.Sprintf("%s: what does %s draw here?", c, j.name(v))
	}
	return h
}

// state is a state of the draw by its name, without the prefix and suffix of Vulkan's enums.
func (d *Drawn) state(name string) string {
	for _, s := range d.State {
		if s.Name == name {
			return short(s.Value.Text)
		}
	}
	return ""
}

// movesStencil says that a change may free several fragments at the sample, of which one that fails can
// change the stencil that the next is tested against: primitives, or the sides that a triangle is drawn
// by. What the change would do is not sure then.
func (d *Drawn) movesStencil() bool {
	if d.state("stencilTest") != "true" {
		return false
	}
	stopped := 0
	for i := range d.Fragments {
		if len(d.Fragments[i].Stopped) > 0 {
			stopped++
		}
	}
	mode := d.state("polygonMode")
	return stopped > 1 || mode != "" && mode != "FILL"
}

// culled words why primitives are culled, with what the hints promise, if that is sure.
func (d *Drawn) culled(list []*Fragment, hints []Hint, surely bool) string {
	all, them := "all are", "one of them"
	if len(list) == 1 {
		all, them = "is", "it"
	}
	face := "back-facing"
	if list[0].Primitive.Front {
		face = "front-facing"
	}
	hint := ""
	if surely {
		var ways []string
		for _, h := range hints {
			way := h.Change.String()
			if h.Change.State == "frontFace" {
				way = "with the other frontFace"
			}
			ways = append(ways, way)
		}
		hint = fmt.Sprintf("; %s, %s would be drawn", strings.Join(ways, ", or "), them)
	}
	mode, front := d.state("cullMode"), d.state("frontFace")
	switch {
	case mode == "": // all that is known
		return fmt.Sprintf("but %s %s, and culled (%s)%s", all, face, list[0].Reason, hint)
	case strings.Contains(mode, "FRONT") && strings.Contains(mode, "BACK"):
		return fmt.Sprintf("but cullMode %s culls every triangle%s", mode, hint)
	}
	return fmt.Sprintf("but %s %s, which cullMode %s culls (frontFace %s)%s", all, face, mode, front, hint)
}

// beside says that a rectangle ends, or begins, at the pixel beside the one that is left out: the text
// names its first and last pixel, and the pixel.
func beside(text string) bool {
	var n [][2]int
	for _, part := range strings.Split(text, "(")[1:] {
		var at [2]int
		if _, err := fmt.Sscanf(part, "%d, %d)", &at[0], &at[1]); err == nil {
			n = append(n, at)
		}
	}
	if len(n) != 3 {
		return false
	}
	away := 0
	for k := range 2 {
		away = max(away, n[0][k]-n[2][k], n[2][k]-n[1][k])
	}
	return away == 1
}
