package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// lostDepth words the loss of the depth test: of many fragments, that of the closest.
func (j *judge) lostDepth(event int, l *loss) (weight int, text string, hints []Hint) {
	v := &j.e.Events[event]
	var d *DepthTest
	closest := math.Inf(1)
	for _, f := range l.fragments {
		if f.Depth == nil {
			continue
		}
		if away := f.Depth.away(); d == nil || away < closest {
			d, closest = f.Depth, away
		}
	}
	who := j.primitives(v, l.fragments)
	if d == nil {
		return weightDepth, fmt.Sprintf("%s lost the depth test: %s", who, l.fragments[0].Reason), nil
	}
	said := fmt.Sprintf("%s lost the depth test: %s is not %s", who, d.Fragment.Text, d.than())
	switch by := j.depthWriter(event, d); {
	case by != "":
		said += ", written by " + by
	default:
		said += ", which was cleared or loaded"
	}
	if hint := reversed(d, l.fragments); hint != "" {
		return weightReversed, said + ": " + hint, j.otherOp(v, d)
	}
	if op := j.writerOp(d); opposite(op, d.Op) {
		said += fmt.Sprintf(", which tests with %s: is depthCompareOp %s reversed?", op, d.Op)
		return weightDepth + 1, said, j.otherOp(v, d)
	}
	if bias := l.fragments[0].bias(); math.Abs(bias) >= closest {
		said += fmt.Sprintf("; depth bias adds %.3g to it", bias)
	}
	for _, n := range v.Draw.State {
		if _, depths, _ := strings.Cut(n.Value.Text, ", depth "); n.Name == "viewport" &&
			depths != "0 to 1" {
			said += "; the viewport's depth goes from " + depths
		}
	}
	if closest > 0 && closest < 1e-5 {
		said += fmt.Sprintf("; they are only %.2g apart: the same surface?", closest)
	}
	return weightDepth, said, nil
}

// otherOp is the hint of a comparison that is the wrong way round; it promises nothing.
func (j *judge) otherOp(v *Event, d *DepthTest) []Hint {
	other, greater := strings.CutPrefix(d.Op, "GREATER")
	if rest, less := strings.CutPrefix(d.Op, "LESS"); less {
		other = "GREATER" + rest
	} else if greater {
		other = "LESS" + other
	} else {
		other = "LESS_OR_EQUAL" // of NEVER
	}
	return []Hint{j.hint(v, &Change{"depthCompareOp", "VK_COMPARE_OP_" + other}, "", false)}
}

// away is how far the two depths are from each other.
func (d *DepthTest) away() float64 {
	a, b := d.Fragment.numbers(), d.Stored.numbers()
	if len(a) != 1 || len(b) != 1 {
		return math.Inf(1)
	}
	return math.Abs(a[0] - b[0])
}

// than is the comparison with what is stored: "LESS than 0.5".
func (d *DepthTest) than() string {
	word := "to"
	switch d.Op {
	case "LESS", "GREATER":
		word = "than"
	case "NEVER", "ALWAYS":
		word = "with"
	}
	return fmt.Sprintf("%s %s %s", d.Op, word, d.Stored.Text)
}

// says is the test as it came out: "0.6 LESS than 1".
func (d *DepthTest) says() string { return d.Fragment.Text + " " + d.than() }

// depthWriter names the last draw up to an event that stored the depth which the test found; empty: none did. Events are
// looked at in order, and noteDepths has seen those before.
func (j *judge) depthWriter(event int, d *DepthTest) string {
	for i := range j.e.Events[event].Draw.Fragments {
		if o := j.e.Events[event].Draw.Fragments[i].Depth; o != nil && o.Written && o.Fragment.Text == d.Stored.Text {
			return "the same draw"
		}
	}
	if by, ok := j.depths[d.Stored.Text]; ok {
		return j.name(&j.e.Events[by])
	}
	return ""
}

// writerOp is the comparison of the draw before that stored the depth which the test found; empty:
// none did, or it does
// not test.
func (j *judge) writerOp(d *DepthTest) string {
	by, ok := j.depths[d.Stored.Text]
	if !ok {
		return ""
	}
	for _, f := range j.e.Events[by].Draw.Fragments {
		if f.Depth != nil && f.Depth.Written && f.Depth.Fragment.Text == d.Stored.Text {
			return f.Depth.Op
		}
	}
	return ""
}

// opposite says that one comparison keeps what is near, and the other what is far.
func opposite(a, b string) bool {
	less, greater := strings.HasPrefix(a, "LESS"), strings.HasPrefix(a, "GREATER")
	return less && strings.HasPrefix(b, "GREATER") || greater && strings.HasPrefix(b, "LESS")
}

// bias is what depth bias has added to the fragment's depth.
func (f *Fragment) bias() (bias float64) {
	for _, s := range f.Steps {
		if s.Rule == "RAS-256" {
			bias, _ = strconv.ParseFloat(strings.TrimPrefix(s.Text, "depth bias adds "), 64)
		}
	}
	return bias
}

// overdrawn tells where an opaque fragment went over one of an earlier draw that is nearer, and
// why: the one does not
// test, or the other wrote no depth.
func (j *judge) overdrawn(v *Event, f *Fragment) {
	if f.Blend == nil || f.Blend.Enabled {
		return
	}
	low, high := f.depths()
	for i := j.last - 1; i >= 0; i-- {
		b := &j.e.Events[i]
		if b.Kind != Draw || b.Outcome != Wrote || b.Draw == nil {
			continue
		}
		for k := range b.Draw.Fragments {
			g := &b.Draw.Fragments[k]
			if g.Outcome != Wrote || g.Depth == nil {
				continue
			}
			z := g.Depth.Fragment.numbers()
			nearer := len(z) == 1 && (strings.HasPrefix(g.Depth.Op, "LESS") && z[0] < low ||
				strings.HasPrefix(g.Depth.Op, "GREATER") && z[0] > high)
			switch {
			case !nearer:
			case f.Depth == nil || f.Depth.Op == "":
				j.add(weightOver,
					"%s does not test depth (depthTestEnable is VK_FALSE): it went over %s, which is nearer (%s)",
					j.name(v), j.name(b), g.Depth.Fragment.Text)
				return
			case !g.Depth.Written:
				j.add(weightOver,
					"%s wrote no depth (depthWriteEnable is VK_FALSE): %s went over it, "+
						"which is farther away (%s, and %s)",
					j.name(b), j.name(v), f.Depth.Fragment.Text, g.Depth.Fragment.Text)
				return
			}
		}
	}
}

// depths are the least and the largest depth that the fragment can have.
func (f *Fragment) depths() (low, high float64) {
	if f.Depth != nil && f.Depth.Op != "" {
		if z := f.Depth.Fragment.numbers(); len(z) == 1 {
			return z[0], z[0]
		}
	}
	low, high = math.Inf(1), math.Inf(-1)
	for i := range f.Primitive.Vertices {
		w := f.Primitive.Vertices[i].Window
		if w == nil { // cut away
			return math.Inf(-1), math.Inf(1)
		}
		low, high = min(low, w[2]), max(high, w[2])
	}
	return low, high
}

// noteDepths keeps which depths an event stored.
func (j *judge) noteDepths(event int) {
	if d := j.e.Events[event].Draw; d != nil {
		for i := range d.Fragments {
			if o := d.Fragments[i].Depth; o != nil && o.Written {
				j.depths[o.Fragment.Text] = event
			}
		}
	}
}

// reversed says what speaks for a comparison that is the wrong way round; empty: nothing does.
func reversed(d *DepthTest, list []*Fragment) string {
	less, greater := strings.HasPrefix(d.Op, "LESS"), strings.HasPrefix(d.Op, "GREATER")
	stored := d.Stored.numbers()
	switch far := farther(list); {
	case d.Op == "NEVER":
		return "depthCompareOp NEVER lets nothing through"
	case len(stored) != 1 || !less && !greater:
		return ""
	case !d.Pass && greater && stored[0] >= 1, !d.Pass && less && stored[0] <= 0:
		return fmt.Sprintf("is depthCompareOp %s reversed, or the depth that was cleared to %s?", d.Op, d.Stored.Text)
	case greater && far > 0, less && far < 0:
		return fmt.Sprintf("with distance (w) the depth %s here, so that %s keeps what is farther away: is depthCompareOp reversed?", map[int]string{1: "grows", -1: "shrinks"}[far], d.Op)
	}
	return ""
}

// farther is 1 where depth grows with the distance from the eye, which in perspective is w, -1 where it shrinks, and 0 where
// the vertices do not tell.
func farther(list []*Fragment) (sign int) {
	for _, f := range list {
		vertices := f.Primitive.Vertices
		for i := range vertices {
			a, b := &vertices[i], &vertices[(i+1)%len(vertices)]
			aw, aok := a.w()
			bw, bok := b.w()
			if !aok || !bok || math.Abs(aw-bw) <= 1e-6*max(aw, bw) || a.Window[2] == b.Window[2] {
				continue
			}
			s := -1
			if (aw < bw) == (a.Window[2] < b.Window[2]) {
				s = 1
			}
			if sign != 0 && s != sign {
				return 0
			}
			sign = s
		}
	}
	return sign
}

// w is the clip space w of a vertex that is in front of the eye.
func (v *Vertex) w() (float64, bool) {
	w, err := strconv.ParseFloat(v.Position[3].Text, 64)
	return w, err == nil && w > 0 && v.Window != nil
}

// inverted reports a draw that culls what nothing else stops, and what lies before what it draws at the sample: as an
// inverted frontFace or cullMode turns closed bodies inside out.
func (j *judge) inverted(event int) {
	v := &j.e.Events[event]
	if v.Draw == nil {
		return
	}
	culled, drawn := math.NaN(), math.NaN()
	away := false // the depth shrinks with distance
	for i := range v.Draw.Fragments {
		f := &v.Draw.Fragments[i]
		d, into := f.Depth, &drawn
		if len(f.Stopped) == 1 && f.Stopped[0].Rule == "RAS-235" {
			d, into = f.Stopped[0].Depth, &culled
		} else if f.Outcome != Wrote {
			continue
		}
		if d == nil {
			continue
		}
		if strings.HasPrefix(d.Op, "GREATER") {
			away = true
		}
		z := d.Fragment.numbers()
		if len(z) == 1 && (*into != *into || (z[0] < *into) != away) {
			*into = z[0]
		}
	}
	if culled != culled || drawn != drawn || culled == drawn || (culled < drawn) == away {
		return
	}
	hints := j.hintsOf(v, &Stop{Change: &Change{"cullMode", "VK_CULL_MODE_NONE"}}, false)
	j.findings = append(j.findings, finding{weightInverted, fmt.Sprintf(
		"%s culls what lies before what it draws (depth %.4g, and %.4g): is frontFace %s inverted, or cullMode %s?",
		j.name(v), culled, drawn, v.Draw.state("frontFace"), v.Draw.state("cullMode")), hints})
}
