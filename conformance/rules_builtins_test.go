package conformance

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Built-in inputs, sample shading, quads and helpers: the catalogue's sections 13,
// 15 and 18.

// The attachments of builtins.frag.
const (
	ruleCoord  = iota
	ruleFace   // front facing, primitive, layer, viewport
	rulePoint  // point coordinates, view
	ruleSample // mask, helper
)

func builtins(topology vk.PrimitiveTopology, width, height int, v ...ruleVertex) *ruleDraw {
	return &ruleDraw{size: [2]int{width, height}, colors: 4, vertex: "values.vert", pixels: "builtins.frag", topology: topology, vertices: v}
}

// sized sets the point size of values.vert.
func sized(size float32) func(*pumice.GraphicsPipelineDesc) {
	return func(p *pumice.GraphicsPipelineDesc) { p.Vertex.Constants = pumice.Constants{0: size} }
}

// A point has one depth, its own 1/w, faces front, and coordinates that count from
// its upper left corner, whatever way the viewport goes.
func TestPoints_RAS190_OneDepth(t *testing.T) {
	rules.Covers(t, "RAS-190", "RAS-191", "RAS-192", "RAS-289", "RC-45")
	dev := ruleDevice(t)
	for _, flipped := range []bool{false, true} {
		d := builtins(vk.PrimitiveTopologyPointList, 4, 4, at(2, 2).deep(.5, 2))
		d.depth, d.samples = vk.FormatD32Sfloat, 4
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			sized(4)(p)
			withDepth(p)
			// Were it a polygon, it would be one or the other.
			p.Rasterization.CullMode = vk.CullModeFrontAndBack
			p.DepthStencil.StencilTestEnable = false
		}
		if flipped {
			d.viewports = []vk.Viewport{{Y: 4, Width: 4, Height: -4, MaxDepth: 1}}
		}
		got := d.run(t, dev)
		for i := range 16 {
			x, y := i%4, i/4
			if c, want := got.at(ruleCoord, x, y, 0), [4]float32{float32(x) + .5, float32(y) + .5, .25, .5}; c != want {
				t.Errorf("FragCoord %v, want %v", c, want)
			}
			if p, want := got.at(rulePoint, x, y, 0), (float32(x)+.5)/4; p[0] != want || p[1] != (float32(y)+.5)/4 {
				t.Errorf("flipped %v, pixel %d,%d: PointCoord %v", flipped, x, y, p[:2])
			}
			if f := got.at(ruleFace, x, y, 0)[0]; f != 1 {
				t.Error("a point faces back")
			}
			for s := range 4 {
				if z := got.depth(x, y, s); z != .25 {
					t.Errorf("depth of sample %d is %v", s, z)
				}
			}
		}
	}
	// Nothing else has coordinates of a point; corners of polygons have.
	d := builtins(vk.PrimitiveTopologyLineList, 4, 4, at(0, 2.5), at(4, 2.5))
	if p := d.run(t, dev).at(rulePoint, 1, 2, 0); p != [4]float32{0, 0, 0, 1} {
		t.Errorf("PointCoord on a line: %v", p)
	}
	for mode, want := range map[vk.PolygonMode]float32{vk.PolygonModeLine: 0, vk.PolygonModePoint: .375} {
		d = builtins(vk.PrimitiveTopologyTriangleList, 8, 8, at(2, 2), at(6, 2), at(2, 6))
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			sized(4)(p)
			p.Rasterization.PolygonMode, p.Rasterization.LineWidth = mode, 2
		}
		if p := d.run(t, dev).at(rulePoint, 1, 2, 0); mode == vk.PolygonModePoint && (p[0] != want || p[1] != .625) {
			t.Errorf("PointCoord on a polygon's corner: %v", p)
		} else if p = d.run(t, dev).at(rulePoint, 3, 2, 0); mode == vk.PolygonModeLine && p != [4]float32{0, 0, 0, 1} {
			t.Errorf("PointCoord on a polygon's side: %v", p)
		}
	}
}

// FrontFacing and the face of the stencil test are those of the triangle in all
// polygon modes, and front for points and lines.
func TestFacing_RAS236_EveryMode(t *testing.T) {
	rules.Covers(t, "RAS-236", "RAS-289", "RAS-012")
	dev := ruleDevice(t)
	ccw, cw := []ruleVertex{at(1.5, 1.5), at(1.5, 6.5), at(6.5, 1.5)}, []ruleVertex{at(1.5, 1.5), at(6.5, 1.5), at(1.5, 6.5)}
	for _, c := range []struct {
		topology vk.PrimitiveTopology
		vertices []ruleVertex
		face     vk.FrontFace
		front    bool
	}{
		{vk.PrimitiveTopologyTriangleList, ccw, vk.FrontFaceCounterClockwise, true},
		{vk.PrimitiveTopologyTriangleList, cw, vk.FrontFaceCounterClockwise, false},
		{vk.PrimitiveTopologyTriangleList, ccw, vk.FrontFaceClockwise, false},
		{vk.PrimitiveTopologyTriangleList, cw, vk.FrontFaceClockwise, true},
		{vk.PrimitiveTopologyLineStrip, cw, vk.FrontFaceCounterClockwise, true},
		{vk.PrimitiveTopologyPointList, cw, vk.FrontFaceCounterClockwise, true},
	} {
		for _, mode := range []vk.PolygonMode{vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint, vk.PolygonModeFillRectangleNV} {
			for cull, drawn := range map[vk.CullModeFlags]bool{
				0: true, vk.CullModeFrontBit: !c.front || c.topology != vk.PrimitiveTopologyTriangleList,
				vk.CullModeBackBit: c.front, vk.CullModeFrontAndBack: c.topology != vk.PrimitiveTopologyTriangleList,
			} {
				for _, pass := range []vk.StencilFaceFlags{vk.StencilFaceFrontBit, vk.StencilFaceBackBit} {
					d := builtins(c.topology, 8, 8, c.vertices...)
					d.depth = vk.FormatD32SfloatS8Uint
					d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
						p.Rasterization.PolygonMode, p.Rasterization.FrontFace, p.Rasterization.CullMode = mode, c.face, cull
						p.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{StencilTestEnable: true}
						p.DepthStencil.Front.CompareOp, p.DepthStencil.Back.CompareOp = vk.CompareOpNever, vk.CompareOpNever
						if pass == vk.StencilFaceFrontBit {
							p.DepthStencil.Front.CompareOp = vk.CompareOpAlways
						} else {
							p.DepthStencil.Back.CompareOp = vk.CompareOpAlways
						}
					}
					got := d.run(t, dev).at(ruleFace, 1, 1, 0)[0]
					want := float32(0)
					if drawn && c.front && pass == vk.StencilFaceFrontBit {
						want = 1
					}
					if show := drawn && c.front == (pass == vk.StencilFaceFrontBit); got != want || (d.queried > 0) != show {
						t.Errorf("%v, %v, %v, culling %v, stencil of %v: FrontFacing %v, %d samples; want %v, drawn %v",
							c.topology, mode, c.face, cull, pass, got, d.queried, want, show)
					}
				}
			}
		}
	}
}

// PrimitiveId, Layer, ViewportIndex and ViewIndex as the stages before gave them.
func TestBuiltins_RAS291_WhereAPrimitiveGoes(t *testing.T) {
	rules.Covers(t, "RAS-291", "RAS-070", "RAS-072")
	dev := ruleDevice(t)
	half := func(x float32) vk.Viewport { return vk.Viewport{X: x, Width: 4, Height: 4, MaxDepth: 1} }
	for mode, first := range map[vk.ProvokingVertexModeEXT]int{vk.ProvokingVertexModeFirstVertexEXT: 0, vk.ProvokingVertexModeLastVertexEXT: 2} {
		d := builtins(vk.PrimitiveTopologyTriangleList, 8, 4)
		d.vertex, d.layers, d.viewports = "choose.vert", 3, []vk.Viewport{half(0), half(4)}
		for _, v := range [][2]float32{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {2, 7}} {
			tri := everywhere(8)
			for i := range tri { // the others name viewports that are not there
				tri[i].value = [4]float32{2, 9}
			}
			tri[first].value = [4]float32{v[0], v[1]}
			d.vertices = append(d.vertices, tri...)
		}
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.ProvokingVertex = mode }
		got := d.run(t, dev)
		for layer, want := range [3][2][4]float32{{{1, 0, 0, 0}, {}}, {{1, 1, 1, 0}, {1, 2, 1, 1}}, {{}, {1, 3, 2, 1}}} {
			for i, w := range want {
				v := got.layer(ruleFace, layer, 4*i+1, 1, 0)
				if w[0] != 0 {
					w[0] = v[0] // facing is another test's
				}
				if v != w {
					t.Errorf("mode %v, layer %d, half %d: %v, want %v", mode, layer, i, v, w)
				}
			}
		}
	}
	d := builtins(vk.PrimitiveTopologyTriangleList, 2, 2, everywhere(2)...)
	d.views, d.layers = 0b101, 3
	got := d.run(t, dev)
	for layer, want := range []float32{0, 0, 2} {
		p := got.layer(rulePoint, layer, 0, 0, 0)
		if drawn := p[3] == 1; p[2] != want || drawn != (layer != 1) {
			t.Errorf("layer %d: view %v, drawn %v", layer, p[2], drawn)
		}
	}
}

// standard4 are the places of four samples.
var standard4 = [4][2]float32{{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}}

// With sample shading an invocation is a sample: its number, place and bit; inputs
// decorated Sample are taken there, which turns it on.
func TestSampleShading_RAS179_NumbersAndPlaces(t *testing.T) {
	rules.Covers(t, "RAS-179", "RAS-177", "RAS-103", "RAS-290", "RAS-288", "RAS-291")
	dev := ruleDevice(t)
	for _, samples := range []int{1, 4} {
		d := &ruleDraw{topology: vk.PrimitiveTopologyTriangleList, size: [2]int{2, 2}, samples: samples, colors: 2, vertex: "values.vert", pixels: "samples.frag", vertices: everywhere(2)}
		got := d.run(t, dev)
		for i := range 4 * samples {
			x, y, s := i/samples%2, i/samples/2, i%samples
			place := [2]float32{.5, .5}
			if samples == 4 {
				place = standard4[s]
			}
			if v, want := got.at(0, x, y, s), [4]float32{float32(s), place[0], place[1], float32(int(1) << s)}; v != want {
				t.Errorf("%d samples, sample %d: %v, want %v", samples, s, v, want)
			}
			if v := got.at(1, x, y, s); v[0] != float32(x)+place[0] || v[1] != float32(y)+place[1] {
				t.Errorf("%d samples, sample %d: FragCoord %v", samples, s, v)
			}
		}
	}
}

func TestSampleShading_RAS285_SampleInputs(t *testing.T) {
	rules.Covers(t, "RAS-285", "RAS-108", "RAS-174", "RAS-287")
	dev := ruleDevice(t)
	d := &ruleDraw{topology: vk.PrimitiveTopologyTriangleList, size: [2]int{2, 1}, samples: 4, colors: 2, vertex: "values.vert", pixels: "sample.frag"}
	// The value is the place; the triangle's left side is at x = 0.4, through the
	// first pixel's middle, and what lies left of it is not drawn.
	d.vertices = []ruleVertex{at(.4, -1, .4, -1), at(4.4, -1, 4.4, -1), at(.4, 3, .4, 3)}
	got := d.run(t, dev)
	for i := range 8 {
		x, s := i/4, i%4
		want := [4]float32{float32(x) + standard4[s][0], standard4[s][1]}
		if want[0] < .4 {
			want = [4]float32{}
		}
		for c := range 2 {
			// Corners are snapped to 1/256 pixel, and so are values moved.
			v := got.at(c, x, 0, s)
			if d := max(v[0]-want[0], want[0]-v[0], v[1]-want[1], want[1]-v[1]); d > 1./256 || want[0] == 0 && v != want {
				t.Errorf("attachment %d, pixel %d, sample %d: %v, want %v", c, x, s, v, want)
			}
		}
	}
	// Without it one value, that of the pixel's centre, though the centre is left of
	// the triangle and so beyond the vertices' values.
	d = values(vk.PrimitiveTopologyTriangleList, 2, 1, at(.6, -1, .6), at(4.6, -1, 4.6), at(.6, 3, .6))
	d.samples = 4
	got = d.run(t, dev)
	for _, s := range []int{1, 3} {
		if v := got.at(ruleSmooth, 0, 0, s)[0]; v < .49 || v > .51 {
			t.Errorf("sample %d of the pixel that the side cuts: %v, want that of its centre", s, v)
		}
	}
}

// invocations draws a triangle that covers samples 1 and 3 of the first pixel and
// all of the second, and tells what each pixel's samples were shaded with.
func invocations(t *testing.T, dev *pumice.Device, on bool, least float32) (d *ruleDraw, got *ruleImages) {
	d = &ruleDraw{topology: vk.PrimitiveTopologyTriangleList, size: [2]int{2, 1}, samples: 4, colors: 2, vertex: "values.vert", pixels: "once.frag",
		vertices: []ruleVertex{at(.5, -9), at(20, -9), at(.5, 20)}}
	d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
		p.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleShadingEnable: on, MinSampleShading: least}
	}
	return d, d.run(t, dev)
}

// One invocation a fragment without sample shading; with it as many as asked for.
func TestSampleShading_RAS178_HowManyInvocations(t *testing.T) {
	rules.Covers(t, "RAS-175", "RAS-176", "RAS-178")
	dev := ruleDevice(t)
	for _, c := range []struct {
		on    bool
		least float32
		count uint32
		masks []uint32 // of the second pixel's invocations
	}{
		{false, 1, 2, []uint32{15}}, {true, 0, 2, []uint32{15}}, {true, .25, 2, []uint32{15}},
		{true, .26, 2 + 2, []uint32{3, 12}}, {true, .5, 2 + 2, []uint32{3, 12}}, {true, .51, 2 + 4, []uint32{1, 2, 4, 8}}, {true, .75, 2 + 4, []uint32{1, 2, 4, 8}}, {true, 1, 2 + 4, []uint32{1, 2, 4, 8}},
	} {
		t.Run(fmt.Sprintf("%v %v", c.on, c.least), func(t *testing.T) {
			d, got := invocations(t, dev, c.on, c.least)
			if d.counter[0] != c.count {
				t.Errorf("%d invocations, want %d", d.counter[0], c.count)
			}
			shaded := map[float32]uint32{}
			for s := range 4 {
				v := got.at(0, 1, 0, s)
				shaded[v[0]] |= 1 << s
				if mask := uint32(v[1]); mask>>s&1 == 0 || !slices.Contains(c.masks, mask) {
					t.Errorf("sample %d is shaded with SampleMask %#x; want one of %#x", s, mask, c.masks)
				}
				place := got.at(1, 1, 0, s)
				if first := bits.TrailingZeros32(uint32(v[1])); len(c.masks) > 1 && (place[0] != 1+standard4[first][0] || place[1] != standard4[first][1]) {
					t.Errorf("sample %d is shaded at %v", s, place)
				}
			}
			if len(shaded) != len(c.masks) {
				t.Errorf("the pixel's samples are shaded by %v", shaded)
			}
			for s := range 4 {
				if drawn := got.at(0, 0, 0, s)[3] == 1; drawn != (s&1 == 1) {
					t.Errorf("sample %d of the pixel in part is drawn: %v", s, drawn)
				}
			}
		})
	}
}

// Centroid inputs of an invocation for two samples of which one is covered are
// taken at that one.
func TestSampleShading_RAS284_CentroidOfAShare(t *testing.T) {
	rules.Covers(t, "RAS-284")
	dev := ruleDevice(t)
	d := values(vk.PrimitiveTopologyTriangleList, 1, 1, at(.5, -9, .5), at(20.5, -9, 20.5), at(.5, 20, .5)) // samples 1 and 3
	d.samples = 4
	d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
		p.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleShadingEnable: true, MinSampleShading: .5}
	}
	got := d.run(t, dev)
	for s, want := range []float32{0, standard4[1][0], 0, standard4[3][0]} {
		if v := got.at(ruleCentroid, 0, 0, s)[0]; v != want {
			t.Errorf("sample %d: %v, want %v", s, v, want)
		}
	}
}

// The scissor is that of the viewport which a primitive names: of large ones, and of many small ones.
func TestBuiltins_RAS307_ScissorOfTheViewport(t *testing.T) {
	rules.Covers(t, "RAS-307", "RAS-084")
	dev := ruleDevice(t)
	const n = 16
	scissors := []vk.Rect2D{{Offset: vk.Offset2D{X: 1, Y: 2}, Extent: vk.Extent2D{Width: 9, Height: 10}}, {Offset: vk.Offset2D{X: 6, Y: 4}, Extent: vk.Extent2D{Width: 10, Height: 7}},
		{Offset: vk.Offset2D{X: 3, Y: 13}, Extent: vk.Extent2D{Width: 2, Height: 3}}}
	view := vk.Viewport{Width: n, Height: n, MaxDepth: 1}
	for _, c := range []struct {
		name     string
		topology vk.PrimitiveTopology
		size     float32
		pixels   string
	}{
		{"one large triangle", vk.PrimitiveTopologyTriangleList, 2 * n, "builtins.frag"}, {"one large triangle of a short shader", vk.PrimitiveTopologyTriangleList, 2 * n, "window.frag"},
		{"a small one a pixel", vk.PrimitiveTopologyTriangleList, 1.25, "builtins.frag"}, {"a small one a pixel of a short shader", vk.PrimitiveTopologyTriangleList, 1.25, "window.frag"},
		{"a point a pixel", vk.PrimitiveTopologyPointList, 1, "builtins.frag"}, {"a line a pixel", vk.PrimitiveTopologyLineList, 1, "window.frag"},
	} {
		d := builtins(c.topology, n, n)
		d.vertex, d.pixels, d.viewports = "choose.vert", c.pixels, []vk.Viewport{view, view, view}
		for viewport := range 3 {
			for i := range n * n {
				x, y := float32(i%n), float32(i/n)
				var list []ruleVertex
				switch {
				case c.topology == vk.PrimitiveTopologyPointList:
					list = []ruleVertex{at(x+.5, y+.5)}
				case c.topology == vk.PrimitiveTopologyLineList:
					list = []ruleVertex{at(x, y+.5), at(x+1, y+.5)}
				default:
					list = []ruleVertex{at(x, y), at(x+c.size, y), at(x, y+c.size)}
				}
				for _, v := range list {
					v.value = [4]float32{0, float32(viewport)}
					d.vertices = append(d.vertices, v)
				}
				if c.size > n {
					break
				}
			}
		}
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.Viewport.Scissors = scissors }
		got := d.run(t, dev)
		samples := uint64(0)
		for i := range n * n {
			x, y := int32(i%n), int32(i/n)
			want := [2]float32{} // drawn, and by which viewport: the last one
			for v, s := range scissors {
				if x >= s.Offset.X && x < s.Offset.X+int32(s.Extent.Width) && y >= s.Offset.Y && y < s.Offset.Y+int32(s.Extent.Height) {
					want = [2]float32{1, float32(v)}
					samples++
				}
			}
			if drawn, v := got.at(rulePoint, int(x), int(y), 0)[3], got.at(ruleFace, int(x), int(y), 0)[3]; drawn != want[0] || v != want[1] {
				t.Errorf("%s, pixel (%d, %d): drawn %v through viewport %v, want %v through %v", c.name, x, y, drawn, v, want[0], want[1])
			}
		}
		if d.queried != samples {
			t.Errorf("%s: %d samples, want %d", c.name, d.queried, samples)
		}
	}
}
