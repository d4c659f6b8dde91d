package conformance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Rasterization state and what draws do under it: the catalogue's sections 1, 3, 5,
// 6, 17 and 23.

// drawnPixels is a map of an attachment: pixels of which a sample is drawn.
func drawnPixels(r *ruleImages) (list []string) {
	for y := range r.d.size[1] {
		list = append(list, row(r, 0, y))
	}
	return list
}

func wantMap(t *testing.T, what string, r *ruleImages, want ...string) {
	t.Helper()
	if got := drawnPixels(r); !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Depth clamp keeps what lies beyond near and far, and clamps it; it switches
// clipping off only where nothing else says.
func TestState_RAS009_DepthClamp(t *testing.T) {
	rules.Covers(t, "RAS-009")
	dev := ruleDevice(t)
	for _, c := range []struct {
		clamp, noClip bool
		want          []string
		near, far     float32
	}{
		{false, false, []string{"..xx...."}, 0, 0},
		{true, false, []string{"xxxxxxxx"}, 0, .75},
		{true, true, []string{"xxxxxxxx"}, 0, .75},
	} {
		// Depth goes from -1 at x = 0 to 3 at x = 8; the viewport takes it to 3/4.
		d := triangles("white.frag", 1, 8, 1, at(0, 0, 1).deep(-1, 1), at(8, 0, 1).deep(3, 1), at(0, 9, 1).deep(-1, 1), at(8, 0, 1).deep(3, 1), at(8, 9, 1).deep(3, 1), at(0, 9, 1).deep(-1, 1))
		d.depth, d.viewports = vk.FormatD32Sfloat, []vk.Viewport{{Width: 8, Height: 1, MaxDepth: .75}}
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			withDepth(p)
			p.Rasterization.DepthClampEnable, p.DepthClipDisable = c.clamp, c.noClip
		}
		got := d.run(t, dev)
		wantMap(t, fmt.Sprintf("clamp %v, no clipping %v", c.clamp, c.noClip), got, c.want...)
		if c.clamp && (got.depth(0, 0, 0) != c.near || got.depth(7, 0, 0) != c.far) {
			t.Errorf("clamped to %v and %v", got.depth(0, 0, 0), got.depth(7, 0, 0))
		}
		if z := got.depth(2, 0, 0); z != .25*.75 {
			t.Errorf("depth between is %v", z)
		}
	}
}

// A triangle, its outline, its corners, its box.
func TestState_RAS011_PolygonModes(t *testing.T) {
	rules.Covers(t, "RAS-011", "RAS-058")
	dev := ruleDevice(t)
	draw := func(mode vk.PolygonMode, topology vk.PrimitiveTopology) *ruleImages {
		d := triangles("white.frag", 1, 6, 6, at(.5, .5, 1), at(4.5, .5, 1), at(.5, 4.5, 1))
		d.topology = topology
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.Rasterization.PolygonMode = mode }
		return d.run(t, dev)
	}
	const list, strip, points = vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyLineStrip, vk.PrimitiveTopologyPointList
	wantMap(t, "fill", draw(vk.PolygonModeFill, list), "xxxx..", "xxx...", "xx....", "x.....", "......", "......")
	wantMap(t, "line", draw(vk.PolygonModeLine, list), "xxxx..", "x..x..", "x.x...", "xx....", "x.....", "......")
	wantMap(t, "point", draw(vk.PolygonModePoint, list), "x...x.", "......", "......", "......", "x.....", "......")
	wantMap(t, "rectangle", draw(vk.PolygonModeFillRectangleNV, list), "xxxx..", "xxxx..", "xxxx..", "xxxx..", "......", "......")
	// RAS-087: what the view volume cuts has sides along it, but no points where it was cut.
	cut := func(mode vk.PolygonMode) *ruleImages {
		d := triangles("white.frag", 1, 6, 6, at(.5, .5, 1), at(12.5, .5, 1), at(.5, 4.5, 1))
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.Rasterization.PolygonMode = mode }
		return d.run(t, dev)
	}
	wantMap(t, "point, cut", cut(vk.PolygonModePoint), "x.....", "......", "......", "......", "x.....", "......")
	// Lines stay lines in all of them, and points points.
	for _, topology := range []vk.PrimitiveTopology{strip, points} {
		want := drawnPixels(draw(vk.PolygonModeFill, topology))
		for _, mode := range []vk.PolygonMode{vk.PolygonModeLine, vk.PolygonModePoint, vk.PolygonModeFillRectangleNV} {
			wantMap(t, fmt.Sprint(topology, mode), draw(mode, topology), want...)
		}
	}
}

// Depth bias: one offset for all samples of a polygon, none where it is off; what
// FragCoord shows has it, what a shader writes has not; in every polygon mode; fixed point takes it before
// clamping.
func TestState_RAS256_DepthBias(t *testing.T) {
	rules.Covers(t, "RAS-013", "RAS-256", "RAS-264", "RAS-265")
	dev := ruleDevice(t)
	for _, c := range []struct {
		name                   string
		on                     bool
		constant, clamp, slope float32
		topology               vk.PrimitiveTopology
		pixels                 string
		want                   float32
		mode                   vk.PolygonMode
	}{
		{"off", false, 1 << 20, 0, 1, vk.PrimitiveTopologyTriangleList, "builtins.frag", 0, 0},
		{"constant", true, 1 << 20, 0, 0, vk.PrimitiveTopologyTriangleList, "builtins.frag", 1. / 16, 0},
		{"below zero", true, -1 << 20, 0, 0, vk.PrimitiveTopologyTriangleList, "builtins.frag", -1. / 16, 0},
		{"slope", true, 0, 0, 2, vk.PrimitiveTopologyTriangleList, "builtins.frag", 2. / 32, 0},
		{"clamped", true, 0, 1. / 64, 2, vk.PrimitiveTopologyTriangleList, "builtins.frag", 1. / 64, 0},
		{"clamped from below", true, 0, -1. / 64, -2, vk.PrimitiveTopologyTriangleList, "builtins.frag", -1. / 64, 0},
		{"a clamp the other way", true, 0, -1. / 64, 2, vk.PrimitiveTopologyTriangleList, "builtins.frag", 2. / 32, 0},
		{"line", true, 1 << 20, 0, 1, vk.PrimitiveTopologyLineStrip, "builtins.frag", 0, 0},
		{"point", true, 1 << 20, 0, 1, vk.PrimitiveTopologyPointList, "builtins.frag", 0, 0},
		{"off, of sides", false, 1 << 20, 0, 1, vk.PrimitiveTopologyTriangleList, "builtins.frag", 0, vk.PolygonModeLine},
		{"constant, of sides", true, 1 << 20, 0, 0, vk.PrimitiveTopologyTriangleList, "builtins.frag", 1. / 32, vk.PolygonModeLine},
		{"slope, of sides", true, 0, 0, 2, vk.PrimitiveTopologyTriangleList, "builtins.frag", 2. / 32, vk.PolygonModeLine},
	} {
		// Depth rises by 1/32 a pixel from 1/4; the largest exponent is that of 3/4.
		d := builtins(c.topology, 8, 8, at(.5, .5).deep(.25, 1), at(16.5, .5).deep(.75, 1), at(.5, 16.5).deep(.25, 1))
		d.pixels, d.depth, d.samples = c.pixels, vk.FormatD32Sfloat, 4
		first, end := 0, 8
		if c.mode == vk.PolygonModeLine { // all inside, its largest depth below 1/2; of the upper side, what the others don't touch
			d.vertices = []ruleVertex{at(.5, .5).deep(.25, 1), at(7.5, .5).deep(.25+7./32, 1), at(.5, 7.5).deep(.25, 1)}
			first, end = 1, 6
		}
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			withDepth(p)
			r := p.Rasterization
			r.DepthBiasEnable, r.DepthBiasConstantFactor, r.DepthBiasClamp, r.DepthBiasSlopeFactor = c.on, c.constant, c.clamp, c.slope
			r.PolygonMode, r.LineWidth = c.mode, 1
		}
		got := d.run(t, dev)
		checked := 0
		for x := first; x < end; x++ {
			if c.topology == vk.PrimitiveTopologyPointList && x > 0 {
				break
			}
			for s := range 4 {
				if got.at(rulePoint, x, 0, s)[3] == 0 {
					continue // a sample above the edge
				}
				checked++
				at := float32(x) + standard4[s][0] - .5
				if c.topology == vk.PrimitiveTopologyPointList {
					at = 0
				}
				if z, want := got.depth(x, 0, s), .25+at/32+c.want; z != want {
					t.Errorf("%s, pixel %d, sample %d: depth %v, want %v", c.name, x, s, z, want)
				}
			}
			if z, want := got.at(ruleCoord, x, 0, 3)[2], .25+float32(x)/32+c.want; c.topology != vk.PrimitiveTopologyPointList && z != want {
				t.Errorf("%s: FragCoord.z %v, want %v", c.name, z, want)
			}
		}
		if checked < 4 || checked < 15 && c.topology == vk.PrimitiveTopologyTriangleList {
			t.Errorf("%s: %d samples are drawn", c.name, checked)
		}
	}
	// D16: applied in [0, 1], after the viewport's half, then clamped.
	for _, c := range []struct {
		z, constant float32
		want        uint16
	}{{1, 65535 * .75, 65535}, {1, -65535, 0}, {0, 1, 1}, {0, 3, 3}} {
		d := triangles("white.frag", 1, 2, 2, everywhere(2)...)
		d.depth = vk.FormatD16Unorm
		for i := range d.vertices {
			d.vertices[i].z = c.z
		}
		d.viewports = []vk.Viewport{{Width: 2, Height: 2, MaxDepth: .5}}
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			withDepth(p)
			p.DepthStencil.DepthCompareOp = vk.CompareOpAlways
			p.Rasterization.DepthBiasEnable, p.Rasterization.DepthBiasConstantFactor = true, c.constant
		}
		if got := d.run(t, dev).code(1, 1, 0); got != c.want {
			t.Errorf("D16, z %v, constant %v: code %d, want %d", c.z, c.constant, got, c.want)
		}
	}
	// A depth that the shader writes is not biased again, but copies what is.
	for bias, want := range map[bool]float32{false: .25, true: .25 + 1<<20*0x1p-25} {
		d := triangles("depth.frag", 1, 2, 2, everywhere(2)...)
		d.depth = vk.FormatD32Sfloat
		for i := range d.vertices {
			d.vertices[i].z = .25
		}
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			withDepth(p)
			p.Rasterization.DepthBiasEnable, p.Rasterization.DepthBiasConstantFactor = bias, 1<<20
		}
		if z := d.run(t, dev).depth(0, 0, 0); z != want {
			t.Errorf("a copy of FragCoord.z, biased %v: %v, want %v", bias, z, want)
		}
	}
}

// Shaders that write FragCoord.z write what fixed function would, bit by bit.
func TestState_RAS363_CopiedDepth(t *testing.T) {
	rules.Covers(t, "RAS-363")
	dev := ruleDevice(t)
	for _, w := range []float32{1, 3} {
		var first []byte
		for i, pixels := range []string{"white.frag", "depth.frag"} {
			d := triangles(pixels, 1, 16, 16, at(-3, -2).deep(.1, 1), at(40, 3).deep(.7*w, w), at(2, 37).deep(.33, 1.5))
			d.depth = vk.FormatD32Sfloat
			d.pipeline = withDepth
			got := d.run(t, dev)
			if i == 0 {
				first = got.z
			} else if !slices.Equal(got.z, first) {
				t.Errorf("w of %v: the depths differ", w)
			}
		}
	}
}

// Without a fragment shader depth is tested and written, colour left alone.
func TestState_RAS099_NoFragmentShader(t *testing.T) {
	rules.Covers(t, "RAS-099")
	dev := ruleDevice(t)
	d := triangles("", 1, 2, 2, everywhere(2)...)
	d.depth = vk.FormatD32Sfloat
	for i := range d.vertices {
		d.vertices[i].z = .5
	}
	d.pipeline = withDepth
	got := d.run(t, dev)
	if got.depth(0, 0, 0) != .5 || got.at(0, 0, 0, 0) != [4]float32{} || d.queried != 4 {
		t.Errorf("depth %v, colour %v, %d samples", got.depth(0, 0, 0), got.at(0, 0, 0, 0), d.queried)
	}
}

// Every sample of every attachment is a store of its own.
func TestState_RAS104_Samples(t *testing.T) {
	rules.Covers(t, "RAS-104", "RAS-019", "RAS-016")
	dev := ruleDevice(t)
	for _, samples := range []int{2, 4, 8, 16} {
		d := values(vk.PrimitiveTopologyTriangleList, 2, 1)
		d.samples, d.depth = samples, vk.FormatD32Sfloat
		d.instances = 1
		for i := range 2 {
			tri := everywhere(2, [4]float32{float32(i + 1)}, [4]float32{float32(i + 1)}, [4]float32{float32(i + 1)})
			for k := range tri {
				tri[k].z = .5 - float32(i)/4
			}
			d.vertices = append(d.vertices, tri...)
		}
		mask := uint32(0xaaaa) & (1<<samples - 1)
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			withDepth(p)
			p.Multisample = &vk.PipelineMultisampleStateCreateInfo{SampleMask: []uint32{mask}}
		}
		got := d.run(t, dev)
		for s := range samples {
			for c := range 4 {
				want, z := float32(2), float32(.25)
				if mask>>s&1 == 0 {
					want, z = 0, 1
				}
				for x := range 2 {
					if v := got.at(c, x, 0, s)[0]; v != want || got.depth(x, 0, s) != z {
						t.Errorf("%d samples, pixel %d, sample %d of attachment %d: %v, depth %v; want %v, %v", samples, x, s, c, v, got.depth(x, 0, s), want, z)
					}
				}
			}
		}
	}
	// Alpha to coverage before alpha to one.
	for _, c := range []struct {
		toCoverage, toOne bool
		covered           int
		alpha             float32
	}{{false, false, 4, .5}, {true, false, 2, .5}, {false, true, 4, 1}, {true, true, 2, 1}} {
		d := triangles("white.frag", 1, 1, 1, everywhere(1, [4]float32{.5}, [4]float32{.5}, [4]float32{.5})...)
		d.samples = 4
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			p.Multisample = &vk.PipelineMultisampleStateCreateInfo{AlphaToCoverageEnable: c.toCoverage, AlphaToOneEnable: c.toOne}
		}
		got, n := d.run(t, dev), 0
		for s := range 4 {
			if v := got.at(0, 0, 0, s); v[0] == 1 {
				n++
				if v[3] != c.alpha {
					t.Errorf("to coverage %v, to one %v: alpha %v", c.toCoverage, c.toOne, v[3])
				}
			}
		}
		if n != c.covered || d.queried != uint64(n) {
			t.Errorf("to coverage %v, to one %v: %d samples, %d counted", c.toCoverage, c.toOne, n, d.queried)
		}
	}
	// More samples than there are is refused.
	if _, err := dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Samples: 32}); err == nil {
		t.Error("32 samples are accepted")
	}
}

// The last to cover a sample is the last of the order: instances, vertices,
// indices; sides and corners of a polygon in the order of its vertices.
func TestState_RAS057_Order(t *testing.T) {
	rules.Covers(t, "RAS-057", "RAS-100", "RAS-369")
	dev := ruleDevice(t)
	small := func(v float32) []ruleVertex {
		return everywhere(1, [4]float32{v}, [4]float32{v}, [4]float32{v})
	}
	d := values(vk.PrimitiveTopologyTriangleList, 1, 1, append(small(1), small(2)...)...)
	if v := d.run(t, dev).at(ruleSmooth, 0, 0, 0)[0]; v != 2 {
		t.Errorf("of two triangles %v is on top", v)
	}
	d.indices = []uint16{3, 4, 5, 0, 1, 2}
	if v := d.run(t, dev).at(ruleSmooth, 0, 0, 0)[0]; v != 1 {
		t.Errorf("of two triangles, by index: %v is on top", v)
	}
	// Instances in order, each whole: the last triangle of the last is on top.
	d = values(vk.PrimitiveTopologyTriangleList, 1, 1, append(small(1), small(2)...)...)
	d.pixels, d.colors, d.instances = "count.frag", 2, 3
	d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
		p.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{{
			BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorOne,
			SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOne, ColorWriteMask: 15,
		}}}
	}
	if v := d.run(t, dev).at(0, 0, 0, 0); v[3] != 6 {
		t.Errorf("%v of six triangles are drawn", v[3])
	}
	// Sides of a polygon cross near its corners; corners are points of 3 pixels.
	for mode, want := range map[vk.PolygonMode][3]float32{vk.PolygonModeLine: {10, 11, 12}, vk.PolygonModePoint: {10, 11, 12}} {
		d := values(vk.PrimitiveTopologyTriangleList, 8, 8, at(2, 2, 10), at(4, 2, 11), at(2, 4, 12))
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			sized(4)(p)
			p.Rasterization.PolygonMode, p.Rasterization.LineWidth = mode, 3
		}
		got := d.run(t, dev)
		if v := got.at(ruleSmooth, 3, 2, 0)[0]; mode == vk.PolygonModePoint && v != want[2] {
			t.Errorf("point mode: %v is on top, want the last corner", v)
		}
		// The third side, from the third corner to the first, has values of 12 to 10.
		if v := got.at(ruleSmooth, 2, 2, 0)[0]; mode == vk.PolygonModeLine && v != 12-(4-2.5) {
			t.Errorf("line mode: %v is on top, want the third side's", v)
		}
	}
}

// Without a geometry shader vertices next door are not drawn.
func TestState_RAS050_Adjacency(t *testing.T) {
	rules.Covers(t, "RAS-050", "RAS-052")
	dev := ruleDevice(t)
	far := at(0, 0, 9)
	for _, c := range []struct {
		topology, plain vk.PrimitiveTopology
		vertices, of    []ruleVertex
	}{
		{vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyLineList,
			[]ruleVertex{far, at(0, 2, 1), at(6, 5, 2), far}, []ruleVertex{at(0, 2, 1), at(6, 5, 2)}},
		{vk.PrimitiveTopologyLineStripWithAdjacency, vk.PrimitiveTopologyLineStrip,
			[]ruleVertex{far, at(0, 2, 1), at(6, 5, 2), at(1, 6, 3), far}, []ruleVertex{at(0, 2, 1), at(6, 5, 2), at(1, 6, 3)}},
		{vk.PrimitiveTopologyTriangleListWithAdjacency, vk.PrimitiveTopologyTriangleList,
			[]ruleVertex{at(0, 2, 1), far, at(6, 5, 2), far, at(1, 6, 3), far}, []ruleVertex{at(0, 2, 1), at(6, 5, 2), at(1, 6, 3)}},
		{vk.PrimitiveTopologyTriangleStripWithAdjacency, vk.PrimitiveTopologyTriangleStrip,
			[]ruleVertex{at(0, 2, 1), far, at(6, 2, 2), far, at(0, 6, 3), far, at(6, 6, 4), far}, []ruleVertex{at(0, 2, 1), at(6, 2, 2), at(0, 6, 3), at(6, 6, 4)}},
	} {
		a, b := values(c.topology, 7, 7, c.vertices...).run(t, dev), values(c.plain, 7, 7, c.of...).run(t, dev)
		for i := range a.color {
			if !slices.Equal(a.color[i], b.color[i]) {
				t.Errorf("%v: attachment %d is not that of %v", c.topology, i, c.plain)
			}
		}
		if !slices.Contains(a.color[0], 0x3f) {
			t.Errorf("%v draws nothing", c.topology)
		}
	}
}

// Every maker of polygons: the same square from a list, a strip, a fan.
func TestState_RAS232_PolygonsOfEveryTopology(t *testing.T) {
	rules.Covers(t, "RAS-232", "RAS-096")
	dev := ruleDevice(t)
	a, b, c, e := at(1, 1, 1), at(5, 1, 1), at(5, 4, 1), at(1, 4, 1)
	want := []string{"......", ".xxxx.", ".xxxx.", ".xxxx.", "......"}
	for topology, v := range map[vk.PrimitiveTopology][]ruleVertex{
		vk.PrimitiveTopologyTriangleList: {a, b, c, a, c, e}, vk.PrimitiveTopologyTriangleStrip: {a, b, e, c}, vk.PrimitiveTopologyTriangleFan: {a, b, c, e},
	} {
		d := triangles("white.frag", 1, 6, 5, v...)
		d.topology = topology
		wantMap(t, fmt.Sprint(topology), d.run(t, dev), want...)
		if d.queried != 12 {
			t.Errorf("%v: %d samples", topology, d.queried)
		}
	}
	d := values(vk.PrimitiveTopologyTriangleList, 6, 5, a, b, c, a, c, e)
	d.geometry = "fan.geom"
	wantMap(t, "geometry shader", d.run(t, dev), want...)
	// A fragment's pixels are a block at a multiple of its size.
	for _, size := range [][2]uint32{{1, 1}, {2, 1}, {1, 4}, {4, 2}, {4, 4}} {
		d := triangles("derivatives.frag", 5, 9, 9, everywhere(9)...)
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.FragmentSize = vk.Extent2D{Width: size[0], Height: size[1]} }
		got := d.run(t, dev)
		for i := range 81 {
			x, y, w, h := i%9, i/9, int(size[0]), int(size[1])
			v := got.at(4, x, y, 0)
			if v[0] != float32(x/w*w)+float32(w)/2 || v[1] != float32(y/h*h)+float32(h)/2 {
				t.Fatalf("fragments of %v: pixel %d,%d is shaded at %v", size, x, y, v[:2])
			}
		}
	}
}

// In a rectangle's corners the perspective denominator may be below zero: the
// provoking vertex's values.
func TestState_RAS255_BeyondTheTriangle(t *testing.T) {
	rules.Covers(t, "RAS-255")
	dev := ruleDevice(t)
	for mode, provoking := range []float32{10, 12} {
		d := values(vk.PrimitiveTopologyTriangleList, 8, 8, at(0, 0, 10).deep(0, 1), at(8, 0, 11).deep(0, 100), at(0, 8, 12).deep(0, 100))
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			p.Rasterization.PolygonMode, p.ProvokingVertex = vk.PolygonModeFillRectangleNV, vk.ProvokingVertexModeEXT(mode)
		}
		got := d.run(t, dev)
		// 1/w is 1 in one corner, 0.01 in two, and -0.98 in the last.
		if v := got.at(ruleSmooth, 7, 7, 0)[0]; v != provoking {
			t.Errorf("mode %d: %v, want the provoking vertex's %v", mode, v, provoking)
		}
		if v := got.at(ruleLinear, 7, 7, 0)[0]; math.Abs(float64(v)-(10+7.5/8+2*7.5/8)) > 1e-5 {
			t.Errorf("without perspective: %v", v)
		}
	}
}

// What does not change coverage: attachments' contents, masks, tests of others.
func TestState_RAS361_Invariance(t *testing.T) {
	rules.Covers(t, "RAS-361", "RAS-362")
	dev := ruleDevice(t)
	scene := func(change func(p *pumice.GraphicsPipelineDesc), pass func(*pumice.Pass)) *ruleImages {
		d := values(vk.PrimitiveTopologyTriangleList, 24, 20, at(1.3, 2.1, .3, 5).deep(.1, 1), at(22.7, 4.4, 7, -2).deep(.9, 2), at(5.2, 19.6, 1, 1).deep(.4, 1))
		d.depth, d.samples = vk.FormatD32SfloatS8Uint, 4
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			withDepth(p)
			p.Blend = &vk.PipelineColorBlendStateCreateInfo{}
			for range p.ColorFormats {
				p.Blend.Attachments = append(p.Blend.Attachments, vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15})
			}
			if change != nil {
				change(p)
			}
		}
		d.pass = pass
		return d.run(t, dev)
	}
	want := scene(nil, nil)
	for name, change := range map[string]func(p *pumice.GraphicsPipelineDesc){
		"the first attachment's mask": func(p *pumice.GraphicsPipelineDesc) { p.Blend.Attachments[0].ColorWriteMask = 0 },
		"its blending":                func(p *pumice.GraphicsPipelineDesc) { p.Blend.Attachments[0].BlendEnable = true },
		"stencil operations": func(p *pumice.GraphicsPipelineDesc) {
			p.DepthStencil.StencilTestEnable = true
			p.DepthStencil.Front.CompareOp, p.DepthStencil.Back.CompareOp = vk.CompareOpAlways, vk.CompareOpAlways
			p.DepthStencil.Front.PassOp, p.DepthStencil.Back.PassOp = vk.StencilOpInvert, vk.StencilOpReplace
		},
		"the comparison": func(p *pumice.GraphicsPipelineDesc) { p.DepthStencil.DepthCompareOp = vk.CompareOpAlways },
	} {
		got := scene(change, nil)
		for c := 1; c < 5; c++ {
			if !slices.Equal(got.color[c], want.color[c]) {
				t.Errorf("%s changes attachment %d", name, c)
			}
		}
		if !slices.Equal(got.z, want.z) {
			t.Errorf("%s changes depth", name)
		}
	}
	// A scissor takes away, and changes nothing in what it leaves.
	got := scene(nil, func(p *pumice.Pass) {
		p.SetScissor(vk.Rect2D{Offset: vk.Offset2D{X: 5, Y: 3}, Extent: vk.Extent2D{Width: 9, Height: 11}})
	})
	for y := range 20 {
		for x := range 24 {
			for s := range 4 {
				a, b := got.at(ruleSmooth, x, y, s), want.at(ruleSmooth, x, y, s)
				if x < 5 || x >= 14 || y < 3 || y >= 14 {
					b = [4]float32{}
				}
				if a != b {
					t.Fatalf("scissored, pixel %d,%d: %v, want %v", x, y, a, b)
				}
			}
		}
	}
	// Each attachment as if it were alone.
	d := values(vk.PrimitiveTopologyTriangleList, 24, 20, at(1.3, 2.1, .3, 5).deep(.1, 1), at(22.7, 4.4, 7, -2).deep(.9, 2), at(5.2, 19.6, 1, 1).deep(.4, 1))
	d.samples, d.colors = 4, 1
	if alone := d.run(t, dev); !slices.Equal(alone.color[0], want.color[0]) {
		t.Error("the first attachment differs when it is alone")
	}
}

// Side effects are those of the same commands however often they are given; so is
// what depends on none.
func TestState_RAS364_SideEffects(t *testing.T) {
	rules.Covers(t, "RAS-364")
	dev := ruleDevice(t)
	var first *ruleImages
	var counts []uint32
	for range 5 {
		d := triangles("count.frag", 2, 40, 40, everywhere(40, [4]float32{0}, [4]float32{80}, [4]float32{7})...)
		got := d.run(t, dev)
		counts = append(counts, d.counter[0])
		if first == nil {
			first = got
		}
		if !slices.Equal(got.color[1], first.color[1]) {
			t.Fatal("FragCoord differs")
		}
		for i := range 1600 {
			if a, b := got.at(0, i%40, i/40, 0), first.at(0, i%40, i/40, 0); a[1] != b[1] || a[2] != b[2] {
				t.Fatalf("pixel %d: %v, once it was %v", i, a, b)
			}
		}
	}
	if counts[0] != 1600 || slices.Max(counts) != slices.Min(counts) {
		t.Errorf("invocations: %v", counts)
	}
}

// Zeros of either sign and denormal numbers as positions and values.
func TestState_RAS368_SmallNumbers(t *testing.T) {
	rules.Covers(t, "RAS-368")
	dev := ruleDevice(t)
	tiny, minus := math.Float32frombits(1), float32(math.Copysign(0, -1))
	for name, v := range map[string][3][4]float32{
		"denormal": {{tiny}, {tiny}, {tiny}}, "minus zero": {{minus}, {minus}, {minus}},
	} {
		d := values(vk.PrimitiveTopologyTriangleList, 4, 4, everywhere(4, v[0], v[1], v[2])...)
		d.depth = vk.FormatD32Sfloat
		for i := range d.vertices {
			d.vertices[i].z = v[i][0]
		}
		d.pipeline = withDepth
		got := d.run(t, dev)
		for i := range 16 {
			// Constant values come out as they went in; minus zero may lose its sign
			// where zero is added.
			for _, c := range []int{ruleSmooth, ruleLinear, ruleFlat} {
				if f := got.at(c, i%4, i/4, 0)[0]; f != v[0][0] {
					t.Errorf("%s: attachment %d has %v, want %v", name, c, f, v[0][0])
				}
			}
			if z := got.depth(i%4, i/4, 0); z != v[0][0] {
				t.Errorf("%s: depth %v, want %v", name, z, v[0][0])
			}
		}
	}
	// Positions of either zero are the same place.
	for _, zero := range []float32{0, minus, tiny, -tiny} {
		d := triangles("white.frag", 1, 4, 4)
		for _, p := range [3][2]float32{{zero, zero}, {1, zero}, {zero, 1}} {
			d.vertices = append(d.vertices, ruleVertex{x: 2 * (p[0] + 1), y: 2 * (p[1] + 1), w: 1, value: [4]float32{1}})
		}
		wantMap(t, fmt.Sprint(zero), d.run(t, dev), "....", "....", "..x.", "....")
	}
}

// Steps in their order, where another order would show: flat values are chosen
// before clipping, faces come after clipping and viewport, polygon modes after
// culling, resolve after all draws.
func TestState_RAS045_Order(t *testing.T) {
	rules.Covers(t, "RAS-045", "RAS-094")
	dev := ruleDevice(t)
	// The provoking vertex lies behind the eye, and is cut off.
	d := values(vk.PrimitiveTopologyTriangleList, 8, 8)
	for i, p := range [3][4]float32{{0, 1, 0, -1}, {-.5, -.5, 0, 1}, {.5, -.5, 0, 1}} {
		d.vertices = append(d.vertices, ruleVertex{x: 4 * (p[0]/p[3] + 1), y: 4 * (p[1]/p[3] + 1), w: p[3], value: [4]float32{float32(10 + i)}})
	}
	got := d.run(t, dev)
	if v := got.at(ruleFlat, 4, 4, 0)[0]; v != 10 || d.queried == 0 {
		t.Errorf("flat value %v, %d samples", v, d.queried)
	}
	// The part that is left goes down from the edge at y = 2, whose vertices come from
	// left to right: clockwise, a back. The three vertices divided by w, without
	// clipping, would be a front; upside down it is one.
	for cull, want := range map[vk.CullModeFlags]bool{vk.CullModeFrontBit: true, vk.CullModeBackBit: false} {
		for _, flipped := range []bool{false, true} {
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.Rasterization.CullMode = cull }
			d.viewports = []vk.Viewport{{Width: 8, Height: 8, MaxDepth: 1}}
			if flipped {
				d.viewports = []vk.Viewport{{Y: 8, Width: 8, Height: -8, MaxDepth: 1}}
			}
			if d.run(t, dev); d.queried > 0 != (want != flipped) {
				t.Errorf("culling %v, flipped %v: %d samples", cull, flipped, d.queried)
			}
		}
	}
	// The samples that a second draw covers are there when the pass resolves.
	target, err := dev.NewImage(pumice.ImageDesc{Format: ruleFormat, Width: 2, Height: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	many, err := dev.NewImage(pumice.ImageDesc{Format: ruleFormat, Width: 2, Height: 1, Samples: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer many.Close()
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.Rendering{Color: []pumice.Attachment{{Target: many, Resolve: target, Load: vk.AttachmentLoadOpClear}}})
	pass.ClearAttachments([]vk.ClearAttachment{{AspectMask: vk.ImageAspectColorBit, ClearValue: vk.ClearValue{Color: vk.ClearColorValue{Float32: [4]float32{3}}}}},
		vk.ClearRect{Rect: vk.Rect2D{Extent: vk.Extent2D{Width: 1, Height: 1}}, LayerCount: 1})
	pass.End()
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	data, err := target.Read(ctx, pumice.Subresource{})
	if err != nil {
		t.Fatal(err)
	}
	r := &ruleImages{d: &ruleDraw{size: [2]int{2, 1}, samples: 1}, color: [][]byte{data}}
	if a, b := r.at(0, 0, 0, 0)[0], r.at(0, 1, 0, 0)[0]; a != 3 || b != 0 {
		t.Errorf("resolved to %v, %v", a, b)
	}
}

// What is rasterized is of the topology's class, and of that of a geometry shader's output where there is one: points have a size, lines a
// width, triangles a polygon mode and faces. Topologies that commands set are of the pipeline's class.
func TestState_RAS052_Classes(t *testing.T) {
	rules.Covers(t, "RAS-052", "RAS-050")
	dev := ruleDevice(t)
	const far = 100
	out := at(far, far, 1)
	a, b, c, e := at(1.5, 1.5, 1), at(4.5, 1.5, 1), at(1.5, 4.5, 1), at(4.5, 4.5, 1)
	point := []string{"......", ".x..x.", "......", "......", ".x....", "......"}
	line := []string{"......", ".xxx..", "......", "......", "......", "......"}
	strip := []string{"......", ".xxxx.", "...x..", "..x...", "......", "......"} // of each all but its end
	outline := []string{"......", ".xxxx.", ".x.x..", ".xx...", ".x....", "......"}
	both := []string{"......", ".xxxx.", ".x.xx.", ".xx.x.", ".xxxx.", "......"}
	for _, x := range []struct {
		topology, of vk.PrimitiveTopology // drawn, and of the pipeline where commands set it
		vertices     []ruleVertex
		want         []string
	}{
		{vk.PrimitiveTopologyPointList, vk.PrimitiveTopologyPointList, []ruleVertex{a, b, c}, point},
		{vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyLineStrip, []ruleVertex{a, b}, line},
		{vk.PrimitiveTopologyLineStrip, vk.PrimitiveTopologyLineListWithAdjacency, []ruleVertex{a, b, c}, strip},
		{vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyLineList, []ruleVertex{out, a, b, out}, line},
		{vk.PrimitiveTopologyLineStripWithAdjacency, vk.PrimitiveTopologyLineList, []ruleVertex{out, a, b, c, out}, strip},
		{vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyTriangleFan, []ruleVertex{a, b, c}, outline},
		{vk.PrimitiveTopologyTriangleStrip, vk.PrimitiveTopologyTriangleList, []ruleVertex{a, b, c, e}, both},
		{vk.PrimitiveTopologyTriangleFan, vk.PrimitiveTopologyTriangleStripWithAdjacency, []ruleVertex{c, a, b, e}, both},
		{vk.PrimitiveTopologyTriangleListWithAdjacency, vk.PrimitiveTopologyTriangleList, []ruleVertex{a, out, b, out, c, out}, outline},
		{vk.PrimitiveTopologyTriangleStripWithAdjacency, vk.PrimitiveTopologyTriangleStrip, []ruleVertex{a, out, b, out, c, out, e, out}, both},
	} {
		for _, dynamic := range []bool{false, true} {
			d := triangles("white.frag", 1, 6, 6, x.vertices...)
			d.topology = x.topology
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				p.Rasterization.PolygonMode = vk.PolygonModeLine
				p.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: vk.LineRasterizationModeBresenham}
				if dynamic {
					p.InputAssembly.Topology, p.DynamicStates = x.of, []vk.DynamicState{vk.DynamicStatePrimitiveTopology}
				}
			}
			if dynamic {
				d.pass = func(p *pumice.Pass) { p.SetPrimitiveTopology(x.topology) }
			}
			wantMap(t, fmt.Sprintf("%v, by a command %v", x.topology, dynamic), d.run(t, dev), x.want...)
		}
	}
	// Lines of a geometry shader are no polygons, whose mode would make them points.
	d := triangles("white.frag", 1, 6, 6, a, b, c)
	d.geometry = "edge.geom"
	d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
		p.Rasterization.PolygonMode = vk.PolygonModePoint
		p.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: vk.LineRasterizationModeBresenham}
	}
	wantMap(t, "lines of a geometry shader", d.run(t, dev), line...)
}
