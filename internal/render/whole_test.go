package render

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A tile that draws many more primitives than it has set-ups for at a time draws what
// tiles with few do, and what it makes of records is what clipping would have made.
func TestWhole_MoreThanATileKeeps(t *testing.T) {
	const n = 3000
	for _, topology := range []vk.PrimitiveTopology{vk.PrimitiveTopologyPointList, vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyTriangleList} {
		var pictures [3][]byte
		var stats [3]Stats
		for i, c := range []Config{{Threads: 1, TileSize: 256}, {Threads: 2, TileSize: 16, BinBytes: 1}, {Threads: 1, TileSize: 64}} {
			r := rand.New(rand.NewPCG(5, uint64(topology)))
			s := newScene(t, 96, 80, 1, vk.FormatD32Sfloat)
			s.state.Topology = topology
			s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLessOrEqual
			s.state.Viewports[0].Width, s.state.Viewports[0].Height = 70, 60.5 // cuts pixels
			s.state.Scissors[0].Extent.Width = 50
			s.state.LineWidth = 1
			if i == 2 {
				s.vs = layeredProgram() // every primitive is clipped, and has a set-up
			}
			var v []float32
			for k := range n {
				x, y := r.Float32()*30-5, r.Float32()*70-5
				for at := range 3 {
					dx, dy, z := r.Float32()*7, r.Float32()*7, r.Float32()*1.2-.1
					if k == 0 { // has blocks of its own, whose depths are stored late
						dx, dy, z = 32-x+float32(at&1*60), -y+float32(at&2*30), .5+float32(at)/8
					}
					v = s.vert(v, x+dx, y+dy, z, float32(k)/n, r.Float32(), 0, 1)
				}
			}
			s.add(s.pipeline(t, 64), s.state, v, 8)
			stats[i] = s.run(t, c)
			pictures[i] = append(bytes.Clone(s.color.Image.Data), s.depth.Image.Data...)
		}
		for i := 1; i < 3; i++ {
			if !bytes.Equal(pictures[0], pictures[i]) {
				t.Errorf("%v: picture %d is another", topology, i)
			}
			a, b := stats[0], stats[i]
			if a.Clipped != b.Clipped || a.Rasterized != b.Rasterized || a.Primitives != b.Primitives || a.Rasterized == 0 {
				t.Errorf("%v: %d clipped, %d rasterized; case %d: %d, %d", topology, a.Clipped, a.Rasterized, i, b.Clipped, b.Rasterized)
			}
		}
	}
}

// A set-up that is made of a record has its vertices, and the one that provokes.
func TestWhole_ProvokingVertex(t *testing.T) {
	rules.Covers(t, "RAS-067")
	c := chunk{draw: &drawPlan{state: &drawState{State: fragment.State{Raster: []raster.State{{Samples: 1, ViewRect: raster.Rect{X1: 9999, Y1: 9999}}}}}}}
	c.places = []raster.Projected{{InvW: 1, W: 1}, {Spot: raster.Spot{X: 999}, InvW: 1, W: 1}, {Spot: raster.Spot{Y: 999}, InvW: 1, W: 1}}
	for k := range uint32(3) {
		c.Recs = append(c.Recs, fragment.Primitive{V: [3]uint32{1, 2, 0}, N: 3, Provoking: uint8(k)})
		var s raster.Setup
		if c.setUp(&s, k); s.Prim != k || uint32(s.Provoking) != k {
			t.Errorf("vertex %d provokes, of record %d, want %d", s.Provoking, s.Prim, k)
		}
	}
}

// What is said of lines costs polygons and points nothing: Mesa's zink asks for Bresenham's lines
// whatever it draws.
func TestWhole_ModesOfLines(t *testing.T) {
	rules.Covers(t, "RAS-194")
	const fill, edges, corners = vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint
	draw := func(topology vk.PrimitiveTopology, polygon vk.PolygonMode, mode vk.LineRasterizationMode, stipple bool) (*scene, bool) {
		s := newScene(t, 32, 32, 1, vk.FormatUndefined)
		s.state.Topology, s.state.PolygonMode, s.state.LineWidth, s.state.LineMode = topology, polygon, 1, mode
		if stipple {
			s.state.LineStippleEnable, s.state.LineStippleFactor, s.state.LineStipplePattern = true, 1, 0x0f0f
		}
		v := s.vert(nil, 3, 4, .5, 1, 0, 0, 1)
		v = s.vert(v, 29, 11, .5, 0, 1, 0, 1)
		v = s.vert(v, 7, 30, .5, 0, 0, 1, 1)
		s.add(s.pipeline(t, 64), s.state, v, 8)
		plan, err := newExecutor(Config{Threads: 1}).newPlan(&s.pass)
		if err != nil {
			t.Fatal(err)
		}
		s.run(t, Config{Threads: 1})
		return s, plan.states[0].whole != nil
	}
	for _, c := range []struct {
		topology     vk.PrimitiveTopology
		polygon      vk.PolygonMode
		whole, other bool // with plain lines, and with others
	}{
		{vk.PrimitiveTopologyTriangleList, fill, true, true},
		{vk.PrimitiveTopologyTriangleFan, fill, true, true},
		{vk.PrimitiveTopologyTriangleList, edges, false, false},
		{vk.PrimitiveTopologyTriangleList, corners, false, false},
		{vk.PrimitiveTopologyPointList, fill, true, true},
		{vk.PrimitiveTopologyLineStrip, fill, true, false},
	} {
		plain, whole := draw(c.topology, c.polygon, vk.LineRasterizationModeDefault, false)
		if whole != c.whole {
			t.Errorf("%v, %v: whole %v, want %v", c.topology, c.polygon, whole, c.whole)
		}
		other, whole := draw(c.topology, c.polygon, vk.LineRasterizationModeBresenham, true)
		if whole != c.other {
			t.Errorf("%v, %v, Bresenham's, stippled: whole %v, want %v", c.topology, c.polygon, whole, c.other)
		}
		lines := c.topology == vk.PrimitiveTopologyLineStrip || c.polygon == edges
		if same := bytes.Equal(plain.color.Image.Data, other.color.Image.Data); same == lines {
			t.Errorf("%v, %v: the same pictures: %v", c.topology, c.polygon, same)
		}
	}
}
