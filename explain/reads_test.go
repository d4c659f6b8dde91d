package explain

import "testing"

// What left the value that was read is found by the value, as image instructions read it of images
// with fewer components.
func TestWriter_OfTheValueThatWasRead(t *testing.T) {
	for _, c := range []struct {
		held, read string
		same       bool
	}{
		{"0.25", "0.25, 0, 0, 1", true},
		{"0.25 · stencil 3", "0.25, 0, 0, 1", true},
		{"0.5, 0.25", "0.5, 0.25, 0, 1", true},
		{"1, 2, 3", "1, 2, 3, 1", true},
		{"1, 2, 3, 4", "1, 2, 3, 4", true},
		{"0.25", "0.25", true},
		{"0.25", "0.25, 1", false},
		{"0.25", "0.255, 0, 0, 1", false},
		{"0.2", "0.25, 0, 0, 1", false},
		{"0, 0", "0, 0, 1", false},
		{"1, 2, 3", "1, 2, 4, 1", false},
	} {
		e := Explanation{Events: []Event{
			{Where: "first", Outcome: Wrote, After: Value{Text: c.held}},
			{Where: "last", Outcome: Wrote, After: Value{Text: "0.75"}},
		}}
		w, _ := e.Writer(&Value{Text: c.read})
		if got := w.Where == "first"; got != c.same {
			t.Errorf("%q read as %q: %v", c.held, c.read, got)
		}
	}
}
