package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// Shaders of stages draw without a pipeline; binding and unbinding them and
// pipelines takes turns.
func TestShaderObjects_Bind(t *testing.T) {
	d := open(t)
	shader := func(bit vk.ShaderStageFlags, name string) *ShaderObject {
		m := must(d.NewShaderModule(shaderCode(t, name), name))(t)
		return must(d.NewShaderObject(bit, Stage{Module: m}, nil))(t)
	}
	const vertex, fragment, compute = vk.ShaderStageVertexBit, vk.ShaderStageFragmentBit, vk.ShaderStageComputeBit
	v, number := shader(vertex, "input.vert"), shader(fragment, "number.frag")
	pipeline := fullscreen(t, d, "number.frag", numberFormats, nil)
	state := func(c *CommandBuffer) {
		c.SetState(vk.DynamicStatePrimitiveTopology, uint32(vk.PrimitiveTopologyTriangleList))
		c.SetVertexInput(vk.PipelineVertexInputStateCreateInfo{}, nil)
		c.SetState(vk.DynamicStateRasterizationSamplesEXT, uint32(vk.SampleCount1Bit))
		c.SetViewport([]vk.Viewport{{Width: 16, Height: 8, MaxDepth: 1}})
		c.SetScissor([]vk.Rect2D{{Extent: vk.Extent2D{Width: 16, Height: 8}}})
		c.SetState(vk.DynamicStateColorWriteMaskEXT, 0, uint32(vk.ColorComponentRBit))
	}
	bind := func(c *CommandBuffer, v, f *ShaderObject) {
		c.BindShader("vkCmdBindShadersEXT", vertex, v)
		c.BindShader("vkCmdBindShadersEXT", fragment, f)
	}
	draw := func(c *CommandBuffer) { c.Draw("vkCmdDraw", 3, 1, 0, 0) }
	for _, test := range []struct {
		name string
		run  func(c *CommandBuffer)
		want uint32 // of a texel of number 17, over 5
		rule string
	}{
		{"both", func(c *CommandBuffer) { bind(c, v, number); draw(c) }, 17, ""},
		{"no fragment shader", func(c *CommandBuffer) { bind(c, v, nil); draw(c) }, 5, ""},
		{"unbound", func(c *CommandBuffer) { bind(c, v, number); bind(c, nil, nil); draw(c) }, 5, "VUID-vkCmdDraw-None-08684"},
		{"bound again", func(c *CommandBuffer) { bind(c, v, number); bind(c, v, nil); draw(c); bind(c, v, number); draw(c) }, 17, ""},
		{"instead of a pipeline", func(c *CommandBuffer) {
			c.BindPipeline("bind", vk.PipelineBindPointGraphics, pipeline)
			c.BindShader("vkCmdBindShadersEXT", fragment, number)
			draw(c)
		}, 5, "VUID-vkCmdDraw-None-08684"},
		{"before a pipeline", func(c *CommandBuffer) {
			bind(c, v, nil)
			c.BindPipeline("bind", vk.PipelineBindPointGraphics, pipeline)
			draw(c)
		}, 17, ""},
		{"another stage", func(c *CommandBuffer) { c.BindShader("vkCmdBindShadersEXT", vertex, number) }, 5, "VUID-vkCmdBindShadersEXT-pShaders-08469"},
		{"compute leaves graphics", func(c *CommandBuffer) { bind(c, v, number); c.BindShader("vkCmdBindShadersEXT", compute, nil); draw(c) }, 17, ""},
		{"depth clip follows depth clamp", func(c *CommandBuffer) { bind(c, v, number); c.SetState(vk.DynamicStateDepthClampEnableEXT, 1); draw(c) }, 17, ""},
	} {
		a, av := target(t, d, numbers, 1, 1)
		fillWords(a, 5)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		state(c)
		test.run(c)
		c.EndRendering("end")
		if err := c.Err(); rule(err) != test.rule {
			t.Errorf("%s: %v", test.name, err)
		}
		if c.Err() != nil {
			continue
		}
		submit(t, d, c)
		if got := texels(t, a, 0, 0)[17]; got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
	if n := len(v.made); n != 2 {
		t.Errorf("%d pipelines were made for two combinations", n)
	}
}
