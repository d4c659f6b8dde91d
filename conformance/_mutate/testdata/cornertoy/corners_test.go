package cornertoy

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func TestTables(t *testing.T) {
	if got := fmt.Sprint(Bits(red), Bits(green), Bits(grey), Width(red), Prime(1)); got != "5 6 0 8 3" {
		t.Error(got)
	}
}

func TestName(t *testing.T) {
	rules.Covers(t, "IMG-001")
	if Name(red)+Name(green) != "rgb" {
		t.Error("r, gb")
	}
	Name(blue)
}

func TestWide(t *testing.T) {
	for _, c := range []struct {
		m    image
		want bool
	}{{image{samples: 8}, true}, {image{samples: 1}, false}, {image{samples: 4, next: &image{samples: 2}}, true}, {image{samples: 8, filter: 2}, false}} {
		if got := c.m.Wide(); got != c.want {
			t.Errorf("%+v: %v", c.m, got)
		}
	}
	for _, m := range []image{{next: &image{}}, {filter: 1}, {filter: 2}} {
		if deep, f := m.Deep(); deep != (m.next != nil) || f != m.filter {
			t.Error("deep")
		}
	}
	m := image{list: []int{3}}
	if !m.At(0) || m.At(1) {
		t.Error("3, and nothing behind it")
	}
}

func TestSum(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-003")
	if got := Sum([]int{1, 2}, 2); got != 3+100+30000+3000000+200000000-4 {
		t.Error(got)
	}
	var out [4]int
	if Fill(&out); out != [4]int{1, 2, 3, 4} {
		t.Error(out)
	}
}

func TestNumbers(t *testing.T) {
	rules.Covers(t, "IMG-004")
	nan := float32(math.NaN())
	up := math.Nextafter32
	if Clamp(2) != 1 || Clamp(-2) != 0 || Clamp(0.3) != 0.3 {
		t.Error("0 to 1")
	}
	if Above(0.5) || !Above(up(0.5, 1)) || Above(nan) {
		t.Error("above 0.5")
	}
	if Less(1, 2) != true || Less(2, 1) || Less(1, 1) {
		t.Error("less")
	}
	if !Some(2) || Some(0) {
		t.Error("some")
	}
	a, b, c, d := Round(2.5, 12)
	if got := fmt.Sprint(a, b, c, d); got != "2 2 3 2" {
		t.Error(got)
	}
	if !math.Signbit(float64(Minus(0))) || Smaller(1, 2) != 1 || math.Float32bits(Real(1<<31)) != 1<<31 {
		t.Error("-0, 1, -0")
	}
}

func TestProgram(t *testing.T) {
	if got := fmt.Sprint(Program(-1, 2)); got != "[1 -1 2 -1 0 0]" {
		t.Error(got)
	}
	if got := fmt.Sprint(Program(math.NaN(), 2)[0]); got != "0" {
		t.Error(got)
	}
}
