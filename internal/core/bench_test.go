package core

import (
	"encoding/binary"
	"testing"
	"time"

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

// BenchmarkPipeline makes pipelines of two shaders of 500 instructions, from bytes
// that the device has not seen before: a constant is another one each time. The goal
// is 1 ms.
func BenchmarkPipeline(b *testing.B) {
	d := open(b)
	code := func(name string, constant uint32) (bytes, at []byte) {
		bytes = shaderCode(b, name)
		for i := 20; i+16 <= len(bytes); i += 4 * int(binary.LittleEndian.Uint16(bytes[i+2:])) {
			const constantOfOneWord = 4<<16 | 43
			if binary.LittleEndian.Uint32(bytes[i:]) == constantOfOneWord && binary.LittleEndian.Uint32(bytes[i+12:]) == constant {
				at = bytes[i+12 : i+16]
			}
		}
		if at == nil {
			b.Fatalf("%s has no constant %#x", name, constant)
		}
		return bytes, at
	}
	vertex, inVertex := code("pair.vert", 0x3F1E353F)     // 0.618
	fragment, inFragment := code("pair.frag", 0x3A83126F) // 0.001
	var attributes []vk.VertexInputAttributeDescription
	for i, f := range []vk.Format{vk.FormatR32G32B32Sfloat, vk.FormatR32G32B32Sfloat, vk.FormatR32G32B32A32Sfloat, vk.FormatR32G32Sfloat, vk.FormatR8G8B8A8Uint, vk.FormatR8G8B8A8Unorm} {
		attributes = append(attributes, vk.VertexInputAttributeDescription{Location: uint32(i), Format: f, Offset: uint32(i) * 16})
	}
	write := vk.ColorComponentRBit | vk.ColorComponentGBit | vk.ColorComponentBBit | vk.ColorComponentABit
	info := &GraphicsPipelineInfo{
		Vertex: Stage{Code: vertex}, Fragment: Stage{Code: fragment},
		VertexInput:   vk.PipelineVertexInputStateCreateInfo{VertexBindingDescriptions: []vk.VertexInputBindingDescription{{Stride: 96}}, VertexAttributeDescriptions: attributes},
		InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
		Viewport:      vk.PipelineViewportStateCreateInfo{Viewports: []vk.Viewport{{Width: 16, Height: 8, MaxDepth: 1}}, Scissors: []vk.Rect2D{{Extent: vk.Extent2D{Width: 16, Height: 8}}}},
		Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1},
		ColorBlend:    vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{{ColorWriteMask: write}}},
		Rendering:     vk.PipelineRenderingCreateInfo{ColorAttachmentFormats: []vk.Format{vk.FormatR8G8B8A8Unorm}},
	}
	n := uint32(0)
	best := time.Hour // other programs on the machine do not change it
	b.ReportAllocs()
	for b.Loop() {
		n++
		binary.LittleEndian.PutUint32(inVertex, 0x3F1E353F+n)
		binary.LittleEndian.PutUint32(inFragment, 0x3A83126F+n)
		start := time.Now()
		must(d.NewGraphicsPipeline(info))(b)
		best = min(best, time.Since(start))
	}
	b.ReportMetric(best.Seconds()*1e3, "best-ms")
}
