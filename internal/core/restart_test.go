package core

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A restart index of one's own stands in the place of the largest index, for later
// draws, until an index buffer is bound.
func TestSetPrimitiveRestartIndex_RAS054_UntilTheNextIndexBuffer(t *testing.T) {
	rules.Covers(t, "RAS-054")
	d := open(t)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.Vertex.Code = shaderCode(t, "attribute.vert")
		i.VertexInput = vk.PipelineVertexInputStateCreateInfo{
			VertexBindingDescriptions:   []vk.VertexInputBindingDescription{{Stride: 8}},
			VertexAttributeDescriptions: []vk.VertexInputAttributeDescription{{Format: vk.FormatR32G32Sfloat}},
		}
		i.InputAssembly = vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleStrip, PrimitiveRestartEnable: true}
	})
	minus, three := math.Float32bits(-1), math.Float32bits(3)
	vertices := bufferOf(t, d, minus, minus, three, minus, minus, three)
	// The third of four vertices is beyond the buffer, at 0,0; both triangles are
	// seen unless it restarts, which leaves none.
	indices := bufferOf(t, d, 1<<16, 2<<16|7, 1<<16, 2<<16|0xffff)
	bind := func(c *CommandBuffer, at uint64) {
		c.BindIndexBuffer(indices, at, vk.WholeSize, vk.IndexTypeUint16)
	}
	strip := func(c *CommandBuffer) {
		c.BindVertexBuffer(0, vertices, 0, vk.WholeSize, nil)
		c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		c.DrawIndexed("draw", 4, 1, 0, 0, 0)
	}
	for name, k := range map[string]struct {
		f    func(c *CommandBuffer)
		seen bool
	}{
		"7 is an index":                   {func(c *CommandBuffer) { bind(c, 0); strip(c) }, true},
		"7 restarts":                      {func(c *CommandBuffer) { bind(c, 0); c.SetPrimitiveRestartIndex(7); strip(c) }, false},
		"before an index buffer is bound": {func(c *CommandBuffer) { c.SetPrimitiveRestartIndex(7); bind(c, 0); strip(c) }, true},
		"bound again":                     {func(c *CommandBuffer) { bind(c, 0); c.SetPrimitiveRestartIndex(7); bind(c, 0); strip(c) }, true},
		"after the draw":                  {func(c *CommandBuffer) { bind(c, 0); strip(c); c.SetPrimitiveRestartIndex(7); strip(c) }, true},
		"the largest restarts":            {func(c *CommandBuffer) { bind(c, 8); strip(c) }, false},
		"the largest is one like others":  {func(c *CommandBuffer) { bind(c, 8); c.SetPrimitiveRestartIndex(7); strip(c) }, true},
		"nothing is as large as 0x10007":  {func(c *CommandBuffer) { bind(c, 0); c.SetPrimitiveRestartIndex(0x10007); strip(c) }, true},
	} {
		if n := covered(t, d, k.f); n > 0 != k.seen {
			t.Errorf("%s: %d texels", name, n)
		}
	}
}
