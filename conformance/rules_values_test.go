package conformance

import (
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Values at fragments: the catalogue's sections 4.3, 15, 16.4 and 18.

// ruleDevice opens a device that the test closes.
func ruleDevice(t *testing.T) *pumice.Device {
	t.Helper()
	dev, err := pumice.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// values is a draw whose shaders pass values on in every way.
func values(topology vk.PrimitiveTopology, width, height int, v ...ruleVertex) *ruleDraw {
	return &ruleDraw{size: [2]int{width, height}, colors: 5, vertex: "values.vert", pixels: "values.frag", topology: topology, vertices: v}
}

// The attachments of values.frag.
const (
	ruleSmooth = iota
	ruleLinear
	ruleFlat
	ruleCentroid
	ruleInteger
)

// At the middle of the hypotenuse from w = 1 to w = 3 perspective puts values near
// the first vertex: 1/4 of the way (RC-43's numbers, in a triangle).
func TestValues_RAS281_PerspectiveAndLinear(t *testing.T) {
	rules.Covers(t, "RAS-281", "RAS-248", "RAS-249", "RAS-091")
	dev := ruleDevice(t)
	// The line of pixels y = 0 crosses from x = 0.5 (f = 0, w = 1) to x = 4.5
	// (f = 1, w = 3): both vertices of an edge lie on it.
	d := values(vk.PrimitiveTopologyTriangleList, 6, 4,
		at(0.5, 0.5, 0).deep(0, 1), at(4.5, 0.5, 1).deep(0, 3), at(0.5, 8.5, 0).deep(0, 1))
	got := d.run(t, dev)
	for x, want := range map[int][2]float32{0: {0, 0}, 1: {float32(1.) / 10, .25}, 2: {.25, .5}} {
		if s, l := got.at(ruleSmooth, x, 0, 0)[0], got.at(ruleLinear, x, 0, 0)[0]; s != want[0] || l != want[1] {
			t.Errorf("pixel %d: perspective %v, linear %v; want %v", x, s, l, want)
		}
	}
	// What all vertices have in common comes out as it is, whatever their w.
	same := [4]float32{1. / 3, -7e-5, 12345.678, 9}
	d = values(vk.PrimitiveTopologyTriangleList, 6, 4, at(-3, -1).deep(0, 1), at(17.3, -2).deep(0, 3.7), at(.2, 14.1).deep(0, .6))
	for i := range d.vertices {
		d.vertices[i].value = same
	}
	got = d.run(t, dev)
	for i := range 24 {
		for _, c := range []int{ruleSmooth, ruleLinear, ruleFlat, ruleCentroid} {
			if v := got.at(c, i%6, i/6, 0); v != same {
				t.Errorf("pixel %d,%d, attachment %d: %v, want %v", i%6, i/6, c, v, same)
			}
		}
	}
	// A point has its vertex's values everywhere.
	d = values(vk.PrimitiveTopologyPointList, 4, 4, at(2, 2, .3, 5, -7, 9).deep(.25, 2))
	d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.Vertex.Constants = pumice.Constants{0: float32(4)} }
	got = d.run(t, dev)
	for i := range 16 {
		for _, c := range []int{ruleSmooth, ruleLinear, ruleFlat, ruleCentroid} {
			if v := got.at(c, i%4, i/4, 0); v != [4]float32{.3, 5, -7, 9} {
				t.Errorf("point, pixel %d, attachment %d: %v", i, c, v)
			}
		}
	}
}

// Where the viewport puts positions: p/2 times its size from its middle, depth between its limits.
// Before coverage x and y become multiples of 1/256, ties even ones.
func TestPositions_RAS092_Viewport(t *testing.T) {
	rules.Covers(t, "RAS-092", "RAS-002")
	dev := ruleDevice(t)
	for _, v := range []vk.Viewport{{X: 3, Y: 1, Width: 10, Height: 4, MinDepth: .25, MaxDepth: .75}, {X: -2, Y: 9, Width: 6, Height: -8, MinDepth: 1, MaxDepth: .5}} {
		for _, p := range [][4]float32{{-.5, .25, .5, 1}, {1.5, -.5, .5, 2}, {0, 0, 0, 4}, {.4, -.3, .5, .5}} {
			d := builtins(vk.PrimitiveTopologyPointList, 16, 16, ruleVertex{x: 8 * (p[0]/p[3] + 1), y: 8 * (p[1]/p[3] + 1), z: p[2], w: p[3]})
			d.viewports = []vk.Viewport{v}
			got := d.run(t, dev)
			xf, yf := v.Width/2*p[0]/p[3]+v.X+v.Width/2, v.Height/2*p[1]/p[3]+v.Y+v.Height/2
			zf := (v.MaxDepth-v.MinDepth)*p[2]/p[3] + v.MinDepth
			n := 0
			for i := range 256 {
				x, y := i%16, i/16
				if got.at(rulePoint, x, y, 0)[3] == 0 {
					continue
				}
				n++
				// A point of one pixel has the sample that is at most half a pixel right of and below it.
				if sx, sy := float32(x)+.5, float32(y)+.5; sx < xf-.51 || sx > xf+.51 || sy < yf-.51 || sy > yf+.51 {
					t.Errorf("%+v: %v is at %v, %v; drawn is pixel %d, %d", v, p, xf, yf, x, y)
				}
				if z := got.at(ruleCoord, x, y, 0)[2]; z < zf-1e-6 || z > zf+1e-6 {
					t.Errorf("%+v: depth of %v is %v, want %v", v, p, z, zf)
				}
			}
			if inside := xf > 0 && yf > 0 && xf < 16 && yf < 16; inside != (n == 1) {
				t.Errorf("%+v: %v at %v, %v is drawn in %d pixels", v, p, xf, yf, n)
			}
		}
	}
	// The left, and the upper, side of a triangle belongs to it: the pixel whose centre is 128/256
	// from the edge of the framebuffer is drawn while the side is there or before.
	for side, drawn := range map[float32]bool{127: true, 127.5: true, 128: true, 128.25: true, 128.5: true, 128.75: false, 129: false} {
		for _, upright := range []bool{true, false} {
			v := [3][2]float32{{side / 256, -9}, {side / 256, 20}, {20, -9}}
			d := builtins(vk.PrimitiveTopologyTriangleList, 4, 4)
			for _, p := range v {
				if !upright {
					p[0], p[1] = p[1], p[0]
				}
				d.vertices = append(d.vertices, at(p[0], p[1]))
			}
			if got := d.run(t, dev).at(rulePoint, 0, 0, 0)[3] == 1; got != drawn {
				t.Errorf("side at %v/256, upright %v: drawn %v", side, upright, got)
			}
		}
	}
}

// A triangle that is cut at w > 0: the visible part has the values of the whole.
func TestValues_RAS248_ClippedPolygon(t *testing.T) {
	rules.Covers(t, "RAS-248", "RAS-083", "RAS-242")
	dev := ruleDevice(t)
	// Clip space: f = x/w is what perspective must give for value x over w = w: with
	// value (x, y, z, w) of the clip position, f.x/f.w is the position on screen.
	d := values(vk.PrimitiveTopologyTriangleList, 16, 16)
	d.samples = 4
	for _, p := range [3][4]float32{{-1, -.5, 0, 1}, {1.5, -1, 0, 2}, {0, -1, 0, -1}} {
		v := ruleVertex{x: 8 * (p[0]/p[3] + 1), y: 8 * (p[1]/p[3] + 1), w: p[3], value: p}
		d.vertices = append(d.vertices, v)
	}
	got := d.run(t, dev)
	n := 0
	for y := range 16 {
		for x := range 16 {
			f := got.at(ruleSmooth, x, y, 0)
			if f[3] == 0 {
				continue
			}
			n++
			sx, sy := 8*(f[0]/f[3]+1)-float32(x)-.5, 8*(f[1]/f[3]+1)-float32(y)-.5
			// Vertices are snapped to 1/256 pixel before they are interpolated between.
			if max(sx, -sx, sy, -sy) > 1./128 || f[3] < 0 {
				t.Errorf("pixel %d,%d: values of the place %v, %v pixels off", x, y, sx, sy)
			}
		}
	}
	if n < 20 {
		t.Errorf("%d pixels are drawn", n)
	}
}

// The provoking vertex of every topology and mode, for flat floats and integers.
func TestValues_RAS067_ProvokingVertex(t *testing.T) {
	rules.Covers(t, "RAS-067", "RAS-068", "RAS-069", "RAS-282", "RC-60")
	dev := ruleDevice(t)
	square := []ruleVertex{at(0, 0, 10), at(4, 0, 11), at(0, 4, 12), at(4, 4, 13)}
	around := []ruleVertex{at(0, 0, 10), at(4, 0, 11), at(4, 4, 12), at(0, 4, 13)}
	row := []ruleVertex{at(0, .5, 10), at(4, .5, 11), at(4, 3.5, 12), at(0, 3.5, 13)}
	for _, c := range []struct {
		topology vk.PrimitiveTopology
		vertices []ruleVertex
		geometry string
		// pixel is in the second primitive.
		x, y        int
		first, last float32
	}{
		{vk.PrimitiveTopologyPointList, []ruleVertex{at(.5, .5, 10), at(1.5, .5, 11)}, "", 1, 0, 11, 11},
		{vk.PrimitiveTopologyLineList, row, "", 1, 3, 12, 13},
		{vk.PrimitiveTopologyLineStrip, row, "", 3, 1, 11, 12},
		{vk.PrimitiveTopologyTriangleList, append([]ruleVertex{at(9, 9), at(10, 9), at(9, 10)}, square[:3]...), "", 0, 0, 10, 12},
		{vk.PrimitiveTopologyTriangleStrip, square, "", 3, 3, 11, 13},
		{vk.PrimitiveTopologyTriangleFan, around, "", 0, 3, 12, 13},
		{vk.PrimitiveTopologyLineListWithAdjacency, append(append([]ruleVertex{}, around...), at(9, 9), row[0], row[1], at(9, 9)), "", 1, 0, 10, 11},
		// The geometry shader emits vertices in reverse, and its strip counts.
		{vk.PrimitiveTopologyTriangleList, square[:3], "fan.geom", 0, 0, 12, 10},
		{vk.PrimitiveTopologyTriangleStrip, square, "fan.geom", 3, 3, 12, 12}, // of 11, 13, 12; of 12, 11, 13 with provoking vertex last
	} {
		for mode, want := range map[vk.ProvokingVertexModeEXT]float32{vk.ProvokingVertexModeFirstVertexEXT: c.first, vk.ProvokingVertexModeLastVertexEXT: c.last} {
			d := values(c.topology, 4, 4, c.vertices...)
			d.geometry = c.geometry
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.ProvokingVertex = mode }
			got := d.run(t, dev)
			if f, i := got.at(ruleFlat, c.x, c.y, 0)[0], got.at(ruleInteger, c.x, c.y, 0)[0]; f != want || i != want {
				t.Errorf("%v, mode %d, geometry %q: flat %v, integer %v; want %v", c.topology, mode, c.geometry, f, i, want)
			}
		}
	}
	// Both modes in one pass.
	d := values(vk.PrimitiveTopologyTriangleList, 2, 2, everywhere(2, [4]float32{1}, [4]float32{2}, [4]float32{3})...)
	if v := d.run(t, dev).at(ruleFlat, 1, 1, 0)[0]; v != 1 {
		t.Errorf("the mode of pipelines that name none: %v", v)
	}
}
