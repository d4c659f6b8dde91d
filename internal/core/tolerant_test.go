package core

import (
	"os"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

func TestTolerate_BrokenRules_AreLeftOut(t *testing.T) {
	var told []string
	d, err := Open(Config{Threads: 1, Debug: func(m Message) { told = append(told, m.Rule) }})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := d.NewBuffer(vk.BufferCreateInfo{Size: 8, Usage: vk.BufferUsageTransferDstBit}, nil, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	im, err := d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: 1, Height: 1, Depth: 1}}, nil, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	c.Tolerate()
	c.FillBuffer(b, 1, 4, 7) // when recorded
	c.Drop()
	c.Misuse("vkCmdX", "vkCmdX-y", "z")
	c.Drop()
	c.FillBuffer(b, 0, 4, 7)
	c.ClearColorImage(im, vk.ClearColorValue{}, []vk.ImageSubresourceRange{{BaseMipLevel: 5}}) // when carried out
	c.FillBuffer(b, 4, 4, 7)
	if err := d.Queue().SubmitAndWait(ctx, "Submit", []*CommandBuffer{c}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 8)
	if err := b.Read(ctx, 0, got); err != nil || got[0] != 7 || got[4] != 7 {
		t.Errorf("commands after a broken one were left out: %v %v", got, err)
	}
	if len(told) != 3 || told[0] != "VUID-vkCmdFillBuffer-dstOffset-00025" || told[1] != "VUID-vkCmdX-y" {
		t.Errorf("told of %v", told)
	}
	c.Fail(ErrOutOfMemory)
	if c.Drop(); c.Err() == nil {
		t.Error("a lack of memory was dropped")
	}
}

// A pipeline without the attachment of a pass leaves it alone.
func TestTolerate_UnusedAttachment_IsLeftAlone(t *testing.T) {
	d := open(t)
	read := func(name string) []byte {
		code, err := os.ReadFile("../../testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	p, err := d.NewGraphicsPipeline(&GraphicsPipelineInfo{
		Vertex: Stage{Code: read("triangle.vert.spv")}, Fragment: Stage{Code: read("triangle.frag.spv")},
		InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
		Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1},
		Viewport:      vk.PipelineViewportStateCreateInfo{Viewports: []vk.Viewport{{Width: 1, Height: 1, MaxDepth: 1}}, Scissors: []vk.Rect2D{{Extent: vk.Extent2D{Width: 1, Height: 1}}}},
		ColorBlend:    vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{{ColorWriteMask: 15}}},
		Rendering:     vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{vk.FormatUndefined}},
	})
	if err != nil {
		t.Fatal(err)
	}
	im, err := d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: 1, Height: 1, Depth: 1}}, nil, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.NewImageView(im, resource.ViewDesc{}, "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.NewBuffer(vk.BufferCreateInfo{Size: 4, Usage: vk.BufferUsageTransferDstBit}, nil, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, tolerant := range []bool{false, true} {
		c := d.NewCommandBuffer()
		if tolerant {
			c.Tolerate()
		}
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: v, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{Color: vk.ClearColorValue{Float32: [4]float32{0, 0, 1, 1}}}}}})
		c.BindPipeline("BindPipeline", vk.PipelineBindPointGraphics, p)
		c.Draw("Draw", 3, 1, 0, 0)
		if (c.Err() == nil) != tolerant {
			t.Fatalf("tolerant %v: %v", tolerant, c.Err())
		}
		if !tolerant {
			continue
		}
		c.EndRendering("End")
		c.CopyImageToBuffer(im, b, nil)
		if err := d.Queue().SubmitAndWait(ctx, "Submit", []*CommandBuffer{c}); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 4)
		if err := b.Read(ctx, 0, got); err != nil || string(got) != "\x00\x00\xff\xff" {
			t.Errorf("the attachment holds %v %v", got, err)
		}
	}
}

// The queries of a pass that is left out end with it, and those of later passes
// are counted as ever.
func TestTolerate_PassLeftOut_QueriesEnd(t *testing.T) {
	d := open(t)
	im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}}, nil, 0, ""))(t)
	v := must(d.NewImageView(im, resource.ViewDesc{}, ""))(t)
	q := must(d.NewQueryPool(vk.QueryTypeOcclusion, 2))(t)
	c := d.NewCommandBuffer()
	c.Tolerate()
	for i := range 2 {
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: v}}})
		c.BeginQuery(q, i)
		c.EndQuery(q, i)
		c.EndRendering("End")
	}
	for _, o := range c.table {
		if info, ok := o.(*RenderingInfo); ok {
			info.Area.Extent.Width = 100 // a rule broken, which nobody has noticed so far
			break
		}
	}
	submit(t, d, c)
	if !q.available[0] || !q.available[1] {
		t.Errorf("available: %v", q.available)
	}
}

// Blend constants matter where a factor is made from them; the driver draws
// without states that have neutral values, and tells.
func TestTolerate_StatesThatNothingSets(t *testing.T) {
	for _, test := range []struct {
		name     string
		src      vk.BlendFactor
		states   []vk.DynamicState
		tolerant bool
		rule     string
		drawn    bool
	}{
		{"constants that are not used", vk.BlendFactorOne, []vk.DynamicState{vk.DynamicStateBlendConstants}, false, "", true},
		{"constants", vk.BlendFactorConstantColor, []vk.DynamicState{vk.DynamicStateBlendConstants}, false, "VUID-vkCmdDraw-None-07835", false},
		{"constants, in the driver", vk.BlendFactorOneMinusConstantAlpha, []vk.DynamicState{vk.DynamicStateBlendConstants}, true, "VUID-vkCmdDraw-None-07835", true},
		{"viewports, in the driver", vk.BlendFactorOne, []vk.DynamicState{vk.DynamicStateViewport}, true, "VUID-vkCmdDraw-None-07831", false},
	} {
		told := ""
		d, err := Open(Config{Threads: 1, Debug: func(m Message) { told = m.Rule }})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		const f = vk.FormatR32Sfloat
		p := fullscreen(t, d, "half.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{f}}, func(i *GraphicsPipelineInfo) {
			i.DynamicStates = test.states
			i.ColorBlend.Attachments[0].BlendEnable, i.ColorBlend.Attachments[0].SrcColorBlendFactor = true, test.src
		})
		a, av := target(t, d, f, 1, 1)
		fillWords(a, 5)
		c := d.NewCommandBuffer()
		if test.tolerant {
			c.Tolerate()
		}
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		draw(c, p)
		c.Drop()
		c.EndRendering("end")
		submit(t, d, c)
		if drawn := texels(t, a, 0, 0)[17] != 5; drawn != test.drawn || told != test.rule {
			t.Errorf("%s: drawn: %v; told of %q", test.name, drawn, told)
		}
	}
}

// Mesa's zink reads the stencil of multisampled windows by way of a buffer, which is
// no Vulkan: it is told, and gets sample 0.
func TestTolerate_BufferCopiesOfSamples(t *testing.T) {
	var told []string
	d := must(Open(Config{Threads: 1, HeapMemory: true, Debug: func(m Message) { told = append(told, m.Rule) }}))(t)
	defer d.Close()
	im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatS8Uint, Extent: vk.Extent3D{Width: 2, Height: 1, Depth: 1}, Samples: 4}, nil, 0, ""))(t)
	b := must(d.NewBuffer(vk.BufferCreateInfo{Size: 16, Usage: vk.BufferUsageTransferDstBit | vk.BufferUsageTransferSrcBit}, nil, 0, ""))(t)
	record := func(c *CommandBuffer) {
		c.UpdateBuffer(b, 0, []byte{5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
		c.CopyBufferToImage(b, im, nil)
		c.CopyImageToBuffer(im, b, []vk.BufferImageCopy{{BufferOffset: 8, ImageSubresource: im.allLayers(0), ImageExtent: im.extent(0)}})
	}
	strict := d.NewCommandBuffer()
	record(strict)
	if err := d.Queue().SubmitAndWait(t.Context(), "Submit", []*CommandBuffer{strict}); err == nil || len(told) != 1 || told[0] != "VUID-vkCmdCopyBufferToImage-dstImage-07973" {
		t.Errorf("error %v, told %q", err, told)
	}
	told = nil
	c := d.NewCommandBuffer()
	c.Tolerate()
	record(c)
	submit(t, d, c)
	if want := []string{"VUID-vkCmdCopyBufferToImage-dstImage-07973", "VUID-vkCmdCopyImageToBuffer-srcImage-07973"}; !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
	got := make([]byte, 16)
	if err := b.Read(t.Context(), 0, got); err != nil || string(got) != "\x05\x06\x00\x00\x00\x00\x00\x00\x05\x06\x00\x00\x00\x00\x00\x00" {
		t.Errorf("the buffer holds %v %v", got, err)
	}
}

// Rows of 5 texels of blocks that are 4 wide are rows of two blocks: that is told, and copied.
func TestTolerate_RowsOfPartsOfBlocks(t *testing.T) {
	var told []string
	d := must(Open(Config{Threads: 1, HeapMemory: true, Debug: func(m Message) { told = append(told, m.Rule) }}))(t)
	defer d.Close()
	im := must(d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatBc1RgbUnormBlock, Extent: vk.Extent3D{Width: 5, Height: 5, Depth: 1}}, nil, 0, ""))(t)
	const size = 4 * 8
	b := must(d.NewBuffer(vk.BufferCreateInfo{Size: 2 * size, Usage: vk.BufferUsageTransferDstBit | vk.BufferUsageTransferSrcBit}, nil, 0, ""))(t)
	blocks := make([]byte, size)
	for i := range blocks {
		blocks[i] = byte(i + 1)
	}
	c := d.NewCommandBuffer()
	c.Tolerate()
	c.UpdateBuffer(b, 0, blocks)
	region := vk.BufferImageCopy{BufferRowLength: 5, BufferImageHeight: 5, ImageSubresource: im.allLayers(0), ImageExtent: im.extent(0)}
	c.CopyBufferToImage(b, im, []vk.BufferImageCopy{region, region})
	region.BufferOffset = size
	c.CopyImageToBuffer(im, b, []vk.BufferImageCopy{region})
	submit(t, d, c)
	if want := []string{"VUID-vkCmdCopyBufferToImage-bufferRowLength-09106", "VUID-vkCmdCopyImageToBuffer-bufferRowLength-09106"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	got := make([]byte, size)
	if err := b.Read(t.Context(), size, got); err != nil || !slices.Equal(got, blocks) {
		t.Errorf("the blocks are %v (%v), want %v", got, err, blocks)
	}
}

// The states of rasterization need not be set where a command has switched rasterizer discard on.
func TestDraw_UnsetStatesUnderDiscard(t *testing.T) {
	d := open(t)
	p := fullscreen(t, d, "half.frag", vk.PipelineRenderingCreateInfo{}, func(i *GraphicsPipelineInfo) {
		i.DynamicStates = []vk.DynamicState{vk.DynamicStateRasterizerDiscardEnable, vk.DynamicStateRasterizationSamplesEXT, vk.DynamicStateCullMode, vk.DynamicStateViewport}
	})
	for _, test := range []struct {
		name  string
		set   func(c *CommandBuffer)
		rule  string
		drawn uint64 // vertices
	}{
		{"discarded", func(c *CommandBuffer) { c.SetState(vk.DynamicStateRasterizerDiscardEnable, 1) }, "", 3},
		{"discarded, samples are set", func(c *CommandBuffer) {
			c.SetState(vk.DynamicStateRasterizerDiscardEnable, 1)
			c.SetState(vk.DynamicStateRasterizationSamplesEXT, 4)
		}, "", 3},
		{"not discarded", func(c *CommandBuffer) { c.SetState(vk.DynamicStateRasterizerDiscardEnable, 0) }, "VUID-vkCmdDraw-None-07831", 0},
		{"no longer discarded", func(c *CommandBuffer) {
			c.SetState(vk.DynamicStateRasterizerDiscardEnable, 1)
			c.SetState(vk.DynamicStateRasterizerDiscardEnable, 0)
		}, "VUID-vkCmdDraw-None-07831", 0},
		{"unset", func(c *CommandBuffer) {}, "VUID-vkCmdDraw-None-07831", 0},
	} {
		kinds := vk.QueryPipelineStatisticFlags(vk.QueryPipelineStatisticInputAssemblyVerticesBit)
		q := must(d.NewQueries(vk.QueryPoolCreateInfo{QueryType: vk.QueryTypePipelineStatistics, QueryCount: 1, PipelineStatistics: kinds}))(t)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Area: vk.Rect2D{Extent: vk.Extent2D{Width: 1, Height: 1}}})
		c.BeginQuery(q, 0)
		test.set(c)
		draw(c, p)
		c.EndQuery(q, 0)
		c.EndRendering("end")
		if got := rule(c.Err()); got != test.rule {
			t.Errorf("%s: rule %q, want %q", test.name, got, test.rule)
		} else if got == "" {
			submit(t, d, c)
			if got := get(t, q, 0)[0]; got != test.drawn {
				t.Errorf("%s: %d vertices, want %d", test.name, got, test.drawn)
			}
		}
	}
}
