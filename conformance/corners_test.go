package conformance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/scene"
)

// drawn runs a scene and returns its samples.
func drawn(t *testing.T, dev *pumice.Device, text string) (*scene.Scene, []scene.Sample) {
	t.Helper()
	s, err := scene.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := s.Run(t.Context(), dev)
	if err != nil {
		t.Fatal(err)
	}
	return s, samples
}

// map1 draws with one sample and compares a map of rows: '.' is nothing, a digit
// the draw.
func map1(t *testing.T, dev *pumice.Device, text, want string) {
	t.Helper()
	s, samples := drawn(t, dev, text)
	var rows []string
	for y := range s.Size[1] {
		row := ""
		for _, p := range samples[y*s.Size[0] : (y+1)*s.Size[0]] {
			row += string(".123456789"[p.Draw])
		}
		rows = append(rows, row)
	}
	if diff := cmp.Diff(strings.Fields(want), rows); diff != "" {
		t.Errorf("%s\n(-want +got):\n%s", text, diff)
	}
}

// masks returns the coverage of each pixel by a draw.
func masks(t *testing.T, dev *pumice.Device, text string, draw uint32) []uint32 {
	t.Helper()
	s, samples := drawn(t, dev, text)
	out := make([]uint32, s.Size[0]*s.Size[1])
	for i, p := range samples {
		if p.Draw == draw {
			out[i/s.Samples] |= 1 << (i % s.Samples)
		}
	}
	return out
}

func line(width, height int, mode string, more string, vertices string) string {
	return fmt.Sprintf(`{"size": [%d, %d], "draws": [{"topology": "line_list", "lineMode": %q, "vertices": %s%s}]}`, width, height, mode, vertices, more)
}

// The computed corner cases of the catalogue's section 24, drawn through the
// whole engine.
func TestCorners_Polygons(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	t.Run("a square's halves", func(t *testing.T) {
		rules.Covers(t, "RC-01", "RAS-237", "RAS-239", "RAS-240")
		map1(t, dev, `{"size": [2, 2], "draws": [{"vertices": [[0,0],[2,0],[0,2]]}, {"vertices": [[2,0],[2,2],[0,2]]}]}`, "12 22")
	})
	t.Run("vertices on centres", func(t *testing.T) {
		rules.Covers(t, "RC-02", "RAS-239")
		map1(t, dev, `{"size": [3, 3], "draws": [{"vertices": [[0.5,0.5],[2.5,0.5],[0.5,2.5]]}, {"vertices": [[2.5,0.5],[2.5,2.5],[0.5,2.5]]}]}`, "11. 12. ...")
	})
	t.Run("a pixel's halves", func(t *testing.T) {
		rules.Covers(t, "RC-03", "RAS-239")
		map1(t, dev, `{"size": [2, 2], "draws": [{"vertices": [[0.5,0.5],[1.5,0.5],[1.5,1.5]]}, {"vertices": [[0.5,0.5],[1.5,1.5],[0.5,1.5]]}]}`, "1. ..")
	})
	t.Run("a fan around a sample", func(t *testing.T) {
		rules.Covers(t, "RC-04", "RAS-106", "RAS-239")
		const fan = `{"size": [1, 1], "samples": 4, "draws": [{"vertices": [[0,0],[1,0],[0.375,0.125], [1,0],[1,1],[0.375,0.125], [1,1],[0,1],[0.375,0.125], [0,1],[0,0],[0.375,0.125]]}]}`
		_, samples := drawn(t, dev, fan)
		for i, want := range []uint32{1, 1, 3, 2} {
			if samples[i].Draw != 1 || samples[i].Primitive != want {
				t.Errorf("sample %d: %+v, want triangle %d", i, samples[i], want)
			}
		}
	})
	t.Run("quads that meet on a sample", func(t *testing.T) {
		rules.Covers(t, "RC-05", "RAS-107")
		const quads = `{"size": [2, 1], "samples": 16, "draws": [{"topology": "triangle_strip", "vertices": [[0,0],[1,0],[0,1],[1,1]]}, {"topology": "triangle_strip", "vertices": [[1,0],[2,0],[1,1],[2,1]]}]}`
		for draw, want := range map[uint32]uint32{1: 0, 2: 0xFFFF} {
			if got := masks(t, dev, quads, draw)[1]; got != want {
				t.Errorf("draw %d covers %#x, want %#x", draw, got, want)
			}
		}
	})
	t.Run("half planes", func(t *testing.T) {
		rules.Covers(t, "RC-06", "RAS-105", "RAS-106", "RAS-114")
		for samples, want := range map[int]uint32{2: 0x2, 4: 0x5, 8: 0x3A, 16: 0x9D16} {
			text := fmt.Sprintf(`{"size": [1, 1], "samples": %d, "draws": [{"topology": "triangle_strip", "vertices": [[-4,-4],[0.5,-4],[-4,5],[0.5,5]]}]}`, samples)
			if got := masks(t, dev, text, 1)[0]; got != want {
				t.Errorf("%d samples: %#x, want %#x", samples, got, want)
			}
		}
	})
	t.Run("orders of vertices", func(t *testing.T) {
		rules.Covers(t, "RC-07", "RAS-233", "RAS-234", "RAS-235", "RAS-243")
		v := [3]string{"[0.7,0.2]", "[6.1,2.4]", "[2.3,6.8]"}
		var first []uint32
		for k, o := range [][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}} {
			text := fmt.Sprintf(`{"size": [8, 8], "draws": [{"vertices": [%s,%s,%s]%%s}]}`, v[o[0]], v[o[1]], v[o[2]])
			got := masks(t, dev, fmt.Sprintf(text, ""), 1)
			if k == 0 {
				first = got
			}
			if !slices.Equal(got, first) {
				t.Errorf("order %v covers other pixels", o)
			}
			culled := !slices.Contains(masks(t, dev, fmt.Sprintf(text, `, "cullMode": "back"`), 1), 1)
			if want := k < 3; culled != want { // clockwise on the screen: a back face
				t.Errorf("order %v: culled %v, want %v", o, culled, want)
			}
		}
	})
	t.Run("vertices in a line", func(t *testing.T) {
		rules.Covers(t, "RC-08", "RAS-241", "RAS-235")
		const text = `{"size": [6, 6], "draws": [{"vertices": [[1,1],[3,3],[5,5]]%s}]}`
		empty := strings.Repeat("...... ", 6)
		map1(t, dev, fmt.Sprintf(text, ""), empty)
		map1(t, dev, fmt.Sprintf(text, `, "polygonMode": "line", "cullMode": "back"`), empty)
		if got := masks(t, dev, fmt.Sprintf(text, `, "polygonMode": "line"`), 1); !slices.Contains(got, 1) {
			t.Error("polygon mode LINE draws no edge")
		}
	})
	t.Run("between the samples", func(t *testing.T) {
		rules.Covers(t, "RC-09", "RAS-097")
		map1(t, dev, `{"size": [4, 2], "draws": [{"vertices": [[0,0.6],[4,0.7],[0,0.9]]}]}`, ".... ....")
	})
	t.Run("a vertex behind the eye", func(t *testing.T) {
		rules.Covers(t, "RC-10", "RAS-081")
		map1(t, dev, `{"size": [8, 8], "draws": [{"vertices": [[2,6],[6,6],[4,4,0,-1]]}]}`,
			"........ ........ ........ ........ ........ ........ .11111.. 1111111.")
	})
	t.Run("all behind the eye", func(t *testing.T) {
		rules.Covers(t, "RC-12", "RAS-081")
		map1(t, dev, `{"size": [2, 2], "draws": [{"vertices": [[0,0,0,-1],[4,0,0,-1],[0,4,0,-2]]}]}`, ".. ..")
	})
	t.Run("an edge on the near plane", func(t *testing.T) {
		rules.Covers(t, "RC-13", "RAS-079", "RAS-075")
		const text = `{"size": [2, 2], "draws": [{"vertices": [[0,0,0],[4,0,0],[0,4,%s]]}]}`
		map1(t, dev, fmt.Sprintf(text, "-1"), ".. ..")
		map1(t, dev, fmt.Sprintf(text, "0"), "11 11")
	})
	t.Run("through the near plane", func(t *testing.T) {
		rules.Covers(t, "RC-14", "RAS-076", "RAS-079")
		const text = `{"size": [8, 8], "draws": [{"vertices": [[0,0,-0.5],[16,0,-0.5],[0,16,1.5]]%s}]}`
		none, all := "........ ", "11111111 "
		map1(t, dev, fmt.Sprintf(text, ""), strings.Repeat(none, 4)+strings.Repeat(all, 4))
		map1(t, dev, fmt.Sprintf(text, `, "depthClamp": true`), strings.Repeat(all, 8))
	})
	t.Run("far outside", func(t *testing.T) {
		rules.Covers(t, "RC-16", "RAS-003", "RAS-080", "RAS-081")
		map1(t, dev, `{"size": [4, 4], "draws": [{"vertices": [[0,0],[2000008,0],[0,2000008]]}]}`, "1111 1111 1111 1111")
	})
	t.Run("overestimation", func(t *testing.T) {
		rules.Covers(t, "RC-46", "RAS-268", "RAS-270")
		map1(t, dev, `{"size": [4, 4], "draws": [{"conservative": "overestimate", "vertices": [[1,1],[2,1],[1,2]]}]}`, "111. 111. 11.. ....")
	})
	t.Run("overestimation of nothing", func(t *testing.T) {
		rules.Covers(t, "RC-47", "RAS-271")
		const text = `{"size": [4, 2], "draws": [{"conservative": "overestimate", "vertices": [[0.5,0.5],[2.5,0.5],[0.5,0.5]]%s}]}`
		map1(t, dev, fmt.Sprintf(text, ""), "111. ....")
		map1(t, dev, fmt.Sprintf(text, `, "cullMode": "back"`), ".... ....")
	})
	t.Run("underestimation", func(t *testing.T) {
		rules.Covers(t, "RC-48", "RAS-275")
		// Pixels that touch an edge from inside are not covered fully (to the tests of
		// Khronos): a triangle a 64th of a pixel larger has those of the catalogue.
		map1(t, dev, `{"size": [4, 4], "draws": [{"conservative": "underestimate", "vertices": [[0,0],[4,0],[0,4]]}]}`, ".... .... .... ....")
		map1(t, dev, `{"size": [4, 4], "draws": [{"conservative": "underestimate", "vertices": [[-0.015625,-0.015625],[4.046875,-0.015625],[-0.015625,4.046875]]}]}`, "111. 11.. 1... ....")
	})
	t.Run("fragments over the edge", func(t *testing.T) {
		rules.Covers(t, "RC-49", "RAS-098", "RAS-150")
		s, samples := drawn(t, dev, `{"size": [5, 5], "draws": [{"rate": [2, 2], "vertices": [[0,0],[20,0],[0,20]]}]}`)
		for i, p := range samples {
			x, y := i%s.Size[0], i/s.Size[0]
			if p.Draw != 1 || p.X != float32(x&^1+1) || p.Y != float32(y&^1+1) {
				t.Errorf("pixel %d, %d: %+v", x, y, p)
			}
		}
	})
	t.Run("FILL_RECTANGLE", func(t *testing.T) {
		rules.Covers(t, "RC-59", "RAS-088", "RAS-254")
		const text = `{"size": [4, 5], "draws": [{"polygonMode": "fill_rectangle", "vertices": [[1,1],[3,1],[1,4,%s]]}]}`
		map1(t, dev, fmt.Sprintf(text, "0"), ".... .11. .11. .11. ....")
		map1(t, dev, fmt.Sprintf(text, "-1"), ".... .... .... .... ....")
	})
}

func TestCorners_LinesAndPoints(t *testing.T) {
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	t.Run("strict lines", func(t *testing.T) {
		rules.Covers(t, "RC-24", "RAS-199", "RAS-200", "RAS-201")
		map1(t, dev, line(6, 2, "rectangular", "", "[[0.5,0.5],[4.5,0.5]]"), "1111.. ......")
		map1(t, dev, line(6, 2, "rectangular", "", "[[4.5,0.5],[0.5,0.5]]"), "1111.. ......")
	})
	t.Run("strict lines on the grid", func(t *testing.T) {
		rules.Covers(t, "RC-25", "RAS-200")
		map1(t, dev, line(5, 2, "rectangular", "", "[[0,1],[4,1]]"), "1111. .....")
		map1(t, dev, line(2, 5, "rectangular", "", "[[1,0],[1,4]]"), "1. 1. 1. 1. ..")
	})
	t.Run("a slope of one half", func(t *testing.T) {
		rules.Covers(t, "RC-26", "RAS-200", "RAS-211")
		map1(t, dev, line(4, 2, "rectangular", "", "[[0,0],[3,1.5]]"), "11.. ..1.")
		map1(t, dev, line(4, 2, "bresenham", "", "[[0,0],[3,1.5]]"), "11.. ....")
	})
	t.Run("a strict line of two pixels", func(t *testing.T) {
		rules.Covers(t, "RC-27", "RAS-200", "RAS-202")
		map1(t, dev, line(5, 4, "rectangular", `, "lineWidth": 2`, "[[1,2],[4,2]]"), "..... .111. .111. .....")
	})
	t.Run("Bresenham's ends", func(t *testing.T) {
		rules.Covers(t, "RC-28", "RAS-210", "RAS-211")
		map1(t, dev, line(6, 1, "bresenham", "", "[[0.5,0.5],[4.5,0.5]]"), "1111..")
		map1(t, dev, line(6, 1, "bresenham", "", "[[4.5,0.5],[0.5,0.5]]"), ".1111.")
	})
	t.Run("Bresenham's diagonals", func(t *testing.T) {
		rules.Covers(t, "RC-29", "RAS-209", "RAS-213")
		map1(t, dev, line(4, 4, "bresenham", "", "[[0.5,0.5],[3.5,3.5]]"), "1... .1.. ..1. ....")
		map1(t, dev, line(4, 4, "bresenham", "", "[[0,3],[3,0]]"), "..1. .1.. 1... ....")
	})
	t.Run("Bresenham on the grid", func(t *testing.T) {
		rules.Covers(t, "RC-30", "RAS-212", "RAS-214")
		map1(t, dev, line(5, 2, "bresenham", "", "[[0,1],[4,1]]"), "1111. .....")
		map1(t, dev, line(2, 5, "bresenham", "", "[[1,0],[1,4]]"), "1. 1. 1. 1. ..")
	})
	t.Run("from diamond corner to diamond corner", func(t *testing.T) {
		rules.Covers(t, "RC-31", "RAS-212")
		map1(t, dev, line(3, 1, "bresenham", "", "[[1,0.5],[2,0.5]]"), "1..")
	})
	t.Run("inside of a diamond", func(t *testing.T) {
		rules.Covers(t, "RC-32", "RAS-211")
		map1(t, dev, line(3, 1, "bresenham", "", "[[0.5,0.5],[1,0.5]]"), "...")
		map1(t, dev, line(3, 1, "bresenham", "", "[[0.5,0.5],[1.00390625,0.5]]"), "1..")
		map1(t, dev, line(3, 1, "bresenham", "", "[[0.25,0.25],[0.75,0.75]]"), "...")
	})
	t.Run("a joint", func(t *testing.T) {
		rules.Covers(t, "RC-33", "RAS-211", "RAS-216")
		_, samples := drawn(t, dev, `{"size": [5, 2], "draws": [{"topology": "line_strip", "lineMode": "bresenham", "vertices": [[0.5,0.5],[2.5,1.5],[4.5,0.5]]}]}`)
		got := ""
		for _, p := range samples {
			got += string(".12"[min(p.Draw, 1)*(p.Primitive+1)])
		}
		if want := "1..2." + ".12.."; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		map1(t, dev, line(5, 2, "bresenham", "", "[[2.5,1.5],[0.5,0.5]]"), "..... .11..")
	})
	t.Run("the figure of the specification", func(t *testing.T) {
		rules.Covers(t, "RC-34", "RAS-211")
		map1(t, dev, line(5, 4, "bresenham", "", "[[0.288,3.431],[4.466,0.186]]"), "...1. ..1.. .1... 1....")
	})
	t.Run("wide Bresenham", func(t *testing.T) {
		rules.Covers(t, "RC-35", "RAS-217")
		map1(t, dev, line(4, 4, "bresenham", `, "lineWidth": 2`, "[[0.5,1.5],[2.5,1.5]]"), "11.. 11.. .... ....")
		map1(t, dev, line(4, 4, "bresenham", `, "lineWidth": 3`, "[[0.5,1.5],[2.5,1.5]]"), "11.. 11.. 11.. ....")
		map1(t, dev, line(4, 4, "bresenham", `, "lineWidth": 2`, "[[1.5,0.5],[1.5,2.5]]"), "11.. 11.. .... ....")
	})
	t.Run("widths are rounded", func(t *testing.T) {
		rules.Covers(t, "RC-36", "RAS-193", "RAS-217")
		map1(t, dev, line(4, 4, "bresenham", `, "lineWidth": 0.4`, "[[0.5,1.5],[2.5,1.5]]"), ".... 11.. .... ....")
		map1(t, dev, line(4, 4, "bresenham", `, "lineWidth": 2.5`, "[[0.5,1.5],[2.5,1.5]]"), "11.. 11.. 11.. ....")
	})
	t.Run("all samples of a pixel", func(t *testing.T) {
		rules.Covers(t, "RC-37", "RAS-219")
		got := masks(t, dev, `{"size": [4, 1], "samples": 4, "draws": [{"topology": "line_list", "lineMode": "bresenham", "vertices": [[0.5,0.3],[2.5,0.6]]}]}`, 1)
		if want := []uint32{15, 15, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("no length", func(t *testing.T) {
		rules.Covers(t, "RC-38", "RAS-197", "RAS-273")
		for _, mode := range []string{"rectangular", "bresenham", "rectangular_smooth"} {
			map1(t, dev, line(3, 2, mode, "", "[[1.5,0.5],[1.5,0.5]]"), "... ...")
		}
		map1(t, dev, line(3, 2, "rectangular", `, "conservative": "overestimate"`, "[[1,1],[1,1]]"), "11. 11.")
	})
	t.Run("stipple along strips and lists", func(t *testing.T) {
		rules.Covers(t, "RC-39", "RAS-223", "RAS-224", "RAS-225")
		const text = `{"size": [6, 1], "draws": [{"topology": %q, "lineMode": "rectangular", "stipple": [1, 21845], "vertices": %s}]}`
		map1(t, dev, fmt.Sprintf(text, "line_strip", "[[0,0.5],[1.5,0.5],[5,0.5]]"), "1.1.1.")
		map1(t, dev, fmt.Sprintf(text, "line_list", "[[0,0.5],[1.5,0.5],[1.5,0.5],[5,0.5]]"), "11.1..")
	})
	t.Run("a stipple factor", func(t *testing.T) {
		rules.Covers(t, "RC-40", "RAS-221")
		map1(t, dev, line(9, 1, "rectangular", `, "stipple": [2, 21845]`, "[[0,0.5],[8,0.5]]"), "11..11...")
	})
	t.Run("points", func(t *testing.T) {
		rules.Covers(t, "RC-44", "RAS-188", "RAS-189")
		const text = `{"size": [3, 3], "draws": [{"topology": "point_list", "pointSize": %s, "vertices": [%s]}]}`
		map1(t, dev, fmt.Sprintf(text, "1", "[1,1]"), "1.. ... ...")
		map1(t, dev, fmt.Sprintf(text, "2", "[1,1]"), "11. 11. ...")
		map1(t, dev, fmt.Sprintf(text, "0.5", "[1.25,1.25]"), "... ... ...")
	})
}
