package core

import (
	"cmp"
	"errors"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// drawing makes a command buffer inside a pass, with a pipeline bound.
func drawing(t testing.TB, d *Device) *CommandBuffer {
	t.Helper()
	read := func(name string) []byte {
		code, err := os.ReadFile("../../testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	const format = vk.FormatR8G8B8A8Unorm
	p, err := d.NewGraphicsPipeline(&GraphicsPipelineInfo{
		Vertex: Stage{Code: read("triangle.vert.spv")}, Fragment: Stage{Code: read("triangle.frag.spv")},
		InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
		Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1},
		DynamicStates: []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor},
		ColorBlend:    vk.PipelineColorBlendStateCreateInfo{Attachments: make([]vk.PipelineColorBlendAttachmentState, 1)},
		Rendering:     vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{format}},
	})
	if err != nil {
		t.Fatal(err)
	}
	im, err := d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: format, Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}}, nil, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.NewImageView(im, resource.ViewDesc{}, "")
	if err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	area := c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: v}}})
	c.BindPipeline("Pass.BindPipeline", vk.PipelineBindPointGraphics, p)
	c.SetViewport([]vk.Viewport{{Width: 8, Height: 8, MaxDepth: 1}})
	c.SetScissor([]vk.Rect2D{area})
	c.Draw("Pass.Draw", 3, 1, 0, 0)
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// A draw takes five words, and recording it allocates only to grow the stream.
func TestRecord_Draw_IsCompact(t *testing.T) {
	c := drawing(t, open(t))
	before := len(c.words)
	c.words = append(make([]uint32, 0, 1<<16), c.words...)
	allocs := testing.AllocsPerRun(100, func() { c.Draw("Pass.Draw", 3, 1, 0, 0) })
	if n := len(c.words) - before; allocs != 0 || n != 5*101 {
		t.Errorf("101 draws took %d words and %v allocations each, want 505 and 0", n, allocs)
	}
}

// Draws of one state share it when they are carried out, also where their scissors differ, unless
// somebody watches.
func TestRun_DrawsOfOneState_ShareIt(t *testing.T) {
	c := drawing(t, open(t))
	draw := func() { c.Draw("Pass.Draw", 3, 1, 0, 0) }
	scissor := func(width uint32) {
		c.SetScissor([]vk.Rect2D{{Extent: vk.Extent2D{Width: width, Height: 1}}})
		draw()
	}
	draw()
	scissor(1)
	scissor(2)
	c.SetState(vk.DynamicStateLineWidth, 0x40000000)
	draw()
	scissor(3)
	c.SetState(vk.DynamicStateLineWidth, 0x3f800000)
	scissor(4)
	var p *Pipeline
	for name, k := range map[string]struct {
		prepare func()
		first   [7]int    // draw with the state of each
		widths  [7]uint32 // of its scissor
	}{
		"dynamic": {func() {}, [7]int{0, 0, 0, 0, 4, 4, 6}, [7]uint32{8, 8, 1, 2, 2, 3, 4}},
		"watched": {func() { c.dev.watcher = new(Watcher) }, [7]int{0, 0, 2, 3, 4, 5, 6}, [7]uint32{8, 8, 1, 2, 2, 3, 4}},
		"static":  {func() { p.dynamic.remove(dynScissor) }, [7]int{0, 0, 0, 0, 4, 4, 6}, [7]uint32{}},
	} {
		c.dev.watcher = nil
		r := &runner{dev: c.dev, spares: &spares{}, bindings: newBindings(c.table)}
		for _, o := range c.table {
			if bound, ok := o.(*Pipeline); ok {
				p = bound
			}
		}
		dynamic := p.dynamic
		k.prepare()
		err := r.run(ctx, c.words)
		if p.dynamic = dynamic; err != nil || len(r.pass.Draws) != len(k.first) {
			t.Fatalf("%s: %v", name, err)
		}
		d := r.pass.Draws
		for i := range d {
			got := cmp.Or(d[i].Scissors, &d[i].State.Scissors)[0].Extent.Width
			if got != k.widths[i] {
				t.Errorf("%s: draw %d has a scissor %d wide, want %d", name, i, got, k.widths[i])
			}
			if d[i].State != d[k.first[i]].State || i > 0 && k.first[i] == i && d[i].State == d[i-1].State {
				t.Errorf("%s: draw %d does not have the state of draw %d", name, i, k.first[i])
			}
			if d[i].Fragment != d[0].Fragment {
				t.Errorf("%s: draw %d has another context", name, i)
			}
		}
	}
	c.dev.watcher = nil
}

// The first error sticks; what follows is not recorded.
func TestRecord_FirstErrorSticks(t *testing.T) {
	c := drawing(t, open(t))
	c.SetState(vk.DynamicStateLineWidth, 0xbf800000) // -1
	first, words := c.Err(), len(c.words)
	c.EndRendering("Pass.End")
	c.Dispatch("CommandBuffer.Dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
	var e *Error
	if c.Err() != first || len(c.words) != words || !errors.As(first, &e) || e.Rule != "VUID-vkCmdSetLineWidth-lineWidth-00788" {
		t.Errorf("the error is %v after %v, %d words after %d", c.Err(), first, len(c.words), words)
	}
	c.Reset()
	if c.Err() != nil {
		t.Error("Reset keeps the error")
	}
}

// BenchmarkRecord measures a draw with the state changes that usually go with it.
func BenchmarkRecord(b *testing.B) {
	d, err := Open(Config{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	c := drawing(b, d)
	push := make([]byte, 64)
	b.ReportAllocs()
	for b.Loop() {
		if len(c.words) > 1<<20 {
			c.words = c.words[:0]
		}
		c.PushConstants("Pass.PushConstants", 0, push)
		c.Draw("Pass.Draw", 3, 1, 0, 0)
	}
}
