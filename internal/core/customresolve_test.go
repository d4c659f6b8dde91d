package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// TestCustomResolve_DrawsWriteTheTarget: draws before vkCmdBeginCustomResolveEXT write the attachment of four samples, those after
// it what that is resolved to, and read the samples, whether they were drawn or cleared and stored or not. A query counts both.
func TestCustomResolve_DrawsWriteTheTarget(t *testing.T) {
	d := open(t)
	_, av := target(t, d, numbers, 4, 1)
	b, bv := target(t, d, numbers, 1, 1)
	formats := vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{numbers}}
	first := fullscreen(t, d, "samplenumber.frag", formats, func(i *GraphicsPipelineInfo) { i.Multisample.RasterizationSamples = 4 })
	second := fullscreen(t, d, "inputms.frag", formats, nil) // sample 0, and ten times sample 3
	set := inputSet(t, second, av)
	pool := must(d.NewQueryPool(vk.QueryTypeOcclusion, 1))(t)
	for _, drawn := range []bool{true, false} {
		fillWords(b, 5)
		c := d.NewCommandBuffer()
		if err := pool.Reset(0, 1); err != nil {
			t.Fatal(err)
		}
		c.BeginRendering(RenderingInfo{Flags: vk.RenderingCustomResolveBitEXT, Color: []RenderingAttachment{{
			View: av, Resolve: bv, ResolveMode: vk.ResolveModeCustomBitEXT, Load: vk.AttachmentLoadOpClear, Store: vk.AttachmentStoreOpDontCare,
			Clear: vk.ClearValue{Color: vk.ClearColorValue{Uint32: [4]uint32{7}}},
		}}})
		c.BeginQuery(pool, 0)
		if drawn {
			draw(c, first)
		}
		c.BeginCustomResolve()
		c.BindDescriptorSet("bind", vk.PipelineBindPointGraphics, 0, set, nil)
		draw(c, second)
		c.EndQuery(pool, 0)
		c.EndRendering("end")
		submit(t, d, c)
		number, samples := uint32(77), uint64(16*8) // cleared to 7
		if drawn {
			number, samples = 41, 16*8*5
		}
		for i, v := range texels(t, b, 0, 0) {
			if v != number {
				t.Fatalf("drawn: %v: texel %d is %d, want %d", drawn, i, v, number)
			}
		}
		if got, err := pool.Results(t.Context()); err != nil || got[0] != samples {
			t.Errorf("drawn: %v: %v, %v samples, want %d", drawn, err, got, samples)
		}
	}
}

// TestCustomResolve_Rules: where vkCmdBeginCustomResolveEXT and VK_RESOLVE_MODE_CUSTOM_BIT_EXT may not stand.
func TestCustomResolve_Rules(t *testing.T) {
	d := open(t)
	_, av := target(t, d, numbers, 4, 1)
	_, bv := target(t, d, numbers, 1, 1)
	const flag = vk.RenderingCustomResolveBitEXT
	for name, test := range map[string]struct {
		flags vk.RenderingFlags
		mode  vk.ResolveModeFlags
		begin int
		rule  string
	}{
		"once":          {flag, vk.ResolveModeCustomBitEXT, 1, ""},
		"never":         {flag, vk.ResolveModeCustomBitEXT, 0, ""},
		"twice":         {flag, vk.ResolveModeCustomBitEXT, 2, "VUID-vkCmdBeginCustomResolveEXT-None-11518"},
		"without":       {0, vk.ResolveModeSampleZeroBit, 1, "VUID-vkCmdBeginCustomResolveEXT-None-11519"},
		"suspended":     {flag | vk.RenderingSuspendingBit, vk.ResolveModeCustomBitEXT, 1, "VUID-vkCmdBeginCustomResolveEXT-None-11520"},
		"mode, no flag": {0, vk.ResolveModeCustomBitEXT, 0, "VUID-VkRenderingInfo-pColorAttachments-11515"},
	} {
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Flags: test.flags, Color: []RenderingAttachment{{View: av, Resolve: bv, ResolveMode: test.mode}}})
		for range test.begin {
			c.BeginCustomResolve()
		}
		c.EndRendering("end")
		if err := c.Err(); rule(err) != test.rule {
			t.Errorf("%s: %v, want %q", name, err, test.rule)
		}
	}
}

// TestShaderObjects_Locations: outputs of shader objects go to the attachments that vkCmdSetRenderingAttachmentLocations names, until
// the pass ends.
func TestShaderObjects_Locations(t *testing.T) {
	d := open(t)
	shader := func(bit vk.ShaderStageFlags, name string) *ShaderObject {
		m := must(d.NewShaderModule(shaderCode(t, name), name))(t)
		return must(d.NewShaderObject(bit, Stage{Module: m}, nil))(t)
	}
	v, f := shader(vk.ShaderStageVertexBit, "input.vert"), shader(vk.ShaderStageFragmentBit, "number.frag")
	for _, test := range []struct {
		locations []uint32
		want      [2]uint32 // of texel 17 of the two attachments, over 5
	}{{nil, [2]uint32{17, 5}}, {[]uint32{vk.AttachmentUnused, 0}, [2]uint32{5, 17}}, {[]uint32{0, vk.AttachmentUnused}, [2]uint32{17, 5}}} {
		a, av := target(t, d, numbers, 1, 1)
		b, bv := target(t, d, numbers, 1, 1)
		fillWords(a, 5)
		fillWords(b, 5)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}, {View: bv}}})
		c.SetState(vk.DynamicStatePrimitiveTopology, uint32(vk.PrimitiveTopologyTriangleList))
		c.SetVertexInput(vk.PipelineVertexInputStateCreateInfo{}, nil)
		c.SetState(vk.DynamicStateRasterizationSamplesEXT, uint32(vk.SampleCount1Bit))
		c.SetViewport([]vk.Viewport{{Width: 16, Height: 8, MaxDepth: 1}})
		c.SetScissor([]vk.Rect2D{{Extent: vk.Extent2D{Width: 16, Height: 8}}})
		c.SetState(vk.DynamicStateColorWriteMaskEXT, 0, uint32(vk.ColorComponentRBit), uint32(vk.ColorComponentRBit))
		c.BindShader("vkCmdBindShadersEXT", vk.ShaderStageVertexBit, v)
		c.BindShader("vkCmdBindShadersEXT", vk.ShaderStageFragmentBit, f)
		if test.locations != nil {
			c.SetAttachmentLocations(test.locations)
		}
		c.Draw("vkCmdDraw", 3, 1, 0, 0)
		c.EndRendering("end")
		submit(t, d, c)
		if got := [2]uint32{texels(t, a, 0, 0)[17], texels(t, b, 0, 0)[17]}; got != test.want {
			t.Errorf("locations %v: %v, want %v", test.locations, got, test.want)
		}
	}
	c := d.NewCommandBuffer()
	_, av := target(t, d, numbers, 1, 1)
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	c.SetAttachmentLocations(make([]uint32, render.MaxColorAttachments+1))
	if err := c.Err(); rule(err) != "VUID-VkRenderingAttachmentLocationInfo-colorAttachmentCount-09514" {
		t.Errorf("one location too many: %v", err)
	}
}
