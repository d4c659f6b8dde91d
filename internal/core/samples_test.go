package core

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// variableMultisampleRate: without attachments, every pipeline of a pass has the
// number of samples that it says, and a query counts all of them.
func TestRendering_SamplesByPipelineWithoutAttachments(t *testing.T) {
	rules.Covers(t, "RAS-016")
	d := open(t)
	of := func(n vk.SampleCountFlags) *Pipeline {
		return fullscreen(t, d, "number.frag", vk.PipelineRenderingCreateInfo{}, func(i *GraphicsPipelineInfo) { i.Multisample.RasterizationSamples = n })
	}
	one, four := of(vk.SampleCount1Bit), of(vk.SampleCount4Bit)
	q := must(d.NewQueryPool(vk.QueryTypeOcclusion, 2))(t)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Area: vk.Rect2D{Extent: vk.Extent2D{Width: 16, Height: 8}}})
	c.BeginQuery(q, 0)
	draw(c, one)
	draw(c, four)
	draw(c, one)
	c.EndQuery(q, 0)
	c.BeginQuery(q, 1)
	draw(c, four)
	c.EndQuery(q, 1)
	c.EndRendering("end")
	submit(t, d, c)
	if got := get(t, q, 0); !slices.Equal(got, []uint64{128 + 512 + 128, 1, 512, 1}) {
		t.Errorf("samples are %v", got)
	}
}
