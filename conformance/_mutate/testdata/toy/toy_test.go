package toy

import (
	"fmt"
	"testing"
)

func TestClamp(t *testing.T) {
	for _, c := range [][2]int{{-1, 0}, {0, 0}, {5, 5}, {9, 9}, {10, 9}} {
		if got := Clamp(c[0], 0, 9); got != c[1] {
			t.Errorf("Clamp(%d) = %d", c[0], got)
		}
	}
}

func TestSum(t *testing.T) {
	if Sum(4) != 10 {
		t.Error("1 + 2 + 3 + 4")
	}
}

func TestLoose(t *testing.T) { Loose(2) }

func TestZoo(t *testing.T) {
	p := 8
	out, err := Zoo(13, 6, 2, &p)
	got := fmt.Sprint(out, err, p)
	if want := "[19 7 78 4 1 4 15 11 9 52 6 64 -13 -14 44 1 0 -8 2 1 5 5] <nil> 18"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
