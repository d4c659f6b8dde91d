package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/legacy.vert.spv testdata/legacy.vert
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/value.frag.spv testdata/value.frag

// legacyVertexAttributes: attributes at any offset and stride, and in formats whose
// sign is not that of the variable.
func TestVertexInput_LegacyAttributes(t *testing.T) {
	d := open(t)
	for _, dynamic := range []bool{false, true} {
		in := vk.PipelineVertexInputStateCreateInfo{
			VertexBindingDescriptions:   []vk.VertexInputBindingDescription{{Stride: 1, InputRate: vk.VertexInputRateVertex}, {Binding: 1, Stride: 3}},
			VertexAttributeDescriptions: []vk.VertexInputAttributeDescription{{Format: vk.FormatR32Uint, Offset: 1}, {Location: 1, Binding: 1, Format: vk.FormatR8Uint}},
		}
		p := fullscreen(t, d, "value.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.Vertex.Code, i.VertexInput = shaderCode(t, "legacy.vert"), in
			if dynamic {
				i.VertexInput, i.DynamicStates = vk.PipelineVertexInputStateCreateInfo{}, []vk.DynamicState{vk.DynamicStateVertexInputEXT}
			}
		})
		b := bufferOf(t, d, 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110)
		a, av := target(t, d, numbers, 1, 1)
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		if dynamic {
			c.SetVertexInput(in, nil)
		}
		c.BindVertexBuffer(0, b, 7, vk.WholeSize, nil)
		c.BindVertexBuffer(1, b, 5, vk.WholeSize, nil)
		c.Draw("Pass.Draw", 3, 1, 3, 0)
		c.EndRendering("end")
		submit(t, d, c)
		// Vertex 3 has the word at 7+1+3, and the byte at 5+9.
		if got, want := texels(t, a, 0, 0)[0], uint32(0x0e0d0c0b+0x0e<<24); got != want {
			t.Errorf("dynamic %v: %#x, want %#x", dynamic, got, want)
		}
	}
}
