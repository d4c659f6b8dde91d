package explain

import (
	"fmt"
	"strings"
)

// shader writes the source with the values that its lines had, or the instructions
// where no source is known.
func (t *text) shader(s *Shader) {
	title := fmt.Sprintf("%s shader %s", clean(s.Stage), clean(s.Name))
	if s.Invocation != "" {
		title += ", " + clean(s.Invocation)
	}
	t.heading(4, "%s", title)
	if s.Missing != "" {
		t.linef(6, "%s", clean(s.Missing))
		return
	}
	for i := range s.Images {
		t.image(&s.Images[i])
	}
	listed := false
	for _, src := range s.Sources {
		listed = t.source(s, src) || listed
	}
	var rows [][]string
	for _, in := range s.Steps {
		if listed && in.Line > 0 {
			continue
		}
		rows = append(rows, []string{clean(in.Text), clean(in.Name), t.value(in.Value) + t.stores(&in)})
	}
	t.table(6, rows)
	if list := s.Variables(len(s.Steps) - 1); listed && len(list) > 0 {
		t.heading(6, "variables where that ends")
		rows = nil
		for _, v := range list {
			rows = append(rows, []string{clean(v.Name), t.value(v.Value), t.bits(v.Value)})
		}
		t.table(8, rows)
	}
	if s.Dropped > 0 {
		t.linef(6, "%d more instructions were left out", s.Dropped)
	}
}

// stores is what an atomic operation left.
func (t *text) stores(in *Instruction) string {
	if in.Stores == (Value{}) {
		return ""
	}
	return ", leaves " + t.value(in.Stores)
}

// source writes the lines of a file that ran, and says whether there were any.
func (t *text) source(s *Shader, src Source) bool {
	values := map[int][]string{}
	for _, in := range s.Steps {
		if in.File == src.File && in.Line > 0 {
			name := in.Name
			if name == "" {
				name, _, _ = strings.Cut(strings.TrimSpace(in.Text), " ")
			}
			v := ""
			if in.Value != (Value{}) && !strings.HasPrefix(in.Value.Text, "pointer to ") {
				v = clean(name) + " = " + t.value(in.Value) + t.stores(&in)
			}
			values[in.Line] = append(values[in.Line], v)
			if a := in.Assigns; a != nil && a.Name != in.Name { // a part of it was written
				values[in.Line] = append(values[in.Line], clean(a.Name)+" = "+t.value(a.Value))
			}
		}
	}
	if len(values) == 0 {
		return false
	}
	t.linef(6, "%s", clean(src.File))
	for i, line := range strings.Split(src.Text, "\n") {
		ran, ok := values[i+1]
		mark := " "
		if ok {
			mark = "▸"
		}
		t.linef(6, "%s %4d  %s", mark, i+1, clean(strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    ")))
		for _, v := range ran {
			if v != "" {
				t.linef(15, "%s", v)
			}
		}
	}
	return true
}
