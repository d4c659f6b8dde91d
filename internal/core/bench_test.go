package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// BenchmarkDriverDraws measures what the driver records for a draw of a scene: a
// set with a dynamic offset, a vertex buffer, push constants; and, submit, what
// carrying it out costs when nothing is seen.
func BenchmarkDriverDraws(b *testing.B) {
	d := open(b)
	layout := must(d.NewDescriptorSetLayout([]Binding{{Type: vk.DescriptorTypeUniformBufferDynamic}}))(b)
	set := must(d.NewDescriptorSet(layout, ""))(b)
	buffer := bufferOf(b, d, make([]uint32, 1024)...)
	if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: buffer, Range: 64}}}); err != nil {
		b.Fatal(err)
	}
	p := fullscreen(b, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) { i.Viewport.Scissors[0].Extent.Width = 0 })
	_, av := target(b, d, numbers, 1, 1)
	const draws = 1000
	push := make([]byte, 16)
	record := func() *CommandBuffer {
		c := d.NewCommandBuffer()
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		for i := range uint32(draws) {
			c.BindDescriptorSetLate("bind", vk.PipelineBindPointGraphics, 0, set, []uint32{i % 32 * 64})
			c.BindVertexBuffer(0, buffer, 0, vk.WholeSize, nil)
			c.PushConstants("push", 0, push)
			c.Draw("vkCmdDraw", 3, 1, 0, 0)
		}
		c.EndRendering("end")
		return c
	}
	b.Run("record", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			record()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/draws, "ns/draw")
	})
	b.Run("submit", func(b *testing.B) {
		c := record()
		b.ReportAllocs()
		for b.Loop() {
			submit(b, d, c)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/draws, "ns/draw")
	})
}
