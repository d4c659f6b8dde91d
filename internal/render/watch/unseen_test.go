package watch

import (
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// corners are projected vertices at places in pixels, of w 1 and no outcode.
func corners(at ...[2]int32) (list []raster.Vertex) {
	for _, p := range at {
		list = append(list, raster.Vertex{X: p[0] * raster.Subpixels, Y: p[1] * raster.Subpixels,
			Pos: [4]float32{0, 0, 0, 1}})
	}
	return list
}

// What may be seen is never told to be somewhere else, and what cannot is told where it is.
func TestWhere(t *testing.T) {
	area := raster.Rect{X0: 8, Y0: 8, X1: 40, Y1: 40}
	scissor := raster.Rect{X0: 0, Y0: 0, X1: 20, Y1: 100}
	edit := func(list []raster.Vertex, f func(v *raster.Vertex)) []raster.Vertex {
		for i := range list {
			f(&list[i])
		}
		return list
	}
	inside := [][2]int32{{10, 10}, {18, 10}, {10, 18}}
	for name, c := range map[string]struct {
		list  []raster.Vertex
		mode  vk.PolygonMode
		width float32
		want  string
	}{
		"inside": {list: corners(inside...)},
		"above": {list: corners([2]int32{10, 0}, [2]int32{20, 0}, [2]int32{10, 6}),
			want: "above the render area"},
		"one row into it": {list: corners([2]int32{10, 0}, [2]int32{20, 0}, [2]int32{10, 9})},
		"below": {list: corners([2]int32{10, 60}, [2]int32{20, 50}, [2]int32{10,
			70}), want: "below the render area"},
		"left": {list: corners([2]int32{1, 10}, [2]int32{2, 20}, [2]int32{0, 30}),
			want: "to the left of the render area"},
		"right": {list: corners([2]int32{51, 10}, [2]int32{62, 20}, [2]int32{50,
			30}), want: "to the right of the render area"},
		"scissored": {list: corners([2]int32{25, 10}, [2]int32{30, 20}, [2]int32{25,
			30}), want: "outside of the scissor rectangle"},
		"no area": {list: corners([2]int32{10, 10}, [2]int32{12, 12}, [2]int32{18,
			18}), want: "without area"},
		"an outline without area": {list: corners([2]int32{10, 10}, [2]int32{12, 12}, [2]int32{18,
			18}), mode: vk.PolygonModeLine},
		"a line":                    {list: corners([2]int32{10, 10}, [2]int32{10, 10})},
		"a point that may be large": {list: corners([2]int32{60, 10})},
		"a point far away": {list: corners([2]int32{500, 10}),
			want: "to the right of the render area"},
		"a large point far away": {list: edit(corners([2]int32{500, 10}), func(v *raster.Vertex) { v.Size = 2000 })},
		"a wide line far away":   {list: corners([2]int32{300, 10}, [2]int32{300, 30}), width: 1000},
		"w below 0": {list: edit(corners(inside...), func(v *raster.Vertex) {
			v.Pos[3],
				v.Out = -1, raster.OutW
		}), want: "behind the eye (w < 0)"},
		"w of 0": {list: edit(corners(inside...), func(v *raster.Vertex) {
			v.Pos[3],
				v.Out = 0, raster.OutW
		}), want: "at w = 0"},
		"left of the volume": {list: edit(corners(inside...),
			func(v *raster.Vertex) { v.Out = raster.OutLeft }), want: "beyond the left (x < −w) plane of the view volume"},
		"not a number": {list: edit(corners(inside...),
			func(v *raster.Vertex) { v.Out = raster.OutInvalid })},
		"cut at the guard band": {list: append(corners(inside[:2]...),
			raster.Vertex{Out: raster.OutGuard, Pos: [4]float32{0, 0, 0, 1}})},
	} {
		st := raster.State{PolygonMode: c.mode, LineWidth: c.width}
		if got := Where(c.list, &st, area, scissor); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Vertices are told of 64 draws that show nothing, and of none that shows something.
func TestTrimUnseen(t *testing.T) {
	draw := func(primitives int, fragments ...explain.Fragment) *explain.Drawn {
		return &explain.Drawn{Primitives: primitives, Fragments: fragments,
			Unseen: []explain.Unseen{{Primitives: 2,
				First: explain.Primitive{Vertices: make([]explain.Vertex, 3)}}}}
	}
	for name, c := range map[string]struct {
		d           *explain.Drawn
		left, after int
		kept        bool
	}{
		"all of it": {draw(2), 5, 4, true}, "a part": {draw(3), 5, 5, false}, "near the pixel": {draw(2,
			explain.Fragment{}), 5, 5, false},
		"enough": {draw(2), 0, 0, false},
	} {
		if after := TrimUnseen(c.d, c.left); after != c.after ||
			(c.d.Unseen[0].First.Vertices != nil) != c.kept || c.d.Unseen[0].Primitives != 2 {
			t.Errorf("%s: %d, %+v", name, after, c.d.Unseen)
		}
	}
}
