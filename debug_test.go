package pumice_test

import (
	"fmt"
	"image/color"
	"os"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// listener opens a device that keeps what Config.Debug hears.
func listener(t *testing.T) (*pumice.Device, *[]pumice.Message) {
	t.Helper()
	heard := &[]pumice.Message{}
	return open(t, &pumice.Config{Debug: func(m pumice.Message) { *heard = append(*heard, m) }}), heard
}

// wantHeard wants one message for each rule, which holds the words given.
func wantHeard(t *testing.T, heard *[]pumice.Message, name string, want ...[2]string) {
	t.Helper()
	ok := len(*heard) == len(want)
	for i := range want {
		ok = ok && (*heard)[i].Rule == want[i][0] && strings.Contains((*heard)[i].Text, want[i][1])
	}
	if !ok {
		t.Errorf("%s: heard %+v\nwant %v", name, *heard, want)
	}
	*heard = nil
}

// drawTo submits one pass that clears out, twice: whatever is told is told once.
func drawTo(t *testing.T, dev *pumice.Device, r pumice.Rendering, f func(*pumice.Pass)) {
	t.Helper()
	for range 2 {
		cmd := dev.NewCommandBuffer()
		pass := cmd.BeginRendering(r)
		f(pass)
		pass.End()
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
	}
}

// What is fetched from beyond a buffer is told with attribute, binding, vertex and bytes.
func TestDebug_VertexReadsBeyondTheBuffer(t *testing.T) {
	const vertex, indexed, indices = "VUID-vkCmdDraw-None-02721", "VUID-vkCmdDrawIndexed-None-02721", "VUID-vkCmdDrawIndexed-robustBufferAccess2-08798"
	for _, c := range []struct {
		name string
		draw func(dev *pumice.Device, q *quad, p *pumice.Pass)
		want [][2]string
	}{
		{"what is there", func(_ *pumice.Device, _ *quad, p *pumice.Pass) { p.Draw(4, 1) }, nil},
		{"five of four vertices", func(_ *pumice.Device, _ *quad, p *pumice.Pass) { p.Draw(5, 1) }, [][2]string{
			{vertex, "draw 0 (5 vertices, 1 instances; a graphics pipeline without a name): the attribute at location 0 reads vertex 4 of binding 0 up to byte 72, the buffer has 64"},
			{vertex, "location 1 reads vertex 4 of binding 0 up to byte 80, the buffer has 64"}}},
		{"from the third on", func(_ *pumice.Device, _ *quad, p *pumice.Pass) { p.DrawRange(3, 1, 2, 0) }, [][2]string{{vertex, "location 0 reads vertex 4"}, {vertex, "location 1"}}},
		{"an offset", func(_ *pumice.Device, q *quad, p *pumice.Pass) { p.BindVertexBuffer(0, q.vertices, 4); p.Draw(4, 1) },
			[][2]string{{vertex, "location 1 reads vertex 3 of binding 0 up to byte 64, the buffer has 60 from the offset"}}},
		{"indices", func(_ *pumice.Device, _ *quad, p *pumice.Pass) { p.DrawIndexed(6, 1, 0, 0, 0) }, nil},
		{"an index offset", func(_ *pumice.Device, _ *quad, p *pumice.Pass) { p.DrawIndexed(6, 1, 0, 7, 0) }, [][2]string{{indexed, "vertex 10 (index 5 of the draw)"}, {indexed, "location 1"}}},
		{"more indices than there are", func(_ *pumice.Device, _ *quad, p *pumice.Pass) { p.DrawIndexed(9, 1, 0, 0, 0) }, [][2]string{{indices, "index 8 needs 18 bytes, the index buffer has 12"}}},
		{"restarts are no indices", func(dev *pumice.Device, _ *quad, p *pumice.Pass) {
			p.SetPrimitiveRestartEnable(true)
			p.BindIndexBuffer(must(dev.NewBufferFrom([]uint16{0, 1, 2, 0xFFFF, 1, 2, 3}))(t), 0, vk.IndexTypeUint16)
			p.DrawIndexed(7, 1, 0, 0, 0)
		}, nil},
		{"restarts at another index", func(dev *pumice.Device, _ *quad, p *pumice.Pass) {
			p.SetPrimitiveRestartEnable(true)
			p.BindIndexBuffer(must(dev.NewBufferFrom([]uint16{0, 1, 2, 77, 1, 2, 3}))(t), 0, vk.IndexTypeUint16)
			p.SetPrimitiveRestartIndex(77)
			p.DrawIndexed(7, 1, 0, 0, 0)
		}, nil},
		{"no restart", func(dev *pumice.Device, _ *quad, p *pumice.Pass) {
			p.BindIndexBuffer(must(dev.NewBufferFrom([]uint16{0, 1, 2, 0xFFFF}))(t), 0, vk.IndexTypeUint16)
			p.DrawIndexed(4, 1, 0, 0, 0)
		}, [][2]string{{indexed, "vertex 65535 (index 3 of the draw)"}, {indexed, "location 1"}}},
		{"bytes", func(dev *pumice.Device, _ *quad, p *pumice.Pass) {
			p.BindIndexBuffer(must(dev.NewBufferFrom([]byte{0, 1, 4, 3}))(t), 0, vk.IndexTypeUint8)
			p.DrawIndexed(3, 1, 0, 0, 0)
		}, [][2]string{{indexed, "vertex 4 (index 2 of the draw)"}, {indexed, "location 1"}}},
		{"words from an index on", func(dev *pumice.Device, _ *quad, p *pumice.Pass) {
			p.BindIndexBuffer(must(dev.NewBufferFrom([]uint32{99, 99, 0, 1 << 20, 2}))(t), 4, vk.IndexTypeUint32)
			p.DrawIndexed(3, 1, 1, 0, 0)
		}, [][2]string{{indexed, "vertex 1048576 (index 1 of the draw)"}, {indexed, "location 1"}}},
		{"indirect", func(dev *pumice.Device, _ *quad, p *pumice.Pass) {
			p.DrawIndirect(must(dev.NewBufferFrom([]uint32{3, 1, 0, 0, 6, 1, 0, 0}))(t), 0, 2, 16)
		}, [][2]string{{vertex, "location 0 reads vertex 5"}, {vertex, "location 1"}}},
		{"a null buffer", func(_ *pumice.Device, _ *quad, p *pumice.Pass) { p.BindVertexBuffer(0, nil, 0); p.Draw(300, 1) }, nil},
		{"nothing", func(_ *pumice.Device, _ *quad, p *pumice.Pass) { p.DrawRange(0, 1, 99, 0); p.DrawRange(99, 0, 0, 0) }, nil},
	} {
		dev, heard := listener(t)
		q := newQuad(t, dev, must(dev.NewImageFrom(testTexture(), nil))(t), nil)
		q.pipeline = must(dev.NewGraphicsPipeline(quadDesc(t, vk.VertexInputRateVertex)))(t)
		drawTo(t, dev, pumice.ClearTo(target(t, dev, 4, 4), color.Black), func(p *pumice.Pass) {
			p.SetPrimitiveRestartEnable(false)
			q.bind(p)
			c.draw(dev, q, p)
		})
		wantHeard(t, heard, c.name, c.want...)
	}
	// Instances step by themselves, some only every third time or never.
	for _, c := range []struct {
		instances, divisor uint32
		want               [][2]string
	}{
		{4, 1, nil},
		{5, 1, [][2]string{{vertex, "location 0 reads element 4 (it steps by instances) of binding 0 up to byte 72"}, {vertex, "location 1"}}},
		{12, 3, nil},
		{13, 3, [][2]string{{vertex, "location 0 reads element 4 "}, {vertex, "location 1"}}},
		{99, 0, nil},
	} {
		dev, heard := listener(t)
		q := newQuad(t, dev, must(dev.NewImageFrom(testTexture(), nil))(t), nil)
		desc := quadDesc(t, vk.VertexInputRateInstance)
		desc.VertexDivisors = []vk.VertexInputBindingDivisorDescription{{Divisor: c.divisor}}
		q.pipeline = must(dev.NewGraphicsPipeline(desc))(t)
		drawTo(t, dev, pumice.ClearTo(target(t, dev, 4, 4), color.Black), func(p *pumice.Pass) {
			p.SetPrimitiveRestartEnable(false)
			q.bind(p)
			p.Draw(3000, c.instances)
		})
		wantHeard(t, heard, "instances", c.want...)
	}
}

// quadDesc describes newQuad's pipeline with dynamic primitive restart.
func quadDesc(t *testing.T, rate vk.VertexInputRate) pumice.GraphicsPipelineDesc {
	return pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: spv(t, "quad.vert")}, Fragment: pumice.Shader{Code: spv(t, "quad.frag")}, ColorFormats: []vk.Format{unorm},
		VertexBindings: []vk.VertexInputBindingDescription{{Binding: 0, Stride: 16, InputRate: rate}},
		VertexAttributes: []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR32G32Sfloat}, {Location: 1, Format: vk.FormatR32G32Sfloat, Offset: 8},
		},
		DynamicStates: []vk.DynamicState{vk.DynamicStatePrimitiveRestartEnable},
	}
}

// Push constants that a shader reads and nothing has set are told with their bytes.
func TestDebug_PushConstantsNeverSet(t *testing.T) {
	const draw, dispatch = "VUID-vkCmdDraw-None-08601", "VUID-vkCmdDispatch-None-08601"
	for _, c := range []struct {
		name string
		push func(p *pumice.Pass)
		want [][2]string
	}{
		{"never", func(*pumice.Pass) {}, [][2]string{{draw, "draw 0 (3 vertices, 1 instances; a graphics pipeline without a name): the fragment shader reads bytes 0 to 15 of its 16 of push constants"}}},
		{"a part", func(p *pumice.Pass) { p.PushConstants(4, float32(1)) }, [][2]string{{draw, "reads bytes 0 to 3, 8 to 15 of its 16"}}},
		{"all", func(p *pumice.Pass) { p.PushConstants(0, [4]float32{1, 1, 1, 1}) }, nil},
		{"all in parts, and more", func(p *pumice.Pass) { p.PushConstants(8, [4]float32{1, 1}); p.PushConstants(0, uint64(0)) }, nil},
	} {
		dev, heard := listener(t)
		p := colorPipeline(t, dev, nil)
		drawTo(t, dev, pumice.ClearTo(target(t, dev, 4, 4), color.Black), func(pass *pumice.Pass) {
			pass.BindPipeline(p)
			c.push(pass)
			pass.Draw(3, 1)
		})
		wantHeard(t, heard, c.name, c.want...)
	}
	dev, heard := listener(t)
	saxpy := must(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "saxpy.comp")}, Name: "saxpy"}))(t)
	set := must(saxpy.NewDescriptorSet(0))(t)
	for i := range uint32(2) {
		if err := set.Bind(i, must(dev.NewBuffer(pumice.BufferDesc{Size: 64}))(t)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(saxpy)
	cmd.BindDescriptorSet(0, set)
	cmd.PushConstants(0, float32(2))
	cmd.Dispatch(1, 1, 1)
	if err := dev.Submit(ctx, cmd, cmd); err != nil {
		t.Fatal(err)
	}
	wantHeard(t, heard, "dispatch", [2]string{dispatch, `command buffer 0, dispatch 0 (1×1×1 workgroups; compute pipeline "saxpy"): the compute shader reads bytes 4 to 7 of its 8`})
	cmd.PushConstants(4, uint32(16)) // state persists: a new pipeline finds all of it
	cmd.BindPipeline(must(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "saxpy.comp")}}))(t))
	cmd.Dispatch(1, 1, 1)
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	wantHeard(t, heard, "set later")
}

// Images that the running pass draws or resolves to are not for its shaders to read.
func TestDebug_SamplingATargetOfThePass(t *testing.T) {
	const colors, depths = "VUID-vkCmdDrawIndexed-None-12338", "VUID-vkCmdDrawIndexed-None-12339"
	image := func(dev *pumice.Device, desc pumice.ImageDesc) *pumice.Image {
		desc.Width, desc.Height = 4, 4
		if desc.Format == 0 {
			desc.Format = unorm
		}
		return must(dev.NewImage(desc))(t)
	}
	view := func(im *pumice.Image, level, layer int) pumice.View {
		return must(im.NewView(pumice.ViewDesc{Type: vk.ImageViewType2D, BaseLevel: level, Levels: 1, BaseLayer: layer, Layers: 1}))(t)
	}
	for _, c := range []struct {
		name string
		// pass describes the pass, and what its shader samples.
		pass func(dev *pumice.Device) (pumice.Rendering, pumice.View)
		desc func(*pumice.GraphicsPipelineDesc)
		want [][2]string
	}{
		{"another image", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			return pumice.ClearTo(image(dev, pumice.ImageDesc{}), color.Black), image(dev, pumice.ImageDesc{})
		}, nil, nil},
		{"the target", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im := image(dev, pumice.ImageDesc{Name: "canvas"})
			return pumice.ClearTo(im, color.Black), im
		}, nil, [][2]string{{colors, "the fragment shader samples set 0, binding 1 (image canvas), which is colour attachment 0 of this very pass"}}},
		{"the target, kept and not written", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im, other := image(dev, pumice.ImageDesc{}), image(dev, pumice.ImageDesc{})
			return pumice.Rendering{Color: []pumice.Attachment{{Target: other}, {Target: im}}}, im
		}, func(d *pumice.GraphicsPipelineDesc) {
			d.ColorFormats = []vk.Format{unorm, unorm}
			d.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{pumice.Opaque(), {}}}
		}, nil},
		{"the resolve target", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im := image(dev, pumice.ImageDesc{})
			return pumice.ClearTo(image(dev, pumice.ImageDesc{Samples: 4}), color.Black).WithResolve(im), im
		}, func(d *pumice.GraphicsPipelineDesc) { d.Samples = 4 }, [][2]string{{colors, "which is the resolve target of colour attachment 0"}}},
		{"another level", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im := image(dev, pumice.ImageDesc{MipLevels: 2})
			return pumice.ClearTo(view(im, 1, 0), color.Black), view(im, 0, 0)
		}, nil, nil},
		{"another layer", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im := image(dev, pumice.ImageDesc{Layers: 3})
			return pumice.ClearTo(view(im, 0, 1), color.Black), view(im, 0, 2)
		}, nil, nil},
		{"the same layer", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im := image(dev, pumice.ImageDesc{Layers: 3})
			return pumice.ClearTo(view(im, 0, 1), color.Black), view(im, 0, 1)
		}, nil, [][2]string{{colors, "colour attachment 0"}}},
		{"depth that is written", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im := image(dev, pumice.ImageDesc{Format: vk.FormatD32Sfloat})
			return pumice.ClearTo(image(dev, pumice.ImageDesc{}), color.Black).WithDepth(im, 1), im
		}, func(d *pumice.GraphicsPipelineDesc) { d.DepthFormat = vk.FormatD32Sfloat }, [][2]string{{depths, "the depth attachment"}}},
		{"the other aspect", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im := image(dev, pumice.ImageDesc{Format: vk.FormatD32SfloatS8Uint})
			r := pumice.ClearTo(image(dev, pumice.ImageDesc{}), color.Black).WithDepth(im, 1)
			r.Stencil = nil
			return r, must(im.NewView(pumice.ViewDesc{Aspect: vk.ImageAspectStencilBit}))(t)
		}, func(d *pumice.GraphicsPipelineDesc) { d.DepthFormat = vk.FormatD32SfloatS8Uint }, [][2]string{{"IMG-112", "S8_UINT"}}}, // its integers alone
		{"a size", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im := image(dev, pumice.ImageDesc{})
			return pumice.ClearTo(im, color.Black), im
		}, func(d *pumice.GraphicsPipelineDesc) { d.Fragment.Code = spv(t, "lookup.frag") },
			[][2]string{{"VUID-vkCmdDrawIndexed-None-08601", "reads bytes 0 to 23 of its 24"}}}, // at places that it computes
		{"depth that is tested alone", func(dev *pumice.Device) (pumice.Rendering, pumice.View) {
			im := image(dev, pumice.ImageDesc{Format: vk.FormatD32Sfloat})
			r := pumice.ClearTo(image(dev, pumice.ImageDesc{}), color.Black)
			r.Depth = &pumice.Attachment{Target: im}
			return r, im
		}, func(d *pumice.GraphicsPipelineDesc) {
			d.DepthFormat, d.DepthStencil = vk.FormatD32Sfloat, &vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthCompareOp: vk.CompareOpLess}
		}, nil},
	} {
		dev, heard := listener(t)
		rendering, sampled := c.pass(dev)
		q := newQuad(t, dev, must(dev.NewImageFrom(testTexture(), nil))(t), nil)
		desc := quadDesc(t, vk.VertexInputRateVertex)
		desc.DynamicStates = nil
		if c.desc != nil {
			c.desc(&desc)
		}
		q.pipeline = must(dev.NewGraphicsPipeline(desc))(t)
		if err := q.set.Bind(1, pumice.Texture{View: sampled, Sampler: must(dev.NewSampler(pumice.SamplerDesc{}))(t)}); err != nil {
			t.Fatal(err)
		}
		drawTo(t, dev, rendering, func(p *pumice.Pass) {
			q.bind(p)
			p.DrawIndexed(6, 1, 0, 0, 0)
		})
		wantHeard(t, heard, c.name, c.want...)
	}
}

// What was drawn before a barrier inside the pass may be read behind it; the next pass has a barrier of its own to make.
func TestDebug_SamplingATarget_BehindABarrier(t *testing.T) {
	dev, heard := listener(t)
	im := target(t, dev, 4, 4)
	q, p := newQuad(t, dev, im, nil), colorPipeline(t, dev, nil)
	cmd := dev.NewCommandBuffer()
	for _, ordered := range []bool{true, false} {
		pass := cmd.BeginRendering(pumice.ClearTo(im, color.Black))
		pass.PushConstants(0, [4]float32{1, 1, 1, 1})
		pass.BindPipeline(p)
		pass.Draw(3, 1)
		if ordered {
			cmd.PipelineBarrier(vk.MemoryBarrier2{})
		}
		q.bind(pass)
		pass.DrawIndexed(6, 1, 0, 0, 0)
		pass.End()
	}
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	wantHeard(t, heard, "barriers", [2]string{"VUID-vkCmdDrawIndexed-None-12338", "render pass 1, draw 1 "})
}

// A draw or dispatch that nothing can come of is told with the reason.
func TestDebug_PipelineWithoutOutputs(t *testing.T) {
	const rule = "pipeline without outputs"
	masked := &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{{BlendEnable: true}}}
	d32 := func(dev *pumice.Device) *pumice.Image {
		return must(dev.NewImage(pumice.ImageDesc{Format: vk.FormatD32Sfloat, Width: 4, Height: 4}))(t)
	}
	for _, c := range []struct {
		name string
		desc func(*pumice.GraphicsPipelineDesc)
		pass func(dev *pumice.Device, r pumice.Rendering) pumice.Rendering
		want string
	}{
		{"colour", nil, nil, ""},
		{"a write mask of 0", func(d *pumice.GraphicsPipelineDesc) { d.Blend = masked }, nil,
			"nothing can come of it: no component of colour attachment 0 is written (ColorWriteMask is 0), the pass has no depth target, and no shader stores to memory"},
		{"and depth", func(d *pumice.GraphicsPipelineDesc) { d.Blend, d.DepthFormat = masked, vk.FormatD32Sfloat },
			func(dev *pumice.Device, r pumice.Rendering) pumice.Rendering { return r.WithDepth(d32(dev), 1) }, ""},
		{"and depth that is not written", func(d *pumice.GraphicsPipelineDesc) {
			d.Blend, d.DepthFormat, d.DepthStencil = masked, vk.FormatD32Sfloat, &vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true}
		}, func(dev *pumice.Device, r pumice.Rendering) pumice.Rendering { return r.WithDepth(d32(dev), 1) }, "depth is not written"},
		{"no fragment shader", func(d *pumice.GraphicsPipelineDesc) { d.Fragment, d.ColorFormats = pumice.Shader{}, nil }, nil, "there is no fragment shader, the pass has no depth target"},
		{"no fragment shader, depth alone", func(d *pumice.GraphicsPipelineDesc) {
			d.Fragment, d.ColorFormats, d.DepthFormat = pumice.Shader{}, nil, vk.FormatD32Sfloat
		}, func(dev *pumice.Device, _ pumice.Rendering) pumice.Rendering {
			return pumice.Rendering{}.WithDepth(d32(dev), 1)
		}, ""},
		{"no targets", func(d *pumice.GraphicsPipelineDesc) { d.ColorFormats = nil }, func(*pumice.Device, pumice.Rendering) pumice.Rendering {
			return pumice.Rendering{Area: vk.Rect2D{Extent: vk.Extent2D{Width: 4, Height: 4}}}
		}, "the pass has no colour target, the pass has no depth target"},
		{"rasterization discarded", func(d *pumice.GraphicsPipelineDesc) {
			d.Rasterization = &vk.PipelineRasterizationStateCreateInfo{RasterizerDiscardEnable: true}
		}, nil, "rasterization is discarded"},
	} {
		dev, heard := listener(t)
		p := colorPipeline(t, dev, c.desc)
		r := pumice.ClearTo(target(t, dev, 4, 4), color.Black)
		if c.pass != nil {
			r = c.pass(dev, r)
		}
		drawTo(t, dev, r, func(pass *pumice.Pass) {
			pass.BindPipeline(p)
			pass.PushConstants(0, [4]float32{1, 1, 1, 1})
			pass.Draw(3, 1)
		})
		if c.want == "" {
			wantHeard(t, heard, c.name)
			continue
		}
		if len(*heard) == 1 && (*heard)[0].Severity != pumice.SeverityWarning {
			t.Errorf("%s: severity %d", c.name, (*heard)[0].Severity)
		}
		wantHeard(t, heard, c.name, [2]string{rule, c.want})
	}
	// Counting samples is a result, too.
	dev, heard := listener(t)
	p := colorPipeline(t, dev, func(d *pumice.GraphicsPipelineDesc) { d.Blend = masked })
	queries := must(dev.NewQueryPool(vk.QueryTypeOcclusion, 1))(t)
	drawTo(t, dev, pumice.ClearTo(target(t, dev, 4, 4), color.Black), func(pass *pumice.Pass) {
		pass.BindPipeline(p)
		pass.PushConstants(0, [4]float32{1, 1, 1, 1})
		pass.BeginQuery(queries, 0)
		pass.Draw(3, 1)
		pass.EndQuery(queries, 0)
	})
	wantHeard(t, heard, "an occlusion query")
	if n := must(queries.Results(ctx))(t); n[0] != 16 {
		t.Errorf("%d samples, want 16", n[0])
	}
	nothing := must(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "nothing.comp")}}))(t)
	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(nothing)
	cmd.Dispatch(1, 1, 1)
	if err := dev.Submit(ctx, cmd, cmd); err != nil {
		t.Fatal(err)
	}
	wantHeard(t, heard, "a dispatch", [2]string{rule, "dispatch 0 (1×1×1 workgroups; a compute pipeline without a name): the compute shader stores nothing"})
}

// Targets that are nil are errors, or where Vulkan allows them, told.
func TestDebug_NilTargets(t *testing.T) {
	var image *pumice.Image
	var view *pumice.ImageView
	const rule, area = "nil object", "VUID-VkRenderingInfo-None-08994"
	dev, heard := listener(t)
	out := target(t, dev, 4, 4)
	clear := pumice.ClearTo(out, color.Black)
	with := func(change func(*pumice.Rendering)) pumice.Rendering { r := clear; change(&r); return r }
	for _, c := range []struct {
		name  string
		r     pumice.Rendering
		fails bool
		want  [][2]string
	}{
		{"a target", clear, false, nil},
		{"a nil image", pumice.ClearTo(image, color.Black), true, [][2]string{{rule, "the target of colour attachment 0 is a *pumice.Image that is nil; check the error"}}},
		{"a nil view", pumice.ClearTo(view, color.Black), true, [][2]string{{rule, "*pumice.ImageView"}}},
		{"an image without a device", pumice.ClearTo(&pumice.Image{}, color.Black), true, [][2]string{{rule, "colour attachment 0"}}},
		{"a nil resolve target", clear.WithResolve(image), true, [][2]string{{rule, "the resolve target of colour attachment 0"}}},
		{"nil depth", clear.WithDepth(image, 1), true, [][2]string{{rule, "the target of the depth attachment"}}},
		{"a nil density map", with(func(r *pumice.Rendering) { r.Density = image }), true, [][2]string{{rule, "the density map"}}},
		{"a nil shading rate image", with(func(r *pumice.Rendering) { r.ShadingRates = view }), true, [][2]string{{rule, "the shading rate image"}}},
		{"no target at all", pumice.ClearTo(nil, color.Black), true, [][2]string{{rule, "colour attachment 0 has no Target"}, {area, "a pass without attachments needs an Area"}}},
		{"no depth target", clear.WithDepth(nil, 1), false, [][2]string{{rule, "the depth attachment has no Target: nothing is drawn to it"}}},
		{"a resolve without a target", pumice.Rendering{Color: []pumice.Attachment{{Target: out}, {Resolve: out}}}, false, [][2]string{{rule, "colour attachment 1 has no Target"}}},
		{"an unused attachment", pumice.Rendering{Color: []pumice.Attachment{{Target: out}, {}}}, false, nil},
		{"nothing", pumice.Rendering{}, true, [][2]string{{area, "render area is empty"}}},
	} {
		cmd := dev.NewCommandBuffer()
		cmd.BeginRendering(c.r).End()
		if err := dev.Submit(ctx, cmd); (err != nil) != c.fails {
			t.Errorf("%s: %v", c.name, err)
		}
		wantHeard(t, heard, c.name, c.want...)
	}
}

// Whatever this package finds by itself is heard, too.
func TestDebug_HearsErrorsOfData(t *testing.T) {
	dev, heard := listener(t)
	b := must(dev.NewBuffer(pumice.BufferDesc{Size: 16}))(t)
	im := target(t, dev, 2, 2)
	cmd := dev.NewCommandBuffer()
	cmd.PushConstants(0, "text")
	cmd.PushConstants(0, "text") // the first error stays
	_ = b.Write(0, "text")
	_ = b.Read(ctx, 0, "text")
	_ = im.Write(ctx, pumice.Subresource{}, "text")
	_, _ = dev.NewBufferFrom("text")
	again := dev.NewCommandBuffer()
	again.UpdateBuffer(b, 0, "text")
	var ops []string
	for _, m := range *heard {
		ops = append(ops, m.Op+" "+m.Rule)
	}
	if got := strings.Join(ops, ", "); got != "CommandBuffer.PushConstants data, Buffer.Write data, Buffer.Read data, Image.Write data, Device.NewBufferFrom data, CommandBuffer.UpdateBuffer data" {
		t.Errorf("heard %s", got)
	}
}

// A severity prints as a word.
func TestSeverity_PrintsAsAWord(t *testing.T) {
	got := fmt.Sprint(pumice.SeverityInfo, pumice.SeverityWarning, pumice.SeverityError, pumice.Severity(7), pumice.Message{Severity: pumice.SeverityWarning}.Severity)
	if want := "info warning error Severity(7) warning"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Who asks is told which instructions of a pipeline have no machine code, as products of matrices in
// subgroups wider than vectors; on the portable engine, none has, and nothing is told.
func TestInterpreted_OfAPipeline(t *testing.T) {
	code, err := os.ReadFile("conformance/testdata/shaders/composite/cooperative.comp.spvasm.spv")
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"", "vm"} {
		var told []pumice.Interpreted
		tell := func(x pumice.Interpreted) { told = append(told, x) }
		dev := open(t, &pumice.Config{Engine: engine, Interpreted: tell})
		desc := pumice.ComputePipelineDesc{Name: "product", Compute: pumice.Shader{Code: code, SubgroupSize: 32}}
		if _, err := dev.NewComputePipeline(desc); err != nil {
			t.Fatal(err)
		}
		if dev.Engine() == "vm" {
			if len(told) > 0 {
				t.Errorf("%s: %+v", engine, told)
			}
			continue
		}
		if len(told) != 1 || told[0].Why == "" || told[0].Count == 0 {
			t.Fatalf("%+v", told)
		}
		told[0].Why, told[0].Count = "", 0
		want := pumice.Interpreted{Pipeline: "compute pipeline product", Stage: "compute", Name: "group"}
		if told[0] != want {
			t.Errorf("%+v, want %+v", told[0], want)
		}
	}
}
