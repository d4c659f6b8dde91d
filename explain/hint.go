package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Change is one piece of a draw's state that could be otherwise.
type Change struct {
	// State is Vulkan's name of it ("cullMode"), Value what it would be ("VK_CULL_MODE_NONE",
	// "VK_FALSE"; of a scissor x, y, width and height; of a write mask "RGBA").
	State string `json:"state"`
	Value string `json:"value"`
}

// Stop is something that keeps a primitive from being written to the sample.
type Stop struct {
	Step
	// Depth is the depth test as it came out, or would have; of the first of a fragment also where it
	// passes.
	Depth *DepthTest `json:"depth,omitempty"`
	// Change takes the stop away; nil: no state of the draw does, as Cannot says.
	Change *Change `json:"change,omitempty"`
	Cannot string  `json:"cannot,omitempty"`
	// Perhaps: it is not known whether it stops the primitive: a shader that did not run decides.
	Perhaps bool `json:"perhaps,omitempty"`
}

// Hint is a change that a verdict speaks of. pumice.Watcher.Change tries it.
type Hint struct {
	// Ordinal and Where are those of the event of the draw.
	Ordinal int    `json:"ordinal"`
	Where   string `json:"where"`
	// Change is nil where the cause is no state of a draw, as Cannot says.
	Change *Change `json:"change,omitempty"`
	Cannot string  `json:"cannot,omitempty"`
	// Writes is a promise: with the change the draw writes the sample.
	Writes bool `json:"writes,omitempty"`
	// Says is the hint as a sentence.
	Says string `json:"says"`
	// Tried is what came of it; nil: nobody has tried.
	Tried *Tried `json:"tried,omitempty"`
}

// Tried is what the change of a hint has made of the sample.
type Tried struct {
	After Value `json:"after"`
	// Wrote says whether the draw of the hint writes the sample now; Shows are other draws that do and
	// did not before, Gone those that did and do not now.
	Wrote bool     `json:"wrote"`
	Shows []string `json:"shows,omitempty"`
	Gone  []string `json:"gone,omitempty"`
	// Says is this as a sentence: "draw 3 without culling: it becomes 1, 0, 0, 1 (#ff0000ff); draw 4
	// no longer writes it".
	Says string `json:"says"`
}

// short is a value of an enum without its type's name.
func short(value string) string {
	for _, enum := range []string{"VK_CULL_MODE_", "VK_FRONT_FACE_", "VK_COMPARE_OP_", "VK_POLYGON_MODE_"} {
		value = strings.TrimPrefix(value, enum)
	}
	return strings.TrimSuffix(value, "_BIT")
}

// String is the change in words: "without culling", "with depthCompareOp GREATER".
func (c Change) String() string {
	switch {
	case c.Value == "VK_FALSE": // "depthTestEnable"
		words := []byte("without the ")
		for i := range len(strings.TrimSuffix(c.State, "Enable")) {
			b := c.State[i]
			if b < 'a' {
				words, b = append(words, ' '), b+'a'-'A'
			}
			words = append(words, b)
		}
		return string(words)
	case c.Value == "VK_CULL_MODE_NONE":
		return "without culling"
	case c.State == "scissor":
		return "with a scissor rectangle that has the pixel (" + c.Value + ")"
	case c.State == "blendFactor":
		return "with the blend factors swapped"
	}
	return fmt.Sprintf("with %s %s", c.State, short(c.Value))
}

// Try fills in what came of a hint: before and after are explanations of the sample without and
// with its change.
func (h *Hint) Try(before, after *Explanation) {
	t := &Tried{After: after.After}
	missing := func(of, in *Explanation) (list []string) {
		for i := range of.Events {
			v := &of.Events[i]
			if v.Ordinal != h.Ordinal && v.draws() && !slices.ContainsFunc(in.Events, func(o Event) bool {
				return o.Ordinal == v.Ordinal && o.draws()
			}) {
				list = append(list, v.Where)
			}
		}
		return list
	}
	t.Shows, t.Gone = missing(after, before), missing(before, after)
	for i := range after.Events {
		v := &after.Events[i]
		t.Wrote = t.Wrote || v.Ordinal == h.Ordinal && v.draws()
	}
	t.Says = h.says(t, before.After)
	h.Tried = t
}

// says is what came of a hint, in words, of a sample that held a value before.
func (h *Hint) says(t *Tried, was Value) string {
	said := "becomes"
	if t.After == was {
		said = "stays"
	}
	value := cmp.Or(t.After.Text, t.After.Bits, "–")
	said = fmt.Sprintf("%s %s: it %s %s", h.Where, h.Change, said, value)
	if c := t.After.Color; c != "" {
		said += " (" + c + ")"
	}
	for _, name := range t.Shows {
		said += "; " + name + " writes it now"
	}
	for _, name := range t.Gone {
		said += "; " + name + " no longer writes it"
	}
	return said
}

// Try tries all hints of explanations of one picture: draw draws it once more with the change of a
// hint, and explains the same samples, in the same order. It is called once for each change,
// however many hints speak of it. Hints without a change stay as they are.
func Try(es []*Explanation, draw func(*Hint) ([]*Explanation, error)) error {
	type change struct {
		ordinal int
		Change
	}
	drawn := map[change][]*Explanation{}
	for i, e := range es {
		for k := range e.Hints {
			h := &e.Hints[k]
			if h.Change == nil {
				continue
			}
			key := change{h.Ordinal, *h.Change}
			again, ok := drawn[key]
			if !ok {
				var err error
				if again, err = draw(h); err != nil {
					return err
				}
				drawn[key] = again
			}
			if i < len(again) && again[i].Target == e.Target {
				h.Try(e, again[i])
			}
		}
	}
	return nil
}

func (v *Event) draws() bool { return v.Kind == Draw && v.Outcome == Wrote }
