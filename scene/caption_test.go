package scene

import "testing"

func TestCaption_NumbersAndTitles(t *testing.T) {
	s := Scene{Title: "Fragments", Text: "What there is\nto see\x1b[2J.", Rules: []string{"RAS-002", "RAS-0", "a\x07"}}
	const want = "Fragments\nWhat there is to see [2J.\n  RAS-002 Snapping of positions to subpixels\n  RAS-0\n  a \n"
	if got := s.Caption(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
