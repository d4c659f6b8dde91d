package shader

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever the words of a source are, looking for overrides ends, and what is written in their place has the source's lines.
func TestOverrides_OfAnyWords(t *testing.T) {
	words := []string{"override", "N", "M", ":", "=", ";", "u32", "{", "}", "(", ")", "[", "]", "@", "id", "workgroup_size", ",", "fn", "struct", "1", "\n", " ", "//", "/*", "*/", "é", "array", "<", ">", "\xff"}
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(40) {
			b.WriteString(words[r.IntN(len(words))])
			if r.IntN(3) > 0 {
				b.WriteByte(' ')
			}
		}
		source := b.String()
		m := wgslOverrides(source)
		if m == nil {
			continue
		}
		m.resolve(func(string) bool { return true })
		_ = m.give(&Options{Constants: map[string]float64{"N": 3}})
		m.number()
		for _, variables := range []bool{false, true} {
			text, edits := m.write(variables)
			if strings.Count(text, "\n") != strings.Count(source, "\n") {
				t.Fatalf("%q became %q", source, text)
			}
			found++
			d := Diagnostic{Line: 1 + r.IntN(3), Column: 1 + r.IntN(50)}
			m.back(&d, text, edits)
			if d.Line < 1 || d.Column < 1 {
				t.Fatalf("%q: a place at %d:%d", source, d.Line, d.Column)
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d sources had overrides", found)
	}
}

// What stands behind what was changed is moved back by as much, on its line and after it.
func TestOverrides_PlacesGoBack(t *testing.T) {
	source := "@id(1) override N: u32 = 4; x\n y override M = 1; ü z\nw"
	m := wgslOverrides(source)
	if !m.resolve(func(string) bool { return true }) {
		t.Fatal("no types")
	}
	if err := m.give(&Options{Constants: map[string]float64{"N": 123456}}); err != nil {
		t.Fatal(err)
	}
	text, edits := m.write(false)
	for _, word := range []string{"x", " y", "z", "w", "N", "M"} {
		at, want := strings.Index(text, word), Diagnostic{}
		want.put(source, strings.Index(source, word), strings.Index(source, word))
		d := Diagnostic{}
		d.put(text, at, at)
		if m.back(&d, text, edits); d.Line != want.Line || d.Column != want.Column {
			t.Errorf("%s of %q: %d:%d, want %d:%d", word, text, d.Line, d.Column, want.Line, want.Column)
		}
	}
}
