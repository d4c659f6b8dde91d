package core

import (
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

// Draws of one state share it when they are carried out.
func TestRun_DrawsOfOneState_ShareIt(t *testing.T) {
	c := drawing(t, open(t))
	c.Draw("Pass.Draw", 3, 1, 0, 0)
	c.SetScissor([]vk.Rect2D{{Extent: vk.Extent2D{Width: 1, Height: 1}}})
	c.Draw("Pass.Draw", 3, 1, 0, 0)
	r := &runner{dev: c.dev, spares: &spares{}, bindings: newBindings(c.table)}
	if err := r.run(ctx, c.words); err != nil {
		t.Fatal(err)
	}
	d := r.pass.Draws
	if len(d) != 3 || d[0].State != d[1].State || d[1].State == d[2].State || d[0].Fragment != d[2].Fragment {
		t.Error("state is not shared between the draws that have the same")
	}
	if d[0].State.Scissors[0].Extent.Width != 8 || d[2].State.Scissors[0].Extent.Width != 1 {
		t.Error("a draw has another's scissor")
	}
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
