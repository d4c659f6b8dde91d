package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/viewports.vert.spv testdata/viewports.vert
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/strip.vert.spv testdata/strip.vert
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/perview.vert.spv testdata/perview.vert

// halves gives a pipeline two viewports, the left and the right half of a target.
func halves(vertex []byte) func(*GraphicsPipelineInfo) {
	return func(i *GraphicsPipelineInfo) {
		i.Vertex.Code = vertex
		all := vk.Rect2D{Extent: vk.Extent2D{Width: 16, Height: 8}}
		i.Viewport = vk.PipelineViewportStateCreateInfo{Viewports: []vk.Viewport{{Width: 8, Height: 8, MaxDepth: 1}, {X: 8, Width: 8, Height: 8, MaxDepth: 1}},
			Scissors: []vk.Rect2D{all, all}}
	}
}

// drawnIn counts the texels drawn in a rectangle of a layer.
func drawnIn(t *testing.T, im *Image, layer, x0, x1, y0, y1 int) (n int) {
	t.Helper()
	for i, v := range texels(t, im, layer, 0) {
		if x, y := i%16, i/16; v != 9999 && x >= x0 && x < x1 && y >= y0 && y < y1 {
			n++
		}
	}
	return n
}

// A mask makes a copy of a primitive for each viewport that it names, and a layer that
// is relative counts from the viewport's index. What is out of range draws nothing.
func TestViewportMask_RAS070_RAS071_CopiesAndRelativeLayers(t *testing.T) {
	rules.Covers(t, "RAS-070", "RAS-071")
	d := open(t)
	p := fullscreen(t, d, "number.frag", numberFormats, halves(shaderCode(t, "viewports.vert")))
	type part struct{ layer, viewport int }
	for _, c := range []struct {
		mask, layer uint32
		want        []part
	}{
		{0, 0, nil},
		{0b1, 0, []part{{0, 0}}},
		{0b10, 0, []part{{1, 1}}},
		{0b11, 0, []part{{0, 0}, {1, 1}}},
		{0b11, 1, []part{{1, 0}, {2, 1}}},
		{0b11, 2, []part{{2, 0}}},    // there are three layers
		{0b10101, 1, []part{{1, 0}}}, // and two viewports
		{0b10, 0xffffff, nil},        // a layer of -1
	} {
		a, av := target(t, d, numbers, 1, 3)
		fillWords(a, 9999)
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{LayerCount: 3, Color: []RenderingAttachment{{View: av}}})
		b.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		b.Draw("Pass.Draw", 3, 1, 0, c.layer<<8|c.mask)
		b.EndRendering("end")
		submit(t, d, b)
		for layer := range 3 {
			for viewport := range 2 {
				want := 0
				for _, w := range c.want {
					if w == (part{layer, viewport}) {
						want = 64
					}
				}
				if n := drawnIn(t, a, layer, 8*viewport, 8*viewport+8, 0, 8); n != want {
					t.Errorf("mask %#b, layer %d: %d texels of viewport %d in layer %d, want %d", c.mask, int32(c.layer<<8)>>8, n, viewport, layer, want)
				}
			}
		}
	}
}

// A view has the position and the viewports of its own, if the shader writes some: views
// 0 and 1 have a position, view 2 has a mask.
func TestMultiview_RAS072_PerViewAttributes(t *testing.T) {
	rules.Covers(t, "RAS-072")
	d := open(t)
	r := numberFormats
	r.ViewMask = 7
	p := fullscreen(t, d, "number.frag", r, halves(shaderCode(t, "perview.vert")))
	a, av := target(t, d, numbers, 1, 3)
	fillWords(a, 9999)
	b := d.NewCommandBuffer()
	b.BeginRendering(RenderingInfo{ViewMask: 7, Color: []RenderingAttachment{{View: av}}})
	draw(b, p)
	b.EndRendering("end")
	submit(t, d, b)
	for view, want := range [3][5]int{ // a quarter of the left viewport, its right half, the lower half of the right one
		{4, 8, 4, 8, 16}, {4, 8, 0, 8, 32}, {8, 16, 4, 8, 32},
	} {
		all := drawnIn(t, a, view, 0, 16, 0, 8)
		if n := drawnIn(t, a, view, want[0], want[1], want[2], want[3]); n != want[4] || all != n {
			t.Errorf("view %d: %d texels of %d in %v, %d in all", view, n, want[4], want[:4], all)
		}
	}
	// Without multiview there are no views to have them.
	single := fullscreen(t, d, "number.frag", numberFormats, halves(shaderCode(t, "perview.vert")))
	if n := covered(t, d, func(c *CommandBuffer) { draw(c, single) }); n != 32 {
		t.Errorf("one view: %d texels, want 32", n)
	}
}

// The copies of a stippled line begin at one place of the pattern; the first moves it on.
func TestViewportMask_RAS070_StippleOfEachCopy(t *testing.T) {
	rules.Covers(t, "RAS-070")
	d := open(t)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		halves(shaderCode(t, "strip.vert"))(i)
		i.Viewport.Viewports[1].Width = 4
		i.InputAssembly.Topology = vk.PrimitiveTopologyLineStrip
		i.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: vk.LineRasterizationModeBresenham, StippledLineEnable: true, LineStippleFactor: 1, LineStipplePattern: 0x0f0f}
	})
	a, av := target(t, d, numbers, 1, 1)
	fillWords(a, 9999)
	b := d.NewCommandBuffer()
	b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	draw(b, p)
	b.EndRendering("end")
	submit(t, d, b)
	// Four pixels on, four off: the second line begins off, in the small viewport too.
	if left, right := drawnIn(t, a, 0, 0, 4, 4, 5), drawnIn(t, a, 0, 8, 10, 4, 5); left != 4 || right != 2 || drawnIn(t, a, 0, 0, 16, 0, 8) != 6 {
		t.Errorf("%d and %d pixels of %d, want 4 and 2 of 6", left, right, drawnIn(t, a, 0, 0, 16, 0, 8))
	}
}

// Viewports and scissors of pipelines keep the rules that those of commands keep, and are mended as they
// are; where they are dynamic, or nothing is rasterized, they mean nothing.
func TestPipeline_RAS007_StaticViewports(t *testing.T) {
	rules.Covers(t, "RAS-007")
	good := vk.Viewport{Width: 16, Height: 8, MaxDepth: 1}
	all := vk.Rect2D{Extent: vk.Extent2D{Width: 16, Height: 8}}
	changed := func(change func(*vk.Viewport)) vk.Viewport { v := good; change(&v); return v }
	for _, c := range []struct {
		viewport vk.Viewport
		scissor  vk.Rect2D
		rule     string // of commands and pipelines, or of pipelines alone
		mended   bool
	}{
		{good, all, "", false},
		{changed(func(v *vk.Viewport) { v.Width = 0 }), all, "VUID-VkViewport-width-01770", false},
		{changed(func(v *vk.Viewport) { v.Height = -32769 }), all, "VUID-VkViewport-width-01770", false},
		{changed(func(v *vk.Viewport) { v.X = -65537 }), all, "VUID-VkViewport-x-01774", false},
		{changed(func(v *vk.Viewport) { v.Y = 65535 }), all, "VUID-VkViewport-x-01774", false},
		{changed(func(v *vk.Viewport) { v.MaxDepth = 1.5 }), all, "VUID-VkViewport-minDepth-01234", true},
		{good, vk.Rect2D{Offset: vk.Offset2D{Y: -1}, Extent: all.Extent}, "VUID-VkPipelineViewportStateCreateInfo-x-02821", true},
		{good, vk.Rect2D{Offset: vk.Offset2D{X: 1}, Extent: vk.Extent2D{Width: 1<<31 - 1, Height: 8}}, "VUID-VkPipelineViewportStateCreateInfo-offset-02822", true},
		{good, vk.Rect2D{Offset: vk.Offset2D{Y: 1}, Extent: vk.Extent2D{Width: 16, Height: 1<<31 - 1}}, "VUID-VkPipelineViewportStateCreateInfo-offset-02823", true},
	} {
		for _, mend := range []bool{false, true} {
			d, err := Open(Config{HeapMemory: true, Threads: 1, Mend: mend})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			made := func(change func(*GraphicsPipelineInfo)) (*Pipeline, error) {
				info := &GraphicsPipelineInfo{
					Vertex:        Stage{Code: shaderCode(t, "input.vert")},
					InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
					Viewport:      vk.PipelineViewportStateCreateInfo{Viewports: []vk.Viewport{c.viewport}, Scissors: []vk.Rect2D{c.scissor}},
				}
				change(info)
				return d.NewGraphicsPipeline(info)
			}
			p, err := made(func(*GraphicsPipelineInfo) {})
			want := c.rule
			if mend && c.mended {
				want = ""
			}
			if rule(err) != want {
				t.Errorf("%v, %v, mended %v: %v, want %q", c.viewport, c.scissor, mend, err, want)
			}
			if p != nil && (p.static.Viewports[0].MaxDepth != 1 || p.static.Scissors[0].Offset.Y < 0 || p.static.Scissors[0].Extent.Width > 1<<31-1-uint32(p.static.Scissors[0].Offset.X)) {
				t.Errorf("%+v, %+v are not mended", p.static.Viewports[0], p.static.Scissors[0])
			}
			if _, err := made(func(i *GraphicsPipelineInfo) {
				i.DynamicStates = []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor}
			}); err != nil {
				t.Errorf("dynamic: %v", err)
			}
			if _, err := made(func(i *GraphicsPipelineInfo) { i.Rasterization.RasterizerDiscardEnable = true }); err != nil {
				t.Errorf("with rasterizer discard: %v", err)
			}
			if c.viewport != good {
				b := d.NewCommandBuffer()
				b.SetViewport([]vk.Viewport{c.viewport})
				if rule(b.Err()) != want {
					t.Errorf("%v as a command: %v, want %q", c.viewport, b.Err(), want)
				}
			}
		}
	}
}
