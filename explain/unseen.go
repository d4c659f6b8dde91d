package explain

import (
	"fmt"
	"strings"
)

// unseen reports draws of which no pixel of the whole picture can show anything: of several the
// first, and how many there are.
func (j *judge) unseen() {
	var first *Event
	draws := 0
	for i := range j.e.Events {
		v := &j.e.Events[i]
		if v.Draw == nil || v.Outcome != Missed || v.Draw.Primitives == 0 {
			continue
		}
		if what := v.Draw.thin(); what != "" && len(v.Draw.Fragments) == 0 {
			j.add(weightAside, "%s draws %s: none comes near the pixel", j.name(v), what)
		}
		left := v.Draw.Primitives
		for k := range v.Draw.Unseen {
			left -= v.Draw.Unseen[k].Primitives
		}
		if left > 0 || len(v.Draw.Fragments) > 0 { // which are told of
			continue
		}
		if draws++; first == nil {
			first = v
		}
	}
	switch draws {
	case 0:
	case 1:
		j.add(weightUnseen, "%s draws nothing anywhere: %s", j.name(first), first.Draw.unseen())
	default:
		j.add(weightUnseen, "%d draws draw nothing anywhere, such as %s: %s", draws, j.name(first),
			first.Draw.unseen())
	}
}

// thin says that what a draw draws has no area, and why; empty: it does.
func (d *Drawn) thin() string {
	for _, s := range d.State {
		switch v := s.Value.Text; {
		case s.Name == "topology" && (strings.HasPrefix(v, "LINE") || strings.HasPrefix(v, "POINT")):
			return strings.ToLower(v[:strings.IndexByte(v, '_')]) + "s (topology " + v + ")"
		case s.Name == "polygonMode" && v != "FILL" && short(v) != "FILL":
			return "outlines (polygonMode " + short(v) + ")"
		}
	}
	return ""
}

// unseen says where the primitives of a draw are that draws nothing anywhere, and of the first of
// them what made it so.
func (d *Drawn) unseen() string {
	var where []string
	for i := range d.Unseen {
		u := &d.Unseen[i]
		kind := [...]string{"primitive", "point", "line", "triangle"}[min(len(u.First.Vertices), 3)]
		what := fmt.Sprintf("its %d %ss are", u.Primitives, kind)
		if u.Primitives == 1 {
			what = fmt.Sprintf("its %s is", kind)
		}
		if len(d.Unseen) > 1 {
			what = fmt.Sprintf("%d of its %d primitives are", u.Primitives, d.Primitives)
		}
		if i > 0 {
			what = fmt.Sprint(u.Primitives)
		}
		where = append(where, what+" "+u.Where)
	}
	u := &d.Unseen[0]
	return strings.Join(where, ", ") + u.because(d)
}

// because is what tells why the first of unseen primitives is where it is: that all of its vertices
// are given zeros,
// the viewport, or its vertices' positions.
func (u *Unseen) because(d *Drawn) string {
	list := u.First.Vertices
	if len(list) == 0 {
		return ""
	}
	said := ""
	if strings.HasSuffix(u.Where, "render area") {
		for _, s := range d.State {
			if s.Name == "viewport" {
				said = fmt.Sprintf("; the viewport is %s", s.Value.Text)
			}
		}
		var x, y, w, h float64
		if n, _ := fmt.Sscanf(said, "; the viewport is %g, %g, %g, %g", &x, &y, &w, &h); n == 4 && h < 0 &&
			y <= 0 {
			said += fmt.Sprintf(": its height is negative, so that y is its lower edge: should y be %g?", -h)
		}
		return said
	}
	given, index := 0, list[0].Index
	low, high := index, index
	for i := range list {
		low, high = min(low, list[i].Index), max(high, list[i].Index)
		for _, in := range list[i].Inputs {
			if !strings.HasPrefix(in.Name, "gl_") {
				given++
				if n := in.Value.numbers(); !zero(n) || len(n) == 0 {
					given = -1 << 30
				}
			}
		}
	}
	if given > 0 {
		said = fmt.Sprintf("; vertices %d to %d of the first are given zeros alone: are they beyond their buffer?", low, high)
		if low == high {
			said = fmt.Sprintf("; vertex %d of the first is given zeros alone: is it beyond its buffer?",
				low)
		}
	}
	if u.Where == "without area" {
		var which, at []string
		for i := range list {
			which, at = append(which, fmt.Sprint(list[i].Index)), append(at, list[i].at())
		}
		return fmt.Sprintf(", such as of vertices %s at %s%s", strings.Join(which, ", "),
			strings.Join(at, ", "), said)
	}
	which := "a vertex"
	if index >= 0 {
		which = fmt.Sprintf("vertex %d", index)
	}
	return fmt.Sprintf(", such as %s at %s%s", which, list[0].at(), said)
}

// at is the position of a vertex as the shader left it.
func (v *Vertex) at() string {
	var c []string
	for _, x := range v.Position {
		c = append(c, x.brief())
	}
	return "(" + strings.Join(c, ", ") + ")"
}
