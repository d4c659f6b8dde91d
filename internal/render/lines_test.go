package render

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The pattern of a strip goes on over chunks and rounds.
func TestRun_RAS224_StippleCarriesOverChunks(t *testing.T) {
	rules.Covers(t, "RAS-224")
	const width = 2048
	s := newScene(t, width, 2, 1, vk.FormatUndefined)
	s.state.Topology = vk.PrimitiveTopologyLineStrip
	s.state.LineStippleEnable, s.state.LineStippleFactor, s.state.LineStipplePattern = true, 1, 0x5555
	var list []float32
	for x := float32(0); x <= width-.5; x += 1.5 {
		list = s.vert(list, x, .5, 0, 1, 1, 1, 1)
	}
	p := s.pipeline(t, 64)
	s.add(p, s.state, list, 8)
	for _, c := range []Config{{Threads: 1}, {Threads: 4, TileSize: 16}, {Threads: 3, BinBytes: 1 << 20}} {
		s.run(t, c)
		for x := range width - 2 {
			if got, want := pixel(s.color, x, 0, 0)[0] != 0, x%2 == 0; got != want {
				t.Fatalf("%+v: column %d is drawn: %v", c, x, got)
			}
		}
	}
	// In a list each segment starts anew.
	s.state.Topology = vk.PrimitiveTopologyLineList
	s.pass.Draws = nil
	s.add(s.pipeline(t, 64), s.state, list[:8*4], 8)
	s.run(t, Config{})
	got := ""
	for x := range 5 {
		if pixel(s.color, x, 0, 0)[0] != 0 {
			got += string(rune('0' + x))
		}
	}
	if got != "03" {
		t.Errorf("list: columns %s, want 0 and 3", got)
	}
}

// The pattern goes on by the length of each segment of a strip; one that begins behind the eye or
// beyond the guard band has none in the framebuffer, and starts with what the strip has so far.
func TestStipple_RAS226_SegmentsWithoutLength(t *testing.T) {
	rules.Covers(t, "RAS-224", "RAS-225", "RAS-226")
	st := raster.State{Samples: 1, LineWidth: 1, Stipple: raster.Stipple{Factor: 1, Pattern: 0x5555}}
	vertex := func(x int32, out raster.Outcode) *raster.Vertex {
		return &raster.Vertex{X: x * raster.Subpixels, Out: out}
	}
	c := &chunk{}
	for i, step := range []struct {
		start  bool
		v0, v1 *raster.Vertex
		want   int32 // pixels
	}{
		{true, vertex(0, 0), vertex(5, 0), 0},
		{false, vertex(5, 0), vertex(8, 0), 5},
		{false, vertex(8, 0), vertex(0, raster.OutW), 8},
		{false, vertex(0, raster.OutW), vertex(3, 0), 8},
		{false, vertex(3, 0), vertex(99, raster.OutGuard), 8},
		{false, vertex(0, raster.OutInvalid), vertex(3, 0), 8},
		{false, vertex(3, 0), vertex(4, 0), 8},
		{false, vertex(4, 0), vertex(13, 0), 9},
		{false, vertex(13, 0), vertex(14, 0), 18 % 16},
		{true, vertex(14, 0), vertex(15, 0), 0},
	} {
		if step.start {
			c.startStipple(&st)
		}
		var seg raster.Segment
		if c.stipple(&seg, &st, step.v0, step.v1); seg.Phase != step.want*raster.StippleUnits {
			t.Errorf("segment %d begins %v pixels in the pattern, want %d", i, float64(seg.Phase)/raster.StippleUnits, step.want)
		}
	}
}

// Corner case 41, through alpha.
func TestRun_RAS230_SmoothLinesScaleAlpha(t *testing.T) {
	rules.Covers(t, "RAS-230", "RC-41")
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	s.state.Topology, s.state.LineMode = vk.PrimitiveTopologyLineList, vk.LineRasterizationModeRectangularSmooth
	list := s.vert(nil, 0, 3, 0, 1, 1, 1, 1)
	list = s.vert(list, 4, 3, 0, 1, 1, 1, 1)
	s.add(s.pipeline(t, 64), s.state, list, 8)
	s.run(t, Config{})
	for y := range 8 {
		for x := range 8 {
			want := [4]byte{}
			if x < 4 && (y == 2 || y == 3) {
				want = [4]byte{255, 255, 255, 128}
			}
			if got := pixel(s.color, x, y, 0); got != want {
				t.Errorf("%d,%d: %v, want %v", x, y, got, want)
			}
		}
	}
}

// RAS-116, RAS-118: coverage and, with one sample, the place of inputs.
func TestRun_RAS118_SampleLocations(t *testing.T) {
	rules.Covers(t, "RAS-116", "RAS-118", "RAS-108")
	s := newScene(t, 4, 4, 1, vk.FormatUndefined)
	s.state.SampleLocationsEnable = true
	s.state.SampleLocations = raster.CustomSamples(1, 2, 1, [][2]float32{{.25, .5}, {.75, .5}})
	var list []float32
	// Red is x/4 in framebuffer space.
	for _, c := range [3][2]float32{{0, 0}, {8, 0}, {0, 8}} {
		list = s.vert(list, c[0], c[1], 0, c[0]/4, 0, 0, 1)
	}
	s.add(s.pipeline(t, 64), s.state, list, 8)
	s.run(t, Config{})
	for x, want := range []float32{.25, 1.75, 2.25, 3.75} {
		if got := pixel(s.color, x, 1, 0)[0]; got != byte(want/4*255+.5) {
			t.Errorf("column %d: %d, want %v", x, got, want/4*255)
		}
	}
}

// RAS-088: rectangles are not cut, but dropped.
func TestRun_RAS088_FillRectangle(t *testing.T) {
	rules.Covers(t, "RAS-088")
	s := newScene(t, 8, 8, 1, vk.FormatUndefined)
	s.state.PolygonMode = vk.PolygonModeFillRectangleNV
	triangle := func(z float32) (list []float32) {
		list = s.vert(list, 1, 1, 0, 1, 1, 1, 1)
		list = s.vert(list, 3, 1, 0, 1, 1, 1, 1)
		return s.vert(list, 1, 4, z, 1, 1, 1, 1)
	}
	p := s.pipeline(t, 64)
	for _, z := range []float32{0, -.5} {
		s.pass.Draws = nil
		s.add(p, s.state, triangle(z), 8)
		s.run(t, Config{})
		for y := range 8 {
			for x := range 8 {
				want := z == 0 && x >= 1 && x < 3 && y >= 1 && y < 4
				if got := pixel(s.color, x, y, 0)[0] != 0; got != want {
					t.Errorf("z %v: %d,%d is drawn: %v", z, x, y, got)
				}
			}
		}
	}
}

// A strip begins its pattern anew with its first line, even if that goes to a layer that is not
// there. So the second instance draws the pixels of the first one again, and no others.
func TestRun_RAS225_FirstLineOfNoLayer(t *testing.T) {
	rules.Covers(t, "RAS-225")
	s := newScene(t, 16, 1, 1, vk.FormatUndefined)
	s.layered = true
	s.vs = pipelineVertex(s)
	s.state.Topology, s.state.LineMode = vk.PrimitiveTopologyLineStrip, vk.LineRasterizationModeBresenham
	s.state.LineStippleEnable, s.state.LineStippleFactor, s.state.LineStipplePattern = true, 1, 0x3003
	var list []float32
	for i, x := range []float32{8.5, .5, 8.5} {
		layer := math.Float32frombits(uint32(1 - min(i, 1)))
		list = append(append(list, s.vert(nil, x, .5, 0, 1, 1, 1, 1)...), 1, 0, 0, 0, layer, 0, 0, 0)
	}
	s.add(s.pipeline(t, 64), s.state, list, 16).Instances = 2
	s.run(t, Config{})
	for x := range 16 {
		if drawn := pixel(s.color, x, 0, 0)[0] != 0; drawn != (x < 2) {
			t.Errorf("column %d is drawn: %v", x, drawn)
		}
	}
}
