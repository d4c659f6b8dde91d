package pumice_test

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// TestMisuse_NamesTheRule makes one mistake a case and wants its rule.
func TestMisuse_NamesTheRule(t *testing.T) {
	dev := open(t, nil)
	other := open(t, nil)
	p := colorPipeline(t, dev, nil)
	compute := must(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "saxpy.comp")}}))(t)
	q := newQuad(t, dev, target(t, dev, 4, 4), nil)
	out := target(t, dev, 4, 4)
	small := must(dev.NewBuffer(pumice.BufferDesc{Size: 16}))(t)
	vertexOnly := must(dev.NewBuffer(pumice.BufferDesc{Size: 16, Usage: vk.BufferUsageVertexBufferBit}))(t)
	foreign := must(other.NewBuffer(pumice.BufferDesc{Size: 16}))(t)

	// record records commands and returns what Submit says.
	record := func(f func(*pumice.CommandBuffer)) error {
		cmd := dev.NewCommandBuffer()
		f(cmd)
		return dev.Submit(ctx, cmd)
	}
	// draw records commands inside a pass.
	draw := func(f func(*pumice.Pass)) error {
		return record(func(c *pumice.CommandBuffer) {
			pass := c.BeginRendering(pumice.ClearTo(out, color.Black))
			f(pass)
			pass.End()
		})
	}
	for _, c := range []struct {
		name, rule string
		err        error
	}{
		{"buffer of size 0", "VUID-VkBufferCreateInfo-size-00912", second(dev.NewBuffer(pumice.BufferDesc{}))},
		{"offsets without a density map", "VUID-VkRenderPassFragmentDensityMapOffsetEndInfoEXT-fragmentDensityMapAttachment-06504", record(func(c *pumice.CommandBuffer) {
			r := pumice.ClearTo(out, color.Black)
			r.DensityOffsets = []vk.Offset2D{{X: 8}}
			c.BeginRendering(r).End()
		})},
		{"a density map of another usage", "VUID-VkRenderingFragmentDensityMapAttachmentInfoEXT-imageView-06158", record(func(c *pumice.CommandBuffer) {
			r := pumice.ClearTo(out, color.Black)
			r.Density = must(dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8Unorm, Width: 4, Height: 4, Usage: vk.ImageUsageSampledBit}))(t)
			c.BeginRendering(r).End()
		})},
		{"image of width 0", "VUID-VkImageCreateInfo-extent-00944", second(dev.NewImage(pumice.ImageDesc{Height: 4}))},
		{"image of negative width", "VUID-VkImageCreateInfo-extent-00944", second(dev.NewImage(pumice.ImageDesc{Width: -1}))},
		{"too many levels", "VUID-VkImageCreateInfo-mipLevels-00958", second(dev.NewImage(pumice.ImageDesc{Width: 4, Height: 4, MipLevels: 9}))},
		{"a million wide", "limits", second(dev.NewImage(pumice.ImageDesc{Width: 1 << 20, Height: 4}))},
		{"three samples", "VUID-VkImageCreateInfo-samples-02258", second(dev.NewImage(pumice.ImageDesc{Width: 4, Height: 4, Samples: 3}))},
		{"level beyond the image", "VUID-VkImageViewCreateInfo-subresourceRange-01478", second(out.NewView(pumice.ViewDesc{BaseLevel: 3}))},
		{"sampler bias", "VUID-VkSamplerCreateInfo-mipLodBias-01069", second(dev.NewSampler(pumice.SamplerDesc{MipLodBias: 99}))},
		{"no SPIR-V", "VUID-VkShaderModuleCreateInfo-codeSize-08735", second(dev.NewShaderModule([]byte("abc")))},
		{"bad SPIR-V", "VUID-VkShaderModuleCreateInfo-pCode-08737", second(dev.NewShaderModule(make([]byte, 64)))},
		{"unknown entry point", "VUID-VkPipelineShaderStageCreateInfo-pName-00707", second(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "saxpy.comp"), Entry: "nope"}}))},
		{"entry point of another stage", "VUID-VkPipelineShaderStageCreateInfo-pName-00707", second(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Vertex: pumice.Shader{Code: spv(t, "saxpy.comp")}}))},
		{"no vertex shader", "VUID-VkGraphicsPipelineCreateInfo-stage-02096", second(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{}))},
		{"depth format as color", "VUID-VkGraphicsPipelineCreateInfo-renderPass-06582", second(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Vertex: pumice.Shader{Code: spv(t, "triangle.vert")}, ColorFormats: []vk.Format{vk.FormatD32Sfloat}}))},
		{"attribute without binding", "VUID-VkPipelineVertexInputStateCreateInfo-binding-00615", second(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Vertex: pumice.Shader{Code: spv(t, "triangle.vert")}, VertexAttributes: []vk.VertexInputAttributeDescription{{Binding: 3}}}))},
		{"layout without the binding", "VUID-VkGraphicsPipelineCreateInfo-layout-07988", func() error {
			layout := must(dev.NewPipelineLayout())(t)
			return second(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "saxpy.comp")}, Layout: layout}))
		}()},
		{"binding twice", "VUID-VkDescriptorSetLayoutCreateInfo-binding-00279", second(dev.NewDescriptorSetLayout(pumice.DescriptorBinding{}, pumice.DescriptorBinding{}))},
		{"no such binding", "VUID-VkWriteDescriptorSet-dstBinding-00315", q.set.Bind(7, small)},
		{"element beyond the array", "VUID-VkWriteDescriptorSet-dstArrayElement-00321", q.set.BindAt(0, 1, small)},
		{"buffer for a texture", "VUID-VkWriteDescriptorSet-descriptorType-02996", q.set.Bind(1, small)},
		{"usage of a uniform buffer", "VUID-VkWriteDescriptorSet-descriptorType-00330", q.set.Bind(0, vertexOnly)},
		{"range beyond the buffer", "VUID-VkDescriptorBufferInfo-range-00342", q.set.Bind(0, small.Range(8, 16))},
		{"write beyond the buffer", "VUID-vkMapMemory-size-00681", small.Write(8, []uint32{1, 2, 3})},
		{"write of no fixed size", "data", small.Write(0, "text")},
		{"image write of a wrong size", "size of the data", out.Write(ctx, pumice.Subresource{}, make([]byte, 3))},
		{"read of a level beyond", "VUID-VkCopyImageToMemoryInfo-imageSubresource-07967", second(out.Read(ctx, pumice.Subresource{Level: 1}))},
		{"draw without pipeline", "VUID-vkCmdDraw-None-08606", draw(func(p *pumice.Pass) { p.Draw(3, 1) })},
		{"draw without set", "VUID-vkCmdDraw-None-08600", draw(func(p *pumice.Pass) { p.BindPipeline(q.pipeline); p.Draw(3, 1) })},
		{"draw with an empty set", "VUID-vkCmdDraw-None-08114", draw(func(p *pumice.Pass) {
			p.BindPipeline(q.pipeline)
			p.BindDescriptorSet(0, must(q.pipeline.NewDescriptorSet(0))(t))
			p.Draw(3, 1)
		})},
		{"draw without vertices", "VUID-vkCmdDraw-None-04007", draw(func(p *pumice.Pass) {
			p.BindPipeline(q.pipeline)
			p.BindDescriptorSet(0, q.set)
			p.Draw(3, 1)
		})},
		{"draw without indices", "VUID-vkCmdDrawIndexed-None-07312", draw(func(pass *pumice.Pass) { pass.BindPipeline(p); pass.DrawIndexed(3, 1, 0, 0, 0) })},
		{"indirect beyond the buffer", "VUID-vkCmdDrawIndirect-drawCount-00488", draw(func(pass *pumice.Pass) { pass.BindPipeline(p); pass.DrawIndirect(small, 0, 2, 16) })},
		{"unset dynamic state", "VUID-vkCmdDraw-None-07840", draw(func(pass *pumice.Pass) {
			pass.BindPipeline(colorPipeline(t, dev, func(d *pumice.GraphicsPipelineDesc) {
				d.DynamicStates = []vk.DynamicState{vk.DynamicStateCullMode}
			}))
			pass.Draw(3, 1)
		})},
		{"formats differ", "VUID-vkCmdDraw-dynamicRenderingUnusedAttachments-08911", draw(func(pass *pumice.Pass) {
			pass.BindPipeline(colorPipeline(t, dev, func(d *pumice.GraphicsPipelineDesc) { d.ColorFormats[0] = vk.FormatR8Unorm }))
			pass.Draw(3, 1)
		})},
		{"samples differ", "VUID-vkCmdDraw-multisampledRenderToSingleSampled-07285", draw(func(pass *pumice.Pass) {
			pass.BindPipeline(colorPipeline(t, dev, func(d *pumice.GraphicsPipelineDesc) { d.Samples = 4 }))
			pass.Draw(3, 1)
		})},
		{"push constants beyond the block", "VUID-vkCmdPushConstants-size-00371", draw(func(pass *pumice.Pass) { pass.PushConstants(252, uint64(1)) })},
		{"viewport of width 0", "VUID-VkViewport-width-01770", draw(func(pass *pumice.Pass) { pass.SetViewport(vk.Viewport{Height: 1}) })},
		{"scissor off the edge", "VUID-vkCmdSetScissor-x-00595", draw(func(pass *pumice.Pass) { pass.SetScissor(vk.Rect2D{Offset: vk.Offset2D{X: -1}}) })},
		{"clear outside the area", "VUID-vkCmdClearAttachments-pRects-00016", draw(func(pass *pumice.Pass) {
			pass.ClearAttachments([]vk.ClearAttachment{{AspectMask: vk.ImageAspectColorBit}}, vk.ClearRect{Rect: vk.Rect2D{Extent: vk.Extent2D{Width: 99, Height: 1}}})
		})},
		{"dispatch in a pass", "renderpass", record(func(c *pumice.CommandBuffer) {
			c.BeginRendering(pumice.ClearTo(out, color.Black))
			c.BindPipeline(compute)
			c.Dispatch(1, 1, 1)
		})},
		{"pass without end", "VUID-vkEndCommandBuffer-None-06991", record(func(c *pumice.CommandBuffer) { c.BeginRendering(pumice.ClearTo(out, color.Black)) })},
		{"draw after end", "renderpass", record(func(c *pumice.CommandBuffer) {
			pass := c.BeginRendering(pumice.ClearTo(out, color.Black))
			pass.End()
			pass.Draw(3, 1)
		})},
		{"too many groups", "VUID-vkCmdDispatch-groupCountX-00386", record(func(c *pumice.CommandBuffer) {
			set := must(compute.NewDescriptorSet(0))(t)
			if err := errors.Join(set.Bind(0, small), set.Bind(1, small)); err != nil {
				t.Fatal(err)
			}
			c.BindPipeline(compute)
			c.BindDescriptorSet(0, set)
			c.Dispatch(1<<31, 1, 1)
		})},
		{"area outside", "VUID-VkRenderingInfo-pNext-06079", record(func(c *pumice.CommandBuffer) {
			r := pumice.ClearTo(out, color.Black)
			r.Area.Extent = vk.Extent2D{Width: 5, Height: 1}
			c.BeginRendering(r)
		})},
		{"copy beyond the buffer", "VUID-vkCmdCopyBuffer-size-00115", record(func(c *pumice.CommandBuffer) { c.CopyBuffer(small, small, vk.BufferCopy{Size: 17}) })},
		{"copy without usage", "VUID-vkCmdCopyBuffer-srcBuffer-00118", record(func(c *pumice.CommandBuffer) { c.CopyBuffer(vertexOnly, small) })},
		{"copy of another device's", "commonparent", record(func(c *pumice.CommandBuffer) { c.CopyBuffer(foreign, small) })},
		{"copy of nil", "VUID-vkCmdCopyBuffer-srcBuffer-00118", record(func(c *pumice.CommandBuffer) { c.CopyBuffer(nil, small) })},
		{"fill of odd bytes", "VUID-vkCmdFillBuffer-size-00028", record(func(c *pumice.CommandBuffer) { c.FillBuffer(small, 0, 3, 0) })},
		{"image copy beyond the buffer", "VUID-vkCmdCopyImageToBuffer-pRegions-00183", record(func(c *pumice.CommandBuffer) { c.CopyImageToBuffer(out, small) })},
		{"submit of another device's", "commonparent", other.Submit(ctx, dev.NewCommandBuffer())},
		{"submit of nil", "VUID-VkSubmitInfo-pCommandBuffers-parameter", dev.Submit(ctx, nil)},
		{"tile size", "Config", second(pumice.Open(&pumice.Config{TileSize: 5}))},
		{"engine", "Config", second(pumice.Open(&pumice.Config{Engine: "steam"}))},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e *pumice.Error
			switch {
			case !errors.As(c.err, &e):
				t.Errorf("got %v, want an *Error", c.err)
			case e.Rule != c.rule:
				t.Errorf("broke %q, want %q: %v", e.Rule, c.rule, c.err)
			case e.Op == "" || !strings.Contains(e.Error(), e.Op):
				t.Errorf("no operation in %q", e)
			}
		})
	}
	// The device works on after all of this.
	if err := draw(func(pass *pumice.Pass) { pass.BindPipeline(p); pass.Draw(3, 1) }); err != nil {
		t.Error(err)
	}
}

// An entry point that is not there is told with the stage, and with those that are.
func TestMisuse_NamesEntryPoints(t *testing.T) {
	dev := open(t, nil)
	saxpy := pumice.Shader{Code: spv(t, "saxpy.comp")}
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: saxpy.Code, Entry: "nope"}})), `there is no entry point "nope" for the compute stage; there are "main" (compute)`},
		{second(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Vertex: saxpy})), `there is no entry point "main" for the vertex stage; there are "main" (compute)`},
		{second(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Vertex: pumice.Shader{Code: spv(t, "quad.vert")}, Fragment: saxpy})), `there is no entry point "main" for the fragment stage; there are "main" (compute)`},
		{second(dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{Mesh: pumice.Shader{Code: spv(t, "quad.vert")}})), `there is no entry point "main" for the mesh stage; there are "main" (vertex)`},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}

// second is the error of a result.
func second(_ any, err error) error { return err }

func TestClose_UseAfterwards_IsErrClosed(t *testing.T) {
	dev := open(t, nil)
	buf := must(dev.NewBuffer(pumice.BufferDesc{Size: 16}))(t)
	im := target(t, dev, 4, 4)
	q := newQuad(t, dev, im, nil)
	recorded := dev.NewCommandBuffer()
	recorded.FillBuffer(buf, 0, 4, 1)
	for _, c := range []interface{ Close() error }{buf, im} {
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Fatal(err)
		}
	}
	again := dev.NewCommandBuffer()
	again.CopyBuffer(buf, buf)
	drawing := dev.NewCommandBuffer()
	pass := drawing.BeginRendering(pumice.ClearTo(target(t, dev, 4, 4), color.Black))
	q.bind(pass)
	pass.DrawIndexed(6, 1, 0, 0, 0)
	pass.End()
	_, readErr := im.Read(ctx, pumice.Subresource{})
	_, viewErr := im.NewView(pumice.ViewDesc{})
	for name, err := range map[string]error{
		"write": buf.Write(0, []byte{1}), "recorded before": dev.Submit(ctx, recorded), "recorded after": dev.Submit(ctx, again),
		"read": readErr, "view": viewErr, "in a set": dev.Submit(ctx, drawing),
	} {
		if !errors.Is(err, pumice.ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
	if buf.Bytes() != nil {
		t.Error("Bytes after Close")
	}
	cmd := dev.NewCommandBuffer()
	if err := errors.Join(dev.Close(), dev.Close()); err != nil {
		t.Fatal(err)
	}
	_, err := dev.NewBuffer(pumice.BufferDesc{Size: 1})
	for name, err := range map[string]error{"new": err, "submit": dev.Submit(ctx, cmd), "wait": dev.Wait(ctx), "recording": dev.NewCommandBuffer().Err()} {
		if !errors.Is(err, pumice.ErrClosed) {
			t.Errorf("device, %s: %v, want ErrClosed", name, err)
		}
	}
}

func TestNil_HandlesReturnErrors(t *testing.T) {
	var dev *pumice.Device
	buf, err := dev.NewBuffer(pumice.BufferDesc{Size: 1})
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(nil, color.Black))
	pass.BindPipeline(nil)
	pass.Draw(3, 1)
	pass.End()
	var im *pumice.Image
	_, readErr := im.ReadNRGBA(ctx)
	var set *pumice.DescriptorSet
	for i, err := range []error{err, buf.Write(0, []byte{1}), buf.Close(), cmd.Err(), dev.Submit(ctx, cmd), dev.Wait(ctx), readErr, im.GenerateMipmaps(), set.Bind(0, nil)} {
		var e *pumice.Error
		if i == 2 {
			if err != nil {
				t.Errorf("closing nil: %v", err)
			}
		} else if !errors.As(err, &e) {
			t.Errorf("case %d: %v, want an *Error", i, err)
		}
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

func TestMemory_Limit_IsErrOutOfMemory(t *testing.T) {
	dev := open(t, &pumice.Config{MemoryLimit: 1 << 20})
	if _, err := dev.NewBuffer(pumice.BufferDesc{Size: 2 << 20}); !errors.Is(err, pumice.ErrOutOfMemory) {
		t.Errorf("got %v, want ErrOutOfMemory", err)
	}
	b := must(dev.NewBuffer(pumice.BufferDesc{Size: 1 << 19}))(t)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if now, peak := dev.MemoryUsage(); now != 0 || peak < 1<<19 {
		t.Errorf("memory in use %d, peak %d", now, peak)
	}
}

func TestMemory_TwoResourcesShareIt(t *testing.T) {
	dev := open(t, nil)
	m := must(dev.NewMemory(4096))(t)
	a := must(dev.NewBuffer(pumice.BufferDesc{Size: 256, Memory: m, MemoryOffset: 256}))(t)
	b := must(dev.NewBuffer(pumice.BufferDesc{Size: 512, Memory: m}))(t)
	if err := errors.Join(m.Close(), a.Write(0, []byte{42})); err != nil {
		t.Fatal(err)
	}
	got := []byte{0}
	if err := b.Read(ctx, 256, got); err != nil || got[0] != 42 {
		t.Errorf("read %v, %v through the alias, want 42", got, err)
	}
	if _, err := dev.NewBuffer(pumice.BufferDesc{Size: 8192, Memory: m}); !errors.Is(err, pumice.ErrClosed) {
		t.Errorf("binding to closed memory: %v", err)
	}
}

func TestSubmit_CancelledContext_StopsAndDeviceLivesOn(t *testing.T) {
	dev := open(t, nil)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := dev.Submit(gone, dev.NewCommandBuffer()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if err := dev.Submit(ctx, dev.NewCommandBuffer()); err != nil {
		t.Error(err)
	}
}

func TestConfig_Debug_HearsErrors(t *testing.T) {
	var heard []pumice.Message
	dev := open(t, &pumice.Config{Debug: func(m pumice.Message) { heard = append(heard, m) }})
	_, err := dev.NewBuffer(pumice.BufferDesc{})
	if err == nil || len(heard) != 1 || heard[0].Rule != "VUID-VkBufferCreateInfo-size-00912" || heard[0].Severity != pumice.SeverityError {
		t.Errorf("heard %v of %v", heard, err)
	}
}

// Draws tell of image instructions that do not fit their images, once, and run.
func TestConfig_Debug_HearsImageRules(t *testing.T) {
	var heard []pumice.Message
	dev := open(t, &pumice.Config{Debug: func(m pumice.Message) { heard = append(heard, m) }})
	integers := must(dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Uint, Width: 4, Height: 4}))(t)
	q := newQuad(t, dev, integers, nil)
	for range 2 {
		cmd := dev.NewCommandBuffer()
		pass := cmd.BeginRendering(pumice.ClearTo(target(t, dev, 4, 4), color.White))
		q.bind(pass)
		pass.DrawIndexed(6, 1, 0, 0, 0)
		pass.End()
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
	}
	if len(heard) != 1 || heard[0].Rule != "IMG-112" { // a float variable and integers
		t.Errorf("heard %v", heard)
	}
}

// What to do is said once in an error.
func TestErrors_SayOnceWhatToDo(t *testing.T) {
	dev := open(t, &pumice.Config{MemoryLimit: 1 << 20})
	_, err := dev.NewBuffer(pumice.BufferDesc{Size: 1 << 24})
	if text := fmt.Sprint(err); err == nil || strings.Count(text, "raise") != 1 || !strings.Contains(text, "raise Config.MemoryLimit") || strings.Count(text, "OUT_OF_DEVICE_MEMORY") != 1 {
		t.Errorf("%s: want the hint and the rule once", text)
	}
	for s, want := range map[pumice.Severity]string{pumice.SeverityInfo: "info", pumice.SeverityWarning: "warning", pumice.SeverityError: "error", 9: "Severity(9)"} {
		if got := fmt.Sprint(s); got != want {
			t.Errorf("%d prints %q, want %q", int(s), got, want)
		}
	}
}
