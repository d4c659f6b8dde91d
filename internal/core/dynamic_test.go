package core

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// extended are the dynamic states beyond the first two extensions.
var extended = []vk.DynamicState{
	vk.DynamicStateDepthClampEnableEXT, vk.DynamicStateDepthClipEnableEXT, vk.DynamicStateDepthClipNegativeOneToOneEXT, vk.DynamicStatePolygonModeEXT,
	vk.DynamicStateRasterizationSamplesEXT, vk.DynamicStateSampleMaskEXT, vk.DynamicStateAlphaToCoverageEnableEXT, vk.DynamicStateAlphaToOneEnableEXT,
	vk.DynamicStateLogicOpEnableEXT, vk.DynamicStateLogicOpEXT, vk.DynamicStateColorWriteEnableEXT, vk.DynamicStateColorBlendEnableEXT,
	vk.DynamicStateColorBlendEquationEXT, vk.DynamicStateColorWriteMaskEXT, vk.DynamicStateProvokingVertexModeEXT,
	vk.DynamicStateLineRasterizationModeEXT, vk.DynamicStateLineStippleEnableEXT, vk.DynamicStateLineStipple,
	vk.DynamicStateRasterizationStreamEXT,
}

// Each state has its effect on what a texel of number 17 becomes over 5.
func TestDynamicState3_Effects(t *testing.T) {
	d := open(t)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.DynamicStates = extended
		i.ColorBlend.Attachments = nil
	})
	for name, c := range map[string]struct {
		set  func(c *CommandBuffer)
		want uint32
	}{
		"nothing": {func(c *CommandBuffer) {}, 17},
		"logic op": {func(c *CommandBuffer) {
			c.SetState(vk.DynamicStateLogicOpEnableEXT, 1)
			c.SetState(vk.DynamicStateLogicOpEXT, uint32(vk.LogicOpXor))
		}, 17 ^ 5},
		"logic off": {func(c *CommandBuffer) {
			c.SetState(vk.DynamicStateLogicOpEXT, uint32(vk.LogicOpXor))
			c.SetState(vk.DynamicStateLogicOpEnableEXT, 0)
		}, 17},
		"write off":  {func(c *CommandBuffer) { c.SetColorWriteEnable([]bool{false}) }, 5},
		"write on":   {func(c *CommandBuffer) { c.SetColorWriteEnable([]bool{true, false}) }, 17},
		"write mask": {func(c *CommandBuffer) { c.SetState(vk.DynamicStateColorWriteMaskEXT, 0, uint32(vk.ColorComponentGBit)) }, 5},
		"next mask":  {func(c *CommandBuffer) { c.SetState(vk.DynamicStateColorWriteMaskEXT, 1, 0, 0) }, 17},
		"samples":    {func(c *CommandBuffer) { c.SetState(vk.DynamicStateSampleMaskEXT, ^uint32(1)) }, 5},
		"lines":      {func(c *CommandBuffer) { c.SetState(vk.DynamicStatePolygonModeEXT, uint32(vk.PolygonModeLine)) }, 5},
		"stream":     {func(c *CommandBuffer) { c.SetState(vk.DynamicStateRasterizationStreamEXT, 1) }, 5},
		"stream 0": {func(c *CommandBuffer) {
			c.SetState(vk.DynamicStateRasterizationStreamEXT, 1)
			c.SetState(vk.DynamicStateRasterizationStreamEXT, 0)
		}, 17},
		"clip": {func(c *CommandBuffer) {
			c.SetState(vk.DynamicStateDepthClampEnableEXT, 1)
			c.SetState(vk.DynamicStateDepthClipEnableEXT, 1)
			c.SetState(vk.DynamicStateDepthClipNegativeOneToOneEXT, 1)
			c.SetState(vk.DynamicStateProvokingVertexModeEXT, uint32(vk.ProvokingVertexModeLastVertexEXT))
			c.SetState(vk.DynamicStateLineRasterizationModeEXT, uint32(vk.LineRasterizationModeBresenham))
			c.SetState(vk.DynamicStateLineStippleEnableEXT, 0)
			c.SetState(vk.DynamicStateLineStipple, 1, 0xFFFF)
			c.SetState(vk.DynamicStateAlphaToCoverageEnableEXT, 0)
			c.SetState(vk.DynamicStateAlphaToOneEnableEXT, 0)
			c.SetState(vk.DynamicStateColorBlendEnableEXT, 0, 0)
		}, 17},
	} {
		a, av := target(t, d, numbers, 1, 1)
		fillWords(a, 5)
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		b.SetState(vk.DynamicStateRasterizationSamplesEXT, uint32(vk.SampleCount1Bit))
		c.set(b)
		draw(b, p)
		b.EndRendering("end")
		submit(t, d, b)
		if got := texels(t, a, 0, 0)[17]; got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Blend state of one attachment, and the number of samples.
func TestDynamicState3_BlendAndSamples(t *testing.T) {
	d := open(t)
	const f = vk.FormatR32Sfloat
	p := fullscreen(t, d, "half.frag", vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{f}}, func(i *GraphicsPipelineInfo) { i.DynamicStates = extended })
	_, av := target(t, d, f, 4, 1)
	r, rv := target(t, d, f, 1, 1)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av, Resolve: rv, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{Color: vk.ClearColorValue{Float32: [4]float32{2}}}}}})
	c.SetState(vk.DynamicStateRasterizationSamplesEXT, uint32(vk.SampleCount4Bit))
	c.SetState(vk.DynamicStateColorWriteMaskEXT, 0, uint32(vk.ColorComponentRBit))
	c.SetState(vk.DynamicStateColorBlendEnableEXT, 0, 1)
	c.SetState(vk.DynamicStateColorBlendEquationEXT, 0, uint32(vk.BlendFactorOne), uint32(vk.BlendFactorOne),
		uint32(vk.BlendOpReverseSubtract), 0, 0, 0)
	c.SetState(vk.DynamicStateSampleMaskEXT, uint32(0b0101))
	draw(c, p)
	c.EndRendering("end")
	submit(t, d, c)
	if got := math.Float32frombits(texels(t, r, 0, 0)[20]); got != 1.75 { // half of the samples 2, half 2−½
		t.Errorf("resolved to %v, want 1.75", got)
	}
}

// One pipeline draws from buffers of different layouts.
func TestDynamicState_VertexInput(t *testing.T) {
	d := open(t)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.Vertex.Code = shaderCode(t, "attribute.vert")
		i.DynamicStates = []vk.DynamicState{vk.DynamicStateVertexInputEXT}
	})
	minus := math.Float32bits(-1)
	floats := bufferOf(t, d, minus, minus, math.Float32bits(3), minus, minus, math.Float32bits(3)) // all of it
	bytes := bufferOf(t, d, 0, 0x00008181, 0x0000817F, 0x00007F81)                                 // one half, four bytes a vertex
	input := func(f vk.Format, stride, offset uint32) vk.PipelineVertexInputStateCreateInfo {
		return vk.PipelineVertexInputStateCreateInfo{
			VertexBindingDescriptions:   []vk.VertexInputBindingDescription{{Binding: 2, Stride: stride}},
			VertexAttributeDescriptions: []vk.VertexInputAttributeDescription{{Binding: 2, Format: f, Offset: offset}},
		}
	}
	count := func(set func(c *CommandBuffer)) (n int) {
		t.Helper()
		a, av := target(t, d, numbers, 1, 1)
		fillWords(a, 9999)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		set(c)
		draw(c, p)
		c.EndRendering("end")
		submit(t, d, c)
		for _, v := range texels(t, a, 0, 0) {
			if v != 9999 {
				n++
			}
		}
		return n
	}
	if n := count(func(c *CommandBuffer) {
		c.BindVertexBuffer(2, floats, 0, vk.WholeSize, nil)
		c.SetVertexInput(input(vk.FormatR32G32Sfloat, 8, 0), nil)
	}); n != 128 {
		t.Errorf("floats cover %d texels, want 128", n)
	}
	if n := count(func(c *CommandBuffer) {
		c.SetVertexInput(input(vk.FormatR8G8Snorm, 4, 4), nil)
		c.BindVertexBuffer(2, bytes, 0, vk.WholeSize, nil)
	}); n < 56 || n > 72 {
		t.Errorf("bytes cover %d texels, want about 64", n)
	}
	// The stride that comes last counts.
	stride := uint32(8)
	if n := count(func(c *CommandBuffer) {
		c.SetVertexInput(input(vk.FormatR32G32Sfloat, 0, 0), nil)
		c.BindVertexBuffer(2, floats, 0, vk.WholeSize, &stride)
	}); n != 128 {
		t.Errorf("with the buffer's stride %d texels, want 128", n)
	}
	stride = 0
	if n := count(func(c *CommandBuffer) {
		c.BindVertexBuffer(2, floats, 0, vk.WholeSize, &stride)
		c.SetVertexInput(input(vk.FormatR32G32Sfloat, 8, 0), nil)
	}); n != 128 {
		t.Errorf("with the state's stride %d texels, want 128", n)
	}
	// A buffer that brings none leaves what was set (VkBindVertexBuffer3InfoKHR::setStride,
	// vkCmdBindVertexBuffers2::pStrides).
	stride = 8
	if n := count(func(c *CommandBuffer) {
		c.SetVertexInput(input(vk.FormatR32G32Sfloat, 0, 0), nil)
		c.BindVertexBuffer(2, bytes, 0, vk.WholeSize, &stride)
		c.BindVertexBuffer(2, floats, 0, vk.WholeSize, nil)
	}); n != 128 {
		t.Errorf("with the stride of the buffer before %d texels, want 128", n)
	}
	c := d.NewCommandBuffer()
	_, av := target(t, d, numbers, 1, 1)
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	draw(c, p)
	if rule(c.Err()) != "VUID-vkCmdDraw-None-04914" {
		t.Errorf("without vertex input state: %v", c.Err())
	}
}

// With a static number of viewports, commands set no number.
func TestDynamicState_StaticViewportCount(t *testing.T) {
	rules.Covers(t, "RAS-040")
	d := open(t)
	a, av := target(t, d, numbers, 1, 1)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.DynamicStates = []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor}
	})
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	v := vk.Viewport{Width: 16, Height: 8, MaxDepth: 1}
	c.SetViewport([]vk.Viewport{v, v, v})
	c.SetScissor([]vk.Rect2D{{Extent: vk.Extent2D{Width: 16, Height: 8}}})
	draw(c, p)
	c.EndRendering("end")
	submit(t, d, c)
	if got := texels(t, a, 0, 0)[17]; got != 17 {
		t.Errorf("got %d, want 17", got)
	}
}

// What rasterization takes need not be set where rasterizer discard is on, and only there.
func TestDynamicState_DiscardNeedsLess(t *testing.T) {
	rules.Covers(t, "RAS-021")
	d := open(t)
	_, av := target(t, d, numbers, 1, 1)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.DynamicStates = []vk.DynamicState{
			vk.DynamicStateRasterizerDiscardEnable, vk.DynamicStatePrimitiveTopology, vk.DynamicStateScissor,
		}
	})
	const topology = uint32(vk.PrimitiveTopologyTriangleList)
	for _, c := range []struct {
		discard  []uint32
		topology bool
		want     string
	}{
		{[]uint32{1}, true, ""},
		{[]uint32{0, 1}, true, ""},
		{[]uint32{0}, true, "VUID-vkCmdDraw-None-07832"},
		{[]uint32{1, 0}, true, "VUID-vkCmdDraw-None-07832"},
		{[]uint32{1}, false, "VUID-vkCmdDraw-None-07842"},
	} {
		b := d.NewCommandBuffer()
		b.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		for _, on := range c.discard {
			b.SetState(vk.DynamicStateRasterizerDiscardEnable, on)
		}
		if c.topology {
			b.SetState(vk.DynamicStatePrimitiveTopology, topology)
		}
		draw(b, p)
		got := ""
		if b.Err() != nil {
			got = rule(b.Err())
		}
		if got != c.want {
			t.Errorf("%+v: %v", c, b.Err())
		}
	}
}

func TestDynamicState3_BadValues(t *testing.T) {
	d := open(t)
	for name, f := range map[string]func(c *CommandBuffer){
		"samples":    func(c *CommandBuffer) { c.SetState(vk.DynamicStateRasterizationSamplesEXT, 3) },
		"polygon":    func(c *CommandBuffer) { c.SetState(vk.DynamicStatePolygonModeEXT, 3) },
		"attachment": func(c *CommandBuffer) { c.SetState(vk.DynamicStateColorWriteMaskEXT, 15, 0, 0) },
		"none":       func(c *CommandBuffer) { c.SetState(vk.DynamicStateColorBlendEnableEXT, 0) },
		"equation":   func(c *CommandBuffer) { c.SetState(vk.DynamicStateColorBlendEquationEXT, 1<<31, 0, 0, 0, 0, 0, 0) },
		"advanced": func(c *CommandBuffer) {
			c.SetState(vk.DynamicStateColorBlendEquationEXT, 0, 0, 0, uint32(vk.BlendOpMultiplyEXT), 0, 0, 0)
		},
		"stipple": func(c *CommandBuffer) { c.SetState(vk.DynamicStateLineStipple, 0, 1) },
		"binding": func(c *CommandBuffer) {
			c.SetVertexInput(vk.PipelineVertexInputStateCreateInfo{VertexAttributeDescriptions: make([]vk.VertexInputAttributeDescription, 1)}, nil)
		},
	} {
		c := d.NewCommandBuffer()
		if f(c); c.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A line width that nothing uses may hold anything.
func TestPipeline_LineWidth_OnlyLinesMind(t *testing.T) {
	rules.Covers(t, "RAS-014", "RAS-058")
	d := open(t)
	info := &GraphicsPipelineInfo{
		Vertex:        Stage{Code: shaderCode(t, "input.vert")},
		InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
		DynamicStates: []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor},
	}
	if _, err := d.NewGraphicsPipeline(info); err != nil {
		t.Errorf("triangles: %v", err)
	}
	info.InputAssembly.Topology = vk.PrimitiveTopologyLineStrip
	if _, err := d.NewGraphicsPipeline(info); rule(err) != "VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-00749" {
		t.Errorf("lines: %v", err)
	}
	// Lines are always lines, points never; of polygons (and patches, which may be any) it is the mode.
	for topology := vk.PrimitiveTopologyPointList; topology <= vk.PrimitiveTopologyPatchList; topology++ {
		for mode := vk.PolygonModeFill; mode <= vk.PolygonModePoint; mode++ {
			want := mode == vk.PolygonModeLine
			switch topology {
			case vk.PrimitiveTopologyPointList:
				want = false
			case vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyLineStrip, vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyLineStripWithAdjacency:
				want = true
			}
			if got := drawsLines(topology, mode); got != want {
				t.Errorf("%v, %v: lines %v", topology, mode, got)
			}
		}
	}
}

// Depth clip follows depth clamp, static or dynamic, where nothing else sets it.
func TestPipeline_DepthClipFollowsClamp(t *testing.T) {
	rules.Covers(t, "RAS-009", "RAS-076")
	d := open(t)
	on := true
	for _, k := range []struct {
		explicit *bool
		dynamic  []vk.DynamicState
		want     bool
	}{
		{nil, nil, true},
		{nil, []vk.DynamicState{vk.DynamicStateDepthClampEnableEXT}, false},
		{&on, []vk.DynamicState{vk.DynamicStateDepthClampEnableEXT}, true},
		{nil, []vk.DynamicState{vk.DynamicStateDepthClampEnableEXT, vk.DynamicStateDepthClipEnableEXT}, true},
	} {
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) { i.DepthClipEnable, i.DynamicStates = k.explicit, k.dynamic })
		r := &runner{dev: &Device{}, bindings: newBindings(nil)}
		r.dynamic.DepthClampEnable = true
		if got := r.resolve(p).DepthClipEnable; got != k.want {
			t.Errorf("explicit %v, dynamic %v: depth clip is %v", k.explicit != nil, k.dynamic, got)
		}
	}
}

// Draws that go to and fro between pipelines have their complete states again, until a dynamic state is set.
func TestRunner_StatesToAndFro(t *testing.T) {
	d := open(t)
	var list []*Pipeline
	for range 4 { // as many as are kept
		list = append(list, fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.DynamicStates = []vk.DynamicState{vk.DynamicStateLineWidth}
		}))
	}
	r := &runner{dev: d, bindings: newBindings(nil)}
	for width := float32(1); width < 4; width++ {
		if err := r.command(ctx, opDynamic, []uint32{uint32(dynLineWidth), math.Float32bits(width)}); err != nil {
			t.Fatal(err)
		}
		first := r.stateOf(list[0])
		for i, p := range list {
			s := r.stateOf(p)
			if s.LineWidth != width || *s != *r.resolve(p) || r.stateOf(p) != s || r.stateOf(list[0]) != first {
				t.Errorf("pipeline %d, width %g: %g", i, width, s.LineWidth)
			}
		}
	}
	if s := r.stateOf(list[3]); r.command(ctx, opRateImage, []uint32{noObject}) != nil || r.stateOf(list[3]) == s {
		t.Error("another rate image, the same state")
	}
}
