package explain

import (
	"slices"
	"strings"
)

// Writer is the last event that left the wanted value in the sample, or the last that wrote it where
// none did or wanted is nil; nil: nothing wrote it. fragment is the one of a draw that did so.
func (e *Explanation) Writer(wanted *Value) (event *Event, fragment *Fragment) {
	for i := len(e.Events) - 1; i >= 0; i-- {
		v := &e.Events[i]
		if v.Outcome != Wrote {
			continue
		}
		if event == nil {
			event = v
		}
		if wanted != nil && v.After.readAs(wanted.Text) {
			event = v
			break
		}
		if wanted == nil {
			break
		}
	}
	if event == nil || event.Draw == nil {
		return event, nil
	}
	for k := range event.Draw.Fragments {
		if f := &event.Draw.Fragments[k]; f.Outcome == Wrote {
			fragment = f
		}
	}
	return event, fragment
}

// Wrote says that a command gave the sample a value that is read as this one.
func (e *Explanation) Wrote(v *Value) bool {
	return slices.ContainsFunc(e.Events, func(x Event) bool {
		return x.Outcome == Wrote && x.After.readAs(v.Text)
	})
}

// Began says that the sample is read as this value before all events.
func (e *Explanation) Began(v *Value) bool { return e.Before.readAs(v.Text) }

// readAs says that an image instruction reads a value as this text: what an image has no component
// for is 0, 0 and 1, and of depth and stencil it reads the depth.
func (v Value) readAs(text string) bool {
	own, _, _ := strings.Cut(v.Text, " · ")
	rest, ok := strings.CutPrefix(text, own)
	return ok && strings.HasSuffix(", 0, 0, 1", rest) && (rest == "" || strings.HasPrefix(rest, ", ") &&
		strings.Count(text, ", ") == 3)
}

// Reads are the image instructions whose results the shader made its output of, in the order in
// which they were run; where that is not known, all that it ran. They point into Images.
func (f *Fragment) Reads() (list []*Image) {
	if f == nil {
		return nil
	}
	if w := flowOf(f); w != nil && f.Blend != nil {
		if at := w.output(f.Blend.Source); at >= 0 {
			for _, from := range w.sources(at) {
				if m := w.image(from); m != nil && !slices.Contains(list, m) {
					list = append(list, m)
				}
			}
			return list
		}
	}
	for i := range f.Images {
		list = append(list, &f.Images[i])
	}
	return list
}

// Source is the texel that counts most for the instruction, and its value; nil: it read none of an
// image.
func (m *Image) Source() (*Target, *Value) {
	if m.Of == nil || len(m.Texels) == 0 {
		return nil, nil
	}
	most := &m.Texels[0]
	for i := range m.Texels {
		if x := &m.Texels[i]; x.Weight > most.Weight {
			most = x
		}
	}
	t := *m.Of
	t.Width, t.Height = max(t.Width>>most.Level, 1), max(t.Height>>most.Level, 1)
	t.X, t.Y, t.Level, t.Layer, t.Sample = most.X, most.Y, most.Level, most.Layer+most.Z, most.Sample
	return &t, &most.Value
}

// Brief is the instruction with its coordinates: "texture(albedo) at 0.25, 0.5".
func (m *Image) Brief() string {
	if c := m.coordinates(); c != "" {
		return m.Instruction + " at " + c
	}
	return m.Instruction
}
